//! Repairs of other tasks, shown as examples.
//!
//! Promises: never one of the task's own group; the same pool, task and seed give the same examples in the same order.
//! Leaves to others: where the pool comes from (callers).

use crate::repair::cell::Technique;
use crate::repair::form::Current;
use crate::syntax::functions;
use crate::syntax::language::language_of_file;
use crate::task::{FeedbackKind, Task};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Longest code of an example, in bytes: two of them and the task's own have to fit into a prompt.
const MOST_CODE: usize = 8_000;

/// A repair of another task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Its name, `dataset/id`.
    pub id: String,
    /// The group of its task.
    pub group: String,
    /// Our name of its language.
    pub language: String,
    /// The faulty code.
    pub buggy: String,
    /// Feedback on it, if there is any.
    pub feedback: Option<String>,
    /// The repaired code.
    pub fixed: String,
}

impl Example {
    /// The repair of a task: its targets (functions where they are named and found, else whole files) before and after,
    /// with the stored feedback of this kind. `None` without a reference that changes them, and for code that is not text
    /// or too long to be shown beside other code.
    pub fn of_task(task: &Task, told: Option<FeedbackKind>) -> Option<Example> {
        if task.files.reference.is_empty() {
            return None;
        }
        let buggy = targets(task, &task.buggy_tree())?;
        let fixed = targets(task, &task.reference_tree())?;
        if buggy == fixed || buggy.len().max(fixed.len()) > MOST_CODE {
            return None;
        }
        Some(Example {
            id: task.name().to_string(),
            group: task.group.clone(),
            language: task.language.clone(),
            buggy,
            feedback: told.and_then(|kind| task.feedback.get(&kind)).cloned(),
            fixed,
        })
    }
}

/// The code of a task's targets in one of its trees.
fn targets(task: &Task, tree: &Current<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for target in &task.targets {
        let text = tree.get(target.file.as_str())?.text()?;
        let language = language_of_file(&target.file, &task.language);
        let of_name = |name: &String| {
            let found = functions(language, &text)?;
            let span = found.iter().find(|span| span.name == *name || span.qualified == *name)?;
            let line = text.get(..span.bytes.start)?.rfind('\n').map_or(0, |at| at + 1);
            text.get(line..span.bytes.end).map(str::to_owned)
        };
        let part = target.function.as_ref().and_then(of_name).unwrap_or_else(|| text.to_string());
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// At most `count` examples for a task, in the order in which they are shown. `few-shot` takes them by the hash of
/// `seed` and id, so that all tasks of a seed get the same ones as far as groups allow; `es-shot` takes those that share
/// most words (Jaccard index of the sets of words) with `code` and the task's description, the nearest last, beside
/// the code. Other techniques show none. Examples in the task's language only.
pub fn choose_examples<'p>(
    technique: Technique,
    task: &Task,
    code: &str,
    pool: &'p [Example],
    count: usize,
    seed: u64,
) -> Vec<&'p Example> {
    let name = task.name().to_string();
    let fits = |example: &&Example| {
        example.group != task.group && example.id != name && example.language == task.language
    };
    let mut fitting: Vec<&Example> = pool.iter().filter(fits).collect();
    match technique {
        Technique::FewShot => {
            fitting.sort_by_cached_key(|example| {
                let mut hash = Sha256::new();
                hash.update(seed.to_le_bytes());
                hash.update(&example.id);
                (hash.finalize().to_vec(), example.id.clone())
            });
            fitting.truncate(count);
        }
        Technique::ExampleSelection => {
            let own = words(&[code, &task.description]);
            fitting.sort_by_cached_key(|example| {
                let theirs = words(&[&example.buggy]);
                (Reverse(likeness(&own, &theirs)), example.id.clone())
            });
            fitting.truncate(count);
            fitting.reverse();
        }
        _ => fitting.clear(),
    }
    fitting
}

/// The words of texts, in lower case; names are taken apart at underscores and capitals.
fn words(texts: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        let mut word = String::new();
        let mut was_lower = false;
        for character in text.chars().chain([' ']) {
            let begins = character.is_uppercase() && was_lower;
            if (begins || !character.is_alphanumeric()) && !word.is_empty() {
                found.insert(std::mem::take(&mut word));
            }
            if character.is_alphanumeric() {
                word.extend(character.to_lowercase());
            }
            was_lower = character.is_lowercase();
        }
    }
    found
}

