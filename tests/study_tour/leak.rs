//! Blindness on all screens: while labelling is blind nothing that an annotator sees depends on what the others said, when,
//! or how much of it.

use crate::cli_rig::Home;
use crate::hands::Hands;
use crate::rig::{Options, styles_of};
use crate::study::{Plot, Study, changes, fingers};
use crate::study_rig::{by, create, lines, queue, said, set, twin};
use mendbench::label::event::What;
use mendbench::store::FixedClock;
use mendbench::study::{Entry, Studies};
use serde_json::json;
use std::sync::Arc;

/// What ben has said, in how many items, and at which second of the day.
struct Ben {
    answers: &'static [&'static str],
    at: i64,
}

const NOTHING: Ben = Ben { answers: &[], at: 0 };
const BENS: [Ben; 4] = [
    Ben { answers: &["yes", "no", "yes", "no", "yes", "no", "yes", "no"], at: 0 },
    Ben { answers: &["no"; 8], at: 40_000 },
    Ben { answers: &["yes"; 3], at: 86_399 },
    Ben { answers: &["yes"; 8], at: -500_000 },
];

/// Where keys lead, and what they do there: every screen that studies touch, with what opens over it.
const STEPS: [&str; 16] = [
    // The list, its preview, its menus; the labels of a task.
    "g t",
    "o o o o s s p p",
    "enter tab tab tab tab tab",
    "6 j j G ] [",
    "esc ?",
    // Labelling: all evidence, the list, jumps, what one said oneself.
    "g a",
    "I T O C F H W D L down L",
    "J u J f J n J s J a ] [ right left E down",
    "backspace n",
    // What belongs to later phases.
    "g d enter O K U ]",
    "esc g k",
    "1 enter 2 3 4 enter 5 enter ] [ b L y",
    "esc e j j j",
    "esc esc g s",
    "d ctrl-d G m",
    "esc esc a y Y",
];

/// What is typed over each screen.
const OVER: [&str; 3] = ["?", ":", ": a g r e e"];

/// Everything that anna sees and copies in a study in which ben has said this.
fn seen(ben: &Ben, size: (u16, u16)) -> Vec<String> {
    let study = Study::new(Plot { tasks: changes(8), training: 1, ..Plot::default() });
    let items = study.queue(1);
    let midnight = jiff::Timestamp::from_second(1_767_225_600 + ben.at).unwrap();
    let studies = Studies::with_clock(study.store.clone(), Arc::new(FixedClock::new(midnight)));
    let says = |from: usize, to: usize| {
        for (item, answer) in items.iter().zip(ben.answers).take(to).skip(from) {
            let mut writer = studies.desk_of(study.round(), "ben").writer().unwrap();
            let entry = Entry {
                item: item.clone(),
                question: "bug-related".to_owned(),
                answer: json!(answer),
                confidence: Some(2),
                seconds: Some(99),
                evidence: vec!["tests".to_owned()],
                ..Entry::default()
            };
            writer.set(&entry).unwrap();
            let text = format!("ben says {answer}");
            let noted = |item| What::Noted { item, text: text.clone() };
            writer.mark(item, &noted).unwrap();
            writer.mark(item, &|item| What::Flagged { item, on: true }).unwrap();
        }
    };
    // Some of it before anna begins, some of it while she works.
    says(0, 2);
    for (item, answer) in study.queue(0).iter().zip(["yes", "no", "no"]) {
        study.label("anna", item, "bug-related", answer);
    }
    says(2, 5);
    let mut rig = study.rig("anna", Options::sized(size.0, size.1));
    let mut screens = Vec::new();
    let picture = |rig: &crate::rig::Rig, step: &str| {
        format!("{step}\n{}{}{:?}", rig.text(), styles_of(&rig.buffer()), rig.copied)
    };
    for (number, step) in STEPS.iter().enumerate() {
        fingers(&mut rig, step);
        rig.rest();
        screens.push(picture(&rig, step));
        for over in OVER {
            fingers(&mut rig, over);
            screens.push(picture(&rig, &format!("{step} {over}")));
            fingers(&mut rig, "esc");
        }
        if number == STEPS.len() / 2 {
            says(5, 8);
            fingers(&mut rig, "ctrl-r");
            screens.push(picture(&rig, "read anew"));
        }
    }
    screens
}

