//! Which columns the list has at a width, and how wide they are.
//!
//! Promises: id and title always; others join as there is room, the most telling first.

use crate::task::Kind;
use crate::task::table::TaskTable;
use crate::text;

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Id.
    Id,
    /// Title.
    Title,
    /// Dataset.
    Dataset,
    /// Language.
    Language,
    /// Error type.
    ErrorType,
    /// Kind.
    Kind,
    /// Granularity.
    Granularity,
    /// Lines added and removed.
    Changed,
    /// Tests that the task lists.
    Tests,
    /// What was said about it in the round in hand.
    Labels,
}

/// What the tasks of the list have at all: columns that would be empty or the same everywhere are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Present {
    /// Not all tasks are of the same dataset.
    pub datasets: bool,
    /// Some task has an error type.
    pub error_types: bool,
    /// Not all tasks have the same language.
    pub languages: bool,
    /// Some task lists tests.
    pub tests: bool,
    /// Not all tasks are to be repaired.
    pub kinds: bool,
    /// Width of the widest id that was looked at.
    pub id_width: usize,
    /// Labels of a round may be seen.
    pub labels: bool,
}

/// Columns of the labels at least: what is counted, and marks.
const LABELS: u16 = 9;

/// Columns that the labels have at most: answers in short as well.
const LABELS_AT_MOST: u16 = 30;

/// Columns that the title keeps before the labels grow.
const TITLE: u16 = 44;

impl Present {
    /// Rows that are looked at: enough to know what a dataset has, few enough to be quick.
    const LOOKED_AT: u32 = 1_000;

    /// What the first rows of a table have.
    pub fn of(table: &TaskTable) -> Present {
        let mut present = Present::default();
        let (mut language, mut dataset) = (None, None);
        for row in (0..Present::LOOKED_AT).map_while(|row| table.get(row)) {
            present.id_width = present.id_width.max(text::width(row.id));
            present.error_types |= !row.error_type.is_empty();
            present.tests |= row.tests > 0;
            present.kinds |= row.kind != Kind::Repair;
            present.datasets |= *dataset.get_or_insert(row.dataset) != row.dataset;
            present.languages |= *language.get_or_insert(row.language) != row.language;
        }
        present
    }
}

/// Columns with their widths, left to right, one blank between them.
pub fn columns(width: u16, present: Present) -> Vec<(Column, u16)> {
    let id = u16::try_from(present.id_width).unwrap_or(u16::MAX).clamp(4, (width / 3).clamp(8, 34));
    // In the order in which they join; the order on the screen is that of `Column`.
    let optional = [
        (present.labels, Column::Labels, LABELS, 22),
        (present.datasets, Column::Dataset, 12, 22),
        (present.languages, Column::Language, 6, 26),
        (present.error_types, Column::ErrorType, 4, 26),
        (present.kinds, Column::Kind, 9, 26),
        (true, Column::Changed, 9, 26),
        (true, Column::Granularity, 11, 44),
        (present.tests, Column::Tests, 5, 50),
    ];
    let mut room = width.saturating_sub(id + 1);
    let mut columns = vec![(Column::Id, id)];
    for (wanted, column, wide, title) in optional {
        // The title keeps enough to be read.
        if wanted && room >= wide + 1 + title {
            room -= wide + 1;
            columns.push((column, wide));
        }
    }
    if let Some((_, wide)) = columns.iter_mut().find(|(column, _)| *column == Column::Labels) {
        let more = room.saturating_sub(TITLE).min(LABELS_AT_MOST - LABELS);
        *wide += more;
        room -= more;
    }
    columns.push((Column::Title, room));
    columns.sort_by_key(|(column, _)| *column as u8);
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_join_as_there_is_room_and_fill_the_width() {
        let present = Present {
            datasets: false,
            error_types: true,
            languages: true,
            tests: true,
            kinds: false,
            id_width: 20,
            labels: false,
        };
        let names = |width| columns(width, present).into_iter().map(|(column, _)| column).collect::<Vec<_>>();
        assert_eq!(names(30), [Column::Id, Column::Title]);
        assert_eq!(names(56), [Column::Id, Column::Title, Column::Language]);
        assert_eq!(
            names(70),
            [Column::Id, Column::Title, Column::Language, Column::ErrorType, Column::Changed]
        );
        assert_eq!(names(120).len(), 7);
        let labelled = Present { labels: true, ..present };
        let of_labels = |width| {
            let column = columns(width, labelled).into_iter().find(|(column, _)| *column == Column::Labels);
            column.map(|(_, wide)| wide)
        };
        assert_eq!([40, 77, 200].map(of_labels), [None, Some(LABELS), Some(LABELS_AT_MOST)]);
        for (width, present) in (0..300).flat_map(|width| [(width, present), (width, labelled)]) {
            let columns = columns(width, present);
            let total: u16 = columns.iter().map(|(_, wide)| wide + 1).sum::<u16>() - 1;
            assert!(total <= width.max(14), "{width}: {total}");
        }
    }
}
