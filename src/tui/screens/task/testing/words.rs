//! What is said of a run in words: states, verdicts, "model or harness?".
//!
//! Promises: pure; every verdict has its sentence, and a failure of the harness is never put down to the code. Leaves to
//! others: drawing.

use super::{Run, Summary};
use crate::harness::Version;
use crate::report::Verdict;
use crate::theme::Role;
use crate::tui::widgets::test_list::Spot;

/// The word that heads a run, and its role.
pub fn headline(run: &Run) -> (String, Role) {
    match run {
        Run::None => ("not run yet".to_owned(), Role::VerdictNotRun),
        Run::Running { cancelling: true, .. } => ("cancelling".to_owned(), Role::Accent),
        Run::Running { state, .. } => (state.to_string(), Role::Accent),
        Run::Refused { .. } => ("not-run".to_owned(), Role::VerdictNotRun),
        Run::Finished(summary) => {
            (summary.verdict.as_str().to_owned(), Role::of_verdict(summary.verdict.as_str()))
        }
    }
}

/// Rows that a run needs for what is said of it.
pub fn rows(run: &Run) -> u16 {
    match run {
        Run::None => 1,
        Run::Running { .. } => 2,
        Run::Finished(summary) if summary.verdict == Verdict::Passed => 2,
        Run::Refused { .. } | Run::Finished(_) => 3,
    }
}

/// Which version, where, how long.
pub fn facts(run: &Run) -> Vec<String> {
    match run {
        Run::None => Vec::new(),
        Run::Refused { version, .. } => vec![version.as_str().to_owned()],
        Run::Running { version, rung, seconds, .. } => {
            let mut facts = vec![version.as_str().to_owned()];
            facts.extend(rung.map(|rung| rung.to_string()));
            facts.push(format!("{seconds} s"));
            facts
        }
        Run::Finished(summary) => {
            let mut facts = vec![summary.version.as_str().to_owned()];
            facts.push(summary.rung.map_or("no sandbox".to_owned(), |rung| rung.to_string()));
            facts.push(format!("{:.1} s", summary.seconds));
            if summary.cached {
                facts.push("from the cache".to_owned());
            }
            facts
        }
    }
}

/// What the status line says while something runs.
pub fn status(run: &Run) -> Option<String> {
    let Run::Running { state, rung, seconds, cancelling, .. } = run else { return None };
    let mut parts = vec![if *cancelling { "cancelling".to_owned() } else { state.to_string() }];
    parts.extend(rung.map(|rung| rung.to_string()));
    parts.push(format!("{seconds} s"));
    Some(parts.join(" · "))
}

/// Why, in one line.
pub fn why(run: &Run) -> String {
    match run {
        Run::None | Run::Running { .. } => String::new(),
        Run::Refused { why, .. } => why.clone(),
        // A pass needs no reason of its own: its numbers stand beside what it means.
        Run::Finished(summary) if summary.verdict == Verdict::Passed => String::new(),
        Run::Finished(summary) => summary.why.clone(),
    }
}

/// Whose fault a failure is: a question, the answer and its role. Of a pass what it means.
pub fn blame(run: &Run) -> Option<(&'static str, String, Role)> {
    const QUESTION: &str = "model or harness?";
    match run {
        Run::None | Run::Running { .. } => None,
        Run::Refused { .. } => {
            let answer = "the harness: nothing ran, so nothing is known about the code";
            Some((QUESTION, answer.to_owned(), Role::VerdictInfraError))
        }
        Run::Finished(summary) => match (summary.verdict, summary.version) {
            (Verdict::Passed, Version::Reference) => {
                let answer = format!("the reference passes, {}", summary.why);
                Some(("as it should:", answer, Role::Text))
            }
            (Verdict::Passed, Version::Buggy) => {
                let answer =
                    format!("the buggy version passes, {}: its tests do not show the bug", summary.why);
                Some(("unexpected:", answer, Role::StatusWarn))
            }
            (verdict, version) => Some((QUESTION, fault(verdict, version, summary), Role::Text)),
        },
    }
}

fn fault(verdict: Verdict, version: Version, summary: &Summary) -> String {
    match verdict {
        Verdict::InfraError => {
            return "the harness: it failed, and nothing is known about the code".to_owned();
        }
        Verdict::NotRun if summary.why == "cancelled" => {
            return "neither: you cancelled it, and nothing is known about the code".to_owned();
        }
        Verdict::NotRun => {
            return "the harness: it did not run, and nothing is known about the code".to_owned();
        }
        _ => {}
    }
    let mut words = if verdict == Verdict::ReportMismatch { "in doubt" } else { "the code" }.to_owned();
    // Where comes first: on a narrow screen the end is cut.
    if let Some(Spot { file, line, .. }) = &summary.spot {
        words.push_str(&format!(" at {file}:{line}"));
    }
    let meaning = match (verdict, version) {
        (Verdict::ReportMismatch, _) => "what was reported contradicts how it ended",
        (_, Version::Buggy) if summary.breaks_more => "more fails than the task lists",
        (_, Version::Buggy) => "expected of the buggy version",
        (_, Version::Reference) => "the reference should pass: the task does not hold here",
    };
    for part in summary.failure.as_deref().into_iter().chain([meaning]) {
        words.push_str(" · ");
        words.push_str(part);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verdict: Verdict, version: Version) -> String {
        let summary = Summary {
            version,
            verdict,
            why: String::new(),
            rung: None,
            seconds: 0.0,
            cached: false,
            counts: (0, 0),
            failure: None,
            spot: None,
            breaks_more: false,
        };
        blame(&Run::Finished(summary)).map_or_else(String::new, |(_, answer, _)| answer)
    }

    #[test]
    fn only_the_harness_is_blamed_for_its_failures() {
        for verdict in Verdict::ALL {
            for version in [Version::Buggy, Version::Reference] {
                let words = said(verdict, version);
                let harness = matches!(verdict, Verdict::InfraError | Verdict::NotRun);
                assert_eq!(words.starts_with("the harness"), harness, "{verdict}: {words}");
                assert!(!words.is_empty());
            }
        }
        assert!(said(Verdict::ReportMismatch, Version::Buggy).starts_with("in doubt"));
    }
}
