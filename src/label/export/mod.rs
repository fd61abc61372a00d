//! A study as tables for other programs and for a paper.
//!
//! Promises: pure, from one neutral table of labels, whoever fills it; nothing that is undefined is written as a
//! number, and its reason stands beside it; blind, revised and adjudicated labels never mix; what was verified again
//! after people had talked about it is never called independent; every export carries the deviations from the protocol.
//! Leaves to others: filling the table (rounds: [`super::table`]; files: `dataset::labels`), writing files.
//!
//! | for | use |
//! |---|---|
//! | one row for each label: pandas, R, spreadsheets | [`long_csv`] |
//! | one column for each annotator: scikit-learn | [`wide_csv`] |
//! | how many chose each category: statsmodels, irrCAC | [`counts_csv`] |
//! | everything, for programs | [`json_lines`] |
//! | a table in a paper or an issue | [`latex`], [`markdown`] |
//! | the paragraph that says how it was done | [`methods`] |
//!
//! A question that is asked only after another is in the table for every subject: where an annotator was not asked it
//! because of an earlier answer, the row says [`Answer::NotApplicable`]. Agreement on it is read twice
//! ([`Reading`]): on the subjects where it applied for both, and on all with "not-applicable" as a category. In the
//! CSV files these are the rows without, and all rows.

mod cell;
mod csv;
mod json;
mod measure;
mod methods;
mod sheets;
mod tables;

pub use cell::{from_cell, number, to_cell};
pub use csv::{LONG_COLUMNS, SET_SEPARATOR, counts_csv, long_csv, wide_csv, written};
pub use json::json_lines;
pub use measure::{Measured, Raters, Reading, Statistic, measure};
pub use methods::methods;
pub use sheets::Place;
pub use tables::{latex, markdown};

use super::codebook::{Codebook, Kind, Question};
use super::phase::Phase;
use super::value::{Labels, NOT_APPLICABLE, Value};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A name that many rows share.
pub type Name = Arc<str>;

/// A study: its labels and what has to be said beside them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Study {
    /// Its name, for people.
    pub name: String,
    /// The codebook in words: title, id and version.
    pub codebook: Option<CodebookFacts>,
    /// The questions, in order.
    pub questions: Vec<StudyQuestion>,
    /// The rounds, in order.
    pub rounds: Vec<RoundFacts>,
    /// The labels; at most one for a round, stage, question, item and annotator.
    pub rows: Vec<Row>,
    /// What was done otherwise than planned.
    pub deviations: Vec<Deviation>,
}

/// What is said about the codebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodebookFacts {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its stamp, version and hash.
    pub stamp: String,
}

/// A question, as far as its labels are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyQuestion {
    /// Its id.
    pub id: String,
    /// What is asked; may be empty.
    pub text: String,
    /// How its labels are compared.
    pub form: Form,
    /// The declared categories, in order; none for numbers and texts.
    pub categories: Vec<String>,
    /// Whether agreement on it is measured.
    pub counts: bool,
    /// Whether it is asked only after another.
    pub conditional: bool,
}

/// How labels of a question are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// As names.
    Nominal,
    /// As names in a hierarchy: for each category the way from the root to it.
    Hierarchy(Vec<Vec<String>>),
    /// As steps of a scale.
    Ordinal,
    /// As sets of names.
    Sets,
    /// As numbers.
    Numbers,
    /// Not at all.
    Texts,
}

/// What is said about a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoundFacts {
    /// Its name.
    pub name: String,
    /// Items that were to be labelled, those without a label included; training and repeated items not.
    pub items: u64,
    /// How many of them are served a second time.
    pub second: u64,
    /// Names of those who label; none where that is not known.
    pub annotators: Vec<String>,
    /// The seed by which they were drawn.
    pub seed: Option<u64>,
    /// Who settled what was contested.
    pub arbitrator: Option<String>,
    /// Where it stands; none: it is over, or that is not known.
    pub phase: Option<Phase>,
}

/// Something that was done otherwise than planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The round.
    pub round: String,
    /// When, in UTC (RFC 3339), where it is known.
    pub at: Option<String>,
    /// What happened, as a sentence without a full stop.
    pub what: String,
}

/// When a label was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Before anybody knew of another label of the item.
    Blind,
    /// After a discussion: the how-manieth revision, from 1.
    Revised(u32),
    /// By the arbitrator.
    Adjudicated,
}

