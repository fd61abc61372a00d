//! Feedback: what a model is told about its newest code.
//!
//! Promises: pure, bounded and equal from run to run: the same observation gives the same text, without times, paths,
//! addresses and escape sequences. Our own lines begin at the first column, what tests and compilers printed is
//! indented; a text from outside cannot pass for one of our headings. Every text says what it gives away.
//! Leaves to others: running tests and analysers (`harness`), asking the helper (`repair::prompt`), keeping texts.
//!
//! | kind | text | exposure |
//! |---|---|---|
//! | `compiler` | what the compiler and analyser found, errors first, with the lines | |
//! | `test` | how the tests ended, which failed and why, the lines that tell why | `test-output` |
//! | `minimal` | one sentence | |
//! | `llm-skilled` | a reviewer's words | |
//! | `llm-expert` | words of a reviewer with the reference at hand | `reference-text` |
//! | `mixed` | tests, compiler, expert and the sentence, each under its name | both |
//! | `human` | a person's words | `human` |
//!
//! An answer of which nothing could be used has feedback of its own ([`unusable`]), whatever the kind: it says why, that
//! the code is as before, and repeats what was said about that code.

mod cut;
mod observed;

#[cfg(test)]
mod tests;

pub use cut::bounded;
pub use observed::{Observed, compiler, test};

use super::event::{Exposure, Exposures};
use super::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::task::FeedbackKind;
use cut::clean;

/// A text and what it gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// The text, untrusted in parts.
    pub text: String,
    /// What it gives away.
    pub exposure: Exposures,
}

/// Longest texts, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Of what the tests say.
    pub test: usize,
    /// Of what the compiler says.
    pub compiler: usize,
    /// Of a reviewer's or a person's words, and of a stored text.
    pub words: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { test: 4_000, compiler: 2_000, words: 3_000 }
    }
}

/// Why there is no feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FeedbackError {
    /// The helper was not asked, or its words are missing.
    #[error("feedback `{0}` is written by a helper model, and its answer is not here: ask the helper first")]
    NoHelper(FeedbackKind),
    /// A person has said nothing.
    #[error("feedback `human` needs a person's words")]
    NoWords,
}

/// What feedback is made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What was seen of the code.
    pub observed: &'a Observed<'a>,
    /// The helper's answer, for the kinds that need one.
    pub helper: Option<&'a str>,
    /// A person's words.
    pub human: Option<&'a str>,
}

/// Feedback of a kind, made fresh.
///
/// # Errors
///
/// The helper's or a person's words are missing.
pub fn make(kind: FeedbackKind, source: Source<'_>, bounds: Bounds) -> Result<Feedback, FeedbackError> {
    let helper = || source.helper.ok_or(FeedbackError::NoHelper(kind));
    let text = match kind {
        FeedbackKind::Compiler => compiler(source.observed, bounds.compiler),
        FeedbackKind::Test => test(source.observed, bounds.test),
        FeedbackKind::Minimal => MINIMAL.to_owned(),
        FeedbackKind::LlmSkilled | FeedbackKind::LlmExpert => reviewer(helper()?, bounds.words),
        FeedbackKind::Mixed => mixed(source.observed, helper()?, bounds),
        FeedbackKind::Human => {
            let words = source.human.map(|words| bounded(clean(words).trim(), bounds.words));
            words.filter(|words| !words.is_empty()).ok_or(FeedbackError::NoWords)?
        }
    };
    Ok(Feedback { text, exposure: exposure_of(kind) })
}

/// Feedback that a dataset brings.
pub fn stored(kind: FeedbackKind, text: &str, bounds: Bounds) -> Feedback {
    let text = bounded(clean(text).trim(), bounds.words.max(bounds.test));
    Feedback { text, exposure: exposure_of(kind) }
}

/// What feedback of a kind gives away.
pub fn exposure_of(kind: FeedbackKind) -> Exposures {
    match kind {
        FeedbackKind::Compiler | FeedbackKind::Minimal | FeedbackKind::LlmSkilled => Exposures::new(),
        FeedbackKind::Test => [Exposure::TestOutput].into(),
        FeedbackKind::LlmExpert => [Exposure::ReferenceText].into(),
        FeedbackKind::Mixed => [Exposure::TestOutput, Exposure::ReferenceText].into(),
        FeedbackKind::Human => [Exposure::Human].into(),
    }
}

/// The whole of `minimal`.
pub const MINIMAL: &str = "This code is still wrong.";

/// A reviewer's words, without the reasoning before them.
fn reviewer(answer: &str, most: usize) -> String {
    let words = match answer.rfind("</think>") {
        Some(at) => answer.get(at + "</think>".len()..).unwrap_or_default(),
        None if answer.trim_start().starts_with("<think>") => "",
        None => answer,
    };
    let words = bounded(clean(words).trim(), most);
    if words.is_empty() { "The reviewer had nothing to say.".to_owned() } else { words }
}

fn mixed(observed: &Observed<'_>, helper: &str, bounds: Bounds) -> String {
    let parts = [
        ("Tests", test(observed, bounds.test)),
        ("Compiler and analyser", compiler(observed, bounds.compiler)),
        ("Reviewer", reviewer(helper, bounds.words)),
        ("In short", MINIMAL.to_owned()),
    ];
    let part = |(name, text): &(&str, String)| {
        // No line of a text looks like a heading.
        let lines = text.lines().map(|line| match line.starts_with("==") {
            true => format!(" {line}"),
            false => line.to_owned(),
        });
        format!("== {name} ==\n{}", lines.collect::<Vec<_>>().join("\n"))
    };
    parts.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// What a model is told about an answer of which nothing could be used. `earlier` is the feedback on the code that still
/// stands; what it gives away counts on.
pub fn unusable(
    extraction: ExtractionOutcome,
    application: Option<ApplicationOutcome>,
    earlier: Option<&Feedback>,
) -> Feedback {
    let why = match (application, extraction) {
        (Some(ApplicationOutcome::Rejected), _) => "its change does not fit the code",
        (_, ExtractionOutcome::NoCode) => "it holds no code",
        (_, ExtractionOutcome::Empty) => "it is empty",
        (_, ExtractionOutcome::Truncated) => "it breaks off before its code is complete",
        (_, ExtractionOutcome::Lazy) => "it leaves out a part of the code",
        (_, ExtractionOutcome::Refusal) => "it does not take up the request",
        (_, ExtractionOutcome::WrongTarget) => "its code is about something else than what was asked for",
        (_, ExtractionOutcome::Ambiguous) => "it holds several alternatives and does not choose",
        (_, ExtractionOutcome::Found) => "its code is not in the form that was asked for",
    };
    let mut text =
        format!("The last answer could not be used: {why}. Nothing was changed, and the code is as before.");
    if let Some(earlier) = earlier {
        text.push_str("\n\nWhat was said about that code:\n\n");
        text.push_str(said(&earlier.text));
    }
    Feedback { text, exposure: earlier.map(|earlier| earlier.exposure.clone()).unwrap_or_default() }
}

/// Feedback on code, without what was said about unusable answers since.
fn said(text: &str) -> &str {
    const BEFORE: &str = "The last answer could not be used: ";
    const AFTER: &str = "What was said about that code:\n\n";
    match text.strip_prefix(BEFORE).and_then(|rest| rest.split_once(AFTER)) {
        Some((_, earlier)) => earlier,
        None => text,
    }
}
