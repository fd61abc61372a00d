//! What is contested, and how decisions settle it.
#![allow(clippy::unwrap_used)]

use super::super::testing::{Log, codebook, items, round_log};
use super::*;
use crate::label::codebook::Stamp;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(question, value)| ((*question).to_owned(), Value::one(*value))).collect()
}

fn decided(log: &mut Log, question: &str, value: &str, replaces: Option<Uuid>) -> Uuid {
    let stamp: Stamp = codebook().stamp();
    log.push(
        "zoe",
        What::Decided(Box::new(Decision {
            item: "d/1".to_owned(),
            question: question.to_owned(),
            value: Value::one(value),
            reason: ReasonCode::Slip,
            comment: String::new(),
            shown: Vec::new(),
            codebook: stamp,
            replaces,
        })),
    )
}

fn settled(one: &Labels, other: &Labels, decisions: &Decisions) -> Settled {
    settle(&codebook(), "d/1", &[(0, Some(one)), (1, Some(other))], decisions)
}

fn open(settled: &Settled) -> Vec<&str> {
    settled.open.iter().map(|open| open.question.as_str()).collect()
}

#[test]
fn what_all_say_holds_and_what_they_differ_on_waits() {
    let none = Decisions::default();
    let both = labels(&[("bug", "yes"), ("cause", "A")]);
    assert_eq!(settled(&both, &both, &none).labels, both);
    let found = settled(&both, &labels(&[("bug", "yes"), ("cause", "B")]), &none);
    assert_eq!((open(&found), &found.labels), (vec!["cause"], &labels(&[("bug", "yes")])));
    assert_eq!(found.open[0].said, [(0, Some(Value::one("A"))), (1, Some(Value::one("B")))]);
    // What follows from a contested question waits with it.
    let found = settled(&both, &labels(&[("bug", "no")]), &none);
    assert_eq!((open(&found), found.labels.len()), (vec!["bug"], 0));
    // An answer from before somebody changed their mind does not count.
    let stale = labels(&[("bug", "no"), ("cause", "A")]);
    assert_eq!(settled(&stale, &labels(&[("bug", "no")]), &none).labels, labels(&[("bug", "no")]));
    // Nobody has said anything: nothing to settle.
    assert_eq!(settled(&Labels::new(), &Labels::new(), &none), Settled::default());
    // Only one has.
    assert_eq!(open(&settled(&both, &Labels::new(), &none)), ["bug"]);
}

#[test]
fn a_decision_opens_the_questions_that_follow_from_it() {
    let (yes, no) = (labels(&[("bug", "yes"), ("cause", "A")]), labels(&[("bug", "no")]));
    let mut log = Log::new();
    let first = decided(&mut log, "bug", "yes", None);
    let found = settled(&yes, &no, &Decisions::of(log.events.clone()));
    assert_eq!(open(&found), ["cause"], "one was asked, the other was not");
    assert_eq!(found.open[0].said, [(0, Some(Value::one("A"))), (1, None)]);
    decided(&mut log, "cause", "C", None);
    let found = settled(&yes, &no, &Decisions::of(log.events.clone()));
    assert_eq!(found.labels, labels(&[("bug", "yes"), ("cause", "C")]));
    assert_eq!(found.decided, ["bug", "cause"]);
    // Another decision later: the one on what follows no longer matters.
    decided(&mut log, "bug", "no", Some(first));
    let decisions = Decisions::of(log.events.clone());
    assert!(decisions.conflicts.is_empty());
    assert_eq!(settled(&yes, &no, &decisions).labels, labels(&[("bug", "no")]));
    // Taking that back brings the earlier one back.
    log.push("zoe", What::Undone { target: decisions.last.unwrap() });
    let decisions = Decisions::of(log.events.clone());
    assert_eq!(settled(&yes, &no, &decisions).labels.len(), 2);
    // A machine that did not know of the earlier decision contradicts it.
    decided(&mut log, "cause", "B", None);
    assert_eq!(Decisions::of(log.events).conflicts.len(), 1);
}

fn round(count: usize) -> Round {
    Round::of(round_log(items(count)).events).unwrap()
}

#[test]
fn letters_are_dealt_at_random_and_the_same_each_time() {
    let round = round(200);
    let first: Vec<usize> =
        round.items.list().iter().map(|item| letters(&round, &item.name, &[0, 1])[0]).collect();
    let again: Vec<usize> =
        round.items.list().iter().map(|item| letters(&round, &item.name, &[1, 0])[0]).collect();
    assert_eq!(first, again, "whatever order the annotators come in");
    let swapped = first.iter().filter(|who| **who == 1).count();
    assert!((70..130).contains(&swapped), "{swapped} of 200");
    assert_eq!((letter(0), letter(1), letter(99)), ('A', 'B', 'Z'));
}

#[test]
fn what_was_sent_back_waits_for_those_who_have_not_looked_again() {
    let round = round(2);
    let mut log = Log::new();
    let back = log.push("zoe", What::SentBack { item: "d/1".to_owned(), why: "look".to_owned() });
    let decisions = Decisions::of(log.events);
    let reading = |pairs: &[(&str, &str)]| {
        let mut reading = Reading::default();
        for name in ["d/0", "d/1"] {
            reading.labels.insert(name.to_owned(), labels(pairs));
        }
        reading
    };
    let readings = [reading(&[("bug", "yes"), ("cause", "A")]), reading(&[("bug", "no")])];
    let looked = |one: bool| [if one { HashSet::from([back]) } else { HashSet::new() }, HashSet::new()];
    let waits = |one| -> Vec<Vec<usize>> {
        cases(&round, &readings, &looked(one), &decisions).into_iter().map(|case| case.waits_for).collect()
    };
    assert_eq!(waits(false), [vec![], vec![0, 1]]);
    assert_eq!(waits(true), [vec![], vec![1]]);
}

#[test]
fn reason_codes_have_names() {
    for code in ReasonCode::ALL {
        assert_eq!(ReasonCode::parse(code.as_str()), Some(code));
        assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        assert!(!code.describe().is_empty());
    }
}
