//! What the machine waits for.

use super::error::asked;
use crate::repair::event::{Call, ContentHash, StopReason};

/// The step under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Waits for `verified` of the newest code.
    Verify,
    /// Waits for `prompt-built`.
    Prompt {
        call: Call,
        /// Answers of the preliminary calls so far.
        preliminary: Vec<ContentHash>,
    },
    /// Waits for `request-started` and `answer-finished`.
    Ask {
        call: Call,
        prompt: ContentHash,
        preliminary: Vec<ContentHash>,
        /// The request under way.
        request: Option<String>,
    },
    /// Waits for `extracted`.
    Extract { answer: ContentHash },
    /// Waits for `applied`.
    Apply { answer: ContentHash, extraction: Option<ContentHash> },
    /// Waits for `feedback-made`.
    Feedback { helper: Option<ContentHash> },
    /// Waits for `stopped`.
    Stop(StopReason),
    /// Waits for nothing.
    Over(StopReason),
}

impl Step {
    /// The event that is waited for, in words.
    pub fn waits_for(&self) -> String {
        match self {
            Step::Verify => "verified".to_owned(),
            Step::Prompt { call, .. } => format!("prompt-built for the call `{call}`"),
            Step::Ask { call, request, .. } => asked(*call, request.is_some()),
            Step::Extract { .. } => "extracted".to_owned(),
            Step::Apply { .. } => "applied".to_owned(),
            Step::Feedback { .. } => "feedback-made".to_owned(),
            Step::Stop(reason) => format!("stopped ({reason})"),
            Step::Over(_) => "nothing".to_owned(),
        }
    }
}
