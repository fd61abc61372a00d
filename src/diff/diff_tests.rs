//! Tests of aligned rows.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn compute(old: &str, new: &str) -> Diff {
    Diff::compute(old, new, &DiffOptions::default())
}

/// One line per row: `=`, `~`, `-`, `+`, and the lines.
fn drawn(diff: &Diff) -> Vec<String> {
    let mark = |kind| match kind {
        RowKind::Equal => '=',
        RowKind::Changed => '~',
        RowKind::Removed => '-',
        RowKind::Added => '+',
    };
    let text = |row: &Row, side| diff.line(row, side).unwrap_or("·").to_owned();
    let draw = |row: &Row| format!("{}{}|{}", mark(row.kind), text(row, Side::Old), text(row, Side::New));
    diff.rows.iter().map(draw).collect()
}

/// What holds for every difference.
fn check(diff: &Diff) -> Result<(), TestCaseError> {
    let old: Vec<u32> = diff.rows.iter().filter_map(|row| row.old).collect();
    let new: Vec<u32> = diff.rows.iter().filter_map(|row| row.new).collect();
    prop_assert_eq!(&old, &(0..diff.old.len() as u32).collect::<Vec<_>>());
    prop_assert_eq!(&new, &(0..diff.new.len() as u32).collect::<Vec<_>>());
    for row in &diff.rows {
        let sides = (row.old.is_some(), row.new.is_some());
        prop_assert_eq!(sides, (row.kind != RowKind::Added, row.kind != RowKind::Removed));
    }
    for pair in diff.rows.windows(2) {
        prop_assert!((pair[0].kind, pair[1].kind) != (RowKind::Added, RowKind::Removed));
    }
    // Hunks are exactly the rows that are not equal.
    let in_hunks: usize = diff.hunks.iter().map(|hunk| hunk.rows.len()).sum();
    prop_assert_eq!(in_hunks, diff.rows.iter().filter(|row| row.kind != RowKind::Equal).count());
    for hunk in &diff.hunks {
        let rows = &diff.rows[hunk.rows.clone()];
        prop_assert!(rows.iter().all(|row| row.kind != RowKind::Equal));
        prop_assert_eq!(
            rows.iter().filter_map(|row| row.old).collect::<Vec<_>>(),
            hunk.old.clone().collect::<Vec<_>>()
        );
        prop_assert_eq!(
            rows.iter().filter_map(|row| row.new).collect::<Vec<_>>(),
            hunk.new.clone().collect::<Vec<_>>()
        );
    }
    prop_assert_eq!(
        diff.removed,
        old.len() - diff.rows.iter().filter(|row| row.kind == RowKind::Equal).count()
    );
    prop_assert_eq!(diff.added + old.len(), diff.removed + new.len());
    // Unified: the same lines, every one once.
    let lines = unified(diff);
    let side = |side: Side| -> Vec<u32> {
        let shown = lines.iter().filter(|line| line.side.is_none_or(|shown| shown == side));
        let number = |line: &UnifiedLine| {
            let row = diff.rows[line.row as usize];
            if side == Side::Old { row.old } else { row.new }
        };
        shown.filter_map(number).collect()
    };
    prop_assert_eq!(side(Side::Old), old);
    prop_assert_eq!(side(Side::New), new);
    prop_assert_eq!(
        lines.len(),
        diff.rows.len() + diff.rows.iter().filter(|row| row.kind == RowKind::Changed).count()
    );
    for (at, line) in lines.iter().enumerate() {
        let side = line.side.unwrap_or(Side::New);
        prop_assert_eq!(place(diff, &lines, line.row as usize, side), Some(at));
    }
    for (at, row) in diff.rows.iter().enumerate() {
        for (side, line) in [(Side::Old, row.old), (Side::New, row.new)] {
            if let Some(line) = line {
                prop_assert_eq!(diff.row_of_line(side, line), Some(at));
            }
        }
    }
    prop_assert_eq!(diff.row_of_line(Side::Old, diff.old.len() as u32), None);
    Ok(())
}

