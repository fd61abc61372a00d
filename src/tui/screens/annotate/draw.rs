//! Drawing the screen: evidence above, the question below it or beside it.
//!
//! Promises: the question is there at any size that can be drawn; its place is the same for all questions of a
//! codebook, so that the evidence does not jump. Leaves to others: the question itself (`strip`).

use super::evidence::{Page, Source};
use super::strip;
use super::work::Work;
use super::{AnnotateScreen, Stage, list, meaning};
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::screens::Context;
use crate::tui::screens::elsewhere::elsewhere;
use crate::tui::screens::task::testing;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::{self, DiffView, Look};
use crate::tui::widgets::{field, panel};
use ratatui::layout::Rect;

/// Columns and rows from which on the question stands beside the evidence.
const BESIDE_FROM: (u16, u16) = (118, 26);

/// Rows from which on the title of the task is shown.
const TITLE_FROM: u16 = 16;

/// Seconds after which it is told that saving takes long: another process holds the workspace.
const LONG: u32 = 2;

/// Where things stand in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The evidence, under its names.
    pub evidence: Rect,
    /// What an answer means, between the two, so that the change stays in view.
    pub explained: Rect,
    /// The question.
    pub strip: Rect,
    /// Whether it stands beside the evidence.
    pub beside: bool,
}

/// What stands at the right end of the header.
pub fn header(work: &Work) -> String {
    let (at, all) = (thousands(work.at + 1), thousands(work.rows().len()));
    format!("{} \u{b7} item {at} of {all}", work.opened.phase)
}

/// Progress, pace, time left, and when something was written last.
pub fn footer(work: &Work) -> String {
    let (done, all) = (work.done, work.rows().len());
    let mut parts = vec![format!("{} of {}", thousands(done), thousands(all))];
    if let Some(pace) = work.pace().filter(|_| done < all) {
        parts.push(format!("{} an item", duration(u64::from(pace))));
        parts.push(format!("{} left", rough(u64::from(pace) * (all - done) as u64)));
    }
    match (&work.pending, &work.saved) {
        (Some(pending), _) if pending.failure.is_some() => parts.push("NOT saved".to_owned()),
        (Some(pending), _) if pending.seconds >= LONG => {
            parts.push(format!("saving\u{2026} {} s, the workspace is busy", pending.seconds));
        }
        (Some(_), _) => parts.push("saving\u{2026}".to_owned()),
        (None, Some(at)) => parts.push(format!("saved {at}")),
        (None, None) => {}
    }
    parts.join(" \u{b7} ")
}

/// Seconds as people say them.
fn duration(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        _ => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}

