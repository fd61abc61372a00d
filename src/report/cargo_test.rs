//! Reads Rust's libtest, run alone or by cargo: pretty and terse, one thread or many, with output in between.
//!
//! Promises: ids are the paths that libtest prints, without remarks such as ` - should panic`; several test
//! programs in one output are several sections, each held to its own `test result`.
//! Leaves to others: nextest, and libtest's JSON, which needs a nightly compiler.

use super::collect::Collector;
use super::{Case, Report, Status};

/// Reads lines; see the module.
#[derive(Debug, Default)]
pub(super) struct CargoTest {
    found: Collector,
    section: Option<Section>,
    sections: usize,
    planned: usize,
    unnamed: usize,
    incomplete: bool,
    build_failed: bool,
}

/// From `running N tests` to `test result`.
#[derive(Debug, Default)]
struct Section {
    planned: usize,
    open: Option<String>,
    unclear: Vec<String>,
    seen: Tally,
    /// After `failures:`.
    details: bool,
    /// Test whose output is shown.
    shown: Option<String>,
    expects_reason: bool,
    /// Names listed at the end.
    failed: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    measured: usize,
}

impl CargoTest {
    pub(super) fn cases(&self) -> &[Case] {
        self.found.cases()
    }

    pub(super) fn line(&mut self, line: &str) {
        if let Some(count) = running(line) {
            self.break_off();
            self.sections += 1;
            self.planned = self.planned.saturating_add(count);
            self.section = Some(Section { planned: count, ..Section::default() });
            return;
        }
        if let Some((ok, tally)) = result(line) {
            self.end(ok, tally);
            return;
        }
        if line.starts_with("error: could not compile ") || line.starts_with("error: build failed") {
            self.build_failed = true;
        }
        if line.contains("process didn't exit successfully") && line.contains("(signal: ") {
            self.found.note(line.trim());
        }
        let Some(section) = &mut self.section else { return };
        if section.details {
            section.detail_line(line, &mut self.found)
        } else {
            section.test_line(line, &mut self.found)
        }
    }

    /// A section without its result: the process left.
    fn break_off(&mut self) {
        let Some(mut section) = self.section.take() else { return };
        self.incomplete = true;
        section.unclear.extend(section.open.take());
        for id in &section.failed {
            self.found.confirm(id, Status::Failed, None);
        }
        for id in section.unclear {
            self.found.confirm(&id, Status::NotRun, Some("it started, and no result was read"));
        }
        self.found.note("a test program ended without its `test result` line");
    }

    fn end(&mut self, ok: bool, told: Tally) {
        let Some(mut section) = self.section.take() else {
            self.found.contradiction("a `test result` line belongs to no `running … tests`");
            return;
        };
        section.unclear.extend(section.open.take());
        let mut failed = section.failed;
        failed.sort();
        failed.dedup();
        for id in &failed {
            self.found.confirm(id, Status::Failed, None);
        }
        let unclear: Vec<String> =
            section.unclear.into_iter().filter(|id| failed.binary_search(id).is_err()).collect();
        let passed = section.seen.passed + unclear.len();
        let certain =
            passed == told.passed && section.seen.ignored == told.ignored && failed.len() == told.failed;
        for id in unclear {
            if certain {
                self.found.add(&id, Status::Passed);
            } else {
                self.found.confirm(&id, Status::NotRun, Some("it started, and no result was read"));
            }
        }
        let sum = told
            .passed
            .saturating_add(told.failed)
            .saturating_add(told.ignored)
            .saturating_add(told.measured);
        if sum != section.planned {
            self.found.contradiction(format!(
                "{} tests were announced, and the result counts {sum}",
                section.planned
            ));
        }
        let named = section.seen.passed + section.seen.failed + section.seen.ignored + section.seen.measured;
        if named == 0 || (section.seen.passed == 0 && section.seen.ignored == 0 && !certain) {
            // The terse form names failures only.
            self.unnamed += told.passed;
        } else if passed != told.passed {
            self.found.contradiction(format!(
                "{passed} tests passed by name, and the result counts {}",
                told.passed
            ));
        } else if section.seen.ignored != told.ignored {
            self.found.contradiction(format!(
                "{} tests were ignored by name, and the result counts {}",
                section.seen.ignored, told.ignored
            ));
        }
        if failed.len() != told.failed {
            self.found.contradiction(format!(
                "{} failures are listed, and the result counts {}",
                failed.len(),
                told.failed
            ));
        }
        if ok != (told.failed == 0) {
            self.found.contradiction("the word of a `test result` line does not fit its counts");
        }
    }

    pub(super) fn finish(mut self) -> Report {
        self.break_off();
        let complete = self.sections > 0 && !self.incomplete;
        let mut report = self.found.report(complete, (self.sections > 0).then_some(self.planned));
        report.unnamed = self.unnamed;
        report.build_failed = self.build_failed && self.sections == 0;
        report
    }
}

