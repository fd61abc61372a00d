//! Writing one trajectory: durable events to the store, transient ones to the listener and into frames.
//!
//! Promises: a durable event is checked by the machine, then on disk, then heard; frames are flushed each second. Events of
//! steps that only compute wait for those that follow and are written with them, in one wait for the disk, before
//! anything outside is touched: a request, a sandbox, a person ([`Journal::commit`]).

use super::Listener;
use super::contents::Contents;
use super::error::RunnerError;
use super::frames::{Frame, MOST_FRAMES, Reel};
use super::record::{RunRecord, all, frames_stream, stored, trajectory_stream};
use super::spec::TrajectoryHead;
use crate::repair::event::{ContentHash, Unknown, VERSION, What};
use crate::repair::machine::MachineError;
use crate::repair::{Machine, RunEvent};
use crate::store::{Clock, Expected, NewEvent, Store};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

/// Frames are flushed when the first of them is so old.
const FLUSH: SignedDuration = SignedDuration::from_secs(1);
/// Bytes of them, about.
const MOST_BYTES: usize = 24 << 20;

/// A trajectory that is written.
pub(super) struct Journal<'a> {
    store: Arc<dyn Store>,
    pub contents: Contents,
    clock: Arc<dyn Clock>,
    listener: &'a dyn Listener,
    pub head: &'a TrajectoryHead,
    run: Uuid,
    stream: String,
    /// Number of the last event in the stream.
    stored: u64,
    pub machine: Machine,
    seq: u64,
    /// Durable events that are not written yet.
    waiting: Vec<RunEvent>,
    reel: Reel,
    /// When the first frame came that is not flushed.
    since: Option<Timestamp>,
}

impl<'a> Journal<'a> {
    /// Opens a trajectory where it was left.
    pub fn open(
        record: &RunRecord,
        head: &'a TrajectoryHead,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        listener: &'a dyn Listener,
    ) -> Result<Journal<'a>, RunnerError> {
        let machine = record.machine(head)?;
        let stream = trajectory_stream(record.id, head.id);
        let heads = store.streams(&stream)?;
        let stored = heads.iter().find(|found| found.name == stream).map_or(0, |found| found.seq);
        Ok(Journal {
            contents: Contents::new(store.clone()),
            store,
            clock,
            listener,
            head,
            run: record.id,
            stream,
            stored,
            seq: machine.seen(),
            machine,
            waiting: Vec::new(),
            reel: Reel::default(),
            since: None,
        })
    }

    /// The time, as exact as it is stored.
    pub fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn event(&mut self, what: What) -> RunEvent {
        let (attempt, turn) = self.machine.position();
        RunEvent {
            v: VERSION,
            run: self.run,
            trajectory: self.head.id,
            attempt,
            turn,
            seq: self.seq + 1,
            at: self.now(),
            what,
            other: Unknown::new(),
        }
    }

    /// Records what happened; it is on disk after the next [`Journal::commit`].
    pub fn durable(&mut self, what: What) -> Result<(), RunnerError> {
        let event = self.event(what);
        self.machine.on(&event)?;
        self.seq = event.seq;
        self.waiting.push(event);
        Ok(())
    }

    /// Writes what waits, and tells it.
    pub fn commit(&mut self) -> Result<(), RunnerError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let events: Vec<NewEvent> = self.waiting.iter().map(stored).collect();
        let expected = Expected::At(self.stored);
        self.stored =
            self.contents.write_fresh(|blobs| self.store.record(&self.stream, expected, &events, blobs))?;
        for event in std::mem::take(&mut self.waiting) {
            self.listener.heard(self.head, &event);
        }
        Ok(())
    }

    /// Records what a person did, or says why it cannot be done.
    pub fn wished(&mut self, what: What) -> Result<(), RunnerError> {
        let event = self.event(what);
        match self.machine.on(&event) {
            Ok(_) => {
                self.seq = event.seq;
                self.waiting.push(event);
                self.commit()
            }
            Err(MachineError::NotNow { why, .. }) => {
                self.refuse(why);
                Ok(())
            }
            Err(error) => {
                self.refuse(&error.to_string());
                Ok(())
            }
        }
    }

    /// Tells that a wish cannot be granted.
    pub fn refuse(&self, why: &str) {
        self.listener.refused(self.head, why);
    }

    /// Tells what happens and keeps it for the frames.
    pub fn transient(&mut self, what: What) {
        let event = self.event(what);
        self.seq = event.seq;
        self.listener.heard(self.head, &event);
        if self.reel.len() >= MOST_FRAMES || self.reel.bytes() >= MOST_BYTES {
            return;
        }
        // A frame that cannot be kept costs the picture, not what came of it.
        if self.reel.push(&Frame::of(&event)).is_err() {
            return;
        }
        let since = *self.since.get_or_insert(event.at);
        if event.at.duration_since(since) >= FLUSH {
            self.flush();
        }
    }

    /// Puts what came since the last flush on disk; where that fails it is held and tried again a second later.
    fn flush(&mut self) {
        if let Some(json) = self.reel.held() {
            let hash = ContentHash::of(&json);
            let (attempt, turn) = self.machine.position();
            let data = json!({ "attempt": attempt, "turn": turn, "blob": hash });
            let event = NewEvent::new("frames", self.now(), data);
            let stream = frames_stream(self.run, self.head.id);
            if self.store.record(&stream, Expected::Any, &[event], &[&json]).is_ok() {
                self.reel.flushed(hash);
            }
        }
        self.since = None;
    }

    /// What names the frames since the last call of this, as JSON; `None`: there are none.
    pub fn take_frames(&mut self) -> Option<Vec<u8>> {
        self.since = None;
        std::mem::take(&mut self.reel).finish(|last| self.contents.add(last)).ok().flatten()
    }

    /// The frames of the turn under way that a process which is gone had flushed.
    pub fn lost_frames(&self) -> Vec<Frame> {
        let (attempt, turn) = self.machine.position();
        let Ok(events) = all(self.store.as_ref(), &frames_stream(self.run, self.head.id)) else {
            return Vec::new();
        };
        let of_turn = events.iter().filter(|event| {
            event.data.get("attempt") == Some(&json!(attempt)) && event.data.get("turn") == Some(&json!(turn))
        });
        let hashes = of_turn.filter_map(|event| ContentHash::from_hex(event.data.get("blob")?.as_str()?));
        let seen = self.machine.seen();
        hashes
            .filter_map(|hash| self.contents.frames(&hash).ok())
            .flatten()
            .filter(|frame| frame.seq > seen)
            .collect()
    }

    /// Numbers of frames that are lost are not given twice.
    pub fn skip_to(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
    }
}
