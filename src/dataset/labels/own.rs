//! Our own long files, as `mendbench label export --form long` writes them.
//!
//! Promises: what was exported comes back with round, phase, revision, annotator, codebook and time; with the questions
//! of the codebook every value has its form again, without them sets are those of questions in which a cell holds `;`
//! or `{}`, and all others are names.
//! Leaves to others: deviations and seeds, which CSV has no place for (JSON Lines has).

use super::super::ratings::{BadReason, BadRow, RatingsError};
use super::ratings::rounds;
use super::{Imported, LabelsError};
use crate::dataset::ratings::{Lines, MOST_ROWS};
use crate::label::export::{
    Answer, Form, LONG_COLUMNS, Name, Row, SET_SEPARATOR, Stage, Study, StudyQuestion, from_cell,
};
use crate::label::value::{NOT_APPLICABLE, Value};
use csv::{ByteRecord, ReaderBuilder};
use std::collections::{HashMap, HashSet};

/// Names that many rows share.
#[derive(Default)]
struct Names(HashSet<Name>);

impl Names {
    fn of(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let name: Name = text.into();
        self.0.insert(name.clone());
        name
    }
}

/// Round, stage, question, item and annotator.
type Cell = (Name, Stage, Name, Name, Name);

/// File, line and text of the row that came first.
type First = (usize, u64, String);

/// A row before the form of its question is known.
struct Raw {
    row: Row,
    label: String,
    file: usize,
    line: u64,
}

pub(super) fn read(
    files: &[(String, Vec<u8>)],
    questions: &[StudyQuestion],
) -> Result<Imported, LabelsError> {
    let mut imported = Imported::default();
    let mut raw = Vec::new();
    let mut names = Names::default();
    for (number, (file, bytes)) in files.iter().enumerate() {
        rows(number, file, bytes, &mut names, &mut raw, &mut imported)?;
    }
    let mut sets: HashSet<Name> = HashSet::new();
    let known = |id: &str| questions.iter().find(|question| question.id == id);
    for raw in &raw {
        if known(&raw.row.question).is_none() && (raw.label == "{}" || raw.label.contains(SET_SEPARATOR)) {
            sets.insert(raw.row.question.clone());
        }
    }
    let mut taken: HashMap<Cell, First> = HashMap::new();
    for Raw { mut row, label, file, line } in raw {
        let question = known(&row.question);
        let is_set = match question {
            Some(question) => question.form == Form::Sets,
            None => sets.contains(&row.question),
        };
        row.answer = match question.map(|question| &question.form) {
            _ if label == NOT_APPLICABLE => Answer::NotApplicable,
            _ if is_set && label == "{}" => Answer::Value(Value::many::<&str>([])),
            _ if is_set => Answer::Value(Value::many(label.split(SET_SEPARATOR))),
            Some(Form::Numbers) => match label.parse().ok().and_then(Value::number) {
                Some(value) => Answer::Value(value),
                None => {
                    refuse(&mut imported, files, file, line, BadReason::Undeclared { label, near: None });
                    continue;
                }
            },
            Some(Form::Texts) => Answer::Value(Value::Text(label.clone())),
            _ => Answer::Value(Value::one(label.as_str())),
        };
        let place =
            (row.round.clone(), row.stage, row.question.clone(), row.item.clone(), row.annotator.clone());
        if let Some((first_file, first, there)) = taken.get(&place) {
            let reason = BadReason::Duplicate {
                item: row.item.to_string(),
                rater: row.annotator.to_string(),
                file: (*first_file != file).then(|| files[*first_file].0.clone()),
                first: *first,
                same: *there == label,
            };
            refuse(&mut imported, files, file, line, reason);
            continue;
        }
        taken.insert(place, (file, line, label));
        imported.study.rows.push(row);
    }
    imported.study.questions = match questions.is_empty() {
        true => Study::questions_of(&imported.study.rows),
        false => questions.to_vec(),
    };
    rounds(&mut imported.study);
    Ok(imported)
}

fn refuse(imported: &mut Imported, files: &[(String, Vec<u8>)], file: usize, line: u64, reason: BadReason) {
    imported.bad_count += 1;
    if imported.bad.len() < 10_000 {
        let file = files.get(file).map_or_else(String::new, |(name, _)| name.clone());
        imported.bad.push(BadRow { file, line, reason });
    }
}

/// Reads the rows of one file.
fn rows(
    number: usize,
    name: &str,
    bytes: &[u8],
    names: &mut Names,
    raw: &mut Vec<Raw>,
    imported: &mut Imported,
) -> Result<(), LabelsError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(RatingsError::Empty { file: name.to_owned() }.into());
    }
    let unreadable = |error: csv::Error| RatingsError::Unreadable {
        file: name.to_owned(),
        source: std::io::Error::other(error.to_string()),
    };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    let mut lines = Lines::of(bytes);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).map_err(unreadable)?;
    let header: Vec<String> =
        record.iter().map(|field| String::from_utf8_lossy(field).trim().to_owned()).collect();
    let mut places = Vec::new();
    let mut missing = Vec::new();
    for column in LONG_COLUMNS {
        match header.iter().position(|found| found == column) {
            Some(place) => places.push(place),
            None => missing.push(("--format ratings, and then", column.to_owned())),
        }
    }
    if !missing.is_empty() {
        let (file, found) = (name.to_owned(), header);
        return Err(RatingsError::MissingColumns { file, wanted: missing, found }.into());
    }
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        let line = lines.of_record(record.position());
        imported.rows += 1;
        if imported.rows > MOST_ROWS {
            let file = name.to_owned();
            return Err(RatingsError::TooMuch { file, most: MOST_ROWS, what: "rows", next: "" }.into());
        }
        match row(&record, &header, &places, names) {
            Ok((row, label)) => raw.push(Raw { row, label, file: number, line }),
            Err(reason) => refuse(imported, &[(name.to_owned(), Vec::new())], 0, line, reason),
        }
    }
    Ok(())
}

fn row(
    record: &ByteRecord,
    header: &[String],
    places: &[usize],
    names: &mut Names,
) -> Result<(Row, String), BadReason> {
    if record.len() != header.len() {
        return Err(BadReason::Ragged { found: record.len(), wanted: header.len() });
    }
    let mut fields = Vec::with_capacity(places.len());
    for place in places {
        let field = record.get(*place).unwrap_or_default();
        fields.push(std::str::from_utf8(field).map_err(|_| BadReason::NotUtf8)?);
    }
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    for at in [0, 3, 4, 6, 7] {
        if field(at).trim().is_empty() {
            return Err(BadReason::EmptyField { column: LONG_COLUMNS[at].to_owned() });
        }
    }
    let stage = field(2).parse().ok().and_then(|revision| Stage::parse(field(1), revision));
    let Some(stage) = stage else {
        let label = format!("{} {}", field(1), field(2));
        return Err(BadReason::Undeclared { label, near: Some("blind 0".to_owned()) });
    };
    let row = Row {
        round: names.of(from_cell(field(0))),
        stage,
        question: names.of(from_cell(field(3))),
        item: names.of(from_cell(field(4))),
        subject: names.of(field(5)),
        annotator: names.of(from_cell(field(6))),
        answer: Answer::NotApplicable,
        seen_before: field(8) == "yes",
        codebook: names.of(field(9)),
        at: names.of(field(10)),
    };
    Ok((row, from_cell(field(7)).to_owned()))
}
