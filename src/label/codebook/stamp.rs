//! Version and hash of a codebook.
//!
//! Promises: equal codebooks have equal stamps whatever file they came from (comments, order of keys and white
//! space do not count); any other change gives another hash, also where the version was left as it was.

use super::Codebook;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// With what labels are stamped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp {
    /// The version that the file says.
    pub version: u32,
    /// sha256 of the canonical form, 64 lower-case hexadecimal digits.
    pub hash: String,
}

impl Stamp {
    /// The stamp of a codebook: sha256 of its canonical JSON, in the order of the declared fields, without
    /// those that are empty.
    pub(super) fn of(codebook: &Codebook) -> Stamp {
        // Maps with keys that are no texts are what could fail, and there are none.
        let canonical = serde_json::to_vec(codebook).unwrap_or_default();
        let hash = Sha256::digest(&canonical).iter().map(|byte| format!("{byte:02x}")).collect();
        Stamp { version: codebook.version, hash }
    }
}

/// For people and exports: `3-0123456789ab`, the version and the first twelve digits.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.version, self.hash.get(..12).unwrap_or(&self.hash))
    }
}
