//! The study that comes with the sample tasks: it is what the script below makes of them, event by event.
//!
//! Nobody judged these tasks. Two scripted annotators answer from a table, err in ways that are written down here, less
//! in each round, and their names say what they are. `MENDBENCH_UPDATE_STUDY=1 cargo test --test sample_study` makes the
//! file anew.
#![allow(clippy::unwrap_used)]

use jiff::{SignedDuration, Timestamp};
use mendbench::agreement::{PairTable, Value, Weights, cohen_kappa};
use mendbench::catalogue::sample_studies;
use mendbench::dataset::sample_tasks;
use mendbench::label::adjudicate::ReasonCode;
use mendbench::label::assign::{Pairs, Plan};
use mendbench::label::codebook::{ReservedKeys, shipped};
use mendbench::label::compare::{Basis, Part, Scope};
use mendbench::label::event::What;
use mendbench::label::item::{Item, Purpose, Stratum};
use mendbench::label::phase::Phase;
use mendbench::label::round::{Created, Sampling};
use mendbench::label::sample::{Size, draw};
use mendbench::store::bundle::export;
use mendbench::store::{FixedClock, FixedIds, Ids, MemoryStore, Store};
use mendbench::study::{Choice, Entry, NewRound, Studies, Writer, mark_seen};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

const ONE: &str = "scripted-one";
const TWO: &str = "scripted-two";
const ARBITRATOR: &str = "scripted-arbitrator";
const LEAD: &str = "scripted-lead";
const FILE: &str = "sample-tasks/studies/scripted.jsonl";
const SEED: u64 = 11;

/// Type and qualifier.
type Said = (&'static str, &'static str);

/// A task, what is right, who errs, what they say, until which round, and the note of the one who errs.
struct Row(&'static str, Said, Option<(&'static str, Said, usize, &'static str)>);

const TABLE: [Row; 10] = [
    Row("c-content-charset", ("checking", "missing"), None),
    Row(
        "c-ring-buffer",
        ("checking", "incorrect"),
        Some((
            ONE,
            ("algorithm", "incorrect"),
            1,
            "the way of telling a full buffer from an empty one is another",
        )),
    ),
    Row(
        "c-session-pool",
        ("algorithm", "incorrect"),
        Some((
            TWO,
            ("timing", "incorrect"),
            2,
            "the list is walked after its slabs are gone: an order in time?",
        )),
    ),
    Row(
        "c-string-builder",
        ("algorithm", "incorrect"),
        Some((ONE, ("checking", "missing"), 1, "nobody asks whether one doubling is enough")),
    ),
    Row("js-event-emitter", ("checking", "incorrect"), None),
    Row(
        "py-config-layers",
        ("checking", "missing"),
        Some((TWO, ("algorithm", "incorrect"), 3, "the conversion as a whole is wrong, not only unchecked")),
    ),
    Row(
        "py-hourly-totals",
        ("algorithm", "incorrect"),
        Some((TWO, ("timing", "incorrect"), 1, "it is about the clock")),
    ),
    Row(
        "py-page-cursor",
        ("interface", "incorrect"),
        Some((ONE, ("assignment", "incorrect"), 2, "a value of the wrong type is returned")),
    ),
    Row("py-retry-backoff", ("interface", "incorrect"), None),
    Row("rust-busy-slots", ("algorithm", "incorrect"), None),
];

fn row(item: &str) -> &'static Row {
    let id = item.trim_end_matches("~2").rsplit('/').next().unwrap();
    TABLE.iter().find(|row| row.0 == id).unwrap()
}

/// What somebody says about an item in a round, and their note.
fn said(who: &str, item: &str, round: usize) -> (Said, &'static str) {
    match row(item) {
        Row(_, _, Some((errs, wrong, until, note))) if *errs == who && round <= *until => (*wrong, note),
        row => (row.1, ""),
    }
}

/// A study that is being made.
struct Script {
    store: Arc<MemoryStore>,
    clock: Arc<FixedClock>,
    ids: FixedIds,
    studies: Studies,
    items: Vec<Item>,
}

