//! The findings as a short report for people.
//!
//! Numbers stand with their interval and their n; what is undefined says why; a band of Landis and Koch stands
//! beside the interval only and is called a convention.

use super::findings::{Change, Finding, Findings, LEVEL, Refined};
use super::flags::Flags;
use super::study::{Data, Study};
use crate::agreement::remarks::{bands, rough};
use crate::agreement::{Estimate, Interval, PairKappa, PairTable, Reason, Symmetry, Value};
use crate::cli::{Failure, Output};
use crate::label::round::called;
use crate::text::counted;
use crate::text::three;
use crate::text::{pad, pad_start, truncate, width};
use crate::theme::Role;

/// Column of the names of statistics.
const NAMES: usize = 32;
/// Widest confusion table, in categories.
const WIDEST_TABLE: usize = 12;
/// Most pairs of raters that are listed.
const MOST_PAIRS: usize = 45;

/// Prints the report of a study.
pub fn print(flags: &Flags, study: &Study, found: &Findings, output: &mut Output) -> Result<(), Failure> {
    heading(study, found, output)?;
    let mut line = |name: &str, text: String| -> Result<(), Failure> {
        output.styled(&[("  ", Role::Text), (&pad(name, NAMES), Role::TextDim), (&text, Role::Text)])
    };
    let undefined = |value: &Value| undefined(value, |reason| found.why(study, reason));
    let weighted = matches!(study.scheme.as_str(), "linear" | "quadratic");
    for (name, finding) in in_order(found) {
        match (name, finding) {
            ("cohen_kappa", Finding::Kappa(kappa, refined)) => {
                let interval = kappa.normal_interval(LEVEL);
                let title = format!("Cohen's kappa{}", words(refined));
                let value = kappa.estimate.value;
                line(&title, format!("{}{}", undefined(&value), beside(&kappa.estimate, interval)))?;
                if let (Some(value), Some(error), Some(interval)) =
                    (value.defined(), kappa.estimate.standard_error.defined(), interval.defined())
                {
                    line("", format!("by Landis and Koch's convention {}", bands(value, error, interval)))?;
                }
                if let Some(words) = interval.defined().and_then(|ends| rough(kappa.estimate.items, ends)) {
                    line("", words)?;
                }
                if let Some(test) = kappa.test_against_zero().defined() {
                    line("", format!("against 0: z {:.2}, {}", test.z, p(test.p_two_sided)))?;
                }
            }
            (_, Finding::Bootstrap(Value::Defined(bootstrap), _)) => {
                let skipped = match bootstrap.undefined_resamples {
                    0 => String::new(),
                    count => format!(", {} left out as undefined", counted(count, "resample")),
                };
                let text = format!(
                    "bootstrap {}  ({} resamples, seed {}{skipped})",
                    range(bootstrap.interval),
                    flags.resamples,
                    flags.seed
                );
                line("", text)?;
            }
            (_, Finding::Difference(change)) => {
                line(&format!("since {}", called(&change.since)), difference(change))?
            }
            (name, Finding::Value(value)) => {
                let text = match (name, value) {
                    ("mcnemar_exact_p", Value::Defined(probability)) => p(*probability),
                    ("cohen_kappa", _) => continue,
                    _ => undefined(value),
                };
                line(title(name), text)?;
            }
            // The one under the bare name is told as that metric already.
            ("alpha_sets_masi", _) => {}
            (name, Finding::Estimate(_, Refined::Metric(metric)))
                if *metric == flags.metric.as_str() && name.ends_with(&format!("_{metric}")) => {}
            ("krippendorff_alpha_ordinal", _) if !weighted && study.values.is_none() => {}
            // With two categories these say what McNemar's test says.
            ("stuart_maxwell" | "bowker_symmetry", _) if study.categories.len() <= 2 => {}
            // Of two raters who left nothing out these are Scott's and Cohen's.
            ("fleiss_kappa", Finding::Estimate(_, Refined::Weights(name)))
                if found.table.is_some() && name == "none" && found.one_sided == 0 => {}
            ("conger_kappa", Finding::Estimate(..)) if found.table.is_some() && found.one_sided == 0 => {}
            (name, Finding::Estimate(estimate, refined)) => {
                let text =
                    format!("{}{}", undefined(&estimate.value), beside(estimate, estimate.t_interval(LEVEL)));
                line(&format!("{}{}", title(name), words(refined)), text)?;
            }
            (name, Finding::Symmetry(test)) => line(title(name), symmetry(test))?,
            (name, Finding::Mean(mean)) => {
                let text =
                    format!("{}  over {}", undefined(&mean.value), counted(mean.labels as u64, "label"));
                line(title(name), text)?;
            }
            _ => {}
        }
    }
    if let Some(table) = &found.table {
        confusion(study, table, output)?;
    }
    categories(study, found, output)?;
    if let Some(Finding::Pairs(all, refined)) = found.get("cohen_kappa_pairs")
        && study.raters.len() > 2
    {
        pairs(study, all, refined, output)?;
    }
    Ok(())
}

