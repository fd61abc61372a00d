//! The styles of a difference, laid over each other once.

use crate::syntax::highlight::SyntaxRole;
use crate::theme::{Role, Style, Theme};

/// What a line is in the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Equal,
    Removed,
    Added,
}

impl Tone {
    /// What stands before a line's text.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Tone::Equal => "  ",
            Tone::Removed => "- ",
            Tone::Added => "+ ",
        }
    }
}

/// Styles of the parts of a line, by role.
pub(super) type Palette = [Style; SyntaxRole::ALL.len()];

/// All styles that a difference needs.
pub(super) struct Inks {
    pub(super) coloured: bool,
    /// Text, by tone, then whether it is a changed word.
    pub(super) text: [[Palette; 2]; 3],
    /// The same for stand-ins of characters that cannot be shown.
    pub(super) placeholder: [[Style; 2]; 3],
    /// What fills the rest of a line.
    pub(super) grounds: [Style; 3],
    /// Line numbers and signs.
    pub(super) gutters: [Style; 3],
    pub(super) empty: Style,
    pub(super) border: Style,
    pub(super) fold: Style,
    pub(super) header: Style,
    pub(super) warning: Style,
}

impl Inks {
    pub(super) fn new(theme: Option<&Theme>) -> Inks {
        let style = |role| theme.map_or(Style::PLAIN, |theme| theme.style(role));
        let over = |tone: Tone, word: bool| match (tone, word) {
            (Tone::Equal, _) => Style::PLAIN,
            (Tone::Removed, false) => style(Role::DiffRemoved),
            (Tone::Removed, true) => style(Role::DiffRemoved).patch(style(Role::DiffRemovedWord)),
            (Tone::Added, false) => style(Role::DiffAdded),
            (Tone::Added, true) => style(Role::DiffAdded).patch(style(Role::DiffAddedWord)),
        };
        let tones = [Tone::Equal, Tone::Removed, Tone::Added];
        let under = |role: SyntaxRole| style(Role::parse(role.as_str()).unwrap_or(Role::Syntax));
        let gutter = |tone| match tone {
            Tone::Equal => style(Role::LineNumber),
            Tone::Removed => style(Role::DiffRemovedGutter),
            Tone::Added => style(Role::DiffAddedGutter),
        };
        let text = tones.map(|tone| {
            [false, true].map(|word| SyntaxRole::ALL.map(|role| under(role).patch(over(tone, word))))
        });
        Inks {
            coloured: theme.is_some(),
            text,
            placeholder: tones
                .map(|tone| [false, true].map(|word| over(tone, word).patch(style(Role::Placeholder)))),
            grounds: tones.map(|tone| over(tone, false).background()),
            gutters: tones.map(gutter),
            empty: style(Role::DiffEmpty).background(),
            border: style(Role::Border),
            fold: style(Role::Fold),
            header: style(Role::DiffHeader),
            warning: style(Role::StatusWarn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_role_has_a_key_in_themes() {
        for role in SyntaxRole::ALL {
            assert!(Role::parse(role.as_str()).is_some(), "{}", role.as_str());
        }
    }
}
