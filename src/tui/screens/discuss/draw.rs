//! Drawing disagreements: the list, the case, its difference.
//!
//! Promises: list and case side by side where there is room, else one of them; the answers stand above the difference,
//! whatever its length; nothing outside at any size.

use super::list::{Entry, waits};
use super::{DiscussScreen, words};
use crate::label::adjudicate::ReasonCode;
use crate::label::codebook::Kind;
use crate::label::dispute::{Dispute, Standing};
use crate::label::phase::Phase;
use crate::label::visible::Role as Is;
use crate::study::{Disputes, View};
use crate::text;
use crate::text::counted;
use crate::theme::Role;
use crate::tui::screens::item_name::fitted;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::{field, panel};
use ratatui::style::Modifier;

/// Columns from which on list and case are both seen.
pub const WIDE: u16 = 120;
/// Columns of the list where both are seen.
pub const LIST: u16 = 46;
/// Rows above the list.
pub const ABOVE: u16 = 2;

/// The word before what was decided.
const DECIDED: &str = "decided";

/// A line of pieces of text with their roles.
type Line = Vec<(String, Role)>;

/// Rows of the list.
pub fn list_rows((_, height): (u16, u16)) -> usize {
    usize::from(height.saturating_sub(ABOVE))
}

/// Rows of the case, its difference included.
pub fn case_rows((_, height): (u16, u16)) -> u16 {
    height / 2
}

fn case_width(size: (u16, u16)) -> u16 {
    if size.0 >= WIDE { size.0 - LIST - 1 } else { size.0 }
}

/// Columns and rows of the difference.
pub fn difference(screen: &DiscussScreen) -> (u16, u16) {
    let width = case_width(screen.size);
    let head = head(screen, usize::from(width.saturating_sub(3))).len() as u16;
    (width, screen.size.1.saturating_sub(head + 1))
}

/// Draws it.
pub fn screen(screen: &DiscussScreen, skin: &Skin, canvas: &mut Canvas<'_>) {
    let Some(disputes) = &screen.disputes else {
        panel::message(canvas, skin, "Reading the disagreements…", "", Role::TextDim);
        return;
    };
    if let View::Hidden(why) = disputes.view {
        panel::message(canvas, skin, "Nothing to see here yet", why, Role::TextDim);
        return;
    }
    if disputes.list.is_empty() {
        let (heading, why) = nothing(disputes);
        panel::message(canvas, skin, heading, why, Role::TextDim);
        return;
    }
    let (width, height) = (canvas.width(), canvas.height());
    if screen.is_wide() {
        list(screen, disputes, skin, &mut canvas.part(0, 0, LIST, height));
        canvas.bar(LIST, 0, height, skin.glyphs.bar, skin.style(Role::Border));
        case(screen, skin, &mut canvas.part(LIST + 1, 0, width - LIST - 1, height));
    } else if screen.in_case {
        case(screen, skin, canvas);
    } else {
        list(screen, disputes, skin, canvas);
    }
    if let Some((what, input)) = &screen.typing {
        let wide = width.saturating_sub(4).min(90);
        let foot = "Enter takes it, Esc drops it";
        let mut inner = panel::popup(canvas, skin, (what.title(), foot), (wide, 5));
        let columns = inner.width();
        let y = u16::from(inner.height() > 2);
        field::draw(&mut inner, skin, y, ">", input, true, columns);
    }
}

fn nothing(disputes: &Disputes) -> (&'static str, &'static str) {
    match (disputes.view, disputes.round.phase) {
        (View::Decide, _) => {
            ("Nothing to decide", "The annotators say the same everywhere, or settled it in discussion.")
        }
        (_, Phase::Closed) => ("No disagreements", "The annotators said the same everywhere."),
        _ => ("No disagreements", "Where everybody says the same there is nothing to discuss."),
    }
}

