//! Blobs: bytes under their sha256, compressed where that helps.
//!
//! Promises: what is unpacked has the promised size and hash, or is an error; a hostile record cannot
//! unpack to more than it says. Leaves to others: where the packed bytes lie.

use super::StoreError;
use crate::task::Revision;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::Write;
use std::str::FromStr;

/// The largest blob that is kept.
pub const MAX_BLOB: usize = 64 << 20;

const LEVEL: i32 = 3;

/// sha256 of a blob.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId([u8; 32]);

impl BlobId {
    /// The id of these bytes.
    pub fn of(bytes: &[u8]) -> BlobId {
        BlobId(Sha256::digest(bytes).into())
    }

    /// An id from its 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> BlobId {
        BlobId(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The id under which a task of this revision is kept: a revision is the hash of the canonical
    /// task, and the canonical task is the blob.
    pub fn of_revision(revision: &Revision) -> Option<BlobId> {
        revision.as_str().parse().ok()
    }

    /// The revision of the task that is kept under this id.
    pub fn revision(&self) -> Revision {
        Revision::from_digest(&self.0)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

/// A text that is not the id of a blob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a blob's id has 64 lower-case hexadecimal digits")]
pub struct BlobIdError;

impl FromStr for BlobId {
    type Err = BlobIdError;

    fn from_str(text: &str) -> Result<BlobId, BlobIdError> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(BlobIdError);
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0]).ok_or(BlobIdError)? << 4 | digit(pair[1]).ok_or(BlobIdError)?;
        }
        Ok(BlobId(bytes))
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl Serialize for BlobId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BlobId, D::Error> {
        let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A blob that was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: BlobId,
    /// Whether it is new here.
    pub added: bool,
}

/// A blob as it lies on disk.
pub(crate) struct Packed {
    pub id: BlobId,
    pub size: usize,
    /// `None`: packing did not make it smaller, so the bytes lie there as they are.
    pub zstd: Option<Vec<u8>>,
}

/// Packs blobs; keeps its working memory between them.
pub(crate) struct Packer(Option<zstd::bulk::Compressor<'static>>);

impl Packer {
    pub(crate) fn new() -> Packer {
        Packer(zstd::bulk::Compressor::new(LEVEL).ok())
    }

    /// Hash and packed form of `bytes`. A compressor that fails costs space, nothing else.
    pub(crate) fn pack(&mut self, bytes: &[u8]) -> Result<Packed, StoreError> {
        if bytes.len() > MAX_BLOB {
            return Err(StoreError::BlobTooLarge { size: bytes.len() as u64, limit: MAX_BLOB as u64 });
        }
        // In one go a compressor asks for room as if nothing became smaller.
        let packed = match &mut self.0 {
            Some(compressor) if bytes.len() <= IN_ONE_GO => compressor.compress(bytes).ok(),
            Some(_) => pack_in_steps(bytes).ok(),
            None => None,
        };
        let zstd = packed.filter(|packed| packed.len() < bytes.len());
        Ok(Packed { id: BlobId::of(bytes), size: bytes.len(), zstd })
    }
}

/// Bytes up to which a blob is packed in one go, the quickest way.
const IN_ONE_GO: usize = 1 << 20;

/// As [`Packer`], in memory of the size of what comes out.
fn pack_in_steps(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.include_contentsize(true)?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The bytes of a packed blob, checked against their size and hash.
pub(crate) fn unpack(id: &BlobId, size: u64, is_zstd: bool, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let damaged = |why: &str| StoreError::BlobDamaged { id: *id, why: why.to_owned() };
    let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BLOB);
    let size = size.ok_or_else(|| damaged("its recorded size is impossible"))?;
    let bytes = if is_zstd {
        zstd::bulk::decompress(bytes, size).map_err(|_| damaged("it does not unpack"))?
    } else {
        bytes.to_vec()
    };
    if BlobId::of(&bytes) != *id {
        return Err(damaged("its bytes have another hash"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_packed_in_steps_comes_back() {
        let bytes: Vec<u8> = (0..3 * IN_ONE_GO).map(|at| (at / 7 % 251) as u8).collect();
        let packed = Packer::new().pack(&bytes).unwrap();
        let zstd = packed.zstd.unwrap();
        assert!(zstd.len() < bytes.len() / 10);
        assert_eq!(unpack(&packed.id, packed.size as u64, true, &zstd).unwrap(), bytes);
    }

    #[test]
    fn ids_are_digits_and_back() {
        let id = BlobId::of(b"");
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(serde_json::from_str::<BlobId>(&serde_json::to_string(&id).unwrap()).unwrap(), id);
        assert_eq!(BlobId::of_revision(&id.revision()), Some(id));
        for bad in ["", "e3", &text.to_uppercase(), &format!("{text}0"), &text.replace('e', "g"), "é"] {
            assert_eq!(bad.parse::<BlobId>(), Err(BlobIdError), "{bad}");
        }
    }

    #[test]
    fn damage_is_told_and_bombs_do_not_unpack() {
        let bytes = vec![b'x'; 1 << 20];
        let packed = Packer::new().pack(&bytes).unwrap();
        let zstd = packed.zstd.unwrap();
        assert!(zstd.len() < 1000);
        assert_eq!(unpack(&packed.id, 1 << 20, true, &zstd).unwrap(), bytes);
        assert!(unpack(&packed.id, 1000, true, &zstd).is_err());
        assert!(unpack(&packed.id, u64::MAX, true, &zstd).is_err());
        assert!(unpack(&packed.id, 1 << 20, true, &zstd[..20]).is_err());
        assert!(unpack(&packed.id, 1 << 20, false, &zstd).is_err());
        assert!(unpack(&BlobId::of(b"other"), 1 << 20, true, &zstd).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let packed = Packer::new().pack(&bytes).unwrap();
            let (is_zstd, lie) = match &packed.zstd {
                Some(zstd) => (true, zstd.as_slice()),
                None => (false, bytes.as_slice()),
            };
            prop_assert_eq!(unpack(&packed.id, packed.size as u64, is_zstd, lie).unwrap(), bytes);
        }
    }
}
