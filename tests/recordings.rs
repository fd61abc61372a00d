//! The recordings that come with the sample tasks: whole, over, of a real model, of the tasks as they are shipped.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;
use mendbench::catalogue::{recording, recording_names};
use mendbench::dataset::sample_tasks;
use mendbench::repair::event::{StopReason, What};
use mendbench::runner::Runs;

#[test]
fn each_is_whole_and_of_a_real_model() {
    let tasks = sample_tasks().tasks;
    assert!(!recording_names().is_empty());
    for name in recording_names() {
        let runs = Runs::new(recording(name).unwrap().unwrap());
        let record = runs.open(runs.find("last").unwrap()).unwrap();
        for head in &record.trajectories {
            assert!(record.stopped(head).unwrap().is_some(), "{name}: {} is not over", head.task);
            // The task is the one that is shipped, so that its answers can be tried again.
            let shipped = tasks.iter().find(|task| task.name() == head.task).unwrap();
            assert_eq!(shipped.revision(), head.revision, "{name}: {}", head.task);
            let events = record.replay(head).unwrap();
            let pieces = events.iter().filter(|event| matches!(event.what, What::AnswerDelta(_))).count();
            let mut tokens = 0;
            for event in events {
                if let What::AnswerFinished(finished) = event.what {
                    tokens += finished.usage.output_tokens.expect("a server counted");
                    let answer = record.contents().text(&finished.answer.unwrap()).unwrap();
                    assert!(!answer.is_empty());
                }
            }
            assert!(
                tokens > 0 && pieces as u64 * 2 > tokens,
                "{name}: an answer that streamed has many pieces"
            );
        }
    }
    assert!(recording("nothing").is_none());
    // There is one that shows a repair, and one that shows none.
    let passed = |name: &str| {
        let runs = Runs::new(recording(name).unwrap().unwrap());
        let record = runs.open(runs.find("last").unwrap()).unwrap();
        record
            .trajectories
            .iter()
            .filter(|head| record.stopped(head).unwrap() == Some(StopReason::Passed))
            .count()
    };
    let passed: Vec<usize> = recording_names().into_iter().map(passed).collect();
    assert!(passed.contains(&0) && passed.iter().any(|count| *count > 0), "{passed:?}");
}

#[test]
fn a_first_time_user_plays_one_without_key_and_network() {
    let home = Home::new();
    for name in recording_names() {
        let ran = home.run(&["replay", name, "--speed", "max"]).done().harmless();
        assert!(ran.out.contains("turn 1") && ran.out.contains(" repaired"), "{}", ran.out);
        assert!(!home.data().exists(), "nothing is written for it");
    }
}
