//! Answering, taking back, marking.
//!
//! Promises: what [`Writer::set`] has answered with is on disk; an answer is written by who has seen every earlier
//! one of the same person, also those of other processes; a phase that ends meanwhile ends this too. Leaves to
//! others: what may be answered (`label::codebook`).

use super::keep::{label_stream, refuse_withdrawn, round_stream};
use super::{Desk, StudyError};
use crate::label::codebook::Stamp;
use crate::label::entry;
use crate::label::event::{self, What};
use crate::label::fold::{Given, Sheet};
use crate::label::item::{Answered, Item, Purpose};
use crate::label::phase::Phase;
use crate::label::reading::Reading;
use crate::label::status::reading;
use crate::label::value::{Labels, Value};
use crate::label::visible::may_label;
use serde_json::Value as Json;
use std::collections::HashSet;
use uuid::Uuid;

/// An answer that is to be kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The item, by its name or id.
    pub item: String,
    /// The question.
    pub question: String,
    /// The answer, as it was typed.
    pub answer: Json,
    /// How sure, 1 to 5.
    pub confidence: Option<u8>,
    /// Seconds that the item was looked at.
    pub seconds: Option<u32>,
    /// What was looked at.
    pub evidence: Vec<String>,
    /// The phase in which it was given, as the one who answers sees it; in another one it is refused. None: whatever
    /// phase it is.
    pub phase: Option<Phase>,
    /// Revision of the item that was looked at; none: the round's.
    pub revision: Option<String>,
    /// The codebook by which it was answered, where somebody saw it: with another one in force it is refused.
    pub codebook: Option<Stamp>,
}

/// An answer that is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The item.
    pub item: String,
    /// The question.
    pub question: String,
    /// What holds now; none: nothing, for it was taken back.
    pub value: Option<Value>,
    /// What held before.
    pub before: Option<Value>,
    /// Questions that the item still lacks.
    pub missing: Vec<String>,
    /// Of a training item, what is right.
    pub training: Option<Answered>,
    /// The item had another revision than the round's.
    pub other_revision: bool,
    /// The phase in which it counts: labelling may have ended meanwhile.
    pub phase: Phase,
}

/// Events to be appended, and what is answered when they are on disk.
type Made<T> = Result<(Vec<What>, T), StudyError>;

/// Writes the labels of one person.
pub struct Writer {
    desk: Desk,
    annotator: usize,
    stream: String,
    sheet: Sheet,
    seq: u64,
    /// Number of the last event of the round that was seen.
    round_seq: u64,
    /// Numbers of the items that the writer labels.
    mine: HashSet<usize>,
}

impl Desk {
    /// Opens the labels of who looks, to write.
    pub fn writer(&self) -> Result<Writer, StudyError> {
        let annotator = self.annotator()?;
        let stream = label_stream(self.round.id, &self.key(annotator));
        let (round, round_seq) = self.studies.open_at(self.round.id)?;
        let desk = self.studies.desk_of(round, &self.name);
        let mine = desk.round.queue(annotator).collect();
        let sheet = Sheet::default();
        let mut writer = Writer { desk, annotator, stream, sheet, seq: 0, round_seq, mine };
        writer.catch_up()?;
        Ok(writer)
    }
}

impl Writer {
    /// The labels as they are known here.
    pub fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    /// The round as it is known here.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// The number of the annotator whose labels these are.
    pub fn annotator(&self) -> usize {
        self.annotator
    }

    /// Takes in what was written since, here or by another process, also to the round.
    pub fn catch_up(&mut self) -> Result<(), StudyError> {
        self.catch_up_with_round()?;
        let new = self.desk.studies.read_from(&self.stream, self.seq + 1)?;
        let many = self.seq == 0;
        self.seq = new.seq;
        if many {
            self.sheet = Sheet::of(new.events);
        } else {
            new.events.into_iter().for_each(|event| self.sheet.push(event));
        }
        Ok(())
    }

    /// The same of the round alone.
    fn catch_up_with_round(&mut self) -> Result<(), StudyError> {
        let round = self.desk.studies.read_from(&round_stream(self.desk.round.id), self.round_seq + 1)?;
        if round.seq > self.round_seq {
            self.desk.refresh()?;
            self.round_seq = round.seq;
            self.mine = self.desk.round.queue(self.annotator).collect();
        }
        Ok(())
    }

