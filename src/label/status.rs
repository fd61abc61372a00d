//! How far everybody is, and what stands in the way of the next phase.
//!
//! Promises: pure; an item is done when its codebook asks nothing more about it and nothing in it is stale; idle
//! time is no working time; a clock that went back makes no negative speed. Leaves to others: who may see it
//! (`visible`).

use super::adjudicate::{Case, Decisions, cases};
use super::fold::Sheet;
use super::phase::{Missing, Obstacle, Phase};
use super::reading::Reading;
use super::round::Round;
use super::value::Labels;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};

/// A longer pause between two items is idle time, in seconds.
pub const IDLE: i64 = 300;

/// How far an annotator is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Items that they label.
    pub assigned: usize,
    /// Items that are done.
    pub done: usize,
    /// Present answers.
    pub answers: usize,
    /// Items that are marked to be looked at again.
    pub flagged: usize,
    /// What is left, with the items in the order of serving.
    pub missing: BTreeMap<Missing, Vec<String>>,
    /// How fast; none: fewer than two items were done without a pause.
    pub pace: Option<Pace>,
    /// Answers of two machines that contradict each other.
    pub conflicts: usize,
    /// Blind answers that came after labelling had ended.
    pub late: usize,
    /// Whether a sealed file was handed in.
    pub sealed: bool,
}

/// How fast somebody labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Median time from one item to the next, seconds.
    pub median: f64,
    /// Over how many items.
    pub items: usize,
}

/// What an annotator's labels say with the codebook in force.
pub fn reading(round: &Round, sheet: &Sheet) -> Reading {
    let present: Vec<_> = sheet.answers_now();
    Reading::of(round, round.codebook(), &present)
}

/// How far an annotator is.
pub fn progress(round: &Round, annotator: usize, sheet: &Sheet) -> Progress {
    let reading = reading(round, sheet);
    let codebook = round.codebook();
    let stale: HashSet<&str> = reading.stale.iter().map(|stale| stale.item.as_str()).collect();
    let unknown: HashSet<&str> = reading
        .stale
        .iter()
        .filter(|stale| stale.changes.is_empty())
        .map(|stale| stale.item.as_str())
        .collect();
    let none = Labels::new();
    let mut progress = Progress {
        answers: sheet.present.len(),
        pace: pace(sheet),
        conflicts: sheet.conflicts.len(),
        late: sheet.late().len(),
        sealed: sheet.sealed.is_some(),
        ..Progress::default()
    };
    for number in round.queue(annotator) {
        let Some(item) = round.items.get(number) else { continue };
        progress.assigned += 1;
        let marks = sheet.marks.get(&item.name);
        progress.flagged += usize::from(marks.is_some_and(|marks| marks.flagged));
        let open = !codebook.missing(reading.item(&item.name).unwrap_or(&none)).is_empty();
        let what = if unknown.contains(item.name.as_str()) {
            Missing::Unknown
        } else if stale.contains(item.name.as_str()) {
            Missing::Stale
        } else if !open {
            progress.done += 1;
            continue;
        } else if marks.is_some_and(|marks| marks.skipped.is_some()) {
            Missing::Skipped
        } else {
            Missing::Unlabelled
        };
        progress.missing.entry(what).or_default().push(item.name.clone());
    }
    progress
}

/// The median time between the last answers to items that followed each other without a pause.
fn pace(sheet: &Sheet) -> Option<Pace> {
    let mut finished: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for given in sheet.present.values() {
        let at = finished.entry(given.answer.item.as_str()).or_insert(given.at);
        *at = (*at).max(given.at);
    }
    let mut times: Vec<Timestamp> = finished.into_values().collect();
    times.sort_unstable();
    let gap = |two: &[Timestamp]| two[1].duration_since(two[0]).as_millis() as f64 / 1000.0;
    let mut gaps: Vec<f64> = times.windows(2).map(gap).filter(|gap| *gap <= IDLE as f64).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    let items = gaps.len();
    let middle = |place: usize| gaps.get(place).copied();
    let median = match items {
        0 => None,
        odd if odd % 2 == 1 => middle(odd / 2),
        even => middle(even / 2 - 1).zip(middle(even / 2)).map(|(low, high)| (low + high) / 2.0),
    };
    median.map(|median| Pace { median, items })
}

/// What stands in the way of ending the present phase.
pub fn obstacles(round: &Round, sheets: &[Sheet], decisions: &Decisions) -> Vec<Obstacle> {
    match round.phase {
        Phase::Labelling => {
            let of = |(annotator, sheet): (usize, &Sheet)| {
                let who =
                    round.annotators.get(annotator).map_or_else(String::new, |person| person.name.clone());
                let missing = progress(round, annotator, sheet).missing;
                missing.into_iter().map(move |(what, items)| Obstacle { who: who.clone(), what, items })
            };
            sheets.iter().enumerate().flat_map(of).collect()
        }
        Phase::Discussion | Phase::Closed => Vec::new(),
        Phase::Adjudication => {
            let cases = all_cases(round, sheets, decisions);
            let name = |case: &Case| round.items.get(case.number).map(|item| item.name.clone());
            let mut obstacles = Vec::new();
            for (annotator, person) in round.annotators.iter().enumerate() {
                let waits = cases.iter().filter(|case| case.waits_for.contains(&annotator));
                let items: Vec<String> = waits.filter_map(name).collect();
                if !items.is_empty() {
                    obstacles.push(Obstacle { who: person.name.clone(), what: Missing::SentBack, items });
                }
            }
            let open = cases.iter().filter(|case| case.waits_for.is_empty() && !case.settled.open.is_empty());
            let items: Vec<String> = open.filter_map(name).collect();
            if !items.is_empty() {
                let who = round.arbitrator.name.clone();
                obstacles.push(Obstacle { who, what: Missing::Undecided, items });
            }
            obstacles
        }
    }
}

/// All items that are compared, settled as far as they are.
pub fn all_cases(round: &Round, sheets: &[Sheet], decisions: &Decisions) -> Vec<Case> {
    let readings: Vec<Reading> = sheets.iter().map(|sheet| reading(round, sheet)).collect();
    let looked: Vec<HashSet<uuid::Uuid>> = sheets.iter().map(Sheet::looked_again).collect();
    cases(round, &readings, &looked, decisions)
}
