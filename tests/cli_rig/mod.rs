//! The program as users run it, in a home of its own: no test reads or writes the real one.
#![allow(clippy::unwrap_used, dead_code)]

use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Long enough for the slowest machine; a program that hangs fails its test instead of the whole run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A temporary home with a working folder in it.
pub struct Home {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    pub bytes: Vec<u8>,
}

impl Home {
    pub fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "config", "data"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Home { folder }
    }

    /// A path in the working folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// A path in the folder of the configuration.
    pub fn config(&self, name: &str) -> PathBuf {
        self.folder.path().join("config").join(name)
    }

    /// Where the user's own workspace would be.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data/mendbench")
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A copy of a sample task as `name/task`.
    pub fn task(&self, name: &str) -> PathBuf {
        let to = self.path(name).join("task");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-tasks/c-ring-buffer"), &to);
        to
    }

    /// A FeedbackEval file of this many rows.
    pub fn rows(&self, name: &str, count: usize) -> PathBuf {
        self.write(name, (0..count).map(|number| row(number, "a + b")).collect::<String>())
    }

    /// The variables that every run gets; the machine's own do not get through.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let home = self.folder.path();
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default().into()),
            ("HOME", home.into()),
            ("XDG_DATA_HOME", home.join("data")),
            ("XDG_CONFIG_HOME", home.join("xdg")),
            ("XDG_CACHE_HOME", home.join("cache")),
            ("XDG_STATE_HOME", home.join("state")),
            ("MENDBENCH_CONFIG", home.join("config")),
            ("TERM", "xterm-256color".into()),
        ]
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[], "")
    }

    /// A run with more variables and something on stdin.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)], stdin: &str) -> Ran {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_mendbench"));
        command.current_dir(self.path("")).env_clear().envs(self.variables()).timeout(PATIENCE);
        command.envs(variables.iter().copied()).args(arguments).write_stdin(stdin);
        Ran::of(&command.output().unwrap())
    }

    /// A run whose streams the test holds.
    pub fn spawn(&self, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mendbench"));
        command.current_dir(self.path("")).env_clear().envs(self.variables()).args(arguments);
        // A shell that runs something in the background has it ignore Ctrl-C, and children inherit that.
        // SAFETY: `signal` may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            });
        }
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap()
    }
}

impl Ran {
    pub fn of(output: &std::process::Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Ran {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
            bytes: output.stdout.clone(),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// The run ended with 0; gives itself back.
    #[track_caller]
    pub fn done(self) -> Ran {
        self.ended(0, &[])
    }

    /// The run ended with this code and its messages hold all of these words.
    #[track_caller]
    pub fn ended(self, code: i32, words: &[&str]) -> Ran {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in:\n{}", self.err);
        }
        if code > 1 && !self.err.starts_with("List tasks") {
            assert_eq!(self.out, "", "no results beside an error");
            assert!(self.err.starts_with("mendbench: ") || self.err.starts_with("error: "), "{}", self.err);
        }
        self
    }

    /// The objects on stdout: each on a line, with its type and version.
    #[track_caller]
    pub fn objects(&self) -> Vec<Value> {
        let object = |line: &str| {
            let object: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(object["type"].is_string() && object["v"].is_u64(), "{line}");
            object
        };
        self.out.lines().map(object).collect()
    }

    /// The objects of one type.
    #[track_caller]
    pub fn objects_of(&self, wanted: &str) -> Vec<Value> {
        self.objects().into_iter().filter(|object| object["type"] == wanted).collect()
    }

    /// The only object of a type.
    #[track_caller]
    pub fn object(&self, wanted: &str) -> Value {
        let found = self.objects_of(wanted);
        assert_eq!(found.len(), 1, "{}", self.out);
        found.into_iter().next().unwrap()
    }

    /// Neither stream holds a control character other than line feeds and, on stdout, our own colours.
    #[track_caller]
    pub fn harmless(self) -> Ran {
        let hidden = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        for text in [&self.out, &self.err] {
            assert!(!text.contains(hidden), "{text:?}");
        }
        self
    }
}

/// A row of FeedbackEval with one faulty instance.
pub fn row(number: usize, faulty: &str) -> String {
    let code = |sum: &str| format!("def add_{number}(a, b):\n    \"\"\"Adds.\"\"\"\n    return {sum}\n");
    let row = serde_json::json!({
        "_id": format!("HumanEval/{number}"),
        "false_results": [{
            "source": format!("model-{number}"),
            "generate_code": code(faulty),
            "test_feedback": "AssertionError: add(1, 2) should be 3",
        }],
        "correct_code": code("b + a"),
    });
    format!("{row}\n")
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A file of the FeedbackEval data set, where it is at hand.
pub fn feedbackeval(name: &str) -> Option<String> {
    let path = format!("{}/../shared/data/feedbackeval/{name}", env!("CARGO_MANIFEST_DIR"));
    let found = Path::new(&path).exists();
    if !found {
        skip(&format!("{name} is not at hand"));
    }
    found.then_some(path)
}

/// Says that a test was left out, and why.
pub fn skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
