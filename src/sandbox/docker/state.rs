//! What a sandbox and its killers share: whether it was cancelled.
//!
//! Promises: cancelling is for good, and is heard whether it comes before or after somebody listens. Leaves to others:
//! killing the container.

use tokio::sync::watch;

/// Whether it was cancelled.
#[derive(Debug)]
pub struct State {
    sender: watch::Sender<bool>,
}

impl Default for State {
    fn default() -> State {
        State { sender: watch::Sender::new(false) }
    }
}

impl State {
    /// Cancels, for good.
    pub fn cancel(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        // The sender lives as long as this does.
        let _ = self.sender.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}
