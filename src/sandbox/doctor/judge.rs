//! What an attack came to, by what the machine shows.
//!
//! Promises: `Stopped` needs an attack that started and a machine that shows no trace of success. Leaves to others:
//! running it (`mod`), the targets (`host`).

use super::host::Host;
use super::watch::look;
use super::{Attack, Cell, MIB, Outcome, Trial};
use crate::sandbox::{Exit, Kind, Sandbox, TreeFile};
use crate::text::sanitise;

/// What an overshoot is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Processes.
    Processes,
    /// Milliseconds.
    Milliseconds,
}

impl Unit {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Processes => "processes",
            Unit::Milliseconds => "milliseconds",
        }
    }
}

/// By how much a bound was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overshoot {
    /// The bound.
    pub limit: u64,
    /// By how much it was passed at most; 0: it held exactly.
    pub by: u64,
    /// What is still taken for holding: what measuring from outside, and around our own program, adds.
    pub allowed: u64,
    /// What these are counted in.
    pub unit: Unit,
}

impl Overshoot {
    fn of(peak: u64, limit: u64, allowed: u64, unit: Unit) -> Overshoot {
        Overshoot { limit, by: peak.saturating_sub(limit), allowed, unit }
    }

    /// Whether it is more than is allowed for.
    pub fn is_too_much(&self) -> bool {
        self.by > self.allowed
    }
}

/// What an overshoot of time may be: a grace before killing, and what starting and ending cost on a busy machine.
const TIME_ALLOWED: u64 = 3500;

/// Bytes of memory that may be taken, on a busy machine, between two looks of a supervisor.
pub const UNSEEN: u64 = 256 * MIB;

/// What was found.
struct Finding {
    leaks: Vec<String>,
    overshoot: Option<Overshoot>,
    held: String,
    /// Why nothing is proven, where what had to be seen of the attack was not.
    unproven: Option<String>,
}

impl Finding {
    fn new(leaks: Vec<String>, held: &str) -> Finding {
        Finding { leaks, overshoot: None, held: held.to_owned(), unproven: None }
    }

    fn bound(peak: u64, limit: u64, allowed: u64, unit: Unit, held: &str) -> Finding {
        let overshoot = Overshoot::of(peak, limit, allowed, unit);
        let leaks = if overshoot.is_too_much() {
            vec![format!("reached {peak} {} of {limit}", unit.as_str())]
        } else {
            Vec::new()
        };
        Finding { leaks, overshoot: Some(overshoot), held: held.to_owned(), unproven: None }
    }

    fn also(mut self, leak: bool, what: &str) -> Finding {
        if leak {
            self.leaks.push(what.to_owned());
        }
        self
    }
}

/// Judges an attack that has run.
pub fn cell(sandbox: &mut dyn Sandbox, host: &mut Host, trial: &Trial) -> Cell {
    let mut finding = find(sandbox, host, trial);
    let alive = look(&trial.marker).processes.max(trial.after.processes);
    if alive > 0 {
        finding.leaks.push(format!("{alive} processes live on"));
    }
    // Any secret that is seen was not to be seen, by whatever way it came.
    if trial.text().contains(&host.secret) {
        finding.leaks.push("a secret was read".to_owned());
    }
    let began = trial.text().lines().any(|line| line == "attempting");
    if !began {
        finding.unproven = Some(format!("the attack did not start: {}", trial.report.exit));
    }
    // What had to be refused cannot have been, by who did not try.
    let outcome = if !finding.leaks.is_empty() && began {
        Outcome::Leaked
    } else if let Some(unproven) = finding.unproven {
        finding.leaks.clear();
        finding.held = unproven;
        Outcome::NotAttempted
    } else {
        Outcome::Stopped
    };
    let detail = if finding.leaks.is_empty() { finding.held } else { finding.leaks.join("; ") };
    Cell {
        rung: trial.report.rung,
        attack: trial.attack,
        outcome,
        mechanism: mechanism(trial),
        overshoot: finding.overshoot,
        detail: sanitise(&detail).chars().take(400).collect(),
    }
}

