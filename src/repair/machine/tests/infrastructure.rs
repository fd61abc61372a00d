//! Failures that are not the model's, and ends that come from outside.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::report::Verdict;

fn is_ask(effect: &Effect) -> bool {
    matches!(effect, Effect::Ask { call: Call::Repair, .. })
}

fn fail_request(rig: &mut Rig, request: &str, why: RequestFault) -> Vec<Effect> {
    rig.feed(started(Call::Repair, request, "m"));
    rig.feed(fault(Call::Repair, request, why))
}

#[test]
fn a_request_without_answer_is_asked_again() {
    let mut rig = Rig::of("single", &[PASSES]);
    let ask = rig.until(is_ask);
    assert_eq!(fail_request(&mut rig, "x1", RequestFault::Server), std::slice::from_ref(&ask));
    assert_eq!(rig.machine.failures(), 1);
    assert_eq!(fail_request(&mut rig, "x2", RequestFault::IncompleteStream), [ask]);
    assert_eq!(rig.finish(), StopReason::Passed);
    let turn = &rig.machine.trajectory().turns[1];
    assert_eq!(turn.requests.len(), 3, "faults are billed too");
    assert_eq!(rig.machine.trajectory().usd(), Some(1.5));
    assert_eq!(rig.machine.trajectory().turns_taken(), 1);
    assert!(!rig.machine.trajectory().is_excluded());
}

#[test]
fn after_enough_failures_in_a_row_the_trajectory_is_given_up() {
    for tries in 1..=4 {
        let mut rig = Rig::new(cell("single"), Rules { tries, ..Rules::default() }, &[]);
        rig.until(is_ask);
        for number in 0..tries {
            fail_request(&mut rig, &format!("x{number}"), RequestFault::Timeout);
        }
        assert_eq!(rig.effect(), Effect::Stop { reason: StopReason::Infrastructure });
        assert_eq!(rig.finish(), StopReason::Infrastructure);
        assert!(rig.machine.trajectory().is_excluded());
        assert_eq!(rig.machine.trajectory().turns_taken(), 0);
    }
    // Nought tries would never ask.
    let mut rig = Rig::new(cell("single"), Rules { tries: 0, ..Rules::default() }, &[PASSES]);
    assert_eq!(rig.finish(), StopReason::Passed);
}

#[test]
fn failures_are_counted_step_by_step() {
    let mut rig = Rig::of("iterative:3", &[FAILS, OTHER, FAILS]);
    for turn in 1..=3 {
        rig.until(|effect| matches!(effect, Effect::Ask { turn: at, .. } if *at == turn));
        fail_request(&mut rig, &format!("x{turn}"), RequestFault::RateLimit);
        fail_request(&mut rig, &format!("y{turn}"), RequestFault::Connect);
        rig.until(|effect| matches!(effect, Effect::Verify { turn: at, .. } if *at == turn));
        rig.feed(verified(Verdict::InfraError, None));
        rig.feed(verified(Verdict::InfraError, None));
    }
    assert_eq!(rig.finish(), StopReason::Exhausted);
}

#[test]
fn a_fault_that_trying_again_cannot_mend_stops_at_once() {
    for why in RequestFault::ALL {
        let mut rig = Rig::of("single", &[PASSES]);
        let ask = rig.until(is_ask);
        let effects = fail_request(&mut rig, "x", why);
        if why.is_final() {
            assert_eq!(effects, [Effect::Stop { reason: StopReason::Infrastructure }], "{why}");
        } else {
            assert_eq!(effects, [ask], "{why}");
        }
    }
}

#[test]
fn what_was_broken_off_on_purpose_is_no_failure() {
    let mut rig = Rig::of("single", &[PASSES]);
    rig.until(is_ask);
    for number in 0..10 {
        fail_request(&mut rig, &format!("x{number}"), RequestFault::Aborted);
    }
    assert_eq!(rig.machine.failures(), 0);
    assert_eq!(rig.finish(), StopReason::Passed);
}

