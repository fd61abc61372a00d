//! Every statistic that a study has, under its name, once.

use super::flags::{Flags, MetricName};
use super::study::{Data, Study, quoted};
use crate::agreement::{
    AgreementError, Bootstrap, Bootstrapped, Counts, Difference, Estimate, Kappa, LabelMean, Metric,
    PairKappa, PairTable, PairedItem, Ratings, Reason, SetDistance, SetRatings, Symmetry, Value, Weights,
    alpha_of_sets, bias_index, bootstrap_kappa, bowker, brennan_prediger, cohen_kappa,
    cohen_kappa_per_category, conger_kappa, fleiss_kappa, fleiss_kappa_per_category, gwet_ac,
    independent_difference, kappa_max, kappa_pairs, kappa_per_label, krippendorff_alpha, light_kappa,
    mcnemar, mean_distance, mean_kappa_of_labels, pabak, paired_difference, percent_agreement,
    prevalence_index, scott_pi, specific_agreement, stuart_maxwell,
};
use std::collections::HashMap;

/// Level of all intervals.
pub const LEVEL: f64 = 0.95;

/// A statistic of some kind.
pub enum Finding {
    /// A plain value.
    Value(Value),
    /// A coefficient with its standard error; the word refines it, as `linear` or `nominal`.
    Estimate(Estimate, Refined),
    /// Cohen's kappa.
    Kappa(Box<Kappa>, Refined),
    /// The bootstrap of Cohen's kappa.
    Bootstrap(Value<Bootstrapped>, Value),
    /// One value for each category or label.
    List(Vec<Value>),
    /// A test of symmetry.
    Symmetry(Value<Symmetry>),
    /// Cohen's kappa of every pair.
    Pairs(Vec<PairKappa>, Refined),
    /// A mean over labels.
    Mean(LabelMean),
    /// The change since another round.
    Difference(Box<Change>),
}

/// What refines a statistic.
#[derive(Clone)]
pub enum Refined {
    /// Nothing.
    Plain,
    /// Weights of this name.
    Weights(String),
    /// A metric of this name.
    Metric(&'static str),
}

/// How kappa changed since an earlier round.
pub struct Change {
    /// The earlier round.
    pub since: String,
    /// The second kappa minus the first.
    pub difference: Value<Difference>,
    /// Whether the items are the same, and the difference is resampled.
    pub paired: bool,
    /// Items that both raters labelled in both rounds, where they are the same.
    pub items: u64,
}

/// All that is known about a study.
pub struct Findings {
    /// The statistics, in the order in which they are told.
    pub all: Vec<(String, Finding)>,
    /// Items.
    pub items: u64,
    /// Raters; where they are not told apart, the most labels of an item.
    pub raters: u64,
    /// Items with at least two labels: of two raters, those that both labelled.
    pub joint: u64,
    /// Items with exactly one label.
    pub one_sided: u64,
    /// Of two raters, the items that only one labelled.
    pub only: Vec<(String, u64)>,
    /// Of two raters, their table.
    pub table: Option<PairTable>,
    /// How often each category was used.
    pub used: Vec<u64>,
    /// The category that all labels are, if they are all one.
    pub only_category: Option<usize>,
}

impl Findings {
    /// Why a value is undefined, in words that name what everybody answered.
    pub fn why(&self, study: &Study, reason: Reason) -> String {
        let chance = matches!(reason, Reason::ExpectedAgreementIsOne | Reason::ExpectedDisagreementIsZero);
        match self.only_category.and_then(|only| study.categories.get(only)) {
            Some(only) if chance => format!("{reason}: everyone always answered {}", quoted(only)),
            _ => reason.to_string(),
        }
    }

    /// The statistic of this name.
    pub fn get(&self, name: &str) -> Option<&Finding> {
        self.all.iter().find(|(known, _)| known == name).map(|(_, finding)| finding)
    }

