//! Agreement on each question of a study, as its exports tell it.
//!
//! Promises: each number has its n, its interval or the reason why there is none; blind, revised and adjudicated
//! labels apart; what is undefined has a reason in words.
//! Leaves to others: the formulas (`agreement`), everything that a full report of agreement has (`cli`).

use super::sheets::{Sheet, Sheets};
use super::{Answer, Form, Name, Place, Stage, Study, StudyQuestion};
use crate::agreement::{
    self, AgreementError, Counts, Estimate, Interval, Metric, PairTable, Ratings, Reason, SetDistance,
    SetRatings, Weights, alpha_of_sets, bias_index, cohen_kappa, fleiss_kappa, gwet_ac, kappa_max,
    kappa_per_label, krippendorff_alpha, mean_kappa_of_labels, pabak, percent_agreement, prevalence_index,
};
use crate::label::value::{Finite, NOT_APPLICABLE, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Level of all intervals.
const LEVEL: f64 = 0.95;

/// Up to here all pairs of annotators are told, also those without a common item.
const FEW: usize = 10;

/// On which items a question is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    /// All: the question is asked of every item.
    Plain,
    /// Those for which nobody was ruled out by an earlier answer.
    WhereAsked,
    /// All, and not being asked is a category of its own.
    WithNotApplicable,
}

impl Reading {
    /// Its word in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Reading::Plain => "all",
            Reading::WhereAsked => "where-asked",
            Reading::WithNotApplicable => "with-not-applicable",
        }
    }

    /// For people, behind the question.
    pub const fn words(self) -> &'static str {
        match self {
            Reading::Plain => "all items",
            Reading::WhereAsked => "items where it was asked of all",
            Reading::WithNotApplicable => "all items, \"not applicable\" as a category",
        }
    }
}

/// Between whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raters {
    /// Two annotators.
    Pair(Name, Name),
    /// All of them together, not told apart.
    All(Vec<Name>),
}

/// Agreement on one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Round, stage and question.
    pub place: Place,
    /// On which items.
    pub reading: Reading,
    /// Between whom.
    pub raters: Raters,
    /// The categories; for numbers none.
    pub categories: Vec<String>,
    /// Items that somebody of them labelled.
    pub items: u64,
    /// Items that at least two of them labelled.
    pub joint: u64,
    /// Items that only one of them labelled.
    pub one_sided: u64,
    /// Items that had been labelled in an earlier round already.
    pub seen_before: u64,
    /// The statistics, the most important first.
    pub statistics: Vec<Statistic>,
}

/// A number, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistic {
    /// Its name, as `mendbench agreement` has it.
    pub name: &'static str,
    /// For people.
    pub words: &'static str,
    /// The value, finite.
    pub value: Result<f64, String>,
    /// The 95 % interval; none where the statistic has none.
    pub interval: Option<Result<Interval, String>>,
}

impl Measured {
    /// Whether nobody had spoken about the items before.
    pub fn is_independent(&self) -> bool {
        self.place.stage == Stage::Blind && self.seen_before == 0
    }

    /// The statistic with a name.
    pub fn get(&self, name: &str) -> Option<&Statistic> {
        self.statistics.iter().find(|statistic| statistic.name == name)
    }
}

/// Measures every question that counts, in every round and at every stage but the arbitrator's, whose labels nobody
/// gave a second time.
pub fn measure(study: &Study) -> Vec<Measured> {
    let sheets = Sheets::of(study);
    let mut all = Vec::new();
    for (place, sheet) in sheets.places().filter(|(place, _)| place.stage != Stage::Adjudicated) {
        let Some(question) = study.question(&place.question).filter(|question| question.counts) else {
            continue;
        };
        if question.form == Form::Texts {
            continue;
        }
        let readings: &[Reading] = match question.conditional {
            true => &[Reading::WhereAsked, Reading::WithNotApplicable],
            false => &[Reading::Plain],
        };
        for reading in readings {
            let names = sheet.annotators();
            for (first, second) in pairs(sheet) {
                let raters = Raters::Pair(names[first].clone(), names[second].clone());
                all.push(measured(place, question, *reading, raters, sheet, &[names[first], names[second]]));
            }
            if names.len() != 2 {
                let raters = Raters::All(names.iter().map(|name| Name::clone(name)).collect());
                all.push(measured(place, question, *reading, raters, sheet, names));
            }
        }
    }
    all
}

