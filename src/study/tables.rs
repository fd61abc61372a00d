//! Rounds with what of them somebody may take away, for tables.
//!
//! Promises: labels that may not be seen are not read. Leaves to others: the tables (`label::table`,
//! `label::export`).

use super::{Desk, Studies, StudyError};
use crate::label::event::Deviation;
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::table::Told;
use crate::label::visible::{decisions, exported};

impl Studies {
    /// The rounds of a study, the earliest first.
    pub fn of_study(&self, study: &str) -> Result<Vec<Round>, StudyError> {
        let (mut rounds, _) = self.list()?;
        rounds.retain(|round| round.study == study);
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
}
