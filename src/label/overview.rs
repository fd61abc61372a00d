//! A round's agreement as it is looked at: each question with its labels by number, each pair of annotators with
//! its table, its coefficient and its interval.
//!
//! Promises: pure; made of what [`compare`](super::compare) compares, so that screens, command line and exports count
//! the same; blind and revised labels stand in lines of their own; a question that is asked only after another has
//! two lines; intervals are asymptotic, so that nothing has to be waited for; whoever may see agreement but not who
//! said what gets tables without items. Leaves to others: who may see it (`visible`, `study`), explaining it
//! (`agreement::remarks`), drawing it.

use super::aside::Aside;
use super::codebook::{Kind, Question};
use super::compare::{Basis, Compared, Part, Scope, codebook_of, compared_in};
use super::drift::Person;
use super::fold::{Cell, Given};
use super::phase::Phase;
use super::reading::{Labelled, Reading};
use super::round::Round;
use super::value::Value as Label;
use crate::agreement::{
    AgreementError, Estimate, Interval, Metric, OneSided, PairTable, Ratings, Reason, SetDistance,
    SetRatings, Value, Weights, alpha_of_sets, cohen_kappa, fleiss_kappa, gwet_ac, krippendorff_alpha,
    percent_agreement,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// Level of all intervals.
pub const LEVEL: f64 = 0.95;
/// Most categories that make a table: more distinct sets or numbers than that are told by a coefficient alone.
pub const MOST_CATEGORIES: usize = 60;
/// Most pairs of annotators in a line.
const MOST_PAIRS: usize = 45;
/// Up to so many annotators every pair is listed, also those that have no item in common.
const FEW: usize = 10;
/// What an empty set of answers is called.
const NOTHING: &str = "(none)";

/// A round as somebody sees its agreement.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The round.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Its study.
    pub study: String,
    /// Where it stands.
    pub phase: Phase,
    /// What who looks is in it, in a word.
    pub role: &'static str,
    /// Why there is no agreement to be seen; none: there is.
    pub hidden: Option<Hidden>,
    /// Whether cells may be opened: whether who said what may be seen.
    pub opens: bool,
    /// Items that are compared.
    pub items: usize,
    /// What is compared.
    pub lines: Vec<Line>,
    /// Those annotators whose way of labelling may be seen.
    pub people: Vec<Person>,
    /// What was not as the protocol has it, in words, behind dates.
    pub deviations: Vec<String>,
    /// Answers that have no place in the round, of those whose agreement is shown.
    pub aside: Aside,
}

/// Why agreement is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The reason: the same for everybody and whatever there is.
    pub why: String,
    /// Whether it can be seen at the price of a deviation.
    pub at_a_price: bool,
}

/// Agreement on one question, on one basis and on one set of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Id of the question.
    pub question: String,
    /// What is asked.
    pub text: String,
    /// Which labels.
    pub basis: Basis,
    /// On which items; of a question that is always asked [`Scope::Asked`].
    pub scope: Scope,
    /// Whether the question is asked only after another.
    pub conditional: bool,
    /// Which of the items.
    pub part: Part,
    /// Stamp of the codebook by which labels are read.
    pub codebook: String,
    /// Names of the annotators.
    pub raters: Vec<String>,
    /// Names of the items; none where cells may not be opened.
    pub items: Vec<String>,
    /// Items among these that were seen before.
    pub reverified: usize,
    /// Stale labels that were left out.
    pub stale: usize,
    /// Categories, in their order.
    pub categories: Vec<String>,
    /// Whether their order means something.
    pub ordered: bool,
    /// Labels by rater and item, as numbers of categories; none where cells may not be opened.
    pub labels: Vec<Vec<Option<u32>>>,
    /// Each pair of annotators.
    pub pairs: Vec<Pair>,
    /// All annotators together, where there are more than two.
    pub together: Option<Together>,
}

