//! The words for what became of an answer (DESIGN §1), measured apart from whether its code was right.
//!
//! Promises: each word has one spelling, in JSON, on screens and in filters, and reads back from it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What was got out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtractionOutcome {
    /// Code or a patch that is about what was asked.
    Found,
    /// Words only.
    NoCode,
    /// Nothing at all.
    Empty,
    /// The answer ends in the middle of its code or of its reasoning.
    Truncated,
    /// A part of the code is left out, with a remark in its place.
    Lazy,
    /// The model would not.
    Refusal,
    /// Code about something else.
    WrongTarget,
    /// Several alternatives; the last of them is what a lenient reading takes.
    Ambiguous,
}

impl ExtractionOutcome {
    /// All outcomes.
    pub const ALL: [ExtractionOutcome; 8] = [
        ExtractionOutcome::Found,
        ExtractionOutcome::NoCode,
        ExtractionOutcome::Empty,
        ExtractionOutcome::Truncated,
        ExtractionOutcome::Lazy,
        ExtractionOutcome::Refusal,
        ExtractionOutcome::WrongTarget,
        ExtractionOutcome::Ambiguous,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            ExtractionOutcome::Found => "found",
            ExtractionOutcome::NoCode => "no-code",
            ExtractionOutcome::Empty => "empty",
            ExtractionOutcome::Truncated => "truncated",
            ExtractionOutcome::Lazy => "lazy",
            ExtractionOutcome::Refusal => "refusal",
            ExtractionOutcome::WrongTarget => "wrong-target",
            ExtractionOutcome::Ambiguous => "ambiguous",
        }
    }
}

impl fmt::Display for ExtractionOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How like a place in the file is to what the answer says stands there: 0 to 1, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score(u16);

impl Score {
    /// The score of a share, which is kept inside 0 to 1; what is no number counts as 0.
    pub fn new(share: f64) -> Score {
        let thousandths = (share * 1000.0).round();
        // In range by the clamp; a cast of a float that is no number gives 0.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Score(thousandths.clamp(0.0, 1000.0) as u16)
    }

    /// 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

/// How the code went into the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApplicationOutcome {
    /// As it was given; line ends are always the file's own.
    Exact,
    /// With white space, indentation or punctuation made to fit.
    Normalised,
    /// At the place most like what the answer says stands there.
    Fuzzy(Score),
    /// A body, or some lines of one, laid under the function's own head.
    BodySpliced,
    /// The tree is as before.
    NoOp,
    /// Nothing was changed.
    Rejected,
    /// The tree was changed, and its new text has syntax errors that the old one had not.
    SyntaxError,
}

impl ApplicationOutcome {
    /// The word without a score.
    pub fn as_str(self) -> &'static str {
        match self {
            ApplicationOutcome::Exact => "exact",
            ApplicationOutcome::Normalised => "normalised",
            ApplicationOutcome::Fuzzy(_) => "fuzzy",
            ApplicationOutcome::BodySpliced => "body-spliced",
            ApplicationOutcome::NoOp => "no-op",
            ApplicationOutcome::Rejected => "rejected",
            ApplicationOutcome::SyntaxError => "syntax-error",
        }
    }

    /// The less certain of two ways of laying, for answers of several pieces.
    pub(super) fn and(self, other: ApplicationOutcome) -> ApplicationOutcome {
        use ApplicationOutcome::{BodySpliced, Exact, Fuzzy, NoOp, Normalised, Rejected, SyntaxError};
        let rank = |outcome: ApplicationOutcome| match outcome {
            NoOp => 0,
            Exact => 1,
            Normalised => 2,
            BodySpliced => 3,
            Fuzzy(_) => 4,
            SyntaxError => 5,
            Rejected => 6,
        };
        match (self, other) {
            (Fuzzy(one), Fuzzy(two)) => Fuzzy(one.min(two)),
            _ if rank(self) >= rank(other) => self,
            _ => other,
        }
    }
}

impl fmt::Display for ApplicationOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplicationOutcome::Fuzzy(score) => f.pad(&format!("fuzzy({:.3})", score.share())),
            other => f.pad(other.as_str()),
        }
    }
}

/// A text that is no outcome of an application.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an outcome; there are exact, normalised, fuzzy(SCORE), body-spliced, no-op, rejected, \
     syntax-error"
)]
pub struct UnknownOutcome(pub String);

impl FromStr for ApplicationOutcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<ApplicationOutcome, UnknownOutcome> {
        use ApplicationOutcome::{BodySpliced, Exact, Fuzzy, NoOp, Normalised, Rejected, SyntaxError};
        let plain = [Exact, Normalised, BodySpliced, NoOp, Rejected, SyntaxError];
        if let Some(outcome) = plain.into_iter().find(|outcome| outcome.as_str() == text) {
            return Ok(outcome);
        }
        let score = text.strip_prefix("fuzzy(").and_then(|rest| rest.strip_suffix(')'));
        match score.and_then(|score| score.parse::<f64>().ok()).filter(|score| (0.0..=1.0).contains(score)) {
            Some(score) => Ok(Fuzzy(Score::new(score))),
            None => Err(UnknownOutcome(text.chars().take(60).collect())),
        }
    }
}

impl Serialize for ApplicationOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ApplicationOutcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ApplicationOutcome, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a reader should know beside the outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// The code stood only in the reasoning.
    FromReasoning,
    /// The answer changes paths that it may not; those changes were left out.
    TouchedProtected,
}

impl Flag {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Flag::FromReasoning => "from-reasoning",
            Flag::TouchedProtected => "touched-protected",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_read_back() {
        for (outcome, word) in [
            (ApplicationOutcome::Exact, "exact"),
            (ApplicationOutcome::Fuzzy(Score::new(0.9131)), "fuzzy(0.913)"),
            (ApplicationOutcome::BodySpliced, "body-spliced"),
            (ApplicationOutcome::NoOp, "no-op"),
            (ApplicationOutcome::SyntaxError, "syntax-error"),
        ] {
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(json, format!("\"{word}\""));
            assert_eq!(serde_json::from_str::<ApplicationOutcome>(&json).unwrap(), outcome);
        }
        assert!("fuzzy(2)".parse::<ApplicationOutcome>().is_err());
        assert!("fuzzy".parse::<ApplicationOutcome>().is_err());
        for outcome in ExtractionOutcome::ALL {
            assert_eq!(serde_json::to_string(&outcome).unwrap(), format!("\"{outcome}\""));
        }
        assert_eq!(serde_json::to_string(&Flag::FromReasoning).unwrap(), "\"from-reasoning\"");
        assert_eq!(serde_json::to_string(&Flag::TouchedProtected).unwrap(), "\"touched-protected\"");
    }

    #[test]
    fn the_less_certain_wins() {
        let fuzzy = |share| ApplicationOutcome::Fuzzy(Score::new(share));
        assert_eq!(fuzzy(0.9).and(fuzzy(0.8)), fuzzy(0.8));
        assert_eq!(ApplicationOutcome::Exact.and(fuzzy(0.8)), fuzzy(0.8));
        assert_eq!(ApplicationOutcome::Rejected.and(fuzzy(0.8)), ApplicationOutcome::Rejected);
        assert_eq!(
            ApplicationOutcome::Normalised.and(ApplicationOutcome::NoOp),
            ApplicationOutcome::Normalised
        );
        assert_eq!(Score::new(f64::NAN), Score::new(0.0));
    }
}
