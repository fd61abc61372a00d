//! Runs as they are stored: listed, found, read.
//!
//! Promises: reading changes nothing; events come back as they were written, unknown kinds included.

use super::contents::Contents;
use super::error::RunnerError;
use super::frames::Frame;
use super::spec::{RunSpec, TrajectoryHead};
use crate::repair::event::{ContentHash, StopReason, What};
use crate::repair::{Machine, RunEvent};
use crate::store::{BlobId, Event, Expected, NewEvent, Store};
use crate::task::{Task, TaskName};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use uuid::Uuid;

/// Kind of the event that begins a run.
const CREATED: &str = "run-created";
/// Kind of the event that holds trajectories' heads.
const TRAJECTORIES: &str = "trajectories-created";
/// Heads in one event.
const MOST_HEADS: usize = 5_000;

fn run_stream(run: Uuid) -> String {
    format!("run/{run}")
}

/// The stream of a trajectory's events.
pub(super) fn trajectory_stream(run: Uuid, trajectory: Uuid) -> String {
    format!("trajectory/{run}/{trajectory}")
}

/// The stream of frames that were flushed.
pub(super) fn frames_stream(run: Uuid, trajectory: Uuid) -> String {
    format!("frames/{run}/{trajectory}")
}

/// Field of the event that ends a trajectory: a person stepped into it.
pub(super) const INTERVENED: &str = "intervened";

/// How a trajectory ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub reason: StopReason,
    /// Whether a person had stepped into it: its end is not the model's.
    pub intervened: bool,
}

/// A run in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHead {
    /// Its id.
    pub id: Uuid,
    /// When it was made.
    pub created: Timestamp,
    /// What it goes by.
    pub spec: RunSpec,
    /// Its trajectories.
    pub trajectories: usize,
    /// Those that are over.
    pub over: usize,
    /// How these ended, by reason, without those that a person stepped into.
    pub ends: BTreeMap<StopReason, usize>,
    /// Those that are over and that a person stepped into.
    pub intervened: usize,
    /// Its tasks.
    pub tasks: usize,
}

impl RunHead {
    /// Trajectories that ended so, without a person.
    pub fn ended(&self, reason: StopReason) -> usize {
        self.ends.get(&reason).copied().unwrap_or(0)
    }

    /// Those in which the model had all its turns, or stopped by a rule of the run, without a repair.
    pub fn failed(&self) -> usize {
        [StopReason::Exhausted, StopReason::Repeat, StopReason::NoCode]
            .map(|reason| self.ended(reason))
            .iter()
            .sum()
    }
}

/// The runs of a workspace.
#[derive(Clone)]
pub struct Runs(Arc<dyn Store>);

impl Runs {
    /// Those of a workspace.
    pub fn new(store: Arc<dyn Store>) -> Runs {
        Runs(store)
    }

    /// What their events name.
    pub fn contents(&self) -> Contents {
        Contents::new(self.0.clone())
    }

    /// All ids, newest first.
    fn ids(&self) -> Result<Vec<Uuid>, RunnerError> {
        let streams = self.0.streams("run/")?;
        let mut ids: Vec<Uuid> =
            streams.iter().filter_map(|head| head.name.strip_prefix("run/")?.parse().ok()).collect();
        // UUIDv7 begin with the time.
        ids.sort_unstable_by(|one, two| two.cmp(one));
        Ok(ids)
    }

