//! By what a user knows the verdicts that are his own.
//!
//! Promises: who does not have the user's secret cannot make a verdict that is believed. The secret is made at the first
//! need, in the user's data folder, readable by the user alone; without one nothing remembered is believed by another
//! process. Leaves to others: where verdicts are kept ([`super::cache`]).

use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::Path;

/// Bytes of a secret.
const LENGTH: usize = 32;

/// Seals what is remembered.
#[derive(Clone, PartialEq, Eq)]
pub struct Seal([u8; LENGTH]);

impl Default for Seal {
    /// The seal of nobody: for workspaces that live no longer than this process.
    fn default() -> Seal {
        Seal([0; LENGTH])
    }
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// The seal of this secret.
    pub fn new(secret: [u8; 32]) -> Seal {
        Seal(secret)
    }

    /// The user's, made where there is none yet; the error says why there cannot be one.
    pub fn of_user() -> std::io::Result<Seal> {
        use etcetera::BaseStrategy;
        let base = etcetera::base_strategy::Xdg::new().map_err(std::io::Error::other)?;
        Seal::in_folder(&base.data_dir().join("mendbench"))
    }

    /// The one of a folder.
    fn in_folder(folder: &Path) -> std::io::Result<Seal> {
        use std::os::unix::fs::OpenOptionsExt;
        let path = folder.join("verdict.key");
        if let Some(seal) = read(&path)? {
            return Ok(seal);
        }
        std::fs::create_dir_all(folder)?;
        let mut secret = [0; LENGTH];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut secret)?;
        // Under a name of its own first: of two that make one at once, both end with the same.
        let mine = folder.join(format!(".verdict.key.{}", std::process::id()));
        let mut file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&mine)?;
        file.write_all(&secret)?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&mine, &path);
        std::fs::remove_file(&mine)?;
        match (linked, read(&path)?) {
            (_, Some(seal)) => Ok(seal),
            (Err(error), None) => Err(error),
            (Ok(()), None) => Err(std::io::Error::other("the secret that was written is not there")),
        }
    }

    /// The seal of a request's answer, as hexadecimal digits.
    pub(super) fn of(&self, request: &str, report: &str) -> String {
        // The lengths of both are fixed, so nothing can be appended: a plain hash of the secret in front is enough.
        let mut hash = Sha256::new();
        for part in [&self.0, request.as_bytes(), b" ", report.as_bytes()] {
            hash.update(part);
        }
        crate::task::hex(&hash.finalize())
    }
}

fn read(path: &Path) -> std::io::Result<Option<Seal>> {
    match std::fs::read(path) {
        Ok(bytes) => match <[u8; LENGTH]>::try_from(bytes.as_slice()) {
            Ok(secret) => Ok(Some(Seal(secret))),
            Err(_) => {
                Err(std::io::Error::other(format!("{} is not a secret of {LENGTH} bytes", path.display())))
            }
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_keeps_its_secret_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("data");
        let first = Seal::in_folder(&inner).unwrap();
        assert_eq!(Seal::in_folder(&inner).unwrap(), first);
        assert_ne!(first, Seal::default());
        let mode = std::fs::metadata(inner.join("verdict.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 1);
        assert_ne!(first.of("a", "b"), Seal::default().of("a", "b"));
        std::fs::write(inner.join("verdict.key"), "short").unwrap();
        assert!(Seal::in_folder(&inner).is_err());
    }
}
