//! What can be wrong with a patch, and how strictly it is read.

/// What to do with hunks whose line counts are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CountCheck {
    /// They are an error.
    #[default]
    Strict,
    /// Their lines are taken as they look, their counts are corrected, and [`Patch::counts_checked`](super::Patch::counts_checked) says
    /// so: models count badly.
    Lenient,
}

/// Why a text is not a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {kind}")]
pub struct PatchError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: PatchErrorKind,
}

/// What can be wrong with a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchErrorKind {
    /// A hunk header that cannot be read.
    #[error("a hunk header must look like `@@ -1,2 +1,3 @@`, with numbers below 4294967295")]
    HunkHeader,
    /// A hunk ends early.
    #[error(
        "the hunk of line {header} ends here, but its header promises {old} more old and {new} more new \
         lines; correct the counts, or read the patch leniently"
    )]
    HunkShort {
        /// Line of the hunk header.
        header: usize,
        /// Old lines that are missing.
        old: u32,
        /// New lines that are missing.
        new: u32,
    },
    /// A hunk goes on longer than it says.
    #[error(
        "the hunk of line {header} is complete by its header, but goes on; correct the counts, or read the \
         patch leniently"
    )]
    HunkLong {
        /// Line of the hunk header.
        header: usize,
    },
    /// A hunk before any file name.
    #[error("a hunk without a file; put `--- a/PATH` and `+++ b/PATH` before it")]
    HunkWithoutFile,
    /// A file without a name.
    #[error("the header names no file")]
    NoPath,
    /// A quoted path that does not end, or an unknown escape in it.
    #[error("a quoted path that cannot be read")]
    BadPath,
    /// A mode that is not an octal number.
    #[error("a file mode must be an octal number such as 100644")]
    BadMode,
    /// A patch with several old sides.
    #[error("a combined diff of a merge has several old sides; use `git diff A B` instead")]
    Combined,
}