/// Two annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Their numbers.
    pub raters: [usize; 2],
    /// Their table; without a cell where there are too many categories.
    pub table: Option<PairTable>,
    /// Items that both labelled.
    pub joint: u64,
    /// Items that one of them labelled.
    pub only: OneSided,
    /// The coefficient that is looked at first.
    pub main: Coefficient,
    /// Kappa with weights: by steps of a scale, or by the tree of answers.
    pub weighted: Vec<Coefficient>,
    /// Share of joint items on which they said the same.
    pub agreement: Value,
}

/// More than two annotators together.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// Items with two labels or more.
    pub joint: u64,
    /// Items with one label.
    pub one_sided: u64,
    /// The coefficient that is looked at first.
    pub main: Coefficient,
    /// Its relatives.
    pub others: Vec<Coefficient>,
    /// Mean share of equal pairs of labels.
    pub agreement: Value,
}

/// A coefficient with its name and its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// For people.
    pub name: &'static str,
    /// The value, with what belongs to it.
    pub estimate: Estimate,
    /// The 95 % interval.
    pub interval: Value<Interval>,
}

impl Coefficient {
    /// With the normal interval, as Cohen's kappa has it here.
    pub fn normal(name: &'static str, estimate: Estimate) -> Coefficient {
        Coefficient { name, estimate, interval: estimate.normal_interval(LEVEL) }
    }

    /// With the t interval.
    pub fn t(name: &'static str, estimate: Estimate) -> Coefficient {
        Coefficient { name, estimate, interval: estimate.t_interval(LEVEL) }
    }
}

/// Between whom a line is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The pair with this number.
    Pair(usize),
    /// All together.
    All,
}

impl Line {
    /// Whether nobody had spoken about the items before.
    pub fn is_independent(&self) -> bool {
        self.basis == Basis::Blind && self.reverified == 0
    }

    /// Whether this is the same thing to ask for, in another round or on another basis.
    pub fn same_as(&self, other: &Line) -> bool {
        (&self.question, self.scope, self.part) == (&other.question, other.scope, other.part)
    }

    /// Those between whom it is told: each pair, and all where there are more than two.
    pub fn whos(&self) -> impl Iterator<Item = Who> + '_ {
        (0..self.pairs.len()).map(Who::Pair).chain(self.together.as_ref().map(|_| Who::All))
    }

    /// The pair of these names, in whatever order.
    pub fn pair_of(&self, names: [&str; 2]) -> Option<usize> {
        self.pairs.iter().position(|pair| {
            let own = self.names(pair);
            own == names || own == [names[1], names[0]]
        })
    }

    /// Names of a pair.
    pub fn names(&self, pair: &Pair) -> [&str; 2] {
        pair.raters.map(|rater| self.raters.get(rater).map_or("?", String::as_str))
    }

    /// The coefficient, the share of agreement and the joint items between some.
    pub fn told(&self, who: Who) -> Option<(&Coefficient, Value, u64)> {
        match who {
            Who::Pair(number) => {
                let pair = self.pairs.get(number)?;
                Some((&pair.main, pair.agreement, pair.joint))
            }
            Who::All => {
                let all = self.together.as_ref()?;
                Some((&all.main, all.agreement, all.joint))
            }
        }
    }

    /// Whether anybody has answered anything twice.
    pub fn has_joint_items(&self) -> bool {
        self.whos().any(|who| self.told(who).is_some_and(|(_, _, joint)| joint > 0))
    }

    /// Numbers of the items of a cell: those to which the pair said these two.
    pub fn cell(&self, pair: &Pair, first: usize, second: usize) -> Vec<usize> {
        let said = |rater: usize, item: usize| {
            let label = self.labels.get(rater).and_then(|labels| labels.get(item)).copied().flatten();
            label.map(|label| label as usize)
        };
        let fits = |item: &usize| {
            said(pair.raters[0], *item) == Some(first) && said(pair.raters[1], *item) == Some(second)
        };
        (0..self.items.len()).filter(fits).collect()
    }

    /// What each annotator said to an item; none: nothing.
    pub fn said(&self, item: usize) -> Vec<Option<&str>> {
        let label = |labels: &Vec<Option<u32>>| {
            let number = labels.get(item).copied().flatten()?;
            self.categories.get(number as usize).map(String::as_str)
        };
        self.labels.iter().map(label).collect()
    }
}

