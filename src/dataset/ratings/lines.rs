//! On which line a record starts.
//!
//! The position that `csv` gives is where it began to look for the record: at the line feed of a CR LF before it, or
//! at the first of several blank lines. People count lines as their editor does.

/// Counts the lines of a text, from its start to its end.
pub(in crate::dataset) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    /// At the start of a text.
    pub(in crate::dataset) fn of(bytes: &'a [u8]) -> Lines<'a> {
        Lines { bytes, at: 0, line: 1 }
    }

    /// The line, from 1, of the first record that starts at this position or behind it. Positions must not go back.
    pub(in crate::dataset) fn of_record(&mut self, position: Option<&csv::Position>) -> u64 {
        let start = position.map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
        let is_end = |byte: u8| byte == b'\n' || byte == b'\r';
        while let Some(byte) =
            self.bytes.get(self.at).copied().filter(|byte| self.at < start || is_end(*byte))
        {
            self.at += 1;
            let within = byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n');
            self.line += u64::from(is_end(byte) && !within);
        }
        self.line
    }
}
