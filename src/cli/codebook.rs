//! `mendbench codebook`: the questions of studies, shown, checked and compared.
//!
//! Promises: `check` tells all that is wrong with a file, each with line and key; `show --toml` gives a file to begin
//! one's own with.
//! Leaves to others: what a codebook is (`label`), where its files lie (`config`).

use super::{DONE, FAILED, Failure, Output};
use crate::config::{CodebookProblem, Config, FoundCodebook};
use crate::label::codebook::{Answer, Change, Kind, Question, changes};
use crate::text::counted;
use crate::text::{pad, wrap};
use crate::theme::Role;
use serde_json::json;

/// What to do with codebooks.
#[derive(Debug, clap::Subcommand)]
pub enum Codebook {
    /// List the codebooks: those that come with mendbench, and your own
    List,
    /// Show the questions of a codebook, their answers, keys and definitions
    Show {
        /// Name, or path of a file
        codebook: String,
        /// Its file, to begin your own with
        #[arg(long)]
        toml: bool,
    },
    /// Check codebooks, also against your keys; default: your own. Exit code 1: something is wrong
    Check {
        /// Names, or paths of files
        codebooks: Vec<String>,
    },
    /// Tell what changed between two versions, and which labels that makes stale
    Changes {
        /// The older version: name or path
        old: String,
        /// The newer version: name or path
        new: String,
    },
}

/// Runs the command.
pub fn run(what: &Codebook, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    match what {
        Codebook::List => list(config, output),
        Codebook::Show { codebook, toml } => {
            let found = config.codebook(codebook).map_err(Failure::usage)?;
            match (output.json, toml) {
                (true, _) => output.object(&object(&found, true))?,
                (false, true) => output.raw(&found.text)?,
                (false, false) => show(&found, output)?,
            }
            Ok(DONE)
        }
        Codebook::Check { codebooks } => check(config, codebooks, output),
        Codebook::Changes { old, new } => compare(config, old, new, output),
    }
}

fn list(config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let (found, problems) = config.codebooks();
    for found in &found {
        if output.json {
            output.object(&object(found, false))?;
            continue;
        }
        let codebook = &found.codebook;
        let questions = counted(codebook.questions.len(), "question");
        output.styled(&[
            (&pad(&codebook.id, 20), Role::Accent),
            (&pad(&codebook.stamp().to_string(), 16), Role::TextDim),
            (&pad(codebook.subject.name(), 6), Role::TextDim),
            (&pad(&questions, 13), Role::TextDim),
            (&codebook.title, Role::Text),
        ])?;
        if let Some(path) = &found.path {
            output.line(&format!("    {}", path.display()))?;
        }
    }
    for problem in problems {
        output.note(&problem.to_string());
    }
    Ok(DONE)
}

/// The object of a codebook; `whole` with its questions.
fn object(found: &FoundCodebook, whole: bool) -> serde_json::Value {
    let codebook = &found.codebook;
    let stamp = codebook.stamp();
    let mut object = json!({
        "type": "codebook", "v": 1, "id": codebook.id, "title": codebook.title, "version": codebook.version,
        "hash": stamp.hash, "stamp": stamp.to_string(), "subject": codebook.subject.name(),
        "path": found.path.as_ref().map(|path| path.display().to_string()),
        "n_questions": codebook.questions.len(),
    });
    if whole && let Some(object) = object.as_object_mut() {
        object.insert("guide".to_owned(), json!(codebook.guide));
        object.insert("questions".to_owned(), json!(codebook.questions));
    }
    object
}

fn show(found: &FoundCodebook, output: &mut Output) -> Result<(), Failure> {
    let codebook = &found.codebook;
    output.styled(&[(&codebook.title, Role::Accent)])?;
    output.line(&format!(
        "{}, version {}, about {}s",
        codebook.id,
        codebook.stamp(),
        codebook.subject.name()
    ))?;
    if !codebook.guide.is_empty() {
        output.line("")?;
        indented(&codebook.guide, 0, output)?;
    }
    for question in &codebook.questions {
        output.line("")?;
        output.styled(&[(&question.text, Role::Accent)])?;
        output.line(&format!("  {}", about(question)))?;
        for answer in &question.answers {
            let depth = question.ancestors(&answer.id).len();
            show_answer(answer, 2 + 2 * depth, output)?;
        }
    }
    Ok(())
}

/// What stands under a question.
fn about(question: &Question) -> String {
    let mut parts = vec![question.id.clone(), question.kind.name().to_owned()];
    if let Kind::Number { min, max, unit } = &question.kind {
        parts.extend(min.map(|min| format!("at least {min}")));
        parts.extend(max.map(|max| format!("at most {max}")));
        parts.extend(unit.clone());
    }
    if let Some(when) = &question.when {
        parts.push(format!("asked where {} is {}", when.question, when.answers.join(" or ")));
    }
    if !question.counts {
        parts.push("not for agreement".to_owned());
    }
    if !question.required {
        parts.push("may stay open".to_owned());
    }
    parts.join(" · ")
}

