//! Moving about: the list, its groups, the next case that waits.
//!
//! Promises: what was chosen for one case is never given to another: it is dropped when the cursor leaves the case.

use super::list::{self, Entry};
use super::{DiscussScreen, draw};
use crate::label::adjudicate::ReasonCode;
use crate::label::turn::TurnName;
use crate::label::turn::task_of;
use crate::study::{Disputes, View};
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::{Context, Outcome};
use crate::tui::widgets::numbers::page_step;

impl DiscussScreen {
    pub(super) fn take(&mut self, disputes: Box<Disputes>) {
        self.groups = list::groups(&disputes);
        self.evidence.set_source(&disputes.round.sampling.source, &disputes.name);
        self.disputes = Some(disputes);
        self.entries = list::entries(&self.groups, &self.folded);
        self.failure = None;
        self.cursor = self.cursor.min(self.entries.len().saturating_sub(1));
    }

    /// Puts the cursor on a case; its group is unfolded.
    pub(super) fn select(&mut self, number: usize) {
        if let Some(group) = self.groups.iter().find(|group| group.cases.contains(&number))
            && self.folded.remove(&group.title)
        {
            self.entries = list::entries(&self.groups, &self.folded);
        }
        if let Some(at) = self.entries.iter().position(|entry| *entry == Entry::Case(number)) {
            self.cursor = at;
        }
        self.keep_visible();
    }

    pub(super) fn keep_visible(&mut self) {
        let rows = draw::list_rows(self.size).max(1);
        // The heading of the first case stays in view.
        let from = if self.cursor == 1 { 0 } else { self.cursor };
        self.top = self.top.min(from).max((self.cursor + 1).saturating_sub(rows));
    }

    /// All cases in the order of the list.
    pub(super) fn in_order(&self) -> Vec<usize> {
        self.groups.iter().flat_map(|group| group.cases.iter().copied()).collect()
    }

    /// The next case that waits, from one on; one of the same item that has come up comes first.
    pub(super) fn next_waiting(
        &self,
        from: Option<usize>,
        forward: bool,
        follow: Option<&str>,
    ) -> Option<usize> {
        let disputes = self.disputes.as_ref()?;
        let waits =
            |number: &usize| disputes.list.get(*number).is_some_and(|dispute| list::waits(disputes, dispute));
        let mut order = self.in_order();
        if let Some(item) = follow {
            let same = |number: &&usize| disputes.list.get(**number).is_some_and(|one| one.item == item);
            if let Some(next) = order.iter().filter(same).find(|number| waits(number)) {
                return Some(*next);
            }
        }
        if !forward {
            order.reverse();
        }
        let at = order.iter().position(|number| Some(*number) == from);
        let (before, after) = order.split_at(at.map_or(0, |at| at + 1));
        after.iter().chain(before).find(|number| waits(number)).copied()
    }

    /// The cursor has moved: the difference follows.
    pub(super) fn follow(&mut self, at_once: bool, ctx: &mut Context) -> Vec<Cmd> {
        self.keep_visible();
        self.lay_out();
        // Of a turn what it made is shown, and not the fix of its task.
        let task = self.dispute().map(|dispute| match TurnName::of_item(&dispute.item) {
            Some(turn) => turn.to_string(),
            None => task_of(&dispute.item).to_owned(),
        });
        if !self.sees_case() && !at_once {
            return Vec::new();
        }
        match task {
            Some(task) => self.evidence.want(Some(&task), at_once, ctx),
            None => Vec::new(),
        }
    }

    pub(super) fn move_by(&mut self, by: isize, ctx: &mut Context) -> Outcome {
        if let Some(pending) = self
            .pending
            .as_mut()
            .filter(|_| self.disputes.as_ref().is_some_and(|all| all.view == View::Decide))
        {
            let last = ReasonCode::ALL.len() - 1;
            pending.reason = Some(match pending.reason {
                None => {
                    if by > 0 {
                        0
                    } else {
                        last
                    }
                }
                Some(at) => at.saturating_add_signed(by).min(last),
            });
            pending.collecting = false;
            return Outcome::done();
        }
        if self.in_case {
            if let Some(view) = &mut self.evidence.view {
                view.move_by(by);
            }
            return Outcome::done();
        }
        let before = self.cursor;
        self.cursor = self.cursor.saturating_add_signed(by).min(self.entries.len().saturating_sub(1));
        if before != self.cursor {
            self.pending = None;
            self.undoing = false;
        }
        Outcome::commands(self.follow(false, ctx))
    }

    pub(super) fn page(&mut self, down: bool, half: bool, ctx: &mut Context) -> Outcome {
        if self.sees_case() {
            // Beside the list the difference is what one pages through.
            if let Some(view) = &mut self.evidence.view {
                if self.in_case {
                    view.page(down, half)
                } else {
                    let step = page_step(draw::case_rows(self.size), half);
                    view.scroll(if down { step } else { -step });
                }
            }
            return Outcome::done();
        }
        let step = page_step(draw::list_rows(self.size) as u16, half);
        self.move_by(if down { step } else { -step }, ctx)
    }

    /// Folds or unfolds the group that the cursor is in.
    pub(super) fn fold(&mut self, fold: bool) -> Outcome {
        let upto = &self.entries[..(self.cursor + 1).min(self.entries.len())];
        let heading = upto.iter().rev().find_map(|entry| match entry {
            Entry::Group(number) => Some(*number),
            Entry::Case(_) => None,
        });
        let Some((number, group)) = heading.and_then(|number| Some((number, self.groups.get(number)?)))
        else {
            return Outcome::done();
        };
        if fold {
            self.folded.insert(group.title.clone());
        } else {
            self.folded.remove(&group.title);
        }
        self.entries = list::entries(&self.groups, &self.folded);
        if let Some(at) = self.entries.iter().position(|entry| *entry == Entry::Group(number)) {
            self.cursor = at;
        }
        self.keep_visible();
        Outcome::done()
    }

    pub(super) fn step(&mut self, forward: bool, ctx: &mut Context) -> Outcome {
        let from = self.case();
        match self.next_waiting(from, forward, None) {
            Some(next) => {
                self.pending = None;
                self.undoing = false;
                self.select(next);
                Outcome::commands(self.follow(true, ctx))
            }
            None => Outcome::said(Said::info("no case waits for you here")),
        }
    }
}
