//! What happens in the very moment in which something is written.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::label::extent::Extent;
use crate::label::status::progress;
use crate::store::NewEvent;
use crate::store::StoreError;
use crate::store::gated::{Gate, Gated};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Deed = Box<dyn FnOnce() + Send>;

/// Does something once, right before an append to a stream whose name begins so, and may be dead from then on.
#[derive(Default)]
struct Between {
    deed: Mutex<Option<(&'static str, Deed)>>,
    /// The process is killed behind the append for which the deed was done.
    dies: AtomicBool,
    dead: AtomicBool,
    /// The process is killed at the append with this number, from 1; 0: at none.
    kill_at: AtomicUsize,
    appends: AtomicUsize,
}

impl Gate for Between {
    fn before(&self, stream: &str, _events: &[NewEvent]) -> Result<(), StoreError> {
        let number = self.appends.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.kill_at.load(Ordering::SeqCst) {
            self.dead.store(true, Ordering::SeqCst);
        }
        if self.dead.load(Ordering::SeqCst) {
            return Err(StoreError::Busy { path: "killed".into() });
        }
        let deed = self.deed.lock().unwrap().take_if(|(prefix, _)| stream.starts_with(*prefix));
        if let Some((_, deed)) = deed {
            deed();
            self.dead.store(self.dies.load(Ordering::SeqCst), Ordering::SeqCst);
        }
        Ok(())
    }
}

fn plan(seed: u64) -> Plan {
    Plan { pairs: Pairs::Rotating, per_item: 2, seed }
}

/// A round of three annotators of whom two label each item: the same store with and without a moment in between.
fn rounds() -> (Arc<Gated<Between>>, Studies, Studies) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(FixedIds::default())));
    let clock = Arc::new(FixedClock::default());
    let plain = Studies::with_clock(store.clone(), clock.clone());
    let annotators = ["anna", "ben", "cem"].map(str::to_owned).into();
    let created = Created { annotators, ..created() };
    let new = NewRound { created, items: testing::items(9), plan: Some(plan(1)), repeats: 0 };
    plain.create(Uuid::now_v7(), new).unwrap();
    let between = Arc::new(Gated { store, gate: Between::default() });
    (between.clone(), plain, Studies::with_clock(between, clock))
}

/// The items of anna, by number.
fn queue(studies: &Studies) -> Vec<usize> {
    let desk = studies.desk(Some("r"), "anna").unwrap();
    desk.round.queue(0).collect()
}

#[test]
fn an_answer_to_an_item_that_was_given_to_others_in_that_moment_does_not_stand() {
    let (between, plain, watched) = rounds();
    let (seed, lost) = taking(&plain, 0);
    let mut desk = plain.desk(Some("r"), "lea").unwrap();
    let mut writer = watched.desk(Some("r"), "anna").unwrap().writer().unwrap();
    *between.gate.deed.lock().unwrap() =
        Some(("label/", Box::new(move || desk.assign(plan(seed), 0).unwrap())));
    let error = writer.set(&entry(lost, "no")).unwrap_err();
    assert!(matches!(error, StudyError::NotYours { .. }), "{error}");
    assert!(!queue(&plain).contains(&lost));
    let sheet = plain.desk(Some("r"), "anna").unwrap().sheet(0).unwrap();
    assert!(sheet.present.is_empty(), "{:?}", sheet.present);
}

#[test]
fn who_answers_while_somebody_assigns_keeps_their_items() {
    let (between, plain, watched) = rounds();
    let before = queue(&plain);
    let mut writer = plain.desk(Some("r"), "anna").unwrap().writer().unwrap();
    let item = before[0];
    let deed = move || drop(writer.set(&entry(item, "no")).unwrap());
    *between.gate.deed.lock().unwrap() = Some(("round/", Box::new(deed)));
    let error = watched.desk(Some("r"), "lea").unwrap().assign(plan(7), 0).unwrap_err();
    assert!(matches!(error, StudyError::LabelsExist), "{error}");
    assert_eq!(queue(&plain), before);
    let sheet = plain.desk(Some("r"), "anna").unwrap().sheet(0).unwrap();
    assert_eq!(sheet.present.len(), 1);
}

