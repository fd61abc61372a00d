//! What was said about the tasks in the round in hand: its column, and what `label:` and `disagree:` find.
//!
//! Promises: asked for when the list is complete and when it is gone to, and told anew only where something changed; of
//! a row only what is in view is looked up. Leaves to others: what may be seen (`runtime::study`), choosing rows
//! (`task::filter`), where the column stands (`columns`).

use super::{Context, Keep, Tasks};
use crate::task::filter::Filter;
use crate::task::table::Summary;
use crate::task::tags::{Tag, Tags};
use crate::text;
use crate::theme::Role;
use crate::tui::msg::Cmd;
use crate::tui::msg::study::annotate::{Ask, Told};
use crate::tui::msg::study::{self};
use crate::tui::widgets::canvas::Canvas;
use std::sync::Arc;
use uuid::Uuid;

/// What is known.
#[derive(Debug, Default)]
pub(super) struct LabelsOfTasks {
    ticket: u64,
    /// The round in hand, where one was chosen.
    round: Option<Uuid>,
    tags: Option<Arc<Tags>>,
    /// The name of the round whose labels stand in a column; none: there is no column.
    column: Option<String>,
    /// Why it is not told on what annotators differ.
    hidden: Option<&'static str>,
    /// Why there are no labels.
    refused: Option<String>,
}

impl LabelsOfTasks {
    /// What was said, as far as it is known and the filter asks for it.
    pub(super) fn tags(&self, filter: &Filter) -> Option<Arc<Tags>> {
        self.tags.clone().filter(|_| filter.asks_labels())
    }

    /// What was said about a task.
    pub(super) fn of(&self, task: &Summary<'_>) -> Option<&Tag> {
        self.tags.as_ref()?.get(&task.key)
    }

    /// Whether there is a column.
    pub(super) fn is_shown(&self) -> bool {
        self.column.is_some()
    }

    /// What stands above the column: whose labels they are, where that fits.
    pub(super) fn heading(&self, width: u16) -> String {
        let long = format!("labels \u{b7} {}", text::sanitise(self.column.as_deref().unwrap_or_default()));
        if text::width(&long) <= usize::from(width) { long } else { "labels".to_owned() }
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

/// Marks by the keys that set them on the screen of labelling; of a stale answer an exclamation mark.
fn marks(tag: &Tag) -> String {
    let marks = [(tag.flagged, '*'), (tag.noted, 'N'), (tag.skipped, 'S'), (tag.stale, '!')];
    marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect()
}

/// What the column says: how much is answered, that annotators differ and marks, answers.
fn words(tag: &Tag) -> [(String, Role); 3] {
    let count = if tag.mine { Some(tag.answered) } else { tag.finished };
    let (done, all) = count.unwrap_or_default();
    let count = count.map_or_else(String::new, |_| format!("{done}/{all}"));
    let differ = if tag.contested.is_empty() { "" } else { "\u{2260}" };
    let answers = if tag.mine { tag.said.join(" \u{b7} ") } else { tag.contested.join(", ") };
    [
        (count, if done < all { Role::TextStrong } else { Role::TextDim }),
        (format!("{differ}{}", marks(tag)), if tag.stale { Role::StatusWarn } else { Role::Mark }),
        (text::sanitise(&answers).into_owned(), Role::TextDim),
    ]
}

/// Fewer columns of answers tell nothing.
const ANSWERS: u16 = 3;

/// Draws the column of one task; what does not fit is left out, only answers are cut.
pub(super) fn draw(
    tag: &Tag,
    ctx: &Context,
    canvas: &mut Canvas<'_>,
    (x, y, width): (u16, u16, u16),
    base: Role,
) {
    let [count, marks, (answers, role)] = words(tag);
    let (mut at, end) = (x, x + width);
    for (words, role) in [count, marks] {
        let room = end.saturating_sub(at);
        if !words.is_empty() && text::width(&words) <= usize::from(room) {
            at = canvas.print(at, y, &words, ctx.skin.over(base, role), room) + 1;
        }
    }
    let room = end.saturating_sub(at);
    if room >= ANSWERS {
        let answers = text::truncate(&answers, room.into());
        canvas.print(at, y, &answers, ctx.skin.over(base, role), room);
    }
}

impl Tasks {
    /// The round in hand is another one.
    pub fn set_round(&mut self, round: Option<Uuid>) {
        self.labels.round = round;
    }

    /// Asks what was said: anew where the list is another one, else for what has changed.
    pub fn ask_for_labels(&mut self, anew: bool, ctx: &mut Context) -> Cmd {
        self.labels.ticket = ctx.ticket();
        let known = !anew && self.labels.tags.is_some();
        let ask = Ask::Tags { round: self.labels.round, known };
        Cmd::Study { ticket: self.labels.ticket, ask: Box::new(study::Ask::Annotate(ask)) }
    }

    /// Asks what was said where the filter wants it and there was nothing to be told: there may be by now.
    pub(super) fn ask_for_missing_labels(&mut self, ctx: &mut Context) -> Option<Cmd> {
        (self.filter.asks_labels() && self.labels.tags.is_none()).then(|| self.ask_for_labels(true, ctx))
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
            study::Told::Annotate(Told::SameTags) => return Some(Vec::new()),
            study::Told::Annotate(Told::Tags(tagged)) => {
                let tagged = std::mem::take(&mut **tagged);
                let by_key =
                    tagged.tags.into_iter().filter_map(|(name, tag)| Some((ctx.key_of(&name)?, tag)));
                self.labels.tags = Some(Arc::new(by_key.collect()));
                self.labels.column = tagged.round;
                (self.labels.hidden, self.labels.refused) = (tagged.hidden, None);
            }
            study::Told::Refused(why) => {
                (self.labels.tags, self.labels.column) = (None, None);
                self.labels.refused = Some(std::mem::take(why));
            }
            _ => return None,
        }
        self.read_filter();
        // Other filters choose the same tasks whatever was said about them.
        Some(if self.filter.asks_labels() { self.arrange(ctx, Keep::Task) } else { Vec::new() })
    }
}
