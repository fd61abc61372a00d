//! Tests of syntax colours.
#![allow(clippy::unwrap_used)]

use super::pair::highlight_all;
use super::*;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;
use syntect::parsing::{ParseState, ScopeStack};

static GO: AtomicBool = AtomicBool::new(false);

fn grammar(language: &str) -> Syntax {
    syntax_for(language, "", "").unwrap()
}

/// The same text read in the plainest way: one parser, line after line, nothing remembered.
fn plainest(text: &str, syntax: Syntax) -> Vec<Vec<(usize, SyntaxRole)>> {
    let set = language::syntax_set();
    let mut tree = scopes::ScopeTree::new();
    let mut parser = ParseState::new(syntax.0);
    let mut stack = ScopeStack::new();
    let mut out = Vec::new();
    for line in text.lines() {
        let changes = parser.parse_line(&format!("{line}\n"), set).unwrap();
        let mut roles = Vec::new();
        let mut position = 0;
        let mut changes = changes.into_iter().peekable();
        while position < line.len() {
            while let Some((_, change)) = changes.next_if(|(at, _)| *at <= position) {
                stack.apply(&change).unwrap();
            }
            let node = stack.scopes.iter().fold(scopes::EMPTY, |node, scope| tree.push(node, *scope));
            let end = changes.peek().map_or(line.len(), |(at, _)| (*at).min(line.len()));
            let mut role = tree.role(node);
            if role == SyntaxRole::Operator && line[position..end].starts_with(char::is_alphabetic) {
                role = SyntaxRole::Keyword;
            }
            roles.push((end, role));
            position = end;
        }
        for (_, change) in changes {
            stack.apply(&change).unwrap();
        }
        roles.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 = next.0;
            }
            same
        });
        while roles.last().is_some_and(|(_, role)| *role == SyntaxRole::Text) {
            roles.pop();
        }
        out.push(roles);
    }
    out
}

fn lines_of(file: &HighlightedFile) -> Vec<Vec<(usize, SyntaxRole)>> {
    (0..file.lines())
        .map(|line| file.line(line).iter().map(|span| (span.end as usize, span.role)).collect())
        .collect()
}

/// What each piece of a line is, without the space between.
fn pieces(language: &str, text: &str, line: usize) -> Vec<(String, SyntaxRole)> {
    let file = highlight(text, Some(grammar(language)), &GO);
    let text = text.lines().nth(line).unwrap();
    let mut from = 0;
    let mut out = Vec::new();
    for span in file.line(line) {
        let piece = text[from..span.end as usize].trim();
        if !piece.is_empty() {
            out.push((piece.to_owned(), span.role));
        }
        from = span.end as usize;
    }
    out
}

fn assert_equal_to_plainest(old: &str, new: &str, syntax: Syntax) {
    for threads in [1, 2, 4, 8] {
        let [a, b] = highlight_all([old, new], Some(syntax), &GO, threads);
        assert!(lines_of(&a) == plainest(old, syntax), "old side, {threads} threads");
        assert!(lines_of(&b) == plainest(new, syntax), "new side, {threads} threads");
    }
}

#[test]
fn a_line_of_c_has_its_roles() {
    use SyntaxRole::*;
    let got = pieces("c", "static int f(char *s)\n{\n\treturn puts(\"a%d\\n\") + 0x1f; /* why */\n}\n", 2);
    let want = [
        ("return", Keyword),
        ("puts", Function),
        ("(", Punctuation),
        ("\"a", String),
        ("%d\\n", Escape),
        ("\"", String),
        (")", Punctuation),
        ("+", Operator),
        ("0x1f", Number),
        (";", Punctuation),
        ("/* why */", Comment),
    ];
    assert_eq!(got, want.map(|(text, role)| (text.to_owned(), role)));
}

#[test]
fn a_line_of_python_has_its_roles() {
    use SyntaxRole::*;
    let got =
        pieces("python", "@cached\ndef f(self, a=None):\n    return a not in {self.b: f\"x{a}\"}  # c\n", 2);
    assert!(got.contains(&("return".to_owned(), Keyword)), "{got:?}");
    assert!(got.contains(&("not".to_owned(), Keyword)), "{got:?}");
    assert!(got.contains(&("self".to_owned(), Variable)), "{got:?}");
    assert!(got.contains(&("# c".to_owned(), Comment)), "{got:?}");
    let got = pieces("python", "@cached\ndef f(self, a=None):\n    pass\n", 1);
    assert_eq!(got[0], ("def".to_owned(), Keyword));
    assert_eq!(got[1], ("f".to_owned(), Function));
    assert!(got.contains(&("a".to_owned(), Parameter)), "{got:?}");
    assert!(got.contains(&("None".to_owned(), Constant)), "{got:?}");
}

#[test]
fn a_state_reaches_over_lines() {
    let file = highlight("/* one\ntwo\n*/ int x;", Some(grammar("c")), &GO);
    assert_eq!(file.lines(), 3);
    assert_eq!(file.line(1), [Span { end: 3, role: SyntaxRole::Comment }]);
    assert_eq!(file.line(2)[0], Span { end: 2, role: SyntaxRole::Comment });
    assert!(file.line(3).is_empty(), "no such line");
    assert_eq!(file.limited(), None);
}

