//! Which grammar reads a text.

use crate::syntax::language::{canonical_name, language_of_path};
use std::sync::OnceLock;
use syntect::parsing::{SyntaxReference, SyntaxSet};

/// A grammar of the built-in set.
#[derive(Debug, Clone, Copy)]
pub struct Syntax(pub(super) &'static SyntaxReference);

impl Syntax {
    /// The grammar's name for people: `C++`.
    pub fn name(self) -> &'static str {
        &self.0.name
    }
}

impl PartialEq for Syntax {
    fn eq(&self, other: &Syntax) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Syntax {}

/// Our languages whose grammar is called something else.
const NAMES: &[(&str, &str)] = &[
    ("cpp", "C++"),
    ("csharp", "C#"),
    ("javascript", "JavaScript (Babel)"),
    ("make", "Makefile"),
    ("shell", "Bourne Again Shell (bash)"),
];

/// Endings that have a grammar of their own inside their language.
const ENDINGS: &[(&str, &str)] = &[("tsx", "TypeScriptReact")];

/// The grammars, loaded at the first use (about 2 ms).
pub(super) fn syntax_set() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(two_face::syntax::extra_newlines)
}

/// The grammar for a text: by the name of its language, else by its path, else by its first line.
///
/// Any of the three may be empty. `None` means that the text stays plain.
pub fn syntax_for(language: &str, path: &str, first_line: &str) -> Option<Syntax> {
    by_language(language).or_else(|| by_path(path)).or_else(|| by_first_line(first_line)).map(Syntax)
}

fn named(name: &str) -> Option<&'static SyntaxReference> {
    syntax_set().syntaxes().iter().rev().find(|syntax| syntax.name.eq_ignore_ascii_case(name))
}

fn by_language(language: &str) -> Option<&'static SyntaxReference> {
    let language = language.trim();
    if language.is_empty() {
        return None;
    }
    let ours = canonical_name(language).unwrap_or(language);
    let name = NAMES.iter().find(|(known, _)| *known == ours).map_or(ours, |(_, theirs)| theirs);
    // A grammar's name first: as endings `c` and `r` are claimed by others too.
    let found = named(name).or_else(|| syntax_set().find_syntax_by_extension(name));
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn by_path(path: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if name.is_empty() {
        return None;
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let own = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
    let found = match (own, language_of_path(path)) {
        (Some((_, theirs)), _) => named(theirs),
        (None, Some(language)) => by_language(language),
        (None, None) => {
            let set = syntax_set();
            let whole = set.find_syntax_by_extension(name);
            whole.or_else(|| set.find_syntax_by_extension(ending).filter(|_| !ending.is_empty()))
        }
    };
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn by_first_line(line: &str) -> Option<&'static SyntaxReference> {
    // Only lines that say so on purpose: asking the set compiles every grammar's pattern, which is slow.
    let telling = line.starts_with("#!") || line.starts_with("<?") || line.contains("-*-");
    if !telling || line.len() > 500 {
        return None;
    }
    syntax_set().find_syntax_by_first_line(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(language: &str, path: &str, first_line: &str) -> &'static str {
        syntax_for(language, path, first_line).map_or("-", Syntax::name)
    }

    #[test]
    fn our_language_names_have_grammars() {
        for (language, grammar) in [
            ("python", "Python"),
            ("c", "C"),
            ("cpp", "C++"),
            ("C++", "C++"),
            ("java", "Java"),
            ("javascript", "JavaScript (Babel)"),
            ("typescript", "TypeScript"),
            ("go", "Go"),
            ("rust", "Rust"),
            ("shell", "Bourne Again Shell (bash)"),
            ("toml", "TOML"),
            ("json", "JSON"),
            ("markdown", "Markdown"),
            ("yaml", "YAML"),
            ("ruby", "Ruby"),
            ("r", "R"),
        ] {
            assert_eq!(name(language, "", ""), grammar, "{language}");
        }
    }

    #[test]
    fn every_language_of_ours_has_a_grammar() {
        for language in crate::syntax::language::names() {
            assert_eq!(name(language, "", "") == "-", language == "text", "{language}");
        }
    }

    #[test]
    fn a_path_or_a_first_line_decide_where_the_language_is_unknown() {
        assert_eq!(name("", "src/a.rs", ""), "Rust");
        assert_eq!(name("", "include/a.h", ""), "C");
        assert_eq!(name("cpp", "include/a.h", ""), "C++");
        assert_eq!(name("", "a.tsx", ""), "TypeScriptReact");
        assert_eq!(name("", "a.zig", ""), "Zig");
        assert_eq!(name("no such language", "x/Makefile", ""), "Makefile");
        assert_eq!(name("", "C:\\x\\a.PY", ""), "Python");
        assert_eq!(name("", "run", "#!/usr/bin/env python3"), "Python");
        assert_eq!(name("", "run", "#!/bin/sh"), "Bourne Again Shell (bash)");
    }

    #[test]
    fn unknown_and_plain_stay_plain() {
        for (language, path) in
            [("", ""), ("", "notes.txt"), ("plain text", ""), ("", "a.unheard"), ("", "/")]
        {
            assert_eq!(name(language, path, "once upon a time"), "-", "{language} {path}");
        }
    }
}
