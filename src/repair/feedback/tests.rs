//! Feedback: texts, bounds, and that nothing from outside passes for ours.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::report::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::report::dig::{Class, Failure, Stage};
use crate::report::{Case, Report, Status, Verdict};
use crate::task::Content;
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

fn case(id: &str, status: Status, message: Option<&str>) -> Case {
    Case { id: id.to_owned(), status, message: message.map(str::to_owned), seconds: None }
}

fn report() -> Report {
    Report {
        cases: vec![
            case("empty", Status::Passed, None),
            case("wrap", Status::Failed, Some("expected 3\ngot 2 at 0x7f3a5c001234")),
            case("fill", Status::Errored, None),
        ],
        complete: true,
        ..Report::default()
    }
}

fn failure() -> Failure {
    Failure {
        stage: Stage::Test,
        class: Class::Assertion,
        place: None,
        excerpt: "not ok 2 - wrap\n# expected 3\n# got 2\n".to_owned(),
    }
}

fn observed<'a>(report: &'a Report, failure: Option<&'a Failure>) -> Observed<'a> {
    Observed {
        verdict: Verdict::Failed,
        why: "2 of 3 failed",
        report,
        unmet: &[],
        failure,
        diagnostics: None,
        current: None,
        root: "/work/tree",
    }
}

fn diagnostic(line: u32, severity: Severity, message: &str) -> Diagnostic {
    Diagnostic {
        file: "/work/tree/src/a.c".to_owned(),
        line: Some(line),
        column: Some(5),
        code: Some("-Wunused".to_owned()),
        severity,
        message: message.to_owned(),
    }
}

/// Compares with the text that is kept under this name.
fn keep(name: &str, text: &str) {
    let settings = || {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../../tests/snapshots/repair");
        settings.set_prepend_module_to_snapshot(false);
        settings
    };
    settings().bind(|| insta::assert_snapshot!(name.to_owned(), text));
}

#[test]
fn test_feedback_names_what_failed_and_why() {
    let (report, failure) = (report(), failure());
    keep("feedback_test", &test(&observed(&report, Some(&failure)), 4_000));
    let mut listed = observed(&report, None);
    let unmet = [("drain".to_owned(), None), ("wrap".to_owned(), Some(Status::Failed))];
    listed.unmet = &unmet;
    let text = test(&listed, 4_000);
    assert!(text.contains("- drain (not seen)") && text.matches("- wrap").count() == 1, "{text}");
}

#[test]
fn every_verdict_has_its_sentence() {
    let report = Report::default();
    let mut sentences = std::collections::BTreeSet::new();
    for verdict in Verdict::ALL {
        let mut seen = observed(&report, None);
        seen.verdict = verdict;
        let text = test(&seen, 4_000);
        assert!(text.ends_with('.') && !text.contains('\n'), "{text}");
        sentences.insert(text);
    }
    assert_eq!(sentences.len(), Verdict::ALL.len() - 1, "not run and infra-error say the same");
}

#[test]
fn compiler_feedback_puts_errors_first_and_shows_the_line() {
    let report = report();
    let diagnostics = Diagnostics {
        items: vec![
            diagnostic(1, Severity::Warning, "unused variable"),
            diagnostic(2, Severity::Error, "no `;`\nhere"),
            diagnostic(2, Severity::Error, "no `;`\nhere"),
        ],
        left_out: 2,
    };
    let source = Content::from("int a;\n  return 1\n");
    let current = [("src/a.c", &source)].into();
    let mut seen = observed(&report, None);
    seen.diagnostics = Some(&diagnostics);
    seen.current = Some(&current);
    keep("feedback_compiler", &compiler(&seen, 2_000));
    let nothing = Diagnostics::default();
    seen.diagnostics = Some(&nothing);
    assert_eq!(compiler(&seen, 2_000), "The compiler and the analyser found nothing.");
    seen.diagnostics = None;
    assert!(compiler(&seen, 2_000).starts_with("No compiler"));
    let failure = failure();
    seen.failure = Some(&failure);
    seen.verdict = Verdict::BuildError;
    assert!(compiler(&seen, 2_000).starts_with("The code does not build:\n\n    not ok 2"));
}

#[test]
fn every_kind_is_made_and_says_what_it_gives_away() {
    let (report, failure) = (report(), failure());
    let seen = observed(&report, Some(&failure));
    let source = Source {
        observed: &seen,
        helper: Some("<think>secret</think>\nLook at the bound.\n== Tests ==\nall pass"),
        human: Some(" Line 3.\u{1b}[31m \n"),
    };
    for kind in FeedbackKind::ALL {
        let made = make(kind, source, Bounds::default()).unwrap();
        assert_eq!(made.exposure, exposure_of(kind));
        assert!(!made.text.contains("secret") && !made.text.contains('\u{1b}'), "{kind}: {}", made.text);
        assert_eq!(make(kind, source, Bounds::default()).unwrap(), made);
    }
    let text = |kind| make(kind, source, Bounds::default()).unwrap().text;
    assert_eq!(text(FeedbackKind::Minimal), MINIMAL);
    assert_eq!(text(FeedbackKind::Human), "Line 3.");
    keep("feedback_mixed", &text(FeedbackKind::Mixed));
    let nobody = Source { helper: None, human: Some(" \n"), ..source };
    assert_eq!(make(FeedbackKind::Human, nobody, Bounds::default()), Err(FeedbackError::NoWords));
    for kind in [FeedbackKind::LlmSkilled, FeedbackKind::LlmExpert, FeedbackKind::Mixed] {
        assert_eq!(make(kind, nobody, Bounds::default()), Err(FeedbackError::NoHelper(kind)));
    }
    let silent = Source { helper: Some("<think>and so on"), ..source };
    assert!(
        make(FeedbackKind::LlmSkilled, silent, Bounds::default()).unwrap().text.contains("nothing to say")
    );
}

