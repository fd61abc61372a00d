//! Studies in memory: races, phases that were broken off, clocks that go back.
#![allow(clippy::unwrap_used)]

use super::keep::label_stream;
use super::*;
use crate::label::assign::{Pairs, Plan};
use crate::label::codebook::{Codebook, ReservedKeys, shipped};
use crate::label::event::{Deviation, What};
use crate::label::phase::Phase;
use crate::label::round::Created;
use crate::label::testing;
use crate::store::{FixedClock, FixedIds, MemoryStore, Store};
use jiff::SignedDuration;
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

#[path = "race_tests.rs"]
mod races;

struct Rig {
    studies: Studies,
    clock: Arc<FixedClock>,
}

fn codebook() -> Codebook {
    shipped("defects4c").unwrap().read(&ReservedKeys::none()).unwrap()
}

/// Round `r` of study `s`: anna and ben, zoe and lea, with a codebook that comes with mendbench.
fn created() -> Created {
    Created { name: "r".to_owned(), codebook: codebook(), ..testing::created() }
}

/// A round of anna and ben with so many items.
fn rig(items: usize) -> Rig {
    let clock = Arc::new(FixedClock::default());
    let store = MemoryStore::new(Arc::new(FixedIds::default()));
    let studies = Studies::with_clock(Arc::new(store), clock.clone());
    let plan = Some(Plan { pairs: Pairs::Rotating, per_item: 2, seed: 1 });
    let items = testing::items(items);
    studies.create(Uuid::now_v7(), NewRound { created: created(), items, plan, repeats: 0 }).unwrap();
    Rig { studies, clock }
}

fn entry(item: usize, answer: &str) -> Entry {
    Entry {
        item: format!("d/{item}"),
        question: "bug-related".to_owned(),
        answer: json!(answer),
        ..Entry::default()
    }
}

impl Rig {
    fn desk(&self, name: &str) -> Desk {
        self.studies.desk(Some("r"), name).unwrap()
    }

    fn label(&self, name: &str, items: usize) {
        let mut writer = self.desk(name).writer().unwrap();
        for item in 0..items {
            writer.set(&entry(item, "no")).unwrap();
        }
    }
}

#[test]
fn two_writers_of_one_person_see_each_other() {
    let rig = rig(3);
    let mut one = rig.desk("anna").writer().unwrap();
    let mut other = rig.desk("anna").writer().unwrap();
    for turn in 0..6 {
        let writer = if turn % 2 == 0 { &mut one } else { &mut other };
        writer.set(&entry(turn % 3, if turn < 3 { "yes" } else { "no" })).unwrap();
    }
    one.catch_up().unwrap();
    assert_eq!(one.sheet().events().len(), 6);
    assert!(one.sheet().conflicts.is_empty());
    let orders: Vec<u64> = one.sheet().events().iter().map(|event| event.order).collect();
    assert_eq!(orders, [1, 2, 3, 4, 5, 6]);
    assert!(one.sheet().answers_now().iter().all(|given| given.answer.value.to_string() == "no"));
}

#[test]
fn a_clock_that_goes_back_changes_nothing() {
    let rig = rig(1);
    let mut writer = rig.desk("anna").writer().unwrap();
    writer.set(&entry(0, "yes")).unwrap();
    rig.clock.advance(SignedDuration::from_hours(-24));
    writer.set(&entry(0, "no")).unwrap();
    let sheet = rig.desk("anna").sheet(0).unwrap();
    assert_eq!(sheet.value("d/0", "bug-related").unwrap().to_string(), "no");
    assert!(sheet.conflicts.is_empty());
}

#[test]
fn an_answer_after_the_end_of_labelling_is_a_revision_also_of_a_process_that_did_not_know() {
    let rig = rig(2);
    rig.label("anna", 2);
    rig.label("ben", 2);
    let mut late = rig.desk("ben").writer().unwrap();
    rig.desk("lea").advance(Phase::Discussion, false).unwrap();
    let saved = late.set(&entry(0, "yes")).unwrap();
    assert_eq!(saved.phase, Phase::Discussion);
    let sheet = rig.desk("ben").sheet(1).unwrap();
    assert!(sheet.answers(Phase::Labelling).iter().all(|given| given.answer.value.to_string() == "no"));
    assert_eq!(sheet.value("d/0", "bug-related").unwrap().to_string(), "yes");
    assert!(sheet.late().is_empty());
}

