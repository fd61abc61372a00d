//! What an init does all its life: start a program, watch it, kill what is left of it, and again.
//!
//! Promises: nothing of one program is there when the next one starts; orphans are buried at once; limits of time and
//! of the supervisor are kept whatever the host does; when the host is gone, everything is killed. Leaves to others:
//! output, which goes straight to the host, and control groups (`execute`, `cgroup`).

use super::super::wire::{self, Answer, Ended, Order, Start, Swept};
use super::launch::{Launcher, NotStarted, Started};
use super::marks;
use super::read_only::has_mounts;
use super::supervise::{self, Supervisor};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Carries out orders until the host is gone; the exit code of the process.
pub fn orders(launcher: &Launcher, host: &UnixStream) -> i32 {
    let Ok(deaths) = deaths() else { return 1 };
    loop {
        let (order, mut beside) = match wire::receive::<Order>(host) {
            Ok(order) => order,
            Err(_) => break,
        };
        let Order::Start(start) = order else { continue };
        let (Some(err), Some(out)) = (beside.pop(), beside.pop()) else { break };
        let answer = match launcher.start(&start, out, err) {
            Ok(Started { child, frozen, asks }) => {
                let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
                let mut watch = Watch::new(launcher, &start, pid);
                watch.asks = asks;
                watch.writable = frozen.writable(&launcher.setup);
                let done = watch.whole(host, &deaths);
                frozen.thaw(&launcher.setup, &launcher.tree);
                match done {
                    Some(swept) => Answer::Swept(swept),
                    None => break,
                }
            }
            Err(NotStarted::Program(why)) => Answer::NotStarted(why),
            Err(NotStarted::Sandbox(why)) => Answer::Broken(why),
        };
        if wire::send(host, &answer, &[]).is_err() {
            break;
        }
    }
    // Whatever there still is, it goes with us.
    kill_and_bury(launcher);
    0
}

/// A descriptor that can be read when a child has died.
fn deaths() -> std::io::Result<OwnedFd> {
    // SAFETY: a set of signals is plain memory that `sigemptyset` fills; both calls get pointers to it that outlive
    // them. The descriptor is new and ours.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let descriptor = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if descriptor < 0 {
            Err(std::io::Error::last_os_error())
        } else {
            Ok(OwnedFd::from_raw_fd(descriptor))
        }
    }
}

/// The watch over one program.
struct Watch<'a> {
    launcher: &'a Launcher,
    main: Option<Pid>,
    began: Instant,
    deadline: Option<Instant>,
    supervisor: Supervisor,
    ended: Option<Ended>,
    timed_out: bool,
    peak: u64,
    /// Where the program asks for marks to be changed, and where that is allowed.
    asks: Option<OwnedFd>,
    writable: Vec<PathBuf>,
}

impl<'a> Watch<'a> {
    fn new(launcher: &'a Launcher, start: &Start, main: Option<Pid>) -> Watch<'a> {
        let began = Instant::now();
        Watch {
            launcher,
            main,
            began,
            deadline: began.checked_add(Duration::from_millis(start.limits.time_ms)),
            supervisor: Supervisor::new(&launcher.setup, &start.limits),
            ended: None,
            timed_out: false,
            peak: 0,
            asks: None,
            writable: Vec::new(),
        }
    }

    /// From the start to the sweep. `None`: the host is gone.
    fn whole(&mut self, host: &UnixStream, deaths: &OwnedFd) -> Option<Swept> {
        loop {
            let now = Instant::now();
            let until = |then: Option<Instant>| then.map(|then| then.saturating_duration_since(now));
            let deadline = if self.timed_out { None } else { until(self.deadline) };
            let look = until(self.supervisor.next_look());
            let at_most = [deadline, look].into_iter().flatten().min();
            let mut on = vec![host.as_fd(), deaths.as_fd()];
            on.extend(self.asks.as_ref().map(AsFd::as_fd));
            let ready = wire::wait(&on, at_most).ok()?;
            drop(on);
            if ready.get(2) == Some(&true)
                && let Some(asks) = &self.asks
                && marks::answer(asks, &self.writable).is_err()
            {
                // Interrupted, or nobody is left to ask; who is, waits for the next turn.
                self.asks = self.asks.take().filter(someone_asks);
            }
            if ready.get(1) == Some(&true) {
                let mut buffer = [0u8; 512];
                while rustix::io::read(deaths, &mut buffer).is_ok_and(|bytes| bytes > 0) {}
                self.bury(host)?;
            }
            if ready.first() == Some(&true) {
                match wire::receive::<Order>(host).ok()?.0 {
                    Order::Kill => kill(self.launcher),
                    Order::Sweep => return Some(self.sweep()),
                    Order::Start(_) => return None,
                }
            }
            if !self.timed_out && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.timed_out = true;
                kill(self.launcher);
            }
            if self.supervisor.look(self.launcher) {
                kill(self.launcher);
            }
        }
    }

    /// Takes note of the dead; tells the host when the program itself is among them.
    fn bury(&mut self, host: &UnixStream) -> Option<()> {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if Some(pid) != self.main || self.ended.is_some() {
                continue;
            }
            let ended = Ended {
                code: status.exit_status(),
                signal: status.terminating_signal(),
                seconds: self.began.elapsed().as_secs_f64(),
                timed_out: self.timed_out,
            };
            self.ended = Some(ended);
            // The time was for the program; what it left behind has the host's patience.
            self.deadline = None;
            wire::send(host, &Answer::Ended(ended), &[]).ok()?;
        }
        Some(())
    }

    /// Kills what is left, counts it, and says what is known.
    fn sweep(&mut self) -> Swept {
        self.supervisor.look_at_disk(self.launcher);
        let lingered = kill_and_bury(self.launcher);
        self.peak = self.peak.max(largest_child());
        Swept {
            lingered,
            peak: self.supervisor.peak().max(self.peak),
            out_of_memory: self.supervisor.out_of_memory(),
            disk_full: self.supervisor.disk_full(),
            thinned: self.supervisor.thinned(),
        }
    }
}

/// Whether a program that asks is still there.
fn someone_asks(asks: &OwnedFd) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut polled = [PollFd::from_borrowed_fd(asks.as_fd(), PollFlags::IN)];
    match poll(&mut polled, Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => !polled.iter().any(|one| one.revents().contains(PollFlags::HUP)),
        Err(_) => true,
    }
}

/// Most memory of any one process so far, bytes.
fn largest_child() -> u64 {
    // SAFETY: a structure of integers that the call fills; zero is a valid value of each.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024)
}

/// Kills everything but the init. The dead are left for whoever counts them.
fn kill(launcher: &Launcher) {
    if has_mounts(launcher.setup.rung) && std::process::id() == 1 {
        // SAFETY: signals are sent; no memory is touched. In a process namespace of our own this reaches all others
        // at one moment, those that are just being started included.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    } else {
        supervise::kill_descendants(launcher.setup.user);
    }
}

/// Kills everything but the init and buries it; how many had to be killed.
fn kill_and_bury(launcher: &Launcher) -> usize {
    let mut killed = 0;
    let mut count = |status: WaitStatus| {
        killed += usize::from(status.terminating_signal() == Some(Signal::KILL.as_raw()));
    };
    // Who has died already was not killed by us now.
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
    loop {
        kill(launcher);
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((_, status))) => count(status),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return killed,
        }
        while let Ok(Some((_, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            count(status);
        }
    }
}
