//! Patches against the real git: what it writes we read, what we write it applies.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]

use mendbench::diff::{FileStatus, Patch};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

type Version = Option<&'static [u8]>;

/// Names and both versions.
const FILES: &[(&str, Version, Version)] = &[
    ("plain.c", Some(b"int f(void)\n{\n\treturn 1;\n}\n"), Some(b"int f(void)\n{\n\treturn 2;\n}\n")),
    ("crlf.txt", Some(b"one\r\ntwo\r\nthree\r\n"), Some(b"one\r\n2\r\nthree\r\n")),
    ("to-crlf.txt", Some(b"one\ntwo\n"), Some(b"one\r\ntwo\r\n")),
    ("lost-newline.txt", Some(b"one\ntwo\n"), Some(b"one\ntwo")),
    ("won-newline.txt", Some(b"one\ntwo"), Some(b"one\ntwo\n")),
    ("no-newline.txt", Some(b"one\ntwo"), Some(b"1\ntwo")),
    ("both-no-newline.txt", Some(b"one"), Some(b"two")),
    ("added/deep/new.py", None, Some(b"print('x')\n")),
    ("added-empty.txt", None, Some(b"")),
    ("deleted.txt", Some(b"a\nb\n"), None),
    ("deleted-empty.txt", Some(b""), None),
    ("emptied.txt", Some(b"a\nb\n"), Some(b"")),
    ("filled.txt", Some(b""), Some(b"a\nb\n")),
    ("latin.txt", Some(b"caf\xe9\nx\n"), Some(b"th\xe9\nx\n")),
    ("with blank.txt", Some(b"a\n"), Some(b"b\n")),
    ("umlaut \u{f6} \"quoted\"\\.txt", Some(b"a\n"), Some(b"b\n")),
    ("tab\there.txt", None, Some(b"b\n")),
    ("lines.txt", Some(b"-- a\n++ b\n@@ -1 +1 @@\n\n\\ c\n"), Some(b"-- x\n++ b\n@@ -2 +2 @@\n\n\\ d\n")),
    (
        "far.txt",
        Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"),
        Some(b"1\nx\n3\n4\n5\n6\n7\n8\n9\n10\ny\n12\nz\n"),
    ),
];

fn git(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    // The folder must not count as a part of a repository around it.
    command.env("GIT_CEILING_DIRECTORIES", folder.parent()?).env("LC_ALL", "C").output().ok()
}

fn git_is_missing() -> bool {
    let missing = git(&std::env::temp_dir(), &["--version"]).is_none();
    if missing {
        writeln!(std::io::stderr(), "skipped: git is not there").unwrap();
    }
    missing
}

