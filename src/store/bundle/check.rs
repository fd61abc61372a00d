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

/// Reads a whole bundle and fails unless it is as it was written.
pub fn check(input: &mut dyn BufRead) -> Result<(), BundleError> {
    let mut hash = Sha256::new();
    let mut buffer = Vec::new();
    let (mut line, mut blobs, mut events) = (0_u64, 0_u64, 0_u64);
    let mut closed = false;
    loop {
        let before = hash.clone();
        let read = read_line(input, &mut buffer, MAX_LINE, &mut |bytes| hash.update(bytes))
            .map_err(BundleError::Read)?;
        let not_whole = |line: u64, what: &str| BundleError::NotWhole { line, what: what.to_owned() };
        line += 1;
        match read {
            Read::End if line == 1 => return Err(BundleError::NotABundle),
            Read::End if closed => return Ok(()),
            Read::End => {
                return Err(not_whole(line, "the closing line is missing: the bundle lost its end"));
            }
            Read::TooLong if line == 1 => return Err(BundleError::NotABundle),
            Read::TooLong => return Err(not_whole(line, "longer than any line that a bundle has")),
            Read::Line if line == 1 => check_header(&buffer)?,
            Read::Line if closed => return Err(not_whole(line, "a line behind the closing line")),
            Read::Line => match serde_json::from_slice::<AnyLine<'_>>(&buffer) {
                Err(error) => {
                    return Err(not_whole(line, &format!("not a line of a bundle: {error}")));
                }
                Ok(any) if any.v != VERSION => {
                    return Err(not_whole(line, &format!("a line of version {}, which is not known", any.v)));
                }
                Ok(any) if any.r#type == BLOB => blobs += 1,
                Ok(any) if any.r#type == EVENT => events += 1,
                Ok(any) if any.r#type == END => {
                    let end: EndLine<'_> = serde_json::from_slice(&buffer)
                        .map_err(|error| not_whole(line, &format!("bad closing line: {error}")))?;
                    if (end.blobs, end.events) != (blobs, events) {
                        let what = format!(
                            "the bundle had {} blobs and {} events when it was written, and has {blobs} and {events} now",
                            end.blobs, end.events
                        );
                        return Err(not_whole(line, &what));
                    }
                    if end.sha256 != BlobId::from_bytes(before.finalize().into()) {
                        return Err(not_whole(line, "the bundle was changed since it was written"));
                    }
                    closed = true;
                }
                Ok(_) => return Err(not_whole(line, "a line of a type that is not known")),
            },
        }
    }
}
