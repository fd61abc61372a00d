//! Hostile code through the real path: task → request → sandbox → report. After each case nothing of it may be left.
//!
//! Runs on the best local rung, and in Docker where the test image is there. What a rung stops and how is the doctor's
//! subject (`tests/sandbox_doctor.rs`); here it is what the verification says, and what stays behind.
#![allow(clippy::unwrap_used, clippy::explicit_write)]
#![cfg(unix)]

#[path = "leftovers/mod.rs"]
mod leftovers;

use leftovers::Leftovers;
use mendbench::config::Languages;
use mendbench::harness::{
    Cancel, Changes, Choice, Harness, Ladders, Unwatched, VerifyReport, Version, Wanted,
};
use mendbench::report::Verdict;
use mendbench::sandbox::Rung;
use mendbench::store::SystemClock;
use mendbench::task::{Command, Content, Task};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Each looks for what is left at its end, and must not find the others at work.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Tag of the image that `tests/docker/build-image` makes.
const IMAGE: &str = "mendbench-test:latest";

/// One hostile task.
struct Case {
    name: &'static str,
    /// Files of the tree; `TOKEN` in path and text marks the processes of this case.
    files: Vec<(&'static str, String)>,
    /// What a candidate changes.
    changes: Vec<(&'static str, String)>,
    build: Option<&'static str>,
    test: &'static str,
    parser: &'static str,
    listed: &'static [&'static str],
    protected: &'static [&'static str],
    seconds: u64,
    /// Verdicts of which one must come.
    verdicts: &'static [Verdict],
    /// Words of which one must be in why or in the output.
    words: &'static [&'static str],
}

impl Default for Case {
    fn default() -> Case {
        Case {
            name: "",
            files: Vec::new(),
            changes: Vec::new(),
            build: None,
            test: "python3 test_TOKEN.py",
            parser: "exit-code",
            listed: &[],
            protected: &["test_*"],
            seconds: 20,
            verdicts: &[],
            words: &[],
        }
    }
}

fn script(name: &'static str, text: &str, verdicts: &'static [Verdict]) -> Case {
    Case { name, files: vec![("test_TOKEN.py", text.to_owned())], verdicts, ..Case::default() }
}

/// What the host lays out for the attacks to find.
struct Bait {
    folder: tempfile::TempDir,
    home: PathBuf,
    listener: TcpListener,
    secret: String,
}

impl Bait {
    fn new(token: &str) -> Bait {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let secret = format!("secret-of-{token}");
        // Open to everybody: nothing but the sandbox stands before it.
        let open = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(folder.path(), open(0o777)).unwrap();
        std::fs::write(folder.path().join("canary"), &secret).unwrap();
        std::fs::set_permissions(folder.path().join("canary"), open(0o666)).unwrap();
        let home = PathBuf::from(std::env::var_os("HOME").unwrap()).join(format!(".canary-{token}"));
        std::fs::write(&home, &secret).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Bait { folder, home, listener, secret }
    }

    /// What the case reached that it may not, judged by what the host sees.
    fn breaches(&self, report: &VerifyReport) -> Vec<&'static str> {
        let mut found = Vec::new();
        if std::fs::read_to_string(self.folder.path().join("canary")).ok().as_ref() != Some(&self.secret) {
            found.push("the canary was changed");
        }
        if std::fs::read_dir(self.folder.path()).unwrap().count() != 1 {
            found.push("something was written outside");
        }
        if self.listener.accept().is_ok() {
            found.push("the network was reached");
        }
        let told = |text: String| text.contains(&self.secret);
        if report.steps.iter().any(|step| told(step.stdout.text()) || told(step.stderr.text())) {
            found.push("a secret was read");
        }
        found
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.home);
    }
}

