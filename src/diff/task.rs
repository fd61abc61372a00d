//! The difference that a task's reference makes: its changed files, compared.
//!
//! Promises: bytes that are not text are named with their sizes and never shown as text; a text too long
//! to be compared says so, and so does a file whose content was not read.
//! Leaves to others: when this is computed, and what is shown of it.

use super::granularity::{FileVersions, Reach, Reached, changes_of};
use super::{Diff, DiffOptions, FileStatus, Lines};
use crate::syntax::language::language_of_file;
use crate::task::{ChangedFile, Content, Decoded, Encoding, Granularity, MarkKind, Task};
use std::borrow::Cow;

/// Longest text, in bytes, that is compared.
const MAX_TEXT: usize = 32 << 20;

/// The files of a task that its reference changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDiff {
    /// In path order.
    pub files: Vec<FileDiff>,
    /// Lines added in all of them.
    pub added: usize,
    /// Lines removed in all of them.
    pub removed: usize,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Path inside the tree.
    pub path: String,
    /// Our name of its language.
    pub language: String,
    /// Added, deleted or modified.
    pub status: FileStatus,
    /// What changed.
    pub body: FileBody,
}

/// What changed in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileBody {
    /// Both versions are text.
    Text {
        /// Their difference.
        diff: Diff,
        /// Where one version is not UTF-8 both are read as Latin-1.
        encoding: Encoding,
    },
    /// A version is not text.
    Binary {
        /// Bytes of the old version.
        old_len: usize,
        /// Bytes of the new version.
        new_len: usize,
    },
    /// A version is longer than what is compared.
    TooLarge {
        /// Bytes of the old version.
        old_len: usize,
        /// Bytes of the new version.
        new_len: usize,
    },
    /// The content of a version was not read: nobody knows whether they differ.
    NotRead {
        /// Why not.
        why: MarkKind,
    },
}

impl FileBody {
    /// Why the versions were not compared, as what comes after the name of the file; `None`: they were, or
    /// they are known to differ.
    pub fn not_compared(&self) -> Option<&'static str> {
        match self {
            FileBody::Text { .. } | FileBody::Binary { .. } => None,
            FileBody::TooLarge { .. } => MarkKind::TooLarge.kept_out(),
            FileBody::NotRead { why } => Some(why.kept_out().unwrap_or("was not read")),
        }
    }
}

/// What the index of tasks keeps of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// How far it reaches; `None`: nothing changed, or there is no reference.
    pub granularity: Option<Granularity>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
}

/// Compares the changed files of a task.
pub fn task_files(task: &Task, options: &DiffOptions) -> TaskDiff {
    let mut files: Vec<FileDiff> =
        task.changed_files().iter().map(|changed| file_diff(task, changed, options)).collect();
    files.extend(task.unread_files().iter().map(|unread| FileDiff {
        path: unread.name().to_owned(),
        language: language_of_file(unread.name(), &task.language).to_owned(),
        status: FileStatus::Modified,
        body: FileBody::NotRead { why: unread.why },
    }));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let count = |of: fn(&Diff) -> usize| {
        let texts = files.iter().filter_map(|file| match &file.body {
            FileBody::Text { diff, .. } => Some(diff),
            _ => None,
        });
        texts.map(of).sum()
    };
    TaskDiff { added: count(|diff| diff.added), removed: count(|diff| diff.removed), files }
}

/// Granularity and line counts of a task, without aligning rows: the same counts as [`task_files`] and a
/// patch give. Files that were not read count as no change; functions are looked for only when
/// several places of one file are all that changed.
pub fn summary(task: &Task) -> Summary {
    let mut summary = Summary::default();
    let mut reached = Reached::default();
    for changed in task.changed_files() {
        let versions = Versions::of(&changed);
        let reach = changes_of_versions(&versions, changed.path, &task.language);
        let (added, removed) = count_lines(&versions, &reach);
        summary.added += added;
        summary.removed += removed;
        reached.add(&versions.file(changed.path, &task.language), &reach);
    }
    summary.granularity = reached.granularity();
    summary
}

fn changes_of_versions(versions: &Versions<'_>, path: &str, language: &str) -> Reach {
    match versions {
        Versions::Text { .. } => changes_of(&versions.file(path, language)),
        Versions::Binary | Versions::TooLarge => Reach::Whole,
    }
}

fn count_lines(versions: &Versions<'_>, reach: &Reach) -> (usize, usize) {
    let count = |text: &Option<Cow<'_, str>>| text.as_deref().map_or(0, |text| Lines::new(text).len());
    match (reach, versions) {
        (Reach::Runs(runs), _) => {
            (runs.iter().map(|run| run.new.len()).sum(), runs.iter().map(|run| run.old.len()).sum())
        }
        (Reach::Whole, Versions::Text { old, new, .. }) => (count(new), count(old)),
        (Reach::Whole, Versions::Binary | Versions::TooLarge) => (0, 0),
    }
}

enum Versions<'a> {
    Text { old: Option<Cow<'a, str>>, new: Option<Cow<'a, str>>, encoding: Encoding },
    Binary,
    TooLarge,
}

impl Versions<'_> {
    fn file<'b>(&'b self, path: &'b str, language: &'b str) -> FileVersions<'b> {
        let (old, new) = match self {
            Versions::Text { old, new, .. } => (old.as_deref(), new.as_deref()),
            Versions::Binary | Versions::TooLarge => (None, None),
        };
        FileVersions { path, language: language_of_file(path, language), old, new }
    }

    fn of<'a>(changed: &ChangedFile<'a>) -> Versions<'a> {
        let decoded = [changed.buggy.map(Content::decode), changed.reference.map(Content::decode)];
        if decoded.contains(&Some(Decoded::Binary)) {
            return Versions::Binary;
        }
        if length(changed.buggy).max(length(changed.reference)) > MAX_TEXT {
            return Versions::TooLarge;
        }
        // One version that is not UTF-8 makes Latin-1 of the other too: a change of encoding is a change, as
        // it is in the patch.
        let latin1 =
            |decoded: &Option<Decoded<'_>>| matches!(decoded, Some(Decoded::Text(_, Encoding::Latin1)));
        if decoded.iter().any(latin1) {
            let [old, new] = [changed.buggy, changed.reference]
                .map(|content| content.map(|content| Cow::Owned(content.latin1())));
            return Versions::Text { old, new, encoding: Encoding::Latin1 };
        }
        let [old, new] = decoded.map(|decoded| match decoded {
            Some(Decoded::Text(text, _)) => Some(text),
            _ => None,
        });
        Versions::Text { old, new, encoding: Encoding::Utf8 }
    }
}

fn length(content: Option<&Content>) -> usize {
    content.map_or(0, Content::len)
}

fn file_diff(task: &Task, changed: &ChangedFile<'_>, options: &DiffOptions) -> FileDiff {
    let (old_len, new_len) = (length(changed.buggy), length(changed.reference));
    let body = match Versions::of(changed) {
        Versions::Binary => FileBody::Binary { old_len, new_len },
        Versions::TooLarge => FileBody::TooLarge { old_len, new_len },
        Versions::Text { old, new, encoding } => {
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            FileBody::Text { diff: Diff::compute(&old, &new, options), encoding }
        }
    };
    FileDiff {
        path: changed.path.to_owned(),
        language: language_of_file(changed.path, &task.language).to_owned(),
        status: match (changed.buggy, changed.reference) {
            (None, _) => FileStatus::Added,
            (_, None) => FileStatus::Deleted,
            _ => FileStatus::Modified,
        },
        body,
    }
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
