//! What comes in: keys, pasted text, the mouse, sizes, signals.
//!
//! Promises: keys are presses and repeats, never releases;
//! while [`Events::pause`]d nothing reads the terminal, so that a program it was lent to gets every key.
//! Leaves to others: what keys mean.

use super::signals::{Request, Signals, StopSignal};
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use futures::StreamExt;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;

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
    /// Someone asks mendbench to end.
    Stop(StopSignal),
    /// Someone asks mendbench to suspend itself: [`Terminal::suspend`](super::Terminal::suspend).
    Suspend,
    /// mendbench was resumed after it was stopped by force: [`Terminal::come_back`](super::Terminal::come_back).
    Continued,
}

/// The source of all input. Needs a tokio runtime with I/O.
#[derive(Debug)]
pub struct Events {
    stream: Option<EventStream>,
    signals: Signals,
    late_reply: LateReply,
}

impl Events {
    /// Starts to listen. To be called after the terminal was asked what it had to be asked.
    pub fn new() -> io::Result<Events> {
        Ok(Events {
            stream: Some(EventStream::new()),
            signals: Signals::listen()?,
            late_reply: LateReply::default(),
        })
    }

    /// The next input. An error means that the terminal cannot be read any more.
    pub async fn next(&mut self) -> io::Result<Input> {
        loop {
            let Some(stream) = self.stream.as_mut() else {
                return Ok(request(self.signals.next().await));
            };
            let event = tokio::select! {
                biased;
                asked = self.signals.next() => return Ok(request(asked)),
                event = stream.next() => event,
            };
            let event = event.ok_or(io::ErrorKind::UnexpectedEof)??;
            if let Some(input) = self.input(event) {
                return Ok(input);
            }
        }
    }

    /// The next input that is there already: to take in all of a burst before drawing.
    ///
    /// The stream is asked with the waker of this task: one that was asked with another keeps that one, and
    /// would not wake anybody later.
    pub async fn ready(&mut self) -> Option<io::Result<Input>> {
        at_once(self.next()).await
    }

    fn input(&mut self, event: Event) -> Option<Input> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => None,
            Event::Key(key) if self.late_reply.takes(&key) => None,
            Event::Key(key) => Some(Input::Key(key)),
            Event::Paste(text) => Some(Input::Paste(text)),
            Event::Mouse(event) => Some(Input::Mouse(event)),
            Event::FocusGained => Some(Input::Focus(true)),
            Event::FocusLost => Some(Input::Focus(false)),
            Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        }
    }

    /// Stops reading the terminal. Dropping the stream is the only way: one that is not polled still reads.
    pub(super) fn pause(&mut self) {
        self.stream = None;
    }

    /// Reads again.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        self.signals.forget_keyboard()?;
        if self.stream.is_none() {
            self.stream = Some(EventStream::new());
        }
        Ok(())
    }

    pub(super) async fn stop_process_group(&mut self) -> io::Result<()> {
        self.signals.stop_process_group().await
    }
}

/// What a future gives when it is asked once.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

fn request(request: Request) -> Input {
    match request {
        Request::Stop(signal) => Input::Stop(signal),
        Request::Suspend => Input::Suspend,
        Request::Continued => Input::Continued,
    }
}

/// Swallows an answer to a question about colours that came too late, and looks like keys: `Alt-]`, digits and
/// letters, and at the end `Ctrl-G` or `Alt-\`.
#[derive(Debug, Default)]
struct LateReply {
    /// Keys taken so far; 0: none is under way.
    taken: usize,
}

/// Keys of the longest answer.
const LONGEST_REPLY: usize = 40;

impl LateReply {
    fn takes(&mut self, key: &KeyEvent) -> bool {
        let alt = key.modifiers == KeyModifiers::ALT;
        if self.taken == 0 {
            if alt && key.code == KeyCode::Char(']') {
                self.taken = 1;
                return true;
            }
            return false;
        }
        let ends = (alt && key.code == KeyCode::Char('\\'))
            || (key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('g'));
        let belongs = match key.code {
            KeyCode::Char(character) => {
                key.modifiers.is_empty()
                    && matches!(character, '0'..='9' | 'a'..='z' | 'A'..='F' | ';' | ':' | '/')
            }
            _ => false,
        };
        if ends {
            self.taken = 0;
            return true;
        }
        if belongs && self.taken < LONGEST_REPLY {
            self.taken += 1;
            return true;
        }
        self.taken = 0;
        false
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn key(character: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(character), modifiers)
    }

    #[test]
    fn late_answers_are_swallowed_and_keys_are_not() {
        for end in [key('g', KeyModifiers::CONTROL), key('\\', KeyModifiers::ALT)] {
            let mut reply = LateReply::default();
            assert!(reply.takes(&key(']', KeyModifiers::ALT)));
            assert!("11;rgb:1e1e/1e1e/1e1e".chars().all(|c| reply.takes(&key(c, KeyModifiers::NONE))));
            assert!(reply.takes(&end));
            assert!(!reply.takes(&key('j', KeyModifiers::NONE)));
        }
        let mut reply = LateReply::default();
        assert!(!reply.takes(&key(']', KeyModifiers::NONE)), "a plain bracket is a key");
        assert!(reply.takes(&key(']', KeyModifiers::ALT)));
        assert!(!reply.takes(&KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)), "another key ends the wait");
        assert!(!reply.takes(&key('j', KeyModifiers::NONE)));
    }

    #[test]
    fn a_person_pressing_that_key_loses_little() {
        let mut reply = LateReply::default();
        assert!(reply.takes(&key(']', KeyModifiers::ALT)));
        let lost =
            std::iter::repeat_n(key('j', KeyModifiers::NONE), 100).filter(|key| reply.takes(key)).count();
        assert!(lost < LONGEST_REPLY);
    }
}
