//! `task.toml` read into a task without files.
//!
//! Promises: any text gives either a task or all of its problems, each with line and key.

use super::keys::{Document, Section};
use super::schema::{self, SCHEMA};
use crate::dataset::error::nearest_name;
use crate::dataset::skipped::{Problem, clip};
use crate::task::paths::check_path;
use crate::task::{
    Expected, FaultClass, Feature, FeedbackKind, Kind, Limits, Provenance, Repo, SandboxWish, Sections,
    Target, Task, TestSpecification,
};
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

/// What a `task.toml` says.
pub(crate) struct Manifest {
    /// The task, without files and stored feedback.
    pub task: Task,
    /// Files of stored feedback, inside the task folder.
    pub feedback: Vec<(FeedbackKind, String)>,
}

/// Reads the text of a `task.toml`.
pub(crate) fn parse(text: &str, dataset: &str) -> Result<Manifest, Vec<Problem>> {
    let document = Document::new(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        document.problem(error.span(), "", format!("not TOML: {}", clip(error.message(), 200)));
    }
    // After a syntax error the tables are guesses: what is missing in them may be there.
    let manifest = errors.is_empty().then(|| read(&Section::root(&document, root.get_ref()), dataset));
    match manifest {
        Some(Some(manifest)) if document.is_sound() => Ok(manifest),
        _ => Err(document.into_problems()),
    }
}

fn read(root: &Section<'_, '_>, dataset: &str) -> Option<Manifest> {
    if !schema_is_ours(root) {
        return None;
    }
    root.refuse_unknown();
    let id = root.required("id", "\"my-task\"");
    let mut task = Task::new(dataset, id);
    if let Some(reason) = bad_id(&task.id) {
        root.problem("id", reason);
    }
    task.title = root.required("title", "\"What is wrong, in one line\"");
    if task.title.chars().any(char::is_control) {
        root.problem("title", "must be one line without control characters");
    }
    task.language = root.required("language", "\"python\"");
    if task.language.chars().any(|c| c.is_uppercase() || c.is_whitespace() || c.is_control()) {
        let wanted: String = task.language.to_lowercase().split_whitespace().collect();
        root.problem("language", format!("write it in lower case without spaces: `{}`", clip(&wanted, 40)));
    }
    let kinds = Kind::ALL.map(Kind::as_str);
    match root.choice("kind", Kind::parse, &kinds) {
        Some(kind) => task.kind = kind,
        None if root.item("kind").is_none() => {
            let kinds = kinds.map(|kind| format!("`{kind}`"));
            root.problem(
                "kind",
                format!("missing; write `kind = \"repair\"`, or one of {}", kinds.join(", ")),
            );
        }
        None => {}
    }
    if let Some(group) = root.string("group") {
        if let Some(reason) = bad_id(&group) {
            root.problem("group", reason);
        }
        task.group = group;
    }
    task.description = root.string("description").unwrap_or_default();
    task.context = root.string("context").unwrap_or_default();
    task.protected = root.strings("protected");
    for pattern in &task.protected {
        if let Err(reason) = check_path(pattern.strip_suffix('/').unwrap_or(pattern)) {
            root.problem("protected", format!("`{}`: {reason}", clip(pattern, 100)));
        }
    }
    task.targets = root.sections("target").iter().map(target).collect();
    task.sections = part(root, "sections", sections);
    task.repo = root.section("repo").map(|section| repo(&section));
    task.expected = part(root, "expected", expected);
    task.feature = part(root, "feature", feature);
    task.test = part(root, "test", test);
    task.provenance = part(root, "provenance", provenance);
    task.limits = part(root, "limits", limits);
    task.sandbox = part(root, "sandbox", |section| SandboxWish { image: section.string("image") });
    task.meta = root.section("meta").map(|section| meta(&section)).unwrap_or_default();
    let feedback = root.section("feedback").map(|section| feedback(&section)).unwrap_or_default();
    Some(Manifest { task, feedback })
}

/// Whether the file is made for this program; otherwise nothing else is worth saying about it.
fn schema_is_ours(root: &Section<'_, '_>) -> bool {
    let Some(item) = root.item("schema") else {
        root.problem("schema", format!("missing; write `schema = {SCHEMA}` as the first line"));
        return true;
    };
    let number = match item.get_ref() {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    match number {
        Some(SCHEMA) => true,
        Some(newer) if newer > SCHEMA => {
            root.problem(
                "schema",
                format!(
                    "made for a newer mendbench (schema {newer}, this one reads {SCHEMA}); update mendbench"
                ),
            );
            false
        }
        _ => {
            root.problem("schema", format!("must be the number {SCHEMA}"));
            true
        }
    }
}

/// Why a text cannot be an id or a group.
pub(crate) fn bad_id(id: &str) -> Option<&'static str> {
    if id.chars().any(char::is_control) {
        return Some("holds a line end or another control character");
    }
    if id.trim() != id {
        return Some("begins or ends with white space");
    }
    (id.len() > 500).then_some("is longer than 500 bytes")
}

