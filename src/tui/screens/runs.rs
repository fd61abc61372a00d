//! The list of runs, and of the trajectories of one.
//!
//! Promises: newest first; every count stands beside its n, and failures of the infrastructure stand apart from those of
//! the model; keys that come before the list does are not lost; a list that is read anew keeps the cursor on its row.
//! Leaves to others: reading them (`runtime::shelf`), their columns (`table`), showing one (`screens::repair`).

mod table;

use super::{Context, Go, Outcome};
use crate::keymap::{Action, Key};
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::msg::repair::{Ask, RunRow, Told, TrajectoryRow};
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::{Edit, Input};
use crate::tui::widgets::numbers::page_step;
use crate::tui::widgets::{field, panel};
use table::{
    row, run_cells, run_columns, trajectory_cells, trajectory_columns, when, words_of_run,
    words_of_trajectory,
};
use uuid::Uuid;

/// Rows above the list: a title, a blank, the columns' names.
const ABOVE: u16 = 3;

/// Most keys that wait for a list.
const MOST_EARLY: usize = 8;

/// A cursor in rows.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    cursor: usize,
    top: usize,
}

impl Place {
    fn go(&mut self, to: usize, count: usize, height: usize) {
        self.cursor = to.min(count.saturating_sub(1));
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height.max(1)));
    }
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct RunsScreen {
    rows: Vec<RunRow>,
    /// The run whose trajectories are shown.
    inside: Option<Uuid>,
    trajectories: Vec<TrajectoryRow>,
    /// Rows that pass the filter.
    shown: Vec<usize>,
    runs_at: Place,
    inside_at: Place,
    filter: Input,
    typing: bool,
    ticket: u64,
    /// A list is on its way, and what is shown meanwhile is not it.
    awaited: bool,
    /// What was pressed since: it is meant for the list that comes.
    early: Vec<Action>,
    /// The cursor stays on the first row, whichever run that is then.
    at_first: bool,
    read: bool,
    failure: Option<String>,
    size: (u16, u16),
}

impl RunsScreen {
    /// Comes to the list, which is read anew: whoever left it on its first row means the newest run.
    pub fn open(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.at_first = self.place().cursor == 0;
        self.awaited = !self.read;
        self.early.clear();
        self.reload(ctx)
    }

    fn reload(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.ticket = ctx.ticket();
        let ask = match self.inside {
            Some(run) => Ask::Trajectories(run),
            None => Ask::Runs,
        };
        vec![Cmd::Repair { ticket: self.ticket, ask: Box::new(ask) }]
    }

    /// The run, or the trajectory, under the cursor.
    fn under_cursor(&mut self) -> Option<Uuid> {
        let at = self.place().cursor;
        let index = *self.shown.get(at)?;
        match self.inside {
            Some(_) => self.trajectories.get(index).map(|row| row.head.id),
            None => self.rows.get(index).map(|row| row.id),
        }
    }

    /// Puts the cursor where this one is now.
    fn find(&mut self, wanted: Uuid) {
        let is = |index: &usize| match self.inside {
            Some(_) => self.trajectories.get(*index).is_some_and(|row| row.head.id == wanted),
            None => self.rows.get(*index).is_some_and(|row| row.id == wanted),
        };
        if let Some(at) = self.shown.iter().position(is) {
            let (count, height) = (self.shown.len(), self.height());
            self.place().go(at, count, height);
        }
    }

    /// The list has come, and what was pressed before is done; `None` if it was not asked for here.
    pub fn told(&mut self, ticket: u64, told: &mut Told, ctx: &mut Context) -> Option<Outcome> {
        if ticket != self.ticket || ticket == 0 {
            return None;
        }
        self.failure = None;
        let here = (self.inside, self.under_cursor());
        match told {
            Told::Runs(rows) => {
                self.rows = std::mem::take(rows);
                self.inside = None;
            }
            Told::Trajectories(run, rows) => {
                self.inside = Some(*run);
                self.trajectories = std::mem::take(rows);
            }
            Told::Refused(why) => self.failure = Some(why.clone()),
            _ => return None,
        }
        self.read = true;
        self.choose();
        let stays = !std::mem::take(&mut self.at_first);
        if let (inside, Some(wanted)) = here
            && stays
            && inside == self.inside
        {
            self.find(wanted);
        }
        self.awaited = false;
        let mut outcome = Outcome::done();
        let mut early = std::mem::take(&mut self.early).into_iter();
        // A key among them may ask for another list: those behind it wait for that.
        for action in early.by_ref() {
            outcome = self.act(action, ctx);
            if self.awaited {
                break;
            }
        }
        self.early.extend(early);
        Some(outcome)
    }

