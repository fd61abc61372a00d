//! Task folders: a folder with a `task.toml` is a task; other folders are searched for such folders.
//!
//! Promises: the same reader for folders on disk and for the sample tasks in the binary; every problem
//! of every `task.toml` is reported; writing and reading a task gives the same task.
//! Leaves to others: fetching repositories, building, testing.

mod embedded;
mod keys;
mod manifest;
mod schema;
mod tree_source;
mod trees;
mod write;

pub use embedded::{SAMPLES, sample_recordings, sample_studies, sample_tasks};
pub(crate) use manifest::bad_id;
pub use tree_source::{DiskTree, EmbeddedTree, Entry, EntryKind, FileBytes, TreeSource};
pub use write::{WriteError, write_task_folder};

use super::bounds::Bounds;
use super::error::{DatasetError, nearest_name};
use super::looks::Looks;
use super::marks;
use super::probe::Probe;
use super::sink::{Flow, Progress, Sink};
use super::skipped::{Location, Problem, SkipReason, Skipped};
use super::{Confidence, Format, Source, default_dataset_name};
use crate::task::paths::is_litter;
use crate::task::{Content, Decoded, Encoding, FeedbackKind, MarkKind, Task};
use std::ops::ControlFlow;
use std::path::Path;
use tree_source::join;
use trees::TreeReader;

/// The file that makes a folder a task.
pub const TASK_FILE: &str = "task.toml";

/// Folders looked at to tell whether there is a task folder among them.
const DETECT_FOLDERS: usize = 2_000;

/// The format of task folders.
pub struct TaskFolders;

