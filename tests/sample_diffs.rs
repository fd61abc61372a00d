//! The differences of the sample tasks: exactly the changed words are emphasised, in the data, and in what
//! `mendbench diff` prints, unified and side by side.
#![allow(clippy::unwrap_used)]

use mendbench::dataset::sample_tasks;
use mendbench::diff::{DiffOptions, FileBody, RowKind, task_files};
use std::process::Command;

/// Of each changed row: emphasised parts of the old line, then of the new one.
fn emphasised(id: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let report = sample_tasks();
    let task = report.tasks.iter().find(|task| task.id == id).unwrap();
    let diff = task_files(task, &DiffOptions::default());
    let mut rows = Vec::new();
    for file in &diff.files {
        let FileBody::Text { diff, .. } = &file.body else { panic!("{id} has a file that is not text") };
        for row in diff.rows.iter().filter(|row| row.kind == RowKind::Changed) {
            let words = diff.words(row);
            let parts = |line: &str, ranges: &[std::ops::Range<u32>]| {
                ranges.iter().map(|range| line[range.start as usize..range.end as usize].to_owned()).collect()
            };
            let old = diff.old.line(row.old.unwrap() as usize);
            let new = diff.new.line(row.new.unwrap() as usize);
            rows.push((parts(old, &words.old), parts(new, &words.new)));
        }
    }
    rows
}

/// Words of a buggy line, and words of the fixed one.
type Words = (&'static [&'static str], &'static [&'static str]);

/// What a reader should see marked in each sample, row by row.
const EXPECTED: &[(&str, &[Words])] = &[
    ("c-content-charset", &[]),
    ("c-ring-buffer", &[(&["next", "tail"], &["rb->len", "cap"])]),
    ("c-session-pool", &[]),
    ("c-string-builder", &[(&["* 2"], &[])]),
    ("js-event-emitter", &[(&["run"], &["listener"])]),
    ("py-config-layers", &[]),
    ("py-hourly-totals", &[(&[], &[".astimezone(timezone.utc)"]), (&[], &[".astimezone(zone)"])]),
    ("py-page-cursor", &[(&["b"], &["decode(\"ascii\")."])]),
    ("py-retry-backoff", &[(&["retry,"], &[", retry"])]),
    ("rust-busy-slots", &[(&[], &["="]), (&[], &["block.end.max(", ")"])]),
];

#[test]
fn exactly_the_changed_words_are_emphasised() {
    assert_eq!(EXPECTED.len(), sample_tasks().tasks.len());
    for (id, rows) in EXPECTED {
        let seen = emphasised(id);
        let seen: Vec<(Vec<&str>, Vec<&str>)> = seen
            .iter()
            .map(|(old, new)| {
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect())
            })
            .collect();
        let rows: Vec<(Vec<&str>, Vec<&str>)> =
            rows.iter().map(|(old, new)| (old.to_vec(), new.to_vec())).collect();
        assert_eq!(seen, rows, "{id}");
    }
}

/// Pieces of a coloured text that stand on this background, joined where they touch.
fn on_background(text: &str, (red, green, blue): (u8, u8, u8)) -> Vec<String> {
    let wanted = format!("48;2;{red};{green};{blue}");
    let mut pieces: Vec<String> = Vec::new();
    let (mut inside, mut touching) = (false, false);
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(sequence) = rest.strip_prefix("\x1b[") {
            let end = sequence.find('m').unwrap();
            let codes = &sequence[..end];
            if codes.contains(&wanted) {
                inside = true;
            } else if codes.is_empty()
                || codes == "0"
                || codes.starts_with("0;")
                || codes.contains("48;")
                || codes.contains("49")
            {
                inside = false;
            }
            rest = &sequence[end + 1..];
            continue;
        }
        let end = rest.find('\x1b').unwrap_or(rest.len());
        if inside {
            match pieces.last_mut().filter(|_| touching) {
                Some(last) => last.push_str(&rest[..end]),
                None => pieces.push(rest[..end].to_owned()),
            }
        }
        touching = inside;
        rest = &rest[end..];
    }
    pieces
}

#[test]
fn the_command_marks_the_same_words_in_both_layouts() {
    use mendbench::theme::{Colour, Role, Theme};
    let theme = Theme::built_in("dark").unwrap();
    let background = |role| match theme.style(role).bg {
        Some(Colour::Rgb(red, green, blue)) => (red, green, blue),
        other => panic!("the dark theme's words stand on {other:?}"),
    };
    let home = tempfile::tempdir().unwrap();
    for (id, rows) in EXPECTED {
        for layout in [&[][..], &["--side-by-side"]] {
            let output = Command::new(env!("CARGO_BIN_EXE_mendbench"))
                .args(["diff", id, "--color=always", "--theme", "dark", "--width", "200"])
                .args(layout)
                .env_clear()
                .env("HOME", home.path())
                .env("TERM", "xterm-256color")
                .env("COLORTERM", "truecolor")
                .output()
                .unwrap();
            assert!(output.status.success());
            let text = String::from_utf8(output.stdout).unwrap();
            let old: Vec<&str> = rows.iter().flat_map(|(old, _)| old.iter().copied()).collect();
            let new: Vec<&str> = rows.iter().flat_map(|(_, new)| new.iter().copied()).collect();
            assert_eq!(on_background(&text, background(Role::DiffRemovedWord)), old, "{id} {layout:?}");
            assert_eq!(on_background(&text, background(Role::DiffAddedWord)), new, "{id} {layout:?}");
        }
    }
}
