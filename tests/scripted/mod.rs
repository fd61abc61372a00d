//! A sandbox that runs nothing: what a command does is a closure over the work tree.
//!
//! For tests of what lies above the sandbox; what a real rung does is tested with real rungs.
#![allow(dead_code, clippy::unwrap_used)]

use mendbench::config::{Language, Languages};
use mendbench::harness::{Environment, Ground, Grounds, Harness};
use mendbench::sandbox::{
    Capture, Entry, ExecReport, ExecRequest, Exit, Killer, Kind, Limits, Listing, OutputSink, Program,
    Provider, Rung, Sandbox, SandboxError, Stream, TreeFile,
};
use mendbench::store::{FixedClock, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The work tree by path.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// What a command finds and does.
pub struct Run<'a> {
    /// The command as one would type it.
    pub command: String,
    /// The tree, which it may change but for what is held.
    pub tree: &'a mut Tree,
    /// What is held unchanged.
    pub read_only: Vec<String>,
    /// What it may use.
    pub limits: Limits,
    /// Whether somebody called the killer.
    pub killed: &'a AtomicBool,
    sink: &'a mut dyn OutputSink,
    captured: BTreeMap<bool, Capture>,
}

impl Run<'_> {
    /// Writes to standard output.
    pub fn out(&mut self, text: &str) {
        self.write(Stream::Stdout, text);
    }

    /// Writes to standard error.
    pub fn err(&mut self, text: &str) {
        self.write(Stream::Stderr, text);
    }

    fn write(&mut self, stream: Stream, text: &str) {
        self.sink.output(stream, text.as_bytes());
        let most = self.limits.output;
        let key = stream == Stream::Stderr;
        self.captured.entry(key).or_insert_with(|| Capture::new(most)).push(text.as_bytes());
    }
}

/// What happens when something is run.
pub type Script = Arc<dyn Fn(&mut Run<'_>) -> Exit + Send + Sync>;

/// Makes scripted sandboxes, and remembers what became of them.
#[derive(Clone)]
pub struct Scripted {
    /// What happens when something is run.
    pub script: Script,
    /// How many were made.
    pub made: Arc<AtomicUsize>,
    /// How many were cleaned.
    pub cleaned: Arc<AtomicUsize>,
    /// What was done, in order.
    pub log: Arc<Mutex<Vec<String>>>,
    /// The rung it says it stands on.
    pub rung: Rung,
}

impl Scripted {
    pub fn new(script: impl Fn(&mut Run<'_>) -> Exit + Send + Sync + 'static) -> Scripted {
        Scripted {
            script: Arc::new(script),
            made: Arc::default(),
            cleaned: Arc::default(),
            log: Arc::default(),
            rung: Rung::Bubblewrap,
        }
    }

    /// A harness on this ground alone.
    pub fn harness(&self, store: Option<Arc<dyn Store>>) -> Harness {
        let grounds = Box::new(self.clone());
        Harness::new(Languages::built_in(), grounds, store, Arc::new(FixedClock::default()))
    }
}

impl Grounds for Scripted {
    fn ground(&self, _language: Option<&Language>) -> Result<Arc<Ground>, SandboxError> {
        let environment = Environment::Local(vec!["Scripted 1".to_owned()]);
        Ok(Arc::new(Ground { provider: Box::new(self.clone()), environment, notes: Vec::new() }))
    }
}

impl Provider for Scripted {
    fn rung(&self) -> Rung {
        self.rung
    }

    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(One {
            scripted: self.clone(),
            limits: *limits,
            tree: Tree::new(),
            killed: Arc::default(),
        }))
    }
}

struct One {
    scripted: Scripted,
    limits: Limits,
    tree: Tree,
    killed: Arc<AtomicBool>,
}

impl One {
    fn note(&self, what: String) {
        self.scripted.log.lock().unwrap().push(what);
    }
}

impl Sandbox for One {
    fn rung(&self) -> Rung {
        self.scripted.rung
    }

    fn work(&self) -> &str {
        "/work"
    }

    fn put(&mut self, files: &[TreeFile<'_>]) -> Result<(), SandboxError> {
        for file in files {
            self.tree.insert(file.path.to_owned(), file.bytes.to_vec());
        }
        self.note(format!("put {}", files.iter().map(|file| file.path).collect::<Vec<_>>().join(" ")));
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), SandboxError> {
        let inside = format!("{path}/");
        self.tree.retain(|other, _| other != path && !other.starts_with(&inside));
        self.note(format!("remove {path}"));
        Ok(())
    }

    fn list(&mut self, most: usize) -> Result<Listing, SandboxError> {
        let mut entries: BTreeMap<String, Kind> = BTreeMap::new();
        for (path, bytes) in &self.tree {
            entries.insert(path.clone(), Kind::File(bytes.len() as u64));
            entries.extend(path.match_indices('/').map(|(at, _)| (path[..at].to_owned(), Kind::Folder)));
        }
        let cut = entries.len() > most;
        let entries = entries.into_iter().take(most).map(|(path, kind)| Entry { path, kind }).collect();
        Ok(Listing { entries, cut })
    }

    fn read(&mut self, path: &str, most: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        Ok(self.tree.get(path).map(|bytes| bytes.iter().copied().take(most as usize).collect()))
    }

    fn execute(
        &mut self,
        request: &ExecRequest,
        sink: &mut dyn OutputSink,
    ) -> Result<ExecReport, SandboxError> {
        let command = match &request.program {
            Program::Command(command) => command.display(),
            Program::Own(words) => words.join(" "),
        };
        self.note(format!("run {command}"));
        let held: BTreeSet<String> = request.read_only.iter().cloned().collect();
        let before: Tree = self.tree.iter().filter(|(path, _)| held.contains(*path)).map(owned).collect();
        let mut run = Run {
            command,
            tree: &mut self.tree,
            read_only: request.read_only.clone(),
            limits: request.limits.min(self.limits),
            killed: &self.killed,
            sink,
            captured: BTreeMap::new(),
        };
        let mut exit = (self.scripted.script)(&mut run);
        let mut captured = run.captured;
        if self.killed.load(Ordering::SeqCst) {
            exit = Exit::Cancelled;
        }
        // What is held cannot be changed.
        self.tree.extend(before);
        let mut stream = |key| captured.remove(&key).map(Capture::finish).unwrap_or_default();
        Ok(ExecReport {
            rung: self.scripted.rung,
            exit,
            seconds: 0.25,
            peak_memory: Some(1 << 20),
            mechanisms: Vec::new(),
            lingered: 0,
            stdout: stream(false),
            stderr: stream(true),
        })
    }

    fn killer(&self) -> Killer {
        let killed = Arc::clone(&self.killed);
        Killer::new(move || killed.store(true, Ordering::SeqCst))
    }

    fn clean(self: Box<Self>) -> Result<(), SandboxError> {
        self.scripted.cleaned.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

fn owned((path, bytes): (&String, &Vec<u8>)) -> (String, Vec<u8>) {
    (path.clone(), bytes.clone())
}
