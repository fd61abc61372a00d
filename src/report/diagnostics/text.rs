//! Diagnostics that come as text for people.
//!
//! Promises: each reader takes only lines of its own tool's form. Leaves to others: bounds (`mod.rs`).

use super::{Diagnostic, Diagnostics, Severity};

/// `file:line:column: error: message [-Wcode]`, `file:line: …`, and what linkers say.
pub(super) fn gcc(output: &str, found: &mut Diagnostics) {
    for line in output.lines() {
        let severities = [
            (": fatal error: ", Severity::Error),
            (": error: ", Severity::Error),
            (": warning: ", Severity::Warning),
            (": note: ", Severity::Note),
        ];
        let first = severities
            .iter()
            .filter_map(|(word, severity)| Some((line.find(word)?, *word, *severity)))
            .min_by_key(|(at, ..)| *at);
        if let Some((at, word, severity)) = first {
            let (file, place) = place(&line[..at]);
            let message = &line[at + word.len()..];
            // `collect2: error: ld returned 1 exit status` says nothing that the linker did not.
            if file == "collect2" || (severity == Severity::Note && place.0.is_none()) {
                continue;
            }
            let (message, code) = match message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [-W")) {
                Some((message, code)) => (message, Some(format!("-W{code}"))),
                None => (message, None),
            };
            found.push(Diagnostic {
                file: file.to_owned(),
                line: place.0,
                column: place.1,
                code,
                severity,
                message: message.to_owned(),
            });
        } else if let Some((before, message)) = linker(line) {
            // `link.c:(.text+0xa)` where there is no debug information.
            let file = before.split(":(").next().unwrap_or(before);
            let (file, place) = place(file.rsplit(": ").next().unwrap_or(file));
            found.push(Diagnostic {
                file: file.to_owned(),
                line: place.0,
                column: None,
                code: Some("link".to_owned()),
                severity: Severity::Error,
                message: message.to_owned(),
            });
        }
    }
}

/// `link.c:(.text+0xa): undefined reference to …`.
fn linker(line: &str) -> Option<(&str, &str)> {
    ["undefined reference to ", "multiple definition of "].iter().find_map(|word| {
        let at = line.find(word)?;
        line[..at].ends_with(": ").then(|| (line[..at].trim_end_matches(": "), &line[at..]))
    })
}

/// Splits `file:line:column` or `file:line`.
fn place(text: &str) -> (&str, (Option<u32>, Option<u32>)) {
    let Some((rest, last)) = text.rsplit_once(':') else { return (text, (None, None)) };
    let Ok(last) = last.parse::<u32>() else { return (text, (None, None)) };
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?))) {
        Some((file, line)) => (file, (Some(line), Some(last))),
        None => (rest, (Some(last), None)),
    }
}

/// `File "a.py", line 1`, the line, a caret, `SyntaxError: message`; or one line `Sorry: IndentationError: … (a.py, line 3)`.
pub(super) fn python(output: &str, found: &mut Diagnostics) {
    const NAMES: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];
    let mut at: Option<(&str, u32)> = None;
    let mut source_indent: Option<usize> = None;
    let mut column = None;
    for line in output.lines() {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix("File \"")
            && let Some((file, rest)) = rest.split_once("\", line ")
        {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            at = rest[..digits].parse().ok().map(|number| (file, number));
            (source_indent, column) = (None, None);
            continue;
        }
        if let Some(rest) = text.strip_prefix("Sorry: ")
            && let Some((code, rest)) = rest.split_once(": ")
            && NAMES.contains(&code)
            && let Some((message, place)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("))
            && let Some((file, number)) = place.rsplit_once(", line ")
        {
            push_python(found, file, number.parse().ok(), None, code, message);
            continue;
        }
        if let Some((code, message)) = text.split_once(": ")
            && NAMES.contains(&code)
            && let Some((file, number)) = at.take()
        {
            push_python(found, file, Some(number), column, code, message);
            continue;
        }
        if at.is_some() && text.starts_with('^') {
            let caret = line.len() - text.len();
            column = source_indent
                .and_then(|indent| caret.checked_sub(indent))
                .and_then(|column| u32::try_from(column + 1).ok());
        } else if at.is_some() && source_indent.is_none() && !text.is_empty() {
            // Python prints the line without its own indentation, four blanks in: the column is one of the text.
            source_indent = Some(line.len() - text.len());
        }
    }
}

fn push_python(
    found: &mut Diagnostics,
    file: &str,
    line: Option<u32>,
    column: Option<u32>,
    code: &str,
    message: &str,
) {
    found.push(Diagnostic {
        file: file.to_owned(),
        line,
        column,
        code: Some(code.to_owned()),
        severity: Severity::Error,
        message: message.to_owned(),
    });
}

/// `lint.py:5:11: E0602: Undefined variable 'x' (undefined-variable)`.
pub(super) fn pylint(output: &str, found: &mut Diagnostics) {
    for line in output.lines() {
        let Some((at, rest)) = line.split_once(": ") else { continue };
        let Some((code, rest)) = rest.split_once(": ") else { continue };
        let (file, (Some(number), column)) = place(at) else { continue };
        let mut letters = code.chars();
        let severity = match letters.next() {
            Some('E' | 'F') => Severity::Error,
            Some('W') => Severity::Warning,
            Some('C' | 'R' | 'I') => Severity::Note,
            _ => continue,
        };
        if code.len() != 5 || !letters.all(|c| c.is_ascii_digit()) {
            continue;
        }
        let (message, symbol) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
            Some((message, symbol)) => (message, symbol),
            None => (rest, code),
        };
        found.push(Diagnostic {
            file: file.to_owned(),
            line: Some(number),
            column: column.map(|column| column.saturating_add(1)),
            code: Some(symbol.to_owned()),
            severity,
            message: message.to_owned(),
        });
    }
}

