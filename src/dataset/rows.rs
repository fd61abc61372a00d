//! Rows of a file of JSON Lines, for every format that is made of them.
//!
//! Promises: each line that holds something is one row; a row that cannot be read is skipped with its
//! place and reading goes on; blank lines, CRLF and a byte-order mark are no errors.

use super::error::DatasetError;
use super::json::{self, ParseError};
use super::lines::{Broken, Line, Lines};
use super::sink::{Flow, Progress, Sink};
use super::skipped::{Location, SkipReason, Skipped};
use super::{Bounds, Source};
use serde_json::{Map, Value};
use std::ops::ControlFlow;
use std::path::Path;

/// Gives every row that is a JSON object to `each`.
pub(crate) fn read_rows(
    source: &Source<'_>,
    format: &'static str,
    sink: &mut dyn Sink,
    mut each: impl FnMut(Location, Map<String, Value>, &mut dyn Sink) -> Flow,
) -> Result<(), DatasetError> {
    if std::fs::metadata(source.path).is_ok_and(|metadata| metadata.is_dir()) {
        let path = source.path.to_owned();
        return Err(DatasetError::WrongPlace {
            path,
            format,
            wants: "a file of JSON Lines",
            found: "a folder",
        });
    }
    let mut lines = Lines::open(source.path, source.bounds)?;
    let mut rows = 0;
    loop {
        let flow = match lines.next_line() {
            Ok(None) => break,
            Ok(Some(line)) if is_blank(&line) => continue,
            Ok(Some(line)) => {
                rows += 1;
                match parse(&line, source.bounds, source.path) {
                    Ok((at, row)) => each(at, row, sink),
                    Err(skipped) => sink.skipped(skipped),
                }
            }
            Err(broken) => {
                let why = match broken {
                    Broken::Read(error) => SkipReason::Damaged(error.to_string()),
                    Broken::TooMuch(limit) => SkipReason::TooMuchData(limit),
                };
                let at = Location::line(source.path, lines.line_number() + 1);
                if sink.skipped(Skipped { at, why }).is_break() {
                    return Ok(());
                }
                break;
            }
        };
        if flow.is_break() || sink.progress(Progress { rows, bytes: lines.bytes_read() }).is_break() {
            return Ok(());
        }
    }
    if let Ok(fingerprint) = lines.fingerprint() {
        sink.finished(fingerprint);
    }
    Ok(())
}

fn is_blank(line: &Line<'_>) -> bool {
    line.too_long.is_none() && line.bytes.trim_ascii().is_empty()
}

fn parse(line: &Line<'_>, bounds: &Bounds, path: &Path) -> Result<(Location, Map<String, Value>), Skipped> {
    let at = Location::line(path, line.number);
    let skip = |at: Location, why| Err(Skipped { at, why });
    if let Some(length) = line.too_long {
        return skip(at, SkipReason::LineTooLong { length, limit: bounds.line_bytes as u64 });
    }
    let text = match std::str::from_utf8(line.bytes) {
        Ok(text) => text,
        Err(error) => {
            let in_line = error.valid_up_to() as u64;
            return skip(at, SkipReason::NotUtf8 { in_line, in_file: line.offset + in_line });
        }
    };
    match json::parse(text, bounds.json_values) {
        Ok(Value::Object(row)) => Ok((at, row)),
        Ok(other) => skip(at, SkipReason::NotAnObject(json::type_name(&other))),
        Err(ParseError::TooMany) => skip(at, SkipReason::TooManyValues(bounds.json_values)),
        Err(ParseError::Syntax { column, eof, message, .. }) => {
            let at = Location { column: u32::try_from(column).ok(), ..at };
            let half = eof && !line.terminated;
            // Rows that end as on an old Macintosh are one line here.
            let joined = text.trim_end().contains('\r');
            let hint =
                if joined { "; lines end with a line feed, and this one holds carriage returns" } else { "" };
            skip(at, if half { SkipReason::HalfWritten } else { SkipReason::Json(message + hint) })
        }
    }
}

/// One row, or one object inside it: typed access to its keys, each error with its place.
pub(crate) struct Keys<'a> {
    /// Where the object stands.
    pub at: Location,
    /// Dotted path of the object inside the row, empty for the row itself.
    pub prefix: String,
    /// The object; keys that were taken are gone, so that the rest are the extra ones.
    pub map: &'a mut Map<String, Value>,
}

impl Keys<'_> {
    /// The place of a key.
    pub fn place(&self, key: &str) -> Location {
        if self.prefix.is_empty() {
            self.at.at_key(key)
        } else {
            self.at.at_key(format!("{}.{key}", self.prefix))
        }
    }

    /// A skipped row because of a key.
    pub fn skip<T>(&self, key: &str, why: SkipReason) -> Result<T, Skipped> {
        Err(Skipped { at: self.place(key), why })
    }

    /// Takes a string; absent and null are `None`.
    pub fn string(&mut self, key: &str) -> Result<Option<String>, Skipped> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => {
                let found = json::type_name(&other);
                self.skip(key, SkipReason::WrongType { expected: "a string", found })
            }
        }
    }

    /// Takes the first of several names of one string that is there.
    pub fn string_of(&mut self, keys: &[&str]) -> Result<Option<String>, Skipped> {
        for key in keys {
            if let Some(text) = self.string(key)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Takes a string, or a list of strings joined by line ends.
    pub fn text_or_list(&mut self, key: &str) -> Result<Option<String>, Skipped> {
        let expected = "a list of strings";
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Array(list)) => {
                let mut parts = Vec::with_capacity(list.len());
                for (index, item) in list.into_iter().enumerate() {
                    match item {
                        Value::String(text) => parts.push(text),
                        other => {
                            let found = json::type_name(&other);
                            return self
                                .skip(&format!("{key}[{index}]"), SkipReason::WrongType { expected, found });
                        }
                    }
                }
                Ok(Some(parts.join("\n")))
            }
            Some(other) => self.skip(key, SkipReason::WrongType { expected, found: json::type_name(&other) }),
        }
    }
}

/// Tells the sink about a skipped row, or about the tasks of a good one.
pub(crate) fn hand_over(
    result: Result<crate::task::Task, Skipped>,
    at: &Location,
    sink: &mut dyn Sink,
) -> Flow {
    match result {
        Ok(task) => sink.task(task, at.clone()),
        Err(skipped) => sink.skipped(skipped),
    }
}

/// Goes on.
pub(crate) const ON: Flow = ControlFlow::Continue(());
