//! Sandboxes made ahead. Promises: each is handed out once; none is kept longer than the pool; what cannot be made
//! ahead is made when asked for. Leaves to others: how one is made.

use crate::sandbox::{Limits, Provider, Rung, Sandbox, SandboxError};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Most kinds of limits for which sandboxes are kept ready.
const KINDS: usize = 4;

/// Makes the next sandboxes on a thread of its own, while the last ones are used.
pub struct Pool {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    provider: Box<dyn Provider>,
    ahead: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is wanted and what is ready, by the order in which limits were first asked for.
    kinds: Vec<(Limits, Vec<Box<dyn Sandbox>>)>,
    /// Kinds that could not be made ahead; asked for again, they are tried again.
    failed: BTreeMap<usize, ()>,
    over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A pool over a provider that keeps so many sandboxes ready for each kind of limits that was asked for.
    pub fn new(provider: Box<dyn Provider>, ahead: usize) -> Pool {
        let shared = Arc::new(Shared { provider, ahead, state: Mutex::default(), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("sandboxes ahead".to_owned()).spawn(move || fill(&theirs));
        // Without a thread every sandbox is made when it is asked for.
        Pool { shared, thread: thread.ok() }
    }
}

/// Makes what is missing until the pool is over.
fn fill(shared: &Shared) {
    let mut state = shared.state();
    while !state.over {
        let State { kinds, failed, .. } = &*state;
        let missing = kinds
            .iter()
            .enumerate()
            .find(|(index, (_, ready))| ready.len() < shared.ahead && !failed.contains_key(index));
        let Some((index, (limits, _))) = missing else {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let limits = *limits;
        drop(state);
        let made = shared.provider.make(&limits);
        state = shared.state();
        let over = state.over;
        match (made, state.kinds.get_mut(index)) {
            (Ok(sandbox), Some((kind, ready))) if !over && *kind == limits => ready.push(sandbox),
            (Ok(sandbox), _) => {
                drop(state);
                let _ = sandbox.clean();
                state = shared.state();
            }
            // Whoever asks next hears why.
            (Err(_), _) => drop(state.failed.insert(index, ())),
        }
    }
}

impl Provider for Pool {
    fn rung(&self) -> Rung {
        self.shared.provider.rung()
    }

    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        let mut given_up = Vec::new();
        let ready = {
            let mut state = self.shared.state();
            let index = match state.kinds.iter().position(|(kind, _)| kind == limits) {
                Some(index) => index,
                None => {
                    if state.kinds.len() >= KINDS {
                        given_up = state.kinds.remove(0).1;
                        state.failed.clear();
                    }
                    state.kinds.push((*limits, Vec::new()));
                    state.kinds.len() - 1
                }
            };
            state.failed.remove(&index);
            state.kinds.get_mut(index).and_then(|(_, ready)| ready.pop())
        };
        self.shared.changed.notify_all();
        drop(given_up);
        match ready {
            Some(sandbox) => Ok(sandbox),
            None => self.shared.provider.make(limits),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let kinds = std::mem::take(&mut self.shared.state().kinds);
        for sandbox in kinds.into_iter().flat_map(|(_, ready)| ready) {
            let _ = sandbox.clean();
        }
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
