//! The sheet of a round that is to be made, with what its seed gives.
//!
//! Promises: what is shown is what is made: both come from one draft; nothing is written before Enter, and the
//! command that does the same can be copied. Leaves to others: drawing and dealing (`study::draft`).

mod draw;
mod fields;

use super::words::counted;
use super::{Context, RoundsScreen};
use crate::keymap::{Action, Key, KeyCode};
use crate::label::codebook::{Codebook, Subject};
use crate::label::round::Round;
use crate::study::{Candidate, Draft, Drawn, Preview};
use crate::task::filter::Filter;
use crate::tui::msg::study::{self, rounds::Ask, rounds::Told};
use crate::tui::msg::{Cmd, Job, JobResult, Said, Slot};
use crate::tui::widgets::input::{Edit, Input};
use fields::{Field, Pairing};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// What is typed has come to rest when nothing was typed for this long.
const REST: Duration = Duration::from_millis(120);

/// What the sheet wants.
pub enum Step {
    /// To stay.
    Stay(Vec<Cmd>),
    /// To stay, and to say something.
    Said(Said, Vec<Cmd>),
    /// To be closed.
    Close,
    /// The round was made: which, and what to say of it.
    Made(Uuid, String),
}

/// How far making it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Making {
    /// It is looked at.
    Not,
    /// It is drawn.
    Drawing(u64),
    /// Its tasks are read.
    Reading(u64),
    /// It is written down.
    Writing(u64),
}

/// The sheet.
pub struct Sheet {
    codebooks: Vec<Codebook>,
    codebook: usize,
    pairing: Pairing,
    per_item: usize,
    inputs: Vec<(Field, Input)>,
    field: usize,
    /// Who makes it.
    lead: String,
    source: String,
    /// The tasks that pass the filter, once they are known.
    passing: Option<Arc<Vec<Candidate>>>,
    filter_error: Option<String>,
    choosing: u64,
    previewing: u64,
    timer: u64,
    preview: Option<Box<Preview>>,
    /// Whether what is shown is older than what is typed.
    stale: bool,
    making: Making,
    drawn: Option<(Box<Draft>, Box<Drawn>)>,
    size: (u16, u16),
}

