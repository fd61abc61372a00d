//! Arguments in, front end chosen, errors out with a message and an exit code.

use mendbench::cli::{self, Arguments, Failure};
use mendbench::{catalogue, text, theme, tui};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = match Arguments::of_process() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(cli::explain(&error)),
    };
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
    if let Some(path) = &arguments.path
        && !path.exists()
        && let Some(near) = path.to_str().and_then(Arguments::nearest_command)
    {
        return Err(Failure::usage(format!(
            "there is no file, folder or command `{}`; did you mean `mendbench {near}`?",
            text::shown(path)
        )));
    }
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
    let mut surroundings = cli::surroundings(arguments, config);
    if theme::choose(&surroundings).appearance_matters {
        surroundings.appearance = tui::terminal::ask_background()
            .map(|background| match background {
                tui::terminal::Background::Dark => theme::Appearance::Dark,
                tui::terminal::Background::Light => theme::Appearance::Light,
            })
            .or_else(|| variable("COLORFGBG").and_then(|value| theme::Appearance::from_colorfgbg(&value)));
    }
    let choice = theme::choose(&surroundings);
    Ok((cli::theme_named(themes, &choice.theme)?, choice.depth))
}
