//! The name of a task, `dataset/id`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// `dataset/id`; the dataset holds no slash, the id may.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskName {
    /// Name of the dataset.
    pub dataset: String,
    /// Id inside it.
    pub id: String,
}

impl TaskName {
    /// A name of two parts.
    pub fn new(dataset: impl Into<String>, id: impl Into<String>) -> TaskName {
        TaskName { dataset: dataset.into(), id: id.into() }
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.dataset, self.id)
    }
}

/// A text that is not `dataset/id`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a task name: write `dataset/id`")]
pub struct NameError(pub String);

impl FromStr for TaskName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<TaskName, NameError> {
        match text.split_once('/') {
            Some((dataset, id)) if !dataset.is_empty() && !id.is_empty() => Ok(TaskName::new(dataset, id)),
            _ => Err(NameError(text.to_owned())),
        }
    }
}
