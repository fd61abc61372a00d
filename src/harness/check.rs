//! Whether a task holds: its buggy version fails, its reference passes, twice, in this sandbox.
//!
//! Promises: a task is quarantined for a reason in words, never because the harness failed; the tests that tell the two
//! versions apart are found from the runs themselves. Leaves to others: running ([`super::Harness`]), keeping the
//! record (`baseline`).

use super::Version;
use super::plan::Expected;
use super::report::VerifyReport;
use super::request::RequestId;
use crate::report::{Status, Verdict};
use crate::sandbox::Rung;
use crate::task::Revision;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Buggy fails, reference passes, twice.
    Holds,
    /// It does not hold, for the reason beside it: left out of runs by default.
    Quarantined,
    /// The harness failed, or it was cancelled: nothing is known.
    Unknown,
}

impl Standing {
    /// The word used on screens and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Quarantined => "quarantined",
            Standing::Unknown => "unknown",
        }
    }
}

/// Why a task is quarantined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It cannot be run at all: no command, no reference, not materialised.
    CannotRun,
    /// The buggy version passes.
    BuggyPasses,
    /// The reference does not pass.
    ReferenceFails,
    /// Two runs of one version differ.
    Flaky,
    /// No test tells the versions apart.
    NoDifference,
    /// The runs contradict the task's own lists.
    ListsDisagree,
}

impl Reason {
    /// The word used on screens and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::CannotRun => "cannot-run",
            Reason::BuggyPasses => "buggy-passes",
            Reason::ReferenceFails => "reference-fails",
            Reason::Flaky => "flaky",
            Reason::NoDifference => "no-difference",
            Reason::ListsDisagree => "lists-disagree",
        }
    }
}

/// One of the runs of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `buggy` or `reference`.
    pub version: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
    /// The request that was answered.
    pub request: RequestId,
    /// How long it took, seconds.
    pub seconds: f64,
}

/// The record of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// `dataset/id`.
    pub task: String,
    /// Revision of the task that was checked.
    pub revision: Revision,
    /// What came of it.
    pub standing: Standing,
    /// Why it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// One line for people.
    pub why: String,
    /// Where it ran.
    pub rung: Option<Rung>,
    /// Tests that fail on the buggy version and pass on the reference: the baseline.
    pub fail_to_pass: Vec<String>,
    /// Tests that pass on both.
    pub pass_to_pass: Vec<String>,
    /// The runs, in their order.
    pub runs: Vec<Run>,
}

impl Check {
    /// The tests that a repaired tree must pass.
    pub fn expected(&self) -> Expected {
        Expected { fail_to_pass: self.fail_to_pass.clone(), pass_to_pass: self.pass_to_pass.clone() }
    }

