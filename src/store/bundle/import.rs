//! Reading a bundle into a store.
//!
//! Promises: what can be read is taken, in batches, each durable; every line that cannot is reported
//! with its number; a bundle that lost its end or was changed is told from a whole one.

use super::line::{
    AnyLine, BLOB, BlobLine, END, EVENT, EndLine, EventLine, HEADER, HeaderLine, MAX_LINE, Read, VERSION,
    read_line,
};
use crate::store::{BlobId, Event, Merged, Store, StoreError};
use base64::Engine;
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::BufRead;

/// Lines in one transaction, and their size together.
const BATCH: usize = 1000;
const BATCH_BYTES: usize = 16 << 20;

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Blobs that are new here.
    pub blobs_added: u64,
    /// Blobs that were here.
    pub blobs_known: u64,
    /// Events that are new here.
    pub events_added: u64,
    /// Events that were here.
    pub events_known: u64,
    /// Events, counted among the added ones, that got another number in their stream because it held
    /// others.
    pub renumbered: u64,
    /// Events whose id belongs to another event here; that one was kept.
    pub conflicts: u64,
    /// Lines that were reported, conflicts included.
    pub problems: u64,
    /// Whether the closing line was there and fits what was before it.
    pub complete: bool,
}

/// A line that was not taken, or a bundle that is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// What ends an export or import.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The first line is not a bundle's.
    #[error(
        "not a bundle: its first line should be {{\"type\":\"bundle\",\"v\":1}}; make one with `mendbench bundle export`"
    )]
    NotABundle,
    /// It is not as it was written.
    #[error("line {line}: {what}")]
    NotWhole {
        /// Where that was noticed.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// Made by a newer mendbench.
    #[error("a bundle of format {found}, this mendbench knows format {VERSION}: update mendbench")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// The store failed; what was taken before stays, and importing again goes on from there.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input failed.
    #[error("the bundle cannot be read: {0}")]
    Read(std::io::Error),
    /// The output failed.
    #[error("the bundle cannot be written: {0}")]
    Write(std::io::Error),
}

/// Takes a bundle into the store; `on_problem` hears of every line that was not taken.
pub fn import(
    store: &dyn Store,
    input: &mut dyn BufRead,
    on_problem: &mut dyn FnMut(Problem),
) -> Result<Imported, BundleError> {
    import_lazily(&mut || Ok(store), input, on_problem)
}

/// As [`import`], into a store that is only asked for when there is something to put into it.
pub fn import_lazily<'a>(
    open: &mut dyn FnMut() -> Result<&'a dyn Store, StoreError>,
    input: &mut dyn BufRead,
    on_problem: &mut dyn FnMut(Problem),
) -> Result<Imported, BundleError> {
    let mut import = Import {
        open,
        store: None,
        on_problem,
        done: Imported::default(),
        line: 0,
        blobs: Vec::new(),
        events: Vec::new(),
        pending_bytes: 0,
        blob_lines: 0,
        event_lines: 0,
    };
    import.run(input)?;
    import.flush()?;
    if let Some(store) = import.store {
        store.refresh_derived()?;
    }
    Ok(import.done)
}

struct Import<'a, 'b> {
    open: &'b mut dyn FnMut() -> Result<&'a dyn Store, StoreError>,
    store: Option<&'a dyn Store>,
    on_problem: &'b mut dyn FnMut(Problem),
    done: Imported,
    line: u64,
    blobs: Vec<Vec<u8>>,
    /// Events and their lines.
    events: Vec<(u64, Event)>,
    pending_bytes: usize,
    /// Lines that were blobs and events in good order, for the counts at the end.
    blob_lines: u64,
    event_lines: u64,
}

impl Import<'_, '_> {
    fn run(&mut self, input: &mut dyn BufRead) -> Result<(), BundleError> {
        let mut hash = Sha256::new();
        let mut buffer = Vec::new();
        let mut ended = false;
        loop {
            // The hash of everything before this line, should it be the last.
            let before = hash.clone();
            let read = read_line(input, &mut buffer, MAX_LINE, &mut |bytes| hash.update(bytes))
                .map_err(BundleError::Read)?;
            match read {
                Read::End => break,
                Read::TooLong if self.line == 0 => return Err(BundleError::NotABundle),
                Read::TooLong => {
                    self.line += 1;
                    self.problem(format!("longer than {MAX_LINE} bytes"));
                }
                Read::Line => {
                    self.line += 1;
                    if self.line == 1 {
                        check_header(&buffer)?;
                    } else if ended {
                        self.problem("a line behind the closing line".to_owned());
                        self.done.complete = false;
                    } else {
                        ended = self.take(&buffer, &before)?;
                    }
                }
            }
        }
        if self.line == 0 {
            return Err(BundleError::NotABundle);
        }
        if !ended {
            self.line += 1;
            self.problem("the closing line is missing: the bundle lost its end".to_owned());
        }
        Ok(())
    }

