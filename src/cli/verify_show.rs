//! How the results of `mendbench verify` are shown.
//!
//! Promises: untrusted text is made harmless by the output; every count has its n. Leaves to others: the results.

use super::tasks::skipped_objects;
use super::verify::{Outcome, Tally, Untested};
use super::{Failure, Output};
use crate::dataset::Skipped;
use crate::harness::analyse::{Analysis, Said};
use crate::harness::{Verified, VerifyReport};
use crate::report::{Status, Verdict};
use crate::text::counted;
use crate::theme::Role;
use serde_json::{Value, json};

/// Most failing tests that are named of one task.
const MOST_NAMED: usize = 20;

/// One result.
pub fn outcome(outcome: &Outcome, detailed: bool, whole: bool, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return output.object(&object(outcome));
    }
    match &outcome.result {
        Ok(verified) => {
            verdict_line(outcome, verified, output)?;
            if detailed || whole {
                details(&verified.report, whole, output)?;
            }
            analyses(&outcome.analyses, output)
        }
        Err(Untested::NotRun(why)) => {
            line("–", Verdict::NotRun.as_str(), Role::VerdictNotRun, outcome, why, output)
        }
        Err(Untested::Quarantined(why)) => line("–", "quarantined", Role::Mark, outcome, why, output),
    }
}

fn line(
    mark: &str,
    word: &str,
    role: Role,
    outcome: &Outcome,
    rest: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let place = match outcome.at.as_ref().and_then(|at| at.line) {
        Some(line) => format!(" (line {line})"),
        None => format!(" ({})", outcome.tested),
    };
    let applied = outcome.applied.as_ref().map(|applied| {
        let words = [applied.extraction.as_str(), applied.application.as_str()];
        format!("  {}", words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", "))
    });
    output.styled(&[
        (&format!("{mark} {word:<15} "), role),
        (&outcome.task, Role::Accent),
        (&place, Role::TextDim),
        (applied.as_deref().unwrap_or(""), Role::TextDim),
        ("  ", Role::Text),
        (&rest.replace('\n', " "), Role::Text),
    ])
}

fn verdict_line(outcome: &Outcome, verified: &Verified, output: &mut Output) -> Result<(), Failure> {
    let report = &verified.report;
    let (passed, of) = report.passed_of();
    let mut rest = format!("{passed}/{of} tests");
    if report.verdict != Verdict::Passed || of == 0 {
        rest = format!("{}; {rest}", report.why);
    }
    let rung = report.rung.map_or("no sandbox", |rung| rung.as_str());
    let how = if verified.cached { "from the cache".to_owned() } else { format!("{:.2} s", report.seconds) };
    rest = format!("{rest}, {how}, {rung}");
    if report.is_unsafe() {
        rest.push_str(", WITHOUT A SANDBOX");
    }
    if report.touched_protected() {
        rest.push_str(", touched protected files");
    }
    let mark = if report.verdict == Verdict::Passed { "✔" } else { "✘" };
    line(mark, report.verdict.as_str(), Role::of_verdict(report.verdict.as_str()), outcome, &rest, output)
}

fn details(report: &VerifyReport, whole: bool, output: &mut Output) -> Result<(), Failure> {
    for change in &report.refused {
        output.styled(&[
            ("  not applied: ", Role::Mark),
            (&format!("{}: {}", change.path, change.why), Role::Text),
        ])?;
    }
    let failing: Vec<_> = report.report.cases.iter().filter(|case| case.status != Status::Passed).collect();
    for case in failing.iter().take(MOST_NAMED) {
        let message =
            case.message.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        let role = if case.status.is_failure() { Role::VerdictFailed } else { Role::TextDim };
        let parts: &[(&str, Role)] = &[
            (&format!("  {:<16} ", case.status.as_str()), role),
            (&case.id, Role::Text),
            ("  ", Role::Text),
            (message.unwrap_or("").trim(), Role::TextDim),
        ];
        output.styled(parts)?;
    }
    if failing.len() > MOST_NAMED {
        output.line(&format!("  and {} more; --json names all", failing.len() - MOST_NAMED))?;
    }
    for (id, _) in report.unmet.iter().filter(|(_, status)| status.is_none()).take(MOST_NAMED) {
        output.styled(&[("  not seen         ", Role::VerdictFailed), (id, Role::Text)])?;
    }
    if let Some(failure) = &report.failure {
        output.styled(&[("  ", Role::Text), (&failure.to_string(), Role::Mark)])?;
        if !whole {
            for line in failure.excerpt.lines() {
                output.styled(&[("    ", Role::Text), (line, Role::TextDim)])?;
            }
        }
    }
    for note in &report.notes {
        output.styled(&[("  note: ", Role::Mark), (note, Role::Text)])?;
    }
    if whole {
        for step in &report.steps {
            let head = format!("  $ {}  ({}, {:.2} s)", step.command.display(), step.exit, step.seconds);
            output.styled(&[(&head, Role::Accent)])?;
            for (name, captured) in [("stdout", &step.stdout), ("stderr", &step.stderr)] {
                let text = captured.text();
                for line in text.lines() {
                    output.styled(&[(&format!("  {name} | "), Role::TextDim), (line, Role::Text)])?;
                }
            }
        }
    }
    Ok(())
}

