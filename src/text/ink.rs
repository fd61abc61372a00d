//! Lines of a program's output with the colours that it gave them.
//!
//! Promises: the sequences that choose colours and weights (SGR), and the one that clears the rest of a line, are
//! read and taken out; every other escape stays in the text, where [`cells`](super::cells) shows it as ␛. What a
//! program wants to hide (concealed text, colours equal to the background) stays readable: backgrounds and concealment
//! are ignored. Leaves to others: which colour of a theme stands for which of the sixteen.

/// Longest sequence that is understood, bytes.
const LONGEST: usize = 64;

/// How a piece of output is to look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ink {
    /// One of the sixteen colours: black, red, green, yellow, blue, magenta, cyan, white, and bright.
    pub colour: Option<u8>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
}

/// A line, its escapes taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inked {
    /// The text, not sanitised.
    pub text: String,
    /// Where each ink ends in the text, in order; what follows the last one is plain.
    pub runs: Vec<(u32, Ink)>,
}

impl Inked {
    /// A line without colours.
    pub fn plain(text: impl Into<String>) -> Inked {
        Inked { text: text.into(), runs: Vec::new() }
    }
}

/// Reads lines; the ink of one line goes on in the next.
#[derive(Debug, Clone, Default)]
pub struct Pen {
    ink: Ink,
}

impl Pen {
    /// The line without its escapes, and how it is to look.
    pub fn line(&mut self, raw: &str) -> Inked {
        if !raw.contains('\x1b') {
            let runs = if self.ink == Ink::default() || raw.is_empty() {
                Vec::new()
            } else {
                vec![(u32::try_from(raw.len()).unwrap_or(u32::MAX), self.ink)]
            };
            return Inked { text: raw.to_owned(), runs };
        }
        let mut line = Inked { text: String::with_capacity(raw.len()), runs: Vec::new() };
        let mut rest = raw;
        while let Some(at) = rest.find('\x1b') {
            let (before, from) = rest.split_at(at);
            self.write(&mut line, before);
            match sequence(from) {
                Some((parameters, 'm', length)) => {
                    self.choose(parameters);
                    rest = &from[length..];
                }
                Some((_, _, length)) => rest = &from[length..],
                None => {
                    self.write(&mut line, &from[..1]);
                    rest = &from[1..];
                }
            }
        }
        self.write(&mut line, rest);
        line
    }

    fn write(&self, line: &mut Inked, text: &str) {
        if text.is_empty() {
            return;
        }
        line.text.push_str(text);
        let end = u32::try_from(line.text.len()).unwrap_or(u32::MAX);
        match line.runs.last_mut() {
            Some((last, ink)) if *ink == self.ink => *last = end,
            _ => line.runs.push((end, self.ink)),
        }
    }

