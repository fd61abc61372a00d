//! What servers, terminals and prompts leave on code, taken off again.
//!
//! Promises: each step says that it was taken; a step that could change code is taken only where the code
//! does not parse as it is and parses afterwards.
//! Leaves to others: indentation and line ends (`repair::apply`).

use crate::syntax::{Outline, outline_of_part};

/// Code with its outline.
#[derive(Debug, Clone, Default)]
pub(in crate::repair) struct Code {
    /// The text, tidied.
    pub text: String,
    /// What it consists of; `None` without a grammar, or where the text is too long or degenerate.
    pub outline: Option<Outline>,
    /// What was done to it.
    pub notes: Vec<&'static str>,
}

impl Code {
    /// Errors of the parser; none where nobody could look.
    pub(in crate::repair) fn errors(&self) -> usize {
        self.outline.as_ref().map_or(0, |outline| outline.errors.len())
    }
}

/// Marks at which some servers forget to cut.
const STOPS: [&str; 8] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "<end_of_turn>",
];

const STOP_NOTE: &str = "an end-of-answer mark was cut off";

/// Reads a text as code of a language.
pub(in crate::repair) fn tidy(language: &str, text: &str) -> Code {
    let mut notes = Vec::new();
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    if text.contains('\r') {
        text = text.replace("\r\n", "\n");
    }
    if text.contains('\u{1b}') {
        text = without_escapes(&text);
        notes.push("terminal colours were taken out");
    }
    while let Some(stop) = STOPS.iter().find(|stop| text.trim_end().ends_with(**stop)) {
        let length = text.trim_end().len() - stop.len();
        text.truncate(length);
        if notes.last() != Some(&STOP_NOTE) {
            notes.push(STOP_NOTE);
        }
    }
    if let Some(bare) = without_prompts(&text) {
        text = bare;
        notes.push("the prompts of an interactive session were taken off");
    } else if let Some(bare) = without_numbers(&text) {
        text = bare;
        notes.push("line numbers were taken off");
    }
    let outline = outline_of_part(language, &text);
    let code = Code { text, outline, notes };
    if code.errors() == 0 { code } else { repaired(language, code) }
}

/// What is told about a change, and the change.
type Variant = (&'static str, fn(&str) -> String);

/// A reading of code that does not parse which does.
fn repaired(language: &str, code: Code) -> Code {
    let variants: [Variant; 3] = [
        ("HTML entities were decoded", entities),
        ("typographic quotes, dashes and blanks were made plain", punctuation),
        ("escaped line ends were made line ends", escapes),
    ];
    for (note, change) in variants {
        let text = change(&code.text);
        if text == code.text {
            continue;
        }
        let outline = outline_of_part(language, &text);
        if outline.as_ref().is_some_and(|outline| outline.errors.is_empty()) {
            let notes = [code.notes, vec![note]].concat();
            return Code { text, outline, notes };
        }
    }
    code
}

fn entities(text: &str) -> String {
    let mut plain = text.to_owned();
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, character);
    }
    plain
}

/// Punctuation that word processors make, as programs write it.
pub(in crate::repair) fn punctuation(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => plain.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => plain.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => plain.push(' '),
            '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '\u{2026}' => plain.push_str("..."),
            other => plain.push(other),
        }
    }
    plain
}

fn escapes(text: &str) -> String {
    if text.trim_end().contains('\n') {
        return text.to_owned();
    }
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"")
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
        } else if characters.next_if_eq(&'[').is_some() {
            while characters.next().is_some_and(|character| !('@'..='~').contains(&character)) {}
        }
    }
    plain
}

/// The code of a text nine tenths of whose lines are numbered one after the other.
fn without_numbers(text: &str) -> Option<String> {
    let split = |line: &'_ str| -> Option<(u32, usize)> {
        let lead = line.len() - line.trim_start().len();
        let digits = line[lead..].bytes().take_while(u8::is_ascii_digit).count();
        let number = line[lead..lead + digits].parse().ok()?;
        let rest = &line[lead + digits..];
        let gap = rest.len() - rest.trim_start_matches(' ').len();
        let mark = rest[gap..].chars().next()?;
        let end = lead + digits + gap + mark.len_utf8();
        matches!(mark, '|' | '│' | ':' | '\t').then_some((number, end))
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let numbers: Vec<u32> = lines.iter().filter_map(|line| split(line)).map(|(number, _)| number).collect();
    let grows = numbers.windows(2).all(|two| two[1] > two[0]);
    if filled < 2 || numbers.len() * 10 < filled * 9 || !grows {
        return None;
    }
    let bare = lines.iter().map(|line| {
        let Some((_, end)) = split(line) else { return *line };
        let rest = &line[end..];
        // One blank between the mark and the code belongs to the mark.
        if line[..end].ends_with('\t') { rest } else { rest.strip_prefix(' ').unwrap_or(rest) }
    });
    Some(bare.collect())
}

/// The code of an interactive session nine tenths of whose lines carry a prompt.
fn without_prompts(text: &str) -> Option<String> {
    let split = |line: &'_ str| {
        let line = line.trim_end_matches('\n');
        [">>> ", "... "].iter().any(|prompt| line.starts_with(prompt)) || matches!(line, ">>>" | "...")
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let carried = lines.iter().filter(|line| split(line)).count();
    if filled < 2 || carried * 10 < filled * 9 || !text.trim_start().starts_with(">>>") {
        return None;
    }
    Some(
        lines
            .iter()
            .filter(|line| split(line))
            .map(|line| line.get(4..).filter(|code| !code.is_empty()).unwrap_or("\n"))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_off() {
        for (language, text, expected, note) in [
            ("python", "1 | def f():\n2 |     return 1\n", "def f():\n    return 1\n", "line numbers"),
            ("python", "  9: def f():\n 10:     return 1\n", "def f():\n    return 1\n", "line numbers"),
            ("python", "1\tdef f():\n2\t    return 1\n", "def f():\n    return 1\n", "line numbers"),
            ("python", ">>> def f():\n...     return 1\n...\n", "def f():\n    return 1\n\n", "prompts"),
            ("c", "\u{1b}[31mint\u{1b}[0m x;\n", "int x;\n", "colours"),
            (
                "c",
                "int f(int a) { if (a &lt; 2) return 1; return 2; }\n",
                "int f(int a) { if (a < 2) return 1; return 2; }\n",
                "entities",
            ),
            (
                "python",
                "def f():\n    return \u{201c}a\u{201d}\n",
                "def f():\n    return \"a\"\n",
                "typographic",
            ),
            ("python", "def f():\\n    return 1", "def f():\n    return 1", "line ends"),
            ("c", "int x;\n<|im_end|>", "int x;\n", "end-of-answer"),
            ("python", "x = {\n    1: 2,\n    2: 3,\n}\n", "x = {\n    1: 2,\n    2: 3,\n}\n", ""),
            ("python", "s = \"&lt; \u{201c}\"\n", "s = \"&lt; \u{201c}\"\n", ""),
        ] {
            let code = tidy(language, text);
            assert_eq!(code.text, expected, "{text}");
            assert_eq!(code.notes.is_empty(), note.is_empty(), "{text}: {:?}", code.notes);
            assert!(code.notes.join(" ").contains(note), "{text}: {:?}", code.notes);
        }
    }
}
