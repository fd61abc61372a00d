//! Disagreements: discussed, decided, looked back on.

use super::world::{World, opened, options};
use crate::rig::{Options, Rig};
use mendbench::label::phase::Phase;

fn narrow() -> Options {
    options((80, 24), "dark")
}

fn discuss(world: &World, who: &str) -> Rig {
    opened(world, who, "g d", narrow())
}

fn value(world: &World, who: usize, item: usize, question: &str) -> String {
    let sheet = world.desk("lea").sheet(who).unwrap();
    let value = sheet.value(&world.items()[item], question).map(ToString::to_string);
    value.unwrap_or_else(|| "none".to_owned())
}

fn events(world: &World, who: usize) -> usize {
    world.desk("lea").sheet(who).unwrap().events().len()
}

#[test]
fn nothing_is_to_be_seen_before_its_time_and_it_is_said_why() {
    let world = World::with_round().labelled();
    for who in ["anna", "lea", "zoe", "eve"] {
        discuss(&world, who).expect("Labelling is blind");
    }
    let world = world.advanced(Phase::Discussion);
    discuss(&world, "zoe").expect("Who will decide is shown nothing");
    discuss(&world, "eve").expect("You have no part in this round");
}

#[test]
fn disagreements_stand_by_question_and_by_what_stands_against_what() {
    let world = World::discussing();
    let mut rig = discuss(&world, "anna");
    rig.expect("6 disagreements, 6 for you").expect("bug-related: no / yes").expect("root-cause: A.1 / C.1");
    // A count folds and unfolds its cases.
    let rows = rig.text().lines().count();
    rig.press("k enter").expect("▸").press("enter");
    assert_eq!(rig.text().lines().count(), rows);
    // Answers are not given from the list, where no difference is seen.
    let before = events(&world, 0);
    rig.press("j y enter y").expect("made/");
    assert!(events(&world, 0) <= before, "{}", rig.text());
}

#[test]
fn an_answer_is_taken_over_kept_or_changed_and_the_blind_one_stays() {
    let world = World::discussing();
    let mut rig = discuss(&world, "anna");
    rig.press("enter")
        .expect("you")
        .expect("“only a comment changes”")
        .expect("“the comment hides a changed bound”");
    // Choosing is not giving.
    let before = events(&world, 0);
    rig.press("O").expect("your answer: yes").expect("Enter saves it");
    assert_eq!(events(&world, 0), before);
    rig.press("esc").expect_not("your answer:");
    rig.press("O N").kind("; the bound counts").press("enter enter");
    rig.expect("saved: bug-related");
    assert_eq!(value(&world, 0, 0, "bug-related"), "yes");
    // What follows from it is asked next: the same item, the next question.
    rig.expect("test-relevant").expect(&world.items()[0]);
    let sheet = world.desk("lea").sheet(0).unwrap();
    let cell = (world.items()[0].clone(), "bug-related".to_owned());
    assert_eq!(sheet.frozen[&Phase::Labelling][&cell].answer.value.to_string(), "no", "frozen");
    assert_eq!(sheet.marks[&world.items()[0]].note, "only a comment changes; the bound counts");
    rig.press("O enter O enter");
    assert_eq!(value(&world, 0, 0, "root-cause"), "A.1");
    // The next one is kept: that is an answer too, and waits no more.
    rig.press("K").expect("your answer: no").press("enter").expect("kept: bug-related");
    let mut again = discuss(&world, "anna");
    again.expect("you keep yours").expect("4 for you");
    // And undone, by two keys.
    again.press("U").expect("take your last answer or decision back?").press("enter").expect("taken back");
    again.expect("5 to discuss");
}

#[test]
fn a_key_that_is_held_down_gives_nothing() {
    let world = World::discussing();
    let (anna, ben) = (events(&world, 0), events(&world, 1));
    let mut rig = discuss(&world, "anna");
    rig.press("enter");
    for key in ["y", "n", "O", "K", "U", "enter", "1"] {
        rig.press("esc");
        if rig.shows("for you") {
            rig.press("enter");
        }
        for _ in 0..20 {
            rig.press(key);
        }
        rig.press("esc");
        assert_eq!((events(&world, 0), events(&world, 1)), (anna, ben), "{key}");
    }
    rig.paste(&"y\n".repeat(100));
    assert_eq!(events(&world, 0), anna);
    let world = World::adjudicating();
    let decided = |world: &World| world.desk("zoe").decisions().unwrap().present.len();
    let mut rig = discuss(&world, "zoe");
    for key in ["y", "A", "B", "1", "6", "enter", "U"] {
        for _ in 0..4 {
            rig.press("esc");
            if rig.header().contains("rounds") {
                rig.press("g d");
            }
            rig.press("enter").press(key).press(key).press(key);
        }
        rig.press("esc esc");
        if rig.header().contains("rounds") {
            rig.press("g d");
        }
        assert_eq!(decided(&world), 0, "{key}\n{}", rig.text());
    }
}

