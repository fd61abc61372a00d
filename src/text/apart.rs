//! Names in columns that are too narrow for them, cut so that they stay different.
//!
//! Promises: pure; each result is at most so many columns wide; two names that differ are never shown the same where two
//! columns are enough to tell them apart. Leaves to others: drawing.

use super::{truncate, truncate_start, width};

/// The names in so many columns: whole, else cut at their ends, else in their middles, else as A, B, … with what room is
/// left for their beginnings.
pub fn apart(names: &[&str], columns: usize) -> Vec<String> {
    let cut = |how: &dyn Fn(&str) -> String| names.iter().map(|name| how(name)).collect::<Vec<String>>();
    let ends = cut(&|name| truncate(name, columns).into_owned());
    if are_apart(names, &ends) {
        return ends;
    }
    let middles = cut(&|name| middle(name, columns));
    if are_apart(names, &middles) {
        return middles;
    }
    let lettered = names.iter().enumerate().map(|(place, name)| {
        let letter = match u32::try_from(place).ok().filter(|place| *place < 26) {
            Some(place) => char::from_u32(u32::from('A') + place).map_or_else(String::new, String::from),
            None => (place + 1).to_string(),
        };
        truncate(&format!("{letter} {name}"), columns).into_owned()
    });
    lettered.collect()
}

/// Whether no two names that differ look the same.
fn are_apart(names: &[&str], shown: &[String]) -> bool {
    let all = || names.iter().zip(shown).enumerate();
    all().all(|(place, (name, one))| {
        all().take(place).all(|(_, (other_name, other))| one != other || name == other_name)
    })
}

/// A name without its middle, of which the end keeps more than the beginning: names that begin alike differ there.
fn middle(name: &str, columns: usize) -> String {
    if width(name) <= columns || columns < 3 {
        return truncate(name, columns).into_owned();
    }
    let start = (columns - 1) / 2;
    // Each part is cut to its room with a mark of its own; one mark stays.
    let head = truncate(name, start + 1);
    let tail = truncate_start(name, columns - start);
    format!("{}{tail}", head.trim_end_matches('…'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_different_in_narrow_columns() {
        for (names, columns, shown) in [
            (vec!["anna", "ben"], 7, vec!["anna", "ben"]),
            (vec!["annabella", "benjamin"], 7, vec!["annabe…", "benjam…"]),
            (vec!["script-anna", "script-ben"], 7, vec!["scr…nna", "scr…ben"]),
            (vec!["script-1-of", "script-2-of"], 7, vec!["A scri…", "B scri…"]),
            (vec!["same-same-same", "same-same-same"], 7, vec!["same-s…", "same-s…"]),
            (vec!["日本語日本語一", "日本語日本語二"], 7, vec!["日…一", "日…二"]),
        ] {
            let found = apart(&names, columns);
            assert_eq!(found, shown, "{names:?}");
            assert!(found.iter().all(|name| width(name) <= columns), "{found:?}");
        }
        assert_eq!(apart(&["abc", "abd"], 1), ["…", "…"], "there is no room to tell them apart");
        assert_eq!(apart(&["abcd", "abce"], 2), ["A…", "B…"]);
    }
}