    fn height(&self) -> usize {
        usize::from(self.size.1.saturating_sub(ABOVE + u16::from(self.typing)))
    }

    fn place(&mut self) -> &mut Place {
        if self.inside.is_some() { &mut self.inside_at } else { &mut self.runs_at }
    }

    /// The rows that pass the filter: each word must be in one of a row's words.
    fn choose(&mut self) {
        let wanted: Vec<String> = self.filter.text().split_whitespace().map(str::to_lowercase).collect();
        let passes = |words: String| wanted.iter().all(|word| words.contains(word));
        self.shown = match self.inside {
            None => self
                .rows
                .iter()
                .map(words_of_run)
                .enumerate()
                .filter(|(_, words)| passes(words.clone()))
                .map(|(at, _)| at)
                .collect(),
            Some(_) => {
                let rows = self.trajectories.iter().map(words_of_trajectory).enumerate();
                rows.filter(|(_, words)| passes(words.clone())).map(|(at, _)| at).collect()
            }
        };
        let (count, height) = (self.shown.len(), self.height());
        let place = self.place();
        place.go(place.cursor, count, height);
    }

    /// The screen's size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        let (count, height) = (self.shown.len(), self.height());
        let place = self.place();
        place.go(place.cursor, count, height);
    }

    /// Whether keys go into the filter.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// A paste into the filter.
    pub fn paste(&mut self, text: &str) {
        if self.filter.insert(text) {
            self.choose();
        }
    }

    /// A key while the filter is typed.
    pub fn typed(&mut self, key: Key, action: Option<Action>) {
        match action {
            Some(Action::Accept) => self.typing = false,
            Some(Action::Back) => {
                self.filter.clear();
                self.typing = false;
                self.choose();
            }
            _ => {
                if self.filter.key(key, action) == Edit::Changed {
                    self.choose();
                }
            }
        }
    }

    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        match action {
            Action::Open => !self.shown.is_empty(),
            Action::ClearFilter => !self.filter.text().is_empty(),
            _ => true,
        }
    }

    /// Carries out an action.
    pub fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        if self.awaited && waits(action) {
            if self.early.len() < MOST_EARLY {
                self.early.push(action);
            }
            return Outcome::done();
        }
        let (count, height) = (self.shown.len(), self.height());
        let step = page_step(u16::try_from(height).unwrap_or(u16::MAX), false);
        let place = self.place();
        let at = place.cursor;
        let to = match action {
            Action::CursorDown => at + 1,
            Action::CursorUp => at.saturating_sub(1),
            Action::PageDown => at.saturating_add_signed(step),
            Action::PageUp => at.saturating_add_signed(-step),
            Action::HalfPageDown => at.saturating_add_signed(step / 2),
            Action::HalfPageUp => at.saturating_add_signed(-step / 2),
            Action::First => 0,
            Action::Last => count,
            Action::Open => return self.enter(ctx),
            Action::Filter => {
                self.typing = true;
                return Outcome::done();
            }
            Action::ClearFilter => {
                self.filter.clear();
                self.choose();
                return Outcome::done();
            }
            Action::Reload => {
                self.at_first = false;
                return Outcome {
                    said: Some(Said::info("reading the runs anew")),
                    ..Outcome::commands(self.reload(ctx))
                };
            }
            Action::Back if !self.filter.text().is_empty() => {
                self.filter.clear();
                self.choose();
                return Outcome::done();
            }
            Action::Back if self.inside.is_some() => {
                self.inside = None;
                self.filter.clear();
                self.choose();
                return Outcome::done();
            }
            Action::Back => return Outcome::go(Go::Tasks),
            Action::CopyCommand => return self.copy(),
            _ => return Outcome::ignored(),
        };
        place.go(to, count, height);
        if to != at {
            self.at_first = false;
        }
        Outcome::done()
    }

    fn enter(&mut self, ctx: &mut Context) -> Outcome {
        let at = self.place().cursor;
        let Some(index) = self.shown.get(at).copied() else {
            return Outcome::said(Said::info("there is nothing to open"));
        };
        match self.inside {
            Some(run) => match self.trajectories.get(index) {
                Some(row) => Outcome::go(Go::Trajectory { run, trajectory: row.head.id }),
                None => Outcome::done(),
            },
            None => {
                let Some(row) = self.rows.get(index) else { return Outcome::done() };
                let run = row.id;
                self.filter.clear();
                self.inside_at = Place::default();
                self.ticket = ctx.ticket();
                (self.awaited, self.at_first) = (true, true);
                let ask = Ask::Trajectories(run);
                Outcome::commands(vec![Cmd::Repair { ticket: self.ticket, ask: Box::new(ask) }])
            }
        }
    }

    fn copy(&mut self) -> Outcome {
        let at = self.place().cursor;
        let index = self.shown.get(at).copied();
        let run = match self.inside {
            Some(run) => Some(run),
            None => index.and_then(|index| self.rows.get(index)).map(|row| row.id),
        };
        let Some(run) = run else { return Outcome::said(Said::info("there is no run")) };
        // A recording is known by its name alone.
        let recording = self.rows.iter().find(|row| row.id == run).and_then(|row| row.recording);
        let run = recording.map_or_else(|| run.to_string(), str::to_owned);
        let mut words = vec!["mendbench".to_owned(), "replay".to_owned(), run];
        let several = self.inside.is_some() && self.trajectories.len() > 1;
        if let Some(row) = index.filter(|_| several).and_then(|index| self.trajectories.get(index)) {
            let sample = row.head.sample.to_string();
            words.extend([row.head.task.to_string(), "--sample".to_owned(), sample]);
        }
        let joined = shlex::try_join(words.iter().map(String::as_str));
        Outcome::commands(vec![Cmd::Copy(joined.unwrap_or_else(|_| words.join(" ")))])
    }

    /// The words at the right end of the header.
    pub fn header(&self) -> String {
        let (shown, all) = match self.inside {
            Some(_) => (self.shown.len(), self.trajectories.len()),
            None => (self.shown.len(), self.rows.len()),
        };
        let what = match (self.inside, all) {
            (None, 1) => "run",
            (None, _) => "runs",
            (Some(_), 1) => "trajectory",
            (Some(_), _) => "trajectories",
        };
        if shown == all {
            format!("{} {what}", thousands(all))
        } else {
            format!("{} of {} {what}", thousands(shown), thousands(all))
        }
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        let (count, height) = (self.shown.len(), self.height());
        let place = self.place();
        let to = if down { place.cursor + 3 } else { place.cursor.saturating_sub(3) };
        place.go(to, count, height);
    }

    /// The mouse was pressed in the body.
    pub fn click(&mut self, y: u16) {
        let (count, height) = (self.shown.len(), self.height());
        let place = self.place();
        if let Some(row) =
            y.checked_sub(ABOVE).map(|row| place.top + usize::from(row)).filter(|row| *row < count)
        {
            place.go(row, count, height);
        }
    }

    /// Draws it.
    pub fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        let skin = &ctx.skin;
        if let Some(failure) = &self.failure {
            panel::message(canvas, skin, "The runs could not be read", failure, Role::StatusError);
            return;
        }
        if !self.read {
            panel::message(canvas, skin, "Reading the runs…", "", Role::TextDim);
            return;
        }
        if self.inside.is_none() && self.rows.is_empty() {
            let body = "r on a task starts one.";
            panel::message(canvas, skin, "No runs in this workspace yet", body, Role::TextDim);
            return;
        }
        let width = canvas.width();
        let columns = match self.inside {
            Some(_) => trajectory_columns(width),
            None => run_columns(width, self.rows.iter().any(|run| run.open() > 0)),
        };
        let title = match self.inside.and_then(|run| self.rows.iter().find(|row| row.id == run)) {
            Some(row) => format!("{} · {}", when(row), row.models.join(", ")),
            None if self.inside.is_some() => "Trajectories".to_owned(),
            None => "Runs, newest first".to_owned(),
        };
        canvas.print(1, 0, &title, skin.style(Role::Title), width.saturating_sub(2));
        if !self.filter.text().is_empty() && !self.typing {
            let filter = format!("/{}", self.filter.text());
            canvas.print_end(0, 0, &filter, skin.style(Role::Match), width.saturating_sub(1));
        }
        row(canvas, 2, &columns, &[], skin, false);
        let place = if self.inside.is_some() { self.inside_at } else { self.runs_at };
        for (y, (number, index)) in
            (ABOVE..ABOVE + self.height() as u16).zip(self.shown.iter().enumerate().skip(place.top))
        {
            let cells = match self.inside {
                Some(_) => self.trajectories.get(*index).map(trajectory_cells),
                None => self.rows.get(*index).map(run_cells),
            };
            let Some(cells) = cells else { continue };
            let here = number == place.cursor;
            if here {
                canvas.style_row(y, skin.style(Role::Selection));
                canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
            }
            row(canvas, y, &columns, &cells, skin, here);
        }
        if self.shown.is_empty() {
            canvas.print(1, ABOVE, "nothing passes the filter", skin.style(Role::TextDim), width);
        }
        if self.typing {
            let y = canvas.height().saturating_sub(1);
            let mut line = canvas.part(0, y, width, 1);
            field::draw(&mut line, skin, 0, "/", &self.filter, true, width.saturating_sub(2));
        }
    }
}

