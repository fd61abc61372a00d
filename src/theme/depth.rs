//! A theme reduced to the colours a terminal has.
//!
//! Promises: meaning survives: with 256 colours a tint that carries meaning keeps its hue; with 16 the
//! differences are told by the colour of the text, never by backgrounds whose look the user's terminal
//! decides; without colours by bold, underline and reverse.
//! Leaves to others: finding out what the terminal has (`choose`).

use super::colour_space::{PALETTE, Rgb, Seen, contrast, indexed};
use super::style::{Colour, Style};
use super::{Appearance, Role, Theme};

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColourDepth {
    /// None at all.
    None,
    /// The sixteen named ones.
    Ansi16,
    /// The fixed palette of 256.
    Ansi256,
    /// 16 million.
    Truecolour,
}

/// Below this the colour of a text is a grey to the eye.
const GREY: f32 = 0.035;

/// Below this a background has no tint.
const UNTINTED: f32 = 0.01;

/// A tint that costs more than this is stronger than what it stands for.
const CALM: f32 = 0.05;

/// How a background may be approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tint {
    /// By whatever is nearest.
    Free,
    /// With its hue, if the palette has a tint that is not much stronger; else by a grey.
    IfCalm,
    /// With its hue, however strong.
    Always,
}

impl Theme {
    /// This theme with no more colours than `depth` has.
    #[must_use]
    pub fn quantise(&self, depth: ColourDepth) -> Theme {
        let mut theme = self.clone();
        for role in Role::ALL.iter().copied() {
            let style = self.style(role);
            theme.styles[role as usize] = match depth {
                ColourDepth::Truecolour => style,
                ColourDepth::Ansi256 => self.in_256(role, style),
                ColourDepth::Ansi16 => self.in_16(role, style),
                ColourDepth::None => self.in_16(role, style).without_colours(),
            };
        }
        theme
    }

    fn in_256(&self, role: Role, style: Style) -> Style {
        let tint = match role {
            Role::Match | Role::MatchCurrent => Tint::Always,
            _ if role.name().ends_with(".word") => Tint::Always,
            _ if role.name().starts_with("diff.") => Tint::IfCalm,
            _ => Tint::Free,
        };
        // Words must stay apart from the line they stand in.
        let line = role.fallback().filter(|_| role.name().ends_with(".word"));
        let line = match line.and_then(|line| self.in_256(line, self.style(line)).bg) {
            Some(Colour::Indexed(index)) => Some(index),
            _ => None,
        };
        let reduce = |colour, tint| match colour {
            Colour::Rgb(red, green, blue) => Colour::Indexed(nearest_256((red, green, blue), tint, line)),
            other => other,
        };
        let mut reduced = Style {
            fg: style.fg.map(|fg| reduce(fg, Tint::Free)),
            bg: style.bg.map(|bg| reduce(bg, tint)),
            ..style
        };
        // The palette has no dark tints: text chosen for one may be too faint on what took its place.
        if let (Tint::Always, Some(Colour::Indexed(bg))) = (tint, reduced.bg) {
            let bg = indexed(bg);
            let fg = match reduced.fg {
                Some(Colour::Indexed(fg)) if contrast(indexed(fg), bg) >= 4.5 => fg,
                _ if contrast((238, 238, 238), bg) >= contrast((18, 18, 18), bg) => 255,
                _ => 16,
            };
            let syntax_is_readable = reduced.fg.is_none() && self.syntax_contrast(bg) >= 4.5;
            if !syntax_is_readable {
                reduced.fg = Some(Colour::Indexed(fg));
            }
        }
        reduced
    }

    /// The least contrast of a syntax colour on `background`.
    fn syntax_contrast(&self, background: Rgb) -> f32 {
        Role::ALL
            .iter()
            .filter(|role| role.name().starts_with("syntax"))
            .filter_map(|role| self.style(*role).fg.and_then(rgb_of))
            .map(|colour| contrast(indexed(nearest_256(colour, Tint::Free, None)), background))
            .fold(21.0, f32::min)
    }

