//! A round in hand: its items, the present one, the question that is asked.
//!
//! Promises: pure; what was kept is shown as it came back; the first item that wants something is the one to begin
//! with, the next one after it is the one to go to. Leaves to others: keys (`answering`), writing.

use crate::keymap::Action;
use crate::label::codebook::{Applies, Kind, Question};
use crate::label::item::Answered;
use crate::label::phase::Phase;
use crate::label::value::{Labels, Value};
use crate::study::Entry;
use crate::text;
use crate::tui::msg::study::annotate::{Mark, Opened, Row, State};
use crate::tui::widgets::input::Input;
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Something that is being written, or could not be.
#[derive(Debug)]
pub struct Pending {
    /// Number of the request.
    pub ticket: u64,
    /// What is to be written.
    pub what: Wanted,
    /// Why it is not on disk; none: it is being written.
    pub failure: Option<String>,
    /// A held key gave it: it is taken back as soon as it is there.
    pub take_back: bool,
    /// Seconds that it is being written for.
    pub seconds: u32,
}

/// What is to be written.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// An answer.
    Answer {
        /// The item's place.
        row: usize,
        /// The answer.
        entry: Box<Entry>,
        /// Whether the item wanted something before.
        was_open: bool,
    },
    /// The last answer is taken back, or this one if it is the last.
    Undo {
        /// That one only.
        only: Option<Uuid>,
    },
    /// A mark.
    Mark {
        /// The item's place.
        row: usize,
        /// The mark.
        mark: Mark,
    },
}

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// Why the item is put aside.
    Skip,
    /// A note.
    Note,
    /// A number or a text that answers the question.
    Answer,
}

/// A round in hand.
#[derive(Debug)]
pub struct Work {
    /// The round and the items.
    pub opened: Opened,
    places: HashMap<String, usize>,
    /// Columns of the longest name of an item.
    pub longest_name: u16,
    /// Place of the present item.
    pub at: usize,
    /// Number of the question in the codebook.
    pub question: usize,
    /// Number of the answer under the cursor.
    pub cursor: Option<usize>,
    /// Whether the answer under the cursor is explained.
    pub explain: bool,
    /// Answers that are chosen where several can be right.
    pub staged: BTreeSet<String>,
    /// Confirming nothing was asked for once.
    pub empty_asked: bool,
    /// The answer that the last key took or dropped.
    pub toggled: Option<String>,
    /// How sure, for the next answers.
    pub confidence: Option<u8>,
    /// What is being written.
    pub pending: Option<Pending>,
    /// The field that is typed into.
    pub field: Option<(Typed, Input)>,
    /// What is right about a training item that is complete.
    pub taught: Option<Answered>,
    /// Place of the cursor in the list of items, while that is shown.
    pub list: Option<usize>,
    /// The event of the last answer.
    pub event: Option<Uuid>,
    /// When something was written last.
    pub saved: Option<String>,
    /// Items that want nothing more.
    pub done: usize,
    /// The seconds that finished items took, the shortest first.
    times: Vec<u32>,
    /// Everything was answered when it was opened, and nobody has gone anywhere since: a key that strays in changes
    /// nothing.
    pub resting: bool,
    /// Leaving was asked for once though something is not on disk.
    pub quit_asked: bool,
}

/// The seconds that an item took, once it is finished.
fn finished_in(row: &Row) -> Option<u32> {
    (!row.state.open).then_some(row.state.seconds).filter(|seconds| *seconds > 0)
}

impl Work {
    /// The round, at the first item that wants something.
    pub fn new(opened: Opened) -> Work {
        let places = opened.rows.iter().enumerate().map(|(place, row)| (row.item.clone(), place)).collect();
        let at = opened.rows.iter().position(|row| row.state.open).unwrap_or(0);
        let names = opened.rows.iter().map(|row| text::width(row.name()));
        let longest_name = names.max().unwrap_or(0).min(usize::from(u16::MAX)) as u16;
        let mut work = Work {
            opened,
            places,
            longest_name,
            at,
            question: 0,
            cursor: None,
            explain: false,
            staged: BTreeSet::new(),
            empty_asked: false,
            toggled: None,
            confidence: None,
            pending: None,
            field: None,
            taught: None,
            list: None,
            event: None,
            saved: None,
            done: 0,
            times: Vec::new(),
            quit_asked: false,
            resting: false,
        };
        work.count();
        work.ask_next();
        work.resting =
            work.opened.phase == Phase::Labelling && work.opened.rows.iter().all(|row| !row.state.open);
        work
    }

