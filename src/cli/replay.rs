//! `mendbench replay RUN`: plays a stored run as it went, with its timing.
//!
//! Promises: shows what is stored and does nothing anew: no call, no test; pauses are never longer than two seconds, and
//! what was cut is told. Leaves to others: how events look (`repair::stage`), answering as a run did (`runner`).

use super::arguments::Replay;
use super::repair::closing::{self, Commands, Ended};
use super::repair::stage::{Look, Stage};
use super::repair::{failure, nearest, words};
use super::workshop::listen;
use super::{Arguments, DONE, Failure, INTERRUPTED, Output, request};
use crate::catalogue::{recording, recording_names, workspace_for};
use crate::repair::metrics::Tally;
use crate::runner::{RunRecord, RunnerError, Runs, TrajectoryHead};
use crate::text::counted;
use jiff::Timestamp;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// Longest pause that is played, before the speed.
const LONGEST: Duration = Duration::from_secs(2);

/// How fast a run is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// So many times as fast as it was.
    Times(f64),
    /// Without waiting.
    Max,
}

/// Reads a speed.
pub fn speed(text: &str) -> Result<Speed, String> {
    if text == "max" {
        return Ok(Speed::Max);
    }
    let times: Option<f64> = text.strip_suffix(['x', '×']).unwrap_or(text).parse().ok();
    match times {
        Some(times) if (0.01..=10_000.0).contains(&times) => Ok(Speed::Times(times)),
        _ => Err("a speed is a number from 0.01 to 10000, such as 4, or `max`".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Replay, output: &mut Output) -> Result<u8, Failure> {
    let mut record = find(arguments, &what.run)?;
    record.trajectories = chosen(&record, what.task.as_deref())?;
    if let Some(sample) = what.sample {
        let all = record.trajectories.len();
        record.trajectories.retain(|head| head.sample == sample);
        if record.trajectories.is_empty() {
            let known = counted(all, "sample");
            return Err(Failure::usage(format!(
                "the task has no sample {sample} in this run, which holds {known} of it"
            )));
        }
    }
    let pace = Arc::new(Pace::default());
    let ends = pace.clone();
    listen(move || ends.end())?;
    let mut stage = Stage::new(&record, Look::of(output, false));
    stage.open(output)?;
    let speed = if output.json { Speed::Max } else { what.speed };
    let (mut cut, mut pauses) = (Duration::ZERO, 0_usize);
    let mut tally = Tally::new();
    for head in &record.trajectories {
        let mut before: Option<Timestamp> = None;
        for event in record.replay(head).map_err(failure)? {
            let pause = before.map_or(Duration::ZERO, |before| {
                Duration::try_from(event.at.duration_since(before)).unwrap_or_default()
            });
            before = Some(event.at);
            if pause > LONGEST {
                pauses += 1;
                cut += pause - LONGEST;
            }
            if let Speed::Times(times) = speed {
                pace.wait(pause.min(LONGEST).div_f64(times));
            }
            if pace.is_ended() {
                stage.settle(output)?;
                return Ok(INTERRUPTED);
            }
            stage.show(head.id, &event, output)?;
        }
        tally.add(record.machine(head).map_err(failure)?.trajectory());
    }
    closing::show(&record, &tally, &Ended::default(), &Commands::of(arguments.workspace.as_ref()), output)?;
    if pauses > 0 && speed != Speed::Max {
        let milliseconds = u64::try_from(cut.as_millis()).unwrap_or(u64::MAX);
        output.note(&format!(
            "{} longer than 2 s cut to 2 s, {} in all",
            counted(pauses, "pause"),
            words::seconds(milliseconds)
        ));
    }
    Ok(DONE)
}

/// The run of the workspace, or the recording that comes with mendbench.
pub fn find(arguments: &Arguments, name: &str) -> Result<RunRecord, Failure> {
    if let Some(store) = recording(name) {
        let runs = Runs::new(store.map_err(Failure::infrastructure)?);
        return runs.find("last").and_then(|id| runs.open(id)).map_err(failure);
    }
    let hint = || {
        let names = recording_names();
        match (names.is_empty(), nearest(name, names.iter().copied())) {
            (true, _) => String::new(),
            (false, Some(near)) => format!("; of the recordings, did you mean `{near}`?"),
            (false, None) => format!("; recordings that come with mendbench: {}", names.join(", ")),
        }
    };
    let workspace = workspace_for(&request(arguments, None))?;
    let Some(store) = workspace.open_if_exists()? else {
        if let Some(record) = recorded(name)? {
            return Ok(record);
        }
        return Err(Failure::usage(format!(
            "there is no run `{}`: this workspace holds no runs yet{}",
            crate::text::truncate(name, 80),
            hint()
        )));
    };
    let runs = Runs::new(Arc::new(store));
    match runs.find(name).and_then(|id| runs.open(id)) {
        Err(RunnerError::NoRun { found, hint: next }) => match recorded(name)? {
            Some(record) => Ok(record),
            None => {
                let Failure { code, message } = failure(RunnerError::NoRun { found, hint: next });
                Err(Failure { code, message: format!("{message}{}", hint()) })
            }
        },
        found => found.map_err(failure),
    }
}

/// The recording that comes with mendbench and holds the run with exactly this id: labels may be about it.
fn recorded(id: &str) -> Result<Option<RunRecord>, Failure> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    for store in recording_names().into_iter().filter_map(recording) {
        let runs = Runs::new(store.map_err(Failure::infrastructure)?);
        match runs.open(id) {
            Ok(record) => return Ok(Some(record)),
            Err(RunnerError::NoRun { .. }) => {}
            Err(error) => return Err(failure(error)),
        }
    }
    Ok(None)
}

/// The trajectories of a task, or all.
pub fn chosen(record: &RunRecord, task: Option<&str>) -> Result<Vec<TrajectoryHead>, Failure> {
    let Some(name) = task else { return Ok(record.trajectories.clone()) };
    let fits = |head: &&TrajectoryHead| head.task.to_string() == name || head.task.id == name;
    let heads: Vec<TrajectoryHead> = record.trajectories.iter().filter(fits).cloned().collect();
    if !heads.is_empty() {
        return Ok(heads);
    }
    let known: Vec<String> = record.trajectories.iter().map(|head| head.task.id.clone()).collect();
    let near = nearest(name, known.iter().map(String::as_str));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let name = crate::text::truncate(name, 80);
    Err(Failure::usage(format!("run {} has no task `{name}`{near}", words::short(record.id))))
}

/// Waiting that can be ended.
#[derive(Default)]
struct Pace {
    ended: Mutex<bool>,
    changed: Condvar,
}

impl Pace {
    fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn is_ended(&self) -> bool {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, pause: Duration) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(ended, pause, |ended| !*ended);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read() {
        assert_eq!(
            (speed("max"), speed("4"), speed("0.5x")),
            (Ok(Speed::Max), Ok(Speed::Times(4.0)), Ok(Speed::Times(0.5)))
        );
        for bad in ["", "0", "-1", "fast", "NaN", "inf", "1e9"] {
            assert!(speed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_wait_can_be_ended_before_it_begins() {
        let pace = Pace::default();
        pace.end();
        pace.wait(Duration::from_secs(3_600));
        assert!(pace.is_ended());
    }
}
