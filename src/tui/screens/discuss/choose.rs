//! Choosing an answer, and giving it: what is chosen is kept only by a second, different key.
//!
//! Promises: one key chooses and another gives, so that a key that is held down gives nothing; while something is
//! being saved no key counts. Leaves to others: saving (`runtime`), what may be answered (`label::codebook`).

use super::{DiscussScreen, Outcome, words};
use crate::keymap::Key;
use crate::label::adjudicate::ReasonCode;
use crate::label::codebook::{Kind, Question};
use crate::label::entry;
use crate::label::value::Value;
use crate::study::{Choice, Entry, View};
use crate::tui::msg::Said;
use crate::tui::msg::study::discuss::Ask;
use crate::tui::screens::Context;
use crate::tui::widgets::input::Input;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// An answer that was chosen and is not given yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The answer.
    pub value: Value,
    /// The key that chose it.
    pub by: Option<Key>,
    /// Whether more answers can still be put to it.
    pub collecting: bool,
    /// The reason under the cursor, once it was moved there.
    pub reason: Option<usize>,
    /// The comment.
    pub comment: Option<String>,
}

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// A comment.
    Comment,
    /// Why an item is sent back.
    SendBack,
    /// An answer.
    Answer,
}

impl Typing {
    /// What stands above the field.
    pub fn title(self) -> &'static str {
        match self {
            Typing::Comment => "Comment on this case",
            Typing::SendBack => "Send it back: what should they look at again?",
            Typing::Answer => "Answer",
        }
    }
}

/// A value as the command line takes it.
fn json(value: &Value) -> Json {
    match value {
        Value::Many(answers) => answers.iter().map(|answer| Json::from(answer.as_str())).collect(),
        Value::Number(number) => Json::from(number.get()),
        Value::One(text) | Value::Text(text) => Json::from(text.as_str()),
    }
}

fn info(words: impl Into<String>) -> Outcome {
    Outcome::said(Said::info(words))
}

impl DiscussScreen {
    /// Whether answers are given here now; else why not.
    fn may_answer(&self) -> Result<View, String> {
        if self.saving != 0 {
            return Err("saving…".to_owned());
        }
        let Some(disputes) = &self.disputes else {
            return Err("the disagreements are still being read".to_owned());
        };
        if self.dispute().is_none() {
            return Err("choose a case first: j and k move, Enter opens a count".to_owned());
        }
        match disputes.view {
            View::Discuss | View::Decide if self.sees_case() => Ok(disputes.view),
            View::Discuss | View::Decide => {
                Err("Enter opens the case: answers are given where its difference is seen".to_owned())
            }
            View::Watch | View::Hidden(_) => {
                let phase = disputes.round.phase;
                Err(format!("you only look on: nothing of this is yours to answer in {phase}"))
            }
        }
    }

    pub(super) fn question(&self) -> Option<&Question> {
        let disputes = self.disputes.as_ref()?;
        disputes.round.codebook().question(&self.dispute()?.question)
    }

    fn choose(&mut self, value: Value, by: Option<Key>) -> Outcome {
        let comment = self.pending.take().and_then(|pending| pending.comment).or_else(|| self.draft());
        self.pending = Some(Pending { value, by, collecting: false, reason: None, comment });
        self.undoing = false;
        Outcome::done()
    }

    /// A key that stands for no action: an answer, a letter, a reason.
    pub(super) fn answer_key(&mut self, key: Key, ctx: &mut Context) -> Outcome {
        let Some(typed) = key.typed() else { return Outcome::ignored() };
        self.undoing = false;
        let view = match self.may_answer() {
            Ok(view) => view,
            Err(why) => return info(why),
        };
        if view == View::Decide
            && self.pending.as_ref().is_some_and(|pending| !pending.collecting)
            && let Some(number) = typed.to_digit(10)
            && let Some(reason) = (number as usize).checked_sub(1).filter(|at| *at < ReasonCode::ALL.len())
        {
            if self.pending.as_ref().is_some_and(|pending| pending.by == Some(key)) {
                return info("the key of the answer gives no reason: j moves to one, Enter takes it");
            }
            return self.decide(reason, ctx);
        }
        if view == View::Decide && typed.is_ascii_uppercase() {
            let place = usize::from(typed as u8 - b'A');
            let voices = self.dispute().map_or(&[][..], |dispute| dispute.voices.as_slice());
            return match voices.get(place).map(|voice| voice.now.clone()) {
                Some(Some(value)) => self.choose(value, Some(key)),
                Some(None) => info(format!("{typed} gave no answer to this question")),
                None => Outcome::ignored(),
            };
        }
        let Some(question) = self.question() else { return Outcome::ignored() };
        let Some(answer) = question.answer_of_key(typed).map(|answer| answer.id.clone()) else {
            return Outcome::ignored();
        };
        if question.kind != Kind::Multiple {
            return self.choose(Value::One(answer), Some(key));
        }
        // Of several answers each key puts one in or takes it out.
        let mut set = match self.pending.as_ref().filter(|pending| pending.collecting) {
            Some(Pending { value: Value::Many(set), .. }) => set.clone(),
            _ => BTreeSet::new(),
        };
        if !set.remove(&answer) {
            set.insert(answer);
        }
        let outcome = self.choose(Value::Many(set), Some(key));
        if let Some(pending) = &mut self.pending {
            pending.collecting = true;
        }
        outcome
    }

