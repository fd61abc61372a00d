//! What the README says is what mendbench does: its picture, its table of keys, its filter fields, its commands.
//!
//! `MENDBENCH_UPDATE_README=1 cargo test --test readme` writes picture and keys anew.
#![allow(clippy::unwrap_used)]

mod rig;

use mendbench::keymap::Keymap;
use mendbench::task::filter::Field;
use rig::{Options, Rig};
use std::path::Path;
use std::process::Command;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

fn readme() -> String {
    std::fs::read_to_string(README).unwrap()
}

/// The text between two markers, which must equal `wanted`.
fn holds(name: &str, wanted: &str) {
    let text = readme();
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let from = text.find(&start).unwrap() + start.len();
    let to = text.find(&end).unwrap();
    if std::env::var_os("MENDBENCH_UPDATE_README").is_some() {
        std::fs::write(README, format!("{}{wanted}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert_eq!(
        &text[from..to],
        wanted,
        "write it anew with MENDBENCH_UPDATE_README=1 cargo test --test readme"
    );
}

#[test]
fn picture_and_keys_are_those_of_the_program() {
    let mut rig = Rig::samples(Options::sized(112, 26));
    rig.press("j enter");
    holds("screen", &format!("```text\n{}```\n", rig.text()));
    holds("keys", &Keymap::new().markdown_table());
}

#[test]
fn every_field_of_a_filter_is_explained() {
    let text = readme();
    for field in Field::ALL {
        assert!(text.contains(&format!("| `{}:` |", field.as_str())), "{}", field.as_str());
    }
}

/// Writes the file of ratings that is shown.
fn ratings(folder: &Path) {
    let text = readme();
    let from = text.find("<!-- ratings -->\n```csv\n").unwrap() + "<!-- ratings -->\n```csv\n".len();
    let to = text.find("```\n<!-- end of ratings -->").unwrap();
    std::fs::write(folder.join("ratings.csv"), &text[from..to]).unwrap();
}

#[test]
fn the_report_of_agreement_is_that_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    ratings(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_mendbench"))
        .args(["agreement", "--ratings", "ratings.csv", "--categories", "bug,feature"])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    holds("agreement", &format!("```text\n{}```\n", String::from_utf8(output.stdout).unwrap()));
}

#[test]
fn the_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-tasks");
    std::os::unix::fs::symlink(samples, folder.path().join("sample-tasks")).unwrap();
    ratings(folder.path());
    let text = readme();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ mendbench ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for line in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_mendbench"))
            .args(shlex::split(line).unwrap())
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {said}");
        assert!(!output.stdout.is_empty(), "{line} printed nothing; stderr: {said}");
    }
}

#[test]
fn the_task_folder_that_is_shown_can_be_read() {
    let text = readme();
    let start = text.find("schema = 1\n").unwrap();
    let manifest = &text[start..start + text[start..].find("```").unwrap()];
    let folder = tempfile::tempdir().unwrap();
    let task = folder.path().join("c-ring-buffer");
    for (file, content) in
        [("task.toml", manifest), ("feedback/minimal.txt", "x"), ("buggy/a.c", "1"), ("reference/a.c", "2")]
    {
        let path = task.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let request = mendbench::dataset::Request::new(&task);
    let report = mendbench::dataset::read_all(&request).unwrap();
    assert_eq!(report.skipped, []);
    assert_eq!(report.tasks[0].test.fail_to_pass, ["wrap", "fill"]);
}