    /// Whether labels may be written now.
    fn check_open(&mut self, item: Option<&str>) -> Result<Option<Uuid>, StudyError> {
        refuse_withdrawn(&self.desk.round)?;
        if self.sheet.withdrawn {
            self.desk.refresh()?;
            refuse_withdrawn(&self.desk.round)?;
            let (round, phase) = (self.desk.round.name.clone(), self.desk.round.phase);
            let why = self.desk.shut_words();
            return Err(StudyError::NotNow { round, phase, why });
        }
        if self.sheet.is_frozen(self.desk.round.phase) {
            self.desk.refresh()?;
        }
        let (round, phase) = (self.desk.round.name.clone(), self.desk.round.phase);
        let who = self.desk.name.clone();
        let role = self.desk.role;
        let back = match (phase, item) {
            (Phase::Adjudication, Some(item)) => {
                let decisions = self.desk.unguarded_decisions()?;
                decisions.sent_back.get(item).and_then(|back| back.last()).map(|back| back.event)
            }
            _ => None,
        };
        if !may_label(role, phase, back.is_some()) {
            let why = match phase {
                Phase::Adjudication => "only what the arbitrator sent back can be answered again",
                _ => "nothing changes any more",
            };
            return Err(StudyError::NotNow { round, phase, why: why.to_owned() });
        }
        if self.sheet.is_frozen(phase) {
            return Err(StudyError::Frozen { round, phase, who });
        }
        if phase == Phase::Labelling && self.sheet.sealed.is_some() {
            return Err(StudyError::HandedIn { round, who });
        }
        Ok(back)
    }

    /// The item with this name, if it is the writer's.
    fn item(&self, name: &str) -> Result<Item, StudyError> {
        let number = self.desk.round.items.find(name)?;
        match self.desk.round.items.get(number) {
            Some(item) if self.mine.contains(&number) => Ok(item.clone()),
            _ => Err(StudyError::NotYours { item: name.to_owned(), who: self.desk.name.clone() }),
        }
    }

    /// What the labels of one item say with the codebook in force.
    pub fn reading_of(&self, item: &str) -> Reading {
        self.reading_with(item, None)
    }

    /// The present answers about one item.
    pub fn answers_of(&self, item: &str) -> Vec<&Given> {
        let of_item = self.sheet.present.range((item.to_owned(), String::new())..);
        let mut given: Vec<_> =
            of_item.take_while(|((name, _), _)| name == item).map(|(_, given)| given).collect();
        given.sort_by_key(|given| (given.order, given.event));
        given
    }

    /// What the labels of one item would say with another answer, or none, in the place of one.
    fn reading_with(&self, item: &str, instead: Option<(Uuid, Option<&Given>)>) -> Reading {
        let mut given = self.answers_of(item);
        if let Some((gone, behind)) = instead {
            given.retain(|given| given.event != gone);
            given.extend(behind);
            given.sort_by_key(|given| (given.order, given.event));
        }
        Reading::of(&self.desk.round, self.desk.round.codebook(), &given)
    }

    /// The labels of one item as the codebook in force reads them.
    fn labels_of(&self, item: &str) -> Labels {
        self.reading_of(item).labels.remove(item).unwrap_or_default()
    }

    /// Appends what `make` makes of the labels as they are; again where another process was quicker.
    fn append<T>(&mut self, make: &dyn Fn(&mut Writer) -> Made<T>) -> Result<T, StudyError> {
        loop {
            self.catch_up()?;
            let (whats, result) = make(self)?;
            if whats.is_empty() {
                return Ok(result);
            }
            let actor = self.desk.key(self.annotator);
            let orders = self.sheet.next_order()..;
            let round = self.desk.round.id;
            let events: Vec<_> = orders
                .zip(&whats)
                .map(|(order, what)| self.desk.studies.event(round, order, &actor, what))
                .collect();
            if self.desk.studies.append(&self.stream, self.seq, &events)? {
                return Ok(result);
            }
        }
    }

    /// Keeps an answer. It is on disk when this returns.
    pub fn set(&mut self, given: &Entry) -> Result<Saved, StudyError> {
        let saved = self.append(&|writer| writer.answer(given))?;
        // Who assigns anew looks for answers once more after it is written, and who answers looks at the assignment
        // after the answer is: where both happen at once, one of them sees the other.
        if self.catch_up_with_round().is_ok()
            && let Err(error) = self.item(&saved.item)
        {
            let cell = (saved.item.clone(), saved.question.clone());
            self.append(&|writer| {
                let target = writer.sheet.present.get(&cell).map(|given| given.event);
                Ok((target.into_iter().map(|target| What::Undone { target }).collect(), ()))
            })?;
            return Err(error);
        }
        Ok(saved)
    }

