//! What a server says when it does not answer.
//!
//! Promises: the message is found in the shapes that servers use (an `error` object, an `error` text, `detail`,
//! `message`, a web page); it is one line, cut, harmless and without keys. Leaves to others: waiting (`retry`).

use super::error::ModelError;
use super::secret::Redactor;
use crate::text::truncate;
use serde_json::Value;
use std::time::Duration;

/// Longest message, in columns.
const LONGEST: usize = 400;

/// A message of a server, not yet fit to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// In words.
    pub message: String,
    /// Its code, type and status, where it gives them.
    pub code: String,
}

impl Said {
    /// Finds the message in the body of an answer.
    pub fn in_body(body: &[u8]) -> Said {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Said::in_json(&value),
            Err(_) => Said::in_text(&String::from_utf8_lossy(body)),
        }
    }

    /// Finds the message in a text: JSON, a web page, or words.
    pub fn in_text(text: &str) -> Said {
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
            return Said::in_json(&value);
        }
        let words = match text.trim_start().starts_with('<') {
            true => page_title(text),
            false => text.to_owned(),
        };
        Said { message: words, code: String::new() }
    }

    /// Finds the message in JSON.
    pub fn in_json(value: &Value) -> Said {
        // Gemini's gateway wraps the object into a list.
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let error = match value.get("error") {
            Some(error) if !error.is_null() => error,
            _ => value,
        };
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let message = match error {
            Value::String(text) => Some(text.clone()),
            _ => ["message", "msg", "detail", "error_msg"].into_iter().find_map(text),
        };
        let code: Vec<String> = ["code", "type", "status"].into_iter().filter_map(text).collect();
        // OpenRouter keeps the words of the server behind it here.
        let behind = error.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str);
        let mut message = message.unwrap_or_else(|| error.to_string());
        if let Some(behind) = behind {
            message = format!("{message}: {behind}");
        }
        Said { message, code: code.join(" ") }
    }

    /// As one line that may be shown and recorded.
    pub fn shown(&self, redactor: &Redactor) -> String {
        let message = redactor.text(self.message.trim());
        let code = redactor.text(&self.code);
        match (message.as_ref(), code.as_ref()) {
            ("", "") => "it says nothing more".to_owned(),
            (message, "") => one_line(message),
            ("", code) => one_line(code),
            (message, code) => format!("{} [{}]", one_line(message), truncate(code, 80)),
        }
    }

    /// What kind of failure this is; `status` is `None` inside a stream, `model` as the server was told.
    pub fn error(
        &self,
        status: Option<u16>,
        wait: Option<Duration>,
        model: &str,
        redactor: &Redactor,
    ) -> ModelError {
        let said = self.shown(redactor);
        let words = format!("{} {}", self.message, self.code).to_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        // Inside a stream the status stands in the message's own code.
        let code = || self.code.split(' ').find_map(|word| word.parse::<u16>().ok());
        let number = status
            .filter(|status| *status != 200)
            .or_else(|| code().filter(|code| (400..600).contains(code)));
        if matches!(number, None | Some(400 | 413 | 422 | 500)) && has(&TOO_LONG) {
            return ModelError::ContextTooLong { said };
        }
        if number == Some(402) || has(&NO_QUOTA) {
            return ModelError::Quota { said };
        }
        match number {
            Some(status @ (401 | 403)) => ModelError::Unauthorized { status, said },
            Some(404) => ModelError::NotFound { model: model.to_owned(), said },
            Some(429) => ModelError::RateLimited { retry_after: wait, said },
            Some(500..) => ModelError::ServerError { status: number, retry_after: wait, said },
            Some(status) => ModelError::Http { status, said },
            None if has(&["rate limit", "rate_limit", "too many requests"]) => {
                ModelError::RateLimited { retry_after: wait, said }
            }
            None => ModelError::ServerError { status: None, retry_after: wait, said },
        }
    }
}

/// Words of servers whose model has no room for the prompt.
const TOO_LONG: [&str; 9] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "too many tokens in",
    "input is too long",
];

