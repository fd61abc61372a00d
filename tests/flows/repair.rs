//! Repairing: from the sheet to the end, watched, steered, left and come back to; and a recorded one.

use crate::rig::{Options, Rig};
use crate::talker::{RIGHT, Say, THOUGHTS, WORDS, WRONG, workbench};
use mendbench::repair::event::What;
use mendbench::runner::Wish;
use mendbench::tui::msg::repair::Steer;

fn wide() -> Options {
    Options::sized(140, 40)
}

fn says(texts: &[&'static str]) -> Vec<Say> {
    texts.iter().map(|text| Say::Text("", text)).collect()
}

/// A repair that is under way: everything up to the first piece of the answer of turn 1.
fn streaming(options: Options) -> (Rig, std::collections::VecDeque<mendbench::tui::msg::Msg>) {
    // Without a preview nobody has seen the reference yet.
    let options = Options { preview: false, ..options };
    let mut rig = workbench(options, &[Say::Text(THOUGHTS, WRONG), Say::Text("", RIGHT)]);
    rig.hold_repairs = true;
    rig.press("r enter");
    let mut messages = rig.repair();
    rig.until_event(&mut messages, |event| event.turn == 1 && matches!(event.what, What::AnswerDelta(_)));
    (rig, messages)
}

#[test]
fn a_task_is_repaired_from_the_sheet() {
    let mut rig = workbench(wide(), &says(&[WRONG, RIGHT]));
    rig.press("r").expect("Repair c-ring-buffer").expect("qwen-coder").expect("iterative:3");
    rig.expect("at most 3").expect("about $").expect("the first prompt, as it is sent").expect("rb_push");
    rig.press("enter");
    rig.expect(" repaired ").expect("6 of 6 passed").expect("turn 2 passes");
    rig.expect("0 buggy")
        .expect("4/6")
        .expect("1 exact")
        .expect("fixed wrap, fill")
        .expect("broke full_rejects");
    rig.expect("fixed full_rejects").expect("qwen-coder · test feedback · iterative:3").expect("turn 2 of 3");
    // The newest change, against the turn before.
    rig.expect("change since turn 1").expect("if (rb->len == rb->cap) return -1;");
    rig.press("d").expect("change since buggy").expect("if (next == rb->tail) return -1;");
}

#[test]
fn an_earlier_turn_shows_its_answer_its_change_and_its_tests() {
    let mut rig = workbench(wide(), &says(&[WRONG, RIGHT]));
    rig.press("r enter left");
    rig.expect("model or harness? the model: the code runs and is wrong, 5 of 6 tests passed");
    rig.expect("I removed the condition").expect("change since buggy");
    rig.expect("✘ full_rejects broke").expect("expected -1, got 0").expect("answer of turn 1");
    rig.press("left").expect("The buggy code. The model answers from turn 1 on.").expect("✘ wrap");
    rig.press("left").expect("this is the first turn");
    rig.press("right right").expect(" repaired ").expect("is the only truth");
}

#[test]
fn words_without_code_are_the_models_and_faults_are_not() {
    let mut rig = workbench(wide(), &says(&[WORDS, WORDS, WORDS]));
    rig.press("r enter").expect(" not repaired ");
    rig.expect("model or harness? the model: it answered in words only, without code");
    let mut rig = workbench(wide(), &[Say::Nothing]);
    rig.press("r enter").expect(" infrastructure ");
    rig.expect("model or harness? the infrastructure: no answer came").expect_not("the model:");
}

#[test]
fn a_stream_is_followed_and_what_it_does_is_said() {
    let (mut rig, mut messages) = streaming(wide());
    rig.expect(" thinking ").expect("One slot is always left free.").expect("turn 1 of 3");
    rig.until(&mut messages, " streaming ").until(&mut messages, "rb->buf[rb->head] = v;");
    rig.expect("tok/s").expect("4 of 6 passed (buggy)").expect("first token");
    rig.until(&mut messages, " testing 3/6 ").expect("so far");
    rig.all(messages).expect(" repaired ");
}

#[test]
fn a_run_is_paused_stepped_steered_and_cancelled() {
    let (mut rig, _) = streaming(wide());
    let ticket = |rig: &Rig| rig.steered.last().unwrap().clone();
    rig.press("space")
        .expect(" pausing: ")
        .expect("pausing: the step under way ends first")
        .expect("space go on");
    rig.press("z").expect(" pausing: ").expect_not("is asked with");
    assert!(matches!(ticket(&rig).1, Steer::Pause));
    rig.press("s");
    assert!(matches!(ticket(&rig).1, Steer::Step));
    rig.press("space");
    assert!(matches!(ticket(&rig).1, Steer::GoOn));
    rig.press("f").kind("count the elements").press("enter");
    rig.expect("your words go to the model when this turn is over");
    let Steer::Wish(_, wish) = ticket(&rig).1 else { panic!("{:?}", rig.steered) };
    assert_eq!(*wish, Wish::GiveFeedback { text: "count the elements".into(), saw_reference: false });
    // The reference is shown for its own key only, and that is remembered.
    rig.expect_not("reference").press("D").expect("you have seen the reference");
    rig.press("f").kind("more").press("enter");
    let Steer::Wish(_, wish) = ticket(&rig).1 else { panic!("{:?}", rig.steered) };
    assert_eq!(*wish, Wish::GiveFeedback { text: "more".into(), saw_reference: true });
    rig.press("f").kind("not this").press("esc");
    assert_eq!(rig.steered.len(), 5, "what is left is not given");
    rig.press("x").expect(" cancelling ");
    assert!(matches!(ticket(&rig).1, Steer::Cancel));
}

#[test]
fn words_that_no_turn_took_up_are_not_dropped_without_a_word() {
    let (mut rig, messages) = streaming(wide());
    rig.press("f").kind("count the elements").press("enter");
    rig.all(messages).expect(" repaired ").expect("it ended before a turn took up your words");
    // Without words nothing is said of them.
    let (mut rig, messages) = streaming(wide());
    rig.all(messages).expect(" repaired ").expect_not("your words");
}

#[test]
fn who_saw_the_reference_in_the_preview_has_seen_it() {
    let mut rig = workbench(wide(), &says(&[WRONG]));
    rig.hold_repairs = true;
    rig.expect("if (rb->len == rb->cap) return -1;").press("r enter");
    let mut messages = rig.repair();
    rig.until_event(&mut messages, |event| event.turn == 1);
    rig.press("f").kind("len").press("enter");
    let Some((_, Steer::Wish(_, wish))) = rig.steered.last() else { panic!("{:?}", rig.steered) };
    assert_eq!(**wish, Wish::GiveFeedback { text: "len".into(), saw_reference: true });
}

#[test]
fn code_is_edited_in_the_editor_and_handed_back() {
    let (mut rig, _) = streaming(wide());
    rig.editor = Some("int fixed;\n".to_owned());
    rig.press("e").expect("your code is tested next");
    assert_eq!(rig.edited[0].name, "ring_buffer.c");
    assert!(rig.edited[0].text.contains("next == rb->tail"), "{}", rig.edited[0].text);
    let Some((_, Steer::Wish(_, wish))) = rig.steered.last() else { panic!("{:?}", rig.steered) };
    let Wish::EditCode { changes, saw_reference: false } = &**wish else { panic!("{wish:?}") };
    let content = changes["src/ring_buffer.c"].as_ref().unwrap();
    assert_eq!(content.bytes(), b"int fixed;\n");
    // Nothing changed is nothing wanted.
    rig.editor = None;
    let before = rig.steered.len();
    rig.press("e");
    assert_eq!(rig.steered.len(), before);
}

#[test]
fn a_run_goes_on_while_one_is_elsewhere() {
    let (mut rig, mut messages) = streaming(Options::default());
    rig.press("esc").expect("it goes on: repair c-ring-buffer: thinking");
    rig.press("j");
    assert!(rig.footer().contains("repair c-ring-buffer: thinking"), "{}", rig.footer());
    rig.until(&mut messages, "c-ring-buffer: testing");
    rig.all(messages);
    assert!(!rig.footer().contains("repair c-ring-buffer:"), "{}", rig.footer());
    rig.press("g r").expect(" repaired ");
    rig.hold_repairs = false;
    rig.press("esc R").expect(" infrastructure ");
}

#[test]
fn the_exact_prompt_and_the_output_are_a_key_away() {
    let mut rig = workbench(wide(), &says(&[WRONG, RIGHT]));
    rig.press("r enter p").expect("The prompt, as it is sent").expect("system").expect("about");
    rig.press("esc left o").expect("output").expect("not ok 5 - full_rejects");
    rig.press("esc").expect("✘ full_rejects").press("esc").expect_not("✘ full_rejects");
}

#[test]
fn a_finished_run_is_opened_from_the_list_and_played() {
    let mut rig = workbench(wide(), &[Say::Text(THOUGHTS, WRONG), Say::Text("", RIGHT)]);
    rig.press("r enter");
    let engines = rig.engines.clone();
    // Another session: nothing is known but what the workspace holds.
    let mut rig = workbench(wide(), &[]);
    rig.engines = engines;
    rig.press("r").expect("< qwen-coder >").press("esc");
    rig.press("g u").expect("1 run").expect("qwen-coder").expect("1/1");
    rig.press("/").kind("repaired").press("enter").expect("nothing passes the filter").press("esc");
    rig.press("enter").expect("samples/c-ring-buffer").expect("passed").expect("exact");
    rig.press("/").kind("failed").press("enter").expect("nothing passes the filter").press("esc");
    rig.press("/").kind("exact passed").press("enter enter");
    rig.expect(" repaired ").expect("fixed wrap, fill").expect("is the only truth");
    rig.press("left").expect("I removed the condition").expect("expected -1, got 0");
    rig.press("P")
        .expect("replay 1×")
        .press("space")
        .expect("replay paused")
        .press("space +")
        .expect("speed 2×");
    for _ in 0..40 {
        rig.rest();
    }
    rig.expect("streaming · replay 2×");
    for _ in 0..600 {
        rig.rest();
    }
    rig.expect(" repaired ").expect_not("replay");
    assert!(rig.copy("y").starts_with("mendbench replay "));
    rig.press("esc").expect("1 trajectory");
}

#[test]
fn the_last_choice_is_repeated_without_asking_in_another_session_too() {
    let mut rig = workbench(wide(), &says(&[WRONG, RIGHT, RIGHT]));
    rig.press("R").expect("nothing was repaired in this workspace yet").expect_not("Repair c-ring-buffer");
    rig.press("r enter").expect("turn 2 passes");
    let engines = rig.engines.clone();
    let mut rig = workbench(wide(), &[]);
    rig.engines = engines;
    rig.press("R").expect(" repaired ").expect("turn 1 passes").expect("qwen-coder · test feedback");
}

#[test]
fn the_command_of_a_trajectory_names_it_where_its_run_has_several() {
    let mut rig = workbench(wide(), &says(&[RIGHT, RIGHT]));
    rig.press("r G l enter").expect("2 here");
    rig.press("g u enter");
    let copied = rig.copy("y");
    assert!(copied.ends_with(" samples/c-ring-buffer --sample 1"), "{copied}");
    let copied = rig.press("j").copy("y");
    assert!(copied.ends_with(" samples/c-ring-buffer --sample 2"), "{copied}");
    rig.press("enter P");
    let copied = rig.copy("y");
    assert!(copied.ends_with(" samples/c-ring-buffer --sample 2"), "{copied}");
}

#[test]
fn nothing_is_started_where_nothing_can_be() {
    let mut rig = Rig::samples(wide());
    rig.press("r").expect("no model is configured").press("enter").expect("Repair c-").press("esc");
    rig.press("g r").expect("nothing was repaired yet").press("g u").expect("The runs could not be read");
    let mut rig = workbench(wide(), &[]);
    rig.engines = None;
    rig.press("r").expect("no engine is configured yet").press("enter").expect("Nothing was started");
}

#[test]
fn a_turn_of_two_digits_stands_apart_from_its_outcome() {
    let mut rig = workbench(wide(), &says(&[WORDS; 10]));
    rig.press("r").expect("iterative:3").press("j j right right").expect("iterative:10");
    rig.press("enter").expect(" not repaired ").expect(" 9  no-code").expect(" 10 no-code");
}
