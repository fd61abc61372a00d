//! Rows that did not become a task: where they are and why.
//!
//! Promises: every row that is left out is one [`Skipped`]; its text names file, line and key. The
//! text may hold words of the file it is about: front ends sanitise it as they do all such text.

use crate::text::shown;
use std::fmt;
use std::path::PathBuf;

/// A place in a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as the user named it.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: Option<u64>,
    /// Column in characters, counted from 1.
    pub column: Option<u32>,
    /// Instance inside the row, counted from 1.
    pub instance: Option<u32>,
    /// Key, dotted (`false_results[2].source`).
    pub key: Option<String>,
}

impl Location {
    /// A whole file.
    pub fn file(file: impl Into<PathBuf>) -> Location {
        Location { file: file.into(), ..Location::default() }
    }

    /// A line of a file.
    pub fn line(file: impl Into<PathBuf>, line: u64) -> Location {
        Location { file: file.into(), line: Some(line), ..Location::default() }
    }

    /// The same place, at a key.
    pub fn at_key(&self, key: impl Into<String>) -> Location {
        Location { key: Some(key.into()), ..self.clone() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", shown(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        if let Some(instance) = self.instance {
            write!(f, ", instance {instance}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ", key `{key}`")?;
        }
        Ok(())
    }
}

/// One thing that is wrong in a `task.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, counted from 1; `None` for what is missing.
    pub line: Option<u64>,
    /// Column in characters, counted from 1.
    pub column: Option<u64>,
    /// Dotted key; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what to do.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            if let Some(column) = self.column {
                write!(f, ", column {column}")?;
            }
            f.write_str(": ")?;
        }
        if !self.key.is_empty() {
            write!(f, "`{}`: ", self.key)?;
        }
        f.write_str(&self.text)
    }
}

/// A row (or task folder, or instance) that did not become a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it is.
    pub at: Location,
    /// Why.
    pub why: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.why)
    }
}

/// Why a row was skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// A row without any faulty instance.
    #[error("no faulty instance in this row")]
    Empty,
    /// Bytes that are not UTF-8.
    #[error(
        "not valid UTF-8 at byte {in_line} of the line (byte {in_file} of the text); save the file as UTF-8"
    )]
    NotUtf8 {
        /// Byte in the line, counted from 0.
        in_line: u64,
        /// Byte in the (unpacked) file, counted from 0.
        in_file: u64,
    },
    /// The last line ends in the middle of a value.
    #[error("half written: the last line ends in the middle of a JSON value; write it again in full")]
    HalfWritten,
    /// Not JSON.
    #[error("cannot be read as JSON: {0}")]
    Json(String),
    /// JSON, but not an object.
    #[error("a row must be a JSON object, this is {0}")]
    NotAnObject(&'static str),
    /// A line longer than the bound.
    #[error("a line of {length} bytes; rows may have {limit}")]
    LineTooLong {
        /// Its length.
        length: u64,
        /// The bound.
        limit: u64,
    },
    /// A row of more JSON values than the bound.
    #[error("a row of more than {0} JSON values")]
    TooManyValues(usize),
    /// A key that a row must have.
    #[error("missing: {0}")]
    MissingKey(String),
    /// A value of the wrong type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What a row of this format holds there.
        expected: &'static str,
        /// What it holds.
        found: &'static str,
    },
    /// A value of the right type that cannot be used.
    #[error("{0}")]
    BadValue(String),
    /// A row of another kind of file.
    #[error("{0}")]
    OtherKind(String),
    /// A second task of the same id.
    #[error("a second task named `{id}`; the first is at {first}")]
    DuplicateId {
        /// The id.
        id: String,
        /// Where the first one is.
        first: Box<Location>,
    },
    /// A `task.toml` with problems: all of them.
    #[error("{}", list(.0))]
    BadTaskFile(Vec<Problem>),
    /// A task of more files, bytes or folders than the bounds.
    #[error("{0}")]
    TooLarge(String),
    /// A symbolic link where a file or folder should be.
    #[error("a symbolic link, not followed; put the file itself there")]
    Symlink,
    /// Something the system did not let us read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file broke off: what follows is lost.
    #[error("the file is damaged from here on ({0}); what came before was read")]
    Damaged(String),
    /// A compressed file that unpacks to more than the bound.
    #[error("unpacks to more than {0} bytes; reading stopped here, what came before was read")]
    TooMuchData(u64),
}

impl SkipReason {
    /// Whether more than this row may be missing: the file breaks off here.
    pub fn breaks_off(&self) -> bool {
        matches!(self, SkipReason::Damaged(_) | SkipReason::TooMuchData(_) | SkipReason::HalfWritten)
    }

    /// One word for counts (`empty`, `not-utf8`, …).
    pub fn kind(&self) -> &'static str {
        match self {
            SkipReason::Empty => "empty",
            SkipReason::NotUtf8 { .. } => "not-utf8",
            SkipReason::HalfWritten => "half-written",
            SkipReason::Json(_) => "not-json",
            SkipReason::NotAnObject(_) => "not-an-object",
            SkipReason::LineTooLong { .. } => "line-too-long",
            SkipReason::TooManyValues(_) => "too-many-values",
            SkipReason::MissingKey(_) => "missing-key",
            SkipReason::WrongType { .. } => "wrong-type",
            SkipReason::BadValue(_) => "bad-value",
            SkipReason::OtherKind(_) => "other-kind",
            SkipReason::DuplicateId { .. } => "duplicate-id",
            SkipReason::BadTaskFile(_) => "bad-task-file",
            SkipReason::TooLarge(_) => "too-large",
            SkipReason::Symlink => "symlink",
            SkipReason::Unreadable(_) => "unreadable",
            SkipReason::Damaged(_) => "damaged",
            SkipReason::TooMuchData(_) => "too-much-data",
        }
    }
}

fn list(problems: &[Problem]) -> String {
    match problems {
        [one] => one.to_string(),
        many => {
            let mut text = format!("{} problems", many.len());
            for problem in many {
                text.push_str(&format!("\n  {problem}"));
            }
            text
        }
    }
}

/// The text, cut to `most` characters with an ellipsis: words of a hostile file in our messages.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
