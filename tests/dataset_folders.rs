//! Folders of task folders as people and strangers leave them: every problem said, the rest usable.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use mendbench::dataset::{
    Bounds, DatasetError, ReadReport, Request, SkipReason, detect, read_all, sample_tasks,
};
use mendbench::task::{Kind, MarkKind, Task};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const HEAD: &str = "schema = 1\nid = \"ID\"\ntitle = \"A\"\nkind = \"repair\"\nlanguage = \"c\"\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A task with a buggy and a reference file.
    fn task(&self, folder: &str, more: &str) {
        self.put(&format!("{folder}/task.toml"), format!("{}{more}", HEAD.replace("ID", folder)));
        self.put(&format!("{folder}/buggy/a.c"), "int a = 1;\n");
        self.put(&format!("{folder}/reference/a.c"), "int a = 2;\n");
    }

    fn read(&self) -> ReadReport {
        read_all(&Request::new(self.0.path())).unwrap()
    }

    /// The only task of the folder.
    fn one(&self) -> Task {
        let mut report = self.read();
        assert_eq!(report.skipped, []);
        assert_eq!(report.tasks.len(), 1);
        report.tasks.remove(0)
    }
}

fn marks(task: &Task) -> Vec<(MarkKind, &str)> {
    task.marks.iter().map(|mark| (mark.kind, mark.detail.as_str())).collect()
}

fn ids(report: &ReadReport) -> Vec<&str> {
    report.tasks.iter().map(|task| task.id.as_str()).collect()
}

#[test]
fn a_folder_of_tasks_is_read_in_order_also_when_nested() {
    let place = Place::new();
    for folder in ["b", "a", "more/c", "more/deep/d"] {
        place.task(folder, "");
    }
    place.put("README.md", "about");
    place.put("notes/x.txt", "no task");
    place.task(".hidden", "");
    let report = place.read();
    assert_eq!(ids(&report), ["a", "b", "more/c", "more/deep/d"]);
    assert_eq!((report.summary.rows, report.summary.tasks, report.summary.format), (4, 4, "task-folder"));
    assert_eq!(report.skipped, []);
    assert_eq!(report.tasks[0].marks, []);
}

#[test]
fn a_task_inside_a_task_is_part_of_it() {
    let place = Place::new();
    place.task("a", "");
    place.put("a/base/inner/task.toml", "not read");
    assert_eq!(ids(&place.read()), ["a"]);
    assert!(place.read().tasks[0].files.base.contains_key("inner/task.toml"));
}

#[test]
fn one_task_folder_takes_its_name_from_the_folder_it_is_in() {
    let place = Place::new();
    place.task("mine/a", "");
    let report = read_all(&Request::new(&place.path("mine/a"))).unwrap();
    assert_eq!(report.tasks[0].name().to_string(), "mine/mine/a");
    assert_eq!(read_all(&Request::new(&place.path("mine"))).unwrap().tasks, report.tasks);
}

#[test]
fn all_problems_of_all_files_are_told_and_the_rest_is_read() {
    let place = Place::new();
    place.task("good", "");
    place.task("bad-1", "desciption = \"x\"\n[[target]]\nfile = \"../x\"\n");
    place.put("bad-2/task.toml", "schema = 1\nid = \"x\n");
    place.put("bad-3/task.toml", b"schema = 1\nid = \"caf\xe9\"\n");
    place.put("bad-4/task.toml", "schema = 9\n");
    place.task("bad-5", "[feedback]\nhuman = \"no.txt\"\ntest = \"buggy\"\nminimal = \"a.txt\"\n");
    symlink("/etc/hostname", place.path("bad-5/a.txt")).unwrap();
    place.task("bad-6", "");
    place.put("bad-6/refrence/a.c", "");
    fs::create_dir_all(place.path("bad-7/task.toml")).unwrap();
    let report = place.read();
    assert_eq!(ids(&report), ["good"]);
    assert_eq!(report.summary.rows, 8);
    let told: Vec<String> = report
        .skipped
        .iter()
        .map(|skipped| skipped.to_string().replace(&format!("{}/", place.0.path().display()), ""))
        .collect();
    assert_eq!(
        told[0],
        "bad-1/task.toml: 2 problems\n  line 6, column 1: `desciption`: unknown key; did you mean `description`?\n  \
         line 8, column 8: `target[1].file`: `../x`: the path holds `..`, which would leave the task's tree"
    );
    assert!(told[1].starts_with("bad-2/task.toml: line 2, column "), "{}", told[1]);
    assert!(told[2].starts_with("bad-3/task.toml:2: not valid UTF-8 at byte 9 of the line"), "{}", told[2]);
    assert!(told[3].contains("made for a newer mendbench"), "{}", told[3]);
    assert!(told[4].contains("`feedback.human`: `no.txt`: there is no such file"), "{}", told[4]);
    assert!(told[4].contains("`feedback.test`: `buggy`: `buggy` is a folder"), "{}", told[4]);
    assert!(told[4].contains("`feedback.minimal`: `a.txt`: `a.txt` is a symbolic link"), "{}", told[4]);
    assert!(
        told[5].contains("the folder `refrence/` is not read; did you mean `reference/`?"),
        "{}",
        told[5]
    );
    assert!(told[6].contains("it is a folder"), "{}", told[6]);
    assert_eq!(report.summary.skipped_total(), 7);
}

