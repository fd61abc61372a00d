//! The Repair screen: a repair loop, live or recorded.
//!
//! Promises: what it does and its tests are the first things seen; leaving the screen leaves the run alone; news of a run
//! that is not known are dropped; any stream leaves the keys quick. Leaves to others: driving runs and looking things up
//! (`runtime::repair`), what events mean (`repair::live`).

mod actions;
mod draw;
mod panes;
mod replay;
mod shown;
mod words;

pub use draw::draw;
pub use shown::{Against, Shown};

use super::Context;
use crate::keymap::{Action, Key};
use crate::repair::live::Live;
use crate::repair::prompt::Templates;
use crate::runner::Wish;
use crate::task::Task;
use crate::tui::msg::repair::{Ask, LaunchChoice, Opened, Steer, Told};
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::diff_view::Choices;
use crate::tui::widgets::input::{Edit, Input};
use draw::Places;
use replay::Replay;
use std::sync::Arc;
use uuid::Uuid;

/// Trajectories that are kept on the screen, those under way always.
const MOST_SHOWN: usize = 12;
/// What is said where words were given and the next turn never came.
const UNHEARD: &str = "it ended before a turn took up your words: they were not sent, and nothing is marked";

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    /// The answer.
    #[default]
    Answer,
    /// What it changes.
    Change,
    /// Its tests.
    Tests,
    /// All turns.
    Turns,
}

impl Pane {
    /// All parts, in the order of their keys.
    pub const ALL: [Pane; 4] = [Pane::Answer, Pane::Change, Pane::Tests, Pane::Turns];

    /// The name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Answer => "answer",
            Pane::Change => "change",
            Pane::Tests => "tests",
            Pane::Turns => "turns",
        }
    }
}

/// State of the screen.
#[derive(Debug)]
pub struct RepairScreen {
    shown: Vec<Shown>,
    at: usize,
    pane: Pane,
    /// Output is shown in the place of the tests.
    in_output: bool,
    choices: Choices,
    input: Input,
    typing: bool,
    /// A trajectory that is being read.
    opening: u64,
    /// What is edited: the ticket, and the file.
    editing: Option<(u64, String)>,
    /// Why nothing was started.
    failure: Option<String>,
    size: (u16, u16),
}

impl RepairScreen {
    /// The screen before anything was run.
    pub fn new(choices: Choices) -> RepairScreen {
        RepairScreen {
            shown: Vec::new(),
            at: 0,
            pane: Pane::Answer,
            in_output: false,
            choices,
            input: Input::default(),
            typing: false,
            opening: 0,
            editing: None,
            failure: None,
            size: (0, 0),
        }
    }

    /// The trajectory on the screen.
    pub fn current(&self) -> Option<&Shown> {
        self.shown.get(self.at)
    }

    fn current_mut(&mut self) -> Option<&mut Shown> {
        self.shown.get_mut(self.at)
    }

    /// Whether there is something to show.
    pub fn is_open(&self) -> bool {
        self.opening != 0 || self.failure.is_some() || !self.shown.is_empty()
    }

    /// Starts a run of a task; `saw_reference`: its reference was on the screen before.
    pub fn start(
        &mut self,
        task: Arc<Task>,
        choice: LaunchChoice,
        saw_reference: bool,
        ctx: &mut Context,
    ) -> Vec<Cmd> {
        let ticket = ctx.ticket();
        // The cell that runs comes with the news that it was made.
        let hash = Templates::embedded().map(|templates| templates.hash().to_owned()).unwrap_or_default();
        let mut shown = Shown::new(ticket, task.clone(), choice.cell(&hash).settled());
        shown.saw_reference = saw_reference;
        self.add(shown);
        self.pane = Pane::Answer;
        self.in_output = false;
        vec![Cmd::Repair { ticket, ask: Box::new(Ask::Start { task, choice }) }]
    }

    /// Opens a trajectory of the workspace, unless it is here already.
    pub fn open(&mut self, run: Uuid, trajectory: Uuid, ctx: &mut Context) -> Vec<Cmd> {
        let known = |shown: &Shown| shown.head.as_ref().is_some_and(|head| head.id == trajectory);
        if let Some(at) = self.shown.iter().position(known) {
            self.at = at;
            return self.refresh(ctx);
        }
        self.opening = ctx.ticket();
        vec![Cmd::Repair { ticket: self.opening, ask: Box::new(Ask::Open { run, trajectory }) }]
    }

    fn add(&mut self, shown: Shown) {
        self.failure = None;
        self.opening = 0;
        while self.shown.len() >= MOST_SHOWN {
            let Some(gone) = self.shown.iter().position(|shown| !shown.running) else { break };
            self.shown.remove(gone);
        }
        self.shown.push(shown);
        self.at = self.shown.len() - 1;
        self.typing = false;
    }

