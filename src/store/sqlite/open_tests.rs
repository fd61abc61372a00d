//! Opening: what is refused stays as it is; what is old is brought up to date.
#![allow(clippy::unwrap_used)]

use super::filesystem::{FileSystem, FileSystemProbe};
use super::schema::{APPLICATION_ID, NEWEST, STEPS};
use super::{Environment, OpenMode, SqliteStore};
use crate::store::{
    BlobId, Expected, NewEvent, Position, PreparedTask, Store, StoreError, Summary, TaskIndex,
};
use crate::task::Task;
use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const MODES: [OpenMode; 3] = [OpenMode::ReadOnly, OpenMode::ReadWrite, OpenMode::CreateIfMissing];

fn note(text: &str) -> NewEvent {
    NewEvent::new("note", Timestamp::UNIX_EPOCH, json!(text))
}

/// Names and contents of all files in a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

fn made(path: &Path) {
    let store = SqliteStore::open(path, OpenMode::CreateIfMissing).unwrap();
    store.append("a", Expected::Any, &[note("one"), note("two")]).unwrap();
    store.put(&vec![7; 50_000]).unwrap();
}

/// Opens in every mode, wants an error of this kind, and the folder as it was.
fn refused(path: &Path, kind: fn(&StoreError) -> bool) {
    let before = files(path.parent().unwrap());
    for mode in MODES {
        let error = SqliteStore::open(path, mode).unwrap_err();
        assert!(kind(&error), "{mode:?}: {error:?}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    assert_eq!(files(path.parent().unwrap()), before);
}

#[test]
fn what_is_not_ours_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("w.db");
    std::fs::write(&path, "some text\n".repeat(1000)).unwrap();
    refused(&path, |error| matches!(error, StoreError::NotADatabase { .. }));

    std::fs::remove_file(&path).unwrap();
    let foreign = Connection::open(&path).unwrap();
    foreign
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);")
        .unwrap();
    drop(foreign);
    refused(&path, |error| matches!(error, StoreError::Foreign { application_id: 0, .. }));

    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let error = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
}

#[test]
fn a_cut_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("w.db");
    made(&path);
    let whole = std::fs::read(&path).unwrap();
    for length in [1, 50, 100, 4096, 5000, whole.len() - 4096, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused(&path, |error| matches!(error, StoreError::Truncated { .. }));
    }
    std::fs::write(&path, &whole).unwrap();
    assert!(SqliteStore::open(&path, OpenMode::ReadOnly).is_ok());
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("w.db");
    made(&path);
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", NEWEST + 1).unwrap();
    drop(newer);
    refused(&path, |error| matches!(error, StoreError::Newer { .. }));
}

#[test]
fn a_newer_version_that_only_the_log_knows_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    made(&path);
    let newer = Connection::open(&path).unwrap();
    newer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    newer.pragma_update(None, "user_version", NEWEST + 1).unwrap();
    drop(newer);
    let without_memory = || {
        let mut files = files(folder.path());
        files.remove("w.db-shm");
        files
    };
    let before = without_memory();
    assert_eq!(before.len(), 2, "the log is there");
    for mode in MODES {
        let error = SqliteStore::open(&path, mode).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{mode:?}: {error}");
    }
    assert!(without_memory() == before, "database and log are as they were");
}

#[test]
fn damage_inside_is_an_error_where_it_is_met() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    made(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[4096..] {
        *byte = !*byte;
    }
    std::fs::write(&path, &bytes).unwrap();
    let result = SqliteStore::open(&path, OpenMode::ReadWrite)
        .and_then(|store| store.append("a", Expected::Any, &[note("three")]));
    assert!(matches!(result, Err(StoreError::Damaged { .. })), "{result:?}");
    let result = SqliteStore::open(&path, OpenMode::ReadOnly)
        .and_then(|store| store.tail(Position::START, 9).map(drop));
    assert!(matches!(result, Err(StoreError::Damaged { .. })), "{result:?}");
}

#[test]
fn a_blob_with_other_bytes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();
    let id = store.put(b"right").unwrap();
    store
        .writing(|t| Ok(t.execute("UPDATE blobs SET bytes = CAST('wrong' AS BLOB), zstd = 0", [])?))
        .unwrap();
    assert!(matches!(store.get(&id), Err(StoreError::BlobDamaged { .. })));
}

