//! Arguments in, front end chosen, errors out with a message and an exit code.

use clap::Parser;
use mendbench::cli::{self, Arguments, Failure};
use mendbench::{catalogue, theme, tui};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    // clap prints its own messages and leaves with code 2, or 0 after --help and --version.
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Some(command) => cli::run(&arguments, command),
        None => workbench(&arguments),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(Failure { code, message }) => {
            cli::note(&message);
            ExitCode::from(code)
        }
    }
}

/// Opens the workbench.
fn workbench(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.json {
        return Err(Failure::usage(
            "--json belongs to a command; `mendbench tasks list --json` lists the tasks",
        ));
    }
    let mut config = cli::configure(arguments)?;
    let filter = arguments.filter.clone().unwrap_or_default();
    mendbench::task::filter::Filter::parse(&filter)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = catalogue::open(&cli::request(arguments, arguments.path.as_ref()))?;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "the workbench needs a terminal for its input and output; `mendbench tasks list` prints the tasks",
        ));
    }
    let keymap = Arc::new(std::mem::take(&mut config.keymap));
    let (themes, broken) = config.themes();
    let (theme, depth) = choose_theme(arguments, &config, &themes)?;
    let unicode = match config.settings.get("unicode") {
        "auto" => tui::terminal::is_utf8(|name| std::env::var(name).ok()),
        value => value == "true",
    };
    let settings = &config.settings;
    let setup = tui::app::Setup {
        origin: catalogue.origin().clone(),
        keymap,
        themes,
        theme,
        depth,
        unicode,
        filter,
        preview: settings.yes("preview"),
        choices: tui::app::choices(settings.get("layout"), settings.yes("wrap")),
        notice: broken.first().map(ToString::to_string),
    };
    let ended = tui::run(tui::Start { setup, catalogue, mouse: settings.yes("mouse") })
        .map_err(|error| Failure { code: cli::INFRASTRUCTURE, message: error.to_string() })?;
    for message in &ended.panics {
        cli::note(message);
    }
    Ok(ended.code)
}

/// The theme to start with; the terminal is asked whether it is dark only where that decides something.
fn choose_theme(
    arguments: &Arguments,
    config: &mendbench::config::Config,
    themes: &[theme::Theme],
) -> Result<(usize, theme::ColourDepth), Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut surroundings = theme::Surroundings {
        configured: config.settings.get("theme"),
        flag: cli::colour_flag(arguments),
        no_color: variable("NO_COLOR").is_some_and(|value| !value.is_empty()),
        dumb: variable("TERM").is_none_or(|term| term.is_empty() || term == "dumb"),
        depth: theme::ColourDepth::from_environment(variable),
        appearance: None,
    };
    if theme::choose(&surroundings).appearance_matters {
        surroundings.appearance = tui::terminal::ask_background()
            .map(|background| match background {
                tui::terminal::Background::Dark => theme::Appearance::Dark,
                tui::terminal::Background::Light => theme::Appearance::Light,
            })
            .or_else(|| variable("COLORFGBG").and_then(|value| theme::Appearance::from_colorfgbg(&value)));
    }
    let choice = theme::choose(&surroundings);
    let number = themes.iter().position(|theme| theme.name == choice.theme).ok_or_else(|| {
        let names = themes.iter().map(|theme| theme.name.as_str()).collect::<Vec<_>>().join(", ");
        Failure::usage(format!("there is no theme `{}`: auto, colourblind, {names}", choice.theme))
    })?;
    Ok((number, choice.depth))
}
