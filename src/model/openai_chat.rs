//! OpenAI chat completions, as OpenAI, vLLM, SGLang, llama.cpp, Ollama, DeepSeek, OpenRouter and LM Studio speak them.
//!
//! Promises: a stream counts as complete when it gave a finish reason, or its closing usage; `[DONE]` alone does not make
//! it so, and is not needed. Every field is optional; what is not known is passed over, what comes after the end is left
//! out and counted. Leaves to others: sending, time, keys (`endpoint`).

use super::answer::{Finish, Quirks, Usage};
use super::request::ChatRequest;
use super::said::Said;
use super::sse::{Decoder, Item};
use super::think::{Part, Splitter};
use super::wire::{End, Piece, Reader, Unreadable, Wire};
use crate::config::{ModelSettings, Money};
use serde_json::{Map, Value, json};

/// Tokens that no call has more of: what is beyond is a mistake of the server.
const MOST_TOKENS: u64 = 1 << 40;

/// The wire format.
pub struct OpenaiChat;

impl Wire for OpenaiChat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn body(&self, settings: &ModelSettings, request: &ChatRequest) -> Value {
        let decoding = settings.decoding.with(&request.decoding);
        // What mendbench writes itself comes last, so that nothing else can take its place.
        let mut body: Map<String, Value> = settings.extra.clone();
        body.extend(request.extra.clone());
        body.insert("model".into(), json!(settings.model));
        body.insert("messages".into(), json!(request.messages));
        body.insert("stream".into(), json!(true));
        if settings.stream_usage {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        let fields = [
            ("temperature", decoding.temperature.map(Value::from)),
            ("top_p", decoding.top_p.map(Value::from)),
            ("seed", decoding.seed.map(Value::from)),
            (settings.max_tokens_field.as_str(), decoding.max_tokens.map(Value::from)),
            ("stop", (!decoding.stop.is_empty()).then(|| json!(decoding.stop))),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        }
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(ChatReader {
            decoder: Decoder::new(),
            splitter: Splitter::new(),
            finish: None,
            usage: None,
            closing_usage: false,
            timings: None,
            done: false,
            named: false,
            quirks: Quirks::default(),
        })
    }
}

struct ChatReader {
    decoder: Decoder,
    splitter: Splitter,
    finish: Option<Finish>,
    /// The newest usage; some servers tell it with every chunk.
    usage: Option<Usage>,
    /// A usage without choices came: servers send it last.
    closing_usage: bool,
    /// What llama.cpp counts, for when there is no usage.
    timings: Option<Usage>,
    done: bool,
    named: bool,
    quirks: Quirks,
}

impl Reader for ChatReader {
    fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Piece)) -> Result<(), Unreadable> {
        let mut items = Vec::new();
        let pushed = self.decoder.push(bytes, &mut |item| items.push(item));
        for item in items {
            self.item(item, give)?;
        }
        pushed.map_err(|error| Unreadable { why: error.to_string(), line: String::new() })
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn finish(&mut self, give: &mut dyn FnMut(Piece)) -> (End, Quirks) {
        let mut items = Vec::new();
        self.decoder.finish(&mut |item| items.push(item));
        for item in items {
            // A stream that was cut may end in half an event, which says nothing.
            self.quirks.ignored += u64::from(self.item(item, give).is_err());
        }
        self.splitter.finish(&mut |part| give(piece(part)));
        let usage = self.usage.or(self.timings);
        if let Some(usage) = usage {
            give(Piece::Usage(usage));
        }
        self.quirks.invalid_utf8 = self.decoder.invalid();
        self.quirks.no_usage = usage.is_none();
        self.quirks.no_done = !self.done;
        self.quirks.think_marks = self.splitter.found();
        let end = match self.finish.take() {
            Some(finish) => End::Complete(finish),
            None if self.closing_usage => End::Complete(Finish::Other("untold".to_owned())),
            None if self.done => End::Broken("it said [DONE] without a finish reason or usage"),
            None => End::Broken("it ended without a finish reason, usage or [DONE]"),
        };
        (end, self.quirks)
    }
}

impl ChatReader {
    fn item(&mut self, item: Item, give: &mut dyn FnMut(Piece)) -> Result<(), Unreadable> {
        match item {
            Item::Comment(_) => Ok(()),
            _ if self.done => {
                self.quirks.after_end += 1;
                Ok(())
            }
            Item::Field { name, value } if name == "error" => {
                give(Piece::Error(Said::in_text(&value)));
                Ok(())
            }
            Item::Field { .. } => {
                self.quirks.ignored += 1;
                Ok(())
            }
            Item::Event { kind, data } if kind == "error" => {
                give(Piece::Error(Said::in_text(&data)));
                Ok(())
            }
            Item::Event { data, .. } => self.data(&data, give),
        }
    }

