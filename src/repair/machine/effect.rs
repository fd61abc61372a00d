//! What the machine wants done.
//!
//! Promises: an effect names everything that doing it takes, by hash; doing one twice is harmless but for its cost.
//! Leaves to others: doing it (`runner`), the texts (`repair::prompt`, `repair::feedback`).

use crate::repair::cell::FeedbackSource;
use crate::repair::event::{Call, ContentHash, Exposures, StopReason};
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::task::FeedbackKind;

/// Which version of the code is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Code {
    /// The task's buggy tree.
    Buggy,
    /// What a turn applied.
    Applied {
        /// The turn's attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// The changed files over the buggy tree.
        code: ContentHash,
    },
}

/// A prompt and the answer to it; the prompt holds all messages before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The messages that were sent.
    pub prompt: ContentHash,
    /// The answer.
    pub answer: ContentHash,
}

/// What feedback is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Code that was tested.
    Verified {
        /// The code.
        code: Code,
        /// The report on it.
        report: Option<ContentHash>,
    },
    /// An answer of which nothing could be used; the code is as before.
    Unusable {
        /// What was got out of it.
        extraction: ExtractionOutcome,
        /// How laying it into the tree ended, if it came to that.
        application: Option<ApplicationOutcome>,
        /// The feedback on the code that still stands, and what it gives away.
        earlier: Option<(ContentHash, Exposures)>,
    },
}

/// One thing to do. The event that answers it is named with each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Lay out a prompt → `prompt-built`.
    BuildPrompt {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// Which call it is for.
        call: Call,
        /// The code that it shows: the newest applied one.
        code: Code,
        /// The report on that code, for the helper.
        report: Option<ContentHash>,
        /// The feedback on that code, and its exposure.
        feedback: Option<(ContentHash, Exposures)>,
        /// Answers of the preliminary calls so far.
        preliminary: Vec<ContentHash>,
        /// The exchange that the messages go on from; `None`: they begin anew.
        continues: Option<Exchange>,
        /// Whether the messages do not hold the newest code, because a person wrote it.
        restate_code: bool,
    },
    /// Send a prompt → `request-started`, then `answer-finished`.
    Ask {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// Which call it is.
        call: Call,
        /// Name of the model.
        model: String,
        /// The messages.
        prompt: ContentHash,
    },
    /// Read an answer → `extracted`.
    Extract {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// The answer.
        answer: ContentHash,
        /// The code that the model was shown.
        code: Code,
    },
    /// Lay what was read into the tree → `applied`.
    Apply {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// The answer.
        answer: ContentHash,
        /// The extraction, if it was kept.
        extraction: Option<ContentHash>,
        /// The code that it changes.
        onto: Code,
    },
    /// Test or score code → `verified`.
    Verify {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// The code.
        code: Code,
    },
    /// Make feedback → `feedback-made`.
    MakeFeedback {
        /// The attempt.
        attempt: u32,
        /// The turn.
        turn: u32,
        /// Its kind.
        kind: FeedbackKind,
        /// Where it comes from.
        source: FeedbackSource,
        /// What it is about.
        subject: Subject,
        /// The helper's answer, where one was asked.
        helper: Option<ContentHash>,
    },
    /// End the trajectory → `stopped`.
    Stop {
        /// Why.
        reason: StopReason,
    },
}
