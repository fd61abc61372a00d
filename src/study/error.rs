//! Why something cannot be done in a study.

use crate::label::adjudicate::ReasonCode;
use crate::label::assign::AssignError;
use crate::label::codebook::{Stamp, ValueError};
use crate::label::entry::EntryError;
use crate::label::item::ItemError;
use crate::label::phase::{Phase, Refusal};
use crate::label::round::{PeopleError, called};
use crate::label::sample::TooFew;
use crate::store::StoreError;
use crate::store::bundle::BundleError;

/// Why something cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The workspace failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such round.
    #[error("there is no round `{found}` in this workspace{hint}")]
    NoRound {
        /// What was asked for.
        found: String,
        /// What to do next.
        hint: String,
    },
    /// There is no round at all.
    #[error(
        "this workspace has no rounds yet; `mendbench round create` makes one, `mendbench label import` takes one over"
    )]
    NoRounds,
    /// Several rounds are open, and none was named.
    #[error("several rounds are not closed: {}; name one", .0.join(", "))]
    ManyOpen(Vec<String>),
    /// Several rounds are called so.
    #[error("several rounds are called `{found}`: {}; write the last digits of an id, as they stand here", .fitting.join(", "))]
    ManyRounds {
        /// What was asked for.
        found: String,
        /// Study, name and id of those that fit.
        fitting: Vec<String>,
    },
    /// Labels that make no table.
    #[error("{0}")]
    NoTable(String),
    /// A table of counts without a question.
    #[error("--form counts wants --question with a question that has answers, one of {known}")]
    NoQuestion {
        /// The questions there are.
        known: String,
    },
    /// A file that could not be made.
    #[error("{why}")]
    NotWritten {
        /// What went wrong and what to do.
        why: String,
    },
    /// A round that cannot be read.
    #[error("round {id} cannot be read: {why}")]
    BadRound {
        /// Its id.
        id: String,
        /// What is wrong.
        why: String,
    },
    /// A name that is taken.
    #[error("study `{study}` has a round `{name}` already; choose another name")]
    NameTaken {
        /// The study.
        study: String,
        /// The round.
        name: String,
    },
    /// A name that another process gives to a round in this very moment.
    #[error(
        "somebody else makes a round `{name}` of study `{study}` in this very moment: `mendbench round list` shows it when it is there; choose another name, or try again in half a minute if it does not come"
    )]
    NameBeingTaken {
        /// The study.
        study: String,
        /// The round.
        name: String,
    },
    /// A new name that is the present one.
    #[error("{0} is called so already: nothing was changed")]
    SameName(String),
    /// A name that cannot be one.
    #[error(
        "`{0}` is no name for a round or study: 1 to 64 characters without `/`, `,` and control characters, only single blanks, none at its ends"
    )]
    BadName(String),
    /// People who cannot make a round.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// Items cannot be assigned.
    #[error(transparent)]
    Assign(#[from] AssignError),
    /// More is to be drawn than there is.
    #[error("{0}: so many pass the filter and are not left out")]
    Sample(TooFew),
    /// More of an earlier round is to be drawn again than there is.
    #[error("{0}")]
    Overlap(TooFew),
    /// A round that its lead took back.
    #[error(
        "{} was withdrawn by {who} on {at}: nothing happens in it any more; `mendbench round list --all` lists it", called(.round)
    )]
    Withdrawn {
        /// The round.
        round: String,
        /// The present name of its lead.
        who: String,
        /// When.
        at: String,
    },
    /// A round in which something was answered.
    #[error(
        "{} cannot be withdrawn: {} answered in it, and no answer is thrown away; end its phases, or leave it as it is", called(.round), .who.join(" and ")
    )]
    HasAnswers {
        /// The round.
        round: String,
        /// Who has answered.
        who: Vec<String>,
    },
    /// Items with known answers that cannot be taken.
    #[error(transparent)]
    Known(#[from] super::KnownError),
    /// Somebody has labelled already.
    #[error("labels exist in this round: who labels what cannot change any more; make another round")]
    LabelsExist,
    /// A name that is not an item's.
    #[error(transparent)]
    Item(#[from] ItemError),
    /// An item of somebody else.
    #[error("`{item}` is not assigned to {who}")]
    NotYours {
        /// The item.
        item: String,
        /// Who asked.
        who: String,
    },
    /// An answer that does not fit.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// An answer that does not fit.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// No part, or the wrong one.
    #[error(
        "{who} {is} in {}: {wanted}; say who you are with --as NAME, or in the setting `annotator`", called(.round)
    )]
    NotYourPart {
        /// Who asked.
        who: String,
        /// What they are.
        is: String,
        /// The round.
        round: String,
        /// Who may.
        wanted: String,
    },
    /// Labels are not open.
    #[error("{} is in {phase}: {why}", called(.round))]
    NotNow {
        /// The round.
        round: String,
        /// Where it stands.
        phase: Phase,
        /// What that means.
        why: String,
    },
    /// The lead is ending the phase.
    #[error("{phase} has ended for {who} in {}: what was answered is frozen", called(.round))]
    Frozen {
        /// The round.
        round: String,
        /// The phase.
        phase: Phase,
        /// For whom.
        who: String,
    },
    /// Handed in.
    #[error(
        "{who} has handed in a sealed file for {}: what was answered is frozen until labelling ends", called(.round)
    )]
    HandedIn {
        /// The round.
        round: String,
        /// Who.
        who: String,
    },
    /// The codebook is another one than that which was seen.
    #[error("the codebook of {} was changed to {stamp} meanwhile: look at the question again", called(.round))]
    CodebookChanged {
        /// The round.
        round: String,
        /// The codebook in force.
        stamp: Stamp,
    },
    /// There is nothing to take back.
    #[error("there is nothing to take back in this phase")]
    NothingToUndo,
    /// A phase does not end.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Blindness.
    #[error("{}: {why}", called(.round))]
    Hidden {
        /// The round.
        round: String,
        /// Why, in words that do not depend on what is hidden.
        why: String,
    },
    /// Nothing waits for the arbitrator there.
    #[error("`{question}` of `{item}` does not wait for a decision")]
    NotContested {
        /// The item.
        item: String,
        /// The question.
        question: String,
    },
    /// A decision for another reason needs words.
    #[error("the reason `{}` wants a comment: say why with --comment", .0.as_str())]
    WantsComment(ReasonCode),
    /// Two versions of one codebook only.
    #[error("that is the codebook which is in force already")]
    SameCodebook,
    /// Another codebook.
    #[error("codebook `{found}` is not a version of `{wanted}`: a round keeps its codebook")]
    OtherCodebook {
        /// Its id.
        found: String,
        /// The id of the round's.
        wanted: String,
    },
    /// A file that is no label file.
    #[error("{0}")]
    BadFile(String),
    /// A file that is a bundle and cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A secret cannot be kept or found.
    #[error("{0}")]
    Secret(String),
}
