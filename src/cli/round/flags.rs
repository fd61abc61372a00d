//! The arguments of `mendbench round`.

use crate::cli::study::Identity;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// What to do with rounds.
#[derive(Debug, Subcommand)]
pub enum Round {
    /// Draw items and make a round of them
    Create(Box<Create>),
    /// Say who labels what, or show what a seed would give
    Assign(Assign),
    /// Take back a round in which nobody has answered anything; its name may be used again
    Withdraw(Withdraw),
    /// List the rounds of the workspace, newest first
    List {
        /// Also those that were withdrawn
        #[arg(long)]
        all: bool,
        /// Who asks
        #[command(flatten)]
        identity: Identity,
    },
    /// How far a round is: for its lead everybody, for an annotator only their own part
    Status(Named),
    /// End the present phase
    Advance(Advance),
    /// Settle what annotators disagree on: shows the next case, or decides one
    Adjudicate(Box<Adjudicate>),
    /// Put another version of the codebook in force, and list the labels that it makes stale
    Codebook(Codebook),
    /// Give somebody another name; labels stay theirs
    Rename(Rename),
    /// Tell items that are gone or have changed since the round was made
    Check(Check),
}

/// A round.
#[derive(Debug, Args)]
pub struct Named {
    /// Its name, `study/name`, or part of its id; default: the only one that is not closed
    pub round: Option<String>,
    /// Who asks
    #[command(flatten)]
    pub identity: Identity,
}

/// Arguments of `round create`.
#[derive(Debug, Args)]
pub struct Create {
    /// Name of the round
    pub name: String,
    /// Where the items are: dataset file, folder of tasks, or workspace; default: the workspace, else the sample tasks
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// A run whose turns are labelled, by its id or `last`, for a codebook about turns; may be repeated
    #[arg(long, value_name = "RUN", conflicts_with = "path")]
    pub run: Vec<String>,
    /// Which turns of the runs: all of them made other code than the buggy one
    #[arg(long, value_enum, default_value = "last", requires = "run")]
    pub turns: TurnsName,
    /// Codebook: a file, or one that comes with mendbench (defects4c, odc, failure-pattern, patch-correctness)
    #[arg(long, value_name = "FILE|NAME", value_hint = ValueHint::FilePath)]
    pub codebook: String,
    /// Only tasks that pass, or turns of such, as `lang:c type:B words`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Who labels, with commas between
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    pub annotators: Vec<String>,
    /// Who settles disagreements; none of the annotators
    #[arg(long, value_name = "NAME")]
    pub arbitrator: String,
    /// Who runs the round; none of the annotators; default: you
    #[arg(long, value_name = "NAME")]
    pub lead: Option<String>,
    /// Seed of everything that is random; default: drawn, and recorded
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How much of what passes: a number of items, `half`, `second-half` or `all`
    #[arg(long, value_name = "SIZE", default_value = "all")]
    pub sample: String,
    /// Name of the study
    #[arg(long, value_name = "NAME", default_value = "study")]
    pub study: String,
    /// Leave out the items of this round; may be repeated
    #[arg(long, value_name = "ROUND")]
    pub excluding: Vec<String>,
    /// Draw so many items of an earlier round again, to verify them, beside the sample
    #[arg(long, value_name = "ROUND:N")]
    pub overlap: Option<String>,
    /// Training items with their answers: JSON Lines of {"item", "answers": {QUESTION: ANSWER}, "why"}
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub training: Option<PathBuf>,
    /// Gold items with their answers, known to the lead only: as for --training
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub gold: Option<PathBuf>,
    /// Assign nothing yet
    #[arg(long, conflicts_with_all = ["pairs", "per_item", "repeat"])]
    pub unassigned: bool,
    /// Who labels what
    #[command(flatten)]
    pub plan: Plan,
    /// Who makes it
    #[command(flatten)]
    pub identity: Identity,
}

/// Which turns of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TurnsName {
    /// The last one of each trajectory.
    Last,
    /// All.
    All,
    /// Those whose tests passed.
    Plausible,
}

impl TurnsName {
    /// What they are, in words.
    pub fn words(self) -> &'static str {
        match self {
            TurnsName::Last => "last turn of each trajectory",
            TurnsName::All => "turns",
            TurnsName::Plausible => "turns whose tests passed",
        }
    }

    /// What they do, in words.
    pub fn wanted(self) -> &'static str {
        match self {
            TurnsName::Last | TurnsName::All => "made other code than the buggy one",
            TurnsName::Plausible => "made other code than the buggy one that passes the tests",
        }
    }
}

