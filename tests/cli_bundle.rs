//! `mendbench bundle export|import`.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;

fn with_bundle() -> (Home, String) {
    let home = Home::new();
    home.rows("set.jsonl", 6);
    home.run(&["import", "set.jsonl", "--workspace", "from"]).done();
    let ran = home.run(&["bundle", "export", "--workspace", "from", "b.jsonl"]).done();
    assert!(ran.out.starts_with("b.jsonl: ") && ran.out.ends_with(" blobs\n"), "{}", ran.out);
    let text = std::fs::read_to_string(home.path("b.jsonl")).unwrap();
    (home, text)
}

#[test]
fn a_workspace_goes_through_a_bundle_and_comes_out_the_same() {
    let (home, text) = with_bundle();
    let piped = home.run(&["bundle", "export", "--workspace", "from"]).done();
    assert_eq!(piped.out, text);
    assert!(piped.err.ends_with(" blobs written\n"), "{}", piped.err);
    assert!(piped.objects().len() > 6, "a bundle is JSON Lines like all others");
    let first = home.run(&["bundle", "import", "b.jsonl", "--workspace", "to"]).done();
    assert!(
        first.out.contains("/to: 6 events") || first.out.contains(" added, 0 and 0 known already"),
        "{}",
        first.out
    );
    let lists =
        ["from", "to"].map(|workspace| home.run(&["tasks", "list", "--workspace", workspace]).done().out);
    assert_eq!(lists[0], lists[1]);
    // Once more, from stdin: nothing is taken twice.
    let again = home.run_with(&["bundle", "import", "-", "--workspace", "to", "--json"], &[], &text).done();
    let report = again.object("bundle-import");
    assert_eq!((&report["events_added"], &report["blobs_added"]), (&0.into(), &0.into()));
    assert_eq!(report["complete"], true);
    assert!(report["events_known"].as_u64().unwrap() >= 6);
}

#[test]
fn a_bundle_that_lost_its_end_gives_nothing_unless_asked() {
    let (home, text) = with_bundle();
    let cut = &text[..text.len() * 2 / 3];
    home.write("cut.jsonl", cut);
    let words = ["lost its end", "nothing was taken", "--salvage"];
    home.run(&["bundle", "import", "cut.jsonl", "--workspace", "to"])
        .ended(1, &[&["cut.jsonl: line "], &words[..]].concat());
    home.run_with(&["bundle", "import", "-", "--workspace", "to"], &[], cut)
        .ended(1, &[&["stdin: line "], &words[..]].concat());
    let ran =
        home.run(&["bundle", "import", "cut.jsonl", "--workspace", "to", "--json"]).ended(1, &["--salvage"]);
    assert_eq!(ran.object("bundle-import")["complete"], false);
    assert_eq!(ran.objects_of("bundle-problem").len(), 1);
    assert!(!home.path("to").exists(), "nothing was taken");
    let salvage = ["bundle", "import", "cut.jsonl", "--workspace", "to", "--salvage"];
    home.run(&salvage).ended(1, &["cut.jsonl: line ", "lost its end", "what could be read was taken"]);
    let ran = home.run(&["bundle", "import", "b.jsonl", "--workspace", "to", "--json"]).done();
    assert_eq!(ran.object("bundle-import")["complete"], true);
    let list = home.run(&["tasks", "list", "--workspace", "to"]).done();
    assert_eq!(list.out.lines().count(), 6);
}

