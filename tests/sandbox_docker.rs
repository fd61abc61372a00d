//! The Docker rung keeps what `sandbox` promises: how executions end, what holds them, what the code cannot do, and
//! that nothing is left.
//!
//! Needs an engine and the image that `tests/docker/build-image` makes; says so where one is missing.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use mendbench::sandbox::docker::DockerRung;
use mendbench::sandbox::{
    Deaf, Entry, ExecReport, ExecRequest, Exit, Kind, Limits, OutputSink, Program, Provider, Rung, Sandbox,
    SandboxError, Stream, TreeFile,
};
use mendbench::task::Command;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::OnceLock;

const IMAGE: &str = "mendbench-test:latest";
const MIB: u64 = 1 << 20;

/// The rung, or `None` where it cannot stand, which is said.
fn rung() -> Option<&'static DockerRung> {
    static RUNG: OnceLock<Result<DockerRung, String>> = OnceLock::new();
    let rung = RUNG.get_or_init(|| {
        let mut ignore = |_: &str| {};
        DockerRung::connect(IMAGE, &mut ignore).map_err(|error| error.to_string())
    });
    match rung {
        Ok(rung) => Some(rung),
        Err(why) => {
            assert!(std::env::var_os("MENDBENCH_DOCKER").is_none(), "the Docker tests cannot run: {why}");
            writeln!(std::io::stderr(), "skipped: a test of the Docker rung, because {why}").unwrap();
            None
        }
    }
}

fn limits() -> Limits {
    Limits { time_ms: 20_000, memory: 256 * MIB, disk: 32 * MIB, ..Limits::default() }
}

fn make() -> Option<Box<dyn Sandbox>> {
    Some(rung()?.make(&limits()).unwrap())
}

fn words(words: &[&str]) -> Command {
    Command::Arguments(words.iter().map(|word| (*word).to_owned()).collect())
}

fn shell(line: &str) -> Command {
    Command::Shell(line.to_owned())
}

fn run(sandbox: &mut dyn Sandbox, command: Command) -> ExecReport {
    sandbox.execute(&ExecRequest::new(command, limits()), &mut Deaf).unwrap()
}

fn out(report: &ExecReport) -> String {
    format!("{}{}", report.stdout.text(), report.stderr.text())
}

fn put(sandbox: &mut dyn Sandbox, files: &[(&str, &str)]) {
    let files: Vec<TreeFile> = files
        .iter()
        .map(|(path, text)| TreeFile { path, bytes: text.as_bytes(), executable: text.starts_with("#!") })
        .collect();
    sandbox.put(&files).unwrap();
}

#[test]
fn exit_codes_signals_and_output() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    for (line, exit) in [
        ("exit 0", Exit::Code(0)),
        ("exit 7", Exit::Code(7)),
        ("exit 124", Exit::Code(124)),
        ("exit 127", Exit::Code(127)),
        ("nosuchprogram", Exit::Code(127)),
        ("kill -SEGV $$", Exit::Signal(11)),
        ("kill -KILL $$", Exit::Signal(9)),
        ("kill -TERM $$", Exit::Signal(15)),
    ] {
        let report = run(sandbox, shell(line));
        assert_eq!(report.exit, exit, "{line}: {}", out(&report));
        assert_eq!(report.lingered, 0, "{line}");
    }
    let report = run(sandbox, shell("echo one; echo two >&2; printf three"));
    assert_eq!((report.stdout.text().as_str(), report.stderr.text().as_str()), ("one\nthree", "two\n"));
    assert_eq!(report.rung, Rung::Docker);
    assert!(report.mechanisms.iter().any(|held| held.bound == "network"), "{:?}", report.mechanisms);
    let request = ExecRequest {
        environment: [("A".to_owned(), "b c".to_owned())].into(),
        folder: "inner".to_owned(),
        ..ExecRequest::new(shell("pwd; echo $A"), limits())
    };
    put(sandbox, &[("inner/file", "")]);
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(report.stdout.text(), "/work/tree/inner\nb c\n");
}

