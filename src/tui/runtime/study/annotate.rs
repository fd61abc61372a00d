//! Answers to labelling.
//!
//! Promises: the writer stays open between two answers, so that keeping one costs the same whatever was kept before;
//! what is told is of who asks. Leaves to others: the rules (`study`, `label`).

mod of_task;
mod tags;

use super::Bench;
use crate::label::codebook::Stamp;
use crate::label::event::What;
use crate::label::item::{Item, Purpose};
use crate::label::phase::Phase;
use crate::label::round::{Round, called};
use crate::label::visible::Role;
use crate::study::{Heads, StudyError, Waiting, Writer};
use crate::tui::msg::study::annotate::{Ask, Mark, OnDisk, Opened, Row, State, Told};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// What is kept between two questions.
#[derive(Default)]
pub struct Clerk {
    hand: Option<Hand>,
    /// Of what it was told last what was said about tasks: the round that was chosen, the one in hand, and how far all
    /// streams were.
    tagged: Option<(Option<Uuid>, Option<Uuid>, Heads)>,
}

/// A round that is labelled.
struct Hand {
    writer: Writer,
    /// What the arbitrator sent back: the event, and why.
    back: BTreeMap<String, (Uuid, String)>,
    /// The phase and the codebook that were told.
    told: (Phase, Stamp),
}

impl Clerk {
    /// Does what is asked.
    ///
    /// # Errors
    ///
    /// What the study refuses, or what the workspace could not do.
    pub fn answer(&mut self, bench: &Bench, ask: Ask) -> Result<Told, StudyError> {
        match ask {
            Ask::Tags { round, known } => self.tags(bench, round, known),
            Ask::OfTask(task) => of_task::labels(bench, &task).map(Told::OfTask),
            Ask::Open(round) => self.open(bench, round),
            Ask::Answer(round, entry) => Ok(self.keep(bench, round, |writer| {
                let saved = writer.set(&entry)?;
                Ok((saved.item, Some(saved.question), saved.training))
            })),
            Ask::Undo(round, only) => Ok(self.keep(bench, round, |writer| {
                let saved = writer.undo_only(only)?;
                Ok((saved.item, Some(saved.question), None))
            })),
            Ask::Mark(round, item, mark) => Ok(self.keep(bench, round, |writer| {
                let what = |item| match &mark {
                    Mark::Skipped(why) => {
                        What::Skipped { item, on: why.is_some(), why: why.clone().unwrap_or_default() }
                    }
                    Mark::Flagged(on) => What::Flagged { item, on: *on },
                    Mark::Noted(text) => What::Noted { item, text: text.clone() },
                };
                Ok((writer.mark(&item, &what)?, None, None))
            })),
        }
    }

    /// What was said about the tasks of a round: the one that was chosen, where who asks has a part in it, else the one
    /// that is labelled, else the one that they mean who name none.
    fn tags(&mut self, bench: &Bench, round: Option<Uuid>, known: bool) -> Result<Told, StudyError> {
        let in_hand = self.hand.as_ref().map(|hand| hand.writer.desk().round.id);
        // Counting how far streams are costs little, reading a round with thousands of items does not.
        let now = Some((round, in_hand, bench.studies.heads()?));
        if known && self.tagged == now {
            return Ok(Told::SameTags);
        }
        let has_part = |round: &Round| round.role(&bench.name) != Role::Outsider;
        // A round of the samples is in another workspace.
        let chosen = round.and_then(|id| bench.studies.open_in_force(id).ok()).filter(has_part);
        let round = match (chosen, in_hand) {
            (Some(round), _) => Some(round),
            (None, Some(id)) => Some(bench.studies.open_in_force(id)?),
            (None, None) => meant(bench)?,
        };
        let round = match round {
            Some(round) => round,
            None => bench.studies.find(None)?,
        };
        let tagged = tags::tags(&bench.studies.desk_of(round, &bench.name))?;
        self.tagged = now;
        Ok(Told::Tags(Box::new(tagged)))
    }

