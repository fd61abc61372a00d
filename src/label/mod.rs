//! Labels: what a study asks (codebooks) and what is answered (values), and from these the tables of a study.
//!
//! Promises: pure; a question that does not apply is never "missing" and never a category by accident; what is
//! refused is refused with the question, the answer and what would be right.
//! Leaves to others: statistics (`agreement`), files (`dataset`), storing and showing (`store`, `cli`, `tui`).
//!
//! | question | where |
//! |---|---|
//! | what may be answered, and when is it asked? | [`codebook`] |
//! | what was answered? | [`value`] |
//! | how is an answer typed? | [`entry`] |
//! | what is labelled, and which of it is drawn? | [`item`], [`turn`], [`sample`], [`draw`] |
//! | who labels what, in which order? | [`assign`] |
//! | how large is a round? | [`extent`] |
//! | what happened? | [`event`] |
//! | where does a round stand, and may it go on? | [`round`], [`phase`], [`status`] |
//! | what has somebody answered, and does it still hold? | [`fold`], [`reading`] |
//! | which answers have no place in the round? | [`aside`] |
//! | who may see what? | [`visible`] |
//! | which sealed file counts? | [`seals`] |
//! | what is contested, and who settles it? | [`adjudicate`] |
//! | what do annotators differ on, and what became of it? | [`dispute`] |
//! | which labels are compared? | [`compare`] |
//! | what does agreement look like, round by round? | [`overview`] |
//! | how does each annotator label, over time and against themselves? | [`drift`] |
//! | what do rounds come to, as one table? | [`table`] |
//! | how does it leave for other programs and for papers? | [`export`] |

pub mod adjudicate;
pub mod aside;
pub mod assign;
pub mod codebook;
pub mod compare;
pub mod dispute;
pub mod draw;
pub mod drift;
pub mod entry;
pub mod event;
pub mod export;
pub mod extent;
pub mod fold;
pub mod item;
pub mod overview;
pub mod phase;
pub mod reading;
pub mod round;
pub mod sample;
pub mod seals;
pub mod status;
pub mod table;
pub mod turn;
pub mod value;
pub mod visible;

#[cfg(test)]
pub(crate) mod testing;