fn show_answer(answer: &Answer, indent: usize, output: &mut Output) -> Result<(), Failure> {
    let key = answer.key.map_or_else(|| " ".to_owned(), String::from);
    let named = format!("{}  {}", answer.id, answer.label);
    output.styled(&[
        (&" ".repeat(indent), Role::Text),
        (&key, Role::Accent),
        ("  ", Role::Text),
        (&named, Role::Text),
    ])?;
    indented(&answer.definition, indent + 3, output)?;
    for (sign, examples) in [("+", &answer.positive), ("-", &answer.negative)] {
        for example in examples {
            indented(&format!("{sign} {example}"), indent + 3, output)?;
        }
    }
    Ok(())
}

/// A text as lines that fit, behind blanks.
fn indented(text: &str, indent: usize, output: &mut Output) -> Result<(), Failure> {
    let room = output.width().min(110).saturating_sub(indent).max(20);
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        for line in wrap(&words.join(" "), room) {
            output.line(&format!("{}{line}", " ".repeat(indent)))?;
        }
    }
    Ok(())
}

fn check(config: &Config, named: &[String], output: &mut Output) -> Result<u8, Failure> {
    let (mut checked, mut problems, mut told) = (0, 0, Vec::new());
    if named.is_empty() {
        let (found, wrong) = config.codebooks();
        checked += found.len() + wrong.len();
        told.extend(wrong);
    }
    for name in named {
        checked += 1;
        match config.codebook(name) {
            Ok(_) => {}
            Err(problem @ (CodebookProblem::NoFile(_) | CodebookProblem::Unknown { .. })) => {
                return Err(Failure::usage(problem));
            }
            Err(problem) => told.push(problem),
        }
    }
    for problem in &told {
        match problem {
            CodebookProblem::Wrong(errors) => {
                for error in &errors.0 {
                    problems += 1;
                    match output.json {
                        true => output.object(&json!({
                            "type": "codebook-problem", "v": 1, "file": error.file, "line": error.line,
                            "question": error.question, "answer": error.answer, "key": error.key,
                            "message": error.problem.to_string(),
                        }))?,
                        false => output.line(&error.to_string())?,
                    }
                }
            }
            other => {
                problems += 1;
                let message = other.to_string();
                match output.json {
                    true => {
                        output.object(&json!({ "type": "codebook-problem", "v": 1, "message": message }))?;
                    }
                    false => output.line(&message)?,
                }
            }
        }
    }
    match output.json {
        true => output
            .object(&json!({ "type": "codebook-check", "v": 1, "checked": checked, "problems": problems }))?,
        false => {
            output.line(&format!("{}, {}", counted(checked, "codebook"), counted(problems, "problem")))?
        }
    }
    Ok(if problems == 0 { DONE } else { FAILED })
}

fn compare(config: &Config, old: &str, new: &str, output: &mut Output) -> Result<u8, Failure> {
    let old = config.codebook(old).map_err(Failure::usage)?.codebook;
    let new = config.codebook(new).map_err(Failure::usage)?.codebook;
    let found = changes(&old, &new);
    let stale = |changes: &[Change]| match changes {
        _ if found.subject_changed => "all",
        changes if changes.iter().any(Change::touches_all) => "all",
        changes
            if changes.iter().any(|change| matches!(change, Change::AnswerRemoved(_) | Change::Range)) =>
        {
            "some"
        }
        _ => "none",
    };
    for question in &found.questions {
        let id = question.new.as_ref().or(question.old.as_ref());
        let what: Vec<String> = question.changes.iter().map(Change::to_string).collect();
        if output.json {
            output.object(&json!({
                "type": "question-change", "v": 1, "old": question.old, "new": question.new,
                "changes": what, "stale": stale(&question.changes),
            }))?;
            continue;
        }
        output.line(&format!("{}: {}", id.map_or("", String::as_str), what.join("; ")))?;
        output.line(match stale(&question.changes) {
            "all" => "  its labels are stale",
            "some" => "  labels that hold what is gone are stale, the others stay",
            _ => "  its labels stay",
        })?;
    }
    if found.subject_changed {
        let (old, new) = (old.subject.name(), new.subject.name());
        output.note(&format!("labels of {old}s cannot be labels of {new}s: all are stale"));
    }
    if found.is_empty() {
        output.note("no question changed");
    }
    if old.version == new.version && old.stamp() != new.stamp() {
        output.note(&format!("both say version {}; write a higher one into the newer file", old.version));
    }
    Ok(DONE)
}
