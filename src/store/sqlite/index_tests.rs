//! The derived index: imports, revisions, order of time, rebuilding.
#![allow(clippy::unwrap_used)]

use super::{Environment, OpenMode, SqliteStore};
use crate::store::{
    Event, Expected, FixedClock, FixedIds, ImportReport, IndexRow, NewEvent, PreparedTask, Store, StoreError,
    Summary, TaskIndex,
};
use crate::task::{Content, FaultClass, Granularity, Kind, MarkKind, Task};
use jiff::SignedDuration;
use std::path::Path;
use std::sync::Arc;

struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<FixedClock>,
    store: SqliteStore,
}

fn open(path: &Path, clock: &Arc<FixedClock>, ids: u64) -> SqliteStore {
    let environment = Environment {
        clock: clock.clone(),
        ids: Arc::new(FixedIds::starting_at(ids)),
        ..Environment::default()
    };
    SqliteStore::open_with(path, OpenMode::CreateIfMissing, environment).unwrap()
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock::default());
    let store = open(&folder.path().join("w.db"), &clock, 0);
    Bench { folder, clock, store }
}

fn prepared(id: &str, code: &str) -> PreparedTask {
    let mut task = Task::new("ignored", id);
    task.description = format!("describes {id}");
    task.language = "python".into();
    task.files.buggy.insert("solution.py".into(), Content::from(code));
    PreparedTask { task, summary: Summary { granularity: Some(Granularity::Line), added: 1, removed: 2 } }
}

fn import(store: &SqliteStore, dataset: &str, tasks: &[PreparedTask]) -> ImportReport {
    store.import(dataset, &mut tasks.iter().cloned()).unwrap()
}

/// All rows by the quick way, as text; checks that the slow way shows the same.
fn rows(store: &SqliteStore) -> Vec<String> {
    let (mut quick, mut slow) = (Vec::new(), Vec::new());
    let count = store.visit(&mut |row| quick.push(format!("{row:?}"))).unwrap();
    store.page(0, u64::MAX, &mut |row| slow.push(format!("{row:?}"))).unwrap();
    assert_eq!(quick, slow);
    assert_eq!(count, store.count().unwrap());
    assert_eq!(count, quick.len() as u64);
    quick
}

#[test]
fn a_row_says_what_the_task_says() {
    let Bench { store, folder: _folder, .. } = bench();
    let mut one = prepared("one", "x = 1\n");
    one.task.kind = Kind::Edit;
    one.task.title = "A title".into();
    one.task.group = "family".into();
    one.task.provenance.error_type = Some("B.2".into());
    one.task.provenance.class = Some(FaultClass::Vulnerability);
    one.task.test.fail_to_pass = vec!["a".into(), "b".into()];
    one.task.test.pass_to_pass = vec!["c".into()];
    one.task.mark(MarkKind::Symlink, "link");
    import(&store, "data", &[one.clone(), prepared("two", "")]);
    let revision = one.task.revision();
    let mut seen = 0;
    store
        .page(0, 1, &mut |row| {
            seen += 1;
            assert_eq!(row.revision.revision(), revision);
            let wanted = IndexRow {
                row: 1,
                dataset: "data",
                id: "one",
                group: "family",
                title: "A title",
                kind: Kind::Edit,
                language: "python",
                error_type: Some("B.2"),
                class: Some(FaultClass::Vulnerability),
                granularity: Some(Granularity::Line),
                added: 1,
                removed: 2,
                tests: 3,
                marks: MarkKind::Symlink.bit(),
                revision: row.revision,
            };
            assert_eq!(row, wanted);
        })
        .unwrap();
    assert_eq!(seen, 1);
    let wanted = Task { dataset: "data".into(), ..one.task };
    assert_eq!(store.task_at(1).unwrap(), Some(wanted.clone()));
    assert_eq!(store.task("data", "one", None).unwrap(), Some(wanted));
    assert_eq!(store.task_at(3).unwrap(), None);
    assert_eq!(store.task_at(u64::MAX).unwrap(), None);
    assert_eq!(store.find("data", "two").unwrap(), Some(2));
    assert_eq!(store.find("other", "two").unwrap(), None);
}

