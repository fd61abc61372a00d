//! A queue between the thread that reads tasks and the one that writes them, bounded by what it holds.
//!
//! Promises: what waits is never heavier than asked for, but for a single item that is heavier by itself;
//! a side that has gone never leaves the other one waiting.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue; both sides hold a reference to it.
pub struct Queue<T> {
    most: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: VecDeque<(T, usize)>,
    weight: usize,
    closed: bool,
}

impl<T> Queue<T> {
    /// An empty queue for this weight.
    pub fn new(most: usize) -> Queue<T> {
        let state = State { items: VecDeque::new(), weight: 0, closed: false };
        Queue { most, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until there is room, then adds; false: the other side has gone.
    pub fn push(&self, item: T, weight: usize) -> bool {
        let mut state = self.lock();
        while !state.closed && !state.items.is_empty() && state.weight.saturating_add(weight) > self.most {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return false;
        }
        state.weight = state.weight.saturating_add(weight);
        state.items.push_back((item, weight));
        self.changed.notify_all();
        true
    }

    /// The next item, waited for; none when the queue is closed and empty.
    pub fn pull(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some((item, weight)) = state.items.pop_front() {
                state.weight -= weight;
                self.changed.notify_all();
                return Some(item);
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the queue when what this gives is dropped, also by a panic: either side holds one.
    pub fn side(&self) -> Side<'_, T> {
        Side(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the two sides.
pub struct Side<'a, T>(&'a Queue<T>);

impl<T> Drop for Side<'_, T> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everything_arrives_in_order_within_the_weight() {
        let queue = Queue::new(10);
        let heaviest = AtomicUsize::new(0);
        let pulled: Vec<usize> = std::thread::scope(|scope| {
            let (reading, writing) = (queue.side(), queue.side());
            scope.spawn({
                let queue = &queue;
                move || {
                    let _side = reading;
                    // The ninth is heavier than all that may wait, and gets through alone.
                    (0..100).for_each(|number| {
                        assert!(queue.push(number, if number == 9 { 50 } else { number % 4 }))
                    });
                }
            });
            let _side = writing;
            std::iter::from_fn(|| {
                let state = queue.lock();
                if state.items.len() > 1 {
                    heaviest.fetch_max(state.weight, Ordering::Relaxed);
                }
                drop(state);
                queue.pull()
            })
            .collect()
        });
        assert_eq!(pulled, (0..100).collect::<Vec<_>>());
        // Light ones may stand behind the heavy one only if they weigh nothing.
        assert!(heaviest.into_inner() <= 50);
    }

    #[test]
    fn a_side_that_has_gone_is_noticed() {
        let queue = Queue::new(1);
        assert!(queue.push(1, 1));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.push(2, 1));
            drop(queue.side());
            assert_eq!(waiting.join().ok(), Some(false));
        });
        assert_eq!((queue.pull(), queue.pull()), (Some(1), None), "what is there is still given out");
    }
}
