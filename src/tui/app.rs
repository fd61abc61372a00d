//! The workbench's state, and what every message does to it.
//!
//! Promises: no I/O, no clock, no thread: `update(Msg) -> Vec<Cmd>` and `view(&App, …)`. Keys go to the top
//! overlay, then the screen, then everywhere. Leaves to others: carrying out commands (`runtime`, `run`), what
//! screens do (`screens`).

mod draw;
mod launch;
mod message;
mod mouse;
mod study;

use super::msg::repair::{LaunchChoice, ModelChoice};
use super::msg::{Cmd, JobResult, Msg, Said};
use super::overlays::palette::{Choice, Entry, Palette};
use super::overlays::reader::Reader;
use super::overlays::{Overlay, Wish, help};
use super::screens::repair::RepairScreen;
use super::screens::runs::RunsScreen;
use super::screens::task::TaskScreen;
use super::screens::tasks::Tasks;
use super::screens::{Context, Go, Outcome, Place};
use super::widgets::diff_view::{Choices, Layout};
use super::widgets::skin::Skin;
use crate::catalogue::Origin;
use crate::keymap::{self, Action, Key, Keymap, Lookup};
use crate::label::codebook::Codebook;
use crate::task::Task;
use crate::theme::{Appearance, ColourDepth, Theme};
use std::sync::Arc;

/// What the workbench is started with.
pub struct Setup {
    /// Where the tasks come from.
    pub origin: Origin,
    /// The folder of the workspace, for commands that are shown.
    pub workspace: Option<String>,
    /// Keys.
    pub keymap: Arc<Keymap>,
    /// All themes, and the number of the one to start with.
    pub themes: Vec<Theme>,
    /// Number of the theme to start with.
    pub theme: usize,
    /// Colours that the terminal shows.
    pub depth: ColourDepth,
    /// Whether the terminal shows Unicode.
    pub unicode: bool,
    /// A filter typed already.
    pub filter: String,
    /// Whether the list shows a preview.
    pub preview: bool,
    /// How differences are shown at first.
    pub choices: Choices,
    /// Something to tell at the start.
    pub notice: Option<String>,
    /// Models that a task can be repaired with.
    pub models: Vec<ModelChoice>,
    /// Codebooks that a round can be made with.
    pub codebooks: Vec<Codebook>,
}

/// The choices that the settings `layout` and `wrap` stand for.
pub fn choices(layout: &str, wrap: bool) -> Choices {
    let layout = match layout {
        "unified" => Layout::Unified,
        "side-by-side" => Layout::SideBySide,
        _ => Layout::Auto,
    };
    Choices { layout, wrap, whole_file: false }
}

/// The screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Tasks,
    Task,
    Repair,
    Runs,
    Study(Place),
}

/// The state.
pub struct App {
    ctx: Context,
    keymap: Arc<Keymap>,
    themes: Vec<Theme>,
    theme: usize,
    /// What the first theme was made for, and so the terminal is.
    appearance: Appearance,
    depth: ColourDepth,
    unicode: bool,
    screen: Screen,
    tasks: Tasks,
    task: TaskScreen,
    repair: RepairScreen,
    runs: RunsScreen,
    studies: study::Studies,
    /// The screen of a study from which the task was opened.
    task_from: Option<Place>,
    /// Where the Repair screen was opened from.
    came_from: Screen,
    models: Vec<ModelChoice>,
    /// How a task was repaired last.
    choice: Option<LaunchChoice>,
    /// A task that is to be repaired as the last time, while that is looked up: the ticket, and the task.
    repeating: Option<(u64, Arc<Task>)>,
    /// A task that is read to be repaired: its ticket, and whether the sheet is shown first.
    launching: (u64, bool),
    overlays: Vec<Overlay>,
    pending: Vec<Key>,
    status: Option<Said>,
    /// Number of the timer that ends the message; 0: none.
    message_timer: u64,
    mouse: bool,
    size: (u16, u16),
}

/// Smallest terminal in which a screen is drawn.
pub const SMALLEST: (u16, u16) = (20, 5);

