//! The sheet of a round that is to be made, with what its seed gives.
//!
//! Promises: what is shown is what is made: both come from one draft; Enter shows in a sentence what would be made, and
//! only another Enter, which a held key is not, makes it; the command that does the same can be copied.
//! Leaves to others: drawing and dealing (`study::draft`), training and gold items (`study::known`).

mod draw;
mod fields;

use super::{Context, RoundsScreen};
use crate::keymap::{Action, Key, KeyCode};
use crate::label::assign::Plan;
use crate::label::codebook::Codebook;
use crate::label::round::Round;
use crate::study::{Candidate, Draft, Drawn, Pool, Preview, overlap};
use crate::task::filter::Filter;
use crate::text::counted;
use crate::text::thousands;
use crate::tui::msg::study::{self, rounds::Ask, rounds::Told};
use crate::tui::msg::{Cmd, Job, JobResult, Said, Slot};
use crate::tui::widgets::input::{Edit, Input};
pub use fields::{Field, Pairing, pairs_word};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// What is typed has come to rest when nothing was typed for this long.
const REST: Duration = Duration::from_millis(120);

/// The last step takes an Enter when none has come for this long: a key that is held comes sooner again.
const ARM: Duration = Duration::from_millis(400);

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
    /// Whether the last step is shown.
    confirms: bool,
    /// The timer that must run out before the last step takes an Enter; 0: it has.
    unarmed: u64,
    /// An Enter came before the last step took one.
    too_soon: bool,
    /// All tasks, once training or gold items are to be found among them, and the request for them.
    all: Option<Arc<Vec<Candidate>>>,
    finding: u64,
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
        let inputs = inputs.map(|field| (field, Input::proposed(&text(field)))).collect();
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
            confirms: false,
            unarmed: 0,
            too_soon: false,
            all: None,
            finding: 0,
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
        self.confirms &= self.making != Making::Not;
        self.all = None;
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
            self.codebooks.get(self.codebook).cloned().ok_or("there is no codebook that can be read")?;
        let pairing = self.pairing.of(self.per_item, annotators.len());
        let verify = self.input(Field::Verify).trim();
        let overlap = match verify {
            "" => None,
            text => Some(overlap(text).ok_or_else(|| {
                format!("`{text}` is not ROUND:N, an earlier round and how many of its items are drawn again")
            })?),
        };
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
            overlap,
            plan: pairing.map(|(pairs, per_item)| Plan { pairs, per_item, seed }),
            repeats: if repeats.is_empty() || pairing.is_none() {
                0
            } else {
                repeats.parse().map_err(|_| "how many come twice is a whole number".to_owned())?
            },
        })
    }

    /// What the round is drawn from; none: not all of it is known yet.
    fn pool(&self) -> Option<Pool> {
        let file = |field| {
            let path = self.input(field).trim();
            (!path.is_empty()).then(|| PathBuf::from(path))
        };
        let (training, gold) = (file(Field::Training), file(Field::Gold));
        let passing = self.passing.clone()?;
        let all = match (&self.all, training.is_some() || gold.is_some()) {
            (Some(all), _) => all.clone(),
            // Nothing is looked for among them.
            (None, false) => Arc::default(),
            (None, true) => return None,
        };
        Some(Pool { passing, all, training, gold })
    }

    /// Asks for what the seed gives, and before that for what it takes to know that.
    fn look(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.timer = 0;
        self.previewing = 0;
        let Ok(draft) = self.draft() else { return Vec::new() };
        match self.pool() {
            Some(pool) => {
                self.previewing = ctx.ticket();
                vec![RoundsScreen::ask(self.previewing, Ask::Preview(Box::new(draft), pool))]
            }
            None if self.passing.is_some() => {
                self.finding = ctx.ticket();
                let job = Job::Choose { table: ctx.tasks().clone(), filter: Arc::new(Filter::default()) };
                vec![Cmd::Start { slot: Slot::Draft, ticket: self.finding, job }]
            }
            None => Vec::new(),
        }
    }

    /// Something was changed.
    fn changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.stale = true;
        self.confirms = false;
        self.timer = ctx.ticket();
        vec![Cmd::After(self.timer, REST)]
    }

    /// A timer has run out; `None` if it is not the sheet's.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        if number != 0 && number == self.unarmed {
            self.unarmed = 0;
            return Some(Vec::new());
        }
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
            JobResult::Chosen(all) if ticket == self.finding => {
                self.all = Some(Arc::new(std::mem::take(all)));
                Some(self.look(ctx))
            }
            JobResult::ArrangeFailed(why) if [self.choosing, self.finding].contains(&ticket) => {
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
                        self.confirms = false;
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
                    self.confirms = false;
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
        let items = counted(items, "item");
        match queues.as_slice() {
            [] => format!("{name} is made: {items}, not assigned yet: A says who labels what"),
            queues => format!("{name} is made: {items}, assigned ({})", queues.join(", ")),
        }
    }

    /// What would be made, in a sentence; none while that is not known.
    pub(super) fn sentence(&self) -> Option<String> {
        let (draft, preview) = (self.draft().ok()?, self.preview.as_deref()?);
        let mut words = format!(
            "{}/{} asks {} about {} of {} that pass",
            draft.study,
            draft.name,
            draft.codebook.id,
            counted(preview.items, "item"),
            thousands(preview.population)
        );
        for beside in draw::beside(preview) {
            words.push_str(&format!(", {beside} among them"));
        }
        words.push_str(&format!(", drawn with seed {}; ", draft.seed));
        match draft.plan {
            None => words.push_str("who labels what is said later"),
            Some(plan) => {
                let queues: Vec<String> = preview
                    .queues
                    .iter()
                    .map(|(who, count)| format!("{who} {}", thousands(*count)))
                    .collect();
                let verb = if plan.per_item == 1 { "labels" } else { "label" };
                let people = counted(plan.per_item, "annotator");
                words.push_str(&format!("{people} {verb} each item ({})", queues.join(", ")));
                if draft.repeats > 0 {
                    words.push_str(&format!(", {} of them twice", thousands(draft.repeats)));
                }
            }
        }
        words.push_str(&format!(", and {} decides where they differ.", draft.arbitrator));
        Some(words)
    }

    /// A key, with what it means where text is typed.
    pub fn key(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Step {
        if !matches!(self.making, Making::Not) {
            return Step::Said(Said::info("it is being made…"), Vec::new());
        }
        let last = Field::ALL.len() - 1;
        match (action, key.code()) {
            (Some(Action::Back), _) if self.confirms => {
                self.confirms = false;
                return Step::Stay(Vec::new());
            }
            (Some(Action::Back), _) => return Step::Close,
            (Some(Action::Accept), _) if self.confirms && self.unarmed != 0 => {
                self.too_soon = true;
                return Step::Stay(self.arm(ctx));
            }
            (Some(Action::Accept), _) => return self.make(ctx),
            _ if self.confirms && !(key.ctrl() && key.code() == KeyCode::Char('y')) => {
                return Step::Stay(Vec::new());
            }
            (Some(Action::CursorDown), _) | (None, KeyCode::Tab) => {
                return self.go_to((self.field + 1).min(last), ctx);
            }
            (Some(Action::CursorUp), _) | (None, KeyCode::BackTab) => {
                return self.go_to(self.field.saturating_sub(1), ctx);
            }
            (None, KeyCode::Char('y')) if key.ctrl() => {
                return match self.draft() {
                    Ok(draft) => {
                        let files = (self.input(Field::Training).trim(), self.input(Field::Gold).trim());
                        Step::Stay(vec![Cmd::Copy(fields::command(&draft, files, &ctx.origin))])
                    }
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

    /// What the hints say of a key, in the words of the sheet.
    pub fn says(&self, action: Action) -> Option<&'static str> {
        match (action, self.confirms) {
            (Action::Accept, false) => Some("goes on"),
            (Action::Accept, true) => Some("makes it"),
            (Action::Back, false) => Some("leaves it"),
            (Action::Back, true) => Some("goes back"),
            _ => None,
        }
    }

    /// Whether what is typed next takes the place of what stands in the field.
    pub fn proposes(&self) -> bool {
        let here = self.here();
        let input = self.inputs.iter().find(|(field, _)| *field == here);
        !self.confirms && input.is_some_and(|(_, input)| input.is_proposal())
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

    /// The last step waits before it takes an Enter.
    fn arm(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.unarmed = ctx.ticket();
        vec![Cmd::After(self.unarmed, ARM)]
    }

    /// A paste into the field; the last step takes none.
    pub fn paste(&mut self, text: &str, ctx: &mut Context) -> Vec<Cmd> {
        if self.confirms {
            return Vec::new();
        }
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
        let (Some(pool), Some(preview), false) = (self.pool(), &self.preview, self.stale) else {
            // What is made is what was seen.
            let commands = self.look(ctx);
            return Step::Said(
                Said::info("what the seed gives is being looked up: Enter again goes on"),
                commands,
            );
        };
        if let Some(problem) = preview.problems.first() {
            return no(problem.clone());
        }
        if !self.confirms {
            self.confirms = true;
            self.too_soon = false;
            return Step::Stay(self.arm(ctx));
        }
        let ticket = ctx.ticket();
        self.making = Making::Drawing(ticket);
        Step::Stay(vec![RoundsScreen::ask(ticket, Ask::Draw(Box::new(draft), pool))])
    }

    /// The screen's size is known.
    pub fn layout(&mut self, size: (u16, u16)) {
        self.size = size;
    }
}