/// Whether an action is about the rows of the list: while that is on its way, it waits for it.
fn waits(action: Action) -> bool {
    use Action::{CursorDown, CursorUp, First, HalfPageDown, HalfPageUp, Last, Open, PageDown, PageUp};
    matches!(
        action,
        CursorDown | CursorUp | First | Last | PageDown | PageUp | HalfPageDown | HalfPageUp | Open
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Origin;
    use crate::tui::widgets::skin::Skin;

    fn run(id: u128) -> RunRow {
        RunRow { id: Uuid::from_u128(id), ..table::testing::run() }
    }

    /// The list with a context; nothing has come yet.
    fn screen() -> (RunsScreen, Context) {
        let mut screen = RunsScreen::default();
        screen.resize(80, 20);
        (screen, Context::new(Skin::plain(true), Origin::samples()))
    }

    fn come(screen: &mut RunsScreen, ctx: &mut Context, ids: &[u128]) -> Option<Outcome> {
        let mut told = Told::Runs(ids.iter().map(|id| run(*id)).collect());
        screen.told(screen.ticket, &mut told, ctx)
    }

    fn asked(commands: &[Cmd]) -> Vec<String> {
        let ask = |command: &Cmd| match command {
            Cmd::Repair { ask, .. } => Some(format!("{ask:?}")),
            _ => None,
        };
        commands.iter().filter_map(ask).collect()
    }

    #[test]
    fn keys_that_come_before_the_list_are_meant_for_it() {
        let (mut screen, mut ctx) = screen();
        screen.open(&mut ctx);
        for action in [Action::Last, Action::Open, Action::Open] {
            assert!(screen.act(action, &mut ctx).commands.is_empty(), "there is nothing to open yet");
        }
        let commands = come(&mut screen, &mut ctx, &[9, 8, 7]).unwrap_or_default().commands;
        assert_eq!(asked(&commands), [format!("{:?}", Ask::Trajectories(Uuid::from_u128(7)))]);
        // The second Enter waits for the trajectories of that run.
        let head = table::testing::trajectory(5);
        let mut told = Told::Trajectories(Uuid::from_u128(7), vec![head]);
        let outcome = screen.told(screen.ticket, &mut told, &mut ctx).unwrap_or_default();
        let wanted = Go::Trajectory { run: Uuid::from_u128(7), trajectory: Uuid::from_u128(5) };
        assert_eq!(outcome.go, Some(wanted));
    }

    #[test]
    fn a_list_that_is_read_anew_keeps_the_cursor_on_its_run() {
        let (mut screen, mut ctx) = screen();
        screen.open(&mut ctx);
        come(&mut screen, &mut ctx, &[9, 8, 7]);
        screen.act(Action::Last, &mut ctx);
        // Somebody else made two runs meanwhile.
        screen.act(Action::Reload, &mut ctx);
        come(&mut screen, &mut ctx, &[11, 10, 9, 8, 7]);
        assert_eq!(screen.under_cursor(), Some(Uuid::from_u128(7)));
        screen.open(&mut ctx);
        come(&mut screen, &mut ctx, &[12, 11, 10, 9, 8, 7]);
        assert_eq!(screen.under_cursor(), Some(Uuid::from_u128(7)), "also who comes back to it");
        // On the first row it is a run as well while it is looked at; who comes back means the newest.
        screen.act(Action::First, &mut ctx);
        screen.act(Action::Reload, &mut ctx);
        come(&mut screen, &mut ctx, &[13, 12, 11]);
        assert_eq!(screen.under_cursor(), Some(Uuid::from_u128(12)));
        screen.act(Action::First, &mut ctx);
        screen.open(&mut ctx);
        come(&mut screen, &mut ctx, &[14, 13, 12]);
        assert_eq!(screen.under_cursor(), Some(Uuid::from_u128(14)));
        // A run that is gone leaves the cursor where it was.
        screen.act(Action::Last, &mut ctx);
        screen.act(Action::Reload, &mut ctx);
        come(&mut screen, &mut ctx, &[14, 13]);
        assert_eq!(screen.under_cursor(), Some(Uuid::from_u128(13)));
    }
}
