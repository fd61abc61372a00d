//! The patches of models as changes of files: unified diffs, SEARCH/REPLACE blocks, `*** Begin Patch`.
//!
//! Promises: line numbers, counts, headers and blanks that models get wrong are made good before `diff` reads
//! the patch; what cannot be understood is an error that says where.
//! Leaves to others: the place of each hunk (`hunks`), whether a path may be changed.

use super::hunks::Hunk;
use crate::diff::{CountCheck, FilePatch, FileStatus, LineKind, Patch};
use crate::repair::extract::{EnvelopeAction, envelope, is_hunk_header, replace_blocks};

/// What is done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The file as written; `None`: the patch names none.
    pub path: Option<String>,
    /// Where it moves.
    pub moves_to: Option<String>,
    /// What is done.
    pub action: Action,
}

/// Kinds of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// The file gets this text.
    Add(String),
    /// The file goes.
    Delete,
    /// Runs of lines change.
    Update(Vec<Hunk>),
}

/// Most hunks of a patch.
const MOST_HUNKS: usize = 2_000;

/// A unified diff.
pub(super) fn unified(text: &str) -> Result<Vec<Change>, String> {
    let prepared = prepared(text);
    let patch =
        Patch::parse_with(prepared.as_bytes(), CountCheck::Lenient).map_err(|error| error.to_string())?;
    if patch.files.iter().all(|file| file.added() + file.removed() == 0 && !changes_without_hunks(file)) {
        return Err(
            "the patch changes nothing that can be read: it has no hunk with `+` or `-` lines".to_owned()
        );
    }
    let count: usize = patch.files.iter().map(|file| file.hunks.len()).sum();
    if count > MOST_HUNKS {
        return Err(format!("the patch has {count} hunks; {MOST_HUNKS} are the most that are laid"));
    }
    let mut number = 0;
    patch.files.iter().map(|file| change(file, &mut number, count)).collect()
}

fn changes_without_hunks(file: &FilePatch) -> bool {
    file.binary
        || matches!(
            file.status,
            FileStatus::Renamed | FileStatus::Copied | FileStatus::Deleted | FileStatus::Added
        )
}

fn change(file: &FilePatch, number: &mut usize, count: usize) -> Result<Change, String> {
    if file.binary {
        return Err(format!("`{}`: a binary patch cannot be laid", file.path()));
    }
    let path = |path: &Option<Vec<u8>>| path.as_ref().map(|path| String::from_utf8_lossy(path).into_owned());
    let (old, new) = (path(&file.old_path), path(&file.new_path));
    let named = |path: Option<String>| path.filter(|path| path != NO_NAME);
    let action = match file.status {
        FileStatus::Copied => {
            return Err(format!("`{}`: a patch that copies a file cannot be laid", file.path()));
        }
        FileStatus::Added => {
            let lines =
                file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == LineKind::Added);
            let mut text = String::new();
            for line in lines {
                text.push_str(&String::from_utf8_lossy(&line.text));
                text.push_str(if line.no_newline { "" } else { "\n" });
            }
            Action::Add(text)
        }
        FileStatus::Deleted => Action::Delete,
        _ => Action::Update(
            file.hunks
                .iter()
                .map(|hunk| {
                    *number += 1;
                    hunk_of(hunk, *number, count)
                })
                .collect(),
        ),
    };
    let moves_to = if file.status == FileStatus::Renamed { new.clone() } else { None };
    Ok(Change { path: named(old).or(named(new)), moves_to, action })
}

fn hunk_of(hunk: &crate::diff::PatchHunk, number: usize, count: usize) -> Hunk {
    let lines: Vec<(LineKind, String)> = hunk
        .lines
        .iter()
        .map(|line| {
            let text = String::from_utf8_lossy(&line.text);
            (line.kind, text.strip_suffix('\r').unwrap_or(&text).to_owned())
        })
        .collect();
    let bare = |is: fn(LineKind) -> bool| {
        hunk.lines.iter().rev().find(|line| is(line.kind)).is_some_and(|line| line.no_newline)
    };
    let (old_bare, new_bare) = (bare(LineKind::is_old), bare(LineKind::is_new));
    let counted = hunk.old_start > 0 || hunk.new_start > 0;
    let has_old = lines.iter().any(|(kind, _)| kind.is_old());
    let line = hunk.old_start as usize;
    Hunk {
        line: counted.then(|| if has_old { line.saturating_sub(1) } else { line }),
        section: String::from_utf8_lossy(&hunk.section).into_owned(),
        lines,
        ends_bare: (old_bare || new_bare).then_some(new_bare),
        name: if count == 1 { "the hunk".to_owned() } else { format!("hunk {number} of {count}") },
    }
}