    fn answer(&mut self, given: &Entry) -> Result<(Vec<What>, Saved), StudyError> {
        let item = self.item(&given.item)?;
        let back = self.check_open(Some(&item.name))?;
        let phase = self.desk.round.phase;
        if given.phase.is_some_and(|seen| seen != phase) {
            let why =
                "the phase has ended meanwhile: this answer was not taken; look at the item again".to_owned();
            return Err(StudyError::NotNow { round: self.desk.round.name.clone(), phase, why });
        }
        let codebook = self.desk.round.codebook();
        if given.codebook.as_ref().is_some_and(|seen| *seen != codebook.stamp()) {
            let (round, stamp) = (self.desk.round.name.clone(), codebook.stamp());
            return Err(StudyError::CodebookChanged { round, stamp });
        }
        let question = entry::question(codebook, &given.question)?;
        let value = entry::of_json(question, &given.answer)?;
        let mut labels = self.labels_of(&item.name);
        codebook.check(&question.id, &value, &labels)?;
        // The answer that is present under the question's present name or an earlier one.
        let names = std::iter::once(&question.id).chain(&question.renamed_from);
        let earlier = names
            .filter_map(|name| self.sheet.present.get(&(item.name.clone(), name.clone())))
            .max_by_key(|given| (given.order, given.event));
        let before = labels.insert(question.id.clone(), value.clone());
        let revision = given.revision.clone().unwrap_or_else(|| item.revision.clone());
        let saved = Saved {
            item: item.name.clone(),
            question: question.id.clone(),
            value: Some(value.clone()),
            before,
            missing: codebook.missing(&labels).into_iter().map(|question| question.id.clone()).collect(),
            training: match &item.purpose {
                Purpose::Training(known) => Some(known.clone()),
                _ => None,
            },
            other_revision: revision != item.revision,
            phase: self.desk.round.phase,
        };
        let answer = event::Answer {
            item: item.name,
            revision,
            question: question.id.clone(),
            value,
            codebook: codebook.stamp(),
            phase: self.desk.round.phase,
            replaces: earlier.map(|given| given.event),
            back,
            confidence: given.confidence,
            seconds: given.seconds,
            evidence: given.evidence.clone(),
        };
        Ok((vec![What::Answered(std::sync::Arc::new(answer))], saved))
    }

    /// Takes back the last answer of this phase.
    pub fn undo(&mut self) -> Result<Saved, StudyError> {
        self.undo_only(None)
    }

    /// Takes back the last answer of this phase, with an event only if it is that one.
    ///
    /// # Errors
    /// Nothing to take back, or not that; labels that are not open.
    pub fn undo_only(&mut self, wanted: Option<Uuid>) -> Result<Saved, StudyError> {
        self.append(&|writer| {
            writer.check_open(None).or_else(|error| match writer.desk.round.phase {
                // What was sent back may be taken back as well.
                Phase::Adjudication => Ok(None),
                _ => Err(error),
            })?;
            let phase = writer.desk.round.phase;
            if writer.sheet.is_frozen(phase) {
                let round = writer.desk.round.name.clone();
                return Err(StudyError::Frozen { round, phase, who: writer.desk.name.clone() });
            }
            let last = writer.sheet.last_answer(phase);
            let last = last.filter(|last| wanted.is_none_or(|wanted| wanted == last.event));
            let last = last.ok_or(StudyError::NothingToUndo)?;
            let behind = writer.sheet.behind(last.event);
            let cell = (last.answer.item.clone(), last.answer.question.clone());
            let value = behind.as_ref().map(|given| given.answer.value.clone());
            let mut reading = writer.reading_with(&cell.0, Some((last.event, behind.as_ref())));
            let labels = reading.labels.remove(&cell.0).unwrap_or_default();
            let missing = writer.desk.round.codebook().missing(&labels);
            let saved = Saved {
                item: cell.0,
                question: cell.1,
                value,
                before: Some(last.answer.value.clone()),
                missing: missing.into_iter().map(|question| question.id.clone()).collect(),
                training: None,
                other_revision: false,
                phase,
            };
            Ok((vec![What::Undone { target: last.event }], saved))
        })
    }

    /// Puts an item aside, marks it or writes a note on it; answers with the name of the item.
    pub fn mark(&mut self, item: &str, mark: &dyn Fn(String) -> What) -> Result<String, StudyError> {
        self.append(&|writer| {
            let item = writer.item(item)?;
            writer.check_open(Some(&item.name))?;
            Ok((vec![mark(item.name.clone())], item.name))
        })
    }

    /// Hands in: nothing more is labelled in this phase. `make` makes the sealed file of what is here, and answers
    /// with its sha256; where another process was quicker it is made again.
    pub(super) fn hand_in(
        &mut self,
        make: &dyn Fn() -> Result<String, StudyError>,
    ) -> Result<String, StudyError> {
        self.append(&|writer| {
            writer.check_open(None)?;
            let sha256 = make()?;
            Ok((vec![What::Sealed { sha256: sha256.clone() }], sha256))
        })
    }

    /// What the labels say with the codebook in force.
    pub fn reading(&self) -> Reading {
        reading(&self.desk.round, &self.sheet)
    }
}
