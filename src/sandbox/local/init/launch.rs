//! Starting a program in a sandbox.
//!
//! Promises: it is in a session of its own, in its control groups, under limits, rules and filters, as the sandbox's user
//! without a capability, with an environment of its own, before its first instruction; a program that cannot be
//! started is told apart from a sandbox that fails. Leaves to others: watching it (`run`).

use super::super::layout::OWN;
use super::super::wire::{self, Setup, Start};
use super::read_only::{self, Frozen, has_mounts};
use super::rules::{self, Writable};
use super::{filters, marks, mounts, supervise};
use crate::sandbox::{Program, Rung};
use crate::task::Command as Line;
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Why nothing was started.
pub enum NotStarted {
    /// The program's fault, or that of who named it.
    Program(String),
    /// The sandbox's.
    Sandbox(String),
}

/// A program that was started.
pub struct Started {
    /// It.
    pub child: Child,
    /// What was made read-only for it.
    pub frozen: Frozen,
    /// Where it asks for marks on files to be changed, when it has to.
    pub asks: Option<OwnedFd>,
}

/// What stays the same for all programs of a sandbox.
pub struct Launcher {
    pub setup: Setup,
    /// The `cgroup.procs` files to join.
    pub groups: Vec<OwnedFd>,
    /// The root of the work tree.
    pub tree: OwnedFd,
    /// Our own program, opened while it could be reached.
    pub own: Option<File>,
}

impl Launcher {
    /// Starts a program with these as its outputs. What was frozen for it is thawed when the answer is dropped by
    /// way of [`Frozen::thaw`].
    pub fn start(&self, start: &Start, out: OwnedFd, err: OwnedFd) -> Result<Started, NotStarted> {
        let setup = &self.setup;
        // What ran before may have closed the tree to itself; that must not look like a failure of ours.
        if let Ok(found) = rustix::fs::fstat(&self.tree) {
            let open = rustix::fs::Mode::from_raw_mode((found.st_mode & 0o7777) | 0o700);
            let _ = rustix::fs::fchmod(&self.tree, open);
        }
        let frozen = read_only::freeze(setup, &self.tree, &start.read_only).map_err(NotStarted::Sandbox)?;
        match self.spawn(start, &frozen, out, err) {
            Ok((child, asks)) => Ok(Started { child, frozen, asks }),
            Err(error) => {
                frozen.thaw(setup, &self.tree);
                Err(error)
            }
        }
    }

    fn spawn(
        &self,
        start: &Start,
        frozen: &Frozen,
        out: OwnedFd,
        err: OwnedFd,
    ) -> Result<(Child, Option<OwnedFd>), NotStarted> {
        let setup = &self.setup;
        let sandbox = |why: String| NotStarted::Sandbox(why);
        let folder = self.folder(start)?;
        let mut command = self.command(start)?;
        command.env_clear().envs(environment(setup)).envs(&start.environment);
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let writable = Writable {
            paths: frozen.writable(setup),
            readable: vec![setup.work.clone(), setup.temporary.clone()],
        };
        let mut rules = match setup.rung {
            Rung::Unsafe => None,
            _ => rules::ruleset(setup, &writable).map_err(sandbox)?,
        };
        let namespaces = has_mounts(setup.rung);
        let programs = match setup.rung {
            Rung::Unsafe => Vec::new(),
            _ => filters::programs(filters::Surroundings { namespaces, same_user: !setup.user.dropped })
                .map_err(sandbox)?,
        };
        let limits = resource_limits(setup, start);
        let mounts = frozen.mounts.clone();
        let groups: Vec<i32> = self.groups.iter().map(AsRawFd::as_raw_fd).collect();
        let user = setup.user;
        let (mut failed, mark) = io::pipe().map_err(|error| sandbox(format!("making a pipe: {error}")))?;
        let mark_descriptor = mark.as_raw_fd();
        let asks = (setup.rung == Rung::Landlock && !user.dropped)
            .then(wire::pair)
            .transpose()
            .map_err(|error| sandbox(format!("making a pair of sockets: {error}")))?;
        let (ours, theirs) = asks.unzip();
        let prepare = move || {
            let mut work = || -> io::Result<()> {
                rustix::process::setsid()?;
                for &group in &groups {
                    // SAFETY: the init holds these open for as long as it lives, and this is its copy.
                    let group = unsafe { BorrowedFd::borrow_raw(group) };
                    rustix::io::write(group, b"0")?;
                }
                // When memory is short, whoever runs in a sandbox goes first.
                let _ = std::fs::write("/proc/self/oom_score_adj", "900");
                if !mounts.is_empty() {
                    // SAFETY: this process has one thread, and file tables are not unshared.
                    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }?;
                    for (path, closed) in &mounts {
                        mounts::freeze(path, *closed)?;
                    }
                }
                for &(resource, most) in &limits {
                    limit(resource, most)?;
                }
                rustix::thread::set_no_new_privs(true)?;
                drop_privileges(user.dropped, user.uid, user.gid)?;
                enter(&folder)?;
                if let Some(rules) = rules.take() {
                    rules.restrict_self().map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
                }
                if let Some(theirs) = &theirs {
                    wire::send(theirs, &(), &[marks::ask()?.as_fd()])?;
                }
                for program in &programs {
                    seccompiler::apply_filter(program)
                        .map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
                }
                Ok(())
            };
            work().inspect_err(|_| {
                // SAFETY: the parent holds this open until the program has started or failed.
                let mark = unsafe { BorrowedFd::borrow_raw(mark_descriptor) };
                let _ = rustix::io::write(mark, b"!");
            })
        };
        // SAFETY: the init has one thread, so between fork and exec its child may do what the init may: no lock can
        // be held by anybody else.
        unsafe { command.pre_exec(prepare) };
        let spawned = command.spawn();
        drop(command);
        drop(mark);
        let child = spawned.map_err(|error| {
            let mut marked = String::new();
            match io::Read::read_to_string(&mut failed, &mut marked) {
                Ok(0) => NotStarted::Program(self.explain(start, &error)),
                _ => sandbox(format!("preparing a process: {error}")),
            }
        })?;
        // Sent before it was started, so it is there.
        let asks = ours.and_then(|ours| wire::receive::<()>(&ours).ok()?.1.pop());
        Ok((child, asks))
    }

    /// The folder to start in, which has to be one.
    fn folder(&self, start: &Start) -> Result<Vec<PathBuf>, NotStarted> {
        if !start.folder.is_empty() {
            let found = super::super::tree::folder(&self.tree, &start.folder);
            found.map_err(|error| {
                NotStarted::Program(format!("the folder `{}` cannot be entered: {error}", start.folder))
            })?;
        }
        let parts = start.folder.split('/').filter(|part| !part.is_empty()).map(PathBuf::from);
        Ok(std::iter::once(self.setup.work.clone()).chain(parts).collect())
    }

    fn command(&self, start: &Start) -> Result<Command, NotStarted> {
        match &start.program {
            Program::Command(Line::Shell(line)) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(line);
                Ok(command)
            }
            Program::Command(Line::Arguments(words)) => {
                let Some((program, rest)) = words.split_first() else {
                    return Err(NotStarted::Program("the command is empty".to_owned()));
                };
                let mut command = Command::new(program);
                command.args(rest);
                Ok(command)
            }
            Program::Own(words) => {
                let mut command = match &self.own {
                    // Behind folders that the sandbox's user may not enter: by its descriptor.
                    Some(file) => Command::new(format!("/proc/self/fd/{}", file.as_raw_fd())),
                    None => Command::new(OWN),
                };
                command.arg0("mendbench").args(words);
                Ok(command)
            }
        }
    }

    /// What the system said about a program that did not start.
    fn explain(&self, start: &Start, error: &io::Error) -> String {
        let name = match &start.program {
            Program::Command(Line::Shell(_)) => "sh",
            Program::Command(Line::Arguments(words)) => words.first().map_or("", String::as_str),
            Program::Own(_) => "mendbench",
        };
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such program in the sandbox".to_owned(),
            io::ErrorKind::PermissionDenied => "it is not executable, or cannot be reached".to_owned(),
            _ => error.to_string(),
        };
        format!("`{}`: {what}", crate::text::sanitise(name))
    }
}

