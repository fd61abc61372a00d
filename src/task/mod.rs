//! A task: something to repair (or build, answer, locate, edit), with its files, tests, text and
//! provenance.
//!
//! Promises: plain data, no I/O; every key of a task folder has a field here; the canonical JSON of a
//! task is the same on every machine and [`Task::revision`] is its sha256.
//! Leaves to others: reading folders and datasets (`dataset`), the difference between the two
//! versions (`diff`), keeping tasks (`store`).

mod changes;
mod content;
mod feedback;
pub mod filter;
pub mod full_text;
pub mod list;
mod name;
pub mod paths;
pub mod pattern;
mod revision;
pub mod table;
pub mod tags;
pub mod taxonomy;
mod title;

pub use changes::{ChangedFile, UnreadFile};
pub use content::{Content, Decoded, Encoding, is_binary};
pub use feedback::FeedbackKind;
pub use name::{NameError, TaskName};
pub use revision::Revision;
pub(crate) use revision::hex;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// What the person or model is asked to do with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Make failing tests pass by mending code.
    Repair,
    /// Build something that is not there yet, at repository level.
    Feature,
    /// Answer a question about a repository.
    Question,
    /// Name the files or functions where a fault lies.
    Localization,
    /// Produce the edit that an issue asks for.
    Edit,
}

impl Kind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Kind; 5] = [Kind::Repair, Kind::Feature, Kind::Question, Kind::Localization, Kind::Edit];

    /// The name used in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Repair => "repair",
            Kind::Feature => "feature",
            Kind::Question => "question",
            Kind::Localization => "localization",
            Kind::Edit => "edit",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How far the reference fix reaches (DESIGN: line, hunk, function, file, repository).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// One line.
    Line,
    /// One run of consecutive lines.
    Hunk,
    /// Several places in one function.
    Function,
    /// Several places in one file, not all in one function.
    File,
    /// Several files.
    Repository,
}

impl Granularity {
    /// All granularities, narrowest first.
    pub const ALL: [Granularity; 5] = [
        Granularity::Line,
        Granularity::Hunk,
        Granularity::Function,
        Granularity::File,
        Granularity::Repository,
    ];

    /// The name used in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Granularity::Line => "line",
            Granularity::Hunk => "hunk",
            Granularity::Function => "function",
            Granularity::File => "file",
            Granularity::Repository => "repository",
        }
    }

    /// The granularity with this name.
    pub fn parse(name: &str) -> Option<Granularity> {
        Granularity::ALL.into_iter().find(|granularity| granularity.as_str() == name)
    }
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A command: arguments run as they are, or one string for `sh -c`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Command {
    /// Program and arguments, run without a shell.
    Arguments(Vec<String>),
    /// A line for `sh -c`.
    Shell(String),
}

impl Command {
    /// The command as one would type it.
    pub fn display(&self) -> String {
        match self {
            Command::Arguments(arguments) => {
                arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
            }
            Command::Shell(line) => line.clone(),
        }
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        match self {
            Command::Arguments(arguments) => arguments.is_empty(),
            Command::Shell(line) => line.trim().is_empty(),
        }
    }
}

/// An argument as one would type it: in quotes only where a shell needs them.
fn quoted(argument: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,+@%".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(plain) {
        return Cow::Borrowed(argument);
    }
    shlex::try_quote(argument).unwrap_or(Cow::Borrowed(argument))
}

/// Text parts that an experiment may leave out of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sections {
    /// Title of the issue that reports the fault.
    pub issue_title: Option<String>,
    /// Text of that issue.
    pub issue_body: Option<String>,
    /// Title of the pull request that mends it.
    pub pr_title: Option<String>,
    /// Text of that pull request.
    pub pr_body: Option<String>,
    /// A listing of the repository.
    pub folder_tree: Option<String>,
}

/// Where the change belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Path of the file inside the task's tree.
    pub file: String,
    /// Function in that file.
    #[serde(default)]
    pub function: Option<String>,
}

/// A tree that is fetched into a cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repo {
    /// Where the repository is cloned from.
    pub url: String,
    /// The commit whose tree is meant.
    pub commit: String,
    /// The part of the tree that the task lives in.
    #[serde(default)]
    pub subdir: Option<String>,
}

/// The expected result of the kinds that have no reference tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expected {
    /// Answer to a question.
    pub answer: Option<String>,
    /// Files (or `file:function`) to be located.
    pub files: Vec<String>,
    /// Reference patch, as unified text.
    pub patch: Option<String>,
}

