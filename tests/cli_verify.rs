//! `mendbench verify` and `mendbench tasks check`, as users run them, in a real sandbox.
#![allow(clippy::unwrap_used, clippy::explicit_write)]
#![cfg(unix)]

mod cli_rig;

use cli_rig::{Home, Ran};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the tools of the languages are, for a home that is not the user's.
fn tools() -> Vec<(&'static str, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let of = |name: &'static str, folder: &str| {
        (name, std::env::var(name).unwrap_or_else(|_| format!("{home}/{folder}")))
    };
    vec![of("RUSTUP_HOME", ".rustup"), of("CARGO_HOME", ".cargo")]
}

fn run(home: &Home, arguments: &[&str]) -> Ran {
    let tools = tools();
    let variables: Vec<(&str, &str)> = tools.iter().map(|(name, value)| (*name, value.as_str())).collect();
    home.run_with(arguments, &variables, "")
}

/// A Python task whose `x` must be 1, as a folder.
fn task(home: &Home, id: &str, buggy: &str, reference: &str) -> PathBuf {
    let folder = format!("tasks/{id}");
    let manifest = format!(
        "schema = 1\nid = \"{id}\"\ntitle = \"{id}\"\nkind = \"repair\"\nlanguage = \"python\"\n\
         protected = [\"test_*.py\"]\n[[target]]\nfile = \"m.py\"\n[test]\ntimeout_s = 20\n\
         command = [\"python3\", \"-m\", \"unittest\", \"-v\", \"test_m\"]\nparser = \"unittest\"\n"
    );
    home.write(format!("{folder}/task.toml"), manifest);
    let test = "import unittest, m\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(m.x, 1)\n    def test_y(self):\n        self.assertEqual(m.y, 2)\n";
    home.write(format!("{folder}/base/test_m.py"), test);
    home.write(format!("{folder}/buggy/m.py"), buggy);
    home.write(format!("{folder}/reference/m.py"), reference);
    home.path(folder)
}

const GOOD: &str = "x = 1\ny = 2\n";
const BAD: &str = "x = 0\ny = 2\n";

#[test]
fn a_task_is_tested_as_it_is() {
    let home = Home::new();
    let folder = task(&home, "one", BAD, GOOD);
    let name = folder.to_str().unwrap();
    let buggy = run(&home, &["verify", name]);
    assert_eq!(buggy.code, 1, "{}{}", buggy.out, buggy.err);
    for words in
        ["✘ failed", "1/2 tests", "test_m.T.test_x", "AssertionError: 0 != 1", "assertion at test_m.py:4"]
    {
        assert!(buggy.out.contains(words), "{words}: {}", buggy.out);
    }
    let reference = run(&home, &["verify", name, "--reference"]).done();
    assert!(reference.out.contains("✔ passed") && reference.out.contains("2/2 tests"), "{}", reference.out);
    let again = run(&home, &["verify", name, "--reference", "--json"]).done();
    let object = &again.objects_of("verification")[0];
    assert_eq!(object["cached"], Value::Bool(true));
    assert_eq!(object["verdict"], "passed");
    assert_eq!(object["cases"].as_array().unwrap().len(), 2);
    let fresh = run(&home, &["verify", name, "--reference", "--json", "--fresh"]).done();
    assert_eq!(fresh.objects_of("verification")[0]["cached"], Value::Bool(false));
    let whole = run(&home, &["verify", name, "--output", "--analyse"]);
    assert!(whole.out.contains("stderr | ") && whole.out.contains("python3 -m py_compile"), "{}", whole.out);
}

