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

/// Runs `run` as a shell waits for a program: Ctrl-Z stops mendbench together with it, Ctrl-C and Ctrl-\\ are the
/// program's alone.
pub(super) fn as_a_shell_waits<T>(run: impl FnOnce() -> T) -> T {
    let _stoppable = Disposition::set(libc::SIGTSTP, libc::SIG_DFL);
    // A function that does nothing, not SIG_IGN, which the program would inherit.
    let nothing = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
    let _interrupt = Disposition::set(libc::SIGINT, nothing);
    let _quit = Disposition::set(libc::SIGQUIT, nothing);
    run()
}

extern "C" fn nothing(_signal: libc::c_int) {}

/// What a signal does, as long as it lives.
struct Disposition {
    signal: libc::c_int,
    earlier: Option<libc::sigaction>,
}

impl Disposition {
    fn set(signal: libc::c_int, handler: libc::sighandler_t) -> Disposition {
        // SAFETY: both structures live on this stack; all zeroes is a valid sigaction (no flags, an empty mask); the
        // handler is SIG_DFL or a function that may be called at any time, as it does nothing.
        let earlier = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            action.sa_flags = libc::SA_RESTART;
            let mut earlier: libc::sigaction = std::mem::zeroed();
            (libc::sigaction(signal, &raw const action, &raw mut earlier) == 0).then_some(earlier)
        };
        Disposition { signal, earlier }
    }
}

impl Drop for Disposition {
    fn drop(&mut self) {
        deliver(self.signal);
        if let Some(earlier) = &self.earlier {
            // SAFETY: `earlier` is what sigaction gave for this signal.
            unsafe { libc::sigaction(self.signal, earlier, std::ptr::null_mut()) };
        }
    }
}

/// Waits until a signal that was sent has been taken by some thread, so that none comes to the handler that is
/// about to return. It is held back in this thread meanwhile, because only then can it be asked for.
fn deliver(signal: libc::c_int) {
    // SAFETY: the sets live on this stack and are initialised by the calls that fill them.
    unsafe {
        let mut held: libc::sigset_t = std::mem::zeroed();
        let mut earlier: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut held);
        libc::sigaddset(&raw mut held, signal);
        if libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, &raw mut earlier) != 0 {
            return;
        }
        let mut pending: libc::sigset_t = std::mem::zeroed();
        for _ in 0..1000 {
            if libc::sigpending(&raw mut pending) != 0 || libc::sigismember(&raw const pending, signal) != 1 {
                break;
            }
            std::thread::yield_now();
        }
        // Where no other thread took it, it comes now.
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const earlier, std::ptr::null_mut());
    }
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
