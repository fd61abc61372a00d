//! The templates: embedded, each of which the user may replace.
//!
//! Promises: a template that names what there is not is found when it is loaded, not in the middle of a run; values are
//! never read as templates; everything from outside reaches a template inside its fence or code span. The hash over all
//! templates is part of every cell.
//! Leaves to others: reading the user's files (callers), which template is used when (`build`).

use crate::repair::cell::word::{nearest, quoted};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of every template that comes with the program.
        pub const EMBEDDED: [(&str, &str); [$($name),+].len()] =
            [$(($name, include_str!(concat!("templates/", $name, ".txt")))),+];
    };
}

embedded![
    "role",
    "task",
    "docstring",
    "issue",
    "context",
    "hints",
    "examples",
    "code",
    "feedback",
    "guidelines",
    "output-function",
    "output-hunk",
    "output-line",
    "output-file",
    "output-patch",
    "output-search-replace",
    "technique-cot",
    "technique-self-ask",
    "technique-sg-icl",
    "technique-step-back",
    "technique-rephrase",
    "preliminary-self-ask",
    "preliminary-sg-icl",
    "preliminary-step-back",
    "preliminary-rephrase",
    "follow-up",
    "helper-role",
    "helper-skilled",
    "helper-expert",
];

/// Longest template, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// Why templates cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A file that is none of the templates.
    #[error("`{found}` is not a template{}; known: {known}", match .nearest {
        Some(name) => format!(": did you mean `{name}`?"),
        None => String::new(),
    })]
    Unknown {
        /// Its name.
        found: String,
        /// The nearest known one.
        nearest: Option<String>,
        /// All that there are.
        known: String,
    },
    /// A text that is too long to be one.
    #[error("template `{name}` has {bytes} bytes; a template has at most {MOST_BYTES}")]
    TooLong {
        /// The template.
        name: &'static str,
        /// Its length.
        bytes: usize,
    },
    /// A template that cannot be read or filled in.
    #[error("template `{name}`, line {line}: {why}; it may use {}", .allowed.join(", "))]
    Broken {
        /// The template.
        name: &'static str,
        /// Where, from 1; 0 where that is not known.
        line: usize,
        /// What is wrong.
        why: String,
        /// The names that the template is given.
        allowed: Vec<&'static str>,
    },
}

/// A set of templates.
#[derive(Debug, Clone)]
pub struct Templates {
    environment: Arc<Environment<'static>>,
    hash: String,
    replaced: Vec<&'static str>,
}

impl Templates {
    /// The templates that come with the program.
    ///
    /// # Errors
    ///
    /// None in a program whose tests passed.
    pub fn embedded() -> Result<Templates, TemplateError> {
        Templates::with(&BTreeMap::new())
    }

    /// The templates with some replaced: their names (with or without `.txt`) and texts.
    ///
    /// # Errors
    ///
    /// A name that is no template's, a text that is too long, cannot be read, or uses what it is not given.
    pub fn with(replaced: &BTreeMap<String, String>) -> Result<Templates, TemplateError> {
        let names = || EMBEDDED.iter().map(|(name, _)| *name);
        let mut texts: BTreeMap<&'static str, &str> = EMBEDDED.into_iter().collect();
        let mut own = Vec::new();
        for (file, text) in replaced {
            let found = file.strip_suffix(".txt").unwrap_or(file);
            let Some(name) = names().find(|name| *name == found) else {
                let known: Vec<&str> = names().collect();
                let nearest = nearest(found, &known);
                return Err(TemplateError::Unknown {
                    found: quoted(found),
                    nearest,
                    known: known.join(", "),
                });
            };
            if text.len() > MOST_BYTES {
                return Err(TemplateError::TooLong { name, bytes: text.len() });
            }
            texts.insert(name, text);
            own.push(name);
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
            environment.set_syntax(syntax);
        }
        let mut hash = Sha256::new();
        for (name, text) in &texts {
            // Lengths keep names and texts apart.
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
            environment
                .add_template_owned(*name, (*text).to_owned())
                .map_err(|error| broken(name, &error))?;
        }
        let hash = crate::task::hex(&hash.finalize());
        let templates = Templates { environment: Arc::new(environment), hash, replaced: own };
        for name in names() {
            templates.try_out(name)?;
        }
        Ok(templates)
    }

    /// sha256 over all names and texts, for the cell.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Names of the templates that the user replaced.
    pub fn replaced(&self) -> &[&'static str] {
        &self.replaced
    }

    /// A template filled in, without white space around it.
    pub(super) fn fill(
        &self,
        name: &'static str,
        values: BTreeMap<&'static str, Value>,
    ) -> Result<String, TemplateError> {
        let template = self.environment.get_template(name).map_err(|error| broken(name, &error))?;
        let text = template.render(Value::from(values)).map_err(|error| broken(name, &error))?;
        Ok(text.trim().to_owned())
    }

    /// Fills a template in with much, and with as little as there can be.
    fn try_out(&self, name: &'static str) -> Result<(), TemplateError> {
        for is_full in [true, false] {
            let values = allowed(name).iter().map(|value| (*value, sample(value, is_full))).collect();
            self.fill(name, values)?;
        }
        Ok(())
    }
}

/// Named values as one value.
pub(super) fn object<const N: usize>(values: [(&'static str, Value); N]) -> Value {
    Value::from(BTreeMap::from(values))
}

/// What each template is given.
fn allowed(name: &str) -> &'static [&'static str] {
    match name {
        "task" => &["language", "kind", "places"],
        "docstring" => &["language", "description"],
        "issue" => &["language", "heading", "text"],
        "context" => &["language", "blocks"],
        "hints" => &["language", "components", "locations", "discussion"],
        "examples" => &["language", "examples"],
        "code" | "helper-expert" => &["language", "parts"],
        "feedback" | "follow-up" => &["language", "feedback"],
        "technique-self-ask" | "technique-sg-icl" | "technique-step-back" | "technique-rephrase" => {
            &["language", "preliminary"]
        }
        name if name.starts_with("output-") => &["language", "functions", "mark"],
        _ => &["language"],
    }
}

/// A value to try a template out with.
fn sample(value: &str, is_full: bool) -> Value {
    let list = |item: Value| Value::from(if is_full { vec![item.clone(), item] } else { Vec::new() });
    let text = |text: &str| Value::from(if is_full { text } else { "" });
    match value {
        "language" => Value::from("C"),
        "kind" => Value::from(if is_full { "feature" } else { "repair" }),
        "heading" => Value::from("Issue"),
        "places" | "functions" | "components" | "locations" => list(Value::from("`f`")),
        "blocks" | "parts" => list(object([
            ("label", Value::from("`a.c`")),
            ("text", Value::from("```\na\n```")),
            ("mark", text("`<MASK>`")),
            ("marked", text("```\nb\n```")),
        ])),
        "examples" => list(object([
            ("buggy", Value::from("```\na\n```")),
            ("feedback", text("```\nb\n```")),
            ("fixed", Value::from("```\nc\n```")),
        ])),
        _ => text("```\ntext\n```"),
    }
}

fn broken(name: &'static str, error: &minijinja::Error) -> TemplateError {
    let why = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    let line = error.line().unwrap_or(0);
    TemplateError::Broken { name, line, why, allowed: allowed(name).to_vec() }
}
