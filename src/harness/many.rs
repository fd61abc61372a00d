//! Many pieces of work on several threads.
//!
//! Promises: as many at once as asked for; results are handed over on the calling thread, each with its number, as they
//! come. Leaves to others: what the work is, ending it early (the work asks its own [`super::Cancel`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Does `work(0)` to `work(count - 1)`, `jobs` at once, and hands each result to `done`.
pub fn each<T: Send>(
    jobs: usize,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, count.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || sender.send((number, work(number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (number, result) in receiver {
            done(number, result);
        }
    });
}

/// Hands results over in the order of their numbers, however they come.
#[derive(Debug)]
pub struct InOrder<T> {
    next: usize,
    waiting: std::collections::BTreeMap<usize, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> InOrder<T> {
        InOrder { next: 0, waiting: std::collections::BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Takes a result, and gives those whose turn it is.
    pub fn take(&mut self, number: usize, result: T) -> Vec<T> {
        self.waiting.insert(number, result);
        let mut ready = Vec::new();
        while let Some(result) = self.waiting.remove(&self.next) {
            ready.push(result);
            self.next += 1;
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_handed_over_in_order() {
        for (jobs, count) in [(0, 0), (1, 5), (4, 100), (9, 3)] {
            let mut order = InOrder::default();
            let mut seen = Vec::new();
            each(jobs, count, |number| number * 2, |number, result| seen.extend(order.take(number, result)));
            assert_eq!(seen, (0..count).map(|number| number * 2).collect::<Vec<_>>());
        }
    }
}
