//! The keys that no answer may have.
//!
//! Promises: what is reserved is what the keymap in force says.
//! Leaves to others: the keymap itself.

use crate::keymap::Keymap;
use std::collections::BTreeMap;

/// Characters, each with what it does in the workbench.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReservedKeys(BTreeMap<char, String>);

impl ReservedKeys {
    /// Nothing reserved: for codebooks that are not labelled with here, such as those of a bundle that is only
    /// read.
    pub fn none() -> ReservedKeys {
        ReservedKeys::default()
    }

    /// What the keymap in force needs for itself.
    pub fn of(keymap: &Keymap) -> ReservedKeys {
        let reserved = keymap.reserved_for_answers();
        ReservedKeys(
            reserved.into_iter().map(|(key, action)| (key, action.description().to_owned())).collect(),
        )
    }

    /// What a reserved key does.
    pub fn meaning(&self, key: char) -> Option<&str> {
        self.0.get(&key).map(String::as_str)
    }

    /// The small letters that are free, for messages.
    pub fn free(&self) -> String {
        ('a'..='z').filter(|key| !self.0.contains_key(key)).map(String::from).collect::<Vec<_>>().join(" ")
    }
}
