//! No screen panics, and nothing that could disturb a terminal reaches it: at any size, with any text,
//! whatever keys are pressed.
#![allow(clippy::unwrap_used)]

mod rig;
mod scripted;
#[path = "scripted/talker.rs"]
mod talker;

mod sizes {
    mod hostile;
    mod minified;
    mod sweep;
    pub mod whole;
}
