//! What the failing tests give away: lines, words, and which families of mutations fit the failure.
//!
//! Promises: reads a report and what was dug out of it and nothing else; hostile text costs time in its length.
//! Leaves to others: places in the code (`order`).

use super::mutation::Template;
use crate::report::dig::{Class, Failure};
use crate::report::{Report, Status};
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes of text that are looked at.
const MOST_BYTES: usize = 64 << 10;

/// What is known of a failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Messages and excerpt, bounded.
    text: String,
    /// Words in it that could be names.
    words: BTreeSet<String>,
    /// Factors of the families that fit.
    factors: BTreeMap<Template, f64>,
    conversions: Vec<(&'static str, f64)>,
    place: Option<(String, u32)>,
}

impl Evidence {
    /// What a report and the failure dug out of it give away; both may be missing.
    pub fn of(report: Option<&Report>, failure: Option<&Failure>) -> Evidence {
        let mut evidence = Evidence::default();
        for case in report.iter().flat_map(|report| &report.cases) {
            if case.status.is_failure() || case.status == Status::NotRun {
                evidence.read(&last_name(&case.id));
                evidence.read(case.message.as_deref().unwrap_or_default());
            }
        }
        if let Some(failure) = failure {
            evidence.read(&failure.excerpt);
            evidence.class(&failure.class);
            evidence.place = failure.place.as_ref().map(|place| (place.file.clone(), place.line));
        }
        evidence.words = words(&evidence.text);
        evidence.hints();
        evidence
    }

