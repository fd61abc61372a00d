//! The launch sheet: how a task is repaired, what that may cost, and the exact first prompt.
//!
//! Promises: nothing is sent before it is started; what is estimated says so; a choice that cannot be run says why
//! before it is. Leaves to others: laying out prompts (`runner`), starting (`app`).

use super::Wish;
use crate::config::Money;
use crate::keymap::Action;
use crate::repair::Form;
use crate::repair::cell::{Strategy, Technique, needs_helper};
use crate::repair::prompt::forecast;
use crate::sandbox::Rung;
use crate::task::{FeedbackKind, Task};
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::msg::repair::{LaunchChoice, ModelChoice};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::text_view::{Block, TextView};
use std::sync::Arc;

/// Strategies that are offered.
const STRATEGIES: [Strategy; 7] = [
    Strategy::Single,
    Strategy::Iterative { turns: 2 },
    Strategy::Iterative { turns: 3 },
    Strategy::Iterative { turns: 5 },
    Strategy::Iterative { turns: 10 },
    Strategy::Conversation { attempts: 1, turns: 3 },
    Strategy::Conversation { attempts: 2, turns: 3 },
];
/// Most trajectories that are offered.
const MOST_SAMPLES: u32 = 10;
/// Column of the values.
const VALUES: u16 = 12;

/// What is chosen, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Model,
    Feedback,
    Strategy,
    Technique,
    Form,
    Sandbox,
    Samples,
}

const FIELDS: [Field; 7] = [
    Field::Model,
    Field::Feedback,
    Field::Strategy,
    Field::Technique,
    Field::Form,
    Field::Sandbox,
    Field::Samples,
];

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Model => "model",
            Field::Feedback => "feedback",
            Field::Strategy => "strategy",
            Field::Technique => "technique",
            Field::Form => "form",
            Field::Sandbox => "sandbox",
            Field::Samples => "samples",
        }
    }
}

/// The sheet.
#[derive(Debug)]
pub struct Launch {
    /// The task.
    pub task: Arc<Task>,
    models: Vec<ModelChoice>,
    /// What is chosen.
    pub choice: LaunchChoice,
    field: usize,
    /// The preview that is awaited.
    pub ticket: u64,
    tokens: Option<u64>,
    failure: Option<String>,
    view: TextView,
    size: (u16, u16),
}

/// The choice at first: the first model, and beside it what the command line takes where nothing is said.
pub fn first_choice(models: &[ModelChoice]) -> LaunchChoice {
    let model = models.first().map(|model| model.name.clone()).unwrap_or_default();
    LaunchChoice {
        feedback: FeedbackKind::Test,
        strategy: Strategy::Iterative { turns: 3 },
        model,
        technique: Technique::Baseline,
        form: Form::Function,
        rung: None,
        samples: 1,
    }
}

/// The value after or before one of a list; a value that the list does not hold leads to its first.
fn next<T: PartialEq + Clone>(all: &[T], now: &T, forward: bool) -> Option<T> {
    let count = all.len();
    let at = all.iter().position(|value| value == now);
    let to = match (at, forward) {
        (None, _) => 0,
        (Some(at), true) => (at + 1) % count.max(1),
        (Some(at), false) => (at + count.max(1) - 1) % count.max(1),
    };
    all.get(to).cloned()
}

impl Launch {
    /// A sheet for a task.
    pub fn new(task: Arc<Task>, models: Vec<ModelChoice>, choice: LaunchChoice) -> Launch {
        Launch {
            task,
            models,
            choice,
            field: 0,
            ticket: 0,
            tokens: None,
            failure: None,
            view: TextView::default(),
            size: (0, 0),
        }
    }

    /// A preview is on its way.
    pub fn awaits(&mut self, ticket: u64) {
        self.ticket = ticket;
    }

