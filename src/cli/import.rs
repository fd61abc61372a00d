//! `mendbench import SOURCE`: copies the tasks of a dataset into the workspace.

use super::tasks::{note_skips, skipped_objects};
use super::{Arguments, DONE, FAILED, Failure, Output, counted, request};
use crate::catalogue::{Skips, workspace_for};
use crate::dataset::{
    Bounds, DatasetError, Flow, Location, Probe, Request, Sink, Skipped, by_name, detect_probe,
    is_dataset_name, read_into,
};
use crate::diff::summary;
use crate::store::{ImportReport, PreparedTask, StoreError, Summary, TaskIndex};
use crate::task::Task;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Tasks that wait between the reader and the workspace: a bad disk must not fill memory.
const WAITING: usize = 4_000;

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
    // A source that cannot be read must not leave an empty workspace behind.
    let dataset = name_of(&to_read).map_err(Failure::usage)?;
    let to_read = Request { dataset: Some(&dataset), ..to_read };
    let store = workspace.open_or_create()?;
    let bar = progress_bar(output);
    let (sender, receiver) = sync_channel::<PreparedTask>(WAITING);
    let mut reader = Reader { sender, skips: Skips::default() };
    let (read, report) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| keep(&store, &dataset, receiver, &bar));
        let read = read_into(&to_read, &mut reader);
        let skips = std::mem::take(&mut reader.skips);
        drop(reader);
        let report = writer.join().unwrap_or_else(|_| {
            Err(StoreError::Damaged {
                path: workspace.database.clone(),
                detail: "the writer stopped".to_owned(),
            })
        });
        (read.map(|read| (read, skips)), report)
    });
    bar.finish_and_clear();
    let report = report?;
    let (read, skips) = read.map_err(Failure::usage)?;
    let kept = report.added + report.updated + report.unchanged + report.refreshed;
    let lost =
        ["damaged", "too-much-data", "half-written"].iter().any(|why| skips.counts().contains_key(why));
    let code =
        if lost || report.refused_count > 0 || (kept == 0 && skips.count() > 0) { FAILED } else { DONE };
    if output.json {
        skipped_objects(&skips, output)?;
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

fn keep(
    store: &dyn TaskIndex,
    dataset: &str,
    receiver: Receiver<PreparedTask>,
    bar: &ProgressBar,
) -> Result<ImportReport, StoreError> {
    store.import(dataset, &mut receiver.into_iter().inspect(|_| bar.inc(1)))
}

/// Compares the versions of each task and hands it on.
struct Reader {
    sender: SyncSender<PreparedTask>,
    skips: Skips,
}

impl Sink for Reader {
    fn task(&mut self, task: Task, _at: Location) -> Flow {
        let size = summary(&task);
        let lines = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let summary =
            Summary { granularity: size.granularity, added: lines(size.added), removed: lines(size.removed) };
        match self.sender.send(PreparedTask { task, summary }) {
            Ok(()) => ControlFlow::Continue(()),
            // The workspace failed; its error is on its way.
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        self.skips.add(skipped);
        ControlFlow::Continue(())
    }
}
