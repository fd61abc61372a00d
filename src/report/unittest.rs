//! Reads Python's unittest: verbose and quiet, 3.5 to 3.14.
//!
//! Promises: ids are `module.Class.test` whatever the version; sub-tests count for their test; a failed import is a
//! case named after the module, a failed set-up of a class or module one named after that
//! (`module.Class.setUpClass`). A test whose result drowned in its own output takes it from the sections and the
//! summary, when they leave no doubt, else it is `not-run`.
//! Leaves to others: pytest, which runs the same tests in its own words.

use super::collect::Collector;
use super::{Case, Report, Status};

/// Reads lines; see the module.
#[derive(Debug, Default)]
pub(super) struct Unittest {
    found: Collector,
    place: Place,
    /// The test that started and has no result yet.
    open: Option<String>,
    /// A line that may be the name of a test, whose first words of documentation follow.
    announced: Option<String>,
    /// Tests whose result could not be read.
    unclear: Vec<String>,
    starts: usize,
    seen: Tally,
    sections: usize,
    last_was_rule: bool,
    ran: Option<usize>,
    summary: Option<Tally>,
    failed: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Tests,
    /// A line of `=` was seen; the headline of a section follows.
    Headline,
    /// Inside the section of a test.
    Section { id: String, expects_exception: bool },
    /// After `Ran N tests`.
    Summary,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    failures: usize,
    errors: usize,
    skipped: usize,
    expected_failures: usize,
    unexpected_passes: usize,
}

/// The name of a test as it is printed.
struct Name<'a> {
    id: String,
    is_part: bool,
    /// Set-up of a class or module: no test, and not counted.
    is_fixture: bool,
    rest: &'a str,
}

impl Unittest {
    pub(super) fn cases(&self) -> &[Case] {
        self.found.cases()
    }

    pub(super) fn line(&mut self, line: &str) {
        let after_rule = std::mem::replace(&mut self.last_was_rule, is_rule(line, '-'));
        if after_rule && let Some(count) = ran(line) {
            self.ran = Some(self.ran.unwrap_or(0).saturating_add(count));
            self.place = Place::Summary;
            return;
        }
        if is_rule(line, '=') {
            self.place = Place::Headline;
            return;
        }
        match std::mem::take(&mut self.place) {
            Place::Tests => self.test_line(line),
            Place::Headline => self.headline(line),
            Place::Section { id, expects_exception } => self.section_line(line, id, expects_exception),
            Place::Summary => self.summary_line(line),
        }
    }

    fn test_line(&mut self, line: &str) {
        let part = line.strip_prefix("  ").and_then(name).filter(|name| name.is_part);
        if let Some(part) = part {
            if let Some(Status::Failed | Status::Errored) = part.rest.strip_prefix(" ... ").and_then(status) {
                self.found.confirm(&part.id, status(&part.rest[5..]).unwrap_or(Status::Failed), None);
            }
            return;
        }
        let mut rest = line;
        // Before 3.11 a failed sub-test leaves the line open, and the next test goes on in it.
        while let Some(name) = name(rest) {
            let Some(after) = name.rest.strip_prefix(" ... ").or_else(|| name.rest.strip_prefix(" ..."))
            else {
                if name.rest.is_empty() {
                    self.announced = Some(name.id);
                    return;
                }
                break;
            };
            self.start(name.id, name.is_fixture);
            if let Some(status) = status(after) {
                self.close(status);
                return;
            }
            rest = after;
        }
        if let Some(id) = self.announced.take()
            && let Some((_, after)) = line.rsplit_once(" ... ")
        {
            self.start(id, false);
            if let Some(status) = status(after) {
                self.close(status);
            }
            return;
        }
        if let Some(status) = status(line) {
            self.close(status);
        }
    }

    fn start(&mut self, id: String, is_fixture: bool) {
        self.announced = None;
        if let Some(before) = self.open.take() {
            self.unclear(before);
        }
        if !is_fixture {
            self.starts += 1;
        }
        self.open = Some(id);
    }

    fn unclear(&mut self, id: String) {
        if self.unclear.len() < super::MOST_CASES {
            self.unclear.push(id);
        }
    }

