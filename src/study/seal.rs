//! Sealed files: one annotator's labels, unreadable to the others until all have handed in.
//!
//! How it goes: each annotator writes a sealed file (`label seal`), which is encrypted with a key of its own, and
//! labels no more; the files are exchanged and taken in by everybody; only a workspace that holds the sealed files
//! of **all** annotators of the round gives its own key out (`label reveal`); the keys are exchanged and taken in,
//! and with them the labels.
//!
//! Promises: without its key a sealed file says nothing but whose it is, for which round, and in steps of 64 KiB
//! how long it is; it holds the hash of its key, so that whoever handed it in can open it in one way only: nobody
//! can change an answer after having read another's. A file that was damaged on its way is refused when it comes, by
//! its checksum; so is one that its annotator did not hand in, where the round says which that is. A wrong file that
//! came first gives way to the right one as long as no key is out. The cipher is ChaCha20-Poly1305 (of `ring`), a
//! fresh random key for each file.
//! What it does not do: it does not prove who wrote a file (exchange them where you know who sent what); the last
//! to reveal has read the others' labels and may refuse to reveal their own; whoever can read an annotator's data
//! folder has the key; two annotators who talk are not kept from it.

use super::{Desk, Studies, StudyError, Taken};
use crate::label::event::{Deviation, What};
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::store::BlobId;
use crate::task::hex;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Version of both files.
const VERSION: u32 = 1;
const SEALED: &str = "sealed-labels";
const KEY: &str = "sealed-key";
/// Sealed files are as long as a multiple of this.
const STEP: usize = 64 << 10;

/// A sealed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedFile {
    r#type: String,
    v: u32,
    /// The round.
    pub round: Uuid,
    /// Key of the annotator.
    pub annotator: String,
    /// sha256 of the key that opens it.
    key_sha256: String,
    sealed: String,
    /// sha256 of all before it: what was damaged on its way is noticed without the key.
    check: String,
}

/// The key to a sealed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    r#type: String,
    v: u32,
    /// The round.
    pub round: Uuid,
    /// Key of the annotator.
    pub annotator: String,
    /// sha256 of the sealed file.
    pub file: String,
    key: String,
}

/// Which of the two a file begins like: `true` a sealed one, `false` a key.
pub fn seal_kind(first: &[u8]) -> Option<bool> {
    let begins = |kind: &str| first.starts_with(format!("{{\"type\":\"{kind}\"").as_bytes());
    if begins(SEALED) { Some(true) } else { begins(KEY).then_some(false) }
}

fn damaged(what: &str, why: impl std::fmt::Display) -> StudyError {
    StudyError::BadFile(format!("{what} cannot be read ({why}); fetch it again from who wrote it"))
}

fn key_hash(key: &[u8; 32]) -> String {
    hex(&Sha256::digest([b"mendbench sealed labels 1".as_slice(), key].concat()))
}

fn cipher(key: &[u8; 32]) -> Result<LessSafeKey, StudyError> {
    let unbound = UnboundKey::new(&CHACHA20_POLY1305, key);
    unbound.map(LessSafeKey::new).map_err(|_| StudyError::Secret("the key has another length".to_owned()))
}

/// What is bound to the labels beside them.
fn bound(round: Uuid, annotator: &str) -> Vec<u8> {
    format!("{SEALED} {VERSION} {round} {annotator}").into_bytes()
}

