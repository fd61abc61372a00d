//! The sheet of a new round and the methods paragraph, as the screen opens and follows them.

use super::sheet::{Sheet, Step};
use super::{Context, Outcome, RoundsScreen};
use crate::tui::msg::Said;
use crate::tui::msg::study::rounds::Ask;

impl RoundsScreen {
    pub(super) fn methods(&mut self, ctx: &mut Context) -> Outcome {
        let Some(brief) = self.current() else { return Outcome::done() };
        let round = brief.round.id;
        self.methods_ticket = ctx.ticket();
        Outcome::commands(vec![RoundsScreen::ask(self.methods_ticket, Ask::Methods(round))])
    }

    pub(super) fn new_round(&mut self, ctx: &mut Context) -> Outcome {
        if self.rows.is_none() {
            return Outcome::said(Said::info("the rounds are still being read"));
        }
        if self.codebooks.is_empty() {
            return Outcome::said(Said::error("no codebook can be read: `mendbench codebook list` says why"));
        }
        let newest = self.rows().first().map(|row| &row.round);
        let count = newest
            .map_or(0, |newest| self.rows().iter().filter(|row| row.round.study == newest.study).count());
        let mut sheet = Sheet::new(self.codebooks.clone(), newest, count, &self.name, self.seed);
        sheet.layout(self.size);
        let commands = sheet.start(ctx);
        self.sheet = Some(Box::new(sheet));
        Outcome::commands(commands)
    }

    /// What the sheet wants.
    pub(super) fn follow_sheet(&mut self, step: Step, ctx: &mut Context) -> Outcome {
        match step {
            Step::Stay(commands) => Outcome::commands(commands),
            Step::Close => {
                self.sheet = None;
                Outcome::done()
            }
            Step::Said(said, commands) => Outcome { said: Some(said), ..Outcome::commands(commands) },
            Step::Made(round, words) => {
                self.sheet = None;
                self.in_desk = false;
                let mut outcome = Outcome::said(Said::info(words));
                outcome.commands.push(self.list(ctx));
                self.wanted = Some(round);
                outcome
            }
        }
    }
}