/// How anna's labels stand.
fn of_anna(studies: &Studies) -> crate::label::status::Progress {
    let desk = studies.desk(Some("r"), "anna").unwrap();
    progress(&desk.round, 0, &desk.sheet(0).unwrap())
}

/// A seed that takes an item away from anna, and which.
fn taking(studies: &Studies, again: usize) -> (u64, usize) {
    let before = queue(studies);
    let desk = studies.desk(Some("r"), "lea").unwrap();
    let lost = |seed| {
        let new = desk.preview(plan(seed), again).unwrap().0.queues[0].clone();
        Some((seed, *before.iter().find(|item| !new.contains(&(**item as u32)))?))
    };
    (2..100).find_map(lost).unwrap()
}

#[test]
fn an_answer_whose_process_was_killed_before_it_looked_again_is_told() {
    let (between, plain, watched) = rounds();
    let (seed, lost) = taking(&plain, 0);
    let mut desk = plain.desk(Some("r"), "lea").unwrap();
    let mut writer = watched.desk(Some("r"), "anna").unwrap().writer().unwrap();
    *between.gate.deed.lock().unwrap() =
        Some(("label/", Box::new(move || desk.assign(plan(seed), 0).unwrap())));
    between.gate.dies.store(true, Ordering::SeqCst);
    assert!(matches!(writer.set(&entry(lost, "no")), Err(StudyError::Store(_))));
    let progress = of_anna(&plain);
    assert_eq!((progress.aside.not_theirs, progress.done), (1, 0));
    assert_eq!(progress.aside.words().len(), 1);
    // It counts in nothing, and she goes on.
    let mine = queue(&plain)[0];
    plain.desk(Some("r"), "anna").unwrap().writer().unwrap().set(&entry(mine, "no")).unwrap();
    assert_eq!(of_anna(&plain).done, 1);
}

#[test]
fn an_assignment_whose_process_was_killed_before_it_looked_again_is_told() {
    let (between, plain, watched) = rounds();
    let (seed, lost) = taking(&plain, 0);
    let mut writer = plain.desk(Some("r"), "anna").unwrap().writer().unwrap();
    let deed = move || drop(writer.set(&entry(lost, "no")).unwrap());
    *between.gate.deed.lock().unwrap() = Some(("round/", Box::new(deed)));
    between.gate.dies.store(true, Ordering::SeqCst);
    let error = watched.desk(Some("r"), "lea").unwrap().assign(plan(seed), 0).unwrap_err();
    assert!(matches!(error, StudyError::Store(_)), "{error}");
    assert!(!queue(&plain).contains(&lost));
    assert_eq!(of_anna(&plain).aside.not_theirs, 1);
}

#[test]
fn second_servings_of_an_assignment_that_was_taken_back_are_no_part_of_the_round() {
    let (between, plain, watched) = rounds();
    let mut writer = plain.desk(Some("r"), "anna").unwrap().writer().unwrap();
    let item = queue(&plain)[0];
    let deed = move || drop(writer.set(&entry(item, "no")).unwrap());
    *between.gate.deed.lock().unwrap() = Some(("round/", Box::new(deed)));
    let error = watched.desk(Some("r"), "lea").unwrap().assign(plan(7), 3).unwrap_err();
    assert!(matches!(error, StudyError::LabelsExist), "{error}");
    let round = plain.find(Some("r")).unwrap();
    assert_eq!(round.items.list().len(), 12, "what is written down stays written down");
    assert_eq!(Extent::of(&round).to_string(), "9 items");
    let preview = plain.desk(Some("r"), "lea").unwrap().preview(plan(8), 0).unwrap();
    let all = preview.0.queues.iter().flatten().filter_map(|number| preview.1.get(*number as usize));
    assert_eq!(Extent::among(all).second, 0, "nor are they dealt out later");
}

