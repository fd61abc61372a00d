//! The few calls that attacks need and that have no safe form elsewhere.
//!
//! Promises: each wraps one system call and gives what it says. Leaves to others: why anybody would (`attacks`).

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// The result of a call that gives a negative number on failure.
fn checked(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A signal that cannot be ignored cannot be tried here.
pub fn ignore_signal(number: i32) {
    // SAFETY: SIG_IGN is a valid disposition, and no handler of ours is replaced that anything relies on.
    unsafe { libc::signal(number, libc::SIG_IGN) };
}

/// Sends a signal.
pub fn kill(process: i32, signal: i32) -> io::Result<()> {
    // SAFETY: kill takes two numbers and touches no memory of ours.
    checked(i64::from(unsafe { libc::kill(process, signal) })).map(drop)
}

/// Begins to trace a process; it is stopped.
pub fn trace(process: i32) -> io::Result<()> {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: PTRACE_ATTACH ignores both pointers.
    checked(unsafe { libc::ptrace(libc::PTRACE_ATTACH, process, none, none) }).map(drop)
}

/// Lets a traced process go, with this signal.
pub fn let_go(process: i32, signal: i32) -> io::Result<()> {
    let mut status = 0;
    // SAFETY: the status is ours to write to; WNOHANG never blocks.
    unsafe { libc::waitpid(process, &raw mut status, libc::__WALL) };
    let none = std::ptr::null_mut::<libc::c_void>();
    let data = std::ptr::without_provenance_mut::<libc::c_void>(usize::try_from(signal).unwrap_or(0));
    // SAFETY: PTRACE_DETACH ignores the address and takes the signal's number as data.
    checked(unsafe { libc::ptrace(libc::PTRACE_DETACH, process, none, data) }).map(drop)
}

/// Reads memory of another process.
pub fn read_memory(process: i32, address: usize, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0u8; length];
    let mine = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
    let theirs = libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: length };
    // SAFETY: our vector names the buffer above, which outlives the call; theirs is an address in another process.
    let read = checked(
        unsafe { libc::process_vm_readv(process, &raw const mine, 1, &raw const theirs, 1, 0) } as i64,
    )?;
    bytes.truncate(usize::try_from(read).unwrap_or(0));
    Ok(bytes)
}

/// Moves this process, which has one thread, into new namespaces.
pub fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: unshare takes a number and touches no memory of ours.
    checked(i64::from(unsafe { libc::unshare(flags) })).map(drop)
}

/// A stream socket between virtual machines.
fn vsock() -> io::Result<OwnedFd> {
    // SAFETY: socket takes three numbers.
    let number = checked(i64::from(unsafe {
        libc::socket(libc::AF_VSOCK, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0)
    }))?;
    // SAFETY: the number is a descriptor that was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(i32::try_from(number).unwrap_or(-1)) })
}

fn vsock_address(machine: u32, port: u32) -> (libc::sockaddr_vm, libc::socklen_t) {
    // SAFETY: all fields are numbers, for which zero is valid.
    let mut address: libc::sockaddr_vm = unsafe { std::mem::zeroed() };
    address.svm_family = libc::AF_VSOCK as libc::sa_family_t;
    address.svm_cid = machine;
    address.svm_port = port;
    (address, size_of::<libc::sockaddr_vm>() as libc::socklen_t)
}

/// Connects to a port of a virtual machine; 1 is this one.
pub fn vsock_connect(machine: u32, port: u32) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    let socket = vsock()?;
    let (address, length) = vsock_address(machine, port);
    // SAFETY: the address is of the length given and outlives the call.
    checked(i64::from(unsafe { libc::connect(socket.as_raw_fd(), (&raw const address).cast(), length) }))?;
    Ok(socket)
}

/// Listens on some port for connections between virtual machines; the port.
pub fn vsock_listen() -> io::Result<(OwnedFd, u32)> {
    use std::os::fd::AsRawFd;
    let socket = vsock()?;
    let (mut address, mut length) = vsock_address(libc::VMADDR_CID_ANY, libc::VMADDR_PORT_ANY);
    let number = socket.as_raw_fd();
    // SAFETY: the address is of the length given and outlives the call.
    checked(i64::from(unsafe { libc::bind(number, (&raw const address).cast(), length) }))?;
    // SAFETY: listen takes two numbers.
    checked(i64::from(unsafe { libc::listen(number, 8) }))?;
    // SAFETY: address and length are ours to write to, and of the sizes said.
    checked(i64::from(unsafe { libc::getsockname(number, (&raw mut address).cast(), &raw mut length) }))?;
    Ok((socket, address.svm_port))
}

/// Whether somebody has connected, within so many milliseconds.
pub fn vsock_was_reached(listener: &OwnedFd, milliseconds: i32) -> bool {
    use std::os::fd::AsRawFd;
    let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor is named and outlives the call.
    if unsafe { libc::poll(&raw mut poll, 1, milliseconds) } != 1 {
        return false;
    }
    // SAFETY: both pointers may be null: nobody wants the address.
    let number = unsafe { libc::accept(listener.as_raw_fd(), std::ptr::null_mut(), std::ptr::null_mut()) };
    if number >= 0 {
        // SAFETY: the number is a descriptor that was just made and belongs to nobody else.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
    }
    number >= 0
}
