//! Label files: one file that carries a round and labels from one machine to another.
//!
//! Promises: the file is a bundle, with its hash at the end, and holds only what who wrote it may see; taking it in
//! merges by event id, so doing it twice changes nothing; every line that cannot be taken is told; answers of one
//! person on two machines that contradict each other are both kept and told. An annotator takes in nothing of a
//! partner while labelling is blind.
//! Leaves to others: the format (`store::bundle`), whole workspaces.

use super::keep::{
    DECISION, LABEL, ROUND, decision_stream, label_stream, readable, refuse_withdrawn, round_stream,
};
use super::{Desk, Studies, StudyError};
use crate::label::event::{Deviation, LabelEvent, What};
use crate::label::fold::Cell;
use crate::label::phase::Phase;
use crate::label::round::{Round, called};
use crate::label::visible::{Access, Role, decisions, exported, labels};
use crate::store::bundle;
use crate::store::{Event, MemoryStore, Merged, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Seek, Write};
use uuid::Uuid;

/// What was taken out of a label file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Rounds that the file is about.
    pub rounds: Vec<Uuid>,
    /// Events that are new here.
    pub added: u64,
    /// Events that were here.
    pub known: u64,
    /// What was not taken, or taken and cannot be read, in words.
    pub problems: Vec<String>,
    /// Labels of others that were left out because labelling is blind: names of the rounds.
    pub blind: BTreeSet<String>,
    /// Answers that contradict each other now, of those whose labels may be seen.
    pub contradictions: Vec<Contradiction>,
}

/// Two answers of one person, from two machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Name of the round.
    pub round: String,
    /// Name of the annotator.
    pub annotator: String,
    /// The item.
    pub item: String,
    /// The question.
    pub question: String,
    /// What does not hold.
    pub earlier: String,
    /// What holds.
    pub present: String,
}

/// Streams of labels that somebody may not carry away in a copy of a whole workspace, and the rounds that they are
/// of. The rounds are the same whatever labels there are.
pub fn hidden_streams(store: &dyn Store, name: &str) -> Result<(BTreeSet<String>, Vec<String>), StudyError> {
    let mut hidden = BTreeSet::new();
    let mut rounds = Vec::new();
    let studies = Reader(store);
    for round in studies.rounds()? {
        let role = round.role(name);
        let mut of_round = false;
        for (annotator, person) in round.annotators.iter().enumerate() {
            if !exported(role, round.phase, annotator, true) {
                hidden.insert(label_stream(round.id, &person.key));
                of_round = true;
            }
        }
        if !decisions(role, round.phase) && !role.leads() {
            hidden.insert(decision_stream(round.id));
        }
        if of_round {
            rounds.push(format!("{}/{}", round.study, round.name));
        }
    }
    Ok((hidden, rounds))
}

/// Rounds of a store that is only borrowed.
struct Reader<'a>(&'a dyn Store);

impl Reader<'_> {
    fn rounds(&self) -> Result<Vec<Round>, StudyError> {
        let mut rounds = Vec::new();
        for head in self.0.streams(ROUND)? {
            let events = all(self.0, &head.name)?;
            rounds.extend(Round::of(events.iter().filter_map(|event| readable(event).ok()).collect()).ok());
        }
        Ok(rounds)
    }
}

fn all(store: &dyn Store, stream: &str) -> Result<Vec<Event>, StoreError> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let page = store.read(stream, events.last().map_or(1, |last| last.seq + 1), usize::MAX)?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

impl Desk {
    /// Writes a label file of the round: the round itself, and the labels that who writes may see. A lead who wants
    /// blind labels in it says `live`, and that leaves a deviation. Answers with the number of events.
    pub fn export(&mut self, live: bool, out: &mut dyn Write) -> Result<u64, StudyError> {
        let live = live && self.role.leads() && self.round.phase == Phase::Labelling;
        if live {
            self.deviate(Deviation::LiveLabels)?;
        }
        let store = self.studies.store.as_ref();
        let mut events = all(store, &round_stream(self.round.id))?;
        for annotator in 0..self.round.annotators.len() {
            if live || exported(self.role, self.round.phase, annotator, false) {
                events.extend(all(store, &label_stream(self.round.id, &self.key(annotator)))?);
            }
        }
        if decisions(self.role, self.round.phase) {
            events.extend(all(store, &decision_stream(self.round.id))?);
        }
        write(&events, out)
    }

    /// The label file of an annotator's own labels, for sealing.
    pub(super) fn export_own(&self, out: &mut dyn Write) -> Result<u64, StudyError> {
        let stream = label_stream(self.round.id, &self.key(self.annotator()?));
        write(&all(self.studies.store.as_ref(), &stream)?, out)
    }
}

fn write(events: &[Event], out: &mut dyn Write) -> Result<u64, StudyError> {
    let alone = MemoryStore::default();
    alone.merge(events)?;
    Ok(bundle::export(&alone, out, &mut |_| {})?.events)
}

impl Studies {
    /// Takes a label file in, as somebody who may not see everything.
    pub fn import(&self, file: &mut (impl BufRead + Seek), name: &str) -> Result<Taken, StudyError> {
        self.take(file, name, None)
    }

