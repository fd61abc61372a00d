//! `mendbench bundle export|import`: a whole workspace as JSON Lines.

use super::arguments::Bundle;
use super::output::reason;
use super::{Arguments, DONE, FAILED, Failure, Output, USAGE, counted, request, shown};
use crate::catalogue::workspace_for;
use crate::store::StoreError;
use crate::store::bundle::{BundleError, export, import};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;

/// Problems that are printed one by one; all are counted.
const SHOWN: usize = 100;

/// Longest first line that is looked at.
const FIRST_LINE: u64 = 4_096;

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Bundle, output: &mut Output) -> Result<u8, Failure> {
    match what {
        Bundle::Export { file } => write(arguments, file.as_deref(), output),
        Bundle::Import { file } => read(arguments, file, output),
    }
}

fn failure(error: BundleError) -> Failure {
    match error {
        BundleError::NotABundle | BundleError::Newer { .. } => Failure::usage(error),
        BundleError::Write(error) => Failure::from(error),
        _ => Failure::infrastructure(error),
    }
}

fn write(arguments: &Arguments, file: Option<&Path>, output: &mut Output) -> Result<u8, Failure> {
    let workspace = workspace_for(&request(arguments, None))?;
    let store = workspace.open_if_exists()?;
    let Some(store) = store else {
        return Err(StoreError::Missing { path: workspace.database }.into());
    };
    let mut damaged = Vec::new();
    let mut on_damage = |error: StoreError| damaged.push(error.to_string());
    let exported = match file {
        None => export(&store, output.writer(), &mut on_damage).map_err(failure)?,
        Some(path) => {
            let made = OpenOptions::new().write(true).create_new(true).open(path);
            let file = made.map_err(|error| {
                let next = match error.kind() {
                    std::io::ErrorKind::AlreadyExists => "move it away, or name another file",
                    _ => "name a file in a folder that exists and can be written",
                };
                Failure::usage(format!("{}: cannot be made: {}; {next}", shown(path), reason(&error)))
            })?;
            let mut writer = BufWriter::new(file);
            let exported = export(&store, &mut writer, &mut on_damage).and_then(|exported| {
                let file = writer.into_inner().map_err(|error| BundleError::Write(error.into_error()))?;
                file.sync_all().map_err(BundleError::Write)?;
                Ok(exported)
            });
            if exported.is_err() {
                // Half a bundle helps nobody and would be in the way of the next try.
                let _ = std::fs::remove_file(path);
            }
            exported.map_err(|error| match error {
                BundleError::Write(error) => Failure::infrastructure(format!(
                    "{}: cannot be written: {}; make room or name another place; no half bundle was left behind",
                    shown(path),
                    reason(&error)
                )),
                other => failure(other),
            })?
        }
    };
    for message in &damaged {
        output.note(message);
    }
    let words = format!("{} events and {} blobs", exported.events, exported.blobs);
    match (file, output.json) {
        (Some(path), true) => output.object(&json!({
            "type": "bundle-export", "v": 1, "file": path.to_string_lossy(), "events": exported.events,
            "blobs": exported.blobs, "damaged": exported.damaged,
        }))?,
        (Some(path), false) => output.line(&format!("{}: {words}", shown(path)))?,
        (None, _) => output.note(&format!("{words} written")),
    }
    Ok(if exported.damaged == 0 { DONE } else { FAILED })
}

fn read(arguments: &Arguments, file: &Path, output: &mut Output) -> Result<u8, Failure> {
    let name = if file == Path::new("-") { "stdin".to_owned() } else { shown(file) };
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("{name}: cannot be read: {}; name a bundle, or - for stdin", reason(&error)))
    };
    let input: Box<dyn Read> = match name.as_str() {
        "stdin" => Box::new(std::io::stdin()),
        _ => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut input = BufReader::new(input);
    // What is no bundle must not leave an empty workspace behind.
    let mut first = Vec::new();
    input.by_ref().take(FIRST_LINE).read_until(b'\n', &mut first).map_err(unreadable)?;
    let object: Value = serde_json::from_slice(&first).unwrap_or_default();
    if object["type"] != "bundle" {
        return Err(Failure::usage(format!("{name}: {}", BundleError::NotABundle)));
    }
    let mut input = first.as_slice().chain(input);
    let workspace = workspace_for(&request(arguments, None))?;
    let store = workspace.open_or_create()?;
    let mut problems = Vec::new();
    let imported = import(&store, &mut input, &mut |problem| {
        if problems.len() < SHOWN {
            problems.push(problem);
        }
    })
    .map_err(|error| match failure(error) {
        Failure { code, message } if code == USAGE => Failure { code, message: format!("{name}: {message}") },
        other => other,
    })?;
    for problem in &problems {
        if output.json {
            output.object(&json!({
                "type": "bundle-problem", "v": 1, "line": problem.line, "message": problem.what,
            }))?;
        } else {
            output.note(&format!("{name}: {problem}"));
        }
    }
    if imported.problems as usize > problems.len() && !output.json {
        output.note(&format!("and {} more problems", imported.problems as usize - problems.len()));
    }
    if output.json {
        output.object(&json!({
            "type": "bundle-import", "v": 1, "workspace": workspace.folder.to_string_lossy(),
            "events_added": imported.events_added, "events_known": imported.events_known,
            "blobs_added": imported.blobs_added, "blobs_known": imported.blobs_known,
            "renumbered": imported.renumbered, "conflicts": imported.conflicts, "problems": imported.problems,
            "complete": imported.complete,
        }))?;
    } else {
        let mut parts = vec![format!(
            "{} and {} added, {} and {} known already",
            counted(imported.events_added, "event"),
            counted(imported.blobs_added, "blob"),
            imported.events_known,
            imported.blobs_known,
        )];
        for (number, what) in [(imported.conflicts, "conflict"), (imported.problems, "problem")] {
            if number > 0 {
                parts.push(counted(number, what));
            }
        }
        output.line(&format!("{}: {}", shown(&workspace.folder), parts.join(", ")))?;
        if !imported.complete {
            output.note("the bundle is not as it was written: what could be read was taken; fetch it again and repeat the import, nothing is taken twice");
        }
    }
    Ok(if imported.problems == 0 && imported.conflicts == 0 && imported.complete { DONE } else { FAILED })
}
