//! Rows that cannot be taken.

use crate::text::{sanitise, truncate};

/// A row that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The file.
    pub file: String,
    /// The line that it starts on, from 1.
    pub line: u64,
    /// Why.
    pub reason: BadReason,
}

/// Why a row is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadReason {
    /// It has more or fewer fields than there are columns.
    Ragged {
        /// Its fields.
        found: usize,
        /// The columns.
        wanted: usize,
    },
    /// It is not UTF-8.
    NotUtf8,
    /// A field holds a line break: as a rule a quote that is not closed.
    LineBreak {
        /// The column.
        column: String,
    },
    /// A field that must not be empty is.
    EmptyField {
        /// The column.
        column: String,
    },
    /// The rater has labelled the item already.
    Duplicate {
        /// The item.
        item: String,
        /// The rater.
        rater: String,
        /// The file of the first row, where it is another one.
        file: Option<String>,
        /// The line of the first row.
        first: u64,
        /// Whether both rows say the same.
        same: bool,
    },
    /// The label is not one of those that were declared.
    Undeclared {
        /// The label.
        label: String,
        /// The declared one that is most like it.
        near: Option<String>,
    },
}

impl BadReason {
    /// A word for it, stable.
    pub fn as_str(&self) -> &'static str {
        match self {
            BadReason::Ragged { .. } => "ragged",
            BadReason::NotUtf8 => "not-utf8",
            BadReason::LineBreak { .. } => "line-break",
            BadReason::EmptyField { .. } => "empty-field",
            BadReason::Duplicate { .. } => "duplicate",
            BadReason::Undeclared { .. } => "undeclared-label",
        }
    }
}

/// A text of a file in a message.
fn quoted(text: &str) -> String {
    format!("`{}`", truncate(&sanitise(text), 60))
}

impl std::fmt::Display for BadReason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadReason::Ragged { found, wanted } => {
                let s = if *found == 1 { "" } else { "s" };
                write!(out, "{found} field{s} where there are {wanted} columns")
            }
            BadReason::NotUtf8 => write!(out, "not UTF-8"),
            BadReason::LineBreak { column } => {
                write!(out, "a line break in column {}; is a quote not closed?", quoted(column))
            }
            BadReason::EmptyField { column } => write!(out, "column {} is empty", quoted(column)),
            BadReason::Duplicate { item, rater, file, first, same } => {
                let place = match file {
                    Some(file) => format!("{} line {first}", quoted(file)),
                    None => format!("line {first}"),
                };
                let again = if *same { "with the same label" } else { "with another label" };
                let (rater, item) = (quoted(rater), quoted(item));
                write!(out, "rater {rater} labels item {item} again, {again}; first on {place}")
            }
            BadReason::Undeclared { label, near } => {
                write!(out, "label {} is not one of the declared categories", quoted(label))?;
                match near {
                    Some(near) => write!(out, "; did you mean {}?", quoted(near)),
                    None => Ok(()),
                }
            }
        }
    }
}
