//! Looking at a bundle before anything of it is taken.
//!
//! Promises: nothing is written; a bundle that passes has its header, a closing line that fits the bytes
//! and counts before it, and nothing behind that. Leaves to others: what the lines say (`import`).

use super::BundleError;
use super::import::check_header;
use super::line::{AnyLine, BLOB, END, EVENT, EndLine, MAX_LINE, Read, VERSION, read_line};
use crate::store::BlobId;
use sha2::{Digest, Sha256};
use std::io::BufRead;

/// What a first line is at most long; a header is shorter by far.
const FIRST_LINE: u64 = 4_096;

/// Reads the first line, and gives it back when it is a bundle's.
pub fn first_line(input: &mut dyn BufRead) -> Result<Vec<u8>, BundleError> {
    let mut line = Vec::new();
    std::io::Read::take(input, FIRST_LINE).read_until(b'\n', &mut line).map_err(BundleError::Read)?;
    check_header(line.strip_suffix(b"\n").unwrap_or(&line))?;
    Ok(line)
}

/// Reads a whole bundle and fails unless it is as it was written. Of several faults the lost end is told,
/// else the first.
pub fn check(input: &mut dyn BufRead) -> Result<(), BundleError> {
    let mut hash = Sha256::new();
    let mut buffer = Vec::new();
    let mut seen = Seen::default();
    let mut fault = None;
    let mut line = 0_u64;
    loop {
        let before = hash.clone();
        let read = read_line(input, &mut buffer, MAX_LINE, &mut |bytes| hash.update(bytes))
            .map_err(BundleError::Read)?;
        line += 1;
        let what = match read {
            Read::End | Read::TooLong if line == 1 => return Err(BundleError::NotABundle),
            Read::End if !seen.closed => {
                let what = "the closing line is missing: the bundle lost its end".to_owned();
                return Err(BundleError::NotWhole { line, what });
            }
            Read::End => return fault.map_or(Ok(()), Err),
            Read::TooLong => Err("longer than any line that a bundle has".to_owned()),
            Read::Line if line == 1 => {
                check_header(&buffer)?;
                Ok(())
            }
            Read::Line => seen.look(&buffer, before),
        };
        if let (Err(what), None) = (what, &fault) {
            fault = Some(BundleError::NotWhole { line, what });
        }
    }
}

/// What has been read of a bundle.
#[derive(Default)]
struct Seen {
    blobs: u64,
    events: u64,
    closed: bool,
}

impl Seen {
    /// Takes one more line, with the hash of everything before it; the error says what is wrong with it.
    fn look(&mut self, text: &[u8], before: Sha256) -> Result<(), String> {
        if self.closed {
            return Err("a line behind the closing line".to_owned());
        }
        let line: AnyLine<'_> =
            serde_json::from_slice(text).map_err(|error| format!("not a line of a bundle: {error}"))?;
        if line.v != VERSION {
            return Err(format!("a line of version {}, which is not known", line.v));
        }
        match &*line.r#type {
            BLOB => self.blobs += 1,
            EVENT => self.events += 1,
            END => return self.close(text, before),
            _ => return Err("a line of a type that is not known".to_owned()),
        }
        Ok(())
    }

    fn close(&mut self, text: &[u8], before: Sha256) -> Result<(), String> {
        self.closed = true;
        let end: EndLine<'_> =
            serde_json::from_slice(text).map_err(|error| format!("bad closing line: {error}"))?;
        let (blobs, events) = (self.blobs, self.events);
        if (end.blobs, end.events) != (blobs, events) {
            return Err(format!(
                "the bundle had {} blobs and {} events when it was written, and has {blobs} and {events} now",
                end.blobs, end.events
            ));
        }
        match end.sha256 == BlobId::from_bytes(before.finalize().into()) {
            true => Ok(()),
            false => Err("the bundle was changed since it was written".to_owned()),
        }
    }
}
