//! Modes of the terminal: switched on together, switched off in reverse, exactly once.
//!
//! Promises: [`restore`] can be called from anywhere at any time, as often as one likes; a panic of the thread
//! that draws restores before its message is printed; a panic of another thread leaves the screen alone
//! and keeps its message.
//! Leaves to others: signals (`signals`), other programs (`handoff`).

use super::output;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::ThreadId;
use thiserror::Error;

/// The terminal cannot be used.
#[derive(Debug, Error)]
pub enum TerminalError {
    /// Standard output goes elsewhere.
    #[error(
        "standard output is not a terminal, so the workbench cannot be shown; \
         run mendbench in a terminal, or use a command such as `mendbench tasks list`"
    )]
    NotATerminal,
    /// The terminal refused.
    #[error(
        "the terminal cannot be set up ({doing}): {source}; try another terminal, or a command such as `mendbench tasks list`"
    )]
    Setup {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// A set of terminal modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modes(u8);

impl Modes {
    const RAW: u8 = 1;
    const SCREEN: Modes = Modes(2);
    const CURSOR: Modes = Modes(4);
    const PASTE: Modes = Modes(8);
    /// Reports of the window's focus.
    pub const FOCUS: Modes = Modes(16);
    /// Reports of the mouse.
    pub const MOUSE: Modes = Modes(32);
    /// What is always wanted.
    pub const BASE: Modes = Modes(Modes::RAW | Modes::SCREEN.0 | Modes::CURSOR.0 | Modes::PASTE.0);

    /// This set and another.
    pub const fn with(self, other: Modes) -> Modes {
        Modes(self.0 | other.0)
    }

    fn has(self, other: Modes) -> bool {
        self.0 & other.0 != 0
    }
}

/// Modes, how they are switched on, and off; in the order of switching on.
const SEQUENCES: [(Modes, &str, &str); 5] = [
    (Modes::SCREEN, "\x1b[?1049h", "\x1b[?1049l"),
    (Modes::CURSOR, "\x1b[?25l", "\x1b[?25h"),
    (Modes::PASTE, "\x1b[?2004h", "\x1b[?2004l"),
    (Modes::FOCUS, "\x1b[?1004h", "\x1b[?1004l"),
    // Buttons, dragging and the wheel; not every movement, which would wake mendbench for nothing.
    (Modes::MOUSE, "\x1b[?1000h\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l\x1b[?1000l"),
];

/// What is on.
static ON: AtomicU8 = AtomicU8::new(0);

/// The thread that draws.
static DRAWING: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Messages of panics on other threads.
static PANICS: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// Messages kept of them.
const PANICS_KEPT: usize = 16;

/// Switches `modes` on.
pub(super) fn enter(modes: Modes) -> Result<(), TerminalError> {
    if !output::is_terminal() {
        return Err(TerminalError::NotATerminal);
    }
    *DRAWING.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current().id());
    crossterm::terminal::enable_raw_mode()
        .map_err(|source| TerminalError::Setup { doing: "reading keys as they are pressed", source })?;
    ON.fetch_or(Modes::RAW, Ordering::SeqCst);
    let mut on = String::new();
    SEQUENCES
        .iter()
        .filter(|(mode, _, _)| modes.has(*mode))
        .for_each(|(_, sequence, _)| on.push_str(sequence));
    // Noted before it is written: a failure halfway is undone as a whole.
    ON.fetch_or(modes.0, Ordering::SeqCst);
    output::write(on.as_bytes()).map_err(|source| {
        restore();
        TerminalError::Setup { doing: "switching to its second screen", source }
    })
}

/// Gives the terminal back as it was. Does nothing where it was not taken.
pub fn restore() {
    let on = Modes(ON.swap(0, Ordering::SeqCst));
    if on.0 == 0 {
        return;
    }
    // A frame may have been cut short: end it, and its colours.
    let mut off = String::from("\x1b[?2026l\x1b[m");
    for (mode, _, sequence) in SEQUENCES.iter().rev() {
        if on.has(*mode) {
            off.push_str(sequence);
        }
    }
    // A terminal that is gone needs no restoring.
    let _ = output::write(off.as_bytes());
    let _ = crossterm::terminal::disable_raw_mode();
}

/// Switches reports of the mouse on or off.
pub(super) fn set_mouse(on: bool) -> io::Result<()> {
    let mouse = SEQUENCES.iter().find(|(mode, _, _)| *mode == Modes::MOUSE);
    let Some((_, switch_on, switch_off)) = mouse else { return Ok(()) };
    if on {
        ON.fetch_or(Modes::MOUSE.0, Ordering::SeqCst);
        output::write(switch_on.as_bytes())
    } else {
        ON.fetch_and(!Modes::MOUSE.0, Ordering::SeqCst);
        output::write(switch_off.as_bytes())
    }
}

/// Makes panics give the terminal back before the hook that was installed so far prints its message. A second
/// call does nothing.
pub fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let drawing = DRAWING.try_lock().map_or(None, |drawing| *drawing);
            let taken = ON.load(Ordering::SeqCst) != 0;
            if taken && drawing.is_some_and(|drawing| drawing != std::thread::current().id()) {
                keep(info.to_string());
                return;
            }
            restore();
            earlier(info);
        }));
    });
}

fn keep(message: String) {
    if let Ok(mut panics) = PANICS.try_lock() {
        if panics.len() == PANICS_KEPT {
            panics.pop_front();
        }
        panics.push_back(message);
    }
}

/// The messages of panics on threads that do not draw, since the last call: to be shown, or printed at the end.
pub fn take_background_panics() -> Vec<String> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
}
