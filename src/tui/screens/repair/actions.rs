//! What actions do on the Repair screen.

use super::shown::ask;
use super::{Against, Pane, RepairScreen, Shown, replay, words};
use crate::keymap::Action;
use crate::tui::msg::repair::{Ask, Look, Steer};
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Go, Outcome};

impl RepairScreen {
    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        let Some(shown) = self.current() else { return false };
        let playing = shown.replay.as_ref().is_some_and(|replay| replay.is_playing());
        match action {
            Action::Pause => shown.running || playing,
            Action::Step | Action::CancelRun | Action::GiveFeedback | Action::EditCode => shown.running,
            Action::Play => !shown.running && !playing && shown.run.is_some(),
            Action::Faster | Action::Slower => playing,
            Action::ChangeAgainst => shown.change.of.is_some(),
            Action::ShowPrompt => shown.turn().is_some_and(|turn| turn.facts.prompt.is_some()),
            Action::NextTurn | Action::PreviousTurn => shown.live.turns().len() > 1,
            Action::NextTrajectory | Action::PreviousTrajectory => self.shown.len() > 1,
            Action::ToggleSideBySide | Action::ToggleWrap => false,
            Action::Launch => !shown.running,
            _ => true,
        }
    }

    /// What the hints say of a key: that of the pause ends one that is there.
    pub fn says(&self, action: Action) -> Option<&'static str> {
        let shown = self.current().filter(|_| action == Action::Pause)?;
        let replay = shown.replay.as_ref().filter(|replay| replay.is_playing());
        let paused = match replay {
            Some(replay) => !replay.is_moving(),
            None => words::pause(shown).is_some(),
        };
        paused.then_some("go on")
    }

    /// Carries out an action.
    pub fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let number = Pane::ALL.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        match action {
            Action::TabNext => self.pane = Pane::ALL[(number + 1) % Pane::ALL.len()],
            Action::TabPrevious => self.pane = Pane::ALL[(number + Pane::ALL.len() - 1) % Pane::ALL.len()],
            Action::Tab1 => self.pane = Pane::Answer,
            Action::Tab2 => self.pane = Pane::Change,
            Action::Tab3 => self.pane = Pane::Tests,
            Action::Tab4 => self.pane = Pane::Turns,
            Action::Back if self.in_output => self.in_output = false,
            Action::Back => {
                let said =
                    self.background().map(|words| Said::info(format!("it goes on: {words}; g r goes back")));
                return Outcome { said, ..Outcome::go(Go::Back) };
            }
            Action::NextTrajectory | Action::PreviousTrajectory => {
                let step = if action == Action::NextTrajectory { 1 } else { self.shown.len().max(1) - 1 };
                if self.shown.len() < 2 {
                    return Outcome::said(Said::info("there is one trajectory here; g u lists all runs"));
                }
                self.at = (self.at + step) % self.shown.len();
            }
            _ => {
                let outcome = self.act_on_shown(action, ctx);
                if !outcome.handled {
                    return outcome;
                }
                let mut more = self.refresh(ctx);
                more.splice(0..0, outcome.commands);
                return Outcome { commands: more, ..outcome };
            }
        }
        Outcome::commands(self.refresh(ctx))
    }

    fn act_on_shown(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let Some(shown) = self.shown.get_mut(self.at) else { return Outcome::ignored() };
        let at = shown.at();
        match action {
            Action::NextTurn | Action::PreviousTurn => {
                let next = if action == Action::NextTurn { at + 1 } else { at.saturating_sub(1) };
                if next == at || next >= shown.live.turns().len() {
                    let which = if action == Action::NextTurn { "last" } else { "first" };
                    return Outcome::said(Said::info(format!("this is the {which} turn")));
                }
                shown.select(next);
                Outcome::done()
            }
            Action::Pause => pause(shown, ctx),
            Action::Step | Action::CancelRun if !shown.running => {
                Outcome::said(Said::info("nothing is running here"))
            }
            Action::Step => {
                shown.paused = true;
                shown.live.went_on();
                steer(shown, Steer::Step)
            }
            Action::CancelRun => {
                shown.cancelling = true;
                steer(shown, Steer::Cancel)
            }
            Action::GiveFeedback | Action::EditCode if !shown.running => {
                Outcome::said(Said::info("only a trajectory under way can be steered; r runs the task again"))
            }
            Action::GiveFeedback => {
                self.typing = true;
                Outcome::done()
            }
            Action::EditCode => self.edit(ctx),
            Action::ChangeAgainst => {
                shown.change.against = match shown.change.against {
                    Against::Before => Against::Buggy,
                    Against::Buggy if shown.saw_reference => Against::Reference,
                    Against::Buggy | Against::Reference => Against::Before,
                };
                Outcome::done()
            }
            Action::ShowReference => show_reference(shown),
            Action::ShowPrompt => match shown.turn().and_then(|turn| turn.facts.prompt.clone()) {
                Some(prompt) => {
                    shown.prompt_ticket = ctx.ticket();
                    Outcome::commands(vec![ask(shown.prompt_ticket, Look::Prompt(prompt))])
                }
                None => Outcome::said(Said::info("this turn has no prompt yet")),
            },
            Action::ToggleOutput => {
                self.in_output = !self.in_output;
                if self.in_output {
                    self.pane = Pane::Tests;
                }
                Outcome::done()
            }
            Action::ToggleReasoning => {
                shown.answer.unfolded = !shown.answer.unfolded;
                Outcome::done()
            }
            Action::Play => match (shown.replay.is_none() && !shown.running, shown.run, &shown.head) {
                (true, Some(run), Some(head)) => {
                    self.opening = ctx.ticket();
                    let ask = Box::new(Ask::Open { run, trajectory: head.id });
                    Outcome::commands(vec![Cmd::Repair { ticket: self.opening, ask }])
                }
                _ => play(shown, ctx),
            },
            Action::Faster | Action::Slower => match &mut shown.replay {
                Some(replay) => {
                    replay.change_speed(action == Action::Faster);
                    Outcome::said(Said::info(format!("speed {}", replay.speed())))
                }
                None => Outcome::said(Said::info("only a recorded trajectory is played")),
            },
            Action::CopyCommand => match words::command(shown, ctx) {
                Some(command) => Outcome::commands(vec![Cmd::Copy(command)]),
                None => Outcome::said(Said::info("there is no command for it yet")),
            },
            Action::Copy => copy(shown, self.pane),
            _ => self.move_in_pane(action),
        }
    }

    fn edit(&mut self, ctx: &mut Context) -> Outcome {
        let Some((path, text, line)) = self.current().and_then(Shown::file_to_edit) else {
            return Outcome::said(Said::info("the task names no file to edit"));
        };
        let ticket = ctx.ticket();
        let name = path.rsplit('/').next().unwrap_or("file").to_owned();
        self.editing = Some((ticket, path));
        Outcome::commands(vec![Cmd::EditBack { ticket, name, text, line }])
    }

    fn move_in_pane(&mut self, action: Action) -> Outcome {
        let in_output = self.in_output;
        let pane = self.pane;
        let Some(shown) = self.shown.get_mut(self.at) else { return Outcome::ignored() };
        let done = match pane {
            Pane::Answer => answer(shown, action),
            Pane::Change => change(shown, action),
            Pane::Tests if in_output => output(shown, action),
            Pane::Tests => tests(shown, action),
            Pane::Turns => turns(shown, action),
        };
        if done { Outcome::done() } else { Outcome::ignored() }
    }
}

