//! The doctor: attacks work where nothing stops them, and every rung that is used stops all of them.
// The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
#![allow(clippy::explicit_write)]
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod cli_rig;

use cli_rig::Home;
use mendbench::sandbox::docker::DockerRung;
use mendbench::sandbox::doctor::{self, ATTACK, Attack, Cell, Outcome};
use mendbench::sandbox::local::Ladder;
use mendbench::sandbox::{
    Captured, ExecReport, ExecRequest, Exit, Killer, Limits, Listing, OutputSink, Program, Provider, Rung,
    Sandbox, SandboxError, Stream, TreeFile,
};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const IMAGE: &str = "mendbench-test:latest";

fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_mendbench"))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn skip(what: &str) {
    writeln!(std::io::stderr(), "skipped: {what}").unwrap();
}

/// No sandbox at all: a folder, a process, and a host that follows every link.
struct Bare;

struct BareSandbox {
    folder: tempfile::TempDir,
    /// What its reports are to say of exits, instead of the truth.
    starts: bool,
}

impl Provider for Bare {
    fn rung(&self) -> Rung {
        Rung::Unsafe
    }

    fn make(&self, _limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        Ok(Box::new(BareSandbox { folder: tempfile::tempdir().unwrap(), starts: true }))
    }
}

/// A sandbox in which nothing can be started.
struct Dead;

impl Provider for Dead {
    fn rung(&self) -> Rung {
        Rung::Unsafe
    }

    fn make(&self, _limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        Ok(Box::new(BareSandbox { folder: tempfile::tempdir().unwrap(), starts: false }))
    }
}

fn report(exit: Exit, seconds: f64, stdout: Vec<u8>) -> ExecReport {
    ExecReport {
        rung: Rung::Unsafe,
        exit,
        seconds,
        peak_memory: None,
        mechanisms: Vec::new(),
        lingered: 0,
        stdout: Captured { head: stdout, ..Captured::default() },
        stderr: Captured::default(),
    }
}

impl Sandbox for BareSandbox {
    fn rung(&self) -> Rung {
        Rung::Unsafe
    }

    fn work(&self) -> &str {
        ""
    }

