//! Texts that look like one another.

use std::collections::BTreeMap;

/// The text in lower case, without white space at its ends, each run of white space inside as one blank.
pub fn fold(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Groups of texts that differ in case and white space only.
pub fn lookalikes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for text in texts {
        groups.entry(fold(text)).or_default().push(text);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}
