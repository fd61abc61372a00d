//! Our own program in another part: what starts it anew inside a sandbox says so in its first argument.
//!
//! Promises: called first of all, it returns at once for every other start, having touched nothing.

/// Takes over where the first argument says so, and then never returns.
pub fn enter() {
    let Some(part) = std::env::args_os().nth(1) else { return };
    #[cfg(target_os = "linux")]
    if part == super::local::INIT {
        super::local::serve();
    }
    #[cfg(target_os = "linux")]
    if part == super::doctor::ATTACK {
        let words = std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned());
        std::process::exit(super::doctor::attack(words.collect()));
    }
    let _ = part;
}
