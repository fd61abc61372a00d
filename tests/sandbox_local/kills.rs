//! `kill -9` of an owner at any moment: everything inside dies at once, and the next start finds and removes the rest.
//!
//! The test runs itself as an owner that makes, uses and cleans sandboxes without end and says how far it is; it kills
//! that owner at a moment that a seed decides, waits for the processes to be gone, has the next start reap, and searches
//! the machine.

use crate::rig::*;
use mendbench::sandbox::local::{Ladder, Pool, reap};
use mendbench::sandbox::{Deaf, Exit, OutputSink, Provider, Rung, Stream, TreeFile};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNG: &str = "MENDBENCH_TEST_SANDBOX_RUNG";
const HELPER: &str = "MENDBENCH_TEST_SANDBOX_HELPER";

fn acknowledge(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nack {what}").unwrap();
    out.flush().unwrap();
}

struct Loud;

impl OutputSink for Loud {
    fn output(&mut self, _: Stream, _: &[u8]) {
        acknowledge("output");
    }
}

/// The owner, and the next start: does nothing when the tests are run without its variables.
#[test]
fn child() {
    let (Ok(rung), Ok(helper)) = (std::env::var(RUNG), std::env::var(HELPER)) else { return };
    let Some(rung) = Rung::parse(&rung) else {
        let reaped = reap().unwrap();
        assert_eq!(reaped.left, Vec::<String>::new());
        return acknowledge("reaped");
    };
    let helper = PathBuf::from(helper);
    let sleeper = format!("sleep {}", token(&helper));
    let provider = Ladder::new().with_helper(helper).unsafe_local(true).on(rung).unwrap();
    let provider: Box<dyn Provider> = Box::new(Pool::new(provider, 1));
    acknowledge("begun");
    loop {
        let mut sandbox = provider.make(&limits()).unwrap();
        acknowledge("made");
        let file = TreeFile { path: "tests/check", bytes: &[7; 3000], executable: false };
        sandbox.put(&[file]).unwrap();
        let mut request = shell(&format!("(setsid {sleeper} &) ; {sleeper} & echo ran; echo x > $TMPDIR/y"));
        request.read_only = vec!["tests".into()];
        // The sleeper holds the output: it is killed here, or with its owner.
        request.limits.time_ms = 60_000;
        assert_eq!(sandbox.execute(&request, &mut Loud).unwrap().exit, Exit::Code(0));
        acknowledge("answered");
        sandbox.execute(&shell("cat tests/check $TMPDIR/y"), &mut Deaf).unwrap();
        sandbox.clean().unwrap();
        acknowledge("cleaned");
    }
}

/// A number that only this run's sleepers sleep.
fn token(helper: &Path) -> String {
    let inode = helper.metadata().unwrap().ino();
    format!("9{:08}", inode % 100_000_000)
}

fn start(rung: &str, helper: &Path, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kills::child", "--nocapture", "--test-threads=1"])
        .env(RUNG, rung)
        .env(HELPER, helper)
        .env("TMPDIR", folder)
        .env_remove("XDG_RUNTIME_DIR")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Processes of this run, each with what it is.
fn processes(helper: &Path) -> Vec<String> {
    let token = token(helper);
    let own = helper.metadata().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        let runs_it = entry
            .path()
            .join("exe")
            .metadata()
            .is_ok_and(|exe| exe.ino() == own.ino() && exe.dev() == own.dev());
        let starts_it = words.contains(&helper.display().to_string());
        if runs_it || starts_it || words.contains(&token) {
            found.push(format!("{pid} {words}"));
        }
    }
    found
}

/// Folders of control groups that an owner made.
fn groups(owner: u32) -> Vec<PathBuf> {
    fn walk(folder: &Path, owner: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with("mendbench.") && name.contains(owner) {
                    found.push(entry.path());
                }
                walk(&entry.path(), owner, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("/sys/fs/cgroup"), &format!(".{owner}."), &mut found);
    found
}

/// Waits for a condition, as long as a very busy machine may take.
fn until(what: &str, mut holds: impl FnMut() -> Result<(), String>) {
    let give_up = Instant::now() + Duration::from_secs(120);
    loop {
        match holds() {
            Ok(()) => return,
            Err(why) if Instant::now() > give_up => panic!("{what}: {why}"),
            Err(_) => std::thread::yield_now(),
        }
    }
}

fn empty<T: std::fmt::Debug>(found: &[T]) -> Result<(), String> {
    if found.is_empty() { Ok(()) } else { Err(format!("{found:?}")) }
}

fn rounds(count: u64, seed: u64) {
    let ladder = ladder();
    let rungs: Vec<Rung> = ALL.into_iter().filter(|&rung| ladder.on(rung).is_ok()).collect();
    say(&format!("seed {seed}, rungs {rungs:?}"));
    let folder = tempfile::Builder::new().prefix("mendbench-kills").tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711)).unwrap();
    let helper = folder.path().join("helper");
    std::fs::copy(env!("CARGO_BIN_EXE_mendbench"), &helper).unwrap();
    let mut random = seed;
    let mut next = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for round in 0..count {
        let rung = rungs[usize::try_from(round).unwrap() % rungs.len()];
        let mut owner = start(rung.as_str(), &helper, folder.path());
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let acks = 1 + next(9);
        let heard = lines
            .by_ref()
            .map_while(Result::ok)
            .filter(|line| line.starts_with("ack "))
            .take(acks as usize)
            .count();
        assert_eq!(heard as u64, acks, "the owner ended by itself");
        for _ in 0..next(4_000_000) {
            std::hint::spin_loop();
        }
        let number = owner.id();
        owner.kill().unwrap();
        owner.wait().unwrap();
        let after = format!("round {round} on {rung}, after {acks} acknowledgements");
        until(&after, || empty(&processes(&helper)));
        let mut next_start = start("none: reap", &helper, folder.path());
        let said: Vec<String> =
            BufReader::new(next_start.stdout.take().unwrap()).lines().map_while(Result::ok).collect();
        assert!(next_start.wait().unwrap().success(), "{after}: {said:?}");
        empty(&groups(number)).unwrap_or_else(|left| panic!("{after}: control groups {left}"));
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(folder.path().to_str().unwrap()), "{after}: mounts {mounts}");
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path()).collect();
        assert_eq!(left, std::slice::from_ref(&helper), "{after}: folders");
    }
}

#[test]
fn a_killed_owner_leaves_nothing() {
    rounds(12, 20_261_130);
}

#[test]
#[ignore = "takes minutes: the same with 200 rounds"]
fn soak_of_killed_owners() {
    rounds(200, 4711);
}

#[test]
fn what_a_living_owner_has_is_left_alone() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        put(sandbox.as_mut(), "kept", "kept");
        reap().unwrap();
        assert_eq!(output(sandbox.as_mut(), "cat kept"), "kept", "{rung}");
    });
}

#[test]
fn a_pool_hands_out_each_sandbox_once_and_leaves_none() {
    on_each(&ALL, |rung, _| {
        let pool = Pool::new(ladder().on(rung).unwrap(), 2);
        assert_eq!(pool.rung(), rung);
        for round in 0..4 {
            let mut sandbox = pool.make(&limits()).unwrap();
            assert_eq!(sandbox.list(10).unwrap().entries.len(), 0, "{rung}, {round}");
            put(sandbox.as_mut(), "mark", "x");
            assert_eq!(output(sandbox.as_mut(), "ls"), "mark\n", "{rung}");
            sandbox.clean().unwrap();
        }
    });
}
