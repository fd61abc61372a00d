//! Files of a work tree that hostile code has had in its hands.
//!
//! Promises: every step goes through descriptors, from the root of the tree, part by part, through no link, so nothing
//! outside is ever read, written or removed, whatever is planted inside; no depth and no name makes it fail or
//! follow. Leaves to others: which paths are allowed (`task::paths`), how much fits (the rungs).

use crate::sandbox::{Entry, Kind, Listing};
use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, fstat, mkdirat, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Deepest folder that is listed.
const DEEPEST: usize = 200;

/// A folder, for walking and reading.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// Opens the root of a tree; its path is ours.
pub fn root(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(rustix::fs::CWD, path, FOLDER, Mode::empty())?)
}

/// Opens a folder of the tree.
pub fn folder(root: impl AsFd, path: &str) -> io::Result<OwnedFd> {
    let mut now = openat(root, ".", FOLDER, Mode::empty())?;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        now = open_folder(&now, part.as_ref())?;
    }
    Ok(now)
}

/// Opens one folder below another. One that its owner closed to himself is opened up.
fn open_folder(above: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    match openat(above, name, FOLDER, Mode::empty()) {
        Err(Errno::ACCESS) => {
            open_up(above, name)?;
            Ok(openat(above, name, FOLDER, Mode::empty())?)
        }
        other => Ok(other?),
    }
}

/// Lets its owner into a folder, as far as it is ours.
fn open_up(above: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let closed = openat(above, name, flags, Mode::empty())?;
    use std::os::fd::AsRawFd;
    // `fchmod` takes no descriptor of this kind; this path leads to what it stands for and nowhere else.
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", closed.as_raw_fd()), Mode::RWXU)?)
}

/// What lies at a path; `None` where there is nothing.
pub fn look(root: impl AsFd, path: &str) -> io::Result<Option<Stat>> {
    let (above, name) = match above(root, path) {
        Ok(found) => found,
        Err(error) if is_nothing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    match statat(above, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether an error says that there is nothing at a path: no such name, or a link or file on the way.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP))
}

/// The folder above a path, and its last part.
fn above(root: impl AsFd, path: &str) -> io::Result<(OwnedFd, &str)> {
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    Ok((folder(root, parents)?, name))
}

/// Whom new files are given to; `None`: they are ours and stay so.
pub type Owner = Option<(u32, u32)>;

fn give(file: impl AsFd, owner: Owner) -> io::Result<()> {
    match owner {
        Some((uid, gid)) => Ok(fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?),
        None => Ok(()),
    }
}

/// Writes a file, with the folders above it; what is in the way is replaced.
pub fn put(root: impl AsFd, path: &str, bytes: &[u8], executable: bool, owner: Owner) -> io::Result<()> {
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut now = openat(root, ".", FOLDER, Mode::empty())?;
    for part in parents.split('/').filter(|part| !part.is_empty()) {
        now = match open_folder(&now, part.as_ref()) {
            Ok(next) => next,
            Err(error) if is_nothing(&error) => {
                remove_below(&now, part.as_ref())?;
                mkdirat(&now, part, Mode::RWXU)?;
                let next = open_folder(&now, part.as_ref())?;
                give(&next, owner)?;
                next
            }
            Err(error) => return Err(error),
        };
    }
    // Always a new file: an old one may have a second name.
    remove_below(&now, name.as_ref())?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&now, name, flags, Mode::RUSR | Mode::WUSR)?);
    let written = file.write_all(bytes);
    let mode = if executable { 0o755 } else { 0o644 };
    let done = written.and_then(|()| give(&file, owner)).and_then(|()| Ok(fchmod(&file, Mode::from(mode))?));
    if done.is_err() {
        let _ = unlinkat(&now, name, AtFlags::empty());
    }
    done
}

