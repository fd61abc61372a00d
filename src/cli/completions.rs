//! `mendbench completions SHELL`.

use super::{Arguments, DONE, Failure};
use std::io::Write;

/// Runs the command.
pub fn run(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::description(), "mendbench", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(DONE)
}
