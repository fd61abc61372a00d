//! Drawing the rows in view.

use super::{Detail, Listed, Row, Test, TestList};
use crate::report::Status;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// Columns of the names of fields.
const NAMES: u16 = 18;

impl TestList {
    /// Draws the rows in view; `focused`: the cursor is shown.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin, focused: bool) {
        let mut y = 0;
        for (index, row) in self.rows.iter().enumerate().skip(self.top) {
            if y >= canvas.height() {
                break;
            }
            let further = if index == self.cursor { self.further() } else { Vec::new() };
            match row {
                Row::Blank => {}
                Row::Group(listed) => self.draw_group(canvas, skin, y, *listed),
                Row::Test(at) => {
                    if let Some(test) = self.tests.get(*at as usize) {
                        self.draw_test(canvas, skin, y, test, further.is_empty());
                    }
                }
                Row::Detail(at) => {
                    if let Some(detail) = self.details.get(*at as usize) {
                        draw_detail(canvas, skin, y, detail, !further.is_empty());
                    }
                }
            }
            let indent = match row {
                Row::Detail(at) => {
                    self.details.get(*at as usize).map_or(2, |detail| value_column(detail, self.width))
                }
                _ => 6,
            };
            let rows = 1 + further.len() as u16;
            for (line, text) in (y + 1..).zip(&further) {
                canvas.print(indent, line, text, skin.style(Role::Text), canvas.width());
            }
            if index == self.cursor && !matches!(row, Row::Blank | Row::Group(_)) {
                let role = if focused { Role::Selection } else { Role::SelectionInactive };
                for line in y..y.saturating_add(rows) {
                    canvas.style_row(line, skin.style(role));
                    if focused {
                        canvas.put(0, line, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
                    }
                }
            }
            y = y.saturating_add(rows);
        }
    }

    fn draw_group(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, listed: Listed) {
        let group = || self.tests.iter().filter(move |test| test.listed == listed);
        let all = group().count();
        let alone = self.tests.iter().all(|test| test.listed == Listed::No);
        let width = canvas.width();
        let x = canvas.print(
            1,
            y,
            listed.title(alone, width < 60),
            skin.style(Role::Title),
            width.saturating_sub(8),
        );
        let ran = group().filter(|test| test.status.is_some()).count();
        let passed = group().filter(|test| is_pass(test.status)).count();
        let count = if ran == 0 {
            thousands(all)
        } else {
            format!("{} of {} passed", thousands(passed), thousands(all))
        };
        canvas.print(x + 2, y, &count, skin.style(Role::Count), width.saturating_sub(x + 2));
    }

    fn draw_test(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, test: &Test, whole: bool) {
        let width = canvas.width();
        let (glyph, role) = match test.status {
            None if self.complete => ("–", Role::StatusWarn),
            None => ("·", Role::TextDim),
            Some(status) if status.is_failure() => ("✘", Role::VerdictFailed),
            Some(Status::Skipped | Status::NotRun) => ("–", Role::StatusWarn),
            Some(_) => ("✔", Role::VerdictPassed),
        };
        canvas.put(2, y, glyph, 1, skin.style(role));
        let mut end = width.saturating_sub(1);
        if let Some(seconds) = test.seconds {
            let spent = format!("{seconds:.2} s");
            let wide = text::width(&spent) as u16;
            if end > wide + 24 {
                canvas.print_end(0, y, &spent, skin.style(Role::Count), end);
                end -= wide + 2;
            }
        }
        // In a word what a sign alone does not say.
        let word = match test.status {
            None if self.complete => "not seen",
            Some(
                status @ (Status::Skipped
                | Status::NotRun
                | Status::Errored
                | Status::ExpectedFailure
                | Status::UnexpectedPass),
            ) => status.as_str(),
            _ => "",
        };
        let failed = test.status.is_some_and(Status::is_failure);
        let id_role = if failed { Role::TextStrong } else { Role::Text };
        let mut x = canvas.print(4, y, &test.id, skin.style(id_role), end.saturating_sub(4));
        if !word.is_empty() && x + 4 < end {
            x = canvas.print(x + 2, y, word, skin.style(role), end.saturating_sub(x + 2));
        }
        if let Some(message) = test.message.as_deref().filter(|_| whole && x + 6 < end) {
            canvas.print(x + 2, y, message, skin.style(Role::TextDim), end.saturating_sub(x + 2));
        }
        if let Some((words, exact)) = &self.search {
            for range in super::occurrences(&test.id, words, *exact) {
                let from = text::column_of(&test.id, 0, range.start) as u16;
                let to = text::column_of(&test.id, 0, range.end) as u16;
                let room = end.saturating_sub(from.saturating_add(4));
                canvas.style(from.saturating_add(4), y, (to - from).min(room), skin.style(Role::Match));
            }
        }
    }
}

fn is_pass(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Passed | Status::ExpectedFailure))
}

/// Whether a failed test has more to say than its row holds.
pub(super) fn is_cut(test: &Test, width: u16) -> bool {
    let Some(message) = test.message.as_deref().filter(|_| test.status.is_some_and(Status::is_failure))
    else {
        return false;
    };
    let seconds = if test.seconds.is_some() { 10 } else { 0 };
    let word = if test.status == Some(Status::Failed) { 0 } else { 12 };
    text::width(&test.id) + text::width(message) + 8 + seconds + word > usize::from(width)
}

/// Column in which a detail's text starts.
fn value_column(detail: &Detail, width: u16) -> u16 {
    match detail {
        Detail::Field(..) if width > 40 => NAMES,
        Detail::Field(..) => NAMES - 6,
        _ => 2,
    }
}

/// A detail's text, broken to the width.
pub(super) fn lines_of(detail: &Detail, width: u16) -> Vec<String> {
    let (Detail::Field(_, value) | Detail::Text(value, _) | Detail::Heading(value, _)) = detail;
    let room = usize::from(width.saturating_sub(value_column(detail, width) + 1).max(1));
    if text::width(value) <= room {
        return vec![value.clone()];
    }
    let mut lines = text::wrap(value, room);
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// `broken`: what does not fit stands in the rows below.
fn draw_detail(canvas: &mut Canvas<'_>, skin: &Skin, y: u16, detail: &Detail, broken: bool) {
    let width = canvas.width();
    let first = |value: &str| match broken {
        true => lines_of(detail, width).swap_remove(0),
        false => value.to_owned(),
    };
    let x = value_column(detail, width);
    match detail {
        Detail::Heading(text, remark) => {
            let x = canvas.print(1, y, text, skin.style(Role::Title), width.saturating_sub(1));
            canvas.print(x + 2, y, remark, skin.style(Role::Count), width.saturating_sub(x + 2));
        }
        Detail::Field(name, value) => {
            canvas.print(2, y, name, skin.style(Role::TextDim), x.saturating_sub(3));
            canvas.print(x, y, &first(value), skin.style(Role::Text), width.saturating_sub(x + 1));
        }
        Detail::Text(text, role) => {
            canvas.print(x, y, &first(text), skin.style(*role), width.saturating_sub(x + 1));
        }
    }
}
