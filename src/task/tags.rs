//! What was said about tasks in a round of labelling, joined to the list by the keys of tasks.
//!
//! Promises: plain data, looked up once for a row. Leaves to others: what may be seen of labels (`label::visible`);
//! whoever makes these holds nothing back and adds nothing.

use std::collections::HashMap;

/// What was said about one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tag {
    /// It is an item of one's own.
    pub mine: bool,
    /// It wants an answer.
    pub open: bool,
    /// It is flagged.
    pub flagged: bool,
    /// It has a note.
    pub noted: bool,
    /// It was put aside.
    pub skipped: bool,
    /// An answer was given before the codebook changed.
    pub stale: bool,
    /// One's own answers: question and value, in lower case.
    pub answers: Vec<(String, String)>,
    /// Questions on which annotators differ, in lower case; nothing while that may not be seen.
    pub contested: Vec<String>,
    /// Of one's own items: the questions that have an answer, and all that want one.
    pub answered: (u32, u32),
    /// One's own answers as the codebook writes them, in its order.
    pub said: Vec<String>,
    /// Of those who label it: how many have finished, and how many they are; only for who may see how far others are.
    pub finished: Option<(u32, u32)>,
}

/// What was said, by the key of the task in the catalogue.
pub type Tags = HashMap<u64, Tag>;

/// What a filter asks of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagTest {
    /// One's own, without an answer to everything.
    Unlabelled,
    /// One's own, complete.
    Labelled,
    /// Flagged.
    Flagged,
    /// With a note.
    Noted,
    /// Put aside.
    Skipped,
    /// Answered before the codebook changed.
    Stale,
    /// This answer to this question.
    Answer(String, String),
    /// Annotators differ on this question; none: on any.
    Contested(Option<String>),
}

impl TagTest {
    /// The words of states.
    pub const STATES: [&'static str; 6] = ["unlabelled", "labelled", "flagged", "noted", "skipped", "stale"];

    /// What `label:` asks for, in lower case; `None`: it is neither a state nor `question=answer`.
    pub fn label(value: &str) -> Option<TagTest> {
        if let Some((question, answer)) = value.split_once('=') {
            let both = !question.is_empty() && !answer.is_empty();
            return both.then(|| TagTest::Answer(question.to_owned(), answer.to_owned()));
        }
        match value {
            "unlabelled" | "unlabeled" => Some(TagTest::Unlabelled),
            "labelled" | "labeled" => Some(TagTest::Labelled),
            "flagged" => Some(TagTest::Flagged),
            "noted" => Some(TagTest::Noted),
            "skipped" => Some(TagTest::Skipped),
            "stale" => Some(TagTest::Stale),
            _ => None,
        }
    }

    /// Whether it holds of what was said about a task.
    pub fn holds(&self, tag: &Tag) -> bool {
        match self {
            TagTest::Unlabelled => tag.mine && tag.open,
            TagTest::Labelled => tag.mine && !tag.open,
            TagTest::Flagged => tag.flagged,
            TagTest::Noted => tag.noted,
            TagTest::Skipped => tag.skipped,
            TagTest::Stale => tag.stale,
            // Of several answers to one question one is enough.
            TagTest::Answer(question, wanted) => tag.answers.iter().any(|(asked, value)| {
                asked == question && (value == wanted || value.split(',').any(|one| one == wanted))
            }),
            TagTest::Contested(None) => !tag.contested.is_empty(),
            TagTest::Contested(Some(question)) => tag.contested.contains(question),
        }
    }
}
