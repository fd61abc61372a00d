//! A workspace in memory with people who look at it, each in a workbench of their own.
#![allow(dead_code)]

use crate::rig::{Memory, Options, Rig, task};
use jiff::SignedDuration;
use mendbench::label::assign::{Pairs, Plan};
use mendbench::label::phase::Phase;
use mendbench::store::{FixedClock, FixedIds, MemoryStore};
use mendbench::study::{Candidate, Choice, Desk, Draft, Entry, Source, Studies};
use mendbench::task::Task;
use mendbench::tui::runtime::study::{Bench, Clerks};
use serde_json::json;
use std::sync::Arc;

/// A workspace.
pub struct World {
    pub studies: Studies,
    pub clock: Arc<FixedClock>,
}

/// Tasks in two languages.
pub fn tasks() -> Vec<Task> {
    let names = ["ring-buffer", "parse-header", "list-median", "queue-drain", "base-digits", "utf8-width"];
    let made = names.into_iter().cycle().take(12).enumerate();
    made.map(|(number, name)| {
        let buggy = format!("def f(items):\n    total = {number}\n    for item in items[1:]:\n        total += item\n    return total\n");
        let mut made = task(&format!("{name}-{number:02}"), &buggy, &buggy.replace("items[1:]", "items"));
        made.title = format!("Off by one in {name}");
        made.language = if number % 3 == 0 { "c" } else { "python" }.to_owned();
        made
    })
    .collect()
}

/// The draft of a round of anna and ben, with zoe and lea.
pub fn draft() -> Draft {
    let codebook = crate::rig::codebooks().into_iter().find(|one| one.id == "defects4c").unwrap();
    Draft {
        name: "round-1".to_owned(),
        study: "defects".to_owned(),
        codebook,
        annotators: vec!["anna".to_owned(), "ben".to_owned()],
        arbitrator: "zoe".to_owned(),
        lead: "lea".to_owned(),
        source: "memory.jsonl".to_owned(),
        filter: String::new(),
        size: "all".parse().unwrap(),
        seed: 7,
        excluding: Vec::new(),
        overlap: None,
        plan: Some(Plan { pairs: Pairs::Rotating, per_item: 2, seed: 7 }),
        repeats: 0,
    }
}

impl World {
    /// Nothing in it.
    pub fn empty() -> World {
        let clock = Arc::new(FixedClock::default());
        let store = MemoryStore::new(Arc::new(FixedIds::default()));
        World { studies: Studies::with_clock(Arc::new(store), clock.clone()), clock }
    }

    /// A round in it.
    pub fn with_round() -> World {
        World::with(draft())
    }

    pub fn with(draft: Draft) -> World {
        let world = World::empty();
        world.make(draft);
        world
    }

    pub fn make(&self, draft: Draft) {
        let tasks = tasks();
        let catalogue = Memory::new(tasks.clone());
        let passing: Vec<Candidate> = (0..)
            .zip(&tasks)
            .map(|(key, task)| Candidate {
                name: task.name().to_string(),
                source: Source::Task(key),
                stratum: mendbench::label::item::Stratum {
                    dataset: "made".to_owned(),
                    language: task.language.clone(),
                    error_type: String::new(),
                },
            })
            .collect();
        let drawn = draft.draw(&self.studies, &passing, &[]).unwrap();
        let items = drawn.chosen.iter().map(|(one, purpose)| {
            let Source::Task(key) = one.source else { panic!("a task") };
            mendbench::catalogue::item_of(&catalogue, key, one.stratum.clone(), purpose.clone()).unwrap()
        });
        let items = items.collect();
        // The order of letters hangs on the id.
        let number = self.studies.list_all().unwrap().0.len() as u64;
        let id = uuid::Uuid::from_u64_pair(0x0190_0000_0000_7000, 0x8000_0000_0000_0000 | number);
        draft.make(&self.studies, id, &drawn, items).unwrap();
    }

    /// The workbench of somebody.
    pub fn seen_by(&self, name: &str, options: Options) -> Rig {
        let mut rig = Rig::tasks(tasks(), options);
        let bench = Bench { studies: self.studies.clone(), name: name.to_owned(), samples: Vec::new() };
        rig.studies = Some(Clerks::new(Arc::new(move |_| Ok(bench.clone()))));
        rig
    }

    pub fn desk(&self, name: &str) -> Desk {
        self.studies.desk(None, name).unwrap()
    }

