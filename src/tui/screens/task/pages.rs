//! What the tabs other than the difference say, as blocks of text.
//!
//! Promises: every key of a task is shown on some tab; what a task does not have is not mentioned, except
//! where its absence matters.

use super::Tab;
use crate::catalogue::LoadedTask;
use crate::task::{Decoded, FeedbackKind, Kind, Task, taxonomy};
use crate::theme::Role;
use crate::tui::widgets::text_view::{Block, Code};
use std::sync::Arc;

/// Lines of a context file that are shown.
const MOST_LINES: usize = 2_000;

/// The blocks of a tab.
pub fn page(tab: Tab, loaded: &LoadedTask) -> Vec<Block> {
    match tab {
        // These are no pages of text.
        Tab::Diff | Tab::Tests | Tab::Labels => Vec::new(),
        Tab::Description => description(&loaded.task),
        Tab::Context => context(loaded, true),
        Tab::Provenance => provenance(loaded),
    }
}

fn heading(text: &str) -> Block {
    Block::Heading(text.to_owned(), String::new())
}

fn section(blocks: &mut Vec<Block>, title: &str, text: &str) {
    if !text.trim().is_empty() {
        if !blocks.is_empty() {
            blocks.push(Block::Blank);
        }
        blocks.push(heading(title));
        blocks.push(Block::Prose(text.trim_end().to_owned()));
    }
}

/// What is wrong or wanted, in words.
pub fn description(task: &Task) -> Vec<Block> {
    let mut blocks = Vec::new();
    section(&mut blocks, "Description", &task.description);
    let sections = &task.sections;
    let issue =
        [&sections.issue_title, &sections.issue_body].into_iter().flatten().cloned().collect::<Vec<_>>();
    section(&mut blocks, "Issue", &issue.join("\n\n"));
    let request = [&sections.pr_title, &sections.pr_body].into_iter().flatten().cloned().collect::<Vec<_>>();
    section(&mut blocks, "Pull request", &request.join("\n\n"));
    if !task.feature.components.is_empty() {
        section(&mut blocks, "New components", &task.feature.components.join("\n"));
    }
    section(&mut blocks, "Hints", task.feature.hints.as_deref().unwrap_or(""));
    if task.kind != Kind::Repair {
        section(&mut blocks, "Expected answer", task.expected.answer.as_deref().unwrap_or(""));
        section(&mut blocks, "Expected files", &task.expected.files.join("\n"));
    }
    if blocks.is_empty() {
        blocks.push(Block::Remark("This task has no description.".to_owned()));
    }
    blocks
}

/// What a reader should know: text, stored feedback if that is wanted, files common to both versions.
pub fn context(loaded: &LoadedTask, with_feedback: bool) -> Vec<Block> {
    let task = &loaded.task;
    let mut blocks = Vec::new();
    section(&mut blocks, "Context", &task.context);
    if with_feedback {
        let told = feedback(task);
        if !blocks.is_empty() && !told.is_empty() {
            blocks.push(Block::Blank);
        }
        blocks.extend(told);
    }
    section(&mut blocks, "Repository tree", task.sections.folder_tree.as_deref().unwrap_or(""));
    for (path, content) in &task.files.base {
        if !blocks.is_empty() {
            blocks.push(Block::Blank);
        }
        match content.decode() {
            Decoded::Binary => {
                blocks.push(Block::Heading(
                    path.clone(),
                    format!("binary, {} byte{}", content.len(), if content.len() == 1 { "" } else { "s" }),
                ));
            }
            Decoded::Text(text, _) => {
                let lines = text.lines().count();
                let remark = if lines > MOST_LINES {
                    format!("the first {MOST_LINES} of {lines} lines")
                } else {
                    format!("{lines} line{}", if lines == 1 { "" } else { "s" })
                };
                blocks.push(Block::Heading(path.clone(), remark));
                blocks.push(Block::Code(Arc::new(Code::numbered(&text, MOST_LINES))));
            }
        }
    }
    if blocks.is_empty() {
        blocks.push(Block::Remark(
            "This task has no context: no text, no stored feedback, no further files.".to_owned(),
        ));
    }
    blocks
}