fn cases(bait: &Bait) -> Vec<Case> {
    let canary = bait.folder.path().join("canary");
    let (canary, outside) = (canary.display(), bait.folder.path().join("planted").display().to_string());
    let port = bait.listener.local_addr().unwrap().port();
    let home = bait.home.display();
    let stopped = &[Verdict::Failed];
    let unittest = |body: &str| {
        format!(
            "import unittest\nimport m\nclass T(unittest.TestCase):\n    def test_a(self):\n        {body}\n"
        )
    };
    let mut cases = vec![
        script(
            "network",
            &format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 3).send(b'x')\n"),
            stopped,
        ),
        script("write outside", &format!("open('{outside}', 'w').write('x')\n"), stopped),
        script("rewrite outside", &format!("open('{canary}', 'w').write('x')\n"), stopped),
        script("read the canary", &format!("print(open('{canary}').read())\n"), stopped),
        script("read the home folder", &format!("print(open('{home}').read())\n"), stopped),
        script(
            "read environments",
            "import glob\nseen = 0\nfor p in glob.glob('/proc/[0-9]*/environ'):\n    try:\n        print(open(p,'rb').read())\n    except OSError: pass\nraise SystemExit(1)\n",
            stopped,
        ),
        Case {
            seconds: 6,
            ..script(
                "fork bomb",
                "import os, time\nwhile True:\n    try:\n        os.fork()\n    except OSError: time.sleep(0.01)\n",
                &[Verdict::Timeout, Verdict::OutOfMemory, Verdict::Failed, Verdict::Crashed],
            )
        },
        script(
            "memory bomb",
            "keep = []\nwhile True:\n    keep.append(bytearray(32 << 20))\n    keep[-1][::4096] = b'x' * len(keep[-1][::4096])\n",
            &[Verdict::OutOfMemory],
        ),
        script(
            "disk bomb",
            "f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))\n",
            &[Verdict::Crashed, Verdict::Failed],
        ),
        script(
            "many small files",
            "import itertools\nfor i in itertools.count():\n    open(f'f{i}', 'w').write('x' * 65536)\n",
            &[Verdict::Crashed, Verdict::Failed, Verdict::Timeout],
        ),
        Case {
            seconds: 3,
            ..script(
                "endless output",
                "while True: print('x' * 65536)\n",
                &[Verdict::Timeout, Verdict::Crashed],
            )
        },
        Case {
            seconds: 2,
            ..script(
                "ignored signals",
                "import signal, time\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: time.sleep(1)\n",
                &[Verdict::Timeout],
            )
        },
        script(
            "daemon that holds the output",
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(300)\n    os._exit(0)\nos.wait()\nprint('left')\n",
            &[Verdict::Passed],
        ),
        script(
            "daemon that is quiet",
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    for fd in range(3): os.close(fd)\n    if os.fork() == 0:\n        time.sleep(300)\n    os._exit(0)\nos.wait()\n",
            &[Verdict::Passed],
        ),
        script(
            "kill everything",
            "import os\nfor pid in [1, os.getppid(), -1]:\n    try: os.kill(pid, 9)\n    except OSError as e: print(e)\nraise SystemExit(1)\n",
            &[Verdict::Failed, Verdict::Crashed],
        ),
        Case {
            build: Some(
                "ln -s / root_TOKEN; rm test_TOKEN.py; ln -s CANARY test_TOKEN.py; rm -rf sub; ln -s FOLDER sub",
            ),
            files: vec![
                ("test_TOKEN.py", "print('ran')\n".to_owned()),
                ("sub/test_inner.py", "original\n".to_owned()),
            ],
            verdicts: &[Verdict::Passed],
            words: &["ran"],
            ..script("links for the host to follow", "", &[])
        },
        script("no such command", "", &[Verdict::InfraError]),
        Case {
            seconds: 2,
            build: Some("sleep 300; : TOKEN"),
            ..script("build without end", "", &[Verdict::Timeout])
        },
        Case {
            build: Some("head -c 3000000000 /dev/zero"),
            seconds: 60,
            ..script("3 GB in one line from the build", "", &[Verdict::Passed, Verdict::BuildError])
        },
        script(
            "invalid text",
            "import sys\nsys.stdout.buffer.write(bytes(range(128, 256)) * 1000)\n",
            &[Verdict::Passed],
        ),
        Case {
            parser: "tap",
            ..script(
                "100,000 tests",
                "print('1..100000')\nfor i in range(1, 100001): print(f'ok {i} - test number {i}')\n",
                &[Verdict::Passed],
            )
        },
        Case { parser: "tap", ..script("no tests", "", &[Verdict::NoTests]) },
        Case {
            parser: "tap",
            ..script(
                "leaves before the plan is done",
                "print('1..2')\nprint('ok 1 - a', flush=True)\nimport os\nos._exit(0)\n",
                &[Verdict::ReportMismatch],
            )
        },
    ];
    let missing = cases.iter_mut().find(|case| case.name == "no such command").unwrap();
    missing.test = "no-such-program-TOKEN";
    // unittest: what the module under test, or a file beside it, tries.
    let listed: &[&str] = &["test_x.T.test_a"];
    let failing = unittest("self.assertEqual(m.x, 1)");
    for (name, module) in [
        ("leaves at import", "import os\nos._exit(0)\n"),
        ("exits at import", "raise SystemExit(0)\n"),
        (
            "forges the end",
            "import os, sys\nsys.stderr.write('Ran 1 test in 0.1s\\n\\nOK\\n')\nsys.stderr.flush()\nos._exit(0)\n",
        ),
        (
            "rewrites the test",
            "open('test_x.py', 'w').write('import unittest\\nclass T(unittest.TestCase):\\n    def test_a(self): pass\\n')\nx = 2\n",
        ),
        (
            "replaces the test",
            "import os\nopen('new', 'w').write('')\ntry:\n    os.replace('new', 'test_x.py')\n    os.remove('test_x.py')\nexcept OSError: pass\nx = 2\n",
        ),
    ] {
        cases.push(Case {
            name,
            files: vec![("test_x.py", failing.clone()), ("m.py", module.to_owned())],
            test: "python3 -m unittest -v test_x",
            parser: "unittest",
            listed,
            verdicts: &[Verdict::Failed, Verdict::ReportMismatch, Verdict::NoTests, Verdict::Crashed],
            ..Case::default()
        });
    }
    for (name, path, text) in [
        (
            "plants sitecustomize",
            "sitecustomize.py",
            "import os\nprint('test_a (test_x.T.test_a) ... ok')\nos._exit(0)\n",
        ),
        ("shadows unittest", "unittest.py", "print('OK')\n"),
        ("shadows unittest by a folder", "unittest/__init__.py", "print('OK')\n"),
        ("plants a path file", "x.pth", "import os\n"),
        (
            "shadows the test by a package",
            "test_x/__init__.py",
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n",
        ),
        ("plants a test", "test_y.py", "import os\nos._exit(0)\n"),
    ] {
        cases.push(Case {
            name,
            files: vec![("test_x.py", failing.clone()), ("m.py", "x = 2\n".to_owned())],
            changes: vec![(path, text.to_owned())],
            test: "python3 -m unittest -v test_x",
            parser: "unittest",
            listed,
            verdicts: &[Verdict::Failed],
            words: &["AssertionError"],
            ..Case::default()
        });
    }
    cases.push(Case {
        name: "build plants what the tests would load",
        files: vec![("test_x.py", failing.clone()), ("m.py", "x = 2\n".to_owned())],
        build: Some("echo 'import os; os._exit(0)' > sitecustomize.py; mkdir -p __pycache__; echo x > __pycache__/m.cpython-311.pyc; echo > test_x.py; : TOKEN"),
        test: "python3 -m unittest -v test_x",
        parser: "unittest",
        listed,
        verdicts: &[Verdict::Failed],
        words: &["AssertionError"],
        ..Case::default()
    });
    for (name, build) in [
        (
            "build shadows the test by a package",
            "mkdir test_x; echo 'import unittest' > test_x/__init__.py; echo 'class T(unittest.TestCase):' >> test_x/__init__.py; echo '  def test_a(self): pass' >> test_x/__init__.py; : TOKEN",
        ),
        (
            "build leaves names that nobody can use",
            "mkdir \"$(printf 'a\\nb')\"; touch \"$(printf 'a\\nb')/conftest.py\"; : TOKEN",
        ),
        ("build closes the tree", "chmod 0 .; : TOKEN"),
    ] {
        cases.push(Case {
            name,
            files: vec![("test_x.py", failing.clone()), ("m.py", "x = 2\n".to_owned())],
            build: Some(build),
            test: "python3 -m unittest -v test_x",
            parser: "unittest",
            listed,
            // Whatever of these: never passed, and never the fault of the harness.
            verdicts: &[Verdict::Failed, Verdict::BuildError, Verdict::NoTests, Verdict::Crashed],
            ..Case::default()
        });
    }
    cases
}

