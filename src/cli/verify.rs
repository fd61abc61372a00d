//! `mendbench verify`: apply and test, without a model.
//!
//! Promises: one result for each task or prediction, in their order; rows that cannot be tried are told with their place and
//! counted; quarantined tasks are left out, counted, and can be asked for; failures of the harness have a count and a
//! denominator of their own. Leaves to others: applying (`repair`), testing (`harness`).

use super::arguments::Verify;
use super::locate::locate;
use super::verify_show as show;
use super::workshop::{Workshop, bar, set_up};
use super::{Arguments, DONE, FAILED, Failure, INFRASTRUCTURE, INTERRUPTED, Output, request};
use crate::catalogue::{Catalogue, open, read};
use crate::config::Config;
use crate::dataset::predictions::{PredictionRow, read_predictions};
use crate::dataset::{Bounds, Location, SkipReason, Skipped};
use crate::harness::analyse::Analysis;
use crate::harness::check::Standing;
use crate::harness::{Changes, Unwatched, Verified, VerifyError, Version, Wanted};
use crate::repair::{Asked, Prediction, predict};
use crate::report::Verdict;
use crate::task::{Target, Task};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// One thing to verify.
struct Piece {
    task: Source,
    version: Version,
    prediction: Option<PredictionRow>,
}

/// Where its task is.
enum Source {
    Loaded(Box<Task>),
    Row(u64),
}

/// What came of a piece.
pub struct Outcome {
    /// `dataset/id`.
    pub task: String,
    /// Its revision.
    pub revision: String,
    /// What was tested: `buggy`, `reference` or `candidate`.
    pub tested: &'static str,
    /// Where the prediction stands.
    pub at: Option<Location>,
    /// Who made it.
    pub model: Option<String>,
    /// How the prediction got into the tree.
    pub applied: Option<Applied>,
    /// The verification.
    pub result: Result<Verified, Untested>,
    /// What analysers said, where they were asked.
    pub analyses: Vec<Analysis>,
}

/// How a prediction got into the tree.
pub struct Applied {
    /// `patch`, `code` or `answer`.
    pub kind: &'static str,
    /// Outcome of the extraction.
    pub extraction: String,
    /// Outcome of the application.
    pub application: String,
    /// Why, where it did not go well.
    pub why: String,
}

/// Why nothing was tested.
pub enum Untested {
    /// The task is quarantined.
    Quarantined(String),
    /// The prediction could not be applied, or the task cannot be run.
    NotRun(String),
}

/// Counts of outcomes.
#[derive(Default)]
pub struct Tally {
    /// By verdict.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Left out.
    pub quarantined: usize,
    /// Rows of a file that are no prediction, or name no task.
    pub skipped: usize,
    /// Answered from the cache.
    pub cached: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        match &outcome.result {
            Ok(verified) => {
                *self.verdicts.entry(verified.report.verdict.as_str()).or_default() += 1;
                self.cached += usize::from(verified.cached);
            }
            Err(Untested::NotRun(_)) => {
                *self.verdicts.entry(Verdict::NotRun.as_str()).or_default() += 1;
            }
            Err(Untested::Quarantined(_)) => self.quarantined += 1,
        }
    }

    /// How many have this verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.verdicts.get(verdict.as_str()).copied().unwrap_or(0)
    }

    /// All that have a verdict.
    pub fn all(&self) -> usize {
        self.verdicts.values().sum()
    }
}

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Verify,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let within = what.within.as_ref();
    let mut skipped = Vec::new();
    let mut catalogue = None;
    let pieces = match what.what.as_slice() {
        [one] if Path::new(one).is_file() => {
            if what.reference {
                return Err(Failure::usage(
                    "--reference is for tasks; a file of predictions brings its own candidates",
                ));
            }
            let opened = open(&request(arguments, within))?;
            let pieces = predictions(&*opened, Path::new(one), &mut skipped)?;
            catalogue = Some(opened);
            pieces
        }
        names => {
            let version = if what.reference { Version::Reference } else { Version::Buggy };
            let piece = |name: &String| {
                let task = Source::Loaded(Box::new(locate(arguments, name, within)?));
                Ok(Piece { task, version, prediction: None })
            };
            names.iter().map(piece).collect::<Result<Vec<_>, Failure>>()?
        }
    };
    let workshop = set_up(arguments, &what.sandboxing, config, output)?;
    let bar = bar(output, pieces.len());
    let mut tally = Tally { skipped: skipped.len(), ..Tally::default() };
    let detailed = pieces.len() == 1;
    let work = |number: usize| piece(catalogue.as_ref(), &workshop, what, &pieces[number]);
    workshop.each(&bar, pieces.len(), work, |outcome| {
        tally.count(&outcome);
        bar.suspend(|| show::outcome(&outcome, detailed, what.output, output))
    })?;
    show::closing(&tally, &skipped, pieces.len(), output)?;
    for trouble in workshop.harness.troubles() {
        output.note(&format!("the workspace does not remember all of this: {trouble}"));
    }
    if workshop.cancel.is_cancelled() {
        return Ok(INTERRUPTED);
    }
    if tally.of(Verdict::InfraError) > 0 {
        return Ok(INFRASTRUCTURE);
    }
    let good = tally.of(Verdict::Passed) == tally.all() && skipped.is_empty() && tally.all() > 0;
    Ok(if good { DONE } else { FAILED })
}

