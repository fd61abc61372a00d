//! Runs of changed lines laid into a file by their context.
//!
//! Promises: context lines stay the file's own, byte for byte; only what a hunk removes is replaced; the line
//! numbers of a header are a hint and nothing more; a hunk whose place is not certain is refused, and the
//! others with it.
//! Leaves to others: reading patches (`patches`), finding places (`seek`).

use super::seek::{Haystack, Hints, Likeness, Miss, Place, shift};
use crate::diff::LineKind;
use crate::repair::file::{Edit, FileText};
use crate::repair::outcome::ApplicationOutcome;
use std::ops::Range;

/// A run of lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// The line at which it should begin, from 0.
    pub line: Option<usize>,
    /// Text of a line above it.
    pub section: String,
    /// The lines, without their ends.
    pub lines: Vec<(LineKind, String)>,
    /// Whether the new text ends without a line end, where the answer says so.
    pub ends_bare: Option<bool>,
    /// What it is called in messages.
    pub name: String,
}

impl Hunk {
    /// A replacement of some lines by others; what both begin and end with is context.
    pub(super) fn replacing(old: &[&str], new: &[&str], name: String) -> Hunk {
        let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let most = old.len().min(new.len()) - before;
        let after =
            old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
        let of = |kind: LineKind, lines: &[&str]| {
            lines.iter().map(|line| (kind, (*line).to_owned())).collect::<Vec<_>>()
        };
        let lines = [
            of(LineKind::Context, &old[..before]),
            of(LineKind::Removed, &old[before..old.len() - after]),
            of(LineKind::Added, &new[before..new.len() - after]),
            of(LineKind::Context, &old[old.len() - after..]),
        ];
        Hunk { lines: lines.concat(), name, ..Hunk::default() }
    }

    fn old(&self) -> Vec<&str> {
        self.side(LineKind::is_old)
    }

    fn side(&self, is: fn(LineKind) -> bool) -> Vec<&str> {
        self.lines.iter().filter(|(kind, _)| is(*kind)).map(|(_, text)| text.as_str()).collect()
    }

    fn changes(&self) -> bool {
        self.lines.iter().any(|(kind, _)| *kind != LineKind::Context)
    }
}

/// What laying hunks came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Laid {
    pub edits: Vec<Edit>,
    pub manner: ApplicationOutcome,
    pub notes: Vec<String>,
}

/// Lays hunks into a file. `within`: the lines of the functions that were asked for.
pub(super) fn lay(
    file: &FileText<'_>,
    hunks: &[Hunk],
    within: Vec<Range<usize>>,
    fuzzy: bool,
) -> Result<Laid, String> {
    let text = file.text.as_ref();
    let whole: Vec<&str> = text.split_inclusive('\n').collect();
    let bare = |line: &'_ &'_ str| -> usize {
        line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line).len()
    };
    let stack = Haystack::new(whole.iter().map(|line| &line[..bare(line)]).collect());
    let mut starts: Vec<usize> = Vec::with_capacity(whole.len() + 1);
    let mut at = 0;
    for line in &whole {
        starts.push(at);
        at += line.len();
    }
    starts.push(at);
    let mut page = Page { stack, whole, starts, end: text.len(), edits: Vec::new() };
    let mut laid = Laid { edits: Vec::new(), manner: ApplicationOutcome::NoOp, notes: Vec::new() };
    let mut offset: isize = 0;
    for hunk in hunks.iter().filter(|hunk| hunk.changes()) {
        let old = hunk.old();
        if old.is_empty() {
            laid.manner = laid.manner.and(page.insert(hunk)?);
            continue;
        }
        let expected: Vec<usize> =
            hunk.line.map(|line| vec![line, line.saturating_add_signed(offset)]).unwrap_or_default();
        let hints =
            Hints { lines: expected, within: within.clone(), after: page.line_of(&hunk.section), fuzzy };
        match page.place(hunk, &hints) {
            Ok(place) => {
                if let Some(line) = hunk.line.filter(|line| *line != place.line) {
                    offset = isize::try_from(place.line).unwrap_or(0) - isize::try_from(line).unwrap_or(0);
                    laid.notes.push(format!(
                        "{} says line {}, and its context stands at line {}",
                        hunk.name,
                        line + 1,
                        place.line + 1
                    ));
                }
                laid.manner = laid.manner.and(page.put(hunk, place));
            }
            Err(miss) => {
                if let Some(manner) = page.split(hunk, &hints) {
                    laid.notes
                        .push(format!("{} was laid in parts: its context is not in one piece", hunk.name));
                    laid.manner = laid.manner.and(manner);
                } else if page.has(hunk) {
                    laid.notes.push(format!("{} is there already", hunk.name));
                } else {
                    return Err(page.refuse(hunk, &miss));
                }
            }
        }
    }
    laid.edits = page.edits;
    Ok(laid)
}

