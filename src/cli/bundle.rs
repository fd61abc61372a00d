//! `mendbench bundle export|import`: a whole workspace, or one run of it, as JSON Lines.

use super::arguments::Bundle;
use super::output::reason;
use super::study::Identity;
use super::{Arguments, DONE, FAILED, Failure, Output, USAGE, WAITING_FOR_ANOTHER, note, request, shown};
use crate::catalogue::{missing_notice, workspace_for};
use crate::config::Config;
use crate::label::round::called;
use crate::runner::Runs;
use crate::store::bundle::{BundleError, Imported, check, export_streams, first_line, import_lazily};
use crate::store::workspace::Workspace;
use crate::store::{MemoryStore, SqliteStore, Store, StoreError, TaskIndex};
use crate::text::counted;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// Problems that are printed one by one; all are counted.
const SHOWN: usize = 100;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Bundle,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    match what {
        Bundle::Export { file, run, identity } => {
            write(arguments, file.as_deref(), run.as_deref(), identity, config, output)
        }
        Bundle::Import { file, salvage } => read(arguments, file, *salvage, output),
    }
}

fn failure(error: BundleError) -> Failure {
    match error {
        BundleError::NotABundle | BundleError::Newer { .. } => Failure::usage(error),
        BundleError::NotWhole { .. } => Failure { code: FAILED, message: error.to_string() },
        BundleError::Write(error) => Failure::from(error),
        _ => Failure::infrastructure(error),
    }
}

fn write(
    arguments: &Arguments,
    file: Option<&Path>,
    run: Option<&str>,
    identity: &Identity,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let file = file.filter(|path| *path != Path::new("-"));
    let workspace = workspace_for(&request(arguments, None))?;
    let store = workspace.open_if_exists()?;
    let Some(store) = store else {
        return Err(StoreError::Missing { path: workspace.database }.into());
    };
    let store: Arc<dyn Store> = Arc::new(store);
    let store = match run {
        None => store,
        Some(name) => {
            let runs = Runs::new(store);
            let alone = MemoryStore::default();
            let record = runs.find(name).and_then(|id| runs.open(id)).map_err(super::repair::failure)?;
            record.copy_into(&alone).map_err(super::repair::failure)?;
            Arc::new(alone)
        }
    };
    let (hidden, rounds) = hidden(store.as_ref(), identity, config)?;
    let keep = |stream: &str| !hidden.contains(stream);
    let mut damaged = Vec::new();
    let mut on_damage = |error: StoreError| damaged.push(error.to_string());
    let exported = match file {
        None => export_streams(store.as_ref(), output.writer(), &keep, &mut on_damage).map_err(failure)?,
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
            let exported =
                export_streams(store.as_ref(), &mut writer, &keep, &mut on_damage).and_then(|exported| {
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
            "blobs": exported.blobs, "damaged": exported.damaged, "missing": exported.missing,
        }))?,
        (Some(path), false) => output.line(&format!("{}: {words}", shown(path)))?,
        (None, _) => output.note(&format!("{words} written")),
    }
    if !rounds.is_empty() {
        output.note(&format!(
            "labels of others that you may not see yet are left out: {}; its lead can copy everything",
            rounds.iter().map(|round| called(round)).collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(notice) = missing_notice(exported.missing) {
        output.note(&notice);
    }
    Ok(if exported.damaged == 0 && exported.missing == 0 { DONE } else { FAILED })
}

/// Streams of labels that who asks may not carry away, and names of their rounds; none where there are no rounds.
fn hidden(
    store: &dyn Store,
    identity: &Identity,
    config: &Config,
) -> Result<(BTreeSet<String>, Vec<String>), Failure> {
    if store.streams("round/")?.is_empty() {
        return Ok((BTreeSet::new(), Vec::new()));
    }
    crate::study::hidden_streams(store, &identity.of(config)?).map_err(super::study::failure)
}

/// Where a bundle is read from.
enum Source {
    /// A file that can be read twice.
    File(BufReader<File>),
    /// Something that cannot.
    Stream(BufReader<Box<dyn Read>>),
}

impl Source {
    fn open(file: &Path) -> std::io::Result<Source> {
        if file == Path::new("-") {
            return Ok(Source::Stream(BufReader::new(Box::new(std::io::stdin()))));
        }
        let file = File::open(file)?;
        Ok(match file.metadata()?.is_file() {
            true => Source::File(BufReader::new(file)),
            false => Source::Stream(BufReader::new(Box::new(file))),
        })
    }

    fn reader(&mut self) -> &mut dyn BufRead {
        match self {
            Source::File(reader) => reader,
            Source::Stream(reader) => reader,
        }
    }
}

/// A file without a name, which is gone with the process, that holds all of a bundle.
fn spooled(first: &[u8], rest: &mut dyn Read) -> Result<File, Failure> {
    let folder = std::env::temp_dir();
    let place = folder.join(format!(".mendbench-{}.bundle", uuid::Uuid::now_v7()));
    let failed = |error: std::io::Error| {
        Failure::infrastructure(format!(
            "{}: the bundle cannot be kept there while it is checked: {}; make room, name another folder with TMPDIR, or give the bundle as a file",
            shown(&folder),
            reason(&error)
        ))
    };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&place).map_err(failed)?;
    std::fs::remove_file(&place).map_err(failed)?;
    file.write_all(first).map_err(failed)?;
    std::io::copy(rest, &mut file).map_err(failed)?;
    file.rewind().map_err(failed)?;
    Ok(file)
}

fn read(arguments: &Arguments, file: &Path, salvage: bool, output: &mut Output) -> Result<u8, Failure> {
    let name = if file == Path::new("-") { "stdin".to_owned() } else { shown(file) };
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("{name}: cannot be read: {}; name a bundle, or - for stdin", reason(&error)))
    };
    let named = |error: BundleError| match failure(error) {
        Failure { code, message } if code == USAGE => Failure { code, message: format!("{name}: {message}") },
        other => other,
    };
    let mut source = Source::open(file).map_err(unreadable)?;
    // What is no bundle must neither be spooled nor leave an empty workspace behind.
    let first = first_line(source.reader()).map_err(|error| match error {
        BundleError::Read(error) => unreadable(error),
        other => named(other),
    })?;
    let workspace = workspace_for(&request(arguments, None))?;
    if !salvage {
        let mut whole = match source {
            Source::File(reader) => reader.into_inner(),
            Source::Stream(mut rest) => spooled(&first, &mut rest)?,
        };
        whole.rewind().map_err(unreadable)?;
        let mut reader = BufReader::new(whole);
        match check(&mut reader) {
            Ok(()) => {}
            Err(BundleError::NotWhole { line, what }) => {
                return refused(&name, line, &what, &workspace, output);
            }
            Err(other) => return Err(named(other)),
        }
        reader.rewind().map_err(unreadable)?;
        let first = first_line(&mut reader).map_err(named)?;
        return take(&name, &mut first.as_slice().chain(reader), &workspace, output);
    }
    take(&name, &mut first.as_slice().chain(source.reader()), &workspace, output)
}

