//! Rounds folded from events.
#![allow(clippy::unwrap_used)]

use super::super::testing::{Log, created};
use super::*;
use crate::label::assign::Pairs;
use proptest::prelude::*;

#[test]
fn people_must_be_able_to_take_part() {
    let check = |annotators: &[&str], arbitrator: &str, lead: &str| {
        let annotators: Vec<String> = annotators.iter().map(|name| (*name).to_owned()).collect();
        check_people(&annotators, arbitrator, lead).map_err(|error| error.to_string())
    };
    assert_eq!(check(&["anna", "ben"], "zoe", "lea"), Ok(()));
    assert_eq!(check(&["anna", "ben"], "zoe", "zoe"), Ok(()), "a lead may be the arbitrator");
    for (annotators, arbitrator, lead, words) in [
        (&["anna"][..], "zoe", "lea", "two annotators or more"),
        (&["anna", "ANNA"], "zoe", "lea", "annotator ANNA is named twice"),
        (&["anna", "ben"], "Ben", "lea", "Ben labels in this round: the arbitrator"),
        (&["anna", "ben"], "zoe", "anna", "anna labels in this round: the lead"),
        (&["an/na", "ben"], "zoe", "lea", "`an/na` is no name"),
        (&["anna", " ben"], "zoe", "lea", "` ben` is no name"),
        (&["anna", "ben"], "", "lea", "`` is no name"),
        (&["anna", "b\u{202e}n"], "zoe", "lea", "is no name"),
        (&["anna", "an\u{a0}na"], "zoe", "lea", "is no name"),
        (&["anna", "anna\u{2800}"], "zoe", "lea", "is no name"),
        (&["an na", "an  na"], "zoe", "lea", "`an  na` is no name"),
    ] {
        let error = check(annotators, arbitrator, lead).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_round_goes_through_its_phases_and_tells_what_it_left_aside() {
    let mut log = Log::new();
    log.push("lea", What::RoundCreated(Box::new(created())));
    log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
    log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
    log.push("lea", What::PhaseAdvanced { from: Phase::Discussion, to: Phase::Closed });
    log.push("lea", What::Deviated(Deviation::LiveAgreement));
    log.push("x", What::Unknown { kind: "dreamt".to_owned(), data: serde_json::json!(null) });
    let round = Round::of(log.events.clone()).unwrap();
    assert_eq!(round.phase, Phase::Discussion);
    assert_eq!(round.history.len(), 1);
    assert_eq!(round.problems.len(), 2, "{:?}", round.problems);
    assert_eq!(round.deviations.len(), 1);
    assert_eq!(round.order, 6);
    assert_eq!(Round::of(log.events[1..].to_vec()), Err(NoRound));
}

#[test]
fn people_are_known_by_their_names_and_keep_their_keys() {
    let mut log = Log::new();
    log.push("lea", What::RoundCreated(Box::new(created())));
    let round = Round::of(log.events.clone()).unwrap();
    for (name, role) in [
        ("anna", Role::Annotator(0)),
        ("Ben", Role::Annotator(1)),
        ("zoe", Role::Arbitrator),
        ("lea", Role::Lead),
        ("eve", Role::Outsider),
    ] {
        assert_eq!(round.role(name), role, "{name}");
    }
    assert!(round.check_rename("anna", "Zoe").is_err(), "the arbitrator's name");
    assert!(round.check_rename("anna", "Anna B.").is_ok());
    log.push("lea", What::Renamed { key: "anna".to_owned(), name: "ada".to_owned() });
    log.push("lea", What::Renamed { key: "nobody".to_owned(), name: "x".to_owned() });
    let round = Round::of(log.events.clone()).unwrap();
    assert_eq!(round.role("ada"), Role::Annotator(0));
    assert_eq!(round.role("anna"), Role::Annotator(0), "nobody else is called so");
    assert_eq!(round.annotators[0].key, "anna");
    assert_eq!(round.problems.len(), 1);
    // Who still goes by `anna` is anna: nobody else gets that name, and she may have it back.
    let error = round.check_rename("ben", "Anna").unwrap_err();
    assert_eq!(error, PeopleError::Former { name: "Anna".to_owned(), whose: "ada".to_owned() });
    assert!(round.check_rename("zoe", "anna").is_err() && round.check_rename("anna", "anna").is_ok());
    log.push("lea", What::Renamed { key: "anna".to_owned(), name: "adele".to_owned() });
    let round = Round::of(log.events.clone()).unwrap();
    assert_eq!((round.role("ada"), round.role("anna")), (Role::Annotator(0), Role::Annotator(0)));
    assert!(round.check_rename("ben", "ada").is_err());
    // Two machines that did not know of each other can come to it all the same.
    log.push("lea", What::Renamed { key: "ben".to_owned(), name: "anna".to_owned() });
    let round = Round::of(log.events).unwrap();
    assert_eq!(round.role("anna"), Role::Annotator(1), "a present name wins over an earlier one");
}

#[test]
fn the_codebook_of_a_phase_is_the_one_that_was_in_force() {
    let mut log = Log::new();
    log.push("lea", What::RoundCreated(Box::new(created())));
    let mut second = created().codebook;
    second.version = 2;
    log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
    let change = What::CodebookChanged { codebook: Box::new(second.clone()), why: "gap".to_owned() };
    log.push("lea", change);
    let round = Round::of(log.events).unwrap();
    assert_eq!(round.codebook_in(Phase::Labelling).version, 1);
    assert_eq!(round.codebook_in(Phase::Closed).version, 2);
    assert_eq!(round.codebook_of(&second.stamp()), Some(&second));
    assert_eq!(round.codebooks[1].why, "gap");
}

proptest! {
    #[test]
    fn a_round_is_the_same_whatever_the_order(seed: u64) {
        let mut log = Log::new();
        log.push("lea", What::RoundCreated(Box::new(created())));
        let queues = vec![vec![0, 1], vec![1, 0]];
        log.push("lea", What::Assigned(Assignment { pairs: Pairs::Fixed, per_item: 2, seed: 1, queues }));
        log.push("lea", What::PhaseAdvanced { from: Phase::Labelling, to: Phase::Discussion });
        log.push("lea", What::Renamed { key: "anna".to_owned(), name: "ada".to_owned() });
        log.push("lea", What::Deviated(Deviation::LiveLabels));
        let straight = Round::of(log.events.clone()).unwrap();
        let mut mixed = log.events.clone();
        mixed.extend(log.events);
        crate::label::draw::Draw::new(seed, &["test"]).shuffle(&mut mixed);
        prop_assert_eq!(Round::of(mixed).unwrap(), straight);
    }
}

#[test]
fn a_name_that_says_that_it_is_a_round_is_not_told_twice() {
    let cases = [
        ("pilot", "round pilot"),
        ("round-3", "round-3"),
        ("Round 3", "Round 3"),
        ("defects/round-3", "defects/round-3"),
        ("rounds/pilot", "round rounds/pilot"),
        ("ro", "round ro"),
        ("résumé", "round résumé"),
    ];
    for (name, words) in cases {
        assert_eq!(called(name), words);
    }
}
