//! The arguments of `mendbench label`.

use crate::cli::study::Identity;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// What to do with labels.
#[derive(Debug, Subcommand)]
pub enum Label {
    /// Answer a question about an item, or with `-` many: JSON Lines of {"item", "question", "answer"} on stdin
    Set(Box<Set>),
    /// Take the last answer of this phase back; again takes back the one before
    Undo(Of),
    /// List your labels, or those of others where they may be seen
    List(List),
    /// Put an item aside, and say why
    Skip(Mark),
    /// Mark an item to be looked at again
    Flag(Mark),
    /// Write a note on an item; without a text the note is taken away
    Note(Mark),
    /// Write a label file for another machine, or tables and texts: the round, and the labels that you may see
    Export(Export),
    /// Make a table of labels that others gave: linux-bugs, SWE-bench, any CSV with named columns
    Convert(Box<super::convert::Convert>),
    /// Take label files, sealed files and keys in; taking one in twice changes nothing
    Import(Import),
    /// Hand in: write your labels into a sealed file, which nobody can read until all have handed in
    ///
    /// You label no more after it. Everybody takes in the sealed files of all (`label import`); then `label reveal`
    /// gives the key to yours, and with the keys of all the labels come in. A sealed file cannot be changed after
    /// another was read. It does not prove who wrote it, and the last to reveal can refuse.
    Seal(Seal),
    /// Give out the key to your sealed file, once those of all are here
    Reveal(Reveal),
}

/// A round, and who asks.
#[derive(Debug, Args)]
pub struct Of {
    /// The round: its name, `study/name`, or part of its id; default: the only one that is not closed
    #[arg(long, value_name = "ROUND")]
    pub round: Option<String>,
    /// Who asks
    #[command(flatten)]
    pub identity: Identity,
}

/// Arguments of `label set`.
#[derive(Debug, Args)]
pub struct Set {
    /// The item: `dataset/id` or `id`; `-` reads JSON Lines from stdin
    pub item: String,
    /// The question
    pub question: Option<String>,
    /// The answer: an id, ids with commas between, a number, or a text
    #[arg(allow_hyphen_values = true)]
    pub answer: Option<String>,
    /// How sure you are, 1 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub confidence: Option<u8>,
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
}

/// Arguments of `label list`.
#[derive(Debug, Args)]
pub struct List {
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
    /// Of this annotator; default: your own
    #[arg(long, value_name = "NAME")]
    pub of_annotator: Option<String>,
    /// Only those that were given before the codebook changed
    #[arg(long, conflicts_with_all = ["missing", "conflicts"])]
    pub stale: bool,
    /// Only items that are not done, in the order of serving
    #[arg(long, conflicts_with = "conflicts")]
    pub missing: bool,
    /// Only those that contradict each other
    #[arg(long)]
    pub conflicts: bool,
    /// As they were when labelling ended
    #[arg(long, conflicts_with_all = ["stale", "missing", "conflicts"])]
    pub blind: bool,
}

/// Arguments of marks.
#[derive(Debug, Args)]
pub struct Mark {
    /// The item
    pub item: String,
    /// Why, or the note
    pub text: Option<String>,
    /// Take the mark away
    #[arg(long)]
    pub off: bool,
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
}

/// Arguments of `label export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The file, which must not exist, or `-` for stdout
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
    /// As the lead, blind labels too; it is written down as a deviation from the protocol
    #[arg(long)]
    pub live: bool,
    /// What to write: events are a label file for `label import`, the others are tables and texts
    #[arg(long, value_enum, default_value = "events")]
    pub form: Form,
    /// All rounds of the study, and not only this one
    #[arg(long)]
    pub all_rounds: bool,
    /// The question of the table of counts
    #[arg(long, value_name = "QUESTION")]
    pub question: Option<String>,
}

/// What an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Events, to be taken in elsewhere.
    Events,
    /// CSV, one row for each label.
    Long,
    /// CSV, one column for each annotator.
    Wide,
    /// CSV, how many chose each category: blind labels of one question.
    Counts,
    /// JSON Lines of everything.
    Jsonl,
    /// A table of agreement for LaTeX.
    Latex,
    /// A table of agreement for Markdown.
    Markdown,
    /// A paragraph that says how it was done.
    Methods,
}

/// Arguments of `label import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Label files, sealed files, keys; `-` is stdin
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Take a sealed file in the place of a wrong one of the same annotator that came before; only as long as no key is
    /// out, and it is written down as a deviation from the protocol
    #[arg(long)]
    pub replace: bool,
    /// Who asks
    #[command(flatten)]
    pub identity: Identity,
}

/// Arguments of `label seal`.
#[derive(Debug, Args)]
pub struct Seal {
    /// The file, which must not exist
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
    /// Hand in though items are not done
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `label reveal`.
#[derive(Debug, Args)]
pub struct Reveal {
    /// The file, which must not exist
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Which round, and who asks
    #[command(flatten)]
    pub of: Of,
}
