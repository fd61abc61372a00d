//! Proves the bounds of a sandbox by attacking them.
//!
//! Promises: each attack runs in a sandbox as untrusted code would; whether it was stopped is judged by what the machine
//! outside shows (a listener that was reached, a secret in the output, a file that is there, a process that lives, a
//! bound that was passed by more than is allowed for), never by the attacker's word alone. An attack that did not start
//! proves nothing and counts as a failure. Leaves to others: making sandboxes (the rungs), showing (`cli`).

mod attacks;
mod host;
mod judge;
mod system;
mod watch;

pub use attacks::{ATTACK, attack};
pub use judge::{Overshoot, Unit};

use super::{
    ExecReport, ExecRequest, Exit, Limits, OutputSink, Program, Provider, Rung, Sandbox, SandboxError, Stream,
};
use crate::task::Command;
use host::Host;
use std::collections::BTreeMap;
use watch::{Seen, Watch};

const MIB: u64 = 1 << 20;

/// How an attack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was tried and came to nothing.
    Stopped,
    /// It reached something, or passed a bound.
    Leaked,
    /// It could not be tried: that proves nothing.
    NotAttempted,
}

impl Outcome {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Stopped => "stopped",
            Outcome::Leaked => "leaked",
            Outcome::NotAttempted => "not-attempted",
        }
    }
}

/// One attack on one rung.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The rung.
    pub rung: Rung,
    /// The attack.
    pub attack: Attack,
    /// How it ended.
    pub outcome: Outcome,
    /// What holds this bound, as the sandbox names it; empty where it names nothing.
    pub mechanism: String,
    /// By how much a bound was passed, where it is one that can be.
    pub overshoot: Option<Overshoot>,
    /// What was seen, for people; sanitised.
    pub detail: String,
}

impl Cell {
    /// Whether it was stopped: tried, and came to nothing.
    pub fn stopped(&self) -> bool {
        self.outcome == Outcome::Stopped
    }
}

impl Attack {
    /// Whether it leaves its sandbox as it was.
    fn is_quiet(self) -> bool {
        use Attack::*;
        matches!(
            self,
            Tcp | Udp
                | UnixSocket
                | Vsock
                | WriteOutside
                | ReadHome
                | ReadEnvironment
                | KernelSettings
                | UserNamespace
                | Signal
        )
    }
}

macro_rules! attacks {
    ($($variant:ident = $name:literal, $title:literal, [$($bound:literal),+];)+) => {
        /// The attacks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Attack {
            $(#[doc = $title] $variant,)+
        }

        impl Attack {
            /// All, in the order in which they are tried.
            pub const ALL: &'static [Attack] = &[$(Attack::$variant,)+];

            /// Its name in JSON and inside the sandbox.
            pub fn as_str(self) -> &'static str {
                match self { $(Attack::$variant => $name,)+ }
            }

            /// What it tries, for people.
            pub fn title(self) -> &'static str {
                match self { $(Attack::$variant => $title,)+ }
            }

            /// The bounds that are to stop it, as mechanisms name them.
            pub fn bounds(self) -> &'static [&'static str] {
                match self { $(Attack::$variant => &[$($bound),+],)+ }
            }
        }
    };
}

attacks! {
    Tcp = "tcp", "connect by TCP", ["network"];
    Udp = "udp", "send by UDP", ["network"];
    UnixSocket = "unix-socket", "connect to Unix sockets", ["network", "files"];
    Vsock = "vsock", "connect to the hypervisor", ["network", "system calls"];
    WriteOutside = "write-outside", "write outside the tree", ["files"];
    ReadHome = "read-home", "read private files", ["files", "user"];
    ReadEnvironment = "read-environment", "read others' environments", ["other processes", "user"];
    Link = "link", "lead the host astray by links", ["files"];
    Devices = "devices", "open or make devices", ["files", "user"];
    KernelSettings = "kernel-settings", "change kernel settings", ["files", "user"];
    UserNamespace = "user-namespace", "nest user namespaces", ["system calls"];
    Signal = "signal", "kill processes outside", ["other processes", "user"];
    Trace = "trace", "trace processes outside", ["other processes", "system calls"];
    Daemon = "daemon", "leave a daemon behind", ["other processes", "processes"];
    IgnoreSignals = "ignore-signals", "outlive the time limit", ["time"];
    Output = "output", "write output without end", ["output"];
    Processes = "processes", "fork bomb", ["processes"];
    Memory = "memory", "memory bomb, in parts", ["memory"];
    OneFile = "one-file", "fill the disk, big files", ["disk"];
    ManyFiles = "many-files", "fill the disk, many files", ["disk"];
}

/// Limits that attacks run into: small, so that this takes seconds.
pub fn limits() -> Limits {
    Limits {
        time_ms: 20_000,
        memory: 192 * MIB,
        processes: 32,
        disk: 16 * MIB,
        file: 8 * MIB,
        output: 64 << 10,
        output_total: 8 * MIB,
    }
}

/// The limits of one attack.
fn limits_of(attack: Attack) -> Limits {
    match attack {
        Attack::IgnoreSignals | Attack::Trace => Limits { time_ms: 1500, ..limits() },
        _ => limits(),
    }
}

/// Everything that is known after an attack has run.
struct Trial {
    attack: Attack,
    /// Unlike that of any other attack.
    marker: String,
    limits: Limits,
    report: ExecReport,
    /// What was seen while it ran.
    seen: Seen,
    /// What was still there when it was said to have ended.
    after: Seen,
    /// Bytes of output that came.
    heard: u64,
}

impl Trial {
    /// What it printed.
    fn text(&self) -> String {
        format!("{}\n{}", self.report.stdout.text(), self.report.stderr.text())
    }

