//! How large a round is, in one form everywhere: what is compared, and what stands beside it.
//!
//! Promises: pure; the first number is the one that agreement and reports have, but for items with known answers: that
//! there are such is the lead's secret, and here they are items like others; second servings that nobody has to label,
//! as an assignment that was taken back leaves behind, count nowhere. Leaves to others: what the purposes mean (`item`).

use super::item::{Item, Purpose};
use super::round::Round;
use crate::text::counted;
use std::fmt;

/// Numbers of items, by what they are there for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Those that are dealt out to be labelled.
    pub items: usize,
    /// Those to learn with.
    pub training: usize,
    /// Those that are served a second time.
    pub second: usize,
}

impl Extent {
    /// That of a round.
    pub fn of(round: &Round) -> Extent {
        let idle = round.idle();
        let all = round.items.list().iter().enumerate();
        Extent::among(all.filter(|(number, _)| idle.binary_search(number).is_err()).map(|(_, item)| item))
    }

    /// That of these items, as of one annotator's.
    pub fn among<'a>(items: impl IntoIterator<Item = &'a Item>) -> Extent {
        let mut extent = Extent::default();
        for item in items {
            match item.purpose {
                Purpose::Study | Purpose::Gold(_) => extent.items += 1,
                Purpose::Training(_) => extent.training += 1,
                Purpose::Repeat(_) => extent.second += 1,
            }
        }
        extent
    }

    /// How often somebody is served something.
    pub fn served(self) -> usize {
        self.items + self.training + self.second
    }
}

/// `10 items + 2 for training + 3 second servings`; what there is none of is left out.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.items, "item"))?;
        if self.training > 0 {
            write!(f, " + {} for training", self.training)?;
        }
        if self.second > 0 {
            write!(f, " + {}", counted(self.second, "second serving"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::assign::{Assignment, Pairs, repeats};
    use super::super::event::What;
    use super::super::item::Answered;
    use super::super::testing::{items, round_log};
    use super::super::value::Labels;
    use super::*;

    #[test]
    fn each_purpose_is_told_by_its_number() {
        let mut all = items(12);
        let known = Answered { answers: Labels::new(), why: String::new() };
        all[0].purpose = Purpose::Training(known.clone());
        all[1].purpose = Purpose::Gold(known);
        all.extend(repeats(&all, 1, 1));
        assert_eq!(Extent::among(&all[2..12]).to_string(), "10 items");
        let extent = Extent::among(&all);
        assert_eq!(
            extent.to_string(),
            "11 items + 1 for training + 1 second serving",
            "which of them are known is not told"
        );
        assert_eq!(extent.served(), 13);
    }

    #[test]
    fn second_servings_that_nobody_has_count_nowhere() {
        let mut all = items(4);
        all.extend(repeats(&all, 2, 1));
        let mut log = round_log(all);
        let extent = |log: &super::super::testing::Log| Extent::of(&Round::of(log.events.clone()).unwrap());
        assert_eq!(extent(&log).to_string(), "4 items + 2 second servings");
        for (queue, second) in [(vec![0, 1, 2, 3], 0), (vec![0, 1, 2, 3, 4], 1)] {
            let queues = vec![queue, vec![0, 1, 2, 3]];
            log.push("lea", What::Assigned(Assignment { pairs: Pairs::Fixed, per_item: 2, seed: 1, queues }));
            assert_eq!(extent(&log).second, second);
            assert_eq!(extent(&log).items, 4);
        }
    }
}
