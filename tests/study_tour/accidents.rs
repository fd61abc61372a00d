//! What happens to terminals in the middle of an item: another size, the end of the line, pastes that say not that they
//! are, and keys that are held.

use crate::cli_rig::Home;
use crate::hands::Hands;
use crate::labelling::{Then, key_of};
use crate::study_rig::{create, labels, queue};
use std::time::{Duration, Instant};

/// A round of made rows, and anna's items in it.
fn round(items: usize) -> (Home, Vec<String>) {
    let home = Home::new();
    home.rows("set.jsonl", items);
    create(&home, "r", &["--seed", "1"]).done();
    let items = queue(&home, "anna", "r");
    (home, items)
}

fn labelling(home: &Home, size: (u16, u16)) -> Hands {
    let mut hands = Hands::open(home, "anna", size);
    hands.go("a", "labelling · item ");
    hands
}

/// Answers the present question, whatever the guard says meanwhile.
fn answer(hands: &mut Hands, items: &[String], answer: &str) {
    loop {
        let now = hands.asked(items);
        hands.press(key_of(now.question, answer));
        match hands.then(&now, items) {
            Then::Refused => hands.calm(),
            _ => return,
        }
    }
}

fn on_disk(home: &Home) -> Vec<(String, String)> {
    let mut all = labels(home, "anna", "r", &[]);
    all.sort();
    all
}

fn pairs(all: &[(&str, &str, &str)]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = all
        .iter()
        .map(|(item, question, answer)| (format!("{item} {question}"), (*answer).to_owned()))
        .collect();
    all.sort();
    all
}

#[test]
fn a_terminal_that_changes_its_size_in_the_middle_of_an_item_changes_nothing_else() {
    let (home, items) = round(6);
    let mut hands = labelling(&home, (24, 80));
    answer(&mut hands, &items, "yes");
    let now = hands.asked(&items);
    assert_eq!(now.question, "test-relevant");
    for size in [(40, 140), (24, 80), (5, 20), (60, 200), (4, 12), (16, 60), (24, 80)] {
        hands.session.resize(size);
        hands.session.until("a frame of the new size", |screen| {
            let text = screen.contents();
            size.1 < 80 && !text.trim().is_empty() || text.contains("labelling · item 1 of 6")
        });
    }
    hands.until("the same question", |screen| crate::labelling::asked(screen, &items).as_ref() == Some(&now));
    assert_eq!(on_disk(&home), pairs(&[(&items[0], "bug-related", "yes")]));
    answer(&mut hands, &items, "no");
    answer(&mut hands, &items, "A.3");
    let said = [("bug-related", "yes"), ("test-relevant", "no"), ("root-cause", "A.3")];
    let said: Vec<(&str, &str, &str)> = said.iter().map(|(q, a)| (items[0].as_str(), *q, *a)).collect();
    assert_eq!(on_disk(&home), pairs(&said));
    hands.quit();
}

#[test]
fn a_line_that_is_cut_in_the_middle_of_an_item_loses_nothing_that_was_answered() {
    let (home, items) = round(6);
    let mut hands = labelling(&home, (24, 80));
    answer(&mut hands, &items, "no");
    answer(&mut hands, &items, "yes");
    let before = hands.asked(&items);
    assert_eq!((before.number, before.question), (2, "test-relevant"));
    hands.session.signal(libc::SIGHUP);
    hands.session.end();
    assert_eq!(on_disk(&home), pairs(&[(&items[0], "bug-related", "no"), (&items[1], "bug-related", "yes")]));
    // The same question is asked again.
    let mut hands = labelling(&home, (40, 140));
    assert_eq!(hands.asked(&items), before);
    // Now the terminal itself goes away.
    answer(&mut hands, &items, "yes");
    drop(hands);
    let mut hands = labelling(&home, (24, 80));
    assert_eq!(hands.asked(&items).question, "root-cause");
    answer(&mut hands, &items, "B");
    hands.quit();
    assert_eq!(on_disk(&home).len(), 4);
}

#[test]
fn a_burst_of_a_hundred_keys_answers_one_question_at_most() {
    for burst in ["n", "ny1n", "y", "1", "n\r", "*ny"] {
        let (home, items) = round(60);
        let mut hands = labelling(&home, (24, 80));
        let text = burst.repeat(100);
        hands.session.press(&text[..100]);
        // Something that can be seen comes after all of them.
        hands.calm();
        let answers = on_disk(&home);
        assert!(answers.len() <= 1, "{burst:?}: {answers:?}");
        let left = queue(&home, "anna", "r").len();
        assert!(left + 1 >= items.len(), "{burst:?}: {left} of {} are left", items.len());
        // A paste that says that it is one answers nothing.
        hands.session.press(&format!("\x1b[200~{text}\x1b[201~"));
        hands.wait("pasted text goes into");
        assert_eq!(on_disk(&home), answers, "{burst:?}");
        hands.quit();
    }
}

