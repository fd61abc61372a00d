//! What the tests of the sandbox share: rungs that stand, and short ways to run something in one.

use mendbench::sandbox::local::Ladder;
use mendbench::sandbox::{Deaf, ExecReport, ExecRequest, Exit, Limits, Provider, Rung, Sandbox, TreeFile};
use mendbench::task::Command;
use std::path::PathBuf;

pub const MIB: u64 = 1 << 20;

/// A ladder with the real binary.
pub fn ladder() -> Ladder {
    Ladder::new().with_helper(PathBuf::from(env!("CARGO_BIN_EXE_mendbench"))).unsafe_local(true)
}

/// Limits that suffice for a shell.
pub fn limits() -> Limits {
    Limits {
        memory: 256 * MIB,
        disk: 32 * MIB,
        file: 32 * MIB,
        processes: 32,
        time_ms: 120_000,
        ..Limits::default()
    }
}

/// Does something on each rung that stands.
pub fn on_each(rungs: &[Rung], mut what: impl FnMut(Rung, &dyn Provider)) {
    let ladder = ladder();
    for &rung in rungs {
        match ladder.on(rung) {
            Ok(provider) => what(rung, provider.as_ref()),
            Err(error) => say(&format!("skipped on {rung}: {error}")),
        }
    }
}

/// Tells whoever runs the tests.
pub fn say(what: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// All rungs that hold something.
pub const HELD: [Rung; 3] = [Rung::Bubblewrap, Rung::Namespaces, Rung::Landlock];

/// All local rungs.
pub const ALL: [Rung; 4] = [Rung::Bubblewrap, Rung::Namespaces, Rung::Landlock, Rung::Unsafe];

/// A line for a shell.
pub fn shell(line: &str) -> ExecRequest {
    ExecRequest::new(Command::Shell(line.to_owned()), limits())
}

/// Runs a line.
pub fn run(sandbox: &mut dyn Sandbox, line: &str) -> ExecReport {
    sandbox.execute(&shell(line), &mut Deaf).unwrap()
}

/// Runs a line that has to work; what it wrote.
pub fn output(sandbox: &mut dyn Sandbox, line: &str) -> String {
    let report = run(sandbox, line);
    assert_eq!(report.exit, Exit::Code(0), "{} on {}: {line}\n{}", report.exit, report.rung, both(&report));
    report.stdout.text()
}

/// Both outputs.
pub fn both(report: &ExecReport) -> String {
    format!("{}{}", report.stdout.text(), report.stderr.text())
}

/// Lays one file.
pub fn put(sandbox: &mut dyn Sandbox, path: &str, text: &str) {
    sandbox.put(&[TreeFile { path, bytes: text.as_bytes(), executable: false }]).unwrap();
}
