//! `mendbench round adjudicate`: the arbitrator's desk.
//!
//! Promises: answers are shown as A, B, … without names, in the order that was drawn for the item; what is decided
//! is on disk before it is said.

use super::flags::Adjudicate;
use crate::cli::study::failure;
use crate::cli::{Arguments, DONE, Failure, Output};
use crate::config::Config;
use crate::label::adjudicate::{ReasonCode, letter};
use crate::study::{Choice, Desk, Question};
use crate::text::counted;
use crate::theme::Role;
use serde_json::json;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Adjudicate,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let desk = super::desk(arguments, &what.named, config)?;
    if what.undo {
        desk.undo_decision().map_err(failure)?;
        if output.json {
            output
                .object(&json!({ "type": "decision", "v": 1, "round": desk.round.name, "undone": true }))?;
        } else {
            output.line("the last decision was taken back")?;
        }
        return Ok(DONE);
    }
    if let (Some(why), Some(item)) = (&what.send_back, &what.item) {
        let item = desk.send_back(item, why).map_err(failure)?;
        if output.json {
            output.object(&json!({
                "type": "decision", "v": 1, "round": desk.round.name, "item": item, "sent_back": why,
            }))?;
        } else {
            output.line(&format!("{item} was sent back to its annotators"))?;
        }
        return Ok(DONE);
    }
    match (&what.answer, what.reason) {
        (Some(answer), Some(reason)) => decide(&desk, what, answer, reason, output),
        _ => show(&desk, what, output),
    }
}

/// The cases that the flags choose.
fn chosen(desk: &Desk, what: &Adjudicate) -> Result<Vec<Question>, Failure> {
    let mut open = desk.open_questions().map_err(failure)?;
    if let Some(item) = &what.item {
        let number = desk.round.items.find(item).map_err(Failure::usage)?;
        open.retain(|case| case.number == number);
    }
    if let Some(question) = &what.question {
        open.retain(|case| case.question == *question);
    }
    Ok(open)
}

fn decide(
    desk: &Desk,
    what: &Adjudicate,
    answer: &str,
    reason: ReasonCode,
    output: &mut Output,
) -> Result<u8, Failure> {
    let (item, question) = match (&what.item, &what.question) {
        (Some(item), Some(question)) => (item.clone(), question.clone()),
        _ => match chosen(desk, what)?.into_iter().next() {
            Some(next) => (next.item, next.question),
            None => {
                return Err(Failure {
                    code: crate::cli::FAILED,
                    message: "no question waits there for a decision".to_owned(),
                });
            }
        },
    };
    let choice = Choice { item, question, answer: json!(answer), reason, comment: what.comment.clone() };
    let value = desk.decide(&choice).map_err(failure)?;
    let left = desk.open_questions().map_err(failure)?.len();
    if output.json {
        output.object(&json!({
            "type": "decision", "v": 1, "round": desk.round.name, "item": choice.item,
            "question": choice.question, "value": value, "reason": reason, "comment": choice.comment,
            "waiting": left,
        }))?;
    } else {
        output.line(&format!("{}: {} is {value} ({})", choice.item, choice.question, reason.as_str()))?;
        output.note(&format!("{} left", counted(left, "question")));
    }
    Ok(DONE)
}

fn show(desk: &Desk, what: &Adjudicate, output: &mut Output) -> Result<u8, Failure> {
    let open = chosen(desk, what)?;
    let shown = if what.all { open.len() } else { open.len().min(1) };
    for case in open.iter().take(shown) {
        if output.json {
            output.object(&json!({
                "type": "case", "v": 1, "round": desk.round.name, "item": case.item,
                "question": case.question, "said": case.said, "notes": case.notes,
                "settled": case.settled, "waiting": open.len(),
            }))?;
            continue;
        }
        output.styled(&[(&case.item, Role::Accent), (&format!("  {}", case.question), Role::TextStrong)])?;
        for (place, said) in case.said.iter().enumerate() {
            let said = said.as_ref().map_or_else(|| "(no answer)".to_owned(), ToString::to_string);
            let note = case.notes.get(place).filter(|note| !note.is_empty());
            let note = note.map_or_else(String::new, |note| format!("   note: {note}"));
            output.line(&format!("  {}  {said}{note}", letter(place)))?;
        }
        for (question, value) in &case.settled {
            output.line(&format!("  settled: {question} = {value}"))?;
        }
    }
    if !output.json {
        match open.len() {
            0 => output.note("nothing waits for a decision"),
            waiting => output.note(&format!(
                "{} waiting; decide with --answer ANSWER --reason CODE, or --item ITEM --send-back WHY",
                counted(waiting, "question")
            )),
        }
    }
    Ok(DONE)
}