    fn put(&mut self, files: &[TreeFile<'_>]) -> Result<(), SandboxError> {
        for file in files {
            // Whether it could is seen outside.
            let _ = std::fs::write(self.folder.path().join(file.path), file.bytes);
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), SandboxError> {
        let _ = std::fs::remove_file(self.folder.path().join(path));
        Ok(())
    }

    fn list(&mut self, _most: usize) -> Result<Listing, SandboxError> {
        use mendbench::sandbox::{Entry, Kind};
        let entries = std::fs::read_dir(self.folder.path()).unwrap().flatten();
        let entries = entries.map(|entry| {
            let kind = entry.file_type().unwrap();
            let kind = if kind.is_file() { Kind::File(0) } else { Kind::Other };
            Entry { path: entry.file_name().into_string().unwrap(), kind }
        });
        Ok(Listing { entries: entries.collect(), cut: false })
    }

    fn read(&mut self, path: &str, _most: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        Ok(std::fs::read(self.folder.path().join(path)).ok())
    }

    fn execute(
        &mut self,
        request: &ExecRequest,
        sink: &mut dyn OutputSink,
    ) -> Result<ExecReport, SandboxError> {
        let Program::Own(words) = &request.program else { panic!("only our own") };
        if !self.starts {
            return Ok(report(Exit::NotStarted("nothing starts here".into()), 0.0, Vec::new()));
        }
        let began = std::time::Instant::now();
        // In a group of its own: an attack may signal its group.
        let mut child = std::process::Command::new(binary())
            .args(words)
            .current_dir(self.folder.path())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut bytes = Vec::new();
        let mut pipe = child.stdout.take().unwrap();
        let mut buffer = vec![0; 1 << 16];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            sink.output(Stream::Stdout, &buffer[..read]);
            bytes.extend_from_slice(&buffer[..read]);
        }
        let status = child.wait().unwrap();
        let exit = status.code().map_or(Exit::Signal(status.signal().unwrap_or(0)), Exit::Code);
        Ok(report(exit, began.elapsed().as_secs_f64(), bytes))
    }

    fn killer(&self) -> Killer {
        Killer::new(|| {})
    }

    fn clean(self: Box<Self>) -> Result<(), SandboxError> {
        Ok(())
    }
}

fn table(cells: &[Cell]) -> String {
    cells
        .iter()
        .map(|cell| {
            format!(
                "{} {} {} by [{}] {:?}: {}\n",
                cell.rung,
                cell.attack.as_str(),
                cell.outcome.as_str(),
                cell.mechanism,
                cell.overshoot,
                cell.detail
            )
        })
        .collect()
}

/// Whether this user may do harm here at all: what the kernel refuses anyway cannot be a control.
fn works_bare(attack: Attack) -> bool {
    match attack {
        // Making devices and changing the kernel's settings are for root.
        Attack::Devices | Attack::KernelSettings => is_root(),
        _ => true,
    }
}

#[test]
fn every_attack_works_where_nothing_stops_it() {
    let cells = doctor::examine(&Bare, &mut |_| {}).unwrap();
    assert!(cells.len() >= Attack::ALL.len() - 1, "{}", table(&cells));
    for cell in &cells {
        if works_bare(cell.attack) {
            assert_eq!(
                cell.outcome,
                Outcome::Leaked,
                "{} is not proven to work:\n{}",
                cell.attack.as_str(),
                table(&cells)
            );
        }
    }
    nothing_is_left();
}

#[test]
fn an_attack_that_does_not_start_proves_nothing() {
    let cells = doctor::examine(&Dead, &mut |_| {}).unwrap();
    assert!(cells.iter().all(|cell| cell.outcome == Outcome::NotAttempted), "{}", table(&cells));
}

/// No file, folder or process of a doctor of this process is left.
fn nothing_is_left() {
    let name = format!("mendbench-doctor-{}-", std::process::id());
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let folders = [
        Some(std::env::temp_dir()),
        home,
        Some("/tmp".into()),
        Some("/var/tmp".into()),
        Some("/dev/shm".into()),
    ];
    for folder in folders.into_iter().flatten() {
        let left: Vec<_> = std::fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|entry| entry.contains(&name))
            .collect();
        // Another test of this process may have its targets up at the moment.
        let left: Vec<&String> = left.iter().filter(|entry| entry.ends_with("-planted")).collect();
        assert!(left.is_empty(), "{left:?} in {}", folder.display());
    }
}

#[test]
fn docker_stops_every_attack() {
    let docker = match DockerRung::connect(IMAGE, &mut |_| {}) {
        Ok(docker) => docker.with_helper(&binary()),
        Err(error) => {
            assert!(std::env::var_os("MENDBENCH_DOCKER").is_none(), "the doctor cannot see Docker: {error}");
            return skip(&format!("the doctor on Docker, because {error}"));
        }
    };
    let cells = doctor::examine(&docker, &mut |_| {}).unwrap();
    assert!(cells.iter().all(Cell::stopped), "{}", table(&cells));
    assert!(cells.iter().all(|cell| !cell.mechanism.is_empty()), "{}", table(&cells));
}

#[test]
fn the_local_default_stops_every_attack() {
    let ladder = Ladder::new().with_helper(binary());
    let provider = match ladder.choose() {
        Ok(provider) => provider,
        Err(error) => return skip(&format!("the doctor on local rungs, because {error}")),
    };
    let cells = doctor::examine(provider.as_ref(), &mut |_| {}).unwrap();
    assert!(cells.iter().all(Cell::stopped), "{}", table(&cells));
    assert!(cells.iter().all(|cell| !cell.mechanism.is_empty()), "{}", table(&cells));
}

/// What the command says as another user, who may read the binary.
fn as_nobody(home: &Home, arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(binary())
        .args(arguments)
        .envs(home.variables())
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/tmp")
        .output()
        .unwrap()
}

