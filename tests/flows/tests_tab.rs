//! The Tests tab: running, watching, cancelling, and going to where it failed.

use crate::rig::{Memory, Options, Rig};
use crate::scripted::{Run, Scripted};
use mendbench::harness::Harness;
use mendbench::sandbox::Exit;
use mendbench::store::{MemoryStore, Store};
use mendbench::task::{Command, Content, Task};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const BUGGY: &str = "int add(int a, int b)\n{\n    return a - b;\n}\n";

/// A task of C: a library whose buggy version subtracts, and far below a function that both share.
fn made(id: &str) -> Task {
    let below: String = (0..60).map(|n| format!("int f{n}(void);\n")).collect();
    let mut task = Task::new("made", id);
    task.title = "Adds".to_owned();
    task.language = "c".to_owned();
    let test = "void empty(void)\n{\n}\n\nvoid adds(void)\n{\n}\n";
    task.files.base.insert("tests/t.c".to_owned(), Content::new(test));
    task.files.buggy.insert("a.c".to_owned(), Content::new(format!("{BUGGY}{below}")));
    let fixed = BUGGY.replace("a - b", "a + b");
    task.files.reference.insert("a.c".to_owned(), Content::new(format!("{fixed}{below}")));
    task.test.build = Some(Command::Arguments(vec!["cc".to_owned()]));
    task.test.command = Some(Command::Arguments(vec!["./run_tests".to_owned()]));
    task.test.parser = Some("tap".to_owned());
    task.test.fail_to_pass = vec!["adds".to_owned()];
    task.test.pass_to_pass = vec!["empty".to_owned(), "zero".to_owned()];
    task.protected = vec!["tests/**".to_owned()];
    task
}

/// Builds with a warning far below, and fails where it subtracts.
fn honest(run: &mut Run<'_>) -> Exit {
    if run.command == "cc" {
        run.err("a.c:30:5: \x1b[01;35m\x1b[Kwarning:\x1b[m\x1b[K f25 is not used [-Wunused]\n");
        run.err("a.c:30:5: warning: f25 is not used [-Wunused]\n");
        return Exit::Code(0);
    }
    let fixed = String::from_utf8_lossy(&run.tree["a.c"]).contains("a + b");
    run.out("1..3\nok 1 - empty\n");
    if fixed {
        run.out("ok 2 - adds\n");
    } else {
        run.out("not ok 2 - adds\n# a.c:3:5: runtime error: expected 3, got -1\n");
    }
    run.out("ok 3 - zero\n");
    Exit::Code(i32::from(!fixed))
}

fn rig_with(script: impl Fn(&mut Run<'_>) -> Exit + Send + Sync + 'static) -> (Rig, Scripted) {
    let scripted = Scripted::new(script);
    let mut rig = Rig::on(Memory::new(vec![made("one"), made("two")]), Options::default());
    rig.harness = Some(Arc::new(scripted.harness(None)));
    rig.press("enter");
    (rig, scripted)
}

fn cached(scripted: &Scripted) -> Arc<Harness> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    Arc::new(scripted.harness(Some(store)))
}

#[test]
fn a_buggy_run_ends_in_a_list_that_leads_to_the_line() {
    let (mut rig, scripted) = rig_with(honest);
    rig.press("t");
    rig.expect(" failed ").expect("2 of 3 passed").expect("bubblewrap").expect("buggy");
    rig.expect("model or harness? the code at a.c:3 · UndefinedBehaviorSanitizer");
    rig.expect("✘ adds").expect("✔ empty").expect("a.c:3:5: runtime error");
    assert!(rig.here().starts_with("✘ adds"), "{}", rig.here());
    assert_eq!(scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst));
    rig.press("enter").expect("1 Diff");
    assert!(rig.here().contains("return a - b;"), "{}", rig.here());
    assert_eq!(rig.at(), ("buggy-a.c".to_owned(), 3));
    let footer = rig.footer();
    assert!(footer.contains("F  adds:"), "{footer}");
    // The mark is a letter beside the line's number, in every theme.
    assert!(rig.row(rig.find("return a - b;")).contains("F-"), "{}", rig.text());
    // The warning lies in folded lines, and is found.
    rig.press("d");
    assert!(rig.here().contains("int f25(void);"), "{}", rig.here());
    assert!(rig.footer().contains("W  warning: f25 is not used [-Wunused]"), "{}", rig.footer());
    rig.press("d").expect("no remark after this line").press("D");
    assert!(rig.here().contains("return a - b;"), "{}", rig.here());
}

