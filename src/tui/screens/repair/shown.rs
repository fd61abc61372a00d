//! One trajectory on the screen: what is known of it, what is selected, what is still looked up.
//!
//! Promises: answers to requests that are not the newest are dropped; each text is asked for once. Leaves to others:
//! drawing (`draw`), keys (`actions`).

use super::replay::Replay;
use crate::catalogue::LoadedTask;
use crate::repair::Cell;
use crate::repair::event::{Intervened, Intervention, What};
use crate::repair::live::{Live, Turn};
use crate::runner::TrajectoryHead;
use crate::task::Task;
use crate::text::Pen;
use crate::tui::msg::Cmd;
use crate::tui::msg::repair::{Ask, Code, Look, News, Told, TurnTexts};
use crate::tui::screens::Context;
use crate::tui::widgets::answer_view::AnswerView;
use crate::tui::widgets::diff_view::{Choices, DiffView, Layout};
use crate::tui::widgets::output_view::{OutputLine, OutputView, Source};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// Reports that are looked up by themselves, so that a list of turns can say what each of them changed.
const MOST_REPORTS: usize = 64;
/// Output that is shown while it comes, bytes: the end of it.
const MOST_OUTPUT: usize = 64 << 10;

/// What the change of a turn is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Against {
    /// The code before.
    #[default]
    Before,
    /// The buggy code.
    Buggy,
    /// The reference.
    Reference,
}

/// The difference that is shown.
#[derive(Debug, Default)]
pub struct Change {
    /// What it is compared with.
    pub against: Against,
    /// The view.
    pub view: Option<DiffView>,
    /// The two versions that it shows.
    pub loaded: Option<Arc<LoadedTask>>,
    /// The turn whose change it is.
    pub of: Option<usize>,
    wanted: Option<(Code, Code)>,
    ticket: u64,
}

/// A trajectory on the screen.
#[derive(Debug)]
pub struct Shown {
    /// The ticket that its run was started with.
    pub ticket: u64,
    /// Its run, once it is made.
    pub run: Option<Uuid>,
    /// How many trajectories that has.
    pub trajectories: usize,
    /// Which it is, once that is known.
    pub head: Option<TrajectoryHead>,
    /// Its cell.
    pub cell: Cell,
    /// Its task.
    pub task: Arc<Task>,
    /// What was heard of it.
    pub live: Live,
    /// The time, as the newest news have it.
    pub now: Option<Timestamp>,
    /// Whether it was asked to pause.
    pub paused: bool,
    /// Whether it was asked to end.
    pub cancelling: bool,
    /// Whether it is driven in this session and not over.
    pub running: bool,
    /// Whether words were given that no turn has taken up yet.
    pub words_wait: bool,
    /// What went wrong beside the work.
    pub trouble: Option<String>,
    /// The turn that is selected; `None`: the newest.
    pub selected: Option<usize>,
    /// The answer of the turn that is shown.
    pub answer: AnswerView,
    answer_of: Option<(u32, u32)>,
    /// Texts that were looked up, by attempt and turn.
    pub texts: HashMap<(u32, u32), TurnTexts>,
    asked: HashSet<String>,
    tickets: HashSet<u64>,
    colours: u64,
    /// The difference.
    pub change: Change,
    /// What builds and tests printed; shown in the place of the tests.
    pub output: OutputView,
    output_of: Option<((u32, u32), usize)>,
    /// Whether the reference was looked at.
    pub saw_reference: bool,
    /// The prompt that is looked up.
    pub prompt_ticket: u64,
    /// All events of a trajectory that was read, to be played.
    pub replay: Option<Replay>,
    /// Rows scrolled in the tests.
    pub tests_top: usize,
}

impl Shown {
    /// One that begins.
    pub fn new(ticket: u64, task: Arc<Task>, cell: Cell) -> Shown {
        Shown {
            ticket,
            run: None,
            trajectories: 1,
            head: None,
            cell,
            task,
            live: Live::new(),
            now: None,
            paused: false,
            cancelling: false,
            running: true,
            words_wait: false,
            trouble: None,
            selected: None,
            answer: AnswerView::default(),
            answer_of: None,
            texts: HashMap::new(),
            asked: HashSet::new(),
            tickets: HashSet::new(),
            colours: 0,
            change: Change::default(),
            output: OutputView::default(),
            output_of: None,
            saw_reference: false,
            prompt_ticket: 0,
            replay: None,
            tests_top: 0,
        }
    }

