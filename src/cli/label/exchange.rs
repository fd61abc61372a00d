//! `mendbench label export|import|seal|reveal`.
//!
//! Promises: no file is overwritten, and no half of one is left behind; what could not be taken is told, one by
//! one; contradictions are told each time, until they are settled.

use super::flags::{Export, Form, Import, Reveal, Seal};
use crate::cli::output::reason;
use crate::cli::study::{failure, studies_or_new};
use crate::cli::{Arguments, DONE, FAILED, Failure, Output, shown};
use crate::config::Config;
use crate::label::phase::Phase;
use crate::label::round::called;
use crate::study::{Studies, TableForm, Taken, seal_kind};
use crate::text::counted;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// Largest file that is taken in, bytes.
const LARGEST: u64 = 1 << 30;
/// Problems that are told one by one to people.
const TOLD: usize = 50;

/// Runs `label export`.
pub fn export(
    arguments: &Arguments,
    what: &Export,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut desk = super::desk(arguments, &what.of, config)?;
    if what.live && !desk.role.leads() {
        return Err(Failure { code: FAILED, message: "--live is for the lead of a round".to_owned() });
    }
    let mut bytes = Vec::new();
    let (count, word) = match what.form {
        Form::Events => (desk.export(what.live, &mut bytes).map_err(failure)?, "event"),
        form => {
            let question = what.question.as_deref().unwrap_or_default();
            let made = desk.table_text(table_form(form), what.all_rounds, question, what.live);
            let (text, labels) = made.map_err(failure)?;
            bytes.extend(text.bytes());
            (labels, "label")
        }
    };
    let file = what.file.as_deref().filter(|path| *path != Path::new("-"));
    match file {
        None => output.bytes(&bytes)?,
        Some(path) => write_new(path, &bytes, 0o666)?,
    }
    if !what.live && desk.role.leads() && desk.round.phase == Phase::Labelling {
        output
            .note("blind labels are not in it; --live takes them along, and is written down as a deviation");
    }
    match (file, output.json) {
        (Some(path), true) => output.object(&json!({
            "type": "label-export", "v": 1, "file": path.to_string_lossy(), "round": desk.round.name,
            "form": form_name(what.form), (format!("{word}s")): count,
        }))?,
        (Some(path), false) => output.line(&format!("{}: {}", shown(path), counted(count, word)))?,
        (None, _) => output.note(&format!("{} written", counted(count, word))),
    }
    Ok(DONE)
}

fn table_form(form: Form) -> TableForm {
    match form {
        Form::Events | Form::Jsonl => TableForm::Jsonl,
        Form::Long => TableForm::Long,
        Form::Wide => TableForm::Wide,
        Form::Counts => TableForm::Counts,
        Form::Latex => TableForm::Latex,
        Form::Markdown => TableForm::Markdown,
        Form::Methods => TableForm::Methods,
    }
}

fn form_name(form: Form) -> String {
    use clap::ValueEnum;
    form.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let mut file = options.open(path).map_err(|error| {
        let next = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "move it away, or name another file",
            _ => "name a file in a folder that exists and can be written",
        };
        Failure::usage(format!("{}: cannot be made: {}; {next}", shown(path), reason(&error)))
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        let _ = std::fs::remove_file(path);
        Failure::infrastructure(format!("{}: cannot be written: {}", shown(path), reason(&error)))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!("{}: cannot be read: {}; check its name", shown(path), reason(&error)))
    };
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path).map_err(failed)?.take(LARGEST + 1).read_to_end(&mut bytes),
    };
    read.map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!("{}: larger than any label file", shown(path))));
    }
    Ok(bytes)
}

/// Runs `label import`.
pub fn import(
    arguments: &Arguments,
    what: &Import,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let name = what.identity.of(config)?;
    let mut files = Vec::new();
    for path in &what.files {
        files.push((path, read(path)?));
    }
    // Nothing is made for what is no label file.
    for (path, bytes) in &files {
        if seal_kind(bytes).is_none() {
            crate::store::bundle::first_line(&mut bytes.as_slice()).map_err(|error| {
                Failure::usage(format!(
                    "{}: {error}; label files come from `mendbench label export`, seal or reveal",
                    shown(path)
                ))
            })?;
        }
    }
    let studies = studies_or_new(arguments)?;
    // Sealed files before their keys, whatever the order of the arguments.
    files.sort_by_key(|(_, bytes)| match seal_kind(bytes) {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    });
    let mut whole = true;
    for (path, bytes) in &files {
        whole &= take(&studies, path, bytes, (&name, what.replace), output)?;
    }
    Ok(if whole { DONE } else { FAILED })
}

