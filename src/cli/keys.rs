//! `mendbench keys`.

use super::{DONE, Failure, Output};
use crate::config::Config;
use crate::keymap::Context;
use crate::text::pad;
use crate::theme::Role;
use serde_json::json;

/// Runs the command.
pub fn run(config: &Config, markdown: bool, output: &mut Output) -> Result<u8, Failure> {
    if markdown && !output.json {
        let table = config.keymap.markdown_table();
        output.raw(&table)?;
        return Ok(DONE);
    }
    let mut last: Option<Context> = None;
    // The table goes by what is done; here people look at a place.
    let mut rows: Vec<_> = config.keymap.rows().filter(|(_, _, keys)| !keys.is_empty()).collect();
    rows.sort_by_key(|(context, _, _)| Context::ALL.iter().position(|known| known == context));
    for (context, action, keys) in rows {
        if output.json {
            output.object(&json!({
                "type": "key", "v": 1, "context": context.name(), "action": action.name(), "keys": keys,
                "description": action.description(),
            }))?;
            continue;
        }
        if last != Some(context) {
            if last.is_some() {
                output.line("")?;
            }
            output.styled(&[
                (context.title(), Role::Title),
                ("  ", Role::Text),
                (context.name(), Role::TextDim),
            ])?;
            last = Some(context);
        }
        output.styled(&[
            (&pad(&keys.join("  "), 24), Role::Key),
            (" ", Role::Text),
            (&pad(action.name(), 22), Role::TextDim),
            (action.description(), Role::Text),
        ])?;
    }
    Ok(DONE)
}
