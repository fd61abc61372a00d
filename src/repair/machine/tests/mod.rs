//! The machine, with a world made of words.

mod attempts;
mod errors;
mod exposure;
mod infrastructure;
mod intervention;
mod properties;
mod rig;
mod turns;
