//! Rounds in memory, over tasks of a rig, in a store that fails when it is told to.

use crate::rig::{Memory, Options, Rig, task};
use mendbench::label::assign::{Pairs, Plan};
use mendbench::label::codebook::{Codebook, ReservedKeys, shipped};
use mendbench::label::item::{Answered, Item, Purpose, Stratum};
use mendbench::label::phase::Phase;
use mendbench::label::round::{Created, Round, Sampling};
use mendbench::label::value::Value;
use mendbench::store::gated::{Gate, Gated};
use mendbench::store::{
    FixedClock, FixedIds, MemoryStore, NewEvent, OpenMode, SqliteStore, Store, StoreError,
};
use mendbench::study::{Entry, NewRound, Studies, Writer};
use mendbench::task::Task;
use mendbench::tui::runtime::study::{Bench, Clerks};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;

/// What can be the matter with a store.
#[derive(Default)]
pub struct Trouble {
    pub full: AtomicBool,
    pub busy: AtomicBool,
}

impl Gate for Trouble {
    fn before(&self, _stream: &str, _events: &[NewEvent]) -> Result<(), StoreError> {
        let path = || "w/.mendbench/workspace.db".into();
        if self.full.load(Ordering::Relaxed) {
            return Err(StoreError::DiskFull { path: path() });
        }
        if self.busy.load(Ordering::Relaxed) {
            return Err(StoreError::Busy { path: path() });
        }
        Ok(())
    }
}

/// A store whose disk can be full, or that somebody else keeps busy.
pub type Fickle = Gated<Trouble>;

fn fickle() -> Fickle {
    Gated { store: Arc::new(MemoryStore::new(Arc::new(FixedIds::default()))), gate: Trouble::default() }
}

/// A round, and where it is kept.
pub struct Study {
    pub store: Arc<Fickle>,
    /// Where events are kept in the end.
    pub backing: Arc<dyn Store>,
    pub stamp: mendbench::label::codebook::Stamp,
    pub studies: Studies,
    pub round: Uuid,
    tasks: Vec<Task>,
}

/// How a round is made.
pub struct Plot {
    pub codebook: Codebook,
    pub tasks: Vec<Task>,
    /// The first so many items are training.
    pub training: usize,
}

impl Default for Plot {
    fn default() -> Plot {
        Plot { codebook: defects4c(), tasks: changes(4), training: 0 }
    }
}

pub fn defects4c() -> Codebook {
    shipped("defects4c").unwrap().read(&ReservedKeys::none()).unwrap()
}

/// The text of a question of a codebook, with its answers: id, key and label of each.
pub fn question(id: &str, text: &str, kind: &str, answers: &[(&str, &str, &str)]) -> String {
    let answer = |(id, key, label): &(&str, &str, &str)| {
        format!("[[question.answer]]\nid = \"{id}\"\nkey = \"{key}\"\nlabel = \"{label}\"\n")
    };
    let answers: String = answers.iter().map(answer).collect();
    format!("[[question]]\nid = \"{id}\"\ntext = \"{text}\"\nkind = \"{kind}\"\n{answers}")
}

/// A codebook of one question that is answered by yes or no.
pub fn yes_no(text: &str) -> Codebook {
    book(&question("q", text, "yes-no", &[("yes", "y", "Yes"), ("no", "n", "No")]))
}