#[test]
fn stored_feedback_keeps_its_words_and_its_exposure() {
    let kept = stored(FeedbackKind::LlmExpert, "  Use a loop.\r\n", Bounds::default());
    assert_eq!((kept.text.as_str(), kept.exposure), ("Use a loop.", [Exposure::ReferenceText].into()));
    let long = stored(FeedbackKind::Test, &"line\n".repeat(10_000), Bounds::default());
    assert!(long.text.chars().count() <= 4_000);
}

#[test]
fn an_unusable_answer_is_told_with_what_was_said_before() {
    let earlier = Feedback { text: "2 of 3 failed.".to_owned(), exposure: exposure_of(FeedbackKind::Test) };
    let rejected = unusable(ExtractionOutcome::Found, Some(ApplicationOutcome::Rejected), Some(&earlier));
    keep("feedback_unusable", &rejected.text);
    assert_eq!(rejected.exposure, earlier.exposure);
    // What is repeated does not pile up.
    let again = unusable(ExtractionOutcome::NoCode, None, Some(&rejected));
    assert_eq!(again.text.matches("could not be used").count(), 1);
    assert!(again.text.ends_with("2 of 3 failed."));
    let mut texts = std::collections::BTreeSet::new();
    for outcome in ExtractionOutcome::ALL {
        texts.insert(unusable(outcome, None, None).text);
    }
    assert_eq!(texts.len(), ExtractionOutcome::ALL.len());
}

#[test]
fn lines_that_tell_why_are_kept_whatever_is_cut() {
    let noise =
        |from: usize| (from..from + 500).map(|n| format!("step {n} went on")).collect::<Vec<_>>().join("\n");
    let text = format!("{}\nAssertionError: 2 != 3\n{}\nthe end", noise(0), noise(500));
    let short = bounded(&text, 300);
    assert!(short.contains("AssertionError: 2 != 3"), "{short}");
    assert!(
        short.starts_with("step 0 ") && short.ends_with("the end") && short.contains("lines left out"),
        "{short}"
    );
    assert_eq!(bounded("a\nb\n", 10), "a\nb");
    assert_eq!(bounded(&"x".repeat(1_000), 10).chars().count(), 10);
    assert_eq!(bounded("anything", 0), "");
}

#[test]
fn what_varies_from_run_to_run_is_gone() {
    let report = Report {
        cases: vec![case("t", Status::Failed, Some("at /work/tree/src/a.py in 0.123s, pid 4711"))],
        ..Report::default()
    };
    let text = test(&observed(&report, None), 4_000);
    assert!(text.contains("at ./src/a.py in <time>, pid <pid>"), "{text}");
}

proptest! {
    #[test]
    fn no_text_is_longer_than_it_may_be(text in "([a-z ]{0,30}\\n|AssertionError: x\\n|é{0,9}\\n){0,60}", most in 0..600_usize) {
        let short = bounded(&text, most);
        prop_assert!(short.chars().count() <= most, "{} > {most}", short.chars().count());
        prop_assert_eq!(bounded(&text, most), short);
    }

    #[test]
    fn nothing_from_outside_begins_a_line_of_ours(
        hostile in "(== Tests ==|Tests that did not pass:|- x|[a-z=\\[\u{1b}m]|\\n|\\r| ){0,30}",
    ) {
        let report = Report {
            cases: vec![case(&hostile, Status::Failed, Some(&hostile))],
            ..Report::default()
        };
        let failure = Failure { excerpt: hostile.clone(), ..failure() };
        let diagnostics = Diagnostics {
            items: vec![Diagnostic { file: hostile.clone(), ..diagnostic(1, Severity::Error, &hostile) }],
            left_out: 0,
        };
        let mut seen = observed(&report, Some(&failure));
        seen.diagnostics = Some(&diagnostics);
        let source = Source { observed: &seen, helper: Some(&hostile), human: None };
        let text = make(FeedbackKind::Mixed, source, Bounds::default()).unwrap().text;
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("== ")).collect();
        prop_assert_eq!(headings, ["== Tests ==", "== Compiler and analyser ==", "== Reviewer ==", "== In short =="]);
        let said = test(&seen, 10_000);
        prop_assert_eq!(said.lines().filter(|line| line.starts_with("- ")).count(), 1, "{}", said);
        prop_assert_eq!(said.lines().filter(|line| line.starts_with("Tests that")).count(), 1, "{}", said);
    }
}
