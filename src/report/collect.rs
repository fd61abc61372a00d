//! Results as they are found, one per id, within bounds.
//!
//! Promises: an id that is reported more than once keeps its worst result, so that a printed `ok` never hides a
//! real failure; number and size of what is held are bounded, and a bound that was hit is said.
//! Leaves to others: reading results out of text.

use super::{Case, Report, Status};
use std::collections::HashMap;

/// Most tests in a report.
pub const MOST_CASES: usize = 200_000;
/// Longest id, in characters.
pub const LONGEST_ID: usize = 1_000;
/// Longest message, in characters.
pub const LONGEST_MESSAGE: usize = 2_000;
/// Most text held in ids and messages together, in bytes.
const MOST_TEXT: usize = 64 << 20;
/// Most notes and contradictions, each.
const MOST_NOTES: usize = 50;

/// Collects cases and remarks.
#[derive(Debug, Default)]
pub(super) struct Collector {
    cases: Vec<Case>,
    by_id: HashMap<String, usize>,
    text: usize,
    dropped: usize,
    repeated: usize,
    differing: Vec<String>,
    notes: Vec<String>,
    contradictions: Vec<String>,
}

impl Collector {
    /// Adds a result.
    pub(super) fn add(&mut self, id: &str, status: Status) {
        self.add_case(id, status, None, None);
    }

    /// A result that the runner tells once more, in a list of failures for instance: no repetition.
    pub(super) fn confirm(&mut self, id: &str, status: Status, message: Option<&str>) {
        let repeated = self.repeated;
        self.add_case(id, status, message, None);
        self.repeated = repeated;
    }

    /// Adds a result with what is known about it.
    pub(super) fn add_case(&mut self, id: &str, status: Status, message: Option<&str>, seconds: Option<f64>) {
        let id = cut(id.trim(), LONGEST_ID);
        if let Some(&place) = self.by_id.get(id) {
            let case = &mut self.cases[place];
            if case.status != status {
                let both = format!("{id} ({}, {})", case.status.as_str(), status.as_str());
                // A test that fails in its tear-down, too, is reported twice by honest runners.
                if self.differing.len() < 10 && case.status.is_failure() != status.is_failure() {
                    self.differing.push(both);
                }
            }
            self.repeated += 1;
            if status > case.status {
                case.status = status;
            }
            if case.seconds.is_none() {
                case.seconds = seconds;
            }
            if let Some(message) = message {
                self.explain(id, message);
            }
            return;
        }
        if self.cases.len() >= MOST_CASES || self.text > MOST_TEXT {
            self.dropped += 1;
            return;
        }
        self.text += 2 * id.len();
        self.by_id.insert(id.to_owned(), self.cases.len());
        self.cases.push(Case { id: id.to_owned(), status, message: None, seconds });
        if let Some(message) = message {
            self.explain(id, message);
        }
    }

    /// Says why a test ended as it did, unless that is known.
    pub(super) fn explain(&mut self, id: &str, message: &str) {
        let message = cut(message.trim(), LONGEST_MESSAGE);
        let Some(&place) = self.by_id.get(cut(id.trim(), LONGEST_ID)) else { return };
        if message.is_empty() || self.cases[place].message.is_some() || self.text > MOST_TEXT {
            return;
        }
        self.text += message.len();
        self.cases[place].message = Some(message.to_owned());
    }

    /// Replaces a message, when a better one is found.
    pub(super) fn explain_better(&mut self, id: &str, message: &str) {
        if let Some(&place) = self.by_id.get(id) {
            self.cases[place].message = None;
        }
        self.explain(id, message);
    }

    pub(super) fn cases(&self) -> &[Case] {
        &self.cases
    }

    pub(super) fn status(&self, id: &str) -> Option<Status> {
        self.by_id.get(cut(id.trim(), LONGEST_ID)).map(|place| self.cases[*place].status)
    }

    /// Something a reader should know.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(cut(&note.into(), LONGEST_MESSAGE).to_owned());
        }
    }

    /// Something that cannot be true together with the rest.
    pub(super) fn contradiction(&mut self, what: impl Into<String>) {
        if self.contradictions.len() < MOST_NOTES {
            self.contradictions.push(cut(&what.into(), LONGEST_MESSAGE).to_owned());
        }
    }

    /// The report, with the remarks on bounds.
    pub(super) fn report(mut self, complete: bool, planned: Option<usize>) -> Report {
        if self.dropped > 0 {
            self.note(format!(
                "{} results beyond the first {} were not kept: run the tests in parts",
                self.dropped,
                self.cases.len()
            ));
        }
        if self.repeated > 0 {
            self.note(format!("{} results repeat an id; the worst result of each counts", self.repeated));
        }
        for both in std::mem::take(&mut self.differing) {
            self.note(format!("reported with different results: {both}"));
        }
        Report {
            complete: complete && self.dropped == 0,
            cases: self.cases,
            planned,
            notes: self.notes,
            contradictions: self.contradictions,
            ..Report::default()
        }
    }
}

/// The first `most` characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}