    /// The first prompt, or why there is none; says whether it was awaited.
    pub fn take(&mut self, ticket: u64, preview: Result<(u64, Vec<Block>), String>) -> bool {
        if ticket != self.ticket {
            return false;
        }
        match preview {
            Ok((tokens, blocks)) => {
                (self.tokens, self.failure) = (Some(tokens), None);
                self.view = TextView::new(blocks);
                self.view.set_wrap(true);
            }
            Err(why) => {
                (self.tokens, self.failure) = (None, Some(why));
                self.view = TextView::default();
            }
        }
        let (width, height) = self.size;
        self.layout(width, height);
        true
    }

    /// What an action does in it.
    pub fn key(&mut self, action: Option<Action>) -> Wish {
        match action {
            Some(Action::CursorDown) => self.field = (self.field + 1).min(FIELDS.len() - 1),
            Some(Action::CursorUp) => self.field = self.field.saturating_sub(1),
            Some(Action::First) => self.field = 0,
            Some(Action::Last) => self.field = FIELDS.len() - 1,
            Some(Action::ValueNext) => return self.change(true),
            Some(Action::ValuePrevious) => return self.change(false),
            Some(Action::PageDown) => self.view.page(true, false),
            Some(Action::PageUp) => self.view.page(false, false),
            Some(Action::HalfPageDown) => self.view.page(true, true),
            Some(Action::HalfPageUp) => self.view.page(false, true),
            Some(Action::StartRun) if self.choice.model.is_empty() => {
                self.failure = Some(NO_MODEL.to_owned());
            }
            Some(Action::StartRun) => return Wish::Start(self.task.clone(), self.choice.clone()),
            Some(Action::Back) => return Wish::Close,
            Some(aside @ (Action::Help | Action::ThemeNext | Action::Redraw | Action::Suspend)) => {
                return Wish::Aside(aside);
            }
            Some(other) => return Wish::Act(other),
            None => {}
        }
        Wish::Stay
    }

    fn change(&mut self, forward: bool) -> Wish {
        let before = self.choice.clone();
        let choice = &mut self.choice;
        match FIELDS.get(self.field).copied().unwrap_or(Field::Model) {
            Field::Model => {
                let names: Vec<String> = self.models.iter().map(|model| model.name.clone()).collect();
                choice.model = next(&names, &choice.model, forward).unwrap_or_default();
            }
            Field::Feedback => {
                choice.feedback =
                    next(&FeedbackKind::ALL, &choice.feedback, forward).unwrap_or(choice.feedback);
            }
            Field::Strategy => {
                choice.strategy = next(&STRATEGIES, &choice.strategy, forward).unwrap_or(choice.strategy);
            }
            Field::Technique => {
                choice.technique =
                    next(&Technique::ALL, &choice.technique, forward).unwrap_or(choice.technique);
            }
            Field::Form => choice.form = next(&Form::ALL, &choice.form, forward).unwrap_or(choice.form),
            Field::Sandbox => {
                let rungs: Vec<Option<Rung>> = std::iter::once(None)
                    .chain(Rung::ALL.into_iter().filter(|rung| *rung != Rung::Unsafe).map(Some))
                    .collect();
                choice.rung = next(&rungs, &choice.rung, forward).flatten();
            }
            Field::Samples => {
                let samples = if forward { choice.samples + 1 } else { choice.samples.saturating_sub(1) };
                choice.samples = samples.clamp(1, MOST_SAMPLES);
            }
        }
        if *choice == before { Wish::Stay } else { Wish::Preview }
    }

