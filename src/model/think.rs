//! Reasoning that a server leaves in the answer, between `<think>` and `</think>`.
//!
//! Promises: only marks at the very beginning of an answer count, for later ones may be the answer itself; marks are found
//! however the text is cut; nothing is lost. Leaves to others: a closing mark without an opening one (extraction).

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A piece, and which of both it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Reasoning.
    Reasoning(String),
    /// The answer.
    Text(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Beginning,
    Inside,
    /// Behind the closing mark, before the first text.
    Behind,
    Text,
}

/// Takes reasoning out of a text that arrives in pieces.
#[derive(Debug)]
pub struct Splitter {
    state: State,
    waiting: String,
    found: bool,
}

impl Splitter {
    /// One at the beginning of an answer.
    pub fn new() -> Splitter {
        Splitter { state: State::Beginning, waiting: String::new(), found: false }
    }

    /// Whether there were marks.
    pub fn found(&self) -> bool {
        self.found
    }

    /// Takes a piece.
    pub fn push(&mut self, piece: &str, give: &mut dyn FnMut(Part)) {
        if self.state == State::Text {
            give(Part::Text(piece.to_owned()));
            return;
        }
        self.waiting.push_str(piece);
        if self.state == State::Beginning {
            let text = self.waiting.trim_start();
            if let Some(rest) = text.strip_prefix(OPEN) {
                (self.state, self.found) = (State::Inside, true);
                self.waiting = rest.to_owned();
            } else if OPEN.starts_with(text) {
                return;
            } else {
                self.state = State::Text;
                return give(Part::Text(std::mem::take(&mut self.waiting)));
            }
        }
        if self.state == State::Inside {
            let end = self.waiting.find(CLOSE);
            let kept = end.unwrap_or_else(|| self.waiting.len() - held(&self.waiting));
            let rest = self.waiting.split_off(kept);
            let reasoning = std::mem::replace(&mut self.waiting, rest);
            if !reasoning.is_empty() {
                give(Part::Reasoning(reasoning));
            }
            if end.is_none() {
                return;
            }
            self.state = State::Behind;
            self.waiting.drain(..CLOSE.len());
        }
        // Templates put empty lines between the mark and the answer.
        let text = self.waiting.trim_start_matches(['\n', '\r']).to_owned();
        self.waiting.clear();
        if !text.is_empty() {
            self.state = State::Text;
            give(Part::Text(text));
        }
    }

    /// The answer has ended.
    pub fn finish(&mut self, give: &mut dyn FnMut(Part)) {
        let rest = std::mem::take(&mut self.waiting);
        match self.state {
            _ if rest.is_empty() => {}
            State::Inside => give(Part::Reasoning(rest)),
            _ => give(Part::Text(rest)),
        }
        self.state = State::Text;
    }
}

/// How many bytes at the end may be the beginning of a closing mark.
fn held(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String, bool) {
        let (mut splitter, mut reasoning, mut text) = (Splitter::new(), String::new(), String::new());
        let mut give = |part| match part {
            Part::Reasoning(part) => reasoning.push_str(&part),
            Part::Text(part) => text.push_str(&part),
        };
        for piece in pieces {
            splitter.push(piece, &mut give);
        }
        splitter.finish(&mut give);
        (reasoning, text, splitter.found())
    }

    #[test]
    fn only_marks_at_the_beginning_count() {
        for (whole, reasoning, text) in [
            ("<think>a</think>\n\nb", "a", "b"),
            ("\n <think>\na < b </thin </think>b </think>", "\na < b </thin ", "b </think>"),
            ("<think>cut short", "cut short", ""),
            ("<think></think>  x", "", "  x"),
            ("a <think>b</think>", "", "a <think>b</think>"),
            ("<thin", "", "<thin"),
            ("  \n", "", "  \n"),
            ("a</think>b", "", "a</think>b"),
            ("", "", ""),
        ] {
            let (found_reasoning, found_text, _) = split([whole]);
            assert_eq!((found_reasoning.as_str(), found_text.as_str()), (reasoning, text), "{whole:?}");
        }
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same(
            whole in "(\n| )?(<think>|<thin)?(a|<|</|</think|é){0,4}(</think>)?\n{0,2}(b|<think>|</think>){0,3}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let characters: Vec<char> = whole.chars().collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
            cuts.extend([0, characters.len()]);
            cuts.sort_unstable();
            let pieces: Vec<String> = cuts.windows(2).map(|two| characters[two[0]..two[1]].iter().collect()).collect();
            prop_assert_eq!(split(pieces.iter().map(String::as_str)), split([whole.as_str()]));
        }
    }
}
