//! Unified patches as data.
//!
//! Promises: everything that git reads from a patch has a place here, texts and paths are bytes, and
//! `Patch::parse(&patch.write())` gives the patch back.
//! Leaves to others: reading (`patch_parse`), writing (`patch_write`), making one from two versions
//! (`patch_between`), applying one.

use std::borrow::Cow;

/// A patch: files in order, and text after the last of them (a mail's signature).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// What is done to each file.
    pub files: Vec<FilePatch>,
    /// Lines after the last file.
    pub trailer: Vec<Vec<u8>>,
    /// Whether every hunk had as many lines as its header says. A patch read leniently may not.
    pub counts_checked: bool,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileStatus {
    /// Its content changes.
    #[default]
    Modified,
    /// It appears.
    Added,
    /// It disappears.
    Deleted,
    /// It moves, and may change.
    Renamed,
    /// It is copied, and may change.
    Copied,
    /// Only its mode changes.
    ModeChanged,
}

impl FileStatus {
    /// The name used in JSON and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            FileStatus::Modified => "modified",
            FileStatus::Added => "added",
            FileStatus::Deleted => "deleted",
            FileStatus::Renamed => "renamed",
            FileStatus::Copied => "copied",
            FileStatus::ModeChanged => "mode-changed",
        }
    }
}

/// The part of a patch that is about one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePatch {
    /// Text before the file's first header line (a mail's headers, a message).
    pub preamble: Vec<Vec<u8>>,
    /// Path before, without git's `a/`; `None` for an added file.
    pub old_path: Option<Vec<u8>>,
    /// Path after, without git's `b/`; `None` for a deleted file.
    pub new_path: Option<Vec<u8>>,
    /// What happens to it.
    pub status: FileStatus,
    /// Mode before, octal (`100644`).
    pub old_mode: Option<u32>,
    /// Mode after.
    pub new_mode: Option<u32>,
    /// Header lines kept as they are: `index …`, `similarity index …`, `dissimilarity index …`.
    pub headers: Vec<Vec<u8>>,
    /// The content is not text.
    pub binary: bool,
    /// Lines of a `GIT binary patch`, kept as they are; empty where a patch only says that files differ.
    pub binary_data: Vec<Vec<u8>>,
    /// Changes of text.
    pub hunks: Vec<PatchHunk>,
}

impl FilePatch {
    /// The path that names the file: the new one, or the old one of a deleted file.
    pub fn path(&self) -> Cow<'_, str> {
        let path = self.new_path.as_ref().or(self.old_path.as_ref());
        path.map_or(Cow::Borrowed(""), |path| String::from_utf8_lossy(path))
    }

    /// Lines that the hunks add.
    pub fn added(&self) -> usize {
        self.count(LineKind::Added)
    }

    /// Lines that the hunks remove.
    pub fn removed(&self) -> usize {
        self.count(LineKind::Removed)
    }

    fn count(&self, kind: LineKind) -> usize {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count()
    }
}

/// A run of lines of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk {
    /// First line of the old text, from 1; with no old lines the line after which it goes, 0 at the top.
    pub old_start: u32,
    /// Lines of the old text.
    pub old_len: u32,
    /// First line of the new text, as `old_start`.
    pub new_start: u32,
    /// Lines of the new text.
    pub new_len: u32,
    /// What stands behind the second `@@`: usually the function.
    pub section: Vec<u8>,
    /// The lines.
    pub lines: Vec<PatchLine>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchLine {
    /// What it does.
    pub kind: LineKind,
    /// Its text without `\n`; a `\r` before it is a part of the text.
    pub text: Vec<u8>,
    /// The file ends here without a line end.
    pub no_newline: bool,
}

/// What a line of a patch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// It is on both sides.
    Context,
    /// It is only on the old side.
    Removed,
    /// It is only on the new side.
    Added,
}

impl LineKind {
    /// Whether the old text has the line.
    pub fn is_old(self) -> bool {
        self != LineKind::Added
    }

    /// Whether the new text has the line.
    pub fn is_new(self) -> bool {
        self != LineKind::Removed
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
