//! The real program on a pseudo-terminal, as a person meets it: keys in, a screen out, the terminal given back.
//!
//! Nothing sleeps; everything waits for output, with a deadline. A panic cannot be brought about in the real program:
//! the scene in `terminal.rs` covers it.

#![allow(clippy::unwrap_used, missing_docs)]

mod pty;

use portable_pty::CommandBuilder;
use pty::Session;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Rows and columns of the terminal.
const SIZE: (u16, u16) = (24, 80);

/// The first sample task: its id, and a line of its difference.
const FIRST: &str = "c-content-charset";
const FIRST_CHANGE: &str = "if (type == NULL)";

/// A user with an empty home.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> User {
        User { home: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// What the program finds in its environment, and nothing else.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let home = self.home.path().to_str().unwrap().to_owned();
        vec![
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", home.clone()),
            ("TMPDIR", home),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
        ]
    }

    /// The workbench with these arguments.
    fn mendbench(&self, arguments: &[&str]) -> CommandBuilder {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_mendbench"));
        command.args(arguments);
        command.env_clear();
        command.cwd(self.home.path());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        command
    }

    fn open(&self, arguments: &[&str]) -> Session {
        Session::open(self.mendbench(arguments), SIZE)
    }

    /// The workbench with the sample tasks on the screen.
    fn samples(&self) -> Session {
        let mut session = self.open(&["--theme", "dark"]);
        session.wait(FIRST);
        session
    }

    /// A command to its end.
    fn run(&self, arguments: &[&str]) {
        let done = Command::new(env!("CARGO_BIN_EXE_mendbench"))
            .args(arguments)
            .env_clear()
            .envs(self.environment())
            .current_dir(self.home.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

/// Rows of FeedbackEval: one task with this many faulty instances.
fn dataset(instances: usize) -> String {
    let faulty = (0..instances).map(|number| {
        format!(r#"{{"source": "rule_based", "generate_code": "def f(a):\n    return {number}\n", "test_feedback": "wrong", "compiler_feedback": [], "llm_skilled_feedback": "", "minimal_feedback": "", "llm_expert_feedback": ""}}"#)
    });
    let faulty = faulty.collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"task_id": "HumanEval/0", "false_results": [{faulty}], "test": "check(f)", "correct_code": "def f(a):\n    return a\n"}}"#
    ) + "\n"
}

/// The line that the cursor is on.
fn cursor_line(screen: &vt100::Screen) -> String {
    let contents = screen.contents();
    contents.lines().find(|line| line.starts_with('▌')).unwrap_or_default().to_owned()
}

/// Leaves with `q` and finds the terminal as it was.
fn quit(mut session: Session) {
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

/// The program ends with this code before it touches the screen, and says why.
fn refused(mut session: Session, code: u32, words: &[&str]) {
    assert_eq!(session.end(), code, "{}", session.text());
    // Long messages go over several lines of the terminal.
    let said = session.raw().replace(['\r', '\n'], "");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
    assert!(!said.contains('\x1b'), "the screen was touched: {said:?}");
}

/// Parameters of all sequences that choose colours or attributes.
fn pens(raw: &str) -> Vec<u16> {
    let mut found = Vec::new();
    for sequence in raw.split("\x1b[").skip(1) {
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
        if sequence[end..].starts_with('m') {
            found.extend(sequence[..end].split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0)));
        }
    }
    found
}

/// Whether the name in the header is dark, to be read on a light background.
fn is_for_light(screen: &vt100::Screen) -> bool {
    match screen.cell(0, 1).unwrap().fgcolor() {
        vt100::Color::Rgb(red, green, blue) => u32::from(red) + u32::from(green) + u32::from(blue) < 3 * 128,
        other => panic!("not a colour of a theme: {other:?}"),
    }
}

#[test]
fn the_samples_are_shown_and_q_gives_the_terminal_back() {
    let user = User::new();
    let mut session = user.samples();
    session.wait("10 tasks");
    session.wait("rust-busy-slots");
    session.wait("enter open");
    let screen = session.screen();
    assert!(screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste());
    assert!(cursor_line(screen).contains(FIRST));
    assert!(session.is_raw());
    quit(session);
    let left: Vec<_> = std::fs::read_dir(user.home.path()).unwrap().collect();
    assert!(left.is_empty(), "looking at the samples wrote {left:?}");
}

