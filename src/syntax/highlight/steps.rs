//! Highlighting in steps, for a worker that shows what it has.

use super::engine::{Engine, START, StateId};
use super::{HighlightedFile, Limit, MOST_BYTES, MOST_LINES, Syntax};
use std::sync::atomic::{AtomicBool, Ordering};

/// Lines between two looks at the cancel flag.
const LINES_A_LOOK: usize = 64;

/// Reads a text from its top, as far as it is told.
///
/// The state at the top of every line is kept, so it can go on, or go back to a line whose text
/// changed, without starting over.
pub struct Highlighter {
    engine: Option<Engine>,
    /// State before each line that was read, and before the next one.
    states: Vec<StateId>,
    bytes: usize,
    file: HighlightedFile,
}

impl Highlighter {
    /// A reader at the top of a text. Without a grammar every line is plain.
    pub fn new(syntax: Option<Syntax>) -> Highlighter {
        Highlighter {
            engine: syntax.map(Engine::new),
            states: vec![START],
            bytes: 0,
            file: HighlightedFile::default(),
        }
    }

    /// What was read so far.
    pub fn file(&self) -> &HighlightedFile {
        &self.file
    }

    /// The result, when no more is to be read.
    pub fn into_file(self) -> HighlightedFile {
        self.file
    }

    /// Reads on until `up_to` lines are read. `lines` begin with the first line that was not read yet
    /// and come without their ends. False when it was cancelled; what was read stays read.
    ///
    /// Past 2 MB or 50,000 lines the rest is plain; ask [`Limit::of`] first to leave out the whole text.
    pub fn advance<'t>(
        &mut self,
        lines: impl IntoIterator<Item = &'t str>,
        up_to: usize,
        cancel: &AtomicBool,
    ) -> bool {
        let missing = up_to.saturating_sub(self.file.lines());
        for (count, text) in lines.into_iter().take(missing).enumerate() {
            if count % LINES_A_LOOK == 0 && cancel.load(Ordering::Relaxed) {
                return false;
            }
            self.read(text);
        }
        true
    }

    /// Forgets the lines from `line` on, because their text changed; [`Highlighter::advance`] goes on
    /// there.
    pub fn rewind(&mut self, line: usize) {
        self.file.truncate(line);
        self.states.truncate(line.saturating_add(1));
    }

    fn read(&mut self, text: &str) {
        self.bytes += text.len() + 1;
        let state = self.states.last().copied().unwrap_or(START);
        let over = if self.bytes > MOST_BYTES {
            Some(Limit::Bytes)
        } else if self.file.lines() >= MOST_LINES {
            Some(Limit::Lines)
        } else {
            None
        };
        let engine = self.engine.as_mut().filter(|_| over.is_none());
        let after = match engine.map(|engine| (engine.line(state, text), engine)) {
            Some((Some(line), engine)) => {
                self.file.push(engine.spans(line));
                engine.after(line)
            }
            Some((None, _)) => {
                self.file.push(&[]);
                self.file.limited = Some(Limit::LongLine);
                state
            }
            None => {
                self.file.push(&[]);
                self.file.limited = over.filter(|_| self.engine.is_some()).or(self.file.limited);
                state
            }
        };
        self.states.push(after);
    }
}