    fn read(&mut self, text: &str) {
        let mut room = MOST_BYTES.saturating_sub(self.text.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        self.text.push_str(&text[..room]);
        self.text.push('\n');
    }

    fn fits(&mut self, factor: f64, templates: &[Template]) {
        for template in templates {
            let known = self.factors.entry(*template).or_insert(1.0);
            *known = known.max(factor);
        }
    }

    fn class(&mut self, class: &Class) {
        use Template::{Assignment, Branch, Comparison, Guard, Jump, SwapStatements};
        match class {
            Class::Timeout => self.fits(2.0, &[Comparison, Assignment, Jump, Branch]),
            Class::Signal(_) | Class::Sanitizer(_) => self.fits(2.5, &[Guard, SwapStatements]),
            _ => {}
        }
    }

    /// What messages of interpreters say of their cause.
    fn hints(&mut self) {
        use Template::{
            AddArgument, Arithmetic, Comparison, Constant, Conversion, DropArgument, Guard, Member, Name,
            Step, Unwrap,
        };
        let text = self.text.clone();
        let any = |hints: &[&str]| hints.iter().any(|hint| text.contains(hint));
        for (hints, factor, templates) in [
            (
                &[
                    "positional argument",
                    "arguments but",
                    "takes exactly",
                    "takes at most",
                    "takes no arguments",
                    "unexpected keyword",
                ][..],
                6.0,
                &[DropArgument][..],
            ),
            (
                &[
                    "missing 1 required",
                    "missing 2 required",
                    "expected at least",
                    "expected 1 argument, got 0",
                    "takes exactly one argument (0 given)",
                ],
                6.0,
                &[AddArgument],
            ),
            (
                &["IndexError", "out of range", "out of bounds", "ArrayIndexOutOfBounds"],
                2.0,
                &[Step, Constant, Comparison],
            ),
            (
                &["ZeroDivisionError", "division by zero", "divide by zero"],
                2.0,
                &[Guard, Arithmetic, Constant],
            ),
            (&["NameError", "is not defined", "UnboundLocalError"], 4.0, &[Name]),
            (&["AttributeError", "has no attribute", "is not a function"], 2.0, &[Member, Unwrap]),
            (
                &["NoneType", "NullPointerException", "of undefined", "of null", "Segmentation fault"],
                2.5,
                &[Guard],
            ),
            (
                &["'float' object cannot be interpreted", "indices must be integers", "'float' object"],
                5.0,
                &[Constant, Conversion],
            ),
            (&["'float' object cannot be interpreted", "indices must be integers"], 2.5, &[Arithmetic]),
            (&["not supported between instances"], 4.0, &[Comparison]),
            (&["unsupported operand type"], 2.5, &[Arithmetic, Conversion]),
        ] {
            if any(hints) {
                self.fits(factor, templates);
            }
        }
        for (hints, conversions) in [
            (&["'float' object cannot be interpreted", "indices must be integers"][..], &[("int", 0.15)][..]),
            (
                &["can only concatenate str", "must be str, not int", "expected str instance, int"],
                &[("str", 0.5)],
            ),
            (&["can only concatenate list"], &[("list", 0.5)]),
            (&["unhashable type: 'list'"], &[("tuple", 0.6)]),
            (
                &[
                    "Object of type set is not",
                    "'set' object",
                    "'map' object",
                    "'filter' object",
                    "'dict_keys'",
                    "dict_values",
                ],
                &[("list", 0.6)],
            ),
            (
                &["type bytes is not JSON", "str, not bytes", "not bytes", "bytes-like object", "b'"],
                &[(".decode", 0.6)],
            ),
            (
                &["bytes-like object is required, not 'str'", "must be encoded", "encoded before hashing"],
                &[(".encode", 0.6)],
            ),
        ] {
            if any(hints) {
                self.conversions.extend(conversions);
            }
        }
    }

    /// How much better a family fits than without the failure.
    pub(super) fn factor(&self, template: Template) -> f64 {
        self.factors.get(&template).copied().unwrap_or(1.0)
    }

    /// Functions (`int`) and methods (`.decode`) that turn a value into the type that was wanted, with weights.
    pub(super) fn conversions(&self) -> &[(&'static str, f64)] {
        &self.conversions
    }

    /// Whether a word stands in what the tests say.
    pub(super) fn names(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Lines of a file that are named, from 1.
    pub(super) fn lines_of(&self, path: &str) -> BTreeSet<u32> {
        let file = path.rsplit('/').next().unwrap_or(path);
        let mut lines: BTreeSet<u32> =
            self.place.iter().filter(|(named, _)| named == path).map(|(_, line)| *line).collect();
        if file.is_empty() {
            return lines;
        }
        for (at, _) in self.text.match_indices(file).take(500) {
            let rest = &self.text[at + file.len()..];
            let rest = rest.strip_prefix("\", line ").or_else(|| rest.strip_prefix(':'));
            let digits = rest.map(|rest| rest.bytes().take_while(u8::is_ascii_digit).take(9).count());
            lines.extend(rest.zip(digits).and_then(|(rest, digits)| rest[..digits].parse::<u32>().ok()));
        }
        lines
    }
}

/// The last part of a test's id: `a.b.test_c` names `test_c`.
fn last_name(id: &str) -> String {
    id.rsplit(['.', ':', '/']).next().unwrap_or(id).replace('_', " ")
}

/// Words that could be names, without those that every message has.
fn words(text: &str) -> BTreeSet<String> {
    const COMMON: [&str; 24] = [
        "File",
        "line",
        "test",
        "tests",
        "Error",
        "AssertionError",
        "TypeError",
        "Traceback",
        "most",
        "recent",
        "call",
        "last",
        "assert",
        "expected",
        "got",
        "candidate",
        "check",
        "module",
        "self",
        "return",
        "for",
        "not",
        "None",
        "the",
    ];
    let mut found = BTreeSet::new();
    for word in text.split(|character: char| !character.is_alphanumeric() && character != '_') {
        let known = COMMON.contains(&word)
            || word.len() < 3
            || word.starts_with(|first: char| first.is_ascii_digit());
        if !known && word.len() < 60 && found.len() < 2_000 {
            found.insert(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::dig::{Place, Stage};
    use crate::report::{Case, Parser};

    fn failing(message: &str) -> Report {
        let case = |id: &str, status, message: &str| Case {
            id: id.to_owned(),
            status,
            message: Some(message.to_owned()),
            seconds: None,
        };
        Report {
            parser: Parser::Tap,
            cases: vec![
                case("t.full_rejects", Status::Failed, message),
                case("t.empty", Status::Passed, "quiet words"),
            ],
            ..Report::default()
        }
    }

    #[test]
    fn what_failing_tests_name_is_found_and_what_passing_ones_say_is_not() {
        let report = failing("src/ring.c:22: head differs");
        let place = Some(Place { file: "src/ring.c".to_owned(), line: 7, function: None });
        let failure = Failure { stage: Stage::Test, class: Class::Signal(11), place, excerpt: String::new() };
        let evidence = Evidence::of(Some(&report), Some(&failure));
        assert_eq!(evidence.lines_of("src/ring.c"), BTreeSet::from([7, 22]));
        assert_eq!(evidence.lines_of("src/other.c"), BTreeSet::new());
        assert!(evidence.names("head") && evidence.names("rejects"));
        assert!(!evidence.names("quiet") && !evidence.names("tail"));
        assert!(evidence.factor(Template::Guard) > 1.0);
        assert!((evidence.factor(Template::Constant) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn messages_of_interpreters_point_to_families() {
        for (message, template) in [
            ("TypeError: f() takes 1 positional argument but 2 were given", Template::DropArgument),
            ("TypeError: f() missing 1 required positional argument: 'a'", Template::AddArgument),
            ("IndexError: list index out of range", Template::Step),
            ("NameError: name 'x' is not defined", Template::Name),
            ("TypeError: '<' not supported between instances of 'str' and 'NoneType'", Template::Comparison),
            ("TypeError: 'float' object cannot be interpreted as an integer", Template::Conversion),
        ] {
            let evidence = Evidence::of(Some(&failing(message)), None);
            assert!(evidence.factor(template) > 1.0, "{message}");
        }
        let evidence = Evidence::of(Some(&failing("Object of type bytes is not JSON serializable")), None);
        assert_eq!(evidence.conversions(), [(".decode", 0.6)]);
        assert_eq!(Evidence::of(None, None), Evidence::default());
    }
}
