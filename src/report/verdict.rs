//! From a report and the way the runner ended to one word.
//!
//! Promises: the rules of DESIGN §6, in this order: infrastructure, memory, time, signal, then the tests. Whatever
//! is unclear never comes out as `passed`. Leaves to others: running, build errors before the tests.
//!
//! A listed id counts as passed when it passed, or failed as the test itself expects (`expectedFailure`, `xfail`,
//! TODO); skipped, not run and not seen are failures.

use super::{Parser, Report, Status, same};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// What came of testing, in one word (DESIGN §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The tests that count passed.
    Passed,
    /// One of them did not.
    Failed,
    /// Time ran out.
    Timeout,
    /// Ended by a signal, or without a report.
    Crashed,
    /// Memory ran out.
    OutOfMemory,
    /// The build failed.
    BuildError,
    /// No test was executed.
    NoTests,
    /// Report and exit code, or parts of the report, cannot both be true.
    ReportMismatch,
    /// The sandbox or the machine failed, not the code.
    InfraError,
    /// Not tested.
    NotRun,
}

impl Verdict {
    /// All verdicts, in the order of DESIGN.
    pub const ALL: [Verdict; 10] = [
        Verdict::Passed,
        Verdict::Failed,
        Verdict::Timeout,
        Verdict::Crashed,
        Verdict::OutOfMemory,
        Verdict::BuildError,
        Verdict::NoTests,
        Verdict::ReportMismatch,
        Verdict::InfraError,
        Verdict::NotRun,
    ];

    /// The word used in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Timeout => "timeout",
            Verdict::Crashed => "crashed",
            Verdict::OutOfMemory => "out-of-memory",
            Verdict::BuildError => "build-error",
            Verdict::NoTests => "no-tests",
            Verdict::ReportMismatch => "report-mismatch",
            Verdict::InfraError => "infra-error",
            Verdict::NotRun => "not-run",
        }
    }

    /// The verdict with this name.
    pub fn parse(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How the runner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitKind {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Killed because time ran out.
    Timeout,
    /// Killed because memory ran out.
    OutOfMemory,
    /// Killed because it wrote more than it may, to its output or the disk.
    Excess,
    /// The sandbox or the machine failed.
    Infrastructure,
    /// Never started, or cancelled.
    NotRun,
}

impl fmt::Display for ExitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitKind::Code(code) => write!(f, "exit code {code}"),
            ExitKind::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
            ExitKind::Timeout => f.write_str("time ran out"),
            ExitKind::OutOfMemory => f.write_str("memory ran out"),
            ExitKind::Excess => f.write_str("wrote more than it may"),
            ExitKind::Infrastructure => f.write_str("the sandbox failed"),
            ExitKind::NotRun => f.write_str("not run"),
        }
    }
}

/// The name of a signal on Linux.
pub fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

/// A verdict and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The word.
    pub verdict: Verdict,
    /// One line for people.
    pub why: String,
    /// Listed ids that did not pass, with their status; `None`: not seen.
    pub unmet: Vec<(String, Option<Status>)>,
}

/// The verdict on a report; see [`judge`].
pub fn verdict(report: &Report, exit: ExitKind, fail_to_pass: &[String], pass_to_pass: &[String]) -> Verdict {
    judge(report, exit, fail_to_pass, pass_to_pass).verdict
}

/// The verdict on a report, with its reason and the listed ids that were not met.
pub fn judge(report: &Report, exit: ExitKind, fail_to_pass: &[String], pass_to_pass: &[String]) -> Judgement {
    let with_code;
    let report = match (report.parser, exit) {
        (Parser::ExitCode, ExitKind::Code(code)) => {
            with_code = Report::of_exit_code(code);
            &with_code
        }
        _ => report,
    };
    let unmet = unmet(report, fail_to_pass.iter().chain(pass_to_pass));
    let listed = fail_to_pass.len() + pass_to_pass.len();
    let (verdict, why) = decide(report, exit, listed, &unmet);
    Judgement { verdict, why, unmet }
}