#[test]
fn an_end_of_a_phase_that_was_broken_off_is_taken_up_again() {
    let rig = rig(1);
    rig.label("anna", 1);
    rig.label("ben", 1);
    // The lead's process died when anna's labels were frozen and nothing else had happened.
    let desk = rig.desk("lea");
    let sheet = desk.unguarded(0).unwrap();
    let answers = sheet.answers_now().into_iter().map(|given| given.event).collect();
    let what = What::Frozen { phase: Phase::Labelling, answers };
    let event = rig.studies.event(desk.round.id, sheet.next_order(), "lea", &what);
    assert!(rig.studies.append(&label_stream(desk.round.id, "anna"), 1, &[event]).unwrap());
    let error = rig.desk("anna").writer().unwrap().set(&entry(0, "yes")).unwrap_err();
    assert!(matches!(error, StudyError::Frozen { phase: Phase::Labelling, .. }), "{error}");
    // Ben can still answer: it is not over for him.
    rig.desk("ben").writer().unwrap().set(&entry(0, "no")).unwrap();
    let mut lead = rig.desk("lea");
    lead.advance(Phase::Discussion, false).unwrap();
    assert_eq!(lead.round.phase, Phase::Discussion);
    let freezes = |annotator: usize| {
        let sheet = rig.desk("lea").sheet(annotator).unwrap();
        sheet.events().iter().filter(|event| matches!(event.what, What::Frozen { .. })).count()
    };
    assert_eq!((freezes(0), freezes(1)), (1, 1));
}

#[test]
fn what_may_not_be_seen_is_not_read() {
    let rig = rig(1);
    rig.label("ben", 1);
    for name in ["anna", "zoe", "lea", "eve"] {
        let mut desk = rig.desk(name);
        assert!(matches!(desk.sheet(1), Err(StudyError::Hidden { .. })), "{name}");
        let compared = desk.compared(crate::label::compare::Basis::Blind, false);
        assert!(matches!(compared, Err(StudyError::Hidden { .. })), "{name}");
        assert!(desk.told(false).unwrap().sheets[1].is_none(), "{name}");
    }
    let mut lead = rig.desk("lea");
    lead.compared(crate::label::compare::Basis::Blind, true).unwrap();
    assert_eq!(lead.round.deviations[0].deviation, Deviation::LiveAgreement);
    // Once a phase later everybody who takes part sees it, but for who will decide.
    rig.label("anna", 1);
    lead.advance(Phase::Discussion, false).unwrap();
    assert!(rig.desk("anna").sheet(1).is_ok());
    assert!(rig.desk("zoe").sheet(1).is_err());
}

#[test]
fn who_labels_what_changes_only_before_somebody_has_labelled() {
    let rig = rig(4);
    let plan = Plan { pairs: Pairs::Fixed, per_item: 1, seed: 3 };
    let mut lead = rig.desk("lea");
    lead.assign(plan, 1).unwrap();
    assert_eq!(lead.round.items.list().len(), 5, "one is served a second time");
    let loads: Vec<usize> = (0..2).map(|annotator| lead.round.queue(annotator).count()).collect();
    assert_eq!(loads.iter().sum::<usize>(), 5);
    let mine = lead.round.queue(0).next().unwrap();
    let name = lead.round.items.get(mine).unwrap().name.clone();
    let mut writer = rig.desk("anna").writer().unwrap();
    writer.set(&Entry { item: name.clone(), ..entry(0, "no") }).unwrap();
    let error = rig.desk("ben").writer().unwrap().set(&Entry { item: name, ..entry(0, "no") }).unwrap_err();
    assert!(matches!(error, StudyError::NotYours { .. }), "{error}");
    assert!(matches!(lead.assign(plan, 0), Err(StudyError::LabelsExist)));
    assert!(matches!(rig.desk("anna").assign(plan, 0), Err(StudyError::NotYourPart { .. })));
}

