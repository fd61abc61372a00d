//! Rows in the order in which a list shows them: sorted, and gathered in groups with counts.
//!
//! Promises: pure and stable (equal rows keep the order of the table); ranking by words and sorting two
//! hundred thousand rows by number take a few milliseconds. Leaves to others: choosing rows (`filter`).

use super::filter::Filter;
use super::table::TaskTable;
use std::collections::{HashMap, HashSet};

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SortKey {
    /// Best match first where words were typed, otherwise the order of the dataset.
    #[default]
    Natural,
    /// Id, by letters, numbers in it by value.
    Id,
    /// Title.
    Title,
    /// Language.
    Language,
    /// Error type.
    ErrorType,
    /// Granularity, narrowest first.
    Granularity,
    /// Lines changed.
    Changed,
}

impl SortKey {
    /// All keys, in the order in which the sort key goes through them.
    pub const ALL: [SortKey; 7] = [
        SortKey::Natural,
        SortKey::Id,
        SortKey::Title,
        SortKey::Language,
        SortKey::ErrorType,
        SortKey::Granularity,
        SortKey::Changed,
    ];

    /// The name on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            SortKey::Natural => "dataset order",
            SortKey::Id => "id",
            SortKey::Title => "title",
            SortKey::Language => "language",
            SortKey::ErrorType => "type",
            SortKey::Granularity => "granularity",
            SortKey::Changed => "lines changed",
        }
    }

    /// The next key, round and round.
    pub fn next(self) -> SortKey {
        let position = SortKey::ALL.iter().position(|key| *key == self).unwrap_or(0);
        SortKey::ALL[(position + 1) % SortKey::ALL.len()]
    }
}

/// What rows are gathered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GroupBy {
    /// One flat list.
    #[default]
    Nothing,
    /// The origin that variants share.
    Group,
    /// Error type.
    ErrorType,
    /// Language.
    Language,
    /// Granularity.
    Granularity,
    /// Dataset.
    Dataset,
}

impl GroupBy {
    /// All of them, in the order in which the grouping key goes through them.
    pub const ALL: [GroupBy; 6] = [
        GroupBy::Nothing,
        GroupBy::Group,
        GroupBy::ErrorType,
        GroupBy::Language,
        GroupBy::Granularity,
        GroupBy::Dataset,
    ];

    /// The name on screens and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupBy::Nothing => "nothing",
            GroupBy::Group => "group",
            GroupBy::ErrorType => "type",
            GroupBy::Language => "language",
            GroupBy::Granularity => "granularity",
            GroupBy::Dataset => "dataset",
        }
    }

    /// The next one, round and round.
    pub fn next(self) -> GroupBy {
        let position = GroupBy::ALL.iter().position(|by| *by == self).unwrap_or(0);
        GroupBy::ALL[(position + 1) % GroupBy::ALL.len()]
    }
}

/// How a list is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Arrangement {
    /// Sorted by this.
    pub sort: SortKey,
    /// The other way round.
    pub reversed: bool,
    /// Gathered by this.
    pub group_by: GroupBy,
}

/// A group and how many rows it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What its rows share; `—` where they have no value.
    pub label: String,
    /// Its rows, as a range of [`Arranged::rows`].
    pub rows: std::ops::Range<usize>,
}

/// Rows in order, with their groups (none where nothing was gathered).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arranged {
    /// Rows of the table.
    pub rows: Vec<u32>,
    /// Groups, in order; together they cover all rows.
    pub groups: Vec<Group>,
}

/// One line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The heading of a group: its number in [`Arranged::groups`].
    Group(u32),
    /// A task: its row in the table.
    Task(u32),
}

