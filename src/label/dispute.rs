//! What annotators differ on, question by question, and what became of it.
//!
//! Promises: pure; a dispute is a question of an item on which its annotators differed when labelling ended or differ
//! now; what was said blind, what is said now, and the record of every change stand side by side; a question that
//! follows from another disputed one is no dispute of its own before that is settled. Leaves to others: who may see it
//! (`visible`, `study`), what the arbitrator is shown (`adjudicate`).

use super::adjudicate::{Decided, Decisions, settle};
use super::event::{LabelEvent, What, undone};
use super::fold::{Cell, Given, Sheet};
use super::phase::Phase;
use super::reading::Reading;
use super::round::Round;
use super::status::all_cases;
use super::value::{Labels, Value};
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// What one annotator says to a question of an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Voice {
    /// Number of the annotator; none: shown under a letter, without a name.
    pub who: Option<usize>,
    /// When labelling ended; none: no answer, or not asked.
    pub blind: Option<Value>,
    /// Now.
    pub now: Option<Value>,
    /// The note on the item.
    pub note: String,
}

/// Where a dispute stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// The annotators differ.
    Open,
    /// They say the same by now, or the question is not asked any more.
    Agreed,
    /// It was sent back to them.
    SentBack,
    /// The arbitrator decided.
    Decided(Box<Decided>),
}

/// A line of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// When.
    pub at: Timestamp,
    /// Number of the annotator; none: the arbitrator.
    pub who: Option<usize>,
    /// What.
    pub what: Happened,
}

/// What happened in a dispute.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// Another answer, or the same again, behind the blind one.
    Answered {
        /// What held before; none: nothing.
        before: Option<Value>,
        /// What holds since.
        value: Value,
    },
    /// A note on the item, written after labelling had ended.
    Noted(String),
    /// The item was sent back, and why.
    SentBack(String),
    /// It was decided.
    Decided(Box<Decided>),
}

/// A question of an item on which annotators differ, or differed when labelling ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispute {
    /// Number of the item.
    pub number: usize,
    /// Its name.
    pub item: String,
    /// The question.
    pub question: String,
    /// What each annotator of the item says.
    pub voices: Vec<Voice>,
    /// Where it stands.
    pub standing: Standing,
    /// What holds already for the item.
    pub settled: Labels,
    /// What happened since labelling ended, the earliest first.
    pub record: Vec<Remark>,
}

impl Dispute {
    /// What this annotator says.
    pub fn voice(&self, annotator: usize) -> Option<&Voice> {
        self.voices.iter().find(|voice| voice.who == Some(annotator))
    }

    /// Whether it waits for this annotator: they differ, and since labelling ended the annotator has not said whether
    /// to stay with the answer.
    pub fn waits_for(&self, annotator: usize) -> bool {
        let said = |remark: &Remark| {
            remark.who == Some(annotator) && matches!(remark.what, Happened::Answered { .. })
        };
        self.standing == Standing::Open && self.voice(annotator).is_some() && !self.record.iter().any(said)
    }

    /// Whether the arbitrator decided otherwise than this annotator says.
    pub fn overrules(&self, annotator: usize) -> bool {
        match &self.standing {
            Standing::Decided(decided) => {
                self.voice(annotator).is_some_and(|voice| voice.now.as_ref() != Some(&decided.decision.value))
            }
            _ => false,
        }
    }

    /// The two kinds of answers that stand against each other, for grouping: those of the blind phase where they
    /// differ, else the present ones; each once, in their order.
    pub fn against(&self) -> Vec<Option<Value>> {
        let of = |value: fn(&Voice) -> &Option<Value>| -> BTreeSet<Option<Value>> {
            self.voices.iter().map(|voice| value(voice).clone()).collect()
        };
        let blind = of(|voice| &voice.blind);
        let all = if blind.len() > 1 { blind } else { of(|voice| &voice.now) };
        all.into_iter().collect()
    }
}

