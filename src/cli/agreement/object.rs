//! The findings as a JSON object: each statistic under its name, `null` with a `why` where there is none.

use super::findings::{Change, Finding, Findings, LEVEL, Refined};
use super::flags::Flags;
use super::study::Study;
use crate::agreement::{Band, Bootstrapped, Difference, Estimate, Interval, Kappa, PairKappa, Value};
use serde_json::{Map, Value as Json, json};

/// The object of a study.
pub fn object(flags: &Flags, study: &Study, found: &Findings) -> Json {
    let mut all = Map::new();
    all.insert("type".into(), json!("agreement"));
    all.insert("v".into(), json!(1));
    all.insert("question".into(), json!(study.question));
    all.insert("round".into(), json!(study.round));
    all.insert("n_items".into(), json!(found.items));
    all.insert("n_raters".into(), json!(found.raters));
    all.insert("raters".into(), json!(study.raters));
    all.insert("n_joint".into(), json!(found.joint));
    all.insert("n_one_sided".into(), json!(found.one_sided));
    if !found.only.is_empty() {
        let only: Map<String, Json> = found.only.iter().map(|(rater, n)| (rater.clone(), json!(n))).collect();
        all.insert("one_sided".into(), Json::Object(only));
    }
    all.insert("categories".into(), json!(study.categories));
    all.insert("declared".into(), json!(study.declared));
    all.insert("used".into(), json!(found.used));
    if let Some(values) = &study.values {
        all.insert("values".into(), json!(values));
    }
    if let Some(table) = &found.table {
        let size = table.categories();
        let row = |first: usize| (0..size).map(|second| table.count(first, second)).collect::<Vec<u64>>();
        all.insert("table".into(), json!((0..size).map(row).collect::<Vec<_>>()));
    }
    for (name, finding) in &found.all {
        let mut object = statistic(flags, study, finding);
        if let Finding::Value(value) | Finding::Bootstrap(_, value) = finding {
            explain(&mut object, study, found, *value);
        }
        if let Finding::Estimate(Estimate { value, .. }, _) = finding {
            explain(&mut object, study, found, *value);
        }
        if let Finding::Kappa(kappa, _) = finding {
            explain(&mut object, study, found, kappa.estimate.value);
        }
        all.insert(name.clone(), object);
    }
    Json::Object(all)
}

/// The reason in words that name what everybody answered.
fn explain(object: &mut Json, study: &Study, found: &Findings, value: Value) {
    if let Some(reason) = value.why() {
        object["why"] = json!(found.why(study, reason));
    }
}

fn statistic(flags: &Flags, study: &Study, finding: &Finding) -> Json {
    let mut out = Map::new();
    match finding {
        Finding::Value(value) => put(&mut out, "value", "why", *value),
        Finding::Estimate(estimate, refined) => {
            refine(&mut out, refined);
            of_estimate(&mut out, estimate);
            let interval = estimate.t_interval(LEVEL);
            put(&mut out, "se_gwet", "se_why", estimate.standard_error);
            put_interval(&mut out, "ci95", interval);
            put_interval(&mut out, "ci95_t", interval);
        }
        Finding::Kappa(kappa, refined) => {
            refine(&mut out, refined);
            of_kappa(&mut out, kappa);
        }
        Finding::Bootstrap(bootstrap, value) => of_bootstrap(&mut out, flags, *bootstrap, *value),
        Finding::List(values) => of_list(&mut out, values),
        Finding::Symmetry(symmetry) => {
            put(&mut out, "value", "why", symmetry.map(|test| test.statistic));
            out.insert("df".into(), json!(symmetry.map(|test| test.degrees).defined()));
            out.insert("p".into(), json!(symmetry.map(|test| test.p).defined()));
        }
        Finding::Pairs(pairs, refined) => {
            refine(&mut out, refined);
            out.insert("value".into(), pairs.iter().map(|pair| of_raters(study, pair)).collect());
        }
        Finding::Mean(mean) => {
            put(&mut out, "value", "why", mean.value);
            out.insert("n_labels".into(), json!(mean.labels));
        }
        Finding::Difference(change) => of_change(&mut out, flags, change),
    }
    Json::Object(out)
}

/// A number, or `null` and the reason under another key.
fn put(out: &mut Map<String, Json>, key: &str, why: &str, value: Value) {
    out.insert(key.into(), json!(value.defined()));
    if let Some(reason) = value.why() {
        out.insert(why.into(), json!(reason.to_string()));
    }
}