impl Arranged {
    /// Sorts and groups what a filter selected.
    pub fn new(table: &TaskTable, filter: &Filter, selected: Vec<(u32, u16)>, how: Arrangement) -> Arranged {
        let mut rows = sorted(table, filter, selected, how);
        if how.group_by == GroupBy::Nothing {
            return Arranged { rows, groups: Vec::new() };
        }
        // Origins come in the order in which they appear, other groups by name.
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut members: Vec<(String, Vec<u32>)> = Vec::new();
        for row in rows.drain(..) {
            let label = label(table, row, how.group_by);
            let number = match numbers.get(label.as_ref()) {
                Some(number) => *number,
                None => {
                    numbers.insert(label.clone().into_owned(), members.len());
                    members.push((label.into_owned(), Vec::new()));
                    members.len() - 1
                }
            };
            members[number].1.push(row);
        }
        if how.group_by == GroupBy::Granularity {
            members.sort_by_key(|(_, rows)| {
                rows.first()
                    .and_then(|row| table.get(*row))
                    .and_then(|row| row.granularity)
                    .map_or(u8::MAX, |g| g as u8)
            });
        } else if how.group_by != GroupBy::Group {
            members.sort_by(|a, b| (a.0 == "—", &a.0).cmp(&(b.0 == "—", &b.0)));
        }
        let mut groups = Vec::with_capacity(members.len());
        for (label, mut group) in members {
            groups.push(Group { label, rows: rows.len()..rows.len() + group.len() });
            rows.append(&mut group);
        }
        Arranged { rows, groups }
    }

    /// The lines of the list; groups named in `collapsed` show their heading only.
    pub fn entries(&self, collapsed: &HashSet<String>) -> Vec<Entry> {
        if self.groups.is_empty() {
            return self.rows.iter().map(|row| Entry::Task(*row)).collect();
        }
        let mut entries = Vec::with_capacity(self.rows.len() + self.groups.len());
        for (number, group) in self.groups.iter().enumerate() {
            entries.push(Entry::Group(number as u32));
            if !collapsed.contains(&group.label) {
                entries.extend(self.rows[group.rows.clone()].iter().map(|row| Entry::Task(*row)));
            }
        }
        entries
    }
}

fn label(table: &TaskTable, row: u32, by: GroupBy) -> std::borrow::Cow<'_, str> {
    let Some(summary) = table.get(row) else { return "—".into() };
    let label = match by {
        GroupBy::Nothing => "",
        GroupBy::Group => summary.group,
        GroupBy::ErrorType => summary.error_type,
        GroupBy::Language => summary.language,
        GroupBy::Granularity => summary.granularity.map_or("", |granularity| granularity.as_str()),
        GroupBy::Dataset => summary.dataset,
    };
    if label.is_empty() { "—".into() } else { label.into() }
}

fn sorted(table: &TaskTable, filter: &Filter, selected: Vec<(u32, u16)>, how: Arrangement) -> Vec<u32> {
    let mut rows: Vec<u32> = match how.sort {
        SortKey::Natural if filter.ranks() => by_score(&selected),
        _ => selected.into_iter().map(|(row, _)| row).collect(),
    };
    match how.sort {
        SortKey::Natural => {}
        SortKey::Id => {
            rows.sort_by(|a, b| natural(text(table, *a, |row| row.id), text(table, *b, |row| row.id)))
        }
        SortKey::Title => {
            rows.sort_by(|a, b| natural(text(table, *a, |row| row.title), text(table, *b, |row| row.title)))
        }
        SortKey::Language => {
            rows.sort_by(|a, b| text(table, *a, |row| row.language).cmp(text(table, *b, |row| row.language)));
        }
        SortKey::ErrorType => rows.sort_by(|a, b| {
            let key = |row| {
                let value = text(table, row, |row| row.error_type);
                (value.is_empty(), value)
            };
            key(*a).cmp(&key(*b))
        }),
        SortKey::Granularity => rows.sort_by_key(|row| {
            table.get(*row).and_then(|row| row.granularity).map_or(u8::MAX, |granularity| granularity as u8)
        }),
        SortKey::Changed => {
            rows.sort_by_key(|row| {
                table.get(*row).map_or(0, |row| u64::from(row.added) + u64::from(row.removed))
            });
        }
    }
    if how.reversed {
        rows.reverse();
    }
    rows
}

fn text<'a>(table: &'a TaskTable, row: u32, part: impl Fn(super::table::Summary<'a>) -> &'a str) -> &'a str {
    table.get(row).map_or("", part)
}

