//! How long it takes from an answer key to the next item: printed, not asserted.
//!
//! `cargo test --release --test annotate figures -- --ignored --nocapture`

use super::study::{Plot, Study, changes, yes_no};
use crate::rig::{Options, task};
use mendbench::label::event::{Answer, LabelEvent, VERSION, What};
use mendbench::label::phase::Phase;
use mendbench::label::value::Value;
use mendbench::store::{Expected, NewEvent};
use mendbench::tui::msg::study::annotate::{Ask, Told};
use mendbench::tui::msg::study::{self};
use std::io::Write;
use std::time::Instant;

/// An answer as it is kept.
fn said(study: &Study, item: &str, order: u64) -> NewEvent {
    let answer = Answer {
        item: item.to_owned(),
        revision: "r".to_owned(),
        question: "q".to_owned(),
        value: Value::one("no"),
        codebook: study.stamp.clone(),
        phase: Phase::Labelling,
        replaces: None,
        back: None,
        confidence: None,
        seconds: Some(20),
        evidence: vec!["diff".to_owned()],
    };
    let (kind, data) =
        LabelEvent::stored(study.round, order, "anna", &What::Answered(std::sync::Arc::new(answer)));
    NewEvent { kind, at: jiff::Timestamp::UNIX_EPOCH, v: VERSION, data }
}

#[test]
#[ignore = "figures"]
fn from_an_answer_to_the_next_item() {
    // The task is read ahead, as in the program, where other threads do it; what is measured is what a key waits for:
    // the state, keeping the answer in a database on disk, and drawing.
    let lines: String = (0..5_000).map(|line| format!("    value_{line} = compute({line})\n")).collect();
    let mended = lines.replace("compute(", "compute_well(");
    let mut tasks = changes(20_000);
    for (number, big) in tasks.iter_mut().enumerate().take(60) {
        let mut one = task(&format!("big-{number}"), &lines, &mended);
        std::mem::swap(big, &mut one);
    }
    let folder = tempfile::tempdir().unwrap();
    let study = Study::on_disk(Plot { codebook: yes_no("Is it?"), tasks, training: 0 }, folder.path());
    // Everything but the big ones is labelled already.
    let queue = study.queue(0);
    let small: Vec<&String> = queue.iter().filter(|item| !item.contains("big-")).collect();
    let events: Vec<NewEvent> =
        small.into_iter().zip(1..).map(|(item, order)| said(&study, item, order)).collect();
    for part in events.chunks(5_000) {
        study.backing.append(&format!("label/{}/anna", study.round), Expected::Any, part).unwrap();
    }
    let mut rig = study.rig("anna", Options::sized(140, 40));
    let opening = Instant::now();
    rig.press("g a");
    let opened = opening.elapsed();
    rig.wait(500);
    let mut times = Vec::new();
    let mut undone = Vec::new();
    for round in 0..50 {
        rig.wait(500);
        rig.hold = true;
        let start = Instant::now();
        rig.press("n");
        let _ = rig.buffer();
        times.push(start.elapsed());
        assert!(rig.text().contains("value_0"));
        if round % 10 == 0 {
            rig.wait(500);
            let start = Instant::now();
            rig.press("backspace");
            let _ = rig.buffer();
            undone.push(start.elapsed());
            rig.wait(500);
            rig.press("n");
        }
        rig.hold = false;
        while rig.waiting() > 0 {
            rig.finish(0);
        }
    }
    times.sort();
    undone.sort();
    let at = |times: &[std::time::Duration], share: usize| times[(times.len() - 1) * share / 100];
    writeln!(
        std::io::stderr(),
        "20,000 items, 5,000 lines: opened in {opened:?}; answer to next item p50 {:?} p99 {:?} (n = {}); undo p50 {:?} p99 {:?} (n = {})",
        at(&times, 50),
        at(&times, 99),
        times.len(),
        at(&undone, 50),
        at(&undone, 99),
        undone.len(),
    )
    .unwrap();
}

#[test]
#[ignore = "figures"]
fn from_the_list_to_its_labels() {
    // All that the column costs: reading what was said, joining it to the list, painting; and asking again.
    let folder = tempfile::tempdir().unwrap();
    let pilot = Study::on_disk(
        Plot { codebook: yes_no("Is it?"), tasks: changes(20_000), training: 0 },
        folder.path(),
    );
    let queue = pilot.queue(0);
    let events: Vec<NewEvent> =
        queue.iter().zip(1..).map(|(item, order)| said(&pilot, item, order)).collect();
    for part in events.chunks(5_000) {
        pilot.backing.append(&format!("label/{}/anna", pilot.round), Expected::Any, part).unwrap();
    }
    let mut rig = pilot.rig("anna", Options { preview: false, ..Options::sized(140, 40) });
    rig.hold_studies = true;
    rig.press("g t");
    let timed = |what: &mut dyn FnMut()| {
        let start = Instant::now();
        what();
        start.elapsed()
    };
    let mut clerks = pilot.clerks("anna");
    let read = timed(&mut || {
        let ask = Ask::Tags { round: None, known: false };
        assert!(matches!(clerks.answer(study::Ask::Annotate(ask)), study::Told::Annotate(Told::Tags(_))));
    });
    let told = timed(&mut || {
        rig.answer_studies();
    });
    rig.expect("1/1 no");
    let again = timed(&mut || {
        rig.press("g t").answer_studies();
    });
    let painted = timed(&mut || {
        rig.press("j");
        let _ = rig.buffer();
    });
    writeln!(
        std::io::stderr(),
        "20,000 labelled tasks: read in {read:?}, read and joined in {told:?}, nothing new in {again:?}, a key painted in {painted:?}"
    )
    .unwrap();
}
