//! Reading a unified patch: git's, and what `diff -u` writes.
//!
//! Promises: never panics; text around the patch is kept; an error names the line. Headers may end with
//! `\r` (then the patch came through something that changed its line ends, and the hunk's lines lose that
//! `\r` too); a `\r` at the end of a hunk's line otherwise belongs to the line.
//! Leaves to others: whether the patch fits a file.

use super::patch::{FilePatch, FileStatus, LineKind, Patch, PatchHunk, PatchLine};
use super::patch_error::{CountCheck, PatchError, PatchErrorKind};
use super::patch_path::{git_names, has_letter, has_letters, unquote};

impl Patch {
    /// Reads a patch whose counts are right.
    pub fn parse(text: &[u8]) -> Result<Patch, PatchError> {
        Patch::parse_with(text, CountCheck::Strict)
    }

    /// Reads a patch. A text without any file gives a patch without files: everything is trailer.
    pub fn parse_with(text: &[u8], check: CountCheck) -> Result<Patch, PatchError> {
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let mut reader = Reader { lines, at: 0, check, counts_checked: true };
        reader.patch()
    }
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
    check: CountCheck,
    counts_checked: bool,
}

/// Which component git put before both names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Letters,
    None,
}

impl<'a> Reader<'a> {
    /// A line without `\n` and without a `\r` that a conversion put there.
    fn header(&self, at: usize) -> Option<&'a [u8]> {
        let line = *self.lines.get(at)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    fn starts(&self, at: usize, with: &[u8]) -> bool {
        self.lines.get(at).is_some_and(|line| line.starts_with(with))
    }

    fn error<T>(&self, at: usize, kind: PatchErrorKind) -> Result<T, PatchError> {
        Err(PatchError { line: at + 1, kind })
    }

    /// `---` and `+++` stand here.
    fn names_at(&self, at: usize) -> bool {
        self.starts(at, b"--- ") && self.starts(at + 1, b"+++ ")
    }

