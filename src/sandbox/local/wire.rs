//! What a host and the init of one of its sandboxes say to each other, over a socket pair.
//!
//! Promises: whole frames (a length, then JSON), descriptors beside them, no frame over a bound; an end of the stream is
//! an error of kind `UnexpectedEof`. Code under test never holds either end. Leaves to others: what is done about it.

use super::layout::Layout;
use crate::sandbox::{Limits, Program, Rung};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Longest frame, bytes.
const LONGEST: usize = 64 << 20;

/// Most descriptors beside a frame.
const MOST_DESCRIPTORS: usize = 4;

/// What an init is to make. Descriptors beside it: the `cgroup.procs` files that programs join.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Setup {
    /// The rung it stands on.
    pub rung: Rung,
    /// What is seen inside.
    pub layout: Layout,
    /// User and group that programs run as.
    pub user: User,
    /// Limits of the sandbox.
    pub limits: Limits,
    /// The work tree: its path as code inside sees it.
    pub work: PathBuf,
    /// The folder for temporary files, likewise.
    pub temporary: PathBuf,
    /// Folders put first in `PATH`.
    pub search: Vec<PathBuf>,
    /// Whether a control group bounds the memory.
    pub memory_bounded: bool,
    /// Whether a control group bounds the processes.
    pub processes_bounded: bool,
    /// Where the root of a namespace can be laid down; on other rungs nothing.
    pub staging: Option<PathBuf>,
}

/// Who programs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Whether the init is root and drops to it; else it is the user that we are.
    pub dropped: bool,
}

/// What an init is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// Start a program; descriptors beside it: its standard output and standard error.
    Start(Start),
    /// Kill what runs.
    Kill,
    /// The program has ended and its output too, or long enough was waited: kill what is left and answer.
    Sweep,
}

/// A program to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// What is run.
    pub program: Program,
    /// Variables beside the usual ones.
    pub environment: BTreeMap<String, String>,
    /// Folder inside the work tree.
    pub folder: String,
    /// Paths of the work tree not to be changed.
    pub read_only: Vec<String>,
    /// Limits, never above those of the sandbox.
    pub limits: Limits,
}

/// What an init answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// It stands; the descriptor beside it is the root of the work tree.
    Ready(Ready),
    /// It does not, and why.
    Failed(String),
    /// A program could not be started, and why.
    NotStarted(String),
    /// The sandbox could not do what was asked, and why.
    Broken(String),
    /// The program has ended.
    Ended(Ended),
    /// Nothing of it is left.
    Swept(Swept),
}

/// What a standing init says of itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ready {
    /// The generation of Landlock that holds; 0: none.
    pub landlock: u32,
    /// Whether signals and sockets are scoped by Landlock.
    pub scoped: bool,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Ended {
    /// Its exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Seconds that it ran.
    pub seconds: f64,
    /// Whether its time ran out and it was killed for that.
    pub timed_out: bool,
}

/// What is known after everything was killed.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Swept {
    /// Processes that were left and were killed.
    pub lingered: usize,
    /// Most memory at once that was seen by the supervisor or of one process, bytes.
    pub peak: u64,
    /// Whether the supervisor killed it for its memory.
    pub out_of_memory: bool,
    /// Whether the disk was full, now or when the supervisor looked.
    pub disk_full: bool,
    /// Whether the supervisor killed processes for their number.
    pub thinned: bool,
}

/// Sends one frame.
pub fn send(stream: &UnixStream, message: &impl Serialize, beside: &[BorrowedFd<'_>]) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).ok().filter(|&length| length as usize <= LONGEST);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the request is too long"))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !beside.is_empty() && !control.push(SendAncillaryMessage::ScmRights(beside)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many descriptors beside a frame"));
    }
    let header = length.to_le_bytes();
    let sent = rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(stream, &[IoSlice::new(&header)], &mut control, SendFlags::NOSIGNAL)
    })?;
    let mut writer = stream;
    writer.write_all(header.get(sent..).unwrap_or_default())?;
    writer.write_all(&body)
}

/// Receives one frame, waiting for it.
pub fn receive<T: DeserializeOwned>(stream: &UnixStream) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut header = [0u8; 4];
    let mut beside = Vec::new();
    let got = {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let message = rustix::io::retry_on_intr(|| {
            let mut parts = [IoSliceMut::new(&mut header)];
            rustix::net::recvmsg(stream, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)
        })?;
        for part in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = part {
                beside.extend(descriptors);
            }
        }
        message.bytes
    };
    if got == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut reader = stream;
    if let Some(rest) = header.get_mut(got..) {
        reader.read_exact(rest)?;
    }
    let length = u32::from_le_bytes(header) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame that is too long"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((serde_json::from_slice(&body)?, beside))
}

/// A pair of ends that no program inherits.
pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
    UnixStream::pair()
}

/// Waits until one of these can be read or was closed, at most so long; the answer says which.
pub fn wait(on: &[BorrowedFd<'_>], at_most: Option<std::time::Duration>) -> io::Result<Vec<bool>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut polled: Vec<PollFd<'_>> =
        on.iter().map(|one| PollFd::from_borrowed_fd(one.as_fd(), PollFlags::IN)).collect();
    let at_most = at_most.map(|time| Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    });
    match poll(&mut polled, at_most.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_descriptors_arrive_whole_and_an_end_is_an_error() {
        let (one, two) = pair().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        let long = "x".repeat(100_000);
        let sent = long.clone();
        let sender = std::thread::spawn(move || {
            send(&one, &sent, &[]).unwrap();
            send(&one, &Order::Sweep, &[reader.as_fd()]).unwrap();
        });
        assert_eq!(receive::<String>(&two).unwrap().0, long);
        let (order, mut beside) = receive::<Order>(&two).unwrap();
        assert!(matches!(order, Order::Sweep));
        writer.write_all(b"through").unwrap();
        drop(writer);
        let mut read = String::new();
        std::fs::File::from(beside.remove(0)).read_to_string(&mut read).unwrap();
        assert_eq!(read, "through");
        sender.join().unwrap();
        assert_eq!(receive::<Order>(&two).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
