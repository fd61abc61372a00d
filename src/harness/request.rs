//! What is to be verified: everything that can change the answer, and nothing else.
//!
//! Promises: serialisable and self-contained (files as blob ids, commands, limits, expected ids, the environment, the
//! harness's version); no host path, no key. Its id is the sha256 of its canonical JSON, so equal requests have equal
//! ids on every machine. Leaves to others: the bytes behind the blob ids ([`super::Blobs`]), carrying it out.

use crate::report::Parser;
use crate::sandbox::Limits;
use crate::store::BlobId;
use crate::task::{Command, Revision};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the rules by which a request becomes a report; a change that can change a verdict raises it.
pub const HARNESS_VERSION: u32 = 1;

/// A file of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path inside the tree.
    pub path: String,
    /// Its bytes.
    pub blob: BlobId,
    /// Whether it can be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// A change that a candidate asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeEntry {
    /// Path inside the tree; unsafe ones are refused when it is applied.
    pub path: String,
    /// The new bytes; `None`: the file is deleted.
    pub blob: Option<BlobId>,
}

/// What the commands run on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// This machine's tools, by their versions.
    Local(Vec<String>),
    /// An image, by its digest.
    Image(String),
}

/// One verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyRequest {
    /// [`HARNESS_VERSION`] that it was made for.
    pub harness: u32,
    /// What was asked, for people: `dataset/id@revision`.
    pub task: String,
    /// The tree before the change, by path.
    pub tree: Vec<FileEntry>,
    /// What the candidate changes, by path.
    pub changes: Vec<ChangeEntry>,
    /// Patterns of paths that a candidate may not change or add; restored before the tests.
    pub protected: Vec<String>,
    /// Run in this order before the tests.
    pub build: Vec<Command>,
    /// Runs the tests.
    pub test: Command,
    /// Reads what the tests print.
    pub parser: Parser,
    /// What it may use; the time is for build and tests together.
    pub limits: Limits,
    /// Tests that must pass now.
    pub fail_to_pass: Vec<String>,
    /// Tests that must still pass.
    pub pass_to_pass: Vec<String>,
    /// What the commands run on.
    pub environment: Environment,
}

/// The sha256 of a request: key of the verdict cache and id of the job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(Revision);

impl RequestId {
    /// All 64 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first twelve, for people.
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl VerifyRequest {
    /// The request as canonical JSON: fields in the order of this type, no white space.
    pub fn canonical_json(&self) -> String {
        // Plain data with text keys: there is nothing that could fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Its id.
    pub fn id(&self) -> RequestId {
        RequestId(BlobId::of(self.canonical_json().as_bytes()).revision())
    }
}