impl App {
    /// The state at the start, for a terminal of this size.
    pub fn new(setup: Setup, size: (u16, u16)) -> App {
        let skin = skin(&setup.themes, setup.theme, setup.depth, setup.unicode);
        let appearance = setup.themes.get(setup.theme).map_or(Appearance::Any, |theme| theme.appearance);
        let mut app = App {
            ctx: Context::new(skin, setup.origin).beside(setup.workspace),
            keymap: setup.keymap,
            themes: setup.themes,
            theme: setup.theme,
            appearance,
            depth: setup.depth,
            unicode: setup.unicode,
            screen: Screen::Tasks,
            tasks: Tasks::new(setup.preview).with_filter(&setup.filter),
            task: TaskScreen::new(setup.choices),
            repair: RepairScreen::new(setup.choices),
            runs: RunsScreen::default(),
            studies: study::Studies::new(setup.choices, setup.codebooks),
            task_from: None,
            came_from: Screen::Tasks,
            models: setup.models,
            choice: None,
            repeating: None,
            launching: (0, true),
            overlays: Vec::new(),
            pending: Vec::new(),
            status: setup.notice.map(Said::error),
            message_timer: 0,
            mouse: false,
            size,
        };
        app.layout();
        app
    }

    /// What could not be written, stands there and is lost when the workbench is left now, in words.
    pub fn unsaved(&self) -> Option<String> {
        self.studies.unsaved()
    }

    /// What a message does.
    pub fn update(&mut self, msg: Msg) -> Vec<Cmd> {
        // A key makes room for a message of its own, also for the same one.
        let before = self.status.clone().filter(|_| !matches!(msg, Msg::Key(_)));
        let mut commands = match msg {
            Msg::Key(key) => self.key(key),
            Msg::Paste(text) => self.paste(&text),
            Msg::Resize(width, height) => {
                self.size = (width, height);
                Vec::new()
            }
            Msg::Mouse(mouse) => self.mouse(mouse),
            Msg::Table(progress) => {
                if let Some(notice) = &progress.notice {
                    self.status = Some(Said::info(notice.clone()));
                }
                self.ctx.set_tasks(progress.table.clone(), progress.complete);
                let mut commands = self.tasks.set_table(progress, &mut self.ctx);
                commands.extend(self.studies.tasks_changed(&mut self.ctx));
                commands
            }
            Msg::TableFailed(why) => {
                if self.tasks.has_tasks() {
                    self.status = Some(Said::error(why.clone()));
                }
                self.tasks.fail(why);
                self.ctx.tasks_end();
                self.studies.tasks_changed(&mut self.ctx)
            }
            Msg::Done { ticket, result } => self.done(ticket, *result),
            Msg::Timer(number) if self.message_ends(number) => Vec::new(),
            Msg::Timer(number) => match self.repair.timer(number, &mut self.ctx) {
                Some(commands) => commands,
                None => match self.study_timer(number) {
                    Some(commands) => commands,
                    None => self.tasks.timer(number, &mut self.ctx).unwrap_or_default(),
                },
            },
            Msg::Edited { ticket, text } => match self.repair.edited(ticket, &text) {
                Some((commands, said)) => {
                    self.status = Some(said);
                    commands
                }
                None => Vec::new(),
            },
            Msg::Said(said) => {
                self.status = Some(said);
                Vec::new()
            }
            Msg::Resumed => vec![Cmd::Redraw],
        };
        commands.extend(self.layout());
        commands.extend(self.limit_message(before));
        commands
    }

    fn done(&mut self, ticket: u64, mut result: JobResult) -> Vec<Cmd> {
        if let Some(commands) = self.studies.done(ticket, &mut result, &mut self.ctx) {
            return commands;
        }
        if let JobResult::Repair(told) = &mut result {
            return self.told(ticket, told);
        }
        if let JobResult::Study(told) = &mut result {
            return self.study_told(ticket, told);
        }
        if ticket == self.launching.0
            && let JobResult::Loaded(loaded) = &result
        {
            return self.loaded_to_launch(loaded);
        }
        if let Some(commands) = self.task.done(ticket, &mut result, &mut self.ctx) {
            // What was waited for begins, so it need not be told any more.
            if commands.iter().any(|command| matches!(command, Cmd::Verify { .. })) {
                self.status = None;
            }
            return commands;
        }
        self.tasks.done(ticket, &mut result, &mut self.ctx).unwrap_or_default()
    }

