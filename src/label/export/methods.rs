//! The paragraph that says in a paper how the labels came about.
//!
//! Promises: every coefficient stands with its n and its interval, or with the reason why it has none; it says which
//! labels were independent and which were not, and of a round that is not over what may still change; it names the
//! codebook's version and every deviation. Plain text.
//! Leaves to others: judging the numbers.

use super::measure::{Measured, Raters, Reading};
use super::tables::deviation;
use super::{RoundFacts, Stage, Study, measure};
use crate::label::phase::Phase;
use crate::label::round::called;
use crate::text::{counted, three};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The paragraph, one sentence a line.
pub fn methods(study: &Study) -> String {
    let mut sentences = Vec::new();
    let is_hidden = is_hidden(study);
    sentences.push(opening(study, is_hidden));
    let measured = measure(study);
    let (blind, revised): (Vec<&Measured>, Vec<&Measured>) =
        measured.iter().partition(|measured| measured.place.stage == Stage::Blind);
    if !blind.is_empty() && !is_hidden {
        sentences.push(of_blind(study, &blind));
        sentences.extend(blind.iter().map(|measured| sentence(study, measured)));
    }
    if is_hidden {
        sentences.extend(unfinished(study, &[Phase::Labelling]).map(|(_, rounds)| {
            format!("The blind phase of {rounds} has not ended: results are not visible yet.")
        }));
    }
    if !revised.is_empty() {
        sentences.push(
            "After discussion annotators could revise their labels; agreement on revised labels is not agreement of \
             independent judgements and is given apart."
                .to_owned(),
        );
        sentences.extend(unfinished(study, &[Phase::Discussion, Phase::Adjudication]).map(
            |(phase, rounds)| {
                format!("The {phase} of {rounds} has not ended: revised labels may still change.")
            },
        ));
    }
    sentences.extend(revised.iter().map(|measured| sentence(study, measured)));
    sentences.extend(adjudication(study));
    match study.deviations.is_empty() {
        true => sentences.push("No deviation from the protocol was recorded.".to_owned()),
        false => sentences.extend(study.deviations.iter().map(deviation)),
    }
    let mut text = sentences.join("\n");
    text.push('\n');
    crate::text::sanitise_lines(&text, 4).into_owned()
}

/// Whether labels are blind and of at most one annotator here: nothing can be said of agreement.
fn is_hidden(study: &Study) -> bool {
    let labels = study.rows.iter().filter(|row| row.stage != Stage::Adjudicated);
    let annotators: BTreeSet<&str> = labels.map(|row| &*row.annotator).collect();
    annotators.len() < 2 && unfinished(study, &[Phase::Labelling]).next().is_some()
}

/// When the blind labels were taken that agreement is computed on.
fn of_blind(study: &Study, blind: &[&Measured]) -> String {
    let open = unfinished(study, &[Phase::Labelling]).next();
    let is_open = |measured: &&&Measured| {
        let of_round = |round: &&RoundFacts| round.name == *measured.place.round;
        study.rounds.iter().find(of_round).is_some_and(|round| round.phase == Some(Phase::Labelling))
    };
    match open {
        None => "Agreement was computed on the labels as they were at the end of the blind phase.".to_owned(),
        Some((_, rounds)) if blind.iter().filter(is_open).count() == blind.len() => format!(
            "Agreement was computed on the blind labels given so far: the blind phase of {rounds} has not ended, and \
             they may still change."
        ),
        Some((_, rounds)) => format!(
            "Agreement was computed on the labels as they were at the end of the blind phase; of {rounds}, where that \
             phase has not ended, on the labels given so far, which may still change."
        ),
    }
}

/// The rounds that are in these phases, phase by phase, as `round r1` or `rounds r1, r2`.
fn unfinished(study: &Study, phases: &[Phase]) -> impl Iterator<Item = (Phase, String)> {
    phases.iter().filter_map(|phase| {
        let rounds = study.rounds.iter().filter(|round| round.phase == Some(*phase));
        let names: Vec<&str> = rounds.map(|round| round.name.as_str()).collect();
        let word = if names.len() == 1 { "round" } else { "rounds" };
        (!names.is_empty()).then(|| (*phase, format!("{word} {}", names.join(", "))))
    })
}