    /// The same round as it is now. Says whether another item is shown.
    pub fn renew(&mut self, opened: Opened) -> bool {
        let item = self.row().item.clone();
        let asked = self.asked_id();
        let mut new = Work::new(opened);
        std::mem::swap(&mut new.pending, &mut self.pending);
        std::mem::swap(&mut new.field, &mut self.field);
        std::mem::swap(&mut new.saved, &mut self.saved);
        new.explain = self.explain;
        new.resting &= self.resting;
        let mut moved = true;
        if let Some(place) = new.place(&item) {
            moved = false;
            // Seconds that are on no answer yet are kept.
            let seconds = self.row().state.seconds;
            new.at = place;
            if let Some(row) = new.opened.rows.get_mut(place) {
                row.state.seconds = row.state.seconds.max(seconds);
            }
            new.ask_next();
            if let Some(number) = asked.and_then(|id| new.number(&id))
                && new.next_question().is_none()
                && new.is_asked(number)
            {
                new.ask(number);
            }
        }
        *self = new;
        moved
    }

    /// The place of an item.
    pub fn place(&self, item: &str) -> Option<usize> {
        self.places.get(item).copied()
    }

    /// The present item.
    pub fn row(&self) -> &Row {
        // There is one: a round without items is not opened.
        &self.opened.rows[self.at.min(self.opened.rows.len() - 1)]
    }

    /// All items.
    pub fn rows(&self) -> &[Row] {
        &self.opened.rows
    }

