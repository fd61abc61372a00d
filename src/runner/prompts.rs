//! Laying out the prompt that the machine wants.
//!
//! Promises: the same task, cell, code and texts give the same prompt. Leaves to others: the words (`repair::prompt`),
//! keeping it (`trajectory`).

use super::contents::Contents;
use super::error::RunnerError;
use crate::harness::Changes;
use crate::repair::cell::{Cell, Context, Hint};
use crate::repair::event::{Call, ContentHash, Exposures};
use crate::repair::machine::Exchange;
use crate::repair::prompt::{
    Example, HelperRequest, Prompt, PromptError, PromptRequest, Templates, Told, choose_examples,
    follow_place, reference_places,
};
use crate::repair::{Current, Form, Place};
use crate::task::{Content, Task};

/// Examples that are shown, by the techniques that show some.
const EXAMPLES: usize = 2;

/// What a prompt is made of.
pub(super) struct Wanted<'a> {
    pub task: &'a Task,
    pub cell: &'a Cell,
    pub call: Call,
    pub code: &'a Changes,
    pub feedback: Option<&'a (ContentHash, Exposures)>,
    pub preliminary: &'a [ContentHash],
    pub continues: Option<&'a Exchange>,
    pub restate_code: bool,
}

/// Why there is no prompt.
pub(super) enum NoPrompt {
    /// It cannot be laid out: asking again would not help.
    Prompt(PromptError),
    /// The record failed.
    Runner(RunnerError),
}

impl From<PromptError> for NoPrompt {
    fn from(error: PromptError) -> NoPrompt {
        NoPrompt::Prompt(error)
    }
}

impl From<RunnerError> for NoPrompt {
    fn from(error: RunnerError) -> NoPrompt {
        NoPrompt::Runner(error)
    }
}

/// The buggy tree with changes laid over it.
pub(super) fn tree<'a>(task: &'a Task, code: &'a Changes) -> Current<'a> {
    let mut tree = task.buggy_tree();
    for (path, content) in code {
        match content {
            Some(content) => tree.insert(path, content),
            None => tree.remove(path.as_str()),
        };
    }
    tree
}

/// Where the reference changes something, as lines of the newest tree; places that cannot be followed are left out.
pub(super) fn places(task: &Task, current: &Current<'_>) -> Vec<Place> {
    let buggy = task.buggy_tree();
    let text =
        |content: Option<&&Content>| content.and_then(|content| content.text()).map(|text| text.into_owned());
    let followed = reference_places(task).into_iter().filter_map(|place| {
        let old = text(buggy.get(place.file.as_str()))?;
        let new = text(current.get(place.file.as_str()))?;
        let lines = follow_place(&place.lines, &old, &new)?;
        Some(Place { file: place.file, lines })
    });
    followed.collect()
}

/// The lines that a cell's prompts mark, in the newest tree.
pub(super) fn place(task: &Task, cell: &Cell, current: &Current<'_>) -> Option<Place> {
    matches!(cell.form, Form::Hunk | Form::Line).then(|| places(task, current).into_iter().next()).flatten()
}

/// Lays a prompt out.
pub(super) fn build(
    templates: &Templates,
    examples: &[Example],
    contents: &Contents,
    wanted: &Wanted<'_>,
) -> Result<Prompt, NoPrompt> {
    let Wanted { task, cell, .. } = *wanted;
    let current = tree(task, wanted.code);
    if wanted.call == Call::Helper {
        let request = HelperRequest { task, current: &current, kind: cell.feedback };
        return Ok(templates.helper(&request)?);
    }
    let marked = place(task, cell, &current);
    let locations = if cell.hints.contains(&Hint::Location) { places(task, &current) } else { Vec::new() };
    let code = shown(task, &current);
    let chosen = choose_examples(cell.technique, task, &code, examples, EXAMPLES, cell.seed.unwrap_or(0));
    let feedback = wanted.feedback.map(|(hash, exposure)| contents.text(hash).map(|text| (text, exposure)));
    let feedback = feedback.transpose()?;
    let texts = wanted.preliminary.iter().map(|hash| contents.text(hash)).collect::<Result<Vec<_>, _>>()?;
    let preliminary: Vec<&str> = texts.iter().map(String::as_str).collect();
    let before = wanted.continues.map(|exchange| {
        Ok::<_, RunnerError>((contents.prompt(&exchange.prompt)?, contents.text(&exchange.answer)?))
    });
    let before = before.transpose()?;
    let request = PromptRequest {
        task,
        cell,
        current: &current,
        place: marked.as_ref(),
        locations: &locations,
        context: &[],
        feedback: feedback.as_ref().map(|(text, exposure)| Told { text, exposure }),
        examples: &chosen,
        preliminary: &preliminary,
        continues: before.as_ref().map(|(prompt, answer)| (prompt.messages.as_slice(), answer.as_str())),
        restate_code: wanted.restate_code,
    };
    match wanted.call {
        Call::Preliminary(number) => match templates.preliminary(&request, number)? {
            Some(prompt) => Ok(prompt),
            None => {
                let technique = cell.technique;
                let needed = technique.preliminary_calls();
                Err(PromptError::Preliminary { technique, needed, found: number as usize }.into())
            }
        },
        _ => Ok(templates.repair(&request)?),
    }
}

/// The code of the task's targets, for finding examples that are like it.
fn shown(task: &Task, current: &Current<'_>) -> String {
    let files = task.targets.iter().filter_map(|target| current.get(target.file.as_str()));
    files.filter_map(|content| content.text()).collect::<Vec<_>>().join("\n")
}

/// Whether a task can be asked about in a cell; the first prompt, for those who want to see it.
pub(super) fn check(
    templates: &Templates,
    examples: &[Example],
    contents: &Contents,
    task: &Task,
    cell: &Cell,
) -> Result<Prompt, RunnerError> {
    let refuse = |why: String| RunnerError::Task { task: task.name().to_string(), why };
    if !matches!(cell.context, Context::Task | Context::None) {
        return Err(refuse(format!(
            "the context `{}` needs a repository, which is not fetched yet: use `task` or `none`",
            cell.context
        )));
    }
    if let Some(kind) = cell.told()
        && cell.feedback_source == crate::repair::cell::FeedbackSource::Stored
        && !task.feedback.contains_key(&kind)
    {
        return Err(refuse(format!(
            "it brings no stored feedback `{kind}`: choose another kind, or feedback that is made fresh"
        )));
    }
    let call = if cell.technique.preliminary_calls() > 0 { Call::Preliminary(1) } else { Call::Repair };
    let code = Changes::new();
    let wanted = Wanted {
        task,
        cell,
        call,
        code: &code,
        feedback: None,
        preliminary: &[],
        continues: None,
        restate_code: false,
    };
    match build(templates, examples, contents, &wanted) {
        Ok(prompt) => Ok(prompt),
        Err(NoPrompt::Prompt(error)) => Err(refuse(error.to_string())),
        Err(NoPrompt::Runner(error)) => Err(error),
    }
}
