//! The workbench on the screen.

pub mod keys;
pub mod terminal;
