//! The fold: states in words, turns, flips, whose a failure is; and over any order of events.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::repair::cell::FeedbackSource;
use crate::repair::event::*;
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::report::Status;
use crate::task::FeedbackKind;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::{Just, any, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as _;
use uuid::Uuid;

fn start() -> Timestamp {
    "2026-05-01T10:00:00Z".parse().unwrap()
}

fn at(ms: i64) -> Timestamp {
    start().checked_add(SignedDuration::from_millis(ms)).unwrap()
}

fn other() -> Unknown {
    Unknown::new()
}

fn prompt(call: Call) -> What {
    let (prompt, exposure) = (ContentHash::of("prompt"), Exposures::from([Exposure::TestOutput]));
    What::PromptBuilt(PromptBuilt { call, prompt, exposure, tokens: 120, other: other() })
}

fn started(call: Call) -> What {
    What::RequestStarted(RequestStarted { call, request: "r".into(), model: "m".into(), other: other() })
}

fn delta(channel: Channel, text: &str) -> What {
    What::AnswerDelta(AnswerDelta { call: Call::Repair, channel, text: text.into(), other: other() })
}

fn finished(call: Call, fault: Option<RequestFault>) -> What {
    let answer = fault.is_none().then(|| ContentHash::of("answer"));
    let usage = Usage {
        input_tokens: Some(120),
        output_tokens: Some(40),
        usd: Some(0.25),
        first_token_ms: Some(200),
        total_ms: Some(1_200),
        ..Usage::default()
    };
    What::AnswerFinished(AnswerFinished {
        call,
        request: "r".into(),
        answer,
        reasoning: None,
        finish: FinishReason::Stop,
        fault,
        detail: String::new(),
        usage,
        frames: None,
        other: other(),
    })
}

fn extracted(outcome: ExtractionOutcome, usable: bool) -> What {
    let (flags, extraction) = (Default::default(), None);
    What::Extracted(Extracted { outcome, usable, flags, extraction, other: other() })
}

fn applied(outcome: ApplicationOutcome) -> What {
    let code = (outcome != ApplicationOutcome::Rejected).then(|| ContentHash::of("code"));
    What::Applied(Applied { outcome, code, flags: Default::default(), why: String::new(), other: other() })
}

fn test(id: &str, status: Status, done: u64) -> What {
    What::TestFinished(TestFinished { id: id.into(), status, done, planned: Some(3), other: other() })
}

fn verified(verdict: Verdict) -> What {
    What::Verified(Verified {
        verdict,
        code: None,
        why: String::new(),
        passed: 2,
        executed: 3,
        scores: Default::default(),
        report: Some(ContentHash::of("report")),
        remembered: false,
        total_ms: 10,
        frames: None,
        other: other(),
    })
}

fn told() -> What {
    let (kind, source, text) = (FeedbackKind::Test, FeedbackSource::Fresh, ContentHash::of("told"));
    What::FeedbackMade(FeedbackMade { kind, source, text, exposure: Exposures::new(), other: other() })
}

fn waiting(what: &str, until: Option<Timestamp>) -> What {
    What::Waiting(Waiting { what: what.into(), until, other: other() })
}

fn intervened(action: Intervention) -> What {
    What::Intervened(Intervened {
        action,
        content: Some(ContentHash::of("mine")),
        model: Some("other".into()),
        by: None,
        saw_reference: false,
        other: other(),
    })
}

fn stopped(reason: StopReason) -> What {
    What::Stopped(Stopped { reason, detail: String::new(), other: other() })
}

fn event(seq: u64, (attempt, turn): (u32, u32), what: What) -> RunEvent {
    RunEvent {
        v: VERSION,
        run: Uuid::from_u128(1),
        trajectory: Uuid::from_u128(2),
        attempt,
        turn,
        seq,
        at: at(seq as i64 * 100),
        what,
        other: other(),
    }
}

/// Hears these one after the other.
fn told_of(events: Vec<((u32, u32), What)>) -> Live {
    let mut live = Live::new();
    for (seq, (position, what)) in (1..).zip(events) {
        live.hear(&event(seq, position, what));
    }
    live
}

#[test]
fn every_step_has_its_words() {
    use Status::{Failed, Passed};
    let mut live = Live::new();
    assert_eq!(live.words(start()), "queued");
    let (buggy, one) = ((0, 0), (1, 1));
    let steps = [
        (buggy, waiting("a free sandbox", None), "waiting for a free sandbox"),
        (buggy, waiting("preparing", None), "preparing"),
        (buggy, waiting("testing", None), "testing"),
        (buggy, test("empty", Passed, 1), "testing 1/3"),
        (buggy, test("wrap", Failed, 2), "testing 2/3"),
        (buggy, test("fill", Failed, 3), "testing 3/3"),
        (buggy, verified(Verdict::Failed), "feedback"),
        (buggy, told(), "prompting"),
        (one, prompt(Call::Repair), "connecting"),
        (one, waiting("the key's rate limit", Some(at(39_000))), "waiting for the key's rate limit (39 s)"),
        (one, started(Call::Repair), "connecting"),
        (one, delta(Channel::Reasoning, "hm"), "thinking"),
        (one, delta(Channel::Answer, "The check"), "streaming"),
        (one, delta(Channel::Answer, " runs early."), "streaming"),
        (one, waiting("a person", None), "paused"),
        (one, finished(Call::Repair, None), "extracting"),
        (one, extracted(ExtractionOutcome::Found, true), "applying"),
        (one, applied(ApplicationOutcome::Exact), "preparing"),
        (
            one,
            What::BuildOutput(BuildOutput { channel: Channel::Output, text: "cc\n".into(), other: other() }),
            "building",
        ),
        (one, test("empty", Failed, 1), "testing 1/3"),
        (one, test("wrap", Passed, 2), "testing 2/3"),
        (one, verified(Verdict::Failed), "feedback"),
        (one, stopped(StopReason::Exhausted), "done"),
    ];
    for (seq, (position, what, words)) in (1..).zip(steps) {
        live.hear(&event(seq, position, what));
        assert_eq!(live.words(at(100)), words, "event {seq}");
    }
    let turn = &live.turns()[1];
    assert_eq!(turn.passing.answer.text(), "The check runs early.");
    assert_eq!(turn.passing.reasoning.text(), "hm");
    assert_eq!(turn.passing.output.text(), "cc\n");
    assert_eq!((turn.facts.outcome().as_deref(), turn.counts()), (Some("exact"), Some((2, 3))));
    assert_eq!((live.rate(1), live.first_token_ms(1)), (Some(40.0), Some(200)));
    let flips = live.flips(1);
    assert_eq!((flips.repaired, flips.broken), (vec!["wrap".to_owned()], vec!["empty".to_owned()]));
    let spent = live.spent();
    assert_eq!((spent.requests, spent.input, spent.output, spent.usd), (1, 120, 40, 0.25));
    assert_eq!((live.began(), live.last()), (Some(at(100)), Some(at(2_300))));
}

#[test]
fn waits_end_by_themselves_and_pauses_by_a_key() {
    let mut live = told_of(vec![((0, 0), waiting("the key's rate limit", Some(at(2_000))))]);
    assert_eq!(live.words(at(1_500)), "waiting for the key's rate limit (1 s)");
    assert_eq!(live.words(at(2_000)), "queued");
    live.hear(&event(2, (0, 0), waiting(Awaited::Person.as_str(), None)));
    assert!(live.is_paused());
    live.went_on();
    assert_eq!(live.words(at(2_000)), "queued");
    let why = "waiting because the server asked to";
    live.hear(&event(3, (0, 0), waiting(why, None)));
    assert_eq!(live.words(at(2_000)), why);
}

#[test]
fn a_failed_try_leaves_no_text_and_is_the_infrastructures() {
    let one = (1, 1);
    let events = vec![
        (one, prompt(Call::Repair)),
        (one, started(Call::Repair)),
        (one, delta(Channel::Answer, "half")),
        (one, finished(Call::Repair, Some(RequestFault::IncompleteStream))),
    ];
    let mut live = told_of(events);
    assert_eq!(live.words(start()), "waiting for another try");
    assert_eq!(live.blame(0), None, "it is under way");
    live.hear(&event(5, one, started(Call::Repair)));
    assert!(live.turns()[0].passing.answer.is_empty());
    live.hear(&event(6, one, finished(Call::Repair, Some(RequestFault::Server))));
    live.hear(&event(7, one, stopped(StopReason::Infrastructure)));
    let blame = live.blame(0).unwrap();
    assert_eq!((blame.whose, blame.words.as_str()), (Whose::Infrastructure, "no answer came, server"));
    assert_eq!(live.turns()[0].facts.faults.len(), 2);
}

#[test]
fn whose_a_failure_is() {
    let of = |turn: u32, events: Vec<What>| {
        let position = (turn.min(1), turn);
        let live = told_of(events.into_iter().map(|what| (position, what)).collect());
        let blame = live.blame(0).unwrap();
        format!("{}: {}", blame.whose.as_str(), blame.words)
    };
    for verdict in Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Passed) {
        let words = of(1, vec![applied(ApplicationOutcome::Exact), verified(verdict)]);
        let expected = match verdict {
            Verdict::InfraError | Verdict::NotRun => "harness: ",
            Verdict::ReportMismatch => "neither: ",
            _ => "model: ",
        };
        assert!(words.starts_with(expected), "{verdict}: {words}");
    }
    for outcome in ExtractionOutcome::ALL {
        assert!(of(1, vec![extracted(outcome, false)]).starts_with("model: "), "{outcome}");
    }
    for (turn, events, expected) in [
        (
            0,
            vec![verified(Verdict::Failed)],
            "neither: the buggy version fails as it should, 2 of 3 tests passed",
        ),
        (
            0,
            vec![verified(Verdict::Passed)],
            "task: the buggy version passes, 2 of 3 tests passed: there is nothing to repair",
        ),
        (
            1,
            vec![applied(ApplicationOutcome::Rejected)],
            "model: its change could not be applied: it fits nowhere in the tree",
        ),
        (
            1,
            vec![applied(ApplicationOutcome::SyntaxError), verified(Verdict::BuildError)],
            "model: the code has syntax errors and does not build",
        ),
        (
            1,
            vec![applied(ApplicationOutcome::NoOp), verified(Verdict::Failed)],
            "model: the code is as before, 2 of 3 tests passed",
        ),
        (
            1,
            vec![intervened(Intervention::EditedCode), verified(Verdict::Failed)],
            "you: the code runs and is wrong, 2 of 3 tests passed",
        ),
        (1, vec![prompt(Call::Repair), stopped(StopReason::Cancelled)], "you: you cancelled it"),
        (1, vec![prompt(Call::Repair), stopped(StopReason::Budget)], "neither: the budget is spent"),
        (
            1,
            vec![applied(ApplicationOutcome::Exact), stopped(StopReason::Infrastructure)],
            "harness: it failed, and nothing is known about the code",
        ),
    ] {
        assert_eq!(of(turn, events), expected);
    }
}

