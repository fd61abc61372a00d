//! Signals as messages.
//!
//! Promises: none of the signals that end or stop a program catches mendbench with the terminal in its hands.
//! Leaves to others: ending (the main loop gets [`StopSignal`]), giving the terminal back (`guard`).

use std::fmt;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that asks mendbench to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopSignal {
    /// The terminal is gone.
    Hangup,
    /// Ctrl-C, sent from outside.
    Interrupt,
    /// Ctrl-\.
    Quit,
    /// The polite way to end a program.
    Terminate,
}

impl StopSignal {
    /// The signal's number.
    pub const fn number(self) -> i32 {
        match self {
            StopSignal::Hangup => libc::SIGHUP,
            StopSignal::Interrupt => libc::SIGINT,
            StopSignal::Quit => libc::SIGQUIT,
            StopSignal::Terminate => libc::SIGTERM,
        }
    }

    /// The exit code that shells expect of a program ended by it.
    pub const fn exit_code(self) -> u8 {
        (128 + self.number()) as u8
    }
}

impl fmt::Display for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopSignal::Hangup => "SIGHUP",
            StopSignal::Interrupt => "SIGINT",
            StopSignal::Quit => "SIGQUIT",
            StopSignal::Terminate => "SIGTERM",
        })
    }
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Stop(StopSignal),
    Suspend,
    Continued,
    Resized,
}

/// The signals that are listened to.
#[derive(Debug)]
pub(super) struct Signals {
    hangup: Signal,
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    suspend: Signal,
    continued: Signal,
    resized: Signal,
}

impl Signals {
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            suspend: signal(SignalKind::from_raw(libc::SIGTSTP))?,
            continued: signal(SignalKind::from_raw(libc::SIGCONT))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    pub async fn next(&mut self) -> Request {
        tokio::select! {
            biased;
            _ = self.hangup.recv() => Request::Stop(StopSignal::Hangup),
            _ = self.terminate.recv() => Request::Stop(StopSignal::Terminate),
            _ = self.interrupt.recv() => Request::Stop(StopSignal::Interrupt),
            _ = self.quit.recv() => Request::Stop(StopSignal::Quit),
            _ = self.suspend.recv() => Request::Suspend,
            _ = self.continued.recv() => Request::Continued,
            _ = self.resized.recv() => Request::Resized,
        }
    }

    /// Forgets that mendbench was stopped and resumed while another program had the terminal.
    pub fn forget_stops(&mut self) -> io::Result<()> {
        self.suspend = signal(SignalKind::from_raw(libc::SIGTSTP))?;
        self.continued = signal(SignalKind::from_raw(libc::SIGCONT))?;
        Ok(())
    }

    /// Stops the process group, as the terminal does at Ctrl-Z, and waits until it is resumed.
    pub async fn stop_process_group(&mut self) -> io::Result<()> {
        self.continued = signal(SignalKind::from_raw(libc::SIGCONT))?;
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
        // The other threads may run on for an instant; the way back must not be taken before.
        self.continued.recv().await;
        Ok(())
    }
}