#[test]
fn a_task_is_opened_read_and_left_by_keys() {
    let user = User::new();
    let mut session = user.samples();
    session.press("j");
    session.until("the second task", |screen| cursor_line(screen).contains("c-ring-buffer"));
    session.press("k\r");
    session.wait(FIRST_CHANGE);
    session.wait("1 of 10");
    session.press("2");
    session.wait("crawler how to decode a body");
    session.press("]1");
    session.wait("2 of 10");
    session.wait("ring_buffer.c");
    session.press("?");
    session.wait("Keys");
    session.press("\x1b");
    session.until("no help", |screen| !screen.contents().contains("Keys"));
    session.press("\x1b");
    session.wait("10 tasks");
    session.press("/stale zzz");
    session.wait("No task matches");
    // In the filter Ctrl-C leaves the filter; outside of it, mendbench.
    session.press("\x03");
    session.wait(FIRST);
    session.press("\x03");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

#[test]
fn the_plan_and_the_launch_sheet_tell_the_same() {
    use mendbench::config::Money;
    use mendbench::text::thousands;
    let user = User::new();
    let model =
        "[m]\naddress = \"http://127.0.0.1:9/v1\"\nprices = { input = 1, output = 2 }\nmax_output = 90\n";
    user.write(".config/mendbench/models.toml", model);
    let plan = Command::new(env!("CARGO_BIN_EXE_mendbench"))
        .args(["repair", FIRST, "-m", "m", "-s", "iterative:3", "--plan", "--json"])
        .env_clear()
        .envs(user.environment())
        .current_dir(user.home.path())
        .output()
        .unwrap();
    let plan: serde_json::Value = serde_json::from_slice(&plan.stdout).unwrap();
    let tokens = |key: &str| thousands(plan[key].as_u64().unwrap() as usize);
    assert_eq!(plan["output_tokens_estimated"], 3 * 90, "no longer than it may be");
    let mut session = user.samples();
    session.press("r");
    session.wait(&format!("at most {}", plan["calls_at_most"]));
    let (input, output) = (tokens("input_tokens_estimated"), tokens("output_tokens_estimated"));
    session.wait(&format!("about {input} in, {output} out"));
    let cost = Money::from_dollars(plan["usd_estimated"].as_f64().unwrap()).unwrap();
    session.wait(&format!("about {cost}, when every turn is needed"));
    session.press("\x1b");
    session.wait("10 tasks");
    quit(session);
}

#[test]
fn signals_end_it_and_the_terminal_is_given_back() {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129), (libc::SIGINT, 130)] {
        let user = User::new();
        let session = user.samples();
        session.signal(signal);
        let mut session = session;
        assert_eq!(session.end(), code);
        session.assert_restored();
    }
}

#[test]
fn ctrl_z_suspends_and_the_same_screen_comes_back() {
    let user = User::new();
    let mut session = user.samples();
    session.press("\r");
    session.wait(FIRST_CHANGE);
    let before = session.text();
    session.press("\x1a");
    session.wait_stopped();
    session.until("the first screen", |screen| !screen.alternate_screen());
    session.assert_restored();
    session.signal(libc::SIGCONT);
    session.until("the same screen", |screen| screen.alternate_screen() && pty::text(screen) == before);
    assert!(session.is_raw());
    session.press("2");
    session.wait("crawler how to decode a body");
    quit(session);
}

#[test]
fn every_size_is_drawn_down_to_one_cell() {
    let user = User::new();
    let mut session = user.samples();
    let before = session.text();
    session.resize((40, 140));
    // Wide enough for the difference beside the list.
    session.wait(FIRST_CHANGE);
    assert!(session.text().lines().count() == 40);
    session.resize((10, 44));
    session.until("the small list", |screen| {
        let contents = screen.contents();
        contents.contains(FIRST.split_at(8).0) && contents.lines().count() == 10
    });
    session.resize((4, 60));
    session.wait("mendbench needs 20 columns and 5 rows");
    for size in [(1, 1), (1, 200), (200, 1), (2, 2)] {
        session.resize(size);
        session.until("the one line that fits", |screen| {
            let contents = screen.contents();
            let line = contents.trim_end();
            !line.is_empty() && "mendbench needs 20 columns and 5 rows".starts_with(line)
        });
    }
    // A key where nothing is drawn does nothing, so it is pressed when there is something again.
    session.resize(SIZE);
    session.until("the list again", |screen| pty::text(screen) == before);
    session.press("j");
    session.until("the list with the cursor moved", |screen| cursor_line(screen).contains("c-ring-buffer"));
    session.press("k");
    session.until("the screen as it was", |screen| pty::text(screen) == before);
    quit(session);
}

