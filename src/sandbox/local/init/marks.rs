//! Modes and times of files, for an ordinary user without namespaces.
//!
//! Landlock does not see when a program changes what a file *is*: its mode, its times. Where the program is the same user
//! as we are, that would reach every file of his on the machine; and a linker has to make its output executable.
//! Promises: such calls come to the init, which carries them out where the file lies in what the program may write to,
//! and refuses them elsewhere, whatever path or descriptor names it. Leaves to others: other marks, which are refused
//! (`filters`).

use rustix::fs::{AtFlags, Mode, OFlags, Timestamps};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Longest path, as the kernel has it.
const LONGEST: usize = 4096;

const FCHMODAT2: libc::c_long = 452;

/// The calls that come to the init.
const ASKED: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_utimensat,
];

/// Makes the calling process ask from now on; the descriptor on which it is answered.
pub fn ask() -> io::Result<OwnedFd> {
    let word = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let mut program = vec![word(load, 0, 0, 0)];
    for &call in ASKED {
        program.push(word(equal, 0, 1, u32::try_from(call).unwrap_or(u32::MAX)));
        program.push(word(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_USER_NOTIF));
    }
    program.push(word(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    let length = u16::try_from(program.len()).unwrap_or(0);
    let program = libc::sock_fprog { len: length, filter: program.as_mut_ptr() };
    // SAFETY: the program is as long as is said and outlives the call; the descriptor is new and ours. Calls of other
    // tables with these numbers are refused by the other filters.
    unsafe {
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        match i32::try_from(listener) {
            Ok(listener) if listener >= 0 => Ok(OwnedFd::from_raw_fd(listener)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Answers one call that waits. `writable`: what the program may write to.
pub fn answer(listener: &OwnedFd, writable: &[PathBuf]) -> io::Result<()> {
    // SAFETY: a structure of integers that the kernel wants zeroed and fills.
    let asked = unsafe {
        let mut asked: libc::seccomp_notif = std::mem::zeroed();
        if libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut asked) != 0 {
            return Err(io::Error::last_os_error());
        }
        asked
    };
    let done = carry_out(&asked, writable, || still_asks(listener, asked.id));
    let error = match done {
        Ok(()) => 0,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EPERM),
    };
    let mut answer = libc::seccomp_notif_resp { id: asked.id, val: 0, error, flags: 0 };
    // SAFETY: the structure outlives the call. Whoever asked may be dead: then nobody hears it.
    unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw mut answer) };
    Ok(())
}

/// The requests of the kernel's interface, with the sizes of its structures in them.
const RECEIVE: libc::Ioctl = request(3, 0, size_of::<libc::seccomp_notif>());
const SEND: libc::Ioctl = request(3, 1, size_of::<libc::seccomp_notif_resp>());
const VALID: libc::Ioctl = request(1, 2, size_of::<u64>());

const fn request(direction: libc::Ioctl, number: libc::Ioctl, size: usize) -> libc::Ioctl {
    (direction << 30) | ((size as libc::Ioctl) << 16) | ((b'!' as libc::Ioctl) << 8) | number
}

/// Whether the process that asked is still the one that waits: else its number may be another's by now.
fn still_asks(listener: &OwnedFd, id: u64) -> io::Result<()> {
    // SAFETY: the number outlives the call.
    let valid = unsafe { libc::ioctl(listener.as_raw_fd(), VALID, &raw const id) };
    if valid == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn carry_out(
    asked: &libc::seccomp_notif,
    writable: &[PathBuf],
    still_asks: impl Fn() -> io::Result<()>,
) -> io::Result<()> {
    let call = libc::c_long::from(asked.data.nr);
    let pid = asked.pid;
    let [a, b, c, d, ..] = asked.data.args;
    let here = u64::from(libc::AT_FDCWD.cast_unsigned());
    #[cfg(target_arch = "x86_64")]
    let by_path = call == libc::SYS_chmod;
    #[cfg(not(target_arch = "x86_64"))]
    let by_path = false;
    let (file, mode) = if by_path {
        (file(pid, here, a, 0)?, b)
    } else if call == libc::SYS_fchmod {
        (descriptor(pid, a)?, b)
    } else if call == libc::SYS_fchmodat {
        (file(pid, a, b, 0)?, c)
    } else if call == FCHMODAT2 {
        (file(pid, a, b, d)?, c)
    } else {
        let file = if b == 0 { descriptor(pid, a)? } else { file(pid, a, b, d)? };
        let times = times(pid, c)?;
        still_asks()?;
        let path = within(&file, writable)?;
        return Ok(rustix::fs::utimensat(rustix::fs::CWD, path, &times, AtFlags::empty())?);
    };
    still_asks()?;
    let path = within(&file, writable)?;
    let mode = Mode::from_raw_mode(u32::try_from(mode & 0o1777).unwrap_or(0));
    Ok(rustix::fs::chmod(path, mode)?)
}

/// The path that stands for a descriptor of ours, when what it is lies in one of these.
fn within(file: &OwnedFd, writable: &[PathBuf]) -> io::Result<PathBuf> {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    // The kernel's own word for where the file lies, with every link resolved.
    let lies = std::fs::read_link(&path)?;
    let inside = writable.iter().any(|folder| lies.starts_with(folder));
    let found = rustix::fs::fstat(file)?;
    let plain = [rustix::fs::FileType::RegularFile, rustix::fs::FileType::Directory];
    let plain = plain.contains(&rustix::fs::FileType::from_raw_mode(found.st_mode));
    if inside && plain { Ok(path) } else { Err(io::Error::from_raw_os_error(libc::EPERM)) }
}

/// Opens what a descriptor of a process is, without touching it.
fn descriptor(pid: u32, number: u64) -> io::Result<OwnedFd> {
    open(Path::new(&format!("/proc/{pid}/fd/{}", number as u32)), OFlags::empty())
}

/// Opens what a path of a process names, without touching it.
fn file(pid: u32, folder: u64, address: u64, flags: u64) -> io::Result<OwnedFd> {
    let text = text(pid, address)?;
    let follow = match i32::try_from(flags).unwrap_or(-1) {
        0 => OFlags::empty(),
        libc::AT_SYMLINK_NOFOLLOW => OFlags::NOFOLLOW,
        libc::AT_EMPTY_PATH if text.as_os_str().is_empty() => return descriptor(pid, folder),
        _ => return Err(io::Error::from_raw_os_error(libc::EINVAL)),
    };
    if text.as_os_str().is_empty() {
        return Err(io::Error::from_raw_os_error(libc::ENOENT));
    }
    let base = match folder as i32 {
        libc::AT_FDCWD => format!("/proc/{pid}/cwd"),
        number => format!("/proc/{pid}/fd/{number}"),
    };
    open(&Path::new(&base).join(text), follow)
}

fn open(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::PATH | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())?)
}

/// A text in the memory of a process.
fn text(pid: u32, address: u64) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let memory = std::fs::File::open(format!("/proc/{pid}/mem"))?;
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        // Never over the end of a page: what comes after it may not be there.
        let at = address.wrapping_add(bytes.len() as u64);
        let mut part = vec![0; 4096 - usize::try_from(at % 4096).unwrap_or(0)];
        let got = memory.read_at(&mut part, at)?;
        part.truncate(got);
        if let Some(end) = part.iter().position(|&byte| byte == 0) {
            part.truncate(end);
            bytes.extend(part);
            return Ok(std::ffi::OsString::from_vec(bytes).into());
        }
        if got == 0 {
            break;
        }
        bytes.extend(part);
    }
    Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG))
}

/// Two times in the memory of a process; none: now.
fn times(pid: u32, address: u64) -> io::Result<Timestamps> {
    let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW };
    if address == 0 {
        return Ok(Timestamps { last_access: now, last_modification: now });
    }
    let mut bytes = [0u8; 32];
    std::fs::File::open(format!("/proc/{pid}/mem"))?.read_exact_at(&mut bytes, address)?;
    let number = |index: usize| {
        let part = bytes.get(index * 8..index * 8 + 8).and_then(|part| part.try_into().ok());
        i64::from_ne_bytes(part.unwrap_or_default())
    };
    let time = |index: usize| rustix::fs::Timespec { tv_sec: number(index), tv_nsec: number(index + 1) };
    Ok(Timestamps { last_access: time(0), last_modification: time(2) })
}
