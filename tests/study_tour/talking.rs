//! Discussion and adjudication, case by case: the case is read off the screen.

use crate::hands::{ENTER, ESC, Hands, says};
use crate::labelling::{key_of, question_on};
use crate::lead::is_task;
use crate::study_rig::{number, truth};

/// A case on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub item: String,
    pub question: &'static str,
    /// What was said, each with who said it.
    pub voices: Vec<(String, String)>,
}

/// The right part of a line where the screen is divided.
fn right(line: &str) -> &str {
    line.rsplit_once('│').map_or(line, |(_, right)| right).trim_end()
}

/// The case on this screen.
pub fn case_on(screen: &str) -> Option<Case> {
    let mut lines = screen.lines().skip(1).map(right);
    let first = lines.next()?;
    let mut words = first.split_whitespace();
    let item = words.next().filter(|item| item.contains("HumanEval"))?.to_owned();
    (words.nth(1) == Some("of")).then_some(())?;
    let voice = |line: &str| {
        let (who, said) = line.trim_start().split_once("  ")?;
        ["you", "anna", "ben", "A", "B"].contains(&who).then(|| (who.to_owned(), said.trim().to_owned()))
    };
    let voices = lines.take(8).filter_map(voice).collect();
    Some(Case { item, question: question_on(screen)?, voices })
}

/// The answer in a voice: what was changed, and the words behind the answer, left out.
fn answer(said: &str) -> &str {
    let now = said.rsplit_once('→').map_or(said, |(_, now)| now).trim_start();
    now.split("  ").next().unwrap_or(now).trim()
}

/// What somebody does about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Adopt,
    Keep,
}

impl Hands {
    fn case(&self) -> Option<Case> {
        case_on(&self.session.screen().contents())
    }

    /// Waits until another case than this is shown, or it is said that it was the last one.
    fn after(&mut self, case: &Case) -> Option<Case> {
        let other = |screen: &str| {
            case_on(screen).filter(|now| (&now.item, now.question) != (&case.item, case.question))
        };
        let last = "that was the last one";
        self.until("the next case", |screen| says(screen, last) || other(screen).is_some());
        if self.shows(last) { None } else { self.case() }
    }

    /// Opens the first case that waits; none: there is none.
    fn first_case(&mut self) -> Option<Case> {
        self.wait_any(&["for you", "none waits for you", "No disagreements", "Nothing to decide"]);
        if !self.shows(" for you") || self.shows("none waits for you") {
            return None;
        }
        self.press(ENTER);
        self.until("the case", |screen| case_on(screen).is_some() && screen.contains("difference"));
        self.case()
    }

    /// From the case back to the list, where the case is in view.
    pub fn leave_the_case(&mut self) {
        let headings = ["you were overruled", "decided as you said", "settled between you"];
        self.until("a case or the list", |screen| {
            case_on(screen).is_some() || headings.iter().any(|words| says(screen, words))
        });
        if self.case().is_some() {
            self.press(ESC);
            self.until("the list", |screen| case_on(screen).is_none());
        }
    }

    /// Opens the task of the case in view, and comes back.
    fn look_at_task(&mut self, case: &Case) {
        self.press("T");
        self.until(&format!("the task of {}", case.item), |screen| is_task(screen, &case.item));
        self.press(ESC);
        self.until("the case again", |screen| {
            case_on(screen).is_some_and(|now| now.item == case.item && now.question == case.question)
        });
    }

    /// Discusses every case that waits; gives what was done.
    pub fn discuss(&mut self, does: impl Fn(&Case) -> Does) -> Vec<(Case, Does)> {
        let mut done = Vec::new();
        let mut next = self.first_case();
        while let Some(case) = next {
            assert_eq!(case.voices.len(), 2, "both answers are in view:\n{}", self.session.text());
            if done.is_empty() {
                self.look_at_task(&case);
            }
            let what = does(&case);
            self.key(if what == Does::Adopt { "O" } else { "K" }, "your answer:");
            // A key that is given twice gives nothing.
            self.press(ENTER);
            next = self.after(&case);
            done.push((case, what));
        }
        done
    }

    /// Decides every case that waits, by letter where one of the two is right; gives what was decided, and why.
    pub fn adjudicate(&mut self) -> Vec<(Case, String, usize)> {
        let mut done = Vec::new();
        let mut next = self.first_case();
        while let Some(case) = next {
            let names: Vec<&str> = case.voices.iter().map(|(who, _)| who.as_str()).collect();
            assert_eq!(names, ["A", "B"], "{}", self.session.text());
            let text = self.session.text();
            let named = |name: &&&str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == **name);
            assert_eq!(["anna", "ben"].iter().find(named), None, "{text}");
            let right =
                truth(&case.item).iter().find(|(question, _)| *question == case.question).map(|(_, a)| *a);
            let voice = |wanted: &str| case.voices.iter().find(|(_, said)| answer(said) == wanted);
            let (key, decided) = match right {
                None => ("A".to_owned(), answer(&case.voices[0].1).to_owned()),
                Some(right) => match voice(right) {
                    Some((letter, _)) => (letter.clone(), right.to_owned()),
                    None => (key_of(case.question, right).to_owned(), right.to_owned()),
                },
            };
            self.key(&key, "Why did they differ?");
            // The key of the answer gives no reason.
            let mut reason = number(&case.item) as usize % 5 + 1;
            if reason.to_string() == key {
                reason = reason % 5 + 1;
            }
            self.press(&reason.to_string());
            next = self.after(&case);
            done.push((case, decided, reason));
        }
        done
    }
}
