//! Filter expressions: `lang:c kind:repair type:B granularity:line words…`.
//!
//! Promises: pure; fields narrow, words match fuzzily in id and title and rank; the same expression
//! means the same on the Tasks screen and behind `--filter`. Full-text terms (`text:…`) are only parsed
//! here: whoever holds the texts answers them, by `task::full_text`.

use super::table::{BEYOND_ASCII, Summary, TaskTable, letters};
use super::tags::{TagTest, Tags};
use super::{FaultClass, Granularity, Kind, MarkKind};
use nucleo_matcher::chars::normalize;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::sync::Arc;

/// A field of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// `lang:` language, aliases understood.
    Language,
    /// `kind:` repair, feature, …
    Kind,
    /// `type:` error type; `type:C` holds for `C.1` too.
    ErrorType,
    /// `granularity:` line, hunk, …
    Granularity,
    /// `class:` bug or vulnerability.
    Class,
    /// `group:` origin that variants share.
    Group,
    /// `dataset:`.
    Dataset,
    /// `id:` part of the id.
    Id,
    /// `mark:` a mark on the task, or `any` / `none`.
    Mark,
    /// `changed:` lines added and removed together, with `>`, `<`, `>=`, `<=` or `a..b`.
    Changed,
    /// `text:` a piece of text anywhere in the task.
    Text,
    /// `label:` what one said oneself in the round in hand.
    Label,
    /// `disagree:` questions on which annotators differ.
    Disagree,
}

impl Field {
    /// All fields, in the order of the help text.
    pub const ALL: [Field; 13] = [
        Field::Language,
        Field::Kind,
        Field::ErrorType,
        Field::Granularity,
        Field::Class,
        Field::Group,
        Field::Dataset,
        Field::Id,
        Field::Mark,
        Field::Changed,
        Field::Text,
        Field::Label,
        Field::Disagree,
    ];

    /// The word before the colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Language => "lang",
            Field::Kind => "kind",
            Field::ErrorType => "type",
            Field::Granularity => "granularity",
            Field::Class => "class",
            Field::Group => "group",
            Field::Dataset => "dataset",
            Field::Id => "id",
            Field::Mark => "mark",
            Field::Changed => "changed",
            Field::Text => "text",
            Field::Label => "label",
            Field::Disagree => "disagree",
        }
    }

    /// What the field means, for help texts.
    pub fn describe(self) -> &'static str {
        match self {
            Field::Language => "language, as lang:c or lang:py,js",
            Field::Kind => "repair, feature, question, localization, edit",
            Field::ErrorType => "error type; type:C holds for C.1, C.2, C.3",
            Field::Granularity => "line, hunk, function, file, repository",
            Field::Class => "bug or vulnerability",
            Field::Group => "origin that variants share",
            Field::Dataset => "dataset name",
            Field::Id => "part of the id",
            Field::Mark => "any, none, or a mark such as not-utf8",
            Field::Changed => "lines changed, as changed:>10 or changed:2..5",
            Field::Text => "a piece of text in the task, as text:== or text:\"use after\"",
            Field::Label => "your labels: unlabelled, flagged, noted, skipped, stale, or question=answer",
            Field::Disagree => "a question on which annotators differ, or any",
        }
    }

    /// Whether it is about labels.
    const fn is_label(self) -> bool {
        matches!(self, Field::Label | Field::Disagree)
    }

    fn parse(name: &str) -> Option<Field> {
        match name {
            "language" => Some(Field::Language),
            "error_type" | "error-type" => Some(Field::ErrorType),
            _ => Field::ALL.into_iter().find(|field| field.as_str() == name),
        }
    }
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The word before a colon is no field.
    #[error("`{name}:` is no filter field{}; to find the text itself, quote it", nearest_clause(.nearest))]
    UnknownField {
        /// The word.
        name: String,
        /// The field that is closest in spelling.
        nearest: Option<&'static str>,
    },
    /// A field with a closed set of values got another one.
    #[error("`{value}` is not a {field}: one of {allowed}")]
    UnknownValue {
        /// The field's word.
        field: &'static str,
        /// The value.
        value: String,
        /// The allowed ones.
        allowed: String,
    },
    /// A number could not be read.
    #[error("`{0}` is not a number of lines: write changed:3, changed:>10, changed:<=5 or changed:2..5")]
    NotANumber(String),
    /// A field about labels, where there are none at hand.
    #[error(
        "`{0}:` can be asked in the workbench only; `mendbench label list` lists labels, `mendbench round adjudicate` what is contested"
    )]
    OnlyInWorkbench(&'static str),
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed")]
    OpenQuote,
}

