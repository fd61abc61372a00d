//! JSON Lines, safe to be looked at.
//!
//! Promises: one object on one line; every string reads back unchanged; characters that a terminal would
//! obey, or that hide or reorder text, are written as `\u…`.

use crate::text::is_hidden;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Result, Value};
use std::io::{self, Write};

/// Writes an object without a line feed.
pub fn write(writer: &mut dyn Write, value: &Value) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(writer, Escaping))
}

/// The compact form, with more characters escaped.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.bytes().all(|byte| byte < 0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut from = 0;
        for (at, character) in fragment.char_indices().filter(|(_, character)| is_hidden(*character)) {
            writer.write_all(&fragment.as_bytes()[from..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + character.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[from..])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(value: &Value) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes, value).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_commands_or_hides_is_escaped_and_the_rest_is_not() {
        for (text, expected) in [
            ("plain \"text\"\n", r#""plain \"text\"\n""#),
            ("\u{1b}[31m\u{7f}\u{9b}", r#""\u001b[31m\u007f\u009b""#),
            ("Größe → 数 é", "\"Größe → 数 é\""),
            ("a\u{202e}b\u{feff}", r#""a\u202eb\ufeff""#),
            ("\u{e0041}", r#""\udb40\udc41""#),
        ] {
            assert_eq!(written(&json!(text)), expected);
        }
    }

    proptest! {
        #[test]
        fn every_string_reads_back_unchanged(text in "(\\PC|\\pC|[\u{80}-\u{9f}\u{202a}-\u{202e}]){0,40}") {
            let line = written(&json!({ text.clone(): [text] }));
            prop_assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
            prop_assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), json!({ text.clone(): [text] }));
        }
    }
}
