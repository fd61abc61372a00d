//! Why a prompt cannot be laid out.
//!
//! Promises: what, where, and what to do.

use super::templates::TemplateError;
use crate::repair::cell::Technique;
use crate::repair::form::Form;

/// A prompt that cannot be laid out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// A template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The tree lacks a file that the task names.
    #[error(
        "the tree has no file {0}, which the task names as its target: check the task with `mendbench tasks check`"
    )]
    NoFile(String),
    /// The file is there and is not text.
    #[error("{0} is not text and cannot be shown to a model: the task needs another target")]
    NotText(String),
    /// The task names no place for a form that needs one.
    #[error(
        "form `{0}` shows where the change belongs, and this task has no one place: use `function`, `file` or `patch`"
    )]
    NoPlace(Form),
    /// A technique that shows examples has none.
    #[error(
        "technique `{0}` shows repairs of other tasks, and there is none of another group: name a dataset for examples"
    )]
    NoExamples(Technique),
    /// An example of the task's own group would give its repair away.
    #[error("example {id} is of the task's own group {group}: examples come from other groups only")]
    OwnGroup {
        /// The example.
        id: String,
        /// The group.
        group: String,
    },
    /// Answers of the preliminary calls are missing, or there are too many.
    #[error("technique `{technique}` has {needed} calls before this one, and {found} answers were given")]
    Preliminary {
        /// The technique.
        technique: Technique,
        /// Calls that come before.
        needed: u32,
        /// Answers that were given.
        found: usize,
    },
    /// The helper is to see the reference, and there is none.
    #[error("this feedback is written with the reference at hand, and the task has none: use `llm-skilled`")]
    NoReference,
}
