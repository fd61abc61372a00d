//! CoderEval's oracle context: names that the reference uses, as text for people.

use serde_json::{Map, Value};

/// The context as lines `APIs: divmod, map`; a text that is not understood stays as it is.
pub(super) fn readable(value: &Value) -> String {
    let parsed: Map<String, Value> = match value {
        Value::Object(map) => map.clone(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(map) => map,
            Err(_) => return text.clone(),
        },
        _ => return String::new(),
    };
    let mut lines = Vec::new();
    for (key, value) in &parsed {
        let names = match value {
            Value::String(text) => python_strings(text),
            Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if names.is_empty() {
            continue;
        }
        let label = match key.as_str() {
            "apis" => "APIs",
            "classes" => "Classes",
            "vars" => "Variables",
            other => other,
        };
        lines.push(format!("{label}: {}", names.join(", ")));
    }
    lines.join("\n")
}

/// The strings of a Python list display, `['a', "b"]`.
fn python_strings(text: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut chars = text.chars();
    while let Some(quote) = chars.find(|c| matches!(c, '\'' | '"')) {
        let mut string = String::new();
        while let Some(c) = chars.next() {
            match c {
                _ if c == quote => break,
                '\\' => string.extend(chars.next()),
                _ => string.push(c),
            }
        }
        if !string.is_empty() {
            strings.push(string);
        }
    }
    strings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_inside_strings_become_lines() {
        let text = r#"{ "apis" : "['divmod', 'map']", "classes" : "[]", "vars" : "[\"it's\"]" }"#;
        assert_eq!(readable(&Value::from(text)), "APIs: divmod, map\nVariables: it's");
    }

    #[test]
    fn what_is_not_understood_stays() {
        assert_eq!(readable(&Value::from("uses divmod")), "uses divmod");
        assert_eq!(readable(&serde_json::json!({"apis": ["a", "b"], "new": "['c']"})), "APIs: a, b\nnew: c");
        assert_eq!(readable(&Value::from(r#"{"apis": "['unfinished"}"#)), "APIs: unfinished");
    }
}
