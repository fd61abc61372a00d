//! The screen of labelling: one item after the other, evidence above, the question below, one key for each answer.
//!
//! Promises: the next item is shown when the last answer is on disk, and not before; what could not be written stays
//! on the screen and can be tried again; nothing is answered by a paste or a held key (`guard`); what is seen here is
//! of the annotator alone. Leaves to others: what may be answered (`label`, `study`), writing it (`runtime::study`).
//!
//! | file | subject |
//! |---|---|
//! | `work` | the round in hand: items, the question, the cursor |
//! | `answering` | keys become answers, marks, steps |
//! | `kept` | what came back, and where one goes then |
//! | `evidence` | what an item is judged by |
//! | `guard` | held keys and pastes |
//! | `clock` | seconds per item, without idle time |
//! | `strip` | the question and its answers, drawn |
//! | `meaning` | what an answer means, in lines |
//! | `draw` | everything else, drawn |
//! | `list` | the list of one's items, drawn |

mod answering;
mod clock;
mod draw;
mod evidence;
mod guard;
mod kept;
mod list;
mod meaning;
mod strip;
mod work;

use super::item_name::fitted;
use super::part::Part;
use super::{Context, Outcome};
use crate::keymap::{self, Action, Group, Key};
use crate::label::phase::Phase;
use crate::label::turn::TurnName;
use crate::theme::Role;
use crate::tui::msg::study::annotate::Row;
use crate::tui::msg::study::{self, annotate::Ask, annotate::Opened, annotate::Told};
use crate::tui::msg::{Cmd, JobResult, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::Choices;
use crate::tui::widgets::panel;
use clock::Clock;
use evidence::{Evidence, Subject};
use guard::{AT_ONCE, Guard, HELD, Press};
use uuid::Uuid;
use work::Work;

/// Columns of the name of a turn in the header.
const TURN: usize = 40;

/// Where the screen stands.
enum Stage {
    /// What one has to label is being read.
    Opening,
    /// There is nothing to label, and what to do.
    Nothing(String),
    /// It could not be read.
    Failed(String),
    /// A round is in hand.
    Work(Box<Work>),
}

/// State of the screen.
pub struct AnnotateScreen {
    /// Number of the newest request to open.
    ticket: u64,
    stage: Stage,
    evidence: Evidence,
    guard: Guard,
    /// What the present key is.
    press: Press,
    clock: Clock,
    size: (u16, u16),
}

impl AnnotateScreen {
    /// With no round in hand; differences are shown so at first.
    ///
    /// Long lines go on in the next row: what is to be judged must not lie behind the edge.
    pub fn new(choices: Choices) -> AnnotateScreen {
        AnnotateScreen {
            ticket: 0,
            stage: Stage::Opening,
            evidence: Evidence::new(Choices { wrap: true, ..choices }),
            guard: Guard::default(),
            press: Press::Fresh,
            clock: Clock::default(),
            size: (0, 0),
        }
    }

    /// What could not be written and was not given up, in words.
    pub fn unsaved_words(&self) -> Option<String> {
        let failure = self.work()?.pending.as_ref()?.failure.as_ref()?;
        Some(format!("an answer was not saved: {failure}"))
    }

    fn work(&self) -> Option<&Work> {
        match &self.stage {
            Stage::Work(work) => Some(work),
            _ => None,
        }
    }

    fn ask_to_open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Cmd {
        self.ticket = ctx.ticket();
        let ask = Box::new(study::Ask::Annotate(Ask::Open(round)));
        Cmd::Study { ticket: self.ticket, ask }
    }

    fn opened(&mut self, opened: Opened, ctx: &mut Context) -> Vec<Cmd> {
        self.evidence.set_guide(&opened.codebook.guide);
        match &mut self.stage {
            Stage::Work(work) if work.opened.round == opened.round => {
                if work.renew(opened) {
                    self.show_item(ctx)
                } else {
                    self.show_again(ctx)
                }
            }
            _ => {
                self.stage = Stage::Work(Box::new(Work::new(opened)));
                self.guard = Guard::default();
                self.show_item(ctx)
            }
        }
    }

    /// Shows the evidence of the present item, and reads the next one.
    fn show_item(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let Stage::Work(work) = &self.stage else { return Vec::new() };
        let subject = subject(work.row(), ctx);
        let mut commands = self.evidence.go(subject, ctx);
        commands.extend(self.prepare(ctx));
        commands
    }

    /// Shows the evidence anew where the task is another one in the list of tasks.
    fn show_again(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let Stage::Work(work) = &self.stage else { return Vec::new() };
        let key = subject(work.row(), ctx).map(|subject| subject.key());
        if self.evidence.key() != key || key.is_none() {
            return self.show_item(ctx);
        }
        self.prepare(ctx)
    }

    fn prepare(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let Stage::Work(work) = &self.stage else { return Vec::new() };
        let next = work.next_open().and_then(|place| work.rows().get(place));
        let next = next.and_then(|row| subject(row, ctx));
        self.evidence.prepare(next, ctx)
    }
}

/// What an item is about; `None`: a task that is not among those that are open.
fn subject(row: &Row, ctx: &Context) -> Option<Subject> {
    match TurnName::of_item(&row.item) {
        Some(name) => Some(Subject::Turn(name, row.revision.clone())),
        None => ctx.key_of(&row.task).map(Subject::Task),
    }
}

impl Part for AnnotateScreen {
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        let in_hand = self.work().map(|work| work.opened.round);
        let other = in_hand.is_none() || round.is_some() && round != in_hand;
        // What could not be written is not left behind for another round.
        if other && self.work().is_some_and(Work::unsaved) {
            return Vec::new();
        }
        if other {
            self.stage = Stage::Opening;
        }
        // A round that is closed is not what somebody means who wants to label.
        let open = self.work().filter(|work| work.opened.phase != Phase::Closed);
        let open = open.map(|work| work.opened.round);
        vec![self.ask_to_open(round.or(open), ctx)]
    }

    fn told(&mut self, ticket: u64, told: &mut study::Told, ctx: &mut Context) -> Option<Outcome> {
        if ticket != self.ticket {
            return self.answered(ticket, told, ctx);
        }
        match std::mem::replace(told, study::Told::Refused(String::new())) {
            study::Told::Annotate(Told::Opened(opened)) => {
                let fresh = self.work().is_none();
                let mut commands = self.opened(*opened, ctx);
                // Whoever opens it reads, also before the first key.
                commands.extend(self.clock.touched(|| ctx.ticket()));
                let nothing_yet = self.work().is_some_and(|work| {
                    work.rows().iter().all(|row| row.state.labels.is_empty()) && work.closed().is_none()
                });
                let welcome = "H shows how to label, ? all keys";
                let said = (fresh && nothing_yet).then(|| Said::info(welcome));
                return Some(Outcome { said, ..Outcome::commands(commands) });
            }
            study::Told::Annotate(Told::Nothing(why)) => self.stage = Stage::Nothing(why),
            // A round in hand stays readable.
            study::Told::Refused(why) if self.work().is_some() => {
                return Some(Outcome::said(Said::error(why)));
            }
            study::Told::Refused(why) => self.stage = Stage::Failed(why),
            _ => return None,
        }
        Some(Outcome::done())
    }

    fn done(&mut self, ticket: u64, result: &mut JobResult, ctx: &mut Context) -> Option<Vec<Cmd>> {
        self.evidence.done(ticket, result, ctx)
    }

    fn timer(&mut self, number: u64, _ctx: &mut Context) -> Option<Outcome> {
        if self.guard.timer(number) {
            return Some(Outcome::done());
        }
        let next = self.clock.timer(number)?;
        if let Stage::Work(work) = &mut self.stage {
            work.tick();
        }
        Some(Outcome::commands(next.into_iter().collect()))
    }

    fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        if self.work().is_none() {
            return Vec::new();
        }
        self.evidence.forget();
        self.show_again(ctx)
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        vec![keymap::Context::Annotate]
    }

    fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        if action.group() == Group::GoTo {
            self.clock.stop();
            return Outcome::ignored();
        }
        match &self.stage {
            Stage::Work(_) => self.do_action(action, ctx),
            _ if action == Action::Reload => {
                let said = Some(Said::info("reading the rounds anew"));
                Outcome { said, ..Outcome::commands(vec![self.ask_to_open(None, ctx)]) }
            }
            _ => Outcome::ignored(),
        }
    }

    fn pressed(&mut self, key: Key, ctx: &mut Context) -> Vec<Cmd> {
        if self.work().is_none() {
            return Vec::new();
        }
        let (at_once, held) = (ctx.ticket(), ctx.ticket());
        let (press, take_back) = self.guard.press(key, at_once, held);
        self.press = press;
        let mut commands = vec![Cmd::After(at_once, AT_ONCE), Cmd::After(held, HELD)];
        commands.extend(self.clock.touched(|| ctx.ticket()));
        if take_back {
            commands.extend(self.take_back_held(ctx));
        }
        commands
    }

    fn other_key(&mut self, key: Key, ctx: &mut Context) -> Outcome {
        match &self.stage {
            Stage::Work(_) => self.answer_key(key, ctx),
            _ => Outcome::ignored(),
        }
    }

    fn is_typing(&self) -> bool {
        self.work().is_some_and(|work| work.field.is_some()) || self.evidence.is_typing()
    }

    fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        if self.work().is_some_and(|work| work.field.is_some()) {
            return self.type_in_field(key, action, ctx);
        }
        self.evidence.typed(key, action);
        Outcome::done()
    }

    fn paste(&mut self, text: &str, _ctx: &mut Context) -> Vec<Cmd> {
        match &mut self.stage {
            Stage::Work(work) if work.field.is_some() => {
                if let Some((_, input)) = &mut work.field {
                    input.insert(text);
                }
            }
            _ => self.evidence.paste(text),
        }
        Vec::new()
    }

    fn resize(&mut self, width: u16, height: u16, _ctx: &mut Context) -> Vec<Cmd> {
        self.size = (width, height);
        let place = self.places().evidence;
        self.evidence.resize(place.width, place.height);
        Vec::new()
    }

    fn wheel(&mut self, down: bool) {
        self.evidence.wheel(down);
    }

    fn click(&mut self, x: u16, y: u16, _ctx: &mut Context) -> Outcome {
        self.clicked(x, y);
        Outcome::done()
    }

    fn means_something(&self, action: Action) -> bool {
        let Some(work) = self.work() else { return matches!(action.group(), Group::General | Group::GoTo) };
        match action {
            Action::TakeAnswer => work.cursor.is_some() || work.is_multiple() || work.taught.is_some(),
            _ => self.evidence.means_something(action),
        }
    }

    fn footer(&self) -> Option<String> {
        self.work().map(draw::footer)
    }

    fn crumbs(&self) -> Vec<String> {
        match self.work() {
            // Of a task its name is told, of a turn also which one it is.
            Some(work) => {
                let row = work.row();
                let turn = TurnName::of_item(&row.item).map(|_| fitted(row.name(), TURN));
                vec![work.opened.name.clone(), turn.unwrap_or_else(|| row.task.clone())]
            }
            None => vec!["labelling".to_owned()],
        }
    }

    fn header(&self) -> String {
        self.work().map(draw::header).unwrap_or_default()
    }

    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        let (heading, words, role) = match &self.stage {
            Stage::Work(work) => return self.draw_work(work, ctx, canvas),
            Stage::Opening => ("Reading what you have to label…", String::new(), Role::TextDim),
            Stage::Nothing(why) => {
                let next = "\n\ng s shows the rounds and lets you take one in hand; `mendbench --as NAME` says who you are.";
                ("Nothing to label here", format!("{why}.{next}"), Role::Text)
            }
            Stage::Failed(why) => {
                let next = "\n\nctrl-r tries again; g s shows the rounds.";
                ("What you have to label could not be read", format!("{why}.{next}"), Role::StatusError)
            }
        };
        panel::message(canvas, &ctx.skin, heading, &words, role);
    }
}
