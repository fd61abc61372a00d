//! Asking a model: one request, its pieces as they come, its end.
//!
//! Promises: `request-started` is on disk before anything is sent; every request has an id of its own; a call without
//! an answer is a fault with its cost, never an answer. Leaves to others: tries and waits inside a call (`model`).

use super::control::Asks;
use super::error::RunnerError;
use super::source::Situation;
use super::trajectory::Driver;
use crate::config::{Decoding, Money};
use crate::harness::VerifyReport;
use crate::model::{
    Answer, Call as ModelCall, ChatRequest, Failed, Finish, Message, Model, ModelError, ModelEvent, Received,
    Role, Timed,
};
use crate::repair::event::{
    AnswerDelta, AnswerFinished, Awaited, Call, Channel, ContentHash, RequestFault, RequestStarted,
    StopReason, Unknown, Usage, Waiting, What,
};
use crate::repair::machine::Turn;
use crate::repair::prompt::{Prompt, Speaker};
use crate::repair::{Cell, FinishReason};
use serde_json::json;
use std::sync::Arc;

/// Bytes that are kept of an answer that was too large: far more than any code that a task asks for.
const MOST_OF_ENDLESS: usize = 1 << 20;

/// Asks, and records what came of it.
pub(super) fn ask(
    driver: &mut Driver<'_>,
    call: Call,
    name: &str,
    prompt: &ContentHash,
) -> Result<(), RunnerError> {
    let messages = driver.journal.contents.prompt(prompt)?;
    let found = model(driver, call, name, prompt)?;
    let request = driver.engine.ids.next().to_string();
    driver.journal.durable(What::RequestStarted(RequestStarted {
        call,
        request: request.clone(),
        model: name.to_owned(),
        other: Unknown::new(),
    }))?;
    driver.journal.commit()?;
    let model = match found {
        Ok(model) => model,
        Err(error) => return failed(driver, call, request, &error, None),
    };
    let asks = if call == Call::Helper { Asks::Helper } else { Asks::Repairer };
    let token = driver.drive.control.call(driver.journal.head.id, asks);
    let asked = chat(&messages, driver.cell, driver.journal.head.sample);
    let budget = driver.budget.clone();
    let began = driver.journal.now();
    let result = {
        let journal = &mut driver.journal;
        let mut hear = |timed: Timed| {
            if let Some(what) = piece(call, timed, began) {
                journal.transient(what);
            }
        };
        let model_call = ModelCall { cancel: token, budget, events: &mut hear };
        driver.engine.handle.block_on(model.complete(&asked, model_call))
    };
    match result {
        Ok(answer) => answered(driver, call, request, &answer)?,
        Err(fault) => {
            let Failed { error, received } = *fault;
            match error {
                // An answer that does not end is the model's doing, as one that meets its limit is.
                ModelError::TooLarge { .. } if !received.text.is_empty() => {
                    answered(driver, call, request, &cut(received))?;
                }
                error => failed(driver, call, request, &error, Some(&received))?,
            }
        }
    }
    // An answer is paid for: it waits for nothing.
    driver.journal.commit()
}

/// An answer that was too large to be kept whole: its beginning, as one that was cut off.
fn cut(mut received: Received) -> Answer {
    for text in [&mut received.text, &mut received.reasoning] {
        text.truncate(text.floor_char_boundary(MOST_OF_ENDLESS));
    }
    Answer { finish: Finish::Length, received }
}

