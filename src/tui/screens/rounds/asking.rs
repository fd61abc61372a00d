//! What the lead does with a round after being asked: its phase is ended, it is withdrawn, its items are assigned.
//!
//! Promises: nothing is asked that who looks may not do; who may, and what is missing, is told in words. Leaves to
//! others: the questions as they look (`ask`), the sheet of an assignment (`assign`).

use super::ask::{Asked, Question};
use super::assign::{AssignSheet, Step};
use super::words::{command, name};
use super::{Context, Outcome, RoundsScreen};
use crate::label::phase::Phase;
use crate::study::Whole;
use crate::tui::msg::study::rounds::Ask;
use crate::tui::msg::{Cmd, Said};

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The end of the phase.
    End,
    /// Taking the round back.
    Withdraw,
}

impl RoundsScreen {
    /// Asks whether the phase is to be ended, once it is known what stands in the way.
    pub(super) fn ask_to_end(&mut self, ctx: &mut Context) -> Outcome {
        let Some(brief) = self.current() else { return Outcome::done() };
        let round = &brief.round;
        let why = if !brief.role.leads() {
            format!("only its lead, {}, ends the phases of a round", round.lead.name)
        } else if round.phase == Phase::Closed {
            format!("{} is closed: nothing changes any more", name(round))
        } else if round.assignment.is_none() {
            "nothing is assigned yet: A assigns it".to_owned()
        } else {
            // What was missing a while ago may be there now.
            self.asks = Some(About::End);
            return Outcome::commands(self.want_desk(ctx));
        };
        Outcome::said(Said::info(why))
    }

    /// Asks whether the round is to be withdrawn, once it is known that nobody has answered.
    pub(super) fn ask_to_withdraw(&mut self, ctx: &mut Context) -> Outcome {
        let Some(brief) = self.current() else { return Outcome::done() };
        if !brief.role.leads() {
            let why = format!("only its lead, {}, withdraws a round", brief.round.lead.name);
            return Outcome::said(Said::info(why));
        }
        self.asks = Some(About::Withdraw);
        Outcome::commands(self.want_desk(ctx))
    }

    /// Asks what was to be asked about a round, now that its desk has come; or says why not.
    pub(super) fn ask_about(&mut self, about: About, whole: &Whole) -> Option<String> {
        let round = &whole.brief.round;
        self.question = match about {
            About::End => Question::end(whole),
            About::Withdraw => {
                let answered = whole.progress.iter().filter(|(_, of)| of.answers > 0 || of.sealed);
                let names = answered.filter_map(|(who, _)| round.annotators.get(*who));
                let names: Vec<&str> = names.map(|person| person.name.as_str()).collect();
                if !names.is_empty() {
                    let (round, who) = (name(round), names.join(" and "));
                    return Some(format!("{round} cannot be withdrawn: {who} answered in it"));
                }
                Some(Question::withdraw(round))
            }
        };
        None
    }

    /// Opens the sheet of who labels what.
    pub(super) fn ask_to_assign(&mut self, ctx: &mut Context) -> Outcome {
        let Some(brief) = self.current() else { return Outcome::done() };
        let round = &brief.round;
        let why = if !brief.role.leads() {
            format!("only its lead, {}, says who labels what", round.lead.name)
        } else if round.phase != Phase::Labelling {
            format!("{} is in {}: who labels what does not change any more", name(round), round.phase)
        } else {
            let mut sheet = AssignSheet::new(round, &self.name);
            let commands = sheet.look(ctx);
            self.assigning = Some(Box::new(sheet));
            return Outcome::commands(commands);
        };
        Outcome::said(Said::info(why))
    }

    /// What the sheet of an assignment wants.
    pub(super) fn follow_assignment(&mut self, step: Step, ctx: &mut Context) -> Outcome {
        match step {
            Step::Stay(commands) => Outcome::commands(commands),
            Step::Said(said) => Outcome::said(said),
            Step::Close => {
                self.assigning = None;
                Outcome::done()
            }
            Step::Assigned(whole, words) => {
                self.assigning = None;
                self.take_desk(whole, ctx);
                Outcome::said(Said::info(words))
            }
        }
    }

    /// Does what was asked about.
    pub(super) fn confirm(&mut self, ctx: &mut Context) -> Outcome {
        let Some(question) = &self.question else { return Outcome::done() };
        if question.stops() {
            return Outcome::said(Said::info("work is missing: F goes on all the same, n leaves it"));
        }
        let round = question.round;
        let ask = match question.asked {
            Asked::End { to, force, .. } => Ask::Advance { round, to, force },
            Asked::Withdraw => Ask::Withdraw(round),
        };
        self.question = None;
        self.ending = ctx.ticket();
        Outcome {
            said: Some(Said::info("saving…")),
            ..Outcome::commands(vec![RoundsScreen::ask(self.ending, ask)])
        }
    }

    pub(super) fn copy_command(&self) -> Outcome {
        let Some(brief) = self.current() else { return Outcome::done() };
        let round = name(&brief.round);
        let text = match &self.question {
            Some(question) => question.command(&round, &self.name),
            None => command(&["mendbench", "round", "status", &round], &self.name),
        };
        Outcome::commands(vec![Cmd::Copy(text)])
    }
}
