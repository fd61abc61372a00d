//! A file's bytes as text that can be edited in places, and back into bytes.
//!
//! Promises: what no edit touches stays byte for byte (byte-order mark, encoding, line ends, final line
//! end); new lines get the line end of the old line that they equal, or the one that the file mostly uses.
//! Leaves to others: what is edited.

use crate::diff::{Diff, DiffOptions, RowKind};
use crate::task::{Content, Decoded, Encoding};
use std::borrow::Cow;
use std::ops::Range;

const MARK: char = '\u{feff}';

/// A file that is text.
#[derive(Debug, Clone)]
pub(super) struct FileText<'a> {
    /// The text without a byte-order mark.
    pub text: Cow<'a, str>,
    marked: bool,
    encoding: Encoding,
    endings: Endings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endings {
    Lf,
    CrLf,
    Mixed { mostly_crlf: bool },
}

impl Endings {
    fn of(text: &str) -> Endings {
        let all = text.bytes().filter(|byte| *byte == b'\n').count();
        let crlf = text.matches("\r\n").count();
        match (all, crlf) {
            (_, 0) => Endings::Lf,
            (all, crlf) if all == crlf => Endings::CrLf,
            (all, crlf) => Endings::Mixed { mostly_crlf: crlf * 2 > all },
        }
    }
}

/// A replacement of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// What takes its place, with `\n` at its line ends.
    pub text: String,
}

/// Why a new text cannot be kept in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    /// The encoding has no such character.
    #[error("the file is not UTF-8 and is kept as Latin-1, which has no `{0}`")]
    Character(char),
    /// Two edits at the same place.
    #[error("two parts of the answer change the same lines")]
    Overlap,
}

impl<'a> FileText<'a> {
    /// The text of a file; `None` for one that is not text.
    pub(super) fn read(content: &'a Content) -> Option<FileText<'a>> {
        let Decoded::Text(text, encoding) = content.decode() else { return None };
        let marked = text.starts_with(MARK);
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
            owned => owned,
        };
        let endings = Endings::of(&text);
        Some(FileText { text, marked, encoding, endings })
    }

    /// A file that does not exist yet.
    pub(super) fn new_file() -> FileText<'static> {
        FileText { text: Cow::Borrowed(""), marked: false, encoding: Encoding::Utf8, endings: Endings::Lf }
    }

    /// The text with edits made. Edits may come in any order.
    pub(super) fn edited(&self, edits: &[Edit]) -> Result<String, FileError> {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut new = String::with_capacity(self.text.len());
        let mut at = 0;
        for edit in edits {
            let (Some(before), Some(old)) =
                (self.text.get(at..edit.range.start), self.text.get(edit.range.clone()))
            else {
                return Err(FileError::Overlap);
            };
            new.push_str(before);
            new.push_str(&self.endings_of(old, &edit.text));
            at = edit.range.end;
        }
        new.push_str(self.text.get(at..).unwrap_or_default());
        Ok(new)
    }

    /// The bytes of a new text of this file.
    pub(super) fn content(&self, text: &str) -> Result<Content, FileError> {
        if self.encoding == Encoding::Latin1 {
            let byte = |character: char| {
                u8::try_from(u32::from(character)).map_err(|_| FileError::Character(character))
            };
            return Ok(Content::new(text.chars().map(byte).collect::<Result<Vec<u8>, _>>()?));
        }
        let mark = if self.marked { MARK.len_utf8() } else { 0 };
        let mut bytes = Vec::with_capacity(text.len() + mark);
        if self.marked {
            bytes.extend_from_slice(MARK.encode_utf8(&mut [0; 4]).as_bytes());
        }
        bytes.extend_from_slice(text.as_bytes());
        Ok(Content::new(bytes))
    }

    /// `new` with the line ends that it gets where it replaces `old`.
    fn endings_of(&self, old: &str, new: &str) -> String {
        match self.endings {
            Endings::Lf => new.to_owned(),
            Endings::CrLf => new.replace('\n', "\r\n"),
            Endings::Mixed { mostly_crlf } => {
                let usual = if mostly_crlf { "\r\n" } else { "\n" };
                let plain = old.replace("\r\n", "\n");
                let diff = Diff::compute(&plain, new, &DiffOptions::default());
                let old_ends: Vec<bool> =
                    old.split_inclusive('\n').map(|line| line.ends_with("\r\n")).collect();
                let mut ends: Vec<Option<bool>> = vec![None; diff.new.len()];
                for row in diff.rows.iter().filter(|row| row.kind == RowKind::Equal) {
                    if let (Some(old), Some(new)) = (row.old, row.new)
                        && let Some(end) = ends.get_mut(new as usize)
                    {
                        *end = old_ends.get(old as usize).copied();
                    }
                }
                let lines = new.split_inclusive('\n').zip(ends.iter().chain(std::iter::repeat(&None)));
                lines
                    .map(|(line, end)| match (line.strip_suffix('\n'), end) {
                        (None, _) => line.to_owned(),
                        (Some(line), Some(true)) => format!("{line}\r\n"),
                        (Some(line), Some(false)) => format!("{line}\n"),
                        (Some(line), None) => format!("{line}{usual}"),
                    })
                    .collect()
            }
        }
    }
}

/// A text with plain `\n` line ends.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Whether two texts are the same but for white space.
pub(super) fn same_but_blanks(one: &str, two: &str) -> bool {
    let dark =
        |text: &'_ str| text.chars().filter(|character| !character.is_whitespace()).collect::<Vec<_>>();
    one == two || dark(one) == dark(two)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn edit(bytes: &[u8], range: Range<usize>, text: &str) -> Vec<u8> {
        let content = Content::new(bytes);
        let file = FileText::read(&content).unwrap();
        let new = file.edited(&[Edit { range, text: text.to_owned() }]).unwrap();
        file.content(&new).unwrap().bytes().to_vec()
    }

    #[test]
    fn what_is_outside_stays() {
        assert_eq!(edit(b"a\r\nb\r\nc", 3..6, "x\ny\n"), b"a\r\nx\r\ny\r\nc");
        assert_eq!(edit(b"\xef\xbb\xbfa\nb", 0..1, "x"), b"\xef\xbb\xbfx\nb");
        assert_eq!(edit(b"a\xe9\nb\n", 4..5, "\u{e8}"), b"a\xe9\n\xe8\n");
        assert_eq!(edit(b"a\nb\r\nc\nd\n", 0..9, "a\nb\nx\nd\n"), b"a\nb\r\nx\nd\n");
        let content = Content::new(&b"a\xe9\n"[..]);
        let file = FileText::read(&content).unwrap();
        assert_eq!(file.content("\u{2026}"), Err(FileError::Character('\u{2026}')));
        let edits = [Edit { range: 0..2, text: String::new() }, Edit { range: 1..3, text: String::new() }];
        assert_eq!(file.edited(&edits), Err(FileError::Overlap));
    }
}
