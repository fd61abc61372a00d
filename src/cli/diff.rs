//! `mendbench diff TASK`, a turn of a run, or two files: the difference as people read it, as a patch, or as JSON.

use super::arguments::{Algorithm, Diff};
use super::diff_render::{FileView, View, render};
use super::diff_turn::{of_item, of_turn};
use super::locate::locate;
use super::output::reason;
use super::{Arguments, DONE, FAILED, Failure, Output, pager, shown};
use crate::catalogue::{PairColours, colour, nothing_to_compare};
use crate::config::Config;
use crate::dataset::Bounds;
use crate::diff::{
    Algorithm as Lines, DiffOptions, FileBody, FileBytes, FileDiff, Patch, Projection, TaskDiff, Whitespace,
    summary, task_files,
};
use crate::label::turn::TurnName;
use crate::syntax::language::language_of_path;
use crate::task::{Content, Task};
use crate::text::counted;
use crate::text::{sanitise, sanitise_lines};
use crate::theme::ColourDepth;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Marks of the task that are told; `tasks show` tells all.
const MARKS: usize = 10;

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Diff, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    // The name of a turn that is labelled says everything.
    let item = TurnName::of_item(&what.task).filter(|_| what.newer.is_none() && what.within.is_none());
    let turn = match (&what.turn, &item) {
        (Some(turn), _) => Some(of_turn(arguments, &what.task, turn)?),
        (None, Some(name)) => Some(of_item(arguments, name)?),
        (None, None) => None,
    };
    let revision = turn.as_ref().map(|turn| turn.revision.clone());
    let is_turn = revision.is_some();
    let task = match (&what.newer, turn) {
        (_, Some(turn)) => turn.task,
        (Some(newer), None) => of_two_files(Path::new(&what.task), newer)?,
        (None, None) => locate(arguments, &what.task, what.within.as_ref())?,
    };
    let options = DiffOptions {
        algorithm: match what.algorithm {
            Algorithm::Myers => Lines::Myers,
            Algorithm::Patience => Lines::Patience,
            Algorithm::Histogram => Lines::Histogram,
        },
        whitespace: match (what.ignore_space_change, what.ignore_all_space) {
            (_, true) => Whitespace::IgnoreAll,
            (true, _) => Whitespace::IgnoreAmount,
            _ => Whitespace::Exact,
        },
        ..DiffOptions::default()
    };
    let context = what.context.unwrap_or_else(|| config.settings.number("context"));
    let diff = task_files(&task, &options);
    let not_compared = |file: &FileDiff| Some((file.path.clone(), file.body.not_compared()?));
    let not_compared: Vec<_> = diff.files.iter().filter_map(not_compared).collect();
    let missing = task.files.reference.is_empty();
    let code = if missing || !not_compared.is_empty() { FAILED } else { DONE };
    if output.json {
        let mut object = object(&task, &diff, context);
        if let Some(revision) = revision {
            let place = |name: TurnName| format!("{}:{}.{}", name.run, name.attempt, name.turn);
            object["turn"] = json!(what.turn.clone().or_else(|| item.map(place)));
            object["revision"] = json!(revision);
        }
        output.object(&object)?;
        return Ok(code);
    }
    for mark in task.marks.iter().take(MARKS) {
        output.note(&format!("{}: {}: {}", task.name(), mark.kind.as_str(), mark.detail));
    }
    for (path, why) in not_compared.iter().take(MARKS) {
        output.note(&format!("{}: cannot be compared: {path} {why}", task.name()));
    }
    if not_compared.len() > MARKS {
        let more = counted(not_compared.len() - MARKS, "further file");
        output.note(&format!("{}: cannot be compared: {more}", task.name()));
    }
    if diff.files.is_empty() {
        output.note(&match &what.newer {
            None if is_turn => format!("{}: this turn changed nothing", task.name()),
            Some(newer) => format!("{} and {} are the same", what.task, shown(newer)),
            None => format!("{}: {}", task.name(), nothing_to_compare(&task)),
        });
        return Ok(code);
    }
    let text = match what.patch {
        true => {
            let bytes = patch(&task, &diff, context).write();
            if !output.terminal {
                output.bytes(&bytes)?;
                return Ok(code);
            }
            // On a terminal a patch is there to be read, and nothing in it may command the terminal.
            sanitise_lines(&String::from_utf8_lossy(&bytes), 8).into_owned()
        }
        false => human(&diff, what, context, output),
    };
    if output.terminal && !what.no_pager {
        pager::show(&text, config.settings.get("pager"), output)?;
    } else {
        output.raw(&text)?;
    }
    Ok(code)
}

