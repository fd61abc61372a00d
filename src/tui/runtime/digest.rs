//! From a report to what the screen shows of it.
//!
//! Promises: pure and bounded; done on the thread that verified. Leaves to others: the words of the verdict line
//! (`screens::task::testing`), drawing.

use super::collector::lines_of;
use crate::diff::Side;
use crate::harness::{Expected, Step, Verified, VerifyReport, Version};
use crate::report::Status;
use crate::report::diagnostics::{Diagnostics, Form, Severity};
use crate::report::dig::{self, Sections, Stage};
use crate::syntax::functions;
use crate::task::{Content, Task};
use crate::theme::Role;
use crate::tui::msg::verify::Finished;
use crate::tui::widgets::diff_view::{Mark, MarkKind};
use crate::tui::widgets::output_view::{OutputLine, Source};
use crate::tui::widgets::test_list::{Detail, Spot, TestList};
use std::collections::{BTreeMap, HashMap};

/// Failed tests whose place is looked for.
const MOST_PLACES: usize = 1_000;
/// Marks that are made.
const MOST_MARKS: usize = 2_000;
/// Files in which the functions of tests are looked for.
const MOST_TEST_FILES: usize = 50;
/// Remarks that are shown.
const MOST_NOTES: usize = 50;

/// What the screen shows of a report.
pub fn digest(
    task: &Task,
    version: Version,
    analysers: &[Form],
    expected: Expected,
    verified: Verified,
    trouble: Option<String>,
) -> Finished {
    let Verified { report, cached } = verified;
    let tree = match version {
        Version::Buggy => task.buggy_tree(),
        Version::Reference => task.reference_tree(),
    };
    let files: Vec<&str> = tree.keys().copied().collect();
    let ground = dig::Ground { root: "", files: &files };
    let mut spots = spots(&report, &tree, &task.language, ground);
    let spot = report
        .failure
        .as_ref()
        .and_then(|failure| failure.place.as_ref())
        .map(|place| Spot { file: place.file.clone(), line: place.line, failed: true })
        .or_else(|| {
            let cases = report.report.cases.iter();
            cases.filter_map(|case| spots.get(&case.id)).find(|spot| spot.failed).cloned()
        });
    let marks = marks(&report, version, analysers, &spots, spot.as_ref(), ground);
    let ran = test_steps(&report).next().is_some();
    let tests = TestList::of(&expected, &report.report, &mut spots, ran);
    Finished {
        version,
        verdict: report.verdict,
        why: report.why.clone(),
        rung: report.rung,
        seconds: report.seconds,
        cached,
        counts: report.passed_of(),
        failure: report.failure.as_ref().and_then(failure_in_words),
        spot,
        tests,
        details: details(&report),
        held: held(&report),
        marks,
        transcript: if cached { transcript(&report) } else { Vec::new() },
        trouble,
        expected,
    }
}

fn failure_in_words(failure: &dig::Failure) -> Option<String> {
    let class = match &failure.class {
        dig::Class::Unknown => return None,
        class => class.to_string(),
    };
    Some(if failure.stage == Stage::Load { format!("{class} while loading the tests") } else { class })
}

/// Where failed tests failed, or at least where they are written.
fn spots(
    report: &VerifyReport,
    tree: &BTreeMap<&str, &Content>,
    language: &str,
    ground: dig::Ground<'_>,
) -> HashMap<String, Spot> {
    let mut found = HashMap::new();
    let failed: Vec<_> = report.report.cases.iter().filter(|case| case.status.is_failure()).collect();
    if failed.is_empty() {
        return found;
    }
    let output: String =
        test_steps(report).map(|step| format!("{}\n{}\n", step.stdout.text(), step.stderr.text())).collect();
    let sections = Sections::of(&output);
    let mut written: Option<HashMap<String, Spot>> = None;
    for case in failed.into_iter().take(MOST_PLACES) {
        let told = [sections.about(&case.id), case.message.as_deref()];
        let place = told.into_iter().flatten().find_map(|text| dig::first_own(text, ground));
        let spot = match place {
            Some(place) => Some(Spot { file: place.file, line: place.line, failed: true }),
            None => {
                let written = written.get_or_insert_with(|| functions_of(tree, language));
                written.get(dig::last_name(&case.id)).cloned()
            }
        };
        if let Some(spot) = spot {
            found.insert(case.id.clone(), spot);
        }
    }
    found
}

/// Functions of files that look like tests, by name; a name that several have names none.
fn functions_of(tree: &BTreeMap<&str, &Content>, language: &str) -> HashMap<String, Spot> {
    let mut found: HashMap<String, Option<Spot>> = HashMap::new();
    let tests = tree.iter().filter(|(path, _)| path.to_ascii_lowercase().contains("test"));
    for (path, content) in tests.take(MOST_TEST_FILES) {
        let Some(text) = content.text() else { continue };
        for function in functions(language, &text).unwrap_or_default() {
            let spot = Spot { file: (*path).to_owned(), line: function.lines.start + 1, failed: false };
            found.entry(function.name).and_modify(|known| *known = None).or_insert(Some(spot));
        }
    }
    found.into_iter().filter_map(|(name, spot)| Some((name, spot?))).collect()
}

fn test_steps(report: &VerifyReport) -> impl Iterator<Item = &Step> {
    report.steps.iter().filter(|step| step.stage == Stage::Test)
}

