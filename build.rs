//! Rebuilds the crate when a file that is embedded in the binary is added, changed or taken away.
//!
//! `include_dir!` and `include_str!` notice changed files by themselves, but not new ones.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=sample-tasks");
    println!("cargo::rerun-if-changed=themes");
}
