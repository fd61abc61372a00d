//! What of a round waits for whom.
//!
//! Promises: what is told follows from what who looks may see; labels are read only of rounds that are not closed.
//! Leaves to others: the rules (`label::status`, `label::visible`), words (`tui`, `cli`).

use super::{Desk, Studies, StudyError, View};
use crate::label::adjudicate::Case;
use crate::label::dispute::{Dispute, Standing};
use crate::label::phase::{Missing, Obstacle, Phase, Refusal};
use crate::label::round::Round;
use crate::label::status::Progress;
use crate::label::visible::Role;

/// What waits for somebody in a round; numbers are of items, questions or disagreements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Nothing.
    Nothing,
    /// Nothing is assigned yet, which the lead does.
    Assign,
    /// Items to label.
    Label(usize),
    /// Items that the arbitrator sent back.
    LookAgain(usize),
    /// Disagreements to discuss.
    Discuss(usize),
    /// Questions to decide.
    Decide(usize),
    /// The phase can be ended.
    EndPhase(Phase),
    /// Things that stand in the way of ending the phase.
    Obstacles(usize),
}

/// A round in short, as somebody may see it.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The round.
    pub round: Round,
    /// What they are in it.
    pub role: Role,
    /// How much is done, of how much: of their own part, or of everybody's where they may see it.
    pub progress: Option<(usize, usize)>,
    /// What waits for them.
    pub waiting: Waiting,
}

/// A round with everything that its desk shows.
#[derive(Debug, Clone)]
pub struct Whole {
    /// In short.
    pub brief: Brief,
    /// Who looks.
    pub name: String,
    /// How far those are whose progress may be seen, by the number of the annotator.
    pub progress: Vec<(usize, Progress)>,
    /// What stands in the way of the next phase; none: who looks does not lead, or there is none.
    pub obstacles: Option<Vec<Obstacle>>,
    /// Stale labels that may be seen: of whom, and how many.
    pub stale: Vec<(usize, usize)>,
}

impl Studies {
    /// Whether there is any round.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn has_rounds(&self) -> Result<bool, StudyError> {
        Ok(!self.store.streams(super::keep::ROUND)?.is_empty())
    }

    /// All rounds in short, the newest first, and what could not be read.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn briefs(&self, name: &str) -> Result<(Vec<Brief>, Vec<String>), StudyError> {
        let (rounds, problems) = self.list()?;
        let all = rounds.into_iter().map(|round| self.desk_of(round, name).brief());
        Ok((all.collect::<Result<_, _>>()?, problems))
    }
}

impl Desk {
    /// The round in short.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn brief(&self) -> Result<Brief, StudyError> {
        let progress = if self.round.phase == Phase::Closed { Vec::new() } else { self.progress()? };
        self.brief_with(&progress)
    }

    /// The round with everything that its desk shows.
    ///
    /// # Errors
    ///
    /// The workspace fails.
    pub fn whole(&self) -> Result<Whole, StudyError> {
        let progress = self.progress()?;
        let leads = self.role.leads() && self.round.assignment.is_some();
        let obstacles = match self.round.phase.next().filter(|_| leads) {
            None => None,
            Some(to) => match self.check_advance(to) {
                Ok(()) => Some(Vec::new()),
                Err(StudyError::Refused(Refusal::Obstacles(obstacles))) => Some(obstacles),
                Err(error) => return Err(error),
            },
        };
        let stale = progress.iter().map(|(annotator, progress)| {
            let of = |what: &Missing| progress.missing.get(what).map_or(0, Vec::len);
            (*annotator, of(&Missing::Stale) + of(&Missing::Unknown))
        });
        let stale = stale.filter(|(_, count)| *count > 0).collect();
        let brief = self.brief_with(&progress)?;
        Ok(Whole { brief, name: self.name.clone(), progress, obstacles, stale })
    }

    fn brief_with(&self, all: &[(usize, Progress)]) -> Result<Brief, StudyError> {
        let sum = |all: &[(usize, Progress)]| {
            let done: usize = all.iter().map(|(_, progress)| progress.done).sum();
            (done, all.iter().map(|(_, progress)| progress.assigned).sum::<usize>())
        };
        let own = |own: usize| all.iter().find(|(who, _)| *who == own).map(|(_, progress)| progress);
        let assigned = self.round.assignment.is_some();
        let (progress, waiting) = match (self.role, self.round.phase) {
            (_, Phase::Closed) => (None, Waiting::Nothing),
            (role, Phase::Labelling) if !assigned => {
                (None, if role.leads() { Waiting::Assign } else { Waiting::Nothing })
            }
            (Role::Annotator(number), Phase::Labelling) => {
                let progress = own(number).cloned().unwrap_or_default();
                let left = progress.assigned - progress.done;
                let waiting =
                    if left == 0 || progress.sealed { Waiting::Nothing } else { Waiting::Label(left) };
                (Some((progress.done, progress.assigned)), waiting)
            }
            (role, Phase::Labelling) if role.leads() => {
                let (done, of) = sum(all);
                let people = all.iter().filter(|(_, progress)| progress.done < progress.assigned).count();
                let next = if people == 0 {
                    Waiting::EndPhase(Phase::Discussion)
                } else {
                    Waiting::Obstacles(people)
                };
                (Some((done, of)), next)
            }
            (Role::Annotator(_) | Role::Lead, Phase::Discussion) => {
                let list = self.disputes()?.list;
                let waits = |dispute: &&Dispute| match self.role {
                    Role::Annotator(own) => dispute.waits_for(own),
                    _ => dispute.standing == Standing::Open,
                };
                let open = list.iter().filter(waits).count();
                let waiting = match (self.view(), open) {
                    (View::Discuss, 0) => Waiting::Nothing,
                    (View::Discuss, open) => Waiting::Discuss(open),
                    _ => Waiting::EndPhase(Phase::Adjudication),
                };
                (Some((list.len() - open, list.len())), waiting)
            }
            (Role::Annotator(_), Phase::Adjudication) => match self.to_look_again()?.len() {
                0 => (None, Waiting::Nothing),
                back => (None, Waiting::LookAgain(back)),
            },
            (Role::Arbitrator | Role::Lead | Role::LeadAndArbitrator, Phase::Adjudication) => {
                let cases = self.cases()?;
                let count = |of: fn(&Case) -> usize| cases.iter().map(of).sum::<usize>();
                let decided = count(|case| case.settled.decided.len());
                let open = count(|case| case.settled.open.len());
                let waits = count(|case| if case.waits_for.is_empty() { case.settled.open.len() } else { 0 });
                let waiting = match (self.role, open, waits) {
                    (role, 0, _) if role.leads() => Waiting::EndPhase(Phase::Closed),
                    (role, _, waits) if role.arbitrates() && waits > 0 => Waiting::Decide(waits),
                    (Role::Lead, open, _) => Waiting::Obstacles(open),
                    _ => Waiting::Nothing,
                };
                (Some((decided, decided + open)), waiting)
            }
            (role, Phase::Discussion) if role.leads() => (None, Waiting::EndPhase(Phase::Adjudication)),
            _ => (None, Waiting::Nothing),
        };
        Ok(Brief { round: self.round.clone(), role: self.role, progress, waiting })
    }
}
