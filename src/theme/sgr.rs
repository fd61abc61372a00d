//! Styles as escape sequences, for the command line.
//!
//! Promises: as few bytes as lead from one style to the next; what [`Painter::finish`] leaves is plain.
//! Leaves to others: whether colours are wanted at all (`choose`), sanitising the text (`text`).

use super::style::{Colour, Style};

/// Writes text with styles into a string and remembers what the terminal has been told.
#[derive(Debug, Clone, Copy, Default)]
pub struct Painter {
    current: Style,
}

impl Painter {
    /// A painter for a terminal that shows plain text.
    pub const fn new() -> Painter {
        Painter { current: Style::PLAIN }
    }

    /// Adds `text`, which must be clean, in `style`.
    pub fn paint(&mut self, out: &mut String, style: Style, text: &str) {
        if !text.is_empty() {
            self.switch(out, style);
            out.push_str(text);
        }
    }

    /// Adds what leads from the present style to `style`.
    pub fn switch(&mut self, out: &mut String, style: Style) {
        if style == self.current {
            return;
        }
        if style == Style::PLAIN {
            out.push_str("\x1b[m");
            self.current = style;
            return;
        }
        let from = self.current;
        let mut codes = Codes { out, any: false };
        // Bold and dim are switched off together.
        let weight_off = (from.bold && !style.bold) || (from.dim && !style.dim);
        if weight_off {
            codes.push(22);
        }
        for (on, wanted, had) in [
            (1, style.bold, from.bold && !weight_off),
            (2, style.dim, from.dim && !weight_off),
            (3, style.italic, from.italic),
            (4, style.underline, from.underline),
            (7, style.reverse, from.reverse),
            (9, style.strike, from.strike),
        ] {
            match (wanted, had) {
                (true, false) => codes.push(on),
                (false, true) => codes.push(on + 20),
                _ => {}
            }
        }
        if style.fg != from.fg {
            codes.colour(style.fg.unwrap_or(Colour::Default), 30);
        }
        if style.bg != from.bg {
            codes.colour(style.bg.unwrap_or(Colour::Default), 40);
        }
        codes.end();
        self.current = style;
    }

    /// Back to plain text.
    pub fn finish(&mut self, out: &mut String) {
        self.switch(out, Style::PLAIN);
    }
}

/// The parameters of one sequence; it is opened by the first of them.
struct Codes<'a> {
    out: &'a mut String,
    any: bool,
}

impl Codes<'_> {
    fn push(&mut self, code: u8) {
        self.out.push_str(if self.any { ";" } else { "\x1b[" });
        self.any = true;
        if code >= 100 {
            self.digit(code / 100);
        }
        if code >= 10 {
            self.digit(code / 10 % 10);
        }
        self.digit(code % 10);
    }

    fn digit(&mut self, digit: u8) {
        self.out.push(char::from(b'0' + digit));
    }

    /// `base` is 30 for the text, 40 for what is behind it.
    fn colour(&mut self, colour: Colour, base: u8) {
        match colour {
            Colour::Default => self.push(base + 9),
            Colour::Ansi(index @ 0..=7) => self.push(base + index),
            Colour::Ansi(index @ 8..=15) => self.push(base + 60 + index - 8),
            Colour::Ansi(index) | Colour::Indexed(index) => {
                self.push(base + 8);
                self.push(5);
                self.push(index);
            }
            Colour::Rgb(red, green, blue) => {
                self.push(base + 8);
                self.push(2);
                self.push(red);
                self.push(green);
                self.push(blue);
            }
        }
    }

    fn end(self) {
        if self.any {
            self.out.push('m');
        }
    }
}