#[test]
fn alignment() {
    for (old, new, rows) in [
        ("", "", &[][..]),
        ("a\n", "a\n", &["=a|a"]),
        ("", "a\nb\n", &["+·|a", "+·|b"]),
        ("a\nb\n", "", &["-a|·", "-b|·"]),
        (
            "int f() {\n  return x + 1;\n}\n",
            "int f() {\n  return x - 1;\n}\n",
            &["=int f() {|int f() {", "~  return x + 1;|  return x - 1;", "=}|}"],
        ),
        // Nothing in common: removed before added.
        ("a\nalpha beta\nz\n", "a\n42 + (3)\nz\n", &["=a|a", "-alpha beta|·", "+·|42 + (3)", "=z|z"]),
        // The second line is the changed one, the first is new.
        (
            "total = total + x\n",
            "log.info(\"adding\")\ntotal = total - x\n",
            &["+·|log.info(\"adding\")", "~total = total + x|total = total - x"],
        ),
        (
            "first_value = compute(a)\nsecond_value = compute(b)\n",
            "second_value = compute(b, c)\n",
            &["-first_value = compute(a)|·", "~second_value = compute(b)|second_value = compute(b, c)"],
        ),
        // A blank line goes with a blank line.
        ("a1 = b\r\n\r\nc = d\r\n", "a1 = b\n\nc = d\n", &["~a1 = b|a1 = b", "~|", "~c = d|c = d"]),
        ("a", "a\n", &["~a|a"]),
    ] {
        let diff = compute(old, new);
        assert_eq!(drawn(&diff), rows, "{old:?} {new:?}");
        check(&diff).unwrap();
    }
}

#[test]
fn line_ends_are_changes() {
    let diff = compute("a\nb\nc", "a\r\nb\nc\n");
    let endings: Vec<_> = diff.rows.iter().map(|row| diff.ending_change(row)).collect();
    assert_eq!(
        endings,
        [Some((LineEnding::Lf, LineEnding::CrLf)), None, Some((LineEnding::None, LineEnding::Lf))]
    );
    assert_eq!((diff.added, diff.removed, diff.hunks.len()), (2, 2, 2));
    assert!(diff.rows.iter().all(|row| diff.words(row).is_empty()));
    for whitespace in [Whitespace::IgnoreAmount, Whitespace::IgnoreAll] {
        let options = DiffOptions { whitespace, ..DiffOptions::default() };
        assert!(Diff::compute("a\nb\nc", "a\r\nb\nc\n", &options).is_same());
    }
}

#[test]
fn whitespace_modes_are_those_of_git() {
    for (old, new, amount, all) in [
        ("a b\n", "a  b\n", true, true),
        ("a b\n", "ab\n", false, true),
        ("a\n", "a \t\n", true, true),
        ("a\n", " a\n", false, true),
        ("  a\n", "\ta\n", true, true),
        ("a\n", "b\n", false, false),
        ("a\u{a0}b\n", "a b\n", false, false),
    ] {
        let same = |whitespace| {
            Diff::compute(old, new, &DiffOptions { whitespace, ..DiffOptions::default() }).is_same()
        };
        assert!(!same(Whitespace::Exact));
        assert_eq!(
            (same(Whitespace::IgnoreAmount), same(Whitespace::IgnoreAll)),
            (amount, all),
            "{old:?} {new:?}"
        );
    }
}

#[test]
fn folds() {
    let old: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let diff = compute(&old, &old.replace("line 10\n", "line ten\n").replace("line 20\n", ""));
    use Segment::{Folded, Rows};
    assert_eq!(fold(&diff, 3), [Folded(0..7), Rows(7..14), Folded(14..17), Rows(17..24), Folded(24..40)]);
    assert_eq!(fold(&diff, 4), [Folded(0..6), Rows(6..25), Folded(25..40)]);
    assert_eq!(fold(&diff, 9), [Rows(0..30), Folded(30..40)]);
    assert_eq!(fold(&diff, usize::MAX), [Rows(0..40)]);
    assert_eq!(fold(&compute("a\nb\nc\n", "a\nb\nc\n"), 3), [Folded(0..3)]);
    assert_eq!(fold(&compute("a\n", "a\n"), 3), [Rows(0..1)]);
    assert_eq!(fold(&compute("", ""), 3), []);
}

#[test]
fn hunks_and_places() {
    let diff = compute("a\nb\nc\nd\n", "a\nc\nd\ne\n");
    assert_eq!(
        diff.hunks,
        [Hunk { rows: 1..2, old: 1..2, new: 1..1 }, Hunk { rows: 4..5, old: 4..4, new: 3..4 }]
    );
    assert_eq!(
        (diff.hunk_at_or_after(0), diff.hunk_at_or_after(2), diff.hunk_at_or_after(5)),
        (Some(0), Some(1), None)
    );
    let lines = unified_rows(&diff, 2..4);
    assert_eq!(lines.len(), 2);
    assert_eq!(place(&diff, &lines, 3, Side::Old), Some(1));
    assert_eq!(place(&diff, &lines, 0, Side::Old), None);
    // A row without the wanted side is found by its other one.
    assert_eq!(place(&diff, &unified(&diff), 1, Side::New), Some(1));
}

