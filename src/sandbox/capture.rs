//! Output that is kept within a bound: its head and its tail.
//!
//! Promises: memory never grows past the bound, whatever is pushed; what was left out is counted in bytes. Leaves to
//! others: reading from pipes (the rungs), making it safe to show (`text`).

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Collects a stream: the first half of the bound and the last half.
#[derive(Debug, Clone)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl Capture {
    /// A collector that keeps at most `most` bytes.
    pub fn new(most: u64) -> Capture {
        let half = usize::try_from(most / 2).unwrap_or(usize::MAX / 4);
        Capture { head: Vec::new(), tail: VecDeque::new(), half, total: 0 }
    }

    /// Takes some bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(self.half)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Bytes pushed so far, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What was kept.
    pub fn finish(self) -> Captured {
        let tail: Vec<u8> = self.tail.into();
        let left_out = self.total - self.head.len() as u64 - tail.len() as u64;
        if left_out == 0 {
            let mut head = self.head;
            head.extend_from_slice(&tail);
            return Captured { head, tail: Vec::new(), left_out };
        }
        Captured { head: self.head, tail, left_out }
    }
}

/// A stream that was kept, or its head and its tail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The beginning; everything, when nothing was left out.
    #[serde(with = "crate::sandbox::capture::bytes_as_text")]
    pub head: Vec<u8>,
    /// The end.
    #[serde(with = "crate::sandbox::capture::bytes_as_text", default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<u8>,
    /// Bytes in between that were not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Captured {
    /// Both parts as text, with a line in between that says what was left out. Not sanitised.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.left_out > 0 {
            text.push_str(&format!("\n[… {} bytes left out …]\n", self.left_out));
            text.push_str(&String::from_utf8_lossy(&self.tail));
        }
        text
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }
}

/// Bytes in JSON: as text where they are UTF-8, else in base64 with a mark in front.
mod bytes_as_text {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer};

    /// In front of what is not UTF-8, and of text that begins so itself.
    const MARK: &str = "base64:";

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.starts_with(MARK) => serializer.serialize_str(text),
            _ => serializer.serialize_str(&format!("{MARK}{}", STANDARD.encode(bytes))),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.strip_prefix(MARK) {
            Some(encoded) => STANDARD.decode(encoded).map_err(serde::de::Error::custom),
            None => Ok(text.into_bytes()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_head_and_tail_and_counts_the_rest(chunks: Vec<Vec<u8>>, most in 0u64..64) {
            let mut capture = Capture::new(most);
            for chunk in &chunks {
                capture.push(chunk);
            }
            let all = chunks.concat();
            let kept = capture.finish();
            prop_assert_eq!(kept.head.len() + kept.tail.len() + kept.left_out as usize, all.len());
            prop_assert!((kept.head.len() + kept.tail.len()) as u64 <= most);
            prop_assert!(all.starts_with(&kept.head));
            prop_assert!(all.ends_with(&kept.tail));
            let json = serde_json::to_string(&kept).unwrap();
            prop_assert_eq!(serde_json::from_str::<Captured>(&json).unwrap(), kept);
        }
    }

    #[test]
    fn says_what_was_left_out() {
        let mut capture = Capture::new(4);
        capture.push(b"abcdefgh");
        assert_eq!(capture.finish().text(), "ab\n[… 4 bytes left out …]\ngh");
    }
}
