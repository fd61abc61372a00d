//! The rounds and the disagreements on the screen: the real state and the real studies, keys only, no terminal.
#![allow(clippy::unwrap_used)]

mod cli_rig;
mod rig;
mod study_rig;

mod desk {
    mod discuss;
    mod draw_alike;
    mod leak;
    mod pictures;
    mod rounds;
    mod world;
}
