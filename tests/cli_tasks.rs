//! `mendbench tasks list|show`.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, feedbackeval};

#[test]
fn the_samples_are_there_without_any_path() {
    let home = Home::new();
    let ran = home.run(&["tasks", "list"]).done();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 10, "{}", ran.out);
    assert!(lines[1].starts_with("samples/c-ring-buffer "), "{}", lines[1]);
    for word in [" c ", " B ", " line ", "+1 -1", "Sample queue drops data"] {
        assert!(lines[1].contains(word), "{word}: {}", lines[1]);
    }
    assert_eq!(ran.err, "mendbench: 10 tasks\n");
    assert!(!home.data().exists(), "looking at the samples makes no workspace");
}

#[test]
fn lists_are_filtered_sorted_and_cut() {
    let home = Home::new();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let ran = home.run(&[&["tasks", "list", "--json"], arguments].concat()).done();
        ran.objects_of("task-summary").iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["--filter", "lang:rust"]), ["rust-busy-slots"]);
    assert_eq!(ids(&["--filter", "type:C granularity:line"]), ["js-event-emitter"]);
    // Only the code says it, not the title.
    assert_eq!(ids(&["--filter", "text:urlsafe_b64encode"]), ["py-page-cursor"]);
    assert_eq!(ids(&["--filter", "-text:return lang:python"]), Vec::<String>::new());
    assert_eq!(ids(&["--filter", "lang:cobol"]), Vec::<String>::new());
    let sorted = ids(&["--sort", "changed", "--limit", "2", "--reverse"]);
    assert_eq!(sorted, ["py-config-layers", "rust-busy-slots"]);
    let (by_id, mut back) = (ids(&["--sort", "id"]), ids(&["--sort", "id", "--reverse"]));
    assert_eq!(by_id[0], "c-content-charset");
    back.reverse();
    assert_eq!(by_id, back);
    assert_eq!(ids(&["--limit", "0"]).len(), 0);
    for sort in ["dataset", "title", "language", "type", "granularity"] {
        assert_eq!(ids(&["--sort", sort]).len(), 10, "{sort}");
    }
    let ran = home.run(&["tasks", "list", "--filter", "lang:c", "--limit", "1"]).done();
    assert_eq!(ran.out.lines().count(), 1);
    assert_eq!(ran.err, "mendbench: 4 of 10 tasks, the first 1 shown\n");
}

#[test]
fn mistakes_in_a_filter_or_a_flag_are_usage() {
    let home = Home::new();
    for (arguments, words) in [
        (["--filter", "colour:red"].as_slice(), ["--filter", "colour"].as_slice()),
        (&["--filter", "kind:repare"], &["repare", "repair, feature"]),
        (&["--sort", "size"], &["size", "changed"]),
        (&["--limit", "few"], &["few", "--limit"]),
        (&["--limit", "-1"], &["-1"]),
        (&["--format", "feedbackevl", "."], &["feedbackevl", "did you mean `feedbackeval`"]),
    ] {
        home.run(&[&["tasks", "list"], arguments].concat()).ended(2, words);
    }
}

#[test]
fn json_has_a_line_for_each_task_and_skipped_row_and_one_for_all() {
    let home = Home::new();
    let file = home.rows("set.jsonl", 3);
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str("{\"_id\": \"HumanEval/9\", \"false_results\": [], \"correct_code\": \"x\"}\n");
    home.write("set.jsonl", text);
    let ran = home.run(&["tasks", "list", "set.jsonl", "--json", "--limit", "2"]).done();
    let tasks = ran.objects_of("task-summary");
    assert_eq!(tasks.len(), 2);
    for key in
        ["name", "dataset", "id", "group", "title", "kind", "language", "added", "removed", "tests", "marks"]
    {
        assert!(!tasks[0][key].is_null(), "{key}: {}", tasks[0]);
    }
    assert_eq!(tasks[1]["name"], "set/HumanEval/1#1");
    assert_eq!(tasks[1]["group"], "HumanEval/1");
    assert_eq!(tasks[1]["granularity"], "line");
    let skipped = ran.object("skipped-row");
    assert_eq!((&skipped["line"], &skipped["reason"]), (&4.into(), &"empty".into()));
    let all = ran.object("task-list");
    assert_eq!(all["tasks"], 3);
    assert_eq!((&all["matched"], &all["shown"]), (&3.into(), &2.into()));
    assert_eq!(all["skipped"]["empty"], 1);
    assert_eq!(ran.objects().len(), 4);
    assert_eq!(ran.err, "", "nothing for people beside JSON");
}

