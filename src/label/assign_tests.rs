//! Assignments: balance, distance, and that a seed repeats them.
#![allow(clippy::unwrap_used)]

use super::super::item::Answered;
use super::super::testing::{self, items};
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn item(name: String, purpose: Purpose) -> Item {
    Item { purpose, ..testing::item(name) }
}

fn people(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("p{number}")).collect()
}

fn owners(assignment: &Assignment) -> BTreeMap<u32, BTreeSet<usize>> {
    let mut owners: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (person, queue) in assignment.queues.iter().enumerate() {
        for number in queue {
            assert!(owners.entry(*number).or_default().insert(person), "an item comes once");
        }
    }
    owners
}

#[test]
fn two_people_label_everything_in_orders_of_their_own() {
    let plan = Plan { pairs: Pairs::Fixed, per_item: 2, seed: 5 };
    let assignment = assign(&items(40), &people(2), plan).unwrap();
    let [one, other] = assignment.queues.as_slice() else { panic!("{assignment:?}") };
    assert_ne!(one, other);
    let sorted = |queue: &[u32]| queue.iter().copied().collect::<BTreeSet<u32>>();
    assert_eq!(sorted(one), (0..40).collect());
    assert_eq!(sorted(other), (0..40).collect());
    assert_eq!(assign(&items(40), &people(2), plan).unwrap(), assignment);
    // Somebody who joins does not change the order of those who were there, only what they have to do.
    let other_seed = Plan { seed: 6, ..plan };
    assert_ne!(assign(&items(40), &people(2), other_seed).unwrap(), assignment);
}

#[test]
fn teams_keep_together_and_rotation_mixes() {
    let plan = Plan { pairs: Pairs::Fixed, per_item: 2, seed: 1 };
    let teams: BTreeSet<BTreeSet<usize>> =
        owners(&assign(&items(100), &people(4), plan).unwrap()).into_values().collect();
    assert_eq!(teams, [[0, 1], [2, 3]].map(BTreeSet::from).into());
    assert_eq!(assign(&items(9), &people(3), plan), Err(AssignError::NoTeams { per_item: 2, annotators: 3 }));
    let plan = Plan { pairs: Pairs::Rotating, ..plan };
    let mut met: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    for pair in owners(&assign(&items(300), &people(3), plan).unwrap()).into_values() {
        *met.entry(pair).or_default() += 1;
    }
    assert_eq!(met.len(), 3);
    assert!(met.values().all(|count| (95..=105).contains(count)), "{met:?}");
}

#[test]
fn what_cannot_be_assigned_is_told() {
    let plan = Plan { pairs: Pairs::Rotating, per_item: 3, seed: 1 };
    let error = assign(&items(9), &people(2), plan).unwrap_err();
    assert_eq!(error.to_string(), "3 annotators an item cannot be had from 2");
    assert!(assign(&items(9), &people(2), Plan { per_item: 0, ..plan }).is_err());
    assert_eq!(assign(&[], &people(3), plan), Err(AssignError::NoItem));
}

#[test]
fn training_comes_first_and_repeats_come_late() {
    let mut all = items(30);
    let known = Answered { answers: BTreeMap::new(), why: String::new() };
    all.push(item("t/1".to_owned(), Purpose::Training(known.clone())));
    all.push(item("g/1".to_owned(), Purpose::Gold(known)));
    let again = repeats(&all, 5, 3);
    assert_eq!(again.len(), 5);
    assert!(again.iter().all(|item| item.name.ends_with("~2")));
    all.extend(again);
    for seed in 0..50 {
        let plan = Plan { pairs: Pairs::Rotating, per_item: 2, seed };
        let assignment = assign(&all, &people(2), plan).unwrap();
        for queue in &assignment.queues {
            assert_eq!(queue.len(), 30 + 1 + 1 + 5);
            assert_eq!(queue[0], 30, "training");
            let place =
                |name: &str| queue.iter().position(|number| all[*number as usize].name == name).unwrap();
            for second in &all[32..] {
                let Purpose::Repeat(first) = &second.purpose else { panic!() };
                assert!(place(&second.name) > place(first) + 4, "seed {seed}");
            }
        }
    }
}

proptest! {
    #[test]
    fn everybody_has_a_fair_share(count in 1_usize..150, group in 1_usize..6, per_item in 1_usize..6, seed: u64) {
        prop_assume!(per_item <= group);
        let assignment =
            assign(&items(count), &people(group), Plan { pairs: Pairs::Rotating, per_item, seed }).unwrap();
        let owners = owners(&assignment);
        prop_assert_eq!(owners.len(), count);
        prop_assert!(owners.values().all(|owners| owners.len() == per_item));
        let loads: Vec<usize> = assignment.queues.iter().map(Vec::len).collect();
        let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
        prop_assert!(most - least <= 1, "{:?}", loads);
    }
}
