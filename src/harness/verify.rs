//! `verify`: from a request to a report.
//!
//! Promises: the order of DESIGN §6 (see the room's page), whatever the candidate does; every end has a verdict; a failure
//! of the sandbox, the machine or a missing tool is `infra-error`, never a failure of the code; the sandbox is cleaned
//! before this returns. Leaves to others: which request a task makes ([`super::plan`]), caching ([`super::cache`]).

use super::blobs::Blobs;
use super::guarded::Guarded;
use super::program;
use super::report::{RefusedChange, Step, VerifyReport};
use super::request::VerifyRequest;
use super::watch::{Cancel, Happening, State, Watcher};
use crate::report::dig::{Ground, Stage, dig};
use crate::report::{Parser, Reader, Report, Verdict, judge};
use crate::sandbox::{
    ExecReport, ExecRequest, Exit, OutputSink, Provider, Sandbox, SandboxError, Stream, TreeFile,
};
use crate::task::Command;
use crate::task::paths::check_path;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Entries of a tree that are looked at for additions that match protected patterns.
const MOST_ENTRIES: usize = 100_000;
/// Protected files that are held one by one; of more, their folders are.
const MOST_HELD: usize = 256;
/// Largest JUnit file that is read, bytes.
const MOST_JUNIT: u64 = 64 << 20;

/// Verifies. See the room's page for the order of steps.
pub fn verify(
    request: &VerifyRequest,
    blobs: &dyn Blobs,
    provider: &dyn Provider,
    cancel: &Cancel,
    watcher: &mut dyn Watcher,
) -> VerifyReport {
    let began = Instant::now();
    let mut job = Job { request, blobs, cancel, watcher, report: unfinished(request) };
    match job.run(provider) {
        Ok(()) => {}
        Err(Trouble::Sandbox(error)) => job.conclude(Verdict::InfraError, error.to_string()),
        Err(Trouble::Blob(why)) => job.conclude(Verdict::InfraError, why),
    }
    if cancel.is_cancelled() && job.report.verdict == Verdict::InfraError {
        job.conclude(Verdict::NotRun, "cancelled".to_owned());
    }
    job.watcher.happened(Happening::State(State::Done));
    let mut report = job.report;
    report.seconds = began.elapsed().as_secs_f64();
    report
}

/// A report that says nothing yet.
fn unfinished(request: &VerifyRequest) -> VerifyReport {
    VerifyReport {
        v: 1,
        request: request.id(),
        verdict: Verdict::NotRun,
        why: "not run".to_owned(),
        rung: None,
        mechanisms: Vec::new(),
        applied: Vec::new(),
        refused: Vec::new(),
        removed: Vec::new(),
        steps: Vec::new(),
        report: Report { parser: request.parser, ..Report::default() },
        unmet: Vec::new(),
        failure: None,
        missing_tool: false,
        notes: Vec::new(),
        seconds: 0.0,
    }
}

enum Trouble {
    Sandbox(SandboxError),
    Blob(String),
}

impl From<SandboxError> for Trouble {
    fn from(error: SandboxError) -> Trouble {
        Trouble::Sandbox(error)
    }
}

struct Job<'a> {
    request: &'a VerifyRequest,
    blobs: &'a dyn Blobs,
    cancel: &'a Cancel,
    watcher: &'a mut dyn Watcher,
    report: VerifyReport,
}

/// Bytes of a file and whether it can be run.
type Bytes = (Arc<[u8]>, bool);
/// The tree that is tested, by path.
type Laid = BTreeMap<String, Bytes>;

