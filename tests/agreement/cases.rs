//! All cases of `shared/data/agreement/cases.json`, every entry, within the tolerances of its README.

use mendbench::agreement::*;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/agreement/cases.json");

/// Entries that must have been compared, and numbers in them.
const ENTRIES: usize = 712;

#[test]
fn every_entry_of_the_reference_cases_is_met() {
    let Ok(text) = std::fs::read_to_string(FILE) else {
        writeln!(std::io::stderr(), "skipped: the reference cases of agreement are not at hand").unwrap();
        return;
    };
    let file: Json = serde_json::from_str(&text).unwrap();
    let mut check = Check::default();
    for case in file["cases"].as_array().unwrap() {
        check.case = case["id"].as_str().unwrap().to_owned();
        let data = Data::read(case);
        for entry in case["expect"].as_array().unwrap() {
            check.entry(&data, entry);
        }
    }
    assert!(check.wrong.is_empty(), "{} wrong\n{}", check.wrong.len(), check.wrong.join("\n"));
    assert_eq!(check.entries, ENTRIES);
    assert!(check.numbers > 1_800, "{} numbers", check.numbers);
    writeln!(std::io::stderr(), "{} entries, {} numbers", check.entries, check.numbers).unwrap();
}

/// A case as our types.
struct Data {
    categories: usize,
    table: Option<PairTable>,
    ratings: Option<Ratings>,
    counts: Option<Counts>,
    sets: Option<SetRatings>,
    values: Option<Vec<f64>>,
}

impl Data {
    fn read(case: &Json) -> Data {
        let categories = case["categories"].as_u64().unwrap() as usize;
        let numbers = |row: &Json| row.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let rows = |rows: &Json| -> Vec<Vec<u64>> { rows.as_array().unwrap().iter().map(numbers).collect() };
        let kind = case["kind"].as_str().unwrap();
        let table = (kind == "pair_table").then(|| PairTable::new(&rows(&case["table"])).unwrap());
        let label = |label: &Json| label.as_u64().map(|label| label as usize);
        let ratings = (kind == "ratings").then(|| {
            let raters = case["ratings"].as_array().unwrap().iter();
            let raters = raters.map(|rater| rater.as_array().unwrap().iter().map(label).collect());
            Ratings::new(categories, raters.collect()).unwrap()
        });
        let set = |set: &Json| -> Option<BTreeSet<usize>> {
            Some(set.as_array()?.iter().map(|label| label.as_u64().unwrap() as usize).collect())
        };
        let sets = (kind == "sets").then(|| {
            let raters = case["ratings"].as_array().unwrap().iter();
            let raters = raters.map(|rater| rater.as_array().unwrap().iter().map(set).collect());
            SetRatings::new(categories, raters.collect()).unwrap()
        });
        let counts = match (&table, &ratings) {
            (Some(table), _) => Some(Counts::of_pair(table)),
            (_, Some(ratings)) => Some(ratings.counts()),
            _ if kind == "counts" => Some(Counts::new(categories, &rows(&case["counts"])).unwrap()),
            _ => None,
        };
        let values = case
            .get("values")
            .map(|values| values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect());
        Data { categories, table, ratings, counts, sets, values }
    }

    fn weights(&self, entry: &Json) -> Weights {
        match entry["weights"].as_str() {
            None | Some("none") => Weights::nominal(self.categories),
            Some("linear") => Weights::linear(self.categories),
            Some("quadratic") => Weights::quadratic(self.categories),
            Some("custom") => {
                let rows = entry["disagreement_weights"].as_array().unwrap().iter();
                let row = |row: &Json| row.as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
                Weights::custom(&rows.map(row).collect::<Vec<Vec<f64>>>())
            }
            Some(other) => panic!("weights {other}"),
        }
        .unwrap()
    }
}

/// What was compared and what was wrong.
#[derive(Default)]
struct Check {
    case: String,
    stat: String,
    wrong: Vec<String>,
    entries: usize,
    numbers: usize,
}