/// What a feature task adds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feature {
    /// New components to be written: their names or signatures.
    pub components: Vec<String>,
    /// Hints given beside the request.
    pub hints: Option<String>,
    /// The part of the reference change that is not code.
    pub non_code_patch: Option<String>,
}

/// How a task is built and tested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestSpecification {
    /// Run before the tests; a failure is a build error.
    pub build: Option<Command>,
    /// Runs the tests.
    pub command: Option<Command>,
    /// Name of the parser that reads the test output.
    pub parser: Option<String>,
    /// Time for build and tests together, in seconds.
    pub timeout_s: Option<u64>,
    /// Tests that fail on the buggy tree and must pass on a repaired one.
    pub fail_to_pass: Vec<String>,
    /// Tests that pass before and must still pass.
    pub pass_to_pass: Vec<String>,
}

/// Whether the fault is an ordinary bug or can be exploited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultClass {
    /// An ordinary bug.
    Bug,
    /// A vulnerability.
    Vulnerability,
}

impl FaultClass {
    /// The name used in files and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultClass::Bug => "bug",
            FaultClass::Vulnerability => "vulnerability",
        }
    }
}

/// Where a task comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provenance {
    /// Project, dataset or person.
    pub source: Option<String>,
    /// Commit of the fix.
    pub commit: Option<String>,
    /// Licence of the code.
    pub licence: Option<String>,
    /// Error type, an id of the study's taxonomy (`B`, `C.3`, …).
    pub error_type: Option<String>,
    /// Bug or vulnerability.
    pub class: Option<FaultClass>,
    /// CVE number.
    pub cve: Option<String>,
    /// How a synthetic fault was made (mutation operator, `llm-based`, `existing`, …).
    pub operator: Option<String>,
    /// Where it was made.
    pub site: Option<String>,
}

/// Limits of a test run; they may only lower the user's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock time, seconds.
    pub timeout_s: Option<u64>,
    /// Memory, mebibytes.
    pub memory_mb: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Bytes written to disk, mebibytes.
    pub disk_mb: Option<u64>,
    /// Output kept of one command, kibibytes.
    pub output_kb: Option<u64>,
}

/// Wishes about the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxWish {
    /// Name of an image in the user's own configuration.
    pub image: Option<String>,
}

/// Files by path inside the tree; `/` separates, no leading `/`, no `..`.
pub type Tree = BTreeMap<String, Content>;

/// The files of a task: `buggy` laid over `base` is the buggy tree, `reference` laid over `base` the
/// fixed one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// Common to both versions: tests, build files, context.
    pub base: Tree,
    /// Laid over base gives the buggy tree.
    pub buggy: Tree,
    /// Laid over base gives the fixed tree.
    pub reference: Tree,
}

/// Something a reader should know about a task before trusting it. Marks are about how the task was
/// read, so they are not part of its revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What kind of remark.
    pub kind: MarkKind,
    /// Where and what, for people.
    pub detail: String,
    /// The file or folder that is meant, with its tree (`buggy/src/a.c`), where its content was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Kinds of [`Mark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkKind {
    /// A file that is not text.
    Binary,
    /// A file that is not UTF-8 and is shown as Latin-1.
    NotUtf8,
    /// A file too large to keep; only its size and hash are known.
    TooLarge,
    /// A file that could not be read.
    Unreadable,
    /// A symbolic link that was not followed.
    Symlink,
    /// A path that leaves the task and was not read.
    UnsafePath,
    /// No reference version.
    MissingReference,
    /// Buggy and reference are the same.
    Identical,
    /// The tree is in a repository that was not fetched.
    NotMaterialised,
    /// A line too long for syntax colours.
    LongLine,
}

impl MarkKind {
    /// All kinds.
    pub const ALL: [MarkKind; 10] = [
        MarkKind::Binary,
        MarkKind::NotUtf8,
        MarkKind::TooLarge,
        MarkKind::Unreadable,
        MarkKind::Symlink,
        MarkKind::UnsafePath,
        MarkKind::MissingReference,
        MarkKind::Identical,
        MarkKind::NotMaterialised,
        MarkKind::LongLine,
    ];

