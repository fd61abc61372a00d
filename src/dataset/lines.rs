//! A file read line by line: plain or gzip, with its hash, in bounded memory.
//!
//! Promises: a line is held only up to [`Bounds::line_bytes`]; the rest of a longer one is passed over
//! and counted. A file that breaks off gives what came before and then says so. The hash is of the
//! bytes on disk.

use super::bounds::Bounds;
use super::error::DatasetError;
use super::probe::special;
use super::sink::Fingerprint;
use crate::task::hex;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// How a gzip file begins.
pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BUFFER: usize = 128 << 10;

/// Opens a regular file for reading; never waits for a pipe, never opens a device.
pub(crate) fn open_file(path: &Path) -> Result<File, DatasetError> {
    let from_io = |error| DatasetError::from_io(path, error);
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
    }
    let file = options.open(path).map_err(from_io)?;
    let metadata = file.metadata().map_err(from_io)?;
    match special(metadata.file_type()) {
        Some(what) => Err(DatasetError::Special { path: path.to_owned(), what }),
        None => Ok(file),
    }
}

/// Hashes what passes.
struct Hashing<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

type Raw = Hashing<Box<dyn Read>>;

enum Unpacked {
    Plain(BufReader<Raw>),
    Gzip(Box<BufReader<MultiGzDecoder<Raw>>>),
}

/// The lines of a file.
pub(crate) struct Lines {
    reader: Unpacked,
    line_bytes: usize,
    unpacked_bytes: u64,
    number: u64,
    offset: u64,
    buffer: Vec<u8>,
}

/// One line.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// Where it starts in the unpacked text.
    pub offset: u64,
    /// Its bytes, without the line end (and without a byte-order mark at the start of the file).
    pub bytes: &'a [u8],
    /// Whether a line end follows.
    pub terminated: bool,
    /// For a line longer than the bound its length; then `bytes` is empty.
    pub too_long: Option<u64>,
}

/// Why there are no more lines.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The file cannot be read or unpacked any further.
    Read(io::Error),
    /// It unpacks to more than the bound.
    TooMuch(u64),
}

impl Lines {
    pub(crate) fn open(path: &Path, bounds: &Bounds) -> Result<Lines, DatasetError> {
        let mut file = open_file(path)?;
        let mut magic = Vec::with_capacity(2);
        file.by_ref().take(2).read_to_end(&mut magic).map_err(|error| DatasetError::from_io(path, error))?;
        Ok(Lines::new(magic, Box::new(file), bounds))
    }

    fn new(magic: Vec<u8>, rest: Box<dyn Read>, bounds: &Bounds) -> Lines {
        let gzip = magic == GZIP_MAGIC;
        let whole: Box<dyn Read> = Box::new(Cursor::new(magic).chain(rest));
        let raw = Hashing { inner: whole, hash: Sha256::new(), bytes: 0 };
        let (reader, unpacked_bytes) = if gzip {
            let decoder = BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw));
            (Unpacked::Gzip(Box::new(decoder)), bounds.unpacked_bytes)
        } else {
            // A plain file is as large as it is; only what unpacks can be much more than it seems.
            (Unpacked::Plain(BufReader::with_capacity(BUFFER, raw)), u64::MAX)
        };
        Lines {
            reader,
            line_bytes: bounds.line_bytes,
            unpacked_bytes,
            number: 0,
            offset: 0,
            buffer: Vec::new(),
        }
    }

    /// The next line, `None` at the end.
    pub(crate) fn next_line(&mut self) -> Result<Option<Line<'_>>, Broken> {
        let limit = self.line_bytes as u64;
        let left = self.unpacked_bytes.saturating_sub(self.offset);
        self.buffer.clear();
        // One hostile line must not leave its memory with all that follow.
        self.buffer.shrink_to(1 << 20);
        let reader: &mut dyn BufRead = match &mut self.reader {
            Unpacked::Plain(reader) => reader,
            Unpacked::Gzip(reader) => reader,
        };
        // Two more than the bound: the line end does not count.
        let mut length =
            reader.take(limit + 2).read_until(b'\n', &mut self.buffer).map_err(Broken::Read)? as u64;
        if length == 0 {
            return Ok(None);
        }
        let mut terminated = self.buffer.last() == Some(&b'\n');
        let mut too_long = None;
        if !terminated && length == limit + 2 {
            let mut scratch = Vec::with_capacity(BUFFER);
            loop {
                if length > left {
                    return Err(Broken::TooMuch(self.unpacked_bytes));
                }
                scratch.clear();
                let more =
                    reader.take(BUFFER as u64).read_until(b'\n', &mut scratch).map_err(Broken::Read)?;
                length += more as u64;
                terminated = scratch.last() == Some(&b'\n');
                if more == 0 || terminated {
                    break;
                }
            }
        }
        if length > left {
            return Err(Broken::TooMuch(self.unpacked_bytes));
        }
        let offset = self.offset;
        self.offset += length;
        self.number += 1;
        let mut bytes = self.buffer.as_slice();
        if terminated {
            bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        }
        if length > limit && bytes.len() as u64 > limit {
            too_long = Some(length);
            bytes = &[];
        }
        if offset == 0 {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        Ok(Some(Line { number: self.number, offset, bytes, terminated, too_long }))
    }

    /// Number of the last line that was read.
    pub(crate) fn line_number(&self) -> u64 {
        self.number
    }

    /// Bytes read from disk so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        match &self.reader {
            Unpacked::Plain(reader) => reader.get_ref().bytes,
            Unpacked::Gzip(reader) => reader.get_ref().get_ref().bytes,
        }
    }

    /// Reads what is left on disk and gives the hash of all.
    pub(crate) fn fingerprint(self) -> io::Result<Fingerprint> {
        let mut raw = match self.reader {
            Unpacked::Plain(reader) => reader.into_inner(),
            Unpacked::Gzip(reader) => reader.into_inner().into_inner(),
        };
        io::copy(&mut raw, &mut io::sink())?;
        Ok(Fingerprint { sha256: hex(&raw.hash.finalize()), bytes: raw.bytes })
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
