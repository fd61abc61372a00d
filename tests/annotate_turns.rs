//! Turns of repair runs are labelled in the workbench as tasks are: what is seen is what the turn made.
#![allow(clippy::unwrap_used)]

mod rig;

use mendbench::catalogue::recording;
use mendbench::label::assign::{Pairs, Plan};
use mendbench::label::codebook::{ReservedKeys, shipped};
use mendbench::label::item::{Item, Purpose, Stratum};
use mendbench::label::round::{Created, Sampling};
use mendbench::label::turn::TurnName;
use mendbench::runner::Runs;
use mendbench::store::MemoryStore;
use mendbench::study::{NewRound, Studies};
use mendbench::tui::runtime::repair::Engines;
use mendbench::tui::runtime::study::{Bench, Clerks};
use rig::{Options, Rig};
use std::sync::Arc;

/// A turn of the recording as an item, and a line that only its code has.
fn turn() -> (Item, String) {
    let runs = Runs::new(recording("qwen-coder-line").unwrap().unwrap());
    let record = runs.open(runs.list().unwrap()[0].id).unwrap();
    for head in &record.trajectories {
        if let Some(made) = record.applied(head).unwrap().turns.into_iter().next() {
            let after = record.task_after(head, &made.code).unwrap();
            let (path, code) = after
                .files
                .reference
                .iter()
                .find(|(path, code)| after.files.buggy.get(*path) != Some(*code))
                .unwrap();
            let lines = |content: &mendbench::task::Content| content.text().unwrap_or_default().into_owned();
            let (before, code) = (lines(&after.files.buggy[path]), lines(code));
            let line = code.lines().find(|line| !before.contains(line) && line.trim().len() > 8).unwrap();
            let name = TurnName {
                task: head.task.clone(),
                run: record.id,
                trajectory: head.id,
                attempt: made.attempt,
                turn: made.turn,
            };
            let item = Item {
                name: name.to_string(),
                revision: made.code.as_str().to_owned(),
                stratum: Stratum::default(),
                purpose: Purpose::Study,
                seen_in: Vec::new(),
            };
            return (item, line.trim().to_owned());
        }
    }
    panic!("the recording has no turn that made other code");
}

fn workbench(items: Vec<Item>, repeats: usize) -> Rig {
    let studies = Studies::new(Arc::new(MemoryStore::default()));
    let people = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let created = Created {
        name: "patches".to_owned(),
        study: "turns".to_owned(),
        codebook: shipped("patch-correctness").unwrap().read(&ReservedKeys::none()).unwrap(),
        annotators: people(&["anna", "ben"]),
        arbitrator: "zoe".to_owned(),
        lead: "lea".to_owned(),
        sampling: Sampling::default(),
    };
    let plan = Plan { pairs: Pairs::Fixed, per_item: 2, seed: 1 };
    let new = NewRound { created, items, plan: Some(plan), repeats };
    studies.create(uuid::Uuid::now_v7(), new).unwrap();
    let bench = Bench { studies, name: "anna".to_owned(), samples: Vec::new() };
    let mut rig = Rig::samples(Options::sized(140, 40));
    rig.studies = Some(Clerks::new(Arc::new(move |_| Ok(bench.clone()))));
    // There is no workspace with runs: the recordings come with the program.
    rig.engines = Some(Arc::new(Engines::new(Arc::new(|_| Err("there is no workspace".to_owned())))));
    rig.press("g a").wait(500);
    rig
}

#[test]
fn what_a_turn_made_is_what_is_judged() {
    let (item, line) = turn();
    let mut rig = workbench(vec![item], 0);
    rig.expect(&line);
    assert!(!rig.shows("another revision"), "{}", rig.text());
}

#[test]
fn a_turn_that_made_something_else_is_not_shown() {
    let (item, line) = turn();
    let mut rig = workbench(vec![Item { revision: "0".repeat(64), ..item }], 0);
    rig.expect("made other code than the round was");
    assert!(!rig.shows(&line), "{}", rig.text());
}

#[test]
fn turns_of_one_task_are_told_apart_in_header_and_list() {
    let (item, _) = turn();
    let name = TurnName::parse(&item.name).unwrap();
    let other = TurnName { turn: name.turn + 1, ..name.clone() };
    let mut rig = workbench(vec![item.clone(), Item { name: other.to_string(), ..item }], 2);
    let [one, two] = [&name, &other].map(|name| {
        let trajectory = name.trajectory.to_string();
        let end = &trajectory[trajectory.len() - 8..];
        format!("{}#{end}/{}.{}", name.task.id, name.attempt, name.turn)
    });
    let header = rig.header();
    assert!(header.contains(&one) || header.contains(&two), "{header}");
    for size in [(80, 24), (140, 40)] {
        rig.resize(size.0, size.1).press("L").wait(200);
        // Each is served twice, and which serving it is is not told.
        rig.expect("of 4 done").expect(&one).expect(&two).expect_not("~2");
        rig.press("L").wait(200);
    }
}
