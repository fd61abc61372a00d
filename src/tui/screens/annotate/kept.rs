//! What came back of answers and marks, and where one goes then.
//!
//! Promises: the next item is shown when the last answer is on disk, and not before; who changed an answer of an item
//! that was complete stays there. Leaves to others: asking (`answering`).

use super::AnnotateScreen;
use super::answering::{info, refuse};
use super::work::{Pending, Wanted, Work};
use crate::label::phase::Phase;
use crate::study::Entry;
use crate::tui::msg::Said;
use crate::tui::msg::study::annotate::{Mark, OnDisk, Opened, Told};
use crate::tui::msg::study::{self};
use crate::tui::screens::{Context, Outcome};
use uuid::Uuid;

impl AnnotateScreen {
    /// Something that was to be written has come back; `None`: it was not asked for here.
    pub(super) fn answered(
        &mut self,
        ticket: u64,
        told: &mut study::Told,
        ctx: &mut Context,
    ) -> Option<Outcome> {
        let work = self.in_hand()?;
        let pending =
            work.pending.take_if(|pending| pending.ticket == ticket && pending.failure.is_none())?;
        match std::mem::replace(told, study::Told::Refused(String::new())) {
            study::Told::Annotate(Told::Kept(kept)) => Some(self.kept(pending, *kept, ctx)),
            study::Told::Annotate(Told::NotKept { why, by_rule: true, fresh }) => {
                // It gave no answer, so there is none to take back.
                self.guard.forget();
                let mut outcome = refuse(why);
                if let Some(fresh) = fresh {
                    outcome.commands.extend(self.opened(*fresh, ctx));
                }
                Some(outcome)
            }
            study::Told::Annotate(Told::NotKept { why, .. }) | study::Told::Refused(why) => {
                work.pending = Some(Pending { failure: Some(why), take_back: false, ..pending });
                // An answer that is not on disk is none: nothing follows from its key.
                self.guard.forget();
                Some(Outcome::done())
            }
            _ => None,
        }
    }

    fn kept(&mut self, pending: Pending, mut kept: OnDisk, ctx: &mut Context) -> Outcome {
        let mut outcome = Outcome::done();
        if let Some(fresh) = kept.fresh.take() {
            outcome.said = Some(Said::info(news(self.work(), &fresh)));
            outcome.commands.extend(self.opened(*fresh, ctx));
        }
        let Some(work) = self.in_hand() else { return outcome };
        work.saved = Some(kept.at.clone());
        let Some(place) = work.place(&kept.item) else { return outcome };
        work.take_in(place, kept.state.clone());
        let next = match pending.what {
            Wanted::Answer { row, entry, was_open } => {
                work.event = kept.event;
                if pending.take_back {
                    self.write(Wanted::Undo { only: kept.event }, ctx)
                } else {
                    self.advance(row, &entry, was_open, &kept, ctx)
                }
            }
            Wanted::Undo { only } => self.taken_back(place, &kept, only, ctx),
            Wanted::Mark { mark, .. } => self.marked(&mark, ctx),
        };
        outcome.commands.extend(next.commands);
        outcome.said = outcome.said.or(next.said);
        outcome
    }

    /// The next question, or the next item.
    fn advance(
        &mut self,
        row: usize,
        entry: &Entry,
        was_open: bool,
        kept: &OnDisk,
        ctx: &mut Context,
    ) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        if work.at != row {
            return Outcome::done();
        }
        if kept.state.open {
            let said = kept.training.as_ref().and_then(|known| {
                let right = known.answers.get(&entry.question)?;
                let given = kept.state.labels.get(&entry.question)?;
                Some(Said::info(if right == given {
                    format!("training: {right} is right")
                } else {
                    format!("training: {right} would be right, you said {given}")
                }))
            });
            work.ask_next();
            return Outcome { said, ..Outcome::done() };
        }
        if kept.training.is_some() && was_open {
            work.taught.clone_from(&kept.training);
            return Outcome::done();
        }
        // Who goes back to an item that was complete stays there, and goes from question to question as in a new one:
        // the keys that were learned there do not change one question twice.
        if !was_open || kept.phase == Phase::Adjudication {
            let questions = work.questions();
            let after = questions.iter().skip_while(|number| **number != work.question).nth(1);
            let next = after.copied().unwrap_or(work.question);
            work.ask(next);
            return info("changed; ] goes on");
        }
        match work.next_open() {
            Some(place) => {
                work.go(place);
                Outcome::commands(self.show_item(ctx))
            }
            None => {
                let question = work.question;
                work.ask(question);
                info(all_done(work))
            }
        }
    }

    fn taken_back(&mut self, place: usize, kept: &OnDisk, held: Option<Uuid>, ctx: &mut Context) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        let other = work.at != place;
        if other {
            work.go(place);
        }
        work.taught = None;
        work.event = None;
        let question = kept.question.clone().unwrap_or_default();
        let number = work.opened.codebook.questions.iter().position(|asked| asked.id == question);
        match number {
            Some(number) if work.questions().contains(&number) => work.ask(number),
            _ => work.ask_next(),
        }
        let now = match kept.state.labels.get(&question) {
            Some(value) => format!("it says {value} again"),
            None => "it has no answer".to_owned(),
        };
        let words = match held {
            Some(_) => {
                format!("a held key answers once: what it said here was taken back; {question}: {now}")
            }
            None => format!("taken back; {question}: {now}"),
        };
        let commands = if other { self.show_item(ctx) } else { Vec::new() };
        Outcome { commands, ..info(words) }
    }

    fn marked(&mut self, mark: &Mark, ctx: &mut Context) -> Outcome {
        let Some(work) = self.in_hand() else { return Outcome::ignored() };
        match mark {
            Mark::Flagged(true) => info("flagged; J f finds it again"),
            Mark::Flagged(false) => info("not flagged any more"),
            Mark::Noted(text) if text.is_empty() => info("no note any more"),
            Mark::Noted(_) => info("noted; J n finds it again"),
            Mark::Skipped(None) => info("taken up again"),
            Mark::Skipped(Some(_)) => match work.next_open() {
                Some(place) => {
                    work.go(place);
                    Outcome { commands: self.show_item(ctx), ..info("put aside; J a finds it again") }
                }
                None => info("put aside; J a finds it again"),
            },
        }
    }
}

/// What is said when no further item wants an answer.
pub(super) fn all_done(work: &Work) -> String {
    let open = work.rows().iter().filter(|row| row.state.open).count();
    match open {
        0 => format!("all {} items are labelled", work.rows().len()),
        open => format!("{open} left, put aside: J a goes there"),
    }
}

/// What is new about the round.
fn news(work: Option<&Work>, fresh: &Opened) -> String {
    let stale = fresh.rows.iter().filter(|row| !row.state.stale.is_empty()).count();
    match work {
        Some(work) if work.opened.stamp != fresh.stamp => format!(
            "the lead changed the codebook to version {}; to look at again: {stale} of {} items (J s)",
            fresh.codebook.version,
            fresh.rows.len()
        ),
        _ => format!("the round is in {} now", fresh.phase),
    }
}