#[test]
fn the_arbitrator_decides_without_names_and_in_the_order_that_was_drawn() {
    let world = World::adjudicating();
    let mut rig = discuss(&world, "zoe");
    rig.expect("5 disagreements, 5 for you").press("enter");
    let body: Vec<String> = rig.text().lines().skip(1).map(str::to_owned).collect();
    assert!(!body.join("\n").contains("anna") && !body.join("\n").contains("ben"), "{body:?}");
    let open = world.desk("zoe").open_questions().unwrap();
    assert_eq!(open.len(), 5);
    let first = world.desk("zoe").disputes().unwrap().list[0].clone();
    let case = open.iter().find(|one| one.item == first.item && one.question == first.question).unwrap();
    let letters: Vec<_> = first.voices.iter().map(|voice| voice.now.clone()).collect();
    assert_eq!(letters, case.said, "as the command line shows them");
    assert_eq!(first.voices.iter().map(|voice| voice.note.clone()).collect::<Vec<_>>(), case.notes);
    rig.press("y").expect("decision: yes").expect("Why did they differ?");
    // A comment goes with the decision; another reason wants one.
    rig.press("6").expect("another reason wants a comment").kind("the diff is cut").press("enter");
    rig.expect("“the diff is cut”").press("6").expect("decided: bug-related");
    let decisions = world.desk("zoe").decisions().unwrap();
    assert_eq!(decisions.present.len(), 1);
    let decided = decisions.present.values().next().unwrap();
    assert_eq!(decided.decision.comment, "the diff is cut");
    assert_eq!(decided.decision.shown.iter().map(|one| one.value.clone()).collect::<Vec<_>>(), case.said);
    // What follows from the decision comes next; A takes the answer under a letter where there is one.
    rig.expect("test-relevant");
    let voices = world.desk("zoe").disputes().unwrap();
    let follows = voices.list.iter().find(|one| one.question == "test-relevant" && one.item == first.item);
    let place = follows.unwrap().voices.iter().position(|voice| voice.now.is_some()).unwrap();
    rig.press(["A", "B"][place]).expect("decision:").press("2").expect("decided: test-relevant");
    // Undone by two keys, and decided again by the cursor.
    rig.press("U enter").expect("the last decision was taken back");
    assert_eq!(world.desk("zoe").decisions().unwrap().present.len(), 1);
}

#[test]
fn what_is_typed_as_a_comment_decides_nothing() {
    let world = World::adjudicating();
    let mut rig = discuss(&world, "zoe");
    rig.press("enter y 2").expect("decided: bug-related");
    // The next case is in view: what is typed after N is a comment on it, and no answer and no reason.
    rig.press("N").expect("Comment on this case").kind("A1 y2 gu").press("enter");
    rig.expect("“A1 y2 gu”").expect("kept for the decision");
    assert_eq!(world.desk("zoe").decisions().unwrap().present.len(), 1);
    // It stays with its case, and goes with the decision on it.
    rig.press("]").expect_not("“A1 y2 gu”").press("[").expect("“A1 y2 gu”");
    rig.press("= y e s enter").expect("“A1 y2 gu”").press("2").expect("decided:");
    let decisions = world.desk("zoe").decisions().unwrap();
    let comments: Vec<&str> = decisions.present.values().map(|one| one.decision.comment.as_str()).collect();
    assert_eq!(comments.iter().filter(|comment| **comment == "A1 y2 gu").count(), 1, "{comments:?}");
    assert_eq!(comments.len(), 2);
}

