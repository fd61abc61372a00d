//! Which folder is the workspace.
//!
//! A workspace is a folder that holds `.mendbench/workspace.db`. It is chosen by `--workspace`, else
//! by `MENDBENCH_WORKSPACE`, else it is PATH if that is a folder in which one may write (or a
//! workspace already), else the nearest folder with `.mendbench` from the present one upwards, else the
//! user's data directory.
//!
//! Promises: [`choose`] is a pure function of its inputs and what [`Places`] says; nothing is made
//! before somebody writes ([`Workspace::open_or_create`]). Leaves to others: opening (`sqlite`).

use super::{OpenMode, SqliteStore, StoreError};
use std::fmt;
use std::path::{Path, PathBuf};

/// Environment variable that names the workspace.
pub const VARIABLE: &str = "MENDBENCH_WORKSPACE";
/// The folder inside a workspace that is ours.
pub const FOLDER: &str = ".mendbench";
/// The database in it.
pub const DATABASE: &str = "workspace.db";

/// Everything that the choice depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceInputs {
    /// `--workspace`.
    pub flag: Option<PathBuf>,
    /// `MENDBENCH_WORKSPACE`.
    pub variable: Option<PathBuf>,
    /// PATH of the command line.
    pub path: Option<PathBuf>,
    /// The present folder.
    pub current: PathBuf,
    /// The user's folder for data of programs, such as `~/.local/share`.
    pub data: Option<PathBuf>,
}

impl WorkspaceInputs {
    /// Inputs of this process.
    pub fn from_environment(flag: Option<PathBuf>, path: Option<PathBuf>) -> WorkspaceInputs {
        use etcetera::BaseStrategy;
        WorkspaceInputs {
            flag,
            variable: std::env::var_os(VARIABLE).map(PathBuf::from),
            path,
            current: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            data: etcetera::base_strategy::Xdg::new().ok().map(|base| base.data_dir()),
        }
    }
}

/// What the choice asks of the disk.
pub trait Places {
    /// Whether this is a folder.
    fn is_folder(&self, path: &Path) -> bool;
    /// Whether there is something that is not a folder.
    fn is_file(&self, path: &Path) -> bool;
    /// Whether files may be made in this folder.
    fn is_writable(&self, folder: &Path) -> bool;
}

/// The real disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Places for Disk {
    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.exists() && !path.is_dir()
    }

    fn is_writable(&self, folder: &Path) -> bool {
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
    }
}

/// Why this folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// `--workspace`.
    Flag,
    /// `MENDBENCH_WORKSPACE`.
    Variable,
    /// PATH.
    Path,
    /// A folder above holds `.mendbench`.
    Ancestor,
    /// Nothing else; the user's data directory.
    Data,
}

impl fmt::Display for ChosenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChosenBy::Flag => "--workspace",
            ChosenBy::Variable => VARIABLE,
            ChosenBy::Path => "PATH",
            ChosenBy::Ancestor => "a folder above with .mendbench",
            ChosenBy::Data => "the user's data directory",
        })
    }
}

/// Why no workspace could be chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Something that is not a folder was named.
    #[error("{} (from {chosen_by}) is not a folder: name the folder that holds, or shall hold, {FOLDER}", path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
        /// By what.
        chosen_by: ChosenBy,
    },
    /// `--workspace ""`.
    #[error("--workspace names no folder: give it one, or leave it out")]
    Empty,
    /// There is no home directory.
    #[error(
        "no place for a workspace: the user has no data directory; set HOME, or name a folder with --workspace or {VARIABLE}"
    )]
    Nowhere,
}

/// A chosen workspace, which need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The folder.
    pub folder: PathBuf,
    /// Its database.
    pub database: PathBuf,
    /// Why this one.
    pub chosen_by: ChosenBy,
}

/// Chooses the workspace.
pub fn choose(inputs: &WorkspaceInputs, places: &dyn Places) -> Result<Workspace, WorkspaceError> {
    let named = |path: &Path, chosen_by: ChosenBy| {
        let mut path = inputs.current.join(path);
        // A slip that is easy to make, and means only one thing.
        if path.file_name().is_some_and(|name| name == FOLDER) {
            path.pop();
        }
        if places.is_file(&path) {
            return Err(WorkspaceError::NotAFolder { path, chosen_by });
        }
        Ok(Workspace::in_folder(path, chosen_by))
    };
    if let Some(flag) = &inputs.flag {
        if flag.as_os_str().is_empty() {
            return Err(WorkspaceError::Empty);
        }
        return named(flag, ChosenBy::Flag);
    }
    // A variable that is set to nothing is unset, as shells have it.
    if let Some(variable) = inputs.variable.as_ref().filter(|path| !path.as_os_str().is_empty()) {
        return named(variable, ChosenBy::Variable);
    }
    if let Some(path) = &inputs.path {
        let path = inputs.current.join(path);
        let workspace = Workspace::in_folder(path, ChosenBy::Path);
        let folder = &workspace.folder;
        if places.is_folder(folder) && (places.is_writable(folder) || places.is_file(&workspace.database)) {
            return Ok(workspace);
        }
    }
    if let Some(folder) = inputs.current.ancestors().find(|folder| places.is_folder(&folder.join(FOLDER))) {
        return Ok(Workspace::in_folder(folder.to_owned(), ChosenBy::Ancestor));
    }
    match &inputs.data {
        Some(data) => Ok(Workspace::in_folder(data.join("mendbench"), ChosenBy::Data)),
        None => Err(WorkspaceError::Nowhere),
    }
}

