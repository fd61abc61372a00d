//! A program on a pseudo-terminal, with an emulator at its end.
//!
//! Promises: nothing sleeps; everything waits for output, with a deadline; a program does not outlive the test that
//! started it.

#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest wait for anything, for machines that are busy.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The question for the colour of the terminal's background.
const QUESTION: &str = "\x1b]11;?";

/// A program on a terminal.
pub struct Session {
    pub master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    emulator: vt100::Parser,
    raw: Vec<u8>,
    /// What the terminal says when it is asked for its background.
    answer: Option<String>,
}

type Spawned = (Box<dyn MasterPty + Send>, Box<dyn Child + Send + Sync>);

/// Closes the terminal of a program as soon as it has written `text`, and gives its exit code.
pub fn closed_after(command: CommandBuilder, size: (u16, u16), text: &'static str) -> u32 {
    let (master, mut child) = spawn(command, size);
    let mut killer = child.clone_killer();
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        let mut reader = master.try_clone_reader().unwrap();
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains(text) {
            let Ok(count @ 1..) = reader.read(&mut buffer) else { return };
            seen.extend_from_slice(&buffer[..count]);
        }
        drop((master, reader));
        let _ = sender.send(child.wait().unwrap().exit_code());
    });
    let code = ended.recv_timeout(DEADLINE);
    let _ = killer.kill();
    code.unwrap_or_else(|error| panic!("`{text}` or the end did not come: {error}"))
}

fn spawn(command: CommandBuilder, (rows, cols): (u16, u16)) -> Spawned {
    let pair = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    (pair.master, pair.slave.spawn_command(command).unwrap())
}

/// The text on a screen, without the blanks at the ends of its lines: a blank that was written and a cell that was
/// never written look the same.
pub fn text(screen: &vt100::Screen) -> String {
    screen.contents().lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn number(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

impl Session {
    /// Starts a program on a terminal of this many rows and columns.
    pub fn open(command: CommandBuilder, size: (u16, u16)) -> Session {
        let (master, child) = spawn(command, size);
        let mut reader = master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keyboard = master.take_writer().unwrap();
        let emulator = vt100::Parser::new(number(size.0), number(size.1), 0);
        Session { master, keyboard, child, output, emulator, raw: Vec::new(), answer: None }
    }

    /// Makes the terminal answer the question for its background.
    pub fn answering(mut self, answer: &str) -> Session {
        self.answer = Some(answer.to_owned());
        self
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.emulator.screen()
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        text(self.screen())
    }

    /// Everything that was written so far.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    pub fn process(&self) -> i32 {
        i32::try_from(self.child.process_id().unwrap()).unwrap()
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: kill has no memory to get wrong; the process is our child and not yet waited for.
        assert_eq!(unsafe { libc::kill(self.process(), signal) }, 0);
    }

    pub fn resize(&mut self, (rows, cols): (u16, u16)) {
        self.emulator.screen_mut().set_size(number(rows), number(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    fn take(&mut self, bytes: &[u8]) {
        let asked = |raw: &[u8]| String::from_utf8_lossy(raw).matches(QUESTION).count();
        let before = self.answer.is_some().then(|| asked(&self.raw));
        self.emulator.process(bytes);
        self.raw.extend_from_slice(bytes);
        if let (Some(answer), Some(before)) = (self.answer.clone(), before)
            && asked(&self.raw) > before
        {
            self.press(&answer);
        }
    }

    /// Whether a frame has begun and is not yet whole: a terminal would not show it.
    fn in_frame(&self) -> bool {
        let last = |sequence: &[u8]| self.raw.windows(sequence.len()).rposition(|bytes| bytes == sequence);
        last(b"\x1b[?2026h") > last(b"\x1b[?2026l")
    }

    /// Reads until `condition` holds between two frames.
    fn read_until(&mut self, what: &str, condition: impl Fn(&Session) -> bool) {
        let end = Instant::now() + DEADLINE;
        while self.in_frame() || !condition(self) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(error) => panic!("{what} did not come ({error}); the screen:\n{}", self.text()),
            }
        }
    }

    /// Reads until `condition` holds on the screen.
    pub fn until(&mut self, what: &str, condition: impl Fn(&vt100::Screen) -> bool) {
        self.read_until(what, |session| condition(session.screen()));
    }

    /// Waits for a text on the screen.
    pub fn wait(&mut self, wanted: &str) {
        self.until(wanted, |screen| screen.contents().contains(wanted));
    }

    /// Waits for the text on the second screen, or on the first.
    pub fn wait_on(&mut self, second: bool, wanted: &str) {
        self.until(wanted, |screen| {
            screen.alternate_screen() == second && screen.contents().contains(wanted)
        });
    }

    /// Waits for something among all that was written.
    pub fn wait_raw(&mut self, text: &str) {
        self.read_until(text, |session| session.raw().contains(text));
    }

    /// Follows what is written up to a moment, as somebody who looks on.
    pub fn watch_until(&mut self, moment: Instant) {
        while let Ok(bytes) = self.output.recv_timeout(moment.saturating_duration_since(Instant::now())) {
            self.take(&bytes);
        }
    }

    /// Whether a text comes on the screen within this time.
    pub fn sees(&mut self, wanted: &str, within: Duration) -> bool {
        let end = Instant::now() + within;
        while self.in_frame() || !self.text().contains(wanted) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => return false,
            }
        }
        true
    }

    /// Follows everything that was written before the program ended or was killed.
    pub fn watch_to_the_end(&mut self) {
        loop {
            match self.output.recv_timeout(DEADLINE) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => panic!("did not end; the screen:\n{}", self.text()),
            }
        }
    }

    /// Waits for the end and gives the exit code.
    pub fn end(&mut self) -> u32 {
        self.watch_to_the_end();
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < end, "closed its terminal and did not end");
            std::thread::yield_now();
        }
    }

    /// Waits until the program was stopped, as a shell does.
    pub fn wait_stopped(&self) {
        let process = self.process();
        let (sender, stopped) = channel();
        std::thread::spawn(move || {
            let mut status = 0;
            // SAFETY: the status is a valid place to write to for the length of the call.
            let found = unsafe { libc::waitpid(process, &raw mut status, libc::WUNTRACED) };
            let _ = sender.send(found == process && libc::WIFSTOPPED(status));
        });
        assert_eq!(stopped.recv_timeout(DEADLINE), Ok(true), "was not stopped");
    }

    /// Whether the terminal takes keys one by one and does not show them.
    pub fn is_raw(&self) -> bool {
        let fd = self.master.as_raw_fd().unwrap();
        // SAFETY: the master is open as long as `self` lives.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        let modes = rustix::termios::tcgetattr(fd).unwrap().local_modes;
        !modes.intersects(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO)
    }

    /// The terminal is as it was: first screen, cursor, no special modes.
    pub fn assert_restored(&self) {
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "still on the second screen");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert!(!screen.bracketed_paste(), "still marks pasted text");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert_eq!((screen.fgcolor(), screen.bold()), (vt100::Color::Default, false));
        assert!(!self.is_raw(), "keys are still read one by one");
        let times = |sequence: &str| self.raw().matches(sequence).count();
        for mode in ["?1049", "?25", "?2004", "?1004", "?1000", "?1002", "?1006", "?2026"] {
            let (on, off) = (times(&format!("\x1b[{mode}h")), times(&format!("\x1b[{mode}l")));
            match mode {
                // Ended once more at each way out, in case a frame was cut short.
                "?2026" => assert!(off > on, "{mode}"),
                // The cursor is shown again whenever the screen is left, and hidden whenever it is entered.
                _ => assert_eq!(on, off, "{mode}"),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
