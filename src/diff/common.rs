//! Equal lines that a line difference left inside a replaced run.
//!
//! Promises: afterwards no run has the same line on both of its sides, so a run is exactly what a patch
//! removes and adds, and lines that are aligned inside it later are never equal. Quick where a run has
//! nothing in common, and never more than a sort of its lines.
//! Leaves to others: the line difference itself (`compare`).

use super::compare::{Change, wide};
use std::collections::HashMap;

/// Divides each run at the lines that both of its sides have.
pub(super) fn divide(changes: Vec<Change>, old: &[u32], new: &[u32]) -> Vec<Change> {
    let mut divided = Vec::with_capacity(changes.len());
    for change in changes {
        let pairs = pairs(&old[wide(&change.old)], &new[wide(&change.new)]);
        let (mut at_old, mut at_new) = (change.old.start, change.new.start);
        for (pair_old, pair_new) in pairs {
            let (line_old, line_new) = (change.old.start + pair_old, change.new.start + pair_new);
            push(&mut divided, Change { old: at_old..line_old, new: at_new..line_new });
            (at_old, at_new) = (line_old + 1, line_new + 1);
        }
        push(&mut divided, Change { old: at_old..change.old.end, new: at_new..change.new.end });
    }
    divided
}

fn push(changes: &mut Vec<Change>, change: Change) {
    if !change.old.is_empty() || !change.new.is_empty() {
        changes.push(change);
    }
}

/// Pairs of equal lines, rising on both sides, such that between two of them there is no other.
fn pairs(old: &[u32], new: &[u32]) -> Vec<(u32, u32)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let mut places: HashMap<u32, Vec<u32>> = HashMap::with_capacity(new.len().min(old.len()));
    for line in old {
        places.entry(*line).or_default();
    }
    let mut any = false;
    for (at, line) in (0..).zip(new) {
        if let Some(found) = places.get_mut(line) {
            found.push(at);
            any = true;
        }
    }
    if !any {
        return Vec::new();
    }
    let anchors = anchors(old, &places);
    let (mut pairs, mut at_old, mut at_new) = (Vec::new(), 0, 0);
    let end = (narrow(old.len()), narrow(new.len()));
    for (anchor_old, anchor_new) in anchors.iter().copied().chain([end]) {
        // Each old line takes the next place that is free: what is left over has none.
        for line in at_old..anchor_old {
            let Some(found) = places.get(&old[line as usize]) else { continue };
            let next = found.get(found.partition_point(|place| *place < at_new));
            if let Some(place) = next.copied().filter(|place| *place < anchor_new) {
                pairs.push((line, place));
                at_new = place + 1;
            }
        }
        if (anchor_old, anchor_new) != end {
            pairs.push((anchor_old, anchor_new));
            (at_old, at_new) = (anchor_old + 1, anchor_new + 1);
        }
    }
    pairs
}

/// The longest rising row of pairs of lines that each side has once.
fn anchors(old: &[u32], places: &HashMap<u32, Vec<u32>>) -> Vec<(u32, u32)> {
    let mut times: HashMap<u32, u32> = HashMap::with_capacity(places.len());
    old.iter().for_each(|line| *times.entry(*line).or_default() += 1);
    let mut unique = Vec::new();
    for (at, line) in (0..).zip(old) {
        if let (Some(1), Some([place])) = (times.get(line), places.get(line).map(Vec::as_slice)) {
            unique.push((at, *place));
        }
    }
    // Patience: on top of each pile the pair with the least place that ends a row of that length.
    let (mut piles, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (number, (_, place)) in unique.iter().enumerate() {
        let pile = piles.partition_point(|top| unique[*top].1 < *place);
        before.push(pile.checked_sub(1).map(|pile| piles[pile]));
        match piles.get_mut(pile) {
            Some(top) => *top = number,
            None => piles.push(number),
        }
    }
    let mut row = Vec::with_capacity(piles.len());
    let mut next = piles.last().copied();
    while let Some(number) = next {
        row.push(unique[number]);
        next = before[number];
    }
    row.reverse();
    row
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn whole(old: &[u32], new: &[u32]) -> Vec<Change> {
        divide(vec![Change { old: 0..narrow(old.len()), new: 0..narrow(new.len()) }], old, new)
    }

    #[test]
    fn a_run_is_divided_where_its_sides_agree() {
        let change = |old, new| Change { old, new };
        for (old, new, expected) in [
            (&[1, 2][..], &[3, 4][..], vec![change(0..2, 0..2)]),
            (&[1, 2], &[1, 2], vec![]),
            (&[1, 2, 3], &[4, 2, 5], vec![change(0..1, 0..1), change(2..3, 2..3)]),
            (&[1, 2, 3, 4], &[4, 2, 3, 1], vec![change(0..1, 0..1), change(3..4, 3..4)]),
            (&[7, 7], &[7], vec![change(1..2, 1..1)]),
            (&[], &[1], vec![change(0..0, 0..1)]),
            // The line that both have once is kept, though another one comes first.
            (&[7, 1, 7], &[1, 7, 7], vec![change(0..1, 0..0), change(3..3, 2..3)]),
        ] {
            assert_eq!(whole(old, new), expected, "{old:?} {new:?}");
        }
    }

    proptest! {
        #[test]
        fn no_run_has_a_line_on_both_sides(
            old in proptest::collection::vec(0_u32..6, 0..30),
            new in proptest::collection::vec(0_u32..6, 0..30),
        ) {
            let changes = whole(&old, &new);
            let (mut rebuilt, mut at) = (Vec::new(), 0);
            for change in &changes {
                let (a, b) = (&old[wide(&change.old)], &new[wide(&change.new)]);
                prop_assert!(!a.iter().any(|line| b.contains(line)));
                rebuilt.extend_from_slice(&old[at..change.old.start as usize]);
                rebuilt.extend_from_slice(b);
                at = change.old.end as usize;
            }
            rebuilt.extend_from_slice(&old[at..]);
            prop_assert_eq!(rebuilt, new);
        }
    }
}