/// Who labelled what, by which codebook; `is_hidden`: no labels that could be told may be seen yet.
fn opening(study: &Study, is_hidden: bool) -> String {
    let labels = study.rows.iter().filter(|row| row.stage != Stage::Adjudicated);
    let mut annotators: BTreeSet<&str> = labels.map(|row| &*row.annotator).collect();
    let items: BTreeSet<&str> = study.rows.iter().map(|row| &*row.item).collect();
    let planned: u64 = study.rounds.iter().map(|round| round.items).sum();
    // While labels are hidden it is told who was asked to label what, the same whatever was labelled.
    let (verb, items) = match is_hidden {
        true => {
            annotators.extend(study.rounds.iter().flat_map(|round| &round.annotators).map(String::as_str));
            ("were assigned", planned)
        }
        false => ("labelled", items.len() as u64),
    };
    let mut text = format!(
        "{} ({}) {verb} {}",
        counted(annotators.len(), "annotator"),
        annotators.iter().copied().collect::<Vec<_>>().join(", "),
        counted(items, "item"),
    );
    if !study.rounds.is_empty() {
        let rounds: Vec<String> = study
            .rounds
            .iter()
            .map(|round| {
                let seed = round.seed.map(|seed| format!(", drawn with seed {seed}")).unwrap_or_default();
                let second = match round.second {
                    0 => String::new(),
                    count => format!(" + {}", counted(count, "second serving")),
                };
                format!("{}: {}{second}{seed}", round.name, counted(round.items, "item"))
            })
            .collect();
        let (count, rounds) = (counted(study.rounds.len(), "round"), rounds.join("; "));
        let _ = write!(text, " in {count} ({rounds}; {planned} in all)");
    }
    match &study.codebook {
        Some(codebook) => {
            let _ = write!(
                text,
                " with the codebook \"{}\" ({}, version {}).",
                codebook.title, codebook.id, codebook.stamp
            );
        }
        None => text.push_str("; no codebook is recorded."),
    }
    text
}

fn sentence(study: &Study, measured: &Measured) -> String {
    let place = &measured.place;
    let who = match &measured.raters {
        Raters::Pair(one, other) => format!("{one} and {other}"),
        Raters::All(all) if all.len() > 1 => format!("all {} annotators", all.len()),
        Raters::All(all) => all.iter().map(|name| name.to_string()).collect(),
    };
    let round = if study.rounds.len() > 1 || !place.round.is_empty() {
        format!("{}, ", called(&place.round))
    } else {
        String::new()
    };
    let stage = match place.stage {
        Stage::Blind if measured.is_independent() => String::new(),
        Stage::Blind => format!(
            ", not independent: {} verified again",
            match measured.seen_before {
                1 => "1 item was".to_owned(),
                count => format!("{count} items were"),
            }
        ),
        other => format!(", {} labels", other.words()),
    };
    let on = match measured.reading {
        Reading::Plain => String::new(),
        reading => format!(", {}", reading.words()),
    };
    let mut text = format!("{} ({round}{who}{on}{stage}): ", place.question);
    let n = measured.joint;
    for (at, statistic) in measured.statistics.iter().enumerate() {
        if at > 0 {
            text.push_str("; ");
        }
        match (&statistic.value, &statistic.interval) {
            (Ok(value), Some(Ok(interval))) => {
                let (low, high) = (three(interval.low), three(interval.high));
                let _ = write!(text, "{} {} (95 % interval {low} to {high}", statistic.words, three(*value));
            }
            (Ok(value), Some(Err(why))) => {
                let _ = write!(text, "{} {} (no interval: {why}", statistic.words, three(*value));
            }
            (Ok(value), None) => {
                let _ = write!(text, "{} {}", statistic.words, three(*value));
            }
            (Err(why), _) => {
                let _ = write!(text, "{} undefined: {why}", statistic.words);
            }
        }
        let open = statistic.value.is_ok() && statistic.interval.is_some();
        match (at, open) {
            (0, true) => {
                let _ = write!(text, ", n = {n})");
            }
            (0, false) => {
                let _ = write!(text, " (n = {n})");
            }
            (_, true) => text.push(')'),
            (_, false) => {}
        }
    }
    if measured.one_sided > 0 {
        let _ = write!(text, "; {} with one label only left out", counted(measured.one_sided, "item"));
    }
    text.push('.');
    text
}

/// Who gave a label of which item: as an arbitrator, or not.
fn judged(study: &Study, arbitrated: bool) -> BTreeSet<(&str, &str)> {
    let rows = study.rows.iter().filter(|row| (row.stage == Stage::Adjudicated) == arbitrated);
    rows.map(|row| (&*row.annotator, &*row.item)).collect()
}

/// What the arbitrator did.
fn adjudication(study: &Study) -> Option<String> {
    let decided: BTreeSet<(&str, &str)> = study
        .rows
        .iter()
        .filter(|row| row.stage == Stage::Adjudicated)
        .map(|row| (&*row.item, &*row.question))
        .collect();
    if decided.is_empty() {
        return None;
    }
    let who: BTreeSet<&str> = study.rounds.iter().filter_map(|round| round.arbitrator.as_deref()).collect();
    let who = match who.is_empty() {
        true => "an arbitrator".to_owned(),
        false => who.into_iter().collect::<Vec<_>>().join(", "),
    };
    let judges: BTreeSet<(&str, &str)> = judged(study, true);
    let apart = judges.is_disjoint(&judged(study, false));
    let count = counted(decided.len(), "contested label");
    let verb = if decided.len() == 1 { "was" } else { "were" };
    let apart = if apart { ", who had labelled none of these items before" } else { "" };
    let rest = match unfinished(study, &[Phase::Adjudication]).next() {
        Some((_, rounds)) => format!("; the adjudication of {rounds} has not ended"),
        None => String::new(),
    };
    Some(format!("{count} {verb} decided by {who}{apart}{rest}."))
}