#[test]
fn line_ends_do_not_matter() {
    let unix = "int a; // x\nchar *s = \"b\\\nc\";\n";
    let dos = unix.replace('\n', "\r\n");
    let c = Some(grammar("c"));
    assert_eq!(highlight(unix, c, &GO), highlight(&dos, c, &GO));
    assert_eq!(highlight(unix.trim_end(), c, &GO), highlight(unix, c, &GO));
}

#[test]
fn without_a_grammar_all_is_plain() {
    let (old, new) = highlight_pair("int a;", "int b;", None, &GO);
    assert!(old.line(0).is_empty() && new.line(0).is_empty());
    assert_eq!(old.limited(), None);
    let mut steps = Highlighter::new(None);
    assert!(steps.advance(["int a;", "b"], 2, &GO));
    assert_eq!((steps.file().lines(), steps.file().limited()), (2, None));
}

/// Source files that are on this machine anyway: the crate's own.
fn own_sources() -> Vec<(&'static str, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(root)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(("rust", std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

/// Code of real bugs, where the shared data is at hand.
fn real_pairs() -> Vec<(String, String)> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/feedbackeval/HumanEval_feedback_test.jsonl");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln_skip("feedbackeval is not at hand: real pairs are left out");
        return Vec::new();
    };
    let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    rows.filter_map(|row| {
        let buggy = row["false_results"][0]["generate_code"].as_str()?.to_owned();
        Some((buggy, row["correct_code"].as_str()?.to_owned()))
    })
    .collect()
}

fn eprintln_skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[test]
fn real_files_come_out_as_read_from_the_top() {
    let sources = own_sources();
    // As much as is coloured at all, with room for what the counterpart adds.
    let mut room = MOST_BYTES / 2;
    let fits = sources.iter().map(|(_, text)| text.as_str()).take_while(|text| {
        let fits = text.len() <= room;
        room = room.saturating_sub(text.len());
        fits
    });
    let all: String = fits.collect();
    assert!(all.lines().count() > 1_000);
    // A counterpart: every seventh line is gone, every eleventh is changed.
    let changed: String = all
        .lines()
        .enumerate()
        .filter(|(at, _)| at % 7 != 3)
        .map(|(at, line)| if at % 11 == 5 { format!("{line} \"open\n") } else { format!("{line}\n") })
        .collect();
    assert_equal_to_plainest(&all, &changed, grammar("rust"));
    let python: (String, String) =
        real_pairs().into_iter().fold(Default::default(), |mut both, (old, new)| {
            both.0.push_str(&old);
            both.1.push_str(&new);
            both.0.push_str("\n\n");
            both.1.push_str("\n\n");
            both
        });
    assert_equal_to_plainest(&python.0, &python.1, grammar("python"));
}

/// Lines that open and close things, so that guesses go wrong.
const TRICKY: &[(&str, &[&str])] = &[
    (
        "c",
        &[
            "/*",
            "*/",
            "int f(void)",
            "{",
            "}",
            "",
            "  return \"a%d\\n\";",
            "#if 0",
            "#endif",
            "#define X \\",
            "s = \"open \\",
            "// é x",
        ],
    ),
    (
        "python",
        &[
            "\"\"\"",
            "'''",
            "def f(a, b=1):",
            "    return x",
            "",
            "@d",
            "class A(B):",
            "x = (",
            ")",
            "# c",
            "s = f\"{x",
        ],
    ),
    (
        "shell",
        &[
            "cat <<EOF",
            "EOF",
            "cat <<'END'",
            "END",
            "",
            "f() {",
            "}",
            "x=\"a",
            "b\"",
            "if true; then",
            "fi",
            "# c",
        ],
    ),
    ("rust", &["/*", "*/", "fn f() {", "}", "", "let s = r#\"", "\"#;", "x", "// c", "\"open", "'a'"]),
    (
        "javascript",
        &["`", "${", "}", "function f() {", "", "const a = /x/g;", "/*", "*/", "// c", "class A {"],
    ),
    ("markdown", &["```c", "```", "", "# Title", "int x; /*", "*em", "- item", "> quote"]),
];

