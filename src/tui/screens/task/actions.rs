//! What actions do on the Task screen.

use super::{Tab, TaskScreen};
use crate::catalogue::LoadedTask;
use crate::diff::{Algorithm, Side, Whitespace};
use crate::harness::Version;
use crate::keymap::Action;
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Go, Outcome};
use crate::tui::widgets::acted::Acted;
use crate::tui::widgets::diff_view::DiffView;

fn wrap_state(wrap: bool) -> &'static str {
    if wrap { "long lines wrap" } else { "long lines are cut; h and l scroll" }
}

impl TaskScreen {
    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        let (at, hunks) = self.view.as_ref().map_or((0, 0), DiffView::hunk_position);
        match action {
            Action::NextHunk => hunks > at,
            Action::PreviousHunk => at > 1,
            Action::FoldToggle | Action::FoldAll => self.view.as_ref().is_some_and(DiffView::has_folds),
            Action::ToggleSideBySide | Action::ToggleWrap | Action::ToggleWhitespace | Action::Copy => {
                self.tab != Tab::Diff || self.view.as_ref().is_some_and(|view| !view.is_empty())
            }
            Action::NextMark | Action::PreviousMark => self.view.as_ref().is_some_and(DiffView::has_marks),
            // Elsewhere the keys work too, and the footer has other things to tell.
            Action::RunBuggy | Action::RunReference => self.tab == Tab::Tests && !self.tests.is_running(),
            Action::CancelRun => self.tests.is_running(),
            _ => self.tests.means_something(action),
        }
    }

    /// Carries out an action.
    pub fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let number = Tab::ALL.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        match action {
            Action::TabNext => self.select(Tab::ALL[(number + 1) % Tab::ALL.len()]),
            Action::TabPrevious => self.select(Tab::ALL[(number + Tab::ALL.len() - 1) % Tab::ALL.len()]),
            Action::Tab1 => self.select(Tab::Diff),
            Action::Tab2 => self.select(Tab::Description),
            Action::Tab3 => self.select(Tab::Tests),
            Action::Tab4 => self.select(Tab::Context),
            Action::Tab5 => self.select(Tab::Provenance),
            Action::Tab6 => self.select(Tab::Labels),
            Action::NextTask => return Outcome::go(Go::Neighbour(1)),
            Action::PreviousTask => return Outcome::go(Go::Neighbour(-1)),
            Action::Back if !self.input.text().is_empty() => {
                self.input.clear();
                self.search();
            }
            Action::Back | Action::GotoTasks => {
                let commands = self.leave();
                let said = (!commands.is_empty()).then(|| Said::info("the run was cancelled"));
                return Outcome { commands, said, ..Outcome::go(Go::Tasks) };
            }
            Action::RunBuggy => return self.run_tests(Version::Buggy, ctx),
            Action::RunReference => return self.run_tests(Version::Reference, ctx),
            Action::CancelRun => return self.cancel_tests(),
            Action::Search => {
                self.typing = true;
                self.input.clear();
                self.page.begin_search();
                if let Some(view) = &mut self.view {
                    view.begin_search();
                }
            }
            Action::NextMatch | Action::PreviousMatch => {
                let forward = action == Action::NextMatch;
                if self.tab == Tab::Diff && self.input.text().is_empty() {
                    let hunk = if forward { Action::NextHunk } else { Action::PreviousHunk };
                    return self.act_on_diff(hunk, ctx);
                }
                if self.tab == Tab::Tests && self.input.text().is_empty() {
                    let step = if forward { Action::NextFailure } else { Action::PreviousFailure };
                    return self.act_on_tests(step);
                }
                return self.search_step(forward);
            }
            Action::CopyCommand => {
                return match self.command(ctx) {
                    Some(command) => Outcome::commands(vec![Cmd::Copy(command)]),
                    None => Outcome::said(Said::info("no task to name in a command")),
                };
            }
            Action::Edit => return self.edit(),
            _ if self.tab == Tab::Diff => return self.act_on_diff(action, ctx),
            _ if self.tab == Tab::Tests => return self.act_on_tests(action),
            _ => return self.act_on_page(action),
        }
        let to_tab = matches!(action, Action::TabNext | Action::TabPrevious | Action::Tab6);
        let asked = if to_tab { self.ask_for_labels(ctx) } else { None };
        Outcome::commands(asked.into_iter().collect())
    }

    fn search_step(&mut self, forward: bool) -> Outcome {
        let step = match (self.tab, &mut self.view) {
            (Tab::Diff, Some(view)) => view.search_step(forward),
            (Tab::Tests, _) => self.tests.search_step(forward),
            _ => self.page.search_step(forward),
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

    fn act_on_page(&mut self, action: Action) -> Outcome {
        match self.page.act(action) {
            Acted::Chosen => {
                self.choices.wrap = self.page.wraps();
                if let Some(view) = &mut self.view
                    && view.choices.wrap != self.choices.wrap
                {
                    view.toggle_wrap();
                }
                Outcome::said(Said::info(wrap_state(self.choices.wrap)))
            }
            acted => Outcome::of(acted),
        }
    }

    fn act_on_diff(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let Some(view) = &mut self.view else { return Outcome::ignored() };
        match view.act(action) {
            Acted::Chosen => {
                self.choices = view.choices;
                match action {
                    Action::ToggleWrap => Outcome::said(Said::info(wrap_state(self.choices.wrap))),
                    _ => Outcome::done(),
                }
            }
            Acted::NoFold => Outcome::said(Said::info("no folded lines here; Z shows the whole file")),
            Acted::Ignored => self.compare(action, ctx),
            acted => Outcome::of(acted),
        }
    }

    /// Has the versions compared in another way.
    fn compare(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        match action {
            Action::ToggleWhitespace => {
                let (next, state) = match self.options.whitespace {
                    Whitespace::Exact => (Whitespace::IgnoreAmount, "amount of white space ignored"),
                    Whitespace::IgnoreAmount => (Whitespace::IgnoreAll, "white space ignored"),
                    Whitespace::IgnoreAll => (Whitespace::Exact, "white space counts"),
                };
                self.options.whitespace = next;
                self.reload(state, ctx)
            }
            Action::AlgorithmNext => {
                let (next, state) = match self.options.algorithm {
                    Algorithm::Myers => (Algorithm::Patience, "lines compared by patience"),
                    Algorithm::Patience => (Algorithm::Histogram, "lines compared by histogram"),
                    Algorithm::Histogram => (Algorithm::Myers, "lines compared by Myers"),
                };
                self.options.algorithm = next;
                self.reload(state, ctx)
            }
            _ => Outcome::ignored(),
        }
    }

    fn reload(&mut self, state: &str, ctx: &mut Context) -> Outcome {
        self.ticket = ctx.ticket();
        Outcome { said: Some(Said::info(state)), ..Outcome::commands(vec![self.load()]) }
    }

    /// The command that prints what the screen shows.
    fn command(&self, ctx: &Context) -> Option<String> {
        let loaded = self.loaded.as_ref()?;
        let mut words: Vec<String> = match self.tab {
            Tab::Diff => vec!["mendbench".into(), "diff".into()],
            Tab::Tests => vec!["mendbench".into(), "verify".into()],
            _ => vec!["mendbench".into(), "tasks".into(), "show".into()],
        };
        words.push(loaded.task.name().to_string());
        words.extend(ctx.origin.flags());
        if self.tab == Tab::Tests && self.tests.version() == Some(Version::Reference) {
            words.push("--reference".to_owned());
        }
        if self.tab == Tab::Diff {
            let whitespace = match self.options.whitespace {
                Whitespace::Exact => None,
                Whitespace::IgnoreAmount => Some("--ignore-space-change"),
                Whitespace::IgnoreAll => Some("--ignore-all-space"),
            };
            let algorithm = match self.options.algorithm {
                Algorithm::Myers => None,
                Algorithm::Patience => Some("--algorithm=patience"),
                Algorithm::Histogram => Some("--algorithm=histogram"),
            };
            let context = self.view.as_ref().map_or(Some(3), DiffView::context);
            let around = context.filter(|lines| *lines != 3).map(|lines| format!("-U{lines}"));
            let side_by_side = self.view.as_ref().is_some_and(DiffView::side_by_side);
            let flags = [
                side_by_side.then_some("--side-by-side"),
                context.is_none().then_some("--whole"),
                around.as_deref(),
                whitespace,
                algorithm,
            ];
            words.extend(flags.into_iter().flatten().map(str::to_owned));
        }
        let joined = shlex::try_join(words.iter().map(String::as_str));
        Some(joined.unwrap_or_else(|_| words.join(" ")))
    }

    /// Opens a copy of the file under the cursor in the editor.
    fn edit(&mut self) -> Outcome {
        let command = self.loaded.as_ref().zip(self.view.as_ref());
        match command.and_then(|(loaded, view)| editor(loaded, view)) {
            Some(command) => Outcome::commands(vec![command]),
            None => Outcome::said(Said::info("no file to open here")),
        }
    }
}

/// What opens a copy of the file under the cursor of a difference in the editor.
pub fn editor(loaded: &LoadedTask, view: &DiffView) -> Option<Cmd> {
    let (file, side, line) = view.source_line().unwrap_or((0, Side::New, 0));
    let entry = loaded.diff.files.get(file as usize)?;
    let tree = if side == Side::Old { loaded.task.buggy_tree() } else { loaded.task.reference_tree() };
    let content = tree.get(entry.path.as_str())?;
    let version = if side == Side::Old { "buggy" } else { "reference" };
    let name = entry.path.rsplit('/').next().unwrap_or("file");
    Some(Cmd::Edit { name: format!("{version}-{name}"), text: content.bytes().to_vec(), line: line + 1 })
}
