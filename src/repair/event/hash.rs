//! The name under which a text, a tree or a report is kept beside the events.
//!
//! Promises: 64 lower-case hexadecimal digits, always; nothing else is read. Leaves to others: keeping (`store`).

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// sha256 of some content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> ContentHash {
        ContentHash(crate::task::hex(&Sha256::digest(bytes.as_ref())))
    }

    /// A hash from its digits; `None` unless there are 64 of them, lower case.
    pub fn from_hex(digits: &str) -> Option<ContentHash> {
        (digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
            .then(|| ContentHash(digits.to_owned()))
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ContentHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        ContentHash::from_hex(&text)
            .ok_or_else(|| serde::de::Error::custom("a content hash has 64 lower-case hexadecimal digits"))
    }
}