#[test]
fn a_sandbox_that_fails_is_tried_again_and_its_verdict_is_nobodys() {
    let mut rig = Rig::of("single", &[FAILS]);
    assert_eq!(rig.feed(verified(Verdict::InfraError, None)).len(), 1);
    assert_eq!(rig.machine.trajectory().turns[0].verdict, None);
    rig.until(|effect| matches!(effect, Effect::Verify { turn: 1, .. }));
    for _ in 0..3 {
        rig.feed(verified(Verdict::InfraError, None));
    }
    assert_eq!(rig.finish(), StopReason::Infrastructure);
    assert_eq!(rig.machine.trajectory().turns[1].verdict, None);
}

#[test]
fn every_other_verdict_is_the_codes() {
    for verdict in Verdict::ALL {
        let answer = Answer::Code("a", crate::repair::ApplicationOutcome::Exact, verdict);
        let mut rig = Rig::of("single", &[answer, answer, answer]);
        let reason = match verdict {
            Verdict::Passed => StopReason::Passed,
            Verdict::InfraError => StopReason::Infrastructure,
            _ => StopReason::Exhausted,
        };
        assert_eq!(rig.finish(), reason, "{verdict}");
    }
}

#[test]
fn a_request_that_was_lost_in_a_crash_is_made_anew() {
    let mut rig = Rig::of("single", &[PASSES]);
    let ask = rig.until(is_ask);
    rig.feed(started(Call::Repair, "lost", "m"));
    let mut again = rig.resumed();
    assert_eq!(again.pending(), [ask]);
    assert_eq!(again, rig.machine);
    rig.feed(started(Call::Repair, "second", "m"));
    // The answer to the lost one is not taken for that to the second.
    let message = rig.refuse(answered(Call::Repair, "lost", "late"));
    assert!(message.contains("answer-finished of the call `repair`"), "{message}");
    assert_eq!(rig.feed(fault(Call::Repair, "lost", RequestFault::Timeout)), []);
    assert_eq!(rig.machine.failures(), 0);
    rig.feed(answered(Call::Repair, "second", "answer"));
    assert_eq!(rig.finish(), StopReason::Passed);
    again = rig.resumed();
    assert!(again.is_over());
}

#[test]
fn budget_and_cancel_come_at_any_time() {
    for reason in [StopReason::Budget, StopReason::Cancelled, StopReason::Infrastructure] {
        let mut whole = Rig::of("conversation:2x2", &[FAILS, Answer::NoCode]);
        let mut steps = 0;
        while whole.step() {
            steps += 1;
        }
        for stop_after in 0..steps - 1 {
            let mut rig = Rig::of("conversation:2x2", &[FAILS, Answer::NoCode]);
            for _ in 0..stop_after {
                rig.step();
            }
            if matches!(rig.effect(), Effect::Stop { .. }) {
                continue;
            }
            assert_eq!(rig.feed(stopped(reason)), []);
            assert!(rig.machine.is_over());
            assert_eq!(rig.machine.trajectory().stopped, Some(reason));
        }
    }
}

#[test]
fn reasons_that_only_the_machine_can_find_are_refused_from_outside() {
    for reason in StopReason::ALL {
        let mut rig = Rig::of("iterative:2", &[FAILS]);
        rig.until(|effect| matches!(effect, Effect::Extract { .. }));
        if reason.is_cut_short() {
            rig.feed(stopped(reason));
        } else {
            let message = rig.refuse(stopped(reason));
            assert!(message.contains(reason.as_str()) && message.contains("budget"), "{message}");
        }
    }
    // An end that was found is not turned into another one.
    let mut rig = Rig::of("single", &[PASSES]);
    rig.until(|effect| matches!(effect, Effect::Stop { .. }));
    let message = rig.refuse(stopped(StopReason::Cancelled));
    assert!(message.contains("`passed`"), "{message}");
}