fn human(diff: &TaskDiff, what: &Diff, context: usize, output: &Output) -> String {
    let coloured = output.depth != ColourDepth::None;
    let colours: Vec<Option<PairColours>> = diff
        .files
        .iter()
        .map(|file| match &file.body {
            FileBody::Text { diff, .. } if coloured => {
                Some(Arc::new(colour(&file.language, &file.path, diff, &AtomicBool::new(false))))
            }
            _ => None,
        })
        .collect();
    let view = View {
        projection: if what.side_by_side { Projection::SideBySide } else { Projection::Unified },
        width: what.width.map_or_else(|| output.width().clamp(20, 1000), usize::from),
        context: if what.whole { None } else { Some(context) },
        ..View::default()
    };
    let theme = output.theme.as_ref().filter(|_| coloured);
    let mut text = String::new();
    for (number, file) in diff.files.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        match &file.body {
            FileBody::Text { diff, .. } => {
                let pair = colours.get(number).and_then(Option::as_ref);
                let syntax = pair.map(|pair| (&pair.0, &pair.1));
                let name = match &what.newer {
                    Some(newer) if what.task != newer.to_string_lossy() => {
                        format!("{} → {}", sanitise(&what.task), shown(newer))
                    }
                    _ => name_of(file),
                };
                render(&mut text, &[FileView { name: &name, diff, syntax }], &view, theme);
            }
            FileBody::Binary { old_len, new_len } => {
                text.push_str(&format!(
                    "{}: binary, {} before, {} after\n",
                    name_of(file),
                    counted(*old_len, "byte"),
                    counted(*new_len, "byte")
                ));
            }
            FileBody::TooLarge { old_len, new_len } => {
                text.push_str(&format!(
                    "{}: too large to be compared, {old_len} bytes before, {new_len} bytes after\n",
                    name_of(file)
                ));
            }
            FileBody::NotRead { .. } => {
                let why = file.body.not_compared().unwrap_or_default();
                text.push_str(&format!("{}: cannot be compared: it {why}\n", name_of(file)));
            }
        }
    }
    text
}

/// Path and, where it is more than a change, what happened to the file.
fn name_of(file: &FileDiff) -> String {
    let path = sanitise(&file.path);
    match file.status {
        crate::diff::FileStatus::Modified => path.into_owned(),
        other => format!("{path} ({})", other.as_str()),
    }
}

fn patch(task: &Task, diff: &TaskDiff, context: usize) -> Patch {
    let changed = task.changed_files();
    let compared: HashSet<&str> = diff
        .files
        .iter()
        .filter(|file| file.body.not_compared().is_none())
        .map(|file| file.path.as_str())
        .collect();
    let files: Vec<FileBytes<'_>> = changed
        .iter()
        .filter(|file| compared.contains(file.path))
        .map(|file| (file.path, file.buggy.map(Content::bytes), file.reference.map(Content::bytes)))
        .collect();
    Patch::between(&files, context)
}

fn object(task: &Task, diff: &TaskDiff, context: usize) -> Value {
    let granularity = summary(task).granularity;
    let files: Vec<Value> = diff
        .files
        .iter()
        .map(|file| {
            let (body, added, removed, hunks) = match &file.body {
                FileBody::Text { diff, .. } => ("text", diff.added, diff.removed, diff.hunks.len()),
                FileBody::Binary { .. } => ("binary", 0, 0, 0),
                FileBody::TooLarge { .. } => ("too-large", 0, 0, 0),
                FileBody::NotRead { why } => (why.as_str(), 0, 0, 0),
            };
            json!({
                "path": file.path, "status": file.status.as_str(), "language": file.language, "body": body,
                "added": added, "removed": removed, "hunks": hunks,
            })
        })
        .collect();
    let patch = patch(task, diff, context).write();
    json!({
        "type": "difference", "v": 1, "name": task.name().to_string(), "revision": task.revision(),
        "granularity": granularity, "added": diff.added, "removed": diff.removed, "files": files,
        "marks": task.marks,
        "patch": String::from_utf8_lossy(&patch),
    })
}

/// A task made of two files, so that one way leads through everything.
fn of_two_files(old: &Path, new: &Path) -> Result<Task, Failure> {
    let name =
        new.file_name().map_or_else(|| new.to_string_lossy(), |name| name.to_string_lossy()).into_owned();
    let mut task = Task::new("files", name.clone());
    task.language = language_of_path(&name).unwrap_or_default().to_owned();
    task.files.buggy.insert(name.clone(), content(old)?);
    task.files.reference.insert(name, content(new)?);
    Ok(task)
}

fn content(path: &Path) -> Result<Content, Failure> {
    let refused = |why: String| Failure::usage(format!("{}: {why}", shown(path)));
    let unreadable = |error: std::io::Error| refused(format!("cannot be read: {}", reason(&error)));
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(refused("a folder, not a file; name two files, or one task".to_owned()));
    }
    if !metadata.is_file() {
        return Err(refused("not a regular file; write its data to a file and compare that".to_owned()));
    }
    let most = Bounds::default().file_bytes;
    if metadata.len() > most {
        return Err(refused(format!(
            "{} bytes are too many to be compared; files may have up to {most}",
            metadata.len()
        )));
    }
    std::fs::read(path).map(Content::from).map_err(unreadable)
}
