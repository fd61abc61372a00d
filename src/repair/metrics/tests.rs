//! Counts of known trajectories, what holds for any of them, and the numbers of a paper's own results.
#![allow(clippy::unwrap_used, clippy::explicit_write)]

use super::*;
use crate::repair::event::{Call, ContentHash, Exposure, Usage};
use crate::repair::machine::Request;
use crate::repair::outcome::ApplicationOutcome;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::path::PathBuf;

/// A turn of the first attempt with this verdict; `None`: an answer of which nothing could be used.
fn turn(number: u32, verdict: Option<Verdict>) -> Turn {
    let (extraction, application) = match verdict {
        Some(_) => (ExtractionOutcome::Found, Some(ApplicationOutcome::Exact)),
        None => (ExtractionOutcome::NoCode, None),
    };
    Turn {
        attempt: 1,
        turn: number,
        answer: Some(ContentHash::of("answer")),
        extraction: Some(extraction),
        application,
        code: verdict.map(|_| ContentHash::of("code")),
        verdict,
        requests: vec![request(Some(0.5))],
        ..Turn::default()
    }
}

fn request(usd: Option<f64>) -> Request {
    Request {
        call: Call::Repair,
        model: "m".to_owned(),
        answered: true,
        usage: Usage { input_tokens: Some(10), output_tokens: Some(4), usd, ..Usage::default() },
        estimated: false,
        lost: false,
        unsent: false,
    }
}

fn trajectory(verdicts: &[Option<Verdict>], stopped: Option<StopReason>) -> Trajectory {
    let turns = verdicts.iter().zip(1..).map(|(verdict, number)| turn(number, *verdict));
    let buggy = Turn { verdict: Some(Verdict::Failed), ..Turn::default() };
    Trajectory { turns: std::iter::once(buggy).chain(turns).collect(), stopped, ..Trajectory::default() }
}

const FAILED: Option<Verdict> = Some(Verdict::Failed);
const PASSED: Option<Verdict> = Some(Verdict::Passed);

#[test]
fn each_end_is_counted_once_and_where_it_belongs() {
    use StopReason::{Budget, Cancelled, Exhausted, Infrastructure, NoCode, NotFaulty, Passed, Repeat};
    let helped = Trajectory { intervened: true, ..trajectory(&[PASSED], Some(Passed)) };
    let left = Trajectory { intervened: true, ..trajectory(&[], None) };
    let all = [
        trajectory(&[PASSED], Some(Passed)),
        trajectory(&[FAILED, None, PASSED], Some(Passed)),
        trajectory(&[FAILED, FAILED, FAILED], Some(Exhausted)),
        trajectory(&[FAILED, FAILED], Some(Repeat)),
        trajectory(&[None], Some(NoCode)),
        trajectory(&[FAILED], Some(Budget)),
        trajectory(&[], Some(Cancelled)),
        trajectory(&[FAILED], Some(Infrastructure)),
        trajectory(&[], Some(NotFaulty)),
        trajectory(&[FAILED], None),
        helped,
        left,
    ];
    let tally: Tally = all.iter().collect();
    let rates = |hits| Rates { all: Rate { hits, n: 12 }, counted: Rate { hits, n: 5 } };
    assert_eq!(tally.repaired(), rates(2));
    assert_eq!(tally.failed(), rates(3));
    assert_eq!(
        [0, 1, 2, 3, 9].map(|k| tally.repaired_within(k)),
        [rates(0), rates(1), rates(1), rates(2), rates(2)]
    );
    for reason in StopReason::ALL {
        assert_eq!(tally.ended(reason), if reason == Passed { 2 } else { 1 }, "{reason}");
    }
    assert_eq!((tally.unfinished(), tally.intervened(), tally.intervened_repaired()), (1, 2, 1));
    assert_eq!(tally.intervened_unfinished(), 1, "a person stepped in, and it has no end");
    assert_eq!(tally.turns(), 14);
    assert_eq!(tally.extractions(), &Counts::from([("found", 12), ("no-code", 2)]));
    assert_eq!(tally.applications(), &Counts::from([("exact", 12)]));
    assert_eq!(tally.verdicts(), &Counts::from([("failed", 9), ("passed", 3)]));
    let spent = tally.spending();
    assert_eq!((spent.requests, spent.input_tokens, spent.output_tokens), (14, 140, 56));
    assert_eq!((spent.known_usd(), spent.estimated_usd(), spent.unpriced), (7.0, 0.0, 0));
}

