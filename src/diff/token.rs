//! A line of code cut into words, punctuation and white space.
//!
//! Promises: tokens follow each other without gaps and end at the borders of grapheme clusters, so a
//! range made of tokens never tears a character that is seen as one.

use unicode_segmentation::UnicodeSegmentation;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Identifier, keyword or number; one ideograph.
    Word,
    /// One character of punctuation.
    Punctuation,
    /// A run of white space.
    Space,
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
    pub kind: TokenKind,
    /// Equal texts have equal hashes; the opposite has to be looked at.
    pub hash: u32,
}

impl Token {
    /// How much a match of this token says: a long word much, white space next to nothing.
    pub fn weight(&self) -> u32 {
        match self.kind {
            TokenKind::Word => 2 + (self.end - self.start).min(8),
            TokenKind::Punctuation => 2,
            TokenKind::Space => 1,
        }
    }

    /// The same without white space.
    pub fn solid_weight(&self) -> u32 {
        if self.kind == TokenKind::Space { 0 } else { self.weight() }
    }
}

/// Puts the tokens of `text` (shorter than 4 GiB) into `tokens`.
pub(super) fn tokenise(text: &str, tokens: &mut Vec<Token>) {
    tokens.clear();
    let mut builder = Builder { text: text.as_bytes(), tokens, began: Class::Other };
    if text.is_ascii() {
        for (at, byte) in text.bytes().enumerate() {
            builder.push(at, 1, class_of(char::from(byte)));
        }
    } else {
        for (at, cluster) in text.grapheme_indices(true) {
            let class = match cluster.chars().next().map_or(Class::Other, class_of) {
                // A blank that carries a mark is seen.
                Class::Space if !cluster.chars().all(char::is_whitespace) => Class::Other,
                class => class,
            };
            builder.push(at, cluster.len(), class);
        }
    }
    let text = text.as_bytes();
    for token in tokens.iter_mut() {
        token.hash = hash(&text[token.start as usize..token.end as usize]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Ideograph,
    Space,
    Other,
}

fn class_of(first: char) -> Class {
    match first {
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' | '_' => Class::Letter,
        // Scripts written without spaces: one character is the best guess at a word.
        '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Ideograph,
        c if c.is_whitespace() => Class::Space,
        c if c.is_alphanumeric() => Class::Letter,
        _ => Class::Other,
    }
}

struct Builder<'a> {
    text: &'a [u8],
    tokens: &'a mut Vec<Token>,
    /// Class of the character that began the last token.
    began: Class,
}

impl Builder<'_> {
    fn push(&mut self, at: usize, len: usize, class: Class) {
        let (start, end) = (at as u32, (at + len) as u32);
        let in_word = matches!(self.began, Class::Letter | Class::Digit);
        // `1.5` is one number, `a.5` and `0..5` are not.
        let in_number = self.began == Class::Digit
            && self.text[at] == b'.'
            && self.text.get(at + 1).is_some_and(u8::is_ascii_digit);
        let joins = match class {
            Class::Letter | Class::Digit => in_word,
            Class::Space => self.began == Class::Space,
            Class::Other => in_number,
            Class::Ideograph => false,
        };
        match self.tokens.last_mut() {
            Some(last) if joins => last.end = end,
            _ => {
                let kind = match class {
                    Class::Letter | Class::Digit | Class::Ideograph => TokenKind::Word,
                    Class::Space => TokenKind::Space,
                    Class::Other => TokenKind::Punctuation,
                };
                self.began = class;
                self.tokens.push(Token { start, end, kind, hash: 0 });
            }
        }
    }
}

fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        tokenise(text, &mut tokens);
        tokens.iter().map(|token| &text[token.start as usize..token.end as usize]).collect()
    }

    #[test]
    fn table() {
        for (text, expected) in [
            ("", &[][..]),
            ("x + 1", &["x", " ", "+", " ", "1"]),
            ("rb->len", &["rb", "-", ">", "len"]),
            ("a_b2==0x1F", &["a_b2", "=", "=", "0x1F"]),
            ("1.5+x.1", &["1.5", "+", "x", ".", "1"]),
            ("0..10", &["0", ".", ".", "10"]),
            ("\t  x", &["\t  ", "x"]),
            ("naïve e\u{301}t", &["naïve", " ", "e\u{301}t"]),
            ("!\u{301}!", &["!\u{301}", "!"]),
            ("// 修正 ok", &["/", "/", " ", "修", "正", " ", "ok"]),
            ("👩‍👩‍👧x", &["👩‍👩‍👧", "x"]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn tokens_make_the_text(text in "(\\PC|[a-c0-9. \t_\u{301}\u{200d}]){0,40}") {
            prop_assert_eq!(pieces(&text).concat(), text);
        }
    }
}
