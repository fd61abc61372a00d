//! `mendbench diff TASK --turn RUN:TURN`, or the name of a turn that is labelled: what it made of the buggy version.
//!
//! Promises: shows what is stored; a turn that applied nothing says so. Leaves to others: the difference (`diff`), finding
//! runs (`replay`).

use super::repair::{failure, words};
use super::{Arguments, Failure, replay};
use crate::label::turn::TurnName;
use crate::runner::{RunRecord, TrajectoryHead};
use crate::task::{Revision, Task};

/// A task whose fixed version is what a turn made of it.
pub struct OfTurn {
    /// The task, with the turn's code in the place of the reference.
    pub task: Task,
    /// The revision of the task itself.
    pub revision: Revision,
}

/// Reads `RUN:TURN` or `RUN:ATTEMPT.TURN`.
fn place(text: &str) -> Result<(&str, u32, u32), Failure> {
    let wrong = || {
        let text = crate::text::truncate(text, 80);
        Failure::usage(format!(
            "`--turn {text}` is no turn: write RUN:TURN, or RUN:ATTEMPT.TURN, as last:2 or last:1.2"
        ))
    };
    let (run, turn) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (attempt, turn) = turn.split_once('.').unwrap_or(("1", turn));
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|number| *number > 0);
    match (number(attempt), number(turn)) {
        (Some(attempt), Some(turn)) if !run.is_empty() => Ok((run, attempt, turn)),
        _ => Err(wrong()),
    }
}

/// The task as a turn left it; of several samples the first.
pub fn of_turn(arguments: &Arguments, name: &str, text: &str) -> Result<OfTurn, Failure> {
    let (run, attempt, turn) = place(text)?;
    let record = replay::find(arguments, run)?;
    let heads = replay::chosen(&record, Some(name))?;
    let Some(head) = heads.first() else {
        return Err(Failure::usage(format!("run {} has no task `{name}`", words::short(record.id))));
    };
    after(&record, head, (attempt, turn))
}

/// The task as a turn left it that is an item of a round.
pub fn of_item(arguments: &Arguments, name: &TurnName) -> Result<OfTurn, Failure> {
    let record = replay::find(arguments, &name.run.to_string())?;
    let is = |head: &&TrajectoryHead| head.id == name.trajectory && head.task == name.task;
    let Some(head) = record.trajectories.iter().find(is) else {
        return Err(Failure::usage(format!(
            "run {} has no trajectory {} of `{}`",
            words::short(record.id),
            name.trajectory,
            name.task
        )));
    };
    after(&record, head, (name.attempt, name.turn))
}

fn after(record: &RunRecord, head: &TrajectoryHead, (attempt, turn): (u32, u32)) -> Result<OfTurn, Failure> {
    let (run, name) = (words::short(record.id), &head.task.id);
    let machine = record.machine(head).map_err(failure)?;
    let turns = &machine.trajectory().turns;
    let Some(found) = turns.iter().find(|found| (found.attempt, found.turn) == (attempt, turn)) else {
        let last = turns.last().map_or((0, 0), |last| (last.attempt, last.turn));
        return Err(Failure::usage(format!(
            "`{name}` did not get to turn {attempt}.{turn} in run {run}; its last is {}.{}",
            last.0, last.1
        )));
    };
    let Some(code) = &found.code else {
        let outcomes =
            [found.extraction.map(|word| word.to_string()), found.application.map(|word| word.to_string())];
        let outcomes: Vec<String> = outcomes.into_iter().flatten().collect();
        return Err(Failure::usage(format!(
            "turn {attempt}.{turn} of `{name}` in run {run} applied nothing: {}",
            if outcomes.is_empty() { "it has no answer".to_owned() } else { outcomes.join(", ") }
        )));
    };
    let task = record.task_after(head, code).map_err(failure)?;
    Ok(OfTurn { task, revision: head.revision.clone() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!(place("last:2").unwrap(), ("last", 1, 2));
        assert_eq!(place("0193ab12-3c4d:2.13").unwrap(), ("0193ab12-3c4d", 2, 13));
        for bad in ["", "last", "last:", ":1", "last:0", "last:1.x", "last:-1", "last:1.2.3"] {
            let Err(failure) = place(bad) else { panic!("{bad}") };
            assert!(failure.message.contains("last:1.2"), "{bad}");
        }
    }
}