    /// Chooses the answer of the other.
    pub(super) fn take_other(&mut self) -> Outcome {
        match self.may_answer() {
            Ok(View::Discuss) => {}
            Ok(_) => return info("A, B, … take the answer under a letter"),
            Err(why) => return info(why),
        }
        let own = self.own().and_then(|own| Some(self.dispute()?.voice(own)?.now.clone())).flatten();
        let voices = self.dispute().map_or(&[][..], |dispute| dispute.voices.as_slice());
        let me = self.own();
        let others: BTreeSet<Value> = voices
            .iter()
            .filter(|voice| voice.who != me)
            .filter_map(|voice| voice.now.clone())
            .filter(|value| Some(value) != own.as_ref())
            .collect();
        let mut others = others.into_iter();
        match (others.next(), others.next()) {
            (Some(only), None) => self.choose(only, None),
            (None, _) => info("the other gave no other answer to this question"),
            (Some(_), Some(_)) => info("the others differ: press the key of the answer"),
        }
    }

    /// Chooses one's own answer.
    pub(super) fn keep_mine(&mut self) -> Outcome {
        match self.may_answer() {
            Ok(View::Discuss) => {}
            Ok(_) => return info("A, B, … take the answer under a letter"),
            Err(why) => return info(why),
        }
        let own = self.own().and_then(|own| self.dispute()?.voice(own)?.now.clone());
        match own {
            Some(value) => self.choose(value, None),
            None => info("you gave no answer to this question: press the key of one"),
        }
    }

    /// Begins to type.
    pub(super) fn type_in(&mut self, what: Typing) -> Outcome {
        let view = match self.may_answer() {
            Ok(view) => view,
            Err(why) => return info(why),
        };
        let text = match (what, view) {
            (Typing::SendBack, View::Discuss) => {
                return info("the arbitrator sends items back; here you change your own answer");
            }
            (Typing::Comment, View::Decide) => match &self.pending {
                Some(pending) => pending.comment.clone().unwrap_or_default(),
                None => self.draft().unwrap_or_default(),
            },
            (Typing::Comment, _) => match self.pending.as_ref().and_then(|pending| pending.comment.clone()) {
                Some(comment) => comment,
                // One item has one note: what was written before is carried on, not lost.
                None => self.own_note(),
            },
            _ => String::new(),
        };
        self.typing = Some((what, Input::new(&text)));
        Outcome::done()
    }

    /// The comment that was typed on the case before its answer was chosen.
    pub(super) fn draft(&self) -> Option<String> {
        let (item, question, text) = self.draft.as_ref()?;
        let dispute = self.dispute()?;
        let here = dispute.item == *item && dispute.question == *question && !text.is_empty();
        here.then(|| text.clone())
    }

    fn own_note(&self) -> String {
        let voice = self.own().and_then(|own| self.dispute()?.voice(own));
        voice.map_or_else(String::new, |voice| voice.note.clone())
    }

