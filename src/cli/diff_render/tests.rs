//! Tests of how a difference is drawn as text.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::diff::DiffOptions;
use crate::syntax::highlight::{highlight_pair, syntax_for};
use crate::theme::{ColourDepth, Role};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

fn drawn(old: &str, new: &str, view: &View, theme: Option<&Theme>) -> String {
    let diff = Diff::compute(old, new, &DiffOptions::default());
    let (a, b) = highlight_pair(old, new, syntax_for("c", "", ""), &AtomicBool::new(false));
    let mut out = String::new();
    render(&mut out, &[FileView { name: "a.c", diff: &diff, syntax: Some((&a, &b)) }], view, theme);
    out
}

fn side(width: usize) -> View {
    View { projection: Projection::SideBySide, width, ..View::default() }
}

fn unified() -> View {
    View::default()
}

fn plain(old: &str, new: &str, view: &View) -> Vec<String> {
    drawn(old, new, view, None).lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_lines(got: &[String], want: &[&str]) {
    assert!(got == want, "got\n{}\nwant\n{}", got.join("\n"), want.join("\n"));
}

const OLD: &str = "one\ntwo\nthree\nint x = 1;\nfive\nsix\nseven\neight\n";
const NEW: &str = "one\ntwo\nthree\nint x = 2;\nfive\nsix\nseven\neight\nnine\n";

#[test]
fn unified_text() {
    let view = View { context: Some(1), ..unified() };
    let want = [
        "a.c +2 -1",
        "⋯ 2 equal lines",
        " 3  3   three",
        " 4    - int x = 1;",
        "    4 + int x = 2;",
        " 5  5   five",
        "⋯ 2 equal lines",
        " 8  8   eight",
        "    9 + nine",
    ];
    assert_lines(&plain(OLD, NEW, &view), &want);
}

#[test]
fn side_by_side_text() {
    let want = [
        "a.c +2 -1",
        " 1   one           │ 1   one",
        " 2   two           │ 2   two",
        " 3   three         │ 3   three",
        " 4 - int x = 1;    │ 4 + int x = 2;",
        " 5   five          │ 5   five",
        " 6   six           │ 6   six",
        " 7   seven         │ 7   seven",
        " 8   eight         │ 8   eight",
        "                   │ 9 + nine",
    ];
    assert_lines(&plain(OLD, NEW, &side(40)), &want);
    let view = View { line_numbers: false, context: Some(0), ..side(40) };
    let want = [
        "a.c +2 -1",
        "⋯ 3 equal lines",
        "- int x = 1;       │+ int x = 2;",
        "⋯ 4 equal lines",
        "                   │+ nine",
    ];
    assert_lines(&plain(OLD, NEW, &view), &want);
}

#[test]
fn the_whole_file_when_asked_for() {
    let view = View { context: None, ..unified() };
    assert_eq!(plain(OLD, NEW, &view).len(), 1 + 8 + 2);
    let got = plain(OLD, OLD, &view);
    assert_lines(&got[..3], &["a.c", "no difference", " 1  1   one"]);
    assert_lines(&plain(OLD, OLD, &unified()), &["a.c", "no difference"]);
    assert_lines(&plain("", "", &side(80)), &["a.c", "no difference"]);
}

#[test]
fn long_lines_wrap_side_by_side_and_stay_whole_unified() {
    let old = "int value = first + second + third;\n";
    let new = "int value = first + second;\n";
    let want = [
        "a.c +1 -1",
        " 1 - int value = fi│ 1 + int value = fir",
        "     rst + second +│     st + second;",
        "      third;       │",
    ];
    assert_lines(&plain(old, new, &side(40)), &want);
    let want =
        ["a.c +1 -1", " 1    - int value = first + second + third;", "    1 + int value = first + second;"];
    assert_lines(&plain(old, new, &View { width: 20, ..unified() }), &want);
}

#[test]
fn line_ends_are_told_apart() {
    let want = ["a.c +1 -1", " 1    - one␍", "    1 + one", " 2  2   two"];
    assert_lines(&plain("one\r\ntwo\n", "one\ntwo\n", &unified()), &want);
    let want = ["a.c +1 -1", " 1 - one␍          │ 1 + one", " 2   two           │ 2   two"];
    assert_lines(&plain("one\r\ntwo\n", "one\ntwo\n", &side(40)), &want);
    let want = ["a.c +1 -1", " 1    - one", "    1 + won"];
    assert_lines(&plain("one\r\n", "won\r\n", &unified()), &want);
}

#[test]
fn a_missing_line_end_is_told() {
    let want = ["a.c +1 -1", " 1    - one", "    1 + one", NO_LINE_END];
    assert_lines(&plain("one\n", "one", &unified()), &want);
    let want = [
        "a.c +1 -1",
        " 1 - one                               │ 1 + one",
        "                                       │     \\ no line end at the end of the f…",
    ];
    let got = plain("one\n", "one", &side(79));
    assert_lines(&got, &want);
    let got = plain("x\none", "y\none", &side(140));
    assert_eq!(got.last().unwrap().matches("no line end").count(), 2, "{got:?}");
    let got = plain("x\none", "y\none", &unified());
    assert_eq!(got.iter().filter(|line| line.contains("no line end")).count(), 1, "{got:?}");
}

#[test]
fn wide_characters_and_tabs_keep_their_columns() {
    let got = plain("日本語日本語日本\n", "\t日本語日本\n", &side(40));
    assert_eq!(got[1], " 1 - 日本語日本語日│ 1 +     日本語日本");
    assert_eq!(got[2], "     本            │");
    let got = plain("a\tb\n\tc\n", "a\tb\n\td\n", &side(80));
    assert_eq!(got[1], format!(" 1   a   b{}│ 1   a   b", " ".repeat(29)));
    let widths: Vec<usize> =
        got[1..].iter().map(|line| text::width(line.split('│').next().unwrap())).collect();
    assert!(widths.iter().all(|width| *width == 39), "{widths:?}");
}

#[test]
fn control_and_bidi_characters_are_shown_as_stand_ins() {
    let old = "x\u{1b}[31m\u{7}y\n";
    let new = "x\u{202e}y\u{200b}\0\n";
    let got = plain(old, new, &unified());
    assert_lines(&got, &["a.c +1 -1", " 1    - x␛[31m␇y", "    1 + xU+202EyU+200B␀"]);
    let diff = Diff::compute("a\n", "b\n", &DiffOptions::default());
    let mut out = String::new();
    let file = FileView { name: "a\u{1b}]0;x\n.c", diff: &diff, syntax: None };
    render(&mut out, &[file, file], &unified(), None);
    assert_eq!(out.lines().next().unwrap(), "a␛]0;x␊.c +1 -1");
    assert_eq!(out.lines().nth(3).unwrap(), "", "an empty line stands between files");
}

#[test]
fn a_line_of_a_megabyte_is_cut_and_says_so() {
    let long = "var a=1;".repeat(125_000);
    let got = plain(&format!("{long}\n"), "x\n", &unified());
    assert!(got[1].ends_with("… 980000 bytes more"), "{}", &got[1][got[1].len() - 40..]);
    let got = drawn(&format!("{long}\n"), "x\n", &side(140), None);
    assert!(got.len() < 60_000 && got.contains("980000 bytes more"));
}

/// A line of output as runs of text with the parameters of the sequence before each.
fn runs(line: &str) -> Vec<(String, String)> {
    let mut runs = Vec::new();
    let mut state = String::new();
    for (at, part) in line.split('\x1b').enumerate() {
        let text = if at == 0 {
            part
        } else {
            let (codes, text) = part.strip_prefix('[').unwrap().split_once('m').unwrap();
            state = if codes.is_empty() { String::new() } else { format!("{state};{codes}") };
            text
        };
        if !text.is_empty() {
            runs.push((state.clone(), text.to_owned()));
        }
    }
    runs
}

/// The text of a line in which the style of changed words is on.
fn emphasised(line: &str, word: Style) -> String {
    let mut out = String::new();
    let mut painter = Painter::new();
    let mut only = String::new();
    painter.switch(&mut only, Style { bg: word.bg, ..Style::PLAIN });
    let wanted = only.trim_start_matches("\x1b[").trim_end_matches('m').to_owned();
    for (state, text) in runs(line) {
        // The background set last decides.
        let last = state.rfind("48;2;").map(|at| &state[at..]).unwrap_or_default();
        if last.starts_with(&wanted) {
            out.push_str(&text);
        }
    }
    out
}

#[test]
fn exactly_the_changed_words_are_emphasised() {
    let theme = Theme::built_in("dark").unwrap();
    let old = "if (count > limit) return first; /* α */\nsame\n";
    let new = "if (size > limit) return second + 1; /* β */\nsame\n";
    for view in [unified(), side(140)] {
        let out = drawn(old, new, &view, Some(&theme));
        let removed: String =
            out.lines().map(|line| emphasised(line, theme.style(Role::DiffRemovedWord))).collect();
        let added: String =
            out.lines().map(|line| emphasised(line, theme.style(Role::DiffAddedWord))).collect();
        assert_eq!((removed.as_str(), added.as_str()), ("countfirstα", "sizesecond + 1β"), "{out:?}");
    }
}

#[test]
fn syntax_colours_show_through_the_difference() {
    let theme = Theme::built_in("dark").unwrap();
    let out = drawn("return 1;\n", "return 2;\n", &unified(), Some(&theme));
    let keyword = theme.style(Role::SyntaxKeyword).patch(theme.style(Role::DiffRemoved));
    let line = out.lines().nth(1).unwrap();
    let mut want = String::new();
    let mut painter = Painter::new();
    painter.switch(&mut want, theme.style(Role::DiffRemovedGutter));
    want.clear();
    painter.paint(&mut want, keyword, "return");
    assert!(line.contains(&want), "{line:?} {want:?}");
}

#[test]
fn every_line_ends_in_plain_colours_at_every_depth() {
    for name in ["dark", "light", "ansi16", "mono"] {
        for depth in [ColourDepth::Truecolour, ColourDepth::Ansi256, ColourDepth::Ansi16, ColourDepth::None] {
            let theme = Theme::built_in(name).unwrap().quantise(depth);
            for view in [unified(), side(80)] {
                let out = drawn(OLD, NEW, &view, Some(&theme));
                assert!(out.lines().all(|line| !line.contains('\x1b') || line.contains("\x1b[m")), "{name}");
                assert!(
                    out.lines().all(|line| line.rsplit('\x1b').next().unwrap().starts_with("[m")
                        || !line.contains('\x1b'))
                );
                let colours = out.contains("38;2;") || out.contains("48;2;");
                assert!(!colours || depth == ColourDepth::Truecolour, "{name} {depth:?}");
            }
        }
    }
}

/// The text without its colours.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('\x1b').enumerate() {
        out.push_str(if at == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    out
}

#[test]
fn many_rows_on_many_threads_are_the_same_text() {
    let old: String = (0..9_000).map(|line| format!("line {line};\n")).collect();
    let new: String = (0..9_000)
        .map(|line| if line % 17 == 0 { format!("row {line};\n") } else { format!("line {line};\n") })
        .collect();
    let theme = Theme::built_in("dark").unwrap();
    for view in [unified(), side(80)] {
        let diff = Diff::compute(&old, &new, &DiffOptions::default());
        let file = FileView { name: "a.c", diff: &diff, syntax: None };
        let inks = Inks::new(Some(&theme));
        let sheet = Sheet::new(&file, &view, &inks);
        let segments = fold(&diff, 3);
        assert!(segments.iter().map(shown_rows).sum::<usize>() > 2 * ROWS_A_THREAD);
        let (mut threads, mut one) = (String::new(), String::new());
        sheet.segments(&mut threads, &segments);
        sheet.plainly(&mut one, &segments);
        assert!(threads == one);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_text_breaks_the_layout(
        old in "([a-z \t({;]|\r\n|\n|\\PC|日|\u{202e}|\u{1b}|\u{301}){0,120}",
        new in "([a-z \t({;]|\r\n|\n|\\PC|日|\u{202e}|\u{1b}|\u{301}){0,120}",
        width in 0usize..150,
        context in prop::option::of(0usize..4),
        line_numbers: bool,
    ) {
        let theme = Theme::built_in("dark").unwrap();
        for projection in [Projection::Unified, Projection::SideBySide] {
            let view = View { projection, width, context, line_numbers, tab_width: 4 };
            let out = drawn(&old, &new, &view, None);
            prop_assert!(out.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", out);
            prop_assert!(!out.contains('\u{202e}'), "it reorders");
            let coloured = drawn(&old, &new, &view, Some(&theme));
            let both = stripped(&coloured);
            for (one, other) in out.lines().zip(both.lines()) {
                prop_assert_eq!(one.trim_end(), other.trim_end());
            }
            if projection == Projection::SideBySide && width > 40 {
                let mut lines = both.lines().skip(1);
                prop_assert!(lines.all(|line| text::width(line) <= width.max(60)), "{:?}", both);
            }
        }
    }
}