#[test]
fn what_cannot_start_is_told_from_what_fails() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    put(
        sandbox,
        &[("plain", "text"), ("lost", "#!/no/such/interpreter\n"), ("fine", "#!/bin/sh\nexit 127\n")],
    );
    for (command, part) in [
        (words(&["nosuchprogram"]), "nosuchprogram"),
        (words(&["./run_tests", "x"]), "run_tests"),
        (words(&["./plain"]), "not executable"),
        (words(&["./lost"]), "/no/such/interpreter"),
        (words(&["/work/tree"]), "not executable"),
    ] {
        let report = run(sandbox, command.clone());
        let Exit::NotStarted(why) = &report.exit else { panic!("{command:?}: {:?}", report.exit) };
        assert!(why.contains(part), "{command:?}: {why}");
        assert_eq!(out(&report), "");
    }
    assert_eq!(run(sandbox, words(&["./fine"])).exit, Exit::Code(127));
    let request = ExecRequest { folder: "nowhere".into(), ..ExecRequest::new(words(&["true"]), limits()) };
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert!(matches!(&report.exit, Exit::NotStarted(_)), "{:?}", report.exit);
    let request = ExecRequest { folder: "../..".into(), ..ExecRequest::new(words(&["true"]), limits()) };
    assert!(matches!(sandbox.execute(&request, &mut Deaf), Err(SandboxError::Path { .. })));
}

#[test]
fn time_runs_out_also_for_who_ignores_it_and_nothing_survives() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    for line in [
        "sleep 1000",
        "trap '' TERM; while :; do sleep 1000; done",
        "setsid sh -c 'trap \"\" TERM; sleep 1000' & sleep 1000",
        "kill -9 $PPID; sleep 1000",
        "while :; do echo y; done",
    ] {
        let request = ExecRequest::new(shell(line), Limits { time_ms: 700, ..limits() });
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        // On a busy machine time may run out before the engine tells of the kill.
        let killed = line.starts_with("kill") && report.exit == Exit::Signal(9);
        assert!(killed || report.exit == Exit::Timeout, "{line}: {:?}", report.exit);
        assert_eq!(alive(sandbox), 0, "{line}");
    }
}

/// Processes of the code that are alive beside the one that counts.
fn alive(sandbox: &mut dyn Sandbox) -> usize {
    let script = "
import os
mine, count = os.getpid(), 0
for name in os.listdir('/proc'):
    if name.isdigit():
        try:
            command = open(f'/proc/{name}/cmdline').read().replace(chr(0), ' ')
            if 'import os' not in command and ('sleep 1000' in command or 'while :' in command): count += 1
        except OSError: pass
print(count)";
    let report = run(sandbox, words(&["python3", "-c", script]));
    assert_eq!(report.exit, Exit::Code(0), "{}", out(&report));
    report.stdout.text().trim().parse().unwrap()
}

#[test]
fn grandchildren_are_counted_and_killed() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    let report = run(
        sandbox,
        shell("for i in 1 2 3; do setsid sleep 1000 </dev/null >/dev/null 2>&1 & done; sleep 0.2; exit 3"),
    );
    assert_eq!((report.exit, report.lingered), (Exit::Code(3), 3));
    assert_eq!(alive(sandbox), 0);
    // One that holds the output open delays the answer, and not for long.
    let report = run(sandbox, shell("setsid sleep 1000 & exit 4"));
    assert_eq!((report.exit, report.lingered), (Exit::Code(4), 1));
    assert_eq!(alive(sandbox), 0);
}

#[test]
fn processes_without_end() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    let line =
        "(trap '' TERM; while :; do setsid sh -c 'while :; do sleep 1000 & done' & done) & exec sleep 1000";
    let request = ExecRequest::new(shell(line), Limits { time_ms: 1500, processes: 24, ..limits() });
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(report.exit, Exit::Timeout, "{}", out(&report));
    assert_eq!(alive(sandbox), 0);
}