    /// The record of a task that cannot be run.
    pub fn cannot_run(task: String, revision: Revision, why: String) -> Check {
        Check {
            task,
            revision,
            standing: Standing::Quarantined,
            reason: Some(Reason::CannotRun),
            why,
            rung: None,
            fail_to_pass: Vec::new(),
            pass_to_pass: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// The record of a task about which nothing could be learned.
    pub fn unknown(task: String, revision: Revision, why: String) -> Check {
        Check { standing: Standing::Unknown, reason: None, ..Check::cannot_run(task, revision, why) }
    }
}

/// The runs of a check, in the order in which they are made.
pub const RUNS: [Version; 4] = [Version::Buggy, Version::Reference, Version::Buggy, Version::Reference];

/// Judges the runs of a task; `listed` is what the task itself expects.
pub fn judge(task: String, revision: Revision, listed: &Expected, runs: &[(Version, VerifyReport)]) -> Check {
    let mut check = Check::unknown(task, revision, String::new());
    check.rung = runs.iter().find_map(|(_, report)| report.rung);
    check.runs = runs
        .iter()
        .map(|(version, report)| Run {
            version: version.as_str().to_owned(),
            verdict: report.verdict,
            why: report.why.clone(),
            request: report.request.clone(),
            seconds: report.seconds,
        })
        .collect();
    let (standing, reason, why) = decide(listed, runs, &mut check);
    Check { standing, reason, why, ..check }
}

fn decide(
    listed: &Expected,
    runs: &[(Version, VerifyReport)],
    check: &mut Check,
) -> (Standing, Option<Reason>, String) {
    let lost = runs
        .iter()
        .find(|(_, report)| matches!(report.verdict, Verdict::InfraError | Verdict::NotRun))
        .map(|(version, report)| format!("{}: {}: {}", version.as_str(), report.verdict, report.why));
    if let Some(why) = lost {
        return (Standing::Unknown, None, why);
    }
    let of = |wanted: Version| -> Vec<&VerifyReport> {
        runs.iter().filter(|(version, _)| *version == wanted).map(|(_, report)| report).collect()
    };
    let (buggy, reference) = (of(Version::Buggy), of(Version::Reference));
    if buggy.len() < 2 || reference.len() < 2 {
        return (Standing::Unknown, None, "not all of its runs were made".to_owned());
    }
    let quarantined = |reason, why: String| (Standing::Quarantined, Some(reason), why);
    for (name, reports) in [("buggy", &buggy), ("reference", &reference)] {
        if let Some(why) = difference(reports[0], reports[1]) {
            return quarantined(Reason::Flaky, format!("two runs of the {name} version differ: {why}"));
        }
    }
    if reference[0].verdict != Verdict::Passed {
        let why = format!("the reference does not pass: {}, {}", reference[0].verdict, reference[0].why);
        return quarantined(Reason::ReferenceFails, why);
    }
    if buggy[0].verdict == Verdict::Passed {
        let why = format!("the buggy version passes: {}", buggy[0].why);
        return quarantined(Reason::BuggyPasses, why);
    }
    let (before, after) = (statuses(buggy[0]), statuses(reference[0]));
    let passes = |all: &BTreeMap<&str, Status>, id: &str| all.get(id).copied().is_some_and(is_pass);
    for (id, status) in &after {
        if !is_pass(*status) {
            continue;
        }
        let list = if passes(&before, id) { &mut check.pass_to_pass } else { &mut check.fail_to_pass };
        list.push((*id).to_owned());
    }
    if !listed.is_empty() {
        let wrong = listed.fail_to_pass.iter().find(|id| passes(&before, id)).map(|id| (id, "fail"));
        let wrong = wrong
            .or_else(|| listed.pass_to_pass.iter().find(|id| !passes(&before, id)).map(|id| (id, "pass")));
        if let Some((id, should)) = wrong {
            let why = format!("`{id}` should {should} on the buggy version, and does not");
            return quarantined(Reason::ListsDisagree, why);
        }
    }
    if check.fail_to_pass.is_empty() {
        let why = "both versions have the same results, only the way they end differs".to_owned();
        return quarantined(Reason::NoDifference, why);
    }
    let all = check.fail_to_pass.len() + check.pass_to_pass.len();
    let why = format!("{} of {all} tests tell the versions apart", check.fail_to_pass.len());
    (Standing::Holds, None, why)
}

fn is_pass(status: Status) -> bool {
    matches!(status, Status::Passed | Status::ExpectedFailure)
}

fn statuses(report: &VerifyReport) -> BTreeMap<&str, Status> {
    report.report.cases.iter().map(|case| (case.id.as_str(), case.status)).collect()
}

/// In what two runs of the same version differ; where one has no full report the verdict alone counts.
fn difference(first: &VerifyReport, second: &VerifyReport) -> Option<String> {
    if first.verdict != second.verdict {
        return Some(format!("{}, then {}", first.verdict, second.verdict));
    }
    if !first.report.complete || !second.report.complete {
        return None;
    }
    let (before, after) = (statuses(first), statuses(second));
    let ids = before.keys().chain(after.keys());
    ids.into_iter().find(|id| before.get(*id) != after.get(*id)).map(|id| {
        let word = |status: Option<&Status>| status.map_or("not seen", |status| status.as_str());
        format!("`{id}` {}, then {}", word(before.get(id)), word(after.get(id)))
    })
}
