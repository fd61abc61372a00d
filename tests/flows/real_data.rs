//! Real datasets, where they are: counts, groups, reading.

use crate::rig::{Options, Rig, shared};

fn open(name: &str, options: Options) -> Option<Rig> {
    let path = shared(&format!("feedbackeval/{name}"))?;
    let workspace = tempfile::tempdir().unwrap();
    Some(Rig::path(&path, workspace.path(), options))
}

#[test]
fn the_humaneval_test_file_has_123_tasks() {
    let Some(mut rig) = open("HumanEval_feedback_test.jsonl", Options::default()) else { return };
    rig.expect("▸ HumanEval_feedback_test.jsonl").expect("123 tasks").expect_not("skipped");
    rig.press("G enter").expect("123 of 123").press("4").expect("Stored feedback");
    rig.press("2").expect("Description").press("5").expect("revision");
}

#[test]
fn the_packed_humaneval_file_has_961_tasks_in_groups() {
    let Some(mut rig) = open("HumanEval_feedback.jsonl.gz", Options::sized(120, 40)) else { return };
    rig.expect("961 tasks").expect_not("skipped");
    rig.press("o").expect("gathered by group").press("g g");
    let heading = rig.here();
    assert!(heading.starts_with("▾ HumanEval/"), "{heading}");
    rig.press("Z");
    let text = rig.text();
    let counts: Vec<usize> = text
        .lines()
        .filter(|line| line.contains("▸ HumanEval/"))
        .filter_map(|line| line.split('│').next()?.split_whitespace().last()?.parse().ok())
        .collect();
    assert!(counts.len() > 30 && counts.iter().all(|count| (1..=20).contains(count)), "{counts:?}");
    // All groups together hold all tasks.
    rig.press("Z /").kind("lang:python").press("enter").expect("961 of 961 tasks");
}

#[test]
fn the_codereval_file_has_149_tasks_and_8_skipped_rows() {
    let Some(mut rig) = open("CoderEval_feedback_test.jsonl", Options::default()) else { return };
    rig.expect("149 tasks · 8 rows skipped (!)").press("!").expect("Skipped while reading");
    rig.press("esc enter").expect("1 of 149");
}
