//! Which folder is the workspace.