impl Sheet {
    /// A sheet, filled in after the newest round where there is one; `count` rounds are in its study.
    pub fn new(
        codebooks: Vec<Codebook>,
        newest: Option<&Round>,
        count: usize,
        lead: &str,
        seed: u64,
    ) -> Sheet {
        let names = |round: &Round| {
            round.annotators.iter().map(|person| person.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let text = |field: Field| match field {
            Field::Name => format!("round-{}", count + 1),
            Field::Study => newest.map_or_else(|| "study".to_owned(), |round| round.study.clone()),
            Field::Size => "all".to_owned(),
            Field::Seed => seed.to_string(),
            Field::Annotators => newest.map(names).unwrap_or_default(),
            Field::Arbitrator => newest.map(|round| round.arbitrator.name.clone()).unwrap_or_default(),
            Field::Repeats => "0".to_owned(),
            _ => String::new(),
        };
        let inputs = Field::ALL.into_iter().filter(|field| field.is_text());
        let inputs = inputs.map(|field| (field, Input::new(&text(field)))).collect();
        // Those that ask about turns cannot be used for rounds.
        let codebooks: Vec<Codebook> =
            codebooks.into_iter().filter(|codebook| codebook.subject == Subject::Task).collect();
        let same = newest.map(|round| round.codebook().id.clone());
        let codebook = codebooks.iter().position(|one| Some(&one.id) == same.as_ref()).unwrap_or(0);
        Sheet {
            codebooks,
            codebook,
            pairing: Pairing::Rotating,
            per_item: 2,
            inputs,
            field: 0,
            lead: lead.to_owned(),
            source: String::new(),
            passing: None,
            filter_error: None,
            choosing: 0,
            previewing: 0,
            timer: 0,
            preview: None,
            stale: true,
            making: Making::Not,
            drawn: None,
            size: (0, 0),
        }
    }

    /// What is asked for when it is opened.
    pub fn start(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.source.clone_from(&ctx.origin.label);
        self.choose(ctx)
    }

    fn input(&self, field: Field) -> &str {
        self.inputs.iter().find(|(one, _)| *one == field).map_or("", |(_, input)| input.text())
    }

    fn here(&self) -> Field {
        Field::ALL.get(self.field).copied().unwrap_or(Field::Name)
    }

    /// Asks for the tasks that pass the filter.
    pub fn choose(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.stale = true;
        match Filter::parse(self.input(Field::Filter).trim()) {
            Ok(filter) => {
                self.filter_error = None;
                self.choosing = ctx.ticket();
                let job = Job::Choose { table: ctx.tasks().clone(), filter: Arc::new(filter) };
                vec![Cmd::Start { slot: Slot::Draft, ticket: self.choosing, job }]
            }
            Err(error) => {
                self.filter_error = Some(error.to_string());
                self.passing = None;
                self.preview = None;
                Vec::new()
            }
        }
    }

    /// What the fields say, or what of them cannot be read.
    fn draft(&self) -> Result<Draft, String> {
        let seed = self.input(Field::Seed).trim();
        let repeats = self.input(Field::Repeats).trim();
        let annotators = fields::names(self.input(Field::Annotators));
        let seed = seed.parse().map_err(|_| "the seed is a whole number".to_owned())?;
        let size = self.input(Field::Size).trim().parse().map_err(|error| format!("{error}"))?;
        let codebook =
            self.codebooks.get(self.codebook).cloned().ok_or("there is no codebook that asks about tasks")?;
        let (pairs, per_item) = self.pairing.of(self.per_item, annotators.len());
        Ok(Draft {
            name: self.input(Field::Name).trim().to_owned(),
            study: self.input(Field::Study).trim().to_owned(),
            codebook,
            annotators,
            arbitrator: self.input(Field::Arbitrator).trim().to_owned(),
            lead: self.lead.clone(),
            source: self.source.clone(),
            filter: self.input(Field::Filter).trim().to_owned(),
            size,
            seed,
            excluding: fields::names(self.input(Field::LeaveOut)),
            overlap: None,
            plan: Some(crate::label::assign::Plan { pairs, per_item, seed }),
            repeats: if repeats.is_empty() {
                0
            } else {
                repeats.parse().map_err(|_| "how many come twice is a whole number".to_owned())?
            },
        })
    }

    /// Asks for what the seed gives.
    fn look(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.timer = 0;
        let (Some(passing), Ok(draft)) = (self.passing.clone(), self.draft()) else {
            self.previewing = 0;
            return Vec::new();
        };
        self.previewing = ctx.ticket();
        vec![RoundsScreen::ask(self.previewing, Ask::Preview(Box::new(draft), passing))]
    }

    /// Something was changed.
    fn changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.stale = true;
        self.timer = ctx.ticket();
        vec![Cmd::After(self.timer, REST)]
    }

    /// A timer has run out; `None` if it is not the sheet's.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        if number != self.timer || number == 0 {
            return None;
        }
        if self.here() == Field::Filter {
            self.timer = 0;
            return Some(self.choose(ctx));
        }
        Some(self.look(ctx))
    }

    /// Whether an answer is the sheet's.
    pub fn awaits(&self, ticket: u64) -> bool {
        ticket != 0
            && (ticket == self.previewing
                || self.making == Making::Drawing(ticket)
                || self.making == Making::Writing(ticket))
    }

    /// A job has a result; `None` if it is not the sheet's.
    pub fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        match result {
            JobResult::Chosen(passing) if ticket == self.choosing => {
                self.passing = Some(Arc::new(std::mem::take(passing)));
                Some(self.look(ctx))
            }
            JobResult::ArrangeFailed(why) if ticket == self.choosing => {
                self.filter_error = Some(why.clone());
                Some(Vec::new())
            }
            JobResult::Items(items) if self.making == Making::Reading(ticket) => {
                match (std::mem::replace(items, Ok(Vec::new())), self.drawn.take()) {
                    (Ok(items), Some((draft, drawn))) => {
                        let ticket = ctx.ticket();
                        self.making = Making::Writing(ticket);
                        Some(vec![RoundsScreen::ask(ticket, Ask::Make(draft, drawn, items))])
                    }
                    (Err(why), _) => {
                        self.making = Making::Not;
                        self.filter_error = Some(why);
                        Some(Vec::new())
                    }
                    (Ok(_), None) => Some(Vec::new()),
                }
            }
            _ => None,
        }
    }

    /// An answer has come.
    pub fn told(&mut self, ticket: u64, told: &mut study::Told, ctx: &mut Context) -> Step {
        match std::mem::replace(told, study::Told::Refused(String::new())) {
            study::Told::Rounds(Told::Preview(preview)) => {
                self.preview = Some(preview);
                self.stale = false;
                Step::Stay(Vec::new())
            }
            study::Told::Rounds(Told::Drawn(draft, drawn)) => {
                let chosen = drawn.chosen.clone();
                self.drawn = Some((draft, drawn));
                let ticket = ctx.ticket();
                self.making = Making::Reading(ticket);
                Step::Stay(vec![Cmd::Start { slot: Slot::Draft, ticket, job: Job::Items(chosen) }])
            }
            study::Told::Rounds(Told::Made(round)) => Step::Made(round, self.words_of_made()),
            study::Told::Refused(why) => {
                if ticket != self.previewing {
                    self.making = Making::Not;
                }
                Step::Said(Said::error(why), Vec::new())
            }
            _ => Step::Stay(Vec::new()),
        }
    }

    fn words_of_made(&self) -> String {
        let preview = self.preview.as_deref();
        let items = preview.map_or(0, |preview| preview.items);
        let queues = preview.map(|preview| preview.queues.as_slice()).unwrap_or_default();
        let queues: Vec<String> = queues.iter().map(|(who, count)| format!("{who} {count}")).collect();
        let name = format!("{}/{}", self.input(Field::Study).trim(), self.input(Field::Name).trim());
        format!("{name} is made: {}, assigned ({})", counted(items, "item"), queues.join(", "))
    }

    /// A key, with what it means where text is typed.
    pub fn key(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Step {
        if !matches!(self.making, Making::Not) {
            return Step::Said(Said::info("it is being made…"), Vec::new());
        }
        let last = Field::ALL.len() - 1;
        match (action, key.code()) {
            (Some(Action::Back), _) => return Step::Close,
            (Some(Action::Accept), _) => return self.make(ctx),
            (Some(Action::CursorDown), _) | (None, KeyCode::Tab) => {
                return self.go_to((self.field + 1).min(last), ctx);
            }
            (Some(Action::CursorUp), _) | (None, KeyCode::BackTab) => {
                return self.go_to(self.field.saturating_sub(1), ctx);
            }
            (None, KeyCode::Char('y')) if key.ctrl() => {
                return match self.draft() {
                    Ok(draft) => Step::Stay(vec![Cmd::Copy(fields::command(&draft, &ctx.origin))]),
                    Err(why) => Step::Said(Said::error(why), Vec::new()),
                };
            }
            _ => {}
        }
        let here = self.here();
        if let Some((_, input)) = self.inputs.iter_mut().find(|(field, _)| *field == here) {
            return match input.key(key, action) {
                Edit::Changed => Step::Stay(self.changed(ctx)),
                Edit::Moved | Edit::Ignored => Step::Stay(Vec::new()),
            };
        }
        let forward = match (action, key.typed()) {
            (Some(Action::InputRight), _) | (None, Some(' ' | 'l')) => true,
            (Some(Action::InputLeft), _) | (None, Some('h')) => false,
            _ => return Step::Stay(Vec::new()),
        };
        let people = fields::names(self.input(Field::Annotators)).len().max(2);
        match here {
            Field::Codebook => {
                let count = self.codebooks.len().max(1);
                let step = if forward { 1 } else { count - 1 };
                self.codebook = (self.codebook + step) % count;
            }
            Field::Pairing => self.pairing = self.pairing.next(forward),
            Field::PerItem => {
                let next = if forward { self.per_item + 1 } else { self.per_item.saturating_sub(1) };
                self.per_item = next.clamp(1, people);
            }
            _ => {}
        }
        Step::Stay(self.changed(ctx))
    }

    /// Another field; what was typed into the filter is applied when it is left.
    fn go_to(&mut self, field: usize, ctx: &mut Context) -> Step {
        let left = self.here();
        self.field = field;
        if left == Field::Filter && self.timer != 0 {
            self.timer = 0;
            return Step::Stay(self.choose(ctx));
        }
        Step::Stay(Vec::new())
    }

    /// A paste into the field.
    pub fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        let here = self.here();
        let field = self.inputs.iter_mut().find(|(field, _)| *field == here);
        if field.is_some_and(|(_, input)| input.insert(text)) { self.changed(ctx) } else { Vec::new() }
    }

    fn make(&mut self, ctx: &mut Context) -> Step {
        let no = |why: String| Step::Said(Said::error(why), Vec::new());
        if let Some(why) = &self.filter_error {
            return no(why.clone());
        }
        let draft = match self.draft() {
            Ok(draft) => draft,
            Err(why) => return no(why),
        };
        let (Some(passing), Some(preview), false) = (&self.passing, &self.preview, self.stale) else {
            // What is made is what was seen.
            let commands = self.look(ctx);
            return Step::Said(
                Said::info("what the seed gives is being looked up: Enter again makes it"),
                commands,
            );
        };
        if let Some(problem) = preview.problems.first() {
            return no(problem.clone());
        }
        let ticket = ctx.ticket();
        self.making = Making::Drawing(ticket);
        Step::Stay(vec![RoundsScreen::ask(ticket, Ask::Draw(Box::new(draft), passing.clone()))])
    }

    /// The screen's size is known.
    pub fn layout(&mut self, size: (u16, u16)) {
        self.size = size;
    }
}
