//! What the screens of studies have in common: Annotate, Discuss, Agreement, Rounds.
//!
//! Promises: one set of methods, so that the state passes messages on without knowing which screen it is.
//! Leaves to others: what each screen does with them.

use super::{Context, Outcome};
use crate::keymap::{self, Action, Key};
use crate::tui::msg::study::Told;
use crate::tui::msg::{Cmd, JobResult};
use crate::tui::widgets::canvas::Canvas;
use uuid::Uuid;

/// A screen of a study. What it does not say is as if the message meant nothing there.
pub trait Part {
    /// It is gone to; `round` is the round in hand, where one was chosen.
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd>;

    /// It is gone to without a round being chosen; `round` is the one in hand from before, where there is one.
    fn return_to(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        self.open(round, ctx)
    }

    /// An answer has come; `None` if it was not asked for here.
    fn told(&mut self, ticket: u64, told: &mut Told, ctx: &mut Context) -> Option<Outcome>;

    /// A job has a result; `None` if it was not asked for here.
    fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        let _ = (ticket, result, ctx);
        None
    }

    /// A timer has run out; `None` if it was not asked for here.
    fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Outcome> {
        let _ = (number, ctx);
        None
    }

    /// The list of tasks ([`Context::tasks`]) has grown.
    fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let _ = ctx;
        Vec::new()
    }

    /// Where keys are looked up, the nearest place first; what works everywhere comes behind by itself.
    fn contexts(&self) -> Vec<keymap::Context>;

    /// Carries out an action.
    fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome;

    /// A key, told before it is looked up: that it came at all can matter.
    fn pressed(&mut self, key: Key, ctx: &mut Context) -> Vec<Cmd> {
        let _ = (key, ctx);
        Vec::new()
    }

    /// A key that stands for no action here.
    fn other_key(&mut self, key: Key, ctx: &mut Context) -> Outcome {
        let _ = (key, ctx);
        Outcome::ignored()
    }

    /// Whether characters are typed into a field.
    fn is_typing(&self) -> bool {
        false
    }

    /// A key while characters are typed.
    fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        let _ = (key, action, ctx);
        Outcome::ignored()
    }

    /// A paste while characters are typed; what is pasted at other times is never taken for keys.
    fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        let _ = (text, ctx);
        Vec::new()
    }

    /// Its size is known.
    fn resize(&mut self, width: u16, height: u16, ctx: &mut Context) -> Vec<Cmd>;

    /// The wheel was turned.
    fn wheel(&mut self, down: bool) {
        let _ = down;
    }

    /// The mouse was pressed in the body.
    fn click(&mut self, x: u16, y: u16, ctx: &mut Context) -> Outcome {
        let _ = (x, y, ctx);
        Outcome::done()
    }

    /// Whether an action would do something now: others are not hinted at.
    fn means_something(&self, action: Action) -> bool {
        let _ = action;
        true
    }

    /// What the footer says of an action's key in the place of its usual word; `None`: that word.
    fn says(&self, action: Action) -> Option<&'static str> {
        let _ = action;
        None
    }

    /// What stands before hints in the footer: progress, pace, "saved 14:02".
    fn footer(&self) -> Option<String> {
        None
    }

    /// Where the round that is shown was drawn from, if it was drawn from tasks, and who looks.
    fn source(&self) -> Option<(&str, &str)> {
        None
    }

    /// What stands in the header behind `mendbench`.
    fn crumbs(&self) -> Vec<String>;

    /// The words at the right end of the header.
    fn header(&self) -> String;

    /// Draws it.
    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>);
}
