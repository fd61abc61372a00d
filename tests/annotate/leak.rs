//! Blindness on the screen: while labelling is blind nothing that an annotator sees depends on the others' labels.

use super::study::{Plot, Study, changes, fingers};
use crate::rig::{Options, styles_of};

/// Everything that anna can see, screen by screen, in a study in which ben answers so.
fn seen(ben: &[&str], size: (u16, u16)) -> Vec<String> {
    let study = Study::new(Plot { tasks: changes(6), training: 1, ..Plot::default() });
    let queue = study.queue(1);
    for (item, answer) in queue.iter().zip(ben) {
        study.label("ben", item, "bug-related", answer);
        study
            .writer("ben")
            .mark(item, &|item| mendbench::label::event::What::Noted {
                item,
                text: format!("ben says {answer}"),
            })
            .unwrap();
    }
    let mut rig = study.rig("anna", Options::sized(size.0, size.1));
    let mut screens = Vec::new();
    let steps = "g a|y|E|down|down|n|1|enter|*|L|down|L|[|]|J u|J f|J n|J s|backspace|ctrl-r|y|right|left|I|T|O|C|F|H|W|D|S|esc|N|esc|+|?|esc|:|esc|g t|enter|tab|tab|tab|tab|tab|g a|n|n";
    for step in steps.split('|') {
        fingers(&mut rig, step);
        screens.push(format!("{step}\n{}{}", rig.text(), styles_of(&rig.buffer())));
    }
    screens
}

#[test]
fn what_the_partner_said_changes_no_byte_of_any_screen() {
    for size in [(80, 24), (140, 40)] {
        let nothing = seen(&[], size);
        for ben in [&["yes", "no", "yes", "no", "yes", "no"][..], &["no"; 6], &["yes"; 3]] {
            for (one, other) in nothing.iter().zip(seen(ben, size)) {
                assert_eq!(*one, other);
            }
        }
    }
}

/// The test above can fail: own labels do change what is seen.
#[test]
fn what_one_said_oneself_is_seen() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    let before = rig.text();
    fingers(&mut rig, "y");
    assert_ne!(before, rig.text());
}
