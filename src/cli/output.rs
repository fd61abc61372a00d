//! Where results and messages go.
//!
//! Promises: results to stdout through one buffer, messages to stderr; a reader that closes the pipe ends the
//! program quietly; human text holds no control character that came from outside.

use super::Arguments;
use crate::config::Config;
use crate::text::sanitise;
use crate::theme::{ColourDepth, Painter, Role, Style, Surroundings, Theme, choose};
use serde_json::Value;
use std::io::{BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// An error with its exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// What to say; empty: nothing.
    pub message: String,
}

impl Failure {
    /// Wrong usage: what was named or written is not right.
    pub fn usage(error: impl std::fmt::Display) -> Failure {
        Failure { code: super::USAGE, message: error.to_string() }
    }

    /// The surroundings failed: disk, workspace, network.
    pub fn infrastructure(error: impl std::fmt::Display) -> Failure {
        Failure { code: super::INFRASTRUCTURE, message: error.to_string() }
    }

    /// The reader of our output has gone, as `head` does: nobody is there to tell.
    fn quiet() -> Failure {
        Failure { code: super::DONE, message: String::new() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        if error.kind() == ErrorKind::BrokenPipe {
            return Failure::quiet();
        }
        Failure::infrastructure(format!(
            "the output could not be written: {}; what was printed is not complete",
            reason(&error)
        ))
    }
}

impl From<crate::catalogue::CatalogueError> for Failure {
    fn from(error: crate::catalogue::CatalogueError) -> Failure {
        use crate::catalogue::CatalogueError as E;
        match error {
            E::Dataset(_) | E::Workspace(_) => Failure::usage(error),
            E::Store(error) => error.into(),
            _ => Failure::infrastructure(error),
        }
    }
}

impl From<crate::store::StoreError> for Failure {
    fn from(error: crate::store::StoreError) -> Failure {
        use crate::store::StoreError as E;
        match error {
            E::Missing { .. } | E::BadDatasetName { .. } => Failure::usage(error),
            _ => Failure::infrastructure(error),
        }
    }
}

/// What the system says, in its words and without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// What decides about colours on stdout, as far as it can be known without asking the terminal.
pub fn surroundings<'a>(arguments: &Arguments, config: &'a Config) -> Surroundings<'a> {
    let variable = |name: &str| std::env::var(name).ok();
    Surroundings {
        configured: config.settings.get("theme"),
        flag: super::colour_flag(arguments),
        no_color: variable("NO_COLOR").is_some_and(|value| !value.is_empty()),
        dumb: variable("TERM").is_none_or(|term| term.is_empty() || term == "dumb"),
        depth: ColourDepth::from_environment(variable),
        appearance: None,
    }
}

/// The number of the theme with this name.
pub fn theme_named(themes: &[Theme], name: &str) -> Result<usize, Failure> {
    themes.iter().position(|theme| theme.name == name).ok_or_else(|| {
        let names: Vec<&str> = themes.iter().map(|theme| theme.name.as_str()).collect();
        Failure::usage(format!(
            "there is no theme `{name}`; there are auto, colourblind, {}",
            names.join(", ")
        ))
    })
}

/// Prints what clap has to say: help and version to stdout as they are, mistakes to stderr and made harmless,
/// for they repeat what was given; gives the exit code.
pub fn explain(error: &clap::Error) -> u8 {
    let helps = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && !helps {
        let given = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let text = harmless(error.render().ansi().to_string(), given);
        // Nobody is left to be told when stderr is closed.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        return super::USAGE;
    }
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match printed.map_err(Failure::from) {
        Err(failure) if !error.use_stderr() && failure.code != super::DONE => {
            note(&failure.message);
            failure.code
        }
        _ if error.use_stderr() => super::USAGE,
        _ => super::DONE,
    }
}

/// The message without anything that a terminal would obey, and without lines that an argument made.
fn harmless(mut message: String, given: impl Iterator<Item = String>) -> String {
    for argument in given {
        let value = argument.split_once('=').map(|(_, value)| value.to_owned());
        for text in [Some(argument), value].into_iter().flatten() {
            if text.contains(char::is_control) {
                message = message.replace(&text, &sanitise(&text));
            }
        }
    }
    let lines: Vec<_> = message.lines().map(sanitise).collect();
    let mut message = lines.join("\n");
    message.push('\n');
    message
}

