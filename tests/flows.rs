//! Flows: what a person gets who presses these keys one after the other, in the real workbench.
#![allow(clippy::unwrap_used)]

mod rig;
mod scripted;
#[path = "scripted/talker.rs"]
mod talker;

mod flows {
    mod copying;
    mod diff;
    mod keys;
    mod list;
    mod real_data;
    mod repair;
    mod states;
    mod task;
    mod tests_tab;
}
