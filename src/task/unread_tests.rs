//! Tests of files whose content was not read.

use super::super::Mark;
use super::*;

fn task(buggy: &[&str], reference: &[&str], unread: &[(&str, MarkKind)]) -> Task {
    let mut task = Task::new("d", "t");
    for path in buggy {
        task.files.buggy.insert((*path).to_owned(), Content::from("buggy"));
    }
    for path in reference {
        task.files.reference.insert((*path).to_owned(), Content::from("reference"));
    }
    for (path, kind) in unread {
        task.mark_unread(*kind, *path, "why");
    }
    task
}

#[test]
fn what_was_not_read_is_neither_equal_nor_changed() {
    use MarkKind::{Binary, Symlink, TooLarge, Unreadable, UnsafePath};
    for (buggy, reference, unread, names, changed) in [
        (&["a"][..], &["a"][..], &[][..], &[][..], &["a"][..]),
        (&["a"], &["a"], &[("buggy/a", TooLarge), ("reference/a", TooLarge)], &["a"], &[]),
        (&["a", "b"], &["a", "b"], &[("reference/a", TooLarge)], &["a"], &["b"]),
        (&["a"], &["a"], &[("buggy/link", Symlink)], &["link"], &["a"]),
        (&["s/a", "sa"], &["sa"], &[("reference/s", Symlink)], &["s"], &["sa"]),
        (&["a"], &["a"], &[("buggy", Unreadable)], &["buggy"], &[]),
        (&["a"], &[], &[("reference/a", Unreadable)], &["a"], &[]),
        (&["a"], &[], &[("reference", Symlink)], &["reference"], &[]),
        // Nothing to compare with.
        (&["a"], &[], &[("buggy/b", TooLarge)], &[], &[]),
        // Common to both, unless one version has its own.
        (&["a"], &["a"], &[("base/big", TooLarge), ("base/a", TooLarge)], &[], &["a"]),
        (&["a"], &["b"], &[("base/b", TooLarge)], &["b"], &["a"]),
        (&["a"], &["a", "s/b"], &[("base/s", Symlink)], &["s/b"], &["a"]),
        // Marks of other kinds, and of things outside the trees.
        (&["a"], &["a"], &[("buggy/a", Binary), ("feedback/a", UnsafePath)], &[], &["a"]),
    ] {
        let task = task(buggy, reference, unread);
        let found: Vec<&str> = task.unread_files().iter().map(UnreadFile::name).collect();
        assert_eq!(found, names, "{buggy:?} {reference:?} {unread:?}");
        let found: Vec<&str> = task.changed_files().iter().map(|file| file.path).collect();
        assert_eq!(found, changed, "{buggy:?} {reference:?} {unread:?}");
    }
}

#[test]
fn marks_of_older_workspaces_are_read() {
    let mark: Result<Mark, _> = serde_json::from_str(r#"{"kind":"too-large","detail":"base/x"}"#);
    assert_eq!(mark.ok(), Some(Mark { kind: MarkKind::TooLarge, detail: "base/x".into(), path: None }));
}
