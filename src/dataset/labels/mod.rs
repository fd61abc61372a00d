//! Labels that others gave, as a [`Study`]: the annotations of linux-bugs, those of SWE-bench, our own long files, and any
//! table of ratings whose columns are named.
//!
//! Promises: what was given before annotators spoke about it is blind, what came after is a revision of the same items and
//! never a second independent label; every row becomes a label or a [`BadRow`] with its line and reason; what is odd
//! without being wrong is a remark in words.
//! Leaves to others: reading cells (`ratings`), statistics (`label::export`, `agreement`).

mod linux_bugs;
mod own;
mod ratings;
mod swebench;

#[cfg(test)]
mod tests;

use super::ratings::{BadRow, Layout, RatingsError};
use crate::label::export::{Stage, Study, StudyQuestion};

/// What these files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelFormat {
    /// `roundN_ANNOTATOR.csv` of linux-bugs.
    LinuxBugs,
    /// The annotations of SWE-bench Verified, or the classification of SWE-bench Lite.
    SweBench,
    /// A long file of `mendbench label export --form long`.
    Own,
    /// Any table with columns for item, rater and label, or a column for each rater.
    Ratings,
}

impl LabelFormat {
    /// All of them.
    pub const ALL: [LabelFormat; 4] =
        [LabelFormat::LinuxBugs, LabelFormat::SweBench, LabelFormat::Own, LabelFormat::Ratings];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            LabelFormat::LinuxBugs => "linux-bugs",
            LabelFormat::SweBench => "swebench",
            LabelFormat::Own => "mendbench",
            LabelFormat::Ratings => "ratings",
        }
    }

    /// The format with a name.
    pub fn by_name(name: &str) -> Option<LabelFormat> {
        LabelFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of a file, by the names of its columns.
    pub fn detect(bytes: &[u8]) -> LabelFormat {
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let names: Vec<&str> = line.trim().split(',').map(|name| name.trim().trim_matches('"')).collect();
        let has = |wanted: &[&str]| wanted.iter().all(|wanted| names.contains(wanted));
        if has(&["hash", "annotator", "bfc", "label"]) {
            LabelFormat::LinuxBugs
        } else if has(&["instance_id", "underspecified"]) || has(&["instance_id", "description quality"]) {
            LabelFormat::SweBench
        } else if has(&["phase", "revision", "question", "item", "annotator", "label"]) {
            LabelFormat::Own
        } else {
            LabelFormat::Ratings
        }
    }
}

/// How a table of ratings is read; the other formats know it themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The columns and what stands between them.
    pub layout: Layout,
    /// What stands between the labels of a set; none: each label is one answer.
    pub sets: Option<String>,
    /// When the labels were given.
    pub stage: Stage,
    /// The declared categories, in order; empty: those that occur, sorted.
    pub categories: Vec<String>,
    /// The question, where no column names one.
    pub question: String,
    /// The round, where no column names one.
    pub round: String,
}

impl Default for Mapping {
    fn default() -> Mapping {
        Mapping {
            layout: Layout::default(),
            sets: None,
            stage: Stage::Blind,
            categories: Vec::new(),
            question: "label".to_owned(),
            round: "1".to_owned(),
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// The study.
    pub study: Study,
    /// Rows, column names not counted.
    pub rows: u64,
    /// Rows that were refused, the first of them.
    pub bad: Vec<BadRow>,
    /// All of them.
    pub bad_count: u64,
    /// What is odd, in words.
    pub remarks: Vec<String>,
}

/// Why files are no labels.
#[derive(Debug, thiserror::Error)]
pub enum LabelsError {
    /// They cannot be read as tables.
    #[error(transparent)]
    Ratings(#[from] RatingsError),
    /// A file whose name does not say which round it is.
    #[error(
        "`{0}` does not say which round it is; files of linux-bugs are called round0_A1.csv, round1_A1.csv and so on"
    )]
    NoRound(String),
}

/// Reads files, given as names and content without byte order mark (see [`super::ratings::read_text`]). `questions` are
/// those of a codebook, for our own files; without them categories are those that occur.
///
/// # Errors
/// The files are no tables, or columns that are needed are not there.
pub fn read_labels(
    format: LabelFormat,
    files: &[(String, Vec<u8>)],
    mapping: &Mapping,
    questions: &[StudyQuestion],
) -> Result<Imported, LabelsError> {
    let mut imported = match format {
        LabelFormat::LinuxBugs => linux_bugs::read(files)?,
        LabelFormat::SweBench => swebench::read(files)?,
        LabelFormat::Own => own::read(files, questions)?,
        LabelFormat::Ratings => ratings::read(files, mapping)?,
    };
    imported.remarks.extend(remarks(&imported.study));
    Ok(imported)
}

/// What is odd about labels though each of them is right.
fn remarks(study: &Study) -> Vec<String> {
    use crate::label::export::{Raters, measure};
    let mut remarks = Vec::new();
    let annotators: std::collections::BTreeSet<&str> =
        study.rows.iter().filter(|row| row.stage != Stage::Adjudicated).map(|row| &*row.annotator).collect();
    if let (1, Some(only)) = (annotators.len(), annotators.first()) {
        remarks.push(format!("only one annotator, `{only}`: agreement needs two"));
    }
    for question in &study.questions {
        if let [only] = question.categories.as_slice() {
            remarks
                .push(format!("`{}` has only one category, `{only}`: agreement says nothing", question.id));
        }
    }
    if study.rows.len() <= 100_000 {
        for measured in measure(study) {
            let (Raters::Pair(one, other), 0) = (&measured.raters, measured.joint) else { continue };
            let question = &measured.place.question;
            remarks.push(format!("`{one}` and `{other}` have no item in common for `{question}`"));
        }
    }
    remarks
}
