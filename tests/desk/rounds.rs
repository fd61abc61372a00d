//! Rounds: listed, made, led through their phases.

use super::world::{World, draft, opened, options};
use crate::rig::{Options, Rig};
use mendbench::label::phase::Phase;

fn wide() -> Options {
    options((140, 40), "dark")
}

fn narrow() -> Options {
    options((80, 24), "dark")
}

/// Empties the field under the cursor and types into it.
fn fill(rig: &mut Rig, text: &str) {
    rig.press("ctrl-u").kind(text).press("tab").rest();
}

#[test]
fn where_there_are_no_rounds_it_is_said_how_one_is_made() {
    let world = World::empty();
    let mut rig = opened(&world, "lea", "", narrow());
    rig.expect("No rounds in this workspace yet")
        .expect("n makes one")
        .expect("On the command line: mendbench");
}

#[test]
fn a_round_is_made_with_a_preview_of_what_its_seed_gives() {
    let world = World::empty();
    let mut rig = opened(&world, "lea", "n", narrow());
    rig.expect("A new round of memory.jsonl").expect("name those who label");
    fill(&mut rig, "pilot");
    fill(&mut rig, "defects");
    rig.press("down");
    fill(&mut rig, "lang:python");
    fill(&mut rig, "5");
    fill(&mut rig, "7");
    rig.press("down");
    fill(&mut rig, "anna, ben, carl");
    fill(&mut rig, "zoe");
    rig.expect("5 items of 8 that pass").expect("python 5 of 8");
    rig.press("ctrl-y");
    assert_eq!(
        rig.copied.pop().unwrap(),
        "mendbench round create pilot memory.jsonl --study defects --codebook defects4c --filter lang:python \
         --sample 5 --seed 7 --annotators 'anna,ben,carl' --arbitrator zoe --pairs rotating --per-item 2 --as lea"
    );
    let shown = rig.text();
    let queues = shown.lines().find(|line| line.contains("to label:")).unwrap().to_owned();
    rig.press("enter").rest();
    rig.expect("defects/pilot").expect("is made: 5 items, assigned");
    let round = world.desk("lea").round;
    assert_eq!(round.items.list().len(), 5);
    for (number, person) in round.annotators.iter().enumerate() {
        let count = round.queue(number).count();
        assert!(queues.contains(&format!("{} {count}", person.name)), "{queues}: {person:?} {count}");
    }
    assert!(round.items.list().iter().all(|item| item.revision.len() == 64), "revisions are read");
    // The next sheet is filled in after it.
    rig.press("n").rest().expect("round-2").expect("anna, ben, carl");
    rig.press("esc").expect_not("A new round of");
}

#[test]
fn what_cannot_be_made_says_why_and_makes_nothing() {
    let world = World::with_round();
    let mut rig = opened(&world, "lea", "n", narrow());
    fill(&mut rig, "round-1");
    rig.expect("has a round `round-1` already");
    rig.press("enter").rest().expect("choose another name").press("up");
    fill(&mut rig, "");
    rig.expect("the round wants a name").press("up");
    fill(&mut rig, "round-2");
    rig.press("down down");
    fill(&mut rig, "lnag:c");
    rig.expect("lnag").press("enter").expect("lnag");
    rig.press("up");
    fill(&mut rig, "");
    fill(&mut rig, "99");
    rig.expect("a sample of 99 cannot be drawn from 12");
    rig.press("enter").rest();
    assert_eq!(world.studies.list().unwrap().0.len(), 1);
}

#[test]
fn a_pasted_text_and_a_held_key_make_nothing() {
    let world = World::with_round();
    let mut rig = opened(&world, "lea", "n", narrow());
    rig.paste("a\nb\nc\n").rest();
    rig.press("a a a a y y y y").rest();
    assert_eq!(world.studies.list().unwrap().0.len(), 1);
    rig.expect("A new round of");
}

#[test]
fn enter_goes_where_the_work_is() {
    let goes = |world: &World, who: &str| opened(world, who, "enter", narrow()).header();
    let world = World::with_round();
    assert!(goes(&world, "lea").contains("rounds"), "to its desk");
    assert!(!goes(&world, "anna").contains("rounds"));
    let world = World::discussing();
    assert!(goes(&world, "anna").contains("discussion"), "{}", goes(&world, "anna"));
    assert!(goes(&world, "zoe").contains("rounds"));
    let world = World::adjudicating();
    assert!(goes(&world, "zoe").contains("adjudication"), "{}", goes(&world, "zoe"));
}

