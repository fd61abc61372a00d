//! Making a sandbox of this machine: a folder, control groups, and an init that stands.
//!
//! Promises: what fails half-way leaves nothing; the reason is what the init or bubblewrap said. Leaves to others: which
//! rung (`ladder`), what is done with it (`standing`).

use super::cgroup::{Groups, Plan};
use super::identity;
use super::layout::{Layout, OWN, TEMPORARY, WORK};
use super::standing::Standing;
use super::state::Place;
use super::tree;
use super::wire::{self, Answer, Setup};
use crate::sandbox::{Limits, Rung, SandboxError};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an init may take to stand; a busy machine takes long.
const PATIENCE: Duration = Duration::from_secs(30);

/// First argument of our own program when it is to be an init.
pub const INIT: &str = "__sandbox-init";

/// What all sandboxes of a ladder have in common.
#[derive(Debug, Clone, Default)]
pub struct Recipe {
    /// Our own program.
    pub helper: PathBuf,
    /// Folders that may be read besides.
    pub readable: Vec<PathBuf>,
    /// Folders put first in `PATH`.
    pub search: Vec<PathBuf>,
}

/// Makes a sandbox on a rung.
pub fn make(recipe: &Recipe, rung: Rung, limits: &Limits) -> Result<Standing, SandboxError> {
    let unavailable = |why: String| SandboxError::Unavailable { rung, why };
    let layout = Layout::of_machine(&recipe.helper, &recipe.readable).map_err(unavailable)?;
    let place = Place::new()?;
    let groups_planned = Groups::planned(&place.name);
    let mut making = Making { place: Some(place), child: None, groups: Groups::default() };
    let made = making.stand(recipe, rung, limits, layout, &groups_planned);
    made.inspect_err(|_| making.undo())
}

/// What is there so far.
struct Making {
    place: Option<Place>,
    child: Option<Child>,
    groups: Groups,
}

impl Making {
    fn stand(
        &mut self,
        recipe: &Recipe,
        rung: Rung,
        limits: &Limits,
        layout: Layout,
        planned: &Plan,
    ) -> Result<Standing, SandboxError> {
        let unavailable = |why: String| SandboxError::Unavailable { rung, why };
        let system = |doing: &str| {
            let doing = doing.to_owned();
            move |source: io::Error| SandboxError::System { doing, source }
        };
        let Some(place) = &self.place else { return Err(unavailable("there is no folder".to_owned())) };
        if rung != Rung::Unsafe {
            place.note_groups(&planned.folders()).map_err(system("writing to the sandbox's folder"))?;
            self.groups = planned.make(limits);
        }
        let (host, theirs) = wire::pair().map_err(system("making a pair of sockets"))?;
        let mut command = command(rung, recipe, &layout).map_err(unavailable)?;
        // Not in the terminal's foreground group: an interrupt typed there is for us to act on. No variable of ours
        // is seen by anybody who gets to read those of the first process.
        command.env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::piped());
        let spawned = command.spawn();
        drop(command);
        let child = spawned.map_err(|error| unavailable(format!("starting its first process: {error}")))?;
        let process = child.id();
        let child = self.child.insert(child);
        place.note_process(process).map_err(system("writing to the sandbox's folder"))?;
        let user = identity::user(process).map_err(unavailable)?;
        let owner = user.dropped.then_some((user.uid, user.gid));
        let namespaces = matches!(rung, Rung::Bubblewrap | Rung::Namespaces);
        let (work, temporary) = if namespaces {
            (PathBuf::from(WORK), PathBuf::from(TEMPORARY))
        } else {
            folders(place, owner).map_err(system("making the work tree"))?
        };
        let setup = Setup {
            rung,
            user,
            limits: *limits,
            work: work.clone(),
            temporary,
            search: recipe.search.clone(),
            memory_bounded: self.groups.memory.is_some(),
            processes_bounded: self.groups.processes.is_some(),
            staging: (rung == Rung::Namespaces).then(|| place.path.clone()),
            layout,
        };
        if !namespaces && user.dropped {
            reachable(&setup).map_err(unavailable)?;
        }
        let entrances = self.groups.entrances().map_err(system("opening control groups"))?;
        let beside: Vec<_> = entrances.iter().map(AsFd::as_fd).collect();
        // Where this fails, the answer, or its absence, says more.
        let _ = wire::send(&host, &setup, &beside);
        let (ready, tree) = answer(&host, child).map_err(unavailable)?;
        let (Some(place), Some(child)) = (self.place.take(), self.child.take()) else {
            return Err(unavailable("it is gone".to_owned()));
        };
        let groups = std::mem::take(&mut self.groups);
        Ok(Standing::new(setup, &ready, host, tree, child, groups, place, owner))
    }

    /// Removes what there is.
    fn undo(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = self.groups.remove(Duration::from_secs(2));
        if let Some(place) = &self.place {
            let _ = place.remove();
        }
    }
}

