//! Verification above the sandbox: the order of its steps, verdicts, cache, checks, against a scripted sandbox.
#![allow(clippy::unwrap_used)]

#[path = "scripted/mod.rs"]
mod scripted;

use mendbench::dataset::sample_tasks;
use mendbench::harness::check::{Reason, Standing};
use mendbench::harness::{
    Cancel, Changes, Happening, PlanError, Unwatched, Verified, VerifyError, Version, Wanted,
};
use mendbench::harness::{Harness, State, VerifyReport, VerifyRequest, Watcher};
use mendbench::report::{Status, Verdict};
use mendbench::sandbox::Exit;
use mendbench::store::{MemoryStore, Store};
use mendbench::task::{Command, Content, Task};
use scripted::{Run, Scripted};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A task with a protected test, a build, and lists.
fn task() -> Task {
    let mut task = Task::new("made", "one");
    task.language = "c".to_owned();
    task.files.base.insert("tests/t.c".to_owned(), Content::new("test"));
    task.files.buggy.insert("a.c".to_owned(), Content::new("buggy"));
    task.files.reference.insert("a.c".to_owned(), Content::new("fixed"));
    task.test.build = Some(Command::Arguments(vec!["cc".to_owned()]));
    task.test.command = Some(Command::Arguments(vec!["./run_tests".to_owned()]));
    task.test.parser = Some("tap".to_owned());
    task.test.fail_to_pass = vec!["wraps".to_owned()];
    task.test.pass_to_pass = vec!["empty".to_owned()];
    task.protected = vec!["tests/**".to_owned()];
    task
}

/// Builds, and tests what `a.c` says.
fn honest(run: &mut Run<'_>) -> Exit {
    if run.command == "cc" {
        return Exit::Code(0);
    }
    assert_eq!(run.tree["tests/t.c"], b"test", "the test is as it was");
    let fixed = run.tree["a.c"] == b"fixed";
    run.out("TAP version 13\n1..2\nok 1 - empty\n");
    run.out(if fixed { "ok 2 - wraps\n" } else { "not ok 2 - wraps\n" });
    Exit::Code(i32::from(!fixed))
}

fn changes(pairs: &[(&str, Option<&str>)]) -> Changes {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), text.map(Content::new))).collect()
}

fn verify(harness: &Harness, task: &Task, changes: &Changes) -> VerifyReport {
    verified(harness, task, changes, true).report
}

fn verified(harness: &Harness, task: &Task, changes: &Changes, fresh: bool) -> Verified {
    let wanted = Wanted { task, version: Version::Buggy, changes, fresh };
    harness.verify(&wanted, &Cancel::new(), &mut Unwatched).unwrap()
}

#[test]
fn steps_come_in_the_order_of_the_contract() {
    let scripted = Scripted::new(|run| {
        if run.command == "cc" {
            // A hostile build: it rewrites the test and adds another.
            run.tree.insert("tests/t.c".to_owned(), b"forged".to_vec());
            run.tree.insert("tests/more.c".to_owned(), b"planted".to_vec());
            run.tree.insert("out.o".to_owned(), b"object".to_vec());
            return Exit::Code(0);
        }
        assert!(!run.tree.contains_key("tests/more.c"));
        assert!(run.tree.contains_key("out.o"), "what a build makes elsewhere stays");
        assert_eq!(run.read_only, ["tests"], "the whole folder: nothing can be added to it either");
        honest(run)
    });
    let report = verify(&scripted.harness(None), &task(), &changes(&[("a.c", Some("fixed"))]));
    assert_eq!((report.verdict, report.why.as_str()), (Verdict::Passed, "2 of 2 listed"));
    assert_eq!(report.removed, ["tests/more.c"]);
    assert_eq!(report.applied, ["a.c"]);
    assert_eq!(report.counts(), (2, 2));
    assert_eq!(report.failure, None);
    let log = scripted.log.lock().unwrap().clone();
    let expected = ["put a.c tests/t.c", "run cc", "put tests/t.c", "remove tests/more.c", "run ./run_tests"];
    assert_eq!(log, expected);
    assert_eq!(scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst));
}