    /// The turn that is shown.
    pub fn at(&self) -> usize {
        let last = self.live.turns().len().saturating_sub(1);
        self.selected.map_or(last, |selected| selected.min(last))
    }

    /// That turn.
    pub fn turn(&self) -> Option<&Turn> {
        self.live.turns().get(self.at())
    }

    /// What was looked up of it.
    pub fn text(&self) -> Option<&TurnTexts> {
        self.texts.get(&self.turn()?.position())
    }

    /// Selects a turn; the newest is followed from then on.
    pub fn select(&mut self, at: usize) {
        let last = self.live.turns().len().saturating_sub(1);
        self.selected = (at < last).then_some(at);
        self.tests_top = 0;
    }

    /// The answer as it stands on the screen.
    pub fn answer_text(&self) -> Option<&str> {
        let turn = self.turn()?;
        let looked = self.text().and_then(|texts| texts.answer.as_deref());
        Some(if turn.passing.answer.is_empty() { looked? } else { turn.passing.answer.text() })
    }

    /// Forgets where one was: what is shown begins anew.
    pub fn forget_view(&mut self) {
        self.selected = None;
        self.answer_of = None;
        self.output_of = None;
        self.tests_top = 0;
        self.asked.clear();
        self.texts.clear();
        self.change = Change { against: self.change.against, ..Change::default() };
    }

