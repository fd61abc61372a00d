//! Sources that are not what they should be: told clearly, the rest usable, nothing harmful on the terminal.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, row, skip};
use flate2::write::GzEncoder;
use std::io::{Seek, Write};
use std::process::Command;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_is_no_dataset_is_refused_with_advice() {
    let home = Home::new();
    home.write("empty.jsonl", "");
    home.write("blank.jsonl", "\n\n  \n");
    home.write("page.html", "<!DOCTYPE html><html></html>");
    home.write("array.json", "[{\"a\": 1}]");
    home.write("other.jsonl", "{\"question\": 1, \"answer\": 2}\n");
    home.write("data.bin", [0, 159, 146, 150].repeat(1000));
    home.write("text.txt", "Hello there\n");
    home.write("tiny.gz", &gzip(row(1, "a").as_bytes())[..5]);
    home.write("notes/readme.txt", "x");
    home.write("data/a.jsonl", row(1, "a"));
    std::fs::create_dir(home.path("hollow")).unwrap();
    for (path, words) in [
        ("empty.jsonl", ["`empty.jsonl`", "an empty file", "completely"]),
        ("blank.jsonl", ["`blank.jsonl`", "blank lines", "completely"]),
        ("page.html", ["`page.html`", "a web page (HTML)", "download the raw file"]),
        ("array.json", ["`array.json`", "one JSON array", "jq -c"]),
        ("other.jsonl", ["`other.jsonl`", "`question`, `answer`", "--format"]),
        ("data.bin", ["`data.bin`", "binary data", "JSON Lines"]),
        ("text.txt", ["`text.txt`", "begins `Hello there`", "JSON Lines"]),
        ("tiny.gz", ["`tiny.gz`", "cannot be unpacked", "Fetch it again"]),
        ("notes", ["`notes`", "without task.toml", "sub-folders hold a task.toml"]),
        ("data", ["`data`", "1 data file", "data/a.jsonl"]),
        ("hollow", ["`hollow`", "an empty folder", "task.toml"]),
        ("/dev/zero", ["`/dev/zero`", "a device", "write its data to a file"]),
        ("/dev/null", ["`/dev/null`", "a device", "write its data to a file"]),
        ("text.txt/x", ["`text.txt/x`", "Not a directory", ""]),
    ] {
        for command in [["tasks", "list"].as_slice(), &["import", "--workspace", "w"], &[]] {
            home.run(&[command, &[path]].concat()).ended(2, &words).harmless();
        }
    }
    assert!(!home.path("w").exists());
}

#[test]
fn a_pipe_is_not_waited_for() {
    let home = Home::new();
    let pipe = home.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return skip("mkfifo is not here");
    }
    home.run(&["tasks", "list", "pipe"]).ended(2, &["`pipe` is a pipe", "write its data to a file"]);
    home.run(&["import", "pipe"]).ended(2, &["`pipe` is a pipe"]);
    home.write("a.c", "int a;\n");
    home.run(&["diff", "a.c", "pipe"]).ended(2, &["pipe: not a regular file"]);
    // Inside a task folder it is one unreadable file.
    let task = home.task("folder");
    Command::new("mkfifo").arg(task.join("buggy/src/queue")).status().unwrap();
    home.run(&["tasks", "list", "folder"]).done();
}

