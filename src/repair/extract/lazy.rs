//! Code that leaves something out and says so: `// … rest of the code unchanged`.
//!
//! Promises: a line that the current file holds too is never taken for one; Python's `...` counts only where
//! the file does not use it so. The line found is given back, to be shown.

use std::collections::HashSet;

/// Words that say that something was left as it was, or out.
const LEFT: [&str; 18] = [
    "rest of",
    "unchanged",
    "remains the same",
    "remain the same",
    "remaining",
    "existing",
    "previous",
    "original code",
    "omitted",
    "same as before",
    "same as above",
    "same as original",
    "as before",
    "other methods",
    "other functions",
    "no changes",
    "here",
    "rest ",
];
/// What is left out where it is code.
const CODE: [&str; 10] = [
    "code",
    "implementation",
    "logic",
    "function",
    "method",
    "class",
    "file",
    "body",
    "definitions",
    "import",
];
/// Remarks that need no dots and no mention of code.
const PLAIN: [&str; 10] = [
    "unchanged",
    "rest unchanged",
    "rest is unchanged",
    "rest remains unchanged",
    "the rest is unchanged",
    "same as before",
    "same as above",
    "as before",
    "your code here",
    "implementation here",
];
/// Most words of a remark; longer comments explain something.
const WORDS: usize = 8;

/// Bodies that are a promise.
const PROMISES: [&str; 8] = [
    "todo!()",
    "unimplemented!()",
    "raise notimplementederror",
    "throw new error(\"not implemented",
    "throw new error('not implemented",
    "# todo",
    "// todo",
    "/* todo",
];

/// The line of `code` that stands for code which was left out; `current` is the text that the code is to
/// replace, or that holds what it replaces.
pub(in crate::repair) fn elision<'a>(language: &str, code: &'a str, current: &str) -> Option<&'a str> {
    let known: HashSet<&str> = current.lines().map(str::trim).collect();
    let mut inside = None;
    code.lines().find(|line| {
        // Dots in a docstring are an example's.
        let was_inside = language == "python" && inside.is_some();
        if language == "python" {
            inside = after_line(line, inside);
        }
        let line = line.trim();
        !was_inside
            && !line.is_empty()
            && !known.contains(line)
            && (is_remark(language, line) || is_bare(language, line, current))
    })
}

/// The quote of the triple-quoted string that is open behind a line.
fn after_line(line: &str, before: Option<&'static str>) -> Option<&'static str> {
    let mut open = before;
    let mut rest = line;
    loop {
        match open {
            Some(quote) => match rest.find(quote) {
                Some(at) => (open, rest) = (None, &rest[at + 3..]),
                None => return open,
            },
            None => {
                let next = ["\"\"\"", "'''"]
                    .into_iter()
                    .filter_map(|quote| Some((rest.find(quote)?, quote)))
                    .min()?;
                (open, rest) = (Some(next.1), &rest[next.0 + 3..]);
            }
        }
    }
}

/// A comment that stands for code.
fn is_remark(language: &str, line: &str) -> bool {
    let Some(words) = comment(language, line) else { return false };
    let words = words.trim().to_lowercase();
    let dots = words.starts_with("...")
        || words.starts_with('\u{2026}')
        || words.ends_with("...")
        || words.ends_with('\u{2026}');
    let only_dots = !words.is_empty()
        && words.chars().all(|character| matches!(character, '.' | '\u{2026}' | ' ' | '-' | '='))
        && words.contains(['.', '\u{2026}']);
    if only_dots {
        return true;
    }
    let bare = words.trim_matches(['.', '\u{2026}', ' ', '(', ')', '-', ':']);
    let left = LEFT.iter().any(|phrase| words.contains(phrase));
    let of_code = CODE.iter().any(|thing| words.contains(thing));
    let short = words.split_whitespace().count() <= WORDS;
    PLAIN.contains(&bare) || short && left && (dots || of_code && says_so(bare))
}

/// Whether a remark without dots says that code is left out, and not what some code does.
fn says_so(words: &str) -> bool {
    [
        "unchanged",
        "omitted",
        "remains",
        "remain ",
        "same as",
        "rest of the code",
        "existing code",
        "code here",
        "other methods",
    ]
    .iter()
    .any(|phrase| words.contains(phrase))
}

/// The words of a line that is a comment and nothing else.
fn comment<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    if language == "python" {
        return line.strip_prefix('#');
    }
    if let Some(words) = line.strip_prefix("/*") {
        return Some(words.trim_end().strip_suffix("*/").unwrap_or(words));
    }
    line.strip_prefix("//").map(|words| words.trim_start_matches('/'))
}

/// A line of nothing but dots.
fn is_bare(language: &str, line: &str, current: &str) -> bool {
    let dots = matches!(line, "..." | "\u{2026}" | "....." | "....");
    // In Python it is a statement; a file that uses it may go on to. (`known` has the very line.)
    dots && (language != "python" || !current.contains("..."))
}

