//! The first process of a sandbox: our own program, started anew, between a host and what runs inside.
//!
//! Promises: it has one thread, holds no secret, and hears nobody but its host; when the host closes its end or dies,
//! everything inside is killed and it ends. Leaves to others: everything about the host's side (`make`, `execute`).

mod filters;
mod launch;
mod marks;
mod mounts;
mod namespaces;
mod read_only;
mod rules;
mod run;
mod supervise;

pub use rules::{SCOPED, generation};

use super::wire::{self, Answer, Ready, Setup};
use crate::sandbox::Rung;
use launch::Launcher;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Says what was being done when something failed.
trait Step<T> {
    fn step(self, doing: &str) -> Result<T, String>;
}

impl<T, E: std::fmt::Display> Step<T> for Result<T, E> {
    fn step(self, doing: &str) -> Result<T, String> {
        self.map_err(|error| format!("{doing}: {error}"))
    }
}

/// The device that holds nothing, opened; the process ends where there is none.
fn null() -> File {
    let opened = File::options().read(true).write(true).open("/dev/null");
    opened.unwrap_or_else(|_| std::process::exit(1))
}

/// Becomes the first process of a sandbox. Its standard input is the stream to its host.
pub fn serve() -> ! {
    forget_inheritance();
    let code = match control() {
        Ok(host) => match stand(&host) {
            Ok(launcher) => run::orders(&launcher, &host),
            Err(why) => {
                let _ = wire::send(&host, &Answer::Failed(why), &[]);
                1
            }
        },
        Err(_) => 1,
    };
    std::process::exit(code)
}

/// Closes what whoever started the host left open, and hears signals as usual again: both would reach what runs inside,
/// and with `SIGCHLD` ignored nobody's end would be heard.
fn forget_inheritance() {
    for number in 1..=64 {
        if !matches!(number, libc::SIGKILL | libc::SIGSTOP) {
            // SAFETY: the usual action of a signal; no function of ours is named.
            unsafe { libc::signal(number, libc::SIG_DFL) };
        }
    }
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|&descriptor| descriptor > 2) {
        // SAFETY: a process that has just begun owns no descriptor above the first three; the one that read the
        // folder is closed already.
        unsafe { libc::close(descriptor) };
    }
}

/// The stream to the host, out of reach of whatever is started.
fn control() -> std::io::Result<UnixStream> {
    let stream = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(null())?;
    Ok(UnixStream::from(stream))
}

/// Makes the sandbox and says that it stands.
fn stand(host: &UnixStream) -> Result<Launcher, String> {
    let (setup, groups): (Setup, Vec<OwnedFd>) = wire::receive(host).step("hearing what to make")?;
    // Other processes of the same user could otherwise read its memory through /proc. Not before the maps of a user
    // namespace are written: the files for that belong to root while this holds.
    let hide = || {
        let none = rustix::process::DumpableBehavior::NotDumpable;
        rustix::process::set_dumpable_behavior(none).step("hiding the first process")
    };
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let mut own = None;
    match setup.rung {
        Rung::Namespaces => {
            namespaces::enter(!setup.user.dropped)?;
            namespaces::die_with_parent();
            hide()?;
            let staging = setup.staging.as_ref().ok_or("there is no place for a root")?;
            mounts::root(&setup.layout, staging)?;
            mounts::finish(&setup)?;
        }
        Rung::Bubblewrap => {
            namespaces::die_with_parent();
            hide()?;
            mounts::finish(&setup)?;
        }
        _ => {
            hide()?;
            rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))
                .step("adopting orphans")?;
            own = Some(File::open(&setup.layout.own).step("opening our own program")?);
        }
    }
    let tree = super::tree::root(&setup.work).step("opening the work tree")?;
    let generation = match setup.rung {
        Rung::Unsafe => 0,
        _ => generation(),
    };
    let ready = Ready { landlock: generation, scoped: generation >= SCOPED };
    wire::send(host, &Answer::Ready(ready), &[tree.as_fd()]).step("answering")?;
    Ok(Launcher { setup, groups, tree, own })
}
