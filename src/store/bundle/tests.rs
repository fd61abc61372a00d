//! Tests of bundles, written and read back.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::store::{
    Event, Expected, FixedIds, MemoryStore, NewEvent, OpenMode, PreparedTask, SqliteStore, Store, Summary,
    TaskIndex,
};
use crate::task::{Content, MarkKind, Task};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

fn memory(start: u64) -> MemoryStore {
    MemoryStore::new(Arc::new(FixedIds::starting_at(start)))
}

fn filled(start: u64) -> MemoryStore {
    let store = memory(start);
    let at: Timestamp = "2026-02-03T04:05:06.789Z".parse().unwrap();
    for number in 0..5 {
        let data = json!({ "z": number, "a": 0.1 + f64::from(number) / 3.0, "text": "ü\u{202e}\n" });
        store
            .append(["a", "b"][number as usize % 2], Expected::Any, &[NewEvent::new("note", at, data)])
            .unwrap();
    }
    for blob in [b"plain\ntext".as_slice(), b"", &[0, 159, 146, 150], "\u{1}\u{2}\u{3}".as_bytes()] {
        store.put(blob).unwrap();
    }
    store
}

fn exported(store: &dyn Store) -> String {
    let mut out = Vec::new();
    export(store, &mut out, &mut |error| panic!("{error}")).unwrap();
    String::from_utf8(out).unwrap()
}

fn take(store: &dyn Store, bundle: &[u8]) -> (Imported, Vec<Problem>) {
    let mut problems = Vec::new();
    // A small buffer, so that lines come in pieces.
    let mut input = std::io::BufReader::with_capacity(7, bundle);
    let imported = import(store, &mut input, &mut |problem| problems.push(problem)).unwrap();
    assert_eq!(imported.problems, problems.len() as u64);
    (imported, problems)
}

fn contents(store: &dyn Store, stream: &str) -> Vec<(u64, String)> {
    let events = store.read(stream, 0, 1000).unwrap();
    events.iter().map(|event: &Event| (event.seq, event.data.to_string())).collect()
}

#[test]
fn a_round_trip_is_equal_to_the_byte_and_twice_is_once() {
    let store = filled(0);
    let bundle = exported(&store);
    assert_eq!(bundle.lines().count(), 1 + 4 + 5 + 1);
    assert!(bundle.starts_with("{\"type\":\"bundle\",\"v\":1}\n"), "{bundle}");
    let copy = memory(1 << 32);
    let (first, problems) = take(&copy, bundle.as_bytes());
    assert_eq!(problems, []);
    let all = Imported { blobs_added: 4, events_added: 5, complete: true, ..Imported::default() };
    assert_eq!(first, all);
    assert_eq!(exported(&copy), bundle);
    let (second, problems) = take(&copy, bundle.as_bytes());
    assert_eq!(problems, []);
    let known = Imported { blobs_known: 4, events_known: 5, complete: true, ..Imported::default() };
    assert_eq!(second, known);
    assert_eq!(exported(&copy), bundle);
    let empty = exported(&memory(0));
    assert!(take(&memory(0), empty.as_bytes()).0.complete);
}

