//! The particulars of each durable kind.
//!
//! Promises: small (large texts are named by their hash); fields that are not known are kept in `other`; a field that
//! is missing in an older event has a value that claims nothing. Leaves to others: how it is written (`wire`).

use super::exposure::Exposures;
use super::hash::ContentHash;
use super::outcome::{MetricValue, RequestFault, StopReason};
use super::{Call, Unknown};
use crate::repair::cell::FeedbackSource;
use crate::repair::cell::word::words;
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome, Flag};
use crate::report::Verdict;
use crate::task::FeedbackKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// `prompt-built`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptBuilt {
    /// Which call it is for.
    pub call: Call,
    /// The messages ([`crate::repair::prompt::Prompt`] as JSON).
    pub prompt: ContentHash,
    /// What this prompt gives away by itself; what the attempt gave away before is not repeated.
    #[serde(default)]
    pub exposure: Exposures,
    /// Estimated length, tokens.
    #[serde(default)]
    pub tokens: u64,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `request-started`: from here on a call may be billed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestStarted {
    /// Which call.
    pub call: Call,
    /// Id of the request, new for every try.
    pub request: String,
    /// Name of the model.
    pub model: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// What a request took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt, as the server counted; `None`: it did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Of these, tokens that the server had before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Of these, tokens of reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Cost in US dollars; `None`: there is no price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// From sending to the first token, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
    /// From sending to the end, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
}

/// `answer-finished`: exactly one of `answer` and `fault` is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerFinished {
    /// Which call.
    pub call: Call,
    /// Id of the request.
    pub request: String,
    /// The text of the answer, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ContentHash>,
    /// Reasoning that came apart from the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ContentHash>,
    /// How the answer ended.
    #[serde(default)]
    pub finish: FinishReason,
    /// Why there is no answer: a failure of the infrastructure, never of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<RequestFault>,
    /// What is known about the fault, for people, untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What it took.
    #[serde(default)]
    pub usage: Usage,
    /// The raw stream with its arrival times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<ContentHash>,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

impl AnswerFinished {
    /// Whether the further field `key` is set: `cost_estimated` (no usage was told), `lost` (a process that is gone had
    /// the request under way), `unsent` (it failed before anything of it was sent).
    pub fn is_marked(&self, key: &str) -> bool {
        self.other.get(key) == Some(&serde_json::Value::Bool(true))
    }
}

/// `extracted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// The outcome.
    pub outcome: ExtractionOutcome,
    /// Whether the policy of the cell lets something of it through.
    pub usable: bool,
    /// What a reader should know beside it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub flags: BTreeSet<Flag>,
    /// The whole extraction, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction: Option<ContentHash>,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `applied`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// The outcome.
    pub outcome: ApplicationOutcome,
    /// The changed files over the buggy tree, as canonical JSON; there for every outcome but `rejected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ContentHash>,
    /// What a reader should know beside it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub flags: BTreeSet<Flag>,
    /// Why nothing was changed, for people, untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `verified`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// The verdict; `infra-error` is a failure of the sandbox or the machine.
    pub verdict: Verdict,
    /// The code that was tested, by the hash that `applied` gave it; of the buggy code, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ContentHash>,
    /// One line for people, untrusted in parts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Tests that passed.
    #[serde(default)]
    pub passed: u64,
    /// Tests that were executed; of a report that breaks off also those that were announced or listed and never came.
    #[serde(default)]
    pub executed: u64,
    /// Scores of tasks without tests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, MetricValue>,
    /// The whole report, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ContentHash>,
    /// Whether the verdict was remembered from the same code before.
    #[serde(default)]
    pub remembered: bool,
    /// What it took, milliseconds.
    #[serde(default)]
    pub total_ms: u64,
    /// Output with its arrival times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<ContentHash>,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `feedback-made`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedbackMade {
    /// Its kind.
    pub kind: FeedbackKind,
    /// Where it comes from.
    pub source: FeedbackSource,
    /// The text.
    pub text: ContentHash,
    /// What the text gives away.
    #[serde(default)]
    pub exposure: Exposures,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

words! {
    /// What a person did.
    pub enum Intervention as "intervention" {
        /// Changed the prompt of the call that is next or under way.
        EditedPrompt = "edited-prompt",
        /// Put code in the place of the turn's answer.
        EditedCode = "edited-code",
        /// Put words in the place of the feedback.
        GaveFeedback = "gave-feedback",
        /// Changed the model for the calls that follow.
        SwitchedModel = "switched-model",
    }
}

/// `intervened`: the trajectory is marked from here on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intervened {
    /// What a person did.
    pub action: Intervention,
    /// The new prompt, code or feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentHash>,
    /// The new model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who, as they name themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether that person had seen the reference.
    #[serde(default)]
    pub saw_reference: bool,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `stopped`: nothing follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// More about it, for people, untrusted in parts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}
