//! Where the tasks of a round are, when they are not among those that are open.
//!
//! Promises: the command that opens them together with the round, as far as the round tells where it was drawn from.
//! Leaves to others: whether a task is open.

use super::Context;
use super::rounds::words::command;
use crate::catalogue::{arguments_of, is_at_a_path};
use crate::text;

/// The sentence that says which command opens the tasks of a round, drawn from `source`, for `who`.
pub fn elsewhere(source: &str, who: &str, ctx: &Context) -> String {
    let source = text::sanitise(source);
    if source.is_empty() {
        return "The tasks that the round was drawn from have to be opened.".to_owned();
    }
    if *source == *ctx.origin.label {
        return format!("The round was drawn from {source}, but it is not there any more.");
    }
    let who = if who.trim().is_empty() { "NAME" } else { who };
    let arguments = arguments_of(&source, ctx.workspace.as_deref());
    let words: Vec<&str> = std::iter::once("mendbench").chain(arguments.iter().map(String::as_str)).collect();
    let command = command(&words, who);
    // Where it lies on this machine nobody has told.
    let path = if is_at_a_path(&source) { format!(", with the path of {source}") } else { String::new() };
    format!("The round was drawn from {source}: `{command}` opens both{path}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Origin;
    use crate::tui::widgets::skin::Skin;

    #[test]
    fn the_command_is_told_as_far_as_it_is_known() {
        let mut ctx = Context::new(Skin::plain(true), Origin::samples());
        ctx.workspace = Some("my rounds".to_owned());
        assert_eq!(
            elsewhere("sample-tasks", "anna", &ctx),
            "The round was drawn from sample-tasks: `mendbench sample-tasks --workspace 'my rounds' --as anna` opens \
             both, with the path of sample-tasks."
        );
        assert!(
            elsewhere("workspace rounds", "", &ctx).contains("`mendbench --workspace 'my rounds' --as NAME`")
        );
        assert!(elsewhere("sample tasks", "anna", &ctx).contains("not there any more"));
        ctx.workspace = None;
        assert!(elsewhere("a\u{1b}[31m", "anna", &ctx).contains('\u{241b}'));
        assert!(elsewhere("", "anna", &ctx).contains("have to be opened"));
    }
}
