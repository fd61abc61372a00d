//! What compilers and analysers have to say about lines of code.
//!
//! Promises: pure and bounded; every form names file, line, column, code, severity and message as far as the tool
//! does; output that is not understood gives no diagnostic and no error. Leaves to others: running the tools, saying
//! that one is missing (`harness`), paths outside the tree ([`Ground::own`](super::dig::Ground::own)).

mod json;
mod text;

use super::collect::cut;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most diagnostics that are kept.
pub const MOST: usize = 1_000;
/// Longest message, in characters.
pub const LONGEST_MESSAGE: usize = 2_000;
/// Largest output that is read as JSON, in bytes.
const MOST_JSON: usize = 16 << 20;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A remark that explains another, or a matter of style.
    Note,
    /// Worth a look.
    Warning,
    /// It does not build or is wrong.
    Error,
}

impl Severity {
    /// The word used in files and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One remark of a compiler or analyser; its texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file as the tool names it; empty when it names none.
    pub file: String,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The tool's code: `E0308`, `-Wformat=`, `undefined-variable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub message: String,
}

/// All remarks of one output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// The first [`MOST`].
    pub items: Vec<Diagnostic>,
    /// How many more there were.
    pub left_out: usize,
}

impl Diagnostics {
    /// Takes those of another analyser; of both together the first [`MOST`] are kept.
    pub fn add(&mut self, other: Diagnostics) {
        self.left_out += other.left_out;
        other.items.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.items.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let limit = |text: String| {
            if text.len() > LONGEST_MESSAGE { cut(&text, LONGEST_MESSAGE).to_owned() } else { text }
        };
        self.items.push(Diagnostic {
            file: limit(diagnostic.file),
            code: diagnostic.code.filter(|code| !code.is_empty()).map(|code| cut(&code, 100).to_owned()),
            message: limit(diagnostic.message),
            ..diagnostic
        });
    }
}

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Text of gcc, clang and their linkers.
    Gcc,
    /// `gcc -fdiagnostics-format=json`.
    GccJson,
    /// `python -m py_compile`, or any traceback that ends in a syntax error.
    Python,
    /// Text of pylint.
    Pylint,
    /// `pylint --output-format=json` or `json2`.
    PylintJson,
    /// `ruff check --output-format=json`.
    RuffJson,
    /// `rustc --error-format=json`, also within cargo's messages.
    RustcJson,
    /// Text of rustc and cargo.
    Rustc,
    /// `node --check`, or any uncaught error of node.
    Node,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 9] = [
        Form::Gcc,
        Form::GccJson,
        Form::Python,
        Form::Pylint,
        Form::PylintJson,
        Form::RuffJson,
        Form::RustcJson,
        Form::Rustc,
        Form::Node,
    ];

    /// The form's name in `languages.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Form::Gcc => "gcc",
            Form::GccJson => "gcc-json",
            Form::Python => "python",
            Form::Pylint => "pylint",
            Form::PylintJson => "pylint-json",
            Form::RuffJson => "ruff-json",
            Form::RustcJson => "rustc-json",
            Form::Rustc => "rustc",
            Form::Node => "node",
        }
    }

    /// The form with a name.
    pub fn by_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Reads an output.
    pub fn read(self, output: &str) -> Diagnostics {
        let mut found = Diagnostics::default();
        match self {
            Form::Gcc => text::gcc(output, &mut found),
            Form::Python => text::python(output, &mut found),
            Form::Pylint => text::pylint(output, &mut found),
            Form::Rustc => text::rustc(output, &mut found),
            Form::Node => text::node(output, &mut found),
            Form::GccJson => json::each(output, &mut |value| json::gcc(value, &mut found)),
            Form::PylintJson => json::each(output, &mut |value| json::pylint(value, &mut found)),
            Form::RuffJson => json::each(output, &mut |value| json::ruff(value, &mut found)),
            Form::RustcJson => json::each(output, &mut |value| json::rustc(value, &mut found)),
        }
        found
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