fn heading(study: &Study, found: &Findings, output: &mut Output) -> Result<(), Failure> {
    let title = match (&study.question, &study.round) {
        (Some(question), Some(round)) => format!("{question}, {}", called(round)),
        (Some(question), None) => question.clone(),
        (None, Some(round)) => called(round),
        (None, None) => "agreement".to_owned(),
    };
    output.styled(&[(&title, Role::Accent)])?;
    let raters = match study.raters.as_slice() {
        [] => format!("up to {} an item", counted(found.raters, "label")),
        names => {
            let shown: Vec<String> =
                names.iter().take(12).map(|name| truncate(name, 40).into_owned()).collect();
            let more = if names.len() > shown.len() { ", …" } else { "" };
            format!("{}: {}{more}", counted(found.raters, "rater"), shown.join(", "))
        }
    };
    output.line(&format!("  {raters}"))?;
    let both = if study.raters.len() == 2 { "labelled by both" } else { "with two labels or more" };
    let one = if study.raters.len() == 2 { "by one only" } else { "with one label" };
    let mut items =
        format!("{}: {} {both}, {} {one}", counted(found.items, "item"), found.joint, found.one_sided);
    if found.one_sided > 0 && !found.only.is_empty() {
        let each: Vec<String> =
            found.only.iter().map(|(rater, count)| format!("{} {count}", truncate(rater, 40))).collect();
        items.push_str(&format!(" ({})", each.join(", ")));
    }
    let none = found.items.saturating_sub(found.joint + found.one_sided);
    if none > 0 {
        items.push_str(&format!(", {none} without a label"));
    }
    output.line(&format!("  {items}"))?;
    let names: Vec<String> =
        study.categories.iter().take(12).map(|name| truncate(name, 40).into_owned()).collect();
    let more = if study.categories.len() > names.len() { ", …" } else { "" };
    let count = study.categories.len();
    let noun = match (matches!(study.data, Data::Sets(_)), count) {
        (true, 1) => "label",
        (true, _) => "labels",
        (false, 1) => "category",
        (false, _) => "categories",
    };
    let found = if study.declared { "" } else { " (those found; --categories declares them)" };
    output.line(&format!("  {count} {noun}: {}{more}{found}", names.join(", ")))?;
    output.line("")
}