#[test]
fn checks_tell_each_task_and_the_quarantine_holds() {
    let home = Home::new();
    task(&home, "a-holds", BAD, GOOD);
    task(&home, "b-passes", GOOD, GOOD);
    task(&home, "c-broken", BAD, "x = 5\ny = 2\n");
    let flaky = "import os, time\nx = 1\ny = time.time_ns() % 2 and 2 or 3\nif int(time.time_ns() / 1e3) % 2: x = 2\n";
    task(&home, "d-random", BAD, flaky);
    home.write(
        "tasks/e-nothing/task.toml",
        "schema = 1\nid = \"e-nothing\"\ntitle = \"t\"\nkind = \"repair\"\nlanguage = \"cobol\"\n",
    );
    home.write("tasks/e-nothing/buggy/a.cob", "x\n");
    let tasks = home.path("tasks");
    let ran = run(&home, &["tasks", "check", tasks.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let checks = ran.objects_of("task-check");
    let standing = |id: &str| {
        let check = checks.iter().find(|check| check["task"].as_str().unwrap().ends_with(id)).unwrap();
        (check["standing"].as_str().unwrap().to_owned(), check["reason"].as_str().unwrap_or("").to_owned())
    };
    let names: Vec<&str> = checks.iter().map(|check| check["task"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "in the order of the list: {names:?}");
    let said = |standing: &str, reason: &str| (standing.to_owned(), reason.to_owned());
    assert_eq!(standing("a-holds"), said("holds", ""));
    assert_eq!(standing("b-passes"), said("quarantined", "buggy-passes"));
    assert_eq!(standing("c-broken"), said("quarantined", "reference-fails"));
    assert_eq!(standing("e-nothing"), said("quarantined", "cannot-run"));
    // A reference of chance fails or differs; it may also pass twice.
    assert!(["flaky", "reference-fails", ""].contains(&standing("d-random").1.as_str()));
    let closing = &ran.objects_of("task-checks")[0];
    assert_eq!((closing["checked"].as_u64(), closing["unknown"].as_u64()), (Some(5), Some(0)));

    // Predictions for what is quarantined are left out unless asked for.
    let rows = "{\"task\": \"a-holds\", \"patch\": \"--- a/m.py\\n+++ b/m.py\\n@@ -1,2 +1,2 @@\\n-x = 0\\n+x = 1\\n y = 2\\n\"}\n{\"task\": \"b-passes\", \"code\": \"x = 1\\ny = 2\\nz = 3\\n\"}\n";
    let file = home.write("p.jsonl", rows);
    let arguments = ["verify", file.to_str().unwrap(), "--in", tasks.to_str().unwrap(), "--json"];
    let ran = run(&home, &arguments).done();
    let closing = &ran.objects_of("verifications")[0];
    assert_eq!((closing["n"].as_u64(), closing["passed"].as_u64()), (Some(1), Some(1)), "{}", ran.out);
    assert_eq!(closing["quarantined"], 1);
    let ran = run(&home, &[arguments.as_slice(), &["--quarantined"]].concat());
    assert_eq!(ran.objects_of("verifications")[0]["n"], 2);
}

#[test]
fn predictions_are_applied_and_every_bad_row_is_told() {
    let home = Home::new();
    task(&home, "one", BAD, GOOD);
    let tasks = home.path("tasks");
    let patch = "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n-x = 0\n+x = 1\n y = 2\n";
    let answer = "The value is wrong.\n\n```python\nx = 1\ny = 2\n```\n";
    let forged = "--- a/test_m.py\n+++ b/test_m.py\n@@ -1,1 +1,1 @@\n-import unittest, m\n+import unittest\n";
    let mut rows = String::new();
    for row in [
        serde_json::json!({ "task": "tasks/one", "patch": patch, "model": "good" }),
        serde_json::json!({ "instance_id": "one", "model_patch": forged, "model_name_or_path": "forger" }),
        serde_json::json!({ "task_id": "one", "completion": answer }),
        serde_json::json!({ "id": "one", "code": "x = 7\ny = 2\n" }),
        serde_json::json!({ "id": "two", "code": "x = 7\n" }),
        serde_json::json!({ "id": "one" }),
        serde_json::json!({ "id": "one", "answer": "I am sorry, but I cannot help with that." }),
    ] {
        writeln!(rows, "{row}").unwrap();
    }
    rows.push_str("{ not json\n");
    let file = home.write("p.jsonl", rows);
    let ran = run(&home, &["verify", file.to_str().unwrap(), "--in", tasks.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let results: Vec<(u64, String)> = ran
        .objects_of("verification")
        .iter()
        .map(|object| (object["line"].as_u64().unwrap(), object["verdict"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [(1, "passed"), (2, "not-run"), (3, "passed"), (4, "failed"), (7, "not-run")];
    let expected: Vec<(u64, String)> = expected.map(|(line, verdict)| (line, verdict.to_owned())).into();
    assert_eq!(results, expected, "{}", ran.out);
    let skipped: Vec<u64> =
        ran.objects_of("skipped-row").iter().map(|row| row["line"].as_u64().unwrap()).collect();
    assert_eq!(skipped, [5, 6, 8]);
    let closing = &ran.objects_of("verifications")[0];
    assert_eq!((closing["n"].as_u64(), closing["n_without_infra"].as_u64()), (Some(5), Some(5)));
    assert_eq!(closing["verdicts"]["not-run"], 2);
    assert_eq!(closing["skipped"], 3);
}

#[test]
fn mistakes_are_usage_and_no_sandbox_is_infrastructure() {
    let home = Home::new();
    let folder = task(&home, "one", BAD, GOOD);
    let name = folder.to_str().unwrap();
    run(&home, &["verify", "no-such-task"]).ended(2, &["no-such-task"]);
    run(&home, &["verify", name, "--sandbox", "chroot"]).ended(2, &["chroot", "bubblewrap"]);
    run(&home, &["verify", name, "--jobs", "0"]).ended(2, &["--jobs"]);
    run(&home, &["verify", name, "--sandbox", "docker"]).ended(3, &["no image is named", "--image"]);
    let nowhere = [("DOCKER_HOST", "unix:///no/such/socket")];
    let ran = home.run_with(&["verify", name, "--image", "none:1"], &nowhere, "");
    ran.ended(3, &["docker", "/no/such/socket"]);
    let file = home.write("p.jsonl", "{\"task\": \"one\", \"code\": \"x\"}\n");
    run(&home, &["verify", file.to_str().unwrap(), "--reference"]).ended(2, &["--reference"]);
}

#[test]
fn the_samples_hold_here() {
    let home = Home::new();
    let ran = run(&home, &["tasks", "check", "--json"]);
    let checks = ran.objects_of("task-check");
    assert_eq!(checks.len(), 10);
    let all = std::env::var_os("MENDBENCH_ALL_TOOLCHAINS").is_some();
    let mut skipped = 0;
    for check in &checks {
        let why = check["why"].as_str().unwrap();
        if !all && check["standing"] == "unknown" && why.contains("is it installed?") {
            skipped += 1;
            continue;
        }
        assert_eq!(check["standing"], "holds", "{}: {why}", check["task"]);
    }
    if skipped > 0 {
        use std::io::Write;
        writeln!(std::io::stderr(), "skipped: {skipped} sample task(s), because their tools are missing")
            .unwrap();
    } else {
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

/// Ids of tasks, each with the standing that the table in the closing notes gives it.
#[test]
fn humaneval_holds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data/feedbackeval/HumanEval_feedback_test.jsonl");
    if !path.is_file() {
        use std::io::Write;
        writeln!(std::io::stderr(), "skipped: {} is not there", path.display()).unwrap();
        return;
    }
    let home = Home::new();
    // A part here; the whole file is checked by hand for the table.
    let arguments = ["tasks", "check", path.to_str().unwrap(), "--filter", "id:HumanEval/1", "--json"];
    let ran = run(&home, &arguments);
    let closing = &ran.objects_of("task-checks")[0];
    assert!(closing["checked"].as_u64().unwrap() > 0, "{}", ran.out);
    assert_eq!(closing["holds"], closing["checked"], "{}", ran.out);
}
