//! Which of a turn's calls of a model an event or effect is about.
//!
//! Promises: `repair`, `helper` and `preliminary:N` are printed and read back.

use crate::repair::cell::UnknownWord;
use crate::repair::cell::word::{as_text, quoted, unknown};
use std::fmt;
use std::str::FromStr;

/// A call of a model within a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// One that comes before the call that answers; its answer goes into the next prompt. From 1.
    Preliminary(u32),
    /// The call that answers.
    Repair,
    /// The helper model is asked for feedback.
    Helper,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Preliminary(number) => write!(f, "preliminary:{number}"),
            Call::Repair => f.write_str("repair"),
            Call::Helper => f.write_str("helper"),
        }
    }
}

impl FromStr for Call {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Call, UnknownWord> {
        let read = match text.split_once(':') {
            None if text == "repair" => Some(Call::Repair),
            None if text == "helper" => Some(Call::Helper),
            Some(("preliminary", number)) => number
                .parse()
                .ok()
                .filter(|count: &u32| *count > 0 && count.to_string() == number)
                .map(Call::Preliminary),
            _ => None,
        };
        read.ok_or_else(|| {
            let mut error = unknown("call", text, ["repair", "helper", "preliminary:1"]);
            error.found = quoted(text);
            error
        })
    }
}

as_text!(Call);
