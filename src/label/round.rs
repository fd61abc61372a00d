//! A round: what it is about, who takes part, and where it stands.
//!
//! Promises: a fold of its events, the same in whatever order they came to be in a database; what contradicts the
//! rules (a second ending of a phase, from another machine) changes nothing and is told. Leaves to others: labels
//! (`fold`), who may see what (`visible`).

use super::assign::Assignment;
use super::codebook::{Codebook, Stamp};
use super::event::{Deviation, LabelEvent, What, in_order};
use super::item::{Items, Purpose};
use super::phase::Phase;
use super::seals::Seals;
use super::turn::TurnName;
use super::visible::Role;
use crate::text::{composed, folded, is_hidden};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a round is made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// Name of the round in its study.
    pub name: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub codebook: Codebook,
    /// Who labels; these names are the keys by which they stay known.
    pub annotators: Vec<String>,
    /// Who settles what is contested.
    pub arbitrator: String,
    /// Who runs it.
    pub lead: String,
    /// Where the items come from.
    pub sampling: Sampling,
}

/// A round as it is called within a sentence: `round pilot`; a name that begins with the word stands alone: `round-3`.
pub fn called(name: &str) -> String {
    // A study may stand before it.
    let own = name.rsplit('/').next().unwrap_or(name);
    let says_so = own.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("round"));
    if says_so { name.to_owned() } else { format!("round {name}") }
}

/// How the items of a round were drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// Where from, for people.
    pub source: String,
    /// The filter that they pass.
    pub filter: String,
    /// How many pass it, those of excluded rounds left out.
    pub population: usize,
    /// How much of it was drawn, as `half`.
    pub size: String,
    /// Seed.
    pub seed: u64,
    /// Rounds whose items were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<Uuid>,
    /// A round from which some items were drawn again, and how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<(Uuid, usize)>,
}

/// Somebody with a part in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name at the beginning: what events say.
    pub key: String,
    /// The name now.
    pub name: String,
}

/// An end of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// The phase that ended.
    pub from: Phase,
    /// The phase that began.
    pub to: Phase,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: String,
}

/// A deviation with its place in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviated {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: String,
    /// What.
    pub deviation: Deviation,
}

/// That a round was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// When.
    pub at: Timestamp,
    /// By whom, by the key.
    pub actor: String,
    /// Why; may be empty.
    pub why: String,
}

/// A codebook of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its stamp.
    pub stamp: Stamp,
    /// The codebook.
    pub codebook: Codebook,
    /// The phase in which it came into force.
    pub since: Phase,
    /// Why it took the place of the one before; empty for the first.
    pub why: String,
}

/// A round as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Its id.
    pub id: Uuid,
    /// When it was made.
    pub created: Timestamp,
    /// Its name.
    pub name: String,
    /// Name of the study.
    pub study: String,
    /// The annotators, in their order.
    pub annotators: Vec<Person>,
    /// The arbitrator.
    pub arbitrator: Person,
    /// The lead.
    pub lead: Person,
    /// Names that people had before: key and name, those of the beginning left out.
    pub former: Vec<(String, String)>,
    /// How its items were drawn.
    pub sampling: Sampling,
    /// Its items.
    pub items: Items,
    /// Who labels what, once that is decided.
    pub assignment: Option<Assignment>,
    /// Where it stands.
    pub phase: Phase,
    /// How it came there.
    pub history: Vec<Advanced>,
    /// Its codebooks, the present one last.
    pub codebooks: Vec<Version>,
    /// What was not as the protocol has it.
    pub deviations: Vec<Deviated>,
    /// Sealed files.
    pub seals: Seals,
    /// That its lead took it back: it counts nowhere any more.
    pub withdrawn: Option<Withdrawn>,
    /// What contradicts the rules and was left aside, in words.
    pub problems: Vec<String>,
    /// The largest order among its events.
    pub order: u64,
}

/// Events that make no round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event that made this round is missing or cannot be read")]
pub struct NoRound;

impl Round {
    /// The round that these events make. Events of other streams among them change nothing.
    pub fn of(events: Vec<LabelEvent>) -> Result<Round, NoRound> {
        let mut round: Option<Round> = None;
        for event in in_order(events) {
            match (&mut round, event.what) {
                (None, What::RoundCreated(created)) => {
                    round = Some(Round::new(event.round, event.at, event.order, *created));
                }
                (None, _) => {}
                (Some(round), what) => {
                    round.order = round.order.max(event.order);
                    round.apply(event.at, event.actor, what);
                }
            }
        }
        let mut round = round.ok_or(NoRound)?;
        for annotator in round.seals.disputed() {
            round.problems.push(format!(
                "another sealed file of {annotator} was handed in than the one that counts here"
            ));
        }
        Ok(round)
    }

    /// Where its tasks were drawn from, in a word for people; none: its items are turns of repairs.
    pub fn source_of_tasks(&self) -> Option<&str> {
        let of_turns = self.items.list().iter().any(|item| TurnName::of_item(&item.name).is_some());
        (!of_turns).then_some(self.sampling.source.as_str())
    }

