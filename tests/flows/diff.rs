//! The difference: two projections with one cursor, folds, search, hunks, options.

use crate::rig::{Options, Rig, task};
use mendbench::diff::{Diff, DiffOptions, FileBody, task_files};
use proptest::prelude::*;

/// Sixty lines with changes at three places, far from each other.
fn three_changes() -> (String, String) {
    let old: String = (1..=60).map(|n| format!("line {n}\n")).collect();
    let new = old
        .replace("line 10\n", "line ten\n")
        .replace("line 30\n", "")
        .replace("line 50\n", "line 50\nand more\n");
    (old, new)
}

fn opened(options: Options) -> Rig {
    let (old, new) = three_changes();
    let mut rig = Rig::tasks(vec![task("t", &old, &new)], options);
    rig.press("enter");
    rig
}

#[test]
fn hunks_are_jumped_to_in_both_directions() {
    let mut rig = opened(Options::default());
    rig.expect("change 1 of 3");
    assert_eq!(rig.at(), ("buggy-code.py".into(), 10));
    rig.press("}").expect("change 2 of 3");
    assert_eq!(rig.at(), ("buggy-code.py".into(), 30));
    rig.press("}").expect("change 3 of 3");
    assert_eq!(rig.at(), ("reference-code.py".into(), 50));
    rig.press("}").expect("this is the last change");
    rig.press("{ {").expect("change 1 of 3");
    rig.press("{").expect("this is the first change");
    // Without a search, the keys for hits go from change to change.
    rig.press("n").expect("change 2 of 3").press("N").expect("change 1 of 3");
}

#[test]
fn folds_open_and_close_under_the_cursor() {
    let mut rig = opened(Options::default());
    rig.expect("⋯ 6 equal lines").press("g g j");
    let folded = rig.text();
    assert!(rig.here().starts_with("⋯ 6 equal lines"));
    rig.press("z").expect(" 1  1   line 1");
    assert_eq!(rig.at().1, 1);
    rig.press("j j z");
    assert_eq!(rig.text(), folded, "folded again from inside");
    rig.press("enter j j enter");
    assert_eq!(rig.text(), folded);
    // On a line that was never folded away the nearest fold opens.
    rig.press("z } j").expect(" 1  1   line 1");
    let folds = rig.text().matches('⋯').count();
    let here = rig.here();
    rig.press("z");
    assert_eq!(rig.text().matches('⋯').count() + 1, folds);
    assert_eq!(rig.here(), here);
}

#[test]
fn the_whole_file_and_back() {
    let mut rig = opened(Options::sized(80, 80));
    let folded = rig.text();
    rig.press("Z").expect_not("⋯").expect("line 1").expect("line 60").expect("line 25");
    rig.press("z").expect("no folded lines here");
    rig.press("Z");
    assert_eq!(rig.text(), folded);
}

#[test]
fn a_search_finds_folded_lines_and_unfolds_them() {
    let mut rig = opened(Options::default());
    rig.expect_not("line 21").press("/").kind("line 21").expect("1 line").press("enter");
    assert_eq!(rig.at(), ("reference-code.py".into(), 21));
    rig.expect("line 21").press("n").expect("1 of 1");
    rig.press("/").kind("LINE 21").expect("not found");
    rig.press("esc").expect_not("/LINE");
}

#[test]
fn every_hit_is_reached_in_both_projections() {
    // Two changed lines, both with the word on both sides, then one equal line with it.
    let old = "a\nneedle one\nneedle two\nz needle\n";
    let new = "a\nneedle 1\nneedle 2\nz needle\n";
    for (keys, count) in [("", 5), ("v", 3)] {
        let mut rig = Rig::tasks(vec![task("t", old, new)], Options::default());
        rig.press("enter").press(keys).press("g g /").kind("needle").expect(&format!("{count} lines"));
        rig.press("enter");
        let mut places = vec![rig.at()];
        for number in 2..=count {
            rig.press("n").expect(&format!("{number} of {count}"));
            places.push(rig.at());
        }
        rig.press("n").expect(&format!("1 of {count}"));
        assert_eq!(rig.at(), places[0], "round");
        rig.press("N").expect(&format!("{count} of {count}"));
        let mut backwards = vec![rig.at()];
        for _ in 1..count {
            rig.press("N");
            backwards.push(rig.at());
        }
        backwards.reverse();
        assert_eq!(places, backwards);
        places.dedup();
        assert_eq!(places.len(), count, "each once");
    }
}

#[test]
fn a_search_survives_another_comparison() {
    let mut rig = opened(Options::sized(105, 24));
    rig.press("/").kind("line 2").press("enter").expect("/line 2");
    rig.press("i").expect("amount of white space ignored");
    rig.press("n").expect("of 11");
}

