//! What a `text:` term means, in one place for every kind of list.
//!
//! A term is one piece of text; a task has it when it stands, the case of letters aside, anywhere in one of
//! its texts: id, title, description, context, the text sections, and every text file of the three trees.
//! Promises: the same answer wherever the task is kept; [`Needle::may_be_in`] looks at a task's JSON without
//! taking it apart and never says no to a task that [`Needle::is_in`] says yes to.
//! Leaves to others: reading the tasks.

use super::Task;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The piece of text of a `text:` term, ready to be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    lowered: String,
    escaped: String,
}

impl Needle {
    /// A piece of text; white space in it counts.
    pub fn new(text: &str) -> Needle {
        let lowered = lowered(text).into_owned();
        let quoted = serde_json::Value::String(lowered.clone()).to_string();
        // Without the quotation marks around it.
        let escaped = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned();
        Needle { lowered, escaped }
    }

    /// Whether it stands somewhere in the task.
    pub fn is_in(&self, task: &Task) -> bool {
        task.contains_text(&self.lowered)
    }

    /// Whether the task that this JSON holds can have it. JSON escapes character by character, and to other
    /// lower-case characters only, so a text inside another one is inside it when both are escaped, too.
    /// What is not UTF-8 stands there as base64, which can only be looked at as a task.
    pub fn may_be_in(&self, json: &str) -> bool {
        lowered(json).contains(&self.escaped) || json.contains("\"base64\"")
    }
}

impl Task {
    /// Whether this piece of text, which is in lower case already ([`Needle`] sees to that), stands in one of
    /// the task's texts.
    pub fn contains_text(&self, lowered_text: &str) -> bool {
        let prose = [Some(&self.id), Some(&self.title), Some(&self.description), Some(&self.context)];
        let sections = &self.sections;
        let sections = [
            sections.issue_title.as_ref(),
            sections.issue_body.as_ref(),
            sections.pr_title.as_ref(),
            sections.pr_body.as_ref(),
            sections.folder_tree.as_ref(),
        ];
        let trees = [&self.files.base, &self.files.buggy, &self.files.reference];
        prose.into_iter().chain(sections).flatten().any(|text| lowered(text).contains(lowered_text))
            || trees
                .into_iter()
                .flat_map(|tree| tree.values())
                .filter_map(|content| content.text())
                .any(|text| lowered(&text).contains(lowered_text))
    }
}

/// The text in lower case, each character by itself: what stands around a character must not decide how it
/// is written, or a part of a text would not be found in the whole.
fn lowered(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    // In runs: most of what is not ASCII are single letters in long texts that are.
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, more) =
            rest.split_at(rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len()));
        all.push_str(plain);
        let from = all.len() - plain.len();
        all[from..].make_ascii_lowercase();
        let (other, more) =
            more.split_at(more.bytes().position(|byte| byte.is_ascii()).unwrap_or(more.len()));
        all.extend(other.chars().flat_map(char::to_lowercase));
        rest = more;
    }
    Cow::Owned(all)
}

/// Hands out the next part of a range, or nothing when there is no more to do.
pub type Next<'a> = dyn Fn() -> Option<Range<u64>> + 'a;