/// Encrypts; each key is used once, so that the nonce can be zero.
fn encrypt(round: Uuid, annotator: &str, labels: &[u8], key: &[u8; 32]) -> Result<Vec<u8>, StudyError> {
    let mut text = (labels.len() as u64).to_le_bytes().to_vec();
    text.extend(labels);
    text.resize(text.len().next_multiple_of(STEP), 0);
    let nonce = Nonce::assume_unique_for_key([0; 12]);
    cipher(key)?
        .seal_in_place_append_tag(nonce, Aad::from(bound(round, annotator)), &mut text)
        .map_err(|_| StudyError::Secret("the labels are too long to be sealed".to_owned()))?;
    let mut file = SealedFile {
        r#type: SEALED.to_owned(),
        v: VERSION,
        round,
        annotator: annotator.to_owned(),
        key_sha256: key_hash(key),
        sealed: STANDARD.encode(text),
        check: String::new(),
    };
    file.check = file.checksum();
    let mut bytes = serde_json::to_vec(&file).map_err(|error| StudyError::Secret(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

impl SealedFile {
    /// Reads a file and makes sure that it came whole.
    fn read(bytes: &[u8]) -> Result<SealedFile, StudyError> {
        let file: SealedFile =
            serde_json::from_slice(bytes).map_err(|error| damaged("the sealed file", error))?;
        if file.r#type != SEALED || file.v != VERSION {
            return Err(damaged("the sealed file", "it is of a version that is not known"));
        }
        if file.check != file.checksum() {
            return Err(damaged("the sealed file", "it was changed since it was written"));
        }
        Ok(file)
    }

    fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        for part in [SEALED, &self.round.to_string(), &self.annotator, &self.key_sha256, &self.sealed] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

fn decrypt(file: &SealedFile, key: &[u8; 32]) -> Result<Vec<u8>, StudyError> {
    if key_hash(key) != file.key_sha256 {
        return Err(damaged("the key", "it belongs to another sealed file"));
    }
    let mut text = STANDARD.decode(&file.sealed).map_err(|error| damaged("the sealed file", error))?;
    let nonce = Nonce::assume_unique_for_key([0; 12]);
    let opened = cipher(key)?.open_in_place(nonce, Aad::from(bound(file.round, &file.annotator)), &mut text);
    let opened = opened.map_err(|_| damaged("the sealed file", "it was changed since it was sealed"))?;
    let (length, rest) =
        opened.split_first_chunk().ok_or_else(|| damaged("the sealed file", "it is empty"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    rest.get(..length).map(<[u8]>::to_vec).ok_or_else(|| damaged("the sealed file", "it lacks its end"))
}

/// Where an annotator's keys are kept.
fn secret_path(folder: &Path, round: Uuid, annotator: &str) -> PathBuf {
    let name = hex(&Sha256::digest(annotator.as_bytes()));
    folder.join(format!("{round}-{}.key", name.get(..16).unwrap_or(&name)))
}

fn keep_secret(path: &Path, key: &[u8; 32]) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(hex(key).as_bytes())?;
    file.sync_all()
}

fn from_hex(digits: &str) -> Option<[u8; 32]> {
    let digits = digits.trim();
    let byte = |place: usize| u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len() / 2).map(byte).collect();
    bytes?.try_into().ok()
}

impl Desk {
    /// Seals the labels of who looks; nothing more can be labelled then. Done again it gives the same file.
    /// `folder` is where the user's secrets are.
    pub fn seal(&mut self, folder: &Path, unfinished: bool) -> Result<Vec<u8>, StudyError> {
        let annotator = self.annotator()?;
        let key = self.key(annotator);
        if self.round.phase != Phase::Labelling {
            let why = "files are sealed while labelling is blind".to_owned();
            return Err(StudyError::NotNow { round: self.round.name.clone(), phase: self.round.phase, why });
        }
        if let Some(sha256) = self.unguarded(annotator)?.sealed {
            self.received(&key, &sha256)?;
            return self.studies.sealed_blob(&sha256);
        }
        let open: usize =
            self.progress()?.iter().flat_map(|(_, done)| done.missing.values()).map(Vec::len).sum();
        if open > 0 && !unfinished {
            return Err(StudyError::NotNow {
                round: self.round.name.clone(),
                phase: self.round.phase,
                why: format!("{open} of your items are not done; hand in all the same with --force"),
            });
        }
        let secret = secret_path(folder, self.round.id, &key);
        let desk = self.clone();
        let sha256 = self.writer()?.hand_in(&|| {
            let mut labels = Vec::new();
            desk.export_own(&mut labels)?;
            let mut random = [0; 32];
            let failed = |why: String| {
                StudyError::Secret(format!("{}: the key cannot be kept ({why})", secret.display()))
            };
            SystemRandom::new().fill(&mut random).map_err(|_| failed("no random bytes".to_owned()))?;
            keep_secret(&secret, &random).map_err(|error| failed(error.to_string()))?;
            let file = encrypt(desk.round.id, &key, &labels, &random)?;
            desk.studies.store.put(&file)?;
            Ok(hex(&Sha256::digest(&file)))
        })?;
        self.received(&key, &sha256)?;
        self.studies.sealed_blob(&sha256)
    }

    /// Writes down that a sealed file is here; who seals their own says with it which is the right one.
    fn received(&mut self, annotator: &str, sha256: &str) -> Result<(), StudyError> {
        self.exchange(annotator, sha256, None)
    }

    /// Writes down that a sealed file counts, also in the place of another one, with the deviation that this is.
    fn exchange(
        &mut self,
        annotator: &str,
        sha256: &str,
        deviation: Option<Deviation>,
    ) -> Result<(), StudyError> {
        let actor = self.actor();
        let own = actor == annotator;
        self.round = self.studies.change(self.round.id, &actor, &|round: &Round| {
            let present = round.seals.of(annotator);
            let is_said = !own || round.seals.committed(annotator) == Some(sha256);
            if present == Some(sha256) && is_said {
                return Ok(Vec::new());
            }
            let mut whats: Vec<What> = deviation.clone().map(What::Deviated).into_iter().collect();
            whats.push(What::SealReceived {
                annotator: annotator.to_owned(),
                sha256: sha256.to_owned(),
                replaces: present.filter(|present| *present != sha256).map(str::to_owned),
            });
            Ok(whats)
        })?;
        Ok(())
    }

    /// Writes down that a key is out.
    fn revealed(&self, annotator: &str) -> Result<(), StudyError> {
        let what = What::SealRevealed { annotator: annotator.to_owned() };
        self.studies.change(self.round.id, &self.actor(), &|round: &Round| {
            Ok(if round.seals.is_revealed { Vec::new() } else { vec![what.clone()] })
        })?;
        Ok(())
    }

    /// Whose sealed file is not here. That it was handed in elsewhere, which the round may tell, is not enough.
    pub fn seals_missing(&self) -> Vec<String> {
        let here = |sha256: &str| self.studies.sealed_blob(sha256).is_ok();
        let open = self.round.annotators.iter();
        let open = open.filter(|person| !self.round.seals.of(&person.key).is_some_and(here));
        open.map(|person| person.name.clone()).collect()
    }

    /// Gives the key to the sealed file of who looks, once the files of all are here.
    pub fn reveal(&self, folder: &Path) -> Result<Vec<u8>, StudyError> {
        let key = self.key(self.annotator()?);
        let missing = self.seals_missing();
        if !missing.is_empty() {
            return Err(self.hidden(&format!(
                "the key is given out when the sealed files of all are here; take in with `mendbench label import` that of {}",
                missing.join(", ")
            )));
        }
        let path = secret_path(folder, self.round.id, &key);
        let lost = |why: String| {
            StudyError::Secret(format!(
                "{}: the key to the sealed file cannot be read ({why}); it is kept where the file was sealed",
                path.display()
            ))
        };
        let digits = std::fs::read_to_string(&path).map_err(|error| lost(error.to_string()))?;
        let secret = from_hex(&digits).ok_or_else(|| lost("it is no key".to_owned()))?;
        let file = self.round.seals.of(&key).unwrap_or_default().to_owned();
        // A key that does not open what was handed in would only be noticed by the others.
        decrypt(&self.studies.sealed_file(&file)?, &secret)?;
        let (r#type, v, round) = (KEY.to_owned(), VERSION, self.round.id);
        self.revealed(&key)?;
        let given = KeyFile { r#type, v, round, annotator: key, file, key: hex(&secret) };
        let mut bytes = serde_json::to_vec(&given).map_err(|error| StudyError::Secret(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl Studies {
    fn sealed_blob(&self, sha256: &str) -> Result<Vec<u8>, StudyError> {
        let id = from_hex(sha256).map(BlobId::from_bytes);
        let bytes = id.map(|id| self.store.get(&id)).transpose()?.flatten();
        bytes.ok_or_else(|| damaged("the sealed file", "it is not in this workspace"))
    }

    fn sealed_file(&self, sha256: &str) -> Result<SealedFile, StudyError> {
        SealedFile::read(&self.sealed_blob(sha256)?)
    }

    /// Takes a sealed file in; answers with the round's desk and whose file it is. `replace`: in the place of a wrong
    /// one that came first, because a person says so; that leaves a deviation. Where the annotator has written down
    /// which is the right one, that takes the place of a wrong one by itself, and no other is taken.
    pub fn receive(&self, bytes: &[u8], name: &str, replace: bool) -> Result<(Desk, String), StudyError> {
        let file = SealedFile::read(bytes)?;
        let mut desk = self.desk_of(self.open(file.round)?, name);
        let person = desk.round.annotators.iter().find(|person| person.key == file.annotator).cloned();
        let person =
            person.ok_or_else(|| damaged("the sealed file", "its annotator has no part in the round"))?;
        let sha256 = hex(&Sha256::digest(bytes));
        let deviation = self.may_count(&desk.round, &file.annotator, &person.name, &sha256, replace)?;
        self.store.put(bytes)?;
        desk.exchange(&file.annotator, &sha256, deviation)?;
        Ok((desk, person.name))
    }

    /// Whether a sealed file can be the one that counts, and the deviation that it would be.
    fn may_count(
        &self,
        round: &Round,
        annotator: &str,
        who: &str,
        sha256: &str,
        replace: bool,
    ) -> Result<Option<Deviation>, StudyError> {
        let (present, committed) = (round.seals.of(annotator), round.seals.committed(annotator));
        let refused = |why: String| Err(StudyError::BadFile(why));
        if committed.is_some_and(|right| right != sha256) {
            return refused(format!(
                "this is not the sealed file that {who} handed in, which the round tells by its hash; it was not taken: have {who} send it again"
            ));
        }
        if present.is_none_or(|present| present == sha256) {
            return Ok(None);
        }
        if round.seals.is_late(annotator, sha256) {
            return refused(format!(
                "another sealed file of {who} came before, and a key is out since: that one counts, this one was not taken"
            ));
        }
        if committed.is_some() {
            return Ok(None);
        }
        if !replace {
            return refused(format!(
                "another sealed file of {who} came before: that one counts, this one was not taken; if that one is wrong, take this one in with --replace, which is written down as a deviation from the protocol"
            ));
        }
        Ok(Some(Deviation::SealReplaced { annotator: who.to_owned() }))
    }

    /// Takes a key in, opens the sealed file that it belongs to, and takes the labels in.
    pub fn unseal(&self, bytes: &[u8], name: &str) -> Result<Taken, StudyError> {
        let given: KeyFile = serde_json::from_slice(bytes).map_err(|error| damaged("the key", error))?;
        if given.r#type != KEY || given.v != VERSION {
            return Err(damaged("the key", "it is of a version that is not known"));
        }
        let desk = self.desk_of(self.open(given.round)?, name);
        match desk.round.seals.of(&given.annotator) {
            Some(file) if file != given.file => {
                return Err(StudyError::BadFile(
                    "this key belongs to another sealed file than the one that is here: take that in first, with --replace if the one that is here is wrong".to_owned(),
                ));
            }
            Some(file) if self.sealed_blob(file).is_ok() => {}
            _ => {
                return Err(StudyError::BadFile(
                    "the sealed file of this key is not here yet: take that in first".to_owned(),
                ));
            }
        }
        let missing = desk.seals_missing();
        if !missing.is_empty() && desk.round.phase == Phase::Labelling {
            return Err(desk.hidden(&format!(
                "sealed files are opened when those of all are here; missing: {}",
                missing.join(", ")
            )));
        }
        let secret = from_hex(&given.key).ok_or_else(|| damaged("the key", "it is no key"))?;
        let labels = decrypt(&self.sealed_file(&given.file)?, &secret)?;
        desk.revealed(&given.annotator)?;
        self.take(&mut Cursor::new(labels), name, Some((given.round, &given.annotator)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_only_and_hides_its_length() {
        let round = Uuid::nil();
        let key = [7; 32];
        let bytes = encrypt(round, "anna", b"secret labels", &key).unwrap();
        assert_eq!(seal_kind(&bytes), Some(true));
        assert!(!String::from_utf8_lossy(&bytes).contains("secret"));
        let file: SealedFile = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(decrypt(&file, &key).unwrap(), b"secret labels");
        assert!(decrypt(&file, &[8; 32]).unwrap_err().to_string().contains("another sealed file"));
        let longer = encrypt(round, "anna", &[b'x'; 40_000], &key).unwrap();
        assert_eq!(longer.len(), bytes.len());
        let other = SealedFile { annotator: "ben".to_owned(), ..file.clone() };
        assert!(decrypt(&other, &key).is_err(), "whose it is cannot be changed");
        let other = SealedFile { key_sha256: key_hash(&[8; 32]), ..file };
        assert!(decrypt(&other, &[8; 32]).unwrap_err().to_string().contains("changed since"));
    }

    #[test]
    fn what_was_damaged_on_its_way_is_noticed_without_the_key() {
        let bytes = encrypt(Uuid::nil(), "anna", b"labels", &[7; 32]).unwrap();
        assert!(SealedFile::read(&bytes).is_ok());
        // A letter in each part, and the end; whatever else becomes of it, it is not taken.
        for part in ["anna", "key_sha256\":\"", "sealed\":\"", "check\":\""] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let place = text.rfind(part).unwrap() + part.len();
            let mut other = bytes.clone();
            other[place - 1 + usize::from(part != "anna")] ^= 1;
            let error = SealedFile::read(&other).unwrap_err().to_string();
            assert!(error.contains("fetch it again"), "{part}: {error}");
        }
        assert!(SealedFile::read(&bytes[..bytes.len() - 9]).is_err());
        assert!(SealedFile::read(b"").is_err());
    }

    #[test]
    fn keys_are_hexadecimal_digits() {
        assert_eq!(from_hex(&hex(&[9; 32])), Some([9; 32]));
        for bad in ["", "00", "zz", &"0".repeat(63), &"é".repeat(32)] {
            assert_eq!(from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_secret_is_for_its_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = secret_path(&folder.path().join("seals"), Uuid::nil(), "../anna");
        assert_eq!(path.parent().unwrap(), folder.path().join("seals"));
        keep_secret(&path, &[1; 32]).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