/// The statistics in the order in which they are read: kappa, what it is made of, its relatives.
fn in_order(found: &Findings) -> Vec<(&str, &Finding)> {
    const FIRST: [&str; 8] = [
        "cohen_kappa",
        "bootstrap_cohen_kappa",
        "kappa_difference",
        "percent_agreement",
        "kappa_max",
        "prevalence_index",
        "bias_index",
        "pabak",
    ];
    let mut all: Vec<(&str, &Finding)> =
        found.all.iter().map(|(name, finding)| (name.as_str(), finding)).collect();
    all.sort_by_key(|(name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    all
}

fn undefined(value: &Value, why: impl Fn(Reason) -> String) -> String {
    match value {
        Value::Defined(value) => three(*value),
        Value::Undefined(reason) => format!("undefined: {}", why(*reason)),
    }
}

fn p(probability: f64) -> String {
    if probability < 0.001 { "p < 0.001".to_owned() } else { format!("p = {probability:.3}") }
}

fn range(interval: Interval) -> String {
    format!("95 % {} to {}", three(interval.low), three(interval.high))
}

/// Interval, standard error and n behind a value.
fn beside(estimate: &Estimate, interval: Value<Interval>) -> String {
    if estimate.value.why().is_some() {
        return String::new();
    }
    let n = format!("n {}", estimate.items);
    match (interval, estimate.standard_error) {
        (Value::Defined(interval), Value::Defined(error)) => {
            format!("  {}  se {}  {n}", range(interval), three(error))
        }
        (Value::Undefined(reason), _) | (_, Value::Undefined(reason)) => {
            format!("  no interval ({reason})  {n}")
        }
    }
}

fn symmetry(test: &Value<Symmetry>) -> String {
    match test {
        Value::Defined(test) => {
            format!("chi² {:.2} on {}, {}", test.statistic, counted(test.degrees, "degree"), p(test.p))
        }
        Value::Undefined(reason) => format!("undefined: {reason}"),
    }
}

fn difference(change: &Change) -> String {
    let how = match change.paired {
        true => format!("{} in both rounds, bootstrap", counted(change.items, "item")),
        false => "different items".to_owned(),
    };
    match change.difference {
        Value::Defined(found) => {
            let sign = if found.difference > 0.0 { "+" } else { "" };
            let (value, reach) = (three(found.difference), range(found.interval));
            format!("kappa {sign}{value}  {reach}  {}  ({how})", p(found.p_two_sided))
        }
        Value::Undefined(reason) => format!("undefined: {reason} ({how})"),
    }
}

fn words(refined: &Refined) -> String {
    match refined {
        Refined::Weights(name) if name != "none" => format!(", {name}"),
        Refined::Metric(name) => format!(", {}", name.replace('_', " ")),
        _ => String::new(),
    }
}

/// What a statistic is called.
fn title(name: &str) -> &'static str {
    match name {
        "percent_agreement" => "percent agreement",
        "kappa_max" => "largest kappa of these margins",
        "scott_pi" => "Scott's pi",
        "fleiss_kappa" => "Fleiss' kappa",
        "conger_kappa" => "Conger's kappa",
        "cohen_kappa" => "Cohen's kappa",
        "light_kappa" => "Light's mean kappa of pairs",
        "brennan_prediger" => "Brennan and Prediger",
        "gwet_ac1" => "Gwet's AC1",
        "gwet_ac2" => "Gwet's AC2",
        "prevalence_index" => "prevalence index",
        "bias_index" => "bias index",
        "pabak" => "PABAK",
        "mcnemar_exact_p" => "same margins? McNemar, exact",
        "stuart_maxwell" => "same margins? Stuart-Maxwell",
        "bowker_symmetry" => "symmetric? Bowker",
        "mean_masi_distance" => "mean MASI distance",
        "mean_jaccard_distance" => "mean Jaccard distance",
        "macro_kappa_defined_labels" => "mean kappa of labels",
        name if name.starts_with("alpha_sets") => "alpha of sets",
        name if name.starts_with("krippendorff") => "Krippendorff's alpha",
        _ => "",
    }
}

/// The confusion table, with the names of the raters.
fn confusion(study: &Study, table: &PairTable, output: &mut Output) -> Result<(), Failure> {
    let size = table.categories();
    let [first, second] = study.raters.as_slice() else { return Ok(()) };
    if size > WIDEST_TABLE {
        return output.line(&format!("\n  the table of {size} categories is in --json").replace('\n', ""));
    }
    let name = |category: usize| study.categories.get(category).map_or("", String::as_str);
    let head = (0..size).map(|category| width(name(category))).max().unwrap_or(0).max(width(first)).min(24);
    let column = |category: usize| {
        let digits = (0..size).map(|row| table.count(row, category).to_string().len()).max().unwrap_or(1);
        width(name(category)).clamp(4, 14).max(digits)
    };
    output.line("")?;
    output.line(&format!("  {} {}", pad("", head), truncate(second, 40)))?;
    let names: Vec<String> = (0..size).map(|category| pad_start(name(category), column(category))).collect();
    output.line(&format!("  {} {}", pad(first, head), names.join(" ")))?;
    for row in 0..size {
        let counts: Vec<String> = (0..size)
            .map(|category| pad_start(&table.count(row, category).to_string(), column(category)))
            .collect();
        output.line(&format!("  {} {}", pad(name(row), head), counts.join(" ")))?;
    }
    Ok(())
}

/// Each category with its use, its kappa and its specific agreement.
fn categories(study: &Study, found: &Findings, output: &mut Output) -> Result<(), Failure> {
    let list = |name: &str| match found.get(name) {
        Some(Finding::List(values)) => Some(values),
        _ => None,
    };
    let kappas = list("cohen_kappa_per_category")
        .or(list("fleiss_kappa_per_category"))
        .or(list("cohen_kappa_per_label"));
    let specific = list("specific_agreement_per_category");
    let Some(kappas) = kappas else { return Ok(()) };
    let head = study.categories.iter().map(|name| width(name)).max().unwrap_or(0).clamp(8, 24);
    output.line("")?;
    let what = if matches!(study.data, Data::Sets(_)) { "label" } else { "category" };
    let last = if specific.is_some() { "  specific" } else { "" };
    output.line(&format!(
        "  {} {} {}{last}",
        pad(what, head),
        pad_start("used", 8),
        pad_start("kappa", 9)
    ))?;
    for (place, name) in study.categories.iter().enumerate() {
        let number = |values: Option<&Vec<Value>>| match values.and_then(|values| values.get(place)) {
            Some(Value::Defined(value)) => three(*value),
            _ => "undefined".to_owned(),
        };
        let used = found.used.get(place).copied().unwrap_or(0);
        let mut text = format!(
            "  {} {} {}",
            pad(name, head),
            pad_start(&used.to_string(), 8),
            pad_start(&number(Some(kappas)), 9)
        );
        if specific.is_some() {
            text.push_str(&pad_start(&number(specific), 10));
        }
        output.line(&text)?;
    }
    Ok(())
}

/// Every pair of raters.
fn pairs(study: &Study, all: &[PairKappa], refined: &Refined, output: &mut Output) -> Result<(), Failure> {
    let name = |pair: &PairKappa| {
        let rater = |at: usize| pair.raters.get(at).and_then(|rater| study.raters.get(*rater));
        let rater = |at: usize| rater(at).map_or(String::new(), |name| truncate(name, 20).into_owned());
        format!("{} and {}", rater(0), rater(1))
    };
    let head = all.iter().take(MOST_PAIRS).map(|pair| width(&name(pair))).max().unwrap_or(0).clamp(8, 45);
    output.line("")?;
    output.line(&format!("  Cohen's kappa of pairs{}", words(refined)))?;
    for pair in all.iter().take(MOST_PAIRS) {
        let kappa = &pair.kappa;
        let value = undefined(&kappa.estimate.value, |reason| reason.to_string());
        let beside = beside(&kappa.estimate, kappa.normal_interval(LEVEL));
        let one = pair.one_sided;
        output.line(&format!(
            "  {}  {value}{beside}  one only {} + {}",
            pad(&name(pair), head),
            one.first,
            one.second
        ))?;
    }
    if all.len() > MOST_PAIRS {
        output.line(&format!("  and {} more pairs, in --json", all.len() - MOST_PAIRS))?;
    }
    Ok(())
}
