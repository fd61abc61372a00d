//! Several processes write to one workspace at once: nothing is lost, no number is missing, and one
//! who follows the tail meanwhile sees every event once and in order.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use mendbench::store::{Expected, NewEvent, OpenMode, Position, SqliteStore, Store, StoreError};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const DATABASE: &str = "MENDBENCH_TEST_PROCESSES_DATABASE";
const WRITER: &str = "MENDBENCH_TEST_PROCESSES_WRITER";
const WRITERS: u64 = 4;
const EACH: u64 = 60;

fn note(writer: u64, number: u64) -> NewEvent {
    NewEvent::new("note", Timestamp::UNIX_EPOCH, json!([writer, number]))
}

/// The child: does nothing when the tests are run without its variables.
#[test]
fn child() {
    let (Ok(database), Ok(writer)) = (std::env::var(DATABASE), std::env::var(WRITER)) else { return };
    let writer: u64 = writer.parse().unwrap();
    // All make the workspace at the same time, too.
    let store = SqliteStore::open(Path::new(&database), OpenMode::CreateIfMissing).unwrap();
    for number in 0..EACH {
        let event = [note(writer, number)];
        let seq = match number % 3 {
            0 => store.append("shared", Expected::Any, &event).unwrap(),
            1 => store.append(&format!("own-{writer}"), Expected::Any, &event).unwrap(),
            _ => append_where_expected(&store, &event),
        };
        assert!(seq > 0);
        store.put(format!("blob {}", number / 2).as_bytes()).unwrap();
    }
}

/// Reads where the stream ends, appends there, and tries again when another was quicker.
fn append_where_expected(store: &SqliteStore, event: &[NewEvent]) -> u64 {
    let mut end = store.append("guarded", Expected::Any, &[]).unwrap();
    loop {
        match store.append("guarded", Expected::At(end), event) {
            Ok(seq) => {
                assert_eq!(seq, end + 1);
                return seq;
            }
            Err(StoreError::Conflict { actual, .. }) => end = actual,
            Err(error) => panic!("{error}"),
        }
    }
}

fn start(database: &Path, writer: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(DATABASE, database)
        .env(WRITER, writer.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn four_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let mut children: Vec<Child> = (0..WRITERS).map(|writer| start(&path, writer)).collect();
    let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();

    let (mut followed, mut from) = (Vec::new(), Position::START);
    loop {
        // Asked before the tail: what they appended by then must be in it.
        let finished = children.iter_mut().all(|child| child.try_wait().unwrap().is_some());
        let (events, next) = store.tail(from, 7).unwrap();
        assert!(events.iter().all(|event| event.position > from && event.position <= next));
        from = next;
        if events.is_empty() && finished {
            break;
        }
        followed.extend(events);
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    assert_eq!(followed.len() as u64, WRITERS * EACH);
    assert!(followed.windows(2).all(|pair| pair[0].position < pair[1].position));
    let contents: BTreeSet<String> = followed.iter().map(|event| event.data.to_string()).collect();
    assert_eq!(contents.len(), followed.len(), "each event once");
    let mut streams: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for event in &followed {
        streams.entry(&event.stream).or_default().push(event.seq);
    }
    assert_eq!(streams.len() as u64, WRITERS + 2);
    for (stream, numbers) in &streams {
        let gapless: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, &gapless, "{stream}");
        assert_eq!(store.read(stream, 0, 10_000).unwrap().len(), numbers.len());
    }
    for writer in 0..WRITERS {
        let numbers =
            followed.iter().filter(|event| event.data[0] == writer).map(|event| event.data[1].as_u64());
        let wanted: Vec<Option<u64>> = (0..EACH).map(Some).collect();
        assert_eq!(numbers.collect::<Vec<_>>(), wanted, "each writer's events in its own order");
    }
    assert_eq!(store.blobs(None, 1000).unwrap().len() as u64, EACH / 2, "equal blobs once");
    drop(store);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["w.db"], "the last to leave tidies up");
}
