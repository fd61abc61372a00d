//! Drawing the parts of the Repair screen.
//!
//! Promises: work in the size of the part, however many tests and turns there are; what changed against the code before
//! is said in words as well as in colour.

use super::{Shown, words};
use crate::repair::live::{Seen, State};
use crate::report::{Status, Verdict, dig};
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::{self, Look};
use crate::tui::widgets::skin::Skin;
use std::collections::HashSet;

/// Cells of the bar in the list of turns.
const BAR: u64 = 8;
/// Names that a turn tells.
const NAMES: usize = 6;

/// The answer of the turn.
pub fn answer(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>) {
    let under_way = shown.live.is_under_way(shown.at());
    let live = under_way
        && (shown.running || shown.replay.as_ref().is_some_and(|replay| replay.is_playing()))
        && shown.live.state().is_of_a_call();
    if !shown.answer.is_empty() {
        shown.answer.draw(canvas, skin, live);
        return;
    }
    let turn = shown.turn();
    let words = match turn {
        Some(turn) if turn.facts.turn == 0 => "The buggy code. The model answers from turn 1 on.",
        Some(turn) if turn.facts.is_persons_code => "A person wrote the code of this turn.",
        Some(turn) if turn.facts.answer.is_some() => "Reading the answer…",
        Some(_) if live => "Nothing came yet.",
        Some(_) if under_way && shown.running => "",
        Some(_) => "No answer.",
        None => "",
    };
    let (width, dim) = (canvas.width(), skin.style(Role::TextDim));
    let mut y = 1.min(canvas.height().saturating_sub(1));
    canvas.print(0, y, words, dim, width);
    // Why there is none, with all that is known: it is the infrastructure's.
    for fault in turn.iter().flat_map(|turn| turn.facts.faults.iter().rev()) {
        y += 2;
        canvas.print(0, y, fault.fault.as_str(), skin.style(Role::VerdictInfraError), width);
        for line in text::wrap(&fault.detail, usize::from(width.max(1))) {
            y += 1;
            canvas.print(0, y, &line, skin.style(Role::Text), width);
        }
        if y >= canvas.height() {
            return;
        }
    }
}

/// What stands beside the title of the answer.
pub fn answer_remark(shown: &Shown) -> String {
    let below = shown.answer.below();
    if !shown.answer.follows() && below > 0 {
        return format!("{} rows below", thousands(below));
    }
    let at = shown.at();
    let streams = shown.live.is_under_way(at) && shown.live.state().is_of_a_call();
    let tokens = shown.turn().and_then(|turn| turn.facts.answer_tokens);
    let tokens =
        tokens.map(|tokens| format!("{} tokens", thousands(usize::try_from(tokens).unwrap_or(usize::MAX))));
    let about = if streams { "about " } else { "" };
    let rate = shown.live.rate(at).map(|rate| format!("{about}{rate:.0} tok/s"));
    let facts: Vec<String> = tokens.into_iter().chain(rate).collect();
    facts.join(" · ")
}

/// The difference.
pub fn change(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>, focused: bool) {
    let dim = skin.style(Role::TextDim);
    let row = 1.min(canvas.height().saturating_sub(1));
    match &shown.change.view {
        Some(view) if view.diff().files.is_empty() => {
            canvas.print(1, row, "The code is the same.", dim, canvas.width().saturating_sub(1));
        }
        Some(view) => diff_view::draw(view, canvas, &Look { skin, cursor: focused }),
        None => {
            let words = if shown.change.of.is_some() {
                "Comparing…"
            } else {
                "No code was applied yet: the first change comes here."
            };
            canvas.print(1, row, words, dim, canvas.width().saturating_sub(1));
        }
    }
}

/// What stands beside the title of the change.
pub fn change_remark(shown: &Shown) -> String {
    shown.change.view.as_ref().map_or_else(String::new, |view| {
        let diff = view.diff();
        format!("+{} −{}", diff.added, diff.removed)
    })
}

/// What stands beside the title of the output.
pub fn output_remark(shown: &Shown) -> String {
    let lines = usize::try_from(shown.output.count()).unwrap_or(usize::MAX);
    format!("{} line{}", thousands(lines), if lines == 1 { "" } else { "s" })
}

/// What stands beside the title of the tests.
pub fn tests_remark(shown: &Shown) -> String {
    match tested(shown).and_then(|at| shown.live.turns().get(at)?.counts()) {
        Some((passed, executed)) => format!("{passed}/{executed}"),
        None => String::new(),
    }
}

/// The turn whose tests are shown: the selected one, or the newest before it that has some.
fn tested(shown: &Shown) -> Option<usize> {
    let turns = shown.live.turns();
    let here = shown.at();
    // What is tested now has no results of its own yet, and says so.
    let testing = shown.live.is_under_way(here) && shown.live.state().is_of_a_test();
    if testing {
        return Some(here);
    }
    (0..=here).rev().find(|at| {
        turns.get(*at).is_some_and(|turn| !turn.passing.tests.is_empty() || turn.facts.verdict.is_some())
    })
}