    fn close(&mut self, status: Status) {
        let Some(id) = self.open.take() else { return };
        match status {
            Status::Skipped => self.seen.skipped += 1,
            Status::ExpectedFailure => self.seen.expected_failures += 1,
            Status::UnexpectedPass => self.seen.unexpected_passes += 1,
            _ => {}
        }
        self.found.add(&id, status);
    }

    fn headline(&mut self, line: &str) {
        let kinds = [
            ("FAIL: ", Status::Failed),
            ("ERROR: ", Status::Errored),
            ("UNEXPECTED SUCCESS: ", Status::UnexpectedPass),
        ];
        let found = kinds.iter().find_map(|(word, status)| Some((name(line.strip_prefix(word)?)?, *status)));
        let Some((name, status)) = found else {
            // Something printed a line of `=`, or a name has an unknown form.
            if let Some((word, name)) = line.split_once(": ")
                && matches!(word, "FAIL" | "ERROR")
            {
                self.sections += 1;
                let status = if word == "FAIL" { Status::Failed } else { Status::Errored };
                self.found.confirm(name, status, None);
                self.place = Place::Section { id: name.to_owned(), expects_exception: false };
            }
            return;
        };
        if status != Status::UnexpectedPass {
            self.sections += 1;
        }
        self.found.confirm(&name.id, status, None);
        self.place = Place::Section { id: name.id, expects_exception: false };
    }

    fn section_line(&mut self, line: &str, id: String, expects_exception: bool) {
        let mut expects_exception = expects_exception;
        if line.starts_with("Traceback (most recent call last):") {
            expects_exception = true;
        } else if expects_exception && !line.is_empty() && !line.starts_with(' ') {
            self.found.explain_better(&id, line);
            expects_exception = false;
        }
        self.place = Place::Section { id, expects_exception };
    }

    fn summary_line(&mut self, line: &str) {
        self.place = Place::Summary;
        let (failed, rest) = match line {
            "" => return,
            line if line.starts_with("NO TESTS RAN") => (false, &line[12..]),
            line if line.starts_with("FAILED") => (true, &line[6..]),
            line if line.starts_with("OK") => (false, &line[2..]),
            // Another run in the same output.
            _ => {
                self.place = Place::Tests;
                return self.test_line(line);
            }
        };
        let mut tally = self.summary.unwrap_or_default();
        let inner = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or("");
        for part in inner.split(", ").filter(|part| !part.is_empty()) {
            let Some((word, Ok(count))) =
                part.split_once('=').map(|(word, count)| (word, count.parse::<usize>()))
            else {
                continue;
            };
            let field = match word {
                "failures" => &mut tally.failures,
                "errors" => &mut tally.errors,
                "skipped" => &mut tally.skipped,
                "expected failures" => &mut tally.expected_failures,
                "unexpected successes" => &mut tally.unexpected_passes,
                _ => continue,
            };
            *field = field.saturating_add(count);
        }
        self.summary = Some(tally);
        self.failed |= failed;
    }

    pub(super) fn finish(mut self) -> Report {
        if let Some(id) = self.open.take() {
            self.unclear(id);
        }
        let complete = self.summary.is_some() && self.ran.is_some();
        let summary = self.summary.unwrap_or_default();
        let ran = self.ran.unwrap_or(0);
        let told = summary.failures.saturating_add(summary.errors);
        // Some releases of 3.12 do not count tests that a decorator skips.
        let counts_agree = ran <= self.starts && ran.saturating_add(summary.skipped) >= self.starts;
        let counts_agree = counts_agree && (summary.skipped > 0 || ran == self.starts);
        let others_agree = self.seen.skipped == summary.skipped
            && self.seen.expected_failures == summary.expected_failures
            && self.seen.unexpected_passes == summary.unexpected_passes;
        let certain = complete && counts_agree && others_agree && self.sections == told;
        for id in std::mem::take(&mut self.unclear) {
            if certain {
                if self.found.status(&id).is_none() {
                    self.found.add(&id, Status::Passed);
                }
            } else {
                self.found.confirm(&id, Status::NotRun, Some("it started, and no result was read"));
            }
        }
        let mut unnamed = 0;
        if complete {
            if self.sections != told {
                self.found.contradiction(format!(
                    "{} failures are described, and the summary counts {told}",
                    self.sections
                ));
            }
            if self.starts > 0 && !counts_agree {
                self.found
                    .contradiction(format!("{} tests started, and the summary counts {ran}", self.starts));
            }
            let failures = self.found.cases().iter().filter(|case| case.status.is_failure()).count();
            if !self.failed && failures > 0 {
                self.found.contradiction(format!("the summary says OK, and {failures} tests failed"));
            }
            if self.failed && told + summary.unexpected_passes == 0 {
                self.found.contradiction("the summary says FAILED and counts no failure");
            }
            if self.starts == 0 {
                unnamed = self.unnamed(ran, summary);
            }
        }
        let mut report = self.found.report(complete, self.ran);
        report.unnamed = unnamed;
        report
    }