#[test]
fn memory_runs_out() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    let eat = "a = []\nwhile True: a.append(b'x' * 1000000)";
    let report = run(sandbox, words(&["python3", "-c", eat]));
    assert_eq!(report.exit, Exit::OutOfMemory, "{}", out(&report));
    let peak = report.peak_memory.unwrap();
    assert!((200 * MIB..=256 * MIB).contains(&peak), "{peak}");
    // 137 alone does not mean memory.
    assert_eq!(run(sandbox, shell("exit 137")).exit, Exit::Signal(9));
    // A child that is killed for its memory fails the parent.
    let report = run(sandbox, shell(&format!("python3 -c \"{eat}\"; exit 5")));
    assert_eq!(report.exit, Exit::OutOfMemory);
    let request = ExecRequest::new(
        words(&["python3", "-c", "b'x' * 100000000"]),
        Limits { memory: 64 * MIB, ..limits() },
    );
    assert_eq!(sandbox.execute(&request, &mut Deaf).unwrap().exit, Exit::OutOfMemory, "a lower limit");
    assert_eq!(run(sandbox, words(&["python3", "-c", "b'x' * 100000000"])).exit, Exit::Code(0));
}

#[test]
fn the_disk_runs_full() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    for line in [
        "head -c 100000000 /dev/zero >big",
        "head -c 100000000 /dev/zero >/tmp/big",
        "head -c 100000000 /dev/zero >$TMPDIR/big",
        "head -c 100000000 /dev/zero >/dev/shm/big",
        "i=0; while : >many$i; do i=$((i + 1)); done",
    ] {
        let report = run(sandbox, shell(line));
        assert_eq!(report.exit, Exit::DiskFull, "{line}: {}", out(&report));
        let report = run(sandbox, shell("rm -rf big many* /tmp/big $TMPDIR/big /dev/shm/big"));
        assert_eq!(report.exit, Exit::Code(0), "{}", out(&report));
    }
    let request =
        ExecRequest::new(shell("head -c 9000000 /dev/zero >big"), Limits { file: 4 * MIB, ..limits() });
    assert_eq!(sandbox.execute(&request, &mut Deaf).unwrap().exit, Exit::DiskFull, "a single file");
    // The parts together hold no more than the limit.
    let fill =
        "for place in . /tmp $TMPDIR /dev/shm; do head -c 100000000 /dev/zero >$place/big; done 2>/dev/null
        cat big /tmp/big $TMPDIR/big /dev/shm/big | wc -c";
    let report = run(sandbox, shell(fill));
    let bytes: u64 = report.stdout.text().trim().parse().unwrap();
    assert!((16 * MIB..=32 * MIB).contains(&bytes), "{bytes}");
    let full = sandbox.put(&[TreeFile { path: "x", bytes: &vec![0; 40_000_000], executable: false }]);
    assert!(matches!(full, Err(SandboxError::Full { limit }) if limit == 32 * MIB), "{full:?}");
}

#[test]
fn output_is_bounded_and_heard_as_it_comes() {
    struct Ear(Vec<u8>, u64);
    impl OutputSink for Ear {
        fn output(&mut self, stream: Stream, bytes: &[u8]) {
            self.1 += bytes.len() as u64;
            if stream == Stream::Stderr {
                self.0.extend_from_slice(bytes);
            }
        }
    }
    let Some(mut sandbox) = make() else { return };
    let mut ear = Ear(Vec::new(), 0);
    let bounds = Limits { output: 1000, output_total: 5 * MIB, ..limits() };
    let request = ExecRequest::new(shell("echo first >&2; yes"), bounds);
    let report = sandbox.execute(&request, &mut ear).unwrap();
    assert_eq!(report.exit, Exit::OutputLimit);
    assert_eq!(ear.0, b"first\n");
    assert_eq!(report.stdout.head.len() + report.stdout.tail.len(), 1000);
    assert!((5 * MIB..6 * MIB).contains(&ear.1), "{}", ear.1);
    assert_eq!(report.stdout.left_out + 1000 + 6, ear.1);
    assert_eq!(run(sandbox.as_mut(), shell("exit 0")).exit, Exit::Code(0), "it can go on");
}