/// Holds a key for two seconds, as a terminal repeats it; false: this machine was too busy to write it like that.
fn hold(hands: &mut Hands, key: &str) -> bool {
    let began = Instant::now();
    hands.session.press(key);
    let mut last = began;
    let mut longest = Duration::ZERO;
    for repeat in 0..56_u64 {
        hands.session.watch_until(began + Duration::from_millis(300 + 30 * repeat));
        if repeat > 0 {
            longest = longest.max(last.elapsed());
        }
        last = Instant::now();
        hands.session.press(key);
    }
    longest < Duration::from_millis(80)
}

#[test]
fn a_held_key_labels_one_item_at_most() {
    for key in ["n", "y", "1"] {
        // Held with pauses in it, a key is no held key; such an attempt tells nothing.
        let mut told = false;
        for _ in 0..20 {
            let (home, items) = round(60);
            let mut hands = labelling(&home, (24, 80));
            let as_meant = hold(&mut hands, key);
            hands.calm();
            let left = queue(&home, "anna", "r").len();
            let answers = on_disk(&home);
            hands.quit();
            if as_meant {
                assert!(left + 1 >= items.len(), "{key}: {left} of {} are left", items.len());
                assert!(answers.len() <= 1, "{key}: {answers:?}");
                told = true;
                break;
            }
        }
        assert!(told, "this machine was too busy to hold a key");
    }
}

/// Another process that holds the workspace, until it is told to let go.
fn holding(home: &Home) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(home.path("w/.mendbench/workspace.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

/// Somebody else holds the workspace in the middle of labelling, until these words are on the screen.
fn held_by_another(until: &str) {
    let (home, items) = round(6);
    let mut hands = labelling(&home, (24, 80));
    answer(&mut hands, &items, "no");
    let before = hands.asked(&items);
    let other = holding(&home);
    hands.key("y", "saving…");
    hands.wait(until);
    hands.wait("the workspace is busy");
    // Whoever goes on pressing keys meanwhile is told, and answers nothing.
    hands.key("n", "this key was not taken");
    hands.key("]", "then one can go on");
    assert_eq!(hands.asked(&items), before);
    assert_eq!(
        on_disk(&home),
        pairs(&[(&items[0], "bug-related", "no")]),
        "it is not said to be saved before"
    );
    other.execute_batch("COMMIT").unwrap();
    hands.until("the next question", |screen| crate::labelling::question_on(screen) == Some("test-relevant"));
    hands.wait("saved ");
    let said = [(items[0].as_str(), "bug-related", "no"), (items[1].as_str(), "bug-related", "yes")];
    assert_eq!(on_disk(&home), pairs(&said));
    // And it goes on as if nothing had been.
    answer(&mut hands, &items, "no");
    answer(&mut hands, &items, "B");
    assert_eq!(hands.asked(&items).number, 3);
    hands.quit();
    assert_eq!(on_disk(&home).len(), 4);
}

#[test]
fn a_workspace_that_another_process_holds_is_told_and_nothing_is_lost() {
    held_by_another("saving… 2 s");
}

#[test]
#[ignore = "soak: ten seconds"]
fn a_workspace_that_another_process_holds_for_ten_seconds_loses_nothing() {
    held_by_another("saving… 10 s");
}

#[test]
fn who_leaves_before_an_answer_is_saved_is_asked_first_and_told_afterwards() {
    for (mended, code, answers) in [(false, 3, 1), (true, 0, 2)] {
        let (home, items) = round(6);
        let mut hands = labelling(&home, (24, 80));
        answer(&mut hands, &items, "no");
        let other = holding(&home);
        hands.key("n", "saving…");
        hands.key("q", "q leaves all the same, and tells if it was not saved");
        assert!(hands.session.screen().alternate_screen(), "the first key only asks");
        hands.press("q");
        hands.session.until("the terminal as it was", |screen| !screen.alternate_screen());
        if !mended {
            // Now it cannot be written any more.
            other.execute_batch("ALTER TABLE events RENAME TO taken_away").unwrap();
        }
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(hands.session.end(), code, "{}", hands.session.text());
        let told = hands.shows("an answer was not saved");
        assert_eq!(told, !mended, "{}", hands.session.text());
        hands.session.assert_restored();
        if !mended {
            other.execute_batch("ALTER TABLE taken_away RENAME TO events").unwrap();
        }
        assert_eq!(on_disk(&home).len(), answers);
    }
}

#[test]
fn who_leaves_although_an_answer_could_not_be_saved_is_told_by_the_exit_code() {
    let (home, items) = round(6);
    let mut hands = labelling(&home, (24, 80));
    answer(&mut hands, &items, "no");
    let other = holding(&home);
    other.execute_batch("ALTER TABLE events RENAME TO taken_away; COMMIT").unwrap();
    hands.key("n", "NOT saved");
    hands.key("q", "q leaves without it");
    hands.press("q");
    hands.session.until("the terminal as it was", |screen| !screen.alternate_screen());
    assert_eq!(hands.session.end(), 3, "{}", hands.session.text());
    assert!(hands.shows("an answer was not saved"), "{}", hands.session.text());
    hands.session.assert_restored();
    other.execute_batch("ALTER TABLE taken_away RENAME TO events").unwrap();
    assert_eq!(on_disk(&home).len(), 1);
}
