//! What goes wrong, and where nothing can be answered: told in words, nothing lost.

use super::study::{Plot, Study, book, changes, fingers, question, yes_no};
use crate::rig::{Memory, Options, Rig};
use crate::scripted::{Run, Scripted};
use mendbench::label::phase::Phase;
use mendbench::sandbox::Exit;
use std::sync::atomic::Ordering;

#[test]
fn whoever_has_nothing_to_label_is_told_what_to_do() {
    let study = Study::new(Plot::default());
    for (who, words) in
        [("lea", "lea is the lead"), ("zoe", "zoe is the arbitrator"), ("max", "max has no part")]
    {
        let mut rig = study.labelling(who);
        rig.expect("Nothing to label here")
            .expect(words)
            .expect("mendbench --as")
            .expect("g s shows the rounds");
        fingers(&mut rig, "y n 1 S N * backspace enter");
    }
    let mut rig = Rig::tasks(changes(1), Options::default());
    rig.press("g a").wait(500);
    rig.expect("there are no studies").expect("ctrl-r tries again");
}

#[test]
fn what_is_not_on_disk_stays_on_the_screen_until_it_is() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    study.store.gate.full.store(true, Ordering::Relaxed);
    fingers(&mut rig, "n");
    rig.expect("bug-related = no is NOT saved").expect("no room left on the").expect("item 1 of 4");
    assert!(rig.footer().contains("NOT saved"), "{}", rig.footer());
    fingers(&mut rig, "] J u *");
    rig.expect("item 1 of 4").expect("NOT saved");
    fingers(&mut rig, "q");
    rig.expect("q leaves without it");
    assert!(!rig.quit);
    assert_eq!(rig.app.unsaved().map(|words| words.starts_with("an answer was not saved: ")), Some(true));
    fingers(&mut rig, "enter");
    rig.expect("NOT saved");
    study.store.gate.full.store(false, Ordering::Relaxed);
    fingers(&mut rig, "enter");
    rig.expect("item 2 of 4").expect("1 of 4").expect_not("NOT saved");
    assert_eq!(study.said("anna"), [format!("{} bug-related=no", queue[0])]);
    // Another answer takes its place, and Backspace gives it up.
    study.store.gate.busy.store(true, Ordering::Relaxed);
    fingers(&mut rig, "n");
    rig.expect("another process");
    fingers(&mut rig, "y");
    rig.expect("bug-related = yes is NOT saved");
    fingers(&mut rig, "backspace");
    rig.expect("given up").expect("item 2 of 4").expect_not("NOT saved");
    assert_eq!(rig.app.unsaved(), None);
    study.store.gate.busy.store(false, Ordering::Relaxed);
    fingers(&mut rig, "n");
    rig.expect("item 3 of 4");
}

#[test]
fn marks_that_are_not_on_disk_can_be_tried_again() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    study.store.gate.full.store(true, Ordering::Relaxed);
    fingers(&mut rig, "N");
    rig.kind("hard").wait(200);
    fingers(&mut rig, "enter");
    rig.expect("The mark is NOT saved");
    study.store.gate.full.store(false, Ordering::Relaxed);
    fingers(&mut rig, "enter");
    assert_eq!(study.writer("anna").sheet().marks[&queue[0]].note, "hard");
}

#[test]
fn a_phase_that_ends_meanwhile_is_noticed() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n");
    study.advance(Phase::Discussion);
    fingers(&mut rig, "n");
    // What was given in the belief that labelling goes on is no label of the discussion.
    rig.expect("the phase has ended meanwhile").expect("discussion · item 2 of 4");
    assert_eq!(study.said("anna").len(), 1);
    fingers(&mut rig, "n");
    rig.expect("discussion · item 3 of 4");
    // Own labels can be revised.
    fingers(&mut rig, "[ y");
    rig.expect("2/4");
    study.advance(Phase::Adjudication);
    fingers(&mut rig, "n");
    rig.expect("only what the arbitrator sent back can be");
    rig.expect("adjudication · item");
    study.advance(Phase::Closed);
    fingers(&mut rig, "ctrl-r y");
    rig.expect("closed: nothing changes any more");
    fingers(&mut rig, "I");
    rig.expect("is that of its last item");
    assert_eq!(study.said("anna").len(), 2);
}

