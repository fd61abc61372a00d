//! The Tests tab: what is tested and how, running it, and what came of it.
//!
//! Promises: the verdict, whose fault a failure is and the first failing test are the first things seen; news of a run
//! that is not the newest are dropped; any number of tests and any amount of output leave the keys quick. Leaves to
//! others: running (`runtime::verify`), the difference that a failure leads to (`screens::task`).

mod draw;
mod words;

pub use draw::draw;

use crate::harness::{Expected, State, Version};
use crate::keymap::Action;
use crate::report::Verdict;
use crate::sandbox::Rung;
use crate::task::{Command, Task};
use crate::tui::msg::verify::{Finished, News};
use crate::tui::widgets::output_view::OutputView;
use crate::tui::widgets::test_list::{Detail, Listed, Spot, TestList};
use draw::Places;

/// What became of the newest run.
#[derive(Debug, Clone)]
pub enum Run {
    /// Nothing was run.
    None,
    /// It runs.
    Running {
        /// Which version.
        version: Version,
        /// What it does.
        state: State,
        /// Where.
        rung: Option<Rung>,
        /// How long it has been running.
        seconds: u64,
        /// Whether it was asked to end.
        cancelling: bool,
    },
    /// It could not be run.
    Refused {
        /// Which version.
        version: Version,
        /// Why.
        why: String,
    },
    /// It ended.
    Finished(Summary),
}

/// What is kept of a run that ended.
#[derive(Debug, Clone)]
pub struct Summary {
    version: Version,
    verdict: Verdict,
    why: String,
    rung: Option<Rung>,
    seconds: f64,
    cached: bool,
    counts: (usize, usize),
    failure: Option<String>,
    spot: Option<Spot>,
    /// Tests fail that should pass on the buggy version too.
    breaks_more: bool,
}

/// Which part has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Focus {
    #[default]
    List,
    Output,
}

/// State of the tab.
#[derive(Debug)]
pub struct TestsTab {
    run: Run,
    /// Number of the newest run.
    ticket: u64,
    list: TestList,
    output: OutputView,
    expected: Expected,
    /// How the task is tested: it stands under the tests before and after a run.
    how: Vec<Detail>,
    focus: Focus,
    size: (u16, u16),
}

impl Default for TestsTab {
    fn default() -> TestsTab {
        TestsTab {
            run: Run::None,
            ticket: 0,
            list: TestList::default(),
            output: OutputView::default(),
            expected: Expected::default(),
            how: Vec::new(),
            focus: Focus::List,
            size: (0, 0),
        }
    }
}

impl TestsTab {
    /// The tab of a task that was not run yet.
    pub fn of(task: &Task) -> TestsTab {
        let expected = Expected::of(task);
        let how = how(task);
        let mut list = TestList::new(&expected);
        list.set_details(how.clone());
        TestsTab { list, expected, how, ..TestsTab::default() }
    }

    /// Whether something runs.
    pub fn is_running(&self) -> bool {
        matches!(self.run, Run::Running { .. })
    }

    /// Whether the newest run was of this version and has a result: running it again means anew.
    pub fn has_result_of(&self, version: Version) -> bool {
        matches!(&self.run, Run::Finished(summary) if summary.version == version)
    }

    /// The version that was run last.
    pub fn version(&self) -> Option<Version> {
        match &self.run {
            Run::None => None,
            Run::Running { version, .. } | Run::Refused { version, .. } => Some(*version),
            Run::Finished(summary) => Some(summary.version),
        }
    }

    /// A run begins.
    pub fn begin(&mut self, ticket: u64, version: Version) {
        self.ticket = ticket;
        self.run = Run::Running { version, state: State::Queued, rung: None, seconds: 0, cancelling: false };
        self.list = TestList::new(&self.expected);
        self.list.set_details(self.how.clone());
        self.output = OutputView::default();
        self.focus = Focus::List;
        self.lay_out();
    }

    /// The run was asked to end.
    pub fn cancelling(&mut self) {
        if let Run::Running { cancelling, .. } = &mut self.run {
            *cancelling = true;
        }
    }