#[test]
fn a_reference_run_passes_and_marks_the_other_side() {
    let (mut rig, _) = rig_with(honest);
    rig.press("2 T").expect("3 Tests").expect(" passed ").expect("3 of 3 passed");
    rig.expect("as it should: the reference passes").expect_not("✘");
    assert_eq!(rig.copy("Y"), "mendbench verify made/one --in memory.jsonl --reference");
    rig.press("enter").expect("no line of this task is named there");
    rig.press("1 d");
    assert_eq!(rig.at(), ("reference-a.c".to_owned(), 30));
}

#[test]
fn a_test_without_a_place_leads_to_where_it_is_written() {
    let (mut rig, _) = rig_with(|run| {
        if run.command == "cc" {
            return Exit::Code(0);
        }
        run.out("1..1\nnot ok 1 - adds\n# expected 3, got -1\n");
        Exit::Code(1)
    });
    rig.press("t enter").expect("4 Context").expect("the test is at tests/t.c:5, buggy version");
    rig.expect("void adds(void)");
}

#[test]
fn a_build_error_is_marked_on_its_line() {
    let (mut rig, _) = rig_with(|run| {
        run.err("a.c:3:12: error: 'c' undeclared\n");
        Exit::Code(1)
    });
    rig.press("t").expect(" build-error ").expect("the build `cc`: exit code 1");
    rig.expect("model or harness? the code at a.c:3 · compilation · expected of the").expect_not("not seen");
    assert!(rig.here().starts_with("a.c:3:12: error"), "what the compiler said comes first: {}", rig.here());
    rig.press("enter");
    assert!(rig.here().contains("return a - b;"), "{}", rig.here());
    assert!(rig.footer().contains("E  error: 'c' undeclared"), "{}", rig.footer());
    assert!(rig.row(rig.find("return a - b;")).contains("E-"), "{}", rig.text());
}

#[test]
fn what_runs_is_seen_as_it_comes_and_cancelled_with_one_key() {
    let (mut rig, scripted) = rig_with(honest);
    rig.hold_runs = true;
    rig.press("t").expect("queued");
    let mut messages = rig.run();
    rig.until(&mut messages, "building · bubblewrap · 3 s").expect("x cancel");
    rig.until(&mut messages, "testing 1/3 · bubblewrap");
    rig.expect("✔ empty").expect("· adds").expect("ok 1 - empty").expect("following");
    rig.press("t").expect("already running (testing 1/3 · bubblewrap · 3 s)");
    // From another tab the status line tells the same.
    rig.press("1").expect("testing 1/3 · bubblewrap").press("3");
    rig.all(messages).expect(" failed ").expect_not("x cancel");
    assert_eq!(scripted.made.load(Ordering::SeqCst), 1);

    rig.press("t x").expect("cancelling");
    let messages = rig.run();
    rig.all(messages);
    rig.press("j").expect(" not-run ").expect("neither: you cancelled it").expect_not("cancelling");
    rig.press("x").expect("nothing is running");
    assert_eq!(
        scripted.made.load(Ordering::SeqCst),
        1,
        "what was cancelled before it began needs no sandbox"
    );
}

#[test]
fn leaving_the_task_cancels_and_late_results_are_dropped() {
    for keys in ["esc", "]", "g t"] {
        let (mut rig, scripted) = rig_with(honest);
        rig.hold_runs = true;
        rig.press("t").press(keys);
        let messages = rig.run();
        rig.all(messages);
        assert_eq!(scripted.made.load(Ordering::SeqCst), 0, "{keys}");
        rig.expect_not("not-run").expect_not("building");
        if keys != "]" {
            rig.expect("the run was cancelled").press("g o 3").expect("not run yet");
        }
        // A new run of the next task is shown, whatever comes late.
        rig.press("t");
        let messages = rig.run();
        rig.all(messages).expect(" failed ");
    }
}

#[test]
fn a_result_that_was_known_says_so_and_again_means_anew() {
    let scripted = Scripted::new(honest);
    let harness = cached(&scripted);
    let open = || {
        let mut rig = Rig::on(Memory::new(vec![made("one")]), Options::sized(100, 24));
        rig.harness = Some(harness.clone());
        rig.press("enter t");
        rig
    };
    open().expect_not("from the cache");
    let mut rig = open();
    rig.expect("from the cache").expect("not ok 2 - adds").expect("✘ adds");
    assert_eq!(scripted.made.load(Ordering::SeqCst), 1);
    rig.press("t").expect_not("from the cache");
    assert_eq!(scripted.made.load(Ordering::SeqCst), 2);
}

