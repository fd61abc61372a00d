//! Tests of the difference of a whole task.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]

use super::super::{FileBytes, FilePatch, Patch, RowKind};
use super::*;
use proptest::prelude::*;
use std::io::Write;

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
    assert_eq!((diff.added, diff.removed), patched(task));
    assert_eq!(diff.files.is_empty(), summary.granularity.is_none());
    (diff, summary)
}

/// The lines that the patch of a task adds and removes.
fn patched(task: &Task) -> (usize, usize) {
    let changed = task.changed_files();
    let files: Vec<FileBytes<'_>> = changed
        .iter()
        .map(|file| (file.path, file.buggy.map(Content::bytes), file.reference.map(Content::bytes)))
        .collect();
    let patch = Patch::between(&files, 3);
    let count = |of: fn(&FilePatch) -> usize| patch.files.iter().map(of).sum();
    (count(FilePatch::added), count(FilePatch::removed))
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
    let task = task(&[("a.c", Some(&large), Some(b"x"))]);
    let (diff, summary) = (task_files(&task, &DiffOptions::default()), summary(&task));
    assert_eq!(diff.files[0].body, FileBody::TooLarge { old_len: MAX_TEXT + 1, new_len: 1 });
    assert_eq!(summary.granularity, Some(Granularity::File));
}

#[test]
fn a_change_of_encoding_is_a_change() {
    let (diff, summary) = both(&task(&[("a.c", Some(b"x\ncaf\xe9\n"), Some("x\ncaf\u{e9}\n".as_bytes()))]));
    assert_eq!((diff.added, diff.removed, summary.granularity), (1, 1, Some(Granularity::Line)));
    let FileBody::Text { diff, .. } = &diff.files[0].body else { panic!("text") };
    assert_eq!((diff.old.line(1), diff.new.line(1)), ("caf\u{e9}", "caf\u{c3}\u{a9}"));
}

/// Every row, count and line of a patch says the same about the tasks people really have.
#[test]
fn real_tasks_are_counted_once() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/feedbackeval"));
    for (name, expected) in [
        ("HumanEval_feedback_test.jsonl", 123),
        ("HumanEval_feedback.jsonl.gz", 961),
        ("v1_four_types/HumanEval_feedback.jsonl.gz", 0),
        ("CoderEval_feedback_test.jsonl", 149),
    ] {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            writeln!(std::io::stderr(), "skipped: {name} is not there").unwrap();
            continue;
        };
        let mut text = Vec::new();
        match name.ends_with(".gz") {
            true => {
                std::io::copy(&mut flate2::read::MultiGzDecoder::new(bytes.as_slice()), &mut text).unwrap();
            }
            false => text = bytes,
        }
        let mut seen = 0;
        for line in String::from_utf8(text).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(reference) = row["correct_code"].as_str() else { continue };
            for instance in row["false_results"].as_array().into_iter().flatten() {
                let Some(buggy) = instance["generate_code"].as_str() else { continue };
                let (buggy, reference) = (Some(buggy.as_bytes()), Some(reference.as_bytes()));
                both(&task(&[("solution.py", buggy, reference)]));
                seen += 1;
            }
        }
        assert!(seen >= expected, "{name}: {seen}");
    }
}

fn bytes() -> impl Strategy<Value = Option<Vec<u8>>> {
    let line = prop_oneof![
        4 => Just(&b"a\n"[..]),
        4 => Just(&b"}\n"[..]),
        4 => Just(&b"\n"[..]),
        2 => Just(&b"  a\n"[..]),
        2 => Just(&b"a = b + c\n"[..]),
        2 => Just(&b"a = b - c\n"[..]),
        2 => Just(&b"a\r\n"[..]),
        1 => Just(&b"b"[..]),
        1 => Just(&b"caf\xe9\n"[..]),
        1 => Just("caf\u{e9}\n".as_bytes()),
        1 => Just(&b"\x01\x02\xff"[..]),
    ];
    let text = proptest::collection::vec(line, 0..40).prop_map(|lines| lines.concat());
    proptest::option::weighted(0.9, text)
}

proptest! {
    #[test]
    fn list_rows_and_patch_count_the_same_lines(a in bytes(), b in bytes(), c in bytes(), d in bytes()) {
        let task = task(&[("a.c", a.as_deref(), b.as_deref()), ("b.py", c.as_deref(), d.as_deref())]);
        let (diff, _) = both(&task);
        for file in &diff.files {
            let FileBody::Text { diff, .. } = &file.body else { continue };
            let count = |kinds: [RowKind; 2]| diff.rows.iter().filter(|row| kinds.contains(&row.kind)).count();
            prop_assert_eq!(diff.added, count([RowKind::Added, RowKind::Changed]));
            prop_assert_eq!(diff.removed, count([RowKind::Removed, RowKind::Changed]));
        }
    }
}