fn put_interval(out: &mut Map<String, Json>, key: &str, interval: Value<Interval>) {
    out.insert(key.into(), json!(interval.defined().map(|interval| [interval.low, interval.high])));
    if let Some(reason) = interval.why() {
        out.insert("ci95_why".into(), json!(reason.to_string()));
    }
}

fn refine(out: &mut Map<String, Json>, refined: &Refined) {
    match refined {
        Refined::Plain => None,
        Refined::Weights(name) => out.insert("weights".into(), json!(name)),
        Refined::Metric(name) => out.insert("metric".into(), json!(name)),
    };
}

fn of_estimate(out: &mut Map<String, Json>, estimate: &Estimate) {
    put(out, "value", "why", estimate.value);
    out.insert("observed".into(), json!(estimate.observed.defined()));
    out.insert("expected".into(), json!(estimate.expected.defined()));
    put(out, "se", "se_why", estimate.standard_error);
}

fn of_kappa(out: &mut Map<String, Json>, kappa: &Kappa) {
    of_estimate(out, &kappa.estimate);
    let test = kappa.test_against_zero();
    out.insert("se_null".into(), json!(kappa.null_standard_error.defined()));
    out.insert("z_null".into(), json!(test.map(|test| test.z).defined()));
    out.insert("p_two_sided".into(), json!(test.map(|test| test.p_two_sided).defined()));
    let interval = kappa.normal_interval(LEVEL);
    put_interval(out, "ci95", interval);
    put_interval(out, "ci95_normal", interval);
    put_interval(out, "ci95_t", kappa.t_interval(LEVEL));
    if let (Some(value), Some(error), Some(interval)) =
        (kappa.estimate.value.defined(), kappa.estimate.standard_error.defined(), interval.defined())
    {
        let band = json!({
            "convention": "Landis and Koch 1977",
            "low": Band::of(interval.low).as_str(),
            "high": Band::of(interval.high).as_str(),
            "assured": Band::assured(value, error).as_str(),
        });
        out.insert("band".into(), band);
    }
}

fn of_bootstrap(out: &mut Map<String, Json>, flags: &Flags, bootstrap: Value<Bootstrapped>, value: Value) {
    put(out, "value", "why", value);
    out.insert("se".into(), json!(bootstrap.map(|found| found.standard_error).defined()));
    put_interval(out, "ci95", bootstrap.map(|found| found.interval));
    out.insert("method".into(), json!("item resampling, percentile 2.5/97.5"));
    out.insert("resamples".into(), json!(flags.resamples));
    let undefined = bootstrap.map(|found| found.undefined_resamples);
    out.insert("undefined_resamples".into(), json!(undefined.defined().unwrap_or(flags.resamples)));
    out.insert("seed".into(), json!(flags.seed));
}

fn of_list(out: &mut Map<String, Json>, values: &[Value]) {
    out.insert("value".into(), values.iter().map(|value| json!(value.defined())).collect());
    if values.iter().any(|value| value.why().is_some()) {
        let why = |value: &Value| json!(value.why().map(|reason| reason.to_string()));
        out.insert("why".into(), values.iter().map(why).collect());
    }
}

fn of_raters(study: &Study, pair: &PairKappa) -> Json {
    let mut out = Map::new();
    out.insert("raters".into(), json!(pair.raters.map(|rater| study.raters.get(rater))));
    out.insert("n".into(), json!(pair.items));
    out.insert("n_one_sided".into(), json!([pair.one_sided.first, pair.one_sided.second]));
    out.insert("kappa".into(), json!(pair.kappa.estimate.value.defined()));
    of_kappa(&mut out, &pair.kappa);
    Json::Object(out)
}

fn of_change(out: &mut Map<String, Json>, flags: &Flags, change: &Change) {
    let of = |part: fn(Difference) -> f64| change.difference.map(part);
    put(out, "value", "why", of(|found| found.difference));
    out.insert("from_round".into(), json!(change.since));
    out.insert("se".into(), json!(of(|found| found.standard_error).defined()));
    put_interval(out, "ci95", change.difference.map(|found| found.interval));
    out.insert("p_two_sided".into(), json!(of(|found| found.p_two_sided).defined()));
    if change.paired {
        out.insert("method".into(), json!("same items, bootstrap"));
        out.insert("n".into(), json!(change.items));
        out.insert("resamples".into(), json!(flags.resamples));
        let undefined = change.difference.map(|found| found.undefined_resamples);
        out.insert("undefined_resamples".into(), json!(undefined.defined()));
        out.insert("seed".into(), json!(flags.seed));
    } else {
        out.insert("method".into(), json!("different items, normal"));
    }
}
