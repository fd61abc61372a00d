//! Words that people write and files keep: one spelling each, and an error that names the nearest known one.
//!
//! Promises: what is printed is read back; an unknown word is quoted cut short, with what it may have meant.
//! Leaves to others: which words there are.

/// A text that is none of the words of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a {what}{}; known: {known}", nearest_clause(.nearest))]
pub struct UnknownWord {
    /// What a word was looked for as: `technique`, `strategy`, …
    pub what: &'static str,
    /// What was found instead, cut to a line.
    pub found: String,
    /// The known word that is nearest, if one is near.
    pub nearest: Option<String>,
    /// What there is.
    pub known: String,
}

fn nearest_clause(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |word| format!(": did you mean `{word}`?"))
}

/// Longest part of an unknown word that a message quotes, in characters.
const MOST_QUOTED: usize = 60;

/// An error about `found`, with the nearest of `candidates` and all of them as what is known.
pub fn unknown<'a>(
    what: &'static str,
    found: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> UnknownWord {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    UnknownWord {
        what,
        found: quoted(found),
        nearest: nearest(found, &candidates),
        known: candidates.join(", "),
    }
}

/// A word from outside as a message may quote it: one line, no hidden characters, cut.
pub(in crate::repair) fn quoted(text: &str) -> String {
    let mut cut: String = text.chars().take(MOST_QUOTED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    crate::text::sanitise(&cut).into_owned()
}

/// The candidate that a person may have meant: at most a third of its letters differ.
pub(in crate::repair) fn nearest(found: &str, candidates: &[&str]) -> Option<String> {
    // Longer than any word: comparing costs the product of both lengths.
    if found.len() > MOST_QUOTED {
        return None;
    }
    let found = found.trim().to_lowercase().replace(['_', ' '], "-");
    candidates
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&found, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// The value of a word out of a list of pairs.
///
/// # Errors
///
/// No pair has the word.
pub fn find<T>(
    what: &'static str,
    found: &str,
    pairs: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<T, UnknownWord> {
    let mut words = Vec::new();
    for (word, value) in pairs {
        if word == found {
            return Ok(value);
        }
        words.push(word);
    }
    Err(unknown(what, found, words))
}

/// An enumeration whose members have one word each: `ALL`, `as_str`, `Display`, `FromStr` with the nearest
/// known word, and the same word in JSON.
macro_rules! words {
    (
        $(#[$outer:meta])*
        pub enum $name:ident as $what:literal {
            $( $(#[$inner:meta])* $member:ident = $word:literal, )+
        }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $( $(#[$inner])* $member, )+
        }

        impl $name {
            /// All members, in the order in which they are shown.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$member),+];

            /// The word used in files, on screens and on the command line.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( $name::$member => $word, )+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::repair::cell::UnknownWord;

            fn from_str(text: &str) -> Result<$name, Self::Err> {
                $crate::repair::cell::word::find($what, text, $name::ALL.map(|member| (member.as_str(), member)))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// JSON as the text that `Display` prints and `FromStr` reads.
macro_rules! as_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(in crate::repair) use {as_text, words};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_nearest_word_is_named_and_nothing_far_away() {
        let error = unknown("technique", "fewshot", ["baseline", "few-shot"]);
        assert_eq!(
            error.to_string(),
            "`fewshot` is not a technique: did you mean `few-shot`?; known: baseline, few-shot"
        );
        for (found, expected) in [
            ("few_shot", Some("few-shot")),
            ("Few Shot", Some("few-shot")),
            ("baselien", Some("baseline")),
            ("", None),
            ("magic", None),
        ] {
            assert_eq!(nearest(found, &["baseline", "few-shot"]).as_deref(), expected, "{found}");
        }
    }

    #[test]
    fn what_is_quoted_is_one_short_line() {
        let error = unknown("form", &format!("a\u{1b}[31m\n{}", "x".repeat(5_000)), ["line"]);
        assert!(error.found.chars().count() <= MOST_QUOTED + 1 && !error.found.contains(['\n', '\u{1b}']));
        assert_eq!(error.nearest, None);
    }
}
