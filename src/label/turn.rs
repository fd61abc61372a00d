//! The names of turns as items: `dataset/id#run/trajectory/attempt.turn`.
//!
//! Promises: pure; a name is read back to exactly what it was made of, and nothing else is taken for one. People may
//! write less of it, as far as that fits one item only. Leaves to others: what a turn made (`runner`).

use super::item::SECOND;
use crate::task::TaskName;
use std::fmt;
use uuid::Uuid;

/// Fewest digits of an id that people may write.
const DIGITS: usize = 4;

/// A turn of a stored repair run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnName {
    /// The task that was to be repaired.
    pub task: TaskName,
    /// The run.
    pub run: Uuid,
    /// The trajectory.
    pub trajectory: Uuid,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The turn in it, from 1.
    pub turn: u32,
}

impl fmt::Display for TurnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TurnName { task, run, trajectory, attempt, turn } = self;
        write!(f, "{task}#{run}/{trajectory}/{attempt}.{turn}")
    }
}

impl TurnName {
    /// The turn with this name; `None`: it is none, but perhaps a task's.
    pub fn parse(name: &str) -> Option<TurnName> {
        let (task, place) = name.rsplit_once('#')?;
        let mut parts = place.split('/');
        let (run, trajectory, turn) = (parts.next()?, parts.next()?, parts.next()?);
        let (attempt, turn) = turn.split_once('.')?;
        let number = |digits: &str| digits.parse::<u32>().ok().filter(|number| *number > 0);
        let parsed = TurnName {
            task: task.parse().ok()?,
            run: run.parse().ok()?,
            trajectory: trajectory.parse().ok()?,
            attempt: number(attempt)?,
            turn: number(turn)?,
        };
        // Ids and numbers can be written in several ways, and a name in one only.
        (parts.next().is_none() && parsed.to_string() == name).then_some(parsed)
    }

    /// The turn that an item is about, also where it is served a second time.
    pub fn of_item(name: &str) -> Option<TurnName> {
        TurnName::parse(name.strip_suffix(SECOND).unwrap_or(name))
    }

    /// Whether what stands behind the `#` can be written like this: its end, and of an id its first or last digits.
    fn is_at(&self, place: &str) -> bool {
        let mut parts = place.rsplit('/');
        let is = |id: Uuid, part: Option<&str>| {
            part.is_none_or(|part| {
                let (id, part) = (id.to_string(), part.to_ascii_lowercase());
                part.len() >= DIGITS && (id.starts_with(&part) || id.ends_with(&part))
            })
        };
        parts.next() == Some(format!("{}.{}", self.attempt, self.turn).as_str())
            && is(self.trajectory, parts.next())
            && is(self.run, parts.next())
            && parts.next().is_none()
    }
}

/// The name of the task that an item is about, `dataset/id`: without the turn, and without the mark of a second serving.
/// An id may hold the sign of a turn itself, as those of FeedbackEval do: `d/HumanEval/0#1` is a task.
pub fn task_of(item: &str) -> &str {
    let name = item.strip_suffix(SECOND).unwrap_or(item);
    match (TurnName::parse(name), name.rsplit_once('#')) {
        (Some(_), Some((task, _))) => task,
        _ => name,
    }
}

/// Whether an item with this name can be meant by what somebody wrote: the name without its dataset; of a turn also the
/// task alone, or the task with the end of what stands behind the `#`, as `id#1.2`.
pub fn may_mean(written: &str, name: &str) -> bool {
    if name.split_once('/').is_some_and(|(_, id)| id == written) {
        return true;
    }
    let (written, name) = match (written.strip_suffix(SECOND), name.strip_suffix(SECOND)) {
        (Some(written), Some(name)) => (written, name),
        (None, None) => (written, name),
        _ => return false,
    };
    let Some(turn) = TurnName::parse(name) else { return false };
    let is_task = |text: &str| text == turn.task.id || text == turn.task.to_string();
    // An id may hold the sign itself.
    is_task(written)
        || written.rsplit_once('#').is_some_and(|(task, place)| is_task(task) && turn.is_at(place))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const RUN: &str = "0193ab12-3c4d-7000-8000-0000000000aa";
    const ONE: &str = "0193ab12-3c4e-7000-8000-0000000001bb";

    fn name(task: &str, turn: &str) -> String {
        format!("{task}#{RUN}/{ONE}/{turn}")
    }

    #[test]
    fn items_are_led_back_to_their_tasks() {
        for task in ["d/1", "d/HumanEval/0#1", "d/with#sign/x", "d/a~b"] {
            assert_eq!(task_of(task), task);
            assert_eq!(task_of(&format!("{task}{SECOND}")), task);
            let turn = name(task, "2.13");
            assert_eq!(task_of(&turn), task);
            assert_eq!(task_of(&format!("{turn}{SECOND}")), task);
        }
    }

    #[test]
    fn names_are_read_back() {
        for task in ["d/1", "d/a/b", "d/with#sign", "d/ümlaut #1/2/3.4"] {
            let text = name(task, "2.13");
            let parsed = TurnName::parse(&text).unwrap();
            assert_eq!((parsed.to_string(), parsed.task.to_string()), (text.clone(), task.to_owned()));
            assert_eq!((parsed.attempt, parsed.turn, parsed.run.to_string().as_str()), (2, 13, RUN));
            assert_eq!(TurnName::of_item(&format!("{text}~2")), Some(parsed));
            assert_eq!(TurnName::parse(&format!("{text}~2")), None);
        }
    }

    #[test]
    fn nothing_else_is_taken_for_one() {
        let upper = name("d/1", "1.1").to_uppercase();
        for bad in ["", "d/1", "d/1#", "d/1#1.2", "#", upper.as_str()] {
            assert_eq!(TurnName::parse(bad), None, "{bad}");
        }
        for turn in ["1", "1.0", "0.1", "01.1", "+1.1", "1.1/", "1.1.1", "x.1", "1.99999999999"] {
            assert_eq!(TurnName::parse(&name("d/1", turn)), None, "{turn}");
        }
        for task in ["", "d", "/1", "d/"] {
            assert_eq!(TurnName::parse(&name(task, "1.1")), None, "{task}");
        }
    }

    #[test]
    fn people_may_write_less() {
        let whole = name("d/a/1", "1.2");
        let shorter = [
            "d/a/1",
            "a/1",
            "a/1#1.2",
            "d/a/1#01bb/1.2",
            "d/a/1#0193ab12-3c4e/1.2",
            "a/1#0193AB12/0193/1.2",
            &whole[2..],
        ];
        for written in shorter {
            assert!(may_mean(written, &whole), "{written}");
            assert!(may_mean(&format!("{written}~2"), &format!("{whole}~2")), "{written}");
            assert!(!may_mean(written, &format!("{whole}~2")), "{written}");
        }
        for other in ["1", "a/1#1.1", "a/1#2", "a/1#bb/1.2", "a/1#ffff/1.2", "a/1#0193/0193/0193/1.2", "a/1#"]
        {
            assert!(!may_mean(other, &whole), "{other}");
        }
        assert!(may_mean("a/1", "d/a/1") && !may_mean("1", "d/a/1") && !may_mean("d/a/1", "d/a/1"));
    }
}
