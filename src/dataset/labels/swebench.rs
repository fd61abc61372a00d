//! Annotations of SWE-bench: the ensembled ones of Verified, and the classification of Lite.
//!
//! Promises: what several annotators were merged into is a decision, not a blind label of one of them, and stands as
//! adjudicated; a classification by one rater is blind and has no agreement.
//! Leaves to others: the notes, and which annotators stand behind a decision (the columns `*_decided_by`).

use super::super::ratings::{Columns, Layout, RatingsError, read_ratings};
use super::ratings::{Placed, add, finish, question, whole};
use super::{Imported, LabelsError};
use crate::label::export::{Answer, Form, Stage, Study, StudyQuestion};
use crate::label::value::Value;

/// How severe something is.
const SEVERITY: [&str; 4] = ["0", "1", "2", "3"];

const DIFFICULTY: [&str; 4] = ["<15 min fix", "15 min - 1 hour", "1-4 hours", ">4 hours"];

fn verified() -> Vec<StudyQuestion> {
    vec![
        question("underspecified", "Is the issue too vague?", Form::Ordinal, &SEVERITY),
        question("false_negative", "Do the tests refuse right answers?", Form::Ordinal, &SEVERITY),
        question("other_major_issues", "Is there another major issue?", Form::Nominal, &["0", "1"]),
        question("difficulty", "How long would the fix take?", Form::Ordinal, &DIFFICULTY),
        question("filter_out", "Is the instance left out?", Form::Nominal, &["False", "True"]),
    ]
}

const LITE: [&str; 5] =
    ["description quality", "solution in description", "line location", "function location", "file location"];

pub(super) fn read(files: &[(String, Vec<u8>)]) -> Result<Imported, LabelsError> {
    let mut imported = Imported::default();
    imported.study.name = "SWE-bench".to_owned();
    for file in files {
        let files = std::slice::from_ref(file);
        let lite = file
            .1
            .split(|byte| *byte == b'\n')
            .next()
            .is_some_and(|line| String::from_utf8_lossy(line).contains("description quality"));
        let (round, annotator, stage) = match lite {
            true => ("Lite", "classification", Stage::Blind),
            false => ("Verified", "ensemble", Stage::Adjudicated),
        };
        let columns: Vec<StudyQuestion> = match lite {
            true => LITE.iter().map(|name| question(name, "", Form::Nominal, &[])).collect(),
            false => verified(),
        };
        for (at, asked) in columns.into_iter().enumerate() {
            let mut read = one(files, &asked.id)?;
            let place = Placed { round, question: &asked.id, stage, annotator: Some(annotator) };
            let value = |text: &str| Answer::Value(Value::one(whole(text)));
            for sheet in &read.sheets {
                add(&mut imported, files, sheet, &place, &asked.categories, &value);
            }
            if at > 0 {
                (read.rows, read.bad_count) = (0, 0);
                read.bad.clear();
            }
            finish(&mut imported, &read);
            let found = Study::questions_of(&imported.study.rows);
            let categories =
                found.into_iter().find(|found| found.id == asked.id).map(|found| found.categories);
            let asked = match asked.categories.is_empty() {
                true => StudyQuestion { categories: categories.unwrap_or_default(), ..asked },
                false => asked,
            };
            if imported.study.question(&asked.id).is_none() {
                imported.study.questions.push(asked);
            }
        }
    }
    Ok(imported)
}

/// One column as labels of one rater.
fn one(
    files: &[(String, Vec<u8>)],
    column: &str,
) -> Result<super::super::ratings::RatingsFile, RatingsError> {
    let layout = Layout {
        columns: Columns { item: "instance_id".to_owned(), ..Columns::default() },
        wide: true,
        raters: vec![column.to_owned()],
        ..Layout::default()
    };
    read_ratings(files, &layout)
}