fn part<T: Default>(root: &Section<'_, '_>, name: &'static str, read: impl Fn(&Section<'_, '_>) -> T) -> T {
    match root.section(name) {
        Some(section) => {
            section.refuse_unknown();
            read(&section)
        }
        None => T::default(),
    }
}

fn target(section: &Section<'_, '_>) -> Target {
    section.refuse_unknown();
    if section.item("file").is_none() {
        section.problem("file", "missing; write `file = \"path/in/the/tree\"`");
    }
    Target { file: section.path("file").unwrap_or_default(), function: section.string("function") }
}

fn sections(section: &Section<'_, '_>) -> Sections {
    Sections {
        issue_title: section.string("issue_title"),
        issue_body: section.string("issue_body"),
        pr_title: section.string("pr_title"),
        pr_body: section.string("pr_body"),
        folder_tree: section.string("folder_tree"),
    }
}

fn repo(section: &Section<'_, '_>) -> Repo {
    section.refuse_unknown();
    Repo {
        url: section.required("url", "\"https://…\""),
        commit: section.required("commit", "\"the full hash\""),
        subdir: section.path("subdir"),
    }
}

fn expected(section: &Section<'_, '_>) -> Expected {
    let files = section.strings("files");
    for file in &files {
        let path = file.split_once(':').map_or(file.as_str(), |(path, _)| path);
        if let Err(reason) = check_path(path) {
            section.problem("files", format!("`{}`: {reason}", clip(file, 100)));
        }
    }
    Expected { answer: section.string("answer"), files, patch: section.string("patch") }
}

fn feature(section: &Section<'_, '_>) -> Feature {
    Feature {
        components: section.strings("components"),
        hints: section.string("hints"),
        non_code_patch: section.string("non_code_patch"),
    }
}

fn test(section: &Section<'_, '_>) -> TestSpecification {
    TestSpecification {
        build: section.command("build"),
        command: section.command("command"),
        parser: section.string("parser"),
        timeout_s: section.count("timeout_s"),
        fail_to_pass: section.strings("fail_to_pass"),
        pass_to_pass: section.strings("pass_to_pass"),
    }
}

fn provenance(section: &Section<'_, '_>) -> Provenance {
    let classes = [FaultClass::Bug, FaultClass::Vulnerability];
    let class = |word: &str| classes.into_iter().find(|class| class.as_str() == word);
    Provenance {
        source: section.string("source"),
        commit: section.string("commit"),
        licence: section.string("licence"),
        error_type: section.string("error_type"),
        class: section.choice("class", class, &classes.map(FaultClass::as_str)),
        cve: section.string("cve"),
        operator: section.string("operator"),
        site: section.string("site"),
    }
}

fn limits(section: &Section<'_, '_>) -> Limits {
    Limits {
        timeout_s: section.count("timeout_s"),
        memory_mb: section.count("memory_mb"),
        processes: section.count("processes"),
        disk_mb: section.count("disk_mb"),
        output_kb: section.count("output_kb"),
    }
}

fn feedback(section: &Section<'_, '_>) -> Vec<(FeedbackKind, String)> {
    let mut files = Vec::new();
    for (name, _) in section.entries() {
        match FeedbackKind::parse(name) {
            Some(kind) => files.extend(section.path(name).map(|path| (kind, path))),
            None => {
                let kinds = schema::keys_of("feedback");
                let near = nearest_name(name, kinds.iter().copied());
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the kinds are {}", kinds.join(", ")),
                };
                section.problem(name, format!("unknown kind of feedback; {hint}"));
            }
        }
    }
    files
}

fn meta(section: &Section<'_, '_>) -> Map<String, Value> {
    section.entries().map(|(name, item)| (name.to_owned(), json(item.get_ref()))).collect()
}

/// A TOML value as JSON; what JSON has no word for (dates, infinity) as its text.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Number(number.into()),
            Err(_) => Value::String(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Value::Number(number),
            None => Value::String(number.to_string()),
        },
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(list) => list.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            table.iter().map(|(name, item)| (name.get_ref().to_string(), json(item.get_ref()))).collect()
        }
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
