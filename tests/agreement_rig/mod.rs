//! Studies with known labels, made through the store at once, for the screen of agreement.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, missing_docs)]

use mendbench::dataset::labels::{LabelFormat, Mapping, read_labels};
use mendbench::dataset::ratings::read_text;
use mendbench::label::assign::{Pairs, Plan};
use mendbench::label::codebook::{
    Answer, Codebook, Condition, Kind, Question, ReservedKeys, Subject, shipped,
};
use mendbench::label::event::{self, LabelEvent, What};
use mendbench::label::export;
use mendbench::label::fold::Sheet;
use mendbench::label::item::{Answered, Item, Purpose, Stratum};
use mendbench::label::phase::Phase;
use mendbench::label::round::{Created, Round, Sampling};
use mendbench::label::value::{Labels, Value};
use mendbench::store::{Expected, FixedClock, FixedIds, MemoryStore, NewEvent, Store};
use mendbench::study::{NewRound, Studies};
use mendbench::tui::runtime::study::{Bench, Clerks};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// What somebody says about an item.
pub type Said = (String, String, Value);

/// Studies in a store.
pub struct Made {
    pub store: Arc<dyn Store>,
    pub studies: Studies,
    rounds: u64,
}

impl Made {
    /// In memory.
    pub fn new() -> Made {
        Made::on(Arc::new(MemoryStore::new(Arc::new(FixedIds::default()))))
    }

    /// In a store.
    pub fn on(store: Arc<dyn Store>) -> Made {
        let studies = Studies::with_clock(store.clone(), Arc::new(FixedClock::default()));
        Made { store, studies, rounds: 0 }
    }

    /// A round with lea as its lead and zoe as its arbitrator.
    pub fn round(
        &mut self,
        (study, name): (&str, &str),
        codebook: &Codebook,
        annotators: &[&str],
        items: Vec<Item>,
    ) -> Round {
        self.rounds += 1;
        let id = Uuid::from_u64_pair(0x0190_0000_0000_7000 + (self.rounds << 16), 0x8000_0000_0000_0001);
        let created = Created {
            name: name.to_owned(),
            study: study.to_owned(),
            codebook: codebook.clone(),
            annotators: annotators.iter().map(|name| (*name).to_owned()).collect(),
            arbitrator: "zoe".to_owned(),
            lead: "lea".to_owned(),
            sampling: Sampling { seed: 7, ..Sampling::default() },
        };
        let plan = Some(Plan { pairs: Pairs::Fixed, per_item: annotators.len(), seed: 7 });
        self.studies.create(id, NewRound { created, items, plan, repeats: 0 }).unwrap()
    }

    /// Answers of somebody, in the present phase of a round.
    pub fn answer(&self, round: Uuid, who: &str, said: impl IntoIterator<Item = Said>) {
        let stands = self.studies.open(round).unwrap();
        let stream = format!("label/{round}/{who}");
        let mut present: BTreeMap<(String, String), Uuid> = BTreeMap::new();
        let events = self.events(&stream);
        let sheet = Sheet::of(events.clone());
        for ((item, question), given) in &sheet.present {
            present.insert((item.clone(), question.clone()), given.event);
        }
        let first = sheet.next_order();
        let mut new = Vec::new();
        for (order, (item, question, value)) in (first..).zip(said) {
            let cell = (item.clone(), question.clone());
            let answer = event::Answer {
                item,
                revision: "r".to_owned(),
                question,
                value,
                codebook: stands.codebook().stamp(),
                phase: stands.phase,
                replaces: present.get(&cell).copied(),
                back: None,
                confidence: None,
                seconds: Some(20 + (order % 7) as u32),
                evidence: Vec::new(),
            };
            let (kind, data) = LabelEvent::stored(round, order, who, &What::Answered(Arc::new(answer)));
            let at = jiff::Timestamp::from_second(1_700_000_000 + order as i64 * 30).unwrap();
            new.push(NewEvent { kind, at, v: event::VERSION, data });
        }
        for part in new.chunks(2_000) {
            self.store.append(&stream, Expected::Any, part).unwrap();
        }
    }

    fn events(&self, stream: &str) -> Vec<LabelEvent> {
        let mut events = Vec::new();
        let mut from = 1;
        loop {
            let page = self.store.read(stream, from, usize::MAX).unwrap();
            let Some(last) = page.last() else { return events };
            from = last.seq + 1;
            events.extend(page.iter().map(|event| {
                LabelEvent::read(event.id, event.at, event.v, &event.kind, &event.data).unwrap()
            }));
        }
    }

    /// Goes on to the next phase, whatever is missing.
    pub fn advance(&self, round: Uuid) {
        let mut desk = self.studies.desk_of(self.studies.open(round).unwrap(), "lea");
        let next = desk.round.phase.next().unwrap();
        desk.advance(next, true).unwrap();
    }

