//! Who labels what, and in which order.
//!
//! Promises: pure and seeded; every item has exactly as many annotators as were asked for, all different; nobody
//! has more than one item more than anybody else; each annotator has an order of their own, so that fatigue does
//! not strike the same items twice; training comes first; an item that is served again comes at a distance.
//! Leaves to others: which items there are (`sample`).

use super::draw::Draw;
use super::item::{Item, Purpose, SECOND};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How annotators are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pairs {
    /// In teams, in the order in which they are named; a team labels all of its items together.
    Fixed,
    /// Everybody with everybody, in turn.
    Rotating,
}

/// What is wanted of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How annotators are put together.
    pub pairs: Pairs,
    /// How many annotators label each item.
    pub per_item: usize,
    /// Seed of all that is random in it.
    pub seed: u64,
}

/// Who labels what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// How annotators were put together.
    pub pairs: Pairs,
    /// How many annotators label each item.
    pub per_item: usize,
    /// Seed.
    pub seed: u64,
    /// What each annotator labels, by the number of the annotator.
    pub queues: Vec<Vec<u32>>,
}

/// Why nothing can be assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    /// There are fewer annotators than an item needs, or an item needs none.
    #[error("{per_item} annotators an item cannot be had from {annotators}")]
    TooFew {
        /// Asked for.
        per_item: usize,
        /// There are.
        annotators: usize,
    },
    /// Annotators do not go into teams.
    #[error(
        "{annotators} annotators do not make teams of {per_item}: choose rotating pairs, or another number an item"
    )]
    NoTeams {
        /// Size of a team.
        per_item: usize,
        /// There are.
        annotators: usize,
    },
    /// There is nothing to label.
    #[error("there is no item to label")]
    NoItem,
}

/// Assigns items to annotators, who are known by their keys.
pub fn assign(items: &[Item], annotators: &[String], plan: Plan) -> Result<Assignment, AssignError> {
    let Plan { pairs, per_item, seed } = plan;
    let people = annotators.len();
    if per_item == 0 || per_item > people {
        return Err(AssignError::TooFew { per_item, annotators: people });
    }
    if pairs == Pairs::Fixed && !people.is_multiple_of(per_item) {
        return Err(AssignError::NoTeams { per_item, annotators: people });
    }
    let is_dealt = |number: &usize| items[*number].purpose.is_dealt();
    let mut dealt: Vec<usize> = (0..items.len()).filter(is_dealt).collect();
    if dealt.is_empty() {
        return Err(AssignError::NoItem);
    }
    Draw::new(seed, &["deal"]).shuffle(&mut dealt);
    let owners = match pairs {
        Pairs::Fixed => in_teams(&dealt, people, per_item),
        Pairs::Rotating => in_turn(&dealt, people, per_item, seed),
    };
    let places: HashMap<&str, usize> =
        items.iter().enumerate().map(|(number, item)| (item.name.as_str(), number)).collect();
    let queues = annotators.iter().enumerate().map(|(person, key)| {
        let own: Vec<usize> =
            dealt.iter().copied().filter(|number| owners[number].contains(&person)).collect();
        let repeats: Vec<(usize, usize)> = items
            .iter()
            .enumerate()
            .filter_map(|(number, item)| match &item.purpose {
                Purpose::Repeat(first) => Some((number, *places.get(first.as_str())?)),
                _ => None,
            })
            .filter(|(_, first)| own.contains(first))
            .collect();
        let training =
            (0..items.len()).filter(|number| matches!(items[*number].purpose, Purpose::Training(_)));
        let mut queue: Vec<usize> = training.collect();
        queue.extend(served(own, &repeats, seed, key));
        queue.into_iter().map(|number| number as u32).collect()
    });
    Ok(Assignment { pairs, per_item, seed, queues: queues.collect() })
}

/// Items dealt to teams, one after the other.
fn in_teams(dealt: &[usize], people: usize, per_item: usize) -> HashMap<usize, Vec<usize>> {
    let teams = people / per_item;
    let team = |turn: usize| (0..per_item).map(|member| turn % teams * per_item + member).collect();
    dealt.iter().enumerate().map(|(turn, number)| (*number, team(turn))).collect()
}

/// Items dealt to those who have the fewest; of these, to those who have met each other least.
fn in_turn(dealt: &[usize], people: usize, per_item: usize, seed: u64) -> HashMap<usize, Vec<usize>> {
    let mut load = vec![0_usize; people];
    let mut met = vec![vec![0_usize; people]; people];
    let mut draw = Draw::new(seed, &["turns"]);
    let mut owners = HashMap::new();
    for number in dealt {
        let order = draw.order(people);
        let mut chosen: Vec<usize> = Vec::with_capacity(per_item);
        while chosen.len() < per_item {
            let left = order.iter().enumerate().filter(|(_, person)| !chosen.contains(person));
            let together = |person: usize| chosen.iter().map(|other| met[person][*other]).sum::<usize>();
            let next = left.min_by_key(|(place, person)| (load[**person], together(**person), *place));
            let Some((_, person)) = next else { break };
            chosen.push(*person);
        }
        for person in &chosen {
            load[*person] += 1;
            for other in &chosen {
                met[*person][*other] += 1;
            }
        }
        chosen.sort_unstable();
        owners.insert(*number, chosen);
    }
    owners
}

/// The order in which somebody is served: items that come again stand in the first half, and again in the last
/// third.
fn served(mut own: Vec<usize>, repeats: &[(usize, usize)], seed: u64, key: &str) -> Vec<usize> {
    let mut draw = Draw::new(seed, &["order", key]);
    own.sort_unstable();
    draw.shuffle(&mut own);
    let comes_again = |number: &usize| repeats.iter().any(|(_, first)| first == number);
    let half = own.len() / 2;
    let mut free: Vec<usize> = (0..half).filter(|place| !comes_again(&own[*place])).collect();
    for place in half..own.len() {
        if comes_again(&own[place])
            && let Some(earlier) = free.pop()
        {
            own.swap(place, earlier);
        }
    }
    let last_third = own.len() - own.len() / 3;
    for (again, _) in repeats {
        let place = last_third + draw.below(own.len() - last_third + 1);
        own.insert(place, *again);
    }
    own
}

/// Items that are served a second time, drawn from those that are compared.
pub fn repeats(items: &[Item], count: usize, seed: u64) -> Vec<Item> {
    let mut again: Vec<&Item> = items.iter().filter(|item| item.purpose == Purpose::Study).collect();
    Draw::new(seed, &["repeats"]).shuffle(&mut again);
    again.truncate(count);
    let second = |item: &Item| Item {
        name: format!("{}{SECOND}", item.name),
        purpose: Purpose::Repeat(item.name.clone()),
        ..item.clone()
    };
    again.into_iter().map(second).collect()
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