    fn choose(&mut self, parameters: &str) {
        let mut numbers = parameters
            .split([';', ':'])
            .map(|number| if number.is_empty() { Some(0) } else { number.parse::<u16>().ok() });
        while let Some(number) = numbers.next() {
            let ink = &mut self.ink;
            match number {
                Some(0) => *ink = Ink::default(),
                Some(1) => ink.bold = true,
                Some(2) => ink.dim = true,
                Some(3) => ink.italic = true,
                Some(4) => ink.underline = true,
                Some(7) => ink.reverse = true,
                Some(22) => (ink.bold, ink.dim) = (false, false),
                Some(23) => ink.italic = false,
                Some(24) => ink.underline = false,
                Some(27) => ink.reverse = false,
                Some(number @ 30..=37) => ink.colour = Some(number as u8 - 30),
                Some(number @ 90..=97) => ink.colour = Some(number as u8 - 90 + 8),
                Some(39) => ink.colour = None,
                Some(which @ (38 | 48)) => {
                    let mut next = || numbers.next().flatten();
                    let colour = match next() {
                        Some(5) => next().and_then(of_256),
                        Some(2) => match (next(), next(), next()) {
                            (Some(red), Some(green), Some(blue)) => nearest(red, green, blue),
                            _ => None,
                        },
                        _ => None,
                    };
                    if which == 38 {
                        ink.colour = colour;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Parameters, end and length of a sequence that starts here and is understood.
fn sequence(text: &str) -> Option<(&str, char, usize)> {
    let body = text.strip_prefix("\x1b[")?;
    let end = body.bytes().take(LONGEST).position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    match body.as_bytes().get(end)? {
        b'm' => Some((&body[..end], 'm', end + 3)),
        // Nothing stands right of where a program writes forward, so there is nothing to clear.
        b'K' if matches!(&body[..end], "" | "0") => Some(("", 'K', end + 3)),
        _ => None,
    }
}

/// One of the sixteen for a number of the 256.
fn of_256(number: u16) -> Option<u8> {
    match number {
        0..=15 => Some(number as u8),
        16..=231 => {
            let number = number - 16;
            nearest(number / 36 * 51, number / 6 % 6 * 51, number % 6 * 51)
        }
        232..=243 => Some(8),
        _ => None,
    }
}

/// One of the six colours for a mixture; greys are text, or dim text.
fn nearest(red: u16, green: u16, blue: u16) -> Option<u8> {
    let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
    if most - least < 40 {
        return if most < 120 { Some(8) } else { None };
    }
    let half = least + (most - least) / 2;
    let bit = |value: u16, bit: u8| if value > half { bit } else { 0 };
    Some(bit(red, 1) | bit(green, 2) | bit(blue, 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inks(raw: &str) -> Vec<(String, Ink)> {
        let line = Pen::default().line(raw);
        let mut from = 0;
        line.runs
            .iter()
            .map(|(end, ink)| {
                let text = line.text[from..*end as usize].to_owned();
                from = *end as usize;
                (text, *ink)
            })
            .collect()
    }

    #[test]
    fn colours_are_read_and_taken_out() {
        let red = Ink { colour: Some(1), bold: true, ..Ink::default() };
        let expected = vec![
            ("a ".to_owned(), Ink::default()),
            ("bad".to_owned(), red),
            (".".to_owned(), Ink::default()),
        ];
        assert_eq!(inks("a \x1b[01;31m\x1b[Kbad\x1b[m\x1b[K."), expected);
        let colour = |raw: &str| inks(raw)[0].1.colour;
        for (raw, expected) in [
            ("\x1b[92mx", Some(10)),
            ("\x1b[38;5;196mx", Some(1)),
            ("\x1b[38;2;20;200;30mx", Some(2)),
            ("\x1b[38:5:240mx", Some(8)),
            ("\x1b[48;5;1mx", None),
            ("\x1b[31;39mx", None),
            ("\x1b[99999mx", None),
        ] {
            assert_eq!(colour(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn what_is_not_a_colour_stays_to_be_seen() {
        for raw in ["\x1b[2Jx", "\x1b]52;c;AAAA\x07", "\x1b[?25l", "\x1b[", "\x1b", "\x1b[12;é", "\x1b[3A"] {
            let line = Pen::default().line(raw);
            assert_eq!(line.text, raw);
            assert!(super::super::sanitise(&line.text).starts_with('␛'));
        }
        assert_eq!(Pen::default().line("\x1b[8mhidden").text, "hidden");
    }

    #[test]
    fn ink_goes_on_in_the_next_line() {
        let mut pen = Pen::default();
        pen.line("\x1b[32m");
        assert_eq!(pen.line("green").runs, [(5, Ink { colour: Some(2), ..Ink::default() })]);
    }

    proptest! {
        #[test]
        fn runs_cover_the_text_in_order(raw in "(\x1b|\\[|[0-9;]|m|K|é|a){0,60}") {
            let line = Pen::default().line(&raw);
            let ends: Vec<usize> = line.runs.iter().map(|(end, _)| *end as usize).collect();
            prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(ends.iter().all(|end| line.text.is_char_boundary(*end)));
            prop_assert!(ends.last().is_none_or(|end| *end == line.text.len()));
        }
    }
}