/// Everything that is compared in a round, blind labels first; `opens`: with the items behind each number.
pub fn lines(round: &Round, all: &[Labelled], opens: bool) -> Vec<Line> {
    let line = |compared| line(round, compared, opens);
    let blind: Vec<&Reading> = all.iter().map(|one| &one.blind).collect();
    let mut lines: Vec<Line> = compared_in(round, &blind, Basis::Blind).into_iter().map(line).collect();
    match round.phase {
        Phase::Labelling => {}
        _ if is_unrevised(round, all) => {
            let again = lines.clone();
            lines.extend(again.into_iter().map(|line| Line { basis: Basis::Revised, ..line }));
        }
        _ => {
            let read = |one: &Labelled| Reading::of(round, round.codebook(), &one.sheet.answers_now());
            let revised: Vec<Reading> = all.iter().map(read).collect();
            let revised = compared_in(round, &revised.iter().collect::<Vec<_>>(), Basis::Revised);
            lines.extend(revised.into_iter().map(line));
        }
    }
    lines
}

/// Whether the present labels are the blind ones, read by the same codebook: then they need not be compared twice.
fn is_unrevised(round: &Round, all: &[Labelled]) -> bool {
    let same = |Labelled { sheet, .. }: &Labelled| {
        sheet.frozen.get(&Phase::Labelling).is_some_and(|frozen| {
            let kept = |(cell, given): (&Cell, &Given)| {
                frozen.get(cell).is_some_and(|blind| blind.event == given.event)
            };
            frozen.len() == sheet.present.len() && sheet.present.iter().all(kept)
        })
    };
    round.codebook_in(Phase::Labelling) == round.codebook() && all.iter().all(same)
}

fn line(round: &Round, compared: Compared, opens: bool) -> Line {
    let codebook = codebook_of(round, compared.basis);
    let question = codebook.question(&compared.question);
    let (categories, labels) = numbered(&compared);
    let weights = match compared.scope {
        Scope::Asked => question.map_or_else(Vec::new, |question| weights(question, &categories)),
        // "Not asked" stands outside of the scale and of the tree.
        Scope::All => Vec::new(),
    };
    let (pairs, together) = measured(&compared, &categories, &labels, &weights).unwrap_or_default();
    Line {
        text: question.map_or_else(String::new, |question| question.text.clone()),
        conditional: question.is_some_and(|question| question.when.is_some()),
        question: compared.question,
        basis: compared.basis,
        scope: compared.scope,
        part: compared.part,
        codebook: codebook.stamp().to_string(),
        raters: compared.raters,
        items: if opens { compared.items } else { Vec::new() },
        reverified: compared.reverified,
        stale: compared.stale,
        categories,
        ordered: compared.ordered,
        labels: if opens { labels } else { Vec::new() },
        pairs,
        together,
    }
}

/// Labels by rater and item, as numbers.
type Numbered = Vec<Vec<Option<u32>>>;

/// The categories, and the labels as their numbers. Of sets the different sets are the categories, the most frequent
/// first.
fn numbered(compared: &Compared) -> (Vec<String>, Numbered) {
    let mut names: Vec<String> = compared.categories.clone();
    let mut places: HashMap<&Label, u32> = HashMap::new();
    if compared.sets {
        let mut counts: BTreeMap<&Label, usize> = BTreeMap::new();
        for label in compared.cells.iter().flatten().flatten() {
            *counts.entry(label).or_default() += 1;
        }
        let mut sets: Vec<(&Label, usize)> = counts.into_iter().collect();
        sets.sort_by_key(|(label, count)| (std::cmp::Reverse(*count), *label));
        places = sets.iter().map(|(label, _)| *label).zip(0..).collect();
        let name = |label: &Label| Some(label.to_string()).filter(|name| !name.is_empty());
        names = sets.iter().map(|(label, _)| name(label).unwrap_or_else(|| NOTHING.to_owned())).collect();
    }
    let by_name: HashMap<&str, u32> = compared.categories.iter().map(String::as_str).zip(0..).collect();
    let number = |label: &Label| match label {
        Label::One(id) => by_name.get(id.as_str()).copied(),
        Label::Many(_) => places.get(label).copied(),
        other => by_name.get(other.to_string().as_str()).copied(),
    };
    let labels = compared.cells.iter().map(|row| {
        let numbers = row.iter().map(|cell| cell.as_ref().and_then(number));
        numbers.collect()
    });
    let labels = labels.collect();
    (names, labels)
}