#[test]
fn what_may_not_be_changed_is_refused_and_told() {
    let scripted = Scripted::new(honest);
    let wanted = changes(&[
        ("a.c", Some("fixed")),
        ("tests/t.c", Some("forged")),
        ("tests/new.c", Some("planted")),
        ("../outside", Some("x")),
        ("/etc/passwd", Some("x")),
        ("a.c/inside", Some("x")),
        ("tests", Some("a file")),
    ]);
    let report = verify(&scripted.harness(None), &task(), &wanted);
    assert_eq!(report.verdict, Verdict::Passed);
    assert!(report.touched_protected());
    let refused: Vec<(&str, bool)> =
        report.refused.iter().map(|change| (change.path.as_str(), change.protected)).collect();
    let expected = [
        ("../outside", false),
        ("/etc/passwd", false),
        ("a.c/inside", false),
        ("tests", true),
        ("tests/new.c", true),
        ("tests/t.c", true),
    ];
    assert_eq!(refused, expected);
}

#[test]
fn a_language_protects_what_decides_about_tests_from_outside() {
    let mut task = task();
    task.language = "python".to_owned();
    task.protected.clear();
    let scripted = Scripted::new(honest);
    for path in
        ["sitecustomize.py", "conftest.py", "sub/conftest.py", "unittest.py", "unittest/__init__.py", "x.pth"]
    {
        let report = verify(&scripted.harness(None), &task, &changes(&[(path, Some("x"))]));
        assert!(report.touched_protected(), "{path}");
        assert_eq!(report.applied, [] as [&str; 0]);
    }
}

#[test]
fn every_end_has_its_verdict() {
    let infrastructure = Verdict::InfraError;
    for (command, exit, verdict, words) in [
        ("cc", Exit::Code(2), Verdict::BuildError, "exit code 2"),
        ("cc", Exit::Signal(11), Verdict::BuildError, "SIGSEGV"),
        ("cc", Exit::Timeout, Verdict::Timeout, "time ran out"),
        ("cc", Exit::OutOfMemory, Verdict::OutOfMemory, "memory"),
        ("cc", Exit::DiskFull, Verdict::BuildError, "disk"),
        ("cc", Exit::NotStarted("not there".to_owned()), infrastructure, "`cc` could not be started"),
        ("cc", Exit::Broken("engine died".to_owned()), infrastructure, "engine died"),
        (
            "./run_tests",
            Exit::NotStarted("not there".to_owned()),
            Verdict::BuildError,
            "the build made nothing",
        ),
        ("./run_tests", Exit::Broken("engine died".to_owned()), infrastructure, "engine died"),
        ("./run_tests", Exit::Timeout, Verdict::Timeout, "60 s"),
        ("./run_tests", Exit::OutOfMemory, Verdict::OutOfMemory, "memory"),
        ("./run_tests", Exit::Signal(6), Verdict::Crashed, "SIGABRT"),
        ("./run_tests", Exit::OutputLimit, Verdict::Crashed, "output"),
        ("./run_tests", Exit::DiskFull, Verdict::Crashed, "disk"),
        ("./run_tests", Exit::Code(0), Verdict::NoTests, "no test"),
    ] {
        let when = (command.to_owned(), exit.clone());
        let scripted =
            Scripted::new(move |run| if run.command == when.0 { when.1.clone() } else { Exit::Code(0) });
        let report = verify(&scripted.harness(None), &task(), &changes(&[]));
        assert_eq!(report.verdict, verdict, "{command} {exit:?}: {}", report.why);
        assert!(report.why.contains(words), "{command} {exit:?}: {}", report.why);
        assert!(report.failure.is_some(), "{command} {exit:?}");
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<VerifyReport>(&json).unwrap(), report);
    }
}

