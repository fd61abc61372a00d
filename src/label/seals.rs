//! Which sealed file of each annotator counts in a round.
//!
//! Promises: pure; the file that came first counts, until it is known to be the wrong one and no key is out: then
//! another takes its place, and that is written down. What contradicts that stays to be told. Leaves to others: the
//! files and their keys (`study::seal`).

/// The sealed files of a round, by the keys of their annotators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seals {
    /// The sha256 of those that count.
    present: Vec<(String, String)>,
    /// Those that the annotators themselves said they handed in; of several the first.
    committed: Vec<(String, String)>,
    /// All that were received and did not count then.
    others: Vec<(String, String)>,
    /// Whether a key is out: then nobody can be sure any more that a file was made without knowing the others' labels.
    pub is_revealed: bool,
}

fn of<'a>(list: &'a [(String, String)], annotator: &str) -> Option<&'a str> {
    list.iter().find(|(whose, _)| whose == annotator).map(|(_, sha256)| sha256.as_str())
}

impl Seals {
    /// sha256 of the file of an annotator that counts.
    pub fn of(&self, annotator: &str) -> Option<&str> {
        of(&self.present, annotator)
    }

    /// sha256 of the file that the annotator said they handed in, where that is known.
    pub fn committed(&self, annotator: &str) -> Option<&str> {
        of(&self.committed, annotator)
    }

    /// Whether it is too late for this file to count: another one is here, and a key is out.
    pub fn is_late(&self, annotator: &str, sha256: &str) -> bool {
        self.is_revealed && self.of(annotator).is_some_and(|present| present != sha256)
    }

    /// A file was received, as `actor` says.
    pub(super) fn received(
        &mut self,
        actor: &str,
        annotator: String,
        sha256: String,
        replaces: Option<String>,
    ) {
        if actor == annotator && self.committed(&annotator).is_none() {
            self.committed.push((annotator.clone(), sha256.clone()));
        }
        match self.present.iter_mut().find(|(whose, _)| *whose == annotator) {
            None => self.present.push((annotator, sha256)),
            Some((_, present)) if *present == sha256 => {}
            Some((_, present)) if !self.is_revealed && replaces.as_ref() == Some(present) => {
                *present = sha256
            }
            Some(_) => self.others.push((annotator, sha256)),
        }
    }

    /// Annotators of whom another file was handed in than the one that counts; not where that is the one that they
    /// said themselves.
    pub(super) fn disputed(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (annotator, sha256) in &self.others {
            let present = self.of(annotator);
            let is_right = present == Some(sha256) || present == self.committed(annotator);
            if !is_right && !names.contains(annotator) {
                names.push(annotator.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seals(events: &[(&str, &str, Option<&str>)]) -> Seals {
        let mut seals = Seals::default();
        for (actor, sha256, replaces) in events {
            let replaces = replaces.map(str::to_owned);
            seals.received(actor, "ben".to_owned(), (*sha256).to_owned(), replaces);
        }
        seals
    }

    #[test]
    fn the_first_counts_until_it_is_replaced() {
        let two = seals(&[("lea", "wrong", None), ("ben", "right", None)]);
        assert_eq!((two.of("ben"), two.committed("ben")), (Some("wrong"), Some("right")));
        assert_eq!(two.disputed(), ["ben"]);
        let mended = [("lea", "wrong", None), ("ben", "right", None), ("lea", "right", Some("wrong"))];
        let three = seals(&mended);
        assert_eq!((three.of("ben"), three.disputed().len()), (Some("right"), 0));
        // Told again it changes nothing, and what replaces something else does not count.
        let more =
            [&mended[..], &[("lea", "right", Some("wrong")), ("eve", "other", Some("wrong"))]].concat();
        assert_eq!((seals(&more).of("ben"), seals(&more).disputed().len()), (Some("right"), 0));
        // Where the annotator said nothing, nobody knows which is right.
        let strangers = seals(&[("lea", "one", None), ("eve", "two", None)]);
        assert_eq!((strangers.of("ben"), strangers.disputed()), (Some("one"), vec!["ben".to_owned()]));
        assert_eq!(seals(&[("ben", "one", None), ("ben", "two", None)]).committed("ben"), Some("one"));
    }

    #[test]
    fn once_a_key_is_out_nothing_is_replaced() {
        let mut seals = seals(&[("lea", "wrong", None)]);
        seals.is_revealed = true;
        assert!(
            seals.is_late("ben", "right") && !seals.is_late("ben", "wrong") && !seals.is_late("anna", "x")
        );
        seals.received("lea", "ben".to_owned(), "right".to_owned(), Some("wrong".to_owned()));
        assert_eq!((seals.of("ben"), seals.disputed()), (Some("wrong"), vec!["ben".to_owned()]));
        assert_eq!(seals.of("anna"), None);
    }
}