#[test]
fn an_older_database_is_brought_up_to_date_with_its_tasks() {
    let task = Task::new("", "one");
    for version in 1..NEWEST {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.db");
        let old = Connection::open(&path).unwrap();
        for sql in &STEPS[..version as usize] {
            old.execute_batch(sql).unwrap();
        }
        old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        old.pragma_update(None, "user_version", version).unwrap();
        let json = task.canonical_json();
        let revision = BlobId::of(json.as_bytes());
        old.execute(
            "INSERT INTO blobs (hash, size, zstd, bytes) VALUES (?1, ?2, 0, CAST(?3 AS BLOB))",
            (revision.as_bytes(), json.len() as i64, &json),
        )
        .unwrap();
        let data = json!({ "dataset": "d", "id": "one", "revision": revision }).to_string();
        old.execute_batch("INSERT INTO streams VALUES (1, 'dataset/d', 1)").unwrap();
        old.execute(
            "INSERT INTO events (stream, seq, at, kind, v, id, data) VALUES (1, 1, 5, 'task-imported', 1, ?1, ?2)",
            ([7_u8; 16], &data),
        )
        .unwrap();
        drop(old);
        let before = std::fs::read(&path).unwrap();
        let error = SqliteStore::open(&path, OpenMode::ReadOnly).unwrap_err();
        assert!(matches!(error, StoreError::Older { found, .. } if found == version), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);

        let store = SqliteStore::open(&path, OpenMode::ReadWrite).unwrap();
        assert_eq!(store.task("d", "one", None).unwrap().map(|task| task.id).as_deref(), Some("one"));
        assert_eq!(store.visit(&mut |row| assert_eq!(row.id, "one")).unwrap(), 1);
        assert_eq!(store.search("ONE", &|| false).unwrap(), [1]);
        assert_eq!(store.read("dataset/d", 0, 9).unwrap().len(), 1);
        drop(store);
        let fresh = folder.path().join("fresh.db");
        made(&fresh);
        assert_eq!(schema(&path), schema(&fresh), "from version {version}");
        assert!(SqliteStore::open(&path, OpenMode::ReadOnly).is_ok());
    }
}

fn schema(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut statement =
        connection.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY 1").unwrap();
    let lines = statement.query_map([], |row| row.get(0)).unwrap();
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn an_empty_file_is_no_workspace_and_becomes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    std::fs::write(&path, "").unwrap();
    refused(&path.canonicalize().unwrap(), |error| matches!(error, StoreError::NotADatabase { .. }));
}

#[test]
fn settings_are_those_that_durability_needs() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("w.db"), OpenMode::CreateIfMissing).unwrap();
    let pragma = |name: &str| {
        let sql = format!("PRAGMA {name}");
        store.writing(|t| Ok(t.query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0))?)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), rusqlite::types::Value::Text("wal".into()));
    for (name, value) in [("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0)] {
        assert_eq!(pragma(name), rusqlite::types::Value::Integer(value), "{name}");
    }
    assert_eq!(pragma("application_id"), rusqlite::types::Value::Integer(i64::from(APPLICATION_ID)));
    assert_eq!(pragma("user_version"), rusqlite::types::Value::Integer(i64::from(NEWEST)));
    let reader = store.reading(|t| Ok(t.execute("DELETE FROM events", [])?));
    assert!(matches!(reader, Err(StoreError::ReadOnly { .. })), "{reader:?}");
}

#[test]
fn a_store_for_reading_writes_nothing_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    made(&path);
    let before = files(folder.path());
    assert_eq!(before.len(), 1);
    let store = SqliteStore::open(&path, OpenMode::ReadOnly).unwrap();
    assert_eq!(store.read("a", 0, 9).unwrap().len(), 2);
    let at = Timestamp::UNIX_EPOCH;
    assert!(matches!(store.append("a", Expected::Any, &[note("x")]), Err(StoreError::ReadOnly { .. })));
    assert!(matches!(store.put(b"x"), Err(StoreError::ReadOnly { .. })));
    assert!(matches!(store.acquire("j", "o", at, at), Err(StoreError::ReadOnly { .. })));
    assert!(matches!(store.rebuild_index(), Err(StoreError::ReadOnly { .. })));
    assert!(!store.is_writable());
    drop(store);
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();
    store.limit_pages(60).unwrap();
    let mut acknowledged = 0;
    let error = loop {
        match store.append("a", Expected::Any, &[note(&"x".repeat(3000)), note("small")]) {
            Ok(seq) => acknowledged = seq,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
    assert!(error.to_string().contains("no room"), "{error}");
    // Bytes that do not compress.
    let noise: Vec<u8> =
        (0..400_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 ^ (n >> 3) as u8).collect();
    assert!(matches!(store.put(&noise), Err(StoreError::DiskFull { .. })));
    let tasks = (0..100).map(|number| {
        let mut task = Task::new("", format!("t{number}"));
        task.description = BlobId::of(&[number]).to_string().repeat(40);
        PreparedTask { task, summary: Summary::default() }
    });
    let imported = store.import("d", &mut tasks.clone());
    assert!(matches!(imported, Err(StoreError::DiskFull { .. })), "{imported:?}");
    assert!(acknowledged > 10);
    let all = |store: &SqliteStore| store.read("a", 0, 10_000).unwrap().len() as u64;
    assert_eq!((all(&store), store.count().unwrap()), (acknowledged, 0));
    store.limit_pages(1_000_000).unwrap();
    assert_eq!(store.append("a", Expected::At(acknowledged), &[note("room")]).unwrap(), acknowledged + 1);
    assert_eq!(store.import("d", &mut { tasks }).unwrap().added, 100);
    drop(store);
    assert_eq!(all(&SqliteStore::open(&path, OpenMode::ReadOnly).unwrap()), acknowledged + 1);
}

/// A disk of this many KiB; `None`: this user may not have one.
struct Small(tempfile::TempDir);

impl Small {
    fn disk(kib: usize) -> Option<Small> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let made = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", size.as_str(), "tmpfs"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null())
            .status();
        made.is_ok_and(|status| status.success()).then(|| Small(folder))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_disk_that_is_full_is_told_wherever_it_runs_full() {
    // One page more each time, so that every file of the database is once the one that finds no room.
    let mut told = 0;
    for kib in (4..=164).step_by(4) {
        let Some(disk) = Small::disk(kib) else {
            use std::io::Write;
            // The test runner swallows `eprintln!` of tests that pass.
            writeln!(std::io::stderr(), "skipped: no file system can be mounted here").unwrap();
            return;
        };
        let path = disk.0.path().join("w.db");
        let error = SqliteStore::open(&path, OpenMode::CreateIfMissing).and_then(|store| {
            let text = "x".repeat(3000);
            loop {
                store.append("a", Expected::Any, &[note(&text)])?;
            }
        });
        let error: StoreError = match error {
            Ok(never) => never,
            Err(error) => error,
        };
        assert!(matches!(error, StoreError::DiskFull { .. }), "{kib} KiB: {error:?}");
        let words = error.to_string();
        assert!(words.contains("no room") && words.contains(disk.0.path().to_str().unwrap()), "{words}");
        told += 1;
    }
    assert_eq!(told, 41);
}

struct Network;

impl FileSystemProbe for Network {
    fn file_system(&self, folder: &Path) -> FileSystem {
        assert!(folder.is_dir(), "{}", folder.display());
        FileSystem { magic: Some(0x6969), mount_type: None }
    }
}

#[test]
fn a_network_file_system_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/w.db");
    for mode in MODES {
        let environment = Environment { probe: Arc::new(Network), ..Environment::default() };
        let error = SqliteStore::open_with(&path, mode, environment).unwrap_err();
        assert!(matches!(&error, StoreError::NetworkFileSystem { kind, .. } if kind == "NFS"), "{error}");
        assert!(error.to_string().contains("mendbench bundle export"), "{error}");
    }
    assert_eq!(files(folder.path()).len(), 0);
}

#[test]
fn many_who_make_the_same_workspace_get_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/w.db");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();
                store.append("a", Expected::Any, &[note("x")]).unwrap();
            });
        }
    });
    let store = SqliteStore::open(&path, OpenMode::ReadOnly).unwrap();
    assert_eq!(store.read("a", 0, 100).unwrap().len(), 6);
    drop(store);
    assert_eq!(files(path.parent().unwrap()).keys().collect::<Vec<_>>(), ["w.db"]);
}

