//! What a prompt shows beside the code that is to be repaired.
//!
//! Promises: `task`, `none`, `oracle` and `bm25:TOKENS` are printed and read back.
//! Leaves to others: finding the texts (callers), laying them out (`repair::prompt`).

use super::word::{UnknownWord, as_text, quoted, unknown, words};
use std::fmt;
use std::str::FromStr;

/// Most tokens of a retrieved context.
pub const MOST_TOKENS: u32 = 10_000_000;

/// Where the context of a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Context {
    /// What the task itself brings.
    #[default]
    Task,
    /// Nothing.
    None,
    /// What the reference change touches or uses: knowledge of where the fault lies.
    Oracle,
    /// Files of the tree that resemble the task's text, by BM25.
    Bm25 {
        /// Most tokens of it.
        tokens: u32,
    },
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Context::Task => f.write_str("task"),
            Context::None => f.write_str("none"),
            Context::Oracle => f.write_str("oracle"),
            Context::Bm25 { tokens } => write!(f, "bm25:{tokens}"),
        }
    }
}

impl FromStr for Context {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Context, UnknownWord> {
        let read = match text.split_once(':') {
            None if text == "task" => Some(Context::Task),
            None if text == "none" => Some(Context::None),
            None if text == "oracle" => Some(Context::Oracle),
            Some(("bm25", digits)) => digits
                .parse()
                .ok()
                .filter(|tokens: &u32| (1..=MOST_TOKENS).contains(tokens) && tokens.to_string() == digits)
                .map(|tokens| Context::Bm25 { tokens }),
            _ => None,
        };
        read.ok_or_else(|| {
            let name = text.split(':').next().unwrap_or(text);
            let mut error = unknown("context", name, ["task", "none", "oracle", "bm25"]);
            error.found = quoted(text);
            if error.nearest.as_deref() == Some("bm25") {
                error.nearest = Some("bm25:4000".to_owned());
            }
            error.known = format!("task, none, oracle, bm25:TOKENS with 1 to {MOST_TOKENS} tokens");
            error
        })
    }
}

as_text!(Context);

words! {
    /// Help that is given beside the request, each kind by its own wish.
    pub enum Hint as "hint" {
        /// Names or signatures of the components that a feature task adds.
        Components = "components",
        /// What was said beside the request before the change was made.
        Discussion = "discussion",
        /// The lines that the reference change touches.
        Location = "location",
    }
}