/// Who labels what.
#[derive(Debug, Args)]
pub struct Plan {
    /// How annotators are put together: in teams in the order of their names, or everybody with everybody
    #[arg(long, value_enum, default_value = "rotating")]
    pub pairs: PairsName,
    /// How many annotators label each item
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub per_item: usize,
    /// Serve so many items a second time, at a distance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub repeat: usize,
}

/// How annotators are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PairsName {
    /// In teams.
    Fixed,
    /// In turn.
    Rotating,
}

/// Arguments of `round assign`.
#[derive(Debug, Args)]
pub struct Assign {
    /// Which round, and who asks
    #[command(flatten)]
    pub named: Named,
    /// Who labels what
    #[command(flatten)]
    pub plan: Plan,
    /// Seed; default: that of the round
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Only show what it would give
    #[arg(long)]
    pub preview: bool,
}

/// Arguments of `round advance`.
#[derive(Debug, Args)]
pub struct Advance {
    /// Which round, and who asks
    #[command(flatten)]
    pub named: Named,
    /// The phase that begins: discussion, adjudication or closed
    #[arg(long, value_name = "PHASE", value_parser = phase)]
    pub to: crate::label::phase::Phase,
    /// Go on though work is missing; it is written down as a deviation from the protocol
    #[arg(long)]
    pub force: bool,
}

fn phase(text: &str) -> Result<crate::label::phase::Phase, String> {
    crate::label::phase::Phase::parse(text)
        .ok_or_else(|| "write labelling, discussion, adjudication or closed".to_owned())
}

/// Arguments of `round adjudicate`.
#[derive(Debug, Args)]
pub struct Adjudicate {
    /// Which round, and who asks
    #[command(flatten)]
    pub named: Named,
    /// The item; default: the next one that waits
    #[arg(long, value_name = "ITEM")]
    pub item: Option<String>,
    /// The question; default: the first of the item that waits
    #[arg(long, value_name = "QUESTION")]
    pub question: Option<String>,
    /// Decide: this answer holds
    #[arg(long, value_name = "ANSWER", requires = "reason", allow_hyphen_values = true)]
    pub answer: Option<String>,
    /// Why the annotators differ: slip, definition, gap, ambiguous, evidence or other
    #[arg(long, value_name = "CODE", requires = "answer", value_parser = reason)]
    pub reason: Option<crate::label::adjudicate::ReasonCode>,
    /// The reason in words
    #[arg(long, value_name = "TEXT", requires = "answer", default_value = "")]
    pub comment: String,
    /// Send the item back to its annotators, and say why
    #[arg(long, value_name = "WHY", requires = "item", conflicts_with = "answer")]
    pub send_back: Option<String>,
    /// Take the last decision back
    #[arg(long, conflicts_with_all = ["answer", "send_back", "item"])]
    pub undo: bool,
    /// Show all cases that wait, not only the next
    #[arg(long, conflicts_with_all = ["answer", "send_back", "undo"])]
    pub all: bool,
}

fn reason(text: &str) -> Result<crate::label::adjudicate::ReasonCode, String> {
    use crate::label::adjudicate::ReasonCode;
    ReasonCode::parse(text).ok_or_else(|| {
        let codes = ReasonCode::ALL.map(|code| format!("{}: {}", code.as_str(), code.describe()));
        format!("the codes are {}", codes.join("; "))
    })
}

/// Arguments of `round codebook`.
#[derive(Debug, Args)]
pub struct Codebook {
    /// Which round, and who asks
    #[command(flatten)]
    pub named: Named,
    /// The new version: a file, or one that comes with mendbench; without it the one in force is shown
    #[arg(long, value_name = "FILE|NAME", requires = "why")]
    pub codebook: Option<String>,
    /// Why it changes
    #[arg(long, value_name = "TEXT", requires = "codebook")]
    pub why: Option<String>,
}

/// Arguments of `round withdraw`.
#[derive(Debug, Args)]
pub struct Withdraw {
    /// Its name, `study/name`, or part of its id
    pub round: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub why: String,
    /// Do not withdraw it: let labelling go on after a withdrawal that was broken off
    #[arg(long, conflicts_with = "why")]
    pub keep: bool,
    /// Who asks
    #[command(flatten)]
    pub identity: Identity,
}

/// Arguments of `round rename`.
#[derive(Debug, Args)]
pub struct Rename {
    /// The present name
    pub from: String,
    /// The new name
    pub to: String,
    /// The round
    #[arg(long, value_name = "ROUND")]
    pub round: Option<String>,
    /// Who asks
    #[command(flatten)]
    pub identity: Identity,
}

/// Arguments of `round check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Which round, and who asks
    #[command(flatten)]
    pub named: Named,
    /// Where the tasks are now: dataset file, folder of tasks, or workspace; turns are in the workspace of the round
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub within: Option<PathBuf>,
}
