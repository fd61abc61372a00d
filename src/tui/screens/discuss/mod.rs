//! The screen of disagreements: discussed by the annotators, decided by the arbitrator, looked back on afterwards.
//!
//! Promises: what is shown is what `study` lets who looks see; an answer or decision is given by two different keys,
//! with the case in view; it is said to be saved when it is on disk, and what could not be saved stays chosen.
//! Leaves to others: what a disagreement is (`label::dispute`), saving (`runtime`).

mod choose;
mod draw;
mod evidence;
mod list;
mod moves;
mod words;

use super::part::Part;
use super::rounds::words::{command, name};
use super::{Context, Go, Outcome, Place};
use crate::keymap::{self, Action, Key};
use crate::label::dispute::Dispute;
use crate::label::phase::Phase;
use crate::label::turn::task_of;
use crate::label::visible::Role as Is;
use crate::study::{Disputes, View};
use crate::text::counted;
use crate::theme::Role;
use crate::tui::msg::study::{self, discuss::Ask, discuss::Told};
use crate::tui::msg::{Cmd, JobResult, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::Choices;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::panel;
use choose::{Pending, Typing};
use evidence::Evidence;
use list::{Entry, Group};
use std::collections::HashSet;
use uuid::Uuid;

/// State of the screen.
pub struct DiscussScreen {
    disputes: Option<Box<Disputes>>,
    failure: Option<String>,
    groups: Vec<Group>,
    entries: Vec<Entry>,
    folded: HashSet<String>,
    cursor: usize,
    top: usize,
    /// Whether keys move about in the case.
    in_case: bool,
    evidence: Evidence,
    pending: Option<Pending>,
    typing: Option<(Typing, Input)>,
    /// A comment that was typed before an answer was chosen: item, question, text. What is typed after the key for it
    /// must never be taken as keys, which would decide something.
    draft: Option<(String, String, String)>,
    /// Whether taking back was asked for.
    undoing: bool,
    ticket: u64,
    /// What is being saved; 0: nothing.
    saving: u64,
    size: (u16, u16),
}

impl DiscussScreen {
    /// With no round in hand; differences are shown so at first, but long lines go on in the next row: what is to be
    /// judged must not lie behind the edge.
    pub fn new(choices: Choices) -> DiscussScreen {
        DiscussScreen {
            disputes: None,
            failure: None,
            groups: Vec::new(),
            entries: Vec::new(),
            folded: HashSet::new(),
            cursor: 0,
            top: 0,
            in_case: false,
            evidence: Evidence::new(Choices { wrap: true, ..choices }),
            pending: None,
            typing: None,
            draft: None,
            undoing: false,
            ticket: 0,
            saving: 0,
            size: (0, 0),
        }
    }

    /// The round that is shown.
    pub fn round(&self) -> Option<Uuid> {
        self.disputes.as_ref().map(|disputes| disputes.round.id)
    }

    /// The number of who looks, where they label.
    fn own(&self) -> Option<usize> {
        match self.disputes.as_ref()?.role {
            Is::Annotator(own) => Some(own),
            _ => None,
        }
    }

    /// The number of the case under the cursor.
    fn case(&self) -> Option<usize> {
        match self.entries.get(self.cursor)? {
            Entry::Case(number) => Some(*number),
            Entry::Group(_) => None,
        }
    }

    fn dispute(&self) -> Option<&Dispute> {
        self.disputes.as_ref()?.list.get(self.case()?)
    }

    fn is_wide(&self) -> bool {
        self.size.0 >= draw::WIDE
    }

    /// Whether the case under the cursor is seen.
    fn sees_case(&self) -> bool {
        self.in_case || self.is_wide()
    }

    fn ask(ticket: u64, ask: Ask) -> Cmd {
        Cmd::Study { ticket, ask: Box::new(study::Ask::Discuss(ask)) }
    }

    /// Another round comes.
    fn forget(&mut self) {
        self.disputes = None;
        (self.groups, self.entries) = (Vec::new(), Vec::new());
        (self.cursor, self.top, self.in_case) = (0, 0, false);
        self.folded.clear();
    }

    /// Begins anew with what is asked for.
    fn begin(&mut self, ask: Ask, ctx: &mut Context) -> Vec<Cmd> {
        self.pending = None;
        self.undoing = false;
        self.typing = None;
        self.ticket = ctx.ticket();
        vec![DiscussScreen::ask(self.ticket, ask)]
    }

    /// Has something saved; no key counts before it is.
    fn save(&mut self, ask: Ask, ctx: &mut Context) -> Outcome {
        self.saving = ctx.ticket();
        Outcome {
            said: Some(Said::info("saving…")),
            ..Outcome::commands(vec![DiscussScreen::ask(self.saving, ask)])
        }
    }

    fn enter(&mut self, ctx: &mut Context) -> Outcome {
        if self.saving != 0 {
            return Outcome::said(Said::info("saving…"));
        }
        if self.undoing {
            return self.undo(ctx);
        }
        if self.pending.is_some() {
            return self.give(ctx);
        }
        match self.entries.get(self.cursor) {
            Some(Entry::Group(number)) => {
                let fold = self.groups.get(*number).is_some_and(|group| !self.folded.contains(&group.title));
                self.fold(fold)
            }
            Some(Entry::Case(_)) if !self.in_case => {
                self.in_case = true;
                Outcome::commands(self.follow(true, ctx))
            }
            _ => Outcome::done(),
        }
    }

    fn leave(&mut self) -> Outcome {
        if self.pending.take().is_some() || std::mem::take(&mut self.undoing) {
            return Outcome::done();
        }
        if self.in_case {
            self.in_case = false;
            self.lay_out();
            return Outcome::done();
        }
        Outcome::go(Go::Study(Place::Rounds, None))
    }

    /// The difference has the room that the case leaves it.
    fn lay_out(&mut self) {
        let (width, height) = draw::difference(self);
        self.evidence.resize(width, height);
    }

    fn copy(&self) -> Outcome {
        let (Some(disputes), Some(dispute)) = (&self.disputes, self.dispute()) else {
            return Outcome::done();
        };
        let round = name(&disputes.round);
        let text = match disputes.view {
            View::Decide => {
                let words = ["mendbench", "round", "adjudicate", &round, "--item", &dispute.item];
                command(&[&words[..], &["--question", &dispute.question]].concat(), &disputes.name)
            }
            View::Discuss => {
                let words = ["mendbench", "label", "set", &dispute.item, &dispute.question];
                command(&[&words[..], &["ANSWER", "--round", &round]].concat(), &disputes.name)
            }
            _ => command(&["mendbench", "label", "list", "--round", &round], &disputes.name),
        };
        Outcome::commands(vec![Cmd::Copy(text)])
    }
}

impl Part for DiscussScreen {
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        let round = round.or(self.round());
        if round != self.round() {
            self.forget();
        }
        self.begin(Ask::Open(round), ctx)
    }

    fn return_to(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        // Which one it is comes with the answer.
        let shown = self.disputes.as_ref().map(|disputes| &disputes.round);
        let open = shown.filter(|round| round.phase != Phase::Closed).map(|round| round.id);
        self.begin(Ask::Return(round.or(open).or(self.round())), ctx)
    }

    fn told(&mut self, ticket: u64, told: &mut study::Told, ctx: &mut Context) -> Option<Outcome> {
        let saved = ticket == self.saving && ticket != 0;
        if !saved && (ticket != self.ticket || ticket == 0) {
            return None;
        }
        match std::mem::replace(told, study::Told::Refused(String::new())) {
            study::Told::Discuss(Told::Opened(disputes)) => {
                if self.round() != Some(disputes.round.id) {
                    self.forget();
                }
                let fresh = self.disputes.is_none();
                let here = self.dispute().map(|one| (one.item.clone(), one.question.clone()));
                self.take(disputes);
                let same = here.and_then(|(item, question)| {
                    let list = &self.disputes.as_ref()?.list;
                    list.iter().position(|one| one.item == item && one.question == question)
                });
                let first = if fresh { self.next_waiting(None, true, None) } else { None };
                if let Some(number) = same.or(first) {
                    self.select(number);
                } else if fresh && self.entries.len() > 1 {
                    self.cursor = 1;
                }
                Some(Outcome::commands(self.follow(true, ctx)))
            }
            study::Told::Discuss(Told::Kept(words, disputes)) => {
                self.saving = 0;
                let gave = self.pending.take().is_some();
                let here = self.dispute().map(|one| (one.item.clone(), one.question.clone()));
                self.take(disputes);
                let now = here.as_ref().and_then(|(item, question)| {
                    let list = &self.disputes.as_ref()?.list;
                    list.iter().position(|one| one.item == *item && one.question == *question)
                });
                let item = here.as_ref().map(|(item, _)| item.as_str());
                let next = if gave { self.next_waiting(now, true, item) } else { None };
                if let Some(number) = next.or(now) {
                    self.select(number);
                }
                let words =
                    if gave && next.is_none() { format!("{words}: that was the last one") } else { words };
                Some(Outcome { said: Some(Said::info(words)), ..Outcome::commands(self.follow(true, ctx)) })
            }
            study::Told::Refused(why) if saved => {
                // What was chosen stays chosen: nothing is lost, and it can be tried again.
                self.saving = 0;
                Some(Outcome::said(Said::error(format!("not saved: {why}"))))
            }
            study::Told::Refused(why) => {
                self.failure = Some(why);
                Some(Outcome::done())
            }
            _ => None,
        }
    }

    fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        self.evidence.done(ticket, result, ctx)
    }

    fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Outcome> {
        self.evidence.timer(number, ctx).map(Outcome::commands)
    }

    fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.evidence.tasks_changed(ctx)
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        vec![keymap::Context::Discuss]
    }

    fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        match action {
            Action::CursorDown => self.move_by(1, ctx),
            Action::CursorUp => self.move_by(-1, ctx),
            Action::HalfPageDown => self.page(true, true, ctx),
            Action::HalfPageUp => self.page(false, true, ctx),
            Action::PageDown => self.page(true, false, ctx),
            Action::PageUp => self.page(false, false, ctx),
            Action::First | Action::Last if self.in_case => self.evidence.act(action),
            Action::First => self.move_by(isize::MIN / 2, ctx),
            Action::Last => self.move_by(isize::MAX / 2, ctx),
            Action::NextHunk
            | Action::PreviousHunk
            | Action::ToggleSideBySide
            | Action::ToggleWrap
            | Action::FoldAll => self.evidence.act(action),
            Action::EnterCase => self.enter(ctx),
            Action::Collapse if !self.in_case => self.fold(true),
            Action::Expand if !self.in_case => self.fold(false),
            Action::Collapse => self.evidence.act(Action::ScrollLeft),
            Action::Expand => self.evidence.act(Action::ScrollRight),
            Action::TakeOther => self.take_other(),
            Action::KeepMine => self.keep_mine(),
            Action::WriteNote => self.type_in(Typing::Comment),
            Action::TypeAnswer => self.type_in(Typing::Answer),
            Action::SendBack => self.type_in(Typing::SendBack),
            Action::TakeBack => self.ask_to_undo(),
            Action::NextCase => self.step(true, ctx),
            Action::PreviousCase => self.step(false, ctx),
            Action::OpenItem => match self.dispute() {
                Some(dispute) => Outcome::go(Go::TaskNamed(task_of(&dispute.item).to_owned())),
                None => Outcome::done(),
            },
            Action::Copy => self.copy(),
            Action::Reload => {
                self.ticket = ctx.ticket();
                Outcome::commands(vec![DiscussScreen::ask(self.ticket, Ask::Open(self.round()))])
            }
            Action::Back => self.leave(),
            _ => Outcome::ignored(),
        }
    }

    fn other_key(&mut self, key: Key, ctx: &mut Context) -> Outcome {
        let outcome = self.answer_key(key, ctx);
        self.lay_out();
        outcome
    }

    fn is_typing(&self) -> bool {
        self.typing.is_some()
    }

    fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        match action {
            Some(Action::Accept) => self.typed_in(ctx),
            Some(Action::Back) => {
                self.typing = None;
                Outcome::done()
            }
            _ => {
                if let Some((_, input)) = &mut self.typing {
                    input.key(key, action);
                }
                Outcome::done()
            }
        }
    }

    fn paste(&mut self, text: &str, _ctx: &mut Context) -> Vec<Cmd> {
        if let Some((_, input)) = &mut self.typing {
            input.insert(text);
        }
        Vec::new()
    }

    fn resize(&mut self, width: u16, height: u16, _ctx: &mut Context) -> Vec<Cmd> {
        self.size = (width, height);
        self.keep_visible();
        self.lay_out();
        Vec::new()
    }

    fn wheel(&mut self, down: bool) {
        let by = if down { 3 } else { -3 };
        if self.sees_case() {
            if let Some(view) = &mut self.evidence.view {
                view.scroll(by);
            }
        } else {
            self.cursor = self.cursor.saturating_add_signed(by).min(self.entries.len().saturating_sub(1));
            self.keep_visible();
        }
    }

    fn click(&mut self, x: u16, y: u16, ctx: &mut Context) -> Outcome {
        let in_list = if self.is_wide() { x < draw::LIST } else { !self.in_case };
        let at = usize::from(y).checked_sub(usize::from(draw::ABOVE)).map(|row| self.top + row);
        match at.filter(|at| in_list && *at < self.entries.len()) {
            Some(at) if at == self.cursor && self.pending.is_none() => self.enter(ctx),
            Some(at) => {
                self.cursor = at;
                self.pending = None;
                self.undoing = false;
                Outcome::commands(self.follow(true, ctx))
            }
            None => Outcome::done(),
        }
    }

    fn means_something(&self, action: Action) -> bool {
        let view = self.disputes.as_ref().map(|disputes| disputes.view);
        let has = self.dispute().is_some();
        let answers = has && self.sees_case();
        match action {
            Action::EnterCase => !self.entries.is_empty() && !self.in_case && self.pending.is_none(),
            Action::TakeOther | Action::KeepMine => {
                answers && view == Some(View::Discuss) && self.pending.is_none()
            }
            Action::SendBack => answers && view == Some(View::Decide) && self.pending.is_none(),
            Action::WriteNote => answers && matches!(view, Some(View::Discuss | View::Decide)),
            Action::TypeAnswer => {
                answers && matches!(view, Some(View::Discuss | View::Decide)) && self.pending.is_none()
            }
            Action::TakeBack | Action::NextCase => {
                matches!(view, Some(View::Discuss | View::Decide)) && !self.entries.is_empty()
            }
            Action::OpenItem | Action::Copy => has,
            Action::ToggleSideBySide | Action::ToggleWrap | Action::NextHunk => {
                self.sees_case() && self.evidence.view.is_some()
            }
            _ => true,
        }
    }

    fn footer(&self) -> Option<String> {
        if self.saving != 0 {
            return Some("saving…".to_owned());
        }
        None
    }

    fn source(&self) -> Option<(&str, &str)> {
        let disputes = self.disputes.as_ref()?;
        disputes.round.source_of_tasks().map(|source| (source, disputes.name.as_str()))
    }

    fn crumbs(&self) -> Vec<String> {
        let what = match self.disputes.as_ref().map(|disputes| disputes.view) {
            Some(View::Decide) => "adjudication",
            Some(View::Discuss) => "discussion",
            _ => "disagreements",
        };
        let round = self.disputes.as_ref().map(|disputes| name(&disputes.round));
        round.into_iter().chain([what.to_owned()]).collect()
    }

    fn header(&self) -> String {
        let Some(disputes) = &self.disputes else { return String::new() };
        let all = disputes.list.len();
        let waiting = disputes.list.iter().filter(|one| list::waits(disputes, one)).count();
        match disputes.view {
            View::Hidden(_) => String::new(),
            View::Discuss => format!("{} to discuss of {all}", waiting),
            View::Decide => format!("{} to decide of {all}", waiting),
            View::Watch => counted(all, "disagreement"),
        }
    }

    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        if let Some(failure) = &self.failure {
            let body = format!("{failure}\n\nThe list of rounds has them all: Enter there takes one up.");
            panel::message(canvas, &ctx.skin, "There is no round to show", &body, Role::StatusError);
            return;
        }
        draw::screen(self, &ctx.skin, canvas);
    }
}