impl Workspace {
    /// The workspace in this folder.
    pub fn in_folder(folder: PathBuf, chosen_by: ChosenBy) -> Workspace {
        let database = folder.join(FOLDER).join(DATABASE);
        Workspace { folder, database, chosen_by }
    }

    /// Opens it if it is there: for writing where that is possible, else for reading
    /// ([`SqliteStore::is_writable`] tells).
    pub fn open_if_exists(&self) -> Result<Option<SqliteStore>, StoreError> {
        match SqliteStore::open(&self.database, OpenMode::ReadWrite) {
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(StoreError::ReadOnly { .. }) => {
                SqliteStore::open(&self.database, OpenMode::ReadOnly).map(Some)
            }
            other => other.map(Some),
        }
    }

    /// Opens it for writing, and makes it if it is not there.
    pub fn open_or_create(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.database, OpenMode::CreateIfMissing)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Paths that end in `/` are folders, with `!` in front they are read-only; others are files.
    struct Fake(&'static [&'static str]);

    impl Fake {
        fn folder(&self, path: &Path) -> Option<bool> {
            let wanted = format!("{}/", path.to_str().unwrap().trim_end_matches('/'));
            self.0
                .iter()
                .find(|name| name.trim_start_matches('!') == wanted)
                .map(|name| !name.starts_with('!'))
        }
    }

    impl Places for Fake {
        fn is_folder(&self, path: &Path) -> bool {
            self.folder(path).is_some()
        }
        fn is_file(&self, path: &Path) -> bool {
            self.0.iter().any(|name| Path::new(name) == path && !name.ends_with('/'))
        }
        fn is_writable(&self, folder: &Path) -> bool {
            self.folder(folder) == Some(true)
        }
    }

    const PLACES: Fake = Fake(&[
        "/home/u/study/",
        "/home/u/study/.mendbench/",
        "/home/u/study/deep/er/",
        "/home/u/file.jsonl",
        "!/mnt/disc/",
        "!/mnt/plain/",
        "/mnt/disc/.mendbench/workspace.db",
    ]);

    fn inputs(flag: &str, variable: &str, path: &str, current: &str) -> WorkspaceInputs {
        let given = |text: &str| (text != "-").then(|| PathBuf::from(text));
        WorkspaceInputs {
            flag: given(flag),
            variable: given(variable),
            path: given(path),
            current: current.into(),
            data: Some("/home/u/.local/share".into()),
        }
    }

    #[test]
    fn precedence() {
        use ChosenBy::{Ancestor, Data, Flag, Path as ByPath, Variable};
        let deep = "/home/u/study/deep/er";
        let table = [
            ("/w", "/v", "/home/u/study", deep, "/w", Flag),
            ("w", "-", "-", deep, "/home/u/study/deep/er/w", Flag),
            ("/x/.mendbench", "-", "-", deep, "/x", Flag),
            ("-", "/v", "/home/u/study", deep, "/v", Variable),
            ("-", "", "/home/u/study", "/", "/home/u/study", ByPath),
            ("-", "-", "study", "/home/u", "/home/u/study", ByPath),
            ("-", "-", "/home/u/file.jsonl", deep, "/home/u/study", Ancestor),
            ("-", "-", "/mnt/plain", deep, "/home/u/study", Ancestor),
            ("-", "-", "/mnt/disc", deep, "/mnt/disc", ByPath),
            ("-", "-", "-", "/home/u/study", "/home/u/study", Ancestor),
            ("-", "-", "/absent", "/", "/home/u/.local/share/mendbench", Data),
            ("-", "-", "-", "/home/u", "/home/u/.local/share/mendbench", Data),
        ];
        for (flag, variable, path, current, folder, chosen_by) in table {
            let workspace = choose(&inputs(flag, variable, path, current), &PLACES).unwrap();
            assert_eq!(
                (workspace.folder.to_str().unwrap(), workspace.chosen_by),
                (folder, chosen_by),
                "{flag} {variable} {path}"
            );
            assert_eq!(workspace.database, Path::new(folder).join(".mendbench/workspace.db"));
        }
    }

    #[test]
    fn what_cannot_be_a_workspace_is_told() {
        let error = choose(&inputs("/home/u/file.jsonl", "-", "-", "/"), &PLACES).unwrap_err();
        assert!(
            error.to_string().contains("/home/u/file.jsonl (from --workspace) is not a folder"),
            "{error}"
        );
        let error = choose(&inputs("-", "/home/u/file.jsonl", "-", "/"), &PLACES).unwrap_err();
        assert!(error.to_string().contains("(from MENDBENCH_WORKSPACE)"), "{error}");
        assert_eq!(choose(&inputs("", "-", "-", "/"), &PLACES), Err(WorkspaceError::Empty));
        let homeless = WorkspaceInputs { data: None, ..inputs("-", "-", "-", "/") };
        assert_eq!(choose(&homeless, &PLACES), Err(WorkspaceError::Nowhere));
    }

    #[test]
    fn nothing_is_made_before_the_first_write() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::in_folder(folder.path().join("new"), ChosenBy::Flag);
        assert!(workspace.open_if_exists().unwrap().is_none());
        assert!(!workspace.folder.exists());
        assert!(workspace.open_or_create().unwrap().is_writable());
        assert!(workspace.open_if_exists().unwrap().unwrap().is_writable());
        let names: Vec<_> = std::fs::read_dir(workspace.folder.join(FOLDER)).unwrap().collect();
        assert_eq!(names.len(), 1, "only the database is left: {names:?}");
    }
}
