//! Predictions of a model: JSON Lines, one candidate for one task each.
//!
//! Promises: each line becomes a [`PredictionRow`] or a [`Skipped`] with its place and reason; names of keys as the field's
//! tools write them; nothing is guessed when two contents are given. Leaves to others: finding the task, applying.
//!
//! A row names its task (`task`, `task_id`, `instance_id` or `id`) and has exactly one content: a unified diff (`patch`,
//! `model_patch` or `diff`), code (`code`, with an optional `file` that it belongs to), or a model's whole answer
//! (`answer`, `completion`, `response` or `raw`). `model` or `model_name_or_path` is carried along; other keys are let be.

use super::rows::{Keys, ON, read_rows};
use super::sink::{Flow, Sink};
use super::skipped::{Location, SkipReason, Skipped};
use super::{Bounds, DatasetError, Source};
use crate::repair::Prediction;
use crate::task::Task;
use serde_json::{Map, Value};
use std::path::Path;

/// Names of the key that tells the task.
const TASK: [&str; 4] = ["task", "task_id", "instance_id", "id"];
/// Names of a patch.
const PATCH: [&str; 3] = ["patch", "model_patch", "diff"];
/// Names of a whole answer.
const ANSWER: [&str; 4] = ["answer", "completion", "response", "raw"];
/// Names of the model.
const MODEL: [&str; 2] = ["model", "model_name_or_path"];

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictionRow {
    /// Where it stands.
    pub at: Location,
    /// The task as the row names it.
    pub task: String,
    /// Who made it, where that is said.
    pub model: Option<String>,
    /// The file that code belongs to, where that is said.
    pub file: Option<String>,
    /// What is predicted.
    pub prediction: Prediction,
}

/// All rows of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Predictions {
    /// Those that can be tried.
    pub rows: Vec<PredictionRow>,
    /// Those that cannot, with their reasons.
    pub skipped: Vec<Skipped>,
}

/// Reads a file of predictions, plain or gzip.
pub fn read_predictions(path: &Path, bounds: &Bounds) -> Result<Predictions, DatasetError> {
    let mut skips = Skips::default();
    let mut rows = Vec::new();
    let source = Source { path, dataset: "", bounds };
    read_rows(&source, "predictions", &mut skips, |at, row, sink| {
        match prediction(at, row) {
            Ok(prediction) => rows.push(prediction),
            Err(skipped) => return sink.skipped(skipped),
        }
        ON
    })?;
    Ok(Predictions { rows, skipped: skips.0 })
}

fn prediction(at: Location, mut row: Map<String, Value>) -> Result<PredictionRow, Skipped> {
    let mut keys = Keys { at: at.clone(), prefix: String::new(), map: &mut row };
    let Some(task) = keys.string_of(&TASK)?.filter(|task| !task.is_empty()) else {
        let wanted = format!("a string `{}`", TASK.join("`, `"));
        return Err(Skipped { at, why: SkipReason::MissingKey(wanted) });
    };
    let model = keys.string_of(&MODEL)?;
    let patch = keys.string_of(&PATCH)?;
    let code = keys.string("code")?;
    let file = keys.string("file")?;
    let answer = keys.string_of(&ANSWER)?;
    let prediction = match (patch, code, answer) {
        (Some(patch), None, None) => Prediction::Patch(patch),
        (None, Some(code), None) => Prediction::Code(code),
        (None, None, Some(answer)) => Prediction::RawAnswer(answer),
        (None, None, None) => {
            let wanted = format!("one of `{}`, `code`, `{}`", PATCH.join("`, `"), ANSWER.join("`, `"));
            return Err(Skipped { at, why: SkipReason::MissingKey(wanted) });
        }
        _ => {
            let why = "more than one of patch, code and answer: which one is meant?".to_owned();
            return Err(Skipped { at, why: SkipReason::BadValue(why) });
        }
    };
    Ok(PredictionRow { at, task, model, file, prediction })
}

#[derive(Default)]
struct Skips(Vec<Skipped>);

impl Sink for Skips {
    fn task(&mut self, _task: Task, _at: Location) -> Flow {
        ON
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        self.0.push(skipped);
        ON
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_in_the_fields_own_words_and_bad_ones_are_all_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = r#"{"task": "a/1", "patch": "--- a\n", "model": "m"}
{"instance_id": "2", "model_patch": "--- b\n", "model_name_or_path": "n"}
{"task_id": "HumanEval/3", "completion": "```python\n```"}

{"id": "4", "code": "x = 1", "file": "a.py"}
{"task": "5"}
{"patch": "x"}
{"task": "7", "patch": "x", "code": "y"}
{"task": 8, "code": "y"}
[]
{"task": "9", "code": null, "answer": ""}
{"task": "10", "#;
        std::fs::write(file.path(), text).unwrap();
        let read = read_predictions(file.path(), &Bounds::default()).unwrap();
        let rows: Vec<(Option<u64>, &str, &str)> =
            read.rows.iter().map(|row| (row.at.line, row.task.as_str(), row.prediction.kind())).collect();
        let expected = [
            (Some(1), "a/1", "patch"),
            (Some(2), "2", "patch"),
            (Some(3), "HumanEval/3", "answer"),
            (Some(5), "4", "code"),
            (Some(11), "9", "answer"),
        ];
        assert_eq!(rows, expected);
        assert_eq!(read.rows[1].model.as_deref(), Some("n"));
        let skipped: Vec<(Option<u64>, &str)> =
            read.skipped.iter().map(|row| (row.at.line, row.why.kind())).collect();
        let expected = [
            (Some(6), "missing-key"),
            (Some(7), "missing-key"),
            (Some(8), "bad-value"),
            (Some(9), "wrong-type"),
            (Some(10), "not-an-object"),
            (Some(12), "half-written"),
        ];
        assert_eq!(skipped, expected);
    }
}
