//! What a model answered.
//!
//! Promises: everything here may be recorded: no key is in it. What a server did that it should not have is counted in
//! [`Quirks`], never passed over in silence. Leaves to others: finding code in the text (`repair`).

use super::error::ModelError;
use super::event::{micros, optional_micros};
use super::raw::RawStream;
use crate::config::{Money, Prices};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Finish {
    /// The model ended it, or a stop text came.
    Stop,
    /// It reached the longest length: it is cut short.
    Length,
    /// The model wants to call a tool.
    Tool,
    /// The server withheld the rest.
    ContentFilter,
    /// A word that is not known, or none: then it is `untold`.
    Other(String),
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finish::Stop => f.write_str("stop"),
            Finish::Length => f.write_str("length"),
            Finish::Tool => f.write_str("tool"),
            Finish::ContentFilter => f.write_str("content-filter"),
            Finish::Other(word) => write!(f, "other:{word}"),
        }
    }
}

impl From<Finish> for String {
    fn from(finish: Finish) -> String {
        finish.to_string()
    }
}

impl From<String> for Finish {
    fn from(text: String) -> Finish {
        match text.as_str() {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            "tool" => Finish::Tool,
            "content-filter" => Finish::ContentFilter,
            other => Finish::Other(other.strip_prefix("other:").unwrap_or(other).to_owned()),
        }
    }
}

/// What a server counted, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the prompt.
    pub input: u64,
    /// Of the answer, reasoning included.
    pub output: u64,
    /// Of the prompt, from the server's cache.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cached: Option<u64>,
    /// Of the answer, spent on reasoning.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<u64>,
    /// The cost that the server itself named, where it does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub told_cost: Option<Money>,
}

impl Usage {
    /// What it costs at these prices.
    pub fn cost(&self, prices: &Prices) -> Money {
        let cached = self.cached.unwrap_or(0).min(self.input);
        let cached_price = prices.cached.unwrap_or(prices.input);
        let input = prices.input.for_tokens(self.input - cached).plus(cached_price.for_tokens(cached));
        input.plus(prices.output.for_tokens(self.output))
    }
}

/// When things happened, since the call began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// The date when the call began.
    pub began: Timestamp,
    /// Spent waiting for a turn or for another try: this is not the model's time.
    #[serde(rename = "waited_us", with = "micros")]
    pub waited: Duration,
    /// When the last try's request was sent.
    #[serde(rename = "sent_us", with = "micros")]
    pub sent: Duration,
    /// When the first byte of the answer was there.
    #[serde(rename = "first_byte_us", with = "optional_micros", default)]
    pub first_byte: Option<Duration>,
    /// When the first text or reasoning was there.
    #[serde(rename = "first_token_us", with = "optional_micros", default)]
    pub first_token: Option<Duration>,
    /// When the last text or reasoning was there.
    #[serde(rename = "last_token_us", with = "optional_micros", default)]
    pub last_token: Option<Duration>,
    /// When it was over.
    #[serde(rename = "ended_us", with = "micros")]
    pub ended: Duration,
}

impl Timing {
    /// From the sending of the last try's request to the first text or reasoning.
    pub fn time_to_first_token(&self) -> Option<Duration> {
        self.first_token.map(|first| first.saturating_sub(self.sent))
    }

    /// Tokens a second between the first and the last; `None` where that cannot be told.
    pub fn tokens_per_second(&self, output: u64) -> Option<f64> {
        let seconds = self.last_token?.saturating_sub(self.first_token?).as_secs_f64();
        (output > 1 && seconds > 0.0).then(|| (output - 1) as f64 / seconds)
    }
}

/// What the server did that it should not have, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quirks {
    /// Lines that were no UTF-8; what was none became U+FFFD.
    pub invalid_utf8: u64,
    /// Pieces that came after the end, and were left out.
    pub after_end: u64,
    /// Events that could not be read and mattered to nothing.
    pub ignored: u64,
    /// The stream had no `[DONE]`.
    pub no_done: bool,
    /// No usage was told.
    pub no_usage: bool,
    /// Counts of tokens that no call can have, taken for not told.
    pub impossible_counts: u64,
    /// Reasoning stood in the answer, between `<think>` marks, and was taken out of it.
    pub think_marks: bool,
    /// The server sent the key back in pieces: the bytes are not kept, because it could be put together from them.
    pub raw_withheld: bool,
}

impl Quirks {
    /// In words; empty where there are none.
    pub fn describe(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut count = |count: u64, what: &str| {
            if count > 0 {
                words.push(format!("{what}: {count}"));
            }
        };
        count(self.invalid_utf8, "lines that were no UTF-8");
        count(self.after_end, "pieces after the end, left out");
        count(self.ignored, "events that could not be read");
        count(self.impossible_counts, "counts of tokens that cannot be, taken for not told");
        for (is, what) in [
            (self.no_done, "no [DONE] at the end"),
            (self.no_usage, "no usage told"),
            (self.think_marks, "reasoning between <think> marks"),
            (self.raw_withheld, "the key came back in pieces, so the bytes are not kept"),
        ] {
            if is {
                words.push(what.to_owned());
            }
        }
        words
    }
}

/// What came of a call so far: the whole of an answer, or the part that was there when it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// The text.
    pub text: String,
    /// The reasoning, where the server tells it.
    pub reasoning: String,
    /// What the server counted, where it told.
    pub usage: Option<Usage>,
    /// What it costs, where prices are known; estimated where the server did not count.
    pub cost: Option<Money>,
    /// The model, as the server names it.
    pub model: Option<String>,
    /// The server's name for this answer.
    pub id: Option<String>,
    /// When things happened.
    pub timing: Timing,
    /// Requests made, those that failed before an answer began included.
    pub requests: u32,
    /// Of these, those of which nothing was sent: no connection came about.
    #[serde(default)]
    pub unsent: u32,
    /// What the server did that it should not have.
    pub quirks: Quirks,
    /// The bytes of the last request's answer, as they arrived.
    pub raw: RawStream,
}

impl Received {
    /// Nothing has come, and nothing was sent, of a call that began at this date.
    pub fn nothing(began: Timestamp) -> Received {
        let zero = Duration::ZERO;
        Received {
            text: String::new(),
            reasoning: String::new(),
            usage: None,
            cost: None,
            model: None,
            id: None,
            timing: Timing {
                began,
                waited: zero,
                sent: zero,
                first_byte: None,
                first_token: None,
                last_token: None,
                ended: zero,
            },
            requests: 0,
            unsent: 0,
            quirks: Quirks::default(),
            raw: RawStream::default(),
        }
    }

    /// What somebody says who takes no time: it was all there at once.
    pub fn at_once(text: impl Into<String>) -> Received {
        let mut received = Received::nothing(Timestamp::UNIX_EPOCH);
        let timing = &mut received.timing;
        timing.first_byte = Some(Duration::ZERO);
        (timing.first_token, timing.last_token) = (timing.first_byte, timing.first_byte);
        Received { text: text.into(), requests: 1, ..received }
    }

    /// Whether anything of the call was sent.
    pub fn was_sent(&self) -> bool {
        self.requests > self.unsent
    }
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Why it ended.
    pub finish: Finish,
    /// What came.
    #[serde(flatten)]
    pub received: Received,
}

/// A call that failed: why, and what had come. It is never joined to what another call gives.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Failed {
    /// Why.
    pub error: ModelError,
    /// What had come; its text is a part at most.
    pub received: Received,
}
