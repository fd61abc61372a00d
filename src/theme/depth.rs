//! A theme reduced to the colours a terminal has.
//!
//! Promises: meaning survives: with 256 colours a tint that carries meaning keeps its hue; with 16 the
//! differences are told by the colour of the text, never by backgrounds whose look the user's terminal
//! decides; without colours by bold, underline and reverse.
//! Leaves to others: finding out what the terminal has (`choose`).

use super::colour_space::{Rgb, chroma, contrast, distance, hue, indexed, lightness};
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

/// Below this a colour is a grey to the eye.
const GREY: f32 = 0.035;

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
        let tinted = matches!(
            role,
            Role::DiffAddedWord
                | Role::DiffRemovedWord
                | Role::DiffChangedWord
                | Role::DiffAddedGutter
                | Role::DiffRemovedGutter
                | Role::DiffChangedGutter
                | Role::Match
                | Role::MatchCurrent
        );
        let reduce = |colour, keep_hue| match colour {
            Colour::Rgb(red, green, blue) => Colour::Indexed(nearest_256((red, green, blue), keep_hue)),
            other => other,
        };
        let mut reduced = Style {
            fg: style.fg.map(|fg| reduce(fg, false)),
            bg: style.bg.map(|bg| reduce(bg, tinted)),
            ..style
        };
        // The palette has no dark tints: text that was chosen for one may be too faint on what took its place.
        if let (true, Some(Colour::Indexed(bg))) = (tinted, reduced.bg) {
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
            .map(|colour| contrast(indexed(nearest_256(colour, false)), background))
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
                Style { fg: None, reverse: true, ..reduced }
            }
            Role::SelectionInactive => Style { underline: true, ..reduced },
            Role::Match => Style { bold: true, underline: true, ..reduced },
            _ if role.name().starts_with("diff.") || role.name().starts_with("heat") => {
                if reduced.fg.is_none() {
                    reduced.fg = self.named(bg).map(|(colour, _)| colour).filter(|fg| *fg != Colour::Default);
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
        if chroma(rgb) < GREY {
            return Some((Colour::Default, faint));
        }
        let index = match hue(rgb).to_degrees().rem_euclid(360.0) as u16 {
            0..50 | 345.. => 1,
            50..122 => 3,
            122..170 => 2,
            170..225 => 6,
            225..283 => 4,
            283..345 => 5,
        };
        // On dark terminals the plain six are often too dark to read, blue above all.
        let bright = if self.appearance == Appearance::Dark { 8 } else { 0 };
        Some((Colour::Ansi(index + bright), false))
    }
}

fn rgb_of(colour: Colour) -> Option<Rgb> {
    match colour {
        Colour::Rgb(red, green, blue) => Some((red, green, blue)),
        Colour::Indexed(index @ 16..) => Some(indexed(index)),
        _ => None,
    }
}

/// The colour of the fixed palette that is nearest; with `keep_hue` a tint is never taken for a grey and
/// stays as near to its lightness as the palette allows.
fn nearest_256(colour: Rgb, keep_hue: bool) -> u8 {
    let tint = keep_hue && chroma(colour) >= GREY;
    let cost = |index: u8| {
        let candidate = indexed(index);
        if !tint {
            return distance(colour, candidate);
        }
        let turn = (hue(colour) - hue(candidate)).cos();
        let rise = lightness(candidate) - lightness(colour);
        if chroma(candidate) < GREY { 9.0 } else { (1.0 - turn) + 4.0 * rise * rise }
    };
    (16..=255).min_by(|one, other| cost(*one).total_cmp(&cost(*other))).unwrap_or(16)
}
