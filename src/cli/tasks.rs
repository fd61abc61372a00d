//! `mendbench tasks list|show`.

use super::arguments::{Sort, Tasks};
use super::locate::locate;
use super::{Arguments, DONE, Failure, Output, check, request};
use crate::catalogue::{Catalogue, LoadedTask, OriginKind, Skips, open, read, workspace_for};
use crate::config::Config;
use crate::dataset::Skipped;
use crate::diff::DiffOptions;
use crate::harness::{self, Check as Record};
use crate::task::filter::Filter;
use crate::task::list::{Arranged, Arrangement, SortKey};
use crate::task::table::{Summary, TaskTable};
use crate::task::{Decoded, Granularity, MarkKind, Task, taxonomy};
use crate::text::counted;
use crate::text::{pad, pad_start, truncate};
use crate::theme::Role;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Widest column of names.
const ID_COLUMN: usize = 64;

/// What an input without rows may be.
const EMPTY: &str = "it is empty or blank";

/// Runs the command.
pub fn run(arguments: &Arguments, what: &Tasks, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    match what {
        Tasks::List { path, filter, sort, reverse, limit } => {
            let sort = match sort {
                Sort::Dataset => SortKey::Natural,
                Sort::Id => SortKey::Id,
                Sort::Title => SortKey::Title,
                Sort::Language => SortKey::Language,
                Sort::Type => SortKey::ErrorType,
                Sort::Granularity => SortKey::Granularity,
                Sort::Changed => SortKey::Changed,
            };
            let how = Arrangement { sort, reversed: *reverse, ..Arrangement::default() };
            list(arguments, path.as_ref(), filter.as_deref().unwrap_or(""), how, *limit, output)
        }
        Tasks::Show { task, within } => show(arguments, task, within.as_ref(), output),
        Tasks::Check(what) => check::run(arguments, what, config, output),
    }
}

fn list(
    arguments: &Arguments,
    path: Option<&PathBuf>,
    expression: &str,
    how: Arrangement,
    limit: Option<usize>,
    output: &mut Output,
) -> Result<u8, Failure> {
    let filter = Filter::parse_without_labels(expression)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    let catalogue = open(&request(arguments, path))?;
    let list = read(&*catalogue)?;
    let table = &list.table;
    let selected = selected(&*catalogue, table, &filter)?;
    let matched = selected.len();
    let arranged = Arranged::new(table, &filter, selected, how);
    let shown: Vec<Summary<'_>> =
        arranged.rows.iter().take(limit.unwrap_or(usize::MAX)).filter_map(|row| table.get(*row)).collect();
    if output.json {
        for row in &shown {
            output.object(&summary_object(row))?;
        }
        skipped_objects(list.skips.rows(), output)?;
        output.object(&json!({
            "type": "task-list", "v": 1, "source": catalogue.origin().label, "tasks": table.len(),
            "matched": matched, "shown": shown.len(), "skipped": list.skips.counts(),
            "missing": list.missing,
        }))?;
        return Ok(DONE);
    }
    print_list(&shown, output)?;
    let mut closing = match expression.trim().is_empty() {
        true => counted(table.len(), "task"),
        false => format!("{matched} of {}", counted(table.len(), "task")),
    };
    if shown.len() < matched {
        closing.push_str(&format!(", the first {} shown", shown.len()));
    }
    if table.is_empty() && list.skips.count() == 0 {
        let origin = catalogue.origin();
        let why = if origin.kind == OriginKind::File { EMPTY } else { "there is no task in it yet" };
        closing.push_str(&format!("; {} holds no row at all: {why}", origin.label));
    }
    output.note(&closing);
    note_skips(&list.skips, output);
    if let Some(notice) = &list.notice {
        output.note(notice);
    }
    Ok(DONE)
}

