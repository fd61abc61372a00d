//! Ends of phases; and what else the lead writes into a round.
//!
//! Promises: a phase ends for everybody or for nobody: each annotator's answers are frozen first, in a place where
//! no answer can slip in between, and the step is written down last; breaking off in between loses nothing and
//! doing it again goes on. Leaves to others: the rules (`label::phase`).

use super::keep::label_stream;
use super::{Desk, StudyError};
use crate::label::codebook::{Changes, Codebook, changes};
use crate::label::event::{Deviation, What};
use crate::label::fold::Sheet;
use crate::label::phase::{Phase, Refusal, advance};
use crate::label::reading::Stale;
use crate::label::round::Round;
use crate::label::status::{obstacles, reading};
use crate::text::composed;

impl Desk {
    /// Ends the present phase for `to`.
    pub fn advance(&mut self, to: Phase, force: bool) -> Result<(), StudyError> {
        loop {
            self.refresh()?;
            let from = self.round.phase;
            let assigned = self.round.assignment.is_some();
            // Who may not, and what can never be, is told without looking at anybody's labels.
            advance(self.role, from, to, assigned, Vec::new(), false)?;
            let mut streams = Vec::new();
            for annotator in 0..self.round.annotators.len() {
                streams.push(self.stream(annotator)?);
            }
            let seqs: Vec<u64> = streams.iter().map(|stream| stream.seq).collect();
            let sheets: Vec<Sheet> = streams.into_iter().map(|stream| Sheet::of(stream.events)).collect();
            let decisions = self.unguarded_decisions()?;
            let missing = obstacles(&self.round, &sheets, &decisions);
            let deviation = advance(self.role, from, to, assigned, missing, force)?;
            if !self.freeze(from, &sheets, &seqs)? {
                continue;
            }
            let mut whats: Vec<What> = deviation.into_iter().map(What::Deviated).collect();
            whats.push(What::PhaseAdvanced { from, to });
            let role = self.role;
            self.round = self.studies.change(self.round.id, &self.actor(), &|round: &Round| {
                advance(role, round.phase, to, true, Vec::new(), false)?;
                Ok(whats.clone())
            })?;
            return Ok(());
        }
    }

    /// Freezes the answers of everybody; false: somebody answered meanwhile.
    fn freeze(&self, phase: Phase, sheets: &[Sheet], seqs: &[u64]) -> Result<bool, StudyError> {
        for (annotator, (sheet, seq)) in sheets.iter().zip(seqs).enumerate() {
            if sheet.is_frozen(phase) {
                continue;
            }
            let answers = sheet.answers_now().into_iter().map(|given| given.event).collect();
            let what = What::Frozen { phase, answers };
            let event = self.studies.event(self.round.id, sheet.next_order(), &self.actor(), &what);
            let stream = label_stream(self.round.id, &self.key(annotator));
            if !self.studies.append(&stream, *seq, &[event])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn lead(&self, wanted: &str) -> Result<(), StudyError> {
        if self.role.leads() { Ok(()) } else { Err(self.not_your_part(wanted)) }
    }

    /// Puts another version of the codebook in force; while labelling is blind that is a deviation.
    pub fn change_codebook(&mut self, codebook: &Codebook, why: &str) -> Result<Changes, StudyError> {
        self.lead("only its lead changes the codebook")?;
        let actor = self.actor();
        let before = self.round.codebook().clone();
        self.round = self.studies.change(self.round.id, &actor, &|round: &Round| {
            if round.phase == Phase::Closed {
                let why = "nothing changes any more".to_owned();
                return Err(StudyError::NotNow { round: round.name.clone(), phase: round.phase, why });
            }
            let present = round.codebook();
            if present.id != codebook.id {
                return Err(StudyError::OtherCodebook {
                    found: codebook.id.clone(),
                    wanted: present.id.clone(),
                });
            }
            let (from, to) = (present.stamp(), codebook.stamp());
            if from == to {
                return Err(StudyError::SameCodebook);
            }
            let changed = What::CodebookChanged { codebook: Box::new(codebook.clone()), why: why.to_owned() };
            let mut whats = vec![changed];
            if round.phase == Phase::Labelling && round.assignment.is_some() {
                whats.push(What::Deviated(Deviation::CodebookChanged { from, to }));
            }
            Ok(whats)
        })?;
        Ok(changes(&before, self.round.codebook()))
    }

    /// Gives somebody another name.
    ///
    /// # Errors
    ///
    /// Who asks does not lead it; nobody is called so; the name is the present one, or cannot be theirs.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), StudyError> {
        self.lead("only its lead renames people")?;
        let round = &self.round;
        let found = round.people().find(|person| crate::label::round::same_name(&person.name, from));
        let Some(person) = found.cloned() else {
            let names: Vec<&str> = round.people().map(|person| person.name.as_str()).collect();
            let why = format!("nobody in it is called `{from}`: there are {}", names.join(", "));
            return Err(self.hidden(&why));
        };
        let to = composed(to).into_owned();
        if person.name == to {
            return Err(StudyError::SameName(to));
        }
        // Lead and arbitrator may be one person under one key.
        self.round = self.studies.change(round.id, &self.actor(), &|round: &Round| {
            round.check_rename(&person.key, &to)?;
            Ok(vec![What::Renamed { key: person.key.clone(), name: to.clone() }])
        })?;
        Ok(())
    }

    /// The stale labels of everybody whose labels may be seen, by the number of the annotator.
    pub fn stale(&self) -> Result<Vec<(usize, Vec<Stale>)>, StudyError> {
        let mut all = Vec::new();
        for annotator in 0..self.round.annotators.len() {
            if let Ok(sheet) = self.sheet(annotator) {
                all.push((annotator, reading(&self.round, &sheet).stale));
            }
        }
        Ok(all)
    }

    /// Why a phase cannot end, if it cannot; writes nothing.
    pub fn check_advance(&self, to: Phase) -> Result<(), StudyError> {
        let assigned = self.round.assignment.is_some();
        advance(self.role, self.round.phase, to, assigned, Vec::new(), false)?;
        let missing = obstacles(&self.round, &self.unguarded_all()?, &self.unguarded_decisions()?);
        if missing.is_empty() { Ok(()) } else { Err(Refusal::Obstacles(missing).into()) }
    }
}