    /// A message about runs; `None` if nothing here asked for it.
    pub fn told(
        &mut self,
        ticket: u64,
        told: &mut Told,
        ctx: &mut Context,
    ) -> Option<(Vec<Cmd>, Option<Said>)> {
        let mut said = None;
        match told {
            Told::Opened(opened) if ticket == self.opening => {
                let events = std::mem::take(&mut opened.events);
                let Opened { run, head, cell, task, .. } = &**opened;
                let (run, head, cell, task) = (*run, head.clone(), cell.clone(), task.clone());
                let known = |shown: &Shown| shown.head.as_ref().is_some_and(|known| known.id == head.id);
                if let Some(at) = self.shown.iter().position(known) {
                    // It was watched live, and is wanted to be played.
                    self.opening = 0;
                    self.at = at;
                    let mut commands = Vec::new();
                    if let Some(shown) = self.shown.get_mut(at) {
                        shown.replay = Some(Replay::new(events));
                        commands = actions::play(shown, ctx).commands;
                    }
                    commands.extend(self.refresh(ctx));
                    return Some((commands, None));
                }
                let mut shown = Shown::new(ticket, task, cell);
                shown.live = Live::of(&events);
                shown.trajectories = opened.trajectories;
                (shown.run, shown.head, shown.running) = (Some(run), Some(head), false);
                shown.replay = Some(Replay::new(events));
                self.add(shown);
            }
            Told::Refused(why) if ticket == self.opening => {
                self.opening = 0;
                self.failure = Some(why.clone());
                said = Some(Said::error(why.clone()));
            }
            _ => {
                if self.shown.iter().any(|shown| shown.ticket == ticket) {
                    said = self.of_run(ticket, told);
                } else {
                    let choices = self.choices;
                    self.shown
                        .iter_mut()
                        .find_map(|shown| shown.told(ticket, told, choices).then_some(()))?;
                }
            }
        }
        Some((self.refresh(ctx), said))
    }

    /// Something about a run that was started here.
    fn of_run(&mut self, ticket: u64, told: &mut Told) -> Option<Said> {
        match told {
            Told::Started(started) => {
                let at = self.shown.iter().position(|shown| shown.ticket == ticket)?;
                let mut heads = started.heads.iter().cloned();
                let first = self.shown.get_mut(at)?;
                (first.run, first.head, first.cell) = (Some(started.run), heads.next(), started.cell.clone());
                first.trajectories = started.heads.len();
                let saw_reference = first.saw_reference;
                if self.at > at {
                    self.at += heads.len();
                }
                for (number, head) in heads.enumerate() {
                    let mut more = Shown::new(ticket, started.task.clone(), started.cell.clone());
                    (more.run, more.head) = (Some(started.run), Some(head));
                    more.saw_reference = saw_reference;
                    more.trajectories = started.heads.len();
                    self.shown.insert(at + 1 + number, more);
                }
                None
            }
            Told::News(news) => {
                let mut unheard = false;
                for shown in self.shown.iter_mut().filter(|shown| shown.ticket == ticket) {
                    shown.hear(news);
                    if shown.live.stopped().is_some() {
                        shown.running = false;
                        unheard |= std::mem::take(&mut shown.words_wait);
                    }
                }
                let refused = news.refused.last().map(|why| Said::error(format!("not done: {why}")));
                let unheard = || unheard.then(|| Said::info(UNHEARD));
                refused.or_else(unheard)
            }
            Told::Ended(trouble) => {
                for shown in self.shown.iter_mut().filter(|shown| shown.ticket == ticket) {
                    shown.running = false;
                    shown.trouble = trouble.clone();
                }
                trouble.clone().map(Said::error)
            }
            Told::Refused(why) => {
                self.shown.retain(|shown| shown.ticket != ticket);
                self.at = self.at.min(self.shown.len().saturating_sub(1));
                self.failure = Some(why.clone());
                Some(Said::error(why.clone()))
            }
            _ => None,
        }
    }

    /// Brings what is shown up to date, and gives what has to be looked up for that.
    fn refresh(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let in_output = self.in_output;
        let Some(shown) = self.current_mut() else { return Vec::new() };
        let commands = shown.refresh(ctx);
        if in_output {
            shown.refresh_output();
        }
        self.lay_out();
        commands
    }

    /// A timer has run out; `None` if it was not set here.
    pub fn timer(&mut self, number: u64, ctx: &mut Context) -> Option<Vec<Cmd>> {
        let shown = self.shown.iter_mut().find(|shown| {
            number != 0 && shown.replay.as_ref().is_some_and(|replay| replay.timer == number)
        })?;
        let Shown { replay, live, .. } = shown;
        let replay = replay.as_mut()?;
        replay.timer = 0;
        let mut commands = Vec::new();
        if replay.is_moving() && replay.step(live) {
            replay.timer = ctx.ticket();
            commands.push(Cmd::After(replay.timer, replay::STEP));
        }
        commands.extend(self.refresh(ctx));
        Some(commands)
    }

