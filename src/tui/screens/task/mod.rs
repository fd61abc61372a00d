//! The Task screen: one task, read in tabs.
//!
//! Promises: the next task is one key away and the tab, the layout and the options stay; what is being read
//! is shown until the next one is there. Leaves to others: the difference itself (`widgets::diff_view`),
//! reading tasks (jobs).

mod actions;
mod draw;
mod labels;
pub(super) mod pages;
mod runs;
pub(super) mod testing;

pub use actions::editor;
pub use draw::draw;

use super::Context;
use crate::catalogue::LoadedTask;
use crate::diff::DiffOptions;
use crate::harness::Version;
use crate::keymap::{Action, Key};
use crate::tui::msg::{Cmd, Job, JobResult, Slot};
use crate::tui::widgets::diff_view::{Choices, DiffView};
use crate::tui::widgets::input::{Edit, Input};
use crate::tui::widgets::text_view::TextView;
use std::sync::Arc;
use testing::TestsTab;

/// The tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// Buggy against reference.
    #[default]
    Diff,
    /// Docstring or issue text.
    Description,
    /// Build, tests, protected files.
    Tests,
    /// What a reader should know, files common to both versions, stored feedback.
    Context,
    /// Where it comes from.
    Provenance,
    /// What was said about it in studies.
    Labels,
}

impl Tab {
    /// All tabs, left to right.
    pub const ALL: [Tab; 6] =
        [Tab::Diff, Tab::Description, Tab::Tests, Tab::Context, Tab::Provenance, Tab::Labels];

    /// The name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Tab::Diff => "Diff",
            Tab::Description => "Description",
            Tab::Tests => "Tests",
            Tab::Context => "Context",
            Tab::Provenance => "Provenance",
            Tab::Labels => "Labels",
        }
    }

    /// The name where there is little room.
    pub fn short_name(self) -> &'static str {
        match self {
            Tab::Diff => "Diff",
            Tab::Description => "Text",
            Tab::Tests => "Tests",
            Tab::Context => "Ctx",
            Tab::Provenance => "From",
            Tab::Labels => "Labels",
        }
    }
}

/// State of the screen.
#[derive(Debug)]
pub struct TaskScreen {
    key: u64,
    ticket: u64,
    colours_ticket: u64,
    loaded: Option<Arc<LoadedTask>>,
    failure: Option<String>,
    tab: Tab,
    view: Option<DiffView>,
    page: TextView,
    tests: TestsTab,
    labels: labels::Labels,
    /// A version to be tested as soon as the task is here.
    wanted: Option<Version>,
    choices: Choices,
    options: DiffOptions,
    input: Input,
    typing: bool,
    found: Option<String>,
    size: (u16, u16),
}

impl TaskScreen {
    /// The screen before a task was opened.
    pub fn new(choices: Choices) -> TaskScreen {
        TaskScreen {
            key: u64::MAX,
            ticket: 0,
            colours_ticket: 0,
            loaded: None,
            failure: None,
            tab: Tab::Diff,
            view: None,
            page: TextView::default(),
            tests: TestsTab::default(),
            labels: labels::Labels::default(),
            wanted: None,
            choices,
            options: DiffOptions::default(),
            input: Input::default(),
            typing: false,
            found: None,
            size: (0, 0),
        }
    }

    /// Opens a task; `known` is the same one, read already.
    pub fn open(&mut self, key: u64, known: Option<Arc<LoadedTask>>, ctx: &mut Context) -> Vec<Cmd> {
        let mut commands = if key == self.key { Vec::new() } else { self.leave() };
        self.ticket = ctx.ticket();
        self.key = key;
        self.typing = false;
        self.wanted = None;
        match known.filter(|known| known.key == key && known.options == self.options) {
            Some(known) => commands.extend(self.show(known, ctx)),
            None => commands.push(self.load()),
        }
        commands
    }

    fn load(&self) -> Cmd {
        let job = Job::Load { key: self.key, options: self.options };
        Cmd::Start { slot: Slot::Task, ticket: self.ticket, job }
    }

    fn show(&mut self, loaded: Arc<LoadedTask>, ctx: &mut Context) -> Vec<Cmd> {
        let same_task = self.loaded.as_ref().is_some_and(|old| old.key == loaded.key);
        match self.view.as_mut().filter(|_| same_task) {
            Some(view) => view.replace_diff(loaded.diff.clone()),
            None => {
                self.view = Some(DiffView::new(loaded.diff.clone(), self.choices));
                self.found = None;
                self.input.clear();
            }
        }
        if let Some(view) = &mut self.view {
            view.set_functions(loaded.functions.clone());
            for (file, colours) in loaded.colours.iter().enumerate() {
                view.set_colours(file, colours.clone());
            }
        }
        let missing = loaded.colours.iter().any(Option::is_none);
        let same_revision = self.loaded.as_ref().is_some_and(|old| old.revision == loaded.revision);
        if !same_task || !same_revision {
            // Whoever asked for the old one cancels it.
            self.tests = TestsTab::of(&loaded.task);
        }
        self.failure = None;
        self.loaded = Some(loaded.clone());
        let asked = if same_task { None } else { self.ask_for_labels(ctx) };
        if !same_task {
            self.make_page();
        }
        let (width, height) = self.size;
        self.resize(width, height);
        let mut commands = match self.wanted.take() {
            Some(version) => self.run_tests(version, ctx).commands,
            None => Vec::new(),
        };
        commands.extend(asked);
        if missing {
            self.colours_ticket = ctx.ticket();
            let ticket = self.colours_ticket;
            commands.push(Cmd::Start { slot: Slot::Colours, ticket, job: Job::Colours(loaded) });
        }
        commands
    }

