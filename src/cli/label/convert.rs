//! `mendbench label convert`: labels of others, from files, as a table for other programs or for a paper.
//!
//! Promises: stdout carries the table and nothing else; bad rows are all told with their lines, and nothing is printed
//! past them unless `--skip-bad` says so.
//! Leaves to others: the tables (`label::export`), reading files (`dataset::labels`), labels of rounds (`exchange`).

use super::flags::Form;
use crate::cli::{DONE, FAILED, Failure, Output, shown};
use crate::config::Config;
use crate::dataset::labels::{Imported, LabelFormat, Mapping, read_labels};
use crate::dataset::ratings::{Columns, Layout, read_text};
use crate::label::export::{
    Place, Stage, Study, StudyQuestion, counts_csv, json_lines, latex, long_csv, markdown, methods, wide_csv,
};
use crate::text::counted;
use clap::{Args, ValueEnum, ValueHint};
use serde_json::json;
use std::path::PathBuf;

/// Bad rows that are told one by one to people.
const TOLD: usize = 20;

/// Which labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PhaseName {
    /// As they were when labelling ended
    Blind,
    /// As they are after discussion
    Revised,
    /// The arbitrator's
    Adjudicated,
}

/// Arguments of `label convert`.
#[derive(Debug, Args)]
pub struct Convert {
    /// Files of labels
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// What it becomes
    #[arg(long, value_name = "FORM", default_value = "long", value_enum)]
    pub form: Form,
    /// Only the labels of this phase; for counts default: blind
    #[arg(long, value_enum)]
    pub phase: Option<PhaseName>,
    /// With `--phase revised`, which revision
    #[arg(long, value_name = "N", default_value_t = 1, requires = "phase")]
    pub revision: u32,
    /// Only this question; counts need it where there are several
    #[arg(long, value_name = "ID")]
    pub question: Option<String>,
    /// With `--form counts`: all items, those that were not asked the question too
    #[arg(long)]
    pub all: bool,
    /// What the files are: linux-bugs, swebench, mendbench, ratings; default: told by their columns
    #[arg(long = "labels", value_name = "FORMAT")]
    pub labels: Option<String>,
    /// The codebook of the files: its questions and categories
    #[arg(long, value_name = "C")]
    pub codebook: Option<String>,
    /// Columns of ratings: item, rater, label, as `item=commit,rater=who`; also question and round
    #[arg(long, value_name = "NAME=COL,…")]
    pub columns: Option<String>,
    /// What stands between fields, or `tab`
    #[arg(long, value_name = "C", default_value = ",")]
    pub delimiter: String,
    /// What stands between the labels of a set
    #[arg(long, value_name = "SEP")]
    pub sets: Option<String>,
    /// Leave bad rows out
    #[arg(long)]
    pub skip_bad: bool,
}

/// Runs the command.
pub fn run(what: &Convert, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let imported = imported(what, config)?;
    for remark in &imported.remarks {
        output.note(remark);
    }
    tell(&imported, output)?;
    if imported.bad_count > 0 && !what.skip_bad {
        let bad = counted(imported.bad_count, "bad row");
        output.note(&format!("{bad}: nothing is made of them; mend them, or leave them out with --skip-bad"));
        return Ok(FAILED);
    }
    let mut study = imported.study;
    if let Some(problem) = study.problems().first() {
        return Err(Failure { code: FAILED, message: problem.to_string() });
    }
    let stage = what.phase.map(|phase| match phase {
        PhaseName::Blind => Stage::Blind,
        PhaseName::Revised => Stage::Revised(what.revision.max(1)),
        PhaseName::Adjudicated => Stage::Adjudicated,
    });
    if let Some(id) = &what.question {
        if study.question(id).is_none() {
            let known: Vec<&str> = study.questions.iter().map(|question| question.id.as_str()).collect();
            return Err(Failure::usage(format!(
                "there is no question `{id}`; there are {}",
                known.join(", ")
            )));
        }
        study.questions.retain(|question| question.id == *id);
        study.rows.retain(|row| *row.question == **id);
    }
    if let Some(stage) = stage {
        study.rows.retain(|row| row.stage == stage);
    }
    let form = if output.json { Form::Jsonl } else { what.form };
    let text = match form {
        Form::Long => long_csv(&study),
        Form::Wide => wide_csv(&study),
        Form::Counts => counts(&study, stage.unwrap_or(Stage::Blind), what.all)?,
        Form::Events | Form::Jsonl => json_lines(&study),
        Form::Latex => latex(&study),
        Form::Markdown => markdown(&study),
        Form::Methods => methods(&study),
    };
    output.raw(&text)?;
    Ok(DONE)
}

