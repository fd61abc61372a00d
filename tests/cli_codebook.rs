//! `mendbench codebook`: list, show, check, changes.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;

const OWN: &str = "schema = 1\nid = \"leaks\"\ntitle = \"Leaks\"\nversion = 1\nsubject = \"task\"\n\
[[question]]\nid = \"leak\"\ntext = \"Does it leak?\"\nkind = \"yes-no\"\n";

#[test]
fn codebooks_are_listed_and_shown() {
    let home = Home::new();
    let ran = home.run(&["codebook", "list"]).done();
    let names: Vec<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["defects4c", "failure-pattern", "odc", "patch-correctness"]);
    let ran = home.run(&["codebook", "show", "defects4c"]).done();
    for words in ["root-cause", "asked where bug-related is yes", "C.3  Memory overflow", "may stay open"] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    let object = home.run(&["codebook", "show", "defects4c", "--json"]).done().object("codebook");
    assert_eq!(object["questions"][2]["answers"][1]["parent"], "A");
    assert_eq!(object["hash"].as_str().unwrap().len(), 64);
    // What is printed to begin with can be read again, and is the same codebook.
    let text = home.run(&["codebook", "show", "odc", "--toml"]).done().out;
    std::fs::create_dir(home.config("codebooks")).unwrap();
    std::fs::write(home.config("codebooks/odc.toml"), text).unwrap();
    let listed = home.run(&["codebook", "list", "--json"]).done().objects_of("codebook");
    let odc: Vec<_> = listed.iter().filter(|found| found["id"] == "odc").collect();
    assert_eq!(odc.len(), 1);
    assert!(odc[0]["path"].as_str().unwrap().ends_with("odc.toml"));
}

#[test]
fn own_codebooks_are_found_by_name_and_by_path() {
    let home = Home::new();
    std::fs::create_dir(home.config("codebooks")).unwrap();
    std::fs::write(home.config("codebooks/leaks.toml"), OWN).unwrap();
    home.write("elsewhere.toml", OWN);
    for name in ["leaks", "elsewhere.toml", "./elsewhere.toml"] {
        assert!(home.run(&["codebook", "show", name]).done().out.contains("Does it leak?"));
    }
    home.run(&["codebook", "check"]).done();
    std::fs::write(home.config("codebooks/other.toml"), OWN).unwrap();
    let ran = home.run(&["codebook", "check"]).ended(1, &[]);
    assert!(ran.out.contains("rename the file"), "{}", ran.out);
    home.run(&["codebook", "show", "leeks"])
        .ended(2, &["there is no codebook `leeks`", "defects4c", "leaks"]);
    home.run(&["codebook", "show", "gone/leaks.toml"]).ended(2, &["gone/leaks.toml", "no such file"]);
    home.run(&["codebook", "check", "gone.toml"]).ended(2, &["no such file"]);
    home.run(&["codebook", "show", "."]).ended(2, &["there is no codebook `.`"]);
}

#[test]
fn check_tells_everything_with_lines_and_against_the_keys_in_force() {
    let home = Home::new();
    home.write("bad.toml", format!("{OWN}wen = 1\n[[question]]\nid = \"le\\u001bak\"\ntext = \"?\"\n"));
    let ran = home.run(&["codebook", "check", "bad.toml", "defects4c"]).ended(1, &[]);
    for words in [
        "bad.toml:10: question `leak`: `wen` is not known here",
        "bad.toml:12:",
        "bad.toml:11:",
        "2 codebooks, ",
    ] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    assert!(!ran.out.contains('\x1b'));
    let ran = home.run(&["codebook", "check", "bad.toml", "--json"]).ended(1, &[]);
    let problems = ran.objects_of("codebook-problem");
    assert_eq!(ran.object("codebook-check")["problems"], problems.len());
    assert!(problems.iter().any(|problem| problem["key"] == "wen" && problem["line"] == 10));
    // A key that the user gave to something else is no longer free.
    std::fs::write(home.config("config.toml"), "[keys.global]\nhelp = [\"y\"]\n").unwrap();
    let ran = home.run(&["codebook", "check", "defects4c"]).ended(1, &[]);
    assert!(ran.out.contains("`key` `y` is not free"), "{}", ran.out);
}

#[test]
fn two_versions_are_compared() {
    let home = Home::new();
    home.write("a.toml", OWN);
    home.write("b.toml", OWN.replace("id = \"leak\"", "id = \"leaking\"\nrenamed_from = \"leak\""));
    home.write(
        "c.toml",
        OWN.replace("Does it leak?", "Does it lose memory?").replace("version = 1", "version = 2"),
    );
    let ran = home.run(&["codebook", "changes", "a.toml", "b.toml"]).ended(0, &["both say version 1"]);
    assert!(ran.out.contains("leaking: has another id\n  its labels stay"), "{}", ran.out);
    let change = home.run(&["codebook", "changes", "a.toml", "c.toml", "--json"]).done();
    assert_eq!(change.object("question-change")["stale"], "all");
    home.run(&["codebook", "changes", "a.toml", "a.toml"]).ended(0, &["no question changed"]);
}