#[test]
fn an_item_is_sent_back_and_waits_for_its_annotators() {
    let world = World::adjudicating();
    let mut rig = discuss(&world, "zoe");
    rig.press("enter R").expect("what should they look at again?").press("enter");
    rig.expect("nothing was sent back").press("R").kind("which bound?").press("enter");
    rig.expect("was sent back to its annotators");
    let back = world.desk("anna").to_look_again().unwrap();
    assert_eq!(back, [(world.items()[0].clone(), "which bound?".to_owned())]);
    rig.press("esc").expect("sent back").expect("4 for you");
    let mut anna = discuss(&world, "anna");
    anna.expect("sent back");
    // The other decisions are nothing that annotators see before it is closed.
    world.decide(3, "root-cause", "C.1", "");
    discuss(&world, "anna").expect_not("decides");
}

#[test]
fn afterwards_each_sees_where_they_were_overruled_and_why() {
    let world = World::closed();
    let mut rig = discuss(&world, "anna");
    rig.expect("you were overruled").expect("decided as you said").expect("settled between you");
    rig.press("enter");
    rig.expect("zoe").expect("definition: the definitions were read in different ways");
    rig.expect("“the bound decides, not the comment”").expect("“only a comment changes”");
    rig.press("y").expect("you only look on");
    // Who leads sees all decisions, with names.
    let mut rig = discuss(&world, "lea");
    rig.press("enter").expect("anna").expect("ben");
    let mut rig = discuss(&world, "ben");
    rig.expect("you were overruled");
    let overruled = rig.text().lines().filter(|line| line.contains("you were overruled")).count();
    assert_eq!(overruled, 1);
}

#[test]
fn a_task_that_is_gone_is_told_and_the_decision_is_possible() {
    let world = World::adjudicating();
    let mut rig = Rig::tasks(Vec::new(), narrow());
    let bench = mendbench::tui::runtime::study::Bench {
        studies: world.studies.clone(),
        name: "zoe".to_owned(),
        samples: Vec::new(),
    };
    rig.studies =
        Some(mendbench::tui::runtime::study::Clerks::new(std::sync::Arc::new(move |_| Ok(bench.clone()))));
    rig.press("g d enter").expect("is not among the tasks of memory.jsonl");
    rig.expect("The round was drawn from ");
    rig.press("y 1").expect("decided: bug-related");
}

#[test]
fn what_cannot_be_saved_is_told_and_stays_chosen() {
    let world = World::discussing();
    let mut rig = discuss(&world, "anna");
    rig.press("enter O");
    // The lead ends the discussion meanwhile.
    let mut lead = world.desk("lea");
    lead.advance(Phase::Adjudication, false).unwrap();
    rig.press("enter").expect("not saved:").expect("your answer: yes");
    assert_eq!(value(&world, 0, 0, "bug-related"), "no");
}

#[test]
fn a_terminal_of_another_size_loses_nothing_that_was_chosen() {
    let world = World::discussing();
    let mut rig = discuss(&world, "anna");
    rig.press("enter O N").kind(", 漢字 and العربية").resize(10, 3).resize(140, 40).press("enter");
    rig.expect("your answer: yes").expect("漢字").press("enter").expect("saved: bug-related");
    let sheet = world.desk("lea").sheet(0).unwrap();
    assert_eq!(sheet.marks[&world.items()[0]].note, "only a comment changes, 漢字 and العربية");
}

#[test]
fn very_many_answers_leave_room_for_the_case_and_are_typed() {
    use mendbench::label::codebook::{Answer, Codebook, Kind, Question, Subject};
    let answers = ('a'..='z').chain('0'..='9').filter(|key| !"ghjklq".contains(*key));
    let answer = |key: char| Answer {
        id: format!("answer-{key}"),
        key: Some(key),
        label: format!("a rather long description of {key}"),
        ..Answer::default()
    };
    let question = Question {
        id: "which".to_owned(),
        text: "Which of these?".to_owned(),
        kind: Kind::Single,
        answers: answers.map(answer).collect(),
        when: None,
        counts: true,
        required: true,
        renamed_from: Vec::new(),
    };
    let codebook = Codebook {
        id: "many".to_owned(),
        title: "Many".to_owned(),
        version: 1,
        subject: Subject::Task,
        guide: String::new(),
        questions: vec![question],
    };
    let world = World::with(mendbench::study::Draft { codebook, ..super::world::draft() });
    for (who, last) in [("anna", "answer-a"), ("ben", "answer-z")] {
        for (number, item) in world.items().iter().enumerate() {
            world.say(who, item, &[("which", if number == 0 { last } else { "answer-b" })]);
        }
    }
    let world = world.advanced(Phase::Discussion);
    let mut rig = discuss(&world, "anna");
    rig.press("enter")
        .expect("ben")
        .expect("answer-z")
        .expect("difference")
        .expect("types one of the others");
    rig.press("=").kind("answer-9").press("enter").expect("your answer: answer-9").press("enter");
    assert_eq!(value(&world, 0, 0, "which"), "answer-9");
}