fn counts(study: &Study, stage: Stage, all: bool) -> Result<String, Failure> {
    let [question] = study.questions.as_slice() else {
        return Err(Failure::usage("counts are of one question; name it with --question"));
    };
    let rounds: Vec<&str> = study.rounds.iter().map(|round| round.name.as_str()).collect();
    let [round] = rounds.as_slice() else {
        return Err(Failure::usage("counts are of one round, and the files have several; take --form long"));
    };
    let place = Place { round: (*round).into(), stage, question: question.id.as_str().into() };
    let nothing = || {
        let stage = stage.words();
        Failure {
            code: FAILED,
            message: format!("`{}` has no {stage} labels that can be counted", question.id),
        }
    };
    counts_csv(study, &place, all).ok_or_else(nothing)
}

fn imported(what: &Convert, config: &Config) -> Result<Imported, Failure> {
    let mut files = Vec::new();
    for path in &what.files {
        let name = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|error| {
            let reason = crate::cli::output::reason(&error);
            Failure::usage(format!("cannot read {}: {reason}; check its name and permissions", shown(path)))
        })?;
        files.push((name.clone(), read_text(&name, file).map_err(Failure::usage)?));
    }
    let format = match &what.labels {
        Some(name) => LabelFormat::by_name(name).ok_or_else(|| {
            let known = LabelFormat::ALL.map(LabelFormat::name).join(", ");
            Failure::usage(format!("--labels is one of {known}, not `{name}`"))
        })?,
        None => files.first().map_or(LabelFormat::Ratings, |(_, bytes)| LabelFormat::detect(bytes)),
    };
    let questions: Vec<StudyQuestion> = match &what.codebook {
        Some(name) => {
            let codebook = config.codebook(name).map_err(Failure::usage)?.codebook;
            codebook.questions.iter().map(StudyQuestion::of).collect()
        }
        None => Vec::new(),
    };
    let delimiter = match what.delimiter.as_str() {
        "tab" | "\\t" => b'\t',
        one if one.len() == 1 && one != "\"" && one != "\n" => one.as_bytes()[0],
        _ => return Err(Failure::usage("--delimiter is one character or `tab`")),
    };
    let layout = Layout { columns: columns(what.columns.as_deref())?, delimiter, ..Layout::default() };
    let mapping = Mapping { layout, sets: what.sets.clone(), ..Mapping::default() };
    read_labels(format, &files, &mapping, &questions).map_err(Failure::usage)
}

/// The columns of `item=commit,rater=who`.
fn columns(given: Option<&str>) -> Result<Columns, Failure> {
    let mut columns = Columns::default();
    for part in given.unwrap_or_default().split(',').filter(|part| !part.trim().is_empty()) {
        let wrong = || {
            let text = "--columns takes item=COL, rater=COL, label=COL, question=COL, round=COL, with commas between";
            Failure::usage(text)
        };
        let (name, column) = part.split_once('=').ok_or_else(wrong)?;
        let column = column.trim().to_owned();
        match name.trim() {
            "item" => columns.item = column,
            "rater" => columns.rater = column,
            "label" => columns.label = column,
            "question" => columns.question = Some(column),
            "round" => columns.round = Some(column),
            _ => return Err(wrong()),
        }
    }
    Ok(columns)
}

fn tell(imported: &Imported, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        for row in &imported.bad {
            output.object(&json!({
                "type": "bad-row", "v": 1, "file": row.file, "line": row.line,
                "reason": row.reason.as_str(), "message": row.reason.to_string(),
            }))?;
        }
        return Ok(());
    }
    for row in imported.bad.iter().take(TOLD) {
        output.note(&format!("{}, line {}: {}", row.file, row.line, row.reason));
    }
    let rest = imported.bad_count.saturating_sub(TOLD as u64);
    if rest > 0 {
        output.note(&format!("and {}; all of them with --json", counted(rest, "more bad row")));
    }
    Ok(())
}