#[test]
fn the_files_of_feedbackeval_have_their_counts() {
    let home = Home::new();
    for (name, tasks, skipped) in [
        ("HumanEval_feedback_test.jsonl", 123, 0),
        ("HumanEval_feedback.jsonl.gz", 961, 0),
        ("CoderEval_feedback_test.jsonl", 149, 8),
    ] {
        let Some(file) = feedbackeval(name) else { continue };
        let ran = home.run(&["tasks", "list", &file, "--json"]).done();
        assert_eq!(ran.objects_of("task-summary").len(), tasks, "{name}");
        let rows = ran.objects_of("skipped-row");
        assert_eq!(rows.len(), skipped, "{name}");
        assert!(rows.iter().all(|row| row["reason"] == "empty" && row["line"].is_u64()), "{rows:?}");
        assert_eq!(ran.object("task-list")["tasks"], tasks);
        let ran = home.run(&["tasks", "list", &file]).done();
        assert_eq!(ran.out.lines().count(), tasks);
        assert!(ran.err.contains(&format!("{tasks} tasks")), "{}", ran.err);
        if skipped > 0 {
            assert!(ran.err.contains(&format!("{skipped} skipped: {skipped} empty")), "{}", ran.err);
            assert_eq!(ran.err.matches("no faulty instance in this row").count(), skipped);
        }
        // A name as it is printed is a name that is understood.
        let first = ran.out.split_whitespace().next().unwrap();
        home.run(&["tasks", "show", first, "--in", &file]).done();
    }
}

#[test]
fn long_names_are_whole_for_scripts() {
    let home = Home::new();
    let long = "x".repeat(90);
    home.write("long.jsonl", cli_rig::row(1, "a").replace("HumanEval/1", &format!("HumanEval/{long}")));
    let ran = home.run(&["tasks", "list", "long.jsonl"]).done();
    assert!(ran.out.starts_with(&format!("long/HumanEval/{long}#1 ")), "{}", ran.out);
}

#[test]
fn a_task_is_shown_for_people_and_for_programs() {
    let home = Home::new();
    let ran = home.run(&["tasks", "show", "samples/c-ring-buffer"]).done().harmless();
    for word in [
        "Sample queue drops data",
        "samples/c-ring-buffer",
        "granularity   line",
        "+1 -1 in 1 file\n",
        "Control Expression Error",
        "fail to pass  wrap, fill (2)",
        "buggy      src/ring_buffer.c  54 lines",
        "rb_push appends one sample",
    ] {
        assert!(ran.out.contains(word), "{word:?} is not in:\n{}", ran.out);
    }
    let task = home.run(&["tasks", "show", "c-ring-buffer", "--json"]).done().object("task");
    assert_eq!(task["name"], "samples/c-ring-buffer");
    assert_eq!(task["revision"].as_str().unwrap().len(), 64);
    assert_eq!((&task["added"], &task["removed"]), (&1.into(), &1.into()));
    assert_eq!(task["task"]["kind"], "repair");
    assert!(task["task"]["files"]["buggy"]["src/ring_buffer.c"].is_string(), "{task}");
}

#[test]
fn a_task_is_found_by_name_id_folder_or_told_how() {
    let home = Home::new();
    home.task("mine");
    home.rows("set.jsonl", 2);
    for arguments in [
        ["tasks", "show", "mine/task"].as_slice(),
        &["tasks", "show", "c-ring-buffer", "--in", "mine"],
        &["tasks", "show", "mine/c-ring-buffer", "--in", "mine"],
        &["tasks", "show", "HumanEval/1#1", "--in", "set.jsonl"],
        &["tasks", "show", "set/HumanEval/1#1", "--in", "set.jsonl"],
    ] {
        home.run(arguments).done();
    }
    home.run(&["tasks", "show", "c-ring-bufer"])
        .ended(2, &["c-ring-bufer", "sample tasks (10 tasks)", "did you mean `samples/c-ring-buffer`?"]);
    home.run(&["tasks", "show", "nothing-like-it"])
        .ended(2, &["nothing-like-it", "--in PATH", "--workspace DIR"]);
    home.run(&["tasks", "show", "x", "--in", "set.jsonl"]).ended(2, &["set.jsonl", "tasks list"]);
    home.run(&["tasks", "show", "set.jsonl"]).ended(2, &["set.jsonl", "--in FILE"]);
    home.run(&["tasks", "show", "x", "--in", "absent"]).ended(2, &["no file or folder `absent`"]);
    // The same id in two datasets of a workspace.
    home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    home.run(&["import", "set.jsonl", "--workspace", "w", "--dataset", "other"]).done();
    home.run(&["tasks", "show", "HumanEval/1#1", "--workspace", "w"])
        .ended(2, &["several tasks: set/HumanEval/1#1, other/HumanEval/1#1"]);
    home.run(&["tasks", "show", "other/HumanEval/1#1", "--workspace", "w"]).done();
}

