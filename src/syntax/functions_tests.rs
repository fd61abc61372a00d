//! Tests of functions found in source text.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn listed(language: &str, source: &str) -> Vec<(String, Range<u32>, u32)> {
    functions(language, source)
        .unwrap()
        .into_iter()
        .map(|function| {
            assert!(source.get(function.bytes.clone()).is_some());
            assert!(function.bytes.start <= function.body.start && function.body.end <= function.bytes.end);
            assert!(function.qualified.ends_with(&function.name), "{function:?}");
            (function.qualified, function.lines, function.depth)
        })
        .collect()
}

fn check(language: &str, source: &str, expected: &[(&str, Range<u32>, u32)]) {
    let expected: Vec<_> =
        expected.iter().map(|(name, lines, depth)| ((*name).to_owned(), lines.clone(), *depth)).collect();
    assert_eq!(listed(language, source), expected);
}

#[test]
fn python() {
    let source = "\
import os

@cache
@other(1)
def top(a,
        b):
    def inner():
        return 1
    return inner

class Ring:
    size = 3

    @property
    def full(self):
        return True
    async def push(self): ...
f = lambda: 1
";
    check(
        "python",
        source,
        &[("top", 2..9, 0), ("top.inner", 6..8, 1), ("Ring.full", 13..16, 0), ("Ring.push", 16..17, 0)],
    );
    let found = functions("python", source).unwrap();
    assert_eq!(&source[found[1].body.clone()], "return 1");
    assert_eq!(enclosing(&found, 7).map(|function| function.name.as_str()), Some("inner"));
    assert_eq!(enclosing(&found, 8).map(|function| function.name.as_str()), Some("top"));
    assert_eq!(enclosing(&found, 0), None);
}

#[test]
fn c() {
    check(
        "c",
        "int f(void);\nstatic int *g(struct rb *rb,\n  int v)\n{\n  return 0;\n}\nint (*h(void))(int) { return 0; }\n",
        &[("g", 1..6, 0), ("h", 6..7, 0)],
    );
}

#[test]
fn cpp() {
    check(
        "cpp",
        "\
namespace deep {
class Ring {
  int full() const { return 1; }
  ~Ring() {}
  bool operator==(const Ring &o) { return true; }
  operator bool() { return true; }
};
namespace { void hidden() {} }
}
template <typename T>
T &Ring<T>::push(T v) {
  return v;
}
int deep::Ring::len() { return 0; }
",
        &[
            ("deep::Ring::full", 2..3, 0),
            ("deep::Ring::~Ring", 3..4, 0),
            ("deep::Ring::operator==", 4..5, 0),
            ("deep::Ring::operator bool()", 5..6, 0),
            ("deep::hidden", 7..8, 0),
            ("Ring<T>::push", 9..13, 0),
            ("deep::Ring::len", 13..14, 0),
        ],
    );
}

#[test]
fn java() {
    check(
        "java",
        "\
class Ring {
    Ring() { }
    @Override
    public int size() { return 1; }
    abstract int none();
    static class Node { void f() { Runnable r = new Runnable() { public void run() { } }; } }
}
",
        &[
            ("Ring.Ring", 1..2, 0),
            ("Ring.size", 2..4, 0),
            ("Ring.Node.f", 5..6, 0),
            ("Ring.Node.f.run", 5..6, 1),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "javascript",
        "\
function plain() { return [1].map((x) => x + 1); }
const arrow = (a) => {
  return a;
};
exports.push = function () {};
class Ring { push(v) { } #hidden = () => 1; static *all() { } }
const table = { 'one': function () {}, two() {} };
it('works', function named() {});
",
        &[
            ("plain", 0..1, 0),
            ("arrow", 1..4, 0),
            ("exports.push", 4..5, 0),
            ("Ring.push", 5..6, 0),
            ("Ring.#hidden", 5..6, 0),
            ("Ring.all", 5..6, 0),
            ("one", 6..7, 0),
            ("two", 6..7, 0),
            ("named", 7..8, 0),
        ],
    );
}

#[test]
fn rust() {
    check(
        "rust",
        "\
#[test]
// why
#[inline]
fn top() { fn inner() {} }
mod house {
    impl<T> Iterator for Ring<T> {
        type Item = T;
        fn next(&mut self) -> Option<T> { None }
    }
    trait Named { fn name(&self); fn twice(&self) {} }
}
",
        &[
            ("top", 0..4, 0),
            ("top::inner", 3..4, 1),
            ("house::Ring::next", 7..8, 0),
            ("house::Named::twice", 9..10, 0),
        ],
    );
}

#[test]
fn unknown_and_too_long() {
    assert_eq!(functions("cobol", "x"), None);
    assert_eq!(functions("c", &" ".repeat(MAX_BYTES + 1)), None);
    assert_eq!(functions("c", ""), Some(Vec::new()));
}

#[test]
fn errors_are_tolerated() {
    let found =
        listed("c", "int ok(void) { return 1; }\n}}} ((( \nint also(int a) { if (a { return 2; }\n}\n");
    assert_eq!(found[0], ("ok".to_owned(), 0..1, 0));
}

/// Deep nesting must neither overflow a small stack nor take forever.
#[test]
fn deep_nesting() {
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(|| {
            for language in ["python", "c", "cpp", "java", "javascript", "rust"] {
                for unit in [
                    "(",
                    "{",
                    "[",
                    "f(",
                    "if(a){",
                    "a<",
                    "class A{",
                    "def f():\n ",
                    "\"",
                    "/*",
                    "((a)",
                    "*",
                    "!",
                ] {
                    let source = unit.repeat(60_000 / unit.len());
                    let _ = functions(language, &source);
                }
            }
            let nested = (0..90).map(|n| format!("{}def f{n}():\n", " ".repeat(n))).collect::<String>();
            let found = functions("python", &nested).unwrap_or_default();
            assert!(found.iter().all(|function| function.qualified.len() < 100));
        })
        .unwrap()
        .join()
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text(source in "(\\PC|[(){};\n\"'#<> ]|def f\\(\\):\n|int f\\(\\)\\{){0,60}") {
        for language in ["python", "c", "cpp", "java", "javascript", "rust"] {
            for function in functions(language, &source).unwrap_or_default() {
                prop_assert!(source.get(function.bytes.clone()).is_some());
                prop_assert!(source.get(function.body.clone()).is_some());
                prop_assert!(function.lines.start < function.lines.end);
                prop_assert!(function.lines.end as usize <= source.split('\n').count());
            }
        }
    }
}
