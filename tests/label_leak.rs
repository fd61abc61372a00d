//! Blindness: two copies of a workspace that differ in the partner's labels only. Everything that an annotator's
//! process prints while labelling is blind, on both streams, every file that it writes and every exit code are the
//! same to the byte: of all commands that read, and of all that write.
#![allow(clippy::unwrap_used)]

mod cli_rig;
mod study_rig;

use cli_rig::{Home, Ran};
use study_rig::{by, create, labels, lines, queue, said, set, twin};

/// Two copies of a round in which anna has labelled some items: in one ben has labelled nothing else than she would,
/// in the other much, otherwise, and with marks.
fn copies() -> (Home, Home) {
    let home = Home::new();
    home.rows("set.jsonl", 12);
    create(&home, "r", &["--seed", "7"]).done();
    let mine: String =
        queue(&home, "anna", "r")[..8].iter().map(|item| lines(item, &said("anna", item, 0))).collect();
    set(&home, "anna", "r", &mine).done();
    let other = twin(&home);
    let all = queue(&home, "ben", "r");
    let same: String = all[..2].iter().map(|item| lines(item, &said("anna", item, 0))).collect();
    set(&home, "ben", "r", &same).done();
    let different: String = all.iter().map(|item| lines(item, &said("ben", item, 100))).collect();
    set(&other, "ben", "r", &different).done();
    for arguments in [
        &["label", "undo"][..],
        &["label", "skip", &all[0], "secret reason"],
        &["label", "flag", &all[1]],
        &["label", "note", &all[2], "secret note"],
    ] {
        by(&other, "ben", arguments).done();
    }
    (home, other)
}

/// What a run gave, without the places of the homes: the copy remembers where the tasks of the first were.
fn told(homes: [&Home; 2], ran: &Ran) -> (i32, String, String) {
    let plain = |text: &str| {
        homes.iter().fold(text.to_owned(), |text, home| {
            text.replace(home.path("").display().to_string().trim_end_matches('/'), "HOME")
        })
    };
    (ran.code, plain(&ran.out), plain(&ran.err))
}

/// Both are the same; else the first lines that are not.
fn same(one: &(i32, String, String), other: &(i32, String, String), what: &str) {
    assert_eq!(one.0, other.0, "{what}");
    for (here, there) in [(&one.1, &other.1), (&one.2, &other.2)] {
        for (here, there) in here.lines().zip(there.lines()) {
            assert_eq!(here, there, "{what}");
        }
        assert_eq!(here, there, "{what}");
    }
}

