//! Remarks that every format makes about the tasks it reads.

use super::bounds::Bounds;
use crate::task::{Decoded, Encoding, Kind, MarkKind, Task};

/// Looks at the files of a task and marks what a reader should know: binary, not UTF-8, long lines, no
/// reference, nothing changed, a tree that was not fetched.
pub(crate) fn examine(task: &mut Task, bounds: &Bounds) {
    let mut found = Vec::new();
    let trees =
        [("base", &task.files.base), ("buggy", &task.files.buggy), ("reference", &task.files.reference)];
    for (tree, files) in trees {
        for (path, content) in files {
            match content.decode() {
                Decoded::Binary => found.push((MarkKind::Binary, format!("{tree}/{path} is not text"))),
                Decoded::Text(_, Encoding::Latin1) => {
                    let detail = format!("{tree}/{path} is not UTF-8 and is shown as Latin-1");
                    found.push((MarkKind::NotUtf8, detail));
                }
                Decoded::Text(_, Encoding::Utf8) => {}
            }
            let longest = content.bytes().split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
            if longest > bounds.long_line {
                let detail =
                    format!("{tree}/{path} has a line of {longest} bytes and is shown without colours");
                found.push((MarkKind::LongLine, detail));
            }
        }
    }
    let no_tree = task.files.base.is_empty() && task.files.buggy.is_empty();
    if let Some(repo) = &task.repo
        && no_tree
    {
        let detail = format!("the tree is {} at {}, which was not fetched", repo.url, repo.commit);
        found.push((MarkKind::NotMaterialised, detail));
    }
    // Of what was not read nobody knows whether it is the same, or there at all.
    let incomplete = !task.unread_files().is_empty();
    if task.files.reference.is_empty() {
        if task.kind == Kind::Repair && task.expected.patch.is_none() && !incomplete {
            found.push((MarkKind::MissingReference, "there is no fixed version to compare with".to_owned()));
        }
    } else if task.changed_files().is_empty() && !incomplete {
        found.push((MarkKind::Identical, "buggy and reference are the same".to_owned()));
    }
    for (kind, detail) in found {
        task.mark(kind, detail);
    }
}