fn mechanism(trial: &Trial) -> String {
    let held = &trial.report.mechanisms;
    let mut names: Vec<&str> = Vec::new();
    for bound in trial.attack.bounds() {
        for mechanism in held.iter().filter(|mechanism| mechanism.bound == *bound) {
            if !names.contains(&mechanism.by.as_str()) {
                names.push(&mechanism.by);
            }
        }
    }
    names.join(", ")
}

/// What it says it did, as leaks: for what cannot be seen from outside, saying so is enough to be believed.
fn confessed(trial: &Trial, start: &str) -> Vec<String> {
    trial.did().into_iter().filter(|what| what.starts_with(start)).collect()
}

fn over_time(trial: &Trial) -> Finding {
    // Measured by the rung, outside of the sandbox.
    let took = (trial.report.seconds * 1000.0) as u64;
    let exit = trial.report.exit.to_string();
    Finding::bound(took, trial.limits.time_ms, TIME_ALLOWED, Unit::Milliseconds, &exit)
        .also(!confessed(trial, "outlive").is_empty(), "it ended by itself, after its time")
}

fn find(sandbox: &mut dyn Sandbox, host: &mut Host, trial: &Trial) -> Finding {
    let (marker, limits, report) = (&trial.marker, &trial.limits, &trial.report);
    let reached = |reached: bool, what: &str| if reached { vec![what.to_owned()] } else { Vec::new() };
    match trial.attack {
        Attack::Tcp => {
            Finding::new(reached(host.tcp_reached(marker), "the listener was reached"), "not reached")
        }
        Attack::Udp => Finding::new(reached(host.udp_reached(marker), "a datagram came"), "nothing came"),
        Attack::UnixSocket => {
            let leaks = host.unix_reached(marker).into_iter().map(|socket| format!("{socket} was reached"));
            Finding::new(leaks.collect(), "not reached")
        }
        Attack::Vsock => {
            Finding::new(reached(host.vsock_reached(), "the listener was reached"), "not reached")
        }
        Attack::WriteOutside => Finding::new(host.outside_changes(), "nothing was written"),
        Attack::ReadHome => Finding::new(Vec::new(), "no secret was read"),
        Attack::ReadEnvironment => Finding::new(Vec::new(), "no secret was read"),
        Attack::Link => links(sandbox, host),
        Attack::Devices => {
            let mut leaks = confessed(trial, "open device");
            let made = sandbox.list(1000).map(|listing| listing.entries).unwrap_or_default();
            leaks.extend(
                made.iter()
                    .filter(|entry| entry.kind == Kind::Other)
                    .map(|entry| format!("made {}", entry.path)),
            );
            Finding::new(leaks, "none was opened or made")
        }
        Attack::KernelSettings => Finding::new(host.kernel_changes(marker), "nothing was changed"),
        Attack::UserNamespace => Finding::new(confessed(trial, "enter"), "refused")
            .also(trial.seen.namespaces.len() > 1, "processes in several user namespaces were seen"),
        Attack::Signal => {
            Finding::new(reached(!host.victim_lives(), "the process was killed"), "the process lives")
        }
        Attack::Trace => over_time(trial)
            .also(!host.victim_lives(), "the process was traced and killed")
            .also(matches!(report.exit, Exit::Broken(_)), "the sandbox was broken from inside"),
        Attack::Daemon => {
            let left = trial.seen.processes > 0 || report.lingered > 0;
            let held = format!("{} left behind, all killed", report.lingered);
            let unproven = (!left).then(|| "nobody saw the daemon".to_owned());
            Finding { unproven, ..Finding::new(Vec::new(), &held) }
        }
        Attack::IgnoreSignals => {
            over_time(trial).also(report.exit != Exit::Timeout, "it was not ended for its time")
        }
        Attack::Output => {
            let kept = [&report.stdout, &report.stderr].map(|kept| kept.head.len() + kept.tail.len());
            let held = format!("ended: {}", report.exit);
            // What is under way in pipes when it is ended; none of it is kept.
            let allowed = limits.output_total / 2;
            Finding::bound(trial.heard, limits.output_total, allowed, Unit::Bytes, &held)
                .also(report.exit != Exit::OutputLimit, "it was not ended for its output")
                .also(kept.iter().any(|kept| *kept as u64 > limits.output), "more was kept than is allowed")
        }
        Attack::Processes => {
            let peak = trial.reached().saturating_add(1).max(trial.seen.processes);
            Finding::bound(peak, limits.processes, 4, Unit::Processes, &format!("{peak} at once"))
        }
        Attack::Memory => {
            // Without a control group, somebody looks from time to time and kills.
            let watched = mechanism(trial).contains("supervisor");
            // What the parts say they reached is added up, and one that is being killed gives its share back before it
            // is seen to have ended: where the host has seen the attack at work, its own sum counts.
            let at_work = trial.seen.memory >= limits.memory / 2;
            let peak =
                if at_work && !watched { trial.seen.memory } else { trial.reached().max(trial.seen.memory) };
            let held = format!("{} MiB at once, {}", peak / MIB, report.exit);
            let allowed = if watched { UNSEEN } else { 64 * MIB };
            Finding::bound(peak, limits.memory, allowed, Unit::Bytes, &held)
                .also(report.exit == Exit::Code(0), "nothing was refused")
        }
        Attack::OneFile => {
            let held = format!("{} MiB at once, {}", trial.reached() / MIB, report.exit);
            Finding::bound(trial.reached(), limits.disk, MIB, Unit::Bytes, &held)
                .also(report.exit == Exit::Code(0), "nothing was refused")
        }
        Attack::ManyFiles => {
            let held = format!("{} files, {}", trial.reached(), report.exit);
            Finding::bound(trial.reached().saturating_mul(4096), limits.disk, MIB, Unit::Bytes, &held)
                .also(report.exit == Exit::Code(0), "nothing was refused")
        }
    }
}