#[test]
fn what_is_known_estimated_lost_and_unknown_stands_apart() {
    let mut spent = Spending::default();
    let lost = Request { answered: false, estimated: true, lost: true, ..request(Some(0.25)) };
    let silent = Request { usage: Usage::default(), call: Call::Helper, ..request(None) };
    let strange = Request { call: Call::Preliminary(1), ..request(Some(f64::NAN)) };
    for request in [request(Some(0.000_001_5)), lost, silent, strange, request(Some(-1.0))] {
        spent.add(&request);
    }
    assert_eq!((spent.known_usd(), spent.estimated_usd()), (0.000_001_5, 0.25));
    assert_eq!((spent.unpriced, spent.uncounted, spent.lost, spent.answered), (2, 2, 1, 4));
    assert_eq!((spent.helper, spent.preliminary, spent.requests), (1, 1, 5));
}

#[test]
fn what_was_never_sent_is_no_call() {
    let mut spent = Spending::default();
    let unsent = Request { answered: false, unsent: true, usage: Usage::default(), ..request(None) };
    spent.add(&unsent);
    assert_eq!((spent.unsent, spent.requests, spent.unpriced, spent.uncounted), (1, 0, 0, 0));
    spent.add(&request(None));
    assert_eq!((spent.requests, spent.unpriced, spent.unsent), (1, 1, 1));
    assert_eq!(serde_json::to_value(spent).unwrap()["unsent"], 1);
}

#[test]
fn the_turn_that_repairs_is_counted_over_all_attempts() {
    let mut two = trajectory(&[FAILED, FAILED], Some(StopReason::Passed));
    two.turns.push(Turn { attempt: 2, ..turn(1, PASSED) });
    two.turns[1].exposure.insert(Exposure::ReferenceText);
    let tally: Tally = [two].iter().collect();
    assert_eq!((tally.repaired_within(2).all.hits, tally.repaired_within(3).all.hits), (0, 1));
    assert_eq!(tally.saw_reference(), 1);
}

#[test]
fn intervals_are_those_of_the_formula() {
    // Newcombe 1998, table I, method 3 (the score interval without a correction).
    for (hits, n, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let (found_low, found_high) = Rate { hits, n }.wilson().unwrap();
        assert!((found_low - low).abs() < 5e-5 && (found_high - high).abs() < 5e-5, "{hits} of {n}");
    }
    assert_eq!(Rate::default().wilson(), None);
    assert_eq!(Rate::default().share(), None);
    assert_eq!(Rate::default().to_string(), "0 of 0");
    assert_eq!(Rate { hits: 3, n: 4 }.to_string(), "3 of 4 (75 %, 30 to 95 %)");
    let json = serde_json::to_value(Rate { hits: 0, n: 0 }).unwrap();
    assert_eq!(json, serde_json::json!({"hits": 0, "n": 0, "share": null, "wilson_95": null}));
}

fn any_trajectory() -> impl Strategy<Value = Trajectory> {
    let verdict = prop_oneof![Just(None), Just(FAILED), Just(Some(Verdict::Timeout))];
    let stopped = prop::option::of(prop::sample::select(StopReason::ALL.to_vec()));
    (prop::collection::vec(verdict, 0..5), stopped, any::<bool>()).prop_map(|(verdicts, stopped, helped)| {
        let mut verdicts = verdicts;
        if stopped == Some(StopReason::Passed) {
            verdicts.push(PASSED);
        }
        Trajectory { intervened: helped, ..trajectory(&verdicts, stopped) }
    })
}

