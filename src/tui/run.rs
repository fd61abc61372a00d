//! The loop: what comes in becomes messages, what is asked for is carried out, what changed is drawn.
//!
//! Promises: all input that is there is taken in before a frame; no frame without a change; nothing is printed outside
//! of the screen while it is up. Leaves to others: the state (`app`), jobs (`runtime`), the terminal (`terminal`), how
//! many frames there are (`cadence`).

use super::app::{App, Setup};
use super::cadence::Cadence;
use super::keys::key_of;
use super::msg::{Cmd, Mouse, Msg, Said};
use super::runtime::Runtime;
use super::runtime::repair::MakeEngine;
use super::runtime::study::{MakeBench, not_kept};
use super::runtime::verify::MakeHarness;
use super::terminal::{
    Events, Input, Options, StopSignal, Terminal, TerminalError, editor_from_environment, run_editor,
    take_background_panics,
};
use crate::catalogue::Catalogue;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use std::collections::BinaryHeap;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What the workbench is started with.
pub struct Start {
    /// What the state starts with.
    pub setup: Setup,
    /// The tasks.
    pub catalogue: Arc<dyn Catalogue>,
    /// Makes what verifies them, when it is wanted first.
    pub harness: MakeHarness,
    /// Makes what repairs them, when it is wanted first.
    pub engine: MakeEngine,
    /// Opens the studies of the workspace, when they are wanted first.
    pub bench: MakeBench,
    /// Whether the mouse is captured from the start.
    pub mouse: bool,
}

/// Why the workbench ended badly.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The terminal cannot be used.
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    /// Reading from or writing to the terminal failed.
    #[error("the terminal is gone: {0}")]
    Lost(#[from] std::io::Error),
}

/// How the workbench ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code.
    pub code: u8,
    /// Messages of panics on worker threads, which had no screen to appear on.
    pub panics: Vec<String>,
    /// What was asked for before leaving and could not be kept.
    pub lost: Vec<String>,
}

/// Runs the workbench until it is left.
pub fn run(start: Start) -> Result<Ended, RunError> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut lost = Vec::new();
    let code = match tokio.block_on(session(start, &mut lost)) {
        Ok(code) => code,
        // A terminal that was closed is noticed by whoever touches it first, the reader or a frame.
        Err(RunError::Lost(_) | RunError::Terminal(TerminalError::Setup { .. }))
            if !std::io::stdout().is_terminal() =>
        {
            StopSignal::Hangup.exit_code()
        }
        Err(error) => return Err(error),
    };
    Ok(Ended { code, panics: take_background_panics(), lost })
}

/// Timers by the moment they run out, soonest first.
type Timers = BinaryHeap<std::cmp::Reverse<(Instant, u64)>>;

struct Session {
    app: App,
    terminal: Terminal,
    events: Events,
    sender: UnboundedSender<Msg>,
    timers: Timers,
    /// Something changed since the last frame.
    dirty: bool,
    leaving: Option<u8>,
    /// Dropped last: it waits for sandboxes to be cleaned up, and the terminal is given back before.
    runtime: Runtime,
}

async fn session(start: Start, lost: &mut Vec<String>) -> Result<u8, RunError> {
    let (sender, mut receiver) = unbounded_channel();
    let runtime = Runtime::new(start.catalogue, start.harness, start.engine, start.bench, sender.clone());
    // The list is read while the terminal is being set up.
    runtime.read_list();
    let terminal = Terminal::enter(Options { mouse: start.mouse, focus: false })?;
    let events = Events::new()?;
    let size = terminal.size();
    let app = App::new(start.setup, (size.width, size.height));
    let mut session =
        Session { app, terminal, events, sender, timers: Timers::new(), dirty: true, leaving: None, runtime };
    // A list that is there within a moment saves an empty first frame.
    if let Ok(Some(msg)) = tokio::time::timeout(Cadence::PATIENCE, receiver.recv()).await {
        session.take(msg).await?;
    }
    let result = session.run(&mut receiver).await;
    lost.extend(session.app.unsaved());
    // The terminal is given back, then what is on its way is finished.
    drop(session);
    // No screen shows what has come since.
    while let Ok(msg) = receiver.try_recv() {
        lost.extend(not_kept(&msg));
    }
    result
}

impl Session {
    async fn run(&mut self, receiver: &mut UnboundedReceiver<Msg>) -> Result<u8, RunError> {
        let mut cadence = Cadence::default();
        loop {
            // Everything that is there is taken in first.
            while let Some(input) = self.events.ready() {
                self.input(input).await?;
            }
            while let Ok(msg) = receiver.try_recv() {
                self.take(msg).await?;
            }
            if let Some(code) = self.leaving {
                return Ok(code);
            }
            let now = Instant::now();
            let due = cadence.due(now);
            if self.dirty && now >= due {
                self.terminal.draw(|frame| self.app.view(frame.buffer_mut()))?;
                self.dirty = false;
                cadence.drawn(Instant::now());
                continue;
            }
            let timer = self.timers.peek().map(|timer| timer.0.0);
            let wake = match (self.dirty, timer) {
                (true, Some(timer)) => Some(timer.min(due)),
                (true, None) => Some(due),
                (false, timer) => timer,
            };
            tokio::select! {
                biased;
                input = self.events.next() => self.input(input).await?,
                msg = receiver.recv() => match msg {
                    Some(msg) => self.take(msg).await?,
                    None => return Ok(0),
                },
                () = sleep_until(wake), if wake.is_some() => {}
            }
            let now = Instant::now();
            while self.timers.peek().is_some_and(|timer| timer.0.0 <= now) {
                if let Some(timer) = self.timers.pop() {
                    self.take(Msg::Timer(timer.0.1)).await?;
                }
            }
        }
    }