#[test]
fn importing_again_changes_nothing_and_new_revisions_keep_the_old() {
    let Bench { store, clock, folder: _folder } = bench();
    let tasks = [prepared("one", "alpha\n"), prepared("two", "beta\n"), prepared("three", "gamma\n")];
    assert_eq!(import(&store, "d", &tasks), ImportReport { added: 3, ..ImportReport::default() });
    let head = store.head().unwrap();
    assert_eq!(import(&store, "d", &tasks), ImportReport { unchanged: 3, ..ImportReport::default() });
    assert_eq!(store.head().unwrap(), head, "no event");

    clock.advance(SignedDuration::from_hours(-9));
    let newer = [prepared("one", "delta\n"), tasks[1].clone()];
    let report = import(&store, "d", &newer);
    assert_eq!(report, ImportReport { updated: 1, unchanged: 1, missing: 1, ..ImportReport::default() });
    assert_eq!(store.find("d", "one").unwrap(), Some(1), "a row keeps its number");
    let text =
        |task: Option<Task>| task.map(|task| task.files.buggy["solution.py"].text().unwrap().into_owned());
    assert_eq!(text(store.task("d", "one", None).unwrap()).as_deref(), Some("delta\n"));
    let (old, new) = (tasks[0].task.revision(), newer[0].task.revision());
    assert_eq!(store.revisions("d", "one").unwrap(), [new.clone(), old.clone()]);
    assert_eq!(text(store.task("d", "one", Some(&old)).unwrap()).as_deref(), Some("alpha\n"));
    assert_eq!(text(store.task("d", "one", Some(&new)).unwrap()).as_deref(), Some("delta\n"));
    assert_eq!(store.task("d", "two", Some(&old)).unwrap(), None, "a revision of another task");
    assert_eq!(store.search("alpha", &|| false).unwrap(), [] as [u64; 0]);
    assert_eq!(store.search("delta", &|| false).unwrap(), [1]);
    assert_eq!(rows(&store).len(), 3);

    let mut other_summary = newer[0].clone();
    other_summary.summary.granularity = Some(Granularity::Hunk);
    other_summary.task.mark(MarkKind::LongLine, "1");
    assert_eq!(import(&store, "d", &[other_summary]).refreshed, 1);
    assert_eq!(store.task("d", "one", Some(&new)).unwrap().unwrap().marks.len(), 1);
    assert_eq!(store.revisions("d", "one").unwrap().len(), 2);
    assert!(rows(&store)[0].contains("Some(Hunk)"));
}

#[test]
fn the_first_of_two_equal_ids_counts_also_across_batches() {
    let Bench { store, folder: _folder, .. } = bench();
    let many = (0..3000).map(|number| prepared(&format!("t{number}"), "x"));
    let mut tasks = many.chain([prepared("t0", "other"), prepared("t2999", "other")]);
    let report = store.import("d", &mut tasks).unwrap();
    assert_eq!((report.added, report.duplicates, report.updated), (3000, 2, 0));
    assert_eq!(rows(&store).len(), 3000);
    assert_eq!(store.revisions("d", "t0").unwrap().len(), 1);
}

#[test]
fn what_cannot_be_kept_is_named_and_the_rest_is_kept() {
    let Bench { store, folder: _folder, .. } = bench();
    let mut huge = prepared("huge", "");
    huge.task.files.buggy.insert("big".into(), Content::new(vec![b'x'; crate::store::MAX_BLOB]));
    let tasks = [prepared("", "x"), prepared("a\nb", "x"), huge, prepared("good", "x")];
    let report = import(&store, "d", &tasks);
    assert_eq!((report.added, report.refused_count), (1, 3));
    assert_eq!(report.refused[2].id, "huge");
    assert!(report.refused[2].why.contains("too large"), "{:?}", report.refused);
    for bad in ["", "a/b"] {
        let error = store.import(bad, &mut std::iter::empty()).unwrap_err();
        assert!(matches!(error, StoreError::BadDatasetName { .. }), "{error}");
    }
    assert_eq!(import(&store, "d", &[]), ImportReport { missing: 1, ..ImportReport::default() });
}

/// Everything derived, as text.
fn derived(store: &SqliteStore) -> Vec<String> {
    let mut all = rows(store);
    for table in ["task_index", "task_history", "index_segments", "index_state", "index_pending"] {
        let dump = store.reading(|snapshot| {
            let mut statement = snapshot.prepare(&format!("SELECT * FROM {table}"))?;
            let columns = statement.column_count();
            let lines = statement.query_map([], |row| {
                (0..columns)
                    .map(|column| row.get::<_, rusqlite::types::Value>(column))
                    .collect::<Result<Vec<_>, _>>()
            })?;
            Ok(lines.collect::<Result<Vec<_>, _>>()?)
        });
        all.extend(dump.unwrap().iter().map(|line| format!("{table} {line:?}")));
    }
    for word in ["alpha", "beta", "gamma", "describes", "t2", "none"] {
        all.push(format!("{word} {:?}", store.search(word, &|| false).unwrap()));
    }
    all
}

