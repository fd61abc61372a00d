//! Answers to discussion and adjudication.
//!
//! Promises: what is said to be kept is on disk; what cannot be kept changes nothing.

use super::Bench;
use crate::label::event::What;
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::value::Value;
use crate::label::visible::Role;
use crate::study::{Desk, Saved, StudyError, Waiting};
use crate::tui::msg::study::discuss::{Ask, Told};
use uuid::Uuid;

/// What is kept between two questions.
#[derive(Default)]
pub struct Clerk {}

impl Clerk {
    /// Does what is asked.
    ///
    /// # Errors
    ///
    /// What the study refuses, or what the workspace could not do.
    pub fn answer(&mut self, bench: &Bench, ask: Ask) -> Result<Told, StudyError> {
        let desk = |round: Uuid| bench.desk(Some(round));
        match ask {
            Ask::Return(round) => {
                let round = meant(bench, round)?;
                Ok(Told::Opened(Box::new(bench.desk(round)?.disputes()?)))
            }
            Ask::Open(round) => Ok(Told::Opened(Box::new(bench.desk(round)?.disputes()?))),
            Ask::Revise { round, entry, note } => {
                let desk = desk(round)?;
                let mut writer = desk.writer()?;
                // The reason first: should the answer be refused, nothing is lost that was typed.
                if let Some(text) = note {
                    writer.mark(&entry.item, &|item| What::Noted { item, text: text.clone() })?;
                }
                let saved = writer.set(&entry)?;
                kept(&desk, revised(&saved))
            }
            Ask::Note { round, item, text } => {
                let desk = desk(round)?;
                desk.writer()?.mark(&item, &|item| What::Noted { item, text: text.clone() })?;
                kept(&desk, format!("note on {item} saved"))
            }
            Ask::TakeBack(round) => {
                let desk = desk(round)?;
                let saved = desk.writer()?.undo()?;
                let now = value(&saved.value);
                kept(&desk, format!("taken back: {} of {} is {now} again", saved.question, saved.item))
            }
            Ask::Decide { round, choice } => {
                let desk = desk(round)?;
                let decided = desk.decide(&choice)?;
                let words = format!(
                    "decided: {} of {} is {decided} ({})",
                    choice.question,
                    choice.item,
                    choice.reason.as_str()
                );
                kept(&desk, words)
            }
            Ask::SendBack { round, item, why } => {
                let desk = desk(round)?;
                let item = desk.send_back(&item, &why)?;
                kept(&desk, format!("{item} was sent back to its annotators"))
            }
            Ask::TakeDecisionBack(round) => {
                let desk = desk(round)?;
                desk.undo_decision()?;
                kept(&desk, "the last decision was taken back".to_owned())
            }
        }
    }
}

/// The round that somebody means who goes to disagreements without choosing one.
fn meant(bench: &Bench, in_hand: Option<Uuid>) -> Result<Option<Uuid>, StudyError> {
    let in_hand = in_hand.and_then(|id| bench.round(Some(id)).ok());
    if let Some(round) = in_hand.as_ref().filter(|round| round.phase != Phase::Closed) {
        return Ok(Some(round.id));
    }
    let (rounds, _) = bench.studies.list()?;
    // The newest come first.
    let open = || rounds.iter().filter(|round| round.phase != Phase::Closed);
    for round in open().filter(|round| round.phase > Phase::Labelling) {
        let waiting = bench.studies.desk_of(round.clone(), &bench.name).brief()?.waiting;
        if matches!(waiting, Waiting::Discuss(_) | Waiting::Decide(_)) {
            return Ok(Some(round.id));
        }
    }
    let has_part = |round: &&Round| round.role(&bench.name) != Role::Outsider;
    let other = || open().filter(has_part).max_by_key(|round| (round.phase, round.id)).or(rounds.first());
    Ok(in_hand.as_ref().or_else(other).map(|round| round.id))
}

fn kept(desk: &Desk, words: String) -> Result<Told, StudyError> {
    Ok(Told::Kept(words, Box::new(desk.disputes()?)))
}

fn value(value: &Option<Value>) -> String {
    value.as_ref().map_or_else(|| "without an answer".to_owned(), |value| value.to_string())
}

fn revised(saved: &Saved) -> String {
    let missing = match saved.missing.as_slice() {
        [] => String::new(),
        missing => format!("; still to answer: {}", missing.join(", ")),
    };
    let now = value(&saved.value);
    if saved.before == saved.value {
        format!("kept: {} of {} stays {now}{missing}", saved.question, saved.item)
    } else {
        format!("saved: {} of {} is {now} now{missing}", saved.question, saved.item)
    }
}
