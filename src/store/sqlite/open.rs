//! Finding, making, checking and opening the file.
//!
//! Promises: nothing is written, and no `-wal` or `-shm` appears, before it is certain that the file
//! is ours and not newer than we are. A new database appears under its name only when it is complete.
//! Leaves to others: the checks themselves (`header`, `filesystem`).

use super::filesystem::{FileSystemProbe, SystemProbe, network_kind};
use super::header::{self, Head};
use super::schema::{self, NEWEST};
use super::{Fault, SqliteStore, name_sql_error};
use crate::store::{Clock, Ids, StoreError, SystemClock, SystemIds};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{Access as Permission, access};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long one process waits for another's transaction.
pub(super) const BUSY: Duration = Duration::from_secs(30);
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 64;

/// What a caller wants to do with a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Look at it.
    ReadOnly,
    /// Write to one that is there.
    ReadWrite,
    /// Write; make it, and its folder, if it is not there.
    CreateIfMissing,
}

/// What a store takes from outside.
#[derive(Clone)]
pub struct Environment {
    /// Says what time it is.
    pub clock: Arc<dyn Clock>,
    /// Makes ids of events.
    pub ids: Arc<dyn Ids>,
    /// Says what file system a folder is on.
    pub probe: Arc<dyn FileSystemProbe>,
}

impl Default for Environment {
    fn default() -> Environment {
        Environment { clock: Arc::new(SystemClock), ids: Arc::new(SystemIds), probe: Arc::new(SystemProbe) }
    }
}

/// How the file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Write,
    Read,
    /// From a place where not even the shared memory of readers can be made.
    Immutable,
}

impl SqliteStore {
    /// Opens the database at `path`.
    pub fn open(path: &Path, mode: OpenMode) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_with(path, mode, Environment::default())
    }

    /// Opens the database at `path` with a clock, ids and a probe of the caller's.
    pub fn open_with(
        path: &Path,
        mode: OpenMode,
        environment: Environment,
    ) -> Result<SqliteStore, StoreError> {
        let create = mode == OpenMode::CreateIfMissing;
        refuse_network(path, environment.probe.as_ref())?;
        // SQLite puts its log beside the file that a link leads to.
        let mut path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let version = match header::look(&path)? {
            Some(Head::Ours { version }) => version,
            // A new workspace gets its name when it is complete, so this is none of ours: something may
            // have emptied it.
            Some(Head::Empty) => {
                return Err(StoreError::NotADatabase { path, why: "it is empty".to_owned() });
            }
            None if create => {
                create_complete(&path)?;
                path = path.canonicalize().unwrap_or(path);
                NEWEST
            }
            None => return Err(StoreError::Missing { path }),
        };
        let (access, reader) = match mode {
            OpenMode::ReadOnly => open_to_read(&path)?,
            OpenMode::ReadWrite | OpenMode::CreateIfMissing => {
                check_writable(&path)?;
                (Access::Write, first_reader(&path, Access::Write)?)
            }
        };
        // The log may know better than the file's head.
        let version = seen_version(&path, &reader)?.max(version);
        if version > NEWEST {
            return Err(StoreError::Newer { path, found: version, known: NEWEST });
        }
        let store = SqliteStore {
            path,
            access,
            clock: environment.clock,
            ids: environment.ids,
            readers: Mutex::new(Vec::new()),
            waiting: super::Waiting::default(),
            writer: Mutex::new(None),
        };
        if version < NEWEST {
            store.bring_up_to_date(version)?;
        }
        reader
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
            .map_err(|error| name_sql_error(&store.path, &error))?;
        store.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(reader);
        Ok(store)
    }

    fn bring_up_to_date(&self, found: u32) -> Result<(), StoreError> {
        if self.access != Access::Write {
            return Err(StoreError::Older { path: self.path.clone(), found, known: NEWEST });
        }
        let mut writer = self.lock_writer();
        let super::Writer { connection, .. } = self.writer(&mut writer)?;
        let mut run = || -> Result<(), Fault> {
            schema::migrate(connection, NEWEST)?;
            // So that the next process finds the new version in the file's head.
            Ok(connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
        };
        run().map_err(|fault| fault.named(&self.path))
    }
}

fn refuse_network(path: &Path, probe: &dyn FileSystemProbe) -> Result<(), StoreError> {
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    match network_kind(&probe.file_system(folder)) {
        Some(kind) => Err(StoreError::NetworkFileSystem { path: folder.to_owned(), kind }),
        None => Ok(()),
    }
}