fn task(case: &Case, token: &str, bait: &Bait) -> (Task, Changes) {
    let canary = bait.folder.path().join("canary").display().to_string();
    let folder = bait.folder.path().display().to_string();
    let fill =
        |text: &str| text.replace("TOKEN", token).replace("CANARY", &canary).replace("FOLDER", &folder);
    let mut task = Task::new("attack", case.name);
    task.language = "python".to_owned();
    for (path, text) in &case.files {
        task.files.base.insert(fill(path), Content::new(fill(text)));
    }
    task.files.buggy.insert("version".to_owned(), Content::new("buggy"));
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    task.test.build = case.build.map(|line| Command::Shell(fill(line)));
    task.test.command = Some(Command::Arguments(words(&fill(case.test))));
    task.test.parser = Some(case.parser.to_owned());
    task.test.timeout_s = Some(case.seconds);
    task.test.fail_to_pass = case.listed.iter().map(|id| (*id).to_owned()).collect();
    task.protected = case.protected.iter().map(|pattern| fill(pattern)).collect();
    task.limits.memory_mb = Some(256);
    task.limits.disk_mb = Some(32);
    task.limits.processes = Some(32);
    task.limits.output_kb = Some(64);
    let changes =
        case.changes.iter().map(|(path, text)| (fill(path), Some(Content::new(fill(text))))).collect();
    (task, changes)
}

