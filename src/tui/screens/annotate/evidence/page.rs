//! The pieces of evidence, and the words for them.
//!
//! Promises: the words of stored answers never change. Leaves to others: showing them.

use crate::keymap::Action;

/// A piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Page {
    /// The difference.
    #[default]
    Diff,
    /// The same, nothing folded.
    File,
    /// Message or issue.
    Message,
    /// The tests.
    Tests,
    /// What they wrote.
    Log,
    /// Context.
    Context,
    /// Stored feedback.
    Feedback,
    /// The guide of the codebook: no evidence.
    Guide,
}

impl Page {
    /// All of them in their order.
    pub const ALL: [Page; 8] = [
        Page::Diff,
        Page::File,
        Page::Message,
        Page::Tests,
        Page::Log,
        Page::Context,
        Page::Feedback,
        Page::Guide,
    ];

    /// The name on the screen, its key first, and the one where there is little room.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Page::Diff => ("Difference", "Diff"),
            Page::File => ("Whole file", "Whole"),
            Page::Message => ("Issue", "Issue"),
            Page::Tests => ("Tests", "Tests"),
            Page::Log => ("Output", "Output"),
            Page::Context => ("Context", "Context"),
            Page::Feedback => ("Feedback", "Feedback"),
            Page::Guide => ("How to label", "How"),
        }
    }

    /// The action that shows it.
    pub fn action(self) -> Action {
        match self {
            Page::Diff => Action::ShowChange,
            Page::File => Action::ShowFile,
            Page::Message => Action::ShowMessage,
            Page::Tests => Action::ShowTests,
            Page::Log => Action::ShowLog,
            Page::Context => Action::ShowContext,
            Page::Feedback => Action::ShowFeedback,
            Page::Guide => Action::ShowGuide,
        }
    }

    /// The word in stored answers; none for what is no evidence.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Page::Diff => Some("diff"),
            Page::File => Some("file"),
            Page::Message => Some("description"),
            Page::Tests => Some("tests"),
            Page::Log => Some("log"),
            Page::Context => Some("context"),
            Page::Feedback => Some("feedback"),
            Page::Guide => None,
        }
    }
}
