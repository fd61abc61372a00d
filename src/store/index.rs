//! The task index: the list of tasks of a workspace, derived from its events and blobs.
//!
//! An import puts the canonical JSON of a task as a blob (its hash *is* the revision) and appends
//! `task-imported` to the stream `dataset/NAME`. The index is the fold of these events: of each task
//! the newest import counts (by its time; a merged bundle may bring older ones), the others stay
//! readable by their revision.
//!
//! Promises: rows are numbered from 1 without gaps, in the order of first import, and keep their
//! number. Leaves to others: filters and sorting (`task::filter`, `task::table`), the summary.

use super::{BlobId, StoreError};
use crate::task::{FaultClass, Granularity, Kind, Mark, Revision, Task};
use serde::{Deserialize, Serialize};

/// What the difference between the two versions comes to; computed by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// How far the reference fix reaches, where there is one.
    pub granularity: Option<Granularity>,
    /// Lines that the fix adds.
    pub added: u32,
    /// Lines that it removes.
    pub removed: u32,
}

/// A task that is to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedTask {
    /// The task; its `dataset` is ignored, the import names one.
    pub task: Task,
    /// Its summary.
    pub summary: Summary,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Tasks that were not there.
    pub added: u64,
    /// Tasks that were there with this revision.
    pub unchanged: u64,
    /// Tasks that were there with another revision, which stays readable.
    pub updated: u64,
    /// Tasks of the same revision whose summary or marks differ now.
    pub refreshed: u64,
    /// Tasks whose id came a second time in this import; the first one counts.
    pub duplicates: u64,
    /// Tasks of this dataset that were there before and did not come in this import; they stay.
    pub missing: u64,
    /// Tasks that could not be kept, with the reason (at most 100 of them are listed).
    pub refused: Vec<Refused>,
    /// How many could not be kept.
    pub refused_count: u64,
}

/// A task that could not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its id, cut.
    pub id: String,
    /// Why.
    pub why: String,
}

/// What a rebuild did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RebuildReport {
    /// Tasks in the index now.
    pub tasks: u64,
    /// Events that name a task whose blob is absent or unreadable.
    pub unreadable: u64,
}

/// One line of the index, borrowed for the time of the visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexRow<'a> {
    /// Number of the row, from 1.
    pub row: u64,
    /// Dataset.
    pub dataset: &'a str,
    /// Id inside the dataset.
    pub id: &'a str,
    /// Group of variants.
    pub group: &'a str,
    /// One line for lists.
    pub title: &'a str,
    /// What is asked.
    pub kind: Kind,
    /// Language name.
    pub language: &'a str,
    /// Error type of the study's taxonomy.
    pub error_type: Option<&'a str>,
    /// Bug or vulnerability.
    pub class: Option<FaultClass>,
    /// How far the reference fix reaches.
    pub granularity: Option<Granularity>,
    /// Lines that the fix adds.
    pub added: u32,
    /// Lines that it removes.
    pub removed: u32,
    /// Number of tests that the task lists.
    pub tests: u32,
    /// Marks, a set of `MarkKind::bit`.
    pub marks: u16,
    /// Revision, as the id of the blob that holds the task.
    pub revision: BlobId,
}

impl<'a> IndexRow<'a> {
    /// The row that a task has.
    pub(crate) fn of(
        row: u64,
        dataset: &'a str,
        task: &'a Task,
        summary: Summary,
        marks: u16,
        revision: BlobId,
    ) -> IndexRow<'a> {
        let tests = task.test.fail_to_pass.len() + task.test.pass_to_pass.len();
        IndexRow {
            row,
            dataset,
            id: &task.id,
            group: &task.group,
            title: &task.title,
            kind: task.kind,
            language: &task.language,
            error_type: task.provenance.error_type.as_deref(),
            class: task.provenance.class,
            granularity: summary.granularity,
            added: summary.added,
            removed: summary.removed,
            tests: u32::try_from(tests).unwrap_or(u32::MAX),
            marks,
            revision,
        }
    }

    /// The summary.
    pub fn summary(&self) -> Summary {
        Summary { granularity: self.granularity, added: self.added, removed: self.removed }
    }
}

/// The list of tasks of a workspace. Object-safe; every method may block.
pub trait TaskIndex: Send + Sync {
    /// Copies tasks into the workspace. Tasks are pulled and kept in batches, each durable before the
    /// next is pulled, so an import that is stopped keeps what it had and can simply be run again.
    fn import(
        &self,
        dataset: &str,
        tasks: &mut dyn Iterator<Item = PreparedTask>,
    ) -> Result<ImportReport, StoreError>;

