//! What is labelled in a round: its items.
//!
//! Promises: an item is named by one word, the same in commands, events and exports; it holds the revision that
//! the annotators see, so that a task that changed later is noticed. Leaves to others: reading tasks
//! (`catalogue`), showing them.

use super::turn::{may_mean, task_of};
use super::value::Labels;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What stands behind the name of an item that is served a second time.
pub const SECOND: &str = "~2";

/// A task or a turn that is labelled in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its name: `dataset/id`, or for a turn `dataset/id#run/trajectory/attempt.turn`; served again, with `~2`
    /// behind it.
    pub name: String,
    /// Revision of the task, or hash of what the turn made of it: 64 hexadecimal digits.
    pub revision: String,
    /// The parts by which a sample is stratified.
    #[serde(default)]
    pub stratum: Stratum,
    /// What it is there for.
    #[serde(default)]
    pub purpose: Purpose,
    /// Rounds, by id, in which its annotators have seen it before: its labels are no independent ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen_in: Vec<uuid::Uuid>,
}

/// What samples are stratified by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stratum {
    /// Name of the dataset.
    pub dataset: String,
    /// Language.
    pub language: String,
    /// Error type; empty where it is not known.
    #[serde(default)]
    pub error_type: String,
}

/// What an item is there for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To be labelled and compared.
    #[default]
    Study,
    /// To learn with: it comes first, and its answers are told at once. It counts for nothing.
    Training(Answered),
    /// Its answers are known to the lead: a measure of care. It counts for nothing else.
    Gold(Answered),
    /// The item with this name, served a second time to see whether an annotator agrees with themself.
    Repeat(String),
}

/// Answers that are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// By question.
    pub answers: Labels,
    /// Why these.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Purpose {
    /// Whether agreement between annotators is measured on it: not where the answer was chosen to be known.
    pub fn is_compared(&self) -> bool {
        *self == Purpose::Study
    }

    /// Whether it is dealt out to annotators; training goes to all, a second serving to who had the first.
    pub fn is_dealt(&self) -> bool {
        matches!(self, Purpose::Study | Purpose::Gold(_))
    }

    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Purpose::Study => "study",
            Purpose::Training(_) => "training",
            Purpose::Gold(_) => "gold",
            Purpose::Repeat(_) => "repeat",
        }
    }
}

/// The items of a round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Items {
    list: Vec<Item>,
    places: HashMap<String, usize>,
}

/// A name that is not an item's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// Nothing is called so.
    #[error("`{name}` is no item of this round{}", near_clause(.near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What was perhaps meant, the closest first.
        near: Vec<String>,
    },
    /// Several are.
    #[error("`{name}` may be {}; write the whole name", .fitting.join(" or "))]
    Several {
        /// What was asked for.
        name: String,
        /// The first few that fit.
        fitting: Vec<String>,
    },
}

fn near_clause(near: &[String]) -> String {
    match near {
        [] => "; `mendbench label list --missing` names what is left to label".to_owned(),
        near => format!("; the closest names are {}", near.join(", ")),
    }
}

/// A name without its dataset.
fn id(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, id)| id)
}

/// Names that are longer were not typed, and to compare them with all others takes long.
const LONGEST: usize = 200;

impl Items {
    /// Adds items; one whose name is there already is left out and told.
    pub fn add(&mut self, items: impl IntoIterator<Item = Item>) -> Vec<String> {
        let mut twice = Vec::new();
        for item in items {
            if self.places.contains_key(&item.name) {
                twice.push(item.name);
                continue;
            }
            self.places.insert(item.name.clone(), self.list.len());
            self.list.push(item);
        }
        twice
    }

    /// All of them, in the order of the round.
    pub fn list(&self) -> &[Item] {
        &self.list
    }

    /// The item with this number.
    pub fn get(&self, number: usize) -> Option<&Item> {
        self.list.get(number)
    }

    /// The number of the item with exactly this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The number of the item with this name, or of the only one that can be meant by it ([`may_mean`]).
    pub fn find(&self, name: &str) -> Result<usize, ItemError> {
        if let Some(place) = self.place(name) {
            return Ok(place);
        }
        let fitting: Vec<&Item> =
            self.list.iter().filter(|item| may_mean(name, &item.name)).take(3).collect();
        match fitting.as_slice() {
            [] => Err(ItemError::Unknown { name: name.to_owned(), near: self.near(name) }),
            [only] => self
                .place(&only.name)
                .ok_or_else(|| ItemError::Unknown { name: name.to_owned(), near: Vec::new() }),
            several => Err(ItemError::Several {
                name: name.to_owned(),
                fitting: several.iter().map(|item| item.name.clone()).collect(),
            }),
        }
    }

