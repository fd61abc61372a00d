//! The first look at a path: enough for every format to tell whether it is one of its own.
//!
//! Promises: opens no pipe and no device; reads a bounded part of a file (unpacked where it is gzip)
//! or a bounded list of names of a folder.

use super::bounds::Bounds;
use super::error::DatasetError;
use super::lines::{self, GZIP_MAGIC};
use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a file is looked at, when its first line is not longer.
const HEAD: usize = 64 << 10;
/// How much is looked at to see a first line to its end.
const LONG_HEAD: usize = 4 << 20;
/// How many names of a folder are looked at.
const NAMES: usize = 10_000;

/// What is known of a path before it is read.
#[derive(Debug, Clone, Default)]
pub struct Probe {
    /// The path.
    pub path: PathBuf,
    /// A folder, not a file.
    pub folder: bool,
    /// Names in the folder, sorted.
    pub names: Vec<String>,
    /// The first bytes of the file, unpacked: 64 KiB, or as many as the first line takes (to 4 MiB).
    pub head: Vec<u8>,
    /// The file holds more than `head`.
    pub more: bool,
    /// The file is compressed with gzip.
    pub gzip: bool,
    /// Size of the file on disk.
    pub bytes: u64,
    /// Unpacking failed within the head.
    pub damaged: Option<String>,
}

impl Probe {
    /// Looks at a path.
    pub fn of(path: &Path, bounds: &Bounds) -> Result<Probe, DatasetError> {
        let metadata = fs::metadata(path).map_err(|error| DatasetError::from_io(path, error))?;
        let mut probe = Probe { path: path.to_owned(), folder: metadata.is_dir(), ..Probe::default() };
        if probe.folder {
            let entries = fs::read_dir(path).map_err(|error| DatasetError::from_io(path, error))?;
            let names =
                entries.take(NAMES).flatten().filter_map(|entry| entry.file_name().into_string().ok());
            probe.names = names.collect();
            probe.names.sort();
            return Ok(probe);
        }
        if let Some(what) = special(metadata.file_type()) {
            return Err(DatasetError::Special { path: path.to_owned(), what });
        }
        probe.bytes = metadata.len();
        let mut reader = lines::open_file(path)?;
        let unreadable = |error| DatasetError::from_io(path, error);
        let mut magic = Vec::new();
        reader.by_ref().take(2).read_to_end(&mut magic).map_err(unreadable)?;
        probe.gzip = magic == GZIP_MAGIC;
        let whole = magic.as_slice().chain(reader);
        let mut unpacked: Box<dyn Read> =
            if probe.gzip { Box::new(flate2::read::MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        let limit = LONG_HEAD.min(bounds.line_bytes);
        let mut wanted = HEAD.min(limit);
        loop {
            let missing = (wanted - probe.head.len()) as u64;
            match unpacked.by_ref().take(missing).read_to_end(&mut probe.head) {
                Ok(_) if probe.head.len() < wanted => return Ok(probe),
                Ok(_) => {}
                Err(error) if probe.gzip => {
                    probe.damaged = Some(error.to_string());
                    return Ok(probe);
                }
                Err(error) => return Err(unreadable(error)),
            }
            if wanted == limit || probe.head.contains(&b'\n') {
                break;
            }
            wanted = limit;
        }
        probe.more = true;
        Ok(probe)
    }

    /// A probe of text that is at hand.
    pub fn of_text(text: &[u8]) -> Probe {
        Probe { head: text.to_vec(), bytes: text.len() as u64, ..Probe::default() }
    }

    /// The lines of the head that hold something, without a byte-order mark; the last may be cut.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let head = self.head.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&self.head);
        head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
    }

    /// Top-level keys of the first JSON objects of a file of JSON Lines, as far as the head shows them.
    /// Lines that are no objects are passed over, since a damaged row says nothing of the rest.
    pub fn rows_of_keys(&self) -> impl Iterator<Item = Vec<String>> {
        self.lines().take(20).filter_map(super::json::peek_keys)
    }
}

/// What a file is that is neither file, folder nor link.
pub(crate) fn special(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_block_device() || kind.is_char_device() {
            return Some("a device");
        }
    }
    (!kind.is_file() && !kind.is_dir() && !kind.is_symlink()).then_some("not a regular file")
}
