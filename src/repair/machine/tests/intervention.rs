//! A person steps in.
#![allow(clippy::unwrap_used)]

use super::super::*;
use super::rig::*;
use crate::repair::cell::Section;
use crate::repair::event::{Exposure, Intervened, Intervention, Unknown};
use crate::report::Verdict;
use crate::task::FeedbackKind;

fn is_ask(effect: &Effect) -> bool {
    matches!(effect, Effect::Ask { call: Call::Repair, .. })
}

fn is_excluded_and_marked(rig: &Rig) -> bool {
    rig.machine.trajectory().intervened && rig.machine.trajectory().is_excluded()
}

#[test]
fn an_edited_prompt_is_the_one_that_is_sent() {
    let mut rig = Rig::of("iterative:2", &[FAILS, PASSES]);
    rig.until(is_ask);
    rig.feed(started(Call::Repair, "first", "m"));
    let effects = rig.feed(intervened(Intervention::EditedPrompt, Some("mine")));
    let Effect::Ask { prompt, .. } = &effects[0] else { panic!("{effects:?}") };
    assert_eq!(*prompt, hash("mine"));
    rig.feed(fault(Call::Repair, "first", RequestFault::Aborted));
    assert_eq!(rig.finish(), StopReason::Passed);
    assert!(is_excluded_and_marked(&rig));
    let turns = &rig.machine.trajectory().turns;
    assert_eq!(turns[1].prompt, Some(hash("mine")));
    assert_eq!((turns[0].intervened, turns[1].intervened, turns[2].intervened), (false, true, false));
    // The next turn inherits what a person knew.
    assert!(turns[1].exposure.contains(&Exposure::Human) && turns[2].exposure.contains(&Exposure::Human));
    assert!(!turns[2].exposure.contains(&Exposure::HumanSawReference));
}

#[test]
fn a_persons_code_is_tested_in_place_of_the_answer() {
    for wait in [0, 1, 2, 3, 4] {
        let mut rig = Rig::of("iterative:2", &[PASSES]);
        rig.until(|effect| matches!(effect, Effect::BuildPrompt { turn: 1, .. }));
        for _ in 0..wait {
            rig.step();
        }
        let effects = rig.feed(What::Intervened(Intervened {
            action: Intervention::EditedCode,
            content: Some(hash("mine")),
            model: None,
            by: Some("ana".to_owned()),
            saw_reference: true,
            other: Unknown::new(),
        }));
        let code = Code::Applied { attempt: 1, turn: 1, code: hash("mine") };
        assert_eq!(effects, [Effect::Verify { attempt: 1, turn: 1, code: code.clone() }], "{wait}");
        rig.feed(verified(Verdict::Failed, Some("mine")));
        let effect = rig.until(|effect| matches!(effect, Effect::BuildPrompt { turn: 2, .. }));
        let Effect::BuildPrompt { code: shown, .. } = effect else { panic!("prompt") };
        assert_eq!(shown, code);
        rig.finish();
        assert!(is_excluded_and_marked(&rig));
        assert_eq!(rig.machine.trajectory().turns_taken(), 2);
        assert!(rig.machine.trajectory().turns[2].exposure.contains(&Exposure::HumanSawReference));
    }
}

#[test]
fn messages_that_do_not_hold_a_persons_code_say_so() {
    let mut rig = Rig::of("conversation:1x4", &[FAILS, OTHER, FAILS]);
    rig.until(|effect| matches!(effect, Effect::MakeFeedback { turn: 1, .. }));
    rig.feed(intervened(Intervention::EditedCode, Some("mine")));
    rig.feed(verified(Verdict::Failed, None));
    let restated = |effect: Effect| match effect {
        Effect::BuildPrompt { restate_code, continues, .. } => (restate_code, continues.is_some()),
        other => panic!("{other:?}"),
    };
    let at =
        |turn| move |effect: &Effect| matches!(effect, Effect::BuildPrompt { turn: at, .. } if *at == turn);
    assert_eq!(restated(rig.until(at(2))), (true, true));
    assert_eq!(restated(rig.until(at(3))), (false, true));
}

