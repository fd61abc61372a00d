//! Studies as scripts make them: a round of FeedbackEval tasks with the codebook of Defects4C, and people who answer
//! as a number says.
#![allow(clippy::unwrap_used, dead_code)]

use super::cli_rig::{Home, Ran, feedbackeval};
use serde_json::{Value, json};
use std::path::Path;

/// The tasks that rounds are drawn from: those of FeedbackEval where they are at hand, else made ones.
pub fn tasks(home: &Home, count: usize) -> &'static str {
    match feedbackeval("HumanEval_feedback_test.jsonl") {
        Some(path) => {
            std::fs::copy(path, home.path("set.jsonl")).unwrap();
        }
        None => {
            home.rows("set.jsonl", count);
        }
    }
    "set.jsonl"
}

/// Makes a round of anna and ben, with zoe and lea.
pub fn create(home: &Home, round: &str, more: &[&str]) -> Ran {
    let start = ["round", "create", round, "set.jsonl", "--codebook", "defects4c", "--workspace", "w"];
    let people = ["--annotators", "anna,ben", "--arbitrator", "zoe", "--lead", "lea", "--as", "lea"];
    home.run(&[&start[..], &people, more].concat())
}

/// Runs a command on the workspace as somebody.
pub fn by(home: &Home, who: &str, arguments: &[&str]) -> Ran {
    home.run(&[arguments, &["--workspace", "w", "--as", who]].concat())
}

/// Items that somebody has still to label, in the order of serving.
pub fn queue(home: &Home, who: &str, round: &str) -> Vec<String> {
    let ran = by(home, who, &["label", "list", "--missing", "--json", "--round", round]).done();
    ran.objects_of("item-missing").iter().map(|item| item["item"].as_str().unwrap().to_owned()).collect()
}

/// A number that goes with a text.
pub fn number(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        >> 20
}

/// What is right for an item.
pub fn truth(item: &str) -> Vec<(&'static str, &'static str)> {
    const CAUSES: [&str; 5] = ["A.1", "A.3", "B", "C.3", "D.1"];
    match number(item) % 10 {
        0..=3 => vec![("bug-related", "no")],
        which => vec![
            ("bug-related", "yes"),
            ("test-relevant", if which % 2 == 0 { "yes" } else { "no" }),
            ("root-cause", CAUSES[(number(item) / 10 % 5) as usize]),
        ],
    }
}

/// What somebody says who errs in so many of a hundred items.
pub fn said(who: &str, item: &str, errs: u64) -> Vec<(&'static str, &'static str)> {
    let luck = number(&format!("{who} {item}"));
    let mut answers = truth(item);
    if luck % 100 >= errs {
        return answers;
    }
    match (answers[0].1, luck / 100 % 2) {
        ("no", _) => answers = vec![("bug-related", "yes"), ("test-relevant", "yes"), ("root-cause", "A.2")],
        (_, 0) => answers = vec![("bug-related", "no")],
        _ => answers[2].1 = "C.1",
    }
    answers
}

/// Lines for `label set -`.
pub fn lines(item: &str, answers: &[(&str, &str)]) -> String {
    let line = |(question, answer): &(&str, &str)| {
        format!("{}\n", json!({ "item": item, "question": question, "answer": answer }))
    };
    answers.iter().map(line).collect()
}

/// Sets many labels at once.
pub fn set(home: &Home, who: &str, round: &str, lines: &str) -> Ran {
    let arguments = ["label", "set", "-", "--json", "--round", round, "--workspace", "w", "--as", who];
    home.run_with(&arguments, &[], lines)
}

/// Labels everything that is left, erring in so many of a hundred items.
pub fn label_all(home: &Home, who: &str, round: &str, errs: u64) -> usize {
    let queue = queue(home, who, round);
    let text: String = queue.iter().map(|item| lines(item, &said(who, item, errs))).collect();
    let saved = set(home, who, round, &text).done().objects_of("label-saved").len();
    assert_eq!(saved, text.lines().count());
    queue.len()
}

/// The labels of somebody, as `item question` and answer.
pub fn labels(home: &Home, who: &str, round: &str, more: &[&str]) -> Vec<(String, String)> {
    let ran = by(home, who, &[&["label", "list", "--json", "--round", round], more].concat()).done();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    ran.objects_of("label")
        .iter()
        .map(|label| {
            (format!("{} {}", text(&label["item"]), text(&label["question"])), text(&label["value"]["one"]))
        })
        .collect()
}

/// A copy of a home's workspace in another home, with its tasks.
pub fn twin(home: &Home) -> Home {
    let other = Home::new();
    super::cli_rig::copy(&home.path("w"), &other.path("w"));
    if Path::new(&home.path("set.jsonl")).exists() {
        std::fs::copy(home.path("set.jsonl"), other.path("set.jsonl")).unwrap();
    }
    other
}