#[test]
fn what_was_sent_back_waits_until_it_is_complete() {
    let world = World::adjudicating();
    let item = world.items()[0].clone();
    world.desk("zoe").send_back(&item, "look at the bound").unwrap();
    let waits = |who: &str| world.desk(who).to_look_again().unwrap().len();
    let decides = || world.desk("zoe").open_questions().unwrap().iter().any(|open| open.item == item);
    // Ben stays with his answer. Anna changes hers, and with that two more questions are asked of her.
    world.say("ben", &item, &World::said("ben", 0));
    assert_eq!((waits("anna"), waits("ben")), (1, 0));
    world.say("anna", &item, &[("bug-related", "yes")]);
    assert_eq!(waits("anna"), 1, "half of an answer is none");
    assert!(!decides());
    let mut rig = opened(&world, "anna", "", options((80, 24), "dark"));
    rig.expect("1 item sent back to you");
    let missing = world.desk("lea").check_advance(Phase::Closed).unwrap_err();
    assert!(format!("{missing:?}").contains("SentBack"), "{missing:?}");
    world.say("anna", &item, &[("test-relevant", "yes")]);
    assert_eq!(waits("anna"), 1);
    world.say("anna", &item, &[("root-cause", "B")]);
    assert_eq!(waits("anna"), 0);
    assert!(decides(), "they still differ on the root cause");
}

/// Round 1 is closed; round 2, on the same tasks, is in this phase.
fn two_rounds(phase: Option<Phase>) -> World {
    let world = World::closed();
    world.make(mendbench::study::Draft { name: "round-2".to_owned(), seed: 8, ..super::world::draft() });
    let Some(phase) = phase else { return world };
    for who in ["anna", "ben"] {
        for (number, item) in world.items().iter().enumerate() {
            world.say(who, item, &World::said(who, number));
        }
    }
    for to in [Phase::Discussion, Phase::Adjudication] {
        if to <= phase {
            world.desk("lea").advance(to, false).unwrap();
        }
    }
    world
}

#[test]
fn a_closed_round_in_hand_gives_way_to_one_that_waits() {
    // Agreement of the closed round is looked at; then there is work in the other.
    let hand = |world: &World, who: &str| {
        let mut rig = opened(world, who, "j", options((80, 24), "dark"));
        rig.rest().press("enter").rest();
        assert!(rig.header().contains("round-1"), "{}", rig.header());
        rig
    };
    let world = two_rounds(None);
    let mut rig = hand(&world, "anna");
    rig.press("g a").rest();
    assert!(rig.header().contains("round-2"), "{}", rig.header());
    let world = two_rounds(Some(Phase::Discussion));
    let mut rig = hand(&world, "ben");
    rig.press("g d").rest();
    assert!(rig.header().contains("round-2"), "{}", rig.header());
    // That one is in hand from then on, and stays where one was in it.
    rig.press("j j").rest();
    let here = rig.text();
    rig.press("g t").rest().press("g d").rest();
    assert_eq!(rig.text(), here);
    rig.press("g k").rest();
    assert!(rig.header().contains("round-2"), "{}", rig.header());
    let world = two_rounds(Some(Phase::Adjudication));
    let mut rig = hand(&world, "zoe");
    rig.press("g d").rest();
    assert!(rig.header().contains("round-2"), "{}", rig.header());
    // What was chosen in the list is what comes, also a closed one; and where nothing waits it stays in hand.
    let mut rig = opened(&world, "zoe", "j", options((80, 24), "dark"));
    rig.rest().press("g d").rest();
    assert!(rig.header().contains("round-1"), "{}", rig.header());
    let world = two_rounds(None);
    let mut rig = hand(&world, "anna");
    rig.press("g d").rest();
    assert!(rig.header().contains("round-1"), "{}", rig.header());
}