fn attack(choice: Choice, what: &str) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let ladders = Ladders::new(choice, Box::new(|_| {})).with_helper(env!("CARGO_BIN_EXE_mendbench").into());
    let harness = Harness::new(Languages::built_in(), Box::new(ladders), None, Arc::new(SystemClock));
    let token = format!("attack{}{}", std::process::id(), what);
    let leftovers = Leftovers::before(&token);
    let bait = Bait::new(&token);
    let mut wrong = Vec::new();
    for case in cases(&bait) {
        let (task, changes) = task(&case, &token, &bait);
        let wanted = Wanted { task: &task, version: Version::Buggy, changes: &changes, fresh: true };
        let report = harness.verify(&wanted, &Cancel::new(), &mut Unwatched).unwrap().report;
        let text: String = report.steps.iter().map(|step| step.stdout.text() + &step.stderr.text()).collect();
        let said =
            format!("{what}, {}: {}: {}\n{:?}\n{}", case.name, report.verdict, report.why, report.notes, {
                text.chars().take(600).collect::<String>()
            });
        if !case.verdicts.contains(&report.verdict) {
            wrong.push(said.clone());
        }
        if !case.words.is_empty()
            && !case.words.iter().any(|word| text.contains(word) || report.why.contains(word))
        {
            wrong.push(format!("none of {:?}: {said}", case.words));
        }
        let json = serde_json::to_vec(&report).unwrap();
        assert!(json.len() < 40 << 20, "{}: the report has {} bytes", case.name, json.len());
        wrong.extend(bait.breaches(&report).iter().map(|what| format!("{what}: {said}")));
        if let Some(found) = leftovers.processes() {
            wrong.push(format!("{what}, {}: left behind: {found}", case.name));
        }
    }
    assert!(leftovers.all().is_some(), "{what}: sandboxes stand ahead, and the search must see them");
    drop(harness);
    if let Some(found) = leftovers.all() {
        wrong.push(format!("{what}: left behind at the end: {found}"));
    }
    assert!(wrong.is_empty(), "{} of the attacks went wrong:\n{}", wrong.len(), wrong.join("\n----\n"));
}

#[test]
fn local() {
    attack(Choice::default(), "local");
}

/// The bait is good and the eyes are open: without a sandbox the same attacks reach what they want.
#[test]
fn control() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let choice = Choice { rung: Some(Rung::Unsafe), unsafe_local: true, ..Choice::default() };
    let ladders = Ladders::new(choice, Box::new(|_| {})).with_helper(env!("CARGO_BIN_EXE_mendbench").into());
    let harness = Harness::new(Languages::built_in(), Box::new(ladders), None, Arc::new(SystemClock));
    let token = format!("attack{}control", std::process::id());
    for (name, breach) in [
        ("network", "the network was reached"),
        ("write outside", "something was written outside"),
        ("rewrite outside", "the canary was changed"),
        ("read the canary", "a secret was read"),
    ] {
        let bait = Bait::new(&token);
        let all = cases(&bait);
        let case = all.iter().find(|case| case.name == name).unwrap();
        let (mut task, changes) = task(case, &token, &bait);
        // Without a language no toolchain is looked for: it may lie where only this user gets.
        task.language = "none".to_owned();
        task.test.command =
            Some(Command::Shell(format!("PATH=/usr/bin:/bin {}", task.test.command.unwrap().display())));
        let wanted = Wanted { task: &task, version: Version::Buggy, changes: &changes, fresh: true };
        let report = harness.verify(&wanted, &Cancel::new(), &mut Unwatched).unwrap().report;
        assert!(report.is_unsafe());
        assert!(bait.breaches(&report).contains(&breach), "{name}: {}: {:?}", report.why, report.steps);
    }
}

#[test]
fn docker() {
    if !image_is_there() {
        let all = std::env::var_os("MENDBENCH_DOCKER").is_some();
        assert!(!all, "there is no engine with the image {IMAGE}: run tests/docker/build-image");
        writeln!(std::io::stderr(), "skipped: no Docker engine with the image {IMAGE}").unwrap();
        return;
    }
    // More than one at once, so that containers are made ahead.
    attack(Choice { image: Some(IMAGE.to_owned()), jobs: 2, ..Choice::default() }, "docker");
}

fn image_is_there() -> bool {
    let docker =
        ["/usr/bin/docker", "/usr/local/bin/docker"].into_iter().find(|path| Path::new(path).exists());
    let Some(docker) = docker else { return false };
    let inspected = std::process::Command::new(docker).args(["image", "inspect", IMAGE]).output();
    inspected.is_ok_and(|output| output.status.success())
}