#[test]
fn cancelled_from_another_thread_and_for_good() {
    struct Trigger(mendbench::sandbox::Killer);
    impl OutputSink for Trigger {
        fn output(&mut self, _: Stream, _: &[u8]) {
            let killer = self.0.clone();
            std::thread::spawn(move || killer.kill()).join().unwrap();
        }
    }
    let Some(mut sandbox) = make() else { return };
    let mut trigger = Trigger(sandbox.killer());
    let request = ExecRequest::new(shell("echo go; sleep 1000"), limits());
    assert_eq!(sandbox.execute(&request, &mut trigger).unwrap().exit, Exit::Cancelled);
    let again = sandbox.execute(&ExecRequest::new(words(&["true"]), limits()), &mut Deaf).unwrap();
    assert_eq!(again.exit, Exit::Cancelled);
    sandbox.killer().kill();
    sandbox.clean().unwrap();
}

#[test]
fn the_surroundings_are_clean() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    let report = run(sandbox, words(&["env"]));
    let mut names: Vec<String> =
        report.stdout.text().lines().map(|line| line.split('=').next().unwrap().to_owned()).collect();
    names.sort();
    names.retain(|name| !matches!(name.as_str(), "PWD" | "HOSTNAME" | "_" | "SHLVL"));
    assert_eq!(names, ["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"]);
    let report = run(sandbox, shell("id -u; id -g; id -G; hostname; cat /proc/self/status"));
    let text = report.stdout.text();
    assert!(text.starts_with("65534\n65534\n65534\nsandbox\n"), "{text}");
    for line in ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // Where it can write, and nowhere else.
    let find = "find / -xdev -writable ! -type l 2>/dev/null; find /dev /own /work -maxdepth 1 -writable ! -type l ! -type c; \
                ls /sys/class/net";
    let report = run(sandbox, shell(find));
    let text = report.stdout.text();
    let mut places: Vec<&str> = text.lines().collect();
    places.sort_unstable();
    assert_eq!(places, ["/dev/mqueue", "/dev/shm", "/tmp", "/work/tmp", "/work/tree", "lo"], "{text}");
}

#[test]
fn files_go_in_and_out_and_links_are_not_followed() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    let long = format!("{}/{}/file", "f".repeat(150), "é".repeat(60));
    put(sandbox, &[("a/b.txt", "one"), ("run", "#!/bin/sh\necho ran\n"), ("-n", "dash"), (&long, "long")]);
    assert_eq!(run(sandbox, words(&["./run"])).stdout.text(), "ran\n");
    assert_eq!(sandbox.read(&long, 2).unwrap().unwrap(), b"lo");
    assert_eq!(sandbox.read("-n", 100).unwrap().unwrap(), b"dash");
    assert_eq!(sandbox.read("a", 100).unwrap(), None);
    assert_eq!(sandbox.read("a/none", 100).unwrap(), None);
    let trap = "rm -rf a run; ln -s /etc a; ln -s /etc/passwd run; mkfifo pipe; mkdir shut; echo x >shut/in; chmod 0 shut/in shut; \
                ln -s ../../.. up; printf '' >$(printf 'bad\\377name')";
    assert_eq!(run(sandbox, shell(trap)).exit, Exit::Code(0));
    for path in ["a/passwd", "run", "pipe", "up/etc/passwd"] {
        assert_eq!(sandbox.read(path, 100).unwrap(), None, "{path}");
    }
    let listing = sandbox.list(100).unwrap();
    let seen: Vec<(&str, Kind)> =
        listing.entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    let folder = "f".repeat(150);
    let inner = format!("{folder}/{}", "é".repeat(60));
    assert_eq!(
        seen,
        [
            ("-n", Kind::File(4)),
            ("a", Kind::Other),
            ("bad\\xffname", Kind::Other),
            (folder.as_str(), Kind::Folder),
            (inner.as_str(), Kind::Folder),
            (long.as_str(), Kind::File(4)),
            ("pipe", Kind::Other),
            ("run", Kind::Other),
            ("shut", Kind::Folder),
            ("shut/in", Kind::File(2)),
            ("up", Kind::Other),
        ]
    );
    assert_eq!(sandbox.read("shut/in", 100).unwrap().unwrap(), b"x\n");
    let cut = sandbox.list(3).unwrap();
    assert_eq!((cut.entries.len(), cut.cut), (3, true));
    put(sandbox, &[("a/passwd", "mine"), ("run", "new"), ("shut", "a file now"), ("up/etc/passwd", "mine")]);
    assert_eq!(sandbox.read("a/passwd", 100).unwrap().unwrap(), b"mine");
    assert_eq!(sandbox.read("up/etc/passwd", 100).unwrap().unwrap(), b"mine");
    assert_eq!(sandbox.read("shut", 100).unwrap().unwrap(), b"a file now");
    let report = run(sandbox, shell("mkdir d d/e; chmod 0 d/e; ln -s d l; ls -l run /etc/passwd"));
    assert!(report.stdout.text().contains("3 ") && report.exit == Exit::Code(0), "{}", out(&report));
    sandbox.remove("l").unwrap();
    sandbox.remove("l/e").unwrap();
    sandbox.remove("d").unwrap();
    sandbox.remove("nothing/there").unwrap();
    let paths: Vec<Entry> = sandbox.list(100).unwrap().entries;
    assert!(!paths.iter().any(|entry| entry.path.starts_with('d') || entry.path == "l"), "{paths:?}");
    for path in ["", "/etc/passwd", "../x", "a/../b", "a\n"] {
        assert!(matches!(sandbox.read(path, 1), Err(SandboxError::Path { .. })), "{path:?}");
        assert!(matches!(sandbox.remove(path), Err(SandboxError::Path { .. })), "{path:?}");
        let file = TreeFile { path, bytes: b"", executable: false };
        assert!(matches!(sandbox.put(&[file]), Err(SandboxError::Path { .. })), "{path:?}");
    }
}

