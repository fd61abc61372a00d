//! The column of labels in the list of tasks: who sees what in it, at which width, and that it costs nothing twice.

use super::study::{Plot, Study, changes, fingers};
use crate::rig::{Options, Rig, styles_of};
use mendbench::label::event::What;
use mendbench::label::phase::Phase;
use mendbench::task::Task;
use mendbench::tui::msg::study::annotate::{Ask, Told};
use mendbench::tui::msg::study::{self};

/// The list at a width at which no preview takes its room.
fn list(study: &Study, who: &str, size: (u16, u16)) -> Rig {
    let mut rig = study.rig(who, Options { preview: false, ..Options::sized(size.0, size.1) });
    rig.press("g t").wait(500);
    rig
}

/// What stands under the heading of the column for an item.
fn said(rig: &Rig, item: &str) -> String {
    let text = rig.text();
    let id = item.split_once('/').unwrap().1;
    let heading = text.lines().find(|line| line.contains(" id ")).unwrap();
    let start = heading.find("labels").unwrap_or_else(|| panic!("no column:\n{text}"));
    let row = text.lines().find(|line| line.contains(&format!(" {id} "))).unwrap();
    row.chars().skip(start).collect::<String>().trim().to_owned()
}

fn marked(study: &Study, who: &str, item: &str) {
    let flag = |item| What::Flagged { item, on: true };
    let note = |item| What::Noted { item, text: format!("{who} says") };
    let skip = |item| What::Skipped { item, on: true, why: String::new() };
    let mut writer = study.writer(who);
    writer.mark(item, &flag).unwrap();
    writer.mark(item, &note).unwrap();
    writer.mark(item, &skip).unwrap();
}

/// A round in which both have said something.
fn plot(tasks: Vec<Task>) -> Study {
    let study = Study::new(Plot { tasks, ..Plot::default() });
    let queue = study.queue(0);
    study.label("anna", &queue[0], "bug-related", "no");
    study.label("anna", &queue[1], "bug-related", "yes");
    study.label("anna", &queue[1], "test-relevant", "no");
    study.label("anna", &queue[1], "root-cause", "A.3");
    study.label("anna", &queue[2], "bug-related", "yes");
    marked(&study, "anna", &queue[2]);
    study.label("ben", &queue[0], "bug-related", "yes");
    study
}

#[test]
fn an_annotator_sees_what_they_said_themselves() {
    let study = plot(changes(4));
    let queue = study.queue(0);
    let rig = list(&study, "anna", (140, 24));
    assert!(rig.shows("labels · pilot"));
    assert_eq!(said(&rig, &queue[0]), "1/1 no");
    assert_eq!(said(&rig, &queue[1]), "3/3 yes · no · A.3");
    assert_eq!(said(&rig, &queue[2]), "1/3 *NS yes");
    assert_eq!(said(&rig, &queue[3]), "0/1");
    let rig = list(&study, "anna", (50, 24));
    assert!(!rig.shows("labels · pilot") && rig.shows("labels"));
    assert_eq!(said(&rig, &queue[2]), "1/3 *NS");
    assert_eq!(said(&rig, &queue[1]), "3/3 yes …");
}

#[test]
fn the_lead_sees_how_many_have_finished_and_later_on_what_they_differ() {
    let study = plot(changes(4));
    let queue = study.queue(0);
    let rig = list(&study, "lea", (140, 24));
    assert_eq!(said(&rig, &queue[0]), "1/2", "ben has not finished it, and what anna said is not told");
    assert_eq!(said(&rig, &queue[1]), "1/2");
    assert_eq!(said(&rig, &queue[3]), "0/2");
    study.advance(Phase::Discussion);
    assert_eq!(said(&list(&study, "lea", (140, 24)), &queue[0]), "1/2 ≠ bug-related");
    assert_eq!(said(&list(&study, "anna", (140, 24)), &queue[0]), "1/1 ≠ no");
    assert_eq!(said(&list(&study, "lea", (50, 24)), &queue[0]), "1/2 ≠ bu…");
}

#[test]
fn who_has_no_part_or_may_see_nothing_has_no_column() {
    let study = plot(changes(4));
    for (who, phase) in [("max", None), ("zoe", None), ("zoe", Some(Phase::Discussion))] {
        phase.into_iter().for_each(|phase| study.advance(phase));
        assert!(!list(&study, who, (140, 24)).shows("labels"), "{who}");
    }
    study.advance(Phase::Adjudication);
    assert!(!list(&study, "zoe", (140, 24)).shows("labels"), "who decides sees A and B without names");
    study.advance(Phase::Closed);
    assert_eq!(said(&list(&study, "zoe", (140, 24)), &study.queue(0)[0]), "≠ bug-related");
    assert!(!list(&study, "max", (140, 24)).shows("labels"), "a closed round is not theirs either");
    let mut none = Rig::tasks(changes(4), Options::default());
    none.press("g t").expect_not("labels");
}

#[test]
fn what_the_partner_said_changes_no_byte_of_the_list() {
    let seen = |ben: &[&str], size| {
        let study = Study::new(Plot::default());
        let queue = study.queue(0);
        study.label("anna", &queue[0], "bug-related", "no");
        for (item, answer) in queue.iter().zip(ben) {
            study.label("ben", item, "bug-related", answer);
            marked(&study, "ben", item);
        }
        let mut rig = list(&study, "anna", size);
        let mut screens = Vec::new();
        for keys in ["g t", "s", "o", "o", "G", "enter", "esc", "g a", "y", "g t"] {
            fingers(&mut rig, keys);
            screens.push(format!("{}{}", rig.text(), styles_of(&rig.buffer())));
        }
        assert!(screens[0].contains("labels"));
        assert_ne!(screens[0], screens[9], "own labels are seen");
        screens
    };
    for size in [(80, 24), (140, 40)] {
        let nothing = seen(&[], size);
        for ben in [&["yes", "no", "yes", "no"][..], &["no"; 4], &["yes"; 2]] {
            assert!(nothing == seen(ben, size));
        }
    }
}

#[test]
fn what_has_not_changed_is_not_told_again() {
    let study = plot(changes(4));
    let mut clerks = study.clerks("anna");
    let mut ask = |round, known| match clerks.answer(study::Ask::Annotate(Ask::Tags { round, known })) {
        study::Told::Annotate(told) => told,
        other => panic!("{other:?}"),
    };
    let Told::Tags(first) = ask(None, false) else { panic!("nothing was told") };
    assert_eq!(first.tags.len(), 4);
    assert!(matches!(ask(None, true), Told::SameTags));
    assert!(matches!(ask(None, false), Told::Tags(_)), "another list wants it again");
    assert!(matches!(ask(Some(study.round), true), Told::Tags(_)), "another round may be meant");
    assert!(matches!(ask(Some(study.round), true), Told::SameTags));
    study.label("anna", &study.queue(0)[3], "bug-related", "no");
    let Told::Tags(new) = ask(Some(study.round), true) else { panic!("what is new was not told") };
    assert_eq!(new.tags[&study.queue(0)[3]].answered, (1, 1));
}

#[test]
fn twenty_thousand_labelled_tasks_are_walked_through_without_a_job() {
    let study = Study::new(Plot { tasks: changes(20_000), ..Plot::default() });
    let last = "made/sum-19999";
    study.label("anna", last, "bug-related", "no");
    let mut rig = list(&study, "anna", (80, 24));
    let jobs = rig.jobs;
    rig.press("G").expect("1/1 no");
    rig.press("g g j j pagedown G");
    assert_eq!(rig.jobs, jobs, "moving asks for nothing");
    rig.expect("1/1 no");
}
