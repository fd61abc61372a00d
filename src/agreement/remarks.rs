//! Sentences about a table of two raters: why a value is missing, and why one that is there surprises.
//!
//! Promises: pure; every undefined kappa and interval has a sentence that names what everybody answered; what
//! commonly surprises (the kappa paradox, one constant rater, bias, a wide interval, values below 0) is told with its
//! numbers, each with its n, and only where the items are enough to tell it from chance; where nothing surprises nothing
//! is said. Leaves to others: the statistics, the place on the screen. Names are taken as they are: whoever shows them
//! cleans them.

use super::{
    Band, Estimate, Interval, PairTable, Reason, Value, kappa_max, mcnemar, pabak, specific_agreement,
};
use crate::text::{counted, three};

/// Below this many items a normal interval is rough.
const FEW: u64 = 30;
/// An interval wider than this says little.
const WIDE: f64 = 0.25;
/// From this agreement on a kappa below [`LOW`] surprises.
const HIGH_AGREEMENT: f64 = 0.8;
/// A kappa below this surprises where agreement is high.
const LOW: f64 = 0.6;
/// From this share of all labels on one category leaves little to disagree about.
const PREVALENT: f64 = 0.75;
/// A largest possible kappa below this, with shares that differ by [`BIAS`], is told.
const BOUND: f64 = 0.85;
/// A difference in the share of one category between two raters that is told.
const BIAS: f64 = 0.1;
/// What would come about by chance less often than this is told.
const ALPHA: f64 = 0.05;
/// The quantile of the normal distribution that leaves [`ALPHA`] outside on both sides.
const Z: f64 = 1.959_963_984_540_054;

/// What the sentences are about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The table: rows are the first rater's answers.
    pub table: &'a PairTable,
    /// Names of the categories.
    pub categories: &'a [String],
    /// Names of the two raters.
    pub raters: [&'a str; 2],
    /// Unweighted Cohen's kappa of the table.
    pub kappa: &'a Estimate,
}

/// A share as a percentage: `84.1 %`; nearly all and nearly none are not rounded to all and none.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        all if all > 99.95 && all < 100.0 => "99.9 %".to_owned(),
        none if none > 0.0 && none < 0.05 => "0.1 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

