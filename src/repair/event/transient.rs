//! The particulars of each transient kind.
//!
//! Promises: plain data; texts are untrusted. Leaves to others: how it is written (`wire`), frames of it (`runner`).

use super::{Call, Unknown};
use crate::repair::cell::word::words;
use crate::report::Status;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

words! {
    /// Where a piece of text came from.
    pub enum Channel as "channel" {
        /// The answer.
        Answer = "answer",
        /// Reasoning beside it.
        Reasoning = "reasoning",
        /// Standard output of a command.
        Output = "output",
        /// Standard error of a command.
        Errors = "errors",
    }
}

/// `answer-delta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerDelta {
    /// Which call.
    pub call: Call,
    /// Answer or reasoning.
    pub channel: Channel,
    /// The piece.
    pub text: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `build-output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildOutput {
    /// Output or errors.
    pub channel: Channel,
    /// The piece; bytes that are no text are replaced.
    pub text: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

/// `test-finished`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestFinished {
    /// The test.
    pub id: String,
    /// What became of it.
    pub status: Status,
    /// How many have ended.
    pub done: u64,
    /// How many there are, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

words! {
    /// What `waiting` tells by a word of ours: what is done now, or what is waited for. Models add words of their own.
    pub enum Awaited as "state" {
        /// A request is on its way.
        Connecting = "connecting",
        /// The server works, and nothing came yet.
        Thinking = "thinking",
        /// A sandbox is made.
        Preparing = "preparing",
        /// The tree is laid into it.
        Applying = "applying",
        /// The code is built.
        Building = "building",
        /// Tests have begun.
        Testing = "testing",
        /// The sandbox is removed.
        Cleaning = "cleaning",
        /// All sandboxes are taken.
        Sandbox = "a free sandbox",
        /// What failed is tried again.
        AnotherTry = "another try",
        /// The run is paused.
        Person = "a person",
        /// A person is to write the feedback.
        PersonsFeedback = "a person's feedback",
    }
}

impl Awaited {
    /// The word, if it is one of ours.
    pub fn of(what: &str) -> Option<Awaited> {
        Awaited::ALL.into_iter().find(|known| known.as_str() == what)
    }
}

/// `waiting`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// For what, in words: `the key's rate limit`, `a free sandbox`, `a person`.
    pub what: String,
    /// Until when, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

impl Waiting {
    /// A word of ours, without an end that is known.
    pub fn of(what: Awaited) -> Waiting {
        Waiting { what: what.as_str().to_owned(), until: None, other: Unknown::new() }
    }
}