/// A codebook out of the text of a file, checked against the keys that mendbench comes with.
pub fn book(text: &str) -> Codebook {
    let reserved = ReservedKeys::of(&mendbench::keymap::Keymap::new());
    let head = "schema = 1\nid = \"b\"\ntitle = \"B\"\nversion = 1\nsubject = \"task\"\n";
    Codebook::read("b.toml", &format!("{head}{text}"), &reserved).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Small changes, each another one.
pub fn changes(count: usize) -> Vec<Task> {
    let one = |number: usize| {
        let buggy = format!(
            "def f{number}(items):\n    total = 0\n    for item in items:\n        total = item\n    return total\n"
        );
        let reference = buggy.replace("total = item", "total += item");
        let mut task = task(&format!("sum-{number}"), &buggy, &reference);
        task.description = format!("The sum of f{number} is that of its last item.");
        task
    };
    (0..count).map(one).collect()
}

impl Study {
    pub fn new(plot: Plot) -> Study {
        let store = Arc::new(fickle());
        let studies = Studies::with_clock(store.clone(), Arc::new(FixedClock::default()));
        Study::in_store(plot, store.clone(), store, studies)
    }

    /// In a database in this folder.
    pub fn on_disk(plot: Plot, folder: &Path) -> Study {
        let store = SqliteStore::open(&folder.join("workspace.db"), OpenMode::CreateIfMissing).unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        Study::in_store(plot, Arc::new(fickle()), store.clone(), Studies::new(store))
    }

    fn in_store(plot: Plot, store: Arc<Fickle>, backing: Arc<dyn Store>, studies: Studies) -> Study {
        let stamp = plot.codebook.stamp();
        let known = || Answered {
            answers: [("bug-related".to_owned(), Value::one("yes"))].into_iter().collect(),
            why: "A sum that forgets its items is wrong.".to_owned(),
        };
        let item = |(number, task): (usize, &Task)| Item {
            name: task.name().to_string(),
            revision: task.revision().to_string(),
            stratum: Stratum::default(),
            purpose: if number < plot.training { Purpose::Training(known()) } else { Purpose::Study },
            seen_in: Vec::new(),
        };
        let items = plot.tasks.iter().enumerate().map(item).collect();
        let created = Created {
            name: "pilot".to_owned(),
            study: "sums".to_owned(),
            codebook: plot.codebook,
            annotators: vec!["anna".to_owned(), "ben".to_owned()],
            arbitrator: "zoe".to_owned(),
            lead: "lea".to_owned(),
            sampling: Sampling { source: "changes.jsonl".to_owned(), ..Sampling::default() },
        };
        let plan = Some(Plan { pairs: Pairs::Rotating, per_item: 2, seed: 1 });
        let round = Uuid::from_u128(7);
        studies.create(round, NewRound { created, items, plan, repeats: 0 }).unwrap();
        Study { store, backing, stamp, studies, round, tasks: plot.tasks }
    }

    pub fn round(&self) -> Round {
        self.studies.open(self.round).unwrap()
    }

    /// Names of somebody's items, in the order of serving.
    pub fn queue(&self, who: usize) -> Vec<String> {
        let round = self.round();
        round.queue(who).map(|number| round.items.get(number).unwrap().name.clone()).collect()
    }

    pub fn writer(&self, who: &str) -> Writer {
        self.studies.desk_of(self.round(), who).writer().unwrap()
    }

    /// Writes an answer as another process would.
    pub fn label(&self, who: &str, item: &str, question: &str, answer: &str) {
        let entry = Entry {
            item: item.to_owned(),
            question: question.to_owned(),
            answer: json!(answer),
            ..Entry::default()
        };
        self.writer(who).set(&entry).unwrap();
    }

    /// Ends a phase, whatever is missing.
    pub fn advance(&self, to: Phase) {
        self.studies.desk_of(self.round(), "lea").advance(to, true).unwrap();
    }

    /// What is on disk of somebody: `item question=value`, the earliest first.
    pub fn said(&self, who: &str) -> Vec<String> {
        let writer = self.writer(who);
        let answers = writer.sheet().answers_now();
        let words = |answer: &mendbench::label::event::Answer| {
            format!("{} {}={}", answer.item, answer.question, answer.value)
        };
        answers.iter().map(|given| words(&given.answer)).collect()
    }

    pub fn clerks(&self, who: &str) -> Clerks {
        let bench = Bench { studies: self.studies.clone(), name: who.to_owned(), samples: Vec::new() };
        Clerks::new(Arc::new(move |_| Ok(bench.clone())))
    }

    /// The workbench on the tasks of the round.
    pub fn rig(&self, who: &str, options: Options) -> Rig {
        self.rig_on(who, Memory::new(self.tasks.clone()), options)
    }

    /// The workbench on other tasks.
    pub fn rig_on(&self, who: &str, tasks: Memory, options: Options) -> Rig {
        let mut rig = Rig::on(tasks, options);
        rig.studies = Some(self.clerks(who));
        rig
    }

    /// The workbench where somebody labels, all timers run out.
    pub fn labelling(&self, who: &str) -> Rig {
        let mut rig = self.rig(who, Options::default());
        rig.press("g a").wait(500);
        rig
    }
}

/// Keys at the speed of a finger.
pub fn fingers(rig: &mut Rig, keys: &str) {
    for key in keys.split_whitespace() {
        rig.press(key).wait(200);
    }
}
