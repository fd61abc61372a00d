//! What an answer means, and what was right about a training item, in lines.
//!
//! Promises: definition and examples as the codebook has them; where there are too few rows the last one says so.
//! Leaves to others: where that stands (`strip`, `draw`).

use super::work::Work;
use crate::label::codebook::Question;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use ratatui::layout::Rect;

/// Lines with a role each.
pub type Lines = Vec<(String, Role)>;

/// Draws lines over what stands under them, as far as there are rows.
pub fn draw_lines(lines: &Lines, canvas: &mut Canvas<'_>, skin: &Skin, under: Role) {
    let (width, height) = (canvas.width(), usize::from(canvas.height()));
    for (y, (line, role)) in lines.iter().take(height).enumerate() {
        let last = y + 1 == height && lines.len() > height;
        let words = if last { format!("{line} \u{2026}") } else { line.clone() };
        canvas.print(0, y as u16, &words, skin.over(under, *role), width);
    }
}

/// What an answer means, with examples; its definition is left out where it stands whole in the list.
pub fn explanation(question: &Question, number: usize, width: usize, defines: bool) -> Lines {
    let Some(answer) = question.answers.get(number) else { return Lines::new() };
    let mut lines = Lines::new();
    let mut add = |words: &str, first: &str, role: Role| {
        let indent = text::width(first);
        for (place, line) in text::wrap(words, width.saturating_sub(indent).max(8)).into_iter().enumerate() {
            let start = if place == 0 { first.to_owned() } else { " ".repeat(indent) };
            lines.push((format!("{start}{line}"), role));
        }
    };
    let path: Vec<&str> =
        question.ancestors(&answer.id).iter().rev().map(|above| above.label.as_str()).collect();
    let head =
        if path.is_empty() { answer.label.clone() } else { format!("{}: {}", path.join(": "), answer.label) };
    add(&head, "", Role::TextStrong);
    match answer.definition.trim() {
        "" => add("The codebook does not define it.", "", Role::TextDim),
        definition if defines => add(definition, "", Role::Text),
        _ if answer.positive.is_empty() && answer.negative.is_empty() => {
            add("The codebook has no example of it.", "", Role::TextDim);
        }
        _ => {}
    }
    for example in &answer.positive {
        add(example, "yes  ", Role::StatusOk);
    }
    for example in &answer.negative {
        add(example, "no   ", Role::StatusError);
    }
    lines
}

/// Rows for what the answer under the cursor means, with its frame; 0: nothing is explained.
pub fn explanation_rows(work: &Work, width: u16) -> u16 {
    match (work.asked(), work.cursor) {
        (Some(question), Some(cursor)) if work.explain && work.list.is_none() => {
            explanation(question, cursor, explained_columns(width), true).len() as u16 + 2
        }
        _ => 0,
    }
}

fn explained_columns(width: u16) -> usize {
    usize::from(width.min(100).saturating_sub(4).max(1))
}

/// Draws what the answer under the cursor means.
pub fn draw_explanation(work: &Work, canvas: &mut Canvas<'_>, skin: &Skin, place: Rect) {
    let (Some(question), Some(cursor)) = (work.asked(), work.cursor) else { return };
    let lines = explanation(question, cursor, explained_columns(place.width), true);
    let place = Rect { width: place.width.min(100), ..place };
    let mut area = panel::framed(canvas, skin, ("", "E hides it"), place);
    draw_lines(&lines, &mut area, skin, Role::Overlay);
}

/// What is right about a training item, and why.
pub fn taught(work: &Work, width: usize) -> Lines {
    let Some(known) = &work.taught else { return Lines::new() };
    let mut lines = Lines::new();
    for question in &work.opened.codebook.questions {
        let Some(right) = known.answers.get(&question.id) else { continue };
        let given = work.labels().get(&question.id);
        let (words, role) = match given {
            Some(given) if given == right => {
                (format!("{}: {right}, as you said", question.id), Role::StatusOk)
            }
            Some(given) => (format!("{}: {right}; you said {given}", question.id), Role::StatusWarn),
            None => (format!("{}: {right}; you were not asked", question.id), Role::StatusWarn),
        };
        lines.push((words, role));
    }
    let why = if known.why.trim().is_empty() { "No reason was written down." } else { known.why.trim() };
    lines.extend(text::wrap(why, width).into_iter().map(|line| (line, Role::Text)));
    lines.push(("Training: Enter goes on.".to_owned(), Role::TextDim));
    lines
}
