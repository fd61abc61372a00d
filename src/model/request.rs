//! What a model is asked.
//!
//! Promises: holds no key and no address, so that it can be recorded as it is. Leaves to others: what the messages say
//! (`repair`), how a server is told (one file per wire format).

use crate::config::Decoding;
use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The one who asks.
    User,
    /// The model, in earlier turns.
    Assistant,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message { role, content: content.into() }
    }
}

/// A request for one answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The messages so far.
    pub messages: Vec<Message>,
    /// How the answer is drawn, laid over what the model's settings say.
    #[serde(default)]
    pub decoding: Decoding,
    /// Further fields for the server, laid over those of the model's settings.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl ChatRequest {
    /// A request of one message by the user.
    pub fn ask(content: impl Into<String>) -> ChatRequest {
        ChatRequest { messages: vec![Message::new(Role::User, content)], ..ChatRequest::default() }
    }

    /// Bytes of all messages.
    pub fn size(&self) -> u64 {
        self.messages.iter().map(|message| message.content.len() as u64).sum()
    }
}