/// The work tree and the folder for temporary files, where no file system is made for them.
fn folders(place: &Place, owner: tree::Owner) -> io::Result<(PathBuf, PathBuf)> {
    let make = |name: &str| -> io::Result<PathBuf> {
        // The real path: what the kernel says of files in it is compared with it.
        let path = place.path.canonicalize()?.join(name);
        std::fs::create_dir(&path)?;
        rustix::fs::chmod(&path, rustix::fs::Mode::RWXU)?;
        if let Some((uid, gid)) = owner {
            std::os::unix::fs::chown(&path, Some(uid), Some(gid))?;
        }
        Ok(path)
    };
    Ok((make("work")?, make("tmp")?))
}

/// What becomes an init.
fn command(rung: Rung, recipe: &Recipe, layout: &Layout) -> Result<Command, String> {
    if rung != Rung::Bubblewrap {
        let mut command = Command::new(&recipe.helper);
        command.arg(INIT);
        return Ok(command);
    }
    let mut command = Command::new(bubblewrap().ok_or("bubblewrap (`bwrap`) is not installed")?);
    let mut words: Vec<&str> = vec!["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"];
    words.push("--unshare-cgroup-try");
    if !identity::is_root() {
        words.push("--unshare-user");
    }
    // The init is the first process: then nobody inside can signal it, and its end is everybody's.
    words.extend(["--as-pid-1", "--hostname", "sandbox", "--cap-drop", "ALL"]);
    let needed = [
        "CAP_SYS_ADMIN",
        "CAP_SETUID",
        "CAP_SETGID",
        "CAP_SETPCAP",
        "CAP_KILL",
        "CAP_CHOWN",
        "CAP_FOWNER",
        "CAP_DAC_OVERRIDE",
        "CAP_SYS_PTRACE",
    ];
    for capability in needed {
        words.extend(["--cap-add", capability]);
    }
    command.args(words).args(layout.arguments());
    command.args([OsString::from("--"), OWN.into(), INIT.into()]);
    Ok(command)
}

/// Where bubblewrap is installed.
pub fn bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/bin", "/bin", "/usr/local/bin"].map(PathBuf::from);
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).chain(usual);
    folders
        .map(|folder| folder.join("bwrap"))
        .find(|file| file.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0))
}

/// Whether the user that programs run as gets to what it needs: else everything would fail, and nobody would know why.
fn reachable(setup: &Setup) -> Result<(), String> {
    let needed = setup.layout.readable.iter().chain([&setup.work, &setup.temporary]);
    for path in needed {
        if let Some(closed) = closed_above(path) {
            return Err(format!(
                "{} cannot be reached by the user that programs run as: {} is closed to others (mode 700); \
                 this needs a rung with mounts, or the folder elsewhere",
                crate::text::shown(path),
                crate::text::shown(closed)
            ));
        }
    }
    Ok(())
}

/// The first folder above a path that others may not pass through.
fn closed_above(path: &Path) -> Option<&Path> {
    let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
    above.reverse();
    above.into_iter().find(|folder| !folder.metadata().is_ok_and(|found| found.mode() & 0o001 != 0))
}

/// Waits for the init to say that it stands, or why not.
fn answer(host: &UnixStream, child: &mut Child) -> Result<(wire::Ready, OwnedFd), String> {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(format!("its first process said nothing for {} seconds", PATIENCE.as_secs()));
        }
        let ready = wire::wait(&[host.as_fd()], Some(left)).map_err(|error| error.to_string())?;
        if ready.first() == Some(&true) {
            break;
        }
    }
    match wire::receive::<Answer>(host) {
        Ok((Answer::Ready(ready), mut beside)) => {
            let tree = beside.pop().ok_or("its first process sent no work tree")?;
            Ok((ready, tree))
        }
        Ok((Answer::Failed(why), _)) => Err(why),
        Ok(_) => Err("its first process answered something else".to_owned()),
        Err(error) => {
            let said = last_words(child);
            Err(if said.is_empty() { format!("its first process ended: {error}") } else { said })
        }
    }
}

/// What a first process that has ended wrote to its standard error.
pub fn last_words(child: &mut Child) -> String {
    let _ = child.kill();
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(4096).read_to_end(&mut said);
    }
    crate::text::sanitise(String::from_utf8_lossy(&said).trim()).into_owned()
}
