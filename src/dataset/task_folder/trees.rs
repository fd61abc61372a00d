//! The files below `base/`, `buggy/` and `reference/` of a task folder.
//!
//! Promises: links are marked and not followed, pipes and devices are never opened, and what is too
//! large or unreadable is marked; only a task beyond its bounds as a whole is given up.

use super::tree_source::{Entry, EntryKind, FileBytes, TreeSource, join};
use crate::dataset::bounds::Bounds;
use crate::dataset::skipped::{SkipReason, clip};
use crate::task::paths::{check_path, is_litter};
use crate::task::{Content, MarkKind, Task, Tree};

/// Reads the trees of one task.
pub(crate) struct TreeReader<'a> {
    source: &'a dyn TreeSource,
    bounds: &'a Bounds,
    files: usize,
    bytes: u64,
    marks: Vec<(MarkKind, String, String)>,
}

impl<'a> TreeReader<'a> {
    pub(crate) fn new(source: &'a dyn TreeSource, bounds: &'a Bounds) -> TreeReader<'a> {
        TreeReader { source, bounds, files: 0, bytes: 0, marks: Vec::new() }
    }

    /// Puts the remarks on the task.
    pub(crate) fn mark(self, task: &mut Task) {
        for (kind, path, detail) in self.marks {
            task.mark_unread(kind, path, detail);
        }
    }

    /// The files below `folder/name`, where `entry` says what `name` is.
    pub(crate) fn tree(&mut self, folder: &str, entry: &Entry) -> Result<Tree, SkipReason> {
        let mut tree = Tree::new();
        match &entry.kind {
            EntryKind::Folder => self.walk(&join(folder, &entry.name), &entry.name, "", 0, &mut tree)?,
            EntryKind::File => {
                self.note(MarkKind::Unreadable, &entry.name, "is a file and should be a folder")
            }
            other => self.refuse(&entry.name, other),
        }
        Ok(tree)
    }

    fn note(&mut self, kind: MarkKind, path: &str, what: &str) {
        // A folder of a million links must not become a million marks.
        if self.marks.len() < self.bounds.files {
            self.marks.push((kind, path.to_owned(), format!("{} {what}", clip(path, 300))));
        }
    }

    fn refuse(&mut self, path: &str, kind: &EntryKind) {
        match kind {
            EntryKind::Symlink(target) => {
                let what = format!("is a symbolic link to {}, not followed", clip(target, 200));
                self.note(MarkKind::Symlink, path, &what);
            }
            EntryKind::Special(what) => {
                self.note(MarkKind::Unreadable, path, &format!("is {what}, not opened"))
            }
            EntryKind::Unreadable(reason) => {
                self.note(MarkKind::Unreadable, path, &format!("cannot be read: {reason}"));
            }
            EntryKind::Folder | EntryKind::File => {}
        }
    }

    /// `tree` is the name of the tree, `inside` the path below it.
    fn walk(
        &mut self,
        folder: &str,
        tree: &str,
        inside: &str,
        depth: usize,
        into: &mut Tree,
    ) -> Result<(), SkipReason> {
        if depth > self.bounds.depth {
            let most = self.bounds.depth;
            return Err(SkipReason::TooLarge(format!(
                "folders more than {most} deep, at {}",
                clip(inside, 300)
            )));
        }
        let entries = match self.source.list(folder) {
            Ok(entries) => entries,
            Err(reason) => {
                self.note(MarkKind::Unreadable, &join(tree, inside), &format!("cannot be read: {reason}"));
                return Ok(());
            }
        };
        for entry in entries {
            if is_litter(&entry.name) {
                continue;
            }
            let inside = join(inside, &entry.name);
            let shown = join(tree, &inside);
            match &entry.kind {
                EntryKind::Folder => self.walk(&join(folder, &entry.name), tree, &inside, depth + 1, into)?,
                EntryKind::File => match check_path(&inside) {
                    Ok(()) => {
                        if let Some(content) = self.file(&join(folder, &entry.name), &shown)? {
                            into.insert(inside, content);
                        }
                    }
                    Err(reason) => {
                        self.note(MarkKind::UnsafePath, &shown, &format!("was not read: {reason}"))
                    }
                },
                other => self.refuse(&shown, other),
            }
        }
        Ok(())
    }

    fn file(&mut self, file: &str, shown: &str) -> Result<Option<Content>, SkipReason> {
        self.files += 1;
        if self.files > self.bounds.files {
            return Err(SkipReason::TooLarge(format!("more than {} files in one task", self.bounds.files)));
        }
        match self.source.read(file, self.bounds.file_bytes) {
            Ok(FileBytes::Whole(bytes)) => {
                self.bytes += bytes.len() as u64;
                if self.bytes > self.bounds.task_bytes {
                    let most = self.bounds.task_bytes;
                    return Err(SkipReason::TooLarge(format!("more than {most} bytes in one task")));
                }
                Ok(Some(Content::new(bytes)))
            }
            Ok(FileBytes::TooLarge(size)) => {
                let most = self.bounds.file_bytes;
                let what =
                    format!("has {size} bytes, more than the {most} that are kept; its content was not read");
                self.note(MarkKind::TooLarge, shown, &what);
                Ok(Some(Content::default()))
            }
            Err(reason) => {
                self.note(MarkKind::Unreadable, shown, &format!("cannot be read: {reason}"));
                Ok(None)
            }
        }
    }
}