fn nearest_clause(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean `{name}:`?)"))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Equal(String),
    Type(String),
    Contains(String),
    Kind(Kind),
    Granularity(Granularity),
    Class(FaultClass),
    Marks { bits: u16, any: bool },
    Between(u32, u32),
    Tag(TagTest),
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: Field,
    negated: bool,
    tests: Vec<Test>,
}

/// A parsed expression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    terms: Vec<Term>,
    words: Vec<String>,
    texts: Vec<(String, bool)>,
    /// What was said about tasks; without it nothing was.
    tags: Option<Arc<Tags>>,
}

impl Filter {
    /// Parses an expression where no labels are at hand.
    ///
    /// # Errors
    ///
    /// As [`Filter::parse`]; and where it asks for labels, which would find nothing without a word.
    pub fn parse_without_labels(expression: &str) -> Result<Filter, FilterError> {
        let filter = Filter::parse(expression)?;
        match filter.terms.iter().find(|term| term.field.is_label()) {
            Some(term) => Err(FilterError::OnlyInWorkbench(term.field.as_str())),
            None => Ok(filter),
        }
    }

    /// Whether it asks what was said about tasks.
    pub fn asks_labels(&self) -> bool {
        self.terms.iter().any(|term| term.field.is_label())
    }

    /// Whether it asks on what annotators differ.
    pub fn asks_disagreement(&self) -> bool {
        self.terms.iter().any(|term| term.field == Field::Disagree)
    }

    /// The same filter, told what was said.
    pub fn with_tags(self, tags: Option<Arc<Tags>>) -> Filter {
        Filter { tags, ..self }
    }