impl Stage {
    /// Its word in the column `phase`.
    pub const fn phase(self) -> &'static str {
        match self {
            Stage::Blind => "blind",
            Stage::Revised(_) => "revised",
            Stage::Adjudicated => "adjudicated",
        }
    }

    /// The number in the column `revision`; 0 for blind and adjudicated labels.
    pub const fn revision(self) -> u32 {
        match self {
            Stage::Revised(number) => number,
            Stage::Blind | Stage::Adjudicated => 0,
        }
    }

    /// The stage of a word and a number.
    pub fn parse(phase: &str, revision: u32) -> Option<Stage> {
        match (phase, revision) {
            ("blind", 0) => Some(Stage::Blind),
            ("adjudicated", 0) => Some(Stage::Adjudicated),
            ("revised", 1..) => Some(Stage::Revised(revision)),
            _ => None,
        }
    }

    /// For people: `blind`, `revised (1)`, `adjudicated`.
    pub fn words(self) -> String {
        match self {
            Stage::Revised(number) => format!("revised ({number})"),
            other => other.phase().to_owned(),
        }
    }
}

/// What an annotator's labels say to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It was asked and answered.
    Value(Value),
    /// It was not asked, because an earlier answer ruled it out.
    NotApplicable,
}

/// One label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The round.
    pub round: Name,
    /// The subject, as `dataset/id@revision`.
    pub item: Name,
    /// `task` or `turn`; empty where it is not known.
    pub subject: Name,
    /// Who gave it.
    pub annotator: Name,
    /// The id of the question.
    pub question: Name,
    /// When.
    pub stage: Stage,
    /// What.
    pub answer: Answer,
    /// Whether the item was labelled in an earlier round already, so that the label is not independent of what was
    /// said about it.
    pub seen_before: bool,
    /// The stamp of the codebook; empty where there is none.
    pub codebook: Name,
    /// The time in UTC (RFC 3339); empty where it is not known.
    pub at: Name,
}

/// A study that cannot be exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// Two labels for one place.
    #[error(
        "row {row}: `{annotator}` has a second {stage} label of `{item}` for `{question}` in round `{round}`; only one may count"
    )]
    Duplicate {
        /// The number of the row, from 1.
        row: usize,
        /// The round.
        round: String,
        /// The item.
        item: String,
        /// The annotator.
        annotator: String,
        /// The question.
        question: String,
        /// The stage, in words.
        stage: String,
    },
    /// A question that the study does not have.
    #[error("row {row}: the study has no question `{question}`")]
    UnknownQuestion {
        /// The number of the row, from 1.
        row: usize,
        /// The question.
        question: String,
    },
    /// A label that is none of the declared categories, or has another form.
    #[error("row {row}: `{value}` is no label of `{question}`; declared are {known}")]
    UnknownCategory {
        /// The number of the row, from 1.
        row: usize,
        /// The question.
        question: String,
        /// What was found.
        value: String,
        /// The declared categories, or what form is wanted.
        known: String,
    },
}

impl StudyQuestion {
    /// A question of a codebook.
    pub fn of(question: &Question) -> StudyQuestion {
        let categories: Vec<String> = question.categories().map(|answer| answer.id.clone()).collect();
        let form = match question.kind {
            Kind::Multiple => Form::Sets,
            Kind::Ordinal => Form::Ordinal,
            Kind::Number { .. } => Form::Numbers,
            Kind::Text => Form::Texts,
            Kind::Single | Kind::YesNo if question.is_hierarchical() => {
                let path = |id: &String| question.path(id).into_iter().map(str::to_owned).collect();
                Form::Hierarchy(categories.iter().map(path).collect())
            }
            Kind::Single | Kind::YesNo => Form::Nominal,
        };
        StudyQuestion {
            id: question.id.clone(),
            text: question.text.clone(),
            form,
            categories,
            counts: question.counts,
            conditional: question.when.is_some(),
        }
    }

    /// Whether a value has the form of the question and, where categories are declared, is made of them.
    fn fits(&self, value: &Value) -> bool {
        let known = |id: &String| self.categories.contains(id);
        match (&self.form, value) {
            (Form::Nominal | Form::Hierarchy(_) | Form::Ordinal, Value::One(id)) => known(id),
            (Form::Sets, Value::Many(ids)) => ids.iter().all(known),
            (Form::Numbers, Value::Number(_)) | (Form::Texts, Value::Text(_)) => true,
            _ => false,
        }
    }

    /// The categories, or what else is wanted, for a message.
    fn known(&self) -> String {
        match self.form {
            Form::Numbers => "numbers".to_owned(),
            Form::Texts => "texts".to_owned(),
            _ => self.categories.join(", "),
        }
    }
}