#[test]
fn the_editor_gets_the_file_at_its_line() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/arguments\"\nfor last; do :; done\n\
        cp \"$last\" \"$HOME/copy\"\necho in the editor\nread answer\necho \"got $answer\"\n";
    let editor = user.write("my editors/nano", script);
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = user.mendbench(&["--theme", "dark"]);
    command.env("EDITOR", format!("'{}'", editor.display()));
    let mut session = Session::open(command, SIZE);
    session.wait(FIRST);
    session.press("\r");
    session.wait(FIRST_CHANGE);
    session.press("e");
    session.wait_on(false, "in the editor");
    assert!(!session.is_raw());
    // Every key is the editor's, q and Ctrl-C's neighbours too.
    session.press("quit quit\n");
    session.wait_on(true, "back from the editor");
    session.wait(FIRST_CHANGE);
    assert!(session.raw().contains("got quit quit"));
    let arguments = std::fs::read_to_string(user.path("arguments")).unwrap();
    let (line, path) = arguments.trim_end().split_once('\n').unwrap();
    let line: usize = line.strip_prefix('+').unwrap().parse().unwrap();
    assert!(path.ends_with("headers.c"), "{path}");
    assert!(!Path::new(path).exists(), "the copy is cleared away");
    let copy = std::fs::read_to_string(user.path("copy")).unwrap();
    assert!(copy.lines().nth(line - 1).unwrap().contains(FIRST_CHANGE), "line {line}");
    quit(session);
}

#[test]
fn an_editor_that_is_missing_is_said_on_the_screen() {
    let user = User::new();
    let mut command = user.mendbench(&["--theme", "dark"]);
    command.env("VISUAL", "mendbench-no-such-editor");
    let mut session = Session::open(command, SIZE);
    session.wait(FIRST);
    session.press("\r");
    session.wait(FIRST_CHANGE);
    session.press("e");
    session.wait_on(true, "mendbench-no-such-editor");
    session.press("2");
    session.wait("crawler how to decode a body");
    quit(session);
}

#[test]
fn pasted_text_is_not_taken_for_keys() {
    let user = User::new();
    let mut session = user.samples();
    let before = session.text();
    session.press(&format!("\x1b[200~{}\x1b[201~", "q\rj:\x03".repeat(200)));
    session.wait("pasted text goes into a filter");
    // A key that means nothing clears the message.
    session.press("\x1bx");
    session.until("the screen as it was", |screen| pty::text(screen) == before);
    session.press("/");
    session.press("\x1b[200~busy\nslots\x1b[201~");
    session.wait("/ busy slots");
    session.until("the best match", |screen| cursor_line(screen).contains("rust-busy-slots"));
    session.press("\x1b");
    session.wait("10 tasks");
    session.wait(FIRST);
    quit(session);
}

#[test]
fn a_burst_of_keys_is_taken_in_as_a_whole() {
    let user = User::new();
    let file = user.write("many.jsonl", &dataset(600));
    let mut session = user.open(&["--theme", "dark", file.to_str().unwrap()]);
    session.wait("600 tasks");
    session.press(&format!("{}\r", "j".repeat(499)));
    session.wait("500 of 600");
    session.wait("return 499");
    session.press("\x1b");
    session.wait("600 tasks");
    session.press(&format!("gg/{}", "abcde".repeat(100)));
    session.wait("No task matches");
    session.until("the end of what was typed", |screen| {
        screen.contents().lines().nth(1).is_some_and(|line| line.trim_end().ends_with("abcdeabcde"))
    });
    session.press(&"\x7f".repeat(500));
    session.wait("600 tasks");
    session.until("the first task", |screen| screen.contents().contains("HumanEval/0"));
    session.press("\x1b");
    session.wait("enter open");
    quit(session);
}

#[test]
fn without_colours_there_are_only_attributes() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("MENDBENCH_THEME", "mono")] {
        let user = User::new();
        let mut command = user.mendbench(&[]);
        command.env(name, value);
        let mut session = Session::open(command, SIZE);
        session.wait(FIRST);
        session.press("\r");
        session.wait(FIRST_CHANGE);
        let raw = session.raw();
        let pens = pens(&raw);
        assert!(pens.contains(&1) && pens.contains(&7), "{name}: neither bold nor reverse: {pens:?}");
        assert!(!pens.iter().any(|pen| matches!(pen, 30..=49 | 58 | 90..=107)), "{name}: {pens:?}");
        assert!(!raw.contains("\x1b]11;?"), "{name}: the background was asked for in vain");
        quit(session);
    }
}