/// Words of servers that want to be paid.
const NO_QUOTA: [&str; 4] =
    ["insufficient_quota", "insufficient balance", "insufficient credits", "billing_hard_limit"];

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    truncate(&words.join(" "), LONGEST).into_owned()
}

/// The title of a web page.
fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|start| {
        let from = start + lower[start..].find('>')? + 1;
        Some(&page[from..from + lower[from..].find('<')?])
    });
    match title.map(str::trim) {
        Some(title) if !title.is_empty() => format!("a web page, \"{title}\""),
        _ => "a web page".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::secret::Secret;

    #[test]
    fn messages_are_found_in_the_shapes_of_servers() {
        for (body, shown) in [
            (r#"{"error":{"message":"No key","type":"auth","code":"bad_key"}}"#, "No key [bad_key auth]"),
            (r#"{"error":"model runner stopped"}"#, "model runner stopped"),
            (
                r#"{"object":"error","message":"too big","type":"BadRequest","code":400}"#,
                "too big [400 BadRequest]",
            ),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"[{"error":{"code":429,"message":"slow","status":"EXHAUSTED"}}]"#, "slow [429 EXHAUSTED]"),
            (r#"{"error":{"message":"upstream","metadata":{"raw":"why"}}}"#, "upstream: why"),
            (r#"{"x":1}"#, r#"{"x":1}"#),
            ("<html><head><TITLE>502 Bad Gateway</title>", "a web page, \"502 Bad Gateway\""),
            ("<!doctype html><p>hi", "a web page"),
            ("just\n words\u{1b}[31m", "just words␛[31m"),
            ("", "it says nothing more"),
        ] {
            assert_eq!(Said::in_body(body.as_bytes()).shown(&Redactor::default()), shown, "{body}");
        }
    }

    #[test]
    fn messages_are_cut_and_hold_no_key() {
        let redactor = Redactor::new(Some(&Secret::new("sk-12345678")));
        let body = format!("{{\"error\":{{\"message\":\"bad sk-12345678 {}\"}}}}", "x".repeat(5000));
        let shown = Said::in_body(body.as_bytes()).shown(&redactor);
        assert!(shown.starts_with("bad [key] xxx") && shown.ends_with('…'), "{shown}");
        assert!(crate::text::width(&shown) <= LONGEST);
    }

    #[test]
    fn failures_are_told_apart() {
        let name = |status: Option<u16>, body: &str| {
            Said::in_body(body.as_bytes()).error(status, None, "m", &Redactor::default()).name()
        };
        for (status, body, expected) in [
            (401, "{}", "unauthorized"),
            (403, "{}", "unauthorized"),
            (
                404,
                r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#,
                "not-found",
            ),
            (429, "{}", "rate-limited"),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
                "quota",
            ),
            (402, "{}", "quota"),
            (400, r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#, "context-too-long"),
            (
                400,
                r#"{"error":{"code":400,"message":"request (12030 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":12030,"n_ctx":8192}}"#,
                "context-too-long",
            ),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens"}"#,
                "context-too-long",
            ),
            (400, "{}", "http"),
            (408, "{}", "http"),
            (301, "", "http"),
            (500, "{}", "server-error"),
            (529, r#"{"error":{"type":"overloaded_error"}}"#, "server-error"),
        ] {
            assert_eq!(name(Some(status), body), expected, "{status} {body}");
        }
        for (body, expected) in [
            (r#"{"error":{"code":429,"message":"slow"}}"#, "rate-limited"),
            (r#"{"error":{"message":"Rate limit reached"}}"#, "rate-limited"),
            (r#"{"error":{"code":502,"message":"upstream"}}"#, "server-error"),
            (r#"{"error":{"type":"overloaded_error"}}"#, "server-error"),
            (r#"{"error":{"code":401,"message":"key"}}"#, "unauthorized"),
            (r#"{"error":"the prompt is too long"}"#, "context-too-long"),
        ] {
            assert_eq!(name(None, body), expected, "{body}");
        }
    }
}
