//! The examples of a run, kept with it: whoever goes on with it shows the same ones.
//!
//! Promises: what is read is what was kept. Leaves to others: choosing among them (`repair::prompt`).

use crate::cli::Failure;
use crate::repair::prompt::Example;
use crate::runner::RunSpec;
use crate::store::{BlobId, Store};
use serde_json::json;

/// The field of a run's rules that names them.
const FIELD: &str = "examples";

/// Keeps examples, and notes in the rules of the run where.
pub fn keep(store: &dyn Store, spec: &mut RunSpec, examples: &[Example]) -> Result<(), Failure> {
    if examples.is_empty() {
        return Ok(());
    }
    let bytes = serde_json::to_vec(examples).map_err(Failure::infrastructure)?;
    let id = store.put(&bytes)?;
    spec.other.insert(FIELD.to_owned(), json!(id.to_string()));
    Ok(())
}

/// The examples of a run.
pub fn read(store: &dyn Store, spec: &RunSpec) -> Result<Vec<Example>, Failure> {
    let Some(name) = spec.other.get(FIELD).and_then(|name| name.as_str()) else { return Ok(Vec::new()) };
    let missing =
        || Failure::infrastructure("the examples of this run are not in the workspace: begin a new run");
    let id: BlobId = name.parse().map_err(|_| missing())?;
    let bytes = store.get(&id)?.ok_or_else(missing)?;
    serde_json::from_slice(&bytes).map_err(|_| missing())
}
