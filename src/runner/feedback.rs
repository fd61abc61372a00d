//! Making the feedback that the machine wants.
//!
//! Promises: made only when it is wanted; compiler and analysers are asked only for the kinds that tell what they say.
//! Leaves to others: the words (`repair::feedback`), asking the helper (`ask`).

use super::prompts::tree;
use crate::harness::analyse::{Analysis, Said};
use crate::harness::{Cancel, Changes, Harness, VerifyReport, Version};
use crate::repair::feedback::{Bounds, Feedback, Observed, Source, make};
use crate::report::diagnostics::Diagnostics;
use crate::task::{FeedbackKind, Task};

/// The tests' report when there is none: nothing was verified.
pub(super) struct Facts<'a> {
    pub harness: &'a Harness,
    pub task: &'a Task,
    pub code: &'a Changes,
    pub report: &'a VerifyReport,
    pub helper: Option<&'a str>,
    pub cancel: &'a Cancel,
}

/// Makes feedback on code that was verified; the error says why there is none, and is the infrastructure's.
pub(super) fn on_code(kind: FeedbackKind, facts: &Facts<'_>) -> Result<Feedback, String> {
    let Facts { harness, task, code, report, .. } = *facts;
    let diagnostics = match kind {
        FeedbackKind::Compiler | FeedbackKind::Mixed => {
            let said = harness.analyse(task, Version::Buggy, code, facts.cancel);
            joined(&said.map_err(|error| format!("the compiler could not be asked: {error}"))?)?
        }
        _ => None,
    };
    let current = tree(task, code);
    let observed = Observed {
        verdict: report.verdict,
        why: &report.why,
        report: &report.report,
        unmet: &report.unmet,
        failure: report.failure.as_ref(),
        diagnostics: diagnostics.as_ref(),
        current: Some(&current),
        root: "/work",
    };
    let source = Source { observed: &observed, helper: facts.helper, human: None };
    make(kind, source, Bounds::default()).map_err(|error| error.to_string())
}

/// What all analysers said; none where none is installed. An analyser that failed is a failure of the machine.
fn joined(said: &[Analysis]) -> Result<Option<Diagnostics>, String> {
    let mut all: Option<Diagnostics> = None;
    for analysis in said {
        match &analysis.said {
            Said::Remarks { diagnostics, .. } => match &mut all {
                Some(all) => all.add(diagnostics.clone()),
                None => all = Some(diagnostics.clone()),
            },
            Said::Failed(why) => return Err(format!("`{}` failed: {why}", analysis.command.display())),
            Said::Missing | Said::NothingToDo => {}
        }
    }
    Ok(all)
}
