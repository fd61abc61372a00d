//! What is contested, and what the arbitrator makes of it.
//!
//! Promises: pure; the questions of an item are settled in their order: what all of its annotators say holds, what
//! they differ on waits for a decision, and a question that follows from a decision is asked of the arbitrator
//! where the annotators do not say the same to it; the arbitrator sees the answers as A, B, … in an order that the
//! seed decides for each item, and that is recorded. Leaves to others: writing it down (`study`).

use super::codebook::{Applies, Codebook};
use super::draw::Draw;
use super::event::{Decision, LabelEvent, Shown, What, in_order, undone};
use super::reading::Reading;
use super::round::Round;
use super::value::{Labels, Value};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// Why annotators differed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonCode {
    /// Somebody overlooked something or pressed the wrong key.
    Slip,
    /// The definitions were read in different ways.
    Definition,
    /// The codebook says nothing about such a case.
    Gap,
    /// Both answers can be defended.
    Ambiguous,
    /// The item does not show enough to be sure.
    Evidence,
    /// Something else, which the comment says.
    Other,
}

impl ReasonCode {
    /// All of them.
    pub const ALL: [ReasonCode; 6] = [
        ReasonCode::Slip,
        ReasonCode::Definition,
        ReasonCode::Gap,
        ReasonCode::Ambiguous,
        ReasonCode::Evidence,
        ReasonCode::Other,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonCode::Slip => "slip",
            ReasonCode::Definition => "definition",
            ReasonCode::Gap => "gap",
            ReasonCode::Ambiguous => "ambiguous",
            ReasonCode::Evidence => "evidence",
            ReasonCode::Other => "other",
        }
    }

    /// What it means.
    pub fn describe(self) -> &'static str {
        match self {
            ReasonCode::Slip => "somebody overlooked something",
            ReasonCode::Definition => "the definitions were read in different ways",
            ReasonCode::Gap => "the codebook says nothing about such a case",
            ReasonCode::Ambiguous => "both answers can be defended",
            ReasonCode::Evidence => "the item does not show enough",
            ReasonCode::Other => "something else; the comment says what",
        }
    }

    /// The code with this name.
    pub fn parse(name: &str) -> Option<ReasonCode> {
        ReasonCode::ALL.into_iter().find(|code| code.as_str() == name)
    }
}

/// A decision in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The event.
    pub event: Uuid,
    /// When.
    pub at: Timestamp,
    /// What.
    pub decision: Decision,
}

/// An item that was sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentBack {
    /// The event.
    pub event: Uuid,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
}

/// All decisions of a round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decisions {
    /// Present decisions by item and question.
    pub present: BTreeMap<(String, String), Decided>,
    /// Items that were sent back, each with every time that this happened.
    pub sent_back: BTreeMap<String, Vec<SentBack>>,
    /// Decisions of two machines that contradict each other: the one that does not hold.
    pub conflicts: BTreeMap<(String, String), Decided>,
    /// The last event that can be taken back.
    pub last: Option<Uuid>,
    /// The largest order among the events.
    pub order: u64,
}

impl Decisions {
    /// The decisions that these events make.
    pub fn of(events: Vec<LabelEvent>) -> Decisions {
        let events = in_order(events);
        let undone = undone(&events);
        let mut all = Decisions::default();
        for event in events {
            all.order = all.order.max(event.order);
            if undone.contains(&event.id) {
                continue;
            }
            match event.what {
                What::Decided(decision) => {
                    let cell = (decision.item.clone(), decision.question.clone());
                    let replaces = decision.replaces;
                    let decided = Decided { event: event.id, at: event.at, decision: *decision };
                    all.last = Some(event.id);
                    let earlier = all.present.insert(cell.clone(), decided);
                    match earlier {
                        Some(earlier) if Some(earlier.event) != replaces => {
                            all.conflicts.insert(cell, earlier);
                        }
                        _ => drop(all.conflicts.remove(&cell)),
                    }
                }
                What::SentBack { item, why } => {
                    all.last = Some(event.id);
                    all.sent_back.entry(item).or_default().push(SentBack {
                        event: event.id,
                        at: event.at,
                        why,
                    });
                }
                _ => {}
            }
        }
        all
    }

    /// The decision on a question of an item.
    pub fn get(&self, item: &str, question: &str) -> Option<&Decided> {
        self.present.get(&(item.to_owned(), question.to_owned()))
    }
}

/// A question that waits for the arbitrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contested {
    /// The question.
    pub question: String,
    /// What each annotator of the item said, by their numbers; none: not asked, or not answered.
    pub said: Vec<(usize, Option<Value>)>,
}

