//! Tasks as items of a round.
//!
//! Promises: an item holds the revision of the task as it is now. Leaves to others: which tasks (`study::draft`).

use super::{Catalogue, CatalogueError};
use crate::label::item::{Item, Purpose, Stratum};

/// Reads a task to be an item.
///
/// # Errors
///
/// The task cannot be read.
pub fn item_of(
    catalogue: &dyn Catalogue,
    key: u64,
    stratum: Stratum,
    purpose: Purpose,
) -> Result<Item, CatalogueError> {
    let task = catalogue.task(key)?;
    Ok(Item {
        // The list keeps the beginning of long names only.
        name: task.name().to_string(),
        revision: task.revision().as_str().to_owned(),
        stratum,
        purpose,
        seen_in: Vec::new(),
    })
}
