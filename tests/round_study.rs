//! A whole study by the command line: forty tasks, three rounds, discussion, an arbitrator, and what is told of it.
#![allow(clippy::unwrap_used)]

mod cli_rig;
mod study_rig;

use cli_rig::Home;
use serde_json::Value;
use study_rig::{by, create, label_all, labels, lines, queue, set, tasks, truth};

/// The objects of agreement of a round: for a question on one basis, scope and part.
fn agreement(home: &Home, round: &str, question: &str, basis: &str, scope: &str, part: &str) -> Value {
    let ran = by(home, "lea", &["agreement", "--round", round, "--json", "--resamples", "200"]).done();
    let fits = |object: &Value| {
        object["question"] == question
            && object["basis"] == basis
            && object["scope"] == scope
            && object["part"] == part
    };
    let found: Vec<Value> = ran.objects_of("agreement").into_iter().filter(|object| fits(object)).collect();
    assert_eq!(found.len(), 1, "{question} {basis} {scope} {part}: {}", ran.out);
    found.into_iter().next().unwrap()
}

fn advance(home: &Home, round: &str, to: &str) {
    let ran = by(home, "lea", &["round", "advance", round, "--to", to, "--json"]).done();
    assert_eq!(ran.object("round")["phase"], to);
}

/// The arbitrator decides everything as it is right.
fn adjudicate(home: &Home, round: &str) -> usize {
    let mut decided = 0;
    loop {
        let ran = by(home, "zoe", &["round", "adjudicate", round, "--json"]).done();
        let Some(case) = ran.objects_of("case").into_iter().next() else { return decided };
        for name in ["anna", "ben"] {
            assert!(!ran.out.contains(name), "no names: {}", ran.out);
        }
        let item = case["item"].as_str().unwrap();
        let question = case["question"].as_str().unwrap();
        let right = truth(item).into_iter().find(|(asked, _)| *asked == question).unwrap().1;
        let choose = ["--item", item, "--question", question, "--answer", right, "--reason", "definition"];
        let ran = by(home, "zoe", &[&["round", "adjudicate", round, "--json"], &choose[..]].concat()).done();
        assert_eq!(ran.object("decision")["value"]["one"], right);
        decided += 1;
    }
}

/// Labels, discusses, settles and closes a round; answers with how many questions the arbitrator decided.
fn whole_round(home: &Home, round: &str, errs: u64) -> usize {
    label_all(home, "anna", round, errs);
    label_all(home, "ben", round, errs);
    advance(home, round, "discussion");
    advance(home, round, "adjudication");
    let decided = adjudicate(home, round);
    advance(home, round, "closed");
    decided
}

