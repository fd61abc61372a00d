//! Paths that come from outside: which of them may be used inside a tree, and what in a tree is litter.
//!
//! Promises: pure; a path that passes stays inside. Leaves to others: links on a disk (`dataset`, `sandbox`).

/// Why a path may not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnsafePath {
    /// Nothing.
    #[error("the path is empty")]
    Empty,
    /// Starts at the root, or with a drive.
    #[error("the path is absolute; write it relative to the task's tree")]
    Absolute,
    /// Goes up.
    #[error("the path holds `..`, which would leave the task's tree")]
    Parent,
    /// Holds `.`, or two slashes, or ends in one.
    #[error("the path holds an empty part or `.`; write it as `folder/file`")]
    Untidy,
    /// Holds a zero byte or a control character.
    #[error("the path holds a control character")]
    Control,
    /// Longer than any system takes.
    #[error("the path is too long")]
    TooLong,
}

/// Whether `path` names a file inside a tree: relative, `/` between its parts, nothing that leaves it.
pub fn check_path(path: &str) -> Result<(), UnsafePath> {
    if path.is_empty() {
        return Err(UnsafePath::Empty);
    }
    if path.len() > 4000 {
        return Err(UnsafePath::TooLong);
    }
    if path.chars().any(char::is_control) {
        return Err(UnsafePath::Control);
    }
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if path.starts_with(['/', '\\']) || drive {
        return Err(UnsafePath::Absolute);
    }
    for part in path.split('/') {
        match part {
            "" | "." => return Err(UnsafePath::Untidy),
            ".." => return Err(UnsafePath::Parent),
            _ if part.split('\\').any(|piece| piece == "..") => return Err(UnsafePath::Parent),
            _ if part.len() > 255 => return Err(UnsafePath::TooLong),
            _ => {}
        }
    }
    Ok(())
}

/// Entries of a tree that are never part of a task: version control, caches of interpreters and file
/// managers. They come and go while people work, and would change a task's revision.
pub fn is_litter(name: &str) -> bool {
    matches!(name, ".git" | ".hg" | ".svn" | "__pycache__" | ".DS_Store")
}