impl Check {
    fn entry(&mut self, data: &Data, entry: &Json) {
        let stat = entry["stat"].as_str().unwrap();
        let refined = entry.get("weights").or(entry.get("metric")).and_then(Json::as_str).unwrap_or("");
        self.stat = format!("{stat} {refined}");
        self.entries += 1;
        let weights = || data.weights(entry);
        let nominal = || Weights::nominal(data.categories).unwrap();
        let table = || data.table.as_ref().unwrap();
        let ratings = || data.ratings.as_ref().unwrap();
        let counts = || data.counts.as_ref().unwrap();
        let sets = || data.sets.as_ref().unwrap();
        match stat {
            "percent_agreement" => {
                self.value(entry, percent_agreement(counts()));
                self.count(entry, "n", data.table.as_ref().map_or(0, PairTable::total));
                self.count(entry, "n_items", counts().items());
            }
            "cohen_kappa" => self.kappa(entry, &cohen_kappa(table(), &weights())),
            "kappa_max" => self.value(entry, kappa_max(table())),
            "cohen_kappa_per_category" => {
                let kappas = cohen_kappa_per_category(table());
                self.list(entry, kappas.iter().map(|kappa| kappa.estimate.value).collect());
            }
            "specific_agreement_per_category" => self.list(entry, specific_agreement(table())),
            "scott_pi" => self.estimate(entry, &scott_pi(table())),
            "fleiss_kappa" => self.estimate(entry, &fleiss_kappa(counts(), &weights())),
            "fleiss_kappa_per_category" => {
                let estimates = fleiss_kappa_per_category(counts());
                self.list(entry, estimates.iter().map(|estimate| estimate.value).collect());
            }
            "conger_kappa" => self.estimate(entry, &conger_kappa(ratings(), &nominal())),
            "cohen_kappa_pairs" => {
                for (expected, pair) in
                    entry["value"].as_array().unwrap().iter().zip(kappa_pairs(ratings(), &nominal()).unwrap())
                {
                    self.count(expected, "n", pair.items);
                    assert_eq!(expected["raters"], serde_json::json!(pair.raters));
                    self.number(&expected["kappa"], pair.kappa.estimate.value, 1e-9, "kappa");
                }
            }
            "light_kappa" => self.value(entry, light_kappa(&kappa_pairs(ratings(), &nominal()).unwrap())),
            "brennan_prediger" => self.estimate(entry, &brennan_prediger(counts(), &nominal())),
            "gwet_ac1" => self.estimate(entry, &gwet_ac(counts(), &nominal())),
            "gwet_ac2" => self.estimate(entry, &gwet_ac(counts(), &weights())),
            "krippendorff_alpha" => {
                let values = || data.values.clone().unwrap();
                let metric = match refined {
                    "nominal" => Metric::Nominal,
                    "ordinal" => Metric::Ordinal,
                    "interval" => Metric::Interval(values()),
                    "ratio" => Metric::Ratio(values()),
                    other => panic!("metric {other}"),
                };
                self.estimate(entry, &krippendorff_alpha(counts(), &metric).unwrap());
            }
            "alpha_sets" => {
                let distance = match refined {
                    "exact_match" => SetDistance::ExactMatch,
                    "jaccard" => SetDistance::Jaccard,
                    "masi" => SetDistance::Masi,
                    other => panic!("metric {other}"),
                };
                self.value(entry, alpha_of_sets(sets(), distance).value);
            }
            "mean_masi_distance" => self.value(entry, mean_distance(sets(), SetDistance::Masi)),
            "mean_jaccard_distance" => self.value(entry, mean_distance(sets(), SetDistance::Jaccard)),
            "cohen_kappa_per_label" => {
                let kappas = kappa_per_label(sets()).unwrap();
                self.list(entry, kappas.iter().map(|kappa| kappa.estimate.value).collect());
            }
            "macro_kappa_defined_labels" => {
                let mean = mean_kappa_of_labels(&kappa_per_label(sets()).unwrap());
                self.value(entry, mean.value);
                self.count(entry, "n_labels", mean.labels as u64);
            }
            "prevalence_index" => self.value(entry, prevalence_index(table())),
            "bias_index" => self.value(entry, bias_index(table())),
            "pabak" => self.value(entry, pabak(table())),
            "mcnemar_exact_p" => self.number(&entry["value"], mcnemar(table()), 1e-6, "p"),
            "stuart_maxwell" => self.symmetry(entry, stuart_maxwell(table())),
            "bowker_symmetry" => self.symmetry(entry, bowker(table())),
            "bootstrap_cohen_kappa" => {
                let how = Bootstrap { resamples: 20_000, seed: 7 };
                let found = bootstrap_kappa(table(), &nominal(), how, 0.95).defined().unwrap();
                let tolerance = entry["tolerance"].as_f64().unwrap();
                self.within(&entry["se"], found.standard_error, tolerance, "se");
                self.within(&entry["ci95"][0], found.interval.low, tolerance, "ci95 low");
                self.within(&entry["ci95"][1], found.interval.high, tolerance, "ci95 high");
                // As many of a tenth of the resamples, give or take four standard deviations.
                let wanted = entry["undefined_resamples"].as_f64().unwrap() / 10.0;
                let found = f64::from(found.undefined_resamples);
                self.that(
                    (found - wanted).abs() <= 4.0 * wanted.sqrt(),
                    "undefined_resamples",
                    wanted,
                    found,
                );
            }
            other => panic!("statistic {other}"),
        }
    }

