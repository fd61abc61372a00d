//! The built-in model `template`: generate and validate. Each turn it offers one small change of the buggy code at a
//! suspicious place, made by a mutation template. It is a baseline, and says so in every answer.
//!
//! Promises: pure and deterministic; sees the buggy tree, targets, protected patterns and language of a task and what
//! the tests reported, never the reference, the expected result, stored feedback, provenance or texts; every candidate
//! parses as well as the buggy code, differs from it, and comes once.
//! Leaves to others: streaming (`runner`), running tests (`harness`).
//!
//! | part | what it holds |
//! |---|---|
//! | `code` | what may be seen of a task, parsed, and the places where it may change |
//! | `evidence` | what failing tests give away |
//! | `operators`, `literals`, `names`, `calls`, `statements`, `guards` | the templates, by family |
//! | `order` | weights by suspicion, or by lot for comparison |
//! | `candidates` | one after the other, those that do not parse left out |
//! | `answer` | what is said, in the form that was asked for |
//!
//! The weights were set by what such faults are in general and by the faults of FeedbackEval's CoderEval half and of
//! Defects4C, never by its HumanEval half, on which the baseline is measured.

mod answer;
mod calls;
mod candidates;
mod code;
mod evidence;
mod guards;
mod literals;
mod mutation;
mod names;
mod operators;
mod order;
mod statements;

pub use answer::{CannotAnswer, answer};
pub use candidates::{Candidate, MOST_CANDIDATES, Order, candidates};
pub use evidence::Evidence;
pub use mutation::Template;

/// The name under which the baseline is asked for.
pub const NAME: &str = "template";
/// The name of the baseline that draws its mutations by lot, for comparison.
pub const RANDOM_NAME: &str = "template:random";
