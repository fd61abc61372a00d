//! What an item is judged by: its difference, file, message, tests, what they wrote, context, stored feedback.
//!
//! Promises: one key each; the next item is read while the present one is looked at, and shown at once; what was
//! opened is known. What others found out about the item (its error type in the dataset) is not shown: it would answer
//! in the annotator's place. Leaves to others: reading and comparing (jobs), the views (`widgets`, `screens::task`).

mod keys;
mod page;

pub use page::Page;

use crate::catalogue::LoadedTask;
use crate::diff::DiffOptions;
use crate::label::turn::TurnName;
use crate::tui::msg::repair::{Ask, Told};
use crate::tui::msg::{Cmd, Job, JobResult, Slot};
use crate::tui::screens::Context;
use crate::tui::screens::task::pages;
use crate::tui::screens::task::testing::TestsTab;
use crate::tui::widgets::diff_view::{Choices, DiffView, FileColours};
use crate::tui::widgets::input::Input;
use crate::tui::widgets::text_view::{Block, TextView};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Tasks that are kept after they were read: the one before, the present one, the next, and one more.
const KEPT: usize = 4;

/// What an item is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The task with this key in the catalogue.
    Task(u64),
    /// A turn of a repair run, and the hash of what it made.
    Turn(TurnName, String),
}

impl Subject {
    /// A number for it; those of turns are far from those of tasks.
    pub fn key(&self) -> u64 {
        match self {
            Subject::Task(key) => *key,
            Subject::Turn(name, _) => {
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                hasher.finish() | 1 << 63
            }
        }
    }

    /// Has it read.
    fn read(&self, slot: Slot, ticket: u64) -> Cmd {
        let key = self.key();
        match self {
            Subject::Task(_) => {
                Cmd::Start { slot, ticket, job: Job::Load { key, options: DiffOptions::default() } }
            }
            Subject::Turn(name, made) => {
                let ask = Ask::AfterTurn { key, name: name.clone(), made: Some(made.clone()) };
                Cmd::Repair { ticket, ask: Box::new(ask) }
            }
        }
    }
}

/// Where the task of the present item is.
#[derive(Debug, Default)]
pub enum Source {
    /// It is being read.
    #[default]
    Reading,
    /// It is not among the tasks that are open.
    Gone,
    /// It could not be read.
    Failed(String),
    /// Here.
    Here(Arc<LoadedTask>),
}

/// A task that was read, and its syntax colours as far as they came.
#[derive(Debug)]
struct ReadTask {
    loaded: Arc<LoadedTask>,
    colours: Vec<FileColours>,
}

/// Where syntax colours are made: those of what is shown, and those of what comes next.
#[derive(Debug)]
struct Colouring {
    slot: Slot,
    ticket: u64,
    key: Option<u64>,
}

impl Colouring {
    fn new(slot: Slot) -> Colouring {
        Colouring { slot, ticket: 0, key: None }
    }

    /// Has those of a task made, unless it came with them.
    fn start(&mut self, loaded: &Arc<LoadedTask>, ctx: &mut Context) -> Vec<Cmd> {
        if loaded.colours.iter().all(Option::is_some) {
            return Vec::new();
        }
        (self.ticket, self.key) = (ctx.ticket(), Some(loaded.key));
        vec![Cmd::Start { slot: self.slot, ticket: self.ticket, job: Job::Colours(loaded.clone()) }]
    }
}

/// State of the evidence.
#[derive(Debug)]
pub struct Evidence {
    key: Option<u64>,
    ticket: u64,
    ahead: (Option<u64>, u64),
    kept: Vec<ReadTask>,
    /// What is shown, and what comes next.
    colouring: [Colouring; 2],
    /// Where the task is.
    pub source: Source,
    page: Page,
    opened: BTreeSet<Page>,
    view: Option<DiffView>,
    text: TextView,
    tests: TestsTab,
    guide: String,
    choices: Choices,
    input: Input,
    typing: bool,
    found: Option<String>,
    size: (u16, u16),
}

impl Evidence {
    /// Nothing to look at; differences are shown so at first.
    pub fn new(choices: Choices) -> Evidence {
        Evidence {
            key: None,
            ticket: 0,
            ahead: (None, 0),
            kept: Vec::new(),
            colouring: [Colouring::new(Slot::Colours), Colouring::new(Slot::ColoursAhead)],
            source: Source::Reading,
            page: Page::Diff,
            opened: BTreeSet::new(),
            view: None,
            text: TextView::default(),
            tests: TestsTab::default(),
            guide: String::new(),
            choices: Choices { whole_file: false, ..choices },
            input: Input::default(),
            typing: false,
            found: None,
            size: (0, 0),
        }
    }

    /// The guide of the codebook in force.
    pub fn set_guide(&mut self, guide: &str) {
        self.guide = guide.to_owned();
    }

    /// The key of the task.
    pub fn key(&self) -> Option<u64> {
        self.key
    }

