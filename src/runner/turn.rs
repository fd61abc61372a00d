//! Turns of stored runs as something to look at: which of them made other code, and the task as one of them left it.
//!
//! Promises: only what a model answered; what is not kept any more is an error that names it. Leaves to others: naming
//! turns as items (`label`), showing them.

use super::error::RunnerError;
use super::record::RunRecord;
use super::spec::TrajectoryHead;
use crate::harness::Changes;
use crate::repair::event::ContentHash;
use crate::repair::machine::Turn;
use crate::report::Verdict;
use crate::task::{Content, Files, Task};

/// A turn that made other code than the buggy one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedTurn {
    /// Its attempt, from 1.
    pub attempt: u32,
    /// Its number in the attempt, from 1.
    pub turn: u32,
    /// What it made: the hash of all that differs from the buggy tree.
    pub code: ContentHash,
    /// Whether the tests passed.
    pub is_plausible: bool,
}

/// What became of the turns of a trajectory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppliedTurns {
    /// Those of the model that made other code, in their order.
    pub turns: Vec<AppliedTurn>,
    /// How many are left out because a person wrote their code, or code before it in the attempt.
    pub of_persons: usize,
}

impl RunRecord {
    /// The turns of a trajectory whose answer was applied and made other code than the buggy one.
    ///
    /// # Errors
    ///
    /// The record of the trajectory cannot be read.
    pub fn applied(&self, trajectory: &TrajectoryHead) -> Result<AppliedTurns, RunnerError> {
        let machine = self.machine(trajectory)?;
        let mut applied = AppliedTurns::default();
        // Code builds on what was there before in its attempt.
        let mut persons = None;
        for turn in machine.trajectory().turns.iter().filter(|turn| turn.turn > 0) {
            if turn.is_persons_code {
                persons = Some(turn.attempt);
            }
            match made(turn) {
                Some(_) if persons == Some(turn.attempt) => applied.of_persons += 1,
                Some(code) => applied.turns.push(AppliedTurn {
                    attempt: turn.attempt,
                    turn: turn.turn,
                    code: code.clone(),
                    is_plausible: turn.verdict == Some(Verdict::Passed),
                }),
                None => {}
            }
        }
        Ok(applied)
    }

    /// The task of a trajectory with what a turn made of it in the place of the reference.
    ///
    /// # Errors
    ///
    /// The task or the code is not in the workspace.
    pub fn task_after(&self, trajectory: &TrajectoryHead, code: &ContentHash) -> Result<Task, RunnerError> {
        let changes = self.contents().code(code)?;
        let mut task = self.task(trajectory)?;
        let buggy = task.buggy_tree().into_iter();
        let buggy: Vec<(String, Content)> =
            buggy.map(|(path, content)| (path.to_owned(), content.clone())).collect();
        let mut files = Files {
            buggy: buggy.iter().cloned().collect(),
            reference: buggy.into_iter().collect(),
            ..Files::default()
        };
        for (path, content) in changes {
            match content {
                Some(content) => files.reference.insert(path, content),
                None => files.reference.remove(&path),
            };
        }
        task.files = files;
        Ok(task)
    }
}

/// The code of a turn, if it is other than the buggy one.
fn made(turn: &Turn) -> Option<&ContentHash> {
    let unchanged = serde_json::to_vec(&Changes::new()).map(ContentHash::of).ok();
    turn.code.as_ref().filter(|code| unchanged.as_ref() != Some(code))
}
