//! Transient events as they are kept: frames with their times, flushed while they come.
//!
//! Promises: what is kept gives back the same events; of a long answer only the newest frames are held.
//! Leaves to others: when they are flushed (`journal`).

use crate::repair::RunEvent;
use crate::repair::event::{ContentHash, DataError, VERSION, What};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Frames of one call or verification: what is behind is heard and not kept.
pub(super) const MOST_FRAMES: usize = 200_000;

/// A transient event without what it shares with the others of its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its number in the trajectory.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Its kind.
    pub kind: String,
    /// Its data.
    pub data: Value,
}

impl Frame {
    /// The frame of an event.
    pub fn of(event: &RunEvent) -> Frame {
        Frame { seq: event.seq, at: event.at, kind: event.kind().to_owned(), data: event.what.data() }
    }

    /// The event again; `like` is an event of the same turn.
    ///
    /// # Errors
    ///
    /// The data do not fit the kind.
    pub fn event(self, like: &RunEvent) -> Result<RunEvent, DataError> {
        Ok(RunEvent {
            v: VERSION,
            run: like.run,
            trajectory: like.trajectory,
            attempt: like.attempt,
            turn: like.turn,
            seq: self.seq,
            at: self.at,
            what: What::read(VERSION, &self.kind, self.data)?,
            other: serde_json::Map::new(),
        })
    }
}

/// Frames as they are kept: a list, or where they were many the names of the pieces that were flushed while they came.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredFrames {
    /// All of them.
    Whole(Vec<Frame>),
    /// Each piece is a list of frames of its own.
    Pieces {
        /// Version of this form.
        v: u32,
        /// Hashes of the pieces, in their order.
        pieces: Vec<ContentHash>,
    },
}

/// The frames of one call or verification as JSON: what was flushed is on disk and no longer held.
#[derive(Default)]
pub struct Reel {
    /// What was flushed.
    pieces: Vec<ContentHash>,
    /// What came since, without the brackets of the list.
    fresh: Vec<u8>,
    count: usize,
    bytes: usize,
}

impl Reel {
    /// How many frames it has taken.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Bytes of their JSON.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a frame.
    ///
    /// # Errors
    ///
    /// It cannot be written as JSON.
    pub fn push(&mut self, frame: &Frame) -> Result<(), serde_json::Error> {
        let before = self.fresh.len();
        if before > 0 {
            self.fresh.push(b',');
        }
        serde_json::to_writer(&mut self.fresh, frame).inspect_err(|_| self.fresh.truncate(before))?;
        self.count += 1;
        self.bytes += self.fresh.len() - before;
        Ok(())
    }

    /// The frames that are held, as a JSON list; `None`: none came since the last flush.
    pub fn held(&self) -> Option<Vec<u8>> {
        (!self.fresh.is_empty()).then(|| [b"[".as_slice(), &self.fresh, b"]"].concat())
    }

    /// What is held is on disk under this name, and let go.
    pub fn flushed(&mut self, piece: ContentHash) {
        self.pieces.push(piece);
        self.fresh = Vec::new();
    }

    /// What names all frames: the list itself, or the pieces. What is held goes to `keep`, if others were flushed before.
    ///
    /// # Errors
    ///
    /// The names cannot be written as JSON.
    pub fn finish(
        mut self,
        keep: impl FnOnce(Vec<u8>) -> ContentHash,
    ) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let held = self.held();
        if self.pieces.is_empty() {
            return Ok(held);
        }
        self.pieces.extend(held.map(keep));
        serde_json::to_vec(&StoredFrames::Pieces { v: 1, pieces: self.pieces }).map(Some)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn however_it_is_flushed_the_same_frames_come_off(
            texts in proptest::collection::vec(any::<String>(), 0..40), flushes in proptest::collection::vec(any::<bool>(), 40),
        ) {
            let frames: Vec<Frame> = (1..).zip(&texts).map(|(seq, text)| Frame {
                seq,
                at: Timestamp::from_microsecond(seq as i64 * 77).unwrap(),
                kind: "answer-delta".to_owned(),
                data: serde_json::json!({ "text": text }),
            }).collect();
            let mut disk: HashMap<ContentHash, Vec<u8>> = HashMap::new();
            let mut reel = Reel::default();
            for (frame, flush) in frames.iter().zip(flushes) {
                reel.push(frame).unwrap();
                if flush && let Some(json) = reel.held() {
                    let name = ContentHash::of(&json);
                    disk.insert(name.clone(), json);
                    reel.flushed(name);
                }
            }
            prop_assert_eq!(reel.len(), frames.len());
            let named = reel.finish(|last| {
                let name = ContentHash::of(&last);
                disk.insert(name.clone(), last);
                name
            });
            let off: Vec<Frame> = match named.unwrap().map(|json| serde_json::from_slice(&json).unwrap()) {
                None => Vec::new(),
                Some(StoredFrames::Whole(list)) => list,
                Some(StoredFrames::Pieces { pieces, .. }) => pieces
                    .iter()
                    .flat_map(|name| serde_json::from_slice::<Vec<Frame>>(&disk[name]).unwrap())
                    .collect(),
            };
            prop_assert_eq!(off, frames);
        }
    }
}
