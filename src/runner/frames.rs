//! Transient events as they are kept: frames with their times, flushed while they come.
//!
//! Promises: what is kept gives back the same events; what waits for the end of a long answer takes little memory.
//! Leaves to others: when they are flushed (`journal`).

use crate::repair::RunEvent;
use crate::repair::event::{DataError, VERSION, What};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};
use zstd::stream::write::Encoder;

/// How hard the reel is compressed: frames are much alike, and the loop does not wait for it.
const LEVEL: i32 = 1;

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

/// The frames of one call or verification, as JSON, compressed: an answer of an hour is not held as so many values.
#[derive(Default)]
pub struct Reel {
    /// What was flushed, without the brackets of the list.
    wound: Option<Encoder<'static, Vec<u8>>>,
    /// What came since, likewise.
    fresh: Vec<u8>,
    count: usize,
    bytes: usize,
}

impl Reel {
    /// How many frames it holds.
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

    /// The frames since the last call of this, as a JSON list.
    ///
    /// # Errors
    ///
    /// They cannot be compressed, which only lack of memory could bring about.
    pub fn wind(&mut self) -> io::Result<Vec<u8>> {
        let fresh = std::mem::take(&mut self.fresh);
        if !fresh.is_empty() {
            let is_first = self.wound.is_none();
            let encoder = match &mut self.wound {
                Some(encoder) => encoder,
                none => none.insert(Encoder::new(Vec::new(), LEVEL)?),
            };
            if !is_first {
                encoder.write_all(b",")?;
            }
            encoder.write_all(&fresh)?;
        }
        Ok([b"[".as_slice(), &fresh, b"]"].concat())
    }

    /// All frames as a JSON list; `None`: there are none.
    ///
    /// # Errors
    ///
    /// As [`Reel::wind`].
    pub fn finish(mut self) -> io::Result<Option<Vec<u8>>> {
        if self.count == 0 {
            return Ok(None);
        }
        let last = self.wind()?;
        let Some(encoder) = self.wound else { return Ok(Some(last)) };
        let mut all = Vec::with_capacity(self.bytes + 2);
        all.push(b'[');
        zstd::stream::copy_decode(encoder.finish()?.as_slice(), &mut all)?;
        all.push(b']');
        Ok(Some(all))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn however_it_is_wound_the_same_list_comes_off(
            texts in proptest::collection::vec(any::<String>(), 0..40), winds in proptest::collection::vec(any::<bool>(), 40),
        ) {
            let frames: Vec<Frame> = (1..).zip(&texts).map(|(seq, text)| Frame {
                seq,
                at: Timestamp::from_microsecond(seq as i64 * 77).unwrap(),
                kind: "answer-delta".to_owned(),
                data: serde_json::json!({ "text": text }),
            }).collect();
            let (mut reel, mut flushed) = (Reel::default(), Vec::new());
            for (frame, wind) in frames.iter().zip(winds) {
                reel.push(frame).unwrap();
                if wind {
                    flushed.extend(serde_json::from_slice::<Vec<Frame>>(&reel.wind().unwrap()).unwrap());
                }
            }
            prop_assert_eq!(reel.len(), frames.len());
            prop_assert!(frames.starts_with(&flushed));
            match reel.finish().unwrap() {
                None => prop_assert!(frames.is_empty()),
                Some(json) => prop_assert_eq!(json, serde_json::to_vec(&frames).unwrap()),
            }
        }
    }
}
