//! The one table of keys: dispatch, footer, help, palette and README are all read from it.
//!
//! Promises: pure; a key means at most one thing in a context, and two meanings are an error that names both;
//! what people configured shows wherever keys are shown; keys that type a character do nothing else where
//! text is typed.
//! Leaves to others: reading keys and the configuration file (`tui`, `config`), carrying out actions (`tui`).
//!
//! A new action is a line in `action` and a line in `defaults`.

mod action;
mod context;
mod defaults;
mod error;
mod hints;
mod key;
mod overrides;
mod reserved;

#[cfg(test)]
mod tests;

pub use action::{Action, Group};
pub use context::Context;
pub use error::{KeymapError, Origin, Problem};
pub use hints::{Command, Continuation, HelpGroup, HelpRow, Hint, Shadow};
pub use key::{Key, KeyCode, KeyError, Sequence};

/// What a key does in a context, and who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    context: Context,
    action: Action,
    keys: Vec<Sequence>,
    origin: Origin,
}

/// The keys in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// In the order of the default table, which is the order of the help.
    entries: Vec<Entry>,
}

/// What a key press comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// This is to be done.
    Hit(Action),
    /// The start of a longer sequence: wait for the next key.
    Pending,
    /// Nothing is bound to it: a text field takes it if it types a character.
    None,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::new()
    }
}

impl Keymap {
    /// The keys as mendbench comes.
    pub fn new() -> Keymap {
        let mut entries = Vec::new();
        for defaults::Row(action, contexts, keys) in defaults::TABLE {
            // A test parses every key of the table, so that none is left out here.
            let keys: Vec<Sequence> = keys.iter().filter_map(|key| key.parse().ok()).collect();
            entries.extend(contexts.iter().map(|context| Entry {
                context: *context,
                action: *action,
                keys: keys.clone(),
                origin: Origin::Default,
            }));
        }
        Keymap { entries }
    }

    /// What `key` means after the keys in `pending`. `contexts` are those in force, the one that comes first
    /// in front: overlay, screen, global.
    pub fn lookup(&self, contexts: &[Context], pending: &[Key], key: Key) -> Lookup {
        let typing = contexts.first().is_some_and(|context| context.is_typing());
        if typing && pending.is_empty() && key.typed().is_some() {
            return Lookup::None;
        }
        for context in contexts {
            for entry in self.entries.iter().filter(|entry| entry.context == *context) {
                for sequence in entry.keys.iter().map(Sequence::keys) {
                    let rest = sequence.strip_prefix(pending).and_then(|rest| rest.strip_prefix(&[key]));
                    match rest {
                        Some([]) => return Lookup::Hit(entry.action),
                        Some(_) => return Lookup::Pending,
                        None => {}
                    }
                }
            }
        }
        Lookup::None
    }

    /// The keys of `action` that work in these contexts, the preferred one first.
    pub fn keys_for(&self, contexts: &[Context], action: Action) -> Vec<&Sequence> {
        contexts
            .iter()
            .flat_map(|context| self.entries.iter().filter(move |entry| entry.context == *context))
            .filter(|entry| entry.action == action)
            .flat_map(|entry| &entry.keys)
            .filter(|sequence| self.reaches(contexts, sequence) == Some(action))
            .collect()
    }

    /// What a whole sequence comes to.
    fn reaches(&self, contexts: &[Context], sequence: &Sequence) -> Option<Action> {
        let (last, before) = sequence.keys().split_last()?;
        for (length, key) in before.iter().enumerate() {
            if self.lookup(contexts, &before[..length], *key) != Lookup::Pending {
                return None;
            }
        }
        match self.lookup(contexts, before, *last) {
            Lookup::Hit(action) => Some(action),
            _ => None,
        }
    }

    /// Whether `key` does something in `context` or everywhere, alone or as the start of a sequence: codebooks
    /// ask this before they give a key to an answer.
    pub fn is_bound(&self, context: Context, key: Key) -> bool {
        self.lookup(&[context, Context::Global], &[], key) != Lookup::None
    }
}