    /// Takes one line; `true` when it was the closing one.
    fn take(&mut self, text: &[u8], before: &Sha256) -> Result<bool, BundleError> {
        let kind = match serde_json::from_slice::<AnyLine<'_>>(text) {
            Ok(line) if line.v == VERSION => line.r#type.into_owned(),
            Ok(line) => {
                self.problem(format!("version {} of `{}` is not known", line.v, printable(&line.r#type)));
                return Ok(false);
            }
            Err(error) => {
                self.problem(format!("not a line of a bundle: {error}"));
                return Ok(false);
            }
        };
        let taken = match kind.as_str() {
            BLOB => self.take_blob(text),
            EVENT => self.take_event(text),
            END => return Ok(self.take_end(text, before)),
            other => Err(format!("unknown type `{}`", printable(other))),
        };
        if let Err(what) = taken {
            self.problem(what);
        }
        self.pending_bytes += text.len();
        if self.blobs.len() + self.events.len() >= BATCH || self.pending_bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(false)
    }

    fn take_blob(&mut self, text: &[u8]) -> Result<(), String> {
        let line: BlobLine<'_> =
            serde_json::from_slice(text).map_err(|error| format!("bad blob: {error}"))?;
        let bytes = match (line.text, line.base64) {
            (Some(text), None) => text.into_owned().into_bytes(),
            (None, Some(base64)) => base64::engine::general_purpose::STANDARD
                .decode(base64.as_bytes())
                .map_err(|error| format!("bad blob {}: {error}", line.id))?,
            _ => return Err(format!("bad blob {}: it needs either text or base64", line.id)),
        };
        if BlobId::of(&bytes) != line.id {
            return Err(format!("bad blob {}: its bytes have another hash", line.id));
        }
        if bytes.len() > crate::store::MAX_BLOB {
            return Err(format!("bad blob {}: {} bytes are too large", line.id, bytes.len()));
        }
        self.blobs.push(bytes);
        self.blob_lines += 1;
        Ok(())
    }

    fn take_event(&mut self, text: &[u8]) -> Result<(), String> {
        let line: EventLine<'_> =
            serde_json::from_slice(text).map_err(|error| format!("bad event: {error}"))?;
        let event = Event::from(line.event);
        event.check().map_err(|error| error.to_string())?;
        self.events.push((self.line, event));
        self.event_lines += 1;
        Ok(())
    }

    fn take_end(&mut self, text: &[u8], before: &Sha256) -> bool {
        let end: EndLine<'_> = match serde_json::from_slice(text) {
            Ok(end) => end,
            Err(error) => {
                self.problem(format!("bad closing line: {error}"));
                return true;
            }
        };
        let hash = BlobId::from_bytes(before.clone().finalize().into());
        if (end.blobs, end.events) != (self.blob_lines, self.event_lines) {
            self.problem(format!(
                "the bundle had {} blobs and {} events when it was written, {} and {} of them could be read",
                end.blobs, end.events, self.blob_lines, self.event_lines
            ));
        } else if end.sha256 != hash {
            self.problem("the bundle was changed since it was written".to_owned());
        } else {
            self.done.complete = true;
        }
        true
    }

    /// Hands what has gathered to the store: blobs first, for events name them.
    fn flush(&mut self) -> Result<(), BundleError> {
        let blobs = std::mem::take(&mut self.blobs);
        let slices: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
        self.pending_bytes = 0;
        if slices.is_empty() && self.events.is_empty() {
            return Ok(());
        }
        let store = match self.store {
            Some(store) => store,
            None => *self.store.insert((self.open)()?),
        };
        if !slices.is_empty() {
            for stored in store.put_all(&slices)? {
                *(if stored.added { &mut self.done.blobs_added } else { &mut self.done.blobs_known }) += 1;
            }
        }
        let (lines, events): (Vec<u64>, Vec<Event>) = std::mem::take(&mut self.events).into_iter().unzip();
        let merged = if events.is_empty() { Vec::new() } else { store.merge(&events)? };
        for ((line, event), merged) in lines.into_iter().zip(&events).zip(merged) {
            match merged {
                Merged::Added { seq } => {
                    self.done.events_added += 1;
                    self.done.renumbered += u64::from(seq != event.seq);
                }
                Merged::Duplicate => self.done.events_known += 1,
                Merged::Conflict => {
                    self.done.conflicts += 1;
                    let what = format!("event {} is here with another content, which was kept", event.id);
                    self.report(Problem { line, what });
                }
            }
        }
        Ok(())
    }

    fn problem(&mut self, what: String) {
        self.report(Problem { line: self.line, what });
    }

    fn report(&mut self, problem: Problem) {
        self.done.problems += 1;
        (self.on_problem)(problem);
    }
}

pub(super) fn check_header(text: &[u8]) -> Result<(), BundleError> {
    match serde_json::from_slice::<AnyLine<'_>>(text) {
        Ok(line) if line.r#type == HEADER && line.v > VERSION => Err(BundleError::Newer { found: line.v }),
        Ok(line) if line.r#type == HEADER && serde_json::from_slice::<HeaderLine<'_>>(text).is_ok() => Ok(()),
        _ => Err(BundleError::NotABundle),
    }
}

/// A name from the file, for a message.
fn printable(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}
