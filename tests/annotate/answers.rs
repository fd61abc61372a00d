//! Answering: whole items, conditions, several answers, numbers, texts, taking back, marks.

use super::study::{Plot, Study, book, changes, fingers, question};
use crate::rig::{Options, Rig};

#[test]
fn an_item_is_labelled_with_a_key_for_each_answer_and_the_next_one_follows() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    rig.expect("Does this change mend wrong behaviour?").expect("item 1 of 4").expect("H shows how to label");
    rig.expect("+=");
    fingers(&mut rig, "y");
    rig.expect("2/4 Does the test that comes with the change").expect("bug-related: yes").expect("saved ");
    fingers(&mut rig, "n");
    rig.expect("What kind of mistake was made in the old code?");
    fingers(&mut rig, "3");
    rig.expect("item 2 of 4").expect("1 of 4").expect("Does this change mend");
    assert!(rig.header().contains(&queue[1]), "{}", rig.header());
    // A condition that does not hold: nothing more is asked.
    fingers(&mut rig, "n");
    rig.expect("item 3 of 4");
    let first = &queue[0];
    let wanted = [
        format!("{first} bug-related=yes"),
        format!("{first} test-relevant=no"),
        format!("{first} root-cause=A.3"),
        format!("{} bug-related=no", queue[1]),
    ];
    assert_eq!(study.said("anna"), wanted);
    assert!(study.said("ben").is_empty());
    fingers(&mut rig, "n n");
    rig.expect("all 4 items are labelled").expect("4 of 4");
}

#[test]
fn one_comes_back_to_the_first_item_that_is_not_complete() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    study.label("anna", &queue[0], "bug-related", "no");
    study.label("anna", &queue[1], "bug-related", "yes");
    let mut rig = study.labelling("anna");
    rig.expect("item 2 of 4").expect("Does the test that comes").expect("1 of 4");
    // Going away and coming back changes nothing.
    rig.press("] g t g a").wait(500);
    rig.expect("item 3 of 4");
}

#[test]
fn answers_are_taken_back_across_items() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n n y");
    rig.expect("item 3 of 4");
    fingers(&mut rig, "backspace");
    rig.expect("taken back; bug-related: it has no answer").expect("item 3 of 4");
    fingers(&mut rig, "backspace");
    rig.expect("item 2 of 4");
    fingers(&mut rig, "j");
    rig.expect("1 of 4");
    fingers(&mut rig, "y 1 backspace");
    // `1` is no answer to a question of yes and no.
    assert_eq!(study.said("anna"), [format!("{} bug-related=no", queue[0])]);
    fingers(&mut rig, "backspace backspace");
    rig.expect("there is nothing to take back in this phase").expect("item 1 of 4");
    assert!(study.said("anna").is_empty());
}

#[test]
fn an_earlier_answer_is_changed_and_one_stays_there() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n [");
    rig.expect("item 1 of 4").expect("bug-related: no");
    fingers(&mut rig, "y");
    rig.expect("item 1 of 4").expect("2/4");
    // It wanted something since the change, and does not any more: one goes on.
    fingers(&mut rig, "left n");
    rig.expect("item 2 of 4");
    assert_eq!(study.said("anna"), [format!("{} bug-related=no", queue[0])]);
}

/// A question of each kind.
fn kinds() -> String {
    [
        question("parts", "Which parts?", "multiple", &[("a", "a", "One"), ("b", "b", "Two")]),
        question("lines", "How many lines?", "number", &[]),
        "min = 1\nmax = 9\nunit = \"lines\"\n".to_owned(),
        question("sure", "How hard?", "ordinal", &[("easy", "1", "Easy"), ("hard", "2", "Hard")]),
        question("why", "Why?", "text", &[]),
    ]
    .concat()
}

#[test]
fn several_answers_numbers_scales_and_texts() {
    let study = Study::new(Plot { codebook: book(&kinds()), ..Plot::default() });
    let item = study.queue(0)[0].clone();
    let mut rig = study.labelling("anna");
    rig.expect("[ ] a").expect("Enter confirms");
    fingers(&mut rig, "enter");
    rig.expect("Enter again says that none of these is right");
    fingers(&mut rig, "b a b");
    rig.expect("[x] a").expect("[ ] b");
    assert!(study.said("anna").is_empty(), "nothing is kept before it is confirmed");
    fingers(&mut rig, "b enter");
    rig.expect("How many lines?").expect("1 to 9 lines");
    fingers(&mut rig, "4 2 enter");
    rig.expect("it must be 1 to 9");
    fingers(&mut rig, "backspace enter");
    rig.expect("How hard?");
    fingers(&mut rig, "2 x");
    rig.expect("Enter lets you type");
    fingers(&mut rig, "enter");
    rig.kind("loops y n").wait(200);
    fingers(&mut rig, "enter");
    rig.expect("item 2 of 4");
    let wanted = ["parts=a,b", "lines=4", "sure=hard", "why=loops y n"].map(|said| format!("{item} {said}"));
    assert_eq!(study.said("anna"), wanted);
    // None of them, said twice.
    fingers(&mut rig, "enter enter");
    rig.expect("How many lines?");
}

