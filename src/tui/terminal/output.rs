//! Bytes to the terminal, and its size.
//!
//! Promises: standard output is written without the library's buffer and lock, so that a panic hook can write
//! whatever thread holds what; a terminal that takes its time is waited for, one that is gone is an error.
//! Leaves to others: what is written.

use ratatui::layout::Size;
use rustix::io::Errno;
use rustix::stdio;
use std::io;
use std::thread;
use std::time::Duration;

/// How often a terminal that takes nothing is tried again, a millisecond apart.
const PATIENCE: u32 = 10_000;

/// Size where the terminal does not tell it: the one every program can count on.
const FALLBACK: Size = Size { width: 80, height: 24 };

/// Writes all of `bytes` to standard output.
pub(super) fn write(mut bytes: &[u8]) -> io::Result<()> {
    let mut refused = 0;
    while !bytes.is_empty() {
        match rustix::io::write(stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                refused = 0;
            }
            Err(Errno::INTR) => {}
            // Another program made the terminal non-blocking: it is shared with everyone who has it open.
            Err(Errno::AGAIN) if refused < PATIENCE => {
                refused += 1;
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Columns and rows of the terminal.
pub(super) fn size() -> Size {
    match rustix::termios::tcgetwinsize(stdio::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Size { width: size.ws_col, height: size.ws_row },
        _ => FALLBACK,
    }
}

/// Whether standard output is a terminal, and still there.
pub(super) fn is_terminal() -> bool {
    rustix::termios::isatty(stdio::stdout())
}
