//! What the lead does: rounds are made, led through their phases, measured and taken away as files.

use crate::cli_rig::Home;
use crate::hands::{CLEAR, ENTER, ESC, Hands, RIGHT, TAB};
use crate::study_rig::by;
use serde_json::Value;

/// A round that is to be made.
pub struct Round {
    pub name: &'static str,
    pub size: &'static str,
    /// What the sheet says that the seed gives.
    pub given: &'static str,
}

/// The line that the cursor is on.
fn cursor_line(screen: &str) -> &str {
    screen.lines().find(|line| line.starts_with('▌')).unwrap_or_default()
}

impl Hands {
    /// Makes a round in the sheet.
    pub fn make_round(&mut self, round: &Round) {
        self.press("g");
        self.press("s");
        self.wait_any(&["No rounds in this workspace yet", "Rounds, newest first"]);
        self.key("n", "A new round of");
        self.fill(round.name);
        self.fill("tour");
        // The codebooks, one after the other.
        while !self.shows("defects4c ") {
            self.session.press(RIGHT);
            let before = self.session.text();
            self.session.until("another codebook", |screen| crate::pty::text(screen) != before);
        }
        self.session.press(TAB);
        self.fill("");
        self.fill(round.size);
        self.fill("7");
        self.fill("");
        self.fill("anna, ben");
        self.session.press(CLEAR);
        self.session.press("zoe");
        self.wait(round.given);
        loop {
            self.press(ENTER);
            self.wait_any(&["Enter makes it", "Enter again goes on"]);
            if self.shows("Enter makes it") {
                break;
            }
        }
        self.key(ENTER, " is made: ");
        self.at_round(round.name, "labelling");
    }

    /// The cursor is on a round in a phase.
    fn at_round(&mut self, name: &str, phase: &str) {
        self.until(&format!("{name} in {phase}"), |screen| {
            let line = cursor_line(screen);
            line.contains(&format!("tour/{name}")) && line.contains(phase)
        });
    }

    /// Goes to the newest round, and with Enter to where one's work in it is.
    pub fn enter_round(&mut self, name: &str, phase: &str, there: &str) {
        self.go("s", &format!("tour/{name}"));
        self.press("g");
        self.press("g");
        self.at_round(name, phase);
        self.key(ENTER, there);
    }

    /// Looks what is missing before the phase can end, and leaves it.
    pub fn look_what_is_missing(&mut self, words: &[&str]) {
        self.key("a", "This cannot be taken back.");
        for words in words {
            assert!(self.shows(words), "{words}:\n{}", self.session.text());
        }
        self.press("y");
        self.wait("work is missing");
        self.press("n");
        self.until("no question any more", |screen| !screen.contains("This cannot be taken back."));
    }

    /// Ends the phase that the newest round is in; nothing may be missing.
    pub fn end_phase(&mut self, name: &str, phase: &str, next: &str) {
        self.at_round(name, phase);
        self.key("a", &format!("End {phase} of tour/{name}?"));
        assert!(self.shows("Nothing is missing."), "{}", self.session.text());
        self.press("y");
        self.wait(&format!("{phase} has ended, {next} begins"));
        self.at_round(name, next);
    }

    /// From a kappa to the task behind a number in three keys, and the same way back.
    fn open_a_task(&mut self) {
        self.key(ENTER, "ben →");
        self.key(ENTER, " said ");
        self.until("a list of items", |screen| screen.contains("item") && cursor_line(screen).contains('/'));
        let line = self.session.text();
        let item = cursor_line(&line).trim_start_matches('▌').split_whitespace().next().unwrap().to_owned();
        self.press(ENTER);
        self.until(&format!("the task of {item}"), |screen| is_task(screen, &item));
        self.key(ESC, " said ");
        self.key(ESC, "ben →");
        self.key(ESC, "95 % interval");
    }

