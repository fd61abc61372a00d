//! Colours and attributes, and the codes that lead from one set of them to another.
//!
//! Promises: only what differs is told; what is switched off together is switched on again.
//! Leaves to others: everything but the numbers of `ESC [ … m`.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Attributes that show on a blank.
pub(super) const SHOWS_ON_BLANK: Modifier =
    Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Colours and attributes that the terminal has been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pen {
    pub fg: Color,
    pub bg: Color,
    pub underline: Color,
    pub modifier: Modifier,
}

impl Pen {
    pub const PLAIN: Pen =
        Pen { fg: Color::Reset, bg: Color::Reset, underline: Color::Reset, modifier: Modifier::empty() };

    pub fn of(cell: &Cell) -> Pen {
        Pen { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }

    /// The codes that lead from this pen to `to`.
    pub fn codes_to(self, to: Pen) -> Vec<usize> {
        let mut codes = Vec::with_capacity(16);
        modifiers(self.modifier, to.modifier, &mut codes);
        if self.fg != to.fg {
            colour(to.fg, 30, &mut codes);
        }
        if self.bg != to.bg {
            colour(to.bg, 40, &mut codes);
        }
        if self.underline != to.underline {
            match to.underline {
                Color::Reset => codes.push(59),
                // Underlines have no short codes for the sixteen.
                Color::Rgb(red, green, blue) => codes.extend([58, 2, red, green, blue].map(usize::from)),
                named => codes.extend([58, 5, usize::from(index(named))]),
            }
        }
        codes
    }
}

/// Modifiers and their codes; those that are switched off together stand together.
const MODIFIERS: [(Modifier, usize, usize); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

fn modifiers(from: Modifier, to: Modifier, codes: &mut Vec<usize>) {
    let mut left = from;
    for (modifier, _, off) in MODIFIERS {
        if left.contains(modifier) && !to.contains(modifier) {
            codes.push(off);
            // The code takes its neighbours with it.
            MODIFIERS
                .iter()
                .filter(|(_, _, other)| *other == off)
                .for_each(|(other, _, _)| left.remove(*other));
        }
    }
    for (modifier, on, _) in MODIFIERS {
        if to.contains(modifier) && !left.contains(modifier) {
            codes.push(on);
        }
    }
}

/// `base` is 30 for the text, 40 for what is behind it.
fn colour(colour: Color, base: usize, codes: &mut Vec<usize>) {
    match colour {
        Color::Reset => codes.push(base + 9),
        Color::Rgb(red, green, blue) => codes.extend([base + 8, 2, red.into(), green.into(), blue.into()]),
        Color::Indexed(number) => codes.extend([base + 8, 5, number.into()]),
        named => match usize::from(index(named)) {
            number @ 0..=7 => codes.push(base + number),
            number => codes.push(base + 52 + number),
        },
    }
}

/// The number of a named colour.
pub(super) fn index(colour: Color) -> u8 {
    match colour {
        Color::Black | Color::Reset | Color::Rgb(..) => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Indexed(number) => number,
    }
}
