//! What actions do on the Tasks screen.

use super::{Keep, PREVIEW_FROM, Tasks};
use crate::keymap::Action;
use crate::task::list::{Entry, GroupBy, SortKey};
use crate::tui::msg::{Cmd, Said};
use crate::tui::screens::task::editor;
use crate::tui::screens::{Context, Go, Outcome};

impl Tasks {
    /// Whether an action would do something now.
    pub fn means_something(&self, action: Action) -> bool {
        match action {
            Action::Back | Action::ClearFilter => !self.input.text().is_empty(),
            Action::GroupToggle => !self.arranged.groups.is_empty(),
            Action::PreviewToggle => self.width >= PREVIEW_FROM,
            Action::Open | Action::Copy | Action::SortNext => !self.entries.is_empty(),
            _ => true,
        }
    }

    /// Carries out an action.
    pub fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        let half = (self.page() / 2).max(1);
        let all = isize::try_from(self.entries.len()).unwrap_or(isize::MAX);
        let step = match action {
            Action::CursorDown => Some(1),
            Action::CursorUp => Some(-1),
            Action::PageDown => Some(self.page()),
            Action::PageUp => Some(-self.page()),
            Action::HalfPageDown => Some(half),
            Action::HalfPageUp => Some(-half),
            Action::First => Some(-all),
            Action::Last => Some(all),
            _ => None,
        };
        if let Some(step) = step {
            if matches!(action, Action::PageDown | Action::PageUp | Action::HalfPageDown | Action::HalfPageUp)
            {
                self.top = self.top.saturating_add_signed(step);
                self.top = self.top.min(self.entries.len().saturating_sub(usize::from(self.height.max(1))));
            }
            return Outcome::commands(self.moved(step, ctx));
        }
        match action {
            Action::Open => match self.entries.get(self.cursor) {
                Some(Entry::Task(_)) => Outcome::go(Go::OpenTask),
                Some(Entry::Group(_)) => self.toggle_group(ctx),
                None => Outcome::done(),
            },
            Action::Filter => {
                self.typing = true;
                Outcome::done()
            }
            Action::ClearFilter | Action::Back if !self.input.text().is_empty() => {
                self.input.clear();
                Outcome::commands(self.filter_changed(ctx))
            }
            Action::ClearFilter => Outcome::done(),
            Action::SortNext => {
                self.arrangement.sort = self.arrangement.sort.next();
                let mut outcome = Outcome::commands(self.arrange(ctx, Keep::Task));
                outcome.said = Some(Said::info(format!("sorted by {}", self.arrangement.sort.as_str())));
                outcome
            }
            Action::SortReverse => {
                self.arrangement.reversed = !self.arrangement.reversed;
                Outcome::commands(self.arrange(ctx, Keep::Task))
            }
            Action::GroupByNext => {
                self.arrangement.group_by = self.arrangement.group_by.next();
                self.collapsed.clear();
                let mut outcome = Outcome::commands(self.arrange(ctx, Keep::Task));
                outcome.said = Some(Said::info(match self.arrangement.group_by {
                    GroupBy::Nothing => "not grouped".to_owned(),
                    by => format!("gathered by {}", by.as_str()),
                }));
                outcome
            }
            Action::GroupToggle => self.toggle_group(ctx),
            Action::Collapse => self.set_group(true, ctx),
            Action::Expand => self.set_group(false, ctx),
            Action::CollapseAll if self.arranged.groups.is_empty() => nothing_grouped(),
            Action::CollapseAll => {
                if self.collapsed.is_empty() {
                    self.collapsed = self.arranged.groups.iter().map(|group| group.label.clone()).collect();
                } else {
                    self.collapsed.clear();
                }
                Outcome::commands(self.list_arrived(None, ctx))
            }
            Action::NextGroup | Action::PreviousGroup => {
                let forward = action == Action::NextGroup;
                let is_group = |entry: &Entry| matches!(entry, Entry::Group(_));
                let target = if forward {
                    let from = (self.cursor + 1).min(self.entries.len());
                    self.entries[from..].iter().position(is_group).map(|index| from + index)
                } else {
                    self.entries[..self.cursor.min(self.entries.len())].iter().rposition(is_group)
                };
                match target {
                    Some(target) => {
                        Outcome::commands(self.moved(target as isize - self.cursor as isize, ctx))
                    }
                    None => Outcome::said(Said::info("no further group; o groups the list")),
                }
            }
            Action::PreviewToggle => {
                self.preview.wanted = !self.preview.wanted;
                if self.preview.wanted && self.width < PREVIEW_FROM {
                    return Outcome::said(Said::info(format!("the preview needs {PREVIEW_FROM} columns")));
                }
                Outcome::commands(self.want_preview(ctx, true))
            }
            Action::PreviewDown => {
                self.preview.scroll(3);
                Outcome::done()
            }
            Action::PreviewUp => {
                self.preview.scroll(-3);
                Outcome::done()
            }
            Action::Copy => match self.current().map(|row| format!("{}/{}", row.dataset, row.id)) {
                Some(name) => Outcome::commands(vec![Cmd::Copy(name)]),
                None => Outcome::said(Said::info("no task on this line to copy")),
            },
            Action::CopyCommand => Outcome::commands(vec![Cmd::Copy(self.command(ctx))]),
            Action::Edit => match self.preview.current().and_then(|(loaded, view)| editor(loaded, view)) {
                Some(command) => Outcome::commands(vec![command]),
                None => Outcome::said(Said::info("Enter opens the task, and e there opens its file")),
            },
            _ => Outcome::ignored(),
        }
    }

    /// The command that prints what the screen shows.
    fn command(&self, ctx: &Context) -> String {
        let mut words = vec!["mendbench".to_owned(), "tasks".to_owned(), "list".to_owned()];
        words.extend(ctx.origin.arguments());
        match self.input.text().trim() {
            "" => {}
            // What begins with `-` would be taken for a flag of its own.
            filter if filter.starts_with('-') => words.push(format!("--filter={filter}")),
            filter => words.extend(["--filter".to_owned(), filter.to_owned()]),
        }
        let sort = match self.arrangement.sort {
            SortKey::Natural => None,
            SortKey::Id => Some("id"),
            SortKey::Title => Some("title"),
            SortKey::Language => Some("language"),
            SortKey::ErrorType => Some("type"),
            SortKey::Granularity => Some("granularity"),
            SortKey::Changed => Some("changed"),
        };
        words.extend(sort.into_iter().flat_map(|sort| ["--sort".to_owned(), sort.to_owned()]));
        if self.arrangement.reversed {
            words.push("--reverse".to_owned());
        }
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
    }

    /// The heading that the cursor is on or under: its line and its group's number.
    fn heading(&self) -> Option<(usize, usize)> {
        let upto = &self.entries[..(self.cursor + 1).min(self.entries.len())];
        let line = upto.iter().rposition(|entry| matches!(entry, Entry::Group(_)))?;
        match self.entries[line] {
            Entry::Group(number) => Some((line, number as usize)),
            Entry::Task(_) => None,
        }
    }

    fn toggle_group(&mut self, ctx: &mut Context) -> Outcome {
        let collapsed = self
            .heading()
            .and_then(|(_, number)| self.arranged.groups.get(number))
            .is_some_and(|group| self.collapsed.contains(&group.label));
        self.set_group(!collapsed, ctx)
    }

    fn set_group(&mut self, collapse: bool, ctx: &mut Context) -> Outcome {
        if self.arranged.groups.is_empty() {
            return nothing_grouped();
        }
        let Some((line, number)) = self.heading() else { return Outcome::done() };
        let Some(group) = self.arranged.groups.get(number) else { return Outcome::done() };
        let changed = if collapse {
            self.collapsed.insert(group.label.clone())
        } else {
            self.collapsed.remove(&group.label)
        };
        if changed {
            self.entries = self.arranged.entries(&self.collapsed);
        }
        if collapse {
            self.cursor = line;
        }
        self.keep_visible();
        Outcome::commands(self.want_preview(ctx, false))
    }
}

fn nothing_grouped() -> Outcome {
    Outcome::said(Said::info("nothing is grouped; o groups the list"))
}