fn decide(
    report: &Report,
    exit: ExitKind,
    listed: usize,
    unmet: &[(String, Option<Status>)],
) -> (Verdict, String) {
    let code = match exit {
        ExitKind::Code(code) => code,
        ExitKind::Signal(_) | ExitKind::Excess => return (Verdict::Crashed, exit.to_string()),
        ExitKind::Timeout => return (Verdict::Timeout, exit.to_string()),
        ExitKind::OutOfMemory => return (Verdict::OutOfMemory, exit.to_string()),
        ExitKind::Infrastructure => return (Verdict::InfraError, exit.to_string()),
        ExitKind::NotRun => return (Verdict::NotRun, exit.to_string()),
    };
    if report.build_failed {
        return (Verdict::BuildError, "the runner could not build the tests".to_owned());
    }
    let executed = report.executed();
    // A shell in between tells a signal as 128 and its number.
    if !report.complete && !report.bailed_out && (129..=192).contains(&code) {
        return (Verdict::Crashed, format!("no full report, and {}", ExitKind::Signal(code - 128)));
    }
    if executed == 0 && !report.complete && code != 0 && report.planned.is_some_and(|planned| planned > 0) {
        return (Verdict::Crashed, format!("exit code {code} before the first result"));
    }
    if executed == 0 {
        let why = match report.cases.iter().filter(|case| case.status == Status::Skipped).count() {
            0 => format!("no test was executed, exit code {code}"),
            skipped => format!("no test was executed, {skipped} skipped"),
        };
        return (Verdict::NoTests, why);
    }
    let failures = report.cases.iter().filter(|case| case.status.is_failure()).count();
    let at_odds = if code == 0 && failures > 0 && report.parser != Parser::Tap {
        // TAP itself asks for no exit code, and many printers of it always end with 0.
        Some(format!("exit code 0, although {failures} tests failed"))
    } else if code == 0 && !report.complete {
        Some("exit code 0, although the report breaks off".to_owned())
    } else if code != 0 && report.complete && failures == 0 && !report.bailed_out {
        Some(format!("exit code {code}, although no test failed"))
    } else {
        None
    };
    if let Some(why) = at_odds {
        return (Verdict::ReportMismatch, why);
    }
    if !report.complete && !report.bailed_out && code != 0 {
        return (Verdict::Crashed, format!("exit code {code} before the report was complete"));
    }
    if listed > 0 {
        if let Some((id, status)) = unmet.first() {
            let status = match status {
                Some(status) => status.as_str(),
                None if report.unnamed > 0 => {
                    "not seen (passing tests have no names in this output: run it verbosely)"
                }
                None => "not seen",
            };
            return (Verdict::Failed, format!("{} of {listed} listed: {id} {status}", unmet.len()));
        }
    } else if failures > 0 {
        return (Verdict::Failed, format!("{failures} of {executed} failed"));
    }
    // From here on it would have passed.
    if report.bailed_out {
        return (Verdict::Failed, "the runner gave up".to_owned());
    }
    if let Some(contradiction) = report.contradictions.first() {
        return (Verdict::ReportMismatch, contradiction.clone());
    }
    let why =
        if listed > 0 { format!("{listed} of {listed} listed") } else { format!("{executed} executed") };
    (Verdict::Passed, why)
}

/// Listed ids that did not pass.
fn unmet<'a>(report: &Report, listed: impl Iterator<Item = &'a String>) -> Vec<(String, Option<Status>)> {
    let mut listed = listed.peekable();
    if listed.peek().is_none() {
        return Vec::new();
    }
    let exact: HashMap<&str, Status> =
        report.cases.iter().map(|case| (case.id.as_str(), case.status)).collect();
    let mut alike: HashMap<Cow<'_, str>, Status> = HashMap::new();
    for case in &report.cases {
        let worst = alike.entry(same(&case.id)).or_insert(case.status);
        *worst = (*worst).max(case.status);
    }
    listed
        .filter_map(|id| {
            let status = exact.get(id.as_str()).or_else(|| alike.get(&same(id))).copied();
            let met = matches!(status, Some(Status::Passed | Status::ExpectedFailure));
            (!met).then(|| (id.clone(), status))
        })
        .collect()
}
