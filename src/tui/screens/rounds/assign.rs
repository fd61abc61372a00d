//! The sheet of who labels what in a round that is there, with what the seed gives.
//!
//! Promises: what is shown is what is written down: both come from the same plan; the command that does the same can be
//! copied. Leaves to others: dealing out (`label::assign`), whether it may still change (`study`).

use super::rows::Row;
use super::sheet::{Field, Pairing, pairs_word};
use super::words::{command, name};
use super::{Context, RoundsScreen};
use crate::keymap::{Action, Key, KeyCode};
use crate::label::assign::{Pairs, Plan};
use crate::label::round::Round;
use crate::study::Whole;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::msg::study::{self, rounds::Ask, rounds::Told};
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::{Edit, Input};
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use std::time::Duration;
use uuid::Uuid;

/// What is typed has come to rest when nothing was typed for this long.
const REST: Duration = Duration::from_millis(120);

/// The fields, in their order.
const FIELDS: [Field; 4] = [Field::Pairing, Field::PerItem, Field::Repeats, Field::Seed];

/// What the sheet wants.
pub enum Step {
    /// To stay.
    Stay(Vec<Cmd>),
    /// To stay, and to say something.
    Said(Said),
    /// To be closed.
    Close,
    /// It was written down: the round as it is now, and what to say of it.
    Assigned(Box<Whole>, String),
}

/// The sheet.
pub struct AssignSheet {
    round: Uuid,
    title: String,
    /// Its name in commands.
    name: String,
    who: String,
    people: usize,
    pairing: Pairing,
    per_item: usize,
    repeats: Input,
    seed: Input,
    field: usize,
    timer: u64,
    looking: u64,
    writing: u64,
    /// What each would label, or why nobody would.
    given: Option<Result<Vec<(String, usize)>, String>>,
    /// Whether what is shown is older than what is typed.
    stale: bool,
}

impl AssignSheet {
    /// A sheet for a round, filled in with its seed and with how it is assigned, where it is.
    pub fn new(round: &Round, who: &str) -> AssignSheet {
        let known = round.assignment.as_ref();
        let seed = known.map_or(round.sampling.seed, |assignment| assignment.seed);
        AssignSheet {
            round: round.id,
            title: format!("Who labels what in {}", name(round)),
            name: name(round),
            who: who.to_owned(),
            people: round.annotators.len(),
            pairing: match known.map(|assignment| assignment.pairs) {
                Some(Pairs::Fixed) => Pairing::Fixed,
                _ => Pairing::Rotating,
            },
            per_item: known.map_or(2, |assignment| assignment.per_item),
            repeats: Input::proposed("0"),
            seed: Input::proposed(&seed.to_string()),
            field: 0,
            timer: 0,
            looking: 0,
            writing: 0,
            given: None,
            stale: true,
        }
    }

    fn plan(&self) -> Result<(Plan, usize), String> {
        let (pairs, per_item) =
            self.pairing.of(self.per_item, self.people).ok_or("say how annotators are put together")?;
        let seed = self.seed.text().trim().parse().map_err(|_| "the seed is a whole number".to_owned())?;
        let again = match self.repeats.text().trim() {
            "" => 0,
            text => text.parse().map_err(|_| "how many come twice is a whole number".to_owned())?,
        };
        Ok((Plan { pairs, per_item, seed }, again))
    }

    /// Asks for what the seed gives.
    pub fn look(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        (self.timer, self.looking) = (0, 0);
        match self.plan() {
            Ok((plan, again)) => {
                self.looking = ctx.ticket();
                vec![RoundsScreen::ask(self.looking, Ask::Queues(self.round, plan, again))]
            }
            Err(why) => {
                self.given = Some(Err(why));
                self.stale = false;
                Vec::new()
            }
        }
    }

    fn changed(&mut self, ctx: &mut Context) -> Step {
        self.stale = true;
        self.timer = ctx.ticket();
        Step::Stay(vec![Cmd::After(self.timer, REST)])
    }