/// Best score first; a stable counting sort, for the scores are small and the rows are many.
fn by_score(selected: &[(u32, u16)]) -> Vec<u32> {
    let highest = selected.iter().map(|(_, score)| *score).max().unwrap_or(0);
    let mut starts = vec![0_u32; usize::from(highest) + 2];
    for (_, score) in selected {
        starts[usize::from(highest - score) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut rows = vec![0; selected.len()];
    for (row, score) in selected {
        let place = &mut starts[usize::from(highest - score)];
        rows[*place as usize] = *row;
        *place += 1;
    }
    rows
}

/// Compares letters ignoring ASCII case and runs of digits by value, so that `HumanEval/9` comes before
/// `HumanEval/10`.
fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        match (left.first(), right.first()) {
            (None, None) => return a.cmp(b),
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number_left, rest_left) = digits(left);
                let (number_right, rest_right) = digits(right);
                match number_left.len().cmp(&number_right.len()).then(number_left.cmp(number_right)) {
                    Ordering::Equal => (left, right) = (rest_left, rest_right),
                    other => return other,
                }
            }
            (Some(x), Some(y)) => match x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase()) {
                Ordering::Equal => (left, right) = (&left[1..], &right[1..]),
                other => return other,
            },
        }
    }
}

/// The leading run of digits without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let zeros = text[..end].iter().take_while(|b| **b == b'0').count();
    (&text[zeros..end], &text[end..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::table::Summary;
    use crate::task::{Granularity, Kind};
    use proptest::prelude::*;

    fn table() -> TaskTable {
        let mut table = TaskTable::new();
        for (id, group, granularity, added) in [
            ("HumanEval/10#1", "HumanEval/10", Some(Granularity::Hunk), 3),
            ("HumanEval/9#1", "HumanEval/9", Some(Granularity::Line), 1),
            ("HumanEval/10#2", "HumanEval/10", None, 0),
        ] {
            assert!(table.push(&Summary {
                dataset: "d",
                id,
                group,
                title: "t",
                kind: Kind::Repair,
                language: "python",
                error_type: "",
                class: None,
                granularity,
                added,
                removed: 0,
                tests: 0,
                marks: 0,
                key: 0,
            }));
        }
        table
    }

    fn order(how: Arrangement) -> Arranged {
        Arranged::new(&table(), &Filter::default(), vec![(0, 0), (1, 0), (2, 0)], how)
    }

    #[test]
    fn ids_are_sorted_by_the_value_of_their_numbers() {
        let how = Arrangement { sort: SortKey::Id, ..Arrangement::default() };
        assert_eq!(order(how).rows, [1, 0, 2]);
        assert_eq!(order(Arrangement { reversed: true, ..how }).rows, [2, 0, 1]);
        assert_eq!(order(Arrangement { sort: SortKey::Changed, ..how }).rows, [2, 1, 0]);
        assert_eq!(order(Arrangement { sort: SortKey::Granularity, ..how }).rows, [1, 0, 2]);
    }

    #[test]
    fn groups_carry_their_counts_and_collapse() {
        let arranged = order(Arrangement { group_by: GroupBy::Group, ..Arrangement::default() });
        let labels: Vec<(&str, usize)> =
            arranged.groups.iter().map(|g| (g.label.as_str(), g.rows.len())).collect();
        assert_eq!(labels, [("HumanEval/10", 2), ("HumanEval/9", 1)]);
        assert_eq!(
            arranged.entries(&HashSet::from(["HumanEval/10".to_owned()])),
            [Entry::Group(0), Entry::Group(1), Entry::Task(1)]
        );
        let by_granularity = order(Arrangement { group_by: GroupBy::Granularity, ..Arrangement::default() });
        let labels: Vec<&str> = by_granularity.groups.iter().map(|g| g.label.as_str()).collect();
        assert_eq!(labels, ["line", "hunk", "—"]);
    }

    proptest! {
        #[test]
        fn ranking_is_a_stable_sort_by_score(scores in prop::collection::vec(0_u16..50, 0..200)) {
            let selected: Vec<(u32, u16)> = scores.iter().enumerate().map(|(i, s)| (i as u32, *s)).collect();
            let mut expected = selected.clone();
            expected.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
            prop_assert_eq!(by_score(&selected), expected.into_iter().map(|(row, _)| row).collect::<Vec<_>>());
        }

        #[test]
        fn natural_order_is_a_total_order(a in "[a-cA-C0-2]{0,5}", b in "[a-cA-C0-2]{0,5}", c in "[a-cA-C0-2]{0,5}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                prop_assert!(natural(&a, &c).is_le());
            }
        }
    }
}