    /// The names of the items, in the order of the round.
    pub fn items(&self) -> Vec<String> {
        self.desk("lea").round.items.list().iter().map(|item| item.name.clone()).collect()
    }

    pub fn say(&self, who: &str, item: &str, answers: &[(&str, &str)]) {
        let round = self.studies.list().unwrap().0.remove(0);
        let mut writer = self.studies.desk_of(round, who).writer().unwrap();
        for (question, answer) in answers {
            self.clock.advance(SignedDuration::from_secs(20));
            let (item, question, answer) = (item.to_owned(), (*question).to_owned(), json!(answer));
            writer.set(&Entry { item, question, answer, ..Entry::default() }).unwrap();
        }
    }

    /// What somebody says to the item with this number.
    pub fn said(who: &str, number: usize) -> Vec<(&'static str, &'static str)> {
        let yes = |cause| vec![("bug-related", "yes"), ("test-relevant", "yes"), ("root-cause", cause)];
        match (who, number) {
            ("anna", 0 | 1) | ("ben", 2) => vec![("bug-related", "no")],
            ("ben", 3) => yes("C.1"),
            ("anna", 4) => yes("A.2"),
            ("ben", 5) => vec![("bug-related", "yes"), ("test-relevant", "no"), ("root-cause", "A.1")],
            (_, 6..=8) => vec![("bug-related", "no")],
            _ => yes("A.1"),
        }
    }

    /// Everybody labels everything; they differ on items 0 to 5.
    pub fn labelled(self) -> World {
        let items = self.items();
        for who in ["anna", "ben"] {
            let mut writer = self.desk(who).writer().unwrap();
            for (number, item) in items.iter().enumerate() {
                for (question, answer) in World::said(who, number) {
                    self.clock.advance(SignedDuration::from_secs(20));
                    let (item, question) = (item.to_owned(), question.to_owned());
                    writer.set(&Entry { item, question, answer: json!(answer), ..Entry::default() }).unwrap();
                }
            }
        }
        self.note("anna", 0, "only a comment changes");
        self.note("ben", 0, "the comment hides a changed bound");
        self
    }

    pub fn note(&self, who: &str, number: usize, text: &str) {
        let item = self.items()[number].clone();
        let text = text.to_owned();
        let what = |item| mendbench::label::event::What::Noted { item, text: text.clone() };
        self.desk(who).writer().unwrap().mark(&item, &what).unwrap();
    }

    pub fn advanced(self, to: Phase) -> World {
        self.clock.advance(SignedDuration::from_hours(1));
        self.desk("lea").advance(to, false).unwrap();
        self
    }

    pub fn discussing() -> World {
        World::with_round().labelled().advanced(Phase::Discussion)
    }

    pub fn adjudicating() -> World {
        let world = World::discussing();
        let item = world.items()[1].clone();
        world.say("anna", &item, &World::said("ben", 1));
        world.note("anna", 1, "I overlooked the test");
        world.advanced(Phase::Adjudication)
    }

    pub fn decide(&self, item: usize, question: &str, answer: &str, comment: &str) {
        self.clock.advance(SignedDuration::from_secs(90));
        let choice = Choice {
            item: self.items()[item].clone(),
            question: question.to_owned(),
            answer: json!(answer),
            reason: mendbench::label::adjudicate::ReasonCode::Definition,
            comment: comment.to_owned(),
        };
        self.desk("zoe").decide(&choice).unwrap();
    }

    pub fn closed() -> World {
        let world = World::adjudicating();
        world.decide(0, "bug-related", "yes", "the bound decides, not the comment");
        world.decide(0, "test-relevant", "yes", "");
        world.decide(0, "root-cause", "A.1", "");
        world.decide(2, "bug-related", "yes", "");
        world.decide(2, "test-relevant", "yes", "");
        world.decide(2, "root-cause", "A.1", "");
        world.decide(3, "root-cause", "C.1", "");
        world.decide(4, "root-cause", "A.1", "the call is right, its order is not");
        world.decide(5, "test-relevant", "no", "");
        world.advanced(Phase::Closed)
    }
}

/// In a size and theme.
pub fn options(size: (u16, u16), theme: &'static str) -> Options {
    Options { size, theme, preview: false, ..Options::default() }
}

/// The workbench of somebody, at the rounds or where keys lead from there.
pub fn opened(world: &World, name: &str, keys: &str, options: Options) -> Rig {
    let mut rig = world.seen_by(name, options);
    rig.press("g s").press(keys).rest();
    rig
}
