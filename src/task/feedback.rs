//! The kinds of feedback a model can be told.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a model is told about its last answer (the six kinds of FeedbackEval, and a person's).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedbackKind {
    /// Diagnostics of a compiler or static analyser.
    Compiler,
    /// Output of the tests.
    Test,
    /// One fixed sentence that something is wrong.
    Minimal,
    /// A reviewer's words without knowledge of the reference.
    LlmSkilled,
    /// A reviewer's words with the reference at hand.
    LlmExpert,
    /// Test, compiler, minimal and expert together.
    Mixed,
    /// A person's words.
    Human,
}

impl FeedbackKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [FeedbackKind; 7] = [
        FeedbackKind::Compiler,
        FeedbackKind::Test,
        FeedbackKind::Minimal,
        FeedbackKind::LlmSkilled,
        FeedbackKind::LlmExpert,
        FeedbackKind::Mixed,
        FeedbackKind::Human,
    ];

    /// The name used in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            FeedbackKind::Compiler => "compiler",
            FeedbackKind::Test => "test",
            FeedbackKind::Minimal => "minimal",
            FeedbackKind::LlmSkilled => "llm-skilled",
            FeedbackKind::LlmExpert => "llm-expert",
            FeedbackKind::Mixed => "mixed",
            FeedbackKind::Human => "human",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<FeedbackKind> {
        FeedbackKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for FeedbackKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
