//! Lines of small rounds, and that they count what `compare` compares.
#![allow(clippy::unwrap_used)]

use super::super::assign::{Assignment, Pairs};
use super::super::compare::compared;
use super::super::event::What;
use super::super::fold::Sheet;
use super::super::item::{Item, Purpose, Stratum};
use super::super::testing::{Log, created};
use super::*;

fn round(items: usize, annotators: &[&str]) -> Round {
    let mut log = Log::new();
    let mut created = created();
    created.annotators = annotators.iter().map(|name| (*name).to_owned()).collect();
    log.push("lea", What::RoundCreated(Box::new(created)));
    let item = |number: usize| Item {
        name: format!("d/{number}"),
        revision: "r".to_owned(),
        stratum: Stratum::default(),
        purpose: Purpose::Study,
        seen_in: Vec::new(),
    };
    log.push("lea", What::ItemsAdded((0..items).map(item).collect()));
    let queue: Vec<u32> = (0..items as u32).collect();
    let queues = vec![queue; annotators.len()];
    let per_item = annotators.len();
    log.push("lea", What::Assigned(Assignment { pairs: Pairs::Fixed, per_item, seed: 1, queues }));
    Round::of(log.events).unwrap()
}

/// For each item nothing, `no`, or a cause.
fn sheet(answers: &[&str]) -> Sheet {
    let mut log = Log::new();
    for (number, answer) in answers.iter().enumerate() {
        let item = format!("d/{number}");
        match *answer {
            "" => {}
            "no" => drop(log.answer(&item, "bug", "no", Phase::Labelling)),
            cause => {
                log.answer(&item, "bug", "yes", Phase::Labelling);
                log.answer(&item, "cause", cause, Phase::Labelling);
            }
        }
    }
    Sheet::of(log.events)
}

/// The labels as lines are made of them.
fn all(round: &Round, sheets: &[Sheet]) -> Vec<Labelled> {
    Labelled::all(round, sheets.to_vec())
}

#[test]
fn a_conditional_question_has_two_lines_and_each_cell_its_items() {
    let round = round(6, &["anna", "ben"]);
    let sheets = [sheet(&["A", "A", "B", "no", "no", "C"]), sheet(&["A", "B", "no", "no", "A", ""])];
    let lines = lines(&round, &all(&round, &sheets), true);
    let told: Vec<(&str, Scope, u64)> = lines
        .iter()
        .map(|line| (line.question.as_str(), line.scope, line.told(Who::Pair(0)).unwrap().2))
        .collect();
    assert_eq!(told, [("bug", Scope::Asked, 5), ("cause", Scope::Asked, 2), ("cause", Scope::All, 5)]);
    let bug = &lines[0];
    let pair = &bug.pairs[0];
    assert_eq!((pair.only.first, pair.only.second), (1, 0));
    assert_eq!(bug.names(pair), ["anna", "ben"]);
    // anna yes, ben no: the third item; the other way round the fifth.
    assert_eq!(bug.cell(pair, 0, 1), [2]);
    assert_eq!(bug.cell(pair, 1, 0), [4]);
    assert_eq!(bug.said(2), [Some("yes"), Some("no")]);
    assert_eq!(bug.said(5), [Some("yes"), None]);
    for (row, column, count) in pair.table.as_ref().unwrap().cells() {
        assert_eq!(bug.cell(pair, row, column).len() as u64, count);
    }
    let all = &lines[2];
    assert_eq!(all.categories, ["A", "B", "C", "not-applicable"]);
    assert!(all.is_independent() && all.conditional);
    assert!(bug.together.is_none());
}

#[test]
fn who_may_not_see_who_said_what_gets_no_items() {
    let round = round(2, &["anna", "ben"]);
    let sheets = [sheet(&["A", "no"]), sheet(&["A", "A"])];
    let open = lines(&round, &all(&round, &sheets), true);
    let closed = lines(&round, &all(&round, &sheets), false);
    for (open, closed) in open.iter().zip(&closed) {
        assert!(closed.items.is_empty() && closed.labels.is_empty());
        assert_eq!(open.pairs, closed.pairs);
    }
}