/// Whether a function's body is only a promise, where the old one was not: `pass  # TODO`, `todo!()`, `...`.
pub(in crate::repair) fn is_promise(body: &str, current: &str) -> bool {
    let real = |text: &str| -> Vec<String> {
        let lines = without_docstring(text).lines().map(|line| line.trim().to_lowercase());
        lines.filter(|line| !matches!(line.as_str(), "" | "{" | "}" | "};")).collect()
    };
    let (new, old) = (
        real(body.trim().trim_start_matches('{').trim_end_matches('}')),
        real(current.trim().trim_start_matches('{').trim_end_matches('}')),
    );
    if new.is_empty() {
        return false;
    }
    let promises = |line: &String| {
        PROMISES.iter().any(|promise| {
            line.starts_with(promise)
                || line
                    .split("pass")
                    .nth(1)
                    .is_some_and(|rest| line.starts_with("pass") && rest.trim().starts_with(promise))
        }) || line == "..."
    };
    let is_filler = |line: &String| line == "pass" || line.starts_with('#') || line.starts_with("//");
    new.iter().any(promises)
        && new.iter().all(|line| promises(line) || is_filler(line))
        && old.iter().any(|line| !promises(line) && !is_filler(line))
}

fn without_docstring(text: &str) -> &str {
    let trimmed = text.trim_start();
    for quote in ["\"\"\"", "'''"] {
        if let Some(rest) = trimmed.strip_prefix(quote) {
            return rest.find(quote).map_or("", |end| &rest[end + 3..]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks() {
        for (language, code, current, expected) in [
            ("python", "def f():\n    # ... rest of the code unchanged\n", "", true),
            ("python", "def f():\n    # ...\n", "", true),
            ("python", "def f():\n    ...\n", "def f():\n    return 1\n", true),
            ("python", "class P(Protocol):\n    def f(self): ...\n", "", false),
            ("python", "def f():\n    ...\n", "def g():\n    ...\n", false),
            ("python", "x = a[..., 1]\n", "", false),
            ("python", "x = Ellipsis\n", "", false),
            ("python", "# existing code remains the same\n", "", true),
            (
                "python",
                "# the rest of the line is ignored by the parser here because of the flag\n",
                "",
                false,
            ),
            ("python", "# loading...\n", "", false),
            ("python", "    # ... existing code ...\n", "", true),
            ("python", "# keep the rest of the code\n", "# keep the rest of the code\nx\n", false),
            ("c", "int f(void) {\n    // ... existing code ...\n}\n", "", true),
            ("c", "int f(void) {\n    /* rest of the function unchanged */\n}\n", "", true),
            ("c", "int f(void) {\n    /* ... */\n}\n", "", true),
            ("c", "int f(void) {\n    ...\n}\n", "", true),
            ("c", "int printf(const char *, ...);\n", "", false),
            ("javascript", "f(...args);\n", "", false),
            ("javascript", "// Your code here\n", "", true),
            ("rust", "// same as before\n", "", true),
            ("python", "# The rest of the arguments remain unchanged\n", "", false),
            ("python", "# Your codes here\n", "", false),
            (
                "python",
                "def f():\n    \"\"\"\n    >>> f()\n    Traceback (most recent call last):\n        ...\n    \"\"\"\n    return 1\n",
                "",
                false,
            ),
            ("python", "# unchanged\n", "", true),
            ("c", "// rest of the function remains unchanged\n", "", true),
            ("c", "/* the remaining bytes are copied here */\n", "", false),
            ("java", "// ... other methods ...\n", "", true),
            ("rust", "match x { 1..=3 => (), .. => () }\n", "", false),
            ("java", "// Other methods unchanged\n", "", true),
            ("java", "// Same as the spec says: first the key, then the value, in that order\n", "", false),
        ] {
            assert_eq!(elision(language, code, current).is_some(), expected, "{code}");
        }
    }

    #[test]
    fn promises() {
        for (body, current, expected) in [
            ("pass  # TODO", "return 1", true),
            ("# TODO: implement\npass", "return 1", true),
            ("...", "return 1", true),
            ("{ todo!() }", "{ 1 }", true),
            ("{\n    // TODO\n}", "{\n    return 1;\n}", true),
            ("pass", "return 1", false),
            ("pass  # TODO", "pass", false),
            ("raise NotImplementedError", "raise NotImplementedError", false),
            ("\"\"\"Doc.\"\"\"\n    ...", "\"\"\"Doc.\"\"\"\n    return 1", true),
            ("x = 1\n# TODO: faster\nreturn x", "return 1", false),
        ] {
            assert_eq!(is_promise(body, current), expected, "{body}");
        }
    }
}
