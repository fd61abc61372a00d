//! The parts of the newest tree that a prompt shows.
//!
//! Promises: what a form shows is what its answer replaces: functions, a marked place, files. A mark is a word that
//! the shown text does not hold. Nothing is cut but the surroundings, which say so.
//! Leaves to others: the words around it (`build`, templates).

use super::error::PromptError;
use super::fence::{fenced, inline};
use crate::repair::file::{FileText, plain};
use crate::repair::find;
use crate::repair::form::{Current, Form, Place};
use crate::syntax::language::language_of_file;
use crate::syntax::outline;
use crate::task::{Target, Task};
use std::ops::Range;

/// Lines that are shown around a place outside of every function.
const AROUND: u32 = 40;
/// Longest surroundings, in characters.
const MOST_SURROUNDINGS: usize = 20_000;

/// A piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// What it is, with its place.
    pub label: String,
    /// The code in its fence.
    pub text: String,
    /// The word that stands for missing lines.
    pub mark: Option<String>,
    /// The lines that it stands for, in their fence.
    pub marked: Option<String>,
}

/// What a prompt shows of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct View {
    /// The code that is to be changed.
    pub code: Vec<Part>,
    /// What stands around it in the same files.
    pub around: Vec<Part>,
}

/// A file as it is shown.
struct Shown<'a> {
    path: &'a str,
    language: &'a str,
    text: String,
}

impl<'a> Shown<'a> {
    fn read(task: &'a Task, current: &Current<'_>, path: &'a str) -> Result<Shown<'a>, PromptError> {
        let content = current.get(path).ok_or_else(|| PromptError::NoFile(shown(path)))?;
        let text = FileText::read(content).ok_or_else(|| PromptError::NotText(shown(path)))?;
        let text = plain(&text.text).into_owned();
        Ok(Shown { path, language: language_of_file(path, &task.language), text })
    }

    fn whole(&self) -> Part {
        Part { label: inline(self.path), text: fenced(&self.text, self.language), mark: None, marked: None }
    }
}

fn shown(path: &str) -> String {
    crate::text::sanitise(path).into_owned()
}

/// What a form shows.
pub(super) fn view(
    task: &Task,
    current: &Current<'_>,
    form: Form,
    place: Option<&Place>,
) -> Result<View, PromptError> {
    match form {
        Form::Hunk | Form::Line => {
            let place = place.ok_or(PromptError::NoPlace(form))?;
            let file = Shown::read(task, current, &place.file)?;
            Ok(masked(&file, &place.lines))
        }
        Form::Function => functions(task, current),
        _ => {
            let mut view = View::default();
            for path in target_files(&task.targets) {
                view.code.push(Shown::read(task, current, path)?.whole());
            }
            Ok(view)
        }
    }
}

fn target_files(targets: &[Target]) -> Vec<&str> {
    let mut files: Vec<&str> = Vec::new();
    for target in targets {
        if !files.contains(&target.file.as_str()) {
            files.push(&target.file);
        }
    }
    files
}

/// The target functions; a file whose function is not named, or not found, as a whole.
fn functions(task: &Task, current: &Current<'_>) -> Result<View, PromptError> {
    let mut view = View::default();
    for path in target_files(&task.targets) {
        let file = Shown::read(task, current, path)?;
        let wanted = task.targets.iter().filter(|target| target.file == path);
        let names: Option<Vec<&str>> = wanted.map(|target| target.function.as_deref()).collect();
        let spans = names.and_then(|names| spans(&file, &names));
        let Some(spans) = spans else {
            view.code.push(file.whole());
            continue;
        };
        for (name, bytes) in &spans {
            view.code.push(Part {
                label: format!("{} of {}", inline(name), inline(path)),
                text: fenced(&dedented(&file.text, bytes), file.language),
                mark: None,
                marked: None,
            });
        }
        let ranges: Vec<Range<usize>> = spans.into_iter().map(|(_, bytes)| bytes).collect();
        view.around.extend(around(&file, &ranges));
    }
    Ok(view)
}

/// Names and bytes of functions, in order; `None` when one of them is not found.
fn spans(file: &Shown<'_>, names: &[&str]) -> Option<Vec<(String, Range<usize>)>> {
    let outline = outline(file.language, &file.text)?;
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    for name in names {
        let definitions = find::functions(&outline, name);
        if definitions.is_empty() {
            return None;
        }
        for definition in definitions {
            let bytes = definition.span.bytes.clone();
            if !found.iter().any(|(_, known)| known.start < bytes.end && bytes.start < known.end) {
                found.push((definition.span.qualified.clone(), bytes));
            }
        }
    }
    found.sort_by_key(|(_, bytes)| bytes.start);
    Some(found)
}

/// A part of a text from the start of its first line on.
fn dedented(text: &str, bytes: &Range<usize>) -> String {
    let before = text.get(..bytes.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let indent = text.get(line..bytes.start).unwrap_or_default();
    // Code before it on the same line is not the function's.
    let start = if indent.trim().is_empty() { line } else { bytes.start };
    text.get(start..bytes.end).unwrap_or_default().to_owned()
}

/// A file without some of its parts, where something is left.
fn around(file: &Shown<'_>, without: &[Range<usize>]) -> Option<Part> {
    let mark = mark("<CODE>", &file.text);
    let mut lines: Vec<String> = Vec::new();
    let (mut at, mut places) = (0, Vec::new());
    for bytes in without {
        let before = file.text.get(at..bytes.start).unwrap_or_default();
        lines.extend(before.trim_end().lines().map(str::to_owned));
        places.push(lines.len());
        lines.push(mark.clone());
        at = bytes.end;
    }
    let after = file.text.get(at..).unwrap_or_default().trim_end();
    let after = after.strip_prefix('\n').unwrap_or(after);
    // One blank line is left of several.
    let kept = if after.starts_with('\n') { after.trim_start_matches('\n') } else { after };
    lines.extend((kept.len() < after.len()).then(String::new));
    lines.extend(kept.lines().map(str::to_owned));
    let has_more = lines.iter().any(|line| !line.trim().is_empty() && *line != mark);
    has_more.then_some(())?;
    let (text, is_cut) = near(&lines, &places);
    let cut = if is_cut { ", as far as it is near" } else { "" };
    Some(Part {
        label: format!(
            "The rest of {}{cut}, with {} in the place of the code below",
            inline(file.path),
            inline(&mark)
        ),
        text: fenced(&text, file.language),
        mark: None,
        marked: None,
    })
}

/// The lines nearest to some places, as many as may be shown, and whether any are missing.
fn near(lines: &[String], places: &[usize]) -> (String, bool) {
    let total: usize = lines.iter().map(|line| line.len() + 1).sum();
    if total <= MOST_SURROUNDINGS {
        return (lines.join("\n"), false);
    }
    let distance = |at: usize| places.iter().map(|place| place.abs_diff(at)).min().unwrap_or(at);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| (distance(*at), *at));
    let mut room = MOST_SURROUNDINGS;
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        let length = lines[at].len() + 1;
        if length > room {
            break;
        }
        room -= length;
        kept.push(at);
    }
    kept.sort_unstable();
    let mut text = String::new();
    let mut next = 0;
    for at in kept {
        if at > next {
            text.push_str("…\n");
        }
        text.push_str(&lines[at]);
        text.push('\n');
        next = at + 1;
    }
    if next < lines.len() {
        text.push('…');
    }
    (text, true)
}