fn check_writable(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let refused = |why: &str| StoreError::ReadOnly { path: path.to_owned(), why: why.to_owned() };
    if path.exists() && access(path, Permission::WRITE_OK).is_err() {
        return Err(refused("the file is read-only"));
    }
    access(folder, Permission::WRITE_OK).map_err(|_| refused("its folder is read-only"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the database under another name and gives it its own name when it is complete. Somebody
/// else may be quicker; then theirs stays.
fn create_complete(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
    check_writable(path)?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", uuid::Uuid::now_v7()));
    let new = folder.join(name);
    let named = build(&new).and_then(|()| give_name(&new, path));
    // The second name, or what is left of a failure.
    let _ = std::fs::remove_file(&new);
    named
}

fn give_name(new: &Path, path: &Path) -> Result<(), StoreError> {
    match std::fs::hard_link(new, path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        // Not every file system has links.
        Err(_) if !path.exists() => std::fs::rename(new, path).map_err(StoreError::io(path)),
        Err(_) => Ok(()),
        Ok(()) => {
            let folder = std::fs::File::open(folder_of(path));
            folder.and_then(|folder| folder.sync_all()).map_err(StoreError::io(path))
        }
    }
}

/// Makes an empty workspace in `path`: tables first, in the old journal mode, so that the file's head
/// says whose it is before there is any log beside it.
fn build(path: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let run = || -> Result<(), Fault> {
        let mut connection = Connection::open_with_flags(path, flags | common_flags())?;
        configure(&connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        schema::migrate(&mut connection, NEWEST)?;
        use_wal(&connection)?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(())
    };
    run().map_err(|fault| fault.named(path))
}

fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
}

fn common_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE
}

/// What all connections have in common. A workspace may come from anywhere: its schema is not trusted
/// to call functions, and its pages are checked.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection
        .execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;")
}

/// A connection that writes.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let run = || -> rusqlite::Result<Connection> {
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | common_flags())?;
        configure(&connection)?;
        use_wal(&connection)?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL;
             PRAGMA cache_size = -16384;",
        )?;
        connection.query_row("PRAGMA journal_size_limit = 33554432", [], |_| Ok(()))?;
        Ok(connection)
    };
    run().map_err(|error| name_sql_error(path, &error))
}

/// A connection that only reads. While the file may be written its flags allow writing all the same:
/// then the last reader to leave takes the log and the shared memory away.
pub(super) fn reader(path: &Path, access: Access) -> Result<Connection, StoreError> {
    let run = || -> rusqlite::Result<Connection> {
        let connection = match access {
            Access::Write => {
                Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | common_flags())?
            }
            Access::Read => {
                Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | common_flags())?
            }
            Access::Immutable => Connection::open_with_flags(
                immutable_address(path),
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | common_flags(),
            )?,
        };
        configure(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    };
    run().map_err(|error| name_sql_error(path, &error))
}

/// The connection that looks at the version: until that is known, leaving must not fold a log into
/// the file.
fn first_reader(path: &Path, access: Access) -> Result<Connection, StoreError> {
    let connection = reader(path, access)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(|error| name_sql_error(path, &error))?;
    Ok(connection)
}

/// Opens for reading: as a guest of the others who use the file, or, where nothing can be written, as
/// an immutable file.
fn open_to_read(path: &Path) -> Result<(Access, Connection), StoreError> {
    let writable = check_writable(path).is_ok();
    let access = if writable { Access::Write } else { Access::Read };
    let connection = first_reader(path, access)?;
    let failure = match schema::version(&connection) {
        Ok(_) => return Ok((Access::Read, connection)),
        Err(error) => error,
    };
    drop(connection);
    match failure.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) if !writable => {
            if header::wal_size(path) > 0 {
                return Err(StoreError::PendingChanges { path: path.to_owned() });
            }
            Ok((Access::Immutable, reader(path, Access::Immutable)?))
        }
        _ => Err(name_sql_error(path, &failure)),
    }
}

fn seen_version(path: &Path, connection: &Connection) -> Result<u32, StoreError> {
    schema::version(connection).map_err(|error| name_sql_error(path, &error))
}

/// The path as a `file:` address that says that nobody changes the file.
fn immutable_address(path: &Path) -> PathBuf {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                address.push(char::from(*byte));
            }
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address.push_str("?immutable=1");
    PathBuf::from(address)
}
