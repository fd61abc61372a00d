//! Facts about languages: our lower-case name of a language, found from a path or from what other
//! people call it, and the name shown to people.
//!
//! Promises: constant tables and pure functions; a name that comes out of here is one of [`names`].
//! Leaves to others: grammars ([`super::functions`]) and how a language is run.

/// One language.
struct Language {
    name: &'static str,
    display: &'static str,
    aliases: &'static [&'static str],
    endings: &'static [&'static str],
    files: &'static [&'static str],
}

const fn language(
    name: &'static str,
    display: &'static str,
    aliases: &'static [&'static str],
    endings: &'static [&'static str],
    files: &'static [&'static str],
) -> Language {
    Language { name, display, aliases, endings, files }
}

/// Endings are compared without regard to case, but for `.C` and `.H`, which mean C++.
const LANGUAGES: &[Language] = &[
    language("python", "Python", &["py", "python2", "python3", "cpython"], &["py", "pyi", "pyw"], &[]),
    language("c", "C", &["c89", "c99", "c11", "c17"], &["c", "h"], &[]),
    language(
        "cpp",
        "C++",
        &["c++", "cplusplus", "cxx", "cc", "hpp"],
        &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl"],
        &[],
    ),
    language("java", "Java", &[], &["java"], &[]),
    language(
        "javascript",
        "JavaScript",
        &["js", "node", "nodejs", "ecmascript", "jsx"],
        &["js", "mjs", "cjs", "jsx"],
        &[],
    ),
    language("typescript", "TypeScript", &["ts", "tsx"], &["ts", "mts", "cts", "tsx"], &[]),
    language("go", "Go", &["golang"], &["go"], &[]),
    language("rust", "Rust", &["rs"], &["rs"], &[]),
    language("csharp", "C#", &["c#", "cs"], &["cs"], &[]),
    language("ruby", "Ruby", &["rb"], &["rb", "rake", "gemspec"], &["Rakefile", "Gemfile"]),
    language("php", "PHP", &[], &["php"], &[]),
    language("kotlin", "Kotlin", &["kt"], &["kt", "kts"], &[]),
    language("swift", "Swift", &[], &["swift"], &[]),
    language("scala", "Scala", &[], &["scala", "sc"], &[]),
    language("lua", "Lua", &[], &["lua"], &[]),
    language("perl", "Perl", &["pl"], &["pl", "pm"], &[]),
    language("haskell", "Haskell", &["hs"], &["hs"], &[]),
    language(
        "shell",
        "Shell",
        &["sh", "bash", "zsh", "shellscript", "shell-script"],
        &["sh", "bash", "zsh", "ksh"],
        &[".bashrc", ".profile"],
    ),
    language("sql", "SQL", &[], &["sql"], &[]),
    language("html", "HTML", &[], &["html", "htm", "xhtml"], &[]),
    language("css", "CSS", &[], &["css"], &[]),
    language("xml", "XML", &[], &["xml", "xsd", "svg", "pom"], &[]),
    language("json", "JSON", &["jsonl", "ndjson"], &["json", "jsonl", "ndjson"], &[]),
    language("toml", "TOML", &[], &["toml"], &["Cargo.lock"]),
    language("yaml", "YAML", &["yml"], &["yaml", "yml"], &[]),
    language("ini", "INI", &["cfg"], &["ini", "cfg"], &[]),
    language("markdown", "Markdown", &["md"], &["md", "markdown"], &[]),
    language("cmake", "CMake", &[], &["cmake"], &["CMakeLists.txt"]),
    language("make", "Make", &["makefile"], &["mk", "mak"], &["Makefile", "makefile", "GNUmakefile"]),
    language("dockerfile", "Dockerfile", &["docker"], &["dockerfile"], &["Dockerfile", "Containerfile"]),
    language("diff", "Diff", &["patch"], &["diff", "patch"], &[]),
    language("text", "Text", &["txt", "plain", "plaintext", "plain text"], &["txt", "text", "log"], &[]),
];

/// Every language name, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

/// The language that a path's file name or ending stands for.
///
/// A `.h` file counts as C; a caller that knows its surroundings uses [`language_of_file`].
pub fn language_of_path(path: &str) -> Option<&'static str> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if let Some(found) = LANGUAGES.iter().find(|language| language.files.contains(&file)) {
        return Some(found.name);
    }
    let (stem, ending) = file.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    if matches!(ending, "C" | "H") {
        return Some("cpp");
    }
    let ending = ending.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.endings.contains(&ending.as_str())).map(|found| found.name)
}

/// The language of a file in a task of language `surroundings`: a header of a C++ task is C++, a file
/// without a telling name has the language of the task.
pub fn language_of_file<'a>(path: &str, surroundings: &'a str) -> &'a str {
    match language_of_path(path) {
        Some("c") if surroundings == "cpp" && path.ends_with(".h") => "cpp",
        Some(name) => name,
        None => surroundings,
    }
}

/// Our name for a language that somebody calls `name` (`py`, `C++`, `JS`, …).
pub fn canonical_name(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|language| language.name == name || language.aliases.contains(&name.as_str()))
        .map(|found| found.name)
}

/// The name shown to people; a name that is not ours comes back as it is.
pub fn display_name(name: &str) -> &str {
    LANGUAGES.iter().find(|language| language.name == name).map_or(name, |found| found.display)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("src/ring.c", Some("c")),
            ("include/ring.h", Some("c")),
            ("a/B.C", Some("cpp")),
            ("x.tar.CPP", Some("cpp")),
            ("a.b/noending", None),
            ("C:\\w\\main.PY", Some("python")),
            ("Makefile", Some("make")),
            ("lib/CMakeLists.txt", Some("cmake")),
            ("notes.txt", Some("text")),
            (".gitignore", None),
            (".c", None),
            ("x.", None),
            ("", None),
            ("web/app.mjs", Some("javascript")),
            ("Cargo.toml", Some("toml")),
            ("Cargo.lock", Some("toml")),
        ] {
            assert_eq!(language_of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn surroundings() {
        assert_eq!(language_of_file("a.h", "cpp"), "cpp");
        assert_eq!(language_of_file("a.h", "c"), "c");
        assert_eq!(language_of_file("a.py", "cpp"), "python");
        assert_eq!(language_of_file("solution", "java"), "java");
    }

    #[test]
    fn names_of_others() {
        for (name, expected) in [
            ("py", Some("python")),
            ("C++", Some("cpp")),
            (" JS ", Some("javascript")),
            ("golang", Some("go")),
            ("rust", Some("rust")),
            ("klingon", None),
            ("", None),
        ] {
            assert_eq!(canonical_name(name), expected, "{name}");
        }
        assert_eq!(display_name("cpp"), "C++");
        assert_eq!(display_name("klingon"), "klingon");
    }

    #[test]
    fn no_name_ending_or_file_means_two_languages() {
        let mut seen = HashSet::new();
        for language in LANGUAGES {
            for name in std::iter::once(&language.name).chain(language.aliases) {
                assert!(seen.insert(("name", *name)), "{name}");
                assert_eq!(*name, name.to_lowercase());
            }
            for ending in language.endings {
                assert!(seen.insert(("ending", *ending)), "{ending}");
            }
            for file in language.files {
                assert!(seen.insert(("file", *file)), "{file}");
            }
        }
        assert_eq!(names().count(), LANGUAGES.len());
    }
}
