//! JSON from outside: parsed with a bound, and its keys seen in a text that was cut.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Why a text was not taken.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// Not JSON; `eof` where the text ends too early.
    Syntax { column: u64, eof: bool, message: String },
    /// More values than the bound.
    TooMany,
}

/// Parses one JSON value of at most `most` values (a short text can stand for a very large structure).
pub(crate) fn parse(text: &str, most: usize) -> Result<Value, ParseError> {
    let left = Cell::new(most);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Bounded(&left).deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    parsed.map_err(|error| {
        if left.get() == 0 {
            return ParseError::TooMany;
        }
        let message = error.to_string();
        // The place is given apart.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text).to_owned();
        let (line, byte) = (error.line(), error.column());
        let column = column_in_characters(text, line, byte);
        ParseError::Syntax { column, eof: error.is_eof(), message }
    })
}

/// serde_json counts columns in bytes; people count characters.
fn column_in_characters(text: &str, line: usize, byte: usize) -> u64 {
    let Some(line) = text.split('\n').nth(line.saturating_sub(1)) else { return byte as u64 };
    let before = line.char_indices().take_while(|(at, _)| *at < byte.saturating_sub(1)).count();
    before as u64 + 1
}

struct Bounded<'a>(&'a Cell<usize>);

impl<'a> Bounded<'a> {
    fn again(&self) -> Bounded<'a> {
        Bounded(self.0)
    }

    fn count<E: serde::de::Error>(&self) -> Result<(), E> {
        match self.0.get() {
            0 | 1 => {
                self.0.set(0);
                Err(E::custom("too many values"))
            }
            left => {
                self.0.set(left - 1);
                Ok(())
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element_seed(self.again())? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "the key `{}` stands twice in one object",
                    super::skipped::clip(&key, 60)
                )));
            }
            let value = access.next_value_seed(self.again())?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// What a value is, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The top-level keys of the object that `text` begins with, as far as it goes: the text may be cut
/// anywhere. `None` when it does not begin as an object with a key does.
pub(crate) fn peek_keys(text: &[u8]) -> Option<Vec<String>> {
    let mut rest = text.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
    let mut keys = Vec::new();
    while let Some((raw, after)) = take_string(rest) {
        let Some(after) = after.trim_ascii_start().strip_prefix(b":") else { break };
        let Ok(key) = serde_json::from_slice::<String>(raw) else { break };
        keys.push(key);
        let Some(after) = skip_value(after) else { break };
        match after.first() {
            Some(b',') if keys.len() < 200 => rest = after[1..].trim_ascii_start(),
            _ => break,
        }
    }
    (!keys.is_empty()).then_some(keys)
}

/// A string literal with its quotes, and what follows it.
fn take_string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return Some(text.split_at(at + 1)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// What follows a value: at a `,`, a `}` or a `]` of the enclosing object.
fn skip_value(mut text: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_usize;
    loop {
        match text.first()? {
            b'"' => {
                text = take_string(text)?.1;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(text),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return Some(text),
            _ => {}
        }
        text = &text[1..];
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
