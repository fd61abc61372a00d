//! What can go wrong between us and a model.
//!
//! Promises: each says what, where and what to do; what a server said is cut, made harmless and free of keys before it
//! gets here. Leaves to others: exit codes (`cli`), starting over (`runner`).

use super::budget::BudgetError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Which limit of time was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// For the connection.
    Connect,
    /// To the first byte.
    FirstByte,
    /// Between two reads.
    Idle,
    /// For the request in all.
    Total,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Connect => "no connection",
            Limit::FirstByte => "no first byte of an answer",
            Limit::Idle => "nothing more of the answer",
            Limit::Total => "no complete answer",
        })
    }
}

impl Limit {
    /// The key of `timeouts` that sets it.
    pub fn setting(self) -> &'static str {
        match self {
            Limit::Connect => "connect_s",
            Limit::FirstByte => "first_byte_s",
            Limit::Idle => "idle_s",
            Limit::Total => "total_s",
        }
    }
}

/// Who has to do with a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Server, network, key or settings: says nothing about the model, and leaves its count.
    Infrastructure,
    /// The request does not fit the model.
    Request,
    /// We ended it: cancelled, or out of budget.
    Stopped,
}

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoConnection {
    /// Nothing listens there.
    Refused,
    /// The name of the host is not known.
    NoSuchHost,
    /// The connection was closed before an answer began.
    Closed,
    /// Something else.
    Other,
}

/// Why a call gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The variable with the key is not set.
    #[error("the environment variable `{variable}` is not set: `{model}` takes its key from there")]
    NoKey {
        /// The model.
        model: String,
        /// The variable.
        variable: String,
    },
    /// The file with the key cannot be used.
    #[error("the key of `{model}` in {} cannot be used: {why}", crate::text::shown(.path))]
    KeyFile {
        /// The model.
        model: String,
        /// The file.
        path: PathBuf,
        /// Why, and what would help.
        why: String,
    },
    /// The settings of the model cannot be used.
    #[error("`{model}` cannot be used: {why}")]
    Settings {
        /// The model.
        model: String,
        /// Why, and what would help.
        why: String,
    },
    /// No connection.
    #[error("{address} cannot be reached: {why}")]
    Connect {
        /// Scheme, host and port.
        address: String,
        /// What kind of trouble.
        kind: NoConnection,
        /// In words.
        why: String,
    },
    /// The other side is not who it should be, or speaks no TLS.
    #[error("no secure connection to {address}: {why}")]
    Tls {
        /// Scheme, host and port.
        address: String,
        /// In words.
        why: String,
    },
    /// A limit of time.
    #[error("{which} within {} s; `timeouts.{}` sets this limit", .after.as_secs_f64(), .which.setting())]
    Timeout {
        /// Which limit.
        which: Limit,
        /// The limit.
        after: Duration,
    },
    /// The key is not accepted.
    #[error("the server does not accept the key ({status}): {said}")]
    Unauthorized {
        /// Status of the answer, 401 or 403.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The account has nothing left.
    #[error("the account has no credit or quota left: {said}")]
    Quota {
        /// What the server said.
        said: String,
    },
    /// Too many requests.
    #[error("too many requests{}: {said}", wait_clause(.retry_after))]
    RateLimited {
        /// How long the server wants us to wait.
        retry_after: Option<Duration>,
        /// What the server said.
        said: String,
    },
    /// The prompt does not fit.
    #[error("the prompt does not fit into the model's context: {said}")]
    ContextTooLong {
        /// What the server said.
        said: String,
    },
    /// There is no such model, or no such path.
    #[error(
        "the server has no model `{model}`, or nothing at this path: {said}; check `model`, and that `address` ends where `/chat/completions` begins (often in `/v1`)"
    )]
    NotFound {
        /// The model, as the server was told.
        model: String,
        /// What the server said.
        said: String,
    },
    /// The server does not want the request.
    #[error("the server refuses the request ({status}): {said}")]
    Http {
        /// Status of the answer.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The server failed.
    #[error("the server failed{}: {said}", status_clause(.status))]
    ServerError {
        /// Status of the answer; `None`: inside a stream.
        status: Option<u16>,
        /// How long the server wants us to wait.
        retry_after: Option<Duration>,
        /// What the server said.
        said: String,
    },
    /// An answer that is no stream.
    #[error(
        "the server does not stream: it answered with {found}; mendbench needs `stream: true` to be heeded"
    )]
    NotAStream {
        /// What it is.
        found: String,
    },
    /// The stream ended without its terminal event.
    #[error("the stream broke off: {why}; what had come is kept as a part")]
    BrokenStream {
        /// How it ended.
        why: String,
    },
    /// More than is taken.
    #[error("the answer is larger than {most} bytes; what had come is kept as a part")]
    TooLarge {
        /// Most bytes.
        most: usize,
    },
    /// Something that cannot be read.
    #[error("the stream cannot be read: {why}: {line}")]
    Protocol {
        /// Why.
        why: String,
        /// The beginning of what cannot be read.
        line: String,
    },
    /// A model that answers as a run did has no answer for this prompt.
    #[error("`{model}` has no answer for this prompt: {why}")]
    NotRecorded {
        /// The model.
        model: String,
        /// Why.
        why: String,
    },
    /// Cancelled by us.
    #[error("cancelled")]
    Cancelled,
    /// The budget does not allow it.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

impl ModelError {
    /// Who has to do with it.
    pub fn fault(&self) -> Fault {
        match self {
            ModelError::ContextTooLong { .. } => Fault::Request,
            ModelError::Cancelled | ModelError::Budget(_) => Fault::Stopped,
            _ => Fault::Infrastructure,
        }
    }

    /// Whether the same request may succeed when it is made again. Before any text has come the model does that itself;
    /// afterwards the runner may start over, with a call of its own.
    pub fn is_passing(&self) -> bool {
        match self {
            ModelError::Connect { .. }
            | ModelError::Timeout { .. }
            | ModelError::RateLimited { .. }
            | ModelError::ServerError { .. }
            | ModelError::BrokenStream { .. } => true,
            ModelError::Http { status, .. } => matches!(status, 408 | 409 | 425),
            _ => false,
        }
    }

    /// How long the server wants us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            ModelError::RateLimited { retry_after, .. } | ModelError::ServerError { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }

    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            ModelError::NoKey { .. } => "no-key",
            ModelError::KeyFile { .. } => "key-file",
            ModelError::NotRecorded { .. } => "not-recorded",
            ModelError::Settings { .. } => "settings",
            ModelError::Connect { .. } => "connect",
            ModelError::Tls { .. } => "tls",
            ModelError::Timeout { .. } => "timeout",
            ModelError::Unauthorized { .. } => "unauthorized",
            ModelError::Quota { .. } => "quota",
            ModelError::RateLimited { .. } => "rate-limited",
            ModelError::ContextTooLong { .. } => "context-too-long",
            ModelError::NotFound { .. } => "not-found",
            ModelError::Http { .. } => "http",
            ModelError::ServerError { .. } => "server-error",
            ModelError::NotAStream { .. } => "not-a-stream",
            ModelError::BrokenStream { .. } => "broken-stream",
            ModelError::TooLarge { .. } => "too-large",
            ModelError::Protocol { .. } => "protocol",
            ModelError::Cancelled => "cancelled",
            ModelError::Budget(_) => "budget",
        }
    }
}

fn wait_clause(wait: &Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(", and the server asks to wait {} s", wait.as_secs_f64()))
}

fn status_clause(status: &Option<u16>) -> String {
    match status {
        Some(status) => format!(" ({status})"),
        None => " inside its stream".to_owned(),
    }
}
