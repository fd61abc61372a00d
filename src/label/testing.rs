//! What tests of rounds have in common, here and in `study`: a small codebook, items, a round, a log.
#![allow(clippy::unwrap_used)]

use super::assign::{Assignment, Pairs};
use super::codebook::{Answer, Codebook, Condition, Kind, Question, Stamp, Subject};
use super::event::{self, LabelEvent, What};
use super::item::{Item, Purpose, Stratum};
use super::phase::Phase;
use super::round::{Created, Sampling};
use super::value::Value;
use jiff::Timestamp;
use uuid::Uuid;

/// A question with these answers.
pub fn question(id: &str, kind: Kind, answers: &[&str], when: Option<(&str, &str)>) -> Question {
    let keys = "abcdefgh";
    let answer = |(place, id): (usize, &&str)| Answer {
        id: (*id).to_owned(),
        key: keys.chars().nth(place),
        label: (*id).to_owned(),
        ..Answer::default()
    };
    Question {
        id: id.to_owned(),
        text: id.to_owned(),
        kind,
        answers: answers.iter().enumerate().map(answer).collect(),
        when: when.map(|(question, answer)| Condition {
            question: question.to_owned(),
            answers: vec![answer.to_owned()],
        }),
        counts: true,
        required: true,
        renamed_from: Vec::new(),
    }
}

/// `bug` yes or no; if yes, `cause` of three.
pub fn codebook() -> Codebook {
    Codebook {
        id: "small".to_owned(),
        title: "Small".to_owned(),
        version: 1,
        subject: Subject::Task,
        guide: String::new(),
        questions: vec![
            question("bug", Kind::YesNo, &["yes", "no"], None),
            question("cause", Kind::Single, &["A", "B", "C"], Some(("bug", "yes"))),
        ],
    }
}

/// A round of anna and ben, with zoe and lea.
pub fn created() -> Created {
    Created {
        name: "r1".to_owned(),
        study: "s".to_owned(),
        codebook: codebook(),
        annotators: vec!["anna".to_owned(), "ben".to_owned()],
        arbitrator: "zoe".to_owned(),
        lead: "lea".to_owned(),
        sampling: Sampling::default(),
    }
}

/// An item that is compared.
pub fn item(name: impl Into<String>) -> Item {
    Item {
        name: name.into(),
        revision: "r".to_owned(),
        stratum: Stratum::default(),
        purpose: Purpose::Study,
        seen_in: Vec::new(),
    }
}

/// So many items that are compared: `d/0`, `d/1`, …
pub fn items(count: usize) -> Vec<Item> {
    (0..count).map(|number| item(format!("d/{number}"))).collect()
}

/// The events of a round in which anna and ben label all of these items.
pub fn round_log(items: Vec<Item>) -> Log {
    let mut log = Log::new();
    let queue: Vec<u32> = (0..u32::try_from(items.len()).unwrap()).collect();
    let queues = vec![queue.clone(), queue];
    log.push("lea", What::RoundCreated(Box::new(created())));
    log.push("lea", What::ItemsAdded(items));
    log.push("lea", What::Assigned(Assignment { pairs: Pairs::Fixed, per_item: 2, seed: 1, queues }));
    log
}

/// An id from a number.
pub fn id(number: u64) -> Uuid {
    Uuid::from_u64_pair(0x0190_0000_0000_7000, 0x8000_0000_0000_0000 | number)
}

/// Events of one stream, as one machine writes them.
#[derive(Debug, Clone)]
pub struct Log {
    pub events: Vec<LabelEvent>,
    /// Number of the next id.
    pub next: u64,
}

impl Log {
    pub fn new() -> Log {
        Log { events: Vec::new(), next: 1 }
    }

    /// Appends an event, with an order above all that is here.
    pub fn push(&mut self, actor: &str, what: What) -> Uuid {
        let order = self.events.iter().map(|event| event.order).max().unwrap_or(0) + 1;
        let id = id(self.next);
        self.next += 1;
        self.events.push(LabelEvent {
            v: event::VERSION,
            id,
            round: Uuid::nil(),
            order,
            at: Timestamp::from_second(i64::try_from(self.next * 10).unwrap()).unwrap(),
            actor: actor.to_owned(),
            what,
        });
        id
    }

    /// Answers a question as the first codebook asks it, knowing what is here.
    pub fn answer(&mut self, item: &str, question: &str, value: &str, phase: Phase) -> Uuid {
        let sheet = super::fold::Sheet::of(self.events.clone());
        let replaces = sheet.present.get(&(item.to_owned(), question.to_owned())).map(|given| given.event);
        self.push("anna", answered(item, question, value, phase, replaces))
    }
}

/// An answer.
pub fn answered(item: &str, question: &str, value: &str, phase: Phase, replaces: Option<Uuid>) -> What {
    let stamp: Stamp = codebook().stamp();
    What::Answered(std::sync::Arc::new(event::Answer {
        item: item.to_owned(),
        revision: "r".to_owned(),
        question: question.to_owned(),
        value: Value::one(value),
        codebook: stamp,
        phase,
        replaces,
        back: None,
        confidence: None,
        seconds: None,
        evidence: Vec::new(),
    }))
}