    async fn input(&mut self, input: Input) -> Result<(), RunError> {
        let msg = match input {
            Input::Key(event) => match key_of(&event) {
                Some(key) => Msg::Key(key),
                None => return Ok(()),
            },
            Input::Paste(text) => Msg::Paste(text),
            Input::Resize(columns, rows) => Msg::Resize(columns, rows),
            Input::Mouse(event) => match mouse(event) {
                Some(mouse) => Msg::Mouse(mouse),
                None => return Ok(()),
            },
            Input::Focus(_) => return Ok(()),
            Input::Suspend => {
                self.terminal.suspend(&mut self.events).await?;
                Msg::Resumed
            }
            Input::Continued => {
                self.terminal.come_back(&mut self.events)?;
                Msg::Resumed
            }
            Input::Stop(signal) => {
                self.leaving = Some(signal.exit_code());
                return Ok(());
            }
        };
        self.take(msg).await
    }

    /// Gives a message to the state and carries out what it asks for.
    async fn take(&mut self, msg: Msg) -> Result<(), RunError> {
        if matches!(msg, Msg::Resumed) {
            let size = self.terminal.size();
            self.app.update(Msg::Resize(size.width, size.height));
        }
        self.dirty = true;
        for command in self.app.update(msg) {
            match command {
                Cmd::Start { slot, ticket, job } => self.runtime.start(slot, ticket, job),
                Cmd::Verify { ticket, job } => self.runtime.verify(ticket, job),
                Cmd::Repair { ticket, ask } => self.runtime.repair(ticket, *ask),
                Cmd::Study { ticket, ask } => self.runtime.study(ticket, *ask),
                Cmd::CancelVerify => self.runtime.cancel_verify(),
                Cmd::After(number, delay) => {
                    self.timers.push(std::cmp::Reverse((Instant::now() + delay, number)));
                }
                Cmd::Copy(text) => {
                    let said = match self.terminal.copy(&text)? {
                        true => Said::info(format!("copied: {}", first_line(&text))),
                        false => {
                            Said::error("too long for the clipboard of a terminal; e opens it in an editor")
                        }
                    };
                    let _ = self.sender.send(Msg::Said(said));
                }
                Cmd::Edit { name, text, line } => {
                    let (said, _) = self.edit(&name, &text, line, "the task itself was not changed")?;
                    let _ = self.sender.send(Msg::Said(said));
                    let _ = self.sender.send(Msg::Resumed);
                }
                Cmd::EditBack { ticket, name, text, line } => {
                    let (said, changed) = self.edit(&name, &text, line, "nothing was changed")?;
                    let _ = self.sender.send(match changed {
                        Some(text) => Msg::Edited { ticket, text },
                        None => Msg::Said(said),
                    });
                    let _ = self.sender.send(Msg::Resumed);
                }
                Cmd::CaptureMouse(on) => self.terminal.set_mouse(on)?,
                Cmd::Suspend => {
                    self.terminal.suspend(&mut self.events).await?;
                    let _ = self.sender.send(Msg::Resumed);
                }
                Cmd::ReadList => self.runtime.read_list(),
                Cmd::Redraw => self.terminal.redraw()?,
                Cmd::Quit => self.leaving = Some(0),
            }
        }
        Ok(())
    }

    /// Opens a copy of a text in the user's editor and waits for it; gives the text if it was changed.
    fn edit(
        &mut self,
        name: &str,
        text: &[u8],
        line: u32,
        remark: &str,
    ) -> Result<(Said, Option<Vec<u8>>), RunError> {
        let editor = match editor_from_environment(|name| std::env::var(name).ok()) {
            Ok(editor) => editor,
            Err(error) => return Ok((Said::error(error.to_string()), None)),
        };
        let file = match copy_for_editor(name, text) {
            Ok(file) => file,
            Err(error) => {
                return Ok((Said::error(format!("no file could be made for the editor: {error}")), None));
            }
        };
        let outcome = self
            .terminal
            .released(&mut self.events, || run_editor(&editor, file.path(), usize::try_from(line).ok()))?;
        Ok(match outcome {
            Ok(status) if status.success() => {
                let changed = std::fs::read(file.path()).ok().filter(|now| now != text);
                (Said::info(format!("back from the editor; {remark}")), changed)
            }
            Ok(status) => (Said::error(format!("the editor ended with {status}")), None),
            Err(error) => (Said::error(error.to_string()), None),
        })
    }
}

/// A file that goes away when it is dropped.
struct EditorCopy {
    folder: std::path::PathBuf,
    file: std::path::PathBuf,
}

impl EditorCopy {
    fn path(&self) -> &std::path::Path {
        &self.file
    }
}

impl Drop for EditorCopy {
    fn drop(&mut self) {
        // What is left in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Writes a text into a folder of its own that only this user can read. `name` keeps its letters, digits and
/// dots, so that a hostile one names no other place.
fn copy_for_editor(name: &str, text: &[u8]) -> std::io::Result<EditorCopy> {
    use std::os::unix::fs::DirBuilderExt;
    let folder = std::env::temp_dir().join(format!("mendbench-{}", uuid::Uuid::now_v7()));
    std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let safe: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
        .collect();
    let file = folder.join(safe.trim_start_matches('.'));
    let copy = EditorCopy { folder, file };
    std::fs::write(&copy.file, text)?;
    Ok(copy)
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let more = if text.lines().count() > 1 { " …" } else { "" };
    format!("{}{more}", crate::text::truncate(line, 200))
}

async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let (x, y) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Mouse::Press { x, y }),
        MouseEventKind::ScrollDown => Some(Mouse::Wheel { x, y, down: true }),
        MouseEventKind::ScrollUp => Some(Mouse::Wheel { x, y, down: false }),
        _ => None,
    }
}