impl Subject<'_> {
    fn category(&self, place: usize) -> &str {
        self.categories.get(place).map_or("?", String::as_str)
    }

    /// The only category that a margin uses.
    fn only(&self, margin: &[u64]) -> Option<usize> {
        let mut used = margin.iter().enumerate().filter(|(_, count)| **count > 0);
        match (used.next(), used.next()) {
            (Some((place, _)), None) => Some(place),
            _ => None,
        }
    }

    /// How often they agree, and how often that was to be expected.
    pub fn agreement(&self) -> Option<String> {
        let observed = self.kappa.observed.defined()?;
        let n = self.table.total();
        let agreed = self.table.agreed();
        let chance =
            self.kappa.expected.defined().map_or_else(String::new, |expected| {
                format!("; by chance alone {} would be", percent(expected))
            });
        Some(format!("They agree on {agreed} of {} ({}){chance}.", counted(n, "item"), percent(observed)))
    }

    /// The bands that the interval reaches over; a convention, and never without the interval.
    pub fn band(&self) -> Option<String> {
        let value = self.kappa.value.defined()?;
        let error = self.kappa.standard_error.defined()?;
        let interval = self.kappa.normal_interval(0.95).defined()?;
        Some(band(value, error, interval))
    }

    /// Everything that has to be explained, the gravest first; empty where nothing surprises.
    pub fn remarks(&self) -> Vec<String> {
        let n = self.table.total();
        let [one, other] = self.raters;
        if n == 0 {
            return vec![format!(
                "There is no item that both {one} and {other} answered: nothing can be compared, so there is no value."
            )];
        }
        let mut all = Vec::new();
        let constant = [self.only(self.table.rows()), self.only(self.table.columns())];
        match self.kappa.value {
            Value::Undefined(Reason::ExpectedAgreementIsOne) => {
                let only = constant[0].map_or("the same", |place| self.category(place));
                all.push(format!(
                    "Kappa is undefined: both always answered `{only}` (100 % agreement, n = {n}). Kappa asks how far \
                     agreement goes beyond chance, and where only one answer occurs chance alone agrees always."
                ));
                return all;
            }
            Value::Undefined(reason) => {
                all.push(format!("Kappa is undefined: {reason} (n = {n})."));
                return all;
            }
            Value::Defined(_) => {}
        }
        all.extend(self.constant(constant));
        if constant == [None, None] {
            all.extend(self.paradox());
            all.extend(self.bias());
            all.extend(self.below_zero());
        }
        all.extend(self.interval());
        all
    }

    /// A rater, or both, who always gave one answer.
    fn constant(&self, constant: [Option<usize>; 2]) -> Option<String> {
        let n = self.table.total();
        let [one, other] = self.raters;
        match constant {
            [Some(first), Some(second)] => Some(format!(
                "{one} always answered `{}` and {other} always `{}` (n = {n}): they never agree, and kappa is 0 \
                 because neither told the items apart.",
                self.category(first),
                self.category(second)
            )),
            [Some(place), None] => Some(self.one_answer(one, other, place)),
            [None, Some(place)] => Some(self.one_answer(other, one, place)),
            [None, None] => None,
        }
    }

    fn one_answer(&self, constant: &str, varied: &str, place: usize) -> String {
        format!(
            "{constant} always answered `{}` (n = {}): kappa is 0 then whatever {varied} says, for one answer \
             alone tells no items apart. Percent agreement is the share of `{}` with {varied}.",
            self.category(place),
            self.table.total(),
            self.category(place)
        )
    }

    /// Between which values kappa may lie, with the agreement that chance gives held and the observed agreement in its
    /// score interval (Wilson 1927, Journal of the American Statistical Association 22, 209–212). Near full agreement
    /// and with few items the normal interval of kappa is too narrow to judge by.
    fn reach(&self) -> Option<Interval> {
        let (observed, expected) = (self.kappa.observed.defined()?, self.kappa.expected.defined()?);
        let n = self.table.total() as f64;
        let (square, room) = (Z * Z, 1.0 - expected);
        if n < 1.0 || room <= 0.0 {
            return None;
        }
        let middle = observed + square / (2.0 * n);
        let half = Z * (observed * (1.0 - observed) / n + square / (4.0 * n * n)).sqrt();
        let kappa = |agreement: f64| (agreement / (1.0 + square / n) - expected) / room;
        Some(Interval { low: kappa(middle - half), high: kappa(middle + half) })
    }

    /// Whether two raters use a category unequally often beyond chance: the exact test of McNemar (1947, Psychometrika
    /// 12, 153–157) on the category against all others. The category was chosen because it differs most, so with more
    /// than two there are as many tests as categories, and the bound is divided by their number (Bonferroni).
    fn differs(&self, place: usize) -> bool {
        let both = self.table.count(place, place);
        let (row, column) = (self.table.rows()[place], self.table.columns()[place]);
        let (first, second) = (row - both, column - both);
        let rest = self.table.total() - both - first - second;
        let Ok(against_others) = PairTable::new(&[vec![both, first], vec![second, rest]]) else {
            return false;
        };
        let tests = match self.table.categories() {
            0..=2 => 1.0,
            many => many as f64,
        };
        mcnemar(&against_others).defined().is_some_and(|p| p < ALPHA / tests)
    }

    /// High agreement and a low kappa, because nearly all labels are one category (Feinstein and Cicchetti 1990, Journal
    /// of Clinical Epidemiology 43, 543–549). Told only where the items are enough to say that kappa is low.
    fn paradox(&self) -> Option<String> {
        let (observed, expected) = (self.kappa.observed.defined()?, self.kappa.expected.defined()?);
        let kappa = self.kappa.value.defined()?;
        let n = self.table.total() as f64;
        let share =
            |place: usize| (self.table.rows()[place] + self.table.columns()[place]) as f64 / (2.0 * n);
        let places = 0..self.table.categories();
        let largest = places.max_by(|one, other| share(*one).total_cmp(&share(*other)))?;
        let is_low = kappa < LOW && self.reach().is_some_and(|reach| reach.high < LOW);
        if observed < HIGH_AGREEMENT || !is_low || share(largest) < PREVALENT {
            return None;
        }
        let rare = specific_agreement(self.table);
        let rarest = (0..self.table.categories())
            .filter(|place| *place != largest)
            .filter_map(|place| rare[place].defined().map(|agreed| (place, agreed)))
            .max_by(|(one, _), (other, _)| share(*one).total_cmp(&share(*other)));
        let on_rare = rarest.map_or_else(String::new, |(place, agreed)| {
            format!(
                " On the rarer answer `{}` they agree in {} of its uses.",
                self.category(place),
                percent(agreed)
            )
        });
        let beside = match pabak(self.table) {
            Value::Defined(pabak) => format!(" Report prevalence and PABAK ({}) beside it.", three(pabak)),
            Value::Undefined(_) => " Report prevalence and AC1 beside it.".to_owned(),
        };
        Some(format!(
            "The kappa paradox: they agree on {} and kappa is only {}. {} of all labels are `{}`, so that {} \
             agreement is to be expected by chance and little room is left above it.{on_rare}{beside}",
            percent(observed),
            three(kappa),
            percent(share(largest)),
            self.category(largest),
            percent(expected)
        ))
    }

    /// Raters who use a category unequally often (Byrt, Bishop and Carlin 1993, Journal of Clinical Epidemiology 46,
    /// 423–429). Told only where that is no chance.
    fn bias(&self) -> Option<String> {
        let most = kappa_max(self.table).defined()?;
        let n = self.table.total() as f64;
        let share = |count: u64| count as f64 / n;
        let margins = self.table.rows().iter().zip(self.table.columns()).enumerate();
        // Of equals the first: of yes and no it is yes.
        let (place, (row, column)) = margins.rev().max_by_key(|(_, (row, column))| row.abs_diff(**column))?;
        let (first, second) = (share(*row), share(*column));
        if most >= BOUND || (first - second).abs() < BIAS || !self.differs(place) {
            return None;
        }
        let [one, other] = self.raters;
        Some(format!(
            "Bias: {one} answered `{}` on {} of the items, {other} on {}. With shares so different kappa could be at \
             most {}: agree first on when that answer is due.",
            self.category(place),
            percent(first),
            percent(second),
            three(most)
        ))
    }

    fn below_zero(&self) -> Option<String> {
        let kappa = self.kappa.value.defined().filter(|kappa| *kappa < 0.0)?;
        if self.reach().is_none_or(|reach| reach.high >= 0.0) {
            return Some(format!(
                "Kappa is {}, below 0, but with n = {} it cannot be told from 0, agreement by chance.",
                three(kappa),
                self.table.total()
            ));
        }
        Some(format!(
            "Kappa is {}, below 0: they agree less often than by chance (n = {}). Often one of them understood the \
             question the other way round; the matrix shows which answers are exchanged.",
            three(kappa),
            self.table.total()
        ))
    }

    /// An interval that is missing, rough or wide.
    fn interval(&self) -> Option<String> {
        let n = self.table.total();
        match self.kappa.normal_interval(0.95) {
            Value::Undefined(Reason::NoSpread) if self.table.agreed() == n => Some(format!(
                "They agree on all of {}, and so the formula finds no spread and gives no interval. That does not make \
                 kappa certain: by the rule of three up to {} of other items might still be contested.",
                counted(n, "item"),
                percent((3.0 / n as f64).min(1.0))
            )),
            Value::Undefined(_) => Some(format!(
                "No interval: the formula finds no spread in this table (n = {n}). That does not make the value certain."
            )),
            Value::Defined(interval) if rough(n, interval).is_some() => rough(n, interval),
            Value::Defined(Interval { low, high }) if high - low > WIDE => Some(format!(
                "The interval is wide: with n = {n} the value may lie anywhere from {} to {}. More items labelled \
                 by both narrow it.",
                three(low),
                three(high)
            )),
            Value::Defined(_) => None,
        }
    }
}

