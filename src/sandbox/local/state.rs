//! What a sandbox has on the machine outside itself: a folder with a name that says whose it is.
//!
//! Promises: the folder above is ours alone; what an owner that is dead has left is found by the next start and removed,
//! its control groups and processes included; what belongs to a living owner is never touched. Leaves to others: what
//! the folder is used for (`make`).

use super::{cgroup, tree};
use crate::sandbox::SandboxError;
use crate::sandbox::process::started;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Name of the file that lists control groups.
const GROUPS: &str = "groups";

/// Name of the file that names the process outside the namespaces.
const PROCESS: &str = "process";

/// How long what is dying may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// One sandbox's folder.
#[derive(Debug)]
pub struct Place {
    /// Its path.
    pub path: PathBuf,
    /// Its name, which is one of a kind on this machine.
    pub name: String,
    above: OwnedFd,
}

impl Place {
    /// A new folder of this process.
    pub fn new() -> Result<Place, SandboxError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let me = Owner::me().map_err(|source| system("reading /proc", source))?;
        let name = format!("{}.{}", me.name(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut tries = 0;
        loop {
            let (path, above) = state_folder()?;
            tries += 1;
            match rustix::fs::mkdirat(&above, &name, mode()) {
                // Somebody else's last sandbox has just taken the folder above with it.
                Err(Errno::NOENT) if tries < 100 => continue,
                Err(error) => return Err(system("making a folder", error.into())),
                Ok(()) => {}
            }
            // Whatever the umask is.
            rustix::fs::chmodat(&above, &name, mode(), AtFlags::empty())
                .map_err(|error| system("making a folder", error.into()))?;
            return Ok(Place { path: path.join(&name), name, above });
        }
    }

    /// Writes down control groups, before they are made.
    pub fn note_groups(&self, groups: &[PathBuf]) -> io::Result<()> {
        let lines: Vec<String> = groups.iter().map(|path| path.display().to_string()).collect();
        fs::write(self.path.join(GROUPS), lines.join("\n"))
    }

    /// Writes down the process outside.
    pub fn note_process(&self, process: u32) -> io::Result<()> {
        let began = started(process).unwrap_or(0);
        fs::write(self.path.join(PROCESS), format!("{process} {began}"))
    }

    /// Removes it.
    pub fn remove(&self) -> io::Result<()> {
        tree::remove_whole(&self.above, &self.name)?;
        if let Some(above) = self.path.parent() {
            let _ = fs::remove_dir(above);
        }
        Ok(())
    }
}

/// Root's folder may be passed through: the user that it becomes has to reach the work tree inside.
fn mode() -> Mode {
    if super::identity::is_root() { Mode::from_raw_mode(0o711) } else { Mode::RWXU }
}

fn system(doing: &str, source: io::Error) -> SandboxError {
    SandboxError::System { doing: doing.to_owned(), source }
}

/// Where the folder for all of this user's sandboxes may be, best first: somebody else may have taken a name.
fn candidates(uid: u32) -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    if uid != 0
        && let Some(runtime) = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from)
        && runtime.is_absolute()
    {
        candidates.push(runtime.join("mendbench"));
    }
    let temporary = std::env::temp_dir();
    candidates.extend((0..10).map(|number| match number {
        0 => temporary.join(format!("mendbench-{uid}")),
        _ => temporary.join(format!("mendbench-{uid}-{number}")),
    }));
    candidates
}

/// The folder for all of this user's sandboxes, made where it is not there.
fn state_folder() -> Result<(PathBuf, OwnedFd), SandboxError> {
    let uid = rustix::process::geteuid().as_raw();
    let mut said = None;
    for path in candidates(uid) {
        match make_own(&path, uid) {
            Ok(opened) => return Ok((path, opened)),
            Err(error) => said = said.or(Some((path, error))),
        }
    }
    let (path, source) = said.unwrap_or_else(|| (std::env::temp_dir(), io::ErrorKind::NotFound.into()));
    Err(system(&format!("making {} for sandboxes", crate::text::shown(&path)), source))
}