impl Script {
    fn new() -> Script {
        let store = Arc::new(MemoryStore::new(Arc::new(FixedIds::default())));
        let begin: Timestamp = "2026-11-02T09:00:00Z".parse().unwrap();
        let clock = Arc::new(FixedClock::new(begin));
        let studies = Studies::with_clock(store.clone(), clock.clone());
        let item = |task: &mendbench::task::Task| Item {
            name: task.name().to_string(),
            revision: task.revision().as_str().to_owned(),
            stratum: Stratum {
                dataset: task.name().dataset.clone(),
                language: task.language.as_str().to_owned(),
                error_type: task.provenance.error_type.clone().unwrap_or_default(),
            },
            purpose: Purpose::Study,
            seen_in: Vec::new(),
        };
        let items = sample_tasks().tasks.iter().map(item).collect();
        Script { store, clock, ids: FixedIds::starting_at(1 << 40), studies, items }
    }

    fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    fn create(&self, number: usize, size: Size, repeats: usize) {
        let strata: Vec<Stratum> = self.items.iter().map(|item| item.stratum.clone()).collect();
        let drawn = draw(&strata, size, SEED).unwrap();
        let mut items: Vec<Item> = drawn.into_iter().map(|at| self.items[at].clone()).collect();
        let (earlier, _) = self.studies.list().unwrap();
        mark_seen(&mut items, &earlier);
        let created = Created {
            name: format!("round-{number}"),
            study: "scripted".to_owned(),
            codebook: shipped("odc").unwrap().read(&ReservedKeys::none()).unwrap(),
            annotators: vec![ONE.to_owned(), TWO.to_owned()],
            arbitrator: ARBITRATOR.to_owned(),
            lead: LEAD.to_owned(),
            sampling: Sampling {
                source: "sample tasks".to_owned(),
                population: self.items.len(),
                size: size.to_string(),
                seed: SEED,
                ..Sampling::default()
            },
        };
        let plan = Plan { pairs: Pairs::Fixed, per_item: 2, seed: SEED };
        self.studies.create(self.ids.next(), NewRound { created, items, plan: Some(plan), repeats }).unwrap();
    }

    fn writer(&self, who: &str) -> Writer {
        self.studies.desk(None, who).unwrap().writer().unwrap()
    }

    fn label(&self, who: &str, round: usize) {
        let desk = self.studies.desk(None, who).unwrap();
        let mut writer = desk.writer().unwrap();
        let queue: Vec<String> = desk
            .round
            .queue(desk.annotator().unwrap())
            .map(|number| desk.round.items.get(number).unwrap().name.clone())
            .collect();
        for (place, item) in queue.iter().enumerate() {
            let ((kind, qualifier), note) = said(who, item, round);
            // Quicker with time, and slower where something is worth a note.
            let seconds = 75 - 4 * place.min(9) as u32 + if note.is_empty() { 0 } else { 60 };
            for (question, answer, share) in [("type", kind, 2), ("qualifier", qualifier, 3)] {
                self.pass(i64::from(seconds / share));
                let entry = Entry {
                    item: item.clone(),
                    question: question.to_owned(),
                    answer: json!(answer),
                    confidence: Some(if note.is_empty() { 4 } else { 2 }),
                    seconds: Some(seconds / share),
                    evidence: vec!["difference".to_owned(), "message".to_owned()],
                    ..Entry::default()
                };
                writer.set(&entry).unwrap();
            }
            if !note.is_empty() {
                writer.mark(item, &|item| What::Noted { item, text: note.to_owned() }).unwrap();
            }
        }
    }

    fn advance(&self, to: Phase) {
        self.pass(3600);
        self.studies.desk(None, LEAD).unwrap().advance(to, false).unwrap();
    }

    /// In the discussion the one who erred gives in where the script says so: every other item.
    fn discuss(&self, round: usize) {
        for (at, Row(id, right, errs)) in TABLE.iter().enumerate() {
            let Some((who, _, until, _)) = errs else { continue };
            let mut writer = self.writer(who);
            let item = format!("samples/{id}");
            let is_there = writer.desk().round.items.place(&item).is_some();
            if !is_there || round > *until || at % 2 == 0 {
                continue;
            }
            for (question, answer) in [("type", right.0), ("qualifier", right.1)] {
                self.pass(40);
                let (item, question) = (item.clone(), question.to_owned());
                writer.set(&Entry { item, question, answer: json!(answer), ..Entry::default() }).unwrap();
            }
        }
    }