    /// Tells every part its size.
    fn layout(&mut self) -> Vec<Cmd> {
        let (width, height) = self.size;
        let body = height.saturating_sub(2);
        for overlay in &mut self.overlays {
            overlay.layout(width, height);
        }
        self.task.resize(width, body);
        self.repair.resize(width, body);
        self.runs.resize(width, body);
        let mut commands = self.studies.resize(width, body, &mut self.ctx);
        commands.extend(self.tasks.resize(width, body, &mut self.ctx));
        commands
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        use keymap::Context as C;
        match self.overlays.last() {
            Some(Overlay::Palette(_)) => return vec![C::Palette],
            Some(Overlay::Help(_)) => return vec![C::Help, C::Global],
            Some(Overlay::Reader(_)) => return vec![C::Message, C::Global],
            Some(Overlay::Launch(_)) => return vec![C::Launch, C::Global],
            None => {}
        }
        match self.screen {
            Screen::Tasks if self.tasks.is_typing() => vec![C::Filter],
            Screen::Task if self.task.is_typing() => vec![C::Filter],
            Screen::Repair if self.repair.is_typing() => vec![C::Filter],
            Screen::Runs if self.runs.is_typing() => vec![C::Filter],
            Screen::Study(place) if self.studies.part(place).is_typing() => vec![C::Filter],
            Screen::Study(place) => {
                let mut contexts = self.studies.part(place).contexts();
                contexts.push(C::Global);
                contexts
            }
            Screen::Repair => vec![C::Repair, C::Global],
            Screen::Runs => vec![C::Runs, C::Global],
            Screen::Tasks => vec![C::Tasks, C::Global],
            Screen::Task if self.task.shows_diff() => vec![C::Diff, C::Task, C::Global],
            Screen::Task if self.task.shows_tests() => vec![C::Tests, C::Task, C::Global],
            Screen::Task => vec![C::Text, C::Task, C::Global],
        }
    }

    fn key(&mut self, key: Key) -> Vec<Cmd> {
        self.status = None;
        // Where nothing is drawn no key does anything but leave.
        let (width, height) = self.size;
        if width < SMALLEST.0 || height < SMALLEST.1 {
            self.pending.clear();
            let leaves =
                self.keymap.lookup(&[keymap::Context::Global], &[], key) == Lookup::Hit(Action::Quit);
            return if leaves { vec![Cmd::Quit] } else { Vec::new() };
        }
        let mut commands = match self.screen {
            Screen::Study(place) => self.studies.part_mut(place).pressed(key, &mut self.ctx),
            _ => Vec::new(),
        };
        commands.extend(self.looked_up(key));
        commands
    }

    /// What a key stands for where one is.
    fn looked_up(&mut self, key: Key) -> Vec<Cmd> {
        let contexts = self.contexts();
        let typing = contexts.iter().any(|context| context.is_typing());
        let action = match self.keymap.lookup(&contexts, &self.pending, key) {
            Lookup::Hit(action) => {
                self.pending.clear();
                Some(action)
            }
            Lookup::Pending => {
                self.pending.push(key);
                return Vec::new();
            }
            Lookup::None => {
                let was_pending = !std::mem::take(&mut self.pending).is_empty();
                if was_pending {
                    return Vec::new();
                }
                None
            }
        };
        if let Some(overlay) = self.overlays.last_mut() {
            return match overlay.key(key, action) {
                Wish::Stay => Vec::new(),
                Wish::Close => {
                    self.overlays.pop();
                    Vec::new()
                }
                Wish::Act(action) => {
                    self.overlays.pop();
                    self.act(action)
                }
                Wish::Theme(name) => {
                    self.overlays.pop();
                    self.take_theme(&name);
                    Vec::new()
                }
                Wish::Aside(action) => self.everywhere(action),
                Wish::Preview => self.preview(),
                Wish::Start(task, choice) => {
                    self.overlays.pop();
                    self.start(task, choice)
                }
            };
        }
        if typing {
            let handled = match self.screen {
                Screen::Tasks => self.tasks.typed(key, action, &mut self.ctx),
                Screen::Task => self.task.typed(key, action).then(Vec::new),
                Screen::Repair => {
                    let (commands, said) = self.repair.typed(key, action);
                    self.status = said;
                    Some(commands)
                }
                Screen::Runs => {
                    self.runs.typed(key, action);
                    None
                }
                Screen::Study(place) => Some(self.study_typed(place, key, action)),
            };
            if self.screen == Screen::Tasks && self.tasks.is_typing() {
                self.status = self.tasks.filter_error().map(Said::error);
            }
            return handled.unwrap_or_default();
        }
        match action {
            Some(action) => self.act(action),
            None => self.other_key(key),
        }
    }