    fn in_16(&self, role: Role, style: Style) -> Style {
        let fg = style.fg.and_then(|fg| self.named(fg));
        let mut reduced = Style { fg: fg.map(|(colour, _)| colour), bg: None, ..style };
        if fg.is_some_and(|(_, faint)| faint) && role != Role::Text {
            reduced.dim = true;
        }
        let Some(bg) = style.bg else { return reduced };
        if let Colour::Ansi(_) | Colour::Default = bg {
            reduced.bg = Some(bg);
            return reduced;
        }
        match role {
            Role::Selection | Role::TabActive | Role::MatchCurrent => {
                Style { fg: Some(Colour::Default), reverse: true, ..reduced }
            }
            Role::SelectionInactive => Style { underline: true, ..reduced },
            Role::Match => Style { bold: true, underline: true, ..reduced },
            _ if role.name().starts_with("diff.") || role.name().starts_with("heat") => {
                if reduced.fg.is_none() {
                    reduced.fg = rgb_of(bg)
                        .filter(|bg| Seen::new(*bg).chroma() >= UNTINTED)
                        .map(|bg| self.hue_name(bg));
                }
                if role.name().ends_with(".word") {
                    reduced.bold = true;
                    reduced.underline = true;
                }
                reduced
            }
            _ => reduced,
        }
    }

    /// The named colour for a text colour, and whether it was much fainter than ordinary text.
    fn named(&self, colour: Colour) -> Option<(Colour, bool)> {
        let Some(rgb) = rgb_of(colour) else { return Some((colour, false)) };
        let faint = match (self.background, self.style(Role::Text).fg.and_then(rgb_of)) {
            (Some(background), Some(text)) => contrast(rgb, background) < 0.6 * contrast(text, background),
            _ => false,
        };
        if Seen::new(rgb).chroma() < GREY {
            return Some((Colour::Default, faint));
        }
        Some((self.hue_name(rgb), false))
    }

    /// The one of the sixteen that has this hue.
    fn hue_name(&self, rgb: Rgb) -> Colour {
        let index = match Seen::new(rgb).hue() as u16 {
            0..50 | 345.. => 1,
            50..122 => 3,
            122..170 => 2,
            170..225 => 6,
            225..283 => 4,
            283..345 => 5,
        };
        // On dark terminals the plain six are often too dark to read, blue above all.
        let bright = if self.appearance == Appearance::Dark { 8 } else { 0 };
        Colour::Ansi(index + bright)
    }
}

fn rgb_of(colour: Colour) -> Option<Rgb> {
    match colour {
        Colour::Rgb(red, green, blue) => Some((red, green, blue)),
        Colour::Indexed(index @ 16..) => Some(indexed(index)),
        _ => None,
    }
}

/// The colour of the fixed palette that is nearest, other than the tint `avoid`.
fn nearest_256(colour: Rgb, tint: Tint, avoid: Option<u8>) -> u8 {
    let seen = Seen::new(colour);
    let nearest = |cost: &dyn Fn(u8, Seen) -> f32| {
        PALETTE
            .iter()
            .map(|(index, candidate)| (cost(*index, *candidate), *index))
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .unwrap_or((0.0, 16))
    };
    let plain = || nearest(&|_, candidate| seen.distance(candidate)).1;
    let chroma = seen.chroma();
    if tint == Tint::Free || chroma < UNTINTED {
        return plain();
    }
    let (cost, index) = nearest(&|index, candidate| {
        if Some(index) == avoid || candidate.chroma() < UNTINTED {
            return f32::INFINITY;
        }
        let rise = candidate.lightness - seen.lightness;
        let strength = candidate.chroma() - chroma;
        0.3 * seen.turn(candidate) + 4.0 * rise * rise + 8.0 * strength * strength
    });
    if tint == Tint::IfCalm && cost > CALM { plain() } else { index }
}
