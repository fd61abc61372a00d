//! Answers to agreement.

use super::Bench;
use crate::study::StudyError;
use crate::tui::msg::study::agreement::{Ask, Told};

/// What is kept between two questions.
#[derive(Default)]
pub struct Clerk {}

impl Clerk {
    /// Does what is asked.
    ///
    /// # Errors
    ///
    /// What the study refuses, or what the workspace could not do.
    pub fn answer(&mut self, bench: &Bench, ask: Ask) -> Result<Told, StudyError> {
        match ask {
            Ask::Open(round) => Ok(Told::Opened(Box::new(bench.round(round)?))),
        }
    }
}
