//! `kill -9` at any moment: what was acknowledged is there, and nothing is half done.
//!
//! The test runs itself as a child that writes without end and says each number that was acknowledged;
//! it reads some of these, kills the child at a moment that a seed decides, and looks at the database.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use mendbench::store::{
    Expected, NewEvent, OpenMode, Position, PreparedTask, SqliteStore, Store, Summary, TaskIndex,
};
use mendbench::task::Task;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const DATABASE: &str = "MENDBENCH_TEST_KILL_DATABASE";
const WORK: &str = "MENDBENCH_TEST_KILL_WORK";

fn acknowledge(what: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nack {what}").unwrap();
    out.flush().unwrap();
}

/// The child: does nothing when the tests are run without its variables.
#[test]
fn child() {
    let (Ok(database), Ok(work)) = (std::env::var(DATABASE), std::env::var(WORK)) else { return };
    let store = SqliteStore::open(Path::new(&database), OpenMode::CreateIfMissing).unwrap();
    match work.as_str() {
        "append" => loop {
            let before = store.append("s", Expected::Any, &[]).unwrap();
            let events = [before + 1, before + 2]
                .map(|number| NewEvent::new("note", Timestamp::UNIX_EPOCH, json!([number, "x".repeat(700)])));
            acknowledge(store.append("s", Expected::At(before), &events).unwrap());
        },
        "import" => loop {
            let from = store.count().unwrap();
            let tasks = (from..from + 40).map(|number| {
                let mut task = Task::new("", format!("t{number}"));
                task.description = format!("number {number}");
                PreparedTask { task, summary: Summary::default() }
            });
            store.import("d", &mut { tasks }).unwrap();
            acknowledge(store.count().unwrap());
        },
        other => panic!("{other}"),
    }
}

/// Runs the child until it has acknowledged `acks` times, then a little on, and kills it. Answers with
/// the last number that it acknowledged.
fn run_and_kill(database: &Path, work: &str, acks: usize, spin: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(DATABASE, database)
        .env(WORK, work)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = 0;
    let mut seen = 0;
    while seen < acks {
        let line = lines.next().expect("the child ended by itself").unwrap();
        if let Some(number) = line.strip_prefix("ack ") {
            last = number.parse().unwrap();
            seen += 1;
        }
    }
    // Some work of our own, so that the signal meets the child at different places of a transaction.
    let mut state = spin | 1;
    for _ in 0..spin % 400_000 {
        state = std::hint::black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it had said before it died counts too.
    for line in lines.map_while(Result::ok) {
        if let Some(number) = line.strip_prefix("ack ").and_then(|number| number.parse().ok()) {
            last = number;
        }
    }
    last
}

fn moments(seed: u64) -> impl Iterator<Item = (usize, u64)> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state % 7) as usize, state >> 8)
    })
}

#[test]
fn appends_survive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/w.db");
    let mut total = 0;
    for (acks, spin) in moments(0x5eed).take(12) {
        let acknowledged = run_and_kill(&path, "append", acks, spin);
        if !path.exists() {
            continue; // killed before it had made the file, and nothing was acknowledged
        }
        let store = SqliteStore::open(&path, OpenMode::ReadWrite).unwrap();
        let mut events = Vec::new();
        loop {
            let page = store.read("s", events.len() as u64 + 1, 1000).unwrap();
            if page.is_empty() {
                break;
            }
            events.extend(page);
        }
        total = events.len() as u64;
        assert!(total >= acknowledged, "{total} events, {acknowledged} acknowledged");
        assert_eq!(total % 2, 0, "both events of an append or none");
        for (at, event) in events.iter().enumerate() {
            assert_eq!(event.seq, at as u64 + 1);
            assert_eq!(event.data.get(0).and_then(Value::as_u64), Some(event.seq));
        }
        let (tail, _) = store.tail(Position::START, 10_000).unwrap();
        assert!(tail.windows(2).all(|pair| pair[0].position < pair[1].position));
    }
    assert!(total > 20, "the child got somewhere: {total}");
}

#[test]
fn imports_survive_and_index_and_events_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let mut total = 0;
    for (acks, spin) in moments(0xface).take(6) {
        let acknowledged = run_and_kill(&path, "import", acks, spin);
        if !path.exists() {
            continue;
        }
        let store = SqliteStore::open(&path, OpenMode::ReadWrite).unwrap();
        total = store.count().unwrap();
        assert!(total >= acknowledged, "{total} tasks, {acknowledged} acknowledged");
        let shown = |store: &SqliteStore| {
            let mut rows = BTreeMap::new();
            store.visit(&mut |row| drop(rows.insert(row.row, (row.id.to_owned(), row.revision)))).unwrap();
            rows
        };
        let before = shown(&store);
        assert_eq!(before.len() as u64, total);
        assert_eq!(store.head().unwrap().0, total, "one event per task");
        assert_eq!(store.search("number", &|| false).unwrap().len() as u64, total);
        for row in 1..=total {
            assert!(store.task_at(row).unwrap().is_some());
        }
        assert_eq!(store.rebuild_index().unwrap().tasks, total);
        assert_eq!(shown(&store), before);
    }
    assert!(total > 0, "the child got somewhere");
}
