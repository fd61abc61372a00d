//! How far everybody is, and what stands in the way of the next phase.
//!
//! Promises: pure; an item is done when its codebook asks nothing more about it and nothing in it is stale; idle
//! time is no working time; a clock that went back makes no negative speed. Leaves to others: who may see it
//! (`visible`).

use super::adjudicate::{Case, Decisions, cases};
use super::aside::Aside;
use super::codebook::Change;
use super::fold::Sheet;
use super::phase::{Missing, Obstacle, Phase};
use super::reading::{Reading, Stale};
use super::round::Round;
use super::value::Labels;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

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
    /// How fast they label blindly; none: that is not known.
    pub pace: Option<Pace>,
    /// Answers of two machines that contradict each other.
    pub conflicts: usize,
    /// Blind answers that came after labelling had ended.
    pub late: usize,
    /// Answers that have no place in the round.
    pub aside: Aside,
    /// Whether a sealed file was handed in.
    pub sealed: bool,
    /// Whether their labels are shut though the round is not withdrawn: the lead is about to, or was broken off.
    pub shut: bool,
}

/// How fast somebody labels blindly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Median time for an item, seconds.
    pub median: f64,
    /// Over how many items.
    pub items: usize,
    /// How it was measured.
    pub clock: Clock,
}

/// How time was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The time that each item was looked at, idle time taken out.
    Looked,
    /// The time from one item to the next, longer pauses left out.
    Between,
}

impl Clock {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Clock::Looked => "looked",
            Clock::Between => "between",
        }
    }
}

impl Pace {
    /// `21 s an item (median of 40)`; with `about` where it was not measured item by item.
    pub fn words(&self) -> String {
        let about = if self.clock == Clock::Between { "about " } else { "" };
        format!("{about}{:.0} s an item (median of {})", self.median, self.items)
    }
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
    // What no codebook of the round asks cannot be answered again: it is told, and holds nobody up.
    let to_do = |stale: &&Stale| !stale.changes.contains(&Change::NeverAsked);
    let stale: HashSet<&str> = reading.stale.iter().filter(to_do).map(|stale| stale.item.as_str()).collect();
    let unknown: HashSet<&str> = reading
        .stale
        .iter()
        .filter(to_do)
        .filter(|stale| stale.changes.is_empty() || stale.is_foreign())
        .map(|stale| stale.item.as_str())
        .collect();
    let none = Labels::new();
    let mut progress = Progress {
        answers: sheet.present.len(),
        pace: pace(sheet),
        conflicts: sheet.conflicts.len(),
        late: sheet.late().len(),
        aside: Aside::of(round, annotator, &reading),
        sealed: sheet.sealed.is_some(),
        shut: sheet.withdrawn && round.withdrawn.is_none(),
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

/// The median time for an item, of the answers given in the blind phase, by the one definition for screens, command line
/// and reports: the seconds that an item was looked at, where they were kept; items without them do not count. Only
/// where none has them, as with answers that came from a file, it is the time between the last answers to items that
/// followed each other without a pause.
pub fn pace(sheet: &Sheet) -> Option<Pace> {
    let mut looked: BTreeMap<&str, u32> = BTreeMap::new();
    let mut finished: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for given in sheet.answers(Phase::Labelling) {
        let item = given.answer.item.as_str();
        let at = finished.entry(item).or_insert(given.at);
        *at = (*at).max(given.at);
        if let Some(seconds) = given.answer.seconds {
            // What was looked at for an item grows from answer to answer.
            let longest = looked.entry(item).or_default();
            *longest = (*longest).max(seconds);
        }
    }
    if !looked.is_empty() {
        return median(looked.into_values().map(f64::from).collect(), Clock::Looked);
    }
    let mut times: Vec<Timestamp> = finished.into_values().collect();
    times.sort_unstable();
    let gap = |two: &[Timestamp]| two[1].duration_since(two[0]).as_millis() as f64 / 1000.0;
    let gaps = times.windows(2).map(gap).filter(|gap| *gap <= IDLE as f64).collect();
    median(gaps, Clock::Between)
}

fn median(mut seconds: Vec<f64>, clock: Clock) -> Option<Pace> {
    seconds.sort_unstable_by(f64::total_cmp);
    let items = seconds.len();
    let (low, high) = (seconds.get(items.checked_sub(1)? / 2)?, seconds.get(items / 2)?);
    Some(Pace { median: (low + high) / 2.0, items, clock })
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
    let looked: Vec<HashSet<Uuid>> =
        sheets.iter().zip(&readings).map(|(sheet, reading)| looked_again(round, sheet, reading)).collect();
    cases(round, &readings, &looked, decisions)
}

/// The sendings back by the arbitrator that an annotator has answered: something was answered since, and nothing about
/// the item is without an answer.
pub fn looked_again(round: &Round, sheet: &Sheet, reading: &Reading) -> HashSet<Uuid> {
    let answered = sheet.present.values().filter_map(|given| Some((given.answer.back?, &given.answer.item)));
    let complete = answered.filter(|(_, item)| {
        reading.item(item).is_some_and(|labels| round.codebook().missing(labels).is_empty())
    });
    complete.map(|(back, _)| back).collect()
}
