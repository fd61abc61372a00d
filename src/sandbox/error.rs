//! What can go wrong with a sandbox itself. Promises: each says what, where and what to do; none of it is ever the
//! fault of the code under test. Leaves to others: exit codes (`cli`).

use crate::task::paths::UnsafePath;

/// A failure of the sandbox or the machine.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No rung stands on this machine.
    #[error(
        "no sandbox can be made on this machine: {reasons}; `mendbench sandbox doctor` tells more, and --unsafe-local runs without one"
    )]
    NoRung {
        /// Each rung with its reason.
        reasons: String,
    },
    /// A rung was asked for that does not stand.
    #[error("the {rung} sandbox cannot be used: {why}")]
    Unavailable {
        /// The rung.
        rung: super::Rung,
        /// Why, and what would help.
        why: String,
    },
    /// A path that leaves the tree.
    #[error("`{path}` cannot be used in a sandbox: {why}")]
    Path {
        /// The path.
        path: String,
        /// Why.
        #[source]
        why: UnsafePath,
    },
    /// The files given do not fit into the sandbox's disk.
    #[error("the tree does not fit into the sandbox: it may hold {limit} bytes; raise `disk_mb`")]
    Full {
        /// What it may hold, bytes.
        limit: u64,
    },
    /// Something of the system failed.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The engine failed.
    #[error("{doing}: {why}")]
    Engine {
        /// What was being done.
        doing: String,
        /// What the engine said, sanitised.
        why: String,
    },
    /// What was found out before.
    #[error(transparent)]
    Known(#[from] std::sync::Arc<SandboxError>),
    /// It could not be cleaned.
    #[error("the sandbox could not be cleaned: {what}; the next start tries again")]
    Left {
        /// What is left.
        what: String,
    },
}
