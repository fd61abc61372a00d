//! The attacking side: what runs inside a sandbox and tries to get out.
//!
//! Promises: each attack is bounded, so that it does no lasting harm where nothing stops it; it says `attempting` when
//! it starts and what it reached. Nobody takes its word for having been stopped. Leaves to others: what it is told
//! to aim at, and what it means (`judge`).

use super::system;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// First argument of our own program when it is to attack.
pub const ATTACK: &str = "__sandbox-attack";

/// The variable of the process outside that holds a secret.
pub const CANARY: &str = "MENDBENCH_CANARY";

/// How long what waits to be killed waits at most: nothing stays where nothing kills it.
const LIFE: Duration = Duration::from_secs(8);

/// What an attack is told: its name and `key=value` words.
struct Orders {
    words: Vec<String>,
}

impl Orders {
    fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.words.iter().filter_map(move |word| word.strip_prefix(key)?.strip_prefix('='))
    }

    fn one<'a>(&'a self, key: &'a str) -> &'a str {
        self.all(key).next().unwrap_or_default()
    }

    fn number(&self, key: &str) -> u64 {
        self.one(key).parse().unwrap_or(0)
    }
}

fn say(line: &str) {
    // Where nobody listens there is nothing to say.
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{line}");
    let _ = stdout.flush();
}

fn tell(what: &str, result: std::io::Result<()>) {
    match result {
        Ok(()) => say(&format!("did {what}")),
        Err(error) => say(&format!("failed {what}: {error}")),
    }
}

/// This program again, in another part.
fn again(part: &str, marker: &str, more: &[String]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args([ATTACK, part, &format!("marker={marker}")]).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Carries out an attack; the words are its name and its orders. Gives the exit code.
pub fn attack(words: Vec<String>) -> i32 {
    let Some((name, words)) = words.split_first() else { return 2 };
    let orders = Orders { words: words.to_vec() };
    match name.as_str() {
        "wait" => {
            std::thread::sleep(LIFE);
            return 0;
        }
        "eat" => return eat(&orders),
        "detach" => return detach(&orders),
        "enter-namespace" => return enter_namespace(),
        _ => say("attempting"),
    }
    match name.as_str() {
        "tcp" => tcp(&orders),
        "udp" => udp(&orders),
        "unix-socket" => unix_socket(&orders),
        "vsock" => vsock(&orders),
        "write-outside" => write_outside(&orders),
        "read-home" => read_home(&orders),
        "read-environment" => read_environment(),
        "processes" => processes(&orders),
        "memory" => memory(&orders),
        "one-file" => one_file(&orders),
        "many-files" => many_files(&orders),
        "output" => output(&orders),
        "ignore-signals" => ignore_signals(),
        "daemon" => daemon(&orders),
        "trace" => trace(&orders),
        "link" => link(&orders),
        "devices" => devices(&orders),
        "user-namespace" => user_namespace(&orders),
        "signal" => signal(&orders),
        "kernel-settings" => kernel_settings(&orders),
        _ => return 2,
    }
    0
}

fn tcp(orders: &Orders) {
    for address in orders.all("to").filter_map(|to| to.parse::<SocketAddr>().ok()) {
        let result = TcpStream::connect_timeout(&address, Duration::from_secs(1))
            .and_then(|mut stream| stream.write_all(orders.one("marker").as_bytes()));
        tell(&format!("tcp {address}"), result);
    }
}

fn udp(orders: &Orders) {
    for address in orders.all("to").filter_map(|to| to.parse::<SocketAddr>().ok()) {
        let result = UdpSocket::bind("0.0.0.0:0")
            .and_then(|socket| socket.send_to(orders.one("marker").as_bytes(), address).map(drop));
        tell(&format!("udp {address}"), result);
    }
}

fn unix_socket(orders: &Orders) {
    let greet = |mut stream: UnixStream| stream.write_all(orders.one("marker").as_bytes());
    let address = UnixAddress::from_abstract_name(orders.one("abstract"));
    tell("abstract socket", address.and_then(|address| UnixStream::connect_addr(&address)).and_then(greet));
    tell("socket in a folder", UnixStream::connect(orders.one("path")).and_then(greet));
}

fn vsock(orders: &Orders) {
    let port = u32::try_from(orders.number("port")).unwrap_or(0);
    for machine in orders.all("machine").filter_map(|machine| machine.parse().ok()) {
        tell(&format!("vsock {machine}"), system::vsock_connect(machine, port).map(drop));
    }
}

/// Ways to the root of other processes, which may lead out.
fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("/")];
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) && roots.len() < 200
        {
            roots.push(entry.path().join("root"));
        }
    }
    roots
}

