//! One execution, seen from the host.
//!
//! Promises: both outputs are read all the time and kept within their bound; the answer comes when the program and its
//! output have ended, or two seconds after the program; what is left is killed first; the exit is the gravest thing that
//! happened. Leaves to others: starting and killing (`init`).

use super::standing::{Standing, checked};
use super::wire::{self, Answer, Ended, Order, Start, Swept};
use crate::sandbox::{Capture, ExecReport, ExecRequest, Exit, OutputSink, SandboxError, Stream};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long output may stay open after the program has ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much longer than its time a program is waited for: the init keeps the time.
const GRACE: Duration = Duration::from_secs(20);

/// How often control groups are looked at.
const OFTEN: Duration = Duration::from_millis(100);

/// Carries out a request.
pub(super) fn execute(
    standing: &mut Standing,
    request: &ExecRequest,
    sink: &mut dyn OutputSink,
) -> Result<ExecReport, SandboxError> {
    if !request.folder.is_empty() {
        checked(&request.folder)?;
    }
    request.read_only.iter().try_for_each(|path| checked(path))?;
    let limits = request.limits.min(standing.setup.limits);
    let mut running = Running {
        captures: [Capture::new(limits.output), Capture::new(limits.output)],
        pipes: [None, None],
        total: 0,
        most: limits.output_total,
        over: false,
        ended: None,
        swept: None,
        swept_asked: false,
        refused: None,
        out_of_memory: false,
        kills_before: standing.groups.kills(),
        began: Instant::now(),
    };
    if standing.broken.is_none() && !standing.killed.load(Ordering::SeqCst) {
        let start = Start {
            program: request.program.clone(),
            environment: request.environment.clone(),
            folder: request.folder.clone(),
            read_only: request.read_only.clone(),
            limits,
        };
        if let Err(error) = running.run(standing, &start, sink) {
            standing.broken = Some(explain(standing, &error));
        }
    }
    Ok(running.report(standing))
}

/// Why an init does not answer.
fn explain(standing: &mut Standing, error: &io::Error) -> String {
    if standing.killed.load(Ordering::SeqCst) {
        return "it was killed".to_owned();
    }
    let said = standing.last_words();
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "its first process was killed from outside".to_owned(),
        _ => error.to_string(),
    };
    if said.is_empty() { what } else { format!("{what}: {said}") }
}

struct Running {
    captures: [Capture; 2],
    pipes: [Option<OwnedFd>; 2],
    total: u64,
    most: u64,
    over: bool,
    ended: Option<Ended>,
    swept: Option<Swept>,
    swept_asked: bool,
    refused: Option<Exit>,
    out_of_memory: bool,
    kills_before: u64,
    began: Instant,
}