    /// Number of tasks.
    fn count(&self) -> Result<u64, StoreError>;

    /// Shows `limit` rows from `offset` on, in the order of their numbers; answers with how many.
    fn page(&self, offset: u64, limit: u64, visit: &mut dyn FnMut(IndexRow<'_>)) -> Result<u64, StoreError>;

    /// Shows all rows, the quick way; answers with how many.
    fn visit(&self, visit: &mut dyn FnMut(IndexRow<'_>)) -> Result<u64, StoreError>;

    /// The row of a task.
    fn find(&self, dataset: &str, id: &str) -> Result<Option<u64>, StoreError>;

    /// A task in its newest revision, or in the given one if it was ever imported under this name.
    fn task(&self, dataset: &str, id: &str, revision: Option<&Revision>) -> Result<Option<Task>, StoreError>;

    /// The task of a row.
    fn task_at(&self, row: u64) -> Result<Option<Task>, StoreError>;

    /// All revisions of a task that were imported, newest first.
    fn revisions(&self, dataset: &str, id: &str) -> Result<Vec<Revision>, StoreError>;

    /// All rows whose task has this piece of text, as [`crate::task::full_text`] means it, in the order of
    /// their numbers. `cancelled` is asked now and then; once it says yes the result is useless.
    fn search(&self, text: &str, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u64>, StoreError>;

    /// Number of tasks that were imported (or came with a bundle) and whose content is missing, or so
    /// damaged that it could not be read at all. They are not in the list, or cannot be opened from it.
    fn missing(&self) -> Result<u64, StoreError>;

    /// Throws the index away and builds it from events and blobs.
    fn rebuild_index(&self) -> Result<RebuildReport, StoreError>;
}

/// Kind of the event that an import appends.
pub(crate) const TASK_IMPORTED: &str = "task-imported";

/// The data of `task-imported`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TaskImported {
    pub dataset: String,
    pub id: String,
    /// The revision, which is also the id of the blob with the canonical task.
    pub revision: BlobId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
    #[serde(default)]
    pub added: u32,
    #[serde(default)]
    pub removed: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl TaskImported {
    pub(crate) fn summary(&self) -> Summary {
        Summary { granularity: self.granularity, added: self.added, removed: self.removed }
    }

    pub(crate) fn mark_bits(&self) -> u16 {
        self.marks.iter().fold(0, |bits, mark| bits | mark.kind.bit())
    }
}

/// The stream of a dataset's imports.
pub(crate) fn dataset_stream(dataset: &str) -> String {
    format!("dataset/{dataset}")
}

/// Refuses names that could not be the first part of `dataset/id`.
pub(crate) fn check_dataset(dataset: &str) -> Result<(), StoreError> {
    let good = !dataset.is_empty()
        && dataset.len() <= 200
        && !dataset.contains('/')
        && !dataset.chars().any(char::is_control);
    if good {
        Ok(())
    } else {
        Err(StoreError::BadDatasetName { dataset: dataset.chars().take(80).collect() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::MarkKind;

    #[test]
    fn the_event_says_little_where_there_is_little() {
        let event = TaskImported {
            dataset: "d".into(),
            id: "i".into(),
            revision: BlobId::of(b""),
            granularity: None,
            added: 1,
            removed: 0,
            marks: Vec::new(),
        };
        let value = serde_json::to_value(&event).unwrap();
        assert_eq!(
            value.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["dataset", "id", "revision", "added", "removed"]
        );
        assert_eq!(serde_json::from_value::<TaskImported>(value).unwrap(), event);
        let marked = TaskImported {
            marks: vec![Mark { kind: MarkKind::Symlink, detail: "a".into() }],
            granularity: Some(Granularity::Hunk),
            ..event
        };
        let value = serde_json::to_value(&marked).unwrap();
        assert_eq!(serde_json::from_value::<TaskImported>(value).unwrap(), marked);
        assert_eq!(marked.mark_bits(), MarkKind::Symlink.bit());
    }

    #[test]
    fn dataset_names() {
        assert!(check_dataset("HumanEval_feedback").is_ok());
        for bad in ["", "a/b", "a\nb", &"x".repeat(201)] {
            assert!(check_dataset(bad).is_err(), "{bad:?}");
        }
    }
}