    fn value(&self, field: Field) -> (String, String) {
        let choice = &self.choice;
        let model = self.models.iter().find(|model| model.name == choice.model);
        match field {
            Field::Model if choice.model.is_empty() => ("none".to_owned(), NO_MODEL.to_owned()),
            Field::Model => (choice.model.clone(), model.map_or(String::new(), |model| model.remark.clone())),
            Field::Feedback => {
                let remark = match choice.feedback {
                    FeedbackKind::Human => "you write it, when the turn asks for it",
                    kind if needs_helper(kind) => "written by the same model, in calls of its own",
                    _ => "",
                };
                (choice.feedback.to_string(), remark.to_owned())
            }
            Field::Strategy => {
                // Each of its turns tries one change, so that a few turns are a few changes.
                let tries = choice.model == crate::repair::template::NAME;
                let remark = match choice.strategy {
                    Strategy::Iterative { turns } if tries => {
                        format!("up to {turns} turns; {} tries one change a turn", choice.model)
                    }
                    Strategy::Single => "one turn".to_owned(),
                    Strategy::Iterative { turns } => format!("up to {turns} turns, each prompt built anew"),
                    Strategy::Conversation { attempts, turns } => {
                        format!("up to {attempts} × {turns} turns that keep their messages")
                    }
                };
                (choice.strategy.to_string(), remark)
            }
            Field::Technique => (choice.technique.to_string(), String::new()),
            Field::Form => (choice.form.as_str().to_owned(), "what the model is asked to give".to_owned()),
            Field::Sandbox => match choice.rung {
                None => ("auto".to_owned(), "the best that stands".to_owned()),
                Some(rung) => (rung.to_string(), String::new()),
            },
            Field::Samples => (choice.samples.to_string(), String::new()),
        }
    }

    /// Calls at most, what they may take, and what they may cost.
    fn estimate(&self) -> Vec<(&'static str, String)> {
        let choice = &self.choice;
        let model = self.models.iter().find(|model| model.name == choice.model);
        let most_output = model.and_then(|model| model.max_tokens);
        // Templates change no length that is not in the prompt already.
        let cell = choice.cell("");
        let one = forecast(&self.task, &cell, self.tokens.unwrap_or(0), most_output);
        let all = one.times(u64::from(choice.samples)).all();
        let mut rows = vec![("calls", format!("at most {}", count(all.calls)))];
        let Some(tokens) = self.tokens else { return rows };
        let (input, output) = (count(all.input), count(all.output));
        rows.push((
            "tokens",
            format!("about {input} in, {output} out; {} in the first prompt", count(tokens)),
        ));
        let cost = match model {
            Some(model) if model.is_free => Money::ZERO.to_string(),
            Some(ModelChoice { prices: Some(prices), .. }) => {
                format!("about {}, when every turn is needed", prices.cost(all.input, all.output))
            }
            _ => "not known: models.toml gives no prices".to_owned(),
        };
        rows.push(("cost", cost));
        rows
    }

    /// The screen's size is known.
    pub fn layout(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        let (_, inner) = self.places();
        let above = self.above();
        self.view.resize(inner.0, inner.1.saturating_sub(above));
    }

    /// Rows above the prompt: what is chosen, a blank, what is estimated, a rule; with room a blank above that.
    fn above(&self) -> u16 {
        let (_, (_, rows)) = self.places();
        FIELDS.len() as u16 + 5 + u16::from(rows >= 28)
    }

    /// Size of the box, and of what is inside.
    fn places(&self) -> ((u16, u16), (u16, u16)) {
        let (width, height) = self.size;
        let outer = (width.saturating_sub(4).min(100), height.saturating_sub(2).min(40));
        (outer, (outer.0.saturating_sub(4), outer.1.saturating_sub(2)))
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        self.view.scroll(if down { 3 } else { -3 });
    }

