//! The arguments.

use super::workshop::Sandboxing;
use crate::text::shown;
use clap::builder::Styles;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// A terminal workbench for code-repair benchmarks.
///
/// Without a command it opens the workbench on PATH: a dataset file, a folder of task folders, or a
/// workspace. Without PATH it opens ten sample tasks.
#[derive(Debug, Parser)]
#[command(name = "mendbench", version)]
pub struct Arguments {
    /// Dataset file, folder of tasks, or workspace; default: the sample tasks
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// Start with this filter, as `lang:c type:B words`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Who labels in the workbench
    #[command(flatten)]
    pub identity: super::study::Identity,
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
        Arguments::read(std::env::args_os().collect())
    }

    /// These arguments, the first of which is the name of the program. A message about a mistake in them
    /// carries no styles: they could not be told from those that an argument brings along.
    fn read(given: Vec<OsString>) -> Result<Arguments, clap::Error> {
        let parsed = Arguments::description()
            .try_get_matches_from(&given)
            .and_then(|matches| Arguments::from_arg_matches(&matches))
            .and_then(Arguments::in_order);
        match parsed {
            Err(error) if error.use_stderr() && error.kind() != HELP_INSTEAD => {
                if let Some(error) = Arguments::mistyped_command(&given) {
                    return Err(error);
                }
                let plain = Arguments::description().styles(Styles::plain());
                let again = plain.clone().try_get_matches_from(&given).err();
                Err(again.unwrap_or_else(|| error.with_cmd(&plain)))
            }
            parsed => parsed,
        }
    }

    /// Options that stand before the command are the command's; a PATH there is a mistake.
    fn in_order(mut self) -> Result<Arguments, clap::Error> {
        let Some(command) = &mut self.command else { return Ok(self) };
        let conflict = |text: String| Err(plain_error(ErrorKind::ArgumentConflict, text));
        if let Some(path) = &self.path {
            let path = shown(path);
            return conflict(format!(
                "`{path}` stands before the command; a path goes behind it, and without a command it opens the workbench"
            ));
        }
        if let Some(first) = self.filter.take() {
            match command {
                Command::Tasks { what: Tasks::List { filter: filter @ None, .. } } => *filter = Some(first),
                Command::Tasks { what: Tasks::List { .. } } => {
                    return conflict("--filter is given twice, before the command and behind it".to_owned());
                }
                _ => {
                    return conflict(
                        "--filter belongs to the workbench and to `mendbench tasks list`".to_owned(),
                    );
                }
            }
        }
        if self.identity.who.is_some() {
            return conflict("--as goes behind a command, and without a command before PATH".to_owned());
        }
        Ok(self)
    }

    /// The mistake of arguments that make no sense because the first word is almost a command.
    fn mistyped_command(given: &[OsString]) -> Option<clap::Error> {
        let command = Arguments::command();
        let takes_value: Vec<String> = command
            .get_opts()
            .filter(|option| option.get_action().takes_values())
            .filter_map(|option| option.get_long().map(|long| format!("--{long}")))
            .collect();
        let mut words = given.iter().skip(1).map(|word| word.to_str());
        let word = loop {
            let word = words.next()??;
            if takes_value.iter().any(|option| option == word) {
                words.next();
            } else if !word.starts_with('-') {
                break word;
            }
        };
        if command.find_subcommand(word).is_some() || std::path::Path::new(word).exists() {
            return None;
        }
        let near = Arguments::nearest_command(word)?;
        let text = format!("there is no command `{word}`; did you mean `mendbench {near}`?");
        Some(plain_error(ErrorKind::InvalidSubcommand, text))
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

/// What clap calls it when a command without its subcommand shows the help.
const HELP_INSTEAD: ErrorKind = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;

fn plain_error(kind: ErrorKind, text: String) -> clap::Error {
    Arguments::description().styles(Styles::plain()).error(kind, text)
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
    /// Apply and test, without a model: tasks as they are, or predictions
    Verify(Verify),
    /// Have a model repair tasks: its answer is applied, tested, and answered with feedback, again and again
    Repair(Box<super::repair::Flags>),
    /// List the repair runs of the workspace, newest first
    Runs {
        /// At most this many
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Play a repair run as it went, without asking or testing anything
    Replay(Replay),
    /// Read, apply and test the stored answers of a run anew, and tell what differs
    Regrade(Regrade),
    /// Look at the sandboxes that tests run in
    Sandbox {
        /// What of them
        #[command(subcommand)]
        what: Sandbox,
    },
    /// Read a model's answer as a repair run would, and show the change that it makes
    Extract(Extract),
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
    /// Measure how far raters agree: kappa and its family, with intervals
    Agreement(Box<super::agreement::Flags>),
    /// Rounds of a labelling study: made, watched, led through their phases and settled
    Round {
        /// What to do with them
        #[command(subcommand)]
        what: super::round::Round,
    },
    /// Labels: given, taken back, listed, carried from one machine to another
    Label {
        /// What to do with them
        #[command(subcommand)]
        what: super::label::Label,
    },
    /// Look at the questions of labelling studies
    Codebook {
        /// What to do with them
        #[command(subcommand)]
        what: super::codebook::Codebook,
    },
    /// List the models, or try them
    Models {
        /// What to do with them; default: list
        #[command(subcommand)]
        what: Option<Models>,
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
    /// Run each task's tests: the buggy version must fail, the reference pass, twice
    Check(Check),
    /// Everything that is known about a task
    Show {
        /// `dataset/id`, `id`, or a task folder
        task: String,
        /// Where to look for it: dataset file, folder of tasks, or workspace
        #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
        within: Option<PathBuf>,
    },
}

/// Arguments of `tasks check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Dataset file, folder of tasks, or workspace; default: the sample tasks
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// Only tasks that pass, as `lang:c type:B words`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Where they run
    #[command(flatten)]
    pub sandboxing: Sandboxing,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// Tasks (`dataset/id`, `id`, or a task folder), or one file of predictions (JSON Lines)
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    pub what: Vec<String>,
    /// Where to look for the tasks: dataset file, folder of tasks, or workspace
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub within: Option<PathBuf>,
    /// Test the reference instead of the buggy version
    #[arg(long)]
    pub reference: bool,
    /// Test anew, whatever is remembered
    #[arg(long)]
    pub fresh: bool,
    /// Also tasks that are quarantined
    #[arg(long)]
    pub quarantined: bool,
    /// Print what the build and the tests printed
    #[arg(long)]
    pub output: bool,
    /// Also ask the compilers and analysers of the language, without running the code
    #[arg(long)]
    pub analyse: bool,
    /// Where they run
    #[command(flatten)]
    pub sandboxing: Sandboxing,
}

/// Arguments of `replay`.
#[derive(Debug, clap::Args)]
pub struct Replay {
    /// Run: its id, the beginning of it, `last`, or the name of a recording that comes with mendbench
    pub run: String,
    /// Only this task of it
    pub task: Option<String>,
    /// Only this sample, from 1
    #[arg(long, value_name = "N", requires = "task")]
    pub sample: Option<u32>,
    /// How many times as fast as it was, or `max`
    #[arg(long, value_name = "X", default_value = "1", value_parser = super::replay::speed)]
    pub speed: super::replay::Speed,
}

/// Arguments of `regrade`.
#[derive(Debug, clap::Args)]
pub struct Regrade {
    /// Run: its id, the beginning of it, or `last`
    pub run: String,
    /// Where tests run
    #[command(flatten)]
    pub sandboxing: Sandboxing,
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
    /// `dataset/id`, `id`, a task folder, or a turn that is labelled (`dataset/id#RUN/…`); or the older one of two files
    pub task: String,
    /// The newer one of two files
    #[arg(value_hint = ValueHint::FilePath)]
    pub newer: Option<PathBuf>,
    /// Where to look for the task: dataset file, folder of tasks, or workspace
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with = "newer")]
    pub within: Option<PathBuf>,
    /// What a turn of a run made of it, as last:2 or RUN:ATTEMPT.TURN, instead of the reference
    #[arg(long, value_name = "RUN:TURN", conflicts_with_all = ["newer", "within"])]
    pub turn: Option<String>,
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

/// Arguments of `extract`.
#[derive(Debug, clap::Args)]
pub struct Extract {
    /// `dataset/id`, `id`, or a task folder
    pub task: String,
    /// File with the answer, or `-` for stdin
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Where to look for the task: dataset file, folder of tasks, or workspace
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub within: Option<PathBuf>,
    /// What was asked for
    #[arg(long, value_enum, default_value = "function")]
    pub form: AnswerForm,
    /// Why the model stopped
    #[arg(long, value_enum, default_value = "unknown")]
    pub finish: Finish,
    /// Lines that were marked to be replaced, as FILE:FIRST-LAST, counted from 1
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,
    /// Use nothing that is cut off, ambiguous, fuzzy, or only in the reasoning
    #[arg(long)]
    pub strict: bool,
    /// Equal lines around a change
    #[arg(short = 'U', long, value_name = "N")]
    pub context: Option<usize>,
    /// Print the change as a patch and nothing else
    #[arg(long)]
    pub patch: bool,
}

/// Forms that an answer is asked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerForm {
    /// The whole function.
    Function,
    /// The lines that replace a run of lines.
    Hunk,
    /// The line that replaces a line.
    Line,
    /// The whole file.
    File,
    /// A unified diff.
    Patch,
    /// SEARCH/REPLACE blocks.
    SearchReplace,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Finish {
    /// It was done.
    Stop,
    /// It reached a limit of tokens.
    Length,
    /// Nobody said.
    Unknown,
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

/// What to do with sandboxes.
#[derive(Debug, Subcommand)]
pub enum Sandbox {
    /// Attack each sandbox that stands here, and tell what stopped the attacks
    ///
    /// Exit code 1: the sandbox that would be used lets something through; 3: none stands.
    Doctor {
        /// Only this one: docker, bubblewrap, namespaces, landlock; default: all that stand
        #[arg(long, value_name = "RUNG")]
        rung: Option<String>,
        /// Image for Docker, by name or digest; default: the setting `image`
        #[arg(long, value_name = "IMAGE")]
        image: Option<String>,
    },
}

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum Models {
    /// One line for each model of `models.toml`
    List,
    /// Make one small request and tell how it went
    Test {
        /// The model; default: all of them, one after the other
        name: Option<String>,
    },
}

/// Directions of a bundle.
#[derive(Debug, Subcommand)]
pub enum Bundle {
    /// Write the workspace to a file, or to stdout
    Export {
        /// The file, which must not exist, or `-` for stdout
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Only this run and what it names: its id, the beginning of it, or `last`
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Who asks: labels that you may not see are left out
        #[command(flatten)]
        identity: super::study::Identity,
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
