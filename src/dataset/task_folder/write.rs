//! A task written as a task folder.
//!
//! Promises: reading the folder gives the same task with the same revision, or nothing is written and
//! the error says what cannot be kept; no path leaves the folder; nothing that exists is overwritten.

use super::TASK_FILE;
use super::manifest;
use super::schema::SCHEMA;
use crate::dataset::bounds::Bounds;
use crate::task::paths::{check_path, is_litter};
use crate::task::{Command, Content, FeedbackKind, MarkKind, Task, Tree};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Why a task was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file of the task has a path that may not be used.
    #[error("`{name}`: the file `{path}` was not written: {reason}")]
    UnsafePath {
        /// Name of the task.
        name: String,
        /// The path.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The task cannot be kept as a task folder without loss.
    #[error("`{name}` cannot be kept as a task folder: {reason}")]
    NotKept {
        /// Name of the task.
        name: String,
        /// What would be lost.
        reason: String,
    },
    /// There is something at the place already.
    #[error("`{}` exists and is not an empty folder; nothing was written", .0.display())]
    Exists(PathBuf),
    /// The system refused.
    #[error("cannot write `{}`: {source}; check its permissions and the space on the disk", .path.display())]
    System {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Writes a task as the task folder `folder`, which must be absent or empty.
pub fn write_task_folder(task: &Task, folder: &Path) -> Result<(), WriteError> {
    let text = task_file(task)?;
    let trees =
        [("base", &task.files.base), ("buggy", &task.files.buggy), ("reference", &task.files.reference)];
    for (_, tree) in trees {
        check_tree(task, tree)?;
    }
    make_folder(folder)?;
    for (name, tree) in trees {
        for (path, content) in tree {
            write(&folder.join(name).join(path), content.bytes())?;
        }
    }
    for (kind, text) in &task.feedback {
        write(&folder.join(feedback_path(*kind)), text.as_bytes())?;
    }
    // Last, so that a folder that was cut short is no task.
    write(&folder.join(TASK_FILE), text.as_bytes())
}

fn check_tree(task: &Task, tree: &Tree) -> Result<(), WriteError> {
    let refuse = |path: &str, reason: String| {
        Err(WriteError::UnsafePath { name: task.name().to_string(), path: path.to_owned(), reason })
    };
    for path in tree.keys() {
        if let Err(reason) = check_path(path) {
            return refuse(path, reason.to_string());
        }
        if path.split('/').any(is_litter) {
            return refuse(path, "files of this name are left out when a task folder is read".to_owned());
        }
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        if let Some(parent) = parents.into_iter().find(|parent| tree.contains_key(*parent)) {
            return refuse(path, format!("`{parent}` is a file and cannot be a folder too"));
        }
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), WriteError> {
    let system = |source| WriteError::System { path: folder.to_owned(), source };
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(WriteError::Exists(folder.to_owned())),
        Ok(false) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder).map_err(system),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(WriteError::Exists(folder.to_owned()))
        }
        Err(error) => Err(system(error)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let system = |source| WriteError::System { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(system)?;
    }
    // Never over something that is there, and never through a link.
    let mut file = fs::File::create_new(path).map_err(system)?;
    file.write_all(bytes).map_err(system)
}

fn feedback_path(kind: FeedbackKind) -> String {
    format!("feedback/{kind}.txt")
}

/// The text of `task.toml`, proved by reading it again.
fn task_file(task: &Task) -> Result<String, WriteError> {
    let not_kept = |reason: String| WriteError::NotKept { name: task.name().to_string(), reason };
    if let Some(mark) = task.marks.iter().find(|mark| matches!(mark.kind, MarkKind::TooLarge)) {
        return Err(not_kept(format!("it was not read completely ({})", mark.detail)));
    }
    if let Some(key) = task.meta.iter().find_map(|(key, value)| null_inside(key, value)) {
        return Err(not_kept(format!("`meta.{key}` holds null, which TOML has no word for")));
    }
    let bounds = Bounds::default();
    for (kind, text) in &task.feedback {
        if text.len() as u64 > bounds.text_bytes || Content::from(text.as_str()).text().is_none() {
            return Err(not_kept(format!("its {kind} feedback is too long, or holds a zero byte")));
        }
    }
    let files =
        || task.files.base.values().chain(task.files.buggy.values()).chain(task.files.reference.values());
    let bytes: u64 = files().map(|content| content.len() as u64).sum();
    let largest = files().map(Content::len).max().unwrap_or(0) as u64;
    if files().count() > bounds.files || bytes > bounds.task_bytes || largest > bounds.file_bytes {
        return Err(not_kept("its files are more, or larger, than are read of a task folder".to_owned()));
    }
    let text = toml::to_string_pretty(&table(task)).map_err(|error| not_kept(error.to_string()))?;
    if text.len() as u64 > bounds.text_bytes {
        return Err(not_kept(format!("its task.toml would have {} bytes", text.len())));
    }
    let read = manifest::parse(&text, &task.dataset).map_err(|problems| {
        not_kept(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    let mut back = read.task;
    back.files = task.files.clone();
    back.feedback = task.feedback.clone();
    back.marks = task.marks.clone();
    if back == *task { Ok(text) } else { Err(not_kept("a value of it has no form in TOML".to_owned())) }
}

fn null_inside(path: &str, value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Null => Some(path.to_owned()),
        serde_json::Value::Array(list) => list.iter().find_map(|item| null_inside(path, item)),
        serde_json::Value::Object(map) => {
            map.iter().find_map(|(key, item)| null_inside(&format!("{path}.{key}"), item))
        }
        _ => None,
    }
}

fn table(task: &Task) -> Table {
    let mut root = Table::new();
    root.insert("schema".to_owned(), Value::Integer(SCHEMA));
    put(&mut root, "id", Some(&task.id));
    put(&mut root, "title", Some(&task.title));
    put(&mut root, "kind", Some(task.kind.as_str()));
    put(&mut root, "language", Some(&task.language));
    put(&mut root, "group", (task.group != task.id).then_some(&task.group));
    put(&mut root, "description", filled(&task.description));
    put(&mut root, "context", filled(&task.context));
    put_list(&mut root, "protected", &task.protected);

    let mut sections = Table::new();
    put(&mut sections, "issue_title", task.sections.issue_title.as_ref());
    put(&mut sections, "issue_body", task.sections.issue_body.as_ref());
    put(&mut sections, "pr_title", task.sections.pr_title.as_ref());
    put(&mut sections, "pr_body", task.sections.pr_body.as_ref());
    put(&mut sections, "folder_tree", task.sections.folder_tree.as_ref());
    put_table(&mut root, "sections", sections);

    let targets: Vec<Value> = task
        .targets
        .iter()
        .map(|target| {
            let mut table = Table::new();
            put(&mut table, "file", Some(&target.file));
            put(&mut table, "function", target.function.as_ref());
            Value::Table(table)
        })
        .collect();
    if !targets.is_empty() {
        root.insert("target".to_owned(), Value::Array(targets));
    }

    if let Some(repo) = &task.repo {
        let mut table = Table::new();
        put(&mut table, "url", Some(&repo.url));
        put(&mut table, "commit", Some(&repo.commit));
        put(&mut table, "subdir", repo.subdir.as_ref());
        put_table(&mut root, "repo", table);
    }

    let mut expected = Table::new();
    put(&mut expected, "answer", task.expected.answer.as_ref());
    put_list(&mut expected, "files", &task.expected.files);
    put(&mut expected, "patch", task.expected.patch.as_ref());
    put_table(&mut root, "expected", expected);

    let mut feature = Table::new();
    put_list(&mut feature, "components", &task.feature.components);
    put(&mut feature, "hints", task.feature.hints.as_ref());
    put(&mut feature, "non_code_patch", task.feature.non_code_patch.as_ref());
    put_table(&mut root, "feature", feature);

    let mut test = Table::new();
    put_command(&mut test, "build", task.test.build.as_ref());
    put_command(&mut test, "command", task.test.command.as_ref());
    put(&mut test, "parser", task.test.parser.as_ref());
    put_count(&mut test, "timeout_s", task.test.timeout_s);
    put_list(&mut test, "fail_to_pass", &task.test.fail_to_pass);
    put_list(&mut test, "pass_to_pass", &task.test.pass_to_pass);
    put_table(&mut root, "test", test);

    let feedback: BTreeMap<&str, String> =
        task.feedback.keys().map(|kind| (kind.as_str(), feedback_path(*kind))).collect();
    let feedback = feedback.into_iter().map(|(kind, path)| (kind.to_owned(), Value::String(path)));
    put_table(&mut root, "feedback", feedback.collect());

    let mut provenance = Table::new();
    put(&mut provenance, "source", task.provenance.source.as_ref());
    put(&mut provenance, "commit", task.provenance.commit.as_ref());
    put(&mut provenance, "licence", task.provenance.licence.as_ref());
    put(&mut provenance, "error_type", task.provenance.error_type.as_ref());
    put(&mut provenance, "class", task.provenance.class.map(|class| class.as_str()));
    put(&mut provenance, "cve", task.provenance.cve.as_ref());
    put(&mut provenance, "operator", task.provenance.operator.as_ref());
    put(&mut provenance, "site", task.provenance.site.as_ref());
    put_table(&mut root, "provenance", provenance);

    let mut limits = Table::new();
    put_count(&mut limits, "timeout_s", task.limits.timeout_s);
    put_count(&mut limits, "memory_mb", task.limits.memory_mb);
    put_count(&mut limits, "processes", task.limits.processes);
    put_count(&mut limits, "disk_mb", task.limits.disk_mb);
    put_count(&mut limits, "output_kb", task.limits.output_kb);
    put_table(&mut root, "limits", limits);

    let mut sandbox = Table::new();
    put(&mut sandbox, "image", task.sandbox.image.as_ref());
    put_table(&mut root, "sandbox", sandbox);

    let meta = task.meta.iter().map(|(key, value)| (key.clone(), toml_value(value)));
    put_table(&mut root, "meta", meta.collect());
    root
}

fn filled(text: &String) -> Option<&String> {
    (!text.is_empty()).then_some(text)
}

fn put(table: &mut Table, key: &str, text: Option<impl AsRef<str>>) {
    if let Some(text) = text {
        table.insert(key.to_owned(), Value::String(text.as_ref().to_owned()));
    }
}

fn put_count(table: &mut Table, key: &str, count: Option<u64>) {
    if let Some(count) = count {
        // Beyond TOML's range it is written as text, which does not read back and is refused.
        let value = i64::try_from(count).map_or_else(|_| Value::String(count.to_string()), Value::Integer);
        table.insert(key.to_owned(), value);
    }
}

fn strings(list: &[String]) -> Value {
    Value::Array(list.iter().cloned().map(Value::String).collect())
}

fn put_list(table: &mut Table, key: &str, list: &[String]) {
    if !list.is_empty() {
        table.insert(key.to_owned(), strings(list));
    }
}

fn put_command(table: &mut Table, key: &str, command: Option<&Command>) {
    match command {
        Some(Command::Arguments(arguments)) => table.insert(key.to_owned(), strings(arguments)),
        Some(Command::Shell(line)) => table.insert(key.to_owned(), Value::String(line.clone())),
        None => None,
    };
}

fn put_table(table: &mut Table, key: &str, inner: Table) {
    if !inner.is_empty() {
        table.insert(key.to_owned(), Value::Table(inner));
    }
}

fn toml_value(value: &serde_json::Value) -> Value {
    match value {
        // Refused before; a text keeps this total.
        serde_json::Value::Null => Value::String(String::new()),
        serde_json::Value::Bool(flag) => Value::Boolean(*flag),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(fraction)) => Value::Float(fraction),
            (None, None) => Value::String(number.to_string()),
        },
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(list) => Value::Array(list.iter().map(toml_value).collect()),
        serde_json::Value::Object(map) => {
            Value::Table(map.iter().map(|(key, value)| (key.clone(), toml_value(value))).collect())
        }
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
