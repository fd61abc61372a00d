//! `mendbench import`, opening in place, and what happens when several do it or one is killed.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, Ran, row};
use std::process::Stdio;

fn count(home: &Home, workspace: &str) -> u64 {
    let ran = home.run(&["tasks", "list", "--workspace", workspace, "--json", "--limit", "0"]).done();
    ran.object("task-list")["tasks"].as_u64().unwrap()
}

#[test]
fn a_source_is_imported_once_and_updated_when_it_changes() {
    let home = Home::new();
    home.rows("set.jsonl", 5);
    let ran = home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    assert!(
        ran.out.starts_with(
            "set: 5 tasks from 5 rows (5 added)\nopen the workspace with: mendbench --workspace /"
        ),
        "{}",
        ran.out
    );
    assert_eq!(ran.err, "");
    assert_eq!(count(&home, "w"), 5);
    let again = home.run(&["import", "set.jsonl", "--workspace", "w", "--json"]).done().object("import");
    assert_eq!((&again["added"], &again["unchanged"], &again["updated"]), (&0.into(), &5.into(), &0.into()));
    assert_eq!((&again["dataset"], &again["format"]), (&"set".into(), &"feedbackeval".into()));
    assert_eq!(again["sha256"].as_str().unwrap().len(), 64);
    let mut rows: Vec<String> = (0..4).map(|number| row(number, "a + b")).collect();
    rows[2] = row(2, "a - b");
    home.write("set.jsonl", rows.concat());
    let changed = home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    let words = "0 added, 1 updated to a new revision, 3 unchanged, 1 of earlier imports kept though they are not in this source";
    assert!(changed.out.contains(words), "{}", changed.out);
    assert_eq!(count(&home, "w"), 5, "what is not in the source any more stays");
    let task = home.run(&["diff", "set/HumanEval/2#1", "--workspace", "w", "--patch"]).done();
    assert!(task.out.contains("-    return a - b"), "{}", task.out);
}

#[test]
fn datasets_are_named_and_task_folders_imported() {
    let home = Home::new();
    home.rows("set.jsonl", 2);
    home.task("folder");
    home.run(&["import", "set.jsonl", "--workspace", "w", "--dataset", "mine"]).done();
    home.run(&["import", "folder", "--workspace", "w"]).done();
    // One task of a folder belongs to the same dataset as the folder, however it is imported.
    let one = home.run(&["import", "folder/task", "--workspace", "w", "--json"]).done().object("import");
    assert_eq!((&one["dataset"], &one["unchanged"]), (&"folder".into(), &1.into()), "{one}");
    let ran = home.run(&["tasks", "list", "--workspace", "w"]).done();
    let names: Vec<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["mine/HumanEval/0#1", "mine/HumanEval/1#1", "folder/c-ring-buffer"]);
    let found = home.run(&["tasks", "list", "--workspace", "w", "--filter", "text:rb_push"]).done();
    assert_eq!(found.out.lines().count(), 1, "the full text is searched: {}", found.out);
}

#[test]
fn what_is_refused_leaves_no_workspace_behind() {
    let home = Home::new();
    home.rows("set.jsonl", 1);
    home.write("page.html", "<!DOCTYPE html><p>Not found</p>");
    for (arguments, words) in [
        (["absent.jsonl"].as_slice(), ["no file or folder `absent.jsonl`"].as_slice()),
        (&["set.json"], &["no file or folder `set.json`", "did you mean `set.jsonl`?"]),
        (&["page.html"], &["page.html", "a web page (HTML)", "download the raw file"]),
        (&["set.jsonl", "--format", "feedbackevl"], &["feedbackevl", "did you mean `feedbackeval`?"]),
        (&["set.jsonl", "--format", "task-folder"], &["task-folder"]),
        (&["set.jsonl", "--dataset", "a b"], &["`a b`", "name of a dataset", "white space"]),
        (&["set.jsonl", "--dataset", "a/b"], &["`a/b`"]),
        (&[], &["<SOURCE>"]),
    ] {
        home.run(&[&["import", "--workspace", "w"], arguments].concat()).ended(2, words);
        assert!(!home.path("w").exists(), "{arguments:?}");
    }
}

#[test]
fn an_import_that_lost_something_says_so_with_its_code() {
    let home = Home::new();
    let whole: String = (0..50).map(|number| row(number, "a + b")).collect();
    home.write("half.jsonl", &whole[..whole.len() - 40]);
    let ran = home.run(&["import", "half.jsonl", "--workspace", "w"]);
    let ran = ran.ended(
        1,
        &["half.jsonl:50", "half written", "breaks off before its end", "1 skipped: 1 half-written"],
    );
    assert!(ran.out.starts_with("half: 49 tasks from 50 rows (49 added)"), "{}", ran.out);
    home.write("half.jsonl", &whole);
    let ran = home.run(&["import", "half.jsonl", "--workspace", "w"]).done();
    assert!(ran.out.contains("(1 added, 49 unchanged)"), "{}", ran.out);
    home.write("bad/task/task.toml", "langage = \"c\"\n");
    let ran = home.run(&["import", "bad", "--workspace", "w"]);
    ran.ended(1, &["bad/task/task.toml", "`langage`: unknown key; did you mean `language`?"]);
}

#[test]
fn a_file_opened_in_place_is_remembered_and_a_change_is_told() {
    let home = Home::new();
    home.rows("set.jsonl", 3);
    let open = || home.run(&["tasks", "list", "set.jsonl"]).done().err;
    assert_eq!(open(), "mendbench: 3 tasks\n");
    assert!(home.data().join(".mendbench/workspace.db").exists());
    assert_eq!(open(), "mendbench: 3 tasks\n");
    home.rows("set.jsonl", 4);
    assert_eq!(open(), "mendbench: 4 tasks\nmendbench: this file has changed since it was last opened\n");
    assert_eq!(open(), "mendbench: 4 tasks\n");
}

#[test]
fn two_imports_at_once_both_arrive() {
    let home = Home::new();
    for name in ["one", "two", "three"] {
        home.rows(&format!("{name}.jsonl"), 300);
    }
    let children: Vec<_> = ["one", "two", "three", "one"]
        .iter()
        .map(|name| {
            let file = format!("{name}.jsonl");
            home.spawn(&["import", &file, "--workspace", "w", "--json"], Stdio::piped(), Stdio::piped())
        })
        .collect();
    let mut added = 0;
    for child in children {
        let ran = Ran::of(&child.wait_with_output().unwrap()).done();
        added += ran.object("import")["added"].as_u64().unwrap();
    }
    assert_eq!(added, 900);
    assert_eq!(count(&home, "w"), 900);
}

#[test]
fn a_killed_import_is_taken_up_again() {
    let home = Home::new();
    home.rows("set.jsonl", 6_000);
    let mut child = home.spawn(&["import", "set.jsonl", "--workspace", "w"], Stdio::null(), Stdio::null());
    // Killed as soon as there is something to be damaged.
    let database = home.path("w/.mendbench/workspace.db");
    while !database.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let again = home.run(&["import", "set.jsonl", "--workspace", "w", "--json"]).done().object("import");
    let number = |key: &str| again[key].as_u64().unwrap();
    assert_eq!(number("added") + number("unchanged"), 6_000, "{again}");
    assert_eq!(count(&home, "w"), 6_000);
}
