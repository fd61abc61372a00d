//! Messages of discussion and adjudication.

use crate::study::{Choice, Disputes, Entry};
use uuid::Uuid;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// The disputes of a round; `None`: of the one that is meant where none was chosen.
    Open(Option<Uuid>),
    /// The disputes of the round that was in hand, if it is not closed; else of one that waits for who looks, and only
    /// where none does of that in hand.
    Return(Option<Uuid>),
    /// Keeps a revised answer, with a note on the item where there is one.
    Revise {
        /// The round.
        round: Uuid,
        /// The answer.
        entry: Box<Entry>,
        /// The whole note on the item, where it changes.
        note: Option<String>,
    },
    /// Writes a note on an item.
    Note {
        /// The round.
        round: Uuid,
        /// The item.
        item: String,
        /// The whole note.
        text: String,
    },
    /// Takes the last revised answer back.
    TakeBack(Uuid),
    /// Decides a question.
    Decide {
        /// The round.
        round: Uuid,
        /// The decision.
        choice: Box<Choice>,
    },
    /// Sends an item back to its annotators.
    SendBack {
        /// The round.
        round: Uuid,
        /// The item.
        item: String,
        /// Why.
        why: String,
    },
    /// Takes the last decision, or sending back, back.
    TakeDecisionBack(Uuid),
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// The disputes as they are now.
    Opened(Box<Disputes>),
    /// Something is on disk: what, in words, and the disputes as they are since.
    Kept(String, Box<Disputes>),
}
