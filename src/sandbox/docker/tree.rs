//! The work tree of a container, reached from outside.
//!
//! Promises: everything is done by the image's own tools as an unprivileged user inside the container, so that no
//! link and no name can lead anywhere else; what comes back is bounded. Protected paths belong to the keeper, and so
//! do the folders above them, which are sticky: the code can neither write, rename nor remove them, nor put anything
//! in their place. Leaves to others: the scripts (`scripts`), running code (`execute`).

use super::archive::Archive;
use super::container::{Container, Done};
use super::scripts::{CODE, KEEPER, LAY, LIST, MOVE, READ, REMOVE, SEAL, UNSEAL};
use crate::sandbox::{Entry, Kind, Listing, SandboxError, TreeFile};
use crate::task::paths::check_path;
use std::collections::BTreeSet;
use std::time::SystemTime;

/// What is protected at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Files and folders that belong to the keeper.
    sealed: BTreeSet<String>,
    /// Folders above them.
    folders: BTreeSet<String>,
}

impl Held {
    /// What has to be held so that these paths are protected.
    pub fn of(paths: &[String]) -> Result<Held, SandboxError> {
        let mut held = Held::default();
        let mut sorted: Vec<&String> = paths.iter().collect();
        sorted.sort();
        for path in sorted {
            checked(path)?;
            let folders: Vec<&str> = path.match_indices('/').filter_map(|(at, _)| path.get(..at)).collect();
            // What lies in a protected folder is protected with it.
            if !folders.iter().any(|folder| held.sealed.contains(*folder)) {
                held.folders.extend(folders.into_iter().map(str::to_owned));
                held.sealed.insert(path.clone());
            }
        }
        // `a` may come after `a/b` has been taken apart.
        let covered = |path: &String| {
            path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|up| held.sealed.contains(up)))
        };
        let sealed: BTreeSet<String> = held.sealed.iter().filter(|path| !covered(path)).cloned().collect();
        let folders = sealed
            .iter()
            .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
            .map(str::to_owned)
            .collect();
        Ok(Held { sealed, folders })
    }
}

fn checked(path: &str) -> Result<(), SandboxError> {
    check_path(path).map_err(|why| SandboxError::Path { path: crate::text::sanitise(path).into_owned(), why })
}

fn failed(doing: &str, done: &Done, limit: u64) -> SandboxError {
    let complaint = &done.stderr;
    if complaint.contains("No space left") || complaint.contains("File too large") {
        return SandboxError::Full { limit };
    }
    let why = if complaint.is_empty() { format!("exit code {}", done.code) } else { complaint.clone() };
    SandboxError::Engine { doing: doing.to_owned(), why: why.chars().take(600).collect() }
}

