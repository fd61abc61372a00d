//! The Tasks screen: many tasks in a list, a live filter, and the difference of the one under the cursor.
//!
//! Promises: moving the cursor never waits for anything; the list keeps the task under the cursor when it
//! is sorted, grouped or filled. Leaves to others: choosing rows (`task::filter`, `task::list`), reading
//! tasks (jobs), keys (`keymap`).

mod actions;
mod columns;
mod draw;
mod labels;
mod preview;

pub use draw::{draw, header, list_row};

use super::{Context, Outcome};
use crate::catalogue::{LoadedTask, Progress, Skips};
use crate::keymap::{Action, Key};
use crate::task::filter::Filter;
use crate::task::list::{Arranged, Arrangement, Entry};
use crate::task::table::{Summary, TaskTable};
use crate::tui::msg::{Cmd, Job, JobResult, Slot};
use crate::tui::widgets::input::{Edit, Input};
use preview::Preview;
use std::collections::HashSet;
use std::sync::Arc;

/// Up to this many tasks are filtered at once, without a job: it takes less than a frame.
const AT_ONCE: usize = 4_000;

/// Columns from which on the preview stands beside the list.
const PREVIEW_FROM: u16 = 100;

/// State of the screen.
#[derive(Debug)]
pub struct Tasks {
    table: Arc<TaskTable>,
    complete: bool,
    expected: Option<usize>,
    skips: Skips,
    failure: Option<String>,
    input: Input,
    typing: bool,
    filter: Arc<Filter>,
    filter_error: Option<String>,
    labels: labels::LabelsOfTasks,
    /// Dataset and id of the task that the cursor goes to when the list was read anew.
    wanted: Option<(String, String)>,
    arrangement: Arrangement,
    arranged: Arranged,
    selected: Option<(Arc<Filter>, Arc<Vec<u32>>)>,
    collapsed: HashSet<String>,
    entries: Vec<Entry>,
    cursor: usize,
    top: usize,
    height: u16,
    width: u16,
    list_ticket: u64,
    /// Where the cursor goes when the list that was asked for arrives.
    after: Keep,
    preview: Preview,
    /// Measured once for each table.
    present: columns::Present,
}

/// Where the cursor goes in a new list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// On the same task.
    Task,
    /// To the first line: the best match of what was typed.
    First,
}

/// What the cursor was on.
struct UnderCursor {
    /// Label of the group whose heading it was.
    heading: Option<String>,
    /// The task, or the first one of the group.
    row: u32,
}

impl Tasks {
    /// The screen before anything was read, with or without a preview.
    pub fn new(preview: bool) -> Tasks {
        Tasks {
            table: Arc::default(),
            complete: false,
            expected: None,
            skips: Skips::default(),
            failure: None,
            input: Input::default(),
            typing: false,
            filter: Arc::default(),
            filter_error: None,
            labels: labels::LabelsOfTasks::default(),
            wanted: None,
            arrangement: Arrangement::default(),
            arranged: Arranged::default(),
            selected: None,
            collapsed: HashSet::new(),
            entries: Vec::new(),
            cursor: 0,
            top: 0,
            height: 0,
            width: 0,
            list_ticket: 0,
            after: Keep::Task,
            preview: Preview::new(preview),
            present: columns::Present::default(),
        }
    }

    /// Starts with a filter typed already (`--filter`).
    pub fn with_filter(mut self, expression: &str) -> Tasks {
        self.input = Input::new(expression);
        self.read_filter();
        self
    }

    /// Whether keys go into the filter.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// The view's size is known.
    pub fn resize(&mut self, width: u16, height: u16, ctx: &mut Context) -> Vec<Cmd> {
        self.width = width;
        self.height = draw::list_height(self, ctx, width, height);
        self.keep_visible();
        if let Some((width, height)) = draw::preview_size(self, ctx, width, height) {
            self.preview.layout(width, height);
        }
        self.want_preview(ctx, false)
    }

