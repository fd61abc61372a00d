//! Studies as people carry them out: the real program on a pseudo-terminal, driven by keys alone, compared with what the
//! command line says of the same workspace.
//!
//! Nothing is concluded from time; everything waits for what the screen shows.
#![allow(clippy::unwrap_used, clippy::explicit_write, missing_docs)]
#![cfg(unix)]

mod cli_rig;
mod pty;
mod study_rig;

#[path = "study_tour/accidents.rs"]
mod accidents;
#[path = "study_tour/hands.rs"]
mod hands;
#[path = "study_tour/kills.rs"]
mod kills;
#[path = "study_tour/labelling.rs"]
mod labelling;
#[path = "study_tour/lead.rs"]
mod lead;
#[path = "study_tour/talking.rs"]
mod talking;
#[path = "study_tour/whole.rs"]
mod whole;

#[path = "study_tour/leak.rs"]
mod leak;
#[path = "study_tour/reading.rs"]
mod reading;
mod rig;
#[path = "study_tour/sizes.rs"]
mod sizes;
#[allow(dead_code)]
#[path = "annotate/study.rs"]
mod study;
