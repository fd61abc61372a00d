//! Pictures of every screen and overlay, as text, and the styles of those that show most colours.
//!
//! A changed screen fails here; look at what changed, then record it: `INSTA_UPDATE=always cargo test
//! --test screens`. Text is kept once for each size, since it may not depend on the theme (which is
//! asserted); styles are kept for each theme.
#![allow(clippy::unwrap_used)]

mod rig;
mod scripted;
#[path = "scripted/talker.rs"]
mod talker;

mod screens {
    mod stories;
}
