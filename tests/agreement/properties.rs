//! What must hold for all data.

use mendbench::agreement::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Tables of two to five categories, many cells empty.
fn tables() -> impl Strategy<Value = PairTable> {
    (1usize..=5).prop_flat_map(|size| {
        let cell = prop_oneof![3 => Just(0u64), 4 => 0u64..20, 1 => 0u64..5_000];
        let rows = prop::collection::vec(prop::collection::vec(cell, size), size);
        rows.prop_map(|rows| PairTable::new(&rows).unwrap())
    })
}

/// Two to five raters, up to thirty items, labels missing.
fn ratings() -> impl Strategy<Value = Ratings> {
    (1usize..=4, 2usize..=5, 0usize..=30).prop_flat_map(|(categories, raters, items)| {
        let label = prop_oneof![1 => Just(None), 5 => (0..categories).prop_map(Some)];
        let raters = prop::collection::vec(prop::collection::vec(label, items), raters);
        raters.prop_map(move |raters| Ratings::new(categories, raters).unwrap())
    })
}

/// Two to four raters, sets of four labels, some missing.
fn set_ratings() -> impl Strategy<Value = Vec<Vec<Option<BTreeSet<usize>>>>> {
    (2usize..=4, 0usize..=15).prop_flat_map(|(raters, items)| {
        let set = prop::option::weighted(0.85, prop::collection::btree_set(0usize..4, 0..=4));
        prop::collection::vec(prop::collection::vec(set, items), raters)
    })
}

fn schemes(categories: usize) -> [Weights; 3] {
    [Weights::nominal(categories), Weights::linear(categories), Weights::quadratic(categories)]
        .map(Result::unwrap)
}

fn nominal(categories: usize) -> Weights {
    Weights::nominal(categories).unwrap()
}

/// The table with category `i` called `names[i]`.
fn renamed(table: &PairTable, names: &[usize]) -> PairTable {
    let mut other = PairTable::empty(table.categories()).unwrap();
    for (first, second, count) in table.cells() {
        other.add(names[first], names[second], count).unwrap();
    }
    other
}

fn relabelled(ratings: &Ratings, label: impl Fn(usize) -> usize) -> Ratings {
    let raters = 0..ratings.raters();
    let labels = |rater| ratings.labels(rater).iter().map(|one| one.map(&label)).collect();
    Ratings::new(ratings.categories(), raters.map(labels).collect()).unwrap()
}

/// All coefficients of a table.
fn of_table(table: &PairTable, weights: &Weights) -> Vec<Estimate> {
    let counts = Counts::of_pair(table);
    vec![
        cohen_kappa(table, weights).estimate,
        fleiss_kappa(&counts, weights),
        gwet_ac(&counts, weights),
        brennan_prediger(&counts, weights),
        krippendorff_alpha(&counts, &Metric::Nominal).unwrap(),
    ]
}

/// All coefficients of several raters.
fn of_ratings(ratings: &Ratings, weights: &Weights) -> Vec<Estimate> {
    let counts = ratings.counts();
    vec![
        fleiss_kappa(&counts, weights),
        conger_kappa(ratings, weights),
        gwet_ac(&counts, weights),
        brennan_prediger(&counts, weights),
        krippendorff_alpha(&counts, &Metric::Nominal).unwrap(),
    ]
}

fn near(one: Value, other: Value) -> bool {
    match (one, other) {
        (Value::Defined(one), Value::Defined(other)) => (one - other).abs() <= 1e-9 * one.abs().max(1.0),
        (Value::Undefined(one), Value::Undefined(other)) => one == other,
        _ => false,
    }
}

fn alike(one: &Estimate, other: &Estimate) -> bool {
    near(one.value, other.value)
        && near(one.observed, other.observed)
        && near(one.expected, other.expected)
        && near(one.standard_error, other.standard_error)
}

