//! Tests of the room: the built-in themes as shipped, the format and its errors, quantising, escape sequences.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn none(_: &str) -> Option<Source> {
    None
}

fn source(text: &str) -> Source {
    Source { file: "mine.toml".to_owned(), text: text.to_owned() }
}

fn parse(text: &str) -> Result<Theme, ThemeError> {
    Theme::parse("mine", &source(text), &none)
}

fn built_in_themes() -> Vec<Theme> {
    let read =
        |(name, _): &(&str, &str)| Theme::parse(name, &Source::built_in(name).unwrap(), &none).unwrap();
    BUILT_IN.iter().map(read).collect()
}

#[test]
fn roles_have_one_name_each_and_stand_after_their_fallback() {
    for role in Role::ALL.iter().copied() {
        assert_eq!(Role::parse(role.name()), Some(role));
        assert!(!role.purpose().is_empty());
        if let Some(fallback) = role.fallback() {
            assert!((fallback as usize) < role as usize, "{} stands before its fallback", role.name());
        }
    }
    assert_eq!(Role::DiffAddedWord.fallback(), Some(Role::DiffAdded));
    assert_eq!(Role::SyntaxKeyword.fallback(), Some(Role::Syntax));
    assert_eq!(Role::Selection.fallback(), Some(Role::Text));
    assert_eq!(Role::Text.fallback(), None);
}

#[test]
fn text_of_the_built_in_themes_can_be_read() {
    for theme in built_in_themes() {
        let bad: Vec<String> = theme
            .low_contrast()
            .iter()
            .map(|low| {
                let on: Vec<_> = low.on.iter().map(|role| role.name()).collect();
                format!("{} on [{}]: {:.2}", low.text.name(), on.join(" "), low.ratio)
            })
            .collect();
        assert!(bad.is_empty(), "{}:\n{}", theme.name, bad.join("\n"));
    }
}
