//! What the compilers and analysers of a language say about a tree, without running its code.
//!
//! Promises: every analyser of the language has an entry: what it said, or that it is missing, or why it failed; paths are
//! those of the tree, remarks about other files (system headers) are left out and counted. Leaves to others: reading
//! their output (`report::diagnostics`), showing it.

use super::plan::{Changes, Version};
use super::watch::Cancel;
use crate::config::{Analyser, Language, fill};
use crate::report::diagnostics::{Diagnostics, Form};
use crate::report::dig::Ground;
use crate::sandbox::{Deaf, ExecRequest, Exit, Limits, Provider, Sandbox, SandboxError, TreeFile};
use crate::task::{Command, Task};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of one analyser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// It looked.
    Remarks {
        /// Its remarks about files of the tree.
        diagnostics: Diagnostics,
        /// How many remarks were about other files.
        elsewhere: usize,
    },
    /// It is not installed where the sandbox looks.
    Missing,
    /// It could not do its work: time, memory, the sandbox.
    Failed(String),
    /// There is no file for it to look at.
    NothingToDo,
}

/// One analyser's entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The command.
    pub command: Command,
    /// What became of it.
    pub said: Said,
}

/// Runs the analysers of a language over a version of a task with these changes.
pub(super) fn analyse(
    task: &Task,
    version: Version,
    changes: &Changes,
    language: &Language,
    provider: &dyn Provider,
    cancel: &Cancel,
) -> Result<Vec<Analysis>, SandboxError> {
    let mut tree: BTreeMap<&str, &[u8]> = match version {
        Version::Buggy => task.buggy_tree(),
        Version::Reference => task.reference_tree(),
    }
    .into_iter()
    .map(|(path, content)| (path, content.bytes()))
    .collect();
    for (path, content) in changes.iter().filter(|(path, _)| crate::task::paths::check_path(path).is_ok()) {
        match content {
            Some(content) => tree.insert(path, content.bytes()),
            None => tree.remove(path.as_str()),
        };
    }
    let limits = Limits::default().with(&language.limits).lowered(&task.limits);
    let mut sandbox = provider.make(&limits)?;
    let guard = cancel.guard(sandbox.killer());
    let files: Vec<TreeFile<'_>> =
        tree.iter().map(|(path, bytes)| TreeFile { path, bytes, executable: false }).collect();
    let paths: Vec<&str> = tree.keys().copied().collect();
    let sources = language.sources_of(paths.iter().copied());
    let flags = flags_of(task);
    let done = sandbox.put(&files).and_then(|()| {
        let each = |analyser: &Analyser| ask(sandbox.as_mut(), analyser, &sources, &paths, &flags, limits);
        language.analysers.iter().map(each).collect()
    });
    drop(guard);
    // What it leaves is found again at the next start; the remarks are good all the same.
    let _ = sandbox.clean();
    done
}

fn ask(
    sandbox: &mut dyn Sandbox,
    analyser: &Analyser,
    sources: &[&str],
    paths: &[&str],
    flags: &[String],
    limits: Limits,
) -> Result<Analysis, SandboxError> {
    let commands = fill(&analyser.command, sources);
    let mut said = if commands.is_empty() {
        Said::NothingToDo
    } else {
        Said::Remarks { diagnostics: Diagnostics::default(), elsewhere: 0 }
    };
    for command in commands {
        let command = with_flags(command, analyser.form, flags);
        let report = sandbox.execute(&ExecRequest::new(command, limits), &mut Deaf)?;
        let code = match report.exit {
            Exit::Code(code) => code,
            Exit::NotStarted(_) => {
                said = Said::Missing;
                break;
            }
            other => {
                said = Said::Failed(other.to_string());
                break;
            }
        };
        let output = format!("{}\n{}", report.stdout.text(), report.stderr.text());
        if is_missing_module(&output) {
            said = Said::Missing;
            break;
        }
        let found = analyser.form.read(&output);
        if code != 0 && found.items.is_empty() {
            // It did not look at the code: that is no clean bill.
            let why = output.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no output");
            said = Said::Failed(format!("exit code {code}: {}", crate::text::truncate(why, 200)));
            break;
        }
        if let Said::Remarks { diagnostics: all, elsewhere } = &mut said {
            all.left_out += found.left_out;
            let ground = Ground { root: sandbox.work(), files: paths };
            for mut remark in found.items {
                match ground.own(&remark.file) {
                    Some(path) => {
                        remark.file = path;
                        all.items.push(remark);
                    }
                    None => *elsewhere += 1,
                }
            }
        }
    }
    Ok(Analysis { command: analyser.command.clone(), said })
}

/// Where the task's own build looks for headers, and what it defines: without them a C compiler sees another program.
fn flags_of(task: &Task) -> Vec<String> {
    let Some(Command::Arguments(arguments)) = &task.test.build else { return Vec::new() };
    let mut flags = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-I" | "-D" | "-isystem" | "-include" => {
                flags.push(word.clone());
                flags.extend(words.next().cloned());
            }
            _ if word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-std=") => {
                flags.push(word.clone());
            }
            _ => {}
        }
    }
    flags
}

fn with_flags(command: Command, form: Form, flags: &[String]) -> Command {
    match command {
        Command::Arguments(mut words) if matches!(form, Form::Gcc | Form::GccJson) => {
            // Of two `-std` the last one counts, and the task's own is it.
            words.extend(flags.iter().cloned());
            Command::Arguments(words)
        }
        other => other,
    }
}

/// `python -m pylint` where pylint is not installed.
fn is_missing_module(output: &str) -> bool {
    output.lines().count() <= 2 && output.contains("No module named")
}
