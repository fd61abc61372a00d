//! Verification: build and tests of a candidate in a sandbox, and a report that can be trusted.
//!
//! [`verify`] carries out a [`VerifyRequest`] in this order, which is part of the contract (DESIGN §6):
//!
//! 1. reset: a new sandbox, with the tree of the request and nothing else;
//! 2. apply: the candidate's changes, allowed paths only; what is protected, or unsafe, is refused and noted;
//! 3. build: each command in turn, all within the time of the request;
//! 4. restore: protected files are laid anew, and additions that match protected patterns removed;
//! 5. hold: protected files cannot be changed while the tests run;
//! 6. run the tests, and parse what they print as it comes;
//! 7. judge: infrastructure, memory, time, signal, then the tests ([`crate::report::judge`]).
//!
//! [`Harness`] is what the front ends use: it makes requests of tasks, remembers verdicts and checks in the workspace.
//! Leaves to others: how code is held (`sandbox`), reading output (`report`), showing any of it (`cli`, `tui`).

pub mod analyse;
mod baseline;
mod blobs;
mod cache;
pub mod check;
mod guarded;
mod ladders;
pub mod many;
mod plan;
mod program;
mod report;
mod request;
mod seal;
mod stand;
mod toolchain;
mod verify;
mod watch;

pub use baseline::look as checked;
pub use blobs::{Blobs, Held};
pub use check::Check;
pub use ladders::{Choice, Ladders};
pub use plan::{Changes, Expected, PlanError, Version, plan};
pub use report::{RefusedChange, Step, VerifyReport};
pub use request::{ChangeEntry, Environment, FileEntry, HARNESS_VERSION, RequestId, VerifyRequest};
pub use seal::Seal;
pub use stand::{Ground, Grounds, Harness, Verified, VerifyError, Wanted};
pub use verify::verify;
pub use watch::{Cancel, Happening, State, Unwatched, Watcher};