#[test]
fn what_the_arbitrator_sent_back_is_looked_at_again() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    for item in &queue {
        study.label("anna", item, "bug-related", "no");
        study.label("ben", item, "bug-related", if *item == queue[2] { "yes" } else { "no" });
    }
    study.advance(Phase::Discussion);
    study.advance(Phase::Adjudication);
    study.studies.desk_of(study.round(), "zoe").send_back(&queue[2], "read the message").unwrap();
    let mut rig = study.labelling("anna");
    rig.expect("item 3 of 4").expect("sent back: read the message").expect("3 of 4");
    fingers(&mut rig, "[ y");
    rig.expect("only what the arbitrator sent back");
    fingers(&mut rig, "] n");
    rig.expect("changed; ] goes on").press("j").expect("4 of 4");
    // The others are none of anna's business.
    rig.expect_not(" ben");
}

#[test]
fn a_complete_item_is_corrected_by_the_keys_of_a_new_one() {
    let both = question("p", "First?", "yes-no", &[("yes", "y", "Yes"), ("no", "n", "No")])
        + &question("q", "Second?", "yes-no", &[("yes", "y", "Yes"), ("no", "n", "No")]);
    let study = Study::new(Plot { codebook: book(&both), ..Plot::default() });
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "n y [ y n");
    rig.expect("changed; ] goes on").expect("item 1 of 4");
    let item = &study.queue(0)[0];
    assert_eq!(study.said("anna"), [format!("{item} p=yes"), format!("{item} q=no")]);
    rig.expect("p: yes").expect("q: no");
}

#[test]
fn a_codebook_that_changes_is_noticed_before_the_answer_counts() {
    let study = Study::new(Plot { codebook: yes_no("Is it old?"), ..Plot::default() });
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "y y");
    rig.expect("Is it old?");
    let mut new = yes_no("Is it new?");
    new.version = 2;
    study.studies.desk_of(study.round(), "lea").change_codebook(&new, "clearer").unwrap();
    fingers(&mut rig, "y");
    rig.expect("was changed to 2-").expect("Is it new?").expect("item 3 of 4");
    assert_eq!(study.said("anna").len(), 2, "what was asked before is not answered after");
    fingers(&mut rig, "J s");
    rig.expect("item 1 of 4").expect("was yes; the codebook changed").expect("stale");
    fingers(&mut rig, "n");
    rig.expect("item 2 of 4");
}

#[test]
fn a_task_that_is_not_here_is_told_and_put_aside() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let tasks = changes(4).into_iter().filter(|task| task.name().to_string() != queue[0]).collect();
    let mut rig = study.rig_on("anna", Memory::new(tasks), Options::default());
    rig.press("g a").wait(500);
    rig.expect("This task is not here").expect("not among the 3 tasks");
    let words = rig.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("`mendbench changes.jsonl --workspace rounds --as anna` opens both"), "{words}");
    fingers(&mut rig, "y");
    rig.expect("S puts it aside").expect("item 1 of 4");
    assert!(study.said("anna").is_empty());
    fingers(&mut rig, "S enter");
    rig.expect("item 2 of 4").expect("total += item");
}

#[test]
fn a_task_that_changed_is_told_and_its_revision_is_kept() {
    let study = Study::new(Plot::default());
    let mut tasks = changes(4);
    for task in &mut tasks {
        task.description.push_str(" Always.");
    }
    let mut rig = study.rig_on("anna", Memory::new(tasks), Options::default());
    rig.press("g a").wait(500);
    rig.expect("This task has changed since the round was made");
    fingers(&mut rig, "n");
    let writer = study.writer("anna");
    let answer = &writer.sheet().answers_now()[0].answer;
    assert_ne!(answer.revision, study.round().items.get(0).unwrap().revision);
}

#[test]
fn a_task_that_cannot_be_read_or_is_not_read_yet_is_not_answered() {
    let study = Study::new(Plot { tasks: changes(1), ..Plot::default() });
    let mut rig = study.rig("anna", Options::default());
    rig.hold = true;
    rig.press("g a").wait(500);
    rig.expect("Reading the item");
    fingers(&mut rig, "n");
    rig.expect("the item is still being read");
    assert!(study.said("anna").is_empty());
    rig.finish(0);
    fingers(&mut rig, "n");
    assert_eq!(study.said("anna").len(), 1);
    let broken = Memory { unreadable: std::collections::HashSet::from([0]), ..Memory::new(changes(1)) };
    let mut rig = study.rig_on("ben", broken, Options::default());
    rig.press("g a").wait(500);
    rig.expect("This task could not be read").expect("checksum");
    fingers(&mut rig, "n");
    assert!(study.said("ben").is_empty());
}

