//! What can be wrong with configured keys.
//!
//! Promises: an error names file, line, context, action and key, and what to do next.
//! Leaves to others: nothing.

use super::key::KeyError;
use super::{Action, Context};
use std::fmt;
use thiserror::Error;

/// Who bound a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// mendbench itself.
    Default,
    /// A configuration file.
    File {
        /// Its name.
        file: String,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("as mendbench comes"),
            Origin::File { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

/// Keys that cannot be used, and where they were written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {problem}")]
pub struct KeymapError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with configured keys.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// Not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(String),
    /// Something that is not `[keys.CONTEXT]`, or no such context.
    #[error("`{name}` is no context of keys{hint}; write [keys.CONTEXT] with one of: {}", contexts(), hint = Hint(nearest))]
    UnknownContext {
        /// What was written.
        name: String,
        /// The most similar context.
        nearest: Option<String>,
    },
    /// No such action.
    #[error("[keys.{context}]: there is no action `{name}`{hint}; `mendbench keys` lists them", context = context.name(), hint = Hint(nearest))]
    UnknownAction {
        /// Table it stands in.
        context: Context,
        /// What was written.
        name: String,
        /// The most similar action.
        nearest: Option<String>,
    },
    /// An action that does nothing there.
    #[error("[keys.{context}]: `{action}` does nothing there; it works in: {}", names(places), context = context.name(), action = action.name())]
    OutOfPlace {
        /// Table it stands in.
        context: Context,
        /// The action.
        action: Action,
        /// Where it does something.
        places: Vec<Context>,
    },
    /// Not a list of keys.
    #[error("[keys.{context}]: `{action}` takes a list of keys, as [\"ctrl-d\", \"g g\"], or [] for none; found a value of type {found}", context = context.name(), action = action.name())]
    NotKeys {
        /// Table it stands in.
        context: Context,
        /// The action.
        action: Action,
        /// What stands there.
        found: String,
    },
    /// A key that cannot be read.
    #[error("[keys.{context}]: `{action}`: {error}", context = context.name(), action = action.name())]
    Key {
        /// Table it stands in.
        context: Context,
        /// The action.
        action: Action,
        /// What is wrong with the key.
        error: KeyError,
    },
    /// A key that types a character where text is typed.
    #[error("[keys.{context}]: `{key}` cannot mean `{action}`, because it is typed there; take a key with ctrl or alt, or one that types nothing", context = context.name(), action = action.name())]
    Typed {
        /// Table it stands in.
        context: Context,
        /// The action.
        action: Action,
        /// The key.
        key: String,
    },
    /// Two meanings of one key.
    #[error(
        "[keys.{context}]: `{key}` means `{action}` here and {other_key}means `{other}` ({origin}); \
         give one of them other keys, or none: {other} = []",
        context = context.name(), action = action.name(), other = other.name(),
        other_key = Whole(key, other_key)
    )]
    Clash {
        /// Where both hold.
        context: Context,
        /// The key bound in this line.
        key: String,
        /// What it means.
        action: Action,
        /// The key bound elsewhere: the same, or one is the start of the other.
        other_key: String,
        /// What that means.
        other: Action,
        /// Who bound it.
        origin: Origin,
    },
}

fn contexts() -> String {
    names(&Context::ALL)
}

fn names(contexts: &[Context]) -> String {
    contexts.iter().map(|context| context.name()).collect::<Vec<_>>().join(", ")
}

struct Hint<'a>(&'a Option<String>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(nearest) => write!(f, " (did you mean `{nearest}`?)"),
            None => Ok(()),
        }
    }
}

/// Names the other key only where it is another one.
struct Whole<'a>(&'a str, &'a str);

impl fmt::Display for Whole<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == self.1 { f.write_str("also ") } else { write!(f, "`{}` ", self.1) }
    }
}
