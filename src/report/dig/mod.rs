//! Digging in a failure: at which stage, of which class, where, and the lines that tell why.
//!
//! Promises: pure and bounded; the same failure gives the same text, run for run: what varies is normalised, and
//! normalising twice changes nothing. Leaves to others: which tests failed ([`Report`](super::Report)), feedback.

mod class;
mod excerpt;
mod frames;
mod normalise;
mod sections;

pub use class::Class;
pub use excerpt::{MOST_COLUMNS, MOST_LINES, weight};
pub use frames::{Ground, Place, first_own};
pub use normalise::normalise;
pub use sections::{Sections, last_name};

use super::ExitKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where in verification something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The change could not be applied.
    Apply,
    /// The build failed.
    Build,
    /// The tests could not be loaded: a syntax error, an import, a missing file.
    Load,
    /// A test failed.
    Test,
}

impl Stage {
    /// The word used in files and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Apply => "apply",
            Stage::Build => "build",
            Stage::Load => "load",
            Stage::Test => "test",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A failure, dug out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Where in verification.
    pub stage: Stage,
    /// What kind.
    pub class: Class,
    /// The innermost frame in the tree's own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The lines that tell why, normalised and bounded; untrusted.
    pub excerpt: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.stage, self.class)?;
        match &self.place {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}

/// Digs in the output of a step that failed. `stage` is what the harness was doing: tests that could not be loaded
/// are told apart here.
pub fn dig(stage: Stage, exit: ExitKind, output: &str, ground: Ground<'_>) -> Failure {
    let class = match (stage, exit) {
        (_, ExitKind::Timeout) => Class::Timeout,
        (_, ExitKind::OutOfMemory) => Class::Memory,
        (Stage::Apply, _) => Class::Rejected,
        (Stage::Build, ExitKind::Signal(number)) => Class::Signal(number),
        (Stage::Build, _) => Class::Compilation,
        _ => match class::of_run(output, exit) {
            Class::Unknown if class::has_panic(output) => Class::Exception("panic".to_owned()),
            class => class,
        },
    };
    let stage = if stage == Stage::Test && could_not_load(output, &class) { Stage::Load } else { stage };
    Failure {
        stage,
        class,
        place: first_own(output, ground),
        excerpt: normalise(&excerpt::excerpt(output), ground.root),
    }
}

/// Whether the tests never came to run: an import that failed, code that is none.
fn could_not_load(output: &str, class: &Class) -> bool {
    let Class::Exception(name) = class else { return false };
    let words = [
        "unittest.loader._FailedTest",
        "ERROR collecting ",
        "error during collection",
        "errors during collection",
        "ERR_MODULE_NOT_FOUND",
        "node:internal/modules/",
    ];
    let told = words.iter().any(|word| output.contains(word));
    match name.as_str() {
        "SyntaxError" | "IndentationError" | "TabError" | "ImportError" | "ModuleNotFoundError" => {
            told || !output.contains("\nFAIL: ")
        }
        _ => output.contains("unittest.loader._FailedTest") && !output.contains("\nFAIL: "),
    }
}
