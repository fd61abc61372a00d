//! Archives in the old tar format, written by hand: regular files, nothing else.
//!
//! Promises: every name fits (long ones by GNU's extension, which every `tar` reads); times are the ones given. Leaves
//! to others: unpacking, which the image's own `tar` does as an unprivileged user.

const BLOCK: usize = 512;

/// Collects files.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
}

impl Archive {
    /// Adds a regular file; `time` is in seconds since 1970.
    pub fn file(&mut self, path: &str, bytes: &[u8], executable: bool, time: u64) {
        if path.len() > 100 {
            let mut name = path.as_bytes().to_vec();
            name.push(0);
            self.entry("././@LongLink", &name, b'L', 0o644, 0);
        }
        self.entry(path, bytes, b'0', if executable { 0o755 } else { 0o644 }, time);
    }

    /// The archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&[0; 2 * BLOCK]);
        self.bytes
    }

    fn entry(&mut self, name: &str, bytes: &[u8], kind: u8, mode: u32, time: u64) {
        let mut header = [0u8; BLOCK];
        let mut field = |at: usize, value: &[u8]| {
            for (place, byte) in header.iter_mut().skip(at).zip(value) {
                *place = *byte;
            }
        };
        field(0, name.as_bytes().get(..name.len().min(100)).unwrap_or_default());
        field(100, format!("{mode:07o}\0").as_bytes());
        field(108, b"0000000\0");
        field(116, b"0000000\0");
        field(124, format!("{:011o}\0", bytes.len()).as_bytes());
        field(136, format!("{time:011o}\0").as_bytes());
        field(148, b"        ");
        field(156, &[kind]);
        field(257, b"ustar  \0");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        for (place, byte) in header.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
            *place = byte;
        }
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(BLOCK), 0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn tar_reads_it() {
        let long = format!("{}/{}/é.txt", "a".repeat(120), "b".repeat(200));
        let mut archive = Archive::default();
        archive.file("short", b"one", true, 1_000_000_000);
        archive.file(&long, &[7; 1024], false, 1_000_000_000);
        archive.file("-dash and space", b"", false, 0);
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("tar")
            .args(["-xf", "-", "-C"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&archive.finish()).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(std::fs::read(folder.path().join("short")).unwrap(), b"one");
        assert_eq!(std::fs::read(folder.path().join(&long)).unwrap(), [7; 1024]);
        assert_eq!(std::fs::read(folder.path().join("-dash and space")).unwrap(), b"");
    }
}
