//! Whole texts at once, on all cores, with the result of reading them from the top.
//!
//! On one core the texts share an engine, so that lines which both have are parsed once. On several
//! cores each text has its own thread, and where cores are left it is cut into pieces that begin where a
//! top-level item seems to begin; each piece is read from the state that such a place usually has. When
//! the piece above is done its true end is known: if the guess was right the piece stands, else its
//! lines are read again until the states meet.

use super::engine::{Engine, LineId, START, State, StateId};
use super::{HighlightedFile, Limit, Syntax};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lines that make a piece worth a thread.
const LEAST_LINES: usize = 300;

/// Most pieces of a text: beyond this the lines that pieces share cost more than the threads save.
const MOST_PIECES: usize = 4;

/// Lines between two looks at the cancel flag.
const LINES_A_LOOK: usize = 64;

/// Highlights a text.
pub fn highlight(text: &str, syntax: Option<Syntax>, cancel: &AtomicBool) -> HighlightedFile {
    let [file] = highlight_all([text], syntax, cancel, cores());
    file
}

/// Highlights the two sides of a difference.
pub fn highlight_pair(
    old: &str,
    new: &str,
    syntax: Option<Syntax>,
    cancel: &AtomicBool,
) -> (HighlightedFile, HighlightedFile) {
    if old == new {
        let file = highlight(old, syntax, cancel);
        return (file.clone(), file);
    }
    let [old, new] = highlight_all([old, new], syntax, cancel, cores());
    (old, new)
}