    /// Quiet form: only failures have names.
    fn unnamed(&mut self, ran: usize, summary: Tally) -> usize {
        let fixture = |case: &&Case| {
            ["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"]
                .iter()
                .any(|name| case.id.rsplit('.').next() == Some(*name))
        };
        let named = self.found.cases().len() - self.found.cases().iter().filter(fixture).count();
        let others = [
            (summary.skipped, "skipped"),
            (summary.expected_failures, "failed as expected"),
            (summary.unexpected_passes, "passed unexpectedly"),
        ];
        for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
            self.found.note(format!("{count} tests {what}; quiet output does not name them"));
        }
        let unexpected_named =
            self.found.cases().iter().filter(|case| case.status == Status::UnexpectedPass).count();
        let unexpected = summary.unexpected_passes.saturating_sub(unexpected_named);
        if unexpected > 0 {
            let message = format!("{unexpected} tests");
            self.found.add_case("(unexpected success)", Status::UnexpectedPass, Some(&message), None);
        }
        ran.saturating_sub(named)
            .saturating_sub(summary.skipped)
            .saturating_sub(summary.expected_failures)
            .saturating_sub(unexpected)
    }
}

/// `test_a (module.Class.test_a)`, before 3.11 `test_a (module.Class)`, with what follows.
fn name(text: &str) -> Option<Name<'_>> {
    let (method, rest) = text.split_once(" (")?;
    if method.is_empty() || method.contains(|c: char| c.is_whitespace() || "()[]:,'\"".contains(c)) {
        return None;
    }
    let (class, mut rest) = rest.split_once(')')?;
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>' | '-');
    if class.is_empty() || !class.chars().all(allowed) {
        return None;
    }
    let mut is_part = false;
    // ` [message]` and ` (number=3)` of a sub-test.
    while rest.starts_with(" [") || rest.starts_with(" (") {
        is_part = true;
        rest = match rest.find(" ... ") {
            Some(end) => &rest[end..],
            None => "",
        };
    }
    let own = class.strip_suffix(method).is_some_and(|before| before.ends_with('.'));
    let id = if class.starts_with("unittest.loader._FailedTest")
        || class.starts_with("unittest.loader.ModuleImportFailure")
        || class.starts_with("unittest.loader.LoadTestsFailure")
    {
        method.to_owned()
    } else if method == "unittest.case.FunctionTestCase" || own {
        class.to_owned()
    } else {
        format!("{class}.{method}")
    };
    let is_fixture = matches!(method, "setUpClass" | "tearDownClass" | "setUpModule" | "tearDownModule");
    Some(Name { id, is_part, is_fixture, rest })
}

fn status(word: &str) -> Option<Status> {
    match word {
        "ok" => Some(Status::Passed),
        "FAIL" => Some(Status::Failed),
        "ERROR" => Some(Status::Errored),
        "expected failure" => Some(Status::ExpectedFailure),
        "unexpected success" => Some(Status::UnexpectedPass),
        "skipped" => Some(Status::Skipped),
        _ => {
            let reason = word.strip_prefix("skipped ")?;
            (reason.starts_with(['\'', '"']) && reason.ends_with(['\'', '"'])).then_some(Status::Skipped)
        }
    }
}

/// A line of 70 times the same sign.
fn is_rule(line: &str, sign: char) -> bool {
    line.len() == 70 && line.chars().all(|c| c == sign)
}

/// `Ran 3 tests in 0.001s`.
fn ran(line: &str) -> Option<usize> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| count.parse().ok())?
}
