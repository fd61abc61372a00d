//! What is made ready for the next item while the present one is looked at.

use super::study::{Plot, Study, fingers};
use crate::rig::{Options, task};
use std::collections::BTreeSet;

/// Changes so large that their syntax colours do not come with them.
fn large(count: usize) -> Vec<mendbench::task::Task> {
    let one = |number: usize| {
        let lines = |operator: char| -> String {
            let line =
                |line: usize| format!("    value_{line} = compute({number} {operator} {line})  # a step\n");
            format!("def f{number}():\n{}", (0..1_600).map(line).collect::<String>())
        };
        task(&format!("large-{number}"), &lines('-'), &lines('+'))
    };
    (0..count).map(one).collect()
}

#[test]
fn the_next_item_comes_in_its_colours_and_does_not_change_under_the_eye() {
    let study = Study::new(Plot { tasks: large(2), ..Plot::default() });
    let queue = study.queue(0);
    let mut rig = study.rig("anna", Options::sized(140, 40));
    rig.press("g a").wait(500);
    rig.expect("item 1 of 2");
    rig.hold = true;
    fingers(&mut rig, "n");
    rig.expect("item 2 of 2").expect(queue[1].rsplit('/').next().unwrap());
    let first = rig.buffer();
    let y = (0..40).find(|y| rig.row(*y).contains("value_0 ")).unwrap();
    let inks: BTreeSet<String> = (0..100).map(|x| format!("{:?}", first[(x, y)].fg)).collect();
    assert!(inks.len() > 4, "the line has its colours: {inks:?}");
    while rig.waiting() > 0 {
        rig.finish(0);
    }
    assert_eq!(rig.buffer(), first);
    // The way back likewise.
    rig.wait(500);
    rig.press("backspace");
    rig.expect("item 1 of 2");
    let back = rig.buffer();
    while rig.waiting() > 0 {
        rig.finish(0);
    }
    assert_eq!(rig.buffer(), back);
}
