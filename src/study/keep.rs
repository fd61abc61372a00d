//! Streams of rounds: listed, read, appended to.
//!
//! Promises: an append is made only where everything before it was seen, and tried again where somebody was
//! quicker; events that cannot be read are kept and told.

use super::StudyError;
use crate::label::event::{self, LabelEvent, What};
use crate::label::phase::Phase;
use crate::label::round::{Round, same_name};
use crate::store::{Clock, Event, Expected, NewEvent, Store, StoreError, SystemClock};
use std::sync::Arc;
use uuid::Uuid;

/// What names of streams begin with.
pub(super) const ROUND: &str = "round/";
pub(super) const LABEL: &str = "label/";
pub(super) const DECISION: &str = "decision/";

/// The stream of a round.
pub(super) fn round_stream(round: Uuid) -> String {
    format!("{ROUND}{round}")
}

/// The stream of an annotator's labels, by the key of the annotator.
pub(super) fn label_stream(round: Uuid, key: &str) -> String {
    format!("{LABEL}{round}/{key}")
}

/// The stream of decisions.
pub(super) fn decision_stream(round: Uuid) -> String {
    format!("{DECISION}{round}")
}

/// The studies of a workspace.
#[derive(Clone)]
pub struct Studies {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
}

/// A stream that was read.
pub(super) struct Stream {
    pub events: Vec<LabelEvent>,
    /// Number of the last event, readable or not.
    pub seq: u64,
    /// What could not be read.
    pub problems: Vec<String>,
}

impl Studies {
    /// Those of a workspace.
    pub fn new(store: Arc<dyn Store>) -> Studies {
        Studies { store, clock: Arc::new(SystemClock) }
    }

