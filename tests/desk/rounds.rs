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
    rig.press("enter")
        .expect("Make this round?")
        .expect("5 items of 8 that pass, drawn")
        .expect_not("Enter makes it");
    assert!(world.studies.list().unwrap().0.is_empty(), "nothing is made before it was read");
    // A key that is held makes nothing.
    rig.press("enter enter enter");
    assert!(world.studies.list().unwrap().0.is_empty());
    rig.expect("pressed too soon: read this").expect_not("Enter makes it");
    rig.rest()
        .expect("pressed too soon")
        .expect("Enter makes it")
        .press("esc")
        .expect_not("Make this round?");
    rig.press("enter").rest().press("enter").rest();
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
fn what_is_typed_takes_the_place_of_a_proposal_and_an_arrow_edits_it() {
    let world = World::with_round();
    let mut rig = opened(&world, "lea", "n", narrow());
    rig.expect("round-2").expect("typing replaces it, End edits it").expect("enter goes on");
    rig.kind("pilot").rest().expect(" name       pilot ").expect_not("typing replaces it");
    rig.press("tab").expect("typing replaces it").press("end").expect_not("typing replaces it");
    rig.kind("-b").rest().expect(" study      defects-b ");
    // The number of items and those who label, as they are filled in after the newest round.
    rig.press("tab tab tab").kind("5").rest().expect(" size       5 ");
    rig.press("up up up down down down").kind("0").rest().expect(" size       50 ");
    rig.press("down down down left").kind("x").rest().expect(" annotators anna, bexn ");
    rig.press("down").paste("max").rest();
    rig.expect(" arbitrator max ");
}