/// The variables of every program.
fn environment(setup: &Setup) -> Vec<(&'static str, OsString)> {
    let mut path = OsString::new();
    for folder in &setup.search {
        path.push(folder);
        path.push(":");
    }
    path.push("/usr/local/bin:/usr/bin:/bin");
    vec![
        ("PATH", path),
        ("HOME", setup.temporary.clone().into()),
        ("TMPDIR", setup.temporary.clone().into()),
        ("LANG", "C.UTF-8".into()),
        ("LC_ALL", "C.UTF-8".into()),
        ("TZ", "UTC".into()),
        ("PYTHONHASHSEED", "0".into()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
    ]
}

/// Goes down folder by folder, through no link.
fn enter(parts: &[PathBuf]) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, openat};
    for part in parts {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(rustix::fs::CWD, part, flags, Mode::empty())?;
        rustix::process::fchdir(folder)?;
    }
    Ok(())
}

/// Bounds that the kernel keeps for each process, or for each user.
fn resource_limits(setup: &Setup, start: &Start) -> Vec<(Resource, u64)> {
    let limits = &start.limits;
    let mut all = vec![
        (Resource::Core, 0),
        (Resource::Fsize, limits.file),
        (Resource::Nofile, 4096),
        (Resource::Memlock, 64 << 10),
        (Resource::Msgqueue, 0),
    ];
    if !setup.memory_bounded {
        // The supervisor looks now and then; between two looks no process gets past this.
        all.push((Resource::Data, limits.memory.saturating_mul(2).saturating_add(64 << 20)));
    }
    if !setup.processes_bounded {
        let namespaces = has_mounts(setup.rung);
        let exact = setup.user.dropped || (namespaces && counts_by_namespace());
        // Where the user has other processes, they count too; the supervisor sees to the exact number.
        let most = if exact { limits.processes } else { supervise::of_this_user() + limits.processes + 256 };
        all.push((Resource::Nproc, most));
    }
    all
}

/// Whether the kernel counts the processes of a user for each user namespace: since 5.14.
fn counts_by_namespace() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (5, 14)
}

/// Lowers a limit, never above what we may have ourselves.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let now = rustix::process::getrlimit(resource);
    let most = now.maximum.map_or(most, |maximum| maximum.min(most));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// Becomes the sandbox's user, for good and without a capability.
fn drop_privileges(dropped: bool, uid: u32, gid: u32) -> io::Result<()> {
    use rustix::thread::{capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set};
    let mine = capabilities(None)?;
    if mine.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().iter() {
            // Some that are named here are unknown to older kernels.
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
    let _ = clear_ambient_capability_set();
    if dropped {
        let (uid, gid) = (rustix::fs::Uid::from_raw(uid), rustix::fs::Gid::from_raw(gid));
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(gid, gid, gid)?;
        rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    }
    let none = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?)
}
