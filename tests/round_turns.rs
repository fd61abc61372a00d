//! Rounds whose items are turns of repair runs: drawn from the recordings that come with mendbench and from a run of
//! the user's own, labelled, compared, exported, and noticed when they are gone.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, Ran, skip};
use mendbench::label::codebook::{ReservedKeys, shipped};
use mendbench::label::item::{Item, Purpose, Stratum};
use mendbench::label::round::{Created, Sampling};
use mendbench::label::turn::TurnName;
use mendbench::store::{OpenMode, SqliteStore};
use mendbench::study::{NewRound, Studies};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A recording with a repair: both turns of four trajectories made other code, one passes.
const LINE: &str = "qwen-coder-line";
/// A recording without one: of its four turns two are no-ops.
const UNSOLVED: &str = "qwen-coder-unsolved";

fn by(home: &Home, who: &str, arguments: &[&str]) -> Ran {
    home.run(&[arguments, &["--workspace", "w", "--as", who]].concat())
}

fn create(home: &Home, round: &str, codebook: &str, more: &[&str]) -> Ran {
    let start = ["round", "create", round, "--codebook", codebook, "--seed", "3"];
    let people = ["--annotators", "anna,ben", "--arbitrator", "zoe", "--lead", "lea"];
    by(home, "lea", &[&start[..], &people, more].concat())
}

/// Items that somebody has still to label.
fn queue(home: &Home, who: &str, round: &str) -> Vec<String> {
    let ran = by(home, who, &["label", "list", "--missing", "--json", "--round", round]).done();
    ran.objects_of("item-missing").iter().map(|item| item["item"].as_str().unwrap().to_owned()).collect()
}

fn names(home: &Home, round: &str) -> BTreeSet<String> {
    queue(home, "anna", round).into_iter().collect()
}

/// Of each item the task and the turn.
fn short(names: &BTreeSet<String>) -> Vec<String> {
    let turn = |name: &String| {
        let turn = TurnName::parse(name).unwrap();
        format!("{} {}.{}", turn.task.id, turn.attempt, turn.turn)
    };
    names.iter().map(turn).collect::<BTreeSet<String>>().into_iter().collect()
}

fn label(home: &Home, who: &str, round: &str, item: &str, answers: &[(&str, &str)]) {
    let lines = answers.iter().map(|(question, answer)| {
        format!("{}\n", json!({ "item": item, "question": question, "answer": answer }))
    });
    let arguments = ["label", "set", "-", "--round", round, "--workspace", "w", "--as", who];
    home.run_with(&arguments, &[], &lines.collect::<String>()).done();
}