/// The model for a call, or why there is none.
fn model(
    driver: &Driver<'_>,
    call: Call,
    name: &str,
    prompt: &ContentHash,
) -> Result<Result<Arc<dyn Model>, ModelError>, RunnerError> {
    let machine = &driver.journal.machine;
    let (attempt, turn) = machine.position();
    let turns = &machine.trajectory().turns;
    let report = |turn: Option<&Turn>| -> Result<Option<VerifyReport>, RunnerError> {
        let hash = turn.and_then(|turn| turn.report.as_ref());
        hash.map(|hash| driver.journal.contents.report(hash)).transpose()
    };
    let code = driver.code(&machine.trajectory().newest_code(attempt))?;
    let newest = turns.iter().rev().find(|turn| turn.report.is_some());
    let (buggy_report, report) = (report(turns.first())?, report(newest)?);
    let answers = turns.iter().filter(|turn| turn.turn > 0 && turn.answer.is_some());
    let situation = Situation {
        head: driver.journal.head,
        task: &driver.task,
        attempt,
        turn,
        call,
        earlier: u32::try_from(answers.count()).unwrap_or(u32::MAX),
        form: driver.cell.form,
        prompt,
        code: &code,
        buggy_report: buggy_report.as_ref(),
        report: report.as_ref(),
    };
    Ok(driver.engine.models.model(name, &situation))
}