    /// The list has grown or is complete.
    pub fn set_table(&mut self, progress: Progress, ctx: &mut Context) -> Vec<Cmd> {
        self.table = progress.table;
        self.complete = progress.complete;
        self.expected = progress.expected;
        self.skips = progress.skips;
        self.failure = None;
        self.selected = None;
        self.present = columns::Present::of(&self.table);
        let mut commands = self.arrange(ctx, Keep::Task);
        // Labels are joined by the keys of this list.
        if self.complete {
            commands.push(self.ask_for_labels(true, ctx));
        }
        commands
    }

    /// The list is about to be read anew; the cursor stays on its task, if that is still there.
    pub fn reload(&mut self) {
        self.wanted = self.current().map(|summary| (summary.dataset.to_owned(), summary.id.to_owned()));
        self.complete = false;
    }

    /// What is wrong with the filter that is typed.
    pub fn filter_error(&self) -> Option<&str> {
        self.filter_error.as_deref()
    }

    /// Whether there is something to work with, however reading ended.
    pub fn has_tasks(&self) -> bool {
        !self.table.is_empty()
    }

    /// Why reading failed, if it did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Puts the cursor on a task, if it is in the list.
    pub fn select(&mut self, key: u64, ctx: &mut Context) -> Vec<Cmd> {
        let is_it = |entry: &Entry| match entry {
            Entry::Task(row) => self.table.get(*row).is_some_and(|summary| summary.key == key),
            Entry::Group(_) => false,
        };
        if !self.entries.get(self.cursor).is_some_and(is_it)
            && let Some(index) = self.entries.iter().position(is_it)
        {
            self.cursor = index;
            self.keep_visible();
        }
        self.want_preview(ctx, false)
    }

    /// Reading failed.
    pub fn fail(&mut self, message: String) {
        self.complete = true;
        self.failure = Some(message);
    }

    /// What was skipped while reading.
    pub fn skips(&self) -> &Skips {
        &self.skips
    }

