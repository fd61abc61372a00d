//! Messages about studies: what is asked of them, and what comes back.
//!
//! Promises: plain data. What changes something is carried out in the order in which it was asked; an answer carries
//! the ticket of its request. Leaves to others: carrying it out (`runtime::study`), the screens.

pub mod agreement;
pub mod annotate;
pub mod discuss;
pub mod rounds;

/// What is asked of the studies of the workspace, by the screen that asks.
#[derive(Debug)]
pub enum Ask {
    /// Labelling.
    Annotate(annotate::Ask),
    /// Discussion and adjudication.
    Discuss(discuss::Ask),
    /// Agreement.
    Agreement(agreement::Ask),
    /// The desk of the lead.
    Rounds(rounds::Ask),
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// To labelling.
    Annotate(annotate::Told),
    /// To discussion and adjudication.
    Discuss(discuss::Told),
    /// To agreement.
    Agreement(agreement::Told),
    /// To the desk of the lead.
    Rounds(rounds::Told),
    /// It could not be done, and why, in words.
    Refused(String),
}
