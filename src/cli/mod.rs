//! The command line: one file per command; human text, or JSON Lines with `--json`.
//!
//! Promises: stdout carries results only, stderr messages and progress; exit codes are 0 done, 1 the work
//! itself failed, 2 wrong usage, 3 infrastructure, 130 Ctrl-C; every error says what, where and what next.
//! Leaves to others: what tasks are (`catalogue`), the workbench (`tui`).

mod agreement;
mod arguments;
mod bundle;
mod check;
mod codebook;
mod completions;
mod config;
mod diff;
pub mod diff_render;
mod diff_turn;
mod extract;
mod import;
mod json;
mod keys;
mod label;
mod locate;
mod models;
mod output;
mod pager;
mod queue;
mod repair;
mod replay;
mod round;
mod runs;
mod sandbox;
mod study;
mod tasks;
mod themes;
mod verify;
mod verify_show;
mod workshop;

pub use arguments::{Arguments, Command};
pub use output::{Failure, Output, explain, note, surroundings, theme_named};
pub use study::Identity;

use crate::catalogue::Request;
use crate::config::{Config, Source, folder};
use crate::store::workspace::{ChosenBy, Workspace};
use crate::text::shown;
use crate::theme::ColourFlag;

/// Exit code: done.
pub const DONE: u8 = 0;
/// Exit code: the work itself failed.
pub const FAILED: u8 = 1;
/// Exit code: wrong usage.
pub const USAGE: u8 = 2;
/// Exit code: infrastructure.
pub const INFRASTRUCTURE: u8 = 3;

/// Exit code: Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// What is said when a write has to wait.
const WAITING_FOR_ANOTHER: &str = "waiting for another process that writes to this workspace";

/// Reads the configuration, with the flags laid over it.
pub fn configure(arguments: &Arguments) -> Result<Config, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut config = Config::read(folder(), &variable).map_err(Failure::usage)?;
    if let Some(theme) = &arguments.theme {
        config.settings.set("theme", theme, Source::Flag("--theme")).map_err(Failure::usage)?;
    }
    Ok(config)
}

/// What the common flags and PATH name.
pub fn request(arguments: &Arguments, path: Option<&std::path::PathBuf>) -> Request {
    Request {
        path: path.cloned(),
        workspace: arguments.workspace.clone(),
        format: arguments.format.clone(),
        dataset: arguments.dataset.clone(),
    }
}

/// What chooses the workspace for what is made of the tasks at `path`: PATH itself, where it is a workspace already. A
/// folder of tasks without one is left as it is.
pub fn request_beside(arguments: &Arguments, path: Option<&std::path::PathBuf>) -> Request {
    let is_one =
        |path: &&std::path::PathBuf| Workspace::in_folder((*path).clone(), ChosenBy::Path).database.is_file();
    request(arguments, path.filter(is_one))
}

/// The flag `--color` as the theme room knows it.
pub fn colour_flag(arguments: &Arguments) -> ColourFlag {
    match arguments.color {
        arguments::When::Auto => ColourFlag::Auto,
        arguments::When::Always => ColourFlag::Always,
        arguments::When::Never => ColourFlag::Never,
    }
}

/// Runs a command that is not the workbench; gives the exit code.
pub fn run(arguments: &Arguments, command: &Command) -> Result<u8, Failure> {
    // Completions and `config` must work where the configuration is broken.
    match command {
        Command::Completions { shell } => return completions::run(*shell),
        Command::Config { what } => return config::run(arguments, *what),
        _ => {}
    }
    let config = configure(arguments)?;
    let mut output = match command {
        // The list of themes is what helps where a wrong one is configured.
        Command::Themes { .. } => Output::lenient(arguments, &config),
        _ => Output::new(arguments, &config)?,
    };
    let result = match command {
        Command::Tasks { what } => tasks::run(arguments, what, &config, &mut output),
        Command::Verify(what) => verify::run(arguments, what, &config, &mut output),
        Command::Repair(flags) => repair::run(arguments, flags, &config, &mut output),
        Command::Runs { limit } => runs::run(arguments, *limit, &mut output),
        Command::Replay(what) => replay::run(arguments, what, &mut output),
        Command::Regrade(what) => repair::regrade::run(arguments, what, &config, &mut output),
        Command::Diff(diff) => diff::run(arguments, diff, &config, &mut output),
        Command::Sandbox { what } => sandbox::run(arguments, what, &config, &mut output),
        Command::Extract(extract) => extract::run(arguments, extract, &config, &mut output),
        Command::Import { source } => import::run(arguments, source, &mut output),
        Command::Bundle { what } => bundle::run(arguments, what, &config, &mut output),
        Command::Agreement(flags) => agreement::run(arguments, flags, &config, &mut output),
        Command::Round { what } => round::run(arguments, what, &config, &mut output),
        Command::Label { what } => label::run(arguments, what, &config, &mut output),
        Command::Codebook { what } => codebook::run(what, &config, &mut output),
        Command::Models { what } => models::run(what.as_ref(), &config, &mut output),
        Command::Themes { preview } => themes::run(&config, *preview, &mut output),
        Command::Keys { markdown } => keys::run(&config, *markdown, &mut output),
        Command::Config { .. } | Command::Completions { .. } => Ok(DONE),
    };
    let flushed = output.finish();
    let code = result?;
    flushed?;
    Ok(code)
}