/// The name of a file that the patch does not name.
const NO_NAME: &str = "mendbench-no-name";

/// A patch as `diff` can read it: every hunk has a file and a numbered header, every line of a hunk its mark.
fn prepared(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut out = String::with_capacity(text.len() + 200);
    let mut push = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    let (mut named, mut in_hunk) = (false, false);
    let has_header = lines.iter().any(|line| is_hunk_header(line));
    let filled = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(0);
    for (number, line) in lines.iter().enumerate() {
        let next = lines.get(number + 1).copied().unwrap_or_default();
        let names = line.starts_with("--- ") && next.starts_with("+++ ");
        if line.starts_with("diff --git ") {
            (named, in_hunk) = (true, false);
            push(line);
        } else if names {
            (named, in_hunk) = (true, false);
            push(line);
            // A patch without hunk headers: everything behind the names is one hunk.
        } else if !in_hunk && line.starts_with("+++ ") && number > 0 && lines[number - 1].starts_with("--- ")
        {
            push(line);
            if !has_header {
                push("@@ -0,0 +0,0 @@");
                in_hunk = true;
            }
        } else if is_hunk_header(line) {
            if !named {
                push(&format!("--- a/{NO_NAME}"));
                push(&format!("+++ b/{NO_NAME}"));
                named = true;
            }
            push(&header(line));
            in_hunk = true;
        } else if in_hunk {
            match line.as_bytes().first() {
                Some(b'+' | b'-' | b' ' | b'\\') => push(line),
                None => {
                    // Blank context lost its blank; blank lines behind the last hunk are no part of it.
                    if number < filled {
                        push(" ");
                    }
                }
                // A context line that lost its blank.
                Some(_) => push(&format!(" {line}")),
            }
        } else if !named && !has_header && line.starts_with(['+', '-']) {
            // Marked lines and nothing else.
            push(&format!("--- a/{NO_NAME}"));
            push(&format!("+++ b/{NO_NAME}"));
            push("@@ -0,0 +0,0 @@");
            for line in &lines[..number] {
                push(&format!(" {line}"));
            }
            push(line);
            (named, in_hunk) = (true, true);
        } else {
            push(line);
        }
    }
    out
}

