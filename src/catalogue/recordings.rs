//! What comes with the sample tasks: recordings of repair runs, for those without key or network, and a study.
//!
//! Promises: a recording is what a model really answered, as it was recorded; each is a workspace of its own, in memory.
//! The annotators of the study are scripts, and their names say so.
//! Leaves to others: playing and showing them (`runner`, `study`, `cli`, `tui`), making them (`bundle export`,
//! `tests/sample_study.rs`).

use crate::dataset::{self, sample_recordings};
use crate::store::bundle::{BundleError, import};
use crate::store::{MemoryStore, Store};
use std::sync::Arc;

/// Names of the recordings, in their order.
pub fn recording_names() -> Vec<&'static str> {
    sample_recordings().into_iter().map(|(name, _)| name).collect()
}

/// The workspace with the recording of this name; `None`: there is no such recording.
///
/// # Errors
///
/// The recording is not whole: that is a fault of the program as it was built.
pub fn recording(name: &str) -> Option<Result<Arc<dyn Store>, BundleError>> {
    let (_, bytes) = sample_recordings().into_iter().find(|(known, _)| *known == name)?;
    Some(read(bytes))
}

/// A study with its name: a workspace of its own.
pub type SampleStudy = (&'static str, Arc<dyn Store>);

/// The studies.
///
/// # Errors
///
/// One is not whole: that is a fault of the program as it was built.
pub fn sample_studies() -> Result<Vec<SampleStudy>, BundleError> {
    dataset::sample_studies().into_iter().map(|(name, bytes)| Ok((name, read(bytes)?))).collect()
}

fn read(mut bytes: &[u8]) -> Result<Arc<dyn Store>, BundleError> {
    let store = MemoryStore::default();
    let mut problem = None;
    import(&store, &mut bytes, &mut |found| {
        problem.get_or_insert(found);
    })?;
    match problem {
        None => Ok(Arc::new(store)),
        Some(problem) => Err(BundleError::NotWhole { line: problem.line, what: problem.what }),
    }
}