proptest! {
    #[test]
    fn counts_hold_together(all in prop::collection::vec(any_trajectory(), 0..12)) {
        let tally: Tally = all.iter().collect();
        let ended: u64 = StopReason::ALL.into_iter().map(|reason| tally.ended(reason)).sum();
        prop_assert_eq!(tally.all(), all.len() as u64);
        prop_assert_eq!(ended + tally.unfinished() + tally.intervened(), tally.all());
        prop_assert_eq!(tally.repaired().all.hits + tally.failed().all.hits, tally.counted());
        prop_assert!(tally.counted() <= tally.all());
        for k in 0..8 {
            let (one, next) = (tally.repaired_within(k), tally.repaired_within(k + 1));
            prop_assert!(one.all.hits <= next.all.hits && next.all.hits <= tally.repaired().all.hits);
        }
        prop_assert_eq!(tally.repaired_within(u32::MAX), tally.repaired());
        let taken: u32 = all.iter().map(Trajectory::turns_taken).sum();
        prop_assert_eq!(tally.turns(), u64::from(taken));
        prop_assert_eq!(tally.extractions().values().sum::<u64>(), tally.turns());
        let reversed: Tally = all.iter().rev().collect();
        prop_assert_eq!(reversed, tally);
    }

    #[test]
    fn intervals_hold_the_share_and_stay_inside(n in 1_u64..100_000, part in 0.0..=1.0_f64) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let hits = (n as f64 * part) as u64;
        let rate = Rate { hits, n };
        let (low, high) = rate.wilson().unwrap();
        let share = rate.share().unwrap();
        prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0, "{low} {share} {high}");
        let more = Rate { hits: hits * 4, n: n * 4 }.wilson().unwrap();
        prop_assert!(more.1 - more.0 <= high - low);
    }
}

/// The results of FeedbackEval's own runs, read as trajectories, have the paper's repair@k.
#[test]
fn repair_at_k_of_feedbackeval_is_that_of_the_paper() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/feedbackeval"));
    let Ok(expected) = std::fs::read_to_string(folder.join("expected_repair_at_k.json")) else {
        // The test runner swallows `eprintln!` of tests that pass.
        writeln!(std::io::stderr(), "skipped: {} is not there", folder.display()).unwrap();
        return;
    };
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let mut compared = 0;
    for (name, wanted) in expected["shared"].as_object().unwrap() {
        let parts: Vec<&str> = name.split('/').collect();
        let multi = folder.join("results").join(parts[0]).join(parts[1]).join("multi");
        let ending = format!("_multi_round_{}_feedback.jsonl.gz", parts[2]);
        let files: Vec<PathBuf> =
            std::fs::read_dir(multi).unwrap().map(|entry| entry.unwrap().path()).collect();
        let file = files.iter().find(|file| file.to_string_lossy().ends_with(&ending)).unwrap();
        let mut text = String::new();
        let packed = std::fs::File::open(file).unwrap();
        flate2::read::MultiGzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let (mut all, mut whole) = (Tally::new(), Tally::new());
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            for result in row["repair_results"].as_array().unwrap() {
                let history = result["repair_history"].as_array().unwrap();
                let found = trajectory_of(history);
                all.add(&found);
                // The paper leaves out candidates of which some round holds no code.
                if !history.iter().any(is_empty) {
                    whole.add(&found);
                }
            }
        }
        assert_eq!(all.all(), wanted["candidates"], "{name}");
        for k in 1..=3 {
            let rate = whole.repaired_within(k).all;
            let paper = &wanted[format!("repair@{k}")];
            assert_eq!(
                (rate.hits, rate.n),
                (paper[0].as_u64().unwrap(), paper[1].as_u64().unwrap()),
                "{name}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 30, "{compared}");
}

/// Whether a round holds no code.
fn is_empty(round: &serde_json::Value) -> bool {
    round["generate_code"].as_str().is_none_or(|code| code.trim().is_empty())
}

fn trajectory_of(history: &[serde_json::Value]) -> Trajectory {
    let verdicts: Vec<Option<Verdict>> = history
        .iter()
        .filter(|round| round["round"] != 0)
        .map(|round| match (is_empty(round), round["isTrue"] == true) {
            (true, _) => None,
            (false, true) => PASSED,
            (false, false) => FAILED,
        })
        .collect();
    let passed = verdicts.contains(&PASSED);
    trajectory(&verdicts, Some(if passed { StopReason::Passed } else { StopReason::Exhausted }))
}