    /// All runs that can be read, newest first.
    pub fn list(&self) -> Result<Vec<RunHead>, RunnerError> {
        let mut heads = Vec::new();
        for id in self.ids()? {
            match self.open(id) {
                Ok(run) => {
                    let (mut ends, mut intervened) = (BTreeMap::new(), 0);
                    for head in &run.trajectories {
                        match run.end(head)? {
                            Some(End { intervened: true, .. }) => intervened += 1,
                            Some(End { reason, .. }) => *ends.entry(reason).or_default() += 1,
                            None => {}
                        }
                    }
                    let names: BTreeSet<&TaskName> = run.trajectories.iter().map(|head| &head.task).collect();
                    heads.push(RunHead {
                        tasks: names.len(),
                        trajectories: run.trajectories.len(),
                        over: ends.values().sum::<usize>() + intervened,
                        id,
                        created: run.created,
                        spec: run.spec,
                        ends,
                        intervened,
                    });
                }
                // A run of a newer version does not hide the others.
                Err(RunnerError::Record { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(heads)
    }

    /// The run with this id, with an id that begins so, or the newest one (`last`).
    pub fn find(&self, text: &str) -> Result<Uuid, RunnerError> {
        let ids = self.ids()?;
        let none = |hint: &str| RunnerError::NoRun { found: text.to_owned(), hint: hint.to_owned() };
        let Some(newest) = ids.first() else {
            return Err(none(": it holds no runs yet; `mendbench repair` makes one"));
        };
        if text == "last" {
            return Ok(*newest);
        }
        let wanted = text.to_ascii_lowercase();
        let fitting: Vec<&Uuid> = match wanted.len() {
            0..4 => Vec::new(),
            _ => ids.iter().filter(|id| id.to_string().starts_with(&wanted)).collect(),
        };
        match fitting.as_slice() {
            [] => Err(none("; write `last`, or at least four digits of an id that `mendbench runs` lists")),
            [only] => Ok(**only),
            many => Err(RunnerError::ManyRuns { found: text.to_owned(), count: many.len() }),
        }
    }

    /// A run with its trajectories.
    pub fn open(&self, id: Uuid) -> Result<RunRecord, RunnerError> {
        let unreadable = |why: String| RunnerError::Record { trajectory: id, why };
        let mut made: Option<(Timestamp, RunSpec)> = None;
        let mut trajectories = Vec::new();
        for event in all(self.0.as_ref(), &run_stream(id))? {
            match event.kind.as_str() {
                CREATED => {
                    let spec =
                        serde_json::from_value(event.data).map_err(|why| unreadable(why.to_string()))?;
                    made = Some((event.at, spec));
                }
                TRAJECTORIES => {
                    let heads: Vec<TrajectoryHead> =
                        serde_json::from_value(event.data).map_err(|why| unreadable(why.to_string()))?;
                    trajectories.extend(heads);
                }
                _ => {}
            }
        }
        let Some((created, spec)) = made else {
            return Err(RunnerError::NoRun { found: id.to_string(), hint: String::new() });
        };
        Ok(RunRecord { store: self.0.clone(), id, created, spec, trajectories })
    }

    /// Makes a run.
    pub(super) fn create(
        &self,
        id: Uuid,
        created: Timestamp,
        spec: RunSpec,
        trajectories: Vec<TrajectoryHead>,
    ) -> Result<RunRecord, RunnerError> {
        // As exact as it is stored, so that what is made is what is read.
        let created = Timestamp::from_microsecond(created.as_microsecond()).unwrap_or(created);
        let data = |value: Result<Value, serde_json::Error>| {
            value.map_err(|why| RunnerError::Record { trajectory: id, why: why.to_string() })
        };
        let mut events = vec![NewEvent::new(CREATED, created, data(serde_json::to_value(&spec))?)];
        for heads in trajectories.chunks(MOST_HEADS) {
            events.push(NewEvent::new(TRAJECTORIES, created, data(serde_json::to_value(heads))?));
        }
        self.0.append(&run_stream(id), Expected::At(0), &events)?;
        Ok(RunRecord { store: self.0.clone(), id, created, spec, trajectories })
    }
}

/// A run.
#[derive(Clone)]
pub struct RunRecord {
    store: Arc<dyn Store>,
    /// Its id.
    pub id: Uuid,
    /// When it was made.
    pub created: Timestamp,
    /// What it goes by.
    pub spec: RunSpec,
    /// Its trajectories, in the order in which they are begun.
    pub trajectories: Vec<TrajectoryHead>,
}

impl std::fmt::Debug for RunRecord {
    /// Without the store.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run {} of {} trajectories", self.id, self.trajectories.len())
    }
}

impl RunRecord {
    /// What its events name.
    pub fn contents(&self) -> Contents {
        Contents::new(self.store.clone())
    }

    /// The durable events of a trajectory.
    pub fn events(&self, trajectory: &TrajectoryHead) -> Result<Vec<RunEvent>, RunnerError> {
        let stored = all(self.store.as_ref(), &trajectory_stream(self.id, trajectory.id))?;
        stored.into_iter().map(|event| self.event(trajectory.id, event)).collect()
    }

    fn event(&self, trajectory: Uuid, stored: Event) -> Result<RunEvent, RunnerError> {
        let unreadable = |why: String| RunnerError::Record { trajectory, why };
        let Value::Object(mut fields) = stored.data else {
            return Err(unreadable(format!("event {} is no object", stored.seq)));
        };
        let mut number = |key: &str| {
            fields
                .remove(key)
                .as_ref()
                .and_then(Value::as_u64)
                .ok_or_else(|| unreadable(format!("event {} has no number `{key}`", stored.seq)))
        };
        let (attempt, turn, seq) = (number("attempt")?, number("turn")?, number("seq")?);
        let small = |value: u64| {
            u32::try_from(value).map_err(|_| unreadable(format!("{value} is no number of a turn")))
        };
        let data = fields.remove("data").unwrap_or(Value::Null);
        Ok(RunEvent {
            v: stored.v,
            run: self.id,
            trajectory,
            attempt: small(attempt)?,
            turn: small(turn)?,
            seq,
            at: stored.at,
            what: What::read(stored.v, &stored.kind, data).map_err(|why| unreadable(why.to_string()))?,
            other: fields,
        })
    }

    /// The machine of a trajectory, as far as it has come.
    pub fn machine(&self, trajectory: &TrajectoryHead) -> Result<Machine, RunnerError> {
        let events = self.events(trajectory)?;
        let Some(cell) = self.spec.cell(&trajectory.cell) else {
            let why = format!("the run has no cell {}", trajectory.cell.short());
            return Err(RunnerError::Record { trajectory: trajectory.id, why });
        };
        Ok(Machine::resume(cell, self.spec.rules(), self.id, trajectory.id, &events)?)
    }

    /// Why a trajectory is over; `None`: it is not.
    pub fn stopped(&self, trajectory: &TrajectoryHead) -> Result<Option<StopReason>, RunnerError> {
        Ok(self.end(trajectory)?.map(|end| end.reason))
    }

    /// How a trajectory ended; `None`: it is not over. Only its last event is read.
    pub fn end(&self, trajectory: &TrajectoryHead) -> Result<Option<End>, RunnerError> {
        let stream = trajectory_stream(self.id, trajectory.id);
        let heads = self.store.streams(&stream)?;
        let Some(head) = heads.iter().find(|head| head.name == stream) else { return Ok(None) };
        let last = self.store.read(&stream, head.seq, 1)?.into_iter().next();
        let last = last.map(|event| self.event(trajectory.id, event)).transpose()?;
        Ok(last.and_then(|event| match event.what {
            What::Stopped(stopped) => {
                let intervened = stopped.other.get(INTERVENED).and_then(Value::as_bool).unwrap_or(false);
                Some(End { reason: stopped.reason, intervened })
            }
            _ => None,
        }))
    }

    /// The task of a trajectory.
    pub fn task(&self, trajectory: &TrajectoryHead) -> Result<Task, RunnerError> {
        let missing =
            || RunnerError::Missing { what: "the task", hash: trajectory.revision.short().to_owned() };
        let hash = ContentHash::from_hex(trajectory.revision.as_str()).ok_or_else(missing)?;
        self.contents().task(&trajectory.task, &hash)
    }

    /// Copies the run, its trajectories and what their events name into another store.
    ///
    /// # Errors
    ///
    /// Something that an event names is not there, or the other store fails.
    pub fn copy_into(&self, to: &dyn Store) -> Result<(), RunnerError> {
        let streams = self.trajectories.iter().map(|head| trajectory_stream(self.id, head.id));
        for stream in std::iter::once(run_stream(self.id)).chain(streams) {
            let events = all(self.store.as_ref(), &stream)?;
            let frames = events.iter().filter_map(|event| event.data.get("frames")?.as_str());
            let pieces: Vec<ContentHash> = frames
                .filter_map(ContentHash::from_hex)
                .flat_map(|hash| self.contents().pieces(&hash))
                .collect();
            let mut named = BTreeSet::new();
            events.iter().for_each(|event| hashes(&event.data, &mut named));
            named.extend(pieces.iter().map(ContentHash::as_str));
            for hash in named {
                // Not all that has 64 digits is the name of something that is kept: the id of a cell is not.
                if let Ok(id) = hash.parse::<BlobId>()
                    && let Some(bytes) = self.store.get(&id)?
                {
                    to.put(&bytes)?;
                }
            }
            to.merge(&events)?;
        }
        Ok(())
    }

    /// All events of a trajectory, transient ones included as far as they are kept, in their order.
    pub fn replay(&self, trajectory: &TrajectoryHead) -> Result<Vec<RunEvent>, RunnerError> {
        let contents = self.contents();
        let mut all = Vec::new();
        for event in self.events(trajectory)? {
            let frames = match &event.what {
                What::AnswerFinished(data) => data.frames.as_ref(),
                What::Verified(data) => data.frames.as_ref(),
                _ => None,
            };
            // Frames that are not there cost the picture of how it came about, not what came of it.
            let frames: Vec<Frame> = frames.and_then(|hash| contents.frames(hash).ok()).unwrap_or_default();
            for frame in frames {
                if let Ok(frame) = frame.event(&event) {
                    all.push(frame);
                }
            }
            all.push(event);
        }
        // What a person did between two pieces of a call stands between them.
        all.sort_by_key(|event| event.seq);
        Ok(all)
    }
}

/// All texts in a value that could be hashes.
fn hashes<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) if text.len() == 64 => {
            found.insert(text);
        }
        Value::Array(list) => list.iter().for_each(|value| hashes(value, found)),
        Value::Object(map) => map.values().for_each(|value| hashes(value, found)),
        _ => {}
    }
}

/// An event as it is stored.
pub(super) fn stored(event: &RunEvent) -> NewEvent {
    let mut data: Map<String, Value> = event.other.clone();
    data.insert("attempt".to_owned(), json!(event.attempt));
    data.insert("turn".to_owned(), json!(event.turn));
    data.insert("seq".to_owned(), json!(event.seq));
    data.insert("data".to_owned(), event.what.data());
    NewEvent { kind: event.kind().to_owned(), at: event.at, v: event.v, data: Value::Object(data) }
}

/// All events of a stream.
pub(super) fn all(store: &dyn Store, stream: &str) -> Result<Vec<Event>, RunnerError> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let from = events.last().map_or(1, |event| event.seq + 1);
        let more = store.read(stream, from, crate::store::PAGE_LIMIT)?;
        if more.is_empty() {
            return Ok(events);
        }
        events.extend(more);
    }
}