    /// A timer has run out; `None` if it is not the sheet's.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        (number != 0 && number == self.timer).then(|| self.look(ctx))
    }

    /// Whether an answer is the sheet's.
    pub fn awaits(&self, ticket: u64) -> bool {
        ticket != 0 && (ticket == self.looking || ticket == self.writing)
    }

    /// An answer has come.
    pub fn told(&mut self, told: &mut study::Told) -> Step {
        match std::mem::replace(told, study::Told::Refused(String::new())) {
            study::Told::Rounds(Told::Queues(queues)) => {
                (self.given, self.stale) = (Some(Ok(queues)), false);
                Step::Stay(Vec::new())
            }
            study::Told::Rounds(Told::Assigned(whole)) => {
                let given = self.given.as_ref().and_then(|given| given.as_ref().ok());
                let queues = given.map(|queues| in_words(queues)).unwrap_or_default();
                Step::Assigned(whole, format!("{} is assigned: {queues}", self.name))
            }
            study::Told::Refused(why) if self.writing != 0 => {
                self.writing = 0;
                Step::Said(Said::error(why))
            }
            study::Told::Refused(why) => {
                (self.given, self.stale) = (Some(Err(why)), false);
                Step::Stay(Vec::new())
            }
            _ => Step::Stay(Vec::new()),
        }
    }

    /// A key, with what it means where text is typed.
    pub fn key(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Step {
        if self.writing != 0 {
            return Step::Said(Said::info("it is being saved…"));
        }
        match (action, key.code()) {
            (Some(Action::Back), _) => return Step::Close,
            (Some(Action::Accept), _) => return self.assign(ctx),
            (Some(Action::CursorDown), _) | (None, KeyCode::Tab) => {
                self.field = (self.field + 1).min(FIELDS.len() - 1);
                return Step::Stay(Vec::new());
            }
            (Some(Action::CursorUp), _) | (None, KeyCode::BackTab) => {
                self.field = self.field.saturating_sub(1);
                return Step::Stay(Vec::new());
            }
            (None, KeyCode::Char('y')) if key.ctrl() => {
                return match self.command() {
                    Ok(words) => Step::Stay(vec![Cmd::Copy(words)]),
                    Err(why) => Step::Said(Said::error(why)),
                };
            }
            _ => {}
        }
        if let Some(input) = self.input() {
            return match input.key(key, action) {
                Edit::Changed => self.changed(ctx),
                Edit::Moved | Edit::Ignored => Step::Stay(Vec::new()),
            };
        }
        let forward = match (action, key.typed()) {
            (Some(Action::InputRight), _) | (None, Some(' ' | 'l')) => true,
            (Some(Action::InputLeft), _) | (None, Some('h')) => false,
            _ => return Step::Stay(Vec::new()),
        };
        if FIELDS[self.field] == Field::Pairing {
            self.pairing = self.pairing.next(forward);
            if self.pairing == Pairing::Later {
                self.pairing = self.pairing.next(forward);
            }
        } else {
            let next = if forward { self.per_item + 1 } else { self.per_item.saturating_sub(1) };
            self.per_item = next.clamp(1, self.people.max(1));
        }
        self.changed(ctx)
    }

    /// What the hints say of a key, in the words of the sheet.
    pub fn says(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Accept => Some("assigns"),
            Action::Back => Some("leaves it"),
            _ => None,
        }
    }

    /// Whether what is typed next takes the place of what stands in the field.
    pub fn proposes(&self) -> bool {
        match FIELDS.get(self.field) {
            Some(Field::Repeats) => self.repeats.is_proposal(),
            Some(Field::Seed) => self.seed.is_proposal(),
            _ => false,
        }
    }

    /// The field under the cursor, if it is typed.
    fn input(&mut self) -> Option<&mut Input> {
        match FIELDS[self.field] {
            Field::Repeats => Some(&mut self.repeats),
            Field::Seed => Some(&mut self.seed),
            _ => None,
        }
    }

    /// A paste into the field.
    pub fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        let changed = self.writing == 0 && self.input().is_some_and(|input| input.insert(text));
        match changed.then(|| self.changed(ctx)) {
            Some(Step::Stay(commands)) => commands,
            _ => Vec::new(),
        }
    }

    fn assign(&mut self, ctx: &mut Context) -> Step {
        let (plan, again) = match (self.plan(), &self.given, self.stale) {
            (Ok(plan), Some(Ok(_)), false) => plan,
            (Err(why), ..) => return Step::Said(Said::error(why)),
            (_, Some(Err(why)), false) => return Step::Said(Said::error(why.clone())),
            // What is written down is what was seen.
            _ => return Step::Stay(self.look(ctx)),
        };
        self.writing = ctx.ticket();
        Step::Stay(vec![RoundsScreen::ask(self.writing, Ask::Assign(self.round, plan, again))])
    }

    /// The command that does the same.
    fn command(&self) -> Result<String, String> {
        let (plan, again) = self.plan()?;
        let (seed, per_item, again) = (plan.seed.to_string(), plan.per_item.to_string(), again.to_string());
        let mut words = vec!["mendbench", "round", "assign", &self.name, "--pairs", pairs_word(plan.pairs)];
        words.extend(["--per-item", &per_item]);
        if again != "0" {
            words.extend(["--repeat", &again]);
        }
        words.extend(["--seed", &seed]);
        Ok(command(&words, &self.who))
    }

    /// Draws it over the screen.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let foot = match self.writing {
            0 => "Enter assigns · ctrl-y copies the command · Esc leaves it",
            _ => "saving…",
        };
        let foot = foot.replace('·', skin.glyphs.dot);
        let width = canvas.width().saturating_sub(2).min(78);
        let (words, role) = match &self.given {
            None => ("looking it up…".to_owned(), Role::TextDim),
            Some(Err(why)) => (why.clone(), Role::StatusError),
            Some(Ok(queues)) if self.stale => (format!("to label: {}", in_words(queues)), Role::TextDim),
            Some(Ok(queues)) => (format!("to label: {}", in_words(queues)), Role::TextStrong),
        };
        let lines = text::wrap(&words, usize::from(width.saturating_sub(6).max(8)));
        let rows = FIELDS.len() as u16;
        let height = (rows + 1 + lines.len() as u16 + 2).min(canvas.height());
        let mut inner = panel::popup(canvas, skin, (&self.title, &foot), (width, height));
        for (y, (number, field)) in (0..inner.height()).zip(FIELDS.into_iter().enumerate()) {
            let here = number == self.field;
            let (mut name, mut hint) = (field.name(), field.hint());
            match field {
                Field::Pairing => {
                    let (word, meaning) = self.pairing.words();
                    hint = meaning;
                    Row { name, hint, here }.chosen(word, &mut inner, skin, y);
                }
                Field::PerItem => {
                    let count = self.pairing.of(self.per_item, self.people).map_or(0, |(_, count)| count);
                    if count == 1 {
                        hint = "annotator labels each item";
                    }
                    Row { name, hint, here }.chosen(&count.to_string(), &mut inner, skin, y);
                }
                _ => {
                    let input = if field == Field::Seed { &self.seed } else { &self.repeats };
                    if field == Field::Seed {
                        (name, hint) = ("seed", "that of the round, or another");
                    }
                    Row { name, hint, here }.typed(input, &mut inner, skin, y);
                }
            }
        }
        if inner.height() > rows {
            inner.rule(rows, skin.glyphs.rule, skin.over(Role::Overlay, Role::Border));
            inner.print(1, rows, " what the seed gives ", skin.over(Role::Overlay, Role::Title), width);
        }
        let columns = inner.width();
        for (y, line) in (rows + 1..inner.height()).zip(&lines) {
            inner.print(1, y, line, skin.over(Role::Overlay, role), columns.saturating_sub(1));
        }
    }
}

/// `anna 6, ben 6`.
fn in_words(queues: &[(String, usize)]) -> String {
    let words: Vec<String> =
        queues.iter().map(|(who, count)| format!("{who} {}", thousands(*count))).collect();
    words.join(", ")
}