/// The request as a model is sent it. The samples of a cell with a seed draw with seeds of their own: the cell's for the
/// first, one more for each that follows.
fn chat(prompt: &Prompt, cell: &Cell, sample: u32) -> ChatRequest {
    let role = |speaker| match speaker {
        Speaker::System => Role::System,
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    let messages =
        prompt.messages.iter().map(|message| Message::new(role(message.role), message.text.clone()));
    let seed = cell.seed.map(|seed| seed.wrapping_add(u64::from(sample.saturating_sub(1))));
    let decoding = Decoding {
        temperature: cell.temperature.map(|value| f64::from(value.thousandths()) / 1000.0),
        top_p: cell.top_p.map(|value| f64::from(value.thousandths()) / 1000.0),
        seed: seed.and_then(|seed| i64::try_from(seed).ok()),
        max_tokens: cell.max_tokens.map(u64::from),
        stop: Vec::new(),
    };
    ChatRequest { messages: messages.collect(), decoding, ..ChatRequest::default() }
}

/// What a model's event is for a listener.
fn piece(call: Call, timed: Timed, began: jiff::Timestamp) -> Option<What> {
    let delta = |channel, text| What::AnswerDelta(AnswerDelta { call, channel, text, other: Unknown::new() });
    let waits = |what: String, until: Option<std::time::Duration>| {
        let until = until.and_then(|until| began.checked_add(until).ok());
        What::Waiting(Waiting { what, until, other: Unknown::new() })
    };
    match timed.event {
        ModelEvent::Text { text } => Some(delta(Channel::Answer, text)),
        ModelEvent::Reasoning { text } => Some(delta(Channel::Reasoning, text)),
        ModelEvent::Waiting { why, until } => {
            let why = why.to_string();
            Some(waits(why.strip_prefix("waiting for ").unwrap_or(&why).to_owned(), until))
        }
        ModelEvent::Connecting => Some(What::Waiting(Waiting::of(Awaited::Connecting))),
        ModelEvent::Started => Some(What::Waiting(Waiting::of(Awaited::Thinking))),
        ModelEvent::Retrying { attempt, after, why } => {
            let what = format!("{}; try {attempt} failed: {why}", Awaited::AnotherTry);
            Some(waits(what, Some(timed.at + after)))
        }
        ModelEvent::Usage { .. } | ModelEvent::Finished { .. } => None,
    }
}

/// Keeps what came, and records the answer.
fn answered(
    driver: &mut Driver<'_>,
    call: Call,
    request: String,
    answer: &Answer,
) -> Result<(), RunnerError> {
    let received = &answer.received;
    let mut kept = Attached::of(driver, received)?;
    kept.add("answer", received.text.clone().into_bytes());
    let mut hashes = kept.put(driver);
    let mut other = told(received);
    other.insert("finish_word".to_owned(), json!(answer.finish.to_string()));
    hashes.raw_into(&mut other);
    driver.journal.durable(What::AnswerFinished(AnswerFinished {
        call,
        request,
        answer: hashes.take("answer"),
        reasoning: hashes.take("reasoning"),
        finish: match answer.finish {
            Finish::Stop => FinishReason::Stop,
            Finish::Length => FinishReason::Length,
            _ => FinishReason::Unknown,
        },
        fault: None,
        detail: String::new(),
        usage: usage(received),
        frames: hashes.take("frames"),
        other,
    }))
}

/// Keeps what came, and records the fault.
fn failed(
    driver: &mut Driver<'_>,
    call: Call,
    request: String,
    error: &ModelError,
    received: Option<&Received>,
) -> Result<(), RunnerError> {
    let mut other = Unknown::new();
    let mut frames = None;
    if let Some(received) = received {
        let mut kept = Attached::of(driver, received)?;
        if !received.text.is_empty() {
            kept.add("partial", received.text.clone().into_bytes());
        }
        let mut hashes = kept.put(driver);
        other = told(received);
        hashes.raw_into(&mut other);
        for key in ["partial", "reasoning"] {
            if let Some(hash) = hashes.take(key) {
                other.insert(key.to_owned(), json!(hash));
            }
        }
        frames = hashes.take("frames");
    }
    other.insert("error".to_owned(), json!(error.name()));
    if !received.is_some_and(Received::was_sent) {
        other.insert("unsent".to_owned(), json!(true));
    }
    let is_budget = matches!(error, ModelError::Budget(_));
    driver.journal.durable(What::AnswerFinished(AnswerFinished {
        call,
        request,
        answer: None,
        reasoning: None,
        finish: FinishReason::Unknown,
        fault: Some(fault(error)),
        detail: error.to_string(),
        usage: received.map(usage).unwrap_or_default(),
        frames,
        other,
    }))?;
    if is_budget { driver.end(StopReason::Budget, &error.to_string()) } else { Ok(()) }
}

/// What a record calls an error.
fn fault(error: &ModelError) -> RequestFault {
    match error {
        ModelError::NoKey { .. } | ModelError::KeyFile { .. } | ModelError::Unauthorized { .. } => {
            RequestFault::Unauthorised
        }
        ModelError::Connect { .. } | ModelError::Tls { .. } => RequestFault::Connect,
        ModelError::Timeout { .. } => RequestFault::Timeout,
        ModelError::RateLimited { .. } => RequestFault::RateLimit,
        ModelError::ServerError { .. } => RequestFault::Server,
        ModelError::BrokenStream { .. } => RequestFault::IncompleteStream,
        ModelError::NotRecorded { .. } => RequestFault::NotRecorded,
        ModelError::Cancelled | ModelError::Budget(_) => RequestFault::Aborted,
        ModelError::NotAStream { .. } | ModelError::Protocol { .. } => RequestFault::Protocol,
        ModelError::Http { .. } if error.is_passing() => RequestFault::Server,
        ModelError::Settings { .. }
        | ModelError::Quota { .. }
        | ModelError::ContextTooLong { .. }
        | ModelError::NotFound { .. }
        | ModelError::Http { .. }
        | ModelError::TooLarge { .. } => RequestFault::Refused,
    }
}

/// What is told about a call beside its text.
fn told(received: &Received) -> Unknown {
    let mut other = Unknown::new();
    let mut set = |key: &str, value: serde_json::Value| {
        other.insert(key.to_owned(), value);
    };
    if let Some(model) = &received.model {
        set("served_model", json!(model));
    }
    if received.requests > 1 {
        set("requests", json!(received.requests));
    }
    let quirks = received.quirks.describe();
    if !quirks.is_empty() {
        set("quirks", json!(quirks));
    }
    if received.cost.is_some() && received.usage.is_none() {
        set("cost_estimated", json!(true));
    }
    other
}

fn usage(received: &Received) -> Usage {
    let counted = received.usage;
    let timing = received.timing;
    let milliseconds = |span: std::time::Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    Usage {
        input_tokens: counted.map(|usage| usage.input),
        cached_tokens: counted.and_then(|usage| usage.cached),
        output_tokens: counted.map(|usage| usage.output),
        reasoning_tokens: counted.and_then(|usage| usage.reasoning),
        usd: received.cost.map(Money::dollars),
        first_token_ms: timing.time_to_first_token().map(milliseconds),
        total_ms: Some(milliseconds(timing.ended.saturating_sub(timing.sent))),
    }
}

/// Contents that go with an answer, put down together.
struct Attached(Vec<(&'static str, Vec<u8>)>);

impl Attached {
    fn of(driver: &mut Driver<'_>, received: &Received) -> Result<Attached, RunnerError> {
        let mut kept = Attached(Vec::new());
        if let Some(frames) = driver.journal.take_frames() {
            kept.add("frames", frames);
        }
        if !received.raw.bytes().is_empty() {
            kept.add("raw", driver.json(&received.raw)?);
        }
        if !received.reasoning.is_empty() {
            kept.add("reasoning", received.reasoning.clone().into_bytes());
        }
        Ok(kept)
    }

    fn add(&mut self, name: &'static str, bytes: Vec<u8>) {
        self.0.push((name, bytes));
    }

    fn put(self, driver: &Driver<'_>) -> Hashes {
        let contents = &driver.journal.contents;
        Hashes(self.0.into_iter().map(|(name, bytes)| (name, contents.add(bytes))).collect())
    }
}

struct Hashes(Vec<(&'static str, ContentHash)>);

impl Hashes {
    fn take(&mut self, name: &str) -> Option<ContentHash> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn raw_into(&mut self, other: &mut Unknown) {
        if let Some(hash) = self.take("raw") {
            other.insert("raw".to_owned(), json!(hash));
        }
    }
}

/// Requests that a process which is gone had under way are lost: they end as broken off, and what they may have cost is
/// booked, estimated from the prompt and from what had come.
pub(super) fn book_lost(driver: &mut Driver<'_>) -> Result<(), RunnerError> {
    let open: Vec<(String, String)> = driver.journal.machine.open_requests().to_vec();
    if open.is_empty() {
        return Ok(());
    }
    let frames = driver.journal.lost_frames();
    driver.journal.skip_to(frames.iter().map(|frame| frame.seq).max().unwrap_or(0));
    let came: usize = frames
        .iter()
        .filter(|frame| frame.kind == "answer-delta")
        .filter_map(|frame| frame.data.get("text")?.as_str())
        .map(str::len)
        .sum();
    let kept = if frames.is_empty() { None } else { Some(driver.keep(&driver.json(&frames)?)?) };
    for (request, name) in open {
        let asked = driver.journal.machine.asked().map(|(call, prompt)| (call, prompt.clone()));
        let (call, tokens) = match asked {
            Some((call, prompt)) => (call, driver.journal.contents.prompt(&prompt)?.tokens()),
            None => (Call::Repair, 0),
        };
        let output = (came as u64).div_ceil(4);
        let prices = driver.engine.models.prices(&name);
        let usd = prices.map(|prices| {
            crate::model::Usage { input: tokens, output, ..Default::default() }.cost(&prices).dollars()
        });
        let mut other = Unknown::new();
        other.insert("lost".to_owned(), json!(true));
        other.insert("cost_estimated".to_owned(), json!(true));
        driver.journal.durable(What::AnswerFinished(AnswerFinished {
            call,
            request,
            answer: None,
            reasoning: None,
            finish: FinishReason::Unknown,
            fault: Some(RequestFault::Aborted),
            detail: "the process that asked ended before the answer did".to_owned(),
            usage: Usage { input_tokens: Some(tokens), output_tokens: Some(output), usd, ..Usage::default() },
            frames: kept.clone(),
            other,
        }))?;
    }
    Ok(())
}
