//! `mendbench diff`: of a task and of two files, for people, for git and for programs.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;
use std::num::NonZero;
use std::process::Command;

/// The emphasised words of each sample, on removed and on added lines.
const EMPHASISED: [(&str, &[&str], &[&str]); 10] = [
    ("c-content-charset", &[], &[]),
    ("c-ring-buffer", &["next", "tail"], &["rb->len", "cap"]),
    ("c-session-pool", &[], &[]),
    ("c-string-builder", &["* 2"], &[]),
    ("js-event-emitter", &["run"], &["listener"]),
    ("py-config-layers", &[], &[]),
    ("py-hourly-totals", &[], &[".astimezone(timezone.utc)", ".astimezone(zone)"]),
    ("py-page-cursor", &["b"], &["decode(\"ascii\")."]),
    ("py-retry-backoff", &["retry, "], &[", retry"]),
    ("rust-busy-slots", &[], &["=", "block.end.max(", ")"]),
];

/// Runs of underlined text on the rows that `wanted` picks, from the columns that it picks.
fn underlined(text: &str, wanted: impl Fn(&str) -> bool, columns: std::ops::Range<u16>) -> Vec<String> {
    let rows = text.lines().count() as u16 + 1;
    let mut terminal = vt100::Parser::new(NonZero::new(rows).unwrap(), NonZero::new(200).unwrap(), 0);
    terminal.process(text.replace('\n', "\r\n").as_bytes());
    let screen = terminal.screen();
    let mut found = Vec::new();
    for row in 0..rows {
        let shown: String = columns
            .clone()
            .filter_map(|column| screen.cell(row, column))
            .map(|cell| if cell.has_contents() { cell.contents() } else { " " })
            .collect();
        if !wanted(&shown) {
            continue;
        }
        let mut run = String::new();
        for column in columns.clone() {
            let cell = screen.cell(row, column).unwrap();
            if cell.underline() {
                run.push_str(if cell.has_contents() { cell.contents() } else { " " });
            } else if !run.is_empty() {
                found.push(std::mem::take(&mut run));
            }
        }
    }
    found
}

/// Trims what may or may not belong to a changed word: the space beside it.
fn trimmed(words: &[impl AsRef<str>]) -> Vec<String> {
    words.iter().map(|word| word.as_ref().trim().to_owned()).collect()
}

#[test]
fn exactly_the_changed_words_of_every_sample_are_emphasised() {
    let home = Home::new();
    let marked = |sign: &'static str| {
        move |row: &str| row.chars().take(12).collect::<String>().contains(&format!("{sign} "))
    };
    for (sample, removed, added) in EMPHASISED {
        let common = ["diff", sample, "--color=always", "--theme", "ansi16", "--width", "200"];
        let ran = home.run(&common).done();
        assert_eq!(
            trimmed(&underlined(&ran.out, marked("-"), 0..200)),
            trimmed(removed),
            "{sample}\n{}",
            ran.out
        );
        assert_eq!(
            trimmed(&underlined(&ran.out, marked("+"), 0..200)),
            trimmed(added),
            "{sample}\n{}",
            ran.out
        );
        let ran = home.run(&[common.as_slice(), &["--side-by-side"]].concat()).done();
        assert_eq!(
            trimmed(&underlined(&ran.out, marked("-"), 0..99)),
            trimmed(removed),
            "{sample}\n{}",
            ran.out
        );
        assert_eq!(
            trimmed(&underlined(&ran.out, marked("+"), 100..200)),
            trimmed(added),
            "{sample}\n{}",
            ran.out
        );
    }
}

#[test]
fn unified_and_side_by_side_show_numbers_signs_and_folds() {
    let home = Home::new();
    let unified = home.run(&["diff", "c-ring-buffer"]).done().harmless();
    assert!(
        unified.out.starts_with("src/ring_buffer.c +1 -1\n⋯ 17 equal lines\n18 18   int rb_push"),
        "{}",
        unified.out
    );
    assert!(
        unified
            .out
            .contains("\n21    -     if (next == rb->tail) return -1;\n   21 +     if (rb->len == rb->cap)")
    );
    assert!(unified.out.ends_with("⋯ 30 equal lines\n"));
    let side = home.run(&["diff", "c-ring-buffer", "-s", "--width", "100"]).done().harmless();
    let changed = side.out.lines().find(|line| line.contains("21 -")).unwrap();
    assert!(
        changed.contains("rb->tail) return -1;") && changed.contains("│21 +     if (rb->len"),
        "{changed}"
    );
    assert!(side.out.lines().all(|line| line.chars().count() <= 100), "{}", side.out);
    let whole = home.run(&["diff", "c-ring-buffer", "--whole"]).done();
    assert!(!whole.out.contains("equal lines"));
    assert_eq!(whole.out.lines().count(), 1 + 53 + 2);
    let none = home.run(&["diff", "c-ring-buffer", "-U0"]).done();
    assert_eq!(none.out.lines().count(), 5, "{}", none.out);
    home.run(&["diff", "c-ring-buffer", "-U", "18446744073709551615"]).done();
    for algorithm in ["myers", "patience", "histogram"] {
        let ran = home.run(&["diff", "py-config-layers", "--algorithm", algorithm]).done();
        assert!(ran.out.contains(" +7\n"), "{algorithm}\n{}", ran.out);
    }
}

