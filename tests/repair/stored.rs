//! The stored answers of FeedbackEval's models, as code and in a fence, laid over the code of the round before.

use super::{say, shared};
use mendbench::dataset::{Request, read_all};
use mendbench::repair::{Asked, Form, Policy, Prediction, predict};
use mendbench::task::{Content, Target};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An answer: where it is from, the function that was asked for, the code before it and the code that it gave.
struct Answer {
    name: String,
    function: Option<String>,
    before: String,
    after: String,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.to_string_lossy().contains("multi_round") {
            found.push(path);
        }
    }
}

/// Every `step`th answer, in order of files and rows.
fn answers(step: usize) -> Vec<Answer> {
    let Some(folder) = shared("results") else { return Vec::new() };
    let mut functions: BTreeMap<String, String> = BTreeMap::new();
    for name in ["HumanEval_feedback.jsonl.gz", "CoderEval_feedback_test.jsonl"] {
        let Some(path) = shared(name) else { return Vec::new() };
        for task in read_all(&Request::new(&path)).unwrap().tasks {
            functions.extend(task.targets[0].function.clone().map(|function| (task.group, function)));
        }
    }
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    paths.sort();
    let (mut found, mut number) = (Vec::new(), 0);
    for path in paths {
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(std::fs::File::open(&path).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let id = ["_id", "task_id", "instance_id"].iter().find_map(|key| row[key].as_str()).unwrap();
            for result in row["repair_results"].as_array().into_iter().flatten() {
                let codes: Vec<&str> = result["repair_history"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|round| round["generate_code"].as_str().unwrap_or_default())
                    .collect();
                for (round, two) in codes.windows(2).enumerate() {
                    number += 1;
                    if number % step == 0 && !two[0].trim().is_empty() {
                        let file = path.file_name().unwrap().to_string_lossy().into_owned();
                        found.push(Answer {
                            name: format!("{file} {id} round {}", round + 1),
                            function: functions.get(id).cloned(),
                            before: two[0].to_owned(),
                            after: two[1].to_owned(),
                        });
                    }
                }
            }
        }
    }
    found
}

/// Reads answers in both ways and counts the outcomes.
fn read(step: usize) -> (usize, BTreeMap<String, usize>, Vec<String>) {
    let (mut table, mut odd): (BTreeMap<String, usize>, Vec<String>) = (BTreeMap::new(), Vec::new());
    let answers = answers(step);
    for answer in &answers {
        let content = Content::from(answer.before.as_str());
        let targets = [Target { file: "solution.py".to_owned(), function: answer.function.clone() }];
        let asked = Asked {
            language: "python",
            current: [("solution.py", &content)].into(),
            targets: &targets,
            protected: &[],
            form: Form::Function,
            place: None,
            policy: Policy::Lenient,
        };
        let raw = predict(
            &Prediction::RawAnswer(format!("Here it is:\n\n```python\n{}\n```\n", answer.after)),
            &asked,
        );
        let code = predict(&Prediction::Code(answer.after.clone()), &asked);
        let extraction = raw.extraction.as_ref().map_or("none", |extraction| extraction.outcome.as_str());
        let row = format!(
            "{extraction} · {} · {}",
            raw.application.outcome.as_str(),
            code.application.outcome.as_str()
        );
        let usual = matches!(
            row.as_str(),
            "found · exact · exact" | "found · no-op · no-op" | "found · normalised · normalised"
        );
        if !usual && odd.iter().filter(|line: &&String| line.starts_with(&row)).count() < 400 {
            odd.push(format!(
                "{row}: {} (asked {:?}) {:?} {:?}",
                answer.name,
                answer.function,
                raw.application.why,
                (raw.extraction.map(|extraction| extraction.notes), raw.application.notes)
            ));
        }
        *table.entry(row).or_default() += 1;
    }
    (answers.len(), table, odd)
}

#[test]
fn some_stored_answers() {
    let (count, table, odd) = read(40);
    if count == 0 {
        return;
    }
    let usual: usize = table.iter().filter(|(row, _)| row.starts_with("found")).map(|(_, count)| count).sum();
    assert!(usual * 100 >= count * 95, "{count}: {table:?}\n{}", odd.join("\n"));
}

#[test]
#[ignore = "all 8,794 answers, five minutes in a debug build; prints the table of outcomes"]
fn all_stored_answers() {
    let (count, table, odd) = read(1);
    say(&format!("{count} answers: extraction · application of the fenced answer · application of the code"));
    for (row, count) in &table {
        say(&format!("{count:6}  {row}"));
    }
    for line in &odd {
        say(line);
    }
    assert!(table.values().sum::<usize>() == count);
}
