//! Rounds with what of them somebody may take away, for tables.
//!
//! Promises: labels that may not be seen are not read; the workbench and the command line write the same bytes.
//! Leaves to others: the tables (`label::table`, `label::export`), files.

use super::{Desk, Studies, StudyError};
use crate::label::event::Deviation;
use crate::label::export::{
    Place, Stage, counts_csv, json_lines, latex, long_csv, markdown, methods, wide_csv,
};
use crate::label::phase::Phase;
use crate::label::round::{Round, same_study};
use crate::label::table::{Told, table};
use crate::label::visible::{decisions, exported};

/// What labels become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// CSV, one row for each label.
    Long,
    /// CSV, one column for each annotator.
    Wide,
    /// CSV, how many chose each category: blind labels of one question.
    Counts,
    /// JSON Lines of everything.
    Jsonl,
    /// A table of agreement for LaTeX.
    Latex,
    /// A table of agreement for Markdown.
    Markdown,
    /// A paragraph that says how it was done.
    Methods,
}

impl TableForm {
    /// All of them.
    pub const ALL: [TableForm; 7] = [
        TableForm::Long,
        TableForm::Wide,
        TableForm::Counts,
        TableForm::Latex,
        TableForm::Markdown,
        TableForm::Methods,
        TableForm::Jsonl,
    ];

    /// Its name, as `label export --form` has it.
    pub const fn name(self) -> &'static str {
        match self {
            TableForm::Long => "long",
            TableForm::Wide => "wide",
            TableForm::Counts => "counts",
            TableForm::Jsonl => "jsonl",
            TableForm::Latex => "latex",
            TableForm::Markdown => "markdown",
            TableForm::Methods => "methods",
        }
    }

    /// What it is, in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            TableForm::Long => "CSV, one row for each label (pandas, R)",
            TableForm::Wide => "CSV, one column for each annotator (scikit-learn)",
            TableForm::Counts => "CSV, how many chose each category (statsmodels, irrCAC)",
            TableForm::Jsonl => "JSON Lines of everything, for programs",
            TableForm::Latex => "a table of agreement for a paper",
            TableForm::Markdown => "a table of agreement for an issue or a README",
            TableForm::Methods => "the paragraph that says how it was done",
        }
    }

    /// The ending of its files.
    pub const fn ending(self) -> &'static str {
        match self {
            TableForm::Long | TableForm::Wide | TableForm::Counts => "csv",
            TableForm::Jsonl => "jsonl",
            TableForm::Latex => "tex",
            TableForm::Markdown => "md",
            TableForm::Methods => "txt",
        }
    }
}

impl Studies {
    /// The rounds of a study, the earliest first.
    pub fn of_study(&self, study: &str) -> Result<Vec<Round>, StudyError> {
        let (mut rounds, _) = self.list()?;
        rounds.retain(|round| same_study(&round.study, study));
        rounds.reverse();
        Ok(rounds)
    }
}

impl Desk {
    /// The rounds of the study, the earliest first.
    pub fn of_study(&self) -> Result<Vec<Round>, StudyError> {
        self.studies.of_study(&self.round.study)
    }

    /// Another round as the same person sees it.
    pub fn beside(&self, round: Round) -> Desk {
        self.studies.desk_of(round, &self.name)
    }

    /// The round with what who looks may take away. A lead who wants blind labels says `live`, and that leaves a
    /// deviation.
    pub fn told(&mut self, live: bool) -> Result<Told, StudyError> {
        let live = live && self.role.leads() && self.round.phase == Phase::Labelling;
        if live {
            self.deviate(Deviation::LiveLabels)?;
        }
        let mut sheets = Vec::new();
        for annotator in 0..self.round.annotators.len() {
            let may = live || exported(self.role, self.round.phase, annotator, false);
            sheets.push(if may { Some(self.unguarded(annotator)?) } else { None });
        }
        let may = decisions(self.role, self.round.phase);
        let decisions = if may { Some(self.unguarded_decisions()?) } else { None };
        Ok(Told { round: self.round.clone(), sheets, decisions })
    }

    /// The labels that may be taken away as a table or text, and how many they are; of all rounds of the study or of
    /// this one. The table of counts is of one question.
    pub fn table_text(
        &mut self,
        form: TableForm,
        all_rounds: bool,
        question: &str,
        live: bool,
    ) -> Result<(String, u64), StudyError> {
        let study = self.round.study.clone();
        let mut told = Vec::new();
        if all_rounds {
            for round in self.of_study()? {
                told.push(self.beside(round).told(live)?);
            }
        } else {
            told.push(self.told(live)?);
        }
        let table = table(&study, &told);
        let problems: Vec<String> = table.problems().iter().map(ToString::to_string).collect();
        if !problems.is_empty() {
            return Err(StudyError::NoTable(problems.join("\n")));
        }
        let text = match form {
            TableForm::Jsonl => json_lines(&table),
            TableForm::Long => long_csv(&table),
            TableForm::Wide => wide_csv(&table),
            TableForm::Latex => latex(&table),
            TableForm::Markdown => markdown(&table),
            TableForm::Methods => methods(&table),
            TableForm::Counts => {
                let round = self.round.name.as_str().into();
                let place = Place { round, stage: Stage::Blind, question: question.into() };
                let known: Vec<&str> = table.questions.iter().map(|question| question.id.as_str()).collect();
                let found = counts_csv(&table, &place, true);
                found.ok_or_else(|| StudyError::NoQuestion { known: known.join(", ") })?
            }
        };
        Ok((text, table.rows.len() as u64))
    }
}
