//! Writing a patch the way git writes one.
//!
//! Promises: what it writes `git apply` reads, and [`Patch::parse`] reads back as the same patch. A binary
//! file without data is written as git writes one, which nobody can apply.

use super::patch::{FilePatch, FileStatus, LineKind, Patch, PatchHunk};
use super::patch_path::quote;
use std::io::Write;

impl Patch {
    /// The patch as text.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for file in &self.files {
            write_file(file, &mut out);
        }
        for line in &self.trailer {
            write_line(&mut out, &[line]);
        }
        out
    }
}

fn write_line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\n');
}

/// A path of a header line, with its side's letter; `None` is `/dev/null`.
fn side(letter: &str, path: Option<&[u8]>) -> Vec<u8> {
    match path {
        Some(path) => quote(&[letter.as_bytes(), b"/", path].concat()),
        None => b"/dev/null".to_vec(),
    }
}

fn write_file(file: &FilePatch, out: &mut Vec<u8>) {
    for line in &file.preamble {
        write_line(out, &[line]);
    }
    let (old, new) = (file.old_path.as_deref(), file.new_path.as_deref());
    // Two names without a rename, or `/dev/null` without a mode, are how other tools than git write.
    let is_plain = match file.status {
        FileStatus::Modified => old != new,
        FileStatus::Added | FileStatus::Deleted => true,
        _ => false,
    };
    let says_more = file.binary || !file.headers.is_empty() || file.old_mode.or(file.new_mode).is_some();
    if !is_plain || says_more || file.hunks.is_empty() {
        write_git_headers(file, out);
    }
    if !file.hunks.is_empty() {
        for (mark, letter, path) in [("--- ", "a", old), ("+++ ", "b", new)] {
            let name = side(letter, path);
            // A tab ends a name with blanks, or what follows a blank would be read as a date.
            let end: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
            write_line(out, &[mark.as_bytes(), &name, end]);
        }
    }
    for hunk in &file.hunks {
        write_hunk(hunk, out);
    }
}

fn write_git_headers(file: &FilePatch, out: &mut Vec<u8>) {
    let (old, new) = (file.old_path.as_deref(), file.new_path.as_deref());
    write_line(out, &[b"diff --git ", &side("a", old.or(new)), b" ", &side("b", new.or(old))]);
    let mut mode = |name: &str, mode: Option<u32>| {
        if let Some(mode) = mode {
            let _ = writeln!(out, "{name} {mode:06o}");
        }
    };
    match file.status {
        FileStatus::Added => mode("new file mode", file.new_mode.or(Some(0o100_644))),
        FileStatus::Deleted => mode("deleted file mode", file.old_mode.or(Some(0o100_644))),
        _ => {
            mode("old mode", file.old_mode);
            mode("new mode", file.new_mode);
        }
    }
    let verb: Option<&[u8]> = match file.status {
        FileStatus::Renamed => Some(b"rename"),
        FileStatus::Copied => Some(b"copy"),
        _ => None,
    };
    let (similarity, others): (Vec<_>, Vec<_>) =
        file.headers.iter().partition(|line| !line.starts_with(b"index "));
    for line in similarity {
        write_line(out, &[line]);
    }
    if let (Some(verb), Some(old), Some(new)) = (verb, old, new) {
        write_line(out, &[verb, b" from ", &quote(old)]);
        write_line(out, &[verb, b" to ", &quote(new)]);
    }
    for line in others {
        write_line(out, &[line]);
    }
    if !file.binary_data.is_empty() {
        write_line(out, &[b"GIT binary patch"]);
        for line in &file.binary_data {
            write_line(out, &[line]);
        }
    } else if file.binary {
        let (old, new) = (side("a", old), side("b", new));
        write_line(out, &[b"Binary files ", &old, b" and ", &new, b" differ"]);
    }
}

fn write_hunk(hunk: &PatchHunk, out: &mut Vec<u8>) {
    let range = |start: u32, len: u32| if len == 1 { start.to_string() } else { format!("{start},{len}") };
    let old = range(hunk.old_start, hunk.old_len);
    let new = range(hunk.new_start, hunk.new_len);
    let space: &[u8] = if hunk.section.is_empty() { b"" } else { b" " };
    write_line(out, &[format!("@@ -{old} +{new} @@").as_bytes(), space, &hunk.section]);
    for line in &hunk.lines {
        let mark: &[u8] = match line.kind {
            LineKind::Context => b" ",
            LineKind::Removed => b"-",
            LineKind::Added => b"+",
        };
        write_line(out, &[mark, &line.text]);
        if line.no_newline {
            write_line(out, &[b"\\ No newline at end of file"]);
        }
    }
}