/// A row of the tests.
enum TestRow<'a> {
    /// One that did not pass, with why.
    Failed(&'a Seen),
    /// Some that passed.
    Passed(Vec<&'a Seen>),
}

/// The tests: those that failed first, each with its message; then those that passed, side by side.
pub fn tests(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>) {
    let (width, height) = (canvas.width(), usize::from(canvas.height()));
    let dim = skin.style(Role::TextDim);
    let Some((at, turn)) = tested(shown).and_then(|at| Some((at, shown.live.turns().get(at)?))) else {
        let words = if shown.running { "No test has run yet." } else { "No test was run." };
        canvas.print(0, 0, words, dim, width);
        return;
    };
    if turn.passing.tests.is_empty() {
        let words = match (shown.live.is_under_way(at), turn.facts.verdict) {
            (true, _) if shown.live.state().is_of_a_test() => format!("{}…", shown.live.state()),
            (_, Some(Verdict::Passed)) => "All tests passed.".to_owned(),
            (_, Some(_)) if !turn.facts.why.is_empty() => turn.facts.why.clone(),
            (_, Some(verdict)) => verdict.to_string(),
            _ => String::new(),
        };
        for (y, line) in (0..canvas.height()).zip(text::wrap(&words, usize::from(width.max(1)))) {
            canvas.print(0, y, &line, dim, width);
        }
        return;
    }
    let flips = shown.live.flips(at);
    let repaired: HashSet<&str> = flips.repaired.iter().map(String::as_str).collect();
    let broken: HashSet<&str> = flips.broken.iter().map(String::as_str).collect();
    let rows =
        rows(&turn.passing.tests, &repaired, usize::from(width), shown.tests_top.saturating_add(height));
    let top = shown.tests_top.min(rows.len().saturating_sub(1));
    let messages = shown.texts.get(&turn.position());
    for (y, row) in (0..canvas.height()).zip(rows.iter().skip(top)) {
        match row {
            TestRow::Failed(test) => {
                let (glyph, role) = sign(test.status);
                canvas.put(0, y, glyph, 1, skin.style(role));
                let name = dig::last_name(&test.id);
                let mut x = canvas.print(2, y, name, skin.style(Role::TextStrong), width.saturating_sub(2));
                if broken.contains(test.id.as_str()) {
                    x = canvas.print(
                        x + 1,
                        y,
                        "broke",
                        skin.style(Role::VerdictFailed),
                        width.saturating_sub(x + 1),
                    );
                }
                let word = if test.status == Status::Failed { "" } else { test.status.as_str() };
                let known = messages.and_then(|texts| texts.tests.iter().find(|known| known.id == test.id));
                let message = known.and_then(|known| known.message.as_deref()).unwrap_or(word);
                if x + 4 < width {
                    canvas.print(x + 2, y, message, dim, width.saturating_sub(x + 2));
                }
            }
            TestRow::Passed(tests) => {
                let mut x = 0;
                for test in tests {
                    let (glyph, role) = sign(test.status);
                    canvas.put(x, y, glyph, 1, skin.style(role));
                    let fixed = repaired.contains(test.id.as_str());
                    let style = skin.style(if fixed { Role::TextStrong } else { Role::Text });
                    x = canvas.print(x + 2, y, dig::last_name(&test.id), style, width.saturating_sub(x + 2));
                    if fixed {
                        x = canvas.print(
                            x + 1,
                            y,
                            "fixed",
                            skin.style(Role::VerdictPassed),
                            width.saturating_sub(x + 1),
                        );
                    }
                    x += 2;
                }
            }
        }
    }
}

/// Sign and role of a result.
fn sign(status: Status) -> (&'static str, Role) {
    match status {
        status if status.is_failure() => ("✘", Role::VerdictFailed),
        Status::Skipped | Status::NotRun => ("–", Role::StatusWarn),
        _ => ("✔", Role::VerdictPassed),
    }
}

/// At most so many rows.
fn rows<'a>(tests: &'a [Seen], repaired: &HashSet<&str>, width: usize, most: usize) -> Vec<TestRow<'a>> {
    let mut rows: Vec<TestRow<'a>> =
        tests.iter().filter(|test| !test.passes()).take(most).map(TestRow::Failed).collect();
    let fixed = |test: &&Seen| repaired.contains(test.id.as_str());
    let passed = || tests.iter().filter(|test| test.passes());
    let mut row: Vec<&Seen> = Vec::new();
    let mut used = 0;
    for test in passed().filter(|test| fixed(test)).chain(passed().filter(|test| !fixed(test))) {
        if rows.len() >= most {
            return rows;
        }
        let wide = text::width(dig::last_name(&test.id)) + 4 + if fixed(&test) { 6 } else { 0 };
        if used + wide > width + 2 && !row.is_empty() {
            rows.push(TestRow::Passed(std::mem::take(&mut row)));
            used = 0;
        }
        used += wide;
        row.push(test);
    }
    if !row.is_empty() {
        rows.push(TestRow::Passed(row));
    }
    rows
}

