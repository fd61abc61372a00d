//! Digging in real failures: class, place, excerpt; and the same text for the same failure.

use crate::{captured, exit_of};
use mendbench::report::ExitKind;
use mendbench::report::dig::{Failure, Ground, MOST_COLUMNS, MOST_LINES, Stage, dig, normalise};
use proptest::prelude::*;
use std::fmt::Write;

const ROOT: &str = "/tmp/tree";
const FILES: [&str; 12] = [
    "test_forms.py",
    "test_module_error.py",
    "test_import_error.py",
    "test_pytest_forms.py",
    "forms.test.mjs",
    "broken.test.mjs",
    "thrown.mjs",
    "forms.rs",
    "src/lib.rs",
    "memory.c",
    "t/shapes.t",
    "bad.c",
];

fn dug(name: &str, stage: Stage) -> Failure {
    dug_at(name, stage, ROOT)
}

fn dug_at(name: &str, stage: Stage, root: &str) -> Failure {
    let output = String::from_utf8(captured(name)).unwrap();
    dig(stage, exit_of(name), &output, Ground { root, files: &FILES })
}

#[test]
fn class_and_place_of_real_failures() {
    for (name, stage, expected) in [
        ("unittest-3.11-failfast", Stage::Test, "test: OSError at test_forms.py:57:setUpClass"),
        ("unittest-3.13-verbose", Stage::Test, "test: OSError at test_forms.py:57:setUpClass"),
        ("python-traceback", Stage::Test, "test: TypeError at test_forms.py:7:halve"),
        ("pytest-first-only", Stage::Test, "test: assertion at test_forms.py:19"),
        ("pytest-import-error", Stage::Test, "load: ModuleNotFoundError at test_import_error.py:2:<module>"),
        ("cargo-pretty", Stage::Test, "test: assertion at forms.rs:20:tests::fails"),
        ("cargo-backtrace", Stage::Test, "test: panic at forms.rs:50:tests::unwraps"),
        ("cargo-abort", Stage::Test, "test: SIGABRT"),
        (
            "gcc-sanitizer-overflow",
            Stage::Test,
            "test: AddressSanitizer heap-buffer-overflow at memory.c:10:read_past",
        ),
        (
            "clang-sanitizer-overflow",
            Stage::Test,
            "test: AddressSanitizer heap-buffer-overflow at memory.c:10:read_past",
        ),
        (
            "gcc-sanitizer-free",
            Stage::Test,
            "test: AddressSanitizer heap-use-after-free at memory.c:25:use_after_free",
        ),
        ("gcc-sanitizer-leak", Stage::Test, "test: LeakSanitizer memory leak at memory.c:41:main"),
        (
            "gcc-sanitizer-integer",
            Stage::Test,
            "test: UndefinedBehaviorSanitizer signed integer overflow at memory.c:30",
        ),
        ("c-assert", Stage::Test, "test: assertion at memory.c:45:main"),
        ("c-null", Stage::Test, "test: SIGSEGV"),
        ("c-twice", Stage::Test, "test: SIGABRT"),
        ("tap-c-first", Stage::Test, "test: assertion"),
        ("tap-perl", Stage::Test, "test: assertion at t/shapes.t:6"),
        ("node-thrown", Stage::Test, "test: TypeError at thrown.mjs:2:inner"),
        ("node-broken", Stage::Test, "load: SyntaxError at broken.test.mjs:2"),
        ("node", Stage::Test, "test: assertion at forms.test.mjs:6:TestContext.<anonymous>"),
        ("gcc-diagnostics", Stage::Build, "build: compilation at bad.c:8"),
    ] {
        let name = match name {
            "unittest-3.11-failfast" => "unittest-failfast.txt".to_owned(),
            name if name.starts_with("node") && name != "node-thrown" => format!("{name}.tap"),
            name => format!("{name}.txt"),
        };
        assert_eq!(dug(&name, stage).to_string(), expected, "{name}");
    }
    let ground = Ground { root: ROOT, files: &FILES };
    for (stage, exit, expected) in [
        (Stage::Test, ExitKind::Timeout, "test: timeout"),
        (Stage::Build, ExitKind::OutOfMemory, "build: memory"),
        (Stage::Apply, ExitKind::Code(1), "apply: rejected"),
        (Stage::Test, ExitKind::Signal(11), "test: SIGSEGV"),
        (Stage::Test, ExitKind::Code(1), "test: unknown"),
    ] {
        assert_eq!(dig(stage, exit, "", ground).to_string(), expected);
    }
}