#[test]
fn nothing_of_a_partner_reaches_anybody_who_may_not_see_it() {
    let (one, other) = copies();
    let homes = [&one, &other];
    let item = queue(&one, "anna", "r")[0].clone();
    let commands: Vec<Vec<&str>> = vec![
        vec!["round", "status"],
        vec!["round", "status", "--json"],
        vec!["round", "list"],
        vec!["round", "list", "--json"],
        vec!["round", "codebook"],
        vec!["round", "codebook", "--json"],
        vec!["round", "codebook", "--codebook", "odc", "--why", "x"],
        vec!["round", "assign"],
        vec!["round", "assign", "--preview", "--json"],
        vec!["round", "advance", "--to", "discussion"],
        vec!["round", "advance", "--to", "discussion", "--force", "--json"],
        vec!["round", "advance", "--to", "closed"],
        vec!["round", "adjudicate"],
        vec!["round", "adjudicate", "--all", "--json"],
        vec!["round", "adjudicate", "--undo"],
        vec!["round", "adjudicate", "--item", &item, "--send-back", "x"],
        vec![
            "round",
            "adjudicate",
            "--item",
            &item,
            "--question",
            "bug-related",
            "--answer",
            "no",
            "--reason",
            "slip",
        ],
        vec!["round", "rename", "ben", "bob"],
        vec!["agreement", "--round", "r"],
        vec!["agreement", "--round", "r", "--json"],
        vec!["agreement", "--round", "r", "--live"],
        vec!["agreement", "--round", "r", "--basis", "revised"],
        vec!["agreement", "--round", "r", "--basis", "both", "--resamples", "0"],
        vec!["label", "list"],
        vec!["label", "list", "--json"],
        vec!["label", "list", "--missing"],
        vec!["label", "list", "--stale", "--json"],
        vec!["label", "list", "--conflicts"],
        vec!["label", "list", "--blind"],
        vec!["label", "list", "--of-annotator", "ben"],
        vec!["label", "list", "--of-annotator", "ben", "--json"],
        vec!["label", "list", "--of-annotator", "ben", "--missing"],
        vec!["label", "list", "--of-annotator", "ben", "--conflicts", "--json"],
        vec!["label", "export"],
        vec!["label", "export", "--json", "-"],
        vec!["label", "export", "--live"],
        vec!["label", "export", "--form", "long"],
        vec!["label", "export", "--form", "wide", "--all-rounds"],
        vec!["label", "export", "--form", "counts", "--question", "bug-related"],
        vec!["label", "export", "--form", "jsonl", "--live"],
        vec!["label", "export", "--form", "latex"],
        vec!["label", "export", "--form", "markdown", "--all-rounds"],
        vec!["label", "export", "--form", "methods"],
        vec!["label", "export", "mine.jsonl"],
        vec!["label", "import", "mine.jsonl"],
        vec!["label", "reveal", "key"],
        vec!["bundle", "export"],
        vec!["bundle", "export", "bundle.jsonl"],
        vec!["bundle", "export", "--json", "more.jsonl"],
        vec!["round", "check"],
        vec!["round", "check", "--json"],
        vec!["codebook", "check"],
        vec!["codebook", "check", "--json", "defects4c", "absent.toml"],
        vec!["tasks", "list", "--json"],
        vec!["runs"],
    ];
    for who in ["anna", "zoe", "eve"] {
        for home in [&one, &other] {
            for file in ["mine.jsonl", "bundle.jsonl", "more.jsonl"] {
                let _ = std::fs::remove_file(home.path(file));
            }
        }
        for command in &commands {
            // Commands without labels do not ask who it is.
            let ran = |home: &Home| match command[0] {
                "tasks" | "runs" | "codebook" => home.run(&[&command[..], &["--workspace", "w"]].concat()),
                _ => by(home, who, command),
            };
            let (here, there) = (ran(&one), ran(&other));
            same(&told(homes, &here), &told(homes, &there), &format!("{who}: {command:?}"));
            for text in [&here.out, &here.err, &there.out, &there.err] {
                assert!(!text.contains("secret"), "{who}: {command:?}: {text}");
            }
            for file in ["mine.jsonl", "bundle.jsonl", "more.jsonl"] {
                let read = |home: &Home| std::fs::read(home.path(file)).unwrap_or_default();
                assert_eq!(read(&one), read(&other), "{who}: {command:?}: {file}");
            }
        }
    }
    // What somebody writes is answered with the same words, too, whether it is taken or not.
    let lines = [
        lines(&item, &said("anna", &item, 0)),
        lines(&item, &[("root-cause", "nothing"), ("absent", "yes"), ("bug-related", "perhaps")]),
        lines("absent", &[("bug-related", "yes")]),
        "no JSON\n{}\n".to_owned(),
    ]
    .concat();
    let writes: Vec<(Vec<&str>, &str)> = vec![
        (vec!["label", "set", "-"], &lines),
        (vec!["label", "set", "-", "--json"], &lines),
        (vec!["label", "set", &item, "bug-related", "yes"], ""),
        (vec!["label", "set", &item, "bug-related", "no", "--json", "--confidence", "3"], ""),
        (vec!["label", "set", &item, "root-cause", "B"], ""),
        (vec!["label", "set", &item, "bug-related", "perhaps"], ""),
        (vec!["label", "set", &item, "absent", "yes", "--json"], ""),
        (vec!["label", "set", "absent", "bug-related", "yes"], ""),
        (vec!["label", "undo"], ""),
        (vec!["label", "undo", "--json"], ""),
        (vec!["label", "skip", &item, "odd"], ""),
        (vec!["label", "skip", &item, "--off", "--json"], ""),
        (vec!["label", "skip", "absent"], ""),
        (vec!["label", "flag", &item], ""),
        (vec!["label", "flag", &item, "--off", "--json"], ""),
        (vec!["label", "flag", "absent", "--json"], ""),
        (vec!["label", "note", &item, "look again"], ""),
        (vec!["label", "note", &item, "--json"], ""),
        (vec!["label", "note", "absent", "x"], ""),
        (vec!["label", "list"], ""),
        (vec!["label", "list", "--missing", "--json"], ""),
        (vec!["round", "check", "--in", "set.jsonl"], ""),
        (vec!["round", "check", "--in", "set.jsonl", "--json"], ""),
        (vec!["round", "check", "--in", "absent.jsonl"], ""),
    ];
    let mut codes = Vec::new();
    for who in ["anna", "zoe", "eve"] {
        for (command, stdin) in &writes {
            let ran = |home: &Home| {
                let arguments = [&command[..], &["--workspace", "w", "--as", who]].concat();
                home.run_with(&arguments, &[], stdin)
            };
            let (here, there) = (ran(&one), ran(&other));
            same(&told(homes, &here), &told(homes, &there), &format!("{who}: {command:?}"));
            assert!(!(here.out + &here.err).contains("secret"), "{who}: {command:?}");
            codes.push(here.code);
        }
    }
    for code in 0..3 {
        assert!(codes.contains(&code), "some are taken, some not, some make no sense: {codes:?}");
    }
    // All of her own labels, one by one, until there is nothing left to take back.
    loop {
        let (here, there) = (by(&one, "anna", &["label", "undo"]), by(&other, "anna", &["label", "undo"]));
        same(&told(homes, &here), &told(homes, &there), "undo");
        if here.code != 0 {
            here.ended(1, &["nothing to take back"]);
            break;
        }
    }
    // The test would notice: the lead sees more in one than in the other.
    let lead = |home: &Home| told(homes, &by(home, "lea", &["round", "status"]));
    assert_ne!(lead(&one), lead(&other));
    let whole = |home: &Home| by(home, "lea", &["bundle", "export"]).done().out.lines().count();
    assert_ne!(whole(&one), whole(&other));
    assert!(labels(&other, "ben", "r", &[]).len() > 10);
}

#[test]
fn a_file_with_a_partners_labels_is_not_taken_in_while_labelling_is_blind() {
    let (one, other) = copies();
    by(&other, "ben", &["label", "export", "ben.jsonl"]).done();
    std::fs::copy(other.path("ben.jsonl"), one.path("ben.jsonl")).unwrap();
    let ran = by(&one, "anna", &["label", "import", "ben.jsonl"]);
    ran.ended(1, &["labelling is blind, and labels of others were left out"]);
    // The lead collects them, and still sees only how many there are.
    // His first labels here and those there did not know of each other: without a word of what they are.
    let ran = by(&one, "lea", &["label", "import", "ben.jsonl"]).ended(1, &[]);
    assert!(ran.out.contains("(blind) holds"), "{}", ran.out);
    by(&one, "lea", &["label", "list", "--of-annotator", "ben"]).ended(1, &["cannot be seen in labelling"]);
}