/// What compilers and tests have to say about lines of this version.
fn marks(
    report: &VerifyReport,
    version: Version,
    analysers: &[Form],
    spots: &HashMap<String, Spot>,
    place: Option<&Spot>,
    ground: dig::Ground<'_>,
) -> Vec<Mark> {
    let side = if version == Version::Buggy { Side::Old } else { Side::New };
    let mut marks = Vec::new();
    let mut add = |file: String, line: u32, kind: MarkKind, message: String| {
        let mark = Mark { file, side, line: line.saturating_sub(1), kind, message };
        if marks.len() < MOST_MARKS && !marks.contains(&mark) {
            marks.push(mark);
        }
    };
    for step in &report.steps {
        let could_not_load = report.failure.as_ref().is_some_and(|failure| failure.stage == Stage::Load);
        if step.stage != Stage::Build && !could_not_load {
            continue;
        }
        for form in analysers {
            let Diagnostics { items, .. } = form.read(&step.stderr.text());
            for item in items {
                let (Some(file), Some(line)) = (ground.own(&item.file), item.line) else { continue };
                let kind = match item.severity {
                    Severity::Error => MarkKind::Error,
                    Severity::Warning => MarkKind::Warning,
                    Severity::Note => MarkKind::Note,
                };
                let code = item.code.map_or_else(String::new, |code| format!(" [{code}]"));
                add(file, line, kind, format!("{}: {}{code}", item.severity, item.message));
            }
        }
    }
    // In the order of the report, so that two runs of the same look the same.
    for case in &report.report.cases {
        let Some(spot) = spots.get(&case.id).filter(|spot| spot.failed) else { continue };
        let why = case.message.as_deref().and_then(|text| text.lines().next()).unwrap_or("failed");
        add(spot.file.clone(), spot.line, MarkKind::Failure, format!("{}: {why}", case.id));
    }
    if let Some(spot) = place
        && !marks.iter().any(|mark| mark.file == spot.file && mark.line + 1 == spot.line)
    {
        let excerpt = report.failure.as_ref().map_or("", |failure| failure.excerpt.as_str());
        let why = excerpt.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("failed here");
        let mark = Mark {
            file: spot.file.clone(),
            side,
            line: spot.line.saturating_sub(1),
            kind: MarkKind::Failure,
            message: why.trim().to_owned(),
        };
        marks.push(mark);
    }
    marks
}

fn details(report: &VerifyReport) -> Vec<Detail> {
    let mut details = Vec::new();
    // Tests that failed have their own messages.
    let told = report.report.cases.iter().any(|case| case.status.is_failure() && case.message.is_some());
    if let Some(failure) = report.failure.as_ref().filter(|_| !told)
        && !failure.excerpt.trim().is_empty()
    {
        details.push(Detail::Heading("What it said".to_owned(), String::new()));
        details.extend(failure.excerpt.lines().map(|line| Detail::Text(line.to_owned(), Role::Text)));
    }
    let unseen =
        report.unmet.iter().filter(|(_, status)| status.is_none_or(|status| status == Status::NotRun));
    let doubts = report.report.contradictions.iter().map(|text| (text.clone(), Role::StatusWarn));
    let refused = report
        .refused
        .iter()
        .map(|change| (format!("{} was not changed: {}", change.path, change.why), Role::StatusWarn));
    let removed = report.removed.iter().map(|path| {
        (format!("{path} was added by the build and removed: no answer may add it"), Role::StatusWarn)
    });
    let notes = report.notes.iter().chain(&report.report.notes).map(|text| (text.clone(), Role::TextDim));
    let unseen = unseen.map(|(id, _)| (format!("{id} did not run"), Role::StatusWarn));
    let remarks: Vec<(String, Role)> =
        doubts.chain(refused).chain(removed).chain(unseen).chain(notes).collect();
    if !remarks.is_empty() {
        details.push(Detail::Heading("Remarks".to_owned(), remarks.len().to_string()));
        let shown = remarks.into_iter().take(MOST_NOTES);
        details.extend(shown.map(|(text, role)| Detail::Text(text, role)));
    }
    if !report.steps.is_empty() {
        details.push(Detail::Heading("What was run".to_owned(), String::new()));
        for step in &report.steps {
            let ended = format!("{}, {:.2} s   {}", step.exit, step.seconds, step.command.display());
            details.push(Detail::Field(step.stage.to_string(), ended));
        }
    }
    details
}

/// What held the sandbox, a line for each bound.
fn held(report: &VerifyReport) -> Vec<Detail> {
    let mut by_bound: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mechanism in &report.mechanisms {
        by_bound.entry(&mechanism.bound).or_default().push(&mechanism.by);
    }
    let lines = by_bound.into_iter().map(|(bound, by)| Detail::Field(bound.to_owned(), by.join(", ")));
    let heading = Detail::Heading("What held it".to_owned(), String::new());
    let lines: Vec<Detail> = lines.collect();
    if lines.is_empty() { lines } else { std::iter::once(heading).chain(lines).collect() }
}

/// What the commands of a stored report wrote.
pub(super) fn transcript(report: &VerifyReport) -> Vec<OutputLine> {
    let mut lines = Vec::new();
    for step in &report.steps {
        lines.push(OutputLine::note(step.stage.as_str()));
        for (source, captured) in [(Source::Output, &step.stdout), (Source::Errors, &step.stderr)] {
            lines.extend(lines_of(source, &captured.text()));
        }
    }
    lines
}
