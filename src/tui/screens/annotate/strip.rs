//! The question: what is asked, its answers with their keys, what was answered already.
//!
//! Promises: any number of answers can be seen by moving the cursor, and all their keys work; where there is room each
//! answer stands with its definition; what is not on disk is told here until it is. Leaves to others: where it stands.

use super::meaning::{draw_lines, explanation, taught};
use super::work::{Typed, Work};
use crate::label::codebook::{Answer, Codebook, Kind, Question};
use crate::label::value::Value;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::field;
use crate::tui::widgets::skin::Skin;
use ratatui::style::{Modifier, Style};

/// Narrowest and widest column of answers.
const COLUMN: (u16, u16) = (22, 38);

/// Rows for the question under the evidence: the same for all questions of a codebook.
pub fn rows(codebook: &Codebook, width: u16, height: u16) -> u16 {
    let answers = codebook.questions.iter().map(|question| {
        let columns = columns(question, width).max(1);
        (question.categories().count() as u16).div_ceil(columns)
    });
    let most = (height * 2 / 5).saturating_sub(2).max(1);
    let least = if height >= 16 { 3 } else { 1 };
    // What is asked, the answers, and what was answered already.
    answers.max().unwrap_or(1).max(least).min(most) + 2
}

fn columns(question: &Question, width: u16) -> u16 {
    let longest = question.categories().map(|answer| text::width(&answer.label)).max().unwrap_or(0) as u16;
    let column = (longest + 5).clamp(COLUMN.0, COLUMN.1);
    (width / column).max(1)
}

/// Draws the question; says whether what an answer means found too few rows there.
pub fn draw(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin, beside: bool) -> bool {
    if beside {
        return draw_beside(work, canvas, skin);
    }
    draw_below(work, canvas, skin);
    false
}

/// Number of the question among those that are asked, and how many those are.
fn number(work: &Work) -> (usize, usize) {
    let questions = work.questions();
    let at = questions.iter().position(|number| *number == work.question).unwrap_or(0);
    (at + 1, questions.len())
}

/// What is asked, with the way it is answered where that is not by one key.
fn question_words(work: &Work) -> String {
    let Some(question) = work.asked() else { return String::new() };
    let way = match &question.kind {
        Kind::Multiple => " (several can be right; Enter confirms)".to_owned(),
        Kind::Number { min, max, unit } => {
            let range = match (min, max) {
                (Some(min), Some(max)) => format!("{min} to {max}"),
                (Some(min), None) => format!("at least {min}"),
                (None, Some(max)) => format!("at most {max}"),
                (None, None) => String::new(),
            };
            let words: Vec<String> = [range, unit.clone().unwrap_or_default()]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect();
            if words.is_empty() {
                " (a number)".to_owned()
            } else {
                format!(" (a number, {})", words.join(" "))
            }
        }
        Kind::Text => " (a text)".to_owned(),
        _ => String::new(),
    };
    let optional = if question.required { "" } else { " (may be left out)" };
    format!("{}{way}{optional}", question.text)
}

fn draw_below(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin) {
    let (width, height) = (canvas.width(), canvas.height());
    if height == 0 {
        return;
    }
    canvas.rule(0, skin.glyphs.rule, skin.style(Role::BorderFocus));
    let (at, all) = number(work);
    let mut x = 1;
    if all > 1 {
        x = canvas.print(x, 0, &format!(" {at}/{all}"), skin.style(Role::Count), 8);
    }
    let words = format!(" {} ", question_words(work));
    x = canvas.print(
        x,
        0,
        &words,
        skin.style(Role::Title).add_modifier(Modifier::BOLD),
        width - x.min(width),
    );
    let marks = marks(work);
    let room = width.saturating_sub(x + 2);
    if !marks.is_empty() && text::width(&marks) + 2 <= usize::from(room) {
        canvas.print_end(x, 0, &format!(" {marks} "), skin.style(Role::StatusWarn), room);
    }
    let body = height.saturating_sub(2);
    let mut area = canvas.part(1, 1, width.saturating_sub(2), body);
    draw_body(work, &mut area, skin, false);
    if height > 1 {
        draw_line(work, &mut canvas.part(0, height - 1, width, 1), skin);
    }
}

