//! The bytes of an answer as they arrived.
//!
//! Promises: every byte and its time, up to [`MOST`]; while they arrive they take little memory, however long the answer
//! becomes; keys are overwritten in place before it can be stored.
//! Leaves to others: what the bytes mean (one file per wire format).

use super::event::micros;
use super::secret::Redactor;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// Most bytes of one answer.
pub const MOST: usize = 32 << 20;

/// Bytes that arrived together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// When, since the call began.
    #[serde(rename = "at_us", with = "micros")]
    pub at: Duration,
    /// How many bytes.
    pub length: usize,
}

/// An answer's bytes and their times.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Stored")]
pub struct RawStream {
    bytes: Vec<u8>,
    frames: Vec<Frame>,
}

impl fmt::Debug for RawStream {
    /// Its size: the bytes are many, and from outside.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawStream({} bytes in {} frames)", self.bytes.len(), self.frames.len())
    }
}

impl RawStream {
    /// Takes bytes that arrived; false: there is no room for them, and they were not taken.
    #[must_use]
    pub fn push(&mut self, at: Duration, bytes: &[u8]) -> bool {
        if !has_room(self.bytes.len(), &self.frames, bytes) {
            return false;
        }
        self.bytes.extend_from_slice(bytes);
        self.frames.push(Frame { at, length: bytes.len() });
        true
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that arrived together, each with their time.
    pub fn frames(&self) -> impl Iterator<Item = (Duration, &[u8])> {
        let mut rest = self.bytes.as_slice();
        self.frames.iter().map(move |frame| {
            let (bytes, after) = rest.split_at_checked(frame.length).unwrap_or((rest, &[]));
            rest = after;
            (frame.at, bytes)
        })
    }

    /// Overwrites keys.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        redactor.bytes(&mut self.bytes);
    }
}

/// Bytes that lie open before they are compressed.
const BLOCK: usize = 256 << 10;
/// How hard: what a stream repeats around each token is repeated word for word.
const LEVEL: i32 = 1;

/// A stream while it arrives: full blocks of it are compressed, their bytes one behind the other.
#[derive(Default)]
pub(super) struct Incoming {
    sealed: Vec<Vec<u8>>,
    open: Vec<u8>,
    length: usize,
    frames: Vec<Frame>,
}

impl Incoming {
    /// As [`RawStream::push`].
    #[must_use]
    pub fn push(&mut self, at: Duration, bytes: &[u8]) -> bool {
        if !has_room(self.length, &self.frames, bytes) {
            return false;
        }
        self.length += bytes.len();
        self.open.extend_from_slice(bytes);
        self.frames.push(Frame { at, length: bytes.len() });
        // A block that cannot be compressed stays open: it costs memory, not bytes.
        if self.open.len() >= BLOCK
            && let Ok(mut block) = zstd::bulk::compress(&self.open, LEVEL)
        {
            // It was made with room for what cannot be compressed.
            block.shrink_to_fit();
            self.sealed.push(block);
            self.open.clear();
        }
        true
    }

    /// All that has arrived; `None`: it did not come back whole, which only lack of memory could bring about.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut all = Vec::with_capacity(self.length);
        for block in &self.sealed {
            zstd::stream::copy_decode(block.as_slice(), &mut all).ok()?;
        }
        all.extend_from_slice(&self.open);
        (all.len() == self.length).then_some(all)
    }

    /// The stream, over.
    pub fn finish(self) -> Option<RawStream> {
        Some(RawStream { bytes: self.bytes()?, frames: self.frames })
    }
}

/// Whether there is room for these bytes too.
fn has_room(length: usize, frames: &[Frame], bytes: &[u8]) -> bool {
    // A frame takes room too: a server that sends single bytes gets no further than others.
    length + size_of_val(frames) + bytes.len() <= MOST
}

/// As it is stored: text where it is text.
#[derive(Deserialize)]
struct Stored {
    v: u32,
    frames: Vec<Frame>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    base64: Option<String>,
}