/// The same on the calling thread alone: for work beside something that wants to answer at once.
pub fn highlight_pair_calmly(
    old: &str,
    new: &str,
    syntax: Option<Syntax>,
    cancel: &AtomicBool,
) -> (HighlightedFile, HighlightedFile) {
    let [old, new] = highlight_all([old, new], syntax, cancel, 1);
    (old, new)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Highlights texts that resemble each other; `threads` only decides how, never what comes out.
pub(super) fn highlight_all<const N: usize>(
    texts: [&str; N],
    syntax: Option<Syntax>,
    cancel: &AtomicBool,
    threads: usize,
) -> [HighlightedFile; N] {
    let limits = texts.map(Limit::of);
    let Some(syntax) = syntax else { return limits.map(|_| HighlightedFile::default()) };
    let mut lines: [Vec<&str>; N] = std::array::from_fn(|_| Vec::new());
    for ((lines, text), limit) in lines.iter_mut().zip(texts).zip(limits) {
        if limit.is_none() {
            lines.extend(text.lines());
        }
    }
    let longest = lines.iter().map(Vec::len).max().unwrap_or(0);
    let mut files = if threads < 2 || N == 0 || longest < LEAST_LINES {
        let mut engine = Engine::new(syntax);
        lines.map(|lines| {
            let mut part = Part::new(0..lines.len(), START);
            read_part(&mut engine, &mut part, &lines, cancel);
            collect(&[(&engine, &part)])
        })
    } else {
        let mut pieces = read_pieces(&lines, threads / N, syntax, cancel);
        let mut lines = lines.iter();
        std::array::from_fn(|text| {
            let (Some(pieces), Some(lines)) = (pieces.get_mut(text), lines.next()) else {
                return HighlightedFile::default();
            };
            join(lines, pieces, cancel);
            let read: Vec<_> = pieces.iter().map(|piece| (&piece.engine, &piece.part)).collect();
            collect(&read)
        })
    };
    for (file, limit) in files.iter_mut().zip(limits) {
        if limit.is_some() {
            *file = HighlightedFile::plain(limit);
        }
    }
    files
}

/// A piece of a text and what read it.
struct Piece {
    engine: Engine,
    part: Part,
}

/// A piece of one text, as far as it was read.
struct Part {
    range: Range<usize>,
    /// State before each line, and after the last one.
    states: Vec<StateId>,
    /// The lines; `None` is one that was too long.
    read: Vec<Option<LineId>>,
}

impl Part {
    fn new(range: Range<usize>, first: StateId) -> Part {
        Part { range, states: vec![first], read: Vec::new() }
    }

    fn end(&self) -> StateId {
        self.states.last().copied().unwrap_or(START)
    }

    fn whole(&self) -> bool {
        self.read.len() == self.range.len()
    }
}

/// Where a text is cut: the first line of each piece.
fn cut(lines: &[&str], pieces: usize) -> Vec<usize> {
    let pieces = pieces.min(MOST_PIECES).min(lines.len() / LEAST_LINES).max(1);
    let mut cuts: Vec<usize> =
        (1..pieces).filter_map(|piece| item_near(lines, lines.len() * piece / pieces)).collect();
    cuts.insert(0, 0);
    cuts.dedup();
    cuts
}

/// Whether an item of the outermost level may begin at a line: it starts at the left, after a blank line.
fn begins_item(lines: &[&str], line: usize) -> bool {
    let above = line.checked_sub(1).and_then(|above| lines.get(above));
    let item = |text: &&str| text.starts_with(|c: char| c.is_alphabetic() || "/#@_".contains(c));
    above.is_some_and(|above| above.is_empty()) && lines.get(line).is_some_and(item)
}

/// The beginning of an item near a line.
fn item_near(lines: &[&str], line: usize) -> Option<usize> {
    let reach = lines.len() / 8;
    (0..=reach).find_map(|away| {
        let above = line.checked_sub(away).filter(|at| begins_item(lines, *at));
        above.or_else(|| Some(line + away).filter(|at| begins_item(lines, *at)))
    })
}

/// Reads every piece of every text from its guessed state, each on its own thread.
fn read_pieces(lines: &[Vec<&str>], pieces: usize, syntax: Syntax, cancel: &AtomicBool) -> Vec<Vec<Piece>> {
    let read = |text: usize, range: Range<usize>| {
        let mut engine = Engine::new(syntax);
        // What the first blank line leaves behind is what most blank lines between items leave behind.
        let guess = match range.start {
            0 => START,
            _ => engine.line(START, "").map_or(START, |line| engine.after(line)),
        };
        let mut part = Part::new(range, guess);
        read_part(&mut engine, &mut part, &lines[text], cancel);
        Piece { engine, part }
    };
    std::thread::scope(|scope| {
        let read = &read;
        let mut threads = Vec::new();
        let mut here = None;
        for (text, lines) in lines.iter().enumerate() {
            let cuts = cut(lines, pieces);
            for (at, from) in cuts.iter().enumerate() {
                let range = *from..cuts.get(at + 1).copied().unwrap_or(lines.len());
                if here.is_none() {
                    // The first piece is read by this thread, when the others are under way.
                    here = Some(range);
                } else {
                    let job = range.clone();
                    threads.push((text, range, scope.spawn(move || read(text, job))));
                }
            }
        }
        let mut done: Vec<Vec<Piece>> = lines.iter().map(|_| Vec::new()).collect();
        if let (Some(range), Some(first)) = (here, done.first_mut()) {
            first.push(read(0, range));
        }
        for (text, range, thread) in threads {
            // A thread that failed is replaced by this one.
            let piece = thread.join().unwrap_or_else(|_| read(text, range));
            done[text].push(piece);
        }
        done
    })
}

/// Reads the lines of a part that are not read yet.
fn read_part(engine: &mut Engine, part: &mut Part, lines: &[&str], cancel: &AtomicBool) {
    let mut state = part.end();
    for (count, at) in part.range.clone().skip(part.read.len()).enumerate() {
        if count % LINES_A_LOOK == 0 && cancel.load(Ordering::Relaxed) {
            return;
        }
        let Some(text) = lines.get(at) else { return };
        let line = engine.line(state, text);
        state = line.map_or(state, |line| engine.after(line));
        part.read.push(line);
        part.states.push(state);
    }
}

/// Checks the guesses from top to bottom and reads again what was read from a wrong one.
fn join(lines: &[&str], pieces: &mut [Piece], cancel: &AtomicBool) {
    let mut true_end: Option<State> = None;
    for piece in pieces {
        if let Some(state) = &true_end {
            let state = piece.engine.intern(state);
            mend_part(&mut piece.engine, &mut piece.part, state, lines, cancel);
        }
        if !piece.part.whole() {
            // Cancelled: what follows has no known beginning, and is left out.
            return;
        }
        true_end = Some(piece.engine.state(piece.part.end()).clone());
    }
}

/// Reads a part again from its true first state until it meets what was read.
fn mend_part(engine: &mut Engine, part: &mut Part, first: StateId, lines: &[&str], cancel: &AtomicBool) {
    let mut state = first;
    for at in 0..=part.range.len() {
        if part.states.get(at) == Some(&state) {
            return;
        }
        if at % LINES_A_LOOK == 0 && cancel.load(Ordering::Relaxed) {
            part.states.truncate(at + 1);
            part.read.truncate(at);
            return;
        }
        match part.states.get_mut(at) {
            Some(known) => *known = state,
            None => part.states.push(state),
        }
        let Some(text) = lines.get(part.range.start + at).filter(|_| at < part.range.len()) else { return };
        let line = engine.line(state, text);
        state = line.map_or(state, |line| engine.after(line));
        match part.read.get_mut(at) {
            Some(known) => *known = line,
            None => part.read.push(line),
        }
    }
}

/// Puts the pieces of a text together, as far as they were read.
fn collect(pieces: &[(&Engine, &Part)]) -> HighlightedFile {
    let mut file = HighlightedFile::default();
    for (engine, part) in pieces {
        for line in &part.read {
            match line {
                Some(line) => file.push(engine.spans(*line)),
                None => {
                    file.push(&[]);
                    file.limited = Some(Limit::LongLine);
                }
            }
        }
        if !part.whole() {
            file.limited = Some(Limit::Cancelled);
            break;
        }
    }
    file
}
