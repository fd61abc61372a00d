//! One function of a file replaced by one of an answer, by the spans of the syntax tree.
//!
//! Promises: nothing outside the old function's span changes; decorators, attributes, annotations and
//! documentation comments stay unless the answer brings its own.
//! Leaves to others: which function replaces which (`code`).

use super::indent::{Moved, moved, of_line};
use crate::repair::extract::Code;
use crate::repair::file::{Edit, plain};
use crate::syntax::Definition;
use std::ops::Range;

/// Declarations in which a function is the value of something named.
fn is_assigned(node: &str) -> bool {
    matches!(node, "variable_declarator" | "assignment_expression" | "pair" | "field_definition")
}

/// The edit that puts `new` in the place of `old`, and whether the text had to be changed for it.
pub(super) fn replace(file: &str, old: &Definition, code: &Code, new: &Definition) -> (Edit, bool) {
    let brings_marks = new.core > new.span.bytes.start;
    let (mut old_range, mut new_range) = if brings_marks {
        (old.span.bytes.clone(), new.span.bytes.clone())
    } else {
        (old.core..old.span.bytes.end, new.core..new.span.bytes.end)
    };
    let mut before = String::new();
    let mut skipped = 0;
    if old.node != new.node {
        match (is_assigned(&old.node), is_assigned(&new.node)) {
            (true, _) if old.node != "field_definition" || !is_assigned(&new.node) => {
                // What it is assigned to stays: `off = ` before whatever function came.
                before = head(file, old);
                new_range.start = value_start(&code.text, new);
                if new.node == "method_definition" {
                    before.push_str("function ");
                }
            }
            (false, true) if old.node == "function_declaration" => new_range = new.statement.clone(),
            _ if old.node == "method_definition" && new.node == "function_declaration" => {
                let text = code.text.get(new_range.clone()).unwrap_or_default();
                for (word, kept) in [("async function ", "async "), ("function ", "")] {
                    if text.starts_with(word) {
                        kept.clone_into(&mut before);
                        skipped = word.len();
                        break;
                    }
                }
            }
            _ if old.node == "function_declaration" && new.node == "method_definition" => {
                "function ".clone_into(&mut before)
            }
            _ => {}
        }
    } else if let Some(documented) = documentation(file, old_range.start, &code.text, new_range.start) {
        (old_range.start, new_range.start) = documented;
    }
    let target = of_line(file, old_range.start).to_owned();
    let empty = Vec::new();
    let literals = code.outline.as_ref().map_or(&empty, |outline| &outline.literals);
    let given = code.text.get(new_range.clone()).unwrap_or_default();
    let like = plain(file.get(old_range.clone()).unwrap_or_default());
    let text = moved(&Moved { text: &code.text, range: new_range.clone(), literals }, &target, &like);
    let changed = text != given || !before.is_empty() || skipped > 0;
    let text = format!("{before}{}", text.get(skipped..).unwrap_or_default());
    (Edit { range: old_range, text }, changed)
}

/// What stands before the value of an assigned function.
fn head(file: &str, old: &Definition) -> String {
    let start = old.core;
    file.get(start..value_start(file, old)).unwrap_or_default().to_owned()
}

/// Where the value of an assigned function begins; other functions begin where they begin.
fn value_start(text: &str, definition: &Definition) -> usize {
    if !is_assigned(&definition.node) {
        return definition.core;
    }
    let sign = if definition.node == "pair" { ':' } else { '=' };
    let whole = text.get(definition.core..definition.span.bytes.end).unwrap_or_default();
    let Some(at) = whole.find(sign) else { return definition.core };
    let rest = &whole[at + 1..];
    definition.core + at + 1 + (rest.len() - rest.trim_start().len())
}

/// Where both functions begin with their documentation comments, where the answer brings one.
fn documentation(file: &str, old: usize, answer: &str, new: usize) -> Option<(usize, usize)> {
    let new_start = comment_above(answer, new)?;
    Some((comment_above(file, old).unwrap_or(old), new_start))
}

/// The beginning of the documentation comment (`///`, `/** … */`) that ends on the line above.
fn comment_above(text: &str, at: usize) -> Option<usize> {
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    if !text.get(line_start..at)?.trim().is_empty() {
        return None;
    }
    let above = text.get(..line_start)?;
    let mut start = None;
    let mut end = above.len();
    let mut in_block = false;
    for line in above.split_inclusive('\n').rev() {
        let begin = end - line.len();
        let words = line.trim();
        if in_block {
            if let Some(lead) = line.find("/**") {
                start = line.get(..lead)?.trim().is_empty().then_some(begin + lead);
                break;
            } else if !words.starts_with('*') || begin + 4000 < above.len() {
                return start;
            }
        } else if words.starts_with("///") && !words.starts_with("////") {
            start = Some(begin + (line.len() - line.trim_start().len()));
        } else if start.is_none() && words.ends_with("*/") {
            match line.find("/**") {
                Some(lead) => {
                    start = line.get(..lead)?.trim().is_empty().then_some(begin + lead);
                    break;
                }
                None if words.starts_with('*') => in_block = true,
                None => break,
            }
        } else {
            break;
        }
        end = begin;
    }
    start
}

