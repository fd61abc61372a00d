//! The Labels tab: what was said about the task in studies.
//!
//! Promises: asked for when the tab is opened, so that what is shown is what was there then; one's own labels, and
//! those of others only where they may be seen. Leaves to others: which those are (`label::visible`).

use super::{Tab, TaskScreen};
use crate::theme::Role;
use crate::tui::msg::Cmd;
use crate::tui::msg::study::annotate::{Ask, InRound, Told};
use crate::tui::msg::study::{self};
use crate::tui::screens::Context;
use crate::tui::widgets::text_view::Block;

/// What is known about the labels of the open task.
#[derive(Debug, Default)]
pub(super) struct Labels {
    ticket: u64,
    known: Option<Result<Vec<InRound>, String>>,
}

impl Labels {
    /// The page.
    pub(super) fn page(&self) -> Vec<Block> {
        let remark = |text: &str| vec![Block::Remark(text.to_owned())];
        match &self.known {
            None => remark("Reading the labels\u{2026}"),
            Some(Err(why)) => remark(why),
            Some(Ok(rounds)) if rounds.is_empty() => remark(
                "This task is in no round of a labelling study of this workspace. `mendbench round create` makes one.",
            ),
            Some(Ok(rounds)) => {
                let mut blocks = Vec::new();
                for round in rounds {
                    if !blocks.is_empty() {
                        blocks.push(Block::Blank);
                    }
                    blocks.extend(of_round(round));
                }
                blocks
            }
        }
    }
}

fn of_round(round: &InRound) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(
        round.round.clone(),
        format!("{} \u{b7} codebook {}", round.phase, round.codebook),
    )];
    for said in &round.said {
        let first = said.first.as_ref().map_or_else(String::new, |first| format!(", blind {first}"));
        let value = format!("{} \u{b7} {}{first} \u{b7} {}", said.value, said.who, said.when);
        blocks.push(Block::Field(said.question.clone(), value));
    }
    for (who, note) in &round.notes {
        blocks.push(Block::Field("note".to_owned(), format!("{note} \u{b7} {who}")));
    }
    for (question, value, why) in &round.decided {
        let words = format!("{value} \u{b7} decided by the arbitrator: {why}");
        blocks.push(Block::Marked(question.clone(), words, Role::Accent));
    }
    if round.said.is_empty() && round.notes.is_empty() {
        blocks.push(Block::Remark("No labels that you can see.".to_owned()));
    }
    if let Some(why) = round.hidden {
        blocks.push(Block::Remark(why.to_owned()));
    }
    blocks
}

impl TaskScreen {
    /// Asks for the labels of the open task while their tab is shown.
    pub(super) fn ask_for_labels(&mut self, ctx: &mut Context) -> Option<Cmd> {
        if self.tab != Tab::Labels {
            return None;
        }
        let task = self.loaded.as_ref()?.task.name().to_string();
        self.labels = Labels { ticket: ctx.ticket(), known: None };
        let ask = Box::new(study::Ask::Annotate(Ask::OfTask(task)));
        Some(Cmd::Study { ticket: self.labels.ticket, ask })
    }

    /// The labels have come; false: they were not asked for here.
    pub fn labels_told(&mut self, ticket: u64, told: &mut study::Told) -> bool {
        if ticket == 0 || ticket != self.labels.ticket {
            return false;
        }
        self.labels.known = match told {
            study::Told::Annotate(Told::OfTask(rounds)) => Some(Ok(std::mem::take(rounds))),
            study::Told::Refused(why) => Some(Err(std::mem::take(why))),
            _ => return false,
        };
        if self.tab == Tab::Labels {
            self.make_page();
            let (width, height) = self.size;
            self.resize(width, height);
        }
        true
    }
}
