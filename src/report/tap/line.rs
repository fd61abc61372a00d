//! What one line of TAP is, without knowing the lines around it.
//!
//! Promises: every form of versions 12, 13 and 14, `\#` and `\\` taken back; a `#` that starts no directive belongs
//! to the description. Leaves to others: whether the line counts where it stands (`mod.rs`).

/// A line that means something.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// `ok 1 - description # directive`.
    Point(Point),
    /// `1..3`, with the reason of `# SKIP`.
    Plan { tests: usize, skip: Option<&'a str> },
    /// `Bail out! reason`.
    BailOut(&'a str),
    /// `# text`, without sign and blanks.
    Comment(&'a str),
}

/// A result.
#[derive(Debug, PartialEq)]
pub(super) struct Point {
    pub(super) ok: bool,
    pub(super) number: Option<usize>,
    pub(super) description: String,
    pub(super) directive: Option<(Directive, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    Skip,
    Todo,
}

/// Reads a line that has lost its indentation.
pub(super) fn read(text: &str) -> Option<Line<'_>> {
    if let Some(comment) = text.strip_prefix('#') {
        return Some(Line::Comment(comment.trim()));
    }
    if let Some(reason) = text.strip_prefix("Bail out!") {
        return Some(Line::BailOut(reason.trim()));
    }
    if let Some(rest) = text.strip_prefix("1..") {
        return plan(rest);
    }
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    Some(Line::Point(point(ok, rest.trim())))
}

fn plan(rest: &str) -> Option<Line<'_>> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let tests = rest[..end].parse().ok()?;
    let rest = rest[end..].trim();
    let comment = rest.strip_prefix('#').map(str::trim);
    if !rest.is_empty() && comment.is_none() {
        return None;
    }
    let skip = comment.filter(|text| text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip")));
    Some(Line::Plan { tests, skip: skip.map(|text| text[4..].trim()) })
}

fn point(ok: bool, rest: &str) -> Point {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let separate = rest[end..].is_empty() || rest[end..].starts_with(' ');
    let (number, rest) = match rest[..end].parse().ok().filter(|_| separate) {
        Some(number) => (Some(number), rest[end..].trim_start()),
        None => (None, rest),
    };
    let rest = rest
        .strip_prefix("- ")
        .or_else(|| rest.strip_prefix('-').filter(|rest| rest.is_empty()))
        .unwrap_or(rest);
    let (description, directive) = directive(rest);
    Point { ok, number, description: unescaped(description.trim()), directive }
}

/// Splits off `# SKIP …` or `# TODO …`.
fn directive(text: &str) -> (&str, Option<(Directive, String)>) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '#' && !escaped {
            let rest = text[at + 1..].trim_start();
            let word = rest.get(..4).unwrap_or_default();
            let kind = match word {
                word if word.eq_ignore_ascii_case("skip") => Some(Directive::Skip),
                word if word.eq_ignore_ascii_case("todo") => Some(Directive::Todo),
                _ => None,
            };
            if let Some(kind) = kind {
                return (&text[..at], Some((kind, rest[4..].trim().to_owned())));
            }
        }
        escaped = c == '\\' && !escaped;
    }
    (text, None)
}

fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(next @ ('#' | '\\')) if c == '\\' => {
                out.push(*next);
                rest.next();
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_point() {
        for (text, ok, number, description, directive) in [
            ("ok", true, None, "", None),
            ("not ok", false, None, "", None),
            ("ok 3", true, Some(3), "", None),
            ("ok 3 - drain", true, Some(3), "drain", None),
            ("ok 3 drain the tank", true, Some(3), "drain the tank", None),
            ("ok - 3 tanks", true, None, "3 tanks", None),
            ("ok 3tanks", true, None, "3tanks", None),
            ("ok 4 # skip no paint", true, Some(4), "", Some((Directive::Skip, "no paint"))),
            ("not ok 5 - weight # TODO later", false, Some(5), "weight", Some((Directive::Todo, "later"))),
            ("ok 1 - issue #7 is gone", true, Some(1), "issue #7 is gone", None),
            (r"ok 1 - one \# skip \\", true, Some(1), r"one # skip \", None),
            ("ok 1 - a #SKIPPED: no", true, Some(1), "a", Some((Directive::Skip, "PED: no"))),
        ] {
            let directive = directive.map(|(kind, why)| (kind, why.to_owned()));
            let expected = Point { ok, number, description: description.to_owned(), directive };
            assert_eq!(read(text), Some(Line::Point(expected)), "{text}");
        }
    }

    #[test]
    fn other_lines() {
        assert_eq!(read("1..3"), Some(Line::Plan { tests: 3, skip: None }));
        assert_eq!(
            read("1..0 # Skipped: no device"),
            Some(Line::Plan { tests: 0, skip: Some("ped: no device") })
        );
        assert_eq!(read("# Subtest: a"), Some(Line::Comment("Subtest: a")));
        assert_eq!(read("Bail out! the disk is gone"), Some(Line::BailOut("the disk is gone")));
        for text in ["", "okay", "not okay", "1..x", "1..99999999999999999999999", "1..3 tests", "é"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
