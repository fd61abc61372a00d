//! What can be wrong with the configuration.

use crate::keymap::KeymapError;
use crate::theme::ThemeError;
use std::path::PathBuf;

/// What is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {why}; mend or remove it", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Not TOML.
    #[error("{file}:{line}: not valid TOML: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// No such setting.
    #[error("{file}:{line}: `{key}` is not a setting{}; `mendbench config show` lists them", nearest_clause(.nearest))]
    UnknownKey {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The key.
        key: String,
        /// The setting that is closest in spelling.
        nearest: Option<&'static str>,
    },
    /// A value that the setting cannot have.
    #[error("{place}: `{key}` cannot be {found}: it is {expected}")]
    BadValue {
        /// File and line, or the environment variable.
        place: String,
        /// The setting.
        key: &'static str,
        /// What was found.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A file of languages that says something wrong.
    #[error("{file}:{line}: `{key}` {problem}")]
    Language {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The key, with its tables.
        key: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A file of models that says something wrong.
    #[error("{file}:{line}: `{key}` {problem}")]
    Model {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The key, with its tables.
        key: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// Keys.
    #[error(transparent)]
    Keys(#[from] KeymapError),
    /// A theme.
    #[error(transparent)]
    Theme(#[from] ThemeError),
}

fn nearest_clause(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}
