//! `RunEvent`: what happens in a repair loop, as one contract. Shown live, printed by `--json`, stored, replayed.
//!
//! Promises: every event is written and read back unchanged, fields and kinds of a newer version included; nothing in
//! here reads a clock (`at` is given); texts in events are untrusted and as they came.
//! Leaves to others: keeping events (`store`), what follows from them (`repair::machine`), showing them.
//!
//! # Durable and transient
//!
//! Durable kinds are on disk before the next effect starts, and the state of a trajectory is a fold over them alone.
//! Transient kinds are shown and printed while they happen; they are kept as one blob of frames that the closing
//! durable event names (`frames`).
//!
//! # The order of things
//!
//! ```text
//! attempt 0, turn 0     verified (the buggy code) → helper call, if feedback needs one → feedback-made
//! attempt 1, turn 1     [prompt-built → request-started → answer-finished] for each call
//!                       → extracted → applied → verified → helper call, if needed → feedback-made
//! …                     → stopped
//! ```
//!
//! Large texts (prompts, answers, code, reports) are kept beside the events by their [`ContentHash`].

mod call;
mod data;
mod exposure;
mod hash;
mod outcome;
mod transient;
mod wire;

#[cfg(test)]
mod tests;

pub use call::Call;
pub use data::{
    AnswerFinished, Applied, Extracted, FeedbackMade, Intervened, Intervention, PromptBuilt, RequestStarted,
    Stopped, Usage, Verified,
};
pub use exposure::{Exposure, Exposures, saw_reference};
pub use hash::ContentHash;
pub use outcome::{MetricValue, RequestFault, StopReason};
pub use transient::{AnswerDelta, Awaited, BuildOutput, Channel, TestFinished, Waiting};
pub use wire::DataError;

use jiff::Timestamp;
use serde_json::{Map, Value};
use std::fmt;
use uuid::Uuid;

/// The version of the envelope and of the data that this program writes.
pub const VERSION: u32 = 1;

/// Fields that a newer version added; kept as they are.
pub type Unknown = Map<String, Value>;

/// An event of a repair loop.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// Version of the envelope and the data.
    pub v: u32,
    /// The run.
    pub run: Uuid,
    /// The trajectory: one task, one cell, one sample.
    pub trajectory: Uuid,
    /// The attempt, from 1; 0 for what happens to the buggy code before the first.
    pub attempt: u32,
    /// The turn of the attempt, from 1; 0 for the buggy code.
    pub turn: u32,
    /// Grows with every event of the trajectory, durable or not; from 1.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub what: What,
    /// Fields of the envelope that a newer version added.
    pub other: Unknown,
}

/// What happened, with its particulars.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A prompt was laid out.
    PromptBuilt(PromptBuilt),
    /// A model was asked.
    RequestStarted(RequestStarted),
    /// A request has ended, with an answer or a fault.
    AnswerFinished(AnswerFinished),
    /// An answer was read.
    Extracted(Extracted),
    /// What was read was laid into the tree.
    Applied(Applied),
    /// Code was tested or scored.
    Verified(Verified),
    /// There is something to tell the model.
    FeedbackMade(FeedbackMade),
    /// A person stepped in.
    Intervened(Intervened),
    /// The trajectory is over.
    Stopped(Stopped),
    /// A piece of an answer came.
    AnswerDelta(AnswerDelta),
    /// A build or a test printed something.
    BuildOutput(BuildOutput),
    /// A test has ended.
    TestFinished(TestFinished),
    /// Nothing can go on for a while.
    Waiting(Waiting),
    /// A kind, or a version of a kind, that this program does not know.
    Unknown {
        /// The kind.
        kind: String,
        /// Its data, as they came.
        data: Value,
    },
}

impl RunEvent {
    /// The kind's word.
    pub fn kind(&self) -> &str {
        self.what.kind()
    }

    /// Whether the event must be on disk before anything follows from it.
    pub fn is_durable(&self) -> bool {
        self.what.is_durable()
    }
}

impl What {
    /// The kind's word.
    pub fn kind(&self) -> &str {
        match self {
            What::PromptBuilt(_) => "prompt-built",
            What::RequestStarted(_) => "request-started",
            What::AnswerFinished(_) => "answer-finished",
            What::Extracted(_) => "extracted",
            What::Applied(_) => "applied",
            What::Verified(_) => "verified",
            What::FeedbackMade(_) => "feedback-made",
            What::Intervened(_) => "intervened",
            What::Stopped(_) => "stopped",
            What::AnswerDelta(_) => "answer-delta",
            What::BuildOutput(_) => "build-output",
            What::TestFinished(_) => "test-finished",
            What::Waiting(_) => "waiting",
            What::Unknown { kind, .. } => kind,
        }
    }

    /// Whether the event must be on disk before anything follows from it. Kinds that are not known were stored
    /// by somebody who knew them, so they count as durable.
    pub fn is_durable(&self) -> bool {
        !matches!(
            self,
            What::AnswerDelta(_) | What::BuildOutput(_) | What::TestFinished(_) | What::Waiting(_)
        )
    }
}

impl fmt::Display for RunEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (attempt {}, turn {}, event {})", self.kind(), self.attempt, self.turn, self.seq)
    }
}
