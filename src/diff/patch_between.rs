//! A patch made from two versions of some files.
//!
//! Promises: applied to the old versions it gives the new ones byte for byte, text in any encoding
//! included. A binary file is named and carries no data.

use super::DiffOptions;
use super::compare::{Change, compare, wide};
use super::patch::{FilePatch, FileStatus, LineKind, Patch, PatchHunk, PatchLine};
use crate::task::is_binary;
use std::ops::Range;

/// Mode of a file that is added or deleted.
const PLAIN_FILE: u32 = 0o100_644;
/// Longest section heading, in bytes; git's limit.
const SECTION: usize = 80;

/// A path, the file's old bytes and its new bytes; `None`: it does not exist there.
pub type FileBytes<'a> = (&'a str, Option<&'a [u8]>, Option<&'a [u8]>);

impl Patch {
    /// The patch that turns old versions into new ones, with `context` lines around each change. Files
    /// that are the same are left out.
    pub fn between(files: &[FileBytes<'_>], context: usize) -> Patch {
        let files = files.iter().filter(|(_, old, new)| old != new);
        Patch {
            files: files.map(|(path, old, new)| file(path, *old, *new, context)).collect(),
            trailer: Vec::new(),
            counts_checked: true,
        }
    }
}

fn file(path: &str, old: Option<&[u8]>, new: Option<&[u8]>, context: usize) -> FilePatch {
    let status = match (old, new) {
        (None, _) => FileStatus::Added,
        (_, None) => FileStatus::Deleted,
        _ => FileStatus::Modified,
    };
    let binary = old.is_some_and(is_binary) || new.is_some_and(is_binary);
    let hunks =
        if binary { Vec::new() } else { hunks(old.unwrap_or_default(), new.unwrap_or_default(), context) };
    FilePatch {
        old_path: old.map(|_| path.as_bytes().to_vec()),
        new_path: new.map(|_| path.as_bytes().to_vec()),
        old_mode: (status == FileStatus::Deleted).then_some(PLAIN_FILE),
        new_mode: (status == FileStatus::Added).then_some(PLAIN_FILE),
        status,
        binary,
        hunks,
        ..FilePatch::default()
    }
}

fn hunks(old: &[u8], new: &[u8], context: usize) -> Vec<PatchHunk> {
    let old: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
    let comparison = compare(old.iter().copied(), new.iter().copied(), &DiffOptions::default());
    let mut hunks = Vec::new();
    let mut section = Section { old: &old, searched: 0, found: Vec::new() };
    let mut changes = comparison.changes.as_slice();
    while let Some(first) = changes.first() {
        let apart =
            |pair: &[Change]| (pair[1].old.start - pair[0].old.end) as usize > context.saturating_mul(2);
        let together = changes.windows(2).position(apart).map_or(changes.len(), |at| at + 1);
        let (group, rest) = changes.split_at(together);
        changes = rest;
        let before = (first.old.start as usize).min(context);
        let last = group.last().unwrap_or(first);
        let after = (old.len() - last.old.end as usize).min(context);
        let old_lines = first.old.start as usize - before..last.old.end as usize + after;
        let new_lines = first.new.start as usize - before..last.new.end as usize + after;
        let mut lines = Vec::with_capacity(old_lines.len() + new_lines.len());
        let mut push =
            |kind: LineKind, of: &[&[u8]]| lines.extend(of.iter().map(|line| patch_line(kind, line)));
        let mut at = old_lines.start;
        for change in group {
            push(LineKind::Context, &old[at..change.old.start as usize]);
            push(LineKind::Removed, &old[wide(&change.old)]);
            push(LineKind::Added, &new[wide(&change.new)]);
            at = change.old.end as usize;
        }
        push(LineKind::Context, &old[at..old_lines.end]);
        let (old_start, old_len) = header_range(&old_lines);
        let (new_start, new_len) = header_range(&new_lines);
        let section = section.before(old_lines.start);
        hunks.push(PatchHunk { old_start, old_len, new_start, new_len, section, lines });
    }
    hunks
}

fn patch_line(kind: LineKind, line: &[u8]) -> PatchLine {
    match line.strip_suffix(b"\n") {
        Some(text) => PatchLine { kind, text: text.to_vec(), no_newline: false },
        None => PatchLine { kind, text: line.to_vec(), no_newline: true },
    }
}

fn header_range(lines: &Range<usize>) -> (u32, u32) {
    let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (narrow(start), narrow(lines.len()))
}

/// The heading of hunks: the last line before one that begins like a name, which is git's rule where it
/// knows nothing better.
struct Section<'a> {
    old: &'a [&'a [u8]],
    searched: usize,
    found: Vec<u8>,
}

impl Section<'_> {
    fn before(&mut self, line: usize) -> Vec<u8> {
        let begins_like_name = |line: &&&[u8]| {
            line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
        };
        if let Some(found) = self.old[self.searched..line].iter().rev().find(begins_like_name) {
            let mut end = found.len().min(SECTION);
            while end > 0 && end < found.len() && found[end] & 0xc0 == 0x80 {
                end -= 1;
            }
            self.found = found[..end].trim_ascii_end().to_vec();
        }
        self.searched = line;
        self.found.clone()
    }
}
