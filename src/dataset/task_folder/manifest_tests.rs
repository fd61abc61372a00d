//! Tests of `task.toml`: its keys and its mistakes.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::task::Command;
use proptest::prelude::*;

const HEAD: &str = "schema = 1\nid = \"a\"\ntitle = \"A\"\nkind = \"repair\"\nlanguage = \"c\"\n";

fn problems(text: &str) -> Vec<String> {
    match parse(text, "d") {
        Ok(manifest) => panic!("no problem in {text}: {:?}", manifest.task),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn all_keys_of_all_kinds_are_read() {
    let text = r#"
schema = 1
id = "x/1"
title = "A feature"
kind = "feature"
language = "python"
group = "x"
description = "what"
context = "where"
protected = ["tests/**", "docs/"]
[sections]
issue_title = "it"
issue_body = "ib"
pr_title = "pt"
pr_body = "pb"
folder_tree = "ft"
[[target]]
file = "src/a.py"
function = "run"
[[target]]
file = "src/b.py"
[repo]
url = "https://example.org/r.git"
commit = "abc"
subdir = "lib"
[expected]
answer = "42"
files = ["src/a.py", "src/a.py:run"]
patch = "diff"
[feature]
components = ["run(x)"]
hints = "look"
non_code_patch = "docs"
[test]
build = "make"
command = ["pytest", "-q"]
parser = "pytest"
timeout_s = 1_000
fail_to_pass = ["a"]
pass_to_pass = ["b", "c"]
[feedback]
llm-skilled = "feedback/s.txt"
[provenance]
source = "s"
commit = "c"
licence = "MIT"
error_type = "C.3"
class = "vulnerability"
cve = "CVE-1"
operator = "AOR"
site = "line 3"
[limits]
timeout_s = 1
memory_mb = 0x10
processes = 3
disk_mb = 4
output_kb = 5
[sandbox]
image = "py"
[meta]
free = { n = 1, list = [1.5, true, "x"], day = 2020-01-02, inf = inf }
"#;
    let manifest = parse(text, "d").unwrap();
    let task = manifest.task;
    assert_eq!(task.name().to_string(), "d/x/1");
    assert_eq!((task.kind, task.group.as_str(), task.targets.len()), (Kind::Feature, "x", 2));
    assert_eq!(task.sections.folder_tree.as_deref(), Some("ft"));
    assert_eq!(task.repo.unwrap().subdir.as_deref(), Some("lib"));
    assert_eq!(task.expected.files, ["src/a.py", "src/a.py:run"]);
    assert_eq!(task.feature.components, ["run(x)"]);
    assert_eq!(task.test.build, Some(Command::Shell("make".to_owned())));
    assert_eq!(task.test.command, Some(Command::Arguments(vec!["pytest".to_owned(), "-q".to_owned()])));
    assert_eq!(task.test.timeout_s, Some(1000));
    assert_eq!(task.provenance.class, Some(FaultClass::Vulnerability));
    assert_eq!(task.limits.memory_mb, Some(16));
    assert_eq!(task.sandbox.image.as_deref(), Some("py"));
    let meta = serde_json::json!({"n": 1, "list": [1.5, true, "x"], "day": "2020-01-02", "inf": "inf"});
    assert_eq!(task.meta["free"], meta);
    assert_eq!(manifest.feedback, [(FeedbackKind::LlmSkilled, "feedback/s.txt".to_owned())]);
    // Every key of the table stands in the text above, so the table is what is read.
    for (section, keys) in schema::KEYS {
        for key in *keys {
            let known = text.contains(key) || *section == "feedback";
            assert!(known, "{section}.{key}");
        }
    }
}

#[test]
fn a_problem_names_line_key_and_the_nearest_known_key() {
    let table: &[(&str, &str)] = &[
        ("desciption = \"x\"", "line 6, column 1: `desciption`: unknown key; did you mean `description`?"),
        (
            "[test]\nfailtopass = []",
            "line 7, column 1: `test.failtopass`: unknown key; did you mean `fail_to_pass`?",
        ),
        (
            "[provenance]\nprotected = []",
            "line 7, column 1: `provenance.protected`: unknown key here; `protected` belongs to the top level, before the first `[…]`",
        ),
        ("parser = \"tap\"", "line 6, column 1: `parser`: unknown key here; it belongs into `[test]`"),
        (
            "colour = 1",
            "line 6, column 1: `colour`: unknown key; the keys here are schema, id, title, kind, language, group, description, context, sections, target, repo, expected, feature, test, protected, feedback, provenance, limits, sandbox, meta; free keys belong into `[meta]`",
        ),
        (
            "[extra]\na = 1",
            "line 6, column 2: `extra`: unknown key; the keys here are schema, id, title, kind, language, group, description, context, sections, target, repo, expected, feature, test, protected, feedback, provenance, limits, sandbox, meta; free keys belong into `[meta]`",
        ),
        (
            "[limits]\nram_mb = 1",
            "line 7, column 1: `limits.ram_mb`: unknown key; the keys here are timeout_s, memory_mb, processes, disk_mb, output_kb; free keys belong into `[meta]`",
        ),
        ("description = 3", "line 6, column 15: `description`: expected a string, found a whole number"),
        ("protected = \"x\"", "line 6, column 13: `protected`: expected a list of strings, found a string"),
        (
            "protected = [\"a\", 2]",
            "line 6, column 19: `protected[2]`: expected a string, found a whole number",
        ),
        (
            "[test]\ntimeout_s = 2.5",
            "line 7, column 13: `test.timeout_s`: expected a whole number, found a number with a fraction",
        ),
        (
            "[test]\ntimeout_s = -2",
            "line 7, column 13: `test.timeout_s`: `-2` is not a number from 0 to 2^63 - 1",
        ),
        (
            "[test]\ncommand = true",
            "line 7, column 11: `test.command`: expected a list of arguments, or one string for `sh -c`, found true or false",
        ),
        ("test = 1", "line 6, column 8: `test`: expected a table `[test]`, found a whole number"),
        ("[target]\nfile = \"a\"", "line 6, column 1: `target`: expected tables `[[target]]`, found a table"),
        ("[[target]]\nfunction = \"f\"", "`target[1].file`: missing; write `file = \"path/in/the/tree\"`"),
        (
            "[[target]]\nfile = \"a\"\n[[target]]\nfile = \"../b\"",
            "line 9, column 8: `target[2].file`: `../b`: the path holds `..`, which would leave the task's tree",
        ),
        (
            "[[target]]\nfile = \"/etc/passwd\"",
            "line 7, column 8: `target[1].file`: `/etc/passwd`: the path is absolute; write it relative to the task's tree",
        ),
        (
            "[feedback]\nhuman = \"../x\"",
            "line 7, column 9: `feedback.human`: `../x`: the path holds `..`, which would leave the task's tree",
        ),
        (
            "[feedback]\nhumen = \"x\"",
            "line 7, column 9: `feedback.humen`: unknown kind of feedback; did you mean `human`?",
        ),
        (
            "[provenance]\nclass = \"cve\"",
            "line 7, column 9: `provenance.class`: `cve` is none of `bug`, `vulnerability`",
        ),
        ("[repo]\nurl = \"x\"", "`repo.commit`: missing; write `commit = \"the full hash\"`"),
        (
            "[expected]\nfiles = [\"a/../b:f\"]",
            "line 7, column 9: `expected.files`: `a/../b:f`: the path holds `..`, which would leave the task's tree",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(problems(&format!("{HEAD}{text}\n")), [*expected], "{text}");
    }
}

#[test]
fn what_must_be_there_is_asked_for() {
    assert_eq!(
        problems(""),
        [
            "`schema`: missing; write `schema = 1` as the first line",
            "`id`: missing; write `id = \"my-task\"`",
            "`title`: missing; write `title = \"What is wrong, in one line\"`",
            "`language`: missing; write `language = \"python\"`",
            "`kind`: missing; write `kind = \"repair\"`, or one of `repair`, `feature`, `question`, `localization`, `edit`",
        ]
    );
    let bad = "schema = \"1\"\nid = \" \"\ntitle = \"two\\nlines\"\nkind = \"fix\"\nlanguage = \"C\"\n";
    assert_eq!(
        problems(bad),
        [
            "line 1, column 10: `schema`: must be the number 1",
            "line 2, column 6: `id`: is empty",
            "line 2, column 6: `id`: begins or ends with white space",
            "line 3, column 9: `title`: must be one line without control characters",
            "line 4, column 8: `kind`: `fix` is none of `repair`, `feature`, `question`, `localization`, `edit`",
            "line 5, column 12: `language`: write it in lower case without spaces: `c`",
        ]
    );
}

#[test]
fn a_newer_schema_is_the_only_problem() {
    let text = "schema = 2\nsomething = \"new\"\n";
    assert_eq!(
        problems(text),
        [
            "line 1, column 10: `schema`: made for a newer mendbench (schema 2, this one reads 1); update mendbench"
        ]
    );
}

#[test]
fn broken_toml_has_a_place() {
    let text = format!("{HEAD}é = \"open\ncontext = = 1\n");
    let problems = parse(&text, "d").err().unwrap();
    assert!(problems.len() >= 2, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.text.starts_with("not TOML: ")), "{problems:?}");
    assert_eq!(problems[0].line, Some(6));
    assert!(problems.iter().any(|problem| problem.line == Some(7)), "{problems:?}");
}

#[test]
fn a_thousand_problems_are_counted() {
    let extra: String = (0..1000).map(|n| format!("zzzz{n} = 1\n")).collect();
    let problems = problems(&format!("{HEAD}{extra}"));
    assert_eq!(problems.len(), 51);
    assert_eq!(problems[50], "and 950 more problems");
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&String::from_utf8_lossy(&bytes), "d");
    }

    #[test]
    fn any_toml_like_text_is_survived(
        text in "(schema = 1\n|id = |\"a\"|\n|\\[target\\]|\\[\\[target\\]\\]|\\[test\\]|file|[a-z=.\\[\\]{},'\"0-9é\n ]){0,60}",
    ) {
        if let Err(problems) = parse(&text, "d") {
            prop_assert!(!problems.is_empty());
        }
    }
}