impl Section {
    fn test_line(&mut self, line: &str, found: &mut Collector) {
        if line == "failures:" {
            self.details = true;
            return;
        }
        if let Some((name, after)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
            && is_name(name)
        {
            let id = name_only(name);
            if let Some(before) = self.open.replace(id.to_owned()) {
                self.unclear.push(before);
            }
            if let Some((status, seconds)) = status(after) {
                self.close(status, seconds, found);
            }
            return;
        }
        // With one thread and output let through, the result stands alone or behind that output.
        if self.open.is_some()
            && let Some((status, seconds)) = status(line)
        {
            self.close(status, seconds, found);
        }
    }

    fn close(&mut self, status: Option<Status>, seconds: Option<f64>, found: &mut Collector) {
        let Some(id) = self.open.take() else { return };
        let Some(status) = status else {
            self.seen.measured += 1;
            found.add_case(&id, Status::Passed, None, seconds);
            return;
        };
        match status {
            Status::Passed => self.seen.passed += 1,
            Status::Skipped => self.seen.ignored += 1,
            _ => self.seen.failed += 1,
        }
        found.add_case(&id, status, None, seconds);
    }

    fn detail_line(&mut self, line: &str, found: &mut Collector) {
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            let id = name_only(name).to_owned();
            found.confirm(&id, Status::Failed, None);
            self.shown = Some(id);
            self.expects_reason = false;
            return;
        }
        if line == "failures:" {
            self.shown = None;
            self.failed.clear();
            return;
        }
        match &self.shown {
            Some(id) => {
                let reason = line.strip_prefix("note: test did not panic").map(|_| line);
                let reason = reason.or_else(|| line.starts_with("Error: ").then_some(line));
                if self.expects_reason || reason.is_some() {
                    found.explain(id, reason.unwrap_or(line));
                }
                self.expects_reason = is_panic(line);
            }
            None => {
                if let Some(name) = line.strip_prefix("    ").filter(|name| is_name(name))
                    && self.failed.len() < super::MOST_CASES
                {
                    self.failed.push(name_only(name).to_owned());
                }
            }
        }
    }
}

/// `thread 'tests::a' (123) panicked at src/lib.rs:1:2:`; the message is on the next line.
fn is_panic(line: &str) -> bool {
    line.starts_with("thread '")
        && line.contains("' ")
        && line.contains("panicked at ")
        && line.ends_with(':')
}

/// Names have no spaces, except those of documentation tests.
fn is_name(name: &str) -> bool {
    let name = name_only(name);
    let plain = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    plain(name)
        || name
            .split_once(" - ")
            .is_some_and(|(file, rest)| plain(file) && (rest.starts_with('(') || rest.contains(" (line ")))
        || name.contains(" (line ")
}

fn name_only(name: &str) -> &str {
    let mut name = name.trim();
    for remark in [" - should panic", " - compile fail", " - compile"] {
        name = name.strip_suffix(remark).unwrap_or(name);
    }
    name
}

/// The word behind a name; `None` in it stands for a measurement.
fn status(text: &str) -> Option<(Option<Status>, Option<f64>)> {
    let text = text.trim_end();
    let (word, seconds) = match text.rsplit_once(" <") {
        Some((word, time)) => match time.strip_suffix("s>").and_then(|time| time.parse().ok()) {
            Some(seconds) => (word, Some(seconds)),
            None => (text, None),
        },
        None => (text, None),
    };
    let status = match word {
        "ok" => Some(Status::Passed),
        "FAILED" => Some(Status::Failed),
        "ignored" => Some(Status::Skipped),
        word if word.starts_with("ignored, ") => Some(Status::Skipped),
        word if word.starts_with("FAILED (") => Some(Status::Failed),
        word if word.starts_with("bench: ") => None,
        _ => return None,
    };
    Some((status, seconds))
}

/// `running 3 tests`.
fn running(line: &str) -> Option<usize> {
    let (count, word) = line.strip_prefix("running ")?.split_once(' ')?;
    matches!(word, "test" | "tests").then(|| count.parse().ok())?
}

/// `test result: FAILED. 2 passed; 4 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
fn result(line: &str) -> Option<(bool, Tally)> {
    let (word, rest) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut tally = Tally::default();
    for part in rest.split("; ") {
        let Some((count, what)) = part.split_once(' ') else { continue };
        let Ok(count) = count.parse() else { continue };
        match what {
            "passed" => tally.passed = count,
            "failed" => tally.failed = count,
            "ignored" => tally.ignored = count,
            "measured" => tally.measured = count,
            _ => {}
        }
    }
    matches!(word, "ok" | "FAILED").then_some((word == "ok", tally))
}