fn list(screen: &DiscussScreen, disputes: &Disputes, skin: &Skin, canvas: &mut Canvas<'_>) {
    let width = canvas.width();
    let waiting = disputes.list.iter().filter(|one| waits(disputes, one)).count();
    let all = counted(disputes.list.len(), "disagreement");
    let title = match disputes.view {
        View::Discuss | View::Decide if waiting > 0 => format!("{all}, {waiting} for you"),
        View::Discuss | View::Decide => format!("{all}, none waits for you"),
        _ => all,
    };
    canvas.print(1, 0, &title, skin.style(Role::Title), width.saturating_sub(2));
    let rows = list_rows(screen.size);
    for (y, (number, entry)) in (ABOVE..).zip(screen.entries.iter().enumerate().skip(screen.top).take(rows)) {
        let here = number == screen.cursor;
        let base = match (here, screen.in_case) {
            (true, false) => Role::Selection,
            (true, true) => Role::SelectionInactive,
            _ => Role::Text,
        };
        if here {
            canvas.style_row(y, skin.style(base));
            canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(base, Role::Accent));
        }
        match entry {
            Entry::Group(number) => {
                let Some(group) = screen.groups.get(*number) else { continue };
                let folded = screen.folded.contains(&group.title);
                let sign = if folded { skin.glyphs.closed } else { skin.glyphs.open };
                canvas.print(1, y, sign, skin.over(base, Role::TextDim), 1);
                let count = if group.waiting > 0 {
                    format!("{} of {}", group.waiting, group.cases.len())
                } else {
                    group.cases.len().to_string()
                };
                let room = width.saturating_sub(count.len() as u16 + 6);
                canvas.print(3, y, &group.title, skin.over(base, Role::Group), room);
                canvas.print_end(0, y, &count, skin.over(base, Role::Count), width.saturating_sub(1));
            }
            Entry::Case(number) => {
                let Some(dispute) = disputes.list.get(*number) else { continue };
                let waiting = waits(disputes, dispute);
                let (words, role) = words::standing(disputes, dispute);
                if waiting {
                    canvas.print(3, y, "•", skin.over(base, Role::StatusInfo), 1);
                }
                let end = (text::width(&words) as u16).min(width / 2);
                let room = width.saturating_sub(end + 7);
                let strong = if waiting { Role::Text } else { Role::TextDim };
                canvas.print(5, y, &fitted(&dispute.item, room.into()), skin.over(base, strong), room);
                let x = width.saturating_sub(end + 1);
                canvas.print(x, y, &words, skin.over(base, role), end);
            }
        }
    }
}

fn case(screen: &DiscussScreen, skin: &Skin, canvas: &mut Canvas<'_>) {
    let (width, height) = (canvas.width(), canvas.height());
    if screen.dispute().is_none() {
        let words = "j and k move to a case; Enter folds and unfolds a group.";
        canvas.print(2, 1, words, skin.style(Role::TextDim), width.saturating_sub(3));
        return;
    }
    let lines = head(screen, usize::from(width.saturating_sub(3)));
    for (y, line) in (0..height).zip(&lines) {
        let mut x = 2;
        for (text, role) in line {
            let style = match role {
                Role::Key => skin.style(Role::Key).add_modifier(Modifier::BOLD),
                role => skin.style(*role),
            };
            x = canvas.print(x, y, text, style, width.saturating_sub(x + 1));
        }
    }
    let y = lines.len() as u16;
    if y + 1 >= height {
        return;
    }
    canvas.rule(y, skin.glyphs.rule, skin.style(Role::Border));
    let title = if screen.in_case { Role::Accent } else { Role::Title };
    canvas.print(2, y, " difference ", skin.style(title), width.saturating_sub(3));
    screen.evidence.draw(&mut canvas.part(0, y + 1, width, height - y - 1), skin, screen.in_case);
}

/// Everything above the difference: at most three fifths of the rows, but always the answers.
fn head(screen: &DiscussScreen, width: usize) -> Vec<Line> {
    let (Some(disputes), Some(dispute)) = (&screen.disputes, screen.dispute()) else { return Vec::new() };
    // While one decides what was said counts more than the difference, which was read before.
    let rows = usize::from(screen.size.1);
    let most = if screen.pending.is_some() { rows * 3 / 4 } else { rows * 3 / 5 };
    let mut foot = foot(screen, disputes, width);
    // Of very many answers those that do not fit are typed.
    let room = most.saturating_sub(5).max(2);
    if foot.len() > room && screen.pending.is_none() {
        foot.truncate(room - 1);
        foot.push(vec![("=".to_owned(), Role::Key), (" types one of the others".to_owned(), Role::TextDim)]);
    }
    let mut lines = facts(screen, disputes, dispute, width);
    let mut record = record(disputes, dispute, width);
    let room = most.saturating_sub(lines.len() + foot.len());
    // The newest of the record is worth most.
    if record.len() > room {
        record.drain(..record.len() - room);
    }
    lines.extend(record);
    lines.truncate(most.saturating_sub(foot.len()).max(4));
    if !foot.is_empty() && lines.len() + foot.len() < most {
        lines.push(Vec::new());
    }
    lines.extend(foot);
    lines
}

fn place(screen: &DiscussScreen) -> String {
    let order = screen.in_order();
    let at = screen.case().and_then(|case| order.iter().position(|number| *number == case));
    at.map_or_else(String::new, |at| format!("{} of {}", at + 1, order.len()))
}

