//! The screen of labelling without a terminal: whole items, taking back, marks, held keys and pastes, what goes
//! wrong, what must not be seen; and pictures of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod rig;
mod scripted;

mod annotate {
    mod ahead;
    mod answers;
    mod column;
    mod figures;
    mod filters;
    mod fingers;
    mod large;
    mod leak;
    mod pictures;
    mod scripts;
    mod states;
    mod study;
}