#[test]
fn given_feedback_takes_the_place_of_what_was_to_be_made() {
    let mut helped = cell("iterative:2");
    helped.feedback = FeedbackKind::LlmSkilled;
    for wait in 0..6 {
        let mut rig = Rig::new(helped.clone(), Rules::default(), &[FAILS, PASSES]);
        rig.until(|effect| matches!(effect, Effect::BuildPrompt { turn: 1, call: Call::Helper, .. }));
        for _ in 0..wait.min(4) {
            rig.step();
        }
        let given = rig.feed(intervened(Intervention::GaveFeedback, Some("look at line 3")));
        let Effect::BuildPrompt { turn, feedback, call, .. } = &given[0] else { panic!("{given:?}") };
        assert_eq!((*turn, *call), (2, Call::Repair));
        assert_eq!(*feedback, Some((hash("look at line 3"), [Exposure::Human].into())));
        assert_eq!(rig.finish(), StopReason::Passed);
        assert!(is_excluded_and_marked(&rig));
        assert!(rig.machine.trajectory().turns[2].exposure.contains(&Exposure::Human));
    }
}

#[test]
fn feedback_for_one_attempt_is_not_told_to_the_next() {
    let mut rig = Rig::of("conversation:2x1", &[FAILS, FAILS]);
    rig.until(is_ask);
    rig.feed(intervened(Intervention::GaveFeedback, Some("only here")));
    let effect = rig.until(|effect| matches!(effect, Effect::BuildPrompt { attempt: 2, .. }));
    let Effect::BuildPrompt { feedback, .. } = effect else { panic!("prompt") };
    assert_eq!(feedback.unwrap().0, hash("feedback 0.0"));
    assert!(!rig.machine.trajectory().turns[2].exposure.contains(&Exposure::Human));
}

#[test]
fn a_switched_model_is_asked_from_then_on_and_the_helper_stays() {
    let mut helped = cell("iterative:2");
    helped.feedback = FeedbackKind::Mixed;
    let mut rig = Rig::new(helped, Rules::default(), &[FAILS, PASSES]);
    rig.until(is_ask);
    let effects = rig.feed(intervened(Intervention::SwitchedModel, None));
    assert!(matches!(&effects[0], Effect::Ask { model, .. } if model == "other"));
    let effect = rig.until(|effect| matches!(effect, Effect::Ask { call: Call::Helper, .. }));
    assert!(matches!(effect, Effect::Ask { model, .. } if model == "h"));
    assert_eq!(rig.feed(intervened(Intervention::SwitchedModel, None)), []);
    assert_eq!(rig.finish(), StopReason::Passed);
    assert_eq!(rig.machine.model(), "other");
    let turns = &rig.machine.trajectory().turns;
    assert_eq!(turns[2].requests[0].model, "other");
    // Another model is no knowledge.
    assert!(!turns[2].exposure.contains(&Exposure::Human));
}

#[test]
fn what_would_be_without_effect_is_refused() {
    let mut rig = Rig::of("iterative:2", &[FAILS, PASSES]);
    for (action, word) in [
        (Intervention::EditedPrompt, "until its answer is there"),
        (Intervention::EditedCode, "the task's"),
        (Intervention::GaveFeedback, "from when the code was tested"),
    ] {
        let message = rig.refuse(intervened(action, Some("x")));
        assert!(message.contains(word), "{message}");
        let message = rig.refuse(intervened(action, None));
        assert!(!message.is_empty());
    }
    let mut nameless = intervened(Intervention::SwitchedModel, None);
    if let What::Intervened(data) = &mut nameless {
        data.model = Some(" ".to_owned());
    }
    assert!(rig.refuse(nameless).contains("new model is missing"));
    rig.until(|effect| matches!(effect, Effect::Stop { .. }));
    for action in Intervention::ALL {
        assert!(rig.refuse(intervened(action, Some("x"))).contains("found its end"));
    }
    let mut untold = cell("iterative:2");
    untold.without.insert(Section::Feedback);
    let mut rig = Rig::new(untold, Rules::default(), &[]);
    rig.until(is_ask);
    assert!(rig.refuse(intervened(Intervention::GaveFeedback, Some("x"))).contains("hold no feedback"));
    assert!(!rig.machine.trajectory().intervened);
}