/// The pairs of annotators, by number.
fn pairs(sheet: &Sheet<'_>) -> Vec<(usize, usize)> {
    let names = sheet.annotators();
    let mut pairs = BTreeSet::new();
    if names.len() <= FEW {
        pairs.extend((0..names.len()).flat_map(|one| (one + 1..names.len()).map(move |other| (one, other))));
    } else {
        let number: HashMap<&Name, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        for (_, cells) in sheet.items() {
            let mut here: Vec<usize> =
                cells.iter().filter_map(|(name, _)| number.get(name).copied()).collect();
            here.sort_unstable();
            for (at, one) in here.iter().enumerate() {
                pairs.extend(here[at + 1..].iter().map(|other| (*one, *other)));
            }
        }
    }
    pairs.into_iter().collect()
}

/// By rater and item.
type Cells<'a> = Vec<Vec<Option<&'a Answer>>>;

fn measured(
    place: &Place,
    question: &StudyQuestion,
    reading: Reading,
    raters: Raters,
    sheet: &Sheet<'_>,
    names: &[&Name],
) -> Measured {
    let mut cells: Cells<'_> = vec![Vec::new(); names.len()];
    let (mut items, mut joint, mut one_sided) = (0, 0, 0);
    let number: HashMap<&Name, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    for (_, given) in sheet.items() {
        let mut row = vec![None; names.len()];
        let mut ruled_out = false;
        for (name, answer) in given {
            let Some(at) = number.get(name) else { continue };
            match (answer, reading) {
                (Answer::NotApplicable, Reading::WithNotApplicable) | (Answer::Value(_), _) => {
                    row[*at] = Some(*answer);
                }
                (Answer::NotApplicable, Reading::WhereAsked | Reading::Plain) => ruled_out = true,
            }
        }
        let labels = row.iter().flatten().count();
        if ruled_out || labels == 0 {
            continue;
        }
        items += 1;
        joint += u64::from(labels > 1);
        one_sided += u64::from(labels == 1);
        // What one annotator alone has labelled says nothing about agreement.
        if labels > 1 {
            for (cells, answer) in cells.iter_mut().zip(row) {
                cells.push(answer);
            }
        }
    }
    let mut categories = question.categories.clone();
    if reading == Reading::WithNotApplicable {
        categories.push(NOT_APPLICABLE.to_owned());
    }
    let statistics = match &question.form {
        Form::Sets => sets(&categories, &cells),
        Form::Numbers => numbers(&cells, reading),
        form => names_of(form, &categories, reading, &cells),
    };
    let statistics = statistics.unwrap_or_else(|error| {
        let value = Err(error.to_string());
        vec![Statistic { name: "cohen_kappa", words: "agreement", value, interval: None }]
    });
    if question.form == Form::Numbers {
        categories.clear();
    }
    let (place, seen_before) = (place.clone(), sheet.seen_before);
    Measured { place, reading, raters, categories, items, joint, one_sided, seen_before, statistics }
}

/// Why there is no value, with what everybody answered where that is the reason.
fn why(reason: Reason, only: Option<&str>) -> String {
    match (reason, only) {
        (Reason::ExpectedAgreementIsOne | Reason::ExpectedDisagreementIsZero, Some(only)) => {
            format!("{reason}: everyone always answered `{only}`")
        }
        _ => reason.to_string(),
    }
}

