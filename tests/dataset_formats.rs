//! Files that are damaged, hostile or something else: what is told, and that the rest is read.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]

use mendbench::dataset::{
    Bounds, DatasetError, Fingerprint, Flow, Location, Progress, ReadReport, Request, Sink, Skipped, by_name,
    default_dataset_name, detect, formats, is_dataset_name, read_all, read_into,
};
use mendbench::task::Task;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn row(id: &str) -> String {
    format!(
        r#"{{"_id": "{id}", "false_results": [{{"source": "existing", "generate_code": "def f(): 1"}}]}}"#
    )
}

fn read(path: &Path) -> ReadReport {
    read_all(&Request::new(path)).unwrap()
}

fn ids(report: &ReadReport) -> Vec<&str> {
    report.tasks.iter().map(|task| task.id.as_str()).collect()
}

fn told(report: &ReadReport) -> Vec<String> {
    let text = |skipped: &Skipped| {
        let text = skipped.to_string();
        text.split_once("rows.jsonl").map_or(text.clone(), |(_, rest)| rest.to_owned())
    };
    report.skipped.iter().map(text).collect()
}

#[test]
fn every_bad_row_is_told_and_every_good_one_read() {
    let place = Place::new();
    let mut text = b"\xef\xbb\xbf".to_vec();
    let (a, c) = (row("a"), row("c"));
    let lines: [&[u8]; 11] = [
        a.as_bytes(),
        b"",
        b"  \t ",
        b"{\"_id\": \"caf\xe9\", \"false_results\": []}",
        b"[1, 2]",
        b"{\"_id\": \"b\", }",
        c.as_bytes(),
        b"\"text\"",
        b"{\"_id\": \"d\", \"_id\": \"e\"}",
        a.as_bytes(),
        b"{\"_id\": \"f\", \"false_res",
    ];
    text.extend(lines.join(b"\r\n".as_slice()));
    let report = read(&place.put("rows.jsonl", text));
    assert_eq!(ids(&report), ["a#1", "c#1"]);
    let told = told(&report);
    assert_eq!(told.len(), 7, "{told:?}");
    assert!(told[0].starts_with(":4: not valid UTF-8 at byte 12 of the line"), "{}", told[0]);
    assert_eq!(told[1], ":5: a row must be a JSON object, this is a list");
    assert!(told[2].starts_with(":6:14: cannot be read as JSON: "), "{}", told[2]);
    assert_eq!(told[3], ":8: a row must be a JSON object, this is a string");
    assert!(told[4].starts_with(":9:") && told[4].contains("`_id` stands twice"), "{}", told[4]);
    assert!(
        told[5].starts_with(":10, instance 1: a second task named `a#1`; the first is at "),
        "{}",
        told[5]
    );
    assert!(told[5].ends_with("rows.jsonl:1, instance 1"), "{}", told[5]);
    assert!(told[6].starts_with(":11:") && told[6].contains(": half written"), "{}", told[6]);
    assert_eq!(report.summary.rows, 9);
    assert_eq!(report.summary.skipped["not-utf8"], 1);
    assert_eq!(report.summary.skipped_total(), 7);
}

#[test]
fn a_row_that_ends_early_is_half_written_only_at_the_end_of_the_file() {
    let place = Place::new();
    let half = &row("b")[..40];
    let report = read(&place.put("rows.jsonl", format!("{}\n{half}\n{}\n{half}", row("a"), row("c"))));
    let kinds: Vec<&str> = report.skipped.iter().map(|skipped| skipped.why.kind()).collect();
    assert_eq!(kinds, ["not-json", "half-written"]);
    assert_eq!(report.skipped[1].at.line, Some(4));
    assert_eq!(report.skipped[1].at.column, Some(40));
}

#[test]
fn long_rows_large_rows_and_bombs_are_bounded() {
    let place = Place::new();
    let long = format!("{{\"_id\": \"{}\"}}", "x".repeat(5_000));
    let large = format!("{{\"_id\": \"b\", \"x\": [{}1]}}", "1,".repeat(900));
    let text = format!("{}\n{long}\n{large}\n{}\n", row("a"), row("c"));
    let bounds = Bounds { line_bytes: 4_000, json_values: 500, ..Bounds::default() };
    for (name, bytes) in [("rows.jsonl", text.clone().into_bytes()), ("rows.jsonl.gz", gzip(text.as_bytes()))]
    {
        let path = place.put(name, bytes);
        let report = read_all(&Request { bounds, ..Request::new(&path) }).unwrap();
        assert_eq!(ids(&report), ["a#1", "c#1"], "{name}");
        let kinds: Vec<&str> = report.skipped.iter().map(|skipped| skipped.why.kind()).collect();
        assert_eq!(kinds, ["line-too-long", "too-many-values"], "{name}");
    }

    let mut bomb = format!("{}\n", row("a")).into_bytes();
    bomb.extend(vec![b' '; 3_000_000]);
    let path = place.put("bomb.gz", gzip(&bomb));
    let bounds = Bounds { unpacked_bytes: 1_000_000, line_bytes: 10_000, ..Bounds::default() };
    let report = read_all(&Request { bounds, ..Request::new(&path) }).unwrap();
    assert_eq!(ids(&report), ["a#1"]);
    assert_eq!(report.skipped[0].why.kind(), "too-much-data");
    assert_eq!(report.skipped[0].at.line, Some(2));
}

