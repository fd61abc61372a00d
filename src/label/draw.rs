//! Random choices that a recorded seed repeats.
//!
//! Promises: the same seed and the same purpose give the same choices on every machine and with every version of
//! this program: the generator is xoshiro256++, seeded with a sha256 of seed and purpose, and what is made of its
//! numbers is written down here. Choices for different purposes do not depend on each other: who labels what does
//! not move when the sample grows. Leaves to others: where the seed comes from.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A source of random choices.
#[derive(Debug, Clone)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// Choices for one purpose, as `["order", "anna"]`.
    pub fn new(seed: u64, purpose: &[&str]) -> Draw {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for part in purpose {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Draw(Xoshiro256PlusPlus::from_seed(hash.finalize().into()))
    }

    /// A number from 0 to below `bound`, each as likely; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound < 2 {
            return 0;
        }
        // What does not fill a whole multiple of the bound is drawn again, or small numbers would come too often.
        let rest = (u64::MAX % bound + 1) % bound;
        loop {
            let drawn = self.0.next_u64();
            if drawn <= u64::MAX - rest {
                return (drawn % bound) as usize;
            }
        }
    }

    /// Puts a list into a random order: Fisher and Yates, from the end.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            let other = self.below(end + 1);
            list.swap(end, other);
        }
    }

    /// The numbers from 0 to below `count` in a random order.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        // Written down from the first run: a study that was drawn with a seed must be drawn so again.
        assert_eq!(Draw::new(7, &["order", "anna"]).order(10), FIRST);
        assert_ne!(Draw::new(7, &["order", "ben"]).order(10), FIRST);
        assert_ne!(Draw::new(8, &["order", "anna"]).order(10), FIRST);
    }

    const FIRST: [usize; 10] = [0, 5, 2, 4, 3, 1, 6, 8, 7, 9];

    #[test]
    fn parts_of_a_purpose_do_not_run_together() {
        assert_ne!(Draw::new(1, &["ab", "c"]).order(20), Draw::new(1, &["a", "bc"]).order(20));
    }

    #[test]
    fn every_order_comes_about_equally_often() {
        let mut seen = std::collections::BTreeMap::new();
        let mut draw = Draw::new(3, &["test"]);
        for _ in 0..6_000 {
            *seen.entry(draw.order(3)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| (850..1_150).contains(count)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn numbers_stay_below_their_bound(seed: u64, bound in 0_usize..1000) {
            let drawn = Draw::new(seed, &["test"]).below(bound);
            prop_assert!(drawn < bound.max(1));
        }

        #[test]
        fn nothing_is_lost_by_shuffling(seed: u64, count in 0_usize..200) {
            let mut order = Draw::new(seed, &["test"]).order(count);
            order.sort_unstable();
            prop_assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }
}
