//! A whole study of 40 tasks: three rounds from the sheet to the table.

use crate::cli_rig::{Home, feedbackeval};
use crate::hands::Hands;
use crate::lead::Round;
use crate::study_rig::{labels, number, queue, said};
use crate::talking::{Case, Does};
use std::io::Write as _;

/// Tasks of the study.
const TASKS: usize = 40;

/// Terminals: the smallest that everything works at, and a large one. Rows and columns.
const SMALL: (u16, u16) = (24, 80);
const LARGE: (u16, u16) = (40, 140);

/// The file of tasks: rows of FeedbackEval with one faulty instance each, where they are at hand, else made ones.
pub fn tasks(home: &Home, count: usize) {
    let Some(path) = feedbackeval("HumanEval_feedback_test.jsonl") else {
        home.rows("set.jsonl", count);
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let one = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["false_results"].as_array_mut().unwrap().truncate(1);
        format!("{row}\n")
    };
    let rows: String = text.lines().take(count).map(one).collect();
    assert_eq!(rows.lines().count(), count);
    home.write("set.jsonl", rows);
}

/// How many of a hundred items somebody errs in: they learn, and say of an item that comes again what they said before.
fn errs(who: &str, round: usize) -> u64 {
    let errs = if who == "anna" { [20, 12, 20] } else { [35, 15, 35] };
    errs[round]
}

/// One labels a round, and what is on disk is what the script says.
fn label(hands: &mut Hands, home: &Home, who: &str, name: &str, round: usize) {
    let round_name = format!("tour/{name}");
    let items = queue(home, who, &round_name);
    hands.enter_round(name, "labelling", "labelling · item ");
    let script = |item: &str| said(who, item, errs(who, round));
    let shown = hands.label_all(&items, script);
    let mut once = shown.clone();
    once.sort();
    once.dedup();
    assert!(shown.len() >= items.len() && once.len() == items.len(), "{shown:?}");
    let mut wanted: Vec<(String, String)> = items
        .iter()
        .flat_map(|item| script(item).into_iter().map(move |(q, a)| (format!("{item} {q}"), a.to_owned())))
        .collect();
    let mut found = labels(home, who, &round_name, &[]);
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted, "{who} in {name}");
}

/// Anna adopts every third, ben every fourth; the rest goes to the arbitrator.
fn does(who: &str, case: &Case) -> Does {
    let every = if who == "anna" { 3 } else { 4 };
    let had_none = case.voices.iter().any(|(name, said)| name == "you" && said.contains("(no answer)"));
    if had_none || number(&case.item).is_multiple_of(every) { Does::Adopt } else { Does::Keep }
}

#[test]
fn a_study_of_three_rounds_is_led_labelled_talked_about_decided_and_measured_with_keys() {
    let home = Home::new();
    tasks(&home, TASKS);
    let rounds = [
        Round { name: "first-half", size: "half", given: "20 items of 40 that pass" },
        Round { name: "second-half", size: "second-half", given: "20 items of 40 that pass" },
        Round { name: "again", size: "9", given: "9 items of 40 that pass" },
    ];
    let mut lea = Hands::open(&home, "lea", LARGE);
    let mut anna = Hands::open(&home, "anna", SMALL);
    let mut ben = Hands::open(&home, "ben", LARGE);
    let mut zoe = Hands::open(&home, "zoe", SMALL);
    for (number, round) in rounds.iter().enumerate() {
        let name = round.name;
        lea.make_round(round);
        lea.look_what_is_missing(&["Missing:", "anna: ", "ben: "]);
        std::thread::scope(|scope| {
            scope.spawn(|| label(&mut anna, &home, "anna", name, number));
            label(&mut ben, &home, "ben", name, number);
        });
        lea.end_phase(name, "labelling", "discussion");
        let mut discussed = 0;
        for (hands, who) in [(&mut anna, "anna"), (&mut ben, "ben")] {
            hands.enter_round(name, "discussion", "discussion");
            discussed += hands.discuss(|case| does(who, case)).len();
        }
        assert!(discussed > 0, "they differ in {name}");
        lea.end_phase(name, "discussion", "adjudication");
        zoe.enter_round(name, "adjudication", "adjudication");
        let decided = zoe.adjudicate();
        lea.end_phase(name, "adjudication", "closed");
        let compared = lea.measure(&home, name);
        // Who was overruled is told by whom and why.
        if !decided.is_empty() {
            anna.enter_round(name, "closed", "95 % interval");
            anna.go("d", "disagreement");
            anna.leave_the_case();
            anna.wait_any(&["you were overruled", "decided as you said"]);
        }
        let decided = decided.len();
        writeln!(
            std::io::stderr(),
            "{name}: {discussed} discussed, {decided} decided, {compared} kappas compared"
        )
        .unwrap();
    }
    for hands in [lea, anna, ben, zoe] {
        hands.quit();
    }
}
