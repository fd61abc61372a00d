//! Collects what happens in a verification until the thread that draws has time for it.
//!
//! Promises: memory is bounded by what can be shown, whatever is written; a line is made of one stream; what was left
//! out is counted. Leaves to others: when it is asked ([`super::verify`]).

use crate::harness::{Happening, State};
use crate::report::Case;
use crate::report::dig::Stage;
use crate::sandbox::{Rung, Stream};
use crate::text::Pen;
use crate::tui::msg::verify::{Heard, News};
use crate::tui::widgets::output_view::{MOST_BYTES, MOST_LINES, OutputLine, Source};
use std::collections::VecDeque;
use std::time::Duration;

/// Longest line that is kept, bytes; longer ones are cut, and say so.
const LONGEST_LINE: usize = 16 << 10;

/// The collector.
#[derive(Debug)]
pub struct Collector {
    state: State,
    rung: Option<Rung>,
    finished: Vec<Case>,
    lines: VecDeque<Raw>,
    bytes: usize,
    left_out: u64,
    partial: [Partial; 2],
    pens: [Pen; 2],
    stage: Option<Stage>,
    /// Something came since it was asked last.
    pub dirty: bool,
}

#[derive(Debug)]
enum Raw {
    Written(usize, Vec<u8>),
    Note(&'static str),
}

impl Raw {
    fn len(&self) -> usize {
        match self {
            Raw::Written(_, bytes) => bytes.len(),
            Raw::Note(text) => text.len(),
        }
    }
}

/// A line without an end.
#[derive(Debug, Default)]
struct Partial {
    bytes: Vec<u8>,
    /// Bytes beyond [`LONGEST_LINE`].
    over: u64,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector {
            state: State::Queued,
            rung: None,
            finished: Vec::new(),
            lines: VecDeque::new(),
            bytes: 0,
            left_out: 0,
            partial: Default::default(),
            pens: Default::default(),
            stage: None,
            dirty: false,
        }
    }
}

impl Collector {
    /// Something happened.
    pub fn take_in(&mut self, what: Happening<'_>) {
        self.dirty = true;
        match what {
            Happening::State(state) => {
                self.state = state;
                let stage = match state {
                    State::Building => Some((Stage::Build, "build")),
                    State::Testing(..) => Some((Stage::Test, "test")),
                    _ => None,
                };
                if let Some((stage, name)) = stage.filter(|(stage, _)| self.stage != Some(*stage)) {
                    self.end_lines();
                    self.stage = Some(stage);
                    self.keep(Raw::Note(name));
                }
                if state == State::Cleaning {
                    self.end_lines();
                }
            }
            Happening::Rung(rung) => self.rung = Some(rung),
            Happening::Output(_, stream, bytes) => self.write(stream, bytes),
            Happening::Finished(case) => self.finished.push(case.clone()),
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let which = usize::from(stream == Stream::Stderr);
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.partial[which].push(&rest[..at]);
            self.end_line(which);
            rest = &rest[at + 1..];
        }
        self.partial[which].push(rest);
    }

    fn end_line(&mut self, which: usize) {
        let line = self.partial[which].end();
        self.keep(Raw::Written(which, line));
    }

    /// Commands that end do not end their last lines.
    fn end_lines(&mut self) {
        for which in [0, 1] {
            if !self.partial[which].bytes.is_empty() {
                self.end_line(which);
            }
        }
    }

    fn keep(&mut self, line: Raw) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > MOST_LINES || (self.bytes > MOST_BYTES && self.lines.len() > 1) {
            if let Some(gone) = self.lines.pop_front() {
                self.bytes -= gone.len();
                self.left_out += u64::from(matches!(gone, Raw::Written(..)));
                // Colours of what is gone are not known.
                self.pens = Default::default();
            }
        }
    }

    /// What came since it was asked last.
    pub fn news(&mut self, elapsed: Duration) -> News {
        self.dirty = false;
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        let output = lines.into_iter().map(|line| self.line(line)).collect();
        let open = [0, 1].into_iter().filter(|which| !self.partial[*which].bytes.is_empty());
        let open =
            open.map(|which| written(which, &self.partial[which].bytes, &mut self.pens[which].clone()));
        News {
            state: self.state,
            rung: self.rung,
            elapsed,
            finished: std::mem::take(&mut self.finished),
            open: open.collect(),
            output,
            left_out: std::mem::take(&mut self.left_out),
            heard: Heard::default(),
        }
    }

    fn line(&mut self, line: Raw) -> OutputLine {
        match line {
            Raw::Written(which, bytes) => written(which, &bytes, &mut self.pens[which]),
            Raw::Note(text) => OutputLine::note(text),
        }
    }
}

