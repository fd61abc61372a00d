//! The list: filter, order, groups, and the cursor that stays where it belongs.

use crate::rig::{Memory, Options, Rig, task};
use std::sync::Arc;

fn ids(rig: &Rig) -> Vec<String> {
    let text = rig.text();
    let from = text.lines().position(|line| line.trim_start().starts_with("id ")).unwrap() + 1;
    let lines = text.lines().skip(from).take_while(|line| !line.is_empty());
    lines.map(|line| line.trim_start_matches(['▌', ' ']).split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_ranks() {
    let mut rig = Rig::samples(Options::default());
    assert_eq!(ids(&rig).len(), 10);
    rig.expect("10 tasks").press("/").kind("lang:c");
    assert_eq!(ids(&rig).len(), 4);
    rig.expect("4 of 10 tasks");
    rig.kind(" ring");
    assert_eq!(ids(&rig)[0], "c-ring-buffer", "the best match comes first");
    assert!(rig.here().starts_with("c-ring-buffer"), "and the cursor is on it");
    rig.press("ctrl-w ctrl-w").kind("typ");
    // `typ` is a word so far, and a fuzzy one.
    rig.kind("e:A");
    assert_eq!(ids(&rig).len(), 4);
    rig.press("backspace").kind("A.1,B");
    assert_eq!(ids(&rig), ["c-ring-buffer", "py-retry-backoff"]);
}

#[test]
fn escape_clears_the_filter_first_and_says_how_to_leave_then() {
    let mut rig = Rig::samples(Options::default());
    rig.press("/").kind("id:c-ring").press("enter");
    rig.expect("1 of 10 tasks");
    rig.press("esc").expect("10 tasks").expect_not("of 10 tasks");
    assert!(!rig.quit);
    rig.press("esc").expect("q leaves mendbench");
    assert!(!rig.quit);
    // While it is typed, Escape ends both.
    rig.press("/").kind("ring").press("esc").expect("/ to filter").expect_not("of 10 tasks");
    rig.press("q");
    assert!(rig.quit);
}

#[test]
fn keys_that_mean_something_elsewhere_are_typed_into_the_filter() {
    let mut rig = Rig::samples(Options::default());
    rig.press("/").kind("q?:").press("ctrl-u").kind("gg!T");
    assert!(!rig.quit);
    rig.expect("/ gg!T");
    rig.press("ctrl-c");
    assert!(!rig.quit, "ctrl-c leaves the field first");
    rig.press("ctrl-c");
    assert!(rig.quit);
}

#[test]
fn a_filter_that_cannot_be_read_names_the_nearest_field_and_changes_nothing() {
    let mut rig = Rig::samples(Options { preview: false, ..Options::sized(120, 24) });
    rig.press("/").kind("lnag");
    let before = ids(&rig);
    rig.kind(":c").expect("`lnag:` is no filter field").expect("did you mean `lang:`?");
    assert_eq!(ids(&rig), before);
    rig.press("ctrl-u").kind("granularity:lines");
    rig.expect("`lines` is not a granularity").expect("line, hunk, function");
    rig.press("backspace").expect_not("is not a granularity").expect("of 10 tasks");
}

#[test]
fn what_is_pasted_into_the_filter_is_one_line_of_text() {
    let mut rig = Rig::samples(Options::default());
    rig.press("/").paste("lang:c\nring\u{1b}[31m\r");
    rig.expect("/ lang:c ring[31m");
    rig.press("ctrl-u").paste("lang:c").expect("4 of 10 tasks");
}

#[test]
fn pasted_text_outside_a_field_does_nothing_but_say_so() {
    let mut rig = Rig::samples(Options::default());
    for prepare in ["", "enter", "2", "?"] {
        rig.press(prepare);
        let before = rig.text();
        rig.paste("q\nTTTT:q\n");
        rig.expect("pasted text goes into a filter or search");
        let body = |text: &str| text.lines().take(23).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(body(&before), body(&rig.text()));
        assert!(!rig.quit);
    }
}

#[test]
fn sorting_reversing_and_grouping_keep_the_cursor_on_its_task() {
    let mut rig = Rig::samples(Options::sized(80, 40));
    rig.press("j j j j");
    let id = "js-event-emitter";
    assert!(rig.here().starts_with(id));
    let mut orders = vec![ids(&rig)];
    for _ in 0..7 {
        rig.press("s");
        assert!(rig.here().starts_with(id), "{}", rig.text());
        orders.push(ids(&rig));
    }
    assert_eq!(orders.first(), orders.last(), "seven orders, and round");
    orders.dedup();
    assert!(orders.len() > 4);
    rig.press("S").expect("reversed");
    assert!(rig.here().starts_with(id));
    rig.press("S");
    for heading in ["js-event-emitter  1", "C.2  Memory Error", "javascript  1", "line  ", "samples  10"] {
        rig.press("o");
        assert!(rig.here().starts_with(id), "{}", rig.text());
        let row = rig.find(heading);
        assert!(row < rig.find("▌"), "its heading stands above it:\n{}", rig.text());
    }
    rig.press("o").expect("not grouped");
    assert!(rig.here().starts_with(id));
}

#[test]
fn sorting_by_lines_changed_puts_the_smallest_first() {
    let mut rig = Rig::samples(Options::default());
    rig.press("s s s s s s").expect("sorted by lines changed");
    let changed: Vec<u32> = (0..10)
        .map(|line| {
            let row = rig.row(4 + line);
            let counts = row
                .split_whitespace()
                .rev()
                .take(2)
                .map(|word| word.trim_start_matches(['+', '−']).parse::<u32>().unwrap());
            counts.sum()
        })
        .collect();
    assert!(changed.is_sorted(), "{changed:?}");
    assert_eq!(changed.len(), 10);
}

#[test]
fn groups_fold_and_unfold_and_the_cursor_stays_near() {
    let mut rig = Rig::samples(Options::sized(80, 40));
    rig.press("o o o").expect("gathered by language");
    rig.expect("▾ c  4").expect("▾ javascript  1").expect("▾ python  4").expect("▾ rust  1");
    rig.press("}");
    assert!(rig.here().starts_with("▾ javascript"), "{}", rig.here());
    rig.press("{").press("h");
    assert!(rig.here().starts_with("▸ c  4"), "{}", rig.here());
    rig.expect_not("c-ring-buffer").press("l").expect("c-ring-buffer");
    rig.press("enter").expect_not("c-ring-buffer").press("enter").expect("c-ring-buffer");
    // From inside a group.
    rig.press("j j h");
    assert!(rig.here().starts_with("▸ c  4"));
    rig.press("l j j");
    assert!(rig.here().starts_with("c-ring-buffer"));
    rig.press("Z");
    assert!(rig.here().starts_with("▸ c  4"), "all folded: on the heading of its group\n{}", rig.text());
    rig.expect("▸ rust  1").press("G");
    assert!(rig.here().starts_with("▸ rust"));
    rig.press("Z");
    assert!(rig.here().starts_with("▾ rust"), "all unfolded: the heading keeps the cursor\n{}", rig.text());
    rig.press("S");
    assert!(rig.here().starts_with("▾ rust"), "and in another order too\n{}", rig.text());
    rig.press("o o o z").expect("nothing is grouped");
}

#[test]
fn folded_groups_stay_folded_when_the_list_grows() {
    let tasks = |count: usize| {
        (0..count)
            .map(|n| {
                let mut task = task(&format!("task-{n}"), "a\n", "b\n");
                task.language = if n % 2 == 0 { "c".into() } else { "rust".into() };
                task
            })
            .collect::<Vec<_>>()
    };
    let catalogue = Memory { parts: vec![4], ..Memory::new(tasks(9)) };
    let mut rig = Rig::before_reading(Arc::new(catalogue), Options::default());
    let mut parts = rig.parts().into_iter();
    rig.send(parts.next().unwrap());
    rig.press("o o o { h").expect("▸ c  2");
    rig.send(parts.next().unwrap());
    rig.expect("▸ c  5").expect("▾ rust  4").expect_not("task-2");
    assert!(rig.here().starts_with("▸ c  5"));
}

#[test]
fn the_cursor_stays_on_its_task_while_the_list_grows() {
    let tasks = (0..30).map(|n| task(&format!("task-{:02}", 29 - n), "a\n", "b\n")).collect();
    let catalogue = Memory { parts: vec![3, 10], ..Memory::new(tasks) };
    let mut rig = Rig::before_reading(Arc::new(catalogue), Options::default());
    rig.expect("Reading tasks…").expect("reading… 0");
    let mut parts = rig.parts().into_iter();
    rig.send(parts.next().unwrap());
    rig.expect("reading… 3").press("s").expect("sorted by id");
    rig.press("g g j");
    assert!(rig.here().starts_with("task-28"));
    rig.send(parts.next().unwrap());
    assert!(rig.here().starts_with("task-28"), "rows came in before it: {}", rig.text());
    rig.send(parts.next().unwrap());
    assert!(rig.here().starts_with("task-28"));
    rig.expect("30 tasks").expect_not("reading");
}

#[test]
fn moving_reaches_both_ends_and_pages_in_between() {
    let tasks = (0..100).map(|n| task(&format!("task-{n:02}"), "a\n", "b\n")).collect();
    let mut rig = Rig::tasks(tasks, Options::default());
    let here = |rig: &Rig| rig.here().split(' ').next().unwrap().to_owned();
    for (keys, expected) in [
        ("G", "task-99"),
        ("j", "task-99"),
        ("g g", "task-00"),
        ("k", "task-00"),
        ("end", "task-99"),
        ("home", "task-00"),
        ("j j k", "task-01"),
        ("down up", "task-01"),
    ] {
        rig.press(keys);
        assert_eq!(here(&rig), expected, "after {keys}");
    }
    rig.press("g g space");
    let page = here(&rig);
    assert!(("task-10".."task-25").contains(&page.as_str()), "{page}");
    rig.press("pageup");
    assert_eq!(here(&rig), "task-00");
    rig.press("ctrl-d ctrl-u");
    assert_eq!(here(&rig), "task-00");
}

#[test]
fn the_mouse_opens_what_was_clicked_twice_and_turns_the_wheel_where_it_is() {
    let mut rig = Rig::samples(Options::sized(120, 40));
    rig.rest();
    let row = rig.find("py-page-cursor");
    rig.click(5, row);
    assert!(rig.here().starts_with("py-page-cursor"));
    rig.wheel(5, row, true);
    assert!(rig.here().starts_with("py-retry-backoff"));
    rig.wheel(100, row, true);
    assert!(rig.here().starts_with("py-retry-backoff"), "over the preview the list stays");
    rig.click(5, row).click(5, row);
    rig.expect("1 Diff");
    rig.click(14, rig.find("2 Description")).expect("Description");
    rig.expect_not("+1 −1");
    rig.press("?").expect("Movement").click(1, 1).expect_not("Movement");
}

#[test]
fn the_preview_belongs_to_the_task_under_the_cursor_and_is_asked_for_after_a_rest() {
    let mut rig = Rig::samples(Options::sized(120, 40));
    rig.expect("src/headers.c");
    let asked = rig.jobs;
    rig.press("j j j j");
    assert_eq!(rig.jobs, asked, "a cursor on its way asks for nothing");
    rig.rest();
    assert_eq!(rig.jobs, asked + 1, "one question, for the last one");
    rig.expect("src/emitter.js").expect_not("src/headers.c");
    // Late answers are for nobody.
    rig.hold = true;
    rig.press("j").rest();
    rig.press("j").rest();
    assert_eq!(rig.waiting(), 2);
    rig.finish(1);
    let text = rig.text();
    rig.finish(0);
    assert_eq!(rig.text(), text);
    rig.hold = false;
    rig.press("p").expect_not("hourly.py").press("p").expect("hourly.py");
}

#[test]
fn large_lists_are_filtered_by_jobs_of_which_only_the_newest_counts() {
    let tasks = (0..4_500).map(|n| task(&format!("task-{n:04}"), "a\n", "b\n")).collect();
    let mut rig = Rig::tasks(tasks, Options::default());
    rig.expect("4,500 tasks").hold = true;
    rig.press("/").kind("id:44");
    assert!(rig.waiting() >= 2, "one job for each letter that changed the filter");
    let newest = rig.waiting() - 1;
    rig.finish(newest);
    rig.expect("of 4,500 tasks").expect("task-0044");
    let text = rig.text();
    while rig.waiting() > 0 {
        rig.finish(0);
    }
    assert_eq!(rig.text(), text, "older answers are dropped");
    rig.press("enter j j");
    assert!(rig.here().starts_with("task-0244"), "{}", rig.here());
}

#[test]
fn full_text_terms_ask_the_catalogue() {
    let mut tasks = vec![task("one", "needle here\n", "b\n"), task("two", "a\n", "b\n")];
    tasks[1].description = "hay".to_owned();
    let mut rig = Rig::tasks(tasks, Options::default());
    rig.press("/").kind("text:needle");
    assert_eq!(ids(&rig), ["one"]);
    rig.press("ctrl-u").kind("-text:needle");
    assert_eq!(ids(&rig), ["two"]);
}

#[test]
fn reading_anew_keeps_the_cursor_on_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let write = |ids: &[&str]| {
        for id in ids {
            let task = folder.path().join("tasks").join(id);
            for (path, text) in [
                (
                    "task.toml",
                    format!(
                        "schema = 1\nid = \"{id}\"\ntitle = \"t\"\nkind = \"repair\"\nlanguage = \"c\"\n"
                    ),
                ),
                ("buggy/a.c", "1\n".to_owned()),
                ("reference/a.c", "2\n".to_owned()),
            ] {
                let path = task.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }
    };
    write(&["b", "d"]);
    let mut rig = Rig::path(&folder.path().join("tasks"), folder.path(), Options::default());
    rig.press("j").expect("2 tasks");
    assert_eq!(rig.copy("y"), "tasks/d");
    write(&["a", "c"]);
    rig.press("ctrl-r").expect("4 tasks");
    assert_eq!(rig.copy("y"), "tasks/d");
    rig.press("enter").expect("a.c");
    std::fs::remove_dir_all(folder.path().join("tasks/d")).unwrap();
    rig.press("ctrl-r esc").expect("3 tasks");
    assert_eq!(rig.copy("y"), "tasks/a");
}

#[test]
fn a_message_longer_than_the_screen_is_wide_goes_on_in_the_next_row() {
    let mut rig = Rig::samples(Options::sized(40, 12));
    rig.press("/").kind("lnag:c").expect("no filter field").expect("itself, quote it");
}
