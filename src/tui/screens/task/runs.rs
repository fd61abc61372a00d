//! Running the tests of the open task, and going to where they failed.
//!
//! Promises: one run at a time; leaving the task cancels it; results of a run that is not the newest are dropped.
//! Leaves to others: the tab that shows it (`tests`), running (`runtime::verify`).

use super::{Tab, TaskScreen};
use crate::diff::Side;
use crate::harness::Version;
use crate::keymap::Action;
use crate::tui::msg::verify::VerifyJob;
use crate::tui::msg::{Cmd, JobResult, Said};
use crate::tui::screens::{Context, Outcome};
use crate::tui::widgets::diff_view::{DiffView, Mark};
use crate::tui::widgets::test_list::Spot;

impl TaskScreen {
    /// Starts a run.
    pub(super) fn run_tests(&mut self, version: Version, ctx: &mut Context) -> Outcome {
        let Some(loaded) = self.loaded.clone().filter(|loaded| loaded.key == self.key) else {
            self.wanted = Some(version);
            return Outcome::said(Said::info("testing as soon as the task is read"));
        };
        if self.tests.is_running() {
            let status = self.tests.status().unwrap_or_default();
            return Outcome::said(Said::info(format!("already running ({status}); cancel it first")));
        }
        let fresh = self.tests.has_result_of(version);
        let ticket = ctx.ticket();
        self.select(Tab::Tests);
        self.tests.begin(ticket, version);
        self.set_marks(Vec::new());
        Outcome::commands(vec![Cmd::Verify { ticket, job: VerifyJob { loaded, version, fresh } }])
    }

    /// Ends the run.
    pub(super) fn cancel_tests(&mut self) -> Outcome {
        if !self.tests.is_running() {
            return Outcome::said(Said::info("nothing is running"));
        }
        self.tests.cancelling();
        Outcome::commands(vec![Cmd::CancelVerify])
    }

    /// The task is left: what runs is of no use any more.
    pub fn leave(&mut self) -> Vec<Cmd> {
        if self.tests.forget_run() { vec![Cmd::CancelVerify] } else { Vec::new() }
    }

    /// Something happened in a run, or it ended.
    pub(super) fn verified(&mut self, ticket: u64, result: &mut JobResult) {
        if !self.tests.awaits(ticket) {
            return;
        }
        match result {
            JobResult::Verifying(news) => self.tests.take_news(news),
            JobResult::Verified(finished) => {
                self.set_marks(std::mem::take(&mut finished.marks));
                self.tests.finish(finished);
            }
            JobResult::VerifyFailed(why) => self.tests.refuse(why),
            _ => {}
        }
    }

    fn set_marks(&mut self, marks: Vec<Mark>) {
        if let Some(view) = &mut self.view {
            view.set_marks(marks);
        }
    }

    /// What the status line says while tests run.
    pub fn status(&self) -> Option<String> {
        self.tests.status()
    }

    /// What there is to say about the line under the cursor.
    pub fn remark(&self) -> Option<String> {
        if self.tab != Tab::Diff {
            return None;
        }
        let marks = self.view.as_ref().map(DiffView::remarks_here).unwrap_or_default();
        let first = marks.first()?;
        let more = marks.len() - 1;
        let message = format!("{}  {}", first.kind.letter(), first.message);
        Some(if more > 0 { format!("{message}   (and {more} more here)") } else { message })
    }

    /// Carries out an action in the Tests tab.
    pub(super) fn act_on_tests(&mut self, action: Action) -> Outcome {
        match action {
            Action::ShowSpot => self.show_spot(),
            Action::Copy => match self.tests.copied() {
                Some(text) => Outcome::commands(vec![Cmd::Copy(text)]),
                None => Outcome::said(Said::info("nothing to copy here")),
            },
            _ => match self.tests.act(action) {
                None => Outcome::ignored(),
                Some(true) => Outcome::done(),
                Some(false) => Outcome::said(Said::info(match action {
                    Action::NextFailure => "no further test failed",
                    Action::PreviousFailure => "no test before this one failed",
                    _ => "nothing was run yet, so there is no output",
                })),
            },
        }
    }

    /// Goes to where the test under the cursor failed: in the difference, or in the files common to both versions.
    fn show_spot(&mut self) -> Outcome {
        let Some((Spot { file, line, failed }, version)) =
            self.tests.spot().map(|(spot, version)| (spot.clone(), version))
        else {
            return Outcome::said(Said::info("no line of this task is named there; the output says more"));
        };
        let what = if failed { "failed at" } else { "the test is at" };
        let said = Said::info(format!("{what} {file}:{line}, {} version", version.as_str()));
        let side = if version == Version::Buggy { Side::Old } else { Side::New };
        if self.view.as_mut().is_some_and(|view| view.go_to(&file, side, line)) {
            self.select(Tab::Diff);
            // What is said of the line is told where there is nothing else to tell.
            let told = self.remark().is_some();
            return if told { Outcome::done() } else { Outcome::said(said) };
        }
        self.select(Tab::Context);
        if self.page.go_to(&file, line) {
            return Outcome::said(said);
        }
        self.select(Tab::Tests);
        Outcome::said(Said::info(format!("{what} {file}:{line}, which is not shown here")))
    }
}
