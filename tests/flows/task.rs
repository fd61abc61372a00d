//! The Task screen: tabs, the next task, search in text, the editor.

use crate::rig::{Edited, Options, Rig, task};

#[test]
fn enter_opens_and_escape_goes_back_to_the_same_place() {
    let mut rig = Rig::samples(Options::default());
    rig.press("j j enter");
    rig.expect("Connections stay open after shutdown").expect("1 Diff").expect("session_pool.c");
    rig.expect("▸ c-session-pool").expect("3 of 10");
    rig.press("esc");
    assert!(rig.here().starts_with("c-session-pool"));
    rig.press("g o").expect("1 Diff").press("g t").expect("/ to filter");
}

#[test]
fn going_to_a_task_that_was_never_opened_says_what_to_do() {
    let mut rig = Rig::samples(Options::default());
    rig.press("g o").expect("no task was opened yet; Enter opens one");
}

#[test]
fn tabs_by_key_and_by_number() {
    let mut rig = Rig::samples(Options::default());
    rig.press("enter");
    let marks =
        ["src/headers.c", "Description", "How it is tested", "1 line", "Provenance", "there are no studies"];
    let pages: Vec<String> = ["1", "2", "3", "4", "5", "6"].map(|key| rig.press(key).text()).to_vec();
    for (page, mark) in pages.iter().zip(marks) {
        assert!(page.lines().skip(3).any(|line| line.contains(mark)) || mark == "1 line", "{mark}:\n{page}");
    }
    for pair in pages.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
    rig.press("tab");
    assert_eq!(rig.text(), pages[0], "round and back to the first");
    rig.press("tab");
    assert_eq!(rig.text(), pages[1]);
    rig.press("shift-tab shift-tab");
    assert_eq!(rig.text(), pages[5]);
}

#[test]
fn the_next_task_keeps_tab_and_options() {
    let mut rig = Rig::samples(Options::sized(120, 24));
    rig.press("enter 3 ]").expect("▸ c-ring-buffer").expect("How it is tested").expect("2 of 10");
    rig.press("[").expect("▸ c-content-charset").expect("How it is tested");
    rig.press("[").expect("this is the first task of the list");
    // Unified, wrapped, whole, white space ignored: all stay.
    rig.press("1 v w Z i");
    let changed = rig.copy("Y");
    assert!(!changed.contains("side-by-side"));
    rig.press("]").expect_not("⋯");
    let next = rig.copy("Y");
    assert_eq!(next, changed.replace("c-content-charset", "c-ring-buffer"));
    rig.press("esc");
    assert!(rig.here().starts_with("c-ring-buffer"), "the list went along");
    rig.press("G enter ]").expect("this is the last task of the list");
}

#[test]
fn the_next_task_follows_the_order_of_the_list_and_passes_headings() {
    let mut rig = Rig::samples(Options::default());
    rig.press("/").kind("lang:rust,js").press("enter o o o g g j enter");
    rig.expect("▸ js-event-emitter").expect("1 of 2");
    rig.press("]").expect("▸ rust-busy-slots").expect("2 of 2");
}

#[test]
fn the_task_opened_last_is_where_next_and_previous_start() {
    let mut rig = Rig::samples(Options::default());
    rig.press("j enter g t G g o").expect("▸ c-ring-buffer").expect("2 of 10");
    rig.press("]").expect("▸ c-session-pool").expect("3 of 10");
    // Filtered away meanwhile: it is still shown, and says so.
    rig.press("g t /").kind("rust").press("enter g o").expect("▸ c-session-pool").expect_not("1 of 1");
}

#[test]
fn search_in_text_goes_from_hit_to_hit_and_round() {
    let mut made = task("long", "a\n", "b\n");
    made.description = (0..120)
        .map(|n| if n % 30 == 7 { format!("needle {n}\n\n") } else { format!("line {n}\n\n") })
        .collect();
    let mut rig = Rig::tasks(vec![made], Options::default());
    rig.press("enter 2 /").kind("needle").expect("4 lines").press("enter");
    rig.expect("needle 7");
    for (number, keys) in [(37, "n"), (67, "n"), (97, "n"), (7, "n"), (97, "N"), (67, "N")] {
        rig.press(keys).expect(&format!("needle {number}")).expect("of 4");
    }
    rig.press("/")
        .kind("nothing of it")
        .expect("not found")
        .press("enter n")
        .expect("`nothing of it` is not here");
    rig.press("esc n").expect("nothing is searched for");
}

