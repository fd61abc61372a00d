//! A model behind an address: one call, with its waits, its tries and its limits of time.
//!
//! Promises: a request is made again only as long as nothing of an answer has come; what has come of an answer that fails is
//! kept and never joined to another; every wait is bounded and told; cancelling, or a budget that is used up, ends the call
//! at once and closes its connection; the budget is settled however the call ends. Leaves to others: what bytes mean
//! (`wire`), starting over after a part of an answer (`runner`).

use super::answer::{Answer, Failed, Finish};
use super::budget::{Charge, Reservation, Worst};
use super::call::{Call, Run, Stop};
use super::client::{client, innermost, send_failure};
use super::error::{Limit, ModelError, NoConnection};
use super::event::{ModelEvent, Why};
use super::limiter::Limiter;
use super::request::ChatRequest;
use super::retry;
use super::said::Said;
use super::secret::{Redactor, Secret};
use super::surroundings::Surroundings;
use super::wire::{End, Piece, Wire, wire};
use super::{Model, raw};
use crate::config::ModelSettings;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most bytes that are read of an answer that is no stream.
const MOST_OF_AN_ERROR: usize = 256 << 10;

/// Tokens of an answer that are counted against a key's limit where no length was asked for.
const USUAL_LENGTH: u64 = 1024;

/// A model behind an address.
pub struct Endpoint {
    settings: ModelSettings,
    url: Url,
    http: reqwest::Client,
    headers: HeaderMap,
    redactor: Redactor,
    wire: Box<dyn Wire>,
    limiter: Arc<Limiter>,
    surroundings: Arc<dyn Surroundings>,
}

