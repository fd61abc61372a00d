//! Reading a dataset: the format found, the name chosen, every task handed to a sink.

use super::error::{DatasetError, nearest_name};
use super::looks::Looks;
use super::probe::Probe;
use super::sink::{Flow, Sink, Summary, Tally};
use super::skipped::{Location, Skipped};
use super::{Bounds, Format, Source, formats};
use crate::task::Task;
use std::ops::ControlFlow;
use std::path::Path;

/// The format of this name.
pub fn by_name(name: &str) -> Result<&'static dyn Format, DatasetError> {
    if let Some(format) = formats().iter().copied().find(|format| format.name() == name) {
        return Ok(format);
    }
    let near = nearest_name(name, formats().iter().map(|format| format.name()));
    let near = near.and_then(|near| formats().iter().map(|format| format.name()).find(|name| *name == near));
    Err(DatasetError::UnknownFormat { name: name.to_owned(), near })
}

/// The format of what lies at `path`, told by its content.
pub fn detect(path: &Path) -> Result<&'static dyn Format, DatasetError> {
    detect_probe(&Probe::of(path, &Bounds::default())?)
}

/// The format of what a probe saw.
pub fn detect_probe(probe: &Probe) -> Result<&'static dyn Format, DatasetError> {
    let mut found: Vec<_> = formats()
        .iter()
        .filter_map(|format| format.detect(probe).map(|confidence| (confidence, *format)))
        .collect();
    let best = found.iter().map(|(confidence, _)| *confidence).max();
    found.retain(|(confidence, _)| Some(*confidence) == best);
    match found.as_slice() {
        [] => Err(DatasetError::Unrecognised { path: probe.path.clone(), looks: Looks::of(probe) }),
        [(_, format)] => Ok(*format),
        several => {
            let formats = several.iter().map(|(_, format)| format.name()).collect();
            Err(DatasetError::Ambiguous { path: probe.path.clone(), formats })
        }
    }
}

/// What to read, and how.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// File or folder.
    pub path: &'a Path,
    /// Name of the format; found by content when `None`.
    pub format: Option<&'a str>,
    /// Name of the dataset; made from the path when `None`.
    pub dataset: Option<&'a str>,
    /// Bounds.
    pub bounds: Bounds,
}

impl<'a> Request<'a> {
    /// Reads `path`, with everything else found or made.
    pub fn new(path: &'a Path) -> Request<'a> {
        Request { path, format: None, dataset: None, bounds: Bounds::default() }
    }
}

/// Reads a dataset into a sink. A second task of the same id reaches it as a skipped row.
pub fn read_into(request: &Request<'_>, sink: &mut dyn Sink) -> Result<Summary, DatasetError> {
    let format = match request.format {
        Some(name) => by_name(name)?,
        None => detect_probe(&Probe::of(request.path, &request.bounds)?)?,
    };
    let dataset = match request.dataset {
        Some(name) if is_dataset_name(name) => name.to_owned(),
        Some(name) => return Err(DatasetError::BadDatasetName(name.to_owned())),
        None => format.dataset_name(request.path),
    };
    let mut tally = Tally::new(sink, request.path, dataset.clone(), format.name());
    format.read(&Source { path: request.path, dataset: &dataset, bounds: &request.bounds }, &mut tally)?;
    Ok(tally.summary)
}

/// Everything of a dataset, in memory.
#[derive(Debug, Clone, Default)]
pub struct ReadReport {
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// What was skipped, at most [`Bounds::skipped_kept`]; the summary counts all.
    pub skipped: Vec<Skipped>,
    /// Counts, names and the hash.
    pub summary: Summary,
}

/// Collects into a [`ReadReport`].
pub(crate) struct Collect {
    pub(crate) report: ReadReport,
    pub(crate) skipped_kept: usize,
}

impl Sink for Collect {
    fn task(&mut self, task: Task, _at: Location) -> Flow {
        self.report.tasks.push(task);
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        if self.report.skipped.len() < self.skipped_kept {
            self.report.skipped.push(skipped);
        }
        ControlFlow::Continue(())
    }
}

/// Reads a whole dataset into memory.
pub fn read_all(request: &Request<'_>) -> Result<ReadReport, DatasetError> {
    let mut collect = Collect { report: ReadReport::default(), skipped_kept: request.bounds.skipped_kept };
    let summary = read_into(request, &mut collect)?;
    Ok(ReadReport { summary, ..collect.report })
}

/// Whether a text can be the first part of `dataset/id`.
pub fn is_dataset_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('-')
        && !name.chars().any(|c| c == '/' || c.is_control() || c.is_whitespace())
}

/// A dataset's name made from a path: the file's or folder's name without `.jsonl.gz` and the like.
pub fn default_dataset_name(path: &Path) -> String {
    // `.` and `..` have no name of their own.
    let resolved = if path.file_name().is_none() { path.canonicalize().ok() } else { None };
    let name = resolved.as_deref().unwrap_or(path).file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let mut stem = name.as_ref();
    for end in [".gz", ".jsonl", ".ndjson", ".json"] {
        stem = stem.strip_suffix(end).unwrap_or(stem);
    }
    let safe: String = stem
        .chars()
        .take(100)
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@') { c } else { '-' })
        .collect();
    let safe = safe.trim_matches(['-', '.']);
    if safe.is_empty() { "dataset".to_owned() } else { safe.to_owned() }
}