impl Job<'_> {
    fn run(&mut self, provider: &dyn Provider) -> Result<(), Trouble> {
        if self.cancel.is_cancelled() {
            self.conclude(Verdict::NotRun, "cancelled".to_owned());
            return Ok(());
        }
        self.watcher.happened(Happening::State(State::Preparing));
        let mut sandbox = provider.make(&self.request.limits)?;
        self.report.rung = Some(sandbox.rung());
        self.watcher.happened(Happening::Rung(sandbox.rung()));
        let guard = self.cancel.guard(sandbox.killer());
        let result = self.steps(sandbox.as_mut());
        drop(guard);
        self.watcher.happened(Happening::State(State::Cleaning));
        if let Err(error) = sandbox.clean() {
            self.report.notes.push(error.to_string());
        }
        result
    }

    fn steps(&mut self, sandbox: &mut dyn Sandbox) -> Result<(), Trouble> {
        self.watcher.happened(Happening::State(State::Applying));
        let original = self.original()?;
        let guarded = Guarded::new(&self.request.protected, original.keys().map(String::as_str));
        let laid = self.apply(&original, &guarded)?;
        put(sandbox, laid.iter())?;

        let mut left = self.request.limits.time_ms;
        for command in &self.request.build {
            self.watcher.happened(Happening::State(State::Building));
            let done = self.execute(sandbox, Stage::Build, command, left, Vec::new(), &mut None)?;
            left = left.saturating_sub(milliseconds(done.seconds));
            if !self.built(&done, command, sandbox.work(), &laid) {
                return Ok(());
            }
            if left == 0 {
                self.conclude(Verdict::Timeout, "time ran out while building".to_owned());
                return Ok(());
            }
        }
        let held: Vec<(&String, &Bytes)> = original.iter().filter(|(path, _)| guarded.holds(path)).collect();
        if !self.request.build.is_empty() {
            let restored = put(sandbox, held.iter().copied())
                .and_then(|()| self.remove_additions(sandbox, &original, &guarded));
            match restored {
                Ok(None) => {}
                Ok(Some(why)) => {
                    self.conclude(Verdict::BuildError, why);
                    return Ok(());
                }
                // What a build leaves is the build's: names that nobody can remove, folders that are closed, a full disk.
                Err(
                    error @ (SandboxError::Path { .. }
                    | SandboxError::System { .. }
                    | SandboxError::Full { .. }),
                ) => {
                    let why = format!("what the build left cannot be put right: {error}");
                    self.conclude(Verdict::BuildError, why);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
        let junit = junit_file(self.request);
        if let Some(path) = &junit {
            sandbox.remove(path)?;
        }
        let folders = guarded.folders();
        let inside = |path: &str| folders.iter().any(|folder| path.starts_with(&format!("{folder}/")));
        let single = held.iter().map(|(path, _)| path.as_str()).filter(|path| !inside(path));
        let mut read_only = read_only(single);
        read_only.extend(folders.iter().map(|folder| (*folder).to_owned()));
        self.test(sandbox, &laid, read_only, left, junit)
    }

    /// The tree before the change.
    fn original(&self) -> Result<Laid, Trouble> {
        let mut tree = Laid::new();
        for entry in &self.request.tree {
            if let Err(why) = check_path(&entry.path) {
                return Err(SandboxError::Path { path: entry.path.clone(), why }.into());
            }
            let bytes = self.blobs.bytes(&entry.blob).map_err(Trouble::Blob)?;
            tree.insert(entry.path.clone(), (bytes, entry.executable));
        }
        Ok(tree)
    }

    /// The tree with the allowed changes; the others are noted.
    fn apply(&mut self, original: &Laid, guarded: &Guarded<'_>) -> Result<Laid, Trouble> {
        let mut tree = original.clone();
        for change in &self.request.changes {
            let path = &change.path;
            let refusal = match (check_path(path), guarded.refuses(path)) {
                (Err(why), _) => Some((why.to_string(), false)),
                (Ok(()), Some(why)) => Some((why, true)),
                (Ok(()), None) => blocked(&tree, path).map(|why| (why, false)),
            };
            if let Some((why, protected)) = refusal {
                self.report.refused.push(RefusedChange { path: path.clone(), why, protected });
                continue;
            }
            match &change.blob {
                Some(blob) => {
                    let bytes = self.blobs.bytes(blob).map_err(Trouble::Blob)?;
                    let was_executable = original.get(path).is_some_and(|(_, executable)| *executable);
                    tree.insert(path.clone(), (bytes, was_executable));
                }
                None => {
                    tree.remove(path);
                }
            }
            self.report.applied.push(path.clone());
        }
        Ok(tree)
    }

    /// Whether a build command did its work; if not, the verdict is made.
    fn built(&mut self, done: &Done, command: &Command, root: &str, laid: &Laid) -> bool {
        let verdict = match &done.exit {
            Exit::Code(0) => return true,
            Exit::Cancelled => Verdict::NotRun,
            Exit::Timeout => Verdict::Timeout,
            Exit::OutOfMemory => Verdict::OutOfMemory,
            Exit::Broken(_) => Verdict::InfraError,
            Exit::NotStarted(_) if !program::is_of_the_tree(command) => Verdict::InfraError,
            _ => Verdict::BuildError,
        };
        if let Some(missing) = program::missing_tool(command, &done.exit, &done.text)
            && self.is_missing(missing)
        {
            return false;
        }
        let why = match (&done.exit, verdict) {
            (Exit::NotStarted(why), Verdict::InfraError) => program::not_started(command, why),
            (exit, _) => format!("the build `{}`: {exit}", program::short(command)),
        };
        self.conclude(verdict, why);
        self.dig(Stage::Build, done, root, laid);
        false
    }

    /// Notes that a tool seems to be missing; whether that is the verdict. Of a tree as the dataset has it, it is; a
    /// candidate could say so of itself to leave the count, so there it is a note, and the report is not remembered.
    fn is_missing(&mut self, line: String) -> bool {
        let decided = self.request.changes.is_empty();
        if decided {
            self.conclude(Verdict::InfraError, format!("a program is missing in the sandbox: {line}"));
        } else {
            self.report.notes.push(format!(
                "a program seems to be missing in the sandbox: {line}; see whether the reference passes"
            ));
        }
        self.report.missing_tool = true;
        decided
    }

    /// Removes what a build added where nothing may be added; or why that cannot be done.
    fn remove_additions(
        &mut self,
        sandbox: &mut dyn Sandbox,
        original: &Laid,
        guarded: &Guarded<'_>,
    ) -> Result<Option<String>, SandboxError> {
        if guarded.is_empty() {
            return Ok(None);
        }
        let listing = sandbox.list(MOST_ENTRIES)?;
        if listing.cut {
            // Among those that were not looked at could be one that decides about the tests.
            return Ok(Some(format!("the build left more than {MOST_ENTRIES} files")));
        }
        for entry in listing.entries {
            let is_folder = matches!(entry.kind, crate::sandbox::Kind::Folder);
            let known = original.contains_key(&entry.path);
            // A folder is judged by what lies in it; an empty one harms nobody.
            if !is_folder && !known && guarded.refuses(&entry.path).is_some() {
                sandbox.remove(&entry.path)?;
                self.report.removed.push(entry.path);
            }
        }
        Ok(None)
    }

    fn test(
        &mut self,
        sandbox: &mut dyn Sandbox,
        laid: &Laid,
        read_only: Vec<String>,
        left: u64,
        junit: Option<String>,
    ) -> Result<(), Trouble> {
        let expected = self.request.fail_to_pass.len() + self.request.pass_to_pass.len();
        self.watcher.happened(Happening::State(State::Testing(0, (expected > 0).then_some(expected))));
        let command = &self.request.test;
        let mut reader = Some(self.request.parser.reader());
        let done = self.execute(sandbox, Stage::Test, command, left, read_only, &mut reader)?;
        let mut reader = reader.unwrap_or_else(|| self.request.parser.reader());
        if let Some(path) = junit {
            // What was printed is for people; the results are in the file.
            reader = Parser::Junit.reader();
            if let Some(bytes) = sandbox.read(&path, MOST_JUNIT)? {
                reader.push(&bytes);
            }
        }
        self.report.report = match (self.request.parser, &done.exit) {
            (Parser::ExitCode, Exit::Code(code)) => Report::of_exit_code(*code),
            _ => reader.finish(),
        };
        // Those that are known at the end only: the last of a stream, and all of a file.
        for case in self.report.report.cases.get(done.told..).unwrap_or_default() {
            self.watcher.happened(Happening::Finished(case));
        }
        if let Exit::NotStarted(why) = &done.exit {
            if program::is_of_the_tree(command) && !self.request.build.is_empty() {
                let why =
                    format!("the build made nothing that `{}` could start: {why}", program::short(command));
                self.conclude(Verdict::BuildError, why);
            } else {
                self.conclude(Verdict::InfraError, program::not_started(command, why));
            }
            self.dig(Stage::Test, &done, sandbox.work(), laid);
            return Ok(());
        }
        let judgement = judge(
            &self.report.report,
            done.exit.kind(),
            &self.request.fail_to_pass,
            &self.request.pass_to_pass,
        );
        self.report.unmet = judgement.unmet;
        let why = match &done.exit {
            Exit::DiskFull | Exit::OutputLimit | Exit::Broken(_) | Exit::Cancelled => done.exit.to_string(),
            Exit::Timeout => {
                format!("time ran out after {:.0} s", self.request.limits.time_ms as f64 / 1000.0)
            }
            _ => judgement.why,
        };
        let nothing_ran = self.request.parser == Parser::ExitCode || self.report.report.executed() == 0;
        if let Some(missing) = program::missing_tool(command, &done.exit, &done.text)
            && nothing_ran
            && self.is_missing(missing)
        {
            return Ok(());
        }
        self.conclude(judgement.verdict, why);
        if !matches!(judgement.verdict, Verdict::Passed | Verdict::NotRun) {
            self.dig(Stage::Test, &done, sandbox.work(), laid);
        }
        Ok(())
    }

    /// Runs one command, lets the watcher hear it, and notes it as a step.
    fn execute(
        &mut self,
        sandbox: &mut dyn Sandbox,
        stage: Stage,
        command: &Command,
        left: u64,
        read_only: Vec<String>,
        reader: &mut Option<Reader>,
    ) -> Result<Done, Trouble> {
        let limits = crate::sandbox::Limits { time_ms: left.max(1), ..self.request.limits };
        let execution = ExecRequest { read_only, ..ExecRequest::new(command.clone(), limits) };
        let expected = self.request.fail_to_pass.len() + self.request.pass_to_pass.len();
        let mut ears = Ears {
            stage,
            reader,
            watcher: self.watcher,
            seen: 0,
            expected: (expected > 0).then_some(expected),
        };
        let done = sandbox.execute(&execution, &mut ears)?;
        let told = ears.seen;
        let ExecReport { exit, seconds, peak_memory, mechanisms, lingered, stdout, stderr, .. } = done;
        if self.report.mechanisms.is_empty() {
            self.report.mechanisms = mechanisms;
        }
        let text = format!("{}\n{}", stdout.text(), stderr.text());
        self.report.steps.push(Step {
            stage,
            command: command.clone(),
            exit: exit.clone(),
            seconds,
            peak_memory,
            lingered,
            stdout,
            stderr,
        });
        Ok(Done { exit, seconds, text, told })
    }

    fn dig(&mut self, stage: Stage, done: &Done, root: &str, laid: &Laid) {
        let files: Vec<&str> = laid.keys().map(String::as_str).collect();
        let ground = Ground { root, files: &files };
        self.report.failure = Some(dig(stage, done.exit.kind(), &done.text, ground));
    }

    fn conclude(&mut self, verdict: Verdict, why: String) {
        self.report.verdict = verdict;
        self.report.why = why;
    }
}

/// What came of one command.
struct Done {
    exit: Exit,
    seconds: f64,
    text: String,
    /// How many cases the watcher has heard of.
    told: usize,
}

/// Hands output on to the parser and the watcher.
struct Ears<'a> {
    stage: Stage,
    reader: &'a mut Option<Reader>,
    watcher: &'a mut dyn Watcher,
    seen: usize,
    expected: Option<usize>,
}

impl OutputSink for Ears<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.watcher.happened(Happening::Output(self.stage, stream, bytes));
        let Some(reader) = self.reader else { return };
        match stream {
            Stream::Stdout => reader.push(bytes),
            Stream::Stderr => reader.push_errors(bytes),
        }
        let cases = reader.cases();
        let news = cases.get(self.seen..).unwrap_or_default();
        if news.is_empty() {
            return;
        }
        for case in news {
            self.watcher.happened(Happening::Finished(case));
        }
        self.seen = cases.len();
        self.watcher.happened(Happening::State(State::Testing(self.seen, self.expected)));
    }
}

