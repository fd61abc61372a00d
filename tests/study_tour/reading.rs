//! A task that has not been read yet is not gone.

use crate::rig::{Memory, Options, Rig};
use crate::study::{Plot, Study, changes, fingers};
use std::sync::Arc;

#[test]
fn while_the_list_is_read_no_task_is_said_to_be_missing() {
    let study = Study::new(Plot { tasks: changes(4), ..Plot::default() });
    let first = study.queue(0)[0].clone();
    let place = changes(4).iter().position(|task| task.name().to_string() == first).unwrap();
    // The first part ends before the item's task.
    let mut memory = Memory::new(changes(4));
    memory.parts = vec![place];
    let mut rig = Rig::before_reading(Arc::new(memory), Options::default());
    rig.studies = Some(study.clerks("anna"));
    let mut parts = rig.parts().into_iter();
    if place > 0 {
        rig.send(parts.next().unwrap());
    }
    fingers(&mut rig, "g a");
    rig.expect("Reading the item").expect_not("This task is not here");
    fingers(&mut rig, "n");
    rig.expect("the item is still being read");
    assert!(study.said("anna").is_empty());
    parts.for_each(|part| rig.send(part));
    rig.rest();
    rig.expect("total").expect_not("Reading the item");
    fingers(&mut rig, "n");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn what_the_whole_list_does_not_hold_is_gone() {
    let study = Study::new(Plot { tasks: changes(4), ..Plot::default() });
    let mut rig = Rig::before_reading(Arc::new(Memory::new(changes(0))), Options::default());
    rig.studies = Some(study.clerks("anna"));
    fingers(&mut rig, "g a");
    rig.expect("Reading the item");
    rig.read();
    rig.rest();
    rig.expect("This task is not here");
}
