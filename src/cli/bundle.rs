//! `mendbench bundle export|import`: a whole workspace as JSON Lines.

use super::arguments::Bundle;
use super::{Arguments, DONE, FAILED, Failure, Output, request};
use crate::catalogue::workspace_for;
use crate::store::StoreError;
use crate::store::bundle::{BundleError, export, import};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// Problems that are printed one by one; all are counted.
const SHOWN: usize = 100;

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
    let store = workspace.open_if_exists().map_err(Failure::infrastructure)?;
    let Some(store) = store else {
        return Err(Failure::usage(StoreError::Missing { path: workspace.database }));
    };
    let mut damaged = Vec::new();
    let mut on_damage = |error: StoreError| damaged.push(error.to_string());
    let exported = match file {
        None => export(&store, output.writer(), &mut on_damage).map_err(failure)?,
        Some(path) => {
            let made = OpenOptions::new().write(true).create_new(true).open(path);
            let file = made.map_err(|error| {
                Failure::usage(format!(
                    "{}: cannot be made: {error}; name a file that does not exist",
                    path.display()
                ))
            })?;
            let mut writer = BufWriter::new(file);
            let exported =
                export(&store, &mut writer, &mut on_damage).map_err(failure).and_then(|exported| {
                    let file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
                    file.sync_all()?;
                    Ok(exported)
                });
            if exported.is_err() {
                // Half a bundle helps nobody and would be in the way of the next try.
                let _ = std::fs::remove_file(path);
            }
            exported?
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
        (Some(path), false) => output.line(&format!("{}: {words}", path.display()))?,
        (None, _) => output.note(&format!("{words} written")),
    }
    Ok(if exported.damaged == 0 { DONE } else { FAILED })
}

fn read(arguments: &Arguments, file: &Path, output: &mut Output) -> Result<u8, Failure> {
    let mut input: BufReader<Box<dyn std::io::Read>> = if file == Path::new("-") {
        BufReader::new(Box::new(std::io::stdin()))
    } else {
        let opened = File::open(file)
            .map_err(|error| Failure::usage(format!("{}: cannot be read: {error}", file.display())))?;
        BufReader::new(Box::new(opened))
    };
    let workspace = workspace_for(&request(arguments, None))?;
    let store = workspace.open_or_create().map_err(Failure::infrastructure)?;
    let mut problems = Vec::new();
    let imported = import(&store, &mut input, &mut |problem| {
        if problems.len() < SHOWN {
            problems.push(problem);
        }
    })
    .map_err(failure)?;
    for problem in &problems {
        if output.json {
            output.object(&json!({
                "type": "bundle-problem", "v": 1, "line": problem.line, "message": problem.what,
            }))?;
        } else {
            output.note(&problem.to_string());
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
        output.line(&format!(
            "workspace {}: {} events and {} blobs added, {} events and {} blobs were there already, {} conflicts, {} problems{}",
            workspace.folder.display(),
            imported.events_added,
            imported.blobs_added,
            imported.events_known,
            imported.blobs_known,
            imported.conflicts,
            imported.problems,
            if imported.complete { "" } else { "; the bundle lacks its end" },
        ))?;
    }
    Ok(if imported.problems == 0 && imported.conflicts == 0 && imported.complete { DONE } else { FAILED })
}