/// The way out.
pub struct Output {
    stdout: BufWriter<StdoutLock<'static>>,
    /// Whether results are JSON Lines.
    pub json: bool,
    /// Whether stdout is a terminal.
    pub terminal: bool,
    /// The theme for coloured text.
    pub theme: Option<Theme>,
    /// Colours that are used.
    pub depth: ColourDepth,
    /// The reader of stdout has gone: nothing more is said either.
    gone: bool,
}

impl Output {
    /// Output as flags, environment and configuration want it.
    pub fn new(arguments: &Arguments, config: &Config) -> Result<Output, Failure> {
        let wanted = config.settings.get("theme").trim();
        if !matches!(wanted, "" | "auto" | "colourblind") {
            theme_named(&config.themes().0, wanted)?;
        }
        Ok(Output::lenient(arguments, config))
    }

    /// As [`Output::new`], where a theme that is not known must not be in the way.
    pub fn lenient(arguments: &Arguments, config: &Config) -> Output {
        let terminal = std::io::stdout().is_terminal();
        let mut surroundings = surroundings(arguments, config);
        if !terminal && arguments.color != super::arguments::When::Always {
            surroundings.depth = ColourDepth::None;
        }
        let choice = choose(&surroundings);
        let (themes, _) = config.themes();
        let found = themes.into_iter().find(|theme| theme.name == choice.theme);
        let theme = found.or_else(|| Theme::built_in("mono"));
        Output {
            stdout: BufWriter::with_capacity(1 << 16, std::io::stdout().lock()),
            json: arguments.json,
            terminal,
            depth: if theme.is_some() { choice.depth } else { ColourDepth::None },
            theme: theme.map(|theme| theme.quantise(choice.depth)),
            gone: false,
        }
    }

    /// Columns of the terminal, or of a page.
    pub fn width(&self) -> usize {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        match rustix::termios::tcgetwinsize(std::io::stdout()) {
            Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
            _ => columns.filter(|columns| (20..=1000).contains(columns)).unwrap_or(120),
        }
    }

    /// A line of human text, made harmless.
    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        let line = sanitise(text);
        self.stdout.write_all(line.as_bytes())?;
        Ok(self.stdout.write_all(b"\n")?)
    }

    /// A line of pieces, each in a role.
    pub fn styled(&mut self, parts: &[(&str, Role)]) -> Result<(), Failure> {
        let mut line = String::new();
        let mut painter = Painter::default();
        for (text, role) in parts {
            let style = match &self.theme {
                Some(theme) if self.depth != ColourDepth::None => theme.style(*role),
                _ => Style::PLAIN,
            };
            painter.paint(&mut line, style, &sanitise(text));
        }
        painter.finish(&mut line);
        line.push('\n');
        Ok(self.stdout.write_all(line.as_bytes())?)
    }

    /// Text as it is: made by us, or escaped already.
    pub fn raw(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.stdout.write_all(text.as_bytes())?)
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.stdout.write_all(bytes)?)
    }

    /// One JSON object on its line.
    pub fn object(&mut self, value: &Value) -> Result<(), Failure> {
        super::json::write(&mut self.stdout, value).map_err(std::io::Error::from)?;
        Ok(self.stdout.write_all(b"\n")?)
    }

    /// The writer under it all.
    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// A message for people, to stderr.
    pub fn note(&mut self, text: &str) {
        // What was printed so far comes first, where both go to the same terminal. Other failures are met
        // again, and told, when the rest is written out.
        self.gone |= self.stdout.flush().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe);
        if !self.gone {
            note(text);
        }
    }

    /// Writes out what is still in the buffer.
    pub fn finish(mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}

/// A message for people, to stderr, each line made harmless; the name of the program stands before the
/// first one only, so that no line out of a file can pass for a message.
pub fn note(text: &str) {
    let mut stderr = std::io::stderr().lock();
    for (number, line) in text.lines().enumerate() {
        let start = if number == 0 { "mendbench: " } else { "  " };
        // Nobody is left to be told when stderr is closed.
        let _ = writeln!(stderr, "{start}{}", sanitise(line));
    }
}
