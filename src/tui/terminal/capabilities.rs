//! What the terminal can do, as far as it has to be asked.
//!
//! Promises: one question, before anything else reads the terminal, with a short limit; a terminal that does not
//! answer costs that limit and nothing else.
//! Leaves to others: colours (`theme` reads the environment), whether to ask at all: not where the setting or
//! COLORFGBG says it.

use super::output;
use std::time::Duration;
use terminal_colorsaurus::{QueryOptions, background_color};

/// How long an answer is waited for. Terminals on this machine answer within a millisecond.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the terminal's background is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Background {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// Asks the terminal for its background; `None` where it does not say. To be called before
/// [`Events::new`](super::Events::new), which would take the answer for keys.
pub fn ask_background() -> Option<Background> {
    if !output::is_terminal() || !rustix::termios::isatty(rustix::stdio::stdin()) {
        return None;
    }
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    let colour = background_color(options).ok()?;
    Some(if colour.perceived_lightness() > 0.5 { Background::Light } else { Background::Dark })
}

/// Whether these environment variables say that text is UTF-8; where they say nothing, it is.
pub fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let upper = locale.to_uppercase();
        upper.contains("UTF-8") || upper.contains("UTF8")
    })
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn the_first_locale_that_is_set_decides() {
        let utf8 = |variables: &[(&str, &str)]| {
            is_utf8(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(utf8(&[]));
        assert!(utf8(&[("LANG", "de_DE.UTF-8")]));
        assert!(utf8(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!utf8(&[("LANG", "C")]));
        assert!(!utf8(&[("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")]));
    }
}
