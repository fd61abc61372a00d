//! FeedbackEval JSON Lines: rows of faulty Python functions with stored feedback.
//!
//! Promises: all field-name generations of the dataset (HumanEval, CoderEval and SWE-bench rows); each
//! faulty instance is a task named `<row id>#<n>`, in the group of its row, with its feedback kept.
//! Code is kept byte for byte, except that a function cut out of a class is moved to the left margin
//! (CoderEval, SWE-bench), because reference and faulty code were cut at different depths; the meta key
//! `indentation` says what was taken away.
//! Leaves to others: results of runs (they have other rows), running the tests.

mod failure;
mod instance;
mod oracle;
mod python;
mod row;

use super::probe::Probe;
use super::rows::{ON, hand_over, read_rows};
use super::sink::Sink;
use super::skipped::Location;
use super::{Confidence, DatasetError, Format, Source};

/// The format of FeedbackEval's task files.
pub struct FeedbackEval;

const NAME: &str = "feedbackeval";

impl Format for FeedbackEval {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> &'static str {
        "FeedbackEval JSON Lines, plain or .gz, with rows of `false_results`"
    }

    fn detect(&self, probe: &Probe) -> Option<Confidence> {
        if probe.folder {
            return None;
        }
        probe.rows_of_keys().find_map(|keys| {
            let has = |name: &str| keys.iter().any(|key| key == name);
            let named = row::ID_KEYS.iter().any(|key| has(key));
            (named && has("false_results")).then_some(Confidence::Certain)
        })
    }

    fn read(&self, source: &Source<'_>, sink: &mut dyn Sink) -> Result<(), DatasetError> {
        read_rows(source, NAME, sink, |at, object, sink| {
            let (row, instances) = match row::parse(&at, object, source.bounds) {
                Ok(parsed) => parsed,
                Err(skipped) => return sink.skipped(skipped),
            };
            for (index, faulty) in instances.into_iter().enumerate() {
                let at = Location { instance: u32::try_from(index + 1).ok(), ..at.clone() };
                let task = instance::task(&row, index, faulty, &at, source);
                hand_over(task, &at, sink)?;
            }
            ON
        })
    }
}

#[cfg(test)]
mod tests;
