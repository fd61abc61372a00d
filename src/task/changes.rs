//! What differs between the two trees of a task, and what nobody knows to differ.
//!
//! Promises: a file whose content was not read is neither equal nor changed.
//! Leaves to others: comparing lines (`diff`).

use super::{Content, MarkKind, Task, Tree};
use std::collections::BTreeMap;

impl Task {
    /// The buggy tree: `buggy` laid over `base`.
    pub fn buggy_tree(&self) -> BTreeMap<&str, &Content> {
        lay_over(&self.files.base, &self.files.buggy)
    }

    /// The fixed tree: `reference` laid over `base`.
    pub fn reference_tree(&self) -> BTreeMap<&str, &Content> {
        lay_over(&self.files.base, &self.files.reference)
    }

    /// Files that differ between the two trees, in path order, with both contents (`None`: the file
    /// is not in that tree). Empty where there is no reference; without [`Task::unread_files`], of which
    /// nobody knows whether they differ.
    pub fn changed_files(&self) -> Vec<ChangedFile<'_>> {
        if self.files.reference.is_empty() {
            return Vec::new();
        }
        let unread = self.unread_files();
        let mut paths: Vec<&str> =
            self.files.buggy.keys().chain(self.files.reference.keys()).map(String::as_str).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
            .into_iter()
            .filter(|path| !unread.iter().any(|unread| unread.holds(path)))
            .filter_map(|path| {
                let base = self.files.base.get(path);
                let buggy = self.files.buggy.get(path).or(base);
                let reference = self.files.reference.get(path).or(base);
                (buggy != reference).then_some(ChangedFile { path, buggy, reference })
            })
            .collect()
    }

    /// Files and folders that may differ between the two trees, but whose content was not read, in path
    /// order. Empty where there is no reference.
    pub fn unread_files(&self) -> Vec<UnreadFile<'_>> {
        let mut found: Vec<UnreadFile<'_>> = Vec::new();
        let mut has_reference = !self.files.reference.is_empty();
        for mark in &self.marks {
            let (Some(path), Some(_)) = (&mark.path, mark.kind.kept_out()) else { continue };
            let (tree, path) = path.split_once('/').unwrap_or((path, ""));
            let unread = UnreadFile { tree, path, why: mark.kind };
            match tree {
                "buggy" => found.push(unread),
                "reference" => {
                    has_reference = true;
                    found.push(unread);
                }
                // What is common to both versions differs only where one of them lays a file over it.
                "base" => {
                    let (buggy, reference) = (&self.files.buggy, &self.files.reference);
                    let laid = buggy.keys().filter(|path| !reference.contains_key(*path));
                    let laid = laid.chain(reference.keys().filter(|path| !buggy.contains_key(*path)));
                    found.extend(
                        laid.filter(|path| unread.holds(path)).map(|path| UnreadFile { path, ..unread }),
                    );
                }
                _ => {}
            }
        }
        if !has_reference {
            return Vec::new();
        }
        found.sort_by_key(|unread| unread.name());
        found.dedup_by_key(|unread| unread.name());
        found
    }
}

fn lay_over<'a>(base: &'a Tree, over: &'a Tree) -> BTreeMap<&'a str, &'a Content> {
    base.iter().chain(over.iter()).map(|(path, content)| (path.as_str(), content)).collect()
}

/// A file that the reference fix changes.
#[derive(Debug, Clone, Copy)]
pub struct ChangedFile<'a> {
    /// Path inside the tree.
    pub path: &'a str,
    /// Content in the buggy tree.
    pub buggy: Option<&'a Content>,
    /// Content in the fixed tree.
    pub reference: Option<&'a Content>,
}

/// A file or folder whose content was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadFile<'a> {
    tree: &'a str,
    /// Path inside the tree; empty: the tree as a whole.
    path: &'a str,
    /// Why; its [`MarkKind::kept_out`] says so in words.
    pub why: MarkKind,
}

impl<'a> UnreadFile<'a> {
    /// Path inside the tree, or the name of the tree that was not read at all.
    pub fn name(&self) -> &'a str {
        if self.path.is_empty() { self.tree } else { self.path }
    }

    /// Whether this is a file, or a folder that it is in.
    fn holds(&self, path: &str) -> bool {
        self.path.is_empty()
            || path.strip_prefix(self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
#[path = "unread_tests.rs"]
mod tests;