#[test]
fn three_annotators_have_their_pairs_and_stand_together() {
    let round = round(4, &["anna", "ben", "cem"]);
    let sheets =
        [sheet(&["A", "no", "B", "C"]), sheet(&["A", "no", "C", "no"]), sheet(&["B", "no", "B", ""])];
    let lines = lines(&round, &all(&round, &sheets), true);
    let bug = &lines[0];
    let whos: Vec<Who> = bug.whos().collect();
    assert_eq!(whos, [Who::Pair(0), Who::Pair(1), Who::Pair(2), Who::All]);
    let together = bug.together.as_ref().unwrap();
    assert_eq!((together.main.name, together.joint, together.one_sided), ("Fleiss' kappa", 4, 0));
    assert_eq!(bug.pair_of(["cem", "anna"]), Some(1));
    assert_eq!(bug.pair_of(["cem", "zoe"]), None);
}

#[test]
fn an_item_that_one_annotator_alone_has_labelled_moves_nothing() {
    let people = ["anna", "ben", "cem"];
    let told = |items: usize, sheets: &[Sheet]| {
        let round = round(items, &people);
        let bug = lines(&round, &all(&round, sheets), true).swap_remove(0);
        let together = bug.together.unwrap();
        let others: Vec<_> = together.others.iter().map(|other| other.estimate.value).collect();
        ((together.joint, together.one_sided), (together.main.estimate.value, others))
    };
    let four = [sheet(&["A", "no", "B", "C"]), sheet(&["A", "no", "C", "no"]), sheet(&["B", "no", "B", ""])];
    let five = [
        sheet(&["A", "no", "B", "C", "C"]),
        sheet(&["A", "no", "C", "no", ""]),
        sheet(&["B", "no", "B", "", ""]),
    ];
    let ((joint, one_sided), without) = told(4, &four);
    assert_eq!((joint, one_sided), (4, 0));
    assert_eq!(told(5, &five), ((4, 1), without));
}

#[test]
fn nothing_labelled_is_undefined_and_not_missing() {
    let round = round(3, &["anna", "ben"]);
    let lines = lines(&round, &[Labelled::default(), Labelled::default()], true);
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let (main, agreement, joint) = line.told(Who::Pair(0)).unwrap();
        assert_eq!((main.estimate.value.why(), joint), (Some(Reason::NoJointItem), 0));
        assert!(agreement.why().is_some() && !line.has_joint_items());
    }
}

#[test]
fn labels_that_nobody_revised_are_the_same_on_both_bases() {
    let mut round = round(4, &["anna", "ben"]);
    round.phase = Phase::Discussion;
    let frozen = |answers: &[&str]| {
        let mut sheet = sheet(answers);
        let answers = sheet.present.iter().map(|(cell, given)| (cell.clone(), given.clone())).collect();
        sheet.frozen.insert(Phase::Labelling, answers);
        sheet
    };
    let mut sheets = [frozen(&["A", "no", "B", "C"]), frozen(&["A", "no", "C", "no"])];
    assert!(is_unrevised(&round, &all(&round, &sheets)));
    let shortcut = lines(&round, &all(&round, &sheets), true);
    assert_eq!(shortcut.len(), 6);
    let whole: Vec<Line> = [Basis::Blind, Basis::Revised]
        .into_iter()
        .flat_map(|basis| compared(&round, &sheets, basis))
        .map(|compared| line(&round, compared, true))
        .collect();
    assert_eq!(shortcut, whole);
    // One label that changed is enough.
    let cell = ("d/3".to_owned(), "bug".to_owned());
    let mut given = sheets[1].present[&cell].clone();
    given.event = Uuid::max();
    std::sync::Arc::make_mut(&mut given.answer).value = Label::one("yes");
    sheets[1].present.insert(cell, given);
    assert!(!is_unrevised(&round, &all(&round, &sheets)));
    let lines = lines(&round, &all(&round, &sheets), true);
    let agreed = |line: &Line| line.pairs[0].table.as_ref().unwrap().agreed();
    assert_eq!((agreed(&lines[0]), agreed(&lines[3])), (3, 4));
}
