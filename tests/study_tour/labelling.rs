//! Labelling, as an annotator does it: the item is read off the screen, and a key is pressed.

use crate::hands::{Hands, NOT_TAKEN, says};

/// Questions of the codebook, each with how it begins on the screen.
pub const QUESTIONS: [(&str, &str); 3] = [
    ("bug-related", "Does this change mend wrong"),
    ("test-relevant", "Does the test that comes with"),
    ("root-cause", "What kind of mistake was made in"),
];

/// The key of an answer.
pub fn key_of(question: &str, answer: &str) -> &'static str {
    match (question, answer) {
        ("root-cause", "A.1") => "1",
        ("root-cause", "A.2") => "2",
        ("root-cause", "A.3") => "3",
        ("root-cause", "B") => "5",
        ("root-cause", "C.1") => "6",
        ("root-cause", "C.3") => "8",
        ("root-cause", "D.1") => "9",
        (_, "yes") => "y",
        (_, "no") => "n",
        other => panic!("no key is known for {other:?}"),
    }
}

/// What a screen asks: which item, and which question about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Number of the item in one's queue, from 1.
    pub number: usize,
    pub item: String,
    pub question: &'static str,
}

/// The question that is on a screen.
pub fn question_on(screen: &str) -> Option<&'static str> {
    QUESTIONS.iter().find(|(_, words)| screen.contains(words)).map(|(id, _)| *id)
}

/// What this screen asks, of one of these items.
pub fn asked(screen: &str, items: &[String]) -> Option<Asked> {
    let header = screen.lines().next()?;
    let number = header.rsplit_once("item ")?.1.split_whitespace().next()?.parse().ok()?;
    let named = |item: &&String| header.split_whitespace().any(|word| word == item.as_str());
    let item = items.iter().find(named)?.clone();
    Some(Asked { number, item, question: question_on(screen)? })
}

/// What is said when nothing is left.
pub fn is_finished(screen: &str) -> bool {
    says(screen, "items are labelled")
}

/// What a key brought about.
#[derive(Debug, PartialEq, Eq)]
pub enum Then {
    /// Something else is asked now, so that the answer is on disk.
    Next(Asked),
    /// That was the last answer.
    Finished,
    /// The key was not taken.
    Refused,
}

impl Hands {
    /// What is asked now.
    pub fn asked(&self, items: &[String]) -> Asked {
        let screen = self.session.screen().contents();
        asked(&screen, items).unwrap_or_else(|| panic!("no item of the round is asked about:\n{screen}"))
    }

    /// What has become of an answer, once that can be seen.
    pub fn then(&mut self, before: &Asked, items: &[String]) -> Then {
        let other = |screen: &str| asked(screen, items).filter(|now| now != before);
        let refused = |screen: &str| NOT_TAKEN.iter().any(|words| says(screen, words));
        self.until("what follows the answer", |screen| {
            is_finished(screen) || refused(screen) || other(screen).is_some()
        });
        let screen = self.session.screen().contents();
        if refused(&screen) {
            return Then::Refused;
        }
        match other(&screen) {
            Some(next) => Then::Next(next),
            None => Then::Finished,
        }
    }

    /// Labels everything that is left as a script says, and gives the items in the order in which they were shown.
    pub fn label_all(
        &mut self,
        items: &[String],
        script: impl Fn(&str) -> Vec<(&'static str, &'static str)>,
    ) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        loop {
            let now = self.asked(items);
            if shown.last() != Some(&now.item) {
                shown.push(now.item.clone());
            }
            let said = script(&now.item);
            let answer = said.iter().find(|(question, _)| *question == now.question);
            let (_, answer) =
                answer.unwrap_or_else(|| panic!("nobody should ask {now:?}:\n{}", self.session.text()));
            self.press(key_of(now.question, answer));
            match self.then(&now, items) {
                Then::Next(_) => {}
                Then::Finished => return shown,
                // The screen is read anew: what a held key said is taken back.
                Then::Refused => self.calm(),
            }
        }
    }
}
