//! Messages of labelling.
//!
//! Promises: what is told of a person's labels is their own; an item that was kept comes back as it stands on disk,
//! so that the screen shows what is there and not what it hopes.

use crate::label::codebook::{Codebook, Stamp};
use crate::label::fold::Marks;
use crate::label::item::{Answered, SECOND};
use crate::label::phase::Phase;
use crate::label::reading::Stale;
use crate::label::value::Labels;
use crate::study::Entry;
use crate::task::tags::Tag;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// What one has to label in a round; `None`: in the round that is meant where none was chosen.
    Open(Option<Uuid>),
    /// Keep an answer.
    Answer(Uuid, Box<Entry>),
    /// Take back the last answer; with an event only if that is the last one.
    Undo(Uuid, Option<Uuid>),
    /// Put an item aside, mark it, or write a note on it.
    Mark(Uuid, String, Mark),
    /// What was said about a task, `dataset/id`, over all rounds, as far as one may see it.
    OfTask(String),
    /// What was said about all tasks of a round, for the list of tasks.
    Tags {
        /// The round in hand, where one was chosen.
        round: Option<Uuid>,
        /// What was told last is still there: the same is not told again.
        known: bool,
    },
}

/// A mark on an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Put aside and why; `None`: taken up again.
    Skipped(Option<String>),
    /// To be looked at again, or not any more.
    Flagged(bool),
    /// A note; empty: none any more.
    Noted(String),
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// What one has to label.
    Opened(Box<Opened>),
    /// There is nothing to label for who asks, and what to do.
    Nothing(String),
    /// It is on disk.
    Kept(Box<OnDisk>),
    /// It is not on disk.
    NotKept {
        /// Why, in words.
        why: String,
        /// The rules are against it; else the same can be tried again.
        by_rule: bool,
        /// The round, where it is another one than was known.
        fresh: Option<Box<Opened>>,
    },
    /// What was said about a task, the newest round first; rounds that it is no item of are left out.
    OfTask(Vec<InRound>),
    /// What was said about all tasks of a round.
    Tags(Box<Tagged>),
    /// Nothing has changed since that was told.
    SameTags,
}

/// What was said about the tasks of a round, as far as one may see it.
#[derive(Debug, Default)]
pub struct Tagged {
    /// The name of the round; none: who asks has no part in it, so no column is shown.
    pub round: Option<String>,
    /// What was said, by the names of tasks.
    pub tags: HashMap<String, Tag>,
    /// Why it is not told on what annotators differ.
    pub hidden: Option<&'static str>,
}

/// What was said about a task in a round, as far as one may see it.
#[derive(Debug, Clone)]
pub struct InRound {
    /// Study and name of the round.
    pub round: String,
    /// Where it stands.
    pub phase: Phase,
    /// Name and stamp of its codebook.
    pub codebook: String,
    /// Why the labels of others are not here, in words that do not depend on whether there are any.
    pub hidden: Option<&'static str>,
    /// Labels: by whom, and what.
    pub said: Vec<Said>,
    /// Notes: by whom, and what.
    pub notes: Vec<(String, String)>,
    /// What was decided: question, value, reason and comment.
    pub decided: Vec<(String, String, String)>,
}

/// A label of somebody.
#[derive(Debug, Clone)]
pub struct Said {
    /// Who.
    pub who: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub value: String,
    /// The blind answer, where it was another one.
    pub first: Option<String>,
    /// When, and by which codebook if it was another one than the round has now.
    pub when: String,
}

/// What one has to label in a round.
#[derive(Debug)]
pub struct Opened {
    /// The round.
    pub round: Uuid,
    /// Its study.
    pub study: String,
    /// Its name.
    pub name: String,
    /// Where it was drawn from, as [`Origin::label`](crate::catalogue::Origin) has it.
    pub source: String,
    /// Where it stands.
    pub phase: Phase,
    /// Who one is.
    pub who: String,
    /// What is asked.
    pub codebook: Arc<Codebook>,
    /// Its stamp.
    pub stamp: Stamp,
    /// The items in the order of serving.
    pub rows: Vec<Row>,
    /// Why nothing can be answered, in words; in adjudication some items still can.
    pub closed: Option<String>,
}

/// An item that one has to label.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name in the round.
    pub item: String,
    /// The task that it is, `dataset/id`.
    pub task: String,
    /// The revision that the round has.
    pub revision: String,
    /// Whether what is right is told at once.
    pub training: bool,
    /// What was said about it.
    pub state: State,
}

impl Row {
    /// The name of the item as the annotator sees it: that it is served a second time is not told.
    pub fn name(&self) -> &str {
        self.item.strip_suffix(SECOND).unwrap_or(&self.item)
    }
}

/// What was said about an item, as it stands on disk.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The answers that hold with the codebook in force.
    pub labels: Labels,
    /// Those that do not.
    pub stale: Vec<Stale>,
    /// Marks.
    pub marks: Marks,
    /// Seconds that it was looked at so far.
    pub seconds: u32,
    /// Whether something is still to be answered.
    pub open: bool,
    /// Why the arbitrator sent it back.
    pub back: Option<String>,
}

/// Something that is on disk.
#[derive(Debug)]
pub struct OnDisk {
    /// The item.
    pub item: String,
    /// The question; none for a mark.
    pub question: Option<String>,
    /// The item as it is now.
    pub state: State,
    /// The event of the answer that holds.
    pub event: Option<Uuid>,
    /// When, as people read it: `14:02`.
    pub at: String,
    /// Of a training item, what is right.
    pub training: Option<Answered>,
    /// The phase in which it counts.
    pub phase: Phase,
    /// The round, where it is another one than was known.
    pub fresh: Option<Box<Opened>>,
}
