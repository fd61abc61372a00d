//! What was said about the tasks in the round in hand, for `label:` and `disagree:`.
//!
//! Promises: asked for when a filter wants it first, and again when the list is gone to. Leaves to others: what may be
//! seen (`runtime::study`), choosing rows (`task::filter`).

use super::{Context, Keep, Tasks};
use crate::task::filter::Filter;
use crate::task::tags::Tags;
use crate::tui::msg::Cmd;
use crate::tui::msg::study::annotate::{Ask, Told};
use crate::tui::msg::study::{self};
use std::sync::Arc;

/// What is known.
#[derive(Debug, Default)]
pub(super) struct LabelsOfTasks {
    ticket: u64,
    tags: Option<Arc<Tags>>,
    /// Why it is not told on what annotators differ.
    hidden: Option<&'static str>,
    /// Why there are no labels.
    refused: Option<String>,
}

impl LabelsOfTasks {
    /// What was said, as far as it is known.
    pub(super) fn tags(&self) -> Option<Arc<Tags>> {
        self.tags.clone()
    }

    /// Why a filter finds nothing.
    pub(super) fn why(&self, filter: &Filter) -> Option<String> {
        if !filter.asks_labels() {
            return None;
        }
        let hidden = self.hidden.filter(|_| filter.asks_disagreement());
        self.refused.clone().or(hidden.map(str::to_owned))
    }
}

impl Tasks {
    /// Asks what was said, where the filter wants it: the first time, or `again`.
    pub fn ask_for_labels(&mut self, again: bool, ctx: &mut Context) -> Option<Cmd> {
        let known = self.labels.tags.is_some() || self.labels.ticket != 0;
        if !self.filter.asks_labels() || known && !again {
            return None;
        }
        self.labels.ticket = ctx.ticket();
        let ask = Box::new(study::Ask::Annotate(Ask::Tags));
        Some(Cmd::Study { ticket: self.labels.ticket, ask })
    }

    /// What was said has come; `None`: it was not asked for here.
    pub fn labels_told(
        &mut self,
        ticket: u64,
        told: &mut study::Told,
        ctx: &mut Context,
    ) -> Option<Vec<Cmd>> {
        if ticket == 0 || ticket != self.labels.ticket {
            return None;
        }
        match told {
            study::Told::Annotate(Told::Tags(tags, hidden)) => {
                let by_key = tags.drain().filter_map(|(name, tag)| Some((ctx.key_of(&name)?, tag)));
                self.labels.tags = Some(Arc::new(by_key.collect()));
                (self.labels.hidden, self.labels.refused) = (*hidden, None);
            }
            study::Told::Refused(why) => {
                self.labels.tags = None;
                self.labels.refused = Some(std::mem::take(why));
            }
            _ => return None,
        }
        self.read_filter();
        Some(self.arrange(ctx, Keep::Task))
    }
}
