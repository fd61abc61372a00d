//! Which tasks a run is about, and the repairs of others that its prompts may show.
//!
//! Promises: tasks come in the order of their list; rows that are no tasks are told and counted.
//! Leaves to others: whether a task can be asked about (`runner`), never showing its own group (`repair::prompt`).

use super::flags::Flags;
use crate::catalogue::{Catalogue, Progress, open, read};
use crate::cli::locate::locate;
use crate::cli::tasks::{note_skips, selected, skipped_objects};
use crate::cli::{Arguments, Failure, Output, request};
use crate::dataset::task_folder::TASK_FILE;
use crate::repair::prompt::Example;
use crate::task::filter::Filter;
use crate::task::{FeedbackKind, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most examples that are looked at for a prompt.
const MOST_EXAMPLES: usize = 5_000;

/// The tasks of a run.
pub struct Chosen {
    /// The tasks.
    pub tasks: Vec<Arc<Task>>,
    /// Whether each of them was named: then each must be run.
    pub named: bool,
    /// Where repairs of other tasks are.
    place: Option<PathBuf>,
}

/// The tasks that flags choose.
pub fn chosen(arguments: &Arguments, flags: &Flags, output: &mut Output) -> Result<Chosen, Failure> {
    let place = match flags.what.as_slice() {
        [] => flags.within.clone(),
        [_] if names_a_place(flags) => place(flags),
        names => return of_names(arguments, flags, names),
    };
    let expression = flags.filter.as_deref().unwrap_or("");
    let filter = Filter::parse_without_labels(expression)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = open(&request(arguments, place.as_ref()))?;
    let list = read(&*catalogue)?;
    let mut rows = selected(&*catalogue, &list.table, &filter)?;
    rows.sort_unstable();
    let keys = rows.iter().filter_map(|(row, _)| list.table.get(*row)).map(|row| row.key);
    let tasks = keys.map(|key| Ok(Arc::new(catalogue.task(key)?))).collect::<Result<Vec<_>, Failure>>()?;
    tell_skips(&list, output)?;
    if tasks.is_empty() {
        let label = &catalogue.origin().label;
        return Err(Failure::usage(match expression.trim() {
            "" => format!("there is no task in {label}"),
            _ => format!("no task of {label} ({} in all) passes the filter `{expression}`", list.table.len()),
        }));
    }
    Ok(Chosen { tasks, named: false, place })
}

/// Where the tasks are, as far as flags tell: `--in`, or the one word that is a place.
pub fn place(flags: &Flags) -> Option<PathBuf> {
    let word = flags.what.first().filter(|_| names_a_place(flags));
    flags.within.clone().or(word.map(PathBuf::from))
}

fn names_a_place(flags: &Flags) -> bool {
    matches!(flags.what.as_slice(), [one] if flags.within.is_none() && is_place(Path::new(one)))
}

/// Whether a word names tasks by where they are: a file, or a folder that is not itself a task.
fn is_place(path: &Path) -> bool {
    path.is_file() || (path.is_dir() && !path.join(TASK_FILE).is_file())
}

fn of_names(arguments: &Arguments, flags: &Flags, names: &[String]) -> Result<Chosen, Failure> {
    if flags.filter.is_some() {
        return Err(Failure::usage(
            "--filter chooses among the tasks of a PATH, and tasks are named: leave one of the two out",
        ));
    }
    let within = flags.within.as_ref();
    let mut tasks: Vec<Arc<Task>> = Vec::new();
    for name in names {
        let task = locate(arguments, name, within)?;
        if tasks.iter().any(|known| known.name() == task.name()) {
            return Err(Failure::usage(format!(
                "`{}` is named twice: --samples tries a task again",
                task.name()
            )));
        }
        tasks.push(Arc::new(task));
    }
    // The tasks beside a task folder are those of the same place.
    let beside = || {
        let folder = names.first().map(Path::new).filter(|folder| folder.join(TASK_FILE).is_file())?;
        folder.canonicalize().ok()?.parent().map(Path::to_owned)
    };
    Ok(Chosen { tasks, named: true, place: within.cloned().or_else(beside) })
}

fn tell_skips(list: &Progress, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return skipped_objects(list.skips.rows(), output);
    }
    note_skips(&list.skips, output);
    Ok(())
}

impl Chosen {
    /// Repairs of the tasks of the same place, for techniques that show some.
    pub fn examples(
        &self,
        arguments: &Arguments,
        told: Option<FeedbackKind>,
    ) -> Result<Vec<Example>, Failure> {
        let catalogue: Arc<dyn Catalogue> = open(&request(arguments, self.place.as_ref()))?;
        let list = read(&*catalogue)?;
        let mut examples = Vec::new();
        for row in (0..list.table.len() as u32).filter_map(|row| list.table.get(row)) {
            if examples.len() >= MOST_EXAMPLES {
                break;
            }
            examples.extend(Example::of_task(&catalogue.task(row.key)?, told));
        }
        Ok(examples)
    }
}
