//! Tests of the reader for FeedbackEval rows.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::dataset::{ReadReport, Request, SkipReason, read_all};
use crate::task::{FeedbackKind, MarkKind, Task};
use serde_json::{Value, json};

/// Reads rows out of a file of their own.
fn read_text(text: &str) -> ReadReport {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    std::fs::write(&path, text).unwrap();
    read_all(&Request { format: Some(NAME), ..Request::new(&path) }).unwrap()
}

fn read_row(row: &Value) -> ReadReport {
    read_text(&format!("{row}\n"))
}

fn only_task(row: &Value) -> Task {
    let mut report = read_row(row);
    assert_eq!(report.skipped, [], "{row}");
    assert_eq!(report.tasks.len(), 1);
    report.tasks.remove(0)
}

fn faulty() -> Value {
    json!({"source": "rule_based", "generate_code": "def f(x):\n    return 1\n"})
}

#[test]
fn every_generation_of_names_is_read() {
    let table = [
        ("task_id", "human_feedback", "skilled", FeedbackKind::LlmSkilled),
        ("_id", "llm_feedback", "skilled", FeedbackKind::LlmSkilled),
        ("_id", "llm_skilled_feedback", "skilled", FeedbackKind::LlmSkilled),
        ("instance_id", "llm_gt_feedback", "expert", FeedbackKind::LlmExpert),
        ("task_id", "llm_expert_feedback", "expert", FeedbackKind::LlmExpert),
        ("task_id", "simple_feedback", "wrong", FeedbackKind::Minimal),
        ("task_id", "minimal_feedback", "wrong", FeedbackKind::Minimal),
        ("task_id", "test_feedback", "E   NameError: x", FeedbackKind::Test),
    ];
    for (id, key, text, kind) in table {
        let mut instance = faulty();
        instance[key] = json!(text);
        let task = only_task(&json!({id: "HumanEval/7", "false_results": [instance]}));
        assert_eq!(task.id, "HumanEval/7#1", "{id} {key}");
        assert_eq!(task.group, "HumanEval/7");
        assert_eq!(task.feedback.get(&kind).map(String::as_str), Some(text), "{key}");
        assert_eq!(task.feedback.len(), 1);
        assert_eq!(task.meta.keys().filter(|name| *name == key).count(), 0, "{key} is kept twice");
    }
}

#[test]
fn compiler_feedback_is_joined_and_an_empty_list_is_none() {
    let table = [
        (json!(["one", "two"]), Some("one\ntwo")),
        (json!("text"), Some("text")),
        (json!([]), None),
        (json!([""]), None),
        (json!(null), None),
    ];
    for (value, expected) in table {
        let mut instance = faulty();
        instance["compiler_feedback"] = value;
        let task = only_task(&json!({"_id": "a", "false_results": [instance]}));
        assert_eq!(task.feedback.get(&FeedbackKind::Compiler).map(String::as_str), expected);
    }
}

#[test]
fn a_bad_instance_does_not_take_the_others_along() {
    let mut wrong = faulty();
    wrong["compiler_feedback"] = json!(["ok", 3]);
    let report = read_row(&json!({"_id": "a", "false_results": [
        faulty(), wrong, 5, {"source": "x"}, {"generate_code": "  "}, {"generate_code": 1}, faulty()
    ]}));
    let ids: Vec<&str> = report.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["a#1", "a#7"]);
    let seen: Vec<(Option<u32>, &str, &str)> = report
        .skipped
        .iter()
        .map(|skipped| {
            assert_eq!(skipped.at.line, Some(1));
            (skipped.at.instance, skipped.at.key.as_deref().unwrap(), skipped.why.kind())
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Some(2), "false_results[1].compiler_feedback[1]", "wrong-type"),
            (Some(3), "false_results[2]", "wrong-type"),
            (Some(4), "false_results[3].generate_code", "missing-key"),
            (Some(5), "false_results[4].generate_code", "bad-value"),
            (Some(6), "false_results[5].generate_code", "wrong-type"),
        ]
    );
    let text = report.skipped[0].to_string();
    assert!(text.ends_with(
        "rows.jsonl:1, instance 2, key `false_results[1].compiler_feedback[1]`: expected a list of strings, found a number"
    ), "{text}");
}

