//! Exposure: what prompts give away, and who inherits it.

use super::super::*;
use super::rig::*;
use crate::repair::event::{Exposure, Exposures, PromptBuilt, Unknown};
use crate::task::FeedbackKind;

fn prompt_with(call: Call, exposure: &[Exposure]) -> What {
    let exposure = exposure.iter().copied().collect();
    What::PromptBuilt(PromptBuilt { call, prompt: hash("p"), exposure, tokens: 1, other: Unknown::new() })
}

fn exposures(rig: &Rig) -> Vec<(u32, u32, Exposures)> {
    let turns = rig.machine.trajectory().turns.iter();
    turns.map(|turn| (turn.attempt, turn.turn, turn.exposure.clone())).collect()
}

#[test]
fn a_turn_has_what_its_prompt_and_its_feedback_give_away() {
    let mut rig = Rig::of("single", &[PASSES]);
    rig.until(|effect| matches!(effect, Effect::BuildPrompt { .. }));
    rig.feed(prompt_with(Call::Repair, &[Exposure::TestSource]));
    assert_eq!(exposures(&rig)[1].2, [Exposure::TestSource, Exposure::TestOutput].into());
}

#[test]
fn later_turns_inherit_and_other_attempts_do_not() {
    let mut rig = Rig::of("conversation:2x3", &[]);
    rig.feedback_exposure = Exposures::new();
    rig.until(|effect| matches!(effect, Effect::BuildPrompt { attempt: 1, turn: 2, .. }));
    rig.feed(prompt_with(Call::Repair, &[Exposure::ReferenceLocation]));
    rig.finish();
    let location: Exposures = [Exposure::ReferenceLocation].into();
    for (attempt, turn, exposure) in exposures(&rig) {
        let expected = if attempt == 1 && turn >= 2 { location.clone() } else { Exposures::new() };
        assert_eq!(exposure, expected, "{attempt}.{turn}");
    }
}

#[test]
fn feedback_on_the_buggy_code_is_in_every_attempt() {
    let mut rig = Rig::of("conversation:3x1", &[]);
    rig.feedback_exposure = [Exposure::ReferenceText].into();
    rig.finish();
    for (attempt, _, exposure) in exposures(&rig) {
        assert_eq!(exposure.contains(&Exposure::ReferenceText), attempt > 0, "{attempt}");
    }
}

#[test]
fn what_the_helper_saw_counts_through_its_feedback_only() {
    let mut expert = cell("single");
    expert.feedback = FeedbackKind::LlmSkilled;
    let mut rig = Rig::new(expert, Rules::default(), &[PASSES]);
    rig.feedback_exposure = Exposures::new();
    rig.until(|effect| matches!(effect, Effect::BuildPrompt { call: Call::Helper, .. }));
    rig.feed(prompt_with(Call::Helper, &[Exposure::TestSource]));
    rig.finish();
    assert!(exposures(&rig).iter().all(|(_, _, exposure)| exposure.is_empty()));
}

#[test]
fn preliminary_calls_count() {
    let mut asking = cell("single");
    asking.technique = crate::repair::cell::Technique::SelfAsk;
    let mut rig = Rig::new(asking, Rules::default(), &[PASSES]);
    rig.until(|effect| matches!(effect, Effect::BuildPrompt { call: Call::Preliminary(1), .. }));
    rig.feed(prompt_with(Call::Preliminary(1), &[Exposure::TestSource]));
    rig.finish();
    assert!(exposures(&rig)[1].2.contains(&Exposure::TestSource));
}
