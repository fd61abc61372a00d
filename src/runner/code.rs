//! From an answer to code, and from code to a report.
//!
//! Promises: the rules are those of `repair::extract` and `repair::apply`; code is kept as what it changes in the buggy
//! tree, so that equal code has an equal hash, however it came about.

use super::prompts::{place, tree};
use crate::harness::{Changes, Happening, State, Watcher};
use crate::repair::Asked;
use crate::repair::cell::Cell;
use crate::repair::event::{Awaited, BuildOutput, Channel, TestFinished, Unknown, Waiting, What};
use crate::repair::{Application, Extraction, FinishReason, apply, extract};
use crate::report::dig::Stage;
use crate::sandbox::Stream;
use crate::task::Task;

/// What an answer is read against.
fn asked<'a>(task: &'a Task, cell: &Cell, code: &'a Changes) -> Asked<'a> {
    let current = tree(task, code);
    Asked {
        place: place(task, cell, &current),
        current,
        form: cell.form,
        policy: cell.extraction,
        ..Asked::of_task(task)
    }
}

/// Reads an answer; whether something of it may be used.
pub(super) fn read(
    task: &Task,
    cell: &Cell,
    code: &Changes,
    answer: &str,
    finish: FinishReason,
) -> (Extraction, bool) {
    let asked = asked(task, cell, code);
    let extraction = extract(answer, finish, &asked);
    let usable = !extraction.usable(cell.extraction).is_empty();
    (extraction, usable)
}

/// Lays what was read over the newest code; the code that comes of it.
pub(super) fn lay(
    task: &Task,
    cell: &Cell,
    code: &Changes,
    extraction: &Extraction,
) -> (Application, Changes) {
    let asked = asked(task, cell, code);
    let mut application = apply(&asked, extraction.usable(cell.extraction));
    let mut laid = code.clone();
    laid.append(&mut application.changes);
    (application, over_buggy(task, laid))
}

/// Changes without those that change nothing in the buggy tree.
pub(super) fn over_buggy(task: &Task, mut changes: Changes) -> Changes {
    let buggy = task.buggy_tree();
    changes.retain(|path, content| buggy.get(path.as_str()).copied() != content.as_ref());
    changes
}

/// Turns what happens in a verification into transient events.
pub(super) struct Watching<F: FnMut(What)> {
    tell: F,
    done: u64,
    planned: Option<u64>,
}

impl<F: FnMut(What)> Watching<F> {
    /// Tells `tell`.
    pub fn new(tell: F) -> Watching<F> {
        Watching { tell, done: 0, planned: None }
    }
}

impl<F: FnMut(What)> Watcher for Watching<F> {
    fn happened(&mut self, what: Happening<'_>) {
        match what {
            Happening::State(state) => {
                if let State::Testing(_, Some(of)) = state {
                    self.planned = Some(of as u64);
                }
                let word = match state {
                    State::Queued => Awaited::Sandbox,
                    State::Preparing => Awaited::Preparing,
                    State::Applying => Awaited::Applying,
                    State::Building => Awaited::Building,
                    State::Testing(0, _) => Awaited::Testing,
                    State::Cleaning => Awaited::Cleaning,
                    State::Testing(..) | State::Done => return,
                };
                (self.tell)(What::Waiting(Waiting::of(word)));
            }
            Happening::Output(stage, stream, bytes) => {
                let channel = match stream {
                    Stream::Stdout => Channel::Output,
                    Stream::Stderr => Channel::Errors,
                };
                let text = String::from_utf8_lossy(bytes).into_owned();
                let mut other = Unknown::new();
                if stage == Stage::Test {
                    other.insert("stage".to_owned(), "test".into());
                }
                (self.tell)(What::BuildOutput(BuildOutput { channel, text, other }));
            }
            Happening::Finished(case) => {
                self.done += 1;
                let planned = self.planned.filter(|planned| *planned >= self.done);
                let finished = TestFinished {
                    id: case.id.clone(),
                    status: case.status,
                    done: self.done,
                    planned,
                    other: Unknown::new(),
                };
                (self.tell)(What::TestFinished(finished));
            }
            Happening::Rung(_) => {}
        }
    }
}
