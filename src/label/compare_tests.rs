//! What is compared, and how far everybody is, of one small round.
#![allow(clippy::unwrap_used)]

use super::super::adjudicate::Decisions;
use super::super::event::What;
use super::super::phase::Missing;
use super::super::status::{obstacles, progress};
use super::super::testing::{Log, codebook, id, items, round_log};
use super::*;
use crate::agreement::{PairTable, Weights, cohen_kappa};

/// A round of so many items, of which the last was in another round before.
fn log(count: usize) -> Log {
    let mut items = items(count);
    items[count - 1].seen_in.push(id(77));
    round_log(items)
}

/// Labels of one annotator: for each item nothing, `no`, or `yes` with a cause.
fn labels(answers: &[&str], phase: Phase) -> Log {
    let mut log = Log::new();
    answer(&mut log, answers, phase);
    log
}

fn answer(log: &mut Log, answers: &[&str], phase: Phase) {
    for (number, answer) in answers.iter().enumerate() {
        let item = format!("d/{number}");
        match *answer {
            "" => {}
            "no" => {
                log.answer(&item, "bug", "no", phase);
            }
            cause => {
                log.answer(&item, "bug", "yes", phase);
                if cause != "yes" {
                    log.answer(&item, "cause", cause, phase);
                }
            }
        }
    }
}

fn find(all: &[Compared], question: &str, scope: Scope, part: Part) -> Compared {
    let fits = |one: &&Compared| one.question == question && one.scope == scope && one.part == part;
    all.iter().find(fits).unwrap().clone()
}

fn kappa(compared: &Compared) -> (u64, Option<f64>) {
    let size = compared.categories.len();
    let place = |cell: &Option<Value>| cell.as_ref().and_then(|value| compared.category(value));
    let pairs = compared.cells[0].iter().zip(&compared.cells[1]);
    let table =
        PairTable::of_pairs(size, pairs.filter_map(|(one, other)| Some((place(one)?, place(other)?))));
    let table = table.unwrap();
    let kappa = cohen_kappa(&table, &Weights::nominal(size).unwrap());
    (table.total(), kappa.estimate.value.defined())
}

#[test]
fn a_conditional_question_is_compared_twice() {
    let round = Round::of(log(6).events).unwrap();
    let sheets = [
        Sheet::of(labels(&["A", "A", "B", "no", "no", "C"], Phase::Labelling).events),
        Sheet::of(labels(&["A", "B", "no", "no", "A", "C"], Phase::Labelling).events),
    ];
    let all = compared(&round, &sheets, Basis::Blind);
    let bug = find(&all, "bug", Scope::Asked, Part::Every);
    assert_eq!(bug.categories, ["yes", "no"]);
    // 3 yes-yes, 1 no-no, one each way: po 4/6, pe (4·4 + 2·2)/36.
    let expected = (4.0 / 6.0 - 20.0 / 36.0) / (1.0 - 20.0 / 36.0);
    let (n, value) = kappa(&bug);
    assert_eq!(n, 6);
    assert!((value.unwrap() - expected).abs() < 1e-12);
    let asked = find(&all, "cause", Scope::Asked, Part::Every);
    assert_eq!(asked.items, ["d/0", "d/1", "d/5"], "where both said that it is a bug");
    assert_eq!(asked.categories, ["A", "B", "C"]);
    let every = find(&all, "cause", Scope::All, Part::Every);
    assert_eq!(every.items.len(), 6);
    assert_eq!(every.categories, ["A", "B", "C", NOT_APPLICABLE]);
    assert_eq!(kappa(&every).0, 6);
    assert_ne!(kappa(&every).1, kappa(&asked).1);
    // The last item was seen before: it is told, and the others stand apart too.
    assert!(!bug.is_independent());
    assert_eq!((bug.reverified, find(&all, "bug", Scope::Asked, Part::New).items.len()), (1, 5));
    assert!(find(&all, "bug", Scope::Asked, Part::New).is_independent());
    assert_eq!(find(&all, "bug", Scope::Asked, Part::Reverified).items, ["d/5"]);
}

