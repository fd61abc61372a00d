//! `mendbench label`: labels for scripts, taken back, listed, carried from one machine to another.
//!
//! Promises: what is printed as saved is on disk; of many answers on stdin each stands for itself, bad lines are
//! told with their numbers and the others kept (exit code 1). With `--json`, one object a line: `label-saved` (also
//! for what was taken back: `undone`), `label-problem`, `label`, `stale-label`, `label-conflict`, `item-missing`,
//! `label-export`, `label-import`, `label-seal`.
//! Leaves to others: rules (`label`), keeping (`study`).

mod convert;
mod exchange;
mod flags;
mod list;
mod set;

pub use flags::Label;

use super::study::{failure, studies};
use super::{Arguments, DONE, Failure, Output};
use crate::config::Config;
use crate::label::event::What;
use crate::study::Desk;
use flags::{Mark, Of};
use serde_json::json;

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Label, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    match what {
        Label::Set(what) => set::run(arguments, what, config, output),
        Label::Undo(of) => set::undo(arguments, of, config, output),
        Label::List(what) => list::run(arguments, what, config, output),
        Label::Skip(what) => {
            let why = what.text.clone().unwrap_or_default();
            let on = !what.off;
            let skipped = move |item| What::Skipped { item, on, why: why.clone() };
            mark(arguments, what, config, &skipped, if on { "put aside" } else { "taken up again" }, output)
        }
        Label::Flag(what) => {
            let on = !what.off;
            let words = if on { "marked" } else { "no longer marked" };
            mark(arguments, what, config, &move |item| What::Flagged { item, on }, words, output)
        }
        Label::Note(what) => {
            let text = what.text.clone().filter(|_| !what.off).unwrap_or_default();
            let words = if text.is_empty() { "note taken away" } else { "noted" };
            let noted = move |item| What::Noted { item, text: text.clone() };
            mark(arguments, what, config, &noted, words, output)
        }
        Label::Export(what) => exchange::export(arguments, what, config, output),
        Label::Convert(what) => convert::run(what, config, output),
        Label::Import(what) => exchange::import(arguments, what, config, output),
        Label::Seal(what) => exchange::seal(arguments, what, config, output),
        Label::Reveal(what) => exchange::reveal(arguments, what, config, output),
    }
}

fn desk(arguments: &Arguments, of: &Of, config: &Config) -> Result<Desk, Failure> {
    let name = of.identity.of(config)?;
    studies(arguments)?.desk(of.round.as_deref(), &name).map_err(failure)
}

fn mark(
    arguments: &Arguments,
    what: &Mark,
    config: &Config,
    mark: &dyn Fn(String) -> What,
    words: &str,
    output: &mut Output,
) -> Result<u8, Failure> {
    let desk = desk(arguments, &what.of, config)?;
    let item = desk.writer().map_err(failure)?.mark(&what.item, mark).map_err(failure)?;
    if output.json {
        output.object(&json!({
            "type": "label-saved", "v": 1, "round": desk.round.name, "item": item, "mark": words,
        }))?;
    } else {
        output.line(&format!("{item}: {words}"))?;
    }
    Ok(DONE)
}
