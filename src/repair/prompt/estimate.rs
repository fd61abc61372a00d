//! Rough lengths, before anything is sent.
//!
//! Promises: never less than nothing, monotone in the text; good for a plan, not for a bill: what a server counted is
//! in `answer-finished`. Leaves to others: prices (`config`), limits (`runner`).
//!
//! # The rule
//!
//! Tokenizers differ, so kinds of characters are counted: a word of ASCII letters or digits costs one token for every
//! six characters begun, a run of spaces or a line end one (indentation is a single token in today's vocabularies),
//! every other ASCII sign half a token, and every other character one. A message costs four more.

use super::Message;

/// Tokens that the frame of a message costs.
const PER_MESSAGE: u64 = 4;
/// Characters of a word that make a token.
const PER_TOKEN: u64 = 6;

/// Estimated tokens of a text.
pub fn tokens(text: &str) -> u64 {
    #[derive(PartialEq, Clone, Copy)]
    enum Run {
        None,
        Word(u64),
        Blank,
    }
    let (mut run, mut tokens, mut signs) = (Run::None, 0_u64, 0_u64);
    let close = |run: Run| if let Run::Word(length) = run { length.div_ceil(PER_TOKEN) } else { 0 };
    for character in text.chars() {
        let next = match (character, run) {
            (c, Run::Word(length)) if c.is_ascii_alphanumeric() => Run::Word(length + 1),
            (c, _) if c.is_ascii_alphanumeric() => Run::Word(1),
            // One space goes into the word behind it.
            (' ', Run::Word(_)) => Run::None,
            (' ' | '\t' | '\n' | '\r', Run::Blank) => Run::Blank,
            (' ' | '\t' | '\n' | '\r', _) => {
                tokens += 1;
                Run::Blank
            }
            (c, _) => {
                if c.is_ascii() {
                    signs += 1;
                } else {
                    tokens += 1;
                }
                Run::None
            }
        };
        if !matches!((run, next), (Run::Word(_), Run::Word(_))) {
            tokens += close(run);
        }
        run = next;
    }
    tokens + close(run) + signs.div_ceil(2)
}

/// Estimated tokens of messages.
pub fn tokens_of(messages: &[Message]) -> u64 {
    messages.iter().map(|message| tokens(&message.text) + PER_MESSAGE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, proptest};

    #[test]
    fn known_texts() {
        for (text, expected) in [
            ("", 0),
            ("word", 1),
            ("a few short words", 4),
            ("internationalisation", 4),
            ("    return x", 3),
            ("f(x)", 3),
            ("数数", 2),
            ("\n\n\n", 1),
        ] {
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn more_text_is_not_shorter(one in "[a-z(). \\n]{0,60}", two in "[a-z(). \\n]{0,60}") {
            let both = tokens(&format!("{one}\n{two}"));
            prop_assert!(both + 2 >= tokens(&one) + tokens(&two), "{both}");
            prop_assert!(both <= tokens(&one) + tokens(&two) + 2);
            prop_assert!(tokens(&one) <= one.chars().count() as u64 + 1);
        }
    }
}
