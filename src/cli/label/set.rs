//! `mendbench label set|undo`.
//!
//! Promises: an answer is said to be saved, and that is written out, when it is on disk and not before.

use super::flags::{Of, Set};
use crate::cli::study::failure;
use crate::cli::{Arguments, DONE, FAILED, Failure, Output};
use crate::config::Config;
use crate::study::{Entry, Saved, StudyError, Writer};
use crate::text::counted;
use crate::text::truncate;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Read};

/// Longest line on stdin, bytes.
const LONGEST: u64 = 1 << 20;

/// A line on stdin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    item: String,
    question: String,
    answer: Value,
    #[serde(default)]
    confidence: Option<u8>,
    #[serde(default)]
    seconds: Option<u32>,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    revision: Option<String>,
}

/// Runs `label set`.
pub fn run(arguments: &Arguments, what: &Set, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let many = what.item == "-";
    let desk = super::desk(arguments, &what.of, config)?;
    let mut writer = desk.writer().map_err(failure)?;
    if many {
        if what.question.is_some() {
            return Err(Failure::usage(
                "with `-` everything comes from stdin: leave out question and answer",
            ));
        }
        return of_lines(&mut writer, output);
    }
    let (Some(question), Some(answer)) = (&what.question, &what.answer) else {
        return Err(Failure::usage("name item, question and answer, or `-` for JSON Lines on stdin"));
    };
    let entry = Entry {
        item: what.item.clone(),
        question: question.clone(),
        answer: json!(answer),
        confidence: what.confidence,
        ..Entry::default()
    };
    let saved = writer.set(&entry).map_err(failure)?;
    tell(&desk.round.name, &saved, false, output)?;
    Ok(DONE)
}

/// Answers from stdin, each for itself.
fn of_lines(writer: &mut Writer, output: &mut Output) -> Result<u8, Failure> {
    let round = writer.desk().round.name.clone();
    let mut input = std::io::stdin().lock();
    let (mut number, mut saved, mut bad) = (0_u64, 0_u64, 0_u64);
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(LONGEST + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Failure::infrastructure(format!("stdin cannot be read: {error}")))?;
        if read == 0 {
            break;
        }
        number += 1;
        let too_long = line.len() as u64 > LONGEST;
        if too_long && line.last() != Some(&b'\n') {
            input
                .skip_until(b'\n')
                .map_err(|error| Failure::infrastructure(format!("stdin cannot be read: {error}")))?;
        }
        let text = line.trim_ascii();
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        if text.is_empty() {
            continue;
        }
        let why = if too_long {
            format!("longer than {LONGEST} bytes")
        } else {
            match take(writer, text) {
                Ok(answer) => {
                    saved += 1;
                    tell(&round, &answer, false, output)?;
                    continue;
                }
                Err(Bad::Line(why)) => why,
                Err(Bad::All(failure)) => return Err(failure),
            }
        };
        bad += 1;
        if output.json {
            output.object(&json!({ "type": "label-problem", "v": 1, "line": number, "message": why }))?;
        }
        output.note(&format!("line {number}: {why}"));
    }
    output.note(&format!("{} saved, {} not", counted(saved, "answer"), counted(bad, "line")));
    Ok(if bad == 0 { DONE } else { FAILED })
}

enum Bad {
    /// This line.
    Line(String),
    /// Everything: the workspace fails.
    All(Failure),
}

fn take(writer: &mut Writer, text: &[u8]) -> Result<Saved, Bad> {
    if !text.starts_with(b"{") {
        let wanted = "not an answer: a line is {\"item\": …, \"question\": …, \"answer\": …}";
        return Err(Bad::Line(wanted.to_owned()));
    }
    let line: Line =
        serde_json::from_slice(text).map_err(|error| Bad::Line(format!("not an answer: {error}")))?;
    if line.confidence.is_some_and(|sure| !(1..=5).contains(&sure)) {
        return Err(Bad::Line("confidence is a number from 1 to 5".to_owned()));
    }
    let Line { item, question, answer, confidence, seconds, evidence, revision } = line;
    let entry = Entry {
        item,
        question,
        answer,
        confidence,
        seconds,
        evidence,
        revision,
        codebook: None,
        phase: None,
    };
    writer.set(&entry).map_err(|error| match error {
        StudyError::Store(_) => Bad::All(failure(error)),
        other => Bad::Line(other.to_string()),
    })
}

/// Says that an answer is saved.
fn tell(round: &str, saved: &Saved, undone: bool, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        output.object(&json!({
            "type": "label-saved", "v": 1, "round": round, "item": saved.item, "question": saved.question,
            "value": saved.value, "before": saved.before, "missing": saved.missing, "undone": undone,
            "training": saved.training, "other_revision": saved.other_revision, "phase": saved.phase,
        }))?;
    } else {
        let value = |value: &Option<_>| value.as_ref().map_or_else(|| "no answer".to_owned(), text);
        let was = match &saved.before {
            Some(before) if Some(before) != saved.value.as_ref() => format!(" (was {})", text(before)),
            _ => String::new(),
        };
        let missing = match saved.missing.as_slice() {
            [] => String::new(),
            missing => format!("; still to answer: {}", missing.join(", ")),
        };
        output.line(&format!(
            "{}: {} = {}{was}{missing}",
            saved.item,
            saved.question,
            value(&saved.value)
        ))?;
        if let Some(known) = &saved.training
            && let Some(right) = known.answers.get(&saved.question)
        {
            let same = Some(right) == saved.value.as_ref();
            let why = if known.why.is_empty() { String::new() } else { format!(": {}", known.why) };
            output.line(&format!(
                "  training: {} is right{why}",
                if same { "that".to_owned() } else { text(right) }
            ))?;
        }
    }
    if saved.other_revision {
        output.note(&format!("{}: labelled by another revision than the round was made with", saved.item));
    }
    // Who reads this may count on it.
    Ok(output.writer().flush()?)
}

fn text(value: &crate::label::value::Value) -> String {
    truncate(&value.to_string(), 60).into_owned()
}

/// Runs `label undo`.
pub fn undo(arguments: &Arguments, of: &Of, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let desk = super::desk(arguments, of, config)?;
    let saved = desk.writer().map_err(failure)?.undo().map_err(failure)?;
    tell(&desk.round.name, &saved, true, output)?;
    Ok(DONE)
}