/// Makes a folder that is ours and closed to others, or opens it.
fn make_own(path: &Path, uid: u32) -> io::Result<OwnedFd> {
    for _ in 0..100 {
        let made = match fs::DirBuilder::new().mode(mode().bits()).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            made => made.is_ok(),
        };
        if made {
            // Whatever the umask is. Nobody else can have put something in its place: the name is ours now.
            let _ = tree::root(path).and_then(|opened| Ok(rustix::fs::fchmod(&opened, mode())?));
        }
        match open_own(path, uid) {
            // Gone with somebody's last sandbox.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Opens a folder that has to be ours and closed to others.
fn open_own(path: &Path, uid: u32) -> io::Result<OwnedFd> {
    let opened = tree::root(path)?;
    let found = rustix::fs::fstat(&opened)?;
    if found.st_uid != uid || found.st_mode & 0o777 & !mode().bits() != 0 {
        let why = "it belongs to somebody else, or is open to others";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(opened)
}

/// Whose a folder is: a process that was started at a time, after a start of the machine, in a process namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Owner {
    boot: String,
    namespace: u64,
    process: u32,
    began: u64,
}

impl Owner {
    fn me() -> io::Result<Owner> {
        let process = std::process::id();
        let began = started(process).ok_or(io::ErrorKind::NotFound)?;
        let (boot, namespace) = surroundings()?;
        Ok(Owner { boot, namespace, process, began })
    }

    fn name(&self) -> String {
        format!("{}.{}.{}.{}", self.boot, self.namespace, self.process, self.began)
    }

    fn parse(name: &str) -> Option<Owner> {
        let mut parts = name.split('.');
        let owner = Owner {
            boot: parts.next()?.to_owned(),
            namespace: parts.next()?.parse().ok()?,
            process: parts.next()?.parse().ok()?,
            began: parts.next()?.parse().ok()?,
        };
        parts.next()?.parse::<u64>().ok()?;
        parts.next().is_none().then_some(owner)
    }

    /// Whether it is known to be dead. One in another process namespace cannot be seen from here, and is left alone.
    fn is_dead(&self, boot: &str, namespace: u64) -> bool {
        if self.boot != boot {
            return true;
        }
        self.namespace == namespace && started(self.process) != Some(self.began)
    }
}

/// Which start of the machine this is, and which process namespace.
fn surroundings() -> io::Result<(String, u64)> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let boot: String = boot.chars().filter(char::is_ascii_hexdigit).take(12).collect();
    Ok((boot, fs::metadata("/proc/self/ns/pid")?.ino()))
}

/// What [`reap`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reaped {
    /// Sandboxes of dead owners that are gone now.
    pub removed: usize,
    /// What could not be removed, and why.
    pub left: Vec<String>,
}

/// Removes what owners that are dead have left. Cheap where there is nothing; to be called at every start.
pub fn reap() -> Result<Reaped, SandboxError> {
    let mut reaped = Reaped::default();
    let (boot, namespace) = surroundings().map_err(|source| system("reading /proc", source))?;
    let uid = rustix::process::geteuid().as_raw();
    for path in candidates(uid) {
        let Ok(opened) = open_own(&path, uid) else { continue };
        let entries =
            rustix::fs::Dir::read_from(&opened).map_err(|error| system("reading sandboxes", error.into()))?;
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().to_str() else { continue };
            let Some(owner) = Owner::parse(name).filter(|owner| owner.is_dead(&boot, namespace)) else {
                continue;
            };
            match remove(&opened, name, owner.boot == boot) {
                Ok(()) => reaped.removed += 1,
                Err(why) => reaped.left.push(format!("{}: {why}", crate::text::sanitise(name))),
            }
        }
        // Where nothing is left, not even an empty folder is.
        let _ = fs::remove_dir(&path);
    }
    Ok(reaped)
}

/// Removes one. Another start may be doing the same at this moment.
fn remove(above: &OwnedFd, name: &str, this_boot: bool) -> Result<(), String> {
    let read = |file: &str| read_own(above, name, file).unwrap_or_default();
    if this_boot {
        let groups: Vec<PathBuf> = read(GROUPS).lines().map(PathBuf::from).collect();
        // By itself it ends when its owner does; this is for one that was being started just then.
        let text = read(PROCESS);
        let mut numbers = text.split(' ').map(str::parse::<u64>);
        if let (Some(Ok(process)), Some(Ok(start))) = (numbers.next(), numbers.next()) {
            let process = u32::try_from(process).unwrap_or(0);
            let until = Instant::now() + PATIENCE;
            while started(process) == Some(start) {
                if Instant::now() > until {
                    return Err(format!("process {process} does not end"));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        for group in &groups {
            if group.file_name().is_some_and(|last| last.to_string_lossy() == format!("mendbench.{name}")) {
                cgroup::remove(group, PATIENCE).map_err(|error| error.to_string())?;
            }
        }
    }
    tree::remove_whole(above, name).map_err(|error| error.to_string())
}

/// A small file of ours in the folder of a sandbox.
fn read_own(above: &OwnedFd, folder: &str, file: &str) -> Option<String> {
    let inside =
        openat(above, folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty()).ok()?;
    let found = rustix::fs::statat(&inside, file, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if !tree::is(&found, FileType::RegularFile) {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(&inside, file, flags, Mode::empty()).ok()?;
    io::read_to_string(io::Read::take(fs::File::from(opened), 1 << 16)).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_told_apart_by_start_and_boot() {
        let me = Owner::me().unwrap();
        let name = format!("{}.3", me.name());
        assert_eq!(Owner::parse(&name), Some(me.clone()));
        for other in ["", "a.1.2.3", "a.1.2.3.4.5", "a.b.2.3.4", "work"] {
            assert_eq!(Owner::parse(other), None, "{other}");
        }
        let (boot, namespace) = surroundings().unwrap();
        assert!(!me.is_dead(&boot, namespace));
        assert!(me.is_dead("another", namespace));
        let later = Owner { began: me.began + 1, ..me.clone() };
        assert!(later.is_dead(&boot, namespace), "the number was given to another process");
        assert!(!later.is_dead(&boot, namespace + 1), "what is elsewhere is left alone");
    }
}
