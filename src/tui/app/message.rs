//! How long a message stays in the place of the hints.
//!
//! Promises: what is only told goes by itself when there was time to read it, counted by a timer and not by a clock;
//! what went wrong stays until a key is pressed. Leaves to others: what is told, and where.

use super::App;
use crate::tui::msg::{Cmd, Said};
use std::time::Duration;

/// How long any message stays, and how much longer for each of its characters: a slow reader reads a dozen a second.
const LEAST: Duration = Duration::from_secs(5);
const EACH: Duration = Duration::from_millis(80);

impl App {
    /// A message that was not there `before` gets its end.
    pub(super) fn limit_message(&mut self, before: Option<Said>) -> Option<Cmd> {
        if self.status == before {
            return None;
        }
        self.message_timer = 0;
        let said = self.status.as_ref().filter(|said| !said.is_error)?;
        let characters = u32::try_from(said.text.chars().count()).unwrap_or(u32::MAX);
        self.message_timer = self.ctx.ticket();
        Some(Cmd::After(self.message_timer, LEAST.saturating_add(EACH.saturating_mul(characters))))
    }

    /// A timer has run out; whether it was that of the message.
    pub(super) fn message_ends(&mut self, number: u64) -> bool {
        let ends = number == self.message_timer && number != 0;
        if ends {
            self.status = None;
            self.message_timer = 0;
        }
        ends
    }
}
