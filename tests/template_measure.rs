//! Measurements of the baseline `template`; ignored, because they need data that is not part of the repository
//! (`MENDBENCH_DATA`) and take minutes.
//!
//! `training_ranks` is what the weights were set by: at which place the candidate stands that equals the fix, on
//! CoderEval's half of FeedbackEval and on Defects4C. `repaired` is the measurement, on the other half.
#![allow(clippy::unwrap_used)]
#![allow(clippy::explicit_write)]

use flate2::read::GzDecoder;
use mendbench::catalogue::{Request, open, read};
use mendbench::config::Config;
use mendbench::dataset::sample_tasks;
use mendbench::harness::many::each;
use mendbench::harness::{Cancel, Changes, Choice, Harness, Ladders, Unwatched, Version, Wanted};
use mendbench::repair::template::{Evidence, Order, answer, candidates};
use mendbench::repair::{Asked, Form, Prediction, predict};
use mendbench::report::Verdict;
use mendbench::report::dig::{Class, Failure, Stage};
use mendbench::store::SystemClock;
use mendbench::syntax::{functions, syntax_nodes};
use mendbench::task::{Content, Target, Task};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn data(path: &str) -> Vec<Value> {
    let root = PathBuf::from(std::env::var_os("MENDBENCH_DATA").unwrap());
    let file = std::fs::File::open(root.join(path)).unwrap();
    let lines: Box<dyn BufRead> = match path.ends_with(".gz") {
        true => Box::new(BufReader::new(GzDecoder::new(file))),
        false => Box::new(BufReader::new(file)),
    };
    lines.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").unwrap();
}