    fn patch(&mut self) -> Result<Patch, PatchError> {
        let mut patch = Patch::default();
        let mut preamble: Vec<Vec<u8>> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            let file = if let Some(names) = line.strip_prefix(b"diff --git ") {
                self.git_file(names)?
            } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
                return self.error(self.at, PatchErrorKind::Combined);
            } else if self.names_at(self.at) && self.starts(self.at + 2, b"@@ -") {
                self.plain_file()?
            } else if line.starts_with(b"@@ -") && hunk_header(line).is_some() && self.is_strict() {
                return self.error(self.at, PatchErrorKind::HunkWithoutFile);
            } else {
                preamble.push(line.to_vec());
                self.at += 1;
                continue;
            };
            patch.files.push(FilePatch { preamble: std::mem::take(&mut preamble), ..file });
        }
        patch.trailer = preamble;
        patch.counts_checked = self.counts_checked;
        Ok(patch)
    }

    fn is_strict(&self) -> bool {
        self.check == CountCheck::Strict
    }

    fn git_file(&mut self, names: &[u8]) -> Result<FilePatch, PatchError> {
        let start = self.at;
        let names = git_names(names.strip_suffix(b"\r").unwrap_or(names));
        let prefix = match &names {
            Some((old, new)) if !has_letters(old, new) => Prefix::None,
            _ => Prefix::Letters,
        };
        let mut file = FilePatch::default();
        if let Some((old, new)) = names {
            file.old_path = Some(strip(old, prefix));
            file.new_path = Some(strip(new, prefix));
        }
        self.at += 1;
        while let Some(line) = self.header(self.at) {
            if self.names_at(self.at) {
                let (old, new) = (self.name(self.at)?, self.name(self.at + 1)?);
                file.old_path = old.map(|path| strip(path, prefix));
                file.new_path = new.map(|path| strip(path, prefix));
                self.at += 2;
                break;
            }
            if !self.git_header(line, &mut file)? {
                break;
            }
        }
        match file.status {
            FileStatus::Added => file.old_path = None,
            FileStatus::Deleted => file.new_path = None,
            _ if file.old_path.is_none() => file.status = FileStatus::Added,
            _ if file.new_path.is_none() => file.status = FileStatus::Deleted,
            _ => {}
        }
        if file.old_path.is_none() && file.new_path.is_none() {
            return self.error(start, PatchErrorKind::NoPath);
        }
        file.hunks = self.hunks()?;
        let modes_differ = file.old_mode.is_some() && file.old_mode != file.new_mode;
        if file.status == FileStatus::Modified && modes_differ && file.hunks.is_empty() && !file.binary {
            file.status = FileStatus::ModeChanged;
        }
        Ok(file)
    }

    /// Reads one line of git's extended header; false when it is none.
    fn git_header(&mut self, line: &[u8], file: &mut FilePatch) -> Result<bool, PatchError> {
        let at = self.at;
        let mode = |text: &[u8]| -> Result<Option<u32>, PatchError> {
            let mode = std::str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
            mode.map(Some).ok_or(PatchError { line: at + 1, kind: PatchErrorKind::BadMode })
        };
        let path = |text: &[u8]| -> Result<Option<Vec<u8>>, PatchError> {
            let path = if text.first() == Some(&b'"') {
                unquote(text).map(|(path, _)| path)
            } else {
                Some(text.to_vec())
            };
            path.map(Some).ok_or(PatchError { line: at + 1, kind: PatchErrorKind::BadPath })
        };
        if let Some(text) = line.strip_prefix(b"old mode ") {
            file.old_mode = mode(text)?;
        } else if let Some(text) = line.strip_prefix(b"new mode ") {
            file.new_mode = mode(text)?;
        } else if let Some(text) = line.strip_prefix(b"new file mode ") {
            file.status = FileStatus::Added;
            file.new_mode = mode(text)?;
        } else if let Some(text) = line.strip_prefix(b"deleted file mode ") {
            file.status = FileStatus::Deleted;
            file.old_mode = mode(text)?;
        } else if let Some(text) = line.strip_prefix(b"rename from ") {
            file.status = FileStatus::Renamed;
            file.old_path = path(text)?;
        } else if let Some(text) = line.strip_prefix(b"rename to ") {
            file.status = FileStatus::Renamed;
            file.new_path = path(text)?;
        } else if let Some(text) = line.strip_prefix(b"copy from ") {
            file.status = FileStatus::Copied;
            file.old_path = path(text)?;
        } else if let Some(text) = line.strip_prefix(b"copy to ") {
            file.status = FileStatus::Copied;
            file.new_path = path(text)?;
        } else if line.starts_with(b"index ")
            || line.starts_with(b"similarity index ")
            || line.starts_with(b"dissimilarity index ")
        {
            file.headers.push(line.to_vec());
        } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
            file.binary = true;
        } else if line == b"GIT binary patch" {
            file.binary = true;
            self.at += 1;
            file.binary_data = self.binary_data();
            return Ok(true);
        } else {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// The blocks of a binary patch, each closed by an empty line.
    fn binary_data(&mut self) -> Vec<Vec<u8>> {
        let mut data = Vec::new();
        while self.starts(self.at, b"literal ") || self.starts(self.at, b"delta ") {
            while let Some(line) = self.header(self.at) {
                self.at += 1;
                data.push(line.to_vec());
                if line.is_empty() {
                    break;
                }
            }
        }
        data
    }

    fn plain_file(&mut self) -> Result<FilePatch, PatchError> {
        let start = self.at;
        let (old, new) = (self.name(start)?, self.name(start + 1)?);
        let prefix = match (&old, &new) {
            (Some(old), Some(new)) if !has_letters(old, new) => Prefix::None,
            (Some(path), None) | (None, Some(path)) if !has_letter(path) => Prefix::None,
            _ => Prefix::Letters,
        };
        self.at += 2;
        let status = match (&old, &new) {
            (None, None) => return self.error(start, PatchErrorKind::NoPath),
            (None, _) => FileStatus::Added,
            (_, None) => FileStatus::Deleted,
            _ => FileStatus::Modified,
        };
        Ok(FilePatch {
            old_path: old.map(|path| strip(path, prefix)),
            new_path: new.map(|path| strip(path, prefix)),
            status,
            hunks: self.hunks()?,
            ..FilePatch::default()
        })
    }

    /// The name on a `---` or `+++` line, `None` for `/dev/null`. A tab begins a date.
    fn name(&self, at: usize) -> Result<Option<Vec<u8>>, PatchError> {
        let text = self.header(at).and_then(|line| line.get(4..)).unwrap_or_default();
        let name = if text.first() == Some(&b'"') {
            match unquote(text) {
                Some((name, _)) => name,
                None => return self.error(at, PatchErrorKind::BadPath),
            }
        } else {
            text.split(|byte| *byte == b'\t').next().unwrap_or_default().to_vec()
        };
        if name.is_empty() {
            return self.error(at, PatchErrorKind::NoPath);
        }
        Ok((name != b"/dev/null").then_some(name))
    }

    fn hunks(&mut self) -> Result<Vec<PatchHunk>, PatchError> {
        let mut hunks = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with(b"@@ -")) {
            let Some(hunk) = hunk_header(line) else {
                return self.error(self.at, PatchErrorKind::HunkHeader);
            };
            let converted = line.ends_with(b"\r");
            let start = self.at;
            let read = self.counted(hunk.clone(), converted);
            hunks.push(match read {
                Err(_) if !self.is_strict() => {
                    self.at = start;
                    self.counts_checked = false;
                    self.uncounted(hunk, converted)
                }
                read => read?,
            });
        }
        Ok(hunks)
    }

    /// Reads the lines of a hunk by its counts.
    fn counted(&mut self, mut hunk: PatchHunk, converted: bool) -> Result<PatchHunk, PatchError> {
        let header = self.at + 1;
        let (mut old, mut new) = (hunk.old_len, hunk.new_len);
        self.at += 1;
        while old > 0 || new > 0 {
            let short = PatchErrorKind::HunkShort { header, old, new };
            let Some(line) = self.lines.get(self.at) else { return self.error(self.at, short) };
            if line.first() == Some(&b'\\') && mark_no_newline(&mut hunk) {
                self.at += 1;
                continue;
            }
            let Some(line) = hunk_line(line, converted) else { return self.error(self.at, short) };
            let (in_old, in_new) = (u32::from(line.kind.is_old()), u32::from(line.kind.is_new()));
            if in_old > old || in_new > new {
                return self.error(self.at, short);
            }
            old -= in_old;
            new -= in_new;
            hunk.lines.push(line);
            self.at += 1;
        }
        if self.starts(self.at, b"\\") && mark_no_newline(&mut hunk) {
            self.at += 1;
        }
        let goes_on = self.lines.get(self.at).is_some_and(|line| {
            matches!(line.first(), Some(b'+' | b'-' | b' ')) && !self.names_at(self.at) && !is_signature(line)
        });
        if goes_on { self.error(self.at, PatchErrorKind::HunkLong { header }) } else { Ok(hunk) }
    }

    /// Reads the lines of a hunk by what they look like, and counts them.
    fn uncounted(&mut self, mut hunk: PatchHunk, converted: bool) -> PatchHunk {
        self.at += 1;
        while let Some(line) = self.lines.get(self.at) {
            if self.names_at(self.at) || is_signature(line) {
                break;
            }
            if line.first() == Some(&b'\\') {
                mark_no_newline(&mut hunk);
                self.at += 1;
                continue;
            }
            // An empty line is context that lost its blank, if the hunk goes on behind it.
            let next = self.lines.get(self.at + 1).and_then(|next| next.first());
            if line.is_empty() && !matches!(next, Some(b' ' | b'+' | b'-' | b'\\')) {
                break;
            }
            let Some(line) = hunk_line(line, converted) else { break };
            hunk.lines.push(line);
            self.at += 1;
        }
        let count = |is: fn(LineKind) -> bool| {
            u32::try_from(hunk.lines.iter().filter(|line| is(line.kind)).count()).unwrap_or(u32::MAX)
        };
        (hunk.old_len, hunk.new_len) = (count(LineKind::is_old), count(LineKind::is_new));
        hunk
    }
}