#[test]
fn options_stand_before_a_command_or_behind_it() {
    let home = Home::new();
    home.rows("set.jsonl", 2);
    home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    for arguments in [
        ["--workspace", "w", "tasks", "list"].as_slice(),
        &["tasks", "--workspace", "w", "list"],
        &["tasks", "list", "--workspace", "w"],
        &["--workspace=w", "--filter", "lang:python", "tasks", "list"],
        &["--dataset", "tasks", "tasks", "list", "--workspace", "w"],
    ] {
        assert_eq!(home.run(arguments).done().out.lines().count(), 2, "{arguments:?}");
    }
    home.run(&["--theme", "dark", "themes"]).done();
    home.run(&["--json", "keys"]).done();
    for (arguments, words) in [
        (["task", "list"].as_slice(), ["no command `task`", "did you mean `mendbench tasks`"].as_slice()),
        (&["--workspace", "w", "theme", "--preview"], &["did you mean `mendbench themes`"]),
        (&["tasks", "lst"], &["lst", "list"]),
        (&["set.jsonl", "tasks", "list"], &["`set.jsonl` stands before the command"]),
        (&["set.jsonl", "list"], &["unexpected argument 'list'"]),
        (&["--filter", "x", "keys"], &["--filter belongs to the workbench and to `mendbench tasks list`"]),
        (&["--filter", "x", "tasks", "list", "--filter", "y"], &["--filter is given twice"]),
        (&["task"], &["did you mean `mendbench tasks`"]),
    ] {
        home.run(arguments).ended(2, words);
    }
}

#[test]
fn a_filter_may_begin_with_a_minus() {
    let home = Home::new();
    for filter in [["--filter", "-lang:c"].as_slice(), &["--filter=-lang:c"]] {
        let ran = home.run(&[&["tasks", "list"], filter].concat()).done();
        assert_eq!(ran.err, "mendbench: 6 of 10 tasks\n", "{filter:?}");
        home.run(&[filter, &["tasks", "list"]].concat()).done();
        // The filter is read before the terminal is asked for.
        home.run(filter).ended(2, &["needs a terminal"]);
    }
    home.run(&["--filter", "-colour:c"]).ended(2, &["--filter: ", "colour"]);
}

#[test]
fn what_is_said_about_arguments_commands_no_terminal() {
    let home = Home::new();
    const EVIL: &str = "\u{1b}]52;c;QUFB\u{7}a\u{1b}[2J\u{9b}31m\u{202e}";
    let flag = format!("--{EVIL}");
    let value = format!("--sort={EVIL}\nerror: x");
    let lines = format!("{EVIL}\nmendbench: all is well\n");
    for arguments in [
        ["tasks", "list", "--sort", EVIL].as_slice(),
        &["tasks", "list", &value],
        &["tasks", "list", &flag],
        &["tasks", "list", "--sort", &lines],
        &["tasks", EVIL],
        &["tasks", &lines],
        &["themes", EVIL],
        &["completions", EVIL],
        &["diff", "a", "b", "--width", &lines],
        &["--color", &lines],
        &[EVIL, "tasks", "list"],
        &[EVIL],
    ] {
        let ran = home.run(arguments).ended(2, &[]).harmless();
        let forged = |line: &str| line.starts_with("mendbench: all") || line.starts_with("error: x");
        assert!(!ran.err.lines().any(forged), "{}", ran.err);
        assert!(ran.err.contains("52;c;QUFB"), "it is named: {}", ran.err);
    }
    assert!(home.run(&["--help"]).done().out.contains("Usage: mendbench"));
    assert!(home.run(&["tasks", "list", "--help"]).done().out.contains("Exit codes"));
    assert!(home.run(&["--version"]).done().out.starts_with("mendbench "));
    home.run(&["tasks"]).ended(2, &["Usage: mendbench tasks"]);
}