#[test]
fn colours_follow_flag_variable_and_pipe() {
    let home = Home::new();
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let ran = home.run_with(&[&["diff", "c-ring-buffer"], arguments].concat(), variables, "").done();
        ran.out.contains("\x1b[")
    };
    assert!(!coloured(&[], &[]), "a pipe");
    assert!(!coloured(&["--color=never"], &[]));
    assert!(coloured(&["--color=always"], &[]));
    assert!(coloured(&["--color=always"], &[("NO_COLOR", "1")]), "a flag wins over the variable");
    assert!(!coloured(&["--color=auto"], &[("COLORTERM", "truecolor")]));
    assert!(coloured(&["--color=always"], &[("TERM", "dumb")]));
    let mono = home.run(&["diff", "c-ring-buffer", "--color=always", "--theme", "mono"]).done();
    assert!(
        mono.out.contains("\x1b[1") && !mono.out.contains("\x1b[3"),
        "no colours, weights only: {}",
        mono.out
    );
    home.run(&["diff", "c-ring-buffer", "--theme", "drak"])
        .ended(2, &["no theme `drak`", "colourblind, dark"]);
}

#[test]
fn git_takes_the_patch_of_every_sample() {
    if Command::new("git").arg("--version").output().is_err() {
        return cli_rig::skip("git is not here");
    }
    let home = Home::new();
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-tasks");
    for (sample, _, _) in EMPHASISED {
        for context in ["-U0", "-U3", "-U100"] {
            let patch = home.run(&["diff", sample, "--patch", context]).done();
            let tree = home.path(format!("{sample}{context}"));
            cli_rig::copy(&samples.join(sample).join("base"), &tree);
            cli_rig::copy(&samples.join(sample).join("buggy"), &tree);
            let file = home.write("the.patch", &patch.bytes);
            let mut git = Command::new("git");
            git.current_dir(&tree)
                .args(["apply", "--unidiff-zero"])
                .arg(file)
                .env("GIT_CEILING_DIRECTORIES", home.path(""));
            let applied = git.output().unwrap();
            assert!(
                applied.status.success(),
                "{sample} {context}: {}",
                String::from_utf8_lossy(&applied.stderr)
            );
            let reference = samples.join(sample).join("reference");
            let diff = Command::new("diff").arg("-r").args([&reference, &tree]).output().unwrap();
            let different = String::from_utf8_lossy(&diff.stdout);
            assert!(different.lines().all(|line| line.starts_with("Only in")), "{sample}: {different}");
        }
    }
}

#[test]
fn programs_get_counts_and_patch() {
    let home = Home::new();
    let difference = home.run(&["diff", "rust-busy-slots", "--json"]).done().object("difference");
    assert_eq!(difference["name"], "samples/rust-busy-slots");
    assert_eq!(difference["granularity"], "function");
    assert_eq!((&difference["added"], &difference["removed"]), (&2.into(), &2.into()));
    let file = &difference["files"][0];
    assert_eq!(file["path"], "src/slots.rs");
    assert_eq!(
        (&file["status"], &file["language"], &file["hunks"]),
        (&"modified".into(), &"rust".into(), &2.into())
    );
    let patch = home.run(&["diff", "rust-busy-slots", "--patch"]).done();
    assert_eq!(difference["patch"], patch.out);
}

#[test]
fn two_files_are_compared_like_a_task() {
    let home = Home::new();
    home.write("old.c", "int a;\nint  b;\nint c;\n");
    home.write("new.c", "int a;\nint b;\nint d;\n");
    let ran = home.run(&["diff", "old.c", "new.c"]).done();
    assert!(ran.out.starts_with("old.c → new.c +2 -2\n"), "{}", ran.out);
    for flag in ["-b", "-w"] {
        let ran = home.run(&["diff", "old.c", "new.c", flag]).done();
        assert!(ran.out.starts_with("old.c → new.c +1 -1\n"), "{flag}: {}", ran.out);
        let json = home.run(&["diff", "old.c", "new.c", flag, "--json"]).done().object("difference");
        assert_eq!(json["added"], 1, "{flag}: {json}");
    }
    let patch = home.run(&["diff", "old.c", "new.c", "--patch"]).done();
    assert!(
        patch.out.contains("@@ -1,3 +1,3 @@\n int a;\n-int  b;\n-int c;\n+int b;\n+int d;\n"),
        "{}",
        patch.out
    );
    let ran = home.run(&["diff", "new.c", "new.c"]).done();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "mendbench: new.c and new.c are the same\n"));
    // White space of two kinds: `-b` minds whether there is any.
    home.write("a.txt", "a b\n");
    home.write("b.txt", "ab\n");
    assert!(home.run(&["diff", "a.txt", "b.txt", "-b"]).done().out.contains("+1 -1"));
    assert!(home.run(&["diff", "a.txt", "b.txt", "-w"]).done().out.contains("no difference"));
    home.write("crlf.txt", "a b\r\n");
    assert!(home.run(&["diff", "a.txt", "crlf.txt"]).done().out.contains("+1 -1"));
}