/// The host goes where the links lead, if it lets itself be led.
fn links(sandbox: &mut dyn Sandbox, host: &Host) -> Finding {
    let mut leaks = Vec::new();
    let listed = sandbox.list(1000).map(|listing| listing.entries).unwrap_or_default();
    let laid = listed.iter().filter(|entry| entry.kind == Kind::Other).count();
    let unproven = (laid == 0).then(|| "no link was laid".to_owned());
    if listed.iter().any(|entry| entry.path.contains('/')) {
        leaks.push("the list goes through a link".to_owned());
    }
    let open = host.open.display().to_string();
    let open = open.trim_start_matches('/');
    for path in [
        "link-to-file".to_owned(),
        "hard-link".to_owned(),
        "link-to-folder/kept".to_owned(),
        "link-up/kept".to_owned(),
        format!("link-to-root/{open}/kept"),
    ] {
        if matches!(sandbox.read(&path, 1000), Ok(Some(_))) {
            leaks.push(format!("{path} was read"));
        }
    }
    for path in ["link-to-folder/kept.gone", "link-up/kept.gone"] {
        // Whether it says that it could is not the point: the file is there, or not.
        let _ = sandbox.remove(path);
    }
    for path in ["link-to-folder/planted", "link-up/planted", "link-to-file"] {
        let _ = sandbox.put(&[TreeFile { path, bytes: b"planted", executable: false }]);
    }
    for private in &host.private {
        if std::fs::read_to_string(private).is_ok_and(|text| text != host.secret) {
            leaks.push("a file was written through a link".to_owned());
        }
    }
    leaks.extend(host.outside_changes());
    Finding { unproven, ..Finding::new(leaks, "the host was not led astray") }
}
