//! What annotators differ on, as somebody may see it.
//!
//! Promises: what is hidden is not read, and the words that say so do not depend on it; an arbitrator gets answers
//! without names and in drawn order; an annotator gets the disputes in which they have a part.
//! Leaves to others: what a dispute is (`label::dispute`), what is contested (`label::adjudicate`).

use super::{Desk, StudyError};
use crate::label::adjudicate::{Decisions, letters};
use crate::label::dispute::{Dispute, Standing, Voice, disputes, rulings};
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::status::{looked_again, reading};
use crate::label::visible::{Access, Role};

/// What somebody may do with the disputes of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// See nothing, and why.
    Hidden(&'static str),
    /// Discuss them: revise their own answers.
    Discuss,
    /// Decide them, without names.
    Decide,
    /// Look on.
    Watch,
}

/// The disputes of a round, as somebody may see them.
#[derive(Debug, Clone)]
pub struct Disputes {
    /// The round.
    pub round: Round,
    /// Who looks.
    pub name: String,
    /// What they are in it.
    pub role: Role,
    /// What they may do.
    pub view: View,
    /// The disputes: those that wait for who looks stand where the codebook has them, not first.
    pub list: Vec<Dispute>,
}

impl Disputes {
    /// How many wait for something.
    pub fn open(&self) -> usize {
        self.list.iter().filter(|dispute| matches!(dispute.standing, Standing::Open)).count()
    }
}

/// While labelling is blind; the same for everybody, whatever there is.
const BLIND: &str = "Labelling is blind: what others answered, and where answers differ, is shown when the lead has \
                     ended that phase.";
const NOT_YET: &str = "The annotators discuss. Who will decide is shown nothing before that has ended: answers come \
                       then, without names.";
const NO_PART: &str = "You have no part in this round: its disagreements can be seen when it is closed.";

impl Desk {
    /// What the one who looks may do with disputes.
    pub fn view(&self) -> View {
        match (self.role, self.round.phase) {
            (_, Phase::Labelling) => View::Hidden(BLIND),
            (Role::Outsider, Phase::Discussion | Phase::Adjudication) => View::Hidden(NO_PART),
            (Role::Arbitrator | Role::LeadAndArbitrator, Phase::Discussion) => View::Hidden(NOT_YET),
            (Role::Arbitrator | Role::LeadAndArbitrator, Phase::Adjudication) => View::Decide,
            (Role::Annotator(_), Phase::Discussion) => View::Discuss,
            (Role::Annotator(_) | Role::Lead, _) | (_, Phase::Closed) => View::Watch,
        }
    }

    /// The disputes.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn disputes(&self) -> Result<Disputes, StudyError> {
        let view = self.view();
        let list = match view {
            View::Hidden(_) => Vec::new(),
            View::Decide => self.anonymous()?,
            View::Discuss | View::Watch => self.named()?,
        };
        Ok(Disputes { round: self.round.clone(), name: self.name.clone(), role: self.role, view, list })
    }

    fn named(&self) -> Result<Vec<Dispute>, StudyError> {
        let people = 0..self.round.annotators.len();
        let sheets: Vec<_> = people.map(|annotator| self.sheet(annotator)).collect::<Result<_, _>>()?;
        let decisions = match self.decisions() {
            Ok(decisions) => decisions,
            Err(StudyError::Hidden { .. }) => self.sendings_back()?,
            Err(error) => return Err(error),
        };
        let mut list = disputes(&self.round, &sheets, &decisions);
        if let Role::Annotator(own) = self.role {
            list.retain(|dispute| dispute.voice(own).is_some());
        }
        Ok(list)
    }

    /// What annotators may know of decisions before the round is closed: that something was sent back to them.
    fn sendings_back(&self) -> Result<Decisions, StudyError> {
        let all = self.unguarded_decisions()?;
        Ok(Decisions { sent_back: all.sent_back, ..Decisions::default() })
    }

    /// The items that were sent back to who looks and not looked at again, with the newest reason.
    ///
    /// # Errors
    ///
    /// Who looks is no annotator; the workspace fails.
    pub fn to_look_again(&self) -> Result<Vec<(String, String)>, StudyError> {
        let own = self.annotator()?;
        if self.round.phase != Phase::Adjudication {
            return Ok(Vec::new());
        }
        let sheet = self.sheet(own)?;
        let looked = looked_again(&self.round, &sheet, &reading(&self.round, &sheet));
        let waits = self.sendings_back()?.sent_back.into_iter().filter_map(|(item, times)| {
            let last = times.last()?;
            let number = self.round.items.place(&item)?;
            let mine = self.round.queue(own).any(|other| other == number);
            (mine && !looked.contains(&last.event)).then(|| (item.clone(), last.why.clone()))
        });
        Ok(waits.collect())
    }

    /// What the arbitrator is shown: what waits and what was decided, under letters.
    fn anonymous(&self) -> Result<Vec<Dispute>, StudyError> {
        let access = crate::label::visible::labels(self.role, self.round.phase, 0);
        if access != Access::Anonymous {
            return Err(self.hidden("who decides is shown answers in adjudication"));
        }
        let decisions = self.decisions()?;
        let sheets = self.unguarded_all()?;
        let owners = self.round.owners();
        let mut list = disputes(&self.round, &sheets, &decisions);
        // What annotators settled among themselves is no matter of the arbitrator.
        list.retain(|dispute| dispute.standing != Standing::Agreed);
        for dispute in &mut list {
            let order = letters(&self.round, &dispute.item, &owners[dispute.number]);
            let voice = |who: &usize| {
                let voice = dispute.voice(*who).cloned().unwrap_or_default();
                Voice { who: None, blind: None, ..voice }
            };
            dispute.voices = order.iter().map(voice).collect();
            let decided = match &dispute.standing {
                Standing::Decided(decided) => Some(&**decided),
                _ => None,
            };
            // What annotators did in the discussion would tell who is who.
            dispute.record = rulings(&decisions, &dispute.item, decided);
            if let Standing::Decided(decided) = &mut dispute.standing {
                // Names do not come along.
                decided.decision.shown.iter_mut().for_each(|shown| shown.annotator.clear());
            }
            for remark in &mut dispute.record {
                if let crate::label::dispute::Happened::Decided(decided) = &mut remark.what {
                    decided.decision.shown.iter_mut().for_each(|shown| shown.annotator.clear());
                }
            }
        }
        Ok(list)
    }
}
