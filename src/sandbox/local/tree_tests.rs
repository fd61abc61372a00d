//! A tree keeps to itself, whatever is planted in it.
#![allow(clippy::unwrap_used)]

use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

fn planted() -> (TempDir, OwnedFd, TempDir) {
    let inside = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    symlink(outside.path(), inside.path().join("folder")).unwrap();
    symlink(outside.path().join("secret"), inside.path().join("file")).unwrap();
    let root = root(inside.path()).unwrap();
    (inside, root, outside)
}

#[test]
fn links_are_replaced_and_never_followed() {
    let (inside, root, outside) = planted();
    assert_eq!(read(&root, "file", 100).unwrap(), None);
    assert_eq!(read(&root, "folder/secret", 100).unwrap(), None);
    put(&root, "folder/secret", b"mine", false, None).unwrap();
    put(&root, "file", b"mine", true, None).unwrap();
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
    assert_eq!(read(&root, "folder/secret", 2).unwrap().unwrap(), b"mi");
    assert!(inside.path().join("folder").symlink_metadata().unwrap().is_dir());
}

#[test]
fn removing_stays_inside() {
    let (inside, root, outside) = planted();
    remove(&root, "folder/secret").unwrap();
    remove(&root, "nothing/here").unwrap();
    remove(&root, "folder").unwrap();
    assert!(inside.path().join("folder").symlink_metadata().is_err());
    fs::create_dir(inside.path().join("deep")).unwrap();
    symlink(outside.path(), inside.path().join("deep/link")).unwrap();
    remove(&root, "deep").unwrap();
    assert!(outside.path().join("secret").exists());
}

#[test]
fn a_tree_deeper_than_any_path_is_listed_in_part_and_removed_whole() {
    let inside = tempfile::tempdir().unwrap();
    let root = root(inside.path()).unwrap();
    let mut now = folder(&root, "").unwrap();
    for _ in 0..3000 {
        mkdirat(&now, "d", Mode::RWXU).unwrap();
        now = open_folder(&now, "d".as_ref()).unwrap();
    }
    drop(now);
    let listing = list(&root, 10_000).unwrap();
    assert!(listing.cut);
    assert_eq!(listing.entries.len(), DEEPEST);
    remove(&root, "d").unwrap();
    assert_eq!(list(&root, 10).unwrap(), Listing::default());
}

#[test]
fn a_folder_is_removed_whole_and_links_below_it_are_not_followed() {
    let (inside, root, outside) = planted();
    put(&root, "a/b/c/d", b"1", false, None).unwrap();
    symlink(outside.path(), inside.path().join("a/b/out")).unwrap();
    remove_whole(&root, "a").unwrap();
    remove_whole(&root, "a").unwrap();
    remove_whole(&root, "folder").unwrap();
    let left: Vec<_> = fs::read_dir(inside.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["file"]);
    assert!(outside.path().join("secret").exists());
}

#[test]
fn what_is_neither_file_nor_folder_is_named_and_never_opened() {
    let (inside, root, _outside) = planted();
    let pipe = inside.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert_eq!(read(&root, "pipe", 1).unwrap(), None);
    let name = OsStr::from_bytes(b"\xff");
    fs::write(inside.path().join(name), "").unwrap();
    let listing = list(&root, 10).unwrap();
    let kinds: Vec<_> = listing.entries.iter().map(|e| (e.path.as_str(), e.kind)).collect();
    let other = Kind::Other;
    assert_eq!(kinds, [("\\xff", Kind::File(0)), ("file", other), ("folder", other), ("pipe", other)]);
    let cut = list(&root, 2).unwrap();
    assert!(cut.cut && cut.entries.len() == 2);
}

#[test]
fn closed_folders_are_opened_up_and_files_in_the_way_replaced() {
    let inside = tempfile::tempdir().unwrap();
    let root = root(inside.path()).unwrap();
    put(&root, "a/b/c", b"1", false, None).unwrap();
    fs::set_permissions(inside.path().join("a/b"), fs::Permissions::from_mode(0o0)).unwrap();
    assert_eq!(list(&root, 10).unwrap().entries.len(), 3);
    put(&root, "a/b/c/d", b"2", true, None).unwrap();
    assert_eq!(fs::read(inside.path().join("a/b/c/d")).unwrap(), b"2");
    fs::set_permissions(inside.path().join("a/b/c"), fs::Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(inside.path().join("a/b"), fs::Permissions::from_mode(0o0)).unwrap();
    remove(&root, "a").unwrap();
    assert!(!inside.path().join("a").exists());
}