#[test]
fn arrows_choose_an_answer_and_show_what_it_means() {
    let study = Study::new(Plot::default());
    let item = study.queue(0)[0].clone();
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "enter");
    rig.expect("the arrow keys choose an answer");
    assert!(study.said("anna").is_empty());
    fingers(&mut rig, "y n down E");
    rig.expect("The wrong function is called").expect("E hides it");
    fingers(&mut rig, "down");
    rig.expect("Fault input type").expect("treats it as something");
    fingers(&mut rig, "E");
    rig.expect_not("E hides it");
    fingers(&mut rig, "enter");
    assert_eq!(study.said("anna").last().unwrap(), &format!("{item} root-cause=A.2"));
}

#[test]
fn marks_are_kept_and_found_again() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "*");
    rig.expect("flagged");
    fingers(&mut rig, "N");
    rig.kind("y n? 难 صعب").wait(200).press("enter").wait(200);
    rig.expect("noted; J n finds it again");
    fingers(&mut rig, "S");
    rig.kind("unclear").wait(200).press("enter").wait(200);
    rig.expect("item 2 of 4").expect("put aside");
    fingers(&mut rig, "n n n");
    rig.expect("1 left, put aside");
    for (jump, found) in
        [("J f", "item 1 of 4"), ("J n", "no other item has a note"), ("J s", "no other item")]
    {
        fingers(&mut rig, jump);
        rig.expect(found);
    }
    rig.expect("y n?");
    let marks = study.writer("anna").sheet().marks[&queue[0]].clone();
    assert_eq!((marks.flagged, marks.skipped.as_deref()), (true, Some("unclear")));
    assert_eq!(marks.note, "y n? 难 صعب");
    fingers(&mut rig, "* S");
    assert!(!study.writer("anna").sheet().marks[&queue[0]].flagged);
    assert_eq!(study.writer("anna").sheet().marks[&queue[0]].skipped, None);
}

#[test]
fn time_evidence_and_confidence_are_kept_with_the_answer() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    rig.press("I").wait(20_000);
    // Nobody is there for an hour: a minute of it counts.
    rig.press("T").wait(3_600_000);
    rig.press("+").wait(10_000);
    rig.press("n").wait(500);
    let writer = study.writer("anna");
    let answer = &writer.sheet().answers_now()[0].answer;
    assert_eq!(answer.evidence, ["diff", "description", "tests"]);
    assert_eq!(answer.confidence, Some(4));
    assert!((88..=92).contains(&answer.seconds.unwrap()), "{:?}", answer.seconds);
    // The next item begins anew.
    rig.press("n").wait(500);
    let writer = study.writer("anna");
    let second = &writer.sheet().answers_now()[1].answer;
    assert_eq!(second.evidence, ["diff"]);
    assert_eq!(second.confidence, None);
    assert!(second.seconds.unwrap() <= 1, "{:?}", second.seconds);
}

