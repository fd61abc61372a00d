//! Paths of the work tree that one execution may not change.
//!
//! Promises: neither what lies there can be changed, nor can something else be put in its place, by whatever way: not
//! by a second name, not by moving a folder above it. Leaves to others: mounting (`launch`).
//!
//! With a mount namespace: each path is mounted over itself read-only, and each folder above it over itself, for what
//! is mounted can neither be moved nor removed. Without one, as root: paths belong to root meanwhile, and folders above
//! too, with the sticky bit. Without one, as an ordinary user: Landlock gives no right to write there, nor to make or
//! remove names in the folders above.

use super::super::tree::{self, Owner};
use super::super::wire::Setup;
use crate::sandbox::Rung;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Uid, chmodat, chownat, openat};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// What is kept from being changed, and how it was.
#[derive(Default)]
pub struct Frozen {
    /// Paths inside to mount over themselves, from the top down, and whether read-only.
    pub mounts: Vec<(PathBuf, bool)>,
    /// Paths below the root of the tree that were given to root, with their modes.
    taken: Vec<(String, u32)>,
    /// What may be written to, where Landlock alone decides.
    open: Option<Vec<PathBuf>>,
}

/// Whether there is a mount namespace.
pub fn has_mounts(rung: Rung) -> bool {
    matches!(rung, Rung::Bubblewrap | Rung::Namespaces)
}

/// Keeps these paths from being changed.
pub fn freeze(setup: &Setup, root: &OwnedFd, paths: &[String]) -> Result<Frozen, String> {
    let mut frozen = Frozen::default();
    if paths.is_empty() {
        return Ok(frozen);
    }
    let said = |path: &str, error: io::Error| format!("`{path}` cannot be made read-only: {error}");
    let mut kept = BTreeSet::new();
    let mut above = BTreeSet::new();
    for path in paths {
        let Some(found) = tree::look(root, path).map_err(|error| said(path, error))? else { continue };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile if found.st_nlink > 1 => {
                single(root, path, setup).map_err(|error| said(path, error))?;
            }
            FileType::RegularFile => {}
            FileType::Directory => single_below(root, path, setup).map_err(|error| said(path, error))?,
            _ => return Err(format!("`{path}` cannot be made read-only: it is neither a file nor a folder")),
        }
        kept.insert(path.clone());
        let mut up = path.as_str();
        while let Some((parent, _)) = up.rsplit_once('/') {
            above.insert(parent.to_owned());
            up = parent;
        }
    }
    let covered = |path: &str| kept.iter().any(|kept| kept != path && below(path, kept));
    let kept: BTreeSet<String> = kept.iter().filter(|path| !covered(path)).cloned().collect();
    above.retain(|folder| !kept.iter().any(|kept| folder == kept || below(folder, kept)));
    if has_mounts(setup.rung) {
        let all = above.iter().map(|path| (path, false)).chain(kept.iter().map(|path| (path, true)));
        let mut mounts: Vec<(PathBuf, bool)> =
            all.map(|(path, closed)| (setup.work.join(path), closed)).collect();
        mounts.sort_by_key(|(path, _)| path.components().count());
        frozen.mounts = mounts;
    } else if setup.user.dropped {
        let taken = take(&mut frozen, root, &kept, &above);
        if let Err(error) = taken {
            frozen.thaw(setup, root);
            return Err(format!("files cannot be made read-only: {error}"));
        }
    } else if setup.rung == Rung::Landlock {
        above.insert(String::new());
        let open = open_beside(setup, root, &kept, &above);
        frozen.open = Some(open.map_err(|error| format!("files cannot be made read-only: {error}"))?);
    } else {
        let closed = modes(&mut frozen, root, &kept);
        closed.map_err(|error| format!("files cannot be made read-only: {error}"))?;
    }
    Ok(frozen)
}

/// Whether a path lies below a folder.
fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Frozen {
    /// What may be written to.
    pub fn writable(&self, setup: &Setup) -> Vec<PathBuf> {
        let mut paths = self.open.clone().unwrap_or_else(|| vec![setup.work.clone()]);
        paths.push(setup.temporary.clone());
        if has_mounts(setup.rung) {
            paths.push("/dev/shm".into());
        }
        paths
    }

    /// Gives back what was taken. Called when no program runs.
    pub fn thaw(&self, setup: &Setup, root: &OwnedFd) {
        let owner = setup.user.dropped.then_some((setup.user.uid, setup.user.gid));
        for (path, mode) in self.taken.iter().rev() {
            // What is no longer there needs no owner.
            let _ = set(root, path, owner, *mode);
        }
    }
}

/// Owner and mode of a path, through no link.
fn set(root: &OwnedFd, path: &str, owner: Owner, mode: u32) -> io::Result<()> {
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    let above = tree::folder(root, parents)?;
    let name = if name.is_empty() { "." } else { name };
    let kind = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if !tree::is(&kind, FileType::RegularFile) && !tree::is(&kind, FileType::Directory) {
        return Ok(());
    }
    if let Some((uid, gid)) = owner {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        chownat(&above, name, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)), flags)?;
    }
    Ok(chmodat(&above, name, Mode::from_raw_mode(mode), AtFlags::empty())?)
}