    fn make_page(&mut self) {
        self.page = match &self.loaded {
            Some(_) if self.tab == Tab::Labels => TextView::new(self.labels.page()),
            Some(loaded) if self.tab != Tab::Diff => TextView::new(pages::page(self.tab, loaded)),
            _ => TextView::default(),
        };
        self.page.set_wrap(self.choices.wrap);
        self.found = None;
    }

    /// A job has a result; `None` if it was not asked by this screen.
    pub fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match result {
            // The tests may have been asked for where the task is labelled.
            JobResult::Verifying(_) | JobResult::Verified(_) | JobResult::VerifyFailed(_) => {
                self.tests.awaits(ticket).then(|| {
                    self.verified(ticket, result);
                    Vec::new()
                })
            }
            JobResult::Loaded(Ok(loaded)) if ticket == self.ticket => Some(self.show(loaded.clone(), ctx)),
            JobResult::Loaded(Err(error)) if ticket == self.ticket => {
                self.failure = Some(error.to_string());
                self.loaded = None;
                self.view = None;
                Some(Vec::new())
            }
            JobResult::Colours { key, file, colours } if ticket == self.colours_ticket => {
                if *key == self.key
                    && let Some(view) = &mut self.view
                {
                    view.set_colours(*file, colours.clone());
                }
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// The view's size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        let body = height.saturating_sub(draw::ROWS_ABOVE + u16::from(self.typing));
        if let Some(view) = &mut self.view {
            view.resize(width, body);
        }
        self.tests.resize(width, body);
        let margin = draw::MARGIN.min(width / 8);
        self.page.resize(width.saturating_sub(2 * margin), body.saturating_sub(1));
    }

    /// Key of the task that was opened last.
    pub fn key(&self) -> Option<u64> {
        (self.key != u64::MAX).then_some(self.key)
    }

    /// The open task, once it is read.
    pub fn loaded(&self) -> Option<&Arc<LoadedTask>> {
        self.loaded.as_ref().filter(|loaded| loaded.key == self.key)
    }

    /// Id of the open task, for the header.
    pub fn id(&self) -> Option<&str> {
        self.loaded.as_ref().map(|loaded| loaded.task.id.as_str())
    }

    /// Whether keys go into the search field.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// Whether the difference is shown.
    pub fn shows_diff(&self) -> bool {
        self.tab == Tab::Diff
    }

    /// Whether the tests are shown.
    pub fn shows_tests(&self) -> bool {
        self.tab == Tab::Tests
    }

    /// A paste into the search field.
    pub fn paste(&mut self, text: &str) {
        if self.typing && self.input.insert(text) {
            self.search();
        }
    }

    /// A key while the search is typed, with what it means there; `false` if it means nothing.
    pub fn typed(&mut self, key: Key, action: Option<Action>) -> bool {
        match action {
            Some(Action::Accept) => self.end_typing(),
            Some(Action::Back) => {
                self.input.clear();
                self.search();
                self.end_typing();
            }
            _ => match self.input.key(key, action) {
                Edit::Changed => self.search(),
                Edit::Moved => {}
                Edit::Ignored => return false,
            },
        }
        true
    }

    fn end_typing(&mut self) {
        self.typing = false;
        self.page.end_search();
        if let Some(view) = &mut self.view {
            view.end_search();
        }
    }

    fn search(&mut self) {
        let words = self.input.text();
        let count = match (self.tab, &mut self.view) {
            (Tab::Diff, Some(view)) => view.search(words),
            (Tab::Tests, _) => self.tests.search(words),
            _ => self.page.search(words),
        };
        self.found = (!words.is_empty()).then(|| match count {
            0 => "not found".to_owned(),
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        });
    }

    /// The mouse was pressed in the body, counted from its top left corner.
    pub fn click(&mut self, x: u16, y: u16, ctx: &mut Context) -> Vec<Cmd> {
        if y == draw::TABS_ROW
            && let Some(tab) = draw::tab_at(x, self.size.0)
        {
            self.select(tab);
            return self.ask_for_labels(ctx).into_iter().collect();
        } else if (draw::ROWS_ABOVE..self.size.1.saturating_sub(u16::from(self.typing))).contains(&y) {
            match (self.tab, &mut self.view) {
                (Tab::Diff, Some(view)) => view.click(y - draw::ROWS_ABOVE),
                (Tab::Tests, _) => self.tests.click(x, y - draw::ROWS_ABOVE),
                _ => {}
            }
        }
        Vec::new()
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        let step = if down { 3 } else { -3 };
        match (self.tab, &mut self.view) {
            (Tab::Diff, Some(view)) => view.move_by(step),
            (Tab::Tests, _) => self.tests.wheel(down),
            _ => self.page.scroll(step),
        }
    }

    fn select(&mut self, tab: Tab) {
        if self.tab != tab {
            self.tab = tab;
            self.input.clear();
            if let Some(view) = &mut self.view {
                view.search("");
            }
            self.tests.search("");
            self.make_page();
            let (width, height) = self.size;
            self.resize(width, height);
        }
    }
}
