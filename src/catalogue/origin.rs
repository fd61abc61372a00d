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

/// The label of the samples.
const SAMPLES: &str = "sample tasks";
/// What the label of a workspace begins with.
const WORKSPACE: &str = "workspace ";

/// The arguments that open again what has this label, together with a workspace. Of a path a label keeps the last part
/// only: that stands for it. Without PATH a workspace would be opened in the place of the samples, so none is named there.
pub fn arguments_of(label: &str, workspace: Option<&str>) -> Vec<String> {
    let path = match label {
        SAMPLES => return Vec::new(),
        label if label.starts_with(WORKSPACE) => None,
        label => Some(label.to_owned()),
    };
    let beside = workspace.into_iter().flat_map(|folder| ["--workspace".to_owned(), folder.to_owned()]);
    path.into_iter().chain(beside).collect()
}

/// Whether what has this label lies at a path that the label does not tell.
pub fn is_at_a_path(label: &str) -> bool {
    label != SAMPLES && !label.starts_with(WORKSPACE)
}

impl Origin {
    /// The sample tasks.
    pub fn samples() -> Origin {
        Origin { kind: OriginKind::Samples, label: SAMPLES.to_owned(), path: None, reading: Vec::new() }
    }

    /// A path.
    pub fn path(kind: OriginKind, path: &Path) -> Origin {
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = absolute
            .file_name()
            .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let label = if kind == OriginKind::Workspace { format!("{WORKSPACE}{name}") } else { name };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_tells_how_it_is_opened_again() {
        let of = |origin: &Origin| arguments_of(&origin.label, Some("rounds")).join(" ");
        let path = |kind| Origin::path(kind, Path::new("data/sample-tasks"));
        assert_eq!(of(&Origin::samples()), "");
        assert_eq!(of(&path(OriginKind::Folder)), "sample-tasks --workspace rounds");
        assert_eq!(of(&path(OriginKind::Workspace)), "--workspace rounds");
        assert_eq!(arguments_of("set.jsonl", None), ["set.jsonl"]);
        let at_a_path = |origin: &Origin| is_at_a_path(&origin.label);
        assert!(at_a_path(&path(OriginKind::File)) && !at_a_path(&Origin::samples()));
        assert!(!at_a_path(&path(OriginKind::Workspace)));
    }
}