/// Writes files.
pub async fn put(
    container: &mut Container,
    held: &mut Held,
    files: &[TreeFile<'_>],
) -> Result<(), SandboxError> {
    let disk = container.shape.disk;
    let (mut folders, mut size) = (BTreeSet::new(), 0u64);
    for file in files {
        checked(file.path)?;
        folders.extend(file.path.match_indices('/').filter_map(|(at, _)| file.path.get(..at)));
        size = size.saturating_add(file.bytes.len() as u64).div_ceil(4096).saturating_mul(4096);
    }
    if size > container.shape.shares().0 {
        return Err(SandboxError::Full { limit: disk });
    }
    if files.is_empty() {
        return Ok(());
    }
    hold(container, held, Held::default()).await?;
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut archive = Archive::default();
    let mut input = String::new();
    for folder in &folders {
        input.push_str(&format!("d {folder}\n"));
    }
    for file in files {
        input.push_str(&format!("f {}\n", file.path));
        archive.file(file.path, file.bytes, file.executable, time);
    }
    input.push('\n');
    let mut input = input.into_bytes();
    input.extend_from_slice(&archive.finish());
    let done = container.script(CODE, LAY, &[], &input, 0).await?;
    if done.code == 0 { Ok(()) } else { Err(failed("laying files into the sandbox", &done, disk)) }
}

/// Removes a path.
pub async fn remove(container: &mut Container, held: &mut Held, path: &str) -> Result<(), SandboxError> {
    checked(path)?;
    hold(container, held, Held::default()).await?;
    let done = container.script(CODE, REMOVE, &[path], b"", 0).await?;
    if done.code == 0 {
        Ok(())
    } else {
        Err(failed("removing from the sandbox", &done, container.shape.disk))
    }
}

/// The first bytes of a regular file.
pub async fn read(container: &Container, path: &str, most: u64) -> Result<Option<Vec<u8>>, SandboxError> {
    checked(path)?;
    let room = usize::try_from(most).unwrap_or(usize::MAX);
    let done = container.script(CODE, READ, &[path, &most.to_string()], b"", room).await?;
    match done.code {
        0 => Ok(Some(done.stdout)),
        44 => Ok(None),
        _ => Err(failed("reading from the sandbox", &done, container.shape.disk)),
    }
}

/// All entries, at most so many.
pub async fn list(container: &Container, most: usize) -> Result<Listing, SandboxError> {
    // Enough for so many long paths; a tree of longer ones is said to be cut.
    let room = most.saturating_add(1).saturating_mul(600).clamp(1 << 16, 64 << 20);
    let done = container.script(CODE, LIST, &[&room.to_string()], b"", room).await?;
    let full = done.stdout.len() >= room;
    if !full && (done.code != 0 || !done.stderr.is_empty()) {
        return Err(failed("listing the sandbox", &done, container.shape.disk));
    }
    let mut listing = Listing { entries: Vec::new(), cut: full };
    let mut records: Vec<&[u8]> = done.stdout.split(|byte| *byte == 0).collect();
    // Behind the last zero byte is nothing, or half a record.
    records.pop();
    for record in records {
        if listing.entries.len() == most {
            listing.cut = true;
            break;
        }
        let mut fields = record.splitn(3, |byte| *byte == b' ');
        let (kind, size, path) = (fields.next(), fields.next(), fields.next().unwrap_or_default());
        let size = size.and_then(|size| std::str::from_utf8(size).ok()?.parse().ok()).unwrap_or(0);
        let (path, readable) = match std::str::from_utf8(path) {
            Ok(path) => (path.to_owned(), true),
            Err(_) => (path.escape_ascii().to_string(), false),
        };
        let kind = match kind {
            Some(b"d") => Kind::Folder,
            Some(b"f") if readable => Kind::File(size),
            _ => Kind::Other,
        };
        listing.entries.push(Entry { path, kind });
    }
    listing.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

/// Makes it so that exactly this is held. Nothing of the code runs meanwhile.
pub async fn hold(container: &mut Container, held: &mut Held, wanted: Held) -> Result<(), SandboxError> {
    const DOING: &str = "protecting files of the sandbox";
    if *held == wanted {
        return Ok(());
    }
    container.must("next").await?;
    for folder in &wanted.folders {
        container.must(&format!("folder {folder}")).await?;
    }
    let mut lines = String::new();
    let folders: BTreeSet<&String> = held.folders.union(&wanted.folders).collect();
    for folder in folders {
        let is_kept = wanted.folders.contains(folder);
        lines.push_str(&format!("{} {folder}\n", if is_kept { 'h' } else { 'g' }));
    }
    let moved: BTreeSet<&String> = held.sealed.union(&wanted.sealed).collect();
    for path in &moved {
        lines.push_str(&format!("s {path}\n"));
    }
    lines.push('\n');
    let disk = container.shape.disk;
    let room = usize::try_from(disk.saturating_mul(2)).unwrap_or(usize::MAX).saturating_add(1 << 20);
    let done = container.script(CODE, MOVE, &[], lines.as_bytes(), room).await?;
    if done.cut {
        return Err(SandboxError::Full { limit: disk });
    }
    if done.code != 0 {
        return Err(failed(DOING, &done, disk));
    }
    container.must("swap").await?;
    let members =
        |paths: &[&String]| -> Vec<String> { paths.iter().map(|path| format!("./{path}")).collect() };
    let (seal, unseal): (Vec<&String>, Vec<&String>) =
        moved.into_iter().partition(|path| wanted.sealed.contains(*path));
    for (paths, user, script) in [(seal, KEEPER, SEAL), (unseal, CODE, UNSEAL)] {
        if paths.is_empty() {
            continue;
        }
        let members = members(&paths);
        let arguments: Vec<&str> = members.iter().map(String::as_str).collect();
        let done = container.script(user, script, &arguments, &done.stdout, 0).await?;
        if done.code != 0 {
            return Err(failed(DOING, &done, disk));
        }
    }
    *held = wanted;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn held(paths: &[&str]) -> (Vec<String>, Vec<String>) {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let held = Held::of(&paths).unwrap();
        (held.sealed.into_iter().collect(), held.folders.into_iter().collect())
    }

    #[test]
    fn the_folders_above_are_held_and_what_lies_inside_is_covered() {
        assert_eq!(
            held(&["a/b/c.py", "d"]),
            (vec!["a/b/c.py".into(), "d".into()], vec!["a".into(), "a/b".into()])
        );
        assert_eq!(held(&["a-b", "a/b", "a", "a/c/d"]), (vec!["a".into(), "a-b".into()], vec![]));
        assert!(matches!(Held::of(&["../x".into()]), Err(SandboxError::Path { .. })));
        assert_eq!(Held::of(&[]).unwrap(), Held::default());
    }
}
