//! Any table of ratings, with its columns named; and what the other formats make of theirs.
//!
//! Promises: labels as they are written; an empty one is missing.
//! Leaves to others: which columns there are.

use super::super::ratings::{BadReason, BadRow, RatingsFile, Sheet, read_ratings};
use super::{Imported, LabelsError, Mapping};
use crate::dataset::error::nearest_name;
use crate::label::export::{Answer, Form, Name, RoundFacts, Row, Stage, Study, StudyQuestion};
use crate::label::value::{NOT_APPLICABLE, Value};
use std::collections::BTreeSet;

/// Reads a table by its mapping.
pub(super) fn read(files: &[(String, Vec<u8>)], mapping: &Mapping) -> Result<Imported, LabelsError> {
    let file = read_ratings(files, &mapping.layout)?;
    let mut imported = Imported::default();
    let value = |text: &str| match &mapping.sets {
        _ if text == NOT_APPLICABLE => Answer::NotApplicable,
        None => Answer::Value(Value::one(text)),
        Some(_) if text == "{}" => Answer::Value(Value::many::<&str>([])),
        Some(separator) => {
            let labels = text.split(separator.as_str()).map(str::trim).filter(|label| !label.is_empty());
            Answer::Value(Value::many(labels))
        }
    };
    for sheet in &file.sheets {
        let place = Placed {
            round: sheet.round.as_deref().unwrap_or(&mapping.round),
            question: sheet.question.as_deref().unwrap_or(&mapping.question),
            stage: mapping.stage,
            annotator: None,
        };
        add(&mut imported, files, sheet, &place, &mapping.categories, &value);
    }
    let mut questions = Study::questions_of(&imported.study.rows);
    if !mapping.categories.is_empty() {
        for question in &mut questions {
            question.categories.clone_from(&mapping.categories);
        }
    }
    imported.study.questions = questions;
    finish(&mut imported, &file);
    Ok(imported)
}

/// Where the labels of a sheet belong.
pub(super) struct Placed<'a> {
    pub round: &'a str,
    pub question: &'a str,
    pub stage: Stage,
    /// Who gave them, where the sheet does not say it.
    pub annotator: Option<&'a str>,
}

/// Adds the labels of a sheet; with declared categories, those that are none of them are bad rows.
pub(super) fn add(
    imported: &mut Imported,
    files: &[(String, Vec<u8>)],
    sheet: &Sheet,
    place: &Placed<'_>,
    declared: &[String],
    value: &dyn Fn(&str) -> Answer,
) {
    let (round, question): (Name, Name) = (place.round.into(), place.question.into());
    let nothing: Name = "".into();
    let items: Vec<Name> = sheet.items.texts().iter().map(|item| item.as_str().into()).collect();
    let answers: Vec<Answer> = sheet.labels.texts().iter().map(|label| value(label)).collect();
    let refused: Vec<Option<String>> = answers
        .iter()
        .map(|answer| {
            let Answer::Value(value) = answer else { return None };
            let unknown = |label: &&str| !declared.is_empty() && !declared.iter().any(|known| known == label);
            value.answers().into_iter().find(unknown).map(str::to_owned)
        })
        .collect();
    for (number, rater) in sheet.raters.texts().iter().enumerate() {
        let annotator: Name = place.annotator.unwrap_or(rater).into();
        for (item, cell) in items.iter().zip(sheet.cells(number)) {
            let Some(cell) = cell else { continue };
            let Some(label) = cell.label else { continue };
            if let Some(unknown) = &refused[label] {
                imported.bad_count += 1;
                if imported.bad.len() < MOST_BAD {
                    let near = nearest_name(unknown, declared.iter().map(String::as_str)).map(str::to_owned);
                    let reason = BadReason::Undeclared { label: unknown.clone(), near };
                    let file = files.get(cell.file).map_or_else(String::new, |(name, _)| name.clone());
                    imported.bad.push(BadRow { file, line: cell.line, reason });
                }
                continue;
            }
            imported.study.rows.push(Row {
                round: round.clone(),
                item: item.clone(),
                subject: nothing.clone(),
                annotator: annotator.clone(),
                question: question.clone(),
                stage: place.stage,
                answer: answers[label].clone(),
                seen_before: false,
                codebook: nothing.clone(),
                at: nothing.clone(),
            });
        }
    }
}

/// Most bad rows that are kept; all are counted.
const MOST_BAD: usize = 10_000;

/// Counts, bad rows and remarks of a file, and the rounds of the study.
pub(super) fn finish(imported: &mut Imported, file: &RatingsFile) {
    imported.rows += file.rows;
    imported.bad_count += file.bad_count;
    let room = MOST_BAD.saturating_sub(imported.bad.len());
    imported.bad.extend(file.bad.iter().take(room).cloned());
    imported.bad.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    if file.blank > 0 {
        imported.remarks.push(format!("{} labels are white space only and count as missing", file.blank));
    }
    rounds(&mut imported.study);
}

/// The rounds that occur, with their items.
pub(super) fn rounds(study: &mut Study) {
    let mut names: Vec<Name> = Vec::new();
    for row in &study.rows {
        if !names.contains(&row.round) {
            names.push(row.round.clone());
        }
    }
    study.rounds = names
        .into_iter()
        .map(|name| {
            let items: BTreeSet<&Name> =
                study.rows.iter().filter(|row| row.round == name).map(|row| &row.item).collect();
            RoundFacts { name: name.to_string(), items: items.len() as u64, ..RoundFacts::default() }
        })
        .collect();
}

/// A question that is not in a codebook.
pub(super) fn question(id: &str, text: &str, form: Form, categories: &[&str]) -> StudyQuestion {
    StudyQuestion {
        id: id.to_owned(),
        text: text.to_owned(),
        form,
        categories: categories.iter().map(|category| (*category).to_owned()).collect(),
        counts: true,
        conditional: false,
    }
}

/// A whole number that some program wrote as `2.0`, as `2`.
pub(super) fn whole(text: &str) -> &str {
    text.strip_suffix(".0").unwrap_or(text)
}
