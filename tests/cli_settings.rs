//! `mendbench config`, `themes`, `keys`, `completions`, `--version` and `--help`.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;
use std::process::Command;

#[test]
fn every_setting_is_shown_with_its_source() {
    let home = Home::new();
    std::fs::write(home.config("config.toml"), "wrap = true\ncontext = 5\n").unwrap();
    let variables = [("MENDBENCH_CONTEXT", "7")];
    let ran = home.run_with(&["config", "show", "--theme", "light"], &variables, "").done();
    let line = |key: &str| ran.out.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("wrap").contains("true") && line("wrap").contains("config.toml:1"), "{}", ran.out);
    assert!(line("context").contains('7') && line("context").contains("MENDBENCH_CONTEXT"), "{}", ran.out);
    assert!(line("theme").contains("light") && line("theme").contains("--theme"), "{}", ran.out);
    assert!(line("mouse").contains("false") && line("mouse").contains("default"), "{}", ran.out);
    let json = home.run_with(&["config", "show", "--json"], &variables, "").done();
    let settings = json.objects_of("setting");
    assert_eq!(settings.len(), ran.out.lines().count());
    assert!(
        settings.iter().any(|setting| setting["key"] == "context" && setting["value"] == "7"),
        "{}",
        json.out
    );
    // The setting is obeyed.
    let patch = home.run_with(&["diff", "c-ring-buffer", "--patch"], &variables, "").done();
    assert!(patch.out.contains("@@ -14,15 +14,15 @@"), "{}", patch.out);
}

#[test]
fn the_place_of_the_file_is_told_whether_it_is_there_or_not() {
    let home = Home::new();
    let file = home.config("config.toml");
    let ran = home.run(&["config", "path"]).ended(0, &["no such file yet"]);
    assert_eq!(ran.out.trim_end(), file.to_str().unwrap());
    std::fs::write(&file, "").unwrap();
    assert_eq!(home.run(&["config", "path"]).done().err, "");
    assert_eq!(home.run(&["config", "path", "--json"]).done().object("config-path")["exists"], true);
}

#[test]
fn check_finds_what_is_wrong_and_everything_else_says_it_too() {
    let home = Home::new();
    assert!(home.run(&["config", "check"]).done().out.contains("0 problems, "));
    for (text, words) in [
        ("\nthem = \"dark\"\n", ["config.toml:2", "`them`", "did you mean `theme`"]),
        ("wrap = 3\n", ["config.toml:1", "`wrap`", "true or false"]),
        ("wrap = \n", ["config.toml:1", "TOML", ""]),
        ("[keys.tasks]\nfly = [\"x\"]\n", ["config.toml:2", "fly", ""]),
        ("theme = \"drak\"\n", ["theme `drak`", "", ""]),
    ] {
        std::fs::write(home.config("config.toml"), text).unwrap();
        let check = home.run(&["config", "check"]).ended(1, &[]);
        for word in words {
            assert!(check.out.contains(word), "{word:?} is not in:\n{}", check.out);
        }
        assert!(
            check.out.ends_with("1 problem, 0 remarks\n") || check.out.contains("1 problem, "),
            "{}",
            check.out
        );
        let json = home.run(&["config", "check", "--json"]).ended(1, &[]);
        assert_eq!(json.object("config-check")["problems"], 1);
        assert!(json.object("config-problem")["message"].as_str().unwrap().contains(words[0]));
        home.run(&["tasks", "list"]).ended(2, &[words[0], words[1]]);
        // What helps to mend it works all the same.
        home.run(&["config", "path"]).done();
        home.run(&["completions", "bash"]).done();
    }
    // The last mistake is a theme: the list of themes is the way out.
    assert!(home.run(&["themes"]).done().out.contains("colourblind-dark"));
    std::fs::write(home.config("config.toml"), b"wrap = \"\xff\"").unwrap();
    home.run(&["keys"]).ended(2, &["config.toml", "not UTF-8"]);
    home.run_with(&["keys"], &[("MENDBENCH_WRAP", "maybe")], "").ended(2, &["config.toml"]);
    std::fs::remove_file(home.config("config.toml")).unwrap();
    home.run_with(&["keys"], &[("MENDBENCH_WRAP", "maybe")], "")
        .ended(2, &["MENDBENCH_WRAP", "maybe", "true or false"]);
}

