//! The characters that no codebook may give to an answer.
//!
//! Promises: made from the keys in force, so that a key that somebody moved is free again, and the one that it
//! was moved to is not.
//! Leaves to others: the keys of answers themselves (`label::codebook`).
//!
//! What labelling itself has a key for keeps it, and so does what holds everywhere. The keys that move about in a
//! difference and from one task to the next are kept too, so that hands need not learn them twice; not those of
//! searching (`n`), for yes and no are the most asked-for answers. Digits belong to answers whatever they do elsewhere.

use super::{Action, Context, Group, KeyCode, Keymap};

/// Moving about that answers may take the keys of.
const GIVEN_UP: [Action; 4] =
    [Action::NextMatch, Action::PreviousMatch, Action::NextMark, Action::PreviousMark];

impl Keymap {
    /// Each reserved character with what it does, in order; of a sequence as `g t` the first key.
    pub fn reserved_for_answers(&self) -> Vec<(char, Action)> {
        let keeps = |context: Context, action: Action| match context {
            Context::Global | Context::Annotate => true,
            Context::Diff => action.group() == Group::Movement && !GIVEN_UP.contains(&action),
            Context::Task => matches!(action, Action::NextTask | Action::PreviousTask),
            _ => false,
        };
        let mut reserved: Vec<(char, Action)> = Vec::new();
        for entry in self.entries.iter().filter(|entry| keeps(entry.context, entry.action)) {
            for sequence in &entry.keys {
                let Some(first) = sequence.keys().first() else { continue };
                let typed = match first.code() {
                    KeyCode::Char(_) => first.typed(),
                    _ => None,
                };
                if let Some(typed) = typed.filter(|typed| !typed.is_ascii_digit()) {
                    reserved.push((typed, entry.action));
                }
            }
        }
        reserved.sort_by_key(|(typed, _)| *typed);
        reserved.dedup_by_key(|(typed, _)| *typed);
        reserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_everywhere_and_what_moves_about_is_reserved() {
        let reserved: String = Keymap::new().reserved_for_answers().iter().map(|(typed, _)| *typed).collect();
        assert_eq!(reserved, " !*+-/:=?BCDEFGHIJLMNOPRSTVWXYZ[]ghjklq{}");
    }

    #[test]
    fn keys_that_somebody_moved_are_free_again() {
        let moved = Keymap::new().with_overrides("config.toml", "[keys.global]\nquit = [\"Q\"]\n");
        let reserved = moved.map(|keymap| keymap.reserved_for_answers()).unwrap_or_default();
        assert!(reserved.contains(&('Q', Action::Quit)), "{reserved:?}");
        assert!(!reserved.iter().any(|(typed, _)| *typed == 'q'), "{reserved:?}");
    }
}
