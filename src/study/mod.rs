//! Studies in a workspace: rounds are made, labels kept, phases ended, files exchanged.
//!
//! Promises: what is acknowledged is on disk; two processes as the same person lose nothing, for each appends only
//! where it has seen everything before; a stream is read only where `label::visible` lets the reader see it, so
//! that blindness does not depend on what prints it.
//! Leaves to others: the rules (`label`), statistics (`agreement`), words for people (`cli`, `tui`).
//!
//! | file | subject |
//! |---|---|
//! | `keep` | streams: reading and appending |
//! | `desk` | a round as one person sees it |
//! | `draft` | a round that is wanted: what its seed draws |
//! | `known` | training and gold items, as a file has them |
//! | `create` | new rounds, assignment |
//! | `labels` | answering, taking back, marks |
//! | `advance` | ends of phases, deviations, codebooks, names |
//! | `decide` | the arbitrator |
//! | `disputes` | what annotators differ on, as somebody may see it |
//! | `waiting` | what of a round waits for whom |
//! | `withdraw` | rounds that are taken back |
//! | `exchange` | label files: out, in, merged |
//! | `seal` | sealed files |
//! | `overview` | agreement and annotators, as far as they may be seen |
//! | `tables` | what of a round goes into tables |

mod advance;
mod create;
mod decide;
mod desk;
mod disputes;
mod draft;
mod error;
mod exchange;
mod keep;
mod known;
mod labels;
mod overview;
mod seal;
mod tables;
#[cfg(test)]
mod tests;
mod waiting;
mod withdraw;

pub use create::{NewRound, mark_seen};
pub use decide::{Choice, Question};
pub use desk::Desk;
pub use disputes::{Disputes, View};
pub use draft::{Candidate, Draft, Drawn, Preview, Source, any_seed, overlap};
pub use error::StudyError;
pub use exchange::{Contradiction, Taken, hidden_streams};
pub use keep::Studies;
pub use known::{KnownError, Pool, known_items};
pub use labels::{Entry, Saved, Writer};
pub use overview::Heads;
pub use seal::{KeyFile, SealedFile, seal_kind};
pub use tables::TableForm;
pub use waiting::{Brief, Waiting, Whole};
