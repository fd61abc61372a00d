//! Candidates: mutations laid into the code, one after the other.
//!
//! Promises: bounded; none comes twice, equals the buggy code, or has more syntax errors than it.
//! Leaves to others: which mutations there are (the families), their order (`order`).

use super::code::{Code, Unit};
use super::evidence::Evidence;
use super::literals::Constants;
use super::mutation::{Mutation, Sink, Template};
use super::names::Names;
use super::{calls, guards, literals, names, operators, order, statements};
use crate::repair::file::Edit;
use crate::syntax::syntax_errors;
use crate::task::Task;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most candidates of one task.
pub const MOST_CANDIDATES: usize = 4_000;

/// In which order candidates come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The most suspicious first.
    Suspicion,
    /// By lot; equal seeds give equal orders.
    Lot {
        /// The seed.
        seed: u64,
    },
}

/// One change of the buggy code.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which one, from 1.
    pub number: usize,
    /// Its family.
    pub template: Template,
    /// The file.
    pub file: String,
    /// The first line that changes, from 1.
    pub line: u32,
    /// What is changed, one line in our words: "line 22: …".
    pub reason: String,
    /// The whole new text of the file.
    pub text: String,
    /// The functions that were to be changed, as they are in `text`; empty: the whole file was.
    pub functions: Vec<Range<usize>>,
}

/// The candidates of a task, best first.
pub fn candidates(task: &Task, evidence: &Evidence, order: Order) -> impl Iterator<Item = Candidate> {
    let code = Code::of_task(task);
    let mutations: Vec<Mutation> =
        code.units.iter().enumerate().flat_map(|(number, unit)| mutations(number, unit, evidence)).collect();
    let mutations = match order {
        Order::Suspicion => order::by_suspicion(&code, evidence, mutations),
        Order::Lot { seed } => order::by_lot(&task.name().to_string(), seed, mutations),
    };
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let laid = mutations.into_iter().filter_map(move |mutation| {
        let unit = &code.units[mutation.unit];
        let text = unit.file.edited(&mutation.edits).ok()?;
        let is_new = text != unit.file.text && seen.insert((mutation.unit, squeezed(&text)));
        // A text of the file's encoding, and one that parses.
        let parses = || syntax_errors(unit.language, &text).is_some_and(|errors| errors <= unit.nodes.errors);
        (is_new && unit.file.content(&text).is_ok() && parses()).then(|| candidate(unit, &mutation, text))
    });
    laid.take(MOST_CANDIDATES)
        .enumerate()
        .map(|(number, candidate)| Candidate { number: number + 1, ..candidate })
}

/// All mutations of a file, in the order of their places.
fn mutations(number: usize, unit: &Unit<'_>, evidence: &Evidence) -> Vec<Mutation> {
    let names = Names::of(unit);
    let places = unit.places();
    let mut constants = Constants::default();
    let mut sink = Sink::new(number, unit);
    for node in &places {
        if sink.is_full() {
            break;
        }
        operators::offer(&mut sink, *node);
        literals::offer(&mut sink, *node, &places, &mut constants);
        names::offer(&mut sink, *node, &names);
        calls::offer(&mut sink, *node, &names, evidence);
        statements::offer(&mut sink, *node);
        guards::offer(&mut sink, *node, &names);
    }
    sink.together();
    sink.found
}

fn candidate(unit: &Unit<'_>, mutation: &Mutation, text: String) -> Candidate {
    let line = unit.line(mutation.at()) + 1;
    let functions = if unit.in_functions { &unit.scopes[..] } else { &[] };
    Candidate {
        number: 0,
        template: mutation.template,
        file: unit.path.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        reason: format!("line {line}: {}", mutation.what),
        functions: functions.iter().map(|scope| moved(scope, &mutation.edits)).collect(),
        text,
    }
}

/// Where a range is after edits; an edit at its border belongs to it.
fn moved(range: &Range<usize>, edits: &[Edit]) -> Range<usize> {
    let place = |at: usize, is_end: bool| {
        let before = edits.iter().filter(|edit| edit.range.end < at || (is_end && edit.range.end == at));
        let (gone, come) =
            before.fold((0, 0), |(gone, come), edit| (gone + edit.range.len(), come + edit.text.len()));
        (at + come).saturating_sub(gone)
    };
    place(range.start, false)..place(range.end, true)
}

/// A text with its runs of blanks made one: what differs in them only is the same candidate.
fn squeezed(text: &str) -> String {
    text.lines().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
