//! How often a model may try, and what it is shown when it tries again.
//!
//! Promises: `single`, `iterative:3` and `conversation:2x3` are printed and read back; counts are bounded.
//! Leaves to others: carrying it out (`repair::machine`).

use super::word::{UnknownWord, as_text, unknown};
use std::fmt;
use std::str::FromStr;

/// Most attempts, and most turns of an attempt.
pub const MOST_TURNS: u32 = 1_000;

/// A strategy (DESIGN §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// One attempt of one turn.
    Single,
    /// One attempt; each prompt is built anew from the newest applied code and its feedback.
    Iterative {
        /// Most turns, from 1.
        turns: u32,
    },
    /// Attempts that start at the buggy code; the turns of an attempt keep their messages.
    Conversation {
        /// Most attempts, from 1.
        attempts: u32,
        /// Most turns of each, from 1.
        turns: u32,
    },
}

impl Strategy {
    /// Most attempts.
    pub fn attempts(self) -> u32 {
        match self {
            Strategy::Single | Strategy::Iterative { .. } => 1,
            Strategy::Conversation { attempts, .. } => attempts,
        }
    }

    /// Most turns of one attempt.
    pub fn turns(self) -> u32 {
        match self {
            Strategy::Single => 1,
            Strategy::Iterative { turns } | Strategy::Conversation { turns, .. } => turns,
        }
    }

    /// Most turns of a trajectory.
    pub fn most_turns(self) -> u32 {
        self.attempts().saturating_mul(self.turns())
    }

    /// Whether the turns of an attempt keep their messages.
    pub fn keeps_messages(self) -> bool {
        matches!(self, Strategy::Conversation { .. })
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Single => f.write_str("single"),
            Strategy::Iterative { turns } => write!(f, "iterative:{turns}"),
            Strategy::Conversation { attempts, turns } => write!(f, "conversation:{attempts}x{turns}"),
        }
    }
}

impl FromStr for Strategy {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Strategy, UnknownWord> {
        let count = |digits: &str| match digits.parse::<u32>() {
            // `+3` and `03` would be second spellings.
            Ok(count) if (1..=MOST_TURNS).contains(&count) && count.to_string() == digits => Some(count),
            _ => None,
        };
        let (name, counts) = text.split_once(':').map_or((text, None), |(name, counts)| (name, Some(counts)));
        let read = match (name, counts) {
            ("single", None) => Some(Strategy::Single),
            ("iterative", Some(turns)) => count(turns).map(|turns| Strategy::Iterative { turns }),
            ("conversation", Some(counts)) => counts.split_once(['x', '×']).and_then(|(attempts, turns)| {
                Some(Strategy::Conversation { attempts: count(attempts)?, turns: count(turns)? })
            }),
            _ => None,
        };
        read.ok_or_else(|| {
            let mut error = unknown("strategy", name, ["single", "iterative", "conversation"]);
            error.found = super::word::quoted(text);
            error.nearest = match name {
                "iterative" => Some("iterative:3".to_owned()),
                "conversation" => Some("conversation:2x3".to_owned()),
                "single" => Some("single".to_owned()),
                _ => error.nearest,
            };
            error.known =
                format!("single, iterative:K, conversation:MxN, with counts from 1 to {MOST_TURNS}");
            error
        })
    }
}

as_text!(Strategy);
