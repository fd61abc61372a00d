//! Reads pytest's text: `-v`, `-q`, plain, with or without output captured, and the short summary.
//!
//! Promises: ids are pytest's own (`path/test_a.py::Class::test[parameters]`); what pytest shows under its headings
//! of failures (captured output among it) is never read as a result; every count is held against the last line.
//! Leaves to others: xdist's lines, plugins with screens of their own, JUnit files of pytest (`junit`).

use super::collect::Collector;
use super::{Case, Report, Status};
use std::collections::HashMap;

/// Reads lines; see the module.
#[derive(Debug, Default)]
pub(super) struct Pytest {
    found: Collector,
    place: Place,
    /// A test whose line has no result yet.
    open: Option<String>,
    unclear: Vec<String>,
    /// Results behind names, while the tests ran.
    seen: Tally,
    /// Results in the short summary.
    listed: Tally,
    /// Results without a name.
    stray: usize,
    planned: Option<usize>,
    last: Option<Tally>,
    interrupted: bool,
    /// The block of details that is being read, and first reasons by heading.
    heading: Option<String>,
    reasons: HashMap<String, String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Tests,
    /// Tracebacks and captured output.
    Details,
    /// The short summary.
    Summary,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    expected_failures: usize,
    lenient_passes: usize,
}

impl Tally {
    fn count(&mut self, status: Status) {
        match status {
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Errored => self.errors += 1,
            Status::Skipped => self.skipped += 1,
            Status::ExpectedFailure => self.expected_failures += 1,
            Status::UnexpectedPass => self.lenient_passes += 1,
            Status::NotRun => {}
        }
    }

