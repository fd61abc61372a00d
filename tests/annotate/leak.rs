//! Blindness on the screen: while labelling is blind nothing that an annotator sees depends on the others' labels.

use super::study::{Plot, Study, changes, fingers};
use crate::rig::{Options, styles_of};
use mendbench::task::FaultClass;

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

/// Everything that anna can see of labelling, in a round of tasks of which the dataset states these findings.
fn seen_of(failure: &str, error_type: &str, class: FaultClass, size: (u16, u16)) -> Vec<String> {
    let tasks = changes(3).into_iter().map(|task| {
        let mut task = task;
        task.title = format!("{} \u{b7} {failure} \u{b7} {error_type}", task.id);
        task.meta.insert("failure".to_owned(), failure.into());
        task.provenance.error_type = Some(error_type.to_owned());
        task.provenance.class = Some(class);
        task
    });
    let study = Study::new(Plot { tasks: tasks.collect(), ..Plot::default() });
    let mut rig = study.rig("anna", Options::sized(size.0, size.1));
    let mut screens = Vec::new();
    for step in ["g a", "I", "T", "O", "C", "H", "W", "D", "L", "down", "L", "y", "n", "3", "*", "J u", "S"] {
        fingers(&mut rig, step);
        screens.push(format!("{step}\n{}{}", rig.text(), styles_of(&rig.buffer())));
    }
    // What is typed into a search of the evidence finds it neither.
    fingers(&mut rig, "esc /");
    rig.kind(failure).wait(200);
    screens.push(rig.text().replace(failure, ""));
    screens
}

#[test]
fn what_the_dataset_found_out_about_a_fault_changes_no_byte_while_it_is_judged() {
    for size in [(80, 24), (140, 40)] {
        let one = seen_of("TypeError", "C.1", FaultClass::Bug, size);
        assert!(one[0].contains(" sum-"), "the rest of the title is there");
        assert_eq!(one, seen_of("NameError", "D.2", FaultClass::Vulnerability, size));
        assert_eq!(one, seen_of("wrong int", "own", FaultClass::Bug, size));
    }
}