#[test]
fn streams_that_are_hidden_from_a_copy_are_those_of_others() {
    let rig = rig(1);
    rig.label("anna", 1);
    rig.label("ben", 1);
    let store: &dyn Store = rig.studies.store.as_ref();
    let hidden = |name: &str| hidden_streams(store, name).unwrap();
    let id = rig.desk("lea").round.id;
    let of = |keys: &[&str]| keys.iter().map(|key| label_stream(id, key)).collect::<Vec<String>>();
    let labels = |name: &str| -> Vec<String> {
        hidden(name).0.into_iter().filter(|stream| stream.starts_with("label/")).collect()
    };
    assert_eq!(labels("anna"), of(&["ben"]));
    assert_eq!(labels("eve"), of(&["anna", "ben"]));
    assert_eq!(labels("zoe"), of(&["anna", "ben"]));
    assert_eq!(hidden("lea").0.len(), 0, "a lead's copy is whole");
    assert_eq!(hidden("anna").1, ["s/r"]);
}

#[test]
fn a_round_without_answers_is_withdrawn_and_counts_nowhere() {
    let rig = rig(2);
    // Marks are no answers.
    let flag = |item| What::Flagged { item, on: true };
    rig.desk("anna").writer().unwrap().mark("d/0", &flag).unwrap();
    let mut late = rig.desk("anna").writer().unwrap();
    let error = rig.desk("zoe").withdraw("").unwrap_err().to_string();
    assert!(error.contains("only its lead withdraws it"), "{error}");
    let id = rig.desk("lea").round.id;
    rig.desk("lea").withdraw(" the wrong items ").unwrap();
    assert!(rig.studies.list().unwrap().0.is_empty());
    assert!(rig.studies.briefs("lea").unwrap().0.is_empty());
    let all = rig.studies.list_all().unwrap().0;
    let withdrawn = all[0].withdrawn.clone().unwrap();
    assert_eq!((withdrawn.actor.as_str(), withdrawn.why.as_str()), ("lea", "the wrong items"));
    for name in [Some("r"), Some("s/r"), Some(&id.to_string()[24..])] {
        let error = rig.studies.find(name).unwrap_err().to_string();
        assert!(error.contains("was withdrawn by lea on") && error.contains("list --all"), "{error}");
    }
    assert!(matches!(rig.studies.find(None), Err(StudyError::NoRounds)));
    assert!(matches!(rig.studies.open_in_force(id), Err(StudyError::Withdrawn { .. })));
    // Also who had it open before writes nothing into it.
    assert!(matches!(late.set(&entry(0, "yes")), Err(StudyError::Withdrawn { .. })));
    assert!(matches!(late.mark("d/1", &flag), Err(StudyError::Withdrawn { .. })));
    let mut desk = rig.studies.desk_of(rig.studies.open(id).unwrap(), "lea");
    let plan = Plan { pairs: Pairs::Rotating, per_item: 2, seed: 2 };
    assert!(matches!(desk.assign(plan, 0), Err(StudyError::Withdrawn { .. })));
    assert!(matches!(desk.rename("ben", "bob"), Err(StudyError::Withdrawn { .. })));
    assert!(matches!(desk.withdraw(""), Err(StudyError::Withdrawn { .. })));
    // The name is free, and the items were in no earlier round.
    let new = NewRound { created: created(), items: testing::items(2), plan: Some(plan), repeats: 0 };
    let second = rig.studies.create(Uuid::now_v7(), new).unwrap();
    assert_eq!(rig.desk("lea").round.id, second.id);
    assert_eq!(rig.studies.of_study("s").unwrap().len(), 1);
}

#[test]
fn a_round_with_answers_is_not_withdrawn_not_even_when_they_were_taken_back() {
    let rig = rig(2);
    let mut writer = rig.desk("ben").writer().unwrap();
    writer.set(&entry(0, "no")).unwrap();
    writer.undo().unwrap();
    let error = rig.desk("lea").withdraw("").unwrap_err();
    assert!(matches!(&error, StudyError::HasAnswers { who, .. } if *who == ["ben"]), "{error}");
    assert!(error.to_string().contains("ben answered in it"), "{error}");
    assert!(rig.studies.find(Some("r")).unwrap().withdrawn.is_none());
    rig.label("ben", 2);
    // What was handed in sealed may hold answers that nobody here can read.
    let sealed = self::rig(2);
    let what = What::SealReceived { annotator: "anna".to_owned(), sha256: "0".repeat(64), replaces: None };
    let id = sealed.desk("lea").round.id;
    sealed.studies.change(id, "lea", &|_| Ok(vec![what.clone()])).unwrap();
    assert!(matches!(sealed.desk("lea").withdraw(""), Err(StudyError::HasAnswers { .. })));
}