fn mark_no_newline(hunk: &mut PatchHunk) -> bool {
    let last = hunk.lines.last_mut().filter(|line| !line.no_newline);
    last.map(|line| line.no_newline = true).is_some()
}

/// The line that begins a mail's signature.
fn is_signature(line: &[u8]) -> bool {
    matches!(line, b"-- " | b"--" | b"-- \r")
}

fn hunk_line(line: &[u8], converted: bool) -> Option<PatchLine> {
    let line = if converted { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
    let (kind, text) = match line.split_first() {
        Some((b' ', text)) => (LineKind::Context, text),
        Some((b'-', text)) => (LineKind::Removed, text),
        Some((b'+', text)) => (LineKind::Added, text),
        None => (LineKind::Context, line),
        Some(_) => return None,
    };
    Some(PatchLine { kind, text: text.to_vec(), no_newline: false })
}

fn hunk_header(line: &[u8]) -> Option<PatchHunk> {
    let (old_start, old_len, rest) = range(line.strip_prefix(b"@@ -")?)?;
    let (new_start, new_len, rest) = range(rest.strip_prefix(b" +")?)?;
    let section = rest.strip_prefix(b" @@")?;
    let section = section.strip_prefix(b" ").unwrap_or(section).trim_ascii_end().to_vec();
    Some(PatchHunk { old_start, old_len, new_start, new_len, section, lines: Vec::new() })
}

/// `12,3` or `12` at the start of a text.
fn range(text: &[u8]) -> Option<(u32, u32, &[u8])> {
    let number = |text: &'_ [u8]| -> Option<(u32, usize)> {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        Some((std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?, digits))
    };
    let (start, digits) = number(text)?;
    let rest = &text[digits..];
    let (len, rest) = match rest.strip_prefix(b",") {
        Some(rest) => {
            let (len, digits) = number(rest)?;
            (len, &rest[digits..])
        }
        None => (1, rest),
    };
    Some((start, len, rest))
}

fn strip(name: Vec<u8>, prefix: Prefix) -> Vec<u8> {
    if prefix == Prefix::Letters && has_letter(&name) { name[2..].to_vec() } else { name }
}
