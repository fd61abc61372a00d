//! The phases of a round, and who may end one.
//!
//! Promises: a round goes from `labelling` through `discussion` and `adjudication` to `closed`, one step at a time
//! and never back; only the lead ends a phase; what still stands in the way is told by name and item, and a lead
//! who goes on all the same leaves a deviation. Leaves to others: what is missing (`status`), writing it down
//! (`study`).

use super::event::Deviation;
use super::visible::Role;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a round stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Each annotator labels alone and sees nothing of the others.
    Labelling,
    /// Blind labels are frozen; annotators see each other's and may revise their own.
    Discussion,
    /// The arbitrator settles what is still contested.
    Adjudication,
    /// Nothing changes any more.
    Closed,
}

impl Phase {
    /// All phases in their order.
    pub const ALL: [Phase; 4] = [Phase::Labelling, Phase::Discussion, Phase::Adjudication, Phase::Closed];

    /// The name in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Labelling => "labelling",
            Phase::Discussion => "discussion",
            Phase::Adjudication => "adjudication",
            Phase::Closed => "closed",
        }
    }

    /// The phase with this name.
    pub fn parse(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.as_str() == name)
    }

    /// The only phase that may follow.
    pub fn next(self) -> Option<Phase> {
        match self {
            Phase::Labelling => Some(Phase::Discussion),
            Phase::Discussion => Some(Phase::Adjudication),
            Phase::Adjudication => Some(Phase::Closed),
            Phase::Closed => None,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What stands in the way of ending a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The annotator, or the arbitrator, who has something left to do.
    pub who: String,
    /// What.
    pub what: Missing,
    /// The items, by their names, in the order of the round.
    pub items: Vec<String>,
}

/// What somebody has left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// Questions that are asked have no answer.
    Unlabelled,
    /// Skipped, and so without an answer.
    Skipped,
    /// Answered before the codebook changed the question.
    Stale,
    /// An answer that the codebook does not have, or whose codebook is not here.
    Unknown,
    /// Contested, and not decided.
    Undecided,
    /// Sent back by the arbitrator, and not looked at again.
    SentBack,
}

impl Missing {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Missing::Unlabelled => "unlabelled",
            Missing::Skipped => "skipped",
            Missing::Stale => "stale",
            Missing::Unknown => "answer-unknown",
            Missing::Undecided => "undecided",
            Missing::SentBack => "sent-back",
        }
    }

    /// Behind a number of items.
    pub fn words(self) -> &'static str {
        match self {
            Missing::Unlabelled => "not labelled",
            Missing::Skipped => "skipped",
            Missing::Stale => "answered before the codebook changed",
            Missing::Unknown => "with an answer that the codebook does not have",
            Missing::Undecided => "not decided",
            Missing::SentBack => "sent back and not looked at again",
        }
    }
}

/// Why a phase does not end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not the lead's.
    #[error("only the lead of a round ends its phases")]
    NotTheLead,
    /// A phase was left out, or the round would go back.
    #[error("a round in {from} goes on to {}, not to {to}", next_word(*from))]
    NotNext {
        /// Where it stands.
        from: Phase,
        /// Where it was to go.
        to: Phase,
    },
    /// Nobody has been given anything to label.
    #[error("nothing is assigned yet: `mendbench round assign` does that")]
    NotAssigned,
    /// Somebody has something left to do.
    #[error("{} still stands in the way", crate::text::counted(.0.len(), "thing"))]
    Obstacles(Vec<Obstacle>),
}

fn next_word(from: Phase) -> &'static str {
    from.next().map_or("no other phase", Phase::as_str)
}

/// Whether a phase may end now, and what it leaves in the record beside the step itself: a forced step past
/// obstacles leaves a deviation.
pub fn advance(
    role: Role,
    from: Phase,
    to: Phase,
    assigned: bool,
    obstacles: Vec<Obstacle>,
    force: bool,
) -> Result<Option<Deviation>, Refusal> {
    if !role.leads() {
        return Err(Refusal::NotTheLead);
    }
    if from.next() != Some(to) {
        return Err(Refusal::NotNext { from, to });
    }
    if !assigned {
        return Err(Refusal::NotAssigned);
    }
    match (obstacles.is_empty(), force) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(Deviation::ForcedAdvance {
            from,
            to,
            missing: obstacles
                .iter()
                .map(|obstacle| {
                    format!("{}: {} {}", obstacle.who, obstacle.items.len(), obstacle.what.words())
                })
                .collect(),
        })),
        (false, false) => Err(Refusal::Obstacles(obstacles)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obstacle() -> Vec<Obstacle> {
        let items = vec!["d/1".to_owned(), "d/2".to_owned()];
        vec![Obstacle { who: "anna".to_owned(), what: Missing::Unlabelled, items }]
    }

    #[test]
    fn only_the_next_phase_and_only_by_the_lead() {
        for from in Phase::ALL {
            assert_eq!(Phase::parse(from.as_str()), Some(from));
            for to in Phase::ALL {
                let allowed = to as usize == from as usize + 1;
                for role in [Role::Lead, Role::LeadAndArbitrator] {
                    let answer = advance(role, from, to, true, Vec::new(), false);
                    assert_eq!(answer.is_ok(), allowed, "{from} → {to}: {answer:?}");
                    if !allowed {
                        assert_eq!(answer, Err(Refusal::NotNext { from, to }));
                        assert!(
                            advance(role, from, to, true, Vec::new(), true).is_err(),
                            "force is no licence"
                        );
                    }
                }
                for role in [Role::Annotator(0), Role::Arbitrator, Role::Outsider] {
                    let answer = advance(role, from, to, true, Vec::new(), true);
                    assert_eq!(answer, Err(Refusal::NotTheLead));
                }
            }
        }
    }

    #[test]
    fn what_is_missing_holds_a_phase_and_force_leaves_a_deviation() {
        let (from, to) = (Phase::Labelling, Phase::Discussion);
        assert_eq!(
            advance(Role::Lead, from, to, true, obstacle(), false),
            Err(Refusal::Obstacles(obstacle()))
        );
        assert_eq!(advance(Role::Lead, from, to, false, Vec::new(), true), Err(Refusal::NotAssigned));
        let forced = advance(Role::Lead, from, to, true, obstacle(), true);
        let missing = vec!["anna: 2 not labelled".to_owned()];
        assert_eq!(forced, Ok(Some(Deviation::ForcedAdvance { from, to, missing })));
        assert_eq!(advance(Role::Lead, from, to, true, Vec::new(), true), Ok(None), "nothing was forced");
    }
}
