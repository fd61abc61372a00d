//! What is asked of a sandbox, and what it answers. Promises: plain data, serialisable, no host path of ours. Leaves
//! to others: carrying it out (the rungs).

use super::{Captured, Limits, Rung};
use crate::report::ExitKind;
use crate::task::Command;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// A command of a task or a language: arguments, or a line for `sh -c`.
    Command(Command),
    /// A program of our own that the rung brings along (the attacks of the doctor): its name and arguments.
    Own(Vec<String>),
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecRequest {
    /// What is run.
    pub program: Program,
    /// Variables beside the few that every program gets (`PATH`, `HOME`, `LANG`, `LC_ALL`, `TZ`, `TMPDIR`); these win.
    pub environment: BTreeMap<String, String>,
    /// Folder inside the work tree to run in; empty: the tree itself.
    pub folder: String,
    /// Paths of the work tree, files or whole folders, that are not to be changed meanwhile.
    pub read_only: Vec<String>,
    /// Limits of this execution; the sandbox's own are never exceeded.
    pub limits: Limits,
}

impl ExecRequest {
    /// A command in the work tree, nothing read-only, no variables.
    pub fn new(command: Command, limits: Limits) -> ExecRequest {
        ExecRequest {
            program: Program::Command(command),
            environment: BTreeMap::new(),
            folder: String::new(),
            read_only: Vec::new(),
            limits,
        }
    }
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that nobody of us sent.
    Signal(i32),
    /// Its time ran out.
    Timeout,
    /// Its memory ran out.
    OutOfMemory,
    /// It filled its disk, and was killed or failed for it.
    DiskFull,
    /// It wrote more output than is borne.
    OutputLimit,
    /// Somebody called the killer.
    Cancelled,
    /// The program could not be started: not there, not executable.
    NotStarted(String),
    /// The sandbox itself failed while it ran: the engine died, the supervisor was killed.
    Broken(String),
}

impl Exit {
    /// What this is for a verdict. A program that cannot be started is the harness's fault: it is a tool that is
    /// missing, or what the build should have made; `harness` tells the two apart.
    pub fn kind(&self) -> ExitKind {
        match self {
            Exit::Code(code) => ExitKind::Code(*code),
            Exit::Signal(number) => ExitKind::Signal(*number),
            Exit::Timeout => ExitKind::Timeout,
            Exit::OutOfMemory => ExitKind::OutOfMemory,
            Exit::DiskFull | Exit::OutputLimit => ExitKind::Excess,
            Exit::Cancelled => ExitKind::NotRun,
            Exit::NotStarted(_) | Exit::Broken(_) => ExitKind::Infrastructure,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::DiskFull => f.write_str("filled its disk"),
            Exit::OutputLimit => f.write_str("wrote more output than is borne"),
            Exit::Cancelled => f.write_str("cancelled"),
            Exit::NotStarted(why) => write!(f, "could not be started: {why}"),
            Exit::Broken(why) => write!(f, "the sandbox failed: {why}"),
            other => other.kind().fmt(f),
        }
    }
}

/// A bound and what held it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mechanism {
    /// What is bounded: `network`, `files`, `memory`, `processes`, `disk`, `output`, `time`, `system calls`, `user`.
    pub bound: String,
    /// By what: `network namespace`, `cgroup v1`, `supervisor`, `tmpfs`, …
    pub by: String,
}

/// How one execution went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecReport {
    /// The rung it ran on.
    pub rung: Rung,
    /// How it ended.
    pub exit: Exit,
    /// Wall-clock time, seconds.
    pub seconds: f64,
    /// Most memory of all its processes together, bytes, where it is known.
    pub peak_memory: Option<u64>,
    /// What held it.
    pub mechanisms: Vec<Mechanism>,
    /// Processes that it left behind and that were killed, where they can be counted.
    pub lingered: usize,
    /// Standard output, bounded.
    pub stdout: Captured,
    /// Standard error, bounded.
    pub stderr: Captured,
}
