//! The workbench without a terminal: the real state, the real jobs, run one after the other.
#![allow(clippy::unwrap_used, dead_code, missing_docs)]

use mendbench::catalogue::{Catalogue, Request, open};
use mendbench::keymap::{Key, Keymap};
use mendbench::theme::{BUILT_IN, ColourDepth, Theme};
use mendbench::tui::app::{App, Setup};
use mendbench::tui::msg::{Cmd, Msg};
use mendbench::tui::runtime::carry_out;
use mendbench::tui::widgets::diff_view::Choices;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

pub struct Rig {
    pub app: App,
    catalogue: Arc<dyn Catalogue>,
    size: (u16, u16),
    timers: Vec<u64>,
    pub copied: Vec<String>,
    pub edited: Vec<(String, u32)>,
    pub quit: bool,
}

pub fn themes() -> Vec<Theme> {
    BUILT_IN.iter().map(|(name, _)| Theme::built_in(name).unwrap()).collect()
}

impl Rig {
    pub fn samples(size: (u16, u16), theme: &str) -> Rig {
        Rig::open(&Request::default(), size, theme)
    }

    pub fn path(path: PathBuf, size: (u16, u16), theme: &str) -> Rig {
        Rig::open(&Request { path: Some(path), ..Request::default() }, size, theme)
    }

    pub fn open(request: &Request, size: (u16, u16), theme: &str) -> Rig {
        Rig::on(open(request).unwrap(), size, theme)
    }

    pub fn on(catalogue: Arc<dyn Catalogue>, size: (u16, u16), theme: &str) -> Rig {
        let mut rig = Rig::before_reading(catalogue, size, theme);
        rig.read();
        rig
    }

    /// Before anything was read.
    pub fn before_reading(catalogue: Arc<dyn Catalogue>, size: (u16, u16), theme: &str) -> Rig {
        let themes = themes();
        let number = themes.iter().position(|known| known.name == theme).unwrap();
        let depth = match theme {
            "mono" => ColourDepth::None,
            "ansi16" => ColourDepth::Ansi16,
            _ => ColourDepth::Truecolour,
        };
        let setup = Setup {
            origin: catalogue.origin().clone(),
            keymap: Arc::new(Keymap::new()),
            themes,
            theme: number,
            depth,
            unicode: true,
            filter: String::new(),
            preview: true,
            choices: Choices::default(),
            notice: None,
        };
        let app = App::new(setup, size);
        Rig { app, catalogue, size, timers: Vec::new(), copied: Vec::new(), edited: Vec::new(), quit: false }
    }

    /// Reads the list as the runtime does.
    pub fn read(&mut self) {
        let mut parts = Vec::new();
        let catalogue = self.catalogue.clone();
        let result = catalogue.list(&mut |part| {
            parts.push(part);
            true
        });
        for part in parts {
            self.send(Msg::Table(part));
        }
        if let Err(error) = result {
            self.send(Msg::TableFailed(error.to_string()));
        }
    }

    /// A message, and all jobs that follow from it.
    pub fn send(&mut self, msg: Msg) {
        let mut queue = VecDeque::from([msg]);
        while let Some(msg) = queue.pop_front() {
            if let Msg::Resize(width, height) = msg {
                self.size = (width, height);
            }
            for command in self.app.update(msg) {
                match command {
                    Cmd::Start { ticket, job, .. } => {
                        let results = Mutex::new(Vec::new());
                        carry_out(&*self.catalogue, job, &AtomicBool::new(false), &|result| {
                            results.lock().unwrap().push(result);
                        });
                        for result in results.into_inner().unwrap() {
                            queue.push_back(Msg::Done { ticket, result: Box::new(result) });
                        }
                    }
                    Cmd::After(number, _) => self.timers.push(number),
                    Cmd::Copy(text) => self.copied.push(text),
                    Cmd::Edit { name, line, .. } => self.edited.push((name, line)),
                    Cmd::Quit => self.quit = true,
                    Cmd::CaptureMouse(_) | Cmd::Suspend | Cmd::Redraw => {}
                }
            }
        }
    }

    /// Presses keys: names as the keymap writes them, separated by blanks.
    pub fn press(&mut self, keys: &str) -> &mut Rig {
        for name in keys.split_whitespace() {
            let key: Key = name.parse().unwrap();
            self.send(Msg::Key(key));
        }
        self
    }

    /// Types text, character by character.
    pub fn kind(&mut self, text: &str) -> &mut Rig {
        for character in text.chars() {
            self.send(Msg::Key(Key::char(character)));
        }
        self
    }

    /// Lets all timers run out.
    pub fn rest(&mut self) -> &mut Rig {
        for number in std::mem::take(&mut self.timers) {
            self.send(Msg::Timer(number));
        }
        self
    }

    pub fn buffer(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.app.view(&mut buffer);
        buffer
    }

    /// The screen as text, blanks at line ends cut.
    pub fn text(&self) -> String {
        text_of(&self.buffer())
    }
}

pub fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = mendbench::text::width(symbol).saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The styles of the screen: one letter for each distinct style, and what the letters mean.
pub fn styles_of(buffer: &Buffer) -> String {
    let mut legend: Vec<String> = Vec::new();
    let mut rows = String::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let style = describe(cell.fg, cell.bg, cell.modifier);
            let number = legend.iter().position(|known| *known == style).unwrap_or_else(|| {
                legend.push(style);
                legend.len() - 1
            });
            row.push(letter(number));
        }
        rows.push_str(&runs(&row));
        rows.push('\n');
    }
    for (number, style) in legend.iter().enumerate() {
        rows.push_str(&format!("{} = {style}\n", letter(number)));
    }
    rows
}

fn letter(number: usize) -> char {
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".chars().nth(number).unwrap_or('?')
}

/// `aaaabb` as `a4 b2`.
fn runs(row: &str) -> String {
    let mut parts: Vec<(char, usize)> = Vec::new();
    for letter in row.chars() {
        match parts.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            _ => parts.push((letter, 1)),
        }
    }
    parts.into_iter().map(|(letter, count)| format!("{letter}{count}")).collect::<Vec<_>>().join(" ")
}

fn describe(fg: Color, bg: Color, modifier: Modifier) -> String {
    let colour = |colour: Color| match colour {
        Color::Reset => "-".to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let mut text = format!("{} on {}", colour(fg), colour(bg));
    if !modifier.is_empty() {
        text.push_str(&format!(" {modifier:?}"));
    }
    text
}