    fn paste(&mut self, pasted: &str) -> Vec<Cmd> {
        self.pending.clear();
        if self.overlays.last_mut().is_some_and(|overlay| overlay.paste(pasted)) {
            return Vec::new();
        }
        let screen = self.overlays.is_empty().then_some(self.screen);
        match screen {
            Some(Screen::Tasks) if self.tasks.is_typing() => self.tasks.paste(pasted, &mut self.ctx),
            Some(Screen::Task) if self.task.is_typing() => {
                self.task.paste(pasted);
                Vec::new()
            }
            Some(Screen::Repair) if self.repair.is_typing() => {
                self.repair.paste(pasted);
                Vec::new()
            }
            Some(Screen::Runs) if self.runs.is_typing() => {
                self.runs.paste(pasted);
                Vec::new()
            }
            Some(Screen::Study(place)) if self.studies.part(place).is_typing() => {
                self.studies.part_mut(place).paste(pasted, &mut self.ctx)
            }
            // Pasted text is never taken for keys.
            _ => {
                self.status = Some(Said::info("pasted text goes into a filter or search: press / first"));
                Vec::new()
            }
        }
    }

    /// Carries out an action: the screen first, then what works everywhere.
    fn act(&mut self, action: Action) -> Vec<Cmd> {
        let outcome = match self.screen {
            Screen::Tasks => self.tasks.act(action, &mut self.ctx),
            Screen::Task => self.task.act(action, &mut self.ctx),
            Screen::Repair => self.repair.act(action, &mut self.ctx),
            Screen::Runs => self.runs.act(action, &mut self.ctx),
            Screen::Study(place) => self.studies.part_mut(place).act(action, &mut self.ctx),
        };
        if outcome.handled {
            return self.follow(outcome);
        }
        self.everywhere(action)
    }

    /// What works on every screen.
    fn everywhere(&mut self, action: Action) -> Vec<Cmd> {
        match action {
            Action::Quit => return vec![Cmd::Quit],
            Action::Help => {
                let blocks = help::blocks(&self.keymap, &self.contexts());
                self.overlays.push(Overlay::Help(Reader::of_keys("Keys", blocks)));
            }
            Action::Palette => self.overlays.push(Overlay::Palette(Palette::new(self.palette()))),
            Action::ShowSkipped => {
                let blocks = help::skipped(self.tasks.skips(), self.tasks.failure());
                self.overlays.push(Overlay::Reader(Reader::new("Skipped while reading", blocks)));
            }
            Action::ThemeNext => {
                if let Some(name) = self.next_theme() {
                    self.take_theme(&name);
                }
            }
            Action::ToggleMouse => {
                self.mouse = !self.mouse;
                let state = if self.mouse {
                    "the mouse belongs to mendbench; hold Shift to select text"
                } else {
                    "the mouse belongs to the terminal"
                };
                self.status = Some(Said::info(state));
                return vec![Cmd::CaptureMouse(self.mouse)];
            }
            Action::Redraw => return vec![Cmd::Redraw],
            Action::Reload => {
                self.tasks.reload();
                self.status = Some(Said::info(format!("reading {} anew", self.ctx.origin.label)));
                return vec![Cmd::ReadList];
            }
            Action::Suspend => return vec![Cmd::Suspend],
            Action::Launch | Action::LaunchAgain => return self.launch(action == Action::Launch),
            Action::GotoRepair if self.repair.is_open() => self.go_to_repair(),
            Action::GotoRepair => {
                self.status = Some(Said::info("nothing was repaired yet; r on a task does"))
            }
            Action::GotoRuns => {
                self.screen = Screen::Runs;
                return self.runs.open(&mut self.ctx);
            }
            Action::GotoAnnotate => return self.go_to_study(Place::Annotate, None),
            Action::GotoDiscuss => return self.go_to_study(Place::Discuss, None),
            Action::GotoAgreement => return self.go_to_study(Place::Agreement, None),
            Action::GotoRounds => return self.go_to_study(Place::Rounds, None),
            Action::GotoTasks => {
                self.screen = Screen::Tasks;
                return vec![self.tasks.ask_for_labels(false, &mut self.ctx)];
            }
            Action::GotoTask => match self.task.key() {
                // Next and previous start from this task, so the list goes along.
                Some(key) => {
                    self.screen = Screen::Task;
                    return self.tasks.select(key, &mut self.ctx);
                }
                None => self.status = Some(Said::info("no task was opened yet; Enter opens one")),
            },
            Action::Back => self.status = Some(Said::info("q leaves mendbench")),
            _ => {}
        }
        Vec::new()
    }

