//! Messages of discussion and adjudication.

use crate::label::round::Round;
use uuid::Uuid;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// A round; `None`: the one that is meant where none was chosen.
    Open(Option<Uuid>),
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// The round that was asked for.
    Opened(Box<Round>),
}
