//! Keys in the evidence: moving, searching, showing another piece, running tests.
//!
//! Promises: the same actions as on the Task screen do the same here. Leaves to others: which keys (`keymap`).

use super::{Evidence, Page};
use crate::harness::Version;
use crate::keymap::{Action, Key};
use crate::tui::msg::verify::VerifyJob;
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Outcome};
use crate::tui::widgets::acted::Acted;
use crate::tui::widgets::diff_view::{Choices, DiffView};
use crate::tui::widgets::input::{Edit, Input};

impl Evidence {
    fn shows_diff(&self) -> bool {
        matches!(self.page, Page::Diff | Page::File)
    }

    /// Whether the tests or their output are shown.
    pub fn shows_tests(&self) -> bool {
        self.page == Page::Tests || self.page == Page::Log && self.text.text().trim().is_empty()
    }

    /// Whether a search is typed.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// The field of the search, and what was found.
    pub fn search_field(&self) -> (&Input, Option<&str>) {
        (&self.input, self.found.as_deref())
    }

    /// A key while a search is typed.
    pub fn typed(&mut self, key: Key, action: Option<Action>) {
        match action {
            Some(Action::Accept) => self.end_typing(),
            Some(Action::Back) => {
                self.input.clear();
                self.search();
                self.end_typing();
            }
            _ => {
                if self.input.key(key, action) == Edit::Changed {
                    self.search();
                }
            }
        }
    }

    /// Pasted into the search.
    pub fn paste(&mut self, text: &str) {
        if self.input.insert(text) {
            self.search();
        }
    }

    fn end_typing(&mut self) {
        self.typing = false;
        self.text.end_search();
        if let Some(view) = &mut self.view {
            view.end_search();
        }
        self.lay_out();
    }

    fn search(&mut self) {
        let words = self.input.text();
        let count = match &mut self.view {
            Some(view) if matches!(self.page, Page::Diff | Page::File) => view.search(words),
            _ if matches!(self.page, Page::Tests | Page::Log) => self.tests.search(words),
            _ => self.text.search(words),
        };
        self.found = (!words.is_empty()).then(|| match count {
            0 => "not found".to_owned(),
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        });
    }

    fn search_step(&mut self, forward: bool) -> Outcome {
        let step = match &mut self.view {
            Some(view) if matches!(self.page, Page::Diff | Page::File) => view.search_step(forward),
            _ if matches!(self.page, Page::Tests | Page::Log) => self.tests.search_step(forward),
            _ => self.text.search_step(forward),
        };
        match step {
            Some((number, count)) => {
                self.found = Some(format!("{number} of {count}"));
                Outcome::done()
            }
            None if self.input.text().is_empty() => {
                Outcome::said(Said::info("nothing is searched for; / searches"))
            }
            None => Outcome::said(Said::info(format!("`{}` is not here", self.input.text()))),
        }
    }

    fn run(&mut self, version: Version, ctx: &mut Context) -> Outcome {
        let Some(loaded) = self.loaded().cloned() else {
            return Outcome::said(Said::info("the task is not here yet"));
        };
        if self.tests.is_running() {
            let status = self.tests.status().unwrap_or_default();
            return Outcome::said(Said::info(format!("already running ({status}); X cancels it")));
        }
        let fresh = self.tests.has_result_of(version);
        let ticket = ctx.ticket();
        self.select(Page::Tests);
        self.tests.begin(ticket, version);
        if let Some(view) = &mut self.view {
            view.set_marks(Vec::new());
        }
        Outcome::commands(vec![Cmd::Verify { ticket, job: VerifyJob { loaded, version, fresh } }])
    }

    /// Carries out what moves, shows, searches or runs.
    pub fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        if let Some(page) = Page::ALL.into_iter().find(|page| page.action() == action) {
            self.select(page);
            return Outcome::done();
        }
        match action {
            Action::TabNext | Action::TabPrevious => {
                let pages = &Page::ALL[..7];
                let at = pages.iter().position(|page| *page == self.page).unwrap_or(0);
                let step = if action == Action::TabNext { 1 } else { pages.len() - 1 };
                self.select(pages[(at + step) % pages.len()]);
            }
            Action::Search => {
                self.typing = true;
                self.input.clear();
                self.text.begin_search();
                if let Some(view) = &mut self.view {
                    view.begin_search();
                }
                self.lay_out();
            }
            Action::NextMatch | Action::PreviousMatch => {
                return self.search_step(action == Action::NextMatch);
            }
            Action::RunBuggy => return self.run(Version::Buggy, ctx),
            Action::RunReference => return self.run(Version::Reference, ctx),
            Action::CancelRun if self.tests.is_running() => {
                self.tests.cancelling();
                return Outcome::commands(vec![Cmd::CancelVerify]);
            }
            Action::CancelRun => return Outcome::said(Said::info("nothing is running")),
            Action::Back if self.found.is_some() => {
                self.input.clear();
                self.search();
            }
            Action::Back if !self.shows_diff() => self.select(Page::Diff),
            _ if self.shows_diff() => return self.act_on_diff(action),
            _ if self.shows_tests() => {
                return match action {
                    Action::Copy => match self.tests.copied() {
                        Some(text) => Outcome::commands(vec![Cmd::Copy(text)]),
                        None => Outcome::said(Said::info("nothing to copy here")),
                    },
                    Action::NextHunk => self.tests_step(Action::NextFailure),
                    Action::PreviousHunk => self.tests_step(Action::PreviousFailure),
                    _ => self.tests_step(action),
                };
            }
            _ => return self.act_on_text(action),
        }
        Outcome::done()
    }

    fn tests_step(&mut self, action: Action) -> Outcome {
        match self.tests.act(action) {
            Some(true) => Outcome::done(),
            Some(false) => Outcome::said(Said::info("no further test failed")),
            None => Outcome::ignored(),
        }
    }

    fn act_on_diff(&mut self, action: Action) -> Outcome {
        let Some(view) = &mut self.view else { return Outcome::ignored() };
        // The whole file is a page of its own here.
        if action == Action::FoldAll {
            return Outcome::ignored();
        }
        match view.act(action) {
            Acted::Chosen => {
                self.choices = Choices { whole_file: false, ..view.choices };
                Outcome::done()
            }
            Acted::NoFold => Outcome::said(Said::info("no folded lines here; W shows the whole file")),
            acted => Outcome::of(acted),
        }
    }

    fn act_on_text(&mut self, action: Action) -> Outcome {
        let acted = self.text.act(action);
        if acted == Acted::Chosen {
            self.choices.wrap = self.text.wraps();
            if let Some(view) = &mut self.view
                && view.choices.wrap != self.choices.wrap
            {
                view.toggle_wrap();
            }
        }
        Outcome::of(acted)
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        let step = if down { 3 } else { -3 };
        let in_tests = self.shows_tests();
        match &mut self.view {
            Some(view) if matches!(self.page, Page::Diff | Page::File) => view.move_by(step),
            _ if in_tests => self.tests.wheel(down),
            _ => self.text.scroll(step),
        }
    }

    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        match action {
            Action::NextHunk => {
                let (at, hunks) = self.view.as_ref().map_or((0, 0), DiffView::hunk_position);
                self.shows_diff() && hunks > at
            }
            Action::CancelRun => self.tests.is_running(),
            Action::FoldToggle => self.shows_diff() && self.view.as_ref().is_some_and(DiffView::has_folds),
            Action::RunBuggy | Action::RunReference => self.shows_tests() && !self.tests.is_running(),
            _ => true,
        }
    }
}
