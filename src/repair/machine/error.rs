//! Why an event was not taken.
//!
//! Promises: the machine is as it was before; the message says what came, what was waited for and what to do.

use crate::repair::event::{Call, StopReason};
use uuid::Uuid;

/// An event that cannot follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// An event of another run or trajectory.
    #[error(
        "{event} belongs to trajectory {found}, not to {own}: feed a machine the events of its own trajectory"
    )]
    OtherTrajectory {
        /// The event.
        event: String,
        /// Its trajectory.
        found: Uuid,
        /// The machine's.
        own: Uuid,
    },
    /// A number that does not grow: the event came twice, or too late.
    #[error("{event} came after event {last}: events are fed once, in the order of their numbers")]
    OutOfOrder {
        /// The event.
        event: String,
        /// The number of the newest event before.
        last: u64,
    },
    /// Another turn than the one under way.
    #[error("{event} came while attempt {attempt}, turn {turn} is under way")]
    OtherTurn {
        /// The event.
        event: String,
        /// The attempt under way.
        attempt: u32,
        /// The turn under way.
        turn: u32,
    },
    /// A kind, or a call, that the step does not wait for.
    #[error("{event} came, and {waits_for} is waited for")]
    NotExpected {
        /// The event.
        event: String,
        /// What would fit.
        waits_for: String,
    },
    /// An answer to a request that is not the one under way.
    #[error("{event} answers request `{found}`, and {waits_for} is waited for")]
    OtherRequest {
        /// The event.
        event: String,
        /// Its request.
        found: String,
        /// What would fit.
        waits_for: String,
    },
    /// Data that contradict each other.
    #[error("{event} does not hold together: {why}")]
    Malformed {
        /// The event.
        event: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A reason that is not the machine's own and may not be given from outside.
    #[error("{event} stops with `{found}`, {}", match .due {
        Some(due) => format!("and the machine stops with `{due}`"),
        None => "which only the machine can find: from outside a trajectory ends with budget, cancelled or infrastructure".to_owned(),
    })]
    OtherReason {
        /// The event.
        event: String,
        /// Its reason.
        found: StopReason,
        /// The machine's, where it has one.
        due: Option<StopReason>,
    },
    /// Something a person cannot do at this point.
    #[error("{event} is not possible now: {why}")]
    NotNow {
        /// The event.
        event: String,
        /// Why.
        why: &'static str,
    },
    /// Nothing follows the end.
    #[error("{event} came after the trajectory had stopped ({reason})")]
    Over {
        /// The event.
        event: String,
        /// Why it had stopped.
        reason: StopReason,
    },
}

/// What a step waits for, in words.
pub(super) fn asked(call: Call, started: bool) -> String {
    let kind = if started { "answer-finished" } else { "request-started" };
    format!("{kind} of the call `{call}`")
}
