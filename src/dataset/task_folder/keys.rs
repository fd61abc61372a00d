//! Typed access to the tables of a `task.toml`, which gathers every problem with its line.

use super::schema;
use crate::dataset::skipped::{Problem, clip};
use crate::task::Command;
use crate::task::paths::check_path;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Problems kept of one file.
const MOST: usize = 50;

/// The text of a file and the problems found in it.
pub(crate) struct Document<'t> {
    text: &'t str,
    problems: RefCell<Vec<Problem>>,
    more: RefCell<usize>,
}

impl<'t> Document<'t> {
    pub(crate) fn new(text: &'t str) -> Document<'t> {
        Document { text, problems: RefCell::default(), more: RefCell::default() }
    }

    /// Line and column (in characters) of a byte, both from 1.
    fn place(&self, byte: usize) -> (u64, u64) {
        let bytes = self.text.as_bytes();
        let before = &bytes[..byte.min(bytes.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() as u64 + 1;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        // A continuation byte of UTF-8 is no character of its own.
        let column = before[start..].iter().filter(|b| (**b & 0xc0) != 0x80).count() as u64 + 1;
        (line, column)
    }

    pub(crate) fn problem(&self, span: Option<Range<usize>>, key: &str, text: impl Into<String>) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() == MOST {
            *self.more.borrow_mut() += 1;
            return;
        }
        let place = span.map(|span| self.place(span.start));
        problems.push(Problem {
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            key: clip(key, 100),
            text: text.into(),
        });
    }

    /// Whether another problem would only be counted.
    fn is_full(&self) -> bool {
        self.problems.borrow().len() == MOST
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// All problems, in the order of the lines.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| (problem.line.unwrap_or(u64::MAX), problem.column));
        let more = self.more.into_inner();
        if more > 0 {
            let text = format!("and {more} more problems");
            problems.push(Problem { line: None, column: None, key: String::new(), text });
        }
        problems
    }
}

/// One table of a document.
pub(crate) struct Section<'d, 't> {
    document: &'d Document<'t>,
    table: &'d DeTable<'t>,
    /// Name in [`schema::KEYS`].
    name: &'static str,
    /// Path for messages: `target[2]`.
    path: String,
}

type Item<'d, 't> = &'d Spanned<DeValue<'t>>;

impl<'d, 't> Section<'d, 't> {
    pub(crate) fn root(document: &'d Document<'t>, table: &'d DeTable<'t>) -> Section<'d, 't> {
        Section { document, table, name: "", path: String::new() }
    }

    pub(crate) fn key_path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(crate) fn item(&self, key: &str) -> Option<Item<'d, 't>> {
        self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, item)| item)
    }

    pub(crate) fn problem(&self, key: &str, text: impl Into<String>) {
        let span = self.item(key).map(Spanned::span);
        self.document.problem(span, &self.key_path(key), text);
    }

    fn wrong_type(&self, path: &str, item: Item<'_, '_>, expected: &str) {
        let text = format!("expected {expected}, found {}", type_name(item.get_ref()));
        self.document.problem(Some(item.span()), path, text);
    }

