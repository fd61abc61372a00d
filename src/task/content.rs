//! The content of a file: bytes, and how they are read as text.
//!
//! Promises: bytes are never changed; in JSON valid UTF-8 is a string and everything else base64, so
//! that a round trip gives the same bytes.

use base64::Engine;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A file's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Content(Vec<u8>);

/// How bytes were read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8.
    Utf8,
    /// Not UTF-8, no control bytes that text would not hold: shown as Latin-1.
    Latin1,
}

/// What the bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decoded<'a> {
    /// Text.
    Text(Cow<'a, str>, Encoding),
    /// Not text: holds a zero byte, or many control bytes.
    Binary,
}

impl Content {
    /// Content of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Content {
        Content(bytes.into())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes as text, or [`is_binary`].
    pub fn decode(&self) -> Decoded<'_> {
        if is_binary(&self.0) {
            return Decoded::Binary;
        }
        match std::str::from_utf8(&self.0) {
            Ok(text) => Decoded::Text(Cow::Borrowed(text), Encoding::Utf8),
            Err(_) => Decoded::Text(Cow::Owned(self.latin1()), Encoding::Latin1),
        }
    }

    /// The bytes read as Latin-1: each one a character.
    pub fn latin1(&self) -> String {
        self.0.iter().map(|byte| char::from(*byte)).collect()
    }

    /// The text, or `None` for binary content.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self.decode() {
            Decoded::Text(text, _) => Some(text),
            Decoded::Binary => None,
        }
    }
}

/// Whether bytes are not text. That is what git calls so, a zero byte in the first 8,000 bytes; and bytes
/// that are not UTF-8 and of which more than one in ten are control bytes.
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(8000)];
    let is_control = |byte: &&u8| **byte < 32 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 12 | 27);
    head.contains(&0)
        || (head.iter().filter(is_control).count() * 10 > head.len() && std::str::from_utf8(bytes).is_err())
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content(text.as_bytes().to_vec())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content(text.into_bytes())
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        Content(bytes)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire<'a> {
    Text(Cow<'a, str>),
    Bytes { base64: Cow<'a, str> },
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let base64 = base64::engine::general_purpose::STANDARD.encode(&self.0);
                Wire::Bytes { base64: Cow::Owned(base64) }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        match Wire::deserialize(deserializer)? {
            Wire::Text(text) => Ok(Content(text.into_owned().into_bytes())),
            Wire::Bytes { base64 } => base64::engine::general_purpose::STANDARD
                .decode(base64.as_bytes())
                .map(Content)
                .map_err(|error| D::Error::custom(format!("content is not base64: {error}"))),
        }
    }
}
