//! One annotator's labels: the present ones, the frozen ones, and what contradicts each other.
//!
//! Promises: a fold of the events of one stream that depends on their set only, not on the order in which two
//! machines were merged: events are put in their order first. Nothing is lost: an answer that another took the
//! place of stays in the history; where two machines answered the same question without knowing of each other,
//! both are kept, the later one is present and the conflict is told until somebody answers again.
//! Leaves to others: what the codebook says about answers (`reading`).

use super::event::{Answer, LabelEvent, What, undone};
use super::phase::Phase;
use super::value::Value;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// An item and a question.
pub type Cell = (String, String);

/// An answer with its place in the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The event.
    pub event: Uuid,
    /// Its order in the stream.
    pub order: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub answer: Arc<Answer>,
}

/// Two answers of one person to one question that did not know of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The one that is no longer present.
    pub earlier: Given,
    /// The one that is.
    pub present: Given,
}

/// A mark on an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Put aside, and why.
    pub skipped: Option<String>,
    /// To be looked at again.
    pub flagged: bool,
    /// A note.
    pub note: String,
}

/// The labels of one annotator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    events: Vec<LabelEvent>,
    /// Which answer each answer took the place of.
    known: HashMap<Uuid, Option<Uuid>>,
    /// Present answers.
    pub present: BTreeMap<Cell, Given>,
    /// Answers that contradict each other, by what they answer.
    pub conflicts: BTreeMap<Cell, Conflict>,
    /// Marks on items.
    pub marks: BTreeMap<String, Marks>,
    /// What the annotator had said when a phase ended.
    pub frozen: BTreeMap<Phase, HashMap<Cell, Given>>,
    /// Frozen answers that are not here: the file that was imported lacked them.
    pub lacking: Vec<Uuid>,
    /// sha256 of the sealed file that was handed in.
    pub sealed: Option<String>,
    /// The lead is taking the round back, or has: nothing more is answered.
    pub withdrawn: bool,
    /// Orders that were used by more than one event: machines that did not know of each other wrote them.
    pub merged: bool,
}

impl Sheet {
    /// The sheet that these events make.
    pub fn of(events: Vec<LabelEvent>) -> Sheet {
        let events = super::event::in_order(events);
        let mut sheet = Sheet { events, ..Sheet::default() };
        sheet.fold();
        sheet
    }

    /// Takes one more event; those that come in their order cost little.
    pub fn push(&mut self, event: LabelEvent) {
        let last = self.events.last().map(LabelEvent::place);
        let late = last.is_some_and(|last| event.place() <= last);
        // What is taken back touches the answers to one question only; of other events everything is folded anew.
        let cell = match event.what {
            What::Undone { target } => self.cell_of(target).map(Some),
            _ => Some(None),
        };
        let Some(cell) = cell.filter(|_| !late) else {
            let mut events = std::mem::take(&mut self.events);
            events.push(event);
            *self = Sheet::of(events);
            return;
        };
        self.known.extend(replaces(&event));
        self.take(&event, &HashSet::new());
        self.events.push(event);
        if let Some(cell) = cell {
            self.fold_cell(&cell);
        }
    }

    /// What an answer answers.
    fn cell_of(&self, answer: Uuid) -> Option<Cell> {
        let event = self.events.iter().rev().find(|event| event.id == answer)?;
        match &event.what {
            What::Answered(answer) => Some((answer.item.clone(), answer.question.clone())),
            _ => None,
        }
    }

    /// Folds the answers to one question about one item anew.
    fn fold_cell(&mut self, cell: &Cell) {
        self.present.remove(cell);
        self.conflicts.remove(cell);
        let undone = self.undone();
        let events = std::mem::take(&mut self.events);
        let of_cell = events.iter().filter(|event| match &event.what {
            What::Answered(answer) => answer.question == cell.1 && answer.item == cell.0,
            _ => false,
        });
        for event in of_cell {
            self.take(event, &undone);
        }
        self.events = events;
    }

    /// The answer that would be present in the place of this one if it was taken back.
    pub fn behind(&self, answer: Uuid) -> Option<Given> {
        let cell = self.cell_of(answer)?;
        let mut undone = self.undone();
        undone.insert(answer);
        let mut earlier = self.events.iter().rev().filter(|event| !undone.contains(&event.id));
        let same = |event: &&LabelEvent| match &event.what {
            What::Answered(answer) => answer.question == cell.1 && answer.item == cell.0,
            _ => false,
        };
        earlier.find(same).and_then(given)
    }

    fn fold(&mut self) {
        let events = std::mem::take(&mut self.events);
        let undone = undone(&events);
        self.known = events.iter().filter_map(replaces).collect();
        for event in &events {
            self.take(event, &undone);
        }
        self.merged = events.windows(2).any(|two| two[0].order == two[1].order);
        // Frozen answers may stand behind the freeze where machines were merged.
        self.frozen.clear();
        self.lacking.clear();
        let freezes = events.iter().any(|event| matches!(event.what, What::Frozen { .. }));
        let given: HashMap<Uuid, &LabelEvent> = match freezes {
            true => events.iter().map(|event| (event.id, event)).collect(),
            false => HashMap::new(),
        };
        for event in &events {
            if let What::Frozen { phase, answers } = &event.what
                && !self.frozen.contains_key(phase)
            {
                let (found, lacking) = frozen(answers, &given);
                self.frozen.insert(*phase, found);
                self.lacking.extend(lacking);
            }
        }
        self.events = events;
    }

