//! Size, hostile bytes and chunks.

use crate::{all, captured, read, shown};
use mendbench::report::{ExitKind, LONGEST_ID, LONGEST_MESSAGE, MOST_CASES, Parser, Verdict, verdict};
use proptest::prelude::*;
use std::fmt::Write;

#[test]
fn chunks_do_not_matter_for_captured_reports() {
    for (name, parser) in all() {
        let whole = read(&name);
        let bytes = captured(&name);
        for size in [1, 7, 4096] {
            let mut reader = parser.reader();
            bytes.chunks(size).for_each(|chunk| reader.push(chunk));
            assert_eq!(reader.finish(), whole, "{name} in chunks of {size}");
        }
        let crlf = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
        if parser != Parser::Junit {
            assert_eq!(shown(&parser.parse(crlf.as_bytes())), shown(&whole), "{name} with CR LF");
        }
    }
}

#[test]
fn a_hundred_thousand_tests() {
    let count = 100_000;
    let mut unittest = String::new();
    let mut pytest = format!("collected {count} items\n");
    let mut tap = format!("1..{count}\n");
    let mut cargo = format!("running {count} tests\n");
    let mut junit = format!("<testsuites><testsuite tests=\"{count}\" failures=\"0\">");
    for n in 1..=count {
        writeln!(unittest, "test_{n} (m.C.test_{n}) ... ok").unwrap();
        writeln!(pytest, "a/test_m.py::C::test_{n} PASSED [ 50%]").unwrap();
        writeln!(tap, "ok {n} - case {n}").unwrap();
        writeln!(cargo, "test tests::case_{n} ... ok").unwrap();
        write!(junit, "<testcase classname=\"m.C\" name=\"test_{n}\" time=\"0.1\"/>").unwrap();
    }
    write!(unittest, "\n{}\nRan {count} tests in 1.000s\n\nOK\n", "-".repeat(70)).unwrap();
    writeln!(pytest, "=== {count} passed in 9.00s (0:00:09) ===").unwrap();
    writeln!(
        cargo,
        "\ntest result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.00s"
    )
    .unwrap();
    junit.push_str("</testsuite></testsuites>");
    for (parser, text) in [
        (Parser::Unittest, unittest),
        (Parser::Pytest, pytest),
        (Parser::Tap, tap),
        (Parser::CargoTest, cargo),
        (Parser::Junit, junit),
    ] {
        let report = parser.parse(text.as_bytes());
        assert_eq!(report.cases.len(), count, "{parser}");
        assert_eq!(verdict(&report, ExitKind::Code(0), &[], &[]), Verdict::Passed, "{parser}");
    }
}

#[test]
fn more_tests_than_are_held_do_not_pass() {
    let count = MOST_CASES + 10;
    let mut reader = Parser::Tap.reader();
    reader.push(format!("1..{count}\n").as_bytes());
    for n in 1..=count {
        reader.push(format!("ok {n} - case {n}\n").as_bytes());
    }
    let report = reader.finish();
    assert_eq!(report.cases.len(), MOST_CASES);
    assert!(!report.complete && report.notes[0].contains("were not kept"), "{:?}", report.notes);
}

#[test]
fn long_lines_ids_and_messages_are_cut() {
    let long = "x".repeat(1 << 20);
    for parser in Parser::ALL {
        let mut reader = parser.reader();
        for start in ["1..2\n", "ok 1 - ", "test ", "running 2 tests\ntest ", "<testsuite><testcase name='"] {
            reader.push(start.as_bytes());
            (0..8).for_each(|_| reader.push(long.as_bytes()));
            reader.push(b" (m) ... ok\n");
        }
        for case in reader.finish().cases {
            assert!(case.id.chars().count() <= LONGEST_ID, "{parser}");
            assert!(
                case.message.is_none_or(|message| message.chars().count() <= LONGEST_MESSAGE),
                "{parser}"
            );
        }
    }
}

