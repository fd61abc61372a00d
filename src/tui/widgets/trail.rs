//! Where one is in something that grows at its end.
//!
//! Promises: the end is followed until somebody scrolls away from it, and again once somebody scrolls back to it.
//! Leaves to others: how many rows there are, drawing them.

use super::numbers::page_step;

/// Most columns that one can scroll sideways.
const MOST_LEFT: usize = 10_000;

/// A place in rows of which there may come more. Every method is told how many there are now.
#[derive(Debug, Default)]
pub struct Trail {
    /// First row in view; what it is while the end is followed does not matter.
    top: usize,
    scrolled: bool,
    left: usize,
    height: u16,
}

impl Trail {
    /// Rows in view.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Columns scrolled sideways.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The height is known.
    pub fn resize(&mut self, height: u16, rows: usize) {
        self.height = height;
        self.clamp(rows);
    }

    /// There may be fewer rows than before.
    pub fn clamp(&mut self, rows: usize) {
        self.top = self.top.min(self.last_top(rows));
    }

    fn last_top(&self, rows: usize) -> usize {
        rows.saturating_sub(usize::from(self.height))
    }

    /// The first row in view.
    pub fn top(&self, rows: usize) -> usize {
        let last = self.last_top(rows);
        if self.scrolled { self.top.min(last) } else { last }
    }

    /// Whether the end is followed.
    pub fn follows(&self) -> bool {
        !self.scrolled
    }

    /// Rows below the view.
    pub fn below(&self, rows: usize) -> usize {
        rows.saturating_sub(self.top(rows) + usize::from(self.height))
    }

    /// Scrolls; at the end that is followed again.
    pub fn scroll(&mut self, by: isize, rows: usize) {
        self.go(self.top(rows).saturating_add_signed(by), rows);
    }

    /// Scrolls by a page or half of one.
    pub fn page(&mut self, down: bool, half: bool, rows: usize) {
        let step = page_step(self.height, half);
        self.scroll(if down { step } else { -step }, rows);
    }

    /// To the first or the last row.
    pub fn edge(&mut self, last: bool, rows: usize) {
        self.scroll(if last { isize::MAX } else { isize::MIN }, rows);
    }

    /// Brings a row into the middle.
    pub fn centre(&mut self, row: usize, rows: usize) {
        self.go(row.saturating_sub(usize::from(self.height) / 2), rows);
    }

    fn go(&mut self, to: usize, rows: usize) {
        let last = self.last_top(rows);
        self.top = to.min(last);
        self.scrolled = self.top < last;
    }

    /// So many rows have gone at the front.
    pub fn lost(&mut self, count: usize) {
        self.top = self.top.saturating_sub(count);
    }

    /// The rows were laid out anew: `before` became `rows`, and the place is the same share of them.
    pub fn laid_out_anew(&mut self, before: usize, rows: usize) {
        self.top = (self.top as f64 / before.max(1) as f64 * rows as f64) as usize;
        self.clamp(rows);
    }

    /// Scrolls sideways.
    pub fn scroll_sideways(&mut self, columns: isize) {
        self.left = self.left.saturating_add_signed(columns).min(MOST_LEFT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_followed_until_somebody_scrolls_and_again_at_the_end() {
        let mut trail = Trail::default();
        trail.resize(10, 100);
        assert_eq!((trail.top(100), trail.below(100)), (90, 0));
        trail.scroll(-5, 100);
        assert_eq!((trail.follows(), trail.top(100), trail.top(200), trail.below(200)), (false, 85, 85, 105));
        trail.page(true, false, 100);
        assert!(trail.follows());
        assert_eq!(trail.top(200), 190);
        trail.edge(false, 200);
        assert_eq!(trail.top(200), 0);
        trail.centre(50, 200);
        assert_eq!(trail.top(200), 45);
        trail.lost(40);
        assert_eq!(trail.top(160), 5);
        trail.laid_out_anew(160, 320);
        assert_eq!(trail.top(320), 10);
        trail.edge(true, 320);
        assert!(trail.follows());
        trail.scroll_sideways(isize::MAX);
        assert_eq!(trail.left(), MOST_LEFT);
        // What is shorter than the view begins at its beginning.
        trail.resize(10, 3);
        assert_eq!((trail.top(3), trail.below(3)), (0, 0));
    }
}