#[test]
fn a_bad_row_says_which_key() {
    let table = [
        (json!({"false_results": [faulty()]}), "task_id", "missing-key"),
        (json!({"_id": " ", "false_results": [faulty()]}), "_id", "bad-value"),
        (json!({"_id": "a\nb", "false_results": [faulty()]}), "_id", "bad-value"),
        (json!({"_id": 7, "false_results": [faulty()]}), "_id", "wrong-type"),
        (json!({"_id": "a"}), "false_results", "missing-key"),
        (json!({"_id": "a", "false_results": []}), "false_results", "empty"),
        (json!({"_id": "a", "false_results": "x"}), "false_results", "wrong-type"),
        (json!({"_id": "a", "false_results": [faulty()], "correct_code": []}), "correct_code", "wrong-type"),
        (
            json!({"_id": "a", "false_results": [faulty()], "level": "x", "docstring": 1}),
            "docstring",
            "wrong-type",
        ),
        (json!({"_id": "a", "repair_results": []}), "repair_results", "other-kind"),
        (json!({"_id": "a", "fixed_results": [], "test": ""}), "fixed_results", "other-kind"),
        (
            json!({"instance_id": "a", "file_path": "../../etc/passwd", "false_results": [faulty()]}),
            "file_path",
            "bad-value",
        ),
    ];
    for (row, key, kind) in table {
        let report = read_row(&row);
        assert_eq!(report.tasks, [], "{row}");
        assert_eq!(report.skipped.len(), 1, "{row}");
        let skipped = &report.skipped[0];
        assert_eq!((skipped.at.key.as_deref(), skipped.why.kind()), (Some(key), kind), "{row}");
    }
}

#[test]
fn a_second_row_of_the_same_id_names_both_places() {
    let row = json!({"_id": "a", "false_results": [faulty()]});
    let report = read_text(&format!("{row}\n\n{row}\n"));
    assert_eq!(report.tasks.len(), 1);
    let SkipReason::DuplicateId { id, first } = &report.skipped[0].why else {
        panic!("{:?}", report.skipped)
    };
    assert_eq!((id.as_str(), first.line, first.instance), ("a#1", Some(1), Some(1)));
    assert_eq!(report.skipped[0].at.line, Some(3));
    assert_eq!((report.summary.rows, report.summary.tasks), (2, 1));
}

#[test]
fn extra_keys_are_kept_within_bounds() {
    let mut instance = faulty();
    instance["mutator"] = json!("AOR");
    instance["note"] = json!(["instance"]);
    let row = json!({
        "_id": "a", "false_results": [instance], "note": {"n": 1}, "nothing": null,
        "nested": [null, 1], "large": u64::MAX, "book": "x".repeat(1_100_000),
    });
    let task = only_task(&row);
    let expected = json!({
        "note": {"n": 1}, "nested": "[null,1]", "large": u64::MAX.to_string(), "left_out": ["book"],
        "mutator": "AOR", "note_of_instance": ["instance"],
    });
    assert_eq!(Value::Object(task.meta), expected);
}

#[test]
fn a_human_eval_row_has_runnable_tests() {
    let row = json!({
        "task_id": "HumanEval/3", "test": "def check(candidate):\n    assert candidate(1) == 2\n\ncheck(inc)",
        "correct_code": "def inc(x):\n    \"\"\" Adds one.\n    >>> inc(1)\n    2\n    \"\"\"\n    return x + 1",
        "false_results": [{
            "source": "llm-based", "generate_code": "def inc(x):\n    return x - 1\r\n",
            "test_feedback": "E   assert 0 == 2\n",
        }],
    });
    let task = only_task(&row);
    assert_eq!(task.title, "inc · AssertionError");
    assert_eq!(task.title_without_findings(), "inc", "who labels it is not told how it fails");
    assert_eq!(task.description, "Adds one.\n>>> inc(1)\n2");
    assert_eq!(task.language, "python");
    assert_eq!(task.provenance.operator.as_deref(), Some("llm-based"));
    assert_eq!(task.files.buggy["inc.py"].bytes(), b"def inc(x):\n    return x - 1\r\n");
    assert_eq!(task.files.reference["inc.py"].text().unwrap(), row["correct_code"].as_str().unwrap());
    let test = task.files.base["test_solution.py"].text().unwrap();
    assert!(test.contains("from inc import *\nfrom inc import inc\n\ndef check(candidate):"), "{test}");
    assert!(test.ends_with("check(inc)\n"), "{test}");
    assert_eq!(task.targets[0].file, "inc.py");
    assert_eq!(task.targets[0].function.as_deref(), Some("inc"));
    assert_eq!(task.test.command.unwrap().display(), "python3 test_solution.py");
    assert_eq!(task.protected, ["test_solution.py"]);
    assert_eq!(task.marks, []);
}

#[test]
fn a_hostile_function_name_makes_no_path() {
    for name in ["../../x", "a/b", "..", "import os; x", "\u{202e}x"] {
        let row = json!({
            "_id": "a", "test": format!("def check(f): pass\ncheck({name})"), "false_results": [faulty()],
            "correct_code": "x = 1\n",
        });
        let task = only_task(&row);
        let paths: Vec<&String> = task.files.buggy.keys().collect();
        assert!(paths == ["f.py"] || paths == ["solution.py"], "{paths:?}");
    }
}

