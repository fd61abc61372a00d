//! Whether a folder lies on a network file system.
//!
//! SQLite's write-ahead log needs memory that all processes share, which no network file system gives:
//! there a workspace would be damaged sooner or later. Promises: the decision is a pure function of
//! what `statfs` and the mount table say. Leaves to others: what to tell the user.

use std::path::Path;

/// What the system says about the file system of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileSystem {
    /// `f_type` of `statfs`; `None` where the system has no such number.
    pub magic: Option<u64>,
    /// Type in the mount table, such as `fuse.sshfs`; looked up for FUSE, whose number says nothing.
    pub mount_type: Option<String>,
}

/// Asks the system about a folder; tests put in answers of their own.
pub trait FileSystemProbe: Send + Sync {
    /// The file system of `folder`, which exists.
    fn file_system(&self, folder: &Path) -> FileSystem;
}

/// The running system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProbe;

const FUSE: u64 = 0x6573_5546;

/// File systems that live on another machine, by their `f_type`.
const NETWORK: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB 2"),
    (0x564c, "NCP"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x0102_1997, "9p"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x2003_0528, "OrangeFS"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
];

/// FUSE file systems whose files are on this machine's disks.
const LOCAL_FUSE: &[&str] = &[
    "fuseblk",
    "fuse.bindfs",
    "fuse.encfs",
    "fuse.fuse-overlayfs",
    "fuse.fuseblk",
    "fuse.gocryptfs",
    "fuse.lxcfs",
    "fuse.mergerfs",
    "fuse.ntfs",
    "fuse.ntfs-3g",
    "fuse.unionfs",
    "fuse.veracrypt",
    "fuse.zfs",
    "virtiofs",
];

/// The kind of network file system, or `None` for a local one. FUSE counts as network unless its
/// mount type is known to be local.
pub fn network_kind(file_system: &FileSystem) -> Option<String> {
    // The field is signed and 32 bits wide on some machines.
    let magic = file_system.magic? & 0xffff_ffff;
    if magic == FUSE {
        return match file_system.mount_type.as_deref() {
            Some(name) if LOCAL_FUSE.contains(&name) => None,
            Some(name) => Some(name.chars().filter(|c| !c.is_control()).take(40).collect()),
            None => Some("FUSE of an unknown kind".to_owned()),
        };
    }
    NETWORK.iter().find(|(number, _)| *number == magic).map(|(_, name)| (*name).to_owned())
}

impl FileSystemProbe for SystemProbe {
    #[cfg(target_os = "linux")]
    fn file_system(&self, folder: &Path) -> FileSystem {
        // The field's type differs between machines; the low 32 bits are what all of them share.
        #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
        let magic = rustix::fs::statfs(folder).ok().map(|stat| stat.f_type as u64 & 0xffff_ffff);
        let mount_type = (magic == Some(FUSE)).then(|| mount_type(folder)).flatten();
        FileSystem { magic, mount_type }
    }

    /// Other systems have no such number; there the user has to know.
    #[cfg(not(target_os = "linux"))]
    fn file_system(&self, _folder: &Path) -> FileSystem {
        FileSystem::default()
    }
}

#[cfg(target_os = "linux")]
fn mount_type(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let table = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mount_type_in(&table, folder.to_str()?)
}

/// Type of the innermost mount that holds `folder`, from the text of `mountinfo`.
#[cfg(any(target_os = "linux", test))]
fn mount_type_in(table: &str, folder: &str) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for line in table.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let (Some(point), Some(kind)) = (left.split(' ').nth(4), right.split(' ').next()) else { continue };
        let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n");
        let point = point.replace("\\134", "\\");
        let inside = Path::new(folder).starts_with(&point);
        // A later line of the same place lies over the earlier one.
        if inside && best.is_none_or(|(length, _)| point.len() >= length) {
            best = Some((point.len(), kind));
        }
    }
    best.map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(magic: u64, mount_type: Option<&str>) -> Option<String> {
        network_kind(&FileSystem { magic: Some(magic), mount_type: mount_type.map(str::to_owned) })
    }

    #[test]
    fn local_and_network_by_number() {
        let local =
            [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0x4d44, 0x5346_544e];
        for magic in local {
            assert_eq!(kind(magic, None), None, "{magic:#x}");
        }
        for (magic, name) in NETWORK {
            assert_eq!(kind(*magic, None).as_deref(), Some(*name));
        }
        assert_eq!(kind(0xffff_ffff_ff53_4d42, None).as_deref(), Some("CIFS"), "sign-extended");
        assert_eq!(network_kind(&FileSystem::default()), None);
    }

    #[test]
    fn fuse_by_its_mount_type() {
        assert_eq!(kind(FUSE, Some("fuse.sshfs")).as_deref(), Some("fuse.sshfs"));
        assert_eq!(kind(FUSE, Some("fuse.rclone\u{1b}")).as_deref(), Some("fuse.rclone"));
        assert_eq!(kind(FUSE, Some("fuseblk")), None);
        assert_eq!(kind(FUSE, Some("fuse.gocryptfs")), None);
        assert!(kind(FUSE, None).is_some());
    }

    #[test]
    fn the_innermost_mount_counts() {
        let table = "22 1 8:1 / / rw - ext4 /dev/sda rw\n\
                     30 22 0:40 / /home/my\\040data rw shared:1 - fuse.sshfs host: rw\n\
                     31 30 0:41 / /home/my\\040data/local rw - fuseblk /dev/sdb rw\n\
                     broken line\n";
        let type_of = |folder| mount_type_in(table, folder);
        assert_eq!(type_of("/home/my data/x").as_deref(), Some("fuse.sshfs"));
        assert_eq!(type_of("/home/my data/local").as_deref(), Some("fuseblk"));
        assert_eq!(type_of("/home/my database").as_deref(), Some("ext4"));
        assert_eq!(mount_type_in("", "/"), None);
    }

    #[test]
    fn the_system_answers_for_a_real_folder() {
        let answer = SystemProbe.file_system(&std::env::temp_dir());
        assert_eq!(answer.magic.is_some(), cfg!(target_os = "linux"));
    }
}
