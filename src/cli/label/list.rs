//! `mendbench label list`.
//!
//! Promises: only labels that who asks may see, also only their number.

use super::flags::List;
use crate::cli::round::{SEE_A_TURN, stale_object};
use crate::cli::study::failure;
use crate::cli::{Arguments, DONE, Failure, Output};
use crate::config::Config;
use crate::label::aside::Aside;
use crate::label::codebook::Subject;
use crate::label::fold::{Given, Sheet};
use crate::label::phase::Phase;
use crate::label::reading::Reading;
use crate::label::round::{called, same_name};
use crate::label::status::{progress, reading};
use crate::study::Desk;
use crate::text::counted;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Runs the command.
pub fn run(arguments: &Arguments, what: &List, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let desk = super::desk(arguments, &what.of, config)?;
    let annotator = match &what.of_annotator {
        None => desk.annotator().map_err(failure)?,
        Some(name) => {
            let found = desk.round.annotators.iter().position(|person| same_name(&person.name, name));
            found.ok_or_else(|| {
                Failure::usage(format!("`{name}` does not label in {}", called(&desk.round.name)))
            })?
        }
    };
    let sheet = desk.sheet(annotator).map_err(failure)?;
    let name = desk.round.annotators.get(annotator).map_or("", |person| person.name.as_str());
    if what.stale {
        return stale(&desk, name, &sheet, output);
    }
    if what.missing {
        return missing(&desk, annotator, &sheet, output);
    }
    if what.conflicts {
        return conflicts(&desk, name, &sheet, output);
    }
    let answers = if what.blind { sheet.answers(Phase::Labelling) } else { sheet.answers_now() };
    for given in &answers {
        if output.json {
            output.object(&object(&desk, name, given, &sheet))?;
        } else {
            let answer = &given.answer;
            output.line(&format!("{}: {} = {}", answer.item, answer.question, answer.value))?;
        }
    }
    if !output.json {
        output.note(&counted(answers.len(), "label"));
        let codebook =
            if what.blind { desk.round.codebook_in(Phase::Labelling) } else { desk.round.codebook() };
        let reading = Reading::of(&desk.round, codebook, &answers);
        if !reading.stale.is_empty() {
            output.note(&format!(
                "{} of them do not hold with the codebook: `label list --stale` says why",
                reading.stale.len()
            ));
        }
        for words in Aside::of(&desk.round, annotator, &reading).words() {
            output.note(&words);
        }
        see_a_turn(&desk, answers.len(), output);
    }
    Ok(DONE)
}

/// Says how a listed turn is looked at.
fn see_a_turn(desk: &Desk, listed: usize, output: &mut Output) {
    if listed > 0 && desk.round.codebook().subject == Subject::Turn {
        output.note(SEE_A_TURN);
    }
}

fn object(desk: &Desk, name: &str, given: &Given, sheet: &Sheet) -> Value {
    let answer = &given.answer;
    let marks = sheet.marks.get(&answer.item).cloned().unwrap_or_default();
    json!({
        "type": "label", "v": 1, "study": desk.round.study, "round": desk.round.name, "annotator": name,
        "item": answer.item, "revision": answer.revision, "question": answer.question, "value": answer.value,
        "codebook": answer.codebook.to_string(), "phase": answer.phase, "at": given.at, "id": given.event,
        "confidence": answer.confidence, "seconds": answer.seconds, "evidence": answer.evidence,
        "flagged": marks.flagged, "note": marks.note,
    })
}

fn stale(desk: &Desk, name: &str, sheet: &Sheet, output: &mut Output) -> Result<u8, Failure> {
    let stale = reading(&desk.round, sheet).stale;
    for one in &stale {
        if output.json {
            output.object(&stale_object(&desk.round.name, name, one))?;
        } else {
            output.line(&format!("{}: {} = {}: {}", one.item, one.question, one.value, one.why()))?;
        }
    }
    if !output.json {
        output.note(&format!("{} to look at again", counted(stale.len(), "label")));
    }
    Ok(DONE)
}

fn missing(desk: &Desk, annotator: usize, sheet: &Sheet, output: &mut Output) -> Result<u8, Failure> {
    let progress = progress(&desk.round, annotator, sheet);
    let mut whats = HashMap::new();
    for (what, items) in &progress.missing {
        whats.extend(items.iter().map(|item| (item.as_str(), *what)));
    }
    let mut left = 0;
    for number in desk.round.queue(annotator) {
        let Some(item) = desk.round.items.get(number) else { continue };
        let Some(what) = whats.get(item.name.as_str()) else { continue };
        left += 1;
        if output.json {
            output.object(&json!({
                "type": "item-missing", "v": 1, "round": desk.round.name, "item": item.name,
                "what": what.as_str(),
            }))?;
        } else {
            output.line(&format!("{}: {}", item.name, what.words()))?;
        }
    }
    if !output.json {
        output.note(&format!("{} of {} left", left, counted(progress.assigned, "item")));
        see_a_turn(desk, left, output);
    }
    Ok(DONE)
}

fn conflicts(desk: &Desk, name: &str, sheet: &Sheet, output: &mut Output) -> Result<u8, Failure> {
    for ((item, question), conflict) in &sheet.conflicts {
        let (earlier, present) = (&conflict.earlier.answer.value, &conflict.present.answer.value);
        if output.json {
            output.object(&json!({
                "type": "label-conflict", "v": 1, "round": desk.round.name, "annotator": name, "item": item,
                "question": question, "earlier": earlier, "present": present,
            }))?;
        } else {
            output.line(&format!(
                "{item}: {question} = {present} holds, {earlier} was said on another machine; answer again to settle it"
            ))?;
        }
    }
    if !output.json {
        output.note(&counted(sheet.conflicts.len(), "contradiction"));
    }
    Ok(DONE)
}