fn analyses(all: &[Analysis], output: &mut Output) -> Result<(), Failure> {
    for analysis in all {
        let program = analysis.command.display();
        let program = program.split(" '{").next().unwrap_or("").to_owned();
        let said = match &analysis.said {
            Said::Remarks { diagnostics, elsewhere } => {
                let count = diagnostics.items.len() + diagnostics.left_out;
                let elsewhere =
                    if *elsewhere > 0 { format!(", {elsewhere} about other files") } else { String::new() };
                format!("{}{elsewhere}", counted(count, "remark"))
            }
            Said::Missing => "not installed".to_owned(),
            Said::Failed(why) => format!("failed: {why}"),
            Said::NothingToDo => "no file for it".to_owned(),
        };
        output.styled(&[
            ("  ", Role::Text),
            (&program, Role::Accent),
            (": ", Role::Text),
            (&said, Role::TextDim),
        ])?;
        if let Said::Remarks { diagnostics, .. } = &analysis.said {
            for remark in &diagnostics.items {
                let number = |value: Option<u32>| value.map(|value| format!(":{value}")).unwrap_or_default();
                let place = format!("{}{}{}", remark.file, number(remark.line), number(remark.column));
                let code = remark.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
                let message = remark.message.lines().next().unwrap_or("");
                output.styled(&[
                    ("    ", Role::Text),
                    (&place, Role::Accent),
                    (&format!(" {}: ", remark.severity), Role::Mark),
                    (&format!("{message}{code}"), Role::Text),
                ])?;
            }
        }
    }
    Ok(())
}

fn object(outcome: &Outcome) -> Value {
    let mut object = json!({
        "type": "verification", "v": 1, "task": outcome.task, "revision": outcome.revision,
        "tested": outcome.tested,
    });
    let mut set = |key: &str, value: Value| object[key] = value;
    if let Some(at) = &outcome.at {
        set("file", json!(at.file.to_string_lossy()));
        set("line", json!(at.line));
    }
    if let Some(model) = &outcome.model {
        set("model", json!(model));
    }
    if let Some(applied) = &outcome.applied {
        set("offer", json!(applied.kind));
        set("extraction", json!(applied.extraction));
        set("application", json!(applied.application));
        set("application_why", json!(applied.why));
    }
    if !outcome.analyses.is_empty() {
        set("analyses", json!(outcome.analyses));
    }
    match &outcome.result {
        Ok(verified) => {
            let report = &verified.report;
            let (passed, executed) = report.counts();
            set("verdict", json!(report.verdict));
            set("why", json!(report.why));
            set("passed", json!(passed));
            set("executed", json!(executed));
            set("cases", json!(report.report.cases));
            set("unmet", json!(report.unmet));
            set("failure", json!(report.failure));
            set("refused", json!(report.refused));
            set("rung", json!(report.rung));
            set("unsafe", json!(report.is_unsafe()));
            set("cached", json!(verified.cached));
            set("seconds", json!(report.seconds));
            set("request", json!(report.request));
            set("notes", json!(report.notes));
        }
        Err(Untested::NotRun(why)) => {
            set("verdict", json!(Verdict::NotRun));
            set("why", json!(why));
        }
        Err(Untested::Quarantined(why)) => {
            set("quarantined", json!(true));
            set("why", json!(why));
        }
    }
    object
}

/// The closing counts.
pub fn closing(tally: &Tally, skipped: &[Skipped], asked: usize, output: &mut Output) -> Result<(), Failure> {
    let (passed, all, infra) = (tally.of(Verdict::Passed), tally.all(), tally.of(Verdict::InfraError));
    if output.json {
        skipped_objects(skipped, output)?;
        return output.object(&json!({
            "type": "verifications", "v": 1, "asked": asked, "n": all, "n_without_infra": all - infra,
            "passed": passed, "verdicts": tally.verdicts, "quarantined": tally.quarantined,
            "skipped": tally.skipped, "cached": tally.cached,
        }));
    }
    for row in skipped.iter().take(20) {
        output.note(&row.to_string());
    }
    if skipped.len() > 20 {
        output.note(&format!("and {} more rows; --json names all", skipped.len() - 20));
    }
    if asked == 1 && skipped.is_empty() {
        return Ok(());
    }
    let mut parts = vec![format!("{passed} of {all} passed")];
    if infra > 0 {
        parts.push(format!("{passed} of {} without failures of the harness", all - infra));
    }
    let others: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|verdict| *verdict != Verdict::Passed && tally.of(*verdict) > 0)
        .map(|verdict| format!("{} {verdict}", tally.of(verdict)))
        .collect();
    if !others.is_empty() {
        parts.push(others.join(", "));
    }
    for (count, word) in [(tally.quarantined, "quarantined, left out"), (tally.cached, "from the cache")] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    if tally.skipped > 0 {
        parts.push(format!("{} skipped", counted(tally.skipped, "row")));
    }
    output.line(&parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_role_of_its_own() {
        let roles = Verdict::ALL.map(|verdict| Role::of_verdict(verdict.as_str()));
        assert!(roles.iter().all(|role| *role != Role::Verdict), "{roles:?}");
        let names: std::collections::BTreeSet<&str> = roles.iter().map(|role| role.name()).collect();
        assert_eq!(names.len(), Verdict::ALL.len());
    }
}