fn draw_beside(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin) -> bool {
    let mut cut = false;
    let (width, height) = (canvas.width().saturating_sub(1), canvas.height());
    let (at, all) = number(work);
    let (head, marks) = (format!("Question {at} of {all}"), marks(work));
    let x = canvas.print(0, 0, &head, skin.style(Role::Count), width);
    canvas.print_end(x + 2, 0, &marks, skin.style(Role::StatusWarn), width.saturating_sub(x + 2));
    let mut y = 1;
    for line in text::wrap(&question_words(work), usize::from(width.max(1))).into_iter().take(6) {
        canvas.print(0, y, &line, skin.style(Role::Title).add_modifier(Modifier::BOLD), width);
        y += 1;
    }
    y += 1;
    // The end: what was answered already, one row each.
    let answered = (work.questions().len() as u16).min(6) + 2;
    let end = height.saturating_sub(answered);
    let room = end.saturating_sub(y);
    let (list, whole) = match work.asked() {
        Some(question) if body_is_answers(work) => list_rows(question, width, room),
        _ => (room, true),
    };
    draw_body(work, &mut canvas.part(0, y, width, list), skin, true);
    y += list + 1;
    if body_is_answers(work) && y < end {
        let mut area = canvas.part(0, y, width, end - y);
        match (work.cursor, work.asked()) {
            (Some(cursor), Some(question)) => {
                let lines = explanation(question, cursor, usize::from(width.max(1)), !whole);
                cut = lines.len() > usize::from(area.height());
                draw_lines(&lines, &mut area, skin, Role::Text);
            }
            _ => {
                let hint = "the arrow keys move among the answers and show what each means";
                let note = &work.row().state.marks.note;
                let words = match work.closed() {
                    Some(why) => (why.to_owned(), Role::StatusWarn),
                    None if note.is_empty() => (hint.to_owned(), Role::TextDim),
                    None => (format!("note: {note}"), Role::Text),
                };
                let lines = text::wrap(&words.0, usize::from(width.max(1)));
                for (y, line) in (0..area.height()).zip(lines) {
                    area.print(0, y, &line, skin.style(words.1), width);
                }
            }
        }
    }
    let mut foot = canvas.part(0, end, width, answered);
    foot.rule(0, skin.glyphs.rule, skin.style(Role::Border));
    if let Some((typed, input)) = &work.field {
        let _ = field::draw(&mut foot, skin, 1, prompt(*typed), input, true, width);
        return cut;
    }
    for (y, number) in (1..answered.saturating_sub(1)).zip(work.questions()) {
        let Some(question) = work.opened.codebook.questions.get(number) else { continue };
        let (value, role) = said(work, question);
        let here = number == work.question;
        let name_role = if here { Role::Accent } else { Role::TextDim };
        let mark = if here { skin.glyphs.cursor } else { " " };
        foot.put(0, y, mark, 1, skin.style(Role::Accent));
        let x = foot.print(2, y, &question.id, skin.style(name_role), width / 2) + 2;
        foot.print(x, y, &value, skin.style(role), width.saturating_sub(x));
    }
    let words = sure(work);
    foot.print(2, answered.saturating_sub(1), &words, skin.style(Role::TextDim), width);
    cut
}

/// Rows of the answers where they stand beside the evidence, and whether all definitions are whole in them.
///
/// They depend on the question and on the size alone, so that nothing moves with the cursor. Whole definitions come
/// first; where they are not to be had the longest explanation finds its rows below them.
fn list_rows(question: &Question, width: u16, room: u16) -> (u16, bool) {
    let shown: Vec<(usize, &Answer)> = question.answers.iter().enumerate().collect();
    let columns = usize::from(width.max(1));
    let all = total(&definitions(&shown, 0, width, true));
    // What examples find no rows for is shown over the evidence when it is asked for; the hint has two and a blank.
    if all.saturating_add(3) <= room {
        return (all, true);
    }
    let explained = shown.iter().filter(|(_, answer)| answer.can_be_given());
    let rows = explained.map(|(number, _)| explanation(question, *number, columns, true).len()).max();
    let below = (rows.unwrap_or(0).max(2) as u16).saturating_add(1);
    let most = room.saturating_sub(below).max(room * 3 / 5);
    match defined(&shown, 0, (width, most), true) {
        Some(heights) => (total(&heights), total(&heights) == all),
        None => ((shown.len() as u16).clamp(1, room.max(1)).min(room), false),
    }
}