#[test]
fn a_packed_file_that_breaks_off_gives_what_came_before() {
    let place = Place::new();
    let text: String =
        (0..5_000).map(|n| format!("{}\n", row(&format!("{n}-{}", n * 7_919 % 10_007)))).collect();
    let packed = gzip(text.as_bytes());
    let path = place.put("rows.jsonl", &packed[..packed.len() / 2]);
    let report = read(&path);
    assert!(report.tasks.len() > 1_000, "{}", report.tasks.len());
    let last = report.skipped.last().unwrap();
    assert_eq!(last.why.kind(), "damaged");
    assert!(last.to_string().contains("what came before was read"), "{last}");
    assert_eq!(report.summary.file.as_ref().unwrap().bytes, packed.len() as u64 / 2);
}

#[test]
fn the_hash_is_the_one_of_the_file() {
    let place = Place::new();
    let path = place.put("rows.jsonl", format!("{}\n", row("a")));
    let output = std::process::Command::new("sha256sum").arg(&path).output().unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert_eq!(read(&path).summary.file.unwrap().sha256, expected[..64]);
}

#[test]
fn what_is_not_a_dataset_says_what_it_is_and_what_to_do() {
    let place = Place::new();
    let elf = b"\x7fELF\x02\x01\x01\0\0\0".as_slice();
    let mut tar = vec![b'x'; 512];
    tar[257..262].copy_from_slice(b"ustar");
    let table: Vec<(&[u8], &str, &str)> = vec![
        (b"", "an empty file", "written or downloaded"),
        (b"\n \n", "a file of blank lines", "downloaded"),
        (elf, "a program", "JSON Lines"),
        (b"ab\0\0cd", "binary data", "JSON Lines"),
        (b"[\n{\"_id\": 1}\n]", "one JSON array", "jq -c"),
        (b"  <!DOCTYPE HTML><p>", "a web page (HTML)", "raw file"),
        (b"PK\x03\x04zip", "a zip archive", "Unpack"),
        (&tar, "a tar archive", "Unpack"),
        (b"\xff\xfe{\0", "UTF-16 text", "UTF-8"),
        (b"SQLite format 3\0", "an SQLite database", "`.mendbench`"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer to a file in Git LFS", "git lfs pull"),
        (b"{\n  \"a\": 1\n}\n", "JSON spread over several lines", "jq -c ."),
        (b"{\"a\": 1, \"b\": 2}\n", "JSON with the keys `a`, `b`", "--format"),
        (b"{\"_id\": 1, \"fixed_results\": []}\n", "results of FeedbackEval", "together with runs"),
        (b"{\"instance_id\": 1, \"model_patch\": \"\"}\n", "predictions of a model", "with runs"),
        (b"{broken\n", "a file whose first line is damaged JSON: `{broken`", "--format"),
        (b"schema = 1\nid = \"x\"\n", "a task.toml", "folder that holds it"),
        (b"hello \x1b[31m\n", "text that begins `hello", "JSON Lines"),
        (&[0x1f, 0x8b, 8, 0, 1], "a gzip file that cannot be unpacked", "again"),
    ];
    for (bytes, what, next) in table {
        let path = place.put("thing", bytes);
        let Err(error) = detect(&path) else { panic!("{what} was recognised") };
        let text = error.to_string();
        for part in [what, next, "thing", "Looked for: ", "`feedbackeval`", "`task-folder`"] {
            assert!(text.contains(part), "{part:?} is missing in: {text}");
        }
    }
}

#[test]
fn a_format_can_be_chosen_and_a_wrong_name_is_helped() {
    let place = Place::new();
    // Nothing in the first lines tells the format.
    let path = place.put("rows.jsonl", format!("{{broken\n{}\n", row("a")));
    assert!(read_all(&Request { format: Some("feedbackeval"), ..Request::new(&path) }).is_ok());
    let error = by_name("feedbakeval").err().unwrap().to_string();
    assert!(error.contains("did you mean `feedbackeval`?") && error.contains("`task-folder`"), "{error}");
    let error = by_name("zip").err().unwrap().to_string();
    assert!(!error.contains("did you mean"), "{error}");
    let error =
        read_all(&Request { format: Some("feedbackeval"), ..Request::new(place.0.path()) }).unwrap_err();
    assert!(error.to_string().contains("reads a file of JSON Lines, and"), "{error}");
    for format in formats() {
        assert_eq!(by_name(format.name()).unwrap().name(), format.name());
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let place = Place::new();
    place.put("HumanEval.jsonl", "");
    let error = detect(&place.0.path().join("HumanEvall.jsonl")).err().unwrap();
    assert!(matches!(error, DatasetError::NotFound { .. }));
    assert!(error.to_string().contains("did you mean `HumanEval.jsonl`?"), "{error}");
    let error = detect(&place.0.path().join("qqq")).err().unwrap().to_string();
    assert!(error.contains("check the spelling"), "{error}");
    let error = detect(&place.0.path().join("HumanEval.jsonl/x")).err().unwrap();
    assert!(matches!(error, DatasetError::Unreadable { .. }), "{error}");

    let pipe = place.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for error in [
        detect(&pipe).err().unwrap(),
        read_all(&Request { format: Some("feedbackeval"), ..Request::new(&pipe) }).unwrap_err(),
        detect(Path::new("/dev/zero")).err().unwrap(),
    ] {
        assert!(matches!(error, DatasetError::Special { .. }), "{error}");
    }

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = place.put("closed", row("a"));
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
        if std::fs::File::open(&closed).is_ok() {
            writeln!(std::io::stderr(), "skipped in part: this user may read every file").unwrap();
            return;
        }
        let error = detect(&closed).err().unwrap().to_string();
        assert!(error.contains("Permission denied") && error.contains("closed"), "{error}");
    }
}

#[test]
fn names_of_datasets_are_safe() {
    let table = [
        ("data/HumanEval_feedback.jsonl.gz", "HumanEval_feedback"),
        ("rows.json", "rows"),
        ("/a/b/my tasks", "my-tasks"),
        ("..hidden.ndjson", "hidden"),
        ("\u{1b}[31m.jsonl", "31m"),
        ("/", "dataset"),
        ("-.gz", "dataset"),
        ("été", "été"),
    ];
    for (path, expected) in table {
        let name = default_dataset_name(Path::new(path));
        assert_eq!(name, expected, "{path}");
        assert!(is_dataset_name(&name));
    }
    let place = Place::new();
    let path = place.put("rows.jsonl", row("a"));
    for name in ["", "a/b", "a b", "-x", "a\n"] {
        let error = read_all(&Request { dataset: Some(name), ..Request::new(&path) }).unwrap_err();
        assert!(matches!(error, DatasetError::BadDatasetName(_)), "{name:?}: {error}");
    }
    assert_eq!(
        read_all(&Request { dataset: Some("mine"), ..Request::new(&path) }).unwrap().tasks[0].dataset,
        "mine"
    );
}

/// Stops at the first progress, and notes what it was told.
#[derive(Default)]
struct First {
    tasks: usize,
    progress: Vec<Progress>,
    finished: Option<Fingerprint>,
    stop_after: u64,
}

impl Sink for First {
    fn task(&mut self, _: Task, _: Location) -> Flow {
        self.tasks += 1;
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, _: Skipped) -> Flow {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) -> Flow {
        self.progress.push(progress);
        if progress.rows == self.stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn finished(&mut self, fingerprint: Fingerprint) {
        self.finished = Some(fingerprint);
    }
}

#[test]
fn progress_is_told_and_can_stop_the_reading() {
    let place = Place::new();
    let text: String = (0..5).map(|n| format!("{}\n", row(&n.to_string()))).collect();
    let path = place.put("rows.jsonl", &text);
    let mut first = First { stop_after: 2, ..First::default() };
    let summary = read_into(&Request::new(&path), &mut first).unwrap();
    assert_eq!((first.tasks, summary.rows, summary.stopped), (2, 2, true));
    assert_eq!(first.finished, None);
    let mut all = First::default();
    let summary = read_into(&Request::new(&path), &mut all).unwrap();
    assert_eq!((all.tasks, summary.rows, summary.stopped), (5, 5, false));
    assert_eq!(all.progress.last().unwrap().bytes, text.len() as u64);
    assert_eq!(all.finished, summary.file);
}

#[test]
fn many_bad_rows_are_all_counted() {
    let place = Place::new();
    let mut text = format!("{}\n", row("a"));
    text.push_str(&"[]\n".repeat(500));
    let path = place.put("rows.jsonl", text);
    let bounds = Bounds { skipped_kept: 100, ..Bounds::default() };
    let report = read_all(&Request { bounds, ..Request::new(&path) }).unwrap();
    assert_eq!((report.skipped.len(), report.summary.skipped_total()), (100, 500));
}
