//! The bytes of the screen, judged by a terminal emulator.

#![allow(clippy::unwrap_used)]

use super::pen::index;
use super::*;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::sync::{Arc, Mutex};

const SIZE: Size = Size { width: 24, height: 6 };

type Frames = Arc<Mutex<Vec<Vec<u8>>>>;

fn terminal() -> (Terminal<Screen>, Frames) {
    let frames = Frames::default();
    let kept = Arc::clone(&frames);
    let sink = move |bytes: &[u8]| {
        kept.lock().unwrap().push(bytes.to_vec());
        Ok(())
    };
    (Terminal::new(Screen::new(Box::new(sink), || SIZE)).unwrap(), frames)
}

fn emulator() -> vt100::Parser {
    let number = |number| std::num::NonZeroU16::new(number).unwrap();
    vt100::Parser::new(number(SIZE.height), number(SIZE.width), 0)
}

fn text(parser: &vt100::Parser) -> Vec<String> {
    parser.screen().rows(0, SIZE.width).map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn a_frame_is_one_piece_and_no_change_is_no_byte() {
    let (mut terminal, frames) = terminal();
    for _ in 0..3 {
        show(&mut terminal, (2, 1), "hello", Style::new().fg(Color::Red));
    }
    let frames = frames.lock().unwrap();
    assert_eq!(frames.len(), 1);
    assert_eq!(String::from_utf8_lossy(&frames[0]), "\x1b[?2026h\x1b[2;3H\x1b[31mhello\x1b[?2026l");
}

/// Draws a frame that holds nothing but `text`.
fn show(terminal: &mut Terminal<Screen>, at: (u16, u16), text: &str, style: Style) {
    let draw = |frame: &mut ratatui::Frame<'_>| {
        frame.buffer_mut().set_string(at.0, at.1, text, style);
    };
    terminal.draw(draw).unwrap();
}

#[test]
fn the_cursor_is_shown_where_it_is_wanted_and_only_then() {
    let (mut terminal, frames) = terminal();
    let mut emulator = emulator();
    terminal.draw(|frame| frame.set_cursor_position((3, 2))).unwrap();
    terminal.draw(|frame| frame.set_cursor_position((3, 2))).unwrap();
    assert_eq!(frames.lock().unwrap().len(), 1);
    terminal.draw(|frame| frame.set_cursor_position((4, 2))).unwrap();
    frames.lock().unwrap().iter().for_each(|bytes| emulator.process(bytes));
    assert_eq!(emulator.screen().cursor_position(), (2, 4));
    assert!(!emulator.screen().hide_cursor());
    frames.lock().unwrap().clear();
    terminal.draw(|_| ()).unwrap();
    assert_eq!(String::from_utf8_lossy(&frames.lock().unwrap()[0]), "\x1b[?2026h\x1b[?25l\x1b[?2026l");
}

#[test]
fn a_cleared_screen_is_drawn_whole_without_a_question() {
    let (mut terminal, frames) = terminal();
    let draw = |terminal: &mut Terminal<Screen>| {
        show(terminal, (0, 0), "again", Style::new().bg(Color::Blue));
    };
    draw(&mut terminal);
    terminal.backend_mut().forget();
    terminal.clear().unwrap();
    draw(&mut terminal);
    let bytes = frames.lock().unwrap().last().unwrap().clone();
    let mut emulator = emulator();
    emulator.process(b"rubbish of another program");
    emulator.process(&bytes);
    assert_eq!(text(&emulator)[0], "again");
    assert!(!String::from_utf8_lossy(&bytes).contains("\x1b[6n"));
}

#[test]
fn shorter_lines_are_erased_not_filled() {
    let (mut terminal, frames) = terminal();
    show(&mut terminal, (0, 0), "a long line of text", Style::new());
    show(&mut terminal, (0, 0), "a", Style::new());
    let bytes = frames.lock().unwrap().last().unwrap().clone();
    assert!(bytes.len() < 32, "{:?}", String::from_utf8_lossy(&bytes));
}

#[test]
fn a_selection_that_moves_costs_little() {
    const WIDE: Size = Size { width: 140, height: 40 };
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&sizes);
    let sink = move |bytes: &[u8]| {
        kept.lock().unwrap().push(bytes.len());
        Ok(())
    };
    let mut terminal = Terminal::new(Screen::new(Box::new(sink), || WIDE)).unwrap();
    // A list as the workbench has it: six columns in six colours, a selected row with a background.
    for selected in 0..20 {
        let draw = |frame: &mut ratatui::Frame<'_>| {
            for y in 0..WIDE.height {
                for column in 0..6u16 {
                    let style = Style::new().fg(Color::Rgb(200, 180, 40 * column as u8));
                    let text = format!("column {column} of {y}");
                    frame.buffer_mut().set_string(column * 22, y, text, style);
                }
                if y == selected {
                    let row = Rect::new(0, y, WIDE.width, 1);
                    frame.buffer_mut().set_style(row, Style::new().bg(Color::Rgb(43, 51, 66)));
                }
            }
        };
        terminal.draw(draw).unwrap();
    }
    let mut moves = sizes.lock().unwrap()[1..].to_vec();
    moves.sort_unstable();
    assert!(moves[moves.len() / 2] <= 640, "{moves:?}");
}

