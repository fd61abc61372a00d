//! What a path that no format recognises looks like, and what its owner can do about it.

use super::probe::Probe;
use super::skipped::clip;
use crate::text::shown;

/// What something looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    /// What it is, as it goes on from "it is …".
    pub what: String,
    /// What to do next, one sentence.
    pub next: String,
}

impl Looks {
    fn new(what: impl Into<String>, next: impl Into<String>) -> Looks {
        Looks { what: what.into(), next: next.into() }
    }

    /// Looks at what a probe holds.
    pub fn of(probe: &Probe) -> Looks {
        if probe.folder {
            return folder(probe);
        }
        if let Some(reason) = &probe.damaged {
            let what = format!("a gzip file that cannot be unpacked ({})", clip(reason, 100));
            return Looks::new(what, "Fetch it again; it may have been cut short.");
        }
        if probe.head.is_empty() {
            return Looks::new("an empty file", "Check that it was written or downloaded completely.");
        }
        if let Some(looks) = by_magic(&probe.head) {
            return looks;
        }
        let start = probe.lines().next().unwrap_or_default();
        if start.is_empty() {
            return Looks::new(
                "a file of blank lines",
                "Check that it was written or downloaded completely.",
            );
        }
        if probe.head.iter().take(8_000).any(|byte| *byte == 0) {
            return Looks::new("binary data", "Give a file of JSON Lines or a folder of task folders.");
        }
        text(probe, start)
    }
}

fn by_magic(head: &[u8]) -> Option<Looks> {
    let unpack = "Unpack it and give the file or folder inside.";
    let known: [(&[u8], &str, &str); 10] = [
        (b"PK\x03\x04", "a zip archive", unpack),
        (b"\x28\xb5\x2f\xfd", "a zstd archive", "Unpack it with `zstd -d` (gzip is read as it is)."),
        (b"\xfd7zXZ\0", "an xz archive", "Unpack it with `xz -d` (gzip is read as it is)."),
        (b"BZh", "a bzip2 archive", "Unpack it with `bzip2 -d` (gzip is read as it is)."),
        (
            b"SQLite format 3\0",
            "an SQLite database",
            "To open a workspace, give the folder that holds `.mendbench`.",
        ),
        (b"PAR1", "a Parquet file", "Convert it to JSON Lines."),
        (b"\xff\xfe", "UTF-16 text", "Convert it to UTF-8."),
        (b"\xfe\xff", "UTF-16 text", "Convert it to UTF-8."),
        (b"\x7fELF", "a program", "Give a file of JSON Lines or a folder of task folders."),
        (
            b"version https://git-lfs",
            "a pointer to a file in Git LFS",
            "Fetch the file itself with `git lfs pull`.",
        ),
    ];
    for (magic, what, next) in known {
        if head.starts_with(magic) {
            return Some(Looks::new(what, next));
        }
    }
    (head.get(257..262) == Some(b"ustar")).then(|| Looks::new("a tar archive", unpack))
}

fn text(probe: &Probe, start: &[u8]) -> Looks {
    let lower = start[..start.len().min(200)].to_ascii_lowercase();
    if lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html") {
        return Looks::new(
            "a web page (HTML)",
            "It may be a page about the file: download the raw file instead.",
        );
    }
    if lower.starts_with(b"[") {
        return Looks::new(
            "one JSON array",
            "Write one row per line (JSON Lines), for instance with `jq -c '.[]'`.",
        );
    }
    if let Some(looks) = rows(probe) {
        return looks;
    }
    if start.starts_with(b"{") {
        let one = probe.lines().nth(1).is_some() && start == b"{";
        return if one {
            Looks::new(
                "JSON spread over several lines",
                "Write one row per line, for instance with `jq -c .`.",
            )
        } else {
            let what = format!("a file whose first line is damaged JSON: {}", quote(start));
            Looks::new(what, "If the rest is sound, choose its format with --format.")
        };
    }
    let is_toml = probe.lines().take(50).any(|line| line.starts_with(b"schema") && line.contains(&b'='));
    if is_toml {
        return Looks::new("a task.toml, or another TOML file", "Give the folder that holds it.");
    }
    let what = format!("text that begins {}", quote(start));
    Looks::new(what, "Give a file of JSON Lines or a folder of task folders.")
}

/// JSON Lines of no known format.
fn rows(probe: &Probe) -> Option<Looks> {
    let keys = probe.rows_of_keys().next()?;
    let has = |name: &str| keys.iter().any(|key| key == name);
    if has("repair_results") || has("fixed_results") {
        return Some(Looks::new(
            "results of FeedbackEval (repaired code), not its tasks",
            "Give the file of tasks, whose rows hold `false_results`; results are read together with runs.",
        ));
    }
    if has("model_patch") {
        return Some(Looks::new(
            "predictions of a model (`model_patch`), not tasks",
            "Give the file of tasks; predictions are read together with runs.",
        ));
    }
    let list: Vec<String> = keys.iter().take(8).map(|key| format!("`{}`", clip(key, 40))).collect();
    let dots = if keys.len() > 8 { ", …" } else { "" };
    let what = format!("JSON with the keys {}{dots}", list.join(", "));
    Some(Looks::new(
        what,
        "None of the formats has such rows; choose one with --format to see what it misses.",
    ))
}

fn folder(probe: &Probe) -> Looks {
    if probe.names.is_empty() {
        return Looks::new("an empty folder", "Give a folder whose sub-folders hold a task.toml.");
    }
    let data: Vec<&str> = probe
        .names
        .iter()
        .map(String::as_str)
        .filter(|name| [".jsonl", ".jsonl.gz", ".json", ".json.gz"].iter().any(|end| name.ends_with(end)))
        .collect();
    if let Some(first) = data.first() {
        let what = format!("a folder without task.toml, with {} data file(s)", data.len());
        let path = probe.path.join(first);
        return Looks::new(what, format!("Open one of its files, for instance `{}`.", shown(&path)));
    }
    let list: Vec<String> = probe.names.iter().take(6).map(|name| format!("`{}`", clip(name, 40))).collect();
    let dots = if probe.names.len() > 6 { ", …" } else { "" };
    let what = format!("a folder without task.toml in it or below it, with {}{dots}", list.join(", "));
    Looks::new(what, "Give a folder whose sub-folders hold a task.toml.")
}

fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]);
    format!("`{}`", clip(&text, 60))
}