#[test]
fn the_local_default_of_an_ordinary_user_stops_every_attack() {
    if !is_root() {
        return skip("the doctor as another user, because this is not root");
    }
    let reachable = binary().ancestors().skip(1).all(|folder| {
        use std::os::unix::fs::PermissionsExt;
        folder == Path::new("") || std::fs::metadata(folder).unwrap().permissions().mode() & 1 == 1
    });
    if !reachable {
        return skip("the doctor as another user, because others may not reach the binary");
    }
    let home = Home::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for rung in ["bubblewrap", "namespaces", "landlock"] {
        let ran = as_nobody(&home, &["sandbox", "doctor", "--rung", rung, "--json"]);
        if ran.status.code() == Some(3) {
            skip(&format!("the doctor as another user on {rung}: {}", text(&ran.stdout)));
            continue;
        }
        assert_eq!(ran.status.code(), Some(0), "{rung}\n{}{}", text(&ran.stdout), text(&ran.stderr));
        return;
    }
    skip("the doctor as another user, because no rung stands for one");
}

#[test]
fn the_command_tells_what_stopped_what() {
    let home = Home::new();
    let rung = match Ladder::new().with_helper(binary()).choose() {
        Ok(provider) => provider.rung().as_str(),
        Err(error) => return skip(&format!("the command of the doctor, because {error}")),
    };
    let ran = home.run(&["sandbox", "doctor", "--rung", rung]).done();
    for attack in Attack::ALL.iter().filter(|attack| **attack != Attack::Vsock) {
        assert!(ran.out.contains(&format!("✔ {}", attack.title())), "{}\n{}", attack.title(), ran.out);
    }
    assert!(ran.out.starts_with(rung) && ran.out.contains("attacks stopped"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 120 && !line.ends_with(' ')), "{}", ran.out);
    let json = home.run(&["sandbox", "doctor", "--rung", rung, "--json"]).done();
    assert_eq!(json.object("sandbox-rung")["stands"], true);
    assert_eq!(json.object("sandbox-rung")["default"], true);
    let cells = json.objects_of("sandbox-attack");
    assert!(cells.len() >= Attack::ALL.len() - 1, "{}", json.out);
    for cell in &cells {
        assert_eq!(
            (&cell["v"], &cell["rung"], &cell["stopped"]),
            (&1.into(), &rung.into(), &true.into()),
            "{cell}"
        );
        assert!(cell["mechanism"].as_str().is_some_and(|mechanism| !mechanism.is_empty()), "{cell}");
    }
    let fork = cells.iter().find(|cell| cell["attack"] == "processes").unwrap();
    assert_eq!((&fork["overshoot"]["unit"], &fork["overshoot"]["limit"]), (&"processes".into(), &32.into()));
}

#[test]
fn what_does_not_stand_is_told_with_its_reason() {
    let home = Home::new();
    let gone = [("DOCKER_HOST", "unix:///nonexistent/docker.sock")];
    let arguments = ["sandbox", "doctor", "--rung", "docker", "--image", "x"];
    home.run_with(&arguments, &gone, "").ended(3, &["no sandbox stands here", "docker: ", "DOCKER_HOST"]);
    home.run(&["sandbox", "doctor", "--rung", "docker"]).ended(3, &["--image"]);
    home.run(&["sandbox", "doctor", "--rung", "castle"]).ended(2, &["`castle`", "bubblewrap"]);
    home.run(&["sandbox", "doctor", "--rung", "unsafe"]).ended(2, &["`unsafe`"]);
}

#[test]
fn attacks_that_are_not_known_are_refused() {
    let status = std::process::Command::new(binary()).args([ATTACK, "nonsense"]).output().unwrap().status;
    assert_eq!(status.code(), Some(2));
    let status = std::process::Command::new(binary()).arg(ATTACK).output().unwrap().status;
    assert_eq!(status.code(), Some(2));
}
