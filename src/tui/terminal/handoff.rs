//! Lending the terminal to another program, `$EDITOR` above all.
//!
//! Promises: VISUAL comes before EDITOR, arguments in them work, and editors that can are sent to the line;
//! Ctrl-C and Ctrl-Z act on the program as they would in a shell; keys typed ahead are not taken for commands.
//! Leaves to others: giving the terminal back and taking it again (`Terminal::released`).

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use thiserror::Error;

/// No editor could be run.
#[derive(Debug, Error)]
pub enum EditorError {
    /// A variable that cannot be read as a command.
    #[error(
        "{variable} is `{value}`, which cannot be read as a command: a quote is not closed; set {variable} to a program and its arguments"
    )]
    Unreadable {
        /// VISUAL or EDITOR.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// A program that does not start.
    #[error(
        "`{program}` could not be started: {source}; set VISUAL or EDITOR to an editor that is installed"
    )]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

/// The editor and its arguments that these environment variables name; `vi` where they name none.
pub fn editor_from_environment(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<String>, EditorError> {
    for name in ["VISUAL", "EDITOR"] {
        let value = variable(name).unwrap_or_default();
        if value.trim().is_empty() {
            continue;
        }
        return match shlex::split(&value) {
            Some(words) if !words.is_empty() => Ok(words),
            _ => Err(EditorError::Unreadable { variable: name, value }),
        };
    }
    Ok(vec!["vi".to_owned()])
}

/// The arguments that open `path` at `line` (from 1) in the editor with this program name.
pub fn editor_arguments(program: &str, path: &Path, line: Option<usize>) -> Vec<String> {
    let path = path.to_string_lossy().into_owned();
    let name = Path::new(program).file_name().map_or(program.into(), |name| name.to_string_lossy());
    let Some(line) = line else { return vec![path] };
    match name.as_ref() {
        "vi" | "vim" | "nvim" | "view" | "nano" | "pico" | "micro" | "kak" | "emacs" | "emacsclient"
        | "mg" | "joe" | "less" => vec![format!("+{line}"), path],
        "hx" | "helix" | "zed" | "subl" => vec![format!("{path}:{line}")],
        "code" | "code-insiders" | "codium" | "cursor" => {
            vec!["--wait".to_owned(), "--goto".to_owned(), format!("{path}:{line}")]
        }
        _ => vec![path],
    }
}

/// Runs `editor` on `path` and waits for it.
pub fn run_editor(editor: &[String], path: &Path, line: Option<usize>) -> Result<ExitStatus, EditorError> {
    let Some((program, arguments)) = editor.split_first() else {
        let source = io::Error::from(io::ErrorKind::NotFound);
        return Err(EditorError::NotStarted { program: String::new(), source });
    };
    Command::new(program)
        .args(arguments)
        .args(editor_arguments(program, path, line))
        .status()
        .map_err(|source| EditorError::NotStarted { program: program.clone(), source })
}

/// Runs `run` with Ctrl-Z acting as in a shell: it stops mendbench together with the program it waits for. (Ctrl-C
/// and Ctrl-\ are caught and forgotten: they are the program's.)
pub(super) fn as_a_shell_waits<T>(run: impl FnOnce() -> T) -> T {
    let _stoppable = Stoppable::new();
    run()
}

/// While it lives, SIGTSTP does what it does by default.
struct Stoppable {
    earlier: Option<libc::sigaction>,
}

impl Stoppable {
    fn new() -> Stoppable {
        // SAFETY: both structures live on this stack; all zeroes is a valid sigaction (SIG_DFL, no flags, an
        // empty mask); sigaction has no other requirement.
        let earlier = unsafe {
            let default: libc::sigaction = std::mem::zeroed();
            let mut earlier: libc::sigaction = std::mem::zeroed();
            (libc::sigaction(libc::SIGTSTP, &raw const default, &raw mut earlier) == 0).then_some(earlier)
        };
        Stoppable { earlier }
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        if let Some(earlier) = &self.earlier {
            // SAFETY: `earlier` is what sigaction gave for this signal.
            unsafe { libc::sigaction(libc::SIGTSTP, earlier, std::ptr::null_mut()) };
        }
    }
}

/// Drops what was typed and not read.
pub(super) fn discard_typed_ahead() {
    let _ = rustix::termios::tcflush(rustix::stdio::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn visual_comes_before_editor_and_arguments_work() {
        let editor = |visual: &str, editor: &str| {
            editor_from_environment(|name| match name {
                "VISUAL" => Some(visual.to_owned()),
                "EDITOR" => Some(editor.to_owned()),
                _ => None,
            })
        };
        assert_eq!(editor("code --wait", "vim").unwrap(), ["code", "--wait"]);
        assert_eq!(editor(" ", "'/opt/my editor/ed' -n").unwrap(), ["/opt/my editor/ed", "-n"]);
        assert_eq!(editor("", "").unwrap(), ["vi"]);
        let message = editor("vim 'oops", "").unwrap_err().to_string();
        assert!(message.starts_with("VISUAL is `vim 'oops`"), "{message}");
    }

    #[test]
    fn editors_are_sent_to_the_line_where_they_can_be() {
        let path = Path::new("src/ring.c");
        let arguments = |program, line| editor_arguments(program, path, line).join(" ");
        assert_eq!(arguments("/usr/bin/nvim", Some(7)), "+7 src/ring.c");
        assert_eq!(arguments("hx", Some(7)), "src/ring.c:7");
        assert_eq!(arguments("code", Some(7)), "--wait --goto src/ring.c:7");
        assert_eq!(arguments("unknown", Some(7)), "src/ring.c");
        assert_eq!(arguments("vim", None), "src/ring.c");
    }

    #[test]
    fn an_editor_that_is_missing_is_named() {
        let editor = vec!["mendbench-no-such-editor".to_owned()];
        let message = run_editor(&editor, Path::new("x"), None).unwrap_err().to_string();
        assert!(message.contains("`mendbench-no-such-editor` could not be started"), "{message}");
    }
}