#[test]
fn themes_are_listed_and_shown() {
    let home = Home::new();
    std::fs::create_dir(home.config("themes")).unwrap();
    std::fs::write(
        home.config("themes/calm.toml"),
        "inherits = \"dark\"\nname = \"Calm\"\nappearance = \"dark\"\n",
    )
    .unwrap();
    std::fs::write(home.config("themes/broken.toml"), "inherits = \"nowhere\"\n").unwrap();
    let ran = home.run(&["themes"]).ended(0, &["broken.toml", "nowhere"]);
    let names: Vec<&str> = ran.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["dark", "light", "colourblind-dark", "colourblind-light", "ansi16", "mono", "calm"]);
    let json = home.run(&["themes", "--json"]).ended(0, &[]);
    assert_eq!(json.objects_of("theme").len(), 7);
    let preview = home.run(&["themes", "--preview"]).ended(0, &[]);
    assert_eq!(preview.out.lines().count(), 14);
    assert!(!preview.out.contains('\x1b'), "a pipe has no colours");
    let preview = home.run(&["themes", "--preview", "--color=always"]).ended(0, &[]);
    assert!(preview.out.contains("\x1b["));
    home.run(&["diff", "c-ring-buffer", "--theme", "calm", "--color=always"]).done();
}

#[test]
fn keys_are_listed_by_place_with_the_users_own() {
    let home = Home::new();
    let ran = home.run(&["keys"]).done();
    let heads: Vec<&str> = ran.out.split("\n\n").filter_map(|part| part.lines().next()).collect();
    let mut places = heads.clone();
    places.dedup();
    assert_eq!(heads, places);
    assert!(heads[0].starts_with("everywhere"), "{heads:?}");
    assert_eq!(heads.len(), mendbench::keymap::Context::ALL.len(), "each place once: {heads:?}");
    let markdown = home.run(&["keys", "--markdown"]).done();
    assert!(markdown.out.starts_with("| keys | what they do | where |\n|---|---|---|\n"), "{}", markdown.out);
    let json = home.run(&["keys", "--json"]).done();
    let down = |objects: &[serde_json::Value]| -> serde_json::Value {
        objects.iter().find(|key| key["context"] == "tasks" && key["action"] == "cursor_down").unwrap()["keys"].clone()
    };
    assert_eq!(down(&json.objects_of("key")), serde_json::json!(["j", "down"]));
    std::fs::write(home.config("config.toml"), "[keys.tasks]\ncursor_down = [\"ctrl-j\"]\n").unwrap();
    let json = home.run(&["keys", "--json"]).done();
    assert_eq!(down(&json.objects_of("key")), serde_json::json!(["ctrl-j"]));
    std::fs::write(home.config("config.toml"), "[keys.tasks]\nopen = [\"j\"]\n").unwrap();
    home.run(&["keys"]).ended(2, &["config.toml", "open", "cursor_down"]);
}

#[test]
fn completion_scripts_are_ones() {
    let home = Home::new();
    for (shell, check) in [("bash", &["bash", "-n"]), ("zsh", &["zsh", "-n"]), ("fish", &["fish", "-n"])] {
        let script = home.run(&["completions", shell]).done();
        for word in ["mendbench", "side-by-side", "bundle"] {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
        let file = home.write(format!("script.{shell}"), &script.out);
        match Command::new(check[0]).arg(check[1]).arg(file).output() {
            Ok(checked) => {
                assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr))
            }
            Err(_) => cli_rig::skip(&format!("{shell} is not here, its script was not checked")),
        }
    }
    home.run(&["completions", "zhs"]).ended(2, &["zhs", "zsh"]);
}

#[test]
fn every_help_names_the_exit_codes() {
    let home = Home::new();
    let mut known = 0;
    let mut open = vec![Vec::<String>::new()];
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let ran = home.run(&arguments).done();
        assert!(ran.out.contains("Exit codes: 0 done, 1 "), "{command:?}\n{}", ran.out);
        assert!(ran.out.contains("--json"), "{command:?}");
        known += 1;
        let list = ran.out.split("\nCommands:\n").nth(1).unwrap_or_default();
        for line in list.lines().take_while(|line| line.starts_with("  ")) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" && line.starts_with("  ") && !line.starts_with("   ") {
                open.push([command.as_slice(), &[name.to_owned()]].concat());
            }
        }
    }
    assert_eq!(known, 54, "mendbench, its 20 commands and 33 parts of them");
    let version = home.run(&["--version"]).done();
    assert_eq!(version.out, format!("mendbench {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_slip_in_a_command_is_recognised() {
    let home = Home::new();
    home.run(&["taks"]).ended(2, &["`taks`", "did you mean `mendbench tasks`?"]);
    home.run(&["tasks", "lsit"]).ended(2, &["lsit", "list"]);
    home.run(&["nowhere.jsonl"]).ended(2, &["no file or folder `nowhere.jsonl`"]);
    home.run(&["tasks"]).ended(2, &[]);
    home.run(&["--nonsense"]).ended(2, &["--nonsense"]);
}
