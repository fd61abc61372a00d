//! Somebody at a terminal with the workbench: reads what the screen shows, and presses keys as fingers do.
//!
//! Promises: every key waits for what it brings about; what the guard against held keys did not take is pressed again,
//! after the screen was read anew. Leaves to others: what is answered.

use crate::cli_rig::Home;
use crate::pty::Session;
use portable_pty::CommandBuilder;
use std::time::{Duration, Instant};

/// A finger is on its way to another key for so long, and longer to the same one: the guard of the workbench holds
/// what comes faster for a paste or a held key. Nothing is concluded from it.
const TO_ANOTHER: Duration = Duration::from_millis(45);
const TO_THE_SAME: Duration = Duration::from_millis(150);

/// What is said of a key that was not taken.
pub const NOT_TAKEN: [&str; 4] = [
    "a held key answers once",
    "as of a paste, answer nothing",
    "this key was not taken",
    "the item is still being read",
];

/// Keys that are no letters.
pub const ENTER: &str = "\r";
pub const ESC: &str = "\x1b";
pub const TAB: &str = "\t";
pub const CLEAR: &str = "\x15";
pub const RIGHT: &str = "\x1b[C";

/// Whether words are on a screen, also where a line ends between them.
pub fn says(screen: &str, words: &str) -> bool {
    screen.contains(words) || screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(words)
}

/// The workbench as somebody.
pub struct Hands {
    pub session: Session,
    /// The last key, and when what it brought about was seen.
    last: Option<(String, Instant)>,
}

/// The workbench in a home, as a command.
pub fn workbench(home: &Home, who: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_mendbench"));
    command.args(["--as", who, "--workspace", "w", "--theme", "dark", "set.jsonl"]);
    command.env_clear();
    command.cwd(home.path(""));
    for (name, value) in home.variables() {
        command.env(name, value);
    }
    command.env("COLORTERM", "truecolor");
    command
}

impl Hands {
    /// Opens the workbench on a terminal of this many rows and columns, and sees the list of tasks.
    pub fn open(home: &Home, who: &str, size: (u16, u16)) -> Hands {
        let mut hands = Hands { session: Session::open(workbench(home, who), size), last: None };
        hands.session.until("the list of tasks", |screen| screen.contents().contains("HumanEval"));
        hands
    }

    pub fn shows(&self, words: &str) -> bool {
        says(&self.session.screen().contents(), words)
    }

    /// Presses a key as soon as a finger would.
    pub fn press(&mut self, key: &str) {
        if let Some((last, seen)) = &self.last {
            let on_the_way = if last == key { TO_THE_SAME } else { TO_ANOTHER };
            let there = *seen + on_the_way;
            self.session.watch_until(there);
        }
        self.session.press(key);
        self.last = Some((key.to_owned(), Instant::now()));
    }

    fn seen(&mut self) {
        if let Some((_, seen)) = &mut self.last {
            *seen = Instant::now();
        }
    }

    /// Presses a key and waits for words.
    pub fn key(&mut self, key: &str, words: &str) {
        self.press(key);
        self.wait(words);
    }

    /// Waits for words.
    pub fn wait(&mut self, words: &str) {
        self.until(words, |screen| says(screen, words));
    }

    /// Waits until any of these words are there.
    pub fn wait_any(&mut self, words: &[&str]) {
        self.until(&words.join("` or `"), |screen| words.iter().any(|words| says(screen, words)));
    }

    /// Waits until the text on the screen is so.
    pub fn until(&mut self, what: &str, is: impl Fn(&str) -> bool) {
        self.session.until(what, |screen| is(&screen.contents()));
        self.seen();
    }

    /// Goes to a screen with `g` and a letter, and waits for words on it.
    pub fn go(&mut self, letter: &str, words: &str) {
        self.press("g");
        self.key(letter, words);
    }

    /// Empties the field under the cursor, types into it, and goes to the next one.
    pub fn fill(&mut self, text: &str) {
        self.session.press(CLEAR);
        self.session.press(text);
        self.session.press(TAB);
    }

    /// Leaves, and finds the terminal as it was.
    pub fn quit(mut self) {
        self.press("q");
        assert_eq!(self.session.end(), 0, "{}", self.session.text());
        self.session.assert_restored();
    }

    /// Makes what the guard said of the last key go from the screen.
    pub fn calm(&mut self) {
        // What comes back from the disk meanwhile may take the place of the words before a frame shows them.
        for _ in 0..30 {
            self.press("J");
            self.press("n");
            if self.session.sees("no other item has a note", Duration::from_secs(4)) {
                return;
            }
        }
        panic!("the words did not come; the screen:\n{}", self.session.text());
    }
}