/// A long time, not more exact than it is known.
fn rough(seconds: u64) -> String {
    match seconds {
        0..=59 => "1 min".to_owned(),
        60..=5399 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

impl AnnotateScreen {
    /// Where things stand.
    pub(super) fn places(&self) -> Places {
        let (width, height) = self.size;
        // The names of the evidence, and the title of the task where there is room.
        let tabs = u16::from(height > 6) + u16::from(height >= TITLE_FROM);
        let Some(work) = self.work() else {
            let all = Rect { x: 0, y: 0, width, height };
            let none = Rect::default();
            return Places { evidence: all, explained: none, strip: none, beside: false };
        };
        if width >= BESIDE_FROM.0 && height >= BESIDE_FROM.1 {
            let wide = (width / 3).clamp(40, 52);
            let left = width - wide;
            return Places {
                evidence: Rect { x: 0, y: tabs, width: left - 1, height: height - tabs },
                explained: Rect::default(),
                strip: Rect { x: left + 1, y: 0, width: wide - 1, height },
                beside: true,
            };
        }
        let rows = strip::rows(&work.opened.codebook, width, height).min(height);
        let rest = height - rows;
        let tabs = tabs.min(rest);
        // Some rows of the evidence are left whatever there is to explain.
        let explained = meaning::explanation_rows(work, width).min((rest - tabs).saturating_sub(5));
        let evidence = rest - tabs - explained;
        Places {
            evidence: Rect { x: 0, y: tabs, width, height: evidence },
            explained: Rect { x: 0, y: tabs + evidence, width, height: explained },
            strip: Rect { x: 0, y: rest, width, height: rows },
            beside: false,
        }
    }

    pub(super) fn draw_work(&self, work: &Work, ctx: &Context, canvas: &mut Canvas<'_>) {
        let places = self.places();
        let skin = &ctx.skin;
        let Rect { x, y, width, height } = places.evidence;
        if y > 0 {
            self.draw_tabs(work, ctx, &mut canvas.part(0, 0, width, 1));
        }
        if y > 1
            && let Some(loaded) = self.evidence.loaded().filter(|_| work.list.is_none())
        {
            let title = loaded.task.title_without_findings();
            canvas.print(1, 1, &title, skin.style(Role::Title), width.saturating_sub(2));
        }
        let mut area = canvas.part(x, y, width, height);
        match work.list {
            Some(at) => list::draw(work, at, &mut area, skin),
            None => self.draw_evidence(ctx, &mut area),
        }
        if places.beside {
            canvas.bar(width, 0, canvas.height(), skin.glyphs.bar, skin.style(Role::Border));
        } else if places.explained.height > 0 {
            meaning::draw_explanation(work, canvas, skin, places.explained);
        }
        let Rect { x, y, width, height } = places.strip;
        let cut = strip::draw(work, &mut canvas.part(x, y, width, height), skin, places.beside);
        let rows = meaning::explanation_rows(work, places.evidence.width).min(places.evidence.height);
        if cut && rows > 0 {
            let Rect { x, y, width, height } = places.evidence;
            let place = Rect { x, y: y + height - rows, width, height: rows };
            meaning::draw_explanation(work, canvas, skin, place);
        }
    }

    /// The names of the evidence, each behind its key, and what is known about the item.
    fn draw_tabs(&self, work: &Work, ctx: &Context, canvas: &mut Canvas<'_>) {
        let skin = &ctx.skin;
        let width = canvas.width();
        let shown = if work.list.is_some() { None } else { Some(self.evidence.page()) };
        for (page, name, start, _) in tab_places(width) {
            let role = if shown == Some(page) { Role::TabActive } else { Role::Tab };
            let style = skin.style(role);
            canvas.print(start, 0, &format!(" {} {name} ", key_of(page)), style, width.saturating_sub(start));
            if shown != Some(page) {
                canvas.print(start + 1, 0, key_of(page), skin.over(Role::Tab, Role::Key), 1);
            }
        }
        let left = tab_places(width).last().map_or(0, |(_, _, _, end)| *end) + 1;
        let room = width.saturating_sub(left + 1);
        let mut candidates: Vec<(String, Role)> = Vec::new();
        if let (_, Some(found)) = self.evidence.search_field() {
            candidates.push((found.to_owned(), Role::TextDim));
        }
        if let Some(running) = self.evidence.tests().status() {
            candidates.push((running, Role::Accent));
        }
        if matches!(self.evidence.page(), Page::Diff | Page::File) {
            match self.evidence.view().map_or((0, 0), DiffView::hunk_position) {
                (_, 0) => {}
                (0, all) => candidates
                    .push((format!("{all} change{}", if all == 1 { "" } else { "s" }), Role::TextDim)),
                (at, all) => {
                    candidates.push((format!("change {at} of {all}"), Role::TextDim));
                    candidates.push((format!("{at}/{all}"), Role::TextDim));
                }
            }
        }
        if let Some((words, role)) =
            candidates.iter().find(|(words, _)| text::width(words) <= usize::from(room))
        {
            canvas.print_end(left, 0, words, skin.style(*role), room);
        }
    }

    fn draw_evidence(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        let skin = &ctx.skin;
        let (width, height) = (canvas.width(), canvas.height());
        let evidence = &self.evidence;
        if evidence.page() == Page::Guide {
            evidence.text().draw(&mut canvas.part(1, 0, width.saturating_sub(2), height), skin);
            return;
        }
        let Stage::Work(work) = &self.stage else { return };
        let loaded = match &evidence.source {
            Source::Here(loaded) => loaded,
            Source::Reading => {
                return panel::message(canvas, skin, "Reading the item\u{2026}", "", Role::TextDim);
            }
            Source::Gone => {
                let body = format!(
                    "{} is in the round, but not among the {} tasks of {}. {} What was said about it is kept; S puts it aside.",
                    work.row().task,
                    thousands(ctx.tasks().len()),
                    ctx.origin.label,
                    elsewhere(&work.opened.source, &work.opened.who, ctx),
                );
                return panel::message(canvas, skin, "This task is not here", &body, Role::Text);
            }
            Source::Failed(why) => {
                return panel::message(canvas, skin, "This task could not be read", why, Role::StatusError);
            }
        };
        let typing = evidence.is_typing();
        let mut top = 0;
        if loaded.revision.to_string() != work.row().revision {
            let words = "This task has changed since the round was made: what you see is another revision.";
            canvas.print(1, 0, words, skin.style(Role::StatusWarn), width.saturating_sub(2));
            top = 1;
        }
        let body = height.saturating_sub(top + u16::from(typing));
        match (evidence.page(), evidence.view()) {
            (Page::Diff | Page::File, Some(view)) if !view.diff().files.is_empty() => {
                diff_view::draw(view, &mut canvas.part(0, top, width, body), &Look { skin, cursor: true });
            }
            (Page::Diff | Page::File, _) => {
                let mut area = canvas.part(0, top, width, body);
                panel::message(
                    &mut area,
                    skin,
                    "No difference to show",
                    &loaded.nothing_to_compare(),
                    Role::Text,
                );
            }
            (Page::Tests | Page::Log, _) if evidence.shows_tests() => {
                testing::draw(evidence.tests(), &mut canvas.part(0, top, width, body), skin);
            }
            _ => evidence.text().draw(&mut canvas.part(1, top, width.saturating_sub(2), body), skin),
        }
        if typing {
            let (input, found) = evidence.search_field();
            let mut line = canvas.part(0, height.saturating_sub(1), width, 1);
            let x = field::draw(&mut line, skin, 0, "/", input, true, width.saturating_sub(16));
            if let Some(found) = found {
                line.print(x + 2, 0, found, skin.style(Role::TextDim), 20);
            }
        }
    }

    /// The mouse was pressed.
    pub(super) fn clicked(&mut self, x: u16, y: u16) {
        let places = self.places();
        let place = places.evidence;
        if y < place.y.min(1) {
            let tabs = tab_places(place.width);
            if let Some((page, ..)) = tabs.into_iter().find(|(_, _, start, end)| (*start..*end).contains(&x))
            {
                self.evidence.select(page);
            }
        } else if place.contains((x, y).into()) {
            self.evidence.click(x - place.x, y - place.y);
        }
    }
}

/// The key that shows a page, as mendbench comes.
fn key_of(page: Page) -> &'static str {
    match page {
        Page::Diff => "D",
        Page::File => "W",
        Page::Message => "I",
        Page::Tests => "T",
        Page::Log => "O",
        Page::Context => "C",
        Page::Feedback => "F",
        Page::Guide => "H",
    }
}

/// Each piece of evidence with its name, and where that starts and ends; short names where there is little room.
fn tab_places(width: u16) -> Vec<(Page, &'static str, u16, u16)> {
    let places = |long: bool| {
        let mut x = 0;
        let place = |page: Page| {
            let name = if long { page.names().0 } else { page.names().1 };
            let start = x;
            x += name.len() as u16 + 4;
            (page, name, start, x)
        };
        Page::ALL[..7].iter().copied().map(place).collect::<Vec<_>>()
    };
    let long = places(true);
    match long.last() {
        Some((_, _, _, end)) if *end + 14 > width => places(false),
        _ => long,
    }
}
