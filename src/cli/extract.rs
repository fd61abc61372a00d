//! `mendbench extract TASK FILE`: what a repair run would read in an answer, and the change that it makes.
//!
//! Promises: nothing is written; the code is 0 where usable code was laid, 1 where not. JSON: one object of
//! type `extraction`.
//! Leaves to others: reading and laying (`repair`), testing the result.

use super::arguments::{AnswerForm, Extract, Finish};
use super::locate::locate;
use super::output::reason;
use super::{Arguments, DONE, FAILED, Failure, Output, shown};
use crate::config::Config;
use crate::diff::{FileBytes, Patch};
use crate::repair::extract::MAX_ANSWER;
use crate::repair::{
    Application, ApplicationOutcome, Asked, Extraction, FinishReason, Form, Place, Policy, apply, extract,
};
use crate::task::{Content, Task};
use crate::text::counted;
use crate::theme::Role;
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Extract,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let task = locate(arguments, &what.task, what.within.as_ref())?;
    let answer = read(&what.file)?;
    let mut asked = Asked::of_task(&task);
    asked.form = form(what.form);
    asked.policy = if what.strict { Policy::Strict } else { Policy::Lenient };
    asked.place = what.place.as_deref().map(|place| parse_place(place, &task)).transpose()?;
    let finish = match what.finish {
        Finish::Stop => FinishReason::Stop,
        Finish::Length => FinishReason::Length,
        Finish::Unknown => FinishReason::Unknown,
    };
    let extraction = extract(&answer, finish, &asked);
    let application = apply(&asked, extraction.usable(asked.policy));
    let context = what.context.unwrap_or_else(|| config.settings.number("context"));
    let patch = patch(&asked, &application, context).write();
    let code = if application.changes_something() { DONE } else { FAILED };
    if output.json {
        let flags: Vec<&str> =
            extraction.flags.union(&application.flags()).map(|flag| flag.as_str()).collect();
        let notes: Vec<&String> = extraction.notes.iter().chain(&application.notes).collect();
        output.object(&json!({
            "type": "extraction", "v": 1, "name": task.name().to_string(), "revision": task.revision(),
            "form": asked.form, "finish": finish, "policy": asked.policy,
            "extraction": extraction.outcome, "application": application.outcome, "flags": flags,
            "pieces": extraction.pieces, "rivals": extraction.rivals, "reasoning": extraction.reasoning,
            "notes": notes,
            "why": application.why, "touched_protected": application.touched_protected,
            "patch": String::from_utf8_lossy(&patch),
        }))?;
        return Ok(code);
    }
    if what.patch && !output.terminal {
        output.bytes(&patch)?;
        return Ok(code);
    }
    if !what.patch {
        tell(&answer, &extraction, &application, output)?;
        if !patch.is_empty() {
            output.line("")?;
        }
    }
    show(&patch, output)?;
    Ok(code)
}

fn form(form: AnswerForm) -> Form {
    match form {
        AnswerForm::Function => Form::Function,
        AnswerForm::Hunk => Form::Hunk,
        AnswerForm::Line => Form::Line,
        AnswerForm::File => Form::File,
        AnswerForm::Patch => Form::Patch,
        AnswerForm::SearchReplace => Form::SearchReplace,
    }
}