/// The same, of bytes that lie elsewhere: they are many.
#[derive(Serialize)]
struct Storing<'a> {
    v: u32,
    frames: &'a [Frame],
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Serialize for RawStream {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = std::str::from_utf8(&self.bytes).ok();
        let base64 = text.is_none().then(|| STANDARD.encode(&self.bytes));
        Storing { v: 1, frames: &self.frames, text, base64 }.serialize(serializer)
    }
}

/// A stored stream that contradicts itself.
#[derive(Debug, thiserror::Error)]
#[error("not a recorded stream: {0}")]
struct NotAStream(&'static str);

impl TryFrom<Stored> for RawStream {
    type Error = NotAStream;

    fn try_from(stored: Stored) -> Result<RawStream, NotAStream> {
        if stored.v != 1 {
            return Err(NotAStream("its version is not 1"));
        }
        let bytes = match (stored.text, stored.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => {
                STANDARD.decode(base64).map_err(|_| NotAStream("its base64 is damaged"))?
            }
            _ => return Err(NotAStream("it needs `text` or `base64`")),
        };
        let length = stored.frames.iter().try_fold(0_usize, |sum, frame| sum.checked_add(frame.length));
        if length != Some(bytes.len()) || bytes.len() > MOST {
            return Err(NotAStream("its frames do not add up to its bytes"));
        }
        Ok(RawStream { bytes, frames: stored.frames })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::secret::Secret;

    #[test]
    fn bytes_and_times_are_stored_and_read_back() {
        for pieces in [vec![b"da".as_slice(), b"ta: \xc3", b"\xa9\n"], vec![b"\xff\x00", b"x"], vec![]] {
            let mut raw = RawStream::default();
            for (number, piece) in pieces.iter().enumerate() {
                assert!(raw.push(Duration::from_micros(number as u64 * 7), piece));
            }
            let json = serde_json::to_string(&raw).unwrap();
            let read: RawStream = serde_json::from_str(&json).unwrap();
            assert_eq!(read, raw);
            let frames: Vec<&[u8]> = read.frames().map(|(_, bytes)| bytes).collect();
            assert_eq!(frames, pieces);
        }
    }

    #[test]
    fn what_is_compressed_while_it_arrives_comes_back() {
        let (mut incoming, mut raw) = (Incoming::default(), RawStream::default());
        for number in 0..40_000_u32 {
            let (at, piece) = (Duration::from_micros(number.into()), format!("data: {number:x}\n"));
            assert!(incoming.push(at, piece.as_bytes()) && raw.push(at, piece.as_bytes()));
        }
        assert!(!incoming.sealed.is_empty() && incoming.open.len() < BLOCK);
        assert_eq!(incoming.finish().unwrap(), raw);
        assert_eq!(Incoming::default().finish().unwrap(), RawStream::default());
    }

    #[test]
    fn damaged_ones_are_refused() {
        for json in [
            r#"{"v":2,"frames":[],"text":""}"#,
            r#"{"v":1,"frames":[]}"#,
            r#"{"v":1,"frames":[{"at_us":0,"length":3}],"text":"ab"}"#,
            r#"{"v":1,"frames":[],"base64":"!"}"#,
            r#"{"v":1,"frames":[{"at_us":0,"length":18446744073709551615},{"at_us":0,"length":3}],"text":"ab"}"#,
        ] {
            assert!(serde_json::from_str::<RawStream>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn it_has_a_bound_and_keeps_no_key() {
        let mut raw = RawStream::default();
        let mebibyte = vec![b'x'; 1 << 20];
        let taken = (0..100).take_while(|_| raw.push(Duration::ZERO, &mebibyte)).count();
        assert_eq!(taken, (MOST >> 20) - 1);
        let mut incoming = Incoming::default();
        assert_eq!((0..100).take_while(|_| incoming.push(Duration::ZERO, &mebibyte)).count(), taken);
        let mut raw = RawStream::default();
        assert!(raw.push(Duration::ZERO, b"my sk-12") && raw.push(Duration::ZERO, b"345678 key"));
        raw.redact(&Redactor::new(Some(&Secret::new("sk-12345678"))));
        assert_eq!(raw.bytes(), b"my *********** key");
    }
}
