//! The list of runs, and of the trajectories of one.
//!
//! Promises: newest first; every count stands beside its n, and failures of the infrastructure stand apart from those of
//! the model. Leaves to others: reading them (`runtime::shelf`), showing one (`screens::repair`).

use super::{Context, Go, Outcome};
use crate::keymap::{Action, Key};
use crate::repair::event::StopReason;
use crate::report::Verdict;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::msg::repair::{Ask, RunRow, Told, TrajectoryRow};
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::{Edit, Input};
use crate::tui::widgets::numbers::page_step;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::{field, panel};
use uuid::Uuid;

/// Rows above the list: a title, a blank, the columns' names.
const ABOVE: u16 = 3;

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
    read: bool,
    failure: Option<String>,
    size: (u16, u16),
}

impl RunsScreen {
    /// Reads the list anew.
    pub fn open(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        self.ticket = ctx.ticket();
        let ask = match self.inside {
            Some(run) => Ask::Trajectories(run),
            None => Ask::Runs,
        };
        vec![Cmd::Repair { ticket: self.ticket, ask: Box::new(ask) }]
    }

    /// The list has come; `None` if it was not asked for here.
    pub fn told(&mut self, ticket: u64, told: &mut Told) -> Option<()> {
        if ticket != self.ticket || ticket == 0 {
            return None;
        }
        self.failure = None;
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
        Some(())
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
                return Outcome {
                    said: Some(Said::info("reading the runs anew")),
                    ..Outcome::commands(self.open(ctx))
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

/// A column: its name, its width (0: what is left), whether its cells end in one column, and the number of its cell.
#[derive(Debug, Clone, Copy)]
struct Column {
    name: &'static str,
    width: u16,
    at_end: bool,
    cell: usize,
}

fn columns(named: &[(&'static str, u16, bool)]) -> Vec<Column> {
    let column = |(cell, (name, width, at_end)): (usize, &(&'static str, u16, bool))| Column {
        name,
        width: *width,
        at_end: *at_end,
        cell,
    };
    named.iter().enumerate().map(column).collect()
}

/// The columns of runs; that of unfinished trajectories where there are some.
fn run_columns(width: u16, open: bool) -> Vec<Column> {
    let mut all = columns(&[
        ("made", 16, false),
        ("model", 0, false),
        ("feedback", 11, false),
        ("strategy", 16, false),
        ("tasks", 5, true),
        ("repaired", 8, true),
        ("failed", 6, true),
        ("infra", 5, true),
        ("open", 5, true),
    ]);
    if !open {
        all.pop();
    }
    fill(all, width, 12, &["strategy", "feedback", "made", "tasks"])
}

fn trajectory_columns(width: u16) -> Vec<Column> {
    let all = columns(&[
        ("task", 0, false),
        ("sample", 6, true),
        ("turns", 5, true),
        ("tests", 7, true),
        ("verdict", 15, false),
        ("ended", 14, false),
        ("outcomes", 26, false),
    ]);
    fill(all, width, 20, &["outcomes", "sample", "verdict", "turns"])
}

/// The columns that fit; those in `spare` go first, in their order. The column of width 0 takes what is left.
fn fill(mut columns: Vec<Column>, width: u16, least: u16, spare: &[&str]) -> Vec<Column> {
    let mut spare = spare.iter();
    loop {
        let fixed: u16 = columns.iter().map(|column| column.width + 2).sum();
        let left = width.saturating_sub(fixed + 1);
        match spare.next().filter(|_| left < least) {
            Some(name) => columns.retain(|column| column.name != *name),
            None => {
                for column in columns.iter_mut().filter(|column| column.width == 0) {
                    column.width = left.clamp(1, 60);
                }
                return columns;
            }
        }
    }
}

/// Draws a row; a cell that is not there is its column's name.
fn row(
    canvas: &mut Canvas<'_>,
    y: u16,
    columns: &[Column],
    cells: &[(String, Role)],
    skin: &Skin,
    here: bool,
) {
    let mut x = 1;
    for Column { name, width, at_end, cell } in columns {
        let (text, role) =
            cells.get(*cell).map_or((*name, Role::TextDim), |(text, role)| (text.as_str(), *role));
        let style = if here { skin.over(Role::Selection, role) } else { skin.style(role) };
        if *at_end {
            canvas.print_end(x, y, text, style, *width);
        } else {
            canvas.print(x, y, text, style, *width);
        }
        x = x.saturating_add(width + 2);
    }
}

fn when(row: &RunRow) -> String {
    row.created.strftime("%Y-%m-%d %H:%M").to_string()
}

fn run_cells(run: &RunRow) -> Vec<(String, Role)> {
    let all = run.trajectories;
    let share = |count: usize| format!("{}/{}", thousands(count), thousands(all));
    let list = |words: Vec<String>| words.join(", ");
    let quiet = |count: usize, role: Role| if count > 0 { role } else { Role::TextDim };
    vec![
        (run.recording.map_or_else(|| when(run), |_| "recorded".to_owned()), Role::TextDim),
        (list(run.models.clone()), Role::Text),
        (list(run.feedback.iter().map(ToString::to_string).collect()), Role::Text),
        (list(run.strategies.iter().map(ToString::to_string).collect()), Role::Text),
        (thousands(run.tasks), Role::Count),
        (share(run.repaired), quiet(run.repaired, Role::VerdictPassed)),
        (share(run.failed), quiet(run.failed, Role::VerdictFailed)),
        (share(run.infrastructure), quiet(run.infrastructure, Role::VerdictInfraError)),
        (share(run.open()), quiet(run.open(), Role::Accent)),
    ]
}

fn words_of_run(run: &RunRow) -> String {
    let open = if run.open() > 0 { " open" } else { "" };
    let feedback: Vec<String> = run.feedback.iter().map(ToString::to_string).collect();
    let strategies: Vec<String> = run.strategies.iter().map(ToString::to_string).collect();
    let open = if run.recording.is_some() { " recorded" } else { open };
    let words = format!(
        "{} {} {} {} {}{open}",
        run.id,
        when(run),
        run.models.join(" "),
        feedback.join(" "),
        strategies.join(" ")
    );
    words.to_lowercase()
}

/// How a trajectory ended, in a word, and its role.
fn ended(row: &TrajectoryRow) -> (String, Role) {
    match row.stopped {
        None => ("open".to_owned(), Role::Accent),
        Some(StopReason::Passed) => ("repaired".to_owned(), Role::VerdictPassed),
        Some(reason @ (StopReason::Exhausted | StopReason::Repeat | StopReason::NoCode)) => {
            (reason.to_string(), Role::VerdictFailed)
        }
        Some(StopReason::Infrastructure) => ("infrastructure".to_owned(), Role::VerdictInfraError),
        Some(reason) => (reason.to_string(), Role::VerdictNotRun),
    }
}

fn trajectory_cells(row: &TrajectoryRow) -> Vec<(String, Role)> {
    let tests = row.counts.map_or(String::new(), |(passed, executed)| format!("{passed}/{executed}"));
    let verdict = row.verdict.map_or("", Verdict::as_str);
    let mut outcomes = row.outcomes.join(" ");
    if row.intervened {
        outcomes.insert_str(0, "intervened ");
    }
    vec![
        (row.head.task.to_string(), Role::Text),
        (row.head.sample.to_string(), Role::Count),
        (row.turns.to_string(), Role::Count),
        (tests, Role::TextStrong),
        (verdict.to_owned(), Role::of_verdict(verdict)),
        ended(row),
        (text::truncate(&outcomes, 200).into_owned(), Role::TextDim),
    ]
}

fn words_of_trajectory(row: &TrajectoryRow) -> String {
    let words: Vec<String> = trajectory_cells(row).into_iter().map(|(text, _)| text).collect();
    format!("{} {}", words.join(" "), row.model).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_trajectories_have_a_column_where_there_are_some() {
        let names = |width, open| -> Vec<&str> {
            run_columns(width, open).iter().map(|column| column.name).collect()
        };
        assert!(names(120, true).ends_with(&["infra", "open"]) && names(40, true).contains(&"open"));
        assert!(!names(120, false).contains(&"open"));
        let run = RunRow {
            id: Uuid::nil(),
            created: jiff::Timestamp::UNIX_EPOCH,
            recording: None,
            models: Vec::new(),
            feedback: Vec::new(),
            strategies: Vec::new(),
            tasks: 4,
            trajectories: 4,
            repaired: 1,
            failed: 0,
            infrastructure: 0,
            other: 1,
        };
        let at = run_columns(120, true).last().map_or(0, |column| column.cell);
        assert_eq!(run_cells(&run).get(at), Some(&("2/4".to_owned(), Role::Accent)));
    }
}