#[test]
fn the_theme_is_the_one_named_or_fits_the_terminal() {
    let colour = |colour: &str| format!("\x1b]11;rgb:{colour}\x1b\\\x1b[?62;22c");
    let (white, black) = (colour("fbfb/fafa/f7f7"), colour("1414/1616/1b1b"));
    let cases: [(&[&str], &str, bool); 5] = [
        (&["--theme", "light"], &black, true),
        (&["--theme", "dark"], &white, false),
        (&[], &white, true),
        (&[], &black, false),
        // A terminal that answers nothing at all.
        (&[], "", false),
    ];
    for (arguments, answer, light) in cases {
        let user = User::new();
        let mut session = user.open(arguments).answering(answer);
        session.wait(FIRST);
        session.wait("enter open");
        assert_eq!(is_for_light(session.screen()), light, "{arguments:?} {answer:?}");
        session.press("j");
        session.until("the second task", |screen| cursor_line(screen).contains("c-ring-buffer"));
        quit(session);
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let user = User::new();
    assert_eq!(pty::closed_after(user.mendbench(&["--theme", "dark"]), SIZE, "rust-busy-slots"), 129);
}

#[test]
fn a_source_that_cannot_be_read_leaves_the_screen_alone() {
    let user = User::new();
    let pipe = user.path("a-pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    refused(user.open(&[pipe.to_str().unwrap()]), 2, &["a-pipe.jsonl", "pipe"]);
    let itself = user.path("itself.jsonl");
    std::os::unix::fs::symlink(&itself, &itself).unwrap();
    refused(user.open(&[itself.to_str().unwrap()]), 2, &["itself.jsonl"]);
    refused(user.open(&["nowhere.jsonl"]), 2, &["nowhere.jsonl"]);
    let prose = user.write("prose.txt", "Nothing that could be repaired.\n");
    refused(user.open(&[prose.to_str().unwrap()]), 2, &["prose.txt"]);
    refused(user.open(&["--filter", "langg:c"]), 2, &["langg", "lang:"]);
    refused(user.open(&["--theme", "drak"]), 2, &["drak", "dark"]);
    if unreadable_is_read(&user) {
        return;
    }
    refused(user.open(&["secret.jsonl"]), 2, &["secret.jsonl", "denied"]);
}

/// Makes a file without any rights; the system administrator reads it all the same.
fn unreadable_is_read(user: &User) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let secret = user.write("secret.jsonl", &dataset(1));
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::read(&secret).is_ok()
}

#[test]
fn a_broken_configuration_leaves_the_screen_alone() {
    let user = User::new();
    let cases = [
        ("layout = \"unified\"\ntheme = \n", ["config.toml:2", "TOML"]),
        ("layout = \"unified\"\n\ntheem = \"dark\"\n", ["config.toml:3", "theme"]),
        ("wrap = \"perhaps\"\n", ["config.toml:1", "wrap"]),
        ("[keys.tasks]\nfilter = \"f\"\nsort-next = \"f\"\n", ["config.toml:", "f"]),
    ];
    for (text, words) in cases {
        let file = user.write("settings/config.toml", text);
        let mut command = user.mendbench(&[]);
        command.env("MENDBENCH_CONFIG", file.parent().unwrap());
        refused(Session::open(command, SIZE), 2, &words);
    }
}

#[test]
fn two_workbenches_share_a_workspace() {
    let user = User::new();
    let file = user.write("few.jsonl", &dataset(3));
    user.run(&["import", file.to_str().unwrap(), "--workspace", "shared"]);
    let open = || {
        let mut session = user.open(&["--theme", "dark", "--workspace", "shared"]);
        session.wait("3 tasks");
        session
    };
    let (mut one, mut other) = (open(), open());
    one.press("\r");
    one.wait("return 0");
    other.press("j\r");
    other.wait("return 1");
    // Another process writes meanwhile.
    let more = user.write("more.jsonl", &dataset(5));
    user.run(&["import", more.to_str().unwrap(), "--workspace", "shared"]);
    one.press("]");
    one.wait("return 1");
    quit(one);
    other.press("]");
    other.wait("return 2");
    quit(other);
    let mut third = user.open(&["--theme", "dark", "--workspace", "shared"]);
    third.wait("8 tasks");
    quit(third);
}

#[test]
fn a_file_that_goes_away_is_still_on_the_screen() {
    let user = User::new();
    let file = user.write("few.jsonl", &dataset(3));
    let mut session = user.open(&["--theme", "dark", file.to_str().unwrap()]);
    session.wait("3 tasks");
    std::fs::remove_file(&file).unwrap();
    session.press("j\r");
    session.wait("return 1");
    session.press("]");
    session.wait("return 2");
    quit(session);
}

#[test]
fn a_row_that_is_damaged_is_counted_and_explained() {
    let user = User::new();
    let mut text = dataset(2);
    let _ = writeln!(text, "{{\"task_id\": \"HumanEval/1\", \"false_res");
    let file = user.write("damaged.jsonl", &text);
    let mut session = user.open(&["--theme", "dark", file.to_str().unwrap()]);
    session.wait("2 tasks · 1 row skipped (!)");
    session.press("!");
    session.wait("damaged.jsonl:2");
    session.press("\x1b");
    session.wait("enter open");
    quit(session);
}
