//! What belongs to the line under the cursor: its sentences, its categories, the relatives of its kappa.
//!
//! Promises: made once when the cursor comes to it, not for every picture; values that are undefined keep their reason.
//! Leaves to others: drawing.

use crate::agreement::remarks::{Subject, percent};
use crate::agreement::{
    Counts, Estimate, Interval, Metric, PairTable, Ratings, Reason, Value, Weights, bias_index, bowker,
    brennan_prediger, cohen_kappa, cohen_kappa_per_category, fleiss_kappa_per_category, gwet_ac, kappa_max,
    krippendorff_alpha, mcnemar, pabak, prevalence_index, scott_pi, specific_agreement, stuart_maxwell,
};
use crate::label::compare::Scope;
use crate::label::overview::{Coefficient, Line, Pair, Together, Who};
use crate::text::three;

/// What belongs to a line and some between whom it is looked at.
#[derive(Debug, Default)]
pub struct Detail {
    /// How often they agree.
    pub facts: Vec<String>,
    /// What has to be explained.
    pub remarks: Vec<String>,
    /// The convention.
    pub band: Option<String>,
    /// Statistics: name, value and what stands beside it.
    pub figures: Vec<Figure>,
    /// One for each category.
    pub categories: Vec<Category>,
    /// The cell with most items that differ.
    pub worst: (usize, usize),
}

/// A statistic.
#[derive(Debug)]
pub struct Figure {
    /// For people.
    pub name: String,
    /// The value, or why there is none.
    pub value: Result<String, String>,
    /// Interval and n.
    pub beside: String,
}

/// A category.
#[derive(Debug)]
pub struct Category {
    /// How often each of a pair used it; of more annotators how often all did together.
    pub used: Vec<u64>,
    /// How often both did.
    pub both: u64,
    /// Kappa of it against the rest.
    pub kappa: Value,
    /// Its interval.
    pub interval: Value<Interval>,
    /// Specific agreement.
    pub specific: Value,
}

impl Detail {
    /// Makes it.
    pub fn of(line: &Line, who: Who) -> Detail {
        let mut detail = match who {
            Who::Pair(number) => match line.pairs.get(number) {
                Some(pair) => of_pair(line, pair),
                None => Detail::default(),
            },
            Who::All => match &line.together {
                Some(together) => of_all(line, together),
                None => Detail::default(),
            },
        };
        if let Some(sentence) = scope(line) {
            detail.facts.insert(0, sentence.to_owned());
        }
        if line.stale > 0 {
            let noun = if line.stale == 1 { "label is" } else { "labels are" };
            detail.remarks.push(format!(
                "{} {noun} left out: given before the codebook changed the question, or not among its answers.",
                line.stale
            ));
        }
        detail
    }
}

/// On which items a question is read that is asked only after another.
fn scope(line: &Line) -> Option<&'static str> {
    match (line.conditional, line.scope) {
        (false, _) => None,
        (true, Scope::Asked) => {
            Some("Read on the items where all of their annotators were asked this question.")
        }
        (true, Scope::All) => {
            Some("Read on every item: not being asked the question is a category of its own.")
        }
    }
}

fn of_pair(line: &Line, pair: &Pair) -> Detail {
    let mut detail = Detail::default();
    let raters = line.names(pair);
    let one_sided = pair.only.first + pair.only.second;
    let sided = (one_sided > 0).then(|| {
        let [one, other] = raters;
        format!("By one only, and left out: {} {one}, {} {other}.", pair.only.first, pair.only.second)
    });
    let Some(table) = &pair.table else {
        if let Value::Defined(share) = pair.agreement {
            detail.facts.push(format!("They agree on {} of {} items.", percent(share), pair.joint));
        }
        detail.facts.extend(sided);
        detail.remarks.extend(without_value(&pair.main));
        detail.figures.push(figure(&pair.main));
        return detail;
    };
    let Ok(nominal) = Weights::nominal(table.categories()) else { return detail };
    let kappa = cohen_kappa(table, &nominal).estimate;
    let subject = Subject { table, categories: &line.categories, raters, kappa: &kappa };
    detail.facts.extend(subject.agreement());
    detail.facts.extend(sided);
    detail.remarks = subject.remarks();
    detail.band = subject.band();
    detail.worst = worst(table);
    figures_of_pair(&mut detail, line, pair, table, &nominal);
    let specific = specific_agreement(table);
    let kappas = cohen_kappa_per_category(table);
    for (place, kappa) in kappas.iter().enumerate() {
        detail.categories.push(Category {
            used: vec![table.rows()[place], table.columns()[place]],
            both: table.count(place, place),
            kappa: kappa.estimate.value,
            interval: kappa.normal_interval(0.95),
            specific: specific[place],
        });
    }
    detail
}

