//! The arguments of `mendbench agreement`.

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Arguments of `agreement`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("input").required(true).multiple(true).args(["ratings", "table", "counts", "round"])))]
pub struct Flags {
    /// Files of ratings: one row for each label, with columns `item`, `rater`, `label` and, where there are several, `question` and `round`; `-` is stdin
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub ratings: Vec<PathBuf>,
    /// Confusion table of two raters: a file, or rows as "20,5; 10,15"
    #[arg(long, value_name = "FILE|ROWS", conflicts_with_all = ["ratings", "counts", "round"])]
    pub table: Option<String>,
    /// One row for each item, one column for each category, in it how many raters chose it: a file, or rows
    #[arg(long, value_name = "FILE|ROWS", conflicts_with_all = ["ratings", "round"])]
    pub counts: Option<String>,
    /// The files of ratings have one row for each item and one column for each rater
    #[arg(long, requires = "ratings", conflicts_with_all = ["rater", "label"])]
    pub wide: bool,
    /// Column of the item [default: item]
    #[arg(long, value_name = "COL", requires = "ratings")]
    pub item: Option<String>,
    /// Column of the rater [default: rater]
    #[arg(long, value_name = "COL", requires = "ratings")]
    pub rater: Option<String>,
    /// Column of the label [default: label]
    #[arg(long, value_name = "COL", requires = "ratings")]
    pub label: Option<String>,
    /// Column of the question [default: question, if there is one]
    #[arg(long, value_name = "COL", requires = "ratings")]
    pub question: Option<String>,
    /// A round of the workspace; with --ratings the column of the round [default: round, if there is one]
    #[arg(long, value_name = "ROUND|COL")]
    pub round: Option<String>,
    /// Of a round: the labels as they were when labelling ended (blind), as they are after discussion (revised), or
    /// each apart; default: blind, and revised where discussion has begun
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["ratings", "table", "counts"])]
    pub basis: Option<BasisName>,
    /// As the lead, while labelling is blind; it is written down as a deviation from the protocol
    #[arg(long, conflicts_with_all = ["ratings", "table", "counts"])]
    pub live: bool,
    /// Who asks
    #[command(flatten)]
    pub identity: crate::cli::study::Identity,
    /// Only these raters, in this order
    #[arg(long, value_name = "A,B", requires = "ratings")]
    pub raters: Option<String>,
    /// A label is a set of labels with this between them; a lone separator or {} is the empty set, "none applies"
    #[arg(long, value_name = "SEP", requires = "ratings", conflicts_with_all = ["values", "weights"])]
    pub sets: Option<String>,
    /// The categories in their order; any other label is a bad row. For one question: QUESTION=a,b,c
    #[arg(long, value_name = "A,B,C")]
    pub categories: Vec<String>,
    /// A number for each category, or `labels` where they are numbers: for the interval and ratio metrics
    #[arg(long, value_name = "1,2,3", allow_hyphen_values = true)]
    pub values: Option<String>,
    /// How much two categories disagree: none, linear, quadratic, taxonomy (labels as a.1, a.2) or a file with a
    /// table of disagreements
    #[arg(long, value_name = "W", default_value = "none")]
    pub weights: String,
    /// The metric that `krippendorff_alpha` stands for
    #[arg(long, value_enum, default_value = "nominal")]
    pub metric: MetricName,
    /// A word that means that there is no label, as NA; may be repeated
    #[arg(long, value_name = "WORD")]
    pub missing: Vec<String>,
    /// Take labels that differ in case and white space only as one
    #[arg(long)]
    pub fold: bool,
    /// Leave bad rows out instead of refusing the file
    #[arg(long)]
    pub skip_bad: bool,
    /// What stands between fields: a character, or `tab`
    #[arg(long, value_name = "CHAR", default_value = ",")]
    pub delimiter: String,
    /// Resamples of the bootstrap; 0: none
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub resamples: u32,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Which labels of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BasisName {
    /// Nobody knew of the others.
    Blind,
    /// After discussion.
    Revised,
    /// Each apart.
    Both,
}

/// Metrics of Krippendorff's alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricName {
    /// Categories differ or do not.
    Nominal,
    /// Categories have an order.
    Ordinal,
    /// Categories have values whose differences mean something.
    Interval,
    /// Categories have values that start at zero.
    Ratio,
}

impl MetricName {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            MetricName::Nominal => "nominal",
            MetricName::Ordinal => "ordinal",
            MetricName::Interval => "interval",
            MetricName::Ratio => "ratio",
        }
    }
}
