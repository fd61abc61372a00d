//! How much a reader takes in before it says "too much".
//!
//! Promises: every bound that a hostile file could reach has a name here; reaching one is always
//! reported (a skipped row, a mark on the task), never silent.

/// Bounds of one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Longest line of a line-based file; a longer one is skipped.
    pub line_bytes: usize,
    /// Bytes that a compressed file may unpack to; reading stops there.
    pub unpacked_bytes: u64,
    /// JSON values in one row; a row with more is skipped.
    pub json_values: usize,
    /// Bytes kept of one extra key that a row carries; a longer value is left out and named.
    pub extra_bytes: usize,
    /// Largest file kept of a task folder; of a larger one only the size is known.
    pub file_bytes: u64,
    /// Largest `task.toml` and largest stored feedback text.
    pub text_bytes: u64,
    /// Files of one task.
    pub files: usize,
    /// Bytes of all files of one task.
    pub task_bytes: u64,
    /// Folders inside each other in one task.
    pub depth: usize,
    /// How deep task folders are looked for.
    pub search_depth: usize,
    /// A line longer than this is marked: it is shown without syntax colours.
    pub long_line: usize,
    /// How many skipped rows are kept with their reason; all are counted.
    pub skipped_kept: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            line_bytes: 64 << 20,
            unpacked_bytes: 4 << 30,
            json_values: 1_000_000,
            extra_bytes: 1 << 20,
            file_bytes: 16 << 20,
            text_bytes: 4 << 20,
            files: 10_000,
            task_bytes: 256 << 20,
            depth: 32,
            search_depth: 4,
            long_line: 5_000,
            skipped_kept: 10_000,
        }
    }
}
