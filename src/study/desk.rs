//! A round as one person sees it.
//!
//! Promises: every label that is read here was allowed by `label::visible`; what is hidden is not read at all.

use super::keep::{Stream, decision_stream, label_stream};
use super::{Studies, StudyError};
use crate::label::adjudicate::{Case, Decisions};
use crate::label::compare::{Basis, Compared, compared};
use crate::label::event::{Deviation, What};
use crate::label::fold::Sheet;
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::status::{Progress, all_cases, progress};
use crate::label::visible::{Access, Agreement, Role, agreement, agreement_hidden, decisions, labels};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// A round, and who looks at it.
#[derive(Clone)]
pub struct Desk {
    pub(super) studies: Studies,
    /// The round.
    pub round: Round,
    /// The name of who looks.
    pub name: String,
    /// What they are in the round.
    pub role: Role,
}

impl Studies {
    /// A round as somebody sees it.
    pub fn desk(&self, round: Option<&str>, name: &str) -> Result<Desk, StudyError> {
        Ok(self.desk_of(self.find(round)?, name))
    }

    /// This round as somebody sees it.
    pub fn desk_of(&self, round: Round, name: &str) -> Desk {
        let role = round.role(name);
        Desk { studies: self.clone(), role, name: name.to_owned(), round }
    }
}

impl Desk {
    /// The key by which events name who looks: annotators keep theirs under any name.
    pub(super) fn actor(&self) -> String {
        match self.role {
            Role::Annotator(number) => self.key(number),
            Role::Lead | Role::LeadAndArbitrator => self.round.lead.key.clone(),
            Role::Arbitrator => self.round.arbitrator.key.clone(),
            Role::Outsider => self.name.clone(),
        }
    }

    pub(super) fn key(&self, annotator: usize) -> String {
        self.round.annotators.get(annotator).map_or_else(String::new, |person| person.key.clone())
    }

    /// Says who may do what was wanted.
    pub(super) fn not_your_part(&self, wanted: &str) -> StudyError {
        let is = match self.role {
            Role::Outsider => "has no part".to_owned(),
            Role::Arbitrator => "is the arbitrator".to_owned(),
            Role::Lead => "is the lead".to_owned(),
            Role::LeadAndArbitrator => "is the lead and the arbitrator".to_owned(),
            Role::Annotator(_) => "is an annotator".to_owned(),
        };
        let (who, is) = match self.name.trim() {
            "" => ("no name is set, and without one nobody".to_owned(), "has a part".to_owned()),
            _ => (self.name.clone(), is),
        };
        let round = self.round.name.clone();
        StudyError::NotYourPart { who, is, round, wanted: wanted.to_owned() }
    }

    pub(super) fn hidden(&self, why: &str) -> StudyError {
        StudyError::Hidden { round: self.round.name.clone(), why: why.to_owned() }
    }

    pub(super) fn stream(&self, annotator: usize) -> Result<Stream, StudyError> {
        Ok(self.studies.read(&label_stream(self.round.id, &self.key(annotator)))?)
    }

    /// The labels of an annotator, without asking whether they may be seen.
    pub(super) fn unguarded(&self, annotator: usize) -> Result<Sheet, StudyError> {
        Ok(Sheet::of(self.stream(annotator)?.events))
    }

    pub(super) fn unguarded_all(&self) -> Result<Vec<Sheet>, StudyError> {
        (0..self.round.annotators.len()).map(|annotator| self.unguarded(annotator)).collect()
    }

    /// What may be seen of an annotator's labels.
    pub fn access(&self, annotator: usize) -> Access {
        labels(self.role, self.round.phase, annotator)
    }

    /// The labels of an annotator.
    pub fn sheet(&self, annotator: usize) -> Result<Sheet, StudyError> {
        match self.access(annotator) {
            Access::All => self.unguarded(annotator),
            _ => Err(self.hidden(&format!("these labels cannot be seen in {}", self.round.phase))),
        }
    }

