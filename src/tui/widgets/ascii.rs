//! The screen for terminals that show ASCII only.
//!
//! Promises: afterwards every cell is ASCII, and stands where it stood. Leaves to others: the glyphs that
//! have a better stand-in of their own (`skin`).

use ratatui::buffer::Buffer;

/// Replaces what such a terminal cannot show.
pub fn reduce(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let symbol = stand_in(cell.symbol());
            cell.set_symbol(symbol);
        }
    }
}

/// A wide symbol keeps the blank behind it.
fn stand_in(symbol: &str) -> &'static str {
    match symbol {
        "…" => "~",
        "·" | "—" | "–" | "−" | "─" | "⋯" => "-",
        "•" => "*",
        "│" | "▌" => "|",
        "┬" | "┼" => "+",
        "←" => "<",
        "→" => ">",
        "↑" => "^",
        "↓" => "v",
        "≠" => "#",
        "✔" => "+",
        "✘" | "×" => "x",
        "‘" | "’" => "'",
        "“" | "”" => "\"",
        "▸" => ">",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;
    use ratatui::buffer::Buffer;

    #[test]
    fn everything_becomes_ascii_and_stays_in_its_column() {
        let mut buffer = Buffer::with_lines(["a…b · 漢字 é|"]);
        reduce(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["a~b - ? ?  ?|"]));
    }
}