    pub fn close(&self, round: Uuid) {
        while self.studies.open(round).unwrap().phase != Phase::Closed {
            self.advance(round);
        }
    }

    /// Who answers the workbench's questions, as somebody.
    pub fn clerks(&self, who: &str) -> Clerks {
        let bench = Bench { studies: self.studies.clone(), name: who.to_owned(), samples: Vec::new() };
        Clerks::new(Arc::new(move |_| Ok(bench.clone())))
    }
}

/// An item of a study.
pub fn item(name: String) -> Item {
    Item {
        name,
        revision: "r".to_owned(),
        stratum: Stratum::default(),
        purpose: Purpose::Study,
        seen_in: Vec::new(),
    }
}

pub fn one(item: &str, question: &str, answer: &str) -> Said {
    (item.to_owned(), question.to_owned(), Value::one(answer))
}

pub fn defects4c() -> Codebook {
    shipped("defects4c").unwrap().read(&ReservedKeys::none()).unwrap()
}

/// A number that goes with a text.
pub fn number(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        >> 20
}

const CAUSES: [&str; 5] = ["A.1", "A.3", "B", "C.3", "D.1"];

/// What somebody says about an item who errs in so many of a hundred.
pub fn said(who: &str, item: &str, errs: u64) -> Vec<Said> {
    let luck = number(&format!("{who} {item}"));
    // Somebody who has an item a second time says mostly what they said the first time.
    let first = item.trim_end_matches("~2");
    let luck = if luck.is_multiple_of(8) { luck } else { number(&format!("{who} {first}")) };
    let whole = item;
    let item = first;
    let bug = number(item) % 10 > 3;
    let cause = CAUSES[(number(item) / 10 % 5) as usize];
    let wrong = luck % 100 < errs;
    let bug = if wrong && luck / 100 % 2 == 0 { !bug } else { bug };
    if !bug {
        return vec![one(whole, "bug-related", "no")];
    }
    let cause = if wrong { CAUSES[(luck / 200 % 5) as usize] } else { cause };
    let tests = if (number(item) / 100).is_multiple_of(2) { "yes" } else { "no" };
    vec![
        one(whole, "bug-related", "yes"),
        one(whole, "test-relevant", tests),
        one(whole, "root-cause", cause),
    ]
}

/// Names of items.
pub fn names(round: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("commits/{round}-{number:03}")).collect()
}

/// Items of a round, with some gold ones and some that are served twice.
pub fn items(round: &str, count: usize) -> Vec<Item> {
    let mut all: Vec<Item> = names(round, count).into_iter().map(item).collect();
    for number in 0..count / 12 {
        let name = format!("gold/{round}-{number}");
        let mut answers = Labels::new();
        for (_, question, value) in said("truth", &name, 0) {
            answers.insert(question, value);
        }
        let gold = Purpose::Gold(Answered { answers, why: "known".to_owned() });
        all.push(Item { purpose: gold, ..item(name) });
    }
    for number in 0..count / 10 {
        let first = format!("commits/{round}-{number:03}");
        let again = Purpose::Repeat(first.clone());
        all.push(Item { purpose: again, ..item(format!("{first}~2")) });
    }
    all
}

/// Three rounds of anna and ben that agree better each time; the last stands where it is told.
pub fn three_rounds(count: usize, last: Phase) -> (Made, Vec<Uuid>) {
    let mut made = Made::new();
    let ids = fill(&mut made, count, last);
    (made, ids)
}

/// The same in a store that is there.
pub fn fill(made: &mut Made, count: usize, last: Phase) -> Vec<Uuid> {
    let codebook = defects4c();
    let mut ids = Vec::new();
    for (number, errs) in [(1, 34), (2, 18), (3, 7)] {
        let name = format!("round-{number}");
        let round = made.round(("kernel", &name), &codebook, &["anna", "ben"], items(&name, count));
        for (who, errs) in [("anna", errs), ("ben", errs + 4)] {
            made.answer(round.id, who, labels_of(&round, who, errs));
        }
        let to = if number == 3 { last } else { Phase::Closed };
        while made.studies.open(round.id).unwrap().phase != to {
            made.advance(round.id);
            if made.studies.open(round.id).unwrap().phase == Phase::Discussion {
                // Half of what ben saw otherwise is taken over.
                let anna = labels_of(&round, "anna", errs);
                let some = anna.into_iter().filter(|(item, _, _)| number_of(item).is_multiple_of(2));
                made.answer(round.id, "ben", some);
            }
        }
        ids.push(round.id);
    }
    ids
}

fn number_of(item: &str) -> u64 {
    number(item) / 7
}

