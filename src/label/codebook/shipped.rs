//! The codebooks that come with mendbench.
//!
//! Promises: each is a file beside this one, read by the same reader as those of users; a test reads them all
//! against the keys that mendbench comes with.
//! Leaves to others: the user's own (`config`).

use super::{Codebook, CodebookErrors, ReservedKeys};

/// A codebook that comes with mendbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its id.
    pub id: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

/// All of them.
pub const SHIPPED: [Shipped; 4] = [
    Shipped { id: "defects4c", text: include_str!("../codebooks/defects4c.toml") },
    Shipped { id: "odc", text: include_str!("../codebooks/odc.toml") },
    Shipped { id: "failure-pattern", text: include_str!("../codebooks/failure-pattern.toml") },
    Shipped { id: "patch-correctness", text: include_str!("../codebooks/patch-correctness.toml") },
];

/// The file of the codebook with an id.
pub fn shipped(id: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|shipped| shipped.id == id)
}

impl Shipped {
    /// Its name in messages.
    pub fn file(&self) -> String {
        format!("{}.toml (comes with mendbench)", self.id)
    }

    /// Reads it.
    ///
    /// # Errors
    /// Where the user's keymap needs a key that it gives to an answer.
    pub fn read(&self, reserved: &ReservedKeys) -> Result<Codebook, CodebookErrors> {
        Codebook::read(&self.file(), self.text, reserved)
    }
}