#[test]
fn evidence_is_a_key_each() {
    let mut tasks = changes(1);
    tasks[0].context = "Used by the report.".to_owned();
    tasks[0].feedback.insert(mendbench::task::FeedbackKind::Human, "It forgets.".to_owned());
    let study = Study::new(Plot { tasks, ..Plot::default() });
    let mut rig = study.labelling("anna");
    let pages = [
        ("I", "The sum of f0 is that of its last item."),
        ("T", "How it is tested"),
        ("O", "Nothing was run yet"),
        ("C", "Used by the report."),
        ("F", "It forgets."),
        ("H", "Read the message, then the change"),
        ("W", "def f0(items)"),
        ("D", "total += item"),
    ];
    for (key, words) in pages {
        fingers(&mut rig, key);
        rig.expect(words).expect("A bug fix");
    }
    fingers(&mut rig, "C");
    rig.expect_not("It forgets.");
    fingers(&mut rig, "D /");
    rig.kind("return").press("enter").wait(200);
    rig.expect("1 line");
    assert!(study.said("anna").is_empty(), "what is searched for answers nothing");
    fingers(&mut rig, "esc n");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn training_tells_what_is_right_at_once() {
    let study = Study::new(Plot { training: 1, ..Plot::default() });
    let mut rig = study.labelling("anna");
    rig.expect("training");
    fingers(&mut rig, "n");
    rig.expect("bug-related: yes; you said no").expect("A sum that forgets its items is wrong.");
    fingers(&mut rig, "y");
    rig.expect("Enter goes on").expect("item 1 of 4");
    fingers(&mut rig, "enter");
    rig.expect("item 2 of 4").expect_not("you said");
}

#[test]
fn a_note_in_the_list_hides_neither_flag_nor_answers() {
    let study = Study::new(Plot::default());
    for width in [80, 140] {
        let mut rig = study.rig("anna", Options::sized(width, 40));
        fingers(&mut rig, "g a");
        if width == 80 {
            fingers(&mut rig, "y n [ * N");
            rig.kind("is the test indirect?").wait(200);
            fingers(&mut rig, "enter");
        }
        fingers(&mut rig, "L");
        let text = rig.text();
        let row = text.lines().find(|line| line.contains("   1  made/")).unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains("*N  ") && row.contains("yes"), "{text}");
        assert!(row.contains("\u{201c}is the"), "{text}");
    }
}

#[test]
fn definitions_are_whole_where_there_are_rows_and_nothing_moves_with_the_cursor() {
    let study = Study::new(Plot::default());
    let mut rig = study.rig("anna", Options::sized(140, 40));
    fingers(&mut rig, "g a");
    let keys = |rig: &Rig| {
        let place = |sign: &str| rig.text().lines().position(|line| line.contains(sign));
        (place("y  A bug fix"), place("n  Something else"))
    };
    // The last words of both definitions.
    rig.expect("change makes that stop.").expect("was never reachable by a user.");
    let before = keys(&rig);
    assert!(before.0.is_some() && before.1.is_some(), "{}", rig.text());
    for step in ["down", "down", "E"] {
        fingers(&mut rig, step);
        assert_eq!(keys(&rig), before, "{}", rig.text());
        rig.expect("change makes that stop.").expect("was never reachable by a user.");
    }
}

#[test]
fn whole_definitions_come_first_and_e_shows_the_examples_over_the_change() {
    let odc = mendbench::label::codebook::shipped("odc").unwrap();
    let codebook = odc.read(&mendbench::label::codebook::ReservedKeys::none()).unwrap();
    let study = Study::new(Plot { codebook, ..Plot::default() });
    let mut rig = study.rig("anna", Options::sized(140, 40));
    fingers(&mut rig, "g a");
    rig.expect("changed.").expect("7 Relationship").expect_not("E hides it");
    fingers(&mut rig, "down E");
    rig.expect("changed.").expect("E hides it").expect("procedure: algorithm.");
    fingers(&mut rig, "E");
    rig.expect_not("E hides it");
}

#[test]
fn the_list_shows_where_each_item_stands() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n * L");
    rig.expect("Your items: 1 of 4 done").expect("bug-related=no").expect("* flagged  N note");
    fingers(&mut rig, "y");
    rig.expect("the list is shown");
    fingers(&mut rig, "down down enter");
    rig.expect("item 4 of 4").expect_not("Your items");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn forty_answers_can_all_be_reached() {
    let keys = "abcdefimnoprstuvwxyz0123456789#$%&'(),;<";
    let answers: Vec<[String; 3]> = keys
        .chars()
        .enumerate()
        .map(|(number, key)| [format!("a{number}"), key.to_string(), format!("Answer {number}")])
        .collect();
    let answers: Vec<_> =
        answers.iter().map(|[id, key, label]| (id.as_str(), key.as_str(), label.as_str())).collect();
    let text = question("q", "Which of forty?", "single", &answers);
    let study = Study::new(Plot { codebook: book(&text), tasks: changes(40), ..Plot::default() });
    for size in [(80, 24), (140, 40), (40, 12)] {
        let mut rig = study.rig("ben", Options::sized(size.0, size.1));
        rig.press("g a").wait(500);
        rig.expect("Which of forty?");
        for _ in 0..40 {
            rig.press("down").wait(200);
        }
        rig.expect("Answer 39");
    }
    let mut rig = study.labelling("anna");
    for key in keys.chars() {
        rig.press(&key.to_string()).wait(200);
    }
    rig.expect("all 40 items are labelled");
    let said: Vec<String> =
        study.said("anna").iter().map(|said| said.rsplit_once('=').unwrap().1.to_owned()).collect();
    assert_eq!(said, (0..40).map(|number| format!("a{number}")).collect::<Vec<_>>());
}
