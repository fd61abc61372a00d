//! Diagnostics of real compilers and analysers.

use crate::captured;
use mendbench::report::diagnostics::{Form, MOST, Severity};
use proptest::prelude::*;
use std::fmt::Write;

const CAPTURES: [(&str, Form); 14] = [
    ("gcc-diagnostics.txt", Form::Gcc),
    ("gcc-diagnostics.json", Form::GccJson),
    ("clang-diagnostics.txt", Form::Gcc),
    ("gcc-link.txt", Form::Gcc),
    ("python-syntax.txt", Form::Python),
    ("python-indent.txt", Form::Python),
    ("pylint.txt", Form::Pylint),
    ("pylint.json", Form::PylintJson),
    ("ruff.json", Form::RuffJson),
    ("rustc.json", Form::RustcJson),
    ("rustc.txt", Form::Rustc),
    ("cargo-build-error.txt", Form::Rustc),
    ("node-check.txt", Form::Node),
    ("node-thrown.txt", Form::Node),
];

fn text(name: &str) -> String {
    String::from_utf8(captured(name)).unwrap()
}

#[test]
fn every_captured_analysis() {
    let mut picture = String::new();
    for (name, form) in CAPTURES {
        writeln!(picture, "{name} ({form})").unwrap();
        let found = form.read(&text(name));
        assert_eq!(found.left_out, 0);
        for one in found.items {
            let number =
                |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            writeln!(
                picture,
                "  {}:{}:{} {} [{}] {}",
                one.file,
                number(one.line),
                number(one.column),
                one.severity,
                one.code.unwrap_or_default(),
                one.message
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!("diagnostics", picture);
}

/// Text and JSON of one tool say the same.
#[test]
fn text_and_json_agree() {
    for (one, other) in [
        ("gcc-diagnostics.txt", "gcc-diagnostics.json"),
        ("pylint.txt", "pylint.json"),
        ("rustc.txt", "rustc.json"),
    ] {
        let read = |name: &str| {
            let form = CAPTURES.iter().find(|(known, _)| *known == name).unwrap().1;
            let mut found: Vec<_> = form
                .read(&text(name))
                .items
                .into_iter()
                .filter(|one| one.severity != Severity::Note || one.file == "lint.py")
                .map(|one| (one.file, one.line, one.column, one.code, one.severity))
                .collect();
            found.sort();
            found
        };
        assert!(read(one).len() >= 2, "{one}");
        assert_eq!(read(one), read(other), "{one}");
    }
}

#[test]
fn other_forms() {
    let python = Form::Python
        .read("  File \"a.py\", line 3\n    x = (1,\n        ^\nSyntaxError: '(' was never closed\n");
    assert_eq!((python.items[0].line, python.items[0].column), (Some(3), Some(5)));
    let cargo = "   Compiling a v0.1.0\n{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\",\"message\":\"unused\",\"code\":null,\"spans\":[{\"file_name\":\"src/a.rs\",\"line_start\":3,\"column_start\":5,\"is_primary\":true,\"label\":null}]}}\n{\"reason\":\"build-finished\",\"success\":true}\n";
    let cargo = Form::RustcJson.read(cargo);
    assert_eq!(cargo.items.len(), 1);
    assert_eq!((cargo.items[0].file.as_str(), cargo.items[0].line), ("src/a.rs", Some(3)));
    let ld =
        Form::Gcc.read("/usr/bin/ld: /tmp/a.o: in function `f':\n/src/a.c:12: undefined reference to `g'\n");
    assert_eq!((ld.items[0].file.as_str(), ld.items[0].line), ("/src/a.c", Some(12)));
    let none = Form::Gcc.read("bad.c: In function 'f':\ncc1: some warnings being treated as errors\n");
    assert_eq!(none.items, []);
    for form in Form::ALL {
        assert_eq!(Form::by_name(form.name()), Some(form));
    }
}

#[test]
fn many_and_long_ones_are_bounded() {
    let line = format!("a.c:1:2: error: {}\n", "x".repeat(10_000));
    let found = Form::Gcc.read(&line.repeat(MOST + 5));
    assert_eq!((found.items.len(), found.left_out), (MOST, 5));
    assert!(found.items[0].message.len() <= 2_000);
    let deep = "[".repeat(200_000);
    assert_eq!(Form::GccJson.read(&deep).items, []);
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in any::<String>(), cut in any::<prop::sample::Index>(), which in 0..CAPTURES.len()) {
        let (name, _) = CAPTURES[which];
        let real = captured(name);
        let real = String::from_utf8_lossy(&real[..cut.index(real.len())]).into_owned();
        for form in Form::ALL {
            let found = form.read(&format!("{text}{real}{text}"));
            prop_assert!(found.items.len() <= MOST);
        }
    }
}
