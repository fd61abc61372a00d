//! What the helper model is asked, for feedback that a model writes.
//!
//! Promises: the skilled reviewer sees the task and the newest code; the expert sees the reference beside them, and
//! its words have the exposure `reference-text`. Neither sees what the tests said: kinds of feedback stay apart.
//! Leaves to others: what becomes of the answer (`repair::feedback`).

use super::build::{language, parts};
use super::error::PromptError;
use super::fence::fenced;
use super::templates::Templates;
use super::view::view;
use super::{Message, Prompt, Speaker};
use crate::repair::cell::Section;
use crate::repair::event::{Exposure, Exposures};
use crate::repair::form::{Current, Form};
use crate::task::{FeedbackKind, Task};
use minijinja::Value;
use std::collections::BTreeMap;

/// What the helper is asked about.
#[derive(Debug, Clone)]
pub struct HelperRequest<'a> {
    /// The task.
    pub task: &'a Task,
    /// The newest tree.
    pub current: &'a Current<'a>,
    /// The kind of feedback: `llm-skilled`, or `llm-expert` and `mixed`, whose reviewer sees the reference.
    pub kind: FeedbackKind,
}

impl Templates {
    /// The prompt of the helper.
    ///
    /// # Errors
    ///
    /// The task has no reference for an expert to see, or another [`PromptError`].
    pub fn helper(&self, request: &HelperRequest<'_>) -> Result<Prompt, PromptError> {
        let task = request.task;
        let is_expert = request.kind != FeedbackKind::LlmSkilled;
        let fill = |name: &'static str, values: &[(&'static str, Value)]| {
            let mut all: BTreeMap<&'static str, Value> = values.iter().cloned().collect();
            all.insert("language", Value::from(language(task)));
            self.fill(name, all)
        };
        let mut text = Vec::new();
        let mut sections = vec![Section::Role];
        if !task.description.trim().is_empty() {
            let description = Value::from(fenced(&task.description, "text"));
            text.push(fill("docstring", &[("description", description)])?);
            sections.push(Section::Docstring);
        }
        let newest = view(task, request.current, Form::Function, None)?;
        text.push(fill("code", &[("parts", parts(&newest.code))])?);
        sections.push(Section::Code);
        let mut exposure = Exposures::new();
        if is_expert {
            if task.files.reference.is_empty() {
                return Err(PromptError::NoReference);
            }
            let reference = view(task, &task.reference_tree(), Form::Function, None)?;
            text.push(fill("helper-expert", &[("parts", parts(&reference.code))])?);
            exposure.insert(Exposure::ReferenceText);
        } else {
            text.push(fill("helper-skilled", &[])?);
        }
        let messages = vec![
            Message::new(Speaker::System, fill("helper-role", &[])?),
            Message::new(Speaker::User, text.join("\n\n")),
        ];
        Ok(Prompt { messages, exposure, sections })
    }
}