fn all_alike(one: &[Estimate], other: &[Estimate]) -> Result<(), TestCaseError> {
    for (at, (one, other)) in one.iter().zip(other).enumerate() {
        prop_assert!(alike(one, other), "coefficient {}: {:?}\n{:?}", at, one, other);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_value_is_a_finite_number_of_at_most_one_or_has_a_reason(table in tables(), ratings in ratings()) {
        for weights in schemes(table.categories()) {
            for estimate in of_table(&table, &weights) {
                sound(&estimate)?;
            }
            let test = cohen_kappa(&table, &weights).test_against_zero();
            prop_assert!(test.defined().is_none_or(|test| test.z.is_finite() && (0.0..=1.0).contains(&test.p_two_sided)));
        }
        for weights in schemes(ratings.categories()) {
            for estimate in of_ratings(&ratings, &weights) {
                sound(&estimate)?;
            }
        }
        for symmetry in [bowker(&table), stuart_maxwell(&table)] {
            let fine = |test: Symmetry| test.statistic >= 0.0 && test.statistic.is_finite() && (0.0..=1.0).contains(&test.p);
            prop_assert!(symmetry.defined().is_none_or(fine), "{:?}", symmetry);
        }
        for value in specific_agreement(&table).into_iter().chain([mcnemar(&table)]) {
            prop_assert!(value.defined().is_none_or(|value| (0.0..=1.0).contains(&value)));
        }
        for metric in [Metric::Ordinal, Metric::Interval(vec![0.5; table.categories()])] {
            sound(&krippendorff_alpha(&Counts::of_pair(&table), &metric).unwrap())?;
        }
    }

    #[test]
    fn renaming_categories_changes_nothing_nominal(
        table in tables(),
        ratings in ratings(),
        order in Just([0, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let names: Vec<usize> = order.into_iter().filter(|name| *name < table.categories()).collect();
        let other = renamed(&table, &names);
        let weights = nominal(table.categories());
        all_alike(&of_table(&table, &weights), &of_table(&other, &weights))?;
        prop_assert!(near(kappa_max(&table), kappa_max(&other)));
        let statistic = |found: Value<Symmetry>| found.map(|test| test.statistic);
        prop_assert!(near(statistic(bowker(&table)), statistic(bowker(&other))));
        prop_assert!(near(statistic(stuart_maxwell(&table)), statistic(stuart_maxwell(&other))));
        let last = ratings.categories() - 1;
        let reversed = relabelled(&ratings, |label| last - label);
        let weights = nominal(ratings.categories());
        all_alike(&of_ratings(&ratings, &weights), &of_ratings(&reversed, &weights))?;
        // The order turned round keeps all distances.
        for weights in schemes(ratings.categories()) {
            all_alike(&of_ratings(&ratings, &weights), &of_ratings(&reversed, &weights))?;
        }
    }

    #[test]
    fn exchanging_raters_changes_nothing_symmetric(table in tables()) {
        let other = table.transposed();
        prop_assert_eq!(other.transposed(), table.clone());
        for weights in schemes(table.categories()) {
            all_alike(&of_table(&table, &weights), &of_table(&other, &weights))?;
        }
        prop_assert!(near(mcnemar(&table), mcnemar(&other)));
        prop_assert!(near(kappa_max(&table), kappa_max(&other)));
        prop_assert!(near(prevalence_index(&table), prevalence_index(&other)));
        prop_assert!(near(bias_index(&table), bias_index(&other).map(|bias| -bias)));
    }

    #[test]
    fn the_order_of_items_and_raters_does_not_matter(ratings in ratings()) {
        let raters = (0..ratings.raters()).rev();
        let reversed = raters.map(|rater| ratings.labels(rater).iter().rev().copied().collect()).collect();
        let reversed = Ratings::new(ratings.categories(), reversed).unwrap();
        for weights in schemes(ratings.categories()) {
            all_alike(&of_ratings(&ratings, &weights), &of_ratings(&reversed, &weights))?;
        }
    }

    #[test]
    fn repeating_all_items_keeps_kappa_and_divides_its_error(table in tables(), times in 2u64..6) {
        let mut more = table.clone();
        for (first, second, count) in table.cells() {
            more.add(first, second, count * (times - 1)).unwrap();
        }
        for weights in schemes(table.categories()) {
            let (one, other) = (cohen_kappa(&table, &weights), cohen_kappa(&more, &weights));
            prop_assert!(near(one.estimate.value, other.estimate.value));
            let smaller = |error: f64| error / (times as f64).sqrt();
            prop_assert!(near(one.estimate.standard_error.map(smaller), other.estimate.standard_error));
            prop_assert!(near(one.null_standard_error.map(smaller), other.null_standard_error));
        }
    }

    #[test]
    fn of_two_categories_all_weights_are_the_same(a in 0u64..40, b in 0u64..40, c in 0u64..40, d in 0u64..40) {
        let table = PairTable::new(&[vec![a, b], vec![c, d]]).unwrap();
        let [unweighted, linear, quadratic] = schemes(2);
        let custom = Weights::custom(&[vec![0.0, 1.0], vec![1.0, 0.0]]).unwrap();
        for weights in [linear, quadratic, custom] {
            all_alike(&of_table(&table, &unweighted), &of_table(&table, &weights))?;
        }
        // Byrt, Bishop and Carlin 1993: kappa from its three companions.
        if let (Some(kappa), Some(pabak), Some(prevalence), Some(bias)) = (
            cohen_kappa(&table, &unweighted).estimate.value.defined(),
            pabak(&table).defined(),
            prevalence_index(&table).defined(),
            bias_index(&table).defined(),
        ) {
            let (prevalence, bias) = (prevalence.powi(2), bias.powi(2));
            prop_assert!((kappa - (pabak - prevalence + bias) / (1.0 - prevalence + bias)).abs() < 1e-9);
        }
    }

    #[test]
    fn zero_and_one_as_weights_are_no_weights(table in tables()) {
        let size = table.categories();
        let rows: Vec<Vec<f64>> =
            (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i != j))).collect()).collect();
        all_alike(&of_table(&table, &nominal(size)), &of_table(&table, &Weights::custom(&rows).unwrap()))?;
    }

    #[test]
    fn perfect_agreement_is_one_or_undefined(diagonal in prop::collection::vec(0u64..30, 1..6)) {
        let mut table = PairTable::empty(diagonal.len()).unwrap();
        for (category, count) in diagonal.iter().enumerate() {
            table.add(category, category, *count).unwrap();
        }
        let used = diagonal.iter().filter(|count| **count > 0).count();
        for weights in schemes(diagonal.len()) {
            let found = cohen_kappa(&table, &weights);
            let wanted = match used {
                0 => Value::Undefined(Reason::NoJointItem),
                1 => Value::Undefined(Reason::ExpectedAgreementIsOne),
                _ => Value::Defined(1.0),
            };
            prop_assert_eq!(found.estimate.value, wanted);
            prop_assert!(found.normal_interval(0.95).defined().is_none(), "no [1, 1]");
        }
        if used > 1 {
            prop_assert_eq!(scott_pi(&table).value, Value::Defined(1.0));
            prop_assert_eq!(kappa_max(&table), Value::Defined(1.0));
            let alpha = krippendorff_alpha(&Counts::of_pair(&table), &Metric::Ordinal).unwrap();
            prop_assert_eq!(alpha.value, Value::Defined(1.0));
        }
    }

    #[test]
    fn a_rater_who_always_says_the_same_has_kappa_zero(column in prop::collection::vec(0u64..2_000, 2..6)) {
        prop_assume!(column.iter().filter(|count| **count > 0).count() > 1);
        let mut table = PairTable::empty(column.len()).unwrap();
        for (second, count) in column.iter().enumerate() {
            table.add(0, second, *count).unwrap();
        }
        let kappa = cohen_kappa(&table, &nominal(column.len()));
        prop_assert_eq!(kappa.estimate.value, Value::Defined(0.0));
        prop_assert_eq!(kappa.estimate.standard_error, Value::Defined(0.0));
        prop_assert_eq!(kappa_max(&table), Value::Defined(0.0));
    }

    #[test]
    fn kappa_stays_below_what_the_margins_allow(table in tables()) {
        let kappa = cohen_kappa(&table, &nominal(table.categories())).estimate.value;
        let most = kappa_max(&table);
        prop_assert_eq!(kappa.defined().is_some(), most.defined().is_some());
        if let (Some(kappa), Some(most)) = (kappa.defined(), most.defined()) {
            prop_assert!(kappa <= most + 1e-12 && most <= 1.0);
        }
    }

    #[test]
    fn two_raters_without_gaps_have_the_relations_of_the_textbooks(table in tables()) {
        let size = table.categories();
        let pairs: Vec<(usize, usize)> =
            table.cells().flat_map(|(i, j, count)| (0..count.min(30)).map(move |_| (i, j))).collect();
        prop_assume!(!pairs.is_empty());
        let table = PairTable::of_pairs(size, pairs.iter().copied()).unwrap();
        let raters = vec![
            pairs.iter().map(|(one, _)| Some(*one)).collect(),
            pairs.iter().map(|(_, other)| Some(*other)).collect(),
        ];
        let ratings = Ratings::new(size, raters).unwrap();
        let counts = ratings.counts();
        prop_assert_eq!(ratings.pair(0, 1).unwrap(), table.clone());
        // Fleiss is Scott, Conger is Cohen, Light's mean is the one pair.
        let pi = scott_pi(&table).value;
        prop_assert!(near(fleiss_kappa(&counts, &nominal(size)).value, pi));
        let kappa = cohen_kappa(&table, &nominal(size)).estimate.value;
        prop_assert!(near(conger_kappa(&ratings, &nominal(size)).value, kappa));
        let pairs_of_raters = kappa_pairs(&ratings, &nominal(size)).unwrap();
        prop_assert_eq!(light_kappa(&pairs_of_raters).defined(), kappa.defined());
        // Alpha differs from pi by its small-sample correction.
        let n = table.total() as f64;
        let alpha = krippendorff_alpha(&counts, &Metric::Nominal).unwrap().value;
        let from_pi = pi.map(|pi| 1.0 - (1.0 - pi) * (2.0 * n - 1.0) / (2.0 * n));
        prop_assert_eq!(alpha.defined().is_some(), pi.defined().is_some());
        prop_assert!(alpha.defined().is_none() || near(alpha, from_pi));
        // With two categories Brennan and Prediger's coefficient is PABAK.
        if size == 2 {
            prop_assert!(near(brennan_prediger(&counts, &nominal(2)).value, pabak(&table)));
        }
    }

    #[test]
    fn unused_categories_change_only_what_counts_them(table in tables()) {
        let size = table.categories();
        let mut wider = PairTable::empty(size + 1).unwrap();
        for (first, second, count) in table.cells() {
            wider.add(first, second, count).unwrap();
        }
        let (one, other) = (nominal(size), nominal(size + 1));
        prop_assert!(alike(&cohen_kappa(&table, &one).estimate, &cohen_kappa(&wider, &other).estimate));
        prop_assert!(alike(&scott_pi(&table), &scott_pi(&wider)));
        for metric in [Metric::Nominal, Metric::Ordinal] {
            let alpha = |table| krippendorff_alpha(&Counts::of_pair(table), &metric).unwrap();
            prop_assert!(alike(&alpha(&table), &alpha(&wider)));
        }
    }

    #[test]
    fn evenly_spaced_values_are_the_quadratic_weights(ratings in ratings()) {
        let values: Vec<f64> = (0..ratings.categories()).map(|value| 3.0 + 2.0 * value as f64).collect();
        let alpha = krippendorff_alpha(&ratings.counts(), &Metric::Interval(values)).unwrap().value;
        let complete = (0..ratings.raters()).all(|rater| ratings.labels(rater).iter().all(Option::is_some));
        let fleiss = fleiss_kappa(&ratings.counts(), &Weights::quadratic(ratings.categories()).unwrap()).value;
        if let (true, Some(alpha), Some(fleiss)) = (complete, alpha.defined(), fleiss.defined()) {
            let labels = ratings.counts().labels() as f64;
            prop_assert!((alpha - (1.0 - (1.0 - fleiss) * (labels - 1.0) / labels)).abs() < 1e-9);
        }
    }

    #[test]
    fn what_was_compared_and_what_was_not_add_up(ratings in ratings()) {
        for pair in kappa_pairs(&ratings, &nominal(ratings.categories())).unwrap() {
            let labels = |rater: usize| ratings.labels(rater).iter().flatten().count() as u64;
            prop_assert_eq!(pair.items + pair.one_sided.first, labels(pair.raters[0]));
            prop_assert_eq!(pair.items + pair.one_sided.second, labels(pair.raters[1]));
        }
        let counts = ratings.counts();
        prop_assert_eq!(counts.items(), ratings.items() as u64);
        prop_assert_eq!(counts.labels(), counts.by_category().iter().sum::<u64>());
    }

    #[test]
    fn joint_items_are_those_with_two_labels(ratings in ratings()) {
        let joint = ratings.joint();
        prop_assert_eq!(joint.items() as u64, ratings.counts().items_with(2));
        prop_assert_eq!(joint.counts().items_with(2), joint.counts().items());
        let nominal = nominal(ratings.categories());
        let (one, other) = (joint.counts(), ratings.counts().joint());
        prop_assert_eq!(one.by_category(), other.by_category());
        prop_assert_eq!(one.items(), other.items());
        let same = |one: Value, other: Value| match (one.defined(), other.defined()) {
            (Some(one), Some(other)) => (one - other).abs() < 1e-12,
            (one, other) => one.is_none() && other.is_none(),
        };
        prop_assert!(same(fleiss_kappa(&one, &nominal).value, fleiss_kappa(&other, &nominal).value));
        // What is observed never hung on the others.
        prop_assert!(same(percent_agreement(&one), percent_agreement(&ratings.counts())));
        // Cohen's kappa of a pair knows joint items only.
        for (pair, of_joint) in kappa_pairs(&ratings, &nominal).unwrap().iter().zip(kappa_pairs(&joint, &nominal).unwrap()) {
            prop_assert_eq!(pair.items, of_joint.items);
        }
    }

    #[test]
    fn sets_of_one_label_are_labels(ratings in ratings()) {
        let raters = 0..ratings.raters();
        let sets = |rater| ratings.labels(rater).iter().map(|label| label.map(|label| BTreeSet::from([label]))).collect();
        let sets = SetRatings::new(ratings.categories(), raters.map(sets).collect()).unwrap();
        let alpha = krippendorff_alpha(&ratings.counts(), &Metric::Nominal).unwrap().value;
        for distance in [SetDistance::ExactMatch, SetDistance::Jaccard, SetDistance::Masi] {
            prop_assert!(near(alpha_of_sets(&sets, distance).value, alpha));
        }
        let differ = percent_agreement(&ratings.counts()).map(|share| 1.0 - share);
        // Every pair of labels counts the same in one and every item in the other: equal without gaps.
        if (0..ratings.raters()).all(|rater| ratings.labels(rater).iter().all(Option::is_some)) {
            prop_assert!(near(mean_distance(&sets, SetDistance::Masi), differ));
        }
    }

    #[test]
    fn distances_of_sets_are_ordered_and_symmetric(raters in set_ratings()) {
        let all: Vec<&BTreeSet<usize>> = raters.iter().flatten().flatten().collect();
        for one in &all {
            for other in &all {
                let [exact, jaccard, masi] = [SetDistance::ExactMatch, SetDistance::Jaccard, SetDistance::Masi]
                    .map(|distance| distance.between(one, other));
                prop_assert!((0.0..=1.0).contains(&jaccard) && jaccard <= masi && masi <= exact);
                prop_assert_eq!(jaccard, SetDistance::Jaccard.between(other, one));
                prop_assert_eq!(masi, SetDistance::Masi.between(other, one));
                prop_assert_eq!(exact == 0.0, one == other);
            }
        }
        let ratings = SetRatings::new(4, raters.clone()).unwrap();
        let turned = SetRatings::new(4, raters.into_iter().rev().collect()).unwrap();
        for distance in [SetDistance::ExactMatch, SetDistance::Jaccard, SetDistance::Masi] {
            sound(&alpha_of_sets(&ratings, distance))?;
            prop_assert!(alike(&alpha_of_sets(&ratings, distance), &alpha_of_sets(&turned, distance)));
        }
    }

    #[test]
    fn a_bootstrap_holds_what_it_says(table in tables(), seed in any::<u64>()) {
        let how = Bootstrap { resamples: 60, seed };
        let found = bootstrap_kappa(&table, &nominal(table.categories()), how, 0.95);
        if let Value::Defined(found) = found {
            prop_assert!(found.standard_error >= 0.0);
            prop_assert!(found.interval.low <= found.interval.high && found.interval.high <= 1.0);
            prop_assert!(found.undefined_resamples < found.resamples);
        }
        prop_assert_eq!(found, bootstrap_kappa(&table, &nominal(table.categories()), how, 0.95));
    }
}

/// A value is at most 1 and finite; what is undefined has no error and no interval either.
fn sound(estimate: &Estimate) -> Result<(), TestCaseError> {
    let intervals = [estimate.normal_interval(0.95), estimate.t_interval(0.95)];
    match estimate.value {
        Value::Defined(value) => {
            prop_assert!(value.is_finite() && value <= 1.0, "{:?}", estimate);
            let error = estimate.standard_error.defined();
            prop_assert!(error.is_none_or(|error| error >= 0.0 && error.is_finite()), "{:?}", estimate);
            for interval in intervals.into_iter().filter_map(Value::defined) {
                prop_assert!(interval.low < interval.high && interval.low.is_finite(), "{:?}", estimate);
                prop_assert!(interval.low <= value && value <= interval.high, "{:?}", estimate);
            }
        }
        Value::Undefined(reason) => {
            prop_assert_eq!(estimate.standard_error.why(), Some(reason));
            prop_assert!(intervals.iter().all(|interval| interval.why() == Some(reason)));
            prop_assert!(!reason.to_string().is_empty());
        }
    }
    Ok(())
}