#[test]
fn what_the_partner_said_changes_no_byte_of_any_screen() {
    for size in [(80, 24), (140, 40)] {
        let nothing = seen(&NOTHING, size);
        for ben in &BENS {
            for (one, other) in nothing.iter().zip(seen(ben, size)) {
                assert_eq!(*one, other);
            }
        }
        // The screens are those that are meant.
        for words in ["item ", "Rounds, newest first", "agreement", "labels"] {
            assert!(nothing.iter().any(|screen| screen.contains(words)), "{words} at {size:?}");
        }
        assert!(!nothing.iter().any(|screen| screen.contains("ben says")), "{size:?}");
    }
}

/// The test above can fail: the lead sees how far ben is, and anna what she said herself.
#[test]
fn who_may_see_something_sees_it() {
    let picture = |ben: &[&str], anna: &str, who: &str, keys: &str| {
        let study = Study::new(Plot { tasks: changes(8), ..Plot::default() });
        for (item, answer) in study.queue(1).iter().zip(ben) {
            study.label("ben", item, "bug-related", answer);
        }
        study.label("anna", &study.queue(0)[0], "bug-related", anna);
        let mut rig = study.rig(who, Options::sized(140, 40));
        fingers(&mut rig, keys);
        rig.rest();
        rig.text()
    };
    assert_ne!(picture(&[], "no", "lea", "g s d"), picture(&["no"], "no", "lea", "g s d"));
    assert_ne!(picture(&[], "no", "anna", "g a"), picture(&[], "yes", "anna", "g a"));
}

/// The screen with all that can be seen of it: the look of each character, and of blanks what blanks show.
fn cells(hands: &Hands) -> Vec<String> {
    let screen = hands.session.screen();
    let (rows, columns) = screen.size();
    let cell = |row: u16, column: u16| {
        let cell = screen.cell(row, column).unwrap();
        let ground = (cell.bgcolor(), cell.underline(), cell.inverse());
        if cell.contents().trim().is_empty() {
            return format!("{ground:?}");
        }
        format!("{} {ground:?} {:?} {}", cell.contents(), cell.fgcolor(), cell.bold())
    };
    let all = (0..u16::from(rows)).flat_map(|row| (0..u16::from(columns)).map(move |column| (row, column)));
    all.map(|(row, column)| format!("{row}:{column} {}", cell(row, column))).collect()
}

/// The same in a real terminal: two workspaces that are one up to where ben begins.
#[test]
fn two_workspaces_that_differ_in_the_partner_alone_paint_the_same_cells() {
    let one = Home::new();
    one.rows("set.jsonl", 8);
    create(&one, "r", &["--seed", "1"]).done();
    let mine = queue(&one, "anna", "r");
    let text: String = mine.iter().take(3).map(|item| lines(item, &said("anna", item, 20))).collect();
    set(&one, "anna", "r", &text).done();
    let other = twin(&one);
    let all: String =
        queue(&other, "ben", "r").iter().map(|item| lines(item, &said("ben", item, 60))).collect();
    set(&other, "ben", "r", &all).done();
    by(&other, "ben", &["label", "note", &mine[3], "mine alone", "--round", "r"]).done();
    // Keys, and words that tell that what they bring has come.
    let steps = [
        ("ga", "labelling · item "),
        ("L", "of 8"),
        ("L", "mend wrong"),
        ("gd", "Nothing to see here yet"),
        ("gk", "agreement"),
        ("4", "round"),
        ("gs", "Rounds, newest first"),
        ("d", "Your progress"),
        ("m", "Methods"),
        ("\x1b", "Your progress"),
        ("?", "help"),
    ];
    for size in [(24, 80), (40, 140)] {
        let mut hands = [&one, &other].map(|home| Hands::open(home, "anna", size));
        for (keys, words) in steps {
            let [one, other] = &mut hands;
            for hands in [&mut *one, &mut *other] {
                for key in keys.chars() {
                    hands.press(&key.to_string());
                }
                hands.wait(words);
            }
            // What comes a little later may come to one of them first.
            for _ in 0..50 {
                if cells(one) == cells(other) {
                    break;
                }
                let soon = std::time::Instant::now() + std::time::Duration::from_millis(100);
                one.session.watch_until(soon);
                other.session.watch_until(soon);
            }
            assert_eq!(one.session.text(), other.session.text(), "{keys} at {size:?}");
            let both = cells(one).into_iter().zip(cells(other));
            let differing: Vec<(String, String)> = both.filter(|(one, other)| one != other).take(9).collect();
            assert!(differing.is_empty(), "{keys} at {size:?}: {differing:?}");
        }
    }
}