    /// The names that are closest to what was written: those that hold it, the shortest first; where none does, those
    /// with the fewest letters changed.
    fn near(&self, written: &str) -> Vec<String> {
        let wanted = written.to_lowercase();
        let length = wanted.chars().count();
        if length == 0 || length > LONGEST {
            return Vec::new();
        }
        let far = |item: &Item| {
            let name = item.name.to_lowercase();
            if name.contains(&wanted) {
                return Some((0, name.len()));
            }
            // Of a turn the task is what people remember; a dataset they leave out, or take for another.
            let task = task_of(&name);
            let changed = [(wanted.as_str(), task), (&wanted, id(task)), (id(&wanted), id(task))].map(
                |(written, known)| {
                    let changed = strsim::damerau_levenshtein(written, known);
                    (changed <= (written.chars().count() / 3).clamp(1, 6)).then_some(changed)
                },
            );
            changed.into_iter().flatten().min().map(|changed| (1, changed))
        };
        let mut near: Vec<_> = self.list.iter().filter_map(|item| Some((far(item)?, &item.name))).collect();
        // The sort is stable: of equals the first of the round comes first.
        near.sort_by_key(|(far, _)| *far);
        let best = near.first().map(|((kind, _), _)| *kind);
        let alike = near.into_iter().take_while(|((kind, _), _)| Some(*kind) == best);
        alike.take(3).map(|(_, name)| name.clone()).collect()
    }
}

/// Items as they are now, by name: their revisions.
pub type Revisions = HashMap<String, String>;

/// What became of items since the round was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// No longer there.
    pub gone: Vec<String>,
    /// There, but changed.
    pub changed: Vec<String>,
}

impl Items {
    /// Compares with what is there now. Of an item that is served twice only the first is told.
    pub fn drift(&self, now: &Revisions) -> Drift {
        let mut drift = Drift::default();
        for item in self.list.iter().filter(|item| !matches!(item.purpose, Purpose::Repeat(_))) {
            match now.get(&item.name) {
                None => drift.gone.push(item.name.clone()),
                Some(revision) if *revision != item.revision => drift.changed.push(item.name.clone()),
                Some(_) => {}
            }
        }
        drift
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::item;
    use super::*;

    #[test]
    fn items_are_found_by_name_and_by_id() {
        let mut items = Items::default();
        assert_eq!(items.add(["d/1", "d/2", "e/2", "d/1"].map(item)), ["d/1"]);
        assert_eq!(items.list().len(), 3);
        assert_eq!(items.find("d/2"), Ok(1));
        assert_eq!(items.find("1"), Ok(0));
        assert_eq!(items.find("2").unwrap_err().to_string(), "`2` may be d/2 or e/2; write the whole name");
        let far = ItemError::Unknown { name: "unlike".to_owned(), near: Vec::new() };
        assert_eq!(items.find("unlike"), Err(far.clone()));
        assert_eq!(
            far.to_string(),
            "`unlike` is no item of this round; `mendbench label list --missing` names what is left to label"
        );
    }

    #[test]
    fn what_was_perhaps_meant_is_told() {
        let mut items = Items::default();
        let names = ["set/HumanEval/150#1", "set/HumanEval/15#1", "set/HumanEval/151#2", "set/inc#1"];
        items.add(names.map(item));
        let near = |written: &str| match items.find(written) {
            Err(ItemError::Unknown { near, .. }) => near,
            other => panic!("{written}: {other:?}"),
        };
        assert_eq!(near("HumanEval/150"), ["set/HumanEval/150#1"]);
        assert_eq!(
            near("humaneval/15"),
            ["set/HumanEval/15#1", "set/HumanEval/150#1", "set/HumanEval/151#2"]
        );
        assert_eq!(
            near("HumanEvl/151#2"),
            ["set/HumanEval/151#2", "set/HumanEval/150#1", "set/HumanEval/15#1"]
        );
        assert_eq!(near("other/inc#1"), ["set/inc#1"]);
        assert!(near("").is_empty() && near("zzz").is_empty() && near(&"inc#1".repeat(100)).is_empty());
        let error = items.find("HumanEval/150").unwrap_err().to_string();
        assert_eq!(
            error,
            "`HumanEval/150` is no item of this round; the closest names are set/HumanEval/150#1"
        );
    }

    #[test]
    fn the_only_turn_of_a_task_is_found_by_the_task() {
        let turn = |id: &str, turn: &str| {
            let (run, one) = (uuid::Uuid::nil(), uuid::Uuid::max());
            item(format!("d/{id}#{run}/{one}/{turn}"))
        };
        let mut items = Items::default();
        items.add([turn("1", "1.1"), turn("2", "1.1"), turn("2", "1.2")]);
        assert_eq!((items.find("1"), items.find("d/1"), items.find("2#1.2")), (Ok(0), Ok(0), Ok(2)));
        assert!(items.find("d/2").unwrap_err().to_string().contains("write the whole name"));
        let whole = items.list()[2].name.clone();
        assert_eq!(items.find(&whole), Ok(2));
    }

    #[test]
    fn what_is_gone_or_changed_is_told() {
        let mut items = Items::default();
        items.add(["d/1", "d/2", "d/3"].map(item));
        let now = [("d/1", "r"), ("d/2", "s"), ("d/9", "r")].map(|(name, r)| (name.to_owned(), r.to_owned()));
        let drift = items.drift(&now.into_iter().collect());
        assert_eq!(drift, Drift { gone: vec!["d/3".to_owned()], changed: vec!["d/2".to_owned()] });
    }
}