    fn kappa(&mut self, entry: &Json, kappa: &Kappa) {
        self.value(entry, kappa.estimate.value);
        let test = kappa.test_against_zero();
        let numbers: BTreeMap<&str, (Value, f64)> = BTreeMap::from([
            ("observed", (kappa.estimate.observed, 1e-9)),
            ("expected", (kappa.estimate.expected, 1e-9)),
            ("se", (kappa.estimate.standard_error, 1e-9)),
            ("se_null", (kappa.null_standard_error, 1e-9)),
            ("z_null", (test.map(|test| test.z), 1e-9)),
            ("p_two_sided", (test.map(|test| test.p_two_sided), 1e-6)),
        ]);
        for (name, (value, tolerance)) in numbers {
            if let Some(wanted) = entry.get(name) {
                self.number(wanted, value, tolerance, name);
            }
        }
        if entry["se"] == 0.0 {
            let none = kappa.normal_interval(0.95).why();
            self.that(none == Some(Reason::NoSpread), "no interval without spread", 0.0, 0.0);
        }
        self.interval(entry, "ci95_normal", kappa.normal_interval(0.95));
        self.interval(entry, "ci95_t", kappa.t_interval(0.95));
    }

    fn estimate(&mut self, entry: &Json, estimate: &Estimate) {
        self.value(entry, estimate.value);
        if let Some(wanted) = entry.get("expected") {
            self.number(wanted, estimate.expected, 1e-9, "expected");
        }
        if let Some(wanted) = entry.get("se_gwet") {
            // One is what rounding left of 0 (`syn-never-agree-3`); its interval rests on that.
            if wanted.as_f64().unwrap() < 1e-6 {
                self.number(wanted, estimate.standard_error, 1e-6, "se_gwet");
                self.that(estimate.t_interval(0.95).why() == Some(Reason::NoSpread), "no interval", 0.0, 0.0);
                return;
            }
            self.number(wanted, estimate.standard_error, 1e-9, "se_gwet");
        }
        self.interval(entry, "ci95_t", estimate.t_interval(0.95));
    }

    fn symmetry(&mut self, entry: &Json, found: Value<Symmetry>) {
        self.number(&entry["value"], found.map(|test| test.statistic), 1e-9, "value");
        self.number(&entry["p"], found.map(|test| test.p), 1e-6, "p");
        self.number(&entry["df"], found.map(|test| test.degrees as f64), 0.0, "df");
    }

    fn interval(&mut self, entry: &Json, name: &str, found: Value<Interval>) {
        if let Some(wanted) = entry.get(name) {
            self.number(&wanted[0], found.map(|interval| interval.low), 1e-9, name);
            self.number(&wanted[1], found.map(|interval| interval.high), 1e-9, name);
        }
    }

    fn list(&mut self, entry: &Json, found: Vec<Value>) {
        let wanted = entry["value"].as_array().unwrap();
        self.that(wanted.len() == found.len(), "length", wanted.len() as f64, found.len() as f64);
        for (wanted, found) in wanted.iter().zip(found) {
            self.number(wanted, found, 1e-9, "value");
        }
    }

    fn value(&mut self, entry: &Json, found: Value) {
        self.number(&entry["value"], found, 1e-9, "value");
    }

    fn count(&mut self, entry: &Json, name: &str, found: u64) {
        if let Some(wanted) = entry.get(name) {
            let found = Value::Defined(found as f64);
            self.number(wanted, found, 0.0, name);
        }
    }

    /// A number, or null where the value is undefined.
    fn number(&mut self, wanted: &Json, found: Value, tolerance: f64, name: &str) {
        match (wanted.as_f64(), found) {
            (Some(wanted), Value::Defined(found)) => {
                let near = (found - wanted).abs() <= tolerance * wanted.abs().max(1.0);
                self.that(near && found.is_finite(), name, wanted, found);
            }
            (None, Value::Undefined(_)) if wanted.is_null() => self.numbers += 1,
            _ => self
                .wrong
                .push(format!("{} {} {name}: wanted {wanted}, found {found:?}", self.case, self.stat)),
        }
    }

    fn within(&mut self, wanted: &Json, found: f64, tolerance: f64, name: &str) {
        let wanted = wanted.as_f64().unwrap();
        self.that((found - wanted).abs() <= tolerance, name, wanted, found);
    }

    fn that(&mut self, right: bool, name: &str, wanted: f64, found: f64) {
        self.numbers += 1;
        if !right {
            self.wrong.push(format!("{} {} {name}: wanted {wanted}, found {found}", self.case, self.stat));
        }
    }
}