/// Gives paths to root, and the folders above them with the sticky bit: in those, everybody makes names, and
/// nobody removes or moves what is not his.
fn take(
    frozen: &mut Frozen,
    root: &OwnedFd,
    kept: &BTreeSet<String>,
    above: &BTreeSet<String>,
) -> io::Result<()> {
    for folder in above.iter().map(String::as_str).chain([""]) {
        take_one(frozen, root, folder, |_| 0o1777)?;
    }
    let closed = |mode: u32| (mode & 0o555) | 0o444 | if mode & 0o111 == 0 { 0 } else { 0o111 };
    for path in kept {
        let mut all = vec![path.clone()];
        all.extend(inside(root, path)?);
        for path in all {
            take_one(frozen, root, &path, closed)?;
        }
    }
    Ok(())
}

fn take_one(frozen: &mut Frozen, root: &OwnedFd, path: &str, mode: impl Fn(u32) -> u32) -> io::Result<()> {
    let found = if path.is_empty() { Some(rustix::fs::fstat(root)?) } else { tree::look(root, path)? };
    let Some(found) = found else { return Ok(()) };
    frozen.taken.push((path.to_owned(), found.st_mode & 0o7777));
    set(root, path, Some((0, 0)), mode(found.st_mode & 0o7777))
}

/// Mode bits alone: for a sandbox that is none.
fn modes(frozen: &mut Frozen, root: &OwnedFd, kept: &BTreeSet<String>) -> io::Result<()> {
    for path in kept {
        let mut all = inside(root, path)?;
        all.push(path.clone());
        for path in all {
            let Some(found) = tree::look(root, &path)? else { continue };
            frozen.taken.push((path.clone(), found.st_mode & 0o7777));
            set(root, &path, None, found.st_mode & 0o555)?;
        }
    }
    Ok(())
}

/// Files and folders below a folder of the tree; nothing below a file.
fn inside(root: &OwnedFd, path: &str) -> io::Result<Vec<String>> {
    let Ok(folder) = tree::folder(root, path) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let cut = tree::walk(&folder, |met| {
        match std::str::from_utf8(met.path) {
            Ok(inner) => all.push(format!("{path}/{inner}")),
            Err(_) => return Err(io::Error::other("a name below it is no UTF-8")),
        }
        Ok(true)
    })?;
    if cut { Err(io::Error::other("it is too deep")) } else { Ok(all) }
}

/// Everything that lies in the folders above and is not kept itself: these may be written to.
fn open_beside(
    setup: &Setup,
    root: &OwnedFd,
    kept: &BTreeSet<String>,
    above: &BTreeSet<String>,
) -> io::Result<Vec<PathBuf>> {
    let mut open = Vec::new();
    for folder in above {
        let opened = tree::folder(root, folder)?;
        for entry in rustix::fs::Dir::read_from(&opened)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let found = rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW)?;
            // A rule on a link would be one on what it leads to.
            let plain = tree::is(&found, FileType::RegularFile) || tree::is(&found, FileType::Directory);
            if name != "." && name != ".." && plain && !kept.contains(&path) && !above.contains(&path) {
                open.push(setup.work.join(path));
            }
        }
    }
    Ok(open)
}

/// Replaces files with more than one name below a folder by files with one.
fn single_below(root: &OwnedFd, path: &str, setup: &Setup) -> io::Result<()> {
    let folder = tree::folder(root, path)?;
    let mut several = Vec::new();
    let cut = tree::walk(&folder, |met| {
        if tree::is(met.found, FileType::RegularFile) && met.found.st_nlink > 1 {
            let inner = std::str::from_utf8(met.path).map_err(|_| io::Error::other("a name is no UTF-8"))?;
            several.push(format!("{path}/{inner}"));
        }
        Ok(true)
    })?;
    if cut {
        return Err(io::Error::other("it is too deep"));
    }
    several.iter().try_for_each(|path| single(root, path, setup))
}

/// Replaces a file that has other names too by a copy that has only this one.
fn single(root: &OwnedFd, path: &str, setup: &Setup) -> io::Result<()> {
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    let above = tree::folder(root, parents)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut old = std::fs::File::from(openat(&above, name, flags, Mode::empty())?);
    let mode = rustix::fs::fstat(&old)?.st_mode & 0o7777;
    let copy = CString::new(format!(".mendbench-single-{}", std::process::id()))?;
    tree::remove_below(&above, std::ffi::OsStr::new(copy.to_str().unwrap_or_default()))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut new = std::fs::File::from(openat(&above, &copy, flags, Mode::RUSR | Mode::WUSR)?);
    io::copy(&mut old, &mut new)?;
    if setup.user.dropped {
        let (uid, gid) = (Uid::from_raw(setup.user.uid), Gid::from_raw(setup.user.gid));
        rustix::fs::fchown(&new, Some(uid), Some(gid))?;
    }
    rustix::fs::fchmod(&new, Mode::from_raw_mode(mode & 0o777))?;
    Ok(rustix::fs::renameat(&above, &copy, &above, name)?)
}