    /// The run is not wanted any more; says whether there was one.
    pub fn forget_run(&mut self) -> bool {
        let was_running = self.is_running();
        if was_running {
            self.ticket = 0;
            self.run = Run::None;
        }
        was_running
    }

    /// Whether news or results with this number are awaited.
    pub fn awaits(&self, ticket: u64) -> bool {
        ticket != 0 && ticket == self.ticket
    }

    /// Something happened in the run.
    pub fn take_news(&mut self, news: &mut News) {
        let Run::Running { state, rung, seconds, .. } = &mut self.run else { return };
        *state = news.state;
        *rung = news.rung;
        *seconds = news.elapsed.as_secs();
        self.list.finished(&news.finished);
        self.output.extend(news.output.drain(..), std::mem::take(&mut news.open), news.left_out);
        self.lay_out();
    }

    /// The run ended.
    pub fn finish(&mut self, finished: &mut Finished) {
        self.expected = finished.expected.clone();
        self.list = std::mem::take(&mut finished.tests);
        let mut details = std::mem::take(&mut finished.details);
        // The commands were told as they were run.
        let told = details.iter().any(|detail| matches!(detail, Detail::Field(name, _) if name == "test"));
        let command = |detail: &&Detail| matches!(detail, Detail::Field(name, _) if name == "build" || name == "command");
        details.extend(self.how.iter().filter(|detail| !told || !command(detail)).cloned());
        details.append(&mut finished.held);
        self.list.set_details(details);
        self.output.extend(finished.transcript.drain(..), Vec::new(), 0);
        let breaks_more = finished.version == Version::Buggy && self.list.has_failures_in(Listed::PassToPass);
        self.run = Run::Finished(Summary {
            version: finished.version,
            verdict: finished.verdict,
            why: finished.why.clone(),
            rung: finished.rung,
            seconds: finished.seconds,
            cached: finished.cached,
            counts: finished.counts,
            failure: finished.failure.clone(),
            spot: finished.spot.clone(),
            breaks_more,
        });
        self.lay_out();
    }

    /// Nothing could be run.
    pub fn refuse(&mut self, why: &str) {
        if let Run::Running { version, .. } = self.run {
            self.run = Run::Refused { version, why: why.to_owned() };
        }
        self.lay_out();
    }

