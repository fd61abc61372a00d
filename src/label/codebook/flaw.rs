//! What can be wrong with a codebook, where, and what would be right.
//!
//! Promises: every message names the question, the answer and the key of the file that it is about.
//! Leaves to others: finding it (`rules`, `read`).

use std::fmt;

/// A place in a codebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The question, counted from 0; none: the codebook itself.
    pub question: Option<usize>,
    /// The answer of the question, counted from 0.
    pub answer: Option<usize>,
    /// The key of the file, as `parent`.
    pub field: &'static str,
}

impl Place {
    /// A key of the codebook itself.
    pub const fn book(field: &'static str) -> Place {
        Place { question: None, answer: None, field }
    }

    /// A key of a question.
    pub const fn question(question: usize, field: &'static str) -> Place {
        Place { question: Some(question), answer: None, field }
    }

    /// A key of an answer.
    pub const fn answer(question: usize, answer: usize, field: &'static str) -> Place {
        Place { question: Some(question), answer: Some(answer), field }
    }
}

/// Something wrong in a codebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Where.
    pub place: Place,
    /// What, and what would be right.
    pub problem: Problem,
}

/// What is wrong. The texts stand behind the name of the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not TOML.
    #[error("is not valid TOML: {0}")]
    Syntax(String),
    /// The file is for another version of mendbench.
    #[error("is {0}, and this mendbench reads schema 1")]
    Schema(String),
    /// A key that does not exist there.
    #[error("is not known here: {0}")]
    UnknownKey(String),
    /// A value of another type.
    #[error("must be {wanted}, not {found}")]
    WrongType {
        /// What it must be.
        wanted: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// Something that must be there is not.
    #[error("is missing: {0}")]
    Missing(&'static str),
    /// A name that is none of the allowed ones.
    #[error("cannot be `{found}`: {hint}")]
    Choice {
        /// What was written.
        found: String,
        /// What it may be.
        hint: String,
    },
    /// An id that cannot stand in files and commands.
    #[error(
        "cannot be `{0}`: an id is 1 to 64 letters of a to z, digits, `.`, `_` and `-`, and does not begin with `.` or `-`"
    )]
    BadId(String),
    /// The id that means "was not asked".
    #[error("cannot be `{0}`: exports use it for questions that were not asked")]
    ReservedId(String),
    /// Two things with one id.
    #[error("`{id}` is taken already, by {other}; give one of them another id")]
    Duplicate {
        /// The id.
        id: String,
        /// What else has it.
        other: String,
    },
    /// A parent that does not exist.
    #[error("names `{parent}`, and the question has no such answer: {hint}")]
    UnknownParent {
        /// What was written.
        parent: String,
        /// What it may be.
        hint: String,
    },
    /// Parents in a circle.
    #[error("goes round in a circle: {0}")]
    Cycle(String),
    /// A hierarchy where there cannot be one.
    #[error("makes no sense in a question of kind {0}: its answers stand side by side")]
    NoHierarchy(&'static str),
    /// A key that cannot be pressed as one character.
    #[error("cannot be `{0}`: a key is one visible character")]
    BadKey(String),
    /// Two answers with one key.
    #[error("`{key}` is the key of `{other}` already; give one of them another")]
    KeyClash {
        /// The key.
        key: char,
        /// The other answer.
        other: String,
    },
    /// A key that does something else.
    #[error("`{key}` is not free: it means \"{action}\" in the workbench; free are the digits and {free}")]
    KeyReserved {
        /// The key.
        key: char,
        /// What it does.
        action: String,
        /// Some that are free.
        free: String,
    },
    /// An answer at the end of a branch that cannot be given.
    #[error("is missing: an answer needs a key, unless others stand under it")]
    NoKey,
    /// Answers where there are none to choose from, or too few or too many of them.
    #[error("{0}")]
    Answers(String),
    /// A range without a number in it.
    #[error("{min} is larger than `max`, {max}")]
    EmptyRange {
        /// From.
        min: String,
        /// To.
        max: String,
    },
    /// A key that belongs to another kind of question.
    #[error("belongs to questions of kind {wanted}, and this one is {found}")]
    WrongKind {
        /// The kinds.
        wanted: &'static str,
        /// The kind of this question.
        found: &'static str,
    },
    /// Free texts cannot be compared.
    #[error("cannot be true for texts: no two of them are the same")]
    TextCounts,
    /// A condition on something that does not exist.
    #[error("names the question `{question}`, and there is none: {hint}")]
    UnknownCondition {
        /// What was written.
        question: String,
        /// What it may be.
        hint: String,
    },
    /// A condition on something that is asked later.
    #[error(
        "names the question `{0}`, which is asked later or is this one; move it up, or take an earlier one"
    )]
    LateCondition(String),
    /// A condition on something without answers.
    #[error("names the question `{question}`, which is of kind {kind} and has no answers to depend on")]
    NoAnswers {
        /// The question.
        question: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A condition on an answer that does not exist.
    #[error("names the answer `{answer}`, and `{question}` has no such answer: {hint}")]
    UnknownAnswer {
        /// What was written.
        answer: String,
        /// The question.
        question: String,
        /// What it may be.
        hint: String,
    },
    /// More of something than can be worked with.
    #[error("has {found} entries, more than {most}")]
    TooMany {
        /// How many.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A text that is too long.
    #[error("is longer than {0} bytes")]
    TooLong(usize),
}

/// Something wrong in the file of a codebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodebookError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The question that it is about, by its id, or by its number where it has none.
    pub question: Option<String>,
    /// The answer that it is about.
    pub answer: Option<String>,
    /// The key of the file.
    pub key: String,
    /// What is wrong, and what would be right.
    pub problem: Problem,
}

impl fmt::Display for CodebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if let Some(question) = &self.question {
            write!(f, "question `{question}`")?;
            if let Some(answer) = &self.answer {
                write!(f, ", answer `{answer}`")?;
            }
            f.write_str(": ")?;
        }
        write!(f, "`{}` {}", self.key, self.problem)
    }
}

impl std::error::Error for CodebookError {}

/// Everything that is wrong in the file of a codebook, in the order of the lines; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodebookErrors(pub Vec<CodebookError>);

impl fmt::Display for CodebookErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, error) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for CodebookErrors {}

/// The known name that is closest in spelling, or all of them.
pub(super) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.filter(|known| !known.is_empty()).collect();
    let nearest = known
        .iter()
        // Names that differ this much in length are not near, and may be of any length.
        .filter(|known| known.len().abs_diff(name.len()) <= 2)
        .map(|known| (strsim::damerau_levenshtein(name, known), *known))
        .filter(|(distance, known)| *distance <= 2 && *distance < known.len())
        .min();
    match nearest {
        Some((_, nearest)) => format!("did you mean `{nearest}`?"),
        None if known.is_empty() => "there is none".to_owned(),
        None if known.len() > 20 => format!("known are {}, …", known[..20].join(", ")),
        None => format!("known are {}", known.join(", ")),
    }
}
