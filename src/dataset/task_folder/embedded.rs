//! The sample tasks, which are in the binary.

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
