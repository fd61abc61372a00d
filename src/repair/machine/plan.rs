//! The rules that a machine goes by.
//!
//! Promises: everything of a cell that decides the order of things, and nothing else.

use crate::repair::cell::word::words;
use crate::repair::cell::{Cell, FeedbackSource, Strategy};
use crate::task::FeedbackKind;
use std::collections::BTreeSet;

words! {
    /// Rules to stop on that a run opts in to (`--stop-on`). They end the attempt.
    pub enum StopRule as "stop rule" {
        /// A turn gave code that the attempt had before, the buggy code included.
        Repeat = "repeat",
        /// A turn gave no usable code.
        NoCode = "no-code",
    }
}

/// Rules of the run, beside the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// What else to stop on.
    pub stop_on: BTreeSet<StopRule>,
    /// After how many failures of the infrastructure in a row, at the same step, the trajectory is given up;
    /// from 1. Waiting between them is the caller's.
    pub tries: u32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { stop_on: BTreeSet::new(), tries: 3 }
    }
}

/// The cell's part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub strategy: Strategy,
    /// `None`: prompts hold no feedback, so none is made.
    pub feedback: Option<FeedbackKind>,
    pub source: FeedbackSource,
    /// Preliminary calls before each prompt that is built anew.
    pub preliminary: u32,
    pub helper: String,
    pub rules: Rules,
}

impl Plan {
    pub fn new(cell: &Cell, rules: Rules) -> Plan {
        Plan {
            strategy: cell.strategy,
            feedback: cell.told(),
            source: cell.feedback_source,
            preliminary: cell.technique.preliminary_calls(),
            helper: cell.helper.clone().unwrap_or_else(|| cell.model.clone()),
            rules: Rules { tries: rules.tries.max(1), ..rules },
        }
    }

    /// Where feedback on a turn comes from: only the buggy code has a stored one.
    pub fn source_at(&self, turn: u32) -> FeedbackSource {
        if turn == 0 { self.source } else { FeedbackSource::Fresh }
    }
}