    /// What was typed is taken.
    pub(super) fn typed_in(&mut self, ctx: &mut Context) -> Outcome {
        let Some((what, input)) = self.typing.take() else { return Outcome::done() };
        let text = input.text().trim().to_owned();
        let (Some(round), Some(item)) = (self.round(), self.dispute().map(|one| one.item.clone())) else {
            return Outcome::done();
        };
        match what {
            Typing::Comment => {
                if let Some(pending) = &mut self.pending {
                    pending.comment = Some(text);
                    return Outcome::done();
                }
                if self.disputes.as_ref().is_some_and(|disputes| disputes.view == View::Decide) {
                    let question = self.dispute().map(|dispute| dispute.question.clone()).unwrap_or_default();
                    self.draft = Some((item, question, text));
                    return info("kept for the decision on this case");
                }
                if text == self.own_note() {
                    return Outcome::done();
                }
                self.save(Ask::Note { round, item, text }, ctx)
            }
            Typing::SendBack if text.is_empty() => {
                info("nothing was sent back: they need to know what to look at again")
            }
            Typing::SendBack => self.save(Ask::SendBack { round, item, why: text }, ctx),
            Typing::Answer => {
                let Some(question) = self.question() else { return Outcome::done() };
                match entry::of_text(question, &text) {
                    Ok(value) => self.choose(value, None),
                    Err(error) => Outcome::said(Said::error(error.to_string())),
                }
            }
        }
    }

    /// Gives what was chosen.
    pub(super) fn give(&mut self, ctx: &mut Context) -> Outcome {
        let Some(pending) = &mut self.pending else { return Outcome::done() };
        let view = self.disputes.as_ref().map(|disputes| disputes.view);
        if view == Some(View::Decide) {
            if pending.collecting {
                pending.collecting = false;
                return Outcome::done();
            }
            return match pending.reason {
                Some(reason) => self.decide(reason, ctx),
                None => info("why did they differ? 1 to 6, or j to a reason and Enter"),
            };
        }
        let (value, comment) = (pending.value.clone(), pending.comment.clone());
        let (Some(round), Some(dispute)) = (self.round(), self.dispute()) else { return Outcome::done() };
        let note = comment.filter(|comment| *comment != self.own_note());
        let entry = Entry {
            item: dispute.item.clone(),
            question: dispute.question.clone(),
            answer: json(&value),
            evidence: self.evidence.view.iter().map(|_| "diff".to_owned()).collect(),
            ..Entry::default()
        };
        self.save(Ask::Revise { round, entry: Box::new(entry), note }, ctx)
    }

    fn decide(&mut self, reason: usize, ctx: &mut Context) -> Outcome {
        let (Some(pending), Some(reason)) = (&self.pending, ReasonCode::ALL.get(reason).copied()) else {
            return Outcome::done();
        };
        let comment = pending.comment.clone().unwrap_or_default();
        if reason == ReasonCode::Other && comment.trim().is_empty() {
            self.typing = Some((Typing::Comment, Input::default()));
            return info("another reason wants a comment: type it, then 6 again");
        }
        let (Some(round), Some(dispute)) = (self.round(), self.dispute()) else { return Outcome::done() };
        let choice = Choice {
            item: dispute.item.clone(),
            question: dispute.question.clone(),
            answer: json(&pending.value),
            reason,
            comment,
        };
        self.save(Ask::Decide { round, choice: Box::new(choice) }, ctx)
    }

    /// Asks whether the last answer or decision is to be taken back; a second, different key does it.
    pub(super) fn ask_to_undo(&mut self) -> Outcome {
        if let Err(why) = self.may_answer()
            && self.saving != 0
        {
            return info(why);
        }
        match self.disputes.as_ref().map(|disputes| disputes.view) {
            Some(View::Discuss | View::Decide) => {}
            _ => return info("nothing of this is yours to take back now"),
        }
        self.pending = None;
        self.undoing = true;
        // Where no case is in view there is no other place to ask it.
        if self.sees_case() && self.dispute().is_some() {
            return Outcome::done();
        }
        info("take your last answer or decision back? Enter does it, Esc leaves it")
    }

    /// Takes the last answer or decision back.
    pub(super) fn undo(&mut self, ctx: &mut Context) -> Outcome {
        self.undoing = false;
        let (Some(round), Some(disputes)) = (self.round(), &self.disputes) else { return Outcome::done() };
        let ask = match disputes.view {
            View::Decide => Ask::TakeDecisionBack(round),
            _ => Ask::TakeBack(round),
        };
        self.save(ask, ctx)
    }

    /// What is chosen, in words, for the line under the answers.
    pub(super) fn chosen(&self) -> Option<String> {
        let pending = self.pending.as_ref()?;
        let (id, label) = words::long(self.question(), &Some(pending.value.clone()));
        Some(if label.is_empty() { id } else { format!("{id} {label}") })
    }
}