#[test]
fn links_are_marked_and_never_followed() {
    let place = Place::new();
    let outside = Place::new();
    outside.put("secret/s.txt", "secret");
    place.task("a", "");
    symlink(outside.path("secret/s.txt"), place.path("a/buggy/link.c")).unwrap();
    symlink(outside.path("secret"), place.path("a/buggy/folder")).unwrap();
    symlink(outside.path("secret"), place.path("a/base")).unwrap();
    symlink("nowhere", place.path("a/reference/broken")).unwrap();
    symlink("a.c", place.path("a/reference/inside")).unwrap();
    symlink(".", place.path("a/reference/loop")).unwrap();
    let report = place.read();
    let task = &report.tasks[0];
    let kinds: Vec<MarkKind> = task.marks.iter().map(|mark| mark.kind).collect();
    assert_eq!(kinds, [MarkKind::Symlink; 6], "{:?}", task.marks);
    assert!(task.marks[0].detail.starts_with("base is a symbolic link to /"), "{:?}", task.marks);
    assert_eq!(task.files.base.len() + task.files.buggy.len() + task.files.reference.len(), 2);

    // A linked task folder, and a linked task.toml.
    symlink(place.path("a"), place.path("b")).unwrap();
    fs::create_dir(place.path("c")).unwrap();
    symlink(place.path("a/task.toml"), place.path("c/task.toml")).unwrap();
    let report = place.read();
    assert_eq!(ids(&report), ["a"]);
    assert!(report.skipped.iter().all(|skipped| skipped.why == SkipReason::Symlink), "{:?}", report.skipped);
    assert_eq!(report.skipped.len(), 2);
}