struct Telling<'a> {
    only: Option<&'a str>,
    all: Vec<Statistic>,
}

impl Telling<'_> {
    fn value(&mut self, name: &'static str, words: &'static str, value: agreement::Value) {
        let value = Result::from(value).map_err(|reason| why(reason, self.only));
        self.all.push(Statistic { name, words, value, interval: None });
    }

    fn estimate(&mut self, name: &'static str, words: &'static str, estimate: Estimate, normal: bool) {
        let interval = match normal {
            true => estimate.normal_interval(LEVEL),
            false => estimate.t_interval(LEVEL),
        };
        let told = |reason| why(reason, self.only);
        let value = Result::from(estimate.value).map_err(told);
        let interval = Some(Result::from(interval).map_err(told));
        self.all.push(Statistic { name, words, value, interval });
    }
}

/// Questions with one answer.
fn names_of(
    form: &Form,
    categories: &[String],
    reading: Reading,
    cells: &Cells<'_>,
) -> Result<Vec<Statistic>, AgreementError> {
    let number: HashMap<&str, usize> =
        categories.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let category = |answer: &Answer| match answer {
        Answer::Value(Value::One(id)) => number.get(id.as_str()).copied(),
        Answer::NotApplicable => number.get(NOT_APPLICABLE).copied(),
        Answer::Value(_) => None,
    };
    let labels: Vec<Vec<Option<usize>>> =
        cells.iter().map(|cells| cells.iter().map(|cell| cell.and_then(category)).collect()).collect();
    let ratings = Ratings::new(categories.len(), labels)?;
    let counts = ratings.counts();
    let mut used = counts.by_category().into_iter().enumerate().filter(|(_, count)| *count > 0);
    let only = match (used.next(), used.next()) {
        (Some((only, _)), None) => categories.get(only).map(String::as_str),
        _ => None,
    };
    let nominal = Weights::nominal(categories.len())?;
    let mut told = Telling { only, all: Vec::new() };
    // A category that stands outside of the scale or the tree has no distance to the others.
    let weighted = match form {
        _ if reading == Reading::WithNotApplicable => None,
        Form::Ordinal => Some(vec![
            ("cohen_kappa_linear", "weighted kappa (linear)", Weights::linear(categories.len())?),
            ("cohen_kappa_quadratic", "weighted kappa (quadratic)", Weights::quadratic(categories.len())?),
        ]),
        Form::Hierarchy(paths) => {
            Some(vec![("cohen_kappa_taxonomy", "weighted kappa (taxonomy)", Weights::taxonomy(paths)?)])
        }
        _ => None,
    };
    if ratings.raters() == 2 {
        let table: PairTable = ratings.pair(0, 1)?;
        told.estimate("cohen_kappa", "Cohen's kappa", cohen_kappa(&table, &nominal).estimate, true);
        for (name, words, weights) in weighted.iter().flatten() {
            told.estimate(name, words, cohen_kappa(&table, weights).estimate, true);
        }
        told.value("percent_agreement", "agreement", percent_agreement(&Counts::of_pair(&table)));
        told.estimate("gwet_ac1", "Gwet's AC1", gwet_ac(&counts, &nominal), false);
        told.value("kappa_max", "largest kappa that the margins allow", kappa_max(&table));
        if categories.len() == 2 {
            told.value("prevalence_index", "prevalence index", prevalence_index(&table));
            told.value("bias_index", "bias index", bias_index(&table));
            told.value("pabak", "PABAK", pabak(&table));
        }
        return Ok(told.all);
    }
    if ratings.raters() < 2 {
        told.value("fleiss_kappa", "Fleiss' kappa", agreement::Value::Undefined(Reason::FewerThanTwoRaters));
        return Ok(told.all);
    }
    told.estimate("fleiss_kappa", "Fleiss' kappa", fleiss_kappa(&counts, &nominal), false);
    let alpha = krippendorff_alpha(&counts, &Metric::Nominal)?;
    told.estimate("krippendorff_alpha_nominal", "Krippendorff's alpha", alpha, false);
    if matches!(form, Form::Ordinal) && weighted.is_some() {
        let alpha = krippendorff_alpha(&counts, &Metric::Ordinal)?;
        told.estimate("krippendorff_alpha_ordinal", "Krippendorff's alpha (ordinal)", alpha, false);
    }
    told.value("percent_agreement", "agreement", percent_agreement(&counts));
    told.estimate("gwet_ac1", "Gwet's AC1", gwet_ac(&counts, &nominal), false);
    Ok(told.all)
}