/// Removes a file or a whole folder; nothing there is no error.
pub fn remove(root: impl AsFd, path: &str) -> io::Result<()> {
    match above(root, path) {
        Ok((above, name)) => remove_below(&above, name.as_ref()),
        Err(error) if is_nothing(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a name below a folder, however deep it goes: folders are first laid flat beside each other.
pub fn remove_below(above: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let mut waiting = vec![name.to_owned()];
    let mut flat = 0u64;
    while let Some(name) = waiting.pop() {
        match unlinkat(above, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        match unlinkat(above, &name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // To be emptied it has to be open to its owner in every way.
        open_up(above, &name)?;
        let inside = open_folder(above, &name)?;
        let mut entries = Dir::read_from(&inside)?;
        let mut folders = Vec::new();
        for entry in &mut entries {
            let entry = entry?;
            let inner = entry.file_name();
            if matches!(inner.to_bytes(), b"." | b"..") {
                continue;
            }
            match unlinkat(&inside, inner, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR | Errno::PERM) => folders.push(inner.to_owned()),
                Err(error) => return Err(error.into()),
            }
        }
        waiting.push(name);
        for inner in folders {
            match unlinkat(&inside, &inner, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => continue,
                Err(_) => {}
            }
            open_up(&inside, OsStr::from_bytes(inner.to_bytes()))?;
            let to = loop {
                flat += 1;
                let name = format!(".mendbench-removed-{flat}");
                if statat(above, &name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
                    break name;
                }
            };
            renameat(&inside, &inner, above, &to)?;
            waiting.push(to.into());
        }
    }
    Ok(())
}

/// Removes a folder and all in it, so that whatever is left when this is interrupted is still inside it.
pub fn remove_whole(above: &OwnedFd, name: &str) -> io::Result<()> {
    let folder = match open_folder(above, name.as_ref()) {
        Err(error) if is_nothing(&error) => return remove_below(above, name.as_ref()),
        other => other?,
    };
    let mut entries = Vec::new();
    for entry in Dir::read_from(&folder)? {
        entries.push(entry?.file_name().to_owned());
    }
    for entry in entries.iter().filter(|entry| !matches!(entry.to_bytes(), b"." | b"..")) {
        remove_below(&folder, OsStr::from_bytes(entry.to_bytes()))?;
    }
    match unlinkat(above, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The first `most` bytes of a regular file.
pub fn read(root: impl AsFd, path: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    // Looked at before it is opened: opening a pipe or a socket waits or fails.
    let regular = look(&root, path)?.is_some_and(|found| is(&found, FileType::RegularFile));
    if !regular {
        return Ok(None);
    }
    let (above, name) = above(root, path)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = match openat(&above, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            open_file_up(&above, name)?;
            openat(&above, name, flags, Mode::empty())
        }
        other => other,
    };
    let file = File::from(opened?);
    if !is(&fstat(&file)?, FileType::RegularFile) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Lets its owner read a file that he closed to himself.
fn open_file_up(above: &OwnedFd, name: &str) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let closed = openat(above, name, flags, Mode::empty())?;
    if is(&fstat(&closed)?, FileType::RegularFile) {
        rustix::fs::chmod(format!("/proc/self/fd/{}", closed.as_raw_fd()), Mode::RUSR | Mode::WUSR)?;
    }
    Ok(())
}

/// Whether it is of this kind.
pub fn is(found: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(found.st_mode) == kind
}

/// An entry met on a walk.
pub struct Met<'a> {
    /// Path from the root, `/` between its parts.
    pub path: &'a [u8],
    /// What the system says of it.
    pub found: &'a Stat,
}

/// Walks everything below a folder until told to stop; what is deeper than any work tree is left out, and the answer
/// then is `true`, as it is when the walk was stopped.
pub fn walk(root: impl AsFd, mut meet: impl FnMut(&Met<'_>) -> io::Result<bool>) -> io::Result<bool> {
    let mut cut = false;
    let top = openat(root, ".", FOLDER, Mode::empty())?;
    let mut stack = vec![(Dir::read_from(&top)?, top, Vec::<u8>::new())];
    while let Some((entries, above, path)) = stack.last_mut() {
        let Some(entry) = entries.next() else {
            stack.pop();
            continue;
        };
        let entry = entry?;
        let name = entry.file_name().to_owned();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let found = match statat(&*above, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            other => other?,
        };
        let mut whole = path.clone();
        if !whole.is_empty() {
            whole.push(b'/');
        }
        whole.extend_from_slice(name.to_bytes());
        if !meet(&Met { path: &whole, found: &found })? {
            return Ok(true);
        }
        if is(&found, FileType::Directory) {
            if stack.len() >= DEEPEST {
                cut = true;
                continue;
            }
            let opened =
                stack.last().map(|(_, above, _)| open_folder(above, OsStr::from_bytes(name.to_bytes())));
            match opened {
                Some(Ok(inner)) => stack.push((Dir::read_from(&inner)?, inner, whole)),
                // Gone, or changed into something else, meanwhile.
                Some(Err(error)) if is_nothing(&error) => {}
                Some(Err(error)) => return Err(error),
                None => {}
            }
        }
    }
    Ok(cut)
}

/// All entries, at most `most`.
pub fn list(root: impl AsFd, most: usize) -> io::Result<Listing> {
    let mut entries = Vec::new();
    let cut = walk(root, |met| {
        if entries.len() >= most {
            return Ok(false);
        }
        let kind = match FileType::from_raw_mode(met.found.st_mode) {
            FileType::RegularFile => Kind::File(u64::try_from(met.found.st_size).unwrap_or(0)),
            FileType::Directory => Kind::Folder,
            _ => Kind::Other,
        };
        let path = match std::str::from_utf8(met.path) {
            Ok(path) => path.to_owned(),
            Err(_) => met.path.escape_ascii().to_string(),
        };
        entries.push(Entry { path, kind });
        Ok(true)
    })?;
    entries.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(Listing { entries, cut })
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