    /// The agreement of the newest round is that of the command line, and so is what can be taken away.
    pub fn measure(&mut self, home: &Home, round: &str) -> usize {
        let name = format!("tour/{round}");
        self.go("k", "95 % interval");
        self.wait(&format!("agreement ▸ {name}"));
        let told = by(home, "lea", &["agreement", "--round", &name, "--json"]).done().objects_of("agreement");
        assert!(told.len() >= 6, "{told:?}");
        let mut compared = 0;
        for basis in ["blind", "revised"] {
            if basis == "revised" {
                self.key("b", "Revised labels");
            } else {
                self.wait("Blind labels");
            }
            let screen = self.session.text();
            for one in told.iter().filter(|one| one["basis"] == basis) {
                check_kappa(one, &told, &screen);
                compared += 1;
            }
        }
        self.key("b", "Blind labels");
        for (place, (form, ending)) in FORMS.iter().enumerate() {
            self.key("e", ": this round");
            for _ in 0..place {
                self.session.press("j");
            }
            let file = format!("screen-{round}-{form}.{ending}");
            self.key(ENTER, "esc back");
            self.session.press(CLEAR);
            self.session.press(&file);
            self.wait(&file);
            self.press(ENTER);
            self.wait(" written");
            let line = format!("line-{round}-{form}.{ending}");
            let mut words = vec!["label", "export", &line, "--form", form, "--round", &name];
            if *form == "counts" {
                words.extend(["--question", "bug-related"]);
            }
            by(home, "lea", &words).done();
            let read = |name: &str| std::fs::read(home.path(name)).unwrap();
            assert_eq!(read(&file), read(&line), "{form} of {round}");
            assert!(read(&file).len() > 40, "{form} of {round}");
        }
        self.open_a_task();
        self.go("s", "Rounds, newest first");
        compared
    }
}

/// Whether the screen of an item's task is shown; its header leaves the data set out.
pub fn is_task(screen: &str, item: &str) -> bool {
    let id = item.split_once('/').map_or(item, |(_, id)| id);
    screen.contains("Labels") && screen.lines().next().unwrap_or_default().contains(id)
}

/// What can be taken away, in the order of the sheet.
const FORMS: [(&str, &str); 7] = [
    ("long", "csv"),
    ("wide", "csv"),
    ("counts", "csv"),
    ("latex", "tex"),
    ("markdown", "md"),
    ("methods", "txt"),
    ("jsonl", "jsonl"),
];

/// A number as the screen shows it.
fn three(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// The name of what is measured, as the screen has it.
fn name_of(told: &Value, conditional: bool) -> String {
    let mut scope = Vec::new();
    match (conditional, told["scope"].as_str().unwrap()) {
        (false, _) => {}
        (true, "asked") => scope.push("both asked"),
        (true, _) => scope.push("every item"),
    }
    match told["part"].as_str().unwrap() {
        "new" => scope.push("new items"),
        "reverified" => scope.push("verified again"),
        _ => {}
    }
    let question = told["question"].as_str().unwrap();
    if scope.is_empty() { question.to_owned() } else { format!("{question} · {}", scope.join(", ")) }
}

/// The kappa of the command line stands on the screen, with its interval and its n.
fn check_kappa(told: &Value, all: &[Value], screen: &str) {
    let of_the_same = |one: &&Value| one["question"] == told["question"] && one["scope"] != told["scope"];
    let name = name_of(told, all.iter().any(|one| of_the_same(&one)));
    let columns =
        |line: &str| line.trim_start_matches('▌').split("  ").next().unwrap_or_default().trim().to_owned();
    let line = screen.lines().find(|line| columns(line) == name);
    let line = line.unwrap_or_else(|| panic!("no kappa of {name}:\n{screen}"));
    let rest = line.split_once(name.as_str()).unwrap().1;
    let kappa = &told["cohen_kappa"];
    let n = told["n_joint"].as_u64().unwrap().to_string();
    assert_eq!(rest.split_whitespace().next_back(), Some(n.as_str()), "{name}:\n{screen}");
    let Some(value) = kappa["value"].as_f64() else {
        assert!(rest.contains("undefined: "), "{name}: {kappa}\n{screen}");
        return;
    };
    assert_eq!(rest.split_whitespace().next(), Some(three(value).as_str()), "{name}:\n{screen}");
    let interval = match (kappa["ci95"][0].as_f64(), kappa["ci95"][1].as_f64()) {
        (Some(low), Some(high)) => format!("{} to {}", three(low), three(high)),
        _ => "no interval".to_owned(),
    };
    assert!(rest.contains(&interval), "{name}: {interval}\n{screen}");
}