#[test]
fn protected_paths_cannot_be_changed() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    put(
        sandbox,
        &[
            ("t/deep/test.py", "good"),
            ("t/deep/free.py", "free"),
            ("t/other", "o"),
            ("data/x/y", "y"),
            ("top", "top"),
        ],
    );
    // A build leaves traps: closed folders, links beside it, sticky folders.
    let build = "chmod 0 data/x; ln t/deep/test.py hard; mkdir t/built; echo b >t/built/b; chmod 555 t/built; chmod 1700 t/deep; chmod 000 t";
    assert_eq!(run(sandbox, shell(build)).exit, Exit::Code(0));
    let protect = ["t/deep/test.py", "data", "top"].map(str::to_owned).to_vec();
    let attack = "
        attempts() {
        for file in t/deep/test.py data/x/y top; do
          echo bad >$file; echo bad >>$file; rm -f $file; mv $file gone; chmod 777 $file
          echo bad >new; mv -f new $file; ln -f hard $file; ln -sf /etc/passwd $file; truncate -s 0 $file
          python3 -c \"import os,sys; os.rename('t/other', '$file')\"
        done
        echo bad >hard; echo bad >data/more; mkdir data/x/z; rm -rf data; mv data gone; rmdir data/x
        rm -rf t/deep; mv t/deep gone; mv t gone; rm -rf t; chmod 777 t t/deep data; mv . ../gone; mv ../tree ../gone
        mkdir made; mkdir made/deep; echo bad >made/deep/test.py; mv -T made t
        python3 -c \"import os; os.rename('made', 't')\"
        }
        attempts 2>/dev/null
        cat t/deep/test.py data/x/y top; echo; find data";
    let request = ExecRequest { read_only: protect.clone(), ..ExecRequest::new(shell(attack), limits()) };
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(report.stdout.text(), "goodytop\ndata\ndata/x\ndata/x/y\n", "{}", out(&report));
    for (path, text) in [("t/deep/test.py", "good"), ("data/x/y", "y"), ("top", "top")] {
        assert_eq!(sandbox.read(path, 100).unwrap().unwrap(), text.as_bytes(), "{path}");
    }
    // What is not protected can be changed beside it, and what was protected can be changed afterwards.
    put(sandbox, &[("t/deep/free.py", "free"), ("t/other", "o")]);
    let work = "echo more >>t/deep/free.py && rm t/other && echo n >t/deep/new && mkdir t/sub && cat t/deep/free.py t/deep/new";
    let request = ExecRequest { read_only: protect.clone(), ..ExecRequest::new(shell(work), limits()) };
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(
        (report.exit.clone(), report.stdout.text().as_str()),
        (Exit::Code(0), "freemore\nn\n"),
        "{}",
        out(&report)
    );
    let report = run(sandbox, shell("cat top; rm -rf t data && echo changed >top && cat top && ls"));
    assert_eq!(report.exit, Exit::Code(0), "{}", out(&report));
    assert!(report.stdout.text().starts_with("topchanged\n"), "{}", out(&report));
    let request = ExecRequest { read_only: protect, ..ExecRequest::new(words(&["true"]), limits()) };
    let error = sandbox.execute(&request, &mut Deaf).unwrap_err().to_string();
    assert!(error.contains("data") || error.contains("t"), "what is protected must be there: {error}");
}

