//! Every local rung of the sandbox, through the real binary as its first process. A rung that does not stand on this
//! machine is skipped, and said so on stderr.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

#[path = "sandbox_local/basics.rs"]
mod basics;
#[path = "sandbox_local/kills.rs"]
mod kills;
#[path = "sandbox_local/read_only.rs"]
mod read_only;
#[path = "sandbox_local/rig.rs"]
mod rig;
#[path = "sandbox_local/tools.rs"]
mod tools;
#[path = "sandbox_local/trees.rs"]
mod trees;
#[path = "sandbox_local/walls.rs"]
mod walls;