fn print_list(rows: &[Summary<'_>], output: &mut Output) -> Result<(), Failure> {
    let widest = |part: &dyn Fn(&Summary<'_>) -> usize, least: usize, most: usize| {
        rows.iter().map(part).max().unwrap_or(0).clamp(least, most)
    };
    let name = |row: &Summary<'_>| format!("{}/{}", row.dataset, row.id);
    let changed = |row: &Summary<'_>| format!("+{} -{}", row.added, row.removed);
    // A longer name moves the rest of its own row only; it is never cut, for it is what one types next.
    let most = if output.terminal { (output.width() / 2).clamp(24, ID_COLUMN) } else { ID_COLUMN };
    let id = widest(&|row| crate::text::width(&name(row)), 4, most);
    let language = widest(&|row| row.language.len(), 4, 12);
    let error_type = widest(&|row| row.error_type.len(), 1, 8);
    let reach = widest(&|row| row.granularity.map_or("", Granularity::as_str).len(), 4, 10);
    let counts = widest(&|row| changed(row).len(), 5, usize::MAX);
    for row in rows {
        let name = pad_whole(&name(row), id);
        let mark = match row.marks {
            0 => String::new(),
            bits => format!("  ! {}", mark_names(bits).join(", ")),
        };
        let before = crate::text::width(&name) + language + error_type + reach + counts + 7;
        let title = match output.terminal {
            true => output.width().saturating_sub(before + mark.len()).max(10),
            false => 1_000,
        };
        output.styled(&[
            (&name, Role::Accent),
            ("  ", Role::Text),
            (&pad(row.language, language), Role::BadgeLanguage),
            (" ", Role::Text),
            (&pad(row.error_type, error_type), Role::BadgeType),
            (" ", Role::Text),
            (&pad(row.granularity.map_or("", Granularity::as_str), reach), Role::TextDim),
            (" ", Role::Text),
            (&pad_start(&changed(row), counts), Role::Count),
            ("  ", Role::Text),
            (&truncate(row.title, title), Role::Text),
            (&mark, Role::Mark),
        ])?;
    }
    Ok(())
}

/// Filled up to a width, and never cut.
fn pad_whole(text: &str, width: usize) -> String {
    pad(text, width.max(crate::text::width(text)))
}

/// Says how many rows were skipped, why, and where the first ones are.
pub fn note_skips(skips: &Skips, output: &mut Output) {
    if skips.count() == 0 {
        return;
    }
    let reasons: Vec<String> =
        skips.counts().iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    output.note(&format!("{} skipped: {}", skips.count(), reasons.join(", ")));
    for row in skips.worst_first().take(20) {
        output.note(&format!("  {row}"));
    }
    if skips.count() > 20 {
        output.note(&format!("  and {} more; --json prints up to {}", skips.count() - 20, Skips::KEPT));
    }
}

/// An object for each skipped row.
pub fn skipped_objects(rows: &[Skipped], output: &mut Output) -> Result<(), Failure> {
    for row in rows {
        output.object(&json!({
            "type": "skipped-row", "v": 1, "file": row.at.file.to_string_lossy(), "line": row.at.line,
            "instance": row.at.instance, "key": row.at.key, "reason": row.why.kind(), "message": row.to_string(),
        }))?;
    }
    Ok(())
}

/// The rows that pass a filter, also what it asks of the texts, each with how well it matches.
pub fn selected(
    catalogue: &dyn Catalogue,
    table: &TaskTable,
    filter: &Filter,
) -> Result<Vec<(u32, u16)>, Failure> {
    let all: Vec<u32> = (0..table.len() as u32).collect();
    let mut selected = filter.select(table, &all, &|| false);
    for (text, absent) in filter.texts() {
        let found = catalogue.search(text, &|| false)?;
        selected.retain(|(row, _)| table.get(*row).is_some_and(|row| found.contains(&row.key)) != *absent);
    }
    Ok(selected)
}

fn mark_names(bits: u16) -> Vec<&'static str> {
    MarkKind::ALL.into_iter().filter(|kind| bits & kind.bit() != 0).map(MarkKind::as_str).collect()
}

fn summary_object(row: &Summary<'_>) -> Value {
    json!({
        "type": "task-summary", "v": 1, "name": format!("{}/{}", row.dataset, row.id), "dataset": row.dataset,
        "id": row.id, "group": row.group, "title": row.title, "kind": row.kind, "language": row.language,
        "error_type": (!row.error_type.is_empty()).then_some(row.error_type), "class": row.class,
        "granularity": row.granularity, "added": row.added, "removed": row.removed, "tests": row.tests,
        "marks": mark_names(row.marks),
    })
}

fn show(
    arguments: &Arguments,
    name: &str,
    within: Option<&PathBuf>,
    output: &mut Output,
) -> Result<u8, Failure> {
    let task = locate(arguments, name, within)?;
    let checked = checked(arguments, &task);
    let loaded = LoadedTask::new(0, task, DiffOptions::default());
    if output.json {
        output.object(&json!({
            "type": "task", "v": 1, "name": loaded.task.name().to_string(), "revision": loaded.revision,
            "granularity": loaded.granularity, "added": loaded.diff.added, "removed": loaded.diff.removed,
            "task": loaded.task, "check": checked,
        }))?;
        return Ok(DONE);
    }
    print_task(&loaded, checked.as_ref(), output)?;
    Ok(DONE)
}

