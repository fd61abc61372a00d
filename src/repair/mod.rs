//! The rules of repair, without anything that happens outside: the loop as a machine over events, the prompts and
//! feedback that it tells a model, getting code out of the raw answer and laying it into the tree.
//!
//! Promises: pure, deterministic and bounded; hostile answers cost time in their length, not its square.
//! Leaves to others: asking models (`model`), running tests (`sandbox`, `harness`), keeping events (`store`), doing what
//! the machine wants (`runner`).
//!
//! | part | what it holds |
//! |---|---|
//! | [`cell`] | everything that can change an answer, with one id for equal settings |
//! | [`event`] | what happens in a loop: the one contract of screen, `--json`, store and replay |
//! | [`machine`] | durable events in, effects out; resuming is feeding what is stored |
//! | [`metrics`] | what trajectories came to, counted, each rate with its n |
//! | [`live`] | one trajectory as a screen shows it: states in words, "model or harness?" |
//! | [`prompt`] | messages from templates, techniques, examples, estimates |
//! | [`feedback`] | what a model is told about its newest code |
//! | [`extract`](mod@extract) | code out of an answer, with one outcome |
//! | [`apply`](mod@apply) | that code into the tree, with one outcome |
//! | [`template`] | the built-in baseline: one mutation of the buggy code a turn |

pub mod apply;
pub mod cell;
pub mod event;
pub mod extract;
pub mod feedback;
mod file;
mod find;
mod form;
pub mod live;
pub mod machine;
pub mod metrics;
mod outcome;
mod prediction;
pub mod prompt;
pub mod template;

pub use apply::{Application, apply};
pub use cell::{Cell, CellId};
pub use event::RunEvent;
pub use extract::{Extraction, Piece, PieceKind, Rival, extract};
pub use form::{Asked, Current, FinishReason, Form, Place, Policy};
pub use machine::{Effect, Machine};
pub use outcome::{ApplicationOutcome, ExtractionOutcome, Flag, Score};
pub use prediction::{Predicted, Prediction, predict};