#[test]
fn what_is_protected_can_be_replaced_by_the_host() {
    let Some(mut sandbox) = make() else { return };
    let sandbox = sandbox.as_mut();
    put(sandbox, &[("t/a", "1"), ("t/b", "2")]);
    let request =
        ExecRequest { read_only: vec!["t/a".into()], ..ExecRequest::new(words(&["true"]), limits()) };
    assert_eq!(sandbox.execute(&request, &mut Deaf).unwrap().exit, Exit::Code(0));
    put(sandbox, &[("t/a", "new")]);
    assert_eq!(sandbox.read("t/a", 10).unwrap().unwrap(), b"new");
    assert_eq!(sandbox.execute(&request, &mut Deaf).unwrap().exit, Exit::Code(0));
    sandbox.remove("t").unwrap();
    assert_eq!(sandbox.list(10).unwrap().entries, []);
}

#[test]
fn a_program_of_ours_is_brought_along() {
    let Some(rung) = rung() else { return };
    let own = DockerRung::connect(IMAGE, &mut |_| {}).unwrap();
    let own = own.with_helper(assert_cmd::cargo::cargo_bin!("mendbench"));
    assert_eq!(own.image_id(), rung.image_id());
    assert!(own.image_id().starts_with("sha256:"), "{}", own.image_id());
    let mut sandbox = own.make(&limits()).unwrap();
    let program = Program::Own(vec!["--version".to_owned()]);
    let request = ExecRequest { program, ..ExecRequest::new(words(&["true"]), limits()) };
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(report.exit, Exit::Code(0), "{}", out(&report));
    assert!(report.stdout.text().starts_with("mendbench "), "{}", out(&report));
    let report = run(sandbox.as_mut(), shell("rm -f /own/mendbench; echo x >/own/mendbench; ls /own"));
    assert_eq!(report.stdout.text(), "mendbench\n");
    sandbox.clean().unwrap();
}

