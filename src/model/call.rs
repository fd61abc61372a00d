//! One call: what it was given, and what has come of it.
//!
//! Promises: texts go through the redactor before anybody sees them; an estimate stands in where a server did not count.
//! Leaves to others: requests (`endpoint`).

use super::answer::{Received, Usage};
use super::budget::{Budget, Charge};
use super::error::ModelError;
use super::event::{ModelEvent, Timed};
use super::raw::{Incoming, RawStream};
use super::replay::replay;
use super::request::ChatRequest;
use super::secret::{Gate, Redactor};
use super::surroundings::Surroundings;
use crate::config::{Money, Prices, WireFormat};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a call is given beside its request.
pub struct Call<'a> {
    /// Ends it, and closes its connection.
    pub cancel: CancellationToken,
    /// What it may spend.
    pub budget: Budget,
    /// Hears what happens, as it happens.
    pub events: &'a mut (dyn FnMut(Timed) + Send),
}

/// What ends a call before its time.
pub struct Stop {
    cancel: CancellationToken,
    pub budget: Budget,
}

impl Stop {
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// Waits until the call must end; gives why.
    pub async fn stopped(&self) -> ModelError {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => ModelError::Cancelled,
            () = self.budget.over() => ModelError::Budget(self.budget.why_over()),
        }
    }

    /// Waits for something, unless the call must end.
    pub async fn during<T>(&self, future: impl Future<Output = T>) -> Result<T, ModelError> {
        tokio::select! {
            biased;
            error = self.stopped() => Err(error),
            value = future => Ok(value),
        }
    }
}

/// A call under way.
pub struct Run<'a> {
    call: Call<'a>,
    surroundings: &'a dyn Surroundings,
    redactor: &'a Redactor,
    format: WireFormat,
    began: Duration,
    prompt: u64,
    /// What has come.
    pub received: Received,
    /// Its bytes, as far as they have come.
    pub incoming: Incoming,
    /// Whether the last request may be billed though no answer came of it.
    pub billable: bool,
    text: Gate,
    reasoning: Gate,
    /// Bytes of text and reasoning.
    size: u64,
}

impl<'a> Run<'a> {
    pub fn new(
        call: Call<'a>,
        surroundings: &'a dyn Surroundings,
        redactor: &'a Redactor,
        format: WireFormat,
        request: &ChatRequest,
    ) -> Run<'a> {
        Run {
            format,
            call,
            surroundings,
            redactor,
            began: surroundings.now(),
            // Four bytes a token is what code and English come to.
            prompt: request.size() / 4 + 4 * request.messages.len() as u64,
            received: Received::nothing(surroundings.date()),
            incoming: Incoming::default(),
            billable: false,
            text: Gate::new(redactor),
            reasoning: Gate::new(redactor),
            size: 0,
        }
    }

    pub fn stop(&self) -> Stop {
        Stop { cancel: self.call.cancel.clone(), budget: self.call.budget.clone() }
    }

    pub fn now(&self) -> Duration {
        self.surroundings.now()
    }

    pub fn began(&self) -> Duration {
        self.began
    }

    fn offset(&self) -> Duration {
        self.now().saturating_sub(self.began)
    }

    pub fn emit(&mut self, event: ModelEvent) {
        let at = self.offset();
        (self.call.events)(Timed { at, event });
    }

    /// Time since `before` was spent waiting.
    pub fn waited(&mut self, before: Duration) {
        self.received.timing.waited += self.now().saturating_sub(before);
    }

    pub fn start_attempt(&mut self) {
        self.received.requests += 1;
        self.received.timing.sent = self.offset();
        self.received.timing.first_byte = None;
        self.incoming = Incoming::default();
        self.received.usage = None;
        self.billable = true;
    }

    /// Takes bytes of an answer; false: there is no room.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        let at = self.offset();
        if self.received.timing.first_byte.is_none() {
            self.received.timing.first_byte = Some(at);
            self.emit(ModelEvent::Started);
        }
        self.incoming.push(at, bytes)
    }

    pub fn text(&mut self, piece: &str) {
        self.token(piece);
        let shown = self.text.push(piece);
        self.show_text(shown);
    }

    pub fn reasoning(&mut self, piece: &str) {
        self.token(piece);
        let shown = self.reasoning.push(piece);
        self.show_reasoning(shown);
    }

    fn token(&mut self, piece: &str) {
        let at = self.offset();
        self.size += piece.len() as u64;
        let timing = &mut self.received.timing;
        timing.first_token.get_or_insert(at);
        timing.last_token = Some(at);
    }

    fn show_text(&mut self, text: String) {
        if !text.is_empty() {
            self.received.text.push_str(&text);
            self.emit(ModelEvent::Text { text });
        }
    }

    fn show_reasoning(&mut self, text: String) {
        if !text.is_empty() {
            self.received.reasoning.push_str(&text);
            self.emit(ModelEvent::Reasoning { text });
        }
    }

    /// Gives out what the gates still hold.
    pub fn flush(&mut self) {
        let (reasoning, text) = (self.reasoning.finish(), self.text.finish());
        self.show_reasoning(reasoning);
        self.show_text(text);
    }

    /// Whether any text or reasoning has come.
    pub fn has_begun(&self) -> bool {
        self.size > 0
    }

    /// Tokens of the prompt, estimated.
    pub fn prompt_tokens(&self) -> u64 {
        self.prompt
    }

    fn estimated(&self) -> Usage {
        Usage { input: self.prompt, output: self.size.div_ceil(4), ..Usage::default() }
    }

    /// Tokens of prompt and answer, counted or estimated.
    pub fn tokens(&self) -> u64 {
        let usage = self.received.usage.unwrap_or_else(|| self.estimated());
        usage.input.saturating_add(usage.output)
    }

    /// What the call costs so far, counted or estimated.
    pub fn estimate(&self, prices: &Prices) -> Money {
        self.received.usage.unwrap_or_else(|| self.estimated()).cost(prices)
    }

    /// What the call cost, once it is over.
    pub fn charge(&self, prices: Option<&Prices>, answered: bool) -> Charge {
        let cost = self.received.usage.map(|usage| match prices {
            Some(prices) => Some(usage.cost(prices)),
            None => usage.told_cost,
        });
        match (cost, prices) {
            (Some(Some(cost)), _) => Charge::Counted(cost),
            _ if !answered && !self.billable => Charge::Nothing,
            (_, Some(prices)) => Charge::Estimated(self.estimate(prices)),
            (_, None) => Charge::Unknown,
        }
    }

    /// The call is over.
    pub fn end(mut self) -> Received {
        self.flush();
        self.received.timing.ended = self.offset();
        // What does not come back whole is not kept.
        self.received.raw = std::mem::take(&mut self.incoming).finish().unwrap_or_default();
        self.received.raw.redact(self.redactor);
        if self.text.found() || self.reasoning.found() {
            let replayed = replay(&self.received.raw, self.format);
            if self.redactor.finds(&replayed.text) || self.redactor.finds(&replayed.reasoning) {
                self.received.raw = RawStream::default();
                self.received.quirks.raw_withheld = true;
            }
        }
        self.received
    }
}
