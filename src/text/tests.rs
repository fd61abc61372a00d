//! Tests of the room: tables for what has a right answer, properties for what must hold for any text.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Width as the drawing library counts it: per grapheme cluster, halfwidth sound marks apart.
fn drawn_width(text: &str) -> usize {
    text.graphemes(true)
        .map(|cluster| {
            let marks = cluster.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count();
            cluster.width() + marks
        })
        .sum()
}

fn is_forbidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text made of what goes wrong: wide, combining, right-to-left, joiners, controls, tabs, emoji, flags.
fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{1,12}",
        1 => any::<String>(),
        1 => prop::sample::select(vec![
            "\u{1b}[31m", "\u{7f}", "\u{85}", "\t", "\n", "\r\n", "\r", "\u{202e}", "\u{2066}", "\u{200d}",
            "\u{200b}", "\u{feff}", "\u{301}", "e\u{301}", "\u{300}\u{301}\u{302}", "漢字", "한국", "ﾊﾞ",
            "👩\u{200d}👩\u{200d}👧\u{200d}👦", "👍🏽", "❤\u{fe0f}", "🇩🇪", "🇩", "क्षि", "لا", "مرحبا", "\u{600}",
            "x\u{fe0f}", "\u{e0041}", "\u{1160}", "\u{ad}", "1\u{fe0f}\u{20e3}", "葛\u{e0100}", "\u{0}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn sanitise_makes_the_hidden_visible() {
    let table = [
        ("", ""),
        ("plain text", "plain text"),
        ("\u{1b}[31mred", "␛[31mred"),
        ("a\nb", "a␊b"),
        ("a\tb", "a␉b"),
        ("a\r\nb", "a␍␊b"),
        ("bell\u{7}\u{7f}", "bell␇␡"),
        ("next\u{85}line", "nextU+0085line"),
        ("if (admin\u{202e}) {", "if (adminU+202E) {"),
        ("\u{2067}a\u{2069}", "U+2067aU+2069"),
        ("\u{feff}int", "U+FEFFint"),
        ("para\u{2029}graph", "paraU+2029graph"),
        ("soft\u{ad}hyphen", "softU+00ADhyphen"),
        ("zero\u{200b}width", "zeroU+200Bwidth"),
        ("a\u{200d}b", "aU+200Db"),
        ("x\u{fe0f}", "xU+FE0F"),
        ("hi\u{e0041}\u{e0042}", "hiU+E0041U+E0042"),
        ("\u{301}alone", "◌\u{301}alone"),
        ("\u{1b}\u{301}", "␛◌\u{301}"),
        ("caf\u{e9} e\u{301}", "caf\u{e9} e\u{301}"),
        ("👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("漢字 한국 مرحبا", "漢字 한국 مرحبا"),
    ];
    for (raw, clean) in table {
        assert_eq!(sanitise(raw), clean, "{raw:?}");
    }
}

#[test]
fn clean_text_is_not_copied() {
    for text in ["plain", "漢字", "e\u{301}", "👩\u{200d}💻"] {
        assert!(matches!(sanitise(text), std::borrow::Cow::Borrowed(_)), "{text:?}");
        assert!(matches!(truncate(text, 40), std::borrow::Cow::Borrowed(_)), "{text:?}");
    }
    assert!(matches!(sanitise_lines("a\nb\n", 4), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn lines_keep_their_newlines_only() {
    assert_eq!(sanitise_lines("a\r\n\tb\u{1b}\n", 4), "a\n    b␛\n");
    assert_eq!(sanitise_lines("ab\tc", 4), "ab  c");
    assert_eq!(sanitise_lines("lone\rreturn", 4), "lone␍return");
}

#[test]
fn tabs_reach_the_next_stop() {
    let table = [
        ("\tx", 4, "    x"),
        ("a\tx", 4, "a   x"),
        ("abcd\tx", 4, "abcd    x"),
        ("漢\tx", 4, "漢  x"),
        ("a\tx", 1, "a x"),
    ];
    for (raw, tab_width, expanded) in table {
        assert_eq!(expand_tabs(raw, tab_width), expanded, "{raw:?} at {tab_width}");
    }
}

#[test]
fn cells_name_the_bytes_they_stand_for() {
    let line = "a\te\u{301}漢\u{1b}\u{202e}z";
    let found: Vec<_> = cells(line, 4)
        .map(|cell| (cell.range.clone(), cell.text.into_owned(), cell.column, cell.width, cell.placeholder))
        .collect();
    let expected = [
        (0..1, "a", 0, 1, false),
        (1..2, "   ", 1, 3, false),
        (2..5, "e\u{301}", 4, 1, false),
        (5..8, "漢", 5, 2, false),
        (8..9, "␛", 7, 1, true),
        (9..12, "U+202E", 8, 6, true),
        (12..13, "z", 14, 1, false),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(r, t, c, w, p)| (r, t.to_owned(), c, w, p)).collect();
    assert_eq!(found, expected);
}

#[test]
fn widths() {
    let table = [
        ("", 0),
        ("abc", 3),
        ("漢字", 4),
        ("e\u{301}", 1),
        ("❤\u{fe0f}", 2),
        ("🇩🇪", 2),
        ("\u{1b}", 1),
        ("\u{202e}", 6),
        ("ﾊ", 1),
    ];
    for (text, columns) in table {
        assert_eq!(width(text), columns, "{text:?}");
    }
}

#[test]
fn cutting_and_filling() {
    assert_eq!(truncate("repair loop", 7), "repair…");
    assert_eq!(truncate("repair", 6), "repair");
    assert_eq!(truncate("repair", 1), "…");
    assert_eq!(truncate("repair", 0), "");
    assert_eq!(truncate("漢字漢字", 4), "漢…");
    assert_eq!(truncate("漢字", 4), "漢字");
    assert_eq!(truncate("a\u{1b}b", 3), "a␛b");
    assert_eq!(truncate_start("src/text/cells.rs", 10), "…/cells.rs");
    assert_eq!(truncate_start("目录/文件", 6), "…/文件");
    assert_eq!(pad("漢", 4), "漢  ");
    assert_eq!(pad("too long", 4), "too…");
    assert_eq!(pad_start("42", 5), "   42");
}

#[test]
fn paragraphs_wrap_between_words_and_items_hang() {
    let table: [(&str, usize, &[&str]); 9] = [
        ("", 10, &[""]),
        ("one two three", 8, &["one two", "three"]),
        ("one\ntwo\n", 8, &["one", "two"]),
        ("a\n\nb", 8, &["a", "", "b"]),
        ("- first item goes on", 12, &["- first item", "  goes on"]),
        ("  12. number goes on", 14, &["  12. number", "      goes on"]),
        ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
        ("see abcdefghij", 6, &["see", "abcdef", "ghij"]),
        ("漢字漢字漢", 5, &["漢字", "漢字", "漢"]),
    ];
    for (text, columns, rows) in table {
        assert_eq!(wrap(text, columns), rows, "{text:?} at {columns}");
    }
}

#[test]
fn windows_cut_wide_cells_to_blanks() {
    let text = |from, columns| {
        cells("ab漢字cd", 4).window(from, columns).map(|cell| cell.text.into_owned()).collect::<String>()
    };
    assert_eq!(text(0, 8), "ab漢字cd");
    assert_eq!(text(3, 4), " 字c");
    assert_eq!(text(1, 2), "b ");
    assert_eq!(text(3, 1), " ");
    assert_eq!(text(8, 4), "");
    let tabs: String = cells("\tx", 8).window(5, 10).map(|cell| cell.text.into_owned()).collect();
    assert_eq!(tabs, "   x");
}

#[test]
fn places_in_a_line() {
    let line = "ab\t漢x";
    assert_eq!(column_of(line, 4, 3), 4);
    assert_eq!(column_of(line, 4, 4), 4, "inside the character");
    assert_eq!(column_of(line, 4, 6), 6);
    assert_eq!(column_of(line, 4, 99), 7);
    assert_eq!(byte_at(line, 4, 3), 2, "inside the tab");
    assert_eq!(byte_at(line, 4, 6), 6);
    assert_eq!(byte_at(line, 4, 70), line.len());
}

#[test]
fn code_lines_are_cut_into_rows() {
    let rows: Vec<_> = wrap_cells("ab漢字", 4, 3).map(|row| (row.range, row.column, row.width)).collect();
    assert_eq!(rows, [(0..2, 0, 2), (2..5, 2, 2), (5..8, 4, 2)]);
    let rows: Vec<_> = wrap_cells("abcdef", 4, 3).map(|row| row.range).collect();
    assert_eq!(rows, [0..3, 3..6]);
    assert_eq!(segment_count("", 4, 10), 1);
    assert_eq!(segment_count("abcdef", 4, 4), 2);
    assert_eq!(segment_count("ab漢字", 4, 3), 3);
}

#[test]
fn a_letter_with_a_million_marks_is_cut_up() {
    let line = format!("a{}", "\u{301}".repeat(100_000));
    let mut walk = cells(&line, 4);
    assert_eq!(walk.next().unwrap().range, 0..1 + 15 * 2);
    let mark = walk.next().unwrap();
    assert_eq!((mark.text.as_ref(), mark.width, mark.placeholder), ("◌\u{301}", 1, true));
    assert_eq!(walk.count(), 100_000 - 16);
}

#[test]
fn the_far_end_of_a_megabyte_is_found() {
    let line = "x".repeat(1 << 20) + "漢e\u{301}";
    let end: String = cells(&line, 4).window((1 << 20) - 1, 10).map(|cell| cell.text.into_owned()).collect();
    assert_eq!(end, "x漢e\u{301}");
    assert_eq!(segment_count(&line, 4, 100), (1usize << 20).div_ceil(100));
}

#[test]
fn what_stands_in_for_a_selector_joins_nothing() {
    for (line, clean) in [
        ("x\u{fe0f}\u{200d}ᤣ", "xU+FE0FU+200Dᤣ"),
        ("x\u{180b}\u{fe0f}\u{200d}y", "xU+180BU+FE0FU+200Dy"),
        ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
    ] {
        assert_eq!(sanitise(line), clean);
        assert_eq!(sanitise(clean), clean);
    }
}

proptest! {
    #[test]
    fn cells_cover_the_line_in_order(line in awkward(), tab_width in 0u16..20) {
        let (mut byte, mut column) = (0, 0);
        for cell in cells(&line, tab_width) {
            prop_assert_eq!(cell.range.start, byte);
            prop_assert!(cell.range.end > byte && line.is_char_boundary(cell.range.end));
            prop_assert_eq!(cell.column, column);
            prop_assert!(cell.width > 0);
            byte = cell.range.end;
            column += usize::from(cell.width);
        }
        prop_assert_eq!(byte, line.len());
    }

    #[test]
    fn what_goes_out_is_clean_and_measured_as_drawn(line in awkward(), columns in 0usize..30) {
        let clean = sanitise(&line).into_owned();
        prop_assert!(!clean.chars().any(is_forbidden), "{:?}", clean);
        prop_assert_eq!(sanitise(&clean), clean.as_str());
        prop_assert_eq!(width(&line), width(&clean));
        prop_assert_eq!(drawn_width(&clean), width(&clean), "{:?}", clean);
        for cut in [truncate(&line, columns), truncate_start(&line, columns), pad(&line, columns).into()] {
            prop_assert!(drawn_width(&cut) <= columns, "{:?}", cut);
            prop_assert!(!cut.chars().any(is_forbidden));
        }
        prop_assert_eq!(width(&pad(&line, columns)), columns);
        prop_assert_eq!(width(&pad_start(&line, columns)), columns);
        let lines = sanitise_lines(&line, 4);
        prop_assert!(!lines.chars().any(|character| character != '\n' && is_forbidden(character)));
    }

    #[test]
    fn wrapping_loses_nothing_and_stays_inside(text in awkward(), columns in 8usize..40) {
        let rows = wrap(&text, columns);
        for row in &rows {
            prop_assert!(drawn_width(row) <= columns, "{:?} wider than {}", row, columns);
        }
        let visible = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
        prop_assert_eq!(visible(&rows.concat()), visible(&sanitise_lines(&text, 4)));
    }

    #[test]
    fn rows_of_code_cover_the_line(line in awkward(), columns in 0usize..20, tab_width in 1u16..9) {
        let rows: Vec<Segment> = wrap_cells(&line, tab_width, columns).collect();
        prop_assert_eq!(rows.len(), segment_count(&line, tab_width, columns));
        let mut byte = 0;
        for row in &rows {
            prop_assert_eq!(row.range.start, byte);
            let walked: Vec<_> = cells_from(&line[..row.range.end], tab_width, row.range.start, row.column).collect();
            let width: usize = walked.iter().map(|cell| usize::from(cell.width)).sum();
            prop_assert_eq!(width, row.width);
            prop_assert!(width <= columns.max(1) || walked.len() == 1);
            byte = row.range.end;
        }
        prop_assert_eq!(byte, line.len());
    }

    #[test]
    fn windows_fill_whole_columns(line in awkward(), from in 0usize..40, columns in 0usize..40) {
        let total: usize = cells(&line, 4).map(|cell| usize::from(cell.width)).sum();
        let seen: Vec<_> = cells(&line, 4).window(from, columns).collect();
        let width: usize = seen.iter().map(|cell| usize::from(cell.width)).sum();
        prop_assert_eq!(width, total.saturating_sub(from).min(columns));
        if let Some(first) = seen.first() {
            prop_assert_eq!(first.column, from);
        }
    }
}
