//! What a command says about the program that it starts. Promises: pure; output is read as a shell or an interpreter writes
//! it, and never trusted further. Leaves to others: what follows for the verdict ([`super::verify`]).

use crate::sandbox::Exit;
use crate::task::Command;
use crate::text::truncate;

/// Whether a command starts something of the tree, not a tool of the system.
pub(super) fn is_of_the_tree(command: &Command) -> bool {
    match command {
        Command::Arguments(arguments) => {
            arguments.first().is_some_and(|program| program.contains('/') && !program.starts_with('/'))
        }
        Command::Shell(_) => false,
    }
}

/// Why a program did not start, for people.
pub(super) fn not_started(command: &Command, why: &str) -> String {
    let program = match command {
        Command::Arguments(arguments) => arguments.first().map_or("", String::as_str),
        Command::Shell(_) => "sh",
    };
    format!("`{program}` could not be started in the sandbox: {why}; is it installed?")
}

/// The line that says that a program, or a module that was to be run, is not there.
pub(super) fn missing_tool(command: &Command, exit: &Exit, output: &str) -> Option<String> {
    let told = |line: &&str| match exit {
        Exit::Code(126 | 127) => ["not found", "No such file or directory", "Permission denied"]
            .iter()
            .any(|end| line.ends_with(end)),
        Exit::Code(1) => match command {
            Command::Arguments(words) => words
                .windows(2)
                .take(4)
                .any(|pair| pair[0] == "-m" && line.ends_with(&format!(": No module named {}", pair[1]))),
            Command::Shell(_) => false,
        },
        _ => false,
    };
    output.lines().map(str::trim_end).find(told).map(|line| truncate(line, 200).into_owned())
}

/// The command, cut to a line.
pub(super) fn short(command: &Command) -> String {
    truncate(&command.display(), 80).into_owned()
}
