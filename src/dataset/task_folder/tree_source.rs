//! Where task folders lie: on disk, or embedded in the binary.
//!
//! Promises: never follows a symbolic link, never opens a pipe or device, names are sorted, so that
//! the same folder reads the same everywhere.

use crate::dataset::probe::special;
use include_dir::{Dir, DirEntry};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most entries of one folder.
const ENTRIES: usize = 1_000_000;

/// A tree of files by `/`-separated path; the empty path is the root.
pub trait TreeSource {
    /// The path as the user knows it, for messages.
    fn shown(&self, path: &str) -> PathBuf;

    /// What a folder holds, sorted by name.
    fn list(&self, folder: &str) -> Result<Vec<Entry>, String>;

    /// A file's bytes, if they are at most `limit`.
    fn read(&self, file: &str, limit: u64) -> Result<FileBytes, String>;
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name; not UTF-8 is replaced, and then `kind` says so.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link and where it points.
    Symlink(String),
    /// A pipe, socket or device.
    Special(&'static str),
    /// Cannot be looked at, or has a name that is not UTF-8.
    Unreadable(String),
}

/// A file's bytes, or its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileBytes {
    /// All of it.
    Whole(Vec<u8>),
    /// Larger than the limit; how many bytes it says it has.
    TooLarge(u64),
}

/// `folder/name`, or `name` at the root.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A folder on disk.
pub struct DiskTree {
    root: PathBuf,
}

impl DiskTree {
    /// The tree below `root`.
    pub fn new(root: &Path) -> DiskTree {
        DiskTree { root: root.to_owned() }
    }

    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl TreeSource for DiskTree {
    fn shown(&self, path: &str) -> PathBuf {
        self.path(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, String> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.path(folder)).map_err(|error| error.to_string())? {
            if entries.len() == ENTRIES {
                return Err(format!("more than {ENTRIES} entries in one folder"));
            }
            let entry = entry.map_err(|error| error.to_string())?;
            let (name, sound) = match entry.file_name().into_string() {
                Ok(name) => (name, true),
                Err(name) => (name.to_string_lossy().into_owned(), false),
            };
            let kind = match entry.file_type() {
                _ if !sound => EntryKind::Unreadable("its name is not UTF-8".to_owned()),
                Err(error) => EntryKind::Unreadable(error.to_string()),
                Ok(kind) if kind.is_symlink() => {
                    let target = fs::read_link(entry.path()).unwrap_or_default();
                    EntryKind::Symlink(target.to_string_lossy().into_owned())
                }
                Ok(kind) if kind.is_dir() => EntryKind::Folder,
                Ok(kind) => special(kind).map_or(EntryKind::File, EntryKind::Special),
            };
            entries.push(Entry { name, kind });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read(&self, file: &str, limit: u64) -> Result<FileBytes, String> {
        let opened = open_without_links(&self.path(file)).map_err(|error| error.to_string())?;
        let metadata = opened.metadata().map_err(|error| error.to_string())?;
        if !metadata.is_file() {
            return Err("not a regular file".to_owned());
        }
        if metadata.len() > limit {
            return Ok(FileBytes::TooLarge(metadata.len()));
        }
        // Some files (of /proc, or still written to) hold more than they say.
        let mut bytes = Vec::new();
        opened.take(limit + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(if bytes.len() as u64 > limit {
            FileBytes::TooLarge(bytes.len() as u64)
        } else {
            FileBytes::Whole(bytes)
        })
    }
}

/// Opens a file for reading; a link that was put there since the folder was listed is not followed.
fn open_without_links(path: &Path) -> std::io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    }
    options.open(path)
}

/// A folder embedded in the binary.
pub struct EmbeddedTree {
    root: &'static Dir<'static>,
    shown_as: &'static str,
}

impl EmbeddedTree {
    /// The tree of an embedded folder, named `shown_as` in messages.
    pub fn new(root: &'static Dir<'static>, shown_as: &'static str) -> EmbeddedTree {
        EmbeddedTree { root, shown_as }
    }
}

impl TreeSource for EmbeddedTree {
    fn shown(&self, path: &str) -> PathBuf {
        Path::new(self.shown_as).join(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, String> {
        let dir = if folder.is_empty() { Some(self.root) } else { self.root.get_dir(folder) };
        let dir = dir.ok_or_else(|| "no such folder".to_owned())?;
        let mut entries: Vec<Entry> = dir
            .entries()
            .iter()
            .filter_map(|entry| {
                let name = entry.path().file_name()?.to_str()?.to_owned();
                let kind = match entry {
                    DirEntry::Dir(_) => EntryKind::Folder,
                    DirEntry::File(_) => EntryKind::File,
                };
                Some(Entry { name, kind })
            })
            .collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read(&self, file: &str, limit: u64) -> Result<FileBytes, String> {
        let bytes = self.root.get_file(file).ok_or_else(|| "no such file".to_owned())?.contents();
        Ok(if bytes.len() as u64 > limit {
            FileBytes::TooLarge(bytes.len() as u64)
        } else {
            FileBytes::Whole(bytes.to_vec())
        })
    }
}