#[test]
fn excerpts_of_real_failures() {
    let mut picture = String::new();
    for name in [
        "unittest-3.11-verbose.txt",
        "pytest-normal.txt",
        "cargo-pretty.txt",
        "gcc-sanitizer-overflow.txt",
        "node.tap",
        "tap-perl.txt",
    ] {
        let failure = dug(name, Stage::Test);
        writeln!(picture, "{name}: {failure}\n{}", failure.excerpt).unwrap();
    }
    insta::assert_snapshot!("excerpts", picture);
}

/// Two real runs, in different trees at different times.
#[test]
fn the_same_failure_gives_the_same_text() {
    for (name, again) in [
        ("gcc-sanitizer-overflow.txt", "again-sanitizer.txt"),
        ("node.tap", "again-node.tap"),
        ("pytest-normal.txt", "again-pytest.txt"),
        ("unittest-3.11-verbose.txt", "again-unittest.txt"),
        ("cargo-pretty.txt", "again-cargo.txt"),
    ] {
        let (one, other) = (dug(name, Stage::Test), dug_at(again, Stage::Test, "/tmp/again-1234/work"));
        let raw = |name| String::from_utf8(captured(name)).unwrap();
        assert_ne!(raw(name), raw(again), "{name}: nothing varies in the two captures");
        if name.starts_with("unittest") {
            // The first run had more modules.
            assert_eq!((one.class, one.place), (other.class, other.place), "{name}");
        } else if name.starts_with("cargo") {
            // Threads end in any order: the lines are the same.
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&one.excerpt), sorted(&other.excerpt), "{name}");
        } else {
            assert_eq!(one, other, "{name}");
        }
    }
}

#[test]
fn what_varies_is_replaced_and_nothing_else() {
    for (text, expected) in [
        ("File \"/tmp/tree/a.py\", line 7", "File \"./a.py\", line 7"),
        ("/tmp/treehouse/a.py /tmp/x1y2/b/c", "<tmp>/a.py <tmp>/b/c"),
        ("<A object at 0x7fe690bbefd0>", "<A object at <address>>"),
        ("expected 0x10, got 0xff", "expected 0x10, got 0xff"),
        ("Ran 3 tests in 0.001s", "Ran 3 tests in <time>"),
        ("finished in 0.00s; 12 ms; 1.5 seconds", "finished in <time>; <time>; <time>"),
        ("2 != 2.5", "2 != 2.5"),
        ("expected -1, got 0", "expected -1, got 0"),
        ("12 seconds of 3 s", "12 seconds of 3 s"),
        ("at 2026-11-30T07:05:05.640102+00:00, 07:05:05", "at <time>, <time>"),
        ("==19365==ERROR: AddressSanitizer", "==<pid>==ERROR: AddressSanitizer"),
        (
            "thread 'tests::fails' (19069) panicked at src/lib.rs:1:2:",
            "thread 'tests::fails' (<thread>) panicked at src/lib.rs:1:2:",
        ),
        ("pid 77, PYTHONHASHSEED=42", "pid <pid>, PYTHONHASHSEED=<seed>"),
        ("id 0190163d-8694-739b-aea5-966c26f8ad90", "id <uuid>"),
        ("deps/outside-5025fbcaa0c22f99", "deps/outside-<hash>"),
        ("deadbeef facade 1234567890123456789", "deadbeef facade 1234567890123456789"),
        ("a.c:10:12 and 1:2:3", "a.c:10:12 and 1:2:3"),
        ("2026-11-30 12:30:455025fbcaa0c22f990.003s", "<time> 12:30:<hash>.003s"),
        ("2026-11-30 07:05:05Zulu and 2026-11-30T07:05:05-0130", "<time> 07:05:05Zulu and <time>"),
        (
            "File \"/home/me/.pyenv/versions/3.11.2/lib/python3.11/unittest/case.py\", line 7",
            "File \"<python>/unittest/case.py\", line 7",
        ),
        ("/usr/lib/python3.11/json/decoder.py", "<python>/json/decoder.py"),
        (
            "/usr/lib/python3 /lib/python3.11/x /usr/lib/python3.x/y",
            "/usr/lib/python3 /lib/python3.11/x /usr/lib/python3.x/y",
        ),
    ] {
        assert_eq!(normalise(text, ROOT), expected);
    }
}

