//! From the name of a task on the command line to the task.

use super::{Arguments, Failure, request, shown};
use crate::catalogue::{Catalogue, OriginKind, open, read};
use crate::dataset::task_folder::TASK_FILE;
use crate::dataset::{SkipReason, Skipped};
use crate::task::Task;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Finds `dataset/id`, `id`, or a task folder.
pub fn locate(arguments: &Arguments, name: &str, within: Option<&PathBuf>) -> Result<Task, Failure> {
    let folder = Path::new(name);
    if within.is_none() && folder.join(TASK_FILE).is_file() {
        let path = folder.to_owned();
        let catalogue = open(&request(arguments, Some(&path)))?;
        return only(&*catalogue);
    }
    let catalogue = open(&request(arguments, within))?;
    find(&catalogue, name)
}

fn only(catalogue: &dyn Catalogue) -> Result<Task, Failure> {
    let list = read(catalogue)?;
    match list.table.get(0) {
        Some(row) => Ok(catalogue.task(row.key)?),
        None => {
            let place = catalogue.origin().path.as_deref().map(shown).unwrap_or_default();
            let why = list.skips.rows().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            Err(Failure::usage(format!("{place}: no task here that can be read\n{why}")))
        }
    }
}

fn find(catalogue: &Arc<dyn Catalogue>, name: &str) -> Result<Task, Failure> {
    let list = read(&**catalogue)?;
    let table = &list.table;
    let mut by_id = Vec::new();
    let mut nearest: Option<(usize, String)> = None;
    for row in (0..table.len() as u32).filter_map(|row| table.get(row)) {
        let full = format!("{}/{}", row.dataset, row.id);
        if full == name {
            return Ok(catalogue.task(row.key)?);
        }
        if row.id == name {
            by_id.push((row.key, full));
        } else if table.len() <= 20_000 {
            let distance =
                strsim::damerau_levenshtein(name, row.id).min(strsim::damerau_levenshtein(name, &full));
            if distance <= 3 && nearest.as_ref().is_none_or(|(best, _)| distance < *best) {
                nearest = Some((distance, full));
            }
        }
    }
    match by_id.as_slice() {
        [(key, _)] => Ok(catalogue.task(*key)?),
        [] => {
            let place = &catalogue.origin().label;
            let mut message = format!("there is no task `{name}` in {place} ({} tasks)", table.len());
            if list.skips.count() > 0 {
                message.push_str(&format!(", where {} did not become one", list.skips.count()));
            }
            if let Some(skipped) = list.skips.rows().iter().find(|row| is_called(row, name)) {
                message.push_str(&format!("; what is called so there was skipped:\n{skipped}"));
            } else if let Some((_, near)) = nearest {
                message.push_str(&format!("; did you mean `{near}`?"));
            } else if Path::new(name).is_file() {
                message.push_str("; it is a file: to compare two files name both, to look for a task inside name the task and --in FILE");
            } else if catalogue.origin().kind == OriginKind::Samples {
                message.push_str(
                    "; name the dataset that holds it with --in PATH, or a workspace with --workspace DIR",
                );
            } else {
                message.push_str("; `mendbench tasks list` with the same place shows them all");
            }
            Err(Failure::usage(message))
        }
        several => {
            let names = several.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
            Err(Failure::usage(format!("`{name}` is the id of several tasks: {names}; write the whole name")))
        }
    }
}

/// Whether a skipped row is a file or folder of this name, with or without folders before it, or has this id.
fn is_called(row: &Skipped, name: &str) -> bool {
    let file = &row.at.file;
    // Only what is a task of its own: each row of a file of many has the name of that file.
    let is_file = row.at.line.is_none() || file.ends_with(TASK_FILE);
    let folder = if file.ends_with(TASK_FILE) { file.parent() } else { Some(file.as_path()) };
    let has_id = matches!(&row.why, SkipReason::DuplicateId { id, .. } if id == name);
    has_id || is_file && !name.is_empty() && folder.is_some_and(|folder| folder.ends_with(name))
}