    /// The mouse was pressed in it.
    pub fn click(&mut self, x: u16, y: u16) {
        let in_tests = self.shows_tests();
        match &mut self.view {
            Some(view) if matches!(self.page, Page::Diff | Page::File) => view.click(y),
            _ if in_tests => self.tests.click(x, y),
            _ => {}
        }
    }

    /// The difference of the task, once it is here.
    pub fn view(&self) -> Option<&DiffView> {
        self.view.as_ref()
    }

    /// The page of text that is shown.
    pub fn text(&self) -> &TextView {
        &self.text
    }

    /// The tests.
    pub fn tests(&self) -> &TestsTab {
        &self.tests
    }

    /// What is shown.
    pub fn page(&self) -> Page {
        self.page
    }

    /// The task, once it is here.
    pub fn loaded(&self) -> Option<&Arc<LoadedTask>> {
        match &self.source {
            Source::Here(loaded) => Some(loaded),
            _ => None,
        }
    }

    /// What was opened for this item, by the words of stored answers.
    pub fn opened(&self) -> Vec<String> {
        self.opened.iter().filter_map(|page| page.word()).map(str::to_owned).collect()
    }

    /// Goes to a subject; `None`: it is a task that is not among those that are open.
    pub fn go(&mut self, subject: Option<Subject>, ctx: &mut Context) -> Vec<Cmd> {
        let mut commands = self.leave();
        self.key = subject.as_ref().map(Subject::key);
        self.opened.clear();
        self.input.clear();
        (self.typing, self.found) = (false, None);
        (self.view, self.text, self.tests) = (None, TextView::default(), TestsTab::default());
        self.page = Page::Diff;
        self.ticket = 0;
        let Some(subject) = subject else {
            // What has not come may still come.
            self.source = if ctx.all_tasks_read() { Source::Gone } else { Source::Reading };
            return commands;
        };
        let key = subject.key();
        if let Some(known) = self.kept.iter().find(|known| known.loaded.key == key) {
            commands.extend(self.show(known.loaded.clone(), ctx));
            return commands;
        }
        self.source = Source::Reading;
        if self.ahead.0 == Some(key) {
            self.ticket = self.ahead.1;
            return commands;
        }
        self.ticket = ctx.ticket();
        commands.push(subject.read(Slot::Subject, self.ticket));
        commands
    }

    /// Reads the subject that comes next.
    pub fn prepare(&mut self, subject: Option<Subject>, ctx: &mut Context) -> Vec<Cmd> {
        let Some(subject) = subject else { return Vec::new() };
        let key = subject.key();
        let known = self.kept.iter().any(|known| known.loaded.key == key);
        if known || self.key == Some(key) || self.ahead.0 == Some(key) {
            return Vec::new();
        }
        self.ahead = (Some(key), ctx.ticket());
        vec![subject.read(Slot::SubjectAhead, self.ahead.1)]
    }

    /// The list of tasks is another one: what was read ahead may be another task now.
    pub fn forget(&mut self) {
        self.kept.clear();
        self.ahead = (None, 0);
    }

    fn keep(&mut self, loaded: &Arc<LoadedTask>) {
        let known = self.kept.iter().position(|known| known.loaded.key == loaded.key);
        let known = known.map(|at| self.kept.remove(at)).filter(|known| Arc::ptr_eq(&known.loaded, loaded));
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push(known.unwrap_or_else(|| {
            // Read anew: colours that were made before are gone with what they were made for.
            self.colouring
                .iter_mut()
                .filter(|one| one.key == Some(loaded.key))
                .for_each(|one| one.key = None);
            ReadTask { loaded: loaded.clone(), colours: loaded.colours.clone() }
        }));
    }

    /// The next one is here: its colours are made while the present one is looked at, so that it does not change
    /// under the eye when it is gone to.
    fn keep_ahead(&mut self, loaded: &Arc<LoadedTask>, ctx: &mut Context) -> Vec<Cmd> {
        self.ahead = (None, 0);
        self.keep(loaded);
        self.colouring[1].start(loaded, ctx)
    }

