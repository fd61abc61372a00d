//! Events: written and read back, newer versions included.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::repair::cell::FeedbackSource;
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome, Flag, Score};
use crate::report::{Status, Verdict};
use crate::task::FeedbackKind;
use proptest::prelude::*;
use serde_json::json;

fn event(what: What) -> RunEvent {
    RunEvent {
        v: VERSION,
        run: Uuid::from_u128(1),
        trajectory: Uuid::from_u128(2),
        attempt: 1,
        turn: 2,
        seq: 7,
        at: "2026-05-01T10:00:00.25Z".parse().unwrap(),
        what,
        other: Unknown::new(),
    }
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text)
}

fn all() -> Vec<What> {
    vec![
        What::PromptBuilt(PromptBuilt {
            call: Call::Preliminary(1),
            prompt: hash("p"),
            exposure: [Exposure::TestOutput].into(),
            tokens: 812,
            other: Unknown::new(),
        }),
        What::RequestStarted(RequestStarted {
            call: Call::Repair,
            request: "r1".to_owned(),
            model: "m".to_owned(),
            other: Unknown::new(),
        }),
        What::AnswerFinished(AnswerFinished {
            call: Call::Helper,
            request: "r1".to_owned(),
            answer: Some(hash("a")),
            reasoning: None,
            finish: FinishReason::Length,
            fault: None,
            detail: String::new(),
            usage: Usage {
                input_tokens: Some(91),
                output_tokens: Some(40),
                usd: Some(0.25),
                ..Usage::default()
            },
            frames: Some(hash("f")),
            other: Unknown::new(),
        }),
        What::AnswerFinished(AnswerFinished {
            call: Call::Repair,
            request: "r2".to_owned(),
            answer: None,
            reasoning: None,
            finish: FinishReason::Unknown,
            fault: Some(RequestFault::IncompleteStream),
            detail: "no [DONE]\u{1b}".to_owned(),
            usage: Usage::default(),
            frames: None,
            other: Unknown::new(),
        }),
        What::Extracted(Extracted {
            outcome: ExtractionOutcome::Found,
            usable: true,
            flags: [Flag::FromReasoning].into(),
            extraction: Some(hash("e")),
            other: Unknown::new(),
        }),
        What::Applied(Applied {
            outcome: ApplicationOutcome::Fuzzy(Score::new(0.9)),
            code: Some(hash("c")),
            flags: [Flag::TouchedProtected].into(),
            why: String::new(),
            other: Unknown::new(),
        }),
        What::Verified(Verified {
            verdict: Verdict::OutOfMemory,
            code: Some(hash("c")),
            why: "memory ran out".to_owned(),
            passed: 4,
            executed: 6,
            scores: [
                ("exact-match".to_owned(), MetricValue::Defined(0.5)),
                ("bleu".to_owned(), MetricValue::Undefined("no words".to_owned())),
            ]
            .into(),
            report: Some(hash("v")),
            remembered: true,
            total_ms: 1_200,
            frames: None,
            other: Unknown::new(),
        }),
        What::FeedbackMade(FeedbackMade {
            kind: FeedbackKind::LlmExpert,
            source: FeedbackSource::Stored,
            text: hash("t"),
            exposure: [Exposure::ReferenceText].into(),
            other: Unknown::new(),
        }),
        What::Intervened(Intervened {
            action: Intervention::SwitchedModel,
            content: None,
            model: Some("n".to_owned()),
            by: Some("ana".to_owned()),
            saw_reference: true,
            other: Unknown::new(),
        }),
        What::Stopped(Stopped {
            reason: StopReason::Exhausted,
            detail: String::new(),
            other: Unknown::new(),
        }),
        What::AnswerDelta(AnswerDelta {
            call: Call::Repair,
            channel: Channel::Reasoning,
            text: "é\u{202e}\n".to_owned(),
            other: Unknown::new(),
        }),
        What::BuildOutput(BuildOutput {
            channel: Channel::Errors,
            text: "a.c:1: error".to_owned(),
            other: Unknown::new(),
        }),
        What::TestFinished(TestFinished {
            id: "wrap".to_owned(),
            status: Status::UnexpectedPass,
            done: 3,
            planned: Some(9),
            other: Unknown::new(),
        }),
        What::Waiting(Waiting {
            what: "the key's rate limit".to_owned(),
            until: Some("2026-05-01T10:00:38Z".parse().unwrap()),
            other: Unknown::new(),
        }),
    ]
}