#[test]
fn what_cannot_be_compared_is_told() {
    let home = Home::new();
    home.write("a.c", "int a;\n");
    for (arguments, code, words) in [
        (["a.c", "absent.c"].as_slice(), 2, ["absent.c: cannot be read: No such file"].as_slice()),
        (&["a.c", "."], 2, &[".: a folder", "name two files"]),
        (&["/dev/zero", "a.c"], 2, &["/dev/zero: not a regular file"]),
        (&["a.c"], 2, &["a.c", "name both"]),
        (&[], 2, &["<TASK>"]),
        (&["a.c", "a.c", "--width", "5"], 2, &["--width", "20..=1000"]),
        (&["a.c", "a.c", "--whole", "-U2"], 2, &["--whole", "--context"]),
        (&["a.c", "a.c", "--patch", "-s"], 2, &["--patch", "--side-by-side"]),
        (&["a.c", "a.c", "--patch", "-b"], 2, &["--patch", "--ignore-space-change"]),
        (&["a.c", "a.c", "--in", "a.c"], 2, &["--in"]),
    ] {
        home.run(&[&["diff"], arguments].concat()).ended(code, words);
    }
    let task = home.task("same");
    std::fs::copy(task.join("buggy/src/ring_buffer.c"), task.join("reference/src/ring_buffer.c")).unwrap();
    home.run(&["diff", "same/task"]).ended(0, &["same/c-ring-buffer", "are the same"]);
    let task = home.task("without");
    std::fs::remove_dir_all(task.join("reference")).unwrap();
    for flag in ["--no-pager", "--patch", "-s"] {
        let ran = home
            .run(&["diff", "without/task", flag])
            .ended(1, &["without/c-ring-buffer", "no reference version"]);
        assert_eq!(ran.out, "");
    }
    let json = home.run(&["diff", "without/task", "--json"]).ended(1, &[]).object("difference");
    assert_eq!(json["files"], serde_json::json!([]));
}

/// Versions that were not read are not the same: nobody knows.
#[test]
fn what_was_not_read_is_never_called_the_same() {
    let home = Home::new();
    let task = home.task("large");
    for (tree, letter) in [("buggy", "a"), ("reference", "b")] {
        let whole = std::fs::File::create(task.join(tree).join("big.c")).unwrap();
        whole.set_len(17 << 20).unwrap();
        std::fs::write(task.join(tree).join("small.c"), format!("int {letter};\n")).unwrap();
    }
    std::fs::remove_file(task.join("buggy/src/ring_buffer.c")).unwrap();
    std::fs::remove_file(task.join("reference/src/ring_buffer.c")).unwrap();
    let words = ["large/c-ring-buffer: cannot be compared: big.c is too large"];
    let ran = home.run(&["diff", "large/task"]).ended(1, &words);
    assert!(
        ran.out.starts_with("big.c: cannot be compared: it is too large\n\nsmall.c +1 -1\n"),
        "{}",
        ran.out
    );
    let ran = home.run(&["diff", "large/task", "--patch"]).ended(1, &words);
    assert!(ran.out.contains("+int b;") && !ran.out.contains("big.c"), "{}", ran.out);
    let json = home.run(&["diff", "large/task", "--json"]).ended(1, &[]).object("difference");
    assert_eq!(
        (&json["files"][0]["path"], &json["files"][0]["body"]),
        (&"big.c".into(), &"too-large".into())
    );
    assert_eq!(json["marks"][0]["path"], "buggy/big.c");
    let list = home.run(&["tasks", "list", "large", "--json"]).done().object("task-summary");
    assert_eq!((&list["marks"], &list["granularity"]), (&serde_json::json!(["too-large"]), &"line".into()));

    for name in ["buggy", "reference"] {
        std::fs::remove_file(task.join(name).join("small.c")).unwrap();
    }
    let ran = home.run(&["diff", "large/task"]).ended(1, &words);
    assert!(!ran.err.contains("the same"), "{}", ran.err);
    let ran = home.run(&["diff", "large/task", "--patch"]).ended(1, &words);
    assert_eq!(ran.out, "");

    // A link in place of the whole reference, and of one file of it.
    let task = home.task("linked");
    std::fs::remove_dir_all(task.join("reference")).unwrap();
    std::os::unix::fs::symlink(task.join("buggy"), task.join("reference")).unwrap();
    let ran =
        home.run(&["diff", "linked/task"]).ended(1, &["cannot be compared: reference is a symbolic link"]);
    assert!(!ran.err.contains("no reference"), "{}", ran.err);
    let task = home.task("half");
    let file = task.join("reference/src/ring_buffer.c");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(task.join("buggy/src/ring_buffer.c"), &file).unwrap();
    home.run(&["diff", "half/task"]).ended(1, &["cannot be compared: src/ring_buffer.c is a symbolic link"]);
    let json = home.run(&["diff", "half/task", "--json"]).ended(1, &[]).object("difference");
    assert_eq!((&json["files"][0]["body"], &json["added"]), (&"symlink".into(), &0.into()));
}
