//! `mendbench themes`.

use super::{DONE, Failure, Output};
use crate::config::Config;
use crate::text::pad;
use crate::theme::{ColourDepth, Painter, Role};
use serde_json::json;

/// Runs the command.
pub fn run(config: &Config, preview: bool, output: &mut Output) -> Result<u8, Failure> {
    let (themes, errors) = config.themes();
    for theme in &themes {
        if output.json {
            output.object(&json!({
                "type": "theme", "v": 1, "name": theme.name, "title": theme.title,
                "appearance": theme.appearance.as_str(),
            }))?;
            continue;
        }
        output.styled(&[
            (&pad(&theme.name, 20), Role::Accent),
            (&pad(theme.appearance.as_str(), 7), Role::TextDim),
            (&theme.title, Role::Text),
        ])?;
        if preview {
            let depth = if output.depth == ColourDepth::None { ColourDepth::None } else { output.depth };
            let shown = theme.quantise(depth);
            let mut line = String::from("    ");
            let mut painter = Painter::default();
            for (role, text) in [
                (Role::Selection, " selection "),
                (Role::DiffRemoved, " - removed "),
                (Role::DiffRemovedWord, "word"),
                (Role::DiffAdded, " + added "),
                (Role::DiffAddedWord, "word"),
                (Role::SyntaxKeyword, " return "),
                (Role::SyntaxString, "\"text\" "),
                (Role::SyntaxComment, "/* comment */ "),
                (Role::StatusError, "error"),
            ] {
                if depth == ColourDepth::None {
                    line.push_str(text);
                } else {
                    painter.paint(&mut line, shown.style(role), text);
                }
            }
            painter.finish(&mut line);
            line.push('\n');
            output.raw(&line)?;
        }
    }
    for error in errors {
        output.note(&error.to_string());
    }
    Ok(DONE)
}