#[test]
fn a_coder_eval_method_is_moved_to_the_margin() {
    let row = json!({
        "_id": "62e", "level": "class_runnable", "docstring": "Return the keys.",
        "oracle_context": "{ \"apis\" : \"['list']\", \"classes\" : \"[]\", \"vars\" : \"[]\" }",
        "false_results": [{"source": "existing", "generate_code": "def keys(self):\n    pass\n",
            "test_feedback": "Traceback\nTypeError: no\n"}],
        "correct_code": "    def keys(self):\n        return list(self.__keys)\n",
    });
    let task = only_task(&row);
    assert_eq!(task.title, "keys · TypeError");
    assert_eq!(task.context, "APIs: list");
    assert_eq!(
        task.files.reference["keys.py"].text().unwrap(),
        "def keys(self):\n    return list(self.__keys)\n"
    );
    assert_eq!(task.meta["indentation"], json!({"reference": "    "}));
    assert_eq!(task.meta["level"], json!("class_runnable"));
    assert_eq!(task.meta["oracle_context"], row["oracle_context"]);
    assert_eq!(task.test.command, None);
}

#[test]
fn a_swe_bench_row_names_its_repository() {
    let row = json!({
        "instance_id": "o__r-1", "repo": "o/r", "base_commit": "abc", "problem_statement": "It fails.",
        "test_patch": "diff --git a/t b/t", "difficulty": "15 min", "file_path": "src/r/core.py",
        "function_name": "run", "patch": "diff --git a/c b/c",
        "correct_code": "def run(self):\n        return 2\n",
        "false_results": [{"source": "swe-bench", "generate_code": "def run(self):\n        return 1\n"}],
    });
    let task = only_task(&row);
    assert_eq!(task.description, "It fails.");
    let repo = task.repo.clone().unwrap();
    assert_eq!((repo.url.as_str(), repo.commit.as_str()), ("https://github.com/o/r", "abc"));
    assert_eq!(task.expected.patch.as_deref(), Some("diff --git a/c b/c"));
    assert_eq!(task.targets[0].file, "src/r/core.py");
    assert_eq!(task.files.buggy["run.py"].text().unwrap(), "def run(self):\n    return 1\n");
    assert_eq!(task.meta["test_patch"], json!("diff --git a/t b/t"));
    assert_eq!(task.marks.iter().map(|mark| mark.kind).collect::<Vec<_>>(), [MarkKind::NotMaterialised]);
}

#[test]
fn equal_and_missing_references_are_marked() {
    let marks = |reference: Value| {
        let row = json!({"_id": "a", "false_results": [faulty()], "correct_code": reference});
        only_task(&row).marks.iter().map(|mark| mark.kind).collect::<Vec<_>>()
    };
    assert_eq!(marks(faulty()["generate_code"].clone()), [MarkKind::Identical]);
    assert_eq!(marks(Value::Null), [MarkKind::MissingReference]);
    assert_eq!(marks(json!("def f(x):\n    return 2\n")), []);
}

#[test]
fn detection_goes_by_content() {
    let detect = |text: &str| FeedbackEval.detect(&Probe::of_text(text.as_bytes()));
    let good = json!({"_id": "a", "false_results": []}).to_string();
    let certain = Some(Confidence::Certain);
    assert_eq!(detect(&good), certain);
    assert_eq!(detect(&format!("\u{feff}\r\n{good}\r\n")), certain);
    assert_eq!(detect(&format!("{{\"half\": \n\n{good}\n")), certain);
    // cut inside a long instance
    assert_eq!(detect("{\"task_id\": \"a\", \"false_results\": [{\"generate_code\": \"def"), certain);
    assert_eq!(detect("{\"_id\": \"a\", \"fixed_results\": []}"), None);
    assert_eq!(detect("{\"_id\": \"a\", \"repair_results\": [{\"false_results\": 1}]}"), None);
    assert_eq!(detect("{\"false_results\": []}"), None);
    assert_eq!(detect(&format!("[{good}]")), None);
    assert_eq!(detect(""), None);
}

#[test]
fn the_reader_stops_when_told() {
    struct Two(usize);
    impl Sink for Two {
        fn task(&mut self, _: Task, _: Location) -> crate::dataset::Flow {
            self.0 += 1;
            if self.0 == 2 { std::ops::ControlFlow::Break(()) } else { ON }
        }
        fn skipped(&mut self, _: crate::dataset::Skipped) -> crate::dataset::Flow {
            ON
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let rows: String =
        (0..9).map(|n| format!("{}\n", json!({"_id": n.to_string(), "false_results": [faulty()]}))).collect();
    std::fs::write(&path, rows).unwrap();
    let mut two = Two(0);
    let summary = crate::dataset::read_into(&Request::new(&path), &mut two).unwrap();
    assert_eq!((two.0, summary.tasks, summary.stopped), (2, 2, true));
    assert_eq!(summary.file, None);
}
