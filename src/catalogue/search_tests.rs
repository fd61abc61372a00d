//! A `text:` term means the same in a file and in a workspace.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::catalogue::OriginKind;
use crate::catalogue::workspace::WorkspaceTasks;
use crate::store::{OpenMode, PreparedTask, SqliteStore, TaskIndex};
use crate::task::Content;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// The same tasks in memory and in a workspace.
fn both(tasks: &[Task], folder: &Path) -> [Box<dyn Catalogue>; 2] {
    let origin = || Origin::path(OriginKind::File, folder);
    let in_place = InPlace::path(origin(), folder.to_owned(), None, None, None);
    let mut filler = Filler {
        catalogue: &in_place,
        table: TaskTable::new(),
        skips: Skips::default(),
        next_part: usize::MAX,
        progress: &mut |_| true,
    };
    for task in tasks {
        let _ = filler.task(task.clone(), Location::file(""));
    }
    drop(filler);
    let store = SqliteStore::open(&folder.join("w.db"), OpenMode::CreateIfMissing).unwrap();
    let mut prepared = tasks
        .iter()
        .map(|task| PreparedTask { task: task.clone(), summary: crate::store::Summary::default() });
    store.import("d", &mut prepared).unwrap();
    [Box::new(in_place), Box::new(WorkspaceTasks::new(origin(), store))]
}

/// Ids of what a catalogue finds.
fn found(catalogue: &dyn Catalogue, text: &str) -> BTreeSet<String> {
    let keys = catalogue.search(text, &|| false).unwrap();
    keys.into_iter().map(|key| catalogue.task(key).unwrap().id).collect()
}

#[test]
fn more_than_ten_thousand_tasks_are_found_and_signs_count() {
    let folder = tempfile::tempdir().unwrap();
    let tasks: Vec<Task> = (0..10_500)
        .map(|number| {
            let mut task = Task::new("d", format!("t{number}"));
            let sign = if number % 10 == 0 { "==" } else { "!=" };
            task.files.buggy.insert("a.c".into(), Content::from(format!("if (a {sign} b) return;")));
            task
        })
        .collect();
    for catalogue in both(&tasks, folder.path()) {
        let count = |text: &str| catalogue.search(text, &|| false).unwrap().len();
        assert_eq!(["RETURN", "==", "a == b", "a b", "t10499"].map(count), [10_500, 1_050, 1_050, 0, 1]);
        assert_eq!(catalogue.search("return", &|| true).unwrap().len(), 0, "cancelled before it began");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn both_find_the_same(
        texts in proptest::collection::vec(("[a-c=ÄäßΣİK \"\\\\\n]{0,8}", any::<String>(), proptest::collection::vec(any::<u8>(), 0..12)), 1..8),
        terms in proptest::collection::vec("[a-cA-C=ÄäßΣσςİK \"\\\\\n]{1,3}", 1..6),
        free in any::<String>(), from: prop::sample::Index, to: prop::sample::Index,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let tasks: Vec<Task> = texts.iter().enumerate().map(|(number, (prose, other, bytes))| {
            let mut task = Task::new("d", format!("t{number}"));
            task.title = other.chars().take(9).collect();
            task.description = prose.clone();
            task.sections.issue_body = Some(other.clone());
            task.files.base.insert("b".into(), Content::new(bytes.clone()));
            task.files.reference.insert("r".into(), Content::from(other.repeat(3)));
            task
        }).collect();
        let [in_place, workspace] = both(&tasks, folder.path());
        let whole: Vec<char> = texts[0].1.chars().collect();
        let (a, b) = (from.index(whole.len() + 1), to.index(whole.len() + 1));
        let part: String = whole[a.min(b)..a.max(b)].iter().collect();
        prop_assert!(found(&*in_place, &part).contains("t0"), "{part:?}");
        for term in terms.iter().chain([&free, &part]) {
            let wanted: BTreeSet<String> = tasks.iter()
                .filter(|task| Needle::new(term).is_in(task)).map(|task| task.id.clone()).collect();
            prop_assert_eq!(found(&*in_place, term), wanted.clone(), "{:?}", term);
            prop_assert_eq!(found(&*workspace, term), wanted, "{:?}", term);
        }
    }
}
