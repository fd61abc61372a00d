//! Long text on a terminal goes through a pager.
//!
//! Promises: the pager is the user's: the setting `pager`, then `PAGER`, then less; text that fits the screen
//! ends less at once; without a pager the text is printed.

use super::{DONE, Failure, Output};
use std::io::Write;
use std::process::{Command, Stdio};

/// Shows a text that may hold our own colours.
pub fn show(text: &str, configured: &str, output: &mut Output) -> Result<u8, Failure> {
    let variable = std::env::var("PAGER").unwrap_or_default();
    let line = [configured, variable.as_str(), "less"].into_iter().find(|line| !line.trim().is_empty());
    let words = line.and_then(shlex::split).unwrap_or_default();
    let Some((program, arguments)) = words.split_first().filter(|(program, _)| *program != "cat") else {
        output.raw(text)?;
        return Ok(DONE);
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours shown, no pager for what fits, the screen left as it is.
        command.env("LESS", "FRX");
    }
    let Ok(mut pager) = command.spawn() else {
        output.raw(text)?;
        return Ok(DONE);
    };
    if let Some(mut input) = pager.stdin.take() {
        // A pager that is left early closes its input; that is no error of ours.
        let _ = input.write_all(text.as_bytes());
    }
    pager
        .wait()
        .map_err(|error| Failure::infrastructure(format!("the pager `{program}` was lost: {error}")))?;
    Ok(DONE)
}
