//! What attacks aim at, on the machine outside: listeners, files with secrets, a process that could be hurt.
//!
//! Promises: every target works, which is tried first from outside; all of it is gone afterwards, and what a killed
//! doctor left is removed by the next. Leaves to others: attacking (`attacks`), judging (`judge`).

use super::system;
use crate::sandbox::SandboxError;
use crate::sandbox::process::started;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How names of what a doctor leaves begin; its process and when that started follow.
const PREFIX: &str = "mendbench-doctor-";

/// The setting of the kernel that attacks try to change.
const CORE_PATTERN: &str = "/proc/sys/kernel/core_pattern";

/// Folders where control groups may lie.
pub const GROUPS: [&str; 3] = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"];

/// The targets.
pub struct Host {
    /// Unlike anything else.
    pub name: String,
    /// In the file of the home folder, and in the victim's environment; nobody is told.
    pub secret: String,
    /// A folder that everybody may write.
    pub open: PathBuf,
    /// A file with the secret that only this user may read.
    pub private: Vec<PathBuf>,
    /// Where TCP and UDP are listened to.
    pub addresses: Vec<SocketAddr>,
    /// Where UDP is.
    pub udp_addresses: Vec<SocketAddr>,
    /// Name of the abstract socket.
    pub abstract_name: String,
    /// Path of the socket in a folder.
    pub socket: PathBuf,
    /// The port between virtual machines, and machines on which it is reached; empty where there is no such thing.
    pub vsock: Option<(u32, Vec<u32>)>,
    core_pattern: Option<String>,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: [UnixListener; 2],
    vsock_listener: Option<OwnedFd>,
    victim: Option<Child>,
}

fn system_error(doing: &str) -> impl Fn(io::Error) -> SandboxError + '_ {
    move |source| SandboxError::System { doing: format!("preparing the doctor: {doing}"), source }
}

/// The address of this machine that others would use.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: this only asks the kernel which way it would go.
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_loopback())
}

fn vsock() -> Option<(OwnedFd, u32, Vec<u32>)> {
    let (listener, port) = system::vsock_listen().ok()?;
    let reached: Vec<u32> = (1..=3)
        .filter(|machine| {
            let connected = system::vsock_connect(*machine, port);
            connected.is_ok() && system::vsock_was_reached(&listener, 500)
        })
        .collect();
    if reached.is_empty() { None } else { Some((listener, port, reached)) }
}

impl Host {
    /// Makes the targets and tries each.
    pub fn new() -> Result<Host, SandboxError> {
        reap();
        let pid = std::process::id();
        let started = started(pid).unwrap_or(0);
        let unique = || uuid::Uuid::now_v7().simple().to_string();
        // The end of it is random.
        let name = format!("{PREFIX}{pid}-{started}-{}", unique().get(20..).unwrap_or_default());
        let secret = format!("secret-{}", unique());

        let open = std::env::temp_dir().join(&name);
        std::fs::create_dir(&open).map_err(system_error("a folder"))?;
        let tcp = TcpListener::bind("0.0.0.0:0").map_err(system_error("a TCP listener"))?;
        let udp = UdpSocket::bind("0.0.0.0:0").map_err(system_error("a UDP socket"))?;
        let port = tcp.local_addr().map_err(system_error("a TCP listener"))?.port();
        let udp_port = udp.local_addr().map_err(system_error("a UDP socket"))?.port();
        let hosts: Vec<IpAddr> =
            [Some(IpAddr::from([127, 0, 0, 1])), own_address()].into_iter().flatten().collect();
        let abstract_address =
            UnixAddress::from_abstract_name(&name).map_err(system_error("an abstract socket"))?;
        let socket = open.join("socket");
        let unix = [
            UnixListener::bind_addr(&abstract_address).map_err(system_error("an abstract socket"))?,
            UnixListener::bind(&socket).map_err(system_error("a socket"))?,
        ];
        let vsock = vsock();
        let mut host = Host {
            open,
            private: Vec::new(),
            addresses: hosts.iter().map(|host| SocketAddr::new(*host, port)).collect(),
            udp_addresses: hosts.iter().map(|host| SocketAddr::new(*host, udp_port)).collect(),
            abstract_name: name.clone(),
            socket,
            vsock: vsock.as_ref().map(|(_, port, machines)| (*port, machines.clone())),
            core_pattern: std::fs::read_to_string(CORE_PATTERN).ok(),
            tcp,
            udp,
            unix,
            vsock_listener: vsock.map(|(listener, ..)| listener),
            victim: None,
            name,
            secret,
        };
        host.prepare().map_err(system_error("its targets"))?;
        host.revive().map_err(system_error("a process"))?;
        Ok(host)
    }