#[test]
fn texts_are_bounded_and_what_is_left_out_is_counted() {
    let piece = "é".repeat(100_000);
    let mut events = vec![((1, 1), started(Call::Repair))];
    events.extend((0..4).map(|_| ((1, 1), delta(Channel::Answer, &piece))));
    let live = told_of(events);
    let answer = &live.turns()[0].passing.answer;
    assert!(answer.text().len() <= MOST_TEXT);
    assert_eq!(answer.text().len() + answer.left_out(), 4 * piece.len());
}

#[test]
fn a_report_takes_the_place_of_what_was_heard() {
    let mut live = told_of(vec![((0, 0), test("a", Status::Failed, 1)), ((0, 0), verified(Verdict::Failed))]);
    let turn = live.turn_mut(0).unwrap();
    turn.passing.set_tests([("b", Status::Passed), ("a", Status::Errored), ("b", Status::Failed)]);
    let seen: Vec<_> = turn.passing.tests.iter().map(|test| (test.id.as_str(), test.status)).collect();
    assert_eq!(seen, [("b", Status::Failed), ("a", Status::Errored)]);
}

fn whats() -> impl proptest::strategy::Strategy<Value = What> {
    let call = || prop_oneof![Just(Call::Repair), Just(Call::Helper), Just(Call::Preliminary(1))];
    let fault = (0..RequestFault::ALL.len()).prop_map(|at| RequestFault::ALL[at]);
    let fault = proptest::option::of(fault);
    prop_oneof![
        call().prop_map(prompt),
        call().prop_map(started),
        (call(), fault).prop_map(|(call, fault)| finished(call, fault)),
        ((0..8_usize), any::<bool>()).prop_map(|(at, usable)| extracted(ExtractionOutcome::ALL[at], usable)),
        (0..3_usize).prop_map(|at| applied(
            [ApplicationOutcome::Exact, ApplicationOutcome::NoOp, ApplicationOutcome::Rejected][at]
        )),
        (0..Verdict::ALL.len()).prop_map(|at| verified(Verdict::ALL[at])),
        Just(told()),
        (0..4_usize).prop_map(|at| intervened(Intervention::ALL[at])),
        (any::<bool>(), "[a-c`é\n]{0,4}").prop_map(|(answer, text)| {
            delta(if answer { Channel::Answer } else { Channel::Reasoning }, &text)
        }),
        ("[ab]", 0..5_u64).prop_map(|(id, done)| test(&id, Status::Failed, done)),
        (0..9_000_i64).prop_map(|ms| waiting("x", Some(at(ms)))),
        Just(waiting(Awaited::Person.as_str(), None)),
        (0..4_usize).prop_map(|at| stopped(StopReason::ALL[at])),
        Just(What::Unknown { kind: "later".into(), data: Value::Null }),
    ]
}