/// The function around a place, with the lines of the place hidden behind a mark.
fn masked(file: &Shown<'_>, place: &Range<u32>) -> View {
    let lines: Vec<&str> = file.text.lines().collect();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let place = place.start.min(total)..place.end.clamp(place.start.min(total), total);
    let outline = outline(file.language, &file.text);
    let holding = outline.as_ref().and_then(|outline| {
        let holds = |span: &Range<u32>| span.start <= place.start && place.end <= span.end;
        let spans = outline.definitions.iter().map(|definition| &definition.span);
        spans.filter(|span| holds(&span.lines)).max_by_key(|span| span.depth)
    });
    let (label, window) = match holding {
        Some(span) => (format!("{} of {}", inline(&span.qualified), inline(file.path)), span.lines.clone()),
        None => {
            let window = place.start.saturating_sub(AROUND)..place.end.saturating_add(AROUND).min(total);
            let is_whole = window == (0..total);
            let part = if is_whole { "" } else { "A part of " };
            (format!("{part}{}", inline(file.path)), window)
        }
    };
    let of = |range: Range<u32>| -> &[&str] {
        lines.get(range.start as usize..range.end.min(total) as usize).unwrap_or_default()
    };
    let mark = mark("<MASK>", &file.text);
    let indent: String = of(place.start..total)
        .iter()
        .find(|line| !line.trim().is_empty())
        .map(|line| line.chars().take_while(|character| character.is_whitespace()).collect())
        .unwrap_or_default();
    let marked_line = format!("{indent}{mark}");
    let mut text: Vec<&str> = of(window.start..place.start).to_vec();
    text.push(&marked_line);
    text.extend(of(place.end..window.end.max(place.end)));
    let hidden = of(place.clone()).join("\n");
    View {
        code: vec![Part {
            label,
            text: fenced(&text.join("\n"), file.language),
            mark: Some(mark),
            marked: (!place.is_empty()).then(|| fenced(&hidden, file.language)),
        }],
        around: Vec::new(),
    }
}

/// A word that a text does not hold.
fn mark(word: &str, text: &str) -> String {
    let name = word.trim_matches(['<', '>']);
    let numbered = (2..).map(|number| format!("<{name}-{number}>"));
    // Of as many words as the text has bytes, one is not in it.
    std::iter::once(word.to_owned())
        .chain(numbered)
        .find(|mark| !text.contains(mark.as_str()))
        .unwrap_or_default()
}