/// Code as its tokens, without comments; quotation marks are all one.
fn tokens(language: &str, text: &str) -> Option<String> {
    let nodes = syntax_nodes(language, text)?;
    let leaves = nodes.all.iter().enumerate().filter(|(number, node)| node.end == number + 1);
    let words = leaves
        .filter(|(_, node)| !node.kind.contains("comment"))
        .map(|(_, node)| text[node.bytes.clone()].replace('"', "'").replace("'''", "'").trim().to_owned());
    Some(words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

/// The code without the indentation that all of it has.
fn dedented(code: &str) -> String {
    let blank = |line: &str| line.len() - line.trim_start().len();
    let least = code.lines().filter(|line| !line.trim().is_empty()).map(blank).min().unwrap_or(0);
    code.lines().map(|line| format!("{}\n", line.get(least..).unwrap_or_default())).collect()
}

#[test]
#[ignore = "needs MENDBENCH_DATA"]
fn training_ranks() {
    let mut pairs: Vec<(String, &str, String, String, String)> = Vec::new();
    for row in data("feedbackeval/CoderEval_feedback_test.jsonl") {
        for faulty in row["false_results"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            pairs.push((
                format!("codereval {}", text(&faulty["source"])),
                "python",
                dedented(&text(&faulty["generate_code"])),
                dedented(&text(&row["correct_code"])),
                text(&faulty["test_feedback"]),
            ));
        }
    }
    for row in data("defects4c/function_pairs.jsonl.gz") {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let language = if text(&row["src_path"]).ends_with(".c") { "c" } else { "cpp" };
        let kind = format!("defects4c {}", text(&row["granularity"]));
        pairs.push((kind, language, text(&row["buggy"]), text(&row["fixed"]), text(&row["error_msg"])));
    }
    let mut ranks: BTreeMap<String, (usize, Vec<usize>, [usize; 2])> = BTreeMap::new();
    let mut families: BTreeMap<String, usize> = BTreeMap::new();
    for (kind, language, buggy, fixed, message) in pairs {
        let Some(wanted) = tokens(language, &fixed).filter(|fixed| !fixed.is_empty()) else { continue };
        let path = format!("a.{}", if language == "python" { "py" } else { language });
        let mut task = Task::new("training", "a");
        task.language = language.to_owned();
        let function =
            functions(language, &buggy).unwrap_or_default().first().map(|function| function.name.clone());
        task.targets.push(Target { file: path.clone(), function });
        task.files.buggy.insert(path, Content::from(buggy.clone()));
        let failure = Failure { stage: Stage::Test, class: Class::Unknown, place: None, excerpt: message };
        let evidence = Evidence::of(None, Some(&failure));
        let entry = ranks.entry(kind.clone()).or_default();
        entry.0 += 1;
        let mut all = 0;
        let mut found = None;
        for candidate in candidates(&task, &evidence, Order::Suspicion).take(50) {
            all += 1;
            if tokens(language, &candidate.text).is_some_and(|tokens| tokens == wanted) {
                found = Some(candidate);
                break;
            }
        }
        entry.2[0] += all;
        if let Some(found) = found {
            entry.1.push(found.number);
            *families.entry(format!("{kind} {}", found.template)).or_default() += 1;
            say(&format!("{kind} #{} {} {}", found.number, found.template, found.reason));
        }
    }
    for (kind, (n, mut ranks, all)) in ranks {
        ranks.sort_unstable();
        let within = |most: usize| ranks.iter().filter(|rank| **rank <= most).count();
        say(&format!(
            "{kind}: n {n}, in reach of 50 {}, within 1/5/10/30: {} {} {} {}, looked at {}",
            ranks.len(),
            within(1),
            within(5),
            within(10),
            within(30),
            all[0]
        ));
    }
    say(&format!("{families:?}"));
}

/// What came of trying one task.
#[derive(Clone)]
struct Tried {
    task: String,
    origin: String,
    /// The candidate that passed, with its reason.
    repaired: Option<(usize, String)>,
    /// Candidates that could not be judged: failures of the harness.
    unjudged: usize,
    /// Candidates that extraction or application refused.
    unusable: usize,
}

fn harness() -> Harness {
    let config = Config::defaults();
    let mut choice = Choice::new(&config.settings, None, None, false).unwrap();
    choice.jobs = 2;
    // A copy may be named, so that building does not disturb what is measured.
    let helper = std::env::var_os("MENDBENCH_HELPER").unwrap_or(env!("CARGO_BIN_EXE_mendbench").into());
    let ladders = Ladders::new(choice, Box::new(|_| {})).with_helper(helper.into());
    Harness::new(config.languages().unwrap(), Box::new(ladders), None, Arc::new(SystemClock))
}

/// Tries the first candidates of a task, each through its answer, extraction and application.
fn try_task(harness: &Harness, task: &Task, order: Order, budget: usize) -> Tried {
    let verify = |changes: &Changes| {
        let wanted = Wanted { task, version: Version::Buggy, changes, fresh: false };
        harness.verify(&wanted, &Cancel::new(), &mut Unwatched).unwrap().report
    };
    let origin = task.provenance.operator.clone().unwrap_or_default();
    let mut tried = Tried { task: task.name().to_string(), origin, repaired: None, unjudged: 0, unusable: 0 };
    let buggy = verify(&Changes::new());
    assert_ne!(buggy.verdict, Verdict::Passed, "{}: the buggy code passes", tried.task);
    let evidence = Evidence::of(Some(&buggy.report), buggy.failure.as_ref());
    for candidate in candidates(task, &evidence, order).take(budget) {
        let said = answer(task, Some(&candidate), Form::Function, &task.buggy_tree()).unwrap();
        let predicted = predict(&Prediction::RawAnswer(said), &Asked::of_task(task));
        let changes = predicted.application.changes;
        if changes.is_empty() {
            // A turn without usable code is a turn.
            tried.unusable += 1;
            continue;
        }
        let report = verify(&changes);
        match report.verdict {
            Verdict::Passed => {
                tried.repaired =
                    Some((candidate.number, format!("{}: {}", candidate.template, candidate.reason)));
                break;
            }
            Verdict::InfraError | Verdict::NotRun => tried.unjudged += 1,
            _ => {}
        }
    }
    tried
}

fn try_all(tasks: &[Task], order: Order, budget: usize) -> Vec<Tried> {
    let harness = harness();
    let results: Mutex<Vec<Option<Tried>>> = Mutex::new(vec![None; tasks.len()]);
    each(
        2,
        tasks.len(),
        |number| Some(try_task(&harness, &tasks[number], order, budget)),
        |number, tried| {
            results.lock().unwrap()[number] = tried;
        },
    );
    results.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

fn table(name: &str, all: &[Tried]) {
    let mut origins: BTreeMap<&str, (usize, usize, usize, usize)> = BTreeMap::new();
    for tried in all {
        for origin in [tried.origin.as_str(), "all"] {
            let entry = origins.entry(origin).or_default();
            entry.0 += usize::from(tried.repaired.is_some());
            entry.1 += 1;
            entry.2 += tried.unjudged;
            entry.3 += tried.unusable;
        }
    }
    for (origin, (repaired, n, unjudged, unusable)) in origins {
        say(&format!(
            "{name}\t{origin}\t{repaired} of {n} repaired; candidates: {unjudged} not judged, {unusable} not usable"
        ));
    }
}

#[test]
#[ignore = "runs the sample tasks in a sandbox"]
fn samples() {
    let tasks = sample_tasks().tasks;
    for tried in try_all(&tasks, Order::Suspicion, 30) {
        say(&format!("{}: {:?}, {} not judged", tried.task, tried.repaired, tried.unjudged));
    }
}

#[test]
#[ignore = "needs MENDBENCH_DATA, runs 123 tasks in a sandbox"]
fn repaired() {
    let root = PathBuf::from(std::env::var_os("MENDBENCH_DATA").unwrap());
    let path = root.join("feedbackeval/HumanEval_feedback_test.jsonl");
    let catalogue = open(&Request { path: Some(path), ..Request::default() }).unwrap();
    let list = read(&*catalogue).unwrap();
    let rows = (0..list.table.len() as u32).filter_map(|row| list.table.get(row));
    let tasks: Vec<Task> = rows.map(|row| catalogue.task(row.key).unwrap()).collect();
    say(&format!("{} tasks", tasks.len()));
    let all = try_all(&tasks, Order::Suspicion, 10);
    for tried in all.iter().filter(|tried| tried.repaired.is_some()) {
        say(&format!("{} ({}): {:?}", tried.task, tried.origin, tried.repaired));
    }
    table("template", &all);
    for seed in 1..=3 {
        table(&format!("template:random seed {seed}"), &try_all(&tasks, Order::Lot { seed }, 10));
    }
}

#[test]
#[ignore = "prints what would be tried, for those who set weights"]
fn listed() {
    for task in sample_tasks().tasks {
        say(&format!("== {}", task.id));
        for candidate in candidates(&task, &Evidence::default(), Order::Suspicion).take(70) {
            say(&format!("{} {} {}", candidate.number, candidate.template, candidate.reason));
        }
    }
}