fn steer(shown: &Shown, steer: Steer) -> Outcome {
    Outcome::commands(vec![Cmd::Repair { ticket: shown.ticket, ask: Box::new(Ask::Steer(steer)) }])
}

fn pause(shown: &mut Shown, ctx: &mut Context) -> Outcome {
    if let Some(replay) = shown.replay.as_mut().filter(|replay| replay.is_playing()) {
        let was_moving = replay.is_moving();
        replay.hold(was_moving);
        if was_moving {
            return Outcome::done();
        }
        replay.timer = ctx.ticket();
        return Outcome::commands(vec![Cmd::After(replay.timer, replay::STEP)]);
    }
    if !shown.running {
        return Outcome::said(Said::info("nothing is running here; P plays what was recorded"));
    }
    shown.paused = !shown.paused;
    if shown.paused {
        // The line above the answer tells it as long as it lasts.
        return steer(shown, Steer::Pause);
    }
    shown.live.went_on();
    steer(shown, Steer::GoOn)
}

/// Plays from the beginning; what is played already comes to its end.
pub(super) fn play(shown: &mut Shown, ctx: &mut Context) -> Outcome {
    let Some(mut replay) = shown.replay.take_if(|replay| replay.can_play()) else {
        return Outcome::said(Said::info("it is live; it can be played when it is over"));
    };
    let outcome = if replay.is_playing() {
        replay.finish(&mut shown.live);
        Outcome::said(Said::info("played to its end"))
    } else {
        replay.play();
        shown.live = crate::repair::live::Live::new();
        shown.forget_view();
        replay.timer = ctx.ticket();
        Outcome::commands(vec![Cmd::After(replay.timer, replay::STEP)])
    };
    shown.replay = Some(replay);
    outcome
}

