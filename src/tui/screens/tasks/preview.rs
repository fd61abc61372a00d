//! The task under the cursor, beside the list.
//!
//! Promises: a cursor on its way asks for nothing; what is shown belongs to the task under the cursor or
//! is not shown.

use super::Context;
use crate::catalogue::{CatalogueError, LoadedTask};
use crate::diff::DiffOptions;
use crate::syntax::language::display_name;
use crate::task::taxonomy;
use crate::text;
use crate::theme::Role;
use crate::tui::msg::{Cmd, Job, Slot};
use crate::tui::widgets::diff_view::{Choices, DiffView, Layout};
use std::sync::Arc;
use std::time::Duration;

/// The cursor has come to rest when it has not moved for this long.
const REST: Duration = Duration::from_millis(70);

/// State of the preview.
#[derive(Debug)]
pub struct Preview {
    /// Whether the user wants one.
    pub wanted: bool,
    key: Option<u64>,
    ticket: u64,
    timer: u64,
    loaded: Option<Arc<LoadedTask>>,
    failure: Option<String>,
    view: Option<DiffView>,
    summary: Vec<SummaryLine>,
    size: (u16, u16),
}

/// A line above the difference: pieces of text with their roles, left to right.
pub type SummaryLine = Vec<(String, Role)>;

impl Preview {
    /// A preview that shows nothing yet.
    pub fn new(wanted: bool) -> Preview {
        Preview {
            wanted,
            key: None,
            ticket: 0,
            timer: 0,
            loaded: None,
            failure: None,
            view: None,
            summary: Vec::new(),
            size: (0, 0),
        }
    }

    /// The cursor is on this task now (on none: a heading).
    pub fn want(&mut self, key: Option<u64>, at_once: bool, ctx: &mut Context) -> Vec<Cmd> {
        if self.key == key {
            return Vec::new();
        }
        self.key = key;
        // Whatever is on its way is for another task.
        self.ticket = ctx.ticket();
        let Some(key) = key else {
            self.timer = 0;
            return Vec::new();
        };
        if at_once {
            self.timer = 0;
            return vec![Preview::load(self.ticket, key)];
        }
        self.timer = ctx.ticket();
        vec![Cmd::After(self.timer, REST)]
    }

    /// A timer has run out; `None` if it is not this one.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        if number != self.timer || self.timer == 0 {
            return None;
        }
        self.timer = 0;
        let key = self.key?;
        self.ticket = ctx.ticket();
        Some(vec![Preview::load(self.ticket, key)])
    }

    fn load(ticket: u64, key: u64) -> Cmd {
        Cmd::Start { slot: Slot::Preview, ticket, job: Job::Load { key, options: DiffOptions::default() } }
    }

    /// A task was read: takes it if it is the one that was asked for last.
    pub fn arrived(&mut self, ticket: u64, loaded: &Result<Arc<LoadedTask>, CatalogueError>) -> bool {
        if ticket != self.ticket {
            return false;
        }
        match loaded {
            Ok(loaded) => {
                let choices = Choices { layout: Layout::Unified, wrap: false, whole_file: false };
                let mut view = DiffView::new(loaded.diff.clone(), choices);
                view.set_functions(loaded.functions.clone());
                for (file, colours) in loaded.colours.iter().enumerate() {
                    view.set_colours(file, colours.clone());
                }
                view.edge(false);
                self.view = Some(view);
                self.summary.clear();
                self.loaded = Some(loaded.clone());
                self.failure = None;
            }
            Err(error) => {
                self.loaded = None;
                self.view = None;
                self.failure = Some(error.to_string());
            }
        }
        true
    }

    /// The task that is shown, if it is the one under the cursor.
    pub fn loaded(&self) -> Option<&Arc<LoadedTask>> {
        self.loaded.as_ref().filter(|loaded| Some(loaded.key) == self.key)
    }

    /// The task under the cursor and its view, once they are there.
    pub fn current(&self) -> Option<(&LoadedTask, &DiffView)> {
        self.loaded()?;
        self.shown()
    }

    /// What is drawn: the last task that was read, also while the cursor is on its way to another.
    pub fn shown(&self) -> Option<(&LoadedTask, &DiffView)> {
        Some((self.loaded.as_deref()?, self.view.as_ref()?))
    }

    /// Why the task could not be read.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The lines above the difference.
    pub fn summary(&self) -> &[SummaryLine] {
        &self.summary
    }

    /// The size of the preview is known.
    pub fn layout(&mut self, width: u16, height: u16) {
        if self.size != (width, height) || self.summary.is_empty() {
            self.size = (width, height);
            self.summary =
                self.loaded.as_ref().map_or_else(Vec::new, |loaded| summary(loaded, width, height));
        }
        if let Some(view) = &mut self.view {
            view.resize(width, height.saturating_sub(self.summary.len() as u16));
        }
    }

    /// Whether the cursor is on a heading.
    pub fn is_idle(&self) -> bool {
        self.key.is_none()
    }

    /// Scrolls what is shown.
    pub fn scroll(&mut self, lines: isize) {
        if let Some(view) = &mut self.view {
            view.scroll(lines);
        }
    }
}

/// Title, badges and the first lines of the description.
fn summary(loaded: &LoadedTask, width: u16, height: u16) -> Vec<SummaryLine> {
    let task = &loaded.task;
    let columns = usize::from(width.clamp(1, 100));
    let mut lines: Vec<SummaryLine> = Vec::new();
    lines.extend(text::wrap(&task.title, columns).into_iter().take(2).map(|line| vec![(line, Role::Title)]));
    let mut badges = vec![(display_name(&task.language).to_owned(), Role::BadgeLanguage)];
    if let Some(id) = task.provenance.error_type.as_deref() {
        let name = taxonomy::error_type(id).map_or_else(String::new, |(_, name)| format!(" {name}"));
        badges.push((format!("{id}{name}"), Role::BadgeType));
    }
    badges.extend(loaded.granularity.map(|granularity| (granularity.to_string(), Role::TextDim)));
    lines.push(badges);
    for mark in task.marks.iter().take(2) {
        lines.push(vec![(format!("{}: {}", mark.kind.as_str(), mark.detail), Role::Mark)]);
    }
    lines.push(Vec::new());
    // A third of the rest at most is prose: the difference is what one came to see.
    let most = usize::from(height.saturating_sub(lines.len() as u16) / 3).min(8);
    let prose = match (&task.sections.issue_body, task.description.trim().is_empty()) {
        (Some(body), true) => body,
        _ => &task.description,
    };
    let mut wrapped = text::wrap(&text::reflow(prose.trim()), columns);
    if wrapped.len() > most {
        wrapped.truncate(most);
        while wrapped.last().is_some_and(|line| line.trim().is_empty()) {
            wrapped.pop();
        }
        if let Some(line) = wrapped.last_mut() {
            line.push_str(" …");
        }
    }
    lines.extend(wrapped.into_iter().map(|line| vec![(line, Role::Text)]));
    lines.push(Vec::new());
    lines
}
