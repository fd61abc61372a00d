//! What a candidate, and what its code does while building, may not touch.
//!
//! Promises: pure; besides what the patterns name, nothing new may stand in for a protected file: a folder or file of the
//! same name with another ending is what an import or a linker would take instead. Leaves to others: restoring and
//! holding ([`super::verify`]).

use crate::task::pattern::Patterns;
use std::collections::BTreeSet;

/// The protection of one tree.
pub(super) struct Guarded<'a> {
    patterns: Patterns,
    /// Paths of the tree before the change.
    original: BTreeSet<&'a str>,
    /// Protected files without their ending.
    stems: BTreeSet<&'a str>,
}

impl<'a> Guarded<'a> {
    /// The protection by these patterns of a tree with these paths.
    pub fn new(patterns: &[String], original: impl Iterator<Item = &'a str>) -> Guarded<'a> {
        let patterns = Patterns::new(patterns.iter().map(String::as_str));
        let original: BTreeSet<&str> = original.collect();
        let stems = original.iter().filter(|path| patterns.matches(path)).map(|path| stem(path)).collect();
        Guarded { patterns, original, stems }
    }

    /// Whether nothing is protected.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether this file of the original tree is to stay as it is.
    pub fn holds(&self, path: &str) -> bool {
        self.patterns.matches(path)
    }

    /// Why a path may not be changed or added.
    pub fn refuses(&self, path: &str) -> Option<String> {
        if let Some(pattern) = self.patterns.matching(path) {
            return Some(format!("protected by `{pattern}`"));
        }
        if self.original.contains(path) {
            return None;
        }
        let parts = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        let twin = parts.map(stem).find(|part| self.stems.contains(part))?;
        Some(format!("it could be taken for the protected `{twin}.*`"))
    }

    /// Folders that patterns protect whole, so that nothing may be added to them either: of several the outer ones.
    pub fn folders(&self) -> BTreeSet<&'a str> {
        let held = self.original.iter().filter(|path| self.patterns.matches(path));
        let all = held.filter_map(|path| {
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
            // No file is called so: what matches it matches everything there.
            above.find(|folder| self.patterns.matches(&format!("{folder}/\u{1}")))
        });
        all.collect()
    }
}

/// A path without the ending of its last part.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    match path[name..].find('.') {
        Some(0) | None => path,
        Some(at) => &path[..name + at],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_new_stands_in_for_a_protected_file() {
        let patterns = ["test_*.py".to_owned(), "spec/**".to_owned(), "lib/one.c".to_owned()];
        let original = ["test_a.py", "m.py", "spec/deep/x.js", "lib/one.c", "lib/one.h"];
        let guarded = Guarded::new(&patterns, original.into_iter());
        for (path, refused) in [
            ("test_a.py", true),
            ("test_a/__init__.py", true),
            ("test_a.cpython-311-x86_64-linux-gnu.so", true),
            ("test_a", true),
            ("test_new.py", true),
            ("m.py", false),
            ("m/__init__.py", false),
            ("spec/y.js", true),
            ("lib/one.h", false),
            ("lib/one.o", true),
            ("lib/two.c", false),
            ("deep/test_a/x.py", false),
        ] {
            assert_eq!(guarded.refuses(path).is_some(), refused, "{path}");
        }
        assert_eq!(guarded.folders(), BTreeSet::from(["spec"]));
        assert_eq!((stem("a/.git"), stem("a.b/c"), stem("a/b.tar.gz")), ("a/.git", "a.b/c", "a/b"));
    }
}
