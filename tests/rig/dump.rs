//! The screen as text, and its styles as text.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

/// The symbols of every row, blanks at line ends cut.
pub fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = mendbench::text::width(symbol).saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The styles of the screen: one letter for each distinct style, and what the letters mean.
pub fn styles_of(buffer: &Buffer) -> String {
    let mut legend: Vec<String> = Vec::new();
    let mut rows = String::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let style = describe(cell.fg, cell.bg, cell.modifier);
            let number = legend.iter().position(|known| *known == style).unwrap_or_else(|| {
                legend.push(style);
                legend.len() - 1
            });
            row.push(letter(number));
        }
        rows.push_str(&runs(&row));
        rows.push('\n');
    }
    for (number, style) in legend.iter().enumerate() {
        rows.push_str(&format!("{} = {style}\n", letter(number)));
    }
    rows
}

fn letter(number: usize) -> char {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    letters.chars().nth(number).expect("a screen with more than 52 styles: give the dump more letters")
}

/// `aaaabb` as `a4 b2`.
fn runs(row: &str) -> String {
    let mut parts: Vec<(char, usize)> = Vec::new();
    for letter in row.chars() {
        match parts.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            _ => parts.push((letter, 1)),
        }
    }
    parts.into_iter().map(|(letter, count)| format!("{letter}{count}")).collect::<Vec<_>>().join(" ")
}

fn describe(fg: Color, bg: Color, modifier: Modifier) -> String {
    let colour = |colour: Color| match colour {
        Color::Reset => "-".to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let mut text = format!("{} on {}", colour(fg), colour(bg));
    if !modifier.is_empty() {
        text.push_str(&format!(" {modifier:?}"));
    }
    text
}