    /// A second was spent on the present item.
    pub fn tick(&mut self) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.failure.is_none()) {
            pending.seconds += 1;
        }
        let at = self.at;
        if let Some(row) = self.opened.rows.get_mut(at) {
            row.state.seconds = row.state.seconds.saturating_add(1);
        }
    }

    /// The question that is asked.
    pub fn asked(&self) -> Option<&Question> {
        self.opened.codebook.questions.get(self.question)
    }

    fn asked_id(&self) -> Option<String> {
        self.asked().map(|question| question.id.clone())
    }

    fn number(&self, id: &str) -> Option<usize> {
        self.opened.codebook.questions.iter().position(|question| question.id == id)
    }

    fn is_asked(&self, number: usize) -> bool {
        let codebook = &self.opened.codebook;
        let question = codebook.questions.get(number);
        question.is_some_and(|question| codebook.applies(question, self.labels()) == Applies::Yes)
    }

    /// The answers to the present item.
    pub fn labels(&self) -> &Labels {
        &self.row().state.labels
    }

    /// The answer that is on disk for the question.
    pub fn given(&self) -> Option<&Value> {
        self.labels().get(&self.asked()?.id)
    }

    /// Numbers of the questions that are asked about the present item.
    pub fn questions(&self) -> Vec<usize> {
        (0..self.opened.codebook.questions.len()).filter(|number| self.is_asked(*number)).collect()
    }

    /// The first question that wants an answer: one that has none, else one whose answer is stale.
    pub fn next_question(&self) -> Option<usize> {
        let codebook = &self.opened.codebook;
        if let Some(first) = codebook.missing(self.labels()).first() {
            return self.number(&first.id);
        }
        let stale = &self.row().state.stale;
        let today = stale.iter().filter_map(|stale| codebook.question_called(&stale.question));
        today.filter_map(|question| self.number(&question.id)).find(|number| self.is_asked(*number))
    }

    /// Asks the first question that wants an answer; where none does, the first one.
    pub fn ask_next(&mut self) {
        let next = self.next_question().or_else(|| self.questions().first().copied());
        self.ask(next.unwrap_or(0));
    }

    /// Asks a question.
    pub fn ask(&mut self, number: usize) {
        self.question = number;
        self.cursor = None;
        self.toggled = None;
        self.empty_asked = false;
        self.staged = match self.given() {
            Some(Value::Many(answers)) => answers.clone(),
            _ => BTreeSet::new(),
        };
        if self.explain {
            self.move_cursor(1);
        }
    }

    /// The answers that were chosen here and are not on disk.
    pub fn is_staged(&self) -> bool {
        match self.given() {
            Some(Value::Many(answers)) => *answers != self.staged,
            _ => !self.staged.is_empty(),
        }
    }

    /// Moves to another question about the item; says whether there is one.
    pub fn step_question(&mut self, forward: bool) -> bool {
        let questions = self.questions();
        let next = match forward {
            true => questions.iter().find(|number| **number > self.question),
            false => questions.iter().rev().find(|number| **number < self.question),
        };
        match next.copied() {
            Some(next) => self.ask(next),
            None => return false,
        }
        true
    }

    /// Moves the cursor among the answers, round the ends.
    pub fn move_cursor(&mut self, step: isize) {
        let Some(question) = self.asked() else { return };
        let given = |(number, answer): (usize, &crate::label::codebook::Answer)| {
            answer.can_be_given().then_some(number)
        };
        let numbers: Vec<usize> = question.answers.iter().enumerate().filter_map(given).collect();
        if numbers.is_empty() {
            return;
        }
        let last = numbers.len() as isize - 1;
        let place = self.cursor.and_then(|cursor| numbers.iter().position(|number| *number == cursor));
        let next = match place {
            None if step > 0 => 0,
            None => last,
            Some(place) => (place as isize + step).rem_euclid(last + 1),
        };
        self.cursor = numbers.get(next as usize).copied();
    }

    /// Goes to an item.
    pub fn go(&mut self, place: usize) {
        self.at = place.min(self.opened.rows.len().saturating_sub(1));
        self.confidence = None;
        self.taught = None;
        self.list = None;
        self.field = None;
        self.ask_next();
    }

    /// The next item behind the present one, round the end, that is so; not the present one.
    pub fn next_where(&self, is: impl Fn(&Row) -> bool) -> Option<usize> {
        let rows = &self.opened.rows;
        let after = (self.at + 1..rows.len()).chain(0..self.at);
        after.into_iter().find(|place| rows.get(*place).is_some_and(&is))
    }

    /// The next item that wants something; those that were put aside come last.
    pub fn next_open(&self) -> Option<usize> {
        let open = |row: &Row| row.state.open && row.state.marks.skipped.is_none();
        self.next_where(open)
    }

    /// Where a jump goes.
    pub fn jump(&self, action: Action) -> (Option<usize>, &'static str) {
        match action {
            Action::NextOpen => {
                let place = self.next_open().or_else(|| self.next_where(|row| row.state.open));
                (place, "no other item wants an answer")
            }
            Action::NextFlagged => {
                (self.next_where(|row| row.state.marks.flagged), "no other item is flagged")
            }
            Action::NextNoted => {
                (self.next_where(|row| !row.state.marks.note.is_empty()), "no other item has a note")
            }
            Action::NextSkipped => {
                (self.next_where(|row| row.state.marks.skipped.is_some()), "no other item was put aside")
            }
            _ => (
                self.next_where(|row| !row.state.stale.is_empty()),
                "no other item was answered before the codebook changed",
            ),
        }
    }

    /// Counts what is finished, and how long that took.
    fn count(&mut self) {
        let rows = &self.opened.rows;
        self.done = rows.iter().filter(|row| !row.state.open).count();
        self.times = rows.iter().filter_map(finished_in).collect();
        self.times.sort_unstable();
    }

    /// An item as it is on disk now. What it costs does not depend on how many items there are.
    pub fn take_in(&mut self, place: usize, state: State) {
        let Some(row) = self.opened.rows.get_mut(place) else { return };
        let before = (row.state.open, finished_in(row));
        let seconds = row.state.seconds.max(state.seconds);
        row.state = State { seconds, ..state };
        let after = (row.state.open, finished_in(row));
        if before == after {
            return;
        }
        self.done = self.done + usize::from(before.0) - usize::from(after.0);
        if let Some(seconds) = before.1 {
            // Seconds that were spent on it since were not counted; the nearest time goes in its place.
            let at = self.times.binary_search(&seconds).unwrap_or_else(|at| at);
            if !self.times.is_empty() {
                self.times.remove(at.min(self.times.len() - 1));
            }
        }
        if let Some(seconds) = after.1 {
            let at = self.times.binary_search(&seconds).unwrap_or_else(|at| at);
            self.times.insert(at, seconds);
        }
    }

    /// Median of the seconds that finished items took.
    pub fn pace(&self) -> Option<u32> {
        self.times.get(self.times.len() / 2).copied()
    }

    /// Why nothing can be answered about the present item, in words.
    pub fn closed(&self) -> Option<&str> {
        let back = self.opened.phase == Phase::Adjudication && self.row().state.back.is_some();
        self.opened.closed.as_deref().filter(|_| !back)
    }

    /// Whether several answers can be right.
    pub fn is_multiple(&self) -> bool {
        self.asked().is_some_and(|question| question.kind == Kind::Multiple)
    }

    /// Whether something is being written or could not be.
    pub fn unsaved(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.failure.is_some())
    }
}