/// How far an item is settled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// What holds.
    pub labels: Labels,
    /// What waits for the arbitrator, in the order of the questions.
    pub open: Vec<Contested>,
    /// Questions that the arbitrator has decided.
    pub decided: Vec<String>,
}

/// Settles an item, given the labels of each of its annotators and the decisions.
pub fn settle(
    codebook: &Codebook,
    item: &str,
    labels: &[(usize, Option<&Labels>)],
    decisions: &Decisions,
) -> Settled {
    let mut settled = Settled::default();
    if labels.iter().all(|(_, labels)| labels.is_none_or(Labels::is_empty)) {
        return settled;
    }
    // A label of a question that does not apply with the annotator's other answers does not count.
    let counted: Vec<(usize, Labels)> = labels
        .iter()
        .map(|(who, labels)| (*who, labels.map(|labels| codebook.effective(labels)).unwrap_or_default()))
        .collect();
    for question in &codebook.questions {
        if codebook.applies(question, &settled.labels) != Applies::Yes {
            continue;
        }
        if let Some(decided) = decisions.get(item, &question.id) {
            settled.labels.insert(question.id.clone(), decided.decision.value.clone());
            settled.decided.push(question.id.clone());
            continue;
        }
        let said: Vec<(usize, Option<Value>)> =
            counted.iter().map(|(who, labels)| (*who, labels.get(&question.id).cloned())).collect();
        let first = said.first().and_then(|(_, value)| value.clone());
        let all_say_it = said.iter().all(|(_, value)| *value == first);
        match first {
            Some(value) if all_say_it => {
                settled.labels.insert(question.id.clone(), value);
            }
            _ if question.counts && (!all_say_it || question.required) => {
                settled.open.push(Contested { question: question.id.clone(), said });
            }
            _ => {}
        }
    }
    settled
}

/// The letters under which the arbitrator sees the annotators of an item, as their numbers in that order.
pub fn letters(round: &Round, item: &str, owners: &[usize]) -> Vec<usize> {
    let mut order = owners.to_vec();
    order.sort_unstable();
    let id = round.id.to_string();
    Draw::new(round.sampling.seed, &["letters", &id, item]).shuffle(&mut order);
    order
}

/// What the arbitrator sees of a contested question, in the order of the letters.
pub fn shown(round: &Round, item: &str, contested: &Contested) -> Vec<Shown> {
    let owners: Vec<usize> = contested.said.iter().map(|(who, _)| *who).collect();
    let key = |who: usize| round.annotators.get(who).map_or_else(String::new, |person| person.key.clone());
    let said = |who: usize| contested.said.iter().find(|(other, _)| *other == who)?.1.clone();
    let order = letters(round, item, &owners).into_iter();
    order.map(|who| Shown { annotator: key(who), value: said(who) }).collect()
}

/// The letter of a place: A, B, …
pub fn letter(place: usize) -> char {
    char::from(b'A' + u8::try_from(place.min(25)).unwrap_or(25))
}

/// An item with everything about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Number of the item.
    pub number: usize,
    /// How far it is settled.
    pub settled: Settled,
    /// Annotators who have still to look again after it was sent back.
    pub waits_for: Vec<usize>,
}

/// All items that are compared, settled as far as they are. `readings` and `looked_again` are by annotator: the
/// second holds the events of sending back that they have answered.
pub fn cases(
    round: &Round,
    readings: &[Reading],
    looked_again: &[HashSet<Uuid>],
    decisions: &Decisions,
) -> Vec<Case> {
    let codebook = round.codebook();
    let owners = round.owners();
    let mut cases = Vec::new();
    for (number, item) in round.items.list().iter().enumerate() {
        if !item.purpose.is_compared() {
            continue;
        }
        let labels: Vec<(usize, Option<&Labels>)> = owners[number]
            .iter()
            .map(|who| (*who, readings.get(*who).and_then(|reading| reading.item(&item.name))))
            .collect();
        let back = decisions.sent_back.get(&item.name).map_or(&[][..], Vec::as_slice);
        let waits = |who: &usize| {
            let seen =
                |back: &SentBack| looked_again.get(*who).is_some_and(|seen| seen.contains(&back.event));
            back.last().is_some_and(|back| !seen(back))
        };
        cases.push(Case {
            number,
            settled: settle(codebook, &item.name, &labels, decisions),
            waits_for: owners[number].iter().copied().filter(waits).collect(),
        });
    }
    cases
}

#[cfg(test)]
#[path = "adjudicate_tests.rs"]
mod tests;