    fn settle(&self) {
        let desk = self.studies.desk(None, ARBITRATOR).unwrap();
        while let Some(open) = desk.open_questions().unwrap().into_iter().next() {
            self.pass(90);
            let right = row(&open.item).1;
            let (answer, comment) = match open.question.as_str() {
                "type" => {
                    (right.0, "what was corrected is named by the changed lines, not by what they led to")
                }
                _ => (right.1, "it goes with the type"),
            };
            let choice = Choice {
                item: open.item,
                question: open.question,
                answer: json!(answer),
                reason: ReasonCode::Definition,
                comment: comment.to_owned(),
            };
            desk.decide(&choice).unwrap();
        }
    }

    fn whole(&self, number: usize, size: Size, repeats: usize) {
        self.create(number, size, repeats);
        self.label(ONE, number);
        self.label(TWO, number);
        self.advance(Phase::Discussion);
        self.discuss(number);
        self.advance(Phase::Adjudication);
        self.settle();
        self.advance(Phase::Closed);
        self.pass(20 * 3600);
    }
}

fn made() -> Script {
    let script = Script::new();
    script.whole(1, Size::FirstHalf, 0);
    script.whole(2, Size::SecondHalf, 0);
    script.whole(3, Size::All, 3);
    script
}

#[test]
fn the_study_that_is_shipped_is_the_one_that_the_script_makes() {
    let script = made();
    let mut bytes = Vec::new();
    export(&*script.store, &mut bytes, &mut |damage| panic!("{damage}")).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("MENDBENCH_UPDATE_STUDY").is_some() {
        std::fs::write(&file, &bytes).unwrap();
        return;
    }
    let shipped = std::fs::read(&file).unwrap();
    assert!(
        shipped == bytes,
        "{FILE} is not what the script makes; MENDBENCH_UPDATE_STUDY=1 cargo test --test sample_study makes it anew"
    );
}

#[test]
fn the_shipped_study_is_whole_and_named_for_what_it_is() {
    let all = sample_studies().unwrap();
    let [(name, store)] = all.as_slice() else { panic!("{} studies", all.len()) };
    assert_eq!(*name, "scripted");
    let studies = Studies::new(store.clone() as Arc<dyn Store>);
    let (rounds, problems) = studies.list().unwrap();
    assert_eq!(problems, Vec::<String>::new());
    let names: Vec<&str> = rounds.iter().map(|round| round.name.as_str()).collect();
    assert_eq!(names, ["round-3", "round-2", "round-1"]);
    let mut kappas = Vec::new();
    for round in rounds.iter().rev() {
        assert_eq!(round.phase, Phase::Closed);
        assert!(round.people().all(|person| person.name.starts_with("scripted-")));
        let mut desk = studies.desk_of(round.clone(), LEAD);
        let compared = desk.compared(Basis::Blind, false).unwrap();
        let of_type = compared
            .iter()
            .find(|one| one.question == "type" && one.scope == Scope::Asked && one.part == Part::Every)
            .unwrap();
        let [one, two] = of_type.cells.as_slice() else { panic!("two annotators") };
        let mut table = PairTable::empty(of_type.categories.len()).unwrap();
        for (one, two) in one.iter().zip(two) {
            let category = |said: &Option<_>| of_type.category(said.as_ref().unwrap()).unwrap();
            table.add(category(one), category(two), 1).unwrap();
        }
        let kappa = cohen_kappa(&table, &Weights::nominal(table.categories()).unwrap()).estimate.value;
        let Value::Defined(kappa) = kappa else { panic!("{kappa:?}") };
        kappas.push(kappa);
        // Everything that was contested is settled.
        assert!(desk.cases().unwrap().iter().all(|case| case.settled.open.is_empty()));
    }
    assert!(kappas.is_sorted(), "{kappas:?}");
}
