//! Keys, and texts that they are taken out of.
//!
//! Promises: a [`Secret`] shows itself to nobody but the one header it is made for; a [`Redactor`] takes it out of
//! whatever a server sent back, also where it arrives in pieces. Keys shorter than [`SHORTEST`] bytes are the
//! placeholders of local servers (`EMPTY`, `ollama`): they protect nothing, and taking them out would damage answers.

use std::borrow::Cow;
use std::fmt;

/// Shortest key that is treated as one, in bytes.
pub const SHORTEST: usize = 8;

/// What stands in the place of a key.
pub const MARK: &str = "[key]";

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Secret {
        Secret(key.into())
    }

    /// The key itself, for the header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARK)
    }
}

/// Takes a key out of texts.
#[derive(Clone, Default)]
pub struct Redactor(Option<Secret>);

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

impl Redactor {
    /// One for this key.
    pub fn new(key: Option<&Secret>) -> Redactor {
        Redactor(key.filter(|key| key.0.len() >= SHORTEST).cloned())
    }

    fn key(&self) -> &str {
        self.0.as_ref().map_or("", |key| &key.0)
    }

    /// The text with `[key]` in place of every key.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.key() {
            "" => Cow::Borrowed(text),
            key if text.contains(key) => Cow::Owned(text.replace(key, MARK)),
            _ => Cow::Borrowed(text),
        }
    }

    /// Overwrites every key in the bytes with as many `*`, so that positions stay; also where it is written as JSON of
    /// the kind that escapes slashes.
    pub fn bytes(&self, bytes: &mut [u8]) {
        let key = self.key();
        if key.is_empty() {
            return;
        }
        let escaped = key.contains('/').then(|| key.replace('/', "\\/"));
        for written in std::iter::once(key.to_owned()).chain(escaped) {
            let mut from = 0;
            while let Some(found) = bytes.get(from..).and_then(|rest| find(rest, written.as_bytes())) {
                let start = from + found;
                bytes[start..start + written.len()].fill(b'*');
                from = start + written.len();
            }
        }
    }

    /// Whether the key is in the text.
    pub fn finds(&self, text: &str) -> bool {
        !self.key().is_empty() && text.contains(self.key())
    }

    /// How many bytes at the end of the text may be the beginning of a key.
    fn held(&self, text: &str) -> usize {
        let key = self.key();
        (1..key.len().min(text.len() + 1))
            .rev()
            .find(|length| {
                key.as_bytes().get(..*length) == text.as_bytes().get(text.len() - length..)
                    && text.is_char_boundary(text.len() - length)
            })
            .unwrap_or(0)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted.first()?;
    let mut from = 0;
    loop {
        from += bytes.get(from..)?.iter().position(|byte| byte == first)?;
        if bytes.get(from..)?.starts_with(wanted) {
            return Some(from);
        }
        from += 1;
    }
}

/// Takes a key out of a text that arrives in pieces; what may be the beginning of a key waits for the next piece.
#[derive(Debug)]
pub struct Gate {
    redactor: Redactor,
    waiting: String,
    found: bool,
}

impl Gate {
    /// An empty one.
    pub fn new(redactor: &Redactor) -> Gate {
        Gate { redactor: redactor.clone(), waiting: String::new(), found: false }
    }

    /// Whether a key was taken out.
    pub fn found(&self) -> bool {
        self.found
    }

    /// Takes a piece; gives what may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        self.waiting.push_str(piece);
        self.found |= self.redactor.finds(&self.waiting);
        let text = self.redactor.text(&self.waiting).into_owned();
        let kept = text.len() - self.redactor.held(&text);
        self.waiting = text[kept..].to_owned();
        text[..kept].to_owned()
    }

    /// What still waits, at the end.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redactor(key: &str) -> Redactor {
        Redactor::new(Some(&Secret::new(key)))
    }

    #[test]
    fn a_key_is_taken_out_and_shows_itself_to_nobody() {
        let secret = Secret::new("sk-1234567890");
        let redactor = Redactor::new(Some(&secret));
        assert_eq!(redactor.text("bad key sk-1234567890, sk-1234567890!"), "bad key [key], [key]!");
        let mut bytes = b"\xff sk-1234567890 \xfe".to_vec();
        redactor.bytes(&mut bytes);
        assert_eq!(bytes, b"\xff ************* \xfe");
        let mut bytes = br#"{"key":"ab\/cd+efgh"}"#.to_vec();
        self::redactor("ab/cd+efgh").bytes(&mut bytes);
        assert_eq!(bytes, br#"{"key":"***********"}"#);
        assert_eq!(format!("{secret:?} {redactor:?}"), "[key] Redactor");
    }

    #[test]
    fn placeholders_do_not_damage_answers() {
        for key in ["EMPTY", "ollama", "x"] {
            assert_eq!(redactor(key).text("EMPTY ollama x"), "EMPTY ollama x");
        }
        assert_eq!(Redactor::default().text("anything"), "anything");
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            words in prop::collection::vec("(abababac|abab|ab|a|c| |é|sk)", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let redactor = redactor("abababac");
            let whole: Vec<char> = words.concat().chars().collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let mut gate = Gate::new(&redactor);
            let mut shown = String::new();
            for two in cuts.windows(2) {
                shown.push_str(&gate.push(&whole[two[0]..two[1]].iter().collect::<String>()));
                prop_assert!(!shown.contains("abababac"));
            }
            shown.push_str(&gate.finish());
            let all = words.concat();
            prop_assert_eq!(shown, redactor.text(&all));
        }
    }
}