fn write_outside(orders: &Orders) {
    for path in orders.all("file") {
        for root in roots() {
            let path = root.join(path.trim_start_matches('/'));
            let result = std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)
                .and_then(|mut file| file.write_all(orders.one("marker").as_bytes()));
            if result.is_ok() || root == Path::new("/") {
                tell(&format!("write {}", path.display()), result);
            }
        }
        tell(&format!("remove {path}"), std::fs::remove_file(Path::new(path).with_extension("gone")));
    }
}

fn read_home(orders: &Orders) {
    for path in orders.all("file") {
        for root in roots() {
            let path = root.join(path.trim_start_matches('/'));
            match std::fs::read_to_string(&path) {
                Ok(text) => say(&format!("did read: {text}")),
                Err(error) if root == Path::new("/") => say(&format!("failed read: {error}")),
                Err(_) => {}
            }
        }
    }
}

fn read_environment() {
    let mut seen = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let folder = entry.path();
        if folder.join("environ").exists() && folder.file_name() != Some("self".as_ref()) {
            seen += 1;
            // Only what was put there for this: nobody else's secrets are wanted.
            let bytes = std::fs::read(folder.join("environ")).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for variable in text.split('\0').filter(|variable| variable.starts_with(CANARY)) {
                say(&format!("did read {}: {variable}", folder.display()));
            }
        }
    }
    say(&format!("saw {seen} processes"));
}

fn processes(orders: &Orders) {
    let marker = orders.one("marker");
    let (mut children, mut refused, mut most) = (Vec::new(), 0, 0);
    while (children.len() as u64) < orders.number("most") && refused < 20 {
        match again("wait", marker, &[]).spawn() {
            Ok(child) => children.push(child),
            Err(_) => {
                refused += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let alive =
            children.iter_mut().filter_map(|child| child.try_wait().ok()).filter(Option::is_none).count();
        most = most.max(alive);
        if children.len() % 8 == 0 || refused > 0 {
            say(&format!("reached {most}"));
        }
    }
    say(&format!("reached {most}"));
    std::thread::sleep(Duration::from_millis(300));
    for mut child in children {
        // It may be dead already.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Touches memory, in steps, telling each.
fn eat(orders: &Orders) -> i32 {
    const STEP: usize = 4 << 20;
    let mut held: Vec<Vec<u8>> = Vec::new();
    while (held.len() * STEP) < usize::try_from(orders.number("most")).unwrap_or(0) {
        held.push(vec![1; STEP]);
        say(&format!("reached {}", held.len() * STEP));
    }
    std::thread::sleep(Duration::from_secs(1));
    i32::from(held.len() == usize::MAX)
}

fn memory(orders: &Orders) {
    const PARTS: u64 = 4;
    let most = format!("most={}", orders.number("most") / PARTS);
    let mut children: Vec<_> = (0..PARTS)
        .filter_map(|_| {
            again("eat", orders.one("marker"), std::slice::from_ref(&most))
                .stdout(Stdio::piped())
                .spawn()
                .ok()
        })
        .collect();
    let (sender, receiver) = std::sync::mpsc::channel();
    for (number, child) in children.iter_mut().enumerate() {
        let (sender, Some(mut pipe)) = (sender.clone(), child.stdout.take()) else { continue };
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                let text = String::from_utf8_lossy(buffer.get(..read).unwrap_or_default()).into_owned();
                let last =
                    text.lines().filter_map(|line| line.strip_prefix("reached ")?.parse::<u64>().ok()).max();
                if let Some(bytes) = last
                    && sender.send((number, bytes)).is_err()
                {
                    return;
                }
            }
        });
    }
    drop(sender);
    let mut parts = vec![0u64; children.len()];
    while let Ok((number, bytes)) = receiver.recv() {
        if let Some(part) = parts.get_mut(number) {
            *part = bytes;
        }
        // Those that were killed hold nothing any more.
        for (child, part) in children.iter_mut().zip(&mut parts) {
            if child.try_wait().is_ok_and(|ended| ended.is_some_and(|status| !status.success())) {
                *part = 0;
            }
        }
        say(&format!("reached {}", parts.iter().sum::<u64>()));
    }
    let killed = children
        .into_iter()
        .filter_map(|mut child| child.wait().ok())
        .filter(|status| !status.success())
        .count();
    if killed > 0 {
        say(&format!("lost {killed}"));
        std::process::exit(9);
    }
}

fn places() -> Vec<PathBuf> {
    let temporary = std::env::var_os("TMPDIR").map(PathBuf::from);
    [Some(PathBuf::from(".")), temporary, Some("/tmp".into()), Some("/dev/shm".into())]
        .into_iter()
        .flatten()
        .collect()
}

fn one_file(orders: &Orders) {
    let (most, marker) = (orders.number("most"), orders.one("marker"));
    // A file that may not grow is to be an error, so that the next one can be tried.
    system::ignore_signal(libc::SIGXFSZ);
    let block = vec![1u8; 1 << 18];
    let mut written = 0u64;
    let mut names: Vec<PathBuf> = Vec::new();
    for place in places() {
        // Several, for a single file is bounded as well.
        for number in 0..8 {
            let name = place.join(format!("{marker}-{number}"));
            let Ok(mut file) = std::fs::File::create(&name) else { break };
            names.push(name);
            while written < most {
                match file.write(&block) {
                    Ok(bytes @ 1..) => written += bytes as u64,
                    _ => break,
                }
                if written.is_multiple_of(1 << 20) {
                    say(&format!("reached {written}"));
                }
            }
        }
    }
    say(&format!("reached {written}"));
    for name in names {
        // What cannot be removed goes with the sandbox.
        let _ = std::fs::remove_file(name);
    }
    std::process::exit(i32::from(written < most));
}

fn many_files(orders: &Orders) {
    let folder = PathBuf::from(format!("{}-many", orders.one("marker")));
    let mut made = 0u64;
    if std::fs::create_dir(&folder).is_ok() {
        while made < orders.number("most") {
            if std::fs::write(folder.join(made.to_string()), b"x").is_err() {
                break;
            }
            made += 1;
            if made.is_multiple_of(256) {
                say(&format!("reached {made}"));
            }
        }
    }
    say(&format!("reached {made}"));
    // What cannot be removed goes with the sandbox.
    let _ = std::fs::remove_dir_all(&folder);
    std::process::exit(i32::from(made < orders.number("most")));
}

fn output(orders: &Orders) {
    let block = [b'y'; 1 << 16];
    let mut stdout = std::io::stdout().lock();
    let mut written = 0u64;
    while written < orders.number("most") && stdout.write_all(&block).is_ok() {
        written += block.len() as u64;
    }
}

fn ignore_signals() {
    for number in 1..32 {
        system::ignore_signal(number);
    }
    let until = Instant::now() + LIFE;
    while Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    say("did outlive its time");
}

/// The middle one of three generations.
fn detach(orders: &Orders) -> i32 {
    // Where it leads a group already it is as far away.
    let _ = rustix::process::setsid();
    for number in [libc::SIGHUP, libc::SIGTERM] {
        system::ignore_signal(number);
    }
    i32::from(again("wait", orders.one("marker"), &[]).spawn().is_err())
}

fn daemon(orders: &Orders) {
    let middle = again("detach", orders.one("marker"), &[]).status();
    tell(
        "leave a grandchild behind",
        middle.and_then(|status| {
            if status.success() { Ok(()) } else { Err(std::io::Error::other("it could not be started")) }
        }),
    );
    std::thread::sleep(Duration::from_millis(300));
}

fn parent() -> i32 {
    rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get())
}

