//! Tests of the difference of a whole task.
#![allow(clippy::unwrap_used)]

use super::super::FileBytes;
use super::*;

fn task(files: &[FileBytes<'_>]) -> Task {
    let mut task = Task::new("d", "t");
    task.language = "c".to_owned();
    task.files.base.insert("Makefile".to_owned(), Content::from("all:\n"));
    task.files.reference.insert("same.h".to_owned(), Content::from("x\n"));
    task.files.buggy.insert("same.h".to_owned(), Content::from("x\n"));
    for (path, old, new) in files {
        for (tree, bytes) in [(&mut task.files.buggy, old), (&mut task.files.reference, new)] {
            if let Some(bytes) = bytes {
                tree.insert((*path).to_owned(), Content::new(*bytes));
            }
        }
    }
    task
}

/// What both functions say about the same task.
fn both(task: &Task) -> (TaskDiff, Summary) {
    let (diff, summary) = (task_files(task, &DiffOptions::default()), summary(task));
    assert_eq!((diff.added, diff.removed), (summary.added, summary.removed));
    assert_eq!(diff.files.is_empty(), summary.granularity.is_none());
    (diff, summary)
}

#[test]
fn kinds_of_files() {
    let (diff, summary) = both(&task(&[
        ("a.c", Some(b"int a;\nint b;\n"), Some(b"int a;\nint c;\n")),
        ("b.c", None, Some(b"1\n2\n")),
        ("c.h", Some(b"1\n"), None),
        ("d.bin", Some(b"\0\x01"), Some(b"\0\x01\x02")),
        ("e.c", Some(b"// caf\xe9\n"), Some(b"// th\xe9\n")),
    ]));
    let statuses: Vec<_> = diff.files.iter().map(|file| (file.path.as_str(), file.status.as_str())).collect();
    assert_eq!(
        statuses,
        [
            ("a.c", "modified"),
            ("b.c", "added"),
            ("c.h", "deleted"),
            ("d.bin", "modified"),
            ("e.c", "modified")
        ]
    );
    assert_eq!(summary, Summary { granularity: Some(Granularity::Repository), added: 4, removed: 3 });
    assert_eq!(diff.files[3].body, FileBody::Binary { old_len: 2, new_len: 3 });
    let FileBody::Text { diff: latin, encoding } = &diff.files[4].body else { panic!("text") };
    assert_eq!((*encoding, latin.old.text()), (Encoding::Latin1, "// café\n"));
}

#[test]
fn granularities() {
    let of = |old: &[u8], new: &[u8]| both(&task(&[("a.c", Some(old), Some(new))])).1.granularity;
    let function = b"int f(void)\n{\n  a();\n  b();\n  c();\n}\n";
    assert_eq!(of(function, function), None);
    assert_eq!(of(function, b"int f(void)\n{\n  a();\n  c();\n}\n"), Some(Granularity::Line));
    assert_eq!(of(function, b"int f(void)\n{\n  x();\n  b();\n  y();\n}\n"), Some(Granularity::Function));
    assert_eq!(of(b"\0", b"\0\0"), Some(Granularity::File));
    assert_eq!(summary(&Task::new("d", "nothing")), Summary::default());
}

#[test]
fn too_large_is_said() {
    let large = vec![b'x'; MAX_TEXT + 1];
    let (diff, summary) = both(&task(&[("a.c", Some(&large), Some(b"x"))]));
    assert_eq!(diff.files[0].body, FileBody::TooLarge { old_len: MAX_TEXT + 1, new_len: 1 });
    assert_eq!(summary.granularity, Some(Granularity::File));
}
