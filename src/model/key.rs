//! Reading keys.
//!
//! Promises: a key comes from the variable or file that the user's `models.toml` names and from nowhere else; a file that
//! others may read is refused; no message repeats anything of a key. Leaves to others: the header (`endpoint`).

use super::error::ModelError;
use super::secret::Secret;
use crate::config::{KeySource, ModelSettings};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Largest file of a key, in bytes.
const LARGEST: u64 = 16 << 10;

/// Gives the value of an environment variable.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The key of a model; `None` where it needs none.
pub fn read(settings: &ModelSettings, variables: Variables<'_>) -> Result<Option<Secret>, ModelError> {
    let model = || settings.name.clone();
    match &settings.key {
        KeySource::None => Ok(None),
        KeySource::Variable(variable) => {
            let key = variables(variable).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
            let Some(key) = key else {
                return Err(ModelError::NoKey { model: model(), variable: variable.clone() });
            };
            check(&key).map_err(|why| ModelError::Settings {
                model: model(),
                why: format!("the key in `{variable}` {why}"),
            })?;
            Ok(Some(Secret::new(key)))
        }
        KeySource::File(path) => match read_file(path) {
            Ok(key) => Ok(Some(key)),
            Err(why) => Err(ModelError::KeyFile { model: model(), path: path.clone(), why }),
        },
    }
}

fn read_file(path: &Path) -> Result<Secret, String> {
    let words = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    };
    // Not blocking, for what is named may be a pipe; the file that is checked is the file that is read.
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)
        .map_err(words)?;
    let metadata = file.metadata().map_err(words)?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("others may read or write it (mode {mode:03o}): run `chmod 600` on it"));
    }
    if metadata.len() > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(|_| "it is not a text".to_owned())?;
    let key = text.trim();
    if key.is_empty() {
        return Err("it is empty".to_owned());
    }
    check(key).map_err(|why| format!("what is in it {why}"))?;
    Ok(Secret::new(key))
}

/// Whether a header can carry it.
fn check(key: &str) -> Result<(), &'static str> {
    match key.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(()),
        false => Err("is no key: it holds blanks, line ends or characters that are not ASCII"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn settings(key: KeySource) -> ModelSettings {
        ModelSettings { key, ..ModelSettings::new("m", "http://localhost/v1".parse().unwrap()) }
    }

    #[test]
    fn a_variable_holds_a_key_or_is_named() {
        let settings = settings(KeySource::Variable("MY_KEY".into()));
        let read_with = |value: Option<&str>| {
            let value = value.map(str::to_owned);
            read(&settings, &move |name| (name == "MY_KEY").then(|| value.clone()).flatten())
        };
        assert_eq!(read_with(Some(" sk-hush1234\n")).unwrap(), Some(Secret::new("sk-hush1234")));
        for empty in [None, Some(""), Some("  ")] {
            let error = read_with(empty).unwrap_err();
            assert_eq!(error, ModelError::NoKey { model: "m".into(), variable: "MY_KEY".into() });
        }
        let error = read_with(Some("sk-hush\nX: y")).unwrap_err().to_string();
        assert!(error.contains("`MY_KEY` is no key") && !error.contains("hush"), "{error}");
    }

    #[test]
    fn a_file_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let read_as = |content: &[u8], mode: u32| {
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            read(&settings(KeySource::File(path.clone())), &|_| None)
        };
        for mode in [0o600, 0o400] {
            assert_eq!(read_as(b"sk-hush1234\n", mode).unwrap(), Some(Secret::new("sk-hush1234")));
            std::fs::remove_file(&path).unwrap();
        }
        for (content, mode, words) in [
            (b"sk-hush1234".as_slice(), 0o640, "mode 640): run `chmod 600`"),
            (b"sk-hush1234", 0o602, "mode 602"),
            (b"", 0o600, "it is empty"),
            (b"sk-hush 1234", 0o600, "is no key"),
            (b"sk-\xff", 0o600, "not a text"),
            (&[b'x'; 20_000], 0o600, "larger than"),
        ] {
            let error = read_as(content, mode).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("hush"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
        for (path, words) in [(path.as_path(), "no such file"), (folder.path(), "not a file")] {
            let error = read(&settings(KeySource::File(path.to_owned())), &|_| None).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