#[test]
fn the_turns_that_made_other_code_are_drawn() {
    let home = Home::new();
    let patch = "patch-correctness";
    let ran = create(&home, "last", patch, &["--run", LINE]).done();
    assert!(ran.out.contains("4 items of 4 drawn from last turn of each trajectory of run "), "{}", ran.out);
    let last = names(&home, "last");
    // The last turn of one made what was there before: that is other code all the same.
    assert_eq!(last.len(), 4);
    let two = ["--run", LINE, "--run", UNSOLVED, "--run", LINE];
    create(&home, "all", patch, &[&two[..], &["--turns", "all"]].concat()).done();
    let all = names(&home, "all");
    assert!(last.is_subset(&all), "{all:?}");
    create(&home, "plausible", patch, &[&two[..], &["--turns", "plausible"]].concat()).done();
    assert_eq!(short(&names(&home, "plausible")), ["c-ring-buffer 1.2"]);
    // What passed is among the last ones, and a turn that changed nothing is nowhere.
    assert!(names(&home, "plausible").is_subset(&last));
    let unsolved = create(&home, "unsolved", patch, &["--run", UNSOLVED, "--turns", "all", "--json"]).done();
    let round = unsolved.object("round");
    assert_eq!((&round["codebook"]["subject"], &round["items"]), (&json!("turn"), &json!(all.len() - 7)));
    assert!(short(&names(&home, "unsolved")).iter().all(|turn| turn.starts_with("py-retry-backoff")));
    // The filter is that of the tasks; a sample of a seed is drawn again.
    create(&home, "python", patch, &[&two[..], &["--turns", "all", "--filter", "lang:python"]].concat())
        .done();
    let python = names(&home, "python");
    assert!(python.len() > 2 && python.iter().all(|name| name.starts_with("samples/py-")), "{python:?}");
    let pausing = ["--turns", "all", "--filter", "text:\"first retry\""];
    create(&home, "text", patch, &[&two[..], &pausing].concat()).done();
    assert!(names(&home, "text").iter().all(|name| name.starts_with("samples/py-retry-backoff#")));
    for round in ["half-1", "half-2"] {
        create(&home, round, patch, &[&two[..], &["--turns", "all", "--sample", "half"]].concat()).done();
    }
    let half = names(&home, "half-1");
    assert_eq!(half, names(&home, "half-2"));
    create(&home, "rest", patch, &[&two[..], &["--turns", "all", "--excluding", "half-1"]].concat()).done();
    assert_eq!(names(&home, "rest"), all.difference(&half).cloned().collect());
    // Some of a round again: they are told to be no independent ones.
    let ran =
        create(&home, "again", patch, &[&two[..], &["--turns", "all", "--overlap", "half-1:2"]].concat());
    assert!(ran.done().err.contains("re-verified, not independent"));
    assert_eq!(names(&home, "again").intersection(&half).count(), 2);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let home = Home::new();
    let patch = "patch-correctness";
    create(&home, "r", patch, &[]).ended(2, &["asks about turns", "--run last", "mendbench runs"]);
    create(&home, "r", "defects4c", &["--run", LINE])
        .ended(2, &["asks about tasks", "leave --run out", "patch-correctness"]);
    create(&home, "r", patch, &["--run", "last"]).ended(2, &["holds no runs yet", LINE]);
    create(&home, "r", patch, &["--run", UNSOLVED, "--turns", "plausible"])
        .ended(2, &["no turn there made other code than the buggy one that passes the tests"]);
    create(&home, "r", patch, &["--run", LINE, "--filter", "lang:ada"])
        .ended(2, &["no item is left: 0 of 4 pass the filter `lang:ada`"]);
    create(&home, "r", patch, &["--run", LINE, "--sample", "5"]).ended(2, &["a sample of 5"]);
    create(&home, "r", patch, &["--turns", "all"]).ended(2, &["--run"]);
    create(&home, "r", patch, &["set.jsonl", "--run", LINE]).ended(2, &["cannot be used with"]);
}

