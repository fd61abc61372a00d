//! Tests of what is read out of Python source.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

#[test]
fn the_checked_function_is_the_last_call() {
    let table = [
        ("def check(candidate):\n    pass\n\ncheck(add)\n", Some("add")),
        ("check(first)\ncheck(second)", Some("second")),
        ("    check(inner)\n", None),
        ("check(a, b)\n", None),
        ("", None),
    ];
    for (test, expected) in table {
        assert_eq!(checked_function(test), expected, "{test}");
    }
}

#[test]
fn the_first_function_is_found() {
    let table = [
        ("import os\n\ndef run(x):\n    pass\n", Some("run")),
        ("    @property\n    def keys(self):\n", Some("keys")),
        ("async def fetch():\n", Some("fetch")),
        ("define(x)\ndef\n", None),
        ("defx = 1", None),
    ];
    for (code, expected) in table {
        assert_eq!(first_function(code).as_deref(), expected, "{code}");
    }
}

#[test]
fn docstrings_are_found_and_tidied() {
    let table = [
        (
            "def f(x):\n    \"\"\" One.\n    Two\n      deeper\n    \"\"\"\n    return x",
            Some("One.\nTwo\n  deeper"),
        ),
        (
            "def g():\n    'other'\ndef f(a: Dict[str, int] = {'(': ')'}, b=\")\") -> List[int]:\n    '''It's'''\n",
            Some("It's"),
        ),
        ("def f(x): # a comment (\n    # another\n    r\"raw \\d\"\n", Some("raw \\d")),
        ("def f(x):\n    return \"no\"\n", None),
        ("def f(x):\n    \"\"\"never closed", None),
        ("def f(x):\n    \"broken\n", None),
        ("def f(x):\n    import math\n    from os import path\n    'Text'\n", Some("Text")),
        ("def f(x):\n    import math", None),
        ("def f(x", None),
        ("def f(x)]:\n    'no'", None),
        ("def f(\n    x,\n):\n    u'''\n    Text \\''' goes on.\n    '''\n", Some("Text \\''' goes on.")),
        ("class A:\n\tdef f(self):\n\t\t\"\"\"One\n\t\ttwo\"\"\"\n", Some("One\ntwo")),
    ];
    for (code, expected) in table {
        assert_eq!(docstring(code, "f").as_deref(), expected, "{code}");
    }
}

#[test]
fn functions_of_classes_are_moved_to_the_margin() {
    let table = [
        // every line alike
        ("    def f(self):\n        return 1\n", "def f(self):\n    return 1\n", "    "),
        ("\tdef f(self):\n\n\t\treturn 1\n", "def f(self):\n\n\treturn 1\n", "\t"),
        // the first line was moved already
        (
            "def f(self):\n        a = 1\n\n        return a\n",
            "def f(self):\n    a = 1\n\n    return a\n",
            "    ",
        ),
        ("@property\n    def f(self):\n        return 1", "@property\ndef f(self):\n    return 1", "    "),
        // nothing to do
        ("def f():\n    return 1\n", "def f():\n    return 1\n", ""),
        ("def f():\n  return 1\n", "def f():\n  return 1\n", ""),
        ("import os\n\ndef f():\n    return 1\n", "import os\n\ndef f():\n    return 1\n", ""),
        // text at the margin inside a string: moving would change it
        ("    def f(self):\n        return '''\nx'''\n", "    def f(self):\n        return '''\nx'''\n", ""),
        ("def f(self):\n        return '''\nx'''\n", "def f(self):\n        return '''\nx'''\n", ""),
        ("", "", ""),
    ];
    for (code, moved, taken) in table {
        assert_eq!(to_the_margin(code), (moved.to_owned(), taken.to_owned()), "{code}");
    }
}

#[test]
fn module_names_hide_nothing() {
    for name in ["math", "test_solution", "class", "a b", "a-b", "../x", "", "1x"] {
        assert!(!is_module_name(name), "{name}");
    }
    assert!(is_module_name("has_close_elements"));
}

proptest! {
    #[test]
    fn any_text_is_survived(code in "(def f\\(|[ \\t\\n'\"\\\\():#\\[\\]a-zé]|\"\"\"|'''){0,60}") {
        let _ = docstring(&code, "f");
        let _ = first_function(&code);
        let _ = checked_function(&code);
        let (moved, taken) = to_the_margin(&code);
        // Nothing but the indentation of lines goes.
        prop_assert_eq!(moved.lines().count(), code.lines().count());
        for (before, after) in code.split_inclusive('\n').zip(moved.split_inclusive('\n')) {
            let back = taken.clone() + after;
            prop_assert!(before == after || before == back);
        }
    }
}
