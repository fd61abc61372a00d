//! What each runner's output reads as.

use crate::{all, captured, exit_of, read, shown};
use mendbench::report::{ExitKind, Parser, Status, Verdict, judge, verdict};
use std::fmt::Write;

/// One picture per runner: every captured report with its verdict (no lists).
#[test]
fn every_captured_report() {
    for parser in Parser::ALL.into_iter().filter(|parser| *parser != Parser::ExitCode) {
        let mut picture = String::new();
        for (name, _) in all().into_iter().filter(|(_, by)| *by == parser) {
            let report = read(&name);
            let judged = judge(&report, exit_of(&name), &[], &[]);
            writeln!(picture, "{name}: {} ({})", judged.verdict, judged.why).unwrap();
            writeln!(picture, "  {}", shown(&report)).unwrap();
        }
        insta::assert_snapshot!(format!("report_{}", parser.name()), picture);
    }
}

#[test]
fn ids_and_results_are_the_same_in_every_python() {
    let results = |version: &str| {
        let report = read(&format!("unittest-{version}-verbose.txt"));
        assert_eq!(report.contradictions, Vec::<String>::new(), "{version}");
        let mut results: Vec<(String, Status)> =
            report.cases.into_iter().map(|case| (case.id, case.status)).collect();
        results.sort();
        results
    };
    let expected = results("3.13");
    assert_eq!(expected.len(), 14);
    for version in ["3.8", "3.10", "3.11", "3.12"] {
        assert_eq!(results(version), expected, "{version}");
    }
}

#[test]
fn text_and_xml_of_pytest_agree() {
    let text = read("pytest-verbose.txt");
    let xml = read("junit-pytest.xml");
    let ids: Vec<String> = text.cases.iter().map(|case| case.id.clone()).collect();
    let passed: Vec<String> =
        text.cases.iter().filter(|case| case.status == Status::Passed).map(|case| case.id.clone()).collect();
    assert!(passed.len() > 5);
    assert_eq!(xml.cases.len(), ids.len());
    // The ids of the text are found in the XML: only what did not pass is unmet.
    let exit = exit_of("junit-pytest.xml");
    let judged = judge(&xml, exit, &passed, &[]);
    assert_eq!((judged.verdict, judged.unmet), (Verdict::Passed, vec![]));
    let judged = judge(&xml, exit, &ids, &[]);
    let unmet = judge(&text, exit, &ids, &[]).unmet;
    assert_eq!(judged.unmet, unmet);
    assert!(unmet.iter().all(|(_, status)| status.is_some()));
}

#[test]
fn verdicts_with_lists() {
    let list = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let report = read("tap-c-first.txt");
    for (listed, exit, expected) in [
        (vec!["empty", "drain"], ExitKind::Code(1), Verdict::Passed),
        (vec!["empty", "full"], ExitKind::Code(1), Verdict::Failed),
        (vec!["empty", "absent"], ExitKind::Code(1), Verdict::Failed),
        (vec![], ExitKind::Code(1), Verdict::Failed),
        (vec!["empty"], ExitKind::Signal(11), Verdict::Crashed),
        (vec!["empty"], ExitKind::Timeout, Verdict::Timeout),
        (vec!["empty"], ExitKind::OutOfMemory, Verdict::OutOfMemory),
        (vec!["empty"], ExitKind::Excess, Verdict::Crashed),
        (vec!["empty"], ExitKind::Infrastructure, Verdict::InfraError),
        (vec!["empty"], ExitKind::NotRun, Verdict::NotRun),
    ] {
        let listed = list(&listed);
        assert_eq!(verdict(&report, exit, &listed, &[]), expected, "{listed:?} {exit}");
        assert_eq!(verdict(&report, exit, &[], &listed), expected, "{listed:?} {exit}");
    }
    let skipped = read("tap-c-last.txt");
    assert_eq!(verdict(&skipped, ExitKind::Code(0), &list(&["drain"]), &[]), Verdict::Failed);
    assert_eq!(verdict(&skipped, ExitKind::Code(0), &list(&["empty"]), &[]), Verdict::Passed);
    assert_eq!(verdict(&skipped, ExitKind::Code(3), &list(&["empty"]), &[]), Verdict::ReportMismatch);
    let good = read("unittest-3.11-good.txt");
    assert_eq!(verdict(&good, ExitKind::Code(1), &[], &[]), Verdict::ReportMismatch);
    let bad = read("unittest-3.11-verbose.txt");
    assert_eq!(verdict(&bad, ExitKind::Code(0), &[], &[]), Verdict::ReportMismatch);
    let empty = Parser::Unittest.parse(b"");
    assert_eq!(verdict(&empty, ExitKind::Code(127), &[], &[]), Verdict::NoTests);
    assert_eq!(verdict(&empty, ExitKind::Code(139), &[], &[]), Verdict::Crashed);
}

#[test]
fn an_exit_code_is_a_report() {
    let report = Parser::ExitCode.parse(b"ok 1 - whatever is printed\n");
    let listed = ["exit-code".to_owned()];
    for (code, expected) in [(0, Verdict::Passed), (1, Verdict::Failed), (139, Verdict::Failed)] {
        assert_eq!(verdict(&report, ExitKind::Code(code), &[], &[]), expected);
        assert_eq!(verdict(&report, ExitKind::Code(code), &listed, &[]), expected);
    }
    assert_eq!(verdict(&report, ExitKind::Signal(6), &[], &[]), Verdict::Crashed);
    assert_eq!(verdict(&report, ExitKind::Code(0), &["a".to_owned()], &[]), Verdict::Failed);
}

#[test]
fn streams_that_arrive_apart_do_not_mix() {
    let mut reader = Parser::Unittest.reader();
    reader.push_errors(b"test_a (m.C.test_a) ... ");
    reader.push(b"half a line of the test");
    assert_eq!(reader.cases(), []);
    reader.push_errors(b"ok\n");
    assert_eq!(reader.cases().len(), 1, "results are known while the tests run");
    reader.push_errors(format!("\n{}\nRan 1 test in 0.000s\n\nOK\n", "-".repeat(70)).as_bytes());
    let report = reader.finish();
    assert_eq!(verdict(&report, ExitKind::Code(0), &["m.C.test_a".to_owned()], &[]), Verdict::Passed);
}

#[test]
fn parsers_have_names() {
    for parser in Parser::ALL {
        assert_eq!(Parser::by_name(parser.name()), Some(parser));
        assert_eq!(serde_json::to_string(&parser).unwrap(), format!("\"{}\"", parser.name()));
    }
    for verdict in Verdict::ALL {
        assert_eq!(Verdict::parse(verdict.as_str()), Some(verdict));
        assert_eq!(serde_json::to_string(&verdict).unwrap(), format!("\"{verdict}\""));
    }
    let report = read("node.tap");
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<mendbench::report::Report>(&text).unwrap(), report);
    assert!(captured("node.tap").len() > 1000);
}