impl Running {
    fn run(&mut self, standing: &Standing, start: &Start, sink: &mut dyn OutputSink) -> io::Result<()> {
        match standing.groups.set(&start.limits) {
            // What the group holds already is more than that.
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                self.refused = Some(Exit::OutOfMemory);
                return Ok(());
            }
            other => other?,
        }
        standing.groups.forget_peak();
        {
            let (out, their_out) = pipe()?;
            let (err, their_err) = pipe()?;
            self.pipes = [Some(out), Some(err)];
            if standing.setup.user.dropped {
                // By way of /dev/stdout a program opens them anew, and then their owner counts.
                let user = standing.setup.user;
                let (uid, gid) = (rustix::fs::Uid::from_raw(user.uid), rustix::fs::Gid::from_raw(user.gid));
                rustix::fs::fchown(&their_out, Some(uid), Some(gid))?;
                rustix::fs::fchown(&their_err, Some(uid), Some(gid))?;
            }
            let order = Order::Start(start.clone());
            wire::send(&standing.host, &order, &[their_out.as_fd(), their_err.as_fd()])?;
        }
        let time = Duration::from_millis(start.limits.time_ms);
        let last = self.began.checked_add(time.saturating_add(GRACE));
        let mut sweep_at: Option<Instant> = None;
        let mut next_look = self.began + OFTEN;
        let mut buffer = vec![0u8; 64 << 10];
        while self.swept.is_none() && self.refused.is_none() {
            let now = Instant::now();
            let wake = [sweep_at, Some(next_look), last].into_iter().flatten().min();
            let ready = self.wait(standing, wake.map(|wake| wake.saturating_duration_since(now)))?;
            if ready[0] {
                self.hear(standing)?;
                if self.ended.is_some() && sweep_at.is_none() {
                    sweep_at = Some(Instant::now() + PATIENCE);
                }
            }
            for which in [0, 1] {
                if ready[which + 1] {
                    self.take(which, &mut buffer, sink)?;
                }
            }
            if !self.over && self.total > self.most {
                self.over = true;
                // Nobody reads on: whoever still writes is stopped by that already.
                self.pipes = [None, None];
                wire::send(&standing.host, &Order::Kill, &[])?;
            }
            let now = Instant::now();
            if now >= next_look {
                next_look = now + OFTEN;
                if !self.out_of_memory && standing.groups.kills() > self.kills_before {
                    self.out_of_memory = true;
                    wire::send(&standing.host, &Order::Kill, &[])?;
                }
            }
            let silent = self.pipes.iter().all(Option::is_none);
            if self.ended.is_some()
                && !self.swept_asked
                && (silent || self.over || sweep_at.is_some_and(|then| now >= then))
            {
                self.swept_asked = true;
                sweep_at = None;
                wire::send(&standing.host, &Order::Sweep, &[])?;
            }
            if self.swept_asked {
                sweep_at = None;
            }
            if last.is_some_and(|last| now >= last) {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "its first process does not keep the time",
                ));
            }
        }
        // Nobody is left to write: what is still in the pipes is all there is.
        for which in [0, 1] {
            while self.pipes[which].is_some() && self.take(which, &mut buffer, sink)? {}
        }
        Ok(())
    }

    /// Waits for the init and the pipes; which of the three can be read.
    fn wait(&self, standing: &Standing, at_most: Option<Duration>) -> io::Result<[bool; 3]> {
        let mut on: Vec<BorrowedFd<'_>> = vec![standing.host.as_fd()];
        let mut places = vec![0];
        for (index, pipe) in self.pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                on.push(pipe.as_fd());
                places.push(index + 1);
            }
        }
        let mut ready = [false; 3];
        for (place, is_ready) in places.into_iter().zip(wire::wait(&on, at_most)?) {
            ready[place] = is_ready;
        }
        Ok(ready)
    }

    /// Takes what the init says.
    fn hear(&mut self, standing: &Standing) -> io::Result<()> {
        match wire::receive::<Answer>(&standing.host)?.0 {
            Answer::Ended(ended) => self.ended = Some(ended),
            Answer::Swept(swept) => self.swept = Some(swept),
            Answer::NotStarted(why) => self.refused = Some(Exit::NotStarted(why)),
            Answer::Broken(why) | Answer::Failed(why) => self.refused = Some(Exit::Broken(why)),
            Answer::Ready(_) => {}
        }
        Ok(())
    }

    /// Takes some of one output; whether there was any.
    fn take(&mut self, which: usize, buffer: &mut [u8], sink: &mut dyn OutputSink) -> io::Result<bool> {
        let Some(pipe) = &self.pipes[which] else { return Ok(false) };
        match rustix::io::read(pipe, &mut *buffer) {
            Ok(0) => {
                self.pipes[which] = None;
                Ok(false)
            }
            Ok(bytes) => {
                let bytes = buffer.get(..bytes).unwrap_or_default();
                self.total += bytes.len() as u64;
                self.captures[which].push(bytes);
                let stream = if which == 0 { Stream::Stdout } else { Stream::Stderr };
                sink.output(stream, bytes);
                Ok(true)
            }
            Err(rustix::io::Errno::AGAIN) => Ok(false),
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Says how it went.
    fn report(mut self, standing: &mut Standing) -> ExecReport {
        let groups = &standing.groups;
        let killed_for_memory = self.out_of_memory || groups.kills() > self.kills_before;
        let swept = self.swept.unwrap_or_default();
        let started = self.ended.is_some();
        let peak = groups.peak().or((swept.peak > 0).then_some(swept.peak)).filter(|_| started);
        let exit = self.exit(standing, killed_for_memory, &swept);
        let [out, err] = self.captures;
        ExecReport {
            rung: standing.setup.rung,
            exit,
            seconds: self.ended.map_or_else(|| self.began.elapsed().as_secs_f64(), |ended| ended.seconds),
            peak_memory: peak,
            mechanisms: standing.mechanisms.clone(),
            lingered: swept.lingered,
            stdout: out.finish(),
            stderr: err.finish(),
        }
    }

    /// The gravest thing that happened.
    fn exit(&mut self, standing: &Standing, killed_for_memory: bool, swept: &Swept) -> Exit {
        if standing.killed.load(Ordering::SeqCst) && self.swept.is_none() {
            return Exit::Cancelled;
        }
        if let Some(why) = &standing.broken {
            return Exit::Broken(why.clone());
        }
        if let Some(refused) = self.refused.take() {
            return refused;
        }
        let Some(ended) = self.ended else { return Exit::Broken("it gave no answer".to_owned()) };
        if killed_for_memory || swept.out_of_memory {
            return Exit::OutOfMemory;
        }
        let too_large = ended.signal == Some(libc::SIGXFSZ);
        if (swept.disk_full || too_large) && ended.code != Some(0) {
            return Exit::DiskFull;
        }
        if ended.timed_out {
            return Exit::Timeout;
        }
        if self.over {
            return Exit::OutputLimit;
        }
        match (ended.signal, ended.code) {
            (Some(signal), _) => Exit::Signal(signal),
            (None, Some(code)) => Exit::Code(code),
            (None, None) => Exit::Broken("it ended in no known way".to_owned()),
        }
    }
}

/// A pipe of which our end does not wait.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((ours, theirs))
}