proptest! {
    #[test]
    fn any_order_is_taken_and_transient_events_change_no_fact(
        steps in proptest::collection::vec(((0..3_u32, 0..4_u32), whats(), any::<bool>()), 0..60),
    ) {
        let mut seq = 0;
        let mut events = Vec::new();
        for (position, what, again) in steps {
            seq += u64::from(!again);
            events.push(event(seq, position, what));
        }
        let mut live = Live::new();
        for heard in &events {
            live.hear(heard);
            for index in 0..live.turns().len() + 1 {
                let _ = (live.blame(index), live.flips(index), live.rate(index), live.first_token_ms(index));
            }
            let _ = (live.words(start()), live.spent(), live.is_paused());
        }
        // A number that came twice is a question of which came first, not of what is transient.
        events.dedup_by_key(|event| event.seq);
        let all = Live::of(&events);
        let durable = Live::of(events.iter().filter(|event| event.is_durable()));
        let facts = |live: &Live| -> Vec<Facts> {
            live.turns().iter().map(|turn| turn.facts.clone()).filter(|facts| {
                *facts != Facts { attempt: facts.attempt, turn: facts.turn, ..Facts::default() }
            }).collect()
        };
        prop_assert_eq!(facts(&all), facts(&durable));
        prop_assert_eq!(all.stopped(), durable.stopped());
        prop_assert_eq!(all.spent(), durable.spent());
        prop_assert_eq!(all.intervened(), durable.intervened());
    }
}