    /// The task under the cursor.
    pub fn current(&self) -> Option<Summary<'_>> {
        match self.entries.get(self.cursor)? {
            Entry::Task(row) => self.table.get(*row),
            Entry::Group(_) => None,
        }
    }

    /// Number of the task under the cursor among those in the list, from 1, and how many there are.
    pub fn position(&self) -> (usize, usize) {
        let before = match self.arranged.groups.is_empty() {
            true => self.cursor + 1,
            false => {
                let upto = &self.entries[..(self.cursor + 1).min(self.entries.len())];
                upto.iter().filter(|entry| matches!(entry, Entry::Task(_))).count()
            }
        };
        (before.min(self.arranged.rows.len()), self.arranged.rows.len())
    }

    /// A paste into the filter.
    pub fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        if self.typing && self.input.insert(text) { self.filter_changed(ctx) } else { Vec::new() }
    }

    /// A key while the filter is typed, with what it means there; `None` if it means nothing.
    pub fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match action {
            Some(Action::Accept) => {
                self.typing = false;
                Some(Vec::new())
            }
            Some(Action::Back) => {
                self.typing = false;
                Some(if self.input.clear() { self.filter_changed(ctx) } else { Vec::new() })
            }
            Some(Action::CursorDown) => Some(self.moved(1, ctx)),
            Some(Action::CursorUp) => Some(self.moved(-1, ctx)),
            Some(Action::PageDown) => Some(self.moved(self.page(), ctx)),
            Some(Action::PageUp) => Some(self.moved(-self.page(), ctx)),
            _ => match self.input.key(key, action) {
                Edit::Changed => Some(self.filter_changed(ctx)),
                Edit::Moved => Some(Vec::new()),
                Edit::Ignored => None,
            },
        }
    }

    fn read_filter(&mut self) -> bool {
        match Filter::parse(self.input.text()) {
            Ok(filter) => {
                let tags = self.labels.tags(&filter);
                let filter = filter.with_tags(tags);
                self.filter_error = self.labels.why(&filter);
                let changed = *self.filter != filter;
                self.filter = Arc::new(filter);
                changed
            }
            Err(error) => {
                self.filter_error = Some(error.to_string());
                false
            }
        }
    }

    fn filter_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        if !self.read_filter() {
            return Vec::new();
        }
        let keep = if self.filter.is_empty() { Keep::Task } else { Keep::First };
        let mut commands = self.arrange(ctx, keep);
        commands.extend(self.ask_for_missing_labels(ctx));
        commands
    }

    /// Chooses and arranges rows: small lists at once, large ones by a job.
    fn arrange(&mut self, ctx: &mut Context, keep: Keep) -> Vec<Cmd> {
        self.list_ticket = ctx.ticket();
        if self.after != Keep::First || keep == Keep::First {
            self.after = keep;
        }
        if self.table.len() <= AT_ONCE && self.filter.texts().is_empty() {
            let all: Vec<u32> = (0..self.table.len() as u32).collect();
            let selected = self.filter.select(&self.table, &all, &|| false);
            let arranged = Arranged::new(&self.table, &self.filter, selected, self.arrangement);
            self.selected = None;
            return self.list_arrived(Some(arranged), ctx);
        }
        let candidates = self
            .selected
            .as_ref()
            .filter(|(older, _)| self.filter.texts().is_empty() && self.filter.narrows(older))
            .map(|(_, rows)| rows.clone());
        vec![Cmd::Start {
            slot: Slot::List,
            ticket: self.list_ticket,
            job: Job::Arrange {
                table: self.table.clone(),
                filter: self.filter.clone(),
                arrangement: self.arrangement,
                candidates,
            },
        }]
    }

    /// A job has a result; `None` if it was not asked by this screen.
    pub fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match result {
            JobResult::Arranged { filter, selected, arranged } if ticket == self.list_ticket => {
                self.selected = Some((filter.clone(), selected.clone()));
                let arranged = std::mem::take(arranged);
                Some(self.list_arrived(Some(arranged), ctx))
            }
            JobResult::ArrangeFailed(why) if ticket == self.list_ticket => {
                self.filter_error = Some(std::mem::take(why));
                Some(Vec::new())
            }
            JobResult::Loaded(loaded) if self.preview.arrived(ticket, loaded) => Some(Vec::new()),
            _ => None,
        }
    }

    /// A timer has run out; `None` if it was not set by this screen.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        self.preview.timer(number, ctx)
    }

    /// A new list is there, or other groups of the old one are folded.
    fn list_arrived(&mut self, arranged: Option<Arranged>, ctx: &mut Context) -> Vec<Cmd> {
        let kept = self.under_cursor();
        let offset = self.cursor.saturating_sub(self.top);
        if let Some(arranged) = arranged {
            self.arranged = arranged;
        }
        self.entries = self.arranged.entries(&self.collapsed);
        let keep = kept.filter(|_| self.after == Keep::Task);
        let wanted = self.wanted_row().map(|row| UnderCursor { heading: None, row });
        if wanted.is_some() && self.complete {
            self.wanted = None;
        }
        let found = wanted.or(keep).and_then(|kept| self.find(&kept));
        self.cursor = found.unwrap_or_else(|| self.first_task());
        self.top = if self.after == Keep::First { 0 } else { self.cursor.saturating_sub(offset) };
        self.after = Keep::Task;
        self.keep_visible();
        self.want_preview(ctx, true)
    }

    /// The row of the task that the cursor was on before the list was read anew.
    fn wanted_row(&self) -> Option<u32> {
        let (dataset, id) = self.wanted.as_ref()?;
        let is_it =
            |row: &u32| self.table.get(*row).is_some_and(|row| row.dataset == dataset && row.id == id);
        (0..self.table.len() as u32).find(is_it)
    }

    fn under_cursor(&self) -> Option<UnderCursor> {
        match self.entries.get(self.cursor)? {
            Entry::Task(row) => Some(UnderCursor { heading: None, row: *row }),
            Entry::Group(number) => {
                let group = self.arranged.groups.get(*number as usize)?;
                let row = *self.arranged.rows.get(group.rows.start)?;
                Some(UnderCursor { heading: Some(group.label.clone()), row })
            }
        }
    }

    /// The line of what the cursor was on: the heading, the task, or the heading that hides the task.
    fn find(&self, kept: &UnderCursor) -> Option<usize> {
        let groups = &self.arranged.groups;
        let line = |wanted: Entry| self.entries.iter().position(|entry| *entry == wanted);
        let heading = |number: Option<usize>| line(Entry::Group(u32::try_from(number?).ok()?));
        let same = kept.heading.as_ref().map(|label| groups.iter().position(|group| group.label == *label));
        same.and_then(heading).or_else(|| line(Entry::Task(kept.row))).or_else(|| {
            let at = self.arranged.rows.iter().position(|row| *row == kept.row)?;
            heading(groups.iter().position(|group| group.rows.contains(&at)))
        })
    }

    fn first_task(&self) -> usize {
        self.entries.iter().take(2).position(|entry| matches!(entry, Entry::Task(_))).unwrap_or(0)
    }

    fn page(&self) -> isize {
        (isize::try_from(self.height).unwrap_or(1) - 1).max(1)
    }

    fn moved(&mut self, lines: isize, ctx: &mut Context) -> Vec<Cmd> {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.entries.len().saturating_sub(1));
        self.keep_visible();
        self.want_preview(ctx, false)
    }

    fn keep_visible(&mut self) {
        let height = usize::from(self.height.max(1));
        self.cursor = self.cursor.min(self.entries.len().saturating_sub(1));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
        self.top = self.top.min(self.entries.len().saturating_sub(height));
        // The first task of a group is not shown without its heading.
        let heading = self.top.checked_sub(1).and_then(|above| self.entries.get(above));
        if matches!(heading, Some(Entry::Group(_))) && self.cursor + 1 < self.top + height {
            self.top -= 1;
        }
    }

    /// Whether a preview stands beside the list.
    pub fn shows_preview(&self) -> bool {
        self.preview.wanted && self.width >= PREVIEW_FROM
    }

    /// Asks for the task under the cursor: at once where the list is new, a moment later while the cursor is
    /// on its way.
    fn want_preview(&mut self, ctx: &mut Context, at_once: bool) -> Vec<Cmd> {
        if !self.shows_preview() {
            return Vec::new();
        }
        let key = self.current().map(|summary| summary.key);
        self.preview.want(key, at_once, ctx)
    }

    /// The task that the preview holds, so that opening it need not read it again.
    pub fn previewed(&self) -> Option<&Arc<LoadedTask>> {
        self.preview.loaded()
    }

    /// Moves the cursor to the next or previous task and gives its key.
    pub fn neighbour(&mut self, step: isize, ctx: &mut Context) -> Option<(u64, Vec<Cmd>)> {
        let mut index = self.cursor;
        loop {
            index = index.checked_add_signed(step).filter(|index| *index < self.entries.len())?;
            if let Entry::Task(row) = self.entries[index] {
                self.cursor = index;
                self.keep_visible();
                let key = self.table.get(row)?.key;
                return Some((key, self.want_preview(ctx, false)));
            }
        }
    }

    /// The mouse was pressed on a line of the list, counted from its top.
    pub fn click(&mut self, row: u16, ctx: &mut Context) -> Outcome {
        let index = self.top + usize::from(row);
        if index >= self.entries.len() {
            return Outcome::done();
        }
        if index == self.cursor {
            return self.act(Action::Open, ctx);
        }
        self.cursor = index;
        Outcome::commands(self.want_preview(ctx, false))
    }
}