impl CodebookFacts {
    /// What is said about a codebook.
    pub fn of(codebook: &Codebook) -> CodebookFacts {
        CodebookFacts {
            id: codebook.id.clone(),
            title: codebook.title.clone(),
            stamp: codebook.stamp().to_string(),
        }
    }
}

/// What somebody's labels of a subject say to every question of a codebook: answers to those that apply,
/// "not applicable" to those that an earlier answer ruled out, nothing for those that are open.
pub fn answers(codebook: &Codebook, labels: &Labels) -> Vec<(String, Answer)> {
    use super::codebook::Applies;
    codebook
        .questions
        .iter()
        .filter_map(|question| {
            let answer = match codebook.applies(question, labels) {
                Applies::Yes => Answer::Value(labels.get(&question.id)?.clone()),
                Applies::No => Answer::NotApplicable,
                Applies::NotYet => return None,
            };
            Some((question.id.clone(), answer))
        })
        .collect()
}

impl Study {
    /// Questions that are not declared anywhere, from the labels themselves: all of them counted, their categories
    /// those that occur, sorted.
    pub fn questions_of(rows: &[Row]) -> Vec<StudyQuestion> {
        let mut forms: Vec<(Name, Form)> = Vec::new();
        let mut seen: BTreeMap<Name, BTreeMap<String, ()>> = BTreeMap::new();
        for row in rows {
            let Answer::Value(value) = &row.answer else { continue };
            if !seen.contains_key(&row.question) {
                let form = match value {
                    Value::One(_) => Form::Nominal,
                    Value::Many(_) => Form::Sets,
                    Value::Number(_) => Form::Numbers,
                    Value::Text(_) => Form::Texts,
                };
                forms.push((row.question.clone(), form));
            }
            let categories = seen.entry(row.question.clone()).or_default();
            for answer in value.answers() {
                if !categories.contains_key(answer) {
                    categories.insert(answer.to_owned(), ());
                }
            }
        }
        let conditional: HashSet<&Name> =
            rows.iter().filter(|row| row.answer == Answer::NotApplicable).map(|row| &row.question).collect();
        forms
            .iter()
            .map(|(id, form)| StudyQuestion {
                id: id.to_string(),
                text: String::new(),
                counts: *form != Form::Texts,
                form: form.clone(),
                categories: seen.get(id).map(|found| found.keys().cloned().collect()).unwrap_or_default(),
                conditional: conditional.contains(id),
            })
            .collect()
    }

    /// The study with the labels of one stage only, and of questions that count: what `mendbench agreement
    /// --ratings` reads as one set of labels.
    pub fn counted(&self, stage: Stage) -> Study {
        let counts = |question: &str| self.question(question).is_some_and(|question| question.counts);
        let rows = self.rows.iter().filter(|row| row.stage == stage && counts(&row.question));
        let (rows, name) = (rows.cloned().collect(), self.name.clone());
        Study {
            name,
            codebook: self.codebook.clone(),
            questions: self.questions.clone(),
            rounds: self.rounds.clone(),
            rows,
            deviations: self.deviations.clone(),
        }
    }

    /// The question with an id.
    pub fn question(&self, id: &str) -> Option<&StudyQuestion> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// Everything that keeps the study from being exported: labels for one place twice, of questions that there are
    /// not, and of categories that were not declared.
    pub fn problems(&self) -> Vec<StudyError> {
        let mut problems = Vec::new();
        let mut places = HashSet::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let number = at + 1;
            let place = (&row.round, row.stage, &row.question, &row.item, &row.annotator);
            if !places.insert(place) {
                problems.push(StudyError::Duplicate {
                    row: number,
                    round: row.round.to_string(),
                    item: row.item.to_string(),
                    annotator: row.annotator.to_string(),
                    question: row.question.to_string(),
                    stage: row.stage.words(),
                });
            }
            match (self.question(&row.question), &row.answer) {
                (None, _) => problems
                    .push(StudyError::UnknownQuestion { row: number, question: row.question.to_string() }),
                (Some(question), Answer::Value(value)) if !question.fits(value) => {
                    problems.push(StudyError::UnknownCategory {
                        row: number,
                        question: row.question.to_string(),
                        value: value.to_string(),
                        known: question.known(),
                    });
                }
                _ => {}
            }
        }
        problems
    }
}

impl Answer {
    /// The ids in it, as categories are named.
    fn categories(&self) -> Vec<&str> {
        match self {
            Answer::Value(value) => value.answers(),
            Answer::NotApplicable => vec![NOT_APPLICABLE],
        }
    }
}