impl Format for TaskFolders {
    fn name(&self) -> &'static str {
        "task-folder"
    }

    fn describe(&self) -> &'static str {
        "a folder of task folders, each with a task.toml"
    }

    fn detect(&self, probe: &Probe) -> Option<Confidence> {
        if !probe.folder {
            return None;
        }
        if probe.names.binary_search_by(|name| name.as_str().cmp(TASK_FILE)).is_ok() {
            return Some(Confidence::Certain);
        }
        let mut left = DETECT_FOLDERS;
        let mut found = false;
        let source = DiskTree::new(&probe.path);
        let _ = search(&source, "", Bounds::default().search_depth, &mut |visit| {
            left -= 1;
            found = matches!(visit, Visit::Task(_));
            if found || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found.then_some(Confidence::Certain)
    }

    fn read(&self, source: &Source<'_>, sink: &mut dyn Sink) -> Result<(), DatasetError> {
        let metadata =
            std::fs::metadata(source.path).map_err(|error| DatasetError::from_io(source.path, error))?;
        if !metadata.is_dir() {
            return Err(DatasetError::WrongPlace {
                path: source.path.to_owned(),
                format: self.name(),
                wants: "folders",
                found: "a file",
            });
        }
        // A folder that cannot be listed at all is not an empty dataset.
        std::fs::read_dir(source.path).map_err(|error| DatasetError::from_io(source.path, error))?;
        let found = read_tree(&DiskTree::new(source.path), source.dataset, source.bounds, sink);
        if !found {
            let probe = Probe::of(source.path, source.bounds)?;
            return Err(DatasetError::Unrecognised {
                path: source.path.to_owned(),
                looks: Looks::of(&probe),
            });
        }
        Ok(())
    }

    /// A single task is named after the folder that it stands in, as it is when that one is opened.
    fn dataset_name(&self, path: &Path) -> String {
        if !path.join(TASK_FILE).exists() {
            return default_dataset_name(path);
        }
        let resolved = path.canonicalize();
        let parent = resolved.as_deref().unwrap_or(path).parent();
        parent.map_or_else(|| default_dataset_name(path), default_dataset_name)
    }
}

/// Reads every task folder of a tree; `false` when there is nothing in it that could be one.
pub fn read_tree(source: &dyn TreeSource, dataset: &str, bounds: &Bounds, sink: &mut dyn Sink) -> bool {
    let mut rows = 0;
    let mut found = false;
    let _ = search(source, "", bounds.search_depth, &mut |visit| {
        found |= !matches!(visit, Visit::Folder);
        match visit {
            Visit::Folder => {}
            Visit::Task(folder) => {
                rows += 1;
                match read_task(source, folder, dataset, bounds) {
                    Ok(task) => sink.task(task, Location::file(source.shown(folder)))?,
                    Err(skipped) => sink.skipped(skipped)?,
                }
            }
            Visit::Link(path) => {
                let at = Location::file(source.shown(path));
                sink.skipped(Skipped { at, why: SkipReason::Symlink })?;
            }
            Visit::Broken(path, reason) => {
                let at = Location::file(source.shown(path));
                sink.skipped(Skipped { at, why: SkipReason::Unreadable(reason) })?;
            }
        }
        sink.progress(Progress { rows, bytes: 0 })
    });
    found
}

/// What a search comes upon.
enum Visit<'a> {
    /// A folder without task.toml, which is searched.
    Folder,
    /// A task folder.
    Task(&'a str),
    /// A symbolic link, which is not followed.
    Link(&'a str),
    /// A folder that cannot be listed, and why.
    Broken(&'a str, String),
}

/// Looks for task folders, in the order of their names; does not look inside one, nor into hidden
/// folders.
fn search(
    source: &dyn TreeSource,
    folder: &str,
    depth: usize,
    visit: &mut dyn FnMut(Visit<'_>) -> Flow,
) -> Flow {
    let entries = match source.list(folder) {
        Ok(entries) => entries,
        Err(reason) => return visit(Visit::Broken(folder, reason)),
    };
    if entries.iter().any(|entry| entry.name == TASK_FILE) {
        return visit(Visit::Task(folder));
    }
    visit(Visit::Folder)?;
    for entry in entries {
        if entry.name.starts_with('.') || is_litter(&entry.name) {
            continue;
        }
        let path = join(folder, &entry.name);
        match entry.kind {
            EntryKind::Folder if depth > 0 => search(source, &path, depth - 1, visit)?,
            // Elsewhere a link may be a file of no interest; beside task folders it may be a task.
            EntryKind::Symlink(_) => visit(Visit::Link(&path))?,
            _ => {}
        }
    }
    ControlFlow::Continue(())
}

/// Reads the task in `folder` of a tree.
pub fn read_task(
    source: &dyn TreeSource,
    folder: &str,
    dataset: &str,
    bounds: &Bounds,
) -> Result<Task, Skipped> {
    let task_file = join(folder, TASK_FILE);
    let at_file = Location::file(source.shown(&task_file));
    let unreadable = |reason| Skipped { at: at_file.clone(), why: SkipReason::Unreadable(reason) };
    let bad = |problems| Skipped { at: at_file.clone(), why: SkipReason::BadTaskFile(problems) };
    let entries = source.list(folder).map_err(unreadable)?;
    let text = manifest_text(source, &task_file, &entries, bounds, &at_file)?;
    let mut manifest = manifest::parse(&text, dataset).map_err(bad)?;

    let mut problems = misspelt(&entries);
    let mut feedback_marks = Vec::new();
    for (kind, path) in &manifest.feedback {
        match feedback_text(source, folder, path, bounds) {
            Ok((text, mark)) => {
                manifest.task.feedback.insert(*kind, text);
                feedback_marks.extend(mark);
            }
            Err(reason) => problems.push(feedback_problem(*kind, path, &reason)),
        }
    }
    if !problems.is_empty() {
        return Err(bad(problems));
    }

    let mut task = manifest.task;
    let mut reader = TreeReader::new(source, bounds);
    for entry in &entries {
        let tree = match entry.name.as_str() {
            "base" => &mut task.files.base,
            "buggy" => &mut task.files.buggy,
            "reference" => &mut task.files.reference,
            _ => continue,
        };
        let read = reader.tree(folder, entry);
        *tree = read.map_err(|why| Skipped { at: Location::file(source.shown(folder)), why })?;
    }
    reader.mark(&mut task);
    for detail in feedback_marks {
        task.mark(MarkKind::NotUtf8, detail);
    }
    marks::examine(&mut task, bounds);
    Ok(task)
}

fn manifest_text(
    source: &dyn TreeSource,
    task_file: &str,
    entries: &[Entry],
    bounds: &Bounds,
    at: &Location,
) -> Result<String, Skipped> {
    let skip = |why| Err(Skipped { at: at.clone(), why });
    match entries.iter().find(|entry| entry.name == TASK_FILE).map(|entry| &entry.kind) {
        Some(EntryKind::File) => {}
        Some(EntryKind::Symlink(_)) => return skip(SkipReason::Symlink),
        Some(EntryKind::Folder) => return skip(SkipReason::Unreadable("it is a folder".to_owned())),
        Some(EntryKind::Special(what)) => return skip(SkipReason::Unreadable(format!("it is {what}"))),
        Some(EntryKind::Unreadable(reason)) => return skip(SkipReason::Unreadable(reason.clone())),
        None => return skip(SkipReason::Unreadable("it is not there".to_owned())),
    }
    let bytes = match source.read(task_file, bounds.text_bytes) {
        Ok(FileBytes::Whole(bytes)) => bytes,
        Ok(FileBytes::TooLarge(size)) => {
            let most = bounds.text_bytes;
            return skip(SkipReason::TooLarge(format!("{size} bytes; a task.toml may have {most}")));
        }
        Err(reason) => return skip(SkipReason::Unreadable(reason)),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let byte = error.utf8_error().valid_up_to() as u64;
            let bytes = error.as_bytes();
            let line = bytes.iter().take(byte as usize).filter(|b| **b == b'\n').count() as u64 + 1;
            let start = bytes.iter().take(byte as usize).rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let why = SkipReason::NotUtf8 { in_line: byte - start as u64, in_file: byte };
            Err(Skipped { at: Location { line: Some(line), ..at.clone() }, why })
        }
    }
}

/// Folders whose name is nearly that of a tree: read as nothing they would be missed silently.
fn misspelt(entries: &[Entry]) -> Vec<Problem> {
    const TREES: [&str; 3] = ["base", "buggy", "reference"];
    let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Folder);
    let unknown = folders.filter(|entry| !TREES.contains(&entry.name.as_str()));
    unknown
        .filter_map(|entry| {
            let near = nearest_name(&entry.name, TREES.into_iter())?;
            let text = format!("the folder `{}/` is not read; did you mean `{near}/`?", entry.name);
            Some(Problem { line: None, column: None, key: String::new(), text })
        })
        .collect()
}

/// A stored feedback text, with a remark when it is not UTF-8.
fn feedback_text(
    source: &dyn TreeSource,
    folder: &str,
    path: &str,
    bounds: &Bounds,
) -> Result<(String, Option<String>), String> {
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    // Each folder on the way is looked at, because one of them may be a link out of the task.
    let mut at = folder.to_owned();
    for part in parents.split('/').filter(|part| !part.is_empty()) {
        expect_kind(source, &at, part, &EntryKind::Folder)?;
        at = join(&at, part);
    }
    expect_kind(source, &at, name, &EntryKind::File)?;
    let bytes = match source.read(&join(&at, name), bounds.text_bytes)? {
        FileBytes::Whole(bytes) => bytes,
        FileBytes::TooLarge(size) => {
            return Err(format!("has {size} bytes; a feedback text may have {}", bounds.text_bytes));
        }
    };
    match Content::new(bytes).decode() {
        Decoded::Text(text, Encoding::Utf8) => Ok((text.into_owned(), None)),
        Decoded::Text(text, Encoding::Latin1) => {
            Ok((text.into_owned(), Some(format!("{path} is not UTF-8 and was read as Latin-1"))))
        }
        Decoded::Binary => Err("is not text".to_owned()),
    }
}

fn expect_kind(source: &dyn TreeSource, folder: &str, name: &str, wanted: &EntryKind) -> Result<(), String> {
    let entry = source.list(folder)?.into_iter().find(|entry| entry.name == name);
    match entry.map(|entry| entry.kind) {
        Some(kind) if kind == *wanted => Ok(()),
        Some(EntryKind::Symlink(_)) => Err(format!("`{name}` is a symbolic link, which is not followed")),
        Some(EntryKind::Folder) => Err(format!("`{name}` is a folder")),
        Some(EntryKind::File) => Err(format!("`{name}` is not a folder")),
        Some(EntryKind::Special(what)) => Err(format!("`{name}` is {what}")),
        Some(EntryKind::Unreadable(reason)) => Err(format!("`{name}` cannot be read: {reason}")),
        None => Err("there is no such file in the task folder".to_owned()),
    }
}

fn feedback_problem(kind: FeedbackKind, path: &str, reason: &str) -> Problem {
    let text = format!("`{path}`: {reason}");
    Problem { line: None, column: None, key: format!("feedback.{kind}"), text }
}