#[test]
fn columns_are_as_wide_as_their_counts_and_a_long_name_moves_its_own_row_only() {
    let home = Home::new();
    let lines = |count: usize, word: &str| (0..count).map(|n| format!("{word}{n}\n")).collect::<String>();
    for (name, tree, text) in [("a", "buggy", lines(12_345, "old")), ("a", "reference", lines(5_000, "new"))]
    {
        home.task(name);
        for file in ["one.c", "two.c"] {
            home.write(format!("{name}/task/{tree}/{file}"), &text);
        }
    }
    let long = home.task(&format!("a/{}", "x".repeat(150)));
    let manifest = std::fs::read_to_string(long.join("task.toml")).unwrap();
    let id = "y".repeat(150);
    std::fs::write(long.join("task.toml"), manifest.replace("c-ring-buffer", &id)).unwrap();
    let ran = home.run(&["tasks", "list", "a"]).done();
    let rows: Vec<&str> = ran.out.lines().collect();
    assert_eq!(rows.len(), 2, "{}", ran.out);
    let short = rows.iter().find(|row| row.starts_with("a/c-ring-buffer ")).unwrap();
    assert!(short.contains(" repository +10001 -24691  "), "{short}");
    assert!(short.find(" repository").unwrap() < 90, "{short}");
    let long = rows.iter().find(|row| row.contains(&id)).unwrap();
    assert!(long.starts_with(&format!("a/{id}  c ")) && long.contains(" line "), "{long}");
    assert!(long.contains("      +1 -1  "), "{long}");
}

#[test]
fn a_task_that_was_skipped_is_named_with_its_reason() {
    let home = Home::new();
    home.task("set/good");
    let deep = home.task("set/deep");
    std::fs::rename(deep.join("task.toml"), deep.join("task.toml.old")).unwrap();
    home.write("set/deep/task/task.toml", "schema = 1\nid = 7\n");
    for name in ["task", "deep/task", "set/deep/task"] {
        let ran = home
            .run(&["diff", name, "--in", "set"])
            .ended(2, &["was skipped", "deep/task/task.toml", "`id`"]);
        assert!(!ran.err.contains("did you mean"), "{}", ran.err);
    }
    let ran = home.run(&["diff", "eep", "--in", "set"]).ended(2, &["no task `eep`"]);
    assert!(!ran.err.contains("was skipped"), "{}", ran.err);
}

#[test]
fn small_things_are_said_in_words() {
    let home = Home::new();
    // The key that the row has.
    home.write("id.jsonl", cli_rig::row(1, "a").replace("HumanEval/1", " ") + &cli_rig::row(2, "a"));
    home.run(&["tasks", "list", "id.jsonl"]).done().ended(0, &["key `_id`: the id is empty"]);
    // What breaks off comes first.
    let rows: String = (0..30).map(|_| "{\"_id\": \"x\", \"false_results\": []}\n").collect();
    home.write("half.jsonl", cli_rig::row(1, "a") + &rows + "{\"_id\": \"HumanEval/9\", \"false_res");
    let ran = home.run(&["tasks", "list", "half.jsonl"]).done();
    let first = ran.err.lines().find(|line| line.contains("half.jsonl:")).unwrap();
    assert!(first.contains("half written"), "{}", ran.err);
    // Nothing at all.
    home.write("none.jsonl", "\r\r\n\n");
    let ran = home.run(&["tasks", "list", "none.jsonl", "--format", "feedbackeval"]).done();
    assert!(
        ran.err.contains("0 tasks; none.jsonl holds no row at all: it is empty or blank\n"),
        "{}",
        ran.err
    );
    let joined =
        cli_rig::row(1, "a").trim_end().to_owned() + "\r" + &cli_rig::row(2, "a").replace('\n', "\r");
    home.write("joined.jsonl", joined);
    let ran = home.run(&["tasks", "list", "joined.jsonl", "--format", "feedbackeval"]).done();
    assert!(ran.err.contains("this one holds carriage returns"), "{}", ran.err);
    // One is not several.
    home.task("one");
    home.write("one/task/base/one.txt", "x\n");
    home.write("one/task/base/one.bin", "\0");
    let ran = home.run(&["tasks", "show", "one/task"]).done();
    assert!(ran.out.contains("one.txt  1 line\n") && ran.out.contains("binary, 1 byte\n"), "{}", ran.out);
}
