//! From a task to a request.
//!
//! Promises: pure but for the hashing; what the task does not say comes from its language, what neither says is an error
//! in words; a task can only lower limits. Leaves to others: which environment there is ([`super::stand`]), doing it.

use super::blobs::Held;
use super::request::{ChangeEntry, Environment, FileEntry, HARNESS_VERSION, VerifyRequest};
use crate::config::{Language, Languages, fill};
use crate::report::Parser;
use crate::sandbox::Limits;
use crate::task::{Command, Content, Task};
use std::collections::BTreeMap;

/// Which of a task's trees a verification starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// The faulty one.
    Buggy,
    /// The fixed one.
    Reference,
}

impl Version {
    /// The word used on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Version::Buggy => "buggy",
            Version::Reference => "reference",
        }
    }
}

/// What a candidate changes: new contents by path; `None`: the file goes.
pub type Changes = BTreeMap<String, Option<Content>>;

/// Ids that must pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// Tests that fail before and must pass now.
    pub fail_to_pass: Vec<String>,
    /// Tests that pass before and must still pass.
    pub pass_to_pass: Vec<String>,
}

impl Expected {
    /// The lists of a task.
    pub fn of(task: &Task) -> Expected {
        Expected {
            fail_to_pass: task.test.fail_to_pass.clone(),
            pass_to_pass: task.test.pass_to_pass.clone(),
        }
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.fail_to_pass.is_empty() && self.pass_to_pass.is_empty()
    }
}

/// Why a task cannot be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Its files are in a repository that was not fetched.
    #[error("not materialised: its files are in {url} at {commit}")]
    NotMaterialised {
        /// Address of the repository.
        url: String,
        /// The commit.
        commit: String,
    },
    /// The tree that is asked for is empty.
    #[error("it has no {0} version")]
    NoTree(&'static str),
    /// A file was not read, so the tree is not the whole tree.
    #[error("`{path}` was not read ({why}), so its tests would run on another tree")]
    Unread {
        /// Tree and path.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// Nothing says how to test it.
    #[error(
        "nothing says how to test it: give it `[test] command`, or `[{language}]` in languages.toml a `test`"
    )]
    NoCommand {
        /// Its language.
        language: String,
    },
    /// The command wants source files and there are none.
    #[error("`{command}` wants source files, and there are none")]
    NoSources {
        /// The command.
        command: String,
    },
    /// Nobody knows its parser.
    #[error("unknown parser `{name}`: known are {}", Parser::ALL.map(Parser::name).join(", "))]
    UnknownParser {
        /// The name, untrusted.
        name: String,
    },
}

/// The request for a version of a task with these changes, and the bytes behind it.
pub fn plan(
    task: &Task,
    version: Version,
    changes: &Changes,
    languages: &Languages,
    environment: Environment,
    expected: &Expected,
) -> Result<(VerifyRequest, Held), PlanError> {
    let tree = match version {
        Version::Buggy => task.buggy_tree(),
        Version::Reference if task.files.reference.is_empty() => return Err(PlanError::NoTree("reference")),
        Version::Reference => task.reference_tree(),
    };
    if let (Some(repo), true) = (&task.repo, tree.is_empty()) {
        return Err(PlanError::NotMaterialised { url: repo.url.clone(), commit: repo.commit.clone() });
    }
    if tree.is_empty() {
        return Err(PlanError::NoTree(version.as_str()));
    }
    let kept_out = task.marks.iter().find_map(|mark| {
        let (path, why) = (mark.path.as_ref()?, mark.kind.kept_out()?);
        Some(PlanError::Unread { path: path.clone(), why })
    });
    if let Some(error) = kept_out {
        return Err(error);
    }
    let language = languages.get(&task.language);
    // Commands are for the tree as the candidate leaves it: a new source file is built as well.
    let mut paths: Vec<&str> =
        tree.keys().copied().filter(|path| !matches!(changes.get(*path), Some(None))).collect();
    paths.extend(changes.iter().filter(|(_, content)| content.is_some()).map(|(path, _)| path.as_str()));
    paths.sort_unstable();
    paths.dedup();
    let (build, test, parser) = commands(task, language, &paths)?;

    let mut held = Held::default();
    let tree = tree
        .into_iter()
        .map(|(path, content)| FileEntry {
            path: path.to_owned(),
            blob: held.hold(content.bytes()),
            executable: content.bytes().starts_with(b"#!"),
        })
        .collect();
    let changes = changes
        .iter()
        .map(|(path, content)| ChangeEntry {
            path: path.clone(),
            blob: content.as_ref().map(|content| held.hold(content.bytes())),
        })
        .collect();
    let mut protected = task.protected.clone();
    protected.extend(language.into_iter().flat_map(|language| language.protected.iter().cloned()));
    let request = VerifyRequest {
        harness: HARNESS_VERSION,
        task: format!("{}@{}", task.name(), task.revision()),
        tree,
        changes,
        protected,
        build,
        test,
        parser,
        limits: limits(task, language),
        fail_to_pass: expected.fail_to_pass.clone(),
        pass_to_pass: expected.pass_to_pass.clone(),
        environment,
    };
    Ok((request, held))
}

/// Build commands, test command and parser.
fn commands(
    task: &Task,
    language: Option<&Language>,
    paths: &[&str],
) -> Result<(Vec<Command>, Command, Parser), PlanError> {
    let sources = language.map(|language| language.sources_of(paths.iter().copied())).unwrap_or_default();
    let own = task.test.command.as_ref().filter(|command| !command.is_empty());
    let test = own.or_else(|| language?.test.as_ref());
    let Some(test) = test else {
        return Err(PlanError::NoCommand { language: task.language.clone() });
    };
    // A task that brings its own test command and no build wants none.
    let build = match (&task.test.build, own) {
        (Some(build), _) => Some(build).filter(|build| !build.is_empty()),
        (None, Some(_)) => None,
        (None, None) => language.and_then(|language| language.build.as_ref()),
    };
    let filled = |command: &Command| {
        let filled = fill(command, &sources);
        if filled.is_empty() { Err(PlanError::NoSources { command: command.display() }) } else { Ok(filled) }
    };
    let build = build.map(filled).transpose()?.unwrap_or_default();
    let test = filled(test)?.into_iter().next().unwrap_or_else(|| test.clone());
    let parser = match (&task.test.parser, own) {
        (Some(name), _) => {
            Parser::by_name(name).ok_or_else(|| PlanError::UnknownParser { name: name.clone() })?
        }
        (None, Some(_)) => Parser::ExitCode,
        (None, None) => language.map_or(Parser::ExitCode, |language| language.parser),
    };
    Ok((build, test, parser))
}

/// What the language allows, lowered by the task.
fn limits(task: &Task, language: Option<&Language>) -> Limits {
    let allowed = match language {
        Some(language) => Limits::default().with(&language.limits),
        None => Limits::default(),
    };
    let wish = crate::task::Limits {
        timeout_s: [task.test.timeout_s, task.limits.timeout_s].into_iter().flatten().min(),
        ..task.limits.clone()
    };
    allowed.lowered(&wish)
}
