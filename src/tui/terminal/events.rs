//! What comes in: keys, pasted text, the mouse, sizes, signals.
//!
//! Promises: keys are presses and repeats, never releases; several changes of size come as one; while
//! [`Events::pause`]d nothing reads the terminal, so that a program it was lent to gets every key; a terminal that is
//! gone comes as [`StopSignal::Hangup`], once.
//! Leaves to others: what keys mean.

use super::output;
use super::reader::Reader;
use super::signals::{Request, Signals, StopSignal};
use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};
use std::io;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Something that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The terminal has this many columns and rows now.
    Resize(u16, u16),
    /// The window got or lost the keyboard.
    Focus(bool),
    /// Someone asks mendbench to end, or the terminal is gone.
    Stop(StopSignal),
    /// Someone asks mendbench to suspend itself: [`Terminal::suspend`](super::Terminal::suspend).
    Suspend,
    /// mendbench was resumed after it was stopped by force: [`Terminal::come_back`](super::Terminal::come_back).
    Continued,
}

/// The source of all input. Needs a tokio runtime with I/O.
#[derive(Debug)]
pub struct Events {
    reader: Option<Reader>,
    sender: UnboundedSender<Option<Event>>,
    receiver: UnboundedReceiver<Option<Event>>,
    signals: Signals,
}

impl Events {
    /// Starts to listen. To be called after the terminal was asked what it had to be asked.
    pub fn new() -> io::Result<Events> {
        let (sender, receiver) = unbounded_channel();
        let reader = Some(Reader::start(sender.clone())?);
        Ok(Events { reader, sender, receiver, signals: Signals::listen()? })
    }

    /// The next input; nothing is lost where the future is dropped before it is done.
    pub async fn next(&mut self) -> Input {
        loop {
            tokio::select! {
                biased;
                request = self.signals.next() => return asked(request),
                event = self.receiver.recv() => {
                    if let Some(input) = event.and_then(input) {
                        return input;
                    }
                }
            }
        }
    }

    /// The next key, paste or movement of the mouse that is there already: to take in all of a burst before drawing.
    pub fn ready(&mut self) -> Option<Input> {
        loop {
            match self.receiver.try_recv() {
                Ok(event) => {
                    if let Some(input) = input(event) {
                        return Some(input);
                    }
                }
                Err(_) => return None,
            }
        }
    }

    /// Stops reading the terminal.
    pub(super) fn pause(&mut self) {
        self.reader = None;
    }

    /// Reads again. What was typed meanwhile and not read by anyone is dropped: it was not meant for mendbench.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        self.signals.forget_stops()?;
        if self.reader.is_none() {
            let _ = rustix::termios::tcflush(rustix::stdio::stdin(), rustix::termios::QueueSelector::IFlush);
            self.reader = Some(Reader::start(self.sender.clone())?);
        }
        Ok(())
    }

    pub(super) async fn stop_process_group(&mut self) -> io::Result<()> {
        self.signals.stop_process_group().await
    }
}

fn asked(request: Request) -> Input {
    match request {
        Request::Stop(signal) => Input::Stop(signal),
        Request::Suspend => Input::Suspend,
        // The system also resumes programs whose terminal was closed, so that they can end.
        Request::Continued if !output::is_terminal() => Input::Stop(StopSignal::Hangup),
        Request::Continued => Input::Continued,
        Request::Resized => {
            let size = output::size();
            Input::Resize(size.width, size.height)
        }
    }
}

fn input(event: Option<Event>) -> Option<Input> {
    match event {
        None => Some(Input::Stop(StopSignal::Hangup)),
        Some(Event::Key(key)) => (key.kind != KeyEventKind::Release).then_some(Input::Key(key)),
        Some(Event::Paste(text)) => Some(Input::Paste(text)),
        Some(Event::Mouse(event)) => Some(Input::Mouse(event)),
        Some(Event::FocusGained) => Some(Input::Focus(true)),
        Some(Event::FocusLost) => Some(Input::Focus(false)),
        Some(Event::Resize(columns, rows)) => Some(Input::Resize(columns, rows)),
    }
}