#[test]
fn pipes_and_unreadable_files_are_marked_and_not_opened() {
    let place = Place::new();
    place.task("a", "");
    let status = std::process::Command::new("mkfifo").arg(place.path("a/buggy/pipe")).status().unwrap();
    assert!(status.success());
    place.put("a/base/closed", "x");
    fs::set_permissions(place.path("a/base/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let closed = fs::File::open(place.path("a/base/closed")).is_err();
    let task = place.one();
    let found = marks(&task);
    assert!(found.contains(&(MarkKind::Unreadable, "buggy/pipe is a pipe, not opened")), "{found:?}");
    if closed {
        assert!(
            found.iter().any(|(_, detail)| detail.starts_with("base/closed cannot be read: ")),
            "{found:?}"
        );
    } else {
        writeln!(std::io::stderr(), "skipped in part: this user may read every file").unwrap();
    }
    assert!(!task.files.buggy.contains_key("pipe"));
}

#[test]
fn contents_are_marked() {
    let place = Place::new();
    place.task("a", "");
    place.put("a/base/image.png", b"\x89PNG\0\0");
    place.put("a/base/latin.c", b"/* caf\xe9 */\n");
    place.put("a/base/min.js", "x".repeat(1_000_000));
    place.put("a/base/empty", "");
    place.put("a/base/__pycache__/x.pyc", "litter");
    place.put("a/base/.git/config", "litter");
    let task = place.one();
    assert_eq!(
        marks(&task),
        [
            (MarkKind::Binary, "base/image.png is not text"),
            (MarkKind::NotUtf8, "base/latin.c is not UTF-8 and is shown as Latin-1"),
            (MarkKind::LongLine, "base/min.js has a line of 1000000 bytes and is shown without colours"),
        ]
    );
    assert_eq!(task.files.base["latin.c"].bytes(), b"/* caf\xe9 */\n");
    assert_eq!(task.files.base.len(), 4);
}

#[test]
fn a_missing_or_equal_reference_and_an_unfetched_tree_are_marked() {
    let place = Place::new();
    place.task("equal", "");
    place.put("equal/reference/a.c", "int a = 1;\n");
    place.task("none", "");
    fs::remove_dir_all(place.path("none/reference")).unwrap();
    let repository = "[repo]\nurl = \"https://example.org/r\"\ncommit = \"c0ffee\"\n";
    place.put(
        "repo/task.toml",
        format!("{}{repository}[expected]\npatch = \"diff\"\n", HEAD.replace("ID", "r")),
    );
    let question = HEAD.replace("ID", "q").replace("repair", "question");
    place.put("question/task.toml", format!("{question}[expected]\nanswer = \"42\"\n"));
    let report = place.read();
    let kinds: Vec<(&str, Vec<MarkKind>)> = report
        .tasks
        .iter()
        .map(|task| (task.id.as_str(), task.marks.iter().map(|mark| mark.kind).collect()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("equal", vec![MarkKind::Identical]),
            ("none", vec![MarkKind::MissingReference]),
            ("q", vec![]),
            ("r", vec![MarkKind::NotMaterialised]),
        ]
    );
    assert_eq!(report.tasks[2].kind, Kind::Question);
}

#[test]
fn bounds_hold() {
    let place = Place::new();
    place.task("deep", "");
    place.put("deep/base/1/2/3/4/x", "");
    place.task("large", "");
    place.put("large/base/x", vec![b'x'; 3000]);
    place.task("many", "");
    for n in 0..20 {
        place.put(&format!("many/base/{n}"), "");
    }
    place.task("much", "");
    for n in 0..6 {
        place.put(&format!("much/base/{n}"), vec![b'x'; 1000]);
    }
    let bounds = Bounds { depth: 3, file_bytes: 2000, files: 10, task_bytes: 5000, ..Bounds::default() };
    let report = read_all(&Request { bounds, ..Request::new(place.0.path()) }).unwrap();
    assert_eq!(ids(&report), ["large"]);
    let mark = &report.tasks[0].marks[0];
    assert_eq!(mark.kind, MarkKind::TooLarge);
    assert!(
        mark.detail.starts_with("base/x has 3000 bytes, more than the 2000 that are kept"),
        "{}",
        mark.detail
    );
    assert!(report.tasks[0].files.base["x"].is_empty());
    let why: Vec<String> = report.skipped.iter().map(|skipped| skipped.why.to_string()).collect();
    assert_eq!(
        why,
        [
            "folders more than 3 deep, at 1/2/3/4",
            "more than 10 files in one task",
            "more than 5000 bytes in one task"
        ]
    );
}

#[test]
fn a_second_task_of_the_same_id_is_told_with_both_places() {
    let place = Place::new();
    place.task("a", "");
    place.task("b", "");
    place.put("b/task.toml", HEAD.replace("ID", "a"));
    let report = place.read();
    assert_eq!(ids(&report), ["a"]);
    let text = report.skipped[0].to_string();
    assert!(text.starts_with(&place.path("b").display().to_string()), "{text}");
    assert!(text.ends_with(&format!("the first is at {}", place.path("a").display())), "{text}");
}

#[test]
fn names_that_no_tree_may_hold_are_marked() {
    let place = Place::new();
    place.task("a", "");
    place.put("a/base/two\nlines", "");
    place.put("a/base/C:x", "");
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.c");
    fs::write(place.path("a/base").join(name), "").unwrap();
    let task = place.one();
    let kinds: Vec<MarkKind> = task.marks.iter().map(|mark| mark.kind).collect();
    assert_eq!(kinds, [MarkKind::UnsafePath, MarkKind::Unreadable, MarkKind::UnsafePath], "{:?}", task.marks);
    assert!(task.files.base.is_empty());
}

#[test]
fn what_is_no_folder_of_tasks_says_what_it_is() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).unwrap();
    place.put("other/a.txt", "");
    place.put("data/rows.jsonl.gz", "");
    let message = |folder: &str| detect(&place.path(folder)).err().unwrap().to_string();
    assert!(message("empty").contains("it is an empty folder"), "{}", message("empty"));
    assert!(message("other").contains("with `a.txt`"), "{}", message("other"));
    assert!(message("data").contains("Open one of its files, for instance"), "{}", message("data"));
    let forced = Request { format: Some("task-folder"), ..Request::new(Path::new("/")) };
    let other = place.path("other");
    let error = read_all(&Request { path: &other, ..forced }).unwrap_err();
    assert!(matches!(error, DatasetError::Unrecognised { .. }), "{error}");
    let file = place.path("other/a.txt");
    let error = read_all(&Request { path: &file, ..forced }).unwrap_err();
    assert!(error.to_string().contains("reads folders, and"), "{error}");
}

#[test]
fn the_embedded_samples_are_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-tasks");
    let embedded = sample_tasks();
    assert_eq!(embedded.skipped, []);
    let request = Request { dataset: Some("samples"), ..Request::new(&folder) };
    let read = read_all(&request).unwrap();
    assert_eq!(embedded.tasks, read.tasks);
    assert_eq!(embedded.summary.tasks, read.summary.tasks);
    assert!(embedded.tasks.iter().all(|task| task.dataset == "samples" && task.marks.is_empty()));
}
