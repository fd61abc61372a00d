//! The annotations of linux-bugs: three annotators, the same commits three times.
//!
//! Promises: round 0 is blind, rounds 1 and 2 are the first and second revision of the same items; a commit that an
//! annotator does not have is missing.
//! Leaves to others: the free texts (`purpose`, `safety_exp`) and the seconds (`time`).

use super::super::ratings::{Columns, Layout, read_ratings};
use super::ratings::{Placed, add, finish, question, whole};
use super::{Imported, LabelsError};
use crate::label::export::{Answer, Form, Stage, StudyQuestion};
use crate::label::value::Value;
use std::collections::BTreeMap;

/// How sure an annotator is, from not at all to entirely.
const SCALE: [&str; 5] = ["0", "1", "2", "3", "4"];

/// Scales of the study, each with what it asks where its description says so.
const SCALES: [(&str, &str); 12] = [
    ("understand", "Is the commit understood?"),
    ("bfc", "Is it bug-fixing?"),
    ("bpc", "Is it bug-preventing?"),
    ("prc", "Is it perfective?"),
    ("nfc", "Is it a new feature?"),
    ("specification", ""),
    ("asc", ""),
    ("obvious", ""),
    ("safety", ""),
    ("timing", ""),
    ("memory", ""),
    ("info", ""),
];

/// What the label says: the scale with the highest value, none of them, or several.
const LABELS: [&str; 6] = ["bfc", "bpc", "prc", "nfc", "tie", "none"];

pub(super) fn read(files: &[(String, Vec<u8>)]) -> Result<Imported, LabelsError> {
    let mut rounds: BTreeMap<u32, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (name, bytes) in files {
        let round = round_of(name).ok_or_else(|| LabelsError::NoRound(name.clone()))?;
        rounds.entry(round).or_default().push((name.clone(), bytes.clone()));
    }
    let mut imported = Imported::default();
    imported.study.name = "linux-bugs".to_owned();
    imported.study.questions = questions();
    for (number, files) in &rounds {
        let stage = if *number == 0 { Stage::Blind } else { Stage::Revised(*number) };
        for (at, asked) in imported.study.questions.clone().iter().enumerate() {
            let layout = Layout {
                columns: Columns {
                    item: "hash".to_owned(),
                    rater: "annotator".to_owned(),
                    label: asked.id.clone(),
                    ..Columns::default()
                },
                ..Layout::default()
            };
            let mut file = match read_ratings(files, &layout) {
                Ok(file) => file,
                // Scales that some copies of the data do not have.
                Err(_) if at > 0 && asked.id != "bfc" => continue,
                Err(error) => return Err(error.into()),
            };
            let place = Placed { round: "linux-bugs", question: &asked.id, stage, annotator: None };
            let value = |text: &str| Answer::Value(Value::one(whole(text)));
            for sheet in &file.sheets {
                add(&mut imported, files, sheet, &place, &asked.categories, &value);
            }
            if at > 0 {
                // The rows are the same for every column: their number and what is wrong with them is told once.
                (file.rows, file.bad_count) = (0, 0);
                file.bad.clear();
            }
            finish(&mut imported, &file);
        }
    }
    if !rounds.contains_key(&0) {
        imported.remarks.push("round 0 is not among the files: there is no blind label".to_owned());
    }
    Ok(imported)
}

/// The number in `round0_A1.csv`, wherever the file lies.
fn round_of(name: &str) -> Option<u32> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let digits: String = file.strip_prefix("round")?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn questions() -> Vec<StudyQuestion> {
    let mut questions = vec![question("label", "What kind of commit is it?", Form::Nominal, &LABELS)];
    questions.extend(SCALES.iter().map(|(id, text)| question(id, text, Form::Ordinal, &SCALE)));
    questions
}