/// Looks at the numbers of a range part by part, on as many threads as there are processors, and gathers
/// what each finds, in order. A thread is given `next`, which hands out parts until there are no more, one
/// thread has failed, or `cancelled` says yes (then the result is useless).
pub fn in_parts<E: Send>(
    numbers: Range<u64>,
    part: u64,
    cancelled: &(dyn Fn() -> bool + Sync),
    work: &(dyn Fn(&Next<'_>) -> Result<Vec<u64>, E> + Sync),
) -> Result<Vec<u64>, E> {
    let part = part.max(1);
    let parts = numbers.end.saturating_sub(numbers.start).div_ceil(part);
    let at = AtomicU64::new(numbers.start);
    let failed = AtomicBool::new(false);
    let next = || {
        if failed.load(Ordering::Relaxed) || cancelled() {
            return None;
        }
        let from = at.fetch_add(part, Ordering::Relaxed);
        (from < numbers.end).then(|| from..from.saturating_add(part).min(numbers.end))
    };
    let run = || {
        let found = work(&next);
        failed.fetch_or(found.is_err(), Ordering::Relaxed);
        found
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let helpers = processors.min(usize::try_from(parts).unwrap_or(usize::MAX)).saturating_sub(1);
    let mut found = std::thread::scope(|scope| -> Result<Vec<u64>, E> {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(run)).collect();
        let mut found = run()?;
        for helper in helpers {
            match helper.join() {
                Ok(more) => found.extend(more?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(found)
    })?;
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::Content;
    use proptest::prelude::*;

    fn task() -> Task {
        let mut task = Task::new("set", "py/17");
        task.title = "Off By One".into();
        task.description = "The ring \"buffer\"\tloses a byte".into();
        task.context = "ΑΣΟ and Straße".into();
        task.sections.pr_body = Some("mends it".into());
        task.files.base.insert("Makefile".into(), Content::from("all: TEST\n"));
        task.files.buggy.insert("a.c".into(), Content::from("if (a == b)\n\treturn x[1];\n"));
        task.files.reference.insert("l.c".into(), Content::new(b"caf\xe9 CR\xc8ME".to_vec()));
        task.files.reference.insert("bin".into(), Content::new(b"\0hidden".to_vec()));
        task
    }

    #[test]
    fn a_piece_of_text_is_found_wherever_it_stands() {
        let task = task();
        let json = task.canonical_json();
        for text in [
            "py/17",
            "off by one",
            "OFF",
            "f b",
            "\"buffer\"",
            "buffer\"\tlo",
            "ασ",
            "ΑΣ",
            "straße",
            "mends",
            "all: test",
            "==",
            "a == b)\n\tret",
            "x[1]",
            "café",
            "crème",
            "Σο",
        ] {
            let needle = Needle::new(text);
            assert!(needle.is_in(&task), "{text:?}");
            assert!(needle.may_be_in(&json), "{text:?}");
        }
        for text in ["set", "off  by", "buffer loses", "hidden", "one\nThe ring", "a.c", "==="] {
            assert!(!Needle::new(text).is_in(&task), "{text:?}");
        }
    }

    #[test]
    fn json_without_the_text_is_told_without_reading_it_as_a_task() {
        let task = Task::new("set", "one");
        assert!(!Needle::new("needle").may_be_in(&task.canonical_json()));
    }

    #[test]
    fn parts_cover_the_numbers_once_and_errors_and_cancelling_end_it() {
        let all = |next: &Next<'_>| -> Result<Vec<u64>, String> {
            Ok(std::iter::from_fn(next).flatten().collect())
        };
        for (numbers, part) in [(1..1, 5), (1..2, 5), (0..1000, 7), (3..1003, 1000), (0..9, 0)] {
            let wanted: Vec<u64> = numbers.clone().collect();
            assert_eq!(in_parts(numbers, part, &|| false, &all).unwrap(), wanted);
        }
        let backwards = Range { start: 5, end: 2 };
        assert_eq!(in_parts(backwards, 3, &|| false, &all).unwrap(), [] as [u64; 0]);
        assert_eq!(in_parts(0..1000, 1, &|| true, &all).unwrap(), [] as [u64; 0]);
        let failing = |next: &Next<'_>| -> Result<Vec<u64>, String> {
            match std::iter::from_fn(next).find(|part| part.contains(&500)) {
                Some(_) => Err("no".to_owned()),
                None => Ok(Vec::new()),
            }
        };
        assert_eq!(in_parts(0..1000, 10, &|| false, &failing), Err("no".to_owned()));
    }

    proptest! {
        #[test]
        fn the_quick_look_never_says_no_to_what_is_there(
            text in any::<String>(), ascii in "[ -~\n\t]{0,40}", bytes in proptest::collection::vec(any::<u8>(), 0..20),
            from: prop::sample::Index, to: prop::sample::Index, which in 0..3_usize, upper: bool,
        ) {
            let mut task = Task::new("d", "i");
            task.description = text.clone();
            task.files.buggy.insert("a".into(), Content::from(ascii.as_str()));
            let latin = Content::new(bytes);
            let latin_text = latin.text().map(Cow::into_owned).unwrap_or_default();
            task.files.reference.insert("b".into(), latin);
            let source: Vec<char> = [text, ascii, latin_text][which].chars().collect();
            let (a, b) = (from.index(source.len() + 1), to.index(source.len() + 1));
            let part: String = source[a.min(b)..a.max(b)].iter().collect();
            let needle = Needle::new(&part);
            prop_assert!(needle.is_in(&task), "{part:?}");
            prop_assert!(needle.may_be_in(&task.canonical_json()), "{part:?}");
            prop_assert!(needle.may_be_in(&serde_json::to_string(&task).unwrap()), "{part:?}");
            if upper && part.is_ascii() {
                prop_assert!(Needle::new(&part.to_ascii_uppercase()).is_in(&task));
            }
        }
    }
}
