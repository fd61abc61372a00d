//! Over many worlds: the machine ends, resumes where it was, and is never moved by what cannot follow.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::repair::cell::{Cell, FeedbackSource, Section, Technique};
use crate::repair::event::Intervention;
use crate::repair::outcome::ApplicationOutcome;
use crate::report::Verdict;
use crate::task::FeedbackKind;
use proptest::prelude::{Just, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as _;

/// One choice of the world, in words.
#[derive(Debug, Clone)]
enum Chance {
    /// The effect is done.
    Do,
    /// The request or the sandbox fails.
    Fail,
    /// A person does this.
    Person(Intervention),
    /// The process dies: a new machine takes over.
    Crash,
}

fn chances() -> impl proptest::strategy::Strategy<Value = Vec<Chance>> {
    let chance = prop_oneof![
        12 => Just(Chance::Do),
        2 => Just(Chance::Fail),
        1 => (0..4_usize).prop_map(|at| Chance::Person(Intervention::ALL[at])),
        1 => Just(Chance::Crash),
    ];
    proptest::collection::vec(chance, 0..120)
}

fn answers() -> impl proptest::strategy::Strategy<Value = Vec<Answer>> {
    let answer = prop_oneof![
        Just(Answer::NoCode),
        Just(Answer::Rejected),
        Just(FAILS),
        Just(OTHER),
        Just(SYNTAX),
        Just(PASSES),
        Just(Answer::Code("a", ApplicationOutcome::NoOp, Verdict::Failed)),
        Just(Answer::Code("t", ApplicationOutcome::BodySpliced, Verdict::Timeout)),
        Just(Answer::Code("n", ApplicationOutcome::Exact, Verdict::NoTests)),
    ];
    proptest::collection::vec(answer, 0..14)
}

fn cells() -> impl proptest::strategy::Strategy<Value = Cell> {
    let strategies = ["single", "iterative:1", "iterative:4", "conversation:1x3", "conversation:3x2"];
    (0..strategies.len(), 0..7_usize, 0..8_usize, any::<bool>(), any::<bool>()).prop_map(
        move |(strategy, kind, technique, stored, untold)| {
            let mut cell = cell(strategies[strategy]);
            cell.feedback = FeedbackKind::ALL[kind];
            cell.technique = Technique::ALL[technique];
            cell.feedback_source = if stored { FeedbackSource::Stored } else { FeedbackSource::Fresh };
            if untold {
                cell.without.insert(Section::Feedback);
            }
            cell
        },
    )
}

fn rules() -> impl proptest::strategy::Strategy<Value = Rules> {
    (any::<bool>(), any::<bool>(), 1..4_u32).prop_map(|(repeat, no_code, tries)| {
        let mut stop_on = std::collections::BTreeSet::new();
        stop_on.extend(repeat.then_some(StopRule::Repeat));
        stop_on.extend(no_code.then_some(StopRule::NoCode));
        Rules { stop_on, tries }
    })
}

fn act(rig: &mut Rig, chance: &Chance) {
    match chance {
        Chance::Do => {
            rig.step();
        }
        Chance::Fail => match rig.machine.pending().first() {
            Some(Effect::Ask { call, model, .. }) => {
                let (call, model, request) = (*call, model.clone(), format!("f{}", rig.seq));
                rig.feed(started(call, &request, &model));
                rig.feed(fault(call, &request, RequestFault::Server));
            }
            Some(Effect::Verify { .. }) => {
                rig.feed(verified(Verdict::InfraError, None));
            }
            _ => {}
        },
        Chance::Person(action) => {
            // Some of it is not possible just now; then it is refused, and that is all.
            let event = rig.event(intervened(*action, Some("person")));
            let before = rig.machine.clone();
            match rig.machine.on(&event) {
                Ok(_) => rig.events.push(event),
                Err(_) => assert_eq!(rig.machine, before),
            }
        }
        Chance::Crash => {
            let resumed = rig.resumed();
            assert_eq!(resumed.pending(), rig.machine.pending());
            rig.machine = resumed;
        }
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 64, ..Default::default() })]

    #[test]
    fn every_trajectory_ends_within_its_turns(cell in cells(), rules in rules(), answers in answers(), chances in chances()) {
        let most = cell.strategy.most_turns();
        let mut rig = Rig::new(cell, rules, &answers);
        for chance in &chances {
            act(&mut rig, chance);
        }
        let reason = rig.finish();
        let trajectory = rig.machine.trajectory();
        prop_assert!(trajectory.turns_taken() <= most);
        prop_assert!(trajectory.turns.len() as u32 <= most + 1);
        prop_assert_eq!(trajectory.repaired_at().is_some(), reason == StopReason::Passed);
        let positions: Vec<(u32, u32)> = trajectory.turns.iter().map(|turn| (turn.attempt, turn.turn)).collect();
        prop_assert!(positions.is_sorted() && positions.windows(2).all(|two| two[0] != two[1]));
        // Exposure grows within an attempt.
        for two in trajectory.turns.windows(2) {
            if two[0].attempt == two[1].attempt {
                prop_assert!(two[0].exposure.is_subset(&two[1].exposure));
            }
        }
        let acted = rig.events.iter().any(|event| matches!(event.what, What::Intervened(_)));
        prop_assert_eq!(trajectory.intervened, acted);
    }

    #[test]
    fn every_prefix_resumes_to_the_same_state_and_the_same_effects(
        cell in cells(), rules in rules(), answers in answers(), chances in chances(),
    ) {
        let mut rig = Rig::new(cell.clone(), rules.clone(), &answers);
        let mut states = vec![(0, rig.machine.clone())];
        for chance in chances.iter().chain(std::iter::repeat_n(&Chance::Do, 40)) {
            act(&mut rig, chance);
            states.push((rig.events.len(), rig.machine.clone()));
        }
        for (count, state) in &states {
            let resumed = Machine::resume(&cell, rules.clone(), run(), id(), &rig.events[..*count]).unwrap();
            prop_assert_eq!(&resumed, state);
            prop_assert_eq!(resumed.pending(), state.pending());
        }
        // Also where the process died between two events of one step.
        for count in 0..rig.events.len() {
            let resumed = Machine::resume(&cell, rules.clone(), run(), id(), &rig.events[..count]).unwrap();
            prop_assert_eq!(resumed.pending().len(), 1);
        }
        // And what is stored reads back to the same.
        let text = serde_json::to_string(&rig.events).unwrap();
        let read: Vec<RunEvent> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Machine::resume(&cell, rules, run(), id(), &read).unwrap(), rig.machine);
    }

    #[test]
    fn no_call_is_wanted_again_once_its_answer_is_stored(
        cell in cells(), rules in rules(), answers in answers(), chances in chances(),
    ) {
        let mut rig = Rig::new(cell, rules, &answers);
        for chance in &chances {
            act(&mut rig, chance);
        }
        rig.finish();
        let mut calls = std::collections::BTreeMap::new();
        for event in &rig.events {
            if let What::AnswerFinished(data) = &event.what && data.answer.is_some() {
                *calls.entry((event.attempt, event.turn, data.call)).or_insert(0) += 1;
            }
        }
        let person = rig.machine.trajectory().intervened;
        prop_assert!(person || calls.values().all(|count| *count == 1), "{calls:?}");
    }

    #[test]
    fn events_in_any_order_never_panic_and_never_half_apply(
        cell in cells(),
        answers in answers(),
        picks in proptest::collection::vec((any::<proptest::sample::Index>(), any::<bool>(), any::<bool>()), 1..80),
    ) {
        let mut rig = Rig::new(cell.clone(), Rules::default(), &answers);
        rig.finish();
        let mut machine = Machine::new(&cell, Rules::default(), run(), id());
        for (pick, renumbered, moved) in picks {
            let mut event = pick.get(&rig.events).clone();
            if renumbered {
                event.seq = machine.seen() + 1;
            }
            if moved {
                (event.attempt, event.turn) = machine.position();
            }
            let before = machine.clone();
            match machine.on(&event) {
                Ok(effects) => {
                    prop_assert!(event.seq > before.seen());
                    prop_assert!(effects.is_empty() || effects == machine.pending());
                }
                Err(error) => {
                    prop_assert_eq!(&machine, &before);
                    prop_assert!(!error.to_string().is_empty());
                }
            }
            prop_assert_eq!(machine.pending().is_empty(), machine.is_over());
        }
    }
}
