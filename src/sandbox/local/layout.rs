//! What code inside a sandbox sees of the machine: a read-only view of its programs and libraries, and little else.
//!
//! Promises: nothing secret is among it; what is not there on this machine is left out. Leaves to others: mounting it
//! (bubblewrap, `init::mounts`) and allowing it (`init::rules`).

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where our own program lies inside.
pub const OWN: &str = "/.mendbench/mendbench";

/// Where the work tree lies inside a mount namespace.
pub const WORK: &str = "/work";

/// Where temporary files go inside a mount namespace.
pub const TEMPORARY: &str = "/tmp";

/// Folders below which code inside writes: what is to be seen there has to be mounted after them.
const WRITTEN: [&str; 3] = [WORK, TEMPORARY, "/dev/shm"];

/// Programs and libraries of the machine.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"];

/// What of `/etc` compilers and interpreters need; nothing of it is secret.
const SETTINGS: [&str; 8] = [
    "ld.so.cache",
    "alternatives",
    "ssl/certs",
    "ssl/openssl.cnf",
    "pki/tls/certs",
    "pki/java",
    "localtime",
    "perl",
];

/// Beginnings of further names in `/etc`: settings that a Java runtime keeps there.
const SETTINGS_OF: [&str; 2] = ["java", "crypto-policies"];

/// Devices that hold nothing.
pub const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// One thing that is seen inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// A file or folder of the machine, not to be changed.
    ReadOnly {
        /// Where it lies on the machine.
        from: PathBuf,
        /// Where it lies inside.
        to: PathBuf,
    },
    /// A symbolic link.
    Link {
        /// What it says.
        target: PathBuf,
        /// Where it lies inside.
        at: PathBuf,
    },
}

/// All that is seen inside, beside the work tree, temporary files, `/proc` and devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The pieces, in the order in which they are laid.
    pub pieces: Vec<Piece>,
    /// Devices.
    pub devices: Vec<PathBuf>,
    /// What lies below a folder that is written to: where it waits inside, and where it is to lie in the end.
    pub later: Vec<(PathBuf, PathBuf)>,
    /// Our own program on the machine.
    pub own: PathBuf,
    /// The folders asked for.
    pub readable: Vec<PathBuf>,
}

impl Layout {
    /// The layout for this machine, with these folders besides. What cannot be shown is an error that says why.
    pub fn of_machine(own: &Path, readable: &[PathBuf]) -> Result<Layout, String> {
        let mut layout = Layout { own: own.to_owned(), ..Layout::default() };
        for path in SYSTEM {
            let path = Path::new(path);
            let Ok(found) = path.symlink_metadata() else { continue };
            match path.read_link() {
                Ok(target) if found.is_symlink() => {
                    layout.pieces.push(Piece::Link { target, at: path.to_owned() });
                }
                _ => layout.show(path),
            }
        }
        for name in SETTINGS {
            let path = Path::new("/etc").join(name);
            if path.exists() {
                layout.show(&path);
            }
        }
        for entry in std::fs::read_dir("/etc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            if SETTINGS_OF.iter().any(|start| name.to_string_lossy().starts_with(start)) {
                layout.show(&entry.path());
            }
        }
        layout.pieces.push(Piece::ReadOnly { from: own.to_owned(), to: OWN.into() });
        layout.devices = DEVICES.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
        for folder in readable {
            layout.add(folder)?;
        }
        Ok(layout)
    }

    fn show(&mut self, path: &Path) {
        self.pieces.push(Piece::ReadOnly { from: path.to_owned(), to: path.to_owned() });
    }

    /// Adds a folder, at the path it was named by and, where that goes through links, at its real one.
    fn add(&mut self, folder: &Path) -> Result<(), String> {
        let shown = crate::text::shown(folder);
        if !folder.is_absolute() {
            return Err(format!("{shown} is not an absolute path"));
        }
        let real = folder.canonicalize().map_err(|error| format!("{shown} cannot be read: {error}"))?;
        if real == Path::new("/") {
            return Err(format!("{shown} is the whole machine"));
        }
        self.readable.push(real.clone());
        for to in [folder, &real] {
            let seen = self.pieces.iter().any(|piece| match piece {
                Piece::ReadOnly { to: above, .. } => to.starts_with(above),
                Piece::Link { at, .. } => to.starts_with(at),
            });
            if seen || self.later.iter().any(|(_, above)| to.starts_with(above)) {
                continue;
            }
            if to.starts_with(WORK) {
                return Err(format!("{shown} lies below {WORK}, which is the work tree inside"));
            }
            if WRITTEN.iter().any(|above| to.starts_with(above)) {
                let waits = PathBuf::from(format!("/.mendbench/later/{}", self.later.len()));
                self.pieces.push(Piece::ReadOnly { from: real.clone(), to: waits.clone() });
                self.later.push((waits, to.to_owned()));
            } else {
                self.pieces.push(Piece::ReadOnly { from: real.clone(), to: to.to_owned() });
            }
        }
        Ok(())
    }

    /// Folders that have to be made for it: those above its pieces.
    pub fn made(&self) -> std::collections::BTreeSet<&Path> {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::ReadOnly { to, .. } => to.as_path(),
            Piece::Link { at, .. } => at.as_path(),
        });
        let later = self.later.iter().map(|(_, to)| to.as_path());
        pieces
            .chain(self.devices.iter().map(PathBuf::as_path))
            .chain(later)
            .flat_map(|path| path.ancestors().skip(1))
            .collect()
    }

    /// The layout as arguments of bubblewrap.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut say =
            |words: &[&std::ffi::OsStr]| arguments.extend(words.iter().map(|&word| word.to_owned()));
        for piece in &self.pieces {
            match piece {
                Piece::ReadOnly { from, to } => say(&["--ro-bind".as_ref(), from.as_ref(), to.as_ref()]),
                Piece::Link { target, at } => say(&["--symlink".as_ref(), target.as_ref(), at.as_ref()]),
            }
        }
        for device in &self.devices {
            say(&["--dev-bind".as_ref(), device.as_ref(), device.as_ref()]);
        }
        say(&["--proc".as_ref(), "/proc".as_ref()]);
        arguments
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_below_written_ones_wait_and_the_work_tree_is_refused() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let inner = folder.path().join("a");
        std::fs::create_dir(&inner).unwrap();
        let layout = Layout::of_machine(Path::new("/bin/true"), &[inner.clone(), "/usr/lib".into()]).unwrap();
        assert_eq!(layout.later, [(PathBuf::from("/.mendbench/later/0"), inner)]);
        assert!(
            !layout
                .pieces
                .iter()
                .any(|p| matches!(p, Piece::ReadOnly { to, .. } if to == Path::new("/usr/lib")))
        );
        assert!(Layout::of_machine(Path::new("/bin/true"), &["/".into()]).is_err());
        assert!(Layout::of_machine(Path::new("/bin/true"), &["relative".into()]).is_err());
    }

    #[test]
    fn nothing_secret_of_the_settings_is_shown() {
        let layout = Layout::of_machine(Path::new("/bin/true"), &[]).unwrap();
        for piece in &layout.pieces {
            if let Piece::ReadOnly { to, .. } = piece {
                for secret in ["/etc/shadow", "/etc/ssl/private", "/root", "/home", "/var"] {
                    assert!(!Path::new(secret).starts_with(to), "{} shows {secret}", to.display());
                }
            }
        }
    }
}
