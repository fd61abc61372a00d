//! The list of disagreements: grouped by question and by what stands against what.
//!
//! Promises: a count opens its cases; every case stands in one group; groups keep their order.

use super::words::value_or_none;
use crate::label::dispute::{Dispute, Standing};
use crate::label::phase::Phase;
use crate::label::visible::Role as Is;
use crate::study::{Disputes, View};
use std::collections::HashSet;

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A group, by its number.
    Group(usize),
    /// A case, by its number among the disputes.
    Case(usize),
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its heading.
    pub title: String,
    /// Its cases.
    pub cases: Vec<usize>,
    /// How many of them wait for who looks, or are open where nothing waits for them.
    pub waiting: usize,
}

/// Whether a dispute waits for who looks.
pub fn waits(disputes: &Disputes, dispute: &Dispute) -> bool {
    match (disputes.view, disputes.role) {
        (View::Discuss, Is::Annotator(own)) => dispute.waits_for(own),
        (View::Decide, _) => dispute.standing == Standing::Open,
        _ => false,
    }
}

/// The groups of the disputes, in order.
pub fn groups(disputes: &Disputes) -> Vec<Group> {
    let mut groups: Vec<(usize, Group)> = Vec::new();
    for (number, dispute) in disputes.list.iter().enumerate() {
        let (rank, title) = heading(disputes, dispute);
        let at = groups.iter().position(|(other, group)| *other == rank && group.title == title);
        let at = at.unwrap_or_else(|| {
            groups.push((rank, Group { title, cases: Vec::new(), waiting: 0 }));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        group.cases.push(number);
        group.waiting += usize::from(waits(disputes, dispute));
    }
    // What stands against what most often comes first within its question.
    groups.sort_by_key(|(rank, group)| (*rank, std::cmp::Reverse(group.cases.len())));
    groups.into_iter().map(|(_, group)| group).collect()
}

fn heading(disputes: &Disputes, dispute: &Dispute) -> (usize, String) {
    if disputes.round.phase == Phase::Closed
        && let Is::Annotator(own) = disputes.role
    {
        return match &dispute.standing {
            Standing::Decided(_) if dispute.overrules(own) => (0, "you were overruled".to_owned()),
            Standing::Decided(_) => (1, "decided as you said".to_owned()),
            Standing::Agreed => (2, "settled between you".to_owned()),
            Standing::Open | Standing::SentBack => (3, "not decided".to_owned()),
        };
    }
    let questions = &disputes.round.codebook().questions;
    let rank = questions.iter().position(|question| question.id == dispute.question);
    let against: Vec<String> = dispute.against().iter().map(value_or_none).collect();
    (rank.unwrap_or(questions.len()), format!("{}: {}", dispute.question, against.join(" / ")))
}

/// The lines of the list; folded groups show their heading only.
pub fn entries(groups: &[Group], folded: &HashSet<String>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        entries.push(Entry::Group(number));
        if !folded.contains(&group.title) {
            entries.extend(group.cases.iter().copied().map(Entry::Case));
        }
    }
    entries
}
