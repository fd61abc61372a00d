//! Moving code from the indentation that it was answered with to the one of its new place.
//!
//! Promises: lines of string literals are never moved; blank lines stay; code that stands right already is
//! given back as it is.
//! Leaves to others: what is moved where (`splice`, `lines`).

use std::ops::Range;

/// The white space that the line of a place begins with.
pub(super) fn of_line(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..).unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

/// Code to be moved.
#[derive(Debug, Clone)]
pub(super) struct Moved<'a> {
    /// The text that the code is a part of.
    pub text: &'a str,
    /// The code.
    pub range: Range<usize>,
    /// String literals of more than one line in the text.
    pub literals: &'a [Range<usize>],
}

/// The code without the indentation of its first line, its other lines moved from where they stand to
/// `target`; `like` is code of the new place, whose tabs or blanks are taken over.
pub(super) fn moved(code: &Moved<'_>, target: &str, like: &str) -> String {
    let text = code.text.get(code.range.clone()).unwrap_or_default();
    let base = of_line(code.text, code.range.start);
    let others: Vec<(usize, &str)> = lines(text).skip(1).collect();
    let literal = |at: usize| {
        code.literals
            .iter()
            .any(|literal| literal.start < code.range.start + at && code.range.start + at < literal.end)
    };
    let movable: Vec<&str> = others
        .iter()
        .filter(|(at, line)| !line.trim().is_empty() && !literal(*at))
        .map(|(_, line)| *line)
        .collect();
    // Cut out of its place: the first line lost its indentation, the others did not.
    let deep = |line: &&str| {
        let own = blanks(line);
        let closes = line.trim_start().starts_with(['}', ')', ']']);
        own.starts_with(target) && (own.len() > target.len() || closes)
    };
    if base.is_empty() && !target.is_empty() && !movable.is_empty() && movable.iter().all(deep) {
        return text.to_owned();
    }
    // At the margin a function may keep its own habit.
    let style = if target.is_empty() && base.is_empty() { None } else { style(&movable, like) };
    let change = Change { base, target, style };
    let mut new = String::with_capacity(text.len());
    for (number, (at, line)) in lines(text).enumerate() {
        if number == 0 || line.trim().is_empty() || literal(at) {
            new.push_str(line);
        } else {
            change.line(line, &mut new);
        }
    }
    new
}