    fn follow(&mut self, outcome: Outcome) -> Vec<Cmd> {
        let mut commands = outcome.commands;
        if let Some(said) = outcome.said {
            self.status = Some(said);
        }
        match outcome.go {
            None => {}
            // A task that was opened from a study leads back there.
            Some(Go::Tasks) if self.screen == Screen::Task && self.task_from.is_some() => {
                if let Some(place) = self.task_from.take() {
                    self.screen = Screen::Study(place);
                }
            }
            Some(Go::Tasks) => {
                self.screen = Screen::Tasks;
                commands.push(self.tasks.ask_for_labels(false, &mut self.ctx));
            }
            Some(Go::Study(place, round)) => commands.extend(self.go_to_study(place, round)),
            Some(Go::TaskNamed(name)) => commands.extend(self.open_task_named(&name)),
            Some(Go::Back) => {
                self.screen = self.came_from;
                if self.screen == Screen::Runs {
                    commands.extend(self.runs.open(&mut self.ctx));
                }
            }
            Some(Go::Trajectory { run, trajectory }) => {
                commands.extend(self.repair.open(run, trajectory, &mut self.ctx));
                self.go_to_repair();
            }
            Some(Go::OpenTask) => {
                let known = self.tasks.previewed().cloned();
                if let Some(key) = self.tasks.current().map(|summary| summary.key) {
                    self.task_from = None;
                    self.screen = Screen::Task;
                    commands.extend(self.task.open(key, known, &mut self.ctx));
                }
            }
            Some(Go::Neighbour(step)) => match self.tasks.neighbour(step, &mut self.ctx) {
                Some((key, more)) => {
                    commands.extend(more);
                    commands.extend(self.task.open(key, None, &mut self.ctx));
                }
                None => {
                    let which = if step > 0 { "last" } else { "first" };
                    self.status = Some(Said::info(format!("this is the {which} task of the list")));
                }
            },
        }
        commands
    }

    /// The next theme made for terminals like this one: a light theme on a dark terminal could not be read. The
    /// palette offers all.
    fn next_theme(&self) -> Option<String> {
        let fits = |theme: &&Theme| {
            self.appearance == Appearance::Any
                || theme.appearance == Appearance::Any
                || theme.appearance == self.appearance
        };
        let after = self.themes.iter().skip(self.theme + 1);
        after.chain(&self.themes).find(fits).map(|theme| theme.name.clone())
    }

    fn take_theme(&mut self, name: &str) {
        if let Some(number) = self.themes.iter().position(|theme| theme.name == name) {
            self.theme = number;
            self.ctx.skin = skin(&self.themes, number, self.depth, self.unicode);
            self.status = Some(Said::info(format!("theme {name}")));
        }
    }

    fn palette(&self) -> Vec<Entry> {
        let contexts = self.contexts();
        let mut entries: Vec<Entry> = self
            .keymap
            .commands(&contexts)
            .into_iter()
            .map(|command| Entry {
                label: command.action.description().to_owned(),
                remark: command.key.unwrap_or_default(),
                choice: Choice::Act(command.action),
            })
            .collect();
        entries.extend(self.themes.iter().map(|theme| Entry {
            label: format!("Theme: {}", theme.name),
            remark: theme.title.clone(),
            choice: Choice::Theme(theme.name.clone()),
        }));
        entries
    }
}

fn skin(themes: &[Theme], number: usize, depth: ColourDepth, unicode: bool) -> Skin {
    themes
        .get(number)
        .map_or_else(|| Skin::plain(unicode), |theme| Skin::new(&theme.quantise(depth), unicode))
}