#[test]
fn a_withdrawal_that_was_broken_off_holds_answers_until_it_is_done_again() {
    let rig = rig(2);
    let close = |who: usize, on: bool| {
        let desk = rig.desk("lea");
        let stream = desk.stream(who).unwrap();
        let what = What::Withdrawn { on, why: String::new() };
        let event = rig.studies.event(desk.round.id, stream.seq + 1, "lea", &what);
        let name = label_stream(desk.round.id, &desk.key(who));
        assert!(rig.studies.append(&name, stream.seq, &[event]).unwrap());
    };
    // The lead's process died when anna's stream was closed and ben's was not; ben answered.
    close(0, true);
    let error = rig.desk("anna").writer().unwrap().set(&entry(0, "no")).unwrap_err().to_string();
    assert!(error.contains("lea, is withdrawing it"), "{error}");
    rig.label("ben", 1);
    assert!(matches!(rig.desk("lea").withdraw(""), Err(StudyError::HasAnswers { .. })));
    rig.label("anna", 2);
    assert_eq!(rig.desk("anna").sheet(0).unwrap().present.len(), 2, "she goes on");
}

#[test]
fn only_a_lead_withdraws_whatever_a_file_says() {
    let rig = rig(1);
    let id = rig.desk("lea").round.id;
    let what = What::Withdrawn { on: true, why: String::new() };
    let round = rig.studies.change(id, "ben", &|_| Ok(vec![what.clone()])).unwrap();
    assert!(round.withdrawn.is_none());
    assert!(round.problems[0].contains("ben, who does not lead it"), "{:?}", round.problems);
}

#[test]
fn names_are_one_whatever_form_of_unicode_a_keyboard_gave_them() {
    let rig = rig(1);
    let (composed, apart) = ("Jos\u{e9}", "Jose\u{301}");
    let created = Created {
        name: format!("{apart} 1"),
        study: apart.to_owned(),
        annotators: vec![apart.to_owned(), "ben".to_owned()],
        ..created()
    };
    let plan = Some(Plan { pairs: Pairs::Rotating, per_item: 2, seed: 1 });
    let new =
        |created: &Created| NewRound { created: created.clone(), items: testing::items(1), plan, repeats: 0 };
    let round = rig.studies.create(Uuid::now_v7(), new(&created)).unwrap();
    assert_eq!((round.annotators[0].name.as_str(), round.study.as_str()), (composed, composed));
    for name in [composed, apart, "JOSE\u{301}"] {
        let desk = rig.studies.desk(Some(&format!("{composed} 1")), name).unwrap();
        assert_eq!(desk.annotator().unwrap(), 0);
    }
    let again = Created { name: format!("{composed} 1"), study: composed.to_owned(), ..created.clone() };
    let error = rig.studies.create(Uuid::now_v7(), new(&again)).unwrap_err();
    assert!(matches!(error, StudyError::NameTaken { .. }), "{error}");
    let both =
        Created { name: "2".to_owned(), annotators: vec![composed.to_owned(), apart.to_owned()], ..created };
    assert!(matches!(rig.studies.create(Uuid::now_v7(), new(&both)), Err(StudyError::People(_))));
    assert_eq!(rig.studies.of_study(apart).unwrap().len(), 1);
    // One that was stored taken apart, by an earlier version, is known by both forms.
    let stored = Created { annotators: vec![apart.to_owned(), "ben".to_owned()], ..testing::created() };
    let mut log = testing::Log::new();
    log.push("lea", What::RoundCreated(Box::new(stored)));
    let round = crate::label::round::Round::of(log.events).unwrap();
    assert_eq!(round.role(composed), crate::label::visible::Role::Annotator(0));
}

#[test]
fn who_is_called_so_already_is_not_renamed() {
    let rig = rig(1);
    let mut lead = rig.desk("lea");
    let before = lead.round.order;
    let error = lead.rename("ben", "ben").unwrap_err();
    assert!(error.to_string().contains("ben is called so already: nothing was changed"), "{error}");
    assert_eq!(rig.desk("lea").round.order, before);
    lead.rename("ben", "Ben").unwrap();
    assert_eq!(rig.desk("lea").round.annotators[1].name, "Ben");
}