#[test]
fn bad_rows_are_named_and_the_others_are_there() {
    let home = Home::new();
    let good: Vec<String> = (0..3).map(|number| row(number, "a + b")).collect();
    let half = &good[2][..good[2].len() / 2];
    for (name, bytes, tasks, words) in [
        ("half.jsonl", [&good[0], &good[1], half].concat().into_bytes(), 2, ["half.jsonl:3", "half written"]),
        (
            "utf8.jsonl",
            [good[0].as_bytes(), b"{\"_id\": \"\xff\xfe\"}\n", good[1].as_bytes()].concat(),
            2,
            ["utf8.jsonl:2", "not valid UTF-8 at byte 9"],
        ),
        (
            "twice.jsonl",
            [&good[0], &good[1], &good[0]].map(String::as_str).concat().into_bytes(),
            2,
            ["twice.jsonl:3", "a second task named `HumanEval/0#1`; the first is at twice.jsonl:1"],
        ),
        (
            "words.jsonl",
            [&good[0], "no JSON at all\n"].concat().into_bytes(),
            1,
            ["words.jsonl:2", "cannot be read as JSON"],
        ),
        (
            "list.jsonl",
            [&good[0], "[1, 2]\n"].concat().into_bytes(),
            1,
            ["list.jsonl:2", "must be a JSON object"],
        ),
        (
            "other.jsonl",
            [&good[0], "{\"_id\": \"x\", \"false_results\": 3}\n"].concat().into_bytes(),
            1,
            ["other.jsonl:2, key `false_results`", "expected a list"],
        ),
    ] {
        home.write(name, bytes);
        let ran = home.run(&["tasks", "list", name]).ended(0, &words).harmless();
        assert_eq!(ran.out.lines().count(), tasks, "{name}");
        assert!(ran.err.contains("\nmendbench: 1 skipped: 1 "), "{}", ran.err);
        let json = home.run(&["tasks", "list", name, "--json"]).done();
        assert!(json.object("skipped-row")["message"].as_str().unwrap().contains(words[0]));
    }
    let many: String = (0..200).map(|number| row(number, &"x".repeat(number * 7 % 90))).collect();
    let packed = gzip(many.as_bytes());
    home.write("cut.jsonl.gz", &packed[..packed.len() * 2 / 3]);
    let ran = home
        .run(&["tasks", "list", "cut.jsonl.gz"])
        .ended(0, &["1 skipped: 1 damaged", "what came before was read"]);
    assert!(ran.out.lines().count() > 50, "{}", ran.out.lines().count());
    home.run(&["import", "cut.jsonl.gz", "--workspace", "w"])
        .ended(1, &["damaged from here on", "fetch it again"]);
}

#[test]
fn marks_of_a_task_are_seen_in_list_and_difference() {
    let home = Home::new();
    let source = |task: &std::path::Path, tree: &str| task.join(tree).join("src/ring_buffer.c");
    let add = |path: std::path::PathBuf, bytes: &[u8]| {
        std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
    };
    let latin = home.task("latin");
    add(source(&latin, "buggy"), b"/* caf\xe9 */\n");
    let link = home.task("link");
    std::os::unix::fs::symlink("/etc/passwd", link.join("buggy/src/secret.c")).unwrap();
    std::os::unix::fs::symlink("/", link.join("base/root")).unwrap();
    let without = home.task("without");
    std::fs::remove_dir_all(without.join("reference")).unwrap();
    let same = home.task("same");
    std::fs::copy(source(&same, "buggy"), source(&same, "reference")).unwrap();
    let long = home.task("long");
    add(source(&long, "buggy"), &vec![b'x'; 1_000_000]);
    let binary = home.task("binary");
    std::fs::write(binary.join("buggy/table.dat"), [0, 1, 2]).unwrap();
    std::fs::write(binary.join("reference/table.dat"), [0, 1, 3, 4]).unwrap();
    for (folder, mark, code, words) in [
        ("latin", "not-utf8", 0, "caf\u{e9}"),
        // A part of it could not be compared.
        ("link", "symlink", 1, "+1 -1"),
        ("without", "missing-reference", 1, ""),
        ("same", "identical", 0, ""),
        ("long", "long-line", 0, "xxxxxxxx"),
        ("binary", "binary", 0, "table.dat: binary, 3 bytes before, 4 bytes after"),
    ] {
        let list = home.run(&["tasks", "list", folder]).done();
        assert!(list.out.contains(&format!("! {mark}")), "{folder}: {}", list.out);
        let json = home.run(&["tasks", "list", folder, "--json"]).done().object("task-summary");
        assert!(json["marks"].as_array().unwrap().iter().any(|found| found == mark), "{json}");
        let ran = home.run(&["diff", &format!("{folder}/task")]).ended(code, &[mark]);
        assert!(ran.out.contains(words), "{folder}: {:.2000}", ran.out);
        assert!(!ran.out.contains("root:"), "what a link points to is not read");
        home.run(&["diff", &format!("{folder}/task"), "-s", "--color=always"]).ended(code, &[mark]);
        let shown = home.run(&["tasks", "show", &format!("{folder}/task")]).done();
        assert!(shown.out.contains(mark), "{folder}: {}", shown.out);
        home.run(&["tasks", "show", &format!("{folder}/task"), "--json"]).done().object("task");
        home.run(&["import", folder, "--workspace", "w"]).done();
    }
}

