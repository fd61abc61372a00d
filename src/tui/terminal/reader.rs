//! The thread that reads the keyboard.
//!
//! Promises: it sleeps until bytes come; when it was dropped nothing reads the terminal any more, at once and for
//! sure, so that another program gets every key; a terminal that is gone ends it.
//! Leaves to others: what the bytes mean (`parse`).
//!
//! Why not the event stream of crossterm: it reads on until it is woken, forgets a key that comes together with a
//! wake-up or a change of size, and spins when the terminal is closed.

use super::parse::Parser;
use crossterm::event::Event;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use tokio::sync::mpsc::UnboundedSender;

/// How long the rest of a sequence is waited for before Escape is Escape, in milliseconds.
const ESCAPE_PATIENCE: i32 = 25;

/// Reads the keyboard as long as it lives.
#[derive(Debug)]
pub(super) struct Reader {
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts to read; `None` is sent once when the terminal is gone.
    pub fn start(events: UnboundedSender<Option<Event>>) -> io::Result<Reader> {
        let keyboard = keyboard()?;
        let (wake, woken) = UnixStream::pair()?;
        let run = move || {
            if read(keyboard, &woken, &events).is_err() {
                let _ = events.send(None);
            }
        };
        let thread = std::thread::Builder::new().name("keyboard".to_owned()).spawn(run)?;
        Ok(Reader { wake, thread: Some(thread) })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.wake.write_all(b"!");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Standard input where it is a terminal, else the terminal itself.
fn keyboard() -> io::Result<File> {
    let stdin = rustix::stdio::stdin();
    if rustix::termios::isatty(stdin) {
        let own: OwnedFd = stdin.try_clone_to_owned()?;
        return Ok(own.into());
    }
    File::open("/dev/tty")
}

/// Reads until it is woken; an error means that the terminal is gone.
fn read(mut keyboard: File, woken: &UnixStream, sender: &UnboundedSender<Option<Event>>) -> io::Result<()> {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let patience = if parser.is_waiting() { ESCAPE_PATIENCE } else { -1 };
        match wait(keyboard.as_raw_fd(), woken.as_raw_fd(), patience)? {
            Woken::Dropped => return Ok(()),
            Woken::Time => parser.give_up(&mut events),
            Woken::Keyboard => match keyboard.read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => parser.feed(&buffer[..count], &mut events),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            },
        }
        for event in events.drain(..) {
            if sender.send(Some(event)).is_err() {
                return Ok(());
            }
        }
    }
}

enum Woken {
    Dropped,
    Time,
    Keyboard,
}

/// Sleeps until there is something to read, or for `patience` milliseconds (-1: without end).
fn wait(keyboard: RawFd, woken: RawFd, patience: i32) -> io::Result<Woken> {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries = [entry(woken), entry(keyboard)];
    loop {
        // SAFETY: the pointer and the length are those of a live array of pollfd.
        let count = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, patience) };
        match count {
            0 => return Ok(Woken::Time),
            1.. if entries[0].revents != 0 => return Ok(Woken::Dropped),
            1.. => return Ok(Woken::Keyboard),
            _ => {
                let error = io::Error::last_os_error();
                if !is_passing(&error) {
                    return Err(error);
                }
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}
