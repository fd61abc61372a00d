//! Workspaces that cannot be used: told clearly, left as they are, and never in the way of reading a file.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, skip};
use std::path::Path;
use std::process::Command;

const DATABASE: &str = "w/.mendbench/workspace.db";

fn with_workspace() -> Home {
    let home = Home::new();
    home.rows("set.jsonl", 40);
    home.run(&["import", "set.jsonl", "--workspace", "w"]).done();
    home
}

/// Every command that opens the workspace says this and touches nothing; the file itself can still be read.
fn refused(home: &Home, code: i32, words: &[&str]) {
    let before = std::fs::read(home.path(DATABASE)).unwrap();
    let commands: [&[&str]; 6] = [
        &["tasks", "list"],
        &["tasks", "show", "set/HumanEval/1#1"],
        &["diff", "set/HumanEval/1#1"],
        &["import", "set.jsonl"],
        &["bundle", "export"],
        &[],
    ];
    for command in commands {
        home.run(&[command, &["--workspace", "w"]].concat()).ended(code, words);
    }
    assert!(std::fs::read(home.path(DATABASE)).unwrap() == before, "the file is left as it is");
    let ran = home
        .run(&["tasks", "list", "set.jsonl", "--workspace", "w"])
        .ended(0, &["this opening is not remembered"]);
    assert_eq!(ran.out.lines().count(), 40);
}

#[test]
fn a_workspace_of_a_newer_version() {
    let home = with_workspace();
    let database = rusqlite::Connection::open(home.path(DATABASE)).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    refused(
        &home,
        3,
        &["w/.mendbench/workspace.db", "newer mendbench (schema 99", "update mendbench", "--workspace"],
    );
}

#[test]
fn a_database_of_another_program_or_none_at_all() {
    let home = with_workspace();
    std::fs::remove_file(home.path(DATABASE)).unwrap();
    let database = rusqlite::Connection::open(home.path(DATABASE)).unwrap();
    database.execute_batch("PRAGMA application_id = 77; CREATE TABLE t (a)").unwrap();
    drop(database);
    refused(&home, 3, &["workspace.db", "another program", "--workspace"]);
    home.write(DATABASE, "");
    refused(&home, 3, &["workspace.db", "not a workspace database (it is empty)", "move it away"]);
    home.write(DATABASE, "shopping list\n");
    refused(&home, 3, &["workspace.db", "not a workspace database", "move it away"]);
}

#[test]
fn a_damaged_database() {
    let home = with_workspace();
    let whole = std::fs::read(home.path(DATABASE)).unwrap();
    home.write(DATABASE, &whole[..whole.len() / 2]);
    refused(&home, 3, &["workspace.db", "cut off", "restore it"]);
    // Pages of noise behind a sound beginning: whatever still can be read is, nothing panics, no exit code but ours.
    let mut noise = whole.clone();
    let mut state = 1_u32;
    for byte in &mut noise[4096..] {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    }
    home.write(DATABASE, noise);
    for command in [
        ["tasks", "list"].as_slice(),
        &["diff", "set/HumanEval/1#1"],
        &["import", "set.jsonl"],
        &["bundle", "export"],
    ] {
        home.run(&[command, &["--workspace", "w"]].concat())
            .ended(3, &["workspace.db", "damaged", "copy the folder away"])
            .harmless();
    }
}

#[test]
fn a_workspace_that_is_no_folder() {
    let home = Home::new();
    home.rows("set.jsonl", 1);
    for command in [
        ["tasks", "list"].as_slice(),
        &["tasks", "list", "set.jsonl"],
        &["import", "set.jsonl"],
        &["bundle", "export"],
        &[],
    ] {
        home.run(&[command, &["--workspace", "set.jsonl"]].concat())
            .ended(2, &["set.jsonl (from --workspace) is not a folder", ".mendbench"]);
    }
    for command in [["tasks", "list"].as_slice(), &["import", "set.jsonl"]] {
        home.run_with(command, &[("MENDBENCH_WORKSPACE", "set.jsonl")], "")
            .ended(2, &["set.jsonl (from MENDBENCH_WORKSPACE) is not a folder"]);
    }
    home.run(&["tasks", "list", "--workspace", ""]).ended(2, &["--workspace"]);
    home.run(&["tasks", "list", "--workspace", "none"])
        .ended(2, &["none/.mendbench/workspace.db", "mendbench import"]);
    home.write("odd/.mendbench", "a file where the folder should be");
    home.run(&["import", "set.jsonl", "--workspace", "odd"]).ended(3, &["odd/.mendbench", "--workspace"]);
    home.run(&["import", "set.jsonl", "--workspace", "/proc/x"]).ended(3, &["/proc/x", "--workspace"]);
}

#[test]
fn a_home_that_is_missing_is_only_missed_where_it_is_needed() {
    let home = Home::new();
    home.rows("set.jsonl", 2);
    let nothing = [("HOME", ""), ("XDG_DATA_HOME", ""), ("XDG_CONFIG_HOME", ""), ("MENDBENCH_CONFIG", "")];
    for command in [["tasks", "list"].as_slice(), &["tasks", "list", "set.jsonl"], &["diff", "c-ring-buffer"]]
    {
        let ran = home.run_with(command, &nothing, "");
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.err);
    }
}

#[test]
fn a_place_that_cannot_be_written() {
    let home = with_workspace();
    let folder = home.path("w");
    let Some(_locked) = Locked::new(&folder) else {
        return skip("no way to take the permission to write away here");
    };
    let ran = home.run(&["tasks", "list", "--workspace", "w"]).done();
    assert_eq!(ran.out.lines().count(), 40, "it can still be read");
    home.run(&["diff", "set/HumanEval/1#1", "--workspace", "w"]).done();
    home.rows("set.jsonl", 41);
    home.run(&["import", "set.jsonl", "--workspace", "w"])
        .ended(3, &["workspace.db", "cannot be written", "--workspace"]);
    let ran = home
        .run(&["tasks", "list", "set.jsonl", "--workspace", "w"])
        .ended(0, &["this opening is not remembered"]);
    assert_eq!(ran.out.lines().count(), 41);
    // A folder of tasks that cannot be written is no workspace, and is read all the same.
    home.run(&["bundle", "export", "--workspace", "w", "w/b.jsonl"])
        .ended(2, &["w/b.jsonl: cannot be made", "can be written"]);
}

/// A folder that is read-only until this is dropped: by permissions, for root by a mount.
struct Locked<'a> {
    folder: &'a Path,
    mounted: bool,
}

impl Locked<'_> {
    fn new(folder: &Path) -> Option<Locked<'_>> {
        use std::os::unix::fs::PermissionsExt;
        if !rustix::process::geteuid().is_root() {
            for folder in [folder.join(".mendbench"), folder.to_owned()] {
                std::fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).ok()?;
            }
            return Some(Locked { folder, mounted: false });
        }
        let run = |arguments: &[&str]| {
            let ran = Command::new("mount")
                .args(arguments)
                .arg(folder)
                .stderr(std::process::Stdio::null())
                .status();
            ran.is_ok_and(|status| status.success())
        };
        let name = folder.to_str()?;
        let bound = run(&["--bind", name]);
        let locked = Locked { folder, mounted: bound };
        (bound && run(&["-o", "remount,ro,bind"])).then_some(locked)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        use std::os::unix::fs::PermissionsExt;
        if self.mounted {
            let _ = Command::new("umount").arg(self.folder).status();
        } else {
            for folder in [self.folder.to_owned(), self.folder.join(".mendbench")] {
                let _ = std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755));
            }
        }
    }
}