    /// The number of the annotator who looks.
    pub fn annotator(&self) -> Result<usize, StudyError> {
        match self.role {
            Role::Annotator(number) => Ok(number),
            _ => Err(self.not_your_part("only its annotators label")),
        }
    }

    /// How far those annotators are whose progress may be seen.
    pub fn progress(&self) -> Result<Vec<(usize, Progress)>, StudyError> {
        let mut all = Vec::new();
        for annotator in 0..self.round.annotators.len() {
            // The arbitrator knows what waits for a decision, not how fast each one was.
            let own = self.role == Role::Annotator(annotator);
            let may = self.access(annotator);
            if own || self.role.leads() || may == Access::All {
                all.push((annotator, progress(&self.round, annotator, &self.unguarded(annotator)?)));
            }
        }
        Ok(all)
    }

    /// The decisions.
    pub fn decisions(&self) -> Result<Decisions, StudyError> {
        if !decisions(self.role, self.round.phase) {
            return Err(self.hidden("decisions can be seen when it is closed"));
        }
        self.unguarded_decisions()
    }

    pub(super) fn unguarded_decisions(&self) -> Result<Decisions, StudyError> {
        Ok(Decisions::of(self.studies.read(&decision_stream(self.round.id))?.events))
    }

    /// What the arbitrator sent back to the annotator who looks, by item: the event, and why. Nothing before
    /// adjudication and nothing of others.
    ///
    /// # Errors
    /// Whoever looks is no annotator; the workspace failed.
    pub fn sent_back(&self) -> Result<BTreeMap<String, (Uuid, String)>, StudyError> {
        let annotator = self.annotator()?;
        if self.round.phase < Phase::Adjudication {
            return Ok(BTreeMap::new());
        }
        let mine: HashSet<&str> = self
            .round
            .queue(annotator)
            .filter_map(|number| self.round.items.get(number))
            .map(|item| item.name.as_str())
            .collect();
        let all = self.unguarded_decisions()?.sent_back.into_iter();
        let own = all.filter(|(item, _)| mine.contains(item.as_str()));
        Ok(own.filter_map(|(item, mut back)| back.pop().map(|last| (item, (last.event, last.why)))).collect())
    }

    /// All items, settled as far as they are; for those who may see decisions.
    pub fn cases(&self) -> Result<Vec<Case>, StudyError> {
        let decisions = self.decisions()?;
        if self.round.phase < Phase::Adjudication {
            return Err(self.hidden("nothing is settled before adjudication"));
        }
        Ok(all_cases(&self.round, &self.unguarded_all()?, &decisions))
    }

    /// What is compared. While labelling is blind only the lead may, with `live`, and that leaves a deviation.
    pub fn compared(&mut self, basis: Basis, live: bool) -> Result<Vec<Compared>, StudyError> {
        match agreement(self.role, self.round.phase) {
            Agreement::Shown => {}
            Agreement::Hidden => return Err(self.hidden(agreement_hidden(self.round.phase))),
            Agreement::AtAPrice if live => self.deviate(Deviation::LiveAgreement)?,
            Agreement::AtAPrice => {
                return Err(self.hidden(
                    "labelling is blind: as its lead you can see agreement with --live, which is written down as a deviation from the protocol",
                ));
            }
        }
        Ok(compared(&self.round, &self.unguarded_all()?, basis))
    }

    /// Writes a deviation down.
    pub(super) fn deviate(&mut self, deviation: Deviation) -> Result<(), StudyError> {
        let what = What::Deviated(deviation);
        self.round = self.studies.change(self.round.id, &self.actor(), &|_| Ok(vec![what.clone()]))?;
        Ok(())
    }

    /// Reads the round again.
    pub fn refresh(&mut self) -> Result<(), StudyError> {
        self.round = self.studies.open(self.round.id)?;
        self.role = self.round.role(&self.name);
        Ok(())
    }
}
