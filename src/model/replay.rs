//! Stored bytes, read anew.
//!
//! Promises: the same reader as for live streams, so that the same bytes give the same events, with the times at which
//! they arrived; waits and tries are not in the bytes. Leaves to others: showing them in time (`runner`, `tui`).

use super::answer::{Finish, Quirks, Usage};
use super::event::{ModelEvent, Timed};
use super::raw::RawStream;
use super::wire::{End, Piece, wire};
use crate::config::WireFormat;
use std::time::Duration;

/// What a stored stream says.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The events, from `Started` on.
    pub events: Vec<Timed>,
    /// Text of the answer.
    pub text: String,
    /// Reasoning.
    pub reasoning: String,
    /// What the server counted.
    pub usage: Option<Usage>,
    /// Why the answer ended; `None`: it is not complete.
    pub finish: Option<Finish>,
    /// What was odd.
    pub quirks: Quirks,
}

/// Reads a stored stream.
pub fn replay(raw: &RawStream, format: WireFormat) -> Replayed {
    let mut reader = wire(format).reader();
    let mut replayed = Replayed {
        events: Vec::new(),
        text: String::new(),
        reasoning: String::new(),
        usage: None,
        finish: None,
        quirks: Quirks::default(),
    };
    let (mut last, mut failed) = (Duration::ZERO, false);
    for (at, bytes) in raw.frames() {
        if replayed.events.is_empty() {
            replayed.events.push(Timed { at, event: ModelEvent::Started });
        }
        last = at;
        let pushed = reader.push(bytes, &mut |piece| failed |= replayed.take(at, piece));
        failed |= pushed.is_err();
        if failed {
            break;
        }
    }
    let (end, quirks) = reader.finish(&mut |piece| failed |= replayed.take(last, piece));
    replayed.quirks = quirks;
    if let (End::Complete(finish), false) = (end, failed) {
        replayed.events.push(Timed { at: last, event: ModelEvent::Finished { finish: finish.clone() } });
        replayed.finish = Some(finish);
    }
    replayed
}

impl Replayed {
    /// Takes a piece; true: the server failed.
    fn take(&mut self, at: Duration, piece: Piece) -> bool {
        let event = match piece {
            Piece::Text(text) => {
                self.text.push_str(&text);
                ModelEvent::Text { text }
            }
            Piece::Reasoning(text) => {
                self.reasoning.push_str(&text);
                ModelEvent::Reasoning { text }
            }
            Piece::Usage(usage) => {
                self.usage = Some(usage);
                ModelEvent::Usage { usage }
            }
            Piece::Model(_) | Piece::Id(_) => return false,
            Piece::Error(_) => return true,
        };
        self.events.push(Timed { at, event });
        false
    }
}