    fn add(&mut self, name: &str, finding: Finding) {
        self.all.push((name.to_owned(), finding));
    }
}

/// Measures a study; `earlier` is the round before it of the same question.
pub fn measure(flags: &Flags, study: &Study, earlier: Option<&Study>) -> Result<Findings, AgreementError> {
    let mut found = Findings {
        all: Vec::new(),
        items: 0,
        raters: study.raters.len() as u64,
        joint: 0,
        one_sided: 0,
        only: Vec::new(),
        table: None,
        used: Vec::new(),
        only_category: None,
    };
    match &study.data {
        Data::Table(table) => {
            of_pair(flags, study, table, &mut found)?;
            of_counts(study, flags, &Counts::of_pair(table), &mut found)?;
        }
        Data::Counts(counts) => {
            found.raters = counts.most_labels();
            of_counts(study, flags, counts, &mut found)?;
        }
        Data::Ratings(ratings) => of_ratings(flags, study, ratings, &mut found)?,
        Data::Sets(sets) => of_sets(study, sets, &mut found)?,
    }
    let mut used = found.used.iter().enumerate().filter(|(_, count)| **count > 0);
    if let (Some((only, _)), None, false) = (used.next(), used.next(), matches!(study.data, Data::Sets(_))) {
        found.only_category = Some(only);
    }
    if let (Data::Ratings(ratings), Some(earlier)) = (&study.data, earlier)
        && let Data::Ratings(before) = &earlier.data
        && study.raters.len() == 2
        && study.raters == earlier.raters
    {
        let change = change(flags, study, ratings, earlier, before)?;
        found.add("kappa_difference", Finding::Difference(Box::new(change)));
    }
    Ok(found)
}

fn of_ratings(
    flags: &Flags,
    study: &Study,
    ratings: &Ratings,
    found: &mut Findings,
) -> Result<(), AgreementError> {
    let all = ratings.counts();
    // A round tells what is jointly labelled, as its screen and its exports do; a file of ratings is measured as it is.
    let joint = flags.round.is_some().then(|| ratings.joint());
    let given = ratings;
    let ratings = joint.as_ref().unwrap_or(given);
    let counts = ratings.counts();
    let nominal = Weights::nominal(ratings.categories())?;
    match ratings.raters() {
        2 => {
            let one_sided = given.one_sided(0, 1);
            found.only = study.raters.iter().cloned().zip([one_sided.first, one_sided.second]).collect();
            of_pair(flags, study, &ratings.pair(0, 1)?, found)?;
        }
        0 | 1 => {
            let estimate = cohen_kappa(&PairTable::empty(ratings.categories())?, &nominal).estimate;
            let nothing = Value::Undefined(Reason::FewerThanTwoRaters);
            let estimate = Estimate { value: nothing, standard_error: nothing, ..estimate };
            found.add("cohen_kappa", Finding::Estimate(estimate, Refined::Weights(study.scheme.clone())));
        }
        _ => {}
    }
    of_counts(study, flags, &counts, found)?;
    (found.items, found.one_sided) = (all.items(), all.items_with(1) - all.items_with(2));
    found.used = all.by_category();
    found.add("conger_kappa", Finding::Estimate(conger_kappa(ratings, &nominal), weights("none")));
    let pairs = kappa_pairs(ratings, &study.weights)?;
    if ratings.raters() != 2 {
        found.add("light_kappa", Finding::Value(light_kappa(&pairs)));
    }
    found.add("cohen_kappa_pairs", Finding::Pairs(pairs, Refined::Weights(study.scheme.clone())));
    Ok(())
}

fn weights(name: &str) -> Refined {
    Refined::Weights(name.to_owned())
}

/// What belongs to the table of two raters.
fn of_pair(
    flags: &Flags,
    study: &Study,
    table: &PairTable,
    found: &mut Findings,
) -> Result<(), AgreementError> {
    let kappa = cohen_kappa(table, &study.weights);
    found.add("cohen_kappa", Finding::Kappa(Box::new(kappa), Refined::Weights(study.scheme.clone())));
    if flags.resamples > 0 {
        let how = Bootstrap { resamples: flags.resamples, seed: flags.seed };
        let bootstrap = bootstrap_kappa(table, &study.weights, how, LEVEL);
        found.add("bootstrap_cohen_kappa", Finding::Bootstrap(bootstrap, kappa.estimate.value));
    }
    found.add("kappa_max", Finding::Value(kappa_max(table)));
    let each = cohen_kappa_per_category(table).iter().map(|kappa| kappa.estimate.value).collect();
    found.add("cohen_kappa_per_category", Finding::List(each));
    found.add("specific_agreement_per_category", Finding::List(specific_agreement(table)));
    found.add("scott_pi", Finding::Estimate(scott_pi(table), Refined::Plain));
    if table.categories() == 2 {
        found.add("prevalence_index", Finding::Value(prevalence_index(table)));
        found.add("bias_index", Finding::Value(bias_index(table)));
        found.add("pabak", Finding::Value(pabak(table)));
        found.add("mcnemar_exact_p", Finding::Value(mcnemar(table)));
    }
    found.add("stuart_maxwell", Finding::Symmetry(stuart_maxwell(table)));
    found.add("bowker_symmetry", Finding::Symmetry(bowker(table)));
    found.table = Some(table.clone());
    Ok(())
}

/// What does not tell raters apart.
fn of_counts(
    study: &Study,
    flags: &Flags,
    counts: &Counts,
    found: &mut Findings,
) -> Result<(), AgreementError> {
    let nominal = Weights::nominal(counts.categories())?;
    found.items = counts.items();
    found.joint = counts.items_with(2);
    found.one_sided = counts.items_with(1) - found.joint;
    found.used = counts.by_category();
    let scheme = || Refined::Weights(study.scheme.clone());
    found.add("percent_agreement", Finding::Value(percent_agreement(counts)));
    found.add("fleiss_kappa", Finding::Estimate(fleiss_kappa(counts, &study.weights), scheme()));
    let each = fleiss_kappa_per_category(counts).iter().map(|estimate| estimate.value).collect();
    found.add("fleiss_kappa_per_category", Finding::List(each));
    found.add("brennan_prediger", Finding::Estimate(brennan_prediger(counts, &nominal), weights("none")));
    found.add("gwet_ac1", Finding::Estimate(gwet_ac(counts, &nominal), weights("none")));
    if !study.weights.is_nominal() {
        found.add("gwet_ac2", Finding::Estimate(gwet_ac(counts, &study.weights), scheme()));
    }
    let values = || study.values.clone().unwrap_or_default();
    for name in [MetricName::Nominal, MetricName::Ordinal, MetricName::Interval, MetricName::Ratio] {
        if !study.has_metric(name) {
            continue;
        }
        let metric = match name {
            MetricName::Nominal => Metric::Nominal,
            MetricName::Ordinal => Metric::Ordinal,
            MetricName::Interval => Metric::Interval(values()),
            MetricName::Ratio => Metric::Ratio(values()),
        };
        let alpha = krippendorff_alpha(counts, &metric)?;
        let finding = || Finding::Estimate(alpha, Refined::Metric(name.as_str()));
        if name == flags.metric {
            found.add("krippendorff_alpha", finding());
        }
        found.add(&format!("krippendorff_alpha_{}", name.as_str()), finding());
    }
    Ok(())
}

fn of_sets(study: &Study, sets: &SetRatings, found: &mut Findings) -> Result<(), AgreementError> {
    for (name, distance) in [
        ("masi", SetDistance::Masi),
        ("jaccard", SetDistance::Jaccard),
        ("exact_match", SetDistance::ExactMatch),
    ] {
        let alpha = alpha_of_sets(sets, distance);
        let finding = || Finding::Estimate(alpha, Refined::Metric(name));
        if distance == SetDistance::Masi {
            found.add("alpha_sets", finding());
        }
        found.add(&format!("alpha_sets_{name}"), finding());
    }
    found.add("mean_masi_distance", Finding::Value(mean_distance(sets, SetDistance::Masi)));
    found.add("mean_jaccard_distance", Finding::Value(mean_distance(sets, SetDistance::Jaccard)));
    let kappas = kappa_per_label(sets)?;
    let each = kappas.iter().map(|kappa| kappa.estimate.value).collect();
    found.add("cohen_kappa_per_label", Finding::List(each));
    found.add("macro_kappa_defined_labels", Finding::Mean(mean_kappa_of_labels(&kappas)));
    for label in 0..sets.labels() {
        let ratings = sets.of_label(label)?;
        let counts = ratings.counts();
        found.items = counts.items();
        found.joint = counts.items_with(2);
        found.one_sided = counts.items_with(1) - found.joint;
        found.used.extend(counts.by_category().get(1));
        if ratings.raters() == 2 {
            let one_sided = ratings.one_sided(0, 1);
            found.only = study.raters.iter().cloned().zip([one_sided.first, one_sided.second]).collect();
        }
    }
    Ok(())
}

/// How kappa changed between two rounds of two raters.
fn change(
    flags: &Flags,
    study: &Study,
    ratings: &Ratings,
    earlier: &Study,
    before: &Ratings,
) -> Result<Change, AgreementError> {
    let places: HashMap<&str, usize> =
        earlier.items.iter().enumerate().map(|(place, item)| (item.as_str(), place)).collect();
    let labels = |ratings: &Ratings, item: usize| -> Option<(usize, usize)> {
        let label = |rater: usize| ratings.labels(rater).get(item).copied().flatten();
        Some((label(0)?, label(1)?))
    };
    let items: Vec<PairedItem> = study
        .items
        .iter()
        .enumerate()
        .filter_map(|(item, name)| {
            let place = *places.get(name.as_str())?;
            Some(PairedItem { before: labels(before, place)?, after: labels(ratings, item)? })
        })
        .collect();
    let since = earlier.round.clone().unwrap_or_default();
    let paired = !items.is_empty() && flags.resamples > 0;
    let difference = if paired {
        let how = Bootstrap { resamples: flags.resamples, seed: flags.seed };
        paired_difference(&items, &study.weights, how)?
    } else if items.is_empty() {
        let kappa = |ratings: &Ratings| Ok(cohen_kappa(&ratings.pair(0, 1)?, &study.weights));
        independent_difference(&kappa(before)?, &kappa(ratings)?)
    } else {
        Value::Undefined(Reason::NoResamples)
    };
    Ok(Change { since, difference, paired: !items.is_empty(), items: items.len() as u64 })
}
