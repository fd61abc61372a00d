//! One annotator over time, against known answers and against themselves.
#![allow(clippy::unwrap_used)]

use super::super::assign::{Assignment, Pairs};
use super::super::event::What;
use super::super::fold::Sheet;
use super::super::item::{Answered, Item, Stratum};
use super::super::overview::lines;
use super::super::status::{Clock, progress};
use super::super::testing::{Log, created};
use super::*;

const TOLD: Told = Told { answers: true, pace: true, gold: true, agreement: true };

fn item(name: String, purpose: Purpose) -> Item {
    Item { name, revision: "r".to_owned(), stratum: Stratum::default(), purpose, seen_in: Vec::new() }
}

/// 25 items, two gold ones and the first two again.
fn round() -> Round {
    let mut log = Log::new();
    log.push("lea", What::RoundCreated(Box::new(created())));
    let mut items: Vec<Item> = (0..25).map(|number| item(format!("d/{number}"), Purpose::Study)).collect();
    for number in 0..2 {
        let answers = Labels::from([("bug".to_owned(), Value::one("yes"))]);
        let gold = Purpose::Gold(Answered { answers, why: String::new() });
        items.push(item(format!("g/{number}"), gold));
    }
    for number in 0..2 {
        items.push(item(format!("d/{number}~2"), Purpose::Repeat(format!("d/{number}"))));
    }
    let queue: Vec<u32> = (0..items.len() as u32).collect();
    log.push("lea", What::ItemsAdded(items));
    let queues = vec![queue.clone(), queue];
    log.push("lea", What::Assigned(Assignment { pairs: Pairs::Fixed, per_item: 2, seed: 1, queues }));
    Round::of(log.events).unwrap()
}

fn sheet(said: impl Fn(&str, usize) -> &'static str) -> Sheet {
    let mut log = Log::new();
    let names = (0..25).map(|number| format!("d/{number}"));
    let names = names.chain(["g/0", "g/1", "d/0~2", "d/1~2"].map(str::to_owned));
    for (number, name) in names.enumerate() {
        log.answer(&name, "bug", said(&name, number), Phase::Labelling);
    }
    Sheet::of(log.events)
}

#[test]
fn blocks_hold_at_least_ten_items_in_their_order() {
    let round = round();
    let own = sheet(|_, number| if number < 12 { "yes" } else { "no" });
    let other = sheet(|_, number| if number < 18 { "yes" } else { "no" });
    let all = Labelled::all(&round, [own, other]);
    let lines = lines(&round, &all, true);
    let person = person(&round, 0, &all[0], &lines, TOLD);
    assert_eq!((person.name.as_str(), person.assigned, person.answered), ("anna", 29, 29));
    let drift = &person.drift[0];
    assert_eq!((drift.question.as_str(), drift.blocks.len()), ("bug", 2));
    assert_eq!(drift.blocks[0].counts, [12, 0]);
    assert_eq!(drift.blocks[1].counts, [0, 13]);
    assert_eq!((drift.blocks[0].n, drift.blocks[1].n), (12, 13));
    assert_eq!((drift.blocks[0].agreed, drift.blocks[1].agreed), (Some((12, 12)), Some((7, 13))));
    assert_eq!(drift.blocks[1].items[0], ("d/12".to_owned(), 1));
}

#[test]
fn known_answers_and_second_ones_are_told_with_their_items() {
    let round = round();
    let own = sheet(|name, _| if matches!(name, "g/1" | "d/1~2") { "no" } else { "yes" });
    let person = person(&round, 0, &Labelled::of(&round, own), &[], TOLD);
    let gold = person.gold.as_ref().unwrap();
    assert_eq!((gold.right, gold.n), (1, 2));
    assert_eq!(gold.wrong, [["g/1", "bug", "no", "yes"].map(str::to_owned)]);
    let again = &person.again[0];
    assert_eq!((again.question.as_str(), again.same, again.n), ("bug", 1, 2));
    assert_eq!(again.differ, [["d/1", "yes", "no"].map(str::to_owned)]);
    // Nobody agrees with anybody where that may not be told.
    assert!(person.drift[0].blocks.iter().all(|block| block.agreed.is_none()));
}

#[test]
fn what_may_not_be_told_is_not_there() {
    let round = round();
    let own = sheet(|_, _| "yes");
    let none = Told { answers: false, pace: false, gold: false, agreement: false };
    let person = person(&round, 0, &Labelled::of(&round, own), &[], none);
    assert_eq!((person.pace, person.gold, person.again, person.drift), (None, None, Vec::new(), Vec::new()));
}

#[test]
fn the_pace_is_the_median_of_items_not_of_answers() {
    let round = round();
    let mut log = Log::new();
    for (item, seconds) in [("d/0", 10), ("d/0", 30), ("d/1", 20), ("d/2", 90)] {
        let id = log.answer(item, "bug", "yes", Phase::Labelling);
        for event in log.events.iter_mut().filter(|event| event.id == id) {
            if let What::Answered(answer) = &mut event.what {
                std::sync::Arc::make_mut(answer).seconds = Some(seconds);
            }
        }
    }
    let person = person(&round, 0, &Labelled::of(&round, Sheet::of(log.events.clone())), &[], TOLD);
    let pace = person.pace.unwrap();
    assert_eq!((pace.median, pace.items, pace.clock), (30.0, 3, Clock::Looked));
    // An answer that came without is no item of nothing, and the desk tells the same as agreement.
    log.answer("d/3", "bug", "yes", Phase::Labelling);
    let sheet = Sheet::of(log.events.clone());
    let told = super::person(&round, 0, &Labelled::of(&round, sheet.clone()), &[], TOLD).pace.unwrap();
    assert_eq!((told.median, told.items), (30.0, 3));
    assert_eq!(progress(&round, 0, &sheet).pace, Some(told));
    assert_eq!(told.words(), "30 s an item (median of 3)");
    // What is revised later changes nothing in it, before or after the blind answers are frozen.
    let blind = sheet.answers_now().into_iter().map(|given| given.event).collect();
    log.push("lea", What::Frozen { phase: Phase::Labelling, answers: blind });
    let id = log.answer("d/0", "bug", "no", Phase::Discussion);
    for event in log.events.iter_mut().filter(|event| event.id == id) {
        if let What::Answered(answer) = &mut event.what {
            std::sync::Arc::make_mut(answer).seconds = Some(900);
        }
    }
    let sheet = Sheet::of(log.events.clone());
    assert_eq!(progress(&round, 0, &sheet).pace, Some(told));
    assert_eq!(super::person(&round, 0, &Labelled::of(&round, sheet.clone()), &[], TOLD).pace, Some(told));
    // Without such times it is told from one item to the next.
    let person = super::person(&round, 0, &Labelled::of(&round, tests::sheet(|_, _| "yes")), &[], TOLD);
    assert_eq!(person.pace.unwrap().clock, Clock::Between);
}