fn take(
    studies: &Studies,
    path: &Path,
    bytes: &[u8],
    (name, replace): (&str, bool),
    output: &mut Output,
) -> Result<bool, Failure> {
    let named = |error| {
        let Failure { code, message } = failure(error);
        Failure { code, message: format!("{}: {message}", shown(path)) }
    };
    if seal_kind(bytes) == Some(true) {
        let (desk, whose) = studies.receive(bytes, name, replace).map_err(named)?;
        let missing = desk.seals_missing();
        if output.json {
            output.object(&json!({
                "type": "label-seal", "v": 1, "file": path.to_string_lossy(), "round": desk.round.name,
                "annotator": whose, "missing": missing,
            }))?;
        } else {
            let next = match missing.as_slice() {
                [] => "those of all are here: each can give out the key with `mendbench label reveal`"
                    .to_owned(),
                missing => format!("still to come: {}", missing.join(", ")),
            };
            output.line(&format!("{}: the sealed file of {whose}; {next}", shown(path)))?;
        }
        return Ok(true);
    }
    let taken = match seal_kind(bytes) {
        Some(_) => studies.unseal(bytes, name),
        None => studies.import(&mut Cursor::new(bytes), name),
    };
    tell(path, &taken.map_err(named)?, output)
}

fn tell(path: &Path, taken: &Taken, output: &mut Output) -> Result<bool, Failure> {
    for one in &taken.contradictions {
        if output.json {
            output.object(&json!({
                "type": "label-conflict", "v": 1, "round": one.round, "annotator": one.annotator,
                "item": one.item, "question": one.question, "earlier": one.earlier, "present": one.present,
            }))?;
        } else {
            output.line(&format!(
                "{} said two things about {}, {}: {} holds, {} was said on another machine",
                one.annotator, one.item, one.question, one.present, one.earlier
            ))?;
        }
    }
    if output.json {
        output.object(&json!({
            "type": "label-import", "v": 1, "file": path.to_string_lossy(), "rounds": taken.rounds,
            "added": taken.added, "known": taken.known, "problems": taken.problems,
            "left_out_blind": taken.blind, "conflicts": taken.contradictions.len(),
        }))?;
    } else {
        output.line(&format!(
            "{}: {} added, {} known already",
            shown(path),
            counted(taken.added, "event"),
            taken.known
        ))?;
        for problem in taken.problems.iter().take(TOLD) {
            output.note(problem);
        }
        if taken.problems.len() > TOLD {
            output.note(&format!("and {} more problems", taken.problems.len() - TOLD));
        }
    }
    for round in &taken.blind {
        output.note(&format!(
            "{}: labelling is blind, and labels of others were left out; its lead takes them in",
            called(round)
        ));
    }
    Ok(taken.problems.is_empty() && taken.blind.is_empty() && taken.contradictions.is_empty())
}

/// Where the user's secrets are.
fn secrets() -> Result<PathBuf, Failure> {
    use etcetera::BaseStrategy;
    let base = etcetera::base_strategy::Xdg::new()
        .map_err(|error| Failure::infrastructure(format!("the key cannot be kept: {error}; set HOME")))?;
    Ok(base.data_dir().join("mendbench").join("seals"))
}

/// Runs `label seal`.
pub fn seal(arguments: &Arguments, what: &Seal, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let mut desk = super::desk(arguments, &what.of, config)?;
    if what.file.exists() {
        return Err(Failure::usage(format!("{}: exists already; name another file", shown(&what.file))));
    }
    let bytes = desk.seal(&secrets()?, what.force).map_err(failure)?;
    write_new(&what.file, &bytes, 0o666)?;
    let missing = desk.seals_missing();
    if output.json {
        output.object(&json!({
            "type": "label-seal", "v": 1, "file": what.file.to_string_lossy(), "round": desk.round.name,
            "annotator": desk.name, "missing": missing,
        }))?;
    } else {
        output
            .line(&format!("{}: your labels, sealed; you label no more in this phase", shown(&what.file)))?;
        output.note("send it to the others, and take in theirs with `mendbench label import`");
    }
    Ok(DONE)
}

/// Runs `label reveal`.
pub fn reveal(
    arguments: &Arguments,
    what: &Reveal,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let desk = super::desk(arguments, &what.of, config)?;
    let bytes = desk.reveal(&secrets()?).map_err(failure)?;
    write_new(&what.file, &bytes, 0o600)?;
    if output.json {
        output.object(&json!({
            "type": "label-seal", "v": 1, "file": what.file.to_string_lossy(), "round": desk.round.name,
            "annotator": desk.name, "key": true, "missing": [],
        }))?;
    } else {
        output.line(&format!("{}: the key to your sealed file", shown(&what.file)))?;
        output.note(
            "send it to the others; with the keys of all the labels come in by `mendbench label import`",
        );
    }
    Ok(DONE)
}
