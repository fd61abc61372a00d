//! Several attempts, messages that are kept, and the rules to stop on that a run opts in to.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::repair::cell::Technique;
use crate::repair::event::ContentHash;
use crate::repair::outcome::ApplicationOutcome;
use crate::report::Verdict;

fn with(rules: &[StopRule]) -> Rules {
    Rules { stop_on: rules.iter().copied().collect(), ..Rules::default() }
}

const NO_OP: Answer = Answer::Code("a", ApplicationOutcome::NoOp, Verdict::Failed);
const AS_BUGGY: Answer = Answer::Code("buggy", ApplicationOutcome::Exact, Verdict::Failed);

#[test]
fn attempts_begin_at_the_buggy_code_with_its_feedback() {
    let mut rig = Rig::of("conversation:2x2", &[FAILS, OTHER, FAILS, OTHER]);
    let mut prompts = Vec::new();
    while !rig.machine.is_over() {
        if let Effect::BuildPrompt { attempt, turn, code, feedback, continues, restate_code, .. } =
            rig.effect()
        {
            prompts.push((attempt, turn, code, feedback.unwrap().0, continues));
            assert!(!restate_code);
        }
        rig.step();
    }
    let applied = |attempt| Code::Applied { attempt, turn: 1, code: hash("a") };
    let exchange = |attempt| {
        Some(Exchange {
            prompt: hash(&format!("prompt {attempt}.1 repair 0")),
            answer: hash(&format!("answer {attempt}.1 repair")),
        })
    };
    assert_eq!(
        prompts,
        [
            (1, 1, Code::Buggy, hash("feedback 0.0"), None),
            (1, 2, applied(1), hash("feedback 1.1"), exchange(1)),
            (2, 1, Code::Buggy, hash("feedback 0.0"), None),
            (2, 2, applied(2), hash("feedback 2.1"), exchange(2)),
        ]
    );
    assert_eq!(rig.machine.trajectory().stopped, Some(StopReason::Exhausted));
    // The buggy code is verified once, and no feedback is made where an attempt ends.
    assert_eq!(rig.log().matches("0.0 verified").count(), 1);
    assert_eq!(rig.log().matches("feedback-made").count(), 3);
}

#[test]
fn the_last_exchange_is_gone_on_from_even_if_nothing_of_it_was_usable() {
    let mut rig = Rig::of("conversation:1x3", &[FAILS, Answer::NoCode, OTHER]);
    let effect = rig.until(|effect| matches!(effect, Effect::BuildPrompt { turn: 3, .. }));
    let Effect::BuildPrompt { continues, code, .. } = effect else { panic!("prompt") };
    assert_eq!(continues.unwrap().answer, hash("answer 1.2 repair"));
    assert_eq!(code, Code::Applied { attempt: 1, turn: 1, code: hash("a") });
}

#[test]
fn an_attempt_that_passes_ends_the_trajectory() {
    for (answers, last) in [
        (&[FAILS, OTHER, FAILS, PASSES][..], (2, 2)),
        (&[FAILS, OTHER, PASSES], (2, 1)),
        (&[FAILS, PASSES], (1, 2)),
        (&[PASSES], (1, 1)),
    ] {
        let mut rig = Rig::of("conversation:3x2", answers);
        assert_eq!(rig.finish(), StopReason::Passed);
        assert_eq!(rig.turns().last(), Some(&last));
        assert_eq!(rig.machine.trajectory().repaired_at(), Some(last));
    }
    let mut rig = Rig::of("conversation:3x2", &[]);
    assert_eq!(rig.finish(), StopReason::Exhausted);
    assert_eq!(rig.turns(), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]);
}

#[test]
fn preliminary_calls_come_once_where_messages_are_kept() {
    let mut cell = cell("conversation:2x3");
    cell.technique = Technique::StepBack;
    let mut rig = Rig::new(cell, Rules::default(), &[]);
    rig.finish();
    let at: Vec<String> = rig
        .log()
        .lines()
        .filter(|line| line.contains("prompt-built preliminary"))
        .map(str::to_owned)
        .collect();
    assert_eq!(at, ["1.1 prompt-built preliminary:1", "2.1 prompt-built preliminary:1"]);
}

