//! From flags and files to what is measured: one [`Study`] for each question and round.

use super::flags::{Flags, MetricName};
use super::{choices, input};
use crate::agreement::{Counts, PairTable, Ratings, SetRatings, Weights};
use crate::cli::Failure;
use crate::dataset::ratings::{BadReason, RatingsFile, Sheet, fold, lookalikes};
use crate::text::counted;
use crate::text::{sanitise, truncate};
use std::collections::{BTreeSet, HashMap};

/// What is measured at once.
pub struct Study {
    /// The question, where there is a column for it.
    pub question: Option<String>,
    /// The round, where there is a column for it.
    pub round: Option<String>,
    /// Names of the raters; none where they are not told apart.
    pub raters: Vec<String>,
    /// Names of the items, in the order of the ratings.
    pub items: Vec<String>,
    /// Names of the categories.
    pub categories: Vec<String>,
    /// Whether they were declared, and not only those that were found.
    pub declared: bool,
    /// Whether their order means something.
    pub ordered: bool,
    /// Their values.
    pub values: Option<Vec<f64>>,
    /// Disagreement weights.
    pub weights: Weights,
    /// What these are called.
    pub scheme: String,
    /// The ratings.
    pub data: Data,
}

/// Ratings in one of their forms.
pub enum Data {
    /// Raters told apart.
    Ratings(Ratings),
    /// The table of two raters.
    Table(PairTable),
    /// Raters not told apart.
    Counts(Counts),
    /// Sets of labels.
    Sets(SetRatings),
}

/// The studies, and what is to be told beside them.
pub struct Gathered {
    /// What is measured.
    pub studies: Vec<Study>,
    /// The rows that were read, bad ones included.
    pub file: RatingsFile,
    /// Remarks for people.
    pub remarks: Vec<String>,
}

/// A text of a file in a message.
pub fn quoted(text: &str) -> String {
    format!("`{}`", truncate(&sanitise(text), 60))
}

/// Reads what the flags name.
pub fn gather(flags: &Flags) -> Result<Gathered, Failure> {
    let mut remarks = Vec::new();
    if let Some(table) = &flags.table {
        let study = input::table(flags, table, &mut remarks)?;
        return Ok(Gathered { studies: vec![study], file: RatingsFile::default(), remarks });
    }
    if let Some(counts) = &flags.counts {
        let study = input::counts(flags, counts, &mut remarks)?;
        return Ok(Gathered { studies: vec![study], file: RatingsFile::default(), remarks });
    }
    let (mut file, names) = input::ratings(flags)?;
    let sheets = std::mem::take(&mut file.sheets);
    remark_on_names(flags, &file, &sheets, &mut remarks);
    let chosen = choices::list(flags.raters.as_deref().unwrap_or_default())?;
    // In the order of the flag, else of their first rows in the whole file.
    let mut ranks: HashMap<&str, usize> = HashMap::new();
    for rater in chosen.iter().chain(sheets.iter().flat_map(|sheet| sheet.raters.texts())) {
        let next = ranks.len();
        ranks.entry(rater).or_insert(next);
    }
    let mut studies = Vec::new();
    for sheet in &sheets {
        let labels = labels_of_question(flags, &sheets, sheet.question.as_deref());
        let study = of_sheet(flags, sheet, &labels, &ranks, &names, &mut file, &mut remarks)?;
        studies.push(study);
    }
    for rater in &chosen {
        if !sheets.iter().any(|sheet| sheet.raters.texts().contains(rater)) {
            return Err(Failure::usage(format!("--raters: there is no rater {}", quoted(rater))));
        }
    }
    Ok(Gathered { studies, file, remarks })
}

/// The different labels of a question in all rounds, in the order of their first rows.
fn labels_of_question(flags: &Flags, sheets: &[Sheet], question: Option<&str>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for sheet in sheets.iter().filter(|sheet| sheet.question.as_deref() == question) {
        for text in sheet.labels.texts() {
            let parts: Vec<String> = match &flags.sets {
                Some(separator) => choices::split_set(text, separator),
                None => vec![text.clone()],
            };
            for part in parts {
                let key = if flags.fold { fold(&part) } else { part.clone() };
                if known.insert(key) {
                    labels.push(part);
                }
            }
        }
    }
    labels
}