#[test]
fn a_round_of_turns_goes_the_whole_way() {
    let home = Home::new();
    let training = json!({
        "item": "js-event-emitter", "answers": { "correctness": "overfitting", "how-overfitting": ["incomplete"],
            "confidence": "high" }, "why": "it fails",
    });
    home.write("training.jsonl", format!("{training}\n"));
    let more = ["--run", LINE, "--training", "training.jsonl", "--repeat", "1"];
    create(&home, "r", "patch-correctness", &more).done();
    let items = queue(&home, "anna", "r");
    assert!(items[0].starts_with("samples/js-event-emitter#"), "training comes first: {items:?}");
    let again: Vec<&String> = items.iter().filter(|item| item.ends_with("~2")).collect();
    assert_eq!((items.len(), again.len()), (5, 1));
    // A turn is looked at by the name that the list gives, which the list says.
    let listed = by(&home, "anna", &["label", "list", "--missing"]).done();
    assert!(listed.err.contains("`mendbench diff ITEM`"), "{}", listed.err);
    assert!(by(&home, "anna", &["round", "list"]).done().err.contains("`mendbench diff ITEM`"));
    for item in &items {
        let shown = home.run(&["diff", item, "--workspace", "w", "--json"]).done().object("difference");
        let turn = TurnName::of_item(item).unwrap();
        assert_eq!(shown["name"], turn.task.to_string());
        assert_eq!(shown["turn"], format!("{}:{}.{}", turn.run, turn.attempt, turn.turn));
        assert!(shown["added"].as_u64().unwrap() + shown["removed"].as_u64().unwrap() > 0, "{item}");
    }
    // Less of the name is enough where it fits one only.
    let ran = by(&home, "anna", &["label", "set", "c-ring-buffer", "correctness", "correct"]).done();
    assert!(ran.out.starts_with("samples/c-ring-buffer#"), "{}", ran.out);
    for who in ["anna", "ben"] {
        for item in queue(&home, who, "r") {
            let is_right = item.starts_with("samples/c-") || (who == "ben" && item.contains("py-page"));
            let answers: &[(&str, &str)] = match is_right {
                true => &[("correctness", "correct"), ("confidence", "medium")],
                false => &[
                    ("correctness", "overfitting"),
                    ("how-overfitting", "incomplete"),
                    ("confidence", "high"),
                ],
            };
            label(&home, who, "r", &item, answers);
        }
    }
    by(&home, "lea", &["round", "advance", "--to", "discussion"]).done();
    let agreed = by(&home, "lea", &["agreement", "--round", "r", "--basis", "blind", "--json"]).done();
    let of_question = |question: &str| {
        let all = agreed.objects_of("agreement");
        all.into_iter().find(|object| object["question"] == question).unwrap()
    };
    let correctness = of_question("correctness");
    assert_eq!((&correctness["n_items"], &correctness["n_joint"]), (&json!(3), &json!(3)));
    by(&home, "lea", &["round", "advance", "--to", "adjudication"]).done();
    let case = by(&home, "zoe", &["round", "adjudicate", "--json"]).done().object("case");
    assert!(case["item"].as_str().unwrap().starts_with("samples/py-page-cursor#"), "{case}");
    let decide = ["round", "adjudicate", "--answer", "correct", "--reason", "evidence"];
    while by(&home, "zoe", &decide).code == 0 {}
    by(&home, "lea", &["round", "advance", "--to", "closed"]).done();
    for form in ["long", "wide", "jsonl", "latex", "markdown", "methods"] {
        let out = by(&home, "lea", &["label", "export", "--form", form]).done().out;
        assert_eq!(
            out.contains("samples/c-ring-buffer#"),
            matches!(form, "long" | "wide" | "jsonl"),
            "{form}: {out}"
        );
    }
    // The long table is read back: the same numbers come of it.
    by(&home, "lea", &["label", "export", "long.csv", "--form", "long"]).done();
    let from_file =
        ["agreement", "--ratings", "long.csv", "--rater", "annotator", "--round", "phase", "--json"];
    let again = home.run(&from_file).done().objects_of("agreement");
    let blind = again.iter().find(|one| one["question"] == "correctness" && one["round"] == "blind").unwrap();
    assert_eq!(blind["cohen_kappa"]["value"], correctness["cohen_kappa"]["value"]);
    // A label file carries the round to another machine; the recording is there, too.
    by(&home, "lea", &["label", "export", "all.jsonl"]).done();
    let other = Home::new();
    std::fs::copy(home.path("all.jsonl"), other.path("all.jsonl")).unwrap();
    by(&other, "lea", &["label", "import", "all.jsonl"]).done();
    by(&other, "anna", &["round", "check"]).ended(0, &["0 gone, 0 changed"]);
}

/// A round of these items, made without asking whether they are there.
fn forced(home: &Home, items: &[(&str, &str)]) {
    let item = |(name, revision): &(&str, &str)| Item {
        name: (*name).to_owned(),
        revision: (*revision).to_owned(),
        stratum: Stratum::default(),
        purpose: Purpose::Study,
        seen_in: Vec::new(),
    };
    let created = Created {
        name: "forced".to_owned(),
        study: "study".to_owned(),
        codebook: shipped("failure-pattern").unwrap().read(&ReservedKeys::none()).unwrap(),
        annotators: vec!["anna".to_owned(), "ben".to_owned()],
        arbitrator: "zoe".to_owned(),
        lead: "lea".to_owned(),
        sampling: Sampling::default(),
    };
    let database = home.path("w/.mendbench/workspace.db");
    let studies = Studies::new(Arc::new(SqliteStore::open(&database, OpenMode::ReadWrite).unwrap()));
    let items = items.iter().map(item).collect();
    studies.create(uuid::Uuid::now_v7(), NewRound { created, items, plan: None, repeats: 0 }).unwrap();
}

