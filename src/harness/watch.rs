//! Watching a verification, and ending it.
//!
//! Promises: states are the words of DESIGN §5; a cancelled verification ends within the sandbox's kill. Leaves to
//! others: drawing.

use crate::report::Case;
use crate::report::dig::Stage;
use crate::sandbox::{Killer, Rung, Stream};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a verification is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Waiting for its turn.
    Queued,
    /// Making the sandbox.
    Preparing,
    /// Laying the tree and the change into it.
    Applying,
    /// Building.
    Building,
    /// Testing: results so far, and how many are expected where that is known.
    Testing(usize, Option<usize>),
    /// Removing the sandbox.
    Cleaning,
    /// Over.
    Done,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Queued => f.write_str("queued"),
            State::Preparing => f.write_str("preparing"),
            State::Applying => f.write_str("applying"),
            State::Building => f.write_str("building"),
            State::Testing(0, None) => f.write_str("testing"),
            State::Testing(seen, Some(of)) if seen <= of => write!(f, "testing {seen}/{of}"),
            State::Testing(seen, _) => write!(f, "testing {seen}"),
            State::Cleaning => f.write_str("cleaning"),
            State::Done => f.write_str("done"),
        }
    }
}

/// Something that happened in a verification.
#[derive(Debug)]
pub enum Happening<'a> {
    /// It does something else now.
    State(State),
    /// The sandbox stands.
    Rung(Rung),
    /// A command wrote something: untrusted, cut anywhere.
    Output(Stage, Stream, &'a [u8]),
    /// A test finished.
    Finished(&'a Case),
}

/// Hears what happens.
pub trait Watcher {
    /// Something happened.
    fn happened(&mut self, what: Happening<'_>);
}

/// Looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn happened(&mut self, _what: Happening<'_>) {}
}

/// Ends verifications from another thread. Clones end the same ones.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    cancelled: bool,
    next: u64,
    killers: BTreeMap<u64, Killer>,
}

impl Cancel {
    /// One that was not called yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends what runs, and lets nothing begin.
    pub fn cancel(&self) {
        let killers: Vec<Killer> = {
            let mut running = self.running();
            running.cancelled = true;
            running.killers.values().cloned().collect()
        };
        for killer in killers {
            killer.kill();
        }
    }

    /// Whether it was called.
    pub fn is_cancelled(&self) -> bool {
        self.running().cancelled
    }

    /// Lets this killer be called until the guard is dropped; at once, when it is too late already.
    pub(super) fn guard(&self, killer: Killer) -> Guard {
        let mut running = self.running();
        let number = running.next;
        running.next += 1;
        running.killers.insert(number, killer.clone());
        let cancelled = running.cancelled;
        drop(running);
        if cancelled {
            killer.kill();
        }
        Guard { cancel: self.clone(), number }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes its killer back when it is dropped.
#[derive(Debug)]
pub(super) struct Guard {
    cancel: Cancel,
    number: u64,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.cancel.running().killers.remove(&self.number);
    }
}
