//! What the copy keys take: text that can be pasted, commands that can be run.

use crate::rig::{Memory, Options, Rig, task};
use clap::Parser;
use mendbench::catalogue::{Origin, OriginKind};
use mendbench::cli::Arguments;

/// The arguments as the binary would read them; the test fails where it would refuse them.
fn parsed(command: &str) -> Arguments {
    let words = shlex::split(command).unwrap();
    assert_eq!(words[0], "mendbench");
    Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{command}\n{error}"))
}

fn shown(command: &str) -> String {
    format!("{:?}", parsed(command).command.unwrap())
}

#[test]
fn the_copy_key_takes_what_the_cursor_is_on() {
    let mut rig = Rig::samples(Options::default());
    assert_eq!(rig.copy("y"), "samples/c-content-charset");
    rig.press("enter");
    assert_eq!(rig.copy("y"), "    if (type == NULL)");
    rig.press("g g");
    assert_eq!(rig.copy("y"), "src/headers.c");
    rig.press("j y").expect("nothing to copy on this line");
    rig.press("2");
    assert!(rig.copy("y").contains("Description"));
    rig.press("esc o o { { y").expect("no task on this line to copy");
    assert!(rig.copied.is_empty());
}

#[test]
fn a_copied_line_is_the_line_itself_not_its_picture() {
    let mut rig = Rig::tasks(vec![task("t", "a\n", "\tx\u{202e}y\u{1b}[0m\n")], Options::default());
    rig.press("enter j");
    assert_eq!(rig.copy("y"), "\tx\u{202e}y\u{1b}[0m");
}

#[test]
fn the_command_of_the_list_can_be_run_and_lists_the_same() {
    let mut rig = Rig::samples(Options::default());
    assert_eq!(rig.copy("Y"), "mendbench tasks list");
    rig.press("/").kind("lang:c \"two words\" it's").press("enter");
    let command = rig.copy("Y");
    let read = shown(&command);
    assert!(read.contains(r#"filter: Some("lang:c \"two words\" it's")"#), "{read}");
    rig.press("esc /").kind("-lang:c").press("enter s s s s s s S");
    let read = shown(&rig.copy("Y"));
    assert!(read.contains(r#"filter: Some("-lang:c")"#), "{read}");
    assert!(read.contains("sort: Changed") && read.contains("reverse: true"), "{read}");
}

#[test]
fn every_order_of_the_list_has_its_word_on_the_command_line() {
    let mut rig = Rig::samples(Options::default());
    let words = ["Dataset", "Id", "Title", "Language", "Type", "Granularity", "Changed"];
    for word in words {
        let read = shown(&rig.copy("Y"));
        assert!(read.contains(&format!("sort: {word}")), "{read}");
        rig.press("s");
    }
}

#[test]
fn the_command_of_a_task_shows_the_same_view() {
    let mut rig = Rig::samples(Options::default());
    rig.press("enter");
    // As much is printed around the change as is shown.
    assert_eq!(rig.copy("Y"), "mendbench diff samples/c-content-charset -U7");
    rig.press("v");
    let read = shown(&rig.copy("Y"));
    assert!(read.contains("side_by_side: true"), "{read}");
    rig.press("i");
    assert!(shown(&rig.copy("Y")).contains("ignore_space_change: true"));
    rig.press("i");
    assert!(shown(&rig.copy("Y")).contains("ignore_all_space: true"));
    rig.press("i a Z");
    let read = shown(&rig.copy("Y"));
    assert!(read.contains("algorithm: Patience") && read.contains("whole: true"), "{read}");
    rig.press("3");
    let read = shown(&rig.copy("Y"));
    assert!(read.contains(r#"Verify(Verify { what: ["samples/c-content-charset"]"#), "{read}");
    for tab in ["2", "4", "5"] {
        rig.press(tab);
        let read = shown(&rig.copy("Y"));
        let expected = match tab {
            "3" => r#"Verify { what: ["samples/c-content-charset"]"#,
            _ => r#"Show { task: "samples/c-content-charset""#,
        };
        assert!(read.contains(expected), "{read}");
    }
}

#[test]
fn commands_name_the_place_that_the_tasks_came_from() {
    let strange = || vec![task("it's a \"task\"\n$(x)", "a\n", "b\n")];
    for (kind, path, expected) in [
        (OriginKind::File, "a b/c'd.jsonl", r#"Some("a b/c'd.jsonl")"#),
        (OriginKind::Folder, "tasks", r#"Some("tasks")"#),
    ] {
        let reading = vec!["--format".into(), "x y".into()];
        let origin = Origin { kind, label: "x".into(), path: Some(path.into()), reading };
        let mut rig = Rig::on(Memory::new(strange()).with_origin(origin), Options::default());
        let read = shown(&rig.copy("Y"));
        assert!(read.contains(&format!("path: {expected}")), "{read}");
        rig.press("enter");
        let read = shown(&rig.copy("Y"));
        assert!(read.contains(&format!("within: {expected}")), "{read}");
        assert_eq!(parsed(&rig.copy("Y")).format.as_deref(), Some("x y"));
        assert!(read.contains(r#"task: "made/it's a \"task\"\n$(x)""#), "{read}");
    }
    let origin = Origin {
        kind: OriginKind::Workspace,
        label: "x".into(),
        path: Some("w s".into()),
        reading: Vec::new(),
    };
    let mut rig = Rig::on(Memory::new(strange()).with_origin(origin), Options::default());
    for keys in ["", "enter", "2"] {
        rig.press(keys);
        assert_eq!(parsed(&rig.copy("Y")).workspace, Some("w s".into()));
    }
}