    /// The time, for what is told of waits and of how long it takes.
    pub fn time(&self) -> Timestamp {
        if let Some(replay) = &self.replay
            && replay.is_playing()
        {
            return replay.now();
        }
        match (self.running, self.now, self.live.last()) {
            (true, Some(now), _) => now,
            (_, _, Some(last)) => last,
            (_, now, None) => now.unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }

    /// Seconds since it began.
    pub fn elapsed(&self) -> u64 {
        let Some(began) = self.live.began() else { return 0 };
        u64::try_from(self.time().duration_since(began).as_secs()).unwrap_or(0)
    }

    /// Something happened in its run.
    pub fn hear(&mut self, news: &News) {
        self.now = Some(news.now);
        let own = self.head.as_ref().map(|head| head.id);
        for event in news.events.iter().filter(|event| Some(event.trajectory) == own) {
            self.words_wait &= !matches!(
                &event.what,
                What::Intervened(Intervened { action: Intervention::GaveFeedback, .. })
            );
            self.live.hear(event);
        }
    }

    /// The code before and after a turn; `None`: no turn up to it has code.
    fn versions(&self) -> Option<(usize, Code, Code)> {
        let turns = self.live.turns();
        let own = |turn: &Turn| turn.facts.code.clone().filter(|_| turn.facts.turn > 0);
        let (of, code) = (0..=self.at()).rev().find_map(|at| Some((at, own(turns.get(at)?)?)))?;
        let attempt = turns.get(of)?.facts.attempt;
        let earlier = turns.get(..of)?.iter().rev().filter(|turn| turn.facts.attempt == attempt);
        let before = earlier.filter_map(own).next().map_or(Code::Buggy, Code::Turn);
        Some(match self.change.against {
            Against::Before => (of, before, Code::Turn(code)),
            Against::Buggy => (of, Code::Buggy, Code::Turn(code)),
            Against::Reference => (of, Code::Turn(code), Code::Reference),
        })
    }

    /// Brings what is shown up to date, and gives what has to be looked up for that.
    pub fn refresh(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        let mut commands = Vec::new();
        self.refresh_answer();
        self.want_texts(&mut commands, ctx);
        self.want_change(&mut commands, ctx);
        if self.colours == 0
            && let Some((piece, language, text)) = self.answer.wants_colours()
        {
            self.colours = ctx.ticket();
            let language = if language.is_empty() { self.task.language.clone() } else { language };
            commands.push(ask(self.colours, Look::Colours { piece, language, text }));
        }
        commands
    }

    fn refresh_answer(&mut self) {
        let at = self.at();
        let Some(turn) = self.live.turns().get(at) else { return };
        let position = turn.position();
        if self.answer_of != Some(position) {
            self.answer.forget();
            (self.answer_of, self.colours) = (Some(position), 0);
        }
        let texts = self.texts.get(&position);
        let passing = &turn.passing;
        let (answer, reasoning) = match texts {
            Some(texts) if texts.answer.is_some() && passing.answer.is_empty() => (
                texts.answer.as_deref().unwrap_or_default(),
                texts.reasoning.as_deref().unwrap_or(passing.reasoning.text()),
            ),
            _ => (passing.answer.text(), passing.reasoning.text()),
        };
        self.answer.set(answer, reasoning);
    }

    /// The pane of the answer has this size.
    pub fn resize_answer(&mut self, width: u16, height: u16) {
        let Some(turn) = self.live.turns().get(self.at()) else { return };
        let texts = self.texts.get(&turn.position()).filter(|_| turn.passing.answer.is_empty());
        let looked = texts.and_then(|texts| Some((texts.answer.as_deref()?, texts.reasoning.as_deref())));
        let (answer, reasoning) = match looked {
            Some((answer, reasoning)) => (answer, reasoning.unwrap_or(turn.passing.reasoning.text())),
            None => (turn.passing.answer.text(), turn.passing.reasoning.text()),
        };
        self.answer.resize(width, height, answer, reasoning);
        self.answer.set(answer, reasoning);
    }

    fn want_texts(&mut self, commands: &mut Vec<Cmd>, ctx: &mut Context) {
        let here = self.at();
        let count = self.live.turns().len();
        for at in (0..count).rev().take(MOST_REPORTS).chain((here < count).then_some(here)) {
            let Some(turn) = self.live.turns().get(at) else { continue };
            let answer = turn.facts.answer.clone().filter(|_| at == here && turn.passing.answer.is_empty());
            let reasoning = turn.facts.reasoning.clone().filter(|_| answer.is_some());
            let report = turn.facts.report.clone();
            let key = format!(
                "{:?} {} {}",
                turn.position(),
                answer.as_ref().map_or("", |hash| hash.as_str()),
                report.as_ref().map_or("", |hash| hash.as_str())
            );
            if answer.is_none() && report.is_none() || !self.asked.insert(key) {
                continue;
            }
            let ticket = ctx.ticket();
            self.tickets.insert(ticket);
            let position = turn.position();
            commands.push(ask(ticket, Look::Turn { position, answer, reasoning, report }));
        }
    }

    fn want_change(&mut self, commands: &mut Vec<Cmd>, ctx: &mut Context) {
        let Some((of, from, to)) = self.versions() else {
            self.change = Change { against: self.change.against, ..Change::default() };
            return;
        };
        self.change.of = Some(of);
        let wanted = Some((from.clone(), to.clone()));
        if self.change.wanted == wanted {
            return;
        }
        self.change.wanted = wanted;
        self.change.ticket = ctx.ticket();
        let task = self.task.clone();
        commands.push(ask(self.change.ticket, Look::Change { task, from, to }));
    }

    /// Something that was looked up has come; `false`: this trajectory did not ask for it.
    pub fn told(&mut self, ticket: u64, told: &mut Told, choices: Choices) -> bool {
        match told {
            Told::Turn(texts) if self.tickets.remove(&ticket) => {
                let texts = std::mem::take(&mut **texts);
                let at = self.live.turns().iter().position(|turn| turn.position() == texts.position);
                if let Some(turn) = at.and_then(|at| self.live.turn_mut(at))
                    && !texts.tests.is_empty()
                {
                    let seen = texts.tests.iter().filter_map(|test| Some((test.id.as_str(), test.status?)));
                    turn.passing.set_tests(seen);
                }
                let known = self.texts.entry(texts.position).or_default();
                known.position = texts.position;
                known.answer = texts.answer.or(known.answer.take());
                known.reasoning = texts.reasoning.or(known.reasoning.take());
                known.missing = texts.missing;
                if !texts.tests.is_empty() {
                    known.tests = texts.tests;
                }
                if !texts.output.is_empty() {
                    known.output = texts.output;
                    self.output_of = None;
                }
            }
            Told::Change(loaded) if ticket == self.change.ticket => {
                let choices = Choices { layout: Layout::Unified, ..choices };
                let mut view = DiffView::new(loaded.diff.clone(), choices);
                view.set_functions(loaded.functions.clone());
                for (file, colours) in loaded.colours.iter().enumerate() {
                    view.set_colours(file, colours.clone());
                }
                self.change.view = Some(view);
                self.change.loaded = Some(loaded.clone());
            }
            Told::Colours { piece, spans } if ticket == self.colours => {
                self.answer.set_colours(*piece, std::mem::take(spans));
                self.colours = 0;
            }
            Told::Refused(why) if self.tickets.remove(&ticket) || ticket == self.change.ticket => {
                self.trouble = Some(why.clone());
            }
            Told::Refused(_) if ticket == self.colours => self.colours = 0,
            _ => return false,
        }
        true
    }

    /// Lays out what builds and tests of the turn printed.
    pub fn refresh_output(&mut self) {
        let Some(turn) = self.live.turns().get(self.at()) else { return };
        let position = turn.position();
        let looked = self.texts.get(&position).filter(|texts| !texts.output.is_empty());
        let mark = looked.map_or(turn.passing.output.text().len(), |_| usize::MAX);
        if self.output_of == Some((position, mark)) {
            return;
        }
        let scrolled = !self.output.follows() && self.output_of.is_some_and(|(of, _)| of == position);
        if scrolled && looked.is_none() {
            // What is read does not run away.
            return;
        }
        let mut view = OutputView::default();
        match looked {
            Some(texts) => view.extend(texts.output.iter().cloned(), Vec::new(), 0),
            None => {
                let text = turn.passing.output.text();
                let from = text.ceil_char_boundary(text.len().saturating_sub(MOST_OUTPUT));
                let mut pen = Pen::default();
                let lines = text.get(from..).unwrap_or_default().lines();
                let lines: Vec<OutputLine> =
                    lines.map(|line| OutputLine { line: pen.line(line), source: Source::Output }).collect();
                view.extend(lines, Vec::new(), 0);
            }
        }
        self.output = view;
        self.output_of = Some((position, mark));
    }

    /// What the code that is shown changes in the buggy tree, with one file in another text.
    pub fn edited(&self, path: &str, text: &[u8]) -> crate::harness::Changes {
        let mut changes = crate::harness::Changes::new();
        // Against the reference the turn's own code stands on the old side.
        if let Some(loaded) = &self.change.loaded {
            let files = &loaded.task.files;
            let (own, other) = match self.change.against {
                Against::Reference => (&files.buggy, &files.reference),
                _ => (&files.reference, &files.buggy),
            };
            changes.extend(own.iter().map(|(path, content)| (path.clone(), Some(content.clone()))));
            let gone = other.keys().filter(|path| !own.contains_key(*path));
            changes.extend(gone.map(|path| (path.clone(), None)));
        }
        changes.insert(path.to_owned(), Some(crate::task::Content::new(text.to_vec())));
        changes
    }

    /// The file that a person would edit: the one under the cursor of the change, else the first target.
    pub fn file_to_edit(&self) -> Option<(String, Vec<u8>, u32)> {
        let shown = self.change.loaded.as_ref().zip(self.change.view.as_ref()).and_then(|(loaded, view)| {
            let (file, _, line) = view.source_line().unwrap_or((0, crate::diff::Side::New, 0));
            let path = &loaded.diff.files.get(file as usize)?.path;
            let files = &loaded.task.files;
            let own = if self.change.against == Against::Reference { &files.buggy } else { &files.reference };
            Some((path.clone(), own.get(path)?.bytes().to_vec(), line + 1))
        });
        shown.or_else(|| {
            let tree = self.task.buggy_tree();
            let path = self.task.targets.first().map(|target| target.file.as_str());
            let path = path.or_else(|| self.task.files.buggy.keys().next().map(String::as_str))?;
            Some((path.to_owned(), tree.get(path)?.bytes().to_vec(), 1))
        })
    }
}

/// A request to look something up.
pub fn ask(ticket: u64, look: Look) -> Cmd {
    Cmd::Repair { ticket, ask: Box::new(Ask::Look(look)) }
}