#[test]
fn a_rebuilt_index_is_the_same() {
    let Bench { store, folder: _folder, .. } = bench();
    let many: Vec<_> = (0..2500).map(|number| prepared(&format!("t{number}"), "alpha")).collect();
    import(&store, "data", &many);
    import(&store, "data", &[prepared("t7", "beta"), prepared("t2400", "beta"), prepared("new", "gamma")]);
    import(&store, "other", &[prepared("t7", "beta")]);
    import(&store, "data", &[prepared("t7", "gamma")]);
    let before = derived(&store);
    assert_eq!(store.rebuild_index().unwrap().tasks, 2502);
    assert_eq!(derived(&store), before);
    store.refresh_derived().unwrap();
    assert_eq!(derived(&store), before);
}

#[test]
fn of_two_workspaces_the_newest_import_counts() {
    let Bench { store: one, clock, folder } = bench();
    let two = open(&folder.path().join("two.db"), &clock, 1 << 32);
    import(&two, "d", &[prepared("a", "old"), prepared("only", "old")]);
    clock.advance(SignedDuration::from_secs(60));
    import(&one, "d", &[prepared("a", "new")]);
    let all = |store: &SqliteStore| -> Vec<Event> { store.read("dataset/d", 0, 100).unwrap() };
    let blobs = |from: &SqliteStore, to: &SqliteStore| {
        for id in from.blobs(None, 100).unwrap() {
            to.put(&from.get(&id).unwrap().unwrap()).unwrap();
        }
    };
    blobs(&two, &one);
    one.merge(&all(&two)).unwrap();
    one.refresh_derived().unwrap();
    blobs(&one, &two);
    two.merge(&all(&one)).unwrap();
    two.refresh_derived().unwrap();
    let new = prepared("a", "new").task.revision();
    for store in [&one, &two] {
        assert_eq!(store.count().unwrap(), 2);
        assert_eq!(store.revisions("d", "a").unwrap(), [new.clone(), prepared("a", "old").task.revision()]);
        assert_eq!(store.task("d", "a", None).unwrap().unwrap().revision(), new);
        assert_eq!(store.search("old", &|| false).unwrap().len(), 1, "the one task that is still old");
        let before = derived(store);
        store.rebuild_index().unwrap();
        assert_eq!(derived(store), before);
    }
}

#[test]
fn events_that_cannot_be_followed_do_no_harm() {
    let Bench { store, clock, folder: _folder } = bench();
    let at = crate::store::Clock::now(clock.as_ref());
    let revision = store.put(b"not a task").unwrap();
    let task = prepared("real", "x").task;
    let real = store.put(task.canonical_json().as_bytes()).unwrap();
    let absent = crate::store::BlobId::of(b"absent");
    for data in [
        serde_json::json!(null),
        serde_json::json!({ "dataset": "d" }),
        serde_json::json!({ "dataset": "d", "id": "x", "revision": revision }),
        serde_json::json!({ "dataset": "d", "id": "x", "revision": absent }),
        serde_json::json!({ "dataset": "d", "id": "another", "revision": real }),
        serde_json::json!({ "dataset": "a/b", "id": "real", "revision": real }),
        serde_json::json!({ "dataset": "d", "id": "real", "revision": real }),
    ] {
        store.append("dataset/d", Expected::Any, &[NewEvent::new("task-imported", at, data)]).unwrap();
    }
    let report = store.rebuild_index().unwrap();
    assert_eq!((report.tasks, report.unreadable), (1, 6));
    // Two that name nothing, `d/x` (twice), `d/another`, `a/b/real`.
    assert_eq!(store.missing().unwrap(), 5);
    assert_eq!(rows(&store).len(), 1);
    assert_eq!(import(&store, "e", &[prepared("one", "x")]).added, 1);
}

#[test]
fn damage_in_the_quick_list_is_told_and_a_rebuild_mends_it() {
    let Bench { store, folder: _folder, .. } = bench();
    import(&store, "d", &[prepared("one", "x")]);
    store.writing(|t| Ok(t.execute("UPDATE index_segments SET rows = x'0500'", [])?)).unwrap();
    let error = store.visit(&mut |_| ()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    store.rebuild_index().unwrap();
    assert_eq!(rows(&store).len(), 1);
}

#[test]
fn who_waits_for_another_process_is_told_once() {
    let Bench { store, folder, .. } = bench();
    let other = rusqlite::Connection::open(folder.path().join("w.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let store = store.when_waiting(move || sender.send(()).unwrap_or_default());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| import(&store, "d", &[prepared("one", "x")]).added);
        receiver.recv().unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(writer.join().unwrap(), 1);
    });
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = store.with_patience(std::time::Duration::ZERO);
    let error = store.put(b"x").unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(receiver.try_recv().is_err(), "told once");
}