impl Endpoint {
    /// The model with these settings and this key.
    pub fn new(
        settings: ModelSettings,
        key: Option<&Secret>,
        limiter: Arc<Limiter>,
        surroundings: Arc<dyn Surroundings>,
    ) -> Result<Endpoint, ModelError> {
        let wrong = |why: &str| ModelError::Settings { model: settings.name.clone(), why: why.to_owned() };
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let name = HeaderName::try_from(name).map_err(|_| wrong("a name in `headers` is no header"))?;
            let value =
                HeaderValue::try_from(value).map_err(|_| wrong("a value in `headers` is no header"))?;
            headers.insert(name, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(key) = key {
            let (name, value) = match &settings.key_header {
                Some(name) => (HeaderName::try_from(name), HeaderValue::try_from(key.reveal())),
                None => (Ok(AUTHORIZATION), HeaderValue::try_from(format!("Bearer {}", key.reveal()))),
            };
            let name = name.map_err(|_| wrong("`key_header` is no header"))?;
            let mut value = value.map_err(|_| wrong("the key cannot be sent in a header"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let wire = wire(settings.wire);
        let mut url = settings.address.clone();
        url.set_path(&format!("{}{}", url.path().trim_end_matches('/'), wire.path()));
        Ok(Endpoint {
            http: client(&settings)?,
            url,
            headers,
            redactor: Redactor::new(key),
            wire,
            limiter,
            surroundings,
            settings,
        })
    }

    /// One call: its turn, its tries, its cost.
    async fn call(&self, request: &ChatRequest, run: &mut Run<'_>) -> Result<Finish, ModelError> {
        let stop = run.stop();
        if stop.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let body = self.wire.body(&self.settings, request).to_string();
        let worst = self.worst(request);
        let (budget, name) = (stop.budget.clone(), self.settings.name.as_str());
        let before = run.now();
        let mut reservation = {
            let mut wait = || run.emit(ModelEvent::Waiting { why: Why::Budget, until: None });
            tokio::select! {
                biased;
                () = stop.cancelled() => return Err(ModelError::Cancelled),
                reservation = budget.reserve(name, worst, &mut wait) => reservation?,
            }
        };
        run.waited(before);
        let result = self.tries(request, &body, run, &stop, &mut reservation).await;
        let charge = run.charge(self.settings.prices.as_ref(), result.is_ok());
        reservation.settle(charge);
        run.received.cost = match charge {
            Charge::Counted(money) | Charge::Estimated(money) => Some(money),
            Charge::Unknown | Charge::Nothing => None,
        };
        result
    }

    /// The worst that this request can cost.
    fn worst(&self, request: &ChatRequest) -> Worst {
        let length = self.settings.longest_answer(&request.decoding);
        match (&self.settings.prices, length) {
            (None, _) => Worst::NoPrice,
            (Some(_), None) => Worst::NoLength,
            (Some(prices), Some(length)) => {
                // Tokens of code are rarely shorter than two bytes; each message has its frame.
                let prompt = request.size() / 2 + 16 * request.messages.len() as u64;
                Worst::Known(prices.input.for_tokens(prompt).plus(prices.output.for_tokens(length)))
            }
        }
    }

    async fn tries(
        &self,
        request: &ChatRequest,
        body: &str,
        run: &mut Run<'_>,
        stop: &Stop,
        reservation: &mut Reservation,
    ) -> Result<Finish, ModelError> {
        let decoding = self.settings.decoding.with(&request.decoding);
        let tokens = run.prompt_tokens() + decoding.max_tokens.unwrap_or(USUAL_LENGTH);
        let mut left = retry::LONGEST_WAIT;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let before = run.now();
            let turn = {
                let began = run.began();
                let mut wait = |why, until: Option<Duration>| {
                    let until = until.map(|until| until.saturating_sub(began));
                    run.emit(ModelEvent::Waiting { why, until });
                };
                tokio::select! {
                    biased;
                    error = stop.stopped() => return Err(error),
                    turn = self.limiter.turn(tokens, &mut wait) => turn,
                }
            };
            run.waited(before);
            let result = self.attempt(body, run, stop, reservation).await;
            turn.settle(run.tokens());
            drop(turn);
            let error = match result {
                Ok(finish) => return Ok(finish),
                Err(error) => error,
            };
            let (before, chance) = (run.now(), self.surroundings.random());
            let asked = error.retry_after().map(|asked| retry::spread(asked, chance));
            if let Some(asked) = asked.filter(|asked| *asked <= retry::LONGEST_WAIT) {
                // Whether this call goes on or not: the others need not find out by themselves.
                self.limiter.pause(before + asked);
            }
            let after = asked.unwrap_or_else(|| retry::back_off(attempt, chance));
            if !is_retried(&error) || run.has_begun() || attempt > self.settings.retries || after > left {
                return Err(error);
            }
            left -= after;
            run.emit(ModelEvent::Retrying { attempt, after, why: error.to_string() });
            stop.during(self.surroundings.until(before + after)).await?;
            run.waited(before);
        }
    }

    /// One request and what comes back.
    async fn attempt(
        &self,
        body: &str,
        run: &mut Run<'_>,
        stop: &Stop,
        reservation: &mut Reservation,
    ) -> Result<Finish, ModelError> {
        run.start_attempt();
        run.emit(ModelEvent::Connecting);
        let timeouts = &self.settings.timeouts;
        let sent = run.now();
        let clock = Clock {
            surroundings: self.surroundings.as_ref(),
            stop,
            total: (sent + timeouts.total, timeouts.total),
        };
        let sending =
            self.http.post(self.url.clone()).headers(self.headers.clone()).body(body.to_owned()).send();
        let first_byte = (Limit::FirstByte, sent + timeouts.first_byte, timeouts.first_byte);
        let mut response = match clock.race(first_byte, sending).await? {
            Ok(response) => response,
            Err(error) => {
                run.billable = false;
                let error = send_failure(&error, &self.settings, &self.redactor);
                run.received.unsent += u32::from(!is_sent(&error));
                return Err(error);
            }
        };
        let status = response.status();
        if !status.is_success() {
            run.billable = false;
            return Err(self.refusal(response, &clock).await);
        }
        let mut reader = self.wire.reader();
        let mut limit = first_byte;
        let mut sniffed = false;
        let cut = loop {
            let bytes = match clock.race(limit, response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => break None,
                Ok(Err(error)) => break Some(ModelError::BrokenStream { why: innermost(&error) }),
                Err(error) => break Some(error),
            };
            if !run.take(&bytes) {
                break Some(ModelError::TooLarge { most: raw::MOST });
            }
            let now = run.now();
            limit = (Limit::Idle, now + timeouts.idle, timeouts.idle);
            if !sniffed {
                match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    None => continue,
                    // No line of a stream begins like this; JSON and web pages do.
                    Some(b'{' | b'[' | b'<') => {
                        return Err(self.not_a_stream(run, &mut response, &clock).await);
                    }
                    Some(_) => sniffed = true,
                }
            }
            let mut pieces = Vec::new();
            let pushed = reader.push(&bytes, &mut |piece| pieces.push(piece));
            if let Some(error) = self.take(pieces, run, reservation) {
                break Some(error);
            }
            if let Err(unreadable) = pushed {
                let line = self.redactor.text(&unreadable.line);
                let line = crate::text::truncate(&line, 200).into_owned();
                break Some(ModelError::Protocol { why: unreadable.why, line });
            }
            if reader.is_over() {
                // What is there already is read, so that the connection can be used again.
                for _ in 0..16 {
                    let Some(Ok(Some(bytes))) = response.chunk().now_or_never() else { break };
                    if !run.take(&bytes) || reader.push(&bytes, &mut |_| {}).is_err() {
                        break;
                    }
                }
                break None;
            }
        };
        let mut pieces = Vec::new();
        let (end, quirks) = reader.finish(&mut |piece| pieces.push(piece));
        let failed = self.take(pieces, run, reservation);
        run.received.quirks = quirks;
        run.flush();
        match (cut, end) {
            // The terminal event was there: what happened to the connection afterwards does not matter.
            (
                None | Some(ModelError::BrokenStream { .. } | ModelError::Timeout { .. }),
                End::Complete(finish),
            ) if failed.is_none() => {
                let finish = match finish {
                    Finish::Other(word) => Finish::Other(self.redactor.text(&word).into_owned()),
                    known => known,
                };
                run.emit(ModelEvent::Finished { finish: finish.clone() });
                Ok(finish)
            }
            (Some(error), _) => Err(error),
            (None, end) => Err(failed.unwrap_or_else(|| {
                let missing = match end {
                    End::Broken(why) => why,
                    End::Complete(_) => "it failed at its end",
                };
                ModelError::BrokenStream { why: missing.to_owned() }
            })),
        }
    }

    /// Takes what a stream said; gives the failure that ends the call, if there is one.
    fn take(
        &self,
        pieces: Vec<Piece>,
        run: &mut Run<'_>,
        reservation: &mut Reservation,
    ) -> Option<ModelError> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => run.text(&text),
                Piece::Reasoning(text) => run.reasoning(&text),
                Piece::Usage(usage) => {
                    run.received.usage = Some(usage);
                    run.emit(ModelEvent::Usage { usage });
                }
                Piece::Model(name) => run.received.model = Some(self.redactor.text(&name).into_owned()),
                Piece::Id(id) => run.received.id = Some(self.redactor.text(&id).into_owned()),
                Piece::Error(said) => {
                    let wait = retry::asked(&HeaderMap::new(), &said.message, self.surroundings.date());
                    return Some(said.error(None, wait, &self.settings.model, &self.redactor));
                }
            }
        }
        let prices = self.settings.prices.as_ref()?;
        reservation.raise(run.estimate(prices)).err().map(ModelError::Budget)
    }

    /// What an answer with a status of failure says.
    async fn refusal(&self, mut response: reqwest::Response, clock: &Clock<'_>) -> ModelError {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        if let Err(error) = self.rest(&mut response, clock, &mut body).await {
            return error;
        }
        let mut said = Said::in_body(&body);
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or("nowhere");
            said = Said {
                message: format!(
                    "it redirects to {to}, which is not followed: put the right address into models.toml"
                ),
                code: String::new(),
            };
        }
        let wait = retry::asked(&headers, &said.message, self.surroundings.date());
        said.error(Some(status.as_u16()), wait, &self.settings.model, &self.redactor)
    }

    /// What an answer says that is no stream though it should be one.
    async fn not_a_stream(
        &self,
        run: &mut Run<'_>,
        response: &mut reqwest::Response,
        clock: &Clock<'_>,
    ) -> ModelError {
        let mut body = run.incoming.bytes().unwrap_or_default();
        let kept = body.len();
        if let Err(error) = self.rest(response, clock, &mut body).await {
            return error;
        }
        // There is room for it: it is bounded far below.
        let _ = run.take(body.get(kept..).unwrap_or_default());
        let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
        let is_answer = |value: &serde_json::Value| {
            value.get("choices").is_some_and(serde_json::Value::is_array)
                && value.get("error").is_none_or(serde_json::Value::is_null)
        };
        match json {
            Some(value) if is_answer(&value) => {
                ModelError::NotAStream { found: "the whole answer as one JSON object".to_owned() }
            }
            Some(value) => {
                run.billable = false;
                Said::in_json(&value).error(Some(200), None, &self.settings.model, &self.redactor)
            }
            None => {
                run.billable = false;
                ModelError::NotAStream { found: Said::in_body(&body).shown(&self.redactor) }
            }
        }
    }

    /// Reads on to the end, or to a bound; a connection that breaks is an end too.
    async fn rest(
        &self,
        response: &mut reqwest::Response,
        clock: &Clock<'_>,
        body: &mut Vec<u8>,
    ) -> Result<(), ModelError> {
        let idle = self.settings.timeouts.idle;
        while body.len() < MOST_OF_AN_ERROR {
            let limit = (Limit::Idle, self.surroundings.now() + idle, idle);
            match clock.race(limit, response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                Ok(_) | Err(ModelError::Timeout { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        body.truncate(MOST_OF_AN_ERROR);
        Ok(())
    }
}

impl Model for Endpoint {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest,
        call: Call<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>> {
        Box::pin(async move {
            let mut run =
                Run::new(call, self.surroundings.as_ref(), &self.redactor, self.settings.wire, request);
            let result = self.call(request, &mut run).await;
            let received = run.end();
            match result {
                Ok(finish) => Ok(Answer { finish, received }),
                Err(error) => Err(Box::new(Failed { error, received })),
            }
        })
    }
}

/// Whether the same request is made again by itself. A limit of time is not: what was too slow once is too slow again,
/// and a server may bill what nobody waited for.
fn is_retried(error: &ModelError) -> bool {
    match error {
        ModelError::Timeout { which, .. } => *which == Limit::Connect,
        ModelError::Connect { kind: NoConnection::NoSuchHost, .. } => true,
        error => error.is_passing(),
    }
}

/// Whether anything of the request may have gone out before it failed so.
fn is_sent(error: &ModelError) -> bool {
    match error {
        ModelError::Connect { kind, .. } => *kind == NoConnection::Closed,
        ModelError::Timeout { which, .. } => *which != Limit::Connect,
        error => !matches!(error, ModelError::Tls { .. }),
    }
}

/// Limits of time.
struct Clock<'a> {
    surroundings: &'a dyn Surroundings,
    stop: &'a Stop,
    /// When the request must be over, and how long that is.
    total: (Duration, Duration),
}

impl Clock<'_> {
    /// Waits for something, at most until its limit or that of the whole request.
    async fn race<T>(
        &self,
        (which, at, after): (Limit, Duration, Duration),
        future: impl Future<Output = T>,
    ) -> Result<T, ModelError> {
        let (total_at, total) = self.total;
        let (which, at, after) =
            if total_at < at { (Limit::Total, total_at, total) } else { (which, at, after) };
        if self.surroundings.now() >= total_at {
            // A stream that never pauses would not get to the limit below.
            return Err(ModelError::Timeout { which: Limit::Total, after: total });
        }
        tokio::select! {
            biased;
            error = self.stop.stopped() => Err(error),
            value = future => Ok(value),
            () = self.surroundings.until(at) => Err(ModelError::Timeout { which, after }),
        }
    }
}