#[test]
fn turns_that_are_gone_or_differ_are_noticed() {
    let home = Home::new();
    create(&home, "r", "failure-pattern", &["--run", LINE]).done();
    by(&home, "lea", &["round", "check", "r"]).ended(0, &["4 items of round r", "0 gone, 0 changed"]);
    by(&home, "lea", &["round", "check", "r", "--in", "w"]).ended(2, &["leave --in out"]);
    let there = queue(&home, "anna", "r");
    let name = |change: &dyn Fn(&mut TurnName)| {
        let mut turn = TurnName::parse(&there[0]).unwrap();
        change(&mut turn);
        turn.to_string()
    };
    let no_run = name(&|turn| turn.run = uuid::Uuid::nil());
    let no_trajectory = name(&|turn| turn.trajectory = uuid::Uuid::nil());
    let no_turn = name(&|turn| turn.turn = 9);
    let other_task = name(&|turn| turn.task.id = "other".to_owned());
    let hash = "0".repeat(64);
    let gone = [no_run, no_trajectory, no_turn, other_task];
    let mut items: Vec<(&str, &str)> = gone.iter().map(|name| (name.as_str(), hash.as_str())).collect();
    items.push((&there[1], &hash));
    forced(&home, &items);
    let ran = by(&home, "lea", &["round", "check", "forced", "--json"]);
    let drift = ran.ended(1, &["4 gone, 1 changed", "run 00000000-0000 is not in this workspace"]);
    let of = |what: &str| -> BTreeSet<String> {
        let drift = drift.objects_of("item-drift");
        let of = drift.iter().filter(|one| one["what"] == what);
        of.map(|one| one["item"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of("gone"), gone.iter().cloned().collect());
    assert_eq!(of("changed"), BTreeSet::from([there[1].clone()]));
    for (item, words) in
        gone.iter().zip(["no run", "has no trajectory", "did not get to turn", "no trajectory"])
    {
        home.run(&["diff", item, "--workspace", "w"]).ended(2, &[words]);
    }
}

/// A Python task whose function must add.
fn task(home: &Home, id: &str) -> String {
    let manifest = format!(
        "schema = 1\nid = \"{id}\"\ntitle = \"Comparison is wrong\"\nkind = \"repair\"\nlanguage = \"python\"\n\
         description = \"whether a is smaller\"\nprotected = [\"test_*.py\"]\n[[target]]\nfile = \"m.py\"\n\
         function = \"less\"\n[test]\ntimeout_s = 20\n\
         command = [\"python3\", \"-m\", \"unittest\", \"-v\", \"test_m\"]\nparser = \"unittest\"\n"
    );
    home.write(format!("tasks/{id}/task.toml"), manifest);
    let test = "import unittest, m\nclass T(unittest.TestCase):\n    def test_less(self):\n        self.assertTrue(m.less(2, 3))\n    def test_equal(self):\n        self.assertFalse(m.less(3, 3))\n";
    home.write(format!("tasks/{id}/base/test_m.py"), test);
    home.write(format!("tasks/{id}/buggy/m.py"), "def less(a, b):\n    return a <= b\n");
    home.write(format!("tasks/{id}/reference/m.py"), "def less(a, b):\n    return a < b\n");
    home.path(format!("tasks/{id}")).to_str().unwrap().to_owned()
}

#[test]
fn a_run_of_ones_own_is_labelled_and_carried_elsewhere() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return skip("there is no python3");
    }
    let home = Home::new();
    let task = task(&home, "one");
    let ran = home.run(&["repair", &task, "-m", "template", "--samples", "2", "--workspace", "w"]);
    assert!(ran.code < 2, "{}{}", ran.out, ran.err);
    create(&home, "r", "patch-correctness", &["--run", "last"]).done();
    // Two samples of one task are two items, and each is shown by its name.
    let items = queue(&home, "anna", "r");
    assert_eq!(items.len(), 2);
    let made: Vec<Value> = items
        .iter()
        .map(|item| home.run(&["diff", item, "--workspace", "w", "--json"]).done().object("difference"))
        .collect();
    assert!(made.iter().all(|made| made["name"] == "tasks/one"), "{made:?}");
    by(&home, "anna", &["label", "set", "one", "correctness", "correct"]).ended(2, &["write the whole name"]);
    by(&home, "anna", &["round", "check"]).done();
    // The label file alone does not show them elsewhere; with the run they are there.
    by(&home, "lea", &["label", "export", "labels.jsonl"]).done();
    by(&home, "lea", &["bundle", "export", "run.jsonl", "--run", "last"]).done();
    let other = Home::new();
    for file in ["labels.jsonl", "run.jsonl"] {
        std::fs::copy(home.path(file), other.path(file)).unwrap();
    }
    by(&other, "anna", &["label", "import", "labels.jsonl"]).done();
    by(&other, "anna", &["round", "check"]).ended(1, &["2 gone, 0 changed", "is not in this workspace"]);
    other.run(&["bundle", "import", "run.jsonl", "--workspace", "w"]).done();
    by(&other, "anna", &["round", "check"]).ended(0, &["0 gone, 0 changed"]);
    assert_eq!(queue(&other, "anna", "r"), items);
}