    fn new(id: Uuid, at: Timestamp, order: u64, created: Created) -> Round {
        let person = |key: String| Person { name: key.clone(), key };
        Round {
            id,
            created: at,
            name: created.name,
            study: created.study,
            annotators: created.annotators.into_iter().map(person).collect(),
            arbitrator: person(created.arbitrator),
            lead: person(created.lead),
            former: Vec::new(),
            sampling: created.sampling,
            items: Items::default(),
            assignment: None,
            phase: Phase::Labelling,
            history: Vec::new(),
            codebooks: vec![Version {
                stamp: created.codebook.stamp(),
                codebook: created.codebook,
                since: Phase::Labelling,
                why: String::new(),
            }],
            deviations: Vec::new(),
            seals: Seals::default(),
            withdrawn: None,
            problems: Vec::new(),
            order,
        }
    }

    fn apply(&mut self, at: Timestamp, actor: String, what: What) {
        match what {
            What::RoundCreated(_) => self.problems.push("it was made a second time".to_owned()),
            What::ItemsAdded(items) => {
                for name in self.items.add(items) {
                    self.problems.push(format!("item {name} was added a second time"));
                }
            }
            What::Assigned(assignment) => self.assignment = Some(assignment),
            What::PhaseAdvanced { from, to } if from == self.phase && from.next() == Some(to) => {
                self.phase = to;
                self.history.push(Advanced { from, to, at, actor });
            }
            What::PhaseAdvanced { from, to } => {
                self.problems.push(format!("{actor} ended {from} for {to} when it was in {}", self.phase));
            }
            What::CodebookChanged { codebook, why } => {
                let since = self.phase;
                self.codebooks.push(Version { stamp: codebook.stamp(), codebook: *codebook, since, why });
            }
            What::Renamed { key, name } => {
                // Lead and arbitrator may be one person.
                let mut before = None;
                for person in self.people_mut().filter(|person| person.key == key) {
                    before = Some(std::mem::replace(&mut person.name, name.clone()));
                }
                match before {
                    Some(before) if before != key => self.former.push((key, before)),
                    Some(_) => {}
                    None => self.problems.push(format!("{key} was renamed and has no part in it")),
                }
            }
            What::Deviated(deviation) => self.deviations.push(Deviated { at, actor, deviation }),
            What::SealReceived { annotator, sha256, replaces } => {
                self.seals.received(&actor, annotator, sha256, replaces);
            }
            What::SealRevealed { .. } => self.seals.is_revealed = true,
            What::Withdrawn { .. } if actor != self.lead.key => {
                self.problems.push(format!("{actor}, who does not lead it, took it back: it stays"));
            }
            What::Withdrawn { on, why } => self.withdrawn = on.then_some(Withdrawn { at, actor, why }),
            _ => {}
        }
    }

    fn people_mut(&mut self) -> impl Iterator<Item = &mut Person> {
        self.annotators.iter_mut().chain([&mut self.arbitrator, &mut self.lead])
    }

    /// Everybody with a part in it.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.annotators.iter().chain([&self.arbitrator, &self.lead])
    }

    /// The codebook that is in force.
    pub fn codebook(&self) -> &Codebook {
        // There is one from the beginning.
        &self.codebooks[self.codebooks.len() - 1].codebook
    }

    /// The codebook that was in force when a phase ended, or is if it has not: by that its labels are read.
    pub fn codebook_in(&self, phase: Phase) -> &Codebook {
        let then = self.codebooks.iter().rev().find(|version| version.since <= phase);
        then.map_or_else(|| self.codebook(), |version| &version.codebook)
    }

    /// The codebook with this stamp, if the round ever had it.
    pub fn codebook_of(&self, stamp: &Stamp) -> Option<&Codebook> {
        self.codebooks.iter().rev().find(|version| version.stamp == *stamp).map(|version| &version.codebook)
    }

    /// What somebody with this name is: by the present name, else by an earlier one where nobody else has that.
    pub fn role(&self, name: &str) -> Role {
        let name = name.trim();
        let now = |person: &Person| same_name(&person.name, name);
        let earlier = |person: &Person| self.was_called(&person.key, name) && !self.people().any(now);
        let is = |person: &Person| now(person) || earlier(person);
        if let Some(number) = self.annotators.iter().position(is) {
            return Role::Annotator(number);
        }
        match (is(&self.lead), is(&self.arbitrator)) {
            (true, true) => Role::LeadAndArbitrator,
            (true, false) => Role::Lead,
            (false, true) => Role::Arbitrator,
            (false, false) => Role::Outsider,
        }
    }

    /// Whether the person with this key had a name before.
    fn was_called(&self, key: &str, name: &str) -> bool {
        same_name(key, name)
            || self.former.iter().any(|(whose, former)| whose == key && same_name(former, name))
    }

    /// The numbers of the items that an annotator labels, in the order of serving.
    pub fn queue(&self, annotator: usize) -> impl Iterator<Item = usize> + '_ {
        let queue = self.assignment.as_ref().and_then(|assignment| assignment.queues.get(annotator));
        let numbers = queue.into_iter().flatten().map(|number| *number as usize);
        numbers.filter(move |number| self.items.get(*number).is_some())
    }

    /// The numbers, in their order, of second servings that nobody has to label though it was said who labels what: an
    /// assignment that was taken back leaves them behind, and they are no part of the round.
    pub fn idle(&self) -> Vec<usize> {
        if self.assignment.is_none() {
            return Vec::new();
        }
        let queues = (0..self.annotators.len()).flat_map(|annotator| self.queue(annotator));
        let served: std::collections::HashSet<usize> = queues.collect();
        let items = self.items.list().iter().enumerate();
        let idle = items
            .filter(|(number, item)| matches!(item.purpose, Purpose::Repeat(_)) && !served.contains(number));
        idle.map(|(number, _)| number).collect()
    }

    /// The annotators of each item, by their numbers.
    pub fn owners(&self) -> Vec<Vec<usize>> {
        let mut owners = vec![Vec::new(); self.items.list().len()];
        for annotator in 0..self.annotators.len() {
            for number in self.queue(annotator) {
                owners[number].push(annotator);
            }
        }
        owners
    }
}