#[test]
fn the_harness_is_blamed_for_its_failures() {
    let (mut rig, _) = rig_with(|_| Exit::Broken("the engine died".to_owned()));
    rig.press("t").expect(" infra-error ").expect("the engine died");
    rig.expect("model or harness? the harness: it failed, and nothing is known about the code");

    let mut rig = Rig::on(Memory::new(vec![made("one")]), Options::default());
    rig.press("enter t").expect("no sandbox is configured yet");
    rig.expect("the harness: nothing ran");

    let mut task = made("one");
    task.files.reference.clear();
    let mut rig = Rig::on(Memory::new(vec![task]), Options::default());
    rig.harness = Some(Arc::new(Scripted::new(honest).harness(None)));
    rig.press("enter T").expect("it has no reference version");
}

#[test]
fn hostile_output_is_shown_and_does_nothing() {
    let (mut rig, _) = rig_with(|run| {
        if run.command == "cc" {
            run.err("\x1b]52;c;AAAA\x07\x1b[2J\x1b[31mred\x1b[0m \u{202e}evil\n\x1b[999A\u{9b}5n\r\n");
            run.out("a\rb\x08\x00\n");
            return Exit::Code(0);
        }
        run.out(&"\u{301}".repeat(5_000));
        run.out("\n1..1\nnot ok 1 - \x1b[2J\u{202e}name\n# \x1b]0;title\x07 why\n");
        Exit::Code(1)
    });
    rig.press("t o g g").expect("␛]52;c;AAAA␇␛[2Jred U+202Eevil").expect("a␍b␈␀");
    rig.press("o").expect("␛");
    assert!(!rig.text().contains(['\x1b', '\u{202e}', '\u{7}', '\r']));
    assert!(!rig.copy("y").is_empty());
}

#[test]
fn the_output_is_followed_scrolled_and_searched() {
    let (mut rig, _) = rig_with(|run| {
        if run.command == "cc" {
            return Exit::Code(0);
        }
        let mut text = String::new();
        for number in 0..5_000 {
            writeln!(text, "# line {number} of it").unwrap();
        }
        run.out(&text);
        run.out("1..1\nok 1 - adds\n");
        Exit::Code(0)
    });
    rig.press("t").expect("ok 1 - adds").expect("5,002 lines");
    rig.press("o g g").expect("3,0").expect("earlier lines are not kept");
    rig.press("/").kind("line 4777").expect("1 line").press("enter").expect("# line 4777 of it");
    rig.press("G").expect("ok 1 - adds").press("o").expect("model or harness?");
}

#[test]
fn very_many_tests_answer_every_key() {
    let (mut rig, _) = rig_with(|run| {
        if run.command == "cc" {
            return Exit::Code(0);
        }
        let mut text = "1..30000\n".to_owned();
        for number in 1..=30_000 {
            let word = if number % 1_000 == 7 { "not ok" } else { "ok" };
            writeln!(text, "{word} {number} - test {number}").unwrap();
        }
        run.out(&text);
        Exit::Code(1)
    });
    rig.press("t").expect("29,970 of 30,000 passed").expect("✘ test 7");
    rig.press("n").expect("test 1007");
    assert!(rig.here().starts_with("✘ test 1007"), "{}", rig.here());
    rig.press("N");
    assert!(rig.here().starts_with("✘ test 7"), "{}", rig.here());
    rig.press("N").expect("no test before this one failed");
    rig.press("G space ctrl-u /").kind("test 29999").press("enter");
    assert!(rig.here().starts_with("✔ test 29999"), "{}", rig.here());
}

#[test]
fn a_key_pressed_before_the_task_is_read_is_not_lost() {
    let scripted = Scripted::new(honest);
    let mut rig = Rig::on(Memory::new(vec![made("one")]), Options { preview: false, ..Options::default() });
    rig.harness = Some(Arc::new(scripted.harness(None)));
    rig.hold = true;
    rig.press("enter t").expect("testing as soon as the task is read");
    rig.finish(0).expect("3 Tests").expect("✘ adds").expect_not("as soon as");
}