    /// Takes a label file in; `unsealed`: only labels of this annotator, by key, of this round, for they come out
    /// of a sealed file whose time has come.
    pub(super) fn take(
        &self,
        file: &mut (impl BufRead + Seek),
        name: &str,
        unsealed: Option<(Uuid, &str)>,
    ) -> Result<Taken, StudyError> {
        bundle::check(file)?;
        file.rewind().map_err(|error| StudyError::Bundle(bundle::BundleError::Read(error)))?;
        let alone = MemoryStore::default();
        let mut taken = Taken::default();
        bundle::import(&alone, file, &mut |problem| taken.problems.push(problem.to_string()))?;
        let streams: Vec<String> = alone.streams("")?.into_iter().map(|head| head.name).collect();
        let ours = |stream: &&String| [ROUND, LABEL, DECISION].iter().any(|start| stream.starts_with(start));
        if let Some(other) = streams.iter().find(|stream| !ours(stream)) {
            let other = crate::text::truncate(other, 60);
            return Err(StudyError::BadFile(format!(
                "not a label file: it holds `{other}` too; a copy of a workspace is taken in with `mendbench bundle import`"
            )));
        }
        // Rounds first: labels are judged by them.
        for stream in streams.iter().filter(|stream| stream.starts_with(ROUND)) {
            if unsealed.is_none() {
                self.take_round(&all(&alone, stream)?, stream, &mut taken)?;
            }
        }
        for stream in streams.iter().filter(|stream| !stream.starts_with(ROUND)) {
            let Some((round, key)) = parts(stream) else {
                taken
                    .problems
                    .push(format!("stream `{}` has no name of ours", crate::text::truncate(stream, 60)));
                continue;
            };
            if unsealed.is_some_and(|(wanted, whose)| wanted != round || key != Some(whose)) {
                taken
                    .problems
                    .push("the sealed file holds more than its labels; that was left out".to_owned());
                continue;
            }
            let round = match self.open(round) {
                Ok(round) => round,
                Err(StudyError::BadRound { .. }) => {
                    taken
                        .problems
                        .push(format!("round {round} is not here: take in a label file of its lead first"));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Err(withdrawn) = refuse_withdrawn(&round) {
                taken.problems.push(format!("{withdrawn}; labels of it are left in the file"));
                continue;
            }
            if !taken.rounds.contains(&round.id) {
                taken.rounds.push(round.id);
            }
            self.take_labels(&round, key, &all(&alone, stream)?, name, unsealed.is_some(), &mut taken)?;
        }
        for round in taken.rounds.clone() {
            self.contradictions(round, name, &mut taken)?;
        }
        Ok(taken)
    }

    fn take_round(&self, events: &[Event], stream: &str, taken: &mut Taken) -> Result<(), StudyError> {
        let read: Vec<_> = events.iter().filter_map(|event| readable(event).ok()).collect();
        let known = !all(self.store.as_ref(), stream)?.is_empty();
        match Round::of(read) {
            Ok(round) if round_stream(round.id) == stream => taken.rounds.push(round.id),
            Err(_) if known => {}
            _ => {
                taken.problems.push(format!("`{}` is no round", crate::text::truncate(stream, 60)));
                return Ok(());
            }
        }
        let mut events = events.to_vec();
        if let Ok(here) = self.open_stream(stream) {
            events.retain(|event| match readable(event).map(|event| event.what) {
                // Whatever place it claims in the order of events: with a key out it may have been made knowingly.
                Ok(What::SealReceived { annotator, sha256, .. })
                    if here.seals.is_late(&annotator, &sha256) =>
                {
                    taken.problems.push(format!(
                        "another sealed file of {} was handed in, and a key is out: that is left out",
                        crate::text::truncate(&annotator, 60)
                    ));
                    false
                }
                _ => true,
            });
        }
        self.merge(events, taken)
    }

    /// The round of a stream that is here.
    fn open_stream(&self, stream: &str) -> Result<Round, StudyError> {
        let id = stream.strip_prefix(ROUND).and_then(|id| id.parse().ok());
        let none = || StudyError::BadRound { id: stream.to_owned(), why: "its name is none".to_owned() };
        self.open(id.ok_or_else(none)?)
    }

    fn take_labels(
        &self,
        round: &Round,
        key: Option<&str>,
        events: &[Event],
        name: &str,
        unsealed: bool,
        taken: &mut Taken,
    ) -> Result<(), StudyError> {
        let role = round.role(name);
        let lead = [round.lead.key.as_str()];
        let (allowed, writers): (bool, Vec<&str>) = match key {
            Some(key) => {
                let Some(number) = round.annotators.iter().position(|person| person.key == key) else {
                    taken.problems.push(format!(
                        "labels of `{}`, who has no part in {}",
                        crate::text::truncate(key, 60),
                        called(&round.name)
                    ));
                    return Ok(());
                };
                // A lead collects what must not be seen yet.
                let may = unsealed || role.leads() || labels(role, round.phase, number) == Access::All;
                (may, [key].into_iter().chain(lead).collect())
            }
            None => {
                let may = role.leads() || decisions(role, round.phase);
                (may, vec![round.arbitrator.key.as_str()])
            }
        };
        if !allowed {
            if key.is_some() {
                taken.blind.insert(round.name.clone());
            } else {
                taken.problems.push(format!("decisions of {} are not for {name} yet", called(&round.name)));
            }
            return Ok(());
        }
        let mut good = Vec::new();
        for event in events {
            match readable(event) {
                Ok(read)
                    if read.round != round.id
                        || !writers.contains(&read.actor.as_str())
                        || misplaced(&read, key, round) =>
                {
                    let actor = crate::text::truncate(&read.actor, 40).into_owned();
                    taken.problems.push(format!("event {} of {actor} does not belong there", event.id));
                }
                Ok(read) => match unfitting(&read, round) {
                    None => good.push(event.clone()),
                    Some(why) => {
                        taken.problems.push(format!("event {} is left out: {why}", event.id));
                    }
                },
                Err(problem) => {
                    taken.problems.push(format!("{problem}; it is kept"));
                    good.push(event.clone());
                }
            }
        }
        self.merge(good, taken)
    }

    fn merge(&self, events: Vec<Event>, taken: &mut Taken) -> Result<(), StudyError> {
        for (event, merged) in events.iter().zip(self.store.merge(&events)?) {
            match merged {
                Merged::Added { .. } => taken.added += 1,
                Merged::Duplicate => taken.known += 1,
                Merged::Conflict => {
                    taken.problems.push(format!("event {} is another one here; that one was kept", event.id));
                }
            }
        }
        Ok(())
    }

    /// Tells answers that contradict each other, of those whose labels may be seen; a lead hears of them in any
    /// phase, without the answers while they are blind.
    fn contradictions(&self, round: Uuid, name: &str, taken: &mut Taken) -> Result<(), StudyError> {
        let Ok(round) = self.open(round) else { return Ok(()) };
        taken
            .problems
            .extend(round.problems.iter().map(|problem| format!("{}: {problem}", called(&round.name))));
        let desk = self.desk_of(round, name);
        for (annotator, person) in desk.round.annotators.iter().enumerate() {
            let access = desk.access(annotator);
            if access != Access::All && !desk.role.leads() {
                continue;
            }
            let sheet = desk.unguarded(annotator)?;
            let told = |value: String| if access == Access::All { value } else { "(blind)".to_owned() };
            for ((item, question), conflict) in &sheet.conflicts {
                taken.contradictions.push(Contradiction {
                    round: desk.round.name.clone(),
                    annotator: person.name.clone(),
                    item: item.clone(),
                    question: question.clone(),
                    earlier: told(conflict.earlier.answer.value.to_string()),
                    present: told(conflict.present.answer.value.to_string()),
                });
            }
            let own = desk.role == Role::Annotator(annotator);
            if (own || desk.role.leads()) && !sheet.late().is_empty() {
                taken.problems.push(format!(
                    "{}: {} came after labelling had ended; they are kept and do not count as blind",
                    person.name,
                    crate::text::counted(sheet.late().len(), "label")
                ));
            }
        }
        Ok(())
    }

    /// What all conflicts of a round were about, for those who may see them.
    pub fn conflicting(&self, desk: &Desk) -> Result<BTreeMap<usize, Vec<Cell>>, StudyError> {
        let mut all = BTreeMap::new();
        for annotator in 0..desk.round.annotators.len() {
            if let Ok(sheet) = desk.sheet(annotator) {
                all.insert(annotator, sheet.conflicts.keys().cloned().collect());
            }
        }
        Ok(all)
    }
}

/// Round and annotator of a stream of labels; round alone of decisions.
fn parts(stream: &str) -> Option<(Uuid, Option<&str>)> {
    if let Some(round) = stream.strip_prefix(DECISION) {
        return Some((round.parse().ok()?, None));
    }
    let (round, key) = stream.strip_prefix(LABEL)?.split_once('/')?;
    Some((round.parse().ok()?, Some(key)))
}

/// Why an answer cannot be a label of the round by the codebook that it names; none: it can, or that codebook is not
/// here and what becomes of it is told when it is read.
fn unfitting(event: &LabelEvent, round: &Round) -> Option<String> {
    let What::Answered(answer) = &event.what else { return None };
    let codebook = round.codebook_of(&answer.codebook)?;
    let wrong = match codebook.question(&answer.question) {
        Some(question) => question.check(&answer.value).err()?.to_string(),
        None => format!("`{}` is no question of codebook {}", answer.question, answer.codebook),
    };
    Some(crate::text::sanitise(&format!("{}: {wrong}", answer.item)).into_owned())
}

/// Whether an event says something that its actor cannot say in this stream: only a lead freezes, and only an
/// annotator answers.
fn misplaced(event: &LabelEvent, key: Option<&str>, round: &Round) -> bool {
    let Some(key) = key else { return false };
    match &event.what {
        What::Frozen { .. } | What::Withdrawn { .. } => event.actor != round.lead.key,
        What::Unknown { .. } => false,
        _ => event.actor != key,
    }
}
