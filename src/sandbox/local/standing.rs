//! A sandbox of this machine that stands: what [`Sandbox`] promises, for every local rung.
//!
//! Promises: files are touched through descriptors of the tree only; executions go to the init; killing closes the
//! stream, upon which the init kills everything; cleaning leaves nothing. Leaves to others: running (`execute`), paths
//! inside the tree (`tree`).

use super::cgroup::Groups;
use super::state::Place;
use super::wire::{self, Ready, Setup};
use super::{execute, mechanisms, tree};
use crate::sandbox::{
    Deaf, ExecReport, ExecRequest, Killer, Listing, Mechanism, OutputSink, Rung, Sandbox, SandboxError,
    TreeFile,
};
use crate::task::paths::check_path;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the end of everything inside may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A standing sandbox.
pub struct Standing {
    pub(super) setup: Setup,
    pub(super) host: Arc<UnixStream>,
    pub(super) groups: Groups,
    pub(super) killed: Arc<AtomicBool>,
    /// Why nothing can be executed any more.
    pub(super) broken: Option<String>,
    pub(super) mechanisms: Vec<Mechanism>,
    work: String,
    tree: Option<OwnedFd>,
    child: Child,
    place: Place,
    owner: tree::Owner,
    cleaned: bool,
}

impl Standing {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        setup: Setup,
        ready: &Ready,
        host: UnixStream,
        tree: OwnedFd,
        child: Child,
        groups: Groups,
        place: Place,
        owner: tree::Owner,
    ) -> Standing {
        let mechanisms = mechanisms::of(&setup, ready, &groups);
        Standing {
            work: setup.work.to_string_lossy().into_owned(),
            setup,
            host: Arc::new(host),
            groups,
            killed: Arc::default(),
            broken: None,
            mechanisms,
            tree: Some(tree),
            child,
            place,
            owner,
            cleaned: false,
        }
    }

    fn tree(&self) -> Result<&OwnedFd, SandboxError> {
        self.tree.as_ref().ok_or_else(|| SandboxError::Left { what: "the work tree is gone".to_owned() })
    }

    fn failed(&self, doing: &str, path: &str, source: io::Error) -> SandboxError {
        if matches!(source.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT)) {
            return SandboxError::Full { limit: self.setup.limits.disk };
        }
        SandboxError::System {
            doing: format!("{doing} `{}` in the sandbox", crate::text::sanitise(path)),
            source,
        }
    }

    /// What the first process said last, when it has ended.
    pub(super) fn last_words(&mut self) -> String {
        super::make::last_words(&mut self.child)
    }

    /// Kills everything and removes everything; the second time nothing.
    fn end(&mut self) -> Result<(), SandboxError> {
        if std::mem::replace(&mut self.cleaned, true) {
            return Ok(());
        }
        self.tree = None;
        let _ = self.host.shutdown(Shutdown::Both);
        let left = |what: String| SandboxError::Left { what };
        let ended = wait(&mut self.child, PATIENCE);
        if !matches!(ended, Ok(true)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let groups = self.groups.remove(PATIENCE);
        self.place.remove().map_err(|error| left(format!("its folder: {error}")))?;
        groups.map_err(|error| left(format!("its control groups: {error}")))?;
        match ended {
            Ok(true) => Ok(()),
            _ => Err(left("its first process, which did not end by itself and was killed".to_owned())),
        }
    }
}

/// Waits for a process to end, at most so long.
fn wait(child: &mut Child, at_most: Duration) -> io::Result<bool> {
    let until = Instant::now() + at_most;
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let watched =
        pid.and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        match &watched {
            Some(watched) => drop(wire::wait(&[watched.as_fd()], Some(left))?),
            None => std::thread::sleep(left.min(Duration::from_millis(2))),
        }
    }
}

/// A path inside the tree that may be used.
pub(super) fn checked(path: &str) -> Result<(), SandboxError> {
    check_path(path).map_err(|why| SandboxError::Path { path: crate::text::sanitise(path).into_owned(), why })
}

impl Sandbox for Standing {
    fn rung(&self) -> Rung {
        self.setup.rung
    }

    fn work(&self) -> &str {
        &self.work
    }

    fn put(&mut self, files: &[TreeFile<'_>]) -> Result<(), SandboxError> {
        files.iter().try_for_each(|file| checked(file.path))?;
        if self.setup.rung == Rung::Landlock || self.setup.rung == Rung::Unsafe {
            // No file system of its own says when it is full.
            let whole: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
            if whole > self.setup.limits.disk {
                return Err(SandboxError::Full { limit: self.setup.limits.disk });
            }
        }
        for file in files {
            tree::put(self.tree()?, file.path, file.bytes, file.executable, self.owner)
                .map_err(|source| self.failed("writing", file.path, source))?;
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), SandboxError> {
        checked(path)?;
        tree::remove(self.tree()?, path).map_err(|source| self.failed("removing", path, source))
    }

    fn list(&mut self, most: usize) -> Result<Listing, SandboxError> {
        tree::list(self.tree()?, most).map_err(|source| self.failed("listing", ".", source))
    }

    fn read(&mut self, path: &str, most: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        checked(path)?;
        tree::read(self.tree()?, path, most).map_err(|source| self.failed("reading", path, source))
    }

    fn execute(
        &mut self,
        request: &ExecRequest,
        sink: &mut dyn OutputSink,
    ) -> Result<ExecReport, SandboxError> {
        execute::execute(self, request, sink)
    }

    fn killer(&self) -> Killer {
        let (host, killed) = (Arc::clone(&self.host), Arc::clone(&self.killed));
        Killer::new(move || {
            killed.store(true, Ordering::SeqCst);
            // The init takes the end of the stream for ours, and kills everything.
            let _ = host.shutdown(Shutdown::Both);
        })
    }

    fn clean(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.end()
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Runs our own program with the words that make it say that all is well: whether a rung stands.
pub(super) fn try_out(standing: &mut Standing) -> Result<(), String> {
    let mut request =
        ExecRequest::new(crate::task::Command::Shell("exit 7".to_owned()), standing.setup.limits);
    request.limits.time_ms = request.limits.time_ms.min(20_000);
    let report = standing.execute(&request, &mut Deaf).map_err(|error| error.to_string())?;
    match report.exit {
        crate::sandbox::Exit::Code(7) => Ok(()),
        other => {
            Err(format!("a first command in it {other} {}", crate::text::sanitise(&report.stderr.text())))
        }
    }
}