/// What somebody says about all items of a round, in the order of serving.
pub fn labels_of(round: &Round, who: &str, errs: u64) -> Vec<Said> {
    let annotator = round.annotators.iter().position(|person| person.key == who).unwrap();
    let names = round.queue(annotator).filter_map(|number| round.items.get(number));
    names.flat_map(|item| said(who, &item.name, errs)).collect()
}

fn scale(id: &str) -> Question {
    let answer = |number: u32| Answer {
        id: number.to_string(),
        key: char::from_digit(number, 10),
        label: number.to_string(),
        ..Answer::default()
    };
    Question {
        id: id.to_owned(),
        text: format!("how sure is it {id}?"),
        kind: Kind::Ordinal,
        answers: (0..=4).map(answer).collect(),
        when: None::<Condition>,
        counts: true,
        required: true,
        renamed_from: Vec::new(),
    }
}

/// The linux-bugs study: a round for each pass. What was answered after discussion is revised there, never blind.
pub fn linux_bugs(made: &mut Made, folder: &Path) -> Vec<Uuid> {
    let files: Vec<(String, Vec<u8>)> = (0..3)
        .flat_map(|round| ["A1", "A2", "A3"].map(|rater| format!("round{round}_{rater}.csv")))
        .map(|name| {
            let path = folder.join(&name);
            (name.clone(), read_text(&name, std::fs::File::open(path).unwrap()).unwrap())
        })
        .collect();
    let read = read_labels(LabelFormat::LinuxBugs, &files, &Mapping::default(), &[]).unwrap();
    let label = read.study.question("label").unwrap();
    let answer = |(place, id): (usize, &String)| Answer {
        id: id.clone(),
        key: "abcdefghi".chars().nth(place),
        label: id.clone(),
        ..Answer::default()
    };
    let label = Question {
        id: "label".to_owned(),
        text: "what is the commit for?".to_owned(),
        kind: Kind::Single,
        answers: label.categories.iter().enumerate().map(answer).collect(),
        ..scale("label")
    };
    let codebook = Codebook {
        id: "linux-bugs".to_owned(),
        title: "Linux bugs".to_owned(),
        version: 1,
        subject: Subject::Task,
        guide: String::new(),
        questions: vec![label, scale("bfc")],
    };
    let mut items: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    let mut by_pass: BTreeMap<u32, BTreeMap<String, Vec<Said>>> = BTreeMap::new();
    for row in &read.study.rows {
        let pass = match row.stage {
            export::Stage::Blind => 0,
            export::Stage::Revised(number) => number,
            export::Stage::Adjudicated => continue,
        };
        let export::Answer::Value(value) = &row.answer else { continue };
        if !["label", "bfc"].contains(&&*row.question) {
            continue;
        }
        let name = format!("linux/{}", row.item.split('@').next().unwrap().rsplit('/').next().unwrap());
        items.insert(name.clone());
        let said = by_pass.entry(pass).or_default().entry(row.annotator.to_string()).or_default();
        said.push((name, row.question.to_string(), value.clone()));
    }
    let mut ids: Vec<Uuid> = Vec::new();
    for (pass, labels) in by_pass {
        let seen = |name: &String| Item { seen_in: ids.clone(), ..item(name.clone()) };
        let items: Vec<Item> = items.iter().map(seen).collect();
        let round =
            made.round(("linux-bugs", &format!("round{pass}")), &codebook, &["A1", "A2", "A3"], items);
        if pass > 0 {
            made.advance(round.id);
        }
        for (who, said) in labels {
            made.answer(round.id, &who, said);
        }
        made.close(round.id);
        ids.push(round.id);
    }
    ids
}

/// Three closed rounds of so many items, every question answered of each, by anna and ben.
pub fn large(made: &mut Made, count: usize) -> Vec<Uuid> {
    let mut codebook = defects4c();
    // The dearest case: every question is asked of every item.
    for question in &mut codebook.questions {
        question.when = None;
    }
    let mut ids = Vec::new();
    for number in 1..=3 {
        let name = format!("round-{number}");
        let items = names(&name, count).into_iter().map(item).collect();
        let round = made.round(("large", &name), &codebook, &["anna", "ben"], items);
        for who in ["anna", "ben"] {
            let all = labels_of(&round, who, 20).into_iter();
            let mut all: Vec<Said> = all.filter(|(_, question, _)| question == "bug-related").collect();
            for item in names(&name, count) {
                let luck = number_of(&format!("{who}{item}")) % 5;
                all.push(one(&item, "test-relevant", if luck < 3 { "yes" } else { "no" }));
                all.push(one(&item, "root-cause", CAUSES[luck as usize]));
            }
            made.answer(round.id, who, all);
        }
        made.close(round.id);
        ids.push(round.id);
    }
    ids
}
