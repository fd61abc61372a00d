//! What a person does to a run under way: pause, step, cancel, leave, and wishes for one trajectory.
//!
//! Promises: takes effect at the next step, or at once where something is being waited for. Clones control the same run.

use crate::harness::{Cancel, Changes};
use crate::repair::prompt::Message;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a person wants of a trajectory; granted, it marks the trajectory as intervened.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Words in the place of the feedback.
    GiveFeedback {
        /// The words.
        text: String,
        /// Whether the person had seen the reference.
        saw_reference: bool,
    },
    /// Messages in the place of the prompt that is next or under way.
    EditPrompt(Vec<Message>),
    /// Code in the place of the turn's answer: what it changes in the buggy tree.
    EditCode {
        /// New contents by path.
        changes: Changes,
        /// Whether the person had seen the reference.
        saw_reference: bool,
    },
    /// Another model for the calls that follow.
    SwitchModel(String),
}

impl Wish {
    /// Whether it ends the call that is under way. Words in the place of the next feedback leave the answer alone that
    /// they do not speak of, and take the place of the helper's.
    fn breaks_off(&self, asks: Asks) -> bool {
        asks == Asks::Helper || !matches!(self, Wish::GiveFeedback { .. })
    }
}

/// Which model a call asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// The one that repairs.
    Repairer,
    /// The one that writes feedback.
    Helper,
}

/// Controls a run.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    paused: bool,
    /// Steps that may be made while paused.
    steps: u64,
    cancelled: bool,
    left: bool,
    wishes: HashMap<Uuid, Vec<Wish>>,
    /// Calls and verifications under way, by trajectory.
    calls: HashMap<Uuid, (Asks, CancellationToken)>,
    verifications: HashMap<Uuid, Cancel>,
}

/// What a trajectory may do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Go on.
    GoOn,
    /// End as cancelled.
    Cancel,
    /// End without an end: it is resumed another time.
    Leave,
}

impl Control {
    /// One that lets everything go on.
    pub fn new() -> Control {
        Control::default()
    }

    /// Nothing new is begun until [`Control::go_on`]; what runs comes to its end.
    pub fn pause(&self) {
        self.change(|state| {
            state.paused = true;
            state.steps = 0;
        });
    }

    /// Ends a pause.
    pub fn go_on(&self) {
        self.change(|state| state.paused = false);
    }

    /// Lets one step be made, and pauses.
    pub fn step(&self) {
        self.change(|state| {
            state.steps = if state.paused { state.steps + 1 } else { 0 };
            state.paused = true;
        });
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.state().paused
    }

    /// Ends all trajectories as `cancelled`: they are not resumed.
    pub fn cancel(&self) {
        self.end(|state| state.cancelled = true);
    }

    /// Ends everything without ending trajectories: they can be resumed.
    pub fn leave(&self) {
        self.end(|state| state.left = true);
    }

    /// Whether one of the two was called.
    pub fn is_ended(&self) -> bool {
        let state = self.state();
        state.cancelled || state.left
    }

    /// Whether everything is to be left.
    pub(super) fn is_left(&self) -> bool {
        self.leave_now() == Order::Leave
    }

    /// Wants something of a trajectory. A call under way is broken off, unless it is for what follows its turn; a
    /// verification comes to its end first.
    pub fn wish(&self, trajectory: Uuid, wish: Wish) {
        let call = {
            let mut state = self.state();
            let call = state.calls.get(&trajectory).filter(|(asks, _)| wish.breaks_off(*asks)).cloned();
            state.wishes.entry(trajectory).or_default().push(wish);
            call
        };
        self.0.changed.notify_all();
        if let Some((_, call)) = call {
            call.cancel();
        }
    }

    pub(super) fn wishes(&self, trajectory: Uuid) -> Vec<Wish> {
        self.state().wishes.remove(&trajectory).unwrap_or_default()
    }

    fn leave_now(&self) -> Order {
        leave(&self.state())
    }

    /// Whether a trajectory would have to wait, end or heed a wish now.
    pub(super) fn is_halted(&self, trajectory: Uuid) -> bool {
        let state = self.state();
        leave(&state) != Order::GoOn || state.paused || state.wishes.contains_key(&trajectory)
    }

    /// Waits while it is paused; `waits` is called once if it has to. Comes back for wishes.
    pub(super) fn wait(&self, trajectory: Uuid, waits: &mut dyn FnMut()) -> Order {
        let mut told = false;
        let mut state = self.state();
        loop {
            let now = leave(&state);
            if now != Order::GoOn || !state.paused || state.wishes.contains_key(&trajectory) {
                return now;
            }
            if state.steps > 0 {
                state.steps -= 1;
                return Order::GoOn;
            }
            if !std::mem::replace(&mut told, true) {
                drop(state);
                waits();
                state = self.state();
                continue;
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for so long, unless something is wanted before.
    pub(super) fn rest(&self, trajectory: Uuid, pause: Duration) {
        let calm = |state: &mut State| leave(state) == Order::GoOn && !state.wishes.contains_key(&trajectory);
        let waited = self.0.changed.wait_timeout_while(self.state(), pause, |state| calm(state));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until something is wanted.
    pub(super) fn wait_for_wish(&self, trajectory: Uuid) {
        let calm = |state: &mut State| leave(state) == Order::GoOn && !state.wishes.contains_key(&trajectory);
        let waited = self.0.changed.wait_while(self.state(), |state| calm(state));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// A call begins; what ends it. Already ended where something wants it to.
    pub(super) fn call(&self, trajectory: Uuid, asks: Asks) -> CancellationToken {
        let token = CancellationToken::new();
        let mut state = self.state();
        // Nothing is sent yet, so nothing is lost: words may still come before it.
        if leave(&state) != Order::GoOn || state.wishes.contains_key(&trajectory) {
            token.cancel();
        }
        state.calls.insert(trajectory, (asks, token.clone()));
        token
    }

    /// A verification begins; what ends it.
    pub(super) fn verification(&self, trajectory: Uuid) -> Cancel {
        let cancel = Cancel::new();
        let mut state = self.state();
        if leave(&state) != Order::GoOn {
            cancel.cancel();
        }
        state.verifications.insert(trajectory, cancel.clone());
        cancel
    }

    /// Nothing is under way any more.
    pub(super) fn idle(&self, trajectory: Uuid) {
        let mut state = self.state();
        state.calls.remove(&trajectory);
        state.verifications.remove(&trajectory);
    }

    fn end(&self, how: impl FnOnce(&mut State)) {
        let (calls, verifications) = {
            let mut state = self.state();
            how(&mut state);
            let calls: Vec<_> = state.calls.values().map(|(_, call)| call.clone()).collect();
            let verifications: Vec<_> = state.verifications.values().cloned().collect();
            (calls, verifications)
        };
        self.0.changed.notify_all();
        calls.iter().for_each(CancellationToken::cancel);
        verifications.iter().for_each(Cancel::cancel);
    }

    fn change(&self, how: impl FnOnce(&mut State)) {
        how(&mut self.state());
        self.0.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn leave(state: &State) -> Order {
    match (state.cancelled, state.left) {
        (true, _) => Order::Cancel,
        (false, true) => Order::Leave,
        (false, false) => Order::GoOn,
    }
}
