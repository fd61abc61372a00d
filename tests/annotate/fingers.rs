//! Held keys and pastes answer one question at most; fingers are not slowed down.

use super::study::{Plot, Study, book, changes, fingers};

/// Presses a key, and again after these milliseconds.
fn held(rig: &mut crate::rig::Rig, key: &str, first: u64, many: usize) {
    rig.press(key).wait(first);
    for _ in 0..many {
        rig.press(key).wait(30);
    }
}

#[test]
fn a_held_key_labels_one_item() {
    for first in [250, 500, 660] {
        let study = Study::new(Plot { tasks: changes(9), ..Plot::default() });
        let mut rig = study.labelling("anna");
        held(&mut rig, "n", first, 40);
        rig.expect("a held key answers once").expect("item 2 of 9");
        assert_eq!(study.said("anna").len(), 1, "{:?}", study.said("anna"));
        // The finger is lifted, and the next press counts.
        rig.wait(400);
        fingers(&mut rig, "n");
        rig.expect("item 3 of 9");
        assert_eq!(study.said("anna").len(), 2);
    }
}

#[test]
fn a_held_key_answers_one_question_of_an_item() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    held(&mut rig, "y", 400, 20);
    rig.expect("Does the test that comes with the change").expect("item 1 of 4");
    assert_eq!(study.said("anna").len(), 1);
    // It was held for less than the first repeat: nothing is taken back of what was pressed twice.
    rig.wait(500);
    fingers(&mut rig, "y 1");
    rig.expect("item 2 of 4");
    assert_eq!(study.said("anna").len(), 3);
}

#[test]
fn a_held_key_chooses_one_of_several_answers_once() {
    let text = "[[question]]\nid = \"q\"\ntext = \"Which?\"\nkind = \"multiple\"\n[[question.answer]]\nid = \"a\"\nkey = \"a\"\nlabel = \"A\"\n";
    let study = Study::new(Plot { codebook: book(text), ..Plot::default() });
    let mut rig = study.labelling("anna");
    held(&mut rig, "a", 400, 20);
    rig.expect("[x] a");
    rig.wait(300);
    held(&mut rig, "enter", 400, 20);
    rig.expect("item 2 of 4");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn other_held_keys_do_no_harm() {
    let study = Study::new(Plot { tasks: changes(9), ..Plot::default() });
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n n n n n");
    // The press and the first repeat, which looks like one, take something back.
    held(&mut rig, "backspace", 400, 30);
    assert_eq!(study.said("anna").len(), 3);
    rig.wait(300);
    held(&mut rig, "*", 400, 30);
    let flags = study.writer("anna").sheet().events().len();
    assert_eq!(flags, 5 + 2 + 2);
}

#[test]
fn a_paste_answers_nothing_or_one_question() {
    let study = Study::new(Plot { tasks: changes(9), ..Plot::default() });
    let mut rig = study.labelling("anna");
    rig.paste("nnnynynyn");
    rig.expect("pasted text goes into");
    assert!(study.said("anna").is_empty());
    // A terminal that does not say what is pasted.
    rig.kind(&"ny1n".repeat(25));
    rig.expect("keys that come all at once");
    assert_eq!(study.said("anna").len(), 1);
    rig.wait(500);
    fingers(&mut rig, "n");
    assert_eq!(study.said("anna").len(), 2);
    // Also where the end of a line would confirm what is typed.
    fingers(&mut rig, "y y right");
    rig.press("enter").kind("a b").press("enter");
    rig.expect("keys that come all at once");
    rig.press("esc").wait(500);
    assert_eq!(study.said("anna").len(), 4);
}

#[test]
fn fingers_are_not_slowed_down() {
    let study = Study::new(Plot { tasks: changes(9), ..Plot::default() });
    let mut rig = study.labelling("anna");
    for key in ["y", "n", "1", "y", "n", "2"] {
        rig.press(key).wait(40);
    }
    rig.expect("item 3 of 9");
    assert_eq!(study.said("anna").len(), 6);
    // The same key for one item after the other, as fast as one can read nothing.
    for _ in 0..5 {
        rig.press("n").wait(130);
    }
    rig.expect("item 8 of 9");
}
