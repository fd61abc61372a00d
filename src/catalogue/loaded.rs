//! A task made ready to be read: compared, measured, coloured where that is quick.

use super::{Catalogue, CatalogueError};
use crate::diff::{Diff, DiffOptions, Lines};
use crate::diff::{FileBody, FileDiff, TaskDiff, summary, task_files};
use crate::syntax::highlight::{
    HighlightedFile, Highlighter, Limit, highlight_pair, highlight_pair_calmly, syntax_for,
};
use crate::syntax::{FunctionSpan, functions};
use crate::task::{Granularity, Kind, Revision, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Syntax colours of both sides of a file.
pub type PairColours = Arc<(HighlightedFile, HighlightedFile)>;

/// Lines of both versions together that are coloured before the task is shown; more are coloured while it
/// is.
const COLOURED_AT_ONCE: usize = 1_500;

/// A task and its difference.
#[derive(Debug)]
pub struct LoadedTask {
    /// Key in the catalogue.
    pub key: u64,
    /// The task.
    pub task: Task,
    /// Its revision.
    pub revision: Revision,
    /// Buggy against reference.
    pub diff: Arc<TaskDiff>,
    /// How they were compared.
    pub options: DiffOptions,
    /// How far the reference fix reaches.
    pub granularity: Option<Granularity>,
    /// Functions of the new version of each file; none where finding them would take a while.
    pub functions: Vec<Vec<FunctionSpan>>,
    /// Syntax colours of each file of the difference; `None` where they would take a while.
    pub colours: Vec<Option<PairColours>>,
}

impl LoadedTask {
    /// Reads a task and compares its versions.
    pub fn load(
        catalogue: &dyn Catalogue,
        key: u64,
        options: DiffOptions,
    ) -> Result<LoadedTask, CatalogueError> {
        let task = catalogue.task(key)?;
        let granularity = catalogue.granularity(key).unwrap_or_else(|| summary(&task).granularity);
        Ok(LoadedTask::with(key, task, granularity, options))
    }

    /// Compares the versions of a task.
    pub fn new(key: u64, task: Task, options: DiffOptions) -> LoadedTask {
        let granularity = summary(&task).granularity;
        LoadedTask::with(key, task, granularity, options)
    }

    fn with(key: u64, task: Task, granularity: Option<Granularity>, options: DiffOptions) -> LoadedTask {
        let diff = task_files(&task, &options);
        let mut room = COLOURED_AT_ONCE;
        let mut colours = Vec::with_capacity(diff.files.len());
        let never = AtomicBool::new(false);
        for file in &diff.files {
            colours.push(match &file.body {
                FileBody::Text { diff: body, .. } if body.old.len() + body.new.len() <= room => {
                    room -= body.old.len() + body.new.len();
                    Some(Arc::new(colour(&file.language, &file.path, body, &never)))
                }
                FileBody::Text { .. } => None,
                _ => Some(Arc::default()),
            });
        }
        let found = |file: &FileDiff| match &file.body {
            FileBody::Text { diff, .. } if diff.new.len() <= COLOURED_AT_ONCE => {
                functions(&file.language, diff.new.text()).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let functions = diff.files.iter().map(found).collect();
        LoadedTask {
            key,
            functions,
            revision: task.revision(),
            diff: Arc::new(diff),
            options,
            granularity,
            colours,
            task,
        }
    }

    /// Why there is no difference to show.
    pub fn nothing_to_compare(&self) -> String {
        nothing_to_compare(&self.task)
    }
}

/// Why there is no difference to show.
pub fn nothing_to_compare(task: &Task) -> String {
    if task.repo.is_some() && task.files.buggy.is_empty() {
        "The tree is in a repository that was not fetched.".to_owned()
    } else if task.kind != Kind::Repair {
        format!("This {} task has no reference tree to compare with.", task.kind)
    } else if task.files.reference.is_empty() {
        "This task has no reference version.".to_owned()
    } else {
        "Buggy and reference version are the same.".to_owned()
    }
}

/// Syntax colours of both sides of a file.
pub fn colour(
    language: &str,
    path: &str,
    body: &Diff,
    cancel: &AtomicBool,
) -> (HighlightedFile, HighlightedFile) {
    let first = if body.old.is_empty() { "" } else { body.old.line(0) };
    let syntax = syntax_for(language, path, first);
    highlight_pair(body.old.text(), body.new.text(), syntax, cancel)
}

/// Lines that are coloured before the first report; each later report covers four times as many.
const FIRST_STEP: usize = 400;

/// Syntax colours of a long file, reported several times: first for its beginning, last for all of it.
pub fn colour_in_steps(
    language: &str,
    path: &str,
    body: &Diff,
    cancel: &AtomicBool,
    report: &mut dyn FnMut(PairColours),
) {
    let first = if body.old.is_empty() { "" } else { body.old.line(0) };
    let syntax = syntax_for(language, path, first);
    if Limit::of(body.old.text()).or(Limit::of(body.new.text())).is_none()
        && body.old.len().max(body.new.len()) > FIRST_STEP
    {
        let beginning = |lines: &Lines| {
            let mut highlighter = Highlighter::new(syntax);
            highlighter.advance(lines.iter(), FIRST_STEP, cancel);
            highlighter.into_file()
        };
        report(Arc::new((beginning(&body.old), beginning(&body.new))));
    }
    if !cancel.load(Ordering::Relaxed) {
        report(Arc::new(highlight_pair_calmly(body.old.text(), body.new.text(), syntax, cancel)));
    }
}
