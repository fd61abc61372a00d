//! The tables of runs and of trajectories: columns, cells, and the words that the filter looks for.
//!
//! Promises: columns that find no room are left out, the least needed first; every count stands beside its n.
//! Leaves to others: which rows are shown (`runs`).

use crate::repair::event::StopReason;
use crate::report::Verdict;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::msg::repair::{RunRow, TrajectoryRow};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// A column: its name, its width (0: what is left), whether its cells end in one column, and the number of its cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
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
pub(super) fn run_columns(width: u16, open: bool) -> Vec<Column> {
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

/// The columns of trajectories.
pub(super) fn trajectory_columns(width: u16) -> Vec<Column> {
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
pub(super) fn row(
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

/// When a run was made.
pub(super) fn when(row: &RunRow) -> String {
    row.created.strftime("%Y-%m-%d %H:%M").to_string()
}

/// The cells of a run, in the order of its columns.
pub(super) fn run_cells(run: &RunRow) -> Vec<(String, Role)> {
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

/// What the filter looks for in a run.
pub(super) fn words_of_run(run: &RunRow) -> String {
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

/// The cells of a trajectory, in the order of its columns.
pub(super) fn trajectory_cells(row: &TrajectoryRow) -> Vec<(String, Role)> {
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

/// What the filter looks for in a trajectory.
pub(super) fn words_of_trajectory(row: &TrajectoryRow) -> String {
    let words: Vec<String> = trajectory_cells(row).into_iter().map(|(text, _)| text).collect();
    format!("{} {}", words.join(" "), row.model).to_lowercase()
}

/// Rows for tests.
#[cfg(test)]
pub(super) mod testing {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::repair::CellId;
    use crate::runner::TrajectoryHead;
    use crate::task::{Revision, Task};
    use uuid::Uuid;

    /// A run of one task that was repaired.
    pub fn run() -> RunRow {
        RunRow {
            id: Uuid::nil(),
            created: jiff::Timestamp::UNIX_EPOCH,
            recording: None,
            models: Vec::new(),
            feedback: Vec::new(),
            strategies: Vec::new(),
            tasks: 1,
            trajectories: 1,
            repaired: 1,
            failed: 0,
            infrastructure: 0,
            other: 0,
        }
    }

    /// A trajectory that has just begun.
    pub fn trajectory(id: u128) -> TrajectoryRow {
        let head = TrajectoryHead {
            id: Uuid::from_u128(id),
            task: Task::new("d", "t").name(),
            revision: Revision::from_hex(&"0".repeat(64)).unwrap(),
            group: "t".to_owned(),
            cell: CellId::from_hex(&"0".repeat(64)).unwrap(),
            sample: 1,
        };
        TrajectoryRow {
            head,
            model: "m".to_owned(),
            turns: 0,
            verdict: None,
            counts: None,
            outcomes: Vec::new(),
            stopped: None,
            intervened: false,
        }
    }
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
        let run = RunRow { tasks: 4, trajectories: 4, repaired: 1, other: 1, ..testing::run() };
        let at = run_columns(120, true).last().map_or(0, |column| column.cell);
        assert_eq!(run_cells(&run).get(at), Some(&("2/4".to_owned(), Role::Accent)));
    }
}
