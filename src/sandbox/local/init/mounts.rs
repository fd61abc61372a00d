//! The mount namespace of a sandbox, made from inside.
//!
//! Promises: code inside sees the layout read-only, one sized file system as work tree, temporary folder and shared
//! memory, a fresh `/proc`, and nothing else; the root can not be written to. Leaves to others: who made the namespaces
//! (`namespaces`, bubblewrap), what a program may do in them (`rules`, `filters`).

use super::super::layout::{Layout, Piece, TEMPORARY, WORK};
use super::super::wire::{Setup, User};
use super::Step;
use rustix::fs::{Gid, Mode, Uid};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where the sized file system lies for a moment.
const BOX: &str = "/.mendbench/box";

/// Makes a root below `staging` and goes there. Used where we made the namespaces ourselves.
pub fn root(layout: &Layout, staging: &Path) -> Result<(), String> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .step("making mounts private")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", staging, "tmpfs", flags, Some(c"mode=0755,size=16m")).step("mounting a root")?;
    for piece in &layout.pieces {
        match piece {
            Piece::ReadOnly { from, to } => {
                let at = below(staging, to);
                let step = format!("showing {} inside", crate::text::shown(from));
                make_place(from, &at).step(&step)?;
                mount_bind_recursive(from, &at).step(&step)?;
                restrict(&at, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV)
                    .step(&step)?;
            }
            Piece::Link { target, at } => {
                let at = below(staging, at);
                make_parent(&at).step("making a root")?;
                rustix::fs::symlink(target, &at).step("making a root")?;
            }
        }
    }
    for device in &layout.devices {
        let at = below(staging, device);
        make_place(device, &at).step("making devices")?;
        mount_bind(device, &at).step("showing devices")?;
    }
    let proc = below(staging, Path::new("/proc"));
    std::fs::create_dir(&proc).step("making a root")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &proc, "proc", flags, None).step("mounting /proc")?;
    rustix::process::chdir(staging).step("entering the root")?;
    rustix::process::pivot_root(".", ".").step("changing the root")?;
    unmount(".", UnmountFlags::DETACH).step("leaving the old root")?;
    rustix::process::chdir("/").step("entering the root")
}

/// Lays what is written to, and closes the root. Used on every rung with a mount namespace.
pub fn finish(setup: &Setup) -> Result<(), String> {
    std::fs::create_dir_all(BOX).step("making a place for files")?;
    let pages = setup.limits.disk.div_ceil(4096).max(16);
    // Names cost memory of the kernel too, and empty files cost no page.
    let names = pages.clamp(4096, 1 << 20);
    let options = format!("mode=0755,size={},nr_inodes={names}", pages * 4096);
    let options = CString::new(options).step("mounting the work tree")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", BOX, "tmpfs", flags, Some(options.as_c_str())).step("mounting the work tree")?;
    for (name, at) in [("work", WORK), ("temporary", TEMPORARY), ("shared", "/dev/shm")] {
        let from = Path::new(BOX).join(name);
        std::fs::create_dir(&from).step("making the work tree")?;
        own(&from, setup.user).step("giving the work tree away")?;
        std::fs::create_dir_all(at).step("making a place for files")?;
        mount_bind(&from, at).step("mounting the work tree")?;
    }
    // Else every file could be reached by a second path, past what is mounted read-only for one execution.
    unmount(BOX, UnmountFlags::DETACH).step("hiding the second way to the work tree")?;
    for (waits, to) in &setup.layout.later {
        make_place(waits, to).step("showing a folder")?;
        mount_bind_recursive(waits, to).step("showing a folder")?;
        restrict(to, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV)
            .step("showing a folder")?;
        unmount(waits, UnmountFlags::DETACH).step("showing a folder")?;
    }
    settings(setup.user).step("writing /etc")?;
    // bubblewrap closes the folders that it makes on the way to others than root.
    for folder in setup.layout.made() {
        let _ = rustix::fs::chmod(folder, Mode::from_raw_mode(0o755));
    }
    for (at, target) in [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")] {
        let at = Path::new("/dev").join(at);
        if at.symlink_metadata().is_err() {
            rustix::fs::symlink(format!("/proc/self/fd{target}"), &at).step("making /dev/fd")?;
        }
    }
    let closed = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount_remount("/", closed, c"").step("closing the root")
}

/// The users, groups and hosts that are known inside: as few as programs ask for.
fn settings(user: User) -> io::Result<()> {
    let User { uid, gid, .. } = user;
    std::fs::create_dir_all("/etc")?;
    std::fs::write(
        "/etc/passwd",
        format!("root:x:0:0:root:/:/bin/false\nsandbox:x:{uid}:{gid}:sandbox:/tmp:/bin/sh\n"),
    )?;
    std::fs::write("/etc/group", format!("root:x:0:\nsandbox:x:{gid}:\n"))?;
    std::fs::write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")?;
    std::fs::write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
}

/// Mounts a path of the work tree over itself, so that it can neither be moved nor removed; `closed`: nor changed. For
/// the mount namespace of one execution.
pub fn freeze(path: &Path, closed: bool) -> io::Result<()> {
    mount_bind(path, path)?;
    if !closed {
        return Ok(());
    }
    let closed = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount(path, closed, c"")?)
}

/// Makes a folder the user's alone.
pub fn own(path: &Path, user: User) -> io::Result<()> {
    rustix::fs::chmod(path, Mode::RWXU)?;
    if user.dropped {
        rustix::fs::chown(path, Some(Uid::from_raw(user.uid)), Some(Gid::from_raw(user.gid)))?;
    }
    Ok(())
}

fn below(staging: &Path, path: &Path) -> PathBuf {
    staging.join(path.strip_prefix("/").unwrap_or(path))
}

fn make_parent(at: &Path) -> io::Result<()> {
    at.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// A folder or an empty file to mount on, whichever `from` is.
fn make_place(from: &Path, at: &Path) -> io::Result<()> {
    if from.is_dir() {
        return std::fs::create_dir_all(at);
    }
    make_parent(at)?;
    std::fs::File::create(at).map(drop)
}

/// Sets attributes on a mount and all that are mounted below it.
fn restrict(at: &Path, attributes: u64) -> io::Result<()> {
    let path = CString::new(at.as_os_str().as_bytes())?;
    // SAFETY: a structure of integers; zero is a valid value of each.
    let mut wish: libc::mount_attr = unsafe { std::mem::zeroed() };
    wish.attr_set = attributes;
    // SAFETY: the path is terminated and the structure as long as is said; both outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const wish,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