/// Names are the same whatever their case, and whatever form of Unicode a keyboard gave them.
pub fn same_name(one: &str, other: &str) -> bool {
    match one.is_ascii() && other.is_ascii() {
        true => one.eq_ignore_ascii_case(other),
        false => folded(one) == folded(other),
    }
}

/// Names of studies are the same in whatever form of Unicode; their case counts.
pub fn same_study(one: &str, other: &str) -> bool {
    one == other || composed(one) == composed(other)
}

/// Why people cannot take part as they were named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeopleError {
    /// A name that cannot stand in files and commands.
    #[error("`{}` is no name: 1 to 64 characters without `/`, `,` and control characters, only single blanks, none at its ends", crate::text::sanitise(.0))]
    BadName(String),
    /// One name for two annotators.
    #[error("annotator {0} is named twice; names are the same whatever their case")]
    Twice(String),
    /// Agreement needs two.
    #[error("a round needs two annotators or more")]
    TooFew,
    /// An arbitrator settles what others disagree on.
    #[error("{0} labels in this round: the arbitrator must be neither of those who disagree")]
    ArbitratorLabels(String),
    /// A name that somebody else had.
    #[error(
        "{name} was the name of {whose} before: who still goes by it would write into the wrong labels; choose another name"
    )]
    Former {
        /// The name.
        name: String,
        /// The present name of who had it.
        whose: String,
    },
    /// A lead sees how far everybody is.
    #[error("{0} labels in this round: the lead sees the progress of everybody, and an annotator must not")]
    LeadLabels(String),
}

/// Whether a word can be somebody's name, or that of a round or study.
pub fn is_name(name: &str) -> bool {
    // Blanks that cannot be told from each other, or from nothing, would make one name two people.
    let blank = |c: char| (c.is_whitespace() && c != ' ') || c == '\u{2800}';
    let bad = |c: char| c.is_control() || is_hidden(c) || blank(c) || matches!(c, '/' | ',' | '\\');
    let is_long = !(1..=64).contains(&name.chars().count());
    !is_long && name.trim() == name && !name.contains(bad) && !name.contains("  ")
}

/// Whether these people can make a round.
pub fn check_people(annotators: &[String], arbitrator: &str, lead: &str) -> Result<(), PeopleError> {
    let all = annotators.iter().map(String::as_str).chain([arbitrator, lead]);
    if let Some(bad) = all.into_iter().find(|name| !is_name(name)) {
        return Err(PeopleError::BadName(bad.to_owned()));
    }
    for (place, name) in annotators.iter().enumerate() {
        if annotators[..place].iter().any(|other| same_name(other, name)) {
            return Err(PeopleError::Twice(name.clone()));
        }
    }
    if annotators.len() < 2 {
        return Err(PeopleError::TooFew);
    }
    let labels = |name: &str| annotators.iter().any(|other| same_name(other, name));
    if labels(arbitrator) {
        return Err(PeopleError::ArbitratorLabels(arbitrator.to_owned()));
    }
    if labels(lead) {
        return Err(PeopleError::LeadLabels(lead.to_owned()));
    }
    Ok(())
}

impl Round {
    /// Whether somebody can have a new name: the rules of [`check_people`] with that name; and nobody else had it
    /// before, for who still goes by it would write into the wrong labels, and read them.
    pub fn check_rename(&self, key: &str, name: &str) -> Result<(), PeopleError> {
        let called = |person: &Person| if person.key == key { name.to_owned() } else { person.name.clone() };
        let annotators: Vec<String> = self.annotators.iter().map(called).collect();
        check_people(&annotators, &called(&self.arbitrator), &called(&self.lead))?;
        let mut others = self.people().filter(|person| person.key != key);
        match others.find(|person| self.was_called(&person.key, name)) {
            Some(other) => Err(PeopleError::Former { name: name.to_owned(), whose: other.name.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "round_tests.rs"]
mod tests;