#[test]
fn fields_out_of_sight_are_counted_on_both_sides() {
    let world = World::with_round();
    let mut rig = opened(&world, "lea", "n", narrow());
    rig.expect("training").expect("gold").expect_not("more field");
    rig.resize(80, 20).expect("4 more fields below").expect_not("above");
    rig.press("down down down down down down down down down down down");
    rig.expect("1 more field above, 3 more fields below");
    rig.press("down down down").expect("4 more fields above").expect_not("below");
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

#[test]
fn a_round_that_nobody_has_answered_in_is_withdrawn_after_a_question() {
    let world = World::with_round();
    let mut rig = opened(&world, "anna", "W", narrow());
    rig.expect("only its lead, lea, withdraws a round").expect_not("Withdraw defects");
    let mut rig = opened(&world, "lea", "W", narrow());
    rig.expect("Withdraw defects/round-1?").expect("Nobody has answered anything in it");
    assert_eq!(rig.copy("Y"), "mendbench round withdraw defects/round-1 --as lea");
    rig.press("n").expect_not("Withdraw defects/round-1?");
    assert_eq!(world.studies.list().unwrap().0.len(), 1);
    rig.press("W y").rest().expect("defects/round-1 is withdrawn").expect("No rounds in this workspace yet");
    assert!(world.studies.list().unwrap().0.is_empty());
    // Its name may be used again, and other screens do not show it.
    rig.press("g k").expect_not("round-1");
    world.make(draft());
    // What was answered meanwhile holds it, also where the list does not know of it yet.
    let mut rig = opened(&world, "lea", "W", narrow());
    let item = world.items()[0].clone();
    world.say("ben", &item, &World::said("ben", 0));
    rig.press("y").rest().expect("cannot be withdrawn: ben answered in it");
    rig.press("W").expect("cannot be withdrawn: ben answered").expect_not("Withdraw defects/round-1?");
    // A round that is over has its answers too.
    let world = World::closed();
    let mut rig = opened(&world, "lea", "W", narrow());
    rig.expect("cannot be withdrawn: anna and ben answered").expect_not("Withdraw defects/round-1?");
    let world = World::with_round();
    world.say("ben", &world.items()[0].clone(), &World::said("ben", 0));
    assert!(world.studies.find(Some("round-1")).is_ok());
}

#[test]
fn what_was_made_unassigned_is_assigned_with_a_look_at_what_the_seed_gives() {
    let people = ["anna", "ben", "carl"].map(str::to_owned).to_vec();
    let world = World::with(mendbench::study::Draft { plan: None, annotators: people, ..draft() });
    let mut rig = opened(&world, "anna", "A", narrow());
    rig.expect("only its lead, lea, says who labels what");
    let mut rig = opened(&world, "lea", "", narrow());
    rig.expect("nothing is assigned yet: A assigns it").press("a").expect("A assigns it");
    rig.press("A").expect("Who labels what in defects/round-1").expect("to label: anna 8, ben 8, carl 8");
    // Two do not go into three.
    rig.press("right").rest().expect("3 annotators do not make teams of 2");
    rig.press("enter").expect("do not make teams").press("left tab right").rest();
    rig.expect("to label: anna 12, ben 12, carl 12").press("left tab ctrl-u").kind("3").press("tab ctrl-u");
    rig.kind("x").rest().expect("the seed is a whole number").press("ctrl-u").kind("11").rest();
    rig.expect("to label: anna 11, ben 10, carl 9").press("ctrl-y");
    assert_eq!(
        rig.copied.pop().unwrap(),
        "mendbench round assign defects/round-1 --pairs rotating --per-item 2 --repeat 3 --seed 11 --as lea"
    );
    assert!(world.desk("lea").round.assignment.is_none(), "nothing is written down before Enter");
    let (by_plan, _) = world
        .desk("lea")
        .preview(
            mendbench::label::assign::Plan {
                pairs: mendbench::label::assign::Pairs::Rotating,
                per_item: 2,
                seed: 11,
            },
            3,
        )
        .unwrap();
    rig.press("enter").rest().expect("defects/round-1 is assigned: anna 11, ben 10, carl 9");
    assert_eq!(world.desk("lea").round.assignment, Some(by_plan));
    // As long as nobody has labelled it can be said again.
    rig.press("A").expect("to label: anna").press("esc");
    let item =
        world.desk("anna").round.items.list()[world.desk("anna").round.queue(0).next().unwrap()].clone();
    world.say("anna", &item.name, &[("bug-related", "no")]);
    rig.press("A").rest().expect("labels exist in this round").press("enter").expect("labels exist");
}

#[test]
fn the_sheet_takes_items_to_verify_training_and_gold() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, item: &str, answer: &str| {
        let path = folder.path().join(name);
        let line = serde_json::json!({ "item": item, "answers": { "bug-related": answer } });
        std::fs::write(&path, format!("{line}\n")).unwrap();
        path.display().to_string()
    };
    let names: Vec<String> = super::world::tasks().iter().map(|task| task.name().to_string()).collect();
    let world = World::with(mendbench::study::Draft { size: "4".parse().unwrap(), ..draft() });
    let inside: Vec<String> = world.items();
    let free: Vec<&String> = names.iter().filter(|name| !inside.contains(name)).collect();
    let training = file("training.jsonl", free[0], "no");
    let gold = file("gold.jsonl", free[1], "no");
    let bad = file("bad.jsonl", free[1], "maybe");
    let mut rig = opened(&world, "lea", "n", narrow());
    rig.press("down down down down").press("ctrl-u").kind("3").press("down ctrl-u").kind("5");
    for _ in 0..7 {
        rig.press("down");
    }
    fill(&mut rig, "round-1");
    rig.expect("`round-1` is not ROUND:N").press("up");
    fill(&mut rig, "round-1:2");
    rig.expect("2 items of an earlier round");
    fill(&mut rig, &training);
    rig.expect("1 item for training");
    fill(&mut rig, &bad);
    rig.expect("line 1: `maybe` is no answer");
    rig.press("enter").expect("`maybe` is no answer").press("ctrl-u").kind(&gold).rest();
    rig.expect("1 item with known answers").press("ctrl-y");
    let command = rig.copied.pop().unwrap();
    assert!(
        command.contains(&format!("--overlap round-1:2 --training {training} --gold {gold}")),
        "{command}"
    );
    rig.press("enter").rest().expect("2 items of an earlier round").expect("1 item for training");
    rig.press("enter").rest().expect("is made: 7 items");
    let round = world.studies.find(Some("round-2")).unwrap();
    let of = |word: &str| round.items.list().iter().filter(|item| item.purpose.as_str() == word).count();
    assert_eq!((of("study"), of("training"), of("gold")), (5, 1, 1));
    assert_eq!(round.items.list().iter().filter(|item| !item.seen_in.is_empty()).count(), 2);
    assert_eq!(round.sampling.overlap.map(|(_, count)| count), Some(2));
}

#[test]
fn a_round_is_made_unassigned_and_turns_are_told_of() {
    let world = World::empty();
    let mut rig = opened(&world, "lea", "n", narrow());
    fill(&mut rig, "later");
    fill(&mut rig, "defects");
    // A codebook that asks about turns says in words how such a round is made.
    for _ in 0..8 {
        if rig.text().contains("patch-correctness ") {
            break;
        }
        rig.press("right").rest();
    }
    rig.expect("asks about turns of repair runs").expect("round create --run RUN");
    while !rig.text().contains("defects4c ") {
        rig.press("right").rest();
    }
    rig.press("down down down down down");
    fill(&mut rig, "anna, ben");
    fill(&mut rig, "zoe");
    rig.press("left").rest().expect("later").press("ctrl-y");
    assert!(rig.copied.pop().unwrap().ends_with("--as lea --unassigned"));
    rig.press("enter").expect("who labels what is said later").rest().press("enter").rest();
    rig.expect("is made: 12 items, not assigned yet: A says who labels what");
    assert!(world.desk("lea").round.assignment.is_none());
}
