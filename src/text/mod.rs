//! Measuring, cutting and sanitising text that came from outside, the only place that measures text; and numbers as
//! people read them.
//!
//! Promises: pure; whatever comes in, nothing that goes out holds a control character, a character
//! that reorders its neighbours or one that hides (each becomes something visible); widths are terminal
//! columns, summed over grapheme clusters exactly as the drawing library sums them; [`Cells`] is lazy, so
//! that a line of a megabyte costs what is visible of it.
//! Leaves to others: colours, invalid UTF-8 (`task::Content` decodes), drawing.

mod apart;
mod cells;
mod clean;
mod columns;
mod hidden;
mod ink;
mod normal;
mod numbers;
mod reflow;
mod wrap;

#[cfg(test)]
mod tests;

pub use apart::apart;
pub use cells::{Cell, Cells, cells, cells_from};
pub use clean::{
    expand_tabs, pad, pad_start, sanitise, sanitise_lines, shown, truncate, truncate_start, width,
};
pub use columns::{Segment, Segments, Window, byte_at, column_of, segment_count, wrap_cells};
pub use hidden::is_hidden;
pub use ink::{Ink, Inked, Pen};
pub use normal::{composed, folded};
pub use numbers::{counted, thousands, three};
pub use reflow::reflow;
pub use wrap::wrap;
