//! `regrade`: stored answers are read, applied and tested anew; prompts, outcomes and verdicts are those of the run, and a
//! changed answer is noticed.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod cli_rig;
mod sum_model;

use cli_rig::Home;
use mendbench::repair::event::What;
use mendbench::runner::{RunRecord, compare};
use std::sync::atomic::Ordering;
use sum_model::{home, newest, serve};

fn prompts(record: &RunRecord) -> Vec<String> {
    let events = record.trajectories.iter().flat_map(|head| record.events(head).unwrap());
    let prompts = events.filter_map(|event| match event.what {
        What::PromptBuilt(built) => Some(built.prompt.to_string()),
        _ => None,
    });
    prompts.collect()
}

fn repair(home: &Home, more: &[&str]) {
    let arguments = ["repair", "tasks", "--model", "m", "--strategy", "iterative:4", "--workspace", "w"];
    home.run(&[&arguments[..], more].concat()).ended(0, &[]);
}

#[test]
fn twenty_of_twenty_are_the_same_and_nobody_is_asked() {
    let (port, requests) = serve();
    let home = home(port);
    repair(&home, &["--samples", "20", "--jobs", "2"]);
    let original = newest(&home, "w").unwrap();
    let asked = requests.load(Ordering::SeqCst);
    assert_eq!((original.trajectories.len(), asked), (20, 60));
    let ran = home.run(&["regrade", "last", "--workspace", "w", "--jobs", "2"]).done();
    assert!(ran.out.contains("regraded: the same in all of 20 trajectories"), "{}", ran.out);
    assert_eq!(requests.load(Ordering::SeqCst), asked, "no model is asked");
    let again = newest(&home, "w").unwrap();
    assert_ne!(again.id, original.id);
    assert_eq!(compare(&original, &again).unwrap(), []);
    assert_eq!((prompts(&original).len(), prompts(&original)), (60, prompts(&again)), "byte for byte");
    let name = original.id.to_string();
    let ran = home.run(&["regrade", &name[..18], "--workspace", "w", "--json"]).done();
    let regraded = ran.object("regraded");
    assert_eq!((&regraded["trajectories"], &regraded["same"]), (&20.into(), &20.into()));
}

#[test]
fn a_flipped_byte_of_an_answer_is_noticed() {
    let (port, _) = serve();
    let home = home(port);
    repair(&home, &[]);
    // In a bundle of the workspace the blob's hash is that of its bytes: a flipped one is refused.
    home.run(&["bundle", "export", "b.jsonl", "--workspace", "w"]).done();
    let bundle = std::fs::read_to_string(home.path("b.jsonl")).unwrap();
    assert!(bundle.contains("return a * b"), "the wrong answer is in it");
    std::fs::write(home.path("b.jsonl"), bundle.replacen("A product, I think", "A product, I thick", 1))
        .unwrap();
    let ran = home.run(&["bundle", "import", "b.jsonl", "--workspace", "w2"]);
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("line "), "{}", ran.err);
}
