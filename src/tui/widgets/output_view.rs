//! What a program writes, as it comes: the last lines of it.
//!
//! Promises: memory and work are bounded whatever is written, and what was left out is told; the end is followed until
//! somebody scrolls; nothing reaches the terminal but text and theme colours. Leaves to others: cutting bytes into
//! lines (`msg::verify`), what is run.

use crate::text::thousands;
use crate::text::{self, Ink, Inked};
use crate::theme::Role;
use crate::tui::widgets::canvas::{Canvas, TAB_WIDTH};
use crate::tui::widgets::diff_view::occurrences;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::trail::Trail;
use ratatui::style::{Modifier, Style};
use std::collections::VecDeque;

/// Most lines that are kept.
pub const MOST_LINES: usize = 2_000;
/// Most bytes that are kept.
pub const MOST_BYTES: usize = 1 << 20;

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
    /// mendbench: which command runs, how it ended.
    Note,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLine {
    /// Its text and colours, untrusted.
    pub line: Inked,
    /// Who wrote it.
    pub source: Source,
}

impl OutputLine {
    /// A line of ours.
    pub fn note(text: impl Into<String>) -> OutputLine {
        OutputLine { line: Inked::plain(text), source: Source::Note }
    }
}

/// The lines and where one has scrolled to.
#[derive(Debug, Default)]
pub struct OutputView {
    lines: VecDeque<OutputLine>,
    /// Lines that have no end yet.
    open: Vec<OutputLine>,
    bytes: usize,
    left_out: u64,
    trail: Trail,
    search: Option<(String, bool)>,
    found: usize,
}

impl OutputView {
    /// Takes lines that came, the ones that have no end yet, and how many were left out before them.
    pub fn extend(
        &mut self,
        lines: impl IntoIterator<Item = OutputLine>,
        open: Vec<OutputLine>,
        left_out: u64,
    ) {
        if left_out > 0 {
            // What was kept lies before the gap: only what follows it is whole.
            self.left_out = left_out + self.count();
            self.lines.clear();
            self.bytes = 0;
            self.trail.lost(usize::MAX);
        }
        for line in lines {
            self.bytes += line.line.text.len();
            self.lines.push_back(line);
        }
        while self.lines.len() > MOST_LINES || (self.bytes > MOST_BYTES && self.lines.len() > 1) {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.line.text.len();
            self.left_out += u64::from(gone.source != Source::Note);
            self.trail.lost(1);
            self.found = self.found.saturating_sub(1);
        }
        self.open = open;
        self.trail.clamp(self.len());
    }

    /// The view's height is known.
    pub fn resize(&mut self, height: u16) {
        self.trail.resize(height, self.len());
    }

    /// Lines that can be seen: those of the program, and one in front that tells how many are gone.
    fn len(&self) -> usize {
        self.lines.len() + self.open.len() + usize::from(self.left_out > 0)
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lines that the program wrote so far, those that are gone included.
    pub fn count(&self) -> u64 {
        let written = self.lines.iter().filter(|line| line.source != Source::Note).count();
        self.left_out + written as u64
    }

    /// Whether the end is followed.
    pub fn follows(&self) -> bool {
        self.trail.follows()
    }

    fn shown_top(&self) -> usize {
        self.trail.top(self.len())
    }

    /// Scrolls by lines; at the end it is followed again.
    pub fn scroll(&mut self, lines: isize) {
        self.trail.scroll(lines, self.len());
    }

    /// Scrolls by a page or half of one.
    pub fn page(&mut self, down: bool, half: bool) {
        self.trail.page(down, half, self.len());
    }

    /// To the first or the last line.
    pub fn edge(&mut self, last: bool) {
        self.trail.edge(last, self.len());
    }

    /// Scrolls sideways.
    pub fn scroll_sideways(&mut self, columns: isize) {
        self.trail.scroll_sideways(columns);
    }

    fn get(&self, index: usize) -> Option<&OutputLine> {
        let index = index.checked_sub(usize::from(self.left_out > 0))?;
        self.lines.get(index).or_else(|| self.open.get(index - self.lines.len()))
    }

    /// The lines in view, as they were written, for copying.
    pub fn text(&self) -> String {
        let lines = self.lines.iter().chain(&self.open).map(|line| line.line.text.as_str());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Starts a search and goes to its last hit; says how many lines hold it.
    pub fn search(&mut self, words: &str) -> usize {
        if words.is_empty() {
            self.search = None;
            return 0;
        }
        self.search = Some((words.to_owned(), words.chars().any(char::is_uppercase)));
        let matching = self.matching();
        if let Some(last) = matching.last() {
            self.show(*last);
        }
        matching.len()
    }

    /// To the next or previous hit: its number and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let matching = self.matching();
        let next = if forward {
            matching.iter().position(|line| *line > self.found).or((!matching.is_empty()).then_some(0))
        } else {
            matching.iter().rposition(|line| *line < self.found).or(matching.len().checked_sub(1))
        };
        let number = next?;
        self.show(*matching.get(number)?);
        Some((number + 1, matching.len()))
    }

    fn matching(&self) -> Vec<usize> {
        let Some((words, exact)) = &self.search else { return Vec::new() };
        let holds = |index: &usize| {
            self.get(*index).is_some_and(|line| !occurrences(&line.line.text, words, *exact).is_empty())
        };
        (0..self.len()).filter(holds).collect()
    }

    fn show(&mut self, line: usize) {
        self.found = line;
        self.trail.centre(line, self.len());
    }

    /// Draws the lines in view.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let top = self.shown_top();
        for y in 0..canvas.height() {
            let index = top + usize::from(y);
            if index == 0 && self.left_out > 0 {
                let gone = format!("{} earlier lines are not kept", thousands(self.left_out as usize));
                canvas.print(0, y, &gone, skin.style(Role::TextDim), canvas.width());
                continue;
            }
            let Some(line) = self.get(index) else { break };
            self.draw_line(canvas, skin, y, line);
        }
    }