impl Partial {
    fn push(&mut self, bytes: &[u8]) {
        let room = LONGEST_LINE - self.bytes.len().min(LONGEST_LINE);
        let kept = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..kept]);
        self.over += (bytes.len() - kept) as u64;
    }

    fn end(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.bytes);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let over = std::mem::take(&mut self.over);
        if over > 0 {
            line.extend_from_slice(format!(" … {over} bytes more").as_bytes());
        }
        line
    }
}

fn written(which: usize, bytes: &[u8], pen: &mut Pen) -> OutputLine {
    let source = if which == 0 { Source::Output } else { Source::Errors };
    OutputLine { line: pen.line(&String::from_utf8_lossy(bytes)), source }
}

/// The lines of a whole output.
pub fn lines_of(source: Source, text: &str) -> impl Iterator<Item = OutputLine> + '_ {
    let mut pen = Pen::default();
    text.lines().map(move |line| {
        let end = line.floor_char_boundary(LONGEST_LINE);
        let mut inked = pen.line(&line[..end]);
        if end < line.len() {
            inked.text.push_str(&format!(" … {} bytes more", line.len() - end));
        }
        OutputLine { line: inked, source }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(news: &News) -> Vec<String> {
        news.output.iter().chain(&news.open).map(|line| line.line.text.clone()).collect()
    }

    fn output(collector: &mut Collector, stream: Stream, bytes: &[u8]) {
        collector.take_in(Happening::Output(Stage::Test, stream, bytes));
    }

    #[test]
    fn streams_do_not_mix_in_a_line() {
        let mut collector = Collector::default();
        output(&mut collector, Stream::Stdout, b"on");
        output(&mut collector, Stream::Stderr, b"err\r\nor");
        output(&mut collector, Stream::Stdout, b"e\ntwo");
        let news = collector.news(Duration::ZERO);
        assert_eq!(texts(&news), ["err", "one", "two", "or"]);
        assert_eq!(news.open.len(), 2);
        collector.take_in(Happening::State(State::Cleaning));
        assert_eq!(texts(&collector.news(Duration::ZERO)), ["two", "or"]);
    }

    #[test]
    fn a_flood_is_bounded_and_counted() {
        let mut collector = Collector::default();
        for number in 0..100_000 {
            output(&mut collector, Stream::Stdout, format!("line {number}\n").as_bytes());
        }
        let news = collector.news(Duration::ZERO);
        assert_eq!((news.output.len(), news.left_out), (MOST_LINES, 100_000 - MOST_LINES as u64));
        let chunk = vec![b'x'; 1 << 16];
        for _ in 0..1_000 {
            output(&mut collector, Stream::Stdout, &chunk);
        }
        output(&mut collector, Stream::Stdout, b"\n");
        let news = collector.news(Duration::ZERO);
        assert_eq!(news.output.len(), 1);
        assert!(
            news.output[0].line.text.ends_with("x … 65519616 bytes more"),
            "{}",
            news.output[0].line.text.len()
        );
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_lines(text in "[ab\n\x1b\\[0m]{0,200}", cuts in prop::collection::vec(0usize..200, 0..8)) {
            let mut whole = Collector::default();
            output(&mut whole, Stream::Stdout, text.as_bytes());
            let expected = texts(&whole.news(Duration::ZERO));
            let mut cut = Collector::default();
            let mut places: Vec<usize> = cuts.into_iter().map(|at| text.floor_char_boundary(at)).collect();
            places.extend([0, text.len()]);
            places.sort_unstable();
            for pair in places.windows(2) {
                output(&mut cut, Stream::Stdout, &text.as_bytes()[pair[0]..pair[1]]);
            }
            prop_assert_eq!(texts(&cut.news(Duration::ZERO)), expected);
        }
    }
}
