//! CSV files of a study: long, wide and counts.
//!
//! Promises: UTF-8 with line feeds, a line of column names, quotes where they are needed; rows in the order of the
//! study; cells as [`super::to_cell`] writes them. A set is its ids with `;` between, `{}` where it is empty; a
//! question that was not asked is `not-applicable`; a label that is not there is an empty cell (wide) or no row
//! (long); no cell is ever "NaN".
//! Leaves to others: where the file goes.

use super::sheets::{Place, Sheets};
use super::{Answer, Name, Study, to_cell};
use crate::label::value::{NOT_APPLICABLE, Value};
use ::csv::{Terminator, Writer, WriterBuilder};
use std::collections::HashMap;

/// What stands between the ids of a set.
pub const SET_SEPARATOR: &str = ";";

/// The columns of the long file. `phase` is `blind`, `revised` or `adjudicated`; `revision` counts the revisions from
/// 1 and is 0 else; `seen_before` is `yes` where the item had been labelled in an earlier round.
pub const LONG_COLUMNS: [&str; 11] = [
    "round",
    "phase",
    "revision",
    "question",
    "item",
    "subject",
    "annotator",
    "label",
    "seen_before",
    "codebook",
    "at",
];

/// What an answer is in a cell, before [`to_cell`].
pub fn written(answer: &Answer) -> String {
    match answer {
        Answer::NotApplicable => NOT_APPLICABLE.to_owned(),
        Answer::Value(Value::Many(ids)) if ids.is_empty() => "{}".to_owned(),
        Answer::Value(Value::Many(ids)) => {
            ids.iter().map(String::as_str).collect::<Vec<_>>().join(SET_SEPARATOR)
        }
        Answer::Value(value) => value.to_string(),
    }
}

/// One row for each label. Of [`Study::counted`] it is read by `mendbench agreement --ratings FILE --rater annotator`.
pub fn long_csv(study: &Study) -> String {
    let mut file = writer();
    record(&mut file, LONG_COLUMNS);
    for row in &study.rows {
        let revision = row.stage.revision().to_string();
        let label = written(&row.answer);
        record(
            &mut file,
            [
                &*to_cell(&row.round),
                row.stage.phase(),
                &revision,
                &to_cell(&row.question),
                &to_cell(&row.item),
                &row.subject,
                &to_cell(&row.annotator),
                &to_cell(&label),
                if row.seen_before { "yes" } else { "no" },
                &row.codebook,
                &row.at,
            ],
        );
    }
    text(file)
}

/// One row for each round, phase, question and item, with a column for each annotator: the columns `round`, `phase`,
/// `revision`, `question`, `item`, then the annotators in the order in which they occur.
pub fn wide_csv(study: &Study) -> String {
    let mut annotators: Vec<&Name> = Vec::new();
    let mut column: HashMap<&Name, usize> = HashMap::new();
    for row in &study.rows {
        column.entry(&row.annotator).or_insert_with(|| {
            annotators.push(&row.annotator);
            annotators.len() - 1
        });
    }
    let mut file = writer();
    let names: Vec<_> = annotators.iter().map(|name| to_cell(name)).collect();
    let fixed = ["round", "phase", "revision", "question", "item"];
    // An annotator called `item` must not hide the items.
    let clash = |name: &str| fixed.contains(&name);
    let names = names.iter().map(|name| match clash(name) {
        true => format!("annotator {name}"),
        false => name.to_string(),
    });
    record(&mut file, fixed.iter().map(|name| (*name).to_owned()).chain(names));
    let sheets = Sheets::of(study);
    for (place, sheet) in sheets.places() {
        for (item, cells) in sheet.items() {
            let Place { round, stage, question } = place;
            let mut line = vec![
                to_cell(round).into_owned(),
                stage.phase().to_owned(),
                stage.revision().to_string(),
                to_cell(question).into_owned(),
                to_cell(item).into_owned(),
            ];
            line.resize(5 + annotators.len(), String::new());
            for (annotator, answer) in cells {
                if let Some(at) = column.get(annotator) {
                    line[5 + at] = to_cell(&written(answer)).into_owned();
                }
            }
            record(&mut file, line);
        }
    }
    text(file)
}

/// How many annotators chose each category, one row for each item: the column `item`, then the declared categories
/// (and `not-applicable`, where `all` is asked for and the question is conditional). Of a question with sets each id
/// of a set counts. None for numbers and texts, and where there is no label.
///
/// Read by `mendbench agreement --counts FILE`.
pub fn counts_csv(study: &Study, place: &Place, all: bool) -> Option<String> {
    let question = study.question(&place.question)?;
    let mut categories = question.categories.clone();
    if categories.is_empty() {
        return None;
    }
    if all && question.conditional {
        categories.push(NOT_APPLICABLE.to_owned());
    }
    let sheets = Sheets::of(study);
    let sheet = sheets.get(place)?;
    let mut file = writer();
    record(
        &mut file,
        std::iter::once("item".to_owned()).chain(categories.iter().map(|id| to_cell(id).into_owned())),
    );
    for (item, cells) in sheet.items() {
        let mut counts = vec![0_u64; categories.len()];
        let ruled_out = cells.iter().any(|(_, answer)| **answer == Answer::NotApplicable);
        if ruled_out && !all {
            continue;
        }
        for (_, answer) in cells {
            for id in answer.categories() {
                if let Some(count) = categories.iter().position(|known| known == id) {
                    counts[count] += 1;
                }
            }
        }
        let counts = counts.iter().map(u64::to_string);
        record(&mut file, std::iter::once(to_cell(item).into_owned()).chain(counts));
    }
    Some(text(file))
}

fn writer() -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(Vec::new())
}

/// Writing into memory cannot fail, and all rows of a file have as many fields as its first.
fn record<Field: AsRef<[u8]>>(file: &mut Writer<Vec<u8>>, fields: impl IntoIterator<Item = Field>) {
    let written = file.write_record(fields);
    debug_assert!(written.is_ok(), "{written:?}");
}

fn text(file: Writer<Vec<u8>>) -> String {
    let bytes = file.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}