/// Rows of all answers together.
fn total(heights: &[u16]) -> u16 {
    heights.iter().fold(0, |sum, rows| sum.saturating_add(*rows))
}

/// Whether the answers are shown, not something that takes their place.
fn body_is_answers(work: &Work) -> bool {
    work.taught.is_none() && !work.unsaved() && work.asked().is_some_and(|question| question.kind.is_choice())
}

/// The answers, or what takes their place.
fn draw_body(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin, headings: bool) {
    let width = usize::from(canvas.width().max(1));
    if let Some(failure) = work.pending.as_ref().and_then(|pending| pending.failure.as_ref()) {
        let words = format!(
            "{} is NOT saved: {failure}. Enter tries again, Backspace gives it up.",
            wanted_words(work)
        );
        for (y, line) in (0..canvas.height()).zip(text::wrap(&words, width)) {
            canvas.print(0, y, &line, skin.style(Role::StatusError), canvas.width());
        }
        return;
    }
    if work.taught.is_some() {
        let lines = taught(work, width);
        draw_lines(&lines, canvas, skin, Role::Text);
        return;
    }
    let Some(question) = work.asked() else { return };
    if !question.kind.is_choice() {
        let now = match work.given() {
            Some(value) => format!("now: {value}"),
            None => String::new(),
        };
        let way = if matches!(question.kind, Kind::Text) {
            "Enter lets you type"
        } else {
            "type a number, or Enter"
        };
        canvas.print(0, 0, way, skin.style(Role::TextDim), canvas.width());
        canvas.print(0, 1, &now, skin.style(Role::Text), canvas.width());
        return;
    }
    draw_answers(work, question, canvas, skin, headings);
}

/// The answer, or whatever it was, that could not be written.
fn wanted_words(work: &Work) -> String {
    use super::work::Wanted;
    match work.pending.as_ref().map(|pending| &pending.what) {
        Some(Wanted::Answer { entry, .. }) => {
            let value = entry.answer.as_str().map_or_else(|| entry.answer.to_string(), str::to_owned);
            format!("{} = {value}", entry.question)
        }
        Some(Wanted::Undo { .. }) => "Taking back".to_owned(),
        Some(Wanted::Mark { .. }) => "The mark".to_owned(),
        None => String::new(),
    }
}

fn draw_answers(work: &Work, question: &Question, canvas: &mut Canvas<'_>, skin: &Skin, headings: bool) {
    let (width, height) = (canvas.width(), canvas.height());
    if width == 0 || height == 0 {
        return;
    }
    let shown: Vec<(usize, &Answer)> =
        question.answers.iter().enumerate().filter(|(_, answer)| headings || answer.can_be_given()).collect();
    let rows = usize::from(height.max(1));
    let longest = shown.iter().map(|(_, answer)| text::width(&answer.label)).max().unwrap_or(0) as u16;
    // One answer after the other, with its definition, where that fits; else columns; else what is near the cursor.
    let one_each = headings || shown.len() <= rows;
    if let Some(heights) = one_each.then(|| defined(&shown, longest, (width, height), headings)).flatten() {
        let mut y = 0;
        for ((number, answer), tall) in shown.iter().zip(heights) {
            let mut cell = canvas.part(0, y, width, tall);
            draw_answer(work, question, (*number, answer), &mut cell, skin, (longest, headings));
            y += tall;
        }
        return;
    }
    let columns = if one_each { 1 } else { usize::from(columns(question, width)) };
    let deep = shown.len().div_ceil(columns).max(1);
    let cursor = shown.iter().position(|(number, _)| work.cursor == Some(*number)).unwrap_or(0);
    let hidden = deep > rows;
    let at = cursor % deep;
    let top = if hidden { at.saturating_sub(rows / 2).min(deep - rows) } else { 0 };
    let wide = width / columns as u16;
    for (place, (number, answer)) in shown.iter().enumerate() {
        let (column, row) = (place / deep, place % deep);
        if row < top || row >= top + rows {
            continue;
        }
        let (x, y) = (column as u16 * wide, (row - top) as u16);
        let mut cell = canvas.part(x, y, wide, 1);
        draw_answer(work, question, (*number, answer), &mut cell, skin, (longest, headings));
    }
    if hidden {
        let left = shown.len() - rows.min(deep) * columns;
        let words = format!(" {} more ", left.max(1));
        canvas.print_end(0, height - 1, &words, skin.style(Role::TextDim), width);
    }
}

