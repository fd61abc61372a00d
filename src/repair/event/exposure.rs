//! What a prompt gave away: knowledge of the reference, of the tests, of a person.
//!
//! Promises: exposure only grows within an attempt. Leaves to others: which text gives what away
//! (`repair::prompt`, `repair::feedback`), how it is inherited (`repair::machine`).

use crate::repair::cell::word::words;
use std::collections::BTreeSet;

words! {
    /// One kind of knowledge (DESIGN §1).
    pub enum Exposure as "exposure" {
        /// Text of the reference, or words by somebody who had it before them.
        ReferenceText = "reference-text",
        /// Where the reference changes something.
        ReferenceLocation = "reference-location",
        /// Source text of the tests.
        TestSource = "test-source",
        /// What the tests printed.
        TestOutput = "test-output",
        /// Words or edits of a person.
        Human = "human",
        /// Words or edits of a person who had seen the reference.
        HumanSawReference = "human-saw-reference",
    }
}

/// A set of them.
pub type Exposures = BTreeSet<Exposure>;

/// Whether a set holds `reference-text`: such results are never averaged with blind ones.
pub fn saw_reference(exposures: &Exposures) -> bool {
    exposures.contains(&Exposure::ReferenceText)
}