#[test]
fn two_workspaces_merge_and_numbers_stay_gapless() {
    let (one, two) = (filled(0), filled(1 << 32));
    let (imported, problems) = take(&one, exported(&two).as_bytes());
    assert_eq!(problems, []);
    assert_eq!((imported.events_added, imported.renumbered, imported.blobs_known), (5, 5, 4));
    assert_eq!(contents(&one, "a").iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let (back, _) = take(&two, exported(&one).as_bytes());
    assert_eq!((back.events_added, back.events_known), (5, 5));
}

#[test]
fn conflicts_keep_what_is_here() {
    let store = filled(0);
    let bundle = exported(&store).replace("\"z\":3", "\"z\":33");
    let (imported, problems) = take(&store, bundle.as_bytes());
    assert_eq!((imported.conflicts, imported.events_known, imported.complete), (1, 4, false));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(problems.iter().filter(|problem| problem.what.contains("was kept")).count(), 1);
    assert!(contents(&store, "b").iter().all(|(_, data)| !data.contains("33,")));
}

#[test]
fn every_bad_line_is_named_and_the_others_are_taken() {
    let bundle = exported(&filled(0));
    let mut lines: Vec<String> = bundle.lines().map(str::to_owned).collect();
    lines.insert(2, "{ half".into());
    lines.insert(4, String::new());
    lines[7] = lines[7].replace("\"v\":1,\"event\"", "\"v\":9,\"event\"");
    lines.insert(8, r#"{"type":"poem","v":1}"#.into());
    lines.insert(9, r#"{"type":"blob","v":1,"id":"0","text":""}"#.into());
    let wrong_hash = crate::store::BlobId::of(b"x");
    lines.insert(10, format!(r#"{{"type":"blob","v":1,"id":"{wrong_hash}","text":"y"}}"#));
    lines.insert(11, r#"{"type":"event","v":1,"event":{"id":1}}"#.into());
    let (imported, problems) = take(&memory(9), (lines.join("\n") + "\nafter\n").as_bytes());
    let at: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(at, [3, 5, 8, 9, 10, 11, 12, 17, 18], "{problems:#?}");
    assert_eq!((imported.blobs_added, imported.events_added, imported.complete), (4, 4, false));
    assert!(problems[7].what.contains("4 blobs and 5 events"), "{problems:?}");
    assert_eq!(problems[3].to_string(), "line 9: unknown type `poem`");
}

#[test]
fn a_lost_end_is_noticed_wherever_it_was_cut() {
    let bundle = exported(&filled(0));
    for end in 30..bundle.len() - 1 {
        let (imported, problems) = take(&memory(9), &bundle.as_bytes()[..end]);
        assert!(!imported.complete, "cut at {end}");
        assert!(
            matches!(check(&mut &bundle.as_bytes()[..end]), Err(BundleError::NotWhole { .. })),
            "cut at {end}"
        );
        assert!(
            problems.iter().any(|problem| problem.what.contains("lost its end")),
            "cut at {end}: {problems:?}"
        );
    }
    let without_break = bundle.trim_end();
    assert!(take(&memory(9), without_break.as_bytes()).0.complete);
    let changed = bundle.replace("plain", "PLAIN");
    assert!(!take(&memory(9), changed.as_bytes()).0.complete);
    let error = check(&mut changed.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("changed since it was written"), "{error}");
    for whole in [bundle.as_str(), without_break] {
        assert!(check(&mut whole.as_bytes()).is_ok());
    }
    assert!(check(&mut (bundle.clone() + "more\n").as_bytes()).is_err());
}

#[test]
fn other_files_are_refused_before_anything_is_taken() {
    let cases = ["", "\n", "hello\n", "{}", "{\"type\":\"event\",\"v\":1}", "\u{0}\u{1}"];
    for case in cases {
        for result in [check(&mut case.as_bytes()), first_line(&mut case.as_bytes()).map(drop)] {
            assert!(matches!(result, Err(BundleError::NotABundle)), "{case:?}: {result:?}");
        }
        let result = import(&memory(0), &mut case.as_bytes(), &mut |_| ());
        assert!(matches!(result, Err(BundleError::NotABundle)), "{case:?}: {result:?}");
    }
    let newer = import(&memory(0), &mut "{\"type\":\"bundle\",\"v\":7,\"x\":1}\n".as_bytes(), &mut |_| ());
    assert!(matches!(newer, Err(BundleError::Newer { found: 7 })), "{newer:?}");
}

#[test]
fn tasks_travel_with_their_index() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| SqliteStore::open(&folder.path().join(name), OpenMode::CreateIfMissing).unwrap();
    let (one, two) = (open("one.db"), open("two.db"));
    let mut task = Task::new("", "ring");
    task.description = "off by one".into();
    task.files.buggy.insert("latin.c".into(), Content::new(vec![0xe9, b'\n']));
    task.mark(MarkKind::NotUtf8, "latin.c");
    let prepared = PreparedTask { task, summary: Summary { granularity: None, added: 3, removed: 4 } };
    one.import("d", &mut [prepared].into_iter()).unwrap();
    let bundle = exported(&one);
    let (imported, problems) = take(&two, bundle.as_bytes());
    assert_eq!((problems, imported.complete), (Vec::new(), true));
    assert_eq!(two.search("off", &|| false).unwrap(), [1]);
    assert_eq!(two.task("d", "ring", None).unwrap(), one.task("d", "ring", None).unwrap());
    assert_eq!(exported(&two), bundle);
}

#[test]
fn a_task_whose_blob_came_late_is_listed_then() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| SqliteStore::open(&folder.path().join(name), OpenMode::CreateIfMissing).unwrap();
    let (one, two) = (open("one.db"), open("two.db"));
    let prepared = ["a", "b"].map(|id| PreparedTask { task: Task::new("", id), summary: Summary::default() });
    one.import("d", &mut prepared.into_iter()).unwrap();
    let bundle = exported(&one);
    let lame: Vec<&str> = bundle.lines().filter(|line| !line.contains("\\\"id\\\":\\\"a\\\"")).collect();
    assert_eq!(lame.len(), bundle.lines().count() - 1);
    take(&two, lame.join("\n").as_bytes());
    assert_eq!(two.count().unwrap(), 1);
    assert!(take(&two, bundle.as_bytes()).0.complete);
    assert_eq!(two.count().unwrap(), 2);
    assert!(two.task("d", "a", None).unwrap().is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_are_read_without_a_panic(
        lines in proptest::collection::vec(".{0,60}", 0..6), cut: prop::sample::Index, at: prop::sample::Index, byte: u8,
    ) {
        let mut bundle = exported(&filled(0)).into_bytes();
        let place = at.index(bundle.len());
        bundle[place] = byte;
        bundle.truncate(cut.index(bundle.len()) + 1);
        bundle.extend_from_slice(lines.join("\n").as_bytes());
        let mut opened = false;
        let store = memory(0);
        let imported = import_lazily(
            &mut || { opened = true; Ok(&store) }, &mut bundle.as_slice(), &mut |_| ());
        let checked = check(&mut bundle.as_slice());
        prop_assert_eq!(checked.is_ok(), imported.as_ref().is_ok_and(|imported| imported.complete));
        if let Ok(imported) = imported {
            prop_assert_eq!(opened, imported != Imported { problems: imported.problems, complete: imported.complete, ..Imported::default() });
        }
    }

    #[test]
    fn any_content_makes_the_round_trip(
        blobs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..5),
        texts in proptest::collection::vec(any::<String>(), 0..5), float: f64, at in -1_000_000_000_000_000_i64..4_000_000_000_000_000,
    ) {
        let store = memory(0);
        for blob in &blobs {
            store.put(blob).unwrap();
        }
        let at = Timestamp::from_microsecond(at).unwrap();
        for text in &texts {
            store.append("s", Expected::Any, &[NewEvent::new("k", at, json!([text, float]))]).unwrap();
        }
        let bundle = exported(&store);
        let copy = memory(1 << 32);
        let (imported, problems) = take(&copy, bundle.as_bytes());
        prop_assert_eq!((problems, imported.complete), (Vec::new(), true));
        prop_assert_eq!(exported(&copy), bundle);
    }
}
