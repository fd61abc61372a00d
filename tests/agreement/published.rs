//! Figures that the literature prints, and the degenerate tables: for readers who have no reference file at hand.

use mendbench::agreement::*;

fn table(rows: &[&[u64]]) -> PairTable {
    PairTable::new(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
}

fn nominal(categories: usize) -> Weights {
    Weights::nominal(categories).unwrap()
}

/// Compares with a figure printed with this many decimals.
#[track_caller]
fn prints(value: Value, wanted: f64, decimals: i32) {
    let found = value.defined().unwrap();
    assert!((found - wanted).abs() <= 0.500_001 * 10f64.powi(-decimals), "{found} instead of {wanted}");
}

#[test]
fn cohen_1960_and_1968() {
    let table = table(&[&[88, 14, 18], &[10, 40, 10], &[2, 6, 12]]);
    let kappa = cohen_kappa(&table, &nominal(3));
    prints(kappa.estimate.value, 0.492, 3);
    prints(kappa.estimate.observed, 0.70, 2);
    prints(kappa.estimate.expected, 0.41, 2);
    prints(kappa_max(&table), 0.831, 3);
    let weights = [[0.0, 1.0, 3.0], [1.0, 0.0, 6.0], [3.0, 6.0, 0.0]];
    let rows: Vec<Vec<f64>> = weights.iter().map(|row| row.iter().map(|w| w / 6.0).collect()).collect();
    prints(cohen_kappa(&table, &Weights::custom(&rows).unwrap()).estimate.value, 0.348, 3);
}

#[test]
fn the_paradoxes_of_feinstein_and_cicchetti_1990() {
    let balanced = table(&[&[40, 9], &[6, 45]]);
    let skewed = table(&[&[80, 10], &[5, 5]]);
    for table in [&balanced, &skewed] {
        prints(percent_agreement(&Counts::of_pair(table)), 0.85, 2);
        prints(pabak(table), 0.70, 2);
    }
    prints(cohen_kappa(&balanced, &nominal(2)).estimate.value, 0.70, 2);
    prints(cohen_kappa(&skewed, &nominal(2)).estimate.value, 0.32, 2);
    prints(prevalence_index(&skewed), 0.75, 2);
    prints(bias_index(&skewed), 0.05, 2);
}

#[test]
fn gwet_2002_high_agreement_and_negative_kappa() {
    let table = table(&[&[118, 5], &[2, 0]]);
    prints(cohen_kappa(&table, &nominal(2)).estimate.value, -0.023, 3);
    prints(gwet_ac(&Counts::of_pair(&table), &nominal(2)).value, 0.941, 3);
}

#[test]
fn krippendorff_2011_four_metrics_with_missing_labels() {
    let rater = |text: &str| -> Vec<Option<usize>> {
        text.chars().map(|label| label.to_digit(10).map(|label| label as usize - 1)).collect()
    };
    // Four observers, twelve units; a point is a missing label.
    let raters = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."];
    let raters: Vec<Vec<Option<usize>>> = raters.iter().map(|text| rater(text)).collect();
    let ratings = Ratings::new(5, raters).unwrap();
    let values: Vec<f64> = (1..=5).map(f64::from).collect();
    for (metric, wanted) in [
        (Metric::Nominal, 0.743),
        (Metric::Ordinal, 0.815),
        (Metric::Interval(values.clone()), 0.849),
        (Metric::Ratio(values), 0.797),
    ] {
        prints(krippendorff_alpha(&ratings.counts(), &metric).unwrap().value, wanted, 3);
    }
}

#[test]
fn fleiss_1971_overall_and_by_category() {
    let rows: [[u64; 5]; 30] = [
        [0, 0, 0, 6, 0],
        [0, 3, 0, 0, 3],
        [0, 1, 4, 0, 1],
        [0, 0, 0, 0, 6],
        [0, 3, 0, 3, 0],
        [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2],
        [2, 0, 3, 1, 0],
        [2, 0, 0, 4, 0],
        [0, 0, 0, 0, 6],
        [1, 0, 0, 5, 0],
        [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0],
        [1, 0, 0, 5, 0],
        [0, 2, 0, 3, 1],
        [0, 0, 5, 0, 1],
        [3, 0, 0, 1, 2],
        [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0],
        [1, 0, 2, 0, 3],
        [0, 0, 0, 0, 6],
        [0, 1, 0, 5, 0],
        [0, 2, 0, 1, 3],
        [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1],
        [0, 5, 0, 1, 0],
        [4, 0, 0, 0, 2],
        [0, 2, 0, 4, 0],
        [1, 0, 5, 0, 0],
        [0, 0, 0, 0, 6],
    ];
    let counts = Counts::new(5, &rows.map(|row| row.to_vec())).unwrap();
    prints(fleiss_kappa(&counts, &nominal(5)).value, 0.430, 3);
    let each = fleiss_kappa_per_category(&counts);
    for (estimate, wanted) in each.iter().zip([0.245, 0.245, 0.520, 0.471, 0.566]) {
        prints(estimate.value, wanted, 3);
    }
}

#[test]
fn what_cannot_be_said_is_undefined_and_says_why() {
    let one_category = table(&[&[25, 0], &[0, 0]]);
    let kappa = cohen_kappa(&one_category, &nominal(2));
    assert_eq!(kappa.estimate.value, Value::Undefined(Reason::ExpectedAgreementIsOne));
    assert_eq!(kappa.estimate.observed, Value::Defined(1.0));
    assert_eq!(kappa.normal_interval(0.95), Value::Undefined(Reason::ExpectedAgreementIsOne));
    assert_eq!(scott_pi(&one_category).value, Value::Undefined(Reason::ExpectedAgreementIsOne));
    assert_eq!(gwet_ac(&Counts::of_pair(&one_category), &nominal(2)).value, Value::Defined(1.0));
    let how = Bootstrap { resamples: 100, seed: 1 };
    let undefined = bootstrap_kappa(&one_category, &nominal(2), how, 0.95);
    assert_eq!(undefined, Value::Undefined(Reason::NoDefinedResample));
    let constant_rater = table(&[&[7, 0], &[5, 0]]);
    let kappa = cohen_kappa(&constant_rater, &nominal(2));
    assert_eq!(kappa.estimate.value, Value::Defined(0.0));
    assert_eq!(kappa.estimate.standard_error, Value::Defined(0.0));
    assert_eq!(kappa.normal_interval(0.95), Value::Undefined(Reason::NoSpread));
    assert_eq!(mcnemar(&one_category), Value::Undefined(Reason::NoDisagreement));
    let nothing = PairTable::empty(3).unwrap();
    assert_eq!(pabak(&nothing), Value::Undefined(Reason::NotTwoCategories));
    assert_eq!(bowker(&nothing), Value::Undefined(Reason::NoJointItem));
    assert_eq!(stuart_maxwell(&nothing), Value::Undefined(Reason::NoJointItem));
    let ratings = Ratings::new(2, vec![vec![Some(0), Some(1)]]).unwrap();
    assert_eq!(light_kappa(&[]), Value::Undefined(Reason::FewerThanTwoRaters));
    assert_eq!(conger_kappa(&ratings, &nominal(2)).value, Value::Undefined(Reason::NoItemWithTwoLabels));
    let negative = Metric::Ratio(vec![-1.0, 1.0]);
    let both = Ratings::new(2, vec![vec![Some(0)], vec![Some(1)]]).unwrap().counts();
    let alpha = krippendorff_alpha(&both, &negative).unwrap();
    assert_eq!(alpha.value, Value::Undefined(Reason::NegativeValue));
}

#[test]
fn categories_that_nobody_confuses_leave_stuart_maxwell_what_remains() {
    // Category 0 is never confused: what remains is the test of McNemar without correction.
    let found = stuart_maxwell(&table(&[&[13, 0, 0], &[0, 20, 7], &[0, 4, 56]])).defined().unwrap();
    assert!((found.statistic - 9.0 / 11.0).abs() < 1e-12);
    assert_eq!(found.degrees, 1);
    let perfect = stuart_maxwell(&table(&[&[5, 0], &[0, 3]])).defined().unwrap();
    assert_eq!((perfect.statistic, perfect.degrees, perfect.p), (0.0, 0, 1.0));
}

#[test]
fn a_taxonomy_gives_half_for_the_same_parent() {
    let paths = [vec!["a", "1"], vec!["a", "2"], vec!["b", "1"], vec!["c"]];
    let weights = Weights::taxonomy(&paths).unwrap();
    let found = |one, other| weights.disagreement(one, other);
    assert_eq!([found(0, 0), found(0, 1), found(0, 2), found(1, 3)], [0.0, 0.5, 1.0, 1.0]);
    let deeper = Weights::taxonomy(&[vec!["c"], vec!["c", "1"]]).unwrap();
    assert!((deeper.disagreement(0, 1) - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn input_that_makes_no_sense_is_refused_with_its_place() {
    use AgreementError as E;
    assert_eq!(PairTable::new(&[]), Err(E::NoCategory));
    let ragged = PairTable::new(&[vec![1, 2], vec![3]]);
    assert_eq!(ragged, Err(E::NotSquare { row: 2, found: 1, wanted: 2 }));
    assert_eq!(PairTable::new(&[vec![u64::MAX]]), Err(E::TooManyItems));
    let outside = Ratings::new(2, vec![vec![Some(2)]]);
    assert_eq!(outside, Err(E::UnknownCategory { category: 2, categories: 2 }));
    let uneven = Ratings::new(2, vec![vec![None; 2], vec![None; 3]]);
    assert_eq!(uneven, Err(E::UnequalItems { rater: 2, found: 3, wanted: 2 }));
    let counts = Counts::new(2, &[vec![1, 1], vec![1]]);
    assert_eq!(counts, Err(E::WrongLength { row: 2, found: 1, wanted: 2 }));
    for (weights, word) in [
        ([[0.0, 2.0], [2.0, 0.0]], "between 0 and 1"),
        ([[0.0, f64::NAN], [1.0, 0.0]], "between 0 and 1"),
        ([[0.0, 0.5], [0.4, 0.0]], "must be equal"),
        ([[0.1, 0.5], [0.5, 0.0]], "must be 0"),
    ] {
        let error = Weights::custom(&weights.map(|row| row.to_vec())).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let counts = Counts::new(2, &[vec![1, 1]]).unwrap();
    let short = krippendorff_alpha(&counts, &Metric::Interval(vec![1.0]));
    assert_eq!(short, Err(E::WrongLength { row: 1, found: 1, wanted: 2 }));
    let infinite = krippendorff_alpha(&counts, &Metric::Interval(vec![1.0, f64::INFINITY]));
    assert_eq!(infinite, Err(E::BadValue { place: 2 }));
}

#[test]
fn bands_are_half_open_and_assured_only_with_the_error_in_view() {
    for (value, band) in [
        (-0.1, Band::Poor),
        (0.0, Band::Slight),
        (0.2, Band::Slight),
        (0.205, Band::Fair),
        (0.4, Band::Fair),
        (0.61, Band::Substantial),
        (0.8, Band::Substantial),
        (0.81, Band::AlmostPerfect),
        (1.0, Band::AlmostPerfect),
    ] {
        assert_eq!(Band::of(value), band, "{value}");
    }
    assert_eq!(Band::assured(0.704, 0.020), Band::Substantial);
    // The point lies in almost perfect, and the data do not carry it.
    assert_eq!(Band::assured(0.808, 0.068), Band::Substantial);
    assert_eq!(Band::assured(0.1, 0.2), Band::Poor);
}

#[test]
fn differences_of_kappas() {
    let before = table(&[&[20, 5], &[10, 15]]);
    let after = table(&[&[24, 1], &[2, 23]]);
    let [first, second] = [&before, &after].map(|table| cohen_kappa(table, &nominal(2)));
    let found = independent_difference(&first, &second).defined().unwrap();
    let error = |kappa: &Kappa| kappa.estimate.standard_error.defined().unwrap();
    assert!((found.difference - 0.48).abs() < 1e-12);
    assert!((found.standard_error - error(&first).hypot(error(&second))).abs() < 1e-12);
    assert!(found.interval.low > 0.0 && found.p_two_sided < 0.01);
    // The same labels twice: no difference, and nothing that resampling could make of it.
    let labels = |table: &PairTable| -> Vec<(usize, usize)> {
        table.cells().flat_map(|(i, j, count)| (0..count).map(move |_| (i, j))).collect()
    };
    let same: Vec<PairedItem> =
        labels(&before).into_iter().map(|pair| PairedItem { before: pair, after: pair }).collect();
    let how = Bootstrap { resamples: 500, seed: 3 };
    let none = paired_difference(&same, &nominal(2), how).unwrap().defined().unwrap();
    assert_eq!((none.difference, none.standard_error, none.p_two_sided), (0.0, 0.0, 1.0));
    let both = labels(&before).into_iter().zip(labels(&after));
    let both: Vec<PairedItem> = both.map(|(before, after)| PairedItem { before, after }).collect();
    let paired = paired_difference(&both, &nominal(2), how).unwrap().defined().unwrap();
    assert!((paired.difference - 0.48).abs() < 1e-12);
    assert!(paired.interval.low > 0.0 && paired.interval.high < 1.0);
    assert!(paired.standard_error > 0.03 && paired.standard_error < 0.2, "{paired:?}");
}

#[test]
fn the_seed_decides_the_bootstrap() {
    let table = table(&[&[20, 5], &[10, 15]]);
    let of_seed = |seed| bootstrap_kappa(&table, &nominal(2), Bootstrap { resamples: 400, seed }, 0.95);
    assert_eq!(of_seed(1), of_seed(1));
    assert_ne!(of_seed(1), of_seed(2));
    let none = bootstrap_kappa(&table, &nominal(2), Bootstrap { resamples: 0, seed: 1 }, 0.95);
    assert_eq!(none, Value::Undefined(Reason::NoResamples));
}