#[test]
fn a_tool_that_is_missing_is_no_fault_of_the_code() {
    let mut task = task();
    task.test.build = None;
    task.test.command = Some(Command::Arguments(vec!["node".to_owned(), "t.js".to_owned()]));
    let scripted = Scripted::new(|_| Exit::NotStarted("not there".to_owned()));
    let report = verify(&scripted.harness(None), &task, &changes(&[]));
    assert_eq!(report.verdict, Verdict::InfraError);
    assert!(report.why.contains("`node`") && report.why.contains("installed"), "{}", report.why);
}

#[test]
fn a_tool_that_a_shell_misses_is_the_harness_of_the_dataset_and_doubt_of_a_candidate() {
    let mut task = task();
    task.test.build = None;
    task.test.command = Some(Command::Shell("frob -v".to_owned()));
    let scripted = Scripted::new(|run| {
        run.err("sh: 1: frob: not found\n");
        Exit::Code(127)
    });
    let harness = scripted.harness(Some(Arc::new(MemoryStore::default())));
    let report = verify(&harness, &task, &changes(&[]));
    assert_eq!(report.verdict, Verdict::InfraError, "{}", report.why);
    assert!(report.why.contains("frob: not found"), "{}", report.why);
    let fix = changes(&[("a.c", Some("fixed"))]);
    let report = verified(&harness, &task, &fix, false).report;
    assert_ne!(
        report.verdict,
        Verdict::InfraError,
        "a candidate cannot say of itself that it does not count"
    );
    assert!(report.notes[0].contains("frob: not found"), "{:?}", report.notes);
    assert!(!verified(&harness, &task, &fix, false).cached);
    task.test.command = Some(Command::Arguments(["python3", "-m", "pytest"].map(str::to_owned).into()));
    let scripted = Scripted::new(|run| {
        run.err("/usr/bin/python3: No module named pytest\n");
        Exit::Code(1)
    });
    let report = verify(&scripted.harness(None), &task, &changes(&[]));
    assert_eq!(report.verdict, Verdict::InfraError, "{}", report.why);
}

#[test]
fn verdicts_that_somebody_else_wrote_are_not_believed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let scripted = Scripted::new(honest);
    let fix = changes(&[("a.c", Some("fixed"))]);
    assert!(!verified(&scripted.harness(Some(Arc::clone(&store))), &task(), &fix, false).cached);
    assert!(verified(&scripted.harness(Some(Arc::clone(&store))), &task(), &fix, false).cached);
    let mine = scripted.harness(Some(Arc::clone(&store))).sealed(mendbench::harness::Seal::new([7; 32]));
    let theirs = scripted.harness(Some(Arc::clone(&store))).check(&task(), &Cancel::new(), &mut Unwatched);
    assert_eq!(theirs.standing, Standing::Holds);
    assert_eq!(mine.checked(&task()), None, "a baseline is as good as a verdict");
    assert!(!verified(&mine, &task(), &fix, false).cached, "it was sealed by nobody");
    assert!(verified(&mine, &task(), &fix, false).cached);
}

#[test]
fn another_rung_is_not_answered_from_the_cache() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = Scripted::new(honest);
    let fix = changes(&[("a.c", Some("fixed"))]);
    verified(&first.harness(Some(Arc::clone(&store))), &task(), &fix, false);
    let other = Scripted { rung: mendbench::sandbox::Rung::Landlock, ..first };
    assert!(!verified(&other.harness(Some(store)), &task(), &fix, false).cached);
}

#[test]
fn the_junit_file_is_read_and_a_planted_one_is_not() {
    let mut task = task();
    task.test.build = None;
    task.test.command = Some(Command::Arguments(vec!["pytest".to_owned(), "--junitxml=out.xml".to_owned()]));
    task.test.parser = Some("junit".to_owned());
    task.test.fail_to_pass.clear();
    task.test.pass_to_pass.clear();
    let xml = "<testsuite tests=\"1\"><testcase classname=\"a\" name=\"b\"/></testsuite>";
    let scripted = Scripted::new(|run| {
        assert!(!run.tree.contains_key("out.xml"));
        Exit::Code(0)
    });
    let report = verify(&scripted.harness(None), &task, &changes(&[("out.xml", Some(xml))]));
    assert_ne!(report.verdict, Verdict::Passed, "{}", report.why);
    let scripted = Scripted::new(move |run| {
        run.tree.insert("out.xml".to_owned(), xml.as_bytes().to_vec());
        Exit::Code(0)
    });
    let report = verify(&scripted.harness(None), &task, &changes(&[]));
    assert_eq!((report.verdict, report.report.cases.len()), (Verdict::Passed, 1), "{}", report.why);
}

