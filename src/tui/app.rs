//! The workbench's state, and what every message does to it.
//!
//! Promises: no I/O, no clock, no thread: `update(Msg) -> Vec<Cmd>` and `view(&App, …)`. Keys go to the top
//! overlay, then the screen, then everywhere. Leaves to others: carrying out commands (`runtime`, `run`), what
//! screens do (`screens`).

use super::msg::{Cmd, JobResult, Mouse, Msg, Said};
use super::overlays::palette::{Choice, Entry, Palette};
use super::overlays::reader::Reader;
use super::overlays::{Overlay, Wish, help};
use super::screens::task::{self, TaskScreen};
use super::screens::tasks::{self, Tasks};
use super::screens::{Context, Go, Outcome};
use super::widgets::ascii;
use super::widgets::canvas::Canvas;
use super::widgets::diff_view::{Choices, Layout};
use super::widgets::skin::Skin;
use crate::catalogue::Origin;
use crate::keymap::{self, Action, Hint, Key, Keymap, Lookup};
use crate::text;
use crate::theme::{Appearance, ColourDepth, Role, Theme};
use ratatui::buffer::Buffer;
use std::sync::Arc;

/// What the workbench is started with.
pub struct Setup {
    /// Where the tasks come from.
    pub origin: Origin,
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
    overlays: Vec<Overlay>,
    pending: Vec<Key>,
    status: Option<Said>,
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
            ctx: Context::new(skin, setup.origin),
            keymap: setup.keymap,
            themes: setup.themes,
            theme: setup.theme,
            appearance,
            depth: setup.depth,
            unicode: setup.unicode,
            screen: Screen::Tasks,
            tasks: Tasks::new(setup.preview).with_filter(&setup.filter),
            task: TaskScreen::new(setup.choices),
            overlays: Vec::new(),
            pending: Vec::new(),
            status: setup.notice.map(Said::error),
            mouse: false,
            size,
        };
        app.layout();
        app
    }

    /// What a message does.
    pub fn update(&mut self, msg: Msg) -> Vec<Cmd> {
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
                self.tasks.set_table(progress, &mut self.ctx)
            }
            Msg::TableFailed(why) => {
                if self.tasks.has_tasks() {
                    self.status = Some(Said::error(why.clone()));
                }
                self.tasks.fail(why);
                Vec::new()
            }
            Msg::Done { ticket, result } => self.done(ticket, *result),
            Msg::Timer(number) => self.tasks.timer(number, &mut self.ctx).unwrap_or_default(),
            Msg::Said(said) => {
                self.status = Some(said);
                Vec::new()
            }
            Msg::Resumed => vec![Cmd::Redraw],
        };
        commands.extend(self.layout());
        commands
    }

    fn done(&mut self, ticket: u64, mut result: JobResult) -> Vec<Cmd> {
        if let Some(commands) = self.task.done(ticket, &result, &mut self.ctx) {
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
        self.tasks.resize(width, body, &mut self.ctx)
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        use keymap::Context as C;
        match self.overlays.last() {
            Some(Overlay::Palette(_)) => return vec![C::Palette],
            Some(Overlay::Help(_)) => return vec![C::Help, C::Global],
            Some(Overlay::Reader(_)) => return vec![C::Message, C::Global],
            None => {}
        }
        match self.screen {
            Screen::Tasks if self.tasks.is_typing() => vec![C::Filter],
            Screen::Task if self.task.is_typing() => vec![C::Filter],
            Screen::Tasks => vec![C::Tasks, C::Global],
            Screen::Task if self.task.shows_diff() => vec![C::Diff, C::Task, C::Global],
            Screen::Task => vec![C::Text, C::Task, C::Global],
        }
    }

    fn key(&mut self, key: Key) -> Vec<Cmd> {
        self.status = None;
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
            };
        }
        if typing {
            let handled = match self.screen {
                Screen::Tasks => self.tasks.typed(key, action, &mut self.ctx),
                Screen::Task => self.task.typed(key, action).then(Vec::new),
            };
            if self.screen == Screen::Tasks && self.tasks.is_typing() {
                self.status = self.tasks.filter_error().map(Said::error);
            }
            return handled.unwrap_or_default();
        }
        match action {
            Some(action) => self.act(action),
            None => Vec::new(),
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
            // Pasted text is never taken for keys.
            _ => {
                self.status = Some(Said::info("pasted text goes into a filter or search: press / first"));
                Vec::new()
            }
        }
    }

    fn mouse(&mut self, mouse: Mouse) -> Vec<Cmd> {
        let (width, height) = self.size;
        match mouse {
            Mouse::Wheel { down, x, y } => {
                if let Some(overlay) = self.overlays.last_mut() {
                    overlay.wheel(down);
                    return Vec::new();
                }
                match self.screen {
                    Screen::Task => {
                        self.task.wheel(down);
                        Vec::new()
                    }
                    Screen::Tasks => {
                        let body = (x, y.saturating_sub(1));
                        let in_list =
                            tasks::list_row(&self.tasks, &self.ctx, body, (width, height.saturating_sub(2)))
                                .is_some();
                        let action = match (in_list, down) {
                            (true, true) => Action::CursorDown,
                            (true, false) => Action::CursorUp,
                            (false, true) => Action::PreviewDown,
                            (false, false) => Action::PreviewUp,
                        };
                        self.act(action)
                    }
                }
            }
            Mouse::Press { x, y } => {
                self.pending.clear();
                if self.overlays.pop().is_some() || y == 0 {
                    return Vec::new();
                }
                match self.screen {
                    Screen::Task => {
                        self.task.click(x, y - 1);
                        Vec::new()
                    }
                    Screen::Tasks => {
                        let row = tasks::list_row(
                            &self.tasks,
                            &self.ctx,
                            (x, y - 1),
                            (width, height.saturating_sub(2)),
                        );
                        match row {
                            Some(row) => {
                                let outcome = self.tasks.click(row, &mut self.ctx);
                                self.follow(outcome)
                            }
                            None => Vec::new(),
                        }
                    }
                }
            }
        }
    }

    /// Carries out an action: the screen first, then what works everywhere.
    fn act(&mut self, action: Action) -> Vec<Cmd> {
        let outcome = match self.screen {
            Screen::Tasks => self.tasks.act(action, &mut self.ctx),
            Screen::Task => self.task.act(action, &mut self.ctx),
        };
        if outcome.handled {
            return self.follow(outcome);
        }
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
            Action::GotoTasks => self.screen = Screen::Tasks,
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
            Some(Go::Tasks) => self.screen = Screen::Tasks,
            Some(Go::OpenTask) => {
                let known = self.tasks.previewed().cloned();
                if let Some(key) = self.tasks.current().map(|summary| summary.key) {
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

    /// Draws everything.
    pub fn view(&self, buffer: &mut Buffer) {
        self.draw(buffer);
        if !self.unicode {
            ascii::reduce(buffer);
        }
    }

    fn draw(&self, buffer: &mut Buffer) {
        let area = buffer.area;
        let mut canvas = Canvas::new(buffer, area);
        canvas.clear(self.ctx.skin.style(Role::Text));
        let (width, height) = (canvas.width(), canvas.height());
        if width < SMALLEST.0 || height < SMALLEST.1 {
            let needs = format!("mendbench needs {} columns and {} rows", SMALLEST.0, SMALLEST.1);
            for (y, line) in (0..height).zip(text::wrap(&needs, usize::from(width.max(1)))) {
                canvas.print(0, y, &line, self.ctx.skin.style(Role::Text), width);
            }
            return;
        }
        self.draw_header(&mut canvas.part(0, 0, width, 1));
        let mut body = canvas.part(0, 1, width, height - 2);
        match self.screen {
            Screen::Tasks => tasks::draw(&self.tasks, &self.ctx, &mut body),
            Screen::Task => task::draw(&self.task, &self.ctx, &mut body),
        }
        // A message that needs more than one row covers the end of the body.
        let foot = (self.status_lines().len() as u16).clamp(1, height - 1);
        let mut area = canvas.part(0, height - foot, width, foot);
        if foot > 1 {
            area.clear(self.ctx.skin.style(Role::Footer));
        }
        self.draw_footer(&mut area);
        for overlay in &self.overlays {
            overlay.draw(&mut canvas, &self.ctx.skin);
        }
        if !self.pending.is_empty() {
            help::draw_continuations(
                &mut canvas,
                &self.ctx.skin,
                &self.keymap,
                &self.contexts(),
                &self.pending,
            );
        }
    }

    fn draw_header(&self, canvas: &mut Canvas<'_>) {
        let skin = &self.ctx.skin;
        let width = canvas.width();
        canvas.style_row(0, skin.style(Role::Header));
        // The open task in the list; a filter may have left it out meanwhile.
        let listed = self.tasks.current().filter(|summary| Some(summary.key) == self.task.key());
        let right = match self.screen {
            Screen::Tasks => tasks::header(&self.tasks),
            Screen::Task if listed.is_some() => {
                let (number, all) = self.tasks.position();
                format!("{number} of {all}")
            }
            Screen::Task => "not in the list".to_owned(),
        };
        let right_width = (text::width(&right) as u16).min(width / 2);
        let room = width.saturating_sub(right_width + 3);
        let mut x = canvas.print(1, 0, "mendbench", skin.over(Role::Header, Role::Accent), room);
        let mut crumbs = vec![self.ctx.origin.label.clone()];
        if self.screen == Screen::Task {
            crumbs.extend(self.task.id().or(listed.map(|summary| summary.id)).map(str::to_owned));
        }
        for crumb in crumbs {
            if x + 4 >= room {
                break;
            }
            x = canvas.print(x + 1, 0, skin.glyphs.crumb, skin.over(Role::Header, Role::TextDim), 1);
            x = canvas.print(x + 1, 0, &crumb, skin.style(Role::Header), room.saturating_sub(x));
        }
        canvas.print_end(0, 0, &right, skin.over(Role::Header, Role::Count), width.saturating_sub(1));
    }

    /// Whether an action would do something now: others are not hinted at.
    fn means_something(&self, action: Action) -> bool {
        if !self.overlays.is_empty() {
            return true;
        }
        match self.screen {
            Screen::Tasks => self.tasks.means_something(action),
            Screen::Task => self.task.means_something(action),
        }
    }

    /// What there is to tell, on as many rows as it needs, but no more than a third of the screen.
    fn status_lines(&self) -> Vec<String> {
        let Some(said) = &self.status else { return Vec::new() };
        let (width, height) = self.size;
        let mut lines = text::wrap(&said.text, usize::from(width.saturating_sub(2).max(1)));
        lines.truncate(usize::from(height / 3).max(1));
        lines
    }

    fn draw_footer(&self, canvas: &mut Canvas<'_>) {
        let skin = &self.ctx.skin;
        let width = canvas.width();
        canvas.style_row(0, skin.style(Role::Footer));
        if let Some(said) = &self.status {
            let role = if said.is_error { Role::StatusError } else { Role::StatusInfo };
            for (y, line) in self.status_lines().iter().enumerate() {
                canvas.style_row(y as u16, skin.style(Role::Footer));
                canvas.print(1, y as u16, line, skin.over(Role::Footer, role), width.saturating_sub(2));
            }
            return;
        }
        let mut x = 1;
        for Hint { key, label, .. } in
            self.keymap.footer(&self.contexts(), |action| self.means_something(action))
        {
            let wide = (text::width(&key) + text::width(label) + 1) as u16;
            if x + wide + 1 > width {
                continue;
            }
            x = canvas.print(x, 0, &key, skin.over(Role::Footer, Role::FooterKey), wide);
            x = canvas.print(x + 1, 0, label, skin.style(Role::Footer), wide) + 2;
        }
    }
}

fn skin(themes: &[Theme], number: usize, depth: ColourDepth, unicode: bool) -> Skin {
    themes
        .get(number)
        .map_or_else(|| Skin::plain(unicode), |theme| Skin::new(&theme.quantise(depth), unicode))
}