    /// Parses an expression. The empty one lets everything pass.
    pub fn parse(expression: &str) -> Result<Filter, FilterError> {
        let mut filter = Filter::default();
        for token in tokens(expression)? {
            let Token { text, quoted_from_start } = token;
            if !quoted_from_start && let Some((name, values)) = text.split_once(':') {
                let (name, negated) = match name.strip_prefix('-') {
                    Some(name) => (name, true),
                    None => (name, false),
                };
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
                    if values.starts_with(':') {
                        // `std::vector` is a word, not a field.
                        filter.words.push(text);
                        continue;
                    }
                    let Some(field) = Field::parse(&name.to_lowercase()) else {
                        return Err(FilterError::UnknownField {
                            name: name.to_owned(),
                            nearest: nearest(name),
                        });
                    };
                    if field == Field::Text {
                        if !values.is_empty() {
                            filter.texts.push((values.to_owned(), negated));
                        }
                        continue;
                    }
                    let tests = values
                        .split(',')
                        .filter(|value| !value.is_empty())
                        .map(|value| test(field, value))
                        .collect::<Result<Vec<Test>, FilterError>>()?;
                    // `lang:` alone is somebody in the middle of typing.
                    if !tests.is_empty() {
                        filter.terms.push(Term { field, negated, tests });
                    }
                    continue;
                }
            }
            filter.words.push(text);
        }
        Ok(filter)
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.words.is_empty() && self.texts.is_empty()
    }

    /// Whether words decide the order.
    pub fn ranks(&self) -> bool {
        !self.words.is_empty()
    }

    /// Full-text terms: each a piece of text, blanks in quotes kept, and whether it must be absent.
    pub fn texts(&self) -> &[(String, bool)] {
        &self.texts
    }

    /// The words, to be shown where they match.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether a row passes the fields (words and full text aside).
    pub fn fields_pass(&self, row: &Summary<'_>) -> bool {
        self.terms
            .iter()
            .all(|term| term.tests.iter().any(|test| self.passes(term.field, test, row)) != term.negated)
    }

    /// Rows of `candidates` that pass fields and words, each with its score (0 without words), in the
    /// order of `candidates`. `cancelled` is asked now and then; once it says yes the result is useless.
    pub fn select(
        &self,
        table: &TaskTable,
        candidates: &[u32],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Vec<(u32, u16)> {
        let threads = if candidates.len() < 20_000 {
            1
        } else {
            std::thread::available_parallelism().map_or(1, usize::from).min(8)
        };
        if threads == 1 {
            return self.select_part(table, candidates, cancelled);
        }
        let part = candidates.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let workers: Vec<_> = candidates
                .chunks(part)
                .map(|chunk| scope.spawn(move || self.select_part(table, chunk, cancelled)))
                .collect();
            let mut result = Vec::with_capacity(candidates.len());
            for worker in workers {
                result.extend(worker.join().unwrap_or_default());
            }
            result
        })
    }

    fn select_part(
        &self,
        table: &TaskTable,
        candidates: &[u32],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Vec<(u32, u16)> {
        let pattern = Pattern::new(
            &escape_words(&self.words),
            CaseMatching::Smart,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let needed = self.words.iter().fold(0, |bits, word| bits | needed_letters(word));
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut plain = Plain::for_words(&self.words);
        let mut result = Vec::with_capacity(candidates.len() / 2);
        for (count, row) in candidates.iter().copied().enumerate() {
            if count % 4096 == 4095 && cancelled() {
                break;
            }
            // Where there is more than ASCII an accent may hide a letter.
            let letters = table.letters(row);
            if letters & needed != needed && letters & BEYOND_ASCII == 0 {
                continue;
            }
            if !self.terms.is_empty() && !table.get(row).is_some_and(|summary| self.fields_pass(&summary)) {
                continue;
            }
            if self.words.is_empty() {
                result.push((row, 0));
                continue;
            }
            let haystack = plain.of(table.haystack(row), &mut buffer);
            if let Some(score) = pattern.score(haystack, &mut matcher) {
                result.push((row, u16::try_from(score).unwrap_or(u16::MAX)));
            }
        }
        result
    }

    /// Whether everything this filter selects was selected by `older` too, so that it need only look at
    /// those rows: the same fields, and words that grew.
    pub fn narrows(&self, older: &Filter) -> bool {
        self.terms == older.terms
            && self.tags == older.tags
            && self.texts == older.texts
            && self.words.len() >= older.words.len()
            && older.words.iter().zip(&self.words).enumerate().all(|(i, (old, new))| {
                if i + 1 == older.words.len() { new.starts_with(old.as_str()) } else { new == old }
            })
    }

    fn passes(&self, field: Field, test: &Test, row: &Summary<'_>) -> bool {
        match test {
            Test::Tag(test) => {
                let tag = self.tags.as_ref().and_then(|tags| tags.get(&row.key));
                tag.is_some_and(|tag| test.holds(tag))
            }
            _ => passes(field, test, row),
        }
    }

    /// Positions (in characters) of a text where the words match, for emphasis.
    pub fn positions(&self, text: &str) -> Vec<u32> {
        if self.words.is_empty() {
            return Vec::new();
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let haystack = Utf32Str::new(text, &mut buffer);
        let mut positions = Vec::new();
        for word in &self.words {
            let pattern = Pattern::new(
                &escape_words(std::slice::from_ref(word)),
                CaseMatching::Smart,
                Normalization::Smart,
                AtomKind::Fuzzy,
            );
            pattern.indices(haystack, &mut matcher, &mut positions);
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

/// Lines as the matcher likes them best: one `·` in a title makes it five times slower, so lines are spelled in
/// ASCII for words that are, one byte for each character; accents are folded as the matcher folds them.
struct Plain {
    wanted: bool,
    bytes: Vec<u8>,
}

impl Plain {
    fn for_words(words: &[String]) -> Plain {
        Plain { wanted: words.iter().all(|word| word.is_ascii()), bytes: Vec::new() }
    }

    fn of<'a>(&'a mut self, line: &'a str, buffer: &'a mut Vec<char>) -> Utf32Str<'a> {
        if !self.wanted || line.is_ascii() {
            return Utf32Str::new(line, buffer);
        }
        self.bytes.clear();
        // A byte that no word can hold stands for what has no ASCII form.
        let ascii =
            |character: char| u8::try_from(normalize(character)).ok().filter(u8::is_ascii).unwrap_or(0x1A);
        self.bytes.extend(line.chars().map(ascii));
        Utf32Str::Ascii(&self.bytes)
    }
}

/// `Pattern::new` splits at unescaped white space: a quoted phrase stays one word.
fn escape_words(words: &[String]) -> String {
    words.iter().map(|word| word.replace(' ', "\\ ")).collect::<Vec<_>>().join(" ")
}

/// ASCII letters and digits are compared by bit; a word with anything else is left to the matcher, which
/// may fold accents.
fn needed_letters(word: &str) -> u64 {
    if word.is_ascii() { letters(word) } else { 0 }
}

struct Token {
    text: String,
    quoted_from_start: bool,
}

fn tokens(expression: &str) -> Result<Vec<Token>, FilterError> {
    let mut tokens = Vec::new();
    let mut current: Option<Token> = None;
    let mut quoted = false;
    for character in expression.chars() {
        match character {
            '"' => {
                quoted = !quoted;
                current.get_or_insert(Token { text: String::new(), quoted_from_start: true });
            }
            c if c.is_whitespace() && !quoted => tokens.extend(current.take()),
            c => current.get_or_insert(Token { text: String::new(), quoted_from_start: false }).text.push(c),
        }
    }
    if quoted {
        return Err(FilterError::OpenQuote);
    }
    tokens.extend(current);
    tokens.retain(|token| !token.text.is_empty());
    Ok(tokens)
}

fn nearest(name: &str) -> Option<&'static str> {
    Field::ALL
        .into_iter()
        .map(Field::as_str)
        .map(|field| (strsim::damerau_levenshtein(&name.to_lowercase(), field), field))
        .filter(|(distance, field)| *distance <= 2 && *distance < field.len())
        .min()
        .map(|(_, field)| field)
}

fn test(field: Field, value: &str) -> Result<Test, FilterError> {
    let lower = value.to_lowercase();
    let unknown = |allowed: Vec<&str>| FilterError::UnknownValue {
        field: field.as_str(),
        value: value.to_owned(),
        allowed: allowed.join(", "),
    };
    if lower == "none" && matches!(field, Field::ErrorType | Field::Granularity | Field::Class) {
        return Ok(Test::None);
    }
    Ok(match field {
        Field::Language => {
            Test::Equal(crate::syntax::language::canonical_name(&lower).map_or(lower, str::to_owned))
        }
        Field::Dataset | Field::Group => Test::Equal(lower),
        Field::Id => Test::Contains(lower),
        Field::ErrorType => Test::Type(lower),
        Field::Kind => Test::Kind(
            Kind::parse(&lower).ok_or_else(|| unknown(Kind::ALL.iter().map(|k| k.as_str()).collect()))?,
        ),
        Field::Granularity => {
            Test::Granularity(Granularity::parse(&lower).ok_or_else(|| {
                unknown(Granularity::ALL.iter().map(|g| g.as_str()).chain(["none"]).collect())
            })?)
        }
        Field::Class => match lower.as_str() {
            "bug" => Test::Class(FaultClass::Bug),
            "vulnerability" | "vuln" => Test::Class(FaultClass::Vulnerability),
            _ => return Err(unknown(vec!["bug", "vulnerability", "none"])),
        },
        Field::Mark => match lower.as_str() {
            "any" => Test::Marks { bits: u16::MAX, any: true },
            "none" => Test::Marks { bits: u16::MAX, any: false },
            _ => {
                let kind =
                    MarkKind::ALL.into_iter().find(|mark| mark.as_str() == lower).ok_or_else(|| {
                        unknown(
                            ["any", "none"]
                                .into_iter()
                                .chain(MarkKind::ALL.iter().map(|m| m.as_str()))
                                .collect(),
                        )
                    })?;
                Test::Marks { bits: kind.bit(), any: true }
            }
        },
        Field::Changed => between(&lower)?,
        Field::Text => Test::Contains(lower),
        Field::Label => {
            let allowed = TagTest::STATES.into_iter().chain(["question=answer"]).collect();
            Test::Tag(TagTest::label(&lower).ok_or_else(|| unknown(allowed))?)
        }
        Field::Disagree => Test::Tag(TagTest::Contested((lower != "any").then_some(lower))),
    })
}

fn between(value: &str) -> Result<Test, FilterError> {
    let number =
        |text: &str| text.trim().parse::<u32>().map_err(|_| FilterError::NotANumber(value.to_owned()));
    Ok(if let Some(rest) = value.strip_prefix(">=") {
        Test::Between(number(rest)?, u32::MAX)
    } else if let Some(rest) = value.strip_prefix("<=") {
        Test::Between(0, number(rest)?)
    } else if let Some(rest) = value.strip_prefix('>') {
        Test::Between(number(rest)?.saturating_add(1), u32::MAX)
    } else if let Some(rest) = value.strip_prefix('<') {
        match number(rest)? {
            0 => Test::Between(1, 0),
            limit => Test::Between(0, limit - 1),
        }
    } else if let Some((low, high)) = value.split_once("..") {
        let low = if low.is_empty() { 0 } else { number(low)? };
        let high = if high.is_empty() { u32::MAX } else { number(high)? };
        Test::Between(low, high)
    } else {
        let exact = number(value)?;
        Test::Between(exact, exact)
    })
}

fn passes(field: Field, test: &Test, row: &Summary<'_>) -> bool {
    match test {
        Test::Equal(value) => {
            let actual = match field {
                Field::Language => row.language,
                Field::Group => row.group,
                _ => row.dataset,
            };
            equal_ignoring_case(actual, value)
        }
        Test::Contains(value) => row.id.to_lowercase().contains(value),
        Test::Type(value) => {
            let actual = row.error_type;
            actual.len() >= value.len()
                && actual.is_char_boundary(value.len())
                && equal_ignoring_case(&actual[..value.len()], value)
                && (actual.len() == value.len() || actual.as_bytes()[value.len()] == b'.')
        }
        Test::Kind(kind) => row.kind == *kind,
        Test::Granularity(granularity) => row.granularity == Some(*granularity),
        Test::Class(class) => row.class == Some(*class),
        Test::Marks { bits, any } => (row.marks & bits != 0) == *any,
        // Whoever holds what was said answers these.
        Test::Tag(_) => false,
        Test::Between(low, high) => (*low..=*high).contains(&row.added.saturating_add(row.removed)),
        Test::None => match field {
            Field::ErrorType => row.error_type.is_empty(),
            Field::Granularity => row.granularity.is_none(),
            _ => row.class.is_none(),
        },
    }
}

/// `value` is lower case already.
fn equal_ignoring_case(actual: &str, value: &str) -> bool {
    actual.eq_ignore_ascii_case(value) || (!actual.is_ascii() && actual.to_lowercase() == value)
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