#[test]
fn nothing_is_acknowledged_that_nobody_would_find() {
    let folder = tempfile::tempdir().unwrap();
    let (path, aside) = (folder.path().join("w/workspace.db"), folder.path().join("aside"));
    let home = folder.path().join("w");
    std::fs::create_dir(&home).unwrap();
    let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();
    store.append("a", Expected::Any, &[note("one")]).unwrap();
    let gone = |store: &SqliteStore| {
        let error = store.append("a", Expected::Any, &[note("lost")]).unwrap_err();
        assert!(matches!(error, StoreError::Gone { .. }), "{error}");
        assert!(error.to_string().contains("moved, deleted or replaced"), "{error}");
    };
    // Moved away; another one in its place; back where it was.
    std::fs::rename(&home, &aside).unwrap();
    gone(&store);
    std::fs::create_dir(&home).unwrap();
    made(&path);
    gone(&store);
    std::fs::remove_dir_all(&home).unwrap();
    std::fs::rename(&aside, &home).unwrap();
    store.append("a", Expected::Any, &[note("two")]).unwrap();
    assert_eq!(store.read("a", 1, 10).unwrap().len(), 2);
    // Deleted.
    std::fs::remove_dir_all(&home).unwrap();
    gone(&store);
}

#[test]
fn a_file_that_is_not_known_is_the_same_as_none() {
    let (one, other) = (Some((1, 2)), Some((1, 3)));
    for (before, after, file) in
        [(one, one, one), (one, other, None), (one, None, None), (None, one, None), (None, None, None)]
    {
        assert_eq!(super::opened(before, after), file, "{before:?} {after:?}");
    }
}

#[test]
fn a_first_write_to_what_is_not_there_is_none_and_the_next_one_looks_again() {
    let folder = tempfile::tempdir().unwrap();
    let (home, aside) = (folder.path().join("w"), folder.path().join("aside"));
    std::fs::create_dir(&home).unwrap();
    let store = SqliteStore::open(&home.join("workspace.db"), OpenMode::CreateIfMissing).unwrap();
    std::fs::rename(&home, &aside).unwrap();
    assert!(store.append("a", Expected::Any, &[note("lost")]).is_err());
    std::fs::rename(&aside, &home).unwrap();
    store.append("a", Expected::Any, &[note("one")]).unwrap();
    assert_eq!(store.read("a", 1, 10).unwrap().len(), 1);
    std::fs::remove_dir_all(&home).unwrap();
    let error = store.append("a", Expected::Any, &[note("lost")]).unwrap_err();
    assert!(matches!(error, StoreError::Gone { .. }), "{error}");
}