/// A hunk header with numbers; what models write in their place becomes the section.
fn header(line: &str) -> String {
    let numbers = line.strip_prefix("@@ -").and_then(|rest| {
        let (ranges, section) = rest.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let is_range = |range: &str| {
            let mut numbers = range.splitn(2, ',');
            numbers.all(|number| {
                !number.is_empty() && number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        (is_range(old) && is_range(new)).then(|| format!("@@ -{old} +{new} @@{section}"))
    });
    numbers.unwrap_or_else(|| {
        let section = line.trim_matches(['@', ' ', '.']).trim();
        format!("@@ -0,0 +0,0 @@ {section}")
    })
}

/// `*** Begin Patch` … `*** End Patch`.
pub(super) fn enveloped(text: &str) -> Result<Vec<Change>, String> {
    let files = envelope(text);
    if files.is_empty() {
        return Err("the patch names no file: write `*** Update File: PATH`".to_owned());
    }
    let count: usize = files
        .iter()
        .map(|file| if let EnvelopeAction::Update(hunks) = &file.action { hunks.len() } else { 0 })
        .sum();
    if count > MOST_HUNKS {
        return Err(format!("the patch has {count} hunks; {MOST_HUNKS} are the most that are laid"));
    }
    let mut number = 0;
    let changes = files.into_iter().map(|file| {
        let action = match file.action {
            EnvelopeAction::Add(text) => Action::Add(text),
            EnvelopeAction::Delete => Action::Delete,
            EnvelopeAction::Update(hunks) => Action::Update(
                hunks
                    .into_iter()
                    .map(|(section, lines)| {
                        number += 1;
                        let lines = lines.into_iter().map(|line| marked(&line)).collect();
                        let name = if count == 1 {
                            "the hunk".to_owned()
                        } else {
                            format!("hunk {number} of {count}")
                        };
                        Hunk { section, lines, name, ..Hunk::default() }
                    })
                    .collect(),
            ),
        };
        Change { path: Some(file.path), moves_to: file.moves_to, action }
    });
    Ok(changes.collect())
}

fn marked(line: &str) -> (LineKind, String) {
    match line.as_bytes().first() {
        Some(b'+') => (LineKind::Added, line[1..].to_owned()),
        Some(b'-') => (LineKind::Removed, line[1..].to_owned()),
        Some(b' ') => (LineKind::Context, line[1..].to_owned()),
        _ => (LineKind::Context, line.to_owned()),
    }
}

/// A SEARCH/REPLACE block; one with elided lines becomes several hunks.
pub(super) fn replaced(text: &str, number: usize, count: usize) -> Result<Change, String> {
    let name = if count <= 1 { "the block".to_owned() } else { format!("block {number} of {count}") };
    let blocks = replace_blocks(text, 0..text.len());
    let [block] = blocks.as_slice() else {
        return Err(format!("{name} has no divider between its two parts"));
    };
    let lines = |text: &'_ str| -> Vec<String> {
        text.lines().map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect()
    };
    let (old, new) = (lines(&block.search), lines(&block.replace));
    let path = block.path.clone();
    if old.iter().all(|line| line.trim().is_empty()) {
        return Ok(Change { path, moves_to: None, action: Action::Add(block.replace.clone()) });
    }
    let is_gap = |line: &String| matches!(line.trim(), "..." | "\u{2026}" | "# ..." | "// ...");
    let gaps =
        (old.iter().filter(|line| is_gap(line)).count(), new.iter().filter(|line| is_gap(line)).count());
    let pairs: Vec<(Vec<String>, Vec<String>)> = if gaps.0 > 0 && gaps.0 == gaps.1 {
        let parts = |lines: &[String]| lines.split(is_gap).map(<[String]>::to_vec).collect::<Vec<_>>();
        parts(&old).into_iter().zip(parts(&new)).filter(|(old, _)| !old.is_empty()).collect()
    } else if gaps.1 > 0 && gaps.0 == 0 {
        return Err(format!("{name} leaves lines out of its replacement only"));
    } else {
        vec![(old, new)]
    };
    let hunks = pairs.iter().map(|(old, new)| {
        let borrowed = |lines: &'_ [String]| -> Vec<String> { lines.to_vec() };
        let (old, new) = (borrowed(old), borrowed(new));
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        Hunk::replacing(&old, &new, name.clone())
    });
    Ok(Change { path, moves_to: None, action: Action::Update(hunks.collect()) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hunks(text: &str) -> Vec<(Option<usize>, usize)> {
        let changes = unified(text).unwrap();
        let [Change { action: Action::Update(hunks), .. }] = changes.as_slice() else {
            panic!("{changes:?}")
        };
        hunks.iter().map(|hunk| (hunk.line, hunk.lines.len())).collect()
    }

    #[test]
    fn what_models_write() {
        for (text, expected) in [
            ("--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n", &[(Some(2), 3)][..]),
            ("--- a/x\n+++ b/x\n@@ -3,9 +3,1 @@ f\n a\n-b\n+c\n", &[(Some(2), 3)]),
            ("@@ -3,2 +3,2 @@\n a\n-b\n+c\n", &[(Some(2), 3)]),
            ("--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+c\n", &[(None, 3)]),
            ("--- a/x\n+++ b/x\n@@ def f():\n a\n-b\n+c\n@@\n-d\n+e\n", &[(None, 3), (None, 2)]),
            ("--- a/x\n+++ b/x\n a\n-b\n+c\n", &[(None, 3)]),
            ("-b\n+c\n", &[(None, 2)]),
            ("a\n-b\n+c\n", &[(None, 3)]),
            ("--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\nlost\n\n-b\n+c\n last\n\n", &[(Some(0), 5)]),
        ] {
            assert_eq!(hunks(text), expected, "{text}");
        }
        assert!(unified("--- a/x\n+++ b/x\n").is_err());
        assert!(unified("nothing\n").is_err());
    }

    #[test]
    fn files_come_go_and_move() {
        let changes = unified("--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n").unwrap();
        assert_eq!(changes[0].action, Action::Add("a\nb\n".to_owned()));
        assert_eq!(changes[1].action, Action::Delete);
        assert_eq!(changes[1].path.as_deref(), Some("old"));
    }

    #[test]
    fn elided_blocks() {
        let text = "<<<<<<< SEARCH\na\n...\nb\n=======\nc\n...\nd\n>>>>>>> REPLACE\n";
        let Action::Update(hunks) = replaced(text, 1, 1).unwrap().action else { panic!() };
        assert_eq!(hunks.len(), 2);
        assert!(replaced("<<<<<<< SEARCH\na\nb\n=======\nc\n...\n>>>>>>> REPLACE\n", 1, 1).is_err());
    }
}
