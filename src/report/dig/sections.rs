//! What an output says about one test: the part of it under the test's heading.
//!
//! Promises: one pass over the output, however many tests are asked for; a heading that names no test is nobody's.
//! Leaves to others: what stands in the part ([`super::first_own`]).

use std::collections::HashMap;

/// Most headings that are noted.
const MOST: usize = 10_000;

/// The parts of an output, by the names in their headings.
#[derive(Debug)]
pub struct Sections<'a> {
    output: &'a str,
    /// Where the text under each heading starts and ends.
    parts: Vec<(usize, usize)>,
    by_heading: HashMap<&'a str, usize>,
    by_word: HashMap<&'a str, usize>,
}

impl<'a> Sections<'a> {
    /// Finds the headings of an output.
    pub fn of(output: &'a str) -> Sections<'a> {
        let mut found =
            Sections { output, parts: Vec::new(), by_heading: HashMap::new(), by_word: HashMap::new() };
        let mut at = 0;
        for line in output.split_inclusive('\n') {
            let end = at + line.len();
            if let Some(name) = heading(line.trim_end()) {
                if let Some(last) = found.parts.last_mut() {
                    last.1 = at;
                }
                if found.parts.len() == MOST {
                    return found;
                }
                // The first part counts: later ones repeat it in short.
                found.by_heading.entry(name).or_insert(found.parts.len());
                for word in names(name) {
                    found.by_word.entry(word).or_insert(found.parts.len());
                }
                found.parts.push((end, output.len()));
            }
            at = end;
        }
        found
    }

    /// What stands under the heading of a test.
    pub fn about(&self, id: &str) -> Option<&'a str> {
        let words = &self.by_word;
        let part = self.by_heading.get(id).or_else(|| words.get(id)).or_else(|| words.get(last_name(id)))?;
        let (from, to) = self.parts.get(*part)?;
        self.output.get(*from..*to)
    }
}

/// The test that a line heads, in the forms of unittest, pytest, cargo and TAP.
fn heading(line: &str) -> Option<&str> {
    if let Some(name) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
        return Some(name);
    }
    if line.starts_with("____") && line.ends_with("____") {
        return Some(line.trim_matches('_').trim()).filter(|name| !name.is_empty());
    }
    if let Some(rest) = line.strip_prefix("---- ") {
        return rest.strip_suffix(" stdout ----").or_else(|| rest.strip_suffix(" stderr ----"));
    }
    let line = line.trim_start();
    let point = line.strip_prefix("not ok ").or_else(|| line.strip_prefix("ok "))?;
    Some(point.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([' ', '-']))
}

/// What a test may be called by beside the heading: its words, their last parts.
fn names(heading: &str) -> impl Iterator<Item = &str> {
    let words = heading.split([' ', '(', ')']).filter(|word| !word.is_empty());
    words.flat_map(|word| [word, last_name(word)])
}

/// The function's own name, parameters kept.
pub fn last_name(id: &str) -> &str {
    let end = id.find('[').unwrap_or(id.len());
    let start = id[..end].rfind(['.', ':', '>', '/', ' ']).map_or(0, |at| at + 1);
    id.get(start..).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_its_own_part() {
        let unittest = "FAIL: test_a (m.C.test_a)\n----\nfirst\n\n====\nERROR: test_b (m.C.test_b)\nsecond\n";
        let sections = Sections::of(unittest);
        assert_eq!(sections.about("m.C.test_a"), Some("----\nfirst\n\n====\n"));
        assert_eq!(sections.about("m.C.test_b"), Some("second\n"));
        assert_eq!(sections.about("m.C.test_c"), None);
        let pytest = "____ C.test_x[1-2] ____\nsaid\n_____ test_y _____\nmore\n";
        let sections = Sections::of(pytest);
        assert_eq!(sections.about("a/test_b.py::C::test_x[1-2]"), Some("said\n"));
        assert_eq!(sections.about("a/test_b.py::test_y"), Some("more\n"));
        let cargo = "---- tests::fails stdout ----\nthread 'tests::fails' panicked at src/lib.rs:2:3:\n";
        assert!(Sections::of(cargo).about("tests::fails").is_some_and(|part| part.contains("lib.rs")));
        let tap = "1..2\nok 1 - one\nnot ok 2 - two words\n# a.c:3: wrong\n";
        assert_eq!(Sections::of(tap).about("two words"), Some("# a.c:3: wrong\n"));
    }
}
