//! `kill -9` while a repair loop runs, and `--resume`: the record is that of an unbroken run, no call with a stored answer
//! is made again, and what a lost call may have cost is booked as lost.
//!
//! The moment is decided by a seed: so many lines of the run's own events are read, then the process is killed.
#![allow(clippy::unwrap_used, clippy::explicit_write)]
#![cfg(unix)]

mod cli_rig;
mod sum_model;

use mendbench::repair::event::{RequestFault, What};
use mendbench::runner::compare;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::Ordering;
use sum_model::{home, newest, serve};

const REPAIR: [&str; 8] =
    ["repair", "tasks", "--model", "m", "--strategy", "iterative:4", "--json", "--fresh"];

fn rounds(count: u64, seed: u64) {
    let (port, requests) = serve();
    let home = home(port);
    let unbroken_run = home.run(&[&REPAIR[..], &["--workspace", "unbroken"]].concat());
    assert_eq!(unbroken_run.code, 0, "{}{}", unbroken_run.out, unbroken_run.err);
    let lines = unbroken_run.out.lines().count() as u64;
    let calls = requests.load(Ordering::SeqCst);
    assert_eq!(calls, 3);
    let unbroken = newest(&home, "unbroken").unwrap();
    let (mut state, mut resumed, mut lost_calls) = (seed | 1, 0, 0);
    for round in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let read = (state >> 33) % lines;
        let workspace = format!("w{round}");
        let mut child =
            home.spawn(&[&REPAIR[..], &["--workspace", &workspace]].concat(), Stdio::piped(), Stdio::null());
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..read {
            if output.next().is_none() {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Killed before the run was made: there is nothing to resume.
        let Some(record) = newest(&home, &workspace) else { continue };
        let stored = record.events(&record.trajectories[0]).unwrap();
        let of = |kind: &str| stored.iter().filter(|event| event.kind() == kind).count();
        let (answered, started) = (of("answer-finished"), of("request-started"));
        let lost = started - answered;
        assert!(lost <= 1);
        let before = requests.load(Ordering::SeqCst);
        let ran = home.run(&["repair", "--resume", "last", "--json", "--fresh", "--workspace", &workspace]);
        assert_eq!(ran.code, 0, "round {round}, after {read} lines: {}{}", ran.out, ran.err);
        let record = newest(&home, &workspace).unwrap();
        assert_eq!(compare(&unbroken, &record).unwrap(), [], "round {round}, after {read} lines");
        let made = requests.load(Ordering::SeqCst) - before;
        assert_eq!(made, calls - answered, "round {round}, after {read} lines: calls made after resuming");
        let faults = record.events(&record.trajectories[0]).unwrap().into_iter().filter_map(|event| {
            match event.what {
                What::AnswerFinished(data) if data.fault.is_some() => Some(data),
                _ => None,
            }
        });
        let faults: Vec<_> = faults.collect();
        assert_eq!(faults.len(), lost, "round {round}");
        for data in faults {
            assert_eq!(
                (data.fault, data.other.get("lost")),
                (Some(RequestFault::Aborted), Some(&true.into()))
            );
            assert!(data.usage.usd.unwrap() > 0.0);
        }
        resumed += 1;
        lost_calls += lost;
    }
    writeln!(std::io::stderr(), "{count} rounds, {resumed} resumed, {lost_calls} with a lost call").unwrap();
    assert!(resumed >= count / 2, "{resumed} of {count} were there to be resumed");
}

#[test]
fn ten_kills_at_random_moments() {
    rounds(10, 7);
}

#[test]
#[ignore = "soak: 100 rounds"]
fn soak() {
    rounds(100, 99);
}
