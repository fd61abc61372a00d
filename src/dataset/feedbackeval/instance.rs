//! One faulty instance of a row, as a task.

use super::failure::failure;
use super::python;
use super::row::{Family, Row, keep};
use crate::dataset::json::type_name;
use crate::dataset::rows::Keys;
use crate::dataset::skipped::{Location, SkipReason, Skipped};
use crate::dataset::{Source, marks};
use crate::task::{Command, Content, FeedbackKind, MarkKind, Repo, Target, Task};
use serde_json::{Map, Value};

/// Names of each stored feedback over the releases, newest first.
const FEEDBACK: [(FeedbackKind, &[&str]); 4] = [
    (FeedbackKind::Test, &["test_feedback"]),
    (FeedbackKind::Minimal, &["minimal_feedback", "simple_feedback"]),
    (FeedbackKind::LlmSkilled, &["llm_skilled_feedback", "llm_feedback", "human_feedback"]),
    (FeedbackKind::LlmExpert, &["llm_expert_feedback", "llm_gt_feedback"]),
];
const COMPILER: &str = "compiler_feedback";
const TEST_FILE: &str = "test_solution.py";
/// The time that FeedbackEval gives a HumanEval test.
const TEST_SECONDS: u64 = 10;

/// The task of the instance at `index`.
pub(super) fn task(
    row: &Row,
    index: usize,
    faulty: Value,
    at: &Location,
    source: &Source<'_>,
) -> Result<Task, Skipped> {
    let prefix = format!("false_results[{index}]");
    let Value::Object(mut object) = faulty else {
        let why = SkipReason::WrongType { expected: "an object", found: type_name(&faulty) };
        return Err(Skipped { at: at.at_key(prefix), why });
    };
    let mut keys = Keys { at: at.clone(), prefix, map: &mut object };
    let code = match keys.string("generate_code")? {
        Some(code) if !code.trim().is_empty() => code,
        Some(_) => {
            return keys.skip("generate_code", SkipReason::BadValue("the faulty code is empty".to_owned()));
        }
        None => return keys.skip("generate_code", SkipReason::MissingKey("the faulty code".to_owned())),
    };

    let mut task = Task::new(source.dataset, format!("{}#{}", row.id, index + 1));
    task.group.clone_from(&row.id);
    task.language = "python".to_owned();
    task.description.clone_from(&row.description);
    task.context.clone_from(&row.context);
    task.meta.clone_from(&row.meta);
    task.provenance.source = Some("FeedbackEval".to_owned());
    task.provenance.operator = keys.string("source")?;
    for (kind, names) in FEEDBACK {
        let text = keys.string_of(names)?;
        task.feedback.extend(text.filter(|text| !text.trim().is_empty()).map(|text| (kind, text)));
    }
    let compiler = keys.text_or_list(COMPILER)?.filter(|text| !text.trim().is_empty());
    task.feedback.extend(compiler.map(|text| (FeedbackKind::Compiler, text)));
    for (key, value) in object {
        keep(&mut task.meta, key, value, source.bounds);
    }

    let function = row.function.clone().or_else(|| python::first_function(&code));
    let name = function.clone().unwrap_or_else(|| row.id.clone());
    let failure = task.feedback.get(&FeedbackKind::Test).and_then(|text| failure(text));
    task.title = match &failure {
        Some(failure) => format!("{name} · {failure}"),
        None => name,
    };
    if let Some(failure) = failure {
        task.meta.insert("failure".to_owned(), Value::String(failure));
    }

    let module = function.as_deref().filter(|name| python::is_module_name(name)).unwrap_or("solution");
    let file = format!("{module}.py");
    put_code(&mut task, row, &file, code);
    match row.family {
        Family::HumanEval => put_tests(&mut task, row, module),
        Family::CoderEval => {}
        Family::SweBench => put_repository(&mut task, row),
    }
    let target = row.swe.file_path.clone().unwrap_or(file);
    task.targets.push(Target { file: target, function });
    marks::examine(&mut task, source.bounds);
    Ok(task)
}

fn put_code(task: &mut Task, row: &Row, file: &str, code: String) {
    let mut taken = Map::new();
    let mut kept = |side: &str, code: &str| match row.family {
        Family::HumanEval => Content::from(code),
        Family::CoderEval | Family::SweBench => {
            let (code, indentation) = python::to_the_margin(code);
            if !indentation.is_empty() {
                taken.insert(side.to_owned(), Value::String(indentation));
            }
            Content::from(code)
        }
    };
    let buggy = kept("buggy", &code);
    let reference = row.reference.as_deref().map(|code| kept("reference", code));
    task.files.buggy.insert(file.to_owned(), buggy);
    task.files.reference.extend(reference.map(|code| (file.to_owned(), code)));
    if !taken.is_empty() {
        task.meta.insert("indentation".to_owned(), Value::Object(taken));
    }
}

fn put_tests(task: &mut Task, row: &Row, module: &str) {
    let (Some(test), Some(function)) = (&row.test, &row.function) else { return };
    let mut text = format!(
        "# The tests of {}, as published; only these imports were put before them.\n\
         from {module} import *\nfrom {module} import {function}\n\n",
        row.id
    );
    text.push_str(test);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if python::checked_function(test).is_none() {
        text.push_str(&format!("\n\ncheck({function})\n"));
    }
    task.files.base.insert(TEST_FILE.to_owned(), Content::from(text));
    task.protected.push(TEST_FILE.to_owned());
    task.test.command = Some(Command::Arguments(vec!["python3".to_owned(), TEST_FILE.to_owned()]));
    task.test.parser = Some("exit-code".to_owned());
    task.test.timeout_s = Some(TEST_SECONDS);
}

fn put_repository(task: &mut Task, row: &Row) {
    task.expected.patch.clone_from(&row.swe.patch);
    let (Some(repo), Some(commit)) = (&row.swe.repo, &row.swe.base_commit) else { return };
    let url = if repo.contains("://") { repo.clone() } else { format!("https://github.com/{repo}") };
    task.repo = Some(Repo { url, commit: commit.clone(), subdir: None });
    let detail = format!("only the function is here; its tree is {repo} at {commit}, which was not fetched");
    task.mark(MarkKind::NotMaterialised, detail);
}