#[test]
fn long_lines_scroll_sideways_or_wrap() {
    let long = |word: &str| format!("start {}{word} end\n", "x".repeat(150));
    let mut rig = Rig::tasks(vec![task("t", &long("OLD"), &long("NEW"))], Options::default());
    rig.press("enter").expect("start").expect_not("OLD").expect("xxx›");
    for _ in 0..14 {
        rig.press("l");
    }
    rig.expect("OLD end").expect("NEW end").expect_not("start").expect_not("›");
    rig.press("h").expect("OLD end").press("0").expect("start").expect_not("OLD");
    rig.press("w").expect("long lines wrap").expect("start").expect("OLD end").expect("NEW end");
    rig.expect_not("›");
    rig.press("j w").expect("long lines are cut").expect_not("OLD end");
}

#[test]
fn white_space_counts_or_not() {
    let mut rig = Rig::tasks(vec![task("t", "a\n  b c\nd\n", "a\n    b c\nD\n")], Options::default());
    rig.press("enter").expect("+2 −2");
    rig.press("i").expect("+1 −1").press("i").expect("white space ignored").expect("+1 −1");
    rig.press("i").expect("white space counts").expect("+2 −2");
    rig.press("a").expect("by patience").press("a").expect("by histogram").press("a").expect("by Myers");
}

#[test]
fn other_options_keep_the_cursor_on_its_line() {
    let mut rig = opened(Options::default());
    rig.press("} }");
    let at = rig.at();
    for keys in ["i", "i", "i", "a", "a", "a", "w", "w", "Z", "Z"] {
        rig.press(keys);
        assert_eq!(rig.at(), at, "after {keys}");
    }
}

#[test]
fn the_side_by_side_view_comes_by_itself_where_there_is_room() {
    let mut rig = opened(Options::default());
    rig.expect_not("│");
    let at = rig.at();
    rig.resize(140, 24).expect("│");
    assert_eq!(rig.at().1, at.1);
    rig.press("v").expect_not("│").resize(80, 24).resize(140, 24).expect_not("│");
    rig.press("v").resize(80, 24).expect("│");
}

/// The row that the cursor is on: the editor key says the side and the line.
fn row_of(rig: &mut Rig, diff: &Diff) -> usize {
    let (name, line) = rig.at();
    let number = Some(line - 1);
    let found = diff
        .rows
        .iter()
        .position(|row| if name.starts_with("buggy") { row.old == number } else { row.new == number });
    found.unwrap()
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0_u8..6, 1..50)
}

fn text(lines: &[u8]) -> String {
    lines.iter().map(|line| format!("line {line}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// The one promise that both projections share: a cursor on a row stays on that row.
    #[test]
    fn switching_the_projection_keeps_the_row(
        old in lines(),
        new in lines(),
        steps in prop::collection::vec(0_u8..8, 1..12),
        wrap: bool,
        height in 6_u16..40,
    ) {
        let made = task("t", &text(&old), &text(&new));
        let files = task_files(&made, &DiffOptions::default()).files;
        prop_assume!(!files.is_empty());
        let FileBody::Text { diff, .. } = &files[0].body else { return Ok(()) };
        let mut rig = Rig::tasks(vec![made], Options::sized(60, height));
        rig.press("enter");
        if wrap {
            rig.press("w");
        }
        for step in steps {
            rig.press(["j", "j j j", "k k", "}", "{", "z", "G", "g g j"][usize::from(step)]);
            let row = row_of(&mut rig, diff);
            rig.press("v");
            prop_assert_eq!(row_of(&mut rig, diff), row);
            prop_assert!(rig.text().contains('▌'), "the cursor is in view:\n{}", rig.text());
            rig.press("v");
            prop_assert_eq!(row_of(&mut rig, diff), row);
            prop_assert!(rig.text().contains('▌'));
        }
    }

    /// Each hit of a search is visited once in a round, whatever is folded.
    #[test]
    fn a_round_of_a_search_visits_each_hit_once(old in lines(), new in lines(), split: bool) {
        let mut rig = Rig::tasks(vec![task("t", &text(&old), &text(&new))], Options::default());
        rig.press("enter");
        if split {
            rig.press("v");
        }
        rig.press("g g /").kind("line 3").press("enter n");
        let counter = |rig: &Rig| {
            let row = rig.row(2);
            row.split_once("/line 3 ").and_then(|(_, rest)| {
                let words: Vec<usize> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
                // `not found` has no numbers.
                Some((*words.first()?, *words.get(1)?))
            })
        };
        if let Some((first, count)) = counter(&rig) {
            let mut at = first;
            for _ in 0..count {
                rig.press("n");
                let (next, _) = counter(&rig).unwrap();
                prop_assert_eq!(next, at % count + 1);
                at = next;
            }
            prop_assert_eq!(at, first);
        }
    }
}

#[test]
fn a_search_without_a_hit_or_called_off_leaves_everything_as_it_was() {
    let mut rig = opened(Options::default());
    let before = rig.text();
    rig.press("/").kind("zqx").expect("not found").press("enter esc");
    assert_eq!(rig.text(), before);
    rig.press("/").kind("line 21").expect("1 line").press("esc");
    assert_eq!(rig.text(), before);
}