/// Tells that a bundle is not as it was written.
fn refused(
    name: &str,
    line: u64,
    what: &str,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<u8, Failure> {
    if output.json {
        output.object(&json!({ "type": "bundle-problem", "v": 1, "line": line, "message": what }))?;
        output.object(&import_object(workspace, &Imported { problems: 1, ..Imported::default() }, 0))?;
    } else {
        output.note(&format!("{name}: line {line}: {what}"));
    }
    output.note("nothing was taken: fetch the bundle again, or take what can be read of it with --salvage");
    Ok(FAILED)
}

fn import_object(workspace: &Workspace, imported: &Imported, missing: u64) -> Value {
    json!({
        "type": "bundle-import", "v": 1, "workspace": workspace.folder.to_string_lossy(),
        "events_added": imported.events_added, "events_known": imported.events_known,
        "blobs_added": imported.blobs_added, "blobs_known": imported.blobs_known,
        "renumbered": imported.renumbered, "conflicts": imported.conflicts, "problems": imported.problems,
        "complete": imported.complete, "missing": missing,
    })
}

fn open_to_write(workspace: &Workspace) -> Result<SqliteStore, StoreError> {
    Ok(workspace.open_or_create()?.when_waiting(|| note(WAITING_FOR_ANOTHER)))
}

/// Takes a bundle into the workspace, which is made when there is something to put into it.
fn take(
    name: &str,
    input: &mut dyn BufRead,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<u8, Failure> {
    let opened = OnceCell::new();
    let mut problems = Vec::new();
    let store = || -> Result<&SqliteStore, StoreError> {
        if opened.get().is_none() {
            let _ = opened.set(open_to_write(workspace)?);
        }
        opened.get().ok_or_else(|| StoreError::Missing { path: workspace.database.clone() })
    };
    let lacked = if workspace.database.exists() { store()?.missing()? } else { 0 };
    let imported = import_lazily(&mut || store().map(|store| store as &dyn Store), input, &mut |problem| {
        if problems.len() < SHOWN {
            problems.push(problem);
        }
    })
    .map_err(failure)?;
    // An empty workspace that was carried over whole is a workspace.
    if imported.complete {
        store()?;
    }
    let missing = opened.get().map_or(Ok(0), SqliteStore::missing)?;
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
        output.object(&import_object(workspace, &imported, missing))?;
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
            output.note("the bundle is not as it was written: what could be read was taken, changes included; when you have a whole one, import it into another workspace, for what is here stays");
        }
    }
    if let Some(notice) = missing_notice(missing) {
        output.note(&notice);
    }
    let whole = imported.problems == 0 && imported.conflicts == 0 && imported.complete;
    Ok(if whole && missing <= lacked { DONE } else { FAILED })
}
