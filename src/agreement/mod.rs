//! Agreement between raters: confusion tables, Cohen's kappa and its family, intervals and tests.
//!
//! Promises: pure; every statistic is a [`Value`], `Defined` or `Undefined` with a [`Reason`], never NaN and
//! never a silent 0 or 1; what is missing is never a category; the same input (and seed) gives the same
//! digits; counts are summed as integers and divided once, so that 1, 0 and "undefined" are exact.
//! Leaves to others: reading files (`dataset::ratings`), words and tables for people (`cli`), which labels of a
//! round are compared (whoever calls).
//!
//! | question | where |
//! |---|---|
//! | two raters, one table | [`PairTable`], [`cohen_kappa`], [`kappa_max`], [`specific_agreement`] |
//! | skew and bias of a two-by-two table | [`prevalence_index`], [`bias_index`], [`pabak`] |
//! | does one rater use a category more? | [`mcnemar`], [`stuart_maxwell`], [`bowker`] |
//! | any number of raters, some labels missing | [`Ratings`], [`fleiss_kappa`], [`conger_kappa`], [`light_kappa`], [`gwet_ac`], [`brennan_prediger`] |
//! | Krippendorff's alpha and its metrics | [`krippendorff_alpha`], [`Metric`] |
//! | several labels for one item | [`SetRatings`], [`alpha_of_sets`], [`SetDistance`] |
//! | partial credit | [`Weights`]: linear, quadratic, by taxonomy, custom |
//! | how sure is it? | [`Estimate::t_interval`], [`Kappa::normal_interval`], [`bootstrap_kappa`] |
//! | did it change between rounds? | [`independent_difference`], [`paired_difference`] |
//! | a word for it | [`Band`], a convention and no more |
//! | why is it missing, why does it surprise? | [`remarks`] |
//!
//! Notation in the documentation: `k` declared categories, `n` items, `d(i, j)` the disagreement weight of two
//! categories (0 equal, 1 nothing in common), `Do` observed and `De` expected disagreement. Every coefficient
//! here is `1 - Do/De`, which equals the textbook `(po - pe)/(1 - pe)` with `po = 1 - Do`, `pe = 1 - De`; in
//! this form perfect agreement gives exactly 1, and `De = 0` is met exactly and not by rounding.

mod alpha;
mod band;
mod bootstrap;
mod chance;
mod compare;
mod conger;
mod counts;
mod distribution;
mod error;
mod estimate;
mod kappa;
mod margins;
mod pair_table;
mod ratings;
pub mod remarks;
mod sets;
mod value;
mod weights;

pub use alpha::{Metric, krippendorff_alpha};
pub use band::Band;
pub use bootstrap::{Bootstrap, Bootstrapped, bootstrap_kappa};
pub use chance::{
    brennan_prediger, fleiss_kappa, fleiss_kappa_per_category, gwet_ac, percent_agreement, scott_pi,
};
pub use compare::{Difference, PairedItem, independent_difference, paired_difference};
pub use conger::{PairKappa, conger_kappa, kappa_pairs, light_kappa};
pub use counts::Counts;
pub use error::AgreementError;
pub use estimate::{Estimate, Interval, Test};
pub use kappa::{
    Kappa, bias_index, cohen_kappa, cohen_kappa_per_category, kappa_max, pabak, prevalence_index,
    specific_agreement,
};
pub use margins::{Symmetry, bowker, mcnemar, stuart_maxwell};
pub use pair_table::PairTable;
pub use ratings::{OneSided, Ratings};
pub use sets::{
    LabelMean, SetDistance, SetRatings, alpha_of_sets, kappa_per_label, mean_distance, mean_kappa_of_labels,
};
pub use value::{Reason, Value};
pub use weights::Weights;
