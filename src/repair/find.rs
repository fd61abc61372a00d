//! Finding what an answer names in the tree: files by path, functions by name.
//!
//! Promises: a path that is found is in the tree, a new one passes `task::paths::check_path`; nothing is
//! guessed where two things fit equally.
//! Leaves to others: whether the path may be changed.

use super::form::Asked;
use crate::syntax::{Definition, Outline};
use crate::task::paths::{UnsafePath, check_path};

/// What a path in an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A file of the tree.
    File(String),
    /// A file that is not there.
    New(String),
}

/// Components that may stand before a path of the tree (`a/`, the folder of the project).
const STRIPPED: usize = 2;

/// The file that a path in an answer means.
pub(super) fn file(asked: &Asked<'_>, written: &str) -> Result<Found, UnsafePath> {
    let written = written.trim().trim_matches(['"', '\'', '`']).replace('\\', "/");
    let mut path = written.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    if path.split('/').any(|part| part == "..") {
        return Err(UnsafePath::Parent);
    }
    let has = |path: &str| asked.current.contains_key(path);
    if has(path) {
        return Ok(Found::File(path.to_owned()));
    }
    let mut rest = path;
    for _ in 0..STRIPPED {
        match rest.split_once('/') {
            Some((_, tail)) => rest = tail,
            None => break,
        }
        if !rest.is_empty() && has(rest) {
            return Ok(Found::File(rest.to_owned()));
        }
    }
    // An absolute path, or one of another root, ends as a path of the tree does; and the other way round.
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    let mut like = asked.current.keys().filter(|known| ends(path, known) || ends(known, path));
    if let (Some(known), None) = (like.next(), like.next()) {
        return Ok(Found::File((*known).to_owned()));
    }
    let git = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    check_path(git).map(|()| Found::New(git.to_owned()))
}

/// The path of a file that an answer makes or moves something to: as it is written, and inside the tree.
pub(super) fn new_file(written: &str) -> Result<String, UnsafePath> {
    let written = written.trim().trim_matches(['"', '\'', '`']).replace('\\', "/");
    let path = written.strip_prefix("./").unwrap_or(&written);
    check_path(path).map(|()| path.to_owned())
}

/// The last part of a qualified name.
pub(super) fn plain_name(function: &str) -> &str {
    let name = function.rsplit("::").next().unwrap_or(function);
    if name.starts_with("operator") { name } else { name.rsplit('.').next().unwrap_or(name) }
}

fn parts(name: &str) -> Vec<&str> {
    name.split("::").flat_map(|part| part.split('.')).filter(|part| !part.is_empty()).collect()
}

/// The functions of an outline that a name means: by the whole name where it names a class too and that
/// finds some, otherwise by its last part. Functions inside functions count only where no other is found.
pub(super) fn functions<'o>(outline: &'o Outline, function: &str) -> Vec<&'o Definition> {
    let name = plain_name(function);
    let named: Vec<&Definition> = outline
        .definitions
        .iter()
        .filter(|definition| definition.span.name == name || definition.span.qualified == function)
        .collect();
    let wanted = parts(function);
    let qualified: Vec<&Definition> = named
        .iter()
        .copied()
        .filter(|definition| wanted.len() > 1 && parts(&definition.span.qualified).ends_with(&wanted))
        .collect();
    let found = if qualified.is_empty() { named } else { qualified };
    let outer: Vec<&Definition> =
        found.iter().copied().filter(|definition| definition.span.depth == 0).collect();
    if outer.is_empty() { found } else { outer }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::repair::{Form, Policy};
    use crate::syntax::outline;
    use crate::task::Content;

    #[test]
    fn paths() {
        let content = Content::from("x");
        let asked = Asked {
            language: "c",
            current: [("src/a.c", &content), ("lib/b.c", &content), ("old/b.c", &content)].into(),
            targets: &[],
            protected: &[],
            form: Form::Function,
            place: None,
            policy: Policy::Lenient,
        };
        let known = |path: &str| Ok(Found::File(path.to_owned()));
        for (written, expected) in [
            ("src/a.c", known("src/a.c")),
            ("a/src/a.c", known("src/a.c")),
            ("./src/a.c", known("src/a.c")),
            ("`src/a.c`", known("src/a.c")),
            ("a.c", known("src/a.c")),
            ("/repo/work/src/a.c", known("src/a.c")),
            ("project/src/a.c", known("src/a.c")),
            ("src\\a.c", known("src/a.c")),
            ("b.c", Ok(Found::New("b.c".to_owned()))),
            ("b/new.c", Ok(Found::New("new.c".to_owned()))),
            ("../../etc/passwd", Err(UnsafePath::Parent)),
            ("/etc/passwd", Err(UnsafePath::Absolute)),
            ("../../src/a.c", Err(UnsafePath::Parent)),
            ("", Err(UnsafePath::Empty)),
        ] {
            assert_eq!(file(&asked, written), expected, "{written}");
        }
    }

    #[test]
    fn names() {
        let source = "class A:\n    def f(self):\n        def f(): pass\n    def g(self): pass\nclass B:\n    def f(self): pass\n";
        let outline = outline("python", source).unwrap();
        let names = |function: &str| -> Vec<String> {
            functions(&outline, function).into_iter().map(|found| found.span.qualified.clone()).collect()
        };
        assert_eq!(names("f"), ["A.f", "B.f"]);
        assert_eq!(names("A.f"), ["A.f"]);
        assert_eq!(names("C.g"), ["A.g"]);
        assert_eq!(names("h"), Vec::<String>::new());
        assert_eq!(plain_name("a::operator.x"), "operator.x");
    }
}
