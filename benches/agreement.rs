//! What agreement costs: kappa with 10,000 resamples on 100,000 items, and all statistics of a round of 3,887 items and
//! three questions, in the library and as the command that reads them from a file. Medians of 15.
//!
//!     cargo bench --profile release --bench agreement
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod timing;

use mendbench::agreement::{
    Bootstrap, Metric, PairTable, Ratings, Weights, bootstrap_kappa, bowker, brennan_prediger, cohen_kappa,
    cohen_kappa_per_category, conger_kappa, fleiss_kappa, fleiss_kappa_per_category, gwet_ac, kappa_max,
    kappa_pairs, krippendorff_alpha, light_kappa, mcnemar, percent_agreement, scott_pi, specific_agreement,
    stuart_maxwell,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use timing::median;

const ROUNDS: usize = 15;
const QUESTIONS: [usize; 3] = [2, 4, 12];

/// Two raters who agree on about four of five items; one of a hundred is missing.
fn ratings(items: usize, categories: usize) -> Ratings {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut raters = vec![Vec::new(), Vec::new()];
    for _ in 0..items {
        let first = random.random_range(0..categories);
        let second = if random.random_bool(0.8) { first } else { random.random_range(0..categories) };
        for (rater, label) in raters.iter_mut().zip([first, second]) {
            rater.push(Some(label).filter(|_| random.random_bool(0.99)));
        }
    }
    Ratings::new(categories, raters).unwrap()
}

/// Everything that two raters and one question have.
fn everything(ratings: &Ratings) {
    let categories = ratings.categories();
    let (table, counts) = (ratings.pair(0, 1).unwrap(), ratings.counts());
    let nominal = Weights::nominal(categories).unwrap();
    for weights in [&nominal, &Weights::linear(categories).unwrap(), &Weights::quadratic(categories).unwrap()]
    {
        let kappa = cohen_kappa(&table, weights);
        black_box((kappa.normal_interval(0.95), kappa.test_against_zero()));
        black_box((
            fleiss_kappa(&counts, weights),
            gwet_ac(&counts, weights),
            brennan_prediger(&counts, weights),
        ));
        let pairs = kappa_pairs(ratings, weights).unwrap();
        black_box((light_kappa(&pairs), conger_kappa(ratings, weights)));
    }
    black_box((kappa_max(&table), cohen_kappa_per_category(&table), specific_agreement(&table)));
    black_box((scott_pi(&table), percent_agreement(&counts), fleiss_kappa_per_category(&counts)));
    black_box((mcnemar(&table), stuart_maxwell(&table), bowker(&table)));
    let values: Vec<f64> = (1..=categories).map(|value| value as f64).collect();
    for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval(values.clone()), Metric::Ratio(values)]
    {
        black_box(krippendorff_alpha(&counts, &metric).unwrap());
    }
    black_box(bootstrap_kappa(&table, &nominal, Bootstrap { resamples: 1_000, seed: 1 }, 0.95));
}

fn csv(rounds: &[Ratings]) -> String {
    let mut csv = "item,rater,label,question\n".to_owned();
    for (question, ratings) in rounds.iter().enumerate() {
        for (rater, name) in ["ann", "ben"].iter().enumerate() {
            for (item, label) in ratings.labels(rater).iter().enumerate() {
                if let Some(label) = label {
                    csv.push_str(&format!("i{item},{name},c{label},q{question}\n"));
                }
            }
        }
    }
    csv
}

fn main() {
    let table: PairTable = ratings(100_000, 12).pair(0, 1).unwrap();
    let weights = Weights::nominal(12).unwrap();
    let how = Bootstrap { resamples: 10_000, seed: 1 };
    let time = median(ROUNDS, || {
        let found = black_box(bootstrap_kappa(&table, &weights, how, 0.95));
        assert!(found.defined().is_some());
    });
    println!("kappa, 10,000 resamples, 100,000 items, 12 categories   {time:7.1} ms    at most 1000");
    let rounds: Vec<Ratings> = QUESTIONS.iter().map(|categories| ratings(3_887, *categories)).collect();
    let time = median(ROUNDS, || rounds.iter().for_each(everything));
    println!("all statistics, 3,887 items, 3 questions                {time:7.1} ms    at most 50");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ratings.csv");
    std::fs::write(&file, csv(&rounds)).unwrap();
    for (resamples, name) in [("0", "without resamples"), ("1000", "with 1,000 resamples")] {
        let time = median(ROUNDS, || {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mendbench"));
            command.args(["agreement", "--json", "--resamples", resamples, "--ratings"]).arg(&file);
            assert!(command.output().unwrap().status.success());
        });
        println!("the command, 3,887 items, 3 questions, {name:20} {time:5.1} ms");
    }
}