#[test]
fn a_changed_bundle_does_not_get_in_the_way_of_the_whole_one() {
    let (home, text) = with_bundle();
    let changed = text.replacen("\"added\":", "\"added\":9", 1);
    assert_ne!(changed, text);
    home.write("changed.jsonl", &changed);
    for (file, stdin) in [("changed.jsonl", ""), ("-", changed.as_str())] {
        home.run_with(&["bundle", "import", file, "--workspace", "to"], &[], stdin)
            .ended(1, &["changed since it was written", "nothing was taken", "--salvage"]);
        assert!(!home.path("to").exists());
    }
    home.run(&["bundle", "import", "b.jsonl", "--workspace", "to"]).done();
    // A workspace that holds something keeps exactly that.
    home.run(&["bundle", "import", "changed.jsonl", "--workspace", "to"]).ended(1, &["nothing was taken"]);
    assert_eq!(home.run(&["bundle", "export", "--workspace", "to"]).done().out, text);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_taken_when_asked() {
    let (home, text) = with_bundle();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(2, "{\"x\":1}");
    lines.insert(3, "{{{ \u{1b}[31m");
    home.write("bad.jsonl", format!("{}\n", lines.join("\n")));
    let import = ["bundle", "import", "bad.jsonl", "--workspace", "to"];
    home.run(&import).ended(1, &["bad.jsonl: line 3: ", "nothing was taken"]).harmless();
    let ran = home.run(&[&import[..], &["--salvage"]].concat());
    ran.ended(1, &["bad.jsonl: line 3: ", "bad.jsonl: line 4: ", "changed since it was written"]).harmless();
    let other = ["bundle", "import", "bad.jsonl", "--workspace", "other", "--json", "--salvage"];
    let json = home.run(&other).ended(1, &[]);
    let problems = json.objects_of("bundle-problem");
    assert_eq!(
        problems.iter().filter_map(|problem| problem["line"].as_u64()).take(2).collect::<Vec<_>>(),
        [3, 4]
    );
    assert_eq!(json.object("bundle-import")["problems"], problems.len());
    let list = home.run(&["tasks", "list", "--workspace", "to"]).done();
    assert_eq!(list.out.lines().count(), 6);
}

#[test]
fn what_is_no_bundle_leaves_no_workspace_behind() {
    let (home, text) = with_bundle();
    home.write("empty", "");
    home.write("newer.jsonl", text.replacen("\"v\":1", "\"v\":99", 1));
    home.write("lines.jsonl", format!("{}\n{}", text.lines().next().unwrap(), "no line\n".repeat(9)));
    for (file, code, words) in [
        ("set.jsonl", 2, ["set.jsonl: not a bundle", "bundle export"]),
        ("empty", 2, ["empty: not a bundle", "bundle export"]),
        ("/dev/zero", 2, ["/dev/zero: not a bundle", "bundle export"]),
        ("absent", 2, ["absent: cannot be read: No such file", "- for stdin"]),
        (".", 2, [".: cannot be read", "directory"]),
        ("newer.jsonl", 2, ["newer.jsonl: a bundle of format 99", "update mendbench"]),
        ("lines.jsonl", 1, ["lines.jsonl: line 11: ", "lost its end"]),
    ] {
        for more in [&[][..], &["--salvage"]] {
            home.run(&[&["bundle", "import", file, "--workspace", "to"], more].concat()).ended(code, &words);
            assert!(!home.path("to").exists(), "{file}");
        }
    }
}

#[test]
fn an_empty_workspace_can_be_carried_over() {
    let (home, text) = with_bundle();
    let first = text.lines().next().unwrap();
    let sha256 = {
        use sha2::Digest;
        let digest = sha2::Sha256::digest(format!("{first}\n"));
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let end = format!(r#"{{"type":"bundle-end","v":1,"blobs":0,"events":0,"sha256":"{sha256}"}}"#);
    home.write("none.jsonl", format!("{first}\n{end}\n"));
    home.run(&["bundle", "import", "none.jsonl", "--workspace", "to"]).done();
    home.run(&["tasks", "list", "--workspace", "to"]).ended(0, &["0 tasks"]);
}

#[test]
fn tasks_without_content_are_told() {
    let (home, text) = with_bundle();
    let lame: Vec<&str> = text.lines().filter(|line| !line.contains("\"type\":\"blob\"")).collect();
    home.write("lame.jsonl", lame.join("\n") + "\n");
    let ran = home
        .run(&["bundle", "import", "lame.jsonl", "--workspace", "to", "--salvage", "--json"])
        .ended(1, &[]);
    assert_eq!(ran.object("bundle-import")["missing"], 6);
    let words = ["the content of 6 tasks is missing", "import"];
    home.run(&["tasks", "list", "--workspace", "to"]).ended(0, &words);
    let list = home.run(&["tasks", "list", "--workspace", "to", "--json"]).done();
    assert_eq!(list.object("task-list")["missing"], 6);
    home.run(&["bundle", "export", "--workspace", "to"]).ended(1, &words);
    let ran = home.run(&["bundle", "export", "--workspace", "to", "--json", "x.jsonl"]).ended(1, &words);
    assert_eq!(ran.object("bundle-export")["missing"], 6);
    // Whole by its closing line, and yet nothing can be read of it.
    home.run(&["bundle", "import", "x.jsonl", "--workspace", "new"]).ended(1, &words);
    home.run(&["bundle", "import", "b.jsonl", "--workspace", "to"]).done();
    let list = home.run(&["tasks", "list", "--workspace", "to", "--json"]).done();
    assert_eq!((&list.object("task-list")["missing"], list.objects_of("task-summary").len()), (&0.into(), 6));

    // What was in the list and has gone since.
    let database = rusqlite::Connection::open(home.path("to/.mendbench/workspace.db")).unwrap();
    database.execute_batch("DELETE FROM blobs WHERE number = 1").unwrap();
    drop(database);
    home.run(&["tasks", "list", "--workspace", "to"]).ended(0, &["the content of 1 task is missing"]);
    home.run(&["bundle", "export", "--workspace", "to"]).ended(1, &["the content of 1 task is missing"]);
}

#[test]
fn a_busy_workspace_is_waited_for_and_that_is_said() {
    use std::io::BufRead;
    let (home, _) = with_bundle();
    for command in [["import", "set.jsonl"].as_slice(), &["bundle", "import", "b.jsonl"]] {
        home.run(&["bundle", "import", "b.jsonl", "--workspace", "busy"]).done();
        home.rows("set.jsonl", 7);
        let other = rusqlite::Connection::open(home.path("busy/.mendbench/workspace.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let arguments = [command, &["--workspace", "busy"]].concat();
        let mut child = home.spawn(&arguments, std::process::Stdio::null(), std::process::Stdio::piped());
        let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
        let said = |line: &str| line.contains("waiting for another process that writes to this workspace");
        assert!(lines.by_ref().any(|line| said(&line.unwrap())), "{command:?}");
        other.execute_batch("ROLLBACK").unwrap();
        assert!(!lines.any(|line| said(&line.unwrap())), "said once: {command:?}");
        assert!(child.wait().unwrap().success(), "{command:?}");
    }
}

#[test]
fn an_export_never_overwrites_and_leaves_no_half() {
    let (home, text) = with_bundle();
    home.run(&["bundle", "export", "--workspace", "from", "b.jsonl"])
        .ended(2, &["b.jsonl: cannot be made: File exists", "another file"]);
    assert_eq!(std::fs::read_to_string(home.path("b.jsonl")).unwrap(), text);
    home.run(&["bundle", "export", "--workspace", "from", "no/folder/b.jsonl"])
        .ended(2, &["no/folder/b.jsonl", "a folder that exists"]);
    home.run(&["bundle", "export", "--workspace", "none"])
        .ended(2, &["none/.mendbench/workspace.db", "no workspace here", "mendbench import"]);
    assert!(!home.path("none").exists());
}
