//! Reading values out of the tables of a codebook's file, and where in the file they stand.
//!
//! Promises: a value of the wrong type is told once, with what it must be; of a place about which something was
//! said, the rules say nothing more.
//! Leaves to others: what keys there are (`read`), what they may say (`rules`).

use super::flaw::hint;
use super::{Flaw, Place, Problem};
use crate::label::value::Finite;
use crate::text::truncate;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Most entries of a list of texts.
const MOST_TEXTS: usize = 100;

/// A table of the file, and what it is about.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub table: &'a DeTable<'a>,
    pub question: Option<usize>,
    pub answer: Option<usize>,
}

impl Fields<'_> {
    fn place(&self, field: &'static str) -> Place {
        Place { question: self.question, answer: self.answer, field }
    }
}

/// A problem on its way to a message: offset, place, key, what.
type Told = (usize, Place, String, Problem);

/// Collects problems.
pub(super) struct Reader<'a> {
    text: &'a str,
    told: Vec<Told>,
    said: HashSet<Place>,
    spans: HashMap<Place, usize>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Reader<'a> {
        // Offsets count from behind a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Reader { text, told: Vec::new(), said: HashSet::new(), spans: HashMap::new() }
    }

    /// Where the table itself stands: for what is missing in it.
    pub fn stands_at(&mut self, fields: &Fields<'_>, at: Range<usize>) {
        self.spans.insert(fields.place(""), at.start);
    }

    /// Where a key stands.
    pub fn stands_at_key(&mut self, fields: &Fields<'_>, key: &'static str) {
        let at = fields.table.get_key_value(key).map(|(key, _)| key.span().start);
        if let Some(at) = at {
            self.spans.insert(fields.place(key), at);
        }
    }

    pub fn problem_at(&mut self, place: Place, at: Range<usize>, problem: Problem) {
        self.said.insert(place);
        self.told.push((at.start, place, place.field.to_owned(), problem));
    }

    pub fn problem(&mut self, fields: &Fields<'_>, key: &'static str, problem: Problem) {
        self.stands_at_key(fields, key);
        let place = fields.place(key);
        let at = self.offset(place);
        self.problem_at(place, at..at, problem);
    }

    /// What the rules found, unless something was said about the place already.
    pub fn flaw(&mut self, flaw: Flaw) {
        if !self.said.contains(&flaw.place) {
            let at = self.offset(flaw.place);
            self.told.push((at, flaw.place, flaw.place.field.to_owned(), flaw.problem));
        }
    }

    /// The key, else its table, else the table around that, else the start.
    fn offset(&self, place: Place) -> usize {
        let answer = Place { field: "", ..place };
        let question = Place { answer: None, ..answer };
        [place, answer, question].iter().find_map(|place| self.spans.get(place)).copied().unwrap_or(0)
    }

    /// All problems by line: (line, place, key, what).
    pub fn finish(mut self) -> Vec<Told> {
        self.told.sort_by_key(|(at, ..)| *at);
        let bytes = self.text.as_bytes();
        let (mut line, mut from) = (1, 0);
        for (at, ..) in &mut self.told {
            let to = (*at).min(bytes.len());
            line += bytes[from..to].iter().filter(|byte| **byte == b'\n').count();
            (*at, from) = (line, to);
        }
        self.told
    }

    pub fn wrong_type(
        &mut self,
        fields: &Fields<'_>,
        key: &'static str,
        wanted: &'static str,
        found: &DeValue<'_>,
    ) {
        self.problem(fields, key, Problem::WrongType { wanted, found: type_of(found) });
    }

    pub fn unknown(&mut self, fields: &Fields<'_>, key: &Spanned<Cow<'_, str>>, hint: String) {
        let name = truncate(key.get_ref(), 70).into_owned();
        // Many unknown keys stand in one table, and each is told.
        self.told.push((key.span().start, fields.place(""), name, Problem::UnknownKey(hint)));
    }

    pub fn refuse_unknown(&mut self, fields: &Fields<'_>, known: &[&'static str]) {
        for key in fields.table.keys() {
            let name = key.get_ref().as_ref();
            match known.iter().find(|known| **known == name) {
                Some(known) => self.stands_at_key(fields, known),
                None => self.unknown(fields, key, hint(name, known.iter().copied())),
            }
        }
    }

    pub fn text(&mut self, fields: &Fields<'_>, key: &'static str) -> Option<String> {
        self.text_within(fields, key, key)
    }

    /// A text whose mistakes are told about the key `outer`.
    pub fn text_within(&mut self, fields: &Fields<'_>, key: &str, outer: &'static str) -> Option<String> {
        match fields.table.get(key)?.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            other => {
                self.wrong_type(fields, outer, "a text in quotes", other);
                None
            }
        }
    }

    /// A list of texts; with `or_one`, one text is a list of it.
    pub fn texts(&mut self, fields: &Fields<'_>, key: &'static str, or_one: bool) -> Vec<String> {
        match fields.table.get(key).map(Spanned::get_ref) {
            Some(DeValue::String(text)) if or_one => vec![text.to_string()],
            _ => self.texts_within(fields, key, key),
        }
    }

    /// A list of texts whose mistakes are told about the key `outer`.
    pub fn texts_within(&mut self, fields: &Fields<'_>, key: &str, outer: &'static str) -> Vec<String> {
        let Some(value) = fields.table.get(key) else { return Vec::new() };
        let wanted = "a list of texts in quotes";
        let DeValue::Array(values) = value.get_ref() else {
            self.wrong_type(fields, outer, wanted, value.get_ref());
            return Vec::new();
        };
        if values.len() > MOST_TEXTS {
            self.problem(fields, outer, Problem::TooMany { found: values.len(), most: MOST_TEXTS });
            return Vec::new();
        }
        let mut texts = Vec::new();
        for value in values {
            match value.get_ref() {
                DeValue::String(text) => texts.push(text.to_string()),
                other => {
                    self.wrong_type(fields, outer, wanted, other);
                    break;
                }
            }
        }
        texts
    }

    pub fn integer(&mut self, fields: &Fields<'_>, key: &'static str) -> Option<i64> {
        let value = fields.table.get(key)?.get_ref();
        let number = match value {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if number.is_none() {
            self.wrong_type(fields, key, "a whole number", value);
        }
        number
    }

    pub fn number(&mut self, fields: &Fields<'_>, key: &'static str) -> Option<Finite> {
        let value = fields.table.get(key)?.get_ref();
        let number = match value {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let number = number.and_then(Finite::new);
        if number.is_none() {
            self.wrong_type(fields, key, "a finite number", value);
        }
        number
    }

    pub fn boolean(&mut self, fields: &Fields<'_>, key: &'static str) -> Option<bool> {
        match fields.table.get(key)?.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            other => {
                self.wrong_type(fields, key, "true or false", other);
                None
            }
        }
    }

    pub fn choice(
        &mut self,
        fields: &Fields<'_>,
        key: &'static str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let found = self.text(fields, key)?;
        let choice = known.iter().copied().find(|known| *known == found);
        if choice.is_none() {
            let hint = hint(&found, known.iter().copied());
            let found = truncate(&found, 70).into_owned();
            self.problem(fields, key, Problem::Choice { found, hint });
        }
        choice
    }

    /// The tables of an array of tables, at most one more than `most`, so that too many are noticed.
    pub fn tables<'t>(
        &mut self,
        fields: &Fields<'t>,
        key: &'static str,
        wanted: &'static str,
        most: usize,
    ) -> Vec<(Range<usize>, &'t DeTable<'t>)> {
        let Some(value) = fields.table.get(key) else { return Vec::new() };
        let DeValue::Array(values) = value.get_ref() else {
            self.wrong_type(fields, key, wanted, value.get_ref());
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in values.iter().take(most + 1) {
            match value.get_ref() {
                DeValue::Table(table) => tables.push((value.span(), table)),
                other => self.wrong_type(fields, key, wanted, other),
            }
        }
        tables
    }
}

const fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
