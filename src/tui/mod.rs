//! The workbench on the screen.
//!
//! Promises: one loop owns the state ([`app`]); it takes in all queued messages, then draws where something
//! changed, in the mean at most once per frame interval. Leaves to others: everything that is not about a
//! terminal; the command line shows the same without one.
//!
//! | part | subject |
//! |---|---|
//! | `terminal/` | taking the terminal over and giving it back; keys, mouse, signals |
//! | [`run`] | the loop: messages in, commands out, frames |
//! | `cadence` | how soon after each other frames are drawn |
//! | `keys` | what the terminal reports as keys of the keymap |
//! | [`app`] | the state and what messages do to it; header, footer |
//! | [`screens`] | Tasks, Task |
//! | [`overlays`] | help, palette, text to be read |
//! | [`widgets`] | difference, text, list parts: they know nothing of the app |
//! | [`runtime`] | jobs on threads |
//! | [`msg`] | what comes in and what is asked for |

pub mod app;
mod cadence;
mod keys;
pub mod msg;
pub mod overlays;
mod run;
pub mod runtime;
pub mod screens;
pub mod terminal;
pub mod widgets;

pub use run::{Ended, RunError, Start, run};
