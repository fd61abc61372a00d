//! Drawing the items of a round from all that pass a filter.
//!
//! Promises: pure; the recorded seed draws the same sample again; every stratum (dataset, language, error type)
//! gives its share, to the nearest item; two halves of one seed have no item in common and miss none. Leaves to
//! others: the filter, and which rounds there were before.

use super::draw::Draw;
use super::item::Stratum;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How much of a population is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// All of it.
    All,
    /// So many items.
    Count(usize),
    /// The first random half; of an odd number the larger one.
    FirstHalf,
    /// The other half.
    SecondHalf,
}

/// A text that is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no sample: write a number of items, `half`, `second-half` or `all`")]
pub struct SizeError(String);

/// More items were asked for than there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sample of {wanted} cannot be drawn from {found}")]
pub struct TooFew {
    /// Items asked for.
    pub wanted: usize,
    /// Items there are.
    pub found: usize,
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        match text {
            "all" => Ok(Size::All),
            "half" => Ok(Size::FirstHalf),
            "second-half" => Ok(Size::SecondHalf),
            number => match number.parse() {
                Ok(count) if count > 0 => Ok(Size::Count(count)),
                _ => Err(SizeError(text.to_owned())),
            },
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::All => f.write_str("all"),
            Size::Count(count) => count.fmt(f),
            Size::FirstHalf => f.write_str("half"),
            Size::SecondHalf => f.write_str("second-half"),
        }
    }
}

/// Draws from a population, given by the stratum of each of its members; answers with their numbers, ascending.
pub fn draw(population: &[Stratum], size: Size, seed: u64) -> Result<Vec<usize>, TooFew> {
    let mut drawn = match size {
        Size::All => (0..population.len()).collect(),
        Size::FirstHalf => halves(population, seed).0,
        Size::SecondHalf => halves(population, seed).1,
        Size::Count(wanted) if wanted > population.len() => {
            return Err(TooFew { wanted, found: population.len() });
        }
        Size::Count(wanted) => proportional(population, wanted, seed),
    };
    drawn.sort_unstable();
    Ok(drawn)
}

/// The members of each stratum, each in its own random order.
fn strata(population: &[Stratum], seed: u64) -> Vec<Vec<usize>> {
    let mut strata: BTreeMap<&Stratum, Vec<usize>> = BTreeMap::new();
    for (number, stratum) in population.iter().enumerate() {
        strata.entry(stratum).or_default().push(number);
    }
    let shuffled = strata.into_iter().map(|(stratum, mut members)| {
        let purpose = ["stratum", &stratum.dataset, &stratum.language, &stratum.error_type];
        Draw::new(seed, &purpose).shuffle(&mut members);
        members
    });
    shuffled.collect()
}

/// Both halves: of each stratum half, and what is over in odd ones is dealt out in turn.
fn halves(population: &[Stratum], seed: u64) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut second, mut over) = (Vec::new(), Vec::new(), Vec::new());
    for members in strata(population, seed) {
        let (pairs, rest) = members.as_chunks::<2>();
        first.extend(pairs.iter().map(|pair| pair[0]));
        second.extend(pairs.iter().map(|pair| pair[1]));
        over.extend(rest);
    }
    Draw::new(seed, &["halves"]).shuffle(&mut over);
    let middle = over.len().div_ceil(2);
    first.extend(&over[..middle]);
    second.extend(&over[middle..]);
    (first, second)
}

/// Each stratum's share by largest remainders; what is equal is settled by the seed.
fn proportional(population: &[Stratum], wanted: usize, seed: u64) -> Vec<usize> {
    let strata = strata(population, seed);
    let total = population.len().max(1);
    let share = |members: &Vec<usize>| (members.len() * wanted / total, members.len() * wanted % total);
    let mut counts: Vec<usize> = strata.iter().map(|members| share(members).0).collect();
    let mut order = Draw::new(seed, &["remainders"]).order(strata.len());
    order.sort_by_key(|number| std::cmp::Reverse(share(&strata[*number]).1));
    let missing = wanted - counts.iter().sum::<usize>();
    for number in order.into_iter().take(missing) {
        counts[number] += 1;
    }
    strata.iter().zip(counts).flat_map(|(members, count)| members.iter().take(count).copied()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn stratum(name: &str) -> Stratum {
        Stratum { dataset: "d".to_owned(), language: name.to_owned(), error_type: String::new() }
    }

    fn population() -> impl Strategy<Value = Vec<Stratum>> {
        proptest::collection::vec("[a-d]".prop_map(|name| stratum(&name)), 0..120)
    }

    fn by_stratum(population: &[Stratum], drawn: &[usize]) -> BTreeMap<Stratum, usize> {
        let mut counts = BTreeMap::new();
        for number in drawn {
            *counts.entry(population[*number].clone()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for text in ["all", "half", "second-half", "120"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        for text in ["", "0", "-3", "Half", "12.5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn more_than_there_is_cannot_be_drawn() {
        let all = vec![stratum("a"); 3];
        let error = draw(&all, Size::Count(4), 1).unwrap_err();
        assert_eq!(error.to_string(), "a sample of 4 cannot be drawn from 3");
        assert_eq!(draw(&all, Size::Count(3), 1).unwrap(), [0, 1, 2]);
        assert!(draw(&[], Size::FirstHalf, 1).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn halves_part_every_stratum(all in population(), seed: u64) {
            let first = draw(&all, Size::FirstHalf, seed).unwrap();
            let second = draw(&all, Size::SecondHalf, seed).unwrap();
            let together: BTreeSet<usize> = first.iter().chain(&second).copied().collect();
            prop_assert_eq!(together.len(), all.len());
            prop_assert_eq!(first.len() + second.len(), all.len());
            prop_assert!(first.len() - second.len() <= 1);
            let (one, other) = (by_stratum(&all, &first), by_stratum(&all, &second));
            for stratum in &all {
                let count = |half: &BTreeMap<Stratum, usize>| half.get(stratum).copied().unwrap_or(0);
                prop_assert!(count(&one).abs_diff(count(&other)) <= 1);
            }
            prop_assert_eq!(&first, &draw(&all, Size::FirstHalf, seed).unwrap());
        }

        #[test]
        fn every_stratum_gives_its_share(all in population(), seed: u64, share in 0.0_f64..1.0) {
            let wanted = (all.len() as f64 * share) as usize;
            prop_assume!(wanted > 0);
            let drawn = draw(&all, Size::Count(wanted), seed).unwrap();
            prop_assert_eq!(drawn.len(), wanted);
            prop_assert!(drawn.windows(2).all(|two| two[0] < two[1]));
            let everything: Vec<usize> = (0..all.len()).collect();
            let counts = by_stratum(&all, &drawn);
            for (stratum, members) in by_stratum(&all, &everything) {
                let exact = members as f64 * wanted as f64 / all.len() as f64;
                let got = counts.get(&stratum).copied().unwrap_or(0) as f64;
                prop_assert!((got - exact).abs() < 1.0, "{got} of {exact}");
            }
        }

        #[test]
        fn other_seeds_draw_other_samples(seed: u64) {
            let all = vec![stratum("a"); 100];
            let drawn = |seed| draw(&all, Size::Count(50), seed).unwrap();
            prop_assert_ne!(drawn(seed), drawn(seed.wrapping_add(1)));
        }
    }
}
