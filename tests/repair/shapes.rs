//! A task's reference as an answer, in the shapes that models give.

use mendbench::diff::{LineKind, Patch};
use mendbench::repair::Form;
use mendbench::syntax::{FunctionSpan, functions};
use mendbench::task::{Content, Task};
use std::collections::BTreeMap;

/// A shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The whole file in a fence.
    WholeFile,
    /// The function in a fence, as it stands in the file from the beginning of its first line.
    Function,
    /// The lines of the body.
    Body,
    /// A unified diff.
    Patch,
    /// A unified diff whose line numbers are all wrong.
    ShiftedPatch,
    /// A unified diff whose counts are wrong too, without file names.
    BarePatch,
    /// One SEARCH/REPLACE block for each hunk.
    SearchReplace,
    /// The patch of `*** Begin Patch`.
    Envelope,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 8] = [
        Shape::WholeFile,
        Shape::Function,
        Shape::Body,
        Shape::Patch,
        Shape::ShiftedPatch,
        Shape::BarePatch,
        Shape::SearchReplace,
        Shape::Envelope,
    ];

    /// Whether the shape can say that the file ends with a line end, or without one. A fence cannot, and the
    /// file's own habit stays; then the two trees are compared without it.
    pub fn says_final_line_end(self) -> bool {
        !matches!(self, Shape::WholeFile | Shape::SearchReplace | Shape::Envelope)
    }

    /// What is asked for.
    pub fn form(self) -> Form {
        match self {
            Shape::WholeFile => Form::File,
            Shape::Function | Shape::Body => Form::Function,
            Shape::Patch | Shape::ShiftedPatch | Shape::BarePatch | Shape::Envelope => Form::Patch,
            Shape::SearchReplace => Form::SearchReplace,
        }
    }
}

/// The reference tree.
fn tree_of(task: &Task) -> BTreeMap<String, Content> {
    task.reference_tree().into_iter().map(|(path, content)| (path.to_owned(), content.clone())).collect()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The target function in both versions, where each has exactly one.
fn spans(task: &Task, old: &str, new: &str) -> Option<(FunctionSpan, FunctionSpan)> {
    let name = task.targets.first()?.function.clone()?;
    let span = |text: &str| {
        let mut found = functions(&task.language, text)?
            .into_iter()
            .filter(|function| function.name == name && function.depth == 0);
        found.next().filter(|_| found.next().is_none())
    };
    Some((span(old)?, span(new)?))
}

/// The tree that an answer in this shape must give: the reference, or, where the shape can say only one
/// function, the buggy tree with that function.
pub fn wanted(task: &Task, shape: Shape) -> BTreeMap<String, Content> {
    if !matches!(shape, Shape::Function | Shape::Body) {
        return tree_of(task);
    }
    let changed = task.changed_files();
    let (old, new) =
        (changed[0].buggy.unwrap().text().unwrap(), changed[0].reference.unwrap().text().unwrap());
    let (before, after) = spans(task, &old, &new).unwrap();
    let (before, after) =
        if shape == Shape::Function { (before.bytes, after.bytes) } else { (before.body, after.body) };
    let text = format!("{}{}{}", &old[..before.start], &new[after], &old[before.end..]);
    let mut tree: BTreeMap<String, Content> =
        task.buggy_tree().into_iter().map(|(path, content)| (path.to_owned(), content.clone())).collect();
    tree.insert(changed[0].path.to_owned(), Content::from(text));
    tree
}

/// The answer, or `None` where the reference cannot be said in this shape: more than the one function
/// changes, or the fix is in several files.
pub fn answer(task: &Task, shape: Shape) -> Option<String> {
    let changed = task.changed_files();
    let [file] = changed.as_slice() else { return None };
    let (old, new) = (file.buggy?.text()?.into_owned(), file.reference?.text()?.into_owned());
    let tag = &task.language;
    let fenced = |text: &str| {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        format!("The fault is in the loop.\n\n```{tag}\n{text}{end}```\n\nThis mends it.\n")
    };
    match shape {
        Shape::WholeFile => Some(fenced(&new)),
        Shape::Function | Shape::Body => {
            let (before, after) = spans(task, &old, &new)?;
            if shape == Shape::Function {
                return Some(fenced(&new[line_start(&new, after.bytes.start)..after.bytes.end]));
            }
            let (before, after) = (before.body, after.body);
            let body = &new[after.clone()];
            if body.starts_with('{') {
                return Some(fenced(
                    body.trim_start_matches('{').trim_end_matches('}').trim_matches('\n').trim_end(),
                ));
            }
            let line = line_start(&new, after.start);
            let indentation = |text: &str, at: usize| text[line_start(text, at)..at].to_owned();
            let same = indentation(&new, after.start) == indentation(&old, before.start);
            let documented = |text: &str| text.starts_with(['"', '\'', 'r']);
            // Where only the old body has a docstring, it stays; one line with its head has no lines of its own.
            let keeps = documented(&old[before]) && !documented(body);
            (same && new[line..after.start].trim().is_empty() && !keeps)
                .then(|| fenced(&new[line..after.end]))
        }
        Shape::Patch | Shape::ShiftedPatch | Shape::BarePatch => {
            let mut patch = Patch::between(&[(file.path, Some(old.as_bytes()), Some(new.as_bytes()))], 3);
            if shape != Shape::Patch {
                for (number, hunk) in patch.files[0].hunks.iter_mut().enumerate() {
                    hunk.old_start += 17 + u32::try_from(number).unwrap() * 3;
                    hunk.new_start += 40;
                    hunk.section.clear();
                }
            }
            let mut text = String::from_utf8(patch.write()).unwrap();
            if shape == Shape::BarePatch {
                let lines = text.lines().filter(|line| {
                    !["diff ", "--- a/", "+++ b/", "index "].iter().any(|start| line.starts_with(start))
                });
                text = lines
                    .map(|line| if line.starts_with("@@ -") { "@@ -1,99 +1,98 @@" } else { line })
                    .flat_map(|line| [line, "\n"])
                    .collect();
            }
            Some(format!("Here is the patch:\n\n```diff\n{text}```\n"))
        }
        Shape::SearchReplace | Shape::Envelope => {
            let patch = Patch::between(&[(file.path, Some(old.as_bytes()), Some(new.as_bytes()))], 3);
            let mut text = format!("*** Begin Patch\n*** Update File: {}\n", file.path);
            let mut blocks = String::new();
            for hunk in &patch.files[0].hunks {
                let side = |is: fn(LineKind) -> bool| -> String {
                    let lines = hunk.lines.iter().filter(|line| is(line.kind));
                    lines
                        .flat_map(|line| [String::from_utf8(line.text.clone()).unwrap(), "\n".to_owned()])
                        .collect()
                };
                blocks.push_str(&format!(
                    "{}\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n\n",
                    file.path,
                    side(LineKind::is_old),
                    side(LineKind::is_new)
                ));
                text.push_str("@@\n");
                for line in &hunk.lines {
                    text.push(match line.kind {
                        LineKind::Context => ' ',
                        LineKind::Removed => '-',
                        LineKind::Added => '+',
                    });
                    text.push_str(std::str::from_utf8(&line.text).unwrap());
                    text.push('\n');
                }
            }
            text.push_str("*** End Patch\n");
            Some(if shape == Shape::Envelope { text } else { format!("Change this:\n\n{blocks}Done.\n") })
        }
    }
}