    fn open(&mut self, bench: &Bench, round: Option<Uuid>) -> Result<Told, StudyError> {
        self.hand = None;
        let round = match round {
            Some(id) => bench.studies.open_in_force(id)?,
            None => match meant(bench)? {
                Some(round) => round,
                None => bench.studies.find(None)?,
            },
        };
        let desk = bench.studies.desk_of(round, &bench.name);
        if let Err(error) = desk.annotator() {
            return Ok(Told::Nothing(error.to_string()));
        }
        if desk.round.assignment.is_none() {
            let name = &desk.round.name;
            return Ok(Told::Nothing(format!(
                "{}: who labels what is not assigned yet; its lead {} does that",
                called(name),
                desk.round.lead.name
            )));
        }
        let mut hand = Hand::of(desk.writer()?)?;
        let opened = hand.opened()?;
        if opened.rows.is_empty() {
            return Ok(Told::Nothing(format!("nothing of {} is assigned to you", called(&opened.name))));
        }
        self.hand = Some(hand);
        Ok(Told::Opened(Box::new(opened)))
    }

    /// Writes something; what goes wrong is told as such, for what was to be written must not be lost.
    fn keep(
        &mut self,
        bench: &Bench,
        round: Uuid,
        write: impl FnOnce(&mut Writer) -> Result<Written, StudyError>,
    ) -> Told {
        match self.try_to_keep(bench, round, write) {
            Ok(kept) => Told::Kept(Box::new(kept)),
            Err(error) => {
                let by_rule = !matches!(error, StudyError::Store(_));
                // What is new about the round is told with the refusal, where it can be read.
                let fresh = match &mut self.hand {
                    Some(hand) if by_rule => hand.fresh().ok().flatten(),
                    _ => None,
                };
                Told::NotKept { why: error.to_string(), by_rule, fresh }
            }
        }
    }

    fn try_to_keep(
        &mut self,
        bench: &Bench,
        round: Uuid,
        write: impl FnOnce(&mut Writer) -> Result<Written, StudyError>,
    ) -> Result<OnDisk, StudyError> {
        let hand = match self.hand.take().filter(|hand| hand.writer.desk().round.id == round) {
            Some(hand) => hand,
            None => Hand::of(bench.studies.desk_of(bench.studies.open(round)?, &bench.name).writer()?)?,
        };
        let hand = self.hand.insert(hand);
        let (item, question, training) = write(&mut hand.writer)?;
        let at = bench.studies.now().to_zoned_datetime(TimeZone::system()).strftime("%H:%M").to_string();
        let fresh = hand.fresh()?;
        let given = hand.writer.answers_of(&item);
        let names = hand.writer.desk().round.codebook().question(question.as_deref().unwrap_or_default());
        let of_question = given.iter().rev().find(|given| {
            let name = &given.answer.question;
            names.is_some_and(|question| question.id == *name || question.renamed_from.contains(name))
        });
        let event = of_question.map(|given| given.event);
        let (state, phase) = (hand.state(&item), hand.writer.desk().round.phase);
        Ok(OnDisk { item, question, state, event, at, training, phase, fresh })
    }
}

/// What was written: the item, the question, and of a training item what is right.
type Written = (String, Option<String>, Option<crate::label::item::Answered>);

/// The round that an annotator means who names none: the newest in which something waits for them, else the newest that
/// is open to them, else the newest.
fn meant(bench: &Bench) -> Result<Option<Round>, StudyError> {
    let (rounds, _) = bench.studies.list()?;
    let mine = rounds.into_iter().filter(|round| matches!(round.role(&bench.name), Role::Annotator(_)));
    // The sort is stable, and the newest come first.
    let mut mine: Vec<Round> = mine.collect();
    mine.sort_by_key(|round| (round.phase, round.assignment.is_none()));
    // Whether something waits is told by labels, which are read only where there is a choice.
    if mine.iter().filter(|round| round.phase != Phase::Closed).count() > 1 {
        for number in 0..mine.len() {
            let desk = bench.studies.desk_of(mine[number].clone(), &bench.name);
            if matches!(desk.brief()?.waiting, Waiting::Label(_) | Waiting::LookAgain(_)) {
                return Ok(Some(mine.swap_remove(number)));
            }
        }
    }
    Ok(mine.into_iter().next())
}

impl Hand {
    fn of(writer: Writer) -> Result<Hand, StudyError> {
        let back = writer.desk().sent_back()?;
        let round = &writer.desk().round;
        let told = (round.phase, round.codebook().stamp());
        Ok(Hand { writer, back, told })
    }

