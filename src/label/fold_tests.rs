//! Labels folded from events, also those of two machines.
#![allow(clippy::unwrap_used)]

use super::super::draw::Draw;
use super::super::testing::{Log, answered};
use super::*;
use proptest::prelude::*;

const BLIND: Phase = Phase::Labelling;

fn said(sheet: &Sheet, item: &str) -> Option<String> {
    sheet.value(item, "bug").map(ToString::to_string)
}

#[test]
fn the_latest_answer_is_present_and_an_undo_brings_back_the_one_before() {
    let mut log = Log::new();
    log.answer("d/1", "bug", "yes", BLIND);
    let second = log.answer("d/1", "bug", "no", BLIND);
    let sheet = Sheet::of(log.events.clone());
    assert_eq!(said(&sheet, "d/1").as_deref(), Some("no"));
    assert_eq!(sheet.last_answer(BLIND).unwrap().event, second);
    assert_eq!(sheet.last_answer(Phase::Discussion), None);
    log.push("anna", What::Undone { target: second });
    let sheet = Sheet::of(log.events.clone());
    assert_eq!(said(&sheet, "d/1").as_deref(), Some("yes"));
    let first = sheet.last_answer(BLIND).unwrap().event;
    log.push("anna", What::Undone { target: first });
    let sheet = Sheet::of(log.events.clone());
    assert_eq!((said(&sheet, "d/1"), sheet.last_answer(BLIND)), (None, None));
    log.answer("d/1", "bug", "yes", BLIND);
    assert!(Sheet::of(log.events).conflicts.is_empty());
}

#[test]
fn events_that_come_one_by_one_make_the_same_sheet() {
    let mut draw = Draw::new(7, &["one by one"]);
    for _ in 0..50 {
        let mut log = Log::new();
        let mut sheet = Sheet::default();
        let mut given = Vec::new();
        for _ in 0..40 {
            let item = format!("d/{}", draw.below(3));
            let question = ["bug", "cause"][draw.below(2)];
            match draw.below(5) {
                0 if !given.is_empty() => {
                    let target = given[draw.below(given.len())];
                    let behind = sheet.behind(target);
                    let cell = sheet.cell_of(target).unwrap();
                    log.push("anna", What::Undone { target });
                    sheet.push(log.events.last().unwrap().clone());
                    assert_eq!(sheet.present.get(&cell), behind.as_ref());
                    continue;
                }
                1 => drop(log.push("anna", What::Flagged { item, on: true })),
                _ => given.push(log.answer(&item, question, ["yes", "no"][draw.below(2)], BLIND)),
            }
            sheet.push(log.events.last().unwrap().clone());
        }
        assert_eq!(sheet, Sheet::of(log.events));
    }
}

#[test]
fn two_machines_keep_both_answers_and_the_conflict_is_told_until_it_is_settled() {
    let mut one = Log::new();
    one.answer("d/1", "bug", "yes", BLIND);
    one.answer("d/2", "bug", "yes", BLIND);
    let mut other = one.clone();
    other.next = 1000;
    let ours = one.answer("d/1", "bug", "no", BLIND);
    let theirs = other.answer("d/1", "bug", "no", BLIND);
    one.answer("d/2", "bug", "no", BLIND);
    let merged = |one: &Log, other: &Log| Sheet::of([one.events.clone(), other.events.clone()].concat());
    let sheet = merged(&one, &other);
    assert!(sheet.conflicts.is_empty(), "the same answer twice, and a later one that knew: {sheet:?}");
    assert!(sheet.merged);
    let again = other.answer("d/2", "bug", "yes", BLIND);
    let sheet = merged(&one, &other);
    let cell = ("d/2".to_owned(), "bug".to_owned());
    let conflict = &sheet.conflicts[&cell];
    assert_eq!(conflict.present.event, again, "later by order, then by id");
    assert_eq!(said(&sheet, "d/2").as_deref(), Some("yes"));
    assert_eq!(sheet.events().len(), 6, "both are kept");
    assert!(ours < theirs);
    // Whoever answers next has seen both.
    let mut both = Log { events: sheet.events().to_vec(), next: 2000 };
    both.answer("d/2", "bug", "no", BLIND);
    assert!(Sheet::of(both.events).conflicts.is_empty());
}

#[test]
fn an_undo_elsewhere_does_not_make_a_later_answer_a_stranger() {
    let mut one = Log::new();
    one.answer("d/1", "bug", "yes", BLIND);
    let second = one.answer("d/1", "bug", "no", BLIND);
    let mut other = one.clone();
    other.next = 1000;
    one.push("anna", What::Undone { target: second });
    other.answer("d/1", "bug", "yes", BLIND);
    other.answer("d/1", "bug", "no", BLIND);
    let sheet = Sheet::of([one.events, other.events].concat());
    assert!(sheet.conflicts.is_empty(), "{:?}", sheet.conflicts);
    assert_eq!(said(&sheet, "d/1").as_deref(), Some("no"));
}

