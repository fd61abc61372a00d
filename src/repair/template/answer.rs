//! What the baseline says: a reason in one or two sentences, then code in the form that was asked for.
//!
//! Promises: laid into the tree that the turn starts from, the answer gives the buggy tree with this candidate alone,
//! whatever earlier candidates changed in the files that are answered about; extraction finds it.
//! Leaves to others: streaming it (`runner`).

use super::candidates::Candidate;
use super::code::{Code, Unit};
use crate::diff::Patch;
use crate::repair::file::{FileText, plain};
use crate::repair::form::{Current, Form};
use crate::task::{Content, Task};
use std::borrow::Cow;

/// Forms that the baseline cannot answer in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the template baseline cannot answer in the form `{0}`: it changes a function or file at a place of its own choice; ask for function, file, patch or search-replace"
)]
pub struct CannotAnswer(pub Form);

/// What is said about a candidate, none: there is no further one. `current` is the tree that the turn starts from.
///
/// # Errors
///
/// The form names its own place, so the baseline cannot use it.
pub fn answer(
    task: &Task,
    candidate: Option<&Candidate>,
    form: Form,
    current: &Current<'_>,
) -> Result<String, CannotAnswer> {
    if matches!(form, Form::Hunk | Form::Line) {
        return Err(CannotAnswer(form));
    }
    let Some(candidate) = candidate else {
        return Ok("This is the template baseline, which understands nothing of the code. Its templates have no further \
                   candidate for this task."
            .to_owned());
    };
    let code = Code::of_task(task);
    let said = format!(
        "This is the template baseline: it understands nothing of the code and tries one small change a turn.\n\n\
         Candidate {} in `{}`, {} ({}).\n\n",
        candidate.number, candidate.file, candidate.reason, candidate.template
    );
    let changed: Vec<(&Unit<'_>, Cow<'_, str>)> = code
        .units
        .iter()
        .filter_map(|unit| {
            let own = unit.path == candidate.file;
            let new = if own { Cow::Borrowed(candidate.text.as_str()) } else { unit.file.text.clone() };
            let old = current.get(unit.path).copied().and_then(FileText::read);
            (own || old.is_none_or(|old| old.text != new)).then_some((unit, new))
        })
        .collect();
    let blocks: Vec<String> = changed
        .iter()
        .map(|(unit, new)| match form {
            Form::Patch => patch(unit, new, current),
            Form::SearchReplace => replacement(unit, new, current),
            Form::File => file(unit, new),
            _ => function(unit, new, candidate),
        })
        .collect();
    Ok(match form {
        Form::Patch => said + &fenced(&blocks.concat(), "diff"),
        Form::SearchReplace => said + &fenced(&blocks.concat(), ""),
        _ => said + &blocks.join("\n"),
    })
}

fn file(unit: &Unit<'_>, new: &str) -> String {
    format!("{}\n{}", unit.path, fenced(new, unit.language))
}

/// The functions that were to be changed, or the file where there is none.
fn function(unit: &Unit<'_>, new: &str, candidate: &Candidate) -> String {
    if !unit.in_functions {
        return file(unit, new);
    }
    let scopes = if unit.path == candidate.file { &candidate.functions } else { &unit.scopes };
    let functions: Vec<&str> = scopes
        .iter()
        .map(|scope| {
            let line = new.get(..scope.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            let blanks = new.get(line..scope.start).is_some_and(|before| before.trim().is_empty());
            new.get(if blanks { line } else { scope.start }..scope.end).unwrap_or_default()
        })
        .collect();
    fenced(&functions.join("\n\n"), unit.language)
}

/// The old bytes of a file: those that the turn starts from.
fn old<'a>(unit: &Unit<'a>, current: &Current<'a>) -> &'a Content {
    current.get(unit.path).copied().unwrap_or(unit.content)
}

fn patch(unit: &Unit<'_>, new: &str, current: &Current<'_>) -> String {
    let Ok(content) = unit.file.content(new) else { return String::new() };
    let old = current.get(unit.path).map(|content| content.bytes());
    let patch = Patch::between(&[(unit.path, old, Some(content.bytes()))], 3).write();
    String::from_utf8_lossy(&patch).into_owned()
}

/// One block: the lines that differ, with as many around them as it takes to be found once.
fn replacement(unit: &Unit<'_>, new: &str, current: &Current<'_>) -> String {
    let Some(file) = FileText::read(old(unit, current)) else { return String::new() };
    let (old, new) = (plain(&file.text), plain(new));
    let (olds, news): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(one, two)| one == two).count();
    let mut before = same(&mut olds.iter().zip(&news));
    let shorter = olds.len().min(news.len()) - before;
    let mut after = same(&mut olds.iter().rev().zip(news.iter().rev())).min(shorter);
    loop {
        let search = &olds[before..olds.len() - after];
        let found = match search.len() {
            0 => 2,
            length => olds.windows(length).filter(|lines| *lines == search).take(2).count(),
        };
        if found == 1 || (before == 0 && after == 0) {
            let replace = news[before..news.len() - after].join("\n");
            let replace = if replace.is_empty() { replace } else { replace + "\n" };
            return format!(
                "{}\n<<<<<<< SEARCH\n{}\n=======\n{replace}>>>>>>> REPLACE\n",
                unit.path,
                search.join("\n")
            );
        }
        before = before.saturating_sub(1);
        after = after.saturating_sub(1);
    }
}

/// Text in a fence that it cannot leave.
fn fenced(text: &str, info: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let text = plain(text);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info}\n{text}{end}{fence}\n")
}
