//! Events that cannot follow: what is said, and that nothing changes.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::repair::cell::FeedbackSource;
use crate::repair::event::{AnswerDelta, Channel, Unknown, Waiting};
use crate::repair::outcome::ApplicationOutcome;
use crate::report::Verdict;
use crate::task::FeedbackKind;

#[test]
fn every_event_twice_is_refused() {
    let mut rig = Rig::of("conversation:2x2", &[FAILS, Answer::NoCode, Answer::Rejected]);
    while rig.step() {
        let last = rig.events.last().unwrap().clone();
        let before = rig.machine.clone();
        let error = rig.machine.on(&last).unwrap_err();
        assert!(matches!(error, MachineError::OutOfOrder { .. }), "{error}");
        assert_eq!(rig.machine, before);
    }
}

#[test]
fn a_lost_event_is_noticed_by_the_next_one() {
    let mut whole = Rig::of("iterative:2", &[FAILS, PASSES]);
    whole.finish();
    for lost in 0..whole.events.len() - 1 {
        let mut events = whole.events.clone();
        events.remove(lost);
        let resumed = Machine::resume(&whole.cell, Rules::default(), run(), id(), &events);
        assert!(resumed.is_err(), "without event {lost}");
    }
}

#[test]
fn events_of_others_are_refused() {
    let mut rig = Rig::of("single", &[]);
    let mut event = rig.event(verified(Verdict::Failed, None));
    event.trajectory = Uuid::from_u128(9);
    let error = rig.machine.on(&event).unwrap_err().to_string();
    assert!(error.contains("00000000-0000-0000-0000-000000000009"), "{error}");
    event.trajectory = id();
    event.run = Uuid::from_u128(9);
    assert!(matches!(rig.machine.on(&event), Err(MachineError::OtherTrajectory { .. })));
    event.run = run();
    event.turn = 1;
    assert!(matches!(rig.machine.on(&event), Err(MachineError::OtherTurn { attempt: 0, turn: 0, .. })));
    event.turn = 0;
    assert!(rig.machine.on(&event).is_ok());
}

#[test]
fn every_step_takes_its_own_kind_only() {
    let kinds = || {
        [
            prompt_built(Call::Repair, "p"),
            prompt_built(Call::Helper, "p"),
            prompt_built(Call::Preliminary(1), "p"),
            started(Call::Repair, "r", "m"),
            started(Call::Helper, "r", "m"),
            extracted(true),
            applied(ApplicationOutcome::Exact, Some("c")),
            verified(Verdict::Failed, None),
            feedback(FeedbackKind::Test, FeedbackSource::Fresh),
        ]
    };
    let mut rig = Rig::of("iterative:2", &[FAILS, PASSES]);
    loop {
        let fitting = match rig.effect() {
            Effect::BuildPrompt { .. } => "prompt-built",
            Effect::Ask { .. } => "request-started",
            Effect::Extract { .. } => "extracted",
            Effect::Apply { .. } => "applied",
            Effect::Verify { .. } => "verified",
            Effect::MakeFeedback { .. } => "feedback-made",
            Effect::Stop { .. } => "stopped",
        };
        for what in kinds() {
            let is_own = match &what {
                What::PromptBuilt(data) => data.call == Call::Repair && fitting == "prompt-built",
                What::RequestStarted(data) => data.call == Call::Repair && fitting == "request-started",
                other => other.kind() == fitting,
            };
            if !is_own {
                let kind = what.kind().to_owned();
                let message = rig.refuse(what);
                assert!(message.contains(&kind) && message.contains(fitting), "{message}");
            }
        }
        if fitting == "stopped" {
            break;
        }
        rig.step();
    }
    rig.step();
    for what in kinds() {
        assert!(rig.refuse(what).contains("after the trajectory had stopped (passed)"));
    }
}

#[test]
fn data_that_contradict_each_other_are_refused() {
    let mut rig = Rig::of("single", &[]);
    rig.until(|effect| matches!(effect, Effect::MakeFeedback { .. }));
    for (kind, source) in [
        (FeedbackKind::Minimal, FeedbackSource::Fresh),
        (FeedbackKind::Test, FeedbackSource::Stored),
        (FeedbackKind::Human, FeedbackSource::Fresh),
    ] {
        assert!(rig.refuse(feedback(kind, source)).contains("kind or source"));
    }
    rig.until(|effect| matches!(effect, Effect::Ask { .. }));
    assert!(rig.refuse(answered(Call::Repair, "never-started", "a")).contains("never-started"));
    rig.feed(started(Call::Repair, "r", "m"));
    assert!(rig.refuse(started(Call::Repair, "r", "m")).contains("id of its own"));
    assert!(rig.refuse(neither(Call::Repair, "r")).contains("either an answer or a fault"));
    assert!(rig.refuse(answered(Call::Helper, "r", "a")).contains("waited for"));
    rig.feed(answered(Call::Repair, "r", "a"));
    rig.until(|effect| matches!(effect, Effect::Apply { .. }));
    assert!(rig.refuse(applied(ApplicationOutcome::Rejected, Some("c"))).contains("unless"));
    assert!(rig.refuse(applied(ApplicationOutcome::Exact, None)).contains("unless"));
    rig.feed(applied(ApplicationOutcome::Exact, Some("c")));
    let message = rig.refuse(verified(Verdict::Passed, Some("other")));
    assert!(message.contains("not the code of the turn"), "{message}");
}

#[test]
fn transient_and_unknown_events_change_nothing_but_the_number() {
    let mut rig = Rig::of("single", &[PASSES]);
    rig.until(|effect| matches!(effect, Effect::Ask { .. }));
    let before = rig.machine.clone();
    let delta = AnswerDelta {
        call: Call::Repair,
        channel: Channel::Answer,
        text: "x".to_owned(),
        other: Unknown::new(),
    };
    assert_eq!(rig.feed(What::AnswerDelta(delta)), []);
    let waiting = Waiting { what: "the rate limit".to_owned(), until: None, other: Unknown::new() };
    assert_eq!(rig.feed(What::Waiting(waiting)), []);
    let unknown = What::Unknown { kind: "paused".to_owned(), data: serde_json::json!({ "a": 1 }) };
    assert_eq!(rig.feed(unknown), []);
    assert_eq!(rig.machine.pending(), before.pending());
    assert_eq!(rig.machine.trajectory(), before.trajectory());
    assert_eq!(rig.machine.seen(), before.seen() + 3);
    assert_eq!(rig.finish(), StopReason::Passed);
    // Resuming from what is stored leaves the transient ones out.
    let durable: Vec<RunEvent> = rig.events.iter().filter(|event| event.is_durable()).cloned().collect();
    let resumed = Machine::resume(&rig.cell, Rules::default(), run(), id(), &durable).unwrap();
    assert_eq!(resumed.trajectory(), rig.machine.trajectory());
}

#[test]
fn a_machine_says_what_it_waits_for() {
    let mut rig = Rig::of("single", &[PASSES]);
    let mut words = Vec::new();
    while !rig.machine.is_over() {
        words.push(rig.machine.waits_for());
        rig.step();
    }
    words.push(rig.machine.waits_for());
    assert_eq!(
        words,
        [
            "verified",
            "feedback-made",
            "prompt-built for the call `repair`",
            "request-started of the call `repair`",
            "extracted",
            "applied",
            "verified",
            "stopped (passed)",
            "nothing"
        ]
    );
}