fn show_reference(shown: &mut Shown) -> Outcome {
    if shown.task.files.reference.is_empty() {
        return Outcome::said(Said::info("this task has no reference"));
    }
    if shown.change.against == Against::Reference {
        shown.change.against = Against::Before;
        return Outcome::done();
    }
    shown.change.against = Against::Reference;
    let first = !std::mem::replace(&mut shown.saw_reference, true);
    match first && shown.running {
        true => {
            Outcome::said(Said::info("you have seen the reference: what you say or edit now is marked so"))
        }
        false => Outcome::done(),
    }
}

fn copy(shown: &Shown, pane: Pane) -> Outcome {
    let text = match pane {
        Pane::Change => shown.change.view.as_ref().and_then(|view| view.current_text()),
        Pane::Tests => Some(shown.output.text()).filter(|text| !text.is_empty()),
        Pane::Answer | Pane::Turns => shown.answer_text().map(str::to_owned),
    };
    match text.filter(|text| !text.is_empty()) {
        Some(text) => Outcome::commands(vec![Cmd::Copy(text)]),
        None => Outcome::said(Said::info("nothing to copy here")),
    }
}

/// Where a movement goes: rows, `None` for what is none.
enum Move {
    By(isize),
    Page(bool, bool),
    Edge(bool),
    Sideways(isize),
}

fn movement(action: Action) -> Option<Move> {
    Some(match action {
        Action::CursorDown => Move::By(1),
        Action::CursorUp => Move::By(-1),
        Action::PageDown => Move::Page(true, false),
        Action::PageUp => Move::Page(false, false),
        Action::HalfPageDown => Move::Page(true, true),
        Action::HalfPageUp => Move::Page(false, true),
        Action::First => Move::Edge(false),
        Action::Last => Move::Edge(true),
        Action::ScrollLeft => Move::Sideways(-8),
        Action::ScrollRight => Move::Sideways(8),
        Action::ScrollHome => Move::Sideways(isize::MIN),
        _ => return None,
    })
}

fn answer(shown: &mut Shown, action: Action) -> bool {
    match movement(action) {
        Some(Move::By(rows)) => shown.answer.scroll(rows),
        Some(Move::Page(down, half)) => shown.answer.page(down, half),
        Some(Move::Edge(last)) => shown.answer.edge(last),
        Some(Move::Sideways(columns)) => shown.answer.scroll_sideways(columns),
        None => return false,
    }
    true
}

fn change(shown: &mut Shown, action: Action) -> bool {
    let Some(view) = &mut shown.change.view else { return movement(action).is_some() };
    match movement(action) {
        Some(Move::By(rows)) => view.move_by(rows),
        Some(Move::Page(down, half)) => view.page(down, half),
        Some(Move::Edge(last)) => view.edge(last),
        Some(Move::Sideways(isize::MIN)) => view.scroll_home(),
        Some(Move::Sideways(columns)) => view.scroll_sideways(columns),
        None => match action {
            Action::ToggleSideBySide => view.toggle_side_by_side(),
            Action::ToggleWrap => view.toggle_wrap(),
            Action::FoldAll => view.toggle_whole_file(),
            _ => return false,
        },
    }
    true
}

fn output(shown: &mut Shown, action: Action) -> bool {
    match movement(action) {
        Some(Move::By(rows)) => shown.output.scroll(rows),
        Some(Move::Page(down, half)) => shown.output.page(down, half),
        Some(Move::Edge(last)) => shown.output.edge(last),
        Some(Move::Sideways(columns)) => shown.output.scroll_sideways(columns),
        None => return false,
    }
    true
}

fn tests(shown: &mut Shown, action: Action) -> bool {
    let step = match movement(action) {
        Some(Move::By(rows)) => rows,
        Some(Move::Page(down, half)) => {
            let rows = if half { 5 } else { 10 };
            if down { rows } else { -rows }
        }
        Some(Move::Edge(last)) => {
            if last {
                isize::MAX
            } else {
                isize::MIN
            }
        }
        Some(Move::Sideways(_)) => return true,
        None => return false,
    };
    // Drawing keeps it inside.
    let most = shown.turn().map_or(0, |turn| turn.passing.tests.len());
    shown.tests_top = shown.tests_top.saturating_add_signed(step).min(most);
    true
}

fn turns(shown: &mut Shown, action: Action) -> bool {
    let last = shown.live.turns().len().saturating_sub(1);
    let at = shown.at();
    let next = match movement(action) {
        Some(Move::By(rows)) => at.saturating_add_signed(rows),
        Some(Move::Page(true, _)) | Some(Move::Edge(true)) => last,
        Some(Move::Page(false, _)) | Some(Move::Edge(false)) => 0,
        Some(Move::Sideways(_)) => return true,
        None => return false,
    };
    shown.select(next.min(last));
    true
}