/// The lines of a place, from 0, as a range.
pub(super) fn lines_of(text: &str, range: &Range<usize>) -> Range<usize> {
    let count =
        |end: usize| text.get(..end).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count();
    let first = count(range.start);
    first
        ..first
            + text.get(range.clone()).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count()
            + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::repair::extract::tidy;
    use crate::syntax::outline;

    fn spliced(language: &str, file: &str, answer: &str) -> String {
        let old = outline(language, file).unwrap();
        let code = tidy(language, answer);
        let new = code.outline.clone().unwrap();
        let (edit, _) = replace(file, &old.definitions[0], &code, &new.definitions[0]);
        let mut text = file.to_owned();
        text.replace_range(edit.range, &edit.text);
        text
    }

    #[test]
    fn marks_and_documentation_stay_or_come() {
        for (language, file, answer, expected) in [
            ("python", "@a\ndef f(): pass\n", "def f(): return 1\n", "@a\ndef f(): return 1\n"),
            ("python", "@a\ndef f(): pass\n", "@b\ndef f(): return 1\n", "@b\ndef f(): return 1\n"),
            (
                "python",
                "class C:\n    @a\n    def f(self):\n        pass\n",
                "@b\ndef f(self):\n    return 1\n",
                "class C:\n    @b\n    def f(self):\n        return 1\n",
            ),
            ("rust", "/// Old.\n#[a]\nfn f() {}\n", "fn f() { g() }\n", "/// Old.\n#[a]\nfn f() { g() }\n"),
            (
                "rust",
                "/// Old.\n/// More.\nfn f() {}\n",
                "/// New.\nfn f() { g() }\n",
                "/// New.\nfn f() { g() }\n",
            ),
            (
                "java",
                "class C {\n    @Override\n    public int f() { return 0; }\n}\n",
                "public int f() {\n    return 1;\n}\n",
                "class C {\n    @Override\n    public int f() {\n        return 1;\n    }\n}\n",
            ),
            (
                "javascript",
                "class C {\n  /** Old.\n   * More. */\n  f() {}\n}\n",
                "/** New. */\nf() { return 1; }\n",
                "class C {\n  /** New. */\n  f() { return 1; }\n}\n",
            ),
            (
                "cpp",
                "template <class T>\nT f(T x) { return x; }\n",
                "T f(T x) { return x + 1; }\n",
                "template <class T>\nT f(T x) { return x + 1; }\n",
            ),
        ] {
            assert_eq!(spliced(language, file, answer), expected, "{answer}");
        }
    }

    #[test]
    fn javascript_has_many_ways() {
        for (file, answer, expected) in [
            (
                "const f = (x) => x;\n",
                "function f(x) { return 1; }\n",
                "const f = function f(x) { return 1; };\n",
            ),
            ("const f = (x) => x;\n", "const f = (x) => 1;\n", "const f = (x) => 1;\n"),
            ("export const f = (x) => x;\n", "let f = (x) => 1;\n", "export const f = (x) => 1;\n"),
            ("function f(x) { return x; }\n", "const f = (x) => 1;\n", "const f = (x) => 1;\n"),
            (
                "exports.f = function (x) {};\n",
                "function f(x) { return 1; }\n",
                "exports.f = function f(x) { return 1; };\n",
            ),
            ("exports.f = function (x) {};\n", "const f = (x) => 1;\n", "exports.f = (x) => 1;\n"),
            (
                "class C {\n  f(x) {}\n}\n",
                "function f(x) {\n  return 1;\n}\n",
                "class C {\n  f(x) {\n    return 1;\n  }\n}\n",
            ),
            (
                "const o = {\n  f: function (x) {},\n};\n",
                "function f(x) { return 1; }\n",
                "const o = {\n  f: function f(x) { return 1; },\n};\n",
            ),
            ("function f(x) {}\n", "f(x) { return 1; }\n", "function f(x) { return 1; }\n"),
        ] {
            assert_eq!(spliced("javascript", file, answer), expected, "{answer}");
        }
    }
}
