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
fn a_bundle_that_lost_its_end_gives_what_it_has() {
    let (home, text) = with_bundle();
    home.write("cut.jsonl", &text[..text.len() * 2 / 3]);
    let ran = home.run(&["bundle", "import", "cut.jsonl", "--workspace", "to"]);
    ran.ended(1, &["cut.jsonl: line ", "lost its end", "repeat the import"]);
    let ran = home.run(&["bundle", "import", "b.jsonl", "--workspace", "to", "--json"]).done();
    assert_eq!(ran.object("bundle-import")["complete"], true);
    let list = home.run(&["tasks", "list", "--workspace", "to"]).done();
    assert_eq!(list.out.lines().count(), 6);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_taken() {
    let (home, text) = with_bundle();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(2, "{\"x\":1}");
    lines.insert(3, "{{{ \u{1b}[31m");
    home.write("bad.jsonl", format!("{}\n", lines.join("\n")));
    let ran = home.run(&["bundle", "import", "bad.jsonl", "--workspace", "to"]);
    ran.ended(1, &["bad.jsonl: line 3: ", "bad.jsonl: line 4: ", "changed since it was written"]).harmless();
    let json = home.run(&["bundle", "import", "bad.jsonl", "--workspace", "other", "--json"]).ended(1, &[]);
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
    for (file, words) in [
        ("set.jsonl", ["set.jsonl: not a bundle", "bundle export"]),
        ("empty", ["empty: not a bundle", "bundle export"]),
        ("/dev/zero", ["/dev/zero: not a bundle", "bundle export"]),
        ("absent", ["absent: cannot be read: No such file", "- for stdin"]),
        (".", [".: cannot be read", "directory"]),
    ] {
        home.run(&["bundle", "import", file, "--workspace", "to"]).ended(2, &words);
        assert!(!home.path("to").exists(), "{file}");
    }
    home.run(&["bundle", "import", "newer.jsonl", "--workspace", "to"])
        .ended(2, &["newer.jsonl: ", "format 99", "update mendbench"]);
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