    fn data(&mut self, data: &str, give: &mut dyn FnMut(Piece)) -> Result<(), Unreadable> {
        match data.trim() {
            "" => {}
            "[DONE]" => self.done = true,
            data => match serde_json::from_str::<Value>(data) {
                Ok(value) => self.chunk(&value, give),
                // Some gateways leave out the empty line between events.
                Err(_) if data.contains('\n') => {
                    for line in data.lines() {
                        self.data(line, give)?;
                    }
                }
                Err(error) => {
                    let line: String = data.chars().take(200).collect();
                    return Err(Unreadable { why: format!("an event is no JSON ({error})"), line });
                }
            },
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: &Value, give: &mut dyn FnMut(Piece)) {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return give(Piece::Error(Said::in_json(chunk)));
        }
        if !std::mem::replace(&mut self.named, true) {
            let text = |name: &str| chunk.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            if let Some(model) = text("model") {
                give(Piece::Model(model.chars().take(200).collect()));
            }
            if let Some(id) = text("id") {
                give(Piece::Id(id.chars().take(200).collect()));
            }
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let mut impossible = 0;
        match chunk.get("usage").and_then(|value| usage(value, &mut impossible)) {
            Some(usage) => {
                self.usage = Some(usage);
                self.closing_usage |= choices.is_none_or(Vec::is_empty);
            }
            // Numbers that cannot be are still the end of the stream.
            None => self.closing_usage |= impossible > 0 && choices.is_none_or(Vec::is_empty),
        }
        if let Some(timings) = chunk.get("timings").and_then(|value| timings(value, &mut impossible)) {
            self.timings = Some(timings);
        }
        self.quirks.impossible_counts += impossible;
        // One answer is asked for; what a server calls the second is not ours.
        let choice = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        let Some(choice) = choice else { return };
        if choice.get("error").is_some_and(|error| !error.is_null()) {
            return give(Piece::Error(Said::in_json(choice)));
        }
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        let word = choice.get("finish_reason").and_then(Value::as_str).filter(|word| !word.is_empty());
        if self.finish.is_some() {
            let says = ["content", "reasoning", "reasoning_content"]
                .iter()
                .any(|name| delta.get(*name).and_then(Value::as_str).is_some_and(|text| !text.is_empty()));
            self.quirks.after_end += u64::from(says || word.is_some());
            return;
        }
        self.delta(delta, give);
        match word {
            None => {}
            Some("error" | "insufficient_system_resource") => {
                let message = format!("the answer was ended by `{}`", word.unwrap_or_default());
                give(Piece::Error(Said { message, code: String::new() }));
            }
            Some(word) => self.finish = Some(finish(word)),
        }
    }

    fn delta(&mut self, delta: &Value, give: &mut dyn FnMut(Piece)) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        // Two names for the same; gateways that send both send the same text.
        if let Some(reasoning) = text("reasoning_content").or_else(|| text("reasoning")) {
            give(Piece::Reasoning(reasoning.to_owned()));
        }
        match delta.get("content") {
            Some(Value::String(text)) => self.text(text, give),
            // Mistral gives parts, each with its type.
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("type").and_then(Value::as_str) {
                        Some("thinking") => give(Piece::Reasoning(texts(part.get("thinking")))),
                        _ => self.text(&texts(part.get("text")), give),
                    }
                }
            }
            _ => {}
        }
        if let Some(refusal) = text("refusal") {
            self.text(refusal, give);
        }
    }

    fn text(&mut self, text: &str, give: &mut dyn FnMut(Piece)) {
        if !text.is_empty() {
            self.splitter.push(text, &mut |part| give(piece(part)));
        }
    }
}

fn piece(part: Part) -> Piece {
    match part {
        Part::Reasoning(text) => Piece::Reasoning(text),
        Part::Text(text) => Piece::Text(text),
    }
}

/// A text, or the texts of a list of parts.
fn texts(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

fn finish(word: &str) -> Finish {
    match word {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::Tool,
        "content_filter" => Finish::ContentFilter,
        other => Finish::Other(crate::text::truncate(other, 40).into_owned()),
    }
}

/// A number of tokens. One that cannot be (negative, broken, of no call's size, no number) is as if it were not told,
/// and is counted.
fn count(value: &Value, path: &[&str], impossible: &mut u64) -> Option<u64> {
    let found = path.iter().try_fold(value, |value, name| value.get(name))?;
    if found.is_null() {
        return None;
    }
    // Some gateways write whole numbers as `12.0`.
    let whole = |count: &f64| count.fract() == 0.0 && (0.0..=MOST_TOKENS as f64).contains(count);
    let count = found.as_u64().or_else(|| found.as_f64().filter(whole).map(|count| count as u64));
    let count = count.filter(|count| *count <= MOST_TOKENS);
    *impossible += u64::from(count.is_none());
    count
}

/// What a server counted; nothing, if one of its two numbers cannot be: half of a bill is no bill.
fn usage(value: &Value, impossible: &mut u64) -> Option<Usage> {
    let before = *impossible;
    let input = count(value, &["prompt_tokens"], impossible);
    let output = count(value, &["completion_tokens"], impossible);
    if *impossible > before || (input.is_none() && output.is_none()) {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    let cached = count(value, &["prompt_tokens_details", "cached_tokens"], impossible)
        .or_else(|| count(value, &["prompt_cache_hit_tokens"], impossible));
    let reasoning = count(value, &["completion_tokens_details", "reasoning_tokens"], impossible);
    let told_cost = value.get("cost").and_then(Value::as_f64).and_then(Money::from_dollars);
    Some(Usage { input, output, cached, reasoning, told_cost })
}

/// What llama.cpp counts beside the usage: `prompt_n` without, `cache_n` with what it had in its cache.
fn timings(value: &Value, impossible: &mut u64) -> Option<Usage> {
    let cached = count(value, &["cache_n"], impossible);
    let input = count(value, &["prompt_n"], impossible)?.saturating_add(cached.unwrap_or(0));
    Some(Usage { input, output: count(value, &["predicted_n"], impossible)?, cached, ..Usage::default() })
}
