//! FeedbackEval's real files: every row counted, every field in its place.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]

use mendbench::dataset::{DatasetError, ReadReport, Request, detect, read_all, write_task_folder};
use mendbench::task::{FeedbackKind, MarkKind, Task};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// A file of the shared data, or `None`, said aloud, where that folder is absent.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/feedbackeval")).join(name);
    if path.exists() {
        return Some(path);
    }
    writeln!(std::io::stderr(), "skipped: {} is not there", path.display()).unwrap();
    None
}

fn read(name: &str) -> Option<ReadReport> {
    Some(read_all(&Request::new(&shared(name)?)).unwrap())
}

fn count<K: Ord>(tasks: &[Task], key: impl Fn(&Task) -> K) -> BTreeMap<K, usize> {
    tasks.iter().fold(BTreeMap::new(), |mut counts, task| {
        *counts.entry(key(task)).or_default() += 1;
        counts
    })
}

#[test]
fn human_eval_test_set() {
    let Some(report) = read("HumanEval_feedback_test.jsonl") else { return };
    assert_eq!(report.skipped, []);
    assert_eq!((report.summary.rows, report.summary.tasks, report.tasks.len()), (123, 123, 123));
    assert_eq!(report.summary.format, "feedbackeval");
    assert_eq!(report.summary.dataset, "HumanEval_feedback_test");
    assert_eq!(report.summary.file.as_ref().unwrap().bytes, 433_328);
    let first = &report.tasks[0];
    assert_eq!(first.name().to_string(), "HumanEval_feedback_test/HumanEval/0#1");
    assert_eq!(first.title, "has_close_elements · NameError");
    assert!(first.description.starts_with("Check if in given list of numbers, are any two numbers closer"));
    assert!(first.description.ends_with("0.3)\nTrue"));
    for task in &report.tasks {
        assert_eq!(task.id, format!("{}#1", task.group));
        assert!(!task.description.is_empty(), "{}", task.id);
        assert_eq!(task.changed_files().len(), 1, "{}", task.id);
        assert!(task.targets[0].function.is_some(), "{}", task.id);
        assert!(task.test.command.is_some());
        assert_eq!(task.marks, [], "{}", task.id);
        for kind in
            [FeedbackKind::Test, FeedbackKind::Minimal, FeedbackKind::LlmSkilled, FeedbackKind::LlmExpert]
        {
            assert!(task.feedback.contains_key(&kind), "{} {kind}", task.id);
        }
    }
    let operators = count(&report.tasks, |task| task.provenance.operator.clone().unwrap());
    let expected = [("existing", 25), ("llm-based", 50), ("rule_based", 48)];
    assert_eq!(operators, expected.map(|(name, n)| (name.to_owned(), n)).into());
}

#[test]
fn human_eval_all_packed() {
    let Some(report) = read("HumanEval_feedback.jsonl.gz") else { return };
    assert_eq!(report.skipped, []);
    assert_eq!((report.summary.rows, report.tasks.len()), (123, 961));
    assert_eq!(report.summary.dataset, "HumanEval_feedback");
    assert_eq!(report.summary.file.as_ref().unwrap().bytes, 367_293);
    let groups = count(&report.tasks, |task| task.group.clone());
    assert_eq!(groups.len(), 123);
    assert_eq!(groups.values().max(), Some(&18));
    assert!(report.tasks.iter().all(|task| !task.description.is_empty()));
    let failures =
        count(&report.tasks, |task| task.title.split_once(" · ").map(|(_, failure)| failure.to_owned()));
    assert_eq!(failures[&Some("timeout".to_owned())], 11);
    assert!(failures[&Some("AssertionError".to_owned())] > 424);
    assert!(failures.get(&None).copied().unwrap_or(0) < 10, "{failures:?}");
}

#[test]
fn coder_eval_test_set() {
    let Some(report) = read("CoderEval_feedback_test.jsonl") else { return };
    assert_eq!((report.summary.rows, report.tasks.len()), (157, 149));
    assert_eq!(report.summary.skipped, BTreeMap::from([("empty", 8)]));
    for skipped in &report.skipped {
        assert_eq!(skipped.at.key.as_deref(), Some("false_results"));
        assert!(skipped.to_string().contains("no faulty instance in this row"), "{skipped}");
    }
    for task in &report.tasks {
        assert!(!task.description.is_empty(), "{}", task.id);
        assert!(task.meta.contains_key("level"), "{}", task.id);
        assert_eq!(task.test.command, None);
        assert!(!task.context.contains(['[', '{', '\'']), "{}: {}", task.id, task.context);
        // What was cut out of a class stands at the margin on both sides.
        for tree in [&task.files.buggy, &task.files.reference] {
            let text = tree.values().next().unwrap().text().unwrap();
            assert!(!text.starts_with([' ', '\t']), "{}: {text}", task.id);
        }
    }
    let first = &report.tasks[0];
    assert_eq!(first.title, "hydrate_time · wrong result");
    assert_eq!(first.context, "APIs: divmod, map, localize\nClasses: FixedOffset, Time");
    assert!(!first.feedback.contains_key(&FeedbackKind::Minimal));
}

#[test]
fn the_first_release_has_no_reference_and_says_so() {
    let Some(report) = read("v1_four_types/HumanEval_feedback.jsonl.gz") else { return };
    assert_eq!((report.summary.rows, report.tasks.len(), report.skipped.len()), (123, 961, 0));
    for task in &report.tasks {
        assert_eq!(task.marks.iter().map(|mark| mark.kind).collect::<Vec<_>>(), [MarkKind::MissingReference]);
        assert!(task.feedback.contains_key(&FeedbackKind::LlmSkilled));
        assert!(task.feedback.contains_key(&FeedbackKind::Minimal));
        assert!(!task.description.is_empty(), "{}", task.id);
    }
}

#[test]
fn results_are_not_taken_for_tasks() {
    let files = [
        "results/GPT/HumanEval/single/gpt-4o-2024-11-20_test_feedback.jsonl.gz",
        "results/GPT/HumanEval/multi/gpt-4o-2024-11-20_multi_round_mixed_feedback.jsonl.gz",
        "results/GPT/CoderEval/multi/gpt-4o-2024-11-20_multi_round_compiler_feedback.jsonl.gz",
        "v1_four_types/results/GPT/HumanEval/multi/gpt-4o-2024-11-20_multi_round_human_feedback.jsonl.gz",
    ];
    for path in files.into_iter().filter_map(shared) {
        let Err(error) = detect(&path) else { panic!("{} was taken for tasks", path.display()) };
        let text = error.to_string();
        assert!(matches!(error, DatasetError::Unrecognised { .. }), "{text}");
        assert!(text.contains("results of FeedbackEval") && text.contains("together with runs"), "{text}");
    }
}

#[test]
fn real_tasks_survive_being_written_as_folders() {
    for name in ["HumanEval_feedback_test.jsonl", "CoderEval_feedback_test.jsonl"] {
        let Some(report) = read(name) else { return };
        let folder = tempfile::tempdir().unwrap();
        for task in report.tasks.iter().take(40) {
            write_task_folder(task, &folder.path().join(task.id.replace('/', "_"))).unwrap();
        }
        let request = Request { dataset: Some(&report.summary.dataset), ..Request::new(folder.path()) };
        let back = read_all(&request).unwrap();
        assert_eq!(back.skipped, []);
        let back: BTreeMap<&str, &Task> = back.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        assert_eq!(back.len(), 40);
        for task in report.tasks.iter().take(40) {
            assert_eq!(back[task.id.as_str()], task);
            assert_eq!(back[task.id.as_str()].revision(), task.revision());
        }
    }
}