/// Texts of the lines at these places of a table.
fn text_of(table: &[&str], picks: &[usize]) -> String {
    picks.iter().map(|pick| format!("{}\n", table[pick % table.len()])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn cut_in_pieces_or_not_the_outcome_is_the_same(
        language in 0..TRICKY.len(),
        old in prop::collection::vec(0usize..1000, 0..1500),
        edits in prop::collection::vec((0usize..1500, 0usize..1000), 0..40),
    ) {
        let (language, table) = TRICKY[language];
        let mut new = old.clone();
        for (at, pick) in edits {
            if pick % 3 == 0 && at < new.len() {
                new.remove(at);
            } else if at <= new.len() {
                new.insert(at, pick);
            }
        }
        let (old, new) = (text_of(table, &old), text_of(table, &new));
        let syntax = grammar(language);
        let (want_old, want_new) = (plainest(&old, syntax), plainest(&new, syntax));
        for threads in [1, 2, 4, 8] {
            let [a, b] = highlight_all([old.as_str(), new.as_str()], Some(syntax), &GO, threads);
            prop_assert!(lines_of(&a) == want_old, "old, {} threads, {}", threads, language);
            prop_assert!(lines_of(&b) == want_new, "new, {} threads, {}", threads, language);
        }
    }

    #[test]
    fn steps_and_going_back_end_the_same(
        language in 0..TRICKY.len(),
        picks in prop::collection::vec(0usize..1000, 1..200),
        stops in prop::collection::vec(0usize..220, 0..6),
        back in 0usize..220,
    ) {
        let (language, table) = TRICKY[language];
        let text = text_of(table, &picks);
        let lines: Vec<&str> = text.lines().collect();
        let syntax = Some(grammar(language));
        let mut steps = Highlighter::new(syntax);
        for stop in stops {
            let at = steps.file().lines();
            prop_assert!(steps.advance(lines[at..].iter().copied(), stop, &GO));
        }
        steps.rewind(back);
        let at = steps.file().lines();
        prop_assert!(steps.advance(lines[at..].iter().copied(), usize::MAX, &GO));
        prop_assert_eq!(steps.into_file(), highlight(&text, syntax, &GO));
    }

    #[test]
    fn any_text_has_spans_inside_its_lines(text in "(?s).{0,400}", language in 0..TRICKY.len()) {
        let file = highlight(&text, Some(grammar(TRICKY[language].0)), &GO);
        prop_assert_eq!(file.lines(), text.lines().count());
        for (at, line) in text.lines().enumerate() {
            let mut from = 0;
            for span in file.line(at) {
                prop_assert!(span.end > from && line.is_char_boundary(span.end as usize));
                from = span.end;
            }
            prop_assert!(from as usize <= line.len());
        }
    }
}

#[test]
fn neighbours_never_share_a_role() {
    let text: String = own_sources().into_iter().map(|(_, text)| text).collect();
    let file = highlight(&text, Some(grammar("rust")), &GO);
    for line in 0..file.lines() {
        assert!(file.line(line).windows(2).all(|pair| pair[0].role != pair[1].role), "line {line}");
        assert!(file.line(line).last().is_none_or(|span| span.role != SyntaxRole::Text), "line {line}");
    }
}

#[test]
fn a_long_line_is_plain_and_the_rest_is_not() {
    let long = "var a = 1;".repeat(100_000);
    let text = format!("var a = 1;\n/*\n{long}\n*/\nvar b = 2;\n");
    let file = highlight(&text, Some(grammar("javascript")), &GO);
    assert_eq!(file.limited(), Some(Limit::LongLine));
    assert!(file.line(2).is_empty());
    assert_eq!(file.line(3)[0].role, SyntaxRole::Comment, "the comment goes on behind the long line");
    assert_eq!(file.line(4)[0].role, SyntaxRole::Keyword);
    let mut steps = Highlighter::new(Some(grammar("javascript")));
    steps.advance(text.lines(), usize::MAX, &GO);
    assert_eq!(steps.into_file(), file);
}

#[test]
fn texts_beyond_the_limits_are_plain() {
    let c = Some(grammar("c"));
    let many = "int a;\n".repeat(MOST_LINES + 1);
    let file = highlight(&many, c, &GO);
    assert_eq!((file.limited(), file.line(0)), (Some(Limit::Lines), &[][..]));
    let large = format!("{}\n", "int a; ".repeat(100)).repeat(MOST_BYTES / 700 + 1);
    let (old, new) = highlight_pair(&large, "int a;", c, &GO);
    assert_eq!((old.limited(), old.line(0)), (Some(Limit::Bytes), &[][..]));
    assert_eq!((new.limited(), new.line(0).len()), (None, 3));
    let mut steps = Highlighter::new(c);
    assert!(steps.advance(many.lines(), usize::MAX, &GO));
    assert_eq!(steps.file().limited(), Some(Limit::Lines));
    assert!(!steps.file().line(0).is_empty() && steps.file().line(MOST_LINES).is_empty());
}

#[test]
fn called_off_work_says_so() {
    let stop = AtomicBool::new(true);
    let text = "int a;\n".repeat(2_000);
    let (old, new) = highlight_pair(&text, &text, Some(grammar("c")), &stop);
    assert_eq!((old.lines(), old.limited()), (0, Some(Limit::Cancelled)));
    assert_eq!(new.limited(), Some(Limit::Cancelled));
    let mut steps = Highlighter::new(Some(grammar("c")));
    assert!(!steps.advance(text.lines(), 10, &stop));
    assert_eq!(steps.file().lines(), 0);
}

#[test]
fn empty_texts_are_no_trouble() {
    let (old, new) = highlight_pair("", "\n", Some(grammar("c")), &GO);
    assert_eq!((old.lines(), new.lines()), (0, 1));
}
