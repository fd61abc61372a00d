//! How an event is written: one flat object with `v, run, trajectory, attempt, turn, seq, at, kind, data`.
//!
//! Promises: written and read back unchanged. A kind that is not known is kept as it is; so is a known kind of a newer
//! version whose data do not fit. Data of our own version that do not fit are an error that names kind and field.

use super::{RunEvent, Unknown, VERSION, What};
use jiff::Timestamp;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
struct Envelope {
    v: u32,
    run: Uuid,
    trajectory: Uuid,
    attempt: u32,
    turn: u32,
    seq: u64,
    at: Timestamp,
    kind: String,
    data: Value,
    #[serde(flatten)]
    other: Unknown,
}

/// Data that could not be read as their kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("data of `{kind}` do not fit version {v}: {why}")]
pub struct DataError {
    /// The kind.
    pub kind: String,
    /// The version that the event names.
    pub v: u32,
    /// What does not fit.
    pub why: String,
}

impl What {
    /// The data as JSON.
    pub fn data(&self) -> Value {
        let written = match self {
            What::PromptBuilt(data) => serde_json::to_value(data),
            What::RequestStarted(data) => serde_json::to_value(data),
            What::AnswerFinished(data) => serde_json::to_value(data),
            What::Extracted(data) => serde_json::to_value(data),
            What::Applied(data) => serde_json::to_value(data),
            What::Verified(data) => serde_json::to_value(data),
            What::FeedbackMade(data) => serde_json::to_value(data),
            What::Intervened(data) => serde_json::to_value(data),
            What::Stopped(data) => serde_json::to_value(data),
            What::AnswerDelta(data) => serde_json::to_value(data),
            What::BuildOutput(data) => serde_json::to_value(data),
            What::TestFinished(data) => serde_json::to_value(data),
            What::Waiting(data) => serde_json::to_value(data),
            What::Unknown { data, .. } => return data.clone(),
        };
        // Maps with text keys and plain values can always be written.
        written.unwrap_or(Value::Null)
    }

    /// Reads a kind and its data, as a store keeps them.
    ///
    /// # Errors
    ///
    /// The kind is known, the version is not newer than ours, and the data do not fit.
    pub fn read(v: u32, kind: &str, data: Value) -> Result<What, DataError> {
        let kept = (v > VERSION).then(|| data.clone());
        let read = match kind {
            "prompt-built" => typed(data, What::PromptBuilt),
            "request-started" => typed(data, What::RequestStarted),
            "answer-finished" => typed(data, What::AnswerFinished),
            "extracted" => typed(data, What::Extracted),
            "applied" => typed(data, What::Applied),
            "verified" => typed(data, What::Verified),
            "feedback-made" => typed(data, What::FeedbackMade),
            "intervened" => typed(data, What::Intervened),
            "stopped" => typed(data, What::Stopped),
            "answer-delta" => typed(data, What::AnswerDelta),
            "build-output" => typed(data, What::BuildOutput),
            "test-finished" => typed(data, What::TestFinished),
            "waiting" => typed(data, What::Waiting),
            _ => return Ok(What::Unknown { kind: kind.to_owned(), data }),
        };
        match (read, kept) {
            (Ok(what), _) => Ok(what),
            (Err(_), Some(data)) => Ok(What::Unknown { kind: kind.to_owned(), data }),
            (Err(why), None) => Err(DataError { kind: kind.to_owned(), v, why: why.to_string() }),
        }
    }
}

fn typed<T: DeserializeOwned>(data: Value, what: fn(T) -> What) -> Result<What, serde_json::Error> {
    serde_json::from_value(data).map(what)
}

impl Serialize for RunEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Envelope {
            v: self.v,
            run: self.run,
            trajectory: self.trajectory,
            attempt: self.attempt,
            turn: self.turn,
            seq: self.seq,
            at: self.at,
            kind: self.kind().to_owned(),
            data: self.what.data(),
            other: self.other.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunEvent, D::Error> {
        let envelope = Envelope::deserialize(deserializer)?;
        Ok(RunEvent {
            v: envelope.v,
            run: envelope.run,
            trajectory: envelope.trajectory,
            attempt: envelope.attempt,
            turn: envelope.turn,
            seq: envelope.seq,
            at: envelope.at,
            what: What::read(envelope.v, &envelope.kind, envelope.data).map_err(D::Error::custom)?,
            other: envelope.other,
        })
    }
}