/// Questions with sets of answers.
fn sets(categories: &[String], cells: &Cells<'_>) -> Result<Vec<Statistic>, AgreementError> {
    let number: HashMap<&str, usize> =
        categories.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let set = |answer: &Answer| -> BTreeSet<usize> {
        answer.categories().into_iter().filter_map(|id| number.get(id).copied()).collect()
    };
    let ratings: Vec<Vec<Option<BTreeSet<usize>>>> =
        cells.iter().map(|cells| cells.iter().map(|cell| cell.map(set)).collect()).collect();
    let mut told = Telling { only: None, all: Vec::new() };
    if ratings.len() < 2 {
        let nothing = agreement::Value::Undefined(Reason::FewerThanTwoRaters);
        told.value("krippendorff_alpha_masi", "Krippendorff's alpha (MASI)", nothing);
        return Ok(told.all);
    }
    let ratings = SetRatings::new(categories.len(), ratings)?;
    for (name, words, distance) in [
        ("krippendorff_alpha_masi", "Krippendorff's alpha (MASI)", SetDistance::Masi),
        ("krippendorff_alpha_jaccard", "Krippendorff's alpha (Jaccard)", SetDistance::Jaccard),
    ] {
        told.estimate(name, words, alpha_of_sets(&ratings, distance), false);
    }
    if ratings.raters() == 2 {
        let mean = mean_kappa_of_labels(&kappa_per_label(&ratings)?);
        told.value("mean_kappa_of_labels", "mean of the kappas of single answers", mean.value);
    }
    Ok(told.all)
}

/// Questions with numbers.
fn numbers(cells: &Cells<'_>, reading: Reading) -> Result<Vec<Statistic>, AgreementError> {
    let mut told = Telling { only: None, all: Vec::new() };
    let (name, words) = ("krippendorff_alpha_interval", "Krippendorff's alpha (interval)");
    if reading == Reading::WithNotApplicable {
        let value = Err("\"not applicable\" is no number and has no distance to one".to_owned());
        told.all.push(Statistic { name, words, value, interval: None });
        return Ok(told.all);
    }
    let number = |answer: &Answer| match answer {
        Answer::Value(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let values: BTreeSet<Finite> = cells.iter().flatten().flatten().filter_map(|cell| number(cell)).collect();
    let at: BTreeMap<Finite, usize> = values.iter().enumerate().map(|(at, value)| (*value, at)).collect();
    let nothing = match (cells.len() < 2, values.is_empty()) {
        (true, _) => Some(Reason::FewerThanTwoRaters),
        (false, true) => Some(Reason::NoItemWithTwoLabels),
        (false, false) => None,
    };
    if let Some(reason) = nothing {
        told.value(name, words, agreement::Value::Undefined(reason));
        return Ok(told.all);
    }
    let labels = cells
        .iter()
        .map(|cells| {
            cells.iter().map(|cell| cell.and_then(number).and_then(|n| at.get(&n).copied())).collect()
        })
        .collect();
    let counts = Ratings::new(values.len(), labels)?.counts();
    let metric = Metric::Interval(values.into_iter().map(Finite::get).collect());
    told.estimate(name, words, krippendorff_alpha(&counts, &metric)?, false);
    Ok(told.all)
}