/// What stands beside the title of the turns.
pub fn turns_remark(shown: &Shown) -> String {
    let turns = shown.live.turns();
    let taken = turns.iter().filter(|turn| turn.facts.turn > 0).count();
    format!("{taken} of {}", shown.cell.strategy.most_turns())
}

/// All turns: outcome, tests, what they changed.
pub fn turns(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>, focused: bool) {
    let (width, height) = (canvas.width(), usize::from(canvas.height()));
    let turns = shown.live.turns();
    let here = shown.at();
    let dim = skin.style(Role::TextDim);
    let marks = words::marks(shown);
    let room = height.saturating_sub(if turns.len() + marks.len() < height { marks.len() } else { 0 }).max(1);
    let top = (here + 1).saturating_sub(room);
    // The longest number that there can be, and a blank behind it.
    let strategy = &shown.cell.strategy;
    let column = text::width(&words::label(shown, (strategy.attempts(), strategy.turns()))).max(1) as u16 + 1;
    for (y, at) in (0..canvas.height()).zip(top..turns.len().min(top + room)) {
        let Some(turn) = turns.get(at) else { break };
        if at == here {
            canvas.style_row(y, skin.style(if focused { Role::Selection } else { Role::SelectionInactive }));
        }
        let base = match (at == here, focused) {
            (true, true) => Role::Selection,
            (true, false) => Role::SelectionInactive,
            _ => Role::Text,
        };
        let number = words::label(shown, turn.position());
        canvas.print(0, y, &number, skin.over(base, Role::Count), column);
        let under_way = shown.live.is_under_way(at) && shown.live.stopped().is_none();
        let outcome = turn.facts.outcome();
        let word = match (&outcome, under_way) {
            (Some(word), false) => word.clone(),
            (Some(word), true) if turn.facts.turn == 0 || shown.live.state().is_of_a_test() => word.clone(),
            (_, true) if shown.live.is_paused() => shown.live.words(shown.time()),
            (_, true) => format!("{} …", shown.live.words(shown.time())),
            (None, false) => "no answer".to_owned(),
        };
        let limit = if outcome.is_some() || !under_way { 12 } else { width.saturating_sub(column) };
        let end = canvas.print(column, y, &word, skin.over(base, Role::Text), limit);
        let Some((passed, executed)) = turn.counts().filter(|(_, executed)| *executed > 0) else {
            if let Some(verdict) = turn.facts.verdict {
                let role = Role::of_verdict(verdict.as_str());
                canvas.print(column + 13, y, verdict.as_str(), skin.over(base, role), width);
            }
            continue;
        };
        let mut x = (column + 13).max(end + 1);
        let count = format!("{passed}/{executed}");
        x = canvas.print(x, y, &count, skin.over(base, Role::TextStrong), width.saturating_sub(x)).max(x + 5)
            + 1;
        let cells = executed.min(BAR);
        let good = passed.saturating_mul(cells) / executed;
        for cell in 0..cells {
            let (glyph, role) = match cell < good {
                true => (skin.glyphs.full, Role::VerdictPassed),
                false => (skin.glyphs.rest, Role::VerdictFailed),
            };
            canvas.put(x, y, glyph, 1, skin.over(base, role));
            x += 1;
        }
        x = x.max(column + 13 + 6 + BAR as u16) + 1;
        let flips = shown.live.flips(at);
        let mut tell = |lead: &str, names: &[String], role: Role| {
            if names.is_empty() || x + 8 > width {
                return;
            }
            let shown: Vec<&str> = names.iter().take(NAMES).map(|name| dig::last_name(name)).collect();
            let more = names.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            x = canvas.print(x, y, lead, skin.over(base, role), width.saturating_sub(x)) + 1;
            let list = format!("{}{more}", shown.join(", "));
            x = canvas.print(x, y, &list, skin.over(base, Role::Text), width.saturating_sub(x)) + 2;
        };
        tell("fixed", &flips.repaired, Role::VerdictPassed);
        tell("broke", &flips.broken, Role::VerdictFailed);
        let verdict =
            turn.facts.verdict.filter(|verdict| !matches!(verdict, Verdict::Passed | Verdict::Failed));
        if let Some(verdict) = verdict.filter(|_| x + 8 < width) {
            let role = Role::of_verdict(verdict.as_str());
            canvas.print(x, y, verdict.as_str(), skin.over(base, role), width.saturating_sub(x));
        }
    }
    if turns.is_empty() {
        let words =
            if matches!(shown.live.state(), State::Queued) { "The buggy code is tested first." } else { "" };
        canvas.print(0, 0, words, dim, width);
    }
    let used = turns.len().min(room);
    for (y, mark) in (used..height).zip(&marks) {
        canvas.print(0, y as u16, mark, skin.style(Role::StatusWarn), width);
    }
}
