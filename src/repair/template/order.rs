//! Which mutation comes first: how often such a fault is mended so, and how suspicious its place is.
//!
//! Promises: the same code and evidence give the same order; the first ones are spread over places and families.
//! Leaves to others: trying them (`candidates`).

use super::code::{Code, Unit};
use super::evidence::Evidence;
use super::mutation::{Mutation, Template};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What each further mutation of one place is worth of the one before it.
const SAME_PLACE: f64 = 0.9;
/// What each further mutation of one place and family is worth.
const ALIKE: f64 = 0.8;
/// What each further mutation of one family is worth.
const SAME_FAMILY: f64 = 0.93;

/// How suspicious the lines of a file are, and its functions.
pub(super) struct Suspicion {
    lines: BTreeMap<usize, f64>,
}

/// What a line that is named in a stack or message is worth more.
const NAMED_LINE: f64 = 2.2;
/// What a line is worth more whose words the tests speak of.
const SHARED_WORD: f64 = 1.15;
/// The lines of a function one line of which is named.
const NAMED_FUNCTION: f64 = 1.5;

impl Suspicion {
    pub fn of(unit: &Unit<'_>, evidence: &Evidence) -> Suspicion {
        let named: BTreeSet<usize> = evidence
            .lines_of(unit.path)
            .into_iter()
            .filter_map(|line| (line as usize).checked_sub(1))
            .collect();
        let functions: Vec<std::ops::Range<usize>> = unit
            .definitions
            .iter()
            .map(|definition| definition.span.lines.start as usize..definition.span.lines.end as usize)
            .filter(|lines| named.range(lines.clone()).next().is_some())
            .collect();
        let own: BTreeSet<&str> =
            unit.definitions.iter().map(|definition| definition.span.name.as_str()).collect();
        let mut lines = BTreeMap::new();
        for (number, line) in unit.file.text.lines().enumerate() {
            let mut factor = 1.0;
            if named.contains(&number) {
                factor *= NAMED_LINE;
            }
            if functions.iter().any(|function| function.contains(&number)) && !unit.in_functions {
                factor *= NAMED_FUNCTION;
            }
            let words = line.split(|character: char| !character.is_alphanumeric() && character != '_');
            let shared = words.filter(|word| !own.contains(word) && evidence.names(word)).take(2).count();
            factor *= SHARED_WORD.powi(i32::try_from(shared).unwrap_or(0));
            if (factor - 1.0_f64).abs() > f64::EPSILON {
                lines.insert(number, factor);
            }
        }
        Suspicion { lines }
    }

    pub fn line(&self, line: usize) -> f64 {
        self.lines.get(&line).copied().unwrap_or(1.0)
    }
}

/// Puts mutations into the order in which they are tried.
pub(super) fn by_suspicion(code: &Code<'_>, evidence: &Evidence, mutations: Vec<Mutation>) -> Vec<Mutation> {
    let suspicions: Vec<Suspicion> = code.units.iter().map(|unit| Suspicion::of(unit, evidence)).collect();
    let mut scored: Vec<(f64, Mutation)> = mutations
        .into_iter()
        .map(|mutation| {
            let line = code.units[mutation.unit].line(mutation.at());
            let place = suspicions[mutation.unit].line(line);
            (mutation.weight * place * evidence.factor(mutation.template), mutation)
        })
        .collect();
    scored.sort_by(order);
    let mut places: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    let mut alike: BTreeMap<(usize, usize, Template), i32> = BTreeMap::new();
    let mut families: BTreeMap<Template, i32> = BTreeMap::new();
    for (score, mutation) in &mut scored {
        let place = places.entry((mutation.unit, mutation.at())).or_default();
        let family = families.entry(mutation.template).or_default();
        let same = alike.entry((mutation.unit, mutation.at(), mutation.template)).or_default();
        *score *= SAME_PLACE.powi(*place) * ALIKE.powi(*same) * SAME_FAMILY.powi((*family).min(40));
        *place = (*place + 1).min(8);
        *same += 1;
        *family += 1;
    }
    scored.sort_by(order);
    scored.into_iter().map(|(_, mutation)| mutation).collect()
}

fn order(one: &(f64, Mutation), two: &(f64, Mutation)) -> Ordering {
    let key = |mutation: &Mutation| (mutation.unit, mutation.at(), mutation.template);
    let texts = |mutation: &Mutation| mutation.edits.iter().map(|edit| edit.text.clone()).collect::<Vec<_>>();
    two.0
        .total_cmp(&one.0)
        .then_with(|| key(&one.1).cmp(&key(&two.1)))
        .then_with(|| texts(&one.1).cmp(&texts(&two.1)))
}

/// Puts mutations into an order drawn by lot, every order as likely as another.
pub(super) fn by_lot(name: &str, seed: u64, mutations: Vec<Mutation>) -> Vec<Mutation> {
    use sha2::{Digest, Sha256};
    let mut drawn: Vec<([u8; 32], Mutation)> = mutations
        .into_iter()
        .enumerate()
        .map(|(number, mutation)| {
            let lot = Sha256::digest(format!("{seed}\n{name}\n{number}").as_bytes());
            (lot.into(), mutation)
        })
        .collect();
    drawn.sort_by_key(|(lot, _)| *lot);
    drawn.into_iter().map(|(_, mutation)| mutation).collect()
}
