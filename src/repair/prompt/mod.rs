//! Prompts: what a model is sent, in our own words, from templates that the user may replace.
//!
//! Promises: pure and deterministic: the same request and templates give the same messages. Whatever a task, an answer or
//! a test holds, it stays inside its fence: it cannot end a section, begin one, or be read as a template. What a prompt
//! gives away of the reference, the tests or a person is computed with it.
//! Leaves to others: finding context ([`ContextText`]), making feedback (`repair::feedback`), sending (`model`).
//!
//! # Sections
//!
//! The role is the system message. The user message holds, in this order: task, docstring and issue texts, hints,
//! examples, context, code, feedback, what the technique adds, guidelines, output format. Each can be left out
//! (`without`); a section without content is left out by itself.
//!
//! # Techniques
//!
//! | technique | what it adds |
//! |---|---|
//! | `baseline` | nothing |
//! | `cot` | a section that asks to reason step by step, in writing, before the answer |
//! | `few-shot` | a section of repairs of other tasks, the same for all tasks of a seed ([`choose_examples`]) |
//! | `es-shot` | the same section, with the repairs that share most words with the task |
//! | `self-ask` | a call before, for questions and answers; a section that shows them |
//! | `sg-icl` | a call before, for an example made up by the model; a section that shows it |
//! | `step-back` | a call before, for the principles behind the task; a section that shows them |
//! | `rephrase` | a call before, for the request in the model's words; a section that shows them |
//!
//! Calls before are [`Templates::preliminary`]; their answers come back in [`PromptRequest::preliminary`]. Examples of
//! the task's own group are refused.

mod build;
mod error;
pub mod estimate;
mod examples;
mod fence;
mod forecast;
mod helper;
mod place;
mod templates;
mod view;

#[cfg(test)]
mod tests;

pub use build::{ContextText, PromptRequest, Told};
pub use error::PromptError;
pub use examples::{Example, choose_examples};
pub use forecast::{Forecast, Load, forecast};
pub use helper::HelperRequest;
pub use place::{follow_place, reference_places};
pub use templates::{EMBEDDED, TemplateError, Templates};

use crate::repair::cell::Section;
use crate::repair::cell::word::words;
use crate::repair::event::Exposures;
use serde::{Deserialize, Serialize};

words! {
    /// Who says a message.
    pub enum Speaker as "speaker" {
        /// Instructions that stand above all others.
        System = "system",
        /// The one who asks.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Speaker,
    /// What is said.
    pub text: String,
}

impl Message {
    /// A message.
    pub fn new(role: Speaker, text: impl Into<String>) -> Message {
        Message { role, text: text.into() }
    }
}

/// A prompt, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// All messages, those of earlier turns included.
    pub messages: Vec<Message>,
    /// What the new messages give away by themselves.
    #[serde(default)]
    pub exposure: Exposures,
    /// The sections that the new messages hold.
    #[serde(default)]
    pub sections: Vec<Section>,
}

impl Prompt {
    /// Estimated length, tokens ([`estimate`]).
    pub fn tokens(&self) -> u64 {
        estimate::tokens_of(&self.messages)
    }
}
