//! The sheet and `mendbench round create` give the same round.

use super::world::{World, opened, options, tasks};
use mendbench::label::assign::{Pairs, Plan};

/// By the draft that the command line fills in from its flags.
#[test]
fn the_sheet_draws_and_deals_as_the_command_line_does() {
    let by_draft = World::with(mendbench::study::Draft {
        name: "pilot".to_owned(),
        size: "half".parse().unwrap(),
        seed: 41,
        repeats: 2,
        annotators: ["anna", "ben", "carl", "dora"].map(str::to_owned).to_vec(),
        plan: Some(Plan { pairs: Pairs::Fixed, per_item: 2, seed: 41 }),
        ..super::world::draft()
    });
    let world = World::empty();
    let mut rig = opened(&world, "lea", "n", options((80, 24), "dark"));
    let mut fill = |text: &str| {
        rig.press("ctrl-u").kind(text).press("tab").rest();
    };
    fill("pilot");
    fill("defects");
    rig.press("down down");
    let mut fill = |text: &str| {
        rig.press("ctrl-u").kind(text).press("tab").rest();
    };
    fill("half");
    fill("41");
    rig.press("down");
    let mut fill = |text: &str| {
        rig.press("ctrl-u").kind(text).press("tab").rest();
    };
    fill("anna,ben,carl,dora");
    fill("zoe");
    rig.press("right tab tab").rest();
    rig.press("ctrl-u").kind("2").rest().press("enter").rest().press("enter").rest();
    rig.expect("is made");
    let (one, other) = (by_draft.desk("lea").round, world.desk("lea").round);
    assert_eq!(one.items.list(), other.items.list());
    assert_eq!(one.assignment, other.assignment);
    assert_eq!(one.sampling, other.sampling);
    assert_eq!(one.codebook().stamp(), other.codebook().stamp());
    assert!(other.items.list().len() < tasks().len());
}

/// By the program itself: the same flags, the same file.
#[test]
fn the_program_serves_each_annotator_the_same_in_the_same_order() {
    use crate::cli_rig::Home;
    use crate::rig::{Options, Rig};
    use crate::study_rig::{create, queue};
    use mendbench::study::Studies;
    use mendbench::tui::runtime::study::{Bench, Clerks};
    use std::sync::Arc;

    let home = Home::new();
    home.rows("set.jsonl", 12);
    create(&home, "r", &["--sample", "5", "--seed", "41", "--repeat", "2"]).done();
    let studies = Studies::new(Arc::new(mendbench::store::MemoryStore::default()));
    let options = Options { preview: false, ..Options::default() };
    let mut rig = Rig::path(home.path("set.jsonl").as_ref(), home.path("other").as_ref(), options);
    let bench = Bench { studies: studies.clone(), name: "lea".to_owned(), samples: Vec::new() };
    rig.studies = Some(Clerks::new(Arc::new(move |_| Ok(bench.clone()))));
    rig.press("g s n ctrl-u").kind("r").press("down down down down ctrl-u").kind("5");
    rig.press("down ctrl-u").kind("41").press("down down").kind("anna,ben").press("down").kind("zoe");
    rig.press("down down down ctrl-u").kind("2").rest().press("enter").rest();
    rig.press("enter").rest().expect("is made: 5 items");
    let round = studies.find(None).unwrap();
    for (number, who) in ["anna", "ben"].into_iter().enumerate() {
        let mine = round.queue(number).map(|at| round.items.list()[at].name.clone());
        assert_eq!(mine.collect::<Vec<_>>(), queue(&home, who, "r"), "{who}");
    }
    assert_eq!(round.queue(0).count(), 7);
}
