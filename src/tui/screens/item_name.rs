//! Names of items where there is little room.
//!
//! Promises: of two items of a list what tells them apart stays: of a task the end of its name, of a turn its task, the
//! end of its trajectory and its number; what is shown of a turn is accepted where an item is named. Leaves to others:
//! the whole names (`label::turn`).

use crate::label::item::SECOND;
use crate::label::turn::TurnName;
use crate::text;

/// Digits of a trajectory's id that are shown where there is room, and where there is not: ids that were made one after
/// the other begin alike.
const DIGITS: [usize; 2] = [8, 4];

/// Fewest columns of a task's name before the place of a turn is cut.
const TASK: usize = 6;

/// The name of an item in so many columns.
pub fn fitted(item: &str, columns: usize) -> String {
    if text::width(item) <= columns {
        return item.to_owned();
    }
    let Some(turn) = TurnName::of_item(item) else { return text::truncate_start(item, columns).into_owned() };
    let (task, id) = (turn.task.to_string(), turn.task.id.as_str());
    let trajectory = turn.trajectory.to_string();
    let again = if item.ends_with(SECOND) { SECOND } else { "" };
    let places = DIGITS.map(|digits| {
        format!("#{}/{}.{}{again}", &trajectory[trajectory.len() - digits..], turn.attempt, turn.turn)
    });
    let whole = places.iter().flat_map(|place| [&task, id].map(|task| format!("{task}{place}")));
    let fits = |name: &String| text::width(name) <= columns;
    if let Some(name) = whole.into_iter().find(fits) {
        return name;
    }
    // The task gives way first, at its start as elsewhere; the place stays whole as long as there is room for both.
    let [_, place] = places;
    match columns.checked_sub(text::width(&place)).filter(|room| *room >= TASK) {
        Some(room) => format!("{}{place}", text::truncate_start(id, room)),
        None => text::truncate_start(&place, columns).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::turn::may_mean;

    const RUN: &str = "0193ab12-3c4d-7000-8000-0000000000aa";
    const ONE: &str = "0193ab12-3c4e-7000-8000-0000000001bb";
    const OTHER: &str = "0193ab12-3c4e-7000-8000-0000000002bc";

    #[test]
    fn two_turns_of_one_task_are_told_apart_at_any_width() {
        let name = |trajectory: &str, turn: &str| format!("set/HumanEval/12#1#{RUN}/{trajectory}/{turn}");
        let names = [name(ONE, "1.1"), name(ONE, "1.2"), name(OTHER, "1.1"), name(OTHER, "2.1") + SECOND];
        for columns in 0..140 {
            let shown: Vec<String> = names.iter().map(|name| fitted(name, columns)).collect();
            assert!(shown.iter().all(|name| text::width(name) <= columns), "{columns}: {shown:?}");
            let mut apart = shown.clone();
            apart.sort();
            apart.dedup();
            assert!(columns < 10 || apart.len() == names.len(), "{columns}: {shown:?}");
        }
        assert_eq!(fitted(&names[1], 40), "set/HumanEval/12#1#000001bb/1.2");
        assert_eq!(fitted(&names[1], 28), "HumanEval/12#1#000001bb/1.2");
        assert_eq!(fitted(&names[1], 20), "…nEval/12#1#01bb/1.2");
        // What is shown can be written where an item is named.
        for columns in [27, 40] {
            let shown = fitted(&names[1], columns);
            assert!(may_mean(&shown, &names[1]) && !may_mean(&shown, &names[2]), "{shown}");
        }
    }

    #[test]
    fn of_a_task_the_end_stays() {
        assert_eq!(fitted("set/HumanEval/12#1", 30), "set/HumanEval/12#1");
        assert_eq!(fitted("set/HumanEval/12#1", 8), "…al/12#1");
        assert_eq!(fitted("set/难/错误", 7), "…/错误");
        assert_eq!(fitted("", 0), "");
    }
}