#[test]
fn second_servings_that_are_wanted_again_are_there_once() {
    let (_, plain, _) = rounds();
    let mut lead = plain.desk(Some("r"), "lea").unwrap();
    lead.assign(plan(3), 2).unwrap();
    lead.assign(plan(3), 2).unwrap();
    assert!(lead.round.problems.is_empty(), "{:?}", lead.round.problems);
    assert_eq!(Extent::of(&lead.round).to_string(), "9 items + 2 second servings");
}

#[test]
fn a_withdrawal_that_was_killed_behind_the_streams_of_labels_says_how_it_ends() {
    for finishes in [true, false] {
        let (between, plain, watched) = rounds();
        let mut killed = watched.desk(Some("r"), "lea").unwrap();
        // The streams of three annotators are shut; then comes the round's own event.
        between.gate.kill_at.store(4, Ordering::SeqCst);
        assert!(matches!(killed.withdraw(""), Err(StudyError::Store(_))));
        let round = plain.find(Some("r")).unwrap();
        assert!(round.withdrawn.is_none());
        let progress = of_anna(&plain);
        assert!(progress.shut);
        let mut anna = plain.desk(Some("r"), "anna").unwrap().writer().unwrap();
        let item = queue(&plain)[0];
        let error = anna.set(&entry(item, "no")).unwrap_err().to_string();
        for words in
            ["lea, is withdrawing it", "`mendbench round withdraw r`", "`mendbench round withdraw r --keep`"]
        {
            assert!(error.contains(words), "{error}");
        }
        assert!(matches!(plain.desk(Some("r"), "anna").unwrap().keep(), Err(StudyError::NotYourPart { .. })));
        let mut lead = plain.desk(Some("r"), "lea").unwrap();
        if finishes {
            lead.withdraw("").unwrap();
            assert!(plain.list().unwrap().0.is_empty());
            assert!(matches!(lead.keep(), Err(StudyError::Withdrawn { .. })));
        } else {
            assert_eq!(lead.keep().unwrap(), 3);
            assert_eq!(lead.keep().unwrap(), 0);
            anna.set(&entry(item, "no")).unwrap();
            assert!(!of_anna(&plain).shut);
        }
    }
}

#[test]
fn of_two_rounds_of_one_name_in_one_moment_one_is_made() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(FixedIds::default())));
    let clock = Arc::new(FixedClock::default());
    let plain = Studies::with_clock(store.clone(), clock.clone());
    let between = Arc::new(Gated { store, gate: Between::default() });
    let watched = Studies::with_clock(between.clone(), clock.clone());
    let make = |studies: &Studies, name: &str| {
        let created = Created { name: name.to_owned(), ..created() };
        studies.create(Uuid::now_v7(), NewRound { created, items: testing::items(2), plan: None, repeats: 0 })
    };
    let other = plain.clone();
    let deed = move || {
        let error = make(&other, "R").unwrap_err();
        assert!(matches!(error, StudyError::NameBeingTaken { .. }), "{error}");
        make(&other, "another").unwrap();
    };
    *between.gate.deed.lock().unwrap() = Some(("round/", Box::new(deed)));
    make(&watched, "r").unwrap();
    assert_eq!(plain.list().unwrap().0.len(), 2);
    assert!(
        matches!(make(&plain, "r"), Err(StudyError::NameTaken { .. })),
        "the name is given back, and taken"
    );
    // A process that died over it holds the name for a while only.
    between.gate.kill_at.store(between.gate.appends.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
    assert!(matches!(make(&watched, "late"), Err(StudyError::Store(_))));
    clock.advance(SignedDuration::from_secs(31));
    make(&plain, "late").unwrap();
}
