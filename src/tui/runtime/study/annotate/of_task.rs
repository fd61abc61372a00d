//! What was said about one task, over all rounds.
//!
//! Promises: of others only what `label::visible` allows; where it does not, the words are the same whether there is
//! anything or not. Leaves to others: showing it.

use super::task_of;
use crate::label::phase::Phase;
use crate::label::visible::Access;
use crate::study::{Desk, StudyError};
use crate::tui::msg::study::annotate::{InRound, Said};
use crate::tui::runtime::study::Bench;

/// What is said where something is hidden.
const HIDDEN: &str = "other labels of this round cannot be seen in its phase";

/// What was said about a task, the newest round first.
pub(super) fn labels(bench: &Bench, task: &str) -> Result<Vec<InRound>, StudyError> {
    let (rounds, _) = bench.studies.list()?;
    let mut all = Vec::new();
    for round in rounds {
        let mut items: Vec<String> = Vec::new();
        // Most tasks are an item under their own name.
        if round.items.place(task).is_some() {
            items.push(task.to_owned());
        }
        let again = round.items.list().iter().filter(|item| item.name != task && task_of(item) == task);
        items.extend(again.map(|item| item.name.clone()));
        if !items.is_empty() {
            all.push(in_round(&bench.studies.desk_of(round, &bench.name), &items)?);
        }
    }
    Ok(all)
}

fn in_round(desk: &Desk, items: &[String]) -> Result<InRound, StudyError> {
    let round = &desk.round;
    let stamp = round.codebook().stamp();
    let (mut said, mut notes, mut hidden) = (Vec::new(), Vec::new(), None);
    for (number, person) in round.annotators.iter().enumerate() {
        if desk.access(number) != Access::All {
            hidden = Some(HIDDEN);
            continue;
        }
        let sheet = desk.sheet(number)?;
        let blind = sheet.frozen.get(&Phase::Labelling);
        for item in items {
            let of_item = sheet.present.range((item.clone(), String::new())..);
            for (cell, given) in of_item.take_while(|((name, _), _)| name == item) {
                let answer = &given.answer;
                let first = blind.and_then(|blind| blind.get(cell)).map(|first| &first.answer.value);
                let mut when = given.at.strftime("%Y-%m-%d %H:%M UTC").to_string();
                if answer.codebook != stamp {
                    when.push_str(&format!(", by codebook {}", answer.codebook));
                }
                said.push(Said {
                    who: person.name.clone(),
                    question: answer.question.clone(),
                    value: answer.value.to_string(),
                    first: first.filter(|first| **first != answer.value).map(ToString::to_string),
                    when,
                });
            }
            if let Some(marks) = sheet.marks.get(item) {
                let mut words = marks.note.clone();
                if marks.flagged {
                    words = if words.is_empty() { "flagged".to_owned() } else { format!("flagged: {words}") };
                }
                if let Some(why) = &marks.skipped {
                    let why =
                        if why.is_empty() { "put aside".to_owned() } else { format!("put aside: {why}") };
                    words = if words.is_empty() { why } else { format!("{words}; {why}") };
                }
                if !words.is_empty() {
                    notes.push((person.name.clone(), words));
                }
            }
        }
    }
    // Questions in the order of the codebook, and under each who said what.
    let place = |question: &str| {
        let questions = &round.codebook().questions;
        questions.iter().position(|known| known.id == question).unwrap_or(questions.len())
    };
    said.sort_by_key(|said| place(&said.question));
    let decided = match desk.decisions() {
        Ok(decisions) => {
            let of_item = decisions.present.into_iter().filter(|((item, _), _)| items.contains(item));
            let words = |decision: &crate::label::event::Decision| match decision.comment.trim() {
                "" => decision.reason.describe().to_owned(),
                comment => format!("{}: {comment}", decision.reason.describe()),
            };
            of_item
                .map(|((_, question), decided)| {
                    (question, decided.decision.value.to_string(), words(&decided.decision))
                })
                .collect()
        }
        Err(StudyError::Hidden { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let name = format!("{}/{}", round.study, round.name);
    let codebook = format!("{} {stamp}", round.codebook().id);
    Ok(InRound { round: name, phase: round.phase, codebook, hidden, said, notes, decided })
}
