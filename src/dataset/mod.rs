//! Datasets in: one trait that every format fulfils, and the formats.
//!
//! Promises: a format is chosen by content, never by name; every row becomes a task or a [`Skipped`]
//! with its place and reason; a bad row never stops the rest; reading is bounded ([`Bounds`]) and can
//! be stopped; nothing outside the given path is opened.
//! Leaves to others: keeping tasks (`store`), what a path on the command line means (`catalogue`),
//! making hostile text fit to show (`text`).
//!
//! Beside tasks, [`ratings`] reads what raters said about items, and [`labels`] makes a study of it.
//!
//! To add a format: a module with a unit struct that implements [`Format`], and its line in
//! [`formats`]. Files of JSON Lines start from `rows::read_rows`.

mod bounds;
mod error;
pub mod feedbackeval;
mod json;
pub mod labels;
mod lines;
mod looks;
mod marks;
pub mod predictions;
mod probe;
pub mod ratings;
mod read;
mod rows;
mod sink;
mod skipped;
pub mod task_folder;

pub use bounds::Bounds;
pub use error::DatasetError;
pub use looks::Looks;
pub use probe::Probe;
pub use read::{
    ReadReport, Request, by_name, default_dataset_name, detect, detect_probe, is_dataset_name, read_all,
    read_into,
};
pub use sink::{Fingerprint, Flow, Progress, Sink, Summary};
pub use skipped::{Location, Problem, SkipReason, Skipped};
pub use task_folder::{WriteError, sample_recordings, sample_studies, sample_tasks, write_task_folder};

use std::path::Path;

/// A way in which tasks are kept.
pub trait Format: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in a few words: `FeedbackEval JSON Lines`.
    fn describe(&self) -> &'static str;

    /// Whether this is one of its own, told by content.
    fn detect(&self, probe: &Probe) -> Option<Confidence>;

    /// Reads all tasks, until the sink says stop.
    fn read(&self, source: &Source<'_>, sink: &mut dyn Sink) -> Result<(), DatasetError>;

    /// The dataset's name where the user gives none.
    fn dataset_name(&self, path: &Path) -> String {
        default_dataset_name(path)
    }
}

/// How sure a format is that something is its own. The surest one reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Could be read, and so could much else.
    Possible,
    /// Looks like it.
    Likely,
    /// Has the marks that only this format has.
    Certain,
}

/// What a format reads from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// File or folder.
    pub path: &'a Path,
    /// Name of the dataset, for [`Task::dataset`](crate::task::Task::dataset).
    pub dataset: &'a str,
    /// How much to take in.
    pub bounds: &'a Bounds,
}

/// All formats.
pub fn formats() -> &'static [&'static dyn Format] {
    &[&task_folder::TaskFolders, &feedbackeval::FeedbackEval]
}
