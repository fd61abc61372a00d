//! Diagnostics that come as JSON: one document, several in a row, or one a line between ordinary lines.
//!
//! Promises: what is no JSON is passed over. Leaves to others: bounds on number and size (`mod.rs`).

use super::{Diagnostic, Diagnostics, MOST_JSON, Severity};
use serde_json::Value;

/// Hands every object of the output to `take`; lists are taken apart.
pub(super) fn each(output: &str, take: &mut dyn FnMut(&Value)) {
    let end = (0..=output.len().min(MOST_JSON)).rev().find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    let output = &output[..end];
    let mut parts = serde_json::Deserializer::from_str(output).into_iter::<Value>();
    let mut found = false;
    while let Some(Ok(value)) = parts.next() {
        found |= value.is_array() || value.is_object();
        objects(&value, take);
    }
    if found && output[parts.byte_offset()..].trim().is_empty() {
        return;
    }
    // Lines of JSON among others; a document that was read above is not read again.
    let rest = if found { &output[parts.byte_offset()..] } else { output };
    for line in rest.lines().filter(|line| line.starts_with(['{', '['])) {
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            objects(&value, take);
        }
    }
}

fn objects(value: &Value, take: &mut dyn FnMut(&Value)) {
    match value {
        Value::Array(values) => values.iter().filter(|value| value.is_object()).for_each(take),
        // pylint's json2.
        Value::Object(map) if map.get("messages").is_some_and(Value::is_array) => {
            objects(&map["messages"], take);
        }
        Value::Object(_) => take(value),
        _ => {}
    }
}

fn word(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn number(value: &Value, key: &str) -> Option<u32> {
    value.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

pub(super) fn gcc(value: &Value, found: &mut Diagnostics) {
    gcc_at(value, found, 0);
}

fn gcc_at(value: &Value, found: &mut Diagnostics, depth: usize) {
    let (Some(kind), Some(message)) = (word(value, "kind"), word(value, "message")) else { return };
    let severity = match kind.as_str() {
        "error" | "fatal error" | "sorry, unimplemented" | "internal compiler error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Note,
    };
    let caret = value.get("locations").and_then(|all| all.get(0)).and_then(|first| first.get("caret"));
    found.push(Diagnostic {
        file: caret.and_then(|caret| word(caret, "file")).unwrap_or_default(),
        line: caret.and_then(|caret| number(caret, "line")),
        column: caret.and_then(|caret| number(caret, "column")),
        code: word(value, "option"),
        severity,
        message,
    });
    if depth < 8 {
        let children = value.get("children").and_then(Value::as_array);
        children.into_iter().flatten().for_each(|child| gcc_at(child, found, depth + 1));
    }
}

pub(super) fn pylint(value: &Value, found: &mut Diagnostics) {
    let Some(message) = word(value, "message") else { return };
    let severity = match word(value, "type").as_deref() {
        Some("error" | "fatal") => Severity::Error,
        Some("warning") => Severity::Warning,
        _ => Severity::Note,
    };
    // Its columns count from 0.
    let column =
        value.get("column").and_then(Value::as_u64).and_then(|column| u32::try_from(column + 1).ok());
    found.push(Diagnostic {
        file: word(value, "path").unwrap_or_default(),
        line: number(value, "line"),
        column,
        code: word(value, "symbol"),
        severity,
        message,
    });
}

pub(super) fn ruff(value: &Value, found: &mut Diagnostics) {
    let Some(message) = word(value, "message") else { return };
    let code = word(value, "code");
    let severity = match (word(value, "severity").as_deref(), code.as_deref()) {
        (Some("error"), Some("invalid-syntax")) | (_, None | Some("invalid-syntax")) => Severity::Error,
        // Names that are not defined: the code cannot run.
        (_, Some("F821" | "F822" | "F823")) => Severity::Error,
        _ => Severity::Warning,
    };
    let at = value.get("location");
    found.push(Diagnostic {
        file: word(value, "filename").unwrap_or_default(),
        line: at.and_then(|at| number(at, "row")),
        column: at.and_then(|at| number(at, "column")),
        code,
        severity,
        message,
    });
}

pub(super) fn rustc(value: &Value, found: &mut Diagnostics) {
    // cargo wraps the compiler's message.
    let value = match value.get("message") {
        Some(inner) if inner.is_object() => inner,
        _ => value,
    };
    let (Some(level), Some(message)) = (word(value, "level"), word(value, "message")) else { return };
    let severity = match level.as_str() {
        "error" | "error: internal compiler error" => Severity::Error,
        "warning" => Severity::Warning,
        "failure-note" => return,
        _ => Severity::Note,
    };
    if message.starts_with("aborting due to ") {
        return;
    }
    let spans = value.get("spans").and_then(Value::as_array);
    let primary = spans.and_then(|spans| {
        spans
            .iter()
            .find(|span| span.get("is_primary").and_then(Value::as_bool) == Some(true))
            .or(spans.first())
    });
    let label = primary.and_then(|span| word(span, "label")).filter(|label| !label.is_empty());
    found.push(Diagnostic {
        file: primary.and_then(|span| word(span, "file_name")).unwrap_or_default(),
        line: primary.and_then(|span| number(span, "line_start")),
        column: primary.and_then(|span| number(span, "column_start")),
        code: value.get("code").and_then(|code| word(code, "code")),
        severity,
        message: label.map_or(message.clone(), |label| format!("{message}: {label}")),
    });
}