struct Page<'a> {
    stack: Haystack<'a>,
    whole: Vec<&'a str>,
    starts: Vec<usize>,
    end: usize,
    edits: Vec<Edit>,
}

impl Page<'_> {
    /// The only line that holds a text.
    fn line_of(&self, section: &str) -> Option<usize> {
        let section = section.trim();
        if section.is_empty() || section.len() > 500 {
            return None;
        }
        let mut lines =
            (0..self.stack.len()).filter(|line| self.stack.line(*line).trim().starts_with(section));
        match (lines.next(), lines.next()) {
            (Some(line), None) => Some(line),
            _ => None,
        }
    }

    /// The place of a hunk, without its outermost context lines where they are not there.
    fn place(&self, hunk: &Hunk, hints: &Hints) -> Result<Place, Miss> {
        let old = hunk.old();
        let strict = Hints { fuzzy: false, ..hints.clone() };
        match self.stack.find(&old, &strict) {
            Err(Miss::None(_)) if hints.fuzzy => self.stack.find(&old, hints),
            found => found,
        }
    }

    /// Whether the new text of a hunk stands in the file.
    fn has(&self, hunk: &Hunk) -> bool {
        let new = hunk.side(LineKind::is_new);
        let adds = hunk.lines.iter().any(|(kind, _)| *kind == LineKind::Added);
        let length: usize = new.iter().map(|line| line.trim().len()).sum();
        adds && length > 0 && self.stack.find(&new, &Hints::default()).is_ok()
    }

    /// Changes the lines of a hunk at its place.
    fn put(&mut self, hunk: &Hunk, place: Place) -> ApplicationOutcome {
        // What new lines are moved by: as the line before them was, or the first one after.
        let mut moved: (&str, &str) = ("", "");
        let mut line = place.line;
        let mut shifts = Vec::with_capacity(hunk.lines.len());
        for (kind, text) in &hunk.lines {
            if kind.is_old() {
                if !text.trim().is_empty() {
                    moved = shift(text, self.stack.line(line));
                }
                line += 1;
            }
            shifts.push(moved);
        }
        let moves = !matches!(place.likeness, Likeness::Same | Likeness::Ends);
        let first =
            hunk.lines.iter().zip(&shifts).find(|((kind, text), _)| kind.is_old() && !text.trim().is_empty());
        let first = first.map_or(("", ""), |(_, shift)| *shift);
        let mut line = place.line;
        let mut number = 0;
        while let Some((kind, _)) = hunk.lines.get(number) {
            if *kind == LineKind::Context {
                line += 1;
                number += 1;
                continue;
            }
            let (from, begin) = (line, number);
            let mut new = String::new();
            while let Some((kind, text)) =
                hunk.lines.get(number).filter(|(kind, _)| *kind != LineKind::Context)
            {
                if *kind == LineKind::Removed {
                    line += 1;
                } else {
                    let seen = hunk.lines[..number]
                        .iter()
                        .any(|(kind, text)| kind.is_old() && !text.trim().is_empty());
                    let (off, on) = if seen { shifts[number] } else { first };
                    match (moves && !text.trim().is_empty(), text.strip_prefix(off)) {
                        (true, Some(rest)) => {
                            new.push_str(on);
                            new.push_str(rest);
                        }
                        _ => new.push_str(text),
                    }
                    new.push('\n');
                }
                number += 1;
            }
            let last = number == hunk.lines.len();
            debug_assert!(begin < number);
            self.replace(from..line, new, hunk.ends_bare.filter(|_| last));
        }
        if hunk.ends_bare == Some(false)
            && hunk.lines.last().is_some_and(|(kind, _)| *kind == LineKind::Context)
        {
            self.end_last_line(line);
        }
        match place.likeness {
            Likeness::Same => ApplicationOutcome::Exact,
            Likeness::Ends | Likeness::Indentation | Likeness::Punctuation => ApplicationOutcome::Normalised,
            Likeness::Fuzzy(score) => ApplicationOutcome::Fuzzy(score),
        }
    }

    fn end_last_line(&mut self, line: usize) {
        if line == self.whole.len() && self.whole.last().is_some_and(|last| !last.ends_with('\n')) {
            self.edits.push(Edit { range: self.end..self.end, text: "\n".to_owned() });
        }
    }

    /// Replaces whole lines. At the end of the file the file's own habit decides about the last line end,
    /// unless the answer says it.
    fn replace(&mut self, lines: Range<usize>, mut new: String, ends_bare: Option<bool>) {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.end);
        let mut range = start(lines.start)..start(lines.end);
        if lines.end >= self.whole.len() {
            let was_bare = self.whole.last().is_some_and(|last| !last.ends_with('\n'));
            let bare = ends_bare.unwrap_or(was_bare && !self.whole.is_empty());
            if lines.start >= self.whole.len() && was_bare && !new.is_empty() {
                new.insert(0, '\n');
            }
            if bare && new.ends_with('\n') {
                new.pop();
            } else if bare && new.is_empty() && lines.start > 0 {
                // The last lines go, and the line before them becomes the last.
                let before = self.whole.get(lines.start - 1).map_or(0, |line| {
                    if line.ends_with("\r\n") { 2 } else { usize::from(line.ends_with('\n')) }
                });
                range.start -= before;
            }
        }
        self.edits.push(Edit { range, text: new });
    }

    /// A hunk without old lines: into an empty file, after the line that it names, or at the end.
    fn insert(&mut self, hunk: &Hunk) -> Result<ApplicationOutcome, String> {
        let line = match (hunk.line, self.line_of(&hunk.section)) {
            _ if self.whole.is_empty() => 0,
            (None, Some(above)) => above + 1,
            (Some(line), _) if line <= self.whole.len() => line,
            (None, None) => self.whole.len(),
            (Some(line), _) => {
                return Err(format!(
                    "{} adds lines after line {line}, and the file has {}",
                    hunk.name,
                    self.whole.len()
                ));
            }
        };
        let new: String = hunk.side(LineKind::is_new).iter().flat_map(|line| [*line, "\n"]).collect();
        self.replace(line..line, new, hunk.ends_bare);
        Ok(if self.whole.is_empty() { ApplicationOutcome::Exact } else { ApplicationOutcome::Normalised })
    }

    /// Lays each run of changes of a hunk with the context next to it, where the hunk has several or more
    /// context than there is; all of them or none.
    fn split(&mut self, hunk: &Hunk, hints: &Hints) -> Option<ApplicationOutcome> {
        if !hints.fuzzy {
            return None;
        }
        let parts = parts(hunk);
        let mut places = Vec::new();
        let mut least = 0;
        for part in &parts {
            let old = part.old();
            let anchor: usize = old.iter().map(|line| line.trim().len()).sum();
            // What is too short to be told from other lines is no anchor.
            if anchor < 10 {
                return None;
            }
            let strict = Hints { fuzzy: false, lines: Vec::new(), ..hints.clone() };
            let place = self.stack.find(&old, &strict).ok().filter(|place| place.line >= least)?;
            least = place.line + old.len().saturating_sub(1);
            places.push(place);
        }
        let used: usize = parts.iter().map(|part| part.old().len()).sum();
        let all = hunk.old().len();
        for (part, place) in parts.iter().zip(places) {
            self.put(part, place);
        }
        Some(ApplicationOutcome::Fuzzy(crate::repair::outcome::Score::new(used as f64 / all.max(1) as f64)))
    }

    fn refuse(&self, hunk: &Hunk, miss: &Miss) -> String {
        match miss {
            Miss::Several(lines) => {
                let shown: Vec<String> = lines.iter().take(5).map(|line| (line + 1).to_string()).collect();
                let more =
                    if lines.len() > 5 { format!(" and {} more", lines.len() - 5) } else { String::new() };
                format!(
                    "{} fits in {} places, at lines {}{more}: give it more context",
                    hunk.name,
                    lines.len(),
                    shown.join(", ")
                )
            }
            Miss::None(best) => {
                let first =
                    hunk.old().into_iter().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
                let first: String = first.chars().take(80).collect();
                let near = best.map_or(String::new(), |(line, score)| {
                    format!("; the most alike stands at line {} ({:.2})", line + 1, score.share())
                });
                format!("{}: its lines are not in the file, from `{first}` on{near}", hunk.name)
            }
        }
    }
}

/// The runs of changes of a hunk, each with at most one line of context on each side.
fn parts(hunk: &Hunk) -> Vec<Hunk> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < hunk.lines.len() {
        if hunk.lines[at].0 == LineKind::Context {
            at += 1;
            continue;
        }
        let mut end = at;
        while hunk.lines.get(end).is_some_and(|(kind, _)| *kind != LineKind::Context) {
            end += 1;
        }
        let lines = hunk.lines[at.saturating_sub(1)..(end + 1).min(hunk.lines.len())].to_vec();
        parts.push(Hunk { lines, name: hunk.name.clone(), ..Hunk::default() });
        at = end + 1;
    }
    parts
}
