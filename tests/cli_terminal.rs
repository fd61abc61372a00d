//! The commands on a terminal: colours, width, pager, and patches that cannot command it.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::Read;

/// Runs a command on a terminal of 24 by 90; gives all that was written to it.
fn on_terminal(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let size = PtySize { rows: 24, cols: 90, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_mendbench"));
    command.env_clear();
    command.cwd(home.path(""));
    for (name, value) in home.variables() {
        command.env(name, value);
    }
    for (name, value) in variables {
        command.env(name, value);
    }
    command.args(arguments);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    // The other end of a terminal that is gone is an error on Linux, not an end.
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = reader.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&bytes));
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_colours_in_its_width_unless_told_otherwise() {
    let home = Home::new();
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        on_terminal(&home, &[&["diff", "c-ring-buffer", "--no-pager"], arguments].concat(), variables)
    };
    assert!(run(&[], &[]).contains("\x1b["));
    for (arguments, variables) in [
        (["--color=never"].as_slice(), [].as_slice()),
        (&[], &[("NO_COLOR", "1")]),
        (&[], &[("TERM", "dumb")]),
    ] {
        let text = run(arguments, variables);
        assert!(!text.contains('\x1b') && text.contains("rb_push"), "{arguments:?} {variables:?}: {text:?}");
    }
    let side = run(&["-s", "--color=never"], &[]);
    assert!(side.lines().all(|line| line.chars().count() <= 90), "{side}");
    assert!(side.lines().any(|line| line.chars().nth(44) == Some('│')), "{side}");
    let list = on_terminal(&home, &["tasks", "list", "--color=never"], &[]);
    assert!(list.lines().all(|line| line.chars().count() <= 90), "{list}");
}

#[test]
fn a_difference_goes_through_the_users_pager() {
    let home = Home::new();
    let pager = |name: &str| format!("sh -c 'echo through {name}; tr a-z A-Z'");
    let (variable, ours) = (pager("PAGER"), pager("ours"));
    let diff = ["diff", "c-ring-buffer", "--color=never"];
    let text = on_terminal(&home, &diff, &[("PAGER", &variable)]);
    assert!(text.starts_with("through PAGER\n") && text.contains("INT RB_PUSH"), "{text}");
    let text = on_terminal(&home, &diff, &[("PAGER", &variable), ("MENDBENCH_PAGER", &ours)]);
    assert!(text.starts_with("through ours\n"), "{text}");
    for (arguments, pager) in [
        (["--no-pager"].as_slice(), variable.as_str()),
        (&[], "cat"),
        (&[], "no-such-pager --at-all"),
        (&[], "unclosed 'quote"),
    ] {
        let text = on_terminal(&home, &[diff.as_slice(), arguments].concat(), &[("PAGER", pager)]);
        assert!(text.starts_with("src/ring_buffer.c +1 -1\n"), "{pager}: {text}");
    }
    // Left early, or not reading at all.
    on_terminal(&home, &["diff", "c-ring-buffer", "--whole"], &[("PAGER", "true")]);
    let piped = home.run_with(&diff, &[("PAGER", &variable)], "").done();
    assert!(piped.out.starts_with("src/ring_buffer.c"), "no pager in a pipe");
}

#[test]
fn a_patch_on_a_terminal_is_harmless_and_in_a_pipe_unchanged() {
    let home = Home::new();
    home.write("old.txt", "a\n");
    home.write("new.txt", "a \x1b]0;owned\x07 \x1b[31m\u{202e}\n\tb\n");
    let patch = ["diff", "old.txt", "new.txt", "--patch"];
    let shown = on_terminal(&home, &patch, &[("PAGER", "cat")]);
    assert!(!shown.contains(|c: char| c == '\u{202e}' || (c.is_control() && c != '\n')), "{shown:?}");
    assert!(shown.contains("+a ␛]0;owned␇ ␛[31mU+202E\n"), "{shown}");
    let piped = home.run(&patch).done();
    assert!(piped.out.contains("+a \x1b]0;owned\x07 \x1b[31m\u{202e}\n+\tb\n"), "{:?}", piped.out);
}