/// That a normal interval of kappa over so many joint items is not to be taken at its word: there are few, or it goes on
/// where no kappa can be.
pub fn rough(n: u64, interval: Interval) -> Option<String> {
    let beyond = (interval.high > 1.0).then(|| {
        format!(
            "its upper end {} lies above 1, the most that kappa can reach: read it as 1",
            three(interval.high)
        )
    });
    match (n < FEW, beyond) {
        (true, beyond) => {
            let beyond = beyond.map_or_else(String::new, |beyond| format!("; {beyond}"));
            Some(format!(
                "Only {}: the normal interval is rough, the bootstrap of `mendbench agreement` better{beyond}.",
                counted(n, "item")
            ))
        }
        (false, beyond) => beyond.map(|beyond| format!("The normal interval is rough here: {beyond}.")),
    }
}

/// The bands of Landis and Koch that an interval reaches over, and the one that is assured, as a sentence.
pub fn band(value: f64, error: f64, interval: Interval) -> String {
    format!("By the convention of Landis and Koch: {}.", bands(value, error, interval))
}

/// The bands that a two-sided 95 % interval reaches over, and the one that is assured from below, or that none is: that
/// kappa is at least poor says nothing, for everything is. The two may differ, for who asks for the lower side only
/// spends all of the 5 % there; the words say which is which.
pub fn bands(value: f64, error: f64, interval: Interval) -> String {
    let (low, high) = (Band::of(interval.low), Band::of(interval.high.min(1.0)));
    let reach = match low == high {
        true => low.as_str().to_owned(),
        false => format!("{} to {}", low.as_str(), high.as_str()),
    };
    let reach = format!("{reach} from end to end of the 95 % interval");
    match Band::assured(value, error) {
        Band::Poor if interval.high < 0.0 => format!("{reach}; it is below what chance gives"),
        Band::Poor => format!("{reach}; it cannot be told from chance with 95 % probability"),
        assured => {
            format!(
                "{reach}; asked about its lower end only, at least {} with 95 % probability",
                assured.as_str()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::agreement::{Weights, cohen_kappa};

    fn told(rows: &[&[u64]]) -> Vec<String> {
        let rows: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
        let table = PairTable::new(&rows).unwrap();
        let kappa = cohen_kappa(&table, &Weights::nominal(rows.len()).unwrap()).estimate;
        let categories = ["yes", "no", "maybe"].map(str::to_owned);
        let subject = Subject {
            table: &table,
            categories: &categories[..rows.len()],
            raters: ["ann", "ben"],
            kappa: &kappa,
        };
        subject.remarks()
    }

    fn only(rows: &[&[u64]]) -> String {
        let all = told(rows);
        assert_eq!(all.len(), 1, "{all:?}");
        all.into_iter().next().unwrap()
    }

    #[test]
    fn what_surprises_nobody_is_not_explained() {
        assert_eq!(told(&[&[100, 10], &[10, 80]]), Vec::<String>::new());
    }

    #[test]
    fn no_joint_item_is_said_with_both_names() {
        assert!(only(&[&[0, 0], &[0, 0]]).contains("no item that both ann and ben answered"));
    }

    #[test]
    fn one_category_only_names_it_and_its_n() {
        let text = only(&[&[0, 0], &[0, 25]]);
        assert!(text.contains("both always answered `no` (100 % agreement, n = 25)"), "{text}");
    }

    #[test]
    fn a_rater_who_says_one_thing_only_is_named() {
        let text = told(&[&[40, 20], &[0, 0]])[0].clone();
        assert!(text.starts_with("ann always answered `yes` (n = 60)"), "{text}");
        assert!(text.contains("whatever ben says"));
        let text = told(&[&[40, 0], &[20, 0]])[0].clone();
        assert!(text.starts_with("ben always answered `yes`"), "{text}");
        let text = told(&[&[0, 30], &[0, 0]])[0].clone();
        assert!(text.contains("ann always answered `yes` and ben always `no`"), "{text}");
    }

    #[test]
    fn the_paradox_is_told_with_its_numbers() {
        // 118 both yes, 5 and 2 apart, none both no.
        let all = told(&[&[118, 5], &[2, 0]]);
        let text = &all[0];
        assert!(
            text.starts_with("The kappa paradox: they agree on 94.4 % and kappa is only -0.023"),
            "{text}"
        );
        assert!(text.contains("97.2 % of all labels are `yes`"), "{text}");
        assert!(text.contains("On the rarer answer `no` they agree in 0.0 % of its uses"), "{text}");
        assert!(text.contains("PABAK (0.888)"), "{text}");
        assert!(all.iter().any(|text| text.contains("below 0")), "{all:?}");
        // The same kappa with little agreement is no paradox.
        assert!(!told(&[&[45, 15], &[25, 15]]).iter().any(|text| text.contains("paradox")));
    }

    #[test]
    fn unequal_shares_bound_kappa() {
        let text = told(&[&[40, 30], &[5, 125]])[0].clone();
        assert!(text.starts_with("Bias: ann answered `yes` on 35.0 % of the items, ben on 22.5 %"), "{text}");
        assert!(text.contains("at most 0.701"), "{text}");
    }

    #[test]
    fn few_items_tell_no_bias() {
        // Three of twelve fall apart, all to one side: by chance as often as one in four times.
        assert!(!told(&[&[5, 3], &[0, 4]]).iter().any(|text| text.starts_with("Bias")));
        // The same shares on ten times as many items are no chance.
        assert!(told(&[&[50, 30], &[0, 40]])[0].starts_with("Bias: ann answered `yes` on 66.7 %"));
        // Six to one side are enough for two categories (p = 0.031), not where three were looked at.
        assert!(told(&[&[6, 6], &[0, 12]]).iter().any(|text| text.starts_with("Bias")));
        let three = told(&[&[6, 6, 0], &[0, 6, 0], &[0, 0, 6]]);
        assert!(!three.iter().any(|text| text.starts_with("Bias")), "{three:?}");
    }

    #[test]
    fn few_items_make_no_paradox_and_no_misunderstanding() {
        let few = told(&[&[10, 1], &[1, 0]]);
        assert!(!few.iter().any(|text| text.contains("paradox")), "{few:?}");
        assert!(
            few[0].starts_with("Kappa is -0.091, below 0, but with n = 12 it cannot be told from 0"),
            "{few:?}"
        );
        let many = told(&[&[100, 10], &[10, 0]]);
        assert!(many[0].starts_with("The kappa paradox"), "{many:?}");
    }

    #[test]
    fn intervals_that_lack_or_say_little_are_explained() {
        let text = only(&[&[20, 0], &[0, 30]]);
        assert!(text.contains("They agree on all of 50 items"), "{text}");
        assert!(text.contains("up to 6.0 %"), "{text}");
        assert!(only(&[&[8, 2], &[2, 8]]).starts_with("Only 20 items: the normal interval is rough"));
        let text = only(&[&[15, 5], &[5, 15]]);
        assert!(text.starts_with("The interval is wide: with n = 40"), "{text}");
    }

    #[test]
    fn an_interval_that_goes_beyond_one_is_told_with_its_end() {
        let within = Interval { low: 0.5, high: 1.0 };
        let beyond = Interval { low: 0.5, high: 1.042 };
        assert_eq!(rough(30, within), None);
        assert_eq!(
            rough(1, within).unwrap(),
            "Only 1 item: the normal interval is rough, the bootstrap of `mendbench agreement` better."
        );
        for n in [10, 30] {
            let text = rough(n, beyond).unwrap();
            assert!(
                text.ends_with(
                    "its upper end 1.042 lies above 1, the most that kappa can reach: read it as 1."
                ),
                "{text}"
            );
        }
        // Eleven of twelve agree.
        assert!(told(&[&[6, 1], &[0, 5]]).iter().any(|text| text.contains("lies above 1")));
    }

    #[test]
    fn a_value_below_chance_is_told() {
        let all = told(&[&[10, 90], &[90, 10]]);
        assert!(all.iter().any(|text| text.starts_with("Kappa is -0.800, below 0")), "{all:?}");
    }

    #[test]
    fn bands_stand_beside_what_is_assured() {
        let text = band(0.704, 0.02, Interval { low: 0.665, high: 0.743 });
        assert_eq!(
            text,
            "By the convention of Landis and Koch: substantial from end to end of the 95 % interval; asked about its lower end only, at least substantial with 95 % probability."
        );
        let text = band(0.808, 0.068, Interval { low: 0.675, high: 0.941 });
        assert!(
            text.contains("substantial to almost perfect from end to end of the 95 % interval"),
            "{text}"
        );
        assert!(text.contains("asked about its lower end only, at least substantial with 95 %"), "{text}");
        let text = band(-0.8, 0.05, Interval { low: -0.898, high: -0.702 });
        assert!(
            text.ends_with("poor from end to end of the 95 % interval; it is below what chance gives."),
            "{text}"
        );
        let text = band(0.1, 0.2, Interval { low: -0.292, high: 0.492 });
        assert!(
            text.contains(
                "poor to moderate from end to end of the 95 % interval; it cannot be told from chance"
            ),
            "{text}"
        );
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(
            [1.0, 0.9999, 0.5, 0.0001, 0.0].map(percent),
            ["100.0 %", "99.9 %", "50.0 %", "0.1 %", "0.0 %"]
        );
    }
}
