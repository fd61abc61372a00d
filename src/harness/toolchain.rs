//! Where the tools of a language lie on this machine.
//!
//! Promises: asks the command that the user's configuration names, once, outside the sandbox, with a deadline; folders
//! that every sandbox shows anyway are left out. Leaves to others: showing them to a sandbox (`sandbox::local`).

use crate::task::Command;
use crate::text::truncate;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

/// Longest time that a toolchain may take to answer.
const DEADLINE: Duration = Duration::from_secs(20);
/// Most bytes of an answer.
const MOST: u64 = 64 * 1024;
/// Folders that every sandbox shows.
const SHOWN: [&str; 5] = ["/usr", "/bin", "/lib", "/lib64", "/sbin"];

/// The tools of a language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// What they call themselves, part of a request's environment.
    pub versions: Vec<String>,
    /// Folders that go into `PATH`.
    pub search: Vec<PathBuf>,
    /// Folders that must be readable.
    pub readable: Vec<PathBuf>,
}

/// Asks. The error says why nothing is known: mostly that the tools are not installed.
pub fn find(command: &Command) -> Result<Toolchain, String> {
    let (program, arguments): (&str, Vec<&str>) = match command {
        Command::Arguments(words) => match words.split_first() {
            Some((program, rest)) => (program, rest.iter().map(String::as_str).collect()),
            None => return Ok(Toolchain::default()),
        },
        Command::Shell(line) => ("sh", vec!["-c", line]),
    };
    let mut child = std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{program}`: {error}"))?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = stdout.take(MOST).read_to_end(&mut text);
            // Nobody listens any more when the deadline has passed.
            let _ = sender.send(read.map(|_| text));
        });
    }
    let answer = receiver.recv_timeout(DEADLINE);
    if answer.is_err() {
        // It may have ended by itself meanwhile; then there is nothing to kill.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("`{program}`: {error}"))?;
    match answer {
        Ok(Ok(text)) if status.success() => Ok(read_answer(&String::from_utf8_lossy(&text))),
        Ok(Ok(_)) => Err(format!("`{}` ended with {status}", truncate(&command.display(), 60))),
        Ok(Err(error)) => Err(format!("`{program}`: {error}")),
        Err(_) => Err(format!("`{program}` did not answer within {} s", DEADLINE.as_secs())),
    }
}

fn read_answer(text: &str) -> Toolchain {
    let mut toolchain = Toolchain::default();
    for line in text.lines() {
        match line.trim().split_once(' ') {
            Some(("version", version)) => toolchain.versions.push(version.trim().to_owned()),
            Some(("search", folder)) => add(&mut toolchain.search, folder.trim()),
            Some(("read", folder)) => add(&mut toolchain.readable, folder.trim()),
            _ => {}
        }
    }
    toolchain
}

fn add(folders: &mut Vec<PathBuf>, folder: &str) {
    let path = Path::new(folder);
    let shown = SHOWN.iter().any(|shown| path.starts_with(shown));
    if path.is_absolute() && path != Path::new("/") && !shown && !folders.iter().any(|known| known == path) {
        folders.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_line_by_line() {
        let found = read_answer(
            "version Python 3.11.7\nsearch /opt/py/bin\nread /opt/py\nread /opt/py\nread /usr/lib\nsearch bin\n\
             read /\nwhatever\n",
        );
        assert_eq!(found.versions, ["Python 3.11.7"]);
        assert_eq!(found.search, [PathBuf::from("/opt/py/bin")]);
        assert_eq!(found.readable, [PathBuf::from("/opt/py")]);
    }

    #[test]
    fn what_fails_says_why() {
        let missing = Command::Arguments(vec!["no-such-program-anywhere".to_owned()]);
        assert!(find(&missing).is_err_and(|why| why.contains("no-such-program-anywhere")));
        let failing = Command::Shell("echo version 1; exit 3".to_owned());
        assert!(find(&failing).is_err_and(|why| why.contains("3")));
        let good = Command::Shell("echo version 1".to_owned());
        assert_eq!(find(&good).map(|found| found.versions), Ok(vec!["1".to_owned()]));
    }
}
