//! What can be wrong with a theme file.
//!
//! Promises: an error names file, line and key, says what was expected and the nearest name that is known.
//! Leaves to others: nothing.

use std::fmt;
use thiserror::Error;

/// A theme that cannot be used, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {key}{problem}", key = Prefix(key))]
pub struct ThemeError {
    /// The file, or `built-in theme NAME`.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Key of the line, dotted; empty where the file is not TOML.
    pub key: String,
    /// What is wrong.
    pub problem: Problem,
}

struct Prefix<'a>(&'a str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "`{}`: ", self.0) }
    }
}

/// What is wrong with a theme.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// Not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(String),
    /// A key that means nothing here.
    #[error("unknown key{hint}", hint = Hint(nearest))]
    UnknownKey {
        /// The most similar key.
        nearest: Option<String>,
    },
    /// A role that does not exist.
    #[error("there is no such role{hint}; `mendbench themes --roles` lists them", hint = Hint(nearest))]
    UnknownRole {
        /// The most similar role.
        nearest: Option<String>,
    },
    /// Something that is no colour.
    #[error(
        "`{value}` is no colour: write a name of [palette], #rrggbb, a number from 0 to 255, \
         `default`, `none` or one of the 16 names as `bright-red`{hint}",
        hint = Hint(nearest)
    )]
    NotAColour {
        /// What was written.
        value: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// A value of another type or out of range.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A parent that does not exist.
    #[error("inherits from `{parent}`, and there is no such theme{hint}", hint = Hint(nearest))]
    UnknownParent {
        /// Its name.
        parent: String,
        /// The most similar theme.
        nearest: Option<String>,
    },
    /// Themes that inherit from each other.
    #[error("inherits from itself: {}; take one `inherits` out", .0.join(" → "))]
    Cycle(Vec<String>),
}

struct Hint<'a>(&'a Option<String>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

/// The candidate most similar to `word`, if any is similar enough to be meant.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate.to_owned())
}
