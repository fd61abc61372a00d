//! What came of a verification. Promises: serialisable, bounded, and complete enough to answer "model or harness?" without
//! running anything again. Leaves to others: how it is shown (`cli`, `tui`), keeping it ([`super::cache`]).

use super::request::RequestId;
use crate::report::dig::{Failure, Stage};
use crate::report::{Report, Status, Verdict};
use crate::sandbox::{Captured, Exit, Mechanism, Rung};
use crate::task::Command;
use serde::{Deserialize, Serialize};

/// One command of a verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Build or test.
    pub stage: Stage,
    /// The command.
    pub command: Command,
    /// How it ended.
    pub exit: Exit,
    /// Wall-clock time, seconds.
    pub seconds: f64,
    /// Most memory, bytes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// Processes that it left behind and that were killed.
    #[serde(default)]
    pub lingered: usize,
    /// Standard output, bounded, untrusted.
    pub stdout: Captured,
    /// Standard error, bounded, untrusted.
    pub stderr: Captured,
}

/// A change that was not applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedChange {
    /// The path, untrusted.
    pub path: String,
    /// Why.
    pub why: String,
    /// Whether it is a protected file (the flag `touched-protected` of DESIGN §1).
    pub protected: bool,
}

/// A verification's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifyReport {
    /// Version of this shape.
    pub v: u32,
    /// Which request it answers.
    pub request: RequestId,
    /// The word.
    pub verdict: Verdict,
    /// One line for people, untrusted in parts.
    pub why: String,
    /// Where it ran; `None` when no sandbox could be made.
    pub rung: Option<Rung>,
    /// What held it.
    #[serde(default)]
    pub mechanisms: Vec<Mechanism>,
    /// Paths that were changed.
    #[serde(default)]
    pub applied: Vec<String>,
    /// Changes that were not applied.
    #[serde(default)]
    pub refused: Vec<RefusedChange>,
    /// Additions that matched protected patterns after the build, and were removed.
    #[serde(default)]
    pub removed: Vec<String>,
    /// The commands that were run.
    pub steps: Vec<Step>,
    /// What the tests reported.
    pub report: Report,
    /// Listed ids that did not pass; `None`: not seen.
    #[serde(default)]
    pub unmet: Vec<(String, Option<Status>)>,
    /// Why it failed, dug out; `None` when it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Whether a tool seems to be missing where it ran; then this is not remembered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing_tool: bool,
    /// What a reader should know beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Time from making the sandbox to cleaning it, seconds.
    pub seconds: f64,
}

impl VerifyReport {
    /// Whether it ran without a sandbox.
    pub fn is_unsafe(&self) -> bool {
        self.rung == Some(Rung::Unsafe)
    }

    /// Whether a protected file was to be changed.
    pub fn touched_protected(&self) -> bool {
        self.refused.iter().any(|change| change.protected)
    }

    /// Whether the same request can be answered with this: never for failures of the harness, time that ran out
    /// (a busy machine) and what was cancelled.
    pub fn can_be_cached(&self) -> bool {
        !self.missing_tool
            && !matches!(self.verdict, Verdict::InfraError | Verdict::Timeout | Verdict::NotRun)
    }

    /// Tests that passed, and how many there were to be: of a report that breaks off also those that were announced or
    /// listed and never came, so that a crash does not look whole.
    pub fn passed_of(&self) -> (usize, usize) {
        let (passed, executed) = self.counts();
        if self.report.complete {
            return (passed, executed);
        }
        let unseen = self.unmet.iter().filter(|(_, status)| status.is_none()).count();
        (passed, (executed + unseen).max(self.report.planned.unwrap_or(0)))
    }

    /// Tests that passed (with those whose names were not printed), and tests that were executed.
    pub fn counts(&self) -> (usize, usize) {
        (self.report.count(Status::Passed), self.report.executed())
    }
}