    /// The tab's size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.lay_out();
    }

    fn lay_out(&mut self) {
        let places = self.places();
        self.list.resize(places.list.width, places.list.height);
        self.output.resize(places.output.map_or(0, |output| output.height));
    }

    fn places(&self) -> Places {
        Places::of(self.size, words::rows(&self.run), self.has_output(), self.focus == Focus::Output)
    }

    fn has_output(&self) -> bool {
        self.is_running() || !self.output.is_empty()
    }

    /// The command that runs, as far as the task itself names it.
    fn command(&self) -> Option<&str> {
        let Run::Running { state, .. } = &self.run else { return None };
        let wanted = match state {
            State::Building => "build",
            State::Testing(..) => "command",
            _ => return None,
        };
        self.how.iter().find_map(|detail| match detail {
            Detail::Field(name, value) if name == wanted => Some(value.as_str()),
            _ => None,
        })
    }

    /// What the status line says while something runs.
    pub fn status(&self) -> Option<String> {
        words::status(&self.run)
    }

    /// Where the failure under the cursor is, or that of the run; and on which version.
    pub fn spot(&self) -> Option<(&Spot, Version)> {
        let Run::Finished(summary) = &self.run else { return None };
        let own = match self.list.current() {
            // Of a test that passed there is nothing to show.
            Some(test) if !test.status.is_some_and(crate::report::Status::is_failure) => return None,
            Some(test) => test.spot.as_ref(),
            None => None,
        };
        Some((own.or(summary.spot.as_ref())?, summary.version))
    }

    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        match action {
            Action::ShowSpot => self.focus == Focus::List && self.spot().is_some(),
            Action::ToggleOutput => self.has_output(),
            Action::NextFailure | Action::PreviousFailure => self.list.has_failures(),
            _ => true,
        }
    }

    /// Carries out what moves or shows; says whether it could, `None` if it means nothing here.
    pub fn act(&mut self, action: Action) -> Option<bool> {
        let in_output = self.focus == Focus::Output && self.has_output();
        match action {
            Action::CursorDown if in_output => self.output.scroll(1),
            Action::CursorUp if in_output => self.output.scroll(-1),
            Action::PageDown if in_output => self.output.page(true, false),
            Action::PageUp if in_output => self.output.page(false, false),
            Action::HalfPageDown if in_output => self.output.page(true, true),
            Action::HalfPageUp if in_output => self.output.page(false, true),
            Action::First if in_output => self.output.edge(false),
            Action::Last if in_output => self.output.edge(true),
            Action::CursorDown => self.list.move_by(1),
            Action::CursorUp => self.list.move_by(-1),
            Action::PageDown => self.list.page(true, false),
            Action::PageUp => self.list.page(false, false),
            Action::HalfPageDown => self.list.page(true, true),
            Action::HalfPageUp => self.list.page(false, true),
            Action::First => self.list.edge(false),
            Action::Last => self.list.edge(true),
            Action::ScrollLeft => self.output.scroll_sideways(-8),
            Action::ScrollRight => self.output.scroll_sideways(8),
            Action::ScrollHome => self.output.scroll_sideways(isize::MIN),
            Action::NextFailure | Action::PreviousFailure => {
                self.focus = Focus::List;
                self.lay_out();
                return Some(self.list.to_failure(action == Action::NextFailure));
            }
            Action::ToggleOutput => {
                if !self.has_output() {
                    return Some(false);
                }
                self.focus = if self.focus == Focus::List { Focus::Output } else { Focus::List };
                self.lay_out();
            }
            _ => return None,
        }
        Some(true)
    }

    /// Gives the keys to the output or to the list; says whether that could be done.
    pub fn show_output(&mut self, output: bool) -> bool {
        if output && !self.has_output() {
            return false;
        }
        self.focus = if output { Focus::Output } else { Focus::List };
        self.lay_out();
        true
    }

    /// What the copy key takes: a test's name, or the output.
    pub fn copied(&self) -> Option<String> {
        match self.focus {
            Focus::List => self.list.text(),
            Focus::Output => Some(self.output.text()),
        }
    }

    /// A search through the part that has the keys; says how many lines hold the words.
    pub fn search(&mut self, words: &str) -> usize {
        match self.focus {
            Focus::List => self.list.search(words),
            Focus::Output => self.output.search(words),
        }
    }

    /// To the next or previous hit: its number and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        match self.focus {
            Focus::List => self.list.search_step(forward),
            Focus::Output => self.output.search_step(forward),
        }
    }

    /// The mouse was pressed, counted from the top left corner of the tab.
    pub fn click(&mut self, x: u16, y: u16) {
        let places = self.places();
        if places.output.is_some_and(|output| output.contains((x, y).into())) {
            self.focus = Focus::Output;
            self.lay_out();
        } else if places.list.contains((x, y).into()) {
            self.focus = Focus::List;
            self.list.click(y - places.list.y);
        }
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        let step = if down { 3 } else { -3 };
        match self.focus {
            Focus::List => self.list.move_by(step),
            Focus::Output => self.output.scroll(step),
        }
    }
}

/// How a task is tested.
fn how(task: &Task) -> Vec<Detail> {
    let test = &task.test;
    let heading = |text: &str, remark: String| Detail::Heading(text.to_owned(), remark);
    let field = |name: &str, value: String| Detail::Field(name.to_owned(), value);
    let mut details = vec![heading("How it is tested", String::new())];
    if let Some(build) = &test.build {
        details.push(field("build", build.display()));
    }
    match test.command.as_ref().map(Command::display) {
        Some(line) => details.push(field("command", line)),
        None => {
            details.push(field("command", "the dataset gives none; its language may have one".to_owned()))
        }
    }
    details.extend(test.parser.clone().map(|parser| field("report", parser)));
    details.extend(test.timeout_s.map(|seconds| field("time limit", format!("{seconds} s"))));
    if !task.protected.is_empty() {
        details.push(heading("An answer may not change", task.protected.len().to_string()));
        details
            .extend(task.protected.iter().map(|path| Detail::Text(path.clone(), crate::theme::Role::Text)));
    }
    details
}