    pub(crate) fn string(&self, key: &str) -> Option<String> {
        let item = self.item(key)?;
        match item.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => {
                self.wrong_type(&self.key_path(key), item, "a string");
                None
            }
        }
    }

    /// A string that must be there and hold something.
    pub(crate) fn required(&self, key: &str, example: &str) -> String {
        match self.string(key) {
            Some(text) if text.trim().is_empty() => {
                self.problem(key, "is empty");
                text
            }
            Some(text) => text,
            None if self.item(key).is_none() => {
                self.document.problem(
                    None,
                    &self.key_path(key),
                    format!("missing; write `{key} = {example}`"),
                );
                String::new()
            }
            None => String::new(),
        }
    }

    /// A list of strings; absent is empty.
    pub(crate) fn strings(&self, key: &str) -> Vec<String> {
        let Some(item) = self.item(key) else { return Vec::new() };
        self.string_list(key, item, "a list of strings")
    }

    fn string_list(&self, key: &str, item: Item<'_, '_>, expected: &str) -> Vec<String> {
        let DeValue::Array(list) = item.get_ref() else {
            self.wrong_type(&self.key_path(key), item, expected);
            return Vec::new();
        };
        let mut strings = Vec::with_capacity(list.len());
        for (index, element) in list.iter().enumerate() {
            match element.get_ref() {
                DeValue::String(text) => strings.push(text.to_string()),
                _ => self.wrong_type(&format!("{}[{}]", self.key_path(key), index + 1), element, "a string"),
            }
        }
        strings
    }

    /// A number that is not negative.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        let item = self.item(key)?;
        let DeValue::Integer(number) = item.get_ref() else {
            self.wrong_type(&self.key_path(key), item, "a whole number");
            return None;
        };
        let count = u64::from_str_radix(number.as_str().trim_start_matches('+'), number.radix()).ok();
        // TOML's own range ends there, and a larger number could not be written back.
        let count = count.filter(|count| i64::try_from(*count).is_ok());
        if count.is_none() {
            self.problem(key, format!("`{}` is not a number from 0 to 2^63 - 1", clip(number.as_str(), 30)));
        }
        count
    }

    /// A command: a list of arguments, or a line for `sh -c`.
    pub(crate) fn command(&self, key: &str) -> Option<Command> {
        let item = self.item(key)?;
        match item.get_ref() {
            DeValue::String(line) => Some(Command::Shell(line.to_string())),
            _ => {
                let expected = "a list of arguments, or one string for `sh -c`";
                Some(Command::Arguments(self.string_list(key, item, expected)))
            }
        }
    }

    /// One of several words.
    pub(crate) fn choice<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Option<T> {
        let word = self.string(key)?;
        let value = parse(&word);
        if value.is_none() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            self.problem(key, format!("`{}` is none of {}", clip(&word, 40), words.join(", ")));
        }
        value
    }

    /// A path inside the task's tree.
    pub(crate) fn path(&self, key: &str) -> Option<String> {
        let path = self.string(key)?;
        match check_path(&path) {
            Ok(()) => Some(path),
            Err(reason) => {
                self.problem(key, format!("`{}`: {reason}", clip(&path, 100)));
                None
            }
        }
    }

    /// The table of this name.
    pub(crate) fn section(&self, name: &'static str) -> Option<Section<'d, 't>> {
        let item = self.item(name)?;
        match item.get_ref() {
            DeValue::Table(table) => {
                Some(Section { document: self.document, table, name, path: self.key_path(name) })
            }
            _ => {
                self.wrong_type(&self.key_path(name), item, &format!("a table `[{name}]`"));
                None
            }
        }
    }

    /// The tables of this name.
    pub(crate) fn sections(&self, name: &'static str) -> Vec<Section<'d, 't>> {
        let Some(item) = self.item(name) else { return Vec::new() };
        let expected = format!("tables `[[{name}]]`");
        let DeValue::Array(list) = item.get_ref() else {
            self.wrong_type(&self.key_path(name), item, &expected);
            return Vec::new();
        };
        let mut sections = Vec::with_capacity(list.len());
        for (index, element) in list.iter().enumerate() {
            let path = format!("{}[{}]", self.key_path(name), index + 1);
            match element.get_ref() {
                DeValue::Table(table) => {
                    sections.push(Section { document: self.document, table, name, path });
                }
                _ => self.wrong_type(&path, element, "a table"),
            }
        }
        sections
    }

    /// Names every key that the schema does not have.
    pub(crate) fn refuse_unknown(&self) {
        let known = schema::keys_of(self.name);
        for name in self.table.keys() {
            if !known.contains(&name.get_ref().as_ref()) {
                let path = self.key_path(name.get_ref());
                let full = self.document.is_full();
                let text = if full { String::new() } else { schema::unknown(self.name, name.get_ref()) };
                self.document.problem(Some(name.span()), &path, text);
            }
        }
    }

    /// All keys with their values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'d str, Item<'d, 't>)> {
        self.table.iter().map(|(name, item)| (name.get_ref().as_ref(), item))
    }
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