/// Says what looks odd and is taken as it is.
fn remark_on_names(flags: &Flags, file: &RatingsFile, sheets: &[Sheet], remarks: &mut Vec<String>) {
    if file.blank > 0 {
        remarks.push(format!("{} of white space only, taken as missing", counted(file.blank, "label")));
    }
    if file.folded > 0 {
        remarks.push(format!("--fold: {} taken as an earlier spelling", counted(file.folded, "label")));
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    for sheet in sheets {
        let kinds = [
            ("labels", &sheet.labels, "they count as different categories; --fold takes them as one"),
            ("raters", &sheet.raters, "they count as different raters"),
            ("items", &sheet.items, "they count as different items"),
        ];
        for (what, names, meaning) in kinds {
            let texts = names.texts().iter().map(String::as_str);
            let groups = lookalikes(texts);
            for group in groups.iter().take(5) {
                // In backticks and with their blanks.
                let shown: Vec<String> = group.iter().take(5).map(|text| quoted(text)).collect();
                told.insert(format!(
                    "{what} {} differ in case or white space only: {meaning}",
                    shown.join(", ")
                ));
            }
            if groups.len() > 5 {
                told.insert(format!(
                    "{} more groups of {what} differ in case or white space only",
                    groups.len() - 5
                ));
            }
        }
        for text in sheet.labels.texts() {
            let missing = ["na", "n/a", "nan", "null", "nil", "?", "-"].contains(&fold(text).as_str());
            if missing {
                let text = quoted(text);
                told.insert(format!(
                    "label {text} counts as a category; where it means that there is no label, say --missing"
                ));
            } else if text.trim() != text && !flags.fold && flags.sets.is_none() {
                told.insert(format!("label {} has white space at its ends", quoted(text)));
            }
        }
    }
    remarks.extend(told);
}

/// The study of a sheet; labels that are not declared become bad rows.
fn of_sheet(
    flags: &Flags,
    sheet: &Sheet,
    labels: &[String],
    ranks: &HashMap<&str, usize>,
    files: &[String],
    file: &mut RatingsFile,
    remarks: &mut Vec<String>,
) -> Result<Study, Failure> {
    let question = sheet.question.as_deref();
    let declared = choices::for_question(&flags.categories, question)?;
    let place = question.map_or(String::new(), |question| format!("question {}: ", quoted(question)));
    let is_declared = declared.is_some();
    let choices = choices::Choices::of(flags, labels, declared, remarks)
        .map_err(|problem| Failure::usage(format!("{place}{problem}")))?;
    let key = |text: &str| if flags.fold { fold(text) } else { text.to_owned() };
    let numbers: HashMap<String, usize> =
        choices.categories.iter().enumerate().map(|(number, name)| (key(name), number)).collect();
    // What each text of the sheet means: its categories, or the first part of it that is none.
    let parts = |text: &str| -> Vec<String> {
        match &flags.sets {
            Some(separator) => choices::split_set(text, separator),
            None => vec![text.to_owned()],
        }
    };
    let meaning: Vec<Result<BTreeSet<usize>, String>> = sheet
        .labels
        .texts()
        .iter()
        .map(|text| {
            let number = |part: String| numbers.get(&key(&part)).copied().ok_or(part);
            parts(text).into_iter().map(number).collect()
        })
        .collect();
    let names = sheet.raters.texts();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|rater| ranks.get(names[*rater].as_str()));
    let mut rated: Vec<Vec<Option<BTreeSet<usize>>>> = Vec::with_capacity(order.len());
    for rater in &order {
        let mut row = Vec::with_capacity(sheet.items.len());
        for cell in sheet.cells(*rater) {
            let label = cell.and_then(|cell| cell.label.map(|label| (cell, label)));
            row.push(match label.and_then(|(cell, label)| Some((cell, meaning.get(label)?))) {
                Some((_, Ok(set))) => Some(set.clone()),
                Some((cell, Err(part))) => {
                    let near = choices.near(part);
                    let name = files.get(cell.file).map_or("", String::as_str);
                    file.refuse(name, cell.line, BadReason::Undeclared { label: part.clone(), near });
                    None
                }
                None => None,
            });
        }
        rated.push(row);
    }
    let size = choices.categories.len().max(1);
    let data = match flags.sets {
        Some(_) => Data::Sets(SetRatings::new(size, rated).map_err(Failure::usage)?),
        None => {
            let first = |set: &Option<BTreeSet<usize>>| set.as_ref().and_then(|set| set.first().copied());
            let rows = rated.iter().map(|row| row.iter().map(first).collect()).collect();
            Data::Ratings(Ratings::new(size, rows).map_err(Failure::usage)?)
        }
    };
    Ok(Study {
        question: sheet.question.clone(),
        round: sheet.round.clone(),
        raters: order.iter().map(|rater| names[*rater].clone()).collect(),
        items: sheet.items.texts().to_vec(),
        categories: choices.categories,
        declared: is_declared,
        ordered: choices.ordered,
        values: choices.values,
        weights: choices.weights,
        scheme: choices.scheme,
        data,
    })
}

impl Study {
    /// Whether this metric of alpha can be computed.
    pub fn has_metric(&self, metric: MetricName) -> bool {
        match metric {
            MetricName::Nominal => true,
            MetricName::Ordinal => self.ordered,
            MetricName::Interval | MetricName::Ratio => self.values.is_some(),
        }
    }
}