/// All disputes of a round, in the order of its questions and then of its items.
pub fn disputes(round: &Round, sheets: &[Sheet], decisions: &Decisions) -> Vec<Dispute> {
    let codebook = round.codebook();
    let read = |answers: &dyn Fn(&Sheet) -> Vec<Given>| -> Vec<Reading> {
        sheets
            .iter()
            .map(|sheet| {
                let answers = answers(sheet);
                Reading::of(round, codebook, &answers.iter().collect::<Vec<_>>())
            })
            .collect()
    };
    let blind = read(&|sheet| sheet.answers(Phase::Labelling).into_iter().cloned().collect());
    let now = read(&|sheet| sheet.answers_now().into_iter().cloned().collect());
    let nothing = Decisions::default();
    let histories: Vec<History<'_>> = sheets.iter().map(History::of).collect();
    let owners = round.owners();
    let mut found = Vec::new();
    for case in all_cases(round, sheets, decisions) {
        let Some(item) = round.items.get(case.number) else { continue };
        let of = |readings: &[Reading]| -> Vec<(usize, Labels)> {
            let labels = |who: &usize| readings.get(*who).and_then(|reading| reading.item(&item.name));
            owners[case.number]
                .iter()
                .map(|who| (*who, labels(who).map(|all| codebook.effective(all)).unwrap_or_default()))
                .collect()
        };
        let (was, is) = (of(&blind), of(&now));
        let given: Vec<(usize, Option<&Labels>)> = was.iter().map(|(who, all)| (*who, Some(all))).collect();
        let before = settle(codebook, &item.name, &given, &nothing);
        let open = |id: &str| case.settled.open.iter().any(|open| open.question == id);
        for question in &codebook.questions {
            let decided = decisions
                .get(&item.name, &question.id)
                .filter(|_| case.settled.decided.contains(&question.id));
            let was_open = before.open.iter().any(|open| open.question == question.id);
            let standing = match decided {
                Some(decided) => Standing::Decided(Box::new(decided.clone())),
                None if open(&question.id) && !case.waits_for.is_empty() => Standing::SentBack,
                None if open(&question.id) => Standing::Open,
                None if was_open => Standing::Agreed,
                None => continue,
            };
            let voice = |who: usize| {
                let value = |all: &[(usize, Labels)]| {
                    all.iter().find(|(one, _)| *one == who)?.1.get(&question.id).cloned()
                };
                let marks = sheets.get(who).and_then(|sheet| sheet.marks.get(&item.name));
                Voice {
                    who: Some(who),
                    blind: value(&was),
                    now: value(&is),
                    note: marks.map_or_else(String::new, |marks| marks.note.clone()),
                }
            };
            let own = owners[case.number].iter();
            let mut record: Vec<Remark> = own
                .clone()
                .filter_map(|who| Some((*who, histories.get(*who)?)))
                .flat_map(|(who, history)| history.remarks(who, &item.name, &question.id))
                .collect();
            record.extend(rulings(decisions, &item.name, decided));
            record.sort_by_key(|remark| remark.at);
            found.push(Dispute {
                number: case.number,
                item: item.name.clone(),
                question: question.id.clone(),
                voices: own.map(|who| voice(*who)).collect(),
                standing,
                settled: case.settled.labels.clone(),
                record,
            });
        }
    }
    let place = |id: &str| codebook.questions.iter().position(|question| question.id == id);
    found.sort_by_key(|dispute| (place(&dispute.question), dispute.number));
    found
}

/// What the arbitrator did to a question of an item.
pub fn rulings(decisions: &Decisions, item: &str, decided: Option<&Decided>) -> Vec<Remark> {
    let back = decisions.sent_back.get(item).into_iter().flatten();
    let back = back.map(|back| Remark { at: back.at, who: None, what: Happened::SentBack(back.why.clone()) });
    let decided = decided.map(|decided| Remark {
        at: decided.at,
        who: None,
        what: Happened::Decided(Box::new(decided.clone())),
    });
    back.chain(decided).collect()
}

/// The events of an annotator from the end of labelling on, by item.
struct History<'a> {
    by_item: HashMap<&'a str, Vec<&'a LabelEvent>>,
    /// What held before the first change.
    blind: Option<&'a HashMap<Cell, Given>>,
}

impl<'a> History<'a> {
    fn of(sheet: &'a Sheet) -> History<'a> {
        let events = sheet.events();
        let gone = undone(events);
        let mut by_item: HashMap<&str, Vec<&LabelEvent>> = HashMap::new();
        let end = events.iter().position(
            |event| matches!(&event.what, What::Frozen { phase, .. } if *phase == Phase::Labelling),
        );
        for event in events.iter().skip(end.unwrap_or(events.len())) {
            let item = match &event.what {
                What::Answered(answer) if !gone.contains(&event.id) => answer.item.as_str(),
                What::Noted { item, .. } => item,
                _ => continue,
            };
            by_item.entry(item).or_default().push(event);
        }
        History { by_item, blind: sheet.frozen.get(&Phase::Labelling) }
    }

    fn remarks(&self, who: usize, item: &str, question: &str) -> Vec<Remark> {
        let cell = (item.to_owned(), question.to_owned());
        let first = self.blind.and_then(|blind| blind.get(&cell));
        let mut before = first.map(|given| given.answer.value.clone());
        let mut remarks = Vec::new();
        for event in self.by_item.get(item).into_iter().flatten() {
            let what = match &event.what {
                What::Answered(answer) if answer.question == question => {
                    let value = answer.value.clone();
                    Happened::Answered { before: before.replace(value.clone()), value }
                }
                What::Noted { text, .. } if !text.is_empty() => Happened::Noted(text.clone()),
                _ => continue,
            };
            remarks.push(Remark { at: event.at, who: Some(who), what });
        }
        remarks
    }
}

#[cfg(test)]
#[path = "dispute_tests.rs"]
mod tests;