#[test]
fn a_task_file_that_is_wrong_names_line_and_key() {
    let home = Home::new();
    let task = home.task("folder");
    let file = task.join("task.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    home.task("folder/fine");
    for (wrong, words) in [
        (format!("langage = \"c\"\n{text}"), ["line 1", "`langage`: unknown key; did you mean `language`?"]),
        (text.replace("file = \"src/", "file = \"../../etc/"), ["line 22", "holds `..`"]),
        (text.replace("file = \"src/", "file = \"/etc/"), ["line 22", "target[1].file"]),
        (format!("{text}\n[[["), ["not TOML", "folder/task/task.toml"]),
        (text.replace("kind = \"repair\"", "kind = \"repare\""), ["`kind`", "repair"]),
        (text.replace("schema = 1", "schema = 2"), ["`schema`", ""]),
    ] {
        std::fs::write(&file, wrong).unwrap();
        let ran =
            home.run(&["tasks", "list", "folder"]).ended(0, &[words[0], words[1], "1 skipped"]).harmless();
        assert_eq!(ran.out.lines().count(), 1, "the other task is there");
        home.run(&["diff", "folder/task"]).ended(2, &[words[0], words[1]]);
        home.run(&["tasks", "show", "nothing", "--in", "folder/task"]).ended(2, &["1 did not become one"]);
    }
}

#[test]
fn what_may_not_be_read_is_told() {
    if rustix::process::geteuid().is_root() {
        return skip("permissions do not hold for root");
    }
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let locked =
        |path: &std::path::Path| std::fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
    locked(&home.rows("set.jsonl", 1));
    home.run(&["tasks", "list", "set.jsonl"]).ended(2, &["`set.jsonl`", "Permission denied", "permissions"]);
    let task = home.task("folder");
    home.task("folder/fine");
    locked(&task);
    let ran = home.run(&["tasks", "list", "folder"]).ended(0, &["folder/task", "cannot be read"]);
    assert_eq!(ran.out.lines().count(), 1);
    std::fs::set_permissions(&task, PermissionsExt::from_mode(0o755)).unwrap();
    locked(&home.path("folder"));
    home.run(&["tasks", "list", "folder"]).ended(2, &["Permission denied"]);
    std::fs::set_permissions(home.path("folder"), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn names_and_contents_cannot_command_the_terminal() {
    let home = Home::new();
    let hostile: String = (0..32)
        .chain(127..160)
        .filter_map(char::from_u32)
        .chain(['\u{202e}', '\u{2066}', '\u{feff}'])
        .collect();
    let name = "new\nmendbench: all is well\x1b[31m\u{202e}.jsonl";
    home.write(name, "x");
    for ran in [
        home.run(&["tasks", "list", name]),
        home.run(&["tasks", "list", "no\nsuch\x1b[2J"]),
        home.run(&["import", name, "--workspace", "w"]),
        home.run(&["tasks", "show", "x\nmendbench: fine\x1b[31m"]),
        home.run(&["diff", name, "absent\x1b[31m"]),
        home.run(&["bundle", "import", name]),
        home.run(&["tasks", "list", "--workspace", name]),
    ] {
        let ran = ran.ended(2, &[]).harmless();
        assert_eq!(
            ran.err.matches("mendbench: ").count()
                - ran.err.matches("mendbench: all is well").count()
                - ran.err.matches("mendbench: fine").count(),
            1,
            "{}",
            ran.err
        );
        assert!(
            ran.err.lines().skip(1).all(|line| line.starts_with("  ")),
            "a name starts no line: {}",
            ran.err
        );
    }
    let old = hostile.replace('\n', "\r");
    home.write("old.py", format!("a\n{old}\nb = '{old}'\n"));
    home.write("new.py", format!("a\n{old}!\nb = '{old}?'\n"));
    for flags in [["--whole"].as_slice(), &["-s"], &["-s", "--width", "20"], &["-w"]] {
        home.run(&[&["diff", "old.py", "new.py"], flags].concat()).done().harmless();
        let ran = home.run(&[&["diff", "old.py", "new.py", "--color=always"], flags].concat()).done();
        let rest: String = ran
            .out
            .split("\x1b[")
            .enumerate()
            .map(|(number, part)| match number {
                0 => part,
                _ => part
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
                    .strip_prefix('m')
                    .unwrap(),
            })
            .collect();
        assert!(!rest.contains(|c: char| c.is_control() && c != '\n'), "{rest:?}");
    }
    // Titles, ids, feedback and texts of a row.
    let row = row(1, &serde_json::to_string(&hostile).unwrap()).replace("model-1", "\\u001b[31m");
    home.write("set.jsonl", row.replace("AssertionError", "\\u001b]0;owned\\u0007\\u202e"));
    home.run(&["tasks", "list", "set.jsonl"]).done().harmless();
    home.run(&["tasks", "show", "HumanEval/1#1", "--in", "set.jsonl"]).done().harmless();
    home.run(&["diff", "HumanEval/1#1", "--in", "set.jsonl"]).done().harmless();
    let json = home.run(&["tasks", "show", "HumanEval/1#1", "--in", "set.jsonl", "--json"]).done();
    assert!(!json.out.trim_end().contains(|c: char| c.is_ascii_control()), "escaped in JSON");
}

#[test]
fn a_link_to_itself_and_deep_folders_end() {
    let home = Home::new();
    let task = home.task("folder");
    std::os::unix::fs::symlink(home.path("folder"), home.path("folder/again")).unwrap();
    let deep: std::path::PathBuf = std::iter::repeat_n("d", 100).collect();
    std::fs::create_dir_all(task.join("base").join(&deep)).unwrap();
    std::fs::write(task.join("base").join(&deep).join("x.c"), "int x;\n").unwrap();
    let ran = home.run(&["tasks", "list", "folder"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    std::os::unix::fs::symlink("loop", home.path("loop")).unwrap();
    home.run(&["tasks", "list", "loop"]).ended(2, &["`loop`"]);
}

/// Slow in a plain build. Run on 2 cores: `cargo test --release --test cli_bad_datasets -- --ignored`.
#[test]
#[ignore = "writes 300 MB"]
fn three_hundred_megabytes_are_read_or_refused() {
    let home = Home::new();
    let path = home.path("large.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let body = "x = 1\\n".repeat(1_000);
    let (mut rows, mut bytes) = (0, 0);
    while bytes < 300 << 20 {
        let row = row(rows, &format!("{rows}")).replacen("def add", &format!("{body}def add"), 1);
        file.write_all(row.as_bytes()).unwrap();
        (rows, bytes) = (rows + 1, bytes + row.len());
    }
    drop(file);
    let ran = home.run(&["tasks", "list", "large.jsonl", "--limit", "1"]).done();
    assert!(ran.err.contains(&format!("{rows} tasks")), "{}", ran.err);
    // A file with holes: one line of zeros.
    let mut hollow = std::fs::File::create(home.path("hollow.jsonl")).unwrap();
    hollow.seek(std::io::SeekFrom::Start(300 << 20)).unwrap();
    hollow.write_all(b"\n").unwrap();
    home.run(&["tasks", "list", "hollow.jsonl"]).ended(2, &["hollow.jsonl"]);
    home.run(&["diff", "hollow.jsonl", "hollow.jsonl"]).ended(2, &["too many to be compared"]);
    let task = home.task("folder");
    std::fs::rename(home.path("hollow.jsonl"), task.join("buggy/large.dat")).unwrap();
    let list = home.run(&["tasks", "list", "folder"]).done();
    assert!(list.out.contains("! too-large"), "{}", list.out);
    home.run(&["diff", "folder/task"]).ended(0, &["too-large"]);
}
