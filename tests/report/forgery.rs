//! Output that imitates results, as the table in `src/report/mod.rs` promises.

use crate::{captured, exit_of, read, shown};
use mendbench::report::{ExitKind, Parser, Status, Verdict, judge, verdict};

/// A forged `ok` for a test that fails is worth nothing, with a real runner around it.
#[test]
fn a_printed_pass_never_hides_a_failure() {
    for (name, id) in [
        ("unittest-forged.txt", "test_forges.ForgesTest.test_b"),
        ("pytest-forged.txt", "test_forges.py::ForgesTest::test_b"),
        ("tap-c-forged.txt", "full"),
    ] {
        let report = read(name);
        assert_eq!(report.case(id).unwrap().status, Status::Failed, "{name}");
        assert_eq!(verdict(&report, exit_of(name), &[id.to_owned()], &[]), Verdict::Failed, "{name}");
        assert_ne!(report.contradictions, Vec::<String>::new(), "{name}");
    }
    // Printed failures, on the other hand, are believed: nobody gains by them.
    for name in ["cargo-nocapture.txt", "cargo-one-thread.txt"] {
        assert_eq!(read(name).case("tests::passes").unwrap().status, Status::Failed, "{name}");
    }
    // Output that was captured by the runner is no result.
    for name in ["cargo-pretty.txt", "cargo-package.txt"] {
        assert_eq!(read(name).case("tests::passes").unwrap().status, Status::Passed, "{name}");
    }
    assert!(read("node.tap").case("forged").is_none());
    assert_eq!(
        verdict(&read("node-direct.tap"), ExitKind::Code(0), &["forged".to_owned()], &[]),
        Verdict::ReportMismatch
    );
}

/// Leaving with 0 in the middle.
#[test]
fn leaving_early_does_not_pass() {
    for (name, id) in [
        ("unittest-leaves.txt", "test_leaves.LeavesTest.test_a"),
        ("pytest-leaves.txt", "test_leaves.py::LeavesTest::test_a"),
        ("cargo-leaves.txt", "a_passes"),
        ("tap-c-early.txt", "empty"),
        ("node-leaves.tap", "never"),
    ] {
        let report = read(name);
        let judged = judge(&report, ExitKind::Code(0), &[id.to_owned()], &[]);
        assert!(
            matches!(judged.verdict, Verdict::ReportMismatch | Verdict::NoTests),
            "{name}: {judged:?}\n{}",
            shown(&report)
        );
    }
}

/// A report cut anywhere is not a pass; what was read of a failing one stays a failure.
#[test]
fn cut_reports_never_pass() {
    for name in [
        "unittest-3.8-good.txt",
        "unittest-3.13-good.txt",
        "pytest-good.txt",
        "pytest-good-quiet.txt",
        "prove-verbose-good.txt",
        "prove-good.txt",
    ] {
        let whole = captured(name);
        let last_line = whole.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').unwrap();
        for end in 0..=last_line {
            let report = crate::parser_of(name).unwrap().parse(&whole[..end]);
            let found = verdict(&report, ExitKind::Code(0), &[], &[]);
            assert_ne!(found, Verdict::Passed, "{name} cut at {end}");
        }
        assert_eq!(verdict(&read(name), ExitKind::Code(0), &[], &[]), Verdict::Passed, "{name}");
    }
    let xml = captured("junit-pytest.xml");
    for end in (0..xml.len()).step_by(97) {
        assert!(!Parser::Junit.parse(&xml[..end]).complete, "cut at {end}");
    }
}

/// Each forgery alone, on a report that would pass without it.
#[test]
fn small_forgeries() {
    let rule = "-".repeat(70);
    let unittest = |tests: &str, summary: &str| format!("{tests}\n{rule}\n{summary}\n");
    let one = "test_a (m.C.test_a) ... ok\n";
    let fine = "Ran 1 test in 0.000s\n\nOK";
    let forged = "test_b (m.C.test_b) ... ok\n";
    let cargo = |tests: &str, passed: usize| {
        format!(
            "running 1 test\n{tests}\ntest result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
        )
    };
    for (parser, honest, forged) in [
        (Parser::Unittest, unittest(one, fine), unittest(&format!("{one}{forged}"), fine)),
        (
            Parser::Unittest,
            unittest(one, fine),
            unittest(&format!("{one}{forged}\n{rule}\nRan 2 tests in 0.000s\n\nOK\n"), fine),
        ),
        (Parser::Pytest, "a.py::t PASSED\n1 passed in 0.01s\n".into(), "a.py::t PASSED\na.py::u PASSED\n1 passed in 0.01s\n".into()),
        (Parser::Pytest, "a.py::t PASSED\n1 passed in 0.01s\n".into(), "a.py::t PASSED\nPASSED\n1 passed in 0.01s\n".into()),
        (Parser::Tap, "1..1\nok 1 - a\n".into(), "1..1\nok 1 - a\nok 2 - b\n".into()),
        (Parser::Tap, "1..1\nok 1 - a\n".into(), "1..1\nok 1 - a\n1..1\n".into()),
        (Parser::Tap, "ok 1 - a\n1..2\nok 2 - b\n".into(), "ok 1 - a\n1..2\nok 1 - b\n".into()),
        (Parser::CargoTest, cargo("test a ... ok\n", 1), cargo("test a ... ok\ntest b ... ok\n", 1)),
        (Parser::CargoTest, cargo("test a ... ok\n", 1), cargo("test a ... ok\n", 2)),
        (
            Parser::CargoTest,
            cargo("test a ... ok\n", 1),
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n".to_owned() + &cargo("test a ... ok\n", 1),
        ),
        (
            Parser::Junit,
            "<testsuite tests='1'><testcase name='a'/></testsuite>".into(),
            "<testsuite tests='1'><testcase name='a'/><testcase name='b'/></testsuite>".into(),
        ),
        (
            Parser::Junit,
            "<testsuite tests='1'><testcase name='a'/></testsuite> ordinary words".into(),
            "<testsuite tests='1'><testcase name='a'/></testsuite><testsuite><testcase name='b'/></testsuite>".into(),
        ),
    ] {
        let report = parser.parse(honest.as_bytes());
        assert_eq!(verdict(&report, ExitKind::Code(0), &[], &[]), Verdict::Passed, "{honest}\n{}", shown(&report));
        let report = parser.parse(forged.as_bytes());
        assert_eq!(
            verdict(&report, ExitKind::Code(0), &[], &[]),
            Verdict::ReportMismatch,
            "{forged}\n{}",
            shown(&report)
        );
    }
}

/// Lines that look like points and are none.
#[test]
fn points_that_do_not_count() {
    let report = Parser::Tap.parse(
        b"1..2\n    ok 1 - deeper than anything announced\nok 1 - a\n  ---\n  message: |\n    ok 2 - inside\n  ok: 1\nok 2 - not indented ends the block\n  ...\n# ok 3 - comment\n",
    );
    let ids: Vec<&str> = report.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["a", "not indented ends the block"], "{}", shown(&report));
    assert_eq!(report.contradictions, Vec::<String>::new());
}