/// Ids of containers whose owner is this process.
fn containers_of(process: u32) -> Vec<String> {
    let filter = format!("label=mendbench.owner.pid={process}");
    let output =
        std::process::Command::new("docker").args(["ps", "-aq", "--filter", &filter]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

const CHILD: &str = "MENDBENCH_DOCKER_TEST_CHILD";

/// Not a test of its own: what the tests below start as another process, and end in their ways.
#[test]
fn child_process() {
    let Ok(way) = std::env::var(CHILD) else { return };
    let rung = DockerRung::connect(IMAGE, &mut |_| {}).unwrap();
    rung.ahead(2, &limits());
    assert_eq!(rung.settle(), 2);
    let mut sandbox = rung.make(&limits()).unwrap();
    if way == "end" {
        run(sandbox.as_mut(), words(&["true"]));
        rung.ahead(3, &limits());
        return;
    }
    let request = ExecRequest::new(shell("sleep 1000"), limits());
    writeln!(std::io::stdout(), "\nready").unwrap();
    sandbox.execute(&request, &mut Deaf).unwrap();
}

fn child(way: &str) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_process", "--nocapture"])
        .env(CHILD, way)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn nothing_is_left_at_the_end() {
    let Some(_) = rung() else { return };
    let mut child = child("end");
    let id = child.id();
    assert!(child.wait().unwrap().success());
    assert_eq!(containers_of(id), Vec::<String>::new());
}

#[test]
fn nothing_is_left_of_a_killed_owner_after_the_next_start() {
    let Some(rung) = rung() else { return };
    let mut child = child("killed");
    let id = child.id();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"));
    assert!(!containers_of(id).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    rung.reap().unwrap();
    assert_eq!(containers_of(id), Vec::<String>::new());
}

#[test]
fn abandoned_containers_are_reaped_and_others_stay() {
    let Some(rung) = rung() else { return };
    // Made by hand, without a keeper whose end would end them.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let make = |host: &str, deadline: &str| {
        let labels = [
            "mendbench.owner.pid=4194304".to_owned(),
            format!("mendbench.owner.host={}", host.trim()),
            format!("mendbench.owner.boot={}", boot.trim()),
            "mendbench.owner.started=1".to_owned(),
            format!("mendbench.deadline={deadline}"),
        ];
        let mut command = std::process::Command::new("docker");
        command.args(["create", "--network", "none"]);
        labels.iter().for_each(|label| {
            command.args(["--label", label]);
        });
        let output = command.args([IMAGE, "true"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let dead = make(&host, "99999999999");
    let late = make("another-host", "1000");
    let foreign = make("another-host", "99999999999");
    let mut sandbox = rung.make(&limits()).unwrap();
    // How many it finds is not sure: every test that connects meanwhile reaps as well.
    rung.reap().unwrap();
    let exists = |id: &str| {
        let status = std::process::Command::new("docker")
            .args(["inspect", id])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.unwrap().success()
    };
    let seen = [&dead, &late, &foreign].map(|id| exists(id));
    std::process::Command::new("docker").args(["rm", "-f", &foreign]).output().unwrap();
    assert_eq!(seen, [false, false, true]);
    assert_eq!(run(sandbox.as_mut(), words(&["true"])).exit, Exit::Code(0), "ours is not taken");
}

#[test]
fn an_engine_or_image_that_is_not_there_is_named() {
    let error = |variables: &[(&str, &str)], image: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "connects_as_told", "--nocapture"])
            .env("MENDBENCH_DOCKER_TEST_IMAGE", image);
        command.envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix://{}/none.sock", folder.path().display());
    let text = error(&[("DOCKER_HOST", &socket)], IMAGE);
    assert!(text.contains("none.sock") && text.contains("DOCKER_HOST"), "{text}");
    let text = error(&[("DOCKER_HOST", "tcp://127.0.0.1:1")], IMAGE);
    assert!(text.contains("127.0.0.1:1") && text.contains("does not answer"), "{text}");
    let text = error(&[("DOCKER_HOST", "ssh://lab")], IMAGE);
    assert!(text.contains("ssh -L"), "{text}");
    std::fs::write(folder.path().join("config.json"), r#"{"currentContext": "lab"}"#).unwrap();
    let text = error(&[("DOCKER_CONFIG", folder.path().to_str().unwrap()), ("DOCKER_HOST", "")], IMAGE);
    assert!(text.contains("the docker context \"lab\""), "{text}");
    if rung().is_some() {
        let text = error(&[], "localhost:1/no/such:image");
        assert!(text.contains("heard: getting the image") && text.contains("docker pull"), "{text}");
    }
}

/// Not a test of its own: connects in another environment and prints how that went.
#[test]
fn connects_as_told() {
    let Ok(image) = std::env::var("MENDBENCH_DOCKER_TEST_IMAGE") else { return };
    let mut heard = |line: &str| writeln!(std::io::stdout(), "heard: {line}").unwrap();
    if let Err(error) = DockerRung::connect(&image, &mut heard) {
        writeln!(std::io::stdout(), "error: {error}").unwrap();
    }
}
