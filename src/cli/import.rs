//! `mendbench import SOURCE`: copies the tasks of a dataset into the workspace.

use super::queue::Queue;
use super::tasks::{note_skips, skipped_objects};
use super::{Arguments, DONE, FAILED, Failure, Output, WAITING_FOR_ANOTHER, note, request};
use crate::catalogue::{Skips, workspace_for};
use crate::dataset::{
    Bounds, DatasetError, Flow, Location, Probe, Request, Sink, Skipped, by_name, detect_probe,
    is_dataset_name, read_into,
};
use crate::diff::summary;
use crate::store::workspace::Workspace;
use crate::store::{ImportReport, PreparedTask, StoreError, Summary, TaskIndex};
use crate::task::{Content, Task};
use crate::text::counted;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// Bytes of tasks that wait between the reader and the workspace: a slow disk must not fill memory.
const WAITING: usize = 32 << 20;

/// Runs the command.
pub fn run(arguments: &Arguments, source: &Path, output: &mut Output) -> Result<u8, Failure> {
    let mut place = request(arguments, None);
    place.path = None;
    let workspace = workspace_for(&place)?;
    let to_read = Request {
        path: source,
        format: arguments.format.as_deref(),
        dataset: arguments.dataset.as_deref(),
        bounds: Bounds::default(),
    };
    let dataset = name_of(&to_read).map_err(Failure::usage)?;
    let to_read = Request { dataset: Some(&dataset), ..to_read };
    let bar = progress_bar(output);
    let queue = Queue::new(WAITING);
    let mut reader = Reader { queue: &queue, skips: Skips::default() };
    let (read, report) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| keep(&workspace, &dataset, &queue, &bar));
        let side = queue.side();
        let read = read_into(&to_read, &mut reader);
        drop(side);
        let report = writer.join().unwrap_or_else(|_| {
            Err(StoreError::Damaged {
                path: workspace.database.clone(),
                detail: "the writer stopped".to_owned(),
            })
        });
        (read, report)
    });
    bar.finish_and_clear();
    let report = report?;
    let (read, skips) = (read.map_err(Failure::usage)?, reader.skips);
    let kept = report.added + report.updated + report.unchanged + report.refreshed;
    let lost =
        ["damaged", "too-much-data", "half-written"].iter().any(|why| skips.counts().contains_key(why));
    let code =
        if lost || report.refused_count > 0 || (kept == 0 && skips.count() > 0) { FAILED } else { DONE };
    if output.json {
        skipped_objects(skips.rows(), output)?;
        output.object(&json!({
            "type": "import", "v": 1, "dataset": dataset, "format": read.format, "workspace": workspace.folder.to_string_lossy(),
            "rows": read.rows, "tasks": read.tasks, "added": report.added, "updated": report.updated,
            "unchanged": report.unchanged, "refreshed": report.refreshed, "refused": report.refused_count, "missing": report.missing,
            "skipped": skips.counts(), "sha256": read.file.as_ref().map(|file| &file.sha256),
        }))?;
        return Ok(code);
    }
    let mut parts = vec![format!("{} added", report.added)];
    for (count, word) in [
        (report.updated, "updated to a new revision"),
        (report.unchanged, "unchanged"),
        (report.refreshed, "measured anew"),
        (report.refused_count, "refused"),
        (report.missing, "of earlier imports kept though they are not in this source"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let place = workspace.folder.to_string_lossy();
    let quoted = shlex::try_quote(&place).unwrap_or(place.as_ref().into());
    output.line(&format!(
        "{dataset}: {} from {} ({})",
        counted(read.tasks, "task"),
        counted(read.rows, "row"),
        parts.join(", ")
    ))?;
    output.line(&format!("open the workspace with: mendbench --workspace {quoted}"))?;
    for refused in &report.refused {
        output.note(&format!("{}: {}", refused.id, refused.why));
    }
    note_skips(&skips, output);
    if lost {
        output.note("the source breaks off before its end: fetch it again and repeat the import; nothing is imported twice");
    }
    Ok(code)
}

/// The name under which the tasks of a source are kept, after a look at whether it can be read at all.
fn name_of(request: &Request<'_>) -> Result<String, DatasetError> {
    let probe = Probe::of(request.path, &request.bounds)?;
    let format = match request.format {
        Some(name) => by_name(name)?,
        None => detect_probe(&probe)?,
    };
    match request.dataset {
        Some(name) if !is_dataset_name(name) => Err(DatasetError::BadDatasetName(name.to_owned())),
        Some(name) => Ok(name.to_owned()),
        None => Ok(format.dataset_name(request.path)),
    }
}

fn progress_bar(output: &Output) -> ProgressBar {
    if output.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} tasks, {per_sec}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Writes what arrives. The workspace is made when the first task does: a source without any leaves none
/// behind.
fn keep(
    workspace: &Workspace,
    dataset: &str,
    queue: &Queue<PreparedTask>,
    bar: &ProgressBar,
) -> Result<ImportReport, StoreError> {
    // Dropped with an error, it stops the reader.
    let _side = queue.side();
    let mut tasks = std::iter::from_fn(|| queue.pull()).inspect(|_| bar.inc(1)).peekable();
    let store = match tasks.peek() {
        Some(_) => Some(workspace.open_or_create()?),
        None => workspace.open_if_exists()?,
    };
    let told = bar.clone();
    store.map_or_else(
        || Ok(ImportReport::default()),
        |store| {
            let store = store.when_waiting(move || told.suspend(|| note(WAITING_FOR_ANOTHER)));
            store.import(dataset, &mut tasks)
        },
    )
}

/// About how many bytes a task takes.
fn weight(task: &Task) -> usize {
    let trees = [&task.files.base, &task.files.buggy, &task.files.reference];
    let files: usize = trees.iter().flat_map(|tree| tree.values()).map(Content::len).sum();
    let feedback: usize = task.feedback.values().map(String::len).sum();
    4_096 + files + feedback + task.description.len() + task.context.len()
}

/// Compares the versions of each task and hands it on.
struct Reader<'a> {
    queue: &'a Queue<PreparedTask>,
    skips: Skips,
}

impl Sink for Reader<'_> {
    fn task(&mut self, task: Task, _at: Location) -> Flow {
        let size = summary(&task);
        let lines = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let summary =
            Summary { granularity: size.granularity, added: lines(size.added), removed: lines(size.removed) };
        let weight = weight(&task);
        match self.queue.push(PreparedTask { task, summary }, weight) {
            true => ControlFlow::Continue(()),
            // The workspace failed; its error is on its way.
            false => ControlFlow::Break(()),
        }
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        self.skips.add(skipped);
        ControlFlow::Continue(())
    }
}
