//! The terminal: taken over, drawn on, lent to other programs, and always given back as it was.
//!
//! Promises: what was switched on is switched off again, once, in reverse order: at the end, on an error, on a
//! panic, on a signal, while suspended and while an editor runs; a frame is one write, and nothing is
//! written where nothing changed; waiting costs nothing.
//! Leaves to others: what is drawn and what keys mean. Imports nothing else of mendbench.

mod capabilities;
mod events;
mod guard;
mod handoff;
mod output;
mod parse;
mod reader;
mod screen;
mod signals;

pub use capabilities::{Background, ask_background, is_utf8};
pub use events::{Events, Input};
pub use guard::{TerminalError, install_panic_hook, restore, take_background_panics};
pub use handoff::{EditorError, editor_arguments, editor_from_environment, run_editor};
pub use signals::StopSignal;

use guard::Modes;
use ratatui::Frame;
use ratatui::layout::Size;
use screen::Screen;
use std::io;

/// Bytes that are sent to the clipboard at most: terminals drop longer ones without a word.
pub const CLIPBOARD_LIMIT: usize = 100_000;

/// How the terminal is to be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether clicks and the wheel come to mendbench; selecting text then needs Shift.
    pub mouse: bool,
    /// Whether to be told when the window gets or loses the keyboard.
    pub focus: bool,
}

/// The terminal, taken over. Dropping it gives it back.
#[derive(Debug)]
pub struct Terminal {
    inner: ratatui::Terminal<Screen>,
    options: Options,
}

impl Terminal {
    /// Takes the terminal over and sees to it that a panic gives it back.
    pub fn enter(options: Options) -> Result<Terminal, TerminalError> {
        guard::enter(modes(options))?;
        install_panic_hook();
        match ratatui::Terminal::new(Screen::on_standard_output()) {
            Ok(inner) => Ok(Terminal { inner, options }),
            Err(source) => {
                restore();
                Err(TerminalError::Setup { doing: "reading the size", source })
            }
        }
    }

    /// Draws a frame; only what differs from the frame before is written, in one piece.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let whole = |frame: &mut Frame<'_>| {
            render(frame);
            screen::blank_covered(frame.buffer_mut());
        };
        self.inner.draw(whole).map(|_| ())
    }

    /// Columns and rows.
    pub fn size(&self) -> Size {
        output::size()
    }

    /// Makes the next frame a whole one: for a screen that another program wrote on.
    pub fn redraw(&mut self) -> io::Result<()> {
        self.inner.backend_mut().forget();
        self.inner.clear()
    }

    /// Whether the mouse comes to mendbench.
    pub fn mouse(&self) -> bool {
        self.options.mouse
    }

    /// Gives the mouse to mendbench or back to the terminal.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.options.mouse = on;
        guard::set_mouse(on)
    }

    /// Asks the terminal to put `text` on the clipboard (OSC 52), which also works over SSH. `false` where it is
    /// too long; whether the terminal did it, it does not say.
    pub fn copy(&mut self, text: &str) -> io::Result<bool> {
        use base64::Engine;
        if text.len() > CLIPBOARD_LIMIT {
            return Ok(false);
        }
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        output::write(format!("\x1b]52;c;{encoded}\x07").as_bytes())?;
        Ok(true)
    }

    /// Gives the terminal back. What is dropped later does nothing more.
    pub fn leave(&mut self) {
        restore();
    }

    /// Stops mendbench as Ctrl-Z stops other programs, and comes back with the same screen when it is resumed.
    pub async fn suspend(&mut self, events: &mut Events) -> Result<(), TerminalError> {
        events.pause();
        restore();
        let stopped = events.stop_process_group().await;
        self.come_back(events)?;
        stopped.map_err(|source| TerminalError::Setup { doing: "stopping the process group", source })
    }

    /// Lends the terminal to `run`, usually a program that is waited for, and takes it back.
    pub fn released<T>(&mut self, events: &mut Events, run: impl FnOnce() -> T) -> Result<T, TerminalError> {
        events.pause();
        restore();
        let result = handoff::as_a_shell_waits(run);
        self.come_back(events)?;
        Ok(result)
    }

    /// Takes the terminal again after it was given back, or after someone stopped and resumed mendbench from
    /// outside ([`Input::Continued`]).
    pub fn come_back(&mut self, events: &mut Events) -> Result<(), TerminalError> {
        restore();
        events.resume().map_err(|source| TerminalError::Setup { doing: "listening to signals", source })?;
        guard::enter(modes(self.options))?;
        self.redraw().map_err(|source| TerminalError::Setup { doing: "clearing the screen", source })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn modes(options: Options) -> Modes {
    let mut modes = Modes::BASE;
    if options.mouse {
        modes = modes.with(Modes::MOUSE);
    }
    if options.focus {
        modes = modes.with(Modes::FOCUS);
    }
    modes
}
