//! Where untrusted code runs.
//!
//! Promises: one small set of words for every rung of the ladder (DESIGN §6): make a sandbox, lay files into its work
//! tree, execute with the output as it comes, read files back, kill, clean. Whatever runs inside has no network, writes
//! nowhere but its work tree and its own temporary folder, is bounded in memory, processes, disk, output and time,
//! and nothing of it is left when the sandbox is gone. Every report names the rung and the mechanisms that held.
//! Leaves to others: which commands, in which order, and what their output means (`harness`).
//!
//! All methods block: callers are worker threads.

mod capture;
pub mod docker;
#[cfg(target_os = "linux")]
pub mod doctor;
mod error;
mod limits;
#[cfg(target_os = "linux")]
pub mod local;
pub mod own;
mod process;
mod request;

pub use capture::{Capture, Captured};
pub use error::SandboxError;
pub use limits::Limits;
pub use request::{ExecReport, ExecRequest, Exit, Mechanism, Program};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// How untrusted code is held, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// A container of a Docker engine.
    Docker,
    /// bubblewrap, with Landlock, seccomp and limits inside.
    Bubblewrap,
    /// Namespaces made by us, with Landlock, seccomp and limits inside.
    Namespaces,
    /// Landlock, seccomp, limits and a process group, where no namespace may be made.
    Landlock,
    /// Nothing but limits and a process group; only when insisted on, and every report says so.
    Unsafe,
}

impl Rung {
    /// All rungs, best first.
    pub const ALL: [Rung; 5] =
        [Rung::Docker, Rung::Bubblewrap, Rung::Namespaces, Rung::Landlock, Rung::Unsafe];

    /// The word used in files, on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Rung::Docker => "docker",
            Rung::Bubblewrap => "bubblewrap",
            Rung::Namespaces => "namespaces",
            Rung::Landlock => "landlock",
            Rung::Unsafe => "unsafe",
        }
    }

    /// The rung with this name.
    pub fn parse(name: &str) -> Option<Rung> {
        Rung::ALL.into_iter().find(|rung| rung.as_str() == name)
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A file to be laid into a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile<'a> {
    /// Path inside the tree, as [`crate::task::paths::check_path`] allows it.
    pub path: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether it can be run.
    pub executable: bool,
}

/// What lies at a path of a work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file with its size in bytes.
    File(u64),
    /// A folder.
    Folder,
    /// A symbolic link, a socket, a device: never followed, never read.
    Other,
}

/// An entry of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path inside the tree; a name that is no UTF-8 is escaped and cannot be read.
    pub path: String,
    /// What lies there.
    pub kind: Kind,
}

/// All entries of a work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries, by path.
    pub entries: Vec<Entry>,
    /// Whether there were more than are listed.
    pub cut: bool,
}

/// Which of the two streams of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Hears what a command writes, as it comes.
pub trait OutputSink {
    /// Some bytes of one stream: untrusted, cut anywhere.
    fn output(&mut self, stream: Stream, bytes: &[u8]);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deaf;

impl OutputSink for Deaf {
    fn output(&mut self, _stream: Stream, _bytes: &[u8]) {}
}

/// Ends what a sandbox is doing, from another thread: at once, and for good. What is executing reports
/// [`Exit::Cancelled`], and so does everything that is executed afterwards.
#[derive(Clone)]
pub struct Killer(Arc<dyn Fn() + Send + Sync>);

impl Killer {
    /// A killer that does this; it may be called often and late.
    pub fn new(kill: impl Fn() + Send + Sync + 'static) -> Killer {
        Killer(Arc::new(kill))
    }

    /// Ends it.
    pub fn kill(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Killer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Killer")
    }
}

/// One place where untrusted code runs, with a work tree of its own; used for one task and thrown away.
///
/// Dropping it cleans as well as it can; [`Sandbox::clean`] says what could not be cleaned.
pub trait Sandbox: Send {
    /// The rung it stands on.
    fn rung(&self) -> Rung;

    /// Where the work tree is, as code inside sees it.
    fn work(&self) -> &str;

    /// Writes files into the work tree, making folders and replacing what is in the way. Links are
    /// replaced, never followed.
    fn put(&mut self, files: &[TreeFile<'_>]) -> Result<(), SandboxError>;

    /// Removes a file or a whole folder; nothing there is no error. Links are removed, never followed.
    fn remove(&mut self, path: &str) -> Result<(), SandboxError>;

    /// What lies in the work tree, at most `most` entries.
    fn list(&mut self, most: usize) -> Result<Listing, SandboxError>;

    /// The first `most` bytes of a regular file; `None` where there is none. Links are not followed.
    fn read(&mut self, path: &str, most: u64) -> Result<Option<Vec<u8>>, SandboxError>;

    /// Runs a program in the work tree until it ends or a limit ends it. Processes that it leaves behind are
    /// killed; one that holds its output open delays the answer by at most two seconds.
    fn execute(
        &mut self,
        request: &ExecRequest,
        sink: &mut dyn OutputSink,
    ) -> Result<ExecReport, SandboxError>;

    /// Ends it from another thread.
    fn killer(&self) -> Killer;

    /// Kills what still runs and removes everything. A rung may finish that beside the next work, and then waits for
    /// it when its provider is dropped.
    fn clean(self: Box<Self>) -> Result<(), SandboxError>;
}

/// Makes sandboxes: a rung that stands.
pub trait Provider: Send + Sync {
    /// The rung of its sandboxes.
    fn rung(&self) -> Rung;

    /// A new sandbox with an empty work tree, within these limits.
    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError>;
}
