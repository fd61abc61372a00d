//! The rungs that this machine itself offers: bubblewrap, namespaces, Landlock, and none.
//!
//! Promises: [`Ladder`] finds the best that stands; whatever the rung, a sandbox keeps [`crate::sandbox::Sandbox`];
//! [`reap`] removes what dead owners left. Leaves to others: Docker.
//!
//! A sandbox is *standing*: its first process, the init, is our own program started anew inside, and executions are
//! requests to it. It holds one end of a socket pair; when the other end is gone, whoever held it, everything inside is
//! killed, by the kernel where there is a process namespace.

mod cgroup;
mod execute;
mod identity;
mod init;
mod ladder;
mod layout;
mod make;
mod mechanisms;
mod pool;
mod standing;
mod state;
mod tree;
mod wire;

pub use init::serve;
pub use ladder::{LOCAL, Ladder};
pub use make::INIT;
pub use pool::Pool;
pub use state::{Reaped, reap};