/// `error[E0308]: message`, then ` --> file:line:column`.
pub(super) fn rustc(output: &str, found: &mut Diagnostics) {
    let mut open: Option<Diagnostic> = None;
    for line in output.lines() {
        if let Some((severity, code, message)) = rustc_head(line) {
            if let Some(before) = open.take() {
                found.push(before);
            }
            let is_summary = message.starts_with("aborting due to ")
                || message.starts_with("could not compile ")
                || message.starts_with("build failed")
                || message.ends_with(" warning emitted")
                || message.ends_with(" warnings emitted")
                || (message.starts_with('`') && message.contains("` (") && message.contains(" generated "));
            if !is_summary {
                open = Some(Diagnostic {
                    file: String::new(),
                    line: None,
                    column: None,
                    code,
                    severity,
                    message: message.to_owned(),
                });
            }
        } else if let Some(at) = line.trim_start().strip_prefix("--> ")
            && let Some(mut diagnostic) = open.take()
        {
            let (file, (line, column)) = place(at.trim_end());
            diagnostic.file = file.to_owned();
            (diagnostic.line, diagnostic.column) = (line, column);
            found.push(diagnostic);
        }
    }
    if let Some(last) = open {
        found.push(last);
    }
}

fn rustc_head(line: &str) -> Option<(Severity, Option<String>, &str)> {
    let (severity, rest) = [("error", Severity::Error), ("warning", Severity::Warning)]
        .iter()
        .find_map(|(word, severity)| Some((*severity, line.strip_prefix(word)?)))?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((severity, None, message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((severity, Some(code.to_owned()), message))
}

/// `file:line`, the line, a caret, an empty line, `SyntaxError: message`.
pub(super) fn node(output: &str, found: &mut Diagnostics) {
    let mut at: Option<(&str, u32)> = None;
    let mut column = None;
    for line in output.lines() {
        let text = line.trim_start();
        if let (file, (Some(number), None)) = place(line.trim_end())
            && !file.contains(' ')
            && (file.starts_with(['/', '.']) || file.starts_with("file://") || file.ends_with("js"))
        {
            at = Some((file.strip_prefix("file://").unwrap_or(file), number));
            column = None;
            continue;
        }
        if at.is_some() && text.starts_with('^') && text.trim_end_matches(['^', ' ']).is_empty() {
            column = u32::try_from(line.len() - text.len() + 1).ok();
            continue;
        }
        if let Some((code, message)) = text.split_once(": ")
            && line.len() == text.len()
            && let name = code.split(' ').next().unwrap_or(code)
            && name.ends_with("Error")
            && name.chars().all(|c| c.is_ascii_alphanumeric())
            && let Some((file, number)) = at.take()
        {
            found.push(Diagnostic {
                file: file.to_owned(),
                line: Some(number),
                column: column.take(),
                code: Some(name.to_owned()),
                severity: Severity::Error,
                message: message.to_owned(),
            });
        }
    }
}
