//! What was asked of the model, and how its answer ended: the surroundings in which an answer is read.
//!
//! Promises: plain data; every word is read back from its name.

use crate::syntax::language::language_of_file;
use crate::task::pattern::Patterns;
use crate::task::{Content, Target, Task};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It reached a limit of tokens.
    Length,
    /// Nobody said.
    #[default]
    Unknown,
}

/// The shape in which the answer was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The whole function.
    #[default]
    Function,
    /// The lines that replace a run of lines.
    Hunk,
    /// The line that replaces a line.
    Line,
    /// The whole file.
    File,
    /// A unified diff.
    Patch,
    /// SEARCH/REPLACE blocks.
    SearchReplace,
}

impl Form {
    /// All forms, in the order in which they are shown.
    pub const ALL: [Form; 6] =
        [Form::Function, Form::Hunk, Form::Line, Form::File, Form::Patch, Form::SearchReplace];

    /// The name used in cells and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Form::Function => "function",
            Form::Hunk => "hunk",
            Form::Line => "line",
            Form::File => "file",
            Form::Patch => "patch",
            Form::SearchReplace => "search-replace",
        }
    }

    /// The form of this name.
    pub fn parse(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.as_str() == name)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How much is forgiven. It changes scores, so it is a setting of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// What can be understood in one way only is used: ambiguous, cut-off and fuzzy answers are tried.
    #[default]
    Lenient,
    /// Only an answer that was found whole, outside the reasoning, and that fits without a fuzzy match.
    Strict,
}

impl Policy {
    /// The name used in cells and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Policy::Lenient => "lenient",
            Policy::Strict => "strict",
        }
    }
}

/// Files by path.
pub type Current<'a> = BTreeMap<&'a str, &'a Content>;

/// The lines that a prompt marked as the ones to be replaced (infill, `hunk` and `line`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Its lines, counted from 0.
    pub lines: Range<u32>,
}

/// What the answer is read against.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// Language of the task, our name.
    pub language: &'a str,
    /// The tree that the model was shown: what its answer changes.
    pub current: Current<'a>,
    /// Where the change belongs.
    pub targets: &'a [Target],
    /// Patterns of paths that an answer may not change.
    pub protected: &'a [String],
    /// The shape that was asked for.
    pub form: Form,
    /// The lines that were marked, where some were.
    pub place: Option<Place>,
    /// How much is forgiven.
    pub policy: Policy,
}

impl<'a> Asked<'a> {
    /// A task's buggy tree, asked for a function, read leniently.
    pub fn of_task(task: &'a Task) -> Asked<'a> {
        Asked {
            language: &task.language,
            current: task.buggy_tree(),
            targets: &task.targets,
            protected: &task.protected,
            form: Form::default(),
            place: None,
            policy: Policy::default(),
        }
    }

    /// The language of a file of the tree.
    pub(super) fn language_of(&self, path: &str) -> &str {
        language_of_file(path, self.language)
    }

    /// What an answer may not change; to be asked for once and used for many paths.
    pub(super) fn protected(&self) -> Patterns {
        Patterns::new(self.protected.iter().map(String::as_str))
    }

    /// The files that an answer is about, each with the functions that it should hold: the targets, or,
    /// where a task names none, the files of its language that may be changed (no more than
    /// [`MOST_FILES`], smallest path first).
    pub(super) fn files(&self) -> Vec<(&str, Vec<&str>)> {
        let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
        for target in self.targets {
            let function = target.function.as_deref();
            match files.iter_mut().find(|(file, _)| *file == target.file) {
                Some((_, functions)) => functions.extend(function),
                None => files.push((&target.file, function.into_iter().collect())),
            }
        }
        if files.is_empty() {
            let protected = self.protected();
            let own = self.current.keys().copied().filter(|path| {
                !protected.matches(path)
                    && crate::syntax::language::language_of_path(path)
                        .is_some_and(|_| self.language_of(path) == self.language)
            });
            files.extend(own.take(MOST_FILES).map(|path| (path, Vec::new())));
        }
        files
    }
}

/// Most files that are looked at where a task names no target.
const MOST_FILES: usize = 50;
