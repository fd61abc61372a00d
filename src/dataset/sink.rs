//! Where a reader puts what it finds.
//!
//! Promises: a reader hands over each task and each skipped row as soon as it knows it, and stops soon
//! after it was told so. [`Tally`] stands between every reader and its sink: it counts, and it turns a
//! second task of the same id into a skipped row.

use super::skipped::{Location, SkipReason, Skipped};
use crate::task::Task;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Whether to read on.
pub type Flow = ControlFlow<()>;

/// Takes what a reader finds.
pub trait Sink {
    /// A task, and where it stands.
    fn task(&mut self, task: Task, at: Location) -> Flow;

    /// A row that did not become a task.
    fn skipped(&mut self, skipped: Skipped) -> Flow;

    /// One more row was read (blank lines do not count): how far the reader is.
    fn progress(&mut self, _progress: Progress) -> Flow {
        Flow::Continue(())
    }

    /// A single file was read to its end.
    fn finished(&mut self, _fingerprint: Fingerprint) {}
}

/// How far a reader is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows (or task folders) read so far.
    pub rows: u64,
    /// Bytes read of the file as it lies on disk.
    pub bytes: u64,
}

/// What identifies a file that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// sha256 of the bytes on disk (before unpacking), 64 hexadecimal digits.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
}

/// What a reading came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the format.
    pub format: &'static str,
    /// Rows read, or task folders found.
    pub rows: u64,
    /// Tasks made.
    pub tasks: u64,
    /// Skipped rows, folders and instances by [`SkipReason::kind`].
    pub skipped: BTreeMap<&'static str, u64>,
    /// The file that was read; `None` for folders and when reading stopped early.
    pub file: Option<Fingerprint>,
    /// The sink asked to stop before the end.
    pub stopped: bool,
}

impl Summary {
    /// All skipped rows, folders and instances.
    pub fn skipped_total(&self) -> u64 {
        self.skipped.values().sum()
    }
}

/// Counts what passes, and lets only the first task of an id through.
pub(crate) struct Tally<'a> {
    inner: &'a mut dyn Sink,
    /// The file that most locations name, so that a large file keeps its path once.
    root: PathBuf,
    seen: HashMap<Box<str>, Place>,
    pub(crate) summary: Summary,
}

/// A location without the parts that are the same for every task.
struct Place {
    file: Option<Box<Path>>,
    line: Option<u64>,
    instance: Option<u32>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(
        inner: &'a mut dyn Sink,
        root: &Path,
        dataset: String,
        format: &'static str,
    ) -> Tally<'a> {
        let summary = Summary { dataset, format, ..Summary::default() };
        Tally { inner, root: root.to_owned(), seen: HashMap::new(), summary }
    }

    fn note(&mut self, flow: Flow) -> Flow {
        self.summary.stopped |= flow.is_break();
        flow
    }
}

impl Sink for Tally<'_> {
    fn task(&mut self, task: Task, at: Location) -> Flow {
        if let Some(place) = self.seen.get(task.id.as_str()) {
            let first = Location {
                file: place.file.as_deref().unwrap_or(&self.root).to_owned(),
                line: place.line,
                column: None,
                instance: place.instance,
                key: None,
            };
            let why = SkipReason::DuplicateId { id: task.id, first: Box::new(first) };
            return self.skipped(Skipped { at, why });
        }
        let place = Place {
            file: (at.file != self.root).then(|| at.file.clone().into_boxed_path()),
            line: at.line,
            instance: at.instance,
        };
        self.seen.insert(task.id.as_str().into(), place);
        self.summary.tasks += 1;
        let flow = self.inner.task(task, at);
        self.note(flow)
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        *self.summary.skipped.entry(skipped.why.kind()).or_default() += 1;
        let flow = self.inner.skipped(skipped);
        self.note(flow)
    }

    fn progress(&mut self, progress: Progress) -> Flow {
        self.summary.rows = progress.rows;
        let flow = self.inner.progress(progress);
        self.note(flow)
    }

    fn finished(&mut self, fingerprint: Fingerprint) {
        self.summary.file = Some(fingerprint.clone());
        self.inner.finished(fingerprint);
    }
}
