//! The arguments.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// A terminal workbench for code-repair benchmarks.
///
/// Without a command it opens the workbench on PATH: a dataset file, a folder of task folders, or a
/// workspace. Without PATH it opens ten sample tasks.
#[derive(Debug, Parser)]
#[command(name = "mendbench", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Dataset file, folder of tasks, or workspace; default: the sample tasks
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// Start with this filter, as `lang:c type:B words`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Folder of the workspace
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub workspace: Option<PathBuf>,
    /// Format of a dataset; default: found out by its content
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "NAME")]
    pub format: Option<String>,
    /// Name for a dataset; default: from its file name
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "NAME")]
    pub dataset: Option<String>,
    /// When to use colours
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// Theme; `mendbench themes` lists them
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "NAME")]
    pub theme: Option<String>,
    /// Print JSON Lines: one object a line, each with `type` and `v`
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// What to do instead of opening the workbench
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Heading of the flags that every command takes.
const EVERYWHERE: &str = "Options of every command";

const AFTER: &str =
    "Exit codes: 0 done, 1 the work itself failed, 2 wrong usage, 3 infrastructure, 130 Ctrl-C.";

impl Arguments {
    /// The command as clap knows it; the help of every part of it names the exit codes.
    pub fn description() -> clap::Command {
        fn with_exit_codes(command: clap::Command) -> clap::Command {
            command.after_help(AFTER).mut_subcommands(with_exit_codes)
        }
        with_exit_codes(Arguments::command())
    }

    /// The arguments of this process.
    pub fn of_process() -> Result<Arguments, clap::Error> {
        Arguments::from_arg_matches(&Arguments::description().try_get_matches()?)
    }

    /// The command whose name is most like this word, if one is like it at all.
    pub fn nearest_command(word: &str) -> Option<String> {
        if word.len() > 40 {
            return None;
        }
        Arguments::command()
            .get_subcommands()
            .map(|command| {
                (strsim::damerau_levenshtein(word, command.get_name()), command.get_name().to_owned())
            })
            .filter(|(distance, name)| *distance <= 2 && distance * 2 < name.len())
            .min()
            .map(|(_, name)| name)
    }
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where the output is a terminal that has them.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List tasks, or show one
    Tasks {
        /// What to do with them
        #[command(subcommand)]
        what: Tasks,
    },
    /// Show the difference between a task's buggy and reference version
    Diff(Diff),
    /// Copy the tasks of a dataset into the workspace
    Import {
        /// Dataset file or folder of tasks
        #[arg(value_hint = ValueHint::AnyPath)]
        source: PathBuf,
    },
    /// Write a whole workspace as JSON Lines, or read one back
    Bundle {
        /// Which way
        #[command(subcommand)]
        what: Bundle,
    },
    /// Show the configuration
    Config {
        /// What of it
        #[arg(value_enum, default_value = "show")]
        what: ConfigPart,
    },
    /// List the themes
    Themes {
        /// Show what each looks like
        #[arg(long)]
        preview: bool,
    },
    /// List the keys of the workbench
    Keys {
        /// As the table of the README
        #[arg(long)]
        markdown: bool,
    },
    /// Print a completion script
    Completions {
        /// For this shell
        shell: clap_complete::Shell,
    },
}

/// What to do with tasks.
#[derive(Debug, Subcommand)]
pub enum Tasks {
    /// One line for each task
    List {
        /// Dataset file, folder of tasks, or workspace; default: the sample tasks
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
        /// Only tasks that pass, as `lang:c type:B words`
        #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
        filter: Option<String>,
        /// Order of the lines
        #[arg(long, value_enum, default_value = "dataset")]
        sort: Sort,
        /// The other way round
        #[arg(long)]
        reverse: bool,
        /// At most this many lines
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Everything that is known about a task
    Show {
        /// `dataset/id`, `id`, or a task folder
        task: String,
        /// Where to look for it: dataset file, folder of tasks, or workspace
        #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
        within: Option<PathBuf>,
    },
}

/// Orders of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Best match first where words are given, else as in the dataset.
    Dataset,
    /// By id.
    Id,
    /// By title.
    Title,
    /// By language.
    Language,
    /// By error type.
    Type,
    /// By how far the fix reaches.
    Granularity,
    /// By lines changed.
    Changed,
}

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// `dataset/id`, `id`, or a task folder; or the older one of two files
    pub task: String,
    /// The newer one of two files
    #[arg(value_hint = ValueHint::FilePath)]
    pub newer: Option<PathBuf>,
    /// Where to look for the task: dataset file, folder of tasks, or workspace
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with = "newer")]
    pub within: Option<PathBuf>,
    /// Both versions next to each other
    #[arg(short = 's', long)]
    pub side_by_side: bool,
    /// A patch that `git apply` takes, nothing else
    #[arg(long, conflicts_with_all = ["side_by_side", "ignore_space_change", "ignore_all_space", "whole"])]
    pub patch: bool,
    /// Equal lines around a change
    #[arg(short = 'U', long, value_name = "N")]
    pub context: Option<usize>,
    /// All lines
    #[arg(long, conflicts_with = "context")]
    pub whole: bool,
    /// Ignore changes in the amount of white space
    #[arg(short = 'b', long)]
    pub ignore_space_change: bool,
    /// Ignore white space
    #[arg(short = 'w', long, conflicts_with = "ignore_space_change")]
    pub ignore_all_space: bool,
    /// How lines are compared
    #[arg(long, value_enum, default_value = "myers")]
    pub algorithm: Algorithm,
    /// Columns; default: those of the terminal, else 120
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub width: Option<u16>,
    /// Do not start a pager
    #[arg(long)]
    pub no_pager: bool,
}

/// How lines are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// The usual one.
    Myers,
    /// Anchored at lines that occur once.
    Patience,
    /// As git's histogram.
    Histogram,
}

/// Directions of a bundle.
#[derive(Debug, Subcommand)]
pub enum Bundle {
    /// Write the workspace to a file, or to stdout
    Export {
        /// The file; it must not exist
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Read a bundle into the workspace; what is there already stays
    Import {
        /// The file, or `-` for stdin
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Take what can be read of a bundle that is not as it was written
        #[arg(long)]
        salvage: bool,
    },
}

/// Parts of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfigPart {
    /// Where its files are looked for.
    Path,
    /// Every setting, its value, and where that came from.
    Show,
    /// Whether everything in it can be used.
    Check,
}
