//! Tests of which words are emphasised.
#![allow(clippy::single_range_in_vec_init)]

use super::*;
use proptest::prelude::*;

/// A line with its emphasised words in brackets.
fn marked(line: &str, ranges: &[Range<u32>]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for range in ranges {
        let (start, end) = (range.start as usize, range.end as usize);
        text += &format!("{}[{}]", &line[at..start], &line[start..end]);
        at = end;
    }
    text + &line[at..]
}

#[test]
fn table() {
    for (old, new, old_marked, new_marked) in [
        ("x + 1", "x - 1", "x [+] 1", "x [-] 1"),
        ("rb->len", "rb->cap", "rb->[len]", "rb->[cap]"),
        ("if (a == b)", "if (a != b)", "if (a [=]= b)", "if (a [!]= b)"),
        ("if (i < n)", "if (i <= n)", "if (i < n)", "if (i <[=] n)"),
        (
            "    if (next == rb->tail) return -1;",
            "    if (rb->len == rb->cap) return -1;",
            "    if ([next] == rb->[tail]) return -1;",
            "    if ([rb->len] == rb->[cap]) return -1;",
        ),
        ("f(a, b)", "f(a, c, b)", "f(a, b)", "f(a, [c,] b)"),
        ("f(a, b)", "f(a)", "f(a[, b])", "f(a)"),
        ("total = total + x", "total = sum of x", "total = [total +] x", "total = [sum of] x"),
        ("return items[1:]", "return items", "return items[[1:]]", "return items"),
        ("a = 1.5", "a = 1.25", "a = [1.5]", "a = [1.25]"),
        ("  x = 1;", "\tx = 1;", "[  ]x = 1;", "[\t]x = 1;"),
        ("x = 1; ", "x = 1;", "x = 1;[ ]", "x = 1;"),
        ("foo( a )", "foo(a)", "foo([ ]a[ ])", "foo(a)"),
        ("  ", "    ", "[  ]", "[    ]"),
        ("same", "same", "same", "same"),
        ("alpha beta;", "gamma(delta, eta);", "alpha beta;", "gamma(delta, eta);"),
        ("x", "", "x", ""),
        ("name = \"naïve\"", "name = \"naive\"", "name = \"[naïve]\"", "name = \"[naive]\""),
        ("x = 'e\u{301}'", "x = 'e'", "x = '[e\u{301}]'", "x = '[e]'"),
        ("x = '.\u{301}'", "x = '.'", "x = '[.\u{301}]'", "x = '[.]'"),
        ("// 修正版本 here", "// 修复版本 here", "// 修[正]版本 here", "// 修[复]版本 here"),
        ("f(👩‍👩‍👧, x)", "f(👩‍👧, x)", "f([👩‍👩‍👧], x)", "f([👩‍👧], x)"),
    ] {
        let found = words(old, new);
        assert_eq!(marked(old, &found.old), old_marked, "{old:?} to {new:?}");
        assert_eq!(marked(new, &found.new), new_marked, "{old:?} to {new:?}");
    }
}

#[test]
fn long_lines() {
    let long = "f(a1,b2);".repeat(120_000);
    let changed = format!("{}g{}", &long[..450_000], &long[450_001..]);
    let found = words(&long, &changed);
    assert_eq!((found.old.clone(), found.new), (vec![450_000..450_001], vec![450_000..450_001]));
    assert_eq!(words(&long, &long.replace("a1", "a3")), Emphasis::default());
    // Nothing but one word, and no border to cut at.
    assert_eq!(words(&"a".repeat(1 << 20), &"a".repeat((1 << 20) + 1)), Emphasis::default());
    assert_eq!(words(&"ä".repeat(1 << 19), &format!("{}x", "ä".repeat(1 << 19))), Emphasis::default());
}

#[test]
fn many_tokens() {
    let old = "a+b-".repeat(300) + "x;" + &"q,".repeat(20);
    let new = "c*d/".repeat(10) + &old;
    let found = words(&old, &new);
    assert_eq!((found.old, found.new), (vec![], vec![0..40]));
}

fn outside(line: &str, ranges: &[Range<u32>]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for range in ranges {
        text += &line[at..range.start as usize];
        at = range.end as usize;
    }
    text += &line[at..];
    text.split_whitespace().collect()
}

proptest! {
    #[test]
    fn ranges_are_in_order_and_hold_all_that_differs(
        parts in proptest::collection::vec(("[a-c ]|\\PC|foo|[-+(). \t]|\u{301}|\u{200d}|1\\.5", any::<[bool; 2]>()), 0..30)
    ) {
        let side = |side: usize| parts.iter().filter(|part| part.1[side]).map(|part| part.0.as_str()).collect::<String>();
        let (old, new) = (side(0), side(1));
        let found = words(&old, &new);
        for (line, ranges) in [(&old, &found.old), (&new, &found.new)] {
            let mut at = 0;
            for range in ranges {
                prop_assert!(range.start < range.end && (range.start as usize >= at));
                prop_assert!(line.get(range.start as usize..range.end as usize).is_some());
                at = range.end as usize;
            }
        }
        if !found.is_empty() {
            prop_assert_eq!(outside(&old, &found.old), outside(&new, &found.new));
        }
        // The other way round other words may be found in common, so that one way passes the share from which words are
        // emphasised and the other does not; what is found holds all that differs all the same.
        let back = words(&new, &old);
        if !back.is_empty() {
            prop_assert_eq!(outside(&new, &back.old), outside(&old, &back.new));
        }
    }
}
