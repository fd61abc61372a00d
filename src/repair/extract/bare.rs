//! Code that stands without fences: in tags, in JSON, or among words.
//!
//! Promises: tried only where an answer has no block that could be meant; what is taken from among words
//! defines what was asked for, or is nothing but code.
//! Leaves to others: everything in fences (`fences`).

use super::candidate::{Candidate, Known};
use super::tidy::{Code, tidy};
use super::{PieceKind, Rule};
use crate::repair::find;
use crate::syntax::outline;
use std::ops::Range;

/// Most lines at which code among words may begin that are tried.
const BEGINNINGS: usize = 12;

/// Candidates of a part of an answer that holds no fenced block, best first.
pub(super) fn candidates(
    answer: &str,
    within: Range<usize>,
    language: &str,
    known: &Known<'_>,
) -> Vec<Candidate> {
    let text = answer.get(within.clone()).unwrap_or_default();
    let mut found = tagged(text, within.start, language);
    found.extend(json(text, within.clone(), language));
    if !found.is_empty() {
        return found;
    }
    let whole = tidy(language, text);
    let defines = whole.outline.as_ref().is_some_and(|outline| !outline.definitions.is_empty());
    if whole.errors() == 0 && defines {
        return vec![candidate(within, whole)];
    }
    if let Some(part) = definition_among_words(text, within.start, language, known) {
        return vec![part];
    }
    if whole.outline.is_some() && !defines && is_body(language, &whole.text) {
        found.push(candidate(within, whole));
    }
    found
}

fn candidate(span: Range<usize>, code: Code) -> Candidate {
    Candidate {
        kind: PieceKind::Code,
        span,
        code,
        path: None,
        lead: String::new(),
        closed: true,
        dropped: None,
        found_by: Some(Rule::Bare),
    }
}

/// What stands between `<word>` and `</word>`, each on a line of its own or around the whole.
fn tagged(text: &str, offset: usize, language: &str) -> Vec<Candidate> {
    const NAMES: [&str; 9] =
        ["code", "answer", "fixed_code", "solution", "fixed", "pre", "output", "result", "function"];
    let mut found = Vec::new();
    for name in NAMES {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let Some(start) = text.rfind(&open).map(|at| at + open.len()) else { continue };
        let Some(length) = text.get(start..).and_then(|rest| rest.find(&close)) else { continue };
        let inner = text.get(start..start + length).unwrap_or_default();
        let inner_start = inner.strip_prefix('\n').map_or(start, |_| start + 1);
        let code = text.get(inner_start..start + length).unwrap_or_default();
        let code = code.strip_prefix("<code>").unwrap_or(code);
        if code.trim().is_empty() || !code.trim().contains('\n') && found.len() > 1 {
            continue;
        }
        found.push(candidate(
            offset + inner_start..offset + start + length,
            tidy(language, code.strip_suffix("</code>").unwrap_or(code)),
        ));
    }
    found
}

/// Texts of code in an answer that is a JSON object.
fn json(text: &str, within: Range<usize>, language: &str) -> Vec<Candidate> {
    let trimmed = text.trim();
    if !trimmed.starts_with('{') || !trimmed.ends_with('}') {
        return Vec::new();
    }
    let Ok(serde_json::Value::Object(map)) = serde_json::from_str::<serde_json::Value>(trimmed) else {
        return Vec::new();
    };
    let texts = map.into_iter().filter_map(|(_, value)| match value {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    });
    let mut found: Vec<Candidate> = texts
        .map(|text| tidy(language, &text))
        .filter(|code| {
            code.outline
                .as_ref()
                .is_some_and(|outline| outline.errors.is_empty() && !outline.items.is_empty())
        })
        .filter(|code| code.text.contains(['\n', '(', '=', ';']))
        .map(|code| candidate(within.clone(), code))
        .collect();
    found.sort_by_key(|candidate| std::cmp::Reverse(candidate.code.text.len()));
    found
}

/// The definition of a function that was asked for, with the imports and decorators right above it.
fn definition_among_words(text: &str, offset: usize, language: &str, known: &Known<'_>) -> Option<Candidate> {
    let names: Vec<&str> =
        known.files.iter().flat_map(|file| &file.functions).map(|name| find::plain_name(name)).collect();
    let mut at = 0;
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let heads = lines.iter().enumerate().filter(|(_, (_, line))| {
        let line = line.trim_end();
        names.iter().any(|name| line.contains(name)) && line.contains('(') && is_head(language, line)
    });
    for (number, (start, _)) in heads.take(BEGINNINGS) {
        let rest = text.get(*start..)?;
        let Some(outline) = crate::syntax::outline_of_part(language, rest) else { continue };
        let Some(definition) =
            outline.definitions.iter().find(|definition| names.contains(&definition.span.name.as_str()))
        else {
            continue;
        };
        let end = start + definition.span.bytes.end;
        let above = lines[..number]
            .iter()
            .rev()
            .take_while(|(_, line)| line.trim().is_empty() || goes_before(language, line.trim()));
        let first = above.last().map_or(*start, |(first, _)| *first);
        let code = tidy(language, text.get(first..end)?);
        return Some(candidate(offset + first..offset + end, code));
    }
    None
}

/// Whether a line looks like the head of a function and not like words that name it.
fn is_head(language: &str, line: &str) -> bool {
    let words = line.trim_start();
    match language {
        "python" => words.starts_with("def ") || words.starts_with("async def "),
        "rust" => words.contains("fn "),
        _ => {
            let ends = line.ends_with(['{', ')', ',', ';', '}']) || line.ends_with("=>");
            ends && !words.starts_with(['-', '*', '`', '#', '"'])
        }
    }
}

/// Lines that belong to the definition below them.
fn goes_before(language: &str, line: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match language {
        "python" => starts(&["import ", "from ", "@"]),
        "rust" => starts(&["use ", "#["]),
        "java" => starts(&["import ", "@"]),
        "javascript" => starts(&["import ", "const "]),
        _ => starts(&["#include", "#define", "template"]),
    }
}

/// Whether words are nothing but statements of a language: they parse inside a function, and look like code.
fn is_body(language: &str, text: &str) -> bool {
    let looks = ["return", "=", ";", "yield", "raise ", "(", "{"].iter().any(|sign| text.contains(sign));
    looks && body_parses(language, text)
}

/// Whether a text parses as what stands inside a function.
pub(super) fn body_parses(language: &str, text: &str) -> bool {
    let wrapped = match language {
        "python" => {
            let indented: String = text
                .split_inclusive('\n')
                .map(|line| if line.trim().is_empty() { line.to_owned() } else { format!("    {line}") })
                .collect();
            format!("def f():\n{indented}\n")
        }
        "rust" => format!("fn f() {{\n{text}\n}}\n"),
        "java" => format!("class C {{ Object f() {{\n{text}\n}} }}\n"),
        "javascript" => format!("function f() {{\n{text}\n}}\n"),
        "c" | "cpp" => format!("int f(void) {{\n{text}\n}}\n"),
        _ => return false,
    };
    outline(language, &wrapped).is_some_and(|outline| outline.errors.is_empty())
}