#[test]
fn no_time_is_said() {
    let text = |seed: usize| (0..3_000).map(|n| format!("{}\n", (n * seed) % 97)).collect::<String>();
    let options = DiffOptions { budget: Duration::ZERO, ..DiffOptions::default() };
    let diff = Diff::compute(&text(7), &text(13), &options);
    assert!(diff.cut_short);
    check(&diff).unwrap();
    assert!(!Diff::compute("a", "a", &options).cut_short);
}

/// Large and hostile texts: what is asserted is that an answer comes, and is whole, on a small stack.
#[test]
fn bounded() {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            let lines = |count: usize, of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<String>();
            let shuffled = |n: usize| format!("value_{} = {}\n", n.wrapping_mul(7_919) % 4_001, n % 13);
            let cases = [
                (
                    "all new",
                    lines(30_000, &|n| format!("old line {n}\n")),
                    lines(30_000, &|n| format!("new line {n}\n")),
                ),
                (
                    "shuffled",
                    lines(20_000, &|n| format!("value_{n} = {}\n", n % 13)),
                    lines(20_000, &shuffled),
                ),
                ("line ends", "x = 1\n\ny = 2\n".repeat(15_000), "x = 1\r\n\r\ny = 2\r\n".repeat(15_000)),
                ("alternating", "a\nb\n".repeat(20_000), "b\nb\na\n".repeat(15_000)),
                ("blank", "\n".repeat(100_000), "\n".repeat(50_000) + "x\n"),
                ("long line", "a(b,c);".repeat(150_000), "a(b,d);".repeat(150_000)),
                ("no break", "a".repeat(1 << 20), "a".repeat((1 << 20) - 1) + "b"),
            ];
            for (name, old, new) in cases {
                for algorithm in [Algorithm::Myers, Algorithm::Patience, Algorithm::Histogram] {
                    let options = DiffOptions {
                        algorithm,
                        budget: Duration::from_millis(300),
                        ..DiffOptions::default()
                    };
                    let diff = Diff::compute(&old, &new, &options);
                    let shown = (
                        diff.rows.iter().filter(|row| row.old.is_some()).count(),
                        diff.rows.iter().filter(|row| row.new.is_some()).count(),
                    );
                    assert_eq!(shown, (diff.old.len(), diff.new.len()), "{name}");
                    if name == "line ends" && !diff.cut_short {
                        assert!(diff.rows.iter().all(|row| row.kind == RowKind::Changed), "{name}");
                    }
                    for hunk in diff.hunks.iter().take(10) {
                        diff.words(&diff.rows[hunk.rows.start]);
                    }
                }
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("}".to_owned()),
        Just("  return x + 1;".to_owned()),
        Just("  return x - 1;".to_owned()),
        Just("\treturn x;".to_owned()),
        "[ab]{0,2}",
        "\\PC{0,6}",
    ];
    let lines = proptest::collection::vec((line, prop_oneof![5 => Just("\n"), 1 => Just("\r\n")]), 0..14);
    (lines, any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: String = lines.iter().map(|(line, ending)| format!("{line}{ending}")).collect();
        if !ends {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

fn options() -> impl Strategy<Value = DiffOptions> {
    let algorithm =
        prop_oneof![Just(Algorithm::Myers), Just(Algorithm::Patience), Just(Algorithm::Histogram)];
    let whitespace =
        prop_oneof![Just(Whitespace::Exact), Just(Whitespace::IgnoreAmount), Just(Whitespace::IgnoreAll)];
    (algorithm, whitespace).prop_map(|(algorithm, whitespace)| DiffOptions {
        algorithm,
        whitespace,
        ..DiffOptions::default()
    })
}

proptest! {
    #[test]
    fn rows_hold_both_texts(old in text(), new in text(), options in options()) {
        let diff = Diff::compute(&old, &new, &options);
        check(&diff)?;
        if options.whitespace == Whitespace::Exact {
            for row in &diff.rows {
                if let (Some(old), Some(new)) = (row.old, row.new) {
                    let same = diff.old.whole(old as usize) == diff.new.whole(new as usize);
                    prop_assert_eq!(same, row.kind == RowKind::Equal);
                }
            }
            prop_assert_eq!(diff.is_same(), old == new);
        }
    }

    #[test]
    fn folds_cover_all_rows(old in text(), new in text(), context in 0_usize..5) {
        let diff = compute(&old, &new);
        let mut at = 0;
        for segment in fold(&diff, context) {
            let (rows, folded) = match segment {
                Segment::Rows(rows) => (rows, false),
                Segment::Folded(rows) => (rows, true),
            };
            prop_assert_eq!(rows.start, at);
            prop_assert!(!rows.is_empty());
            prop_assert!(!folded || diff.rows[rows.clone()].iter().all(|row| row.kind == RowKind::Equal));
            at = rows.end;
        }
        prop_assert_eq!(at, diff.rows.len());
    }
}
