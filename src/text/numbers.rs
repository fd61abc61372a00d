//! Numbers as people read them, the same on screens, on the command line and in reports.

/// Digits in groups of three: `200,000`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and what it counts: `1 file`, `2 files`, `3,887 queries`.
pub fn counted(count: impl TryInto<usize>, what: &str) -> String {
    let count = count.try_into().unwrap_or(usize::MAX);
    let number = thousands(count);
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("{number} {what}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {what}s"),
    }
}

/// A number with three decimals, without a minus before nothing.
pub fn three(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups_of_three() {
        assert_eq!(
            [0, 999, 1_000, 46_344, 200_000, 1_000_000].map(thousands),
            ["0", "999", "1,000", "46,344", "200,000", "1,000,000"]
        );
    }

    #[test]
    fn what_is_counted_stands_in_one_or_many() {
        assert_eq!(counted(1_u64, "item"), "1 item");
        assert_eq!(counted(0_usize, "item"), "0 items");
        assert_eq!(counted(3_887_u32, "item"), "3,887 items");
        assert_eq!(
            [counted(1_u8, "trajectory"), counted(2_u8, "trajectory")],
            ["1 trajectory", "2 trajectories"]
        );
        assert_eq!(counted(2_u8, "key"), "2 keys");
        // No number is more than can be shown.
        assert!(counted(-1_i32, "item").ends_with(" items"));
    }

    #[test]
    fn nothing_has_no_minus() {
        assert_eq!([three(-0.0001), three(0.70449), three(-0.5)], ["0.000", "0.704", "-0.500"]);
    }
}