    /// The name used in JSON, filters and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            MarkKind::Binary => "binary",
            MarkKind::NotUtf8 => "not-utf8",
            MarkKind::TooLarge => "too-large",
            MarkKind::Unreadable => "unreadable",
            MarkKind::Symlink => "symlink",
            MarkKind::UnsafePath => "unsafe-path",
            MarkKind::MissingReference => "missing-reference",
            MarkKind::Identical => "identical",
            MarkKind::NotMaterialised => "not-materialised",
            MarkKind::LongLine => "long-line",
        }
    }

    /// Why the content of a file was not read, as what comes after its name; `None`: this kind of mark is
    /// about something else.
    pub fn kept_out(self) -> Option<&'static str> {
        match self {
            MarkKind::TooLarge => Some("is too large"),
            MarkKind::Unreadable => Some("could not be read"),
            MarkKind::Symlink => Some("is a symbolic link, which is not followed"),
            MarkKind::UnsafePath => Some("has a name that no tree may hold"),
            _ => None,
        }
    }

    /// This kind's bit in a set of marks.
    pub fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

/// A task with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Dataset it was read as a part of. Not part of the revision.
    #[serde(default)]
    pub dataset: String,
    /// Id inside the dataset.
    pub id: String,
    /// Origin that variants share; the id where a dataset names none.
    pub group: String,
    /// One line for lists.
    pub title: String,
    /// What is asked.
    pub kind: Kind,
    /// Lower-case language name (`python`, `c`, `rust`, …).
    pub language: String,
    /// Docstring or issue text.
    #[serde(default)]
    pub description: String,
    /// What a reader should know beside the description.
    #[serde(default)]
    pub context: String,
    /// Text parts that can be left out.
    #[serde(default)]
    pub sections: Sections,
    /// Where the change belongs.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// Repository to be fetched.
    #[serde(default)]
    pub repo: Option<Repo>,
    /// Expected result without a reference tree.
    #[serde(default)]
    pub expected: Expected,
    /// What a feature task adds.
    #[serde(default)]
    pub feature: Feature,
    /// Build and tests.
    #[serde(default)]
    pub test: TestSpecification,
    /// Patterns of paths that an answer may not change.
    #[serde(default)]
    pub protected: Vec<String>,
    /// Stored feedback by kind.
    #[serde(default)]
    pub feedback: BTreeMap<FeedbackKind, String>,
    /// Where it comes from.
    #[serde(default)]
    pub provenance: Provenance,
    /// Limits of a test run.
    #[serde(default)]
    pub limits: Limits,
    /// Wishes about the sandbox.
    #[serde(default)]
    pub sandbox: SandboxWish,
    /// Free keys, preserved.
    #[serde(default)]
    pub meta: serde_json::Map<String, serde_json::Value>,
    /// The trees.
    #[serde(default)]
    pub files: Files,
    /// Remarks about reading it. Not part of the revision.
    #[serde(default)]
    pub marks: Vec<Mark>,
}

impl Task {
    /// A task with an id and nothing else: kind repair, group and title equal to the id.
    pub fn new(dataset: impl Into<String>, id: impl Into<String>) -> Task {
        let id = id.into();
        Task {
            dataset: dataset.into(),
            group: id.clone(),
            title: id.clone(),
            id,
            kind: Kind::Repair,
            language: String::new(),
            description: String::new(),
            context: String::new(),
            sections: Sections::default(),
            targets: Vec::new(),
            repo: None,
            expected: Expected::default(),
            feature: Feature::default(),
            test: TestSpecification::default(),
            protected: Vec::new(),
            feedback: BTreeMap::new(),
            provenance: Provenance::default(),
            limits: Limits::default(),
            sandbox: SandboxWish::default(),
            meta: serde_json::Map::new(),
            files: Files::default(),
            marks: Vec::new(),
        }
    }

    /// `dataset/id`.
    pub fn name(&self) -> TaskName {
        TaskName::new(&self.dataset, &self.id)
    }

    /// Adds a remark, once.
    pub fn mark(&mut self, kind: MarkKind, detail: impl Into<String>) {
        self.add_mark(Mark { kind, detail: detail.into(), path: None });
    }

    /// Adds a remark about a file or folder that was not read, once.
    pub fn mark_unread(&mut self, kind: MarkKind, path: impl Into<String>, detail: impl Into<String>) {
        self.add_mark(Mark { kind, detail: detail.into(), path: Some(path.into()) });
    }

    fn add_mark(&mut self, mark: Mark) {
        if !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }

    /// The marks as a set of bits.
    pub fn mark_bits(&self) -> u16 {
        self.marks.iter().fold(0, |bits, mark| bits | mark.kind.bit())
    }
}