#[test]
fn only_own_files_are_own() {
    let ground = Ground { root: ROOT, files: &["retry.py", "pkg/retry.py"] };
    for (path, expected) in [
        ("/tmp/tree/retry.py", Some("retry.py")),
        ("./retry.py", Some("retry.py")),
        ("file:///tmp/tree/pkg/retry.py", Some("pkg/retry.py")),
        ("/sandbox/work/pkg/retry.py", Some("pkg/retry.py")),
        ("/usr/lib/python3.11/retry.py", None),
        ("/home/x/site-packages/retry.py", None),
        ("/tmp/tree/other.py", None),
        ("<frozen importlib>", None),
    ] {
        assert_eq!(ground.own(path).as_deref(), expected, "{path}");
    }
    let any = Ground { root: ROOT, files: &[] };
    assert_eq!(any.own("/tmp/tree/a/b.py").as_deref(), Some("a/b.py"));
    assert_eq!(any.own("/tmp/tree/node_modules/x/y.js"), None);
    assert_eq!(any.own("/usr/include/stdio.h"), None);
}

#[test]
fn excerpts_are_bounded_and_keep_the_assertion() {
    let mut output = String::new();
    for n in 0..200_000 {
        writeln!(output, "noise {n} {}", "x".repeat(50)).unwrap();
    }
    output.push_str("AssertionError: 1 != 2\n");
    output.push_str(&"y".repeat(1 << 20));
    let failure = dig(Stage::Test, ExitKind::Code(1), &output, Ground { root: ROOT, files: &[] });
    assert!(failure.excerpt.contains("AssertionError: 1 != 2"));
    assert!(failure.excerpt.lines().count() <= 2 * MOST_LINES + 1);
    assert!(failure.excerpt.len() < MOST_LINES * MOST_COLUMNS * 4);
    assert!(failure.excerpt.contains("lines left out"));
}

/// Text made of what normalising looks for, so close together that the pieces touch.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "0x7fe690bbefd0",
        "0x",
        "0.003s",
        " ms",
        "12",
        "12:30:45",
        ".5",
        "2026-11-30",
        "T",
        "Z",
        "+00:00",
        "==",
        "123",
        "pid ",
        "pid=",
        "time=",
        "(77) panicked at ",
        "/tmp/",
        "/tmp/tree",
        "abc",
        "/",
        ":",
        "-",
        ".",
        " ",
        "é",
        "µs",
        "0190163d-8694-739b-aea5-966c26f8ad90",
        "5025fbcaa0c22f99",
        "\n",
        "<time>",
        "s",
        "(",
        "duration_ms: 1.5",
        "/usr/lib/python3.",
        "11/",
    ]);
    prop::collection::vec(piece, 0..25).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn normalising_twice_changes_nothing(text in pieces()) {
        let once = normalise(&text, ROOT);
        prop_assert_eq!(normalise(&once, ROOT), once);
    }
}

proptest! {
    #[test]
    fn any_text_can_be_dug_in(text in any::<String>(), more in pieces()) {
        let text = format!("{text}\nFile \"{more}\", line 3\n#0 0x1 in {more} a.c:1\nat {more} ({text})\n{more}: error: {text}");
        for stage in [Stage::Apply, Stage::Build, Stage::Load, Stage::Test] {
            let failure = dig(stage, ExitKind::Code(1), &text, Ground { root: ROOT, files: &[] });
            prop_assert!(failure.excerpt.lines().count() <= 3 * MOST_LINES);
        }
    }
}
