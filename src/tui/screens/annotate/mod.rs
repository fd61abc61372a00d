//! The screen of labelling.

use super::part::Part;
use super::{Context, Outcome};
use crate::keymap::{self, Action};
use crate::label::round::Round;
use crate::theme::Role;
use crate::tui::msg::Cmd;
use crate::tui::msg::study::{self, annotate::Ask, annotate::Told};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::Choices;
use crate::tui::widgets::panel;
use uuid::Uuid;

/// State of the screen.
pub struct AnnotateScreen {
    ticket: u64,
    round: Option<Box<Round>>,
    failure: Option<String>,
    size: (u16, u16),
    choices: Choices,
}

impl AnnotateScreen {
    /// With no round in hand; differences are shown so at first.
    pub fn new(choices: Choices) -> AnnotateScreen {
        AnnotateScreen { ticket: 0, round: None, failure: None, size: (0, 0), choices }
    }
}

impl Part for AnnotateScreen {
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        self.ticket = ctx.ticket();
        let ask = Box::new(study::Ask::Annotate(Ask::Open(round)));
        vec![Cmd::Study { ticket: self.ticket, ask }]
    }

    fn told(&mut self, ticket: u64, told: &mut study::Told, _ctx: &mut Context) -> Option<Outcome> {
        if ticket != self.ticket {
            return None;
        }
        match told {
            study::Told::Annotate(Told::Opened(round)) => self.round = Some(round.clone()),
            study::Told::Refused(why) => self.failure = Some(why.clone()),
            _ => return None,
        }
        Some(Outcome::done())
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        vec![keymap::Context::Annotate]
    }

    fn act(&mut self, _action: Action, _ctx: &mut Context) -> Outcome {
        Outcome::ignored()
    }

    fn resize(&mut self, width: u16, height: u16, _ctx: &mut Context) -> Vec<Cmd> {
        self.size = (width, height);
        Vec::new()
    }

    fn crumbs(&self) -> Vec<String> {
        vec!["labelling".to_owned()]
    }

    fn header(&self) -> String {
        self.round.as_ref().map(|round| round.name.clone()).unwrap_or_default()
    }

    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        if let Some(failure) = &self.failure {
            panel::message(canvas, &ctx.skin, "It could not be read", failure, Role::StatusError);
        }
    }
}