/// Columns of a definition beside the longest label, and where it starts.
fn beside_label(longest: u16, width: u16) -> (u16, u16) {
    let start = longest + 9;
    (start, width.saturating_sub(start + 1))
}

/// Rows for each answer with its whole definition: under it, or beside the longest label.
fn definitions(shown: &[(usize, &Answer)], longest: u16, width: u16, under: bool) -> Vec<u16> {
    let room = if under { width.saturating_sub(6) } else { beside_label(longest, width).1 };
    let rows = |(_, answer): &(usize, &Answer)| {
        let lines = match answer.definition.trim() {
            "" => 0,
            definition => text::wrap(definition, usize::from(room.max(1))).len() as u16,
        };
        if under { lines.saturating_add(1) } else { lines.max(1) }
    };
    shown.iter().map(rows).collect()
}

/// Rows for each answer if their definitions are shown whole, or as far as there are rows; `None`: there are no more
/// rows than answers.
fn defined(
    shown: &[(usize, &Answer)],
    longest: u16,
    (width, height): (u16, u16),
    under: bool,
) -> Option<Vec<u16>> {
    let room = if under { width.saturating_sub(6) } else { beside_label(longest, width).1 };
    let all = definitions(shown, longest, width, under);
    if total(&all) <= height {
        return Some(all);
    }
    let each = height / (shown.len() as u16).max(1);
    if each < 2 || room <= 24 {
        return None;
    }
    // The shorter ones leave rows to those that need them.
    let mut heights: Vec<u16> = all.iter().map(|lines| (*lines).min(each)).collect();
    let mut spare = height.saturating_sub(total(&heights));
    while spare > 0 {
        let wanting: Vec<usize> =
            (0..all.len()).filter(|at| heights[*at] < all[*at]).take(usize::from(spare)).collect();
        if wanting.is_empty() {
            break;
        }
        spare -= wanting.len() as u16;
        wanting.into_iter().for_each(|at| heights[at] += 1);
    }
    Some(heights)
}

fn draw_answer(
    work: &Work,
    question: &Question,
    (number, answer): (usize, &Answer),
    cell: &mut Canvas<'_>,
    skin: &Skin,
    (longest, beneath): (u16, bool),
) {
    let width = cell.width();
    let Some(key) = answer.key else {
        cell.print(0, 0, &answer.label, skin.style(Role::Group), width);
        if beneath {
            let room = width.saturating_sub(6).max(1);
            draw_definition(answer.definition.trim(), cell, (5, 1, room), |_| skin.style(Role::TextDim));
        }
        return;
    };
    let here = work.cursor == Some(number);
    let chosen = match question.kind {
        Kind::Multiple => work.staged.contains(&answer.id),
        _ => work.given() == Some(&Value::one(answer.id.clone())),
    };
    let under = if here { Role::Selection } else { Role::Text };
    let paint = |role: Role| -> Style { skin.over(under, role) };
    if here {
        cell.style_row(0, skin.style(Role::Selection));
        cell.put(0, 0, skin.glyphs.cursor, 1, paint(Role::Accent));
    }
    let indent =
        1 + 2 * u16::from(question.is_hierarchical() && answer.parent.is_some() && longest + 12 < width);
    let mut x = indent;
    if question.kind == Kind::Multiple {
        let mark = if chosen { "[x]" } else { "[ ]" };
        x = cell.print(x, 0, mark, paint(if chosen { Role::StatusOk } else { Role::TextDim }), 3) + 1;
    }
    let gap = if width > COLUMN.0 + longest { 2 } else { 1 };
    x = cell.print(x, 0, &key.to_string(), paint(Role::Key).add_modifier(Modifier::BOLD), 2) + gap;
    let style =
        if chosen { paint(Role::StatusOk).add_modifier(Modifier::BOLD) } else { paint(Role::TextStrong) };
    let end = cell.print(x, 0, &answer.label, style, width.saturating_sub(x + 1));
    let (start, room) = beside_label(longest, width);
    let definition = answer.definition.trim();
    if beneath {
        let room = width.saturating_sub(6).max(1);
        draw_definition(definition, cell, (5, 1, room), |_| skin.style(Role::TextDim));
        return;
    }
    // A definition cut after a word or two helps nobody.
    if room <= 24 || definition.is_empty() {
        return;
    }
    draw_definition(definition, cell, (start.max(end + 2), 0, room), |y| {
        skin.over(if y == 0 { under } else { Role::Text }, Role::TextDim)
    });
}

