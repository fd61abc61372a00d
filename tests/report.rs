//! Reports of real runners, captured by `tests/report/capture.sh` from the programs beside it: read whole, cut
//! short, in chunks, forged; and what the verdict is.
#![allow(clippy::unwrap_used)]

#[path = "report/analysers.rs"]
mod analysers;
#[path = "report/bounds.rs"]
mod bounds;
#[path = "report/digging.rs"]
mod digging;
#[path = "report/forgery.rs"]
mod forgery;
#[path = "report/runners.rs"]
mod runners;

use mendbench::report::{ExitKind, Parser, Report};
use std::fmt::Write;

/// A captured output.
fn captured(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/report/captured/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The exit code that belongs to it.
fn exit_of(name: &str) -> ExitKind {
    let codes = String::from_utf8(captured("codes.txt")).unwrap();
    let log = match name {
        "junit-pytest.xml" => "pytest.log",
        "junit-import-error.xml" => "pytest-collection.log",
        name => name,
    };
    let code = codes.lines().find_map(|line| line.strip_prefix(log)?.trim().parse().ok());
    ExitKind::Code(code.unwrap_or_else(|| panic!("no exit code of {name}")))
}

fn parser_of(name: &str) -> Option<Parser> {
    let is = |start: &str| name.starts_with(start);
    Some(match name {
        _ if is("unittest-") => Parser::Unittest,
        _ if is("pytest-") && name.ends_with(".txt") => Parser::Pytest,
        _ if is("junit-") => Parser::Junit,
        _ if is("tap-") || is("prove") || name.ends_with(".tap") => Parser::Tap,
        _ if is("cargo-") => Parser::CargoTest,
        _ => return None,
    })
}

/// All captured reports with their parsers.
fn all() -> Vec<(String, Parser)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/report/captured");
    let mut found: Vec<(String, Parser)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let parser = parser_of(&name)?;
            Some((name, parser))
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(found.len() > 50, "{} captured reports", found.len());
    found
}

fn read(name: &str) -> Report {
    parser_of(name).unwrap().parse(&captured(name))
}

/// A report as text, for pictures and messages.
fn shown(report: &Report) -> String {
    let mut out = String::new();
    let end = if report.complete { "complete" } else { "breaks off" };
    write!(out, "{end}, planned {:?}, unnamed {}", report.planned, report.unnamed).unwrap();
    for (word, is) in [("bailed out", report.bailed_out), ("build failed", report.build_failed)] {
        if is {
            write!(out, ", {word}").unwrap();
        }
    }
    out.push('\n');
    for case in &report.cases {
        write!(out, "  {} {}", case.status, case.id).unwrap();
        if let Some(message) = &case.message {
            write!(out, ": {message:?}").unwrap();
        }
        out.push('\n');
    }
    for note in &report.notes {
        writeln!(out, "  note: {note}").unwrap();
    }
    for what in &report.contradictions {
        writeln!(out, "  contradiction: {what}").unwrap();
    }
    out
}