    fn sum(self) -> usize {
        [self.passed, self.failed, self.errors, self.skipped, self.expected_failures, self.lenient_passes]
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// Words behind a test's name. XPASS stands for [`Status::UnexpectedPass`] here; it is no failure (a strict
/// one is printed as FAILED), so the case becomes passed.
const WORDS: [(&str, Status); 6] = [
    ("PASSED", Status::Passed),
    ("FAILED", Status::Failed),
    ("ERROR", Status::Errored),
    ("SKIPPED", Status::Skipped),
    ("XFAIL", Status::ExpectedFailure),
    ("XPASS", Status::UnexpectedPass),
];

impl Pytest {
    pub(super) fn cases(&self) -> &[Case] {
        self.found.cases()
    }

    pub(super) fn line(&mut self, line: &str) {
        if let Some(tally) = last_line(line) {
            let sum = self.last.get_or_insert_default();
            for (field, more) in [
                (&mut sum.passed, tally.passed),
                (&mut sum.failed, tally.failed),
                (&mut sum.errors, tally.errors),
                (&mut sum.skipped, tally.skipped),
                (&mut sum.expected_failures, tally.expected_failures),
                (&mut sum.lenient_passes, tally.lenient_passes),
            ] {
                *field = field.saturating_add(more);
            }
            self.place = Place::Tests;
            return;
        }
        if let Some(title) = banner(line, '=') {
            self.heading = None;
            self.place = match title {
                "ERRORS" | "FAILURES" | "PASSES" | "XPASSES" | "XFAILURES" | "warnings summary" => {
                    Place::Details
                }
                "short test summary info" => Place::Summary,
                "test session starts" => Place::Tests,
                _ => self.place,
            };
            return;
        }
        if line.starts_with("!!!") && (line.contains("Interrupted: ") || line.contains("KeyboardInterrupt")) {
            self.interrupted = true;
            self.found.note(line.trim_matches(['!', ' ']));
            return;
        }
        if line.starts_with("INTERNALERROR>") {
            self.interrupted = true;
            return;
        }
        match self.place {
            Place::Tests => self.test_line(line),
            Place::Details => self.detail_line(line),
            Place::Summary => self.summary_line(line),
        }
    }

    fn test_line(&mut self, line: &str) {
        if let Some(message) = line.strip_prefix("ERROR: ") {
            self.found.note(message);
            return;
        }
        if let Some(count) = collected(line) {
            self.planned = Some(self.planned.unwrap_or(0).saturating_add(count));
            return;
        }
        let text = without_progress(line);
        if let Some((id, status, reason)) = result(text) {
            if is_id(id) {
                self.open = None;
                self.take(id, status, reason);
                return;
            }
            // Behind the output of the test.
            if id.is_empty() || !id.contains("::") {
                match self.open.take() {
                    Some(open) => self.take(&open, status, reason),
                    None if id.is_empty() => self.stray += 1,
                    None => {}
                }
                return;
            }
        }
        let name = line.split(' ').next().unwrap_or_default();
        if is_id(name) && line.len() > name.len() {
            // `SUBPASSED` and `SUBFAILED` belong to the test of the line.
            let rest = &line[name.len()..];
            if rest.trim_start().starts_with("SUBFAILED") {
                self.add(name, Status::Failed, None, true);
            }
            // With spaces among its parameters the name ends at the bracket.
            let name = match (name.contains('['), line.find("] ")) {
                (true, Some(end)) => &line[..=end],
                _ => name,
            };
            if let Some(before) = self.open.replace(name.to_owned())
                && before != name
                && self.unclear.len() < super::MOST_CASES
            {
                self.unclear.push(before);
            }
        }
    }

    fn take(&mut self, id: &str, status: Status, reason: Option<&str>) {
        self.seen.count(status);
        // An error in the tear-down follows the result of the test itself.
        let again = status == Status::Errored;
        self.add(id, status, reason, again);
    }

    fn add(&mut self, id: &str, status: Status, reason: Option<&str>, again: bool) {
        let (status, reason) = match status {
            Status::UnexpectedPass => {
                (Status::Passed, reason.or(Some("passed, although it is marked as expected to fail")))
            }
            status => (status, reason),
        };
        if again {
            self.found.confirm(id, status, reason);
        } else {
            self.found.add_case(id, status, reason, None);
        }
    }

    fn detail_line(&mut self, line: &str) {
        if let Some(title) = banner(line, '_') {
            let title = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "]
                .iter()
                .find_map(|start| title.strip_prefix(start))
                .unwrap_or(title);
            self.heading = Some(title.to_owned());
        } else if let Some(reason) = line.strip_prefix("E  ")
            && !reason.trim().is_empty()
            && self.reasons.len() < 10_000
            && let Some(heading) = self.heading.take()
        {
            self.reasons.entry(heading).or_insert_with(|| reason.trim().to_owned());
        }
    }

    fn summary_line(&mut self, line: &str) {
        let Some((word, rest)) = line.split_once(' ') else { return };
        if word.starts_with("SUBFAILED") {
            // `SUBFAILED[message] (number=3) id - reason`, `SUBFAILED(number=3) id - reason`.
            let Some(at) = rest.rfind("::").or_else(|| line.rfind("::")) else { return };
            let start = rest.get(..at).and_then(|before| before.rfind(' ')).map_or(0, |space| space + 1);
            let (id, reason) = id_and_reason(&rest[start..]);
            self.listed.count(Status::Failed);
            self.add(id, Status::Failed, reason, true);
            return;
        }
        let Some((_, status)) = WORDS.iter().find(|(known, _)| *known == word) else { return };
        // Skipped tests are listed by place and count, without names.
        if *status == Status::Skipped {
            return;
        }
        let (id, reason) = id_and_reason(rest);
        if id.is_empty() || !(id.contains("::") || id.ends_with(".py") || id.ends_with(".txt")) {
            return;
        }
        self.listed.count(*status);
        self.add(id, *status, reason, true);
    }

    pub(super) fn finish(mut self) -> Report {
        let complete = self.last.is_some();
        let told = self.last.unwrap_or_default();
        let unclear: Vec<String> = self.unclear.drain(..).chain(self.open.take()).collect();
        let missing: Vec<String> = unclear.into_iter().filter(|id| self.found.status(id).is_none()).collect();
        let lines_agree = complete && self.seen.passed + missing.len() == told.passed;
        for id in missing {
            if lines_agree {
                self.seen.passed += 1;
                self.found.add(&id, Status::Passed);
            } else {
                self.found.confirm(&id, Status::NotRun, Some("it started, and no result was read"));
            }
        }
        self.better_reasons();
        let mut unnamed = 0;
        if complete {
            self.compare(told);
            let named = self.seen.passed.max(self.listed.passed);
            unnamed = told.passed.saturating_sub(named);
            let lenient = self.seen.lenient_passes.max(self.listed.lenient_passes);
            unnamed += told.lenient_passes.saturating_sub(lenient);
            let failed = self.found.cases().iter().filter(|case| case.status.is_failure()).count();
            let all = told.failed.saturating_add(told.errors);
            if failed == 0 && all > 0 {
                let message = format!("{all} tests, which the output does not name");
                self.found.add_case("(failed)", Status::Failed, Some(&message), None);
            }
        }
        let planned = self.planned;
        let mut report = self.found.report(complete, planned);
        report.unnamed = unnamed;
        // What ran before an interruption counts only together with a failure; a collection error is one.
        report.bailed_out = self.interrupted && !report.cases.iter().any(|case| case.status.is_failure());
        report
    }

    fn compare(&mut self, told: Tally) {
        let by_name = self.seen.sum() > 0;
        if by_name && self.seen.passed > 0 && self.seen.passed != told.passed {
            self.found.contradiction(format!(
                "{} tests passed by name, and the last line counts {}",
                self.seen.passed, told.passed
            ));
        }
        for (what, listed, told) in [
            ("passed", self.listed.passed, told.passed),
            ("failed", self.listed.failed, told.failed),
            ("had errors", self.listed.errors, told.errors),
        ] {
            if listed > 0 && listed != told {
                self.found.contradiction(format!(
                    "{listed} tests are listed as {what}, and the last line counts {told}"
                ));
            }
        }
        if by_name && (self.seen.failed > told.failed || self.seen.errors > told.errors) {
            self.found.contradiction("more tests failed by name than the last line counts");
        }
        if self.stray > 0 {
            self.found.contradiction(format!("{} results belong to no test", self.stray));
        }
    }

    /// Puts the first `E` line in the place of the short summary's cut one.
    fn better_reasons(&mut self) {
        let better: Vec<(String, String)> = self
            .found
            .cases()
            .iter()
            .filter(|case| case.status.is_failure())
            .filter_map(|case| {
                let heading = match case.id.split_once("::") {
                    Some((_, path)) => path.replace("::", "."),
                    None => case.id.clone(),
                };
                Some((case.id.clone(), self.reasons.get(&heading)?.clone()))
            })
            .collect();
        for (id, reason) in better {
            self.found.explain_better(&id, &reason);
        }
    }
}

/// The words between two runs of a sign.
fn banner(line: &str, sign: char) -> Option<&str> {
    let inner = line.trim_matches(sign);
    let title = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (line.starts_with(sign) && line.ends_with(sign) && !title.is_empty()).then_some(title)
}

/// `3 passed, 1 failed in 0.03s`, with or without `=` around it.
fn last_line(line: &str) -> Option<Tally> {
    let text = line.trim_matches('=').trim();
    let (counts, time) = text.rsplit_once(" in ")?;
    let time = time.split(' ').next()?;
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    let mut tally = Tally::default();
    if counts == "no tests ran" {
        return Some(tally);
    }
    let mut known = false;
    for part in counts.split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count: usize = count.parse().ok()?;
        match what {
            "passed" => tally.passed = count,
            "failed" => tally.failed = count,
            "error" | "errors" => tally.errors = count,
            "skipped" => tally.skipped = count,
            "xfailed" => tally.expected_failures = count,
            "xpassed" => tally.lenient_passes = count,
            what if what.starts_with("subtests ") => continue,
            "deselected" | "warning" | "warnings" | "rerun" => {}
            _ => return None,
        }
        known = true;
    }
    known.then_some(tally)
}

/// `collected 27 items`, `collected 3 items / 1 error`, `… / 2 deselected / 1 selected`.
fn collected(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("collecting ... ").unwrap_or(line).strip_prefix("collected ")?;
    let (count, rest) = rest.split_once(' ')?;
    if !rest.starts_with("item") {
        return None;
    }
    let count: usize = count.parse().ok()?;
    let selected = rest.split(" / ").find_map(|part| part.strip_suffix(" selected")?.parse().ok());
    Some(selected.unwrap_or(count))
}

/// The line without ` [ 50%]` or ` [ 1/27]` at its end.
fn without_progress(line: &str) -> &str {
    let line = line.trim_end();
    let Some((before, inside)) = line.strip_suffix(']').and_then(|line| line.rsplit_once('[')) else {
        return line;
    };
    let inside = inside.trim();
    let is_share = inside.strip_suffix('%').is_some_and(|share| share.parse::<u8>().is_ok());
    let is_count =
        inside.split_once('/').is_some_and(|(a, b)| a.parse::<usize>().is_ok() && b.parse::<usize>().is_ok());
    if (is_share || is_count) && before.ends_with(' ') { before.trim_end() } else { line }
}

/// What stands before the last result word, the result, and the reason in brackets behind it.
fn result(text: &str) -> Option<(&str, Status, Option<&str>)> {
    let mut best: Option<(usize, &str, Status, Option<&str>)> = None;
    for (word, status) in WORDS {
        for (at, _) in text.rmatch_indices(word).take(20) {
            let after = &text[at + word.len()..];
            let reason = after.strip_prefix(" (").and_then(|reason| reason.strip_suffix(')'));
            if !(after.is_empty() || reason.is_some()) {
                continue;
            }
            if best.is_none_or(|(known, ..)| at > known)
                && (reason.is_none() || text[..at].ends_with(' ') || at == 0)
            {
                best = Some((at, &text[..at], status, reason));
            }
            break;
        }
    }
    let (_, before, status, reason) = best?;
    Some((before.trim_end(), status, reason))
}

/// `path/test_a.py::test_a`: a path without blanks at its ends, then names.
fn is_id(text: &str) -> bool {
    let Some((file, name)) = text.split_once("::") else { return false };
    !file.is_empty()
        && !name.is_empty()
        && !file.starts_with(char::is_whitespace)
        && (file.ends_with(".py")
            || file.ends_with(".txt")
            || file.ends_with(".rst")
            || file.ends_with(".md"))
}

/// `id - reason`; parameters of the id may hold ` - ` themselves.
fn id_and_reason(text: &str) -> (&str, Option<&str>) {
    let dash = text.find(" - ");
    let bracket = text.find('[');
    if let Some(bracket) = bracket
        && dash.is_none_or(|dash| bracket < dash)
    {
        return match text[bracket..].find("] - ") {
            Some(end) => (&text[..=bracket + end], Some(&text[bracket + end + 4..])),
            None => (text.trim_end(), None),
        };
    }
    match dash {
        Some(dash) => (&text[..dash], Some(&text[dash + 3..])),
        None => (text.trim_end(), None),
    }
}
