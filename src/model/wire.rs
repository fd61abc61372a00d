//! What every wire format gives: a request as JSON, and a reader of the stream that comes back.
//!
//! Promises: readers know bytes only, no time and no connection, so that stored bytes read the same as live ones.
//! Leaves to others: sending (`endpoint`).

use super::answer::{Finish, Quirks, Usage};
use super::request::ChatRequest;
use super::said::Said;
use crate::config::{ModelSettings, WireFormat};
use serde_json::Value;

/// Something that a stream says.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A piece of reasoning.
    Reasoning(String),
    /// A piece of the answer.
    Text(String),
    /// What the server counted.
    Usage(Usage),
    /// The server's name for the model.
    Model(String),
    /// The server's name for the answer.
    Id(String),
    /// The server failed.
    Error(Said),
}

/// Something that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Why.
    pub why: String,
    /// Its beginning.
    pub line: String,
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With its terminal event.
    Complete(Finish),
    /// Without; what is missing.
    Broken(&'static str),
}

/// Reads one stream.
pub trait Reader: Send {
    /// Takes bytes as they arrived; calls `give` with what they say.
    fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Piece)) -> Result<(), Unreadable>;

    /// Whether nothing more needs to be read.
    fn is_over(&self) -> bool;

    /// There are no more bytes. Says how it ended, and what was odd.
    fn finish(&mut self, give: &mut dyn FnMut(Piece)) -> (End, Quirks);
}

/// A wire format.
pub trait Wire: Send + Sync {
    /// What is put behind the base address.
    fn path(&self) -> &'static str;

    /// The request as the server wants it.
    fn body(&self, settings: &ModelSettings, request: &ChatRequest) -> Value;

    /// A reader for one stream.
    fn reader(&self) -> Box<dyn Reader>;
}

/// The wire format with this name.
pub fn wire(format: WireFormat) -> Box<dyn Wire> {
    match format {
        WireFormat::OpenaiChat => Box::new(super::openai_chat::OpenaiChat),
    }
}
