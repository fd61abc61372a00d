//! Messages of the desk of the lead.

use crate::label::assign::Plan;
use crate::label::item::Item;
use crate::label::phase::Phase;
use crate::study::{Brief, Draft, Drawn, Pool, Preview, Whole};
use uuid::Uuid;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// All rounds in short.
    List,
    /// A round with everything about it.
    Desk(Uuid),
    /// The methods paragraph of a round.
    Methods(Uuid),
    /// Ends the phase of a round.
    Advance {
        /// The round.
        round: Uuid,
        /// The phase that begins.
        to: Phase,
        /// Whether it is ended though work is missing.
        force: bool,
    },
    /// Takes a round back.
    Withdraw(Uuid),
    /// What an assignment would be.
    Queues(Uuid, Plan, usize),
    /// Says who labels what, and how many items come twice.
    Assign(Uuid, Plan, usize),
    /// What a draft comes to, given what it is drawn from.
    Preview(Box<Draft>, Pool),
    /// What a draft draws, to be read and made.
    Draw(Box<Draft>, Pool),
    /// Makes the round of a draft.
    Make(Box<Draft>, Box<Drawn>, Vec<Item>),
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// All rounds, newest first, what could not be read, and who one is.
    Listed {
        /// The rounds.
        rounds: Vec<Brief>,
        /// What could not be read, in words.
        problems: Vec<String>,
        /// Who one is.
        name: String,
        /// A seed for a round that is to be made.
        seed: u64,
    },
    /// A round with everything about it.
    Desk(Box<Whole>),
    /// The methods paragraph of a round.
    Methods(String),
    /// The phase has ended.
    Advanced(Box<Whole>),
    /// The round was taken back: what to say of it.
    Withdrawn(String),
    /// What each annotator would label.
    Queues(Vec<(String, usize)>),
    /// Who labels what was written down.
    Assigned(Box<Whole>),
    /// What a draft comes to.
    Preview(Box<Preview>),
    /// What a draft draws.
    Drawn(Box<Draft>, Box<Drawn>),
    /// A round was made.
    Made(Uuid),
}
