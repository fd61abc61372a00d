//! Placeholder of the room `tui`.
