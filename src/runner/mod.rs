//! The runner: drives repair loops with models, the harness and the store.
//!
//! Promises: what the machine ([`crate::repair::machine`]) wants is done in its order, and each durable event is on disk
//! before its next effect starts; killing the process at any instant loses at most the answers that were still streaming,
//! and a run is picked up where it was left; no call whose answer is stored is made again.
//! Leaves to others: which tasks and cells (`cli`, `tui`), showing anything.
//!
//! # Follow one token
//!
//! A model gives a piece (`model`) → `ask` makes an `answer-delta` of it → the [`Listener`] shows or prints it, and it
//! joins the frames that are flushed each second → the answer ends, and `answer-finished` names answer and frames.
//!
//! # What is stored
//!
//! | stream | events |
//! |---|---|
//! | `run/RUN` | `run-created` with the [`RunSpec`], `trajectories-created` with a [`TrajectoryHead`] each |
//! | `trajectory/RUN/TRAJECTORY` | the durable [`RunEvent`]s |
//! | `frames/RUN/TRAJECTORY` | frames of what is under way, flushed each second |
//!
//! Tasks, prompts, answers, code, reports and frames are blobs.

mod ask;
mod assembly;
mod code;
mod compare;
mod contents;
mod control;
mod engine;
mod error;
mod feedback;
mod frames;
mod journal;
mod prompts;
mod record;
mod recorded;
mod source;
mod spec;
mod template;
mod trajectory;
mod turn;

pub use assembly::{Assembly, templates};
pub use compare::{Difference, compare};
pub use contents::Contents;
pub use control::{Control, Wish};
pub use engine::{Drive, Driven, Engine, Left};
pub use error::RunnerError;
pub use frames::Frame;
pub use record::{End, RunHead, RunRecord, Runs};
pub use source::{ModelSource, Models, Situation};
pub use spec::{RunSpec, TrajectoryHead};
pub use turn::{AppliedTurn, AppliedTurns};

use crate::repair::RunEvent;

/// Hears what happens. It is called on the threads that drive trajectories, so it must not take long.
pub trait Listener: Send + Sync {
    /// Something happened: durable (it is on disk already) or transient.
    fn heard(&self, trajectory: &TrajectoryHead, event: &RunEvent);

    /// A person's wish could not be granted, and why.
    fn refused(&self, trajectory: &TrajectoryHead, why: &str) {
        let _ = (trajectory, why);
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unheard;

impl Listener for Unheard {
    fn heard(&self, _trajectory: &TrajectoryHead, _event: &RunEvent) {}
}