    fn take(&mut self, event: &LabelEvent, undone: &HashSet<Uuid>) {
        if undone.contains(&event.id) {
            return;
        }
        match &event.what {
            What::Answered(answer) => {
                let cell = (answer.item.clone(), answer.question.clone());
                let given =
                    Given { event: event.id, order: event.order, at: event.at, answer: answer.clone() };
                match self.present.get(&cell) {
                    Some(earlier) if !self.knew(earlier.event, answer) => {
                        if earlier.answer.value != answer.value {
                            let conflict = Conflict { earlier: earlier.clone(), present: given.clone() };
                            self.conflicts.insert(cell.clone(), conflict);
                        }
                    }
                    _ => drop(self.conflicts.remove(&cell)),
                }
                self.present.insert(cell, given);
            }
            What::Skipped { item, on, why } => {
                self.marks.entry(item.clone()).or_default().skipped = on.then(|| why.clone());
            }
            What::Flagged { item, on } => self.marks.entry(item.clone()).or_default().flagged = *on,
            What::Noted { item, text } => self.marks.entry(item.clone()).or_default().note.clone_from(text),
            What::Frozen { phase, answers } if !self.frozen.contains_key(phase) => {
                let given: HashMap<Uuid, &LabelEvent> =
                    self.events.iter().map(|event| (event.id, event)).collect();
                let (found, lacking) = frozen(answers, &given);
                self.frozen.insert(*phase, found);
                self.lacking.extend(lacking);
            }
            What::Sealed { sha256 } => self.sealed = Some(sha256.clone()),
            What::Withdrawn { on, .. } => self.withdrawn = *on,
            _ => {}
        }
    }

    /// Whether who gave `newer` knew of `older`, directly or by what came between.
    fn knew(&self, older: Uuid, newer: &Answer) -> bool {
        let mut at = newer.replaces;
        for _ in 0..=self.known.len() {
            match at {
                Some(id) if id == older => return true,
                Some(id) => at = self.known.get(&id).copied().flatten(),
                None => return false,
            }
        }
        false
    }

    /// All events, in their order.
    pub fn events(&self) -> &[LabelEvent] {
        &self.events
    }

    /// The order that the next event gets.
    pub fn next_order(&self) -> u64 {
        self.events.last().map_or(0, |event| event.order) + 1
    }

    /// Whether a phase has ended for this annotator.
    pub fn is_frozen(&self, phase: Phase) -> bool {
        self.frozen.contains_key(&phase)
    }

    /// The last answer of this phase that was not taken back: what an undo takes back.
    pub fn last_answer(&self, phase: Phase) -> Option<Given> {
        let undone: HashSet<Uuid> = self.undone();
        let counts = |event: &&LabelEvent| match &event.what {
            What::Answered(answer) => answer.phase == phase && !undone.contains(&event.id),
            _ => false,
        };
        self.events.iter().rev().find(counts).and_then(given)
    }

    fn undone(&self) -> HashSet<Uuid> {
        let target = |event: &LabelEvent| match event.what {
            What::Undone { target } => Some(target),
            _ => None,
        };
        self.events.iter().filter_map(target).collect()
    }

    /// The answers of a phase: the frozen ones where it has ended, else the present ones.
    pub fn answers(&self, phase: Phase) -> Vec<&Given> {
        let mut answers: Vec<&Given> = match self.frozen.get(&phase) {
            Some(frozen) => frozen.values().collect(),
            None => self.present.values().collect(),
        };
        answers.sort_by_key(|given| (given.order, given.event));
        answers
    }

    /// The present answers, the earliest first.
    pub fn answers_now(&self) -> Vec<&Given> {
        let mut answers: Vec<&Given> = self.present.values().collect();
        answers.sort_by_key(|given| (given.order, given.event));
        answers
    }

    /// Blind answers that came here after labelling had ended, from another machine. They are kept and do not
    /// count as blind.
    pub fn late(&self) -> Vec<Given> {
        let Some(frozen) = self.frozen.get(&Phase::Labelling) else { return Vec::new() };
        let kept: HashSet<Uuid> = frozen.values().map(|given| given.event).collect();
        let superseded: HashSet<Uuid> =
            self.events.iter().filter_map(replaces).filter_map(|(_, older)| older).collect();
        let undone = self.undone();
        let late = self.events.iter().filter_map(given).filter(|given| {
            given.answer.phase == Phase::Labelling
                && !kept.contains(&given.event)
                && !superseded.contains(&given.event)
                && !undone.contains(&given.event)
        });
        late.filter(|given| {
            let cell = (given.answer.item.clone(), given.answer.question.clone());
            frozen.get(&cell).is_none_or(|first| first.answer.value != given.answer.value)
        })
        .collect()
    }

    /// The present answer to a question about an item.
    pub fn value(&self, item: &str, question: &str) -> Option<&Value> {
        self.present.get(&(item.to_owned(), question.to_owned())).map(|given| &given.answer.value)
    }
}

fn given(event: &LabelEvent) -> Option<Given> {
    match &event.what {
        What::Answered(answer) => {
            Some(Given { event: event.id, order: event.order, at: event.at, answer: answer.clone() })
        }
        _ => None,
    }
}

fn frozen(answers: &[Uuid], events: &HashMap<Uuid, &LabelEvent>) -> (HashMap<Cell, Given>, Vec<Uuid>) {
    let mut found = HashMap::new();
    let mut lacking = Vec::new();
    for id in answers {
        match events.get(id).and_then(|event| given(event)) {
            Some(given) => {
                found.insert((given.answer.item.clone(), given.answer.question.clone()), given);
            }
            None => lacking.push(*id),
        }
    }
    (found, lacking)
}

fn replaces(event: &LabelEvent) -> Option<(Uuid, Option<Uuid>)> {
    match &event.what {
        What::Answered(answer) => Some((event.id, answer.replaces)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