#[test]
fn without_the_rule_repeats_go_on() {
    let mut rig = Rig::of("iterative:4", &[FAILS, FAILS, NO_OP, FAILS]);
    assert_eq!(rig.finish(), StopReason::Exhausted);
    assert_eq!(rig.turns().len(), 4);
}

#[test]
fn a_repeat_ends_the_attempt() {
    let rules = with(&[StopRule::Repeat]);
    for (strategy, answers, turns, reason) in [
        ("iterative:5", &[FAILS, OTHER, FAILS][..], 3, StopReason::Repeat),
        ("iterative:5", &[FAILS, FAILS], 2, StopReason::Repeat),
        ("iterative:5", &[FAILS, NO_OP], 2, StopReason::Repeat),
        ("iterative:5", &[FAILS, AS_BUGGY], 2, StopReason::Repeat),
        ("iterative:5", &[AS_BUGGY], 1, StopReason::Repeat),
        // What passes has passed.
        (
            "iterative:5",
            &[FAILS, Answer::Code("a", ApplicationOutcome::Exact, Verdict::Passed)],
            2,
            StopReason::Passed,
        ),
        // Words are no code that repeats.
        ("iterative:3", &[Answer::NoCode, Answer::NoCode, Answer::Rejected], 3, StopReason::Exhausted),
        // The same code in another attempt is none either.
        ("conversation:2x1", &[FAILS, FAILS], 2, StopReason::Exhausted),
        ("conversation:2x3", &[FAILS, FAILS, OTHER, OTHER], 4, StopReason::Repeat),
        ("conversation:2x2", &[FAILS, FAILS, FAILS, PASSES], 4, StopReason::Passed),
    ] {
        let mut rig = Rig::new(cell(strategy), rules.clone(), answers);
        assert_eq!(rig.finish(), reason, "{strategy} {answers:?}");
        assert_eq!(rig.turns().len(), turns, "{strategy} {answers:?}");
    }
}

#[test]
fn an_answer_without_code_ends_the_attempt() {
    let rules = with(&[StopRule::NoCode]);
    for (strategy, answers, turns, reason) in [
        ("iterative:3", &[FAILS, Answer::NoCode][..], 2, StopReason::NoCode),
        ("iterative:3", &[Answer::Rejected], 1, StopReason::NoCode),
        ("iterative:3", &[SYNTAX, FAILS, FAILS], 3, StopReason::Exhausted),
        ("conversation:2x3", &[Answer::NoCode, FAILS, PASSES], 3, StopReason::Passed),
        ("conversation:2x3", &[Answer::NoCode, FAILS, Answer::NoCode], 3, StopReason::NoCode),
    ] {
        let mut rig = Rig::new(cell(strategy), rules.clone(), answers);
        assert_eq!(rig.finish(), reason, "{strategy} {answers:?}");
        assert_eq!(rig.turns().len(), turns, "{strategy} {answers:?}");
        assert_eq!(rig.machine.trajectory().turns_taken() as usize, turns);
    }
}

#[test]
fn words_of_rules_are_read() {
    let rules: Vec<StopRule> = "repeat,no-code".split(',').map(|word| word.parse().unwrap()).collect();
    assert_eq!(rules, StopRule::ALL);
    assert_eq!("nocode".parse::<StopRule>().unwrap_err().nearest.as_deref(), Some("no-code"));
    assert_eq!(with(&rules), Rules { stop_on: StopRule::ALL.into(), tries: 3 });
}

#[test]
fn the_newest_code_is_that_of_the_attempt() {
    let mut rig = Rig::of("conversation:2x2", &[FAILS, OTHER]);
    rig.until(|effect| matches!(effect, Effect::BuildPrompt { attempt: 2, .. }));
    let code = |name: &str| -> ContentHash { hash(name) };
    assert_eq!(
        rig.machine.trajectory().newest_code(1),
        Code::Applied { attempt: 1, turn: 2, code: code("b") }
    );
    assert_eq!(rig.machine.trajectory().newest_code(2), Code::Buggy);
}
