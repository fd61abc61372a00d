//! Numbers as people read them.

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

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn digits_stand_in_groups_of_three() {
        assert_eq!(
            [0, 12, 999, 1000, 200_000, 1_234_567].map(thousands),
            ["0", "12", "999", "1,000", "200,000", "1,234,567"]
        );
    }
}
