//! Times of an action, for benches that compare figures of one run.

use std::time::Instant;

/// The middle of the times that an action takes in so many rounds, milliseconds.
pub fn median(rounds: usize, mut action: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}
