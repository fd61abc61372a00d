//! Models: one trait, a stream of events with the times of their arrival, the raw bytes kept.
//!
//! Promises: a call is visible from its first wait to its last token; an answer is complete or an error, never something in
//! between; keys are in no log, record or error; nothing is spent past the budget. Leaves to others: what is asked and what
//! answers mean (`repair`), storing events and starting over (`runner`), settings (`config`).
//!
//! Follow one call: [`Connections::model`] makes an `Endpoint` → `complete` reserves from the [`Budget`] → `limiter` gives
//! the key's next turn → `endpoint` sends the request and feeds the bytes to the `wire`'s reader → pieces go through the
//! redactor (`secret`) into events and the answer → the budget is settled.

mod answer;
mod budget;
mod call;
mod client;
mod connections;
mod endpoint;
mod error;
mod event;
mod key;
mod limiter;
mod openai_chat;
mod raw;
mod replay;
mod request;
mod retry;
mod said;
mod secret;
mod sse;
mod surroundings;
mod think;
mod wire;

#[cfg(test)]
mod openai_chat_tests;

pub use answer::{Answer, Failed, Finish, Quirks, Received, Timing, Usage};
pub use budget::{Budget, BudgetError, Sums};
pub use call::Call;
pub use connections::Connections;
pub use error::{Fault, Limit, ModelError, NoConnection};
pub use event::{ModelEvent, Timed, Why};
pub use key::Variables;
pub use raw::{Frame, RawStream};
pub use replay::{Replayed, replay};
pub use request::{ChatRequest, Message, Role};
pub use surroundings::{Machine, ManualTime, Surroundings};
pub use tokio_util::sync::CancellationToken;

use futures_util::future::BoxFuture;

/// Something that answers.
pub trait Model: Send + Sync {
    /// Its name for mendbench.
    fn name(&self) -> &str;

    /// Asks for one answer. A request that fails before anything of an answer has come is made again, visibly; one that
    /// fails later gives what has come, and is not.
    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest,
        call: Call<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>>;
}

/// Whether a model's key can be read, without keeping it.
pub fn check_key(
    settings: &crate::config::ModelSettings,
    variables: Variables<'_>,
) -> Result<(), ModelError> {
    key::read(settings, variables).map(|_| ())
}