#[test]
fn hostile_xml() {
    let laughs = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]><testsuite><testcase name='&b;'/></testsuite>";
    let external = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><testsuite><testcase name='x'>&x;</testcase></testsuite>";
    for text in [laughs, &format!("<?xml version='1.0'?>{external}")] {
        let report = Parser::Junit.parse(text.as_bytes());
        assert!(!report.complete && report.cases.is_empty(), "{}", shown(&report));
        assert!(report.contradictions[0].contains("document type"));
    }
    // Without the declaration an entity is just unknown.
    let report = Parser::Junit.parse(
        b"<testsuite><testcase name='&x;'><failure>a &lt; &#98; &x; &#0;</failure></testcase></testsuite>",
    );
    assert_eq!(report.cases[0].id, "&x;");
    assert_eq!(report.cases[0].message.as_deref(), Some("a < b \u{fffd} \u{fffd}"));
    let deep = "<testsuite>".repeat(100_000);
    assert!(!Parser::Junit.parse(deep.as_bytes()).complete);
    let attributes: String = (0..200_000).fold("<testsuite ".to_owned(), |mut text, n| {
        write!(text, "a{n}='1' ").unwrap();
        text
    });
    let report = Parser::Junit.parse(format!("{attributes}><testcase name='a'/></testsuite>").as_bytes());
    assert_eq!(report.cases.len(), 1);
}

#[test]
fn fifty_megabytes_of_xml_and_no_more() {
    let mut reader = Parser::Junit.reader();
    reader.push(b"<testsuite><testcase name='a'><system-out>");
    let chunk = vec![b'x'; 1 << 20];
    (0..60).for_each(|_| reader.push(&chunk));
    reader.push(b"</system-out></testcase></testsuite>");
    let report = reader.finish();
    assert!(!report.complete);
    assert!(report.notes.iter().any(|note| note.contains("50 MiB")), "{:?}", report.notes);
}

/// Text made of the words that parsers look for.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "test_a (m.C.test_a)",
        " ... ",
        "ok",
        "FAIL",
        "ERROR",
        "\n",
        "\n",
        " ",
        "    ",
        "skipped 'x'",
        "======================================================================\n",
        "----------------------------------------------------------------------\n",
        "Ran 1 test in 0.1s\n",
        "OK",
        "FAILED (failures=1)",
        "a.py::t",
        " PASSED",
        " FAILED",
        "[ 50%]",
        "=== short test summary info ===\n",
        "1 passed in 0.1s",
        "E   boom",
        "1..2\n",
        "1..1\n",
        "ok 1",
        "not ok 2 - b",
        "# Subtest: s",
        "---\n",
        "...\n",
        "message: |",
        "Bail out!",
        "t/a.t .. ",
        "Result: PASS\n",
        "running 1 test\n",
        "test a ... ",
        "failures:\n",
        "---- a stdout ----\n",
        "test result: ok. 1 passed; 0 failed\n",
        "<testsuite>",
        "<testcase name='a'>",
        "</testcase>",
        "</testsuite>",
        "<failure/>",
        "&lt;",
        "<![CDATA[",
        "]]>",
        "é",
        "\r",
        "\u{1b}[1m",
        "SUBFAILED[x] a.py::t - b",
        "[",
        "]",
        "(",
        ")",
        "::",
        "\\#",
        "#",
        "'",
    ])
    .prop_map(|word| word.as_bytes().to_vec());
    let byte = any::<u8>().prop_map(|byte| vec![byte]);
    prop::collection::vec(prop_oneof![8 => word, 1 => byte], 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_in_any_chunks_give_one_report(bytes in words(), cuts in prop::collection::vec(1_usize..9, 1..9)) {
        for parser in Parser::ALL {
            let whole = parser.parse(&bytes);
            let (mut reader, mut rest, mut turn) = (parser.reader(), bytes.as_slice(), 0);
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(cuts[turn % cuts.len()].min(rest.len()));
                reader.push(chunk);
                rest = after;
                turn += 1;
            }
            prop_assert_eq!(reader.finish(), whole);
        }
    }

    #[test]
    fn nothing_that_failed_or_broke_off_passes(bytes in words()) {
        for parser in Parser::ALL.into_iter().filter(|parser| *parser != Parser::ExitCode) {
            let report = parser.parse(&bytes);
            let found = verdict(&report, ExitKind::Code(0), &[], &[]);
            if found == Verdict::Passed {
                prop_assert!(report.complete && report.executed() > 0 && report.contradictions.is_empty());
                prop_assert!(report.cases.iter().all(|case| !case.status.is_failure()));
            }
            prop_assert_ne!(verdict(&report, ExitKind::Code(1), &[], &[]), Verdict::Passed);
            prop_assert_ne!(verdict(&report, ExitKind::Code(0), &["absent".to_owned()], &[]), Verdict::Passed);
        }
    }
}