fn put<'a>(
    sandbox: &mut dyn Sandbox,
    files: impl Iterator<Item = (&'a String, &'a Bytes)>,
) -> Result<(), SandboxError> {
    let files: Vec<TreeFile<'_>> =
        files.map(|(path, (bytes, executable))| TreeFile { path, bytes, executable: *executable }).collect();
    if files.is_empty() { Ok(()) } else { sandbox.put(&files) }
}

/// Why a file cannot lie at a path: a file is where a folder would have to be, or the other way round.
fn blocked(tree: &Laid, path: &str) -> Option<String> {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]).find(|above| tree.contains_key(*above));
    if let Some(above) = above {
        return Some(format!("`{above}` is a file"));
    }
    let inside = format!("{path}/");
    let next = tree.range(inside.clone()..).next();
    next.filter(|(other, _)| other.starts_with(&inside)).map(|_| "it is a folder".to_owned())
}

/// What is held unchanged while the tests run: the protected files, or of very many their folders.
fn read_only<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let paths: Vec<&str> = paths.collect();
    if paths.len() <= MOST_HELD {
        return paths.into_iter().map(str::to_owned).collect();
    }
    let folders: BTreeSet<&str> =
        paths.iter().map(|path| path.rsplit_once('/').map_or(*path, |(folder, _)| folder)).collect();
    folders.into_iter().map(str::to_owned).collect()
}

/// The file into which a JUnit report is written, where the command names one.
fn junit_file(request: &VerifyRequest) -> Option<String> {
    let Command::Arguments(arguments) = &request.test else { return None };
    if request.parser != Parser::Junit {
        return None;
    }
    let named = |argument: &String| {
        ["--junitxml=", "--junit-xml="].iter().find_map(|flag| argument.strip_prefix(flag).map(str::to_owned))
    };
    arguments.iter().find_map(named).filter(|path| check_path(path).is_ok())
}

fn milliseconds(seconds: f64) -> u64 {
    // Times are small and not negative.
    (seconds * 1000.0) as u64
}