    /// Colours of a file of one of those that are kept.
    fn take_colours(&mut self, key: u64, file: usize, colours: &FileColours) {
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.loaded.key == key)
            && let Some(place) = kept.colours.get_mut(file)
        {
            place.clone_from(colours);
        }
        if self.key == Some(key)
            && let Some(view) = &mut self.view
        {
            view.set_colours(file, colours.clone());
        }
    }

    fn show(&mut self, loaded: Arc<LoadedTask>, ctx: &mut Context) -> Vec<Cmd> {
        self.keep(&loaded);
        let mut view = DiffView::new(loaded.diff.clone(), self.choices);
        view.set_functions(loaded.functions.clone());
        let colours = self.kept.last().map(|kept| kept.colours.clone()).unwrap_or_default();
        for (file, colours) in colours.into_iter().enumerate() {
            view.set_colours(file, colours);
        }
        self.view = Some(view);
        self.tests = TestsTab::of(&loaded.task);
        self.source = Source::Here(loaded.clone());
        // The change first; where there is none, what is said about it.
        let first = if loaded.diff.files.is_empty() { Page::Message } else { Page::Diff };
        self.select(first);
        self.lay_out();
        if self.colouring[1].key == Some(loaded.key) {
            // They are under way or here; the other lane is free for the next.
            self.colouring.swap(0, 1);
            return Vec::new();
        }
        self.colouring[0].start(&loaded, ctx)
    }

    /// A job has a result; `None` if it was not asked for here.
    pub fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match result {
            JobResult::Repair(Told::Refused(why)) if ticket != 0 && ticket == self.ticket => {
                self.source = Source::Failed(why.clone());
            }
            JobResult::Repair(Told::AfterTurn(loaded)) if ticket == self.ticket => {
                return Some(self.show(loaded.clone(), ctx));
            }
            JobResult::Repair(Told::AfterTurn(loaded)) if ticket == self.ahead.1 => {
                return Some(self.keep_ahead(loaded, ctx));
            }
            JobResult::Loaded(loaded) if ticket != 0 && (ticket == self.ticket || ticket == self.ahead.1) => {
                if ticket == self.ahead.1 {
                    self.ahead = (None, 0);
                }
                match loaded {
                    Ok(loaded) if ticket == self.ticket => return Some(self.show(loaded.clone(), ctx)),
                    Ok(loaded) => return Some(self.keep_ahead(loaded, ctx)),
                    Err(error) if ticket == self.ticket => self.source = Source::Failed(error.to_string()),
                    // Why is told when the item is gone to.
                    Err(_) => {}
                }
            }
            JobResult::Colours { key, file, colours }
                if self.colouring.iter().any(|colouring| colouring.ticket == ticket) =>
            {
                self.take_colours(*key, *file, colours);
            }
            JobResult::Verifying(news) if self.tests.awaits(ticket) => self.tests.take_news(news),
            JobResult::Verified(finished) if self.tests.awaits(ticket) => {
                if let Some(view) = &mut self.view {
                    view.set_marks(std::mem::take(&mut finished.marks));
                }
                self.tests.finish(finished);
            }
            JobResult::VerifyFailed(why) if self.tests.awaits(ticket) => self.tests.refuse(why),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// The item is left: what runs for it is of no use any more.
    pub fn leave(&mut self) -> Vec<Cmd> {
        if self.tests.forget_run() { vec![Cmd::CancelVerify] } else { Vec::new() }
    }

    /// Shows a page.
    pub fn select(&mut self, page: Page) {
        if page != self.page {
            self.input.clear();
            if let Some(view) = &mut self.view {
                view.search("");
            }
            self.tests.search("");
            self.found = None;
        }
        self.page = page;
        let Source::Here(loaded) = &self.source else {
            self.text = if page == Page::Guide { self.guide_page() } else { TextView::default() };
            return self.lay_out();
        };
        self.opened.insert(page);
        if let Some(view) = &mut self.view
            && matches!(page, Page::Diff | Page::File)
            && view.choices.whole_file != (page == Page::File)
        {
            view.toggle_whole_file();
        }
        let remark = |text: &str| vec![Block::Remark(text.to_owned())];
        let blocks = match page {
            Page::Message => pages::description(&loaded.task),
            Page::Context => pages::context(loaded, false),
            Page::Feedback => match pages::feedback(&loaded.task) {
                none if none.is_empty() => remark("This task has no stored feedback."),
                blocks => blocks,
            },
            Page::Tests => {
                self.tests.show_output(false);
                Vec::new()
            }
            Page::Log if self.tests.show_output(true) => Vec::new(),
            Page::Log => remark("Nothing was run yet. B tests the buggy version, R the reference."),
            Page::Guide => {
                self.text = self.guide_page();
                return self.lay_out();
            }
            Page::Diff | Page::File => Vec::new(),
        };
        self.text = TextView::new(blocks);
        self.text.set_wrap(self.choices.wrap);
        self.lay_out();
    }

    fn guide_page(&self) -> TextView {
        let heading = |text: &str| Block::Heading(text.to_owned(), String::new());
        let guide = match self.guide.trim() {
            "" => Block::Remark("The codebook has no guide.".to_owned()),
            guide => Block::Prose(guide.to_owned()),
        };
        let fingers = "Keys that come all at once, as of a paste, answer nothing; only the first of them can. A key that is held answers one question: what its repetition answered is taken back. An answer is on disk before the next item is shown, and Backspace takes it back.";
        TextView::new(vec![
            heading("How to label"),
            guide,
            Block::Blank,
            heading("Nothing by accident"),
            Block::Prose(fingers.to_owned()),
        ])
    }

    /// The size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        if self.size != (width, height) {
            self.size = (width, height);
        }
        self.lay_out();
    }

    fn lay_out(&mut self) {
        let (width, height) = self.size;
        let height = height.saturating_sub(u16::from(self.typing));
        if let Some(view) = &mut self.view {
            view.resize(width, height);
        }
        self.tests.resize(width, height);
        self.text.resize(width.saturating_sub(2), height);
    }
}
