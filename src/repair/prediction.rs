//! What other tools predict for a task, and what it changes.
//!
//! Promises: one way for all of them: a prediction becomes pieces, and pieces are laid by `repair::apply`.
//! Leaves to others: reading files of predictions (`dataset`).

use super::apply::{Application, apply};
use super::extract::{Extraction, Piece, PieceKind, Rule, extract};
use super::form::{Asked, FinishReason};

/// A prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prediction {
    /// A unified diff, or another kind of patch that can be told by its look.
    Patch(String),
    /// Code alone. It is the whole file where it has every import, function, type and value of the target
    /// file; functions, by their spans, where it defines one that was asked for; otherwise a body.
    Code(String),
    /// A model's answer as it came.
    RawAnswer(String),
}

impl Prediction {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Prediction::Patch(_) => "patch",
            Prediction::Code(_) => "code",
            Prediction::RawAnswer(_) => "answer",
        }
    }
}

/// What a prediction came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicted {
    /// How the answer was read; `None` where there was nothing to be read.
    pub extraction: Option<Extraction>,
    /// How it went into the tree.
    pub application: Application,
}

/// Lays a prediction into the tree that was asked about.
pub fn predict(prediction: &Prediction, asked: &Asked<'_>) -> Predicted {
    let given = |kind: PieceKind, text: &str| {
        let piece = Piece { kind, path: None, text: text.to_owned(), span: 0..text.len(), rule: Rule::Given };
        Predicted { extraction: None, application: apply(asked, &[piece]) }
    };
    match prediction {
        Prediction::Patch(text) => {
            let kind = super::extract::patch_kind(text).unwrap_or(PieceKind::Patch);
            if kind != PieceKind::SearchReplace {
                return given(kind, text);
            }
            let extraction = extract(text, FinishReason::Unknown, asked);
            let application = apply(asked, extraction.usable(asked.policy));
            Predicted { extraction: Some(extraction), application }
        }
        Prediction::Code(text) => given(PieceKind::Code, text),
        Prediction::RawAnswer(text) => {
            let extraction = extract(text, FinishReason::Unknown, asked);
            let application = apply(asked, extraction.usable(asked.policy));
            Predicted { extraction: Some(extraction), application }
        }
    }
}
