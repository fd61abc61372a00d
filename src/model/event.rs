//! What happens while a model answers.
//!
//! Promises: every event carries the time since the call began; texts hold no key. Texts come from a server and are
//! hostile: whoever shows them makes them harmless. Leaves to others: storing and drawing.

use super::answer::{Finish, Usage};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// An event and when it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Time since the call began.
    #[serde(rename = "at_us", with = "micros")]
    pub at: Duration,
    /// What happened.
    #[serde(flatten)]
    pub event: ModelEvent,
}

/// Why a call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// As many requests are under way as the key allows.
    Concurrency,
    /// The key's limit of requests or tokens in a minute.
    RateLimit,
    /// The server asked everybody with this key to wait.
    RetryAfter,
    /// The rest of the budget is reserved by calls that run.
    Budget,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Concurrency => "waiting for another request with the same key to end",
            Why::RateLimit => "waiting for the key's rate limit",
            Why::RetryAfter => "waiting because the server asked to",
            Why::Budget => "waiting for running calls that hold the rest of the budget",
        })
    }
}

/// What happened. In order: `Waiting` (any number), `Connecting`, then `Started` and what follows, or `Retrying` and all
/// of it again. No text comes before a `Retrying`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum ModelEvent {
    /// The call waits for its turn.
    Waiting {
        /// Why.
        why: Why,
        /// When it goes on, since the call began; `None`: not known.
        #[serde(
            rename = "until_us",
            with = "optional_micros",
            skip_serializing_if = "Option::is_none",
            default
        )]
        until: Option<Duration>,
    },
    /// The request is being sent.
    Connecting,
    /// The first byte of the answer is there.
    Started,
    /// A piece of the model's reasoning.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A piece of the answer.
    Text {
        /// The piece.
        text: String,
    },
    /// What the server counted.
    Usage {
        /// The counts.
        usage: Usage,
    },
    /// A try failed and another one will be made.
    Retrying {
        /// The number of the try that failed, from 1.
        attempt: u32,
        /// Time until the next one.
        #[serde(rename = "after_us", with = "micros")]
        after: Duration,
        /// What failed.
        why: String,
    },
    /// The answer is complete.
    Finished {
        /// Why it ended.
        finish: Finish,
    },
}

/// Durations as whole microseconds.
pub(super) mod micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }
}

/// Durations that may be missing, as whole microseconds.
pub(super) mod optional_micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub fn serialize<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::micros::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Option::<u64>::deserialize(deserializer).map(|time| time.map(Duration::from_micros))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn events_are_flat_objects_and_read_back() {
        for (event, json) in [
            (ModelEvent::Text { text: "a".into() }, r#"{"at_us":1500000,"event":"text","text":"a"}"#),
            (
                ModelEvent::Waiting { why: Why::RateLimit, until: Some(Duration::from_secs(2)) },
                r#"{"at_us":1500000,"event":"waiting","why":"rate-limit","until_us":2000000}"#,
            ),
            (
                ModelEvent::Waiting { why: Why::Concurrency, until: None },
                r#"{"at_us":1500000,"event":"waiting","why":"concurrency"}"#,
            ),
            (
                ModelEvent::Finished { finish: Finish::Other("eos_wild".into()) },
                r#"{"at_us":1500000,"event":"finished","finish":"other:eos_wild"}"#,
            ),
        ] {
            let timed = Timed { at: Duration::from_millis(1500), event };
            assert_eq!(serde_json::to_string(&timed).unwrap(), json);
            assert_eq!(serde_json::from_str::<Timed>(json).unwrap(), timed);
        }
    }
}