/// Reads a stack of a process for what lies there: arguments and environment.
fn steal(process: i32) -> std::io::Result<String> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps"))?;
    let line = maps.lines().find(|line| line.ends_with("[stack]"));
    let ends = line.and_then(|line| line.split(' ').next()?.split_once('-'));
    let Some((_, end)) = ends else { return Err(std::io::Error::other("no stack is shown")) };
    let end = usize::from_str_radix(end, 16).unwrap_or(0);
    let length = 16 << 10;
    let bytes = system::read_memory(process, end.saturating_sub(length), length)?;
    Ok(String::from_utf8_lossy(&bytes).replace('\0', " "))
}

fn trace(orders: &Orders) {
    let victims: Vec<i32> = orders.all("victim").filter_map(|victim| victim.parse().ok()).collect();
    for process in victims {
        match steal(process) {
            Ok(text) => say(&format!("did read memory of {process}: {text}")),
            Err(error) => say(&format!("failed memory of {process}: {error}")),
        }
        let traced = system::trace(process);
        if traced.is_ok() {
            // Killed while it is traced: that is seen from outside.
            let _ = system::let_go(process, libc::SIGKILL);
        }
        tell(&format!("trace of {process}"), traced);
    }
    // Whoever watches over us is shot, if it lets itself be traced: then nobody may be left to end us. Only a watcher
    // of a sandbox: without one the parent is somebody else's, and the first process is the machine's.
    let above = parent();
    let words = std::fs::read(format!("/proc/{above}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).into_owned();
    let mut words = words.split('\0');
    let program = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let is_init = words.next() == Some("__sandbox-init");
    if is_init || matches!(program, "bwrap" | "timeout" | "docker-init" | "tini") {
        let traced = system::trace(above);
        if traced.is_ok() {
            // That it is gone already is as good.
            let _ = system::let_go(above, libc::SIGKILL);
        }
        tell("trace of the process above", traced);
    }
    std::thread::sleep(LIFE);
    say("did outlive its time");
}

fn link(orders: &Orders) {
    let link = |target: &str, name: &str| {
        tell(&format!("link {name}"), std::os::unix::fs::symlink(target, name));
    };
    link(orders.one("file"), "link-to-file");
    link(orders.one("folder"), "link-to-folder");
    link("/", "link-to-root");
    let up = "../".repeat(40);
    link(&format!("{up}{}", orders.one("folder").trim_start_matches('/')), "link-up");
    tell("hard link", std::fs::hard_link(orders.one("file"), "hard-link"));
}

fn devices(orders: &Orders) {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let numbers = |word: &str| {
        let (major, minor) = word.split_once(':')?;
        Some(makedev(major.parse().ok()?, minor.parse().ok()?))
    };
    let wanted = [("memory", FileType::CharacterDevice, Some(makedev(1, 1)))];
    let disks = orders.all("disk").map(|disk| ("disk", FileType::BlockDevice, numbers(disk)));
    for (number, (what, kind, device)) in wanted.into_iter().chain(disks).enumerate() {
        let Some(device) = device else { continue };
        let name = format!("device-{number}");
        let made = mknodat(CWD, name.as_str(), kind, Mode::RUSR | Mode::WUSR, device);
        tell(&format!("make a device of {what}"), made.map_err(std::io::Error::from));
        peek(&name);
    }
    let raw = ["/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm"].map(str::to_owned);
    for path in raw.into_iter().chain(orders.all("path").map(str::to_owned)) {
        peek(&path);
    }
}

fn peek(path: &str) {
    let mut bytes = [0; 64];
    let read = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags_nonblocking()
        .open(path)
        .and_then(|mut file| file.read(&mut bytes));
    tell(&format!("open device {path}"), read.map(drop));
}

/// Opening a device must not wait for it.
trait Nonblocking {
    fn custom_flags_nonblocking(&mut self) -> &mut Self;
}

impl Nonblocking for std::fs::OpenOptions {
    fn custom_flags_nonblocking(&mut self) -> &mut Self {
        use std::os::unix::fs::OpenOptionsExt;
        self.custom_flags(libc::O_NONBLOCK)
    }
}

/// Runs with one thread: a process with more cannot change its user namespace.
fn enter_namespace() -> i32 {
    let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWNET;
    match system::unshare(flags).or_else(|_| system::unshare(libc::CLONE_NEWUSER)) {
        Ok(()) => {
            say("did enter a user namespace");
            // Long enough to be seen from outside.
            std::thread::sleep(Duration::from_millis(500));
            0
        }
        Err(error) => {
            say(&format!("failed user namespace: {error}"));
            1
        }
    }
}

fn user_namespace(orders: &Orders) {
    let child = again("enter-namespace", orders.one("marker"), &[]).stdout(Stdio::inherit()).status();
    tell(
        "start in a user namespace",
        child.and_then(
            |status| {
                if status.success() { Ok(()) } else { Err(std::io::Error::other("refused")) }
            },
        ),
    );
}

fn signal(orders: &Orders) {
    for process in orders.all("victim").filter_map(|victim| victim.parse().ok()) {
        tell(&format!("kill {process}"), system::kill(process, libc::SIGKILL));
        let group = system::kill(-process, libc::SIGKILL);
        tell(&format!("kill group {process}"), group);
    }
}

fn kernel_settings(orders: &Orders) {
    let marker = orders.one("marker");
    for root in roots() {
        let path = root.join("proc/sys/kernel/core_pattern");
        let result = std::fs::write(&path, marker);
        if result.is_ok() || root == Path::new("/") {
            tell(&format!("write {}", path.display()), result);
        }
    }
    for folder in orders.all("group") {
        tell(
            &format!("make a control group in {folder}"),
            std::fs::create_dir(Path::new(folder).join(marker)),
        );
    }
    let remount = Command::new("mount").args(["-o", "remount,rw", "/proc/sys"]).status();
    tell(
        "remount",
        remount.and_then(
            |status| {
                if status.success() { Ok(()) } else { Err(std::io::Error::other("refused")) }
            },
        ),
    );
}