    /// With another clock.
    pub fn with_clock(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Studies {
        Studies { store, clock }
    }

    /// The time by the clock that events are stamped with.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// Reads a stream from a number on.
    pub(super) fn read_from(&self, stream: &str, from: u64) -> Result<Stream, StoreError> {
        let mut read = Stream { events: Vec::new(), seq: from.saturating_sub(1), problems: Vec::new() };
        self.store.scan(stream, from, &mut |row| {
            read.seq = row.seq;
            match LabelEvent::parse(row.id, row.at, row.v, row.kind, row.data) {
                Ok(event) => read.events.push(event),
                Err(problem) => read.problems.push(problem.to_string()),
            }
        })?;
        Ok(read)
    }

    /// Reads a stream.
    pub(super) fn read(&self, stream: &str) -> Result<Stream, StoreError> {
        self.read_from(stream, 1)
    }

    /// An event that is to be appended.
    pub(super) fn event(&self, round: Uuid, order: u64, actor: &str, what: &What) -> NewEvent {
        let (kind, data) = LabelEvent::stored(round, order, actor, what);
        NewEvent { kind, at: self.clock.now(), v: event::VERSION, data }
    }

    /// Appends to a stream behind number `seq`; false: somebody else was quicker.
    pub(super) fn append(&self, stream: &str, seq: u64, events: &[NewEvent]) -> Result<bool, StoreError> {
        match self.store.append(stream, Expected::At(seq), events) {
            Ok(_) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ids of all rounds, the newest first.
    fn ids(&self) -> Result<Vec<Uuid>, StudyError> {
        let streams = self.store.streams(ROUND)?;
        let mut ids: Vec<Uuid> =
            streams.iter().filter_map(|head| head.name.strip_prefix(ROUND)?.parse().ok()).collect();
        // UUIDv7 begin with the time.
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids)
    }

    /// All rounds that can be read, the newest first, and what could not be read; those that were withdrawn are left
    /// out.
    pub fn list(&self) -> Result<(Vec<Round>, Vec<String>), StudyError> {
        let (mut rounds, problems) = self.list_all()?;
        rounds.retain(|round| round.withdrawn.is_none());
        Ok((rounds, problems))
    }

    /// The same, with those that were withdrawn.
    pub fn list_all(&self) -> Result<(Vec<Round>, Vec<String>), StudyError> {
        let (mut rounds, mut problems) = (Vec::new(), Vec::new());
        for id in self.ids()? {
            match self.open(id) {
                Ok(round) => rounds.push(round),
                Err(StudyError::BadRound { id, why }) => problems.push(format!("round {id}: {why}")),
                Err(error) => return Err(error),
            }
        }
        Ok((rounds, problems))
    }

    /// The round with this id, if it was not withdrawn.
    pub fn open_in_force(&self, id: Uuid) -> Result<Round, StudyError> {
        let round = self.open(id)?;
        refuse_withdrawn(&round)?;
        Ok(round)
    }

    /// The round with this id, also one that was withdrawn.
    pub fn open(&self, id: Uuid) -> Result<Round, StudyError> {
        self.open_at(id).map(|(round, _)| round)
    }

    /// The round with this id, and the number of its last event.
    pub(super) fn open_at(&self, id: Uuid) -> Result<(Round, u64), StudyError> {
        let stream = self.read(&round_stream(id))?;
        let bad = |why: String| StudyError::BadRound { id: id.to_string(), why };
        let mut round = Round::of(stream.events).map_err(|error| {
            bad(stream
                .problems
                .first()
                .map_or_else(|| error.to_string(), |first| format!("{error} ({first})")))
        })?;
        round.problems.extend(stream.problems);
        Ok((round, stream.seq))
    }

    /// The round with this name, as `name` or `study/name`, or whose id begins so; without a name, the only round
    /// that is not closed, else the newest. One that was withdrawn is never meant; what is said of it is when it was.
    pub fn find(&self, name: Option<&str>) -> Result<Round, StudyError> {
        let (mut rounds, _) = self.list_all()?;
        let withdrawn: Vec<Round> = rounds.extract_if(.., |round| round.withdrawn.is_some()).collect();
        let Some(name) = name else {
            let mut open = rounds.iter().filter(|round| round.phase != Phase::Closed);
            return match (open.next(), open.next()) {
                (Some(only), None) => Ok(only.clone()),
                (Some(one), Some(other)) => Err(StudyError::ManyOpen([one, other].map(described).into())),
                (None, _) => rounds.into_iter().next().ok_or(StudyError::NoRounds),
            };
        };
        match fitting(&rounds, name).as_slice() {
            [] => {
                if let Some(round) = fitting(&withdrawn, name).first() {
                    refuse_withdrawn(round)?;
                }
                if rounds.is_empty() {
                    return Err(StudyError::NoRounds);
                }
                let hint = "; `mendbench round list` lists them".to_owned();
                Err(StudyError::NoRound { found: name.to_owned(), hint })
            }
            [only] => Ok((*only).clone()),
            several => Err(StudyError::ManyRounds {
                found: name.to_owned(),
                fitting: several.iter().take(5).map(|round| described(round)).collect(),
            }),
        }
    }

    /// Appends to the stream of a round what `make` makes of the round as it stands; tries again where somebody
    /// else was quicker. Answers with the round as it stands then.
    pub(super) fn change(
        &self,
        id: Uuid,
        actor: &str,
        make: &dyn Fn(&Round) -> Result<Vec<What>, StudyError>,
    ) -> Result<Round, StudyError> {
        loop {
            let (round, seq) = self.open_at(id)?;
            refuse_withdrawn(&round)?;
            let whats = make(&round)?;
            if whats.is_empty() {
                return Ok(round);
            }
            let orders = round.order + 1..;
            let events: Vec<NewEvent> =
                orders.zip(&whats).map(|(order, what)| self.event(id, order, actor, what)).collect();
            if self.append(&round_stream(id), seq, &events)? {
                return self.open(id);
            }
        }
    }
}

/// The rounds that this name, `study/name` or part of an id means.
fn fitting<'a>(rounds: &'a [Round], name: &str) -> Vec<&'a Round> {
    let called = |round: &&Round| {
        same_name(&round.name, name) || same_name(&format!("{}/{}", round.study, round.name), name)
    };
    let found: Vec<&Round> = rounds.iter().filter(called).collect();
    if !found.is_empty() || name.len() < 4 {
        return found;
    }
    let wanted = name.to_ascii_lowercase();
    // Ids made at one time begin alike; their ends tell them apart.
    let fits = |round: &&Round| {
        let id = round.id.to_string();
        id.starts_with(&wanted) || id.ends_with(&wanted)
    };
    rounds.iter().filter(fits).collect()
}

/// Nothing is done in a round that was withdrawn.
pub(super) fn refuse_withdrawn(round: &Round) -> Result<(), StudyError> {
    match &round.withdrawn {
        None => Ok(()),
        Some(withdrawn) => Err(StudyError::Withdrawn {
            round: round.name.clone(),
            who: round.lead.name.clone(),
            at: withdrawn.at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        }),
    }
}

fn described(round: &Round) -> String {
    let id = round.id.to_string();
    format!("{}/{} (…{})", round.study, round.name, id.get(24..).unwrap_or(&id))
}

/// An event as this version reads it, or what is wrong with it.
pub(super) fn readable(event: &Event) -> Result<LabelEvent, String> {
    LabelEvent::read(event.id, event.at, event.v, &event.kind, &event.data).map_err(|error| error.to_string())
}
