//! Where tasks come from, in words and as arguments.

use std::path::{Path, PathBuf};

/// Kinds of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginKind {
    /// The sample tasks inside the binary.
    Samples,
    /// A folder of task folders.
    Folder,
    /// A dataset file.
    File,
    /// A workspace database.
    Workspace,
}

/// Where the tasks of a catalogue come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Kind of the source.
    pub kind: OriginKind,
    /// For people: `sample tasks`, a file name, `workspace NAME`.
    pub label: String,
    /// The path that was given; none for the samples.
    pub path: Option<PathBuf>,
    /// Flags that the user gave to have it read in a certain way: `--format NAME`, `--dataset NAME`.
    pub reading: Vec<String>,
}

impl Origin {
    /// The sample tasks.
    pub fn samples() -> Origin {
        Origin {
            kind: OriginKind::Samples,
            label: "sample tasks".to_owned(),
            path: None,
            reading: Vec::new(),
        }
    }

    /// A path.
    pub fn path(kind: OriginKind, path: &Path) -> Origin {
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = absolute
            .file_name()
            .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let label = if kind == OriginKind::Workspace { format!("workspace {name}") } else { name };
        Origin { kind, label, path: Some(path.to_owned()), reading: Vec::new() }
    }

    /// The positional argument that opens it again.
    pub fn arguments(&self) -> Vec<String> {
        match (self.kind, &self.path) {
            (OriginKind::Samples, _) | (_, None) => Vec::new(),
            (OriginKind::Workspace, Some(path)) => vec!["--workspace".to_owned(), path.display().to_string()],
            (_, Some(path)) => [vec![path.display().to_string()], self.reading.clone()].concat(),
        }
    }

    /// The flags that open it again where the positional argument is a task.
    pub fn flags(&self) -> Vec<String> {
        match (self.kind, &self.path) {
            (OriginKind::Samples, _) | (_, None) => Vec::new(),
            (OriginKind::Workspace, Some(path)) => vec!["--workspace".to_owned(), path.display().to_string()],
            (_, Some(path)) => {
                [vec!["--in".to_owned(), path.display().to_string()], self.reading.clone()].concat()
            }
        }
    }
}