    fn prepare(&mut self) -> io::Result<()> {
        let mode =
            |path: &Path, mode: u32| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
        mode(&self.open, 0o777)?;
        mode(&self.socket, 0o777)?;
        for (name, rights) in [("kept", 0o666), ("kept.gone", 0o666)] {
            std::fs::write(self.open.join(name), "kept")?;
            mode(&self.open.join(name), rights)?;
        }
        let mut places = vec![self.open.join("private")];
        if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
            places.push(home.join(format!(".{}", self.name)));
        }
        for place in places {
            // A home that cannot be written is none to be read either.
            let made = std::fs::write(&place, &self.secret).and_then(|()| mode(&place, 0o600));
            if made.is_ok() {
                self.private.push(place);
            }
        }
        self.tcp.set_nonblocking(true)?;
        self.udp.set_nonblocking(true)?;
        for listener in &self.unix {
            listener.set_nonblocking(true)?;
        }
        // What nobody can reach would never be reached by an attack either.
        for address in &self.addresses {
            TcpStream::connect_timeout(address, Duration::from_secs(2))?.write_all(b"control")?;
            if !self.tcp_reached("control") {
                return Err(io::Error::other("the TCP listener cannot be reached"));
            }
        }
        for address in &self.udp_addresses {
            UdpSocket::bind("0.0.0.0:0")?.send_to(b"control", address)?;
            if !self.udp_reached("control") {
                return Err(io::Error::other("the UDP socket cannot be reached"));
            }
        }
        let address = UnixAddress::from_abstract_name(&self.abstract_name)?;
        UnixStream::connect_addr(&address)?.write_all(b"control")?;
        UnixStream::connect(&self.socket)?.write_all(b"control")?;
        if self.unix_reached("control").len() != 2 {
            return Err(io::Error::other("the sockets cannot be reached"));
        }
        Ok(())
    }

    /// Whether somebody who knows this word came by TCP.
    pub fn tcp_reached(&self, word: &str) -> bool {
        let mut reached = false;
        while let Ok((stream, _)) = self.tcp.accept() {
            let known = stream
                .set_nonblocking(false)
                .and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(1))))
                .is_ok();
            reached |= known && says(stream, word);
        }
        reached
    }

    /// Whether somebody who knows this word came by UDP.
    pub fn udp_reached(&self, word: &str) -> bool {
        let mut buffer = [0; 256];
        let mut reached = false;
        while let Ok((length, _)) = self.udp.recv_from(&mut buffer) {
            reached |= buffer.get(..length).is_some_and(|bytes| bytes == word.as_bytes());
        }
        reached
    }

    /// By which sockets somebody came who knows this word.
    pub fn unix_reached(&self, word: &str) -> Vec<&'static str> {
        let mut reached = Vec::new();
        for (listener, kind) in self.unix.iter().zip(["the abstract socket", "the socket in a folder"]) {
            while let Ok((stream, _)) = listener.accept() {
                let known = stream
                    .set_nonblocking(false)
                    .and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(1))))
                    .is_ok();
                if known && says(stream, word) {
                    reached.push(kind);
                }
            }
        }
        reached
    }

    /// Whether anybody came from a virtual machine, or this one.
    pub fn vsock_reached(&self) -> bool {
        self.vsock_listener.as_ref().is_some_and(|listener| system::vsock_was_reached(listener, 0))
    }

    /// Starts the process that could be hurt, if it does not live: a group of its own, the secret in its environment. It
    /// ends when we do, for then its input ends.
    pub fn revive(&mut self) -> io::Result<()> {
        if self.victim_lives() {
            return Ok(());
        }
        let mut command = Command::new("cat");
        command.env(super::attacks::CANARY, &self.secret).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        self.victim = Some(command.spawn()?);
        Ok(())
    }

    /// Its number.
    pub fn victim(&self) -> u32 {
        self.victim.as_ref().map_or(0, Child::id)
    }

    /// Whether it lives.
    pub fn victim_lives(&mut self) -> bool {
        self.victim.as_mut().is_some_and(|victim| matches!(victim.try_wait(), Ok(None)))
    }

    /// Files outside of every sandbox that attacks try to write.
    pub fn outside(&self) -> Vec<PathBuf> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let planted = format!("{}-planted", self.name);
        [Some("/tmp".into()), Some("/var/tmp".into()), Some("/dev/shm".into()), home, Some("/".into())]
            .into_iter()
            .flatten()
            .map(|folder: PathBuf| folder.join(&planted))
            .chain([self.open.join("planted"), self.open.join("kept")])
            .collect()
    }

    /// What was written or removed outside; put right again.
    pub fn outside_changes(&self) -> Vec<String> {
        let mut changes = Vec::new();
        for path in self.outside() {
            if path.ends_with("kept") {
                if std::fs::read_to_string(&path).is_ok_and(|text| text != "kept") {
                    changes.push(format!("changed {}", path.display()));
                    // A target that cannot be put right is told of once more.
                    let _ = std::fs::write(&path, "kept");
                }
            } else if std::fs::remove_file(&path).is_ok() {
                changes.push(format!("wrote {}", path.display()));
            }
        }
        let removable = self.open.join("kept.gone");
        if !removable.exists() {
            changes.push(format!("removed {}", removable.display()));
            let _ = std::fs::write(&removable, "kept");
        }
        changes
    }

    /// What was changed of the kernel's settings and groups; put right again.
    pub fn kernel_changes(&self, marker: &str) -> Vec<String> {
        let mut changes = Vec::new();
        let now = std::fs::read_to_string(CORE_PATTERN).ok();
        if now != self.core_pattern {
            changes.push(format!("changed {CORE_PATTERN}"));
            if let Some(before) = &self.core_pattern {
                // Whoever may not write it could not have changed it.
                let _ = std::fs::write(CORE_PATTERN, before);
            }
        }
        for folder in GROUPS {
            if std::fs::remove_dir(Path::new(folder).join(marker)).is_ok() {
                changes.push(format!("made a control group in {folder}"));
            }
        }
        changes
    }

    /// Numbers and paths of the disk that holds the root of the file system.
    pub fn disks(&self) -> (Vec<String>, Vec<String>) {
        let device = std::fs::metadata("/").map(|root| root.dev()).unwrap_or(0);
        let numbers = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        let link = std::fs::read_link(format!("/sys/dev/block/{numbers}"));
        let path = link.ok().and_then(|link| Some(format!("/dev/{}", link.file_name()?.to_str()?)));
        (vec![numbers], path.into_iter().collect())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(mut victim) = self.victim.take() {
            // It may be dead already.
            let _ = victim.kill();
            let _ = victim.wait();
        }
        for path in &self.private {
            // What cannot be removed, the next doctor tries again.
            let _ = std::fs::remove_file(path);
        }
        let _ = std::fs::remove_dir_all(&self.open);
    }
}

fn says(mut stream: impl Read, word: &str) -> bool {
    let mut bytes = vec![0; word.len()];
    loop {
        match stream.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result.is_ok() && bytes == word.as_bytes(),
        }
    }
}

/// Removes what doctors left that were killed.
fn reap() {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    for folder in [Some(std::env::temp_dir()), home].into_iter().flatten() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.trim_start_matches('.').strip_prefix(PREFIX))
            else {
                continue;
            };
            let mut numbers = rest.split('-').map(|part| part.parse::<u64>().ok());
            let (Some(Some(pid)), Some(since)) = (numbers.next(), numbers.next()) else { continue };
            if since.is_some() && started(u32::try_from(pid).unwrap_or(0)) == since {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // Another user's cannot be removed, nor need be.
            let _ = if is_folder {
                std::fs::remove_dir_all(entry.path())
            } else {
                std::fs::remove_file(entry.path())
            };
        }
    }
}
