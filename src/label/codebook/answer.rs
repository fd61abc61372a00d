//! One answer of a question.
//!
//! Promises: data only.
//! Leaves to others: the hierarchy of the answers (`question`).

use serde::{Deserialize, Serialize};

/// An answer that can be given, or a heading under which others stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Its name in labels and exports: letters, digits, `.`, `_`, `-`.
    pub id: String,
    /// The answer that it stands under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The key that gives it; none for a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// A few words.
    pub label: String,
    /// When it is right.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// Examples of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positive: Vec<String>,
    /// Examples of what looks like it and is something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub negative: Vec<String>,
    /// Ids that it had in earlier versions; labels with those stay labels with this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed_from: Vec<String>,
}

impl Answer {
    /// Whether it can be given: it has a key.
    pub const fn can_be_given(&self) -> bool {
        self.key.is_some()
    }
}