#[test]
fn every_kind_is_written_and_read_back() {
    for what in all() {
        let one = event(what);
        let json = serde_json::to_value(&one).unwrap();
        assert_eq!(json["kind"], one.kind());
        assert_eq!(serde_json::from_value::<RunEvent>(json).unwrap(), one, "{one}");
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<RunEvent>(&text).unwrap(), one, "{one}");
    }
}

#[test]
fn the_shape_is_fixed() {
    let lines: Vec<String> =
        all().into_iter().map(|what| serde_json::to_string(&event(what)).unwrap()).collect();
    insta::with_settings!({ snapshot_path => "../../../tests/snapshots/repair", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("events", lines.join("\n"));
    });
}

#[test]
fn durable_kinds_are_those_of_the_design() {
    let durable: Vec<String> =
        all().iter().filter(|what| what.is_durable()).map(|what| what.kind().to_owned()).collect();
    let mut kinds = durable;
    kinds.dedup();
    assert_eq!(
        kinds,
        [
            "prompt-built",
            "request-started",
            "answer-finished",
            "extracted",
            "applied",
            "verified",
            "feedback-made",
            "intervened",
            "stopped"
        ]
    );
}

#[test]
fn what_a_newer_version_adds_is_kept() {
    for what in all() {
        let mut json = serde_json::to_value(event(what)).unwrap();
        json["shard"] = json!(3);
        json["data"]["new_field"] = json!({ "deep": [1, null] });
        let read: RunEvent = serde_json::from_value(json.clone()).unwrap();
        assert!(!matches!(read.what, What::Unknown { .. }));
        assert_eq!(serde_json::to_value(&read).unwrap(), json);
    }
    let mut strange = serde_json::to_value(event(all().remove(0))).unwrap();
    strange["kind"] = json!("paused");
    strange["data"] = json!("until tomorrow");
    let read: RunEvent = serde_json::from_value(strange.clone()).unwrap();
    assert_eq!(read.kind(), "paused");
    assert!(read.is_durable());
    assert_eq!(serde_json::to_value(&read).unwrap(), strange);
}

#[test]
fn data_that_do_not_fit_are_an_error_unless_they_are_newer() {
    let mut json = serde_json::to_value(event(all().remove(0))).unwrap();
    json["data"] = json!({ "call": "repair" });
    let error = serde_json::from_value::<RunEvent>(json.clone()).unwrap_err().to_string();
    assert!(error.contains("`prompt-built`") && error.contains("`prompt`"), "{error}");
    json["v"] = json!(VERSION + 1);
    let read: RunEvent = serde_json::from_value(json.clone()).unwrap();
    assert!(matches!(&read.what, What::Unknown { kind, .. } if kind == "prompt-built"));
    assert_eq!(serde_json::to_value(&read).unwrap(), json);
    for (key, value) in
        [("prompt", json!("ABC")), ("call", json!("preliminary:0")), ("exposure", json!(["everything"]))]
    {
        let mut json = serde_json::to_value(event(all().remove(0))).unwrap();
        json["data"][key] = value;
        assert!(serde_json::from_value::<RunEvent>(json).is_err(), "{key}");
    }
}

#[test]
fn old_events_without_newer_fields_are_read() {
    let data = json!({ "verdict": "failed" });
    let What::Verified(verified) = What::read(1, "verified", data).unwrap() else { panic!("verified") };
    assert_eq!((verified.passed, verified.executed, verified.report), (0, 0, None));
    assert!(saw_reference(&[Exposure::ReferenceText].into()));
    assert!(!saw_reference(&[Exposure::HumanSawReference, Exposure::ReferenceLocation].into()));
}

proptest! {
    #[test]
    fn no_json_panics(kind in "prompt-built|verified|stopped|x", text in "\\PC{0,40}", number in any::<i64>()) {
        for data in [json!(null), json!(text), json!([number]), json!({ text.clone(): number, "verdict": text })] {
            let _ = What::read(1, &kind, data.clone());
            prop_assert!(What::read(99, &kind, data).is_ok());
        }
    }
}