/// The feedback that the dataset holds.
pub fn feedback(task: &Task) -> Vec<Block> {
    let mut blocks = Vec::new();
    for kind in FeedbackKind::ALL {
        let Some(text) = task.feedback.get(&kind) else { continue };
        if !blocks.is_empty() {
            blocks.push(Block::Blank);
        }
        blocks.push(Block::Heading("Stored feedback".to_owned(), kind.as_str().to_owned()));
        let text = text.trim_end();
        blocks.push(match kind {
            // Output of programs keeps its lines; what people and models wrote is prose.
            FeedbackKind::Test | FeedbackKind::Compiler => Block::Code(Arc::new(Code::plain(text, false))),
            _ => Block::Prose(text.to_owned()),
        });
    }
    blocks
}

fn provenance(loaded: &LoadedTask) -> Vec<Block> {
    let task = &loaded.task;
    let from = &task.provenance;
    let mut blocks = vec![heading("Task")];
    let field = |blocks: &mut Vec<Block>, name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            blocks.push(Block::Field(name.to_owned(), value));
        }
    };
    field(&mut blocks, "name", Some(task.name().to_string()));
    field(&mut blocks, "revision", Some(loaded.revision.to_string()));
    field(&mut blocks, "group", (task.group != task.id).then(|| task.group.clone()));
    field(&mut blocks, "kind", Some(task.kind.to_string()));
    field(&mut blocks, "language", Some(task.language.clone()));
    for target in &task.targets {
        let function = target.function.as_ref().map_or_else(String::new, |name| format!(" · {name}"));
        field(&mut blocks, "target", Some(format!("{}{function}", target.file)));
    }
    field(&mut blocks, "granularity", loaded.granularity.map(|granularity| granularity.to_string()));
    field(
        &mut blocks,
        "changed",
        Some(format!(
            "+{} −{} lines; files: {}",
            loaded.diff.added,
            loaded.diff.removed,
            loaded.diff.files.len()
        )),
    );
    blocks.push(Block::Blank);
    blocks.push(heading("Provenance"));
    field(&mut blocks, "source", from.source.clone());
    field(&mut blocks, "commit", from.commit.clone());
    field(&mut blocks, "licence", from.licence.clone());
    field(
        &mut blocks,
        "error type",
        from.error_type.as_ref().map(|id| match taxonomy::error_type(id) {
            Some((category, name)) => format!("{id}  {category}: {name}"),
            None => id.clone(),
        }),
    );
    field(&mut blocks, "class", from.class.map(|class| class.as_str().to_owned()));
    field(&mut blocks, "CVE", from.cve.clone());
    field(&mut blocks, "operator", from.operator.clone());
    field(&mut blocks, "site", from.site.clone());
    if let Some(repo) = &task.repo {
        field(&mut blocks, "repository", Some(repo.url.clone()));
        field(&mut blocks, "commit", Some(repo.commit.clone()));
        field(&mut blocks, "folder", repo.subdir.clone());
    }
    field(&mut blocks, "image", task.sandbox.image.clone());
    let limits = &task.limits;
    for (name, value, unit) in [
        ("time limit", limits.timeout_s, "s"),
        ("memory limit", limits.memory_mb, "MB"),
        ("processes", limits.processes, ""),
        ("disk limit", limits.disk_mb, "MB"),
        ("output limit", limits.output_kb, "kB"),
    ] {
        field(&mut blocks, name, value.map(|value| format!("{value} {unit}")));
    }
    if !task.marks.is_empty() {
        blocks.push(Block::Blank);
        blocks.push(Block::Heading("Remarks".to_owned(), task.marks.len().to_string()));
        for mark in &task.marks {
            blocks.push(Block::Marked(mark.kind.as_str().to_owned(), mark.detail.clone(), Role::Mark));
        }
    }
    if !task.meta.is_empty() {
        blocks.push(Block::Blank);
        blocks.push(Block::Heading("Further keys".to_owned(), "[meta]".to_owned()));
        for (key, value) in &task.meta {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            field(&mut blocks, key, Some(text));
        }
    }
    for (title, patch) in [
        ("Expected patch", &task.expected.patch),
        ("Part of the change that is not code", &task.feature.non_code_patch),
    ] {
        if let Some(patch) = patch {
            blocks.push(Block::Blank);
            blocks.push(heading(title));
            blocks.push(Block::Code(Arc::new(Code::plain(patch, false))));
        }
    }
    blocks
}