fn figures_of_pair(detail: &mut Detail, line: &Line, pair: &Pair, table: &PairTable, nominal: &Weights) {
    let all = &mut detail.figures;
    all.push(figure(&pair.main));
    if pair.main.name != "Cohen's kappa" {
        all.push(figure(&Coefficient::normal(
            "kappa of whole answers",
            cohen_kappa(table, nominal).estimate,
        )));
    }
    all.extend(pair.weighted.iter().map(figure));
    all.push(shared("percent agreement", pair.agreement, pair.joint));
    all.push(plain("largest kappa of these margins", kappa_max(table)));
    if table.categories() == 2 {
        let first = line.categories.first().map_or("?", String::as_str);
        all.push(plain(&format!("prevalence index of {first}"), prevalence_index(table)));
        all.push(plain("bias index", bias_index(table)));
        all.push(plain("PABAK", pabak(table)));
    } else {
        let spread = table.rows().iter().zip(table.columns()).map(|(row, column)| row + column);
        let most = spread.max().unwrap_or(0);
        let share = match table.total() {
            0 => Value::Undefined(Reason::NoJointItem),
            n => Value::Defined(most as f64 / (2 * n) as f64),
        };
        all.push(shared("share of the commonest category", share, table.total()));
    }
    // As the command line has it: the labels are a list of items, those with one label too.
    let row = |rater: usize| {
        line.labels.get(rater).map(|row| row.iter().map(|cell| cell.map(|cell| cell as usize)))
    };
    let rows: Vec<Vec<Option<usize>>> =
        pair.raters.iter().filter_map(|rater| Some(row(*rater)?.collect())).collect();
    let listed = Ratings::new(line.categories.len().max(1), rows).ok().filter(|listed| listed.items() > 0);
    let counts = listed.map_or_else(|| Counts::of_pair(table).as_items(), |listed| listed.counts());
    all.push(figure(&Coefficient::t("Gwet's AC1", gwet_ac(&counts, nominal))));
    if let Ok(alpha) = krippendorff_alpha(&counts, &Metric::Nominal) {
        all.push(figure(&Coefficient::t("Krippendorff's alpha", alpha)));
    }
    if line.ordered
        && let Ok(alpha) = krippendorff_alpha(&counts, &Metric::Ordinal)
    {
        all.push(figure(&Coefficient::t("alpha, ordinal", alpha)));
    }
    all.push(figure(&Coefficient::t("Scott's pi", scott_pi(table))));
    all.push(figure(&Coefficient::t("Brennan and Prediger", brennan_prediger(&counts, nominal))));
    if table.categories() == 2 {
        all.push(test("same margins? McNemar, exact", mcnemar(table), String::new()));
    } else {
        let of = |name, found: Value<crate::agreement::Symmetry>| {
            let words = found
                .defined()
                .map_or_else(String::new, |test| format!("chi² {:.2} on {}", test.statistic, test.degrees));
            test(name, found.map(|test| test.p), words)
        };
        all.push(of("same margins? Stuart-Maxwell", stuart_maxwell(table)));
        all.push(of("symmetric? Bowker", bowker(table)));
    }
}

fn of_all(line: &Line, together: &Together) -> Detail {
    let mut detail = Detail::default();
    let joint = together.joint;
    if let Value::Defined(share) = together.agreement {
        let text = format!(
            "Of the pairs of labels on {joint} items {} are equal (mean over items).",
            percent(share)
        );
        detail.facts.push(text);
    }
    if together.one_sided > 0 {
        detail.facts.push(format!("{} items have one label only and are left out.", together.one_sided));
    }
    detail.remarks.extend(without_value(&together.main));
    detail.figures.push(figure(&together.main));
    detail.figures.extend(together.others.iter().map(figure));
    detail.figures.push(shared("percent agreement", together.agreement, joint));
    let rows = line.labels.iter().map(|row| row.iter().map(|cell| cell.map(|cell| cell as usize)).collect());
    let Ok(ratings) = Ratings::new(line.categories.len().max(1), rows.collect()) else { return detail };
    let counts = ratings.counts();
    if counts.labels() == 0 {
        return detail;
    }
    let used = counts.by_category();
    for (place, kappa) in fleiss_kappa_per_category(&counts).iter().enumerate() {
        detail.categories.push(Category {
            used: vec![used[place]],
            both: 0,
            kappa: kappa.value,
            interval: kappa.t_interval(0.95),
            specific: Value::Undefined(Reason::NotTwoRaters),
        });
    }
    detail
}

/// Why a coefficient of something else than a table has no value.
fn without_value(main: &Coefficient) -> Option<String> {
    let n = main.estimate.items;
    let reason = main.estimate.value.why()?;
    Some(match reason {
        Reason::ExpectedAgreementIsOne | Reason::ExpectedDisagreementIsZero => format!(
            "{} is undefined: everybody always answered the same (n = {n}), and where only one answer occurs chance \
             alone agrees always.",
            main.name
        ),
        _ => format!("{} is undefined: {reason} (n = {n}).", main.name),
    })
}

fn figure(coefficient: &Coefficient) -> Figure {
    let Coefficient { name, estimate, interval } = coefficient;
    Figure { name: (*name).to_owned(), value: value(estimate), beside: beside(*interval, estimate.items) }
}

fn value(estimate: &Estimate) -> Result<String, String> {
    Result::from(estimate.value).map(three).map_err(|reason| reason.to_string())
}

fn beside(interval: Value<Interval>, n: u64) -> String {
    match interval {
        Value::Defined(Interval { low, high }) => format!("{} to {}  n {n}", three(low), three(high)),
        Value::Undefined(_) => format!("no interval  n {n}"),
    }
}

fn plain(name: &str, value: Value) -> Figure {
    let value = Result::from(value).map(three).map_err(|reason: Reason| reason.to_string());
    Figure { name: name.to_owned(), value, beside: String::new() }
}

fn shared(name: &str, value: Value, n: u64) -> Figure {
    let value = Result::from(value).map(percent).map_err(|reason: Reason| reason.to_string());
    Figure { name: name.to_owned(), value, beside: format!("n {n}") }
}

fn test(name: &str, p: Value, beside: String) -> Figure {
    let words = |p: f64| if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") };
    let value = Result::from(p).map(words).map_err(|reason: Reason| reason.to_string());
    Figure { name: name.to_owned(), value, beside }
}

/// The cell off the diagonal with most items; of a table without one the first cell.
fn worst(table: &PairTable) -> (usize, usize) {
    let apart = table.cells().filter(|(row, column, _)| row != column);
    // The first of equals.
    let mut most = ((0, 0), 0);
    for (row, column, count) in apart {
        if count > most.1 {
            most = ((row, column), count);
        }
    }
    most.0
}