    /// The screen's size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.lay_out();
    }

    fn lay_out(&mut self) {
        let places = Places::of(self.size, self.pane);
        let in_output = self.in_output;
        let Some(shown) = self.shown.get_mut(self.at) else { return };
        if let Some(place) = places.answer {
            shown.resize_answer(place.width, place.height);
        }
        if let (Some(place), Some(view)) = (places.change, &mut shown.change.view) {
            view.resize(place.width, place.height);
        }
        if in_output {
            shown.output.resize(places.tests.map_or(0, |place| place.height));
        }
    }

    /// Whether keys go into the field for feedback.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// A paste into the field.
    pub fn paste(&mut self, text: &str) {
        self.input.insert(text);
    }

    /// A key while feedback is typed.
    pub fn typed(&mut self, key: Key, action: Option<Action>) -> (Vec<Cmd>, Option<Said>) {
        match action {
            Some(Action::Accept) => {
                self.typing = false;
                let text = self.input.text().trim().to_owned();
                if text.is_empty() {
                    return (Vec::new(), Some(Said::info("no words, so nothing was given")));
                }
                self.input.clear();
                let under_way = self.current().is_some_and(|shown| shown.live.is_turn_under_way());
                let when = if under_way { " when this turn is over" } else { "" };
                let said = Some(Said::info(format!(
                    "your words go to the model{when}; the trajectory is marked as intervened"
                )));
                let commands = self.wish(|saw_reference| Wish::GiveFeedback { text, saw_reference });
                if let Some(shown) = self.current_mut() {
                    shown.words_wait = !commands.is_empty();
                }
                (commands, said)
            }
            Some(Action::Back) => {
                self.typing = false;
                (Vec::new(), None)
            }
            _ => {
                let _: Edit = self.input.key(key, action);
                (Vec::new(), None)
            }
        }
    }

    /// Wants something of the trajectory; a paused one goes on as far as that takes.
    fn wish(&self, wish: impl FnOnce(bool) -> Wish) -> Vec<Cmd> {
        let Some(shown) = self.current() else { return Vec::new() };
        let Some(head) = &shown.head else { return Vec::new() };
        let steer = Steer::Wish(head.id, Box::new(wish(shown.saw_reference)));
        vec![Cmd::Repair { ticket: shown.ticket, ask: Box::new(Ask::Steer(steer)) }]
    }

    /// A text was changed in the editor; `None` if it was not handed over here.
    pub fn edited(&mut self, ticket: u64, text: &[u8]) -> Option<(Vec<Cmd>, Said)> {
        let (_, path) = self.editing.take_if(|(awaited, _)| *awaited == ticket)?;
        let shown = self.current()?;
        let changes = shown.edited(&path, text);
        let commands = self.wish(|saw_reference| Wish::EditCode { changes, saw_reference });
        Some((commands, Said::info("your code is tested next; the trajectory is marked as intervened")))
    }

    /// Whether a prompt with this number is awaited: its title.
    pub fn awaits_prompt(&mut self, ticket: u64) -> Option<String> {
        let shown = self.shown.iter_mut().find(|shown| ticket != 0 && shown.prompt_ticket == ticket)?;
        shown.prompt_ticket = 0;
        Some("The prompt, as it is sent".to_owned())
    }

    /// Runs under way that are not on the screen, in words for other screens.
    pub fn background(&self) -> Option<String> {
        let running: Vec<&Shown> = self.shown.iter().filter(|shown| shown.running).collect();
        let first = running.first()?;
        let more = if running.len() > 1 { format!(" and {} more", running.len() - 1) } else { String::new() };
        Some(format!("repair {}: {}{more}", first.task.id, words::badge(first).0))
    }

    /// The mouse wheel was turned.
    pub fn wheel(&mut self, down: bool, ctx: &mut Context) -> Vec<Cmd> {
        let action = if down { Action::CursorDown } else { Action::CursorUp };
        (0..3).flat_map(|_| self.act(action, ctx).commands).collect()
    }

    /// The mouse was pressed in the body, counted from its top left corner.
    pub fn click(&mut self, x: u16, y: u16) {
        let places = Places::of(self.size, self.pane);
        if let Some(pane) = places.pane_at(x, y) {
            self.pane = pane;
            self.lay_out();
        }
    }

    /// The words of the header: the task, then what runs and how far it is, the longest first.
    pub fn header(&self) -> (Option<&str>, Vec<String>) {
        match self.current() {
            Some(shown) => (Some(shown.task.id.as_str()), words::header(shown, self.place())),
            None => (None, Vec::new()),
        }
    }

    /// Which of several trajectories is shown.
    fn place(&self) -> Option<(usize, usize)> {
        (self.shown.len() > 1).then_some((self.at + 1, self.shown.len()))
    }
}
