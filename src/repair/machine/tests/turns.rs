//! One attempt: the order of things, what counts as a turn, what a prompt is built from.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::repair::cell::{FeedbackSource, Section, Technique};
use crate::repair::event::{ContentHash, Exposure};
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::report::Verdict;
use crate::task::FeedbackKind;

fn prompt_of(effect: Effect) -> (u32, Code, Option<ContentHash>, Option<Exchange>) {
    match effect {
        Effect::BuildPrompt { turn, code, feedback, continues, .. } => {
            (turn, code, feedback.map(|(text, _)| text), continues)
        }
        other => panic!("{other:?}"),
    }
}

fn repair_prompt(turn: u32) -> impl Fn(&Effect) -> bool {
    move |effect| matches!(effect, Effect::BuildPrompt { turn: at, call: Call::Repair, .. } if *at == turn)
}

#[test]
fn a_single_turn_takes_its_steps_in_order() {
    let mut rig = Rig::of("single", &[PASSES]);
    assert_eq!(rig.finish(), StopReason::Passed);
    insta::assert_snapshot!(rig.log(), @r"
    0.0 verified failed
    0.0 feedback-made test
    1.1 prompt-built repair
    1.1 request-started repair m
    1.1 answer-finished repair
    1.1 extracted found
    1.1 applied exact
    1.1 verified passed
    1.1 stopped passed
    ");
    let trajectory = rig.machine.trajectory();
    assert_eq!(trajectory.repaired_at(), Some((1, 1)));
    assert_eq!(trajectory.turns_taken(), 1);
    assert_eq!(trajectory.usd(), Some(0.5));
    assert!(!trajectory.is_excluded());
    assert!(rig.machine.is_over() && rig.machine.pending().is_empty());
}

#[test]
fn buggy_code_that_passes_is_no_task() {
    let mut rig = Rig::of("iterative:3", &[]);
    rig.feed(verified(Verdict::Passed, None));
    assert_eq!(rig.finish(), StopReason::NotFaulty);
    assert!(rig.machine.trajectory().is_excluded());
    assert_eq!(rig.machine.trajectory().repaired_at(), None);
    assert_eq!(rig.turns(), []);
}

#[test]
fn iterative_stops_when_it_passes() {
    for (answers, turns, reason) in [
        (&[FAILS, OTHER, FAILS, PASSES][..], 3, StopReason::Exhausted),
        (&[FAILS, OTHER, PASSES], 3, StopReason::Passed),
        (&[FAILS, PASSES], 2, StopReason::Passed),
        (&[PASSES], 1, StopReason::Passed),
        (&[Answer::NoCode, Answer::Rejected, PASSES], 3, StopReason::Passed),
        (&[Answer::NoCode, Answer::Rejected, Answer::NoCode, PASSES], 3, StopReason::Exhausted),
        (&[SYNTAX, PASSES], 2, StopReason::Passed),
    ] {
        let mut rig = Rig::of("iterative:3", answers);
        assert_eq!(rig.finish(), reason, "{answers:?}");
        assert_eq!(rig.turns().len(), turns, "{answers:?}");
        assert_eq!(rig.machine.trajectory().turns_taken() as usize, turns);
        let passed = reason == StopReason::Passed;
        assert_eq!(rig.machine.trajectory().repaired_at(), passed.then_some((1, turns as u32)));
    }
}

#[test]
fn every_prompt_is_built_anew_from_the_newest_applied_code() {
    let mut rig = Rig::of("iterative:3", &[FAILS, OTHER, FAILS]);
    let (_, code, told, continues) = prompt_of(rig.until(repair_prompt(1)));
    assert_eq!((code, told, continues), (Code::Buggy, Some(hash("feedback 0.0")), None));
    let (_, code, told, continues) = prompt_of(rig.until(repair_prompt(2)));
    assert_eq!(code, Code::Applied { attempt: 1, turn: 1, code: hash("a") });
    assert_eq!((told, continues), (Some(hash("feedback 1.1")), None));
    let (_, code, told, continues) = prompt_of(rig.until(repair_prompt(3)));
    assert_eq!(code, Code::Applied { attempt: 1, turn: 2, code: hash("b") });
    assert_eq!((told, continues), (Some(hash("feedback 1.2")), None));
}

#[test]
fn a_turn_without_usable_code_counts_and_the_code_before_it_stays() {
    let mut rig = Rig::of("iterative:5", &[Answer::NoCode, FAILS, Answer::Rejected, Answer::NoCode, OTHER]);
    rig.until(|effect| matches!(effect, Effect::MakeFeedback { turn: 1, .. }));
    // Nothing was applied yet: the buggy code stands, with the feedback on it.
    let Effect::MakeFeedback { subject, helper, source, .. } = rig.effect() else { panic!("feedback") };
    assert_eq!(
        subject,
        Subject::Unusable {
            extraction: ExtractionOutcome::NoCode,
            application: None,
            earlier: Some((hash("feedback 0.0"), [Exposure::TestOutput].into())),
        }
    );
    assert_eq!((helper, source), (None, FeedbackSource::Fresh));
    let (_, code, told, _) = prompt_of(rig.until(repair_prompt(2)));
    assert_eq!((code, told), (Code::Buggy, Some(hash("feedback 1.1"))));
    let earlier = Some((hash("feedback 1.2"), [Exposure::TestOutput].into()));
    for (turn, application) in [(3, Some(ApplicationOutcome::Rejected)), (4, None)] {
        let effect =
            rig.until(|effect| matches!(effect, Effect::MakeFeedback { turn: at, .. } if *at == turn));
        let Effect::MakeFeedback { subject: Subject::Unusable { application: how, earlier: on, .. }, .. } =
            effect
        else {
            panic!("unusable")
        };
        assert_eq!((how, &on), (application, &earlier));
        let (_, code, _, _) = prompt_of(rig.until(repair_prompt(turn + 1)));
        assert_eq!(code, Code::Applied { attempt: 1, turn: 2, code: hash("a") }, "turn {turn}");
    }
    assert_eq!(rig.finish(), StopReason::Exhausted);
    let turns = &rig.machine.trajectory().turns;
    let verdicts: Vec<_> = turns.iter().map(|turn| turn.verdict.map(Verdict::as_str)).collect();
    assert_eq!(verdicts, [Some("failed"), None, Some("failed"), None, None, Some("failed")]);
}

#[test]
fn code_with_syntax_errors_is_tested_and_becomes_the_newest() {
    let mut rig = Rig::of("iterative:2", &[SYNTAX, PASSES]);
    rig.until(|effect| matches!(effect, Effect::Verify { turn: 1, .. }));
    let (_, code, _, _) = prompt_of(rig.until(repair_prompt(2)));
    assert_eq!(code, Code::Applied { attempt: 1, turn: 1, code: hash("s") });
    assert_eq!(rig.finish(), StopReason::Passed);
}

#[test]
fn no_feedback_is_made_that_no_prompt_will_hold() {
    let mut rig = Rig::of("iterative:2", &[FAILS, OTHER]);
    rig.finish();
    assert_eq!(rig.log().matches("feedback-made").count(), 2, "on the buggy code and on turn 1");
    let mut untold = cell("iterative:2");
    untold.without.insert(Section::Feedback);
    let mut rig = Rig::new(untold, Rules::default(), &[Answer::NoCode, OTHER]);
    let (_, code, told, _) = prompt_of(rig.until(repair_prompt(2)));
    assert_eq!((code, told), (Code::Buggy, None));
    rig.finish();
    assert_eq!(rig.log().matches("feedback-made").count(), 0);
}

#[test]
fn stored_feedback_is_for_the_buggy_code_only() {
    let mut stored = cell("iterative:2");
    stored.feedback = FeedbackKind::LlmExpert;
    stored.feedback_source = FeedbackSource::Stored;
    let mut rig = Rig::new(stored, Rules::default(), &[FAILS]);
    rig.finish();
    insta::assert_snapshot!(rig.log(), @r"
    0.0 verified failed
    0.0 feedback-made llm-expert
    1.1 prompt-built repair
    1.1 request-started repair m
    1.1 answer-finished repair
    1.1 extracted found
    1.1 applied exact
    1.1 verified failed
    1.1 prompt-built helper
    1.1 request-started helper h
    1.1 answer-finished helper
    1.1 feedback-made llm-expert
    1.2 prompt-built repair
    1.2 request-started repair m
    1.2 answer-finished repair
    1.2 extracted found
    1.2 applied exact
    1.2 verified failed
    1.2 stopped exhausted
    ");
}

#[test]
fn the_helper_sees_the_report_and_its_answer_goes_into_the_feedback() {
    for (kind, asks) in [
        (FeedbackKind::Compiler, false),
        (FeedbackKind::Test, false),
        (FeedbackKind::Minimal, false),
        (FeedbackKind::Human, false),
        (FeedbackKind::LlmSkilled, true),
        (FeedbackKind::LlmExpert, true),
        (FeedbackKind::Mixed, true),
    ] {
        let mut cell = cell("iterative:3");
        cell.feedback = kind;
        let mut rig = Rig::new(cell, Rules::default(), &[FAILS, Answer::NoCode]);
        rig.step();
        if asks {
            let Effect::BuildPrompt { call, code, report, feedback, continues, .. } = rig.effect() else {
                panic!("{kind}")
            };
            assert_eq!((call, code, report), (Call::Helper, Code::Buggy, Some(hash("report"))));
            assert_eq!((feedback, continues), (None, None));
        }
        let effect = rig.until(|effect| matches!(effect, Effect::MakeFeedback { .. }));
        let Effect::MakeFeedback { helper, .. } = effect else { panic!("{kind}") };
        assert_eq!(helper, asks.then(|| hash("answer 0.0 helper")), "{kind}");
        rig.finish();
        // Turn 2 gave no code: nobody is asked about code that has been judged.
        assert_eq!(rig.log().matches("prompt-built helper").count(), if asks { 2 } else { 0 }, "{kind}");
    }
}

#[test]
fn preliminary_calls_come_before_each_prompt_that_is_built_anew() {
    for technique in Technique::ALL {
        let mut cell = cell("iterative:2");
        cell.technique = technique;
        let mut rig = Rig::new(cell, Rules::default(), &[FAILS]);
        let effect = rig.until(repair_prompt(1));
        let Effect::BuildPrompt { preliminary, .. } = effect else { panic!("prompt") };
        let count = technique.preliminary_calls() as usize;
        assert_eq!(preliminary, vec![hash("answer 1.1 preliminary:1"); count], "{technique}");
        rig.finish();
        assert_eq!(rig.log().matches("answer-finished preliminary:1").count(), 2 * count, "{technique}");
    }
}

#[test]
fn what_is_applied_onto_is_the_newest_code() {
    let mut rig = Rig::of("iterative:2", &[FAILS, OTHER]);
    let onto = |effect: Effect| match effect {
        Effect::Apply { onto, .. } => onto,
        other => panic!("{other:?}"),
    };
    let is_apply =
        |turn| move |effect: &Effect| matches!(effect, Effect::Apply { turn: at, .. } if *at == turn);
    assert_eq!(onto(rig.until(is_apply(1))), Code::Buggy);
    assert_eq!(onto(rig.until(is_apply(2))), Code::Applied { attempt: 1, turn: 1, code: hash("a") });
    let verify = rig.until(|effect| matches!(effect, Effect::Verify { turn: 2, .. }));
    let code = Code::Applied { attempt: 1, turn: 2, code: hash("b") };
    assert_eq!(verify, Effect::Verify { attempt: 1, turn: 2, code });
}

#[test]
fn the_record_of_a_turn_is_complete() {
    let mut rig = Rig::of("iterative:2", &[FAILS, PASSES]);
    rig.finish();
    let turn = &rig.machine.trajectory().turns[2];
    assert_eq!((turn.attempt, turn.turn), (1, 2));
    assert_eq!(turn.told, Some((hash("feedback 1.1"), [Exposure::TestOutput].into())));
    assert_eq!(turn.prompt, Some(hash("prompt 1.2 repair 0")));
    assert_eq!(turn.answer, Some(hash("answer 1.2 repair")));
    assert_eq!(turn.requests.len(), 1);
    assert_eq!((turn.requests[0].model.as_str(), turn.requests[0].answered), ("m", true));
    assert_eq!(turn.extraction, Some(ExtractionOutcome::Found));
    assert_eq!(turn.application, Some(ApplicationOutcome::Exact));
    assert_eq!((turn.code.clone(), turn.verdict), (Some(hash("good")), Some(Verdict::Passed)));
    assert_eq!(turn.counts, Some((4, 6)));
    assert_eq!(turn.feedback, None);
}
