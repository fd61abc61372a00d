//! The sample tasks do what they say: the buggy version fails exactly the tests that it names, the
//! reference passes all.
//!
//! They run here plainly, without the sandbox, because they are our own. A language whose tools are not
//! installed is skipped, by name and count.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use mendbench::dataset::sample_tasks;
use mendbench::diff::summary;
use mendbench::report::{ExitKind, Parser, Status, Verdict, judge};
use mendbench::task::paths::check_path;
use mendbench::task::{Command, Content, Granularity, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

fn tasks() -> Vec<Task> {
    let report = sample_tasks();
    assert_eq!(report.skipped, []);
    report.tasks
}

#[test]
fn there_are_ten_and_each_can_be_read_and_judged() {
    let tasks = tasks();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    let mut types = BTreeSet::new();
    let mut reaches: BTreeMap<Granularity, Vec<&str>> = BTreeMap::new();
    for task in &tasks {
        let id = task.id.as_str();
        *languages.entry(task.language.as_str()).or_default() += 1;
        assert_eq!(task.marks, [], "{id}");
        assert!(task.description.lines().count() > 1 || task.sections.issue_body.is_some(), "{id}");
        assert!(!task.test.fail_to_pass.is_empty(), "{id}");
        let names: BTreeSet<&String> = listed(task).collect();
        assert!(names.len() >= 5, "{id}: {} tests", names.len());
        assert_eq!(names.len(), listed(task).count(), "{id}: a test is listed twice");
        assert!(
            task.test.command.is_some() && task.test.parser.is_some() && task.test.timeout_s.is_some(),
            "{id}"
        );
        assert!(!task.protected.is_empty(), "{id}");
        let changed = task.changed_files();
        assert!(!changed.is_empty(), "{id}");
        for file in &changed {
            let target = task.targets.iter().find(|target| target.file == file.path);
            assert!(
                target.is_some_and(|target| target.function.is_some()),
                "{id}: no target in {}",
                file.path
            );
            let lines = file.buggy.unwrap().text().unwrap().lines().count();
            assert!((20..=200).contains(&lines), "{id}: {} has {lines} lines", file.path);
        }
        reaches.entry(summary(task).granularity.unwrap()).or_default().push(id);
        types.insert(task.provenance.error_type.clone().unwrap());
    }
    assert_eq!(tasks.len(), 10);
    assert_eq!(languages, BTreeMap::from([("c", 4), ("javascript", 1), ("python", 4), ("rust", 1)]));
    let narrow = [Granularity::Line, Granularity::Hunk, Granularity::Function];
    assert!(reaches.keys().eq(narrow.iter()), "{reaches:?}");
    let known = ["A.1", "A.2", "A.3", "A.4", "B", "C.1", "C.2", "C.3", "D.1", "D.2"];
    assert!(types.iter().all(|id| known.contains(&id.as_str())), "{types:?}");
    assert!(types.len() >= 8, "error types are not spread: {types:?}");
}

#[test]
fn c_tasks() {
    run_all("c");
}

#[test]
fn python_tasks() {
    run_all("python");
}

#[test]
fn rust_tasks() {
    run_all("rust");
}

#[test]
fn javascript_tasks() {
    run_all("javascript");
}

fn listed(task: &Task) -> impl Iterator<Item = &String> {
    task.test.fail_to_pass.iter().chain(&task.test.pass_to_pass)
}

fn run_all(language: &str) {
    let tasks: Vec<Task> = tasks().into_iter().filter(|task| task.language == language).collect();
    assert!(!tasks.is_empty());
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    for task in &tasks {
        let commands = task.test.build.iter().chain(&task.test.command);
        let tool = commands.filter_map(tool).find(|tool| !is_installed(tool));
        match tool {
            Some(tool) => *missing.entry(tool).or_default() += 1,
            None => check_task(task),
        }
    }
    let all_expected = std::env::var_os("MENDBENCH_ALL_TOOLCHAINS").is_some();
    for (tool, count) in missing {
        assert!(!all_expected, "{count} {language} task(s) cannot run: `{tool}` is not installed");
        writeln!(std::io::stderr(), "skipped: {count} {language} task(s), because `{tool}` is not installed")
            .unwrap();
    }
}

/// The program that a command needs from the system.
fn tool(command: &Command) -> Option<String> {
    let Command::Arguments(arguments) = command else { return Some("sh".to_owned()) };
    arguments.first().filter(|program| !program.contains('/')).cloned()
}

fn is_installed(tool: &str) -> bool {
    let mut command = std::process::Command::new(tool);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn check_task(task: &Task) {
    let (passed, seen, output) = run(task, &task.buggy_tree());
    let listed: BTreeSet<String> = listed(task).cloned().collect();
    // A crash hides what follows it: a listed test that was not seen to pass has failed.
    let failed: BTreeSet<String> = listed.difference(&passed).cloned().collect();
    let expected: BTreeSet<String> = task.test.fail_to_pass.iter().cloned().collect();
    let text = show(&output);
    assert_eq!(failed, expected, "{}: the buggy version fails other tests than it should\n{text}", task.id);
    assert!(!output.status.success(), "{}: the buggy version ends well\n{text}", task.id);
    let extra: Vec<&String> = seen.difference(&listed).collect();
    assert!(extra.is_empty(), "{}: tests that are not listed: {extra:?}\n{text}", task.id);

    let (passed, seen, output) = run(task, &task.reference_tree());
    let text = show(&output);
    assert_eq!(passed, listed, "{}: the reference does not pass all\n{text}", task.id);
    assert_eq!(seen, listed, "{}\n{text}", task.id);
    assert!(output.status.success(), "{}: the reference ends badly\n{text}", task.id);
}

fn show(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Builds and tests a tree: names that passed, all names seen, and the output.
fn run(task: &Task, tree: &BTreeMap<&str, &Content>) -> (BTreeSet<String>, BTreeSet<String>, Output) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in tree {
        check_path(path).unwrap();
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content.bytes()).unwrap();
    }
    let limit = Duration::from_secs(task.test.timeout_s.unwrap() * 3);
    if let Some(build) = &task.test.build {
        let output = execute(build, folder.path(), limit, &task.id);
        assert!(output.status.success(), "{} does not build\n{}", task.id, show(&output));
    }
    let output = execute(task.test.command.as_ref().unwrap(), folder.path(), limit, &task.id);
    let mut reader = Parser::by_name(task.test.parser.as_deref().unwrap()).unwrap().reader();
    reader.push(&output.stdout);
    reader.push_errors(&output.stderr);
    let report = reader.finish();
    let exit = match (output.status.code(), output.status.signal()) {
        (Some(code), _) => ExitKind::Code(code),
        (None, signal) => ExitKind::Signal(signal.unwrap()),
    };
    let judged = judge(&report, exit, &task.test.fail_to_pass, &task.test.pass_to_pass);
    assert_eq!(judged.verdict == Verdict::Passed, output.status.success(), "{}: {judged:?}", task.id);
    assert_eq!(report.contradictions, Vec::<String>::new(), "{}", task.id);
    let names = |wanted: fn(Status) -> bool| {
        report.cases.iter().filter(|case| wanted(case.status)).map(|case| case.id.clone()).collect()
    };
    (names(|status| status == Status::Passed), names(|_| true), output)
}

/// Runs a command in a process group of its own, which does not outlive it nor the limit.
fn execute(command: &Command, folder: &Path, limit: Duration, id: &str) -> Output {
    let arguments = match command {
        Command::Arguments(arguments) => arguments.clone(),
        Command::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
    };
    let child = std::process::Command::new(&arguments[0])
        .args(&arguments[1..])
        .current_dir(folder)
        .env("HOME", folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("NODE_OPTIONS")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{id}: cannot start `{}`: {error}", arguments[0]));
    let group = rustix::process::Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(limit);
    // Whatever it left behind goes too; that there is nothing left is no error.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    output.unwrap_or_else(|_| panic!("{id}: `{}` took longer than {limit:?}", command.display())).unwrap()
}
