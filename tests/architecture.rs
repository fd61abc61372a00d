//! The house keeps to its drawing: the table in `src/lib.rs` says which room may import which, and every
//! file under `src` is held to it. The rules themselves are tested at the end, with files that must fail.
#![allow(clippy::unwrap_used)]

#[path = "architecture/lexer.rs"]
mod lexer;
#[path = "architecture/paths.rs"]
mod paths;

use lexer::{Token, tokens};
use paths::{Named, module_of, paths, without_tests};
use std::collections::BTreeMap;
use std::path::Path;

/// Longest file that is not one of tests, in lines.
const MOST_LINES: usize = 600;

/// Files that may be longer, each with its reason.
const LONGER: [(&str, &str); 0] = [];

/// What pure rooms do not touch.
const IMPURE: [&[&str]; 9] = [
    &["tokio"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "env"],
    &["std", "process"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["ratatui"],
    &["crossterm"],
];

/// What a pure room may touch all the same, each with its reason.
const EXCUSED: [(&str, &[&str], &str); 1] = [(
    "src/diff/compare.rs",
    &["std", "time", "Instant"],
    "comparing has a budget of time and says when it ran out",
)];

/// Where colours may be written down.
const COLOURED: [&str; 3] = ["src/theme/", "src/tui/widgets/skin.rs", "src/tui/terminal/"];

/// Parts of `tui`, each with the parts that it may import beside itself.
const INSIDE_TUI: [(&str, &[&str]); 7] = [
    ("terminal", &[]),
    ("widgets", &[]),
    ("msg", &["widgets"]),
    ("overlays", &["msg", "widgets"]),
    ("screens", &["msg", "widgets"]),
    ("runtime", &["msg", "widgets"]),
    ("app", &["msg", "overlays", "screens", "widgets"]),
];

/// Every room, with the rooms that it may import.
type Arrows = BTreeMap<String, Vec<String>>;

/// Reads the table of `src/lib.rs`.
fn arrows(map: &str) -> Arrows {
    let cell = |cell: &str| cell.trim().trim_matches(['[', '`', ']']).to_owned();
    let rows: Vec<(String, String)> = map
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`"))
        .map(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            assert_eq!(cells.len(), 4, "a row of the map has three cells: {row}");
            (cell(cells[0]), cells[2].trim().to_owned())
        })
        .collect();
    let pure: Vec<String> =
        rows.iter().take_while(|(room, _)| room != "dataset").map(|(room, _)| room.clone()).collect();
    let ports: Vec<String> =
        rows.iter().filter(|(_, may)| may == "pure rooms").map(|(room, _)| room.clone()).collect();
    let mut all = Arrows::new();
    let mut above: Vec<String> = Vec::new();
    for (room, may) in rows {
        let allowed = match may.as_str() {
            "nothing" => Vec::new(),
            "pure rooms" => pure.clone(),
            "ports" => [pure.as_slice(), ports.as_slice()].concat(),
            "all above" => above.iter().filter(|room| *room != "cli").cloned().collect(),
            list => list.split(',').map(cell).collect(),
        };
        for name in &allowed {
            assert!(
                above.contains(name),
                "the map lets `{room}` import `{name}`, which does not stand above it"
            );
        }
        above.push(room.clone());
        all.insert(room, allowed);
    }
    all
}

fn is_pure(room: &str) -> bool {
    matches!(
        room,
        "task"
            | "diff"
            | "syntax"
            | "text"
            | "theme"
            | "keymap"
            | "report"
            | "repair"
            | "agreement"
            | "label"
    )
}

fn is_test_file(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name == "tests.rs" || name.ends_with("_tests.rs") || file.contains("/tests/")
}

/// What is wrong with a file, each as `file:line: what`.
fn violations(arrows: &Arrows, file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.trim_start().starts_with("//!") {
        found.push(format!("{file}:1: must open with //! lines that say what it promises"));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES && !is_test_file(file) && !LONGER.iter().any(|(longer, _)| *longer == file) {
        found.push(format!("{file}:{lines}: has more than {MOST_LINES} lines: split it by subject"));
    }
    let tokens = tokens(text);
    for path in &paths(file, &tokens) {
        arrow(arrows, file, path, &mut found);
        inside_tui(file, path, &mut found);
    }
    // What tests do is theirs: they may read files and name colours.
    if !is_test_file(file) {
        let tokens = without_tests(&tokens);
        let named = paths(file, &tokens);
        for path in &named {
            purity(file, path, &mut found);
        }
        colours(file, &tokens, &named, &mut found);
    }
    found
}

fn arrow(arrows: &Arrows, file: &str, named: &Named, found: &mut Vec<String>) {
    let module = module_of(file);
    let (Some(to), Named { line, .. }) = (named.path.get(1), named) else { return };
    if named.path[0] != "crate" || file == "src/main.rs" {
        return;
    }
    let Some(from) = module.get(1) else {
        if arrows.contains_key(to) {
            found.push(format!("{file}:{line}: the map imports nothing, and `{to}` is named here"));
        }
        return;
    };
    // Names that are not rooms are macros and the like.
    if from == to || !arrows.contains_key(to) {
        return;
    }
    match arrows.get(from) {
        None => found.push(format!("{file}:{line}: the room `{from}` is not in the table of src/lib.rs")),
        Some(allowed) if !allowed.contains(to) => {
            found.push(format!("{file}:{line}: `{from}` may not import `{to}`"));
        }
        Some(_) => {}
    }
}

fn inside_tui(file: &str, named: &Named, found: &mut Vec<String>) {
    let line = named.line;
    let module = module_of(file);
    let [_, room, part, ..] = module.as_slice() else { return };
    if room != "tui" {
        return;
    }
    if part == "terminal" && named.path[0] == "crate" && !named.path.starts_with(&module[..3]) {
        found.push(format!(
            "{file}:{line}: `terminal` imports nothing of ours, and `{}` is named here",
            named.path.join("::")
        ));
        return;
    }
    let [root, to_room, to, ..] = named.path.as_slice() else { return };
    if root != "crate" || to_room != "tui" || to == part {
        return;
    }
    // `run`, the loop, stands above all of them.
    let Some((_, allowed)) = INSIDE_TUI.iter().find(|(known, _)| known == part) else { return };
    if !allowed.contains(&to.as_str()) {
        found.push(format!("{file}:{line}: inside tui, `{part}` may not import `{to}`"));
    }
}

fn purity(file: &str, named: &Named, found: &mut Vec<String>) {
    let module = module_of(file);
    let pure = module.get(1).is_some_and(|room| is_pure(room));
    if !pure {
        return;
    }
    for forbidden in IMPURE {
        let touches =
            forbidden.iter().zip(&named.path).all(|(a, b)| a == b) && named.path.len() >= forbidden.len();
        let excused = EXCUSED.iter().any(|(where_, what, _)| *where_ == file && *what == forbidden);
        if touches && !excused {
            found.push(format!("{file}:{}: a pure room names `{}`", named.line, named.path.join("::")));
        }
    }
}

fn colours(file: &str, tokens: &[(usize, Token)], named: &[Named], found: &mut Vec<String>) {
    if COLOURED.iter().any(|place| file.starts_with(place)) {
        return;
    }
    for path in named {
        let names: Vec<&str> = path.path.iter().map(String::as_str).collect();
        if names.windows(2).any(|two| two[0] == "Color" && two[1] != "Reset") {
            found.push(format!("{file}:{}: a colour outside the theme: {}", path.line, names.join("::")));
        }
    }
    for (line, token) in tokens {
        let Token::Text(text) = token else { continue };
        if is_hex_colour(text) || is_colour_sequence(text) {
            found.push(format!("{file}:{line}: a colour outside the theme: {text:?}"));
        }
    }
}

fn is_hex_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// Whether a literal, as it is written, holds an escape sequence that sets colours.
fn is_colour_sequence(text: &str) -> bool {
    ["\\x1b[", "\\x1B[", "\\u{1b}[", "\\u{1B}[", "\u{1b}["].iter().any(|start| {
        text.split(start).skip(1).any(|rest| {
            let codes: &str =
                &rest[..rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len())];
            let colour = codes.split(';').any(|code| matches!(code.parse(), Ok(30..=49 | 90..=107)));
            colour && rest[codes.len()..].starts_with('m')
        })
    })
}

/// Every file under `src`, as `src/…`, with its text.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, root, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), root, &mut found);
    found.sort();
    found
}

#[test]
fn the_house_is_as_drawn() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    let map = &sources.iter().find(|(file, _)| file == "src/lib.rs").unwrap().1;
    let arrows = arrows(map);
    let found: Vec<String> =
        sources.iter().flat_map(|(file, text)| violations(&arrows, file, text)).collect();
    assert!(found.is_empty(), "{} violations\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_room_is_on_the_map_and_every_file_is_compiled() {
    let sources = sources();
    let all: BTreeMap<&str, &str> =
        sources.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let rooms = arrows(all["src/lib.rs"]);
    let has = |tokens: &[(usize, Token)], wanted: fn(&Token, &Token, &str) -> bool, name: &str| {
        tokens.windows(2).any(|two| wanted(&two[0].1, &two[1].1, name))
    };
    let mut found = Vec::new();
    for (file, _) in &sources {
        let module = module_of(file);
        if module.len() < 2 || file == "src/main.rs" {
            continue;
        }
        if !rooms.contains_key(&module[1]) {
            found.push(format!("{file}: `{}` is not in the table of src/lib.rs", module[1]));
        }
        let (name, parents) = module.split_last().unwrap();
        let parent = parents[1..].join("/");
        let candidates =
            [format!("src/{parent}.rs"), format!("src/{parent}/mod.rs"), "src/lib.rs".to_owned()];
        let parent = candidates.iter().filter_map(|path| all.get(path.as_str())).next().unwrap();
        // `mod name;` in the module above, or `#[path = "name.rs"] mod tests;` in a neighbour.
        let (folder, place) = file.rsplit_once('/').unwrap();
        let near = sources.iter().filter(|(other, _)| other.rsplit_once('/').unwrap().0 == folder);
        let by_name = |one: &Token, two: &Token, name: &str| matches!((one, two), (Token::Word(word), Token::Word(module)) if word == "mod" && module == name);
        let by_place = |one: &Token, two: &Token, place: &str| matches!((one, two), (Token::Sign('='), Token::Text(path)) if path == place);
        let declared = has(&tokens(parent), by_name, name)
            || near.into_iter().any(|(_, text)| has(&tokens(text), by_place, place));
        if !declared {
            found.push(format!(
                "{file}: no `mod {name};` names it, so it is never compiled: declare or delete it"
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_map_reads_as_rooms_and_arrows() {
    let map = "//! | room | what it holds | may import |\n//! |---|---|---|\n//! | [`text`] | a | nothing |\n//! | [`diff`] | b | `text` |\n//! | [`dataset`] | c | pure rooms |\n//! | [`catalogue`] | d | ports |\n//! | [`cli`] | e | all above |\n//! | [`tui`] | e | all above |\n";
    let arrows = arrows(map);
    assert_eq!(arrows["text"], Vec::<String>::new());
    assert_eq!(arrows["diff"], ["text"]);
    assert_eq!(arrows["dataset"], ["text", "diff"]);
    assert_eq!(arrows["catalogue"], ["text", "diff", "dataset"]);
    assert_eq!(arrows["tui"], ["text", "diff", "dataset", "catalogue"], "not cli");
}

#[test]
fn files_that_break_the_rules_are_found() {
    let map = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let arrows = arrows(&map);
    let long = format!("//! Long.\n{}", "// x\n".repeat(MOST_LINES));
    for (file, text, word) in [
        ("src/task/a.rs", "//! A.\nuse crate::store::Clock;", "`task` may not import `store`"),
        ("src/task/a.rs", "//! A.\nuse crate::{text, store::{Clock}};", "`task` may not import `store`"),
        ("src/task/a.rs", "//! A.\nuse super::super::dataset::Probe;", "`task` may not import `dataset`"),
        (
            "src/task/a.rs",
            "//! A.\nmod b { use super::super::super::diff::Diff; }",
            "`task` may not import `diff`",
        ),
        (
            "src/task/a.rs",
            "//! A.\nmod b { struct S { a: u8 } }\nuse super::super::diff::Diff;",
            ":3: `task` may not",
        ),
        ("src/text/a.rs", "//! A.\nfn a() { crate::task::hex(&[]) }", "`text` may not import `task`"),
        ("src/store/a.rs", "//! A.\nuse crate::dataset::Probe;", "`store` may not import `dataset`"),
        ("src/dataset/a.rs", "//! A.\nuse crate::catalogue::Skips;", "`dataset` may not import `catalogue`"),
        ("src/catalogue/a.rs", "//! A.\nuse crate::cli::note;", "`catalogue` may not import `cli`"),
        ("src/cli/a.rs", "//! A.\nuse crate::tui::run;", "`cli` may not import `tui`"),
        ("src/tui/app.rs", "//! A.\nuse crate::cli::note;", "`tui` may not import `cli`"),
        ("src/lib.rs", "//! A.\npub use crate::cli::note;", "the map imports nothing"),
        ("src/newroom/mod.rs", "//! A.\nuse crate::text;", "`newroom` is not in the table"),
        (
            "src/tui/widgets/a.rs",
            "//! A.\nuse crate::tui::screens::Go;",
            "`widgets` may not import `screens`",
        ),
        ("src/tui/widgets/a.rs", "//! A.\nuse super::super::msg::Msg;", "`widgets` may not import `msg`"),
        ("src/tui/screens/a.rs", "//! A.\nuse crate::tui::{app, widgets};", "`screens` may not import `app`"),
        ("src/tui/overlays/a.rs", "//! A.\nuse crate::tui::screens;", "`overlays` may not import `screens`"),
        ("src/tui/terminal/a.rs", "//! A.\nuse crate::text::width;", "`terminal` imports nothing of ours"),
        ("src/tui/terminal/a.rs", "//! A.\nuse super::super::msg;", "`terminal` imports nothing of ours"),
        ("src/diff/a.rs", "//! A.\nuse std::time::Instant;", "a pure room names `std::time::Instant`"),
        ("src/diff/a.rs", "//! A.\nuse std::{io, fs::{self as files}};", "a pure room names `std::fs"),
        ("src/theme/a.rs", "//! A.\nfn a() { std::env::var(\"A\") }", "a pure room names `std::env::var`"),
        ("src/keymap/a.rs", "//! A.\nuse crossterm::event::KeyCode;", "a pure room names `crossterm"),
        ("src/syntax/a.rs", "//! A.\nuse tokio::spawn;", "a pure room names `tokio"),
        ("src/tui/app.rs", "//! A.\nlet a = Color::Rgb(1, 2, 3);", "a colour outside the theme"),
        ("src/tui/app.rs", "//! A.\nlet a = ratatui::style::Color::Red;", "a colour outside the theme"),
        ("src/tui/app.rs", "//! A.\nlet a = \"#a0b1c2\";", "a colour outside the theme"),
        ("src/cli/a.rs", "//! A.\nlet a = \"\\x1b[1;31mred\";", "a colour outside the theme"),
        ("src/cli/a.rs", "//! A.\nlet a = r#\"\u{1b}[38;5;1m\"#;", "a colour outside the theme"),
        ("src/cli/a.rs", "// A.\n//! B.", "must open with //!"),
        ("src/cli/a.rs", &long, "more than 600 lines"),
    ] {
        let found = violations(&arrows, file, text);
        assert!(
            found.len() == 1 && found[0].contains(word),
            "{file} {text:.80}\nwanted: {word}\nfound: {found:?}"
        );
    }
}

#[test]
fn files_that_keep_the_rules_pass() {
    let map = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let arrows = arrows(&map);
    let long = format!("//! Long.\n{}", "// x\n".repeat(MOST_LINES));
    for (file, text) in [
        (
            "src/task/a.rs",
            "//! A.\n// use crate::store::Clock;\n/* use crate::cli; /* std::fs */ */\nlet a = \"crate::store\";",
        ),
        (
            "src/task/a.rs",
            "//! A.\nlet a = ('\"', '\\'', b'\"', \"\\\"\"); // crate::store\nfn a<'a>(b: &'a str) {}",
        ),
        ("src/task/a.rs", "//! A.\n#[cfg(test)]\nmod tests { use std::fs::read; }"),
        ("src/task/a_tests.rs", "//! A.\nuse std::fs::read;\nlet a = \"#ff0000\";"),
        ("src/task/a.rs", "//! A.\nuse std::time::Duration;\nlet issue = \"#12\";"),
        ("src/diff/compare.rs", "//! A.\nuse std::time::Instant;"),
        ("src/diff/a.rs", "//! A.\nuse crate::{task::Task, syntax, text::width};"),
        ("src/main.rs", "//! A.\nuse mendbench::{cli, tui};"),
        ("src/tui/run.rs", "//! A.\nuse super::{app, runtime, terminal};\nuse tokio::spawn;"),
        ("src/tui/terminal/a/b.rs", "//! A.\nuse super::super::output;"),
        ("src/tui/widgets/skin.rs", "//! A.\nlet a = Color::Rgb(1, 2, 3);"),
        ("src/tui/a_tests.rs", &long),
        ("src/cli/a.rs", "//! A.\nlet clear = \"\\x1b[2J\"; let off = \"\\x1b[m\";"),
    ] {
        let found = violations(&arrows, file, text);
        assert!(found.is_empty(), "{file} {text:.80}\nfound: {found:?}");
    }
}