#[test]
fn what_waits_is_told_to_each_as_far_as_they_may_know() {
    let shows = |world: &World, who: &str, words: &str| {
        opened(world, who, "", wide()).expect(words);
    };
    let world = World::with_round();
    shows(&world, "anna", "12 items to label");
    shows(&world, "lea", "2 annotators still label");
    shows(&world, "zoe", "your part comes in adjudication");
    shows(&world, "eve", "you have no part in it");
    let world = world.labelled();
    shows(&world, "anna", "all labelled; its lead ends labelling");
    shows(&world, "lea", "labelling can be ended");
    let world = world.advanced(Phase::Discussion);
    shows(&world, "anna", "6 disagreements to discuss");
    let world = World::adjudicating();
    shows(&world, "zoe", "5 decisions");
    shows(&world, "lea", "5 questions not decided yet");
    shows(&world, "anna", "the arbitrator decides");
    let item = world.items()[3].clone();
    world.desk("zoe").send_back(&item, "which loop?").unwrap();
    shows(&world, "anna", "1 item sent back to you");
    shows(&world, "zoe", "4 decisions");
}

#[test]
fn a_phase_ends_only_when_it_was_said_what_is_missing() {
    let world = World::with_round();
    for (number, item) in world.items().iter().enumerate().skip(2) {
        world.say("anna", item, &World::said("anna", number));
    }
    let mut rig = opened(&world, "lea", "a", narrow());
    rig.expect("End labelling of defects/round-1?").expect("anna: 2 items not labelled");
    rig.expect("ben: 12 items not labelled").expect("F  go on all the same");
    // Yes does nothing while it stands in the way.
    rig.press("y").expect("work is missing");
    assert_eq!(world.desk("lea").round.phase, Phase::Labelling);
    rig.press("n").expect_not("End labelling");
    rig.press("a F").expect("written down as a deviation");
    assert_eq!(rig.copy("Y"), "mendbench round advance defects/round-1 --to discussion --force --as lea");
    rig.press("y").expect("labelling has ended, discussion begins");
    let round = world.desk("lea").round;
    assert_eq!((round.phase, round.deviations.len()), (Phase::Discussion, 1));
    rig.press("d G").expect("Deviations from the protocol").expect("labelling was ended for discussion");
}

#[test]
fn a_whole_round_is_led_through_its_phases() {
    let world = World::with_round().labelled();
    let mut rig = opened(&world, "lea", "a", narrow());
    rig.expect("Nothing is missing.").press("enter").expect("discussion begins");
    rig.press("a y").expect("adjudication begins");
    rig.press("a").expect("zoe:").press("y").expect("work is missing").press("esc");
    assert_eq!(world.desk("lea").round.phase, Phase::Adjudication);
    // Others end nothing.
    let mut other = opened(&world, "zoe", "a", narrow());
    other.expect("only its lead, lea, ends the phases of a round").expect_not("End adjudication");
}

#[test]
fn the_desk_opens_what_is_missing_and_copies_itself() {
    let world = World::with_round();
    let mut rig = opened(&world, "lea", "d", narrow());
    rig.expect("Before discussion can begin").expect("anna  12 items not labelled");
    let item = world.items()[0].clone();
    let task = item.trim_start_matches("made/").to_owned();
    while !rig.here().contains(&item) {
        rig.press("j");
    }
    rig.press("enter");
    assert!(rig.header().contains(&task), "{}", rig.header());
    rig.press("esc").expect("Before discussion can begin");
    assert!(rig.copy("Y").contains("Before discussion can begin"));
    assert_eq!(rig.copy("y"), "mendbench round status defects/round-1 --as lea");
    rig.press("esc");
    // An annotator sees their own part only.
    let mut rig = opened(&world, "anna", "d", options((80, 60), "dark"));
    rig.expect("Your progress").expect("What is left to you").expect_not("Before discussion can begin");
    assert!(!rig.text().contains("ben  "), "{}", rig.text());
}

#[test]
fn the_methods_paragraph_is_read_and_copied() {
    let world = World::discussing();
    let mut rig = opened(&world, "lea", "m", narrow());
    rig.expect("Methods").expect("2 annotators (anna, ben) labelled 12 items");
    let text = rig.copy("y");
    assert!(
        text.contains("Agreement was computed on the labels as they were at the end of the blind phase.")
    );
    rig.press("esc").expect_not("2 annotators (anna, ben) labelled");
}

#[test]
fn several_rounds_are_listed_newest_first_and_keep_the_cursor() {
    let world = World::with_round().labelled();
    world.make(mendbench::study::Draft { name: "round-2".to_owned(), seed: 8, ..draft() });
    let mut rig = opened(&world, "lea", "", narrow());
    assert!(rig.find("round-2") < rig.find("round-1"));
    rig.press("j").rest().press("a").expect("End labelling of defects/round-1?").press("y");
    rig.expect("defects/round-1: labelling has ended");
    rig.press("k d").rest();
    assert!(rig.header().contains("round-2"), "{}", rig.header());
}