fn facts(screen: &DiscussScreen, disputes: &Disputes, dispute: &Dispute, width: usize) -> Vec<Line> {
    let question = disputes.round.codebook().question(&dispute.question);
    let place = place(screen);
    let room = width.saturating_sub(text::width(&place) + 2);
    let item = fitted(&dispute.item, room);
    let gap = " ".repeat(width.saturating_sub(text::width(&item) + text::width(&place)));
    let mut lines = vec![vec![(item, Role::Accent), (gap, Role::Text), (place, Role::Count)]];
    let asked = question.map_or("", |question| question.text.as_str());
    let lead = text::width(&dispute.question) + 2;
    for (number, line) in
        text::wrap(asked, width.saturating_sub(lead).max(20)).into_iter().take(2).enumerate()
    {
        let name = if number == 0 { format!("{}  ", dispute.question) } else { " ".repeat(lead) };
        lines.push(vec![(name, Role::Title), (line, Role::TextStrong)]);
    }
    let mut voices: Vec<(usize, &crate::label::dispute::Voice)> = dispute.voices.iter().enumerate().collect();
    // One's own answer first.
    if let Is::Annotator(own) = disputes.role {
        voices.sort_by_key(|(_, voice)| voice.who != Some(own));
    }
    let names: Vec<String> =
        voices.iter().map(|(place, voice)| words::who(disputes, *place, voice.who)).collect();
    let decided = match &dispute.standing {
        Standing::Decided(decided) => Some(&decided.decision),
        _ => None,
    };
    let wide = names.iter().map(|name| text::width(name)).max().unwrap_or(0).min(16);
    let wide = wide.max(if decided.is_some() { DECIDED.len() } else { 0 });
    for ((_, voice), name) in voices.iter().zip(&names) {
        // The key that takes the answer under a letter.
        let role = if disputes.view == View::Decide { Role::Key } else { Role::TextStrong };
        let mut line = vec![(format!("{}  ", text::pad(name, wide)), role)];
        let changed = voice.who.is_some() && voice.blind != voice.now;
        if changed {
            line.push((words::value_or_none(&voice.blind), Role::TextDim));
            line.push((" → ".to_owned(), Role::TextDim));
        }
        let (id, label) = words::long(question, &voice.now);
        line.push((id, if voice.now.is_some() { Role::BadgeType } else { Role::TextDim }));
        if !label.is_empty() {
            line.push((format!("  {label}"), Role::Text));
        }
        lines.push(line);
        if !voice.note.is_empty() {
            let note = format!("“{}”", voice.note);
            let indent = " ".repeat(wide + 2);
            let wrapped = text::wrap(&note, width.saturating_sub(wide + 2).max(8));
            lines.extend(
                wrapped.into_iter().take(2).map(|part| vec![(format!("{indent}{part}"), Role::TextDim)]),
            );
        }
    }
    if let Some(decision) = decided {
        let (id, label) = words::long(question, &Some(decision.value.clone()));
        let mut line =
            vec![(format!("{}  ", text::pad(DECIDED, wide)), Role::StatusOk), (id, Role::StatusOk)];
        if !label.is_empty() {
            line.push((format!("  {label}"), Role::Text));
        }
        lines.push(line);
        let indent = " ".repeat(wide + 2);
        let mut say = |words: &str, role: Role| {
            let wrapped = text::wrap(words, width.saturating_sub(wide + 2).max(8));
            lines.extend(wrapped.into_iter().take(3).map(|part| vec![(format!("{indent}{part}"), role)]));
        };
        say(&format!("{}: {}", decision.reason.as_str(), decision.reason.describe()), Role::Text);
        if !decision.comment.is_empty() {
            say(&format!("“{}”", decision.comment), Role::TextDim);
        }
    }
    let settled: Vec<String> = dispute
        .settled
        .iter()
        .filter(|(question, _)| **question != dispute.question)
        .map(|(question, value)| format!("{question} {}", words::short(value)))
        .collect();
    if !settled.is_empty() {
        lines.push(vec![("settled: ".to_owned(), Role::TextDim), (settled.join(", "), Role::Text)]);
    }
    lines
}

fn record(disputes: &Disputes, dispute: &Dispute, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for remark in &dispute.record {
        let (who, what) = words::remark(disputes, remark);
        let indent = text::width(&who) + 2;
        for (number, part) in
            text::wrap(&what, width.saturating_sub(indent).max(8)).into_iter().take(3).enumerate()
        {
            let lead = if number == 0 { format!("{who}  ") } else { " ".repeat(indent) };
            lines.push(vec![(lead, Role::TextDim), (part, Role::Text)]);
        }
    }
    lines
}