#[test]
fn hits_at_the_end_of_a_short_text_are_all_reached() {
    let mut made = task("short", "a\n", "b\n");
    made.description = "one needle\n\ntwo\n\nthree needle\n\nfour needle\n".to_owned();
    let mut rig = Rig::tasks(vec![made], Options::default());
    rig.press("enter 2 /").kind("needle").press("enter");
    for expected in ["2 of 3", "3 of 3", "1 of 3", "2 of 3"] {
        rig.press("n").expect(expected);
    }
    rig.press("N").expect("1 of 3").press("N").expect("3 of 3");
}

#[test]
fn escape_ends_the_search_before_it_leaves_the_task() {
    let mut rig = Rig::samples(Options::sized(105, 24));
    rig.press("enter /").kind("return").press("enter").expect("/return");
    rig.press("esc").expect("1 Diff").expect_not("/return");
    rig.press("esc").expect("/ to filter");
}

#[test]
fn the_editor_gets_the_file_and_line_of_the_cursor() {
    let old = "one\ntwo\nthree\nfour\n";
    let new = "one\n2\nthree\nfour\nfive\n";
    let mut rig = Rig::tasks(vec![task("t", old, new)], Options::default());
    rig.press("enter");
    let edited = |name: &str, text: &str, line| Edited { name: name.into(), text: text.into(), line };
    rig.press("e");
    assert_eq!(rig.edited.pop(), Some(edited("buggy-code.py", old, 2)));
    rig.press("j e");
    assert_eq!(rig.edited.pop(), Some(edited("reference-code.py", new, 2)));
    rig.press("j e");
    assert_eq!(rig.edited.pop(), Some(edited("reference-code.py", new, 3)));
    rig.press("G e");
    assert_eq!(rig.edited.pop(), Some(edited("reference-code.py", new, 5)));
    rig.press("v e");
    assert_eq!(rig.edited.pop(), Some(edited("reference-code.py", new, 5)));
}

#[test]
fn the_editor_key_of_the_list_hands_over_the_task_under_the_cursor() {
    let made = task("t", "one two\n", "one three\n");
    let mut rig = Rig::tasks(vec![made], Options::sized(120, 24));
    rig.press("e");
    assert_eq!(rig.edited.pop().map(|edited| edited.name), Some("reference-code.py".to_owned()));
    // Without a preview nothing was read that could be handed over.
    let mut rig = Rig::tasks(vec![task("t", "a\n", "b\n")], Options::default());
    rig.press("e").expect("Enter opens the task");
    assert!(rig.edited.is_empty());
}

#[test]
fn late_tasks_do_not_take_the_place_of_newer_ones() {
    let mut rig = Rig::samples(Options::default());
    rig.press("enter").expect("src/headers.c");
    rig.hold = true;
    rig.press("] ]");
    rig.expect("src/headers.c");
    assert_eq!(rig.waiting(), 2);
    rig.finish(1).expect("session_pool.c");
    rig.finish(0).expect("session_pool.c").expect("3 of 10");
}

#[test]
fn the_wheel_scrolls_the_text_and_clicks_choose_lines() {
    let old: String = (0..60).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 30\n", "LINE 30\n");
    let mut rig = Rig::tasks(vec![task("t", &old, &new)], Options::default());
    rig.press("enter Z");
    let at = rig.at().1;
    rig.wheel(10, 10, true);
    assert_eq!(rig.at().1, at + 3 - 1, "three lines down, of which one is the new side");
    let row = rig.find(" 25 ");
    rig.click(10, row);
    assert_eq!(rig.at().1, 25);
    let before = rig.text();
    rig.click(10, 23);
    assert_eq!(rig.text(), before, "the footer is not a line of the text");
    rig.click(10, 0);
    assert_eq!(rig.text(), before);
}
