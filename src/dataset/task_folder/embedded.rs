//! The sample tasks, the recordings of runs on them and the studies of them, which are in the binary.

use super::read_tree;
use super::tree_source::EmbeddedTree;
use crate::dataset::bounds::Bounds;
use crate::dataset::read::{Collect, ReadReport};
use crate::dataset::sink::Tally;
use include_dir::{Dir, include_dir};
use std::path::Path;

static FOLDER: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sample-tasks");

/// Name of the dataset that the sample tasks form.
pub const SAMPLES: &str = "samples";

/// Reads the sample tasks out of the binary.
pub fn sample_tasks() -> ReadReport {
    let bounds = Bounds::default();
    let mut collect = Collect { report: ReadReport::default(), skipped_kept: bounds.skipped_kept };
    let shown_as = "sample-tasks";
    let mut tally = Tally::new(&mut collect, Path::new(shown_as), SAMPLES.to_owned(), "task-folder");
    read_tree(&EmbeddedTree::new(&FOLDER, shown_as), SAMPLES, &bounds, &mut tally);
    let summary = tally.summary;
    ReadReport { summary, ..collect.report }
}

/// The recordings of runs on the sample tasks, each with its name: bundles of workspaces.
pub fn sample_recordings() -> Vec<(&'static str, &'static [u8])> {
    bundles("recordings")
}

/// The studies of the sample tasks, each with its name: bundles of workspaces.
pub fn sample_studies() -> Vec<(&'static str, &'static [u8])> {
    bundles("studies")
}

fn bundles(folder: &str) -> Vec<(&'static str, &'static [u8])> {
    let files = FOLDER.get_dir(folder).into_iter().flat_map(Dir::files);
    let named = files.filter_map(|file| {
        let name = file.path().file_name()?.to_str()?.strip_suffix(".jsonl")?;
        Some((name, file.contents()))
    });
    let mut all: Vec<_> = named.collect();
    all.sort_unstable();
    all
}
