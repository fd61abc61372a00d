//! States that are not the happy one: nothing there, nothing left, still reading, broken.

use crate::rig::{Memory, Options, Rig, task};
use mendbench::dataset::{Location, SkipReason, Skipped};
use std::collections::HashSet;
use std::sync::Arc;

fn skipped(count: u64) -> Vec<Skipped> {
    (1..=count)
        .map(|line| Skipped { at: Location::line("memory.jsonl", line), why: SkipReason::Empty })
        .collect()
}

#[test]
fn an_empty_list_says_how_to_fill_it() {
    let mut rig = Rig::tasks(Vec::new(), Options::default());
    rig.expect("No tasks here").expect("mendbench import FILE").expect("0 tasks");
    // Nothing that a key does here may be missed or do harm.
    rig.press("enter j k G g g z o h l } { s S Z p J K Y y e ! esc n / a esc").expect("No tasks here");
    assert!(!rig.quit);
}

#[test]
fn a_list_of_skipped_rows_only_says_so() {
    let mut rig = Rig::on(Memory::new(Vec::new()).with_skipped(skipped(3)), Options::default());
    rig.expect("All 3 rows were skipped; ! shows why.").expect("3 rows skipped (!)");
}

#[test]
fn skipped_rows_are_counted_and_explained() {
    let mut rig =
        Rig::on(Memory::new(vec![task("t", "a\n", "b\n")]).with_skipped(skipped(8)), Options::default());
    rig.expect("1 task · 8 rows skipped (!)").press("!");
    rig.expect("Skipped while reading").expect("memory.jsonl:1").expect("memory.jsonl:8");
    rig.press("enter").expect_not("Skipped while reading");
    let mut rig = Rig::samples(Options::default());
    rig.press("!").expect("Nothing was skipped").press("q").expect_not("Nothing was skipped");
    assert!(!rig.quit);
}

#[test]
fn a_filter_that_nothing_passes_says_how_to_go_on() {
    let mut rig = Rig::samples(Options::default());
    rig.press("/").kind("lang:cobol").press("enter");
    rig.expect("No task matches").expect("`lang:cobol` lets none of the 10 tasks pass");
    rig.expect("Esc clears the filter").expect("0 of 10 tasks");
    rig.press("enter j G ] y Y").expect("No task matches").press("esc");
    assert!(rig.here().starts_with("c-content-charset"));
}

#[test]
fn before_anything_was_read_the_screen_says_what_it_waits_for() {
    let mut rig = Rig::before_reading(Arc::new(Memory::samples()), Options::default());
    rig.expect("Reading tasks…").expect("sample tasks").expect("reading… 0");
    rig.press("enter j / z z q q enter ? esc");
    rig.read();
    rig.expect("No task matches").press("esc").expect("10 tasks");
}

#[test]
fn a_list_that_cannot_be_read_says_why() {
    let catalogue = Memory { breaks_off: true, ..Memory::new(Vec::new()) };
    let mut rig = Rig::on(catalogue, Options::default());
    rig.expect("These tasks could not be read").expect("unexpected end of input");
    rig.press("j enter / x esc o s").expect("These tasks could not be read");
    rig.press("q");
    assert!(rig.quit);
}

#[test]
fn what_was_read_before_an_error_stays_usable() {
    let tasks = (0..9).map(|n| task(&format!("task-{n}"), "a\n", "b\n")).collect();
    let catalogue = Memory { breaks_off: true, parts: vec![5], ..Memory::new(tasks) };
    let mut rig = Rig::on(catalogue, Options::default());
    rig.expect("unexpected end of input").expect("task-4").expect_not("task-5");
    rig.press("j");
    assert!(rig.here().starts_with("task-1"));
    rig.expect("5 tasks · reading broke off (!)");
    rig.press("enter").expect("1 Diff").press("esc !").expect("unexpected end of input");
}

#[test]
fn a_task_that_cannot_be_read_says_why_and_the_next_one_can() {
    let tasks = (0..3).map(|n| task(&format!("task-{n}"), "a\n", "b\n")).collect();
    let catalogue = Memory { unreadable: HashSet::from([1]), ..Memory::new(tasks) };
    let mut rig = Rig::on(catalogue, Options::default());
    rig.press("j enter").expect("This task could not be read").expect("checksum");
    rig.press("j } z v w / x esc 2 3 y Y e n").expect("This task could not be read");
    rig.press("1 ]").expect("▸ task-2").expect("code.py").expect_not("could not be read");
    rig.press("[").expect("could not be read").press("esc").expect("/ to filter");
    rig.press("g o").expect("could not be read");
}

#[test]
fn a_preview_that_cannot_be_read_is_gone_with_its_task() {
    let tasks = (0..3).map(|n| task(&format!("task-{n}"), "a\n", "b\n")).collect();
    let catalogue = Memory { unreadable: HashSet::from([1]), ..Memory::new(tasks) };
    let mut rig = Rig::on(catalogue, Options::sized(120, 30));
    rig.expect("code.py").press("j").rest().expect("checksum").expect_not("code.py");
    rig.press("j").rest().expect("code.py").expect_not("checksum");
}

#[test]
fn tasks_without_a_difference_say_why() {
    let mut identical = task("identical", "a\n", "a\n");
    identical.description = "the same".to_owned();
    let mut missing = task("missing", "a\n", "");
    missing.files.reference.clear();
    let mut rig = Rig::tasks(vec![identical, missing], Options::default());
    rig.press("enter").expect("No difference to show").expect("are the same");
    // Every key of the difference, on one that has no lines.
    rig.press("w j k G g g ctrl-d ctrl-u space pageup } { z Z v w v l h 0 n N i a y Y e / x enter n esc");
    rig.expect("No difference to show").press("2").expect("the same");
    rig.press("1 ]").expect("no reference version").press("w w v");
}

#[test]
fn files_that_are_no_text_are_named_with_their_size() {
    let mut made = task("t", "", "");
    made.files.buggy.insert("logo.png".into(), mendbench::task::Content::new(vec![0_u8, 1, 2]));
    made.files.reference.insert("logo.png".into(), mendbench::task::Content::new(vec![0_u8, 1, 2, 3]));
    made.files.buggy.insert("latin.c".into(), mendbench::task::Content::new(b"caf\xe9\n".to_vec()));
    made.files.reference.insert("latin.c".into(), mendbench::task::Content::new(b"th\xe9\n".to_vec()));
    let mut rig = Rig::tasks(vec![made], Options::default());
    rig.press("enter").expect("binary file: 3 bytes before, 4 bytes after");
    rig.expect("café").expect("thé");
}

#[test]
fn a_terminal_that_is_too_small_says_what_it_needs() {
    let mut rig = Rig::samples(Options::default());
    rig.press("j enter").resize(19, 10).expect("mendbench needs 20");
    rig.resize(20, 4).expect("mendbench needs 20").resize(0, 0).press("j");
    rig.resize(80, 24).expect("1 Diff");
    rig.resize(20, 5).expect_not("needs");
}

#[test]
fn a_notice_of_the_start_is_shown_until_a_key_is_pressed() {
    let mut rig = Rig::samples(Options { filter: "lang:c", ..Options::default() });
    rig.expect("/ lang:c").expect("4 of 10 tasks");
    rig.send(mendbench::tui::msg::Msg::Said(mendbench::tui::msg::Said::error("the theme cannot be read")));
    rig.expect("the theme cannot be read").press("j").expect_not("the theme cannot be read");
}
