//! What the words around code say: a refusal, a question back, that nothing needs to change, that there are
//! alternatives.
//!
//! Promises: plain lists of phrases, English only; only words decide nothing where there is code.

/// Phrases of a model that will not.
const REFUSALS: [&str; 22] = [
    "i can't help",
    "i cannot help",
    "i can't assist",
    "i cannot assist",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i am not able to",
    "i can't provide",
    "i cannot provide",
    "i won't",
    "i will not",
    "i can't do that",
    "i cannot do that",
    "i'm sorry, but",
    "i am sorry, but",
    "sorry, i can",
    "as an ai",
    "as a language model",
    "against my guidelines",
    "i must decline",
    "i can't comply",
];

/// Phrases that ask instead of answering.
const QUESTIONS: [&str; 9] = [
    "could you provide",
    "could you please",
    "can you provide",
    "please provide",
    "please share",
    "could you share",
    "need more information",
    "need more context",
    "would you like me to",
];

/// Phrases that say that the code is right as it is.
const CONTENT: [&str; 11] = [
    "no changes are needed",
    "no change is needed",
    "no changes needed",
    "no change needed",
    "no fix is needed",
    "no bug",
    "code is already correct",
    "is already correct",
    "appears to be correct",
    "no modification",
    "looks correct",
];

/// Phrases that introduce one of several answers.
const ALTERNATIVES: [&str; 9] =
    ["option ", "alternative", "approach ", "solution ", "version ", "method ", "another way", "or, ", "or:"];

fn plain(text: &str) -> String {
    let head: String = text.chars().take(20_000).collect();
    head.to_lowercase().replace('\u{2019}', "'")
}

fn holds(text: &str, phrases: &[&str]) -> bool {
    let text = plain(text);
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// Whether words without code are a refusal.
pub(super) fn refuses(text: &str) -> bool {
    holds(text, &REFUSALS)
}

/// Whether words without code ask something.
pub(super) fn asks(text: &str) -> bool {
    holds(text, &QUESTIONS)
}

/// Whether words without code say that nothing is wrong.
pub(super) fn is_content(text: &str) -> bool {
    holds(text, &CONTENT)
}

/// Whether the words before a block call it one of several: `Option 2`, `Alternatively`.
pub(super) fn offers_alternative(lead: &str) -> bool {
    let lead = plain(lead);
    let numbered = |phrase: &str| {
        lead.match_indices(phrase).any(|(at, _)| {
            let rest = lead.get(at + phrase.len()..).unwrap_or_default();
            let mark = rest.split([' ', ':', '.', ')', '*', '\n', '(']).next().unwrap_or_default();
            matches!(
                mark,
                "1" | "2"
                    | "3"
                    | "4"
                    | "5"
                    | "a"
                    | "b"
                    | "c"
                    | "d"
                    | "one"
                    | "two"
                    | "three"
                    | "i"
                    | "ii"
                    | "iii"
            )
        })
    };
    ALTERNATIVES.iter().any(|phrase| match phrase.ends_with(' ') && *phrase != "or, " {
        true => numbered(phrase),
        false => lead.contains(phrase),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases() {
        assert!(refuses("I\u{2019}m sorry, but I can\u{2019}t help with that."));
        assert!(!refuses("The loop never ends."));
        assert!(asks("Could you provide the rest of the file?"));
        assert!(is_content("The code is already correct."));
        for (lead, expected) in [
            ("Option 1:", true),
            ("**Approach 2 (faster)**", true),
            ("Alternatively, use a set:", true),
            ("Another way to do it:", true),
            ("Solution:", false),
            ("Here is the fixed version of the function:", false),
            ("This method is called twice", false),
            ("The optional argument", false),
        ] {
            assert_eq!(offers_alternative(lead), expected, "{lead}");
        }
    }
}