    /// Draws it.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let (outer, _) = self.places();
        let title = format!("Repair {}", crate::text::truncate(&self.task.id, 60));
        let foot = self.view.part_in_view();
        let mut inner = panel::popup(canvas, skin, (&title, &foot), outer);
        let width = inner.width();
        for (y, field) in (0..).zip(FIELDS) {
            let here = usize::from(y) == self.field;
            let base = if here { Role::Selection } else { Role::Overlay };
            if here {
                inner.style_row(y, skin.style(Role::Selection));
            }
            inner.print(1, y, field.name(), skin.over(base, Role::TextDim), VALUES - 2);
            let (value, remark) = self.value(field);
            let mut x = VALUES;
            if here {
                inner.print(x - 2, y, "<", skin.over(base, Role::Key), 1);
            }
            x = inner.print(x, y, &value, skin.over(base, Role::TextStrong), width.saturating_sub(x + 2));
            if here {
                x = inner.print(x + 1, y, ">", skin.over(base, Role::Key), 1);
            }
            if x + 4 < width {
                inner.print(x + 2, y, &remark, skin.over(base, Role::TextDim), width.saturating_sub(x + 2));
            }
        }
        for (y, (name, value)) in (FIELDS.len() as u16 + 1..).zip(self.estimate()) {
            inner.print(1, y, name, skin.over(Role::Overlay, Role::TextDim), VALUES - 2);
            inner.print(VALUES, y, &value, skin.style(Role::Overlay), width.saturating_sub(VALUES));
        }
        let y = self.above() - 1;
        inner.rule(y, skin.glyphs.rule, skin.over(Role::Overlay, Role::Border));
        inner.print(1, y, " the first prompt, as it is sent ", skin.over(Role::Overlay, Role::Title), width);
        let rest = inner.height().saturating_sub(y + 1);
        let mut area = inner.part(0, y + 1, width, rest);
        match &self.failure {
            Some(failure) => {
                for (y, line) in (0..rest).zip(crate::text::wrap(failure, usize::from(width.max(1)))) {
                    area.print(0, y, &line, skin.over(Role::Overlay, Role::StatusError), width);
                }
            }
            None if self.tokens.is_none() => {
                area.print(0, 0, "laying it out…", skin.over(Role::Overlay, Role::TextDim), width);
            }
            None => self.view.draw(&mut area, skin),
        }
    }
}

/// What is said where there is no model.
const NO_MODEL: &str = "no model is configured: `mendbench models` says how";

fn count(number: u64) -> String {
    thousands(usize::try_from(number).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::Prices;

    fn sheet() -> Launch {
        let prices = Prices { input: Money(1_000_000_000), output: Money(2_000_000_000), cached: None };
        let priced = ModelChoice {
            name: "m".into(),
            prices: Some(prices),
            is_free: false,
            max_tokens: Some(500),
            remark: String::new(),
        };
        let other = ModelChoice { name: "free".into(), prices: None, is_free: true, ..priced.clone() };
        let models = vec![priced, other];
        let choice = first_choice(&models);
        Launch::new(Arc::new(Task::new("d", "t")), models, choice)
    }

    #[test]
    fn values_go_round_and_ask_for_a_preview() {
        let mut sheet = sheet();
        assert_eq!(sheet.key(Some(Action::ValueNext)), Wish::Preview);
        assert_eq!(sheet.choice.model, "free");
        sheet.key(Some(Action::ValueNext));
        assert_eq!(sheet.choice.model, "m");
        sheet.key(Some(Action::Last));
        assert_eq!(sheet.key(Some(Action::ValuePrevious)), Wish::Stay, "one sample is the least");
        sheet.key(Some(Action::ValueNext));
        assert_eq!(sheet.choice.samples, 2);
        assert!(matches!(sheet.key(Some(Action::StartRun)), Wish::Start(..)));
    }

    #[test]
    fn estimates_count_turns_helpers_and_prices() {
        let mut sheet = sheet();
        sheet.awaits(7);
        assert!(!sheet.take(6, Ok((1_000, Vec::new()))), "stale");
        assert!(sheet.take(7, Ok((1_000, Vec::new()))));
        let row = |sheet: &Launch, at: usize| sheet.estimate()[at].1.clone();
        assert_eq!(row(&sheet, 0), "at most 3");
        assert_eq!(row(&sheet, 1), "about 3,900 in, 360 out; 1,000 in the first prompt");
        assert_eq!(row(&sheet, 2), "about $0.0046, when every turn is needed");
        sheet.choice.feedback = FeedbackKind::Mixed;
        assert_eq!(row(&sheet, 0), "at most 6");
        sheet.choice.model = "free".into();
        assert_eq!(row(&sheet, 2), "$0.00");
        assert!(sheet.take(7, Err("why".into())));
        assert_eq!(sheet.estimate().len(), 1, "nothing is known without a prompt");
    }
}