/// A definition from a place on, as far as there are rows; where it is cut its last row says so.
fn draw_definition(
    definition: &str,
    cell: &mut Canvas<'_>,
    (x, top, room): (u16, u16, u16),
    style: impl Fn(u16) -> Style,
) {
    let lines = text::wrap(definition, usize::from(room));
    let rows = usize::from(cell.height().saturating_sub(top));
    for (number, line) in lines.iter().take(rows).enumerate() {
        let cut = number + 1 == rows && lines.len() > rows;
        let words = if cut { format!("{line} {}", lines[number + 1]) } else { line.clone() };
        let y = top + number as u16;
        cell.print(x, y, &words, style(y), room);
    }
}

/// What was said to a question.
fn said(work: &Work, question: &Question) -> (String, Role) {
    if let Some(value) = work.labels().get(&question.id) {
        return (value.to_string(), Role::TextStrong);
    }
    let stale = work
        .row()
        .state
        .stale
        .iter()
        .find(|stale| stale.question == question.id || question.renamed_from.contains(&stale.question));
    match stale {
        Some(stale) if stale.is_foreign() => {
            (format!("{} is no answer of the codebook", stale.value), Role::StatusWarn)
        }
        Some(stale) => (format!("was {}; the codebook changed", stale.value), Role::StatusWarn),
        None if !question.required => ("may be left out".to_owned(), Role::TextDim),
        None => ("?".to_owned(), Role::TextDim),
    }
}

fn sure(work: &Work) -> String {
    work.confidence.map_or_else(String::new, |sure| format!("{sure} of 5 sure"))
}

/// Marks on the item, in words.
fn marks(work: &Work) -> String {
    let row = work.row();
    let marks = &row.state.marks;
    let mut words = Vec::new();
    if row.training {
        words.push("training".to_owned());
    }
    if let Some(back) = &row.state.back {
        words.push(format!("sent back: {back}"));
    }
    if marks.flagged {
        words.push("flagged".to_owned());
    }
    if marks.skipped.is_some() {
        words.push("put aside".to_owned());
    }
    if !row.state.stale.is_empty() {
        words.push("stale".to_owned());
    }
    if !marks.note.is_empty() {
        words.push("note".to_owned());
    }
    words.join(" \u{b7} ")
}

fn prompt(typed: Typed) -> &'static str {
    match typed {
        Typed::Skip => "put aside, because:",
        Typed::Note => "note:",
        Typed::Answer => "answer:",
    }
}

/// What was answered already, or what is typed, or why nothing can be answered.
fn draw_line(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin) {
    let width = canvas.width();
    if let Some((typed, input)) = &work.field {
        let mut line = canvas.part(1, 0, width.saturating_sub(2), 1);
        field::draw(&mut line, skin, 0, prompt(*typed), input, true, width.saturating_sub(2));
        return;
    }
    let note = &work.row().state.marks.note;
    let mut right = sure(work);
    if let Some(why) = work.closed() {
        right = why.to_owned();
    } else if right.is_empty() && !note.is_empty() {
        right = format!("note: {note}");
    }
    let right = text::truncate(&right, usize::from(width / 2)).into_owned();
    let right_width = text::width(&right) as u16;
    canvas.print_end(0, 0, &right, skin.style(Role::TextDim), width.saturating_sub(1));
    let room = width.saturating_sub(right_width + 3);
    let mut x = 1;
    for number in work.questions() {
        let Some(question) = work.opened.codebook.questions.get(number) else { continue };
        if x + 4 >= room {
            break;
        }
        if x > 1 {
            x = canvas.print(x + 1, 0, skin.glyphs.dot, skin.style(Role::TextDim), 1) + 1;
        }
        let here = number == work.question;
        let (value, role) = said(work, question);
        let name_role = if here { Role::Accent } else { Role::TextDim };
        x = canvas.print(x, 0, &format!("{}:", question.id), skin.style(name_role), room.saturating_sub(x));
        x = canvas.print(x + 1, 0, &value, skin.style(role), room.saturating_sub(x + 1));
    }
}
