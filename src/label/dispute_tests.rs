//! What is a dispute, and what became of it.
#![allow(clippy::unwrap_used)]

use super::super::adjudicate::ReasonCode;
use super::super::assign::{Assignment, Pairs};
use super::super::event::Decision;
use super::super::item::{Item, Purpose, Stratum};
use super::super::testing::{Log, codebook, created};
use super::*;

fn item(name: &str) -> Item {
    Item {
        name: name.to_owned(),
        revision: "r".to_owned(),
        stratum: Stratum::default(),
        purpose: Purpose::Study,
        seen_in: Vec::new(),
    }
}

fn round() -> Round {
    let mut log = Log::new();
    log.push("lea", What::RoundCreated(Box::new(created())));
    log.push("lea", What::ItemsAdded(["d/1", "d/2", "d/3"].map(item).to_vec()));
    let queues = vec![vec![0, 1, 2], vec![2, 1, 0]];
    let assignment = Assignment { pairs: Pairs::Fixed, per_item: 2, seed: 1, queues };
    log.push("lea", What::Assigned(assignment));
    log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
    Round::of(log.events).unwrap()
}

/// A log with blind answers, frozen.
fn blind(start: u64, answers: &[(&str, &str, &str)]) -> Log {
    let mut log = Log { next: start, ..Log::new() };
    let given: Vec<_> = answers
        .iter()
        .map(|(item, question, value)| log.answer(item, question, value, Phase::Labelling))
        .collect();
    log.push("lea", What::Frozen { phase: Phase::Labelling, answers: given });
    log
}

fn logs() -> (Log, Log) {
    let yes = |item, cause| [(item, "bug", "yes"), (item, "cause", cause)];
    let anna = [yes("d/1", "A").as_slice(), &[("d/2", "bug", "no")], &yes("d/3", "A")].concat();
    let ben = [&[("d/1", "bug", "no")], yes("d/2", "B").as_slice(), &yes("d/3", "B")].concat();
    (blind(1, &anna), blind(100, &ben))
}

fn found(anna: &Log, ben: &Log, decisions: &Decisions) -> Vec<(String, &'static str)> {
    let sheets = [anna, ben].map(|log| Sheet::of(log.events.clone()));
    let standing = |dispute: &Dispute| match dispute.standing {
        Standing::Open => "open",
        Standing::Agreed => "agreed",
        Standing::SentBack => "back",
        Standing::Decided(_) => "decided",
    };
    disputes(&round(), &sheets, decisions)
        .iter()
        .map(|dispute| (format!("{} {}", dispute.question, dispute.item), standing(dispute)))
        .collect()
}

fn wanted(list: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    list.iter().map(|(name, standing)| ((*name).to_owned(), *standing)).collect()
}

#[test]
fn what_was_settled_in_discussion_stays_listed_and_what_follows_is_listed_when_it_is_asked() {
    let (mut anna, ben) = logs();
    let none = Decisions::default();
    assert_eq!(
        found(&anna, &ben, &none),
        wanted(&[("bug d/1", "open"), ("bug d/2", "open"), ("cause d/3", "open")])
    );
    // She takes his answers to d/2 over, one of them.
    anna.answer("d/2", "bug", "yes", Phase::Discussion);
    assert_eq!(
        found(&anna, &ben, &none),
        wanted(&[("bug d/1", "open"), ("bug d/2", "agreed"), ("cause d/2", "open"), ("cause d/3", "open")])
    );
    anna.push("anna", What::Noted { item: "d/2".to_owned(), text: "I overlooked the test".to_owned() });
    let sheets = [&anna, &ben].map(|log| Sheet::of(log.events.clone()));
    let all = disputes(&round(), &sheets, &none);
    let dispute = &all[1];
    let yes = Some(Value::one("yes"));
    assert_eq!(
        (&dispute.voices[0].blind, &dispute.voices[0].now),
        (&Some(Value::one("no")), &yes),
        "the blind answer stands beside the new one"
    );
    assert_eq!(dispute.voices[1].blind, yes);
    let record: Vec<&Happened> = dispute.record.iter().map(|remark| &remark.what).collect();
    assert_eq!(
        record,
        [
            &Happened::Answered { before: Some(Value::one("no")), value: Value::one("yes") },
            &Happened::Noted("I overlooked the test".to_owned())
        ]
    );
    assert_eq!(dispute.against(), [Some(Value::one("no")), yes]);
    // She takes it back.
    let target = anna.events.iter().rev().find(|event| matches!(event.what, What::Answered(_))).unwrap().id;
    anna.push("anna", What::Undone { target });
    assert_eq!(found(&anna, &ben, &none)[1], ("bug d/2".to_owned(), "open"));
}

#[test]
fn decisions_and_who_is_overruled() {
    let (anna, ben) = logs();
    let mut log = Log { next: 500, ..Log::new() };
    log.push(
        "zoe",
        What::Decided(Box::new(Decision {
            item: "d/1".to_owned(),
            question: "bug".to_owned(),
            value: Value::one("yes"),
            reason: ReasonCode::Slip,
            comment: "the test fails".to_owned(),
            shown: Vec::new(),
            codebook: codebook().stamp(),
            replaces: None,
        })),
    );
    log.push("zoe", What::SentBack { item: "d/3".to_owned(), why: "which loop?".to_owned() });
    let decisions = Decisions::of(log.events);
    let sheets = [&anna, &ben].map(|log| Sheet::of(log.events.clone()));
    let all = disputes(&round(), &sheets, &decisions);
    let first = &all[0];
    assert!(matches!(first.standing, Standing::Decided(_)));
    assert!(!first.overrules(0) && first.overrules(1));
    // What follows from the decision: only she was asked it.
    let follows = all.iter().find(|one| one.question == "cause" && one.item == "d/1").unwrap();
    assert_eq!(follows.standing, Standing::Open);
    let back = all.iter().find(|one| one.item == "d/3").unwrap();
    assert_eq!(back.standing, Standing::SentBack);
    assert!(matches!(&back.record[0].what, Happened::SentBack(why) if why == "which loop?"));
}