    /// Takes in what is new; the whole round where its phase or codebook is another one.
    fn fresh(&mut self) -> Result<Option<Box<Opened>>, StudyError> {
        self.writer.catch_up()?;
        let round = &self.writer.desk().round;
        if (round.phase, round.codebook().stamp()) == self.told {
            return Ok(None);
        }
        self.back = self.writer.desk().sent_back()?;
        Ok(Some(Box::new(self.opened()?)))
    }

    fn opened(&mut self) -> Result<Opened, StudyError> {
        let desk = self.writer.desk();
        let round = &desk.round;
        let codebook = Arc::new(round.codebook().clone());
        let stamp = codebook.stamp();
        let reading = self.writer.reading();
        let mut stale: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for one in &reading.stale {
            stale.entry(one.item.as_str()).or_default().push(one.clone());
        }
        let mut seconds: BTreeMap<&str, u32> = BTreeMap::new();
        for ((item, _), given) in &self.writer.sheet().present {
            let most = seconds.entry(item.as_str()).or_default();
            *most = (*most).max(given.answer.seconds.unwrap_or(0));
        }
        let row = |item: &Item| {
            let name = item.name.as_str();
            let labels = reading.item(name).cloned().unwrap_or_default();
            let state = State {
                stale: stale.get(name).cloned().unwrap_or_default(),
                marks: self.writer.sheet().marks.get(name).cloned().unwrap_or_default(),
                seconds: seconds.get(name).copied().unwrap_or(0),
                labels,
                ..State::default()
            };
            Row {
                item: item.name.clone(),
                task: task_of(item).to_owned(),
                revision: item.revision.clone(),
                training: matches!(item.purpose, Purpose::Training(_)),
                state: self.finish(name, state),
            }
        };
        let items = round.queue(self.writer.annotator()).filter_map(|number| round.items.get(number));
        let rows = items.map(row).collect();
        let opened = Opened {
            round: round.id,
            study: round.study.clone(),
            name: round.name.clone(),
            source: round.sampling.source.clone(),
            phase: round.phase,
            who: desk.name.clone(),
            codebook,
            stamp: stamp.clone(),
            rows,
            closed: self.closed(),
        };
        self.told = (opened.phase, stamp);
        Ok(opened)
    }

    /// What was said about one item.
    fn state(&self, item: &str) -> State {
        let mut reading = self.writer.reading_of(item);
        let given = self.writer.answers_of(item);
        let state = State {
            labels: reading.labels.remove(item).unwrap_or_default(),
            stale: reading.stale,
            marks: self.writer.sheet().marks.get(item).cloned().unwrap_or_default(),
            seconds: given.iter().filter_map(|given| given.answer.seconds).max().unwrap_or(0),
            ..State::default()
        };
        self.finish(item, state)
    }

    /// Whether something is still to be answered.
    fn finish(&self, item: &str, state: State) -> State {
        let round = &self.writer.desk().round;
        let back = self.back.get(item);
        let looked_again =
            |event: Uuid| self.writer.answers_of(item).iter().any(|given| given.answer.back == Some(event));
        let incomplete = !round.codebook().missing(&state.labels).is_empty();
        let open = match round.phase {
            Phase::Adjudication => back.is_some_and(|(event, _)| incomplete || !looked_again(*event)),
            _ => !state.stale.is_empty() || incomplete,
        };
        State { open, back: back.map(|(_, why)| why.clone()), ..state }
    }

    fn closed(&self) -> Option<String> {
        let (round, sheet) = (&self.writer.desk().round, self.writer.sheet());
        let (name, phase) = (&round.name, round.phase);
        if phase == Phase::Closed {
            return Some(format!(
                "{} is closed: nothing changes any more, everything can be read",
                called(name)
            ));
        }
        if sheet.is_frozen(phase) {
            return Some(format!("{phase} is being ended by the lead: what you answered is frozen"));
        }
        if phase == Phase::Labelling && sheet.sealed.is_some() {
            return Some(
                "you handed in a sealed file: what you answered is frozen until labelling ends".to_owned(),
            );
        }
        if phase == Phase::Adjudication {
            return Some("adjudication: only what the arbitrator sent back can be answered again".to_owned());
        }
        None
    }
}

/// The name of the task that an item is about. A second serving is the first one's task.
pub(super) fn task_of(item: &Item) -> &str {
    let name = match &item.purpose {
        Purpose::Repeat(first) => first,
        _ => &item.name,
    };
    crate::label::turn::task_of(name)
}
