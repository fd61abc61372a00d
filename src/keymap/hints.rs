//! What people see of the keys: footer, help, palette, pending prefix, README.
//!
//! Promises: made from the keys in force, so that nothing shown can differ from what a key does; a key
//! that another one hides is not shown.
//! Leaves to others: laying it out.

use super::defaults;
use super::{Action, Context, Group, Key, Keymap, Sequence};
use std::fmt::Write;

/// A hint in the footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What it does.
    pub action: Action,
    /// The key as it is written.
    pub key: String,
    /// In a word or two.
    pub label: &'static str,
}

/// A heading of the help and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpGroup {
    /// The heading.
    pub group: Group,
    /// Its lines.
    pub rows: Vec<HelpRow>,
}

/// A line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpRow {
    /// What it does.
    pub action: Action,
    /// All keys for it, as they are written.
    pub keys: Vec<String>,
}

/// A line of the command palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What it does.
    pub action: Action,
    /// The preferred key, if there is one.
    pub key: Option<String>,
}

/// A key that goes on from a pending prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// The rest of the sequence, as it is written.
    pub keys: String,
    /// What it leads to.
    pub action: Action,
}

/// A key that means one thing everywhere and another in a context: allowed, and worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadow {
    /// The context.
    pub context: Context,
    /// The key.
    pub key: String,
    /// What it means there.
    pub action: Action,
    /// What it means everywhere else.
    pub hidden: Action,
}

impl Keymap {
    /// Hints for the footer, the most useful first. `contexts` as for [`Keymap::lookup`]; `enabled` says
    /// whether an action would do something now.
    pub fn footer(&self, contexts: &[Context], enabled: impl Fn(Action) -> bool) -> Vec<Hint> {
        let mut hints: Vec<(u8, Hint)> = self
            .actions(contexts)
            .into_iter()
            .filter(|action| enabled(*action))
            .filter_map(|action| {
                let (label, rank) = action.footer()?;
                let key = self.keys_for(contexts, action).first()?.to_string();
                Some((rank, Hint { action, key, label }))
            })
            .collect();
        hints.sort_by_key(|(rank, _)| *rank);
        hints.into_iter().map(|(_, hint)| hint).collect()
    }

    /// The help for these contexts: every action that has a key, under its heading.
    pub fn help(&self, contexts: &[Context]) -> Vec<HelpGroup> {
        let actions = self.actions(contexts);
        let rows = |group| {
            let in_group = actions.iter().copied().filter(|action| action.group() == group);
            in_group
                .map(|action| HelpRow { action, keys: written(&self.keys_for(contexts, action)) })
                .filter(|row| !row.keys.is_empty())
                .collect::<Vec<_>>()
        };
        let groups = Group::ALL.into_iter().map(|group| HelpGroup { group, rows: rows(group) });
        groups.filter(|group| !group.rows.is_empty()).collect()
    }

    /// What the palette offers in these contexts, with keys or without.
    pub fn commands(&self, contexts: &[Context]) -> Vec<Command> {
        let offered = |action: &Action| !matches!(action, Action::Palette) && action.group() != Group::Typing;
        self.actions(contexts)
            .into_iter()
            .filter(offered)
            .map(|action| Command {
                action,
                key: self.keys_for(contexts, action).first().map(|key| key.to_string()),
            })
            .collect()
    }

    /// How the sequence begun with `pending` can go on.
    pub fn continuations(&self, contexts: &[Context], pending: &[Key]) -> Vec<Continuation> {
        let mut found = Vec::new();
        for action in self.actions(contexts) {
            for sequence in self.keys_for(contexts, action) {
                let rest = sequence.keys().strip_prefix(pending).filter(|rest| !rest.is_empty());
                if let (Some(rest), false) = (rest, pending.is_empty()) {
                    let keys = rest.iter().map(Key::to_string).collect::<Vec<_>>().join(" ");
                    found.push(Continuation { keys, action });
                }
            }
        }
        found.sort_by(|one, other| one.keys.cmp(&other.keys));
        found
    }

    /// Keys whose global meaning a context hides.
    pub fn shadows(&self) -> Vec<Shadow> {
        let mut found = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.context != Context::Global) {
            for sequence in &entry.keys {
                let hidden = self.reaches(&[Context::Global], sequence);
                if let Some(hidden) = hidden.filter(|hidden| *hidden != entry.action) {
                    let key = sequence.to_string();
                    found.push(Shadow { context: entry.context, key, action: entry.action, hidden });
                }
            }
        }
        found
    }

    /// The table as Markdown, for the README: one row per action and set of keys.
    pub fn markdown_table(&self) -> String {
        let mut rows: Vec<(Action, String, Vec<&'static str>)> = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.keys.is_empty()) {
            let keys = entry.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" ");
            match rows.iter_mut().find(|(action, known, _)| *action == entry.action && *known == keys) {
                Some((_, _, places)) => places.push(entry.context.title()),
                None => rows.push((entry.action, keys, vec![entry.context.title()])),
            }
        }
        let mut out = String::from("| keys | what they do | where |\n|---|---|---|\n");
        for group in Group::ALL {
            for (action, keys, places) in rows.iter().filter(|(action, _, _)| action.group() == group) {
                let keys = keys.replace('|', "\\|");
                let _ = writeln!(out, "| {keys} | {} | {} |", action.description(), places.join(", "));
            }
        }
        out
    }

    /// Every context with its actions and their keys, for `mendbench keys`.
    pub fn rows(&self) -> impl Iterator<Item = (Context, Action, Vec<String>)> {
        self.entries
            .iter()
            .map(|entry| (entry.context, entry.action, entry.keys.iter().map(Sequence::to_string).collect()))
    }

    /// Actions that do something in these contexts, each once, in the order of the table.
    fn actions(&self, contexts: &[Context]) -> Vec<Action> {
        let mut actions = Vec::new();
        for defaults::Row(action, places, _) in defaults::TABLE {
            if places.iter().any(|place| contexts.contains(place)) && !actions.contains(action) {
                actions.push(*action);
            }
        }
        actions
    }
}

fn written(keys: &[&Sequence]) -> Vec<String> {
    keys.iter().map(|key| key.to_string()).collect()
}