fn print_task(loaded: &LoadedTask, check: Option<&Record>, output: &mut Output) -> Result<(), Failure> {
    let task = &loaded.task;
    output.styled(&[(&task.title, Role::Title)])?;
    let changed = format!(
        "+{} -{} in {}",
        loaded.diff.added,
        loaded.diff.removed,
        counted(loaded.diff.files.len(), "file")
    );
    let error_type = task.provenance.error_type.as_ref().map(|id| match taxonomy::error_type(id) {
        Some((category, name)) => format!("{id}  {category}: {name}"),
        None => id.clone(),
    });
    let targets: Vec<String> = task
        .targets
        .iter()
        .map(|target| match &target.function {
            Some(function) => format!("{} · {function}", target.file),
            None => target.file.clone(),
        })
        .collect();
    let command =
        |command: &Option<crate::task::Command>| command.as_ref().map(crate::task::Command::display);
    let fields: Vec<(&str, Option<String>)> = vec![
        ("name", Some(task.name().to_string())),
        ("revision", Some(loaded.revision.to_string())),
        ("group", (task.group != task.id).then(|| task.group.clone())),
        ("kind", Some(task.kind.to_string())),
        ("language", Some(task.language.clone())),
        ("target", (!targets.is_empty()).then(|| targets.join(", "))),
        ("granularity", loaded.granularity.map(|granularity| granularity.to_string())),
        ("changed", Some(changed)),
        ("error type", error_type),
        ("class", task.provenance.class.map(|class| class.as_str().to_owned())),
        ("CVE", task.provenance.cve.clone()),
        ("source", task.provenance.source.clone()),
        ("commit", task.provenance.commit.clone()),
        ("licence", task.provenance.licence.clone()),
        ("operator", task.provenance.operator.clone()),
        ("site", task.provenance.site.clone()),
        ("repository", task.repo.as_ref().map(|repo| format!("{} at {}", repo.url, repo.commit))),
        ("build", command(&task.test.build)),
        ("test", command(&task.test.command)),
        ("fail to pass", joined(&task.test.fail_to_pass)),
        ("pass to pass", joined(&task.test.pass_to_pass)),
        ("protected", joined(&task.protected)),
        ("checked", check.map(standing)),
        ("feedback", joined(&task.feedback.keys().map(|kind| kind.to_string()).collect::<Vec<_>>())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            output.styled(&[(&pad(name, 14), Role::TextDim), (&value, Role::Text)])?;
        }
    }
    for mark in &task.marks {
        // The name may be longer than the column; it is what a filter asks for, so it stays whole.
        let name = format!("{:<13} ", mark.kind.as_str());
        output.styled(&[(&name, Role::Mark), (&mark.detail, Role::Text)])?;
    }
    print_files(task, output)?;
    for (title, text) in [
        ("Description", Some(&task.description)),
        ("Issue", task.sections.issue_body.as_ref()),
        ("Pull request", task.sections.pr_body.as_ref()),
        ("Context", Some(&task.context)),
        ("Expected answer", task.expected.answer.as_ref()),
    ] {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            output.line("")?;
            output.styled(&[(title, Role::Title)])?;
            for line in crate::text::wrap(&crate::text::reflow(text.trim_end()), output.width().min(100)) {
                output.line(&line)?;
            }
        }
    }
    Ok(())
}

/// What the newest check of a task found.
fn standing(check: &Record) -> String {
    let reason = check.reason.map(|reason| format!(" ({})", reason.as_str())).unwrap_or_default();
    format!("{}{reason}: {}", check.standing.as_str(), check.why)
}

/// The newest check of a task in the workspace, if there is one already.
fn checked(arguments: &Arguments, task: &Task) -> Option<Record> {
    let store = workspace_for(&request(arguments, None)).ok()?.open_if_exists().ok().flatten()?;
    harness::checked(&store, &harness::Seal::of_user().ok()?, &task.revision()).ok().flatten()
}

fn print_files(task: &Task, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.styled(&[("Files", Role::Title)])?;
    for (layer, tree) in
        [("base", &task.files.base), ("buggy", &task.files.buggy), ("reference", &task.files.reference)]
    {
        for (path, content) in tree {
            let size = match content.decode() {
                Decoded::Text(text, _) => counted(text.lines().count(), "line"),
                Decoded::Binary => format!("binary, {}", counted(content.len(), "byte")),
            };
            output.styled(&[
                (&pad(layer, 11), Role::TextDim),
                (path, Role::Text),
                ("  ", Role::Text),
                (&size, Role::TextDim),
            ])?;
        }
    }
    Ok(())
}

fn joined(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| format!("{} ({})", list.join(", "), list.len()))
}