fn any_colour() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Reset),
        prop::sample::select(vec![Color::Red, Color::Gray, Color::DarkGray, Color::LightCyan, Color::White]),
        any::<u8>().prop_map(Color::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Color::Rgb(red, green, blue)),
    ]
}

fn any_style() -> impl Strategy<Value = Style> {
    let modifiers = prop::sample::select(vec![
        Modifier::empty(),
        Modifier::BOLD,
        Modifier::ITALIC,
        Modifier::UNDERLINED,
        Modifier::REVERSED,
        Modifier::BOLD | Modifier::REVERSED,
    ]);
    (any_colour(), any_colour(), modifiers)
        .prop_map(|(fg, bg, modifier)| Style::new().fg(fg).bg(bg).add_modifier(modifier))
}

/// Where, what, how, and how many lines are filled in that style.
type Piece = (u16, u16, String, Style, u16);

/// Pieces of a frame. Wide characters keep to lines of their own, without backgrounds and underlines: the
/// drawing library leaves it to terminals what the half looks like that is uncovered by another character.
fn any_frame() -> impl Strategy<Value = Vec<Piece>> {
    let narrow =
        prop::sample::select(vec!["a", "word", "e\u{301}", "  ", "long enough to reach the edge", "│", "ä"]);
    let wide = prop::sample::select(vec!["漢字", "漢字漢字漢字漢字漢字漢字漢字", "한국"]);
    let piece = prop_oneof![
        (0..SIZE.width, 0..3u16, narrow.prop_map(str::to_owned), any_style(), 0u16..4),
        (
            0..SIZE.width,
            3..SIZE.height,
            wide.prop_map(str::to_owned),
            any_colour().prop_map(|fg| Style::new().fg(fg)),
            Just(0u16)
        ),
    ];
    prop::collection::vec(piece, 0..8)
}

fn emulated(colour: Color) -> vt100::Color {
    match colour {
        Color::Reset => vt100::Color::Default,
        Color::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
        named => vt100::Color::Idx(index(named)),
    }
}

proptest! {
    /// After any frames, a terminal shows what was drawn last, cell by cell.
    #[test]
    fn a_terminal_shows_the_last_frame(drawn in prop::collection::vec(any_frame(), 1..5)) {
        let (mut terminal, frames) = terminal();
        let mut emulator = emulator();
        let mut last = None;
        for pieces in &drawn {
            let completed = terminal
                .draw(|frame| {
                    let buffer = frame.buffer_mut();
                    for (x, y, text, style, fill) in pieces {
                        let area = Rect::new(*x, *y, SIZE.width, *fill).intersection(Rect::new(0, 0, SIZE.width, 3));
                        buffer.set_style(area, *style);
                        buffer.set_string(*x, *y, text, *style);
                    }
                    blank_covered(buffer);
                })
                .unwrap();
            last = Some(completed.buffer.clone());
            frames.lock().unwrap().drain(..).for_each(|bytes| emulator.process(&bytes));
        }
        let buffer = last.unwrap();
        for y in 0..SIZE.height {
            let mut hidden = 0;
            for x in 0..SIZE.width {
                let cell = &buffer[(x, y)];
                if hidden > 0 {
                    hidden -= 1;
                    continue;
                }
                hidden = cell.symbol().cell_width().saturating_sub(1);
                let shown = emulator.screen().cell(y, x).unwrap();
                let contents = if shown.has_contents() { shown.contents() } else { " " };
                prop_assert_eq!(contents, cell.symbol(), "{},{}", x, y);
                prop_assert_eq!(shown.bgcolor(), emulated(cell.bg), "{},{}", x, y);
                let shows = cell.symbol() != " " || cell.modifier.intersects(SHOWS_ON_BLANK);
                prop_assert_eq!(shown.inverse(), cell.modifier.contains(Modifier::REVERSED));
                prop_assert_eq!(shown.underline(), cell.modifier.contains(Modifier::UNDERLINED));
                if shows {
                    prop_assert_eq!(shown.fgcolor(), emulated(cell.fg), "{},{}", x, y);
                    prop_assert_eq!(shown.bold(), cell.modifier.contains(Modifier::BOLD));
                    prop_assert_eq!(shown.italic(), cell.modifier.contains(Modifier::ITALIC));
                }
            }
        }
    }
}