/// Weights with the name of kappa by them.
type Named = (&'static str, Weights);

/// The weights that fit a question.
fn weights(question: &Question, categories: &[String]) -> Vec<Named> {
    let size = categories.len();
    if size == 0 || size > MOST_CATEGORIES || question.categories().count() != size {
        return Vec::new();
    }
    let made: Vec<(&'static str, Result<Weights, AgreementError>)> = match question.kind {
        Kind::Ordinal => {
            vec![("kappa, linear", Weights::linear(size)), ("kappa, quadratic", Weights::quadratic(size))]
        }
        Kind::Single if question.is_hierarchical() => vec![("kappa, taxonomy", question.weights())],
        _ => Vec::new(),
    };
    made.into_iter().filter_map(|(name, weights)| Some((name, weights.ok()?))).collect()
}

type Measured = (Vec<Pair>, Option<Together>);

fn measured(
    compared: &Compared,
    categories: &[String],
    labels: &Numbered,
    weights: &[Named],
) -> Result<Measured, AgreementError> {
    let people = compared.raters.len();
    let mut pairs = Vec::new();
    for first in 0..people {
        for second in first + 1..people {
            let pair = pair(compared, categories.len(), labels, weights, [first, second])?;
            if (people <= FEW || pair.joint > 0) && pairs.len() < MOST_PAIRS {
                pairs.push(pair);
            }
        }
    }
    let together = match people {
        0..=2 => None,
        _ => Some(together(compared, categories.len(), labels)?),
    };
    Ok((pairs, together))
}

fn pair(
    compared: &Compared,
    categories: usize,
    labels: &Numbered,
    weights: &[Named],
    raters: [usize; 2],
) -> Result<Pair, AgreementError> {
    let [first, second] = raters;
    let both = || labels[first].iter().zip(&labels[second]);
    let mut only = OneSided { first: 0, second: 0 };
    let (mut joint, mut same) = (0, 0);
    for (one, other) in both() {
        joint += u64::from(one.is_some() && other.is_some());
        same += u64::from(one.is_some() && one == other);
        only.first += u64::from(one.is_some() && other.is_none());
        only.second += u64::from(one.is_none() && other.is_some());
    }
    let table = match categories {
        1..=MOST_CATEGORIES => {
            let pairs = both().filter_map(|(one, other)| Some(((*one)? as usize, (*other)? as usize)));
            Some(PairTable::of_pairs(categories, pairs)?)
        }
        _ => None,
    };
    let main = match &table {
        None if categories == 0 => nothing(Reason::NoJointItem),
        _ if compared.sets => alpha_of(compared, raters.as_slice())?,
        Some(table) => {
            let nominal = Weights::nominal(categories)?;
            Coefficient::normal("Cohen's kappa", cohen_kappa(table, &nominal).estimate)
        }
        // A table of whole sets is as large as one likes; of numbers there may be more than can be worked with.
        None => alpha_of(compared, raters.as_slice()).unwrap_or_else(|_| nothing(Reason::TooManyAnswers)),
    };
    let agreement = match joint {
        0 => Value::Undefined(Reason::NoJointItem),
        _ => Value::Defined(same as f64 / joint as f64),
    };
    let weighted = table.iter().filter(|_| !compared.sets).flat_map(|table| {
        weights.iter().map(|(name, weights)| Coefficient::normal(name, cohen_kappa(table, weights).estimate))
    });
    let weighted = weighted.collect();
    Ok(Pair { raters, table, joint, only, main, weighted, agreement })
}

/// A coefficient without a value.
fn nothing(reason: Reason) -> Coefficient {
    let nothing = Value::Undefined(reason);
    let estimate =
        Estimate { value: nothing, observed: nothing, expected: nothing, standard_error: nothing, items: 0 };
    Coefficient { name: "Cohen's kappa", estimate, interval: Value::Undefined(reason) }
}

/// Alpha of some annotators where kappa does not serve: of sets by MASI distance, of numbers by their distance.
fn alpha_of(compared: &Compared, raters: &[usize]) -> Result<Coefficient, AgreementError> {
    let rows = || raters.iter().map(|rater| &compared.cells[*rater]);
    if compared.sets {
        let place: HashMap<&str, usize> = compared.categories.iter().map(String::as_str).zip(0..).collect();
        let set = |label: &Label| -> BTreeSet<usize> {
            label.answers().into_iter().filter_map(|id| place.get(id).copied()).collect()
        };
        let rows = rows().map(|row| row.iter().map(|cell| cell.as_ref().map(set)).collect()).collect();
        let sets = SetRatings::new(compared.categories.len().max(1), rows)?;
        return Ok(Coefficient::t("alpha of sets (MASI)", alpha_of_sets(&sets, SetDistance::Masi)));
    }
    let values: Vec<f64> = compared.categories.iter().filter_map(|name| name.parse().ok()).collect();
    let place: HashMap<&str, usize> = compared.categories.iter().map(String::as_str).zip(0..).collect();
    let rows = rows().map(|row| {
        let label = |cell: &Option<Label>| {
            cell.as_ref().and_then(|label| place.get(label.to_string().as_str()).copied())
        };
        row.iter().map(label).collect()
    });
    let counts = Ratings::new(values.len().max(1), rows.collect())?.counts();
    Ok(Coefficient::t("alpha of numbers", krippendorff_alpha(&counts, &Metric::Interval(values))?))
}

fn together(compared: &Compared, categories: usize, labels: &Numbered) -> Result<Together, AgreementError> {
    let everybody: Vec<usize> = (0..compared.raters.len()).collect();
    if categories == 0 || categories > MOST_CATEGORIES {
        let main = match categories {
            0 => nothing(Reason::NoItemWithTwoLabels),
            _ => alpha_of(compared, &everybody).unwrap_or_else(|_| nothing(Reason::TooManyAnswers)),
        };
        let agreement = Value::Undefined(Reason::TooManyAnswers);
        let joint = main.estimate.items;
        return Ok(Together { joint, one_sided: 0, main, others: Vec::new(), agreement });
    }
    let rows = labels.iter().map(|row| row.iter().map(|cell| cell.map(|cell| cell as usize)).collect());
    let all = Ratings::new(categories, rows.collect())?.counts();
    let counts = all.joint();
    let nominal = Weights::nominal(categories)?;
    let alpha = Coefficient::t("Krippendorff's alpha", krippendorff_alpha(&counts, &Metric::Nominal)?);
    let fleiss = Coefficient::t("Fleiss' kappa", fleiss_kappa(&counts, &nominal));
    let mut others = vec![alpha];
    if compared.ordered {
        let ordinal = krippendorff_alpha(&counts, &Metric::Ordinal)?;
        others.push(Coefficient::t("Krippendorff's alpha, ordinal", ordinal));
    }
    others.push(Coefficient::t("Gwet's AC1", gwet_ac(&counts, &nominal)));
    let main = match compared.sets {
        true => alpha_of(compared, &everybody)?,
        false => fleiss,
    };
    let joint = counts.items();
    Ok(Together {
        joint,
        one_sided: all.items_with(1) - joint,
        main,
        others,
        agreement: percent_agreement(&counts),
    })
}

#[cfg(test)]
#[path = "overview_tests.rs"]
mod tests;