    fn draw_line(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, line: &OutputLine) {
        let room = usize::from(canvas.width());
        let Inked { text, runs } = &line.line;
        if line.source == Source::Note {
            canvas.print(0, y, text, skin.style(Role::Title), canvas.width());
            return;
        }
        let base = skin.style(Role::Text);
        let found = self.search.as_ref().map_or_else(Vec::new, |(words, exact)| {
            // Of a long line only what is in view is looked at.
            let end = text
                .floor_char_boundary(text::byte_at(text, TAB_WIDTH, self.trail.left() + room) + words.len());
            occurrences(&text[..end], words, *exact)
        });
        let mut run = 0;
        for cell in text::cells(text, TAB_WIDTH).window(self.trail.left(), room) {
            let start = cell.range.start;
            while runs.get(run).is_some_and(|(end, _)| *end as usize <= start) {
                run += 1;
            }
            let mut style = runs.get(run).map_or(base, |(_, ink)| inked(*ink, skin));
            if cell.placeholder {
                style = style.patch(skin.style(Role::Placeholder));
            }
            if found.iter().any(|range| range.contains(&start)) {
                style = style.patch(skin.style(Role::Match));
            }
            canvas.put((cell.column - self.trail.left()) as u16, y, &cell.text, cell.width, style);
        }
    }
}

/// The style of an ink: the sixteen colours are roles of the theme, so that they can be read on any ground.
fn inked(ink: Ink, skin: &Skin) -> Style {
    let role = match ink.colour {
        Some(1 | 9) => Role::VerdictFailed,
        Some(2 | 10) => Role::VerdictPassed,
        Some(3 | 11) => Role::StatusWarn,
        Some(4 | 12) => Role::StatusInfo,
        Some(5 | 13) => Role::SyntaxKeyword,
        Some(6 | 14) => Role::SyntaxType,
        Some(0 | 8) => Role::TextDim,
        Some(15) => Role::TextStrong,
        _ if ink.dim => Role::TextDim,
        _ => Role::Text,
    };
    let mut style = skin.style(role);
    for (wanted, modifier) in [
        (ink.bold, Modifier::BOLD),
        (ink.italic, Modifier::ITALIC),
        (ink.underline, Modifier::UNDERLINED),
        (ink.reverse, Modifier::REVERSED),
    ] {
        if wanted {
            style = style.add_modifier(modifier);
        }
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: u64, to: u64) -> Vec<OutputLine> {
        (from..to)
            .map(|n| OutputLine { line: Inked::plain(format!("line {n}")), source: Source::Output })
            .collect()
    }

    fn first(view: &OutputView) -> String {
        view.get(view.shown_top()).map_or_else(|| "gone".to_owned(), |line| line.line.text.clone())
    }

    #[test]
    fn the_end_is_followed_until_somebody_scrolls() {
        let mut view = OutputView::default();
        view.resize(10);
        view.extend(lines(0, 100), Vec::new(), 0);
        assert_eq!(first(&view), "line 90");
        view.scroll(-5);
        view.extend(lines(100, 200), Vec::new(), 0);
        assert_eq!((first(&view).as_str(), view.follows()), ("line 85", false));
        view.edge(true);
        view.extend(lines(200, 300), Vec::new(), 0);
        assert_eq!((first(&view).as_str(), view.follows()), ("line 290", true));
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_rest_is_counted() {
        let mut view = OutputView::default();
        view.resize(10);
        view.extend(lines(0, 5_000), Vec::new(), 0);
        assert_eq!((view.lines.len(), view.left_out), (MOST_LINES, 3_000));
        view.scroll(-100);
        let before = first(&view);
        view.extend(lines(5_000, 5_010), Vec::new(), 0);
        assert_eq!(first(&view), before, "what is read does not run away");
        view.extend(lines(9_000, 9_020), Vec::new(), 3_990);
        assert_eq!((view.lines.len(), view.count()), (20, 9_020));
        let long = OutputLine { line: Inked::plain("x".repeat(MOST_BYTES)), source: Source::Output };
        view.extend([long.clone(), long], Vec::new(), 0);
        assert_eq!(view.lines.len(), 1);
    }

    #[test]
    fn search_goes_from_hit_to_hit() {
        let mut view = OutputView::default();
        view.resize(10);
        view.extend(lines(0, 1_000), lines(7, 8), 0);
        assert_eq!(view.search("line 77"), 11);
        assert_eq!(view.search_step(true), Some((1, 11)));
        assert_eq!(view.search_step(false), Some((11, 11)));
        assert_eq!(view.search("nothing"), 0);
        assert_eq!(view.search_step(true), None);
    }
}
