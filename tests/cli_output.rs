//! Streams and exit codes: results and messages apart, closed pipes, full disks, no terminal.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, Ran, skip};
use std::io::Read;
use std::process::Stdio;

/// Commands that print something.
const PRINTING: [&[&str]; 15] = [
    &["tasks", "list"],
    &["tasks", "list", "--json"],
    &["tasks", "show", "c-ring-buffer"],
    &["diff", "c-ring-buffer"],
    &["diff", "c-ring-buffer", "--patch"],
    &["diff", "c-ring-buffer", "--json"],
    &["keys"],
    &["keys", "--markdown"],
    &["themes", "--preview"],
    &["config", "show"],
    &["config", "path"],
    &["completions", "bash"],
    &["--version"],
    &["--help"],
    &["diff", "--help"],
];

#[test]
fn a_disk_that_is_full_is_told() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return skip("there is no /dev/full");
    };
    let home = Home::new();
    for command in PRINTING {
        let child = home.spawn(command, full.try_clone().unwrap().into(), Stdio::piped());
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!(ran.code, 3, "{command:?}: {}", ran.err);
        assert!(
            ran.err.contains("the output could not be written: No space left on device"),
            "{command:?}: {}",
            ran.err
        );
    }
    home.rows("set.jsonl", 3);
    home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    let child = home.spawn(&["bundle", "export", "--workspace", "w"], full.into(), Stdio::piped());
    Ran::of(&child.wait_with_output().unwrap()).ended(3, &["No space left on device"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let home = Home::new();
    home.rows("many.jsonl", 4_000);
    let long: [&[&str]; 3] = [
        &["tasks", "list", "many.jsonl"],
        &["tasks", "list", "many.jsonl", "--json"],
        &["completions", "zsh"],
    ];
    for command in long {
        let mut child = home.spawn(command, Stdio::piped(), Stdio::piped());
        let mut first = [0; 1];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command:?}");
    }
}

#[test]
fn nobody_who_hears_the_messages_is_no_error_either() {
    let home = Home::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = home.spawn(&["tasks", "show", "nothing"], Stdio::piped(), writer.into());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
}

#[test]
fn the_workbench_asks_for_a_terminal() {
    let home = Home::new();
    home.rows("set.jsonl", 1);
    home.run(&[]).ended(2, &["needs a terminal", "mendbench tasks list"]);
    home.run(&["set.jsonl"]).ended(2, &["needs a terminal"]);
    home.run(&["--json"]).ended(2, &["--json", "mendbench tasks list --json"]);
    home.run(&["--filter", "colour:red"]).ended(2, &["--filter", "colour"]);
    home.run(&["absent.jsonl"]).ended(2, &["no file or folder `absent.jsonl`"]);
}

#[test]
fn ctrl_c_ends_an_import_as_a_shell_expects() {
    use std::os::unix::process::ExitStatusExt;
    let home = Home::new();
    home.rows("many.jsonl", 5_000);
    let mut child = home.spawn(&["import", "many.jsonl", "--workspace", "w"], Stdio::null(), Stdio::null());
    while !home.path("w/.mendbench/workspace.db").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let status = child.wait().unwrap();
    // Shells show a signal as 128 + 2.
    assert!(status.signal() == Some(2) || status.code() == Some(130), "{status}");
    home.run(&["import", "many.jsonl", "--workspace", "w"]).done();
}
