//! Numbers as people read them on screens, and how far a page reaches.

/// At most four characters up to a thousand million: `542`, `46k`, `3M`.
pub fn short(number: u32) -> String {
    match number {
        0..=999 => number.to_string(),
        1_000..=999_999 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// Rows that a page of a pane moves by, or half of one: a page keeps a row of what was in view.
pub fn page_step(height: u16, half: bool) -> isize {
    let page = (usize::from(height.max(2)) - 1) as isize;
    if half { (page / 2).max(1) } else { page }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn short_numbers_have_four_characters_at_most() {
        assert_eq!(
            [7, 999, 1_000, 46_344, 999_999, 1_000_000].map(short),
            ["7", "999", "1k", "46k", "999k", "1M"]
        );
        assert!(short(u32::MAX).len() <= 5);
    }
}