#[test]
fn another_process_as_the_same_person_loses_nothing() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    let mut rig = study.labelling("anna");
    study.label("anna", &queue[1], "bug-related", "yes");
    fingers(&mut rig, "n");
    assert_eq!(study.said("anna").len(), 2);
    fingers(&mut rig, "ctrl-r");
    rig.expect("item 2 of 4").expect("bug-related: yes");
}

#[test]
fn resizing_in_the_middle_of_an_item_changes_nothing() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    fingers(&mut rig, "y");
    for width in [0, 1, 3, 19, 20, 40, 80, 117, 118, 160, 300] {
        for height in [0, 1, 2, 4, 5, 6, 7, 9, 12, 24, 28, 40, 60] {
            rig.resize(width, height);
            for keys in ["E", "down", "L", "L", "H", "T", "D", "N esc", "right", "left", "E"] {
                rig.press(keys).wait(300);
                let _ = rig.text();
            }
        }
    }
    rig.resize(80, 24);
    rig.expect("bug-related: yes").expect("item 1 of 4");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn while_something_is_being_written_keys_are_refused_in_words() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    rig.hold_studies = true;
    fingers(&mut rig, "n");
    assert!(rig.footer().contains("saving"), "{}", rig.footer());
    rig.expect("item 1 of 4");
    for key in ["y", "n", "]", "*", "backspace", "J u"] {
        fingers(&mut rig, key);
        rig.expect("still saving").expect("item 1 of 4");
    }
    // What only shows something works all the same.
    fingers(&mut rig, "I");
    rig.expect("is that of its last item").answer_studies().expect("item 2 of 4");
    assert_eq!(study.said("anna").len(), 1);
    // A held key whose answer is still being written when that shows: it is taken back when it is there.
    rig.press("n").wait(400);
    rig.answer_studies();
    rig.press("n").wait(30).press("n").wait(30).press("n");
    rig.answer_studies();
    rig.expect("a held key answers once").expect("item 3 of 4");
    assert_eq!(study.said("anna").len(), 2);
}

#[test]
fn tests_of_the_item_are_run_where_it_is_labelled() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    let scripted = Scripted::new(|run: &mut Run<'_>| {
        run.out("ok 1 - sums\n");
        Exit::Code(0)
    });
    rig.harness = Some(std::sync::Arc::new(scripted.harness(None)));
    fingers(&mut rig, "O");
    rig.expect("Nothing was run yet");
    fingers(&mut rig, "B");
    rig.expect("buggy").expect("A bug fix");
    fingers(&mut rig, "D n");
    let writer = study.writer("anna");
    assert_eq!(writer.sheet().answers_now()[0].answer.evidence, ["diff", "tests", "log"]);
    // What was run belongs to the item that was left.
    fingers(&mut rig, "O");
    rig.expect("Nothing was run yet");
}

#[test]
fn a_workspace_that_is_busy_for_long_is_told_in_the_footer() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    rig.hold_studies = true;
    fingers(&mut rig, "n");
    assert!(rig.footer().contains("saving…") && !rig.footer().contains("busy"), "{}", rig.footer());
    rig.wait(8_000);
    assert!(rig.footer().contains("saving… 8 s, the workspace is busy"), "{}", rig.footer());
    rig.answer_studies().expect("item 2 of 4").expect_not("busy");
    assert_eq!(study.said("anna").len(), 1);
}

#[test]
fn what_is_told_goes_by_itself_and_what_went_wrong_stays() {
    let study = Study::new(Plot::default());
    let mut rig = study.labelling("anna");
    rig.press("*").wait(4_900).expect("flagged; J f finds it again");
    // The same words once more have their whole time again.
    fingers(&mut rig, "* *");
    rig.wait(5_500).expect("flagged; J f finds it again");
    rig.wait(20_000);
    assert!(rig.footer().contains("saved ") && rig.footer().contains("0 of 4"), "{}", rig.footer());
    let pictures = rig.text();
    rig.wait(60_000);
    assert_eq!(rig.text(), pictures, "nothing else ends");
    // A timer of a message that another one took the place of ends nothing.
    rig.press("*").wait(5_000);
    rig.press("J s").wait(4_000).expect("before the codebook changed");
    study.advance(Phase::Discussion);
    study.advance(Phase::Adjudication);
    fingers(&mut rig, "ctrl-r n");
    rig.wait(3_600_000).expect("only what the arbitrator sent back");
    rig.press("j").expect_not("only what the arbitrator sent back can be answered again");
}