/// Lines, all of them moved so that the block begins with `target`. `first_decides`: the language has no
/// labels, and the first line says how deep the block is.
pub(super) fn moved_lines(
    text: &str,
    literals: &[Range<usize>],
    target: &str,
    like: &str,
    first_decides: bool,
) -> String {
    let literal = |at: usize| literals.iter().any(|literal| literal.start < at && at < literal.end);
    let all: Vec<(usize, &str)> = lines(text).collect();
    let movable: Vec<&str> = all
        .iter()
        .filter(|(at, line)| !line.trim().is_empty() && !literal(*at) && !is_margin_line(line))
        .map(|(_, line)| *line)
        .collect();
    let Some(first) = movable.first() else { return text.to_owned() };
    let least = |lines: &[&'_ str]| lines.iter().map(|line| blanks(line).len()).min().unwrap_or(0);
    let rest = least(movable.get(1..).unwrap_or_default());
    // A prompt that ends in indentation leaves none for the first line of its answer.
    let opens = first.trim_end().ends_with([':', '{', '(', '[', ',']);
    let first_lost = blanks(first).is_empty() && movable.len() > 1 && rest > 0 && !opens;
    // Where line ends decide, the first line says how deep the block is; a string in it may stand anywhere.
    // Elsewhere a label may stand further out than what is before it.
    let least_indented =
        |lines: &[&'_ str]| lines.iter().copied().min_by_key(|line| blanks(line).len()).map(str::to_owned);
    let base_line = match (first_lost, first_decides) {
        (true, _) => least_indented(movable.get(1..).unwrap_or_default()),
        (false, true) => Some((*first).to_owned()),
        (false, false) => least_indented(&movable),
    };
    let base = base_line.as_deref().map_or("", blanks);
    let change = Change { base, target, style: style(&movable, like) };
    let mut new = String::with_capacity(text.len());
    let mut is_first = true;
    for (at, line) in all {
        if line.trim().is_empty() || literal(at) || is_margin_line(line) {
            new.push_str(line);
        } else if is_first && first_lost {
            new.push_str(target);
            new.push_str(line.trim_start());
        } else {
            change.line(line, &mut new);
        }
        is_first &= line.trim().is_empty();
    }
    new
}

/// A line that stands at the margin by rule: a line of the preprocessor.
fn is_margin_line(line: &str) -> bool {
    ["#if", "#else", "#elif", "#endif", "#define", "#pragma", "#undef"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// What a line is given for.
struct Change<'a> {
    base: &'a str,
    target: &'a str,
    style: Option<Style>,
}

/// A change between tabs and blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// So many blanks become a tab.
    Tabs(usize),
    /// A tab becomes so many blanks.
    Blanks(usize),
}

impl Change<'_> {
    fn line(&self, line: &str, new: &mut String) {
        let Some(rest) = line.strip_prefix(self.base).filter(|_| !is_margin_line(line)) else {
            new.push_str(line);
            return;
        };
        let inner = blanks(rest);
        let code = rest.get(inner.len()..).unwrap_or_default();
        new.push_str(self.target);
        match self.style {
            Some(Style::Tabs(unit)) => {
                new.extend(std::iter::repeat_n('\t', inner.len() / unit));
                new.extend(std::iter::repeat_n(' ', inner.len() % unit));
            }
            Some(Style::Blanks(unit)) => {
                for character in inner.chars() {
                    new.extend(std::iter::repeat_n(' ', if character == '\t' { unit } else { 1 }));
                }
            }
            None => new.push_str(inner),
        }
        new.push_str(code);
    }
}

/// The change between tabs and blanks that the new place wants, where both sides are of one kind.
fn style(answered: &[&str], like: &str) -> Option<Style> {
    let indented = |lines: &mut dyn Iterator<Item = &str>| {
        let (mut tabs, mut spaces) = (0, 0);
        for line in lines {
            match line.as_bytes().first() {
                Some(b'\t') => tabs += 1,
                Some(b' ') if line.starts_with("  ") => spaces += 1,
                _ => {}
            }
        }
        (tabs, spaces)
    };
    let answer = indented(&mut answered.iter().copied());
    let place = indented(&mut like.lines().skip(1));
    let unit = |lines: &mut dyn Iterator<Item = &str>| {
        let widths =
            lines.map(|line| line.len() - line.trim_start_matches(' ').len()).filter(|width| *width > 1);
        widths.min().filter(|width| *width <= 8).unwrap_or(4)
    };
    match (answer, place) {
        ((0, spaces), (tabs, 0)) if spaces > 0 && tabs > 0 => {
            Some(Style::Tabs(unit(&mut answered.iter().copied())))
        }
        ((tabs, 0), (0, spaces)) if spaces > 0 && tabs > 0 => {
            Some(Style::Blanks(unit(&mut like.lines().skip(1))))
        }
        _ => None,
    }
}

fn blanks(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// Lines with their ends, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, target: &str, like: &str) -> String {
        let start = text.len() - text.trim_start().len();
        moved(&Moved { text, range: start..text.len(), literals: &[] }, target, like)
    }

    #[test]
    fn code() {
        for (text, target, like, expected) in [
            ("def f():\n    return 1", "", "", "def f():\n    return 1"),
            ("def f():\n    return 1", "    ", "", "def f():\n        return 1"),
            ("    def f():\n        return 1", "    ", "", "def f():\n        return 1"),
            ("    def f():\n        return 1", "", "", "def f():\n    return 1"),
            ("f() {\n  a;\n}", "  ", "", "f() {\n    a;\n  }"),
            ("f() {\n    a;\n  }", "  ", "", "f() {\n    a;\n  }"),
            ("f() {\n    a;\n        b;\n}", "\t", "g() {\n\ta;\n}", "f() {\n\t\ta;\n\t\t\tb;\n\t}"),
            ("f() {\n\ta;\n}", "  ", "g() {\n  a;\n}", "f() {\n    a;\n  }"),
            ("f() {\n\ta;\n}", "", "g() {\n  a;\n}", "f() {\n\ta;\n}"),
            ("f() {\n#if A\n    a;\n#endif\n}", "  ", "", "f() {\n#if A\n      a;\n#endif\n  }"),
        ] {
            assert_eq!(whole(text, target, like), expected, "{text}");
        }
        let text = "f():\n    x = '''a\n b'''";
        let literal = 13..text.len();
        let literals = std::slice::from_ref(&literal);
        assert_eq!(
            moved(&Moved { text, range: 0..text.len(), literals }, "    ", ""),
            "f():\n        x = '''a\n b'''"
        );
    }

    #[test]
    fn some_lines() {
        for (text, target, expected) in [
            ("a\nb\n", "    ", "    a\n    b\n"),
            ("        a\n            b\n", "    ", "    a\n        b\n"),
            ("a\n    return b\n", "    ", "    a\n    return b\n"),
            ("if a:\n    b\n", "    ", "    if a:\n        b\n"),
            ("\n    a\n\n", "  ", "\n  a\n\n"),
        ] {
            assert_eq!(moved_lines(text, &[], target, "", false), expected, "{text}");
        }
    }
}
