//! Tests of task folders that are written and read back.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::dataset::{Request, read_all};
use crate::task::{Expected, FaultClass, Kind, Repo, Target};
use proptest::prelude::*;
use serde_json::json;

/// Writes a task and reads it again.
fn round_trip(task: &Task) -> Task {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("t");
    write_task_folder(task, &place).unwrap();
    let request = Request { dataset: Some(&task.dataset), ..Request::new(&place) };
    let mut report = read_all(&request).unwrap();
    assert_eq!(report.skipped, []);
    report.tasks.remove(0)
}

fn full() -> Task {
    let mut task = Task::new("d", "HumanEval/0#1");
    task.group = "HumanEval/0".to_owned();
    task.title = "A \"title\" · with é".to_owned();
    task.language = "python".to_owned();
    task.kind = Kind::Edit;
    task.description = "line\r\n\ttab \u{7} \u{2028} '''quotes''' \"\"\" and \\ ends\\\n\n".to_owned();
    task.context = " ".to_owned();
    task.protected = vec!["tests/".to_owned(), "**/x".to_owned()];
    task.sections.issue_title = Some(String::new());
    task.sections.pr_body = Some("\n".to_owned());
    task.targets = vec![
        Target { file: "a.py".to_owned(), function: None },
        Target { file: "b/c.py".to_owned(), function: Some("f".to_owned()) },
    ];
    task.repo = Some(Repo { url: "u".to_owned(), commit: "c".to_owned(), subdir: None });
    task.expected = Expected { answer: Some("42".to_owned()), files: vec!["a.py:f".to_owned()], patch: None };
    task.feature.hints = Some("look".to_owned());
    task.test.build = Some(Command::Shell("make\nit".to_owned()));
    task.test.command = Some(Command::Arguments(Vec::new()));
    task.test.timeout_s = Some(i64::MAX as u64);
    task.provenance.class = Some(FaultClass::Vulnerability);
    task.limits.disk_mb = Some(0);
    task.sandbox.image = Some("py".to_owned());
    for kind in FeedbackKind::ALL {
        task.feedback.insert(kind, format!("{kind}\r\nno end"));
    }
    let meta = json!({
        "table": {"deep": {"x": 1}}, "scalar": 1, "list": [1, "two", [3.5, {"k": "v"}], []], "key with . and \"": true,
        "empty": {}, "tables": [{"a": 1}, {"b": {"c": 2}}], "negative": -0.0, "": "empty key",
    });
    let serde_json::Value::Object(meta) = meta else { panic!("no object") };
    task.meta = meta;
    task.files.base.insert("empty".to_owned(), Content::default());
    task.files.buggy.insert("a/b/c.bin".to_owned(), Content::new(vec![0, 255, 10, 13]));
    task.files.buggy.insert("a.py".to_owned(), Content::from("no end of line"));
    task.files.reference.insert("latin".to_owned(), Content::new(vec![0xe9, b'\n']));
    crate::dataset::marks::examine(&mut task, &Bounds::default());
    task
}

#[test]
fn a_task_comes_back_as_it_was() {
    let task = full();
    let back = round_trip(&task);
    assert_eq!(back, task);
    assert_eq!(back.revision(), task.revision());
    assert_eq!(back.marks.len(), 2, "binary and Latin-1: {:?}", back.marks);
}

#[test]
fn what_cannot_be_kept_is_refused_and_nothing_is_written() {
    type Change = Box<dyn Fn(&mut Task)>;
    let cases: Vec<(&str, Change)> = vec![
        (
            "null",
            Box::new(|task| {
                task.meta.insert("x".to_owned(), json!({"deep": [null]}));
            }),
        ),
        (
            "no form in TOML",
            Box::new(|task| {
                task.meta.insert("x".to_owned(), json!(u64::MAX));
            }),
        ),
        ("`id`", Box::new(|task| task.id = "two\nlines".to_owned())),
        ("`title`", Box::new(|task| task.title.clear())),
        ("`limits.disk_mb`", Box::new(|task| task.limits.disk_mb = Some(u64::MAX))),
        ("target[1].file", Box::new(|task| task.targets[0].file = "../x".to_owned())),
        ("not read completely", Box::new(|task| task.mark(MarkKind::TooLarge, "base/x"))),
        (
            "`..`",
            Box::new(|task| {
                task.files.base.insert("a/../../x".to_owned(), Content::default());
            }),
        ),
        (
            "absolute",
            Box::new(|task| {
                task.files.base.insert("/x".to_owned(), Content::default());
            }),
        ),
        (
            "human feedback",
            Box::new(|task| {
                task.feedback.insert(FeedbackKind::Human, "\0".to_owned());
            }),
        ),
        ("task.toml would have", Box::new(|task| task.description = "x".repeat(5 << 20))),
        (
            "its files are more",
            Box::new(|task| {
                task.files.base.insert("big".to_owned(), Content::new(vec![b'x'; 17 << 20]));
            }),
        ),
        (
            "left out",
            Box::new(|task| {
                task.files.base.insert("a/__pycache__/x".to_owned(), Content::default());
            }),
        ),
        (
            "cannot be a folder too",
            Box::new(|task| {
                task.files.buggy.insert("a.py/x".to_owned(), Content::default());
            }),
        ),
    ];
    for (expected, change) in cases {
        let mut task = full();
        change(&mut task);
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("t");
        let error = write_task_folder(&task, &place).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(!place.exists(), "{expected}");
    }
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("task.toml");
    fs::write(&file, "mine").unwrap();
    assert!(matches!(write_task_folder(&full(), folder.path()), Err(WriteError::Exists(_))));
    assert!(matches!(write_task_folder(&full(), &file), Err(WriteError::Exists(_))));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_text_comes_back(
        description in any::<String>(), context in "[\\r\\n\\t '\"\\\\a]{0,20}", section in any::<Option<String>>(),
        command in prop::collection::vec(any::<String>(), 0..4), feedback in any::<String>(),
        meta in prop::collection::btree_map(any::<String>(), any_json(), 0..4),
        files in prop::collection::btree_map("[a-c]{1,2}(/[d-f]{1,2}){0,2}", prop::collection::vec(any::<u8>(), 0..20), 0..4),
    ) {
        let mut task = Task::new("d", "x");
        task.language = "c".to_owned();
        task.description = description;
        task.context = context;
        task.sections.issue_body = section;
        task.test.command = Some(Command::Arguments(command));
        // A text with a zero byte is not text when it is read from a file.
        task.feedback.insert(FeedbackKind::Human, feedback.replace('\0', ""));
        task.meta = meta.into_iter().collect();
        task.files.buggy = files.iter().map(|(path, bytes)| (path.clone(), Content::new(bytes.clone()))).collect();
        task.files.reference.insert("r".to_owned(), Content::from("r"));
        let conflict = files.keys().any(|path| files.keys().any(|other| other.starts_with(&format!("{path}/"))));
        prop_assume!(!conflict);
        crate::dataset::marks::examine(&mut task, &Bounds::default());
        let back = round_trip(&task);
        prop_assert_eq!(back.revision(), task.revision());
        prop_assert_eq!(back, task);
    }
}