#[test]
fn blind_answers_are_frozen_and_later_ones_stand_beside_them() {
    let mut log = Log::new();
    let first = log.answer("d/1", "bug", "yes", BLIND);
    let mut elsewhere = log.clone();
    elsewhere.next = 1000;
    log.push("lea", What::Frozen { phase: BLIND, answers: vec![first] });
    log.answer("d/1", "bug", "no", Phase::Discussion);
    let sheet = Sheet::of(log.events.clone());
    let blind = |sheet: &Sheet| -> Vec<(String, String)> {
        let answers = sheet.answers(BLIND).into_iter();
        answers.map(|given| (given.answer.item.clone(), given.answer.value.to_string())).collect()
    };
    let frozen = vec![("d/1".to_owned(), "yes".to_owned())];
    assert_eq!(blind(&sheet), frozen);
    assert_eq!(said(&sheet, "d/1").as_deref(), Some("no"));
    assert!(sheet.is_frozen(BLIND) && !sheet.is_frozen(Phase::Discussion));
    // Another machine had not heard that labelling was over.
    elsewhere.answer("d/2", "bug", "yes", BLIND);
    let sheet = Sheet::of([log.events.clone(), elsewhere.events].concat());
    assert_eq!(blind(&sheet), frozen, "what is frozen stays as it is");
    assert_eq!(sheet.late().len(), 1);
    assert_eq!(said(&sheet, "d/2").as_deref(), Some("yes"), "and nothing is lost");
    // A file that lacks what was frozen says so.
    let sheet = Sheet::of(log.events[1..].to_vec());
    assert_eq!(sheet.lacking, [first]);
}

#[test]
fn marks_are_the_last_that_was_said() {
    let mut log = Log::new();
    let item = || "d/1".to_owned();
    log.push("anna", What::Skipped { item: item(), on: true, why: "no tests".to_owned() });
    log.push("anna", What::Flagged { item: item(), on: true });
    log.push("anna", What::Noted { item: item(), text: "see line 3".to_owned() });
    let marks = Sheet::of(log.events.clone()).marks.remove("d/1").unwrap();
    let wanted = Marks { skipped: Some("no tests".to_owned()), flagged: true, note: "see line 3".to_owned() };
    assert_eq!(marks, wanted);
    log.push("anna", What::Skipped { item: item(), on: false, why: String::new() });
    log.push("anna", What::Flagged { item: item(), on: false });
    log.push("anna", What::Noted { item: item(), text: String::new() });
    assert_eq!(Sheet::of(log.events).marks["d/1"], Marks::default());
}

/// What one machine does, by number: answers, takes back, freezes.
fn act(log: &mut Log, action: (u8, u8)) {
    let (what, which) = action;
    let item = format!("d/{}", which % 3);
    match what % 5 {
        0..=2 => {
            log.answer(&item, "bug", if which % 2 == 0 { "yes" } else { "no" }, BLIND);
        }
        3 => {
            let last = Sheet::of(log.events.clone()).last_answer(BLIND);
            if let Some(given) = last {
                log.push("anna", What::Undone { target: given.event });
            }
        }
        _ => {
            log.push("anna", What::Noted { item, text: which.to_string() });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_sheet_is_the_same_in_whatever_order_machines_are_merged(
        common in proptest::collection::vec(any::<(u8, u8)>(), 0..8),
        here in proptest::collection::vec(any::<(u8, u8)>(), 0..12),
        there in proptest::collection::vec(any::<(u8, u8)>(), 0..12),
        seed: u64,
    ) {
        let mut one = Log::new();
        common.into_iter().for_each(|action| act(&mut one, action));
        let mut other = one.clone();
        other.next = 10_000;
        here.into_iter().for_each(|action| act(&mut one, action));
        there.into_iter().for_each(|action| act(&mut other, action));
        let mut all = [one.events.clone(), other.events.clone()].concat();
        let straight = Sheet::of(all.clone());
        Draw::new(seed, &["test"]).shuffle(&mut all);
        // Folded at once, and one event at a time.
        prop_assert_eq!(&Sheet::of(all.clone()), &straight);
        let mut grown = Sheet::default();
        let mut known = HashSet::new();
        for event in all {
            if known.insert(event.id) {
                grown.push(event);
            }
        }
        prop_assert_eq!(&grown.present, &straight.present);
        prop_assert_eq!(&grown.conflicts, &straight.conflicts);
        prop_assert_eq!(&grown.marks, &straight.marks);
        let ids: HashSet<Uuid> =
            one.events.iter().chain(&other.events).map(|event| event.id).collect();
        prop_assert_eq!(straight.events().len(), ids.len(), "nothing is lost");
    }

    #[test]
    fn one_machine_alone_never_contradicts_itself(
        actions in proptest::collection::vec(any::<(u8, u8)>(), 0..30),
    ) {
        let mut log = Log::new();
        actions.into_iter().for_each(|action| act(&mut log, action));
        let sheet = Sheet::of(log.events);
        prop_assert!(sheet.conflicts.is_empty());
        prop_assert!(!sheet.merged);
    }
}

#[test]
fn an_answer_that_was_never_seen_is_a_conflict_whatever_the_clock_says() {
    let mut log = Log::new();
    log.answer("d/1", "bug", "yes", BLIND);
    log.push("anna", answered("d/1", "bug", "no", BLIND, None));
    let mut events = log.events;
    // The clock went back by a day: the order stays.
    events[1].at = Timestamp::UNIX_EPOCH;
    let sheet = Sheet::of(events);
    assert_eq!(said(&sheet, "d/1").as_deref(), Some("no"));
    assert_eq!(sheet.conflicts.len(), 1);
}
