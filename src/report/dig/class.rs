//! What kind of failure an output tells of.
//!
//! Promises: the way a process ended wins over what it printed, a sanitiser over a signal, both over exceptions.
//! Leaves to others: where it happened (`frames`).

use crate::report::{ExitKind, signal_name};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kind of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A check of a test did not hold.
    Assertion,
    /// An exception or error of this type reached the top.
    Exception(String),
    /// The process was ended by this signal.
    Signal(i32),
    /// A sanitiser found this.
    Sanitizer(String),
    /// Time ran out.
    Timeout,
    /// Memory ran out.
    Memory,
    /// A compiler refused.
    Compilation,
    /// A change could not be applied.
    Rejected,
    /// None of these can be told.
    Unknown,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Assertion => f.write_str("assertion"),
            Class::Exception(name) => f.write_str(name),
            Class::Signal(number) => match signal_name(*number) {
                Some(name) => f.write_str(name),
                None => write!(f, "signal {number}"),
            },
            Class::Sanitizer(what) => f.write_str(what),
            Class::Timeout => f.write_str("timeout"),
            Class::Memory => f.write_str("memory"),
            Class::Compilation => f.write_str("compilation"),
            Class::Rejected => f.write_str("rejected"),
            Class::Unknown => f.write_str("unknown"),
        }
    }
}

/// The class of a failed run of a program or its tests.
pub(super) fn of_run(output: &str, exit: ExitKind) -> Class {
    match exit {
        ExitKind::Timeout => return Class::Timeout,
        ExitKind::OutOfMemory => return Class::Memory,
        _ => {}
    }
    if let Some(what) = output.lines().find_map(sanitizer) {
        return Class::Sanitizer(what);
    }
    // `abort` of a failed `assert` is the assertion's, not the signal's.
    if output.lines().any(|line| line.contains(": Assertion `") && line.contains("' failed")) {
        return Class::Assertion;
    }
    let signal = match exit {
        ExitKind::Signal(number) => Some(number),
        ExitKind::Code(code @ 129..=192) => Some(code - 128),
        _ => output.lines().find_map(told_signal),
    };
    if let Some(number) = signal {
        return Class::Signal(number);
    }
    for line in output.lines() {
        // What a test file of node printed stands behind a `#`.
        let line = line.strip_prefix("# ").unwrap_or(line);
        if let Some(class) = line_class(line.trim_start()) {
            return class;
        }
    }
    if output.lines().any(|line| line.trim_start().starts_with("not ok ")) {
        return Class::Assertion;
    }
    Class::Unknown
}

/// `==1==ERROR: AddressSanitizer: heap-buffer-overflow on …`, `a.c:1:2: runtime error: signed integer overflow: …`.
fn sanitizer(line: &str) -> Option<String> {
    if let Some((before, rest)) = line.split_once("Sanitizer: ")
        && before.starts_with("==")
        && let Some((_, name)) = before.rsplit_once([' ', ':'])
    {
        let word = rest.split(' ').next().unwrap_or(rest);
        let what = if name == "Leak" { "memory leak" } else { word };
        return Some(format!("{name}Sanitizer {what}"));
    }
    let (place, rest) = line.split_once(": runtime error: ")?;
    let what = rest.split(':').next().unwrap_or(rest);
    let words: Vec<&str> = what.split(' ').take(4).collect();
    place.contains(':').then(|| format!("UndefinedBehaviorSanitizer {}", words.join(" ")))
}

/// `(signal: 6, SIGABRT: process abort signal)` of cargo.
fn told_signal(line: &str) -> Option<i32> {
    let (_, rest) = line.split_once("(signal: ")?;
    rest.split([',', ')']).next()?.trim().parse().ok()
}

fn line_class(line: &str) -> Option<Class> {
    // pytest prints `E       AssertionError: …` and `E       assert …`.
    if let Some(reason) = line.strip_prefix("E  ") {
        let reason = reason.trim_start();
        return if reason.starts_with("assert ") { Some(Class::Assertion) } else { exception(reason) };
    }
    if line.starts_with("assertion `") || line.starts_with("assertion failed: ") {
        return Some(Class::Assertion);
    }
    if line.contains("' panicked at '") || line.contains(" panicked at ") && line.ends_with(':') {
        // What it was stands in the next line; an assertion is found there first.
        return None;
    }
    if line.starts_with("called `Option::unwrap()`") || line.starts_with("called `Result::") {
        return Some(Class::Exception("panic".to_owned()));
    }
    if line.contains("[ERR_ASSERTION]") || line == "code: 'ERR_ASSERTION'" {
        return Some(Class::Assertion);
    }
    if let Some(name) = line.strip_prefix("name: '").and_then(|rest| rest.strip_suffix('\'')) {
        return named(name);
    }
    if line.starts_with("free(): ")
        || line.starts_with("malloc(): ")
        || line.starts_with("*** stack smashing")
    {
        return Some(Class::Signal(6));
    }
    exception(line)
}

/// `TypeError: …`, `package.module.SomeError: …`, `SomeError`.
fn exception(line: &str) -> Option<Class> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let end = line.find([':', ' ']).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    // node puts a code in brackets between name and message.
    (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" [")).then(|| named(name))?
}

fn named(name: &str) -> Option<Class> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let last = name.rsplit('.').next()?;
    let ending = ["Error", "Exception", "Exit", "Interrupt", "Warning", "Failed"]
        .iter()
        .any(|ending| last.ends_with(ending) && last.starts_with(|c: char| c.is_ascii_uppercase()));
    if !ending || !name.chars().all(allowed) || name.len() > 120 {
        return None;
    }
    Some(match last {
        "AssertionError" => Class::Assertion,
        "MemoryError" => Class::Memory,
        _ => Class::Exception(name.to_owned()),
    })
}

/// Whether a panic without a better class happened.
pub(super) fn has_panic(output: &str) -> bool {
    output.lines().any(|line| line.starts_with("thread '") && line.contains(" panicked at "))
}