#[test]
fn what_is_cached_is_the_same_request_and_nothing_that_may_change() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let scripted = Scripted::new(honest);
    let harness = scripted.harness(Some(Arc::clone(&store)));
    let fix = changes(&[("a.c", Some("fixed"))]);
    let first = verified(&harness, &task(), &fix, false);
    let second = verified(&harness, &task(), &fix, false);
    assert!(!first.cached && second.cached);
    assert_eq!(first.report, second.report);
    assert!(!verified(&harness, &task(), &fix, true).cached, "--fresh ignores it");
    assert!(!verified(&harness, &task(), &changes(&[("a.c", Some("other"))]), false).cached);
    let mut slower = task();
    slower.test.timeout_s = Some(3);
    assert!(!verified(&harness, &slower, &fix, false).cached, "limits are a part of the request");

    for exit in [Exit::Timeout, Exit::Broken("engine".to_owned()), Exit::Cancelled] {
        let scripted = Scripted::new(move |_| exit.clone());
        let harness = scripted.harness(Some(Arc::new(MemoryStore::default())));
        verified(&harness, &task(), &fix, false);
        assert!(!verified(&harness, &task(), &fix, false).cached);
        assert_eq!(scripted.made.load(Ordering::SeqCst), 2);
    }
}

#[test]
fn a_request_reads_back_and_holds_no_path_of_this_machine() {
    for task in sample_tasks().tasks {
        let environment = mendbench::harness::Environment::Local(vec!["x 1".to_owned()]);
        let languages = mendbench::config::Languages::built_in();
        let expected = mendbench::harness::Expected::of(&task);
        let (request, _) = mendbench::harness::plan(
            &task,
            Version::Buggy,
            &changes(&[("a", Some("b"))]),
            &languages,
            environment,
            &expected,
        )
        .unwrap();
        let json = request.canonical_json();
        let back: VerifyRequest = serde_json::from_str(&json).unwrap();
        assert_eq!(back, request);
        assert_eq!(back.id(), request.id());
        assert!(!json.contains(env!("CARGO_MANIFEST_DIR")));
    }
}