/// Shared words in a million of all.
fn likeness(one: &BTreeSet<String>, two: &BTreeSet<String>) -> u64 {
    let shared = one.intersection(two).count() as u64;
    let all = one.union(two).count() as u64;
    (shared * 1_000_000).checked_div(all).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(id: &str, group: &str, buggy: &str) -> Example {
        Example {
            id: id.to_owned(),
            group: group.to_owned(),
            language: "python".to_owned(),
            buggy: buggy.to_owned(),
            feedback: None,
            fixed: buggy.to_uppercase(),
        }
    }

    fn task() -> Task {
        let mut task = Task::new("d", "t");
        task.group = "g1".to_owned();
        task.language = "python".to_owned();
        task.description = "Sort the list of numbers".to_owned();
        task
    }

    fn ids(chosen: &[&Example]) -> Vec<String> {
        chosen.iter().map(|example| example.id.clone()).collect()
    }

    #[test]
    fn never_of_the_own_group_or_another_language() {
        let mut other = example("d/c", "g3", "def sort_list(numbers): pass");
        other.language = "c".to_owned();
        let pool = [
            example("d/a", "g1", "def sort_list(numbers): pass"),
            other,
            example("d/b", "g2", "x"),
            example("d/t", "g9", "x"),
        ];
        for technique in Technique::ALL {
            let chosen = ids(&choose_examples(technique, &task(), "", &pool, 5, 0));
            let expected: &[&str] = if technique.shows_examples() { &["d/b"] } else { &[] };
            assert_eq!(chosen, expected, "{technique}");
        }
    }

    #[test]
    fn a_task_is_an_example_by_its_targets() {
        use crate::task::{Content, Target};
        let mut task = task();
        let code = |sum: &str| Content::new(format!("import os\n\ndef f(a, b):\n    return {sum}\n"));
        task.files.buggy.insert("m.py".to_owned(), code("a - b"));
        task.targets = vec![Target { file: "m.py".to_owned(), function: Some("f".to_owned()) }];
        assert_eq!(Example::of_task(&task, None), None, "no reference");
        task.files.reference.insert("m.py".to_owned(), code("a - b"));
        assert_eq!(Example::of_task(&task, None), None, "nothing is changed");
        task.files.reference.insert("m.py".to_owned(), code("a + b"));
        task.feedback.insert(FeedbackKind::Minimal, "wrong".to_owned());
        let found = Example::of_task(&task, Some(FeedbackKind::Minimal));
        let expected = Example {
            buggy: "def f(a, b):\n    return a - b".to_owned(),
            feedback: Some("wrong".to_owned()),
            fixed: "def f(a, b):\n    return a + b".to_owned(),
            ..example("d/t", "g1", "")
        };
        assert_eq!(found, Some(expected));
        task.targets[0].function = None;
        let whole = Example::of_task(&task, None);
        assert!(
            whole.is_some_and(|example| example.buggy.starts_with("import os") && example.feedback.is_none())
        );
    }

    #[test]
    fn few_shot_is_the_same_for_every_task_of_a_seed() {
        let pool: Vec<Example> =
            (0..20).map(|n| example(&format!("d/{n}"), &format!("g{}", n + 10), "x")).collect();
        let mut other = task();
        other.id = "u".to_owned();
        let of = |task: &Task, seed| ids(&choose_examples(Technique::FewShot, task, "", &pool, 3, seed));
        assert_eq!(of(&task(), 7), of(&other, 7));
        assert_eq!(of(&task(), 7).len(), 3);
        assert!((0..20).any(|seed| of(&task(), seed) != of(&task(), 7)));
    }

    #[test]
    fn the_nearest_stands_last() {
        let pool = [
            example("d/near", "g2", "def sortNumbers(the_list): return sorted(the_list)"),
            example("d/far", "g3", "class Socket: pass"),
            example("d/middle", "g4", "def f(numbers): pass"),
        ];
        let chosen =
            choose_examples(Technique::ExampleSelection, &task(), "def sort_list(numbers):", &pool, 2, 0);
        assert_eq!(ids(&chosen), ["d/middle", "d/near"]);
    }

    #[test]
    fn names_are_taken_apart() {
        let found: Vec<String> = words(&["parseHTTPHeader_v2(x)"]).into_iter().collect();
        assert_eq!(found, ["httpheader", "parse", "v2", "x"]);
    }
}
