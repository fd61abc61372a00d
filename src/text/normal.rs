//! Texts that people cannot tell apart, in one form.
//!
//! Promises: an `é` is the same whether a keyboard made one character of it or an `e` and an accent; plain ASCII costs
//! no table. Leaves to others: which texts are names.

use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

/// The text in Unicode's composed form (NFC).
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// The composed text in lower case: equal for names that are the same whatever their case and their form.
pub fn folded(text: &str) -> String {
    let lower = composed(text).to_lowercase();
    match composed(&lower) {
        // Lower case can take a composed character apart.
        Cow::Owned(whole) => whole,
        Cow::Borrowed(_) => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_has_one_form() {
        for (one, other) in [
            ("José", "Jose\u{301}"),
            ("Ångström", "A\u{30a}ngstro\u{308}m"),
            ("\u{212b}", "\u{c5}"),
            ("각", "\u{1100}\u{1161}\u{11a8}"),
        ] {
            assert_eq!(composed(one), composed(other));
            assert_eq!(folded(one), folded(&other.to_uppercase()), "{one}");
        }
        assert_ne!(folded("Jose"), folded("José"), "an accent is more than its form");
        assert!(matches!(composed("anna"), Cow::Borrowed("anna")));
        assert_eq!(folded("İ"), folded("I\u{307}"));
    }
}