#[test]
fn tasks_that_cannot_run_say_why() {
    let harness = Scripted::new(honest).harness(None);
    let wanted = |task: &Task, version| {
        let changes = Changes::new();
        let wanted = Wanted { task, version, changes: &changes, fresh: true };
        match harness.verify(&wanted, &Cancel::new(), &mut Unwatched) {
            Err(VerifyError::Plan(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let mut no_command = task();
    no_command.test.command = None;
    no_command.language = "cobol".to_owned();
    assert!(matches!(wanted(&no_command, Version::Buggy), PlanError::NoCommand { .. }));
    let mut no_reference = task();
    no_reference.files.reference.clear();
    assert_eq!(wanted(&no_reference, Version::Reference), PlanError::NoTree("reference"));
    let mut parser = task();
    parser.test.parser = Some("nose".to_owned());
    assert!(wanted(&parser, Version::Buggy).to_string().contains("known are unittest"));
}

#[test]
fn checks_find_the_baseline_and_quarantine_with_a_reason() {
    let listed = task();
    let mut unlisted = task();
    unlisted.id = "unlisted".to_owned();
    unlisted.test.fail_to_pass.clear();
    unlisted.test.pass_to_pass.clear();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let harness = Scripted::new(honest).harness(Some(Arc::clone(&store)));
    for task in [&listed, &unlisted] {
        assert_eq!(harness.checked(task), None);
        let check = harness.check(task, &Cancel::new(), &mut Unwatched);
        assert_eq!((check.standing, check.reason), (Standing::Holds, None), "{}", check.why);
        assert_eq!(check.fail_to_pass, ["wraps"]);
        assert_eq!(check.pass_to_pass, ["empty"]);
        assert_eq!(check.runs.len(), 4);
        assert_eq!(harness.checked(task), Some(check));
    }
    // From now on the task without lists is judged by its baseline.
    assert_eq!(harness.expected(&unlisted).fail_to_pass, ["wraps"]);
    let report = verify(&harness, &unlisted, &changes(&[]));
    assert_eq!(report.unmet, [("wraps".to_owned(), Some(Status::Failed))]);

    let check = |task: &Task, script: fn(&mut Run<'_>) -> Exit| {
        Scripted::new(script).harness(None).check(task, &Cancel::new(), &mut Unwatched)
    };
    let always = |run: &mut Run<'_>| {
        run.tree.insert("a.c".to_owned(), b"fixed".to_vec());
        honest(run)
    };
    assert_eq!(check(&listed, always).reason, Some(Reason::BuggyPasses));
    let never = |run: &mut Run<'_>| {
        run.tree.insert("a.c".to_owned(), b"broken".to_vec());
        honest(run)
    };
    assert_eq!(check(&listed, never).reason, Some(Reason::ReferenceFails));
    let broken = |_: &mut Run<'_>| Exit::Broken("engine".to_owned());
    let unknown = check(&listed, broken);
    assert_eq!((unknown.standing, unknown.reason), (Standing::Unknown, None));
    let mut wrong = task();
    wrong.test.pass_to_pass = vec!["wraps".to_owned()];
    wrong.test.fail_to_pass = vec!["empty".to_owned()];
    let wrong = check(&wrong, honest);
    assert_eq!(wrong.reason, Some(Reason::ListsDisagree), "{}", wrong.why);
    let mut no_command = task();
    no_command.test.parser = Some("nose".to_owned());
    assert_eq!(check(&no_command, honest).reason, Some(Reason::CannotRun));
}

#[test]
fn a_flaky_task_is_quarantined() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let scripted = Scripted::new(move |run| {
        if run.command != "cc" && count.fetch_add(1, Ordering::SeqCst) == 2 {
            run.out("1..2\nnot ok 1 - empty\nnot ok 2 - wraps\n");
            return Exit::Code(1);
        }
        honest(run)
    });
    let check = scripted.harness(None).check(&task(), &Cancel::new(), &mut Unwatched);
    assert_eq!(check.reason, Some(Reason::Flaky), "{}", check.why);
    assert!(check.why.contains("`empty` passed, then failed"), "{}", check.why);
}

/// Cancels as soon as the tests begin.
struct Impatient(Cancel, Vec<String>);

impl Watcher for Impatient {
    fn happened(&mut self, what: Happening<'_>) {
        if let Happening::State(state) = what {
            self.1.push(state.to_string());
            if matches!(state, State::Testing(..)) {
                self.0.cancel();
            }
        }
    }
}

#[test]
fn a_cancelled_verification_is_not_run_and_leaves_nothing() {
    let scripted = Scripted::new(honest);
    let cancel = Cancel::new();
    let mut watcher = Impatient(cancel.clone(), Vec::new());
    let changes = changes(&[]);
    let task = task();
    let wanted = Wanted { task: &task, version: Version::Buggy, changes: &changes, fresh: true };
    let report = scripted.harness(None).verify(&wanted, &cancel, &mut watcher).unwrap().report;
    assert_eq!((report.verdict, report.why.as_str()), (Verdict::NotRun, "cancelled"));
    assert_eq!(scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst));
    assert_eq!(watcher.1[..4], ["preparing", "applying", "building", "testing 0/2"]);
    assert_eq!(watcher.1.last().map(String::as_str), Some("done"));
    let again = scripted.harness(None).verify(&wanted, &cancel, &mut watcher).unwrap().report;
    assert_eq!(again.verdict, Verdict::NotRun);
    assert_eq!(scripted.made.load(Ordering::SeqCst), 1, "nothing begins after a cancel");
}
