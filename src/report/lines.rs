//! Bytes in chunks become lines, each of bounded length.
//!
//! Promises: what comes out does not depend on where the chunks were cut; of a line without end only its
//! first [`MOST_BYTES`] are held; invalid UTF-8 becomes U+FFFD; colour sequences and a CR at the end are taken
//! away. Leaves to others: what a line means.

/// Bytes kept of one line; the rest of it is let go.
pub(super) const MOST_BYTES: usize = 64 * 1024;

/// A line that is being collected.
#[derive(Debug, Default)]
pub(super) struct Lines {
    held: Vec<u8>,
    open: bool,
}

impl Lines {
    /// Takes a chunk and hands every line that it ends to `take`.
    pub(super) fn push(&mut self, mut chunk: &[u8], take: &mut dyn FnMut(&str)) {
        while !chunk.is_empty() {
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = MOST_BYTES.saturating_sub(self.held.len());
            self.held.extend_from_slice(&part[..part.len().min(room)]);
            match end {
                Some(end) => {
                    self.give(take);
                    chunk = &chunk[end + 1..];
                }
                None => {
                    self.open = true;
                    return;
                }
            }
        }
    }

    /// Hands out what came after the last newline.
    pub(super) fn finish(&mut self, take: &mut dyn FnMut(&str)) {
        if self.open {
            self.give(take);
        }
    }

    fn give(&mut self, take: &mut dyn FnMut(&str)) {
        let bytes = self.held.strip_suffix(b"\r").unwrap_or(&self.held);
        let text = String::from_utf8_lossy(bytes);
        if text.contains('\u{1b}') {
            take(&without_sequences(&text))
        } else {
            take(&text)
        }
        self.held.clear();
        self.open = false;
    }
}

/// The text without control sequences (`ESC [ … letter`), which runners use for colours.
fn without_sequences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(at);
        let body = &sequence[2..];
        let Some(end) = body.find(|c: char| !c.is_ascii_digit() && !matches!(c, ';' | '?')) else {
            out.push_str(before);
            return out;
        };
        out.push_str(before);
        let after = &body[end..];
        rest = after.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(after);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        for chunk in chunks {
            lines.push(chunk, &mut |line| out.push(line.to_owned()));
        }
        lines.finish(&mut |line| out.push(line.to_owned()));
        out
    }

    #[test]
    fn chunks_do_not_matter_and_the_last_line_needs_no_newline() {
        assert_eq!(lines(&[b"one\r\ntw", b"o\n", b"\nthree"]), ["one", "two", "", "three"]);
        assert_eq!(lines(&[b"\xff\xc3", b"\xa9\n"]), ["\u{fffd}é"]);
        assert_eq!(lines(&[b""]), Vec::<String>::new());
        assert_eq!(lines(&[b"\x1b[32mPASSED\x1b[0m \x1b[1;31m", b"x\x1b[\x1b[K"]), ["PASSED x"]);
    }

    #[test]
    fn a_line_without_end_is_not_held() {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        let chunk = vec![b'x'; 1 << 16];
        for _ in 0..160 {
            lines.push(&chunk, &mut |line| out.push(line.len()));
        }
        assert!(lines.held.capacity() <= 2 * MOST_BYTES);
        lines.push(b"\nshort\n", &mut |line| out.push(line.len()));
        assert_eq!(out, [MOST_BYTES, 5]);
    }
}
