//! `kill -9` while tests run: what they started dies with us, and the next start finds nothing left to remove.
//!
//! The moment is decided by a seed: a number of looks at the process table after the program was started, so that the
//! signal meets it while it starts, makes a sandbox, builds, tests, or cleans.
#![allow(clippy::unwrap_used, clippy::explicit_write)]
#![cfg(unix)]

mod cli_rig;
#[path = "leftovers/mod.rs"]
mod leftovers;

use cli_rig::Home;
use leftovers::Leftovers;
use std::io::Write;
use std::process::Stdio;

const IMAGE: &str = "mendbench-test:latest";

/// Looks at the process table before patience ends; each takes about a millisecond.
const PATIENCE: usize = 30_000;

/// A task that builds, starts processes that would stay, and tests for a while.
fn tasks(home: &Home, token: &str) -> String {
    for number in 0..4 {
        let folder = format!("tasks/t{number}");
        home.write(
            format!("{folder}/task.toml"),
            format!(
                "schema = 1\nid = \"t{number}\"\ntitle = \"t\"\nkind = \"repair\"\nlanguage = \"python\"\n[test]\n\
                 build = \"python3 busy_{token}.py 2\"\ncommand = [\"python3\", \"busy_{token}.py\", \"6\"]\n\
                 parser = \"exit-code\"\ntimeout_s = 30\n"
            ),
        );
        let script = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\nopen('file', 'w').write('x' * 1000000)\nend = time.monotonic() + int(sys.argv[1]) / 100\nwhile time.monotonic() < end: pass\n";
        home.write(format!("{folder}/base/busy_{token}.py"), script);
        home.write(format!("{folder}/buggy/m.py"), "x = 1\n");
        home.write(format!("{folder}/reference/m.py"), "x = 2\n");
    }
    home.path("tasks").to_str().unwrap().to_owned()
}

fn rounds(count: u64, seed: u64, flags: &[&str]) {
    let token = format!("kill{}x{seed}", std::process::id());
    let leftovers = Leftovers::before(&token);
    let home = Home::new();
    let tasks = tasks(&home, &token);
    let arguments = [&["tasks", "check", tasks.as_str(), "--json"], flags].concat();
    let mut state = seed | 1;
    let mut met = 0;
    for round in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let looks = (state >> 33) % 400;
        let mut child = home.spawn(&arguments, Stdio::null(), Stdio::null());
        for _ in 0..looks {
            let _ = leftovers.processes();
        }
        // Half of the rounds wait until hostile code runs for sure.
        if round % 2 == 0 {
            let mut patience = PATIENCE;
            while leftovers.processes().is_none() && child.try_wait().unwrap().is_none() && patience > 0 {
                patience -= 1;
            }
        }
        met += usize::from(leftovers.processes().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        let mut patience = PATIENCE;
        while let Some(found) = leftovers.processes() {
            patience -= 1;
            assert!(patience > 0, "round {round}, after {looks} looks: still alive: {found}");
        }
        // The next start.
        let ran =
            home.run(&[&["verify", "py-page-cursor", "--reference", "--json", "--fresh"], flags].concat());
        assert_eq!(ran.code, 0, "round {round}: {}{}", ran.out, ran.err);
        assert_eq!(leftovers.all(), None, "round {round}, after {looks} looks");
    }
    writeln!(std::io::stderr(), "{count} rounds, {met} of them while the tested code ran").unwrap();
    assert!(met as u64 >= count / 3, "hostile code was met in {met} of {count} rounds only");
}

fn has_image() -> bool {
    let inspected = std::process::Command::new("docker").args(["image", "inspect", IMAGE]).output();
    let there = inspected.is_ok_and(|output| output.status.success());
    if !there {
        writeln!(std::io::stderr(), "skipped: no Docker engine with the image {IMAGE}").unwrap();
    }
    there
}

static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn nothing_outlives_a_kill() {
    let _alone = alone();
    rounds(10, 1, &[]);
}

#[test]
fn nothing_outlives_a_kill_in_docker() {
    let _alone = alone();
    if has_image() {
        rounds(4, 2, &["--image", IMAGE]);
    }
}

#[test]
#[ignore = "takes minutes; cargo test -- --ignored soak"]
fn soak_of_200_kills() {
    let _alone = alone();
    rounds(200, 3, &[]);
}
