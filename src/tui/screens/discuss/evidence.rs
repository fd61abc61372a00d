//! The difference of the item that a disagreement is about.
//!
//! Promises: a cursor on its way asks for nothing; what is shown belongs to the item that it is shown for; a task that
//! is gone is told in words. Leaves to others: the difference itself (`widgets::diff_view`), reading tasks (jobs).

use super::{Context, Outcome};
use crate::catalogue::LoadedTask;
use crate::diff::DiffOptions;
use crate::keymap::Action;
use crate::label::turn::TurnName;
use crate::text;
use crate::theme::Role;
use crate::tui::msg::repair::{Ask, Told};
use crate::tui::msg::{Cmd, Job, JobResult, Slot};
use crate::tui::screens::elsewhere::elsewhere;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::{self, Choices, DiffView, Look};
use crate::tui::widgets::skin::Skin;
use std::sync::Arc;
use std::time::Duration;

/// The cursor has come to rest when it has not moved for this long.
const REST: Duration = Duration::from_millis(70);

/// What of a task is shown.
pub struct Evidence {
    /// Name of the task that is wanted.
    wanted: Option<String>,
    /// Where the round was drawn from, and who looks.
    drawn: (String, String),
    ticket: u64,
    colours: u64,
    timer: u64,
    loaded: Option<Arc<LoadedTask>>,
    /// Name of the task that is shown.
    shown: Option<String>,
    failure: Option<String>,
    /// The view, once there is one.
    pub view: Option<DiffView>,
    /// How differences are shown.
    pub choices: Choices,
    size: (u16, u16),
}

impl Evidence {
    /// Nothing yet; differences are shown so at first.
    pub fn new(choices: Choices) -> Evidence {
        Evidence {
            wanted: None,
            drawn: Default::default(),
            ticket: 0,
            colours: 0,
            timer: 0,
            loaded: None,
            shown: None,
            failure: None,
            view: None,
            choices,
            size: (0, 0),
        }
    }

    /// The round was drawn from here; that is told to `who` where its tasks are not open.
    pub fn set_source(&mut self, source: &str, who: &str) {
        self.drawn = (source.to_owned(), who.to_owned());
    }

    /// This task is wanted now.
    pub fn want(&mut self, task: Option<&str>, at_once: bool, ctx: &mut Context) -> Vec<Cmd> {
        if self.wanted.as_deref() == task && self.failure.is_none() {
            return Vec::new();
        }
        self.wanted = task.map(str::to_owned);
        self.failure = None;
        // Whatever is on its way is for another task.
        self.ticket = 0;
        if task.is_none() || self.shown == self.wanted {
            self.timer = 0;
            return Vec::new();
        }
        if at_once {
            return self.load(ctx);
        }
        self.timer = ctx.ticket();
        vec![Cmd::After(self.timer, REST)]
    }

    /// A timer has run out; `None` if it is not this one.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        (number == self.timer && number != 0).then(|| self.load(ctx))
    }

    /// The list of tasks has grown: what was not there may be.
    pub fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        if self.failure.is_some() { self.load(ctx) } else { Vec::new() }
    }

    fn load(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.timer = 0;
        let Some(name) = &self.wanted else { return Vec::new() };
        if let Some(turn) = TurnName::of_item(name) {
            self.failure = None;
            self.ticket = ctx.ticket();
            let ask = Ask::AfterTurn { key: u64::MAX, name: turn, made: None };
            return vec![Cmd::Repair { ticket: self.ticket, ask: Box::new(ask) }];
        }
        let Some(key) = ctx.key_of(name) else {
            let (name, label) = (text::sanitise(name), &ctx.origin.label);
            self.failure = Some(match ctx.all_tasks_read() {
                true => format!(
                    "{name} is not among the tasks of {label}: its difference cannot be shown. {} Answers can be \
                     given all the same.",
                    elsewhere(&self.drawn.0, &self.drawn.1, ctx)
                ),
                false => format!(
                    "The tasks of {label} are still being read: the difference of {name} comes with them."
                ),
            });
            (self.view, self.loaded, self.shown) = (None, None, None);
            return Vec::new();
        };
        self.failure = None;
        self.ticket = ctx.ticket();
        let job = Job::Load { key, options: DiffOptions::default() };
        vec![Cmd::Start { slot: Slot::Dispute, ticket: self.ticket, job }]
    }

    /// A job has a result; `None` if it was not asked for here.
    pub fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match result {
            JobResult::Loaded(Ok(loaded)) if ticket == self.ticket => Some(self.show(loaded.clone(), ctx)),
            JobResult::Repair(Told::AfterTurn(loaded)) if ticket == self.ticket => {
                Some(self.show(loaded.clone(), ctx))
            }
            JobResult::Repair(Told::Refused(why)) if ticket == self.ticket && ticket != 0 => {
                self.failure = Some(format!("{why}. Answers can be given all the same."));
                (self.view, self.loaded, self.shown) = (None, None, None);
                Some(Vec::new())
            }
            JobResult::Loaded(Err(error)) if ticket == self.ticket => {
                self.failure =
                    Some(format!("The task cannot be read: {error}. Answers can be given all the same."));
                (self.view, self.loaded, self.shown) = (None, None, None);
                Some(Vec::new())
            }
            JobResult::Colours { key, file, colours } if ticket == self.colours => {
                if self.loaded.as_ref().is_some_and(|loaded| loaded.key == *key)
                    && let Some(view) = &mut self.view
                {
                    view.set_colours(*file, colours.clone());
                }
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn show(&mut self, loaded: Arc<LoadedTask>, ctx: &mut Context) -> Vec<Cmd> {
        let mut view = DiffView::new(loaded.diff.clone(), self.choices);
        view.set_functions(loaded.functions.clone());
        for (file, colours) in loaded.colours.iter().enumerate() {
            view.set_colours(file, colours.clone());
        }
        view.resize(self.size.0, self.size.1);
        let missing = loaded.colours.iter().any(Option::is_none);
        self.view = Some(view);
        self.shown.clone_from(&self.wanted);
        self.loaded = Some(loaded.clone());
        if !missing {
            return Vec::new();
        }
        self.colours = ctx.ticket();
        vec![Cmd::Start { slot: Slot::DisputeColours, ticket: self.colours, job: Job::Colours(loaded) }]
    }

    /// Its size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        if self.size != (width, height) {
            self.size = (width, height);
            if let Some(view) = &mut self.view {
                view.resize(width, height);
            }
        }
    }

    /// Carries out what moves in it or shows it in another way.
    pub fn act(&mut self, action: Action) -> Outcome {
        let Some(view) = &mut self.view else { return Outcome::done() };
        let acted = view.act(action);
        self.choices = view.choices;
        Outcome::of(acted)
    }

    /// Draws it.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin, focused: bool) {
        let width = canvas.width();
        if let Some(failure) = &self.failure {
            let lines = text::wrap(failure, usize::from(width.saturating_sub(4).max(1)));
            for (y, line) in (0..canvas.height()).zip(lines) {
                canvas.print(2, y, &line, skin.style(Role::StatusWarn), width.saturating_sub(3));
            }
            return;
        }
        match (&self.loaded, &self.view) {
            (Some(loaded), Some(view)) if self.shown == self.wanted => {
                if view.is_empty() {
                    canvas.print(2, 0, &loaded.nothing_to_compare(), skin.style(Role::TextDim), width);
                } else {
                    diff_view::draw(view, canvas, &Look { skin, cursor: focused });
                }
            }
            _ => {
                canvas.print(2, 0, "reading the difference…", skin.style(Role::TextDim), width);
            }
        }
    }
}
