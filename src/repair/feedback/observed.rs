//! What tests, compilers and analysers say about the newest code, as text for a model.
//!
//! Promises: at most so many characters; what varies from run to run is gone; what was printed is indented by four
//! spaces. Leaves to others: which kind is told ([`super::make`]).

use super::cut::{bounded, clean, cut};
use crate::repair::form::Current;
use crate::report::diagnostics::{Diagnostic, Diagnostics};
use crate::report::dig::{Failure, normalise};
use crate::report::{Report, Status, Verdict};
use std::cmp::Reverse;

/// Most failing tests that are named.
const MOST_TESTS: usize = 20;
/// Most findings that are named.
const MOST_FINDINGS: usize = 30;
/// Longest name of a test or message on one line, in characters.
const MOST_LINE: usize = 300;

/// What was seen of the newest code.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on, one line.
    pub why: &'a str,
    /// What the tests reported.
    pub report: &'a Report,
    /// Listed ids that did not pass.
    pub unmet: &'a [(String, Option<Status>)],
    /// Why it failed, dug out.
    pub failure: Option<&'a Failure>,
    /// What compiler and analyser said; `None`: none ran.
    pub diagnostics: Option<&'a Diagnostics>,
    /// The tree, for the lines that findings are about.
    pub current: Option<&'a Current<'a>>,
    /// Where the tree lay when the tests ran.
    pub root: &'a str,
}

/// Feedback `test`.
pub fn test(observed: &Observed<'_>, most: usize) -> String {
    let mut text = headline(observed);
    let failed = failed_tests(observed);
    if !failed.is_empty() {
        text.push_str("\n\nTests that did not pass:\n");
        for (name, status, message) in failed.iter().take(MOST_TESTS) {
            text.push_str(&format!("\n- {name} ({status})"));
            if let Some(message) = message {
                text.push('\n');
                text.push_str(&indented(message));
            }
        }
        if failed.len() > MOST_TESTS {
            text.push_str(&format!("\n- … and {} more", failed.len() - MOST_TESTS));
        }
    }
    if let Some(failure) = observed.failure.filter(|failure| !failure.excerpt.trim().is_empty()) {
        let place = failure.place.as_ref().map(|place| format!(" at {}", line(&place.to_string())));
        let class = line(&failure.class.to_string());
        text.push_str(&format!("\n\nWhat was printed ({class}{}):\n", place.unwrap_or_default()));
        text.push('\n');
        text.push_str(&indented(&clean(&failure.excerpt)));
    }
    bounded(&normalise(&text, observed.root), most)
}

fn headline(observed: &Observed<'_>) -> String {
    let why = line(observed.why);
    match observed.verdict {
        Verdict::Passed => "All tests passed.".to_owned(),
        Verdict::Failed => {
            let executed = observed.report.executed();
            let failures = observed.report.cases.iter().filter(|case| case.status.is_failure()).count();
            match failures {
                0 => "Not all tests that must pass did.".to_owned(),
                failures => format!("{failures} of {executed} tests failed."),
            }
        }
        Verdict::Timeout => "The tests did not end in time: the code loops, waits or is too slow.".to_owned(),
        Verdict::Crashed => format!("The tests crashed ({why})."),
        Verdict::OutOfMemory => "The tests ran out of memory.".to_owned(),
        Verdict::BuildError => "The code does not build.".to_owned(),
        Verdict::NoTests => format!("No test could be executed ({why})."),
        Verdict::ReportMismatch => format!("The results of the tests contradict each other ({why})."),
        Verdict::InfraError | Verdict::NotRun => "The tests were not run.".to_owned(),
    }
}

/// Tests that failed, or are listed and did not pass: name, status, message.
fn failed_tests(observed: &Observed<'_>) -> Vec<(String, &'static str, Option<String>)> {
    let mut found = Vec::new();
    for case in observed.report.cases.iter().filter(|case| case.status.is_failure()) {
        let message = case.message.as_ref().map(|message| bounded(clean(message).trim(), 2 * MOST_LINE));
        found.push((line(&case.id), case.status.as_str(), message.filter(|message| !message.is_empty())));
    }
    for (id, status) in observed.unmet {
        let name = line(id);
        if !found.iter().any(|(known, ..)| *known == name) {
            found.push((name, status.map_or("not seen", Status::as_str), None));
        }
    }
    found
}

/// Feedback `compiler`.
pub fn compiler(observed: &Observed<'_>, most: usize) -> String {
    let Some(diagnostics) = observed.diagnostics else {
        return match observed.failure.filter(|_| observed.verdict == Verdict::BuildError) {
            Some(failure) => {
                let text = format!("The code does not build:\n\n{}", indented(&clean(&failure.excerpt)));
                bounded(&normalise(&text, observed.root), most)
            }
            None => "No compiler or analyser has anything to say about this code.".to_owned(),
        };
    };
    if diagnostics.items.is_empty() {
        return "The compiler and the analyser found nothing.".to_owned();
    }
    let mut items: Vec<&Diagnostic> = diagnostics.items.iter().collect();
    items.sort_by_key(|item| (Reverse(item.severity), &item.file, item.line, item.column, &item.message));
    items.dedup();
    let total = items.len() + diagnostics.left_out;
    let mut text = match total {
        1 => "The compiler and the analyser found one thing:\n".to_owned(),
        total => format!("The compiler and the analyser found {total} things:\n"),
    };
    for item in items.iter().take(MOST_FINDINGS) {
        text.push_str(&format!("\n- {}", finding(item)));
        if let Some(source) = source_line(observed, item) {
            text.push('\n');
            text.push_str(&indented(&source));
        }
    }
    if total > MOST_FINDINGS {
        text.push_str(&format!("\n- … and {} more", total - MOST_FINDINGS));
    }
    bounded(&normalise(&text, observed.root), most)
}

/// `src/a.c:12:5: error: message [code]`.
fn finding(item: &Diagnostic) -> String {
    let mut text = line(&item.file);
    for number in [item.line, item.column].into_iter().flatten() {
        text.push_str(&format!(":{number}"));
    }
    if !text.is_empty() {
        text.push_str(": ");
    }
    text.push_str(&format!("{}: {}", item.severity, line(&item.message)));
    if let Some(code) = &item.code {
        text.push_str(&format!(" [{}]", line(code)));
    }
    text
}

fn source_line(observed: &Observed<'_>, item: &Diagnostic) -> Option<String> {
    let file = item.file.strip_prefix(observed.root).filter(|_| !observed.root.is_empty());
    let path = file.unwrap_or(&item.file).trim_start_matches("./").trim_start_matches('/');
    let text = observed.current?.get(path)?.text()?;
    let found = text.lines().nth(item.line?.checked_sub(1)? as usize)?.trim();
    (!found.is_empty()).then(|| line(found))
}

/// One line of something from outside.
fn line(text: &str) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    cut(&clean(&flat.join(" ")), MOST_LINE)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
