//! Turns of repair runs as the items of a round.
//!
//! Promises: only turns whose answer was applied and made other code, of trajectories that are over; what is left out
//! is counted and told; the filter is that of tasks. Leaves to others: reading runs (`runner`), finding them (`replay`).

use super::flags::{Create, TurnsName};
use super::population::Population;
use crate::cli::repair::{failure, words};
use crate::cli::{Arguments, Failure, Output, USAGE, replay};
use crate::diff::summary;
use crate::label::item::{Purpose, Revisions};
use crate::label::round::Round;
use crate::label::turn::TurnName;
use crate::runner::{AppliedTurn, RunRecord, RunnerError, TrajectoryHead};
use crate::study::{Candidate, Source};
use crate::task::filter::Filter;
use crate::task::full_text::Needle;
use crate::task::table::{Summary, TaskTable};
use crate::task::{Task, TaskName};
use crate::text::counted;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Trajectories that cannot be read and are told one by one.
const TOLD: usize = 10;

/// The turns of the runs that the flags name.
pub fn population(
    arguments: &Arguments,
    what: &Create,
    filter: &Filter,
    output: &mut Output,
) -> Result<Population, Failure> {
    let mut records: Vec<RunRecord> = Vec::new();
    for name in &what.run {
        let record = replay::find(arguments, name)?;
        if records.iter().all(|known| known.id != record.id) {
            records.push(record);
        }
    }
    let mut tasks: Vec<Task> = Vec::new();
    let mut places: HashMap<(TaskName, String), usize> = HashMap::new();
    // Each candidate with the number of its task.
    let mut all: Vec<(usize, Candidate)> = Vec::new();
    let (mut unfinished, mut of_persons) = (0, 0);
    for record in &records {
        for head in &record.trajectories {
            if record.stopped(head).map_err(failure)?.is_none() {
                unfinished += 1;
                continue;
            }
            let applied = record.applied(head).map_err(failure)?;
            of_persons += applied.of_persons;
            let turns = chosen(what.turns, applied.turns);
            if turns.is_empty() {
                continue;
            }
            let place = (head.task.clone(), head.revision.as_str().to_owned());
            let task = match places.get(&place) {
                Some(number) => *number,
                None => {
                    tasks.push(record.task(head).map_err(failure)?);
                    places.insert(place, tasks.len() - 1);
                    tasks.len() - 1
                }
            };
            for made in turns {
                let name = TurnName {
                    task: head.task.clone(),
                    run: record.id,
                    trajectory: head.id,
                    attempt: made.attempt,
                    turn: made.turn,
                };
                let source = Source::Turn(made.code.as_str().to_owned());
                let stratum = Candidate::of(&Summary::of(&tasks[task], None, 0, 0, 0)).stratum;
                all.push((task, Candidate { name: name.to_string(), source, stratum }));
            }
        }
    }
    if unfinished > 0 {
        let many = if unfinished == 1 { "trajectory is" } else { "trajectories are" };
        output.note(&format!(
            "{unfinished} {many} not over yet and left out; `mendbench repair --resume` goes on"
        ));
    }
    if of_persons > 0 {
        output.note(&format!(
            "{} left out: a person wrote their code, or code that they build on",
            counted(of_persons, "turn")
        ));
    }
    let runs: Vec<String> = records.iter().map(|record| words::short(record.id)).collect();
    let runs = format!("{} {}", if runs.len() == 1 { "run" } else { "runs" }, runs.join(", "));
    if all.is_empty() {
        return Err(Failure::usage(format!("{runs}: no turn there {}", what.turns.wanted())));
    }
    let passing = passing(&tasks, filter)?;
    let numbers = all.iter().enumerate().filter(|(_, (task, _))| passing.contains(task));
    let numbers = numbers.map(|(number, _)| number).collect();
    let source = format!("{} of {runs}", what.turns.words());
    Ok(Population::of_turns(source, all.into_iter().map(|(_, candidate)| candidate).collect(), numbers))
}

/// Those of a trajectory that are wanted.
fn chosen(which: TurnsName, mut turns: Vec<AppliedTurn>) -> Vec<AppliedTurn> {
    match which {
        TurnsName::Last => turns.pop().into_iter().collect(),
        TurnsName::All => turns,
        TurnsName::Plausible => {
            turns.retain(|turn| turn.is_plausible);
            turns
        }
    }
}

/// The numbers of the tasks that pass a filter.
fn passing(tasks: &[Task], filter: &Filter) -> Result<HashSet<usize>, Failure> {
    let mut table = TaskTable::new();
    for (number, task) in tasks.iter().enumerate() {
        let size = summary(task);
        let lines = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let row = Summary::of(task, size.granularity, lines(size.added), lines(size.removed), number as u64);
        if !table.push(&row) {
            return Err(Failure::usage("these runs have more tasks than a list can hold; name fewer runs"));
        }
    }
    let rows: Vec<u32> = (0..table.len() as u32).collect();
    let selected = filter.select(&table, &rows, &|| false);
    let mut passing: HashSet<usize> = selected.into_iter().map(|(row, _)| row as usize).collect();
    for (text, absent) in filter.texts() {
        let needle = Needle::new(text);
        passing.retain(|number| tasks.get(*number).is_some_and(|task| needle.is_in(task)) != *absent);
    }
    Ok(passing)
}

/// What the turns of a round made, as far as they are still there; what cannot be read is told.
pub fn revisions(arguments: &Arguments, round: &Round, output: &mut Output) -> Result<Revisions, Failure> {
    let mut runs: BTreeMap<Uuid, Vec<TurnName>> = BTreeMap::new();
    let items = round.items.list().iter().filter(|item| !matches!(item.purpose, Purpose::Repeat(_)));
    for name in items.filter_map(|item| TurnName::parse(&item.name)) {
        runs.entry(name.run).or_default().push(name);
    }
    let mut now = Revisions::new();
    let mut problems = Vec::new();
    for (run, names) in runs {
        let record = match replay::find(arguments, &run.to_string()) {
            Ok(record) => record,
            Err(missing) if missing.code == USAGE => {
                problems.push(format!("run {} is not in this workspace", words::short(run)));
                continue;
            }
            Err(other) => return Err(other),
        };
        let mut of_trajectory: HashMap<Uuid, Vec<&TurnName>> = HashMap::new();
        names.iter().for_each(|name| of_trajectory.entry(name.trajectory).or_default().push(name));
        for head in &record.trajectories {
            let Some(names) = of_trajectory.get(&head.id) else { continue };
            match made(&record, head, names) {
                Ok(made) => now.extend(made),
                Err(RunnerError::Store(error)) => return Err(error.into()),
                Err(error) => problems.push(format!("{}: {error}", head.task)),
            }
        }
    }
    for problem in problems.iter().take(TOLD) {
        output.note(problem);
    }
    if problems.len() > TOLD {
        output.note(&format!("and {} more", problems.len() - TOLD));
    }
    Ok(now)
}

/// What these turns of a trajectory made, if it can still be shown.
fn made(
    record: &RunRecord,
    head: &TrajectoryHead,
    names: &[&TurnName],
) -> Result<Vec<(String, String)>, RunnerError> {
    let mut made = Vec::new();
    for turn in record.applied(head)?.turns {
        let is = |name: &&&TurnName| {
            (name.attempt, name.turn) == (turn.attempt, turn.turn) && name.task == head.task
        };
        if let Some(name) = names.iter().find(is) {
            record.task_after(head, &turn.code)?;
            made.push((name.to_string(), turn.code.as_str().to_owned()));
        }
    }
    Ok(made)
}
