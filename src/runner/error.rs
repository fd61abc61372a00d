//! What can go wrong with a run as a whole.
//!
//! Promises: says what, where and what to do. What goes wrong in one trajectory is in its record, not here.

use crate::repair::cell::CellError;
use crate::repair::machine::MachineError;
use crate::store::StoreError;
use uuid::Uuid;

/// Why a run cannot be made, read or driven.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The workspace failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A cell cannot be run.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// No task.
    #[error("there is nothing to run: no task was chosen")]
    NoTask,
    /// A task cannot be asked about in this way.
    #[error("`{task}` cannot be run like this: {why}")]
    Task {
        /// The task.
        task: String,
        /// Why, and what would help.
        why: String,
    },
    /// No such run.
    #[error("there is no run `{found}` in this workspace{hint}")]
    NoRun {
        /// What was asked for.
        found: String,
        /// What there is, or what to do.
        hint: String,
    },
    /// The beginning of an id fits several runs.
    #[error("`{found}` fits {count} runs: write more of the id, or `last`")]
    ManyRuns {
        /// What was asked for.
        found: String,
        /// How many.
        count: usize,
    },
    /// A stored event that cannot be read, or cannot follow.
    #[error("the record of trajectory {trajectory} cannot be read: {why}")]
    Record {
        /// The trajectory.
        trajectory: Uuid,
        /// Why.
        why: String,
    },
    /// An event that is stored cannot follow those before it.
    #[error("the record of a trajectory does not hold together: {0}")]
    Machine(#[from] MachineError),
    /// A blob that an event names is not there or damaged.
    #[error("{what} {hash} is not in the workspace: import the bundle that holds it, or run again")]
    Missing {
        /// What it is.
        what: &'static str,
        /// Its hash.
        hash: String,
    },
    /// Somebody else drives the run.
    #[error("run {run} is driven by another process: wait for it, or end it")]
    Busy {
        /// The run.
        run: Uuid,
    },
    /// The lock of a run cannot be taken.
    #[error("the lock of run {run} cannot be taken: {why}")]
    Lock {
        /// The run.
        run: Uuid,
        /// Why.
        why: String,
    },
}