#[test]
fn revised_labels_never_change_the_blind_ones() {
    let mut round_log = log(3);
    let mut one = labels(&["A", "no", "A"], Phase::Labelling);
    let other = labels(&["no", "no", "A"], Phase::Labelling);
    let freeze = |log: &mut Log| {
        let answers =
            Sheet::of(log.events.clone()).answers_now().into_iter().map(|given| given.event).collect();
        log.push("lea", What::Frozen { phase: Phase::Labelling, answers });
    };
    let mut other = other;
    freeze(&mut one);
    freeze(&mut other);
    round_log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
    let round = Round::of(round_log.events).unwrap();
    let sheets = |one: &Log| [Sheet::of(one.events.clone()), Sheet::of(other.events.clone())];
    let blind = compared(&round, &sheets(&one), Basis::Blind);
    answer(&mut one, &["no"], Phase::Discussion);
    let after = sheets(&one);
    assert_eq!(compared(&round, &after, Basis::Blind), blind);
    let revised = compared(&round, &after, Basis::Revised);
    let bug = |all: &[Compared]| kappa(&find(all, "bug", Scope::Asked, Part::Every)).1;
    assert!(bug(&blind).unwrap() < 1.0);
    assert_eq!(bug(&revised), Some(1.0));
    assert!(revised.iter().all(|one| !one.is_independent()));
}

#[test]
fn one_sided_and_stale_labels_are_not_compared() {
    let mut round_log = log(4);
    let one = labels(&["A", "A", "no", ""], Phase::Labelling);
    let other = labels(&["A", "", "no", "B"], Phase::Labelling);
    let sheets = [Sheet::of(one.events), Sheet::of(other.events)];
    let round = Round::of(round_log.events.clone()).unwrap();
    let all = compared(&round, &sheets, Basis::Blind);
    assert_eq!(kappa(&find(&all, "bug", Scope::Asked, Part::Every)).0, 2);
    assert_eq!(find(&all, "bug", Scope::Asked, Part::Every).items.len(), 4, "the others are told beside it");
    // The cause is asked in other words: its labels are stale, those of the other question stay.
    let mut second = codebook();
    second.version = 2;
    second.questions[1].text = "Why does it fail?".to_owned();
    let changed = What::CodebookChanged { codebook: Box::new(second), why: "unclear".to_owned() };
    round_log.push("lea", changed);
    let round = Round::of(round_log.events).unwrap();
    let all = compared(&round, &sheets, Basis::Blind);
    assert_eq!(kappa(&find(&all, "bug", Scope::Asked, Part::Every)).0, 2);
    let cause = find(&all, "cause", Scope::Asked, Part::Every);
    assert_eq!((kappa(&cause).0, cause.stale), (0, 4));
    // And exactly these have to be looked at again.
    let missing = progress(&round, 0, &sheets[0]).missing;
    assert_eq!(missing[&Missing::Stale], ["d/0", "d/1"]);
    assert_eq!(missing[&Missing::Unlabelled], ["d/3"]);
    assert_eq!(missing.len(), 2);
}

#[test]
fn what_stands_in_the_way_is_told_by_name_and_item() {
    let round = Round::of(log(3).events).unwrap();
    let mut one = labels(&["A", "yes", "no"], Phase::Labelling);
    one.push("anna", What::Skipped { item: "d/1".to_owned(), on: true, why: "odd".to_owned() });
    let sheets = [Sheet::of(one.events), Sheet::of(labels(&["A", "", "no"], Phase::Labelling).events)];
    let found = obstacles(&round, &sheets, &Decisions::default());
    let told: Vec<(&str, Missing, &[String])> =
        found.iter().map(|one| (one.who.as_str(), one.what, one.items.as_slice())).collect();
    let item = ["d/1".to_owned()];
    assert_eq!(told, [("anna", Missing::Skipped, &item[..]), ("ben", Missing::Unlabelled, &item[..])]);
    let progress = progress(&round, 0, &sheets[0]);
    assert_eq!((progress.assigned, progress.done, progress.answers), (3, 2, 4));
}

#[test]
fn speed_leaves_idle_time_out_and_a_clock_that_went_back() {
    let round = Round::of(log(4).events).unwrap();
    let mut log = labels(&["no", "no", "no", "no"], Phase::Labelling);
    let seconds = [100, 110, 10_000, 10_020];
    for (event, second) in log.events.iter_mut().zip(seconds) {
        event.at = jiff::Timestamp::from_second(second).unwrap();
    }
    let pace = progress(&round, 0, &Sheet::of(log.events.clone())).pace.unwrap();
    assert_eq!((pace.median, pace.items), (15.0, 2));
    log.events[3].at = jiff::Timestamp::from_second(-50).unwrap();
    let pace = progress(&round, 0, &Sheet::of(log.events.clone())).pace.unwrap();
    assert!(pace.median > 0.0);
    log.events.truncate(1);
    assert_eq!(progress(&round, 0, &Sheet::of(log.events)).pace, None);
}
