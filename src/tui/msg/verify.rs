//! Messages about a verification: what is asked, what happens, what came of it.
//!
//! Promises: plain data, bounded; made on the thread that verifies, so that the one that draws only takes it over.

use crate::catalogue::LoadedTask;
use crate::harness::{Expected, State, Version};
use crate::report::{Case, Verdict};
use crate::sandbox::Rung;
use crate::tui::widgets::diff_view::Mark;
use crate::tui::widgets::output_view::OutputLine;
use crate::tui::widgets::test_list::{Detail, Spot, TestList};
use std::sync::Arc;
use std::time::Duration;

/// A verification that is asked for.
#[derive(Debug, Clone)]
pub struct VerifyJob {
    /// The task.
    pub loaded: Arc<LoadedTask>,
    /// Which of its versions.
    pub version: Version,
    /// Whether an earlier report is ignored.
    pub fresh: bool,
}

/// What happened since the last of these.
#[derive(Debug)]
pub struct News {
    /// What it is doing.
    pub state: State,
    /// Where it runs, once that is known.
    pub rung: Option<Rung>,
    /// How long it has been running.
    pub elapsed: Duration,
    /// Tests that finished.
    pub finished: Vec<Case>,
    /// What was written, cut into lines.
    pub output: Vec<OutputLine>,
    /// The lines that have no end yet.
    pub open: Vec<OutputLine>,
    /// Lines that were left out before `output`, because nobody could have read them.
    pub left_out: u64,
    /// Dropped with the news: tells the sender that more may come.
    pub heard: Heard,
}

/// Calls back when it is dropped.
#[derive(Default)]
pub struct Heard(pub Option<Box<dyn FnOnce() + Send>>);

impl Drop for Heard {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            tell();
        }
    }
}

impl std::fmt::Debug for Heard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Heard")
    }
}

/// A verification that ended.
#[derive(Debug)]
pub struct Finished {
    /// Which version was verified.
    pub version: Version,
    /// The word.
    pub verdict: Verdict,
    /// Why, untrusted in parts.
    pub why: String,
    /// Where it ran.
    pub rung: Option<Rung>,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Whether it was known before.
    pub cached: bool,
    /// Tests that passed, and tests that were executed.
    pub counts: (usize, usize),
    /// What kind of failure, in words; `None` when it passed.
    pub failure: Option<String>,
    /// Where it failed.
    pub spot: Option<Spot>,
    /// The tests.
    pub tests: TestList,
    /// What stands under them: the excerpt, the steps, remarks.
    pub details: Vec<Detail>,
    /// What stands last: what held the sandbox.
    pub held: Vec<Detail>,
    /// What compilers and tests have to say about lines.
    pub marks: Vec<Mark>,
    /// What the commands wrote, where it was not seen as it came.
    pub transcript: Vec<OutputLine>,
    /// What went wrong beside the work.
    pub trouble: Option<String>,
    /// What was expected of the tests: the task's lists, or those of its check.
    pub expected: Expected,
}
