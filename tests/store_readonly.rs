//! A workspace in a folder that cannot be written: reading works, writing says why it does not.
//!
//! Root may write everywhere, so as root the test runs itself again as a user without rights.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use mendbench::store::workspace::{ChosenBy, Workspace};
use mendbench::store::{
    Expected, NewEvent, OpenMode, PreparedTask, SqliteStore, Store, StoreError, Summary, TaskIndex,
};
use mendbench::task::Task;
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const FOLDER: &str = "MENDBENCH_TEST_READONLY_FOLDER";
const NOBODY: u32 = 65_534;

fn note() -> NewEvent {
    NewEvent::new("note", Timestamp::UNIX_EPOCH, json!("x"))
}

fn allow(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The child, without rights; does nothing when the tests are run without its variable.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let workspace = Workspace::in_folder(folder.into(), ChosenBy::Flag);
    let path = &workspace.database;
    let ours = path.parent().unwrap();
    assert!(std::fs::write(ours.join("probe"), "").is_err(), "the folder can be written after all");

    let store = workspace.open_if_exists().unwrap().unwrap();
    assert!(!store.is_writable());
    assert_eq!(store.read("a", 0, 9).unwrap().len(), 1);
    assert_eq!(store.search("read", &|| false).unwrap(), [1]);
    assert_eq!(store.visit(&mut |row| assert_eq!(row.id, "one")).unwrap(), 1);
    assert!(store.task("d", "one", None).unwrap().is_some());
    assert!(matches!(store.append("a", Expected::Any, &[note()]), Err(StoreError::ReadOnly { .. })));
    for mode in [OpenMode::ReadWrite, OpenMode::CreateIfMissing] {
        let error = SqliteStore::open(path, mode).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
        assert!(error.to_string().contains("--workspace"), "{error}");
    }
    let error = SqliteStore::open(&ours.join("new.db"), OpenMode::CreateIfMissing).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    let error = SqliteStore::open(&ours.join("new/new.db"), OpenMode::CreateIfMissing).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{error:?}");
    let pending = SqliteStore::open(&ours.join("pending.db"), OpenMode::ReadOnly).unwrap_err();
    assert!(matches!(pending, StoreError::PendingChanges { .. }), "{pending:?}");
}

fn fill(store: &SqliteStore) {
    store.append("a", Expected::Any, &[note()]).unwrap();
    let mut task = Task::new("", "one");
    task.description = "to be read".into();
    store.import("d", &mut [PreparedTask { task, summary: Summary::default() }].into_iter()).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    // Characters that an address would have to escape.
    let place = folder.path().join("a b%20?#ü");
    let workspace = Workspace::in_folder(place.clone(), ChosenBy::Flag);
    fill(&workspace.open_or_create().unwrap());
    let ours = workspace.database.parent().unwrap();
    // A database as a crash leaves it: the log is there, the shared memory is not.
    let live = ours.join("live.db");
    let store = SqliteStore::open(&live, OpenMode::CreateIfMissing).unwrap();
    fill(&store);
    std::fs::copy(&live, ours.join("pending.db")).unwrap();
    std::fs::copy(ours.join("live.db-wal"), ours.join("pending.db-wal")).unwrap();
    drop(store);
    allow(&workspace.database, 0o444);
    allow(ours, 0o555);
    allow(&place, 0o555);
    allow(folder.path(), 0o755);

    let binary = folder.path().join("test");
    let mut command = if rustix::process::geteuid().is_root() {
        std::fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
        allow(&binary, 0o755);
        let mut command = Command::new(&binary);
        command.uid(NOBODY).gid(NOBODY);
        command
    } else {
        Command::new(std::env::current_exe().unwrap())
    };
    let before: Vec<_> = std::fs::read_dir(ours).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let output =
        command.args(["--exact", "child", "--nocapture"]).env(FOLDER, &place).current_dir("/").output();
    let after: Vec<_> = std::fs::read_dir(ours).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    allow(&place, 0o755);
    allow(ours, 0o755);
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stdout));
            assert_eq!(before, after);
        }
        // A sandbox may forbid changing the user.
        Err(error) => {
            writeln!(std::io::stderr(), "skipped: cannot run as another user: {error}").unwrap();
        }
    }
}