/// The predictions of a file, each with the row of its task.
fn predictions(
    catalogue: &dyn Catalogue,
    file: &Path,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Piece>, Failure> {
    let read_in = read_predictions(file, &Bounds::default()).map_err(Failure::usage)?;
    skipped.extend(read_in.skipped);
    let list = read(catalogue)?;
    let mut keys: HashMap<String, Vec<u64>> = HashMap::new();
    for row in (0..list.table.len() as u32).filter_map(|row| list.table.get(row)) {
        keys.entry(format!("{}/{}", row.dataset, row.id)).or_default().push(row.key);
        keys.entry(row.id.to_owned()).or_default().push(row.key);
    }
    let mut pieces = Vec::new();
    for prediction in read_in.rows {
        let why = match keys.get(&prediction.task).map(Vec::as_slice) {
            Some([key]) => {
                let task = Source::Row(*key);
                pieces.push(Piece { task, version: Version::Buggy, prediction: Some(prediction) });
                continue;
            }
            Some(several) => {
                format!("`{}` is the id of {} tasks: write dataset/id", prediction.task, several.len())
            }
            None => format!(
                "there is no task `{}` in {}; name the place of the tasks with --in PATH",
                prediction.task,
                catalogue.origin().label
            ),
        };
        skipped.push(Skipped { at: prediction.at, why: SkipReason::BadValue(why) });
    }
    skipped.sort_by_key(|row| row.at.line);
    Ok(pieces)
}

/// Verifies one piece; none, when it was not begun or broken off.
fn piece(
    catalogue: Option<&Arc<dyn Catalogue>>,
    workshop: &Workshop,
    what: &Verify,
    piece: &Piece,
) -> Option<Result<Outcome, Failure>> {
    if workshop.cancel.is_cancelled() {
        return None;
    }
    let loaded;
    let task = match (&piece.task, catalogue) {
        (Source::Loaded(task), _) => task.as_ref(),
        (Source::Row(key), Some(catalogue)) => match catalogue.task(*key) {
            Ok(task) => {
                loaded = task;
                &loaded
            }
            Err(error) => return Some(Err(error.into())),
        },
        (Source::Row(_), None) => return None,
    };
    let mut outcome = Outcome {
        task: task.name().to_string(),
        revision: task.revision().to_string(),
        tested: if piece.prediction.is_some() { "candidate" } else { piece.version.as_str() },
        at: piece.prediction.as_ref().map(|prediction| prediction.at.clone()),
        model: piece.prediction.as_ref().and_then(|prediction| prediction.model.clone()),
        applied: None,
        result: Err(Untested::NotRun(String::new())),
        analyses: Vec::new(),
    };
    // A task that is named by hand is tested whatever its standing.
    if piece.prediction.is_some()
        && !what.quarantined
        && let Some(check) = workshop.harness.checked(task)
        && check.standing == Standing::Quarantined
    {
        let reason = check.reason.map_or("", |reason| reason.as_str());
        outcome.result = Err(Untested::Quarantined(format!("{reason}: {}", check.why)));
        return Some(Ok(outcome));
    }
    let mut changes = Changes::new();
    if let Some(prediction) = &piece.prediction {
        let (applied, candidate) = applied(task, prediction);
        let why = applied.why.clone();
        outcome.applied = Some(applied);
        match candidate {
            Some(candidate) => changes = candidate,
            None => {
                outcome.result = Err(Untested::NotRun(why));
                return Some(Ok(outcome));
            }
        }
    }
    if what.analyse {
        match workshop.harness.analyse(task, piece.version, &changes, &workshop.cancel) {
            Ok(analyses) => outcome.analyses = analyses,
            Err(error) => return Some(Err(Failure::infrastructure(error))),
        }
    }
    let wanted = Wanted { task, version: piece.version, changes: &changes, fresh: what.fresh };
    outcome.result = match workshop.harness.verify(&wanted, &workshop.cancel, &mut Unwatched) {
        Ok(verified) if verified.report.verdict == Verdict::NotRun => return None,
        Ok(verified) => Ok(verified),
        Err(VerifyError::Plan(error)) => Err(Untested::NotRun(error.to_string())),
        Err(VerifyError::Sandbox(error)) => return Some(Err(Failure::infrastructure(error))),
    };
    Some(Ok(outcome))
}

/// What a prediction changes, and how it got there; no changes where nothing of it could be used.
fn applied(task: &Task, row: &PredictionRow) -> (Applied, Option<Changes>) {
    let mut asked = Asked::of_task(task);
    let named;
    // The file that is named is the only one that code may be for.
    if let (Prediction::Code(_), Some(file)) = (&row.prediction, &row.file) {
        let targets = task.targets.iter().filter(|target| target.file == *file).cloned();
        named = match targets.collect::<Vec<_>>() {
            none if none.is_empty() => vec![Target { file: file.clone(), function: None }],
            some => some,
        };
        asked.targets = &named;
    }
    let kind = row.prediction.kind();
    let predicted = predict(&row.prediction, &asked);
    let application = predicted.application;
    let extraction =
        predicted.extraction.map(|extraction| extraction.outcome.to_string()).unwrap_or_default();
    let mut why = application.why.clone().unwrap_or_default();
    if !application.touched_protected.is_empty() {
        let touched = application.touched_protected.join(", ");
        why = format!("{why}{}protected: {touched}", if why.is_empty() { "" } else { "; " });
    }
    let changes = application.changes_something().then_some(application.changes);
    if changes.is_none() && why.is_empty() {
        why = format!("nothing of the {} could be used", kind);
    }
    let application = application.outcome.to_string();
    (Applied { kind, extraction, application, why }, changes)
}