#[test]
fn three_rounds_on_forty_tasks() {
    let home = Home::new();
    tasks(&home, 60);
    let made = create(&home, "pilot", &["--sample", "40", "--seed", "7", "--json"]).done().object("round");
    assert_eq!((&made["items"], &made["phase"]), (&40.into(), &"labelling".into()));
    assert_eq!(made["codebook"]["id"], "defects4c");
    // The same seed draws the same again.
    let other = Home::new();
    tasks(&other, 60);
    create(&other, "pilot", &["--sample", "40", "--seed", "7"]).done();
    assert_eq!(queue(&home, "anna", "pilot"), queue(&other, "anna", "pilot"));
    assert_ne!(queue(&home, "anna", "pilot"), queue(&home, "ben", "pilot"), "orders of their own");

    // A phase does not end while somebody has something left, and who that is is told.
    assert_eq!(label_all(&home, "anna", "pilot", 30), 40);
    let ran = by(&home, "lea", &["round", "advance", "pilot", "--to", "discussion"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("ben: 40 items not labelled: "), "{}", ran.out);
    assert!(!ran.out.contains("anna"));
    by(&home, "anna", &["round", "advance", "pilot", "--to", "discussion"])
        .ended(1, &["only the lead of a round ends its phases"]);
    by(&home, "lea", &["round", "advance", "pilot", "--to", "closed", "--force"])
        .ended(2, &["a round in labelling goes on to discussion, not to closed"]);

    // Progress: the lead sees both, an annotator one.
    let of = |who: &str| -> Vec<String> {
        let ran = by(&home, who, &["round", "status", "pilot", "--json"]).done();
        let all = ran.objects_of("annotator-progress");
        all.iter().map(|one| format!("{} {}", one["annotator"].as_str().unwrap(), one["done"])).collect()
    };
    assert_eq!(of("lea"), ["anna 40", "ben 0"]);
    assert_eq!(of("ben"), ["ben 0"]);

    label_all(&home, "ben", "pilot", 30);
    advance(&home, "pilot", "discussion");
    let blind = agreement(&home, "pilot", "bug-related", "blind", "asked", "every");
    assert_eq!((&blind["n_items"], &blind["independent"]), (&40.into(), &true.into()));
    let before = blind["cohen_kappa"]["value"].as_f64().unwrap();
    assert!(before < 0.95, "people who err do not agree fully: {before}");

    // Anna is convinced: she takes what is right. What she had said blindly stays as it was.
    let was = labels(&home, "anna", "pilot", &["--blind"]);
    let text: String = was
        .iter()
        .map(|(cell, _)| cell.split(' ').next().unwrap().to_owned())
        .collect::<std::collections::BTreeSet<String>>()
        .iter()
        .map(|item| lines(item, &truth(item)))
        .collect();
    set(&home, "anna", "pilot", &text).done();
    assert_eq!(labels(&home, "anna", "pilot", &["--blind"]), was);
    assert_ne!(labels(&home, "anna", "pilot", &[]), was);
    let still = agreement(&home, "pilot", "bug-related", "blind", "asked", "every");
    assert_eq!(still["cohen_kappa"], blind["cohen_kappa"], "kappa of blind labels is of blind labels");
    let revised = agreement(&home, "pilot", "bug-related", "revised", "asked", "every");
    assert_eq!(revised["independent"], false);
    assert!(revised["cohen_kappa"]["value"].as_f64().unwrap() > before);

    // The question on the cause: where both said bug, and on all items.
    let asked = agreement(&home, "pilot", "root-cause", "blind", "asked", "every");
    let every = agreement(&home, "pilot", "root-cause", "blind", "all", "every");
    let n = |object: &Value| object["n_items"].as_u64().unwrap();
    assert!(n(&asked) < 40);
    assert_eq!(n(&every), 40);
    assert_eq!(every["categories"].as_array().unwrap().last().unwrap(), "not-applicable");
    assert_eq!(
        every["categories"].as_array().unwrap().len(),
        asked["categories"].as_array().unwrap().len() + 1
    );

    advance(&home, "pilot", "adjudication");
    by(&home, "anna", &["round", "adjudicate", "pilot"]).ended(1, &["only its arbitrator decides"]);
    by(&home, "lea", &["round", "advance", "pilot", "--to", "closed"]).ended(1, &["--force"]);
    // One item goes back, and waits until both have looked again.
    let cases =
        by(&home, "zoe", &["round", "adjudicate", "pilot", "--all", "--json"]).done().objects_of("case");
    let item = cases[0]["item"].as_str().unwrap().to_owned();
    let back = ["round", "adjudicate", "pilot", "--item", &item, "--send-back", "read the test again"];
    by(&home, "zoe", &back).done();
    let ran = by(&home, "lea", &["round", "advance", "pilot", "--to", "closed"]);
    assert!(ran.out.contains("ben: 1 item sent back and not looked at again"), "{}", ran.out);
    let other = cases.iter().find(|case| case["item"] != *item).unwrap()["item"].as_str().unwrap();
    set(&home, "ben", "pilot", &lines(other, &truth(other)[..1]))
        .ended(1, &["sent back can be answered again"]);
    for who in ["anna", "ben"] {
        set(&home, who, "pilot", &lines(&item, &truth(&item))).done();
    }
    assert!(adjudicate(&home, "pilot") > 0);
    by(&home, "lea", &["round", "adjudicate", "pilot"]).ended(1, &["only its arbitrator decides"]);
    advance(&home, "pilot", "closed");
    set(&home, "ben", "pilot", &lines(other, &truth(other)[..1])).ended(1, &["nothing changes any more"]);

    // The second round is on other items, the third verifies some of both again.
    let more = ["--sample", "10", "--seed", "8", "--excluding", "pilot", "--json"];
    let second = create(&home, "second", &more).done().object("round");
    assert_eq!(second["sampling"]["excluded"].as_array().unwrap().len(), 1);
    whole_round(&home, "second", 15);
    let found = agreement(&home, "second", "bug-related", "blind", "asked", "every");
    assert_eq!(found["independent"], true);
    assert_eq!(found["kappa_difference"]["from_round"], "pilot");
    let more = ["--sample", "5", "--seed", "9", "--excluding", "second", "--overlap", "pilot:20"];
    create(&home, "third", &more).ended(0, &["20 items were in an earlier round"]);
    whole_round(&home, "third", 3);
    let every = agreement(&home, "third", "bug-related", "blind", "asked", "every");
    assert_eq!((&every["independent"], &every["n_reverified"]), (&false.into(), &20.into()));
    let new = agreement(&home, "third", "bug-related", "blind", "asked", "new");
    assert_eq!((&new["independent"], &new["n_items"]), (&true.into(), &5.into()));
    let again = agreement(&home, "third", "bug-related", "blind", "asked", "re-verified");
    assert_eq!(again["n_items"], 20);
    let text = by(&home, "anna", &["agreement", "--round", "third", "--resamples", "0"]).done().out;
    for words in [
        "blind labels, not independent: 20 items verified again",
        "revised labels, after discussion: not independent",
        "all items, with not being asked as a category",
        "only items that were verified again",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    exports_say_the_same(&home);
    let ran = by(&home, "lea", &["round", "list", "--json"]).done();
    let names: Vec<Value> = ran.objects_of("round").iter().map(|round| round["name"].clone()).collect();
    assert_eq!(names, ["third", "second", "pilot"]);
}

/// The tables of the study give the kappas that the command gives, and the paragraph names what belongs into it.
fn exports_say_the_same(home: &Home) {
    let export = |form: &str, more: &[&str]| -> String {
        by(home, "lea", &[&["label", "export", "--form", form, "--round", "pilot"], more].concat()).done().out
    };
    let long = export("long", &["--all-rounds"]);
    home.write("long.csv", &long);
    let header = long.lines().next().unwrap().to_owned();
    let blind: String = long
        .lines()
        .filter(|line| line.split(',').nth(1) == Some("blind"))
        .map(|line| format!("{line}\n"))
        .collect();
    home.write("blind.csv", format!("{header}\n{blind}"));
    let arguments =
        ["agreement", "--ratings", "blind.csv", "--rater", "annotator", "--json", "--resamples", "0"];
    let read = home.run(&arguments).done().objects_of("agreement");
    for round in ["pilot", "second", "third"] {
        for question in ["bug-related", "test-relevant", "root-cause"] {
            let scope = if question == "bug-related" { "asked" } else { "all" };
            let ours = agreement(home, round, question, "blind", scope, "every");
            let found =
                read.iter().find(|found| found["round"] == round && found["question"] == question).unwrap();
            let kappa = |object: &Value| object["cohen_kappa"]["value"].as_f64();
            let (one, other) = (kappa(&ours), kappa(found));
            let same = match (one, other) {
                (Some(one), Some(other)) => (one - other).abs() < 1e-9,
                (one, other) => one == other,
            };
            assert!(same, "{round} {question}: {one:?} and {other:?}");
        }
    }
    let methods = export("methods", &["--all-rounds"]);
    for words in ["pilot", "third", "defects4c"] {
        assert!(methods.to_lowercase().contains(words), "{words}: {methods}");
    }
    assert!(export("latex", &["--all-rounds"]).contains("\\begin{tabular}"));
    assert!(export("markdown", &[]).starts_with("| "));
    assert!(export("wide", &[]).lines().next().unwrap().ends_with("anna,ben,zoe"));
    assert!(export("counts", &["--question", "root-cause"]).lines().count() > 10);
    assert!(export("jsonl", &[]).lines().all(|line| line.starts_with('{')));
    by(home, "lea", &["label", "export", "--form", "counts", "--round", "pilot"]).ended(2, &["--question"]);
}

#[test]
fn a_lead_who_looks_early_or_goes_on_early_leaves_a_deviation() {
    let home = Home::new();
    home.rows("set.jsonl", 6);
    create(&home, "r", &["--seed", "1"]).done();
    label_all(&home, "anna", "r", 0);
    label_all(&home, "ben", "r", 0);
    by(&home, "lea", &["agreement", "--round", "r"]).ended(1, &["with --live", "deviation"]);
    let count = |home: &Home| {
        let ran = by(home, "lea", &["round", "status", "r", "--json"]).done();
        ran.object("round-status")["deviations"].as_array().unwrap().len()
    };
    assert_eq!(count(&home), 0);
    let ran = by(&home, "lea", &["agreement", "--round", "r", "--live", "--json"]).done();
    for object in ran.objects_of("agreement") {
        assert_eq!(object["deviations"][0]["deviation"], "live-agreement");
    }
    assert_eq!(count(&home), 1);
    let ran = by(&home, "lea", &["label", "export", "x.jsonl", "--round", "r", "--live"]).done();
    assert!(ran.out.contains("x.jsonl"));
    assert_eq!(count(&home), 2);
    // What is skipped is missing; going on all the same is written down.
    let item = labels(&home, "ben", "r", &[])[0].0.split(' ').next().unwrap().to_owned();
    by(&home, "ben", &["label", "undo"]).done();
    by(&home, "ben", &["round", "advance", "r", "--to", "discussion", "--force"])
        .ended(1, &["only the lead"]);
    by(&home, "lea", &["round", "advance", "r", "--to", "discussion"]).ended(1, &["--force"]);
    let ran = by(&home, "lea", &["round", "advance", "r", "--to", "discussion", "--force"]);
    let ran = ran.ended(0, &["written down as a deviation", "ben: 1 not labelled"]);
    assert!(ran.out.contains("discussion begins"), "{item} {}", ran.out);
    let status = by(&home, "anna", &["round", "status", "r"]).done().out;
    assert_eq!(status.matches("deviation, ").count(), 3, "{status}");
    // Where nothing was missing, nothing is written down, and no older deviation is told for it.
    let ran = by(&home, "lea", &["round", "advance", "r", "--to", "adjudication", "--force"]).done();
    assert!(!ran.err.contains("deviation"), "{}", ran.err);
    // What one of them did not answer is not taken for a question that was not asked.
    let cases = by(&home, "zoe", &["round", "adjudicate", "r", "--all"]).done().out;
    assert!(cases.contains("(no answer)"), "{cases}");
}

#[test]
fn a_codebook_that_changes_makes_exactly_its_labels_stale() {
    let home = Home::new();
    home.rows("set.jsonl", 4);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/label/codebooks/defects4c.toml");
    let text = std::fs::read_to_string(path).unwrap();
    create(&home, "r", &["--seed", "1"]).done();
    label_all(&home, "anna", "r", 0);
    let answers = labels(&home, "anna", "r", &[]);
    let question = text.lines().find(|line| line.starts_with("text = ")).unwrap();
    // The first question is asked in other words.
    home.write("book.toml", text.replacen(question, "text = \"Is it the repair of a fault?\"", 1));
    let change = ["round", "codebook", "r", "--codebook", "book.toml", "--why", "two readings"];
    by(&home, "anna", &change).ended(1, &["only its lead changes the codebook"]);
    by(&home, "lea", &change).ended(
        0,
        &["answered before the codebook changed", "version 1 of the codebook was another text before"],
    );
    by(&home, "lea", &change).ended(2, &["in force already"]);
    let stale = by(&home, "anna", &["label", "list", "--stale", "--json"]).done().objects_of("stale-label");
    assert_eq!(stale.len(), answers.iter().filter(|(cell, _)| cell.ends_with("bug-related")).count());
    assert!(stale.iter().all(|one| one["question"] == "bug-related"));
    assert!(stale.iter().all(|one| one["why"].as_str().unwrap().contains("asks something else")));
    let status = by(&home, "lea", &["round", "status", "r", "--json"]).done();
    assert_eq!(status.object("round-status")["deviations"][0]["deviation"], "codebook-changed");
    // Answered again by the new words they hold.
    label_all(&home, "anna", "r", 0);
    assert!(by(&home, "anna", &["label", "list", "--stale", "--json"]).done().out.is_empty());
    assert!(queue(&home, "anna", "r").is_empty());
}

#[test]
fn what_cannot_be_is_told_with_what_can() {
    let home = Home::new();
    home.rows("set.jsonl", 6);
    for (more, words) in [
        (&["--sample", "99"][..], "a sample of 99 cannot be drawn from 6"),
        (&["--sample", "most"], "`most` is no sample"),
        (&["--per-item", "3"], "3 annotators an item cannot be had from 2"),
        (&["--filter", "lang:c"], "no item is left"),
        (&["--excluding", "none"], "no rounds yet"),
        (&["--overlap", "r1"], "is not ROUND:N"),
    ] {
        create(&home, "r", more).ended(2, &[words]);
    }
    let bad = |annotators: &str, arbitrator: &str, lead: &str| {
        let start = ["round", "create", "r", "set.jsonl", "--codebook", "defects4c", "--workspace", "w"];
        let people = ["--annotators", annotators, "--arbitrator", arbitrator, "--lead", lead];
        home.run(&[&start[..], &people].concat())
    };
    bad("anna,ben", "ben", "lea").ended(2, &["ben labels in this round: the arbitrator"]);
    bad("anna,ben", "zoe", "Anna").ended(2, &["Anna labels in this round: the lead"]);
    bad("anna", "zoe", "lea").ended(2, &["two annotators or more"]);
    home.run(&[
        "round",
        "create",
        "r",
        "set.jsonl",
        "--codebook",
        "nothing",
        "--annotators",
        "a,b",
        "--arbitrator",
        "z",
    ])
    .ended(2, &["there is no codebook `nothing`", "defects4c"]);
    home.run(&["round", "status", "--workspace", "none", "--as", "lea"]).ended(2, &["no workspace here"]);
    create(&home, "r", &["--seed", "3"]).done();
    create(&home, "R", &["--seed", "3"]).ended(2, &["has a round `R` already"]);
    let item = &queue(&home, "anna", "r")[0];
    for (arguments, code, words) in [
        (["nothing", "bug-related", "yes"], 2, "`nothing` is no item of this round"),
        ([item, "colour", "yes"], 2, "there is no question `colour`"),
        ([item, "bug-related", "maybe"], 2, "`maybe` is no answer of `bug-related`"),
        ([item, "root-cause", "B"], 2, "`root-cause` waits for an answer to `bug-related`"),
    ] {
        by(&home, "anna", &[&["label", "set"], &arguments[..]].concat()).ended(code, &[words]);
    }
    by(&home, "lea", &["label", "set", item, "bug-related", "yes"]).ended(1, &["lea is the lead", "--as"]);
    by(&home, "eve", &["label", "set", item, "bug-related", "yes"]).ended(1, &["eve has no part"]);
    by(&home, "anna", &["label", "undo"]).ended(1, &["nothing to take back"]);
    // Many at once: the good ones are kept, the bad ones told with their lines.
    let good = lines(item, &truth(item)[..1]);
    let text = format!("\u{feff}{good}\n{{\"item\": 7}}\n[]\n{good}");
    let ran = set(&home, "anna", "r", &text)
        .ended(1, &["line 3: not an answer", "line 4: not an answer: a line is {", "2 answers saved"]);
    assert_eq!(ran.objects_of("label-saved").len(), 2);
    assert_eq!(ran.objects_of("label-problem").len(), 2);
}

#[test]
fn a_new_name_keeps_the_labels() {
    let home = Home::new();
    home.rows("set.jsonl", 3);
    create(&home, "r", &["--seed", "1"]).done();
    label_all(&home, "anna", "r", 0);
    let before = labels(&home, "anna", "r", &[]);
    by(&home, "lea", &["round", "rename", "anna", "zoe"]).ended(2, &["the arbitrator must be neither"]);
    by(&home, "lea", &["round", "rename", "nobody", "x"]).ended(1, &["nobody in it is called `nobody`"]);
    by(&home, "lea", &["round", "rename", "anna", "Anna Berg"]).done();
    assert_eq!(labels(&home, "Anna Berg", "r", &[]), before);
    assert_eq!(labels(&home, "anna", "r", &[]), before, "and the old name still says who it is");
    let status = by(&home, "lea", &["round", "status"]).done().out;
    assert!(status.contains("Anna Berg  3 of 3 done"), "{status}");
    // A name that she had is given to nobody else: who still goes by it would read her labels, or write among them.
    by(&home, "lea", &["round", "rename", "ben", "anna"]).ended(2, &["was the name of Anna Berg before"]);
    by(&home, "lea", &["round", "rename", "ben", "Anna Berg"]).ended(2, &["named twice"]);
    by(&home, "lea", &["round", "rename", "Anna Berg", "anna"]).done();
    assert_eq!(labels(&home, "anna", "r", &[]), before);
}

#[test]
fn items_that_are_gone_or_changed_are_told() {
    let home = Home::new();
    home.rows("set.jsonl", 3);
    create(&home, "r", &["--seed", "1"]).done();
    by(&home, "anna", &["round", "check", "--in", "set.jsonl"]).ended(0, &["0 gone, 0 changed"]);
    let text = std::fs::read_to_string(home.path("set.jsonl")).unwrap();
    let mut rows: Vec<&str> = text.lines().collect();
    rows.pop();
    home.write("set.jsonl", rows.join("\n").replacen("a + b", "a - b", 1));
    let ran = by(&home, "anna", &["round", "check", "--in", "set.jsonl"]).ended(1, &["1 gone, 1 changed"]);
    assert!(ran.out.contains("is not there any more") && ran.out.contains("has changed"), "{}", ran.out);
    // In a workspace that never had them all are gone; where they were drawn from is told.
    by(&home, "anna", &["round", "check"])
        .ended(1, &["3 gone", "was drawn from set.jsonl", "--in set.jsonl"]);
}

#[test]
fn training_gold_and_repeated_items() {
    let home = Home::new();
    home.rows("set.jsonl", 12);
    let listed = home.run(&["tasks", "list", "set.jsonl", "--json"]).done().objects_of("task-summary");
    let name = |place: usize| {
        let row = &listed[place];
        format!("{}/{}", row["dataset"].as_str().unwrap(), row["id"].as_str().unwrap())
    };
    let known = |place: usize| serde_json::json!({ "item": name(place), "answers": { "bug-related": "no" }, "why": "it only renames" });
    home.write("training.jsonl", format!("{}\n", known(0)));
    home.write("gold.jsonl", format!("{}\n", known(1)));
    home.write("bad.jsonl", "{\"item\": \"nothing\", \"answers\": {}}\n");
    create(&home, "r", &["--gold", "bad.jsonl"])
        .ended(2, &["bad.jsonl, line 1: there is nothing to draw that is called `nothing`"]);
    let more =
        ["--training", "training.jsonl", "--gold", "gold.jsonl", "--repeat", "3", "--seed", "5", "--json"];
    let made = create(&home, "r", &more).done().object("round");
    assert_eq!(made["items"], 12 + 3);
    let told = Home::new();
    for file in ["set.jsonl", "training.jsonl", "gold.jsonl"] {
        std::fs::copy(home.path(file), told.path(file)).unwrap();
    }
    let told = create(&told, "r", &more[..8]).done().out;
    let words = "10 items of 10 drawn from set.jsonl, seed 5; 1 for training; 1 with known answers; 3 served a second time";
    assert!(told.contains(words), "{told}");
    let order = queue(&home, "anna", "r");
    assert_eq!((order.len(), &order[0]), (15, &name(0)), "training comes first");
    assert_eq!(order.iter().filter(|item| item.ends_with("~2")).count(), 3);
    let ran = by(&home, "anna", &["label", "set", &name(0), "bug-related", "yes"]).done();
    assert!(ran.out.contains("training: no is right: it only renames"), "{}", ran.out);
    let ran = by(&home, "anna", &["label", "set", &name(1), "bug-related", "yes"]).done();
    assert!(!ran.out.contains("right"), "gold is told to nobody: {}", ran.out);
    label_all(&home, "anna", "r", 0);
    label_all(&home, "ben", "r", 0);
    advance(&home, "r", "discussion");
    let found = agreement(&home, "r", "bug-related", "blind", "asked", "every");
    assert_eq!(found["n_items"], 10, "neither training nor gold nor second servings are compared");
}

#[test]
fn a_round_nobody_has_answered_in_is_withdrawn_and_its_name_used_again() {
    let home = Home::new();
    home.rows("set.jsonl", 6);
    create(&home, "r", &["--seed", "3"]).done();
    by(&home, "anna", &["round", "withdraw", "r"]).ended(1, &["only its lead withdraws it"]);
    by(&home, "lea", &["round", "withdraw"]).ended(2, &["<ROUND>"]);
    let ran = by(&home, "lea", &["round", "withdraw", "r", "--why", "wrong seed"]).done();
    assert!(ran.out.contains("study/r is withdrawn"), "{}", ran.out);
    by(&home, "anna", &["label", "set", "x", "bug-related", "yes", "--round", "r"])
        .ended(1, &["round r was withdrawn by lea on"]);
    by(&home, "lea", &["agreement", "--round", "r"]).ended(1, &["was withdrawn"]);
    assert_eq!(by(&home, "lea", &["round", "list", "--json"]).done().objects_of("round").len(), 0);
    create(&home, "r", &["--seed", "4"]).done();
    let listed = by(&home, "lea", &["round", "list", "--json"]).done().objects_of("round");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["sampling"]["seed"], 4);
    let all = by(&home, "lea", &["round", "list", "--all", "--json"]).done().objects_of("round");
    assert_eq!(all.len(), 2);
    assert_eq!(all[1]["withdrawn"]["why"], "wrong seed");
    assert!(all[0]["withdrawn"].is_null());
    let shown = by(&home, "lea", &["round", "list", "--all"]).done();
    assert!(shown.out.lines().nth(1).unwrap().contains("withdrawn"), "{}", shown.out);
    let item = queue(&home, "anna", "r")[0].clone();
    by(&home, "anna", &["label", "set", &item, "bug-related", "yes", "--round", "r"]).done();
    by(&home, "lea", &["round", "withdraw", "r"]).ended(1, &["cannot be withdrawn: anna answered in it"]);
}

#[test]
fn an_item_that_is_called_otherwise_is_told_with_the_closest_names() {
    let home = Home::new();
    home.rows("set.jsonl", 12);
    create(&home, "r", &["--seed", "1"]).done();
    let note = |item: &str| {
        let ran = by(&home, "anna", &["label", "note", item, "hm", "--round", "r"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        ran.err
    };
    let told = note("HumanEvl/11#1");
    assert!(told.contains("`HumanEvl/11#1` is no item of this round; the closest names are "), "{told}");
    assert!(told.contains("set/HumanEval/11#1"), "{told}");
    let told = note("HumanEval/1");
    assert!(told.contains("set/HumanEval/1#1, set/HumanEval/10#1, set/HumanEval/11#1"), "{told}");
    let told = note("something/else/altogether");
    assert!(told.contains("`mendbench label list --missing` names what is left to label"), "{told}");
}