/// The answer: what is not UTF-8 in it is replaced, as a server would have done.
fn read(path: &Path) -> Result<String, Failure> {
    let most = MAX_ANSWER as u64 + 1;
    let mut bytes = Vec::new();
    let result = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    result.map_err(|error| {
        let name = if path.as_os_str() == "-" { "stdin".to_owned() } else { shown(path) };
        Failure::usage(format!("{name}: the answer cannot be read: {}", reason(&error)))
    })?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// `FILE:FIRST-LAST` or `FILE:LINE`, lines from 1.
fn parse_place(text: &str, task: &Task) -> Result<Place, Failure> {
    let wrong = || {
        Failure::usage(format!(
            "--place {text}: write FILE:FIRST-LAST or FILE:LINE, with lines counted from 1"
        ))
    };
    let (file, lines) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let (Some(first), Some(last)) = (number(first), number(last)) else { return Err(wrong()) };
    if first > last {
        return Err(wrong());
    }
    if !task.buggy_tree().contains_key(file) {
        return Err(Failure::usage(format!("--place {text}: the task has no file `{file}`")));
    }
    Ok(Place { file: file.to_owned(), lines: first - 1..last })
}

/// The change as a patch.
fn patch(asked: &Asked<'_>, application: &Application, context: usize) -> Patch {
    let files: Vec<FileBytes<'_>> = application
        .changes
        .iter()
        .map(|(path, new)| {
            let old = asked.current.get(path.as_str()).map(|content| content.bytes());
            (path.as_str(), old, new.as_ref().map(Content::bytes))
        })
        .collect();
    Patch::between(&files, context)
}

/// The outcomes and how they came about.
fn tell(
    answer: &str,
    extraction: &Extraction,
    application: &Application,
    output: &mut Output,
) -> Result<(), Failure> {
    use crate::repair::ExtractionOutcome::Found;
    let role = if extraction.outcome == Found { Role::StatusOk } else { Role::StatusWarn };
    field(output, "extraction", extraction.outcome.as_str(), role)?;
    let role = match application.outcome {
        ApplicationOutcome::Exact | ApplicationOutcome::Normalised => Role::StatusOk,
        ApplicationOutcome::Rejected => Role::StatusError,
        _ => Role::StatusWarn,
    };
    field(output, "application", &application.outcome.to_string(), role)?;
    let flags = application.flags();
    for flag in extraction.flags.union(&flags) {
        field(output, "flag", flag.as_str(), Role::StatusWarn)?;
    }
    let lines = LineNumbers::of(answer);
    for piece in &extraction.pieces {
        let path = piece.path.as_deref().map(|path| format!(", for {path}")).unwrap_or_default();
        let text = format!(
            "{} at {}, {}{path}",
            piece.kind.as_str(),
            lines.of_span(&piece.span),
            piece.rule.as_str()
        );
        field(output, "chosen", &text, Role::Text)?;
    }
    for rival in &extraction.rivals {
        let text = format!("{} at {}: {}", rival.kind.as_str(), lines.of_span(&rival.span), rival.why);
        field(output, "not chosen", &text, Role::TextDim)?;
    }
    if let Some(why) = &application.why {
        field(output, "why", why, Role::Text)?;
    }
    for path in &application.touched_protected {
        field(output, "protected", &format!("{path} stays as it is"), Role::StatusWarn)?;
    }
    for note in extraction.notes.iter().chain(&application.notes) {
        field(output, "note", note, Role::Text)?;
    }
    if !application.changes.is_empty() {
        field(output, "changes", &counted(application.changes.len(), "file"), Role::Text)?;
    }
    Ok(())
}

fn field(output: &mut Output, name: &str, text: &str, role: Role) -> Result<(), Failure> {
    output.styled(&[(&format!("{name:<12}"), Role::TextDim), (text, role)])
}

/// The patch as people read it.
fn show(patch: &[u8], output: &mut Output) -> Result<(), Failure> {
    for line in String::from_utf8_lossy(patch).lines() {
        let role = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++ ") => Role::DiffAdded,
            Some(b'-') if !line.starts_with("--- ") => Role::DiffRemoved,
            Some(b'@') => Role::DiffHunk,
            Some(b' ') => Role::Text,
            _ => Role::DiffHeader,
        };
        output.styled(&[(&crate::text::sanitise_lines(line, 8), role)])?;
    }
    Ok(())
}

/// Where the lines of an answer begin.
struct LineNumbers(Vec<usize>);

impl LineNumbers {
    fn of(answer: &str) -> LineNumbers {
        let mut starts = vec![0];
        starts.extend(answer.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        LineNumbers(starts)
    }

    /// `line 3` or `lines 3 to 9`.
    fn of_span(&self, span: &std::ops::Range<usize>) -> String {
        let line = |at: usize| self.0.partition_point(|start| *start <= at);
        let (first, last) = (line(span.start), line(span.end.saturating_sub(1).max(span.start)));
        if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
    }
}
