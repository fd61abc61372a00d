//! Patterns of paths, as `protected` lists them.
//!
//! Promises: pure and linear enough for hostile patterns (no backtracking beyond one row). The rules are those that
//! people know from ignore files: `*` and `?` stay inside one part, `**` stands for any number of parts, a pattern
//! without `/` matches a name at any depth, one with `/` starts at the root, and what matches a folder holds for
//! everything in it. Leaves to others: which paths are safe ([`super::paths`]).

/// Patterns of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    text: String,
    /// Its parts, `**` among them.
    parts: Vec<Vec<char>>,
    /// Ends in `/`: matches folders alone.
    folder: bool,
}

impl Patterns {
    /// The patterns of these texts.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Patterns {
        Patterns { patterns: texts.into_iter().filter_map(pattern).collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The first pattern that matches a file, or a folder above it.
    pub fn matching(&self, path: &str) -> Option<&str> {
        let parts: Vec<Vec<char>> = path.split('/').map(|part| part.chars().collect()).collect();
        let matches = |pattern: &&Pattern| {
            (1..=parts.len()).any(|length| {
                let is_folder = length < parts.len();
                (is_folder || !pattern.folder)
                    && parts.get(..length).is_some_and(|path| matches_parts(&pattern.parts, path))
            })
        };
        self.patterns.iter().find(matches).map(|pattern| pattern.text.as_str())
    }

    /// Whether some pattern matches a file, or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        self.matching(path).is_some()
    }
}

fn pattern(text: &str) -> Option<Pattern> {
    let (bare, folder) = match text.strip_suffix('/') {
        Some(bare) => (bare, true),
        None => (text, false),
    };
    let anchored = bare.contains('/');
    let bare = bare.trim_start_matches("./").trim_start_matches('/');
    if bare.is_empty() {
        return None;
    }
    let mut parts: Vec<Vec<char>> = bare.split('/').map(|part| part.chars().collect()).collect();
    if !anchored {
        parts.insert(0, vec!['*', '*']);
    }
    Some(Pattern { text: text.to_owned(), parts, folder })
}

/// One row of the usual table: `row[j]` says whether the pattern so far matches the first `j` items.
fn matches_row<P, T>(
    pattern: &[P],
    items: &[T],
    is_any: impl Fn(&P) -> bool,
    one: impl Fn(&P, &T) -> bool,
) -> bool {
    let mut row = vec![false; items.len() + 1];
    row[0] = true;
    for piece in pattern {
        let any = is_any(piece);
        let mut before = row[0];
        row[0] = any && row[0];
        for (number, item) in items.iter().enumerate() {
            let above = row[number + 1];
            row[number + 1] = if any { above || row[number] } else { before && one(piece, item) };
            before = above;
        }
    }
    row[items.len()]
}

fn matches_parts(pattern: &[Vec<char>], path: &[Vec<char>]) -> bool {
    matches_row(pattern, path, |part| part.as_slice() == ['*', '*'], |part, name| matches_name(part, name))
}

fn matches_name(pattern: &[char], name: &[char]) -> bool {
    matches_row(pattern, name, |piece| *piece == '*', |piece, letter| *piece == '?' || piece == letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_ignore_files() {
        for (pattern, path, expected) in [
            ("test_*.py", "test_a.py", true),
            ("test_*.py", "deep/down/test_a.py", true),
            ("test_*.py", "a_test_b.py", false),
            ("test_*.py", "test_a.py/inner", true),
            ("tests/**", "tests/a/b.c", true),
            ("tests/**", "src/tests/a.c", false),
            ("tests", "src/tests/a.c", true),
            ("tests/", "tests/a.c", true),
            ("tests/", "tests", false),
            ("src/lib.rs", "src/lib.rs", true),
            ("src/lib.rs", "other/src/lib.rs", false),
            ("**/x", "x", true),
            ("**/x", "a/b/x", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/*/z", "a/b/c/z", false),
            ("?.c", "a.c", true),
            ("?.c", "ab.c", false),
            ("*", "anything/at/all", true),
            ("", "a", false),
            ("/", "a", false),
            ("/a", "a", true),
            ("/a", "b/a", false),
            ("./a/b", "a/b", true),
            ("é*", "été", true),
        ] {
            assert_eq!(Patterns::new([pattern]).matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn hostile_patterns_are_quick() {
        let pattern = format!("{}/{}", "**/".repeat(300), "*a".repeat(300));
        let path = format!("{}{}", "a/".repeat(300), "a".repeat(3000));
        assert!(!Patterns::new([pattern.as_str()]).matches(&format!("{path}b")));
    }
}
