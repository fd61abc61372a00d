//! The revision of a task: sha256 of its canonical JSON.

use super::Task;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// sha256 of the canonical task, as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(String);

impl Revision {
    /// A revision from its digits; `None` unless there are 64 of them.
    pub fn from_hex(digits: &str) -> Option<Revision> {
        (digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
            .then(|| Revision(digits.to_owned()))
    }

    /// A revision from the 32 bytes of its hash.
    pub fn from_digest(digest: &[u8; 32]) -> Revision {
        Revision(hex(digest))
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

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Task {
    /// The task as canonical JSON: keys sorted, no white space, without dataset and marks, without
    /// keys whose value is null or an empty list or map.
    pub fn canonical_json(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or(Value::Null);
        if let Value::Object(map) = &mut value {
            map.remove("dataset");
            map.remove("marks");
        }
        canonical(value).to_string()
    }

    /// sha256 of [`Task::canonical_json`].
    pub fn revision(&self) -> Revision {
        Revision(hex(&Sha256::digest(self.canonical_json().as_bytes())))
    }
}

/// Lower-case hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn canonical(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map
                .into_iter()
                .map(|(key, value)| (key, canonical(value)))
                .filter(|(_, value)| !is_empty(value))
                .collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(canonical).collect()),
        other => other,
    }
}

/// Strings stay even when empty: an empty file is not a missing one.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