fn lay_out(folder: &Path, side: impl Fn(&(&'static str, Version, Version)) -> Version) {
    fs::create_dir_all(folder).unwrap();
    for file in FILES {
        if let Some(bytes) = side(file) {
            let path = folder.join(file.0);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn expected(side: impl Fn(&(&'static str, Version, Version)) -> Version) -> BTreeMap<String, Vec<u8>> {
    FILES.iter().filter_map(|file| Some((file.0.to_owned(), side(file)?.to_vec()))).collect()
}

#[test]
fn git_applies_what_we_write() {
    if git_is_missing() {
        return;
    }
    for context in [0, 1, 3, 10] {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        lay_out(&tree, |file| file.1);
        let patch = Patch::between(FILES, context);
        assert_eq!(patch.files.len(), FILES.len());
        assert_eq!(Patch::parse(&patch.write()).unwrap(), patch);
        fs::write(folder.path().join("p.patch"), patch.write()).unwrap();
        let mut arguments = vec!["apply", "--whitespace=nowarn", "../p.patch"];
        if context == 0 {
            arguments.insert(1, "--unidiff-zero");
        }
        let output = git(&tree, &arguments).unwrap();
        assert!(output.status.success(), "context {context}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(contents(&tree), expected(|file| file.2), "context {context}");
        arguments.insert(1, "--reverse");
        assert!(git(&tree, &arguments).unwrap().status.success());
        assert_eq!(contents(&tree), expected(|file| file.1), "context {context}, back");
    }
}

#[test]
fn we_read_what_git_writes() {
    if git_is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    lay_out(&folder.path().join("old"), |file| file.1);
    lay_out(&folder.path().join("new"), |file| file.2);
    let output = git(folder.path(), &["diff", "--no-index", "--no-renames", "old", "new"]).unwrap();
    let patch = Patch::parse(&output.stdout).unwrap();
    assert_eq!(Patch::parse(&patch.write()).unwrap(), patch);
    let mut seen: Vec<String> =
        patch.files.iter().map(|file| file.path().split_once('/').unwrap().1.to_owned()).collect();
    seen.sort();
    let mut names: Vec<&str> = FILES.iter().map(|file| file.0).collect();
    names.sort_unstable();
    assert_eq!(seen, names);
    for file in &patch.files {
        let path = file.path();
        let known = FILES.iter().find(|known| path.ends_with(known.0)).unwrap();
        let status = match (known.1, known.2) {
            (None, _) => FileStatus::Added,
            (_, None) => FileStatus::Deleted,
            _ => FileStatus::Modified,
        };
        assert_eq!(file.status, status, "{path}");
    }
}

/// In a repository: renames, copies, modes and binary data; what is read and written again applies to the
/// same result.
#[test]
fn a_patch_of_a_repository_survives_reading_and_writing() {
    if git_is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    lay_out(&tree, |file| file.1);
    let long: String = (0..50).map(|n| format!("line {n}\n")).collect();
    for name in ["moved.txt", "moved and changed.txt", "copied.txt"] {
        fs::write(tree.join(name), format!("{name}\n{long}")).unwrap();
    }
    fs::write(tree.join("data.bin"), b"\0\x01\x02 some bytes").unwrap();
    fs::write(tree.join("gone.txt"), "like no other file\n".repeat(9)).unwrap();
    let run = |arguments: &[&str]| {
        let mut all =
            vec!["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.autocrlf=false"];
        all.extend(arguments);
        let output = git(&tree, &all).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run(&["init", "-q"]);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "old"]);
    for (name, _, _) in FILES {
        let _ = fs::remove_file(tree.join(name));
    }
    lay_out(&tree, |file| file.2);
    fs::remove_file(tree.join("gone.txt")).unwrap();
    fs::rename(tree.join("moved.txt"), tree.join("moved to.txt")).unwrap();
    fs::rename(tree.join("moved and changed.txt"), tree.join("elsewhere.txt")).unwrap();
    fs::write(tree.join("elsewhere.txt"), format!("moved and changed.txt\n{long}and one\n")).unwrap();
    fs::copy(tree.join("copied.txt"), tree.join("copy.txt")).unwrap();
    fs::write(tree.join("data.bin"), b"\0\x01\x03 other bytes").unwrap();
    run(&["add", "-A"]);
    run(&["update-index", "--chmod=+x", "plain.c"]);
    run(&["update-index", "--chmod=+x", "copied.txt"]);
    let text = run(&["diff", "--cached", "--binary", "-M", "-C", "--find-copies-harder"]);
    let wanted = run(&["write-tree"]);
    let patch = Patch::parse(&text).unwrap();
    let statuses: Vec<FileStatus> = patch.files.iter().map(|file| file.status).collect();
    for status in [
        FileStatus::Modified,
        FileStatus::Added,
        FileStatus::Deleted,
        FileStatus::Renamed,
        FileStatus::Copied,
        FileStatus::ModeChanged,
    ] {
        assert!(statuses.contains(&status), "{status:?} in {statuses:?}");
    }
    // What git wrote is written the same way.
    assert_eq!(String::from_utf8_lossy(&patch.write()), String::from_utf8_lossy(&text));
    fs::write(folder.path().join("p.patch"), patch.write()).unwrap();
    run(&["reset", "-q", "--hard"]);
    run(&["apply", "--index", "--whitespace=nowarn", "../p.patch"]);
    assert_eq!(run(&["write-tree"]), wanted);
}

/// Real fixes: the patches that come with Defects4C read, and are written as they were.
#[test]
fn patches_of_defects4c() {
    use std::io::{BufRead, BufReader};
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/defects4c/function_pairs.jsonl.gz");
    let Ok(bytes) = fs::read(path) else {
        writeln!(std::io::stderr(), "skipped: {path} is not there").unwrap();
        return;
    };
    let mut read = 0;
    for line in BufReader::new(flate2::read::MultiGzDecoder::new(bytes.as_slice())).lines() {
        let row: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(hunks) = row["patch"].as_str() else { continue };
        let text = format!("--- a/x.c\n+++ b/x.c\n{hunks}\n");
        let patch =
            Patch::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", row["bug_id"]));
        assert_eq!(Patch::parse(&patch.write()).unwrap(), patch);
        read += 1;
    }
    assert!(read > 250, "{read}");
}