    /// The most that it says it reached.
    fn reached(&self) -> u64 {
        let text = self.text();
        text.lines().filter_map(|line| line.strip_prefix("reached ")?.trim().parse().ok()).max().unwrap_or(0)
    }

    /// What it says it did.
    fn did(&self) -> Vec<String> {
        self.text().lines().filter_map(|line| line.strip_prefix("did ").map(str::to_owned)).collect()
    }
}

/// Counts what comes.
struct Ear(u64);

impl OutputSink for Ear {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

/// Tries every attack on sandboxes of this provider. `progress` hears what is tried. An attack for which this machine has
/// no target (no sockets between virtual machines) is left out.
///
/// # Errors
/// The targets of the attacks cannot be made.
pub fn examine(provider: &dyn Provider, progress: &mut dyn FnMut(&str)) -> Result<Vec<Cell>, SandboxError> {
    let mut host = Host::new()?;
    let mut cells = Vec::new();
    let mut used: Option<Box<dyn Sandbox>> = None;
    for (number, attack) in Attack::ALL.iter().enumerate() {
        if *attack == Attack::Vsock && host.vsock.is_none() {
            continue;
        }
        progress(&format!(
            "{}: {} ({} of {})",
            provider.rung(),
            attack.title(),
            number + 1,
            Attack::ALL.len()
        ));
        let marker = format!("{}-{number}", host.name);
        let revived = host.revive();
        revived
            .map_err(|source| SandboxError::System { doing: "starting a process to hurt".into(), source })?;
        cells.push(one(provider, &mut host, *attack, marker, &mut used));
    }
    if let Some(sandbox) = used {
        sandbox.clean()?;
    }
    Ok(cells)
}

/// One attack, in the sandbox of the one before where neither leaves anything in it.
fn one(
    provider: &dyn Provider,
    host: &mut Host,
    attack: Attack,
    marker: String,
    used: &mut Option<Box<dyn Sandbox>>,
) -> Cell {
    let mut tried = || {
        let mut sandbox = match used.take() {
            Some(sandbox) if attack.is_quiet() => sandbox,
            Some(sandbox) => {
                sandbox.clean()?;
                provider.make(&limits_of(attack))?
            }
            None => provider.make(&limits_of(attack))?,
        };
        let trial = run(sandbox.as_mut(), host, attack, marker.clone())?;
        let cell = judge::cell(sandbox.as_mut(), host, &trial);
        if attack.is_quiet() && trial.report.exit == Exit::Code(0) {
            *used = Some(sandbox);
        } else {
            sandbox.clean()?;
        }
        Ok(cell)
    };
    tried().unwrap_or_else(|error: SandboxError| Cell {
        rung: provider.rung(),
        attack,
        outcome: Outcome::NotAttempted,
        mechanism: String::new(),
        overshoot: None,
        detail: crate::text::sanitise(&error.to_string()).into_owned(),
    })
}

fn run(
    sandbox: &mut dyn Sandbox,
    host: &Host,
    attack: Attack,
    marker: String,
) -> Result<Trial, SandboxError> {
    let limits = limits_of(attack);
    let mut words = vec![ATTACK.to_owned(), attack.as_str().to_owned(), format!("marker={marker}")];
    words.extend(orders(host, attack, &limits));
    let request = ExecRequest {
        program: Program::Own(words),
        environment: BTreeMap::new(),
        ..ExecRequest::new(Command::Arguments(Vec::new()), limits)
    };
    let watch = Watch::begin(&marker);
    let mut ear = Ear(0);
    let report = sandbox.execute(&request, &mut ear);
    let after = watch::look(&marker);
    let seen = watch.end();
    Ok(Trial { attack, marker, limits, report: report?, seen, after, heard: ear.0 })
}

/// What an attack is to aim at.
fn orders(host: &Host, attack: Attack, limits: &Limits) -> Vec<String> {
    fn words(key: &str, values: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
        values.into_iter().map(|value| format!("{key}={}", value.to_string())).collect()
    }
    let paths = |key: &str, paths: &[std::path::PathBuf]| words(key, paths.iter().map(|path| path.display()));
    match attack {
        Attack::Tcp => words("to", &host.addresses),
        Attack::Udp => words("to", &host.udp_addresses),
        Attack::UnixSocket => {
            [words("abstract", [&host.abstract_name]), words("path", [host.socket.display()])].concat()
        }
        Attack::Vsock => {
            let (port, machines) = host.vsock.clone().unwrap_or_default();
            [words("port", [port]), words("machine", machines)].concat()
        }
        Attack::WriteOutside => paths("file", &host.outside()),
        Attack::ReadHome => paths("file", &host.private),
        Attack::Link => [
            paths("file", &host.private[..1.min(host.private.len())]),
            words("folder", [host.open.display()]),
        ]
        .concat(),
        Attack::Devices => {
            let (numbers, paths) = host.disks();
            [words("disk", numbers), words("path", paths)].concat()
        }
        Attack::KernelSettings => words("group", host::GROUPS),
        Attack::Signal | Attack::Trace => words("victim", [host.victim()]),
        Attack::Processes => words("most", [limits.processes * 3]),
        // Far more than a supervisor lets through before it looks.
        Attack::Memory => words("most", [limits.memory + 2 * judge::UNSEEN]),
        Attack::OneFile => words("most", [limits.disk * 3]),
        Attack::ManyFiles => words("most", [limits.disk * 3 / 4096]),
        Attack::Output => words("most", [limits.output_total * 4]),
        Attack::ReadEnvironment | Attack::UserNamespace | Attack::Daemon | Attack::IgnoreSignals => {
            Vec::new()
        }
    }
}