/// The answers and what was chosen.
fn foot(screen: &DiscussScreen, disputes: &Disputes, width: usize) -> Vec<Line> {
    if !matches!(disputes.view, View::Discuss | View::Decide) {
        return Vec::new();
    }
    let mut lines: Vec<Line> = Vec::new();
    if screen.undoing {
        let what = if disputes.view == View::Decide { "decision" } else { "answer" };
        lines.push(vec![
            (format!("Take your last {what} back?  "), Role::StatusWarn),
            ("Enter".to_owned(), Role::Key),
            (" does it, ".to_owned(), Role::Text),
            ("Esc".to_owned(), Role::Key),
            (" leaves it".to_owned(), Role::Text),
        ]);
        return lines;
    }
    let comment = |text: &str| -> Line {
        let note = text::truncate(text, width.saturating_sub(4)).into_owned();
        vec![(format!("“{note}”"), Role::TextDim)]
    };
    let Some(chosen) = screen.chosen() else {
        let mut lines = chips(screen, width);
        lines.extend(screen.draft().as_deref().map(comment));
        return lines;
    };
    let Some(pending) = &screen.pending else { return lines };
    if pending.collecting {
        lines.extend(chips(screen, width));
        lines.push(vec![
            (format!("chosen: {chosen}  "), Role::StatusInfo),
            ("Enter".to_owned(), Role::Key),
            (" takes these".to_owned(), Role::Text),
        ]);
        return lines;
    }
    let what = if disputes.view == View::Decide { "decision" } else { "your answer" };
    lines.push(vec![(format!("{what}: "), Role::StatusInfo), (chosen, Role::TextStrong)]);
    lines.extend(pending.comment.as_deref().filter(|text| !text.is_empty()).map(comment));
    if disputes.view == View::Discuss {
        lines.push(vec![
            ("Enter".to_owned(), Role::Key),
            (" saves it and goes on, ".to_owned(), Role::Text),
            ("N".to_owned(), Role::Key),
            (" adds why, ".to_owned(), Role::Text),
            ("Esc".to_owned(), Role::Key),
            (" drops it".to_owned(), Role::Text),
        ]);
        return lines;
    }
    lines.push(vec![("Why did they differ?".to_owned(), Role::Title)]);
    for (number, reason) in ReasonCode::ALL.into_iter().enumerate() {
        let here = pending.reason == Some(number);
        let sign = if here { "> " } else { "  " };
        lines.push(vec![
            (sign.to_owned(), Role::Accent),
            ((number + 1).to_string(), Role::Key),
            (format!(" {:<11}", reason.as_str()), if here { Role::Accent } else { Role::TextStrong }),
            (reason.describe().to_owned(), Role::TextDim),
        ]);
    }
    lines
}

/// The answers with their keys, in as many columns as fit, one under the other as in labelling.
fn chips(screen: &DiscussScreen, width: usize) -> Vec<Line> {
    let Some(question) = screen.question() else { return Vec::new() };
    if !question.kind.is_choice() {
        let what = if question.kind == Kind::Text { "text" } else { "number" };
        return vec![vec![("=".to_owned(), Role::Key), (format!(" types the {what}"), Role::Text)]];
    }
    let chosen: Vec<&str> = match screen.pending.as_ref() {
        Some(pending) if pending.collecting => pending.value.answers(),
        _ => Vec::new(),
    };
    let mut answers: Vec<(char, String, Role)> = Vec::new();
    for answer in question.categories() {
        let Some(key) = answer.key else { continue };
        let label = if answer.label.eq_ignore_ascii_case(&answer.id) || answer.label.is_empty() {
            answer.id.clone()
        } else {
            format!("{} {}", answer.id, answer.label)
        };
        let role = if chosen.contains(&answer.id.as_str()) { Role::StatusOk } else { Role::Text };
        answers.push((key, label, role));
    }
    // In columns, so that the eye finds a key again.
    let widest = answers.iter().map(|(_, label, _)| text::width(label)).max().unwrap_or(0);
    let columns = (width / (widest + 5)).clamp(1, answers.len().max(1));
    let columns = if columns == 1 && answers.len() > 4 { 2 } else { columns };
    let room = (width / columns).saturating_sub(5).min(widest).max(4);
    let rows = answers.len().div_ceil(columns);
    let mut lines: Vec<Line> = vec![Vec::new(); rows];
    for ((key, label, role), row) in answers.iter().zip((0..rows.max(1)).cycle()) {
        lines[row].push((key.to_string(), Role::Key));
        lines[row].push((format!(" {}   ", text::pad(&text::truncate(label, room), room)), *role));
    }
    lines
}
